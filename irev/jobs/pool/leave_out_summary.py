"""What the leave-out test of a pool says as a whole: which order of runs it gives, who is hurt."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irev.core.record import record
from irev.measures.naming.resolve import lower_is_better
from irev.statistics.correlation import tau_b
from irev.statistics.differences import NEAR, scale_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.arrays import Floats, RunValues
    from irev.core.judged import Column
    from irev.jobs.pool.leave_one_out import LeftOutRun


@record(eq=True)
class LeftOutPlace:
    """Where a run stands with all judgments, and without those that its group alone brought.

    place           among all runs, by its score; equal scores share the best place
    place_left_out  by the scores left out of its group, while all other runs keep theirs
    """

    run: str
    group: str
    score: float
    left_out: float
    place: int
    place_left_out: int

    @property
    def places_lost(self) -> int:
        """How many places the run falls; negative where it rises."""
        return self.place_left_out - self.place


@record(eq=True)
class LeaveOutSummary:
    """The leave-out test under one measure, of the runs that contribute.

    These are the runs whose group alone brought a judged document: without such, nothing changes.

    num_runs  all runs
    tau       Kendall's tau-b of the order of the contributing runs by their scores and of that by
              their scores left out; NaN for fewer than two, or where all are tied
    places    of the contributing runs, in the order in which they were given
    """

    column: Column
    num_runs: int
    tau: float
    places: tuple[LeftOutPlace, ...]

    @property
    def largest_score_drop(self) -> LeftOutPlace | None:
        """The run whose score gets worse most; the first of equal ones; None: no score does."""
        sign = -1.0 if lower_is_better(self.column) else 1.0
        drops = [sign * (each.score - each.left_out) for each in self.places]
        worst = max(drops, default=0.0)
        return self.places[drops.index(worst)] if worst > 0 else None

    @property
    def most_hurt_run_of_each_group(self) -> tuple[LeftOutPlace, ...]:
        """Of each group that loses a place, the run that loses most; most places first."""
        worst: dict[str, LeftOutPlace] = {}
        for each in sorted(self.places, key=lambda each: (-each.places_lost, each.place)):
            if each.places_lost > 0:
                worst.setdefault(each.group, each)
        return tuple(worst.values())


def summarise_left_out_runs(runs: Sequence[LeftOutRun]) -> tuple[LeaveOutSummary, ...]:
    """A summary under each measure that has a mean."""
    pairs_by_column: dict[Column, list[tuple[float, float]]] = {}
    for run in runs:
        for column, score, left_out in run.score_pairs():
            if column.average in ("mean", "geometric"):
                pairs_by_column.setdefault(column, []).append((score, left_out))
    return tuple(
        _column_summary(column, runs, np.array(pairs)) for column, pairs in pairs_by_column.items()
    )


def _column_summary(
    column: Column, runs: Sequence[LeftOutRun], runs_by_score_and_left_out: Floats
) -> LeaveOutSummary:
    merits = runs_by_score_and_left_out * (-1.0 if lower_is_better(column) else 1.0)
    contributing = [index for index, run in enumerate(runs) if run.num_judged]
    groups = np.array([run.group for run in runs])
    places = []
    for index in contributing:
        with_all, without = merits.T
        others_without = np.where(groups == groups[index], without, with_all)
        place = _place_of(index, with_all)
        place_left_out = _place_of(index, others_without)
        run, (score, left_out) = runs[index], runs_by_score_and_left_out[index].tolist()
        places.append(LeftOutPlace(run.name, run.group, score, left_out, place, place_left_out))
    tau = tau_b(*merits[contributing].T) if len(contributing) > 1 else math.nan
    return LeaveOutSummary(column, len(runs), tau, tuple(places))


def _place_of(run_index: int, merits: RunValues) -> int:
    """1 and how many runs are better, but for rounding."""
    slack = NEAR * scale_of(merits)
    return 1 + int(np.count_nonzero(merits > merits[run_index] + slack))
