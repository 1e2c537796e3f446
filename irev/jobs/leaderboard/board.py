"""A board: runs in order, what is known of their places, and what is said of both.

`rank_runs` makes a `BoardPart` of a table of scores, on all topics or on one of the `topic_parts`.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import (
    Bools,
    Ints,
    MeasuresByRuns,
    PairValues,
    RunPlaces,
    RunsByRuns,
    RunValues,
    offsets,
)
from irev.core.judged import Column
from irev.core.record import cached_property, record
from irev.core.text import as_text, count_text, count_that_is, list_beginning, shortened_list
from irev.engine.join_scores import is_comparable, no_topics_message
from irev.errors import GENERAL_NOTE, KINDS, MismatchError, Notice, UsageError, id_text
from irev.jobs.leaderboard.teams import best_of_teams
from irev.jobs.pool.pool import parse_rate
from irev.measures.naming.resolve import (
    lower_is_better,
    matching_columns,
    mean_bounds_or_infinite,
    resolve_names,
)
from irev.read.topic_files import read_topic_ids
from irev.scores.scores import MISSING_TOPIC
from irev.scores.signature import ComparisonSignature, Signature, hash_of_topics
from irev.scores.table import RunInfo, ScoreTable
from irev.statistics.differences import (
    RunPairs,
    every_pair,
    groups_of_equals,
    mean_and_sd_of_differences,
    scale_of,
    zero_noise,
)
from irev.statistics.families import (
    group_labels,
    max_t,
    order_by_mean,
    pair_variance_ratios,
    places_by_letter_group,
)
from irev.statistics.intervals import (
    Intervals,
    are_equal_scores,
    endless_intervals_note,
    equal_score_notes,
    exact_intervals_text,
    fit_to_range,
)
from irev.statistics.methods import (
    CORRECTIONS,
    INTERVALS,
    TESTS,
    PValues,
    correct_p,
    difference_intervals,
    few_topics_warnings,
    simultaneous_intervals,
)
from irev.statistics.significance_tests import Moderation
from irev.statistics.verdicts import Evidence, PairVerdict, verdict_of

if TYPE_CHECKING:
    from irev.jobs.leaderboard.leaderboard import Board, LeaderboardOptions


# --- A board: its runs in order, and what is known of their places ---


@record
class TestedPairs:
    """All P pairs of S runs, (0, 1), (0, 2), ..., (S-2, S-1), as a test has them.

    corrected  float64[P]: p corrected for all pairs
    result     what the test found
    test_done  the name of the test, which may be another than was asked for
    """

    __test__ = False  # of runs, not of this program

    corrected: PairValues
    result: PValues
    test_done: str

    @property
    def moderation(self) -> Moderation | None:
        """What the variances of all pairs were drawn towards, where the test does that."""
        return self.result.moderation


@record(eq=True)
class Standing:
    """The place of a run on a board.

    run_index       its index in the table
    place           one plus the number of better runs; equal runs share a place
    low, high       the first and last place that it may have, for all runs at once; None without
                    a test
    groups          the groups it is in; empty without a test
    p_best          p of its difference from the best run, corrected; None for that one, without
                    a test
    p_above         likewise, from the run above
    wins_ties_losses  on how many topics it is better than the best run, as good, and worse
    team            its team
    runs_of_team    how many runs its team has
    """

    run_index: int
    place: int
    low: int | None
    high: int | None
    groups: str
    p_best: float | None
    p_above: float | None
    wins_ties_losses: tuple[int, int, int]
    team: str | None
    runs_of_team: int

    @property
    def tied_with_best(self) -> bool | None:
        """Whether no run is significantly better: its places include 1; None without a test."""
        return None if self.low is None else self.low == 1


@record
class BoardPart:
    """Runs in the order of one measure, on all topics or on some of them.

    name             which topics: "public", "private", a class; empty where it is all of them
    table            the scores
    by               the measure that orders the runs
    lower_is_better  whether lower values of it are better
    standings        best run first
    summary          float64[C, S]: means, or sums where the measure is a count
    low, high        float64[C, S]: the intervals of the means; NaN where there is none
    options          how it was made
    num_pairs        how many pairs were tested and p is corrected for; 0 without a test
    num_team_runs    how many runs these are the best of their teams of; 0 where all are shown
    test_notes       where the test assumes of differences what these are not
    tested           all pairs under that measure; None without a test
    all_runs         the scores of all runs that were tested, whichever are shown
    shown            which of these are on the board, by their indices
    """

    name: str
    table: ScoreTable
    by: str
    lower_is_better: bool
    standings: tuple[Standing, ...]
    summary: MeasuresByRuns
    low: MeasuresByRuns
    high: MeasuresByRuns
    options: LeaderboardOptions
    num_pairs: int
    num_team_runs: int
    test_notes: tuple[str, ...]
    tested: TestedPairs | None
    all_runs: ScoreTable
    shown: tuple[int, ...]

    @property
    def is_tested(self) -> bool:
        """Whether there was a test."""
        return self.num_pairs > 0

    @property
    def test_done(self) -> str:
        """The name of the test that was done, which may be another than was asked for."""
        return self.options.test if self.tested is None else self.tested.test_done

    @property
    def moderation(self) -> Moderation | None:
        """What the variances of all pairs were drawn towards, where the test does that."""
        return None if self.tested is None else self.tested.moderation

    @cached_property
    def verdict(self) -> PairVerdict | None:
        """What may be said of the best run and the second; None without a test."""
        return _verdict_on_best(self)

    @property
    def has_intervals(self) -> bool:
        """Whether means have intervals: those of one topic have none."""
        return self.options.ci != "none" and len(self.table.topics) > 1

    @property
    def order_text(self) -> str:
        """How the runs are ordered: "by decreasing map"."""
        return f"by {'increasing' if self.lower_is_better else 'decreasing'} {self.by}"

    @property
    def measure_index(self) -> int:
        """Which measure orders the runs, by its index."""
        return self.table.measure_names.index(self.by)

    def run_info(self, standing: Standing) -> RunInfo:
        """The run of a standing."""
        return self.table.runs[standing.run_index]


def rank_runs(
    table: ScoreTable,
    options: LeaderboardOptions,
    *,
    part_name: str = "",
    teams: Mapping[str, str] | None = None,
) -> BoardPart:
    """Put runs in order.

    By decreasing mean (increasing where lower values are better), equal means by name. All are
    weighted where topics have weights. Tests are of all pairs of the runs that are given, whichever
    are shown: that a run is the best of its team is seen from the same scores.

    Args:
        table: the scores.
        options: the choices; with `best_per_team` only the best run of each team is on the board,
            and a run without a team is one by itself.
        part_name: what the topics are.
        teams: run -> its team, for the runs that have one.
    """
    column = _ordering_column(table, options)
    teams = teams or {}
    team_sizes = Counter(teams[run] for run in table.run_names if run in teams)
    tested = compare_all_pairs(table, column, options)
    test_notes = () if tested is None else assumption_notes(table, column.name, tested.test_done)
    all_runs, num_runs, num_team_runs = table, len(table.runs), 0
    shown = [*range(num_runs)]
    p = None
    if tested is not None:
        pairs, p = every_pair(num_runs), np.ones((num_runs, num_runs))
        p[pairs.first, pairs.second] = tested.corrected
        p = np.minimum(p, p.T)
    if options.best_per_team:
        order = order_by_mean(table.merit(column.name))
        shown = sorted(best_of_teams(table.run_names, order.tolist(), teams))
        num_team_runs = num_runs if len(shown) < num_runs else 0
        table = table.select_runs(shown)
        p = None if p is None else p[np.ix_(shown, shown)]
    summary, low, high = _summary_and_interval_ends(table, options)
    return BoardPart(
        part_name,
        table,
        column.name,
        lower_is_better(column),
        tuple(_standings(table, column, p, options, teams, team_sizes)),
        summary,
        low,
        high,
        options,
        0 if p is None else num_runs * (num_runs - 1) // 2,
        num_team_runs,
        test_notes,
        tested,
        all_runs,
        tuple(shown),
    )


def _ordering_column(table: ScoreTable, options: LeaderboardOptions) -> Column:
    """The column that orders the runs: of several in one name the first that has a mean."""
    if options.by is None:
        return table.column()
    columns = matching_columns(options.by, table.columns, options)
    if columns:
        return next((column for column in columns if column.average == "mean"), columns[0])
    columns_of_name = [
        column for each in resolve_names([options.by], options) for column in each.columns
    ]
    if not any(map(is_comparable, columns_of_name)):
        raise UsageError(f"--by {options.by}: {no_topics_message(columns_of_name)}")
    names = ", ".join(table.measure_names[:8])
    raise UsageError(f"--by {options.by}: the runs have {names}; name it with -m too")


def _summary_and_interval_ends(
    table: ScoreTable, options: LeaderboardOptions
) -> tuple[MeasuresByRuns, MeasuresByRuns, MeasuresByRuns]:
    """The runs' means or sums, and the intervals of the means: float64[C, S] each."""
    size = (len(table.columns), len(table.runs))
    summary, low, high = np.empty(size), np.full(size, np.nan), np.full(size, np.nan)
    for row, column in enumerate(table.columns):
        if column.average == "sum":
            summary[row] = np.cumsum(table.values[row], axis=0)[-1]
            continue
        summary[row] = table.means(column.name)
        if options.ci != "none" and len(table.topics) > 1:
            settings = options.inference_settings(options.resamples)._replace(df=table.df)
            scores = table.linearised_score_matrix(column.name)
            intervals = INTERVALS[options.ci].compute(scores, None, settings)
            bounds = mean_bounds_or_infinite(
                column, table.values[row], are_estimates=table.is_estimated
            )
            intervals = fit_to_range(intervals, *bounds)
            low[row], high[row] = intervals.low, intervals.high
    return summary, low, high


