"""Rankings of one topic that differ in their judgments, and their scores.

Studies that change judgments use them. Below: what a document that the pool missed does to scores,
and closed forms of what one document's change does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from irev.core.arrays import (
    DocumentValues,
    Floats,
    Ints,
    MeasureValues,
    RankingsByMeasures,
    RankValues,
    RowIndices,
    column_means,
)
from irev.core.job import FigureWidth
from irev.core.judged import (
    POOLED,
    UNKNOWN,
    Input,
    Judged,
    Qrels,
    RankingExtras,
    RunScores,
    Settings,
    TieSpans,
)
from irev.core.option_records import ResultOptions
from irev.core.record import record
from irev.core.text import count_text, escape_non_utf8, parse_decimal, parse_whole
from irev.engine.doubts import below_level_message
from irev.engine.evaluate import RunEvaluator
from irev.errors import MismatchError, Notice, UsageError, id_text, note
from irev.jobs.explain.topic import RankedTopic, ranked_topics
from irev.jobs.plots.layout import FigureLayout, drawn_label, plot_style, series_style
from irev.jobs.plots.plot import add_signature, curves_figure, input_label
from irev.jobs.result import StudyResult
from irev.measures.naming.resolve import resolve_names
from irev.measures.requests import Request, drop_repeated_columns, measure_all, needs_ids
from irev.options import PREDICTED, EvaluationOptions, Options
from irev.scores.scores import missing_topic_warnings

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


GRADES_AT_ONCE = 1 << 21
"""How many grades of a stack are worth holding at once."""


@record
class RankingStack:
    """V rankings of one length, that hold a judged document at some of J ranks.

    rank                 int64[J], rising, from 1
    grade                float64[V, J]; >= 0 judged, -1 not in the judgments, -2 pooled but unjudged
    score                float64[n], the scores of the n documents of a ranking, falling
    level                float64[K], the grades >= 0 that the judgments may hold, rising
    count                int64[V, K], how many judged documents have each, retrieved or not
    num_pooled_unjudged  int64[V], how many documents are pooled but unjudged, retrieved or not
    """

    rank: Ints
    grade: Floats
    score: Floats
    level: Floats
    count: Ints
    num_pooled_unjudged: Ints

    def measure_input(self, settings: Settings, *, needs_ties: bool, needs_scores: bool) -> Judged:
        """The rankings as measures see them; ties and scores where they are asked for."""
        ranking_of_entry, column_of_entry = np.nonzero(self.grade != UNKNOWN)
        num_rankings, length = len(self.grade), len(self.score)
        ranks = self.rank[column_of_entry]
        ranking_of_level, level_of_count = np.nonzero(self.count)
        zero_topics = np.zeros(num_rankings, np.int64)
        run_scores = RunScores.build(self.score, np.array([0, length])) if needs_scores else None
        ties = None
        if needs_ties:  # the groups of equal scores that the documents stand in
            first = np.searchsorted(-self.score, -self.score, "left")
            size = np.searchsorted(-self.score, -self.score, "right") - first
            ties = TieSpans(first[ranks - 1] + 1, size[ranks - 1])
        return Judged(
            ranking_of_entry,
            ranks,
            self.grade[ranking_of_entry, column_of_entry],
            np.full(num_rankings, length),
            np.searchsorted(ranking_of_level, np.arange(num_rankings + 1)),
            self.level[level_of_count],
            self.count[ranking_of_level, level_of_count],
            settings,
            self.num_pooled_unjudged,
            RankingExtras(
                ties,
                run_scores and run_scores.take_topics(zero_topics, self.score[ranks - 1]),
            ),
        )


class StackScorer:
    """Measures that have a number for a ranking, ready for stacks.

    requests         what is computed
    names            C printed names
    definitions      printed name -> irev's own name with all parameters, for each
    request_columns  (request, its column) for each of them
    column_indices   which of all the columns of the requests they are
    """

    def __init__(self, measures: Sequence[str], options: Options, highest_grade: float) -> None:
        """Resolve the names; scales that are left open end at the highest grade."""
        if options.several_orders or options.ties in ("optimistic", "pessimistic"):
            raise UsageError(
                "this study changes judgments, so ties cannot be ordered by grade: --ties"
            )
        requests = resolve_names(measures, options)
        self.requests = drop_repeated_columns(
            [request.close_scales(highest_grade) for request in requests]
        )
        self.settings = options.settings
        self._highest_grade = highest_grade
        for request in self.requests:
            name = request.columns[0].name
            if request.measure.needs not in ("qrels", "any"):
                raise UsageError(
                    f"{name} needs judgments by {request.measure.needs}, not by grades alone"
                )
            if needs_ids(request):
                raise UsageError(f"{name} needs document ids, which are not known here")
        all_columns = [
            (request, number, column)
            for request in self.requests
            for number, column in enumerate(request.columns)
        ]
        self.column_indices = [
            n for n, (_, _, c) in enumerate(all_columns) if c.per_topic and c.kind != "text"
        ]
        if not self.column_indices:
            raise UsageError(f"{', '.join(measures)}: no value for a ranking")
        self.names = tuple(all_columns[n][2].name for n in self.column_indices)
        self.definitions = {
            c.name: c.canonical or c.name for c in (all_columns[n][2] for n in self.column_indices)
        }
        self.request_columns: tuple[tuple[Request, int], ...] = tuple(
            all_columns[n][:2] for n in self.column_indices
        )

    def values(self, stack: RankingStack) -> RankingsByMeasures:
        """float64[V, C]: the value of each measure for each ranking.

        NaN where a grade lies above the highest one and the measure's scale ends there.
        """
        requests = self.requests
        has_higher_grade = stack.level.max(initial=0.0) > self._highest_grade
        fits_scale = [
            not has_higher_grade
            or all(option.kind != "scale" for option in request.measure.options.values())
            for request in requests
        ]
        judged = stack.measure_input(
            self.settings,
            needs_ties=any(request.measure.ties for request in requests),
            needs_scores=any(request.measure.scores for request in requests),
        )
        no_topics = np.full(len(stack.grade), -1)
        fitting_requests = [
            request for request, is_fit in zip(requests, fits_scale, strict=True) if is_fit
        ]
        column_fits = np.repeat(fits_scale, [len(request.columns) for request in requests])
        values = np.full((len(no_topics), len(column_fits)), np.nan)
        values[:, column_fits] = measure_all(fitting_requests, no_topics, judged).values
        return values[:, self.column_indices]


def falling_scores(num_ranks: int) -> RankValues:
    """float64[n]: n, n - 1, ... 1, for rankings that were made."""
    return np.arange(num_ranks, 0, -1, dtype=float)


def grade_counts(grades: DocumentValues) -> tuple[Floats, Ints]:
    """(the different grades >= 0, rising; how many documents have each)."""
    levels, counts = np.unique(grades[grades >= 0], return_counts=True)
    return levels, counts


_STEP = 2.0**-12
"""By how much a grade is raised where a slope is measured."""


@record
class JudgedRanking:
    """One ranking and the judgments of its topic.

    grade                float64[n], of each rank; -1 not in the judgments, -2 pooled but unjudged
    ideal                float64[], the grades >= 0 of the judgments, retrieved or not, falling
    score                float64[n], falling
    num_pooled_unjudged  how many documents are pooled but unjudged, retrieved or not
    """

    grade: Floats
    ideal: Floats
    score: Floats
    num_pooled_unjudged: int = 0


@record
class DocumentChanges:
    """V changes of one ranking, each of one document.

    rank_index   int64[V], the document's place in the ranking, from 0; -1: it was not retrieved
    old, new     float64[V], its grade before (-1, -2 as in a ranking) and after
    ideal_grows  whether the judgments hold the new grade too: R, the number of relevant documents,
                 grows, and the ideal list is recomputed; otherwise both stay as they are
    """

    rank_index: Ints
    old: Floats
    new: Floats
    ideal_grows: bool

    def batches(self, batch_size: int) -> Iterator[DocumentChanges]:
        """The same, so many at a time."""
        for start in range(0, len(self.rank_index), batch_size):
            rows = slice(start, start + batch_size)
            yield DocumentChanges(
                self.rank_index[rows], self.old[rows], self.new[rows], self.ideal_grows
            )


def unchanged_values(scorer: StackScorer, ranking: JudgedRanking) -> MeasureValues:
    """The value of each measure as the ranking is."""
    no_change = DocumentChanges(np.array([-1]), np.zeros(1), np.zeros(1), ideal_grows=False)
    values: Floats = scorer.values(_changed_stack(ranking, no_change))[0]
    return values


def changed_values(
    scorer: StackScorer, ranking: JudgedRanking, changes: DocumentChanges
) -> RankingsByMeasures:
    """float64[V, C]: the value of each measure after each change, by scoring it again."""
    batch_size = max(1, GRADES_AT_ONCE // max(1, len(ranking.grade)))
    values = [
        scorer.values(_changed_stack(ranking, batch)) for batch in changes.batches(batch_size)
    ]
    return np.concatenate([np.zeros((0, len(scorer.names))), *values])


def _changed_stack(ranking: JudgedRanking, changes: DocumentChanges) -> RankingStack:
    """The ranking once for each change."""
    row_indices = np.arange(len(changes.rank_index))
    grades = np.repeat(ranking.grade[None, :], len(row_indices), axis=0)
    retrieved_rows = np.flatnonzero(changes.rank_index >= 0)
    grades[retrieved_rows, changes.rank_index[retrieved_rows]] = changes.new[retrieved_rows]
    levels = np.unique(np.concatenate([ranking.ideal, changes.new]))
    ideal_counts = np.bincount(np.searchsorted(levels, ranking.ideal), minlength=len(levels))
    counts = np.repeat(ideal_counts[None, :], len(row_indices), axis=0)
    pooled = np.full(len(row_indices), ranking.num_pooled_unjudged)
    if changes.ideal_grows:
        counts[row_indices, np.searchsorted(levels, changes.new)] += 1
        judged_rows = np.flatnonzero(changes.old >= 0)
        counts[judged_rows, np.searchsorted(levels, changes.old[judged_rows])] -= 1
        pooled -= changes.old == POOLED
    ranks = np.arange(1, len(ranking.grade) + 1)
    return RankingStack(ranks, grades, ranking.score, levels, counts, pooled)


def gain_slopes(
    scorer: StackScorer,
    ranking: JudgedRanking,
    rank_indices: RowIndices,
    old_values: MeasureValues,
    *,
    ideal_grows: bool,
) -> RankingsByMeasures:
    """float64[V, C]: the derivative of each measure by the gain of the document at each place.

    It is taken from the values at three grades, the document's own and two a little below it, or
    above it where it would not be relevant below: exact but for rounding where the measure is
    linear or quadratic in the gain. NaN where gains are listed grade by grade, since nothing lies
    between two grades then, and where a grade above would leave the measure's scale.
    """
    old_grades = ranking.grade[rank_indices]
    steps = np.where(old_grades - 2.0 * _STEP >= scorer.settings.level, -_STEP, _STEP)
    one_step_values, two_step_values = (
        changed_values(
            scorer,
            ranking,
            DocumentChanges(rank_indices, old_grades, old_grades + num_steps * steps, ideal_grows),
        )
        for num_steps in (1, 2)
    )
    rises = 4.0 * one_step_values - two_step_values - 3.0 * old_values
    slopes: Floats = rises / (2.0 * steps)[:, None]
    gains = [dict(request.arguments.options).get("gain") for request, _ in scorer.request_columns]
    slopes[:, [isinstance(gain, tuple) for gain in gains]] = np.nan
    return slopes


def nonrelevant_rank_indices(ranking: JudgedRanking, level: float, depth: int) -> RowIndices:
    """int64[]: the places, from 0, that hold no relevant document, down to a depth."""
    return np.flatnonzero(ranking.grade[:depth] < level)


def relevant_rank_indices(ranking: JudgedRanking, level: float, depth: int) -> RowIndices:
    """int64[]: the places, from 0, that hold a relevant document, down to a depth."""
    return np.flatnonzero(ranking.grade[:depth] >= level)


# --- The rankings of a run, with the judgments of their topics ---


@record
class RunRankings:
    """A run's rankings of the judged topics.

    qrels                the judgments
    topics               T ids, in byte order
    ranked_topics        T rankings
    num_pooled_unjudged  T numbers of pooled but unjudged documents
    notices              what makes scores of the run doubtful
    """

    qrels: Qrels
    topics: tuple[bytes, ...]
    ranked_topics: tuple[RankedTopic, ...]
    num_pooled_unjudged: tuple[int, ...]
    notices: tuple[Notice, ...]

    def judged_ranking(self, topic_index: int) -> JudgedRanking:
        """The ranking of a topic, as measures see it."""
        ranked_topic = self.ranked_topics[topic_index]
        return JudgedRanking(
            ranked_topic.grade[0],
            ranked_topic.ideal[0],
            ranked_topic.score,
            self.num_pooled_unjudged[topic_index],
        )

    def topic_index(self, topic_id: bytes) -> int:
        """The place of a topic among `topics`."""
        if topic_id not in self.topics:
            lacking_input = "run has" if topic_id in self.qrels.topic_index else "qrels have"
            raise MismatchError(f"the {lacking_input} no topic {id_text(topic_id)}")
        return self.topics.index(topic_id)

    def relevant_topic_indices(self, level: float) -> list[int]:
        """The places of the topics that have a relevant document."""
        topic_indices = [
            n for n, ranked in enumerate(self.ranked_topics) if (ranked.ideal[0] >= level).any()
        ]
        if not topic_indices:
            highest = float(self.qrels.level_grade.max(initial=-1.0))
            if highest < level:
                raise MismatchError(below_level_message(highest, level, "-l "))
            raise MismatchError("no topic of the run has a relevant document")
        return topic_indices

    def missing_topic_ids(self, level: float) -> list[bytes]:
        """The judged topics with a relevant document that the run lacks, in byte order."""
        qrels, retrieved_topic_ids = self.qrels, set(self.topics)
        missing_topic_ids = []
        for topic_index, topic_id in enumerate(qrels.topics):
            # a topic has one list here
            start, stop = qrels.level_start[qrels.list_start[topic_index] :][:2].tolist()
            has_relevant = (qrels.level_grade[start:stop] >= level).any()
            if topic_id not in retrieved_topic_ids and has_relevant:
                missing_topic_ids.append(topic_id)
        return missing_topic_ids

    @property
    def highest_grade(self) -> float:
        """The highest grade of the judgments."""
        return highest_grade(self.qrels)


def highest_grade(qrels: Qrels) -> float:
    """The highest grade of judgments; 1 where there is none above 0."""
    return float(qrels.level_grade.max(initial=0.0)) or 1.0


def read_run_rankings(
    qrels: Input, run: Input, measures: Sequence[str], options: Options, qrels_format: str = "qrels"
) -> RunRankings:
    """Read judgments and a run."""
    if options.judged_only:
        raise UsageError("where judgments change, -J would change the ranking: leave it out")
    evaluator = RunEvaluator(qrels, measures, options, qrels_format=qrels_format)
    judgments = evaluator.prepared_judgments.qrels
    ranked, notices = ranked_topics(run, evaluator, options.ranking_rule("qrels"))
    ranked.sort(key=lambda ranked_topic: ranked_topic.rows.topics[0])
    topic_ids = tuple(ranked_topic.rows.topics[0] for ranked_topic in ranked)
    nums_pooled_unjudged = []
    for topic_id in topic_ids:
        judged_list = int(judgments.list_start[judgments.topic_index[topic_id]])
        rows = slice(int(judgments.start[judged_list]), int(judgments.stop[judged_list]))
        nums_pooled_unjudged.append(int(np.count_nonzero(judgments.grade[rows] < 0)))
    return RunRankings(judgments, topic_ids, tuple(ranked), tuple(nums_pooled_unjudged), notices)


def no_relevant_notes(num_topics: int) -> tuple[Notice, ...]:
    """What to say of topics that were left out since they have no relevant document."""
    return (
        (note(f"{count_text(num_topics, 'topic')} without relevant documents left out"),)
        if num_topics
        else ()
    )


# --- The options of studies whose judgments are changed or made up ---


_MEANT = (
    "level",
    "collection_size",
    "real_grades",
    "decimal_comma",
    "grade_map",
    "defaults",
    "compat",
)
_MEANT_OF_RUNS = ("max_retrieved", "run_format", "columns", "exclude")

Number = TypeVar("Number", bound=float)


class RankingStudyOptions(EvaluationOptions):
    """The choices that mean here what they mean for `irev.evaluate`; others are at defaults."""

    without: ClassVar[Sequence[str]] = (
        "qrels_format",
        *PREDICTED,
        *(name for name in Options.fields() if name not in (*_MEANT, *_MEANT_OF_RUNS)),
    )


class MadeRankingOptions(RankingStudyOptions):
    """The same where there is no run."""

    without: ClassVar[Sequence[str]] = _MEANT_OF_RUNS


def refuse_options(options: ResultOptions, field_names: Sequence[str], combined_with: str) -> None:
    """Refuse options that cannot be combined with something."""
    for field_name in field_names:
        if getattr(options, field_name) not in (None, ()):
            spelling = options.fields()[field_name].opt.names[-1]
            raise UsageError(f"{spelling} cannot be combined with {combined_with}")


def parse_numbers(text: str) -> Sequence[float]:
    """Numbers with commas between them."""
    return [_parse_word(word, parse_decimal, "number") for word in text.split(",")]


def parse_counts(text: str) -> Sequence[int]:
    """Whole numbers of at least 1, with commas between them."""
    numbers = [_parse_word(w, parse_whole, "whole number of at least 1") for w in text.split(",")]
    if min(numbers) < 1:
        raise UsageError(f"'{min(numbers)}' is not a whole number of at least 1")
    return numbers


def parse_ranking(text: str) -> Sequence[float]:
    """The grade at each rank, with commas between them; `-` is a document without a judgment."""
    return parse_numbers(",".join("-1" if word == "-" else word for word in text.split(",")))


def _parse_word(word: str, parse: Callable[[str], Number | None], noun: str) -> Number:
    number = parse(word)
    if number is None:
        raise UsageError(f"'{word}' is not a {noun}")
    return number


def check_grades_present(grades: Sequence[float]) -> None:
    """Refuse grades of relevant documents that are not above 0."""
    if grades and min(grades) <= 0:
        shown = ",".join(f"{grade:g}" for grade in grades)
        raise UsageError(f"--grades-present {shown}: the grades of relevant documents are above 0")


# --- What a relevant document that the pool missed does to scores: Kishida's Table 1 ---
# Kazuaki Kishida, "Property of Average Precision and its Generalization", NII Technical Report
# NII-2005-014E (2005), eqs. 15-17.


def average_precision_change_behind_pool(
    pool_depth: int, num_relevant: int, old_score: float
) -> float:
    """What average precision gains by one more relevant document, right behind the pool's depth.

    1/j - v/(R+1) with j = depth + 1, v the score before, R the relevant documents before (eq. 17).
    It holds where all R stand above rank j.
    """
    return 1.0 / (pool_depth + 1) - old_score / (num_relevant + 1)


def least_average_precision(pool_depth: int, num_relevant: int) -> float:
    """The least average precision of a ranking with all R relevant documents down to a depth.

    They then stand at the last R of these ranks: (1/R) sum_{i=1..R} i / (depth - R + i). NaN where
    R exceeds the depth.
    """
    if num_relevant > pool_depth:
        return float("nan")
    relevant_numbers = np.arange(1, num_relevant + 1)
    return (
        float((relevant_numbers / (pool_depth - num_relevant + relevant_numbers)).sum())
        / num_relevant
    )


def undiscovered_by_formula(
    pool_depth: int,
    relevant_counts: Sequence[int] = (10, 50, 100),
    average_precisions: Sequence[float] = (0.1, 0.3, 0.5),
) -> StudyResult:
    """Table 1: what average precision gains by a relevant document found behind the pool.

    Args:
        pool_depth: how many documents of each run were pooled; the document stands one rank below.
        relevant_counts: numbers R of relevant documents known before.
        average_precisions: average precisions v before.

    Returns:
        Tables `undiscovered`, with a figure, and `change`, which is laid out as the report's; a
        score v below `least v` is no ranking's.
    """
    import pandas as pd

    if pool_depth < 1 or not relevant_counts or min(relevant_counts) < 1:
        raise UsageError(
            "the depth of the pool and the numbers of relevant documents are at least 1"
        )
    if not average_precisions or min(average_precisions) < 0 or max(average_precisions) > 1:
        raise UsageError("average precisions must be between 0 and 1")
    rows = [
        (
            num_relevant,
            score,
            average_precision_change_behind_pool(pool_depth, num_relevant, score),
            least_average_precision(pool_depth, num_relevant),
        )
        for num_relevant in relevant_counts
        for score in average_precisions
    ]
    table = pd.DataFrame(rows, columns=["R", "score", "change", "least score"])
    wide = pd.DataFrame({"R": list(relevant_counts)})
    for score in average_precisions:
        wide[f"v={score:g}"] = table.loc[table["score"] == score, "change"].to_numpy()
    wide["least v"] = [
        least_average_precision(pool_depth, num_relevant) for num_relevant in relevant_counts
    ]
    parameters = {
        "depth": pool_depth,
        "relevant": list(relevant_counts),
        "scores": list(average_precisions),
    }
    notices: tuple[Notice, ...] = ()
    is_impossible = table["score"] < table["least score"] - 1e-12
    if is_impossible.any():
        few = ", ".join(f"R={row.R} v={row.score:g}" for row in table[is_impossible].itertuples())
        text = f"no ranking that has all its relevant documents above that rank scores {few}"
        notices = (note(text),)
    draw = partial(
        curves_figure,
        table.assign(R=[f"R={num_relevant}" for num_relevant in table["R"]]),
        x_column="score",
        y_column="change",
        series_column="R",
        axes_labels=(
            "average precision before",
            f"change by a relevant document at rank {pool_depth + 1}",
        ),
        has_zero_line=True,
    )
    result = StudyResult(
        "sensitivity",
        {"undiscovered": parameters},
        {"change": wide, "undiscovered": table},
        ("change",),
        {"undiscovered": draw},
        notices,
    )
    return add_signature(result, {}, Options())


def undiscovered_in_run(
    qrels: Input,
    run: Input,
    measures: Sequence[str],
    pool_depth: int,
    *,
    new_grade: float | None = None,
    qrels_format: str = "qrels",
    options: Options | None = None,
) -> StudyResult:
    """What the scores of a run's topics gain where the document behind the pool is found relevant.

    Of each topic, the document at rank depth + 1 becomes relevant and R grows by one. Topics whose
    ranking ends above, whose document there is relevant already, or that have no relevant document
    at all are left out.

    `pool_depth`: how many documents of each run were pooled. `new_grade`: what the document gets;
    None: the smallest relevant grade, at least 1. `qrels_format`: what the judgments hold, as
    `irev.evaluate` has it: grades.

    Returns:
        Tables `topics` (R and the changes of each topic), `range` (the mean change, the least and
        the greatest, how many topics gain and lose) and `undiscovered` with its figure.
    """
    import pandas as pd

    options = options or Options()
    grade = float(options.level or 1) if new_grade is None else float(new_grade)
    run_rankings = read_run_rankings(qrels, run, measures, options, qrels_format)
    scorer = StackScorer(measures, options, max(run_rankings.highest_grade, grade))
    relevant_indices = run_rankings.relevant_topic_indices(options.level)
    topic_names: list[str] = []
    relevant_counts: list[int] = []
    changes_of_topics: list[MeasureValues] = []
    for topic_index in relevant_indices:
        ranking = run_rankings.judged_ranking(topic_index)
        if len(ranking.grade) <= pool_depth or ranking.grade[pool_depth] >= options.level:
            continue
        old_grade = ranking.grade[pool_depth : pool_depth + 1]
        change = DocumentChanges(
            np.array([pool_depth]), old_grade, np.array([grade]), ideal_grows=True
        )
        new_values = changed_values(scorer, ranking, change)[0]
        changes_of_topics.append(new_values - unchanged_values(scorer, ranking))
        relevant_counts.append(int((ranking.ideal >= options.level).sum()))
        topic_names.append(escape_non_utf8(run_rankings.topics[topic_index]))
    if not topic_names:
        raise MismatchError(
            f"no topic has a document at rank {pool_depth + 1} that is not relevant yet"
        )
    changes = np.stack(changes_of_topics)
    by_topic = {name: changes[:, column] for column, name in enumerate(scorer.names)}
    # the changes of each measure, falling, with their places
    ranked_changes: list[tuple[Any, ...]] = []
    for column, name in enumerate(scorer.names):
        order = np.argsort(-changes[:, column], kind="stable")
        ranked_changes += [
            (name, place, topic_names[row], changes[row, column])
            for place, row in enumerate(order.tolist(), 1)
        ]
    tables = {
        "range": pd.DataFrame(
            {
                "measure": scorer.names,
                "mean": column_means(changes),
                "least": changes.min(axis=0),
                "greatest": changes.max(axis=0),
                "gain": (changes > 0).sum(axis=0),
                "lose": (changes < 0).sum(axis=0),
                "same": (changes == 0).sum(axis=0),
            }
        ),
        "topics": pd.DataFrame({"topic": topic_names, "R": relevant_counts, **by_topic}),
        "undiscovered": pd.DataFrame(
            ranked_changes, columns=["measure", "place", "topic", "change"]
        ),
    }
    parameters = {
        "qrels": input_label(qrels),
        "run": input_label(run),
        "measures": list(scorer.names),
        "level": options.level,
        "grade": grade,
        "undiscovered": {"depth": pool_depth},
    }
    num_left_out = len(relevant_indices) - len(topic_names)
    left_out_text = (
        f"{count_text(num_left_out, 'topic')} left out: a relevant document, or none at all, at "
        f"rank {pool_depth + 1}"
    )
    result = StudyResult(
        "sensitivity",
        parameters,
        tables,
        ("range", "topics"),
        {"undiscovered": partial(_topic_changes_figure, tables["undiscovered"], pool_depth + 1)},
        (
            note(f"over {count_text(len(topic_names), 'topic')}"),
            *no_relevant_notes(len(run_rankings.topics) - len(relevant_indices)),
            *missing_topic_warnings(
                {"the run": run_rankings.missing_topic_ids(options.level)}, consequence="left out"
            ),
            *run_rankings.notices,
            *([note(left_out_text)] if num_left_out else []),
        ),
    )
    return add_signature(result, scorer.definitions, options, qrels=[qrels], runs=[run])


def _topic_changes_figure(
    table: pd.DataFrame, rank_of_missed: int, *, width: FigureWidth = "page"
) -> Figure:
    with plot_style(width):
        layout = FigureLayout(1, width=width, height=2.4)
        (axes,) = layout.panels
        axes.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
        for number, (name, points) in enumerate(table.groupby("measure", sort=False)):
            look = {**series_style(number), "linestyle": ""}
            axes.plot(points["place"], points["change"], label=drawn_label(str(name)), **look)
        layout.count_by(axes, "x")
        axes.set_xlabel("topics, from the greatest gain to the greatest loss of each measure")
        axes.set_ylabel(f"change by a relevant document at rank {rank_of_missed}")
        layout.set_panel_legend()
        return layout.finish()


# --- What one document's change does to a measure, in closed form ---
# The equations are those of Kazuaki Kishida, "Property of Average Precision and its
# Generalization", NII Technical Report NII-2005-014E (2005). x_k is the gain at rank k, y_k that
# of the ideal list, I(v) is 1 where v > 0. A measure that has no form here is scored again.


@record
class KishidaRanking:
    """A ranking in Kishida's terms.

    x  float64[n], the gain at each rank
    y  float64[], the gains of all relevant documents, falling: the ideal list, and R is its length
    """

    x: Floats
    y: Floats

    @property
    def ranks(self) -> RankValues:
        """float64[n]: 1, 2, ..."""
        return np.arange(1.0, len(self.x) + 1)

    @property
    def ideal(self) -> RankValues:
        """float64[n]: the gains of the ideal list at each rank, from the end on 0."""
        return self.ideal_gains_to(len(self.x))

    def ideal_gains_to(self, depth: int) -> RankValues:
        """float64[depth]: the same down to a rank."""
        return np.concatenate([self.y, np.zeros(max(0, depth - len(self.y)))])[:depth]

    def binary(self) -> KishidaRanking:
        """The same with 1 for every gain."""
        return KishidaRanking((self.x > 0).astype(float), np.ones(len(self.y)))


def _sums_from_rank(values: RankValues) -> RankValues:
    """float64[n]: the sum of each value and all behind it."""
    sums: Floats = np.cumsum(values[::-1])[::-1]
    return sums


def _sums_below_rank(values: RankValues) -> RankValues:
    """float64[n]: the sum of all values behind each."""
    return np.append(_sums_from_rank(values)[1:], 0.0)


def ap_change_as_ranks_turn_relevant(ranking: KishidaRanking) -> RankValues:
    """float64[n], eq. 10: what average precision gains where rank j becomes relevant, R fixed.

    dv(j) = (1/R) ((1/j) sum_{k<=j} x_k + sum_{t>j} x_t / t), x_j counted as 1.
    """
    return _precision_sum_change(ranking) / len(ranking.y)


def average_precision_change_if_ideal_grows(ranking: KishidaRanking) -> RankValues:
    """float64[n], eq. 16: the same where R grows to R + 1 with the document.

    dv(j) = (1/(R+1)) ((1/j) sum_{k<=j} x_k + sum_{t>j} x_t / t) - v / (R+1), v the old score.
    """
    x, num_relevant = ranking.x, len(ranking.y)
    total = float((x / ranking.ranks * np.cumsum(x)).sum())
    score = total / num_relevant if num_relevant else 0.0
    return (_precision_sum_change(ranking) - score) / (num_relevant + 1)


def _precision_sum_change(ranking: KishidaRanking) -> RankValues:
    return (np.cumsum(ranking.x) + 1.0) / ranking.ranks + _sums_below_rank(
        ranking.x / ranking.ranks
    )


def r_precision_change(ranking: KishidaRanking) -> RankValues:
    """float64[n]: 1/R down to rank R, 0 below it; R fixed.

    The report says 1/R wherever the document stands, which holds down to rank R only.
    """
    num_relevant = len(ranking.y)
    return np.where(ranking.ranks <= num_relevant, 1.0 / num_relevant, 0.0)


def sliding_ratio_slope(ranking: KishidaRanking, depth: int) -> RankValues:
    """float64[n], eq. 28: the slope of the modified sliding ratio at n, (1/j) / sum y_k/k."""
    ideal_sum = float((ranking.ideal_gains_to(depth) / np.arange(1.0, depth + 1)).sum())
    return np.where(ranking.ranks <= depth, 1.0 / ranking.ranks, 0.0) / ideal_sum


def average_ndcg_slope(ranking: KishidaRanking, depth: int, base: float) -> RankValues:
    """float64[n], eq. 33: the slope of the average nDCG at n, discounted with base b.

    (1/n) sum_{k=j..n} 1 / (log_b(j) dI(k)), and without log_b(j) where j < b.
    """
    ranks = np.arange(1.0, depth + 1)
    discount = np.maximum(np.log(ranks) / math.log(base), 1.0)
    ideal_sums = np.cumsum(ranking.ideal_gains_to(depth) / discount)
    slope = np.zeros(len(ranking.x))
    cut = min(depth, len(slope))
    slope[:cut] = (_sums_from_rank(1.0 / ideal_sums) / discount)[:cut] / depth
    return slope


def q_slope(ranking: KishidaRanking, beta: float) -> RankValues:
    """float64[n], eq. 36: the slope of Q at ranks with x_j > 0.

    (1/R) sum_{i>=j} I(x_i) beta / (i + beta cgI(i)); the report has beta = 1.
    """
    return beta * _sums_from_rank((ranking.x > 0) / _q_divisor(ranking, beta)) / len(ranking.y)


def q_change(ranking: KishidaRanking, gain: float, beta: float) -> RankValues:
    """float64[n], eq. 37: what Q gains where x_j goes from 0 to a gain, R and the ideal list fixed.

    (1/R) ((beta cg(j) + cnt(j)) / (j + beta cgI(j)) + sum_{i>j} I(x_i) (beta x_j + 1) / (i + beta
    cgI(i))), cg and cnt with the new document.
    """
    divisor, gain_per_rank = _q_divisor(ranking, beta), beta * gain + 1.0
    gain_at_rank = (
        beta * np.cumsum(ranking.x) + np.cumsum(ranking.x > 0) + gain_per_rank
    ) / divisor
    return (gain_at_rank + gain_per_rank * _sums_below_rank((ranking.x > 0) / divisor)) / len(
        ranking.y
    )


def _q_divisor(ranking: KishidaRanking, beta: float) -> RankValues:
    return ranking.ranks + beta * np.cumsum(ranking.ideal)


def generalised_average_precision_slope(ranking: KishidaRanking) -> RankValues:
    """float64[n], eq. 43: the slope of generalised average precision at ranks with x_j > 0.

    sum_{k>=j} I(x_k)/k, over the sum of the ideal list's means.
    """
    return _sums_from_rank((ranking.x > 0) / ranking.ranks) / _sum_of_ideal_means(ranking)


def generalised_average_precision_change(ranking: KishidaRanking, gain: float) -> RankValues:
    """float64[n], eq. 44: what it gains where x_j goes from 0 to a gain, the ideal list fixed.

    ((1/j) sum_{k<=j} x_k + sum_{t>j} I(x_t) x_j / t), over the same divisor.
    """
    mean_at_rank = (np.cumsum(ranking.x) + gain) / ranking.ranks
    return (
        mean_at_rank + gain * _sums_below_rank((ranking.x > 0) / ranking.ranks)
    ) / _sum_of_ideal_means(ranking)


def _sum_of_ideal_means(ranking: KishidaRanking) -> float:
    return float((np.cumsum(ranking.y) / np.arange(1.0, len(ranking.y) + 1)).sum())


class ClosedForm(NamedTuple):
    """A closed form of one column: its number in the report, and what computes all ranks."""

    equation: str
    ranks: Callable[[KishidaRanking], Floats]


def change_form(
    request: Request, column_index: int, gain: float, *, ideal_grows: bool
) -> ClosedForm | None:
    """The closed form for documents of no gain that get one, if the column has one."""
    name, options, cutoff = _name_options_and_cutoff(request, column_index)
    if name in ("map", "AP") and cutoff is None and options.get("denom", "R") == "R":
        if ideal_grows:
            return ClosedForm(
                "eq. 16", lambda ranking: average_precision_change_if_ideal_grows(ranking.binary())
            )
        return ClosedForm(
            "eq. 10", lambda ranking: ap_change_as_ranks_turn_relevant(ranking.binary())
        )
    if ideal_grows:
        return None
    if name == "Rprec":
        return ClosedForm("1/R", r_precision_change)
    if name == "Q" and _is_plain_q(options, cutoff):
        return ClosedForm("eq. 37", lambda ranking: q_change(ranking, gain, options["beta"]))
    if name == "genAP" and _is_plain_generalised_precision(options, cutoff):
        return ClosedForm(
            "eq. 44", lambda ranking: generalised_average_precision_change(ranking, gain)
        )
    slope = slope_form(request, column_index)
    if slope is None:
        return None
    # linear in the gain, from 0 on
    return ClosedForm(slope.equation, lambda ranking: gain * slope.ranks(ranking))


def slope_form(request: Request, column_index: int) -> ClosedForm | None:
    """The closed form of a column's slope by the gain, the ideal list fixed, if it has one."""
    name, options, cutoff = _name_options_and_cutoff(request, column_index)
    if name == "MSR" and cutoff is not None and options["gain"] == "linear":
        return ClosedForm("eq. 28", lambda ranking: sliding_ratio_slope(ranking, cutoff))
    has_jk_gains = options.get("disc") == "jk" and options.get("gain") == "linear"
    if name == "AvgNDCG" and cutoff is not None and has_jk_gains and math.isfinite(options["b"]):
        return ClosedForm(
            "eq. 33", lambda ranking: average_ndcg_slope(ranking, cutoff, options["b"])
        )
    if name == "Q" and _is_plain_q(options, cutoff):
        return ClosedForm("eq. 36", lambda ranking: q_slope(ranking, options["beta"]))
    if name == "genAP" and _is_plain_generalised_precision(options, cutoff):
        return ClosedForm("eq. 43", generalised_average_precision_slope)
    return None


