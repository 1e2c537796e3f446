"""Judgments of the answers of runs, where the judgments hold the runs.

A run is a file of answers, of which irev looks at the run's name and the topics, or that name. What
was judged of an answer stands for documents: a nugget of the topic is a document that every answer
retrieves, with its label as the score; a citation is a document that its answer alone retrieves,
with its label as the grade.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from irev.core.arrays import offsets
from irev.core.ids import ids_from_bytes
from irev.core.judged import NO_LABEL, VITAL, Input, Qrels, Rows, Settings
from irev.core.text import as_bytes, count_text, shortened_list
from irev.engine.map_topics import InputResults, Step
from irev.errors import InputError, Notice, Problem, UsageError
from irev.rank.judgments import (
    GradedJudgments,
    Judgments,
    SupportJudgments,
    assemble_qrels,
    one_list_per_topic_and_group,
)
from irev.read.answers import (
    AnsweredTopics,
    AnswerSource,
    NuggetAssignments,
    SupportLabels,
    read_answered_topics,
    read_assignments,
    read_support,
)
from irev.read.formats import JUDGMENTS
from irev.read.inputs import stem_of
from irev.read.stream import Source

ItemNumbers = dict[bytes, float]
"""Nugget or citation -> its grade, or its score."""


class JudgedAnswers:
    """What was judged of the answers of runs."""

    def __init__(self, labels: NuggetAssignments | SupportLabels) -> None:
        self.path, self.sha256 = labels.path, labels.sha256
        self.topics_of_run: dict[str, frozenset[bytes]] = {
            run: frozenset(topics) for run, topics in labels.labels.items()
        }

    @property
    def run_names(self) -> list[str]:
        """The runs that were judged."""
        return sorted(self.topics_of_run)

    def is_run_name(self, text: str) -> bool:
        """Whether it is the name of a run that was judged, and of no file."""
        return text in self.topics_of_run and text != "-" and not os.path.lexists(text)

    def warnings(self) -> tuple[Notice, ...]:
        """What is doubtful about the judgments."""
        return ()

    def facts(self) -> dict[str, int]:
        """How much was judged."""
        return {"runs": len(self.topics_of_run)}

    def judgments(self, settings: Settings) -> Judgments:
        """What measures see of answers."""
        raise NotImplementedError

    def run_rows(self, run_name: str) -> Rows:
        """What stands for the documents that a run retrieves."""
        raise NotImplementedError

    def label_qrels_by_run_and_item(self) -> Qrels:
        """The labels of all runs as grades 2, 1 and 0, for comparison with another judge's."""
        raise NotImplementedError

    def run_notes(self, run_name: str) -> tuple[Notice, ...]:
        """What a reader must know of the labels of a run."""
        return ()


class NuggetAnswers(JudgedAnswers):
    """Answers by the nuggets that they hold."""

    def __init__(self, assignments: NuggetAssignments) -> None:
        super().__init__(assignments)
        self._assignments = assignments

    def warnings(self) -> tuple[Notice, ...]:
        """That a model gave no label."""
        num_failed = self._assignments.num_failed
        if not num_failed:
            return ()
        message = f"{count_text(num_failed, 'assignment')} failed: counted as not_support"
        return (Notice("failed-assignments", message, run=self.path),)

    @property
    def topics_without_vital(self) -> list[bytes]:
        """The topics of which no nugget is vital: V is 0 there."""
        grades = self._assignments.grades
        return sorted(topic for topic in grades if VITAL not in grades[topic].values())

    def facts(self) -> dict[str, int]:
        """How many runs, nuggets and labels there are."""
        grades = [g for topic in self._assignments.grades.values() for g in topic.values()]
        return {
            **super().facts(),
            "nuggets": len(grades),
            "vital": grades.count(VITAL),
            "failed": self._assignments.num_failed,
        }

    def judgments(self, settings: Settings) -> Judgments:
        """The nuggets, with grade 2 where they are vital and 1 where okay."""
        return GradedJudgments(_qrels(self._assignments.grades), settings)

    def run_rows(self, run_name: str) -> Rows:
        """The nuggets of the topics, with the labels of a run."""
        return _rows(self._assignments.labels[run_name])

    def label_qrels_by_run_and_item(self) -> Qrels:
        """A document for each run and nugget."""
        return _qrels_of_runs(
            {
                run: {
                    topic: {
                        nugget: NO_LABEL if label == NO_LABEL else 2 * label
                        for nugget, label in labels.items()
                    }
                    for topic, labels in topics.items()
                }
                for run, topics in self._assignments.labels.items()
            }
        )


