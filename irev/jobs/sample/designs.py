"""Designs of judgment samples: which rows of finished qrels are kept, and what rankings are then.

All of them draw by keys (`core.draws`), so that they depend on the seed, the replicate, the topics
and the documents alone. Only judged documents (grade at least 0) are drawn from: one that is pooled
but unjudged stays that, and counts for no size.

Where a design is to leave every topic a relevant document, a topic whose sample has none is drawn
again with the next attempt, as long as its judgments have one. Samples nest as the rate grows but
for such topics, which are named. Below: rankings and strata as they are under samples.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from irev.core.arrays import (
    Bools,
    DocumentRanks,
    Floats,
    Ints,
    ListIndices,
    RowIndices,
    RowMask,
    TopicOfRow,
    TopicsByMeasures,
    Words,
    offsets,
    ranges,
    ratio,
    run_starts,
    segment_starts,
    segment_sums,
)
from irev.core.draws import EVERY_TOPIC, keys_of_rows, lowest_keys_mask, sample_size
from irev.core.ids import Ids
from irev.core.judged import POOLED, Input, Judged, Qrels, Rows, SampledJudged, Settings, Strata
from irev.core.option_records import Opt
from irev.core.record import cached_property, record
from irev.core.text import parse_whole
from irev.core.workers import default_threads
from irev.engine.evaluate import RunEvaluator
from irev.engine.map_topics import map_topics, read_excluded
from irev.engine.prepared_judgments import PreparedJudgments, RunPart, unjudged_as_nonrelevant
from irev.engine.run_facts import JudgedCounts
from irev.errors import Notice, UsageError, id_text, note
from irev.jobs.pool.pool import RankStratum, options_but, parse_rate_or_strata
from irev.measures.naming.resolve import resolve_names
from irev.measures.requests import Request, close_scales, join_rankings
from irev.measures.unjudged import document_gains, estimable_and_ideal_requests
from irev.options import LEVEL, PREDICTED, REPEAT, SAMPLES, SEED, EvaluationOptions, Options
from irev.rank.judgments import GradedJudgments, SampleJudgments
from irev.rank.ranking import Ranked, RankingRule, rank_rows
from irev.read.formats import run_layout
from irev.read.stream import read_all, take_lines

SampleMethod = Literal["uniform", "strata", "buckley-voorhees", "budget", "collection", "documents"]


class SamplingPlan(NamedTuple):
    """Designs of samples, and how many are drawn of each.

    rates   texts such as "10%" or "0.1", or strata of the documents' best ranks over the runs,
            such as "1-10=100%,11-50=30%"
    seed    what the samples depend on, beside topics and documents
    repeat  how many samples of each design
    """

    rates: Sequence[str]
    seed: int = 0
    repeat: int = 10


class SampledEvaluationOptions(EvaluationOptions):
    """Which samples of complete judgments runs are evaluated under, and how."""

    without: ClassVar[Sequence[str]] = PREDICTED

    samples: Annotated[
        Sequence[str],
        SAMPLES.replace(
            help="What is drawn: rates, such as 10% or 0.1, and strata of the ranks of the pool of "
            "all runs, such as 1-10=100%,11-50=30%."
        ),
    ] = ()
    """Designs of samples: rates, such as "10%" or "0.1", and strata of the ranks of the pool of all
    runs, such as "1-10=100%,11-50=30%"."""
    repeat: Annotated[int, REPEAT.replace(help="How many samples are drawn of each design.")] = 10
    """How many samples are drawn of each design."""
    per_topic: Annotated[
        bool, Opt("-q", help="Whether there are estimates of each topic, too.")
    ] = False
    """Whether there are estimates of each topic, too."""
    sign: Annotated[
        bool,
        Opt(effect="nothing", help="Whether the scores under all judgments carry a signature."),
    ] = False
    """Whether the scores under all judgments carry a signature."""
    keep_going: Annotated[
        bool,
        Opt(
            effect="nothing", help="Whether a run that cannot be read is left out: `broken` has it."
        ),
    ] = False
    """Whether a run that cannot be read is left out, rather than an error."""

    @property
    def plan(self) -> SamplingPlan:
        """What is drawn."""
        return SamplingPlan(self.samples, self.seed, self.repeat)


class SampleOptions(Options):
    """What is drawn, how many times, and how judgments and runs are read."""

    without: ClassVar[tuple[str, ...]] = options_but(
        "real_grades", "grade_map", "run_format", "columns", "exclude", "passages"
    )

    rate: Annotated[Any, Opt(
        "--rate", metavar="RATE", help_order=-9, parse=parse_rate_or_strata,
        help="Share to keep: 10% or 0.1, or by ranks of the pool, 1-10=100%,11-50=30%. 51-=5% "
        "covers all deeper documents and those that no run retrieved.",
    )] = None  # fmt: skip
    """The share to keep, a number or a text, or the text of strata; parsed when the record is made:
    a `Fraction`, or the strata of ranks."""
    by: Annotated[SampleMethod | None, Opt(
        "--by", help_order=-8,
        help="Sampling method. Default: uniform; strata if RATE names ranks; budget with --budget.",
    )] = None  # fmt: skip
    """The method; None: the one that rate and budget stand for."""
    budget: Annotated[int | Mapping[str, int] | str | os.PathLike[str] | None, Opt(
        "--budget", metavar="N|FILE", file="maybe", help_order=-7,
        help="Keep N judged documents of each topic, or as many as FILE says, one TOPIC N per "
        "line.",
    )] = None  # fmt: skip
    """How many judged documents of each topic are kept, or of which topic how many."""
    width: Annotated[float | None, Opt(
        "--width", metavar="X", help_order=-2,
        help="With --by documents: say how many judgments 95% intervals of width X need.",
    )] = None  # fmt: skip
    """How wide the intervals of a mean may be, for which the number of judgments is worked out."""
    measure: Annotated[str, Opt(
        "--measure", metavar="NAME", help_order=-2,
        help="With --width: the measure that the intervals are of: P@k, RBP, CG, DCG@k.",
    )] = "P@10"  # fmt: skip
    """The measure of these intervals."""
    model_error: Annotated[float, Opt(
        "--model-error", metavar="X", help_order=-2,
        help="With --width: the error that a model's judgments leave, as a share of the error "
        "without them. It is the column width of a first sample; 1 is without a model.",
    )] = 1.0  # fmt: skip
    """Which share of the errors stays with a model; 1: there is none."""
    seed: Annotated[int, SEED.replace(help_order=-6, least=None, help="Seed of the sample.")] = 0
    replicate: Annotated[int, Opt(
        "--replicate", metavar="N", help_order=-5, least=0,
        help="Number of the sample, if you draw several with one seed.",
    )] = 0  # fmt: skip
    level: Annotated[
        float,
        LEVEL.replace(
            help_order=-4,
            help="Smallest grade that counts as relevant. A topic is drawn again until its sample "
            "contains such a document.",
        ),
    ] = 1
    repeat: Annotated[int, Opt(
        "--repeat", metavar="N", help_order=-3, least=1, most=10_000_000,
        help="Draw N samples, numbered from --replicate on.",
    )] = 1  # fmt: skip

    def _check(self) -> None:
        super()._check()
        if self.width is not None:
            if self.by != "documents":
                raise UsageError("--width needs --by documents")
            if not 0 < self.width < math.inf:
                raise UsageError(f"--width must be above 0, not {self.width:g}")
        if not 0 < self.model_error <= 1:
            raise UsageError(
                f"--model-error must be above 0 and at most 1, not {self.model_error:g}"
            )
        if self.rate is not None:
            try:
                vars(self)["rate"] = parse_rate_or_strata(self.rate)
            except UsageError as error:
                raise UsageError(f"--rate: {error}") from None

    @property
    def method(self) -> SampleMethod:
        """How documents are drawn."""
        if self.by is not None:
            return self.by
        if self.budget is not None:
            return "budget"
        return "strata" if isinstance(self.rate, tuple) else "uniform"


# --- Which rows of finished qrels are kept ---

LEAST_DRAWN = 2
"""Of a stratum so many documents are drawn at least where their variance is to be known."""

LEAST_NONRELEVANT = 10
"""How many non-relevant documents of a topic Buckley and Voorhees keep at least."""


@record
class RowSample:
    """What was drawn from qrels of M rows and T topics.

    is_drawn  bool[M], the rows that keep their grade
    redrawn   int64[], the topics that were drawn more than once, rising: their samples do not nest
    """

    is_drawn: Bools
    redrawn: Ints


def draw_uniform(
    qrels: Qrels, rate: Fraction, seed: int, replicate: int = 0, *, level: float = 1
) -> RowSample:
    """A part of each topic's judged documents, each as likely as the others.

    Yilmaz and Aslam (CIKM 2006): n of a topic's documents without replacement, n being the rate's
    share, rounded half up and at least 1; drawn again while none of them is relevant.

    Args:
        qrels: judgments, one list for each topic.
        rate: the share that is kept, above 0 and at most 1.
        seed: any whole number.
        replicate: which of several samples of one seed, from 0.
        level: the smallest relevant grade.
    """
    one_stratum: Ints = np.zeros(len(qrels.grade), np.int64)
    return draw_strata(qrels, one_stratum, [rate], seed, replicate, level=level)


def draw_strata(
    qrels: Qrels,
    stratum_of_row: Ints,
    rates: Sequence[Fraction],
    seed: int,
    replicate: int = 0,
    *,
    level: float = 1,
) -> RowSample:
    """A part of each stratum of each topic, each stratum with its own rate.

    Sizes are those of `draw_uniform` in each stratum that holds a judged document; a topic is drawn
    again while none of its strata gave a relevant one.

    Args:
        qrels: judgments, one list for each topic.
        stratum_of_row: int64[M], the stratum of each row, 0..S-1; -1: in none, and not kept.
        rates: the rates of the S strata.
        seed: any whole number.
        replicate: which of several samples of one seed, from 0.
        level: the smallest relevant grade.
    """
    rows, group, _, sizes = _strata_of_topics(qrels, stratum_of_row, rates)
    return _draw_rows(qrels, rows, group, sizes, seed, replicate, level)


def draw_documents(
    qrels: Qrels,
    stratum_of_row: Ints,
    rates: Sequence[Fraction],
    seed: int,
    replicate: int = 0,
) -> RowSample:
    """A part of each stratum of each topic, for estimates beside a model's judgments.

    As `draw_strata`, but that at least two documents of each stratum are drawn (or all), so that
    their variance is known, and no topic is drawn again: what was drawn must not depend on grades.
    """
    rows, group, counts, sizes = _strata_of_topics(qrels, stratum_of_row, rates)
    sizes = np.minimum(counts, np.maximum(sizes, LEAST_DRAWN))
    keys = _first_keys(qrels, seed, replicate)[rows]
    is_drawn = np.zeros(len(qrels.grade), bool)
    is_drawn[rows[lowest_keys_mask(keys, group, sizes)]] = True
    return RowSample(is_drawn, np.zeros(0, np.int64))


def draw_budget(
    qrels: Qrels,
    budget: int | Mapping[bytes, int],
    seed: int,
    replicate: int = 0,
    *,
    level: float = 1,
) -> RowSample:
    """A number of judged documents of each topic, each as likely; all, where there are fewer.

    Args:
        qrels: judgments, one list for each topic.
        budget: how many for each topic; of a mapping, a topic that it lacks gets none.
        seed: any whole number.
        replicate: which of several samples of one seed, from 0.
        level: the smallest relevant grade.
    """
    if isinstance(budget, int):
        budget = dict.fromkeys(qrels.topics, budget)
    # no topic has more than all lines, and no number of a file is too large
    num_rows = len(qrels.grade)
    sizes = np.array([min(budget.get(topic, 0), num_rows) for topic in qrels.topics], np.int64)
    rows = np.flatnonzero(qrels.grade >= 0)
    return _draw_rows(qrels, rows, qrels.topic_of_row[rows], sizes, seed, replicate, level)


def draw_buckley_voorhees(
    qrels: Qrels, rate: Fraction, seed: int, replicate: int = 0, *, level: float = 1
) -> RowSample:
    """Relevant and non-relevant documents of each topic drawn apart, the others taken away.

    Of R relevant documents max(1, floor(rate R)) are kept, of N non-relevant ones
    max(10, floor(rate N)), or all where there are fewer. It needs complete judgments, so it is a
    procedure for experiments, and the share of relevant documents is no longer left to chance
    (Buckley and Voorhees, SIGIR 2004).
    """
    topic = qrels.topic_of_row
    rows = np.flatnonzero(qrels.grade >= 0)
    is_relevant = qrels.grade[rows] >= level
    group = 2 * topic[rows] + is_relevant
    counts = np.bincount(group, minlength=2 * len(qrels.topics))
    least = np.tile([LEAST_NONRELEVANT, 1], len(qrels.topics))
    share = [rate.numerator * count // rate.denominator for count in counts.tolist()]
    sizes = np.minimum(counts, np.maximum(share, least))
    return _draw_rows(qrels, rows, group, sizes, seed, replicate, level)


def draw_collection(documents: Ids, rate: Fraction, seed: int, replicate: int = 0) -> RowMask:
    """bool[D]: which of D distinct documents stay in a reduced collection, the same for all topics.

    Yilmaz and Aslam's imperfect judgments: the documents that do not stay are taken out of the
    runs, while the judgments are left as they are.
    """
    return draw_collections(documents, [rate], seed, replicate)[0]


def draw_collections(
    documents: Ids, rates: Sequence[Fraction], seed: int, replicate: int = 0
) -> list[RowMask]:
    """bool[D] for each of several rates: `draw_collection`."""
    group = np.zeros(len(documents), np.int64)
    keys = keys_of_rows(seed, replicate, 0, [EVERY_TOPIC], group, documents)
    return [
        lowest_keys_mask(keys, group, np.array([sample_size(rate, len(documents))]))
        for rate in rates
    ]


def _strata_of_topics(
    qrels: Qrels, stratum_of_row: Ints, rates: Sequence[Fraction]
) -> tuple[RowIndices, Ints, Ints, Ints]:
    """(the judged rows, the group of each: a stratum of a topic; size, and draws of each group)."""
    rows = np.flatnonzero((qrels.grade >= 0) & (stratum_of_row >= 0))
    group = qrels.topic_of_row[rows] * len(rates) + stratum_of_row[rows]
    counts = np.bincount(group, minlength=len(qrels.topics) * len(rates))
    sizes = [
        sample_size(rates[index % len(rates)], count) for index, count in enumerate(counts.tolist())
    ]
    return rows, group, counts, np.array(sizes, np.int64)


def _draw_rows(
    qrels: Qrels,
    row_indices: RowIndices,
    group_of_row: Ints,
    sample_sizes: Ints,
    seed: int,
    replicate: int,
    level: float,
) -> RowSample:
    """Draw `sizes[g]` of the rows of each group g; topics without a relevant one again.

    The groups of a topic must not mix with another's.
    """
    topic = qrels.topic_of_row[row_indices]
    by_topic = np.argsort(topic, kind="stable")
    row_indices, group_of_row = row_indices[by_topic], group_of_row[by_topic]
    topic = topic[by_topic]
    is_relevant = qrels.grade[row_indices] >= level
    num_topics = len(qrels.topics)
    # a topic without relevant judgments has nothing to wait for, nor has one that keeps nothing
    can_have_relevant = (
        np.bincount(topic[is_relevant & (sample_sizes[group_of_row] > 0)], minlength=num_topics) > 0
    )
    is_drawn = np.zeros(len(qrels.grade), bool)
    open_topics = np.ones(num_topics, bool)
    redrawn = np.zeros(num_topics, bool)
    attempt = 0
    while open_topics.any():
        open_rows = np.flatnonzero(open_topics[topic])
        if attempt == 0:
            keys = _first_keys(qrels, seed, replicate)[row_indices[open_rows]]
        else:
            docs = qrels.docs.take(row_indices[open_rows])
            keys = keys_of_rows(seed, replicate, attempt, qrels.topics, topic[open_rows], docs)
        kept = open_rows[lowest_keys_mask(keys, group_of_row[open_rows], sample_sizes)]
        has_relevant = np.bincount(topic[kept[is_relevant[kept]]], minlength=num_topics) > 0
        done = open_topics & (has_relevant | ~can_have_relevant)
        is_drawn[row_indices[kept[done[topic[kept]]]]] = True
        open_topics &= ~done
        redrawn |= open_topics
        attempt += 1
    return RowSample(is_drawn, np.flatnonzero(redrawn))


_KEYS: WeakKeyDictionary[Qrels, dict[tuple[int, int], Words]] = WeakKeyDictionary()

_MOST_KEYS = 1 << 22
"""How many keys are kept: samples of one seed at several rates share them."""


def _first_keys(qrels: Qrels, seed: int, replicate: int) -> Words:
    """uint64[M]: the keys of the first attempt, of all rows."""
    cache = _KEYS.setdefault(qrels, {})
    if (seed, replicate) not in cache:
        if (len(cache) + 1) * len(qrels.grade) > _MOST_KEYS:
            cache.clear()
        topic = qrels.topic_of_row
        by_topic = np.argsort(topic, kind="stable")
        keys = np.empty(len(topic), np.uint64)
        docs = qrels.docs.take(by_topic)
        keys[by_topic] = keys_of_rows(seed, replicate, 0, qrels.topics, topic[by_topic], docs)
        cache[seed, replicate] = keys
    return cache[seed, replicate]


_HINT = "a line holds a topic and how many of its documents are judged"


def read_budgets(path: str) -> dict[bytes, int]:
    """How many documents of each topic; blank lines and those that begin with `#` are skipped."""
    budget_of: dict[bytes, int] = {}

    def add_line(fields: list[bytes]) -> str:
        budget = parse_whole(fields[1]) if len(fields) == 2 else None
        if budget is None or budget < 0:
            return f"'{id_text(b' '.join(fields))}' is not a topic and a number"
        if fields[0] in budget_of:
            return f"duplicate topic '{id_text(fields[0])}'"
        budget_of[fields[0]] = budget
        return ""

    take_lines(path, read_all(path), add_line, "topic", _HINT)
    return budget_of


# --- How many judgments intervals of a wanted width need, where people judge a sample ---

_STEPS = 60


def width_notes(
    qrels: Qrels,
    runs: Sequence[Input],
    stratum_of_row: Ints,
    strata: Sequence[RankStratum],
    options: SampleOptions,
) -> Iterator[Notice]:
    """How wide the intervals of the design are, and what those of the wanted width take.

    The documents are taken to vary as QRELS say; the model leaves `model_error` of the errors.
    """
    assert options.width is not None  # noqa: S101 - whoever calls has looked
    variances = _gain_variances_of_groups(qrels, runs, stratum_of_row, strata, options)
    num_topics = len(qrels.topics)
    if num_topics < 2:
        raise UsageError("--width needs two topics")
    from scipy.special import stdtrit

    reach = 2 * float(stdtrit(num_topics - 1, 0.975)) / num_topics * options.model_error
    drawn = variances.drawn_sizes(1)
    yield note(
        f"{options.measure}: {int(drawn.sum())} judgments give 95% intervals of these topics up to "
        f"{reach * variances.largest_standard_error(drawn):.4f} wide"
    )
    low, high = 0.0, 1 / float(variances.group_rates.min())
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if reach * variances.largest_standard_error(variances.drawn_sizes(middle)) > options.width:
            low = middle
        else:
            high = middle
    needed = variances.drawn_sizes(high)
    rates = ",".join(f"{each.name}={min(1, float(each.rate) * high):.1%}" for each in strata)
    yield note(
        f"a width of {options.width:g} needs {int(needed.sum())} of "
        f"{int(variances.group_sizes.sum())} documents: --rate {rates}"
        + ("" if options.model_error < 1 else "; less with a model (--model-error)")
    )


class GainVariances(NamedTuple):
    """How much what documents add to a measure varies in G groups, a stratum of a topic each.

    group_sizes     int64[G], N
    group_rates     float64[G], the share of the design
    runs_by_groups  float64[R, G], the variance for R runs
    """

    group_sizes: Ints
    group_rates: Floats
    runs_by_groups: Floats

    def drawn_sizes(self, rate_factor: float) -> Ints:
        """int64[G]: how many are drawn where all rates are multiplied by a factor."""
        rounded = np.floor(self.group_rates * rate_factor * self.group_sizes + 0.5).astype(np.int64)
        drawn: Ints = np.minimum(self.group_sizes, np.maximum(rounded, LEAST_DRAWN))
        return drawn

    def largest_standard_error(self, drawn_sizes: Ints) -> float:
        """The largest standard error of a run's sum over topics."""
        sizes = self.group_sizes
        shares_left = 1 - ratio(drawn_sizes, sizes)
        per_group = sizes**2 * shares_left * ratio(self.runs_by_groups, drawn_sizes)
        return float(np.sqrt(per_group.sum(axis=1)).max())


