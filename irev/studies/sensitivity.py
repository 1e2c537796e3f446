"""How much a measure changes where the document at a rank becomes relevant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.inputs import Input
from irev.core.text import as_bytes, storable
from irev.errors import UsageError
from irev.options import Options
from irev.studies.change_study import DEPTH, ChangeStudy, What
from irev.studies.changes import JudgedRanking
from irev.studies.run_rankings import named, rankings_of_run
from irev.studies.signing import signed
from irev.studies.stacks import OUTSIDE, Scorer, falling_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from irev.plots.record import Record
    from irev.studies.run_rankings import RunRankings


def sensitivity_of_ranking(
    grades: Sequence[float],
    measures: Sequence[str],
    *,
    relevant: Sequence[float] | None = None,
    grade: float | None = None,
    grows: bool = True,
    options: Options | None = None,
) -> Record:
    """What it does to measures that the document at rank j of a made ranking becomes relevant.

    For each rank j without a relevant document: dv(j), the new score less the old, where that
    document gets a grade (Kishida 2005, eqs. 9-17, 37, 44). For each rank with one: the slope
    dv/dx_j, x_j its gain (eqs. 28, 33, 36, 43). Closed forms are used where they exist; otherwise
    the ranking is scored anew, a slope being the difference over a small step.

    Args:
        grades: the grade at each rank; -1: the document has no judgment.
        measures: names as the command line takes them, of measures on grades.
        relevant: the grades of all relevant documents of the topic, retrieved or not; None: there
            are no others than those of the ranking.
        grade: what the document gets; None: the smallest relevant grade, at least 1.
        grows: whether R, the number of relevant documents, grows with it and the ideal list is
            recomputed (eqs. 15-17), or both stay as they are (eqs. 9-12, 28-44).
        options: the choices that define an evaluation.

    Returns:
        Tables `scores`, `changes` and `slopes`, and `sensitivity` with its figure.

    Raises:
        UsageError: a measure that makes no sense here; more relevant documents in the ranking than
            `relevant` has.
    """
    options = options or Options()
    ranking = made_ranking(grades, relevant, options.level)
    what = What(_new_grade(grade, options), grows, len(ranking.grade))
    highest = max(float(ranking.ideal.max(initial=0.0)), what.grade)
    study = ChangeStudy(Scorer(measures, options, highest), what, options.level)
    parameters = {
        "ranking": ranking.grade.tolist(),
        "judged": ranking.ideal.tolist(),
        "measures": list(study.scorer.names),
        "level": options.level,
        **what.parameters(),
    }
    return signed(study.of_one(ranking, parameters), study.scorer, options)


def made_ranking(
    grades: Sequence[float], relevant: Sequence[float] | None, level: int
) -> JudgedRanking:
    """A ranking of given grades; `relevant` has those of all relevant documents, retrieved or not.

    Raises:
        UsageError: the ranking has relevant documents that `relevant` has not.
    """
    grade = np.array(grades, float)
    grade[grade < 0] = OUTSIDE
    ideal = grade[grade >= 0]
    if relevant is not None:
        rest = list(relevant)
        for each in grade[grade >= level].tolist():
            if each not in rest:
                raise UsageError(
                    f"the ranking has a document of grade {each:g} more than the relevant ones "
                    f"that there are: {', '.join(f'{known:g}' for known in relevant)}"
                )
            rest.remove(each)
        ideal = np.concatenate([ideal, rest])
    return JudgedRanking(grade, np.sort(ideal)[::-1], falling_scores(len(grade)))


def sensitivity_of_run(
    qrels: Input,
    run: Input,
    measures: Sequence[str],
    *,
    topic: bytes | str | None = None,
    document: bytes | str | None = None,
    grade: float | None = None,
    grows: bool = True,
    depth: int = DEPTH,
    options: Options | None = None,
    watched: Callable[[Sequence[int]], Iterable[int]] = iter,
) -> Record:
    """The same for a run: one document, the ranks of one topic, or the mean over the topics.

    The mean at rank j is over the topics that have relevant documents, but none at that rank.

    Args:
        qrels: judgments, as `irev.evaluate` takes them.
        run: a run, likewise.
        measures: names as the command line takes them, of measures on grades.
        topic: the topic whose ranking is changed; None: the mean over all.
        document: the document of that topic that gets the grade, retrieved or not; None: that at
            each rank without a relevant document, in turn.
        grade: what the document gets; None: the smallest relevant grade, at least 1.
        grows: whether R grows with it and the ideal list is recomputed, or both stay.
        depth: the last rank whose document is changed.
        options: the choices that define an evaluation.
        watched: passes on the topics as they are worked on; for a progress bar.

    Raises:
        UsageError: a measure or option that makes no sense here.
        InputError: an input that cannot be read.
        MismatchError: the topic is not there; no topic in common.
    """
    options = options or Options()
    if document is not None and topic is None:
        raise UsageError("a document is one of a topic: name the topic too")
    read = rankings_of_run(qrels, run, measures, options)
    what = What(_new_grade(grade, options), grows, depth)
    study = ChangeStudy(
        Scorer(measures, options, max(read.highest, what.grade)), what, options.level
    )
    parameters = {
        "qrels": named(qrels),
        "run": named(run),
        "measures": list(study.scorer.names),
        "level": options.level,
        **what.parameters(),
    }
    record = _of_run(study, read, parameters, topic, document, watched)
    return signed(record, study.scorer, options, qrels=[qrels], runs=[run])


def _of_run(
    study: ChangeStudy,
    read: RunRankings,
    parameters: dict[str, Any],
    topic: bytes | str | None,
    document: bytes | str | None,
    watched: Callable[[Sequence[int]], Iterable[int]],
) -> Record:
    if topic is None:
        return study.of_all(read, parameters, watched)
    number = read.number(as_bytes(topic))
    parameters["topic"] = storable(read.topics[number])
    if document is None:
        return study.of_one(read.ranking(number), parameters)
    parameters.pop("depth")
    parameters["document"] = storable(as_bytes(document))
    return study.of_document(read, number, as_bytes(document), parameters)


def _new_grade(grade: float | None, options: Options) -> float:
    return float(max(options.level, 1)) if grade is None else float(grade)
