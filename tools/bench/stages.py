"""Where irev's time goes: `make profile`, or `python -m tools.bench.stages [QRELS RUN]`.

Three views. The start: what each import costs, by package, when the sample run is evaluated. The
work, in an evaluation by one thread: the share of each stage, and the functions that take longest,
under Python's profiler, whose own cost makes small functions look dearer than they are.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import irev

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sample_data"
IMPORTED = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s*(\S+)")
MOST = 25
"""Functions that are shown."""

STAGES = {
    "reading the file": ("read/pieces.py", "pieces"),
    "finding fields": ("read/lines.py", "_field_starts_and_lengths"),
    "topics": ("core/ids.py", "codes"),
    "numbers": ("read/columns.py", "parse_reals_or_nan", "parse_grades"),
    "looking for duplicates": ("rank/ranking.py", "index_pairs_refusing_duplicates"),
    "finding judged documents": ("core/ids.py", "find"),
    "order and ties": ("rank/ranking.py", "order_rows", "places_in_ordered_run"),
    "looking for what deserves a warning": ("engine/run_facts.py", "judged_counts"),
    "measures": ("measures/requests.py", "measure_all"),
}
"""A file and the functions in it whose time, with all that they call, is that of a stage."""


def imports(qrels: str, run: str) -> Counter[str]:
    """Microseconds for each package that a call imports, its own modules only."""
    call = [sys.executable, "-X", "importtime", "-m", "irev", qrels, run]
    done = subprocess.run(call, capture_output=True, encoding="utf-8", check=True)
    microseconds: Counter[str] = Counter()
    for own, name in IMPORTED.findall(done.stderr):
        microseconds[".".join(name.split(".")[: 2 if name.startswith("irev") else 1])] += int(own)
    return microseconds


def stages(profile: pstats.Stats) -> dict[str, float]:
    """The share of each stage in the whole, and what is left."""
    every: dict[tuple[str, int, str], tuple[int, int, float, float, object]] = vars(profile)[
        "stats"
    ]
    whole: float = vars(profile)["total_tt"]
    shares = {
        stage: sum(
            cost[3]
            for (path, _, function), cost in every.items()
            if path.endswith("irev/" + file) and function in functions
        )
        / whole
        for stage, (file, *functions) in STAGES.items()
    }
    return {**shares, "all else": 1 - sum(shares.values())}


def main() -> None:
    """Print all three."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("qrels", nargs="?", default=str(SAMPLE / "qrels.txt"))
    parser.add_argument("run", nargs="?", default=str(SAMPLE / "bm25.run"))
    options = parser.parse_args()
    times = imports(str(SAMPLE / "qrels.txt"), str(SAMPLE / "bm25.run"))
    print(f"imports of a small evaluation: {sum(times.values()) / 1000:.0f} ms under -X importtime")
    for name, microseconds in times.most_common(MOST):
        print(f"{microseconds / 1000:9.1f} ms  {name}")
    irev.evaluate(SAMPLE / "qrels.txt", SAMPLE / "bm25.run", ["all_trec"]).summary()  # imports
    profile = cProfile.Profile()
    profile.enable()
    irev.evaluate(options.qrels, options.run, ["all_trec"], threads=1).summary()
    profile.disable()
    print(f"\nirev.evaluate({options.qrels!r}, {options.run!r}, ['all_trec'], threads=1)")
    figures = pstats.Stats(profile)
    for stage, share in stages(figures).items():
        print(f"{share:9.1%}  {stage}")
    figures.sort_stats("tottime").print_stats(MOST)


if __name__ == "__main__":
    main()
