"""One topic of a run as the engine ranks it, with all that is shown of each rank of it.

First the ranking and the values of all its beginnings, then what a measure's formula speaks of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from irev.core.arrays import (
    Bools,
    Floats,
    Ints,
    ListIndices,
    RankingsByMeasures,
    RankValues,
    RowIndices,
    RowMask,
    offsets,
    ranges,
    ratio,
)
from irev.core.judged import (
    NO_RANKING_EXTRAS,
    POOLED,
    UNKNOWN,
    Inclusions,
    Input,
    Qrels,
    Rows,
    Strata,
)
from irev.core.record import cached_property, record
from irev.core.text import as_text, shortened_list
from irev.engine.prepared_judgments import PreparedJudgments, RunPart
from irev.engine.run_facts import judged_counts
from irev.engine.score_runs import warns_of_run_or_judgments
from irev.errors import MismatchError, Notice, UsageError, id_text
from irev.measures.families.gain import divisors_indexed_by_rank
from irev.measures.families.incomplete import SMOOTHING
from irev.measures.families.sampled import (
    ADDED_JUDGED,
    ADDED_RELEVANT,
    mask_of_counted_rows,
    num_sampled_relevant_by_stratum,
)
from irev.measures.registry import Arguments
from irev.measures.shared import gain_values, powers_of_two
from irev.rank.judgments import (
    GradedJudgments,
    PreferenceJudgments,
    assemble_qrels,
    one_list_per_topic_and_group,
)
from irev.rank.ranking import RankingRule, cut_rankings, empty_rankings, rank_rows

if TYPE_CHECKING:
    from irev.engine.evaluate import RunEvaluator


_ROWS_AT_ONCE = 1 << 19
_NUM_SAMPLED = 100
"""Beginnings that are scored wherever they end, to see whether a measure looks at their length."""

_TAKE_A_TOPIC_OFTEN = (GradedJudgments, PreferenceJudgments)
"""Judgments to which the same topic may come several times at once, each time another ranking."""


@record
class RankedTopic:
    """The documents of one topic in the order of their ranks, n of them, and their judgments.

    rows    the topic's rows of the run, in the order of the run
    order   int64[n], the row of each rank
    grade   float64[L, n], by judged list; -1 not in the qrels, -2 pooled but unjudged
    qrels_row  int64[L, n], by judged list, the row of the qrels; -1 not in the qrels
    ideal   the grades >= 0 of each judged list, retrieved or not, falling
    """

    rows: Rows
    order: Ints
    grade: Floats
    qrels_row: Ints
    ideal: list[Floats]

    @property
    def documents(self) -> list[bytes]:
        """The document at each rank."""
        return self.rows.docs.take(self.order).to_list()

    @property
    def score(self) -> RankValues:
        """float64[n]: the score of the document at each rank."""
        return self.rows.value[self.order]


def ranked_topic(
    run: Input, evaluator: RunEvaluator, topic_id: bytes, ranking: RankingRule
) -> tuple[RankedTopic, tuple[Notice, ...]]:
    """Read one topic of a run and rank it; and what makes scores of the run doubtful."""
    qrels = evaluator.prepared_judgments.qrels
    if topic_id not in qrels.topic_index:
        raise MismatchError(
            f"the qrels have no topic {id_text(topic_id)}; they have {shortened_list(qrels.topics)}"
        )
    ranked, doubts = ranked_topics(run, evaluator, ranking, {topic_id})
    if not ranked:
        raise MismatchError(f"the run has no topic {id_text(topic_id)}")
    return ranked[0], doubts


def ranked_topics(
    run: Input,
    evaluator: RunEvaluator,
    ranking: RankingRule,
    topic_ids: Container[bytes] | None = None,
) -> tuple[list[RankedTopic], tuple[Notice, ...]]:
    """The same of each topic that the qrels have, or of those named, in the order of the run."""
    qrels = evaluator.prepared_judgments.qrels
    wanted_ids = qrels.topic_index if topic_ids is None else topic_ids

    def score_part(rows: Rows) -> tuple[RunPart, list[RankedTopic]]:
        # documents that occur twice are wrong in any topic
        ranking_part = rank_rows(rows, qrels, ranking)
        ordered = [
            _rank_topic(rows, topic_index, qrels, ranking)
            for topic_index, topic in enumerate(rows.topics)
            if topic in wanted_ids
        ]
        counts = judged_counts(ranking_part, rows, qrels, ranking)
        return RunPart(ranking_part.lists, ranking_part.unjudged_topics, counts), ordered

    read = evaluator.read_run(run, score_part, 1, may_be_empty=True)
    parts = [part for part, _ in read.results]
    doubts = evaluator.run_warnings(parts, has_ranks=read.has_ranks)
    topics = [each for _, ordered in read.results for each in ordered]
    return topics, (*filter(warns_of_run_or_judgments, evaluator.notices), *doubts, *read.notices)


def _rank_topic(
    all_rows: Rows, topic_index: int, qrels: Qrels, ranking: RankingRule
) -> RankedTopic:
    """The documents of a topic of some rows in the order of their ranks."""
    topic_id = all_rows.topics[topic_index]
    first, after = all_rows.start[topic_index : topic_index + 2].tolist()
    of_topic = slice(first, after)
    rows = Rows(
        [topic_id],
        np.array([0, after - first]),
        all_rows.docs.take(of_topic).compact(),
        all_rows.value[of_topic],
        tuple(ids.take(of_topic) for ids in all_rows.groups),
        None if all_rows.line is None else all_rows.line[of_topic],
    )
    grades, qrels_row = _judgments_by_list(rows, qrels)
    order = _rows_by_rank_ties_by_grade(rows, grades, ranking)
    if ranking.judged_only:
        order = order[(grades[:, order] >= 0).any(axis=0)]
    ideal = []
    qrels_topic = qrels.topic_index[topic_id]
    for judged_list in range(*qrels.list_start[qrels_topic : qrels_topic + 2].tolist()):
        levels = slice(*qrels.level_start[judged_list : judged_list + 2].tolist())
        rising = np.repeat(qrels.level_grade[levels], qrels.level_count[levels])
        ideal.append(rising[::-1])
    return RankedTopic(rows, order, grades[:, order], qrels_row[:, order], ideal)


def _rows_by_rank_ties_by_grade(
    rows: Rows, grades_by_list: Floats, ranking: RankingRule
) -> RowIndices:
    """int64[n]: the row of each rank that the ranking keeps, whether judged or not."""
    if not ranking.orders_ties_by_grade:
        return _rows_by_rank(rows, replace(ranking, judged_only=False))
    if len(grades_by_list) > 1:
        raise UsageError(f"--ties {ranking.ties}: each group of judgments has an order of its own")
    order = _rows_by_rank(rows, RankingRule(single_precision=ranking.single_precision))
    score = rows.value[order]
    if ranking.single_precision:
        score = score.astype(np.float32).astype(np.float64)
    # what is pooled but unjudged stands between what is judged and what is unknown
    grade_worth = np.where(grades_by_list < 0, -3.0 - grades_by_list, grades_by_list)[0][order]
    by_worth = np.lexsort((-grade_worth if ranking.ties == "optimistic" else grade_worth, -score))
    return order[by_worth][: ranking.max_retrieved]


def _rows_by_rank(rows: Rows, ranking: RankingRule) -> RowIndices:
    """int64[n]: the row of each rank, by the engine itself, to which every row is a judged one."""
    number_as_grade = replace(rows, value=np.arange(len(rows.docs), dtype=float))
    every_row_judged = assemble_qrels([one_list_per_topic_and_group(number_as_grade)])
    ranked_rows = rank_rows(rows, every_row_judged, ranking)
    return every_row_judged.grade[ranked_rows.row].astype(np.int64)


def _judgments_by_list(rows: Rows, qrels: Qrels) -> tuple[Floats, Ints]:
    """(float64[L, N], int64[L, N]): what each judged list says of each row, and in which row."""
    plain_rule = RankingRule()
    ranked_rows = rank_rows(rows, qrels, plain_rule)
    shape = (len(ranked_rows.lists), len(rows.docs))
    grades, qrels_row = np.full(shape, UNKNOWN), np.full(shape, -1)
    judged = qrels.grade[ranked_rows.row]
    row = _rows_by_rank(rows, plain_rule)[ranked_rows.rank - 1]
    grades[ranked_rows.topic, row] = np.where(judged < 0, POOLED, judged)
    qrels_row[ranked_rows.topic, row] = ranked_rows.row
    return grades, qrels_row


def values_of_beginnings(
    whole: RankedTopic, prepared_judgments: PreparedJudgments
) -> RankingsByMeasures:
    """float64[n+1, C]: the value of each column for the first 0, 1, ... n documents alone.

    Each beginning is a ranking of its own to the engine. Between two documents of the qrels only
    the number retrieved changes, which few measures look at. The first and the last beginning of
    each such stretch are scored, and some between them; all of them, of the measures of which these
    differ.
    """
    lists = _lists_of_topic(whole, prepared_judgments)
    nothing = _mean_over_lists(prepared_judgments.empty_ranking_values(lists).values, 1)
    count, rule = len(whole.order), prepared_judgments.ranking
    if not count:
        return nothing
    lengths = np.arange(1, count + 1)
    if prepared_judgments.orders is not None or rule.spans or rule.scores or rule.unjudged:
        # measures that look at documents outside the qrels
        values = _values_by_length(whole, lengths, prepared_judgments, rank_anew=True)
        return np.concatenate((nothing, values))
    in_qrels = np.flatnonzero((whole.qrels_row >= 0).any(axis=0)) + 1
    first = np.union1d([1], in_qrels)
    last = np.append(first[1:] - 1, count)
    samples = np.linspace(1, count, _NUM_SAMPLED).astype(np.int64)
    scored = np.unique(np.concatenate((first, last, samples)))
    some = _values_by_length(whole, scored, prepared_judgments)
    at_first = some[np.searchsorted(scored, first)]
    expected = at_first[np.searchsorted(first, scored, "right") - 1]
    is_constant = ((some == expected) | (np.isnan(some) & np.isnan(expected))).all(axis=0)
    values = np.repeat(at_first, last - first + 1, axis=0)
    column = 0
    for request in prepared_judgments.requests:
        columns = slice(column, column + len(request.columns))
        column = columns.stop
        if not is_constant[columns].all():
            alone = replace(prepared_judgments, requests=[request])
            values[:, columns] = _values_by_length(whole, lengths, alone)
    return np.concatenate((nothing, values))


def _lists_of_topic(whole: RankedTopic, prepared_judgments: PreparedJudgments) -> ListIndices:
    """int64[L]: the judged lists of the topic."""
    qrels = prepared_judgments.qrels
    topic_index = qrels.topic_index[whole.rows.topics[0]]
    return np.arange(*qrels.list_start[topic_index : topic_index + 2])


def _values_by_length(
    whole: RankedTopic,
    lengths: Ints,
    prepared_judgments: PreparedJudgments,
    *,
    rank_anew: bool = False,
) -> RankingsByMeasures:
    """float64[len(lengths), C]: the values of the beginnings of these rising lengths."""
    make_part = _rank_beginnings if rank_anew else _cut_to_beginnings
    num_rows = lengths
    if not rank_anew:
        ranks_in_qrels = np.sort(np.nonzero(whole.qrels_row >= 0)[1]) + 1
        num_rows = 1 + np.searchsorted(ranks_in_qrels, lengths, "right")
    takes_often = (
        prepared_judgments.orders is None
        and type(prepared_judgments.judgments) in _TAKE_A_TOPIC_OFTEN
    )
    rows_at_once = _ROWS_AT_ONCE if takes_often else 0
    rows_up_to, rows_before = np.cumsum(num_rows), 0
    value_parts = []
    first = 0
    while first < len(lengths):
        # as many as have no more rows than can be held at once, but one at least
        after = max(first + 1, int(np.searchsorted(rows_up_to, rows_before + rows_at_once)))
        part = make_part(whole, lengths[first:after], prepared_judgments)
        measured = [each.values for each in prepared_judgments.measure_in_batches([part])]
        num_lengths = len(lengths[first:after])
        value_parts.append(_mean_over_lists(np.concatenate(measured), num_lengths))
        first, rows_before = after, int(rows_up_to[after - 1])
    return np.concatenate(value_parts)


def _cut_to_beginnings(
    whole: RankedTopic, lengths: Ints, prepared_judgments: PreparedJudgments
) -> RunPart:
    """The beginnings of these lengths, of which the documents of the qrels are known already."""
    lists = _lists_of_topic(whole, prepared_judgments)
    list_index, rank_index = np.nonzero(whole.qrels_row >= 0)
    start = np.searchsorted(list_index, np.arange(len(lists) + 1))
    num_rows = np.stack(
        [np.searchsorted(rank_index[slice(*ends)], lengths) for ends in pairwise(start.tolist())],
        axis=1,
    ).ravel()
    begin = np.tile(start[:-1], len(lengths))
    rows = ranges(begin, begin + num_rows)
    ranked = empty_rankings(np.tile(lists, len(lengths)))._replace(
        topic=np.arange(len(num_rows)).repeat(num_rows),
        rank=rank_index[rows] + 1,
        row=whole.qrels_row[list_index[rows], rank_index[rows]],
        num_ret=np.repeat(lengths, len(lists)),
        extras=NO_RANKING_EXTRAS,
    )
    ranked = cut_rankings(ranked, prepared_judgments.qrels, prepared_judgments.ranking)
    return prepared_judgments.judged_run_part(ranked, prepared_judgments.judgments.view(ranked))


def _rank_beginnings(
    whole: RankedTopic, lengths: Ints, prepared_judgments: PreparedJudgments
) -> RunPart:
    """The beginnings of these lengths, ranked and held against the judgments anew."""
    rows = whole.rows
    taken_rows = whole.order[ranges(np.zeros_like(lengths), lengths)]
    beginnings = Rows(
        rows.topics * len(lengths),
        offsets(lengths),
        rows.docs.take(taken_rows),
        rows.value[taken_rows],
        tuple(ids.take(taken_rows) for ids in rows.groups),
        None if rows.line is None else rows.line[taken_rows],
    )
    return prepared_judgments.run_part(beginnings)


def _mean_over_lists(values: RankingsByMeasures, num_rankings: int) -> RankingsByMeasures:
    """float64[rankings, C]: the mean over the judged lists of each ranking."""
    by_list = values.reshape(num_rankings, -1, values.shape[1])
    total: Floats = np.cumsum(by_list, axis=1)[:, -1]
    return total / by_list.shape[1]


# --- What is shown of each rank beside the value: what the formula of the measure speaks of ---
# A detail is a column: its heading, and its value at each rank. A measure's record says which of
# them are shown; what a measure adds up is not worked out here but by the engine. Where the
# judgments are a sample, columns and facts speak of strata or of inclusion probabilities.


CellsByHeading: TypeAlias = dict[str, list[Any]]
"""The heading of each column of an explanation -> a cell for each rank; None: nothing to say."""


@record
class TracedRanking:
    """A ranking as a measure sees it, rank after rank.

    grades         float64[n]; -1 not in the qrels, -2 pooled but unjudged
    ideal_grades   the grades >= 0 of the qrels, falling
    level          the smallest relevant grade
    least_grade    the smallest grade that has a gain
    cutoff         where the measure cuts the ranking, if it does
    arguments      of the measure
    highest_grade  the highest grade of the qrels
    """

    grades: Floats
    ideal_grades: Floats
    level: float
    least_grade: float
    cutoff: float | None
    arguments: Arguments
    highest_grade: float

    @cached_property
    def rank(self) -> RankValues:
        """float64[n]: 1, 2, ..."""
        return np.arange(1.0, len(self.grades) + 1)

    @cached_property
    def relevant(self) -> RowMask:
        """bool[n]: the grade reaches the level."""
        return (self.grades >= 0) & (self.grades >= self.level)

    @property
    def relevant_so_far(self) -> Any:
        """int64[n]: relevant documents so far."""
        return np.cumsum(self.relevant)

    @cached_property
    def num_relevant(self) -> int:
        """R, the relevant documents of the qrels."""
        return int((self.ideal_grades >= self.level).sum())

    @property
    def options(self) -> dict[str, Any]:
        """The named options of the measure."""
        return dict(self.arguments.options)

    def gains_of_grades(self, grades: Floats) -> Floats:
        """The gains of some grades, as the measure's parameter has them."""
        gain = self.options.get("gain", "linear")
        if gain == "binary":
            return (grades >= max(self.level, 0)).astype(float)
        return np.where(grades < self.least_grade, 0.0, gain_values(grades, gain))

    @property
    def gain(self) -> RankValues:
        """float64[n]: the gain of each document."""
        return self.gains_of_grades(self.grades)

    @property
    def gains_so_far(self) -> RankValues:
        """float64[n]: their sum up to each rank."""
        return np.cumsum(self.gain)

    @cached_property
    def ideal_gain(self) -> RankValues:
        """float64[]: the positive gains of the judged documents, falling."""
        gain = np.sort(self.gains_of_grades(self.ideal_grades))[::-1]
        return gain[gain > 0]

    @property
    def ideal_gain_at_rank(self) -> RankValues:
        """float64[n]: the gain at each rank of the ideal list."""
        padded = np.zeros(len(self.grades))
        count = min(len(padded), len(self.ideal_gain))
        padded[:count] = self.ideal_gain[:count]
        return padded

    @property
    def ideal_gains_so_far(self) -> RankValues:
        """float64[n]: their sum up to each rank."""
        return np.cumsum(self.ideal_gain_at_rank)

    @property
    def highest_gain(self) -> float:
        """The gain of the highest grade of the measure's scale."""
        highest = self.options.get("max")
        return float(
            self.gains_of_grades(np.array([self.highest_grade if highest is None else highest]))[0]
        )

    def discount(self, num_ranks: int) -> RankValues:
        """float64[num_ranks]: what the gain at each rank is multiplied by."""
        kind, base = self.options.get("disc", "log2"), float(self.options.get("b", 2.0))
        return 1.0 / divisors_indexed_by_rank(kind, base, num_ranks + 1)[1 : num_ranks + 1]

    @property
    def stop_probability_if_seen(self) -> RankValues:
        """float64[n]: how likely a user who sees the document is to stop there."""
        if self.options.get("stop") == "ratio":
            return self.gain / (self.highest_gain + 1)
        probability: Floats = powers_of_two(self.gain - self.highest_gain) - 2.0**-self.highest_gain
        return probability


