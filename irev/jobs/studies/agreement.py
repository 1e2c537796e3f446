"""Two sets of judgments against each other, and what the choice between them changes for runs.

E. M. Voorhees, IPM 2000, "Variations in relevance judgments and the measurement of retrieval
effectiveness": how far assessors agree, and how little the order of runs does.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Floats, mean_of
from irev.core.record import record
from irev.core.text import escape_non_utf8
from irev.core.wording import count_text
from irev.core.workers import default_threads
from irev.engine.inputs import rewindable
from irev.engine.prepared_judgments import read_judgments
from irev.engine.score_runs import score_runs
from irev.errors import MismatchError, Told, UsageError
from irev.jobs.plots.figures import matrix_figure, scatter_figure
from irev.jobs.plots.result_parts import (
    MISSING,
    add_score_signatures,
    add_signature,
    input_label,
    notes_of,
    parameters_of,
    run_names,
)
from irev.jobs.plots.style import (
    add_axes_legend,
    figure_width,
    new_figure,
    plot_style,
    series_style,
    set_topic_axis,
    sort_by_topic,
)
from irev.jobs.score_job import watch_runs
from irev.jobs.studies.criteria import (
    SHORT,
    conclusion_counts,
    conclusions_table,
    correlation_coefficients,
    criteria_of,
    pair_verdicts,
    select_common_topics,
)
from irev.jobs.studies.job_types import qrels_pair_job
from irev.jobs.studies.options.agreement import AgreementOptions
from irev.jobs.studies.options.shared import SignificanceOptions
from irev.jobs.study_result import StudyResult
from irev.options import Options
from irev.read.formats import GRADED
from irev.scores.run_names import path_of
from irev.statistics.judge_agreement import confusion, errors_by_run, krippendorff_alpha
from irev.statistics.rank_correlation import rms_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from irev.core.model import Input, Qrels
    from irev.jobs.studies.criteria import Criterion


@record
class JudgedTwice:
    """The N documents of a topic, or of all, that both sets of judgments grade.

    first, second           float64[N], the grades
    only_first, only_second how many documents one set alone grades
    """

    first: Floats
    second: Floats
    only_first: int
    only_second: int

    def facts(self, level: float) -> dict[str, float | int]:
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


def judged_twice(
    first: Input, second: Input, options: Options, qrels_format: str
) -> dict[bytes, JudgedTwice]:
    """The topics that both have, in byte order; grades below 0 are no judgments."""
    one, other = (_grades_by_topic(each, qrels_format, options) for each in (first, second))
    topics = sorted(set(one) & set(other))
    if not topics:
        raise MismatchError("the two sets of judgments have no topic in common")
    return {topic: _judged_in_both(one[topic], other[topic]) for topic in topics}


def all_together(topics: dict[bytes, JudgedTwice]) -> JudgedTwice:
    """The documents of all topics."""
    return JudgedTwice(
        np.concatenate([each.first for each in topics.values()]),
        np.concatenate([each.second for each in topics.values()]),
        sum(each.only_first for each in topics.values()),
        sum(each.only_second for each in topics.values()),
    )


def _grades_by_topic(
    judgments: Input, qrels_format: str, options: Options
) -> dict[bytes, dict[bytes, float]]:
    threads = options.threads or default_threads()
    qrels = read_judgments(judgments, qrels_format, [], options, threads).qrels
    return dict(_topic_grades(qrels))


def _topic_grades(qrels: Qrels) -> Iterator[tuple[bytes, dict[bytes, float]]]:
    for number, topic in enumerate(qrels.topics):
        judged_list = int(qrels.list_start[number])
        rows = np.arange(int(qrels.start[judged_list]), int(qrels.stop[judged_list]))
        rows = rows[qrels.grade[rows] >= 0]
        yield (
            topic,
            dict(zip(qrels.docs.take(rows).to_list(), qrels.grade[rows].tolist(), strict=True)),
        )


def _judged_in_both(one: dict[bytes, float], other: dict[bytes, float]) -> JudgedTwice:
    shared = sorted(one.keys() & other.keys())
    return JudgedTwice(
        np.array([one[document] for document in shared]),
        np.array([other[document] for document in shared]),
        len(one) - len(shared),
        len(other) - len(shared),
    )


NAME = "agreement"


@qrels_pair_job(AgreementOptions)
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
        The tables of `judgment_agreement`; where there are runs also those of `with_runs`.

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
    result = judgment_agreement(*judgments, options.part(Options), options.qrels_format)
    if isinstance(runs, list | tuple) and not runs:
        return result
    sides = [score_runs(each, runs, measures, options, watch=watch_runs) for each in judgments]
    tables, notes = select_common_topics(sides)
    criteria = list(zip(*(criteria_of(table) for table in tables), strict=True))
    result = with_runs(
        result, criteria, run_names(tables[0]), options,
        parameters={**parameters_of(sides[0]), "other runs": parameters_of(sides[1])["runs"]},
        notes=dict.fromkeys((*notes_of(sides[0])[1:], *notes_of(sides[1])[1:], *notes)),
    )  # fmt: skip
    return add_score_signatures(result, *tables)


def judgment_agreement(
    first: Input, second: Input, options: Options, qrels_format: str = "qrels"
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

    if qrels_format not in GRADED:
        raise UsageError(f"-R {qrels_format}: the judgments must be {' or '.join(GRADED)}")
    topics = judged_twice(first, second, options, qrels_format)
    together = all_together(topics)
    if not len(together.first):
        raise MismatchError("no document is judged in both")
    by_topic = pd.DataFrame(
        [{"topic": escape_non_utf8(t), **each.facts(options.level)} for t, each in topics.items()]
    )
    summary = pd.DataFrame([{"topics": len(topics), **together.facts(options.level)}])
    counts = confusion_table(together)
    tables = {
        "summary": summary, "grades": grades_table(together), "confusion": counts,
        "agreement": by_topic,
    }  # fmt: skip
    parameters = {"qrels": [input_label(first), input_label(second)], "level": options.level}
    notes = (
        f"{len(together.first)} documents of {len(topics)} topics are judged by both; relevant is "
        f"a grade of {options.level} or more",
    )
    figures = {
        "confusion": partial(
            matrix_figure, counts, "share", value_label="share of the row", text_column="documents",
            axes_labels=("grade in the second judgments", "grade in the first judgments"),
        ),
        "agreement": partial(agreement_figure, by_topic),
    }  # fmt: skip
    shown = ("summary", "grades", "confusion", "agreement")
    result = StudyResult(NAME, parameters, tables, shown, figures, notes)
    return add_signature(result, {}, options, qrels=(first, second), qrels_format=qrels_format)


def confusion_table(pairs: JudgedTwice) -> pd.DataFrame:
    """Columns: first, second (grades), documents, share (of all with that first grade)."""
    import pandas as pd

    table = confusion(pairs.first, pairs.second)
    size = len(table.grades)
    total = np.maximum(table.counts.sum(axis=1, keepdims=True), 1)
    grades = [f"{grade:g}" for grade in table.grades.tolist()]
    return pd.DataFrame(
        {
            "first": np.repeat(grades, size),
            "second": np.tile(grades, size),
            "documents": table.counts.ravel(),
            "share": (table.counts / total).ravel(),
        }
    )


def grades_table(pairs: JudgedTwice) -> pd.DataFrame:
    """For each grade of the first judgments how the second ones differ, and of all grades.

    Columns: first (the grade), documents, the shares of these whose second grade is lower, equal
    and higher, and difference (the mean of second less first).
    """
    import pandas as pd

    rows = []
    for grade in [*np.unique(pairs.first).tolist(), None]:
        rows_of_grade = slice(None) if grade is None else pairs.first == grade
        differences = pairs.second[rows_of_grade] - pairs.first[rows_of_grade]
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


def with_runs(
    result: StudyResult,
    criteria: Sequence[tuple[Criterion, Criterion]],
    runs: Sequence[str],
    options: SignificanceOptions,
    *,
    parameters: Mapping[str, Any] | None = None,
    notes: Iterable[Told] = (),
) -> StudyResult:
    """The same with what the choice between the judgments changes for S runs.

    Returns:
        Tables `runs` (for each measure tau_b, tau_a, p, tau_AP with the first judgments as the
        truth, tau_AP_b, the RMS error of the means, and of all pairs of runs those found
        significant under both (AA, AD in opposite directions), under one (PA, PD) or neither),
        `favour` (for each run how much higher the second judgments score it than the mean run),
        `changes` (every pair of runs) and `scatter` (what is drawn).
    """
    tables = _tables_of_runs(criteria, runs, options)
    num_topics = len(criteria[0][0].scores)
    return StudyResult(
        result.name,
        {
            **result.parameters, "test": "paired t, two-sided", "alpha": options.alpha,
            "correction": options.correction, **(parameters or {}),
        },
        {**result.tables, **tables}, (*result.shown[:3], "runs", "favour", *result.shown[3:]),
        {**result.figures, "scatter": _scatter_of(tables)},
        (
            *result.remarks, *notes,
            f"{len(runs)} runs by their means over {count_text(num_topics, 'topic')}; {MISSING}",
            options.significance_text(num_topics, len(runs)), _KINDS, _FAVOUR,
        ),
    )  # fmt: skip


def _scatter_of(tables: Mapping[str, pd.DataFrame]) -> Callable[[], Figure]:
    """What draws the runs' means under both judgments, each panel with its tau."""
    points = tables["scatter"]
    panels = points[["measure", "with"]].drop_duplicates().itertuples(index=False, name=None)
    taus = dict(zip(panels, tables["runs"]["tau_b"].tolist(), strict=True))
    return partial(scatter_figure, points, taus, diagonal=True)


