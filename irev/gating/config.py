"""Settings of a gate in a file: `[tool.irev.gate]` of pyproject.toml, or `[gate]` of irev.toml."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irev import config
from irev.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = "gate"
_FILES = config.Files(
    always=frozenset(
        {"qrels", "run", "baseline", "save", "junit", "group-by", "topic-weights", "intents"}
    ),
    if_there=frozenset({"topics", "pool", "plugin"}),
)
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
    return config.find(_NAME)


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
    table = config.table(path, _NAME)
    if table is None:
        raise config.problem(path, f"there is no table [{config.place(path, _NAME)}]")
    values = {}
    for key, value in table.items():
        name = known.get(config.spelled(key))
        if name is None:
            raise config.no_such_key(path, key, known)
        if name in values:
            raise config.twice(path, key)
        each = _limits(path, key, value) if name in _LIMITS else config.listed(path, key, value)
        values[name] = tuple(_FILES.placed(name, one, path) for one in each)
    return GateConfig(path, values)


def wrong_value(path: str, key: str, why: str) -> InputError:
    """The error of a value that an option refuses."""
    return config.problem(path, f"{key}: {why}")


def _limits(path: str, key: str, value: Any) -> list[str]:
    """Limits by measure, as the options have them."""
    if not isinstance(value, dict) or not all(map(_is_number, value.values())):
        raise config.problem(
            path, f"{key} must be a table of numbers", f'{key} = {{"ndcg@10" = 0.4}}'
        )
    return [f"{name}={number!r}" for name, number in value.items()]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
