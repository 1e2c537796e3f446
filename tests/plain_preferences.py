"""The preference measures again, each written as its definition, over one topic in plain Python.

Slow and simple: an oracle for the real ones, sharing no code with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, product
from math import inf


@dataclass(frozen=True)
class Line:
    """One line of the judgments of a topic."""

    group: str
    subgroup: str
    doc: str
    level: float


@dataclass(frozen=True)
class Topic:
    """The judgments of a topic, and the documents retrieved for it, best first."""

    ranking: list[str]
    lines: list[Line]

    def groups(self) -> list[list[Line]]:
        """The lines of each judgment group, by name."""
        names = sorted({line.group for line in self.lines})
        return [[line for line in self.lines if line.group == name] for name in names]

    def order(self) -> list[str]:
        """All judged documents: the retrieved ones as ranked, then the others by id."""
        judged = {line.doc for line in self.lines}
        retrieved = [doc for doc in self.ranking if doc in judged]
        return retrieved + sorted(judged - set(retrieved))

    def retrieved(self, doc: str) -> bool:
        """Whether the document is in the ranking."""
        return doc in self.ranking

    def fulfils(self, better: str, worse: str) -> bool:
        """Whether the ranking puts one document before the other, which may be missing."""
        if not self.retrieved(better):
            return False
        if not self.retrieved(worse):
            return True
        return self.ranking.index(better) < self.ranking.index(worse)


Pairs = list[tuple[str, str]]
"""Preferences: (better, worse), as often as they count."""


def preferences(group: list[Line]) -> Pairs:
    """All preferences of a judgment group."""
    if has_subgroups(group):
        return sorted(closure(stated_pairs(group)))
    return [(a.doc, b.doc) for a, b in product(group, group) if a.level > b.level]


def has_subgroups(group: list[Line]) -> bool:
    """Whether the group has more than one subgroup."""
    return len({line.subgroup for line in group}) > 1


def stated_pairs(group: list[Line]) -> set[tuple[str, str]]:
    """The preferences that the subgroups state, each once."""
    return {
        (a.doc, b.doc)
        for a, b in product(group, group)
        if a.subgroup == b.subgroup and a.level > b.level
    }


def closure(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The pairs and all that follow from them; no document above itself."""
    while True:
        more = pairs | {(a, d) for a, b in pairs for c, d in pairs if b == c}
        if more == pairs:
            return {(a, b) for a, b in pairs if a != b}
        pairs = more


def contradicts(topic: Topic) -> bool:
    """Whether some group of the topic cannot hold as it is."""
    return any(
        subgroups_contradict(group) if has_subgroups(group) else level_twice(group)
        for group in topic.groups()
    )


def level_twice(group: list[Line]) -> bool:
    """Whether a document has two levels."""
    return len({(line.doc, line.level) for line in group}) > len({line.doc for line in group})


def subgroups_contradict(group: list[Line]) -> bool:
    """Whether a level of 0 follows one above 0 or the reverse, or preferences go in a circle."""
    last: dict[str, float] = {}
    for line in sorted(group, key=lambda line: (line.subgroup, -line.level)):
        before = last.get(line.doc, -1.0)
        if (before > 0 and line.level == 0) or (before == 0 and line.level > 0):
            return True
        last[line.doc] = line.level
    pairs = closure(stated_pairs(group))
    return any((b, a) in pairs for a, b in pairs)


# preferences by what was retrieved of them: both documents, at least one, anything
KINDS: dict[str, Callable[[Topic, str, str], bool]] = {
    "_ret": lambda topic, a, b: topic.retrieved(a) and topic.retrieved(b),
    "_imp": lambda topic, a, b: topic.retrieved(a) or topic.retrieved(b),
    "": lambda topic, a, b: True,
}


def counted_pairs(topic: Topic, kind: str) -> Iterator[Pairs]:
    """The preferences of that kind, group by group."""
    for group in topic.groups():
        yield [pair for pair in preferences(group) if KINDS[kind](topic, *pair)]


def share(topic: Topic, pairs: Pairs) -> float:
    """Fulfilled / all, 0 if there are none."""
    return sum(topic.fulfils(*pair) for pair in pairs) / len(pairs) if pairs else 0.0


def num_poss(topic: Topic) -> int:
    """All preferences."""
    return sum(len(pairs) for pairs in counted_pairs(topic, ""))


def num_ful(topic: Topic, kind: str = "") -> int:
    """Preferences fulfilled."""
    return sum(topic.fulfils(*pair) for pairs in counted_pairs(topic, kind) for pair in pairs)


def simp(topic: Topic, kind: str) -> float:
    """Fulfilled / all, all groups together."""
    return share(topic, [pair for pairs in counted_pairs(topic, kind) for pair in pairs])


def avgjg(topic: Topic, kind: str) -> float:
    """The mean over groups of fulfilled / all."""
    return mean([share(topic, pairs) for pairs in counted_pairs(topic, kind)])


