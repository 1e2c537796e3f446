"""How alike several measures, or several judgments, order the same runs.

T. Sakai, 2006, "Controlling the penalty on late arrival of relevant documents in information
retrieval evaluation with graded relevance", figures 1-12: the rank correlation between the
orders that measures give to the best runs, for all pairs of measures, and against a parameter.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from irev.core.draws import topic_draws
from irev.core.wording import count_text
from irev.core.workers import progress_reporter
from irev.errors import UsageError, note
from irev.jobs.plots.figures import matrix_figure, run_means_scatter_figure
from irev.jobs.plots.plot import add_score_signatures, run_names
from irev.jobs.score_job import scoring_job
from irev.jobs.studies.criteria import conclusion_counts, pair_verdicts, tau_coefficients
from irev.jobs.studies.options.correlation import CorrelationOptions
from irev.jobs.studies.orders import score_orders
from irev.jobs.studies.sweeps import long_sweep_tables_by_parameter, sweep_figure
from irev.jobs.study_result import StudyResult
from irev.statistics.correlation import (
    EXACT_UP_TO,
    bootstrap_correlation,
    critical_tau,
    pearson,
    rms_error,
    spearman,
    tau_b_of_best,
    tau_gap,
)
from irev.statistics.differences import groups_of_equals, scale_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from irev.core.arrays import RunValues
    from irev.core.judged import Input
    from irev.errors import Notice
    from irev.jobs.studies.criteria import Criterion, Verdicts
    from irev.jobs.studies.sweeps import SweepLine
    from irev.statistics.methods import DoneTest

NAME = "correlation"
MOST_CELLS = 16
"""Up to so many criteria have a heat map that can be read."""

RESAMPLED = ("tau_b", "tau_ap")
"""The coefficients that are resampled, by their names in `rank_correlation.COEFFICIENTS`."""

_PRINTED = {"tau_b": "tau_b", "tau_ap": "tau_AP"}
_TIES = (
    "some runs are tied: tau_b counts ties in both columns, tau_a does not; tau_AP is tau_AP,a, "
    "the mean over all ways to break ties (below 1 even for a measure and itself), and tau_AP_b "
    "is tau_AP,b, with ties on both sides"
)
_TOP = (
    "tau@{k}: tau_b of the {k} best runs by the first measure of a line, and of those tied with "
    "the last of them; tau_GAP: a pair of runs weighs as much as it differs under that measure"
)
_NO_TIES = "no runs are tied: tau_b is tau_a, the plain Kendall tau, and tau_AP has no ties"


@scoring_job(CorrelationOptions)
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
        measures: names as `irev.evaluate` takes them; none: AP, Q, nDCG(b=2)@1000 and genAP, or all
            that saved scores have.
        options: the record `CorrelationOptions`, whose fields are keywords, too.

    Returns:
        The tables of `correlate_criteria`.

    Raises:
        UsageError: an option or a measure that makes no sense here; less than two measures or runs.
        InputError: an input that cannot be read.
        MismatchError: scores that are not comparable.
    """
    orders = score_orders(qrels_or_table, runs, measures, options)
    result = correlate_criteria(
        orders.criteria, run_names(orders.tables[0]), options, orders.sweep_lines,
        parameters=orders.parameters, remarks=orders.remarks,
        topics_text=orders.tables[0].topics_text,
        watch=progress_reporter("pairs of measures"),
    )  # fmt: skip
    return add_score_signatures(result, *orders.tables)


