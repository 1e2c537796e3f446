"""Qrels: their lines, their topics, what they are good for, and what runs are held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    RowIndices,
    RowValues,
    TopicIndices,
    TopicOfRow,
)
from irev.core.ids import DocumentIndex, Ids, concatenate_ids, index_documents
from irev.core.judged import Duplicate, Rows
from irev.core.record import cached_property
from irev.core.text import count_text
from irev.engine.run_facts import JudgedIds, is_sparse
from irev.errors import id_text
from irev.jobs.check.findings import FileFacts, Findings, FindingTally
from irev.jobs.check.topics import (
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
from irev.read.topics import duplicate_problem

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
        for iterations in rows.groups:
            note_first_lines(iterations, rows, self._line_of_iteration, _MOST_ITERATIONS)
        check_docno_pattern(rows, self.findings)
        self._topics.add(rows)
        self._check_grades(rows)
        groups = group_of_row = None
        if self._second_field_is_group:
            groups, (group_of_row, _) = iterations, _lower(iterations).codes()
            if not self._has_documents_in_several_groups:
                document, names = rows.docs.codes()
                in_topic = rows.topic_of_row * len(names) + document
                self._has_documents_in_several_groups = len(np.unique(in_topic)) < len(in_topic)
        repeats = topics_with_repeats(rows, _lower(rows.docs), group_of_row)
        for topic in topics_of(rows, repeats, (rows.value,), groups):
            self._check_duplicates(topic)
            self._check_similar_documents(topic)
        self.judgments.add(rows)

    def _check_grades(self, rows: Rows) -> None:
        grade, lines = rows.value, lines_of(rows)
        values, counts = np.unique(grade[~np.isnan(grade)], return_counts=True)
        self._grade_counts.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))
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

    def _check_similar_documents(self, topic: Topic) -> None:
        """Documents that differ only in upper and lower case."""
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
            if first_row == row:
                continue
            lines = (topic.lines[first_row], topic.lines[row])
            # what is to be done with one of the two judgments
            is_usual = self._line_of_iteration.keys() <= set(ITERATIONS)
            groups_hint = "" if is_usual else f"; {_GROUPS_HINT}"
            if grade[first_row] == grade[row] or np.isnan(grade[[first_row, row]]).any():
                if len(self._line_of_iteration) > 1 and not is_usual:
                    hint = KEEP_ONE + groups_hint
                    tell_duplicate(topic.name, document, lines, hint, self.findings)
                    continue
                problem = duplicate_problem("", Duplicate(topic.name, document, *lines))
                self.findings.add(
                    "repeated-judgments",
                    problem.message,
                    line=problem.line,
                    topic=topic.name,
                    document=document,
                    hint=f"alike, they count as one judgment{groups_hint}",
                )
                continue
            hint = f"{KEEP_ONE}, or --duplicates-qrels max counts the higher grade{groups_hint}"
            message = (
                f"document '{id_text(document)}' of topic '{id_text(topic.name)}' has grade "
                f"{grade[first_row]:g} in line {lines[0]} and {grade[row]:g} in line {lines[1]}"
            )
            self.findings.add(
                "contradicting-grades",
                message,
                line=lines[1],
                topic=topic.name,
                document=document,
                hint=hint,
            )

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
        counts = {f"{grade:g}": count for grade, count in grade_counts.items()}
        facts: FileFacts = {"grades": counts}
        if self.num_topics:
            relevant = sum(count for grade, count in grade_counts.items() if grade >= self._level)
            facts["mean_of_grade"] = {grade: n / self.num_topics for grade, n in counts.items()}
            facts["mean_relevant"] = relevant / self.num_topics
        return facts

    def _tell_grades(self, grade_counts: dict[float, int]) -> None:
        if self._negative.count:
            low_grades = ", ".join(f"{grade:g}" for grade in grade_counts if grade < 0)
            count = count_text(self._negative.count, "grade")
            message = f"{count} below 0 ({low_grades})"
            message += "; this is the first" if self.findings.has_lines else ""
            hint = "these documents were in the pool, but count as unjudged"
            self.findings.add("negative-grade", message, line=self._negative.line, hint=hint)
        judged = [grade for grade in grade_counts if grade >= 0]
        if judged and judged[0] >= self._level:
            hint = "bpref and judged-only evaluation have nothing to work on"
            grades = "grade 0" if self._level == 1 else f"a grade below {self._level}"
            message = f"no document was judged non-relevant ({grades})"
            self.findings.add("no-nonrelevant", message, hint=hint)
        if self._level == 1 and [grade for grade in judged if grade > 0] == [1, 2, 3]:
            message = "grades 1 to 3: map, P and RR count grade 1 as relevant"
            hint = "those of TREC Deep Learning do not: --level 2, or rel=2 in a measure's name"
            self.findings.add("low-level", message, hint=hint)
        if len(judged) == 1 and self.rows > 1:
            self.findings.add("one-grade", f"all judged documents have grade {judged[0]:g}")


def _lower(ids: Ids) -> Ids:
    return Ids(np.frombuffer(ids.data.tobytes().lower(), np.uint8), ids.start, ids.length)


class JudgedDocuments:
    """The documents in the judgments of each topic: judged, or in the pool alone.

    has_nonrelevant  whether some of them have the grade 0
    """

    def __init__(self, level: float = 1) -> None:
        self._level = level
        self._index_of_topic: dict[bytes, int] = {}
        self._parts: list[tuple[Ints, Ids, Floats]] = []
        self.has_nonrelevant = False

    def __getstate__(self) -> dict[str, Any]:
        """What another process is told: not the tables of hashes, whose key it does not have."""
        tables = ("judged_index", "pooled_index")
        return {name: value for name, value in self.__dict__.items() if name not in tables}

    def add(self, rows: Rows) -> None:
        """Take the judgments of some whole topics; a row whose grade is no number is none."""
        graded = np.flatnonzero(~np.isnan(rows.value))
        topic_of_row = rows.topic_of_row[graded] + len(self._index_of_topic)
        self._parts.append((topic_of_row, rows.docs.take(graded).compact(), rows.value[graded]))
        self._index_of_topic.update(zip(rows.topics, count(len(self._index_of_topic))))
        is_nonrelevant = (rows.value >= 0) & (rows.value < self._level)
        self.has_nonrelevant |= bool(is_nonrelevant.any())

    def __contains__(self, topic: object) -> bool:
        """Whether the topic is judged."""
        return topic in self._index_of_topic

    def topics(self) -> list[bytes]:
        """The judged topics, in the order of the file."""
        return list(self._index_of_topic)

    def topic_indices(self, topic_ids: Sequence[bytes]) -> TopicIndices:
        """int64[T]: which of the judged topics each one is, or -1."""
        return np.array([self._index_of_topic.get(topic, -1) for topic in topic_ids], np.int64)

    @property
    def _columns(self) -> tuple[TopicOfRow, Ids, RowValues]:
        """The topic, the document and the grade of each judgment."""
        if len(self._parts) > 1:
            topics, docs, grades = zip(*self._parts, strict=True)
            self._parts = [(np.concatenate(topics), concatenate_ids(docs), np.concatenate(grades))]
        return self._parts[0]

    @cached_property
    def pooled_index(self) -> DocumentIndex:
        """Finds the documents of each topic."""
        return self._index_rows(np.arange(len(self._columns[0])))

    @cached_property
    def judged_index(self) -> DocumentIndex:
        """The same of those that are not in the pool alone."""
        is_judged = self._columns[2] >= 0
        return self.pooled_index if is_judged.all() else self._index_rows(is_judged.nonzero()[0])

    def prepare(self) -> None:
        """Make ready what finds documents."""
        if self._index_of_topic:
            _ = self.judged_index, self.pooled_index

    def _index_rows(self, row_indices: RowIndices) -> DocumentIndex:
        topic_of_row, docs, _ = self._columns
        while True:
            index = index_documents(
                topic_of_row[row_indices], len(self._index_of_topic), docs.take(row_indices)
            )
            if not isinstance(index, tuple):
                return index
            row_indices = np.delete(row_indices, index[1])

    def pooled_documents(self, topic: bytes) -> set[bytes]:
        """The documents of a topic."""
        topic_of_row, docs, _ = self._columns
        index = self._index_of_topic[topic]
        return set(docs.take(slice(*topic_of_row.searchsorted([index, index + 1]))).to_list())

    @property
    def judged_ids(self) -> JudgedIds:
        """What a doubt about a run needs of them."""
        num_judgments = sum(len(grades) for _, _, grades in self._parts)
        few = is_sparse(num_judgments, len(self._index_of_topic), self.has_nonrelevant)
        return JudgedIds(self.pooled_documents, lambda: set(self._columns[1].to_list()), few)
