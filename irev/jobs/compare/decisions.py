"""What is asked of pairs besides significance: equality within a margin, chances, risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.record import record
from irev.core.wording import count_text
from irev.errors import UsageError
from irev.measures.naming.resolve import lower_is_better
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

    from irev.core.arrays import Floats, PairValues, TopicsByRuns
    from irev.jobs.compare.contrasts import Contrast
    from irev.jobs.compare.options import CompareOptions
    from irev.jobs.compare.rows import Row
    from irev.scores.table import ScoreTable
    from irev.writers.document import Cell


@record
class DecisionColumns:
    """What was found for S runs and P pairs under a measure, by name of the column.

    pairs  float64[P] each
    runs   float64[S] each
    """

    pairs: Mapping[str, Floats]
    runs: Mapping[str, Floats]


def margins_chances_and_risks(
    table: ScoreTable, contrasts: Sequence[Contrast], options: CompareOptions
) -> tuple[DecisionColumns, ...]:
    """What is asked of each contrast's pairs; each kind of p is corrected over all contrasts."""
    if options.risk and table.weights is not None:
        raise UsageError("risk counts topics equally: leave out --risk or --topic-weights")
    pairs: list[dict[str, Floats]] = [{} for _ in contrasts]
    runs: list[dict[str, Floats]] = [{} for _ in contrasts]
    num_hypotheses = sum(len(contrast.run_pairs) for contrast in contrasts)
    for contrast, pair_values, run_values in zip(contrasts, pairs, runs, strict=True):
        # whatever the measure, higher is better here
        upward_score_matrix = (
            -contrast.score_matrix if contrast.lower_is_better else contrast.score_matrix
        )
        pair_values |= _margin_columns(upward_score_matrix, contrast, options, num_hypotheses)
        pair_values |= _chance_columns(upward_score_matrix, contrast, options)
        has_shares = not contrast.lower_is_better and bool((contrast.score_matrix >= 0).all())
        by_n = options.risk_sd == "n"
        for aversion in options.risk:
            if options.baselines:
                pair_values[f"urisk({aversion:g})"] = u_risk(
                    upward_score_matrix, contrast.run_pairs, aversion
                )
                pair_values[f"trisk({aversion:g})"] = t_risk(
                    upward_score_matrix, contrast.run_pairs, aversion, divides_by_n=by_n
                )
            none = np.full(upward_score_matrix.shape[1], np.nan)
            run_values[f"zrisk({aversion:g})"] = (
                z_risk(upward_score_matrix, aversion) if has_shares else none
            )
            run_values[f"georisk({aversion:g})"] = (
                geo_risk(upward_score_matrix, aversion) if has_shares else none
            )
    for name in ("p_equivalent", "p_not_worse"):
        _correct_column(pairs, name, decision_correction(options))
    return tuple(map(DecisionColumns, pairs, runs))


def decision_correction(options: CompareOptions) -> str:
    """That of the options, where it corrects any p; else Holm's."""
    return options.correction if CORRECTIONS[options.correction].function else "holm"


def _margin_columns(
    upward_score_matrix: TopicsByRuns,
    contrast: Contrast,
    options: CompareOptions,
    num_hypotheses: int,
) -> dict[str, PairValues]:
    if options.margin is None:
        return {}
    sharing_alpha = 1 if options.correction == "none" else num_hypotheses
    equality = equivalence(
        upward_score_matrix, contrast.run_pairs, options.margin, options.alpha, contrast.df,
        sharing_alpha,
    )  # fmt: skip
    return {
        "p_equivalent": equality.p_equal,
        "p_equivalent_corrected": equality.p_equal,
        "p_not_worse": equality.p_not_worse,
        "p_not_worse_corrected": equality.p_not_worse,
        "equal_within": equality.within,
        "detectable": equality.detectable,
    }


