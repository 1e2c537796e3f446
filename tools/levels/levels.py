"""How often the tests reject where no runs differ: `python -m tools.levels.levels`.

Worlds of topics x runs are drawn in which runs have equal means (`tools/levels/worlds.py`). Counted
are, for each test offered, the worlds in which it rejects

- among all pairs, with Holm's correction, any pair of equal means: the familywise error rate. While
  all means are equal this is Bonferroni's rate too, since both reject if the smallest p is at
  most alpha / m. A test that is corrected in itself has its own p;
- among the pairs with a baseline, the first run, with Holm's correction;
- the one pair of the first and the last run, without a correction;
- and, summed over worlds, the share of false ones among what Benjamini and Hochberg's correction
  rejects of all pairs, and the share of the true differences that are found among all pairs.

A test holds in a cell where its rate is at most 0.05 and two Monte Carlo errors.

What was counted is kept in a file, a line for each cell and hundred worlds, so that a run that was
stopped goes on where it was, and one that asks for more worlds adds to what there is.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

# small products are dearer on several threads; set before NumPy is imported
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from irev.core.arrays import Bools, Floats
from irev.statistics.differences import RunPairs, every_pair
from irev.statistics.families import (
    benjamini_hochberg,
    holm,
    max_t,
    randomised_hsd,
    studentized_differences,
    studentized_range_critical,
)
from irev.statistics.methods import num_resamples_needed
from irev.statistics.resampling import bootstrap_test, permutation_test
from irev.statistics.significance_tests import moderated_t, paired_t, sign_test, wilcoxon
from irev.statistics.variance import decompose, mean_differences
from tools.levels.coverage import coverage_tables
from tools.levels.worlds import DRAWS, WITH_BETTER, is_better, matrix_of, residuals_of, world

ALPHA = 0.05
BATCH = 100
DRAWN = 999
"""Resamples of a test that is corrected in itself: 0.05 times one more is a whole number."""

FEW = 15
"""Up to so many runs every test looks at every pair."""

COLUMNS = 1500
"""Runs of all worlds that are tested at once, side by side."""

# Tests: float64[W, P] p of all pairs in W worlds

OfWorlds = Callable[[list[Floats], RunPairs, int], Floats]
OfPairs = Callable[[Floats, RunPairs, int, int], Floats]


def _side_by_side(test: OfPairs, *, dear: bool = False) -> OfWorlds:
    """A test of pairs by themselves: the runs of all worlds stand side by side.

    A dear one, of many runs, is spared the pairs whose p by the t test is above 2 alpha; its p
    is 1 then.
    """

    def test_worlds(worlds: list[Floats], family: RunPairs, seed: int) -> Floats:
        runs, scores = worlds[0].shape[1], np.hstack(worlds)
        start = runs * np.arange(len(worlds))[:, None]
        pairs = RunPairs((start + family.first).ravel(), (start + family.second).ravel())
        near = np.ones(len(pairs), bool)
        if dear and runs > FEW:
            near = paired_t(scores, pairs).p <= 2 * ALPHA
        p = np.ones(len(pairs))
        p[near] = test(scores, pairs.subset(near), _resamples(len(family)), seed)
        return p.reshape(len(worlds), -1)

    return test_worlds


def _resamples(pairs: int) -> int:
    """Enough to reject one of the pairs, and such that Holm's steps are whole numbers."""
    least = num_resamples_needed("permutation", "holm", pairs, ALPHA) + 1
    return least * -(-4000 // least) - 1


def _moderated(worlds: list[Floats], family: RunPairs, seed: int) -> Floats:
    """World by world, since all runs of one have a part in the p of each pair."""
    return np.array([moderated_t(each, family).p for each in worlds])


def _t(scores: Floats, family: RunPairs, resamples: int, seed: int) -> Floats:
    return paired_t(scores, family).p


def _permutation(scores: Floats, family: RunPairs, resamples: int, seed: int) -> Floats:
    return permutation_test(scores, family, num_resamples=resamples, seed=seed, threads=1).p


def _bootstrap(scores: Floats, family: RunPairs, resamples: int, seed: int) -> Floats:
    return bootstrap_test(scores, family, num_resamples=resamples, seed=seed, threads=1).p


def _wilcoxon(scores: Floats, family: RunPairs, resamples: int, seed: int) -> Floats:
    return wilcoxon(scores, family, threads=1).p


def _sign(scores: Floats, family: RunPairs, resamples: int, seed: int) -> Floats:
    return sign_test(scores, family).p


def _max_t(worlds: list[Floats], family: RunPairs, seed: int) -> Floats:
    return np.array(
        [
            max_t(each, family, num_resamples=DRAWN, seed=seed + at).p
            for at, each in enumerate(worlds)
        ]
    )


@cache
def _critical(runs: int, df: float) -> float:
    return studentized_range_critical(ALPHA, runs, df)


def _hsd(worlds: list[Floats], family: RunPairs, seed: int) -> Floats:
    """0 or 1: p itself costs more than all other tests."""
    rejections = []
    for scores in worlds:
        parts = decompose(scores)
        q = studentized_differences(parts, mean_differences(parts, family))
        rejections.append(np.where(q >= _critical(parts.num_runs, parts.df_error), 0.0, 1.0))
    return np.array(rejections)


def _rthsd(worlds: list[Floats], family: RunPairs, seed: int) -> Floats:
    return np.array(
        [
            randomised_hsd(each, family, num_resamples=DRAWN, seed=seed + at).p
            for at, each in enumerate(worlds)
        ]
    )


PAIRWISE: dict[str, OfWorlds] = {
    "moderated": _moderated,
    "t": _side_by_side(_t),
    "permutation": _side_by_side(_permutation, dear=True),
    "bootstrap": _side_by_side(_bootstrap, dear=True),
    "Wilcoxon": _side_by_side(_wilcoxon),
    "sign": _side_by_side(_sign),
}
"""Tests of one pair: corrected here."""

SIMULTANEOUS: dict[str, OfWorlds] = {"maxT": _max_t, "hsd": _hsd, "rthsd": _rthsd}
"""Those whose p is corrected in itself."""

TESTS = {**PAIRWISE, **SIMULTANEOUS}
OF_A_FAMILY = "maxT"
"""The simultaneous one that may be of the pairs with a baseline alone."""


Counts = dict[str, float]
"""Worlds, or sums of shares over worlds, for each of `TITLES` that is asked of a cell."""


class Cell(NamedTuple):
    """One kind of world of one size, and one test of it."""

    world: str
    topics: int
    runs: int
    test: str

    def rejections(self, batch: int) -> Counts:
        """What the test does in a hundred worlds, which are the same for every test."""
        of_world = zlib.crc32(f"{self.world}/{self.topics}/{self.runs}".encode())
        numbers = range(batch * BATCH, (batch + 1) * BATCH)
        worlds = [
            world(self.world, np.random.default_rng([of_world, number]), self.topics, self.runs)
            for number in numbers
        ]
        size = max(1, COLUMNS // self.runs)
        return _total(
            self._count_worlds(worlds[start : start + size], numbers[start])
            for start in range(0, BATCH, size)
        )

    def _count_worlds(self, worlds: list[Floats], seed: int) -> Counts:
        family, better = every_pair(self.runs), is_better(self.world, self.runs)
        is_null: Bools = better[family.first] == better[family.second]
        test = TESTS[self.test]
        p = test(worlds, family, seed)
        of_all = np.array([holm(each) for each in p]) if self.test in PAIRWISE else p
        total: Counts = {"all": _any(of_all[:, is_null])}
        if not is_null.all():
            total["found"] = float((of_all[:, ~is_null] <= ALPHA).mean(axis=1).sum())
        with_first = family.first == 0
        if self.test in PAIRWISE:
            of_baseline = np.array([holm(each) for each in p[:, with_first]])
            false = np.array([benjamini_hochberg(each) for each in p]) <= ALPHA
            shares = false[:, is_null].sum(axis=1) / np.maximum(1, false.sum(axis=1))
            total["fdr"] = float(shares.sum())
            if self.runs <= FEW and is_null[self.runs - 2]:
                total["one"] = _any(p[:, [self.runs - 2]])
        elif self.test == OF_A_FAMILY:
            of_baseline = test(worlds, family.subset(with_first), seed)
        else:
            return total
        if is_null[with_first].any():
            total["baseline"] = _any(of_baseline[:, is_null[with_first]])
        return total


def _any(p: Floats) -> int:
    """In how many worlds any p is at most alpha."""
    return int((p <= ALPHA).any(axis=1).sum())


def _total(counts: Iterable[Counts]) -> Counts:
    total: Counts = defaultdict(float)
    for each in counts:
        for name, count in each.items():
            total[name] += count
    return dict(total)


def simulate(cells: Sequence[Cell], worlds: int, path: Path) -> dict[Cell, Counts]:
    """What was counted of each cell in `worlds` worlds; what is new is kept."""
    by_batch: dict[tuple[Cell, int], Counts] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            *cell, batch, counts = json.loads(line)
            by_batch[Cell(*cell), batch] = counts
    counts_of_cell: dict[Cell, Counts] = {}
    with path.open("a", encoding="utf-8") as kept:
        for cell in cells:
            batches = range(worlds // BATCH)
            for batch in batches:
                if (cell, batch) not in by_batch:
                    by_batch[cell, batch] = cell.rejections(batch)
                    kept.write(json.dumps([*cell, batch, by_batch[cell, batch]]) + "\n")
                    kept.flush()
            counts_of_cell[cell] = _total(by_batch[cell, batch] for batch in batches)
    return counts_of_cell


TITLES = {
    "all": "Familywise error rates, all pairs (Holm, or the test's own correction)",
    "baseline": "Familywise error rates, the pairs with a baseline (Holm, or maxT)",
    "one": "Error rates of one pair (no correction)",
    "fdr": "False discovery rates, all pairs (Benjamini and Hochberg)",
    "found": "Power: the share of the true differences found among all pairs",
}


def tables(counts_of_cell: dict[Cell, Counts], worlds: int) -> Iterator[str]:
    """The rates as tables in Markdown, one for each question; in bold those that do not hold."""
    error = (ALPHA * (1 - ALPHA) / worlds) ** 0.5
    yield (
        f"{worlds} worlds a cell; Monte Carlo error of a rate of 0.05: {error:.4f}; a test holds "
        f"where its rate is at most {ALPHA + 2 * error:.4f}; others are in bold."
    )
    for question, title in TITLES.items():
        cells = [cell for cell in counts_of_cell if question in counts_of_cell[cell]]
        if not cells:
            continue
        tests = [name for name in TESTS if any(cell.test == name for cell in cells)]
        sizes = sorted({cell.runs for cell in cells})
        runs = ", ".join(map(str, sizes))
        yield f"\n{title}; {runs} runs\n"
        yield "| worlds | topics | " + " | ".join(tests) + " |"
        yield "|---|---:|" + "---|" * len(tests)
        for name, topics in dict.fromkeys((cell.world, cell.topics) for cell in cells):
            row = []
            for test in tests:
                rates = []
                for size in sizes:
                    counts = counts_of_cell.get(Cell(name, topics, size, test), {})
                    rate = counts[question] / worlds if question in counts else None
                    rates.append(_rate(rate, 1.0 if question == "found" else ALPHA + 2 * error))
                row.append(", ".join(rates))
            yield f"| {name} | {topics} | " + " | ".join(row) + " |"


def _rate(rate: float | None, most: float) -> str:
    if rate is None:
        return "–"
    text = f"{rate:.3f}".replace("0.", ".", 1)
    return f"**{text}**" if rate > most + 1e-12 else text


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate what was asked for, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=1000, help="how many a cell, in hundreds")
    parser.add_argument("--world", action="append", help="these alone; may be repeated")
    parser.add_argument("--topics", type=int, action="append", help="default: 10, 50 and 200")
    parser.add_argument("--runs", type=int, action="append", help="default: 5 and 15")
    parser.add_argument("--test", action="append", choices=TESTS)
    parser.add_argument(
        "--matrix", action="append", default=[], metavar="NAME=FILE.csv",
        help="residuals of real runs, topics x runs, as further worlds",
    )  # fmt: skip
    parser.add_argument(
        "--coverage", action="store_true", help="of intervals and places, instead of levels"
    )
    parser.add_argument("--kept", type=Path, default=Path("build/levels.jsonl"))
    options = parser.parse_args(arguments)
    largest = {}
    for named in options.matrix:
        name, _, path = named.partition("=")
        matrix = matrix_of(path)
        DRAWS[f"residuals of {name}"] = residuals_of(matrix)
        largest[f"residuals of {name}"] = matrix.shape[1]
    if options.coverage:
        sys.stdout.writelines(f"{line}\n" for line in coverage_tables(options.worlds))
        return
    cells = [
        Cell(name, topics, runs, test)
        for name in options.world or [each + end for end in ("", WITH_BETTER) for each in DRAWS]
        for topics in options.topics or (10, 50, 200)
        for runs in options.runs or (5, 15)
        if runs <= largest.get(name.removesuffix(WITH_BETTER), runs)
        for test in options.test or TESTS
    ]
    options.kept.parent.mkdir(parents=True, exist_ok=True)
    counts_of_cell = simulate(cells, options.worlds, options.kept)
    sys.stdout.writelines(f"{line}\n" for line in tables(counts_of_cell, options.worlds))


if __name__ == "__main__":
    main()
