"""What is to be judged of a pool: the plan, its file, and the qrels that come of it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Bools, Floats, Ints
from irev.core.ids import Ids, ids_from_bytes
from irev.core.keys import SHUFFLE, keys_of_rows, lowest_keys_mask, sample_size
from irev.core.pairs import DocumentIndex, index_documents
from irev.core.record import record
from irev.core.text import as_bytes, as_text, parse_json
from irev.engine.pools import unique_documents
from irev.errors import InputError, IrevError, Problem
from irev.jobs.pool.rates import RankStratum, percent, strata, strata_of
from irev.read.stream import read_all

if TYPE_CHECKING:
    from irev.core.model import Qrels
    from irev.core.pool import Pool


@record
class JudgingPlan:
    """P documents of a pool, by topic and document id, and which of them are to be judged.

    topics   T ids, in byte order
    topic    int64[P], rising
    docs     P document ids
    stratum  int64[P], of `strata`
    chosen   bool[P], to be judged
    """

    strata: tuple[RankStratum, ...]
    seed: int
    replicate: int
    topics: tuple[bytes, ...]
    topic: Ints
    docs: Ids
    stratum: Ints
    chosen: Bools


@record
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


def plan(pool: Pool, strata: Sequence[RankStratum], seed: int, replicate: int = 0) -> JudgingPlan:
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
    sizes = [sample_size(strata[at % len(strata)].rate, count) for at, count in enumerate(counts)]
    keys = keys_of_rows(seed, replicate, 0, pool.topics, topic, docs)
    chosen = lowest_keys_mask(keys, group, np.array(sizes, np.int64))
    return JudgingPlan(strata, seed, replicate, pool.topics, topic, docs, stratum, chosen)


def to_be_judged(plan: JudgingPlan) -> Iterator[bytes]:
    """Lines `TOPIC DOCUMENT` by topic, in an order that tells nothing of runs, ranks or strata."""
    rows = np.flatnonzero(plan.chosen)
    topic, docs = plan.topic[rows], plan.docs.take(rows)
    keys = keys_of_rows(plan.seed, plan.replicate, SHUFFLE, plan.topics, topic, docs)
    order = np.lexsort((keys, topic))
    ids = docs.take(order).compact().to_list()
    for number, document in zip(topic[order].tolist(), ids, strict=True):
        yield b"%b %b\n" % (plan.topics[number], document)


def finished(plan: JudgingPlan, judgments: Qrels) -> Finished:
    """The grades of a plan's documents, of those that were to be judged."""
    number = {topic: place for place, topic in enumerate(plan.topics)}
    of_topic = np.array([number.get(topic, -1) for topic in judgments.topics], np.int64)
    topic = of_topic[judgments.topic_of_row]
    rows = np.flatnonzero((topic >= 0) & (judgments.grade >= 0))
    pairs = index_documents(plan.topic, len(plan.topics), plan.docs)
    if not isinstance(pairs, DocumentIndex):
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


_KIND = "irev pool design 1"


def design_blocks(
    plan: JudgingPlan, pool: Pool, runs: Sequence[str], depth: int | None, ties: str
) -> Iterator[bytes]:
    """The file: seed, rates, runs with their hashes, and for each topic and stratum the documents.

    `judge` are the documents that were drawn, `leave` the others of the stratum.
    """
    about = {
        "kind": _KIND,
        "seed": plan.seed,
        "replicate": plan.replicate,
        "depth": depth,
        "ties": ties,
        "strata": [{"ranks": s.name, "rate": percent(s.rate)} for s in plan.strata],
        "runs": [
            {"path": run, "sha256": _sha256(run), "documents": documents, "unique": alone}
            for run, documents, alone in zip(
                runs, pool.num_contributed.tolist(), unique_documents(pool), strict=True
            )
        ],
        "topics": _topics(plan),
    }
    yield json.dumps(about, indent=1).encode() + b"\n"


