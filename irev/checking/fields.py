"""What runs and qrels have in common line by line: how many fields there are, ids, duplicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.checking.judged import alike
from irev.checking.kinds import separator_hint
from irev.checking.lines import Batch
from irev.checking.report import counted
from irev.core.wording import listed
from irev.errors import shown
from irev.read.sniff import KEEP_ONE, likeness

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from irev.checking.report import Findings
    from irev.read.layout import Layout


def whole_lines(batch: Batch, layout: Layout, findings: Findings) -> Batch:
    """The lines that have all fields; what is too much is cut off, and both are told."""
    wanted, is_run = len(layout.fields), layout.number != "grade"
    if set(map(len, batch.rows)) <= {wanted}:
        return batch
    numbers, rows = [], []
    for number, fields in zip(batch.numbers, batch.rows, strict=True):
        if len(fields) < wanted:
            hint = separator_hint(fields) or likeness(fields, layout)
            _tell_count("field-count", number, fields, layout, hint, findings)
            continue
        if len(fields) > wanted:
            # of a run the rest is ignored; of qrels it makes the line unreadable
            code = "extra-fields" if is_run else "field-count"
            hint = "ids hold no blanks" if is_run else likeness(fields, layout)
            _tell_count(code, number, fields, layout, hint, findings)
            if not is_run:
                continue
        numbers.append(number)
        rows.append(fields[:wanted])
    return Batch(numbers, rows)


def _tell_count(
    code: str, line: int, fields: list[bytes], layout: Layout, hint: str, findings: Findings
) -> None:
    wanted = f"{len(layout.fields)} fields ({' '.join(layout.fields)})"
    message = f"expected {wanted}, found {len(fields)}: '{shown(b' '.join(fields))}'"
    findings.add(code, message, line=line, hint=hint)


def check_form(docs: Sequence[bytes], numbers: Sequence[int], findings: Findings) -> None:
    """Tell of every document id that is not of the form that was asked for."""
    pattern = findings.rules.docno
    if pattern is None:
        return
    for document, line in zip(docs, numbers, strict=True):
        if not pattern.fullmatch(document):
            what = f"document '{shown(document)}' is not of the form {shown(pattern.pattern)}"
            findings.add("docno-form", what, line=line, document=document)


def check_scattered(scattered: dict[bytes, int], findings: Findings) -> None:
    """Tell of the topics whose lines do not stand together."""
    for topic, line in scattered.items():
        what = f"topic '{shown(topic)}' comes again: its lines do not stand together"
        findings.add(
            "scattered-topic", what, line=line, topic=topic, hint="some programs need sorted lines"
        )


def check_similar(
    topics: Iterable[bytes], findings: Findings, known: Container[bytes] = ()
) -> None:
    """Tell of topics that differ by leading zeros or case alone, unless all are known."""
    for same in alike(topics).values():
        if len(same) > 1 and not all(topic in known for topic in same):
            names = [f"'{shown(topic)}'" for topic in same]
            what = f"topics {listed(names)} differ by leading zeros or case alone"
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
    what = f"document '{shown(document)}' of topic '{shown(topic)}' is there twice: "
    what += f"lines {lines[0]} and {lines[1]}"
    findings.add(
        "duplicate-document", what, line=lines[1], topic=topic, document=document, hint=hint
    )


def check_missing(
    code: str, missing: Iterable[bytes], present: Iterable[bytes], where: str, findings: Findings
) -> None:
    """Tell of topics that one file has and another lacks; one spelled otherwise is named."""
    others = alike(present)
    for name in sorted(missing):
        near = next((o for plain in alike([name]) for o in others.get(plain, ())), None)
        hint = "" if near is None else f"there is '{shown(near)}': zeros and case make a difference"
        findings.add(code, f"topic '{shown(name)}' is {where}", topic=name, hint=hint)


def first_of(lines: dict[bytes, int], what: str) -> str:
    """How many texts there are, and the lines in which they first stand."""
    words = [f"'{shown(text)}' (line {line})" for text, line in lines.items()]
    return f"{counted(len(words), what)}, {listed(words)}"
