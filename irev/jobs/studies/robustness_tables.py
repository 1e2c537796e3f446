"""Tables and figures of runs under samples of their judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import mean_of
from irev.core.record import record
from irev.jobs.plots.layout import FigureLayout
from irev.jobs.plots.result_parts import run_names
from irev.jobs.plots.style import COLOURS, drawn_label, plot_style, series_style
from irev.scores.table import ScoreTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.displayed import FigureWidth
    from irev.jobs.sample.estimates import SampleAgreement, SampledScores
    from irev.scores.table import RunInfo

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


def all_tables(sampled_runs: SampledRuns) -> dict[str, pd.DataFrame]:
    """The tables of runs under samples of the judgments; `scatter` may be empty."""
    grid = curves(sampled_runs, tuple(STATISTICS))
    return {
        "agreement": _agreement(sampled_runs),
        "samples": samples(sampled_runs),
        "estimates": estimates_of_every_sample(sampled_runs),
        "grid": grid,
        "curves": grid[grid["statistic"] != "mean"].reset_index(drop=True),
        "scatter": _scatter_of_typical_samples(sampled_runs),
    }


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
    return _with_rate(pd.DataFrame(rows))


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
    return _with_rate(pd.DataFrame(rows, columns=names))


def samples(sampled_runs: SampledRuns) -> pd.DataFrame:
    """Every sample."""
    import pandas as pd

    repeat, agreement = sampled_runs.results[0].repeat, sampled_runs.agreement
    rows = [
        (
            measure, percentage, sample + 1,
            *(float(getattr(agreement, s)[design, sample, column]) for s in STATISTICS),
        )
        for column, measure in enumerate(sampled_runs.measures)
        for design, percentage in enumerate(sampled_runs.rates)
        for sample in range(repeat)
    ]  # fmt: skip
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
            facts = (float(about.tau[place]), float(about.rho[place]), float(about.rms[place]))
            for name, each in zip(names, sampled_runs.results, strict=True):
                values = (float(each.aims[column]), float(each.values[place]))
                rows.append((measure, target, percentage, sample + 1, *facts, name, *values))
    columns = [
        "measure", "against", "rate", "sample", "tau", "rho", "rms", "run", "actual", "estimate",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def _with_rate(table: pd.DataFrame) -> pd.DataFrame:
    table.attrs["forms"] = {"rate": "g"}
    return table


STATISTICS = {
    "tau": "Kendall's τ",
    "rho": "Pearson's ρ",
    "rms": "RMS error",
    "mean": "mean over runs",
}
"""What is drawn of each measure, and what the axes say."""

BAND = "min to max"
_FAR = 10
"""Where the highest rate is so many times the lowest, the axis is logarithmic."""

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
            len(names) * len(statistics), width=width, height=1.6, panel_width=1.3,
            max_columns=len(names), group_size=len(names),
        )  # fmt: skip
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
            len(others) * len(statistics), width=width, height=1.5, panel_width=1.4,
            max_columns=len(statistics), group_size=len(statistics),
        )  # fmt: skip
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
            line["rate"], line["lowest"], line["highest"], color=look["color"], alpha=0.13,
            linewidth=0,
        )  # fmt: skip
    rates = sorted(set(points["rate"]))
    if points["mean"].isna().all():
        panel.text(0.5, 0.5, "not defined", transform=panel.transAxes, ha="center", va="center")
        panel.set(xlim=(0.9 * rates[0], 1.1 * rates[-1]))
        layout.name_ticks(panel, "y", [], [])
    if rates[-1] >= _FAR * rates[0]:
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
            len(measures) * len(rates), width=width, height=None, panel_width=1.5,
            group_size=len(rates),
        )  # fmt: skip
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
        points["actual"], points["estimate"], linestyle="none", marker="o", markersize=3.0,
        color=COLOURS[0], markeredgecolor="white", markeredgewidth=0.4,
    )  # fmt: skip
    first = points.iloc[0]
    panel.set(
        xlim=(low - margin, high + margin), ylim=(low - margin, high + margin),
        xlabel=f"mean {drawn_label(first['against'])}, all judgments",
    )  # fmt: skip
    panel.set_title(
        f"{drawn_label(first['measure'])}, {first['rate']:g} %, sample {first['sample']}\n"
        f"RMS {first['rms']:.3f}   τ {_number(first['tau'])}   ρ {_number(first['rho'])}"
    )


def _number(value: float) -> str:
    """A correlation; a dash where it is not defined."""
    return f"{value:.3f}" if value == value else "–"