def pair(topic: Topic, kind: str) -> float:
    """The mean over pairs of documents of the share of their preferences that are fulfilled."""
    everything = [pref for pairs in counted_pairs(topic, kind) for pref in pairs]
    named = [(a, b) for a, b in combinations(topic.order(), 2) if {(a, b), (b, a)} & {*everything}]
    # the order of summation: pairs with both documents retrieved before those with one
    named.sort(key=lambda both: topic.retrieved(both[0]) + topic.retrieved(both[1]), reverse=True)
    values = []
    for a, b in named:
        votes = [pref for pref in everything if pref in ((a, b), (b, a))]
        values.append(sum(topic.fulfils(*vote) for vote in votes) / len(votes))
    return mean(values)


def rnonrel(topic: Topic) -> float:
    """The mean over groups with as many non-relevant documents as relevant ones."""
    return even_mean(topic, set(topic.order()), lambda group, docs: relevant(group, docs))


def rnonrel_ret(topic: Topic) -> float:
    """The same over retrieved documents; partial orders cut at all relevant documents."""
    everything = set(topic.order())

    def limit(group: list[Line], docs: set[str]) -> int:
        return relevant(group, everything if has_subgroups(group) else docs)

    return even_mean(topic, {*filter(topic.retrieved, everything)}, limit)


def even_mean(topic: Topic, docs: set[str], limit: Callable[[list[Line], set[str]], int]) -> float:
    """The mean over groups of fulfilled / all among `docs`, non-relevant documents evened out."""
    values = []
    for group in topic.groups():
        missing = relevant(group, docs) - nonrelevant(group, docs)
        if missing >= 0:
            pairs = preferences(group)
            above = relevant(group, {*filter(topic.retrieved, docs)}) * missing
            below = relevant(group, {line.doc for line in group}) * missing
        else:
            pairs = trim_group(topic, group, limit(group, docs))
            above = below = 0
        pairs = [(a, b) for a, b in pairs if {a, b} <= docs]
        if len(pairs) + below == 0:
            return 0.0
        fulfilled = sum(topic.fulfils(*pref) for pref in pairs)
        values.append((fulfilled + above) / (len(pairs) + below))
    return mean(values)


def trim_group(topic: Topic, group: list[Line], limit: int) -> Pairs:
    """The preferences counted when only the first non-relevant documents stay."""
    order = topic.order()
    if has_subgroups(group):
        levels = levels_of(group)
        zero = [doc for doc in order if levels.get(doc) == 0]
        return [(a, b) for a, b in preferences(group) if not {a, b} & set(zero[limit:])]
    bottom = min(line.level for line in group)
    lowest = sorted(
        (line.doc for line in group if line.level == bottom), key=lambda doc: order.index(doc)
    )
    others = [pref for pref in preferences(group) if pref[1] not in lowest]
    return others + [(line.doc, doc) for line in group for doc in lowest[:limit]]


def levels_of(group: list[Line]) -> dict[str, float]:
    """Each document's level: the one of its last line."""
    return {
        line.doc: line.level
        for line in sorted(group, key=lambda line: (line.subgroup, -line.level))
    }


def relevant(group: list[Line], docs: set[str]) -> int:
    """How many of `docs` are relevant: by line, or with subgroups by document."""
    return num_at_level(group, docs, lambda level: level > 0)


def nonrelevant(group: list[Line], docs: set[str]) -> int:
    """How many are not; with subgroups a negative level is neither."""
    least = 0.0 if has_subgroups(group) else -inf
    return num_at_level(group, docs, lambda level: least <= level <= 0)


def num_at_level(group: list[Line], docs: set[str], selected: Callable[[float], bool]) -> int:
    """How many of `docs` have such a level, by line or with subgroups by document."""
    if has_subgroups(group):
        return sum(selected(level) for doc, level in levels_of(group).items() if doc in docs)
    return sum(selected(line.level) for line in group if line.doc in docs)


def mean(values: list[float]) -> float:
    """The mean, summed from left to right; 0 of nothing."""
    total = 0.0
    for value in values:
        total += value
    return total / len(values) if values else 0.0


MEASURES: dict[str, Callable[[Topic], float]] = {
    "prefs_num_prefs_poss": num_poss,
    "prefs_num_prefs_ful": num_ful,
    "prefs_num_prefs_ful_ret": lambda topic: num_ful(topic, "_ret"),
    "prefs_simp": lambda topic: simp(topic, ""),
    "prefs_pair": lambda topic: pair(topic, ""),
    "prefs_avgjg": lambda topic: avgjg(topic, ""),
    "prefs_avgjg_Rnonrel": rnonrel,
    "prefs_simp_ret": lambda topic: simp(topic, "_ret"),
    "prefs_pair_ret": lambda topic: pair(topic, "_ret"),
    "prefs_avgjg_ret": lambda topic: avgjg(topic, "_ret"),
    "prefs_avgjg_Rnonrel_ret": rnonrel_ret,
    "prefs_simp_imp": lambda topic: simp(topic, "_imp"),
    "prefs_pair_imp": lambda topic: pair(topic, "_imp"),
    "prefs_avgjg_imp": lambda topic: avgjg(topic, "_imp"),
}
