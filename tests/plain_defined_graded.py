"""The graded measures with named options, as their definitions.

Each is (topic, cutoff, **options) -> a number; a cutoff of None is the whole ranking. A gain is
"linear", "exp", "binary", "raw", or (grade, gain) pairs. See `plain`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tests.plain_binary import divide
from tests.plain_defined_gains import (
    blended_ratio,
    gains_of,
    ideal_gains,
    relevant_gains,
    relevant_ideal,
    relevant_ranks,
    top_of,
)
from tests.plain_defined_stopping import (
    bpref_n,
    bpref_r,
    bpref_relative,
    ebr,
    err,
    irbu,
    nebr,
    nerr,
    nirbu,
    nrbp,
    rbp,
    rbp_residual,
    rpref_n,
    rpref_relative,
    rpref_relative2,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.plain import Topic
    from tests.plain_defined_gains import Gain

# --- cumulated gain ---


def divisor(rank: int, disc: str, b: float) -> float:
    """What a gain at a rank is divided by."""
    if disc == "log2":
        return math.log2(rank + 1)
    if disc == "jk":
        return max(1.0, math.log(rank, b))
    return float(rank) if disc == "rank" else 1.0


def cumulated_gain(
    gains: Sequence[float], k: int | None, disc: str = "none", b: float = 2
) -> float:
    """The discounted gains up to k, added up."""
    return math.fsum(gain / divisor(r, disc, b) for r, gain in enumerate(gains[:k], 1))


def cg(topic: Topic, k: int | None, gain: Gain = "linear") -> float:
    """CG: the gains up to k."""
    return cumulated_gain(gains_of(topic, gain), k)


def ncg(topic: Topic, k: int | None, gain: Gain = "linear") -> float:
    """The share of the possible gain up to k."""
    return divide(cg(topic, k, gain), cumulated_gain(ideal_gains(topic, gain), k))


def msr(topic: Topic, k: int | None, gain: Gain = "linear") -> float:
    """MSR: the same with each gain over its rank."""
    reached = cumulated_gain(gains_of(topic, gain), k, "rank")
    return divide(reached, cumulated_gain(ideal_gains(topic, gain), k, "rank"))


def dcg(
    topic: Topic, k: int | None, gain: Gain = "linear", disc: str = "log2", b: float = 2
) -> float:
    """DCG: the discounted gains."""
    return cumulated_gain(gains_of(topic, gain), k, disc, b)


def idcg(
    topic: Topic, k: int | None, gain: Gain = "linear", disc: str = "log2", b: float = 2
) -> float:
    """IDCG: those of the ideal list."""
    return cumulated_gain(ideal_gains(topic, gain), k, disc, b)


def ndcg(
    topic: Topic, k: int | None, gain: Gain = "linear", disc: str = "log2", b: float = 2
) -> float:
    """The share of the possible discounted gain."""
    return divide(dcg(topic, k, gain, disc, b), idcg(topic, k, gain, disc, b))


def average_ndcg(
    topic: Topic, k: int, gain: Gain = "linear", disc: str = "jk", b: float = 2
) -> float:
    """AvgNDCG: the mean of the shares at 1, 2, ... k."""
    return math.fsum(ndcg(topic, i, gain, disc, b) for i in range(1, k + 1)) / k


def gp(topic: Topic, k: int, max: float, gain: Gain = "linear") -> float:
    """The mean gain, on the scale."""
    return divide(cg(topic, k, gain), k * top_of(max, gain))


def gr(topic: Topic, k: int | None, gain: Gain = "linear") -> float:
    """The share of all the gain there is."""
    return divide(cg(topic, k, gain), math.fsum(ideal_gains(topic, gain)))


# --- relevance and gain ---


def base(topic: Topic, k: int | None, denom: str) -> float:
    """R, or min(k, R)."""
    return topic.num_rel if denom == "R" or k is None else min(k, topic.num_rel)


def q(
    topic: Topic, k: int | None, gain: Gain = "linear", beta: float = 1.0, denom: str = "R"
) -> float:
    """Q: the blended ratio at relevant documents."""
    total = math.fsum(blended_ratio(topic, r, gain, beta) for r in relevant_ranks(topic, k))
    return divide(total, base(topic, k, denom))


def wap(topic: Topic, k: int | None, gain: Gain = "linear", denom: str = "R") -> float:
    """WAP: the share of the possible gain at relevant documents."""
    total = 0.0
    for rank in relevant_ranks(topic, k):
        best = math.fsum(relevant_ideal(topic, gain)[:rank])
        total += divide(math.fsum(relevant_gains(topic, gain)[:rank]), best)
    return divide(total, base(topic, k, denom))


def gen_ap(topic: Topic, k: int | None, gain: Gain = "linear", norm: str = "ideal") -> float:
    """The mean gain at relevant documents, over that of the ideal list."""
    gains, best = relevant_gains(topic, gain), relevant_ideal(topic, gain)
    total = math.fsum(math.fsum(gains[:rank]) / rank for rank in relevant_ranks(topic, k))
    most = math.fsum(math.fsum(best[:rank]) / rank for rank in range(1, len(best) + 1))
    return divide(total, len(best) if norm == "R" else most)


def preferred_rank(topic: Topic) -> int:
    """The first rank with the highest grade retrieved."""
    return topic.codes.index(max(topic.codes)) + 1


def o(topic: Topic, k: None, gain: Gain = "linear", beta: float = 1.0) -> float:
    """O: the blended ratio at the first relevant document."""
    ranks = topic.relevant_ranks
    return blended_ratio(topic, ranks[0], gain, beta) if ranks else 0.0


def p_measure(topic: Topic, k: None, gain: Gain = "linear", beta: float = 1.0) -> float:
    """The blended ratio at the preferred rank."""
    if not topic.relevant_ranks:
        return 0.0
    return blended_ratio(topic, preferred_rank(topic), gain, beta)


def p_plus(topic: Topic, k: None, gain: Gain = "linear", beta: float = 1.0) -> float:
    """Its mean over the relevant ranks up to the preferred one."""
    if not topic.relevant_ranks:
        return 0.0
    ranks = relevant_ranks(topic, preferred_rank(topic))
    return math.fsum(blended_ratio(topic, rank, gain, beta) for rank in ranks) / len(ranks)


def wrr(
    topic: Topic,
    k: int | None,
    betas: tuple[tuple[float, float], ...] | None = None,
    norm: str = "none",
) -> float:
    """WRR as NTCIR has it: the greatest of 1 / (r - 1/beta) over the relevant documents."""
    known = dict(betas or ())

    def value_at(rank: int, grade: float) -> float:
        return 1 / (rank - 1 / known.get(grade, math.inf))

    actual = max((value_at(r, topic.codes[r - 1]) for r in relevant_ranks(topic, k)), default=0.0)
    if norm == "none" or not actual:
        return actual
    return actual / value_at(1, max(topic.grades))


def ncu(
    topic: Topic,
    k: int | None,
    stop: str = "rb",
    util: str = "BR",
    stops: Gain | None = None,
    gamma: float = 0.95,
    gain: Gain = "linear",
    beta: float = 1.0,
    rbu: float = 0.99,
    denom: str = "R",
) -> float:
    """NCU: the utility where users stop."""
    total = 0.0
    for nth, rank in enumerate(relevant_ranks(topic, k), 1):
        weight = gamma ** (nth - 1)
        if stop == "gu":
            weight = relevant_gains(topic, gain if stops is None else stops)[rank - 1]
        worth = {
            "P": nth / rank,
            "BR": blended_ratio(topic, rank, gain, beta),
            "IE": rbu**rank,
        }
        total += weight * worth[util]
    if denom == "min":
        return divide(total, base(topic, k, denom))
    if stop == "rb":
        return divide(total, math.fsum(gamma**i for i in range(topic.num_rel)))
    return divide(total, math.fsum(relevant_ideal(topic, gain if stops is None else stops)))


def gap(topic: Topic, k: int | None, line: str = "rising", denom: str = "R") -> float:
    """GAP: with a user for each grade who takes it for the least relevant one."""

    def satisfaction(grade: float) -> float:
        return grade if line == "even" else grade * (grade + 1)

    total = 0.0
    for rank in relevant_ranks(topic, k):
        shared = [
            satisfaction(min(topic.codes[rank - 1], topic.codes[other - 1]))
            for other in relevant_ranks(topic, rank)
        ]
        total += math.fsum(shared) / rank
    best = sorted((grade for grade in topic.grades if grade >= topic.level), reverse=True)
    return divide(total, math.fsum(map(satisfaction, best[: k if denom == "min" else None])))


MEASURES: dict[str, Callable[..., float]] = {
    "CG": cg,
    "nCG": ncg,
    "MSR": msr,
    "DCG": dcg,
    "IDCG": idcg,
    "nDCG": ndcg,
    "AvgNDCG": average_ndcg,
    "gP": gp,
    "gR": gr,
    "Q": q,
    "WAP": wap,
    "genAP": gen_ap,
    "O": o,
    "PMeasure": p_measure,
    "PPlus": p_plus,
    "WRR": wrr,
    "NCU": ncu,
    "GAP": gap,
    "ERR": err,
    "nERR": nerr,
    "EBR": ebr,
    "nEBR": nebr,
    "iRBU": irbu,
    "niRBU": nirbu,
    "RBP": rbp,
    "nRBP": nrbp,
    "RBPresid": rbp_residual,
    "bpref_R": bpref_r,
    "bpref_N": bpref_n,
    "bpref_relative": bpref_relative,
    "rpref_N": rpref_n,
    "rpref_relative": rpref_relative,
    "rpref_relative2": rpref_relative2,
}
"""Each measure by its name."""
