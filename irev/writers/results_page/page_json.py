"""The data of a page: its records as the JSON that its script reads."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from irev.core.text import printable
from irev.core.version import __version__
from irev.writers.results_page.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.arrays import Floats
    from irev.writers.results_page.page_data import (
        BaselineFamily,
        PageDoubt,
        PageMeasure,
        PagePart,
        PageRun,
        PairOutcomes,
    )

_VERSION = 1
"""Of the form of the data."""


def page_values(title: str, parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """All data of a page, given those of its parts."""
    return {
        "version": _VERSION, "irev": __version__, "title": printable(title), "words": words(),
        "parts": [*parts],
    }  # fmt: skip


def part_values(part: PagePart) -> dict[str, Any]:
    """The data of a part, without its documents."""
    values = {
        "name": part.name,
        "kind": part.kind,
        "qrels": part.qrels_name,
        "level": _number(part.level),
        "places": part.decimals,
        "alpha": part.alpha,
        "confidence": part.confidence,
        "measures": [*map(_measure_values, part.measures)],
        "runs": [*map(_run_values, part.runs)],
        "left_out": part.short_names.left_out,
        "baseline": part.baseline,
        "topics": [{"id": each.id, "relevant": each.num_relevant} for each in part.topics],
        "tie": _number(part.tie),
        "counts": [[n for pair in measure for n in pair] for measure in part.pair_counts],
        "means": [[_numbers(run) for run in measure] for measure in part.means],
        "pairs": [_outcome_values(each) for each in part.outcomes],
        "families": [*map(_family_values, part.families)],
        "test": part.test,
        "between": part.between,
        "no_test": part.no_test,
        "judged_at": part.judged_rank,
        "curves": part.curves and part.curves._asdict(),
        "doubts": [*map(_doubt_values, part.doubts)],
        "remarks": [*part.remarks],
        "broken": [*part.broken],
        "made": [[*each] for each in part.made],
    }
    printed: dict[str, Any] = _printable(values)
    # these hold no texts, and are long
    printed["scores"] = None
    if part.scores is not None:
        printed["scores"] = [[_numbers(run) for run in measure.T] for measure in part.scores]
    return {**printed, "documents": None}


def _measure_values(measure: PageMeasure) -> dict[str, Any]:
    values = {
        "name": measure.name, "higher": measure.higher, "unit": measure.is_unit,
        "about": measure.about,
    }  # fmt: skip
    return {**values, "sum": True} if measure.is_sum else values


def _run_values(run: PageRun) -> dict[str, Any]:
    return {
        "name": run.name, "short": run.short, "team": run.team, "judged": run.judged,
        "missing": [*run.missing],
    }  # fmt: skip


def _doubt_values(doubt: PageDoubt) -> dict[str, Any]:
    if doubt.measure_index is None:
        return {"text": doubt.text}
    return {"text": doubt.text, "measure": doubt.measure_index}


def _family_values(family: BaselineFamily) -> dict[str, Any]:
    return {
        "baseline": family.run_index, "test": family.test, "between": family.between,
        "measures": [_outcome_values(each) for each in family.outcomes],
    }  # fmt: skip


def _outcome_values(outcomes: PairOutcomes | None) -> dict[str, Any] | None:
    if outcomes is None:
        return None
    arrays = {"p": outcomes.p, "half": outcomes.half, "low": outcomes.low, "high": outcomes.high}
    return {name: _numbers(array) for name, array in arrays.items() if array is not None}


def _numbers(array: Floats) -> list[float | int | None]:
    return [_number(value) for value in array.tolist()]


def _number(value: float) -> float | int | None:
    """The shortest form: a whole number without a fraction, None where it is not finite."""
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) else value


def _printable(value: Any) -> Any:
    """The same with texts that show what they hold: a byte that is not UTF-8 as its number."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {name: _printable(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(each) for each in value]
    return value
