"""How measures hold out when judgments are incomplete or imperfect.

E. Yilmaz and J. A. Aslam, CIKM 2006, "Estimating average precision with incomplete and imperfect
judgments", figures 1-9: runs are scored under random samples of their judgments, and their means
are compared with the means of average precision under all of them; of several collections, side by
side.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from irev.core.arrays import mean_of
from irev.core.job import FigureWidth, job
from irev.core.judged import Input
from irev.core.option_records import Opt
from irev.core.record import record
from irev.core.text import count_text, parse_decimal
from irev.engine.join_scores import distinct_tables
from irev.engine.run_files import run_files
from irev.engine.score_runs import (
    options_with_pool,
    runs_or_scores,
    table_of_run,
    warns_of_run_or_judgments,
)
from irev.errors import IrevError, Notice, UsageError, note
from irev.jobs.plots.layout import COLOURS, FigureLayout, drawn_label, plot_style, series_style
from irev.jobs.plots.plot import notes_of, parameters_of, run_names
from irev.jobs.pool.pool import parse_rate, rate_text
from irev.jobs.result import StudyResult
from irev.jobs.sample.designs import SamplingPlan
from irev.jobs.sample.evaluation import (
    SampleAgreement,
    SampledEvaluator,
    SampledScores,
    agreement_by_sample,
)
from irev.jobs.sample.sample import ReducedRunsEvaluator
from irev.jobs.score_job import watch_runs
from irev.measures.naming.grammar import measure_names
from irev.options import PREDICTED, RUNS_SECTION, SEED, TOPICS, Options, ScoringOptions
from irev.read.inputs import RunInput, error_naming_run, path_of
from irev.scores.signature import comparison_signature
from irev.scores.table import RunInfo, ScoreTable
from irev.writers.document import signature_data

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MEASURES = ("bpref-10", "bpref", "indAP", "subAP", "infAP", "AP")
"""What is looked at where no measure is named."""

RATES = (*map(float, range(1, 6)), *map(float, range(10, 101, 10)))
"""How much of the judgments is kept, in percent, where nothing else is said."""


def _parse_percentages(text: str) -> Sequence[float]:
    """Percentages with commas between them."""
    percentages = []
    for each in text.split(","):
        word = each.strip().removesuffix("%")
        number = parse_decimal(word)
        if number is None:
            raise _percentage_error(word)
        percentages.append(number)
    return percentages


def _percentage_error(text: str) -> UsageError:
    return UsageError(f"'{text}' is not a percentage above 0 and at most 100, such as 10 or 12.5")


def percentage_text(percentage: float) -> str:
    """A percentage as it is written: 10, 12.5."""
    return f"{Decimal(str(percentage)):f}".removesuffix(".0")


class RobustnessOptions(ScoringOptions):
    """What is drawn: shares in percent, samples of each; from which collections."""

    without: ClassVar[Sequence[str]] = (
        "judged_only",
        "classes",
        "weights",
        "duplicates",
        "intents",
        "nan",
        *PREDICTED,
    )

    rates: Annotated[
        Sequence[float],
        Opt(
            "--rates",
            metavar="LIST",
            parse=_parse_percentages,
            help="How much of each topic's judgments is kept, in percent. Default: "
            "1,2,3,4,5,10,20,...,100; none with --imperfect.",
        ),
    ] = ()
    """Empty: those of `RATES`, or none where `imperfect` is given."""
    repeat: Annotated[
        int,
        Opt(
            "--repeat",
            metavar="N",
            least=1,
            most=10_000,
            help="How many samples are drawn from each rate.",
        ),
    ] = 10
    imperfect: Annotated[
        Sequence[float],
        Opt(
            "--imperfect",
            metavar="LIST",
            parse=_parse_percentages,
            help="How much of the collection is kept in the runs, in percent, such as "
            "50,60,70,80,90,100.",
        ),
    ] = ()
    seed: Annotated[int, SEED.replace(help="Seed of the samples.")] = 0
    collections: Annotated[
        Sequence[str | Sequence[Any]],
        Opt(
            "--collection",
            metavar="'QRELS RUN...'",
            file="maybe",
            help="Files of another collection, in quotes, as in --collection 'trec7/qrels.txt "
            "trec7/runs/*'. The tables and figures have all collections side by side. May be "
            "repeated.",
        ),
    ] = ()
    """Other collections: texts, or judgments and runs of each, `[(qrels, runs)]`."""
    topics: Annotated[
        Literal["both", "qrels", "run"] | os.PathLike[str] | Sequence[bytes | str],
        TOPICS.replace(
            metavar="qrels|FILE",
            section=RUNS_SECTION,
            help="Average over all judged topics, where one that a run lacks counts as 0 (qrels, "
            "the default), or over those listed in FILE.",
        ),
    ] = "qrels"

    def _check(self) -> None:
        if self.topics in ("both", "run"):
            raise UsageError(
                f"--topics {self.topics}: the runs are compared on the same topics, all judged "
                "ones (qrels) or those listed in a file"
            )
        super()._check()
        for percentages in (self.judged_rates, self.imperfect):
            for percentage in percentages:
                if not 0 < percentage <= 100:
                    raise _percentage_error(percentage_text(percentage))
                if percentages.count(percentage) > 1:
                    raise UsageError(f"duplicate rate {percentage_text(percentage)}%")

    @property
    def judged_rates(self) -> Sequence[float]:
        """How much of the judgments is kept, in percent; empty: only runs lose documents."""
        return self.rates or (() if self.imperfect else RATES)

    def other_collections(self) -> list[tuple[Any, Any]]:
        """The judgments and the runs of each other collection."""
        collections: list[tuple[Any, Any]] = []
        for each in self.collections:
            if isinstance(each, str):
                try:
                    qrels, *runs = shlex.split(each)
                except ValueError:
                    raise UsageError(f"--collection {each!r}: give 'QRELS RUN...'") from None
                collections.append((qrels, run_files(runs).regular()))
            elif isinstance(each, Sequence) and len(each) == 2:
                collections.append((each[0], each[1]))
            else:
                raise UsageError("--collection: give judgments and runs, (qrels, runs)")
        return collections


NAME = "robustness"
BASELINE = "bpref-10"


@job(RobustnessOptions)
def robustness(
    qrels: Input, runs: Input, measures: object = MEASURES, *, options: RobustnessOptions
) -> StudyResult:
    """How well measures keep the order of runs when few documents are judged.

    Of each topic p percent of the judged documents keep their grades (rounded half up, at least
    one; drawn again while none is relevant) and the others are pooled but unjudged; one sample
    serves all runs and measures. For each sample: Kendall's tau-b and Pearson's rho of the runs'
    means under a measure with those of AP under all judgments (for measures that estimate AP; for
    others, with their own), RMS = sqrt(1/N sum over N runs of (estimate - actual)^2), and the mean
    value over runs. These are averaged over the samples of a rate. Imperfect judgments: a share of
    the collection, the same documents everywhere, is kept in the runs, and all judgments stay; with
    `imperfect` and without `rates` the study is of these alone.

    Where a pool is named, its documents without a grade count as judged and not relevant, as those
    of a pool of depth 100 do in the paper.

    Args:
        qrels: complete judgments, as `irev.evaluate` takes them.
        runs: two runs or more: a list, a mapping by name, a path with wildcards.
        measures: names as `irev.evaluate` takes them; none: bpref-10, bpref, indAP, subAP, infAP
            and AP.
        options: the record `RobustnessOptions`, whose fields are keywords, too.

    Returns:
        Tables `agreement` (means and standard deviations over samples), `samples` (every sample)
        and `estimates` (every run), and what is drawn: `grid`, `curves`, `scatter`, `imperfect`. Of
        several collections those of `side_by_side`.

    Raises:
        UsageError: an option or a measure that makes no sense here; less than two runs.
        InputError: an input that cannot be read.
        MismatchError: a run and the judgments have no topic in common.

    Source: Yilmaz and Aslam 2006, sections 4 and 5.
    """
    collections = [(qrels, runs), *options.other_collections()]
    inputs = [
        (each, runs_or_scores(collection_runs, options.own_columns))
        for each, collection_runs in collections
    ]
    if any(len(named_inputs) < 2 for _, named_inputs in inputs):
        raise UsageError("this study compares runs: give two runs or more of each collection")
    paths = [
        path_of(each)
        for qrels, named_inputs in inputs
        for each in (qrels, *(named.source for named in named_inputs))
    ]
    # to take documents away, everything is read again
    if paths.count("-") > (0 if options.imperfect else 1):
        raise UsageError("standard input (-) can be read only once")
    options.load_plugins()
    # collections are called after their judgments' files, or paths where others have one
    paths = [path_of(each) or f"collection {place}" for place, (each, _) in enumerate(inputs, 1)]
    if len(set(paths)) < len(paths):
        raise UsageError("--collection: each collection has qrels of its own")
    names = [os.path.basename(path) for path in paths]
    names = [n if names.count(n) == 1 else path for n, path in zip(names, paths, strict=True)]
    results = {
        name: _study_of_collection(each, named_inputs, measure_names(measures), options)
        for name, (each, named_inputs) in zip(names, inputs, strict=True)
    }
    return side_by_side(results) if len(results) > 1 else next(iter(results.values()))


def _study_of_collection(
    qrels: Input,
    inputs: Sequence[RunInput],
    measures: Sequence[str],
    options: RobustnessOptions,
) -> StudyResult:
    """The study of one collection."""
    evaluation = options_with_pool(options.base_record(Options), [each.source for each in inputs])
    has_pool = evaluation.pool is not None
    choices: dict[str, Any] = {
        "options": evaluation,
        "qrels_format": options.qrels_format,
        "sign": True,
        "complete": has_pool,
    }
    evaluators = []
    for make, rates in (
        (SampledEvaluator, options.judged_rates),
        (ReducedRunsEvaluator, options.imperfect),
    ):
        if rates:
            designs = [rate_text(parse_rate(f"{percentage_text(rate)}%")) for rate in rates]
            plan = SamplingPlan(designs, options.seed, options.repeat)
            evaluators.append(make(qrels, measures, plan, **choices))
    evaluator = evaluators[0]
    sampled_runs, *_ = both = [_sample_runs(each, inputs, options) for each in evaluators]
    tables: dict[str, pd.DataFrame] = {}
    figures: dict[str, Any] = {}
    shown = []
    if options.judged_rates:
        grid = curves(sampled_runs, tuple(STATISTICS))
        tables = {
            "agreement": _agreement(sampled_runs),
            "samples": samples(sampled_runs),
            "estimates": estimates_of_every_sample(sampled_runs),
            "grid": grid,
            "curves": grid[grid["statistic"] != "mean"].reset_index(drop=True),
            "scatter": _scatter_of_typical_samples(sampled_runs),
        }
        names = sampled_runs.measures
        baseline = BASELINE if BASELINE in names else names[0]
        figures["grid"] = partial(grid_figure, tables["grid"], JUDGED)
        figures["curves"] = partial(curves_beside_baseline_figure, tables["curves"], baseline)
        if len(tables["scatter"]):
            figures["scatter"] = partial(scatter_figure, tables["scatter"])
        else:
            del tables["scatter"]
        shown.append("agreement")
    if options.imperfect:
        tables["imperfect"] = curves(both[-1], ("tau",))
        tables["imperfect-samples"] = samples(both[-1])
        tables["imperfect-estimates"] = estimates_of_every_sample(both[-1])
        figures["imperfect"] = partial(grid_figure, tables["imperfect"], KEPT)
        shown.append("imperfect")
    num_pooled_documents = (
        len(evaluator.evaluator.graded_judgments.qrels.grade) if has_pool else None
    )
    notices = [*_notes(sampled_runs, options, num_pooled_documents), *evaluator.notices]
    # what makes the scores of runs doubtful under all judgments
    for run, scores in zip(sampled_runs.runs, sampled_runs.results, strict=True):
        on_run = filter(warns_of_run_or_judgments, scores.full.notices)
        notices += (notice.about(run.name) for notice in on_run)
    redrawn = sampled_runs.results[0].redrawn
    rates_redrawn = [f"{each.design} ({len(each.topics)})" for each in redrawn if each.topics]
    if rates_redrawn:
        text = "topics were drawn again, because their sample had no relevant document, at "
        notices.append(note(f"{text}{', '.join(rates_redrawn)}"))
    parameters = _parameters(sampled_runs, options, num_pooled_documents)
    return StudyResult(NAME, parameters, tables, tuple(shown), figures, tuple(notices))


def _sample_runs(
    evaluator: SampledEvaluator, inputs: Sequence[RunInput], options: RobustnessOptions
) -> SampledRuns:
    """The runs under all samples, by their names."""
    results: list[SampledScores] = []
    tables = []
    outcomes = evaluator.evaluate_many([each.source for each in inputs])
    for each, (_, outcome) in zip(inputs, watch_runs(outcomes, len(inputs)), strict=True):
        if isinstance(outcome, IrevError):
            raise error_naming_run(each.label, outcome)
        results.append(outcome)
        tables.append(table_of_run(each, outcome.full, options.names))
    runs = [table.runs[0] for table in distinct_tables(tables, [each.forms for each in inputs])]
    ordered = tuple(results[run.input_index] for run in runs)
    rates = tuple(100 * float(parse_rate(design)) for design in ordered[0].designs)
    return SampledRuns(tuple(runs), ordered, rates, agreement_by_sample(ordered))


def _parameters(
    sampled_runs: SampledRuns, options: RobustnessOptions, num_pooled_documents: int | None
) -> dict[str, Any]:
    """The parameters; `num_pooled_documents` documents are in the pool, where one was given."""
    table = sampled_runs.table
    choices: dict[str, Any] = {
        "study": NAME,
        "rates": [percentage_text(each) for each in options.judged_rates],
        "imperfect": [percentage_text(each) for each in options.imperfect],
        "repeat": options.repeat,
        "seed": options.seed,
        "missing": "zero",
        **({} if num_pooled_documents is None else {"pool": num_pooled_documents}),
    }
    parameters = parameters_of(table, **choices)
    parameters["targets"] = sampled_runs.targets
    parameters["signature"] = signature_data(comparison_signature(table, choices))
    return parameters


def _notes(
    sampled_runs: SampledRuns, options: RobustnessOptions, num_pooled_documents: int | None
) -> Iterator[Notice]:
    """The notes on runs, topics and samples."""
    yield from notes_of(sampled_runs.table)
    yield note(
        f"{count_text(len(sampled_runs.runs), 'run')}; {count_text(options.repeat, 'sample')} of "
        "each rate, "
        f"seed {options.seed}; "
        "tau is Kendall's tau-b of the runs' means with those under all judgments; no test is done"
    )
    measures_by_target: dict[str, list[str]] = {}
    for measure, target in sampled_runs.targets.items():
        if measure != target:
            measures_by_target.setdefault(target, []).append(measure)
    for target, measures in measures_by_target.items():
        are = "is" if len(measures) == 1 else "are"
        yield note(f"{', '.join(measures)} {are} compared with {target} under all judgments")
    counts = np.count_nonzero(np.isnan(sampled_runs.agreement.tau), axis=(0, 1)).tolist()
    named = [f"{m} ({n})" for m, n in zip(sampled_runs.measures, counts, strict=True) if n]
    if named:
        yield note(
            "tau and rho, and their means, are not defined where no two runs differ under a "
            f"sample: {', '.join(named)}"
        )
    if num_pooled_documents is not None:
        yield note(
            f"samples are of a pool of {num_pooled_documents} documents; those without a grade are "
            "not relevant"
        )


def side_by_side(results: Mapping[str, StudyResult]) -> StudyResult:
    """The results of `robustness` on several collections as one.

    `results`: those of the same measures and rates, by the names of the collections.

    Returns:
        The tables of `robustness` with a column `collection` before the others, and the figures
        `grid` and `imperfect`: a row for each statistic, a column for each collection.
    """
    import pandas as pd

    first = next(iter(results.values()))
    measures = [each.parameters["measures"] for each in results.values()]
    if any(each != measures[0] for each in measures):
        raise UsageError(
            "the collections give a measure different names, such as ERR(max=2) and ERR(max=3): "
            "write the parameter in the name"
        )
    tables: dict[str, pd.DataFrame] = {}
    # curves and scatter are of one collection
    for kind in (kind for kind in first.tables if kind not in ("curves", "scatter")):
        parts = [each.tables[kind] for each in results.values()]
        table = pd.concat(parts, keys=results, names=["collection"])
        tables[kind] = table.reset_index(level="collection").reset_index(drop=True)
        tables[kind].attrs.update(parts[0].attrs)
    figures: dict[str, Any] = {
        kind: partial(statistics_by_collections_figure, tables[kind], across)
        for kind, across in (("grid", JUDGED), ("imperfect", KEPT))
        if kind in tables
    }
    parameters: dict[str, Any] = {
        "study": first.name,
        "collections": {name: dict(each.parameters) for name, each in results.items()},
        "signature": [each.parameters["signature"] for each in results.values()],
    }
    notices = tuple(
        notice._replace(run=f"{name}: {notice.run}" if notice.run else name)
        for name, each in results.items()
        for notice in each.notices
    )
    return StudyResult(first.name, parameters, tables, first.shown, figures, notices)


# --- The tables ---


SCATTERED = (30.0, 10.0, 5.0)
"""The rates, in percent, whose scatter plots are drawn, where they are among those asked for."""


@record
class SampledRuns:
    """N runs under the samples of one kind, in the order of their names.

    rates  float64 numbers in percent, one for each design
    """

    runs: tuple[RunInfo, ...]
    results: tuple[SampledScores, ...]
    rates: tuple[float, ...]
    agreement: SampleAgreement

    @property
    def measures(self) -> list[str]:
        """The printed names of the C measures."""
        first = self.results[0]
        return [first.name(column) for column in range(len(first.shown))]

    @property
    def targets(self) -> dict[str, str]:
        """For each measure the name of what it is compared with."""
        first = self.results[0]
        targets = [first.target(column) for column in range(len(first.shown))]
        return dict(zip(self.measures, targets, strict=True))

    @property
    def table(self) -> ScoreTable:
        """The scores under all judgments."""
        full = self.results[0].full
        shown = list(dict.fromkeys([*self.results[0].shown, *self.results[0].targets]))
        values = np.stack([each.full.values[:, shown].T for each in self.results], axis=2)
        columns = tuple(full.columns[column] for column in shown)
        table = ScoreTable(full.topics, self.runs, columns, values)
        return table.warn_of_missing_topics()


def _agreement(sampled_runs: SampledRuns) -> pd.DataFrame:
    """A line for each measure and rate: means and standard deviations over the samples."""
    import pandas as pd

    rows = []
    for column, (measure, target) in enumerate(sampled_runs.targets.items()):
        for design, percentage in enumerate(sampled_runs.rates):
            row: dict[str, Any] = {"measure": measure, "against": target, "rate": percentage}
            for statistic in STATISTICS:
                values = getattr(sampled_runs.agreement, statistic)[design, :, column]
                row[statistic] = mean_of(values)
                row[f"{statistic} sd"] = (
                    float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
                )
            rows.append(row)
    table = pd.DataFrame(rows)
    table.attrs["forms"] = {"rate": "g"}
    return table


def curves(sampled_runs: SampledRuns, statistics: Sequence[str]) -> pd.DataFrame:
    """For each statistic, measure and rate the mean and the extremes over the samples."""
    import pandas as pd

    rows = []
    for statistic in statistics:
        every = getattr(sampled_runs.agreement, statistic)
        for column, measure in enumerate(sampled_runs.measures):
            for design, percentage in enumerate(sampled_runs.rates):
                values = every[design, :, column]
                mean = mean_of(values)
                extremes = float(values.min()), float(values.max())
                rows.append((statistic, measure, percentage, mean, *extremes))
    names = ["statistic", "measure", "rate", "mean", "lowest", "highest"]
    table = pd.DataFrame(rows, columns=names)
    table.attrs["forms"] = {"rate": "g"}
    return table


def samples(sampled_runs: SampledRuns) -> pd.DataFrame:
    """Every sample."""
    import pandas as pd

    repeat, agreement = sampled_runs.results[0].repeat, sampled_runs.agreement
    rows = [
        (
            measure,
            percentage,
            sample + 1,
            *(float(getattr(agreement, s)[design, sample, column]) for s in STATISTICS),
        )
        for column, measure in enumerate(sampled_runs.measures)
        for design, percentage in enumerate(sampled_runs.rates)
        for sample in range(repeat)
    ]
    return pd.DataFrame(rows, columns=["measure", "rate", "sample", *STATISTICS])


def estimates_of_every_sample(sampled_runs: SampledRuns) -> pd.DataFrame:
    """Every run under every sample, beside what its estimate is compared with."""
    import pandas as pd

    designs, repeat, columns = sampled_runs.results[0].values.shape
    cells = columns * designs * repeat
    runs = len(sampled_runs.results)
    every = np.stack([each.values for each in sampled_runs.results])  # N x D x B x C
    actual = np.stack([each.aims for each in sampled_runs.results])  # N x C
    return pd.DataFrame(
        {
            "run": np.repeat(run_names(sampled_runs.table), cells),
            "measure": np.tile(np.repeat(sampled_runs.measures, designs * repeat), runs),
            "rate": np.tile(np.repeat(sampled_runs.rates, repeat), runs * columns),
            "sample": np.tile(np.arange(1, repeat + 1), runs * columns * designs),
            "estimate": every.transpose(0, 3, 1, 2).ravel(),
            "actual": np.repeat(actual.ravel(), designs * repeat),
        }
    )


def _scatter_of_typical_samples(sampled_runs: SampledRuns) -> pd.DataFrame:
    """The runs under the sample whose RMS is nearest to the mean RMS of its rate."""
    import pandas as pd

    rows = []
    names, about = run_names(sampled_runs.table), sampled_runs.agreement
    for column, (measure, target) in enumerate(sampled_runs.targets.items()):
        for percentage in SCATTERED:
            if percentage not in sampled_runs.rates:
                continue
            design = sampled_runs.rates.index(percentage)
            rms = about.rms[design, :, column]
            sample = int(np.argmin(np.abs(rms - mean_of(rms))))
            place = (design, sample, column)
            rows += [
                {
                    "measure": measure,
                    "against": target,
                    "rate": percentage,
                    "sample": sample + 1,
                    "tau": float(about.tau[place]),
                    "rho": float(about.rho[place]),
                    "rms": float(about.rms[place]),
                    "run": name,
                    "actual": float(each.aims[column]),
                    "estimate": float(each.values[place]),
                }
                for name, each in zip(names, sampled_runs.results, strict=True)
            ]
    return pd.DataFrame(rows)


# --- The figures ---


STATISTICS = {
    "tau": "Kendall's τ",
    "rho": "Pearson's ρ",
    "rms": "RMS error",
    "mean": "mean over runs",
}
"""What is drawn of each measure, and what the axes say."""

BAND = "min to max"


JUDGED, KEPT = "judged documents kept (%)", "collection kept (%)"


def grid_figure(table: pd.DataFrame, x_label: str, *, width: FigureWidth = "page") -> Figure:
    """A panel for each statistic, a line for each measure with a band from least to greatest."""
    looks = looks_of(table)
    with plot_style(width):
        groups = list(table.groupby("statistic", sort=False))
        layout = FigureLayout(len(groups), width=width, height=2.0, panel_width=2.0, max_columns=2)
        for panel, (statistic, points) in zip(layout.panels, groups, strict=True):
            lines_of_measures(layout, panel, points, looks)
            panel.set_xlabel(x_label)
            panel.set_ylabel(STATISTICS[str(statistic)])
        set_line_legend(layout, looks)
        return layout.finish()


def statistics_by_collections_figure(
    table: pd.DataFrame, x_label: str, *, width: FigureWidth = "page"
) -> Figure:
    """A row of panels for each statistic, a column for each collection; axes alike in a row."""
    looks = looks_of(table)
    names = list(dict.fromkeys(table["collection"]))
    statistics = list(dict.fromkeys(table["statistic"]))
    with plot_style(width):
        layout = FigureLayout(
            len(names) * len(statistics),
            width=width,
            height=1.6,
            panel_width=1.3,
            max_columns=len(names),
            group_size=len(names),
        )
        for row, statistic in enumerate(statistics):
            of_row = table[table["statistic"] == statistic]
            some = layout.panels[row * len(names) : (row + 1) * len(names)]
            for panel, name in zip(some, names, strict=True):
                if panel is not some[0]:
                    panel.sharey(some[0])
                lines_of_measures(layout, panel, of_row[of_row["collection"] == name], looks)
                if row == 0 or layout.num_columns < len(names):
                    panel.set_title(drawn_label(name))
                if layout.is_first_of_row(panel):
                    panel.set_ylabel(STATISTICS[statistic])
        for panel in layout.panels[-len(names) :]:
            panel.set_xlabel(x_label)
        set_line_legend(layout, looks)
        return layout.finish()


def curves_beside_baseline_figure(
    table: pd.DataFrame, baseline_measure: str, *, width: FigureWidth = "page"
) -> Figure:
    """A row for each measure: its statistics beside those of the baseline."""
    looks = looks_of(table)
    others = [measure for measure in looks if measure != baseline_measure] or [baseline_measure]
    statistics = list(dict.fromkeys(table["statistic"]))
    with plot_style(width):
        layout = FigureLayout(
            len(others) * len(statistics),
            width=width,
            height=1.5,
            panel_width=1.4,
            max_columns=len(statistics),
            group_size=len(statistics),
        )
        places = [(measure, statistic) for measure in others for statistic in statistics]
        for panel, (measure, statistic) in zip(layout.panels, places, strict=True):
            here = table["measure"].isin([baseline_measure, measure]) & (
                table["statistic"] == statistic
            )
            lines_of_measures(layout, panel, table[here], looks)
            panel.set_ylabel(STATISTICS[statistic])
            panel.set_title(f"{drawn_label(measure)} and {drawn_label(baseline_measure)}")
        for panel in layout.panels[-len(statistics) :]:
            panel.set_xlabel(JUDGED)
        set_line_legend(layout, looks)
        return layout.finish()


def looks_of(table: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """How each measure is drawn, the same in all panels; where lines coincide all can be seen."""
    names = list(dict.fromkeys(table["measure"]))
    sizes = {
        name: {"linewidth": max(1.0, 2.3 - 0.25 * place), "markersize": max(2.5, 5.5 - 0.5 * place)}
        for place, name in enumerate(names)
    }
    return {name: {**series_style(place), **sizes[name]} for place, name in enumerate(names)}


def lines_of_measures(
    layout: FigureLayout, panel: Axes, points: pd.DataFrame, looks: dict[str, dict[str, Any]]
) -> None:
    """Draw the mean of each measure against the rate, with a band from least to greatest."""
    for measure, line in points.groupby("measure", sort=False):
        look = looks[str(measure)]
        panel.plot(line["rate"], line["mean"], label=drawn_label(str(measure)), **look)
        panel.fill_between(
            line["rate"],
            line["lowest"],
            line["highest"],
            color=look["color"],
            alpha=0.13,
            linewidth=0,
        )
    rates = sorted(set(points["rate"]))
    if points["mean"].isna().all():
        panel.text(0.5, 0.5, "not defined", transform=panel.transAxes, ha="center", va="center")
        panel.set(xlim=(0.9 * rates[0], 1.1 * rates[-1]))
        layout.name_ticks(panel, "y", [], [])
    if rates[-1] >= 10 * rates[0]:
        panel.set_xscale("log")
        ticks = [each for each in (1, 2, 5, 10, 20, 50, 100) if rates[0] <= each <= rates[-1]]
        layout.number_ticks(panel, "x", ticks)


def set_line_legend(layout: FigureLayout, looks: dict[str, dict[str, Any]]) -> None:
    """The lines of all panels, and what the bands are."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    lines = [Line2D([], [], **look) for look in looks.values()]
    band = Patch(color="#888888", alpha=0.3, linewidth=0)
    layout.set_legend([*lines, band], [*map(drawn_label, looks), BAND])


