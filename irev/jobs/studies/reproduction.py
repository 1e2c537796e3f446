"""How well an experiment was reproduced: an advanced run against a baseline, then and now.

T. Breuer et al., SIGIR 2020, "How to measure the reproducibility of system-oriented IR
experiments".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.record import record
from irev.errors import MismatchError, UsageError
from irev.jobs.plots.outcome import MISSING
from irev.jobs.plots.style import label, legend_of, new_figure, series, style
from irev.jobs.studies.overlap import overlap
from irev.jobs.studies.plans import Reproduced
from irev.jobs.study_result import StudyResult
from irev.measures.naming.result_columns import column_positions
from irev.statistics.decisions import equivalence
from irev.statistics.differences import every_pair
from irev.statistics.draws import topic_draws
from irev.statistics.reproduction import closeness, effect_ratio_interval, effects
from irev.statistics.t_tests import paired_t, unpaired_t

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from irev.core.arrays import Floats, Ints
    from irev.core.model import Input
    from irev.errors import Told
    from irev.options import Options
    from irev.scores.table import ScoreTable

NAME = "reproduction"
ROLES = ("baseline", "advanced")

_FUHR = "relative improvements of means are no effect sizes (Fuhr 2017): see the effect ratio first"
_NOT_EQUAL = "a large p does not show that scores are equal: --margin tests that"


@record
class Experiment:
    """The scores of a baseline and an advanced run on the same topics.

    table  with at least these two runs
    baseline, advanced  their numbers
    """

    table: ScoreTable
    baseline: int
    advanced: int

    def scores(self, measure: str) -> tuple[Floats, Floats]:
        """float64[T] twice: the baseline's and the advanced run's."""
        both = self.table.contributions(measure)
        return both[:, self.baseline], both[:, self.advanced]


def reproduction(
    original: Experiment,
    new: Experiment,
    how: Reproduced | None = None,
    *,
    parameters: dict[str, Any] | None = None,
    notes: Sequence[Told] = (),
) -> StudyResult:
    """Effect ratio, relative improvements, and how close the runs' scores are.

    Where both experiments have the same topics it is a reproduction: RMSE, nRMSE and the paired t
    test set the scores of a run against those of its original. Otherwise it is a replication, with
    the unpaired t test, and without the others.

    Returns:
        Tables `effects` (for each measure ER, its interval, RI, RI' and DeltaRI; drawn) and
        `closeness` (for each measure and run).

    Source: Breuer et al., SIGIR 2020, section 3.
    """
    import pandas as pd

    how = how or Reproduced()
    columns = original.table.columns
    places = column_positions(columns, new.table.columns)
    every = [
        (column.name, original.scores(column.name), new.scores(new.table.columns[at].name))
        for column, at in zip(columns, places, strict=True)
        if at is not None
    ]
    if not every:
        raise MismatchError("the two experiments have no measure in common")
    is_reproduction = original.table.topics == new.table.topics
    if how.margin is not None and not is_reproduction:
        raise UsageError("a margin needs both experiments on the same topics")
    if how.welch and is_reproduction:
        raise UsageError("Welch's test is for experiments on different topics")
    samples = _samples(original, new, how, is_reproduction)
    table = pd.DataFrame([_effects(*each, samples, how) for each in every])
    close = _closeness if is_reproduction else _unpaired
    tables = {
        "effects": table,
        "closeness": pd.DataFrame(
            [
                {"measure": name, "run": role, **close(then[place], now[place], how)}
                for name, then, now in every
                for place, role in enumerate(ROLES)
            ]
        ),
    }
    shown = ("effects", "closeness")
    return StudyResult(
        NAME,
        {
            "resamples": how.resamples, "seed": how.seed, "alpha": how.alpha,
            "margin": how.margin, "welch": how.welch, "same topics": is_reproduction,
            **(parameters or {}),
        },
        tables, shown, {"effects": partial(effects_figure, table)},
        (*notes, *_notes(original, new, how, is_reproduction)),
    )  # fmt: skip


def with_overlap(
    outcome: StudyResult, runs: Mapping[str, tuple[Input, Input]], p: float = 0.9,
    options: Options | None = None,
) -> StudyResult:  # fmt: skip
    """The same with how alike the runs rank documents, by RBO, then and now.

    `runs`: `baseline` and `advanced`: the original run and the new one. `p`: the persistence of
    RBO, of which a ranking has 1 with itself (ties `b`). `options`: how the runs are read.

    Returns:
        Also tables `overlap` (the means) and `overlap-topics`.
    """
    import pandas as pd

    means: list[pd.DataFrame] = []
    topics: list[pd.DataFrame] = []
    for role, (then, now) in runs.items():
        found = overlap(then, now, p=p, ties="b", options=options)
        for name, into in (("mean", means), ("overlap", topics)):
            table = found.tables[name].copy()
            table.insert(0, "run", role)
            into.append(table)
    tables = {
        **outcome.tables,
        "overlap": pd.concat(means, ignore_index=True),
        "overlap-topics": pd.concat(topics, ignore_index=True),
    }
    notes = (*outcome.remarks, f"overlap: RBO, extrapolated (ext), p={p:g}, ties=b")
    return replace(
        outcome, tables=tables, shown=(*outcome.shown, "overlap"), remarks=notes,
        parameters={**outcome.parameters, "p": p},
    )  # fmt: skip


def _samples(
    original: Experiment, new: Experiment, how: Reproduced, is_same: bool
) -> tuple[Ints, Ints]:
    """The topics of each sample, for either experiment; the same ones for the same topics."""
    then = topic_draws(how.seed, how.resamples, len(original.table.topics))
    if is_same:
        return then, then
    return then, topic_draws(how.seed, how.resamples, len(new.table.topics))


def _effects(
    measure: str,
    then: tuple[Floats, Floats],
    now: tuple[Floats, Floats],
    samples: tuple[Ints, Ints],
    how: Reproduced,
) -> dict[str, Any]:
    found = effects(*then, *now)
    interval = effect_ratio_interval(then[1] - then[0], now[1] - now[0], samples, (1 - how.alpha))
    return {
        "measure": measure,
        "ER": found.effect_ratio,
        "ER low": interval.low,
        "ER high": interval.high,
        "RI": found.improvement,
        "RI'": found.new_improvement,
        "DeltaRI": found.delta_improvement,
        "samples defined": interval.num_defined,
    }


def _closeness(then: Floats, now: Floats, how: Reproduced) -> dict[str, Any]:
    found = closeness(then, now)
    facts: dict[str, Any] = {
        "difference": found.difference, "RMSE": found.rmse, "nRMSE": found.nrmse, "p": found.p,
    }  # fmt: skip
    if how.margin is not None:
        both, pair = np.column_stack((now, then)), every_pair(2)
        equal, reach = equivalence(both, pair, how.margin), paired_t(both, pair, level=0.9)
        facts |= {
            "p equal": float(equal.p_equal[0]),
            "low 90%": float(reach.low[0]), "high 90%": float(reach.high[0]),
        }  # fmt: skip
    return facts


def _unpaired(then: Floats, now: Floats, how: Reproduced) -> dict[str, Any]:
    found = unpaired_t(now, then, welch=how.welch, alpha=how.alpha)
    return {"difference": found.difference, "low": found.low, "high": found.high, "p": found.p}


def _notes(
    original: Experiment, new: Experiment, how: Reproduced, is_reproduction: bool
) -> list[str]:
    topics = len(original.table.topics)
    if is_reproduction:
        about = f"the same {topics} topics: a reproduction; p of the paired t test, two-sided"
    else:
        test = "Welch's t" if how.welch else "the unpaired t"
        about = (
            f"{topics} topics then and {len(new.table.topics)} others now: a replication; p of "
            f"{test} test, two-sided"
        )
    found = [
        f"{about}, not corrected; {MISSING}",
        f"ER: {100 * (1 - how.alpha):g}% percentile interval of {how.resamples} samples of the "
        f"topics, seed {how.seed}; a perfect reproduction has ER 1 and DeltaRI 0",
        _FUHR,
    ]
    if is_reproduction:
        found.append(
            _NOT_EQUAL
            if how.margin is None
            else f"p equal: two one-sided t tests, differences up to {how.margin:g} are equal"
        )
    return found


def effects_figure(table: pd.DataFrame) -> Figure:
    """The difference of relative improvements against the effect ratio, a point for each measure.

    Where the lines at 1 and 0 cross, the reproduction is perfect; what is NaN is not drawn.
    """
    with style():
        figure, (axes,) = new_figure(width=4.8, height=3.8)
        axes.axvline(1.0, color="#777777", linewidth=0.8, zorder=1)
        axes.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
        names = list(table["measure"])
        ratio, apart = table["ER"].to_numpy(), table["DeltaRI"].to_numpy()
        low, high = table["ER low"].to_numpy(), table["ER high"].to_numpy()
        for number, name in enumerate(names):
            reach = np.array([[ratio[number] - low[number]], [high[number] - ratio[number]]])
            look = {**series(number), "linestyle": "none"}
            axes.errorbar(
                ratio[number : number + 1], apart[number : number + 1],
                xerr=np.maximum(reach, 0.0), label=label(str(name)), capsize=3.0, elinewidth=1.0,
                **look,
            )  # fmt: skip
        axes.set_xlabel("effect ratio (ER)")
        axes.set_ylabel("difference of relative improvements (DeltaRI)")
        axes.margins(0.1)
        legend_of(figure, axes)
    return figure