def _standings(
    table: ScoreTable,
    column: Column,
    p: RunsByRuns | None,
    options: LeaderboardOptions,
    teams: Mapping[str, str],
    team_sizes: Mapping[str, int],
) -> list[Standing]:
    """The runs, the best first; `p` is float64[S, S], of all pairs."""
    merit = table.merit(column.name)
    order = order_by_mean(merit)
    place = places_of_means(merit).tolist()
    lows: list[int | None] = [None] * len(order)
    highs, labels = lows, [""] * len(order)
    if p is not None:
        differ = p <= options.alpha
        lows, highs = (limit.tolist() for limit in place_limits(merit, differ))
        # letters, or numbers if there are many groups
        np.fill_diagonal(differ, False)
        labels = group_labels(places_by_letter_group(differ, order), len(order))
    scores = table.scores(column.name)
    gains = zero_noise(scores - scores[:, order[:1]], scale_of(scores))
    if lower_is_better(column):
        gains = -gains
    names, standings = table.run_names, []
    for rank, run_index in enumerate(order.tolist()):
        p_best = p_above = None
        if p is not None and rank:
            p_best, p_above = (float(p[run_index, order[other]]) for other in (0, rank - 1))
        gain, team = gains[:, run_index], teams.get(names[run_index])
        wins, losses = int((gain > 0).sum()), int((gain < 0).sum())
        standings.append(
            Standing(
                run_index,
                place[run_index],
                lows[run_index],
                highs[run_index],
                labels[rank],
                p_best,
                p_above,
                (wins, len(gain) - wins - losses, losses),
                team,
                team_sizes.get(team, 1) if team else 1,
            )
        )
    return standings


