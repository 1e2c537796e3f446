"""Answers of runs, and what was judged of them: lines of JSON, each about one answer.

Judgments of answers hold the run: a line names topic and run, and what was judged. Which keys these
have differs between tracks and years. Answers are read as TREC RAG's runs are: what they say is not
looked at.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

from irev.core.record import record
from irev.core.text import checked_id_bytes
from irev.core.wording import shortened_list
from irev.errors import MOST_PROBLEMS, InputError, Problem, id_text
from irev.read.stream import Source

TOPIC_KEYS = ("qid", "topic_id", "narrative_id", "query_id")
RUN_KEYS = ("run_id", "runtag", "run")
SCORE_KEYS = ("strict_vital_score", "strict_all_score", "vital_score", "all_score")
"""The scores of an answer in nuggetizer's files, which are no judgments."""
ALL_TOPICS = "all"
"""The topic of the line of means there."""

AnswerSource: TypeAlias = str | Source | Iterable[Mapping[str, Any]]
"""The path of a file, an opened file, or the objects of its lines."""
LineBytesOrObject: TypeAlias = Any
"""The bytes of a line, or the object that it holds."""
AnswerFields: TypeAlias = Mapping[str, Any]
"""The fields of a line, with those of its `metadata`."""
AnswerLabels = TypeVar("AnswerLabels")


@record
class AnsweredTopics:
    """The answers of a run.

    run_id  what the run calls itself; empty: it does not say
    topics  the topics that are answered, in the order of the file
    sha256  of the file's decompressed bytes
    """

    run_id: str
    topics: tuple[bytes, ...]
    sha256: str | None


class JudgedLines(NamedTuple):
    """The lines of a file of judgments.

    labels_by_run  run -> topic -> what a line says of the answer
    path           the file
    sha256         of its decompressed bytes
    """

    labels_by_run: dict[str, dict[bytes, Any]]
    path: str
    sha256: str | None


