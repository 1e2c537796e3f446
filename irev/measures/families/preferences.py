"""Preferences ("this one rather than that one"), relatives of bpref, and compatibility.

The three endings of trec_eval's names say what becomes of a document that was not retrieved:

(none)   it stands below all retrieved ones; a preference between two of them is not fulfilled
`_imp`   it stands below all retrieved ones; a preference between two of them is left out
`_ret`   every preference that names it is left out
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irev.core.arrays import (
    Bools,
    DocumentRanks,
    Floats,
    Ints,
    RelevantValues,
    RowMask,
    TopicCounts,
    TopicsByCutoffs,
    TopicValues,
    offsets,
    ranks_in_segments,
    ratio,
    running_sums,
    segment_starts,
    segment_sums,
    sums_before,
)
from irev.core.judged import Judged, JudgmentGroup, RankedPreferences
from irev.core.record import record
from irev.errors import ContradictionError, UsageError
from irev.measures.families.gain import checked_top_gain, relevant_ideal_list
from irev.measures.families.incomplete import nonrelevant_before
from irev.measures.families.patience import powers
from irev.measures.registry import GainValue, Option, measure
from irev.measures.shared import GAIN, HIGHEST, NoCutoff, gain_values, memoize

# --- trec_eval's measures of preferences ---


BASIC: dict[str, Any] = {
    "source": "trec_eval 9 (Buckley, 2008)",
    "sets": ("all_prefs", "prefs"),
    "needs": "prefs",
    "cites": ("carterette2008here", "trec_eval"),
}
VARIANT: dict[str, Any] = {**BASIC, "sets": ("all_prefs",)}
NUMBER: dict[str, Any] = {
    **BASIC,
    "cites": ("trec_eval",),
    "kind": "count",
    "average": "sum",
    "bounds": (0.0, math.inf),
}


@measure(
    "prefs_num_prefs_poss",
    "Preferences in the judgments",
    formula="number of preferences",
    position=37,
    higher_is_better=None,
    **NUMBER,
)
def prefs_num_prefs_poss(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """How many preferences the judgments hold, whatever was retrieved.

    A group with one subgroup prefers each document to every one of a lower level; lines that
    are repeated count repeatedly. A group with several subgroups holds each preference once, with
    those that follow from others (a over b, b over c: a over c). A preference that several groups
    hold counts in each. The summary is the sum over topics.
    """
    tallied = tally(prefs)
    return tallied.sum_by_topic(tallied.poss)


@measure(
    "prefs_num_prefs_ful",
    "Preferences fulfilled by the ranking",
    formula="number of preferences a over b with a retrieved, and b below a or not retrieved",
    position=38,
    **NUMBER,
)
def prefs_num_prefs_ful(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """How many preferences the ranking fulfils.

    The preferred document must be retrieved; the other one may be missing. The summary is the sum
    over topics.
    """
    tallied = tally(prefs)
    return tallied.sum_by_topic(tallied.ful)


@measure(
    "prefs_num_prefs_ful_ret",
    "Preferences fulfilled among the retrieved documents",
    formula="number of preferences a over b with both retrieved and b below a",
    position=39,
    **NUMBER,
)
def prefs_num_prefs_ful_ret(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """How many preferences between two retrieved documents the ranking fulfils.

    The summary is the sum over topics.
    """
    tallied = tally(prefs)
    return tallied.sum_by_topic(tallied.ful_ret)


@measure(
    "prefs_simp",
    "Share of the preferences that the ranking fulfils",
    formula="fulfilled / all preferences",
    position=40,
    **BASIC,
)
def prefs_simp(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """Preferences fulfilled, divided by all preferences of the topic.

    Every preference weighs the same: one that two groups hold counts twice, and where two groups
    disagree only one of them can be fulfilled, so that 1 may be out of reach. A preference
    between two documents that were not retrieved is not fulfilled. 0 without preferences.
    """
    tallied = tally(prefs)
    return tallied.share_by_topic(tallied.ful, tallied.poss)


@measure(
    "prefs_pair",
    "Agreement with the preferences, each pair of documents weighing the same",
    formula="mean over pairs {a, b}, a above b, of prefers(a, b) / (prefers(a, b) + prefers(b, a))",
    position=41,
    **BASIC,
)
def prefs_pair(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """The share of a pair's preferences that are fulfilled, averaged over the pairs.

    A pair is two documents that at least one group prefers one way or the other; however many
    groups do, it weighs as much as any other pair. A pair of which neither document was retrieved
    counts as 0. 0 without preferences.
    """
    return tally(prefs).pair


@measure(
    "prefs_avgjg",
    "Share of the preferences fulfilled, each judgment group weighing the same",
    formula="mean over judgment groups of fulfilled / all preferences of the group",
    position=42,
    **BASIC,
)
def prefs_avgjg(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """The share of a judgment group's preferences that are fulfilled, averaged over the groups.

    With a group for each person, someone with many preferences does not drown someone with few.
    A group without preferences counts as 0.
    """
    tallied = tally(prefs)
    return tallied.mean_over_groups(ratio(tallied.ful, tallied.poss))


@measure(
    "prefs_avgjg_Rnonrel",
    "prefs_avgjg with as many non-relevant documents as relevant ones",
    formula=(
        "mean over judgment groups of (fulfilled + r (R - N)) / (all + R (R - N)) if R >= N,"
        " else of fulfilled / all with R non-relevant documents;"
        " R, N relevant and non-relevant documents, r relevant ones retrieved"
    ),
    position=43,
    **VARIANT,
)
def prefs_avgjg_Rnonrel(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """prefs_avgjg, each group brought to as many non-relevant documents (N) as relevant ones (R).

    How many non-relevant documents were judged is often chance, and sways the other measures. A
    level above 0 is relevant; level 0 is not, and in a group with one subgroup no more is a
    negative one.

    With too few, R - N are added in thought below the ranking, R preferences for each. With too
    many, the first R in rank order stay. A group with one subgroup takes them from its lowest
    level, and then, as in trec_eval, each document of the group, those of the lowest level
    included, is held to be preferred to each of the R. A topic is 0 if one of its groups has
    nothing left to count (only non-relevant documents, say).
    """
    tallied = tally(prefs)
    return tallied.mean_share_of_groups(tallied.even_ful, tallied.even_poss)


@measure(
    "prefs_simp_ret",
    "prefs_simp over the retrieved documents",
    formula="fulfilled / all, of the preferences with both documents retrieved",
    position=44,
    **VARIANT,
)
def prefs_simp_ret(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """prefs_simp over the preferences with both documents retrieved; the others are left out.

    0 without such preferences. Meant for collections that change.
    """
    tallied = tally(prefs)
    return tallied.share_by_topic(tallied.ful_ret, tallied.poss_ret)


@measure(
    "prefs_pair_ret",
    "prefs_pair over the retrieved documents",
    formula=(
        "mean over retrieved pairs {a, b}, a above b, of"
        " prefers(a, b) / (prefers(a, b) + prefers(b, a))"
    ),
    position=45,
    **VARIANT,
)
def prefs_pair_ret(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """prefs_pair over the pairs with both documents retrieved; the others are left out.

    0 without such pairs. Meant for collections that change.
    """
    return tally(prefs).pair_ret


@measure(
    "prefs_avgjg_ret",
    "prefs_avgjg over the retrieved documents",
    formula="mean over judgment groups of fulfilled / all, both documents retrieved",
    position=46,
    **VARIANT,
)
def prefs_avgjg_ret(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """prefs_avgjg over the preferences with both documents retrieved; the others are left out.

    A group without such preferences counts as 0. Meant for collections that change.
    """
    tallied = tally(prefs)
    return tallied.mean_over_groups(ratio(tallied.ful_ret, tallied.poss_ret))


@measure(
    "prefs_avgjg_Rnonrel_ret",
    "prefs_avgjg_Rnonrel over the retrieved documents",
    formula=(
        "mean over judgment groups of (fulfilled + r (r - n)) / (all + R (r - n)) if r >= n,"
        " else of fulfilled / all with fewer non-relevant documents, both documents retrieved;"
        " r, n relevant and non-relevant documents retrieved, R relevant ones"
    ),
    position=47,
    **VARIANT,
)
def prefs_avgjg_Rnonrel_ret(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """prefs_avgjg_Rnonrel over the retrieved documents: both counts and preferences are theirs.

    Two oddities are trec_eval's. With too few non-relevant documents, what is added below the
    ranking is preferred against by all relevant documents, retrieved or not. With too many, a
    group with several subgroups keeps as many as it has relevant documents, retrieved or not. A
    topic is 0 if one of its groups has nothing left to count (nothing retrieved, say).
    """
    tallied = tally(prefs)
    return tallied.mean_share_of_groups(tallied.even_ful_ret, tallied.even_poss_ret)


@measure(
    "prefs_simp_imp",
    "prefs_simp without the preferences between documents not retrieved",
    formula="fulfilled / all, of the preferences with a retrieved document",
    position=48,
    **VARIANT,
)
def prefs_simp_imp(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """prefs_simp over the preferences with at least one document retrieved.

    A retrieved document ranks above one that was not retrieved. 0 without such preferences.
    """
    tallied = tally(prefs)
    return tallied.share_by_topic(tallied.ful, tallied.poss_ret + tallied.poss_imp)


@measure(
    "prefs_pair_imp",
    "prefs_pair without the pairs of documents not retrieved",
    formula=(
        "mean over pairs {a, b} with a retrieved, a above b, of"
        " prefers(a, b) / (prefers(a, b) + prefers(b, a))"
    ),
    position=49,
    **VARIANT,
)
def prefs_pair_imp(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """prefs_pair over the pairs with at least one document retrieved.

    A retrieved document ranks above one that was not retrieved. 0 without such pairs.
    """
    return tally(prefs).pair_imp


@measure(
    "prefs_avgjg_imp",
    "prefs_avgjg without the preferences between documents not retrieved",
    formula="mean over judgment groups of fulfilled / all, a document retrieved",
    position=50,
    **VARIANT,
)
def prefs_avgjg_imp(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """prefs_avgjg over the preferences with at least one document retrieved.

    A retrieved document ranks above one that was not retrieved. A group without such preferences
    counts as 0.
    """
    tallied = tally(prefs)
    shares = ratio(tallied.ful, tallied.poss_ret + tallied.poss_imp)
    return tallied.mean_over_groups(shares)


# --- Preferences counted ---
# A preference "a over b" is one ordered pair. With both documents retrieved it is fulfilled if a
# stands before b; with only one of them retrieved (an implied preference) if that one is a; with
# neither it is not fulfilled. Letters: G judgment groups of all topics, n documents of a group, D
# documents of a topic, k how many of them were retrieved, which are always the first k.
# A group with one subgroup orders all its documents by level, and repeated lines count repeatedly.
# A group with several is a partial order: the transitive closure of what its subgroups say.


if TYPE_CHECKING:
    import numpy.typing as npt

    Counts: TypeAlias = npt.NDArray[np.int32]
"""int32[n, n]: how often the row's document is preferred to the column's."""


@record
class Tally:
    """What the preference measures are made of.

    Per judgment group, int64[G], topic after topic and by name within a topic:

    topic                       which topic it belongs to
    ful_ret, poss_ret           preferences between retrieved documents: fulfilled, all
    ful_imp, poss_imp           implied preferences: fulfilled, all
    not_ret                     preferences between documents not retrieved
    even_ful, even_poss         fulfilled and all, with as many non-relevant documents as relevant
    even_ful_ret, even_poss_ret the same among the retrieved documents

    Per topic, float64[T]: `pair`, `pair_ret`, `pair_imp`, the mean agreement over the pairs of
    documents that any group prefers one way or the other.
    """

    topic: Ints
    ful_ret: Ints
    poss_ret: Ints
    ful_imp: Ints
    poss_imp: Ints
    not_ret: Ints
    even_ful: Ints
    even_poss: Ints
    even_ful_ret: Ints
    even_poss_ret: Ints
    pair: Floats
    pair_ret: Floats
    pair_imp: Floats

    def sum_by_topic(self, counts: Ints) -> TopicValues:
        """The counts of each topic's groups together."""
        return segment_sums(self.topic, counts.astype(np.float64), len(self.pair))

    def share_by_topic(self, fulfilled: Ints, possible: Ints) -> TopicValues:
        """Fulfilled / possible over all groups of a topic, 0 where there are none."""
        return ratio(self.sum_by_topic(fulfilled), self.sum_by_topic(possible))

    def mean_over_groups(self, values: Floats) -> TopicValues:
        """The mean over a topic's judgment groups, all of them."""
        num_topics = len(self.pair)
        groups = np.bincount(self.topic, minlength=num_topics)
        return ratio(segment_sums(self.topic, values, num_topics), groups)

    def mean_share_of_groups(self, fulfilled: Ints, possible: Ints) -> TopicValues:
        """The mean of fulfilled / possible, 0 where one group of a topic has 0 / 0."""
        mean = self.mean_over_groups(ratio(fulfilled, possible, if_zero=math.nan))
        return np.where(np.isnan(mean), 0.0, mean)

    @property
    def ful(self) -> Ints:
        """int64[G]: preferences fulfilled, implied ones included."""
        return self.ful_ret + self.ful_imp

    @property
    def poss(self) -> Ints:
        """int64[G]: all preferences."""
        return self.poss_ret + self.poss_imp + self.not_ret


