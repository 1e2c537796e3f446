"""A cluster that is this process: partitions are lists of batches, one worker after another."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from irev.spark.passes import FOUND, SPREAD

Work = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


class Given(NamedTuple):
    """What a worker has of a value that was shared: a copy made by pickling."""

    value: Any


class Here:
    """Does what Spark is asked for, with Arrow's own sums and groups."""

    def __init__(self, partitions: Sequence[Sequence[pa.RecordBatch]]) -> None:
        self.partitions = partitions
        self.asked: list[str] = []

    def share(self, value: Any) -> Given:
        """A copy."""
        return Given(pickle.loads(pickle.dumps(value)))

    def sum_by_keys(
        self,
        work: Work,
        column_types: dict[str, str],
        keys: tuple[str, ...],
        only_repeats_by_column: str = "",
    ) -> pa.Table:
        """The sums over all partitions."""
        self.asked.append(type(work).__name__)
        numbers = [name for name in column_types if name not in keys]
        found = self._mapped(work, column_types)
        sums = found.group_by(list(keys)).aggregate([(name, "sum") for name in numbers])
        sums = sums.rename_columns([name.removesuffix("_sum") for name in sums.column_names])
        if not only_repeats_by_column:
            return sums
        several = sums.filter(
            pa.compute.not_equal(sums.column(only_repeats_by_column), 1)
        ).to_pylist()
        least = {
            tuple(row[key] for key in keys[:-1]): row
            for row in sorted(several, key=lambda row: row[keys[-1]], reverse=True)
        }
        return pa.Table.from_pylist([*least.values()], sums.schema)

    def map_topics(
        self, read_rows: Work, judgments: pa.Table, work: Callable[[pa.Table, pa.Table], pa.Table]
    ) -> pa.Table:
        """What is found topic by topic."""
        self.asked.append(type(work).__name__)
        rows = self._mapped(read_rows, SPREAD)
        topics = {*rows.column("topic").to_pylist(), *judgments.column("topic").to_pylist()}
        found = [work(_of(rows, topic), _of(judgments, topic)) for topic in sorted(topics)]
        assert all(table.schema.names == list(FOUND) for table in found)
        return pa.concat_tables(found)

    def _mapped(self, work: Work, column_types: dict[str, str]) -> pa.Table:
        schema = pa.schema(
            [
                (name, getattr(pa, kind.replace("double", "float64"))())
                for name, kind in column_types.items()
            ]
        )
        batches = [batch for part in self.partitions for batch in work(iter(part))]
        return pa.Table.from_batches(batches, schema)


def _of(table: pa.Table, topic: bytes) -> pa.Table:
    return table.filter(pa.compute.equal(table.column("topic"), topic))