def places_of_means(means: RunValues) -> RunPlaces:
    """int64[S]: one plus the number of runs with a higher mean; equal means share a place."""
    group = groups_of_equals(-means, scale_of(means))
    num_before = offsets(np.bincount(group))
    place: Ints = num_before[group] + 1
    return place


def place_limits(means: RunValues, runs_differ: Bools) -> tuple[RunPlaces, RunPlaces]:
    """The first and the last place that each run may have: int64[S] each.

    1 + the runs that are shown to be better, and S less those that are shown to be worse. If the
    chance of any false rejection among all pairs is at most alpha, all true places lie within with
    chance 1 - alpha at least.

    Args:
        means: float64[S], the higher the better.
        runs_differ: bool[S, S], which runs the tests tell apart.

    Source: M. Mogstad, J. Romano, A. Shaikh and D. Wilhelm, Review of Economic Studies 91, 2024.
    """
    better = runs_differ & (means[None, :] > means[:, None])
    worse = runs_differ & (means[None, :] < means[:, None])
    low: Ints = 1 + better.sum(axis=1)
    high: Ints = len(means) - worse.sum(axis=1)
    return low, high


# --- The tests of all pairs of runs under one measure ---


def compare_all_pairs(
    table: ScoreTable, column: Column, options: LeaderboardOptions
) -> TestedPairs | None:
    """The test of all pairs of runs under a measure; None where nothing can be tested."""
    num_runs = len(table.runs)
    if options.test == "none" or len(table.topics) < 2 or num_runs < 2:
        return None
    test, pairs = TESTS[options.test], every_pair(num_runs)
    score_matrix = (
        table.weighted_score_matrix(column.name)
        if test.counts_signs
        else table.linearised_score_matrix(column.name)
    )
    settings = options.inference_settings(options.num_resamples(len(pairs)))._replace(df=table.df)
    upward = -score_matrix if lower_is_better(column) else score_matrix
    result = test.compute(upward, pairs, settings)
    corrected = result.corrected
    if CORRECTIONS[options.correction].only_test:
        step_down = max_t(
            score_matrix,
            pairs,
            num_resamples=settings.num_resamples,
            seed=options.seed,
            threads=settings.threads or 1,
        )
        corrected = np.maximum(step_down.p, corrected)
    elif not test.simultaneous:
        # numerical noise may leave a p just above 1
        corrected = correct_p(np.minimum(1.0, corrected), options.correction)
    return TestedPairs(corrected, result, result.done or options.test)


