"""A comparison as data, in full precision: JSON with all of it, CSV with one of its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.comparison.rows import flat
from irev.errors import UsageError
from irev.writers.entries import about_run, both_forms
from irev.writers.machine import as_json, delimited, finite
from irev.writers.version import version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from irev.comparison.comparison import Comparison
    from irev.comparison.rows import Row


def write_json(found: Comparison, *, per_topic: bool, anova: bool) -> Iterator[bytes]:
    """One object: the choices, `runs`, `means`, `pairs` with their `tests`, notes and signature.

    With `per_topic` also `topics`, gains and losses; with `anova` the analyses of variance. NaN and
    infinities are null. Bytes that are not UTF-8 are lone surrogates U+DC80..U+DCFF.
    """
    whole = {
        "irev": version(),
        "comparison": found.signature.choices,
        "averaged_over": len(found.matrices.topics),
        "missing_count_as_zero": True,
        "measures": list(found.matrices.measures),
        "runs": [
            {**about_run(entry), "duplicates": entry.duplicates} for entry in found.matrices.entries
        ],
        "notes": found.notes,
        "signature": both_forms(found.signature),
        "means": list(found.mean_rows()),
        "pairs": list(found.pair_rows()),
    }
    if anova:
        whole["anova"] = list(found.anova_rows())
    if per_topic:
        whole["topics"] = list(found.topic_rows())
    yield as_json(finite(whole))


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
    return delimited(_with_signature(rows, found.signature.short))


def _with_signature(rows: Iterable[Row], short: str) -> Iterator[Iterable[Any]]:
    """The names of the columns, and the values."""
    for number, row in enumerate(rows):
        if not number:
            yield [*row, "signature"]
        yield [*row.values(), short]
