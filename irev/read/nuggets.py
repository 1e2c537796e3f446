"""Which nuggets the answers of runs hold: lines of JSON with assignments, or with answers.

A nugget is a piece of what an answer should say. Assignments are as nuggetizer writes them
(castorini/nuggetizer), answers as TREC RAG's runs are.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from irev.core.option_records import did_you_mean
from irev.core.record import record
from irev.core.text import id_bytes
from irev.core.views import OKAY, PARTIAL, VITAL
from irev.core.wording import shortened_list
from irev.errors import MOST_PROBLEMS, InputError, Problem, id_text
from irev.read.stream import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

IMPORTANCE: Mapping[str, float] = {"okay": OKAY, "vital": VITAL}
"""The grade of a nugget."""
LABELS: Mapping[str, float] = {"support": 1.0, "partial_support": PARTIAL, "not_support": 0.0}
"""What an answer's hold of a nugget is scored as."""
FAILED = "failed"
"""Where a model gave no label."""

TOPIC_KEYS = ("qid", "topic_id", "narrative_id", "query_id")
RUN_KEYS = ("run_id", "runtag", "run")

NumberOfText = dict[bytes, float]


@record
class NuggetAssignments:
    """What was judged: N nuggets of the topics, and which of them the answers of each run hold.

    grades      topic -> nugget -> its grade, 2 vital and 1 okay
    labels      run -> topic -> nugget -> 1 support, 0.5 partial support, 0 not
    num_failed  how many nuggets have no label, which counts as not supported
    path        the file
    sha256      of its decompressed bytes
    """

    grades: dict[bytes, NumberOfText]
    labels: dict[str, dict[bytes, NumberOfText]]
    num_failed: int
    path: str
    sha256: str | None


@record
class Answers:
    """The answers of a run.

    run_id  what the run calls itself; empty: it does not say
    topics  the topics that are answered, in the order of the file
    sha256  of the file's decompressed bytes
    """

    run_id: str
    topics: tuple[bytes, ...]
    sha256: str | None


