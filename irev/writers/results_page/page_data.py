"""What a page of results shows: records, whose numbers are rounded as the page holds them.

Scores and the intervals of differences are in ten-thousandths. Below the records stands how they
are made: of scores and tests, of the first documents of runs, of warnings and of what tests are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    MeansLowsHighs,
    MeasuresByTopicsByRuns,
    PairValues,
    RunValues,
    TopicIndices,
    TopicsByRuns,
    TopicsByRunsMask,
    mean_of,
)
from irev.core.judged import Column
from irev.core.record import record
from irev.core.text import (
    LONGEST_PLAIN_NAME,
    ShortNames,
    as_text,
    count_text,
    natural_sort_key,
    short_run_names,
    shortened_list,
)
from irev.errors import KINDS, Notice
from irev.measures.naming.resolve import about_column, bounds_of, lower_is_better
from irev.scores.scores import NOT_JUDGED, NUM_FIRST, RunFirstDocuments
from irev.scores.table import ScoreTable
from irev.statistics.differences import PAIR_CELLS, Tail, every_pair, wins_and_losses
from irev.statistics.intervals import EXACT_WHERE_SAME
from irev.statistics.methods import (
    CORRECTIONS,
    INTERVALS,
    TESTS,
    DoneTest,
    difference_interval_title,
    tests_done_text,
)
from irev.statistics.verdicts import PairVerdict
from irev.writers.results_page import LARGEST_PAGE

UNIT = 1e-4
"""What scores and the ends of intervals of differences are counted in."""


class PageMeasure(NamedTuple):
    """A measure.

    name           its printed name
    higher         whether higher values are better
    is_unit        whether its values lie between 0 and 1
    about          what it is, in a line
    is_sum         whether its summary is a sum over topics, not a mean
    """

    name: str
    higher: bool
    is_unit: bool
    about: str = ""
    is_sum: bool = False


class PageRun(NamedTuple):
    """A run.

    name      in full
    short     as tables and figures show it
    team      empty: none is known
    judged    which share of its first documents is judged; None: not known
    missing   the topics that it lacks, by their indices
    given     its place among the runs as they were given, from 0
    """

    name: str
    short: str
    team: str = ""
    judged: float | None = None
    missing: tuple[int, ...] = ()
    given: int = 0


class PageTopic(NamedTuple):
    """A topic, and how many relevant documents it has; None: not told."""

    id: str
    num_relevant: int | None = None


class PageDoubt(NamedTuple):
    """What makes numbers doubtful, and under which measure; None: under all of them."""

    text: str
    measure_index: int | None = None


@record
class PairOutcomes:
    """What is known of P pairs of runs under a measure; a difference is first minus second.

    p          float64[P]: corrected; NaN where a run is paired with itself
    half       float64[P]: half the width of the interval, in ten-thousandths; None: the intervals
               are not symmetric
    low, high  float64[P]: their ends, then; infinite where there is none
    """

    p: PairValues
    half: PairValues | None
    low: PairValues | None
    high: PairValues | None

    def subset(self, indices: Ints) -> PairOutcomes:
        """Those of some of the pairs."""
        arrays = (
            None if a is None else a[indices] for a in (self.p, self.half, self.low, self.high)
        )
        return PairOutcomes(*arrays)  # type: ignore[arg-type]

    def half_widths(self) -> PairValues:
        """float64[]: half the widths of the intervals that have two ends."""
        if self.half is not None:
            widths = self.half
        else:
            assert self.low is not None  # noqa: S101 - intervals are symmetric or have ends
            assert self.high is not None  # noqa: S101
            widths = (self.high - self.low) / 2
        finite: PairValues = widths[np.isfinite(widths)]
        return finite


class PairCount(NamedTuple):
    """On how many topics the first run of a pair is better than the second, and worse."""

    pair_index: int
    wins: int
    losses: int


@record
class BaselineFamily:
    """What is known of all runs against one that was named the baseline beforehand.

    run_index  the baseline
    test       the sentence that says how p was found and what it is corrected for
    between    the sentence that says what the intervals of differences hold for
    outcomes   for each measure one pair for each run, the run minus the baseline
    """

    run_index: int
    test: str
    between: str
    outcomes: tuple[PairOutcomes | None, ...]


class PageCurves(NamedTuple):
    """A value of each run at some ranks: `values[s][k]` is that of run s at `ranks[k]`.

    It is None below the last rank that the run has; `about` is said of all curves.
    """

    title: str
    about: str
    ranks: tuple[int, ...]
    values: tuple[tuple[float | None, ...], ...]


@record
class TopDocuments:
    """The first documents of S runs on T topics.

    depth   how many of each, at most
    ids     for each run and topic the ids, the first first; empty where the run lacks the topic
    grades  for each topic the grades by id; an id that is not there is not judged
    """

    depth: int
    ids: tuple[tuple[tuple[str, ...], ...], ...]
    grades: tuple[Mapping[str, str], ...]


@record
class PagePart:
    """Runs on some topics: all that is chosen together above the page.

    name         what it is called; empty where it is the only one
    kind         whose page it is
    qrels_name   the name of the judgments
    level        the grade from which a document is relevant
    decimals     how many of a number are shown
    alpha        the level of the tests; intervals are of level 1 - alpha
    measures     M of them, the first orders the runs at the beginning
    runs         S of them, in the order of their names
    short_names  what they are shown without
    baseline     the index of the run that was named the baseline; None: none was
    topics       T of them
    scores       in ten-thousandths; NaN: the run lacks the topic, which counts as 0. None: they are
                 left out, since there are too many
    means        float64[M, S, 3]: the mean, and the ends of its interval, or NaN
    outcomes     for each measure those of all pairs (0, 1), (0, 2), ..., (S-2, S-1); None: that
                 measure has no test; empty: none has
    families     those of the baselines that were named
    test         the sentence that says how p was found and what it is corrected for
    between      the sentence that says what the intervals of differences hold for
    no_test      the sentence that says why there is no test; empty where there is one
    tie          differences of a topic up to this, in ten-thousandths, are ties
    pair_counts  for each measure the pairs on whose topics the rounded scores do not say who is
                 better; empty: none
    curves       None: there are none
    doubts       what makes the numbers doubtful
    remarks      what else a reader must know
    broken       what could not be scored: a heading, then a line for each
    documents    the first documents of the runs; None: they are not told
    made         how the numbers were made: headings, each with a text
    signature    in short; empty: there is none
    verdicts     for each measure, and there for each run, what may be said of it and of the best
                 run; None: nothing is held. Empty: none is
    judged_rank  up to which rank documents are counted that are judged; None: nobody counted
    """

    name: str
    kind: Literal["report", "board"]
    qrels_name: str
    level: float
    decimals: int
    alpha: float
    measures: tuple[PageMeasure, ...]
    runs: tuple[PageRun, ...]
    short_names: ShortNames
    baseline: int | None
    topics: tuple[PageTopic, ...]
    scores: MeasuresByTopicsByRuns | None
    means: Floats
    outcomes: tuple[PairOutcomes | None, ...]
    families: tuple[BaselineFamily, ...]
    test: str
    between: str
    no_test: str
    tie: float
    curves: PageCurves | None
    doubts: tuple[PageDoubt, ...]
    remarks: tuple[str, ...]
    broken: tuple[str, ...]
    documents: TopDocuments | None
    made: tuple[tuple[str, str], ...]
    signature: str = ""
    verdicts: tuple[tuple[str | None, ...], ...] = ()
    judged_rank: int | None = None
    pair_counts: tuple[tuple[PairCount, ...], ...] = ()

    @property
    def confidence(self) -> float:
        """The level of the intervals."""
        return round(1 - self.alpha, 12)

    def run_order(self, measure_index: int = 0) -> list[int]:
        """The runs by a measure, the best first, equal ones in their order."""
        means = self.means[measure_index, :, 0]
        falls = self.measures[measure_index].higher
        order: list[int] = np.argsort(-means if falls else means, kind="stable").tolist()
        return order

    @property
    def first_baseline(self) -> int:
        """The run that all others are compared with at the beginning."""
        return self.run_order()[0] if self.baseline is None else self.baseline

    def verdict(self) -> str | None:
        """What may be said of the best run and of the baseline, or of the second, at first."""
        best, *others = self.run_order()
        if not others or not self.verdicts:
            return None
        return self.verdicts[0][others[0] if best == self.first_baseline else self.first_baseline]


class ResultsPage(NamedTuple):
    """A page: its title and its parts, of which a reader chooses one."""

    title: str
    parts: tuple[PagePart, ...]


# --- Scores, and what tests say of them ---


def page_measure(column: Column, *, is_sum: bool = False) -> PageMeasure:
    """A measure; `is_sum`: the page shows its sum over topics, not its mean."""
    is_unit = not is_sum and bounds_of(column) == (0.0, 1.0)
    return PageMeasure(
        column.name, not lower_is_better(column), is_unit, about_column(column), is_sum
    )


def topic_order(table: ScoreTable) -> TopicIndices:
    """int64[T]: the topics as people order their ids: 2 before 10."""
    keys = [natural_sort_key(as_text(topic)) for topic in table.topics]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


def page_runs(
    table: ScoreTable, teams: Mapping[str, str], judged: Sequence[float | None] = ()
) -> tuple[tuple[PageRun, ...], ShortNames]:
    """The runs of a table, and what their names are shown without.

    Args:
        table: the scores.
        teams: the team of a run, by its name.
        judged: for each run which share of its first documents is judged; empty: not known.
    """
    names = short_run_names(table.run_names)
    number = {topic: index for index, topic in enumerate(table.topics)}
    place = np.argsort(topic_order(table)).tolist()
    inputs = [run.input_index for run in table.runs]
    given = np.argsort(np.argsort(inputs, kind="stable"), kind="stable").tolist()
    runs = tuple(
        PageRun(
            run.name,
            short,
            teams.get(run.name, ""),
            judged[index] if judged else None,
            tuple(sorted(place[number[topic]] for topic in run.missing if topic in number)),
            given[index],
        )
        for index, (run, short) in enumerate(zip(table.runs, names.names, strict=True))
    )
    return runs, names


def page_topics(table: ScoreTable, num_relevant: Sequence[int] = ()) -> tuple[PageTopic, ...]:
    """The topics in the order of the page; `num_relevant`: in that of the table, if told."""
    return tuple(
        PageTopic(as_text(table.topics[index]), num_relevant[index] if num_relevant else None)
        for index in topic_order(table).tolist()
    )


def page_scores(table: ScoreTable, runs: Sequence[PageRun]) -> MeasuresByTopicsByRuns:
    """The scores in ten-thousandths, NaN where a run lacks the topic."""
    lacks = np.zeros((len(table.topics), len(runs)), bool)
    for index, run in enumerate(runs):
        lacks[list(run.missing), index] = True
    return rounded_scores(table.values[:, topic_order(table)], lacks)


def rounded_scores(
    scores: MeasuresByTopicsByRuns, lacks: TopicsByRunsMask
) -> MeasuresByTopicsByRuns:
    """Scores in whole ten-thousandths; NaN where a run lacks the topic and that counts as 0."""
    counted: Floats = np.round(scores / UNIT)
    counted[~np.isfinite(counted) | (lacks & (counted == 0))] = np.nan
    return counted


def rounded_means(means: RunValues, low: RunValues, high: RunValues) -> MeansLowsHighs:
    """Means with the ends of their intervals, to 12 significant digits."""
    stacked = np.stack([means, low, high], axis=-1)
    stacked[~np.isfinite(stacked)] = np.nan
    rounded = [float(f"{value:.12g}") for value in stacked.ravel().tolist()]
    return np.array(rounded).reshape(stacked.shape)


def pair_outcomes(
    p: PairValues, differences: PairValues, low: PairValues, high: PairValues, alpha: float
) -> PairOutcomes:
    """What is known of pairs, rounded: p as it is shown, intervals to whole ten-thousandths.

    Args:
        p: float64[P], corrected.
        differences: float64[P], the mean differences; NaN of a run with itself.
        low: float64[P], the lower ends of their intervals.
        high: float64[P], the upper ends.
        alpha: the level of the test: a p at most this stays at most this.
    """
    rounded_p = np.array([_rounded_p(each, alpha) for each in p.tolist()])
    with np.errstate(invalid="ignore"):
        middle = (low + high) / 2
        # but for rounding
        is_symmetric = np.isnan(differences) | (np.abs(middle - differences) <= 0.5 * UNIT)
    if is_symmetric.all():
        return PairOutcomes(rounded_p, np.round((high - low) / 2 / UNIT), None, None)
    return PairOutcomes(rounded_p, None, *(np.round(end / UNIT) for end in (low, high)))


_SMALL_P = 1e-4
"""A p below is shown with three digits, as four or six decimals would leave fewer."""


def _rounded_p(p: float, alpha: float) -> float:
    """A p with the decimals that are shown; of small ones three digits."""
    if p != p:
        return p
    rounded = round(p, 4) if p >= 0.01 else round(p, 6) if p >= _SMALL_P else float(f"{p:.3g}")
    return rounded if (rounded <= alpha) == (p <= alpha) else p


_LEAST_BYTES = 2
"""Of a score in the page: a digit and a comma."""


def pair_counts_unlike_rounded(
    upward_scores: Sequence[TopicsByRuns],
    scores: Floats,
    measures: Sequence[PageMeasure],
    min_diff: float = 0.0,
) -> tuple[tuple[PairCount, ...], ...]:
    """For each measure the pairs whose counts the rounded scores of the page would get wrong.

    Empty where there are so many scores that no page holds them.

    Args:
        upward_scores: for each measure the scores as they are, turned round where lower is better.
        scores: float64[M, T, S], those of the page.
        measures: M of them.
        min_diff: differences up to this are ties.
    """
    if scores.size * _LEAST_BYTES > LARGEST_PAGE:
        return ()
    tie = tie_of_rounded(min_diff)
    return tuple(
        _unlike_rounded(exact, np.nan_to_num(rounded) * (1 if each.higher else -1), min_diff, tie)
        for exact, rounded, each in zip(upward_scores, scores, measures, strict=True)
    )


def _unlike_rounded(
    upward_scores: TopicsByRuns, rounded: TopicsByRuns, min_diff: float, tie: float
) -> tuple[PairCount, ...]:
    pairs = every_pair(upward_scores.shape[1])
    wins, losses = wins_and_losses(upward_scores, pairs, min_diff)
    is_unlike = np.zeros(len(pairs), bool)
    for part, part_pairs in pairs.batches(max(1, PAIR_CELLS // len(rounded))):
        gains = part_pairs.differences(rounded)
        is_unlike[part] = (wins[part] != np.count_nonzero(gains > tie, axis=0)) | (
            losses[part] != np.count_nonzero(gains < -tie, axis=0)
        )
    return tuple(
        PairCount(index, int(wins[index]), int(losses[index]))
        for index in np.flatnonzero(is_unlike).tolist()
    )


def tie_of_rounded(min_diff: float) -> float:
    """Differences up to this are ties, in ten-thousandths: of 0.0003 it is 3, not 2.999999."""
    return round(min_diff / UNIT, 6)


# --- The first documents of runs ---


ENOUGH_JUDGED = 0.9
"""A run of whose first documents less is judged is doubtful."""

_MANY_TIES = 0.1

_NEARLY_ALL, _LEAST_TOPICS = 0.9, 5
"""Runs that agree on this share of so many topics at least are nearly the same."""


class FirstDocumentsOfRuns:
    """The first documents of S runs, of some of which nothing is known, on T topics of a page."""

    def __init__(self, firsts: Sequence[RunFirstDocuments | None], table: ScoreTable) -> None:
        """Take those of the topics of a table, in the order of the page."""
        order = topic_order(table)
        topics = [table.topics[index] for index in order.tolist()]
        self._firsts, self.num_topics = firsts, len(topics)
        self._topic_indices: list[TopicIndices | None] = []
        indices_by_topics: dict[int, TopicIndices] = {}
        for first in firsts:
            if first is None:
                self._topic_indices.append(None)
                continue
            key = id(first.topics)
            if key not in indices_by_topics:
                place = {topic: index for index, topic in enumerate(first.topics)}
                indices_by_topics[key] = np.array([place[topic] for topic in topics], np.int64)
            self._topic_indices.append(indices_by_topics[key])

    def _column(self, run: int, name: str) -> Any:
        """A column of a run of which something is known, on the topics of the page."""
        return getattr(self._firsts[run], name)[self._topic_indices[run]]

    @property
    def known_runs(self) -> list[int]:
        """The runs of which something is known."""
        return [run for run, first in enumerate(self._firsts) if first is not None]

    def judged_shares(self) -> list[float | None]:
        """For each run which share of its first documents is judged: `RunInfo.judged_at_10`."""
        shares: list[float | None] = [None] * len(self._firsts)
        for run in self.known_runs:
            num_shown = self._column(run, "num_shown")
            has_topic = num_shown > 0
            if has_topic.any():
                judged = self._column(run, "num_judged")[has_topic]
                shares[run] = mean_of(judged / num_shown[has_topic])
        return shares

    def documents(self) -> TopDocuments | None:
        """The documents with their grades; None: they were only counted."""
        lists: list[tuple[tuple[str, ...], ...]] = [((),) * self.num_topics] * len(self._firsts)
        grades: list[dict[str, str]] = [{} for _ in range(self.num_topics)]
        has_documents = False
        for run in self.known_runs:
            first, indices = self._firsts[run], self._topic_indices[run]
            assert first is not None  # noqa: S101 - these runs are known
            if first.documents is None or first.grades is None or indices is None:
                continue
            has_documents = True
            lists[run] = tuple(first.documents[index] for index in indices.tolist())
            for of_topic, ids, index in zip(grades, lists[run], indices.tolist(), strict=True):
                texts = zip(ids, first.grades[index], strict=True)
                of_topic.update((id_, grade) for id_, grade in texts if grade != NOT_JUDGED)
        return TopDocuments(NUM_FIRST, tuple(lists), tuple(grades)) if has_documents else None

    def doubts(self, run_names: Sequence[str]) -> Iterator[str]:
        """What they say that makes numbers doubtful, a sentence each: ties, and equal lists."""
        runs = self.known_runs
        counts = [(int(self._column(run, "is_tied").sum()), run_names[run]) for run in runs]
        tied = [(count, name) for count, name in counts if count > _MANY_TIES * self.num_topics]
        if tied:
            tied.sort(key=lambda each: (-each[0], each[1]))
            texts = [f"{name} ({count_text(count, 'topic')})" for count, name in tied]
            yield (
                f"Equal scores at ranks {NUM_FIRST} and {NUM_FIRST + 1}, where the rule for ties "
                f"decides: {shortened_list(texts, 3)}."
            )
        if self.num_topics < _LEAST_TOPICS or not runs:
            return
        hashes = np.stack([self._column(run, "list_hashes") for run in runs])
        for run, own in enumerate(hashes[:-1]):
            num_same = (hashes[run + 1 :] == own).sum(axis=1)
            for other in np.flatnonzero(num_same >= _NEARLY_ALL * self.num_topics).tolist():
                yield (
                    f"{run_names[runs[run]]} and {run_names[runs[run + 1 + other]]} have the same "
                    f"first {NUM_FIRST} documents on {num_same[other]} of {self.num_topics} topics."
                )


def percent(share: float | None) -> str:
    """A share in whole per cent."""
    return "\u2013" if share is None else f"{whole_percent(share)}%"


def whole_percent(share: float) -> int:
    """How many, to the nearest."""
    return round(100 * share)


# --- Sentences on tests and intervals ---


ONLY_PAIR = "the only pair"
_TAILS: dict[str, str] = {
    "two-sided": "two-sided",
    "greater": "one-sided (whether a run is better)",
    "less": "one-sided (whether a run is worse)",
}


class InferenceSentences(NamedTuple):
    """How p was found, and what the intervals of differences are; both empty without a test."""

    on_p: str = ""
    on_intervals: str = ""

    def with_headings(self) -> tuple[str, str]:
        """The two as sentences that say themselves what they are about."""
        if not self.on_p:
            return "", ""
        return f"p: {self.on_p}", f"Intervals of differences: {self.on_intervals}"


def family_of_pairs(num_pairs: int, baselines: str = "") -> str:
    """The pairs that p is corrected for under each measure; `baselines`: those with these alone."""
    if baselines:
        return f"{count_text(num_pairs, 'pair')} with {baselines} under a measure"
    return ONLY_PAIR if num_pairs == 1 else f"all {num_pairs} pairs under a measure"


def inference_sentences(
    tests_done: Sequence[DoneTest],
    correction: str,
    ci: str,
    alpha: float,
    family: str,
    num_pairs: int,
    *,
    tail: Tail = "two-sided",
    num_resamples: int = 0,
    has_exact: bool = False,
) -> InferenceSentences:
    """How p was found and what it is corrected for; what the intervals are and hold for.

    Args:
        tests_done: on each measure.
        correction: its name in `CORRECTIONS`.
        ci: the name of the interval in `INTERVALS`.
        alpha: one less the level of the intervals.
        family: the pairs that p is corrected for, in words.
        num_pairs: how many.
        tail: the alternative.
        num_resamples: how many the test drew; 0: none.
        has_exact: whether some intervals are exact, since nothing varied.
    """
    test, corrected = TESTS[tests_done[0].test_name], CORRECTIONS[correction]
    drawn = f", {num_resamples:,} resamples" if num_resamples else ""
    on_p = f"{tests_done_text(tests_done, 'phrase')}, {_TAILS[tail]}{drawn}"
    exact = EXACT_WHERE_SAME * has_exact
    on_intervals = f"{100 * (1 - alpha):.6g}%"
    if test.simultaneous:
        return InferenceSentences(
            f"{on_p}, corrected in itself for {family}.",
            f"{on_intervals}, simultaneous for {family}, by the {test.phrase}{exact}.",
        )
    is_corrected = correction != "none" and family != ONLY_PAIR
    on_p += f", with {corrected.phrase} for {family}." if is_corrected else ", not corrected."
    on_intervals += f" {difference_interval_title(tests_done, INTERVALS[ci])}{exact}"
    if num_pairs == 1 or not corrected.familywise:
        return InferenceSentences(on_p, f"{on_intervals}, not simultaneous.")
    on_intervals += f", simultaneous for {family} (Bonferroni)."
    if corrected.steps_down:
        on_intervals += (
            " They are wider than the test needs: that of a significant difference may contain 0."
        )
    return InferenceSentences(on_p, on_intervals)


def inference_origin(
    sentences: InferenceSentences, test: str, correction: str, num_measures: int
) -> Iterator[tuple[str, str]]:
    """These sentences below headings of their own, and what another command corrects p for.

    Args:
        sentences: empty ones are left out.
        test: its name in `TESTS`.
        correction: its name in `CORRECTIONS`.
        num_measures: how many there are.
    """
    if not sentences.on_p:
        return
    yield "differences", as_sentence(sentences.on_intervals)
    yield "tests", as_sentence(sentences.on_p)
    if num_measures > 1 and correction != "none" and not TESTS[test].simultaneous:
        yield (
            "family",
            (
                "This page corrects p within each measure; irev compare corrects it over all "
                f"{num_measures} measures together, so its p may be larger."
            ),
        )


def reason_without_test(num_topics: int, num_runs: int) -> str:
    """Why nothing was tested."""
    if num_topics < 2:
        return "One topic gives no interval and no test."
    return "One run has nothing to be compared with." if num_runs < 2 else "No test was asked for."


# --- Warnings and lines of a result as sentences ---


_LISTED_ALIKE = 3
"""So many runs, or warnings of a kind, are told one by one."""


def notice_texts(notices: Sequence[Notice]) -> Iterator[str]:
    """Warnings, those that say the same of several runs as one, of each kind a few."""
    texts_by_kind: dict[str, list[str]] = {}
    runs_by_message: dict[tuple[str, str], list[str]] = {}
    for notice in notices:
        if notice.run:
            runs_by_message.setdefault((notice.kind, notice.message), []).append(notice.run)
        else:
            texts_by_kind.setdefault(notice.kind, []).append(str(notice))
    for (kind, message), runs in runs_by_message.items():
        texts = texts_by_kind.setdefault(kind, [])
        texts.append(f"{shortened_list(runs, _LISTED_ALIKE)}: {message}")
    for kind, texts in texts_by_kind.items():
        yield from texts[:_LISTED_ALIKE]
        if len(texts) > _LISTED_ALIKE:
            yield f"and {len(texts) - _LISTED_ALIKE} more like it: {KINDS[kind].meaning}"


def fewer_sentences(sentences: Iterable[str], most: int = 8) -> Iterator[str]:
    """The first of many sentences, and how many more there are."""
    listed = [*sentences]
    yield from listed[:most]
    if len(listed) > most:
        yield f"And {count_text(len(listed) - most, 'more such warning')}."


def verdict_sentence(verdict: PairVerdict, runs: Sequence[PageRun], decimals: int) -> str:
    """A verdict with the short names of the runs."""
    short_name_of = {run.name: run.short for run in runs}
    known = verdict.evidence
    names = [short_name_of[name] for name in (known.run, known.against)]
    shortened = replace(verdict, evidence=known._replace(run=names[0], against=names[1]))
    # a true minus before numbers alone: names have hyphens
    text = re.sub(r"(?<![^ (])-(?=\d)", "\u2212", shortened.words_with(decimals))
    return as_sentence(text, names)


def as_sentence(text: str, proper_names: Collection[str] = ()) -> str:
    """A line of a result with a capital and a full stop; a proper name at its start stays."""
    if not any(text.startswith(name) for name in proper_names):
        text = f"{text[:1].upper()}{text[1:]}"
    return f"{text}{'' if text.endswith(('.', '!', '?')) else '.'}"


def run_doubts(
    texts: Iterable[str],
    runs: Sequence[PageRun],
    rank: int,
    first_documents: FirstDocumentsOfRuns | None,
) -> Iterator[PageDoubt]:
    """What makes the numbers of some runs doubtful under any measure; of many the first.

    Args:
        texts: what is known to be doubtful, with the names of runs in full.
        runs: the runs.
        rank: up to which rank documents were counted that are judged.
        first_documents: those of the runs; None: nobody looked at them.
    """
    names = [run.short for run in runs]
    sentences = []
    shortened = [r for r in runs if r.short != r.name and len(r.name) > LONGEST_PLAIN_NAME]
    # the longest first, since a name may be in another
    shortened.sort(key=lambda run: len(run.name), reverse=True)
    for text in texts:
        for run in shortened:
            text = text.replace(run.name, run.short)
        sentences.append(as_sentence(text, names))
    shares = [(run.judged, run) for run in runs if run.judged is not None]
    low = [each for each in shares if whole_percent(each[0]) < whole_percent(ENOUGH_JUDGED)]
    if low:
        low.sort(key=lambda each: (each[0], each[1].name))
        listed = shortened_list([f"{run.short} ({percent(share)})" for share, run in low], 3)
        sentences.append(
            f"Fewer than {percent(ENOUGH_JUDGED)} of the first {rank} documents are judged: "
            f"{listed}. A document that is not judged counts as not relevant."
        )
    if first_documents is not None:
        sentences += first_documents.doubts(names)
    yield from map(PageDoubt, fewer_sentences(sentences))
