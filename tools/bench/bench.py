"""Measures irev beside its peers: `python -m tools.bench.bench --help`.

Every figure is a whole process's, but for those of calls from Python. In each round irev and each
peer run one right after the other, so that a ratio compares two runs of the same minute; ratios and
figures are medians over the rounds, and least and greatest ratios of processor time stand beside
them. Nothing is asserted: machines differ, and so do their quiet hours.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from statistics import median

from tools.bench.cases import CASES, Case
from tools.bench.measure import Cost, measure
from tools.bench.programs import Program, earlier, find_peers, has, irev, own
from tools.bench.results import Figures, Pairs, machine, plot, write_json

HEADING = (
    f"{'':18}{'wall s':>9}{'cpu s':>9}{'peak MiB':>10}"
    "   irev/peer:  wall    cpu  (least, greatest)   peak   output   wanted"
)


def run_case(
    case: Case, folder: Path, ours: Program, peers: list[Program], rounds: int
) -> list[Pairs]:
    """Measure and print one case."""
    size = sum((folder / name).stat().st_size for name in case.runs)
    print(f"\n{case.key}  {case.title} ({size / 1e6:,.1f} MB)\n{HEADING}", flush=True)
    stdin = folder / case.runs[0] if case.stdin else None
    first = measure(ours.command(case, folder), stdin)  # fills the file cache; not counted
    if first.error:
        print(f"{ours.label:18}{first.error}")
        return []
    costs: dict[str, list[tuple[Cost, Cost]]] = {peer.label: [] for peer in peers}
    for number in range(rounds):
        for peer in peers:
            say(f"{case.key}: round {number + 1} of {rounds}, {peer.label}")
            mine = measure(ours.command(case, folder), stdin)
            other = measure(peer.command(case, folder), stdin, peer.environment)
            costs[peer.label].append((mine, other))
    say("")
    mine_alone = [mine for measured in costs.values() for mine, _ in measured]
    print(f"{ours.label:18}{medians([figures(cost) for cost in mine_alone or [first]])}")
    return [pairs for peer in peers if (pairs := peer_line(case, peer, costs[peer.label]))]


def figures(cost: Cost) -> Figures:
    """What a process cost."""
    return {name: value for name, value in asdict(cost).items() if isinstance(value, float)}


def medians(costs: list[Figures]) -> str:
    """A program's."""
    middle = [median(cost[name] for cost in costs) for name in ("wall", "cpu", "peak")]
    return "{:9.3f}{:9.3f}{:10.1f}".format(*middle)


def peer_line(case: Case, peer: Program, costs: list[tuple[Cost, Cost]]) -> Pairs | None:
    """Print a peer's medians, and those of irev's ratios to it."""
    pairs = Pairs(case.key, case.title, peer.label, peer.built)
    for mine, other in costs:
        if mine.error or other.error:
            print(f"{peer.label:18}{other.error or 'irev failed beside it: ' + mine.error}")
            return None
        pairs.add(figures(mine), figures(other))
    output = "-"
    if peer.comparable(case) and len(case.runs) == 1:
        same = all(mine.output == other.output for mine, other in costs)
        output = "same" if same else "differs"
    least, greatest = pairs.spread("cpu")
    spread = f"({least:.2f}, {greatest:.2f})"
    print(
        f"{peer.label:18}{medians(pairs.other)}{pairs.ratio('wall'):19.3f}{pairs.ratio('cpu'):7.3f}"
        f"{spread:>19}{pairs.ratio('peak'):7.3f}{output:>9}   {case.aim or '-'}",
        flush=True,
    )
    return pairs


