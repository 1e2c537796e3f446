"""A comparison by people's and a model's judgments as a document."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from irev.core.version import __version__
from irev.core.wording import count_text
from irev.jobs.compare.assumptions import heap_warnings
from irev.jobs.compare.document import TAILS, interval_lines
from irev.scores.table import path_of
from irev.statistics.methods import CORRECTIONS
from irev.writers.document import Document, Head, Heading, Lines, Table, records_of
from irev.writers.machine import finite_or_none, run_facts, signature_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.jobs.compare.predicted import PredictedComparison
    from irev.jobs.compare.rows import Row
    from irev.writers.document import Cell, Part, Records

LEGEND = (
    "human only: the mean of the topics that people judged, with its t interval",
    "model only: the mean of all topics by the model's judgments, which is not a valid estimate",
    "width: of the interval, as a share of that of human only; n_eff: how many topics judged by "
    "people would give an interval as narrow without the model",
    "lambda: how much the model's judgments count; r: the correlation of people's and the model's "
    "scores",
    "each mean and each difference has its own lambda, so a difference is not exactly the "
    "difference of the two means",
)

_TARGETS = {
    "population": "the population of topics",
    "topics": "these topics themselves",
}


def predicted_document(
    comparison: PredictedComparison, unused_decimals: int = 4, *, per_topic: bool = False
) -> Document:
    """The means, the pairs and, if wanted, gains and losses by topic."""
    return Document(
        f"Comparison of {count_text(len(comparison.table.runs), 'run')} with predicted judgments",
        _predicted_parts(comparison, per_topic),
        _predicted_records(comparison, per_topic),
        partial(_predicted_data, comparison, per_topic),
    )


# For people


def _predicted_parts(comparison: PredictedComparison, per_topic: bool) -> Iterator[Part]:
    yield Lines(list(heading_lines(comparison)))
    means, pairs = list(comparison.mean_rows()), list(comparison.pair_rows())
    topics = list(comparison.topic_difference_rows()) if per_topic else []
    for each in comparison.estimates:
        of_class = f", topics of class {each.class_name}" if each.class_name else ""
        yield Heading(
            f"{each.measure}{of_class} ({each.means.num_judged} of "
            f"{count_text(each.means.num_topics, 'topic')} "
            "judged by people)"
        )
        warnings = heap_warnings(each, comparison.table.run_names)
        if lines := [f"warning: {warning}" for warning in warnings]:
            yield Lines(lines)
        key = (each.class_name, each.measure)
        yield _mean_table(_rows_of(means, key))
        yield _pair_table(_rows_of(pairs, key), comparison.options.correction)
        if per_topic:
            names = ("score", "score_against", "difference", "model_difference")
            yield _table_of_rows(("run", "against", "topic"), names, _rows_of(topics, key))
    yield Lines(LEGEND)


def _rows_of(rows: Sequence[Row], key: tuple[str, str]) -> list[Row]:
    return [row for row in rows if (row["class"], row["measure"]) == key]


def heading_lines(comparison: PredictedComparison) -> Iterator[str]:
    """The lines above the tables."""
    n, topics = len(comparison.table.topics), len(comparison.model_table.topics)
    options = comparison.options
    name = os.path.basename(path_of(options.predicted)) or "the model"
    counts_zeros = comparison.table.counts_missing_as_zero
    lacked = "judged topics that a run lacks count as 0"
    yield (
        f"{n} of {topics} topics judged by people; the other {topics - n} by {name} alone; "
        f"{lacked if counts_zeros else 'these are the topics that every run has'}"
    )
    strata = comparison.model_table.classes
    tuned = (
        "lambda estimated" if options.model_weight is None else f"lambda {options.model_weight:g}"
    )
    classes = f", {len(strata)} classes as strata" if strata else ""
    target = _TARGETS[options.predicted_target]
    yield f"estimates: prediction-powered, {tuned}, of {target}{classes}"
    yield from interval_lines(options, comparison.num_hypotheses, "t")
    yield (
        f"valid only if the {n} topics are a random sample of the {topics} (check: z = "
        f"{comparison.distance:.1f})"
    )
    people, model = comparison.judged_shares
    if people is not None and model is not None:
        yield f"judged@10, the mean of the runs: {people:.2f} by people, {model:.2f} by the model"
    yield (
        "test: prediction-powered t; "
        f"{count_text(comparison.num_hypotheses, 'hypothesis', 'hypotheses')}, "
        f"{CORRECTIONS[options.correction].title}; alpha {options.alpha:g}, {TAILS[options.tail]}; "
        "* marks p <= alpha"
    )
    yield f"signature: {comparison.signature.short}"


_INTERVALS = ("low", "high", "human_only", "human_only_low", "human_only_high", "model_only")
_PRECISION = ("width_ratio", "n_effective", "lambda", "r")
_HEADS = {
    "human_only": Head("human only"),
    "human_only_low": Head("low"),
    "human_only_high": Head("high"),
    "model_only": Head("model only"),
    "width_ratio": Head("width", number_format=".2f"),
    "n_effective": Head("n_eff", number_format=".1f"),
    "lambda": Head("lambda", number_format=".2f"),
    "r": Head("r", number_format=".2f"),
    "missing_as_zero": Head("missing"),
}


def _table_of_rows(
    text_fields: Sequence[str], number_fields: Sequence[str], rows: Sequence[Row]
) -> Table:
    heads = [
        *(Head(name, "text") for name in text_fields),
        *(_HEADS.get(n, Head(n)) for n in number_fields),
    ]
    cells: list[Any] = [[row[name] for name in (*text_fields, *number_fields)] for row in rows]
    return Table(heads, cells)


def _mean_table(rows: Sequence[Row]) -> Table:
    return _table_of_rows(("run",), ("mean", *_INTERVALS, *_PRECISION, "missing_as_zero"), rows)


def _pair_table(rows: Sequence[Row], correction: str) -> Table:
    table = _table_of_rows(("run", "against"), ("difference", *_INTERVALS, *_PRECISION), rows)
    is_corrected = correction != "none"
    heads = [*table.columns, Head("p ppi", "p")]
    heads += [*([Head(correction, "p")] if is_corrected else []), Head("")]
    cells: list[list[Cell]] = []
    for row, first_cells in zip(rows, table.rows, strict=True):
        test_cells: list[Any] = [row["p"], *([row["corrected"]] if is_corrected else [])]
        cells.append([*first_cells, *test_cells, "*" if row["significant"] else ""])
    return Table(heads, cells)


# For machines


def _predicted_records(comparison: PredictedComparison, per_topic: bool) -> Iterator[Records]:
    signed = {"signature": comparison.signature.short}
    if per_topic:
        yield records_of("topics", comparison.topic_difference_rows(), **signed)
    yield records_of("pairs", comparison.pair_rows(), **signed)
    yield records_of("means", comparison.mean_rows(), **signed)


def _predicted_data(comparison: PredictedComparison, per_topic: bool) -> dict[str, Any]:
    """One object: as `irev compare` has it, with `predicted` for what concerns the model."""
    options = comparison.options
    people, model = comparison.judged_shares
    model_signature = comparison.model_table.runs[0].signature
    data = {
        "irev": __version__,
        "comparison": comparison.signature.choices,
        "averaged_over": len(comparison.model_table.topics),
        "missing_count_as_zero": comparison.table.counts_missing_as_zero,
        "measures": list(comparison.table.measure_names),
        "runs": [
            {**run_facts(entry), "duplicates": entry.duplicates} for entry in comparison.table.runs
        ],
        "predicted": {
            "qrels": path_of(options.predicted) or None,
            "sha256": model_signature and model_signature.qrels,
            "n": len(comparison.table.topics),
            "N": len(comparison.model_table.topics),
            "target": options.predicted_target,
            "lambda": "tuned" if options.model_weight is None else options.model_weight,
            "strata": list(comparison.model_table.classes or ()),
            "z_sample": comparison.distance,
            "judged_at_10": {"people": people, "model": model},
        },
        "notes": [*map(str, comparison.doubts), *comparison.notes],
        "signature": signature_data(comparison.signature),
        "means": list(comparison.mean_rows()),
        "pairs": list(comparison.pair_rows()),
    }
    if per_topic:
        data["topics"] = list(comparison.topic_difference_rows())
    return finite_or_none(data)  # type: ignore[no-any-return]
