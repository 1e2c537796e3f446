"""Measures irev beside its peers: `python -m tests.bench.bench --help`.

Every figure is a whole process's. In each round irev and each peer run one right after the other,
so that a ratio compares two runs of the same minute; ratios and figures are medians over the
rounds. Nothing is asserted: machines differ, and so do their quiet hours.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from pathlib import Path
from statistics import median

from tests.bench.cases import CASES, Case
from tests.bench.measure import Cost, measure
from tests.bench.programs import Program, find_peers, imports, irev

Pair = tuple[Cost, Cost]
"""irev and a peer, one right after the other."""

HEADING = (
    f"{'':18}{'wall s':>9}{'cpu s':>9}{'peak MiB':>10}"
    "   irev/peer:  wall    cpu   peak   output   wanted"
)


def run_case(case: Case, folder: Path, ours: Program, peers: list[Program], rounds: int) -> None:
    """Measure and print one case."""
    size = sum((folder / name).stat().st_size for name in case.runs)
    print(f"\n{case.key}  {case.title} ({size / 1e6:,.1f} MB)\n{HEADING}", flush=True)
    stdin = folder / case.runs[0] if case.stdin else None
    first = measure(ours.command(case, folder), stdin)  # fills the file cache; not counted
    if first.error:
        print(f"{ours.label:18}{first.error}")
        return
    pairs: dict[str, list[Pair]] = {peer.label: [] for peer in peers}
    for number in range(rounds):
        for peer in peers:
            say(f"{case.key}: round {number + 1} of {rounds}, {peer.label}")
            mine = measure(ours.command(case, folder), stdin)
            pairs[peer.label].append((mine, measure(peer.command(case, folder), stdin)))
    say("")
    every = [mine for measured in pairs.values() for mine, _ in measured]
    print(figures(ours.label, every or [first]))
    for peer in peers:
        print(peer_line(case, peer, pairs[peer.label]), flush=True)


def figures(label: str, costs: list[Cost]) -> str:
    """A program's medians."""
    wall, cpu, peak = (
        median(values) for values in zip(*((c.wall, c.cpu, c.peak) for c in costs), strict=True)
    )
    return f"{label:18}{wall:9.3f}{cpu:9.3f}{peak:10.1f}"


def peer_line(case: Case, peer: Program, pairs: list[Pair]) -> str:
    """A peer's medians, and those of irev's ratios to it."""
    for mine, other in pairs:
        if mine.error or other.error:
            return f"{peer.label:18}{other.error or 'irev failed beside it: ' + mine.error}"
    ratios = zip(*(mine.over(other) for mine, other in pairs), strict=True)
    wall, cpu, peak = (median(values) for values in ratios)
    wanted = f"wall at most {case.wanted}" if case.wanted else "-"
    output = "-"
    if peer.comparable and len(case.runs) == 1:
        same = all(mine.output == other.output for mine, other in pairs)
        output = "same" if same else "differs"
    text = f"{wall:19.3f}{cpu:7.3f}{peak:7.3f}{output:>9}   {wanted}"
    return figures(peer.label, [other for _, other in pairs]) + text


def say(text: str) -> None:
    """Progress, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def make_inputs(cases: list[Case], folder: Path, topics: int) -> None:
    """Make what the cases need, in another process, so that this one stays small."""
    names = dict.fromkeys(name for case in cases for name in (case.qrels, *case.runs))
    command = [sys.executable, "-m", "tests.bench.inputs", f"--topics={topics}", str(folder)]
    subprocess.run([*command, *names], check=True)


def arguments() -> argparse.Namespace:
    """The command line."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "irev-bench"
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    add = parser.add_argument
    add("--dir", type=Path, default=cache, help="where the inputs are kept (default: %(default)s)")
    add("--topics", type=int, default=6_980, help="topics of the large runs (default: 6980)")
    add("--only", default="", help="cases, separated by commas: " + ", ".join(c.key for c in CASES))
    add("--long", action="store_true", help="also case f, ten times as long")
    add("--rounds", type=int, default=3, help="how often each pair is measured (default: 3)")
    add("--irev", metavar="COMMAND", help="how irev is called (default: this environment's)")
    add(
        "--trec-eval",
        action="append",
        default=[],
        metavar="[LABEL=]PATH",
        help="a peer; repeatable",
    )
    add("--peer-python", action="append", default=[], metavar="PATH",
        help="an interpreter with pytrec_eval, ir_measures or ranx; repeatable")  # fmt: skip
    return parser.parse_args()


def chosen(only: str, with_long: bool) -> list[Case]:
    """The cases asked for."""
    keys = only.split(",") if only else [c.key for c in CASES if with_long or not c.long]
    unknown = set(keys) - {case.key for case in CASES}
    if unknown:
        sys.exit(f"no such case: {', '.join(sorted(unknown))}")
    return [case for case in CASES if case.key in keys]


def main() -> None:
    """Make the inputs, find the programs, measure case by case."""
    given = arguments()
    cases = chosen(given.only, given.long)
    folder = given.dir / str(given.topics)
    make_inputs(cases, folder, given.topics)
    ours, peers = irev(given.irev), find_peers(given.trec_eval, given.peer_python)
    print(f"{platform.platform()}, {os.cpu_count()} processors, Python {platform.python_version()}")
    print(f"inputs in {folder}; medians of {given.rounds} rounds")
    floor = measure(["true"]).peak
    print(
        f"peaks are of memory held; one of {floor:.0f} MiB may be smaller: the measuring takes that"
    )
    if not peers:
        print("no peer found: name one with --trec-eval or --peer-python")
    for case in cases:
        able = [peer for peer in peers if peer.takes_stdin or not case.stdin]
        able += [imports(sys.executable)] if case.imports else []
        able = [irev(given.irev, plain=True)] if case.samples else able
        run_case(case, folder, ours, able, given.rounds)


if __name__ == "__main__":
    main()