def _gain_variances_of_groups(
    qrels: Qrels,
    runs: Sequence[Input],
    stratum_of_row: Ints,
    strata: Sequence[RankStratum],
    options: SampleOptions,
) -> GainVariances:
    requests = close_scales(resolve_names([options.measure], Options()), qrels)
    if len(requests) != 1 or len(requests[0].columns) != 1:
        raise UsageError(f"--measure {options.measure}: name one measure, such as P@10")
    numerator, ideal = estimable_and_ideal_requests(requests[0])
    if ideal is not None:
        raise UsageError(
            f"--width: {options.measure} is a ratio without such intervals: name DCG@k, or P@10"
        )
    settings = Settings(level=options.level)
    in_design = (stratum_of_row >= 0) & (qrels.grade >= 0)
    group = np.where(in_design, qrels.topic_of_row * len(strata) + stratum_of_row, -1)
    num_groups = len(qrels.topics) * len(strata)
    size = np.bincount(group[in_design], minlength=num_groups)
    is_used = size > 0
    variances = []
    for run in runs:
        row, rank = _retrieved_rows_and_ranks(run, qrels, options)
        kept = in_design[row]
        row, rank = row[kept], rank[kept]
        gains = np.zeros(len(row))
        if len(row):
            gains = document_gains(numerator, rank, qrels.grade[row], settings)[:, 0]
        mean = ratio(segment_sums(group[row], gains, num_groups), size)
        squares = segment_sums(group[row], gains**2, num_groups) - size * mean**2
        variances.append(ratio(np.maximum(squares, 0), size - 1)[is_used])
    rate = np.tile([float(each.rate) for each in strata], len(qrels.topics))
    return GainVariances(size[is_used], rate[is_used], np.array(variances))


