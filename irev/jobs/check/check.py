"""`irev.check`: everything that is wrong or suspicious in files."""

from __future__ import annotations

import os
import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import partial
from itertools import groupby
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, cast

from irev.core import __version__, workers
from irev.core.job import job
from irev.core.option_records import Opt
from irev.core.record import record
from irev.core.text import count_text, printable, shortened_list
from irev.core.workers import report_progress
from irev.engine.confined import Answer, ConfinedWorkers, Limits, Work
from irev.engine.run_files import FOLLOW_LINKS, find_submissions
from irev.errors import KINDS, NOTE, SEVERITIES, InputError, IrevError, Problem
from irev.jobs.check.files import ANSWERS, HOLDS, RUN_KIND, RUNS_IN_TABLE, TABLE, check_file
from irev.jobs.check.findings import CheckRules, FileReport, Finding, JudgedAnswers
from irev.jobs.result import Result
from irev.read.formats import JUDGMENTS, RUNS
from irev.read.inputs import given_runs
from irev.read.stream import FoundFile, FoundFolder, Source
from irev.writers.document import (
    Cell,
    Document,
    Head,
    Heading,
    Keyed,
    Lines,
    Part,
    Records,
    Table,
    cell_text,
)


class CheckOptions(CheckRules, Limits):
    """What files are taken for, the rules, and the limits of files in directories."""

    kind: Annotated[Literal["run", "qrels"] | None, Opt(
        "--as", help_order=2,
        help="Treat all files as runs or as qrels. Default: detected from their lines.",
    )] = None  # fmt: skip
    qrels_format: Annotated[Literal["nuggets", "support"] | None, Opt(
        "-R", "--Rel_info_format", help_order=2,
        help="Treat files as judgments of answers in this format, or as answers. Default: "
        "detected from their lines.",
    )] = None  # fmt: skip
    topics: Annotated[str | os.PathLike[str] | None, Opt(
        "--topics", metavar="FILE", file="always",
        help="File with the topics that a run must have, one per line, and no others.",
    )] = None  # fmt: skip
    follow_links: Annotated[bool, FOLLOW_LINKS] = False


HAS_ERRORS, UNREADABLE = 1, 2
"""Exit codes: there are errors; a file cannot be opened."""


@record
class CheckReport(Result):
    """What was found in files: `passed` where there is no error.

    `to_frame()` has a row for each finding; `errors` are of the files that cannot be opened.
    """

    reports: tuple[FileReport | InputError, ...]
    """Of each file, in order: what was found in it, or why it cannot be opened."""
    rules: CheckRules
    folders: tuple[str, ...] = ()
    """The directories in which files were found."""

    shown_by: ClassVar[str] = "irev.jobs.check.check:check_document"

    @property
    def files(self) -> tuple[FileReport, ...]:
        """The files that were read, each with its findings."""
        return tuple(each for each in self.reports if isinstance(each, FileReport))

    @property
    def strict_exit_code(self) -> int:
        """1 where there are warnings, too."""
        return self.exit_code or HAS_ERRORS * any(report.warnings for report in self.files)

    def _subject(self) -> str:
        count = sum(report.errors for report in self.files)
        return f"{count_text(len(self.reports), 'file')}: {count_text(count, 'error')}"


@job(CheckOptions)
def check(*files: Any, options: CheckOptions) -> CheckReport:
    """Find everything that is wrong or suspicious in runs and qrels, as `irev check` does.

    Args:
        *files: paths: runs, or qrels before runs; directories.
        options: the record `CheckOptions`, whose fields are keywords, too.

    Returns:
        The findings: `passed` where there is no error, `to_frame()` has a row for each.

    Raises:
        TypeError: there is no such option; something in memory, in place of a path.
        UsageError: an option that makes no sense.
    """
    # the files, with those in directories, and what is no regular file there
    paths: list[str] = []
    folders: list[str] = []
    refused: list[InputError] = []
    for path in _path_texts(files):
        if os.path.isdir(path):
            folders.append(path)
            in_folder = find_submissions([path], follow_links=options.follow_links)
            paths += (each.path for each in in_folder.files)
            refused += (error for _, error in in_folder.refused)
        else:
            paths.append(path)
    topics = None
    if options.topics is not None:
        from irev.read.topic_files import read_topic_ids

        topics = read_topic_ids(os.fspath(options.topics))
    rules = options.base_record(CheckRules)
    outcomes = check_runs_by_last_qrels(
        paths,
        rules,
        topics=topics,
        kind=options.kind,
        found_file_limits=options.base_record(Limits),
        qrels_format=options.qrels_format,
    )
    reports = (
        *_note_late_qrels([*report_progress(outcomes, len(paths), "files")], rules),
        *refused,
    )
    errors = tuple(each for each in reports if isinstance(each, InputError))
    has_errors = any(isinstance(each, FileReport) and each.errors for each in reports)
    code = UNREADABLE if errors else HAS_ERRORS * has_errors
    return CheckReport(reports, rules, tuple(folders), errors=errors, exit_code=code)


