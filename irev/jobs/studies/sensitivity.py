"""`irev.studies.sensitivity`: what one more relevant document at each rank does to a measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from irev.core.arrays import Ints, MeasureValues, RankingsByMeasures, column_means
from irev.core.job import FigureWidth, job
from irev.core.judged import POOLED, UNKNOWN, Input
from irev.core.option_records import Opt
from irev.core.record import record
from irev.core.text import as_bytes, count_text, escape_non_utf8
from irev.core.workers import progress_reporter
from irev.errors import MismatchError, UsageError, id_text, note
from irev.jobs.plots.plot import add_signature, curves_figure, input_label
from irev.jobs.result import StudyResult
from irev.jobs.studies.judgment_changes import (
    DocumentChanges,
    JudgedRanking,
    RankingStudyOptions,
    RunRankings,
    StackScorer,
    change_form,
    changed_values,
    check_grades_present,
    falling_scores,
    gain_slopes,
    kishida_ranking,
    no_relevant_notes,
    nonrelevant_rank_indices,
    parse_counts,
    parse_numbers,
    parse_ranking,
    read_run_rankings,
    refuse_options,
    relevant_rank_indices,
    slope_form,
    unchanged_values,
    undiscovered_by_formula,
    undiscovered_in_run,
)
from irev.measures.naming.grammar import measure_names
from irev.options import Options
from irev.read.formats import GRADED, JUDGMENTS, format_names
from irev.scores.scores import missing_topic_warnings

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


DEEPEST_CHANGED = 100
"""Down to which rank documents of a run are changed, unless more is asked for."""

CHANGED = ("AP", "Rprec", "P@10", "nDCG@10")
"""What is looked at where no measure is named."""

RELEVANT, SCORES = (10, 50, 100), (0.1, 0.3, 0.5)
"""Numbers of relevant documents, and average precisions, of the table of undiscovered ones."""

_OF_RUN, _OF_RANKING = ("topic", "document", "depth"), ("ranking_grades", "present")


class SensitivityOptions(RankingStudyOptions):
    """What becomes relevant, and in which ranking."""

    without: ClassVar[Sequence[str]] = ("qrels_format",)

    qrels_format: Annotated[
        str,
        Opt(
            "-R",
            metavar="FORMAT",
            effect="reading",
            choices=GRADED,
            help=f"Format of QRELS: {format_names({name: JUDGMENTS[name] for name in GRADED})}.",
        ),
    ] = "qrels"
    ranking_grades: Annotated[
        Sequence[float],
        Opt(
            "--ranking",
            metavar="GRADES",
            parse=parse_ranking,
            help="An artificial ranking: the grade at each rank, with commas; - is not judged.",
        ),
    ] = ()
    relevant: Annotated[
        int | Sequence[int] | None,
        Opt(
            "--relevant",
            metavar="R",
            parse=parse_counts,
            help="With --ranking: how many relevant documents there are, retrieved or not; those "
            "that are not have the smallest relevant grade. Default: those of the ranking. With "
            f"--undiscovered: a list. Default: {','.join(map(str, RELEVANT))}.",
        ),
    ] = None
    present: Annotated[
        Sequence[float],
        Opt(
            "--grades-present",
            metavar="GRADES",
            parse=parse_numbers,
            help="With --ranking, instead: the grades of all relevant documents, such as 3,2,1.",
        ),
    ] = ()
    topic: Annotated[
        str | bytes | int | None,
        Opt("-t", "--topic", metavar="TOPIC", help="Change the ranking of this topic alone."),
    ] = None
    document: Annotated[
        str | bytes | None, Opt("--doc", metavar="DOC", help="Change this document of it alone.")
    ] = None
    grade: Annotated[
        float | None,
        Opt(
            "--grade",
            metavar="G",
            help="The grade that the document gets. Default: the smallest relevant one.",
        ),
    ] = None
    base: Annotated[
        Literal["grows", "recomputed", "fixed"],
        Opt(
            "--recall",
            "--ideal",
            help="Whether the number of relevant documents grows and the ideal list is recomputed "
            "(grows or recomputed, the default), or both stay as they are (fixed).",
        ),
    ] = "grows"
    depth: Annotated[
        int | None,
        Opt(
            "--depth",
            metavar="N",
            least=1,
            help=f"With a run: change documents down to this rank. Default: {DEEPEST_CHANGED}.",
        ),
    ] = None
    undiscovered: Annotated[
        int | None,
        Opt(
            "--undiscovered",
            metavar="DEPTH",
            least=1,
            help="The effect of a relevant document that a pool of this depth missed.",
        ),
    ] = None
    scores: Annotated[
        Sequence[float],
        Opt(
            "--scores",
            metavar="LIST",
            parse=parse_numbers,
            help="With --undiscovered: values of average precision without that document. Default: "
            f"{','.join(map(str, SCORES))}.",
        ),
    ] = ()

    def _check(self) -> None:
        super()._check()
        if self.undiscovered is not None:
            refuse_options(self, (*_OF_RUN, *_OF_RANKING), "--undiscovered")
            if not self.ideal_grows:
                raise UsageError(
                    "--undiscovered has R grow: --recall fixed cannot be combined with it"
                )
        else:
            refuse_options(self, ("scores",), "a ranking")
        if self.present and self.relevant is not None:
            raise UsageError(
                "--grades-present says how many relevant documents there are: no --relevant"
            )
        check_grades_present(self.present)
        if self.grade is not None and self.grade < 0:
            raise UsageError(f"--grade {self.grade:g}: must be one grade of at least 0")

    @property
    def ideal_grows(self) -> bool:
        """Whether the number of relevant documents grows and the ideal list is recomputed."""
        return self.base != "fixed"

    @property
    def topic_id(self) -> bytes | None:
        """The topic as files have it."""
        topic = str(self.topic) if isinstance(self.topic, int) else self.topic
        return None if topic is None else as_bytes(topic)

    @property
    def document_id(self) -> bytes | None:
        """The document as files have it."""
        return None if self.document is None else as_bytes(self.document)

    @property
    def numbers_relevant(self) -> Sequence[int]:
        """Numbers of relevant documents; none where they were not given."""
        if self.relevant is None:
            return ()
        return (self.relevant,) if isinstance(self.relevant, int) else tuple(self.relevant)

    def relevant_grades(self) -> Sequence[float] | None:
        """The grades of all relevant documents of the made ranking, if they were given."""
        if self.present or self.relevant is None:
            return self.present or None
        total, *more = self.numbers_relevant
        retrieved = [grade for grade in self.ranking_grades if grade >= self.level]
        if more or total < len(retrieved):
            shown = ",".join(map(str, self.numbers_relevant))
            raise UsageError(
                f"--relevant {shown}: with --ranking give one number, at least the "
                f"{len(retrieved)} relevant documents that the ranking has"
            )
        return [*retrieved, *[float(self.level or 1)] * (total - len(retrieved))]


@job(SensitivityOptions)
def sensitivity(
    qrels: Input | None = None,
    run: Input | None = None,
    measures: object = (),
    *,
    options: SensitivityOptions,
) -> StudyResult:
    """How measures change when the document at rank j becomes relevant, for every j.

    Args:
        qrels: judgments, as `irev.evaluate` takes them; None for a made ranking.
        run: a run, where there are judgments.
        measures: names as `irev.evaluate` takes them, of measures on grades; none: AP, Rprec, P@10
            and nDCG@10.
        options: the record `SensitivityOptions`, whose fields are keywords, too.

    Returns:
        Tables `changes`, `scores` and, of one ranking, `slopes`, and `sensitivity` with its figure;
        of undiscovered documents `change` or `topics` and `range`, and `undiscovered`.

    Raises:
        UsageError: an option or a measure that makes no sense here.
        InputError: an input that cannot be read.
        MismatchError: a topic or document that the inputs lack.
    """
    has_run, depth = run is not None, options.undiscovered
    has_ranking = has_run or len(options.ranking_grades) > 0 or depth is not None
    if has_run != (qrels is not None) or not has_ranking:
        raise UsageError("give a ranking, or judgments and one run")
    if has_run:
        refuse_options(options, (*_OF_RANKING, "relevant", "scores"), "QRELS RUN")
    else:
        refuse_options(options, _OF_RUN, "a made ranking")
    options.load_plugins()
    requested_names, evaluation = measure_names(measures), options.base_record(Options)
    names = requested_names or CHANGED
    if depth is not None:
        if has_run:
            return undiscovered_in_run(
                qrels,
                run,
                names,
                depth,
                new_grade=options.grade,
                qrels_format=options.qrels_format,
                options=evaluation,
            )
        if requested_names:
            raise UsageError("the formula is for average precision: -m needs QRELS RUN")
        return undiscovered_by_formula(
            depth, options.numbers_relevant or RELEVANT, options.scores or SCORES
        )
    if not has_run:
        return sensitivity_of_ranking(
            options.ranking_grades,
            names,
            relevant_grades=options.relevant_grades(),
            new_grade=options.grade,
            ideal_grows=options.ideal_grows,
            options=evaluation,
        )
    return sensitivity_of_run(
        qrels,
        run,
        names,
        topic_id=options.topic_id,
        document_id=options.document_id,
        new_grade=options.grade,
        ideal_grows=options.ideal_grows,
        depth=options.depth or DEEPEST_CHANGED,
        qrels_format=options.qrels_format,
        options=evaluation,
        watch=progress_reporter("topics"),
    )


def sensitivity_of_ranking(
    grades: Sequence[float],
    measures: Sequence[str],
    *,
    relevant_grades: Sequence[float] | None = None,
    new_grade: float | None = None,
    ideal_grows: bool = True,
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
        relevant_grades: those of all relevant documents of the topic, retrieved or not; None: there
            are no others than those of the ranking.
        new_grade: what the document gets; None: the smallest relevant grade, at least 1.
        ideal_grows: whether R, the number of relevant documents, grows with it and the ideal list
            is recomputed (eqs. 15-17), or both stay as they are (eqs. 9-12, 28-44).
        options: the choices that define an evaluation.

    Returns:
        Tables `scores`, `changes` and `slopes`, and `sensitivity` with its figure.
    """
    options = options or Options()
    ranking = artificial_ranking(grades, relevant_grades, options.level)
    change = GradeChange(_grade_or_default(new_grade, options), ideal_grows, len(ranking.grade))
    highest_grade = max(float(ranking.ideal.max(initial=0.0)), change.grade)
    study = SensitivityStudy(StackScorer(measures, options, highest_grade), change, options.level)
    parameters = {
        "ranking": ranking.grade.tolist(),
        "judged": ranking.ideal.tolist(),
        "measures": list(study.scorer.names),
        "level": options.level,
        **change.parameters(),
    }
    return add_signature(
        study.ranking_result(ranking, parameters), study.scorer.definitions, options
    )