def _expected_precision_above(traced: TracedRanking) -> RankValues:
    """Relevant among the judged documents before this one, smoothed: (r + eps) / (m + 2 eps)."""
    eps = float(traced.options.get("eps", SMOOTHING))
    above = np.concatenate(([0.0], traced.relevant_so_far[:-1]))
    judged = np.concatenate(([0.0], np.cumsum(traced.grades >= 0)[:-1]))
    return ratio(above + eps, judged + 2 * eps)


def _persistence_weight(traced: TracedRanking) -> RankValues:
    """The share of users' looks that this rank gets: (1 - p) p^(rank - 1)."""
    p = traced.options["p"]
    return np.array([(1 - p) * p ** (rank - 1) for rank in traced.rank.tolist()])


def _blended_ratio(traced: TracedRanking) -> RankValues:
    """(relevant so far + beta * gains so far) / (rank + beta * ideal gains so far)."""
    beta = float(traced.options.get("beta", 1.0))
    if math.isinf(beta):
        return ratio(traced.gains_so_far, traced.ideal_gains_so_far)
    above = traced.relevant_so_far + beta * traced.gains_so_far
    return ratio(above, traced.rank + beta * traced.ideal_gains_so_far)


def _arrival_probability(traced: TracedRanking) -> RankValues:
    """How likely a user is to come as far as this document."""
    stays = np.cumprod(1 - traced.stop_probability_if_seen)
    return np.concatenate(([1.0], stays))[: len(stays)]