def _is_plain_q(options: dict[str, Any], cutoff: int | None) -> bool:
    beta = options["beta"]
    is_finite = isinstance(beta, float) and math.isfinite(beta)
    return cutoff is None and is_finite and (options["gain"], options["denom"]) == ("linear", "R")


def _is_plain_generalised_precision(options: dict[str, Any], cutoff: int | None) -> bool:
    return cutoff is None and (options["gain"], options["norm"]) == ("linear", "ideal")


def _name_options_and_cutoff(
    request: Request, column_index: int
) -> tuple[str, dict[str, Any], int | None]:
    """The measure's name, its options and the cutoff of a column; no name where it is changed."""
    arguments = request.arguments
    if request.measure.is_trec_evals_alone:
        return request.measure.name, {}, None
    if arguments.level is not None or arguments.condensed:
        return "", {}, None
    cutoff = request.cutoff(column_index)
    whole_cutoff = int(cutoff) if cutoff is not None else None
    return request.measure.name, dict(arguments.options), whole_cutoff


def kishida_ranking(ranking: JudgedRanking, level: float) -> KishidaRanking | None:
    """The ranking in Kishida's terms; None where a gain does not mean that it is relevant.

    So it is where some grade above 0 is below the level, or where nothing is relevant.
    """
    all_grades = np.concatenate([ranking.grade, ranking.ideal])
    ideal = ranking.ideal[ranking.ideal >= level]
    if ((all_grades > 0) & (all_grades < level)).any() or level <= 0 or not len(ideal):
        return None
    return KishidaRanking(np.maximum(ranking.grade, 0.0), np.sort(ideal)[::-1])