def tally(prefs: RankedPreferences) -> Tally:
    """The counts of all topics, made at the first call and kept with the preferences."""
    if "tally" not in prefs.memo:
        rows: list[tuple[int, ...]] = []
        agreements = []
        for topic in range(prefs.num_topics):
            counts, agreement = _tally_topic(prefs, topic)
            rows.extend((topic, *count) for count in counts)
            agreements.append(agreement)
        by_group = np.array(rows, np.int64).reshape(-1, 10).T
        by_topic = np.array(agreements, np.float64).reshape(-1, 3).T
        prefs.memo["tally"] = Tally(*by_group, *by_topic)
    tallied: Tally = prefs.memo["tally"]
    return tallied


def _tally_topic(
    prefs: RankedPreferences, topic: int
) -> tuple[list[tuple[int, ...]], tuple[float, float, float]]:
    """For each judgment group of a topic its nine counts, in the order of `Tally`; agreements."""
    num_ret, num_docs = int(prefs.num_ret[topic]), int(prefs.num_docs[topic])
    prefers = np.zeros((num_docs, num_docs), np.int32)
    counts: list[tuple[int, ...]] = []
    for index, judgments in enumerate(prefs.groups[topic]):
        order = _complete_order if len(judgments.docs) == 1 else _partial_order
        group = order(judgments, num_ret, (topic, index))
        if len(group.docs) == num_docs:
            prefers += group.prefers
        else:
            prefers[np.ix_(group.docs, group.docs)] += group.prefers
        k = group.num_ret
        both, implied = group.prefers[:k, :k], group.prefers[:k, k:].sum()
        counts.append(
            (
                _num_fulfilled(both),
                both.sum(),
                implied,
                implied + group.prefers[k:, :k].sum(),
                group.prefers[k:, k:].sum(),
                *_even_counts(group),
                *_even_counts(group, retrieved_only=True),
            )
        )
    return counts, _pair_agreements(prefers, num_ret)


