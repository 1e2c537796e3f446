"""How many topics are needed, what the present ones can show, and what varies in the scores.

T. Sakai, Information Retrieval Journal 2016, "Topic set size design"; J. Urbano, M. Marrero and
D. Martin, SIGIR 2013, "On the measurement of test collection reliability".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from irev.core.arrays import Floats, TopicsByRuns
from irev.core.job import FigureWidth, job
from irev.core.judged import Column, Input, asked_order
from irev.core.option_records import Opt
from irev.core.record import record
from irev.engine.score_runs import score_runs
from irev.errors import Notice, UsageError, note
from irev.jobs.plots.layout import FigureLayout, drawn_label, plot_style, series_style
from irev.jobs.plots.plot import add_score_signatures, notes_of, parameters_of
from irev.jobs.result import StudyResult
from irev.jobs.score_job import watch_runs
from irev.measures.naming.resolve import column_positions, irev_name, resolve_names
from irev.options import ALPHA, PREDICTED, ScoringOptions
from irev.scores.table import ScoreTable
from irev.statistics.differences import NEAR
from irev.statistics.variance import (
    Components,
    detectable_difference,
    num_topics_for_anova,
    num_topics_for_interval,
    num_topics_for_t,
    num_topics_needed,
    pooled_variance,
    power_of_t,
    reliability,
    variance_components,
    variance_limits,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class DesignOptions(ScoringOptions):
    """What a collection is meant to show, and what its variance is taken from."""

    without: ClassVar[Sequence[str]] = ("classes", "weights", *PREDICTED)

    difference: Annotated[
        float,
        Opt(
            "--difference",
            metavar="D",
            help="The smallest difference of means that must be found.",
        ),
    ] = 0.1
    alpha: Annotated[float, ALPHA.replace(help="Significance level.")] = 0.05
    power: Annotated[
        float, Opt("--power", metavar="P", help="Chance of finding that difference.")
    ] = 0.8
    width: Annotated[
        float | None,
        Opt(
            "--width",
            metavar="W",
            help="The width of the interval of a difference. Default: the difference.",
        ),
    ] = None
    num_runs: Annotated[
        int | None,
        Opt(
            "--systems",
            metavar="M",
            least=2,
            most=10_000_000,
            help="Number of runs in the analysis of variance. Default: the runs given.",
        ),
    ] = None
    target: Annotated[
        float, Opt("--target", metavar="R", help="The reliability to be reached.")
    ] = 0.95
    limits: Annotated[
        float,
        Opt(
            "--limits", metavar="P", help="Confidence level of the limits of an estimated variance."
        ),
    ] = 0.8

    sd: Annotated[
        float | None,
        Opt(
            "--sd",
            metavar="S",
            help="Without files: the standard deviation over topics of the differences of two "
            "runs. Default: those of good runs on four collections.",
        ),
    ] = None
    variance: Annotated[
        float | None,
        Opt(
            "--variance",
            metavar="V",
            help="Instead of --sd: the variance of a run's scores over topics; that of differences "
            "is twice as large.",
        ),
    ] = None
    collections: Annotated[
        Sequence[str],
        Opt(
            "--collection",
            metavar="FILE",
            file="always",
            help="Saved scores on another collection; the variance is pooled over all. May be "
            "repeated.",
        ),
    ] = ()

    def _check(self) -> None:
        super()._check()
        shares = {"power": self.power, "target": self.target}
        for name, value in {**shares, "level": self.limits}.items():
            if not 0 < value < 1:
                raise UsageError(f"{name} must be between 0 and 1, not {value:g}")
        if self.alpha >= self.power:
            raise UsageError(f"the power must be above alpha: {self.power:g}, {self.alpha:g}")
        for name, number in (("difference", self.difference), ("width", self.width)):
            if number is not None and not number > 0:
                raise UsageError(f"the {name} is a positive number, not {number:g}")


NAME = "design"
PAIR_VARIANCES = ("steady pair (5%)", "unsteady pair (95%)")
"""The variances of two pairs of the pilot's runs, near the ends of what there is."""

