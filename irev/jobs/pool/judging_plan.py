"""What is to be judged of a pool: the plan, its design file, and the grades that come of it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.arrays import Bools, Floats, Ints
from irev.core.draws import SHUFFLE, keys_of_rows, lowest_keys_mask, sample_size
from irev.core.ids import Ids, ids_from_bytes
from irev.core.pairs import DocumentIndex, index_documents
from irev.core.record import record
from irev.core.text import as_bytes, as_text, parse_json
from irev.errors import InputError, IrevError, Problem, id_text
from irev.jobs.pool.rates import RankStratum, parse_strata, rate_text, strata_of
from irev.jobs.pool.sampled_qrels import UNJUDGED
from irev.read.stream import read_all

if TYPE_CHECKING:
    from irev.core.judged import Qrels
    from irev.engine.pools import Pool


@record
class JudgingPlan:
    """P documents of a pool, by topic and document id, and which of them are to be judged.

    topics    T ids, in byte order
    topic     int64[P], rising
    docs      P document ids
    stratum   int64[P], of `strata`
    to_judge  bool[P]
    """

    strata: tuple[RankStratum, ...]
    seed: int
    replicate: int
    topics: tuple[bytes, ...]
    topic: Ints
    docs: Ids
    stratum: Ints
    to_judge: Bools


@record
class PlanGrades:
    """The grades of a plan's documents.

    grade          float64[P], -1 for what was not judged
    num_missing    documents that were to be judged and have no grade
    num_unplanned  judged documents that were in the pool and not to be judged: no grade here
    num_unpooled   judged documents that are not in the pool, likewise
    """

    grade: Floats
    num_missing: int
    num_unplanned: int
    num_unpooled: int


class PooledRun(NamedTuple):
    """A run of a pool: its name, its path, what it brought, and what it alone brought.

    The path is as it was given; empty of a run in memory.
    """

    name: str
    path: str
    num_documents: int
    num_unique: int


def make_plan(
    pool: Pool, strata: Sequence[RankStratum], seed: int, replicate: int = 0
) -> JudgingPlan:
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
    sizes = [
        sample_size(strata[index % len(strata)].rate, count) for index, count in enumerate(counts)
    ]
    keys = keys_of_rows(seed, replicate, 0, pool.topics, topic, docs)
    to_judge = lowest_keys_mask(keys, group, np.array(sizes, np.int64))
    return JudgingPlan(strata, seed, replicate, pool.topics, topic, docs, stratum, to_judge)


def judging_list(plan: JudgingPlan) -> Iterator[bytes]:
    """Lines `TOPIC DOCUMENT` by topic, in an order that tells nothing of runs, ranks or strata.

    Raises:
        IrevError: an id that would be several fields or lines, as those of tables may be.
    """
    rows = np.flatnonzero(plan.to_judge)
    topic, docs = plan.topic[rows], plan.docs.take(rows)
    keys = keys_of_rows(plan.seed, plan.replicate, SHUFFLE, plan.topics, topic, docs)
    order = np.lexsort((keys, topic))
    topic_ids = [plan.topics[index] for index in topic[order].tolist()]
    document_ids = docs.take(order).compact().to_list()
    for each in (*plan.topics, *document_ids):
        if each.split() != [each]:
            raise IrevError(
                f"the id '{id_text(each)}' holds a blank or a line break, and so cannot stand in a "
                "list of documents to judge: give it another in the run, or leave it out"
            )
    return (b"%b %b\n" % each for each in zip(topic_ids, document_ids, strict=True))


def plan_grades(plan: JudgingPlan, judgments: Qrels) -> PlanGrades:
    """The grades of a plan's documents, of those that were to be judged."""
    index_of = {topic: index for index, topic in enumerate(plan.topics)}
    plan_index = np.array([index_of.get(topic, -1) for topic in judgments.topics], np.int64)
    topic = plan_index[judgments.topic_of_row]
    rows = np.flatnonzero((topic >= 0) & (judgments.grade >= 0))
    pairs = index_documents(plan.topic, len(plan.topics), plan.docs)
    if not isinstance(pairs, DocumentIndex):
        raise AssertionError("a plan holds a document once")
    docs, hashes = judgments.docs.take(rows), judgments.hashes[rows]
    found_rows, plan_rows = pairs.find(topic[rows], docs, hashes)
    grade = np.full(len(plan.topic), UNJUDGED)
    grade[plan_rows] = judgments.grade[rows[found_rows]]
    unplanned = (grade >= 0) & ~plan.to_judge
    grade[unplanned] = UNJUDGED
    missing = plan.to_judge & (grade < 0)
    num_judged = int((judgments.grade >= 0).sum())
    return PlanGrades(grade, int(missing.sum()), int(unplanned.sum()), num_judged - len(plan_rows))


