"""Estimates from samples of judgments a second time, as their definitions, one topic at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from statistics import variance
from typing import TYPE_CHECKING, Any

from tests.plain import POOLED, UNKNOWN
from tests.plain_binary import divide

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.plain import Topic

ABOVE, BELOW = 0.00001, 0.00003


# --- uniform samples: topics as everywhere ---


def bpref(topic: Topic, how: str, extra: int = 0) -> float:
    """Bpref by its three definitions."""
    most = topic.num_rel + extra
    retrieved = sum(0 <= code < topic.level for code in topic.codes)
    known = {"te": topic.num_nonrel, "te7": retrieved, "eq": most}[how]
    total, nonrel = 0.0, 0
    for code in topic.codes:
        if code >= topic.level:
            total += 1 - min(nonrel, most) / min(known, most) if nonrel else 1
        elif code >= 0:
            nonrel += 1
    return divide(total, topic.num_rel)


def average_precision(topic: Topic, codes: Sequence[float]) -> float:
    """AP of a ranking of grades, unjudged documents not relevant."""
    total, relevant = 0.0, 0
    for rank, code in enumerate(codes, 1):
        if code >= topic.level:
            relevant += 1
            total += relevant / rank
    return divide(total, topic.num_rel)


def induced_ap(topic: Topic) -> float:
    """The definition of indAP: AP of the judged documents alone."""
    return average_precision(topic, [code for code in topic.codes if code >= 0])


def kept(topic: Topic, coins: Sequence[bool]) -> list[float]:
    """The ranking without pooled documents, and with those outside the pool whose coin says so."""
    coin = iter(coins)
    return [code for code in topic.codes if code >= 0 or (code == UNKNOWN and next(coin))]


def subcollection(topic: Topic, p: float) -> float:
    """The definition of subAP: the mean over all outcomes of the coins."""
    outside = sum(code == UNKNOWN for code in topic.codes)
    total = 0.0
    for coins in product((False, True), repeat=outside):
        chance = p ** sum(coins) * (1 - p) ** (outside - sum(coins))
        total += chance * average_precision(topic, kept(topic, coins))
    return total


def judged_share(topic: Topic) -> float:
    """The judged share of a pool of which everything was retrieved or judged."""
    pooled = sum(code == POOLED for code in topic.codes)
    return len(topic.grades) / (len(topic.grades) + pooled) if topic.grades else 1.0


# --- strata ---


@dataclass(frozen=True)
class Strata:
    """A ranking, and for each document of the pool stratum and grade, below 0: not drawn."""

    ranking: Sequence[str]
    pool: Mapping[str, tuple[str, float]]
    level: int = 1
    depth: int = 1000

    @property
    def names(self) -> list[str]:
        """The strata in order."""
        return sorted({stratum for stratum, _ in self.pool.values()})

    def grades(self, stratum: str, documents: Sequence[str] | None = None) -> list[float]:
        """The grades of a stratum, of all its documents or of some."""
        some = self.pool if documents is None else [d for d in documents if d in self.pool]
        return [self.pool[d][1] for d in some if self.pool[d][0] == stratum]

    def num_judged(self, grades: Sequence[float]) -> int:
        """How many of the grades are judgments."""
        return sum(grade >= 0 for grade in grades)

    def relevant(self, grades: Sequence[float]) -> int:
        """How many of the grades are relevant."""
        return sum(grade >= self.level for grade in grades)

    def weight(self, stratum: str) -> float:
        """N/n."""
        grades = self.grades(stratum)
        return divide(len(grades), self.num_judged(grades))

    def is_relevant(self, document: str) -> bool:
        """Whether a document is judged relevant."""
        return document in self.pool and self.pool[document][1] >= self.level

    def share(self, stratum: str, above: Sequence[str]) -> float:
        """The relevant share of a stratum, as what stands above shows it."""
        grades = self.grades(stratum, above)
        return (self.relevant(grades) + ABOVE) / (self.num_judged(grades) + BELOW)

    def precision(self, rank: int) -> float:
        """The precision expected at the relevant document of a rank."""
        above = self.ranking[: rank - 1]
        counts = {name: len(self.grades(name, above)) for name in self.names}
        shares = sum(count * self.share(name, above) for name, count in counts.items())
        return 1 / rank + shares / rank


def num_rel(topic: Strata) -> float:
    """The definition of inum_rel."""
    return sum(topic.weight(name) * topic.relevant(topic.grades(name)) for name in topic.names)


def num_rel_ret(topic: Strata, k: int | None = None) -> float:
    """The definition of inum_rel_ret."""
    seen = topic.ranking[: k or topic.depth]
    return sum(len(topic.grades(s, seen)) * topic.share(s, seen) for s in topic.names)


def precision_at(topic: Strata, k: int | None = None) -> float:
    """The definition of iP."""
    return num_rel_ret(topic, k) / (k or topic.depth)


def recall_at(topic: Strata, k: int | None = None) -> float:
    """The definition of iRecall."""
    return divide(num_rel_ret(topic, k), num_rel(topic))


def stratified_estimate(topic: Strata, k: int | None = None, tool: str = "nist2011") -> float:
    """The definition of xinfAP."""
    depth, total = k or topic.depth, 0.0
    for rank, document in enumerate(topic.ranking[:depth], 1):
        if topic.is_relevant(document):
            total += topic.weight(topic.pool[document][0]) * topic.precision(rank)
    relevant = num_rel(topic)
    factor = relevant / depth if tool == "trecvid2012" and relevant > depth else 1.0
    return divide(total, relevant) * factor


def ndcg(topic: Strata, k: int | None = None, tool: str = "nist2011") -> float:
    """The definition of infNDCG."""
    depth = k or topic.depth
    seen, dcg = topic.ranking[:depth], 0.0
    for name in topic.names:
        grades = topic.grades(name, seen)
        gains = sum(
            topic.pool[d][1] / math.log2(rank + 1)
            for rank, d in enumerate(seen, 1)
            if d in topic.pool and topic.pool[d][0] == name and topic.pool[d][1] > 0
        )
        dcg += divide(len(grades), topic.num_judged(grades)) * gains
    return divide(dcg, ideal(topic, depth, tool))


def ideal(topic: Strata, depth: int, tool: str) -> float:
    """The ideal list: each grade's documents, the first of a grade whatever the depth."""
    numbers: dict[float, Fraction] = {}
    for name in topic.names:
        grades = topic.grades(name)
        for grade in grades:
            if grade > 0:
                weight = Fraction(len(grades), topic.num_judged(grades))
                numbers[grade] = numbers.get(grade, Fraction(0)) + weight
    total, before = 0.0, Fraction(0)
    for grade in sorted(numbers, reverse=True):
        half = Fraction(1, 2)
        number = numbers[grade] if tool == "trecvid2012" else int(numbers[grade] + half)
        for place in range(1, int(number) + 1):
            total += grade / math.log2(before + place + 1)
            if before + place >= depth:
                break
        before += number
    return total


