"""Several tracks in one TOML file: `[leaderboard]` for all, `[[leaderboard.track]]` for each."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irev.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

PATHS = frozenset({"teams", "group-by", "topic-weights", "intents"})
"""Options whose value is a file, relative to the configuration."""

PATHS_OR_WORDS = frozenset({"public", "topics", "pool", "plugin", "plugins"})
"""Options whose value may be a file: it is one where such a file is there."""


@dataclass(frozen=True)
class TrackConfig:
    """A track as it was configured: files, and options by their long names without dashes."""

    name: str
    qrels: str | None
    runs: tuple[str, ...]
    options: Mapping[str, Any]


def read_config(path: str, known: Collection[str]) -> list[TrackConfig]:
    """The tracks of a configuration, the options of `[leaderboard]` in each that does not say more.

    Keys are the options' names (`group-by` or `group_by`; `measures` and `level` for -m and -l). A
    track also has `name`, `runs` (a path or a list of them) and `qrels`, which is left out for
    saved scores. Paths are relative to the file.

    Args:
        path: the file.
        known: the names of the options that a track may set.

    Raises:
        InputError: no TOML, no track, a key that is none, a value of the wrong kind.
    """
    table = _table(path)
    tracks = table.pop("track", [])
    if not isinstance(tracks, list) or not tracks or not all(isinstance(t, dict) for t in tracks):
        raise _problem(path, "there is no [[leaderboard.track]]", "each has name, qrels and runs")
    folder = os.path.dirname(path)
    shared = _options(path, "[leaderboard]", table, known, folder)
    found: list[TrackConfig] = []
    for number, track in enumerate(tracks, 1):
        config = _track(path, f"track {number}", dict(track), known, folder)
        if config.name in (each.name for each in found):
            raise _problem(path, f"two tracks are called '{config.name}'", "give each its own name")
        options = {**shared, **config.options}
        found.append(TrackConfig(config.name, config.qrels, config.runs, options))
    return found


def _table(path: str) -> dict[str, Any]:
    """`[leaderboard]`; in pyproject.toml it is `[tool.irev.leaderboard]`."""
    import tomllib

    from irev.read.stream import read_all

    try:
        whole = tomllib.loads(read_all(path).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _problem(path, f"this is no TOML: {error}") from None
    place: Any = whole
    is_project = os.path.basename(path) == "pyproject.toml"
    for key in ("tool", "irev", "leaderboard") if is_project else ("leaderboard",):
        place = place.get(key) if isinstance(place, dict) else None
    if not isinstance(place, dict):
        raise _problem(path, "there is no table [leaderboard]", "[[leaderboard.track]] ...")
    return dict(place)


def _track(
    path: str, where: str, table: dict[str, Any], known: Collection[str], folder: str
) -> TrackConfig:
    name, qrels, runs = (table.pop(key, None) for key in ("name", "qrels", "runs"))
    if not isinstance(name, str) or not name:
        raise _problem(path, f"{where} has no name", 'name = "passages"')
    where = f"track '{name}'"
    runs = [runs] if isinstance(runs, str) else runs
    if not isinstance(runs, list) or not runs or not all(isinstance(run, str) for run in runs):
        raise _problem(path, f"{where}: runs must name files or directories", 'runs = ["runs/"]')
    if not isinstance(qrels, str | None):
        raise _problem(path, f"{where}: qrels must be a path", 'qrels = "qrels.txt"')
    inside = tuple(os.path.join(folder, run) for run in runs)
    options = _options(path, where, table, known, folder)
    return TrackConfig(name, qrels and os.path.join(folder, qrels), inside, options)


def _options(
    path: str, where: str, table: Mapping[str, Any], known: Collection[str], folder: str
) -> dict[str, Any]:
    found = {}
    for key, value in table.items():
        name = key.replace("_", "-")
        if name not in known:
            from difflib import get_close_matches

            near = get_close_matches(name, known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else ""
            raise _problem(path, f"{where}: there is no key '{key}' here", hint)
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(each, str | int | float) for each in values):
            raise _problem(path, f"{where}: {key} must be text, a number or true")
        found[name] = [_placed(name, each, folder) for each in values]
    return found


def _placed(name: str, value: Any, folder: str) -> Any:
    """A value, a path as seen from the configuration."""
    if not isinstance(value, str):
        return value
    inside = os.path.join(folder, value)
    is_path = name in PATHS or (name in PATHS_OR_WORDS and os.path.exists(inside))
    return inside if is_path else value


def _problem(path: str, message: str, hint: str = "") -> InputError:
    return InputError([Problem(path, None, message, hint)])