def _retrieved_rows_and_ranks(
    run: Input, qrels: Qrels, options: SampleOptions
) -> tuple[RowIndices, DocumentRanks]:
    """The rows of the qrels that a run retrieved, and their ranks."""
    excluded = read_excluded(options.exclude)

    def rank_kept_rows(rows: Rows) -> Ranked:
        rows = rows if excluded is None else excluded.kept_rows(rows)
        return rank_rows(rows, qrels, RankingRule())

    layout = run_layout(options.run_format, columns=options.own_columns, passages=options.passages)
    parts = map_topics(run, layout, rank_kept_rows, default_threads()).results
    row = np.concatenate([part.row for part in parts])
    rank = np.concatenate([part.rank for part in parts])
    return row, rank


# --- Rankings, and strata of the judgments, as they are under a sample of the judgments ---


_ROWS_AT_ONCE = 1 << 18
"""Judged documents, of all samples of a run that are measured together: memory stays flat."""

_ROWS_OF_TOPIC = 32
"""How many rows of work a ranking is beside those of its documents."""


@record
class Thinning:
    """A sample of the judgments.

    is_drawn  bool[M], the rows of the qrels that keep their grade
    stratum   int64[M], the stratum of each row, -1 for those outside the pool; None: one holds all
    names     the names of the strata
    """

    is_drawn: Bools
    stratum: Ints | None = None
    names: tuple[bytes, ...] = (b"all",)

    @cached_property
    def pool(self) -> RowMask | None:
        """bool[M], the rows that belong to the pool; None: all of them."""
        return None if self.stratum is None else self.stratum >= 0


