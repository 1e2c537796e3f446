"""Names that leave a reader to guess: `python -m tools.vague_names [PATH...] [--list]` counts them.

A function that is a bare participle (`drawn`) has lost what it gives, one that begins with a
preposition or pronoun (`of_seen`) what it does; a value called `found` could be anything. Words are
judged by their form, so that a few that are right are counted, too.
"""

from __future__ import annotations

import argparse
import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).parents[1]

_PREPOSITIONS = """
of by at in on with without from to for into through among between behind beside beyond before after
over under above below beneath against towards about around across along apart as per than via
within inside outside upon off out up down
"""
_PRONOUNS = """
this that these those each its their his her it them what which who whose how where when why
"""
PREPOSITIONS = frozenset([*_PREPOSITIONS.split(), *_PRONOUNS.split()])
"""Prepositions and pronouns."""

VALUES = frozenset(["found", "given", "asked", "told", "said", "made", "wanted", "chosen", "known"])
"""What values are called that could be anything."""

_IRREGULAR = """
drawn given told said made kept held found sent taken shown written known chosen left met brought
thought bought built lent spent begun gone done seen worn torn grown thrown flown blown broken
spoken frozen fallen meant hit lost won paid laid heard sold understood forgotten hidden beaten
swept dealt felt bound wound shed
"""
_PARTICIPLES = frozenset(_IRREGULAR.split())
_NO_PARTICIPLES = frozenset(["need", "seed", "speed", "feed", "embed", "indeed", "exceed"])


class VagueName(NamedTuple):
    """A name, where it stands, and what is vague about it."""

    path: Path
    line: int
    name: str
    fault: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.name}: {self.fault}"


PARTICIPLE = "a bare participle for a function"
PREPOSITION = "a function that begins with a preposition or pronoun"
VALUE = "a value that could be anything"
PARAMETER = "a preposition or pronoun for a parameter"
FAULTS = (PARTICIPLE, PREPOSITION, VALUE, PARAMETER)


def vague_names(path: Path) -> Iterator[VagueName]:
    """The vague names of a file, in no order."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for fault in _function_faults(node.name):
                yield VagueName(path, node.lineno, node.name, fault)
        elif isinstance(node, ast.arg):
            for fault in _value_faults(node.arg, is_parameter=True):
                yield VagueName(path, node.lineno, node.arg, fault)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            for fault in _value_faults(node.id, is_parameter=False):
                yield VagueName(path, node.lineno, node.id, fault)


def _function_faults(name: str) -> Iterator[str]:
    if name.startswith("__"):
        return
    first, *others = [*filter(None, name.split("_")), ""][:2]
    if not any(others) and _is_participle(first):
        yield PARTICIPLE
    if first in PREPOSITIONS:
        yield PREPOSITION


def _is_participle(word: str) -> bool:
    return word in _PARTICIPLES or (
        re.fullmatch(r"[a-z]{3,}ed", word) is not None and word not in _NO_PARTICIPLES
    )


def _value_faults(name: str, *, is_parameter: bool) -> Iterator[str]:
    if name in VALUES:
        yield VALUE
    if is_parameter and name in PREPOSITIONS - {"which"}:
        yield PARAMETER


def python_files(paths: Sequence[Path]) -> list[Path]:
    """The files that these are, or that lie in these folders."""
    folders = [path for path in paths if path.is_dir()]
    files = [path for path in paths if not path.is_dir()]
    return [*files, *(path for folder in folders for path in sorted(folder.rglob("*.py")))]


def count_line(names: Sequence[VagueName]) -> str:
    """How many there are of each fault."""
    counts = (f"{sum(name.fault == fault for name in names)} {fault}" for fault in FAULTS)
    return "; ".join(counts)


def main(words: Sequence[str] | None = None) -> None:
    """Print the counts, or every name."""
    parser = argparse.ArgumentParser(prog="python -m tools.vague_names", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / "irev"], metavar="PATH")
    parser.add_argument("--list", action="store_true", help="print every name, too")
    options = parser.parse_args(words)
    names = [name for path in python_files(options.paths) for name in vague_names(path)]
    if options.list:
        print(*sorted(names, key=lambda name: (FAULTS.index(name.fault), name)), sep="\n")
    print(count_line(names))


if __name__ == "__main__":
    main()