def standard_error(topic: Strata, k: int | None = None) -> float:
    """The definition of xinfAPse: the linearised error of each judged document, by strata.

    NaN where too little was drawn, or what was drawn shows no variation.
    """
    depth, ap = k or topic.depth, stratified_estimate(topic, k)
    place = {document: rank for rank, document in enumerate(topic.ranking[:depth], 1)}
    later = sorted(place[d] for d in topic.pool if d in place and topic.is_relevant(d))
    total = 0.0
    for name in topic.names:
        mine = [d for d, (stratum, grade) in topic.pool.items() if stratum == name and grade >= 0]
        errors = []
        for document in mine:
            y = float(topic.is_relevant(document))
            rank = place.get(document, math.inf)
            error = y * ((topic.precision(int(rank)) if rank <= depth else 0.0) - ap)
            for i in later:
                if i > rank:
                    above = topic.grades(name, topic.ranking[: i - 1])
                    num_judged, relevant = topic.num_judged(above), topic.relevant(above)
                    weight = topic.weight(topic.pool[topic.ranking[i - 1]][0])
                    each = len(above) / (num_judged * topic.weight(name))
                    error += weight / i * each * (y - relevant / num_judged)
            errors.append(error)
        size, drawn = len(topic.grades(name)), len(mine)
        if drawn > 1:
            total += size**2 * (1 - drawn / size) * variance(errors) / drawn
    error = divide(math.sqrt(total), num_rel(topic))
    sampled = [
        num_judged
        for name in topic.names
        if (num_judged := topic.num_judged(grades := topic.grades(name))) < len(grades)
    ]
    drawn = sum(topic.is_relevant(d) for d in topic.pool)
    if sampled and topic.ranking and (drawn < 2 or min(sampled) < 2 or error < BELOW):
        return math.nan
    return error


def curve(topic: Strata, level: float) -> float:
    """The definition of iIPrec, as the walk from the last rank up that sample_eval makes."""
    length = min(len(topic.ranking), topic.depth)
    reached = [num_rel_ret(topic, rank) for rank in range(1, length + 1)]
    values, highest, tenth = [0.0] * 11, 0.0, 10
    if not reached:
        return 0.0
    while tenth >= 0 and (tenth / 10) * num_rel(topic) > reached[-1]:
        tenth -= 1
    for rank in range(length, 0, -1):
        highest = max(highest, reached[rank - 1] / rank)
        if tenth >= 0 and (tenth / 10) * num_rel(topic) > reached[rank - 1]:
            values[tenth] = highest
            tenth -= 1
    values[: tenth + 1] = [highest] * (tenth + 1)
    return values[round(10 * level)]