@record
class ThinnedQrels:
    """Several samples of the same judgments, and how often each grade of each list is in them.

    `strata` are those of all samples, where measures ask for them.
    """

    qrels: Qrels
    samples: Sequence[Thinning]
    strata: Strata | None = None

    def values_by_sample(
        self,
        prepared_judgments: PreparedJudgments,
        judged: Judged,
        list_indices: ListIndices,
        qrels_rows: RowIndices,
    ) -> Iterator[TopicsByMeasures]:
        """For each sample float64[T, C]; rankings of several samples are measured at once.

        Args:
            prepared_judgments: the complete judgments, one list for each topic, and the measures.
            judged: T rankings under these.
            list_indices: int64[T], the judged list of each ranking.
            qrels_rows: int64[J], the row in the qrels of each row of `judged`.
        """
        qrels = self.qrels
        levels = ranges(qrels.level_start[list_indices], qrels.level_start[list_indices + 1])
        batch_size = max(1, _ROWS_AT_ONCE // (len(qrels_rows) + _ROWS_OF_TOPIC * len(list_indices)))
        for start in range(0, len(self.samples), batch_size):
            batch = range(start, min(len(self.samples), start + batch_size))
            topics, rows, rankings = [], [], []
            for index in batch:
                thinned, thinned_rows = self._rankings_under_sample(
                    index, judged, list_indices, qrels_rows, levels
                )
                rankings.append(thinned)
                topics.append(index * len(qrels.topics) + list_indices)
                rows.append(index * len(qrels.grade) + thinned_rows)
            joined, lists = join_rankings(rankings), np.tile(list_indices, len(batch))
            if self.strata is None:
                values = prepared_judgments.measure(lists, joined).values
            else:
                topic, row = np.concatenate(topics), np.concatenate(rows)
                sampled = SampledJudged(joined, topic, row, self.strata)
                values = prepared_judgments.measure(lists, sampled).values
            yield from values.reshape(len(batch), len(list_indices), -1)

    def _rankings_under_sample(
        self,
        sample_index: int,
        judged: Judged,
        list_indices: ListIndices,
        qrels_rows: RowIndices,
        levels: Ints,
    ) -> tuple[Judged, RowIndices]:
        """The rankings and their rows; what is not in the sample has no grade, counts nowhere."""
        thinning = self.samples[sample_index]
        count = self.flat_counts_by_list_and_grade[sample_index][levels]
        is_counted = count > 0
        thinned = replace(
            judged,
            grade=np.where(thinning.is_drawn[qrels_rows], judged.grade, POOLED),
            level_start=offsets(is_counted)[judged.level_start],
            level_grade=judged.level_grade[is_counted],
            level_count=count[is_counted],
            pooled_counts=self.num_pooled_unjudged[sample_index][list_indices],
        )
        if thinning.pool is None or thinning.pool[qrels_rows].all():
            return thinned, qrels_rows
        inside = np.flatnonzero(thinning.pool[qrels_rows])
        # documents outside the pool are as those that are not in the qrels
        pool_rankings = replace(
            thinned,
            topic=thinned.topic[inside],
            rank=thinned.rank[inside],
            grade=thinned.grade[inside],
            extras=thinned.extras.take_documents(inside),
        )
        return pool_rankings, qrels_rows[inside]

    @cached_property
    def flat_counts_by_list_and_grade(self) -> list[Ints]:
        """For each sample int64[], how many documents were drawn, beside `Qrels.level_grade`."""
        qrels = self.qrels
        judged, level = self._judged_rows_and_levels
        total = len(qrels.level_grade)
        return [
            np.bincount(level[sample.is_drawn[judged]], minlength=total) for sample in self.samples
        ]

    @cached_property
    def num_pooled_unjudged(self) -> list[Ints]:
        """For each sample int64[L], the documents of each list that are pooled but unjudged."""
        qrels = self.qrels
        counts = []
        for sample in self.samples:
            is_left = ~sample.is_drawn if sample.pool is None else sample.pool & ~sample.is_drawn
            up_to = offsets(is_left)
            counts.append(up_to[qrels.stop] - up_to[qrels.start])
        return counts

    @cached_property
    def _judged_rows_and_levels(self) -> tuple[Ints, Ints]:
        """(the rows that have a grade, the place of each in `Qrels.level_grade`)."""
        qrels = self.qrels
        count = qrels.stop - qrels.start
        rows = ranges(qrels.start, qrels.stop)
        lists = np.repeat(np.arange(len(count)), count)
        has_grade = qrels.grade[rows] >= 0
        rows, lists = rows[has_grade], lists[has_grade]
        order = np.lexsort((qrels.grade[rows], lists))
        rows, lists = rows[order], lists[order]
        grade = qrels.grade[rows]
        begin = run_starts(lists, grade)
        return rows, np.repeat(np.arange(len(begin) - 1), np.diff(begin))


def strata_of_samples(qrels: Qrels, samples: Sequence[Thinning]) -> Strata:
    """The strata of several samples: topic t of sample s is number s T + t, row m is s M + m."""
    strata_by_sample = [_strata_of_sample(qrels, qrels.topic_of_row, sample) for sample in samples]
    strata_before = offsets([len(strata.names) for strata in strata_by_sample])
    levels_before = offsets([len(strata.level_grade) for strata in strata_by_sample])
    starts, level_starts, stratum_of_row = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)], []
    for index, strata in enumerate(strata_by_sample):
        starts.append(strata.start[1:] + strata_before[index])
        level_starts.append(strata.level_start[1:] + levels_before[index])
        stratum_of_row.append(strata.stratum_of_row + strata_before[index])
    return Strata(
        np.concatenate(starts),
        tuple(name for strata in strata_by_sample for name in strata.names),
        np.concatenate(stratum_of_row),
        np.concatenate([strata.size for strata in strata_by_sample]),
        np.concatenate([strata.judged for strata in strata_by_sample]),
        np.concatenate(level_starts),
        np.concatenate([strata.level_grade for strata in strata_by_sample]),
        np.concatenate([strata.level_count for strata in strata_by_sample]),
    )


