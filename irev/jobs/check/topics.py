"""What the checks of runs and qrels have in common: topics, ids, and where they stand in a file."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    RowValues,
    TopicCounts,
    TopicIndices,
    largest_or_zero,
    offsets,
    ranges,
)
from irev.core.ids import Ids, index_documents
from irev.core.judged import Duplicate, Rows
from irev.core.text import count_text, shortened_list
from irev.engine.run_facts import group_by_form, normalised_topics
from irev.errors import id_text
from irev.jobs.check.findings import Findings
from irev.read.topics import duplicate_problem


class Topic(NamedTuple):
    """The N lines of a topic, in the order of the file.

    name     the topic
    docs     N document ids
    lines    N line numbers, from 1, rising
    values   float64[N] for each column of numbers; NaN where the text was none
    """

    name: bytes
    docs: list[bytes]
    lines: list[int]
    values: tuple[Floats, ...]


def topics_of(
    rows: Rows,
    topic_indices: TopicIndices,
    row_values: tuple[RowValues, ...],
    doc_prefix_of_row: Ids | None = None,
) -> Iterator[Topic]:
    """Some topics of some rows; a document with two prefixes, such as groups, is two."""
    start, stop = rows.start[topic_indices], rows.start[topic_indices + 1]
    row_indices = ranges(start, stop)
    docs = rows.docs.take(row_indices).to_list()
    if doc_prefix_of_row is not None:
        prefixes = doc_prefix_of_row.take(row_indices).to_list()
        docs = [b" ".join(pair) for pair in zip(prefixes, docs, strict=True)]
    lines = lines_of(rows)[row_indices].tolist()
    ends = offsets(stop - start).tolist()
    for index, first, after, row in zip(
        topic_indices.tolist(), ends, ends[1:], start.tolist(), strict=False
    ):
        columns = tuple(column[row : row + after - first] for column in row_values)
        yield Topic(rows.topics[index], docs[first:after], lines[first:after], columns)


def lines_of(rows: Rows) -> Ints:
    """int64[N]: the line of each row."""
    return np.arange(1, len(rows.value) + 1) if rows.line is None else rows.line


class LinesOfTopics:
    """The topics of a file, in order, and the lines in which they stand."""

    def __init__(self) -> None:
        self.ids: list[bytes] = []
        self._sizes: list[Ints] = [np.zeros(0, np.int64)]
        self._lines: list[Ints] = [np.zeros(0, np.int64)]

    def add(self, rows: Rows) -> None:
        """Take some whole topics."""
        self.ids += rows.topics
        self._sizes.append(rows.topic_lengths)
        self._lines.append(lines_of(rows))

    @property
    def sizes(self) -> TopicCounts:
        """How many rows each topic has."""
        return np.concatenate(self._sizes)

    @property
    def first_lines(self) -> TopicCounts:
        """The line of the first row of each topic."""
        return np.concatenate(self._lines)[offsets(self.sizes)[:-1]]

    def tell_scattered(self, findings: Findings) -> None:
        """Tell how many topics' lines do not stand together; where the first comes again."""
        lines = np.concatenate(self._lines)
        if (lines[1:] > lines[:-1]).all():
            return
        topic_of_row = np.arange(len(self.ids)).repeat(self.sizes)
        place = np.sort(lines).searchsorted(lines)
        is_gap = (np.diff(place) > 1) & (np.diff(topic_of_row) == 0)
        gap_topics, first_gaps = np.unique(topic_of_row[1:][is_gap], return_index=True)
        if not len(gap_topics):
            return
        again_lines = lines[1:][is_gap][first_gaps]
        first = int(again_lines.argmin())
        topic = self.ids[int(gap_topics[first])]
        of_topics = f"of {len(gap_topics):,} of {count_text(len(self.ids), 'topic')}"
        findings.add(
            "scattered-topic",
            f"the lines {of_topics} are not contiguous, such as those of '{id_text(topic)}'",
            line=int(again_lines[first]),
            topic=topic,
            hint="irev reads them; some programs need the lines of a topic together",
        )


