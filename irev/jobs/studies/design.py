"""How many topics are needed, what the present ones can show, and what varies in the scores.

T. Sakai, Information Retrieval Journal 2016, "Topic set size design"; J. Urbano, M. Marrero and
D. Martin, SIGIR 2013, "On the measurement of test collection reliability".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from irev.core.record import record
from irev.errors import UsageError
from irev.jobs.plots.style import label, legend, panels, series, style
from irev.jobs.studies.plans import Aims
from irev.jobs.study_result import StudyResult
from irev.statistics.differences import NEAR
from irev.statistics.power import (
    detectable_difference,
    num_topics_for_anova,
    num_topics_for_interval,
    num_topics_for_t,
    pooled_variance,
    power_of_t,
    variance_limits,
)
from irev.statistics.variance import num_topics_needed, reliability, variance_components

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.arrays import Floats
    from irev.errors import Told
    from irev.statistics.variance import Components

NAME = "design"
OF_PAIRS = ("steady pair (5%)", "unsteady pair (95%)")
"""The variances of two pairs of the pilot's runs, near the ends of what there is."""
WITHOUT_DATA = "(given)"
"""The measure of a variance that was given, not estimated."""


@record
class Pilot:
    """The scores that variances are estimated from.

    measure  its printed name
    scores   float64[T, S]
    more     float64[T', S'] of further collections; they count for the variance alone
    """

    measure: str
    scores: Floats
    more: Sequence[Floats] = field(default=())


@record(eq=True)
class _Variance:
    """The variance of a run's scores that topics do not explain, with its degrees of freedom."""

    measure: str
    runs: int
    value: float
    df: int | None
    pairs: tuple[float, float] | None = None
    """Half the variance of the differences of a pair, which 5% of the pairs lie below, and 95%."""

    def estimates(self, level: float) -> list[tuple[str, float]]:
        """The estimate, and the limits within which the variance may well lie."""
        if self.df is None:
            return [("as given", self.value)]
        low, high = variance_limits(self.value, self.df, level)
        share = (1 - level) / 2
        found = [
            ("estimate", self.value),
            (f"low ({share:.0%})", low),
            (f"high ({1 - share:.0%})", high),
        ]
        if self.pairs is not None:
            found += zip(OF_PAIRS, self.pairs, strict=True)
        return found


def design(
    pilots: Sequence[Pilot],
    aims: Aims | None = None,
    *,
    parameters: dict[str, Any] | None = None,
    notes: Sequence[Told] = (),
) -> StudyResult:
    """Variance components, reliability, and the topics needed, from scores on a pilot's topics.

    The variance sigma^2 of a run's scores is the residual mean square of the two-way analysis of
    variance (pooled by degrees of freedom over several collections), that of differences 2 sigma^2.

    `pilots`: the scores under each measure. `aims`: what the collection is meant to show.

    Returns:
        Tables `components` (variance between runs, topics, and the rest), `reliability` (E rho^2
        and Phi of the present topics with intervals, and the topics needed for the target),
        `topics` (needed by the t test, the analysis of variance and the interval, for the variance,
        its chi^2 limits, and the quantiles of the variances of the pilot's pairs), `present` (the
        power of the present topics, and the smallest difference that they find); drawn: `power`
        (against the topics) and `dependability` (reliability against the topics).
    """
    import pandas as pd

    aims = aims or Aims()
    if not pilots:
        raise UsageError("there are no scores to estimate a variance from")
    found = [variance_components(pilot.scores) for pilot in pilots]
    variances = [_pooled(pilot, one) for pilot, one in zip(pilots, found, strict=True)]
    names = [pilot.measure for pilot in pilots]
    reliable = _reliability(names, found, aims)
    curve = _dependability(names, found, aims)
    outcome = _planned(
        variances, aims, {name: c.num_topics for name, c in zip(names, found, strict=True)}
    )
    clipped = [name for name, one in zip(names, found, strict=True) if one.clipped]
    more = [f"a variance was estimated below 0 and is taken as 0: {', '.join(clipped)}"]
    return StudyResult(
        NAME, {**outcome.parameters, **(parameters or {})},
        {
            "components": pd.DataFrame(list(map(_components_row, names, found))),
            "reliability": reliable, **outcome.tables, "dependability": curve,
        },
        ("components", "reliability", *outcome.shown),
        {
            **outcome.figures,
            "dependability": partial(reliability_figure, curve, aims.target),
        },
        (*notes, *outcome.remarks, *(more if clipped else ())),
    )  # fmt: skip