def _path_texts(files: Iterable[Any]) -> Iterator[str]:
    """The paths that are given, one by one, in lists or by wildcards."""
    for file in files:
        for path in given_runs(file, looks_inside=False).sources or [file]:
            if not isinstance(path, str | os.PathLike):
                raise TypeError(
                    "irev.check looks at the lines of files: give paths. Write a table to a file "
                    'first: run.to_csv("run.csv", index=False)'
                )
            yield os.fspath(path)


def _note_late_qrels(
    reports: Sequence[FileReport | InputError], rules: CheckRules
) -> Iterator[FileReport | InputError]:
    """The reports, with a note in that of a run before all qrels, where there are qrels."""
    files = (each for each in reports if isinstance(each, FileReport))
    qrels = next((each for each in files if each.judgments is not None), None)
    is_late = qrels is not None
    for report in reports:
        is_late = is_late and report is not qrels
        if (
            qrels
            and is_late
            and isinstance(report, FileReport)
            and RUN_KIND in (report.kind, report.facts.get(HOLDS))
        ):
            report = report.add_finding(
                "late-qrels",
                f"not checked against {qrels.file}, which comes after it",
                severity=rules.severity("late-qrels"),
                hint="give the qrels first: irev check QRELS RUN...",
            )
        yield report


class CheckSettings(NamedTuple):
    """What files are checked by, as `check_file` takes it."""

    rules: CheckRules | None
    topics: Collection[bytes] | None
    kind: str | None
    qrels: FileReport | None = None
    qrels_format: str | None = None
    judged_answers: JudgedAnswers | None = None

    def report(self, path: str | os.PathLike[str]) -> FileReport:
        """The report on a file."""
        return check_file(
            path,
            self.rules,
            qrels=self.qrels,
            topics=self.topics,
            kind=self.kind,
            qrels_format=self.qrels_format,
            judged_answers=self.judged_answers,
        )


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
                joined = dict(settings.judged_answers or {})
                for run, judged_topics in report.judged_answers.items():
                    joined[run] = joined.get(run, frozenset()) | judged_topics
                settings = settings._replace(judged_answers=joined)
            yield report


def _check_in_workers(
    paths: Sequence[str], settings: CheckSettings, limits: Limits
) -> Iterator[FileReport | InputError]:
    num_workers = min(len(paths), workers.default_threads())
    with ConfinedWorkers(
        "irev.jobs.check.check:prepare_confined_check", settings, limits, num_workers
    ) as confined:
        for path, outcome in zip(paths, confined.outcomes(paths), strict=True):
            if isinstance(outcome, InputError):
                yield outcome
            elif isinstance(outcome, IrevError):
                yield InputError([Problem(path, None, outcome.kind, str(outcome))])
            else:
                findings = tuple(Finding(*finding) for finding in outcome.value["findings"])
                yield FileReport(**{**outcome.value, "findings": findings})


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


# --- What was found in files, as a document ---

_FIELDS = ("line", "topic", "document", "code", "severity", "message", "hint")

EXAMPLES_OF_ONE_FILE, EXAMPLES_OF_SEVERAL = 10, 3
"""How many findings of a code are shown, of one file and of several together; the rest is counted.
Of notes on several files one is enough. Details have all that are kept."""

_WIDTH, _MOST_NAMED, _LEAST_NAME, _MOST_GRADES = 80, 5, 20, 10


def check_document(report: CheckReport, decimals: int) -> Document:
    """The findings in files; in JSON also of files that cannot be opened, which have none.

    In plain text there is one finding a line, as compilers tell them. In short several files are
    told at once: which have errors, a line for each, and examples of each code.
    """
    # the files without any finding are those that are not named
    rows = (
        [file.file, *(getattr(finding, name) for name in _FIELDS)]
        for file in report.files
        for finding in file.findings
    )
    if len(report.reports) == 1:
        most = _most_shown(report, EXAMPLES_OF_ONE_FILE)
        brief: list[Part] = list(_sections(report, most))
        brief_lines = _text_lines(report, most)
    else:
        brief = list(_short_sections(report))
        brief_lines = _short_lines(brief)
    most = report.rules.most_kept
    return Document(
        "What was found in files",
        _sections(report, most),
        [Records("findings", ["file", *_FIELDS], rows)],
        partial(_reports_data, report),
        _text_lines(report, most),
        brief,
        brief_lines,
    )


