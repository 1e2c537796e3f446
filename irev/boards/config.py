"""Several tracks in one TOML file: `[leaderboard]` for all, `[[leaderboard.track]]` for each."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irev import config

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_NAME = "leaderboard"
_FILES = config.Files(
    always=frozenset({"teams", "group-by", "topic-weights", "intents"}),
    if_there=frozenset({"public", "topics", "pool", "plugin", "plugins"}),
)


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
        raise config.problem(
            path, "there is no [[leaderboard.track]]", "each has name, qrels and runs"
        )
    shared = _options(path, "[leaderboard]", table, known)
    found: list[TrackConfig] = []
    for number, track in enumerate(tracks, 1):
        new = _track(path, f"track {number}", dict(track), known)
        if new.name in (each.name for each in found):
            raise config.problem(
                path, f"two tracks are called '{new.name}'", "give each its own name"
            )
        found.append(TrackConfig(new.name, new.qrels, new.runs, {**shared, **new.options}))
    return found


def _table(path: str) -> dict[str, Any]:
    """The table for all tracks, `track` among its keys."""
    table = config.table(path, _NAME)
    if table is None:
        raise config.problem(
            path, f"there is no table [{config.place(path, _NAME)}]", "[[leaderboard.track]] ..."
        )
    return table


def _track(path: str, where: str, table: dict[str, Any], known: Collection[str]) -> TrackConfig:
    name, qrels, runs = (table.pop(key, None) for key in ("name", "qrels", "runs"))
    if not isinstance(name, str) or not name:
        raise config.problem(path, f"{where} has no name", 'name = "passages"')
    where = f"track '{name}'"
    runs = [runs] if isinstance(runs, str) else runs
    if not isinstance(runs, list) or not runs or not all(isinstance(run, str) for run in runs):
        raise config.problem(
            path, f"{where}: runs must name files or directories", 'runs = ["runs/"]'
        )
    if not isinstance(qrels, str | None):
        raise config.problem(path, f"{where}: qrels must be a path", 'qrels = "qrels.txt"')
    folder = os.path.dirname(path)
    inside = tuple(os.path.join(folder, run) for run in runs)
    options = _options(path, where, table, known)
    return TrackConfig(name, qrels and os.path.join(folder, qrels), inside, options)


def _options(
    path: str, where: str, table: Mapping[str, Any], known: Collection[str]
) -> dict[str, Any]:
    found = {}
    for key, value in table.items():
        name = config.spelled(key)
        if name not in known:
            raise config.no_such_key(path, key, known, f"{where}: ")
        if name in found:
            raise config.twice(path, key, f"{where}: ")
        values = config.listed(path, key, value, f"{where}: ")
        found[name] = [_FILES.placed(name, each, path) for each in values]
    return found
