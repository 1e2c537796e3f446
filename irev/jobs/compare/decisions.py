"""What is asked of pairs besides significance: equality within a margin, chances, risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.record import record
from irev.core.wording import count_text
from irev.errors import UsageError
from irev.measures.naming.result_columns import lower_is_better
from irev.statistics.decisions import (
    DRAWS,
    POWER,
    bayesian_bootstrap,
    equivalence,
    geo_risk,
    t_risk,
    u_risk,
    z_risk,
)
from irev.statistics.methods import CORRECTIONS, correct_p
from irev.writers.document import Head, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.core.arrays import Floats
    from irev.jobs.compare.contrasts import Contrast
    from irev.jobs.compare.plan import ComparisonPlan, Decisions
    from irev.jobs.compare.rows import Row
    from irev.scores.table import ScoreTable
    from irev.writers.document import Cell


@record
class Decided:
    """What was found for S runs and P pairs under a measure, by name of the column.

    pairs  float64[P] each
    runs   float64[S] each
    """

    pairs: Mapping[str, Floats]
    runs: Mapping[str, Floats]


def decided(
    table: ScoreTable, contrasts: Sequence[Contrast], plan: ComparisonPlan, asked: Decisions
) -> tuple[Decided, ...]:
    """For each contrast what was asked; p are corrected over all contrasts, each kind by itself."""
    if asked.risk and table.weights is not None:
        raise UsageError("risk counts topics equally: leave out --risk or --topic-weights")
    pairs: list[dict[str, Floats]] = [{} for _ in contrasts]
    runs: list[dict[str, Floats]] = [{} for _ in contrasts]
    for contrast, of_pairs, of_runs in zip(contrasts, pairs, runs, strict=True):
        # whatever the measure, higher is better here
        upward = -contrast.scores if contrast.lower_is_better else contrast.scores
        of_pairs |= _within_margin(upward, contrast, plan, asked)
        of_pairs |= _chances(upward, contrast, plan, asked)
        has_shares = not contrast.lower_is_better and bool((contrast.scores >= 0).all())
        by_n = asked.risk_sd == "n"
        for a in asked.risk:
            if plan.baselines:
                of_pairs[f"urisk({a:g})"] = u_risk(upward, contrast.run_pairs, a)
                of_pairs[f"trisk({a:g})"] = t_risk(upward, contrast.run_pairs, a, by_n=by_n)
            none = np.full(upward.shape[1], np.nan)
            of_runs[f"zrisk({a:g})"] = z_risk(upward, a) if has_shares else none
            of_runs[f"georisk({a:g})"] = geo_risk(upward, a) if has_shares else none
    for name in ("p_equivalent", "p_not_worse"):
        _correct(pairs, name, correction_of(plan))
    return tuple(map(Decided, pairs, runs))


def correction_of(plan: ComparisonPlan) -> str:
    """That of the plan, where it corrects any p; else Holm's."""
    return plan.correction if CORRECTIONS[plan.correction].function else "holm"


def _within_margin(
    upward: Floats, contrast: Contrast, plan: ComparisonPlan, asked: Decisions
) -> dict[str, Floats]:
    if asked.margin is None:
        return {}
    found = equivalence(upward, contrast.run_pairs, asked.margin, plan.alpha, contrast.df)
    return {
        "p_equivalent": found.p_equal,
        "p_equivalent_corrected": found.p_equal,
        "p_not_worse": found.p_not_worse,
        "p_not_worse_corrected": found.p_not_worse,
        "equal_within": found.within,
        "detectable": found.detectable,
    }


def _chances(
    upward: Floats, contrast: Contrast, plan: ComparisonPlan, asked: Decisions
) -> dict[str, Floats]:
    if asked.better_by is None:
        return {}
    found = bayesian_bootstrap(
        upward, contrast.run_pairs, asked.better_by, num_resamples=plan.resamples or DRAWS,
        seed=plan.seed, threads=plan.threads,
    )  # fmt: skip
    return {"better": found.better, "equal": found.equal, "worse": found.worse}


def _correct(every: Sequence[dict[str, Floats]], name: str, correction: str) -> None:
    parts = [each[name] for each in every if name in each]
    if not parts:
        return
    found = correct_p(np.concatenate(parts), correction)
    ends = np.cumsum([len(part) for part in parts])[:-1]
    for each, corrected in zip(every, np.split(found, ends), strict=True):
        each[f"{name}_corrected"] = corrected


# For people


_NAMES = {"p_equivalent_corrected": "p equivalent", "p_not_worse_corrected": "p not worse",
          "equal_within": "equal within", "better": "P(better)", "equal": "P(equal)",
          "worse": "P(worse)"}  # fmt: skip
_OWN = ("p_equivalent", "p_not_worse")
"""p that are not corrected: for machines."""


def decision_table(rows: Sequence[Row], found: Decided, alpha: float) -> Table | None:
    """A row for each pair; None where nothing was asked of pairs."""
    names = [name for name in found.pairs if name not in _OWN]
    if not names:
        return None
    heads = [Head("run", "text"), Head("against", "text"), Head("difference")]
    for name in names:
        is_p = name.startswith("p_")
        heads += [Head(_NAMES.get(name, name), "p" if is_p else "number"), *[Head("")] * is_p]
    cells: list[list[Cell]] = []
    for row in rows:
        line: list[Any] = [row["run"], row["against"], row["difference"]]
        for name in names:
            value: Any = row[name]
            mark = ["*" if value <= alpha else ""] if name.startswith("p_") else []
            line += [value, *mark]
        cells.append(line)
    return Table(heads, cells)


def about_decisions(
    table: ScoreTable, plan: ComparisonPlan, asked: Decisions, hypotheses: int
) -> Iterator[str]:
    """What the columns of the decisions say, a line each."""
    if asked.margin is not None:
        over = CORRECTIONS[correction_of(plan)].title
        yield (
            f"margin {asked.margin:g}: p equivalent (two one-sided t tests, TOST) and p not worse "
            f"(non-inferiority), each over {count_text(hypotheses, 'hypothesis', 'hypotheses')}, "
            f"{over}"
        )
        yield (
            "equal within: the smallest margin for which a pair is equivalent; detectable: the "
            "smallest difference that a t test of these topics finds with a chance of "
            f"{POWER:.0%}; neither is corrected"
        )
    if asked.better_by is not None:
        drawn = plan.resamples or DRAWS
        yield (
            f"P(better), P(worse): by more than {asked.better_by:g}, by the Bayesian bootstrap of "
            f"topics; {drawn} draws, seed {plan.seed}: two standard errors are at most "
            f"{drawn**-0.5:.4f}; no correction"
        )
    if asked.risk:
        yield from _about_risk(table, plan)


def _about_risk(table: ScoreTable, plan: ComparisonPlan) -> Iterator[str]:
    if plan.baselines:
        yield (
            "urisk(a): the mean difference from the baseline, each loss counted 1 + a times; "
            "trisk(a): urisk over its standard error, which is no test of equal means unless a is 0"
        )
    yield (
        f"zrisk(a), georisk(a): among these {count_text(len(table.runs), 'run')}; with other "
        "runs they change"
    )
    falling = [column.name for column in table.columns if lower_is_better(column)]
    if falling:
        yield f"zrisk and georisk need higher to be better: none for {', '.join(falling)}"