def all_pair_intervals(
    table: ScoreTable, column: Column, options: LeaderboardOptions, tested: TestedPairs
) -> Intervals:
    """The mean differences of all pairs, with intervals that hold at once as their p do."""
    pairs = every_pair(len(table.runs))
    return _pair_intervals(table, column, options, tested, pairs, len(pairs))


def _pair_intervals(
    table: ScoreTable,
    column: Column,
    options: LeaderboardOptions,
    tested: TestedPairs,
    pairs: RunPairs,
    num_at_once: int,
) -> Intervals:
    """Those of some pairs, which hold with so many others; of all of them where the test asks."""
    test = TESTS[options.test]
    score_matrix = table.linearised_score_matrix(column.name)
    alpha = options.alpha if test.simultaneous else options.alpha / num_at_once
    settings = options.inference_settings(options.resamples)._replace(df=table.df, alpha=alpha)
    interval = INTERVALS["t" if options.ci == "none" else options.ci]
    low_bound, high_bound = mean_bounds_or_infinite(
        column, table.scores(column.name), are_estimates=table.is_estimated
    )
    width = high_bound - low_bound
    intervals = difference_intervals(test, interval, score_matrix, pairs, settings, width)
    if not test.simultaneous:
        return intervals
    # the test has them of the scores turned round where lower is better
    sign = -1 if lower_is_better(column) else 1
    upward = simultaneous_intervals(
        sign * intervals.mean, tested.result, alpha, intervals.num_topics, len(pairs), width
    )
    ends = (upward.low, upward.high) if sign == 1 else (-upward.high, -upward.low)
    none = np.zeros(len(pairs), bool)
    turned = replace(upward, mean=intervals.mean, low=ends[0], high=ends[1], is_constant=none)
    return fit_to_range(turned, -width, width)