def calls_from_python(python: str, rounds: int) -> list[Pairs]:
    """Those of `api.py`, in a process of its own: this one stays small."""
    command = [python, "-m", "tools.bench.api", f"--rounds={rounds}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as process:
        print("\ncalls from Python   irev ms  pytrec_eval ms   ratio  (least, greatest)   wanted")
        measured = []
        for line in process.stdout or ():
            record = json.loads(line)
            aim = record.pop("wanted")
            pairs = Pairs(**record)
            mine, other = (
                1000 * median(x["cpu"] for x in side) for side in (pairs.irev, pairs.other)
            )
            least, greatest = pairs.spread("cpu")
            print(
                f"{pairs.title:40}{mine:9.2f}{other:10.2f}{pairs.ratio('cpu'):9.3f}"
                f"   ({least:.2f}, {greatest:.2f})   {aim or '-'}",
                flush=True,
            )
            measured.append(pairs)
    return measured


def say(text: str) -> None:
    """Progress, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def make_inputs(cases: list[Case], folder: Path, topics: int) -> None:
    """Make what the cases need, in another process, so that this one stays small."""
    names = dict.fromkeys(name for case in cases for name in (case.qrels, *case.runs) if name)
    if any(case.beside == "text" for case in cases):
        names["blanks.run"] = None
    if names:
        command = [sys.executable, "-m", "tools.bench.inputs", f"--topics={topics}", str(folder)]
        subprocess.run([*command, *names], check=True)


def arguments() -> argparse.Namespace:
    """The command line."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "irev-bench"
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    add = parser.add_argument
    keys = ", ".join(case.key for case in CASES)
    add("--dir", type=Path, default=cache, help="where the inputs are kept (default: %(default)s)")
    add("--topics", type=int, default=6_980, help="topics of the large runs (default: 6980)")
    add("--only", default="", help=f"cases, separated by commas: {keys}, python")
    add("--long", action="store_true", help="also case f, ten times as long")
    add("--rounds", type=int, default=3, help="how often each pair is measured (default: 3)")
    add("--irev", metavar="COMMAND", help="how irev is called (default: this environment's)")
    add("--before", metavar="FOLDER", help="another checkout of irev to measure it beside")
    add(
        "--trec-eval",
        action="append",
        default=[],
        metavar="[LABEL=]PATH",
        help="a peer; repeatable (default: TREC_EVAL, or the one on PATH)",
    )
    add("--peer-python", action="append", default=[], metavar="PATH",
        help="an interpreter with pytrec_eval, ir_measures or ranx; repeatable")  # fmt: skip
    add("--json", type=Path, metavar="FILE", help="where all figures are written")
    add("--plot", type=Path, metavar="FILE", help="where the ratios are drawn (.svg, .png, .pdf)")
    return parser.parse_args()


def choose_cases(only: str, with_long: bool) -> tuple[list[Case], bool]:
    """The cases asked for, and whether calls from Python are among them."""
    keys = only.split(",") if only else [c.key for c in CASES if with_long or not c.long]
    unknown = set(keys) - {case.key for case in CASES} - {"python"}
    if unknown:
        sys.exit(f"no such case: {', '.join(sorted(unknown))}")
    return [case for case in CASES if case.key in keys], not only or "python" in keys


def main() -> None:
    """Make the inputs, find the programs, measure case by case."""
    options = arguments()
    cases, with_python = choose_cases(options.only, options.long)
    folder = options.dir / str(options.topics)
    make_inputs(cases, folder, options.topics)
    ours, peers = irev(options.irev), find_peers(options.trec_eval, options.peer_python)
    print(
        "{platform}, {processors} processors, Python {python}, load {load:.1f}".format(**machine())
    )
    print(f"inputs in {folder}; medians of {options.rounds} rounds")
    floor = measure(["true"]).peak
    print(
        f"peaks are of memory held; one of {floor:.0f} MiB may be smaller: the measuring takes that"
    )
    for peer in peers:
        print(f"{peer.label}: {peer.built}" if peer.built else peer.label)
    if not peers:
        print("no peer found: name one with --trec-eval or --peer-python")
    before = [earlier(options.before)] if options.before else []
    measured = []
    for case in cases:
        if case.needs and not has(sys.executable, case.needs):
            print(f"\n{case.key}  {case.title}: left out, {case.needs} is not installed")
            continue
        beside = [own(case.beside, options.irev)] if case.beside != "peers" else peers
        able = [peer for peer in (*before, *beside) if peer.takes(case) or case.beside != "peers"]
        measured += run_case(case, folder, ours, able, options.rounds)
    if with_python and has(sys.executable, "pytrec_eval"):
        measured += calls_from_python(sys.executable, options.rounds)
    if options.json:
        write_json(options.json, measured)
    if options.plot:
        plot(options.plot, measured)


if __name__ == "__main__":
    main()
