"""The packages that the statistics borrow, where they are not installed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from irev.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def scipy_needed() -> Iterator[None]:
    """Around an import of scipy: says how to install it where it is missing.

    Raises:
        MissingExtraError: scipy is not installed.
    """
    try:
        yield
    except ImportError:
        raise MissingExtraError("scipy", "stats") from None