HEADINGS: dict[str, Callable[[TracedRanking], Floats]] = {
    # relevant documents so far: how many, of those so far, of all relevant ones
    "relevant": lambda traced: traced.relevant_so_far,
    "precision": lambda traced: traced.relevant_so_far / traced.rank,
    "recall": lambda traced: ratio(traced.relevant_so_far, traced.num_relevant),
    # other documents so far: judged not relevant, without a judgment, so in the pool, in no pool
    "nonrelevant": lambda traced: np.cumsum((traced.grades >= 0) & ~traced.relevant),
    "unjudged": lambda traced: np.cumsum(traced.grades < 0),
    "pooled": lambda traced: np.cumsum(traced.grades == POOLED),
    "outside the pool": lambda traced: np.cumsum(traced.grades == UNKNOWN),
    # relevant documents among the judged ones so far
    "judged precision": lambda traced: ratio(traced.relevant_so_far, np.cumsum(traced.grades >= 0)),
    "expected precision": _expected_precision_above,
    # gains of documents, and of the ideal list at the same rank
    "mean gain": lambda traced: traced.gains_so_far / traced.rank,
    "gain": lambda traced: traced.gain,
    "gains": lambda traced: traced.gains_so_far,
    "ideal": lambda traced: traced.ideal_gain_at_rank,
    "ideal gains": lambda traced: traced.ideal_gains_so_far,
    "discount": lambda traced: traced.discount(len(traced.grades)),
    "discounted": lambda traced: traced.gain * traced.discount(len(traced.grades)),
    # what users do
    "weight": _persistence_weight,
    "blended ratio": _blended_ratio,
    "stops": lambda traced: traced.stop_probability_if_seen,
    "arrives": _arrival_probability,
    "ratio": lambda traced: ratio(traced.gains_so_far, traced.ideal_gains_so_far),
}
"""Heading -> float64[n], or int64[n], what stands below it."""