STRATIFIED: dict[str, Callable[..., float]] = {
    "xinfAP": stratified_estimate,
    "xinfAPse": standard_error,
    "infNDCG": ndcg,
    "inum_rel": num_rel,
    "inum_rel_ret": num_rel_ret,
    "iP": precision_at,
    "iRecall": recall_at,
    "iIPrec": curve,
}
"""(topic[, cutoff], **options) -> value."""


# --- inclusion probabilities ---


@dataclass(frozen=True)
class Inclusions:
    """A ranking, and for each judged document grade, method and probability (None: not known)."""

    ranking: Sequence[str]
    pool: Mapping[str, tuple[float, int, Fraction | None]]
    level: int = 1

    def probabilities(self, mtc: str) -> dict[str, float]:
        """The documents that count, each with its probability."""
        by_name = {}
        for document, (grade, method, probability) in self.pool.items():
            if grade < 0 or probability is None or (mtc == "drop" and method == 0):
                continue
            sure = mtc == "sure" and method in (0, 2)
            by_name[document] = 1.0 if sure else float(probability)
        return by_name

    def relevant(self, mtc: str) -> dict[str, float]:
        """Those of them that are relevant."""
        every = self.probabilities(mtc)
        return {d: p for d, p in every.items() if self.pool[d][0] >= self.level}


def stat_num_rel(topic: Inclusions, mtc: str = "sure") -> float:
    """The definition of stat_num_rel."""
    return sum(1 / p for p in topic.relevant(mtc).values())


def stat_precisions(topic: Inclusions, mtc: str) -> dict[str, tuple[int, float]]:
    """Rank and expected precision of each relevant document retrieved."""
    relevant, actual, total = topic.relevant(mtc), {}, 0.0
    for rank, document in enumerate(topic.ranking, 1):
        if document in relevant:
            actual[document] = rank, (1 + total) / rank
            total += 1 / relevant[document]
    return actual


def stat_ap(topic: Inclusions, mtc: str = "sure") -> float:
    """The definition of statAP."""
    relevant = topic.relevant(mtc)
    actual = stat_precisions(topic, mtc)
    return divide(sum(v / relevant[d] for d, (_, v) in actual.items()), stat_num_rel(topic, mtc))


def stat_error(topic: Inclusions, mtc: str = "sure", form: str = "v4") -> float:
    """The definition of statAPse: the root of the program's variance; NaN for 0 by chance."""
    relevant, actual = topic.relevant(mtc), stat_precisions(topic, mtc)
    every, ap = topic.probabilities(mtc), stat_ap(topic, mtc)
    y = {d: ((actual[d][1] if d in actual else 0.0) - ap) / p for d, p in relevant.items()}
    total = sum((1 - p) * y[d] ** 2 for d, p in relevant.items())
    pairs = sum(a * b for d, a in y.items() for e, b in y.items() if d != e)
    if len(every) > 1:
        total -= pairs / (len(every) - 1)
    own = {d: (1 - p) / p**2 for d, p in relevant.items()}
    for document, (rank, _) in actual.items():
        if form == "v3":
            total += sum(own[d] for d in actual if actual[d][0] <= rank) / rank**2
        else:
            behind = sum(1 / (r * relevant[d]) for d, (r, _) in actual.items() if r > rank)
            total += behind**2 * own[document]
    result = divide(total, stat_num_rel(topic, mtc) ** 2)
    if form == "v4":
        retrieved = sum(d in every for d in topic.ranking)
        result = min(1.0, result * len(every) / (retrieved + 0.1))
    error = math.sqrt(max(result, 0.0))
    by_chance = any(p < 1 for p in every.values())
    return math.nan if error < 1e-12 and by_chance and topic.ranking else error


def stat_precision(topic: Inclusions, k: int, mtc: str = "sure") -> float:
    """The definition of statP."""
    relevant = topic.relevant(mtc)
    return sum(1 / relevant[d] for d in topic.ranking[:k] if d in relevant) / k


def stat_r_precision(topic: Inclusions, mtc: str = "sure") -> float:
    """The definition of statRprec."""
    total = stat_num_rel(topic, mtc)
    rank = int(total + 0.5)
    if rank and rank <= len(topic.ranking):
        return stat_precision(topic, rank, mtc)
    return divide(stat_precision(topic, rank, mtc) * rank if rank else 0.0, total)


INCLUDED: dict[str, Callable[..., Any]] = {
    "statAP": stat_ap,
    "statAPse": stat_error,
    "statP": stat_precision,
    "statRprec": stat_r_precision,
    "stat_num_rel": stat_num_rel,
}
"""(topic[, cutoff], **options) -> value."""