def scatter_figure(table: pd.DataFrame, *, width: FigureWidth = "page") -> Figure:
    """A row for each measure, a panel for each rate: estimates upwards, actual values across."""
    measures = list(dict.fromkeys(table["measure"]))
    rates = list(dict.fromkeys(table["rate"]))
    with plot_style(width):
        layout = FigureLayout(
            len(measures) * len(rates),
            width=width,
            height=None,
            panel_width=1.5,
            group_size=len(rates),
        )
        for number, measure in enumerate(measures):
            of_measure = table[table["measure"] == measure]
            row = layout.panels[number * len(rates) : (number + 1) * len(rates)]
            for panel, rate in zip(row, rates, strict=True):
                _draw_scatter(panel, of_measure[of_measure["rate"] == rate], of_measure)
                if layout.is_first_of_row(panel):
                    panel.set_ylabel(f"mean {drawn_label(measure)}")
        return layout.finish()


def _draw_scatter(panel: Axes, points: pd.DataFrame, of_measure: pd.DataFrame) -> None:
    both = of_measure[["actual", "estimate"]]
    low, high = min(0.0, float(both.min().min())), float(both.max().max())
    margin = 0.04 * (high - low) or 0.04
    panel.plot((low, high), (low, high), color="#888888", linewidth=0.8, zorder=1)
    panel.plot(
        points["actual"],
        points["estimate"],
        linestyle="none",
        marker="o",
        markersize=3.0,
        color=COLOURS[0],
        markeredgecolor="white",
        markeredgewidth=0.4,
    )
    first = points.iloc[0]
    panel.set(
        xlim=(low - margin, high + margin),
        ylim=(low - margin, high + margin),
        xlabel=f"mean {drawn_label(first['against'])}, all judgments",
    )
    panel.set_title(
        f"{drawn_label(first['measure'])}, {first['rate']:g} %, sample {first['sample']}\n"
        f"RMS {first['rms']:.3f}   τ {_number(first['tau'])}   ρ {_number(first['rho'])}"
    )


def _number(value: float) -> str:
    """A correlation; a dash where it is not defined."""
    return f"{value:.3f}" if value == value else "–"
