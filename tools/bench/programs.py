"""The programs that are measured: irev and whichever peers this machine has."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tools.bench import library
from tools.bench.cases import Case

ONE_RUN_AFTER_ANOTHER = (
    'q=$1 m=$2 p=$3; shift 3; for run; do "$p" -m "$m" "$q" "$run" || exit; done'
)
UNPACKED_FIRST = (
    't=$(mktemp) && $1 "$2" >"$t" && shift 2 && "$@" "$t"; code=$?; rm -f "$t"; exit $code'
)


@dataclass(frozen=True)
class Program:
    """How a program is called; `command` makes the arguments from a case and the inputs' folder."""

    label: str
    command: Callable[[Case, Path], list[str]]
    takes: Callable[[Case], bool] = lambda _case: True
    comparable: Callable[[Case], bool] = lambda _case: False
    """Whether its output should be irev's to the byte (trec_eval's rbp depends on the compiler)."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What its environment has besides."""
    built: str = ""
    """The compiler and its options, where the program tells."""


def irev(words: str | None) -> Program:
    """This project's command: as given, beside this interpreter, or as a module."""
    beside = Path(sys.executable).with_name("irev")
    prefix = shlex.split(words) if words else [str(beside)]
    if not words and not beside.exists():
        prefix = [sys.executable, "-m", "irev"]

    def command(case: Case, folder: Path) -> list[str]:
        measures = [f"-m{name}" for name in case.measures.split()]
        return [*prefix, *measures, *case.options.split(), *files(case, folder)]

    return Program("irev", command)


def earlier(tree: str) -> Program:
    """Another checkout of irev, in this interpreter."""
    # -P: what is imported is there, not in the folder where the benchmark runs
    there = {"PYTHONPATH": str(Path(tree).resolve())}
    return replace(irev(f"{sys.executable} -P -m irev"), label="irev before", environment=there)


def trec_eval(path: str, label: str = "") -> Program:
    """A trec_eval binary, which takes one run at a time."""

    def command(case: Case, folder: Path) -> list[str]:
        qrels, *runs = files(case, folder)
        call = [path, *case.peer_options.split(), "-m", case.measures, qrels]
        if case.packed:
            return ["sh", "-c", UNPACKED_FIRST, "sh", case.packed, runs[0], *call]
        if len(runs) == 1:
            return [*call, *runs]
        return ["sh", "-c", ONE_RUN_AFTER_ANOTHER, "sh", qrels, case.measures, path, *runs]

    def takes(case: Case) -> bool:
        return case.is_plain_text or bool(case.packed)

    return Program(
        f"trec_eval {label}".strip(),
        command,
        takes,
        comparable=lambda case: case.options == case.peer_options,
        built=compiler(path),
    )


def compiler(path: str) -> str:
    """What the debugging symbols of a binary say of how it was built; empty where it has none."""
    compilers = re.findall(rb"GNU C\d\d [^\0]+", Path(path).read_bytes())
    return max(set(compilers), key=compilers.count).decode(errors="replace") if compilers else ""


def python_library(python: str, name: str) -> Program:
    """A library that the interpreter can import."""

    def command(case: Case, folder: Path) -> list[str]:
        return [python, library.__file__, name, *files(case, folder)]

    def takes(case: Case) -> bool:
        return case.is_plain_text and not case.stdin and not case.options

    return Program(name, command, takes)


def _starts(label: str, statement: str) -> Program:
    return Program(label, lambda _case, _folder: [sys.executable, "-c", statement])


def own(name: str, words: str | None) -> Program:
    """What irev is measured beside where that is no peer."""
    ours = irev(words)
    if name == "text":
        return replace(
            ours,
            label="the plain run",
            command=lambda case, folder: ours.command(replace(case, runs=("blanks.run",)), folder),
        )
    if name in WITHOUT_OPTIONS:
        return replace(
            ours,
            label=WITHOUT_OPTIONS[name],
            command=lambda case, folder: ours.command(replace(case, options=""), folder),
            comparable=lambda _case: name == "one process",
        )
    return _starts(f"import {name}", STARTS[name])


WITHOUT_OPTIONS = {"one sample less": "no samples", "one process": "one process"}
"""irev itself, given the case without its options: how that is called."""

STARTS = {"imports": "import click, numpy, pyarrow.csv", "click": "import click"}
"""What irev cannot do without: starting Python and importing what it stands on."""


def files(case: Case, folder: Path) -> list[str]:
    """The qrels and the runs as arguments."""
    runs = ["-"] if case.stdin else [str(folder / run) for run in case.runs]
    return [str(folder / case.qrels), *runs] if case.qrels else []


def find_peers(binaries: list[str], pythons: list[str]) -> list[Program]:
    """The peers asked for (`PATH` or `LABEL=PATH`), or those that are found without asking."""
    default = os.environ.get("TREC_EVAL") or shutil.which("trec_eval")
    peers = []
    for text in binaries or ([default] if default else []):
        label, _, path = text.rpartition("=")
        peers.append(trec_eval(path, label))
    for python in pythons or [sys.executable]:
        peers += [python_library(python, name) for name in library.LIBRARIES if has(python, name)]
    return peers


def has(python: str, name: str) -> bool:
    """Whether an interpreter can find a module."""
    test = f"import importlib.util as u, sys; sys.exit(u.find_spec({name!r}) is None)"
    return subprocess.run([python, "-c", test], check=False).returncode == 0
