"""A comparison by people's and a model's judgments as a document."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from irev.core.version import __version__
from irev.core.wording import count_text
from irev.jobs.compare.document import TAILS, about_intervals
from irev.scores.run_names import path_of
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


def predicted_document(found: PredictedComparison, *, per_topic: bool = False) -> Document:
    """The means, the pairs and, if wanted, gains and losses by topic."""
    return Document(
        f"Comparison of {len(found.table.runs)} runs with predicted judgments",
        _parts(found, per_topic),
        _records(found, per_topic),
        partial(_data, found, per_topic),
    )


# For people


def _parts(found: PredictedComparison, per_topic: bool) -> Iterator[Part]:
    yield Lines(list(heading(found)))
    means, pairs = list(found.mean_rows()), list(found.pair_rows())
    topics = list(found.topic_rows()) if per_topic else []
    for each in found.estimates:
        of_class = f", topics of class {each.label}" if each.label else ""
        yield Heading(
            f"{each.measure}{of_class} ({each.means.num_judged} of {each.means.num_topics} topics "
            "judged by people)"
        )
        key = (each.label, each.measure)
        yield _mean_table(_of(means, key))
        yield _pair_table(_of(pairs, key), found.plan.correction)
        if per_topic:
            names = ("score", "score_against", "difference", "model_difference")
            yield _table(("run", "against", "topic"), names, _of(topics, key))
    yield Lines(LEGEND)


def _of(rows: Sequence[Row], key: tuple[str, str]) -> list[Row]:
    return [row for row in rows if (row["class"], row["measure"]) == key]


def heading(found: PredictedComparison) -> Iterator[str]:
    """The lines above the tables."""
    n, topics = len(found.table.topics), len(found.by_model.topics)
    plan, chosen = found.plan, found.judgments
    name = os.path.basename(path_of(chosen.predicted)) or "the model"
    yield (
        f"{n} of {topics} topics judged by people; the other {topics - n} by {name} alone; judged "
        "topics that a run lacks count as 0"
    )
    strata = found.by_model.classes
    tuned = "lambda estimated" if chosen.model_weight is None else f"lambda {chosen.model_weight:g}"
    classes = f", {len(strata)} classes as strata" if strata else ""
    yield f"estimates: prediction-powered, {tuned}, of {_TARGETS[chosen.predicted_target]}{classes}"
    yield from about_intervals(plan, found.hypotheses, "t")
    yield (
        f"valid only if the {n} topics are a random sample of the {topics} (check: z = "
        f"{found.distance:.1f})"
    )
    people, model = found.judged
    if people is not None and model is not None:
        yield f"judged@10, the mean of the runs: {people:.2f} by people, {model:.2f} by the model"
    yield (
        f"test: prediction-powered t; {count_text(found.hypotheses, 'hypothesis', 'hypotheses')}, "
        f"{CORRECTIONS[plan.correction].title}; alpha {plan.alpha:g}, {TAILS[plan.tail]}; "
        "* marks p <= alpha"
    )
    yield f"signature: {found.signature.short}"


_INTERVALS = ("low", "high", "human_only", "human_only_low", "human_only_high", "model_only")
_GAINED = ("width_ratio", "n_effective", "lambda", "r")
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


def _table(left: Sequence[str], names: Sequence[str], rows: Sequence[Row]) -> Table:
    heads = [*(Head(name, "text") for name in left), *(_HEADS.get(n, Head(n)) for n in names)]
    cells: list[Any] = [[row[name] for name in (*left, *names)] for row in rows]
    return Table(heads, cells)


def _mean_table(rows: Sequence[Row]) -> Table:
    return _table(("run",), ("mean", *_INTERVALS, *_GAINED, "missing_as_zero"), rows)


def _pair_table(rows: Sequence[Row], correction: str) -> Table:
    made = _table(("run", "against"), ("difference", *_INTERVALS, *_GAINED), rows)
    is_corrected = correction != "none"
    heads = [*made.columns, Head("p ppi", "p")]
    heads += [*([Head(correction, "p")] if is_corrected else []), Head("")]
    cells: list[list[Cell]] = []
    for row, begun in zip(rows, made.rows, strict=True):
        found: list[Any] = [row["p"], *([row["corrected"]] if is_corrected else [])]
        cells.append([*begun, *found, "*" if row["significant"] else ""])
    return Table(heads, cells)


# For machines


def _records(found: PredictedComparison, per_topic: bool) -> Iterator[Records]:
    signed = {"signature": found.signature.short}
    if per_topic:
        yield records_of("topics", found.topic_rows(), **signed)
    yield records_of("pairs", found.pair_rows(), **signed)
    yield records_of("means", found.mean_rows(), **signed)


def _data(found: PredictedComparison, per_topic: bool) -> dict[str, Any]:
    """One object: as `irev compare` has it, with `predicted` for what concerns the model."""
    chosen = found.judgments
    people, model = found.judged
    by_model = found.by_model.runs[0].signature
    whole = {
        "irev": __version__,
        "comparison": found.signature.choices,
        "averaged_over": len(found.by_model.topics),
        "missing_count_as_zero": True,
        "measures": list(found.table.measure_names),
        "runs": [
            {**run_facts(entry), "duplicates": entry.duplicates} for entry in found.table.runs
        ],
        "predicted": {
            "qrels": path_of(chosen.predicted) or None,
            "sha256": by_model and by_model.qrels,
            "n": len(found.table.topics),
            "N": len(found.by_model.topics),
            "target": chosen.predicted_target,
            "lambda": "tuned" if chosen.model_weight is None else chosen.model_weight,
            "strata": list(found.by_model.classes or ()),
            "z_sample": found.distance,
            "judged_at_10": {"people": people, "model": model},
        },
        "notes": [*map(str, found.doubts), *found.notes],
        "signature": signature_data(found.signature),
        "means": list(found.mean_rows()),
        "pairs": list(found.pair_rows()),
    }
    if per_topic:
        whole["topics"] = list(found.topic_rows())
    return finite_or_none(whole)  # type: ignore[no-any-return]
