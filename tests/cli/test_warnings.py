"""Warnings, in every command that scores runs: what is told, with --strict, with --quiet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pytest

from irev.cli.commands import irev as program
from tests.command import Ran, irev

TOPICS = range(1, 7)
DOCS = range(1, 13)

SEVERAL = "qrels good.run odd.run twin.run"
CALLS = {
    "eval": f"-m bpref {SEVERAL}",
    "explain": "explain -m bpref -t 2 qrels odd.run",
    "compare": f"compare -m bpref {SEVERAL}",
    "report": f"report -m bpref {SEVERAL}",
    "gate": "gate --max bpref=1 qrels odd.run",
    "leaderboard": f"leaderboard -m bpref {SEVERAL}",
    "pool": f"pool --leave-out -m bpref {SEVERAL}",
    "study sensitivity": "study sensitivity -m bpref qrels odd.run",
    "study judgment-noise": "study judgment-noise -m bpref --theta 0.9 --trials 3 qrels odd.run",
    "study correlation": f"study correlation -m bpref -m AP {SEVERAL}",
    "study preference": f"study preference {SEVERAL}",
    "study topics": f"study topics -m bpref {SEVERAL}",
    "study agreement": f"study agreement qrels -m bpref -m AP {SEVERAL}",
    "study design": f"study design -m bpref {SEVERAL}",
    "study reproduction": "study reproduction -m bpref qrels --baseline good.run "
    "--advanced odd.run --new-baseline twin.run --new-advanced odd.run",
    "study discriminative-power": f"study discriminative-power -m bpref --resamples 20 {SEVERAL}",
    "study robustness": f"study robustness -m bpref -m AP --rates 50 --repeat 2 {SEVERAL}",
    "plot recall-precision": f"plot recall-precision --output x.svg {SEVERAL}",
    "plot per-topic": f"plot per-topic -m bpref --output x.svg {SEVERAL}",
    "plot median": f"plot median -m bpref --run odd.run --output x.svg {SEVERAL}",
    "plot scatter": "plot scatter -m bpref --output x.svg qrels good.run odd.run",
    "plot cutoffs": f"plot cutoffs -m P@5,10 --output x.svg {SEVERAL}",
    "plot distribution": f"plot distribution -m bpref --output x.svg {SEVERAL}",
    "plot tie-ranges": f"plot tie-ranges -m bpref --output x.svg {SEVERAL}",
}
"""A call of each command that holds runs against judgments."""

OTHERS = {
    "measures", "check", "sample", "study enumerate", "study overlap",
}  # fmt: skip
"""Commands that score no run: their own tests have what they warn of."""

UNJUDGED = "none of the 60 documents of judged topics is judged"
LACKS = r"lacks 1 |1 judged topic is missing from the run"
LOW = "1 judgment has a grade below -1, which "
TWINS = r"\w+ and twin rank the same documents in the same order"
ALL = (UNJUDGED, LACKS, LOW, TWINS)

NOT_SAID = {
    "explain": (LACKS, TWINS),
    "study sensitivity": (TWINS,),
    "study judgment-noise": (TWINS,),
    "study preference": (LOW,),
    "study reproduction": (TWINS,),
    "study robustness": (LOW,),
    "plot recall-precision": (LOW,),
    "plot scatter": (TWINS,),
    "plot cutoffs": (LOW,),
    "gate": (LACKS, LOW, TWINS),
}
"""What cannot be, of one topic or one run; measures are not asked for, or others, or it stops."""


def jobs() -> Iterator[tuple[str, click.Command]]:
    """Every command and kind of command that there is."""

    def commands_below(group: Any, prefix: str) -> Iterator[tuple[str, click.Command]]:
        for name in group.list_commands(None):
            command = group.get_command(None, name)
            if hasattr(command, "list_commands"):
                yield from commands_below(command, f"{name} ")
            else:
                yield f"{prefix}{name}", command

    return commands_below(program, "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgments with a grade of -2, a run that fits them and one twice that does not."""
    result = tmp_path_factory.mktemp("warnings")
    grade = {n: -2 if n == 1 else n % 2 for n in DOCS}
    qrels = [f"{t} 0 doc{t}-{n:02} {grade[n] if t == 3 else n % 2}\n" for t in TOPICS for n in DOCS]
    (result / "qrels").write_text("".join(qrels))
    for name, form, topics in (
        ("good.run", "doc{}-{:02}", TOPICS),
        ("twin.run", "doc{}-{:02}", TOPICS),
        ("odd.run", "xy:doc{}-{:02}", TOPICS[1:]),
    ):
        lines = [f"{t} Q0 {form.format(t, n)} 1 {(n * t) % 13} t\n" for t in topics for n in DOCS]
        (result / name).write_text("".join(lines))
    return result