def _verdict_on_best(part: BoardPart) -> PairVerdict | None:
    """What the test of all pairs says of the best run and the second; of sums, in sums."""
    tested, table, options = part.tested, part.all_runs, part.options
    if tested is None or len(part.standings) < 2:
        return None
    column = table.column(part.by)
    best, second = (part.shown[each.run_index] for each in part.standings[:2])
    # the names of the board, which may be made up
    names = [part.run_info(each).name for each in part.standings[:2]]
    first, other = names if best < second else names[::-1]
    all_pairs = every_pair(len(table.runs))
    is_pair = (all_pairs.first == min(best, second)) & (all_pairs.second == max(best, second))
    place = int(is_pair.nonzero()[0][0])
    pair = RunPairs(all_pairs.first[[place]], all_pairs.second[[place]])
    test, result = TESTS[tested.test_done], tested.result
    at, pairs = place, all_pairs
    is_resampled = options.ci != "none" and INTERVALS[options.ci].default_resamples
    if is_resampled and not test.simultaneous:  # which takes long for all pairs
        at, pairs = 0, pair
    intervals = _pair_intervals(table, column, options, tested, pairs, len(all_pairs))
    summary = mean_and_sd_of_differences(table.linearised_score_matrix(part.by), pair)
    towards = -1.0 if part.lower_is_better else 1.0
    favours = None
    if "w_plus" in result.facts:
        favours = result.facts["w_plus"][place] - result.facts["w_minus"][place]
    elif test.question:
        wins, _, losses = part.standings[1].wins_ties_losses
        favours = float(losses - wins if best < second else wins - losses)
    scale = len(table.topics) if column.average == "sum" else 1
    ends = [float(scale * end[at]) for end in (intervals.low, intervals.high)]
    sd, df = (result.facts.get(name) for name in ("s_moderated", "df"))
    low_bound, high_bound = mean_bounds_or_infinite(
        column, table.scores(part.by), are_estimates=table.is_estimated
    )
    low, high = ends if towards > 0 else (-ends[1], -ends[0])
    return verdict_of(
        Evidence(
            first,
            other,
            part.by,
            difference=towards * scale * float(summary.mean[0]) + 0.0,
            low=low + 0.0,
            high=high + 0.0,
            sd=scale * float(summary.sd[0] if sd is None else sd[place]),
            num_topics=len(table.topics),
            p=float(tested.corrected[place]),
            num_differing=int(
                mean_and_sd_of_differences(table.weighted_score_matrix(part.by), pair).nonzero[0]
            ),
            is_constant=bool(summary.constant[0]),
            df=table.df if df is None else float(df[place]),
            alpha=options.alpha,
            num_hypotheses=part.num_pairs,
            lower_is_better=part.lower_is_better,
            width=scale * (high_bound - low_bound),
            favours=favours,
            topics_of_weight=None if table.df is None else table.df + 1,
        )
    )


def lead_text(part: BoardPart, decimals: int) -> str:
    """The verdict on the best run; where nothing was tested, who leads, and that it was not."""
    if part.verdict is not None:
        return part.verdict.words_with(decimals)
    names = [part.run_info(each).name for each in part.standings]
    values = [float(part.summary[part.measure_index, each.run_index]) for each in part.standings]
    first = f"{values[0]:.{decimals}f}"
    if len(names) == 1:
        return f"one run, {names[0]}: {part.by} {first}"
    topics = count_text(len(part.table.topics), "topic")
    num_leading = sum(each.place == 1 for each in part.standings)
    if num_leading > 1:
        leading = shortened_list(names[:num_leading])
        return f"not tested: {leading} lead with the same mean ({part.by} {first}, {topics})"
    by = f"{abs(values[0] - values[1]):.{decimals}f}"
    return (
        f"not tested: {names[0]} leads {names[1]} by {by} ({part.by} {first} against "
        f"{values[1]:.{decimals}f}, {topics})"
    )


def assumption_notes(table: ScoreTable, measure: str, test_done: str) -> tuple[str, ...]:
    """Where the differences are not as the test assumes, a line each."""
    test, score_matrix = TESTS[test_done], table.linearised_score_matrix(measure)
    notes: list[str] = []
    if test.assumes_equal_variances:
        notes += pair_variance_ratios(score_matrix).warnings([test_done])
    pairs = every_pair(score_matrix.shape[1])
    notes += few_topics_warnings(score_matrix, pairs, [test_done])
    return tuple(notes)


