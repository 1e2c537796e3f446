"""What orders runs: measures under some judgments, how alike two of them do, and their verdicts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Bools, Floats, column_means
from irev.core.record import cached_property, record
from irev.core.wording import count_text
from irev.errors import MismatchError, UsageError
from irev.measures.naming.resolve import PLAIN_NAMING, NamingOptions
from irev.measures.naming.result_columns import columns_named, lower_is_better
from irev.statistics.differences import check_score_matrix, every_pair, groups_of_equals, scale_of
from irev.statistics.discrimination import CONCLUSIONS, compare_conclusions
from irev.statistics.methods import correct_p
from irev.statistics.rank_correlation import (
    tau_a,
    tau_ap,
    tau_ap_b,
    tau_b,
    tau_p_value,
)
from irev.statistics.t_tests import paired_t

if TYPE_CHECKING:
    import pandas as pd

    from irev.core.model import Column
    from irev.jobs.studies.options.shared import SignificanceOptions
    from irev.scores.table import ScoreTable


@record
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
    table: ScoreTable, measures: Sequence[str] | None = None, judgments: str = ""
) -> list[Criterion]:
    """One for each measure.

    Args:
        table: the scores.
        measures: names, in the order wanted; None: all there are.
        judgments: what is said of the judgments, where there are several.
    """
    behind = f" [{judgments}]" if judgments else ""
    columns = table.columns
    if measures is not None:
        named = [column for name in measures for column in scored_columns(name, table)]
        columns = tuple(dict.fromkeys(named))
    return [
        Criterion(
            f"{column.name}{behind}",
            table.contributions(column.name),
            rises=not lower_is_better(column),
        )
        for column in columns
    ]


def scored_columns(
    name: str, table: ScoreTable, options: NamingOptions = PLAIN_NAMING
) -> tuple[Column, ...]:
    """The scores that a measure's name stands for, in any spelling, under these options."""
    try:
        found = columns_named(name, table.columns, options)
    except UsageError:
        # saved scores may be called anything: what there is says more than what is a measure
        found = ()
    if not found:
        raise UsageError(f"there are no scores of {name}: {', '.join(table.measure_names)}")
    return found


def printed_names(name: str, table: ScoreTable, options: NamingOptions = PLAIN_NAMING) -> list[str]:
    """The names under which these stand."""
    return [column.name for column in scored_columns(name, table, options)]


def top_runs(table: ScoreTable, number: int, measure: str) -> ScoreTable:
    """The best runs by the mean of a measure; of equal ones the first by name."""
    return table.select_runs(best_first(table, measure)[:number])


def best_first(table: ScoreTable, measure: str) -> list[int]:
    """The runs by their numbers, best first by the mean of a measure; of equal ones by name."""
    return criteria_of(table, [measure])[0].best_first()


def on_common_topics(every: Sequence[ScoreTable]) -> tuple[list[ScoreTable], tuple[str, ...]]:
    """The same runs under several judgments, on the topics that all of them have; what to say."""
    runs = every[0].run_names
    if any(each.run_names != runs for each in every):
        raise MismatchError("the runs must be the same for all judgments")
    common = set(every[0].topics).intersection(*(each.topics for each in every[1:]))
    if not common:
        raise MismatchError("the judgments have no topic in common")
    left_out = len(set().union(*(each.topics for each in every))) - len(common)
    kept = [each.select_topics(np.array([t in common for t in each.topics])) for each in every]
    which = count_text(left_out, "topic is", "topics are")
    return kept, ((f"{which} left out, because not all judgments have them",) if left_out else ())


def coefficients(truth: Criterion, estimate: Criterion) -> dict[str, Any]:
    """How alike two criteria order the runs, by Kendall's tau and related coefficients."""
    one, other = truth.merits, estimate.merits
    p = tau_p_value(one, other)
    return {
        "tau_b": tau_b(one, other),
        "tau_a": tau_a(one, other),
        "p": p.p,
        "p is": "exact" if p.exact else "normal",
        "tau_AP": tau_ap(one, other),
        "tau_AP_b": tau_ap_b(one, other),
    }


