"""Scores of the same runs on the same topics, a block of measures for each definition of gains."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from irev.errors import MismatchError, UsageError
from irev.studies.criteria import criteria_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from irev.core.matrices import Matrices
    from irev.engine.gather import Gathered
    from irev.studies.criteria import Criterion

_GAIN = re.compile(r"gain=(\{[^}]*\}|[^,){]*),?")


@dataclass(frozen=True, eq=False, repr=False)
class Block:
    """K measures of S runs on T topics.

    gains     the gains of all its measures, as they were written; empty: each has its own
    gathered  the scores
    names     the printed names of the measures that are studied, in order
    """

    gains: str
    gathered: Gathered
    names: tuple[str, ...]

    @property
    def matrices(self) -> Matrices:
        """The scores."""
        return self.gathered.matrices

    @property
    def measures(self) -> tuple[str, ...]:
        """What the measures are called; the gains are left out where the block says them."""
        if not self.gains:
            return self.names
        short = tuple(_without_gains(name) for name in self.names)
        return short if len(set(short)) == len(short) else self.names

    @property
    def criteria(self) -> list[Criterion]:
        """The scores of each measure."""
        return criteria_of(self.matrices, self.names)


def check_blocks(blocks: Sequence[Block]) -> None:
    """Refuse blocks whose scores cannot stand beside one another.

    Raises:
        UsageError: there is no block, no measure, or fewer than two runs.
        MismatchError: the blocks differ in runs, topics or measures.
    """
    if not blocks or not blocks[0].names:
        raise UsageError("there is no measure to study")
    first = blocks[0]
    if len(first.matrices.runs) < 2:
        raise UsageError("runs are told apart: two or more are wanted")
    for block in blocks[1:]:
        mine, others = block.matrices, first.matrices
        if mine.runs != others.runs or mine.topics != others.topics:
            raise MismatchError("the runs or their topics differ from gains to gains")
        if len(block.names) != len(first.names):
            raise MismatchError("the measures differ from gains to gains")


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