def plan(variance: float, aims: Aims | None = None) -> StudyResult:
    """The topics needed for a variance of a run's scores that is known, or supposed."""
    aims = aims or Aims()
    if not 0 < variance < float("inf"):
        raise UsageError(f"the variance is a positive number, not {variance:g}")
    outcome = _planned([_Variance(WITHOUT_DATA, 2, variance, None)], aims, {})
    return replace(outcome, parameters={"variance": variance, **outcome.parameters})


def _pooled(pilot: Pilot, found: Components) -> _Variance:
    every = [found, *map(variance_components, pilot.more)]
    df = [(each.num_runs - 1) * (each.num_topics - 1) for each in every]
    value = pooled_variance([each.error for each in every], df)
    if not value > 0:
        raise UsageError(
            f"{pilot.measure}: the runs differ by the same amount on all topics, so there is no "
            "variance"
        )
    return _Variance(pilot.measure, found.num_runs, value, sum(df), _of_pairs(pilot.scores))


def _of_pairs(scores: Floats) -> tuple[float, float] | None:
    """Half of what 5% and 95% of the pairs' variances of differences lie below; None of one pair.

    A pair whose runs do not vary beside each other needs no topics: it does not count.
    """
    import numpy as np

    covered = np.cov(scores, rowvar=False)
    first, second = np.triu_indices(len(covered), 1)
    variance = covered[first, first] + covered[second, second] - 2 * covered[first, second]
    variance = variance[variance > NEAR * covered.max()]
    if len(variance) < 2:
        return None
    low, high = np.quantile(variance / 2, [0.05, 0.95])
    return float(low), float(high)


def _planned(variances: Sequence[_Variance], aims: Aims, present: dict[str, int]) -> StudyResult:
    """What a variance alone tells."""
    import pandas as pd

    needed = pd.DataFrame([row for each in variances for row in _needed_rows(each, aims)])
    needed = needed.astype({"by anova": "Int64"})
    power = pd.DataFrame([row for each in variances for row in _power_rows(each, aims, present)])
    tables = {"topics": needed}
    if present:
        tables["present"] = pd.DataFrame(
            [_present_row(each, aims, present[each.measure]) for each in variances]
        )
    shown = tuple(tables)
    tables["power"] = power
    parameters = {
        "difference": aims.difference, "alpha": aims.alpha, "power": aims.power,
        "width": aims.width or aims.difference, "target": aims.target,
        "variance level": aims.limits, **({} if aims.runs is None else {"systems": aims.runs}),
    }  # fmt: skip
    figures = {"power": partial(power_figure, power, aims)}
    return StudyResult(NAME, parameters, tables, shown, figures, tuple(_notes(aims, bool(present))))


def _notes(aims: Aims, is_estimated: bool) -> Sequence[str]:
    found = [
        f"to find a difference of {aims.difference:g} at alpha={aims.alpha:g} with a power of "
        f"{aims.power:g} (paired t test, analysis of variance), or an interval "
        f"{aims.width or aims.difference:g} wide; variance of differences: twice that of scores",
        "use this to plan a collection, never to add topics until a difference is significant",
    ]
    if is_estimated:
        found.append(
            f"a pilot gives only a rough variance: its {aims.limits:.0%} chi^2 limits are shown "
            "with it (Webber, Moffat and Zobel 2008); they assume one variance for all pairs of "
            "runs"
        )
        found.append(
            "pairs of runs differ in variance, and near-copies have the least: the "
            "last rows are for the 5% and 95% quantiles of the pilot's pairs"
        )
    return found


def _needed_rows(variance: _Variance, aims: Aims) -> Sequence[dict[str, Any]]:
    runs = aims.runs or variance.runs
    beta = 1 - aims.power
    return [
        {
            "measure": variance.measure,
            "variance is": kind,
            "variance": value,
            "by t test": num_topics_for_t(aims.difference, 2 * value, aims.alpha, beta),
            "runs": runs,
            # the analysis of variance has one variance for all pairs
            "by anova": None
            if kind in OF_PAIRS
            else num_topics_for_anova(runs, aims.difference, value, aims.alpha, beta),
            "by interval": num_topics_for_interval(
                aims.width or aims.difference, 2 * value, aims.alpha
            ),
        }
        for kind, value in variance.estimates(aims.limits)
    ]


def _present_row(variance: _Variance, aims: Aims, topics: int) -> dict[str, Any]:
    deviation = (2 * variance.value) ** 0.5
    return {
        "measure": variance.measure,
        "topics": topics,
        "variance": variance.value,
        "df": variance.df,
        "power": power_of_t(topics, aims.difference / deviation, aims.alpha),
        "detectable difference": detectable_difference(
            topics, deviation, aims.alpha, 1 - aims.power
        ),
    }