class SupportedAnswers(JudgedAnswers):
    """Answers by whether their citations support what they say."""

    def __init__(self, labels: SupportLabels) -> None:
        super().__init__(labels)
        self._labels = labels
        # the number of a citation: sentence, and position there; 0: a sentence without citations
        self._citations: dict[str, dict[bytes, ItemNumbers]] = {
            run: {topic: _grades_of_citations(labels) for topic, labels in topics.items()}
            for run, topics in labels.labels.items()
        }

    def facts(self) -> dict[str, int]:
        """How many runs, sentences and citations there are."""
        answers = [labels for topics in self._labels.labels.values() for labels in topics.values()]
        citations = [label for answer in answers for sentence in answer for label in sentence]
        return {
            **super().facts(),
            "sentences": sum(map(len, answers)),
            "citations": len(citations),
            "judged_citations": sum(label != NO_LABEL for label in citations),
        }

    def judgments(self, settings: Settings) -> Judgments:
        """The citations of all runs, with their grades, and their sentences."""
        qrels = self.label_qrels_by_run_and_item()
        # behind the run's name stands `sentence.position`
        numbers = [
            [*map(int, name.rpartition(b" ")[2].split(b"."))] for name in qrels.docs.to_list()
        ]
        sentence, position = np.array(numbers, np.int64).reshape(-1, 2).T
        return SupportJudgments(qrels, sentence, position, settings)

    def run_rows(self, run_name: str) -> Rows:
        """The citations of a run, in the order of the text."""
        return _rows(
            {
                topic: {
                    as_bytes(run_name) + b" " + citation: float(len(grades) - place)
                    for place, citation in enumerate(grades)
                }
                for topic, grades in self._citations[run_name].items()
            }
        )

    def label_qrels_by_run_and_item(self) -> Qrels:
        """A document for each citation of each run."""
        return _qrels_of_runs(self._citations)

    def run_notes(self, run_name: str) -> tuple[Notice, ...]:
        """How many citations were judged, and how many answers have none."""
        answers = self._labels.labels[run_name].values()
        labels = [label for answer in answers for sentence in answer for label in sentence]
        num_judged = sum(label != NO_LABEL for label in labels)
        lines = []
        if num_judged < len(labels):
            lines.append(
                f"{num_judged} of {count_text(len(labels), 'citation')} were judged: the others "
                "are left out"
            )
        num_uncited = sum(
            all(label == NO_LABEL for sentence in answer for label in sentence)
            for answer in answers
        )
        if num_uncited:
            lines.append(
                f"{count_text(num_uncited, 'answer')} without a judged citation "
                f"{'counts' if num_uncited == 1 else 'count'} 0"
            )
        return tuple(Notice("unjudged-citations", line) for line in lines)


def read_judged_answers(qrels: Any, qrels_format: str, *, sign: bool = False) -> JudgedAnswers:
    """The judgments of the answers of all runs.

    Raises:
        UsageError: they are neither a file nor the objects of its lines.
        InputError: they cannot be read as such.
    """
    source: AnswerSource
    if isinstance(qrels, Source):
        source, run_name = qrels, stem_of(os.path.basename(qrels.path))
    elif isinstance(qrels, str | os.PathLike):
        source = os.fspath(qrels)
        run_name = stem_of(os.path.basename(source))
    elif isinstance(qrels, Iterable) and not isinstance(qrels, Mapping | bytes):
        source, run_name = qrels, "run"
    else:
        raise UsageError(
            f"-R {qrels_format}: give the path of a file, or a list of the objects of its lines"
        )
    if "support" in JUDGMENTS[qrels_format].gives:
        return SupportedAnswers(read_support(source, run_name, sign=sign))
    return NuggetAnswers(read_assignments(source, run_name, sign=sign))


