"""Results: topics x columns, how a column is summed up, and the account of the topics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from irev.arrays import Floats

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd


SMALLEST_MEAN_FACTOR = 0.00001
"""What a topic's value counts as at least, in a geometric mean (trec_eval's MIN_GEO_MEAN)."""


@dataclass(frozen=True)
class Column:
    """One column of a result."""

    name: str
    """The printed name."""
    measure: str
    """The measure's name in the registry."""
    kind: str = "real"
    """real, count or text."""
    average: str = "mean"
    """mean, sum, geometric (the values are logs), error (that of a mean of independent values),
    topics (the divisor), run (the run's tag) or none."""
    per_topic: bool = True
    canonical: str = ""
    """irev's own name for it, where it is printed under another."""


@dataclass(frozen=True)
class Account:
    """Which topics a result stands on; ids in byte order."""

    missing: tuple[bytes, ...] = ()
    """In the qrels, not in the run."""
    unjudged: tuple[bytes, ...] = ()
    """In the run, not in the qrels."""
    without_relevant: tuple[bytes, ...] = ()
    """Evaluated, though the qrels hold no relevant document for them."""
    skipped: tuple[bytes, ...] = ()
    """Left out of the average by the choice of topics."""


@dataclass(frozen=True)
class TieAccount:
    """How many groups of equal scores a result rests on; those without a judged document are none.

    at_cutoff  (cutoff, how many of the groups have documents on both sides of it)
    drawn      topics whose means over the orders are means over `draws` drawn ones
    measures   the measures for which that is so
    """

    groups: int = 0
    topics: int = 0
    at_cutoff: tuple[tuple[int, int], ...] = ()
    drawn: tuple[bytes, ...] = ()
    draws: int = 0
    measures: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """Topics x columns, with what a reader must know about them.

    run_id    the tag of the run's last line
    topics    T ids, in byte order
    columns   C columns, in the order of the output
    values    float64[T, C]; geometric columns hold logs; columns of texts hold 0
    texts     column index -> T strings, for the columns of kind "text" that have per-topic values
    divisor   how many topics a mean divides by; topics without a row count as 0
    totals    column name -> summary, where it is not formed from the rows
    account   which topics were left out, and why
    ties      how many ties there are, where several orders of them were looked at
    """

    run_id: bytes
    topics: tuple[bytes, ...]
    columns: tuple[Column, ...]
    values: Floats
    texts: dict[int, list[bytes]]
    divisor: int
    totals: dict[str, float]
    account: Account
    ties: TieAccount | None = None

    def summary_of(self, column: int) -> float | bytes | None:
        """The `all` value of a column; None where it has none.

        Sums run over the topics in byte order, so that they do not depend on the files' order.
        """
        about = self.columns[column]
        if about.average == "run":
            return self.run_id
        if about.average == "topics":
            return float(self.divisor)
        if about.average == "none":
            return None
        if about.average == "error":
            squares = np.cumsum(self.values[:, column] ** 2)
            return math.sqrt(squares[-1]) / self.divisor if len(squares) else 0.0
        if about.name in self.totals:
            return self.totals[about.name]
        values = self.values[:, column]
        total = float(np.cumsum(values)[-1]) if len(values) else 0.0
        if about.average == "sum" or not self.divisor:
            return total
        if about.average == "geometric":
            total += (self.divisor - len(values)) * math.log(SMALLEST_MEAN_FACTOR)
            return math.exp(total / self.divisor)
        return total / self.divisor

    def summaries(self) -> Iterator[tuple[Column, float | bytes]]:
        """Each column that has a summary, with it, in order."""
        for index, about in enumerate(self.columns):
            value = self.summary_of(index)
            if value is not None:
                yield about, value

    def summary(self) -> dict[str, Plain]:
        """The summary by printed name: {"map": 0.25, "num_q": 50, "runid": "bm25"}."""
        return {about.name: _plain(about, value) for about, value in self.summaries()}

    def per_topic(self) -> dict[str, dict[str, Plain]]:
        """The values of each topic by printed name: {"301": {"map": 0.25, "num_ret": 1000}}.

        Columns that exist only in the summary (num_q, gm_map, ...) are left out.
        """
        shown = [(i, about) for i, about in enumerate(self.columns) if about.per_topic]
        return {
            as_text(topic): {
                about.name: _plain(about, self.texts[i][row] if i in self.texts else values[i])
                for i, about in shown
            }
            for row, (topic, values) in enumerate(
                zip(self.topics, self.values.tolist(), strict=True)
            )
        }

    def to_frame(self) -> pd.DataFrame:
        """The values of each topic as a pandas frame: topics down, measures across."""
        import pandas as pd

        topics = pd.Index([as_text(topic) for topic in self.topics], name="topic", dtype=object)
        columns = {}
        for i, about in enumerate(self.columns):
            if about.per_topic:
                values = [_plain(about, value) for value in self.texts.get(i, self.values[:, i])]
                columns[about.name] = pd.Series(values, index=topics)
        return pd.DataFrame(columns, index=topics)


Plain: TypeAlias = float | int | str
"""A value as plain Python: counts are int, texts str."""


def as_text(text: bytes) -> str:
    """Bytes of an input as a string that can be turned back (`surrogateescape`)."""
    return text.decode("utf-8", "surrogateescape")


def _plain(about: Column, value: float | bytes) -> Plain:
    if isinstance(value, bytes):
        return as_text(value)
    return int(value) if about.kind == "count" else float(value)
