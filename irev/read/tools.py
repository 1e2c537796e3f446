"""Judgments as tools for search write them: Quepid, OpenSearch, RRE, learning to rank; and pairs.

In JSON a tool is known by its keys, in a file as in memory. A topic is called as its query is
written there. What tools call a rating is the grade.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from irev.core.arrays import offsets
from irev.core.ids import ids_from_bytes
from irev.core.judged import Duplicate
from irev.core.text import as_bytes, as_text, parse_c_number
from irev.errors import MOST_PROBLEMS, InputError, Problem, id_text, note
from irev.read.columns import plain_name
from irev.read.formats import JUDGMENTS, LETOR_FIELD
from irev.read.layout import Layout
from irev.read.stream import Source
from irev.read.topics import (
    TopicTable,
    batches_of_whole_topics,
    duplicate_problem,
    limit_problems_and_hints,
)

Rating = tuple[Any, Any, Any]
"""Query, document, rating."""


class _NoToolError(Exception):
    """What an object in JSON lacks, which the tool's files have."""


# --- In JSON, by its keys ---


def tool_of_object(content: Mapping[Any, Any]) -> str:
    """Which tool's judgments an object in JSON holds, by the names of -R; empty: none's."""
    if "judgmentRatings" in content or _opensearch_hits(content):
        return "opensearch"
    groups = [*_rre_groups(content)]
    if groups and all("relevant_documents" in group for group in groups):
        return "rre"
    is_quepid = any("ratings" in query for query in _mappings(content.get("queries")))
    return "quepid" if is_quepid else ""


def judgments_of_object(
    content: Mapping[Any, Any], layout: Layout, problem: Callable[[str, str], InputError]
) -> dict[str, dict[str, float]] | None:
    """The judgments in an object in JSON, query -> document -> grade; None: it is no tool's.

    What has no rating is not judged. `problem` makes the error of what is wrong, with a hint.
    """
    tool = tool_of_object(content)
    if not layout.tool and not tool:
        return None
    if layout.tool and layout.tool != tool:
        hint = f"-R {tool} reads it" if tool else ""
        raise problem(f"these are not judgments as -R {layout.tool} reads them", hint)
    judged: dict[str, dict[str, float]] = {}
    try:
        for query, document, rating in _READERS[tool](content):
            if not isinstance(query, str | int) or not isinstance(document, str | int):
                raise _NoToolError(f"no text: query {query!r:.30} or its document {document!r:.30}")
            if rating is None:
                continue
            place = f"document '{document}' of query '{query}'"
            is_text = isinstance(rating, str)
            number = parse_c_number(as_bytes(rating)) if is_text else rating
            if not isinstance(number, int | float):
                raise _NoToolError(f"the rating of {place} is not a number: {rating!r:.40}")
            first = judged.setdefault(str(query), {}).setdefault(str(document), number)
            if first != number:
                raise _NoToolError(f"{place} has two ratings, {first:g} and {number:g}")
    except _NoToolError as error:
        raise problem(str(error), "") from None
    except (KeyError, TypeError, AttributeError):
        name = JUDGMENTS[tool].layouts[0].looks
        raise problem(f"this looks like {name}, but a key is missing or misplaced", "") from None
    return judged


def _quepid_ratings(content: Mapping[str, Any]) -> Iterator[Rating]:
    """Of a case or its ratings: of each query a list of doc_id and rating, or {doc_id: rating}."""
    for query in content["queries"]:
        name, ratings = query.get("query_text", query.get("query")), query.get("ratings") or ()
        if isinstance(ratings, Mapping):
            yield from ((name, document, rating) for document, rating in ratings.items())
        else:
            yield from ((name, each["doc_id"], each["rating"]) for each in ratings)


def _opensearch_hits(content: Mapping[Any, Any]) -> list[Mapping[str, Any]]:
    """The lists of judgments in an answer of OpenSearch."""
    hits = content.get("hits")
    found = _mappings(hits.get("hits")) if isinstance(hits, Mapping) else ()
    sources = [each.get("_source") for each in found]
    return [each for each in sources if isinstance(each, Mapping) and "judgmentRatings" in each]