def _ideal_list_divisor(traced: TracedRanking) -> tuple[float, str]:
    """The discounted gains of the ideal list, up to the cutoff if there is one."""
    gains, until = traced.ideal_gain, ""
    if traced.cutoff is not None:
        gains, until = gains[: int(traced.cutoff)], f" up to rank {traced.cutoff:g}"
    terms = gains * traced.discount(len(gains))
    total = float(np.cumsum(terms)[-1]) if len(terms) else 0.0
    return total, f"gain times discount of the ideal list{until}, summed"


def _relevant_divisor(traced: TracedRanking) -> tuple[float, str]:
    if traced.options.get("denom") == "min" and traced.cutoff is not None:
        return _best_possible_divisor(traced)
    return traced.num_relevant, "relevant documents"


def _cutoff_divisor(traced: TracedRanking) -> tuple[float, str]:
    if traced.cutoff is None:
        return len(traced.grades), "documents"
    return traced.cutoff, "the cutoff"


def _highest_gain_divisor(traced: TracedRanking) -> tuple[float, str]:
    if "max" not in traced.options:
        highest = max(1.0, float(traced.ideal_gain.max(initial=0)))
        return highest, "the topic's highest gain, 1 at least"
    if traced.options["gain"] in ("binary", "raw"):
        return 1.0, "gains are not scaled"
    return traced.highest_gain, "the gain of the highest grade of the scale"


