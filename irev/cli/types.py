"""Option values: whole numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from irev.core.numbers import whole

if TYPE_CHECKING:
    from collections.abc import Callable

_LARGEST = 2**63 - 1


def whole_number(
    smallest: int | None = None, largest: int | None = None
) -> Callable[[str | int], int]:
    """What reads a whole decimal number, to its last byte, in a range; None is no bound.

    Beyond 64 bits a number is the nearest one within.
    """

    def convert(text: str | int) -> int:
        number = text if isinstance(text, int) else whole(text)
        if number is None:
            raise click.BadParameter(f"'{text}' is not a whole decimal number, such as 10.")
        if smallest is not None and number < smallest:
            raise click.BadParameter(f"{text} is too small: at least {smallest} is wanted.")
        if largest is not None and number > largest:
            raise click.BadParameter(f"{text} is too large: at most {largest} is wanted.")
        return max(-_LARGEST - 1, min(number, _LARGEST))

    return convert
