"""The version, where a report or the command line states it."""

from __future__ import annotations

from functools import cache


@cache
def version() -> str:
    """The installed version of irev; `unknown` where it runs without having been installed."""
    from importlib import metadata

    try:
        return metadata.version("irev")
    except metadata.PackageNotFoundError:
        return "unknown"
