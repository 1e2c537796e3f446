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
    code: str, what: str, rows: Rows, row: int, findings: Findings, hint: str = ""
) -> None:
    """Tell what is wrong with a row."""
    topic = rows.topics[int(rows.topic_of_row[row])]
    findings.add(
        code, what, line=rows.line_of(row), topic=topic, document=rows.docs[row], hint=hint
    )


def note_first(texts: Ids, rows: Rows, known: dict[bytes, int], most: int) -> None:
    """Keep in which line each text of a column stands first, of so many texts."""
    code, distinct = texts.codes()
    first = np.full(len(distinct), np.iinfo(np.int64).max)
    np.minimum.at(first, code, lines_of(rows))
    for text, line in zip(distinct, first.tolist(), strict=True):
        if text in known or len(known) < most:
            known[text] = min(line, known.get(text, line))


def in_order(lines: dict[bytes, int]) -> dict[bytes, int]:
    """Texts in the order of the lines in which they stand."""
    return dict(sorted(lines.items(), key=lambda item: item[1]))


class Together:
    """Which topics' lines do not stand together."""

    def __init__(self) -> None:
        self._lines: dict[bytes, Ints] = {}

    def see(self, topic: Topic) -> None:
        """Take a topic, once."""
        self._lines[topic.name] = np.array(topic.lines)

    def tell(self, findings: Findings) -> None:
        """Tell of each such topic where it first comes again."""
        every = np.sort(np.concatenate([*self._lines.values(), np.zeros(0, np.int64)]))
        for topic, lines in self._lines.items():
            gaps = np.flatnonzero(np.diff(np.searchsorted(every, lines)) > 1)
            if len(gaps):
                findings.add(
                    "scattered-topic",
                    f"topic '{id_text(topic)}': its lines are not contiguous",
                    line=int(lines[gaps[0] + 1]),
                    topic=topic,
                    hint="some programs need sorted lines",
                )


def check_form(rows: Rows, findings: Findings) -> None:
    """Tell of every document id that is not of the form that was asked for."""
    pattern = findings.rules.docno_pattern
    if pattern is None:
        return
    for row, document in enumerate(rows.docs.to_list()):
        if not pattern.fullmatch(document):
            what = f"document '{id_text(document)}' is not of the form {id_text(pattern.pattern)}"
            tell_row("docno-form", what, rows, row, findings)


def check_similar(
    topics: Iterable[bytes], findings: Findings, known: Container[bytes] = ()
) -> None:
    """Tell of topics that differ by leading zeros or case alone, unless all are known."""
    for same in group_by_form(topics).values():
        if len(same) > 1 and not all(topic in known for topic in same):
            names = [f"'{id_text(topic)}'" for topic in same]
            what = f"topics {shortened_list(names)} differ by leading zeros or case alone"
            findings.add("similar-topics", what, topic=same[0], hint="they are different topics")


def check_duplicates(
    name: bytes, docs: Sequence[bytes], lines: Sequence[int], findings: Findings
) -> None:
    """Tell of every document of a topic that stood in it before."""
    if len(set(docs)) == len(docs):
        return
    first: dict[bytes, int] = {}
    for document, line in zip(docs, lines, strict=True):
        before = first.setdefault(document, line)
        if before != line:
            tell_twice(name, document, (before, line), KEEP_ONE, findings)


def tell_twice(
    topic: bytes, document: bytes, lines: tuple[int, int], hint: str, findings: Findings
) -> None:
    """Tell of a document that stands in two lines of a topic."""
    found = duplicate_problem("", Duplicate(topic, document, *lines))
    findings.add(
        "duplicate-document", found.message, line=found.line, topic=topic, document=document,
        hint=hint,
    )  # fmt: skip


def check_missing(
    code: str,
    missing: Iterable[bytes],
    present: Iterable[bytes],
    where: str,
    findings: Findings,
    hint: str = "",
) -> None:
    """Tell of topics that one file has and another lacks; one spelled otherwise is named."""
    others, rest = group_by_form(present), []
    for name in sorted(missing):
        near = next((o for plain in group_by_form([name]) for o in others.get(plain, ())), None)
        if near is None:
            rest.append(name)
        else:
            differs = f"there is '{id_text(near)}': zeros and case make a difference"
            tell_topics(code, [name], where, findings, hint=differs)
    tell_topics(code, rest, where, findings, hint=hint)


def tell_topics(
    code: str,
    topics: Sequence[bytes],
    where: str,
    findings: Findings,
    *,
    line: int | None = None,
    hint: str = "",
) -> None:
    """Tell the same of several topics in one finding."""
    if not topics:
        return
    names = [f"'{id_text(name)}'" for name in topics]
    if len(names) == 1:
        findings.add(code, f"topic {names[0]} is {where}", line=line, topic=topics[0], hint=hint)
    else:
        what = f"{count_text(len(names), 'topic')} are {where}: {shortened_list(names)}"
        findings.add(code, what, line=line, hint=hint)


def first_of(lines: dict[bytes, int], what: str) -> str:
    """How many texts there are, and the lines in which they first stand."""
    words = [f"'{id_text(text)}' (line {line})" for text, line in lines.items()]
    return f"{count_text(len(words), what)}, {shortened_list(words)}"
