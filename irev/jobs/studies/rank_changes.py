"""How much a measure changes where the document at a rank becomes relevant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Floats, Ints, column_means
from irev.core.model import Input
from irev.core.record import record
from irev.core.text import as_bytes, escape_non_utf8
from irev.errors import MismatchError, UsageError, id_text
from irev.jobs.plots.figures import curves_figure
from irev.jobs.plots.result_parts import add_signature, input_label
from irev.jobs.studies.changes import (
    OUTSIDE,
    POOLED,
    Changes,
    JudgedRanking,
    Scorer,
    falling_scores,
    open_places,
    relevant_places,
    score_before,
    scores_after,
    slopes,
)
from irev.jobs.studies.closed_forms import change_form, gains_of, slope_form
from irev.jobs.studies.plans import DEPTH
from irev.jobs.studies.run_rankings import RunRankings, lacking, rankings_of_run, without_relevant
from irev.jobs.study_result import StudyResult
from irev.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from irev.jobs.studies.closed_forms import Form


def sensitivity_of_ranking(
    grades: Sequence[float],
    measures: Sequence[str],
    *,
    relevant: Sequence[float] | None = None,
    grade: float | None = None,
    grows: bool = True,
    options: Options | None = None,
) -> StudyResult:
    """What it does to measures that the document at rank j of a made ranking becomes relevant.

    For each rank j without a relevant document: dv(j), the new score less the old, where that
    document gets a grade (Kishida 2005, eqs. 9-17, 37, 44). For each rank with one: the slope
    dv/dx_j, x_j its gain (eqs. 28, 33, 36, 43). Closed forms are used where they exist; otherwise
    the ranking is scored again, a slope being the difference over a small step.

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
    return add_signature(study.of_one(ranking, parameters), study.scorer.definitions, options)


