"""Runs and signatures as JSON has them: the same in all commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.core.text import as_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.comparison.signature import ComparisonSignature
    from irev.core.matrices import Entry
    from irev.signature import Signature


def about_run(entry: Entry) -> dict[str, Any]:
    """Name, path, tag, the judged topics that the run lacks, and its signature."""
    return {
        "run": entry.name,
        "path": entry.path,
        "runid": as_text(entry.run_id),
        "missing": [as_text(topic) for topic in entry.missing],
        "signature": both_forms(entry.signature),
    }


def both_forms(signature: Signature | ComparisonSignature | None) -> dict[str, Any] | None:
    """A signature with its short form as `short`; None where there is none."""
    return None if signature is None else {"short": signature.short, **signature.long}


def one_or_several(signatures: Sequence[ComparisonSignature]) -> Any:
    """The signature of a result; a list of them where several judgments or gains are set beside."""
    forms = [both_forms(each) for each in signatures]
    return forms[0] if len(forms) == 1 else forms


def short_forms(signed: Any) -> str:
    """The short forms of what `one_or_several` gave, one behind the other."""
    return " ".join(each["short"] for each in (signed if isinstance(signed, list) else [signed]))
