"""Settings of a gate in a file: `[tool.irev.gate]` of pyproject.toml, or `[gate]` of irev.toml."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irev.errors import InputError, Problem
from irev.read.stream import read_all

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

FILES = ("irev.toml", "pyproject.toml")
"""The files that are looked for, in this order, in the current directory and those above it."""

_PATHS = frozenset(
    {"qrels", "run", "baseline", "save", "junit", "group-by", "topic-weights", "intents"}
)
_PATHS_OR_WORDS = frozenset({"topics", "pool", "plugin"})
_LIMITS = ("min", "max")


@dataclass(frozen=True)
class GateConfig:
    """What a file says: key, as `read_config` was told what it stands for -> values, each a list.

    Limits are `NAME=X`; paths are as seen from the current directory.
    """

    path: str
    values: Mapping[str, tuple[Any, ...]]


def find_config() -> str | None:
    """The nearest file with settings of a gate, in the current directory or above it.

    Raises:
        InputError: a file on the way is no TOML.
    """
    here = folder = os.getcwd()
    while True:
        for name in FILES:
            path = os.path.join(folder, name)
            near = name if folder == here else path
            if os.path.isfile(path) and _table(near) is not None:
                return near
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def read_config(path: str, known: Mapping[str, str]) -> GateConfig:
    """The settings of a file.

    `min` and `max` are tables of numbers by measure; any other value is what the option takes, or
    a list where the option may be repeated.

    Args:
        path: the file; paths in it are relative to it.
        known: key, in lower case and with dashes -> what it stands for in the values; a key may
            have underscores in their place.

    Raises:
        InputError: no TOML, no such table, a key that is none, a value of the wrong kind.
    """
    table = _table(path)
    if table is None:
        raise _problem(path, f"there is no table [{'.'.join(_place(path))}]")
    values = {}
    for key, value in table.items():
        name = known.get(spelled(key))
        if name is None:
            raise _problem(path, f"there is no key '{key}' here", _near(key, known))
        listed = _limits(path, key, value) if name in _LIMITS else _values(path, key, value)
        values[name] = tuple(_placed(name, each, os.path.dirname(path)) for each in listed)
    return GateConfig(path, values)


def spelled(key: str) -> str:
    """A key in lower case and with dashes."""
    return key.lower().replace("_", "-")


def wrong_value(path: str, key: str, why: str) -> InputError:
    """The error of a value that an option refuses."""
    return _problem(path, f"{key}: {why}")


def _table(path: str) -> dict[str, Any] | None:
    try:
        place: Any = tomllib.loads(read_all(path).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _problem(path, f"this is no TOML: {error}") from None
    for key in _place(path):
        place = place.get(key) if isinstance(place, dict) else None
    return place if isinstance(place, dict) else None


def _place(path: str) -> tuple[str, ...]:
    if os.path.basename(path) == "pyproject.toml":
        return ("tool", "irev", "gate")
    return ("gate",)


def _near(key: str, known: Collection[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(spelled(key), known, n=1)
    return f"did you mean '{near[0]}'?" if near else ""


def _limits(path: str, key: str, value: Any) -> list[str]:
    """Limits by measure, as the options have them."""
    if not isinstance(value, dict) or not all(map(_is_number, value.values())):
        raise _problem(path, f"{key} must be a table of numbers", f'{key} = {{"ndcg@10" = 0.4}}')
    return [f"{name}={number!r}" for name, number in value.items()]


def _values(path: str, key: str, value: Any) -> list[Any]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str | bool) or _is_number(each) for each in values):
        raise _problem(path, f"{key} must be text, a number, true or false, or a list of these")
    return values


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _placed(name: str, value: Any, folder: str) -> Any:
    """A value; a path as seen from the current directory."""
    if not isinstance(value, str) or value == "-":
        return value
    inside = os.path.join(folder, value)
    is_path = name in _PATHS or (name in _PATHS_OR_WORDS and os.path.exists(inside))
    return inside if is_path else value


def _problem(path: str, message: str, hint: str = "") -> InputError:
    return InputError([Problem(path, None, message, hint)])