def artificial_ranking(
    grades: Sequence[float], relevant_grades: Sequence[float] | None, level: float
) -> JudgedRanking:
    """A ranking of grades; `relevant_grades`: of all relevant documents, retrieved or not."""
    ranked_grades = np.array(grades, float)
    ranked_grades[ranked_grades < 0] = UNKNOWN
    ideal = ranked_grades[ranked_grades >= 0]
    if relevant_grades is not None:
        remaining_grades = list(relevant_grades)
        for ranked_grade in ranked_grades[ranked_grades >= level].tolist():
            if ranked_grade not in remaining_grades:
                shown_grades = ", ".join(f"{grade:g}" for grade in relevant_grades)
                raise UsageError(
                    f"the ranking has a document of grade {ranked_grade:g} more than there are; "
                    f"the relevant grades are: {shown_grades}"
                )
            remaining_grades.remove(ranked_grade)
        ideal = np.concatenate([ideal, remaining_grades])
    return JudgedRanking(ranked_grades, np.sort(ideal)[::-1], falling_scores(len(ranked_grades)))


def sensitivity_of_run(
    qrels: Input,
    run: Input,
    measures: Sequence[str],
    *,
    topic_id: bytes | str | None = None,
    document_id: bytes | str | None = None,
    new_grade: float | None = None,
    ideal_grows: bool = True,
    depth: int = DEEPEST_CHANGED,
    qrels_format: str = "qrels",
    options: Options | None = None,
    watch: Callable[[Sequence[int]], Iterable[int]] = iter,
) -> StudyResult:
    """The same for a run: one document, the ranks of one topic, or the mean over the topics.

    The mean at rank j is over the topics that have relevant documents, but none at that rank.

    Args:
        qrels: judgments, as `irev.evaluate` takes them.
        run: a run, likewise.
        measures: names as the command line takes them, of measures on grades.
        topic_id: the topic whose ranking is changed; None: the mean over all.
        document_id: the document of that topic that gets the grade, retrieved or not; None: that at
            each rank without a relevant document, in turn.
        new_grade: what the document gets; None: the smallest relevant grade, at least 1.
        ideal_grows: whether R grows with it and the ideal list is recomputed, or both stay.
        depth: the last rank whose document is changed.
        qrels_format: what the judgments hold, as `irev.evaluate` has it: grades.
        options: the choices that define an evaluation.
        watch: passes on the topics as they are worked on; for a progress bar.
    """
    options = options or Options()
    if document_id is not None and topic_id is None:
        raise UsageError("a document belongs to a topic: name the topic too")
    rankings = read_run_rankings(qrels, run, measures, options, qrels_format)
    change = GradeChange(_grade_or_default(new_grade, options), ideal_grows, depth)
    study = SensitivityStudy(
        StackScorer(measures, options, max(rankings.highest_grade, change.grade)),
        change,
        options.level,
    )
    parameters = {
        "qrels": input_label(qrels),
        "run": input_label(run),
        "measures": list(study.scorer.names),
        "level": options.level,
        **change.parameters(),
    }
    if topic_id is None:
        result = study.mean_result(rankings, parameters, watch)
    else:
        topic_index = rankings.topic_index(as_bytes(topic_id))
        parameters["topic"] = escape_non_utf8(rankings.topics[topic_index])
        if document_id is None:
            result = study.ranking_result(rankings.judged_ranking(topic_index), parameters)
        else:
            del parameters["depth"]
            parameters["document"] = escape_non_utf8(as_bytes(document_id))
            result = study.document_result(rankings, topic_index, as_bytes(document_id), parameters)
    result = replace(result, notices=(*result.notices, *rankings.notices))
    return add_signature(result, study.scorer.definitions, options, qrels=[qrels], runs=[run])