class _BadLineError(Exception):
    """What is wrong with a line, and what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def read_assignments(path: str, run_name: str, *, sign: bool = False) -> NuggetAssignments:
    """The assignments in a file, of one run or of several; `run_name` where a line names none.

    Raises:
        InputError: a line that is none; a topic twice in a run, a nugget twice in a topic, and
            topics whose nuggets differ between runs, since they would have two divisors.
    """
    grades: dict[bytes, NumberOfText] = {}
    labels: dict[str, dict[bytes, NumberOfText]] = {}
    line_of_topic: dict[bytes, int] = {}
    num_failed = 0
    problems: list[Problem] = []
    text, digest = _content(path, sign=sign)
    for number, line in _lines(text):
        try:
            row = _parse_line(line)
            topic, run, nuggets = _assignment_of(row)
            run = run or run_name
            topic_grades, topic_labels, failed = _nuggets_of(nuggets)
            if topic in labels.setdefault(run, {}):
                raise _BadLineError(
                    f"topic '{id_text(topic)}' of run '{run}' has two lines", "keep one of them"
                )
            first_grades = grades.setdefault(topic, topic_grades)
            if first_grades != topic_grades:
                raise _BadLineError(
                    f"topic '{id_text(topic)}' has other nuggets, or another importance, than on "
                    f"line {line_of_topic[topic]}",
                    "all answers to a topic are judged by the same nuggets",
                )
        except _BadLineError as error:
            problems.append(Problem(path, number, "unreadable-line", str(error), error.hint))
            if len(problems) >= MOST_PROBLEMS:
                break
            continue
        line_of_topic.setdefault(topic, number)
        labels[run][topic] = topic_labels
        num_failed += failed
    if not (labels or problems):
        problems.append(Problem(path, None, "empty-file", "there are no lines of data"))
    if problems:
        raise InputError(problems)
    return NuggetAssignments(grades, labels, num_failed, path, digest)


def read_answers(path: str | Source, *, sign: bool = False) -> Answers:
    """The answers in a file: which run they are of, and of which topics."""
    name = path.path if isinstance(path, Source) else path
    text, digest = _content(path, sign=sign)
    run_ids: dict[str, int] = {}
    topics: dict[bytes, int] = {}
    problems: list[Problem] = []
    for number, line in _lines(text):
        try:
            row = _parse_line(line)
            metadata = row.get("metadata")
            fields = {**row, **(metadata if isinstance(metadata, dict) else {})}
            topic = _id_of(fields, TOPIC_KEYS)
            run_ids.setdefault(_run_of(fields), number)
            if topics.setdefault(topic, number) != number:
                raise _BadLineError(f"topic '{id_text(topic)}' has two answers", "keep one of them")
            if len(run_ids) > 1:
                raise _BadLineError(
                    f"answers of several runs, {shortened_list(list(run_ids))}",
                    "give a file for each run, or name a run of QRELS in place of a file",
                )
        except _BadLineError as error:
            problems.append(Problem(name, number, "unreadable-line", str(error), error.hint))
            break
    if not (topics or problems):
        problems.append(Problem(name, None, "empty-file", "there are no lines of data"))
    if problems:
        raise InputError(problems)
    return Answers(next(iter(run_ids)), tuple(topics), digest)


def _content(path: str | Source, *, sign: bool) -> tuple[bytes, str | None]:
    if isinstance(path, Source):
        return path.content(), path.sha256
    with Source(path, sign=sign) as source:
        return source.content(), source.sha256


def _lines(text: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(text.split(b"\n"), 1):
        if line and not line.isspace():
            yield number, line


def _parse_line(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise _BadLineError("this line is no JSON object", 'a line is {"qid": ..., "nuggets": ...}')
    return row


def _assignment_of(row: Mapping[str, Any]) -> tuple[bytes, str, Sequence[Any]]:
    """The topic, the run and the nuggets of a line."""
    if row.get("qid") == "all" or any(key.endswith("_score") for key in row):
        raise _BadLineError("these are scores, not judgments", "irev compare FILE...")
    topic = _id_of(row, TOPIC_KEYS[:1])
    nuggets = row.get("nuggets")
    if not isinstance(nuggets, list):
        raise _BadLineError(f"'nuggets' of topic '{id_text(topic)}' is missing, or no list")
    if nuggets and all(isinstance(n, dict) and "assignment" not in n for n in nuggets):
        raise _BadLineError(
            f"topic '{id_text(topic)}': the file of nuggets without assignments is no judgment of "
            "a run",
            "give the file of assignments",
        )
    return topic, _run_of(row), nuggets


def _nuggets_of(nuggets: Sequence[Any]) -> tuple[NumberOfText, NumberOfText, int]:
    """The grade and the label of each nugget of a line, and how many have none."""
    grades: NumberOfText = {}
    labels: NumberOfText = {}
    num_failed = 0
    for nugget in nuggets:
        if not isinstance(nugget, dict):
            raise _BadLineError("a nugget is no JSON object")
        text, importance, label = (_text_of(nugget, key) for key in _NUGGET_KEYS)
        text_bytes = _bytes_of(text, "text")
        if importance not in IMPORTANCE:
            raise _unknown_word("importance", importance, [*IMPORTANCE])
        if label not in (*LABELS, FAILED):
            raise _unknown_word("assignment", label, [*LABELS, FAILED])
        if text_bytes in grades:
            raise _BadLineError(f"the nugget '{_cut(text)}' stands twice in the topic")
        grades[text_bytes] = IMPORTANCE[importance]
        labels[text_bytes] = LABELS.get(label, 0.0)
        num_failed += label == FAILED
    return grades, labels, num_failed


_NUGGET_KEYS = ("text", "importance", "assignment")


def _text_of(nugget: Mapping[str, Any], key: str) -> str:
    value = nugget.get(key)
    if not isinstance(value, str) or not value:
        fault = "is missing" if value in (None, "") else "is no text"
        of = f" of the nugget '{_cut(nugget['text'])}'" if nugget.get("text") else " of a nugget"
        raise _BadLineError(f"'{key}'{of} {fault}")
    return value


def _unknown_word(key: str, word: str, words: list[str]) -> _BadLineError:
    return _BadLineError(
        f"'{word}' is no {key}; there are {', '.join(words)}{did_you_mean(word.lower(), words)}"
    )


def _id_of(row: Mapping[str, Any], keys: Sequence[str]) -> bytes:
    value = next((row[key] for key in keys if row.get(key) is not None), None)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value).encode()
    if not isinstance(value, str) or not value:
        raise _BadLineError(f"'{keys[0]}' is missing" if value in (None, "") else
                            f"'{keys[0]}' is neither a string nor a whole number")  # fmt: skip
    return _bytes_of(value, keys[0])


def _run_of(row: Mapping[str, Any]) -> str:
    value = next((row[key] for key in RUN_KEYS if row.get(key) is not None), "")
    if not isinstance(value, str):
        raise _BadLineError("'run_id' is no text")
    return value


def _bytes_of(text: str, key: str) -> bytes:
    try:
        return id_bytes(text)
    except ValueError as error:
        raise _BadLineError(f"'{key}' {error}") from None


def _cut(text: Any) -> str:
    beginning = str(text)[: _LONGEST + 1]
    return beginning if len(beginning) <= _LONGEST else f"{beginning[:_LONGEST]}..."


_LONGEST = 60