def made_ranking(
    grades: Sequence[float], relevant: Sequence[float] | None, level: int
) -> JudgedRanking:
    """A ranking of grades; `relevant` has those of all relevant documents, retrieved or not."""
    grade = np.array(grades, float)
    grade[grade < 0] = OUTSIDE
    ideal = grade[grade >= 0]
    if relevant is not None:
        rest = list(relevant)
        for each in grade[grade >= level].tolist():
            if each not in rest:
                raise UsageError(
                    f"the ranking has a document of grade {each:g} more than there are; the "
                    f"relevant grades are: {', '.join(f'{known:g}' for known in relevant)}"
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
    format: str = "qrels",
    options: Options | None = None,
    watched: Callable[[Sequence[int]], Iterable[int]] = iter,
) -> StudyResult:
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
        format: what the judgments hold, as `irev.evaluate` has it: grades.
        options: the choices that define an evaluation.
        watched: passes on the topics as they are worked on; for a progress bar.
    """
    options = options or Options()
    if document is not None and topic is None:
        raise UsageError("a document belongs to a topic: name the topic too")
    read = rankings_of_run(qrels, run, measures, options, format)
    what = What(_new_grade(grade, options), grows, depth)
    study = ChangeStudy(
        Scorer(measures, options, max(read.highest, what.grade)), what, options.level
    )
    parameters = {
        "qrels": input_label(qrels),
        "run": input_label(run),
        "measures": list(study.scorer.names),
        "level": options.level,
        **what.parameters(),
    }
    outcome = _of_run(study, read, parameters, topic, document, watched)
    outcome = replace(outcome, remarks=(*outcome.remarks, *read.doubts))
    return add_signature(outcome, study.scorer.definitions, options, qrels=[qrels], runs=[run])


def _of_run(
    study: ChangeStudy,
    read: RunRankings,
    parameters: dict[str, Any],
    topic: bytes | str | None,
    document: bytes | str | None,
    watched: Callable[[Sequence[int]], Iterable[int]],
) -> StudyResult:
    if topic is None:
        return study.of_all(read, parameters, watched)
    number = read.number(as_bytes(topic))
    parameters["topic"] = escape_non_utf8(read.topics[number])
    if document is None:
        return study.of_one(read.ranking(number), parameters)
    parameters.pop("depth")
    parameters["document"] = escape_non_utf8(as_bytes(document))
    return study.of_document(read, number, as_bytes(document), parameters)


def _new_grade(grade: float | None, options: Options) -> float:
    return float(max(options.level, 1)) if grade is None else float(grade)


@record(eq=True)
class What:
    """What happens to a document.

    grade  the grade that it gets
    grows  whether R grows with it and the ideal list is recomputed, or both stay as they are
    depth  the last rank whose document is changed
    """

    grade: float
    grows: bool = True
    depth: int = DEPTH

    def parameters(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        return {
            "grade": self.grade,
            "recall": "grows" if self.grows else "fixed",
            "depth": self.depth,
        }


class ChangeStudy:
    """The measures and the change, for any ranking."""

    def __init__(self, scorer: Scorer, what: What, level: int) -> None:
        self.scorer = scorer
        self._what = what
        self._level = level
        self._makes_relevant = what.grade >= level
        self._forms = self._change_forms()
        if not what.grows:
            _check_fixed(scorer)

    def _change_forms(self) -> list[Form | None]:
        what = self._what
        return [
            change_form(request, column, what.grade, grows=what.grows)
            if self._makes_relevant
            else None
            for request, column in self.scorer.places
        ]

    def changes(self, ranking: JudgedRanking, places: Ints, before: Floats) -> Floats:
        """float64[V, C]: by how much each score changes with the document at each place."""
        gains = gains_of(ranking, self._level)
        forms = self._forms if gains is not None else [None] * len(self._forms)
        found = np.empty((len(places), len(forms)))
        if None in forms:
            old = ranking.grade[places]
            new = np.full(len(places), self._what.grade)
            changes = Changes(places, old, new, self._what.grows)
            found[:] = scores_after(self.scorer, ranking, changes) - before
        for column, form in enumerate(forms):
            if form is not None and gains is not None:
                found[:, column] = form.ranks(gains)[places]
        return found

    def slopes(self, ranking: JudgedRanking, places: Ints, before: Floats) -> Floats:
        """float64[V, C]: the slope of each score by the gain of the document at each place."""
        grows = self._what.grows
        found = slopes(self.scorer, ranking, places, before, grows=grows)
        gains = gains_of(ranking, self._level)
        for column, (request, number) in enumerate(self.scorer.places):
            form = None if grows else slope_form(request, number)
            if form is not None and gains is not None:
                found[:, column] = form.ranks(gains)[places]
        return found

    def of_one(self, ranking: JudgedRanking, parameters: dict[str, Any]) -> StudyResult:
        """The outcome of one ranking."""
        import pandas as pd

        names, depth = self.scorer.names, self._what.depth
        before = score_before(self.scorer, ranking)
        places = open_places(ranking, self._level, depth)
        found = self.changes(ranking, places, before)
        relevant = relevant_places(ranking, self._level, depth)
        steep = self.slopes(ranking, relevant, before)
        drawn = _long(names, places, found)
        tables = {
            "scores": pd.DataFrame({"measure": names, "score": before, "change by": self._how()}),
            "changes": _wide(names, ranking, places, found),
            "slopes": _wide(names, ranking, relevant, steep),
            "sensitivity": drawn,
        }
        shown_tables = ("changes", "slopes", "scores") if len(relevant) else ("changes", "scores")
        return StudyResult(
            "sensitivity", parameters, tables, shown_tables,
            {"sensitivity": lambda: _figure(drawn, self._what, "change of the score")},
        )  # fmt: skip

    def _how(self) -> list[str]:
        return [form.equation if form is not None else "scored again" for form in self._forms]

    def of_document(
        self, read: RunRankings, number: int, document: bytes, parameters: dict[str, Any]
    ) -> StudyResult:
        """The outcome of one document of one topic."""
        import pandas as pd

        ranking = read.ranking(number)
        place, old = _place_of(read, number, document)
        before = score_before(self.scorer, ranking)
        change = Changes(
            np.array([place]), np.array([old]), np.array([self._what.grade]), self._what.grows
        )
        after = scores_after(self.scorer, ranking, change)[0]
        rank = place + 1 if place >= 0 else None
        about = {
            "topic": [escape_non_utf8(read.topics[number])],
            "document": [escape_non_utf8(document)],
            "rank": ["not retrieved" if rank is None else str(rank)],
            "grade": [_shown_grade(old)],
            "becomes": [f"{self._what.grade:g}"],
        }
        scores = {"measure": self.scorer.names, "before": before, "after": after}
        table = pd.DataFrame({**scores, "change": after - before})
        tables = {"document": pd.DataFrame(about), "scores": table}
        return StudyResult("sensitivity", parameters, tables, ("document", "scores"))

    def of_all(
        self,
        read: RunRankings,
        parameters: dict[str, Any],
        watched: Callable[[Sequence[int]], Iterable[int]],
    ) -> StudyResult:
        """The outcome of the mean over the topics."""
        import pandas as pd

        names = self.scorer.names
        numbers = read.with_relevant(self._level)
        by_topic = [self._of_topic(read.ranking(number)) for number in watched(numbers)]
        scores = np.stack([before for before, _, _ in by_topic])
        places = np.concatenate([places for _, places, _ in by_topic])
        found = np.concatenate([changes for _, _, changes in by_topic])
        mean, count = _means(places, found, self._what.depth)
        here = np.flatnonzero(count)
        drawn = _long(names, here, mean[here])
        drawn.insert(2, "topics", np.repeat(count[here], len(names)))
        every = _long(names, places, found)
        topics = np.repeat(numbers, [changes.size for _, _, changes in by_topic])
        every.insert(
            0, "topic", [escape_non_utf8(read.topics[number]) for number in topics.tolist()]
        )
        means = column_means(scores)
        tables = {
            "scores": pd.DataFrame({"measure": names, "mean": means, "change by": self._how()}),
            "changes": pd.DataFrame(
                {
                    "rank": here + 1,
                    "topics": count[here],
                    **{name: mean[here, column] for column, name in enumerate(names)},
                }
            ),
            "sensitivity": drawn,
            "topics": every,
        }
        return StudyResult(
            "sensitivity", parameters, tables, ("changes", "scores"),
            {"sensitivity": lambda: _figure(drawn, self._what, "mean change of the score")},
            (
                f"mean over {len(numbers)} topics",
                *without_relevant(len(read.topics) - len(numbers)),
                *lacking(read.missing(self._level), "left out"),
            ),
        )  # fmt: skip

    def _of_topic(self, ranking: JudgedRanking) -> tuple[Floats, Ints, Floats]:
        """(float64[C] scores; int64[V] places; float64[V, C] changes by the document at each)."""
        before = score_before(self.scorer, ranking)
        places = open_places(ranking, self._level, self._what.depth)
        return before, places, self.changes(ranking, places, before)


_IDEAL_OF_DOCUMENTS = ("Compat",)
"""Measures whose ideal list is one of documents: it cannot lack one that is relevant."""


def _check_fixed(scorer: Scorer) -> None:
    for name in {request.measure.name for request, _ in scorer.places}:
        if name in _IDEAL_OF_DOCUMENTS:
            raise UsageError(f"the ideal list of {name} cannot be kept fixed: use --ideal grows")


def _place_of(read: RunRankings, number: int, document: bytes) -> tuple[int, float]:
    """A document's place in a ranking, from 0 (-1: not retrieved), and its grade."""
    found = read.found[number]
    documents = found.documents
    if document in documents:
        place = documents.index(document)
        return place, float(found.grade[0, place])
    qrels = read.qrels
    judged_list = int(qrels.list_start[qrels.topic_index[read.topics[number]]])
    here = slice(int(qrels.start[judged_list]), int(qrels.stop[judged_list]))
    judged = qrels.docs.take(np.arange(here.start, here.stop)).to_list()
    if document not in judged:
        raise MismatchError(
            f"topic {id_text(read.topics[number])}: neither the run nor the qrels have a document "
            f"{id_text(document)}"
        )
    grade = float(qrels.grade[here][judged.index(document)])
    return -1, POOLED if grade < 0 else grade