@record
class _PreferenceGroup:
    """A judgment group with its preferences worked out."""

    docs: Ints
    """int64[n]: the documents by internal rank, rising, each once."""
    level: Floats
    """float64[n]: the level that says whether the document is relevant."""
    lines: Ints
    """int64[n]: how many times the document counts."""
    prefers: Counts
    num_ret: int
    """k."""
    complete: bool
    """Whether the levels order all documents; then every level up to 0 is non-relevant."""

    @property
    def relevant(self) -> RowMask:
        """bool[n]."""
        return self.level > 0

    @property
    def nonrelevant(self) -> RowMask:
        """bool[n]: in a partial order a negative level is neither relevant nor not."""
        return self.level <= 0 if self.complete else self.level == 0


def _complete_order(
    judgments: JudgmentGroup, num_ret: int, group_key: tuple[int, int]
) -> _PreferenceGroup:
    """A group with one subgroup: every higher level over every lower one."""
    rows, levels = judgments.docs[0], judgments.levels[0]
    contradicts = (rows[1:] == rows[:-1]) & (levels[1:] != levels[:-1])
    if contradicts.any():
        doc = int(rows[1:][contradicts][0])
        raise ContradictionError("two levels for a document in one subgroup", *group_key, (doc,))
    docs, first, lines = np.unique(rows, return_index=True, return_counts=True)
    level = levels[first]
    times = lines.astype(np.int32)
    prefers = (level[:, None] > level) * (times[:, None] * times)
    retrieved = int(np.searchsorted(docs, num_ret))
    return _PreferenceGroup(docs, level, lines, prefers, retrieved, complete=True)