COLLECTIONS = ("TREC DL 2020", "TREC-COVID round 3", "CLEF eHealth 2015", "Robust 2003")
TYPICAL_SDS = {
    "nDCG@10": ((.08, .1185, .15), (.14, .1920, .25), (.13, .1840, .30), (.20, .2465, .27)),
    "AP": ((.07, .1328, .16), (.06, .0897, .12), (.08, .1210, .21), (.10, .1324, .17)),
    "P@10": ((.10, .1347, .17), (.14, .1974, .26), (.15, .2028, .30), (.20, .2406, .28)),
    "RR": ((.10, .1658, .22), (.21, .2844, .35), (.24, .3332, .41), (.34, .3979, .47)),
    "Success@5": ((.17, .2372, .31), (.23, .3162, .39), (.26, .3877, .48), (.39, .4596, .49)),
}  # fmt: skip
"""Standard deviations over topics of the differences of two good runs, by measure and collection:
10%, 50% and 90% of the pairs lie below.

Measured on the runs that took part, of which the better half count as good. The quantiles at the
ends have two digits.
"""

_PLAN = "use this to plan a collection, never to add topics until a difference is significant"


@job(DesignOptions)
def design(
    qrels_or_table: Input | None = None,
    runs: Input = (),
    measures: object = (),
    *,
    options: DesignOptions,
) -> StudyResult:
    """How many topics are needed to find a difference, what the present ones can show, and why.

    Args:
        qrels_or_table: judgments, as `irev.evaluate` takes them; None where all runs are saved
            scores, or where there are no runs yet; or a table of scores.
        runs: runs and files of saved scores: a list, a mapping by name, a path with wildcards;
            none: the variance that the options name, or those of `TYPICAL_SDS`.
        measures: names as `irev.evaluate` takes them; none: map, or all that saved scores have.
        options: the record `DesignOptions`, whose fields are keywords, too.

    Returns:
        The tables of `design_from_pilots`; without runs, the topics that are needed.

    Raises:
        UsageError: an option or a measure that makes no sense here.
        InputError: an input that cannot be read.
        MismatchError: scores that are not comparable.
    """
    has_runs = not (isinstance(runs, list | tuple) and not runs)
    named = [f"--{name}" for name in ("sd", "variance") if getattr(options, name) is not None]
    if qrels_or_table is None and not has_runs and not options.collections:
        if len(named) > 1:
            raise UsageError("--sd and --variance say the same: give one or the other")
        return design_without_runs(measures, options)
    if named:
        raise UsageError(f"{named[0]} stands in place of files: give one or the other")
    table = score_runs(qrels_or_table, runs, measures, options, watch=watch_runs)
    others = [score_runs(None, [path], measures, options) for path in options.collections]
    pilots = [
        Pilot(
            column.name,
            table.scores(column.name),
            [_scores_of_same_or_only_measure(other, column, table.columns) for other in others],
        )
        for column in table.columns
    ]
    result = design_from_pilots(
        pilots,
        options,
        parameters={**parameters_of(table), "collections": list(options.collections)},
        notices=notes_of(table),
    )
    return add_score_signatures(result, table, *others)


def _scores_of_same_or_only_measure(
    other_table: ScoreTable, column: Column, pilot_columns: Sequence[Column]
) -> TopicsByRuns:
    """The scores of another collection under the same measure, or under the only one of both."""
    (column_index,) = column_positions([column], other_table.columns)
    if column_index is not None:
        return other_table.scores(other_table.columns[column_index].name)
    if len(other_table.columns) == len(pilot_columns) == 1:
        return other_table.scores(other_table.columns[0].name)
    raise UsageError(
        f"--collection {other_table.runs[0].path} has no {column.name}: "
        f"{', '.join(other_table.measure_names)}"
    )


