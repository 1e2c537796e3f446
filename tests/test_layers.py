"""Imports point down: which room of the house may know which.

Imports inside functions count as all others do, and so do those for the type checker alone.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.files import ROOT

HOUSE = ROOT / "irev"

FLOORS = (
    ("errors", "core"),
    ("read", "rank", "measures"),
    ("options",),
    ("rank.ties",),
    ("config", "scores"),
    ("engine",),
    ("statistics",),
    ("writers",),
    ("jobs.result",),
    ("jobs.study_result",),
    ("jobs.score_job",),
    ("jobs.repeat_command",),
    ("jobs.pool",),
    ("jobs.sample",),
    (
        "jobs.compare",
        "jobs.leaderboard",
        "jobs.gate",
        "jobs.check",
        "jobs.explain",
        "jobs.measures",
    ),
    ("jobs.plots", "jobs.report"),
    ("jobs.studies", "jobs"),
    ("plots", "studies", "spark", "compat"),
    ("cli",),
    ("__init__", "__main__"),
)
"""The rooms, from the ground up. Those of one floor do not know each other."""

FRIENDS = {("errors", "core"), ("core", "errors"), ("__main__", "__init__")}
"""Rooms of one floor of which the first may know the second, nevertheless."""


class Import(NamedTuple):
    """That a module imports another."""

    module: str
    imported: str
    for_types: bool


def name_of(path: Path) -> str:
    """A module's name below irev; a room's own is the room's."""
    parts = path.relative_to(HOUSE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


MODULES = {name_of(path): path for path in sorted(HOUSE.rglob("*.py"))}


def imports_of(module: str) -> set[Import]:
    """All imports of irev's own modules, wherever in the file."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    for_types = {
        id(inside)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for statement in node.body
        for inside in ast.walk(statement)
    }
    imports = set()
    for node in ast.walk(tree):
        for name in names_in(node):
            imports.add(Import(module, name, id(node) in for_types))
    return {each for each in imports if each.imported != module}


def names_in(node: ast.AST) -> list[str]:
    """The modules below irev that an import names."""
    if isinstance(node, ast.Import):
        imported = [(alias.name, "") for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute here"
        imported = [(node.module or "", alias.name) for alias in node.names]
    else:
        return []
    names = []
    for origin, name in imported:
        top, _, inside = origin.partition(".")
        if top == "irev":
            longer = f"{inside}.{name}".strip(".")
            names.append(longer if longer in MODULES else inside or "__init__")
    return names


def room(module: str) -> str:
    """The room that a module belongs to: a job is one of its own."""
    parts = module.split(".")
    inner = ".".join(parts[:2])
    return inner if parts[0] == "jobs" or inner == "rank.ties" else parts[0]


@cache
def all_imports() -> list[Import]:
    """Those of all modules."""
    return sorted(each for module in MODULES for each in imports_of(module))


FLOOR = {name: number for number, names in enumerate(FLOORS) for name in names}


def floor(name: str) -> int:
    """The floor of a room: that of a job is the usual one, unless another is named."""
    return FLOOR[name if name in FLOOR or not name.startswith("jobs.") else "jobs.compare"]


def points_down(each: Import) -> bool:
    """Whether an import stays in its room or goes to a lower one."""
    above, below = room(each.module), room(each.imported)
    return above == below or (above, below) in FRIENDS or floor(below) < floor(above)


def test_every_room_has_its_floor() -> None:
    rooms = {room(module) for module in MODULES}
    assert {name for name in rooms if not name.startswith("jobs.")} <= set(FLOOR)


def test_the_house_is_drawn_as_it_is() -> None:
    """The drawing for contributors names every room, the upper ones above the lower ones."""
    drawing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("```text\n")[1]
    lines = drawing.partition("```")[0].partition("\n\n")[2].splitlines()
    line_of = {name: number for number, line in enumerate(lines) for name in drawn_rooms(line)}
    floors = [[line_of[name] for name in names] for names in FLOORS[:-1]]
    assert all(min(lower) >= max(upper) for lower, upper in pairwise(floors))


def drawn_rooms(line: str) -> list[str]:
    """The rooms at the beginning of a line, before what they are for, jobs indented."""
    jobs = "jobs." if line.startswith("   ") else ""
    return [jobs + name for name in re.findall(r"[\w.]+", re.split(r" {4,}", line)[0])]


@pytest.mark.long
def test_the_imports_are_seen() -> None:
    """Lazy ones and those for types included: irev's own entry is one of them."""
    assert Import("__main__", "cli", for_types=False) in all_imports()
    assert len(all_imports()) > len(MODULES)
    assert {each.for_types for each in all_imports()} == {False, True}


def test_imports_point_down() -> None:
    up = [(each.module, each.imported) for each in all_imports() if not points_down(each)]
    assert not up, "move what is imported, or what imports it"


def test_modules_do_not_stand_in_a_circle() -> None:
    """Not within a room, either; imports for types may."""
    assert not circles()


def circles() -> set[frozenset[str]]:
    """The sets of modules that reach each other."""
    follows: dict[str, set[str]] = {module: set() for module in MODULES}
    for each in all_imports():
        if not each.for_types:
            follows[each.module].add(each.imported)
    reach = {module: reachable(module, follows) for module in MODULES}
    return {
        frozenset({module, *(other for other in reach[module] if module in reach[other])})
        for module in MODULES
        if module in reach[module]
    }


def reachable(module: str, follows: dict[str, set[str]]) -> set[str]:
    """All modules that a module leads to."""
    modules: set[str] = set()
    waiting = [module]
    while waiting:
        for each in follows[waiting.pop()] - modules:
            modules.add(each)
            waiting.append(each)
    return modules


def test_few_files_lie_at_the_top() -> None:
    top = [path.name for path in HOUSE.glob("*.py")]
    assert len(top) <= 12, top


def test_no_class_has_the_name_of_another() -> None:
    """Who reads a public name, or looks for it, finds one class."""
    places: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"^class ([A-Z]\w*)", text, re.MULTILINE):
            places.setdefault(name, []).append(module)
    assert len(places) > 100
    assert not {name: modules for name, modules in places.items() if len(modules) > 1}
