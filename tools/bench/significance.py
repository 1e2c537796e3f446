"""Measures tests of runs beside their peers: `python -m tools.bench.significance --help`.

What is timed are calls in one process, imports and a first call aside. A peer that would take
minutes is timed on a part, and its time is taken in proportion. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from statistics import median

# small products are dearer on several threads; set before NumPy is imported
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from irev.core.arrays import Floats
from irev.statistics.differences import every_pair
from irev.statistics.resampling import bootstrap_test, permutation_test

TOPICS, RUNS, PERMUTATIONS, SAMPLES = 50, 15, 100_000, 1_000
MANY_RUNS, FEW_PERMUTATIONS = 129, 10_000

PEER = """
import sys, time, numpy as np
from ranx.statistical_tests import fisher_randomization_test as test
scores = np.load(sys.argv[1]); pairs, draws = int(sys.argv[2]), int(sys.argv[3])
test(scores[:, 0], scores[:, 1], 10, .01, 42)
both = [(i, j) for i in range(scores.shape[1]) for j in range(i)][:pairs]
start = time.perf_counter()
for i, j in both:
    test(scores[:, i], scores[:, j], draws, .01, 42)
print(time.perf_counter() - start)
"""
"""ranx's test of so many pairs, in the interpreter that has it."""


def scores_of(topics: int, runs: int, seed: int = 1) -> Floats:
    """Scores like average precision: easy and hard topics, better and worse runs."""
    random = np.random.default_rng(seed)
    effects = random.normal(0, 1, (topics, 1)) + random.normal(0, 0.3, (1, runs)) - 0.8
    return 1 / (1 + np.exp(-effects - random.normal(0, 0.6, (topics, runs))))


def seconds(call: Callable[[], object], rounds: int) -> float:
    """The median time of a call, after one that does not count."""
    call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return median(times)


def scipy_seconds(scores: Floats, pairs: int, batch: int | None) -> float:
    """The time of scipy's permutation test of one pair, times so many."""
    stats = import_module("scipy.stats")
    one, other = scores[:, 0], scores[:, 1]

    def statistic(x: Floats, y: Floats, axis: int) -> Floats:
        difference: Floats = np.mean(x - y, axis=axis)
        return difference

    start = time.perf_counter()
    stats.permutation_test(
        (one, other), statistic, permutation_type="samples", vectorized=True,
        n_resamples=PERMUTATIONS, batch=batch, rng=np.random.default_rng(1),
    )  # fmt: skip
    return (time.perf_counter() - start) * pairs


def ranx_seconds(python: str, scores: Floats, pairs: int, part: int = 5) -> float:
    """The time of ranx's randomisation test of some pairs, in proportion to all."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.npy"
        np.save(path, scores)
        command = [python, "-c", PEER, str(path), str(part), str(PERMUTATIONS)]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    return float(done.stdout) * pairs / part


def double_loop(scores: Floats, draws: int) -> None:
    """The studentised bootstrap of all pairs, a pair and a resample at a time."""
    random = np.random.default_rng(1)
    samples = random.integers(0, len(scores), (draws, len(scores)))
    root = np.sqrt(len(scores))
    for first in range(scores.shape[1]):
        for second in range(first):
            shifted = scores[:, first] - scores[:, second]
            observed = abs(shifted.mean() / (shifted.std(ddof=1) / root))
            shifted = shifted - shifted.mean()
            count = 0
            for sample in samples:
                drawn = shifted[sample]
                count += abs(drawn.mean() / (drawn.std(ddof=1) / root)) >= observed


def peak_of_many() -> float:
    """MiB that a process of its own holds at most: all pairs of 129 runs."""
    code = (
        "import resource; from tools.bench.significance import *; s = scores_of(TOPICS, MANY_RUNS);"
        "permutation_test(s, every_pair(MANY_RUNS), num_resamples=FEW_PERMUTATIONS);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    return float(done.stdout)


def line(title: str, peer: float, ours: float, aim: str) -> None:
    """A peer's time, and what part of it irev takes."""
    print(f"  {title:44}{peer:10.3f} s   irev is {peer / ours:8,.0f} times as fast   {aim}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="significance", description=__doc__)
    parser.add_argument("--ranx-python", metavar="PATH", help="an interpreter that has ranx")
    parser.add_argument("--rounds", type=int, default=5, help="calls measured (default: 5)")
    options = parser.parse_args()
    # first: on Linux a child's peak starts at what its parent holds
    pairs = len(every_pair(MANY_RUNS))
    print(f"permutation tests of {pairs:,} pairs, {FEW_PERMUTATIONS:,} drawn: ", end="", flush=True)
    print(f"{peak_of_many():.0f} MiB at most   wanted: 500")
    scores, family = scores_of(TOPICS, RUNS), every_pair(RUNS)
    ours = seconds(
        lambda: permutation_test(scores, family, num_resamples=PERMUTATIONS, exact=False),
        options.rounds,
    )
    print(f"permutation tests of {len(family)} pairs, {PERMUTATIONS:,} drawn")
    print(f"  {'irev':44}{ours:10.3f} s")
    for batch, how in ((None, ""), (1000, ", batch=1000")):
        peer = scipy_seconds(scores, len(family), batch)
        line(f"scipy.stats.permutation_test{how}", peer, ours, "wanted: 500")
    if options.ranx_python:
        line("ranx", ranx_seconds(options.ranx_python, scores, len(family)), ours, "wanted: 500")
    ours = seconds(lambda: bootstrap_test(scores, family, num_resamples=SAMPLES), options.rounds)
    print(f"studentised bootstrap of {len(family)} pairs, {SAMPLES:,} samples")
    print(f"  {'irev':44}{ours:10.3f} s")
    start = time.perf_counter()
    double_loop(scores, SAMPLES)
    line("a loop over pairs and samples", time.perf_counter() - start, ours, "wanted: 100")


if __name__ == "__main__":
    main()
