"""Designs of judgment samples: which rows of finished qrels are kept.

All of them draw by keys (`keys`), so that they depend on the seed, the replicate, the topics and
the documents alone. Only judged documents (grade at least 0) are drawn from: one that is pooled but
unjudged stays that, and counts for no size.

Where a design is to leave every topic a relevant document, a topic whose sample has none is drawn
again with the next attempt, as long as its judgments have one. Samples nest as the rate grows but
for such topics, which are named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from irev.core.arrays import Bools, Ints, RowIndices, RowMask
from irev.core.draws import EVERY_TOPIC, keys_of_rows, lowest_keys_mask, sample_size
from irev.core.judged import Qrels
from irev.core.record import record
from irev.core.text import parse_whole
from irev.errors import id_text
from irev.read.stream import read_all, take_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from irev.core.arrays import Words
    from irev.core.ids import Ids


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
    topic = qrels.topic_of_row
    rows = np.flatnonzero((qrels.grade >= 0) & (stratum_of_row >= 0))
    group = topic[rows] * len(rates) + stratum_of_row[rows]
    counts = np.bincount(group, minlength=len(qrels.topics) * len(rates))
    sizes = _sample_sizes(counts, np.tile(np.arange(len(rates)), len(qrels.topics)), rates)
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
    topic = qrels.topic_of_row
    rows = np.flatnonzero((qrels.grade >= 0) & (stratum_of_row >= 0))
    group = topic[rows] * len(rates) + stratum_of_row[rows]
    counts = np.bincount(group, minlength=len(qrels.topics) * len(rates))
    sizes = _sample_sizes(counts, np.tile(np.arange(len(rates)), len(qrels.topics)), rates)
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


def _sample_sizes(group_counts: Ints, stratum_of_group: Ints, rates: Sequence[Fraction]) -> Ints:
    """int64[G]: how many of each group are drawn, given how many there are."""
    groups = zip(group_counts.tolist(), stratum_of_group.tolist(), strict=True)
    return np.array([sample_size(rates[index], count) for count, index in groups], np.int64)


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
    row_indices, group_of_row, topic = (
        row_indices[by_topic],
        group_of_row[by_topic],
        topic[by_topic],
    )
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
