"""Qrels: their lines, their topics, and what they are good for."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from irev.core.ids import Ids
from irev.core.wording import count_text
from irev.errors import id_text
from irev.jobs.check.findings import FileFacts, Findings, FindingTally
from irev.jobs.check.topics import (
    JudgedDocuments,
    LinesOfTopics,
    Topic,
    check_docno_pattern,
    check_similar_topics,
    first_lines_text,
    lines_of,
    note_first_lines,
    sort_by_line,
    tell_duplicate,
    topics_of,
    topics_with_repeats,
)
from irev.read.formats import QRELS, allow_real_grades
from irev.read.layout import ITERATIONS
from irev.read.sniff import KEEP_ONE

if TYPE_CHECKING:
    from irev.core.judged import Rows

_MOST_ITERATIONS = 1000
_GROUPS_HINT = "-R subtopics or -R qrels_jg, if it names subtopics or groups of judges"
_REPEATS_HINT = (
    "documents are judged once for each: irev eval reads them with -R subtopics or -R qrels_jg only"
)


class QrelsCheck:
    """Takes the topics of qrels, then tells what is wrong.

    Where `second_field_is_group`, that field, of judges or a subtopic, belongs to the judgment: a
    document may stand in a topic once for each.
    """

    kind = "qrels"

    def __init__(self, findings: Findings, *, second_field_is_group: bool) -> None:
        self.findings = findings
        self.judgments = JudgedDocuments(findings.rules.level)
        self.rows = 0
        self.layout = QRELS._replace(ids=("document", "iteration"))
        if findings.rules.reads_fractions:
            self.layout = allow_real_grades(self.layout)
        self._level = findings.rules.level
        self._second_field_is_group = second_field_is_group
        self._topics = LinesOfTopics()
        self._line_of_iteration: dict[bytes, int] = {}
        self._has_documents_in_several_groups = False
        self._grade_counts: Counter[float] = Counter()
        self._negative = FindingTally()

    @property
    def num_topics(self) -> int:
        """How many topics there were."""
        return len(self._topics.ids)

    def add(self, rows: Rows) -> None:
        """Check some whole topics."""
        self.rows += len(rows.value)
        (iterations,) = rows.groups
        note_first_lines(iterations, rows, self._line_of_iteration, _MOST_ITERATIONS)
        check_docno_pattern(rows, self.findings)
        self._topics.add(rows)
        self._check_grades(rows)
        repeats = topics_with_repeats(
            rows,
            _lower(rows.docs),
            _lower(iterations).codes()[0] if self._second_field_is_group else None,
        )
        if self._second_field_is_group and not self._has_documents_in_several_groups:
            document, names = rows.docs.codes()
            in_topic = rows.topic_of_row * len(names) + document
            self._has_documents_in_several_groups = len(np.unique(in_topic)) < len(in_topic)
        groups = iterations if self._second_field_is_group else None
        for topic in topics_of(rows, repeats, (rows.value,), groups):
            self._check_repeated_and_similar_documents(topic)
        self.judgments.add(rows)

    def _check_grades(self, rows: Rows) -> None:
        grade, lines = rows.value, lines_of(rows)
        for value, count in zip(
            *np.unique(grade[~np.isnan(grade)], return_counts=True), strict=True
        ):
            self._grade_counts[float(value)] += int(count)
        negative_lines = lines[grade < 0]
        if len(negative_lines):
            self._negative.see(int(negative_lines.min()), times=len(negative_lines))
        is_relevant = grade >= self._level
        num_relevant = np.bincount(rows.topic_of_row[is_relevant], minlength=len(rows.topics))
        for index in np.flatnonzero(num_relevant == 0).tolist():
            name = rows.topics[index]
            message = f"topic '{id_text(name)}' has no relevant document"
            hint = "most measures are 0 on it for every run; irev --no-rel skip leaves it out"
            own_grades = grade[rows.start[index] : rows.start[index + 1]]
            if (own_grades > 0).any():
                highest = np.nanmax(own_grades)
                hint = (
                    f"its highest grade is {highest:g}, below the level {self._level}; -l sets it"
                )
            line = int(lines[rows.start[index]])
            self.findings.add("no-relevant", message, line=line, topic=name, hint=hint)

    def _check_repeated_and_similar_documents(self, topic: Topic) -> None:
        distinct = set(topic.docs)
        if len(distinct) < len(topic.docs):
            self._check_duplicates(topic)
        if len({document.lower() for document in distinct}) == len(distinct):
            return
        first_spellings: dict[bytes, bytes] = {}
        for document, line in zip(topic.docs, topic.lines, strict=True):
            first_spelling = first_spellings.setdefault(document.lower(), document)
            if first_spelling != document:
                message = (
                    f"documents '{id_text(first_spelling)}' and '{id_text(document)}' of topic "
                    f"'{id_text(topic.name)}' differ only in upper and lower case"
                )
                self.findings.add(
                    "similar-documents", message, line=line, topic=topic.name, document=document
                )

    def _check_duplicates(self, topic: Topic) -> None:
        """Documents that occur twice, with one grade or with two."""
        first_rows: dict[bytes, int] = {}
        grade = topic.values[0]
        for row, document in enumerate(topic.docs):
            first_row = first_rows.setdefault(document, row)
            if grade[first_row] == grade[row] or np.isnan(grade[[first_row, row]]).any():
                if first_row != row:
                    self._tell_duplicate(topic, first_row, row)
                continue
            message = (
                f"document '{id_text(document)}' of topic '{id_text(topic.name)}' has grade "
                f"{grade[first_row]:g} in line {topic.lines[first_row]} and {grade[row]:g} in line "
                f"{topic.lines[row]}"
            )
            self.findings.add(
                "contradicting-grades", message, line=topic.lines[row], topic=topic.name,
                document=document, hint=self._duplicate_hint(),
            )  # fmt: skip

    def _tell_duplicate(self, topic: Topic, first_row: int, row: int) -> None:
        tell_duplicate(
            topic.name, topic.docs[row], (topic.lines[first_row], topic.lines[row]),
            self._duplicate_hint(), self.findings,
        )  # fmt: skip

    def _duplicate_hint(self) -> str:
        """What is to be done with one of two judgments."""
        is_usual = self._line_of_iteration.keys() <= set(ITERATIONS)
        return KEEP_ONE + ("" if is_usual else f"; {_GROUPS_HINT}")

    def check_whole(self, unused_path: str) -> FileFacts:
        """Tell what shows only in the whole; what is known of the judgments as numbers."""
        del unused_path
        self._line_of_iteration = sort_by_line(self._line_of_iteration)
        self._topics.tell_scattered(self.findings)
        check_similar_topics(self._topics.ids, self.findings)
        grade_counts = dict(sorted(self._grade_counts.items()))
        self._tell_grades(grade_counts)
        odd = {text: n for text, n in self._line_of_iteration.items() if text not in ITERATIONS}
        if odd:
            message = f"the second field is neither 0 nor Q0: {first_lines_text(odd, 'text')}"
            line = next(iter(odd.values()))
            hint = _REPEATS_HINT if self._has_documents_in_several_groups else _GROUPS_HINT
            self.findings.add("iteration-field", message, line=line, hint=hint)
        return {
            "grades": {f"{grade:g}": count for grade, count in grade_counts.items()},
            **self._mean_documents_per_topic(grade_counts),
        }

    def _mean_documents_per_topic(self, grade_counts: dict[float, int]) -> FileFacts:
        """Mean numbers of documents in a topic: of each grade, and of the relevant ones."""
        if not self.num_topics:
            return {}
        relevant = sum(count for grade, count in grade_counts.items() if grade >= self._level)
        means = {f"{grade:g}": count / self.num_topics for grade, count in grade_counts.items()}
        return {"mean_of_grade": means, "mean_relevant": relevant / self.num_topics}

    def _tell_grades(self, grade_counts: dict[float, int]) -> None:
        if self._negative.count:
            low_grades = ", ".join(f"{grade:g}" for grade in grade_counts if grade < 0)
            count = count_text(self._negative.count, "grade")
            message = f"{count} below 0 ({low_grades}); this is the first"
            hint = "these documents were in the pool, but count as unjudged"
            self.findings.add("negative-grade", message, line=self._negative.line, hint=hint)
        judged = [grade for grade in grade_counts if grade >= 0]
        if judged and judged[0] >= self._level:
            hint = "bpref and judged-only evaluation have nothing to work on"
            grades = "grade 0" if self._level == 1 else f"a grade below {self._level}"
            message = f"no document was judged non-relevant ({grades})"
            self.findings.add("no-nonrelevant", message, hint=hint)
        if len(judged) == 1 and self.rows > 1:
            self.findings.add("one-grade", f"all judged documents have grade {judged[0]:g}")


def _lower(ids: Ids) -> Ids:
    """The ids in lower case."""
    return Ids(np.frombuffer(ids.data.tobytes().lower(), np.uint8), ids.start, ids.length)
