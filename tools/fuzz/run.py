"""`make fuzz`: the fuzzers in turn, for so many minutes, from a seed on.

    python -m tools.fuzz.run [--minutes N] [--seed N] [--only NAME] [--count N] [--keep FOLDER]

A finding becomes a folder: its files, COMMAND (to be called there) and FOUND. A case depends on its
seed alone: `--only NAME --seed N --count 1` tries one again. Each fuzzer works in a process of its
own: where a case brings that down, or does not end, this is a finding too, and the next process
goes on behind it. The exit code is 1 where something was found.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from tools.fuzz import damage, differential, faults, numbers, saved_scores, uploads
from tools.fuzz.harness import Case, Finding

Tried = tuple[Case, str, Finding | None]
"""A case, the class of its outcome, and what is wrong."""

MOST_KEPT = 3
"""Of findings of one class."""

TURNS = {
    "differential": 120.0, "damage": 120.0, "faults": 60.0, "uploads": 60.0, "saved": 20.0,
    "numbers": 60.0,
}  # fmt: skip
"""Seconds that each works before the next one does."""

MEMORY = 6 << 30

LONGEST = 300.0
"""Seconds without a word from a fuzzer's process, also on a machine that does much else."""


def _differential(seed: int, folder: Path) -> Tried | None:
    return differential.try_seed(seed, folder, differential.trec_eval())


FUZZERS: dict[str, Callable[[int, Path], Tried | None]] = {
    "differential": _differential,
    "damage": damage.try_seed,
    "faults": faults.try_seed,
    "uploads": uploads.try_seed,
    "saved": saved_scores.try_seed,
    "numbers": numbers.try_seed,
}


def _work(name: str, seeds: range, seconds: float, folder: str, listener: Connection) -> None:
    """Try the cases of some seeds; tell of each as it begins and as it ends."""
    if name in ("differential", "damage", "numbers"):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    until = time.monotonic() + seconds
    for seed in seeds:
        if time.monotonic() > until:
            break
        listener.send((seed, None))
        listener.send((seed, FUZZERS[name](seed, Path(folder))))


class Fuzzer:
    """One of the fuzzers: how far it is, and what came of it."""

    def __init__(self, name: str, seeds: range, keep: Path) -> None:
        """Begin with the first seed."""
        self.name, self.keep = name, keep
        self.seeds, self.seconds = seeds, 0.0
        self.outcomes: Counter[str] = Counter()
        self.findings: Counter[str] = Counter()

    def work(self, seconds: float) -> None:
        """Try cases for a while, in another process."""
        began = time.monotonic()
        context = multiprocessing.get_context("spawn")
        receiver, sender = context.Pipe(duplex=False)
        with tempfile.TemporaryDirectory() as folder, receiver:
            arguments = (self.name, self.seeds, seconds, folder, sender)
            process = context.Process(target=_work, args=arguments)
            process.start()
            sender.close()
            seed = self._listen(receiver, self.seeds.start)
            process.join(LONGEST)
            if process.is_alive():
                process.kill()
                process.join()
                self._note_crash(seed, "the process does not end")
            elif process.exitcode:
                self._note_crash(seed, f"the process ends with {process.exitcode}")
        self.seconds += time.monotonic() - began

    def _listen(self, receiver: Connection, seed: int) -> int:
        """Take what is told, until nothing more comes; the last seed."""
        try:
            while receiver.poll(LONGEST):
                seed, tried = receiver.recv()
                self.seeds = range(seed + 1, self.seeds.stop)
                if tried is not None:
                    self._note(seed, tried)
        except EOFError:
            pass
        return seed

    def _note(self, seed: int, tried: Tried) -> None:
        case, outcome, finding = tried
        self.outcomes[outcome] += 1
        if finding is None:
            return
        self.findings[finding.what] += 1
        if self.findings[finding.what] <= MOST_KEPT:
            folder = self.keep / f"{self.name}-{seed}"
            case.keep(folder, finding.what, finding.details)
            print(f"{self.name} {seed}: {finding.what}\n    {folder}: {case.command()}", flush=True)

    def _note_crash(self, seed: int, problem: str) -> None:
        fuzzers = {
            "differential": differential, "damage": damage, "faults": faults, "uploads": uploads,
            "numbers": numbers,
        }  # fmt: skip
        self._note(seed, (fuzzers[self.name].case(seed), problem, Finding(problem)))

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {what}" for what, count in self.outcomes.most_common())
        num_findings = sum(self.findings.values())
        return (
            f"{self.name}: {self.outcomes.total()} cases in {self.seconds / 60:.1f} minutes, up to "
            f"seed {self.seeds.start}; {num_findings} findings of "
            f"{len(self.findings)} classes; {counts}"
        )


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=10**9, help="cases of each fuzzer at most")
    parser.add_argument("--only", choices=FUZZERS)
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"))
    options = parser.parse_args()
    print(f"trec_eval: {differential.trec_eval() or 'none; against the plain twins'}", flush=True)
    seeds = range(options.seed, options.seed + options.count)
    fuzzers = [
        Fuzzer(name, seeds, options.keep) for name in FUZZERS if options.only in (None, name)
    ]
    until = time.monotonic() + 60 * options.minutes
    while (left := until - time.monotonic()) > 0 and any(each.seeds for each in fuzzers):
        for fuzzer in fuzzers:
            if fuzzer.seeds:
                fuzzer.work(min(TURNS[fuzzer.name], left / len(fuzzers)))
                print(fuzzer, flush=True)
    return 1 if any(fuzzer.findings for fuzzer in fuzzers) else 0


if __name__ == "__main__":
    sys.exit(main())
