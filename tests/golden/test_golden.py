"""What the commands print, write and end with is what they did when it was recorded."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.golden import record

if TYPE_CHECKING:
    from collections.abc import Iterator


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
        if not record.alike(group, actual, expected[line]):
            shown = difflib.unified_diff(
                expected[line].splitlines(), actual.splitlines(), "recorded", "found", line, n=1
            )
            differences.append("\n".join([*shown][:60]))
    assert not differences, f"{len(differences)} of {len(lines)}\n\n" + "\n\n".join(differences)


def test_recording_keeps_digits_that_are_alike() -> None:
    recorded = "p 0.123456789012\nq 1.5e-10\nr 0.5\n"
    found = "new\np 0.123456789013\nq 1.6e-10\nr 0.6\n"
    assert record.with_recorded_digits("studies", found, recorded) == (
        "new\np 0.123456789012\nq 1.6e-10\nr 0.6\n"
    )
    assert record.with_recorded_digits("help", found, recorded) == found
    assert record.with_recorded_digits("studies", found, "") == found
