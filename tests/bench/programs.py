"""The programs that are measured: irev and whichever peers this machine has."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.bench import library
from tests.bench.cases import Case

ONE_RUN_AFTER_ANOTHER = (
    'q=$1 m=$2 p=$3; shift 3; for run; do "$p" -m "$m" "$q" "$run" || exit; done'
)
FOUNDATIONS = "import click, numpy, pyarrow.csv"


@dataclass(frozen=True)
class Program:
    """How a program is called; `command` makes the arguments from a case and the inputs' folder."""

    label: str
    command: Callable[[Case, Path], list[str]]
    takes_stdin: bool = True
    comparable: bool = False
    """Whether its output should be irev's to the byte (trec_eval's rbp depends on the compiler)."""


def irev(words: str | None, *, plain: bool = False) -> Program:
    """This project's command: as given, beside this interpreter, or as a module.

    A `plain` one draws no samples.
    """
    beside = Path(sys.executable).with_name("irev")
    prefix = shlex.split(words) if words else [str(beside)]
    if not words and not beside.exists():
        prefix = [sys.executable, "-m", "irev"]

    def command(case: Case, folder: Path) -> list[str]:
        measures = [f"-m{name}" for name in case.measures.split()]
        samples = () if plain else [f"--sample={design}" for design in case.samples]
        return [*prefix, *measures, *samples, *files(case, folder)]

    return Program("irev, no samples" if plain else "irev", command)


def trec_eval(path: str, label: str = "") -> Program:
    """A trec_eval binary, which takes one run at a time."""

    def command(case: Case, folder: Path) -> list[str]:
        qrels, *runs = files(case, folder)
        if len(runs) == 1:
            return [path, "-m", case.measures, qrels, *runs]
        return ["sh", "-c", ONE_RUN_AFTER_ANOTHER, "sh", qrels, case.measures, path, *runs]

    return Program(f"trec_eval {label}".strip(), command, comparable=True)


def python_library(python: str, name: str) -> Program:
    """A library that the interpreter can import."""

    def command(case: Case, folder: Path) -> list[str]:
        return [python, library.__file__, name, *files(case, folder)]

    return Program(name, command, takes_stdin=False)


def imports(python: str) -> Program:
    """What irev cannot do without: starting Python and importing what it stands on."""
    return Program("imports alone", lambda _case, _folder: [python, "-c", FOUNDATIONS])


def files(case: Case, folder: Path) -> list[str]:
    """The qrels and the runs as arguments."""
    runs = ["-"] if case.stdin else [str(folder / run) for run in case.runs]
    return [str(folder / case.qrels), *runs]


def find_peers(binaries: list[str], pythons: list[str]) -> list[Program]:
    """The peers asked for (`PATH` or `LABEL=PATH`), or those that are found without asking."""
    found = shutil.which("trec_eval")
    peers = []
    for text in binaries or ([found] if found else []):
        label, _, path = text.rpartition("=")
        peers.append(trec_eval(path, label))
    for python in pythons or [sys.executable]:
        peers += [python_library(python, name) for name in library.LIBRARIES if has(python, name)]
    return peers


def has(python: str, name: str) -> bool:
    """Whether an interpreter can find a module."""
    test = f"import importlib.util as u, sys; sys.exit(u.find_spec({name!r}) is None)"
    return subprocess.run([python, "-c", test], check=False).returncode == 0
