"""Small runs for gates: each topic has one relevant document, so that its AP is 1/rank."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from irev.cli.commands import irev


class Ended(NamedTuple):
    """How a call ended."""

    code: int
    out: str
    err: str


def gate(*arguments: object) -> Ended:
    """Run `irev gate` in this process."""
    done = CliRunner().invoke(irev, ["gate", *map(os.fspath, map(str, arguments))])
    return Ended(done.exit_code, done.stdout, done.stderr)


def write_qrels(path: str, topics: int, grade: int = 1) -> None:
    """Judge one document of each topic as relevant, and another as not."""
    lines = [f"{topic} 0 yes {grade}\n{topic} 0 no 0\n" for topic in range(1, topics + 1)]
    Path(path).write_text("".join(lines), encoding="utf-8")


def write_run(path: str, ranks: Sequence[int]) -> None:
    """A run with the relevant document of topic 1, 2, ... at these ranks; 0: the topic lacks."""
    lines = []
    for topic, rank in enumerate(ranks, 1):
        docs = [f"d{place}" for place in range(1, rank)] + ["yes"] if rank else []
        lines += [f"{topic} Q0 {doc} {n} {100 - n} tag\n" for n, doc in enumerate(docs, 1)]
    Path(path).write_text("".join(lines), encoding="utf-8")