def _opensearch_ratings(content: Mapping[str, Any]) -> Iterator[Rating]:
    """Of a list of judgments as it is imported or answered: of each query docId and rating."""
    lists = _opensearch_hits(content) or [content]
    if len(lists) > 1:
        raise _NoToolError(
            f"this answer holds {len(lists)} lists of judgments: ask for one by its id"
        )
    queries = lists[0]["judgmentRatings"]
    if isinstance(queries, Mapping):
        queries = [{"query": query, "ratings": ratings} for query, ratings in queries.items()]
    for query in queries:
        ratings = query["ratings"]
        if isinstance(ratings, Mapping):
            ratings = [{"docId": document, "rating": each} for document, each in ratings.items()]
        yield from ((query["query"], each["docId"], each["rating"]) for each in ratings)


def _rre_groups(content: Mapping[Any, Any]) -> Iterator[Mapping[str, Any]]:
    """The groups of queries, within topics or not; a query outside of a group is one."""
    for holder in (content, *_mappings(content.get("topics"))):
        yield from _mappings(holder.get("query_groups"))
    for query in _mappings(content.get("queries")):
        if "placeholders" in query:
            yield {**query, "queries": [query]}


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    """The mappings in a list; none in what is no list."""
    items = value if isinstance(value, list) else []
    return [each for each in items if isinstance(each, Mapping)]


def _rre_ratings(content: Mapping[str, Any]) -> Iterator[Rating]:
    """Of each group the gains of documents, for each of its queries.

    Documents stand by their gains, {"3": [ids]}, or gains by documents, {id: {"gain": 3}}.
    """
    wanted = content.get("query_placeholder", "$query")
    for group in _rre_groups(content):
        documents = group["relevant_documents"]
        gains: list[tuple[Any, Any]] = []
        for key, value in documents.items() if isinstance(documents, Mapping) else ():
            if isinstance(value, list):
                gains += [(document, key) for document in value]
            else:
                gains.append((key, value["gain"] if isinstance(value, Mapping) else value))
        if isinstance(documents, list):
            gains = [(each["document_id"], each["gain"]) for each in documents]
        for query in group["queries"]:
            placeholders = query["placeholders"]
            name = placeholders.get(wanted, next(iter(placeholders.values()), None))
            yield from ((name, document, gain) for document, gain in gains)


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Iterable[Rating]]] = {
    "quepid": _quepid_ratings,
    "opensearch": _opensearch_ratings,
    "rre": _rre_ratings,
}


# --- Texts ---


class _Line(NamedTuple):
    """A judged document: its line, topic, id and grade."""

    number: int
    topic: bytes
    document: bytes
    grade: bytes


def text_table(source: Source, tool: str, layout: Layout) -> TopicTable:
    """The judgments of a text, read as a whole.

    Raises:
        InputError: lines that cannot be read; a document twice in a topic.
    """
    problems: list[Problem] = []
    lines = [*_TEXT_READERS[tool](source, problems)]
    grades = layout.parse(ids_from_bytes([line.grade for line in lines])).tolist() if lines else []
    documents: dict[bytes, list[bytes]] = {}
    grades_of_topic: dict[bytes, list[float]] = {}
    first_lines: dict[tuple[bytes, bytes], int] = {}
    for line, grade in zip(lines, grades, strict=True):
        if len(problems) >= MOST_PROBLEMS:
            break
        if math.isnan(grade):
            message = f"the grade '{id_text(line.grade)}' is not {layout.expected}"
            hint = "--grades real accepts fractions in qrels"
            hint = hint if parse_c_number(line.grade) is not None else ""
            problems.append(Problem(source.path, line.number, "bad-grade", message, hint))
            continue
        first = first_lines.setdefault((line.topic, line.document), line.number)
        if first != line.number and not layout.may_repeat:
            duplicate = Duplicate(line.topic, line.document, first, line.number)
            problems.append(duplicate_problem(source.path, duplicate))
        documents.setdefault(line.topic, []).append(line.document)
        grades_of_topic.setdefault(line.topic, []).append(grade)
    if problems:
        problems.sort(key=lambda problem: problem.line or 0)
        raise InputError(limit_problems_and_hints(problems))
    if not documents:
        raise source.problem("there are no lines of data", kind="empty-file")
    starts = offsets([len(of_topic) for of_topic in documents.values()])
    ids = ids_from_bytes([*chain.from_iterable(documents.values())])
    numbers = np.array([*chain.from_iterable(grades_of_topic.values())])
    rows = batches_of_whole_topics([*documents], starts, [ids], numbers)
    return TopicTable(source.path, rows)


