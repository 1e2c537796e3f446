"""Numbers of things and lists of names, as sentences have them."""

from __future__ import annotations

from collections.abc import Sequence

from irev.errors import id_text


def count_text(count: int, singular: str, plural: str = "") -> str:
    """A number and what is counted: `1 class`, `2,000 classes`; without `plural` one with an s."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def count_that_is(count: int, singular: str, plural: str = "") -> str:
    """The same with its verb: `1 class is`, `2 classes are`."""
    return f"{count_text(count, singular, plural)} {'is' if count == 1 else 'are'}"


def shortened_list(names: Sequence[str] | Sequence[bytes], max_names: int = 5) -> str:
    """The first names, or ids of an input, and how many more there are: `a, b and 3 more`."""
    more = len(names) - max_names
    return _comma_list(names, max_names) + (f" and {more} more" if more > 0 else "")


def list_beginning(names: Sequence[str] | Sequence[bytes], max_names: int = 5) -> str:
    """The first of several whose number is told elsewhere: `a, b, ...`."""
    return _comma_list(names, max_names) + (", ..." if len(names) > max_names else "")


def full_list(names: Sequence[str]) -> str:
    """All of some names: `a, b and c`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _comma_list(names: Sequence[str] | Sequence[bytes], max_names: int) -> str:
    return ", ".join(
        id_text(name) if isinstance(name, bytes) else name for name in names[:max_names]
    )


UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
"""Prefix -> how many bytes."""


def size_text(num_bytes: int) -> str:
    """A number of bytes as people say it: `2 GiB`."""
    for unit in ("T", "G", "M", "K"):
        if num_bytes >= UNITS[unit]:
            return f"{num_bytes / UNITS[unit]:.4g} {unit}iB"
    return f"{num_bytes} bytes"