@record
class Pilot:
    """The scores that variances are estimated from.

    measure         its printed name
    scores          float64[T, S]
    further_scores  float64[T', S'] of further collections; they count for the variance alone
    """

    measure: str
    scores: Floats
    further_scores: Sequence[Floats] = field(default=())


def design_from_pilots(
    pilots: Sequence[Pilot],
    options: DesignOptions,
    *,
    parameters: Mapping[str, Any] | None = None,
    notices: Sequence[Notice] = (),
) -> StudyResult:
    """Variance components, reliability, and the topics needed, from scores on a pilot's topics.

    The variance sigma^2 of a run's scores is the residual mean square of the two-way analysis of
    variance (pooled by degrees of freedom over several collections), that of differences 2 sigma^2.

    `pilots`: the scores under each measure.

    Returns:
        Tables `components` (variance between runs, topics, and the rest), `reliability` (E rho^2
        and Phi of the present topics with intervals, and the topics needed for the target),
        `topics` (needed by the t test, the analysis of variance and the interval, for the variance,
        its chi^2 limits, and the quantiles of the variances of the pilot's pairs), `present` (the
        power of the present topics, and the smallest difference that they find); drawn: `power`
        (against the topics) and `dependability` (reliability against the topics).
    """
    import pandas as pd

    if not pilots:
        raise UsageError("there are no scores to estimate a variance from")
    components = [variance_components(pilot.scores) for pilot in pilots]
    variances = [_pooled_variance(*pair) for pair in zip(pilots, components, strict=True)]
    components_by_measure = [
        (pilot.measure, each) for pilot, each in zip(pilots, components, strict=True)
    ]
    reliability_table = _present_reliability_table(components_by_measure, options)
    dependability_table = _dependability_table(components_by_measure, options)
    result = _variance_result(
        variances, options, {name: each.num_topics for name, each in components_by_measure}
    )
    rows = []
    for name, each in components_by_measure:
        parts = {"runs": each.run, "topics": each.topic, "error": each.error}
        total = each.run + each.topic + each.error
        rows.append(
            {
                "measure": name,
                "topics": each.num_topics,
                "runs": each.num_runs,
                **{f"var {part}": value for part, value in parts.items()},
                **{
                    f"share {part}": value / total if total else float("nan")
                    for part, value in parts.items()
                },
            }
        )
    clipped = [name for name, each in components_by_measure if each.clipped]
    clipped_note = note(f"a variance was estimated below 0 and is taken as 0: {', '.join(clipped)}")
    return StudyResult(
        NAME,
        {**result.parameters, **(parameters or {})},
        {
            "components": pd.DataFrame(rows),
            "reliability": reliability_table,
            **result.tables,
            "dependability": dependability_table,
        },
        ("components", "reliability", *result.shown),
        {
            **result.figures,
            "dependability": partial(reliability_figure, dependability_table, options.target),
        },
        (*notices, *result.notices, *([clipped_note] if clipped else ())),
        answers=result.answers,
    )


def design_without_runs(measures: object, options: DesignOptions) -> StudyResult:
    """The topics needed for an sd or a variance that is known, or for what is usual elsewhere."""
    if options.sd is not None:
        if not 0 < options.sd < float("inf"):
            raise UsageError(f"the sd is a positive number, not {options.sd:g}")
        result = design_for_score_variance(options.sd**2 / 2, options)
        return replace(result, parameters={"sd": options.sd, **result.parameters})
    if options.variance is not None:
        return design_for_score_variance(options.variance, options)
    return _design_for_typical_sds(measures or options.default_measures, options)


def design_for_score_variance(score_variance: float, options: DesignOptions) -> StudyResult:
    """The topics needed for a variance of a run's scores that is known, or supposed."""
    if not 0 < score_variance < float("inf"):
        raise UsageError(f"the variance is a positive number, not {score_variance:g}")
    estimate = _VarianceEstimate("(given)", 2, score_variance, None)
    result = _variance_result([estimate], options, {})
    return replace(result, parameters={"variance": score_variance, **result.parameters})