def _most_shown(report: CheckReport, usual: int) -> int:
    """How many findings of a code are shown in short: as many as were asked for, or as usual."""
    return usual if report.rules.max_findings is None else report.rules.max_findings


def _sections(report: CheckReport, most: int) -> Iterator[Part]:
    """For each file its findings, so many of a code, and what it is; then all of them."""
    for file in report.files:
        yield Heading(file.file, 2)
        findings = _first_of_each_code(file.findings, most)
        if findings:
            names = [name for name in _FIELDS if any(getattr(each, name) for each in findings)]
            columns = [Head(name, "number" if name == "line" else "text") for name in names]
            yield Table(columns, [[getattr(each, name) for name in names] for each in findings])
        yield Lines(list(_closing_lines(file, report.rules, most)))
    if len(report.reports) > 1:
        yield Heading("all files", 2)
        yield Lines([_summary_of_files(report)])


def _text_lines(report: CheckReport, most: int) -> Iterator[str]:
    """`FILE:LINE: severity: message (hint) [code]` for each finding, then a line for its file.

    A hint is given with the first finding of its file that has it.
    """
    for file in report.files:
        hints_given, path = {""}, printable(file.file)
        for finding in _first_of_each_code(file.findings, most):
            text = f"{finding.severity}: {finding.message}"
            text += "" if finding.hint in hints_given else f" ({finding.hint})"
            hints_given.add(finding.hint)
            yield f"{_location(finding)}: {text} [{finding.code}]"
        yield from (f"{path}: {line}" for line in _closing_lines(file, report.rules, most))
    if len(report.reports) > 1:
        yield _summary_of_files(report)


def _first_of_each_code(findings: Sequence[Finding], most: int) -> list[Finding]:
    """So many of a code, in their order; those of the whole file are left out last."""
    counts, places = Counter[str](), []
    for place in sorted(range(len(findings)), key=lambda place: findings[place].line is not None):
        counts[findings[place].code] += 1
        if counts[findings[place].code] <= most:
            places.append(place)
    return [findings[place] for place in sorted(places)]


def _summary_of_files(report: CheckReport) -> str:
    """How many files there are, and what was found in all of them."""
    unread = f", {len(report.errors)} of them unreadable" if report.errors else ""
    counts = (
        count_text(sum(getattr(file, severities) for file in report.files), severities[:-1])
        for severities in ("errors", "warnings", "notes")
    )
    return f"{count_text(len(report.reports), 'file')}{unread}: {', '.join(counts)}"


def _short_sections(report: CheckReport) -> Iterator[Part]:
    """Several files at once: which have errors; a line for each; examples of each code."""
    yield Lines([*_verdict_lines(report)], listed=False)
    yield _table_of_files(report)
    found_by_code: dict[str, list[tuple[FileReport, list[Finding]]]] = {}
    for file in report.files:
        for code in file.counts:
            of_code = [finding for finding in file.findings if finding.code == code]
            # what holds of the whole file explains its lines
            of_code.sort(key=lambda finding: finding.line is not None)
            found_by_code.setdefault(code, []).append((file, of_code))
    severity_of = report.rules.severity
    lines: list[str] = []
    is_cut = False
    for code in sorted(found_by_code, key=lambda code: SEVERITIES.index(severity_of(code))):
        usual = 1 if severity_of(code) == NOTE else EXAMPLES_OF_SEVERAL
        most = _most_shown(report, usual)
        is_cut |= sum(file.counts[code] for file, _ in found_by_code[code]) > most
        lines += _code_lines(code, found_by_code[code], severity_of(code), most)
    if lines:
        yield Lines(lines)
    if is_cut:
        counts = _summary_of_files(report).partition(": ")[2]
        yield Lines([f"{counts} in all; --details prints each"], listed=False)


