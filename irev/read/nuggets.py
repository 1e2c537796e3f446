"""Which nuggets the answers of runs hold, in lines of JSON as nuggetizer writes them.

A nugget is a piece of what an answer should say (castorini/nuggetizer).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.core.judged import NO_LABEL, OKAY, PARTIAL, VITAL
from irev.core.option_records import did_you_mean
from irev.core.record import record
from irev.errors import id_text
from irev.read.answers import BadLineError, id_of_text, read_judged_lines, required_list

if TYPE_CHECKING:
    from collections.abc import Mapping

    from irev.read.answers import AnswerFields, AnswerSource

IMPORTANCE: Mapping[str, float] = {"okay": OKAY, "vital": VITAL}
"""The grade of a nugget."""
FAILED = "failed"
"""Where a model gave no label."""
LABELS: Mapping[str, float] = {
    "support": 1.0, "partial_support": PARTIAL, "not_support": 0.0, FAILED: NO_LABEL,
}  # fmt: skip
"""What an answer's hold of a nugget is scored as."""

NumberOfText = dict[bytes, float]
"""Nugget -> its grade, or its label."""


@record
class NuggetAssignments:
    """What was judged: the nuggets of the topics, and which of them the answers of each run hold.

    grades      topic -> nugget -> its grade, 2 vital and 1 okay
    labels      run -> topic -> nugget -> 1 support, 0.5 partial support, 0 not, -1 no label
    path        the file
    sha256      of its decompressed bytes
    """

    grades: dict[bytes, NumberOfText]
    labels: dict[str, dict[bytes, NumberOfText]]
    path: str
    sha256: str | None

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
    source: AnswerSource, default_run_name: str, *, sign: bool = False
) -> NuggetAssignments:
    """The assignments in a file, of one run or of several.

    `default_run_name` is what a run is called that a line does not name.

    Raises:
        InputError: a line that is none; a topic twice in a run, a nugget twice in a topic, and
            topics whose nuggets differ between runs, since they would have two divisors.
    """
    grades: dict[bytes, NumberOfText] = {}
    line_of_topic: dict[bytes, int] = {}

    def parse_labels(fields: AnswerFields, topic: bytes, number: int) -> NumberOfText:
        line_grades, labels = _grades_and_labels(fields, topic)
        if grades.setdefault(topic, line_grades) != line_grades:
            raise BadLineError(
                f"topic '{id_text(topic)}' has other nuggets, or another importance, than on "
                f"line {line_of_topic[topic]}",
                "all answers to a topic are judged by the same nuggets",
            )
        line_of_topic.setdefault(topic, number)
        return labels

    lines = read_judged_lines(source, default_run_name, parse_labels, sign=sign)
    return NuggetAssignments(grades, lines.labels_by_run, lines.path, lines.sha256)


def _grades_and_labels(fields: AnswerFields, topic: bytes) -> tuple[NumberOfText, NumberOfText]:
    """The grade and the label of each nugget of a line."""
    nuggets = required_list(fields, "nuggets", f"topic '{id_text(topic)}'")
    if nuggets and all(isinstance(n, dict) and "assignment" not in n for n in nuggets):
        raise BadLineError(
            f"topic '{id_text(topic)}': the file of nuggets without assignments is no judgment of "
            "a run",
            "give the file of assignments",
        )
    grades: NumberOfText = {}
    labels: NumberOfText = {}
    for nugget in nuggets:
        if not isinstance(nugget, dict):
            raise BadLineError("a nugget is no JSON object")
        text, importance, label = (_text_of(nugget, key) for key in _NUGGET_KEYS)
        text_bytes = id_of_text(text, "text")
        if importance not in IMPORTANCE:
            raise _unknown_word("importance", importance, [*IMPORTANCE])
        if label not in LABELS:
            raise _unknown_word("assignment", label, [*LABELS])
        if text_bytes in grades:
            raise BadLineError(f"the nugget '{_cut(text)}' stands twice in the topic")
        grades[text_bytes] = IMPORTANCE[importance]
        labels[text_bytes] = LABELS[label]
    return grades, labels


_NUGGET_KEYS = ("text", "importance", "assignment")


def _text_of(nugget: Mapping[str, Any], key: str) -> str:
    value = nugget.get(key)
    if not isinstance(value, str) or not value:
        fault = "is missing" if value in (None, "") else "is no text"
        of = f" of the nugget '{_cut(nugget['text'])}'" if nugget.get("text") else " of a nugget"
        raise BadLineError(f"'{key}'{of} {fault}")
    return value


def _unknown_word(key: str, word: str, words: list[str]) -> BadLineError:
    return BadLineError(
        f"'{word}' is no {key}; there are {', '.join(words)}{did_you_mean(word.lower(), words)}"
    )


def _cut(text: Any) -> str:
    beginning = str(text)[: _LONGEST + 1]
    return beginning if len(beginning) <= _LONGEST else f"{beginning[:_LONGEST]}..."


_LONGEST = 60
