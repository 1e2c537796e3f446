"""Several files: runs are held against the qrels before them, workers check strangers' files."""

from __future__ import annotations

from dataclasses import fields
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, cast

from irev.core import workers
from irev.engine.confined import Answer, ConfinedWorkers, Limits
from irev.errors import InputError, IrevError, Problem
from irev.jobs.check.file_check import check_file
from irev.jobs.check.report import FileReport, Finding
from irev.read.stream import FoundFile, FoundFolder, Source

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from irev.engine.confined import Work
    from irev.jobs.check.answers import JudgedTopicsOfRuns
    from irev.jobs.check.rules import CheckRules


class CheckSettings(NamedTuple):
    """What files are checked by, as `check_file` takes it."""

    rules: CheckRules | None
    topics: Collection[bytes] | None
    kind: str | None
    qrels: FileReport | None = None
    qrels_format: str | None = None
    judged_answers: JudgedTopicsOfRuns | None = None

    def report(self, path: str | os.PathLike[str]) -> FileReport:
        """The report on a file."""
        return check_file(
            path, self.rules, qrels=self.qrels, topics=self.topics, kind=self.kind,
            qrels_format=self.qrels_format, judged_answers=self.judged_answers,
        )  # fmt: skip


def check_runs_by_last_qrels(
    paths: Iterable[str | os.PathLike[str]],
    rules: CheckRules | None = None,
    *,
    topics: Collection[bytes] | None = None,
    kind: str | None = None,
    found_file_limits: Limits | None = None,
    qrels_format: str | None = None,
) -> Iterator[FileReport | InputError]:
    """A report on each file, in order; a run is held against the last qrels before it.

    A file that cannot be opened gives the error in its place, and the others are checked. Files
    that were found in a folder are a stranger's: workers check them, within the limits, and none
    of them is what others are held against.
    """
    settings = CheckSettings(rules, topics, kind, qrels_format=qrels_format)
    for are_found, group in groupby(paths, lambda path: isinstance(path, FoundFile | FoundFolder)):
        if are_found:
            yield from _check_in_workers(
                cast("list[str]", [*group]), settings, found_file_limits or Limits()
            )
            continue
        for path in group:
            try:
                report = settings.report(path)
            except InputError as error:
                yield error
                continue
            if report.judgments is not None:
                settings = settings._replace(qrels=report)
            if report.judged_answers is not None:
                before = settings.judged_answers
                joined = before.union(report.judged_answers) if before else report.judged_answers
                settings = settings._replace(judged_answers=joined)
            yield report


def _check_in_workers(
    paths: Sequence[str], settings: CheckSettings, limits: Limits
) -> Iterator[FileReport | InputError]:
    num_workers = min(len(paths), workers.default_threads())
    with ConfinedWorkers(
        "irev.jobs.check.several:prepare_confined_check", settings, limits, num_workers
    ) as confined:
        for path, outcome in zip(paths, confined.outcomes(paths), strict=True):
            if isinstance(outcome, InputError):
                yield outcome
            elif isinstance(outcome, IrevError):
                yield InputError([Problem(path, None, outcome.kind, str(outcome))])
            else:
                yield _report_of_answer(outcome)


def _report_of_answer(answer: Answer) -> FileReport:
    fields = dict(answer.value)
    findings = tuple(Finding(*finding) for finding in fields.pop("findings"))
    return FileReport(findings=findings, **fields)


def prepare_confined_check(settings: CheckSettings, file_limits: Limits) -> tuple[None, Work]:
    """What checks a file in a worker; its judged documents are of no use elsewhere."""
    Source.most = file_limits.max_size
    if settings.qrels is not None and settings.qrels.judgments is not None:
        settings.qrels.judgments.prepare()  # once, for all workers
    unsent = ("judgments", "judged_answers")
    field_names = [field.name for field in fields(FileReport) if field.name not in unsent]

    def check_one(path: str) -> Answer:
        report = settings.report(path)
        return Answer({name: getattr(report, name) for name in field_names})

    return None, check_one
