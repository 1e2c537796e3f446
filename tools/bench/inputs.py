"""The benchmark's inputs: made once, the same on every machine, kept in a folder.

    python -m tools.bench.inputs FOLDER FILE...

The large runs look like MS MARCO's: numeric topic and document ids, 1,000 documents a topic,
strictly falling scores, some 34 bytes a line. The small ones look like TREC's: 50 topics. Rows are
made and written in blocks of whole topics; only the fully shuffled run is held in memory at once,
as four columns of 32-bit numbers.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as parquet

Column: TypeAlias = npt.NDArray[np.int32]

TOPICS_IN_BLOCK = 500
SCORE_UNIT = 10_000
"""Scores are counted in ten-thousandths while they are made."""
TIED = 0.05
"""How many rows have the score of the row before, where ties are wanted."""
EXTRA_JUDGMENT = 0.065
"""How many topics of the sparse qrels have a second judged document."""
FOUND = 0.64
"""How many first judged documents are retrieved; with the second ones, 60 in 100 of all."""
GRADE_BOUNDS = (0.60, 0.80, 0.92)
"""Below the first a judgment is 0, below the second 1, then 2, then 3."""


@dataclass(frozen=True)
class Shape:
    """How large a collection and its runs are; `seed` also sets apart runs of one collection."""

    topics: int
    depth: int = 1_000
    collection: int = 8_841_823
    last_topic: int = 1_102_400
    seed: int = 0

    def rng(self, *purpose: int) -> np.random.Generator:
        """Random numbers that depend on the seed and the purpose alone."""
        return np.random.default_rng([self.seed, *purpose])

    @property
    def block_sizes(self) -> list[int]:
        """How many topics each block has."""
        return [
            min(TOPICS_IN_BLOCK, self.topics - first)
            for first in range(0, self.topics, TOPICS_IN_BLOCK)
        ]


TREC = Shape(topics=50, collection=5_000, last_topic=50)
"""The small runs: 1,000 of 5,000 documents each, so that a judged one is often retrieved."""
JUDGED_PER_TREC_TOPIC = 300

GROWTH = tuple(10**power for power in range(4, 9))
"""Lines of the runs that show how time and memory grow."""


class Rows(NamedTuple):
    """Rows of a run as columns; the score in units."""

    topic: Column
    document: Column
    rank: Column
    score: Column

    def take(self, order: npt.NDArray[np.int64]) -> Rows:
        """The rows in another order."""
        return Rows(*(column[order] for column in self))


def topic_ids(shape: Shape) -> Column:
    """The topics, in the order of the files: none in particular, as MS MARCO's are."""
    ids = shape.rng(0).choice(shape.last_topic, shape.topics, replace=False) + 1
    return ids.astype(np.int32)


def documents(shape: Shape, block: int) -> Column:
    """int32[topics, depth]: different documents for each topic of a block, best first."""
    rng = shape.rng(1, block)
    ids = [
        rng.choice(shape.collection, shape.depth, replace=False)
        for _ in range(shape.block_sizes[block])
    ]
    return (np.stack(ids) + 1).astype(np.int32)


def scores(shape: Shape, block: int, ties: bool) -> Column:
    """int32[topics, depth]: scores from about 23 down to about 5, strictly falling but for ties."""
    rng = shape.rng(2, block)
    size = (shape.block_sizes[block], shape.depth)
    gap = rng.integers(1, 300, size)
    if ties:
        gap[rng.random(size) < TIED] = 0
    lowest = rng.integers(3 * SCORE_UNIT, 8 * SCORE_UNIT, (size[0], 1))
    return (lowest + np.cumsum(gap[:, ::-1], axis=1)[:, ::-1]).astype(np.int32)


def run_blocks(shape: Shape, ties: bool = False, shuffle: bool = False) -> Iterator[Rows]:
    """A run, some hundred topics at a time; with `shuffle` in no order inside a topic."""
    ids = topic_ids(shape)
    for block, size in enumerate(shape.block_sizes):
        first = block * TOPICS_IN_BLOCK
        rows = Rows(
            np.repeat(ids[first : first + size], shape.depth),
            documents(shape, block).ravel(),
            np.tile(np.arange(1, shape.depth + 1, dtype=np.int32), size),
            scores(shape, block, ties).ravel(),
        )
        if shuffle:
            places = np.arange(size * shape.depth).reshape(size, shape.depth)
            rows = rows.take(shape.rng(3, block).permuted(places, axis=1).ravel())
        yield rows