def map_answers(
    judged: JudgedAnswers, run: Input, step: Step[Any], *, sign: bool
) -> InputResults[Any]:
    """What a step makes of a run: a file of answers, or the name of a run that was judged."""
    run_name, answers = _run_and_answers(judged, run, sign=sign)
    warnings = judged.run_notes(run_name)
    topics = set() if answers is None else {*answers.topics}
    without_labels = sorted(topics - judged.topics_of_run[run_name])
    if without_labels:
        have, counts = ("has", "counts") if len(without_labels) == 1 else ("have", "count")
        message = f"{count_text(len(without_labels), 'answer')} {have} no assignments and {counts}"
        shown_topics = shortened_list(without_labels, 10)
        warnings = (Notice("unlabelled-answer", f"{message} as missing: {shown_topics}"), *warnings)
    # there is no line of a run: this one is made up for its sixth field, the tag (`InputResults`)
    last = b"0 0 0 0 0 " + b"_".join(as_bytes(run_name).split())
    sha256 = None if answers is None else answers.sha256
    return InputResults([step(judged.run_rows(run_name))], last, sha256, warnings)


def _run_and_answers(
    judged: JudgedAnswers, run: Input, *, sign: bool
) -> tuple[str, AnsweredTopics | None]:
    """Which of the judged runs an input is, and its answers, if these are a file."""
    if not isinstance(run, str | os.PathLike | Source):
        raise UsageError("a run is a file of answers, or the name of a run in QRELS")
    path = run.path if isinstance(run, Source) else os.fspath(run)
    if not isinstance(run, Source) and judged.is_run_name(path):
        return path, None
    runs_text = f"the runs of {judged.path} are {shortened_list(judged.run_names)}"
    if not isinstance(run, Source) and path != "-" and not os.path.lexists(path):
        message = f"there is no file and no judged run of this name; {runs_text}"
        raise InputError([Problem(path, None, "no-file", message)])
    answers = read_answered_topics(run if isinstance(run, Source) else path, sign=sign)
    run_name = answers.run_id or stem_of(os.path.basename(path))
    if run_name not in judged.topics_of_run:
        message = f"no answer of run '{run_name}' is judged; {runs_text}"
        raise InputError([Problem(path, None, "nothing-judged", message)])
    return run_name, answers


def _grades_of_citations(labels: Sequence[Sequence[float]]) -> ItemNumbers:
    """The citations of an answer, `sentence.position`; a sentence without has one at position 0."""
    grades: ItemNumbers = {}
    for sentence, of_sentence in enumerate(labels, 1):
        if not of_sentence:
            grades[b"%d.0" % sentence] = NO_LABEL
        for position, label in enumerate(of_sentence, 1):
            grades[b"%d.%d" % (sentence, position)] = label
    return grades


def _qrels_of_runs(grades: Mapping[str, Mapping[bytes, ItemNumbers]]) -> Qrels:
    """What was judged of each run, as documents of the topics."""
    by_topic: dict[bytes, ItemNumbers] = {}
    for run, topics in grades.items():
        for topic, items in topics.items():
            of_topic = by_topic.setdefault(topic, {})
            for item, grade in items.items():
                of_topic[as_bytes(run) + b" " + item] = grade
    return _qrels(by_topic)


def _qrels(grades: Mapping[bytes, ItemNumbers]) -> Qrels:
    return assemble_qrels([one_list_per_topic_and_group(_rows(grades))])


def _rows(numbers_by_topic: Mapping[bytes, ItemNumbers]) -> Rows:
    """Nuggets or citations of topics as rows."""
    topics = [*numbers_by_topic]
    return Rows(
        topics,
        offsets([len(numbers_by_topic[topic]) for topic in topics]),
        ids_from_bytes([item for topic in topics for item in numbers_by_topic[topic]]),
        np.array([n for topic in topics for n in numbers_by_topic[topic].values()], np.float64),
    )
