"""Answers against assignments of nuggets: a nugget is a document, its label the run's score for it.

So measures see the nuggets of a topic as judged documents, all of which every answer retrieves.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import offsets
from irev.core.ids import ids_from_bytes
from irev.core.model import Rows
from irev.core.text import as_bytes
from irev.core.wording import count_text, shortened_list
from irev.engine.map_topics import InputResults
from irev.errors import InputError, Notice, Problem, UsageError
from irev.rank.judged_lists import assemble_qrels, one_list_per_topic_and_group
from irev.read.nuggets import Answers, NuggetAssignments, read_answers, read_assignments
from irev.read.stream import Source
from irev.scores.run_names import stem_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.model import Input, Qrels
    from irev.engine.map_topics import Step
    from irev.read.nuggets import NumberOfText

_MOST_TOPICS = 10


def read_nuggets(qrels: Input, *, sign: bool) -> NuggetAssignments:
    """The assignments of all runs.

    Raises:
        UsageError: they are no file.
        InputError: the file cannot be read as such.
    """
    if not isinstance(qrels, str | os.PathLike):
        raise UsageError("-R nuggets: give the path of a file of assignments")
    path = os.fspath(qrels)
    return read_assignments(path, stem_of(os.path.basename(path)), sign=sign)


def judged_run_ids(path: str) -> list[str]:
    """The runs in a file of assignments, by name."""
    return sorted(read_nuggets(path, sign=False).labels)


def nugget_qrels(assignments: NuggetAssignments) -> Qrels:
    """The nuggets as judged documents, with grade 2 where they are vital and 1 where okay."""
    return assemble_qrels([one_list_per_topic_and_group(_rows(assignments.grades))])


def assignment_warnings(assignments: NuggetAssignments) -> tuple[Notice, ...]:
    """What is doubtful about assignments."""
    if not assignments.num_failed:
        return ()
    message = f"{count_text(assignments.num_failed, 'assignment')} failed: counted as not_support"
    return (Notice("failed-assignments", message),)


def map_answers(
    assignments: NuggetAssignments, run: Input, step: Step[Any], *, sign: bool
) -> InputResults[Any]:
    """What a step makes of a run: a file of answers, or the name of a run that was judged."""
    run_id, answers = _run_id(assignments, run, sign=sign)
    labels = assignments.labels[run_id]
    warnings: tuple[Notice, ...] = ()
    without_labels = [] if answers is None else sorted({*answers.topics} - {*labels})
    if without_labels:
        have, counts = ("has", "counts") if len(without_labels) == 1 else ("have", "count")
        message = f"{count_text(len(without_labels), 'answer')} {have} no assignments and {counts}"
        topics = shortened_list(without_labels, _MOST_TOPICS)
        warnings = (Notice("unlabelled-answer", f"{message} as missing: {topics}"),)
    last = b"0 0 0 0 0 " + b"_".join(as_bytes(run_id).split())
    sha256 = None if answers is None else answers.sha256
    return InputResults([step(_rows(labels))], last, sha256, warnings)


def _run_id(
    assignments: NuggetAssignments, run: Input, *, sign: bool
) -> tuple[str, Answers | None]:
    """Which of the judged runs an input is, and its answers, if these are a file."""
    if not isinstance(run, str | os.PathLike | Source):
        raise UsageError("-R nuggets: a run is a file of answers, or the name of a run in QRELS")
    path = run.path if isinstance(run, Source) else os.fspath(run)
    is_name = not isinstance(run, Source) and path != "-" and not os.path.lexists(path)
    runs_text = f"the runs of {assignments.path} are {shortened_list(sorted(assignments.labels))}"
    if is_name:
        if path in assignments.labels:
            return path, None
        message = f"there is no file and no judged run of this name; {runs_text}"
        raise InputError([Problem(path, None, "no-file", message)])
    answers = read_answers(run if isinstance(run, Source) else path, sign=sign)
    run_id = answers.run_id or stem_of(os.path.basename(path))
    if run_id not in assignments.labels:
        message = f"no answer of run '{run_id}' is judged; {runs_text}"
        raise InputError([Problem(path, None, "nothing-judged", message)])
    return run_id, answers


def _rows(numbers_by_topic: dict[bytes, NumberOfText]) -> Rows:
    """The nuggets of topics as rows."""
    topics: Sequence[bytes] = [*numbers_by_topic]
    return Rows(
        [*topics],
        offsets([len(numbers_by_topic[topic]) for topic in topics]),
        ids_from_bytes([text for topic in topics for text in numbers_by_topic[topic]]),
        np.array([n for topic in topics for n in numbers_by_topic[topic].values()], np.float64),
    )
