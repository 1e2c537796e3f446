"""Compact letter display: runs that share a letter are not significantly different.

The groups are the largest sets of runs no two of which differ. A letter shared is a difference not
shown; it does not show that the runs are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.statistics.differences import groups_of_equals, scale_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import Bools, PairValues, RunIndices, RunValues
    from irev.statistics.differences import RunPairs

MOST_LETTERS = 26
"""With more groups than this, letters say nothing to a reader any more."""


def order_by_mean(means: RunValues) -> RunIndices:
    """int64[S]: the runs by falling mean, equal means in the order of the runs."""
    return np.argsort(groups_of_equals(-means, scale_of(means)), kind="stable")


def difference_mask(p_of_pairs: PairValues, pairs: RunPairs, num_runs: int, alpha: float) -> Bools:
    """bool[S, S]: which runs differ, p <= alpha; pairs that were not tested do not.

    `p_of_pairs`: float64[P], a p-value for each pair, corrected if it is to be.
    """
    differ = np.zeros((num_runs, num_runs), bool)
    differ[pairs.first, pairs.second] = p_of_pairs <= alpha
    return differ | differ.T


def places_by_letter_group(runs_differ: Bools, run_order: RunIndices) -> list[tuple[int, ...]]:
    """The largest sets of runs no two of which differ: the maximal cliques of "not different".

    There can be many more groups than runs where differences do not follow the order of the means.

    Args:
        runs_differ: bool[S, S], symmetric.
        run_order: int64[S], the runs from best to worst.

    Returns:
        For each group the places of its runs in that order, from 0; the groups by their first
        place, then the last, then the others.

    Source: C. Bron and J. Kerbosch, CACM 16(9), 1973, with a pivot; the display: H.-P. Piepho,
    J. Computational and Graphical Statistics 13, 2004.
    """
    alike = ~runs_differ[np.ix_(run_order, run_order)]
    np.fill_diagonal(alike, False)
    neighbours = [sum(1 << int(place) for place in np.flatnonzero(row)) for row in alike]
    everyone = (1 << len(run_order)) - 1
    place_groups = [
        tuple(_set_bit_positions(clique)) for clique in _maximal_cliques(neighbours, everyone)
    ]
    return sorted(place_groups, key=lambda group: (group[0], group[-1], group))


def _maximal_cliques(neighbour_bits: Sequence[int], node_bits: int) -> Iterator[int]:
    """All maximal cliques of some nodes; sets of nodes are bits."""
    branches = [(0, node_bits, 0)]
    while branches:
        clique_bits, candidate_bits, done_bits = branches.pop()
        for node in _set_bit_positions(candidate_bits):
            one, near = 1 << node, neighbour_bits[node]
            if not candidate_bits & ~one & ~near:
                # who is next to all other candidates is in every clique of this branch
                clique_bits |= one
                candidate_bits &= ~one
                done_bits &= near
        if not candidate_bits:
            if clique_bits and not done_bits:
                yield clique_bits
            continue
        _, pivot = max(
            ((candidate_bits & neighbour_bits[node]).bit_count(), node)
            for node in _set_bit_positions(candidate_bits | done_bits)
        )
        for node in _set_bit_positions(candidate_bits & ~neighbour_bits[pivot]):
            one, near = 1 << node, neighbour_bits[node]
            branches.append((clique_bits | one, candidate_bits & near, done_bits & near))
            candidate_bits &= ~one
            done_bits |= one


def _set_bit_positions(bits: int) -> Iterator[int]:
    """The places of the bits that are set, rising."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def group_labels(place_groups: Sequence[tuple[int, ...]], num_runs: int) -> list[str]:
    """For each place in the order, its groups: by letters, or by numbers if there are many."""
    return (
        letter_labels_by_place
        if len(place_groups) <= MOST_LETTERS
        else number_range_labels_by_place
    )(place_groups, num_runs)


def letter_labels_by_place(place_groups: Sequence[tuple[int, ...]], num_runs: int) -> list[str]:
    """For each place in the order, the letters of its groups: "a", "ab", ..., "z", "aa", ...

    With more than 26 groups some have two letters, with commas between; then
    `number_range_labels_by_place` is better.
    """
    between = "," if len(place_groups) > MOST_LETTERS else ""
    return [
        between.join(map(_letter_of_number, group_indices))
        for group_indices in _group_indices_by_place(place_groups, num_runs)
    ]


def number_range_labels_by_place(
    place_groups: Sequence[tuple[int, ...]], num_runs: int
) -> list[str]:
    """For each place in the order, the first and last number of its groups: "[1..4]", or "[1]".

    Groups count from 1. Where differences do not follow the order of the means, a run need not be
    in all groups between the two.
    """
    return [
        f"[{group_indices[0] + 1}]"
        if len(group_indices) == 1
        else f"[{group_indices[0] + 1}..{group_indices[-1] + 1}]"
        for group_indices in _group_indices_by_place(place_groups, num_runs)
    ]


def _group_indices_by_place(
    place_groups: Sequence[tuple[int, ...]], num_runs: int
) -> list[list[int]]:
    """For each place, the rising numbers of the groups that hold it; each is in one at least."""
    group_indices: list[list[int]] = [[] for _ in range(num_runs)]
    for group_index, group in enumerate(place_groups):
        for place in group:
            group_indices[place].append(group_index)
    return group_indices


def _letter_of_number(number: int) -> str:
    """From "a" to "z", then "aa", "ab", ...: as the columns of a spreadsheet are named."""
    before, last = divmod(number, 26)
    return (_letter_of_number(before - 1) if before else "") + chr(ord("a") + last)