def _tables_of_runs(
    criteria: Sequence[tuple[Criterion, Criterion]],
    runs: Sequence[str],
    options: SignificanceOptions,
) -> dict[str, pd.DataFrame]:
    import pandas as pd

    rows, favours, changes, points = [], [], [], []
    for first, second in criteria:
        one, other = pair_verdicts(first, options), pair_verdicts(second, options)
        rows.append(
            {
                "measure": first.name,
                **correlation_coefficients(first, second),
                "rms": rms_error(second.means, first.means),
                **conclusion_counts(one, other),
            }
        )
        favours.append(favour_table(first, second, runs, options.alpha))
        pair_changes = conclusions_table(runs, one, other)
        pair_changes.insert(0, "measure", first.name)
        changes.append(pair_changes)
        points.append(_points(first, second, runs))
    return {
        "runs": pd.DataFrame(rows),
        "favour": pd.concat(favours, ignore_index=True),
        "changes": pd.concat(changes, ignore_index=True),
        "scatter": pd.concat(points, ignore_index=True),
    }


_KINDS = (
    f"{', '.join(SHORT)}: pairs of runs found significantly different under both judgments, in the "
    "same (AA) or opposite (AD) directions, under one of them, the other agreeing (PA) or not "
    "(PD), or under neither"
)


