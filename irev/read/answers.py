"""Answers of runs, and what was judged of them: lines of JSON, each about one answer.

Judgments of answers hold the run: a line names topic and run, and what was judged. Which keys these
have differs between tracks and years. Answers are read as TREC RAG's runs are: what they say is not
looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from irev.core.judged import NO_IMPORTANCE, NO_LABEL, OKAY, PARTIAL, VITAL
from irev.core.option_records import did_you_mean
from irev.core.record import record
from irev.core.text import checked_id_bytes, shortened_list
from irev.errors import MOST_PROBLEMS, InputError, Problem, id_text
from irev.read.stream import Source

TOPIC_KEYS = ("qid", "topic_id", "narrative_id", "query_id", "request_id")
RUN_KEYS = ("run_id", "runtag", "run")
SCORE_KEYS = ("strict_vital_score", "strict_all_score", "vital_score", "all_score")
"""The scores of an answer in nuggetizer's files, which are no judgments."""
ALL_TOPICS = "all"
"""The topic of the line of means there."""

AnswerSource: TypeAlias = str | Source | Iterable[Mapping[str, Any]]
"""The path of a file, an opened file, or the objects of its lines."""
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
        if not isinstance(source, str | Source):
            self.path, self._lines = "judgments in memory", source
            return
        self.path = source if isinstance(source, str) else source.path
        with (
            Source(source, sign=sign) if isinstance(source, str) else nullcontext(source) as opened
        ):
            self._lines = opened.content().split(b"\n")
            self.sha256 = opened.sha256

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        for number, line in enumerate(self._lines, 1):
            if not isinstance(line, bytes) or (line and not line.isspace()):
                yield number, line


def _parse_fields_and_merge_metadata(line: Any) -> AnswerFields:
    """The fields of a line, of which there are the bytes, or the object that it holds."""
    if isinstance(line, bytes):
        import json

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


# --- Which nuggets the answers of runs hold, in lines of JSON as nuggetizer writes them ---
# A nugget is a piece of what an answer should say (castorini/nuggetizer).


FAILED = "failed"
"""Where a model gave no label."""
IMPORTANCE: Mapping[str, float] = {"okay": OKAY, "vital": VITAL, FAILED: NO_IMPORTANCE}
"""The grade of a nugget."""
LABELS: Mapping[str, float] = {
    "support": 1.0,
    "partial_support": PARTIAL,
    "not_support": 0.0,
    FAILED: NO_LABEL,
}
"""What an answer's hold of a nugget is scored as."""

NumberOfText = dict[bytes, float]
"""Nugget -> its grade, or its label."""


@record
class NuggetAssignments:
    """What was judged: the nuggets of the topics, and which of them the answers of each run hold.

    grades      topic -> nugget -> its grade, 2 vital, 1 okay, 0.5 of failed importance
    labels      run -> topic -> nugget -> 1 support, 0.5 partial support, 0 not, -1 no label
    path        the file
    sha256      of its decompressed bytes
    made_up     words that are no label, which count as none -> how often each stands there
    repeated    topic -> how many of its nuggets stand there before
    """

    grades: dict[bytes, NumberOfText]
    labels: dict[str, dict[bytes, NumberOfText]]
    path: str
    sha256: str | None
    made_up: Mapping[str, int]
    repeated: Mapping[bytes, int]

    @property
    def num_failed(self) -> int:
        """How many nuggets of answers have no label."""
        return sum(
            label == NO_LABEL
            for topics in self.labels.values()
            for nuggets in topics.values()
            for label in nuggets.values()
        )


def read_assignments(
    source: AnswerSource,
    default_run_name: str,
    *,
    sign: bool = False,
    unknown_labels: Literal["error", "not_support"] = "error",
) -> NuggetAssignments:
    """The assignments in a file, of one run or of several.

    `default_run_name` is what a run is called that a line does not name. Words that are no label
    may be no support, as in nuggetizer. A nugget that stands twice in a topic is two, there too.

    Raises:
        InputError: a line that is none; a topic twice in a run, and topics whose nuggets differ
            between runs, since they would have two divisors.
    """
    grades: dict[bytes, NumberOfText] = {}
    line_of_topic: dict[bytes, int] = {}
    repeated: dict[bytes, int] = {}
    made_up = None if unknown_labels == "error" else Counter[str]()

    def parse_labels(fields: AnswerFields, topic: bytes, number: int) -> NumberOfText:
        line_grades, labels, num_repeated = _grades_and_labels(fields, topic, made_up)
        if grades.setdefault(topic, line_grades) != line_grades:
            raise BadLineError(
                f"topic '{id_text(topic)}' has other nuggets, or another importance, than on "
                f"line {line_of_topic[topic]}",
                "all answers to a topic are judged by the same nuggets",
            )
        line_of_topic.setdefault(topic, number)
        if num_repeated:
            repeated[topic] = num_repeated
        return labels

    lines = read_judged_lines(source, default_run_name, parse_labels, sign=sign)
    return NuggetAssignments(
        grades, lines.labels_by_run, lines.path, lines.sha256, made_up or {}, repeated
    )


