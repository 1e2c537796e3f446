"""Runs compared with the judgments of people on some topics and those of a model on all.

The measure of a topic is the unit: every run is scored on whole topics twice, once under each
judgments; see `irev.statistics.prediction_powered` for what is made of it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from irev.core.record import record
from irev.core.text import as_text
from irev.core.version import __version__
from irev.core.wording import count_text, list_beginning
from irev.engine.run_files import expand_folders, rewindable
from irev.engine.score_runs import judged_table, score_runs
from irev.errors import GENERAL_NOTE, MismatchError, Notice, UsageError, note
from irev.jobs.compare.comparison import (
    favoured_run_warnings,
    few_topics_and_no_gain_notes,
    grade_scale_notes,
    heap_warnings,
    highest_grade_warnings,
    join_notices,
    nonrandom_sample_warnings,
    score_notes,
)
from irev.jobs.compare.contrasts import estimate_measures, frame_of, human_topic_indices
from irev.jobs.compare.document import TAILS, interval_lines
from irev.jobs.result import Result
from irev.jobs.score_job import watch_runs
from irev.options import Options
from irev.scores.scores import MISSING_TOPIC
from irev.scores.signature import SHORT_HASH, ComparisonSignature, comparison_signature
from irev.scores.table import ScoreTable, path_of
from irev.statistics.differences import order_by_gain, pair_differences
from irev.statistics.methods import CORRECTIONS
from irev.writers.document import Document, Head, Heading, Lines, Table, records_of
from irev.writers.machine import finite_or_none, run_facts, signature_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd

    from irev.core.judged import Input
    from irev.jobs.compare.comparison import CompareOptions
    from irev.jobs.compare.contrasts import Estimates, Row
    from irev.statistics.prediction_powered import PoweredMeans
    from irev.writers.document import Cell, Part, Records


# --- Runs compared with the judgments of people on some topics and those of a model on all ---


_LEAST_JUDGED = 0.5
"""People who judged a smaller share of what the model judged did not judge whole topics."""


@record
class PredictedComparison(Result):
    """Runs compared with the judgments of people on some topics and those of a model on all.

    `print` and notebooks show the tables of `irev compare --predicted`; `means`, `pairs` and
    `by_topic` are pandas frames, `to_frame()` that of the pairs.

    table        the scores by people, on their n topics
    model_table  those by the model, on all N
    options      the choices
    estimates    for each measure, on all topics, then on each class of them
    """

    table: ScoreTable
    model_table: ScoreTable
    options: CompareOptions
    estimates: tuple[Estimates, ...]

    shown_by: ClassVar[str] = "irev.jobs.compare.predicted:predicted_document"

    def _subject(self) -> str:
        runs, measures = ", ".join(self.table.run_names), ", ".join(self.table.measure_names)
        num_judged, num_topics = len(self.table.topics), len(self.model_table.topics)
        return (
            f"{runs} by {measures} on {count_text(num_topics, 'topic')}, {num_judged} of them "
            "judged by people"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know besides that assumptions fail, a line each."""
        return tuple(str(each) for each in self.warnings if each.kind == GENERAL_NOTE)

    @property
    def doubts(self) -> tuple[Notice, ...]:
        """The warnings: that assumptions fail, that runs lack topics ..."""
        return tuple(each for each in self.warnings if each.kind != GENERAL_NOTE)

    @property
    def judged_shares(self) -> tuple[float | None, float | None]:
        """Which share of the first 10 documents is judged, by people and by the model.

        The mean of the runs; None where nothing tells.
        """
        return self.table.share_judged, self.model_table.share_judged

    @property
    def num_hypotheses(self) -> int:
        """How many hypotheses are corrected together: pairs x measures (x classes + all)."""
        return sum(len(each.run_pairs) for each in self.estimates)

    @property
    def distance(self) -> float:
        """The z that is farthest from 0, of all runs and measures."""
        distances = np.concatenate([each.means.distance for each in self.estimates])
        return float(distances[np.argmax(np.abs(distances))])

    @property
    def signature(self) -> ComparisonSignature:
        """What the comparison was made of: the model's judgments are `auto`."""
        options, table = self.options, self.table
        by_model = self.model_table.runs[0]
        model_sha256 = (by_model.signature and by_model.signature.qrels) or by_model.sha256
        weight = options.model_weight
        choices: dict[str, Any] = {
            "auto": (model_sha256 or "-")[:SHORT_HASH],
            "pred": "ppi++" if weight is None else f"ppi/{weight:g}",
            "target": options.predicted_target,
            "baselines": [table.run_names[table.run_index(name)] for name in options.baselines],
            "correction": options.correction,
            "hypotheses": self.num_hypotheses,
            "alpha": options.alpha,
            "tail": options.tail,
            **({"missing": "zero"} if table.counts_missing_as_zero else {}),
        }
        if options.predicted_level is not None:
            choices["auto-level"] = options.predicted_level
        if options.predicted_map_grades:
            grades = options.predicted_map_grades
            choices["auto-grades"] = [
                f"{old}={new:g}" if isinstance(old, str) else f"{old:g}={new:g}"
                for old, new in grades
            ]
        return comparison_signature(table, choices)

    def mean_rows(self) -> Iterator[Row]:
        """A row for each class, measure and run, the best estimate first.

        `class`, `measure`, `run`, then as `pair_rows` has them.
        """
        missing = {entry.name: set(entry.missing) for entry in self.table.runs}
        for each in self.estimates:
            for run in each.run_order.tolist():
                name = self.table.run_names[run]
                yield {
                    "class": each.class_name, "measure": each.measure, "run": name,
                    **_estimate_facts(each.means, run, "mean"),
                    "missing_as_zero": len(missing[name].intersection(each.topics)),
                }  # fmt: skip

    def pair_rows(self) -> Iterator[Row]:
        """A row for each class, measure and pair.

        `class`, `measure`, `run`, `against`, `difference` with `low`, `high`, `se` and `df`,
        `human_only`, `human_only_low`, `human_only_high`, `model_only`, `width_ratio`,
        `n_effective`, `lambda`, `r`, `n` topics judged by people, `N` in all, `z_sample`; see
        `PoweredMeans`. Then `p`, `corrected` and `significant`.
        """
        names = self.table.run_names
        for each in self.estimates:
            for place in range(len(each.run_pairs)):
                first, second = int(each.run_pairs.first[place]), int(each.run_pairs.second[place])
                corrected = float(each.corrected[place])
                yield {
                    "class": each.class_name, "measure": each.measure, "run": names[first],
                    "against": names[second], **_estimate_facts(each.pairs, place, "difference"),
                    "p": float(each.pairs.p[place]), "corrected": corrected,
                    "significant": corrected <= self.options.alpha,
                }  # fmt: skip

    def topic_difference_rows(self) -> Iterator[Row]:
        """For each pair the topics judged by people, by their difference, gains first.

        `class`, `measure`, `run`, `against`, `topic`, `score`, `score_against`, `difference`, and
        the `model_difference` of the same topic.
        """
        names = self.table.run_names
        for each in self.estimates:
            by_people, by_model = (
                pair_differences(s, each.run_pairs) for s in (each.human_scores, each.model_scores)
            )
            for place in range(len(each.run_pairs)):
                first, second = int(each.run_pairs.first[place]), int(each.run_pairs.second[place])
                for topic in order_by_gain(
                    by_people[:, place], lower_is_better=each.lower_is_better
                ).tolist():
                    yield {
                        "class": each.class_name, "measure": each.measure, "run": names[first],
                        "against": names[second], "topic": as_text(each.topics[topic]),
                        "score": float(each.human_scores[topic, first]),
                        "score_against": float(each.human_scores[topic, second]),
                        "difference": float(by_people[topic, place]),
                        "model_difference": float(by_model[topic, place]),
                    }  # fmt: skip

    @property
    def means(self) -> pd.DataFrame:
        """A row for each class, measure and run, the best estimate first."""
        return frame_of(self.mean_rows())

    @property
    def pairs(self) -> pd.DataFrame:
        """A row for each class, measure and pair."""
        return frame_of(self.pair_rows())

    @property
    def by_topic(self) -> pd.DataFrame:
        """A row for each class, measure, pair and topic that people judged."""
        return frame_of(self.topic_difference_rows())

    def to_frame(self) -> pd.DataFrame:
        """The pairs, as `pairs`."""
        return self.pairs


