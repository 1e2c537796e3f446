"""Figures of results that Python holds, and those of comparisons alone.

Of a comparison: differences with their intervals, differences by topic, and mean ranks with
critical differences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Bools, Floats, Ints, PairMask
from irev.core.job import FigureWidth, import_attribute
from irev.core.option_records import did_you_mean
from irev.core.text import count_text, escape_non_utf8, natural_sort_key
from irev.engine.join_scores import replace_run_info, scored_run_table
from irev.errors import UsageError
from irev.jobs.compare.comparison import Contrast, tests_done
from irev.jobs.plots.layout import (
    COLOURS,
    MOST_MEASURES,
    ROW_HEIGHT,
    SIZES,
    FigureLayout,
    drawn_label,
    fit_names,
    plot_style,
    short_labels,
)
from irev.jobs.plots.plot import (
    LACKS_TOPIC,
    MOST_TOLD_APART,
    draw_topic_differences,
    missing_key,
    missing_topics,
    name_topics,
    run_names,
    run_rows_layout,
    topic_rows,
)
from irev.scores.scores import Scores
from irev.statistics.differences import scale_of, zero_noise
from irev.statistics.intervals import EXACT_WHERE_SAME
from irev.statistics.methods import CORRECTIONS, TESTS, tests_done_text
from irev.statistics.significance_tests import critical_difference, mean_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.jobs.compare.comparison import Comparison


KINDS = ("per-topic", "median", "scatter", "cutoffs", "distribution")
"""The figures of scores alone: those of `irev.plots`."""


def result_figure(
    result: Any,
    kind: str,
    measures: object,
    options: Mapping[str, Any],
    *,
    width: FigureWidth = "page",
) -> Figure:
    """A figure of the scores of a result.

    Args:
        result: `Scores`, `ScoreTable` or a `Comparison`.
        kind: one of `KINDS`; of a `Comparison` one of `COMPARISON_FIGURES` too.
        measures: what is drawn; none: all measures with values by topic.
        options: options of the kind.
        width: of the figure.
    """
    is_comparison = hasattr(result, "contrasts")
    if is_comparison and kind in COMPARISON_FIGURES:
        return comparison_figure(result, kind, width=width)
    kinds = [*KINDS, *(COMPARISON_FIGURES if is_comparison else ())]
    if kind not in KINDS:
        hint = did_you_mean(kind, kinds) or f": {', '.join(kinds)}"
        raise UsageError(f"there is no figure '{kind}' of scores{hint}")
    table = result.table if is_comparison else result
    if is_comparison and kind in ("per-topic", "cutoffs") and "highlight" not in options:
        # where there are too many runs for all, the best and the baselines are told apart
        told_apart: dict[str, None] = {}
        if len(table.runs) > MOST_TOLD_APART:
            told_apart[table.run_names[int(np.argmax(table.merit(table.measure_names[0])))]] = None
            for baseline in result.options.baselines:
                told_apart[table.run_names[table.run_index(baseline)]] = None
        options = {**options, "highlight": list(told_apart)[:MOST_TOLD_APART]}
    if isinstance(result, Scores):
        # of one run, on the topics that its scores have
        table = scored_run_table(result.run_name, result.run_name, result)
        table = replace_run_info(table, missing=())
    name = kind.replace("-", "_")
    plot = import_attribute(f"irev.plots:{name}")(table, (), measures, **options)
    figure: Figure = plot.plot(width=width)
    return figure


def comparison_figure(comparison: Comparison, kind: str, *, width: FigureWidth = "page") -> Figure:
    """A figure of a comparison.

    Args:
        comparison: the comparison.
        kind: one of `COMPARISON_FIGURES`.
        width: of the figure.
    """
    num_runs, options = len(comparison.table.runs), comparison.options
    refusal = room_refusal(kind, num_runs, len(options.baselines), len(comparison.contrasts))
    if refusal:
        raise UsageError(refusal)
    with plot_style(width):
        return COMPARISON_FIGURES[kind](comparison, width)


_MOST_PAIRS = 60
"""So many differences have room in a panel."""

_FEWEST_RANKED, _MOST_RANKED = 3, 100
"""And so many runs by their mean ranks."""


def room_refusal(kind: str, num_runs: int, num_baselines: int, num_measures: int = 1) -> str:
    """Why a figure of a comparison has no room for so much; empty if it has.

    It is asked before anything is computed.

    Args:
        kind: "forest", "topics" or "ranks".
        num_runs: runs that are compared.
        num_baselines: baselines among them; 0: all pairs are compared.
        num_measures: measures, for each class of topics.
    """
    others = num_runs - 1 if not num_baselines else num_runs - num_baselines
    pairs = num_runs * others // 2
    if num_baselines:
        pairs = num_baselines * others + num_baselines * (num_baselines - 1) // 2
    if kind == "ranks" and not _FEWEST_RANKED <= num_runs <= _MOST_RANKED:
        return (
            f"mean ranks can be drawn for {_FEWEST_RANKED} to {_MOST_RANKED} runs, not {num_runs}"
        )
    if kind == "forest" and pairs > _MOST_PAIRS:
        return f"a forest plot has room for {_MOST_PAIRS} pairs, not {pairs}: name a --baseline"
    num_panels = num_measures * pairs if kind == "topics" else num_measures
    if num_panels > MOST_MEASURES:
        return f"a figure has room for {MOST_MEASURES} panels, not {num_panels}: name fewer " + (
            "runs or measures, or a --baseline" if kind == "topics" else "measures"
        )
    return ""


_BAND = "#E8E8E8"


def forest_figure(comparison: Comparison, width: FigureWidth) -> Figure:
    """A panel for each measure, a line for each pair: its difference with the interval."""
    options, contrasts = comparison.options, comparison.contrasts
    pairs = _index_pairs(contrasts[0])
    labels, left_out = short_labels(run_names(comparison.table))
    short, from_baseline = list(labels.values()), ""
    if options.baselines and len({second for _, second in pairs}) == 1:
        # the one baseline of all rows stands below them
        row_names = [short[first] for first, _ in pairs]
        from_baseline = f" from {short[pairs[0][1]]}"
    else:
        size = SIZES[width]
        fitted = fit_names(short, size.text - 1, 0.19 * size.inches)
        row_names = [f"{fitted[first]} − {fitted[second]}" for first, second in pairs]
    layout = run_rows_layout(len(contrasts), row_names, width, panel_width=1.9)
    for panel, contrast in zip(layout.panels, contrasts, strict=True):
        _draw_forest(panel, comparison, contrast, pairs)
        panel.set_title(_contrast_title(comparison, contrast))
        lower = " (lower is better)" if contrast.lower_is_better else ""
        panel.set_xlabel(f"difference{from_baseline}{lower}")
    test = TESTS[options.tests[0]]
    test_text = tests_done_text(tests_done(contrasts, options.tests[0]), "phrase")
    correction_text = "" if test.simultaneous else f", {CORRECTIONS[options.correction].title}"
    layout.set_legend(
        _dot_keys(),
        [f"p ≤ {options.alpha:g}, {test_text}{correction_text}", "not significant"],
    )
    if options.margin is not None:
        from matplotlib.patches import Patch

        layout.add_legend_entry(Patch(color=_BAND), f"within the margin of {options.margin:g}")
    layout.add_sentence(f"{_intervals_text(comparison)}.")
    # whether an interval holds 0 though its pair is significant
    has_significant_zero = any(
        (
            _is_significant(comparison, each)
            & (each.difference_intervals.low <= 0)
            & (each.difference_intervals.high >= 0)
        ).any()
        for each in contrasts
    )
    if CORRECTIONS[options.correction].steps_down and has_significant_zero:
        layout.add_sentence(
            "Intervals are wider than the test needs, so that of a significant difference may "
            "contain 0."
        )
    layout.add_sentence(_topics_sentence(comparison))
    layout.add_sentence(left_out)
    return layout.finish()


def _draw_forest(
    panel: Axes, comparison: Comparison, contrast: Contrast, pairs: Sequence[tuple[int, int]]
) -> None:
    # another measure may have a pair the other way round
    index_of = {pair: index for index, pair in enumerate(_index_pairs(contrast))}
    is_turned = np.array([pair not in index_of for pair in pairs], dtype=bool)
    order = [index_of.get(pair, index_of.get(pair[::-1], 0)) for pair in pairs]
    low, high = contrast.difference_intervals.low[order], contrast.difference_intervals.high[order]
    low, high = np.where(is_turned, -high, low), np.where(is_turned, -low, high)
    mean = contrast.paired.mean[order]
    mean = np.where(is_turned, -mean, mean)
    margin = comparison.options.margin
    ends = np.concatenate([mean, low[np.isfinite(low)], high[np.isfinite(high)], [0.0]])
    room = 0.06 * (float(ends.max() - ends.min()) or 1.0)
    left, right = float(ends.min()) - room, float(ends.max()) + room
    if margin is not None:
        left, right = min(left, -margin - room), max(right, margin + room)
        panel.axvspan(-margin, margin, color=_BAND, zorder=0)
    panel.axvline(0.0, color="#555555", linewidth=0.8, zorder=1)
    positions = np.arange(len(mean))
    # an interval without an end goes on to the edge
    panel.hlines(
        positions, np.maximum(low, left), np.minimum(high, right), color=COLOURS[0], linewidth=1.2
    )
    _draw_dots(panel, mean, positions, _is_significant(comparison, contrast)[order])
    panel.set_xlim(left, right)


def _intervals_text(comparison: Comparison) -> str:
    level = f"{100 * (1 - comparison.options.alpha):.6g}%"
    together = "not simultaneous"
    if comparison.options.interval_correction == "test":
        together = "simultaneous for all pairs of a measure"
    elif comparison.options.interval_correction == "bonferroni" and comparison.num_hypotheses > 1:
        together = f"simultaneous for all {comparison.num_hypotheses} (Bonferroni)"
    side = "" if comparison.options.tail == "two-sided" else "one-sided "
    exact = any(each.difference_intervals.is_constant.any() for each in comparison.contrasts)
    return f"Mean differences with {level} {side}intervals, {together}{EXACT_WHERE_SAME * exact}"


def topic_differences_figure(comparison: Comparison, width: FigureWidth) -> Figure:
    """A panel for each measure and pair, a bar for each topic in natural order."""
    contrasts = comparison.contrasts
    labels, left_out = short_labels(run_names(comparison.table))
    short, num_pairs = list(labels.values()), sum(len(each.run_pairs) for each in contrasts)
    num_topics = max(len(contrast.topics) for contrast in contrasts)
    rows_of_topics = topic_rows(num_topics, 1, num_pairs, width)
    layout = FigureLayout(num_pairs * len(rows_of_topics), width=width, height=1.5, max_columns=1)
    panels, has_missing = iter(layout.panels), False
    missing = missing_topics(comparison.table)
    for contrast in contrasts:
        scores = comparison.table.scores(contrast.measure)[contrast.topic_mask]
        differences = zero_noise(contrast.run_pairs.differences(scores), scale_of(scores))
        low, high = min(float(differences.min()), 0.0), max(float(differences.max()), 0.0)
        room = 0.06 * (high - low or 1.0)
        topics = [escape_non_utf8(topic) for topic in contrast.topics]
        order = sorted(range(len(topics)), key=lambda index: natural_sort_key(topics[index]))
        for pair_index, pair in enumerate(_index_pairs(contrast)):
            pair_names = [list(labels)[run] for run in pair]
            for row, indices in enumerate(rows_of_topics):
                panel, some = next(panels), order[indices.start : indices.stop]
                names = [topics[index] for index in some]
                lacks = [any((run, topic) in missing for run in pair_names) for topic in names]
                has_missing |= any(lacks)
                draw_topic_differences(
                    panel,
                    differences[some, pair_index],
                    lacks,
                    is_lower_better=contrast.lower_is_better,
                )
                mean = float(contrast.paired.mean[pair_index])
                panel.axhline(mean, color="#555555", linewidth=0.9, linestyle="--")
                name_topics(layout, panel, names, len(rows_of_topics[0]))
                # of one measure bars of one height are one difference
                panel.set_ylim(low - room, high + room)
                panel.set_ylabel(
                    "difference" + (" (lower is better)" if contrast.lower_is_better else "")
                )
                if not row:
                    signs = contrast.signs
                    panel.set_title(
                        f"{short[pair[0]]} − {short[pair[1]]}, "
                        f"{_contrast_title(comparison, contrast)}: {signs.wins[pair_index]} won, "
                        f"{signs.ties[pair_index]} tied, {signs.losses[pair_index]} lost"
                    )
            panel.set_xlabel("topic")
    if has_missing:
        layout.set_legend([missing_key()], [f"a run {LACKS_TOPIC}"])
    layout.add_sentence(_topics_sentence(comparison))
    layout.add_sentence("Dashed: the mean.")
    layout.add_sentence(left_out)
    return layout.finish()


_CAVEAT = (
    "The test compares mean ranks, not means: a run can have the best mean rank and not the best "
    "mean. Whether two runs differ depends on which other runs are compared."
)


def mean_ranks_figure(comparison: Comparison, width: FigureWidth) -> Figure:
    """A panel for each measure: the mean ranks of runs with bars of half a critical difference."""
    contrasts = comparison.contrasts
    num_runs, alpha = len(comparison.table.runs), comparison.options.alpha
    labels, left_out = short_labels(run_names(comparison.table))
    layout = FigureLayout(len(contrasts), width=width, height=num_runs * ROW_HEIGHT, max_columns=1)
    criticals = []
    for panel, contrast in zip(layout.panels, contrasts, strict=True):
        critical = critical_difference(num_runs, len(contrast.topics), alpha)
        criticals.append(f"{critical:.2f}")
        _draw_mean_ranks(layout, panel, comparison, contrast, list(labels.values()), critical)
        panel.set_title(_contrast_title(comparison, contrast))
        panel.set_xlabel("mean rank (1 is best)")
    layout.set_legend(
        _dot_keys(),
        ["not significantly worse than the best", "significantly worse"],
    )
    layout.add_sentence(
        f"Critical difference {', '.join(dict.fromkeys(criticals))} (Nemenyi, alpha {alpha:g}): "
        "runs differ significantly if their bars, half of it to each side, do not overlap."
    )
    layout.add_sentence(_topics_sentence(comparison))
    layout.add_sentence(_CAVEAT)
    layout.add_sentence(left_out)
    return layout.finish()


def _draw_mean_ranks(
    layout: FigureLayout,
    panel: Axes,
    comparison: Comparison,
    contrast: Contrast,
    labels: Sequence[str],
    critical: float,
) -> None:
    scores = comparison.table.scores(contrast.measure)[contrast.topic_mask]
    mean = mean_ranks(-scores if contrast.lower_is_better else scores)
    order = np.argsort(mean, kind="stable")
    ranks, places = mean[order], np.arange(len(mean))
    is_worse = ranks - ranks[0] >= critical
    panel.axvspan(ranks[0] - critical / 2, ranks[0] + critical / 2, color=_BAND, zorder=0)
    panel.hlines(
        places, ranks - critical / 2, ranks + critical / 2, color=COLOURS[0], linewidth=1.2
    )
    _draw_dots(panel, ranks, places, ~is_worse)
    names = [f"{labels[run]} ({mean[run]:.2f})" for run in order.tolist()]
    layout.name_ticks(panel, "y", places.tolist(), names)
    layout.count_by(panel, "x")
    panel.set_ylim(len(mean) - 0.5, -0.5)
    panel.margins(x=0.02)


COMPARISON_FIGURES: Mapping[str, Callable[[Comparison, FigureWidth], Figure]] = {
    "forest": forest_figure,
    "topics": topic_differences_figure,
    "ranks": mean_ranks_figure,
}
"""Kind -> what draws it of a comparison."""


# --- What they share ---


def _contrast_title(comparison: Comparison, contrast: Contrast) -> str:
    """The measure, and the class of topics if there are several."""
    of_class = f", {drawn_label(contrast.class_name)}" if contrast.class_name else ""
    counts = {len(each.topics) for each in comparison.contrasts}
    of_topics = f" ({count_text(len(contrast.topics), 'topic')})" if len(counts) > 1 else ""
    return f"{drawn_label(contrast.measure)}{of_class}{of_topics}"


def _topics_sentence(comparison: Comparison) -> str:
    counts = {len(each.topics) for each in comparison.contrasts}
    return f"Over {count_text(counts.pop(), 'topic')}." if len(counts) == 1 else ""


def _index_pairs(contrast: Contrast) -> list[tuple[int, int]]:
    pairs = contrast.run_pairs
    return list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))


def _is_significant(comparison: Comparison, contrast: Contrast) -> PairMask:
    return contrast.test_results[comparison.options.tests[0]].corrected <= comparison.options.alpha


def _draw_dots(panel: Axes, x: Floats, y: Ints, is_filled: Bools) -> None:
    for face_colour, is_drawn in ((COLOURS[0], is_filled), ("white", ~is_filled)):
        panel.plot(
            x[is_drawn],
            y[is_drawn],
            linestyle="none",
            marker="o",
            markersize=4.5,
            color=COLOURS[0],
            markerfacecolor=face_colour,
        )


def _dot_keys() -> list[Any]:
    """The marks of the legend: a filled dot and an empty one."""
    from matplotlib.lines import Line2D

    look: dict[str, Any] = {"color": COLOURS[0], "marker": "o", "markersize": 4.5, "linewidth": 1.2}
    return [Line2D([], [], **look, markerfacecolor=face) for face in (COLOURS[0], "white")]