def tell_row(
    code: str, message: str, rows: Rows, row: int, findings: Findings, hint: str = ""
) -> None:
    """Tell what is wrong with a row."""
    topic_id = rows.topics[int(rows.topic_of_row[row])]
    findings.add(
        code, message, line=rows.line_of(row), topic=topic_id, document=rows.docs[row], hint=hint
    )


def note_first_lines(
    texts: Ids, rows: Rows, line_of_text: dict[bytes, int], max_texts: int
) -> None:
    """Keep in which line each text of a column stands first, of so many texts."""
    code, distinct = texts.codes()
    first = np.full(len(distinct), np.iinfo(np.int64).max)
    np.minimum.at(first, code, lines_of(rows))
    for text, line in zip(distinct, first.tolist(), strict=True):
        if text in line_of_text or len(line_of_text) < max_texts:
            line_of_text[text] = min(line, line_of_text.get(text, line))


def sort_by_line(line_of_text: dict[bytes, int]) -> dict[bytes, int]:
    """Texts in the order of the lines in which they stand."""
    return dict(sorted(line_of_text.items(), key=lambda item: item[1]))


def first_lines_text(line_of_text: dict[bytes, int], noun: str) -> str:
    """How many texts there are, and the lines in which they first stand."""
    text_places = [f"'{id_text(text)}' (line {line})" for text, line in line_of_text.items()]
    return f"{count_text(len(text_places), noun)}, {shortened_list(text_places)}"


def check_docno_pattern(rows: Rows, findings: Findings) -> None:
    """Tell of every document id that is not of the form that was asked for."""
    pattern = findings.rules.docno_pattern
    if pattern is None:
        return
    for row, document in enumerate(rows.docs.to_list()):
        if not pattern.fullmatch(document):
            message = f"document '{id_text(document)}' does not match {id_text(pattern.pattern)}"
            tell_row("docno-form", message, rows, row, findings)


def check_similar_topics(
    topic_ids: Sequence[bytes], findings: Findings, accepted_ids: Container[bytes] = ()
) -> None:
    """Tell of topics that differ only in leading zeros or case, unless all are accepted."""
    forms = normalised_topics(topic_ids)
    if len(set(forms)) == len(forms):
        return
    for alike in group_by_form(topic_ids).values():
        if len(alike) > 1 and not all(topic in accepted_ids for topic in alike):
            names = [f"'{id_text(topic)}'" for topic in alike]
            message = f"topics {shortened_list(names)} differ only in leading zeros or case"
            findings.add(
                "similar-topics", message, topic=alike[0], hint="they are different topics"
            )


def topics_with_repeats(rows: Rows, docs: Ids, group_of_row: Ints | None = None) -> TopicIndices:
    """The indices of topics in which a document stands twice, or twice in one of their groups."""
    segment, num_segments = rows.topic_of_row, len(rows.topics)
    if group_of_row is not None:
        keys = segment * (largest_or_zero(group_of_row) + 1) + group_of_row
        distinct, segment = np.unique(keys, return_inverse=True)
        num_segments = len(distinct)
    pairs = index_documents(segment, num_segments, docs)
    repeated_rows = pairs[0] if isinstance(pairs, tuple) else np.zeros(0, np.int64)
    return np.unique(rows.topic_of_row[repeated_rows])


def tell_duplicate(
    topic_id: bytes, doc_id: bytes, lines: tuple[int, int], hint: str, findings: Findings
) -> None:
    """Tell of a document that stands in two lines of a topic."""
    problem = duplicate_problem("", Duplicate(topic_id, doc_id, *lines))
    findings.add(
        "duplicate-document",
        problem.message,
        line=problem.line,
        topic=topic_id,
        document=doc_id,
        hint=hint,
    )
