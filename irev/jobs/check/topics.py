"""What runs and qrels have in common: their topics, ids, and documents that occur twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.model import Duplicate
from irev.core.wording import count_text, shortened_list
from irev.engine.other_ids import group_by_form
from irev.errors import id_text
from irev.read.sniff import KEEP_ONE
from irev.read.topics import duplicate_problem

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from irev.core.arrays import Floats, Ints
    from irev.core.ids import Ids
    from irev.core.model import Rows
    from irev.jobs.check.report import Findings


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


def topics_of(rows: Rows, values: tuple[Floats, ...], groups: Ids | None = None) -> Iterator[Topic]:
    """The topics of some rows; a document of several groups is one for each."""
    docs = rows.docs.to_list()
    if groups is not None:
        docs = [b" ".join(pair) for pair in zip(groups.to_list(), docs, strict=True)]
    lines = lines_of(rows).tolist()
    for name, first, after in zip(rows.topics, rows.start, rows.start[1:], strict=False):
        part = slice(int(first), int(after))
        yield Topic(name, docs[part], lines[part], tuple(column[part] for column in values))


def lines_of(rows: Rows) -> Ints:
    """int64[N]: the line of each row."""
    return np.arange(1, len(rows.value) + 1) if rows.line is None else rows.line


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


class LinesOfTopics:
    """Which topics' lines do not stand together."""

    def __init__(self) -> None:
        self._lines: dict[bytes, Ints] = {}

    def see(self, topic: Topic) -> None:
        """Take a topic, once."""
        self._lines[topic.name] = np.array(topic.lines)

    def tell(self, findings: Findings) -> None:
        """Tell of each such topic where it first comes again."""
        all_lines = np.sort(np.concatenate([*self._lines.values(), np.zeros(0, np.int64)]))
        for topic, lines in self._lines.items():
            gaps = np.flatnonzero(np.diff(np.searchsorted(all_lines, lines)) > 1)
            if len(gaps):
                findings.add(
                    "scattered-topic",
                    f"topic '{id_text(topic)}': its lines are not contiguous",
                    line=int(lines[gaps[0] + 1]),
                    topic=topic,
                    hint="some programs need sorted lines",
                )


def check_id_form(rows: Rows, findings: Findings) -> None:
    """Tell of every document id that is not of the form that was asked for."""
    pattern = findings.rules.docno_pattern
    if pattern is None:
        return
    for row, document in enumerate(rows.docs.to_list()):
        if not pattern.fullmatch(document):
            message = (
                f"document '{id_text(document)}' is not of the form {id_text(pattern.pattern)}"
            )
            tell_row("docno-form", message, rows, row, findings)


def check_similar_topics(
    topic_ids: Iterable[bytes], findings: Findings, expected_ids: Container[bytes] = ()
) -> None:
    """Tell of topics that differ by leading zeros or case alone, unless all are known."""
    for alike in group_by_form(topic_ids).values():
        if len(alike) > 1 and not all(topic in expected_ids for topic in alike):
            names = [f"'{id_text(topic)}'" for topic in alike]
            message = f"topics {shortened_list(names)} differ by leading zeros or case alone"
            findings.add(
                "similar-topics", message, topic=alike[0], hint="they are different topics"
            )


def check_duplicates(
    topic_id: bytes, doc_ids: Sequence[bytes], lines: Sequence[int], findings: Findings
) -> None:
    """Tell of every document of a topic that stood in it before."""
    if len(set(doc_ids)) == len(doc_ids):
        return
    first_lines: dict[bytes, int] = {}
    for document, line in zip(doc_ids, lines, strict=True):
        first_line = first_lines.setdefault(document, line)
        if first_line != line:
            tell_duplicate(topic_id, document, (first_line, line), KEEP_ONE, findings)


def tell_duplicate(
    topic_id: bytes, doc_id: bytes, lines: tuple[int, int], hint: str, findings: Findings
) -> None:
    """Tell of a document that stands in two lines of a topic."""
    problem = duplicate_problem("", Duplicate(topic_id, doc_id, *lines))
    findings.add(
        "duplicate-document", problem.message, line=problem.line, topic=topic_id, document=doc_id,
        hint=hint,
    )  # fmt: skip


def check_missing(
    code: str,
    missing_ids: Iterable[bytes],
    present_ids: Iterable[bytes],
    predicate: str,
    findings: Findings,
    hint: str = "",
) -> None:
    """Tell of topics that one file has and another lacks; one spelled otherwise is named."""
    similar_ids, without_similar = group_by_form(present_ids), []
    for name in sorted(missing_ids):
        similar = next(
            (each for plain in group_by_form([name]) for each in similar_ids.get(plain, ())), None
        )
        if similar is None:
            without_similar.append(name)
        else:
            near_hint = f"there is '{id_text(similar)}': zeros and case make a difference"
            tell_topics(code, [name], predicate, findings, hint=near_hint)
    tell_topics(code, without_similar, predicate, findings, hint=hint)


def tell_topics(
    code: str,
    topic_ids: Sequence[bytes],
    predicate: str,
    findings: Findings,
    *,
    line: int | None = None,
    hint: str = "",
) -> None:
    """Tell the same of several topics in one finding."""
    if not topic_ids:
        return
    topic_texts = [f"'{id_text(name)}'" for name in topic_ids]
    if len(topic_texts) == 1:
        findings.add(
            code, f"topic {topic_texts[0]} is {predicate}", line=line, topic=topic_ids[0], hint=hint
        )
    else:
        count = count_text(len(topic_texts), "topic")
        message = f"{count} are {predicate}: {shortened_list(topic_texts)}"
        findings.add(code, message, line=line, hint=hint)


def first_lines_text(line_of_text: dict[bytes, int], noun: str) -> str:
    """How many texts there are, and the lines in which they first stand."""
    text_places = [f"'{id_text(text)}' (line {line})" for text, line in line_of_text.items()]
    return f"{count_text(len(text_places), noun)}, {shortened_list(text_places)}"
