"""Teams of runs, and made-up names that reveal neither run nor team."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from irev.core.text import as_bytes, as_text
from irev.core.wording import shortened_list
from irev.errors import InputError, Problem
from irev.read.stream import read_all, take_lines
from irev.scores.run_names import stem_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from irev.jobs.leaderboard.board import BoardPart
    from irev.scores.table import ScoreTable

_HINT = "a line holds a run and its team: run7 team-a"
_KEY_HINT = "each line must have a made-up name, a tab and the real name"


def read_teams(path: str) -> dict[str, str]:
    """Run or folder -> team, of a file with `RUN TEAM` on each line; a team may hold blanks.

    Blank lines and those that begin with `#` are skipped.
    """
    found: dict[str, str] = {}

    def take(fields: list[bytes]) -> str:
        run = as_text(fields[0])
        if len(fields) < 2:
            return f"run '{run}' has no team"
        if run in found:
            return f"duplicate run '{run}'"
        found[run] = as_text(b" ".join(fields[1:]))
        return ""

    take_lines(path, read_all(path), take, "team", _HINT)
    return found


def names_for_teams(
    table: ScoreTable, folders: Mapping[str, tuple[str, ...]] | None = None
) -> dict[str, list[str]]:
    """Run -> what it can be listed by, what goes first before the others; never its tag.

    By its path, in full or below the folder that was searched; by a folder that it lies in, the
    outermost first; by its name on the board or, where no other is called so, its file's, with its
    endings or without. A word that names a folder names no file: who fills one folder cannot call a
    file as another.

    Args:
        table: the runs.
        folders: path of a run -> the folders that it lies in, below the one that was searched.
    """
    inner = {entry.path: (folders or {}).get(entry.path, ()) for entry in table.runs}
    all_folders = {name for inside in inner.values() for name in _outermost_first(inside)}
    bases = [os.path.basename(entry.path) for entry in table.runs]
    times = Counter(name for base in bases for name in {base, stem_of(base)})
    found = {}
    for entry in table.runs:
        base, inside = os.path.basename(entry.path), inner[entry.path]
        below = ["/".join([*inside, name]) for name in (base, stem_of(base))] if inside else []
        names = [entry.name, *(name for name in (base, stem_of(base)) if times[name] == 1)]
        names = [name for name in names if name not in all_folders]
        found[entry.name] = [entry.path, *below, *_outermost_first(inside), *names]
    return found


def _outermost_first(folders: Sequence[str]) -> list[str]:
    return ["/".join(folders[: end + 1]) for end in range(len(folders))]


def teams_of(names: Mapping[str, Sequence[str]], listing: Mapping[str, str]) -> dict[str, str]:
    """The teams of the runs that are listed, by what they can be listed by."""
    found = {}
    for run, ways in names.items():
        team = next((listing[name] for name in ways if name in listing), None)
        if team is not None:
            found[run] = team
    return found


def best_of_teams(runs: Sequence[str], order: Iterable[int], teams: Mapping[str, str]) -> list[int]:
    """Of each team the run that comes first in an order, by its number; likewise in order.

    A run without a team is a team of its own.
    """
    best: dict[tuple[bool, str], int] = {}
    for number in order:
        run = runs[number]
        best.setdefault((run in teams, teams.get(run, run)), number)
    return [*best.values()]


def team_notes(
    names: Mapping[str, Sequence[str]], listing: Mapping[str, str], teams: Mapping[str, str]
) -> Iterator[str]:
    """What the list of teams and the runs do not have in common."""
    without = [run for run in names if run not in teams]
    if without:
        yield f"without a team: {shortened_list(without)}"
    known = {name for ways in names.values() for name in ways}
    absent = [run for run in listing if run not in known]
    if absent:
        yield f"in the list of teams, but not on the board: {shortened_list(absent)}"


@dataclass
class Pseudonyms:
    """Made-up names, `run-1`, `run-2`, ... and `team-1`, ..., in the order they are asked for.

    What has a name keeps it, so that a key that is kept makes them stable.
    """

    runs: dict[str, str] = field(default_factory=dict)
    teams: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str) -> Pseudonyms:
        """The names of a key; none where there is no such file yet."""
        found = cls()
        if not os.path.exists(path):
            return found
        with open(path, encoding="utf-8", errors="surrogateescape") as lines:
            for number, line in enumerate(lines, 1):
                alias, tab, name = line.rstrip("\n").partition("\t")
                kind, _, count = alias.partition("-")
                if not tab or kind not in ("run", "team") or not count.isdecimal():
                    message = "this line does not belong in a key to made-up names"
                    raise InputError([Problem(path, number, "unreadable-line", message, _KEY_HINT)])
                (found.runs if kind == "run" else found.teams)[name] = alias
        return found

    def text(self) -> bytes:
        """The key, as `read` takes it."""
        lines = [f"{a}\t{n}\n" for names in (self.runs, self.teams) for n, a in names.items()]
        return as_bytes("".join(lines))

    def run(self, name: str) -> str:
        """What a run is called here."""
        return _alias(self.runs, "run", name)

    def team(self, name: str) -> str:
        """What a team is called here."""
        return _alias(self.teams, "team", name)

    def applied(self, board: BoardPart) -> BoardPart:
        """A board that tells neither run, nor team, nor file."""
        entries = list(board.table.runs)
        standings = []
        for standing in board.standings:
            entry = entries[standing.run_index]
            signature = entry.signature and replace(entry.signature, run=None)
            entries[standing.run_index] = replace(
                entry,
                name=self.run(entry.name),
                path="",
                run_id=b"",
                signature=signature,
                sha256=None,
            )
            team = standing.team and self.team(standing.team)
            standings.append(replace(standing, team=team))
        table = replace(board.table, runs=tuple(entries))
        return replace(board, table=table, standings=tuple(standings))


def _alias(names: dict[str, str], kind: str, name: str) -> str:
    if name not in names:
        # a key that was cut leaves gaps: numbers go on behind the highest
        taken = [int(alias.partition("-")[2]) for alias in names.values()]
        names[name] = f"{kind}-{max(taken, default=0) + 1}"
    return names[name]