# --- Which topics: all, public and private ones, classes ---


PUBLIC, PRIVATE = "public", "private"


@record
class TopicPart:
    """Some of the topics.

    name   what it is called; empty for all topics
    table  the scores on them
    """

    name: str
    table: ScoreTable


def topic_parts_and_note(
    table: ScoreTable, options: LeaderboardOptions
) -> tuple[list[TopicPart], str]:
    """The parts of the topics that have a board each, and what a reader must know; or ""."""
    if options.public is None:
        return [*part_and_its_classes(TopicPart("", table))], ""
    public, note = _public_topics(table, options.public, options.seed)
    parts = split_topics(table, public)
    shown = [part for part in parts if options.only in (None, part.name)]
    return [inner for part in shown for inner in part_and_its_classes(part)], note


def _public_topics(
    table: ScoreTable, public: str | os.PathLike[str] | float, seed: int
) -> tuple[frozenset[bytes], str]:
    """The public topics, those listed in a file or a share of all, and a note on them."""
    if isinstance(public, str | os.PathLike) and os.path.isfile(public):
        listed = frozenset(read_topic_ids(os.fspath(public)))
        unknown = sorted(listed.difference(table.topics))
        if not unknown:
            return listed, ""
        which = f"{count_that_is(len(unknown), 'topic')} listed as public, but not judged"
        return listed, f"{which}: {list_beginning(unknown)}"
    try:
        share = parse_rate(str(public))
    except UsageError:
        raise UsageError(
            f"--public {public}: must be an existing file or a share such as 30%"
        ) from None
    return draw_public_topics(table.topics, share, seed), ""


def draw_public_topics(topics: Sequence[bytes], share: Fraction, seed: int) -> frozenset[bytes]:
    r"""A share of the topics: those with the lowest SHA-256 of `SEED \0 public \0 TOPIC`.

    The number is rounded, halves upward; at least 1, and one less than all of them at most. A
    larger share of the same seed holds a smaller one.
    """
    if len(topics) < 2:
        raise UsageError("--public: with one topic there is nothing to divide")
    nearest = (2 * share.numerator * len(topics) + share.denominator) // (2 * share.denominator)
    size = min(max(1, nearest), len(topics) - 1)

    def key(topic: bytes) -> bytes:
        return hashlib.sha256(b"%d\0public\0%s" % (seed, topic)).digest()

    return frozenset(sorted(topics, key=key)[:size])


def split_topics(table: ScoreTable, public: frozenset[bytes]) -> tuple[TopicPart, TopicPart]:
    """The public topics and the private ones."""
    mask = np.array([topic in public for topic in table.topics])
    if mask.all() or not mask.any():
        which = "every topic is public" if mask.all() else "none of the topics is public"
        raise MismatchError(f"{which}: both parts need at least one topic")
    return (
        TopicPart(PUBLIC, table.select_topics(mask)),
        TopicPart(PRIVATE, table.select_topics(~mask)),
    )


def part_and_its_classes(part: TopicPart) -> Iterator[TopicPart]:
    """A part, and behind it its topics of each class, where there are classes."""
    yield replace(part, table=replace(part.table, classes=None))
    for name, members in (part.table.classes or {}).items():
        if members.any():
            class_name = f"{part.name}, {name}" if part.name else name
            yield TopicPart(class_name, part.table.select_class(name))


def without_topics(notices: Iterable[Notice], hidden: Sequence[bytes]) -> Iterator[Notice]:
    """The notices, none of which names one of some topics.

    Where a word may be such a topic the kind is said alone, and a note of no kind is left out.
    """
    ids = "|".join(re.escape(id_text(topic)) for topic in hidden)
    names_hidden = re.compile(rf"(?<!\w)(?:{ids})(?!\w)").search
    for notice in notices:
        # what a run lacks was counted anew among the other topics
        if notice.kind == MISSING_TOPIC or not names_hidden(f"{notice.message} {notice.hint}"):
            yield notice
        elif notice.kind != GENERAL_NOTE:
            yield notice._replace(message=KINDS[notice.kind].meaning, hint="")


