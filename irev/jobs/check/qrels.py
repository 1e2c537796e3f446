"""Qrels: their lines, their topics, and what they are good for."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.wording import count_text
from irev.errors import id_text
from irev.jobs.check.judged import JudgedDocuments
from irev.jobs.check.report import Findings, Repeated
from irev.jobs.check.topics import (
    Together,
    Topic,
    check_form,
    check_similar,
    first_of,
    in_order,
    note_first,
    tell_twice,
    topics_of,
)
from irev.read.formats import QRELS
from irev.read.layout import ITERATIONS
from irev.read.sniff import KEEP_ONE

if TYPE_CHECKING:
    from irev.core.model import Rows

_MOST_ITERATIONS = 1000
_GROUPS_HINT = "-R subtopics or -R qrels_jg, if it names subtopics or groups of judges"


class QrelsCheck:
    """Takes the topics of qrels, then tells what is wrong.

    In `grouped` ones the second field, a group of judges or a subtopic, belongs to the judgment: a
    document may stand in a topic once for each.
    """

    kind = "qrels"

    def __init__(self, findings: Findings, *, grouped: bool) -> None:
        self.findings = findings
        self.judgments = JudgedDocuments()
        self.rows = 0
        self.layout = QRELS._replace(ids=("document", "iteration"))
        self._grouped = grouped
        self._together = Together()
        self._iterations: dict[bytes, int] = {}
        self._grades: Counter[float] = Counter()
        self._negative = Repeated()

    @property
    def num_topics(self) -> int:
        """How many topics there were."""
        return len(self.judgments.topics())

    def add(self, rows: Rows) -> None:
        """Check some whole topics."""
        self.rows += len(rows.value)
        (iterations,) = rows.groups
        note_first(iterations, rows, self._iterations, _MOST_ITERATIONS)
        check_form(rows, self.findings)
        for topic in topics_of(rows, (rows.value,), iterations if self._grouped else None):
            self._check_topic(topic)

    def _check_topic(self, topic: Topic) -> None:
        grade = topic.values[0]
        self._together.see(topic)
        self._check_documents(topic)
        for value, count in zip(*np.unique(grade, return_counts=True), strict=True):
            self._grades[float(value)] += int(count)
        for row in np.flatnonzero(grade < 0).tolist():
            self._negative.see(topic.lines[row], topic.name)
        if not (grade >= 1).any():
            what = f"topic '{id_text(topic.name)}' has no relevant document"
            self.findings.add(
                "no-relevant", what, line=topic.lines[0], topic=topic.name,
                hint="most measures are 0 on it for every run; irev --no-rel skip leaves it out",
            )  # fmt: skip
        docs = topic.docs
        if self._grouped:
            docs = [document.partition(b" ")[2] for document in docs]
        judged, pooled = (
            [docs[row] for row in np.flatnonzero(some).tolist()] for some in (grade >= 0, grade < 0)
        )
        self.judgments.add(topic.name, judged, pooled)
        self.judgments.has_nonrelevant |= bool((grade == 0).any())

    def _check_documents(self, topic: Topic) -> None:
        distinct = set(topic.docs)
        if len(distinct) < len(topic.docs):
            self._check_twice(topic)
        if len({document.lower() for document in distinct}) == len(distinct):
            return
        first: dict[bytes, bytes] = {}
        for document, line in zip(topic.docs, topic.lines, strict=True):
            before = first.setdefault(document.lower(), document)
            if before != document:
                what = f"documents '{id_text(before)}' and '{id_text(document)}' of topic "
                what += f"'{id_text(topic.name)}' differ by upper and lower case alone"
                self.findings.add(
                    "similar-documents", what, line=line, topic=topic.name, document=document
                )

    def _check_twice(self, topic: Topic) -> None:
        """Documents that occur twice, with one grade or with two."""
        first: dict[bytes, int] = {}
        grade = topic.values[0]
        for row, document in enumerate(topic.docs):
            before = first.setdefault(document, row)
            if grade[before] == grade[row] or np.isnan(grade[[before, row]]).any():
                if before != row:
                    self._tell_twice(topic, before, row)
                continue
            what = f"document '{id_text(document)}' of topic '{id_text(topic.name)}' has grade "
            what += f"{grade[before]:g} in line {topic.lines[before]} and {grade[row]:g} in line "
            what += f"{topic.lines[row]}"
            self.findings.add(
                "contradicting-grades", what, line=topic.lines[row], topic=topic.name,
                document=document, hint=self._hint(),
            )  # fmt: skip

    def _tell_twice(self, topic: Topic, before: int, row: int) -> None:
        tell_twice(
            topic.name, topic.docs[row], (topic.lines[before], topic.lines[row]), self._hint(),
            self.findings,
        )  # fmt: skip

    def _hint(self) -> str:
        """What is to be done with one of two judgments."""
        is_usual = self._iterations.keys() <= set(ITERATIONS)
        return KEEP_ONE + ("" if is_usual else f"; {_GROUPS_HINT}")

    def end(self, source: str) -> dict[str, Any]:
        """Tell what shows only in the whole; what is known of the judgments as numbers."""
        del source
        self._iterations = in_order(self._iterations)
        self._together.tell(self.findings)
        check_similar(self.judgments.topics(), self.findings)
        grades = {grade: self._grades[grade] for grade in sorted(self._grades) if grade == grade}
        self._tell_grades(grades)
        odd = {text: n for text, n in self._iterations.items() if text not in ITERATIONS}
        if odd:
            what = f"the second field is neither 0 nor Q0: {first_of(odd, 'text')}"
            line = next(iter(odd.values()))
            self.findings.add("iteration-field", what, line=line, hint=_GROUPS_HINT)
        return {
            "grades": {f"{grade:g}": count for grade, count in grades.items()},
            **self._per_topic(grades),
        }

    def _per_topic(self, grades: dict[float, int]) -> dict[str, Any]:
        """Mean numbers of documents in a topic: of each grade, and of the relevant ones."""
        if not self.num_topics:
            return {}
        relevant = sum(count for grade, count in grades.items() if grade >= 1)
        means = {f"{grade:g}": count / self.num_topics for grade, count in grades.items()}
        return {"mean_of_grade": means, "mean_relevant": relevant / self.num_topics}

    def _tell_grades(self, grades: dict[float, int]) -> None:
        if self._negative.count:
            low = ", ".join(f"{grade:g}" for grade in grades if grade < 0)
            what = f"{count_text(self._negative.count, 'grade')} below 0 ({low}); this is the first"
            hint = "such a document was in the pool, but counts as not judged"
            self.findings.add("negative-grade", what, line=self._negative.line, hint=hint)
        judged = [grade for grade in grades if grade >= 0]
        if judged and judged[0] > 0:
            hint = "bpref and judged-only evaluation have nothing to work on"
            what = "no document was judged non-relevant (grade 0)"
            self.findings.add("no-nonrelevant", what, hint=hint)
        if len(judged) == 1 and self.rows > 1:
            self.findings.add("one-grade", f"all judged documents have grade {judged[0]:g}")
