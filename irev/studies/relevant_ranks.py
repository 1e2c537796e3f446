"""Where runs have their relevant documents, topic by topic, for studies of rankings."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from irev.core import workers
from irev.core.arrays import Floats, Ints, offsets, ranges, starts_of
from irev.core.matrices import Entry, Matrices
from irev.core.text import as_text
from irev.engine.alignment import Part as Aligned
from irev.engine.alignment import aligned, named
from irev.engine.evaluator import Evaluator
from irev.engine.judging import GradedJudge, Part, empty_rankings
from irev.engine.parts import path_of
from irev.errors import MismatchError, UsageError
from irev.rank.ranking import ranked
from irev.read.sources import map_input
from irev.statistics.preferences import UNSEEN, RecallPairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from irev.core.inputs import Input
    from irev.engine.gather import Names
    from irev.options import Options

FORMATS = ("qrels", "ntcir")
"""The judgments that say which documents of a topic are relevant, once."""


@dataclass(frozen=True, eq=False, repr=False)
class RelevantRanks:
    """The ranks of the relevant documents in S runs, on T topics.

    matrices  the topics and the runs, without measures
    start     int64[T+1], each topic's slice of its levels of recall, 1 ... R
    rank      int64[S, n], the rank at each level; `UNSEEN` where the run does not reach it
    notes     what a reader must know, a line each
    """

    matrices: Matrices
    start: Ints
    rank: Ints
    notes: tuple[str, ...]

    def pairs(self, first: int, second: int) -> RecallPairs:
        """Two of the runs, by their numbers."""
        return RecallPairs(self.start, self.rank[first], self.rank[second])


@dataclass(frozen=True, eq=False, repr=False)
class _Found(Aligned):
    """A run with its relevant documents retrieved: number of the topic in the qrels, and rank."""

    number: Ints
    rank: Ints


class _Reader(Evaluator):
    """Judgments by grades that find the relevant documents of runs."""

    def __init__(self, qrels: Input, options: Options, format: str) -> None:
        super().__init__(qrels, ["num_rel"], options, format=format, sign=True)

    @property
    def graded(self) -> GradedJudge:
        """The judgments."""
        return cast("GradedJudge", self.judge)

    def num_rel(self, numbers: Ints) -> Ints:
        """int64[]: R of some topics, by their numbers in the qrels."""
        return self.graded.judged(empty_rankings(numbers)).num_rel

    def find(self, run: Input, label: str, names: Names, threads: int) -> _Found:
        """Read a run and find its relevant documents."""
        judge = self.graded
        work = partial(ranked, qrels=judge.qrels, ranking=judge.ranking)
        read = map_input(run, self.run_layout, work, threads, sign=True)
        parts, topics, ranks = [], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for each in read.results:
            judged = judge.judged(each)
            parts.append(Part.of(each, None, judged))
            topics.append(each.lists[judged.relevant_topic])
            ranks.append(judged.relevant_rank)
        scores = self.scores_of(parts, next(iter(read.last.split()[5:6]), b""))
        signature = replace(self._signature(scores, read.sha256), measures={})
        path = os.fspath(run) if isinstance(run, str | os.PathLike) else ""
        tag = as_text(scores.run_id)
        name = tag if tag and names == "tag" else os.path.basename(path) or label
        entry = Entry(name, path, scores.run_id, scores.account.missing, 0, signature)
        return _Found(
            entry, scores.topics, scores.columns, scores.values,
            np.concatenate(topics), np.concatenate(ranks),
        )  # fmt: skip


def relevant_ranks(
    qrels: Input,
    runs: Sequence[Input],
    options: Options,
    *,
    format: str = "qrels",
    names: Names = "file",
    watched: Callable[[Iterable[Any], int], Iterable[Any]] = lambda items, _: items,
) -> RelevantRanks:
    """Read runs, each once, and find the ranks of their relevant documents.

    Args:
        qrels: judgments, as `evaluate` takes them.
        runs: likewise; the result does not depend on their order.
        options: the choices of the evaluation.
        format: what the qrels hold, one of `FORMATS`.
        names: whether a run is called after its file or after its tag.
        watched: what the runs pass through, with their number; for a progress bar.

    Raises:
        UsageError: other judgments, an order of ties that is not one, two runs of one name.
        InputError: an input that cannot be read.
        MismatchError: no topic in common.
    """
    if format not in FORMATS:
        raise UsageError(f"-R {format}: the judgments must be {' or '.join(FORMATS)}")
    if options.several_orders:
        raise UsageError("rankings have one order of tied documents here: --ties")
    reader = _Reader(qrels, options, format)
    threads = options.threads or workers.default_threads()

    def find(item: tuple[int, Input]) -> _Found:
        number, run = item
        label = f"run {number}"
        try:
            return reader.find(run, label, names, threads if len(runs) == 1 else 1)
        except MismatchError as error:
            raise MismatchError(f"{path_of(run) or label}: {error}") from None

    read = workers.in_order(find, enumerate(runs, 1), threads)
    found = cast("list[_Found]", named(list(watched(read, len(runs)))))
    notes: list[str] = []
    matrices = aligned(found, found[0].columns, options, notes)
    numbers = np.array([reader.judge.qrels.number[t] for t in matrices.topics], np.int64)
    start = offsets(reader.num_rel(numbers))
    rank = np.stack([_at_levels(each, numbers, start) for each in found])
    nothing: Floats = np.zeros((0, len(numbers), len(found)))
    return RelevantRanks(replace(matrices, columns=(), values=nothing), start, rank, tuple(notes))


def _at_levels(found: _Found, numbers: Ints, start: Ints) -> Ints:
    """int64[n]: the rank at each level of recall of the topics that count."""
    place = np.full(max(numbers.max(), found.number.max(initial=0)) + 1, -1)
    place[numbers] = np.arange(len(numbers))
    topic = place[found.number]
    kept = np.flatnonzero(topic >= 0)
    # a topic's documents follow one another by rank
    kept = kept[np.argsort(topic[kept], kind="stable")]
    begin = starts_of(topic[kept], len(numbers))
    rank = np.full(int(start[-1]), UNSEEN)
    rank[ranges(start[:-1], start[:-1] + np.diff(begin))] = found.rank[kept]
    return rank
