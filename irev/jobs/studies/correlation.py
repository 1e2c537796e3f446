"""How alike several measures, or several judgments, order the same runs.

T. Sakai, 2006, "Controlling the penalty on late arrival of relevant documents in information
retrieval evaluation with graded relevance", figures 1-12: the rank correlation between the
orders that measures give to the best runs, for all pairs of measures, and against a parameter,
whose values stand at the end.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from irev.core.arrays import RunValues
from irev.core.draws import topic_draws
from irev.core.job import FigureWidth, job
from irev.core.judged import Input, Qrels
from irev.core.option_records import Opt, ResultOptions
from irev.core.record import record
from irev.core.text import count_text, escape_non_utf8, parse_decimal, shortened_list
from irev.core.workers import progress_reporter
from irev.engine.evaluate import RunEvaluator
from irev.engine.join_scores import LEFT_OUT
from irev.engine.score_runs import options_with_pool, score_runs, table_if_scores
from irev.errors import MismatchError, Notice, UsageError, id_text, note
from irev.jobs.leaderboard.teams import best_of_teams, listed_runs, read_teams, team_notes, teams_of
from irev.jobs.plots.layout import FigureLayout, drawn_label, plot_style, series_style
from irev.jobs.plots.plot import (
    add_score_signatures,
    input_label,
    matrix_figure,
    notes_of,
    parameters_of,
    run_means_scatter_figure,
    run_names,
)
from irev.jobs.result import StudyResult
from irev.jobs.score_job import watch_runs
from irev.jobs.studies.criteria import (
    FOUR,
    SHORT_TEXT,
    Criterion,
    SignificanceOptions,
    TeamOptions,
    conclusion_counts,
    criteria_of,
    pair_verdicts,
    printed_names,
    run_indices_best_first,
    select_common_topics,
    tau_coefficients,
    top_runs,
)
from irev.jobs.studies.judges import (
    MISSING,
    JoinedJudges,
    Judge,
    Missing,
    TauOptions,
    join_judges,
    judge_rows,
    judges_of_scores,
    top_weighted_taus,
)
from irev.measures.naming.grammar import measure_names, parse_name
from irev.measures.naming.resolve import resolve_names
from irev.measures.requests import Request, is_prefixed, relevant_per_list
from irev.options import SEED, Options, ScoringOptions
from irev.read.inputs import path_of, rewindable
from irev.scores.table import ScoreTable
from irev.statistics.correlation import (
    EXACT_UP_TO,
    bootstrap_correlation,
    critical_tau,
    pearson,
    rms_error,
    spearman,
)
from irev.statistics.differences import groups_of_equals, scale_of
from irev.statistics.methods import DoneTest

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class OrderOptions(ResultOptions):
    """Which orders of runs are compared, beside those by the measures."""

    sweeps: Annotated[
        Sequence[str],
        Opt(
            "--sweep",
            metavar="PARAMETER=LIST",
            help="Give each measure that has this parameter all of these values. As in "
            "beta=0.1,1,10,100,1000; b=2,5,10; gain=3:2:1,10:5:1. May be repeated.",
        ),
    ] = ()
    against: Annotated[
        Sequence[str],
        Opt(
            "--against",
            metavar="NAME",
            help="With --sweep: the measure that all are compared with; may be repeated. "
            "Default: AP, and the measure as it was asked for.",
        ),
    ] = ()
    other_qrels: Annotated[
        Sequence[str],
        Opt(
            "--other-qrels",
            metavar="FILE",
            file="always",
            sign_content=True,
            help="Order the runs under these judgments too; may be repeated.",
        ),
    ] = ()
    top: Annotated[int | None, Opt("--top", metavar="N", least=2, help="Keep the N best runs.")] = (
        None
    )
    by: Annotated[
        str | None,
        Opt(
            "--by",
            metavar="NAME",
            help="With --top: by the mean of this measure; of equal runs the first by name. "
            "Default: the first measure.",
        ),
    ] = None

    def _check(self) -> None:
        super()._check()
        if self.by and self.top is None:
            raise UsageError("--by needs --top")
        if self.against and not self.sweeps:
            raise UsageError("--against needs --sweep")
        if self.sweeps and self.other_qrels:
            raise UsageError("--sweep and --other-qrels cannot be combined")


class ResamplingOptions(ResultOptions):
    """The bootstrap over topics: how many samples, drawn from what."""

    resamples: Annotated[
        int | None,
        Opt(
            "--resamples",
            metavar="B",
            least=2,
            most=10_000_000,
            help="Standard errors of tau_b and tau_AP, and intervals of the level 1 - A, from B "
            "samples of the topics.",
        ),
    ] = None
    seed: Annotated[
        int | None, SEED.replace(help="Seed of the samples of the topics. Default: 0.")
    ] = None

    def _check(self) -> None:
        super()._check()
        if self.resamples is None and self.seed is not None:
            raise UsageError("--seed is for intervals: add --resamples B")


class CorrelationOptions(
    OrderOptions, TauOptions, TeamOptions, ResamplingOptions, SignificanceOptions, ScoringOptions
):
    """What orders runs, what is significant, and how runs are scored."""

    without: ClassVar[Sequence[str]] = ("classes",)
    default_measures: ClassVar[tuple[str, ...]] = FOUR

    missing: Annotated[
        Missing,
        MISSING.replace(
            help="If a judge lacks runs or topics. That is an error (error), or they are left out "
            "(shared), or they count as 0 (zero). A judge is a file of scores of several runs.",
        ),
    ] = "error"


NAME = "correlation"
MOST_CELLS = 16
"""Up to so many criteria have a heat map that can be read."""

MOST_PANELS = 12
"""Up to so many criteria are drawn against the first."""

RESAMPLED = {"tau_b": "tau_b", "tau_ap": "tau_AP"}
"""The coefficients that are resampled, by their names in `correlation.COEFFICIENTS`, as printed."""


@job(CorrelationOptions)
def correlation(
    qrels_or_table: Input,
    runs: Input = (),
    measures: object = (),
    *,
    options: CorrelationOptions,
) -> StudyResult:
    """How alike several measures, or several judgments, order the same runs.

    Args:
        qrels_or_table: judgments, as `irev.evaluate` takes them; None where all runs are saved
            scores, where a matrix (topics x runs) is a measure by the name of its file; or a table
            of scores.
        runs: runs and files of saved scores: a list, a mapping by name, a path with wildcards.
            Files of scores of several runs are judges, the first of them the truth.
        measures: names as `irev.evaluate` takes them; none: AP, Q, nDCG(b=2)@1000 and genAP, or all
            that saved scores have.
        options: the record `CorrelationOptions`, whose fields are keywords, too.

    Returns:
        The tables of `correlate_criteria`; where files of scores are judges, also `judges`: a line
        for each measure of the truth and of each other one, on the runs and topics of these two,
        with what the judge lacks and what was done about it.

    Raises:
        UsageError: an option or a measure that makes no sense here; less than two measures or runs.
        InputError: an input that cannot be read.
        MismatchError: scores that are not comparable.
    """
    qrels_or_table, runs = table_if_scores(qrels_or_table, runs, options)
    runs, joined, judges = rewindable(runs), None, []
    if qrels_or_table is None:
        options.load_plugins()
        judges = judges_of_scores(runs, measure_names(measures), options)
    if judges:
        joined = join_judges(judges, options.missing)
        runs, measures = joined.tables, ()
    orders = score_orders(qrels_or_table, runs, measures, options)
    result = correlate_criteria(
        orders.criteria,
        run_names(orders.tables[0]),
        options,
        orders.sweep_lines,
        parameters=orders.parameters,
        notices=orders.notices,
        topics_text=orders.tables[0].topics_text,
        watch=progress_reporter("pairs of measures"),
    )
    if joined is not None:
        result = _add_judges(result, judges, joined, orders.criteria, options)
    return add_score_signatures(result, *orders.tables)


def _add_judges(
    result: StudyResult,
    judges: Sequence[Judge],
    joined: JoinedJudges,
    criteria: Sequence[Criterion],
    options: CorrelationOptions,
) -> StudyResult:
    """The same with each judge against the truth, on what these two have.

    That is printed where there are several, or where one lacks something.
    """
    import pandas as pd

    rows = []
    for judge in judges[1:]:
        pair, pair_criteria = joined, criteria
        if len(judges) > 2:
            pair = join_judges([judges[0], judge], options.missing)
            pair_criteria = score_orders(None, pair.tables, (), options).criteria
        rows += judge_rows(pair, pair_criteria, judge, options.tau_at, options.missing)
    table = pd.DataFrame(rows)
    is_shown = len(judges) > 2 or bool(table["lacks"].any())
    notices = result.notices
    if is_shown:
        of_truth = "on the runs and topics that both have"
        if options.missing == "zero":
            of_truth = "on its runs and topics, with 0 for what a judge lacks of them"
        others = "; the other tables: on those that all have" if len(judges) > 2 else ""
        notices += (note(f"judges: each against {judges[0].name}, {of_truth}{others}"),)
    choice = {} if options.missing == "error" else {"missing": options.missing}
    return replace(
        result,
        parameters={**result.parameters, **choice},
        tables={**result.tables, "judges": table},
        shown=(("judges",) if is_shown else ()) + result.shown,
        notices=notices,
    )


def best_run_of_each_listed_team(
    team_options: TeamOptions, table: ScoreTable, measure: str
) -> tuple[ScoreTable, tuple[Notice, ...]]:
    """The best run of each team that --teams lists, and notes on them."""
    team_of_listed_word = read_teams(team_options.teams or "")
    runs_by_listed_word = listed_runs(table, team_of_listed_word)
    team_of_run = teams_of(runs_by_listed_word, team_of_listed_word)
    best = table.select_runs(
        best_of_teams(table.run_names, run_indices_best_first(table, measure), team_of_run)
    )
    num_best, num_runs = len(best.run_names), len(table.run_names)
    best_text = f"{num_best} of {num_runs} runs: the best of each team by {measure}"
    texts = team_notes(table, runs_by_listed_word, team_of_listed_word, team_of_run)
    return best, tuple(map(note, (*texts, best_text)))


class Orders(NamedTuple):
    """The orders of the same runs.

    criteria     that order them, under each of the judgments
    tables       the scores of the runs, likewise
    sweep_lines  what is drawn against a parameter of measures
    parameters   of the result
    notices      for the result
    """

    criteria: Sequence[Criterion]
    tables: Sequence[ScoreTable]
    sweep_lines: Sequence[SweepLine]
    parameters: dict[str, Any]
    notices: tuple[Notice, ...]


def score_orders(
    qrels_or_table: Input, runs: Input, measures: object, options: CorrelationOptions
) -> Orders:
    """Score runs, and choose those that are studied.

    Args:
        qrels_or_table: judgments; None where all runs are saved scores; or a table of scores.
        runs: the runs.
        measures: that are compared; none: Sakai's four, or all that saved scores have.
        options: the options of the study.
    """
    is_saved = qrels_or_table is None or isinstance(qrels_or_table, ScoreTable)
    if not is_saved and path_of(qrels_or_table) == "-":
        raise UsageError("standard input (-) cannot be read twice: give the judgments as a file")
    if is_saved and options.other_qrels:
        raise UsageError("--other-qrels needs QRELS RUN...")
    if is_saved and options.sweeps:
        raise UsageError("--sweep scores runs under several parameters: give QRELS RUN...")
    options.load_plugins()
    runs = rewindable(runs)
    evaluation = options_with_pool(options.base_record(Options), runs) if not is_saved else options
    named = measure_names(measures)
    if not is_saved:
        named = named or FOUR
    sweeps = [Sweep.parse(text) for text in options.sweeps]
    sweep_lines = make_sweep_lines(named, sweeps, options.against, evaluation)
    swept_names = [name for line in sweep_lines for _, name in line.points]
    reference_names = [line.reference for line in sweep_lines]
    unswept_names = [
        name
        for name in named
        if not any(has_option(name, sweep.name, evaluation) for sweep in sweeps)
    ]
    studied_names = tuple(dict.fromkeys([*reference_names, *unswept_names, *swept_names]))

    def score_side(judgments: Input) -> _JudgedScores:
        return _score_under_judgments(
            judgments, runs, studied_names, sweep_lines, options, evaluation, is_saved=is_saved
        )

    first = score_side(qrels_or_table)
    table, notices = _select_runs(first, options)
    all_judged_scores = [first, *map(score_side, options.other_qrels)]
    tables: Sequence[ScoreTable] = [table]
    left_out: Sequence[Notice] = ()
    if len(all_judged_scores) > 1:
        tables, left_out = select_common_topics(
            [
                each.table.select_runs([*map(each.table.run_names.index, table.run_names)])
                for each in all_judged_scores
            ]
        )
    judgments = [qrels_or_table, *options.other_qrels]
    labels = _judgment_labels(judgments) if len(all_judged_scores) > 1 else [""]
    criteria = [
        criterion
        for judged_scores, scores, label in zip(all_judged_scores, tables, labels, strict=True)
        for criterion in criteria_of(scores, judged_scores.measures, label)
    ]
    parameters = parameters_of(table)
    parameters["measures"] = list(first.measures)
    parameters["topics"] = len(table.topics)
    if options.sweeps:
        parameters["sweeps"], parameters["against"] = [*options.sweeps], [*options.against]
    if options.other_qrels:
        parameters["qrels"] = [path_of(source) or input_label(source) for source in judgments]
    if options.top is not None:
        parameters["top"] = {"runs": options.top, "by": first.top_measure}
    if options.teams:
        parameters["best of teams"] = {"file": options.teams, "by": first.team_measure}
    return Orders(criteria, tables, first.sweep_lines, parameters, (*notices, *left_out))


class _JudgedScores(NamedTuple):
    """Scores under some judgments, and which of them are studied, by their printed names.

    by, best  the measures that the best runs, and the best of each team, are chosen by
    """

    table: ScoreTable
    measures: tuple[str, ...]
    top_measure: str
    team_measure: str
    sweep_lines: Sequence[SweepLine]
    notices: tuple[Notice, ...]


def _score_under_judgments(
    judgments: Input,
    runs: Input,
    studied_names: Sequence[str],
    sweep_lines: Sequence[SweepLine],
    options: CorrelationOptions,
    evaluation: Options,
    *,
    is_saved: bool,
) -> _JudgedScores:
    """The scores under some judgments."""
    selecting_measures = [each for each in (options.by, options.best) if each]
    measures: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    if not is_saved:
        measures = tuple(dict.fromkeys([*studied_names, *selecting_measures]))
        evaluator = RunEvaluator(judgments, measures, evaluation, qrels_format=options.qrels_format)
        qrels = evaluator.prepared_judgments.qrels
        texts = r_below_discount_base_notes(evaluator.requests, qrels, options.level)
        notices = tuple(map(note, texts))
    table = score_runs(judgments, runs, measures, options, watch=watch_runs)
    left_out = next((each for each in table.warnings if each.kind == LEFT_OUT), None)

    def names_in_table(name: str) -> list[str]:
        try:
            return printed_names(name, table, evaluation)
        except UsageError:
            if left_out is None:
                raise
            raise MismatchError(str(left_out)) from None

    names = [name for text in studied_names for name in names_in_table(text)]
    names = names or [*table.measure_names]
    if is_saved and len(names) < 2:
        reason = "name another with -m"
        if left_out is not None:
            reason = str(left_out)
        elif len(table.measure_names) < 2:
            reason = "where two files have the same measure, name it otherwise in one of them"
        raise UsageError(
            f"a correlation needs two measures, and {names[0]} is the only one here: {reason}"
        )
    top_measure, team_measure = (
        names_in_table(each)[0] if each else names[0] for each in (options.by, options.best)
    )
    printed_lines = printed_sweep_lines(sweep_lines, names_in_table)
    return _JudgedScores(table, tuple(names), top_measure, team_measure, printed_lines, notices)


def _select_runs(
    judged_scores: _JudgedScores, options: CorrelationOptions
) -> tuple[ScoreTable, tuple[Notice, ...]]:
    """The best run of each team, and of those the best; and what must be said of them."""
    table = judged_scores.table
    notices = [*notes_of(table)[1:], *judged_scores.notices]
    if options.teams:
        table, on_teams = best_run_of_each_listed_team(options, table, judged_scores.team_measure)
        notices += on_teams
    if options.top is not None and options.top < len(table.run_names):
        num_runs = len(table.run_names)
        table = top_runs(table, options.top, judged_scores.top_measure)
        text = f"{len(table.run_names)} of {num_runs} runs: the best by {judged_scores.top_measure}"
        notices.append(note(text))
    return table, tuple(notices)


def _judgment_labels(judgments: Sequence[Input]) -> list[str]:
    """What judgments are called: after their files, or their paths where those are the same."""
    paths = [path_of(source) or "qrels" for source in judgments]
    names = [escape_non_utf8(os.path.basename(path)) for path in paths]
    if len(set(names)) == len(names):
        return names
    if len(set(paths)) < len(paths):
        raise UsageError("--other-qrels: duplicate judgments")
    return [escape_non_utf8(path) for path in paths]


def correlate_criteria(
    criteria: Sequence[Criterion],
    run_names: Sequence[str],
    options: CorrelationOptions,
    sweep_lines: Sequence[SweepLine] = (),
    *,
    parameters: Mapping[str, Any] | None = None,
    notices: Sequence[Notice] = (),
    topics_text: str = "",
    watch: Callable[[Sequence[Any]], Iterable[Any]] = iter,
) -> StudyResult:
    """The agreement of the orders that K criteria give to S runs by their means over T topics.

    Kendall's tau_b and tau_a with the p of tau (exact without ties up to 60 runs), tau_AP (the
    first criterion is the truth) and tau_AP,b, tau_b of the best runs alone (tau@k) and tau_GAP
    (here the first criterion is the truth, too), Spearman's rho, Pearson's r, the root mean square
    error of the means, and how many conclusions about pairs of runs are shared: AA and AD are
    pairs that both criteria find significant, in the same or in opposite directions (significant
    swaps), PA and PD those that one alone finds significant. Criteria of which less is better are
    turned round, but for the error.

    Args:
        criteria: what orders the runs.
        run_names: their names.
        options: of which count what is significant, and the resamples.
        sweep_lines: what is drawn against a parameter of measures.
        parameters: of the result, beside those of the options.
        notices: for the result, before its own.
        topics_text: over which topics the means are; without it their number is told.
        watch: passes on pairs of criteria as they are resampled; for a progress bar.

    Returns:
        Tables `tau_b` and `tau_AP` (K x K; rows are the truth), `pairs` and `conclusions` (a line
        for each two criteria), `correlations` (for each ordered pair), `means` (of each run),
        `intervals` where there are resamples, `sweep-PARAMETER` for each parameter, and what is
        drawn: `tau` and `scatter`.

    Source: Sakai 2006; Yilmaz, Aslam and Robertson, SIGIR 2008, for tau_AP; Ferro and Sanderson,
    ECIR 2019, for the conclusions; Gao and Oard, SIGIR 2015, for tau_GAP.
    """
    import pandas as pd

    names = [criterion.name for criterion in criteria]
    if len(names) < 2:
        raise UsageError(
            "a correlation needs two measures or two sets of judgments: name another with -m, "
            "--other-qrels or --sweep"
        )
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"duplicate {name}")
    if len(run_names) < 2:
        raise UsageError(f"a correlation of orders needs 2 runs or more, not {len(run_names)}")
    correlations = _ordered_pairs_table(criteria, options.tau_at)
    verdicts = [pair_verdicts(criterion, options) for criterion in criteria]
    tests_done = [each.test_done for each in verdicts]
    # each two criteria once, in the order of the criteria
    place = {name: number for number, name in enumerate(names)}
    is_first = correlations["measure"].map(place) < correlations["with"].map(place)
    pairs = correlations[is_first].drop(columns=["runs", "tied pairs"]).reset_index(drop=True)
    conclusions = [
        {"measure": names[one], "with": names[other]}
        | conclusion_counts(verdicts[one], verdicts[other])
        for one, other in combinations(range(len(names)), 2)
    ]
    means = {criterion.name: criterion.means for criterion in criteria}
    tables = {
        "tau_b": _square_table(correlations, "tau_b"),
        "tau_AP": _square_table(correlations, "tau_AP"),
        "pairs": pairs,
        "conclusions": pd.DataFrame(conclusions),
        "correlations": correlations,
        "means": pd.DataFrame({"run": list(run_names), **means}),
    }
    shown = ["tau_b", "tau_AP"] if len(names) > 2 else []
    shown += ["pairs", "conclusions"]
    if options.resamples is not None:
        tables["intervals"] = _intervals_table(criteria, options, watch)
        shown.append("intervals")
    sweeps = long_sweep_tables_by_parameter(correlations, sweep_lines)
    tables.update(sweeps)
    # the means under the first criterion against those under each of the others
    first = criteria[0]
    rows = [
        (first.name, criterion.name, run, x, y)
        for criterion in criteria[1 : MOST_PANELS + 1]
        for run, x, y in zip(run_names, first.means.tolist(), criterion.means.tolist(), strict=True)
    ]
    tables["scatter"] = pd.DataFrame(rows, columns=["measure", "with", "run", "x", "y"])
    ordered_pairs = zip(correlations["measure"], correlations["with"], strict=True)
    taus = dict(zip(ordered_pairs, correlations["tau_b"], strict=True))
    figures: dict[str, Any] = {
        "scatter": partial(run_means_scatter_figure, tables["scatter"], taus)
    }
    if len(names) <= MOST_CELLS:
        cells = correlations[["measure", "with", "tau_b"]].rename(columns={"tau_b": "value"})
        tables["tau"] = cells
        figures["tau"] = partial(matrix_figure, cells, "value", value_label="Kendall's tau_b")
    for name, table in sweeps.items():
        figures[name] = partial(sweep_figure, table)
    choices = {"tau_at": options.tau_at, **options.significance_parameters(tests_done)}
    if options.resamples is not None:
        choices["resamples"] = options.resamples
        choices["seed"] = options.seed or 0
        choices["level"] = 1 - options.alpha
    notes = _correlation_notes(criteria, run_names, correlations, options, tests_done, topics_text)
    if not sweeps:  # else conclusions are not shown
        notes.append(SHORT_TEXT.format("measures"))
    if options.resamples is not None:
        num_coefficients = len(tables["intervals"])
        num_equal = int((tables["intervals"]["se"] == 0).sum())
        if num_equal:
            be = "is" if num_equal == 1 else "are"
            notes.append(
                f"{num_equal} of {count_text(num_coefficients, 'coefficient')} {be} the same in "
                "all samples: that se is 0 does not mean that other topics would agree"
            )
    return StudyResult(
        NAME,
        {**choices, **(parameters or {})},
        tables,
        tuple(sweeps or shown),
        figures,
        (*notices, *map(note, notes)),
    )


def _intervals_table(
    criteria: Sequence[Criterion],
    options: CorrelationOptions,
    watch: Callable[[Sequence[Any]], Iterable[Any]],
) -> pd.DataFrame:
    """A line for each two criteria and coefficient."""
    import pandas as pd

    seed = options.seed or 0
    samples = topic_draws(seed, options.resamples or 0, len(criteria[0].scores))
    pairs = [
        (truth, estimate)
        for index, truth in enumerate(criteria)
        for estimate in criteria[index + 1 :]
    ]
    rows = []
    for truth, estimate in watch(pairs):
        for name, printed in RESAMPLED.items():
            interval = bootstrap_correlation(
                name, truth.merit, estimate.merit, samples, 1 - options.alpha
            )
            rows.append(
                {
                    "measure": truth.name,
                    "with": estimate.name,
                    "coefficient": printed,
                    "value": interval.value,
                    "se": interval.error,
                    "low": interval.low,
                    "high": interval.high,
                    "level": interval.level,
                    "resamples": interval.num_resamples,
                    "defined": interval.num_defined,
                    "seed": seed,
                }
            )
    return pd.DataFrame(rows)


def _correlation_notes(
    criteria: Sequence[Criterion],
    run_names: Sequence[str],
    correlations: pd.DataFrame,
    options: CorrelationOptions,
    tests_done: Sequence[DoneTest],
    topics_text: str,
) -> list[str]:
    num_topics = len(criteria[0].scores)
    are_tied = bool((correlations["tied pairs"] > 0).any())
    notes = [
        f"{count_text(len(run_names), 'run')} by their means over "
        f"{topics_text or count_text(num_topics, 'topic')}",
        "some runs are tied: tau_b counts ties in both columns, tau_a does not; tau_AP is "
        "tau_AP,a, the mean over all ways to break ties (below 1 even for a measure and itself), "
        "and tau_AP_b is tau_AP,b, with ties on both sides"
        if are_tied
        else "no runs are tied: tau_b is tau_a, the plain Kendall tau, and tau_AP has no ties",
        f"tau@{options.tau_at}: tau_b of the {options.tau_at} best runs by the first measure of a "
        "line, and of those tied with the last of them; tau_GAP: a pair of runs weighs as much as "
        "it differs under that measure",
        *options.significance_lines(num_topics, len(run_names), tests_done),
    ]
    if not are_tied and len(run_names) <= EXACT_UP_TO:
        # from which tau on two orders are related more than by chance
        least, alpha = critical_tau(len(run_names), options.alpha), f"alpha={options.alpha:g}"
        if math.isnan(least.tau):
            text = f"no tau of {len(run_names)} runs is significant at {alpha}"
        else:
            text = f"tau is significant at {alpha} from {least.tau:.4f} on (exact p={least.p:.4f}, "
            text += "two-sided)"
        notes.insert(3, text)
    reversed_names = [criterion.name for criterion in criteria if not criterion.higher_is_better]
    if reversed_names:
        notes.append(f"lower is better, so the order is reversed: {', '.join(reversed_names)}")
    if options.resamples is not None:
        notes.append(
            f"intervals: {options.resamples} samples of the topics with replacement, "
            f"seed {options.seed or 0}; samples add noise, which lowers correlations"
        )
    if len(criteria) > MOST_CELLS:
        notes.append(f"no heat map of more than {MOST_CELLS} measures is drawn")
    if len(criteria) > MOST_PANELS + 1:
        notes.append(f"the scatter plots show the first {MOST_PANELS + 1} measures")
    return notes


def _ordered_pairs_table(criteria: Sequence[Criterion], num_best: int) -> pd.DataFrame:
    """A line for each ordered pair of criteria; `measure` is the truth, which tells the best."""
    import pandas as pd

    rows = [
        {
            "measure": truth.name,
            "with": estimate.name,
            "runs": len(truth.merits),
            **tau_coefficients(truth, estimate),
            **top_weighted_taus(truth, estimate, num_best),
            "rho": spearman(truth.merits, estimate.merits),
            "r": pearson(truth.merits, estimate.merits),
            "rms": rms_error(estimate.means, truth.means),
            "tied pairs": _num_tied_pairs(truth.merits) + _num_tied_pairs(estimate.merits),
        }
        for truth in criteria
        for estimate in criteria
    ]
    return pd.DataFrame(rows)


def _num_tied_pairs(merits: RunValues) -> int:
    """How many pairs of runs are tied."""
    group = groups_of_equals(merits, scale_of(merits)).tolist()
    return sum(math.comb(group.count(number), 2) for number in set(group))


def _square_table(correlations: pd.DataFrame, column: str) -> pd.DataFrame:
    """A line and a column for each criterion."""
    import pandas as pd

    criterion_names = list(dict.fromkeys(correlations["measure"]))
    cells = correlations[column].to_numpy().reshape(len(criterion_names), -1)
    square = pd.DataFrame(cells, columns=criterion_names)
    square.insert(0, column, criterion_names)
    return square


# --- Parameters of measures that take several values: `beta=0.1,1,10` ---


_BETWEEN = re.compile(r",(?![^{]*\})")
"""A comma that is not part of a map."""


@record(eq=True)
class Sweep:
    """A parameter and its values, as text."""

    name: str
    values: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Sweep:
        """Take `NAME=VALUE,VALUE,...` apart; a value may be a map, `{1:1,2:5}`."""
        name, _, listed = text.partition("=")
        values = tuple(_BETWEEN.split(listed))
        if not name or len(values) < 2 or not all(values) or len(set(values)) < len(values):
            raise UsageError(
                f"--sweep {text}: must be a parameter and two or more values, such as beta=0.1,1,10"
            )
        return cls(name, values)


@record(eq=True)
class SweepLine:
    """One line of a figure: a measure under the values of a parameter, against another measure.

    parameter  its name
    measure    how the measure is called, without the parameter
    reference  the other
    points     (value, the measure with it) of each point
    """

    parameter: str
    measure: str
    reference: str
    points: tuple[tuple[str, str], ...]


def make_sweep_lines(
    measures: Sequence[str],
    sweeps: Sequence[Sweep],
    references: Sequence[str],
    options: Options,
) -> list[SweepLine]:
    """The lines for each parameter, measure with that parameter, and reference.

    Where several parameters have values, there is a line for each combination of the others; the
    reference then has those values too, unless it names them or has no such parameter.

    `sweeps`: the parameters, each once. `references`: none: AP, and the measure as it is asked for.
    """
    for sweep in sweeps:
        if sum(other.name == sweep.name for other in sweeps) > 1:
            raise UsageError(f"--sweep {sweep.name}: all values of a parameter go into one list")
        if not any(has_option(measure, sweep.name, options) for measure in measures):
            raise UsageError(f"--sweep {sweep.name}: no requested measure has that parameter")
    return [
        line
        for sweep in sweeps
        for measure in measures
        if has_option(measure, sweep.name, options)
        for line in _lines_of_measure(measure, sweep, sweeps, references, options)
    ]


def _lines_of_measure(
    measure: str,
    sweep: Sweep,
    sweeps: Sequence[Sweep],
    references: Sequence[str],
    options: Options,
) -> Iterator[SweepLine]:
    if sweep.name in _options_of_name(measure):
        raise UsageError(f"--sweep {sweep.name}: {measure} already sets it")
    others = [other for other in sweeps if other is not sweep]
    open_sweeps = [other for other in others if _has_unset_option(measure, other.name, options)]
    for values in product(*(other.values for other in open_sweeps)):
        value_of_option = {
            other.name: value for other, value in zip(open_sweeps, values, strict=True)
        }
        measure_name = add_options(measure, value_of_option)
        points = tuple(
            (value, add_options(measure_name, {sweep.name: value})) for value in sweep.values
        )
        for reference in references or ("AP", measure):
            reference_options = {
                option: v
                for option, v in value_of_option.items()
                if _has_unset_option(reference, option, options)
            }
            yield SweepLine(
                sweep.name,
                measure_name,
                add_options(reference, reference_options),
                points,
            )


def has_option(measure: str, option_name: str, options: Options) -> bool:
    """Whether a measure has a named option; only irev's own names have any."""
    requests = resolve_names([measure], options, allow_unused_defaults=True)
    if is_prefixed(measure) or requests[0].measure.is_trec_evals_alone:
        return False
    return option_name in requests[0].measure.options


