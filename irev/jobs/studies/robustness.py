"""How measures hold out when judgments are incomplete or imperfect.

E. Yilmaz and J. A. Aslam, CIKM 2006, "Estimating average precision with incomplete and imperfect
judgments", figures 1-9: runs are scored under random samples of their judgments, and their means
are compared with the means of average precision under all of them; of several collections, side by
side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.wording import count_text
from irev.engine.inputs import error_naming_run
from irev.engine.join_scores import distinct_tables
from irev.engine.score_runs import concerns_runs, default_options, name_inputs
from irev.errors import IrevError, Notice, UsageError
from irev.jobs.plots.result_parts import notes_of, parameters_of
from irev.jobs.pool.rates import parse_rate, rate_text
from irev.jobs.sample.estimates import agreement_by_sample
from irev.jobs.sample.evaluation import SampledEvaluator, SamplingPlan
from irev.jobs.sample.reduction import ImperfectEvaluator
from irev.jobs.studies.plans import SampledRates
from irev.jobs.studies.robustness_tables import (
    JUDGED,
    KEPT,
    SampledRuns,
    all_tables,
    collections_figure,
    curves,
    curves_figure,
    estimates,
    grid_figure,
    samples,
    scatter_figure,
)
from irev.jobs.study_result import StudyResult
from irev.writers.machine import signature_data

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from irev.core.model import Input
    from irev.engine.score_runs import NameSource
    from irev.errors import Told
    from irev.jobs.sample.estimates import SampledScores
    from irev.options import Options


NAME = "robustness"
MEASURES = ("bpref-10", "bpref", "indAP", "subAP", "infAP", "AP")
BASELINE = "bpref-10"


def robustness(
    qrels: Input,
    runs: Sequence[Input],
    measures: Sequence[str] = MEASURES,
    sampling: SampledRates | None = None,
    *,
    options: Options | None = None,
    format: str = "qrels",
    names: NameSource = "file",
    watched: Callable[[Iterable[Any], int], Iterable[Any]] = lambda items, _: items,
) -> StudyResult:
    """Compare runs' means under samples of the judgments with those under all judgments.

    Of each topic p percent of the judged documents keep their grades (rounded half up, at least
    one; drawn again while none is relevant) and the others are pooled but unjudged; one sample
    serves all runs and measures. For each sample: Kendall's tau-b and Pearson's rho of the runs'
    means under a measure with those of AP under all judgments (for measures that estimate AP; for
    others, with their own), RMS = sqrt(1/N sum over N runs of (estimate - actual)^2), and the mean
    value over runs. These are averaged over the samples of a rate. Imperfect judgments: a share of
    the collection, the same documents everywhere, is kept in the runs, and all judgments stay.

    `options`: the choices of the evaluation; every judged topic counts by default. Where they name
    a pool, its documents without a grade count as judged and not relevant, as those of a pool of
    depth 100 do in the paper.

    Returns:
        Tables `agreement` (means and standard deviations over samples), `samples` (every sample)
        and `estimates` (every run), and what is drawn: `grid`, `curves`, `scatter`, `imperfect`.

    Source: Yilmaz and Aslam 2006, sections 4 and 5.
    """
    sampling = sampling or SampledRates()
    options = options or default_options()
    _check(runs, options)
    choices: dict[str, Any] = {
        "options": options,
        "qrels_format": format,
        "sign": True,
        "complete": options.pool is not None,
    }
    plan = SamplingPlan(_designs(sampling.rates), sampling.seed, sampling.repeat)
    evaluator = SampledEvaluator(qrels, measures, plan, **choices)
    reduced = (
        ImperfectEvaluator(
            qrels, measures, plan._replace(rates=_designs(sampling.imperfect)), **choices
        )
        if sampling.imperfect
        else None
    )
    found = _sampled(evaluator, runs, names, watched)
    tables, drawn = _drawn(found)
    shown = ["agreement"]
    if reduced is not None:
        on_parts = _sampled(reduced, runs, names, watched)
        tables["imperfect"] = curves(on_parts, ("tau",))
        tables["imperfect-samples"] = samples(on_parts)
        tables["imperfect-estimates"] = estimates(on_parts)
        drawn["imperfect"] = partial(grid_figure, tables["imperfect"], KEPT)
        shown.append("imperfect")
    pool = len(evaluator.evaluator.graded.qrels.grade) if options.pool is not None else None
    parameters, about = _about(found, sampling, pool)
    doubts = [*evaluator.notices, *_doubts(found)]
    notes = (*about, *doubts, *_redrawn(found))
    return StudyResult(NAME, parameters, tables, tuple(shown), drawn, notes)


def _doubts(found: SampledRuns) -> Iterator[Notice]:
    """What makes the scores of runs doubtful under all judgments, of which run."""
    for entry, result in zip(found.entries, found.results, strict=True):
        for notice in filter(concerns_runs, result.full.notices):
            yield notice._replace(run=entry.name)


def _drawn(found: SampledRuns) -> tuple[dict[str, pd.DataFrame], dict[str, Any]]:
    """The tables of runs under samples of the judgments, and the figures of some of them."""
    tables = all_tables(found)
    baseline = BASELINE if BASELINE in found.measures else found.measures[0]
    drawn: dict[str, Any] = {
        "grid": partial(grid_figure, tables["grid"], JUDGED),
        "curves": partial(curves_figure, tables["curves"], baseline),
    }
    if len(tables["scatter"]):
        drawn["scatter"] = partial(scatter_figure, tables["scatter"])
    else:
        del tables["scatter"]
    return tables, drawn


def _check(runs: Sequence[Input], options: Options) -> None:
    if len(runs) < 2:
        raise UsageError("this study compares runs: give two or more")
    if options.topics in ("both", "run"):
        raise UsageError(
            f"--topics {options.topics}: the runs are compared on the same topics, all judged ones "
            "(qrels) or those listed in a file"
        )


def _designs(percentages: Sequence[str]) -> list[str]:
    """The percentages as `SampledEvaluator` takes rates, each once."""
    found = [_design(text.strip().removesuffix("%")) for text in percentages]
    for text in found:
        if found.count(text) > 1:
            raise UsageError(f"duplicate rate {text}")
    return found


def _design(percentage: str) -> str:
    try:
        return rate_text(parse_rate(f"{percentage}%"))
    except UsageError:
        raise UsageError(
            f"'{percentage}' is not a percentage above 0 and at most 100, such as 10 or 12.5"
        ) from None


def _sampled(
    evaluator: SampledEvaluator,
    runs: Sequence[Input],
    names: NameSource,
    watched: Callable[[Iterable[Any], int], Iterable[Any]],
) -> SampledRuns:
    results: list[SampledScores] = []
    tables = []
    inputs = name_inputs(runs)
    outcomes = watched(evaluator.evaluate_many(runs), len(runs))
    for each, (_, outcome) in zip(inputs, outcomes, strict=True):
        if isinstance(outcome, IrevError):
            raise error_naming_run(each.label, outcome)
        results.append(outcome)
        tables.append(each.scored_table(outcome.full, names))
    infos = [table.runs[0] for table in distinct_tables(tables, [each.forms for each in inputs])]
    ordered = tuple(results[run.input_index] for run in infos)
    rates = tuple(100 * float(parse_rate(design)) for design in ordered[0].designs)
    return SampledRuns(tuple(infos), ordered, rates, agreement_by_sample(ordered))


def _about(
    found: SampledRuns, sampling: SampledRates, pool: int | None
) -> tuple[dict[str, Any], tuple[Told, ...]]:
    """The parameters, and the notes on runs, topics and samples.

    `pool` is the number of documents of the pool, where one was given.
    """
    from irev.scores.signature import comparison_signature

    table = found.table
    choices: dict[str, Any] = {
        "study": NAME,
        "rates": [f"{percentage:g}" for percentage in found.rates],
        "imperfect": list(sampling.imperfect),
        "repeat": sampling.repeat,
        "seed": sampling.seed,
        "missing": "zero",
        **({} if pool is None else {"pool": pool}),
    }
    parameters = parameters_of(table, **choices)
    parameters["targets"] = dict(zip(found.measures, found.targets, strict=True))
    parameters["signature"] = signature_data(comparison_signature(table, choices))
    notes = (
        *notes_of(table),
        f"{len(found.entries)} runs; {count_text(sampling.repeat, 'sample')} of each rate, "
        f"seed {sampling.seed}; "
        "tau is Kendall's tau-b of the runs' means with those under all judgments; no test is done",
        *_unlike(found),
        *_undefined(found),
    )
    if pool is not None:
        said = f"samples are of a pool of {pool} documents; those without a grade are not relevant"
        return parameters, (*notes, said)
    return parameters, notes


def _unlike(found: SampledRuns) -> list[str]:
    """Which measures are compared with another one."""
    against: dict[str, list[str]] = {}
    for measure, target in zip(found.measures, found.targets, strict=True):
        if measure != target:
            against.setdefault(target, []).append(measure)
    return [
        f"{', '.join(measures)} {'is' if len(measures) == 1 else 'are'} compared with {target} "
        "under all judgments"
        for target, measures in against.items()
    ]


def _undefined(found: SampledRuns) -> list[str]:
    """Which measures have samples under which all runs are equal."""
    count = np.count_nonzero(np.isnan(found.agreement.tau), axis=(0, 1)).tolist()
    some = [f"{name} ({n})" for name, n in zip(found.measures, count, strict=True) if n]
    if not some:
        return []
    return [
        "tau and rho, and their means, are not defined where no two runs differ under a sample: "
        f"{', '.join(some)}"
    ]


def _redrawn(found: SampledRuns) -> list[str]:
    """Which rates had samples without a relevant document."""
    again = [
        f"{each.design} ({len(each.topics)})" for each in found.results[0].redrawn if each.topics
    ]
    if not again:
        return []
    return [
        "topics were drawn again, because their sample had no relevant document, at "
        f"{', '.join(again)}"
    ]


_FIGURES = {"grid": JUDGED, "imperfect": KEPT}
_OF_ONE = ("curves", "scatter")
"""Tables for figures of one collection."""


def side_by_side(outcomes: Mapping[str, StudyResult]) -> StudyResult:
    """The outcomes of `robustness` on several collections as one.

    `outcomes`: those of the same measures and rates, by the names of the collections.

    Returns:
        The tables of `robustness` with a column `collection` before the others, and the figures
        `grid` and `imperfect`: a row for each statistic, a column for each collection.
    """
    import pandas as pd

    first = next(iter(outcomes.values()))
    measures = [each.parameters["measures"] for each in outcomes.values()]
    if any(each != measures[0] for each in measures):
        raise UsageError(
            "the collections give a measure different names, such as ERR(max=2) and ERR(max=3): "
            "write the parameter in the name"
        )
    tables: dict[str, pd.DataFrame] = {}
    for kind in (kind for kind in first.tables if kind not in _OF_ONE):
        parts = [each.tables[kind] for each in outcomes.values()]
        table = pd.concat(parts, keys=outcomes, names=["collection"])
        tables[kind] = table.reset_index(level="collection").reset_index(drop=True)
        tables[kind].attrs.update(parts[0].attrs)
    figures: dict[str, Any] = {
        kind: partial(collections_figure, tables[kind], across)
        for kind, across in _FIGURES.items()
        if kind in tables
    }
    parameters: dict[str, Any] = {
        "study": first.name,
        "collections": {name: dict(each.parameters) for name, each in outcomes.items()},
        "signature": [each.parameters["signature"] for each in outcomes.values()],
    }
    told = tuple(_of(name, said) for name, each in outcomes.items() for said in each.remarks)
    return StudyResult(first.name, parameters, tables, first.shown, figures, told)


def _of(name: str, said: Told) -> Told:
    """What is said of a collection, with its name."""
    if isinstance(said, Notice):
        return said._replace(run=f"{name}: {said.run}" if said.run else name)
    return f"{name}: {said}"