_COMMENT = re.compile(rb"(?:\S*?doc_?(?:id|no)\s*[=:]\s*)?(\S+)", re.IGNORECASE)


def _letor_lines(source: Source, problems: list[Problem]) -> Iterator[_Line]:
    """Lines as `2 qid:1 1:0.3 2:0.1 # d1`, the document in the comment: d1, or `docid = d1`."""
    for number, text in enumerate(source.content().split(b"\n"), 1):
        line, _, comment = text.partition(b"#")
        fields = line.split(None, 2)
        if not fields:
            continue
        document = _COMMENT.match(comment.strip())
        fault = ""
        if len(fields) < 2 or not fields[1].startswith(LETOR_FIELD):
            fault, hint = (
                "the second field is no qid:TOPIC",
                "a line is: GRADE qid:TOPIC 1:0.5 ... # DOCUMENT",
            )
        elif document is None:
            fault = "no document is named"
            hint = "it stands in a comment at the end of the line: # d1, or # docid = d1"
        if fault or document is None:
            problems.append(Problem(source.path, number, "unreadable-line", fault, hint))
            continue
        yield _Line(number, fields[1][len(LETOR_FIELD) :], document[1], fields[0])


def _pair_lines(source: Source, problems: list[Problem]) -> Iterator[_Line]:
    """Lines of a topic and a document, each relevant."""
    for number, text in enumerate(source.content().split(b"\n"), 1):
        fields = text.split()
        if not fields or fields[0].startswith(b"#"):
            continue
        if len(fields) != 2:
            message = f"expected 2 fields, a topic and a document, found {len(fields)}"
            problems.append(Problem(source.path, number, "unreadable-line", message))
            continue
        yield _Line(number, fields[0], fields[1], b"1")
    grade = note("a topic and a document on each line: each document is relevant, with grade 1")
    source.notices = (*source.notices, grade)


def _quepid_rows(source: Source, problems: list[Problem]) -> Iterator[_Line]:
    """Rows of Quepid's CSV with query, docid and rating; what has no rating is not judged."""
    reader = csv.reader(io.StringIO(as_text(source.content()), newline=""))
    head = [plain_name(cell) for cell in next(reader, [])]
    names = [[name for name in usual if name in head] for usual in _QUEPID_COLUMNS]
    if not all(names):
        message = f"Quepid's CSV has the columns query, docid and rating, not {', '.join(head)}"
        problems.append(Problem(source.path, 1, "no-column", message))
        return
    places = [head.index(there[0]) for there in names]
    for row in reader:
        query, document, rating = (row[at].strip() if at < len(row) else "" for at in places)
        if query and document and rating:
            yield _Line(reader.line_num, *map(as_bytes, (query, document, rating)))


_QUEPID_COLUMNS = (("query", "query_text"), ("docid", "doc_id"), ("rating",))

_TEXT_READERS: Mapping[str, Callable[[Source, list[Problem]], Iterator[_Line]]] = {
    "letor": _letor_lines,
    "pairs": _pair_lines,
    "quepid": _quepid_rows,
}
