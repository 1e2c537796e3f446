"""How measures hold out when judgments are incomplete or imperfect.

E. Yilmaz and J. A. Aslam, CIKM 2006, "Estimating average precision with incomplete and imperfect
judgments", figures 1-9: runs are scored under random samples of their judgments, and their means
are compared with the means of average precision under all of them; of several collections, side by
side.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.job import runs_job
from irev.core.wording import count_text
from irev.engine.join_scores import distinct_tables
from irev.engine.run_files import error_naming_run
from irev.engine.score_runs import name_inputs, options_with_pool, warns_of_run_or_judgments
from irev.errors import IrevError, Notice, UsageError, note
from irev.jobs.plots.plot import notes_of, parameters_of
from irev.jobs.pool.pool import parse_rate, rate_text
from irev.jobs.sample.evaluation import SampledEvaluator, SamplingPlan, agreement_by_sample
from irev.jobs.sample.sample import ReducedRunsEvaluator
from irev.jobs.score_job import watch_runs
from irev.jobs.studies.options.robustness import MEASURES, RobustnessOptions, percentage_text
from irev.jobs.studies.robustness_tables import (
    JUDGED,
    KEPT,
    SampledRuns,
    all_tables,
    curves,
    curves_beside_baseline_figure,
    estimates_of_every_sample,
    grid_figure,
    samples,
    scatter_figure,
    statistics_by_collections_figure,
)
from irev.jobs.study_result import StudyResult
from irev.measures.naming.grammar import measure_names
from irev.options import Options
from irev.scores.table import path_of
from irev.writers.machine import signature_data

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from irev.core.judged import Input
    from irev.engine.score_runs import NamedInput
    from irev.jobs.sample.evaluation import SampledScores


NAME = "robustness"
BASELINE = "bpref-10"


@runs_job(RobustnessOptions)
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
        (each, name_inputs(collection_runs, options.own_columns))
        for each, collection_runs in collections
    ]
    _refuse_single_run_or_reread_stdin(inputs, options)
    options.load_plugins()
    names = _collection_names([each for each, _ in inputs])
    results = {
        name: _sampled_judgments_study_of_collection(
            each, named_inputs, measure_names(measures), options
        )
        for name, (each, named_inputs) in zip(names, inputs, strict=True)
    }
    return side_by_side(results) if len(results) > 1 else next(iter(results.values()))


def _refuse_single_run_or_reread_stdin(
    inputs: Sequence[tuple[Input, Sequence[NamedInput]]], options: RobustnessOptions
) -> None:
    """Refuse a collection of less than two runs, and what cannot be read as often as is needed."""
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


def _collection_names(judgments: Sequence[Input]) -> list[str]:
    """What collections are called: after their judgments' files, or paths where others have one."""
    paths = [path_of(each) or f"collection {place}" for place, each in enumerate(judgments, 1)]
    if len(set(paths)) < len(paths):
        raise UsageError("--collection: each collection has qrels of its own")
    names = [os.path.basename(path) for path in paths]
    return [n if names.count(n) == 1 else path for n, path in zip(names, paths, strict=True)]


def _sampled_judgments_study_of_collection(
    qrels: Input,
    inputs: Sequence[NamedInput],
    measures: Sequence[str],
    options: RobustnessOptions,
) -> StudyResult:
    """The study of one collection."""
    evaluation = options_with_pool(options.base_record(Options), [each.source for each in inputs])
    has_pool = evaluation.pool is not None
    choices: dict[str, Any] = {
        "options": evaluation, "qrels_format": options.qrels_format, "sign": True,
        "complete": has_pool,
    }  # fmt: skip
    evaluators = [
        make(
            qrels, measures, SamplingPlan(_designs(rates), options.seed, options.repeat), **choices
        )
        for make, rates in (
            (SampledEvaluator, options.judged_rates),
            (ReducedRunsEvaluator, options.imperfect),
        )
        if rates
    ]
    evaluator = evaluators[0]
    sampled_runs, *_ = both = [_sample_runs(each, inputs, options) for each in evaluators]
    tables: dict[str, pd.DataFrame] = {}
    figures: dict[str, Any] = {}
    shown = []
    if options.judged_rates:
        tables, figures = _tables_and_figures(sampled_runs)
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
    notes = (
        *_notes(sampled_runs, options, num_pooled_documents),
        *evaluator.notices,
        *_run_warnings(sampled_runs),
        *map(note, _redrawn_notes(sampled_runs)),
    )
    parameters = _parameters(sampled_runs, options, num_pooled_documents)
    return StudyResult(NAME, parameters, tables, tuple(shown), figures, notes)


def _run_warnings(sampled_runs: SampledRuns) -> Iterator[Notice]:
    """What makes the scores of runs doubtful under all judgments, of which run."""
    for run, scores in zip(sampled_runs.runs, sampled_runs.results, strict=True):
        for notice in filter(warns_of_run_or_judgments, scores.full.notices):
            yield notice.about(run.name)