def _estimate_facts(estimates: PoweredMeans, index: int, estimate_name: str) -> Row:
    """The numbers of one of the estimates, the estimate itself under a name."""
    return {
        estimate_name: float(estimates.mean[index]), "low": float(estimates.low[index]),
        "high": float(estimates.high[index]), "se": float(estimates.se[index]),
        "df": float(estimates.df[index]), "human_only": float(estimates.people[index]),
        "human_only_low": float(estimates.people_low[index]),
        "human_only_high": float(estimates.people_high[index]),
        "model_only": float(estimates.model[index]),
        "width_ratio": float(estimates.width_ratio[index]),
        "n_effective": float(estimates.effective[index]),
        "lambda": float(estimates.weight[index]), "r": float(estimates.correlation[index]),
        "n": estimates.num_judged, "N": estimates.num_topics,
        "z_sample": float(estimates.distance[index]),
    }  # fmt: skip


def compare_predicted(
    qrels_or_table: Input | ScoreTable | None,
    runs: Input,
    measures: object,
    options: CompareOptions,
) -> PredictedComparison:
    """Compare runs as `irev.compare` does, with a model's judgments of all topics.

    Args:
        qrels_or_table: the judgments of people, on a random sample of the topics; None where all
            runs are saved scores by people, or a table of these: `predicted` is then such scores
            by the model.
        runs: runs, each read twice; or saved scores.
        measures: names as `evaluate` takes them.
        options: the choices. Its classes of topics are strata: every topic is in one of them.
    """
    scale_warnings: Iterable[Notice] = ()
    options = options.replace(predicted=rewindable(options.predicted))  # it is read twice
    if qrels_or_table is None or isinstance(qrels_or_table, ScoreTable):
        human, model = _read_scores_of_both(qrels_or_table, runs, measures, options)
    else:
        qrels = rewindable(qrels_or_table)
        human, model = _score_by_both(qrels, runs, measures, options)
        scale_warnings = highest_grade_warnings(qrels, options, human)
    _refuse_if_people_judged_few_documents(human, model)
    human_indices = human_topic_indices(human, model)
    estimates, class_notes = estimate_measures(human, model, human_indices, options)
    # what people did not judge the model did
    human_warnings = [each for each in human.doubts if each.kind != "unjudged-topic"]
    model_warnings = [each for each in model.doubts if each.kind != MISSING_TOPIC]
    warnings = (
        *join_notices(human_warnings, model_warnings),
        *nonrandom_sample_warnings(human, model, human_indices, estimates),
        *(each for of in estimates for each in heap_warnings(of, human.run_names)),
        *favoured_run_warnings(human, estimates, options.alpha),
        *scale_warnings,
    )
    lines = [
        *join_notices(human.notes, model.notes),
        *score_notes(human, options),
        *grade_scale_notes(human, model),
        *class_notes,
    ]
    lines += [
        line for each in estimates for line in few_topics_and_no_gain_notes(each, human.run_names)
    ]
    return PredictedComparison(
        human, model, options, tuple(estimates),
        warnings=(*warnings, *map(note, dict.fromkeys(lines))),
    )  # fmt: skip


