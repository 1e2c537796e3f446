"""How time and memory grow with a run's lines: `python -m tools.bench.growth --help`.

Runs of 1,000 lines a topic, about one judgment a topic, `-m all_trec`: one process for each length,
irev and trec_eval in turn. The result is a table, and with `--plot` a figure on two log scales.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from statistics import median

from tools.bench.bench import figures
from tools.bench.inputs import GROWTH
from tools.bench.measure import measure
from tools.bench.results import Figures


def costs(command: list[str], rounds: int) -> Figures:
    """The medians of so many calls."""
    measured = [measure(command) for _ in range(rounds)]
    for cost in measured:
        if cost.error:
            sys.exit(f"{' '.join(command)}: {cost.error}")
    every = [figures(cost) for cost in measured]
    return {name: median(each[name] for each in every) for name in every[0]}


def draw(path: Path, measured: dict[str, dict[int, Figures]]) -> None:
    """Processor time and memory over the number of lines."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.4), layout="constrained")
    for place, (name, title) in enumerate(
        (("cpu", "processor time (s)"), ("peak", "peak memory (MiB)")), 1
    ):
        axes = figure.add_subplot(1, 2, place)
        for program, lengths in measured.items():
            axes.plot(list(lengths), [each[name] for each in lengths.values()], "o-", label=program)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("lines of the run")
        axes.set_title(title)
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(path)


def main() -> None:
    """Make the runs, measure each, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--dir", type=Path, required=True, help="where the runs are kept")
    add("--most", type=int, default=GROWTH[-1], help="lines of the longest (default: %(default)s)")
    add("--rounds", type=int, default=3)
    add("--trec-eval", metavar="PATH", help="the peer")
    add("--most-of-peer", type=int, default=10**7, help="the peer's longest (default: %(default)s)")
    add("--plot", type=Path, metavar="FILE", help="where the figure is written")
    options = parser.parse_args()
    programs = {"irev": [sys.executable, "-m", "irev"]}
    if options.trec_eval:
        programs["trec_eval"] = [options.trec_eval]
    measured: dict[str, dict[int, Figures]] = {name: {} for name in programs}
    print(f"{'lines':>12}  {'program':10}{'wall s':>9}{'cpu s':>9}{'peak MiB':>10}")
    for lines in GROWTH:
        if lines > options.most:
            break
        files = [f"qrels-{lines}", f"run-{lines}"]
        make = [sys.executable, "-m", "tools.bench.inputs", str(options.dir), *files]
        subprocess.run(make, check=True)
        paths = [str(options.dir / name) for name in files]
        for name, program in programs.items():
            if name != "irev" and lines > options.most_of_peer:
                continue
            rounds = options.rounds if lines < GROWTH[-1] else 1
            cost = costs([*program, "-m", "all_trec", *paths], rounds)
            measured[name][lines] = cost
            print(
                f"{lines:12,}  {name:10}{cost['wall']:9.2f}{cost['cpu']:9.2f}{cost['peak']:10.0f}",
                flush=True,
            )
    if options.plot:
        draw(options.plot, measured)


if __name__ == "__main__":
    main()