def shuffled_blocks(shape: Shape) -> Iterator[Rows]:
    """The run with all its lines in random order."""
    parts = zip(*run_blocks(shape), strict=True)
    whole = Rows(*(np.concatenate(part) for part in parts))
    order = shape.rng(4).permutation(len(whole.topic))
    step = TOPICS_IN_BLOCK * shape.depth
    for first in range(0, len(order), step):
        yield whole.take(order[first : first + step])


Judgments = tuple[Column, Column, Column]
"""Topic, document and grade of each line of the qrels."""


def sparse_judgments(shape: Shape) -> Iterator[Judgments]:
    """One relevant document a topic, now and then two; about 60 in 100 of them retrieved."""
    ids = topic_ids(shape)
    for block, size in enumerate(shape.block_sizes):
        rng = shape.rng(5, block)
        nth = block * TOPICS_IN_BLOCK + np.arange(size)
        rank = (shape.depth ** rng.random(size)).astype(int)  # most of them near the top
        is_retrieved = rng.random(size) < FOUND
        # ids past the collection's end belong to no run
        elsewhere = shape.collection + 1 + nth
        first = np.where(
            is_retrieved, documents(shape, block)[np.arange(size), rank - 1], elsewhere
        )
        second = (elsewhere + shape.topics)[rng.random(size) < EXTRA_JUDGMENT]
        nth = np.concatenate((nth, second - shape.collection - 1 - shape.topics))
        order = np.argsort(nth, kind="stable")
        document = np.concatenate((first, second)).astype(np.int32)[order]
        yield ids[nth[order]], document, np.ones(len(order), np.int32)


def dense_judgments(shape: Shape) -> Iterator[Judgments]:
    """Every retrieved document judged, by topic and document."""
    ids = topic_ids(shape)
    for block, size in enumerate(shape.block_sizes):
        first = block * TOPICS_IN_BLOCK
        topic = np.repeat(ids[first : first + size], shape.depth)
        document = np.sort(documents(shape, block), axis=1).ravel()
        yield topic, document, grades(shape.rng(6, block), len(topic))


def pooled_judgments(shape: Shape, judged: int) -> Iterator[Judgments]:
    """That many documents of the collection judged for each topic, by topic and document."""
    rng = shape.rng(7)
    for topic in topic_ids(shape):
        document = np.sort(rng.choice(shape.collection, judged, replace=False)) + 1
        yield np.full(judged, topic, np.int32), document.astype(np.int32), grades(rng, judged)


def grades(rng: np.random.Generator, count: int) -> Column:
    """Grades from 0 to 3."""
    return np.searchsorted(GRADE_BOUNDS, rng.random(count), "right").astype(np.int32)


def write_lines(path: Path, batches: Iterable[list[pa.Array]], separator: str) -> None:
    """Columns as lines; half-written files do not keep the name."""
    unfinished = path.with_suffix(".part")
    options = csv.WriteOptions(include_header=False, delimiter=separator, quoting_style="none")
    writer = None
    for columns in batches:
        batch = pa.record_batch(columns, names=[str(i) for i in range(len(columns))])
        writer = writer or csv.CSVWriter(unfinished, batch.schema, write_options=options)
        writer.write(batch)
    if writer:
        writer.close()
    unfinished.rename(path)


def write_run(path: Path, blocks: Iterable[Rows], tag: str = "bm25", separator: str = " ") -> None:
    """A run in TREC's form."""
    batches = (
        [
            pa.array(rows.topic),
            pa.repeat("Q0", len(rows.topic)),
            pa.array(rows.document),
            pa.array(rows.rank),
            pa.array(rows.score / SCORE_UNIT),
            pa.repeat(tag, len(rows.topic)),
        ]
        for rows in blocks
    )
    write_lines(path, batches, separator)


