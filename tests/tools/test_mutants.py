"""What `make mutants` changes and runs is there, under the names that it says."""

from __future__ import annotations

import shlex

import pytest

from tests.files import ROOT
from tools import mutants


def test_modules_and_tests_are_there() -> None:
    for module, arguments in mutants.CORE.items():
        assert (ROOT / module).is_file(), module
        paths = [word for word in shlex.split(arguments) if word.startswith("tests/")]
        assert paths, module
        assert all((ROOT / path).exists() for path in paths), module


def test_every_explanation_is_of_a_module_and_has_a_reason() -> None:
    explanations = mutants.explanations()
    assert len(explanations) > 100
    assert all((ROOT / name.partition(": ")[0]).is_file() for name in explanations)
    assert all(name.count("  ->  ") == 1 and reason for name, reason in explanations.items())


def test_every_explained_line_stands_in_its_module() -> None:
    """Whoever changes such a line changes its explanation, or takes it out."""
    gone = [name for name in mutants.explanations() if not mutants.stands(name)]
    assert not gone


def test_a_line_that_stands_nowhere_is_gone() -> None:
    assert mutants.stands("tools/mutants.py: MEMORY = 8 << 30  ->  MEMORY = 9 << 30")
    assert not mutants.stands("tools/mutants.py: MEMORY = 7 << 30  ->  MEMORY = 9 << 30")


def test_lines_that_decide_nothing() -> None:
    text = (
        "import os\n\n@record\nclass A:\n    x: int\n    y: int = 1\n\n"
        "def f(\n    a=1,\n):\n    b = 2\n"
    )
    assert mutants.lines_without_code(text) == {1, 3, 5, 8, 9, 10}


@pytest.mark.parametrize(
    ("module", "near", "behind"),
    [
        ("irev/jobs/gate/gate.py", "tests/jobs/gate/test_gate.py", "tests/cli/test_errors.py"),
        ("irev/jobs/studies/design.py", "tests/jobs/studies/test_design.py", None),
        ("irev/statistics/meta.py", "tests/statistics/test_meta.py", "tests/jobs/test_job.py"),
        ("irev/studies.py", "tests/api/test_commands.py", None),
        ("irev/rank/ranking.py", "tests/rank/test_rank.py", None),
    ],
)
def test_tests_near_a_module_and_behind(module: str, near: str, behind: str | None) -> None:
    nearest = shlex.split(mutants.tests_near(module))
    others = shlex.split(mutants.tests_behind(module))
    assert near in nearest
    assert behind is None or behind in others
    assert not set(nearest) & set(others)
    # a room's own folder alone comes first
    assert len({name.rpartition("/")[0] for name in nearest if name.endswith(".py")}) == 1


def test_faults_are_drawn_by_the_seed_from_each_place() -> None:
    pytest.importorskip("cosmic_ray", reason="make mutants brings it")
    place = "irev/jobs/measures"
    drawn = mutants.draw(place, 5, seed=3)
    assert len(drawn) == len(set(drawn)) == 5
    assert drawn == mutants.draw(place, 5, seed=3) != mutants.draw(place, 5, seed=4)
    assert set(drawn) < set(mutants.draw(place, None, seed=3))
    for fault in drawn:
        before, after = fault.changed_text()
        assert before != after
        lines = zip(before.split("\n"), after.split("\n"), strict=True)
        assert [n for n, (one, other) in enumerate(lines, 1) if one != other] == [fault.line]


def test_a_place_that_is_none_is_named() -> None:
    with pytest.raises(SystemExit, match="irev/nowhere is no module and no room"):
        mutants.modules_of("irev/nowhere")