def _best_possible_divisor(traced: TracedRanking) -> tuple[float, str]:
    cutoff = len(traced.grades) if traced.cutoff is None else int(traced.cutoff)
    return min(traced.num_relevant, cutoff), "relevant documents, at most the cutoff"


DIVISORS: dict[str, Callable[[TracedRanking], tuple[float, str]]] = {
    "ideal": _ideal_list_divisor,
    "relevant": _relevant_divisor,
    "cutoff": _cutoff_divisor,
    "highest": _highest_gain_divisor,
    "best": _best_possible_divisor,
}
"""What a sum is divided by, and what that is."""


# --- Where the judgments are a sample ---

Term: TypeAlias = tuple[str, float, str]
"""The name of a number, the number, and what it is."""


@record
class TopicStratum:
    """A stratum of the topic: N documents of the pool, n of them judged, r of those relevant.

    The arrays count its documents above each rank: of the pool, judged ones, relevant ones.
    """

    name: str
    size: int
    judged: int
    relevant: int
    pooled_above: Ints
    judged_above: Ints
    relevant_above: Ints

    @property
    def weight(self) -> float:
        """N/n, how many documents a judged one stands for; 0 where none was judged."""
        return self.size / self.judged if self.judged else 0.0


class StrataRanking:
    """A ranking against judgments by strata."""

    def __init__(
        self, traced: TracedRanking, qrels_rows: RowIndices, topic_index: int, sample: Strata
    ) -> None:
        self.traced = traced
        first, after = sample.start[topic_index : topic_index + 2].tolist()
        self.stratum_index = np.where(
            qrels_rows >= 0, sample.stratum_of_row[qrels_rows] - first, -1
        )
        num_relevant = num_sampled_relevant_by_stratum(sample, traced.level)

        def num_above(flags: Bools) -> Ints:
            return offsets(flags)[:-1]

        self.strata: list[TopicStratum] = []
        for number in range(first, after):
            in_stratum = self.stratum_index == number - first
            self.strata.append(
                TopicStratum(
                    as_text(sample.names[number]),
                    int(sample.size[number]),
                    int(sample.judged[number]),
                    int(num_relevant[number]),
                    num_above(in_stratum),
                    num_above(in_stratum & (traced.grades >= 0)),
                    num_above(in_stratum & traced.relevant),
                )
            )

    @cached_property
    def expected_relevant_above(self) -> RankValues:
        """float64[n]: how many documents above each rank are expected to be relevant.

        It is the sum over the strata of d (r + 0.00001)/(m + 0.00003).
        """
        total = np.zeros(len(self.traced.grades))
        for stratum in self.strata:
            share = (stratum.relevant_above + ADDED_RELEVANT) / (
                stratum.judged_above + ADDED_JUDGED
            )
            total += stratum.pooled_above * share
        return total

    def terms(self, depth: int) -> list[Term]:
        """Each stratum with what it adds to R, and R; the factor of TRECVID's program."""
        terms: list[Term] = [
            (
                f"stratum {stratum.name}",
                stratum.relevant * stratum.weight,
                f"r N/n: {stratum.relevant} relevant of {stratum.judged} judged "
                f"of {stratum.size} in the pool",
            )
            for stratum in self.strata
        ]
        estimated_r = sum(value for _, value, _ in terms)
        terms.append(("R", estimated_r, "relevant documents expected, the sum of r N/n"))
        if self.traced.options.get("tool") == "trecvid2012" and estimated_r > depth:
            terms.append(("factor", estimated_r / depth, "R over the depth, where R is larger"))
        return terms