def _partial_order(
    judgments: JudgmentGroup, num_ret: int, group_key: tuple[int, int]
) -> _PreferenceGroup:
    """A group with several subgroups: the transitive closure of all their preferences."""
    docs, level = _documents_with_level_read_last(judgments, group_key)
    reach = np.zeros((len(docs), len(docs)), bool)
    for rows, levels in zip(judgments.docs, judgments.levels, strict=True):
        better, worse = np.nonzero(levels[:, None] > levels)
        place = np.searchsorted(docs, rows)
        reach[place[better], place[worse]] = True
    for through in range(len(docs)):
        reach[reach[:, through]] |= reach[through]
    # a document above itself, by two levels in one subgroup, says nothing
    np.fill_diagonal(reach, False)
    conflicts = np.argwhere(reach & reach.T)
    if len(conflicts):
        one, other = docs[conflicts[0]].tolist()
        raise ContradictionError("documents preferred to each other", *group_key, (one, other))
    retrieved = int(np.searchsorted(docs, num_ret))
    lines = np.ones(len(docs), np.int64)
    return _PreferenceGroup(docs, level, lines, reach.astype(np.int32), retrieved, complete=False)


def _documents_with_level_read_last(
    group: JudgmentGroup, key_for_errors: tuple[int, int]
) -> tuple[Ints, Floats]:
    """The documents of a group, and for each the level that is read last.

    Lines are read by subgroup, and within one by falling level. A level of 0 next to one above 0
    is a contradiction: the document would be relevant and not.
    """
    rows, level = np.concatenate(group.docs), np.concatenate(group.levels)
    subgroup = np.repeat(np.arange(len(group.docs)), [len(docs) for docs in group.docs])
    order = np.lexsort((-level, subgroup, rows))
    rows, level = rows[order], level[order]
    same = rows[1:] == rows[:-1]
    contradicts = ((level[1:] == 0) & (level[:-1] > 0)) | ((level[1:] > 0) & (level[:-1] == 0))
    if (same & contradicts).any():
        doc = int(rows[1:][same & contradicts][0])
        raise ContradictionError(
            "level 0 and a level above 0 for a document", *key_for_errors, (doc,)
        )
    last = np.append(~same, True)
    return rows[last], level[last]


