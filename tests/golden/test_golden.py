"""What the commands print, write and end with is what they did when it was recorded."""

from __future__ import annotations

import difflib
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.golden import record

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDED = ("eval-stats", "compare", "leaderboard", "gate", "studies", "plots")
"""Groups whose last digits are scipy's and the matrix products'."""

EXACT = re.compile(r"-?\d+\.\d{11,}(?:e[+-]?\d+)?|-?\d\.?\d*e[+-]\d+")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """The current folder, with all inputs."""
    with record.folder_of_inputs() as result:
        yield result


@pytest.mark.long
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("group", record.groups())
def test_recorded(group: str, folder: Path) -> None:
    """Every call of a group; all differences are shown."""
    lines = record.groups()[group]
    expected = record.recorded_outputs(group)
    assert list(expected) == lines, "python -m tests.golden.record"
    differences = []
    for line, actual in record.record(lines, folder).items():
        if actual != expected[line] and not (group in ROUNDED and alike(actual, expected[line])):
            shown = difflib.unified_diff(
                expected[line].splitlines(), actual.splitlines(), "recorded", "found", line, n=1
            )
            differences.append("\n".join([*shown][:60]))
    assert not differences, f"{len(differences)} of {len(lines)}\n\n" + "\n\n".join(differences)


def alike(actual: str, expected: str) -> bool:
    """Whether two texts differ in the last digits of full numbers alone."""
    ours, theirs = EXACT.findall(actual), EXACT.findall(expected)
    return (
        EXACT.sub("#", actual) == EXACT.sub("#", expected)
        and len(ours) == len(theirs)
        and all(
            math.isclose(float(a), float(b), rel_tol=1e-9, abs_tol=1e-15)
            for a, b in zip(ours, theirs, strict=True)
        )
    )
