"""What a page of results shows: records, whose numbers are rounded as the page holds them.

Scores and the intervals of differences are in ten-thousandths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    MeansLowsHighs,
    MeasuresByTopicsByRuns,
    PairValues,
    RunValues,
    TopicsByRunsMask,
)
from irev.core.record import record

if TYPE_CHECKING:
    from irev.core.short_names import ShortNames
    from irev.writers.results_page.documents import TopDocuments

UNIT = 1e-4
"""What scores and the ends of intervals of differences are counted in."""

_MEAN_DIGITS = 12
_ROUNDING = 0.5
"""In ten-thousandths: intervals whose middle is nearer to the difference are symmetric."""


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
    """

    name: str
    short: str
    team: str = ""
    judged: float | None = None
    missing: tuple[int, ...] = ()


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
    """A value of each run at some ranks: `values[s][k]` is that of run s at `ranks[k]`."""

    title: str
    ranks: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]


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


class ResultsPage(NamedTuple):
    """A page: its title and its parts, of which a reader chooses one."""

    title: str
    parts: tuple[PagePart, ...]


def rounded_means(means: RunValues, low: RunValues, high: RunValues) -> MeansLowsHighs:
    """Means with the ends of their intervals, to 12 significant digits."""
    stacked = np.stack([means, low, high], axis=-1)
    stacked[~np.isfinite(stacked)] = np.nan
    rounded = [float(f"{value:.{_MEAN_DIGITS}g}") for value in stacked.ravel().tolist()]
    return np.array(rounded).reshape(stacked.shape)


def rounded_scores(
    scores: MeasuresByTopicsByRuns, lacks: TopicsByRunsMask
) -> MeasuresByTopicsByRuns:
    """Scores in whole ten-thousandths; NaN where a run lacks the topic and that counts as 0."""
    counted: Floats = np.round(scores / UNIT)
    counted[~np.isfinite(counted) | (lacks & (counted == 0))] = np.nan
    return counted


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
        is_symmetric = np.isnan(differences) | (np.abs(middle - differences) <= _ROUNDING * UNIT)
    if is_symmetric.all():
        return PairOutcomes(rounded_p, np.round((high - low) / 2 / UNIT), None, None)
    return PairOutcomes(rounded_p, None, *(np.round(end / UNIT) for end in (low, high)))


def _rounded_p(p: float, alpha: float) -> float:
    """A p with the decimals that are shown; of small ones three digits."""
    if p != p:
        return p
    rounded = round(p, 4) if p >= 0.01 else round(p, 6) if p >= UNIT else float(f"{p:.3g}")
    return rounded if (rounded <= alpha) == (p <= alpha) else p