def _num_fulfilled(prefers: Counts) -> int:
    """How many preferences are for the document that stands first."""
    return int(np.triu(prefers, 1).sum())


def _even_counts(group: _PreferenceGroup, *, retrieved_only: bool = False) -> tuple[int, int]:
    """Preferences fulfilled, and all, with as many non-relevant documents as relevant ones.

    Missing non-relevant documents are taken to stand below all others: each relevant one is
    preferred to each of them, fulfilled if it was retrieved. Surplus ones are left out.
    """
    k = group.num_ret
    seen = k if retrieved_only else len(group.docs)
    num_rel = int(group.lines[group.relevant].sum())
    num_rel_ret = int(group.lines[:k][group.relevant[:k]].sum())
    num_wanted = num_rel_ret if retrieved_only else num_rel
    missing = num_wanted - int(group.lines[:seen][group.nonrelevant[:seen]].sum())
    if missing >= 0:
        prefers = group.prefers[:seen, :seen]
        # trec_eval adds all the relevant documents below, the retrieved ones above, in both forms
        num_fulfilled = _num_fulfilled(prefers[:k]) + num_rel_ret * missing
        return num_fulfilled, prefers.sum() + num_rel * missing
    prefers = _preferences_less_surplus_nonrelevant(
        group, num_wanted if group.complete else num_rel
    )[:seen, :seen]
    return _num_fulfilled(prefers[:k]), prefers.sum()


def _preferences_less_surplus_nonrelevant(group: _PreferenceGroup, num_wanted: int) -> Counts:
    """The preferences that are left when only the first non-relevant documents stay.

    A complete order keeps the first `num_wanted` lines of its lowest level, and, as trec_eval does,
    sets every document of the group over each of them, those of that level (and the document
    itself) included. A partial order keeps the first `num_wanted` documents of level 0.
    """
    if not group.complete:
        stays = (group.level != 0) | (np.cumsum(group.level == 0) <= num_wanted)
        prefers: Counts = group.prefers * (stays[:, None] & stays)
        return prefers
    lowest = group.level == group.level.min()
    lines = group.lines * lowest
    num_kept = np.clip(num_wanted - (np.cumsum(lines) - lines), 0, lines)
    first = np.flatnonzero(num_kept)
    prefers = group.prefers * ~lowest[None, :]
    prefers[:, first] = np.outer(group.lines, num_kept[first])
    return prefers


def _pair_agreements(prefers: Counts, num_ret: int) -> tuple[float, float, float]:
    """`pair`, `pair_ret` and `pair_imp` of `Tally`, 0 where there is no pair.

    A pair's agreement is the share of its preferences that are fulfilled; the sum runs over the
    pairs with both retrieved, then over those with one, row by row.
    """
    k = num_ret
    is_pair = (prefers > 0) | (prefers.T > 0)
    num_pairs_ret = np.count_nonzero(np.triu(is_pair[:k, :k], 1))
    num_pairs_imp = num_pairs_ret + np.count_nonzero(is_pair[:k, k:])
    num_pairs = num_pairs_imp + np.count_nonzero(np.triu(is_pair[k:, k:], 1))
    above, below = np.nonzero(np.triu(prefers[:k, :k], 1))
    retrieved, missing = np.nonzero(prefers[:k, k:])
    first, second = np.append(above, retrieved), np.append(below, missing + k)
    agreed, opposed = prefers[first, second], prefers[second, first]
    sums = sums_before(agreed / (agreed + opposed))
    total, total_ret = float(sums[-1]), float(sums[len(above)])
    return (
        total / num_pairs if num_pairs else 0.0,
        total_ret / num_pairs_ret if num_pairs_ret else 0.0,
        total / num_pairs_imp if num_pairs_imp else 0.0,
    )


# --- Relatives of bpref: relevant documents against the judged ones that stand before them ---


SAKAI = "Sakai 2007, Alternatives to Bpref, SIGIR; NTCIREVAL"


def _mean_over_relevant(judged: Judged, terms: RelevantValues) -> TopicsByCutoffs:
    """float64[T, 1]: the terms of the relevant documents, summed and divided by R."""
    total = segment_sums(judged.relevant_topic, terms, judged.num_topics)
    return ratio(total, judged.num_rel)[:, None]