def _weights_of_judged(ranking: StrataRanking) -> list[Any]:
    """How many documents a judged one stands for: N/n of its stratum."""
    judged = (ranking.traced.grades >= 0).tolist()
    return [
        ranking.strata[index].weight if is_judged else None
        for index, is_judged in zip(ranking.stratum_index.tolist(), judged, strict=True)
    ]


def _counts_above_in_each(ranking: StrataRanking) -> CellsByHeading:
    """For each stratum its documents above: of the pool, judged, relevant, with strokes between."""
    columns = {}
    for stratum in ranking.strata:
        counts = (stratum.pooled_above, stratum.judged_above, stratum.relevant_above)
        by_rank = zip(*(each.tolist() for each in counts), strict=True)
        columns[f"above in {stratum.name}"] = ["/".join(map(str, each)) for each in by_rank]
    return columns


class ProbabilityRanking:
    """A ranking against judgments with inclusion probabilities."""

    def __init__(
        self, traced: TracedRanking, qrels_rows: RowIndices, topic_index: int, sample: Inclusions
    ) -> None:
        self.traced = traced
        counts, probability = mask_of_counted_rows(sample, str(traced.options.get("mtc", "sure")))
        in_topic = counts & (sample.topic == topic_index)
        relevant = in_topic & (sample.grade >= traced.level)
        self.num_judged, self.num_relevant = int(in_topic.sum()), int(relevant.sum())
        self.estimated_r = float(np.cumsum(np.append(0.0, 1 / probability[relevant]))[-1])
        """R."""
        counts_here = (qrels_rows >= 0) & counts[qrels_rows]
        self.probability = np.where(counts_here, probability[qrels_rows], np.nan)
        """float64[n]: with which the document was to be judged; NaN where it does not count."""
        self.num_judged_retrieved = int(counts_here.sum())
        is_relevant = counts_here & traced.relevant
        self.num_relevant_retrieved = int(is_relevant.sum())
        represented = np.where(is_relevant, 1 / self.probability, 0.0)
        self.relevant_above = np.concatenate(([0.0], np.cumsum(represented)))[: len(qrels_rows)]
        """float64[n]: the sum of 1/p over the relevant documents above."""

    def terms(self) -> list[Term]:
        """What is judged, what of it was retrieved, and R."""
        relevant = f"judged documents graded {self.traced.level} or higher"
        total = "relevant documents expected, the sum of 1/p over the relevant"
        return [
            ("judged", self.num_judged, "documents of the qrels that count"),
            ("judged retrieved", self.num_judged_retrieved, "of these"),
            ("relevant", self.num_relevant, relevant),
            ("relevant retrieved", self.num_relevant_retrieved, "of these"),
            ("R", self.estimated_r, total),
        ]