def _has_unset_option(measure: str, option_name: str, options: Options) -> bool:
    return has_option(measure, option_name, options) and option_name not in _options_of_name(
        measure
    )


def _options_of_name(measure: str) -> frozenset[str]:
    """The options that a name says."""
    return frozenset(option for option, _ in parse_name(measure).options)


def add_options(measure: str, value_of_option: Mapping[str, str]) -> str:
    """The name of a measure with further options: `nDCG@10` with b of 2 is `nDCG(b=2)@10`."""
    if not value_of_option:
        return measure
    option_texts = ",".join(f"{option}={value}" for option, value in value_of_option.items())
    if "(" in measure:
        end = measure.rindex(")")
        comma = "" if measure[:end].rstrip().endswith("(") else ","
        return f"{measure[:end]}{comma}{option_texts}{measure[end:]}"
    function_name, at_sign, cutoffs = measure.partition("@")
    return f"{function_name}({option_texts}){at_sign}{cutoffs}"


def printed_sweep_lines(
    lines: Sequence[SweepLine], printed_names_of: Callable[[str], Sequence[str]]
) -> list[SweepLine]:
    """The lines with the names under which the scores of their measures are found.

    A measure with several cutoffs has a line for each.
    """
    printed_lines = []
    for line in lines:
        points = [(value, printed_names_of(name)) for value, name in line.points]
        for reference in printed_names_of(line.reference):
            for cutoff_index in range(len(points[0][1])):
                printed_points = tuple((value, names[cutoff_index]) for value, names in points)
                measure = line.measure
                if len(points[0][1]) > 1:
                    function_name, _, cutoffs = measure.rpartition("@")
                    measure = f"{function_name}@{cutoffs.split(',')[cutoff_index].strip()}"
                printed_lines.append(SweepLine(line.parameter, measure, reference, printed_points))
    return printed_lines


