"""What orders runs: a measure, under some judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, column_means
from irev.core.wording import counted
from irev.errors import MismatchError, UsageError
from irev.measures.direction import lower_is_better
from irev.statistics.tolerance import groups_of_equals, scale_of

if TYPE_CHECKING:
    from irev.core.matrices import Matrices


@dataclass(frozen=True, eq=False, repr=False)
class Criterion:
    """The scores of S runs on T topics under a measure.

    name    the measure's printed name, with the judgments where there are several
    scores  float64[T, S]; their plain means are the runs' means
    rises   whether more is better
    """

    name: str
    scores: Floats
    rises: bool = True

    @cached_property
    def means(self) -> Floats:
        """float64[S]: the mean of each run, summed in the order of the topics."""
        return column_means(self.scores)

    @property
    def merit(self) -> Floats:
        """float64[T, S]: the scores, turned round where less is better."""
        return self.scores if self.rises else -self.scores

    @property
    def merits(self) -> Floats:
        """float64[S]: the means, likewise; the best run has the highest."""
        return self.means if self.rises else -self.means

    def best_first(self) -> list[int]:
        """The runs, best first; of equal ones the first by name comes first."""
        place = groups_of_equals(-self.merits, scale_of(self.merits)).tolist()
        return sorted(range(len(place)), key=lambda run: (place[run], run))


def criteria_of(
    matrices: Matrices, measures: Sequence[str] | None = None, judgments: str = ""
) -> list[Criterion]:
    """One for each measure.

    Args:
        matrices: the scores.
        measures: printed names, in the order wanted; None: all there are.
        judgments: what is said of the judgments, where there are several.

    Raises:
        UsageError: the runs have no such scores.
    """
    behind = f" [{judgments}]" if judgments else ""
    column_of = {column.name: column for column in matrices.columns}
    found = []
    for name in matrices.measures if measures is None else dict.fromkeys(measures):
        if name not in column_of:
            raise UsageError(f"there are no scores of {name}: {', '.join(matrices.measures)}")
        rises = not lower_is_better(column_of[name])
        found.append(Criterion(f"{name}{behind}", matrices.contributions(name), rises))
    return found


def top_runs(matrices: Matrices, number: int, measure: str) -> Matrices:
    """The best runs by the mean of a measure; of equal ones the first by name.

    Raises:
        UsageError: the runs have no such scores.
    """
    return matrices.with_runs(_best_first(matrices, measure)[:number])


def best_of_teams(matrices: Matrices, teams: Mapping[str, str], measure: str) -> Matrices:
    """The best run of each team by the mean of a measure; of equal ones the first by name.

    Args:
        matrices: the scores.
        teams: run -> team; a run that is not there is a team of its own.
        measure: its printed name.

    Raises:
        UsageError: the runs have no such scores.
    """
    best: dict[tuple[str, str], int] = {}
    for run in _best_first(matrices, measure):
        name = matrices.runs[run]
        best.setdefault(("team", teams[name]) if name in teams else ("run", name), run)
    return matrices.with_runs(list(best.values()))


def on_common_topics(every: Sequence[Matrices]) -> tuple[list[Matrices], tuple[str, ...]]:
    """The same runs under several judgments, on the topics that all of them have; what to say.

    Raises:
        MismatchError: they have no topic in common, or not the same runs.
    """
    runs = every[0].runs
    if any(each.runs != runs for each in every):
        raise MismatchError("the runs differ from judgments to judgments")
    common = set(every[0].topics).intersection(*(each.topics for each in every[1:]))
    if not common:
        raise MismatchError("the judgments have no topic in common")
    left_out = len(set().union(*(each.topics for each in every))) - len(common)
    kept = [each.with_topics(np.array([t in common for t in each.topics])) for each in every]
    which = counted(left_out, "topic is", "topics are")
    return kept, ((f"{which} left out, which not all judgments have",) if left_out else ())


def _best_first(matrices: Matrices, measure: str) -> list[int]:
    (criterion,) = criteria_of(matrices, [measure])
    return criterion.best_first()
