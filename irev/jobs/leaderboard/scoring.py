"""Strangers' submissions scored by workers: whatever is wrong with one costs its row alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core import workers
from irev.core.text import printable, shorten
from irev.engine.confined.workers import Confined
from irev.engine.folders import distinct
from irev.engine.join_scores import replace_run_info
from irev.engine.score_runs import join_tables
from irev.engine.twins import identical_runs_warning
from irev.errors import InputError, IrevError, NoneScoredError, Notice, Problem, note
from irev.read.stream import STDIN
from irev.scores.signature import Signature
from irev.scores.table import RunInfo, ScoreTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.model import Column
    from irev.engine.confined.limits import Limits
    from irev.engine.confined.workers import Answer
    from irev.engine.score_runs import Watch
    from irev.options import Options


class ScoredBy(NamedTuple):
    """What submissions are scored by.

    qrels     the file of the judgments, in a `format`
    measures  names as `evaluate` takes them
    options   the choices of the evaluation
    plugins   the user's own measures, which each worker makes known
    accepts   whether saved scores are taken in place of runs
    drops     whether topics may be left out on which a score is not a finite number
    """

    qrels: str
    measures: tuple[str, ...]
    options: Options
    format: str = "qrels"
    plugins: tuple[str, ...] = ()
    accepts: bool = False
    drops: bool = False


class Scoring:
    """Workers that score submissions, a context manager. They start at once."""

    def __init__(self, by: ScoredBy, paths: Sequence[str], limits: Limits) -> None:
        threads = by.options.threads or workers.default_threads()
        several = max(1, min(threads, len(paths)))
        self._by, self._paths = by, paths
        self._confined = Confined(
            "irev.jobs.leaderboard.scorer:scorer",
            by._replace(options=by.options.replace(threads=max(1, threads // several))),
            limits, several, stdin="-" in (by.qrels, *paths),
        )  # fmt: skip

    def __enter__(self) -> Scoring:
        """They are started already."""
        return self

    def __exit__(self, *_: object) -> None:
        """End them."""
        self._confined.__exit__()

    def gathered(self, names: Sequence[str], watch: Watch = lambda items, _: items) -> ScoreTable:
        """The scores of all submissions that could be scored, on the same topics.

        Args:
            names: what the submissions are called; of one with the scores of several runs these
                are called NAME:RUN.
            watch: what the outcomes pass through.
        """
        facts: Facts = self._confined.facts
        doubts = [*facts.doubts]
        tables: list[ScoreTable] = []
        broken: list[tuple[str, IrevError]] = []
        outcomes = watch(self._confined.outcomes(self._paths), len(self._paths))
        for path, name, outcome in zip(self._paths, names, outcomes, strict=True):
            found = (
                outcome if isinstance(outcome, IrevError) else _taken(path, name, outcome, facts)
            )
            if isinstance(found, IrevError):
                broken.append((path, found))
            else:
                tables += found[0]
                doubts += found[1]
        if not tables:
            raise NoneScoredError(broken)
        tables = _distinct_tables(tables)
        doubts += self._twins(tables)
        options, drops = self._by.options, self._by.drops
        table, notes = join_tables(tables, facts.columns, options, drops)
        return replace(table, broken=tuple(broken), warnings=(*doubts, *map(note, notes)))

    def _twins(self, tables: Sequence[ScoreTable]) -> Iterator[Notice]:
        """A warning at each run that is one before, too; those with equal scores are read again."""
        alike: dict[int, list[RunInfo]] = {}
        for table in tables:
            run = table.runs[0]
            if not run.is_saved and run.path != STDIN:
                key = (table.topics, run.missing, run.duplicates, table.values.tobytes())
                alike.setdefault(hash(key), []).append(run)
        asked = [run for runs in alike.values() if len(runs) > 1 for run in runs]
        outcomes = self._confined.outcomes([OrderOf(run.path) for run in asked])
        first: dict[object, RunInfo] = {}
        for run, outcome in zip(asked, outcomes, strict=True):
            order = None if isinstance(outcome, IrevError) else outcome.value
            if isinstance(order, str) and first.setdefault(order, run) is not run:
                yield identical_runs_warning(first[order].name)._replace(run=run.name)


class OrderOf(str):
    """Asks for the order of the documents in a submission, in place of its scores."""

    __slots__ = ("path",)

    def __new__(cls, path: str) -> OrderOf:
        """Keep the path as it was found."""
        found = super().__new__(cls, path)
        found.path = path
        return found

    path: str

    def __reduce__(self) -> tuple[type[OrderOf], tuple[str]]:
        """What makes it anew in another process."""
        return OrderOf, (self.path,)


class Facts(NamedTuple):
    """What is the same for all submissions.

    columns  the measures that they are set against each other by
    topics   the judged topics that may be evaluated, in byte order
    doubts   warnings of these measures on these judgments
    """

    columns: tuple[Column, ...]
    topics: tuple[bytes, ...]
    doubts: tuple[Notice, ...]


class SentRun(NamedTuple):
    """What a worker tells of a run beside its values, as JSON has it; most is as in `RunInfo`.

    topics  those with values; None: all that may be evaluated
    doubts  warnings that the scores may mislead
    """

    name: str
    run_id: bytes
    missing: Sequence[bytes]
    duplicates: int
    signature: dict[str, object] | None
    sha256: str | None
    is_saved: bool
    topics: Sequence[bytes] | None
    doubts: Sequence[Sequence[str]]


def _taken(
    path: str, name: str, answer: Answer | IrevError, facts: Facts
) -> tuple[list[ScoreTable], list[Notice]] | IrevError:
    """The runs of a submission (saved scores may be those of several), and doubts about them."""
    if isinstance(answer, IrevError):
        return answer
    try:
        sent = [SentRun(*each) for each in answer.value]
        names = [name] if len(sent) == 1 else [f"{name}:{each.name}" for each in sent]
        values = np.frombuffer(answer.data).reshape(-1, len(facts.columns))
        tables, start = [], 0
        for each, called in zip(sent, names, strict=True):
            topics = facts.topics if each.topics is None else tuple(each.topics)
            signature = None if each.signature is None else Signature.from_long(each.signature)
            run = RunInfo(
                called, path, each.run_id, tuple(each.missing), each.duplicates, signature,
                each.sha256, each.is_saved,
            )  # fmt: skip
            end = start + len(topics)
            own = values[start:end].T[:, :, None]
            tables.append(ScoreTable(topics, (run,), facts.columns, own))
            start = end
        doubts = [Notice(*doubt)._replace(run=name) for each in sent for doubt in each.doubts]
    except (ValueError, TypeError, LookupError):
        return InputError([Problem(path, None, "reader-crashed", "the reader gave no answer")])
    return tables, doubts


def _distinct_tables(tables: Sequence[ScoreTable]) -> list[ScoreTable]:
    """By name, each with one of its own: a file of saved scores calls its runs as it likes."""
    names = distinct([shorten(printable(table.run_names[0])) for table in tables])
    renamed = [replace_run_info(table, name=n) for n, table in zip(names, tables, strict=True)]
    return sorted(renamed, key=lambda table: table.run_names[0])