def r_below_discount_base_notes(
    requests: Sequence[Request], qrels: Qrels, level: float
) -> Iterator[str]:
    """A line for each measure that lets all relevant documents of some topics come late."""
    topics_below_base = topics_with_r_below_discount_base(requests, qrels, level)
    for measure in dict.fromkeys(name for name, *_ in topics_below_base):
        topics = [
            (topic_id, count) for name, _, topic_id, count in topics_below_base if name == measure
        ]
        base = next(base for name, base, *_ in topics_below_base if name == measure)
        topic_texts = [f"{id_text(topic_id)} (R={count})" for topic_id, count in topics]
        yield (
            f"{measure}: up to rank {base:g} there is no discount, and "
            f"{'1 topic has' if len(topics) == 1 else f'{len(topics)} topics have'} fewer relevant "
            "documents (Sakai 2006): "
            f"{shortened_list(topic_texts, 10)}"
        )


def topics_with_r_below_discount_base(
    requests: Sequence[Request], qrels: Qrels, level: float
) -> list[tuple[str, float, bytes, int]]:
    """Topics with fewer relevant documents than the base of a logarithm has ranks without discount.

    Up to rank b of nDCG in Järvelin and Kekäläinen's form nothing is lost by coming late, so that
    with b > R > 0 all R relevant documents may come late (Sakai 2006).

    Returns:
        (printed name, b, topic, R), in the order of the measures and topics.
    """
    topics_below_base = []
    for request in requests:
        if request.measure.is_trec_evals_alone:
            continue
        options: dict[str, Any] = dict(request.arguments.options)
        if options.get("disc") != "jk":
            continue
        relevant_counts = relevant_per_list(qrels, request.arguments.level or level).tolist()
        topic_ids = [qrels.topics[topic_index] for topic_index in qrels.topic_of_list.tolist()]
        topics_below_base += [
            (request.columns[0].name, float(options["b"]), topic_id, count)
            for topic_id, count in zip(topic_ids, relevant_counts, strict=True)
            if 0 < count < options["b"]
        ]
    return topics_below_base