def _power_rows(
    variance: _Variance, aims: Aims, present: dict[str, int]
) -> Sequence[dict[str, Any]]:
    """The power of the t test with 2, ..., 1.5 times the topics that are needed or there."""
    estimates = variance.estimates(aims.limits)
    beta = 1 - aims.power
    most = max(
        num_topics_for_t(aims.difference, 2 * value, aims.alpha, beta) for _, value in estimates
    )
    last = int(1.5 * max(most, present.get(variance.measure, 0)))
    return [
        {
            "measure": variance.measure,
            "variance is": kind,
            "topics": topics,
            "power": power_of_t(topics, aims.difference / (2 * value) ** 0.5, aims.alpha),
        }
        for kind, value in estimates
        for topics in _spaced(2, last)
    ]


def _spaced(first: int, last: int, most: int = 60) -> list[int]:
    """About so many whole numbers from the first to the last."""
    step = max(1, -(-(last - first) // most))
    return sorted({*range(first, last + 1, step), last})


def _components_row(measure: str, found: Components) -> dict[str, Any]:
    total = found.run + found.topic + found.error
    return {
        "measure": measure,
        "topics": found.num_topics,
        "runs": found.num_runs,
        "var runs": found.run,
        "var topics": found.topic,
        "var error": found.error,
        "share runs": found.run / total if total else float("nan"),
        "share topics": found.topic / total if total else float("nan"),
        "share error": found.error / total if total else float("nan"),
    }


def _reliability(names: Sequence[str], found: Sequence[Components], aims: Aims) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for name, components in zip(names, found, strict=True):
        now = reliability(components)
        few, many = num_topics_needed(components, aims.target)
        for kind, value, needed in (("E rho^2", now.erho2, few), ("Phi", now.phi, many)):
            rows.append(
                (
                    name, kind, now.num_topics, value.value, value.low, value.high, now.level,
                    aims.target, needed,
                )
            )  # fmt: skip
    columns = [
        "measure", "coefficient", "topics", "value", "low", "high", "level", "target",
        "topics needed",
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=columns)
    return table.astype({"topics needed": "Int64"})


def _dependability(names: Sequence[str], found: Sequence[Components], aims: Aims) -> pd.DataFrame:
    """Both coefficients against the number of topics."""
    import pandas as pd

    rows = []
    for name, components in zip(names, found, strict=True):
        _, many = num_topics_needed(components, aims.target)
        last = min(max(many or 0, 2 * components.num_topics), 20 * components.num_topics)
        for topics in _spaced(1, last):
            at = reliability(components, topics)
            rows += [
                (name, "E rho^2", topics, at.erho2.value),
                (name, "Phi", topics, at.phi.value),
            ]
    return pd.DataFrame(rows, columns=["measure", "coefficient", "topics", "value"])


def power_figure(table: pd.DataFrame, aims: Aims) -> Figure:
    """The power of the paired t test against the topics, and the one that is wanted."""
    figure = _curves(table, "variance is", "power", "power of the paired t test", aims.power)
    figure.suptitle(f"a difference of {aims.difference:g}, α = {aims.alpha:g}", fontsize=9)
    return figure


def reliability_figure(table: pd.DataFrame, wanted: float) -> Figure:
    """E rho^2 and Phi against the topics, and the reliability that is wanted."""
    return _curves(table, "coefficient", "value", "reliability", wanted)


def _curves(table: pd.DataFrame, by: str, y: str, called: str, wanted: float) -> Figure:
    groups = list(table.groupby("measure", sort=False))
    with style():
        figure, axes = panels(len(groups), width=4.2, height=3.2)
        for panel, (measure, rows) in zip(axes, groups, strict=True):
            panel.axhline(
                wanted, color="#777777", linewidth=0.9, zorder=1, label=f"aim: {wanted:g}"
            )
            _lines(panel, rows, by, y)
            panel.set_title(label(str(measure)))
            panel.set_xlabel("topics")
            panel.set_ylabel(called)
            panel.set_ylim(0.0, 1.04)
        legend(figure, *axes[0].get_legend_handles_labels())
    return figure


_SYMBOLS = {"E rho^2": "Eρ²", "Phi": "Φ"}


def _lines(panel: Axes, rows: pd.DataFrame, by: str, y: str) -> None:
    for number, (name, points) in enumerate(rows.groupby(by, sort=False)):
        look = {**series(number), "marker": ""}
        said = f"variance: {name}" if by == "variance is" else _SYMBOLS[str(name)]
        panel.plot(points["topics"], points[y], label=said, **look)
