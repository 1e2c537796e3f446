"""Tables of runs under samples of their judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import mean_of
from irev.core.matrices import Matrices
from irev.plots.robustness import STATISTICS
from irev.plots.runs import run_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from irev.core.matrices import Entry
    from irev.sampling.agreement import SampleAgreement
    from irev.sampling.results import SampledScores

SCATTERED = (30.0, 10.0, 5.0)
"""The rates, in percent, whose scatter plots are drawn, where they are among those asked for."""


@dataclass(frozen=True, eq=False, repr=False)
class SampledRuns:
    """N runs under the samples of one kind, in the order of their names.

    rates  float64 numbers in percent, one for each design
    """

    entries: tuple[Entry, ...]
    results: tuple[SampledScores, ...]
    rates: tuple[float, ...]
    agreement: SampleAgreement

    @property
    def measures(self) -> list[str]:
        """The printed names of the C measures."""
        first = self.results[0]
        return [first.name(column) for column in range(len(first.shown))]

    @property
    def targets(self) -> list[str]:
        """For each measure the name of what it is compared with."""
        first = self.results[0]
        return [first.target(column) for column in range(len(first.shown))]

    @property
    def matrices(self) -> Matrices:
        """The scores under all judgments."""
        full = self.results[0].full
        shown = list(dict.fromkeys([*self.results[0].shown, *self.results[0].targets]))
        values = np.stack([each.full.values[:, shown].T for each in self.results], axis=2)
        columns = tuple(full.columns[column] for column in shown)
        return Matrices(full.topics, self.entries, columns, values)


def all_tables(found: SampledRuns) -> dict[str, pd.DataFrame]:
    """The tables of runs under samples of the judgments; `scatter` may be empty."""
    grid = curves(found, tuple(STATISTICS))
    return {
        "agreement": _agreement(found),
        "samples": samples(found),
        "estimates": estimates(found),
        "grid": grid,
        "curves": grid[grid["statistic"] != "mean"].reset_index(drop=True),
        "scatter": _scatter(found),
    }


def _agreement(found: SampledRuns) -> pd.DataFrame:
    """A line for each measure and rate: means and standard deviations over the samples."""
    import pandas as pd

    rows = []
    for column, (measure, target) in enumerate(zip(found.measures, found.targets, strict=True)):
        for design, percentage in enumerate(found.rates):
            row: dict[str, Any] = {"measure": measure, "against": target, "rate": percentage}
            for statistic in STATISTICS:
                values = getattr(found.agreement, statistic)[design, :, column]
                row[statistic] = mean_of(values)
                row[f"{statistic} sd"] = (
                    float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
                )
            rows.append(row)
    return _with_rate(pd.DataFrame(rows))


def curves(found: SampledRuns, statistics: Sequence[str]) -> pd.DataFrame:
    """For each statistic, measure and rate the mean and the extremes over the samples."""
    import pandas as pd

    rows = []
    for statistic in statistics:
        every = getattr(found.agreement, statistic)
        for column, measure in enumerate(found.measures):
            for design, percentage in enumerate(found.rates):
                values = every[design, :, column]
                mean = mean_of(values)
                extremes = float(values.min()), float(values.max())
                rows.append((statistic, measure, percentage, mean, *extremes))
    names = ["statistic", "measure", "rate", "mean", "lowest", "highest"]
    return _with_rate(pd.DataFrame(rows, columns=names))


def samples(found: SampledRuns) -> pd.DataFrame:
    """Every sample."""
    import pandas as pd

    repeat = found.results[0].repeat
    rows = [
        (
            measure, percentage, sample + 1,
            *(float(getattr(found.agreement, s)[design, sample, column]) for s in STATISTICS),
        )
        for column, measure in enumerate(found.measures)
        for design, percentage in enumerate(found.rates)
        for sample in range(repeat)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["measure", "rate", "sample", *STATISTICS])


def estimates(found: SampledRuns) -> pd.DataFrame:
    """Every run under every sample, beside what its estimate is compared with."""
    import pandas as pd

    designs, repeat, columns = found.results[0].values.shape
    cells = columns * designs * repeat
    runs = len(found.results)
    every = np.stack([each.values for each in found.results])  # N x D x B x C
    actual = np.stack([each.aims for each in found.results])  # N x C
    return pd.DataFrame(
        {
            "run": np.repeat(_named(found), cells),
            "measure": np.tile(np.repeat(found.measures, designs * repeat), runs),
            "rate": np.tile(np.repeat(found.rates, repeat), runs * columns),
            "sample": np.tile(np.arange(1, repeat + 1), runs * columns * designs),
            "estimate": every.transpose(0, 3, 1, 2).ravel(),
            "actual": np.repeat(actual.ravel(), designs * repeat),
        }
    )


def _scatter(found: SampledRuns) -> pd.DataFrame:
    """The runs under the sample whose RMS is nearest to the mean RMS of its rate."""
    import pandas as pd

    rows = []
    names, about = _named(found), found.agreement
    for column, (measure, target) in enumerate(zip(found.measures, found.targets, strict=True)):
        for percentage in SCATTERED:
            if percentage not in found.rates:
                continue
            design = found.rates.index(percentage)
            rms = about.rms[design, :, column]
            sample = int(np.argmin(np.abs(rms - mean_of(rms))))
            place = (design, sample, column)
            facts = (float(about.tau[place]), float(about.rho[place]), float(about.rms[place]))
            for name, each in zip(names, found.results, strict=True):
                values = (float(each.aims[column]), float(each.values[place]))
                rows.append((measure, target, percentage, sample + 1, *facts, name, *values))
    columns = [
        "measure", "against", "rate", "sample", "tau", "rho", "rms", "run", "actual", "estimate",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def _with_rate(table: pd.DataFrame) -> pd.DataFrame:
    table.attrs["forms"] = {"rate": "g"}
    return table


def _named(found: SampledRuns) -> list[str]:
    return run_names(found.matrices)
