"""The design of a pool as a JSON file: what was drawn, by which rule, from which runs."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.ids import ids_from_bytes
from irev.core.text import as_bytes, as_text
from irev.errors import InputError, IrevError, Problem
from irev.read.stream import read_all
from irev.sampling.plans import Plan
from irev.sampling.pools import unique_documents
from irev.sampling.rates import percent, strata

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.sampling.pools import Pool

_KIND = "irev pool design 1"


def design_blocks(
    plan: Plan, pool: Pool, runs: Sequence[str], depth: int | None, ties: str
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
                runs, pool.contributed.tolist(), unique_documents(pool), strict=True
            )
        ],
        "topics": _topics(plan),
    }
    yield json.dumps(about, indent=1).encode() + b"\n"


def read_design(path: str) -> Plan:
    """The plan that a design file holds.

    Raises:
        InputError: the file is no such design.
    """
    try:
        about = json.loads(read_all(path))
        if about["kind"] != _KIND:
            raise ValueError
        return _plan(about)
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, IrevError):
        message = "this is no design that 'irev pool' has written"
        raise InputError([Problem(path, None, message)]) from None


def _topics(plan: Plan) -> dict[str, list[dict[str, list[str]]]]:
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


def _plan(about: dict[str, Any]) -> Plan:
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
        raise ValueError("a document is there twice")
    topics = tuple(sorted({row[0] for row in rows}))
    number = {topic: place for place, topic in enumerate(topics)}
    return Plan(
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