SHORT = ("AA", "AD", "PA", "PD", "neither")
"""The kinds of `discrimination.CONCLUSIONS`, as the field writes them."""


@record
class Verdicts:
    """What a criterion says of all P pairs of S runs, in the order of `differences.every_pair`.

    difference   float64[P], of the means, positive where the first run is better
    p            float64[P], corrected
    significant  bool[P]
    """

    difference: Floats
    p: Floats
    significant: Bools


def verdicts(criterion: Criterion, how: SignificanceOptions) -> Verdicts:
    """Test all pairs of runs under one criterion."""
    check_score_matrix(criterion.scores)
    tested = paired_t(criterion.merit, every_pair(criterion.scores.shape[1]))
    p = correct_p(tested.p, how.correction)
    # a difference that is mere rounding is none, and p is 1 then
    difference = np.where(tested.identical, 0.0, tested.mean)
    return Verdicts(difference, p, p <= how.alpha)


def counts_of(first: Verdicts, second: Verdicts) -> dict[str, int]:
    """How many pairs of runs there are of each kind, by `SHORT`."""
    found = compare_conclusions(
        (first.difference, second.difference), (first.significant, second.significant)
    )
    return dict(zip(SHORT, found.counts.values(), strict=True))


def pairs_table(names: Sequence[str], first: Verdicts, second: Verdicts) -> pd.DataFrame:
    """A line for each pair of runs: what either criterion says, and how that goes together.

    Columns: run, other, difference, p, new difference, new p, conclusions.
    """
    import pandas as pd

    family = every_pair(len(names))
    found = compare_conclusions(
        (first.difference, second.difference), (first.significant, second.significant)
    )
    return pd.DataFrame(
        {
            "run": [names[number] for number in family.first.tolist()],
            "other": [names[number] for number in family.second.tolist()],
            "difference": first.difference,
            "p": first.p,
            "new difference": second.difference,
            "new p": second.p,
            "conclusions": [CONCLUSIONS[kind] for kind in found.kind.tolist()],
        }
    )


_GAIN = re.compile(r"gain=(\{[^}]*\}|[^,){]*),?")


@record
class Block:
    """K measures of S runs on T topics.

    gains  the gains of all its measures, as they were written; empty: each has its own
    table  the scores
    names  the printed names of the measures that are studied, in order
    """

    gains: str
    table: ScoreTable
    names: tuple[str, ...]

    @property
    def measures(self) -> tuple[str, ...]:
        """What the measures are called; the gains are left out where the block says them."""
        if not self.gains:
            return self.names
        short = tuple(_without_gains(name) for name in self.names)
        return short if len(set(short)) == len(short) else self.names

    def with_runs(self, runs: Sequence[int]) -> Block:
        """The same of some of the runs."""
        return replace(self, table=self.table.select_runs(runs))

    @property
    def criteria(self) -> list[Criterion]:
        """The scores of each measure."""
        return criteria_of(self.table, self.names)


def check_blocks(blocks: Sequence[Block]) -> None:
    """Refuse blocks whose scores cannot stand beside one another."""
    if not blocks or not blocks[0].names:
        raise UsageError("there is no measure to study")
    first = blocks[0]
    if len(first.table.run_names) < 2:
        raise UsageError("this study compares runs: give two or more")
    for block in blocks[1:]:
        mine, others = block.table, first.table
        if mine.run_names != others.run_names or mine.topics != others.topics:
            raise MismatchError("the runs and their topics must be the same for all gains")
        if len(block.names) != len(first.names):
            raise MismatchError("the measures must be the same for all gains")


def without_empty_gains(table: pd.DataFrame) -> pd.DataFrame:
    """A table without its column `gains` where no block names any."""
    if "gains" not in table or table["gains"].any():
        return table
    found = table.drop(columns="gains")
    found.attrs = table.attrs
    return found


def _without_gains(name: str) -> str:
    """The name of a measure without its gains: `nDCG(gain={1:1},b=2)@10` is `nDCG(b=2)@10`."""
    return _GAIN.sub("", name).replace(",)", ")").replace("()", "")