def _grades_and_labels(
    fields: AnswerFields, topic: bytes, made_up: Counter[str] | None
) -> tuple[NumberOfText, NumberOfText, int]:
    """The grade and the label of each nugget of a line, and how many stand there before.

    Words that are no label are added to those that are `made_up`; None: they are errors.
    """
    nuggets = required_list(fields, "nuggets", f"topic '{id_text(topic)}'")
    if nuggets and all(isinstance(n, dict) and "assignment" not in n for n in nuggets):
        raise BadLineError(
            f"topic '{id_text(topic)}': the file of nuggets without assignments is no judgment of "
            "a run",
            "give the file of assignments",
        )
    grades: NumberOfText = {}
    labels: NumberOfText = {}
    num_repeated = 0
    for nugget in nuggets:
        if not isinstance(nugget, dict):
            raise BadLineError("a nugget is no JSON object")
        keys = ("text", "importance", "assignment")
        text, importance, label = (_text_of(nugget, key) for key in keys)
        for key, word, words in (
            ("importance", importance, IMPORTANCE),
            ("assignment", label, LABELS),
        ):
            if word not in words:
                if made_up is None:
                    raise _unknown_word(key, word, [*words])
                made_up[word] += 1
        name = text_bytes = id_of_text(text, "text")
        times = 1
        while name in grades:
            times += 1
            name = b"%b (%d)" % (text_bytes, times)
        num_repeated += times > 1
        grades[name] = IMPORTANCE.get(importance, NO_IMPORTANCE)
        labels[name] = LABELS.get(label, LABELS["not_support"])
    return grades, labels, num_repeated


def _text_of(nugget: Mapping[str, Any], key: str) -> str:
    value = nugget.get(key)
    if not isinstance(value, str) or not value:
        fault = "is missing" if value in (None, "") else "is no text"
        of = f" of the nugget '{_cut(nugget['text'])}'" if nugget.get("text") else " of a nugget"
        raise BadLineError(f"'{key}'{of} {fault}")
    return value


def _unknown_word(key: str, word: str, words: list[str]) -> BadLineError:
    counts = "not_support" if key == "assignment" else "failed"
    return BadLineError(
        f"'{word}' is no {key}; there are {', '.join(words)}{did_you_mean(word.lower(), words)}",
        f"--unknown-labels not_support counts such a one as {counts}, as nuggetizer does",
    )


def _cut(text: Any) -> str:
    beginning = str(text)[:61]
    return beginning if len(beginning) <= 60 else f"{beginning[:60]}..."


# --- Whether the citations of answers support what is said, in lines of JSON ---
# A line holds the sentences of an answer, each with its citations, and for each of these the label
# of TREC RAG's support evaluation: 2 full support, 1 partial, 0 none, -1 not judged.


CITATION_LABELS = (2, 1, 0, -1)
"""Full support, partial, none, not judged."""

CitationLabels: TypeAlias = tuple[tuple[float, ...], ...]
"""The labels of an answer: of each sentence that of each of its citations, in order."""


@record
class SupportLabels:
    """What was judged: whether the citations of the answers of each run support their sentences.

    labels  run -> topic -> the labels of the answer
    path    the file
    sha256  of its decompressed bytes
    """

    labels: dict[str, dict[bytes, CitationLabels]]
    path: str
    sha256: str | None


def read_support(
    source: AnswerSource, default_run_name: str, *, sign: bool = False
) -> SupportLabels:
    """The labels of citations in a file, of one run or of several.

    `default_run_name` is what a run is called that a line does not name.

    Raises:
        InputError: a line that is none; a topic twice in a run.
    """

    def parse_labels(fields: AnswerFields, topic: bytes, _: int) -> CitationLabels:
        owner = f"topic '{id_text(topic)}'"
        sentences = required_list(fields, "sentences", owner)
        labels: list[tuple[float, ...]] = []
        for number, sentence in enumerate(sentences, 1):
            name = f"sentence {number} of {owner}"
            if not isinstance(sentence, dict):
                raise BadLineError(f"{name} is no JSON object")
            citations = required_list(sentence, "citations", name)
            labels.append(
                tuple(
                    _label_of(citation, f"citation {place} of {name}")
                    for place, citation in enumerate(citations, 1)
                )
            )
        return tuple(labels)

    lines = read_judged_lines(source, default_run_name, parse_labels, sign=sign)
    return SupportLabels(lines.labels_by_run, lines.path, lines.sha256)


def _label_of(citation: Any, owner: str) -> float:
    if not isinstance(citation, dict):
        raise BadLineError(
            f"{owner} has no label", 'a citation is {"reference": ..., "support": 2}'
        )
    label = citation.get("support")
    if label is None:
        raise BadLineError(f"'support' of {owner} is missing", f"write {NO_LABEL:g} if not judged")
    if isinstance(label, bool) or label not in CITATION_LABELS:
        raise BadLineError(
            f"'{label}' is no label, in {owner}",
            "labels are 2 (full support), 1 (partial), 0 (none) and -1 (not judged)",
        )
    return float(label)
