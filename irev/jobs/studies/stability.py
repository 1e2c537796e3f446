"""Tables in addition to discriminative power: swap and stability methods, and concordance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.record import record
from irev.errors import UsageError
from irev.jobs.plots.figures import measure_lines_by_gains_figure
from irev.jobs.studies.criteria import criteria_of
from irev.jobs.studies.options.discriminative_power import FUZZINESS
from irev.statistics.discrimination import (
    concordance,
    disjoint_topic_sets,
    fit_swaps,
    random_topic_sets,
    stability,
    swap_method,
    two_samples_with_replacement,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.arrays import Floats, TopicsByRuns
    from irev.core.displayed import DrawFigure, FigureWidth
    from irev.jobs.plots.layout import FigureLayout
    from irev.jobs.studies.criteria import MeasuresUnderGains
    from irev.jobs.studies.options.discriminative_power import DiscriminativePowerOptions

RATE = 0.05
"""The swap rate that a required difference keeps to."""


@record
class MethodTables:
    """What other methods say of measures: parts of a result."""

    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    shown: list[str] = field(default_factory=list)
    figures: dict[str, DrawFigure] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def method_tables(
    blocks: Sequence[MeasuresUnderGains], options: DiscriminativePowerOptions
) -> MethodTables:
    """What was asked for, for all measures of all blocks.

    A set has `topic_set_size` topics; without that half of them, or all in samples with
    replacement. The swap rates of disjoint sets of more than half are fitted.

    Returns:
        `required` and `swap` (Voorhees and Buckley, SIGIR 2002), `stability` (Buckley and Voorhees,
        SIGIR 2000), `concordance` (Sakai, WWW 2012), with figures.
    """
    parts = MethodTables()
    num_topics = len(blocks[0].table.topics)
    set_size = options.topic_set_size or num_topics // 2
    if options.extrapolates(num_topics):
        _add_fitted_swaps(parts, blocks, options, set_size)
    elif options.swap and options.with_replacement:
        _add_swaps(parts, blocks, options, options.topic_set_size or num_topics)
    elif options.swap:
        _add_swaps(parts, blocks, options, set_size)
    if options.stability:
        _add_stability(parts, blocks, options, set_size)
    if options.concordance:
        _add_concordance(parts, blocks, options.concordance)
    return parts


def _add_swaps(
    parts: MethodTables,
    blocks: Sequence[MeasuresUnderGains],
    options: DiscriminativePowerOptions,
    set_size: int,
) -> None:
    import pandas as pd

    draw_sets = two_samples_with_replacement if options.with_replacement else disjoint_topic_sets
    sets = draw_sets(options.seed, options.num_trials, len(blocks[0].table.topics), set_size)
    required_rows, curves, tie_texts = [], [], []
    for block in blocks:
        for measure, criterion in zip(block.names_without_gains, block.criteria, strict=True):
            swaps = swap_method(criterion.scores, *sets)
            share = swaps.ties / max(1, int(swaps.comparisons[0]))
            if share >= _MANY_TIES:
                tie_texts.append(f"{measure} {share:.0%}")
            row_start = {"gains": block.gains, "measure": measure}
            facts = {
                "required": swaps.required_difference(RATE),
                "sensitivity": swaps.sensitivity(RATE),
                "settled": _settled_difference(swaps.lower, swaps.rates, RATE),
            }
            required_rows.append({**row_start, "topics": set_size, **facts})
            edges = {"difference": swaps.lower, "comparisons": swaps.comparisons}
            curve = pd.DataFrame({**edges, "swaps": swaps.swaps, "rate": swaps.rates})
            curves.append(curve.assign(**row_start)[[*row_start, *curve.columns]])
    _put_swap_tables(parts, required_rows, curves, "swap rate")
    kind = "two samples with replacement" if options.with_replacement else "two disjoint sets"
    parts.notes.append(
        f"swap method: {kind} of {set_size} topics in each of {options.num_trials} trials, "
        f"seed={options.seed}; required is the lowest difference whose swap rate is at most "
        f"{RATE:.0%}, in steps of 0.01, sensitivity the share of comparisons with that difference "
        "or more, and settled the lowest difference from which on no swap rate is higher"
    )
    if tie_texts:
        parts.notes.append(
            "swap method: two equal means cannot swap, so ties keep the rate of the lowest bin "
            f"low; its share of ties: {', '.join(dict.fromkeys(tie_texts))}"
        )


_MANY_TIES = 0.1
"""The share of ties in the lowest bin from which on a note tells of them."""


def _add_fitted_swaps(
    parts: MethodTables,
    blocks: Sequence[MeasuresUnderGains],
    options: DiscriminativePowerOptions,
    target_set_size: int,
) -> None:
    import pandas as pd

    required_rows, curves = [], []
    for block in blocks:
        for measure, criterion in zip(block.names_without_gains, block.criteria, strict=True):
            fitted = fit_swaps(criterion.scores, options.seed, options.num_trials)
            rates = fitted.rates(target_set_size)
            row_start = {"gains": block.gains, "measure": measure}
            facts = {
                "required": fitted.required_difference(target_set_size, RATE),
                "settled": _settled_difference(fitted.lower, rates, RATE),
                "rates": "extrapolated",
            }
            required_rows.append({**row_start, "topics": target_set_size, **facts})
            fit = {"difference": fitted.lower, "a": fitted.a, "b": fitted.b}
            curve = pd.DataFrame(fit).assign(topics=target_set_size, rate=rates)
            curves.append(curve.assign(**row_start)[[*row_start, *curve.columns]])
    _put_swap_tables(parts, required_rows, curves, "swap rate, extrapolated")
    sizes = ", ".join(map(str, fitted.sizes.tolist()))
    parts.notes.append(
        f"swap method, EXTRAPOLATED to {target_set_size} topics: a exp(-b n) fitted, bin by bin, "
        f"to the swap rates of two disjoint sets of n = {sizes} topics in {options.num_trials} "
        f"trials each, seed={options.seed}; required is the lowest difference whose rate is at "
        f"most {RATE:.0%}, in steps of 0.01, and settled the lowest from which on no rate is higher"
    )


def _put_swap_tables(
    parts: MethodTables,
    required_rows: list[dict[str, Any]],
    curves: list[pd.DataFrame],
    rate_label: str,
) -> None:
    """The tables of either way to swap rates, and the figure whose axis says which."""
    import pandas as pd

    parts.tables["required"] = pd.DataFrame(required_rows)
    parts.tables["swap"] = pd.concat(curves, ignore_index=True)
    parts.shown.append("required")
    parts.figures["swap"] = partial(swap_figure, parts.tables["swap"], RATE, rate_label)


def _settled_difference(lower_edges: Floats, rates: Floats, highest_rate: float) -> float:
    """The lower edge of the lowest bin from which on no rate is higher; NaN where there is none.

    Scores of few values leave bins that hold ties alone, which swap nothing.
    """
    higher_bins = np.flatnonzero(rates > highest_rate)
    first_bin = int(higher_bins[-1]) + 1 if len(higher_bins) else 0
    return float(lower_edges[first_bin]) if first_bin < len(lower_edges) else float("nan")


def _add_stability(
    parts: MethodTables,
    blocks: Sequence[MeasuresUnderGains],
    options: DiscriminativePowerOptions,
    set_size: int,
) -> None:
    import pandas as pd

    trial_sets = random_topic_sets(
        options.seed, options.num_trials, len(blocks[0].table.topics), set_size
    )
    rows = []
    for block in blocks:
        for measure, criterion in zip(block.names_without_gains, block.criteria, strict=True):
            rates = stability(criterion.scores, trial_sets, FUZZINESS)
            for index, fuzziness in enumerate(FUZZINESS):
                rows.append(
                    {
                        "gains": block.gains, "measure": measure, "fuzziness": fuzziness,
                        "ties": float(rates.ties[index]),
                        "error rate": float(rates.minority[index]),
                    }
                )  # fmt: skip
    parts.tables["stability"] = pd.DataFrame(rows)
    parts.shown.append("stability")
    parts.figures["stability"] = partial(stability_figure, parts.tables["stability"])
    parts.notes.append(
        f"stability method: {options.num_trials} sets of {set_size} topics, seed={options.seed}; "
        "means whose difference is below fuzziness times the larger are ties, and the error rate "
        "is that of the comparisons against a pair's majority"
    )


def _add_concordance(
    parts: MethodTables, blocks: Sequence[MeasuresUnderGains], gold_measures: Sequence[str]
) -> None:
    import pandas as pd

    first_block = blocks[0]
    rows = []
    for block in blocks:
        studied = list(zip(block.names, block.names_without_gains, block.criteria, strict=True))
        for gold_measure in gold_measures:
            (criterion,) = criteria_of(
                block.table, [_measure_in_block(first_block, block, gold_measure)]
            )
            merits = {
                measure: studied_criterion.merit
                for name, measure, studied_criterion in studied
                if name != criterion.name
            }
            rows += _concordance_rows_of_measure_pairs(
                block.gains, merits, gold_measure, criterion.merit
            )
    if not rows:
        raise UsageError("--concordance compares two measures with a third: name the two with -m")
    parts.tables["concordance"] = pd.DataFrame(rows)
    parts.shown.append("concordance")
    parts.notes.append(
        "concordance: of the pairs of runs on a topic that two measures order oppositely, how "
        "often each does not contradict the gold measure, ties included; p is of the sign test "
        "between the strict counts, two-sided, correction: none"
    )


def _measure_in_block(
    first_block: MeasuresUnderGains, block: MeasuresUnderGains, measure: str
) -> str:
    """What a measure of the first block is printed as in another, whose gains are others."""
    return block.table.measure_names[first_block.table.measure_names.index(measure)]


def _concordance_rows_of_measure_pairs(
    gain_definition: str,
    merit_of_measure: Mapping[str, TopicsByRuns],
    gold_measure: str,
    gold_merit: TopicsByRuns,
) -> list[dict[str, Any]]:
    rows = []
    for one, other in combinations(merit_of_measure, 2):
        counts = concordance(merit_of_measure[one], merit_of_measure[other], gold_merit)
        cases = counts.disagreements
        rows.append(
            {
                "gains": gain_definition, "gold": gold_measure, "measure": one, "with": other,
                "cases": cases,
                "measure agrees": counts.first / cases if cases else float("nan"),
                "with agrees": counts.second / cases if cases else float("nan"),
                "measure strictly": counts.first_strict, "with strictly": counts.second_strict,
                "p": counts.p,
            }
        )  # fmt: skip
    return rows


def swap_figure(
    table: pd.DataFrame, rate: float, y_label: str = "swap rate", *, width: FigureWidth = "page"
) -> Figure:
    """Swap rates by the size of the difference (the lower end of a bin), and the rate wanted."""
    last = float(table["difference"].max())

    def finish(layout: FigureLayout, panel: Axes, points: pd.DataFrame) -> None:
        layout.draw_named_level(panel, rate, f"{rate:.0%}")
        ticks = [last * quarter / 4 for quarter in range(5)]
        texts = [f"{tick:.2f}" for tick in ticks[:-1]] + [f"{last:.2f}+"]
        layout.number_ticks(panel, "x", ticks, texts)
        panel.set_xlim(-0.05 * last, 1.05 * last)
        panel.set_ylim(bottom=-0.01)
        panel.set_xlabel("difference of the means (lower end of a bin)")
        panel.set_ylabel(y_label)

    return measure_lines_by_gains_figure(table.dropna(), "difference", "rate", finish, width=width)


def stability_figure(table: pd.DataFrame, *, width: FigureWidth = "page") -> Figure:
    """Error rate against ties as the fuzziness grows, a line for each measure."""

    def finish(layout: FigureLayout, panel: Axes, points: pd.DataFrame) -> None:
        panel.set_ylim(bottom=0)
        panel.set_xlabel("proportion of ties")
        panel.set_ylabel("error rate (minority)")

    return measure_lines_by_gains_figure(table, "ties", "error rate", finish, width=width)
