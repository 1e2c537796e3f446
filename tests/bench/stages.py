"""Where irev's time goes: `make profile`, or `python -m tests.bench.stages [QRELS RUN]`.

Two views. The start: what each import costs, by package, when the sample run is evaluated. The
work: the functions that take longest in an evaluation by one thread, under Python's profiler,
whose own cost makes small functions look dearer than they are.
"""

from __future__ import annotations

import cProfile
import pstats
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import irev

ROOT = Path(__file__).parent.parent.parent
SAMPLE = ROOT / "sample_data"
IMPORTED = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s*(\S+)")
MOST = 25
"""Functions that are shown."""


def imports(qrels: str, run: str) -> Counter[str]:
    """Microseconds for each package that a call imports, its own modules only."""
    call = [sys.executable, "-X", "importtime", "-m", "irev", qrels, run]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    found: Counter[str] = Counter()
    for own, name in IMPORTED.findall(done.stderr):
        found[".".join(name.split(".")[: 2 if name.startswith("irev") else 1])] += int(own)
    return found


def main() -> None:
    """Print both."""
    qrels, run = sys.argv[1:3] or (str(SAMPLE / "qrels.txt"), str(SAMPLE / "bm25.run"))
    found = imports(str(SAMPLE / "qrels.txt"), str(SAMPLE / "bm25.run"))
    print(f"imports of a small evaluation: {sum(found.values()) / 1000:.0f} ms under -X importtime")
    for name, microseconds in found.most_common(MOST):
        print(f"{microseconds / 1000:9.1f} ms  {name}")
    profile = cProfile.Profile()
    profile.enable()
    irev.evaluate(qrels, run, ["all_trec"], threads=1).summary()
    profile.disable()
    print(f"\nirev.evaluate({qrels!r}, {run!r}, ['all_trec'], threads=1)")
    pstats.Stats(profile).sort_stats("tottime").print_stats(MOST)


if __name__ == "__main__":
    main()
