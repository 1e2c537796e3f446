"""How often tests of all pairs reject where no runs differ: `python -m tests.bench.levels`.

Worlds of topics x runs are drawn in which runs have equal means (all of them, or within groups).
A world counts against a test that rejects any pair of equal means at 0.05: the familywise error
rate. A test holds in a cell where its rate is at most 0.05 and two Monte Carlo errors.

What was counted is kept in a file, a line for each cell and hundred worlds, so that a run that was
stopped goes on where it was, and one that asks for more worlds adds to what there is.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# small products are dearer on several threads; set before NumPy is imported
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from irev.boards.board import place_limits
from irev.core.arrays import Floats
from irev.core.model import Column
from irev.results.matrices import Matrices, NamedRun
from irev.statistics.bootstrap import bootstrap_test
from irev.statistics.corrections import holm, max_t
from irev.statistics.differences import Family, every_pair
from irev.statistics.hsd import randomised_hsd, studentized_differences
from irev.statistics.intervals import mean_intervals
from irev.statistics.letters import differing
from irev.statistics.methods import resamples_needed
from irev.statistics.permutation import permutation_test
from irev.statistics.ranks_and_signs import sign_test, wilcoxon
from irev.statistics.studentized_range import studentized_range_critical
from irev.statistics.t_tests import paired_t
from irev.statistics.variance import decompose, mean_differences

ALPHA = 0.05
BATCH = 100
DRAWN = 999
"""Resamples of tests that need no more: 0.05 times one more is a whole number."""

# Worlds: scores, topics x runs, and for each run a number that runs of the same mean share

World = tuple[Floats, "np.ndarray[tuple[int], np.dtype[np.int64]]"]


def _topics(random: np.random.Generator, topics: int) -> Floats:
    return 0.4 + random.normal(0, 0.2, (topics, 1))


def equal(random: np.random.Generator, topics: int, runs: int) -> World:
    """Normal scores, the same variance everywhere: what HSD assumes."""
    scores = _topics(random, topics) + random.normal(0, 0.1, (topics, runs))
    return scores, np.zeros(runs, np.int64)


def near_copies(random: np.random.Generator, topics: int, runs: int) -> World:
    """Four runs of five are near-copies of one another, the others are on their own."""
    own = max(1, runs // 5)
    near = random.normal(0, 0.1, (topics, 1)) + random.normal(0, 0.03, (topics, runs - own))
    scores = np.hstack([near, random.normal(0, 0.2, (topics, own))])
    return _topics(random, topics) + scores, np.zeros(runs, np.int64)


def skewed(random: np.random.Generator, topics: int, runs: int) -> World:
    """Scores of beta distributions of mean 0.2, more and less skewed: AP of steady and odd runs."""
    spread = np.linspace(1, 12, runs)
    return random.beta(0.2 * spread, 0.8 * spread, (topics, runs)), np.zeros(runs, np.int64)


def discrete(random: np.random.Generator, topics: int, runs: int) -> World:
    """P@5 of topics of any difficulty: six values, many of them equal."""
    ease = np.tile(random.beta(0.5, 1, (topics, 1)), runs)
    return random.binomial(5, ease) / 5, np.zeros(runs, np.int64)


def some_better(random: np.random.Generator, topics: int, runs: int) -> World:
    """Near-copies and others, a third of the runs better by 0.1: not all pairs are equal."""
    scores, group = near_copies(random, topics, runs)
    group[: runs // 3] = 1
    return scores + 0.1 * group, group


def residuals_of(matrix: Floats) -> Callable[[np.random.Generator, int, int], World]:
    """Runs of a matrix with their means made equal, its topics drawn again: topics repeat."""

    def world(random: np.random.Generator, topics: int, runs: int) -> World:
        chosen = matrix[:, random.choice(matrix.shape[1], runs, replace=False)]
        centred = chosen - chosen.mean(axis=0)
        return centred[random.integers(0, len(matrix), topics)], np.zeros(runs, np.int64)

    return world


WORLDS: dict[str, Callable[[np.random.Generator, int, int], World]] = {
    "equal": equal,
    "near-copies": near_copies,
    "skewed": skewed,
    "discrete": discrete,
    "some better": some_better,
}
TOPICS, RUNS = (10, 50, 200), (5, 15, 60)

# Tests: float64[P] corrected p of all pairs; of a pair that is clearly not significant, it may be 1


def _t(scores: Floats, family: Family, seed: int) -> Floats:
    """By the covariances of the runs, which costs a tenth of describing each pair."""
    from scipy.special import stdtr

    covered, topics = np.cov(scores, rowvar=False), len(scores)
    of_runs, pairs = np.diag(covered), (family.first, family.second)
    variance = of_runs[family.first] + of_runs[family.second] - 2 * covered[pairs]
    varies = variance > 1e-12
    means = scores.mean(axis=0)
    difference = (means[family.first] - means[family.second])[varies]
    p = np.ones(len(family))
    p[varies] = 2 * stdtr(topics - 1, -np.abs(difference) / np.sqrt(variance[varies] / topics))
    if seed % BATCH == 0:  # one world in a hundred shows that it is the same test
        assert np.allclose(p, paired_t(scores, family).p, atol=1e-9)
    return holm(p)


def _with_holm(test: Callable[[Floats, Family, int, int], Floats]) -> TestOfPairs:
    """A dear test with Holm's correction, of the pairs that the t test leaves any chance."""

    def corrected(scores: Floats, family: Family, seed: int) -> Floats:
        pairs = len(family)
        p = np.ones(pairs)
        by_t = paired_t(scores, family).p
        near = np.flatnonzero((by_t <= 100 * ALPHA / pairs) | (pairs <= 10))
        if len(near):
            drawn = resamples_needed("permutation", "holm", pairs, ALPHA)
            p[near] = test(scores, family.chosen(near), max(DRAWN, drawn), seed)
        return holm(p)

    return corrected


