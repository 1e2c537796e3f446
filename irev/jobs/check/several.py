"""Several files: runs are held against the qrels before them, workers check strangers' files."""

from __future__ import annotations

from dataclasses import fields
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, cast

from irev.core import workers
from irev.engine.confined.limits import Limits
from irev.engine.confined.workers import Answer, ConfinedWorkers
from irev.errors import InputError, IrevError, Problem
from irev.jobs.check.file_check import check_file
from irev.jobs.check.report import FileReport, Finding
from irev.read.stream import FoundFile, FoundFolder, Source

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from irev.engine.confined.workers import Work
    from irev.jobs.check.rules import CheckRules


class CheckedBy(NamedTuple):
    """What files are checked by, as `check_file` takes it."""

    rules: CheckRules | None
    topics: Collection[bytes] | None
    kind: str | None
    qrels: FileReport | None = None

    def report(self, path: str | os.PathLike[str]) -> FileReport:
        """The report on a file."""
        return check_file(path, self.rules, qrels=self.qrels, topics=self.topics, kind=self.kind)


def check_all(
    paths: Iterable[str | os.PathLike[str]],
    rules: CheckRules | None = None,
    *,
    topics: Collection[bytes] | None = None,
    kind: str | None = None,
    limits: Limits | None = None,
) -> Iterator[FileReport | InputError]:
    """A report on each file, in order; a run is held against the last qrels before it.

    A file that cannot be opened gives the error in its place, and the others are checked. Files
    that were found in a folder are a stranger's: workers check them, within the limits, and none
    of them is what others are held against.
    """
    by = CheckedBy(rules, topics, kind)
    for is_found, some in groupby(paths, lambda path: isinstance(path, FoundFile | FoundFolder)):
        if is_found:
            yield from _by_workers(cast("list[str]", [*some]), by, limits or Limits())
            continue
        for path in some:
            try:
                report = by.report(path)
            except InputError as error:
                yield error
                continue
            if report.judgments is not None:
                by = by._replace(qrels=report)
            yield report


def _by_workers(
    paths: Sequence[str], by: CheckedBy, limits: Limits
) -> Iterator[FileReport | InputError]:
    several = min(len(paths), workers.default_threads())
    with ConfinedWorkers("irev.jobs.check.several:checker", by, limits, several) as confined:
        for path, outcome in zip(paths, confined.outcomes(paths), strict=True):
            if isinstance(outcome, InputError):
                yield outcome
            elif isinstance(outcome, IrevError):
                yield InputError([Problem(path, None, outcome.kind, str(outcome))])
            else:
                yield _report(outcome)


def _report(answer: Answer) -> FileReport:
    about = dict(answer.value)
    found = tuple(Finding(*finding) for finding in about.pop("findings"))
    return FileReport(findings=found, **about)


def checker(by: CheckedBy, limits: Limits) -> tuple[None, Work]:
    """What checks a file in a worker; its judged documents are of no use elsewhere."""
    Source.most = limits.max_size
    names = [field.name for field in fields(FileReport) if field.name != "judgments"]

    def worked(path: str) -> Answer:
        report = by.report(path)
        return Answer({name: getattr(report, name) for name in names})

    return None, worked