def _none_for_nan(values: Floats) -> list[Any]:
    return [None if np.isnan(value) else value for value in values.tolist()]


def _with_document(expected_above: Floats, ranking: StrataRanking | ProbabilityRanking) -> Any:
    """Precision: the document itself and what is expected above it, by the rank."""
    return ((1 + expected_above) / ranking.traced.rank).tolist()


OF_STRATA: dict[str, Callable[[StrataRanking], CellsByHeading]] = {
    "stratum": lambda ranking: {
        "stratum": [
            ranking.strata[index].name if index >= 0 else None
            for index in ranking.stratum_index.tolist()
        ]
    },
    "stands for": lambda ranking: {"stands for": _weights_of_judged(ranking)},
    "above in each": _counts_above_in_each,
    "expected above": lambda ranking: {"expected above": ranking.expected_relevant_above.tolist()},
    "expected precision": lambda ranking: {
        "expected precision": _with_document(ranking.expected_relevant_above, ranking)
    },
}
"""Heading -> what stands below it, where judgments are by strata."""

OF_PROBABILITIES: dict[str, Callable[[ProbabilityRanking], CellsByHeading]] = {
    "probability": lambda ranking: {"probability": _none_for_nan(ranking.probability)},
    "stands for": lambda ranking: {"stands for": _none_for_nan(1 / ranking.probability)},
    "relevant above": lambda ranking: {"relevant above": ranking.relevant_above.tolist()},
    "expected precision": lambda ranking: {
        "expected precision": _with_document(ranking.relevant_above, ranking)
    },
}
"""The same where they have inclusion probabilities."""