def call(name: str, folder: Path, *more: str) -> Ran:
    """Run the call of a command."""
    return irev(*CALLS[name].split(), *more, cwd=folder)


def test_every_command_is_here() -> None:
    """A new command takes both options, and has a call above."""
    every = dict(jobs())
    assert every.keys() == {*CALLS, *OTHERS, "completion"}  # which reads no file
    for name in (*CALLS, *OTHERS):
        assert {"strict", "quiet"} <= {param.name for param in every[name].params}, name


@pytest.mark.in_turn(3)
@pytest.mark.usefixtures("unplaced")
@pytest.mark.parametrize("name", CALLS)
def test_doubts_are_told(name: str, folder: Path) -> None:
    """As warnings; as errors with --strict, and nothing is written; with --quiet not at all."""
    strict = call(name, folder, "--strict")
    assert not list(folder.glob("x.*"))
    plain, quiet = call(name, folder), call(name, folder, "--quiet")
    for path in folder.glob("x.*"):
        path.unlink()
    word = "error" if name == "gate" else "warning"
    lines = [line for line in plain.err.splitlines() if line.startswith(f"irev: {word}: ")]
    for text in ALL:
        times = sum(bool(re.search(text, line)) for line in lines)
        assert times == (text not in NOT_SAID.get(name, ())), text
    assert (strict.code, strict.out) == (2, b"")
    errors = [line for line in strict.err.splitlines() if line.startswith("irev: error: ")]
    assert any(UNJUDGED in line or LOW in line for line in errors)
    if name != "gate":
        assert not quiet.err
        assert (quiet.code, quiet.out) == (plain.code, plain.out) == (0, plain.out)


@pytest.mark.in_turn(3)
@pytest.mark.usefixtures("unplaced")
@pytest.mark.parametrize("name", CALLS)
def test_strict_makes_each_warning_an_error(name: str, folder: Path) -> None:
    """Also of runs with which every command ends well: nothing else is wrong with them."""
    (folder / "part.run").write_text(
        "".join(f"{t} Q0 doc{t}-{n:02} 1 {(n * t) % 13} t\n" for t in TOPICS[1:] for n in DOCS)
    )
    arguments = CALLS[name].replace("odd.run", "part.run").replace(" twin.run", "", 1).split()
    if name == "study reproduction":
        arguments = CALLS[name].replace("odd.run", "part.run").split()
    plain, strict = (irev(*arguments, *more, cwd=folder) for more in ([], ["--strict"]))
    for path in folder.glob("x.*"):
        path.unlink()
    warnings = [line for line in plain.err.splitlines() if line.startswith("irev: warning: ")]
    assert (plain.code, bool(warnings)) == (0, True)
    assert (strict.code, strict.out) == (2, b"")
    errors = [line for line in strict.err.splitlines() if line.startswith("irev: error: ")]
    assert errors[:1] == [warnings[0].replace("warning", "error", 1)]


@pytest.mark.parametrize(
    "arguments",
    [
        ["-m", "map", "qrels.zst", "good.run"],
        ["-m", "map", "--sample", "50%", "qrels.zst", "good.run"],
        ["compare", "qrels.zst", "good.run", "odd.run"],
        ["explain", "-m", "map", "-t", "2", "qrels.zst", "good.run"],
        ["study", "preference", "qrels.zst", "good.run", "odd.run"],
        ["check", "qrels.zst"],
    ],
)
def test_judgments_without_a_checksum_are_a_note(folder: Path, arguments: list[str]) -> None:
    path = folder / "qrels.zst"
    # Arrow writes no checksum
    with pa.CompressedOutputStream(str(path), "zstd") as stream:
        stream.write((folder / "qrels").read_bytes())
    done = irev(*arguments, cwd=folder)
    assert done.code == 0
    message = "compressed without a checksum: damage of the file may go unseen"
    if arguments[0] == "check":
        assert message in done.out.decode()
    else:
        assert f"irev: note: qrels.zst: {message}; the zstd and lz4 commands write one" in done.err
