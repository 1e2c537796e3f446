"""What a line that is not what it should be looks like instead."""

from __future__ import annotations

import math

from irev.core.text import as_text, parse_c_number, pattern
from irev.errors import InputError
from irev.read.columns import level_grade, names_topics_and_documents
from irev.read.formats import DEFAULTS, JUDGMENTS, LETOR_FIELD, NTCIR, RUNS
from irev.read.layout import ITERATIONS, Fields, Format, Layout, first_fields, sample_first_lines

KEEP_ONE = "keep one of the two lines"
"""What is to be done with a document that stands twice."""

LOOKS_LIKE = "this looks like "
"""How a hint begins that a file is of another format."""


def likeness(fields: Fields, expected_layout: Layout) -> str:
    """A hint for a line with a wrong number of fields."""
    return (
        foreign_text_hint(fields)
        or _format_hint(fields, expected_layout)
        or _separator_hint(fields)
    )


def foreign_text_hint(fields: Fields) -> str:
    """A hint for a line that is of no text with fields: of JSON, or left by git."""
    if fields[0] == b"[" or fields[0].startswith((b"[{", b"[[")):
        return (
            "this looks like a JSON list; of JSON lists one of objects is read, whose keys are the "
            "names of columns, and one of rows [topic, document, score]"
        )
    if fields[0].lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        return "this looks like a page of the web or XML: did a download fail?"
    if fields[0][:7] in (b"<<<<<<<", b"=======", b">>>>>>>"):
        return "this is a conflict that git merge left in the file"
    if fields[0] == b"version" and fields[1:2] and b"git-lfs" in fields[1]:
        return "Git LFS keeps the file elsewhere: git lfs pull brings it"
    if fields[0][:1] in (b"{", b"["):
        return (
            "this looks like JSON; of JSON a mapping {topic: {document: number}} is read, and "
            "objects with the columns' names, one on each line or in a list"
        )
    return ""


def _separator_hint(fields: Fields) -> str:
    """A hint for a line whose fields are separated by something else than blanks."""
    line = b" ".join(fields)
    if fields[0].lower().startswith(b"sep="):
        return "this is how Excel writes which mark separates cells: take the line out"
    if len(line.split("\N{NO-BREAK SPACE}".encode())) > len(fields) + 1:
        return "fields are separated by blanks or tabs, not by no-break spaces (U+00A0)"
    if names_topics_and_documents([*map(as_text, fields)]):
        return "this line names columns: separate all fields by tabs or commas, or delete this line"
    marks = [mark for mark in (b",", b";", b"|", b"<:>", b"::") if line.count(mark) >= 2]
    if len(fields) > 3 or not marks:
        return ""
    mark = max(marks, key=lambda mark: (len(mark), line.count(mark)))
    wrong = "" if mark == b"," else f", not by '{mark.decode()}'"
    read = {b",": "commas", b";": "semicolons", b"|": "bars"}.get(mark, "commas")
    names = ("|" if mark == b"|" else ";" if mark == b";" else ",").join(_USUAL_NAMES)
    return (
        f"fields are separated by blanks or tabs{wrong}; {read} are read where the first line "
        f"names the columns: {names}"
    )


_USUAL_NAMES = ("query_id", "doc_id", "score")


def _format_hint(fields: Fields, expected_layout: Layout) -> str:
    """A hint for a line that is one of another format, or nearly one of this."""
    own, other = JUDGMENTS, RUNS
    if _format_of_layout(expected_layout, RUNS):
        own, other = RUNS, JUDGMENTS
    record = _format_of_layout(expected_layout, own)
    if record is not None and (hint := record.crooked_hint(fields)):
        return hint
    for formats, advice in ((own, ""), (other, "the qrels come first: irev QRELS RUN")):
        fitting = [
            each
            for each in reversed(formats.values())
            if each is not record and each.line is not None and each.line(fields)
        ]
        if not fitting:
            continue
        # several formats may be told by the same
        alike = [each for each in fitting if each.line is fitting[0].line]
        widths = {len(layout.fields) for each in alike for layout in each.layouts}
        if len(fields) in widths:
            alike = [each for each in alike if len(each.layout(len(fields)).fields) == len(fields)]
        looks = [each.layout(len(fields)).looks for each in alike[::-1]]
        if len(alike) > 1:
            nouns = [each.partition(" (")[0] for each in looks]
            readers = [
                f"{each.option} {each.name} {'' if index else 'reads '}"
                f"'{' '.join(each.layouts[0].fields)}'"
                for index, each in enumerate(alike[::-1])
            ]
            hint = f"{LOOKS_LIKE}{', '.join(nouns[:-1])} or {nouns[-1]}; {', '.join(readers)}"
            if own is JUDGMENTS and len(fields) > len(expected_layout.fields) > 3:
                hint += "; or is there a blank in an id? ids cannot contain blanks"
        else:
            is_default = advice and alike[0].name in DEFAULTS
            hint = f"{LOOKS_LIKE}{looks[0]}" + ("" if is_default else f"; {alike[0].reading}")
        return f"{hint}; {advice}" if advice else hint
    return ""


