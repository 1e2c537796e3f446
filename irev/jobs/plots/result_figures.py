"""Figures of what Python holds: of the scores of runs, and what is drawn of comparisons alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.displayed import import_attribute
from irev.core.option_records import did_you_mean
from irev.core.text import escape_non_utf8, natural_sort_key
from irev.core.wording import count_text
from irev.engine.join_scores import replace_run_info, scored_run_table
from irev.errors import UsageError
from irev.jobs.plots.style import (
    COLOURS,
    MOST_MEASURES,
    add_legend,
    drawn_label,
    figure_width,
    new_panels,
    plot_style,
    set_topic_axis,
)
from irev.scores.scores import Scores
from irev.statistics.correction_methods import CORRECTIONS
from irev.statistics.differences import scale_of, zero_noise
from irev.statistics.letters import letter_groups_of_places
from irev.statistics.methods import TESTS
from irev.statistics.ranks_and_signs import critical_difference, mean_ranks

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.arrays import PairMask, TopicValues
    from irev.jobs.compare.comparison import Comparison
    from irev.jobs.compare.contrasts import Contrast
    from irev.scores.table import ScoreTable


KINDS = ("per-topic", "median", "scatter", "cutoffs", "distribution")
"""The figures of scores alone: those of `irev.plots`."""


def result_figure(result: Any, kind: str, measures: object, options: Mapping[str, Any]) -> Figure:
    """A figure of the scores of a result.

    Args:
        result: `Scores`, `ScoreTable` or a `Comparison`.
        kind: one of `KINDS`; of a `Comparison` one of `COMPARISON_FIGURES` too.
        measures: what is drawn; none: all measures with values by topic.
        options: options of the kind.
    """
    is_comparison = hasattr(result, "contrasts")
    if is_comparison and kind in COMPARISON_FIGURES:
        return comparison_figure(result, kind)
    kinds = [*KINDS, *(COMPARISON_FIGURES if is_comparison else ())]
    if kind not in KINDS:
        hint = did_you_mean(kind, kinds) or f": {', '.join(kinds)}"
        raise UsageError(f"there is no figure '{kind}' of scores{hint}")
    table = result.table if is_comparison else result
    if isinstance(result, Scores):
        table = _one_run_table(result)
    name = kind.replace("-", "_")
    plot = import_attribute(f"irev.jobs.plots.{name}:{name}")(table, (), measures, **options)
    figure: Figure = plot.plot()
    return figure


def _one_run_table(scores: Scores) -> ScoreTable:
    """The table of one run, on the topics that its scores have."""
    table = scored_run_table(scores.run_name, scores.run_name, scores)
    return replace_run_info(table, missing=())


_MOST_PAIRS = 60
"""So many differences have room in a panel."""

_MOST_RANKED = 40
"""And so many runs by their mean ranks."""


def comparison_figure(comparison: Comparison, kind: str) -> Figure:
    """A figure of a comparison.

    Args:
        comparison: the comparison.
        kind: one of `COMPARISON_FIGURES`.
    """
    with plot_style():
        return COMPARISON_FIGURES[kind](comparison)


def _contrast_title(contrast: Contrast) -> str:
    of_class = f", {drawn_label(contrast.class_name)}" if contrast.class_name else ""
    return (
        f"{drawn_label(contrast.measure)}{of_class} ({count_text(len(contrast.topics), 'topic')})"
    )


def _check_num_panels(num_panels: int) -> None:
    if num_panels > MOST_MEASURES:
        raise UsageError(
            f"a figure has room for {MOST_MEASURES} panels, not {num_panels}: name fewer measures, "
            "or a --baseline"
        )


def _is_significant(comparison: Comparison, contrast: Contrast) -> PairMask:
    return contrast.test_results[comparison.options.tests[0]].corrected <= comparison.options.alpha


# Differences with their intervals


def forest_figure(comparison: Comparison) -> Figure:
    """A panel for each measure, a line for each pair: its difference with the interval."""
    pairs = max(len(contrast.run_pairs) for contrast in comparison.contrasts)
    _check_num_panels(len(comparison.contrasts))
    if pairs > _MOST_PAIRS:
        raise UsageError(
            f"a forest plot has room for {_MOST_PAIRS} pairs, not {pairs}: name a --baseline"
        )
    figure, axes = new_panels(
        len(comparison.contrasts), width=5.4, height=1.3 + 0.24 * pairs, max_columns=2
    )
    for panel, contrast in zip(axes, comparison.contrasts, strict=True):
        _draw_forest(panel, comparison, contrast)
    test, options = TESTS[comparison.options.tests[0]], comparison.options
    correction_text = "" if test.simultaneous else f", {CORRECTIONS[options.correction].title}"
    handles = [_legend_mark(COLOURS[0], "o", filled) for filled in (True, False)]
    names = [f"p ≤ {options.alpha:g}, {test.phrase}{correction_text}", "not significant"]
    if comparison.options.margin is not None:
        from matplotlib.patches import Patch

        handles.append(Patch(color=_BAND))
        names.append(f"within the margin of {comparison.options.margin:g}")
    add_legend(figure, handles, names)
    title = _intervals_text(comparison)
    if CORRECTIONS[options.correction].steps_down and any(
        _has_significant_zero(comparison, contrast) for contrast in comparison.contrasts
    ):
        phrase = CORRECTIONS[options.correction].phrase
        title += f"\n{phrase} steps down: it may find a difference whose interval contains 0"
    figure.suptitle(title, fontsize=9)
    return figure


def _has_significant_zero(comparison: Comparison, contrast: Contrast) -> bool:
    """Whether an interval holds 0 though its pair is significant."""
    low, high = contrast.difference_intervals.low, contrast.difference_intervals.high
    return bool((_is_significant(comparison, contrast) & (low <= 0) & (high >= 0)).any())


_BAND = "#E8E8E8"


def _legend_mark(colour: str, marker: str, is_filled: bool) -> Any:
    from matplotlib.lines import Line2D

    face_colour = colour if is_filled else "white"
    return Line2D(
        [],
        [],
        color=colour,
        marker=marker,
        markerfacecolor=face_colour,
        markersize=5,
        linewidth=1.2,
    )


def _intervals_text(comparison: Comparison) -> str:
    level = f"{100 * (1 - comparison.options.alpha):.6g}%"
    together = "each by itself"
    if comparison.options.interval_correction == "test":
        together = "simultaneous for all pairs of a measure"
    elif comparison.options.interval_correction == "bonferroni" and comparison.num_hypotheses > 1:
        together = f"simultaneous for all {comparison.num_hypotheses} (Bonferroni)"
    side = "" if comparison.options.tail == "two-sided" else "one-sided "
    return f"Mean differences with {level} {side}intervals, {together}"


def _draw_forest(panel: Axes, comparison: Comparison, contrast: Contrast) -> None:
    names, pairs = comparison.table.run_names, contrast.run_pairs
    mean = contrast.paired.mean
    low, high = contrast.difference_intervals.low, contrast.difference_intervals.high
    ends = np.concatenate([mean, low[np.isfinite(low)], high[np.isfinite(high)], [0.0]])
    room = 0.06 * (float(ends.max() - ends.min()) or 1.0)
    left, right = float(ends.min()) - room, float(ends.max()) + room
    margin = comparison.options.margin
    if margin is not None:
        left, right = min(left, -margin - room), max(right, margin + room)
        panel.axvspan(-margin, margin, color=_BAND, zorder=0)
    panel.axvline(0.0, color="#555555", linewidth=0.8, zorder=1)
    positions = np.arange(len(pairs))
    # an interval without an end goes on to the edge
    panel.hlines(
        positions, np.maximum(low, left), np.minimum(high, right), color=COLOURS[0], linewidth=1.2
    )
    for is_filled in (True, False):
        is_drawn = _is_significant(comparison, contrast) == is_filled
        panel.plot(
            mean[is_drawn], positions[is_drawn], linestyle="none", marker="o", markersize=5,
            color=COLOURS[0], markerfacecolor=COLOURS[0] if is_filled else "white",
        )  # fmt: skip
    pair_labels = [
        f"{drawn_label(names[first])} − {drawn_label(names[second])}"
        for first, second in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    ]
    panel.set_yticks(positions, pair_labels, fontsize=7 if len(pair_labels) > 10 else 8)
    panel.set_ylim(len(pair_labels) - 0.4, -0.6)
    panel.set_xlim(left, right)
    panel.grid(visible=False, axis="y")
    panel.set_title(_contrast_title(contrast))
    panel.set_xlabel("difference" + (" (lower is better)" if contrast.lower_is_better else ""))


# Differences by topic


def topic_differences_figure(comparison: Comparison) -> Figure:
    """A panel for each measure and pair, a bar for each topic in natural order."""
    num_panels = sum(len(contrast.run_pairs) for contrast in comparison.contrasts)
    _check_num_panels(num_panels)
    num_topics = max(len(contrast.topics) for contrast in comparison.contrasts)
    figure, axes = new_panels(num_panels, width=figure_width(num_topics), height=2.5, max_columns=1)
    panels_left = iter(axes)
    for contrast in comparison.contrasts:
        scores = comparison.table.scores(contrast.measure)[contrast.topic_mask]
        differences = zero_noise(contrast.run_pairs.differences(scores), scale_of(scores))
        low, high = min(float(differences.min()), 0.0), max(float(differences.max()), 0.0)
        room = 0.06 * (high - low or 1.0)
        for pair_index in range(len(contrast.run_pairs)):
            panel = next(panels_left)
            _draw_topic_bars(panel, comparison, contrast, pair_index, differences[:, pair_index])
            # of one measure bars of one height are one difference
            panel.set_ylim(low - room, high + room)
    return figure


def _draw_topic_bars(
    panel: Axes,
    comparison: Comparison,
    contrast: Contrast,
    pair_index: int,
    differences: TopicValues,
) -> None:
    names = comparison.table.run_names
    first, second = (
        int(contrast.run_pairs.first[pair_index]),
        int(contrast.run_pairs.second[pair_index]),
    )
    topic_names = [escape_non_utf8(topic) for topic in contrast.topics]
    order = sorted(range(len(topic_names)), key=lambda index: natural_sort_key(topic_names[index]))
    values = differences[order]
    is_gain = values < 0 if contrast.lower_is_better else values > 0
    colours = [COLOURS[0] if gain else COLOURS[1] for gain in is_gain]
    panel.bar(np.arange(len(values)), values, 0.75, color=colours)
    panel.axhline(0.0, color="black", linewidth=0.8)
    panel.axhline(
        float(contrast.paired.mean[pair_index]), color="#555555", linewidth=0.9, linestyle="--"
    )
    set_topic_axis(panel, [topic_names[index] for index in order])
    signs = contrast.signs
    won, tied, lost = signs.wins[pair_index], signs.ties[pair_index], signs.losses[pair_index]
    panel.set_title(
        f"{drawn_label(names[first])} − {drawn_label(names[second])}, {_contrast_title(contrast)}: "
        f"{won} won, {tied} tied, {lost} lost; dashed: the mean", fontsize=8,
    )  # fmt: skip
    lower = "\n(lower is better)" if contrast.lower_is_better else ""
    panel.set_ylabel(f"difference{lower}")


# Mean ranks with critical differences


_CAVEAT = (
    "Nemenyi's test compares mean ranks, not means: a run can have the best mean rank and not the "
    "best mean.\nWhether two runs differ depends on which other runs are shown."
)


def mean_ranks_figure(comparison: Comparison) -> Figure:
    """A panel for each measure: the mean ranks of runs; bars join those that do not differ."""
    num_runs = len(comparison.table.runs)
    _check_num_panels(len(comparison.contrasts))
    if not 3 <= num_runs <= _MOST_RANKED:
        raise UsageError(f"mean ranks can be drawn for 3 to {_MOST_RANKED} runs, not {num_runs}")
    half = -(-num_runs // 2)
    figure, axes = new_panels(
        len(comparison.contrasts), width=6.4, height=1.5 + 0.26 * half, max_columns=2
    )
    for panel, contrast in zip(axes, comparison.contrasts, strict=True):
        _draw_mean_ranks(panel, comparison, contrast)
    figure.supxlabel(_CAVEAT, fontsize=7)
    return figure


def _draw_mean_ranks(panel: Axes, comparison: Comparison, contrast: Contrast) -> None:
    scores = comparison.table.scores(contrast.measure)[contrast.topic_mask]
    mean = mean_ranks(-scores if contrast.lower_is_better else scores)
    num_runs, num_topics = len(mean), len(scores)
    critical = critical_difference(num_runs, num_topics, comparison.options.alpha)
    order = np.argsort(mean, kind="stable")
    differ = np.abs(mean[:, None] - mean[None, :]) >= critical
    joined_ranks = [
        (float(mean[order[group[0]]]), float(mean[order[group[-1]]]))
        for group in letter_groups_of_places(differ, order)
        if len(group) > 1
    ]
    level = 0.28 + 0.16 * len(joined_ranks)
    half = -(-num_runs // 2)
    panel.plot([1, num_runs], [0, 0], color="black", linewidth=1)
    for tick in range(1, num_runs + 1):
        panel.plot([tick, tick], [0, 0.1], color="black", linewidth=0.8)
        if num_runs <= 20 or tick in (1, num_runs) or tick % 5 == 0:
            panel.text(tick, 0.16, str(tick), ha="center", va="bottom", fontsize=7)
    for bar_index, (left, right) in enumerate(joined_ranks):
        below = -0.14 - 0.16 * bar_index
        panel.plot([left - 0.03, right + 0.03], [below, below], color=COLOURS[0], linewidth=3)
    room = 0.05 * (num_runs - 1)
    for place, run_index in enumerate(order.tolist()):
        is_left = place < half
        row = place if is_left else num_runs - 1 - place
        below = -level - 0.3 * row
        edge = 1 - room if is_left else num_runs + room
        panel.plot(
            [mean[run_index], mean[run_index], edge],
            [0, below, below],
            color="#666666",
            linewidth=0.8,
        )
        side = "right" if is_left else "left"
        text = f"{drawn_label(comparison.table.run_names[run_index])} ({mean[run_index]:.2f})"
        panel.text(edge + (-room / 4 if is_left else room / 4), below, text, ha=side, va="center",
                   fontsize=7.5)  # fmt: skip
    panel.plot([1, 1 + critical], [0.62, 0.62], color="black", linewidth=2)
    panel.text(
        1, 0.7, f"critical difference {critical:.2f} (Nemenyi, alpha {comparison.options.alpha:g})",
        va="bottom", fontsize=7,
    )  # fmt: skip
    panel.set_ylim(-level - 0.3 * half, 1.05)
    panel.set_xlim(1 - 0.55 * (num_runs - 1), num_runs + 0.55 * (num_runs - 1))
    panel.axis("off")
    panel.set_title(f"{_contrast_title(contrast)}: mean rank, 1 is best", fontsize=9)


COMPARISON_FIGURES: dict[str, Callable[[Comparison], Figure]] = {
    "forest": forest_figure,
    "topics": topic_differences_figure,
    "ranks": mean_ranks_figure,
}
"""Kind -> what draws it of a comparison."""