def correlate_criteria(
    criteria: Sequence[Criterion],
    run_names: Sequence[str],
    options: CorrelationOptions,
    sweep_lines: Sequence[SweepLine] = (),
    *,
    parameters: Mapping[str, Any] | None = None,
    remarks: Sequence[Notice] = (),
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
        remarks: for the result, before its own.
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
    names = [criterion.name for criterion in criteria]
    _refuse_criteria(names, run_names)
    correlations = _ordered_pairs_table(criteria, options.tau_at)
    verdicts_by_criterion = [pair_verdicts(criterion, options) for criterion in criteria]
    tests_done = [verdicts.test_done for verdicts in verdicts_by_criterion]
    tables = {
        "tau_b": _square_table(correlations, "tau_b"),
        "tau_AP": _square_table(correlations, "tau_AP"),
        "pairs": _pairs_table(correlations, names),
        "conclusions": _shared_conclusions_table(names, verdicts_by_criterion),
        "correlations": correlations,
        "means": _means_table(criteria, run_names),
    }
    shown = ["tau_b", "tau_AP"] if len(names) > 2 else []
    shown += ["pairs", "conclusions"]
    if options.resamples is not None:
        tables["intervals"] = _intervals_table(criteria, options, watch)
        shown.append("intervals")
    sweeps = long_sweep_tables_by_parameter(correlations, sweep_lines)
    tables.update(sweeps)
    points = _first_against_others_points(criteria, run_names)
    drawn_tables = {"scatter": points}
    if len(names) <= MOST_CELLS:
        drawn_tables["tau"] = _heat_map_cells(correlations)
    tables.update(drawn_tables)
    figures: dict[str, Any] = {
        "scatter": partial(run_means_scatter_figure, points, _tau_by_ordered_pair(correlations))
    }
    if "tau" in drawn_tables:
        figures["tau"] = partial(
            matrix_figure, drawn_tables["tau"], "value", value_label="Kendall's tau_b"
        )
    for name, table in sweeps.items():
        figures[name] = partial(sweep_figure, table)
    return StudyResult(
        NAME, {**_test_parameters(options, tests_done), **(parameters or {})}, tables,
        tuple(sweeps or shown), figures,
        (
            *remarks,
            *map(
                note,
                _correlation_notes(
                    criteria, run_names, correlations, options, tests_done, topics_text
                ),
            ),
            *map(note, _point_interval_notes(tables.get("intervals"))),
        ),
    )  # fmt: skip


def _refuse_criteria(criterion_names: Sequence[str], run_names: Sequence[str]) -> None:
    if len(criterion_names) < 2:
        raise UsageError(
            "a correlation needs two measures or two sets of judgments: name another with -m, "
            "--other-qrels or --sweep"
        )
    for name in criterion_names:
        if criterion_names.count(name) > 1:
            raise UsageError(f"duplicate {name}")
    if len(run_names) < 2:
        raise UsageError(f"a correlation of orders needs 2 runs or more, not {len(run_names)}")


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
        for name in RESAMPLED:
            interval = bootstrap_correlation(
                name, truth.merit, estimate.merit, samples, 1 - options.alpha
            )
            rows.append(
                (
                    truth.name, estimate.name, _PRINTED[name], interval.value, interval.error,
                    interval.low, interval.high, interval.level, interval.num_resamples,
                    interval.num_defined, seed,
                )
            )  # fmt: skip
    columns = [
        "measure", "with", "coefficient", "value", "se", "low", "high", "level", "resamples",
        "defined", "seed",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def _test_parameters(options: CorrelationOptions, tests_done: Sequence[DoneTest]) -> dict[str, Any]:
    """The options of coefficients, test and resamples, as JSON can hold them."""
    choices = {"tau_at": options.tau_at, **options.significance_parameters(tests_done)}
    if options.resamples is not None:
        choices["resamples"] = options.resamples
        choices["seed"] = options.seed or 0
        choices["level"] = 1 - options.alpha
    return choices


def _point_interval_notes(intervals: pd.DataFrame | None) -> Iterator[str]:
    """A note where a coefficient is the same in all samples of the topics."""
    if intervals is not None and (count := int((intervals["se"] == 0).sum())):
        be = "is" if count == 1 else "are"
        yield (
            f"{count} of {count_text(len(intervals), 'coefficient')} {be} "
            "the same in all samples: that se is 0 does not mean that other topics would agree"
        )


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
        _TIES if are_tied else _NO_TIES,
        _TOP.format(k=options.tau_at),
        *options.significance_lines(num_topics, len(run_names), tests_done),
    ]
    if not are_tied and len(run_names) <= EXACT_UP_TO:
        notes.insert(3, _critical_tau_text(len(run_names), options.alpha))
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


def _critical_tau_text(num_runs: int, alpha: float) -> str:
    """From which tau on two orders are related more than by chance."""
    least = critical_tau(num_runs, alpha)
    if math.isnan(least.tau):
        return f"no tau of {num_runs} runs is significant at alpha={alpha:g}"
    return (
        f"tau is significant at alpha={alpha:g} from {least.tau:.4f} on (exact p={least.p:.4f}, "
        "two-sided)"
    )


MOST_PANELS = 12
"""Up to so many criteria are drawn against the first."""


def _ordered_pairs_table(criteria: Sequence[Criterion], num_best: int) -> pd.DataFrame:
    """A line for each ordered pair of criteria; `measure` is the truth, which tells the best."""
    import pandas as pd

    rows = [
        {
            "measure": truth.name,
            "with": estimate.name,
            "runs": len(truth.merits),
            **tau_coefficients(truth, estimate),
            f"tau@{num_best}": tau_b_of_best(truth.merits, estimate.merits, num_best),
            "tau_GAP": tau_gap(truth.merits, estimate.merits),
            "rho": spearman(truth.merits, estimate.merits),
            "r": pearson(truth.merits, estimate.merits),
            "rms": rms_error(estimate.means, truth.means),
            "tied pairs": _num_tied_pairs(truth.merits) + _num_tied_pairs(estimate.merits),
        }
        for truth in criteria
        for estimate in criteria
    ]
    return pd.DataFrame(rows)


def _tau_by_ordered_pair(correlations: pd.DataFrame) -> dict[tuple[str, str], float]:
    return dict(
        zip(
            zip(correlations["measure"], correlations["with"], strict=True),
            correlations["tau_b"],
            strict=True,
        )
    )


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


def _pairs_table(correlations: pd.DataFrame, criterion_names: Sequence[str]) -> pd.DataFrame:
    """Each two criteria once, in the order of the criteria."""
    index = {name: number for number, name in enumerate(criterion_names)}
    is_first = correlations["measure"].map(index) < correlations["with"].map(index)
    kept = correlations[is_first].drop(columns=["runs", "tied pairs"])
    return kept.reset_index(drop=True)


def _shared_conclusions_table(
    criterion_names: Sequence[str], pair_verdicts: Sequence[Verdicts]
) -> pd.DataFrame:
    """For each two criteria once, how many pairs of runs they agree on."""
    import pandas as pd

    rows = [
        {
            "measure": criterion_names[first_index],
            "with": criterion_names[second_index],
            **conclusion_counts(pair_verdicts[first_index], pair_verdicts[second_index]),
        }
        for first_index in range(len(criterion_names))
        for second_index in range(first_index + 1, len(criterion_names))
    ]
    return pd.DataFrame(rows)


def _means_table(criteria: Sequence[Criterion], run_names: Sequence[str]) -> pd.DataFrame:
    """A line for each run, a column for each criterion."""
    import pandas as pd

    return pd.DataFrame(
        {"run": list(run_names), **{criterion.name: criterion.means for criterion in criteria}}
    )


def _heat_map_cells(correlations: pd.DataFrame) -> pd.DataFrame:
    """What the heat map shows."""
    return correlations[["measure", "with", "tau_b"]].rename(columns={"tau_b": "value"})


def _first_against_others_points(
    criteria: Sequence[Criterion], run_names: Sequence[str]
) -> pd.DataFrame:
    """The means under the first criterion against those under each of the others."""
    import pandas as pd

    first_criterion = criteria[0]
    rows = [
        (first_criterion.name, criterion.name, run, x, y)
        for criterion in criteria[1 : MOST_PANELS + 1]
        for run, x, y in zip(
            run_names, first_criterion.means.tolist(), criterion.means.tolist(), strict=True
        )
    ]
    return pd.DataFrame(rows, columns=["measure", "with", "run", "x", "y"])