_FAVOUR = (
    "favour: how much higher the second judgments score a run than the first ones do (error), "
    "compared with the mean run; p of the paired t test, holm corrected for the runs"
)


def favour_table(
    first: Criterion, second: Criterion, runs: Sequence[str], alpha: float
) -> pd.DataFrame:
    """Columns: measure, run, error, favour, low, high, p, holm; the run most favoured first.

    See `irev.statistics.judge_agreement.errors_by_run`; where lower is better, a run is favoured
    whose favour is below 0.
    """
    import pandas as pd

    errors = errors_by_run(first.scores, second.scores, level=1 - alpha)
    table = pd.DataFrame(
        {
            "measure": first.name, "run": list(runs), "error": errors.error,
            "favour": errors.favour, "low": errors.low, "high": errors.high, "p": errors.p,
            "holm": errors.corrected,
        }
    )  # fmt: skip
    return table.sort_values("favour", ascending=not first.rises, kind="stable")


def _points(first: Criterion, second: Criterion, runs: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        {
            "measure": f"{first.name}, first judgments",
            "with": f"{second.name}, second judgments",
            "run": list(runs),
            "x": first.means,
            "y": second.means,
        }
    )


_LINES = {"agreement": "equal grades", "kappa": "kappa", "alpha ordinal": "alpha (ordinal)"}
"""What is drawn of each topic, and what it is called."""


def agreement_figure(table: pd.DataFrame) -> Figure:
    """The share of equal grades, kappa and alpha of each topic; what is NaN is not drawn."""
    table = sort_by_topic(table)
    with plot_style():
        figure, (axes,) = new_figure(width=figure_width(len(table)))
        place = np.arange(len(table))
        axes.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
        for number, (column, name) in enumerate(_LINES.items()):
            look = {**series_style(number), "linestyle": "none"}
            axes.plot(place, table[column].to_numpy(), label=name, **look)
        axes.set_ylim(top=1.025)
        axes.set_ylabel("agreement")
        set_topic_axis(axes, list(table["topic"]))
        add_axes_legend(figure, axes)
    return figure