def _verdict_lines(report: CheckReport) -> Iterator[str]:
    """What a reader wants to know of many files: which cannot be opened, and which have errors."""
    num_files = count_text(len(report.reports), "file")
    unread = [each for each in report.reports if isinstance(each, InputError)]
    names = [short_path(report, printable(str(each.path))) for each in unread]
    if names:
        cannot = "cannot be opened"
        yield f"{len(names)} of {num_files} {cannot}: {shortened_list(names, _MOST_NAMED)}"
    bad = [short_path(report, printable(file.file)) for file in report.files if file.errors]
    if bad:
        have = "has errors" if len(bad) == 1 else "have errors"
        yield f"{len(bad)} of {num_files} {have}: {shortened_list(bad, _MOST_NAMED)}"
        others = [file for file in report.files if file.warnings and not file.errors]
        others.sort(key=lambda file: -file.warnings)
        named = [short_path(report, printable(file.file)) for file in others]
        if named:
            have = "has warnings" if len(named) == 1 else "have warnings"
            yield f"{len(named)} more {have}: {shortened_list(named, _MOST_NAMED)}"
    elif report.files:
        found = [
            count_text(count, noun)
            for noun in ("warning", "note")
            if (count := sum(getattr(file, f"{noun}s") for file in report.files))
        ]
        read = count_text(len(report.files), "file")
        yield f"{read}: {', '.join(['no error', *(found or ['nothing to remark'])])}"


def short_path(report: CheckReport, path: str) -> str:
    """A path below the folder in which it was found; of several folders each has its name."""
    for folder in report.folders:
        start = os.path.join(folder, "")
        if path.startswith(start):
            below = path[len(start) :]
            name = os.path.basename(folder.rstrip(os.sep))
            return below if len(report.folders) == 1 else os.path.join(name, below)
    return path


def _table_of_files(report: CheckReport) -> Table:
    """A line for each file: what it is, and how many findings it has."""
    heads = [Head("file", "text"), Head("kind", "text"), Head("topics")]
    has_judged = any(map(judged_shares, report.files))
    heads += [Head("judged")] if has_judged else []
    heads += [Head("errors"), Head("warnings"), Head("notes")]
    rows: list[list[Cell]] = []
    for each in report.reports:
        row: list[Cell]
        if isinstance(each, FileReport):
            row = [short_path(report, each.file), shown_kind(each), each.topics or None]
            if has_judged:
                shares = judged_shares(each)
                row.append(Keyed(_range_text(shares, 0), min(shares)) if shares else None)
            row += [each.errors, each.warnings, each.notes]
        else:
            row = [short_path(report, str(each.path)), "not opened"]
        rows.append([*row, *[None] * (len(heads) - len(row))])
    return Table(heads, rows)


def _code_lines(
    code: str, found: Sequence[tuple[FileReport, Sequence[Finding]]], severity: str, most: int
) -> Iterator[str]:
    """What was found of a code, or how often, what it means, and examples of several files."""
    # the first of each file, then the second of each, until there are enough
    chosen = sorted(
        (place, index)
        for index, (_, findings) in enumerate(found)
        for place in range(min(len(findings), most))
    )[:most]
    chosen.sort(key=lambda each: each[::-1])
    count = sum(file.counts[code] for file, _ in found)
    is_cut = count > len(chosen)
    if is_cut:
        files = count_text(len(found), "file")
        heading = f"{count_text(count, severity)} in {files}: {KINDS[code].meaning} [{code}]"
        if most == 1 and chosen:
            yield f"{heading}, such as {_location(found[0][1][0])}"
            return
        yield heading
    hints_given = {""}
    for place, index in chosen:
        finding = found[index][1][place]
        hint = "" if finding.hint in hints_given else f" ({finding.hint})"
        hints_given.add(finding.hint)
        if is_cut:
            yield f"  {_location(finding)}: {finding.message}{hint}"
        else:
            yield f"{_location(finding)}: {severity}: {finding.message}{hint} [{code}]"
    if is_cut and chosen:
        others = len(found) - len({index for _, index in chosen})
        elsewhere = f", also in {count_text(others, 'other file')}" if others else ""
        yield f"  and {count - len(chosen):,} more{elsewhere}"


def _location(finding: Finding) -> str:
    path = printable(finding.file)
    return path if finding.line is None else f"{path}:{finding.line}"


def _short_lines(parts: Iterable[Part]) -> Iterator[str]:
    """The same in plain text."""
    for number, part in enumerate(parts):
        if number:
            yield ""
        if isinstance(part, Table):
            yield from _table_lines(part)
        elif isinstance(part, Lines):
            for line in part.lines:
                indent = "  " if line.startswith("  ") else ""
                yield textwrap.fill(
                    line.strip(),
                    _WIDTH,
                    initial_indent=indent,
                    subsequent_indent=f"{indent}  ",
                    break_on_hyphens=False,
                    break_long_words=False,
                )


