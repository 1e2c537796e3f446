"""Strangers' submissions scored by workers: whatever is wrong with one costs its row alone.

`ScoringWorkers` starts them and makes one table of their answers; `prepare_scoring` is what each of
them does: it reads the judgments, then reads, checks and scores one submission after another.
Scores may stay in a file from one board to the next, by the hash of each submission.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from irev.core import __version__, workers
from irev.core.arrays import Floats
from irev.core.judged import Column
from irev.core.option_records import MeasureRange
from irev.core.output_files import replace_file
from irev.core.text import as_text, cut_text, printable, shorten_name
from irev.engine.confined import (
    Answer,
    ConfinedWorkers,
    Limits,
    Work,
    decode_json_with_bytes,
    encode_json_with_bytes,
)
from irev.engine.doubts import identical_runs_warning, ranking_hash_unless_ties_by_grade
from irev.engine.evaluate import FirstDocumentsNeed, RunEvaluator
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
from irev.engine.map_topics import excluded_document_notes
from irev.engine.run_files import number_equal_names, refuse_too_many_runs
from irev.engine.score_runs import (
    Watch,
    join_tables,
    nothing_to_find_notes,
    unjudged_topic_notes,
    warns_of_run_or_judgments,
)
from irev.errors import (
    InputError,
    IrevError,
    MismatchError,
    NoneScoredError,
    Notice,
    Problem,
)
from irev.measures.naming.resolve import column_positions, column_with_bounds
from irev.measures.plugins import load_plugin
from irev.options import Options
from irev.read.inputs import path_below, path_of
from irev.read.run_tables import run_table
from irev.read.stream import (
    STDIN,
    FoundFile,
    FoundFolder,
    RunInTable,
    Source,
    read_all,
    sha256_of,
    sha256_of_decompressed_file,
)
from irev.read.tables import is_structured
from irev.scores.saved import has_nested_scores, is_saved_head, is_score_parquet
from irev.scores.saved_runs import saved_scores_error
from irev.scores.scores import RunFirstDocuments, Scores
from irev.scores.signature import Signature, contradictions
from irev.scores.table import RunInfo, ScoreTable


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
    kept_sha256: Mapping[str, str] = {}
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
            hashes = {path: kept.sha256 for path, kept in self._kept.submissions.items()}
            setup = setup._replace(kept_key=self._kept.scoring_key, kept_sha256=hashes)
        threads = setup.options.threads or workers.default_threads()
        num_workers = max(1, min(threads, len(paths)))
        setup = setup._replace(is_only=len(paths) == 1)
        self._setup, self._paths = setup, paths
        self._table_of_run: dict[str, tuple[str, str]] = {}
        self._confined = ConfinedWorkers(
            "irev.jobs.leaderboard.scoring:prepare_scoring",
            setup._replace(options=setup.options.replace(threads=max(1, threads // num_workers))),
            limits,
            num_workers,
            stdin="-" in (path_of(setup.qrels), *paths),
        )

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
                path,
                name,
                outcome,
                facts,
                self._table_of_run,
                is_only_submission=self._setup.is_only,
            )
            if isinstance(answer, IrevError):
                broken.append((path, answer))
            else:
                tables += answer[0]
                warnings += answer[1]
        if self._keep_path:
            write_kept_scores(self._keep_path, KeptScores(facts.key, kept_submissions))
        if not tables:
            raise NoneScoredError(broken)
        # by name, each with one of its own: a file of saved scores calls its runs as it likes
        run_names = (shorten_name(printable(table.run_names[0])) for table in tables)
        distinct_names = number_equal_names([*run_names])
        tables = [replace_run_info(t, name=n) for n, t in zip(distinct_names, tables, strict=True)]
        tables.sort(key=lambda table: table.run_names[0])
        warnings += self._twin_warnings(tables)
        warnings += unjudged_topic_notes([table.runs[0] for table in tables])
        warnings += nothing_to_find_notes([table.runs[0] for table in tables])
        warnings += excluded_document_notes(table.runs[0].num_excluded for table in tables)
        options, drop_undefined = self._setup.options, self._setup.drops_undefined
        table = join_tables(tables, facts.columns, options, drop_undefined)
        table = replace(table, broken=tuple(broken), warnings=(*warnings, *table.warnings))
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
        # a table of several runs is asked once for all
        paths_of: dict[str, dict[str, str]] = {}
        for candidate in candidates:
            path, name = self._table_of_run.get(candidate.path, (candidate.path, ""))
            paths_of.setdefault(path, {})[name] = candidate.path
        requests = [DocumentOrderRequest(path, tuple(runs)) for path, runs in paths_of.items()]
        orders: dict[str, object] = {}
        outcomes = self._confined.outcomes(requests)
        for run_paths, outcome in zip(paths_of.values(), outcomes, strict=True):
            if not isinstance(outcome, IrevError) and isinstance(outcome.value, list):
                orders.update(zip(run_paths.values(), outcome.value, strict=False))
        first: dict[object, RunInfo] = {}
        for run in candidates:
            order = orders.get(run.path)
            if isinstance(order, str) and first.setdefault(order, run) is not run:
                yield identical_runs_warning(first[order].name, run.name)


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
    nothing_to_find: Sequence[bytes] = ()
    rightly_empty: Sequence[bytes] = ()


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
            firsts = each.first_documents
            run = RunInfo(
                run_name,
                own_path,
                each.run_id,
                tuple(each.missing),
                each.duplicates,
                signature,
                each.sha256,
                each.is_saved,
                num_unjudged_topics=each.num_unjudged_topics,
                num_excluded=each.num_excluded,
                first_documents=(
                    None if firsts is None else RunFirstDocuments.from_values(facts.topics, firsts)
                ),
                nothing_to_find=tuple(each.nothing_to_find),
                rightly_empty=tuple(each.rightly_empty),
            )
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


def _path_of_run(path: str, run: str) -> str:
    """The path of one of several runs in a table, which lies below the same folder."""
    own = f"{path}[{run}]"
    below = f"{path_below(path)}[{run}]" if path_below(path) else ""
    if isinstance(path, FoundFile):
        return FoundFile(own, *path.identity, below, follow_links=path.follow_links)
    return FoundFolder(own, path.files, below) if isinstance(path, FoundFolder) else own


# --- What a worker does with a submission: read, check and score it ---


def prepare_scoring(setup: ScoringSetup, limits: Limits) -> tuple[ScoringFacts, Work]:
    """Read the judgments: what is the same for all submissions, and what scores one."""
    for name in setup.plugins:
        load_plugin(name)
    evaluator = RunEvaluator(
        setup.qrels,
        setup.measures,
        setup.options,
        qrels_format=setup.qrels_format,
        sign=True,
        first_documents=setup.first_documents,
    )
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
            # a hash of the order of the documents of each run
            evaluator = self._evaluator
            layout, ranking = evaluator.run_layout, evaluator.prepared_judgments.ranking
            runs = {as_text(each.run): each for each in self._runs(path.path)}
            orders = [
                ranking_hash_unless_ties_by_grade(runs.get(name, path.path), layout, ranking, 1)
                for name in path.runs
            ]
            return Answer(orders)
        if self._is_unchanged(path):
            return Answer(UNCHANGED)
        tables = []
        if self._setup.accepts_scores:
            columns = self._evaluator.options.own_columns
            tables = run_tables_if_saved(path, self._setup.ranges, columns)
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
                    align_topics([table], columns, options), self._setup.drops_undefined
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
        beside = align_topics([self._zero_table, table], self._facts.columns, setup.options)
        drop_or_refuse_undefined_topics(beside, may_drop=False)

    def _run_info_to_send(self, table: ScoreTable, warnings: Iterable[Notice] = ()) -> SentRunInfo:
        run = table.runs[0]
        cut_warnings = [
            each._replace(message=cut_text(each.message), hint=cut_text(each.hint))
            for each in warnings
        ]
        return SentRunInfo(
            run.name,
            cut_text(run.run_id),
            run.missing,
            run.duplicates,
            run.signature.long if run.signature else None,
            run.sha256,
            run.is_saved,
            None if table.topics == self._facts.topics else table.topics,
            run.num_unjudged_topics,
            run.num_excluded,
            cut_warnings,
            None if run.first_documents is None else run.first_documents.values(),
            run.nothing_to_find,
            run.rightly_empty,
        )

    def _values(self, table: ScoreTable) -> bytes:
        """float64[topics, columns], as they lie in memory."""
        columns = column_positions(self._facts.columns, table.columns)
        values: Floats = table.values[[at for at in columns if at is not None], :, 0].T
        return values.tobytes()


# --- Scores that stay in a file, by the hash of each submission ---


_KIND = "scores kept by irev leaderboard --update"

UNCHANGED = "unchanged"
"""What a worker answers of a file that has the hash of the one whose scores are kept."""


class KeptSubmission(NamedTuple):
    """The scores of a submission.

    sha256         of its decompressed bytes
    sent_run_info  what a worker told of it, a `SentRunInfo`
    score_bytes    float64[topics, columns], as they lie in memory
    """

    sha256: str
    sent_run_info: Sequence[Any]
    score_bytes: bytes


class KeptScores(NamedTuple):
    """What such a file holds: which scoring its scores are of, and those of each path."""

    scoring_key: str
    submissions: Mapping[str, KeptSubmission]


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
        hint = "name a new file, or one that an earlier call with --update wrote"
        raise _kept_error(path, "this file was not written by --update", hint) from None
    if sha256_of(body) != head.get("sha256"):
        raise _kept_error(path, "these kept scores are damaged: their hash is another")
    try:
        facts = decode_json_with_bytes(body)
        submissions = {
            name: KeptSubmission(sha256, sent, base64.b64decode(scores, validate=True))
            for name, (sha256, sent, scores) in facts["submissions"].items()
        }
        return KeptScores(str(facts["scoring"]), submissions)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise inconsistent_error(path) from None


def write_kept_scores(path: str, kept: KeptScores) -> None:
    """Write the scores, whole or not at all."""
    submissions = {
        name: [each.sha256, each.sent_run_info, base64.b64encode(each.score_bytes).decode()]
        for name, each in sorted(kept.submissions.items())
    }
    body = encode_json_with_bytes({"scoring": kept.scoring_key, "submissions": submissions}) + b"\n"
    head = {"kind": _KIND, "irev": __version__, "sha256": sha256_of(body)}
    with replace_file(path) as stream:
        stream.writelines((encode_json_with_bytes(head), b"\n", body))


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


def inconsistent_error(path: str) -> InputError:
    """The error of a file whose parts contradict each other."""
    return _kept_error(path, "these kept scores contradict each other")


def _kept_error(
    path: str, message: str, hint: str = "delete this file: then all submissions are scored"
) -> InputError:
    return InputError([Problem(path, None, "bad-saved-scores", message, hint)])