def _format_of_layout(layout: Layout, formats: dict[str, Format]) -> Format | None:
    """The format that a layout belongs to, whatever options changed in it."""
    kinds = {each.layouts[0].kind: each for each in reversed(formats.values())}
    return kinds.get(layout.kind)


_NAMES_OF_NUMBERS = frozenset(
    b"score rank grade rel relevance relevancy sim similarity label rating judgment".split()
)
LINE_OF_NAMES = "a line with the names of the columns: take it out, or begin it with #"
"""The hint of a line that is no data, which says nothing else then."""


def number_hint(text: bytes, expected_layout: Layout) -> str:
    """A hint for a text that is not the number it should be."""
    if expected_layout.kind == NTCIR:
        return (
            "a level is L0, L1, L2 ...; without -R ntcir qrels are read, whose grades are 0, 1 ..."
        )
    with_point = parse_c_number(text.replace(b",", b".")) if b"," in text else None
    if with_point is not None:
        is_fraction = expected_layout.number == "grade" and with_point % 1
        real = " --grades real" if is_fraction else ""
        return f"write numbers with a decimal point, or give --decimal comma{real}"
    if expected_layout.number == "score" and pattern(rb"[0-9]+:[0-9.eE+-]+").fullmatch(text):
        return "lists for learning to rank (2 qid:1 1:0.5 # d1) are judgments: irev QRELS RUN"
    # in these forms programs or people write it, but no file should
    if text.lower() in _NAMES_OF_NUMBERS:
        return LINE_OF_NAMES
    if pattern(rb"(?:tensor|np\.float[0-9]+|array)\(").match(text):
        return "this is how Python shows a number: write float(score)"
    if text.lower() in (b"true", b"false"):
        return "write 1 and 0"
    if text.startswith(("\N{MINUS SIGN}".encode(), "\N{EN DASH}".encode())):
        return f"write - in place of the minus sign {text.decode(errors='replace')[0]}"
    plain = text.removesuffix(b"%").replace(b",", b"")
    if plain != text and parse_c_number(plain) is not None:
        return "write the number without % and without commas"
    if level_grade(text) is not None:
        return "this looks like a level of NTCIR's judgments, which -R ntcir reads"
    if text.lower().lstrip(b"+-").startswith(b"nan"):
        return "drop the line, or give it a number"
    number = parse_c_number(text)
    if number is None or not math.isfinite(number):
        return ""
    if expected_layout.number == "rank":
        return "-T scores reads 'topic document score'"
    return "--grades real accepts fractions in qrels"


def duplicate_hint(layout: Layout, document: bytes) -> str:
    """What is to be done with a document that stands twice in a file: of a run one may count."""
    if layout.number != "grade" and document == b"Q0":
        return f"Q0 stands where the document should: the order is {' '.join(layout.fields)}"
    return f"{one_counts_hint(layout, 'line')}; or {KEEP_ONE}"


def one_counts_hint(layout: Layout, noun: str) -> str:
    """Which option lets one of several lines of a document count, or whatever each is called."""
    if layout.number == "grade":
        return "--duplicates-qrels max counts the higher grade only"
    return f"--duplicates first counts the first {noun} only"


def literal_escapes_hint(fields: Fields) -> str:
    r"""What is to be done with a line in which the two characters \n or \t stand between fields."""
    if not any(escape in field for field in fields for escape in (b"\\n", b"\\t")):
        return ""
    return (
        "the two characters \\n or \\t stand where a line or a field should end: "
        r"""awk '{gsub(/\\n/, "\n"); gsub(/\\t/, "\t"); print}' FILE mends that"""
    )


def has_one_iteration(head: bytes) -> bool:
    """Whether the second field of qrels that begin so tells no two lines apart."""
    sample = sample_first_lines(head)
    if sample is None or sample.width < 2:
        return True
    return sample.column(1) <= {*ITERATIONS} or len(sample.column(1)) == 1


def hint_at_subtopics(error: InputError, head: bytes) -> InputError:
    """A better hint where documents occur twice in qrels whose second column is no iteration.

    Args:
        error: what is wrong with a file that was read as plain qrels.
        head: how the file begins.
    """
    sample = sample_first_lines(head)
    if sample is None or sample.width < 2 or sample.column(1) <= {*ITERATIONS}:
        return error
    hint = f"-R subtopics, if the second column names subtopics; else {KEEP_ONE}"
    return InputError([p._replace(hint=p.hint.replace(KEEP_ONE, hint)) for p in error.problems])


def text_tool(head: bytes) -> str:
    """Which text of a tool a file of judgments holds that begins so, by its format; empty: none."""
    first = first_fields(head)
    is_letor = len(first) > 1 and first[1].startswith(LETOR_FIELD)
    if (len(first) != 2 and not is_letor) or foreign_text_hint(first):
        return ""
    if is_letor:
        return "letor"
    sample = sample_first_lines(head)
    if sample is None or sample.width != len(first):
        return ""
    # grades or levels of documents of a topic that is not named
    are_grades = all(
        level_grade(t) is not None or (len(t) == 1 and t.isdigit()) for t in sample.column(1)
    )
    return "" if are_grades else "pairs"