def read_design(path: str) -> JudgingPlan:
    """The plan that a design file holds."""
    try:
        about = parse_json(read_all(path))
        if about["kind"] != _KIND:
            raise ValueError
        return _plan(about)
    except InputError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, IrevError):
        message = "this is not a design that 'irev pool' wrote"
        raise InputError([Problem(path, None, "bad-settings", message)]) from None


def _topics(plan: JudgingPlan) -> dict[str, list[dict[str, list[str]]]]:
    found: dict[str, list[dict[str, list[str]]]] = {
        as_text(topic): [{"judge": [], "leave": []} for _ in plan.strata] for topic in plan.topics
    }
    by_number = list(found.values())
    rows = zip(
        plan.topic.tolist(), plan.stratum.tolist(), plan.chosen.tolist(), plan.docs.to_list(),
        strict=True,
    )  # fmt: skip
    for topic, stratum, chosen, document in rows:
        by_number[topic][stratum]["judge" if chosen else "leave"].append(as_text(document))
    return found


def _plan(about: dict[str, Any]) -> JudgingPlan:
    named = strata(",".join(f"{s['ranks']}={s['rate']}" for s in about["strata"]))
    rows = [
        (as_bytes(topic), as_bytes(document), stratum, what == "judge")
        for topic, parts in about["topics"].items()
        for stratum, part in enumerate(parts)
        for what in ("judge", "leave")
        for document in part[what]
    ]
    if any(stratum >= len(named) for _, _, stratum, _ in rows):
        raise ValueError("a stratum that the design does not name")
    rows.sort()
    if len({row[:2] for row in rows}) < len(rows):
        raise ValueError("duplicate document")
    topics = tuple(sorted({row[0] for row in rows}))
    number = {topic: place for place, topic in enumerate(topics)}
    return JudgingPlan(
        named,
        int(about["seed"]),
        int(about["replicate"]),
        topics,
        np.array([number[topic] for topic, _, _, _ in rows], np.int64),
        ids_from_bytes([document for _, document, _, _ in rows]),
        np.array([stratum for _, _, stratum, _ in rows], np.int64),
        np.array([chosen for _, _, _, chosen in rows], bool),
    )


def _sha256(path: str) -> str | None:
    """The hash of a file as it lies there; None for what is no file."""
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


UNJUDGED = -1.0
"""The grade of a document that is in the pool and not in the sample."""

_LINES_AT_ONCE = 1 << 16


def judgment_lines(
    topics: Sequence[bytes],
    topic: Ints,
    docs: Ids,
    grade: Floats,
    strata: Sequence[str] | None = None,
    stratum: Ints | None = None,
) -> Iterator[bytes]:
    """Blocks of lines `TOPIC 0 DOCUMENT [STRATUM] GRADE`, by topic as they come and document id.

    Args:
        topics: T ids.
        topic: int64[N], the topic of each document.
        docs: N document ids.
        grade: float64[N], below 0 for what is not judged, which is written as -1.
        strata: the names of the strata; None: four columns.
        stratum: int64[N], the stratum of each document.
    """
    order = np.lexsort((*docs.sort_keys(), topic))
    for first in range(0, len(order), _LINES_AT_ONCE):
        rows = order[first : first + _LINES_AT_ONCE]
        names = [topics[number] for number in topic[rows].tolist()]
        grades = [grade_text(value) for value in grade[rows].tolist()]
        ids = docs.take(rows).compact().to_list()
        if strata is None or stratum is None:
            fields = zip(names, ids, grades, strict=True)
            yield b"".join([b"%b 0 %b %b\n" % line for line in fields])
        else:
            of = [strata[number].encode() for number in stratum[rows].tolist()]
            with_strata = zip(names, ids, of, grades, strict=True)
            yield b"".join([b"%b 0 %b %b %b\n" % line for line in with_strata])


def grade_text(grade: float) -> bytes:
    """A grade as it is written: whole where it is whole, -1 where there is none."""
    if grade < 0:
        return b"-1"
    return str(int(grade) if grade == int(grade) else grade).encode()
