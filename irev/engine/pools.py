"""Pools: what several runs retrieved up to a depth, and which run brought which document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core import workers
from irev.core.arrays import Ints, byte_order, offsets, run_starts
from irev.core.ids import Ids, concatenate_ids, ids_from_bytes
from irev.core.judged import Input, Rows
from irev.core.option_values import Pool
from irev.engine.doubts import refuse_saved_scores
from irev.engine.map_topics import map_topics_or_nothing
from irev.errors import NO_DOCUMENTS, InputError, Problem
from irev.rank.judged_lists import index_pairs_refusing_duplicates
from irev.rank.ranking import RankingRule, ranks_of_rows
from irev.read.columns import ColumnNames
from irev.read.formats import run_layout

if TYPE_CHECKING:
    from irev.engine.excluded_documents import ExcludedDocuments


def make_pool(
    runs: Sequence[Input],
    depth: int | None,
    ranking: RankingRule | None = None,
    threads: int | None = None,
    run_format: str = "trec_results",
    excluded: ExcludedDocuments | None = None,
    columns: ColumnNames = (),
    passages: str | None = None,
) -> Pool:
    """The pool of some runs: of each topic the first `depth` documents of each, or all.

    Runs are ordered as they are evaluated: by score, equal scores by document id, both falling,
    or as `ranking` has it. `run_format` and `passages` are those of `Options`, `columns` its
    `own_columns`;
    `excluded` documents are left out before.
    """
    ranking = ranking or RankingRule()
    layout = run_layout(
        run_format, by_rank=ranking.ties == "rank", columns=columns, passages=passages
    )
    work = partial(_first_rows, depth=depth, ranking=ranking, excluded=excluded)
    threads = threads or workers.default_threads()
    for run in runs:
        refuse_saved_scores(run)
    read = [map_topics_or_nothing(run, layout, work, threads) for run in runs]
    if not any(each.results for each in read):
        raise InputError([Problem("the runs", None, NO_DOCUMENTS, "none retrieved anything")])
    pool = _join_runs([_join_parts(each.results) for each in read])
    notices = [notice for each in read for notice in each.notices if not notice.is_note]
    return replace(pool, warnings=tuple(notices))


def unique_documents(pool: Pool) -> list[int]:
    """How many documents each run alone brought."""
    alone = pool.sole_run
    count: list[int] = np.bincount(alone[alone >= 0], minlength=pool.num_runs).tolist()
    return count


class _Retrieved(NamedTuple):
    """Documents of some topics of a run, in any order, with their ranks.

    `num_excluded` is how many were left out before ranks were counted.
    """

    topics: list[bytes]
    topic: Ints
    docs: Ids
    rank: Ints
    num_excluded: int


def _first_rows(
    rows: Rows, depth: int | None, ranking: RankingRule, excluded: ExcludedDocuments | None = None
) -> _Retrieved:
    """The first documents of some whole topics."""
    index_pairs_refusing_duplicates(rows, rows.topic_of_row, len(rows.topics))
    num_rows = len(rows.docs)
    rows = rows if excluded is None else excluded.kept_rows(rows)
    rank = ranks_of_rows(rows, ranking)
    kept = np.flatnonzero(rank <= depth) if depth is not None else np.arange(len(rank))
    docs = rows.docs.take(kept).compact()
    num_excluded = num_rows - len(rows.docs)
    return _Retrieved(rows.topics, rows.topic_of_row[kept], docs, rank[kept], num_excluded)


def _join_parts(parts: Sequence[_Retrieved]) -> _Retrieved:
    """A run's parts as one: they share no topic. Of a run of nothing there is none."""
    if not parts:
        return _Retrieved([], np.zeros(0, np.int64), ids_from_bytes([]), np.zeros(0, np.int64), 0)
    base = offsets([len(part.topics) for part in parts])
    return _Retrieved(
        [topic for part in parts for topic in part.topics],
        np.concatenate([part.topic + at for part, at in zip(parts, base, strict=False)]),
        concatenate_ids([part.docs for part in parts]),
        np.concatenate([part.rank for part in parts]),
        sum(part.num_excluded for part in parts),
    )


def _join_runs(runs: Sequence[_Retrieved]) -> Pool:
    topics = tuple(sorted({topic for run in runs for topic in run.topics}))
    number = {topic: place for place, topic in enumerate(topics)}
    numbers = [np.array([number[topic] for topic in run.topics], np.int64) for run in runs]
    topic = np.concatenate([of[run.topic] for of, run in zip(numbers, runs, strict=True)])
    run_of = np.repeat(np.arange(len(runs)), [len(run.docs) for run in runs])
    rank = np.concatenate([run.rank for run in runs])

    code, names = concatenate_ids([run.docs for run in runs]).codes()
    place = np.empty(len(names), np.int64)
    by_id = byte_order(names)
    place[by_id] = np.arange(len(names))
    document = topic * max(len(names), 1) + place[code]
    order = np.lexsort((run_of, document))
    document, run_of, rank, topic = document[order], run_of[order], rank[order], topic[order]
    start = run_starts(document)
    first = start[:-1]
    docs = ids_from_bytes(names).take(by_id[document[first] % len(names)])
    best = np.minimum.reduceat(rank, first)
    num_excluded = [run.num_excluded for run in runs]
    return Pool(len(runs), topics, topic[first], docs, best, start, run_of, rank, num_excluded)