def _design_for_typical_sds(measures: object, options: DesignOptions) -> StudyResult:
    """The topics needed if pairs of runs vary as those of `TYPICAL_SDS` do."""
    import pandas as pd

    rows, answers = [], []
    columns = [c for request in resolve_names(measures, options) for c in request.columns]
    columns = [columns[index] for index in asked_order(columns)]
    for column in columns:
        if irev_name(column) not in TYPICAL_SDS:
            raise UsageError(
                f"without runs, the sd of {column.name} is not known; it is of "
                f"{', '.join(TYPICAL_SDS)}. Give runs, or --sd"
            )
        usual = []
        for collection, sds in zip(COLLECTIONS, TYPICAL_SDS[irev_name(column)], strict=True):
            topics = [
                num_topics_for_t(options.difference, sd**2, options.alpha, 1 - options.power)
                for sd in sds
            ]
            usual.append(topics[1])
            rows.append((column.name, collection, *sds, *topics))
        answers.append(
            f"{column.name}: {min(usual)} to {max(usual)} topics {_finds(options)}; it depends on "
            "the collection"
        )
    quantiles = "(10%)", "(median)", "(90%)"
    heads = [f"{what} {quantile}" for what in ("sd", "topics") for quantile in quantiles]
    notes = (
        f"paired t test, alpha={options.alpha:g}; sd: standard deviation over topics of the "
        "difference of two runs, which 10%, half and 90% of the pairs of good runs lie below",
        "runs of your own tell more",
        _PLAN,
    )
    return StudyResult(
        NAME,
        {
            "measures": [column.name for column in columns],
            "difference": options.difference,
            "alpha": options.alpha,
            "power": options.power,
        },
        {"typical": pd.DataFrame(rows, columns=["measure", "collection", *heads])},
        ("typical",),
        notices=tuple(map(note, notes)),
        answers=tuple(answers),
    )


def _finds(options: DesignOptions) -> str:
    """What enough topics do."""
    return f"find a difference of {options.difference:g} with a chance of {100 * options.power:g}%"


@record(eq=True)
class _VarianceEstimate:
    """The variance of a run's scores that topics do not explain, with its degrees of freedom."""

    measure: str
    num_runs: int
    value: float
    df: int | None
    pair_variances: tuple[float, float] | None = None
    """Half the variance of the differences of a pair, which 5% of the pairs lie below, and 95%."""

    def labelled_estimates(self, level: float) -> list[tuple[str, float]]:
        """The estimate, and the limits within which the variance may well lie."""
        if self.df is None:
            return [("as given", self.value)]
        low, high = variance_limits(self.value, self.df, level)
        share = (1 - level) / 2
        estimates = [
            ("estimate", self.value),
            (f"low ({share:.0%})", low),
            (f"high ({1 - share:.0%})", high),
        ]
        if self.pair_variances is not None:
            estimates += zip(PAIR_VARIANCES, self.pair_variances, strict=True)
        return estimates


def _pooled_variance(pilot: Pilot, components: Components) -> _VarianceEstimate:
    all_components = [components, *map(variance_components, pilot.further_scores)]
    df = [(one.num_runs - 1) * (one.num_topics - 1) for one in all_components]
    value = pooled_variance([one.error for one in all_components], df)
    if not value > 0:
        raise UsageError(
            f"{pilot.measure}: the runs differ by the same amount on all topics, so there is no "
            "variance"
        )
    pair_variances = _half_pair_variances_at_5_and_95(pilot.scores)
    return _VarianceEstimate(pilot.measure, components.num_runs, value, sum(df), pair_variances)


def _half_pair_variances_at_5_and_95(score_matrix: TopicsByRuns) -> tuple[float, float] | None:
    """Half of what 5% and 95% of the pairs' variances of differences lie below; None of one pair.

    A pair whose runs do not vary beside each other needs no topics: it does not count.
    """
    import numpy as np

    covered = np.cov(score_matrix, rowvar=False)
    first, second = np.triu_indices(len(covered), 1)
    variance = covered[first, first] + covered[second, second] - 2 * covered[first, second]
    variance = variance[variance > NEAR * covered.max()]
    if len(variance) < 2:
        return None
    low, high = np.quantile(variance / 2, [0.05, 0.95])
    return float(low), float(high)