def _chance_columns(
    upward_score_matrix: TopicsByRuns, contrast: Contrast, options: CompareOptions
) -> dict[str, PairValues]:
    if options.better_by is None:
        return {}
    chances = bayesian_bootstrap(
        upward_score_matrix, contrast.run_pairs, options.better_by,
        num_resamples=options.resamples or DRAWS, seed=options.seed, threads=options.threads,
    )  # fmt: skip
    return {"better": chances.better, "equal": chances.equal, "worse": chances.worse}


def _correct_column(
    pair_columns: Sequence[dict[str, PairValues]], name: str, correction: str
) -> None:
    """Add the corrected p of a column, over all contrasts together."""
    parts = [columns[name] for columns in pair_columns if name in columns]
    if not parts:
        return
    corrected_p = correct_p(np.concatenate(parts), correction)
    ends = np.cumsum([len(part) for part in parts])[:-1]
    for columns, corrected in zip(pair_columns, np.split(corrected_p, ends), strict=True):
        columns[f"{name}_corrected"] = corrected


# For people


_HEADS = {"p_equivalent_corrected": "p equivalent", "p_not_worse_corrected": "p not worse",
          "equal_within": "equal within", "better": "P(better)", "equal": "P(equal)",
          "worse": "P(worse)"}  # fmt: skip
_UNCORRECTED = ("p_equivalent", "p_not_worse")
"""p that are not corrected: for machines."""


def decisions_by_pair_table(
    rows: Sequence[Row], decisions: DecisionColumns, alpha: float
) -> Table | None:
    """A row for each pair; None where nothing was asked of pairs."""
    names = [name for name in decisions.pairs if name not in _UNCORRECTED]
    if not names:
        return None
    heads = [Head("run", "text"), Head("against", "text"), Head("difference")]
    for name in names:
        is_p = name.startswith("p_")
        heads += [Head(_HEADS.get(name, name), "p" if is_p else "number"), *[Head("")] * is_p]
    cells: list[list[Cell]] = []
    for row in rows:
        line: list[Any] = [row["run"], row["against"], row["difference"]]
        for name in names:
            value: Any = row[name]
            mark = ["*" if value <= alpha else ""] if name.startswith("p_") else []
            line += [value, *mark]
        cells.append(line)
    return Table(heads, cells)


def decision_lines(
    table: ScoreTable, options: CompareOptions, num_hypotheses: int, is_moderated: bool
) -> Iterator[str]:
    """What the columns of the decisions say, a line each; they stand beside the p of tests."""
    if options.margin is not None:
        over = CORRECTIONS[decision_correction(options)].title
        yield (
            f"margin {options.margin:g}: p equivalent (two one-sided t tests, TOST) and p not "
            f"worse (non-inferiority), each over "
            f"{count_text(num_hypotheses, 'hypothesis', 'hypotheses')}, {over}"
        )
        level = f"alpha {options.alpha:g}"
        if num_hypotheses > 1 and options.correction != "none":
            level += f" / {num_hypotheses}"
        yield (
            "equal within: the smallest margin for which a pair is equivalent, not corrected; "
            "detectable: the smallest difference that a two-sided t test of these topics finds "
            f"with a chance of {POWER:.0%} at {level}"
        )
        if is_moderated:
            yield (
                "p equivalent, p not worse, equal within and detectable are of plain paired t "
                "tests, whose variances are not moderated"
            )
    if options.better_by is not None:
        num_draws = options.resamples or DRAWS
        yield (
            f"P(better), P(worse): by more than {options.better_by:g}, by the Bayesian bootstrap "
            f"of topics; {num_draws} draws, seed {options.seed}: two standard errors are at most "
            f"{num_draws**-0.5:.4f}; no correction"
        )
        yield (
            "the draws know no differences but those of these topics, so a P of 1 or 0 is not "
            "certain; where the difference is the same on all topics, there is no P"
        )
    if options.risk:
        yield from _risk_lines(table, options)


def _risk_lines(table: ScoreTable, options: CompareOptions) -> Iterator[str]:
    if options.baselines:
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
