"""NumPy helpers for segments, and the two bridges between Arrow and NumPy.

Many Arrow calls import pandas when they meet NumPy (`to_numpy`, `pa.array`, ...); the two bridges
here do not, which keeps a small evaluation quick to start.

Sums of reals go left to right in row order (`np.bincount`, `np.cumsum`), so that a result equals a
plain loop's to the last bit and does not depend on how the rows were cut into pieces.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irev.core.record import record

if TYPE_CHECKING:
    import numpy.typing as npt  # half a millisecond of every start otherwise
    import pyarrow as pa

    Ints: TypeAlias = npt.NDArray[np.int64]
    Floats: TypeAlias = npt.NDArray[np.float64]
    Bools: TypeAlias = npt.NDArray[np.bool_]
    Bytes: TypeAlias = npt.NDArray[np.uint8]
    Words: TypeAlias = npt.NDArray[np.uint64]

    # What an entry stands for; the axes of a table in their order. For programs that run, each name
    # stands once more behind `else`.

    TopicValues: TypeAlias = Floats
    """float64[T]: a number for each topic (of rankings: for each ranking)."""
    TopicsByCutoffs: TypeAlias = Floats
    """float64[T, K]: what a measure gives, a row for each topic and a column for each cutoff."""
    TopicsByMeasures: TypeAlias = Floats
    """float64[T, C]: a row for each topic, a column for each printed measure, such as P_5."""
    MeasuresByTopics: TypeAlias = Floats
    """float64[C, T]: a row for each printed measure, a column for each topic."""
    MeasuresByTopicsByRuns: TypeAlias = Floats
    """float64[C, T, S]: the value of each printed measure on each topic for each run."""
    RankingsByMeasures: TypeAlias = Floats
    """float64[V, C]: a row for each of several rankings of one topic, or changes of one."""
    DesignsByMeasures: TypeAlias = Floats
    """float64[D, C]: a row for each way to sample the judgments."""
    MeasureValues: TypeAlias = Floats
    """float64[C]: a number for each printed measure."""
    MeasuresByRuns: TypeAlias = Floats
    """float64[C, S]: a row for each printed measure, a column for each run."""
    TopicsByRuns: TypeAlias = Floats
    """float64[T, S]: the scores of runs under one measure, a row for each topic."""
    RunValues: TypeAlias = Floats
    """float64[S]: a number for each run, such as its mean score."""
    MeansLowsHighs: TypeAlias = Floats
    """float64[S, 3]: for each run its mean and the low and the high end of its interval."""
    RunsByResamples: TypeAlias = Floats
    """float64[S, B]: a number for each run in each resample."""
    RunsByRuns: TypeAlias = Floats
    """float64[S, S]: a number for each two runs."""
    PairValues: TypeAlias = Floats
    """float64[P]: a number for each pair of runs that is compared."""
    RunOrPairValues: TypeAlias = Floats
    """float64[K]: a number for each column of a table of runs, or of pairs of runs."""
    TopicsByPairs: TypeAlias = Floats
    """float64[T, P]: a number for each pair of runs on each topic, such as their difference."""
    PairsByTopics: TypeAlias = Floats
    """float64[P, T]: the same, a row for each pair of runs."""
    TopicsByRunsOrPairs: TypeAlias = Floats
    """float64[T, K]: the scores of runs, or the differences of pairs, a row for each topic."""
    RunsOrPairsByTopics: TypeAlias = Floats
    """float64[K, T]: the same, a row for each run or pair."""
    RunsOrPairsByResamples: TypeAlias = Floats
    """float64[K, B]: a number for each run or pair in each resample."""
    RunsOrPairsByEnds: TypeAlias = Floats
    """float64[K, 2]: for each run or pair a number for the low and the high end of an interval."""
    PairsByResamples: TypeAlias = Floats
    """float64[P, B]: a number for each pair of runs in each resample."""
    ResamplesByTopics: TypeAlias = Floats
    """float64[B, T]: a number for each topic in each resample, such as how often it was drawn."""
    TopicsByResamples: TypeAlias = Floats
    """float64[T, B]: the same, a row for each topic."""
    TopicOctetsByResamples: TypeAlias = Bytes
    """uint8[ceil(T / 8), B]: a bit for each topic in each resample, eight topics in a byte."""
    DocumentValues: TypeAlias = Floats
    """float64[J]: a number for each document, ranking after ranking, by rank."""
    DocumentsByCutoffs: TypeAlias = Floats
    """float64[J, K]: what each document adds to a measure, a column for each cutoff."""
    TopicsByRankScores: TypeAlias = Floats
    """float64[T, depth]: the score at each rank 1, 2, ... depth of each topic."""
    RelevantValues: TypeAlias = Floats
    """float64[Jr]: a number for each relevant document retrieved, ranking after ranking."""
    RowValues: TypeAlias = Floats
    """float64[N]: a number for each row of a run or of judgments: a score, a grade."""
    RankValues: TypeAlias = Floats
    """float64[n]: a number for each rank 1, 2, ... n of one ranking."""

    TopicCounts: TypeAlias = Ints
    """int64[T]: a whole number for each topic: a count, or a rank."""
    TopicCountsByCutoffs: TypeAlias = Ints
    """int64[T, K]: a count for each topic up to each cutoff."""
    TopicsByRanks: TypeAlias = Ints
    """int64[T, depth]: the row at each rank 1, 2, ... depth of each topic."""
    RanksByCutoffs: TypeAlias = Ints
    """int64[T, K]: the rank at which each topic is cut for each cutoff."""
    CountsByStratum: TypeAlias = Ints
    """int64[S]: a count for each stratum, those of one topic after those of another."""
    PairCounts: TypeAlias = Ints
    """int64[P]: a count for each pair of runs that is compared."""
    TopicOfRow: TypeAlias = Ints
    """int64[rows]: the topic that each row belongs to, as an index."""
    RowStarts: TypeAlias = Ints
    """int64[T+1]: where the rows of each topic (list, group) start, and the end of the last."""
    RowIndices: TypeAlias = Ints
    """int64[]: which rows, as indices."""
    RelevantIndices: TypeAlias = Ints
    """int64[]: which of the Jr relevant documents retrieved, as indices."""
    TopicIndices: TypeAlias = Ints
    """int64[]: which topics, as indices."""
    ListIndices: TypeAlias = Ints
    """int64[]: which judged lists, as indices: for several rankings the list of each."""
    RankIndices: TypeAlias = Ints
    """int64[]: which ranks of a ranking, as indices from 0."""
    RunIndices: TypeAlias = Ints
    """int64[]: which runs, as indices, mostly the best first."""
    RunPlaces: TypeAlias = Ints
    """int64[S]: the place of each run on a board: 1 is the best."""
    TopicDraws: TypeAlias = Ints
    """int64[B, size]: the indices of the topics that were drawn, a sample in each row."""
    DocumentRanks: TypeAlias = Ints
    """int64[J]: the rank of each document, from 1."""

    TopicMask: TypeAlias = Bools
    """bool[T]: which topics."""
    RowMask: TypeAlias = Bools
    """bool[rows]: which rows, or documents."""
    TopicsByRunsMask: TypeAlias = Bools
    """bool[T, S]: for each topic and run, yes or no."""
    PairMask: TypeAlias = Bools
    """bool[P]: which pairs of runs."""
else:
    Ints = Floats = Bools = Bytes = Words = np.ndarray
    TopicValues = TopicsByCutoffs = TopicsByMeasures = RankingsByMeasures = Floats
    DesignsByMeasures = MeasureValues = MeasuresByTopics = MeasuresByTopicsByRuns = Floats
    MeasuresByRuns = TopicsByRuns = RunValues = Floats
    MeansLowsHighs = RunsByResamples = RunsByRuns = Floats
    PairValues = RunOrPairValues = TopicsByPairs = TopicsByRunsOrPairs = Floats
    RunsOrPairsByTopics = RunsOrPairsByResamples = RunsOrPairsByEnds = Floats
    PairsByResamples = PairsByTopics = ResamplesByTopics = TopicsByResamples = Floats
    TopicOctetsByResamples = Bytes
    TopicsByRankScores = DocumentValues = DocumentsByCutoffs = Floats
    RelevantValues = RowValues = RankValues = Floats
    TopicCounts = TopicCountsByCutoffs = RanksByCutoffs = CountsByStratum = PairCounts = Ints
    TopicOfRow = RowStarts = RowIndices = TopicsByRanks = Ints
    RelevantIndices = TopicIndices = ListIndices = RankIndices = RunIndices = Ints
    RunPlaces = TopicDraws = DocumentRanks = Ints
    TopicMask = RowMask = PairMask = TopicsByRunsMask = Bools


_LARGEST_FREED = 6 << 20
"""Bytes. Larger arrays go back to the system: with a higher limit more memory is held, unused."""


def keep_freed_memory() -> None:
    """Let glibc keep the memory of smaller arrays for the next ones: it would map each anew.

    It does so up to the size of the largest block that was freed.
    """
    np.empty(_LARGEST_FREED, np.uint8)


def numpy_view(column: pa.Array) -> npt.NDArray[Any]:
    """A NumPy view of an Arrow array of numbers without nulls; nothing is copied."""
    return np.from_dlpack(column)


def arrow_array(values: npt.NDArray[Any], kind: pa.DataType) -> pa.Array:
    """An Arrow array over a NumPy array of numbers; nothing is copied."""
    import pyarrow as pa

    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])


def lengths_of(start: RowStarts) -> Ints:
    """int64[n]: how many rows each segment has, given where segments start, and the end."""
    length: Ints = start[1:] - start[:-1]  # a small call of np.diff costs five times as much
    return length


def is_any(flags: Bools) -> bool:
    """Whether one of the flags is set."""
    return 1 in flags.tobytes()  # of few flags np.any costs six times as much


def are_all(flags: Bools) -> bool:
    """Whether each of the flags is set."""
    return 0 not in flags.tobytes()


def are_all_positive(values: npt.NDArray[Any]) -> bool:
    """Whether each of some numbers, at least one, is above 0."""
    return bool(values.item(values.argmin()) > 0)  # of few numbers a count costs three times


def largest_or_zero(values: Ints) -> int:
    """The largest of whole numbers, none of which is below 0; 0 where there is none."""
    return int(values[values.argmax()]) if len(values) else 0  # a small call of max costs twice


def segment_starts(segment_of_row: Ints, num_segments: int) -> RowStarts:
    """int64[num_segments+1]: where each segment starts among rows ordered by segment number."""
    return segment_of_row.searchsorted(np.arange(num_segments + 1))


def run_starts(*columns: npt.NDArray[Any]) -> RowStarts:
    """int64[G+1]: where each run of rows that are equal in all columns starts, and the end."""
    new = np.empty(len(columns[0]) + 1, bool)
    new[0] = new[-1] = True
    inner = new[1:-1]
    first, *others = columns
    np.not_equal(first[1:], first[:-1], out=inner)
    for column in others:
        inner |= column[1:] != column[:-1]
    return new.nonzero()[0]


def offsets(sizes: Sequence[int] | npt.NDArray[Any]) -> RowStarts:
    """int64[n+1]: the sum of the whole numbers (or flags) before each place, and of all."""
    if len(sizes) == 1:
        return np.array((0, sizes[0]), np.int64)
    total = np.zeros(len(sizes) + 1, np.int64)
    np.add.accumulate(sizes, dtype=np.int64, out=total[1:])
    return total


def sums_before(values: Floats) -> Floats:
    """float64[n+1]: the sum of the values before each place, left to right, and of all."""
    total = np.zeros(len(values) + 1)
    np.cumsum(values, out=total[1:])
    return total


def byte_order(names: Sequence[bytes]) -> Ints:
    """int64[n]: which name comes first in byte order, which next, ...; equal ones as they stand."""
    return np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)


def ranks_in_segments(start: RowStarts) -> DocumentRanks:
    """int64[rows]: the place of each row in its segment, from 1, given where segments start."""
    total = int(start[-1])
    if len(start) == 2:
        return np.arange(1, total + 1)
    return np.arange(1, total + 1) - start[:-1].repeat(lengths_of(start))


def ranges(start: Ints, stop: Ints) -> Ints:
    """The whole numbers of several ranges [start, stop), one range after another."""
    length = stop - start
    ends = length.cumsum()
    total = int(ends[-1]) if len(ends) else 0
    numbers: Ints = (start - (ends - length)).repeat(length)
    numbers += np.arange(total)
    return numbers


def segment_sums(segment_of_row: Ints, values: Floats, num_segments: int) -> Floats:
    """float64[num_segments]: the sum of each segment's values, left to right."""
    return np.bincount(segment_of_row, values, minlength=num_segments).astype(
        np.float64, copy=False
    )


