"""What the studies on judgments have in common on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.cli.gathering import default_measures
from irev.cli.options import Asked, Taken, load_plugins, parameters_of
from irev.core.numbers import whole
from irev.errors import UsageError
from irev.options import Options

if TYPE_CHECKING:
    import click

_FIELDS = (
    "level", "collection_size", "real_grades", "decimal_comma", "grade_map", "defaults",
)  # fmt: skip
"""Choices that mean here what they mean for `irev eval`."""


def shared(default: str, *more: str) -> list[click.Parameter]:
    """The options of `irev eval` that a study on judgments takes too, whose measures are others."""
    said = {"measures": default_measures(default)}
    return parameters_of(
        Taken(Asked, only=("measures", "plugins"), say=said), Taken(Options, only=(*_FIELDS, *more))
    )


def options_of(given: dict[str, Any]) -> Options:
    """The choices that define the evaluation; what a study has no option for is at its default."""
    load_plugins(given["plugins"])
    mine = {"max_retrieved", "compat", *_FIELDS, *Options.fields()["defaults"].parameters()}
    return Options.of({name: value for name, value in given.items() if name in mine})


def real_numbers(option: str, text: str) -> list[float]:
    """Numbers with commas between them.

    Raises:
        UsageError: one is none.
    """
    found = []
    for word in text.split(","):
        try:
            number = float(word)
        except ValueError:
            raise UsageError(f"{option} {text}: '{word}' is no number") from None
        if number != number or abs(number) == float("inf"):
            raise UsageError(f"{option} {text}: '{word}' is no finite number")
        found.append(number)
    return found


def whole_numbers(option: str, text: str) -> list[int]:
    """Whole numbers of at least 1, with commas between them.

    Raises:
        UsageError: one is none.
    """
    found = []
    for word in text.split(","):
        number = whole(word)
        if number is None or number < 1:
            raise UsageError(f"{option} {text}: '{word}' is no whole number of at least 1")
        found.append(number)
    return found


def grades_present(text: str) -> list[float]:
    """The grades of the relevant documents.

    Raises:
        UsageError: one is not above 0.
    """
    found = real_numbers("--grades-present", text)
    if min(found) <= 0:
        raise UsageError(f"--grades-present {text}: the grades of relevant documents are above 0")
    return found
