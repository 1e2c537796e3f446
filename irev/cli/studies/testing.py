"""What the studies that test runs against each other have in common on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.types import whole_number
from irev.core.numbers import real
from irev.core.text import as_bytes
from irev.errors import UsageError
from irev.statistics.methods import OF_P, TESTS

if TYPE_CHECKING:
    from irev.studies.criteria import Significance

ALPHA = Option("--alpha", metavar="A", help="The level of significance. Default: 0.05.")
SEED = Option(
    "--seed", type=whole_number(0), metavar="N",
    help="What the samples of the topics depend on. Default: 0.",
)  # fmt: skip


def significance_options() -> list[click.Parameter]:
    """When the difference of two runs is significant."""
    return [
        ALPHA,
        Option(
            "--correction", type=click.Choice(OF_P), default="holm",
            help=f"The correction of the {TESTS['t'].phrase}s for the number of pairs of runs. "
            "Default: holm.",
        ),
    ]  # fmt: skip


def significance_of(given: dict[str, Any]) -> Significance:
    """What was chosen of them."""
    from irev.studies.criteria import Significance

    return Significance(number(given, "alpha", 0.05), given["correction"])


def confidence_of(given: dict[str, Any]) -> float:
    """The level of intervals.

    Raises:
        UsageError: --alpha is no level.
    """
    alpha = number(given, "alpha", 0.05)
    if not 0 < alpha < 1:
        raise UsageError(f"--alpha {alpha:g}: a level lies between 0 and 1")
    return 1 - alpha


def number(given: dict[str, Any], name: str, default: float, spelled: str = "") -> float:
    """A real number.

    Raises:
        UsageError: it is none.
    """
    text = given[name]
    if text is None:
        return default
    found = real(as_bytes(text))
    if found is None or found != found or abs(found) == float("inf"):
        raise UsageError(f"{spelled or f'--{name}'} {text}: this is no number")
    return found
