"""Strangers' submissions scored by workers: whatever is wrong with one costs its row alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core import workers
from irev.core.text import printable, shorten_name
from irev.engine.confined import Answer, ConfinedWorkers
from irev.engine.doubts import identical_runs_warning
from irev.engine.excluded_documents import excluded_document_notes
from irev.engine.join_scores import replace_run_info
from irev.engine.run_files import number_equal_names
from irev.engine.score_runs import join_tables, unjudged_topic_notes
from irev.errors import InputError, IrevError, NoneScoredError, Notice, Problem, note
from irev.jobs.leaderboard.kept_scores import (
    UNCHANGED,
    KeptScores,
    KeptSubmission,
    can_be_kept,
    inconsistent_error,
    read_kept_scores,
    write_kept_scores,
)
from irev.read.stream import STDIN, FoundFile, FoundFolder
from irev.scores.scores import RunFirstDocuments
from irev.scores.signature import Signature
from irev.scores.table import RunInfo, ScoreTable, path_below, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from irev.core.bounds import MeasureRange
    from irev.core.judged import Column
    from irev.engine.confined import Limits
    from irev.engine.first_documents import FirstDocumentsNeed
    from irev.engine.score_runs import Watch
    from irev.options import Options


_NONE_KEPT: Mapping[str, str] = {}


class ScoringSetup(NamedTuple):
    """What submissions are scored by.

    qrels            the judgments
    measures         names as `evaluate` takes them
    options          the choices of the evaluation
    qrels_format     what the judgments hold
    plugins          the user's own measures, which each worker makes known
    accepts_scores   whether saved scores are taken in place of runs
    drops_undefined  whether topics may be left out on which a score is not a finite number
    ranges           those of measures of saved scores, as far as somebody gave one
    first_documents  whether runs tell their first documents
    kept_key         which scoring the scores are of that are kept; None: none are to be kept
    kept_sha256      the hash of each path whose scores are kept
    max_runs         how many runs a submission may hold, as in `refuse_too_many_runs`
    is_only          whether there is one submission
    """

    qrels: Any
    measures: tuple[str, ...]
    options: Options
    qrels_format: str = "qrels"
    plugins: tuple[str, ...] = ()
    accepts_scores: bool = False
    drops_undefined: bool = False
    ranges: tuple[MeasureRange, ...] = ()
    first_documents: FirstDocumentsNeed = ""
    kept_key: str | None = None
    kept_sha256: Mapping[str, str] = _NONE_KEPT
    max_runs: int | None = None
    is_only: bool = False


class ScoringWorkers:
    """Workers that score submissions, a context manager. They start at once."""

    def __init__(
        self, setup: ScoringSetup, paths: Sequence[str], limits: Limits, keep_path: str = ""
    ) -> None:
        """Start them.

        Args:
            setup: what submissions are scored by.
            paths: the submissions.
            limits: of each.
            keep_path: the file whose scores are taken of what is unchanged, and which is written
                anew; empty: none.
        """
        self._keep_path, self.num_unchanged = keep_path, 0
        self._kept = KeptScores("", {})
        if keep_path:
            self._kept = read_kept_scores(keep_path)
            setup = setup._replace(
                kept_key=self._kept.scoring_key, kept_sha256=self._kept.sha256_by_path
            )
        threads = setup.options.threads or workers.default_threads()
        num_workers = max(1, min(threads, len(paths)))
        setup = setup._replace(is_only=len(paths) == 1)
        self._setup, self._paths = setup, paths
        self._table_of_run: dict[str, tuple[str, str]] = {}
        self._confined = ConfinedWorkers(
            "irev.jobs.leaderboard.scorer:prepare_scoring",
            setup._replace(options=setup.options.replace(threads=max(1, threads // num_workers))),
            limits, num_workers, stdin="-" in (path_of(setup.qrels), *paths),
        )  # fmt: skip

    def __enter__(self) -> ScoringWorkers:
        """They are started already."""
        return self

    def __exit__(self, *_: object) -> None:
        """End them."""
        self._confined.__exit__()

    def score_table(
        self, names: Sequence[str], watch: Watch = lambda items, _: items
    ) -> ScoreTable:
        """The scores of all submissions that could be scored, on the same topics.

        Args:
            names: what the submissions are called; of one with the scores of several runs these
                are called NAME:RUN.
            watch: what the outcomes pass through.
        """
        facts: ScoringFacts = self._confined.facts
        warnings = [*facts.warnings]
        tables: list[ScoreTable] = []
        broken: list[tuple[str, IrevError]] = []
        kept_submissions: dict[str, KeptSubmission] = {}
        outcomes = watch(self._confined.outcomes(self._paths), len(self._paths))
        for path, name, outcome in zip(self._paths, names, outcomes, strict=True):
            if self._keep_path and not isinstance(outcome, IrevError):
                outcome = self._kept_answer(path, outcome, kept_submissions)
            answer = _one_run_tables(
                path, name, outcome, facts, self._table_of_run,
                is_only_submission=self._setup.is_only,
            )  # fmt: skip
            if isinstance(answer, IrevError):
                broken.append((path, answer))
            else:
                tables += answer[0]
                warnings += answer[1]
        if self._keep_path:
            write_kept_scores(self._keep_path, KeptScores(facts.key, kept_submissions))
        if not tables:
            raise NoneScoredError(broken)
        tables = _distinct_tables(tables)
        warnings += self._twin_warnings(tables)
        warnings += unjudged_topic_notes([table.runs[0] for table in tables])
        warnings += excluded_document_notes(table.runs[0].num_excluded for table in tables)
        options, drop_undefined = self._setup.options, self._setup.drops_undefined
        table, notes = join_tables(tables, facts.columns, options, drop_undefined)
        table = replace(table, broken=tuple(broken), warnings=(*warnings, *map(note, notes)))
        return table.warn_of_missing_topics()

    def _kept_answer(
        self, path: str, answer: Answer, kept_submissions: dict[str, KeptSubmission]
    ) -> Answer:
        """The answer, or the one that is kept where the worker says so; either is kept on."""
        if answer.value == UNCHANGED and path in self._kept.submissions:
            kept = self._kept.submissions[path]
            self.num_unchanged += 1
            kept_submissions[path] = kept
            answer = Answer([kept.sent_run_info], kept.score_bytes)
            if not _is_consistent(kept, self._confined.facts):
                raise inconsistent_error(self._keep_path)
        elif can_be_kept(path) and len(answer.value) == 1:
            sent = SentRunInfo(*answer.value[0])
            sha256 = None if sent.signature is None else sent.signature.get("run")
            if not sent.is_saved and isinstance(sha256, str):
                kept_submissions[path] = KeptSubmission(sha256, sent, answer.data)
        return answer

    def _twin_warnings(self, tables: Sequence[ScoreTable]) -> Iterator[Notice]:
        """A warning of each run that is one before, too; those with equal scores are read again."""
        alike: dict[int, list[RunInfo]] = {}
        for table in tables:
            run = table.runs[0]
            if not run.is_saved and run.path != STDIN:
                key = (table.topics, run.missing, run.duplicates, table.values.tobytes())
                alike.setdefault(hash(key), []).append(run)
        candidates = [run for runs in alike.values() if len(runs) > 1 for run in runs]
        orders = self._document_orders([run.path for run in candidates])
        first: dict[object, RunInfo] = {}
        for run in candidates:
            order = orders.get(run.path)
            if isinstance(order, str) and first.setdefault(order, run) is not run:
                yield identical_runs_warning(first[order].name, run.name)

    def _document_orders(self, run_paths: Sequence[str]) -> dict[str, object]:
        """Run -> the order of its documents; a table of several runs is asked once for all."""
        runs_by_path: dict[str, dict[str, str]] = {}
        for run_path in run_paths:
            path, run = self._table_of_run.get(run_path, (run_path, ""))
            runs_by_path.setdefault(path, {})[run] = run_path
        requests = [DocumentOrderRequest(path, tuple(runs)) for path, runs in runs_by_path.items()]
        outcomes = self._confined.outcomes(requests)
        orders: dict[str, object] = {}
        for runs, outcome in zip(runs_by_path.values(), outcomes, strict=True):
            answers = None if isinstance(outcome, IrevError) else outcome.value
            if isinstance(answers, list):
                orders.update(zip(runs.values(), answers, strict=False))
        return orders


class DocumentOrderRequest(str):
    """Asks for the order of the documents of each run in a submission, in place of its scores.

    `runs` are names of runs in a table of several, or one that is empty.
    """

    __slots__ = ("path", "runs")

    def __new__(cls, path: str, runs: tuple[str, ...] = ("",)) -> DocumentOrderRequest:
        """Keep the path as it was found."""
        request = super().__new__(cls, path)
        request.path, request.runs = path, runs
        return request

    path: str
    runs: tuple[str, ...]

    def __reduce__(self) -> tuple[type[DocumentOrderRequest], tuple[str, tuple[str, ...]]]:
        """What makes it anew in another process."""
        return DocumentOrderRequest, (self.path, self.runs)


class ScoringFacts(NamedTuple):
    """What is the same for all submissions.

    columns   the measures that they are set against each other by
    topics    the judged topics that may be evaluated, in byte order
    warnings  warnings of these measures on these judgments
    key       what all scores depend on, where they are to be kept
    """

    columns: tuple[Column, ...]
    topics: tuple[bytes, ...]
    warnings: tuple[Notice, ...]
    key: str = ""


class SentRunInfo(NamedTuple):
    """What a worker tells of a run beside its values, as JSON has it; most is as in `RunInfo`.

    topics    those with values; None: all that may be evaluated
    warnings  that the scores may mislead
    first_documents  the values of `RunFirstDocuments`; None: nobody looked
    """

    name: str
    run_id: bytes
    missing: Sequence[bytes]
    duplicates: int
    signature: dict[str, object] | None
    sha256: str | None
    is_saved: bool
    topics: Sequence[bytes] | None
    num_unjudged_topics: int
    num_excluded: int
    warnings: Sequence[Sequence[str]]
    first_documents: Sequence[Any] | None


def _is_consistent(kept: KeptSubmission, facts: ScoringFacts) -> bool:
    """Whether kept scores are as many as they must be, and signed as those of their file."""
    try:
        sent = SentRunInfo(*kept.sent_run_info)
        topics = facts.topics if sent.topics is None else sent.topics
        shape = (len(topics), len(facts.columns))
        np.frombuffer(kept.score_bytes).reshape(shape)
        return sent.signature is not None and sent.signature.get("run") == kept.sha256
    except (ValueError, TypeError, AttributeError):
        return False


def _one_run_tables(
    path: str,
    name: str,
    answer: Answer | IrevError,
    facts: ScoringFacts,
    table_of_run: dict[str, tuple[str, str]],
    *,
    is_only_submission: bool,
) -> tuple[list[ScoreTable], list[Notice]] | IrevError:
    """The runs of a submission (saved scores and tables may hold several), and warnings of them.

    Those of a table that no other submission is beside have their own names; `table_of_run` takes
    the path of each of them -> the table's path and the run's own name.
    """
    if isinstance(answer, IrevError):
        return answer
    try:
        sent = [SentRunInfo(*each) for each in answer.value]
        is_run_table = len(sent) > 1 and not sent[0].is_saved
        names = [name] if len(sent) == 1 else [f"{name}:{each.name}" for each in sent]
        if is_run_table and is_only_submission:
            names = [each.name for each in sent]
        values = np.frombuffer(answer.data).reshape(-1, len(facts.columns))
        tables, start = [], 0
        for each, run_name in zip(sent, names, strict=True):
            topics = facts.topics if each.topics is None else tuple(each.topics)
            signature = None if each.signature is None else Signature.from_long(each.signature)
            own_path = _path_of_run(path, each.name) if is_run_table else path
            if is_run_table:
                table_of_run[own_path] = path, each.name
            run = RunInfo(
                run_name, own_path, each.run_id, tuple(each.missing), each.duplicates, signature,
                each.sha256, each.is_saved, num_unjudged_topics=each.num_unjudged_topics,
                num_excluded=each.num_excluded,
                first_documents=_first_documents(each, facts),
            )  # fmt: skip
            end = start + len(topics)
            own = values[start:end].T[:, :, None]
            tables.append(ScoreTable(topics, (run,), facts.columns, own))
            start = end
        owners = names if is_run_table else [name] * len(sent)
        warnings = [
            Notice(*warning).about(owner)
            for owner, each in zip(owners, sent, strict=True)
            for warning in each.warnings
        ]
    except (ValueError, TypeError, LookupError):
        return InputError([Problem(path, None, "reader-crashed", "the reader gave no answer")])
    return tables, warnings


def _first_documents(sent: SentRunInfo, facts: ScoringFacts) -> RunFirstDocuments | None:
    if sent.first_documents is None:
        return None
    return RunFirstDocuments.from_values(facts.topics, sent.first_documents)


def _path_of_run(path: str, run: str) -> str:
    """The path of one of several runs in a table, which lies below the same folder."""
    own = f"{path}[{run}]"
    below = f"{path_below(path)}[{run}]" if path_below(path) else ""
    if isinstance(path, FoundFile):
        return FoundFile(own, *path.identity, below, follow_links=path.follow_links)
    return FoundFolder(own, path.files, below) if isinstance(path, FoundFolder) else own


def _distinct_tables(tables: Sequence[ScoreTable]) -> list[ScoreTable]:
    """By name, each with one of its own: a file of saved scores calls its runs as it likes."""
    names = number_equal_names([shorten_name(printable(table.run_names[0])) for table in tables])
    renamed = [replace_run_info(table, name=n) for n, table in zip(names, tables, strict=True)]
    return sorted(renamed, key=lambda table: table.run_names[0])
