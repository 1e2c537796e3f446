"""Settings in a TOML file: `[NAME]` of irev.toml, or `[tool.irev.NAME]` of pyproject.toml."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irev.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Collection

FILES = ("irev.toml", "pyproject.toml")
"""The files that are looked for, in this order."""


@dataclass(frozen=True)
class Files:
    """Which settings are paths, relative to the file that they stand in.

    always     those that can be nothing else
    if_there   those that may be a word too: they are paths where such a file is there
    """

    always: frozenset[str]
    if_there: frozenset[str]

    def placed(self, name: str, value: Any, config: str) -> Any:
        """A value; a path as seen from the current directory."""
        if not isinstance(value, str) or value == "-":
            return value
        inside = os.path.join(os.path.dirname(config), value)
        is_path = name in self.always or (name in self.if_there and os.path.exists(inside))
        return inside if is_path else value


def find(name: str) -> str | None:
    """The nearest file with such a table, in the current directory or above it.

    Raises:
        InputError: a file on the way is no TOML.
    """
    here = folder = os.getcwd()
    while True:
        for file in FILES:
            path = os.path.join(folder, file)
            near = file if folder == here else path
            if os.path.isfile(path) and table(near, name) is not None:
                return near
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def table(path: str, name: str) -> dict[str, Any] | None:
    """The settings of a file; None where it has none.

    Raises:
        InputError: this is no TOML.
    """
    import tomllib

    from irev.read.stream import read_all

    try:
        found: Any = tomllib.loads(read_all(path).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise problem(path, f"this is no TOML: {error}") from None
    for key in place(path, name).split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return dict(found) if isinstance(found, dict) else None


def place(path: str, name: str) -> str:
    """What the table is called in a file."""
    return f"tool.irev.{name}" if os.path.basename(path) == "pyproject.toml" else name


def spelled(key: str) -> str:
    """A key in lower case and with dashes."""
    return key.lower().replace("_", "-")


def no_such_key(path: str, key: str, known: Collection[str], where: str = "") -> InputError:
    """The error of a key that is none, with the one that is near."""
    from difflib import get_close_matches

    near = get_close_matches(spelled(key), known, n=1)
    hint = f"did you mean '{near[0]}'?" if near else ""
    return problem(path, f"{where}there is no key '{key}' here", hint)


def twice(path: str, key: str, where: str = "") -> InputError:
    """The error of a key for what another key, spelled otherwise, has set."""
    return problem(path, f"{where}'{key}' sets what another key has set", "keep one of the two")


def listed(path: str, key: str, value: Any, where: str = "") -> list[Any]:
    """A value as a list of what an option takes.

    Raises:
        InputError: it is none.
    """
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str | int | float) for each in values):
        raise problem(
            path, f"{where}{key} must be text, a number, true or false, or a list of these"
        )
    return values


def problem(path: str, message: str, hint: str = "") -> InputError:
    """An error about a file as a whole."""
    return InputError([Problem(path, None, message, hint)])
