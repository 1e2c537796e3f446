"""A comparison as data, in full precision: JSON with all of it, CSV with one of its tables."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING, Any

from irev.comparison.rows import flat
from irev.errors import UsageError
from irev.report.layout import encoded
from irev.report.version import version
from irev.texts import as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from irev.comparison.comparison import Comparison
    from irev.comparison.rows import Row
    from irev.matrices import Entry


def write_json(found: Comparison, *, per_topic: bool, anova: bool) -> Iterator[bytes]:
    """One object: the choices, `runs`, `means`, `pairs` with their `tests`, notes and signature.

    With `per_topic` also `topics`, gains and losses; with `anova` the analyses of variance. NaN and
    infinities are null. Bytes that are not UTF-8 are lone surrogates U+DC80..U+DCFF.
    """
    signature = found.signature
    whole = {
        "irev": version(),
        "comparison": signature.choices,
        "topics_compared": len(found.matrices.topics),
        "missing_count_as_zero": True,
        "measures": list(found.matrices.measures),
        "runs": [_about_run(entry) for entry in found.matrices.entries],
        "notes": found.notes,
        "signature": {"short": signature.short, **signature.long},
        "means": list(found.mean_rows()),
        "pairs": list(found.pair_rows()),
    }
    if anova:
        whole["anova"] = list(found.anova_rows())
    if per_topic:
        whole["topics"] = list(found.topic_rows())
    text = json.dumps(_finite(whole), indent=1, ensure_ascii=False, allow_nan=False)
    yield text.encode("utf-8", "backslashreplace") + b"\n"


def _about_run(entry: Entry) -> dict[str, Any]:
    known = entry.signature
    return {
        "run": entry.name,
        "path": entry.path,
        "runid": as_text(entry.run_id),
        "missing": [as_text(topic) for topic in entry.missing],
        "duplicates": entry.duplicates,
        "signature": None if known is None else {"short": known.short, **known.long},
    }


def _finite(value: Any) -> Any:
    """The same without NaN and infinities."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value


def write_csv(found: Comparison, *, per_topic: bool, anova: bool) -> Iterator[bytes]:
    """The pairs, what tests found in columns such as `p_permutation`, with the short signature.

    With `per_topic` gains and losses, with `anova` the analyses of variance instead.

    Raises:
        UsageError: both were asked for.
    """
    if per_topic and anova:
        raise UsageError("csv holds one table: --per-topic or --anova; json holds all")
    rows: Iterable[Row] = map(flat, found.pair_rows())
    if per_topic:
        rows = found.topic_rows()
    if anova:
        rows = found.anova_rows()
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    short = found.signature.short
    for number, row in enumerate(rows):
        if not number:
            table.writerow([*row, "signature"])
        table.writerow([*row.values(), short])
        yield encoded(buffer.getvalue())
        buffer.seek(0)
        buffer.truncate()
