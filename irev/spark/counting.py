"""How many rows beat each judged document: its rank less one, found without ordering any rows."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats, Ints, RowStarts, RowValues, TopicOfRow, run_starts
from irev.core.ids import Ids, concatenate_ids
from irev.core.record import cached_property, record


@record
class Contenders:
    """The judged documents retrieved for S topics of runs, which all rows are held against.

    start       int64[S+1], each topic's slice of the J documents
    score       float64[J], falling within a topic
    docs        J ids
    ids_rising  whether of equal scores the smaller id stands first; else the larger does
    """

    start: Ints
    score: Floats
    docs: Ids
    ids_rising: bool = False

    @cached_property
    def topic(self) -> TopicOfRow:
        """int64[J]: the topic of each document."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @cached_property
    def group_start(self) -> RowStarts:
        """int64[G+1]: where each group of equal scores begins, and the end."""
        return run_starts(self.topic, self.score)

    @cached_property
    def group(self) -> Ints:
        """int64[J]: the group of equal scores that each document stands in."""
        return np.repeat(np.arange(len(self.group_start) - 1), np.diff(self.group_start))

    def first_reached(self, topic: TopicOfRow, score: RowValues) -> Ints:
        """int64[N]: the first document of its topic whose score each row has or exceeds.

        Where there is none it is the end of the topic's slice.
        """
        low, high = self.start[topic], self.start[topic + 1]
        while True:
            middle = (low + high) >> 1
            rest = np.flatnonzero(low < high)
            if not len(rest):
                return low
            is_better = self.score[middle[rest]] > score[rest]
            low[rest] = np.where(is_better, middle[rest] + 1, low[rest])
            high[rest] = np.where(is_better, high[rest], middle[rest])


class BeatCounts:
    """What was counted of rows; several are added up, field by field.

    above  int64[J], rows that beat this document by their score, but no document before it
    equal  int64[J], rows with the score of this document, at the first of each group of equal ones
    ahead  int64[J], rows with the score of this document that beat it by their id
    """

    def __init__(self, contenders: Contenders) -> None:
        self._contenders = contenders
        self.above, self.equal, self.ahead = np.zeros((3, len(contenders.score)), np.int64)

    def add(self, topic: TopicOfRow, score: RowValues, docs: Ids) -> None:
        """Count N rows, each of one of the topics; the documents themselves are rows too."""
        against = self._contenders
        end = against.start[topic + 1]
        first = against.first_reached(topic, score)
        inside = np.flatnonzero(first < end)
        place = first[inside]
        is_equal = against.score[place] == score[inside]
        tied, group = inside[is_equal], against.group[place[is_equal]]
        # by its score a row beats what stands behind the documents that have the same
        first[tied] = against.group_start[group + 1]
        _increment(self.above, first[first < end])
        _increment(self.equal, against.group_start[group])
        if len(tied):
            self._add_tied(group, docs.take(tied))

    def _add_tied(self, group: Ints, docs: Ids) -> None:
        """Count rows of some groups that beat the groups' documents by their ids."""
        against = self._contenders
        is_met = np.zeros(len(against.group_start) - 1, bool)
        is_met[group] = True
        some = np.flatnonzero(is_met[against.group])
        both = concatenate_ids([against.docs.take(some).compact(), docs.compact()])
        of_row = np.arange(len(both)) >= len(some)
        group = np.concatenate([against.group[some], group])
        # a document stands before its own row, which does not beat it
        order = np.lexsort((of_row, *both.sort_keys(rising=against.ids_rising), group))
        rows_before: Ints = np.cumsum(of_row[order], dtype=np.int64) - of_row[order]
        begin = run_starts(group[order])
        rows_before -= np.repeat(rows_before[begin[:-1]], np.diff(begin))
        is_document = ~of_row[order]
        self.ahead[some[order[is_document]]] += rows_before[is_document]


def ranks_tie_starts_and_tie_sizes(
    contenders: Contenders, num_newly_above: Ints, num_equal: Ints, num_ahead_in_tie: Ints
) -> tuple[Ints, Ints, Ints]:
    """(int64[J], the ranks; the ranks at which their groups of equal scores begin; their sizes).

    Given is what was counted, of all rows together.
    """
    passed = np.cumsum(num_newly_above)
    passed_before = np.concatenate(([0], passed))[contenders.start[:-1]]
    first = 1 + passed - passed_before[contenders.topic]
    return first + num_ahead_in_tie, first, num_equal[contenders.group_start[contenders.group]]


def _increment(counts: Ints, indices: Ints) -> None:
    """Add one at each of some places, which often lie together."""
    if len(indices):
        low = int(indices.min())
        counted = np.bincount(indices - low)
        counts[low : low + len(counted)] += counted