def _strata_of_sample(qrels: Qrels, topic_of_row: TopicOfRow, sample: Thinning) -> Strata:
    """The strata of one sample; every topic has all of them, in byte order of their names."""
    names = sorted(sample.names)
    sorted_index = np.array([names.index(name) for name in sample.names], np.int64)
    stratum = np.zeros(len(topic_of_row), np.int64) if sample.stratum is None else sample.stratum
    # rows outside the pool are never asked for
    rows_inside = np.flatnonzero(stratum >= 0)
    stratum_of_row = topic_of_row * len(names) + sorted_index[stratum]
    num_strata = len(qrels.topics) * len(names)
    grades, code = np.unique(qrels.grade, return_inverse=True)
    judged_rows = np.flatnonzero(sample.is_drawn)
    table = np.bincount(
        stratum_of_row[judged_rows] * len(grades) + code[judged_rows],
        minlength=num_strata * len(grades),
    )
    cells = np.flatnonzero(table)
    return Strata(
        np.arange(len(qrels.topics) + 1) * len(names),
        tuple(names) * len(qrels.topics),
        stratum_of_row,
        np.bincount(stratum_of_row[rows_inside], minlength=num_strata),
        np.bincount(stratum_of_row[judged_rows], minlength=num_strata),
        segment_starts(cells // len(grades), num_strata),
        grades[cells % len(grades)],
        table[cells],
    )


class SampleableEvaluator(RunEvaluator):
    """Judgments by grades for measures that may need strata too: the whole pool is one."""

    also_gives = ("strata",)

    @property
    def graded_judgments(self) -> GradedJudgments:
        """The judgments."""
        if not isinstance(self.prepared_judgments.judgments, GradedJudgments):
            raise TypeError("these are not judgments by grades")
        return self.prepared_judgments.judgments

    @property
    def needs_strata(self) -> bool:
        """Whether a measure does."""
        return isinstance(self.graded_judgments, SampleJudgments)

    def judged_run_part(self, ranked: Ranked, seen: JudgedCounts | None = None) -> RunPart:
        """What becomes of some topics of a run that were ranked."""
        return self.prepared_judgments.judged_run_part(
            ranked, self.graded_judgments.view(ranked), seen
        )

    def _read_judgments(self, qrels: Input) -> PreparedJudgments:
        read = super()._read_judgments(qrels)
        if type(read.judgments) is not GradedJudgments:
            raise UsageError("judgments with classes of documents are not sampled")
        return replace(
            read, judgments=self._judgments_with_needed_strata(read.qrels, read.requests)
        )

    def _judgments_with_needed_strata(
        self, qrels: Qrels, requests: Sequence[Request]
    ) -> GradedJudgments:
        """The judgments, with strata where a measure asks for them."""
        if all(request.measure.needs != "strata" for request in requests):
            return GradedJudgments(qrels, self.options.settings)
        strata = strata_of_samples(qrels, [Thinning(qrels.grade >= 0)])
        return SampleJudgments(qrels, strata, self.options.settings)


class UnjudgedAsNonrelevantEvaluator(SampleableEvaluator):
    """Likewise, where documents of the pool that have no grade are not relevant."""

    def _judgments_with_needed_strata(
        self, qrels: Qrels, requests: Sequence[Request]
    ) -> GradedJudgments:

        return super()._judgments_with_needed_strata(unjudged_as_nonrelevant(qrels), requests)