_KIND = "irev pool design 1"


def design_data(
    plan: JudgingPlan, runs: Sequence[PooledRun], depth: int | None, ties: str
) -> dict[str, Any]:
    """A design: seed, rates, runs with their hashes; of each topic and stratum the documents.

    `judge` are the documents that were drawn, `leave` the others of the stratum.
    """
    return {
        "kind": _KIND,
        "seed": plan.seed,
        "replicate": plan.replicate,
        "depth": depth,
        "ties": ties,
        "strata": [{"ranks": s.name, "rate": rate_text(s.rate)} for s in plan.strata],
        "runs": [
            {
                "path": run.path or run.name,
                "sha256": _sha256_of_file(run.path),
                "documents": run.num_documents,
                "unique": run.num_unique,
            }
            for run in runs
        ],
        "topics": _documents_by_topic(plan),
    }


def design_text(design: Mapping[str, Any]) -> bytes:
    """A design as its file holds it."""
    return json.dumps(design, indent=1).encode() + b"\n"


def read_design(path: str) -> JudgingPlan:
    """The plan that a design file holds."""
    try:
        return plan_of_design(parse_json(read_all(path)))
    except InputError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, IrevError):
        message = "this is not a design that 'irev pool' wrote"
        raise InputError([Problem(path, None, "bad-settings", message)]) from None


def _documents_by_topic(plan: JudgingPlan) -> dict[str, list[dict[str, list[str]]]]:
    """Topic -> of each stratum the documents to judge, and those to leave."""
    strata_by_topic: dict[str, list[dict[str, list[str]]]] = {
        as_text(topic): [{"judge": [], "leave": []} for _ in plan.strata] for topic in plan.topics
    }
    strata_by_index = list(strata_by_topic.values())
    rows = zip(
        plan.topic.tolist(), plan.stratum.tolist(), plan.to_judge.tolist(), plan.docs.to_list(),
        strict=True,
    )  # fmt: skip
    for topic, stratum, to_judge, document in rows:
        strata_by_index[topic][stratum]["judge" if to_judge else "leave"].append(as_text(document))
    return strata_by_topic


def plan_of_design(design: Mapping[str, Any]) -> JudgingPlan:
    """The plan that a design holds; some error of Python where it is none."""
    if design["kind"] != _KIND:
        raise ValueError("another kind")
    strata = parse_strata(",".join(f"{s['ranks']}={s['rate']}" for s in design["strata"]))
    rows = [
        (as_bytes(topic), as_bytes(document), stratum, word == "judge")
        for topic, strata_of_topic in design["topics"].items()
        for stratum, documents in enumerate(strata_of_topic)
        for word in ("judge", "leave")
        for document in documents[word]
    ]
    if any(stratum >= len(strata) for _, _, stratum, _ in rows):
        raise ValueError("a stratum that the design does not name")
    rows.sort()
    if len({row[:2] for row in rows}) < len(rows):
        raise ValueError("duplicate document")
    topics = tuple(sorted({row[0] for row in rows}))
    index_of = {topic: index for index, topic in enumerate(topics)}
    return JudgingPlan(
        strata,
        int(design["seed"]),
        int(design["replicate"]),
        topics,
        np.array([index_of[topic] for topic, _, _, _ in rows], np.int64),
        ids_from_bytes([document for _, document, _, _ in rows]),
        np.array([stratum for _, _, stratum, _ in rows], np.int64),
        np.array([to_judge for _, _, _, to_judge in rows], bool),
    )


def _sha256_of_file(path: str) -> str | None:
    """The hash of a file as it lies there; None for what is no file."""
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