# --- What is said of a board: by topic, its signatures, how its numbers were made ---


class TopicRow(NamedTuple):
    """The scores of a topic: the best with the runs that have it, the median, the worst."""

    topic: str
    best: float
    runs: tuple[str, ...]
    median: float
    worst: float


def topic_rows(part: BoardPart) -> list[TopicRow]:
    """For each topic the best, the median and the worst score of the runs on a board."""
    scores = part.table.scores(part.by)
    upward = -scores if part.lower_is_better else scores
    scale = scale_of(scores)
    rows = []
    for topic, values, signed in zip(part.table.topics, scores, upward, strict=True):
        group = groups_of_equals(signed, scale)
        runs = [part.table.run_names[index] for index in np.flatnonzero(group == group.max())]
        best, worst = float(values[signed.argmax()]), float(values[signed.argmin()])
        rows.append(TopicRow(as_text(topic), best, tuple(runs), float(np.median(values)), worst))
    return rows


def run_signature(part: BoardPart, only_run: RunInfo | None = None) -> Signature | None:
    """What the values of a run on a board came from; without a run, what all of them share.

    Topics that are only some of those evaluated are named by the hash of their list.
    """
    runs = part.table.runs if only_run is None else (only_run,)
    signatures = [run.signature for run in runs if run.signature]
    if not signatures:
        return None
    first = signatures[0]
    options, files = dict(first.options), dict(first.files)
    if part.name:
        options["topics"] = "listed"
        files["topics"] = hash_of_topics(part.table.topics)
    return replace(
        first,
        options=options,
        files=files,
        run=None if only_run is None else first.run,
        divisor=len(part.table.topics),
        seed=part.options.seed,
        dropped=sum(signature.dropped for signature in signatures),
    )


def short_run_signatures(part: BoardPart) -> Iterator[str]:
    """The short signature of the board for each of its standings.

    What the run's scores came from stands in it in place of what all scores share; the rest, in
    which all runs have a share, is the same for all.
    """
    signature = board_signature(part)
    rest = "" if signature is None else signature.short.removeprefix(signature.shared.short)
    for standing in part.standings:
        own = run_signature(part, part.run_info(standing))
        yield "" if own is None else replace(own, seed=None).short + rest


def board_signature(part: BoardPart) -> ComparisonSignature | None:
    """What a board came from: what its scores share, its runs, and the choices of the board."""
    shared = run_signature(part)
    if shared is None:
        return None
    options = part.options
    num_resamples = options.num_resamples(part.num_pairs) if part.is_tested else 0
    resamples = {"test": num_resamples} if num_resamples else {}
    if options.ci != "none" and INTERVALS[options.ci].default_resamples:
        resamples["bootstrap"] = options.resamples
    is_corrected_in_itself = options.test in TESTS and TESTS[options.test].simultaneous
    choices = {
        "by": part.by,
        "test": part.test_done if part.is_tested else "none",
        "correction": None if is_corrected_in_itself else options.correction,
        "interval": options.ci,
        "alpha": options.alpha,
        "resamples": resamples,
        "seed": options.seed,
        "family": part.num_pairs,
    }
    runs = {
        run.name: (run.signature and run.signature.run) or run.sha256 for run in part.table.runs
    }
    return ComparisonSignature(replace(shared, seed=None), runs, choices)


def fact_lines(part: BoardPart) -> Iterator[str]:
    """How the numbers of a board were made, a line each."""
    yield from score_fact_lines(part)
    yield from _test_fact_lines(part)
    if part.options.ci != "none" and len(part.table.topics) < 2:
        yield "with one topic there is no interval"
    if len(part.table.runs) > 1:
        yield "w/t/l: topics on which a run is better than the best run, equal to it, and worse"