def _score_by_both(
    qrels: Input, runs: Input, measures: object, options: CompareOptions
) -> tuple[ScoreTable, ScoreTable]:
    """The scores of runs by the judgments of people, and by those of the model."""
    if isinstance(runs, Mapping):
        runs = {name: rewindable(run) for name, run in runs.items()}
    elif not isinstance(runs, str | os.PathLike):
        runs = [rewindable(run) for run in runs]
        if "-" in map(path_of, runs):
            raise UsageError("standard input (-) cannot be read twice: give the runs as files")
    human = score_runs(qrels, runs, measures, options, watch=watch_runs)
    if any(run.is_saved for run in human.runs):
        raise UsageError(
            "--predicted with QRELS needs runs: saved scores by people stand without QRELS, and "
            "--predicted then takes such scores by the model"
        )
    model = score_runs(options.predicted, runs, measures, options.model_options(), watch=watch_runs)
    return human, model


def _read_scores_of_both(
    table: ScoreTable | None, runs: Input, measures: object, options: CompareOptions
) -> tuple[ScoreTable, ScoreTable]:
    """The scores of runs that people gave, and those that the model gave the same runs."""
    for option, value in (
        ("--predicted-level", options.predicted_level),
        ("--predicted-map-grades", options.predicted_map_grades),
    ):
        if value:
            raise UsageError(f"{option} is of judgments, and these are scores: leave it out")
    human = score_runs(table, runs, measures, options, watch=watch_runs)
    source = options.predicted
    if isinstance(source, ScoreTable):
        model = score_runs(source, (), human.measure_names, options)
    else:
        try:
            model = score_runs(None, expand_folders(source), human.measure_names, options)
        except UsageError as error:
            raise UsageError(
                f"beside scores by people --predicted takes scores by the model: {error}"
            ) from None
    lacking = sorted({*human.run_names} - {*model.run_names})
    if lacking:
        raise MismatchError(
            f"--predicted has no scores of {list_beginning(lacking)}; its runs are "
            f"{list_beginning(model.run_names)}"
        )
    return human, judged_table(model, human.run_names, (), options.base_record(Options))


def _refuse_if_people_judged_few_documents(human: ScoreTable, model: ScoreTable) -> None:
    """Refuse people's judgments of a part of the documents, whose scores are no scores by people.

    Raises:
        UsageError: people judged less than half of what the model judged of the first documents.
    """
    by_people, by_model = human.share_judged, model.share_judged
    if by_people is not None and by_model is not None and by_people < _LEAST_JUDGED * by_model:
        raise UsageError(
            f"people judged {by_people:.0%} of the first 10 documents of the runs, the model "
            f"{by_model:.0%}: scores would count what people did not judge as not relevant. "
            "--predicted here needs topics that people judged as far down as the model. If people "
            "judged a random sample of the documents, give their strata: -R strata"
        )


# --- A comparison by people's and a model's judgments as a document ---


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