def _grade_or_default(new_grade: float | None, options: Options) -> float:
    return float(options.level or 1) if new_grade is None else float(new_grade)


@record(eq=True)
class GradeChange:
    """What happens to a document.

    grade        the grade that it gets
    ideal_grows  whether R grows with it and the ideal list is recomputed, or both stay as they are
    depth        the last rank whose document is changed
    """

    grade: float
    ideal_grows: bool = True
    depth: int = DEEPEST_CHANGED

    def parameters(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        return {
            "grade": self.grade,
            "recall": "grows" if self.ideal_grows else "fixed",
            "depth": self.depth,
        }


class SensitivityStudy:
    """The measures and the change, for any ranking."""

    def __init__(self, scorer: StackScorer, change: GradeChange, level: float) -> None:
        self.scorer = scorer
        self._change = change
        self._level = level

        self._forms_of_columns = [
            change_form(request, column, change.grade, ideal_grows=change.ideal_grows)
            if change.grade >= level
            else None
            for request, column in scorer.request_columns
        ]
        if not change.ideal_grows:
            for name in {request.measure.name for request, _ in scorer.request_columns}:
                # its ideal list is one of documents: it cannot lack one that is relevant
                if name == "Compat":
                    raise UsageError(
                        f"the ideal list of {name} cannot be kept fixed: use --ideal grows"
                    )

    def value_changes(
        self, ranking: JudgedRanking, rank_indices: Ints, old_values: MeasureValues
    ) -> RankingsByMeasures:
        """float64[V, C]: by how much each score changes with the document at each place."""
        gain_ranking = kishida_ranking(ranking, self._level)
        forms = self._forms_of_columns
        if gain_ranking is None:
            forms = [None] * len(forms)
        changes = np.empty((len(rank_indices), len(forms)))
        if None in forms:
            old_grades = ranking.grade[rank_indices]
            new_grades = np.full(len(rank_indices), self._change.grade)
            document_changes = DocumentChanges(
                rank_indices, old_grades, new_grades, self._change.ideal_grows
            )
            changes[:] = changed_values(self.scorer, ranking, document_changes) - old_values
        for column, form in enumerate(forms):
            if form is not None and gain_ranking is not None:
                changes[:, column] = form.ranks(gain_ranking)[rank_indices]
        return changes

    def value_slopes(
        self, ranking: JudgedRanking, rank_indices: Ints, old_values: MeasureValues
    ) -> RankingsByMeasures:
        """float64[V, C]: the slope of each score by the gain of the document at each place."""
        ideal_grows = self._change.ideal_grows
        slopes = gain_slopes(
            self.scorer, ranking, rank_indices, old_values, ideal_grows=ideal_grows
        )
        gain_ranking = kishida_ranking(ranking, self._level)
        for column, (request, column_index) in enumerate(self.scorer.request_columns):
            form = None if ideal_grows else slope_form(request, column_index)
            if form is not None and gain_ranking is not None:
                slopes[:, column] = form.ranks(gain_ranking)[rank_indices]
        return slopes

    def ranking_result(self, ranking: JudgedRanking, parameters: dict[str, Any]) -> StudyResult:
        """The outcome of one ranking."""
        import pandas as pd

        names, depth = self.scorer.names, self._change.depth
        old_values = unchanged_values(self.scorer, ranking)
        rank_indices = nonrelevant_rank_indices(ranking, self._level, depth)
        changes = self.value_changes(ranking, rank_indices, old_values)
        relevant_indices = relevant_rank_indices(ranking, self._level, depth)
        slopes = self.value_slopes(ranking, relevant_indices, old_values)
        drawn_table = _table_by_rank_and_measure(names, rank_indices, changes)
        tables = {
            "scores": pd.DataFrame(
                {"measure": names, "score": old_values, "change by": self._change_methods()}
            ),
            "changes": _table_by_rank(names, ranking, rank_indices, changes),
            "slopes": _table_by_rank(names, ranking, relevant_indices, slopes),
            "sensitivity": drawn_table,
        }
        shown = ("changes", "slopes", "scores") if len(relevant_indices) else ("changes", "scores")
        draw = partial(_sensitivity_figure, drawn_table, self._change, "change of the score")
        return StudyResult("sensitivity", parameters, tables, shown, {"sensitivity": draw})

    def _change_methods(self) -> list[str]:
        return [
            form.equation if form is not None else "scored again" for form in self._forms_of_columns
        ]

    def document_result(
        self,
        rankings: RunRankings,
        topic_index: int,
        document_id: bytes,
        parameters: dict[str, Any],
    ) -> StudyResult:
        """The outcome of one document of one topic."""
        import pandas as pd

        ranking = rankings.judged_ranking(topic_index)
        rank_index, old_grade = _rank_index_if_retrieved_and_grade(
            rankings, topic_index, document_id
        )
        old_values = unchanged_values(self.scorer, ranking)
        change = DocumentChanges(
            np.array([rank_index]),
            np.array([old_grade]),
            np.array([self._change.grade]),
            self._change.ideal_grows,
        )
        new_values = changed_values(self.scorer, ranking, change)[0]
        rank = rank_index + 1 if rank_index >= 0 else None
        document_facts = {
            "topic": [escape_non_utf8(rankings.topics[topic_index])],
            "document": [escape_non_utf8(document_id)],
            "rank": ["not retrieved" if rank is None else str(rank)],
            "grade": [_shown_grade(old_grade)],
            "becomes": [f"{self._change.grade:g}"],
        }
        scores = {"measure": self.scorer.names, "before": old_values, "after": new_values}
        table = pd.DataFrame({**scores, "change": new_values - old_values})
        tables = {"document": pd.DataFrame(document_facts), "scores": table}
        return StudyResult("sensitivity", parameters, tables, ("document", "scores"))

    def mean_result(
        self,
        rankings: RunRankings,
        parameters: dict[str, Any],
        watch: Callable[[Sequence[int]], Iterable[int]],
    ) -> StudyResult:
        """The outcome of the mean over the topics."""
        import pandas as pd

        names = self.scorer.names
        topic_indices = rankings.relevant_topic_indices(self._level)
        scores, rank_parts, change_parts = [], [], []
        for topic_index in watch(topic_indices):
            ranking = rankings.judged_ranking(topic_index)
            scores.append(unchanged_values(self.scorer, ranking))
            own_indices = nonrelevant_rank_indices(ranking, self._level, self._change.depth)
            rank_parts.append(own_indices)
            change_parts.append(self.value_changes(ranking, own_indices, scores[-1]))
        rank_indices, changes = np.concatenate(rank_parts), np.concatenate(change_parts)
        # the mean at each rank, and over how many topics
        width = min(self._change.depth, int(rank_indices.max(initial=-1)) + 1)
        num_topics = np.bincount(rank_indices, minlength=width)
        total = np.stack(
            [np.bincount(rank_indices, column, minlength=width) for column in changes.T], axis=1
        )
        changed = np.flatnonzero(num_topics)
        means = (total / np.maximum(num_topics, 1)[:, None])[changed]
        drawn_table = _table_by_rank_and_measure(names, changed, means)
        drawn_table.insert(2, "topics", np.repeat(num_topics[changed], len(names)))
        topics_table = _table_by_rank_and_measure(names, rank_indices, changes)
        topic_of_row = np.repeat(topic_indices, [each.size for each in change_parts])
        topic_names = [escape_non_utf8(rankings.topics[topic]) for topic in topic_of_row.tolist()]
        topics_table.insert(0, "topic", topic_names)
        mean_scores = {"measure": names, "mean": column_means(np.stack(scores))}
        means_by_name = {name: means[:, column] for column, name in enumerate(names)}
        tables = {
            "scores": pd.DataFrame({**mean_scores, "change by": self._change_methods()}),
            "changes": pd.DataFrame(
                {"rank": changed + 1, "topics": num_topics[changed], **means_by_name}
            ),
            "sensitivity": drawn_table,
            "topics": topics_table,
        }
        return StudyResult(
            "sensitivity",
            parameters,
            tables,
            ("changes", "scores"),
            {
                "sensitivity": partial(
                    _sensitivity_figure, drawn_table, self._change, "mean change of the score"
                )
            },
            (
                note(f"mean over {count_text(len(topic_indices), 'topic')}"),
                *no_relevant_notes(len(rankings.topics) - len(topic_indices)),
                *missing_topic_warnings(
                    {"the run": rankings.missing_topic_ids(self._level)}, consequence="left out"
                ),
            ),
        )


def _rank_index_if_retrieved_and_grade(
    rankings: RunRankings, topic_index: int, document_id: bytes
) -> tuple[int, float]:
    """A document's place in a ranking, from 0 (-1: not retrieved), and its grade."""
    ranked_topic = rankings.ranked_topics[topic_index]
    documents = ranked_topic.documents
    if document_id in documents:
        rank_index = documents.index(document_id)
        return rank_index, float(ranked_topic.grade[0, rank_index])
    qrels = rankings.qrels
    judged_list = int(qrels.list_start[qrels.topic_index[rankings.topics[topic_index]]])
    rows = slice(int(qrels.start[judged_list]), int(qrels.stop[judged_list]))
    judged_documents = qrels.docs.take(np.arange(rows.start, rows.stop)).to_list()
    if document_id not in judged_documents:
        raise MismatchError(
            f"topic {id_text(rankings.topics[topic_index])}: neither the run nor the qrels have a "
            f"document {id_text(document_id)}"
        )
    grade = float(qrels.grade[rows][judged_documents.index(document_id)])
    return -1, POOLED if grade < 0 else grade


def _shown_grade(grade: float) -> str:
    return {UNKNOWN: "not judged", POOLED: "not judged"}.get(grade, f"{grade:g}")


def _table_by_rank(
    measure_names: tuple[str, ...],
    ranking: JudgedRanking,
    rank_indices: Ints,
    values_of_rankings: RankingsByMeasures,
) -> pd.DataFrame:
    """A line for each rank, a column for each measure."""
    import pandas as pd

    rank_columns = {
        "rank": rank_indices + 1,
        "grade": [_shown_grade(grade) for grade in ranking.grade[rank_indices].tolist()],
    }
    values = {name: values_of_rankings[:, column] for column, name in enumerate(measure_names)}
    return pd.DataFrame({**rank_columns, **values})


def _table_by_rank_and_measure(
    measure_names: tuple[str, ...], rank_indices: Ints, changes: RankingsByMeasures
) -> pd.DataFrame:
    """A line for each rank and measure."""
    import pandas as pd

    return pd.DataFrame(
        {
            "rank": np.repeat(rank_indices + 1, len(measure_names)),
            "measure": np.tile(np.array(measure_names, object), len(rank_indices)),
            "change": changes.ravel(),
        }
    )


def _sensitivity_figure(
    table: pd.DataFrame, change: GradeChange, y_label: str, *, width: FigureWidth = "page"
) -> Figure:
    base = "R grows" if change.ideal_grows else "R fixed"
    return curves_figure(
        table,
        x_column="rank",
        y_column="change",
        series_column="measure",
        axes_labels=(f"rank of the document that gets grade {change.grade:g} ({base})", y_label),
        has_zero_line=True,
        width=width,
    )
