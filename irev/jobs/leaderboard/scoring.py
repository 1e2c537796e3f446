"""Strangers' submissions scored by workers: whatever is wrong with one costs its row alone."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core import workers
from irev.core.output_files import replace_file
from irev.core.text import (
    as_bytes,
    as_text,
    cut_text,
    escaped_name,
    parse_whole,
    printable,
    shorten_name,
)
from irev.core.version import __version__
from irev.core.wording import shortened_list
from irev.engine.confined import (
    Answer,
    ConfinedWorkers,
    decode_json_with_bytes,
    encode_json_with_bytes,
)
from irev.engine.doubts import identical_runs_warning, ranking_hash_unless_ties_by_grade
from irev.engine.evaluate import RunEvaluator
from irev.engine.excluded_documents import excluded_document_notes
from irev.engine.join_scores import (
    LARGEST,
    align_topics,
    drop_or_refuse_undefined_topics,
    no_topic_values_warnings,
    replace_run_info,
    run_tables_if_saved,
    scored_run_table,
    shared_columns,
)
from irev.engine.run_files import number_equal_names, refuse_too_many_runs
from irev.engine.score_runs import join_tables, unjudged_topic_notes, warns_of_run_or_judgments
from irev.errors import (
    InputError,
    IrevError,
    MismatchError,
    NoneScoredError,
    Notice,
    Problem,
    UsageError,
    note,
)
from irev.measures.naming.resolve import column_positions, column_with_bounds
from irev.read.run_tables import run_table
from irev.read.stream import (
    STDIN,
    FoundFile,
    FoundFolder,
    Source,
    read_all,
    sha256_of,
    sha256_of_decompressed_file,
    take_lines,
)
from irev.read.tables import is_structured
from irev.scores.saved import has_nested_scores, is_saved_head, is_score_parquet
from irev.scores.saved_runs import saved_scores_error
from irev.scores.scores import RunFirstDocuments
from irev.scores.signature import Signature, contradictions
from irev.scores.table import RunInfo, ScoreTable, path_below, path_forms, path_of, stem_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from irev.core.arrays import Floats
    from irev.core.bounds import MeasureRange
    from irev.core.judged import Column
    from irev.engine.confined import Limits, Work
    from irev.engine.first_documents import FirstDocumentsNeed
    from irev.engine.score_runs import Watch
    from irev.jobs.leaderboard.board import BoardPart
    from irev.options import Options
    from irev.read.stream import RunInTable
    from irev.scores.scores import Scores


# --- Scores of submissions that stay in a file from one board to the next, by the files' hash ---


_KIND = "scores kept by irev leaderboard --update"
_HINT = "delete this file: then all submissions are scored"

UNCHANGED = "unchanged"
"""What a worker answers of a file that has the hash of the one whose scores are kept."""


class KeptSubmission(NamedTuple):
    """The scores of a submission.

    sha256       of its decompressed bytes
    sent_run_info     what a worker told of it, a `SentRunInfo`
    score_bytes  float64[topics, columns], as they lie in memory
    """

    sha256: str
    sent_run_info: Sequence[Any]
    score_bytes: bytes


class KeptScores(NamedTuple):
    """What such a file holds: which scoring its scores are of, and those of each path."""

    scoring_key: str
    submissions: Mapping[str, KeptSubmission]

    @property
    def sha256_by_path(self) -> dict[str, str]:
        """The hashes of the submissions."""
        return {path: kept.sha256 for path, kept in self.submissions.items()}


def scoring_key(setup: ScoringSetup, limits: Limits, signature: Signature) -> str:
    """The hash of all that a score depends on, beside the submission."""
    options = setup.options
    choices = {name: repr(getattr(options, name)) for name in options.fields() if name != "threads"}
    parts = [
        __version__, setup.measures, choices, setup.qrels_format, setup.plugins,
        setup.drops_undefined, setup.first_documents,
        limits.max_size, limits.max_memory, limits.max_seconds, signature.long,
    ]  # fmt: skip
    return sha256_of(encode_json_with_bytes(parts))


def can_be_kept(path: str) -> bool:
    """Whether the scores of a path may be kept: it is one file, which can be read again."""
    return path != STDIN and not isinstance(path, FoundFolder)


def read_kept_scores(path: str) -> KeptScores:
    """The scores in a file; none where there is no such file.

    Raises:
        InputError: it cannot be read, is damaged, or is another kind of file.
    """
    if not os.path.lexists(path):
        return KeptScores("", {})
    content = read_all(path)
    try:
        first_line, body = content.split(b"\n", 1)
        head = decode_json_with_bytes(first_line)
        if head["kind"] != _KIND:
            raise ValueError
    except (ValueError, KeyError, TypeError):
        raise _kept_error(path, "this file was not written by --update", _OTHER_HINT) from None
    if sha256_of(body) != head.get("sha256"):
        raise _kept_error(path, "these kept scores are damaged: their hash is another", _HINT)
    try:
        facts = decode_json_with_bytes(body)
        submissions = {
            name: KeptSubmission(sha256, sent, base64.b64decode(scores, validate=True))
            for name, (sha256, sent, scores) in facts["submissions"].items()
        }
        return KeptScores(str(facts["scoring"]), submissions)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise inconsistent_error(path) from None


_OTHER_HINT = "name a new file, or one that an earlier call with --update wrote"


def write_kept_scores(path: str, kept: KeptScores) -> None:
    """Write the scores, whole or not at all."""
    submissions = {
        name: [each.sha256, each.sent_run_info, base64.b64encode(each.score_bytes).decode()]
        for name, each in sorted(kept.submissions.items())
    }
    body = encode_json_with_bytes({"scoring": kept.scoring_key, "submissions": submissions}) + b"\n"
    head = (
        encode_json_with_bytes({"kind": _KIND, "irev": __version__, "sha256": sha256_of(body)})
        + b"\n"
    )
    with replace_file(path) as stream:
        stream.writelines((head, body))


def inconsistent_error(path: str) -> InputError:
    """The error of a file whose parts contradict each other."""
    return _kept_error(path, "these kept scores contradict each other", _HINT)


def _kept_error(path: str, message: str, hint: str) -> InputError:
    return InputError([Problem(path, None, "bad-saved-scores", message, hint)])


# --- Strangers' submissions scored by workers: whatever is wrong with one costs its row alone ---


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
            "irev.jobs.leaderboard.scoring:prepare_scoring",
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


# --- What a worker does with a submission: read, check and score it ---


def prepare_scoring(setup: ScoringSetup, limits: Limits) -> tuple[ScoringFacts, Work]:
    """Read the judgments: what is the same for all submissions, and what scores one."""
    if setup.plugins:
        from irev.measures.plugins import load_plugin

        for name in setup.plugins:
            load_plugin(name)
    evaluator = RunEvaluator(
        setup.qrels, setup.measures, setup.options, qrels_format=setup.qrels_format, sign=True,
        first_documents=setup.first_documents,
    )  # fmt: skip
    columns = tuple(
        column_with_bounds(column, setup.ranges)
        for column in shared_columns((), setup.measures, evaluator.columns, setup.options)
    )
    warnings = (
        *filter(warns_of_run_or_judgments, evaluator.notices),
        *no_topic_values_warnings(setup.measures, setup.options),
    )
    key = "" if setup.kept_key is None else scoring_key(setup, limits, evaluator.signature)
    facts = ScoringFacts(columns, evaluator.topics, warnings, key)
    # what is read from here on is strangers'
    Source.most = limits.max_size
    return facts, _Scorer(setup, evaluator, facts)


class _Scorer:
    """Scores submissions."""

    def __init__(self, setup: ScoringSetup, evaluator: RunEvaluator, facts: ScoringFacts) -> None:
        self._setup, self._evaluator, self._facts = setup, evaluator, facts
        # what saved scores are set beside
        zeros = np.zeros((len(facts.columns), len(facts.topics), 1))
        self._zero_table = ScoreTable(facts.topics, (RunInfo("a run", ""),), facts.columns, zeros)

    def __call__(self, path: str) -> Answer:
        """The scores of a submission, or the orders of its documents."""
        if isinstance(path, DocumentOrderRequest):
            return Answer(self._document_orders(path))
        if self._is_unchanged(path):
            return Answer(UNCHANGED)
        tables = self._saved_tables(path)
        self._check_num_runs(path, len(tables))
        for table in tables:
            self._check_saved(table)
        sent = [self._run_info_to_send(table, table.warnings) for table in tables]
        for name, scores in () if tables else self._scores_by_run(path):
            table = scored_run_table(name, path, scores)
            tables.append(table)
            warnings = filter(warns_of_run_or_judgments, scores.notices)
            sent.append(self._run_info_to_send(table, warnings))
        return Answer(sent, b"".join(map(self._values, tables)))

    def _document_orders(self, request: DocumentOrderRequest) -> list[str | None]:
        """A hash of the order of the documents of each run."""
        evaluator = self._evaluator
        layout, ranking = evaluator.run_layout, evaluator.prepared_judgments.ranking
        runs = {as_text(each.run): each for each in self._runs(request.path)}
        return [
            ranking_hash_unless_ties_by_grade(runs.get(name, request.path), layout, ranking, 1)
            for name in request.runs
        ]

    def _saved_tables(self, path: str) -> list[ScoreTable]:
        """The tables of a file of saved scores, where such are taken."""
        if not self._setup.accepts_scores:
            return []
        return run_tables_if_saved(path, self._setup.ranges, self._evaluator.options.own_columns)

    def _is_unchanged(self, path: str) -> bool:
        """Whether the scores of this file are kept."""
        setup = self._setup
        return (
            setup.kept_key == self._facts.key != ""
            and path in setup.kept_sha256
            and can_be_kept(path)
            and sha256_of_decompressed_file(path) == setup.kept_sha256[path]
        )

    def _runs(self, path: str) -> Sequence[RunInTable]:
        """The runs of a table that holds several."""
        table = run_table(path, self._evaluator.options.own_columns)
        return () if table is None else table.runs

    def _scores_by_run(self, path: str) -> Iterator[tuple[str, Scores]]:
        """The scores of the runs in a file or folder, of which a table may hold several."""
        if isinstance(path, FoundFolder):
            scored = self._scores_of_table(path) or [("", self._evaluator.evaluate_silently(path))]
        else:
            scored = self._scores_of_file(path)
        for name, scores in scored:
            if not (np.abs(scores.values) < LARGEST).all():
                table = scored_run_table(path, path, scores)
                columns, options = self._facts.columns, self._setup.options
                drop_or_refuse_undefined_topics(
                    align_topics([table], columns, options)[0], self._setup.drops_undefined
                )
            yield name, scores

    def _check_num_runs(self, path: str, num_runs: int) -> None:
        refuse_too_many_runs(path, num_runs, self._setup.max_runs, is_only=self._setup.is_only)

    def _scores_of_table(self, path: str) -> list[tuple[str, Scores]]:
        runs = self._runs(path)
        self._check_num_runs(path, len(runs))
        return [(as_text(run.run), self._evaluator.evaluate_silently(run)) for run in runs]

    def _scores_of_file(self, path: str) -> list[tuple[str, Scores]]:
        answers = self._evaluator.prepared_judgments.answers
        if answers is not None and answers.is_run_name(path):
            return [("", self._evaluator.evaluate_silently(str(path)))]
        with Source(path, sign=True) as source:
            head = source.head()
            if has_nested_scores(head):  # which could be read as a run
                raise saved_scores_error(path)
            try:
                scored = []
                if is_structured(head, self._evaluator.options.own_columns):
                    scored = self._scores_of_table(path)
                return scored or [("", self._evaluator.evaluate_silently(source))]
            except InputError:
                if path != STDIN and (is_saved_head(head) or is_score_parquet(path)):
                    raise saved_scores_error(path) from None
                raise

    def _check_saved(self, table: ScoreTable) -> None:
        """Refuse scores that cannot stand beside those of runs."""
        setup, evaluator, signature = self._setup, self._evaluator, table.runs[0].signature
        reasons = signature and contradictions(evaluator.signature, signature, means=False)
        if reasons:
            raise MismatchError(
                f"its scores were not made as those of the runs: {'; '.join(reasons)}"
            )
        shared_columns([table], setup.measures, evaluator.columns, setup.options)
        beside, _ = align_topics([self._zero_table, table], self._facts.columns, setup.options)
        drop_or_refuse_undefined_topics(beside, may_drop=False)

    def _run_info_to_send(self, table: ScoreTable, warnings: Iterable[Notice] = ()) -> SentRunInfo:
        run = table.runs[0]
        return SentRunInfo(
            run.name, cut_text(run.run_id), run.missing, run.duplicates,
            run.signature.long if run.signature else None, run.sha256, run.is_saved,
            None if table.topics == self._facts.topics else table.topics,
            run.num_unjudged_topics, run.num_excluded, [_cut_warning(each) for each in warnings],
            None if run.first_documents is None else run.first_documents.values(),
        )  # fmt: skip

    def _values(self, table: ScoreTable) -> bytes:
        """float64[topics, columns], as they lie in memory."""
        columns = column_positions(self._facts.columns, table.columns)
        values: Floats = table.values[[at for at in columns if at is not None], :, 0].T
        return values.tobytes()


def _cut_warning(warning: Notice) -> Notice:
    return warning._replace(message=cut_text(warning.message), hint=cut_text(warning.hint))


# --- Teams of runs, and made-up names that reveal neither run nor team ---


_HINT_of_teams = "a line holds a run and its team: run7 team-a"
_KEY_HINT = "each line must have a made-up name, a tab and the real name"


def read_teams(path: str) -> dict[str, str]:
    """Run or folder -> team, of a file with `RUN TEAM` on each line; a team may hold blanks.

    Blank lines and those that begin with `#` are skipped.
    """
    teams: dict[str, str] = {}

    def take_line(fields: list[bytes]) -> str:
        run = as_text(fields[0])
        if len(fields) < 2:
            return f"run '{run}' has no team"
        if run in teams:
            return f"duplicate run '{run}'"
        teams[run] = as_text(b" ".join(fields[1:]))
        return ""

    take_lines(path, read_all(path), take_line, "team", _HINT_of_teams)
    return teams


class ListedRuns(NamedTuple):
    """The runs that a word of the list names; the less `distance`, the more exactly."""

    distance: int
    names: tuple[str, ...]


def listed_runs(table: ScoreTable, team_of_listed_word: Iterable[str]) -> dict[str, ListedRuns]:
    """Word of the list -> the runs that it names; words that name none are left out.

    A word is the path of a file, in full or below the folder that was searched; the same without
    endings, or a folder with all below it, also with a `/` at its end; else what a single run is
    called, or its file. Never a tag. A file's path is nobody else's, so that no upload takes
    another's team; neither does one that has the name of a file which could not be scored.

    Raises:
        UsageError: a word fits several files.
    """
    runs_by_listed_word: dict[str, ListedRuns] = {}
    unscored = [RunInfo("", path) for path, _ in table.broken]
    ways = [(run, _paths_stems_folders_and_names(run)) for run in (*table.runs, *unscored)]
    for word in team_of_listed_word:
        for distance in range(len(_ListingWords._fields)):
            runs = [run for run, way in ways if word in way[distance]]
            if distance == _NAMES:  # no name within somebody's file stands against that of a file
                runs = [run for run in runs if word in _names_by_file(run)] or runs
            if not runs:
                continue
            files = {run.path or run.name for run in runs} if distance != _FOLDERS else {word}
            if distance == _STEMS and any(word in way.folders for _, way in ways):
                files.add(f"{word}/")
            if len(files) > 1:
                raise UsageError(
                    f"{word} in the list of teams may be any of {shortened_list(sorted(files))}: "
                    "write the path with its endings, that of a folder with a / at its end"
                )
            run_names = tuple(run.name for run in runs if run.name)
            if run_names:
                runs_by_listed_word[word] = ListedRuns(distance, run_names)
            break
    return runs_by_listed_word


class _ListingWords(NamedTuple):
    """What a run can be listed by, the most exact first."""

    paths: set[str]
    stems: set[str]
    folders: set[str]
    names: set[str]


_STEMS, _FOLDERS, _NAMES = map(_ListingWords._fields.index, ("stems", "folders", "names"))


def _paths_stems_folders_and_names(run: RunInfo) -> _ListingWords:
    if not run.path:
        return _ListingWords({run.name}, set(), set(), set())
    base = os.path.basename(run.path.rstrip(os.sep))
    below = path_below(run.path)
    *folders, _ = below.split("/")
    inner = ["/".join(folders[: end + 1]) for end in range(len(folders))]
    inner += [f"{folder}/" for folder in inner]
    names = {run.name, _name_within_file(run), *_names_by_file(run)}
    stem = "/".join([*folders, stem_of(base)])
    return _ListingWords({run.path, below or base}, {stem}, set(inner), names)


def _names_by_file(run: RunInfo) -> set[str]:
    """What its file is called, wherever that lies, and a run in it behind the name of the file."""
    if not run.path:
        return set()
    base = os.path.basename(run.path.rstrip(os.sep))
    own_name = _name_within_file(run)
    return {base, stem_of(base), *(f"{form}:{own_name}" for form in path_forms(run.path))}


def teams_of(
    runs_by_listed_word: Mapping[str, ListedRuns], team_of_listed_word: Mapping[str, str]
) -> dict[str, str]:
    """The teams of the runs that are listed, each by the most exact word, the outermost folder."""
    team_of_run: dict[str, str] = {}
    for word in sorted(
        runs_by_listed_word, key=lambda word: (runs_by_listed_word[word].distance, len(word))
    ):
        for run in runs_by_listed_word[word].names:
            team_of_run.setdefault(run, team_of_listed_word[word])
    return team_of_run


def best_of_teams(
    run_names: Sequence[str], order: Iterable[int], teams: Mapping[str, str]
) -> list[int]:
    """Of each team the run that comes first in an order, by its number; likewise in order.

    A run without a team is a team of its own.
    """
    best: dict[tuple[bool, str], int] = {}
    for run_index in order:
        run = run_names[run_index]
        best.setdefault((run in teams, teams.get(run, run)), run_index)
    return [*best.values()]


def team_notes(
    table: ScoreTable,
    runs_by_listed_word: Mapping[str, ListedRuns],
    team_of_listed_word: Mapping[str, str],
    team_of_run: Mapping[str, str],
) -> Iterator[str]:
    """What the list of teams and the runs do not have in common."""
    teamless = [run for run in table.run_names if run not in team_of_run]
    if teamless:
        yield f"without a team: {shortened_list(teamless)}"
    absent = [word for word in team_of_listed_word if word not in runs_by_listed_word]
    if absent:
        yield f"in the list of teams, but not on the board: {shortened_list(absent)}"


def path_as_lasting_name(run: RunInfo) -> str:
    """What a key calls a run: the path of its file, which no other file changes.

    Below the folder that was searched, else as it was typed; with the run's own name, where a file
    of saved scores may hold several.
    """
    if not run.path:
        return run.name
    own = f":{_name_within_file(run)}" if run.is_saved else ""
    return escaped_name((path_below(run.path) or run.path) + own)


def _name_within_file(run: RunInfo) -> str:
    """The name of a run without that of its file: one of saved scores may hold several runs."""
    prefixes = [f"{form}:" for form in path_forms(run.path)]
    return next(
        (run.name[len(prefix) :] for prefix in prefixes if run.name.startswith(prefix)), run.name
    )


@dataclass
class Pseudonyms:
    """Made-up names, `run-1`, `run-2`, ... and `team-1`, ..., in the order they are asked for.

    What has a name keeps it, so that a key that is kept makes them stable.
    """

    runs: dict[str, str] = field(default_factory=dict)
    teams: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str) -> Pseudonyms:
        """The names of a key; none where there is no such file yet."""
        pseudonyms = cls()
        if not os.path.exists(path):
            return pseudonyms
        aliases: set[tuple[str, int]] = set()
        for number, line in enumerate(read_all(path).splitlines(), 1):
            alias, tab, name = as_text(line).partition("\t")
            kind, _, count_text = alias.partition("-")
            names = {"run": pseudonyms.runs, "team": pseudonyms.teams}.get(kind)
            count = parse_whole(count_text)
            message = ""
            if not tab or names is None or count is None or count < 0:
                message = "this line does not belong in a key to made-up names"
            elif (kind, count) in aliases:
                message = f"{alias} is the made-up name of another {kind}, too"
            elif name in names:
                message = f"this {kind} has another made-up name: {names[name]}"
            if message or names is None or count is None:
                raise InputError([Problem(path, number, "unreadable-line", message, _KEY_HINT)])
            aliases.add((kind, count))
            names[name] = alias
        return pseudonyms

    def text(self) -> bytes:
        """The key, as `read` takes it."""
        lines = [f"{a}\t{n}\n" for names in (self.runs, self.teams) for n, a in names.items()]
        return as_bytes("".join(lines))

    def run(self, name: str) -> str:
        """What a run is called here."""
        return _alias(self.runs, "run", name)

    def team(self, name: str) -> str:
        """What a team is called here."""
        return _alias(self.teams, "team", name)

    def hide_names(self, board: BoardPart) -> BoardPart:
        """A board that tells neither run, nor team, nor file."""
        run_infos = list(board.table.runs)
        standings = []
        for standing in board.standings:
            run_info = run_infos[standing.run_index]
            signature = run_info.signature and replace(run_info.signature, run=None)
            run_infos[standing.run_index] = replace(
                run_info,
                name=self.run(path_as_lasting_name(run_info)),
                path="",
                run_id=b"",
                signature=signature,
                sha256=None,
            )
            team = standing.team and self.team(standing.team)
            standings.append(replace(standing, team=team))
        table = replace(board.table, runs=tuple(run_infos)).warn_of_missing_topics()
        all_runs = board.all_runs and replace(
            board.all_runs, runs=(RunInfo("", ""),) * len(board.all_runs.runs), warnings=()
        )
        return replace(board, table=table, standings=tuple(standings), all_runs=all_runs)


def _alias(aliases: dict[str, str], kind: str, name: str) -> str:
    if name not in aliases:
        # a key that was cut leaves gaps: numbers go on behind the highest
        taken = [int(alias.partition("-")[2]) for alias in aliases.values()]
        aliases[name] = f"{kind}-{max(taken, default=0) + 1}"
    return aliases[name]
