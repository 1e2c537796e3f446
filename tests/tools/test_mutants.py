"""What `make mutants` changes and runs is there, under the names that it says."""

from __future__ import annotations

import shlex

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
    assert {name.partition(": ")[0] for name in explanations} <= mutants.CORE.keys()
    assert all(name.count("  ->  ") == 1 and reason for name, reason in explanations.items())


def test_lines_that_decide_nothing() -> None:
    text = (
        "import os\n\n@record\nclass A:\n    x: int\n    y: int = 1\n\n"
        "def f(\n    a=1,\n):\n    b = 2\n"
    )
    assert mutants.lines_without_code(text) == {1, 3, 5, 8, 9, 10}
