"""What a line that is not what it should be looks like instead."""

from __future__ import annotations

import math

from irev.core.numbers import real, whole
from irev.errors import InputError, Problem
from irev.read.ntcir import KIND, first_fields, level_grade

KEEP_ONE = "keep one of the two lines"
"""What is to be done with a document that stands twice."""

MSMARCO_RUN = "run of MS MARCO"
"""What is said to be wanted where -T msmarco was given."""

_ITERATIONS = (b"0", b"Q0", b"q0")
"""What nearly all qrels have in their second column."""

_FORMS: dict[int | str, str] = {
    3: "this looks like judgments without an iteration column (topic document grade); "
    "-R triples reads them",
    4: "this looks like qrels (topic iteration document grade)",
    "levels": "this looks like NTCIR's judgments (topic document level); -R ntcir reads them",
    "classes": "this looks like NTCIR's judgments with classes (topic document level class); "
    "-R ntcir reads them",
    5: "this looks like preferences or sampled judgments (five fields); "
    "-R prefs reads 'topic group subgroup document level', -R strata 'topic iteration document "
    "stratum grade', -R prels 'topic document grade method probability'",
    6: "this looks like a run (topic Q0 document rank score tag)",
}


def likeness(fields: list[bytes], kind: str) -> str:
    """A hint for a line with a wrong number of fields, given what the file should be."""
    if len(fields) == 1 and fields[0].count(b",") >= 2:
        return (
            "fields are separated by blanks or tabs; commas are read where the first line names "
            "the columns: query_id,doc_id,score"
        )
    if fields and fields[0][:1] in (b"{", b"["):
        return (
            "this looks like JSON; of JSON a mapping {topic: {document: number}} is read, and an "
            "object with the columns' names on each line"
        )
    if kind == MSMARCO_RUN:
        return _FORMS[6] + ", which -T trec_results reads" if len(fields) >= 6 else ""
    if kind == "run":
        return _likeness_for_run(fields)
    if kind == KIND and len(fields) in (3, 4) and level_grade(fields[2]) is not None:
        return "either every line of the file names a class, or none does"
    if len(fields) in (3, 4) and level_grade(fields[2]) is not None:
        return _FORMS["levels" if len(fields) == 3 else "classes"]
    if len(fields) >= 6 and real(fields[4]) is not None:
        return _FORMS[6] + "; the qrels come first: irev QRELS RUN"
    if len(fields) in (3, 5) and real(fields[-1]) is not None:
        return _FORMS[len(fields)]
    if len(fields) == 4 and whole(fields[3]) is not None:
        return _FORMS[4] + "; -R qrels reads it"
    return ""


def _likeness_for_run(fields: list[bytes]) -> str:
    if len(fields) == 4 and whole(fields[3]) is not None:
        return _FORMS[4] + "; the qrels come first: irev QRELS RUN"
    if len(fields) == 3 and level_grade(fields[2]) is not None:
        return _FORMS["levels"] + "; the judgments come first: irev QRELS RUN"
    if len(fields) == 3 and whole(fields[2]) is not None:
        return "this looks like a run of MS MARCO (topic document rank); -T msmarco reads it"
    if len(fields) == 4 and fields[1] not in _ITERATIONS and whole(fields[2]) is not None:
        return "this looks like a run of MS MARCO (topic document rank score); -T msmarco reads it"
    if len(fields) == 5 and real(fields[4]) is not None:
        return "the run tag, the last field, is missing"
    return ""


def number_hint(text: bytes, kind: str) -> str:
    """A hint for a text that is not the number it should be, given what the file should be."""
    if kind == KIND:
        return (
            "a level is L0, L1, L2 ...; without -R ntcir qrels are read, whose grades are 0, 1 ..."
        )
    if b"," in text and real(text.replace(b",", b".")) is not None:
        return "a number is written with a decimal point; --decimal comma accepts commas"
    if level_grade(text) is not None:
        return "this looks like a level of NTCIR's judgments, which -R ntcir reads"
    if text.lower().lstrip(b"+-").startswith(b"nan"):
        return "drop the line, or give it a number"
    number = real(text)
    if number is not None and math.isfinite(number):
        return "--grades real accepts fractions in qrels"
    return ""


def with_subtopics_in_mind(error: InputError, head: bytes) -> InputError:
    """A better hint where documents stand twice in qrels whose second column is no iteration.

    Args:
        error: what is wrong with a file that was read as plain qrels.
        head: how the file begins.
    """
    fields = first_fields(head)
    if len(fields) < 2 or fields[1] in _ITERATIONS:
        return error
    hint = f"-R subtopics, if the second column names subtopics; else {KEEP_ONE}"
    return InputError([_with_hint(problem, hint) for problem in error.problems])


def _with_hint(problem: Problem, hint: str) -> Problem:
    return problem._replace(hint=problem.hint.replace(KEEP_ONE, hint))