def _permutation(scores: Floats, family: Family, resamples: int, seed: int) -> Floats:
    return permutation_test(scores, family, resamples=resamples, seed=seed, threads=1).p


def _bootstrap(scores: Floats, family: Family, resamples: int, seed: int) -> Floats:
    return bootstrap_test(scores, family, resamples=resamples, seed=seed, threads=1).p


def _wilcoxon(scores: Floats, family: Family, resamples: int, seed: int) -> Floats:
    return wilcoxon(scores, family, threads=1).p


def _sign(scores: Floats, family: Family, resamples: int, seed: int) -> Floats:
    return sign_test(scores, family).p


def _max_t(scores: Floats, family: Family, seed: int) -> Floats:
    return max_t(scores, family, resamples=DRAWN, seed=seed).p


def _hsd(scores: Floats, family: Family, seed: int) -> Floats:
    parts = decompose(scores)
    q = studentized_differences(parts, mean_differences(parts, family))
    critical = studentized_range_critical(ALPHA, parts.runs, parts.df_error)
    return np.where(q >= critical, 0.0, 1.0)  # p itself costs more than all other tests


def _rthsd(scores: Floats, family: Family, seed: int) -> Floats:
    return randomised_hsd(scores, family, resamples=DRAWN, seed=seed).p


TestOfPairs = Callable[[Floats, Family, int], Floats]
TESTS: dict[str, TestOfPairs] = {
    "t, Holm": _t,
    "permutation, Holm": _with_holm(_permutation),
    "permutation, maxT": _max_t,
    "bootstrap, Holm": _with_holm(_bootstrap),
    "Wilcoxon, Holm": _with_holm(_wilcoxon),
    "sign, Holm": _with_holm(_sign),
    "hsd": _hsd,
    "rthsd": _rthsd,
}