SampledRanking = TypeVar("SampledRanking", StrataRanking, ProbabilityRanking)


def sampled_terms(
    headings: tuple[str, ...],
    traced: TracedRanking,
    qrels_rows: RowIndices,
    topic_index: int,
    sample: Strata | Inclusions,
    depth: int,
) -> tuple[CellsByHeading, list[Term]]:
    """The columns that a record names, and the terms that hold for the whole ranking.

    Args:
        headings: what the record of the measure names.
        traced: the ranking as the measure sees it.
        qrels_rows: int64[n], the row of the qrels of each rank; -1 not in the qrels.
        topic_index: of the topic in the qrels.
        sample: how the judgments were drawn.
        depth: how many documents estimates from strata look at.
    """
    if isinstance(sample, Strata):
        in_strata = StrataRanking(traced, qrels_rows, topic_index, sample)
        return _detail_columns(headings, OF_STRATA, in_strata), in_strata.terms(depth)
    with_p = ProbabilityRanking(traced, qrels_rows, topic_index, sample)
    return _detail_columns(headings, OF_PROBABILITIES, with_p), with_p.terms()


def _detail_columns(
    headings: tuple[str, ...],
    details_of_sample: Mapping[str, Callable[[SampledRanking], CellsByHeading]],
    ranking: SampledRanking,
) -> CellsByHeading:
    """The columns of the headings: of the sample where it has them, else of the plain ranking."""
    columns: CellsByHeading = {}
    for heading in headings:
        if heading in details_of_sample:
            columns |= details_of_sample[heading](ranking)
        else:
            columns[heading] = HEADINGS[heading](ranking.traced).tolist()
    return columns
