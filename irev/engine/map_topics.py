"""The way of an input: parts of whole topics, each worked on from its bytes to its result.

A part stays with one worker, in whose core's cache its columns are. What is wrong with it is a
value until all is collected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Generic, NamedTuple, TypeVar

from irev.core import workers
from irev.core.judged import Duplicate, DuplicatesError, Input, Rows
from irev.core.text import count_text
from irev.errors import MOST_PROBLEMS, NO_DOCUMENTS, InputError, Notice, Problem
from irev.rank.judged_lists import drop_repeated_documents, index_pairs_refusing_duplicates
from irev.read.columns import document_ids
from irev.read.layout import ChosenLayout, layout_for
from irev.read.run_tables import open_one_run
from irev.read.sources import table_in_memory
from irev.read.topics import CutInput, Parsed, Text, TopicTable

Result = TypeVar("Result")

Step = Callable[[Rows], Result]
"""What becomes of some whole topics; it may raise `DuplicatesError` and `InputError`."""


CloserLook = Callable[[CutInput[Any] | TopicTable], Iterable[Notice]]
"""Looks at an input again once it was read, and gives the warnings about it."""


class InputResults(NamedTuple, Generic[Result]):
    """What became of an input.

    results  what the step made of its topics, some at a time
    last     the last line of data of a text
    sha256   of a file's decompressed bytes, where it was asked for
    notices  what is doubtful about the file
    num_excluded  how many documents were left out of its topics before the step
    has_ranks  whether ranks stand beside the scores of a run, as far as somebody looked
    """

    results: list[Result]
    last: bytes = b""
    sha256: str | None = None
    notices: tuple[Notice, ...] = ()
    num_excluded: int = 0
    has_ranks: bool = False

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
    source: Input,
    layout: ChosenLayout,
    step: Step[Result],
    threads: int,
    *,
    sign: bool = False,
    closer_look: CloserLook | None = None,
) -> InputResults[Result]:
    """What a step makes of all topics of an input, several parts at once, each topic whole.

    Where a topic's lines do not stand together the text is read once more and its topics gathered
    in memory. `sign` asks for the hash of a file. `closer_look` may read the input again. Of
    passages the step gets the documents, each with what its best passage has.
    """
    passages = layout_for(layout).passages
    if passages is None:
        return _map_rows(source, layout, step, threads, sign=sign, closer_look=closer_look)
    counts: list[_PassageCounts] = []

    def documents_step(rows: Rows) -> Result:
        # a passage that stands twice is wrong, as a document is
        if not layout_for(layout).may_repeat:
            index_pairs_refusing_duplicates(rows, rows.topic_of_row, len(rows.topics))
        docs, num_cut = document_ids(rows.docs, passages.text)
        key = -rows.value if passages.is_lowest_best else rows.value
        documents, _ = drop_repeated_documents(replace(rows, docs=docs), "best", key)
        counts.append(_PassageCounts(len(rows.docs), num_cut, len(documents.docs)))
        return step(documents)

    results = _map_rows(source, layout, documents_step, threads, sign=sign, closer_look=closer_look)
    num_rows, num_cut, num_documents = (sum(each) for each in zip(*counts, strict=True))
    notice = Notice(
        "passages",
        f"{count_text(num_rows, 'passage')} of {count_text(num_documents, 'document')}: the best "
        "of each is ranked",
    )
    if not num_cut:
        message = f"no document id of the run is cut by '{passages.text}'"
        notice = Notice("no-passages", message, "--passages says what parts the id of a document")
    return results._replace(notices=(*results.notices, notice))


class _PassageCounts(NamedTuple):
    """How many rows some topics have, of how many the id was cut, and their documents."""

    num_rows: int
    num_cut: int
    num_documents: int


def _map_rows(
    source: Input,
    layout: ChosenLayout,
    step: Step[Result],
    threads: int,
    *,
    sign: bool,
    closer_look: CloserLook | None,
) -> InputResults[Result]:
    table = table_in_memory(source, layout)
    if table is not None:
        results = map_opened(table, step, threads)
        warnings = tuple(closer_look(table)) if closer_look is not None else ()
        return results._replace(notices=warnings) if warnings else results
    with open_one_run(source, layout, sign=sign) as (opened, file):
        results = map_opened(opened, step, threads)
        sha256, warnings = file.sha256, file.notices
        if isinstance(opened, Text):
            warnings = (*warnings, *opened.line_warnings())
        if closer_look is not None:
            warnings = (*warnings, *closer_look(opened))
        if not (sign or warnings):
            return results
        return results._replace(sha256=sha256, notices=warnings)


def map_topics_or_nothing(
    run: Input, layout: ChosenLayout, step: Step[Result], threads: int
) -> InputResults[Result]:
    """The same of one of several runs: of a table or a mapping without documents there is nothing.

    A warning names it.
    """
    try:
        return map_topics(run, layout, step, threads)
    except InputError as error:
        if not is_of_empty_run(error):
            raise
        warning = empty_run_warning().about(error.problems[0].path)
        return InputResults([], notices=(warning._replace(hint=""),))


def is_of_empty_run(error: InputError) -> bool:
    """Whether all that is wrong with a table or a mapping is that it has no documents."""
    return all(problem.kind == NO_DOCUMENTS for problem in error.problems)


def empty_run_warning() -> Notice:
    """The warning about a table or a mapping that says that nothing was retrieved."""
    return Notice(
        NO_DOCUMENTS, "the run retrieved nothing", "each judged topic counts as an empty ranking"
    )


def map_opened(
    opened: CutInput[Any] | TopicTable, step: Step[Result], threads: int
) -> InputResults[Result]:
    """The same of an input that was opened."""

    def results_of_part(part: Any) -> _PartResults[Result]:
        return _process_part(opened.parse(part), step)

    steps = workers.map_in_order(results_of_part, opened.parts(), threads)
    try:
        return _collect_results(opened, steps)
    except _ScatteredError:
        steps.close()  # what was streamed is forgotten before all is held
        gathered = opened.gather_scattered_topics(threads)
        return _collect_results(
            opened,
            workers.map_in_order(lambda parsed: _process_part(parsed, step), gathered, threads),
        )
    finally:
        if workers.watcher is not None:
            workers.watcher.report_end(opened.name)


def _process_part(parsed: Parsed, step: Step[Result]) -> _PartResults[Result]:
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
        rows.topics,
        num_lines,
        last,
        is_scattered,
        () if problems else results,
        problems,
        duplicates,
    )


def _collect_results(
    opened: CutInput[Any] | TopicTable, steps: Iterator[_PartResults[Result]]
) -> InputResults[Result]:
    """All results; problems become an error here, their lines counted from the file's start."""
    results: list[Result] = []
    problems: list[Problem] = []
    seen: set[bytes] = set()
    line_offset, last = 0, b""
    for part in steps:
        if part.is_scattered or not seen.isdisjoint(part.topics):
            raise _ScatteredError
        seen.update(part.topics)
        if workers.watcher is not None:
            workers.watcher.report_scored(opened.name, len(seen))
        results += part.results
        if part.problems or part.duplicates:
            for each in part.problems:
                line = None if each.line is None else each.line + line_offset
                problems.append(each._replace(path=each.path or opened.name, line=line))
            problems += [opened.duplicate_problem(twin, line_offset) for twin in part.duplicates]
        last = part.last or last
        line_offset += part.num_lines
        if part.num_lines and len(problems) >= MOST_PROBLEMS:
            break  # whatever follows stands behind these
    empty_problem = None if seen or problems else opened.empty_problem(line_offset)
    if empty_problem is not None:
        problems.append(empty_problem)
    if problems:
        raise opened.error(sorted(problems, key=lambda problem: problem.line or 0))
    return InputResults(results, last)
