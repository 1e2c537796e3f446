"""What is to be judged of a pool before any judgment exists, and the qrels that come of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Bools, Floats, Ints
from irev.core.ids import Ids
from irev.core.keys import SHUFFLE, keys_of_rows, lowest, size
from irev.core.pairs import Pairs, sorted_pairs
from irev.sampling.lines import UNJUDGED
from irev.sampling.rates import Stratum, strata_of

if TYPE_CHECKING:
    from irev.core.model import Qrels
    from irev.sampling.pools import Pool


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """P documents of a pool, by topic and document id, and which of them are to be judged.

    topics   T ids, in byte order
    topic    int64[P], rising
    docs     P document ids
    stratum  int64[P], of `strata`
    chosen   bool[P], to be judged
    """

    strata: tuple[Stratum, ...]
    seed: int
    replicate: int
    topics: tuple[bytes, ...]
    topic: Ints
    docs: Ids
    stratum: Ints
    chosen: Bools


@dataclass(frozen=True, eq=False, repr=False)
class Finished:
    """A plan with its judgments.

    grade    float64[P], -1 for what was not judged
    missing  documents that were to be judged and have no grade
    beyond   judged documents that were in the pool and not to be judged, whose grades are left out
    foreign  judged documents that are not in the pool, likewise
    """

    grade: Floats
    missing: int
    beyond: int
    foreign: int


def plan(pool: Pool, strata: Sequence[Stratum], seed: int, replicate: int = 0) -> Plan:
    """Draw from the strata of a pool; of each that a topic has, one document at least.

    Nothing is drawn again, since nothing is known of relevance. Documents in no stratum are left
    out of the pool.
    """
    strata = tuple(strata)
    stratum = strata_of(pool.best_rank, strata)
    inside = np.flatnonzero(stratum >= 0)
    topic, stratum, docs = pool.topic[inside], stratum[inside], pool.docs.take(inside)
    group = topic * len(strata) + stratum
    counts = np.bincount(group, minlength=len(pool.topics) * len(strata)).tolist()
    sizes = [size(strata[at % len(strata)].rate, count) for at, count in enumerate(counts)]
    keys = keys_of_rows(seed, replicate, 0, pool.topics, topic, docs)
    chosen = lowest(keys, group, np.array(sizes, np.int64))
    return Plan(strata, seed, replicate, pool.topics, topic, docs, stratum, chosen)


def to_be_judged(plan: Plan) -> Iterator[bytes]:
    """Lines `TOPIC DOCUMENT` by topic, in an order that tells nothing of runs, ranks or strata."""
    rows = np.flatnonzero(plan.chosen)
    topic, docs = plan.topic[rows], plan.docs.take(rows)
    keys = keys_of_rows(plan.seed, plan.replicate, SHUFFLE, plan.topics, topic, docs)
    order = np.lexsort((keys, topic))
    ids = docs.take(order).compact().to_list()
    for number, document in zip(topic[order].tolist(), ids, strict=True):
        yield b"%b %b\n" % (plan.topics[number], document)


def finished(plan: Plan, judgments: Qrels) -> Finished:
    """The grades of a plan's documents, of those that were to be judged."""
    number = {topic: place for place, topic in enumerate(plan.topics)}
    of_topic = np.array([number.get(topic, -1) for topic in judgments.topics], np.int64)
    topic = of_topic[judgments.topic_of_row]
    rows = np.flatnonzero((topic >= 0) & (judgments.grade >= 0))
    pairs = sorted_pairs(plan.topic, len(plan.topics), plan.docs)
    if not isinstance(pairs, Pairs):
        raise AssertionError("a plan holds a document once")
    docs, hashes = judgments.docs.take(rows), judgments.hashes[rows]
    at, place = pairs.find(topic[rows], docs, hashes)
    grade = np.full(len(plan.topic), UNJUDGED)
    grade[place] = judgments.grade[rows[at]]
    beyond = (grade >= 0) & ~plan.chosen
    grade[beyond] = UNJUDGED
    missing = plan.chosen & (grade < 0)
    judged = int((judgments.grade >= 0).sum())
    return Finished(grade, int(missing.sum()), int(beyond.sum()), judged - len(place))
