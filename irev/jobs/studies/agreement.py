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
from irev.engine.prepared_judgments import read_judgments
from irev.errors import MismatchError, Told, UsageError
from irev.jobs.plots.figures import matrix, scatter_figure
from irev.jobs.plots.outcome import MISSING, input_label, signed
from irev.jobs.plots.style import (
    in_natural_order,
    legend_of,
    new_figure,
    series,
    style,
    topic_axis,
    width_for,
)
from irev.jobs.studies.criteria import (
    SHORT,
    coefficients,
    counts_of,
    pairs_table,
    verdicts,
)
from irev.jobs.studies.options.shared import SignificanceOptions
from irev.jobs.study_result import StudyResult
from irev.options import Options
from irev.read.formats import GRADED
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
    first: Input, second: Input, options: Options | None = None, format: str = "qrels"
) -> dict[bytes, JudgedTwice]:
    """The topics that both have, in byte order; grades below 0 are no judgments."""
    one, other = (_grades(given, format, options or Options()) for given in (first, second))
    topics = sorted(set(one) & set(other))
    if not topics:
        raise MismatchError("the two sets of judgments have no topic in common")
    return {topic: _both(one[topic], other[topic]) for topic in topics}


def all_together(topics: dict[bytes, JudgedTwice]) -> JudgedTwice:
    """The documents of all topics."""
    return JudgedTwice(
        np.concatenate([each.first for each in topics.values()]),
        np.concatenate([each.second for each in topics.values()]),
        sum(each.only_first for each in topics.values()),
        sum(each.only_second for each in topics.values()),
    )


def _grades(given: Input, format: str, options: Options) -> dict[bytes, dict[bytes, float]]:
    threads = options.threads or default_threads()
    qrels = read_judgments(given, format, [], options, threads).qrels
    return dict(_by_topic(qrels))


def _by_topic(qrels: Qrels) -> Iterator[tuple[bytes, dict[bytes, float]]]:
    for number, topic in enumerate(qrels.topics):
        found = int(qrels.list_start[number])
        here = np.arange(int(qrels.start[found]), int(qrels.stop[found]))
        here = here[qrels.grade[here] >= 0]
        yield (
            topic,
            dict(zip(qrels.docs.take(here).to_list(), qrels.grade[here].tolist(), strict=True)),
        )


def _both(one: dict[bytes, float], other: dict[bytes, float]) -> JudgedTwice:
    shared = sorted(one.keys() & other.keys())
    return JudgedTwice(
        np.array([one[document] for document in shared]),
        np.array([other[document] for document in shared]),
        len(one) - len(shared),
        len(other) - len(shared),
    )


NAME = "agreement"


def agreement(
    first: Input, second: Input, options: Options | None = None, format: str = "qrels"
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

    options = options or Options()
    if format not in GRADED:
        raise UsageError(f"-R {format}: the judgments must be {' or '.join(GRADED)}")
    topics = judged_twice(first, second, options, format)
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
            matrix, counts, "share", label="share of the row", text="documents",
            axes_labels=("grade in the second judgments", "grade in the first judgments"),
        ),
        "agreement": partial(agreement_figure, by_topic),
    }  # fmt: skip
    shown = ("summary", "grades", "confusion", "agreement")
    outcome = StudyResult(NAME, parameters, tables, shown, figures, notes)
    return signed(outcome, {}, options, qrels=(first, second), format=format)


def confusion_table(pairs: JudgedTwice) -> pd.DataFrame:
    """Columns: first, second (grades), documents, share (of all with that first grade)."""
    import pandas as pd

    found = confusion(pairs.first, pairs.second)
    size = len(found.grades)
    total = np.maximum(found.counts.sum(axis=1, keepdims=True), 1)
    grades = [f"{grade:g}" for grade in found.grades.tolist()]
    return pd.DataFrame(
        {
            "first": np.repeat(grades, size),
            "second": np.tile(grades, size),
            "documents": found.counts.ravel(),
            "share": (found.counts / total).ravel(),
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
        chosen = slice(None) if grade is None else pairs.first == grade
        apart = pairs.second[chosen] - pairs.first[chosen]
        rows.append(
            {
                "first": "all" if grade is None else f"{grade:g}",
                "documents": len(apart),
                "lower": float((apart < 0).mean()),
                "equal": float((apart == 0).mean()),
                "higher": float((apart > 0).mean()),
                "difference": mean_of(apart),
            }
        )
    return pd.DataFrame(rows)


def with_runs(
    outcome: StudyResult,
    criteria: Sequence[tuple[Criterion, Criterion]],
    runs: Sequence[str],
    how: SignificanceOptions | None = None,
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
    how = how or SignificanceOptions()
    tables = _tables_of_runs(criteria, runs, how)
    topics = len(criteria[0][0].scores)
    return StudyResult(
        outcome.name,
        {
            **outcome.parameters, "test": "paired t, two-sided", "alpha": how.alpha,
            "correction": how.correction, **(parameters or {}),
        },
        {**outcome.tables, **tables}, (*outcome.shown[:3], "runs", "favour", *outcome.shown[3:]),
        {**outcome.figures, "scatter": _scatter_of(tables)},
        (
            *outcome.remarks, *notes,
            f"{len(runs)} runs by their means over {count_text(topics, 'topic')}; {MISSING}",
            how.significance_text(topics, len(runs)), _KINDS, _FAVOUR,
        ),
    )  # fmt: skip


def _scatter_of(tables: Mapping[str, pd.DataFrame]) -> Callable[[], Figure]:
    """What draws the runs' means under both judgments, each panel with its tau."""
    points = tables["scatter"]
    panels = points[["measure", "with"]].drop_duplicates().itertuples(index=False, name=None)
    taus = dict(zip(panels, tables["runs"]["tau_b"].tolist(), strict=True))
    return partial(scatter_figure, points, taus, diagonal=True)


def _tables_of_runs(
    criteria: Sequence[tuple[Criterion, Criterion]], runs: Sequence[str], how: SignificanceOptions
) -> dict[str, pd.DataFrame]:
    import pandas as pd

    rows, favours, changes, points = [], [], [], []
    for first, second in criteria:
        one, other = verdicts(first, how), verdicts(second, how)
        rows.append(
            {
                "measure": first.name,
                **coefficients(first, second),
                "rms": rms_error(second.means, first.means),
                **counts_of(one, other),
            }
        )
        favours.append(favour_table(first, second, runs, how.alpha))
        of_pairs = pairs_table(runs, one, other)
        of_pairs.insert(0, "measure", first.name)
        changes.append(of_pairs)
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

    found = errors_by_run(first.scores, second.scores, level=1 - alpha)
    table = pd.DataFrame(
        {
            "measure": first.name, "run": list(runs), "error": found.error,
            "favour": found.favour, "low": found.low, "high": found.high, "p": found.p,
            "holm": found.corrected,
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
    table = in_natural_order(table)
    with style():
        figure, (axes,) = new_figure(width=width_for(len(table)))
        place = np.arange(len(table))
        axes.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
        for number, (column, name) in enumerate(_LINES.items()):
            look = {**series(number), "linestyle": "none"}
            axes.plot(place, table[column].to_numpy(), label=name, **look)
        axes.set_ylim(top=1.025)
        axes.set_ylabel("agreement")
        topic_axis(axes, list(table["topic"]))
        legend_of(figure, axes)
    return figure
