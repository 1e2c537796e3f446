"""What the forms for machines share: JSON without NaN, runs and signatures in it, and lines."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from irev.core.text import as_text, escaped_bytes, spreadsheet_safe
from irev.scores.table import RunInfo


class Signed(Protocol):
    """A signature, of whatever was done: in one line, and with all its parts."""

    @property
    def short(self) -> str: ...  # noqa: D102

    @property
    def long(self) -> dict[str, Any]: ...  # noqa: D102


_ROWS_AT_ONCE = 1000

_INVISIBLE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that drive a terminal or change the order of what is read; JSON escapes those below
U+0020 by itself."""


def json_bytes(finite_value: Any) -> bytes:
    """A value as JSON; characters that drive a terminal are escaped.

    So is a lone surrogate, a byte that is not UTF-8, as JSON itself would.
    """
    text = json.dumps(finite_value, indent=1, ensure_ascii=False, allow_nan=False)
    return _terminal_safe_json(text) + b"\n"


def _terminal_safe_json(text: str) -> bytes:
    if text.isascii() and "\x7f" not in text:
        return text.encode()
    # such a character can only stand within a string, where its escape means the same
    text = _INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return text.encode("utf-8", "backslashreplace")


def finite_or_none(value: Any) -> Any:
    """A value, or all that it holds, with None in place of NaN and infinities."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: finite_or_none(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite_or_none(each) for each in value]
    return value


def json_line_blocks(rows: Iterable[Any]) -> Iterator[bytes]:
    """A line of JSON for each row, some at a time; what is no finite number is null."""
    remaining = iter(rows)
    while block := list(islice(remaining, _ROWS_AT_ONCE)):
        lines = (
            json.dumps(finite_or_none(row), ensure_ascii=False, allow_nan=False) for row in block
        )
        yield _terminal_safe_json("".join(f"{line}\n" for line in lines))


def delimited_line_blocks(
    rows: Iterable[Iterable[Any]], separator: str = ",", *, safe: bool = False
) -> Iterator[bytes]:
    """Rows as lines, in full precision; quoted where the separator, a quote or a line's end is.

    Where it is to be `safe`, no text is a formula of a spreadsheet or drives a terminal.
    """
    remaining = iter(rows)
    if safe:
        remaining = (
            [spreadsheet_safe(c) if isinstance(c, str) else c for c in row] for row in remaining
        )
    while block := list(islice(remaining, _ROWS_AT_ONCE)):
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=separator, lineterminator="\n").writerows(block)
        yield escaped_bytes(buffer.getvalue())


def run_facts(run_info: RunInfo) -> dict[str, Any]:
    """Name, path, tag, the judged topics that the run lacks, and its signature.

    Those that it lacks and that therefore count for no run are `left_out`, where there are any.
    """
    left_out = [as_text(topic) for topic in run_info.left_out]
    return {
        "run": run_info.name,
        "path": run_info.path,
        "runid": as_text(run_info.run_id),
        "missing": [as_text(topic) for topic in run_info.missing],
        **({"left_out": left_out} if left_out else {}),
        "signature": signature_data(run_info.signature),
    }


def signature_data(signature: Signed | None) -> dict[str, Any] | None:
    """A signature with its short form as `short`; None where there is none."""
    return None if signature is None else {"short": signature.short, **signature.long}


def signatures_data(signatures: Sequence[Signed]) -> Any:
    """The signature of a result; a list of them where several judgments or gains are set beside."""
    data = [signature_data(each) for each in signatures]
    return data[0] if len(data) == 1 else data


def short_forms(data: Any) -> list[str]:
    """The short forms of what `signatures_data` gave; none where nothing is signed."""
    every_signature = data if isinstance(data, list) else [data]
    return [] if data is None else [each["short"] for each in every_signature]
