"""Imports point down: which room of the house may know which.

Imports inside functions count as all others do, and so do those for the type checker alone.
"""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.files import ROOT
from tools.file_imports import Import, circles, modules_of, package_imports

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
    ("jobs.score_job",),
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


MODULES = modules_of(HOUSE)


def room(module: str) -> str:
    """The room that a module belongs to: a job is one of its own."""
    parts = module.split(".")
    inner = ".".join(parts[:2])
    return inner if parts[0] == "jobs" or inner == "rank.ties" else parts[0]


IMPORTS = package_imports(HOUSE)


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
    assert Import("__main__", "cli", for_types=False) in IMPORTS
    assert len(IMPORTS) > len(MODULES)
    assert {each.for_types for each in IMPORTS} == {False, True}


def test_imports_point_down() -> None:
    up = [(each.module, each.imported) for each in IMPORTS if not points_down(each)]
    assert not up, "move what is imported, or what imports it"


def test_files_do_not_stand_in_a_circle() -> None:
    """Not within a room, either, nor by imports in functions; those for types may."""
    assert not circles(each for each in IMPORTS if not each.for_types)


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