def write_packed(path: Path, blocks: Iterable[Rows]) -> None:
    """A run in TREC's form, compressed as the path's end says."""
    plain = path.with_suffix(".plain")
    write_run(plain, blocks)
    codec = {".gz": "gzip", ".zst": "zstd"}[path.suffix]
    with open(plain, "rb") as source, pa.CompressedOutputStream(str(path), codec) as packed:
        while block := source.read(1 << 22):
            packed.write(block)
    plain.unlink()


def write_table(path: Path, blocks: Iterable[Rows], codec: str) -> None:
    """A run as Parquet or Feather, as the path's end says; ids are strings, a block a row group."""
    unfinished, writer = path.with_suffix(".part"), None
    for rows in blocks:
        table = pa.table(
            {
                "topic": pa.array(rows.topic).cast(pa.string()),
                "document": pa.array(rows.document).cast(pa.string()),
                "score": pa.array(rows.score / SCORE_UNIT),
            }
        )
        if writer is None and path.suffix == ".parquet":
            writer = parquet.ParquetWriter(unfinished, table.schema, compression=codec)
        elif writer is None:
            options = pa.ipc.IpcWriteOptions(compression=codec)
            writer = pa.ipc.new_file(str(unfinished), table.schema, options=options)
        writer.write_table(table)
    if writer:
        writer.close()
    unfinished.rename(path)


def write_qrels(path: Path, blocks: Iterable[Judgments]) -> None:
    """Judgments in TREC's form."""
    batches = (
        [pa.array(topic), pa.repeat("0", len(topic)), pa.array(document), pa.array(grade)]
        for topic, document, grade in blocks
    )
    write_lines(path, batches, " ")


def makers(topics: int) -> dict[str, Callable[[Path], None]]:
    """How each file is made, by its name."""
    marco, long = Shape(topics), Shape(topics * 10)
    trec = {
        f"{name}-{n:03}.run": lambda path, n=n, depth=depth: write_run(
            path, run_blocks(Shape(50, depth, TREC.collection, TREC.last_topic, seed=n)), f"run{n}"
        )
        for name, depth, count in (("trec", 1_000, 100), ("short", 10, 1_000))
        for n in range(count)
    }
    growing = {
        f"{name}-{lines}": lambda path, shape=Shape(lines // 1_000), make=make: make(path, shape)
        for lines in GROWTH
        for name, make in (
            ("run", lambda path, shape: write_run(path, run_blocks(shape))),
            ("qrels", lambda path, shape: write_qrels(path, sparse_judgments(shape))),
        )
    }
    return (
        trec
        | growing
        | {
            "blanks.run": lambda path: write_run(path, run_blocks(marco)),
            "blanks.run.gz": lambda path: write_packed(path, run_blocks(marco)),
            "blanks.run.zst": lambda path: write_packed(path, run_blocks(marco)),
            "blanks.parquet": lambda path: write_table(path, run_blocks(marco), "snappy"),
            "blanks.lz4.parquet": lambda path: write_table(path, run_blocks(marco), "lz4"),
            "blanks.feather": lambda path: write_table(path, run_blocks(marco), "lz4"),
            "tabs.run": lambda path: write_run(path, run_blocks(marco), separator="\t"),
            "ties.run": lambda path: write_run(path, run_blocks(marco, ties=True, shuffle=True)),
            "shuffled.run": lambda path: write_run(path, shuffled_blocks(marco)),
            "long.run": lambda path: write_run(path, run_blocks(long)),
            "sparse.qrels": lambda path: write_qrels(path, sparse_judgments(marco)),
            "dense.qrels": lambda path: write_qrels(path, dense_judgments(marco)),
            "long.qrels": lambda path: write_qrels(path, sparse_judgments(long)),
            "trec.qrels": lambda path: write_qrels(
                path, pooled_judgments(TREC, JUDGED_PER_TREC_TOPIC)
            ),
        }
    )


def main() -> None:
    """Make the named files, where they are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topics", type=int, default=6_980)
    parser.add_argument("folder", type=Path)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    makers_by_name = makers(options.topics)
    for name in options.files:
        path = options.folder / name
        if path.exists():
            continue
        start = time.perf_counter()
        makers_by_name[name](path)
        size, seconds = path.stat().st_size / 1e6, time.perf_counter() - start
        if size >= 10:
            print(f"made {path} ({size:.0f} MB) in {seconds:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