@measure(
    "bpref_R",
    "Binary preference, by the number of relevant documents",
    family="rpref",
    formula="1/R * sum over relevant documents retrieved of 1 - min(n, R) / R; "
    "n: judged non-relevant documents before",
    source="Buckley and Voorhees 2004, Retrieval Evaluation with Incomplete Information, SIGIR; "
    "Yilmaz and Aslam 2006, CIKM, equation 1; NTCIREVAL",
    checked="paper and program",
    example=("2 0 - 1 | 1", "", (1 + 2 / 3) / 3),
    cites=("buckley2004incomplete", "yilmaz2006incomplete", "sakai2007alternatives"),
)
def bpref_by_relevant(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """As bpref was first defined: the number of documents ranked above is always divided by R.

    `Bpref` divides by min(R, N) instead, N the judged non-relevant documents of the
    topic, and differs where N < R. Unjudged documents are passed over. A topic without relevant
    documents has 0.
    """
    relevant = judged.num_rel[judged.relevant_topic]
    return _mean_over_relevant(
        judged, 1 - np.minimum(nonrelevant_before(judged), relevant) / relevant
    )


@measure(
    "bpref_N",
    "Binary preference, by the number of judged non-relevant documents",
    family="rpref",
    formula="1/R * sum over relevant documents retrieved of 1 - n / N; n: judged non-relevant "
    "documents before, N: in the qrels",
    source=SAKAI,
    checked="program",
    example=("2 0 - 1 | 1", "", 1 / 3),
    cites=("sakai2007alternatives",),
)
def bpref_by_nonrelevant(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """The share of the judged non-relevant documents that rank below a relevant one.

    Unjudged documents are passed over. Where no document was judged non-relevant, every relevant
    document retrieved counts 1. A topic without relevant
    documents has 0.
    """
    nonrelevant = judged.num_nonrel[judged.relevant_topic]
    return _mean_over_relevant(judged, 1 - ratio(nonrelevant_before(judged), nonrelevant))


@measure(
    "bpref_relative",
    "Binary preference, by the number of judged documents before",
    family="rpref",
    formula="1/R * sum over relevant documents retrieved, but not first, of 1 - n / (r - 1); "
    "n: judged non-relevant documents before, r: the rank among the judged ones",
    source=SAKAI,
    checked="program",
    example=("2 0 - 1 | 1", "", (1 / 2) / 3),
    cites=("sakai2007alternatives",),
)
def bpref_by_judged_before(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """The share of relevant documents among the judged ones before each relevant document.

    A relevant document that is the first judged one adds 0, since nothing ranks above it.
    Unjudged documents are passed over. A topic without relevant documents has 0.
    """
    before = nonrelevant_before(judged)
    judged_before = before + judged.relevant_nth - 1
    return _mean_over_relevant(
        judged, np.where(judged_before > 0, 1 - ratio(before, judged_before), 0.0)
    )


@record
class _Penalties:
    """For each relevant document retrieved: its gain, and what stands before it undeservedly."""

    gain: Floats
    """float64[Jr]"""
    penalty: Floats
    """float64[Jr]: the sum of (gain - lower gain) / gain over the judged documents before."""
    before: Ints
    """int64[Jr]: how many judged documents stand before."""


@memoize
def _penalties(judged: Judged, gain: GainValue) -> _Penalties:
    gains = np.zeros(len(judged.grade))
    relevant = judged.relevant_rows
    gains[relevant] = gain_values(judged.grade[relevant], gain)
    own_gain = gains[relevant]
    penalty = np.zeros(len(relevant))
    start = judged.row_start
    for value in np.unique(own_gain[own_gain > 0]).tolist():
        lower = judged.is_judged & (gains < value)
        running_lack = running_sums(start, np.where(lower, (value - gains) / value, 0.0))
        rows = np.flatnonzero(own_gain == value)
        penalty[rows] = running_lack[relevant[rows]]
    return _Penalties(own_gain, penalty, nonrelevant_before(judged) + judged.relevant_nth - 1)


def _gain_weighted_mean(judged: Judged, gain: GainValue, terms: RelevantValues) -> TopicsByCutoffs:
    """float64[T, 1]: the terms, each times the document's gain, over the gain there is."""
    ideal = relevant_ideal_list(judged, gain)
    total_gain = segment_sums(ideal.topic, ideal.gain, judged.num_topics)
    total = segment_sums(
        judged.relevant_topic, _penalties(judged, gain).gain * terms, judged.num_topics
    )
    return ratio(total, total_gain)[:, None]


@measure(
    "rpref_N",
    "Rank preference, relative to the judged documents that could be ranked above",
    family="rpref",
    options={"gain": GAIN, "max": HIGHEST},
    formula="sum over relevant documents retrieved of g * (1 - pen / (R + N - G / gain(max))), "
    "divided by G, the gain of all relevant documents; pen: the sum of (g - h) / g over judged "
    "documents before with a lower gain h",
    source=SAKAI,
    checked="program",
    example=("0 2 - 1 | 1", "(max=2)", (2 * (1 - 1 / 2) + 1 - 1 / 2) / 4),
    cites=("sakai2007alternatives", "debeer2006rpref"),
)
def rpref_by_all_judged(
    judged: Judged, cutoffs: NoCutoff, *, gain: GainValue, max: float
) -> TopicsByCutoffs:
    """bpref_N with gains: a document ranked above counts by how much lower its gain is.

    Unjudged documents are passed over. The scale is that of ERR. The level of relevance applies to
    gains: a document below it has gain 0, as grade 1 has with -l 2. A topic without relevant
    documents, or in which none has a gain, has 0.
    """
    ideal, top = relevant_ideal_list(judged, gain), checked_top_gain(judged, gain, max)
    total_gain = segment_sums(ideal.topic, ideal.gain, judged.num_topics)
    most = judged.num_rel + judged.num_nonrel - ratio(total_gain, top)
    share = ratio(_penalties(judged, gain).penalty, most[judged.relevant_topic])
    return _gain_weighted_mean(judged, gain, 1 - share)


@measure(
    "rpref_relative",
    "Rank preference, by the judged documents before",
    family="rpref",
    options={"gain": GAIN},
    formula="sum over relevant documents retrieved, but not first, of g * (1 - pen / (r - 1)), "
    "divided by the gain of all relevant documents; pen as for rpref_N, r: the rank among the "
    "judged ones",
    source=SAKAI,
    checked="program",
    example=("0 2 - 1 | 1", "", (2 * (1 - 1) + 1 - 1 / 2) / 4),
    cites=("sakai2007alternatives", "debeer2006rpref"),
)
def rpref_by_judged_before(
    judged: Judged, cutoffs: NoCutoff, *, gain: GainValue
) -> TopicsByCutoffs:
    """bpref_relative with gains: a document ranked above counts by how much lower its gain is.

    A relevant document that is the first judged one adds 0. Unjudged documents are passed over. The
    level of relevance applies to gains: a document below it has gain 0, as grade 1 has with -l 2. A
    topic without relevant documents, or in which none has a gain, has 0.
    """
    penalties = _penalties(judged, gain)
    terms = np.where(penalties.before > 0, 1 - ratio(penalties.penalty, penalties.before), 0.0)
    return _gain_weighted_mean(judged, gain, terms)


@measure(
    "rpref_relative2",
    "Rank preference, by the rank among the judged documents",
    family="rpref",
    options={"gain": GAIN},
    formula="sum over relevant documents retrieved of g * (1 - pen / r), divided by the gain of "
    "all relevant documents; pen and r as for rpref_relative",
    source=SAKAI,
    checked="program",
    example=("0 2 - 1 | 1", "", (2 * (1 - 1 / 2) + 1 - 1 / 3) / 4),
    cites=("sakai2007alternatives", "debeer2006rpref"),
)
def rpref_by_rank_among_judged(
    judged: Judged, cutoffs: NoCutoff, *, gain: GainValue
) -> TopicsByCutoffs:
    """rpref_relative with r in the place of r - 1, so that a first relevant document counts.

    Unjudged documents are passed over. The level of relevance applies to gains: a document below it
    has gain 0, as grade 1 has with -l 2. A topic without relevant documents, or in which none has a
    gain, has 0.
    """
    penalties = _penalties(judged, gain)
    return _gain_weighted_mean(judged, gain, 1 - penalties.penalty / (penalties.before + 1))


# --- Compatibility: how near a ranking is to an ideal ranking of its topic ---


COMPAT_DEPTH = 1000
"""Down to which rank rankings are compared where no depth is named."""

DEEPEST_COMPAT = 1 << 20
"""The largest depth: the weights of the ranks are tabled down to it."""


@measure(
    "Compat",
    "Compatibility: rank-biased overlap with the nearest ideal ranking",
    family="compatibility",
    formula="RBO(ranking, ideal) / RBO(ideal, ideal); RBO(A, B) = sum over i <= depth of p^(i-1) * "
    "|A down to i and B down to i| / i, divided by the sum of p^(i-1)",
    source="Clarke, Vtyurina and Smucker 2021, Assessing Top-k Preferences, TOIS 39(3); their "
    "program compatibility.py",
    options={
        "p": Option("the persistence", 0.95, low=0.0, high=1.0, above_low=True, shown=True),
        "depth": Option(
            "the rank down to which the two are compared; 0: the length of the longer of the two",
            COMPAT_DEPTH,
            kind="whole",
            low=0,
            high=DEEPEST_COMPAT,
        ),
        "normalize": Option("whether to divide by RBO(ideal, ideal)", True, kind="flag"),
    },
    checked="program: ir_measures 0.4.3 (with depth=0)",
    # overlap 1 of 1, 1 of 2, 1 of 3, 2 of 4; the ideal list with itself 1, 2 of 2, 3 of 3, 3 of 4
    example=("2 0 - 1 | 1", "(p=0.5,depth=4)", (1 + 1 / 4 + 1 / 12 + 1 / 16) / (1.75 + 3 / 32)),
    cites=("clarke2021topk", "clarke2020similarity"),
)
def compatibility(
    judged: Judged,
    cutoffs: NoCutoff,
    *,
    p: float = 0.95,
    depth: int = COMPAT_DEPTH,
    normalize: bool = True,
) -> TopicsByCutoffs:
    """Rank-biased overlap of the ranking and the ideal ranking that comes nearest to it.

    The ideal ranking has every document judged above 0, the higher grade first; equal grades stand
    as in the ranking, and what was not retrieved behind. Grades are an order and nothing more: they
    may be preference levels or fractions, and the level of relevance does not matter unless the
    name has one: `Compat(rel=2)` takes no notice of grades below 2. The quotient is 1 where the
    ranking begins with the ideal one. A topic without a positive grade has 0.
    """
    if len(cutoffs) != 1:
        raise UsageError("Compat takes no cutoff; its depth is an option")
    tail, end = _tail_sums(judged, p, depth), _compared_depths(judged, depth)
    # the sum of p^(i-1) * overlap(i) / i of the ranking and the ideal ranking
    rows = np.flatnonzero(_is_ideal(judged, judged.grade))
    topic = judged.topic[rows]
    both = np.maximum(judged.rank[rows], _ideal_ranks_of_rows(judged, rows))
    behind = end[topic] + 1
    shared = tail[np.minimum(both, behind)] - tail[behind]
    overlap = segment_sums(topic, shared, judged.num_topics)
    if normalize:  # by the overlap of the ideal ranking with itself
        length = np.minimum(_ideal_length(judged), end)
        most = np.cumsum(tail)[length] - length * tail[end + 1]
    else:  # by the sum of p^(i-1) down to the depth
        most = sums_before(powers(p, int(end.max(initial=0))))[end]
    return ratio(overlap, most)[:, None]


def _is_ideal(judged: Judged, grade: Floats) -> Bools:
    """bool[...]: whether documents of these grades stand in the ideal ranking."""
    enough: Bools = grade >= judged.settings.gain_level
    return enough & (grade > 0)


@memoize
def _ideal_length(judged: Judged) -> TopicCounts:
    """How many documents are judged above 0."""
    counts = np.where(_is_ideal(judged, judged.level_grade), judged.level_count, 0)
    return np.bincount(judged.level_topic, counts, minlength=judged.num_topics).astype(np.int64)


@memoize
def _compared_depths(judged: Judged, depth: int) -> TopicCounts:
    """The rank down to which each topic's lists are compared."""
    if depth:
        return np.full(judged.num_topics, depth)
    return np.maximum(judged.num_ret, _ideal_length(judged))


@memoize
def _tail_sums(judged: Judged, p: float, depth: int) -> Floats:
    """float64[]: the sum of p^(i-1) / i from each rank i to the end.

    A document that both rankings have from rank i on adds that much to their overlap.
    """
    size = int(_compared_depths(judged, depth).max(initial=0))
    if size > DEEPEST_COMPAT:
        raise UsageError(f"Compat compares down to rank {DEEPEST_COMPAT} at most; write depth=N")
    weight = powers(p, size) / np.arange(1, size + 1)
    tail = np.cumsum(weight[::-1])[::-1]
    # nothing at index 0, which is no rank; 0 behind the end
    return np.concatenate(([0.0], tail, [0.0]))


def _ideal_ranks_of_rows(judged: Judged, row_indices: Ints) -> DocumentRanks:
    """int64[len(rows)]: the ranks that retrieved documents of positive grade have when ideal."""
    # the row of the grade table that has the topic and grade of each
    grades, place = np.unique(judged.level_grade, return_inverse=True)
    level_key = judged.level_topic * len(grades) + place
    grade_place = np.searchsorted(grades, judged.grade[row_indices])
    level = np.searchsorted(level_key, judged.topic[row_indices] * len(grades) + grade_place)
    # ranking order inside a level: the rows are in that order already
    order = np.argsort(level, kind="stable")
    nth = np.empty(len(row_indices), np.int64)
    nth[order] = ranks_in_segments(segment_starts(level[order], len(judged.level_grade)))
    up_to = offsets(judged.level_count)
    end = judged.level_start[judged.topic[row_indices] + 1]
    higher = up_to[end] - up_to[level + 1]
    ranks: Ints = higher + nth
    return ranks
