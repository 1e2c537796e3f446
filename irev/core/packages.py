"""Packages that a light install lacks: whether one is there, and what is said where it is needed.

With click, NumPy and tabulate alone a run is evaluated, gated, checked and explained. All else
imports what it needs in the function that needs it; where that is missing, the edges (`core.job`,
the command line, methods of results) make a `MissingExtraError` of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from irev.errors import MissingExtraError

_EXTRAS = {"matplotlib": "plot", "pandas": "", "pyarrow": "", "scipy": "", "tabulate": ""}
"""The packages, and the extra of irev that brings what irev itself does not."""


def has_package(name: str) -> bool:
    """Whether a package is installed; it is not imported."""
    from importlib.util import find_spec

    try:
        return find_spec(name) is not None
    except ImportError:  # whoever hides a package may say so
        return False


def need_packages(*names: str, place: str = "") -> None:
    """Refuse work whose packages are not all there, before it is begun.

    Args:
        *names: the packages.
        place: what needs them, such as a path, with which the message begins.

    Raises:
        MissingExtraError: one is not installed, or several.
    """
    missing = [name for name in names if not has_package(name)]
    if missing:
        raise MissingExtraError(" ".join(missing), _EXTRAS.get(missing[0], ""), place)


@contextmanager
def missing_packages_told() -> Iterator[None]:
    """Within, and in a function with this as its decorator, a missing package is told as such.

    Raises:
        MissingExtraError: in place of the error of an import.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        # a package that is there and lacks a part is damaged, or too old
        if package not in _EXTRAS or has_package(package):
            raise
        raise MissingExtraError(package, _EXTRAS[package]) from None