def _shown_grade(grade: float) -> str:
    return {OUTSIDE: "not judged", POOLED: "not judged"}.get(grade, f"{grade:g}")


def _wide(
    names: tuple[str, ...], ranking: JudgedRanking, places: Ints, found: Floats
) -> pd.DataFrame:
    """A line for each rank, a column for each measure."""
    import pandas as pd

    about = {
        "rank": places + 1,
        "grade": [_shown_grade(grade) for grade in ranking.grade[places].tolist()],
    }
    return pd.DataFrame({**about, **{name: found[:, column] for column, name in enumerate(names)}})


def _long(names: tuple[str, ...], places: Ints, found: Floats) -> pd.DataFrame:
    """A line for each rank and measure."""
    import pandas as pd

    return pd.DataFrame(
        {
            "rank": np.repeat(places + 1, len(names)),
            "measure": np.tile(np.array(names, object), len(places)),
            "change": found.ravel(),
        }
    )


def _means(places: Ints, found: Floats, depth: int) -> tuple[Floats, Ints]:
    """(float64[depth, C], int64[depth]): the mean at each place, and over how many topics."""
    width = min(depth, int(places.max(initial=-1)) + 1)
    count = np.bincount(places, minlength=width)
    total = np.stack([np.bincount(places, column, minlength=width) for column in found.T], axis=1)
    return total / np.maximum(count, 1)[:, None], count


def _figure(drawn: pd.DataFrame, what: What, label: str) -> Figure:
    base = "R grows" if what.grows else "R fixed"
    return curves_figure(
        drawn, x_column="rank", y_column="change", series_column="measure",
        axes_labels=(f"rank of the document that gets grade {what.grade:g} ({base})", label),
        has_zero_line=True,
    )  # fmt: skip