@dataclass(frozen=True)
class Cell:
    """One kind of world of one size, and one test of it."""

    world: str
    topics: int
    runs: int
    test: str

    def rejected(self, batch: int) -> int:
        """In how many of a hundred worlds the test rejects a pair of equal means.

        The worlds are the same for every test, whatever else is run.
        """
        of_world = zlib.crc32(f"{self.world}/{self.topics}/{self.runs}".encode())
        family = every_pair(self.runs)
        count = 0
        for number in range(batch * BATCH, (batch + 1) * BATCH):
            random = np.random.default_rng([of_world, number])
            scores, group = WORLDS[self.world](random, self.topics, self.runs)
            is_null = group[family.first] == group[family.second]
            p = TESTS[self.test](scores, family, number)
            count += bool((p[is_null] <= ALPHA).any())
        return count


def simulated(cells: Sequence[Cell], worlds: int, path: Path) -> Counter[Cell]:
    """The number of worlds in which each cell's test rejects, of `worlds`; what is new is kept."""
    known: dict[tuple[Cell, int], int] = {}
    if path.exists():
        for line in path.read_text().splitlines():
            *cell, batch, count = json.loads(line)
            known[Cell(*cell), batch] = count
    found: Counter[Cell] = Counter()
    with path.open("a") as kept:
        for cell in cells:
            for batch in range(worlds // BATCH):
                if (cell, batch) not in known:
                    known[cell, batch] = cell.rejected(batch)
                    row = [cell.world, cell.topics, cell.runs, cell.test, batch, known[cell, batch]]
                    kept.write(json.dumps(row) + "\n")
                    kept.flush()
                found[cell] += known[cell, batch]
    return found


def table(found: Counter[Cell], cells: Sequence[Cell], worlds: int) -> Iterator[str]:
    """The rates as a table in Markdown; in bold those that are too high to hold."""
    error = (ALPHA * (1 - ALPHA) / worlds) ** 0.5
    most = ALPHA + 2 * error
    tests = list(dict.fromkeys(cell.test for cell in cells))
    yield (
        f"{worlds} worlds a cell; Monte Carlo error of a rate of 0.05: {error:.4f}; a test holds "
        f"where its rate is at most {most:.4f}; others are in bold.\n"
    )
    yield "| worlds | topics | runs | " + " | ".join(tests) + " |"
    yield "|---|---:|---:|" + "---:|" * len(tests)
    for world, topics, runs in dict.fromkeys((c.world, c.topics, c.runs) for c in cells):
        rates = []
        for test in tests:
            cell = Cell(world, topics, runs, test)
            rate = found[cell] / worlds
            text = f"{rate:.3f}" if cell in found or cell in cells else ""
            rates.append(f"**{text}**" if rate > most + 1e-12 else text)
        yield f"| {world} | {topics} | {runs} | " + " | ".join(rates) + " |"


# Coverage: do the places of a board, and the intervals of weighted means, hold what is true?


def place_coverage(runs: int, gap: float, worlds: int) -> tuple[float, float, float]:
    """How often all true places of 50 topics' boards lie within, and the best run's; their width.

    Run i has the mean 0.4 - gap * i.
    """
    family, true = every_pair(runs), np.arange(1, runs + 1)
    joint, best, width = 0, 0, 0.0
    for number in range(worlds):
        random = np.random.default_rng([runs, int(gap * 1e4), number])
        scores = _topics(random, 50) + random.normal(0, 0.1, (50, runs)) - gap * true
        differ = differing(_t(scores, family, 0), family, runs, ALPHA)
        low, high = place_limits(scores.mean(axis=0), differ)
        within = (low <= true) & (true <= high)
        joint += bool(within.all())
        best += bool(within[0])
        width += float((high - low).mean())
    return joint / worlds, best / worlds, width / worlds


def weighted_coverage(topics: int, spread: float, worlds: int) -> tuple[float, float]:
    """How often the 95% interval of a weighted mean holds it, and Kish's topics, on average.

    Scores have the mean 0.5, weights are lognormal with this deviation of their logarithm.
    """
    held, kish = 0, 0.0
    for number in range(worlds):
        random = np.random.default_rng([topics, int(spread * 10), number])
        scores, weights = random.beta(4, 4, (topics, 1)), random.lognormal(0, spread, topics)
        names = tuple(b"%04d" % topic for topic in range(topics))
        made = Matrices(names, (NamedRun("a", "a"),), (Column("x", "x"),), scores[None], weights)
        found = mean_intervals(made.linearised("x"), df=made.df)
        held += bool(found.low[0] <= 0.5 <= found.high[0])
        kish += (made.df or 0.0) + 1
    return held / worlds, kish / worlds


def coverage_tables(worlds: int) -> Iterator[str]:
    """Both as tables in Markdown."""
    error = (ALPHA * (1 - ALPHA) / worlds) ** 0.5
    yield f"{worlds} worlds a row; Monte Carlo error of a coverage of 0.95: {error:.4f}.\n"
    yield "| runs | apart | all places at once | the best run's | mean width |"
    yield "|---:|---:|---:|---:|---:|"
    for runs, gap in ((30, 0.002), (30, 0.01), (60, 0.002)):
        joint, best, width = place_coverage(runs, gap, worlds)
        yield f"| {runs} | {gap} | {joint:.3f} | {best:.3f} | {width:.1f} |"
    yield "\n| topics | deviation of log weights | Kish's topics | coverage |"
    yield "|---:|---:|---:|---:|"
    for topics, spread in ((20, 0.5), (20, 1.0), (50, 0.5), (50, 1.0), (50, 1.5), (200, 1.0)):
        held, kish = weighted_coverage(topics, spread, worlds)
        yield f"| {topics} | {spread} | {kish:.0f} | {held:.3f} |"


def _matrix(path: str) -> Floats:
    """A CSV of topics x runs under a header of runs; a first column of topics is left out."""
    rows = [line.split(",") for line in Path(path).read_text().split()]
    first = 1 if rows[0][0] in ("topic", "") else 0
    return np.array([row[first:] for row in rows[1:]], np.float64)


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate what was asked for, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=1000, help="how many a cell, in hundreds")
    parser.add_argument("--world", action="append", help="these alone; may be repeated")
    parser.add_argument("--topics", type=int, action="append")
    parser.add_argument("--runs", type=int, action="append")
    parser.add_argument("--test", action="append", choices=TESTS)
    parser.add_argument(
        "--matrix", action="append", default=[], metavar="NAME=FILE.csv",
        help="residuals of real runs, topics x runs, as further worlds",
    )  # fmt: skip
    parser.add_argument("--coverage", action="store_true", help="of places and weighted means")
    parser.add_argument("--kept", type=Path, default=Path("build/levels.jsonl"))
    asked = parser.parse_args(arguments)
    if asked.coverage:
        sys.stdout.writelines(f"{line}\n" for line in coverage_tables(asked.worlds))
        return
    largest = {}
    for named in asked.matrix:
        name, _, path = named.partition("=")
        matrix = _matrix(path)
        WORLDS[f"residuals of {name}"] = residuals_of(matrix)
        largest[f"residuals of {name}"] = matrix.shape[1]
    cells = [
        Cell(world, topics, runs, test)
        for world in asked.world or WORLDS
        for topics in asked.topics or TOPICS
        for runs in asked.runs or RUNS
        if runs <= largest.get(world, runs)
        for test in asked.test or TESTS
    ]
    asked.kept.parent.mkdir(parents=True, exist_ok=True)
    found = simulated(cells, asked.worlds, asked.kept)
    sys.stdout.writelines(f"{line}\n" for line in table(found, cells, asked.worlds))


if __name__ == "__main__":
    main()