def _table_lines(table: Table) -> Iterator[str]:
    """A table whose first column gives way where a line would be too long."""
    heads = [head.name for head in table.columns]
    cells = [
        [cell_text(c, h, 0) for c, h in zip(row, table.columns, strict=True)] for row in table.rows
    ]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    longest = max(_WIDTH - sum(width + 2 for width in widths[1:]), _LEAST_NAME)
    widths[0] = min(widths[0], longest)
    for row in (heads, *cells):
        name = printable(row[0])
        name = name if len(name) <= longest else f"...{name[3 - longest :]}"
        others = (
            text.ljust(width) if head.kind == "text" else text.rjust(width)
            for head, text, width in zip(table.columns[1:], row[1:], widths[1:], strict=True)
        )
        yield "  ".join([name.ljust(widths[0]), *others]).rstrip()


def _closing_lines(report: FileReport, rules: CheckRules, most: int) -> Iterator[str]:
    """How many findings are not shown; what the file is, and how many it has."""
    for code, count in report.counts.items():
        if count > most:
            yield f"{rules.severity(code)}: {count - most:,} more, {count:,} in all [{code}]"
    words, facts = [shown_kind(report)], report.facts
    if report.topics:
        words += [
            count_text(report.topics, "topic"),
            count_text(report.rows, _row_noun(report.kind)),
        ]
    if "runs" in facts:
        # `2 runs`, `5 vital`
        for name, count in facts.items():
            is_one = name.endswith("s") and count == 1
            words.append(f"{count} {(name[:-1] if is_one else name).replace('_', ' ')}")
    if "mean_relevant" in facts:
        # `61.0 relevant a topic (3: 7.0, 2: 30.7, 1: 23.3)`
        means = [
            f"{grade}: {mean:.1f}"
            for grade, mean in reversed(facts["mean_of_grade"].items())
            if float(grade) >= 1
        ]
        by_grade = f" ({', '.join(means)})" if 1 < len(means) <= _MOST_GRADES else ""
        words.append(f"{facts['mean_relevant']:.1f} relevant a topic{by_grade}")
    if RUNS_IN_TABLE in facts:
        words.append(count_text(len(facts[RUNS_IN_TABLE]), "run"))
    shares = judged_shares(report)
    if shares:
        words.append(f"{_range_text(shares, 1)} judged up to rank 10")
    errors, warnings = count_text(report.errors, "error"), count_text(report.warnings, "warning")
    yield f"{', '.join(words)}: {errors}, {warnings}, {count_text(report.notes, 'note')}"


def shown_kind(report: FileReport) -> str:
    """What a file is, for people: of a table what it holds."""
    if HOLDS not in report.facts:
        return report.kind
    return f"{report.facts[HOLDS]} ({report.kind})"


def judged_shares(report: FileReport) -> list[float]:
    """Which share of the documents up to rank 10 is judged, of each run in a file."""
    facts_of_runs = report.facts.get(RUNS_IN_TABLE, {"": report.facts}).values()
    return [facts["judged_at_10"] for facts in facts_of_runs if "judged_at_10" in facts]


def _range_text(shares: Sequence[float], decimals: int) -> str:
    least, most = (f"{share:.{decimals}%}" for share in (min(shares), max(shares)))
    return least if least == most else f"{least} to {most}"


def _row_noun(kind: str) -> str:
    """What a row of a kind of files is called; a table may be a run or judgments."""
    if kind == TABLE:
        return "row"
    if kind == ANSWERS or (kind in JUDGMENTS and JUDGMENTS[kind].holds_runs):
        return "answer"
    return "document" if kind in (RUN_KIND, *RUNS) else "judgment"


def _reports_data(result: CheckReport) -> dict[str, Any]:
    """`irev` (the version), `profile` and `files`.

    Each of the files has `path`, `sha256` (of its bytes, decompressed), `kind`, `lines`, `rows`,
    `topics`, `errors`, `warnings`, `notes`, `counts` (by code), `facts` and `findings`; one that
    cannot be opened has `path` and `unreadable`, the reason.
    """
    names = ("sha256", "kind", "lines", "rows", "topics", "errors", "warnings", "notes", "counts")
    files: list[dict[str, Any]] = []
    for report in result.reports:
        if isinstance(report, FileReport):
            findings = [
                {name: getattr(finding, name) for name in _FIELDS} for finding in report.findings
            ]
            fields = {name: getattr(report, name) for name in (*names, "facts")}
            files.append({"path": report.file, **fields, "findings": findings})
        else:
            files.append({"path": report.path, "unreadable": report.problems[0].message})
    return {"irev": __version__, "profile": result.rules.profile, "files": files}
