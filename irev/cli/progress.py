"""A progress bar: on a terminal only, and on stderr."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Item = TypeVar("Item")


def shown(items: Iterable[Item], length: int, label: str) -> Iterator[Item]:
    """The items as they come, with a bar that says how many of so many have come."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield from items
        return
    with click.progressbar(items, length=length, label=label, file=sys.stderr) as bar:
        yield from bar
