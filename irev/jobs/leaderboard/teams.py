"""Teams of runs, and made-up names that reveal neither run nor team."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from irev.core.text import as_bytes, as_text, escaped_name, parse_whole, shortened_list
from irev.errors import InputError, Problem, UsageError
from irev.read.inputs import path_below, path_forms, stem_of
from irev.read.stream import read_all, take_lines
from irev.scores.table import RunInfo, ScoreTable

if TYPE_CHECKING:
    from irev.jobs.leaderboard.board import BoardPart


def read_teams(path: str) -> dict[str, str]:
    """Run or folder -> team, of a file with `RUN TEAM` on each line; a team may hold blanks.

    Blank lines and those that begin with `#` are skipped.
    """
    teams: dict[str, str] = {}

    def take_line(fields: list[bytes]) -> str:
        run = as_text(fields[0])
        if len(fields) < 2:
            return f"run '{run}' has no team"
        if run in teams:
            return f"duplicate run '{run}'"
        teams[run] = as_text(b" ".join(fields[1:]))
        return ""

    hint = "a line holds a run and its team: run7 team-a"
    take_lines(path, read_all(path), take_line, "team", hint)
    return teams


class ListedRuns(NamedTuple):
    """The runs that a word of the list names; the less `distance`, the more exactly."""

    distance: int
    names: tuple[str, ...]


def listed_runs(table: ScoreTable, team_of_listed_word: Iterable[str]) -> dict[str, ListedRuns]:
    """Word of the list -> the runs that it names; words that name none are left out.

    A word is the path of a file, in full or below the folder that was searched; the same without
    endings, or a folder with all below it, also with a `/` at its end; else what a single run is
    called, or its file. Never a tag. A file's path is nobody else's, so that no upload takes
    another's team; neither does one that has the name of a file which could not be scored.

    Raises:
        UsageError: a word fits several files.
    """
    runs_by_listed_word: dict[str, ListedRuns] = {}
    unscored = [RunInfo("", path) for path, _ in table.broken]
    ways = [(run, _paths_stems_folders_and_names(run)) for run in (*table.runs, *unscored)]
    for word in team_of_listed_word:
        for distance in range(len(_ListingWords._fields)):
            runs = [run for run, way in ways if word in way[distance]]
            if distance == _NAMES:  # no name within somebody's file stands against that of a file
                runs = [run for run in runs if word in _names_by_file(run)] or runs
            if not runs:
                continue
            files = {run.path or run.name for run in runs} if distance != _FOLDERS else {word}
            if distance == _STEMS and any(word in way.folders for _, way in ways):
                files.add(f"{word}/")
            if len(files) > 1:
                raise UsageError(
                    f"{word} in the list of teams may be any of {shortened_list(sorted(files))}: "
                    "write the path with its endings, that of a folder with a / at its end"
                )
            run_names = tuple(run.name for run in runs if run.name)
            if run_names:
                runs_by_listed_word[word] = ListedRuns(distance, run_names)
            break
    return runs_by_listed_word


class _ListingWords(NamedTuple):
    """What a run can be listed by, the most exact first."""

    paths: set[str]
    stems: set[str]
    folders: set[str]
    names: set[str]


_STEMS, _FOLDERS, _NAMES = map(_ListingWords._fields.index, ("stems", "folders", "names"))


def _paths_stems_folders_and_names(run: RunInfo) -> _ListingWords:
    if not run.path:
        return _ListingWords({run.name}, set(), set(), set())
    base = os.path.basename(run.path.rstrip(os.sep))
    below = path_below(run.path)
    *folders, _ = below.split("/")
    inner = ["/".join(folders[: end + 1]) for end in range(len(folders))]
    inner += [f"{folder}/" for folder in inner]
    names = {run.name, _name_within_file(run), *_names_by_file(run)}
    stem = "/".join([*folders, stem_of(base)])
    return _ListingWords({run.path, below or base}, {stem}, set(inner), names)


def _names_by_file(run: RunInfo) -> set[str]:
    """What its file is called, wherever that lies, and a run in it behind the name of the file."""
    if not run.path:
        return set()
    base = os.path.basename(run.path.rstrip(os.sep))
    own_name = _name_within_file(run)
    return {base, stem_of(base), *(f"{form}:{own_name}" for form in path_forms(run.path))}


def _name_within_file(run: RunInfo) -> str:
    """The name of a run without that of its file: one of saved scores may hold several runs."""
    prefixes = [f"{form}:" for form in path_forms(run.path)]
    return next(
        (run.name[len(prefix) :] for prefix in prefixes if run.name.startswith(prefix)), run.name
    )


def teams_of(
    runs_by_listed_word: Mapping[str, ListedRuns], team_of_listed_word: Mapping[str, str]
) -> dict[str, str]:
    """The teams of the runs that are listed, each by the most exact word, the outermost folder."""
    team_of_run: dict[str, str] = {}
    for word in sorted(
        runs_by_listed_word, key=lambda word: (runs_by_listed_word[word].distance, len(word))
    ):
        for run in runs_by_listed_word[word].names:
            team_of_run.setdefault(run, team_of_listed_word[word])
    return team_of_run


def teams_of_unscored(
    paths: Iterable[str],
    runs_by_listed_word: Mapping[str, ListedRuns],
    team_of_listed_word: Mapping[str, str],
) -> dict[str, str]:
    """The teams of files that could not be scored, by the same words in the same order.

    The name of a run that was scored is no other file's.
    """
    names = {word for word, runs in runs_by_listed_word.items() if runs.distance == _NAMES}
    team_of_path: dict[str, str] = {}
    for path in paths:
        way = _paths_stems_folders_and_names(RunInfo("", path))
        fitting = [
            (distance, len(word), word)
            for word in team_of_listed_word
            for distance, words in enumerate(way)
            if word in words and word not in names
        ]
        if fitting:
            team_of_path[path] = team_of_listed_word[min(fitting)[-1]]
    return team_of_path


def best_of_teams(
    run_names: Sequence[str], order: Iterable[int], teams: Mapping[str, str]
) -> list[int]:
    """Of each team the run that comes first in an order, by its number; likewise in order.

    A run without a team is a team of its own.
    """
    best: dict[tuple[bool, str], int] = {}
    for run_index in order:
        run = run_names[run_index]
        best.setdefault((run in teams, teams.get(run, run)), run_index)
    return [*best.values()]


def team_notes(
    table: ScoreTable,
    runs_by_listed_word: Mapping[str, ListedRuns],
    team_of_listed_word: Mapping[str, str],
    team_of_run: Mapping[str, str],
) -> Iterator[str]:
    """What the list of teams and the runs do not have in common."""
    teamless = [run for run in table.run_names if run not in team_of_run]
    if teamless:
        yield f"without a team: {shortened_list(teamless)}"
    absent = [word for word in team_of_listed_word if word not in runs_by_listed_word]
    if absent:
        yield f"in the list of teams, but not on the board: {shortened_list(absent)}"


# --- Made-up names ---


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
        pseudonyms = cls()
        if not os.path.exists(path):
            return pseudonyms
        aliases: set[tuple[str, int]] = set()
        for number, line in enumerate(read_all(path).splitlines(), 1):
            alias, tab, name = as_text(line).partition("\t")
            kind, _, count_text = alias.partition("-")
            names = {"run": pseudonyms.runs, "team": pseudonyms.teams}.get(kind)
            count = parse_whole(count_text)
            message = ""
            if not tab or names is None or count is None or count < 0:
                message = "this line does not belong in a key to made-up names"
            elif (kind, count) in aliases:
                message = f"{alias} is the made-up name of another {kind}, too"
            elif name in names:
                message = f"this {kind} has another made-up name: {names[name]}"
            if message or names is None or count is None:
                hint = "each line must have a made-up name, a tab and the real name"
                raise InputError([Problem(path, number, "unreadable-line", message, hint)])
            aliases.add((kind, count))
            names[name] = alias
        return pseudonyms

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

    def hide_names(self, board: BoardPart) -> BoardPart:
        """A board that tells neither run, nor team, nor file."""
        run_infos = list(board.table.runs)
        standings = []
        for standing in board.standings:
            run_info = run_infos[standing.run_index]
            signature = run_info.signature and replace(run_info.signature, run=None)
            run_infos[standing.run_index] = replace(
                run_info,
                name=self.run(path_as_lasting_name(run_info)),
                path="",
                run_id=b"",
                signature=signature,
                sha256=None,
            )
            team = standing.team and self.team(standing.team)
            standings.append(replace(standing, team=team))
        table = replace(board.table, runs=tuple(run_infos)).warn_of_missing_topics()
        nobody = (RunInfo("", ""),) * len(board.all_runs.runs)
        all_runs = replace(board.all_runs, runs=nobody, warnings=())
        return replace(board, table=table, standings=tuple(standings), all_runs=all_runs)


def _alias(aliases: dict[str, str], kind: str, name: str) -> str:
    if name not in aliases:
        # a key that was cut leaves gaps: numbers go on behind the highest
        taken = [int(alias.partition("-")[2]) for alias in aliases.values()]
        aliases[name] = f"{kind}-{max(taken, default=0) + 1}"
    return aliases[name]


def path_as_lasting_name(run: RunInfo) -> str:
    """What a key calls a run: the path of its file, which no other file changes.

    Below the folder that was searched, else as it was typed; with the run's own name, where a file
    of saved scores may hold several.
    """
    if not run.path:
        return run.name
    own = f":{_name_within_file(run)}" if run.is_saved else ""
    return escaped_name((path_below(run.path) or run.path) + own)
