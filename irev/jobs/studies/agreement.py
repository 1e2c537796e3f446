"""Two sets of judgments against each other, and what the choice between them changes for runs.

E. M. Voorhees, IPM 2000, "Variations in relevance judgments and the measurement of retrieval
effectiveness": how far assessors agree, and how little the order of runs does.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from irev.core.arrays import Floats, mean_of
from irev.core.job import FigureWidth, job
from irev.core.judged import Input
from irev.core.record import record
from irev.core.text import count_text, escape_non_utf8, shortened_list
from irev.core.workers import default_threads
from irev.engine.prepared_judgments import read_judgments
from irev.engine.score_runs import score_runs
from irev.errors import InputError, MismatchError, Notice, UsageError, note
from irev.jobs.plots.layout import FigureLayout, plot_style, series_style
from irev.jobs.plots.plot import (
    add_score_signatures,
    add_signature,
    input_label,
    matrix_figure,
    name_topics,
    notes_of,
    parameters_of,
    run_means_scatter_figure,
    run_names,
    sort_by_topic,
    topic_rows,
)
from irev.jobs.result import StudyResult
from irev.jobs.score_job import watch_runs
from irev.jobs.studies.criteria import (
    SHORT,
    USUAL,
    Criterion,
    SignificanceOptions,
    conclusion_counts,
    conclusions_table,
    criteria_of,
    pair_verdicts,
    select_common_topics,
    tau_coefficients,
)
from irev.options import Options, ScoringOptions
from irev.read.formats import GRADED, JUDGMENTS
from irev.read.inputs import path_of, rewindable
from irev.scores.saved import is_saved
from irev.statistics.correlation import (
    confusion,
    krippendorff_alpha,
    rms_error,
    second_judge_favour_by_run,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class AgreementOptions(SignificanceOptions, ScoringOptions):
    """What is significant, and how runs are scored."""

    without: ClassVar[Sequence[str]] = ("classes",)
    default_measures: ClassVar[tuple[str, ...]] = USUAL


NAME = "agreement"


@job(AgreementOptions)
def agreement(
    qrels: Input,
    other_qrels: Input,
    runs: Input = (),
    measures: object = (),
    *,
    options: AgreementOptions,
) -> StudyResult:
    """Two sets of judgments against each other, and what the choice between them changes for runs.

    Args:
        qrels: judgments, as `irev.evaluate` takes them.
        other_qrels: others of the same topics.
        runs: none, or several, as a list, a mapping by name, a path with wildcards.
        measures: names as `irev.evaluate` takes them, for the runs; none: map, ndcg_cut.10, P.10.
        options: the record `AgreementOptions`, whose fields are keywords, too.

    Returns:
        The tables of `judgment_agreement`; where there are runs also those of `add_run_tables`.

    Raises:
        UsageError: an option or a measure that makes no sense here.
        InputError: an input that cannot be read.
        MismatchError: judgments without a topic or a document in common.
    """
    judgments = (qrels, other_qrels)
    if "-" in map(path_of, judgments):
        raise UsageError("standard input (-) cannot be read twice: give the judgments as files")
    options.load_plugins()
    runs = rewindable(runs)
    try:
        result = judgment_agreement(*judgments, options.base_record(Options), options.qrels_format)
    except InputError:
        for path in filter(None, map(path_of, judgments)):
            if os.path.isfile(path) and is_saved(path):
                raise UsageError(
                    f"{path}: this looks like saved scores, not judgments; "
                    "irev study correlation compares how scores order runs"
                ) from None
        raise
    if isinstance(runs, list | tuple) and not runs:
        return result
    sides = [score_runs(each, runs, measures, options, watch=watch_runs) for each in judgments]
    if any(run.is_saved for run in sides[0].runs):
        raise UsageError("saved scores are the same under all judgments: give the runs themselves")
    tables, left_out = select_common_topics(sides)
    criteria = list(zip(*(criteria_of(table) for table in tables), strict=True))
    result = add_run_tables(
        result,
        criteria,
        run_names(tables[0]),
        options,
        parameters={**parameters_of(sides[0]), "other runs": parameters_of(sides[1])["runs"]},
        topics_text=tables[0].topics_text,
        notices=dict.fromkeys((*notes_of(sides[0])[1:], *notes_of(sides[1])[1:], *left_out)),
    )
    return add_score_signatures(result, *tables)


def judgment_agreement(
    first_qrels: Input, second_qrels: Input, options: Options, qrels_format: str = "qrels"
) -> StudyResult:
    """How far two sets of judgments agree on the documents that both grade.

    For each topic that both have, and for all documents together: the share of equal grades,
    Cohen's kappa, plain and weighted by the distance of the grades or its square, Krippendorff's
    alpha (nominal, ordinal), and the overlap of the relevant documents. Grades below 0 are no
    judgments.

    Returns:
        Tables `summary` (all documents), `grades` (for each first grade, how the second one
        differs), `confusion` (how often which grades were given, drawn) and `agreement` (each
        topic, drawn).

    Source: Cohen 1960 and 1968; Krippendorff, Content Analysis, 2004; Voorhees 2000, for the
    overlap.
    """
    import pandas as pd

    if qrels_format not in GRADED and not JUDGMENTS[qrels_format].holds_runs:
        raise UsageError(f"-R {qrels_format}: the judgments must be {' or '.join(GRADED)}")
    judged_by_topic, lacking_texts = judged_twice_by_topic(
        first_qrels, second_qrels, options, qrels_format
    )
    all_judged = concatenate_topics(judged_by_topic)
    if not len(all_judged.first):
        raise MismatchError("no document is judged in both")
    by_topic = pd.DataFrame(
        [
            {"topic": escape_non_utf8(topic_id), **judged.agreement_facts(options.level)}
            for topic_id, judged in judged_by_topic.items()
        ]
    )
    summary = pd.DataFrame(
        [{"topics": len(judged_by_topic), **all_judged.agreement_facts(options.level)}]
    )
    confusions = confusion_cells_table(all_judged)
    tables = {
        "summary": summary,
        "grades": shift_by_first_grade_table(all_judged),
        "confusion": confusions,
        "agreement": by_topic,
    }
    parameters = {
        "qrels": [input_label(first_qrels), input_label(second_qrels)],
        "level": options.level,
    }
    notices = [
        note(
            f"both judged {count_text(len(all_judged.first), 'document')} of "
            f"{count_text(len(judged_by_topic), 'topic')}; "
            f"relevant is a grade of {options.level} or more"
        ),
        *map(note, lacking_texts),
    ]
    first_highest, second_highest = all_judged.highest
    if first_highest != second_highest and "max" not in dict(options.defaults):
        notices.append(
            Notice(
                "other-grades",
                f"the highest grade is {first_highest:g} in the first judgments and "
                f"{second_highest:g} in the second: measures of gains (ERR, RBP, nDCG) are then "
                "on two scales",
                "--max-grade names the highest grade",
            )
        )
    figures = {
        "confusion": partial(
            matrix_figure,
            confusions,
            "share",
            value_label="share of the row",
            text_column="documents",
            axes_labels=("grade in the second judgments", "grade in the first judgments"),
        ),
        "agreement": partial(topic_agreement_figure, by_topic),
    }
    shown = ("summary", "grades", "confusion", "agreement")
    result = StudyResult(NAME, parameters, tables, shown, figures, tuple(notices))
    return add_signature(
        result, {}, options, qrels=(first_qrels, second_qrels), qrels_format=qrels_format
    )


@record
class JudgedTwice:
    """The N documents of a topic, or of all, that both sets of judgments grade.

    first, second  float64[N], the grades
    only_first, only_second how many documents one set alone grades
    highest  the highest grade of each set, of the documents of one set alone too
    """

    first: Floats
    second: Floats
    only_first: int
    only_second: int
    highest: tuple[float, float]

    def agreement_facts(self, level: float) -> dict[str, float | int]:
        """How far the two agree.

        Grades of at least the level are relevant: `overlap` is how many documents both call
        relevant, of those that either does. NaN where nothing can be said.
        """
        table = confusion(self.first, self.second)
        grades = np.stack((self.first, self.second))
        relevant = grades >= level
        either = int(relevant.any(axis=0).sum())
        return {
            "judged by both": len(self.first),
            "first only": self.only_first,
            "second only": self.only_second,
            "agreement": table.observed_agreement,
            "kappa": table.kappa(),
            "kappa linear": table.kappa("linear"),
            "kappa quadratic": table.kappa("quadratic"),
            "alpha nominal": krippendorff_alpha(grades, "nominal"),
            "alpha ordinal": krippendorff_alpha(grades, "ordinal"),
            "overlap": int(relevant.all(axis=0).sum()) / either if either else float("nan"),
        }


def judged_twice_by_topic(
    first_qrels: Input, second_qrels: Input, options: Options, qrels_format: str
) -> tuple[dict[bytes, JudgedTwice], list[str]]:
    """The topics that both have, in byte order, and which of them either lacks, a line each.

    Grades below 0 are no judgments.
    """
    grades_of_sets: list[dict[bytes, dict[bytes, float]]] = []
    threads = options.threads or default_threads()
    for judgments in (first_qrels, second_qrels):
        prepared = read_judgments(judgments, qrels_format, [], options, threads)
        answers = prepared.answers
        qrels = prepared.qrels if answers is None else answers.label_qrels_by_run_and_item()
        grades_of_sets.append({})
        for topic_index, topic in enumerate(qrels.topics):
            judged_list = int(qrels.list_start[topic_index])
            rows = np.arange(int(qrels.start[judged_list]), int(qrels.stop[judged_list]))
            rows = rows[qrels.grade[rows] >= 0]
            documents, grades = qrels.docs.take(rows).to_list(), qrels.grade[rows].tolist()
            grades_of_sets[-1][topic] = dict(zip(documents, grades, strict=True))
    first_grades, second_grades = grades_of_sets
    topic_ids = sorted(set(first_grades) & set(second_grades))
    if not topic_ids:
        raise MismatchError("the two sets of judgments have no topic in common")
    judged_by_topic = {}
    for topic_id in topic_ids:
        first, second = first_grades[topic_id], second_grades[topic_id]
        shared_documents = sorted(first.keys() & second.keys())
        judged_by_topic[topic_id] = JudgedTwice(
            np.array([first[document] for document in shared_documents]),
            np.array([second[document] for document in shared_documents]),
            len(first) - len(shared_documents),
            len(second) - len(shared_documents),
            (max(first.values(), default=0.0), max(second.values(), default=0.0)),
        )
    lacking_texts = []
    for judgments, which, lacking in (
        (first_qrels, "first", sorted(second_grades.keys() - first_grades)),
        (second_qrels, "second", sorted(first_grades.keys() - second_grades)),
    ):
        if lacking:
            path = path_of(judgments)
            lacks = f"{path} lacks" if path else f"the {which} judgments lack"
            be = "is" if len(lacking) == 1 else "are"
            lacking_texts.append(
                f"{lacks} {count_text(len(lacking), 'topic')} of the other judgments, which "
                f"{be} left out: {shortened_list(lacking, 10)}"
            )
    return judged_by_topic, lacking_texts


def concatenate_topics(judged_by_topic: dict[bytes, JudgedTwice]) -> JudgedTwice:
    """The documents of all topics."""
    every = judged_by_topic.values()
    return JudgedTwice(
        np.concatenate([judged.first for judged in every]),
        np.concatenate([judged.second for judged in every]),
        sum(judged.only_first for judged in every),
        sum(judged.only_second for judged in every),
        (max(judged.highest[0] for judged in every), max(judged.highest[1] for judged in every)),
    )


def confusion_cells_table(judged: JudgedTwice) -> pd.DataFrame:
    """Columns: first, second (grades), documents, share (of all with that first grade)."""
    import pandas as pd

    confusions = confusion(judged.first, judged.second)
    num_grades = len(confusions.grades)
    row_totals = np.maximum(confusions.counts.sum(axis=1, keepdims=True), 1)
    grades = [f"{grade:g}" for grade in confusions.grades.tolist()]
    return pd.DataFrame(
        {
            "first": np.repeat(grades, num_grades),
            "second": np.tile(grades, num_grades),
            "documents": confusions.counts.ravel(),
            "share": (confusions.counts / row_totals).ravel(),
        }
    )


def shift_by_first_grade_table(judged: JudgedTwice) -> pd.DataFrame:
    """For each grade of the first judgments how the second ones differ, and of all grades.

    Columns: first (the grade), documents, the shares of these whose second grade is lower, equal
    and higher, and difference (the mean of second less first).
    """
    import pandas as pd

    rows = []
    for grade in [*np.unique(judged.first).tolist(), None]:
        rows_of_grade = slice(None) if grade is None else judged.first == grade
        differences = judged.second[rows_of_grade] - judged.first[rows_of_grade]
        rows.append(
            {
                "first": "all" if grade is None else f"{grade:g}",
                "documents": len(differences),
                "lower": float((differences < 0).mean()),
                "equal": float((differences == 0).mean()),
                "higher": float((differences > 0).mean()),
                "difference": mean_of(differences),
            }
        )
    return pd.DataFrame(rows)


def add_run_tables(
    result: StudyResult,
    criterion_pairs: Sequence[tuple[Criterion, Criterion]],
    run_names: Sequence[str],
    options: SignificanceOptions,
    *,
    parameters: Mapping[str, Any] | None = None,
    topics_text: str = "",
    notices: Iterable[Notice] = (),
) -> StudyResult:
    """The same with what the choice between the judgments changes for S runs.

    Returns:
        Tables `runs` (for each measure tau_b, tau_a, p, tau_AP with the first judgments as the
        truth, tau_AP_b, the RMS error of the means, and of all pairs of runs those found
        significant under both (AA, AD in opposite directions), under one (PA, PD) or neither),
        `favour` (for each run how much higher the second judgments score it than the mean run),
        `changes` (every pair of runs) and `scatter` (what is drawn).
    """
    import pandas as pd

    rows, favours, changes, points, tests_done = [], [], [], [], []
    for first, second in criterion_pairs:
        first_verdicts, second_verdicts = (pair_verdicts(each, options) for each in (first, second))
        second_name = f"{second.name} under the second judgments"
        tests_done.append(first_verdicts.test_done)
        tests_done.append(second_verdicts.test_done._replace(measure=second_name))
        rows.append(
            {
                "measure": first.name,
                **tau_coefficients(first, second),
                "rms": rms_error(second.means, first.means),
                **conclusion_counts(first_verdicts, second_verdicts),
            }
        )
        favours.append(second_judge_favour_by_run_table(first, second, run_names, options.alpha))
        pair_changes = conclusions_table(run_names, first_verdicts, second_verdicts)
        pair_changes.insert(0, "measure", first.name)
        changes.append(pair_changes)
        drawn = {
            "measure": f"{first.name}, first judgments",
            "with": f"{second.name}, second judgments",
        }
        means = {"run": list(run_names), "x": first.means, "y": second.means}
        points.append(pd.DataFrame({**drawn, **means}))
    tables = {
        "runs": pd.DataFrame(rows),
        "favour": pd.concat(favours, ignore_index=True),
        "changes": pd.concat(changes, ignore_index=True),
        "scatter": pd.concat(points, ignore_index=True),
    }
    # each panel of the figure has its tau
    panels = tables["scatter"][["measure", "with"]].drop_duplicates()
    names_of_panels = panels.itertuples(index=False, name=None)
    taus = dict(zip(names_of_panels, tables["runs"]["tau_b"].tolist(), strict=True))
    scatter = partial(run_means_scatter_figure, tables["scatter"], taus, has_diagonal=True)
    num_topics = len(criterion_pairs[0][0].scores)
    return StudyResult(
        result.name,
        {
            **result.parameters,
            **options.significance_parameters(tests_done),
            **(parameters or {}),
        },
        {**result.tables, **tables},
        (*result.shown[:3], "runs", "favour", *result.shown[3:]),
        {**result.figures, "scatter": scatter},
        (
            *result.notices,
            *notices,
            note(
                f"{count_text(len(run_names), 'run')} by their means over "
                f"{topics_text or count_text(num_topics, 'topic')}"
            ),
            *map(note, options.significance_lines(num_topics, len(run_names), tests_done)),
            note(
                f"{', '.join(SHORT)}: pairs of runs that differ significantly under both "
                "judgments, in the same (AA) or opposite (AD) directions; under one of them only, "
                "the other agreeing (PA) or not (PD); or under neither"
            ),
            note(
                "favour: how much higher the second judgments score a run than the first ones do "
                "(error), compared with the mean run; p of the paired t test, with Holm's "
                "correction for the number of runs"
            ),
        ),
    )


def second_judge_favour_by_run_table(
    first_criterion: Criterion,
    second_criterion: Criterion,
    run_names: Sequence[str],
    interval_alpha: float,
) -> pd.DataFrame:
    """Columns: measure, run, error, favour, low, high, p, holm; the run most favoured first.

    See `irev.statistics.correlation.second_judge_favour_by_run`; where lower is better, a run
    is favoured whose favour is below 0.
    """
    import pandas as pd

    errors = second_judge_favour_by_run(
        first_criterion.scores, second_criterion.scores, level=1 - interval_alpha
    )
    table = pd.DataFrame(
        {
            "measure": first_criterion.name,
            "run": list(run_names),
            "error": errors.error,
            "favour": errors.favour,
            "low": errors.low,
            "high": errors.high,
            "p": errors.p,
            "holm": errors.corrected,
        }
    )
    return table.sort_values(
        "favour", ascending=not first_criterion.higher_is_better, kind="stable"
    )


_LINES = {"agreement": "equal grades", "kappa": "kappa", "alpha ordinal": "alpha (ordinal)"}
"""What is drawn of each topic, and what it is called."""


def topic_agreement_figure(
    agreement_by_topic: pd.DataFrame, *, width: FigureWidth = "page"
) -> Figure:
    """The share of equal grades, kappa and alpha of each topic; what is NaN is not drawn."""
    agreement_by_topic = sort_by_topic(agreement_by_topic)
    rows_of_topics = topic_rows(len(agreement_by_topic), 1, 1, width)
    lowest = float(np.nanmin([0.0, *agreement_by_topic[list(_LINES)].to_numpy().ravel()]))
    with plot_style(width):
        layout = FigureLayout(len(rows_of_topics), width=width, height=2.2, max_columns=1)
        for axes, indices in zip(layout.panels, rows_of_topics, strict=True):
            some = agreement_by_topic.iloc[indices.start : indices.stop]
            axes.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
            for number, (column, name) in enumerate(_LINES.items()):
                look = {**series_style(number), "linestyle": "none"}
                axes.plot(np.arange(len(some)), some[column].to_numpy(), label=name, **look)
            axes.set_ylim(1.05 * lowest - 0.05, 1.05)
            axes.set_ylabel("agreement")
            name_topics(layout, axes, list(some["topic"]), len(rows_of_topics[0]))
        axes.set_xlabel("topic")
        layout.set_panel_legend()
        return layout.finish()