class BadLineError(Exception):
    """What is wrong with a line, and what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def read_judged_lines(
    source: AnswerSource,
    default_run_name: str,
    parse_fields_topic_and_line_number: Callable[[AnswerFields, bytes, int], AnswerLabels],
    *,
    sign: bool = False,
) -> JudgedLines:
    """What a file says of the answers of runs, of one run or of several.

    Args:
        source: the file.
        default_run_name: what the run is called where a line names none.
        parse_fields_topic_and_line_number: what the line of these fields, topic and number says; a
            `BadLineError` where it says nothing.
        sign: whether the hash of the file is asked for.

    Raises:
        InputError: lines that cannot be read, or a topic twice in a run; all of them, up to
            `MOST_PROBLEMS`.
    """
    labels_by_run: dict[str, dict[bytes, AnswerLabels]] = {}
    problems: list[Problem] = []
    lines = _Lines(source, sign=sign)
    for number, line in lines:
        try:
            fields = _parse_fields_and_merge_metadata(line)
            topic = _topic_of(fields)
            run = _run_of(fields) or default_run_name
            labels = parse_fields_topic_and_line_number(fields, topic, number)
            if topic in labels_by_run.setdefault(run, {}):
                raise BadLineError(
                    f"topic '{id_text(topic)}' of run '{run}' has two lines", "keep one of them"
                )
        except BadLineError as error:
            problems.append(Problem(lines.path, number, "unreadable-line", str(error), error.hint))
            if len(problems) >= MOST_PROBLEMS:
                break
            continue
        labels_by_run[run][topic] = labels
    if not (labels_by_run or problems):
        problems.append(Problem(lines.path, None, "empty-file", "there are no lines of data"))
    if problems:
        raise InputError(problems)
    return JudgedLines(labels_by_run, lines.path, lines.sha256)


def read_answered_topics(source: AnswerSource, *, sign: bool = False) -> AnsweredTopics:
    """The answers in a file: which run they are of, and of which topics.

    Raises:
        InputError: a line that is no answer; answers of several runs, or two to a topic.
    """
    run_ids: dict[str, int] = {}
    topics: dict[bytes, int] = {}
    lines = _Lines(source, sign=sign)
    for number, line in lines:
        try:
            fields = _parse_fields_and_merge_metadata(line)
            topic = _topic_of(fields)
            run_ids.setdefault(_run_of(fields), number)
            if topics.setdefault(topic, number) != number:
                raise BadLineError(f"topic '{id_text(topic)}' has two answers", "keep one of them")
            if len(run_ids) > 1:
                raise BadLineError(
                    f"answers of several runs, {shortened_list(list(run_ids))}",
                    "give a file for each run, or name a run of QRELS in place of a file",
                )
        except BadLineError as error:
            problem = Problem(lines.path, number, "unreadable-line", str(error), error.hint)
            raise InputError([problem]) from None
    if not topics:
        message = "there are no lines of data"
        raise InputError([Problem(lines.path, None, "empty-file", message)])
    return AnsweredTopics(next(iter(run_ids)), tuple(topics), lines.sha256)


class _Lines:
    """The lines of a source that are not blank, with their numbers; objects are lines."""

    def __init__(self, source: AnswerSource, *, sign: bool) -> None:
        self.sha256: str | None = None
        self._lines: Iterable[Any]
        if isinstance(source, str | Source):
            self.path = source if isinstance(source, str) else source.path
            self._lines = self._content(source, sign=sign).split(b"\n")
        else:
            self.path, self._lines = "judgments in memory", source

    def _content(self, source: str | Source, *, sign: bool) -> bytes:
        if isinstance(source, str):
            with Source(source, sign=sign) as opened:
                return self._content(opened, sign=sign)
        content = source.content()
        self.sha256 = source.sha256
        return content

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        for number, line in enumerate(self._lines, 1):
            if not isinstance(line, bytes) or (line and not line.isspace()):
                yield number, line


def _parse_fields_and_merge_metadata(line: LineBytesOrObject) -> AnswerFields:
    if isinstance(line, bytes):
        try:
            line = json.loads(line)
        except (ValueError, RecursionError):
            line = None
    if not isinstance(line, Mapping):
        raise BadLineError(
            "this line is no JSON object", 'a line is {"qid": ..., "run_id": ..., ...}'
        )
    metadata = line.get("metadata")
    return {**metadata, **line} if isinstance(metadata, Mapping) else line


def _topic_of(fields: AnswerFields) -> bytes:
    """The topic of a line; scores are no judgments, nor answers."""
    if fields.get("qid") == ALL_TOPICS or not fields.keys().isdisjoint(SCORE_KEYS):
        raise BadLineError("these are scores, not judgments", "irev compare FILE...")
    value = next((fields[key] for key in TOPIC_KEYS if fields.get(key) is not None), None)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value).encode()
    if value in (None, ""):
        raise BadLineError(f"'{TOPIC_KEYS[0]}' is missing")
    if not isinstance(value, str):
        raise BadLineError(f"'{TOPIC_KEYS[0]}' is neither a string nor a whole number")
    return id_of_text(value, TOPIC_KEYS[0])


def _run_of(fields: AnswerFields) -> str:
    """The run of a line; empty: it names none."""
    value = next((fields[key] for key in RUN_KEYS if fields.get(key) is not None), "")
    if not isinstance(value, str):
        raise BadLineError("'run_id' is no text")
    return value


def required_list(fields: AnswerFields, key: str, owner: str) -> Sequence[Any]:
    """The list under a key."""
    value = fields.get(key)
    if not isinstance(value, list):
        raise BadLineError(f"'{key}' of {owner} is missing, or no list")
    return value


def id_of_text(text: str, key: str) -> bytes:
    """A text under a key, as an id."""
    try:
        return checked_id_bytes(text)
    except ValueError as error:
        raise BadLineError(f"'{key}' {error}") from None