_BLOCK_CELLS = 1 << 16
"""Numbers in a table that is worked on at once: so it stays in the processor's cache."""


def mean_of(values: Floats) -> float:
    """The mean of float64[n], n at least 1, left to right."""
    return float(np.cumsum(values)[-1]) / len(values)


def column_means(values: Floats) -> Floats:
    """float64[C]: the mean of each column of float64[n, C], n at least 1, top to bottom."""
    return column_sums(values) / len(values)


def column_sums(values: Floats) -> Floats:
    """float64[C]: the sum of each column of float64[n, C], n at least 1, top to bottom."""
    total: Floats = values[0]
    # the running sums of so many rows are held at once
    rows = max(1, _BLOCK_CELLS // max(1, len(total)))
    for first in range(1, len(values), rows):
        block = np.concatenate((total[None], values[first : first + rows]))
        total = np.add.accumulate(block)[-1]
    return total


def running_sums(start: RowStarts, values: Floats) -> Floats:
    """float64[rows]: each segment's sum up to and including each row, left to right.

    Taking differences of one cumsum over all rows would round otherwise than a loop that begins
    anew in each segment. So segments of similar length are laid out as the lines of a table.
    """
    return _running_by_segment(np.add, start, values)


def running_products(start: RowStarts, values: Floats) -> Floats:
    """float64[rows]: each segment's product up to and including each row, left to right."""
    return _running_by_segment(np.multiply, start, values)


_LONG = 300
"""Segments of more rows than so many, on the average, are quicker one by one than in a table."""


def _running_by_segment(operation: np.ufunc, start: RowStarts, values: Floats) -> Floats:
    """Each segment's values joined by an operation, up to and including each row."""
    if len(start) == 2:
        return operation.accumulate(values, dtype=np.float64)
    results = np.empty(len(values))
    if len(values) > _LONG * len(start):
        for begin, end in pairwise(start.tolist()):
            operation.accumulate(values[begin:end], out=results[begin:end])
        return results
    for block in batches_of_similar_length(lengths_of(start)):
        _accumulate_block(operation, start[block], start[block + 1], values, results)
    return results


def batches_of_similar_length(length: Ints) -> Iterator[Ints]:
    """Segments that may be the lines of a table, some at a time; empty ones are left out."""
    bits = np.frexp(length)[1]
    for size in (np.bincount(bits)[1:].nonzero()[0] + 1).tolist():
        segments = (bits == size).nonzero()[0]
        lines = max(1, _BLOCK_CELLS >> size)
        for first in range(0, len(segments), lines):
            yield segments[first : first + lines]


def _accumulate_block(
    operation: np.ufunc, begin: Ints, end: Ints, values: Floats, results: Floats
) -> None:
    """The running results of some segments of similar length, written where their rows are."""
    length = end - begin
    shape = len(length), int(length.max())
    total = int(length.sum())
    rows: Any = slice(int(begin[0]), int(end[-1]))
    is_whole = rows.stop - rows.start == total  # no other segment stands between them
    if is_whole and total == shape[0] * shape[1]:
        cells = values[rows].reshape(shape)
        operation.accumulate(cells, axis=1, out=results[rows].reshape(shape))
        return
    places = np.arange(shape[1])
    inside = places < length[:, None]
    if not is_whole:
        rows = (begin[:, None] + places)[inside]
    cells = np.zeros(shape)
    cells[inside] = values[rows]
    results[rows] = operation.accumulate(cells, axis=1)[inside]


def sums_at(
    start: RowStarts, running_sums: RowValues, num_rows: TopicCounts | TopicCountsByCutoffs
) -> TopicValues | TopicsByCutoffs:
    """The running sum after the first `num_rows` rows of each segment, in their shape."""
    if not len(running_sums):
        return np.zeros(num_rows.shape)
    last = num_rows - 1
    if len(start) > 2:
        last += start[:-1] if num_rows.ndim == 1 else start[:-1, None]
    sums_there: Floats = running_sums[last]
    if not are_all_positive(num_rows):
        sums_there[num_rows == 0] = 0.0
    return sums_there


@record
class RankCounter:
    """Finds by binary search how many rows of a segment have a rank up to a given one."""

    start: Ints
    """int64[T+1]: each segment's slice of the rows."""
    keys: Ints
    """One number for segment and rank, rising with both."""
    segment_stride: int
    """By how much the keys of the same rank differ from one segment to the next."""

    @classmethod
    def build(cls, segment_of_row: Ints, rank_of_row: Ints, start: RowStarts) -> RankCounter:
        """The index of rows that are ordered by segment and rank."""
        if len(start) == 2:
            return cls(start, rank_of_row, int(rank_of_row[-1]) + 1 if len(rank_of_row) else 1)
        stride = largest_or_zero(rank_of_row) + 1
        return cls(start, segment_of_row * stride + rank_of_row, stride)

    def count_up_to(self, segments: Ints, ranks: Ints) -> Ints:
        """For each pair of a segment and a rank: the segment's rows up to that rank."""
        stride = self.segment_stride
        keys = segments * stride + np.minimum(np.maximum(ranks, 0), stride - 1)
        count: Ints = self.keys.searchsorted(keys, "right") - self.start[segments]
        return count

    def count_all_up_to(self, ranks: Sequence[int] | RanksByCutoffs) -> TopicCountsByCutoffs:
        """Every segment's rows up to K ranks, the same for all, or int64[T, K]."""
        ranks = np.asarray(ranks, np.int64)
        if len(self.start) == 2:
            return self.keys.searchsorted(ranks, "right").reshape(1, -1)
        segments = np.arange(len(self.start) - 1)[:, None]
        return self.count_up_to(segments, ranks)


def ratio(numerator: Any, denominator: Any, if_zero: float = 0.0) -> Floats:
    """The quotient, and `if_zero` where the denominator is 0: the one division by what may be 0."""
    denominator = np.asarray(denominator)
    result: Floats
    if denominator.size and are_all_positive(denominator):
        result = np.true_divide(numerator, denominator)
    else:
        zero = denominator == 0
        result = np.where(zero, if_zero, np.true_divide(numerator, np.where(zero, 1, denominator)))
    return result


_log2_of_rank = np.zeros(1)


def log2_by_index(min_length: int) -> Floats:
    """float64[>= min_length]: log2(i) at index i >= 1, made with `math.log2`.

    NumPy's vectorised log2 differs from the C library's at some ranks and between processors. Of
    ranks that are fractions, or beyond a table, `families.sampled` calls `math.log2` itself.
    """
    global _log2_of_rank
    if len(_log2_of_rank) < min_length:
        grown = max(min_length, 2 * len(_log2_of_rank), 1024)
        _log2_of_rank = np.array([0.0, *map(math.log2, range(1, grown))])
    return _log2_of_rank


def put_on_bounds(values: Floats, bounds: tuple[float, float]) -> Floats:
    """Values with those that miss an end of a range by rounding put on it.

    Other programs write 1.0000000000000002 or 1e-17 where 1 or 0 is meant: within 1e-12 of an end,
    relative to the range. As they are where the range has no end.
    """
    low, high = bounds
    if not math.isfinite(high - low):
        return values
    reach = 1e-12 * (high - low)
    values = np.where(np.abs(values - low) <= reach, low, values)
    return np.where(np.abs(values - high) <= reach, high, values)