def _variance_result(
    variances: Sequence[_VarianceEstimate],
    options: DesignOptions,
    num_topics_by_measure: dict[str, int],
) -> StudyResult:
    """What a variance alone tells."""
    import pandas as pd

    beta = 1 - options.power
    needed, power, present, answers = [], [], [], []
    for variance in variances:
        estimates = variance.labelled_estimates(options.limits)
        num_runs = options.num_runs or variance.num_runs
        num_present = num_topics_by_measure.get(variance.measure, 0)
        most_needed = num_present
        for kind, value in estimates:
            by_t = num_topics_for_t(options.difference, 2 * value, options.alpha, beta)
            most_needed = max(most_needed, by_t)
            needed.append(
                {
                    "measure": variance.measure,
                    "variance is": kind,
                    "variance": value,
                    "by t test": by_t,
                    "runs": num_runs,
                    # the analysis of variance has one variance for all pairs
                    "by anova": None
                    if kind in PAIR_VARIANCES
                    else num_topics_for_anova(
                        num_runs, options.difference, value, options.alpha, beta
                    ),
                    "by interval": num_topics_for_interval(
                        options.width or options.difference, 2 * value, options.alpha
                    ),
                }
            )
        topics, *limits = (row["by t test"] for row in needed[-len(estimates) :])
        answers.append(
            f"{variance.measure}: about {topics} topics ({limits[0]} to {limits[1]}) "
            f"{_finds(options)}; there are {num_present}"
            if limits
            else f"{topics} topics {_finds(options)}"
        )
        # the power with 2, ..., 1.5 times the topics that are needed or there
        power += [
            {
                "measure": variance.measure,
                "variance is": kind,
                "topics": topics,
                "power": power_of_t(topics, options.difference / (2 * value) ** 0.5, options.alpha),
            }
            for kind, value in estimates
            for topics in _spaced_numbers(2, int(1.5 * most_needed))
        ]
        if num_present:
            deviation = (2 * variance.value) ** 0.5
            present.append(
                {
                    "measure": variance.measure,
                    "topics": num_present,
                    "variance": variance.value,
                    "df": variance.df,
                    "power": power_of_t(num_present, options.difference / deviation, options.alpha),
                    "detectable difference": detectable_difference(
                        num_present, deviation, options.alpha, beta
                    ),
                }
            )
    tables = {"topics": pd.DataFrame(needed).astype({"by anova": "Int64"})}
    if present:
        tables["present"] = pd.DataFrame(present)
    shown = tuple(tables)
    tables["power"] = pd.DataFrame(power)
    parameters = {
        "difference": options.difference,
        "alpha": options.alpha,
        "power": options.power,
        "width": options.width or options.difference,
        "target": options.target,
        "variance level": options.limits,
        **({} if options.num_runs is None else {"systems": options.num_runs}),
    }
    figures = {"power": partial(power_figure, tables["power"], options)}
    notices = tuple(map(note, _design_notes(options, is_estimated=bool(num_topics_by_measure))))
    return StudyResult(NAME, parameters, tables, shown, figures, notices, answers=tuple(answers))


def _design_notes(options: DesignOptions, *, is_estimated: bool) -> Sequence[str]:
    notes = [
        f"to find a difference of {options.difference:g} at alpha={options.alpha:g} with a power "
        f"of {options.power:g} (paired t test, analysis of variance), or an interval "
        f"{options.width or options.difference:g} wide; variance of differences: twice that of "
        "scores",
        _PLAN,
    ]
    if is_estimated:
        notes.append(
            f"a pilot gives only a rough variance: its {options.limits:.0%} chi^2 limits are shown "
            "with it (Webber, Moffat and Zobel 2008); they assume one variance for all pairs of "
            "runs"
        )
        notes.append(
            "pairs of runs differ in variance, and near-copies have the least: the "
            "last rows are for the 5% and 95% quantiles of the pilot's pairs"
        )
    return notes


