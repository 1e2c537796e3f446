"""Rankings of one topic that differ in their judgments, and their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, TypeVar

import numpy as np

from irev.core.arrays import (
    DocumentValues,
    Floats,
    Ints,
    MeasureValues,
    RankingsByMeasures,
    RankValues,
    RowIndices,
)
from irev.core.judged import Input, Judged, Qrels, RankingExtras, RunScores, Settings, TieSpans
from irev.core.option_records import ResultOptions
from irev.core.record import record
from irev.core.text import count_text, parse_decimal, parse_whole
from irev.engine.doubts import below_level_message
from irev.engine.evaluate import RunEvaluator
from irev.errors import MismatchError, Notice, UsageError, id_text, note
from irev.jobs.explain.topic import RankedTopic, ranked_topics
from irev.measures.naming.resolve import resolve_names
from irev.measures.requests import Request, drop_repeated_columns, measure_all, needs_ids
from irev.options import PREDICTED, EvaluationOptions, Options

OUTSIDE, POOLED = -1.0, -2.0
"""What stands for a grade where a document is not in the judgments, or pooled but unjudged."""

CELLS = 1 << 21
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
        ranking_of_entry, column_of_entry = np.nonzero(self.grade != OUTSIDE)
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
    batch_size = max(1, CELLS // max(1, len(ranking.grade)))
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