def _tables_and_figures(
    sampled_runs: SampledRuns,
) -> tuple[dict[str, pd.DataFrame], dict[str, Any]]:
    """The tables of runs under samples of the judgments, and the figures of some of them."""
    tables = all_tables(sampled_runs)
    measures = sampled_runs.measures
    baseline = BASELINE if BASELINE in measures else measures[0]
    figures: dict[str, Any] = {
        "grid": partial(grid_figure, tables["grid"], JUDGED),
        "curves": partial(curves_beside_baseline_figure, tables["curves"], baseline),
    }
    if len(tables["scatter"]):
        figures["scatter"] = partial(scatter_figure, tables["scatter"])
    else:
        del tables["scatter"]
    return tables, figures


def _designs(percentages: Sequence[float]) -> list[str]:
    """The percentages as `SampledEvaluator` takes rates."""
    return [rate_text(parse_rate(f"{percentage_text(each)}%")) for each in percentages]


def _sample_runs(
    evaluator: SampledEvaluator, inputs: Sequence[NamedInput], options: RobustnessOptions
) -> SampledRuns:
    """The runs under all samples, by their names."""
    results: list[SampledScores] = []
    tables = []
    outcomes = evaluator.evaluate_many([each.source for each in inputs])
    for each, (_, outcome) in zip(inputs, watch_runs(outcomes, len(inputs)), strict=True):
        if isinstance(outcome, IrevError):
            raise error_naming_run(each.label, outcome)
        results.append(outcome)
        tables.append(each.scored_table(outcome.full, options.names))
    runs = [table.runs[0] for table in distinct_tables(tables, [each.forms for each in inputs])]
    ordered = tuple(results[run.input_index] for run in runs)
    rates = tuple(100 * float(parse_rate(design)) for design in ordered[0].designs)
    return SampledRuns(tuple(runs), ordered, rates, agreement_by_sample(ordered))


def _parameters(
    sampled_runs: SampledRuns, options: RobustnessOptions, num_pooled_documents: int | None
) -> dict[str, Any]:
    """The parameters; `num_pooled_documents` documents are in the pool, where one was given."""
    from irev.scores.signature import comparison_signature

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
    yield from map(note, _compared_with_other_measure_notes(sampled_runs))
    yield from map(note, _undefined_correlation_notes(sampled_runs))
    if num_pooled_documents is not None:
        yield note(
            f"samples are of a pool of {num_pooled_documents} documents; those without a grade are "
            "not relevant"
        )


def _compared_with_other_measure_notes(sampled_runs: SampledRuns) -> Iterator[str]:
    """Which measures are compared with another one."""
    measures_by_target: dict[str, list[str]] = {}
    for measure, target in sampled_runs.targets.items():
        if measure != target:
            measures_by_target.setdefault(target, []).append(measure)
    for target, measures in measures_by_target.items():
        are = "is" if len(measures) == 1 else "are"
        yield f"{', '.join(measures)} {are} compared with {target} under all judgments"


def _undefined_correlation_notes(sampled_runs: SampledRuns) -> Iterator[str]:
    """Which measures have samples under which all runs are equal."""
    counts = np.count_nonzero(np.isnan(sampled_runs.agreement.tau), axis=(0, 1)).tolist()
    named = [f"{m} ({n})" for m, n in zip(sampled_runs.measures, counts, strict=True) if n]
    if named:
        yield (
            "tau and rho, and their means, are not defined where no two runs differ under a "
            f"sample: {', '.join(named)}"
        )


def _redrawn_notes(sampled_runs: SampledRuns) -> Iterator[str]:
    """Which rates had samples without a relevant document."""
    redrawn = sampled_runs.results[0].redrawn
    rates = [f"{each.design} ({len(each.topics)})" for each in redrawn if each.topics]
    if rates:
        yield (
            "topics were drawn again, because their sample had no relevant document, at "
            f"{', '.join(rates)}"
        )


_FIGURES = {"grid": JUDGED, "imperfect": KEPT}
_OF_ONE = ("curves", "scatter")
"""Tables for figures of one collection."""


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
    for kind in (kind for kind in first.tables if kind not in _OF_ONE):
        parts = [each.tables[kind] for each in results.values()]
        table = pd.concat(parts, keys=results, names=["collection"])
        tables[kind] = table.reset_index(level="collection").reset_index(drop=True)
        tables[kind].attrs.update(parts[0].attrs)
    figures: dict[str, Any] = {
        kind: partial(statistics_by_collections_figure, tables[kind], across)
        for kind, across in _FIGURES.items()
        if kind in tables
    }
    parameters: dict[str, Any] = {
        "study": first.name,
        "collections": {name: dict(each.parameters) for name, each in results.items()},
        "signature": [each.parameters["signature"] for each in results.values()],
    }
    remarks = tuple(
        _with_collection(name, remark) for name, each in results.items() for remark in each.remarks
    )
    return StudyResult(first.name, parameters, tables, first.shown, figures, remarks)


def _with_collection(name: str, remark: Notice) -> Notice:
    """A remark on a collection, with its name."""
    return remark._replace(run=f"{name}: {remark.run}" if remark.run else name)
