"""How well an experiment was reproduced: an advanced run against a baseline, then and now.

T. Breuer et al., SIGIR 2020, "How to measure the reproducibility of system-oriented IR
experiments".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from irev.core.arrays import TopicDraws, TopicValues, mean_of
from irev.core.draws import topic_counts_of_draws, topic_draws
from irev.core.job import FigureWidth, job
from irev.core.judged import Input
from irev.core.option_records import Opt
from irev.core.record import record
from irev.core.text import count_text
from irev.engine.score_runs import score_runs
from irev.errors import MismatchError, Notice, UsageError, note
from irev.jobs.plots.layout import FigureLayout, drawn_label, plot_style, series_style
from irev.jobs.plots.plot import add_score_signatures, input_label, notes_of, parameters_of
from irev.jobs.result import StudyResult
from irev.jobs.score_job import watch_runs
from irev.jobs.studies.criteria import PERSISTENCE, USUAL
from irev.jobs.studies.overlap import mean_overlap, overlap_table, read_rankings
from irev.measures.naming.resolve import column_positions, mean_bounds_or_infinite
from irev.options import ALPHA, PREDICTED, SEED, Options, ScoringOptions
from irev.read.inputs import named_run, path_of
from irev.scores.table import ScoreTable
from irev.statistics.decisions import equivalence
from irev.statistics.differences import NEAR, every_pair, scale_of
from irev.statistics.intervals import fit_to_range, intervals_of_t
from irev.statistics.resampling import percentile_interval
from irev.statistics.significance_tests import paired_t, unpaired_t

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


ROLES = ("baseline", "advanced", "new_baseline", "new_advanced")
"""The four runs."""


class ReproductionOptions(ScoringOptions):
    """The runs of an experiment and of its reproduction, and how they are compared.

    Intervals of the effect ratio are of the level 1 - alpha; differences of means up to the margin
    are equal, which is not tested where there is none.
    """

    without: ClassVar[Sequence[str]] = ("classes", *PREDICTED)
    default_measures: ClassVar[tuple[str, ...]] = USUAL

    baseline: Annotated[
        Any,
        Opt(
            "--baseline",
            metavar="RUN",
            file="always",
            parse=named_run,
            help="The original baseline.",
        ),
    ] = None
    advanced: Annotated[
        Any,
        Opt(
            "--advanced",
            metavar="RUN",
            file="always",
            parse=named_run,
            help="The original advanced run.",
        ),
    ] = None
    new_baseline: Annotated[
        Any,
        Opt(
            "--new-baseline",
            metavar="RUN",
            file="always",
            parse=named_run,
            help="The reproduced baseline.",
        ),
    ] = None
    new_advanced: Annotated[
        Any,
        Opt(
            "--new-advanced",
            metavar="RUN",
            file="always",
            parse=named_run,
            help="The reproduced advanced run.",
        ),
    ] = None
    new_qrels: Annotated[
        Any,
        Opt(
            "--new-qrels",
            metavar="FILE",
            file="always",
            help="The judgments of the new runs, on other topics.",
        ),
    ] = None
    resamples: Annotated[
        int,
        Opt(
            "--resamples",
            metavar="B",
            least=2,
            most=10_000_000,
            help="Samples of the topics for the interval of ER.",
        ),
    ] = 1000
    seed: Annotated[int, SEED.replace(help="Seed of the samples of the topics.")] = 0
    alpha: Annotated[float, ALPHA.replace(help="Intervals are of the level 1 - A.")] = 0.05
    margin: Annotated[
        float | None,
        Opt(
            "--margin",
            metavar="D",
            help="Test whether means differ by less than this (two one-sided t tests).",
        ),
    ] = None
    welch: Annotated[
        bool,
        Opt(
            "--welch",
            help="Let variances differ between the new topics and the old ones (Welch's t).",
        ),
    ] = False
    persistence: Annotated[float, PERSISTENCE.replace(help="Persistence of RBO.")] = 0.9

    def _check(self) -> None:
        super()._check()
        if self.margin is not None and not 0 < self.margin < math.inf:
            raise UsageError(f"--margin must be above 0, not {self.margin:g}")


NAME = "reproduction"


@record
class Experiment:
    """The scores of a baseline and an advanced run on the same topics.

    table  with at least these two runs
    baseline, advanced  their numbers
    """

    table: ScoreTable
    baseline_index: int
    advanced_index: int

    def run_scores(self, measure: str) -> tuple[TopicValues, TopicValues]:
        """float64[T] twice: the baseline's and the advanced run's."""
        both = self.table.weighted_score_matrix(measure)
        return both[:, self.baseline_index], both[:, self.advanced_index]


@job(ReproductionOptions)
def reproduction(
    qrels: Input | None = None, measures: object = (), *, options: ReproductionOptions
) -> StudyResult:
    """How well an experiment was reproduced: an advanced run against a baseline, then and now.

    Args:
        qrels: judgments, as `irev.evaluate` takes them; None where the runs are saved scores, which
            have no rankings.
        measures: names as `irev.evaluate` takes them; none: map, ndcg_cut.10 and P.10, or all that
            saved scores have.
        options: the record `ReproductionOptions`, whose fields are keywords, too: the four runs,
            and where it was replicated on other topics the judgments of the new ones.

    Returns:
        The tables of `compare_experiments`, and where the rankings are for the same topics
        those of `add_rbo_tables`.

    Raises:
        UsageError: a run is missing; an option or a measure that makes no sense here.
        InputError: an input that cannot be read.
        MismatchError: scores that are not comparable.
    """
    runs = [getattr(options, role) for role in ROLES]
    if "-" in map(path_of, (*runs, qrels)):
        raise UsageError("standard input (-) cannot be read twice: give files")
    for role, run in zip(ROLES, runs, strict=True):
        if run is None:
            raise UsageError(f"give four runs: --{role.replace('_', '-')} is missing")
    paths = [path_of(run) for run in runs]
    for baseline, advanced in (paths[:2], paths[2:]):
        if baseline and baseline == advanced:
            raise UsageError(f"{baseline} is both the baseline and the advanced run")
    is_replication = options.new_qrels is not None
    new_qrels = options.new_qrels if is_replication else qrels
    original = _score_experiment(qrels, runs[:2], measures, options)
    new = _score_experiment(new_qrels, runs[2:], measures, options)
    parameters = parameters_of(original.table)
    result = compare_experiments(
        original,
        new,
        options,
        parameters={
            **parameters,
            "runs": {
                role: path_of(run) or input_label(run)
                for role, run in zip(ROLES, runs, strict=True)
            },
            "original": parameters["runs"],
            "new": parameters_of(new.table)["runs"],
        },
        notices=tuple(dict.fromkeys((*notes_of(original.table)[1:], *notes_of(new.table)[1:]))),
    )
    if qrels is not None and not is_replication:
        pairs = {"baseline": (runs[0], runs[2]), "advanced": (runs[1], runs[3])}
        result = add_rbo_tables(result, pairs, options.persistence, options.base_record(Options))
    return add_score_signatures(result, original.table, new.table)


def _score_experiment(
    qrels: Input | None, runs: Sequence[Input], measures: object, options: ReproductionOptions
) -> Experiment:
    """The scores of a baseline and an advanced run."""
    table = score_runs(qrels, list(runs), measures, options, watch=watch_runs)
    indices = [
        table.run_index(path_of(run))
        if path_of(run)
        else [info.input_index for info in table.runs].index(input_index)
        for input_index, run in enumerate(runs)
    ]
    return Experiment(table, *indices)


def compare_experiments(
    original: Experiment,
    new: Experiment,
    options: ReproductionOptions,
    *,
    parameters: Mapping[str, Any] | None = None,
    notices: Sequence[Notice] = (),
) -> StudyResult:
    """Effect ratio, relative improvements, and how close the runs' scores are.

    Where both experiments have the same topics it is a reproduction: RMSE, nRMSE and the paired t
    test set the scores of a run against those of its original. Otherwise it is a replication, with
    the unpaired t test, and without the others.

    Returns:
        Tables `effects` (for each measure ER, its interval, RI, RI' and DeltaRI; drawn) and
        `closeness` (for each measure and run, with the relative drop of the mean).

    Source: Breuer et al., SIGIR 2020, section 3.
    """
    import pandas as pd

    columns = original.table.columns
    column_indices = column_positions(columns, new.table.columns)
    scores_by_measure = [
        (
            column.name,
            original.run_scores(column.name),
            new.run_scores(new.table.columns[column_index].name),
        )
        for column, column_index in zip(columns, column_indices, strict=True)
        if column_index is not None
    ]
    if not scores_by_measure:
        raise MismatchError("the two experiments have no measure in common")
    has_same_topics = original.table.topics == new.table.topics
    if options.margin is not None and not has_same_topics:
        raise UsageError("a margin needs both experiments on the same topics")
    if options.welch and has_same_topics:
        raise UsageError("Welch's test is for experiments on different topics")
    # the topics of each sample, for either experiment; the same ones for the same topics
    draw = partial(topic_draws, options.seed, options.resamples)
    samples = draw(len(original.table.topics))
    new_samples = samples if has_same_topics else draw(len(new.table.topics))
    closeness_facts = _rmse_and_paired_t_facts if has_same_topics else _unpaired_t_facts
    effects, closeness_rows = [], []
    for name, original_scores, new_scores in scores_by_measure:
        ratios = reproduction_effects(*original_scores, *new_scores)
        interval = effect_ratio_interval(
            original_scores[1] - original_scores[0],
            new_scores[1] - new_scores[0],
            (samples, new_samples),
            1 - options.alpha,
        )
        effects.append(
            {
                "measure": name,
                "ER": ratios.effect_ratio,
                "ER low": interval.low,
                "ER high": interval.high,
                "RI": ratios.improvement,
                "RI'": ratios.new_improvement,
                "DeltaRI": ratios.delta_improvement,
                "samples defined": interval.num_defined,
            }
        )
        for role, then, now in zip(ROLES[:2], original_scores, new_scores, strict=True):
            bounds = mean_bounds_or_infinite(
                original.table.column(name), np.concatenate([then, now])
            )
            facts = closeness_facts(then, now, options, bounds)
            drop = {"drop": relative_drop(then, now)}
            closeness_rows.append({"measure": name, "run": role, **drop, **facts})
    table = pd.DataFrame(effects)
    tables = {"effects": table, "closeness": pd.DataFrame(closeness_rows)}
    return StudyResult(
        NAME,
        {
            "resamples": options.resamples,
            "seed": options.seed,
            "alpha": options.alpha,
            "margin": options.margin,
            "welch": options.welch,
            "same topics": has_same_topics,
            **(parameters or {}),
        },
        tables,
        ("effects", "closeness"),
        {"effects": partial(effects_figure, table)},
        (
            *notices,
            *map(note, _notes_on_tests_and_intervals(original, new, options, has_same_topics)),
        ),
    )


def add_rbo_tables(
    result: StudyResult,
    run_pair_of_role: Mapping[str, tuple[Input, Input]],
    persistence: float,
    read_options: Options,
) -> StudyResult:
    """The same with how alike the runs rank documents, by RBO, then and now.

    `run_pair_of_role`: of `baseline` and `advanced` the original run and the new one.
    `persistence`: that of RBO, of which a ranking has 1 with itself (ties `b`). `read_options`: how
    the runs are read.

    Returns:
        Also tables `overlap` (the means) and `overlap-topics`.
    """
    import pandas as pd

    means: list[pd.DataFrame] = []
    topics: list[pd.DataFrame] = []
    for role, (original_run, new_run) in run_pair_of_role.items():
        table = overlap_table(
            read_rankings(original_run, read_options).rankings,
            read_rankings(new_run, read_options).rankings,
            persistence,
            "b",
        )
        for frame, frames in ((mean_overlap(table), means), (table, topics)):
            frame.insert(0, "run", role)
            frames.append(frame)
    tables = {
        **result.tables,
        "overlap": pd.concat(means, ignore_index=True),
        "overlap-topics": pd.concat(topics, ignore_index=True),
    }
    text = f"overlap: RBO, extrapolated (ext), p={persistence:g}, ties=b"
    return replace(
        result,
        tables=tables,
        shown=(*result.shown, "overlap"),
        notices=(*result.notices, note(text)),
        parameters={**result.parameters, "p": persistence},
    )


def _rmse_and_paired_t_facts(
    original_scores: TopicValues,
    new_scores: TopicValues,
    options: ReproductionOptions,
    bounds: tuple[float, float],
) -> dict[str, Any]:
    measured = closeness(original_scores, new_scores)
    facts: dict[str, Any] = {
        "difference": measured.difference,
        "RMSE": measured.rmse,
        "nRMSE": measured.nrmse,
        "p": measured.p,
    }
    if options.margin is not None:
        score_matrix, pair = np.column_stack((new_scores, original_scores)), every_pair(2)
        equal_tests = equivalence(score_matrix, pair, options.margin)
        tested = paired_t(score_matrix, pair, level=0.9)
        intervals = intervals_of_t(tested, tested.df)
        if intervals.is_constant[0]:
            width = bounds[1] - bounds[0]
            intervals = fit_to_range(intervals, -width, width)
        facts |= {
            "p equal": float(equal_tests.p_equal[0]),
            "low 90%": float(intervals.low[0]),
            "high 90%": float(intervals.high[0]),
        }
    return facts


def _unpaired_t_facts(
    original_scores: TopicValues,
    new_scores: TopicValues,
    options: ReproductionOptions,
    bounds: tuple[float, float],
) -> dict[str, Any]:
    test = unpaired_t(
        new_scores, original_scores, welch=options.welch, alpha=options.alpha, bounds=bounds
    )
    return {"difference": test.difference, "low": test.low, "high": test.high, "p": test.p}


def _notes_on_tests_and_intervals(
    original: Experiment, new: Experiment, options: ReproductionOptions, has_same_topics: bool
) -> list[str]:
    num_topics = len(original.table.topics)
    if has_same_topics:
        experiment_text = (
            f"the same {count_text(num_topics, 'topic')}: a reproduction; p of the "
            "paired t test, two-sided"
        )
    else:
        test = "Welch's t" if options.welch else "the unpaired t"
        experiment_text = (
            f"{count_text(num_topics, 'topic')} then and "
            f"{count_text(len(new.table.topics), 'other')} now: a replication; p of "
            f"{test} test, two-sided"
        )
    lacked = "a judged topic that a run lacks counts as 0"
    if not original.table.counts_missing_as_zero:
        lacked = "the topics are those that every run has"
    notes = [
        f"{experiment_text}, not corrected; {lacked}",
        "drop: of the mean, (then - now) / then; negative where it rose",
        f"ER: {100 * (1 - options.alpha):g}% percentile interval of {options.resamples} samples of "
        f"the topics, seed {options.seed}; a perfect reproduction has ER 1 and DeltaRI 0",
        "relative improvements are not effect sizes (Fuhr 2017): look at the effect ratio first",
    ]
    if has_same_topics:
        notes.append(
            "a large p does not mean that scores are equal: --margin tests that"
            if options.margin is None
            else f"p equal: two one-sided t tests, differences up to {options.margin:g} are equal"
        )
    return notes


# --- What is measured of an experiment and its reproduction ---
# T. Breuer et al., SIGIR 2020, "How to measure the reproducibility of system-oriented IR
# experiments". On the same topics it is a reproduction, on others a replication. What is not
# defined is NaN.


@record(eq=True)
class Effects:
    """The improvement of the advanced run a over the baseline b, then and now (').

    effect_ratio          mean(a' - b') / mean(a - b); 1 is a perfect reproduction
    improvement           RI = (mean a - mean b) / mean b, the original's
    new_improvement       RI' of the reproduction
    delta_improvement     RI - RI'; 0 is a perfect reproduction
    """

    effect_ratio: float
    improvement: float
    new_improvement: float
    delta_improvement: float


def reproduction_effects(
    baseline: TopicValues,
    advanced: TopicValues,
    new_baseline: TopicValues,
    new_advanced: TopicValues,
) -> Effects:
    """Effect ratio and difference of relative improvements, from float64[T] scores of topics.

    The two original runs have the same topics, and so have the two new ones. The effect ratio is
    not defined where the original runs have equal means, RI where a baseline's mean is 0; Fuhr
    (SIGIR Forum 2017) argues against relative improvements of means altogether.
    """
    for one, other in ((baseline, advanced), (new_baseline, new_advanced)):
        _check_same_topics(one, other)
    old = _improvement(baseline, advanced)
    new = _improvement(new_baseline, new_advanced)
    ratio = _ratio(mean_of(new_advanced - new_baseline), mean_of(advanced - baseline))
    return Effects(ratio, old, new, old - new)


@record(eq=True)
class RatioInterval:
    """The percentile interval of an effect ratio, over resamples of the topics.

    `num_defined` of the resamples have a ratio: the original effect is not 0 in them. The ends are
    NaN where they all have the same, and it is not 1: that nothing varied makes no ratio certain.
    """

    low: float
    high: float
    level: float
    num_defined: int
    num_resamples: int


def effect_ratio_interval(
    original_differences: TopicValues,
    new_differences: TopicValues,
    samples: tuple[TopicDraws, TopicDraws],
    level: float = 0.95,
) -> RatioInterval:
    """The bootstrap interval of mean(new)/mean(original) for differences a - b and a' - b'.

    Args:
        original_differences: float64[T], the original differences.
        new_differences: float64[T'], the new ones.
        samples: int64[B, n] twice, topics of either; the same one twice for the same topics, which
            are then resampled jointly.
        level: of the interval.
    """
    old_means, new_means = (
        topic_counts_of_draws(sample, len(differences)) @ differences / sample.shape[1]
        for sample, differences in zip(
            samples, (original_differences, new_differences), strict=True
        )
    )
    is_defined = np.abs(old_means) > NEAR
    ratios = new_means[is_defined] / old_means[is_defined]
    ends = percentile_interval(ratios, level)
    if len(ratios) and np.ptp(ratios) <= NEAR * scale_of(ratios) < abs(ratios[0] - 1):
        ends = (math.nan, math.nan)
    return RatioInterval(*ends, level, len(ratios), len(is_defined))


@record(eq=True)
class Closeness:
    """How close the scores of a run are to the original's, on the same topics.

    difference  mean of the new scores minus mean of the original's
    rmse        sqrt(mean (s - s')^2)
    nrmse       rmse / sqrt(mean max(s, 1-s)^2), the most that rmse could be; NaN for original
                scores that are not all from 0 to 1
    p           of the paired t test; that it is large does not show equality
    """

    difference: float
    rmse: float
    nrmse: float
    p: float


def closeness(original_scores: TopicValues, new_scores: TopicValues) -> Closeness:
    """RMSE, its normalised form and the paired t test of float64[T] scores of the same T topics.

    For scores of other topics, see `irev.statistics.significance_tests.unpaired_t`.
    """
    _check_same_topics(original_scores, new_scores)
    tested = paired_t(np.column_stack((new_scores, original_scores)), every_pair(2))
    rmse = math.sqrt(mean_of((original_scores - new_scores) ** 2))
    inside = original_scores.min() >= 0 and original_scores.max() <= 1
    most = math.nan
    if inside:
        most = math.sqrt(mean_of(np.maximum(original_scores, 1 - original_scores) ** 2))
    return Closeness(float(tested.mean[0]), rmse, rmse / most, float(tested.p[0]))


def relative_drop(original_scores: TopicValues, new_scores: TopicValues) -> float:
    """(M - M') / M of the means M then and M' now; negative where the mean rose, NaN where M is 0.

    The topics may differ. Source: LongEval, CLEF 2023.
    """
    return _ratio(mean_of(original_scores) - mean_of(new_scores), mean_of(original_scores))


def _improvement(baseline: TopicValues, advanced: TopicValues) -> float:
    return _ratio(mean_of(advanced) - mean_of(baseline), mean_of(baseline))


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if abs(denominator) > NEAR else math.nan


def _check_same_topics(one: TopicValues, other: TopicValues) -> None:
    if len(one) != len(other) or not len(one):
        raise UsageError(
            f"the two runs need scores of the same topics: {len(one)} and {len(other)} topics"
        )


def effects_figure(table: pd.DataFrame, *, width: FigureWidth = "page") -> Figure:
    """The difference of relative improvements against the effect ratio, a point for each measure.

    Where the lines at 1 and 0 cross, the reproduction is perfect; what is NaN is not drawn.
    """
    with plot_style(width):
        layout = FigureLayout(1, width=width, height=2.8)
        (axes,) = layout.panels
        axes.axvline(1.0, color="#777777", linewidth=0.8, zorder=1)
        axes.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
        names = list(table["measure"])
        ratio, difference = table["ER"].to_numpy(), table["DeltaRI"].to_numpy()
        low, high = table["ER low"].to_numpy(), table["ER high"].to_numpy()
        for number, name in enumerate(names):
            reach = np.array([[ratio[number] - low[number]], [high[number] - ratio[number]]])
            look = {**series_style(number), "linestyle": "none"}
            axes.errorbar(
                ratio[number : number + 1],
                difference[number : number + 1],
                xerr=np.maximum(reach, 0.0),
                label=drawn_label(str(name)),
                capsize=3.0,
                elinewidth=1.0,
                **look,
            )
        axes.set_xlabel("effect ratio (ER)")
        axes.set_ylabel("difference of relative improvements (DeltaRI)")
        axes.margins(0.1)
        layout.set_panel_legend()
        return layout.finish()
