"""The way of an input: parts of whole topics, each worked on from its bytes to its result.

A part stays with one worker, in whose core's cache its columns are. What is wrong with it is a
value until all is collected. On the way documents may be left out, before ranks are counted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from irev.core import workers
from irev.core.arrays import RowIndices
from irev.core.ids import DocumentIndex, ids_from_bytes, index_documents
from irev.core.judged import Duplicate, DuplicatesError, Input, Qrels, Rows
from irev.core.record import record
from irev.core.text import as_bytes, count_text, shortened_list
from irev.errors import (
    MOST_PROBLEMS,
    NO_DOCUMENTS,
    InputError,
    Notice,
    Problem,
    UsageError,
    shown_value,
)
from irev.options import OWN_DOCUMENTS, Options
from irev.rank.ranking import (
    RankingRule,
    drop_repeated_documents,
    index_pairs_refusing_duplicates,
    join_judgments,
    keep_rows,
)
from irev.read.columns import document_ids
from irev.read.layout import ChosenLayout, layout_for
from irev.read.run_tables import open_one_run
from irev.read.sources import table_in_memory
from irev.read.stream import read_all, sha256_of, take_lines
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
        notice = Notice(
            "no-passages", message, "--passages says what separates document and passage in an id"
        )
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
        notices = tuple(closer_look(table)) if closer_look is not None else ()
        return results._replace(notices=notices) if notices else results
    with open_one_run(source, layout, sign=sign) as (opened, file):
        results = map_opened(opened, step, threads)
        sha256, notices = file.sha256, file.notices
        if isinstance(opened, Text):
            notices = (*notices, *opened.line_warnings())
        if closer_look is not None:
            notices = (*notices, *closer_look(opened))
        if not (sign or notices):
            return results
        return results._replace(sha256=sha256, notices=notices)


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


# --- Documents that are left out of every run before ranks are counted ---
# BEIR and MTEB leave out the document whose id is the topic's; BRIGHT lists documents for each
# topic.


_HINT = 'a line holds a topic and a document; or the file is JSON: {"topic": ["document", ...]}'
DocumentsByTopic = Mapping[bytes, frozenset[bytes]]


class ExclusionCounts(NamedTuple):
    """What was left out of some topics of a run.

    num_rows      how many documents there were
    num_own       how many of those left out have their topic's id
    num_listed    how many of the others are listed
    num_relevant  how many of those left out are judged relevant
    emptied       the topics that lost all their documents
    """

    num_rows: int = 0
    num_own: int = 0
    num_listed: int = 0
    num_relevant: int = 0
    emptied: tuple[bytes, ...] = ()


@record
class ExcludedDocuments:
    """Which documents are left out of every run.

    own     whether those are that have their topic's id
    listed  the documents that are listed, by topic
    sha256  of the files, one after the other; None: nothing is listed
    """

    own: bool
    listed: DocumentsByTopic
    sha256: str | None = None

    def kept_rows(self, rows: Rows) -> Rows:
        """The rows of some topics that stay."""
        gone = self.left_out_rows(rows)
        return keep_rows(rows, np.delete(np.arange(len(rows.docs)), gone)) if len(gone) else rows

    def left_out_rows(self, rows: Rows) -> RowIndices:
        """int64[]: the rows of some topics that go, rising."""
        own = rows_of_own_documents(rows) if self.own else np.zeros(0, np.int64)
        pairs = [
            (index, document)
            for index, topic in enumerate(rows.topics)
            for document in self.listed.get(topic, ())
        ]
        if not pairs:
            return own
        topic_indices, documents = zip(*pairs, strict=True)
        index = index_documents(
            np.array(topic_indices, np.int64), len(rows.topics), ids_from_bytes(documents)
        )
        assert isinstance(index, DocumentIndex)  # noqa: S101 - a set holds a document once
        found_rows, _ = index.find(rows.topic_of_row, rows.docs, rows.docs.hashes())
        gone: RowIndices = np.union1d(own, found_rows)
        return gone

    def count_left_out(
        self,
        gone_rows: Rows,
        qrels: Qrels,
        level: float,
        num_rows: int,
        emptied: Iterable[bytes],
        *,
        allows_repeats: bool = False,
    ) -> ExclusionCounts:
        """What went of some topics: these rows of so many, which were all of the emptied ones.

        Raises:
            DuplicatesError: a document stands twice among them, unless that is allowed.
        """
        num_own = len(rows_of_own_documents(gone_rows)) if self.own else 0
        num_others = len(gone_rows.docs) - num_own
        if allows_repeats:
            gone_rows, _ = drop_repeated_documents(gone_rows, "first")
        judged = join_judgments(gone_rows, qrels, RankingRule())
        is_relevant = qrels.grade[judged.row] >= level
        relevant = np.stack((judged.topic[is_relevant], judged.rank[is_relevant]))
        num_relevant = np.unique(relevant, axis=1).shape[1]
        return ExclusionCounts(num_rows, num_own, num_others, num_relevant, tuple(emptied))

    def notices(self, counts_of_parts: Sequence[ExclusionCounts]) -> Iterator[Notice]:
        """What is said of a run from which documents were left out."""
        num_rows, num_own, num_listed, num_relevant = (
            sum(numbers) for numbers in list(zip(*counts_of_parts, strict=True))[:4]
        )
        total = num_own + num_listed
        which = []
        if self.own:
            which.append(f"{num_own:,} with the topic's own id")
        if self.sha256 is not None:
            num_pairs = sum(map(len, self.listed.values()))
            which.append(f"{num_listed:,} of {num_pairs:,} listed")
        message = f"left out {total:,} of {num_rows:,} documents ({', '.join(which)})"
        if num_relevant:
            be, count = ("is", "counts") if num_relevant == 1 else ("are", "count")
            message += f"; {num_relevant:,} of them {be} judged relevant and still {count} in R"
        yield Notice("excluded-documents", message)
        emptied = sorted(chain.from_iterable(each.emptied for each in counts_of_parts))
        if emptied:
            has, its = ("has", "it counts") if len(emptied) == 1 else ("have", "they count")
            yield Notice(
                "emptied-topic",
                f"{count_text(len(emptied), 'topic')} {has} no document left, so that {its} as an "
                f"empty ranking: {shortened_list(emptied, 10)}",
            )


def rows_of_own_documents(rows: Rows) -> RowIndices:
    """int64[]: the rows whose document has the id of its topic, rising."""
    topic_ids = ids_from_bytes(rows.topics)
    topic_of_row = rows.topic_of_row
    alike = np.flatnonzero(rows.docs.length == topic_ids.length[topic_of_row])
    own: RowIndices = alike[rows.docs.equal(alike, topic_ids, topic_of_row[alike])]
    return own


def map_without(
    excluded: ExcludedDocuments | None,
    map_steps: Callable[[Step[Any], int], InputResults[Any]],
    step: Step[Any],
    threads: int,
    qrels: Qrels,
    options: Options,
) -> InputResults[Any]:
    """What a step makes of a run's topics without some documents, and what is said of these.

    None: nothing is left out, and topics that retrieve the document with their own id are told.
    `map_steps` maps a step over the run.
    """
    if excluded is None:

        def count_own(rows: Rows) -> tuple[Any, int]:
            own = rows_of_own_documents(rows)
            return step(rows), len(np.unique(rows.topic_of_row[own]))

        num_excluded = 0
        results = map_steps(count_own, threads)
        num_topics = sum(count for _, count in results.results)
        notices = [own_document_warning(num_topics)] if num_topics else []
    else:
        level = options.level
        # repeated documents are found as if nothing was left out, unless they are allowed
        allows_repeats = options.duplicates != "error"

        def without(rows: Rows) -> tuple[Any, ExclusionCounts]:
            gone = excluded.left_out_rows(rows)
            if not len(gone):
                return step(rows), ExclusionCounts(len(rows.docs))
            kept_rows = keep_rows(rows, np.delete(np.arange(len(rows.docs)), gone))
            was, is_now = rows.topic_lengths, kept_rows.topic_lengths
            emptied = np.flatnonzero((was > 0) & (is_now == 0)).tolist()
            counts = excluded.count_left_out(
                keep_rows(rows, gone),
                qrels,
                level,
                len(rows.docs),
                [rows.topics[index] for index in emptied],
                allows_repeats=allows_repeats,
            )
            return step(kept_rows), counts

        results = map_steps(without, threads)
        counts_of_parts = [counts for _, counts in results.results]
        num_excluded = sum(each.num_own + each.num_listed for each in counts_of_parts)
        notices = [*excluded.notices(counts_of_parts)]
    return results._replace(
        results=[result for result, _ in results.results],
        notices=(*results.notices, *notices),
        num_excluded=num_excluded,
    )


def own_document_warning(num_topics: int) -> Notice:
    """What is said where so many topics retrieve the document with their own id."""
    retrieve = "topic retrieves" if num_topics == 1 else "topics retrieve"
    return Notice(
        "own-document-of-beir",
        f"{num_topics:,} {retrieve} the document with the topic's own id",
        "BEIR leaves it out: --exclude own",
    )


def excluded_document_notes(num_excluded_by_run: Iterable[int]) -> Iterator[Notice]:
    """One note on the documents of all runs that were left out by choice, so many of each run."""
    counts = [each for each in num_excluded_by_run if each]
    if counts:
        yield Notice(
            "excluded-documents",
            f"left out {count_text(sum(counts), 'document')} of {count_text(len(counts), 'run')} "
            "before ranks were counted: --exclude",
        )


def read_excluded(choices: Sequence[Any]) -> ExcludedDocuments | None:
    """What is left out, given the choices: `own`, paths, mappings; None: nothing."""
    if not choices:
        return None
    listed: dict[bytes, set[bytes]] = {}
    is_own = False
    digests: list[str] = []
    for each in choices:
        if isinstance(each, Mapping):
            documents = _documents_of_mapping(each)
            lines = (b"%b %b\n" % (t, d) for t in sorted(documents) for d in sorted(documents[t]))
            digests.append(sha256_of(b"".join(lines)))
        elif isinstance(each, str) and each == OWN_DOCUMENTS:
            is_own = True
            continue
        else:
            if not isinstance(each, str | os.PathLike):
                raise UsageError(
                    f"exclude: {shown_value(each)} is neither own, a path nor a mapping"
                )
            path = os.fspath(each)
            text = read_all(path)
            digests.append(sha256_of(text))
            documents = _read_documents(path, text)
        for topic, ids in documents.items():
            listed.setdefault(topic, set()).update(ids)
    digest = None
    if digests:
        several = "".join(f"{each}\n" for each in digests).encode()
        digest = digests[0] if len(digests) == 1 else sha256_of(several)
    frozen = {topic: frozenset(ids) for topic, ids in listed.items()}
    return ExcludedDocuments(is_own, frozen, digest)


def _documents_of_mapping(documents: Mapping[Any, Any]) -> dict[bytes, set[bytes]]:
    if any(
        isinstance(ids, str | bytes | Mapping) or not isinstance(ids, Iterable)
        for ids in documents.values()
    ):
        raise UsageError("documents to leave out are a mapping {topic: [document, ...]}")
    return {_id_bytes(topic): set(map(_id_bytes, ids)) for topic, ids in documents.items()}


def _id_bytes(an_id: Any) -> bytes:
    return as_bytes(an_id if isinstance(an_id, bytes) else str(an_id))


def _read_documents(path: str, text: bytes) -> dict[bytes, set[bytes]]:
    """The documents by topic: a pair on each line, or JSON."""
    if text.lstrip()[:1] == b"{":
        import json

        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            message = "this is no JSON"
            raise InputError([Problem(path, line, "unreadable-line", message, _HINT)]) from None
        for topic, ids in value.items():
            if not isinstance(ids, list) or not all(isinstance(i, str | int) for i in ids):
                message = f"the documents of topic '{topic}' are no list of ids"
                raise InputError([Problem(path, None, "unreadable-line", message, _HINT)])
        return _documents_of_mapping(value)
    documents: dict[bytes, set[bytes]] = {}

    def take(fields: list[bytes]) -> str:
        if len(fields) != 2:
            return f"{count_text(len(fields), 'field')}, expected 2"
        documents.setdefault(fields[0], set()).add(fields[1])
        return ""

    take_lines(path, text, take, "document", _HINT)
    return documents
