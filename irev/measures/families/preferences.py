"""Measures over preferences between documents ("this one rather than that one").

The three endings say what becomes of a document that was not retrieved:

(none)   it stands below all retrieved ones; a preference between two of them is not fulfilled
`_imp`   it stands below all retrieved ones; a preference between two of them is left out
`_ret`   every preference that names it is left out
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    TopicOfRow,
    TopicValues,
    ratio,
    segment_sums,
)
from irev.core.judged import RankedPreferences
from irev.measures.registry import measure
from irev.measures.shared import NoCutoff

if TYPE_CHECKING:
    from irev.measures.families.preferred_pairs import Tally

BASIC: dict[str, Any] = {
    "source": "trec_eval 9 (Buckley, 2008)",
    "sets": ("all_prefs", "prefs"),
    "needs": "prefs",
}
VARIANT: dict[str, Any] = {**BASIC, "sets": ("all_prefs",)}
NUMBER: dict[str, Any] = {
    **BASIC,
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
    cites=("trec_eval",),
)
def prefs_num_prefs_poss(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """How many preferences the judgments hold, whatever was retrieved.

    A group with one subgroup prefers each document to every one of a lower level; lines that
    are repeated count repeatedly. A group with several subgroups holds each preference once, with
    those that follow from others (a over b, b over c: a over c). A preference that several groups
    hold counts in each. The summary is the sum over topics.
    """
    tallied = _tally(prefs)
    return _sum_by_topic(prefs, tallied.topic, tallied.poss)


@measure(
    "prefs_num_prefs_ful",
    "Preferences fulfilled by the ranking",
    formula="number of preferences a over b with a retrieved, and b below a or not retrieved",
    position=38,
    **NUMBER,
    cites=("trec_eval",),
)
def prefs_num_prefs_ful(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """How many preferences the ranking fulfils.

    The preferred document must be retrieved; the other one may be missing. The summary is the sum
    over topics.
    """
    tallied = _tally(prefs)
    return _sum_by_topic(prefs, tallied.topic, tallied.ful)


@measure(
    "prefs_num_prefs_ful_ret",
    "Preferences fulfilled among the retrieved documents",
    formula="number of preferences a over b with both retrieved and b below a",
    position=39,
    **NUMBER,
    cites=("trec_eval",),
)
def prefs_num_prefs_ful_ret(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """How many preferences between two retrieved documents the ranking fulfils.

    The summary is the sum over topics.
    """
    tallied = _tally(prefs)
    return _sum_by_topic(prefs, tallied.topic, tallied.ful_ret)


@measure(
    "prefs_simp",
    "Share of the preferences that the ranking fulfils",
    formula="fulfilled / all preferences",
    position=40,
    **BASIC,
    cites=("carterette2008here", "trec_eval"),
)
def prefs_simp(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """Preferences fulfilled, divided by all preferences of the topic.

    Every preference weighs the same: one that two groups hold counts twice, and where two groups
    disagree only one of them can be fulfilled, so that 1 may be out of reach. A preference
    between two documents that were not retrieved is not fulfilled. 0 without preferences.
    """
    tallied = _tally(prefs)
    return _fulfilled_share_by_topic(prefs, tallied.topic, tallied.ful, tallied.poss)


@measure(
    "prefs_pair",
    "Agreement with the preferences, each pair of documents weighing the same",
    formula="mean over pairs {a, b}, a above b, of prefers(a, b) / (prefers(a, b) + prefers(b, a))",
    position=41,
    **BASIC,
    cites=("carterette2008here", "trec_eval"),
)
def prefs_pair(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """The share of a pair's preferences that are fulfilled, averaged over the pairs.

    A pair is two documents that at least one group prefers one way or the other; however many
    groups do, it weighs as much as any other pair. A pair of which neither document was retrieved
    counts as 0. 0 without preferences.
    """
    return _tally(prefs).pair


@measure(
    "prefs_avgjg",
    "Share of the preferences fulfilled, each judgment group weighing the same",
    formula="mean over judgment groups of fulfilled / all preferences of the group",
    position=42,
    **BASIC,
    cites=("carterette2008here", "trec_eval"),
)
def prefs_avgjg(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """The share of a judgment group's preferences that are fulfilled, averaged over the groups.

    With a group for each person, someone with many preferences does not drown someone with few.
    A group without preferences counts as 0.
    """
    tallied = _tally(prefs)
    return _mean_over_groups(prefs, tallied.topic, ratio(tallied.ful, tallied.poss))


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
    cites=("carterette2008here", "trec_eval"),
)
def prefs_avgjg_Rnonrel(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:  # noqa: N802
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
    tallied = _tally(prefs)
    return _mean_fulfilled_share_of_groups(
        prefs, tallied.topic, tallied.even_ful, tallied.even_poss
    )


@measure(
    "prefs_simp_ret",
    "prefs_simp over the retrieved documents",
    formula="fulfilled / all, of the preferences with both documents retrieved",
    position=44,
    **VARIANT,
    cites=("carterette2008here", "trec_eval"),
)
def prefs_simp_ret(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """prefs_simp over the preferences with both documents retrieved; the others are left out.

    0 without such preferences. Meant for collections that change.
    """
    tallied = _tally(prefs)
    return _fulfilled_share_by_topic(prefs, tallied.topic, tallied.ful_ret, tallied.poss_ret)


@measure(
    "prefs_pair_ret",
    "prefs_pair over the retrieved documents",
    formula=(
        "mean over retrieved pairs {a, b}, a above b, of"
        " prefers(a, b) / (prefers(a, b) + prefers(b, a))"
    ),
    position=45,
    **VARIANT,
    cites=("carterette2008here", "trec_eval"),
)
def prefs_pair_ret(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """prefs_pair over the pairs with both documents retrieved; the others are left out.

    0 without such pairs. Meant for collections that change.
    """
    return _tally(prefs).pair_ret


@measure(
    "prefs_avgjg_ret",
    "prefs_avgjg over the retrieved documents",
    formula="mean over judgment groups of fulfilled / all, both documents retrieved",
    position=46,
    **VARIANT,
    cites=("carterette2008here", "trec_eval"),
)
def prefs_avgjg_ret(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """prefs_avgjg over the preferences with both documents retrieved; the others are left out.

    A group without such preferences counts as 0. Meant for collections that change.
    """
    tallied = _tally(prefs)
    return _mean_over_groups(prefs, tallied.topic, ratio(tallied.ful_ret, tallied.poss_ret))


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
    cites=("carterette2008here", "trec_eval"),
)
def prefs_avgjg_Rnonrel_ret(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:  # noqa: N802
    """prefs_avgjg_Rnonrel over the retrieved documents: both counts and preferences are theirs.

    Two oddities are trec_eval's. With too few non-relevant documents, what is added below the
    ranking is preferred against by all relevant documents, retrieved or not. With too many, a
    group with several subgroups keeps as many as it has relevant documents, retrieved or not. A
    topic is 0 if one of its groups has nothing left to count (nothing retrieved, say).
    """
    tallied = _tally(prefs)
    return _mean_fulfilled_share_of_groups(
        prefs, tallied.topic, tallied.even_ful_ret, tallied.even_poss_ret
    )


@measure(
    "prefs_simp_imp",
    "prefs_simp without the preferences between documents not retrieved",
    formula="fulfilled / all, of the preferences with a retrieved document",
    position=48,
    **VARIANT,
    cites=("carterette2008here", "trec_eval"),
)
def prefs_simp_imp(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """prefs_simp over the preferences with at least one document retrieved.

    A retrieved document ranks above one that was not retrieved. 0 without such preferences.
    """
    tallied = _tally(prefs)
    return _fulfilled_share_by_topic(
        prefs, tallied.topic, tallied.ful, tallied.poss_ret + tallied.poss_imp
    )


@measure(
    "prefs_pair_imp",
    "prefs_pair without the pairs of documents not retrieved",
    formula=(
        "mean over pairs {a, b} with a retrieved, a above b, of"
        " prefers(a, b) / (prefers(a, b) + prefers(b, a))"
    ),
    position=49,
    **VARIANT,
    cites=("carterette2008here", "trec_eval"),
)
def prefs_pair_imp(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """prefs_pair over the pairs with at least one document retrieved.

    A retrieved document ranks above one that was not retrieved. 0 without such pairs.
    """
    return _tally(prefs).pair_imp


@measure(
    "prefs_avgjg_imp",
    "prefs_avgjg without the preferences between documents not retrieved",
    formula="mean over judgment groups of fulfilled / all, a document retrieved",
    position=50,
    **VARIANT,
    cites=("carterette2008here", "trec_eval"),
)
def prefs_avgjg_imp(prefs: RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """prefs_avgjg over the preferences with at least one document retrieved.

    A retrieved document ranks above one that was not retrieved. A group without such preferences
    counts as 0.
    """
    tallied = _tally(prefs)
    shares = ratio(tallied.ful, tallied.poss_ret + tallied.poss_imp)
    return _mean_over_groups(prefs, tallied.topic, shares)


def _tally(prefs: RankedPreferences) -> Tally:
    """What all these measures are made of; nothing else needs the module that counts it."""
    from irev.measures.families.preferred_pairs import tally

    return tally(prefs)


def _sum_by_topic(
    prefs: RankedPreferences, topic_of_group: TopicOfRow, counts: Ints
) -> TopicValues:
    """The counts of each topic's groups together."""
    return segment_sums(topic_of_group, counts.astype(np.float64), prefs.num_topics)


def _fulfilled_share_by_topic(
    prefs: RankedPreferences, topic_of_group: TopicOfRow, fulfilled: Ints, possible: Ints
) -> TopicValues:
    """Fulfilled / possible over all groups of a topic, 0 where there are none."""
    return ratio(
        _sum_by_topic(prefs, topic_of_group, fulfilled),
        _sum_by_topic(prefs, topic_of_group, possible),
    )


def _mean_over_groups(
    prefs: RankedPreferences, topic_of_group: TopicOfRow, values: Floats
) -> TopicValues:
    """The mean over a topic's judgment groups, all of them."""
    groups = np.bincount(topic_of_group, minlength=prefs.num_topics)
    return ratio(segment_sums(topic_of_group, values, prefs.num_topics), groups)


def _mean_fulfilled_share_of_groups(
    prefs: RankedPreferences, topic_of_group: TopicOfRow, fulfilled: Ints, possible: Ints
) -> TopicValues:
    """The mean of fulfilled / possible, 0 where one group of a topic has 0 / 0."""
    mean = _mean_over_groups(prefs, topic_of_group, ratio(fulfilled, possible, if_zero=math.nan))
    return np.where(np.isnan(mean), 0.0, mean)