def long_sweep_tables_by_parameter(
    correlations: pd.DataFrame, lines: Sequence[SweepLine]
) -> dict[str, pd.DataFrame]:
    """For each parameter the correlations with the reference, a line for each of its values."""
    import pandas as pd

    coefficient_names = ["tau_b", "p", "tau_AP", "rho", "rms"]
    names = zip(correlations["measure"], correlations["with"], strict=True)
    by_names = dict(zip(names, correlations[coefficient_names].to_numpy().tolist(), strict=True))
    rows: dict[str, list[tuple[Any, ...]]] = {}
    for line in lines:
        for value, name in line.points:
            row = (line.measure, line.reference, value, name, *by_names[line.reference, name])
            rows.setdefault(line.parameter, []).append(row)
    return {
        f"sweep-{parameter}": pd.DataFrame(
            parameter_rows,
            columns=["measure", "against", parameter, "as printed", *coefficient_names],
        )
        for parameter, parameter_rows in rows.items()
    }


def sweep_figure(table: pd.DataFrame, *, width: FigureWidth = "page") -> Figure:
    """Tau against a parameter, a line for each measure and what it is compared with.

    The axis is logarithmic for positive numbers that lie far apart; what are no such numbers stand
    beside one another at equal distances, in the order of the table.
    """
    parameter = str(table.columns[2])
    values = list(dict.fromkeys(table[parameter]))
    numbers = [number for number in map(parse_decimal, values) if number is not None and number > 0]
    if len(numbers) < len(values):
        numbers = []
    position_of_value = dict(zip(values, numbers or range(len(values)), strict=True))
    with plot_style(width):
        layout = FigureLayout(1, width=width, height=2.6)
        (axes,) = layout.panels
        lines = table.groupby(["measure", "against"], sort=False)
        for series_index, ((measure, against), points) in enumerate(lines):
            axes.plot(
                [position_of_value[value] for value in points[parameter]],
                points["tau_b"],
                label=f"{drawn_label(str(measure))} with {drawn_label(str(against))}",
                **series_style(series_index),
            )
        if numbers and max(numbers) >= 10 * min(numbers):
            axes.set_xscale("log")
        if numbers:
            layout.number_ticks(axes, "x", sorted(numbers))
        else:
            layout.name_ticks(axes, "x", range(len(values)), list(map(drawn_label, values)))
        axes.set_xlabel(parameter)
        axes.set_ylabel("Kendall's tau_b")
        axes.set_ylim(top=1.0 + 0.03 * (1.0 - axes.get_ylim()[0]))
        layout.set_panel_legend()
        return layout.finish()