def _spaced_numbers(first: int, last: int, max_count: int = 60) -> list[int]:
    """About so many whole numbers from the first to the last."""
    step = max(1, -(-(last - first) // max_count))
    return sorted({*range(first, last + 1, step), last})


def _present_reliability_table(
    components_by_measure: Sequence[tuple[str, Components]], options: DesignOptions
) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for name, components in components_by_measure:
        present_reliability = reliability(components)
        needed_by_erho2, needed_by_phi = num_topics_needed(components, options.target)
        for kind, coefficient, needed in (
            ("E rho^2", present_reliability.erho2, needed_by_erho2),
            ("Phi", present_reliability.phi, needed_by_phi),
        ):
            rows.append(
                {
                    "measure": name,
                    "coefficient": kind,
                    "topics": present_reliability.num_topics,
                    "value": coefficient.value,
                    "low": coefficient.low,
                    "high": coefficient.high,
                    "level": present_reliability.level,
                    "target": options.target,
                    "topics needed": needed,
                }
            )
    table = pd.DataFrame(rows)
    return table.astype({"topics needed": "Int64"})


def _dependability_table(
    components_by_measure: Sequence[tuple[str, Components]], options: DesignOptions
) -> pd.DataFrame:
    """Both coefficients against the number of topics."""
    import pandas as pd

    rows = []
    for name, components in components_by_measure:
        _, needed_by_phi = num_topics_needed(components, options.target)
        last = min(max(needed_by_phi or 0, 2 * components.num_topics), 20 * components.num_topics)
        for num_topics in _spaced_numbers(1, last):
            reliability_of_topics = reliability(components, num_topics)
            rows += [
                (name, "E rho^2", num_topics, reliability_of_topics.erho2.value),
                (name, "Phi", num_topics, reliability_of_topics.phi.value),
            ]
    return pd.DataFrame(rows, columns=["measure", "coefficient", "topics", "value"])


def power_figure(
    table: pd.DataFrame, options: DesignOptions, *, width: FigureWidth = "page"
) -> Figure:
    """The power of the paired t test against the topics, and the one that is wanted."""
    caption = f"Of a difference of {options.difference:g}, α = {options.alpha:g}."
    return _curves_figure(
        table, "variance is", "power", "power of the paired t test", options.power, caption, width
    )


def reliability_figure(
    table: pd.DataFrame, target: float, *, width: FigureWidth = "page"
) -> Figure:
    """E rho^2 and Phi against the topics, and the reliability that is wanted."""
    return _curves_figure(table, "coefficient", "value", "reliability", target, "", width)


def _curves_figure(
    table: pd.DataFrame,
    line_column: str,
    y_column: str,
    y_label: str,
    target: float,
    caption: str,
    width: FigureWidth,
) -> Figure:
    symbols = {"E rho^2": "Eρ²", "Phi": "Φ"}
    groups = list(table.groupby("measure", sort=False))
    with plot_style(width):
        layout = FigureLayout(len(groups), width=width, height=2.0)
        for panel, (measure, rows) in zip(layout.panels, groups, strict=True):
            panel.axhline(
                target, color="#777777", linewidth=0.9, zorder=1, label=f"aim: {target:g}"
            )
            for number, (name, points) in enumerate(rows.groupby(line_column, sort=False)):
                look = {**series_style(number), "marker": ""}
                line_label = symbols.get(str(name), f"variance: {name}")
                panel.plot(points["topics"], points[y_column], label=line_label, **look)
            panel.set_title(drawn_label(str(measure)))
            panel.set_xlabel("topics")
            panel.set_ylabel(y_label)
            panel.set_ylim(0.0, 1.04)
            layout.count_by(panel, "x")
        layout.set_panel_legend()
        layout.add_sentence(caption)
        return layout.finish()
