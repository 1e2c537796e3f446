"""The way of an input: parts of whole topics, each worked on from its bytes to its result.

A part stays with one worker, in whose core's cache its columns are. What is wrong with it is a
value until all is collected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from irev.core import progress, workers
from irev.core.held import Held
from irev.core.model import Duplicate, DuplicatesError, Rows
from irev.errors import MOST_PROBLEMS, InputError, Notice, Problem
from irev.read.sources import open_input, table_in_memory
from irev.read.topics import Parsed

if TYPE_CHECKING:
    from irev.core.model import Input
    from irev.read.layout import ChosenLayout
    from irev.read.topics import Cut, TopicTable

Result = TypeVar("Result")

Step = Callable[[Rows], Result]
"""What becomes of some whole topics; it may raise `DuplicatesError` and `InputError`."""


class InputResults(NamedTuple, Generic[Result]):
    """What became of an input.

    results  what the step made of its topics, some at a time
    last     the last line of data of a text
    sha256   of a file's decompressed bytes, where it was asked for
    notices  what is doubtful about the file
    """

    results: list[Result]
    last: bytes = b""
    sha256: str | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def run_id(self) -> bytes:
        """The tag of a run: the sixth field of the last line."""
        return next(iter(self.last.split()[5:6]), b"")


class _PartResults(NamedTuple, Generic[Result]):
    """What became of a part, whose rows are forgotten; its problems name lines of the part."""

    topics: list[bytes]
    num_lines: int
    last: bytes
    is_scattered: bool = False
    results: tuple[Result, ...] = ()
    problems: tuple[Problem, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()


class _ScatteredError(Exception):
    """Lines of a topic do not stand together."""


def map_topics(
    given: Input, layout: ChosenLayout, step: Step[Result], threads: int, *, sign: bool = False
) -> InputResults[Result]:
    """What a step makes of all topics of an input, several parts at once, each topic whole.

    Where a topic's lines do not stand together the text is read once more and its topics gathered
    in memory. `sign` asks for the hash of a file.
    """
    if isinstance(given, Held):
        given = given.given
    table = table_in_memory(given, layout)
    if table is not None:
        return map_parts(table, step, threads)
    with open_input(given, layout, sign=sign) as (source, file):
        read = map_parts(source, step, threads)
        if not (sign or file.notices):
            return read
        return read._replace(sha256=file.sha256, notices=file.notices)


def map_parts(
    source: Cut[Any] | TopicTable, step: Step[Result], threads: int
) -> InputResults[Result]:
    """The same of an input that was opened."""

    def worked(part: Any) -> _PartResults[Result]:
        return _part_results(source.parse(part), step)

    steps = workers.map_in_order(worked, source.parts(), threads)
    try:
        return _collect_results(source, steps)
    except _ScatteredError:
        steps.close()  # what was streamed is forgotten before all is held
        gathered = source.gather(threads)
        return _collect_results(
            source,
            workers.map_in_order(lambda parsed: _part_results(parsed, step), gathered, threads),
        )
    finally:
        if progress.watcher is not None:
            progress.watcher.report_end(source.name)


def _part_results(parsed: Parsed, step: Step[Result]) -> _PartResults[Result]:
    rows, num_lines, last, problems, is_scattered = parsed
    if rows is None:
        return _PartResults([], num_lines, last, is_scattered, (), problems, ())
    results: tuple[Result, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()
    try:
        results = (step(rows),)
    except DuplicatesError as error:
        duplicates = tuple(error.duplicates)
    except InputError as error:
        problems = (*problems, *error.problems)
    return _PartResults(
        rows.topics, num_lines, last, is_scattered, () if problems else results, problems,
        duplicates,
    )  # fmt: skip


def _collect_results(
    source: Cut[Any] | TopicTable, steps: Iterator[_PartResults[Result]]
) -> InputResults[Result]:
    """All results; problems become an error here, their lines counted from the file's start."""
    results: list[Result] = []
    problems: list[Problem] = []
    seen: set[bytes] = set()
    before, last = 0, b""
    for done in steps:
        if done.is_scattered or not seen.isdisjoint(done.topics):
            raise _ScatteredError
        seen.update(done.topics)
        if progress.watcher is not None:
            progress.watcher.report_scored(source.name, len(seen))
        results += done.results
        if done.problems or done.duplicates:
            problems += _problems_of_file(source.name, done.problems, before)
            problems += [source.duplicate(each, before) for each in done.duplicates]
        last = done.last or last
        before += done.num_lines
        if done.num_lines and len(problems) >= MOST_PROBLEMS:
            break  # whatever follows stands behind these
    empty = None if seen or problems else source.is_empty(before)
    if empty is not None:
        problems.append(empty)
    if problems:
        raise source.error(sorted(problems, key=lambda problem: problem.line or 0))
    return InputResults(results, last)


def _problems_of_file(name: str, problems: Iterable[Problem], before: int) -> Iterator[Problem]:
    """Problems of a part as problems of the file."""
    for problem in problems:
        line = None if problem.line is None else problem.line + before
        yield problem._replace(path=problem.path or name, line=line)
