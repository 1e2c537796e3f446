"""What the studies on judgments have in common on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.cli.gathering import default_measures, with_help
from irev.cli.options import Flags, parameters
from irev.core.numbers import whole
from irev.errors import UsageError

if TYPE_CHECKING:
    import click

    from irev.options import Options

MEASURES_AND_GRADES = (
    "measures", "level", "collection_size", "grades", "decimal", "map_grades", "beta", "log_base",
    "gains", "max_grade", "plugins",
)  # fmt: skip
"""Options that mean here what they mean for `irev eval`."""


def shared(default: str, *more: str) -> list[click.Parameter]:
    """The options of `irev eval` that a study on judgments takes too, whose measures are others."""
    wanted = (*MEASURES_AND_GRADES, *more)
    options = [option for option in parameters() if option.name in wanted]
    return with_help(options, measures=default_measures(default))


def options_of(given: dict[str, Any]) -> Options:
    """The choices that define the evaluation; what a study has no option for is at its default."""
    from irev.cli.evaluate import command, load_plugins
    from irev.cli.evaluate import options_of as options_of_flags

    load_plugins(given["plugins"])
    defaults = command.make_context("irev", ["QRELS", "RUN"]).params
    mine = {option.name for option in shared("", "max_retrieved", "compat")}
    known = {name: value for name, value in given.items() if name in mine}
    return options_of_flags(Flags(**{**defaults, **known}))


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