def score_fact_lines(part: BoardPart) -> Iterator[str]:
    """Of these lines those on means and their intervals, which stand first."""
    table, options = part.table, part.options
    num_topics = len(table.topics)
    weighted = ", weighted means" if table.weights is not None else ""
    topics = (
        f"{count_text(num_topics, 'topic')}{weighted}; a judged topic that a run lacks counts as 0"
    )
    if table.common_topics_text:
        topics = f"{table.common_topics_text}{weighted}"
    yield f"{count_text(len(table.runs), 'run')} {part.order_text}, {topics}"
    level = f"{100 * (1 - options.alpha):g}%"
    if part.has_intervals:
        interval = INTERVALS[options.ci]
        method_text = interval.phrase
        if interval.default_resamples:
            method_text += f" {options.resamples} resamples of the topics, seed {options.seed}"
        matrices = [table.linearised_score_matrix(column.name) for column in table.columns]
        exact = exact_intervals_text(matrices)
        yield f"{level} interval: of the mean, {method_text}{exact}, not simultaneous"
        if interval.may_be_endless:
            ends = zip(table.measure_names, part.low, part.high, matrices, strict=True)
            for name, low, high, matrix in ends:
                intervals = Intervals(
                    low, low, high, 1 - options.alpha, num_topics, are_equal_scores(matrix)
                )
                for line in endless_intervals_note(intervals, "means", interval.title):
                    yield f"{name}: {line}"
    if part.num_team_runs:
        yield (
            f"the best run of each team of {count_text(part.num_team_runs, 'run')}, chosen by "
            "these same scores: the means of such chosen runs are on average a little too high"
        )


def _test_fact_lines(part: BoardPart) -> Iterator[str]:
    options = part.options
    if not part.is_tested:
        if options.test != "none":
            yield "no test: a test needs at least two runs and two topics"
        return
    test, num_pairs = TESTS[part.test_done], part.num_pairs
    num_topics = len(part.table.topics)
    num_resamples = options.num_resamples(num_pairs)
    resampling_text = f", {num_resamples} resamples, seed {options.seed}" if num_resamples else ""
    test_phrase = test.phrase
    if not test.simultaneous:
        correction = CORRECTIONS[options.correction].phrase
        test_phrase = test_phrase.replace(" test", " tests") + f" with {correction}"
    team_text = f" of the {part.num_team_runs} runs" if part.num_team_runs else ""
    if test.question:
        test_phrase += f" (which tests {test.question})"
    yield (
        f"p: difference from the best run; {test_phrase}, two-sided, n = "
        f"{count_text(num_topics, 'topic')}, p corrected for the family of "
        f"{'1 pair' if num_pairs == 1 else f'all {num_pairs} pairs'}{team_text} under {part.by}"
        f"{resampling_text}; alpha {options.alpha:g}"
    )
    if part.moderation is not None:
        yield part.moderation.text()
    elif part.tested is not None and part.tested.result.reason:
        yield part.tested.result.reason
    yield (
        f"{100 * (1 - options.alpha):g}% places: those that the tests leave open, for all runs at "
        "once"
    )
    yield "tied with best: no run is significantly better"
    yield "runs in the same group do not differ significantly; that does not make them equal"
    yield from part.test_notes
    yield from (f"{part.by}: {line}" for line in equal_score_lines(part, part.by))


def equal_score_lines(part: BoardPart, measure: str) -> Iterator[str]:
    """Which runs have the same score on all topics, by the names that the board shows."""
    if part.has_intervals:
        yield from equal_score_notes(part.table.scores(measure), part.table.run_names)


def missing_topic_and_repeated_document_lines(part: BoardPart) -> Iterator[str]:
    """Which runs lack judged topics, or had repeated lines left out."""
    yield from map(str, part.table.missing_topic_warnings)
    for run in part.table.runs:
        if run.duplicates:
            lines = count_text(run.duplicates, "repeated line")
            yield f"{run.name}: {lines} left out, the first of each document kept"


def part_heading(board: Board, part: BoardPart) -> str:
    """The title of a board; empty where it is the only one."""
    return ": ".join(filter(None, (board.name, part.name)))


def other_measure_indices(part: BoardPart) -> Sequence[int]:
    """The measures that do not order the runs, by their indices."""
    return [index for index in range(len(part.table.columns)) if index != part.measure_index]
