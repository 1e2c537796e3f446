"""`irev.leaderboard_of_collections`: runs on several collections, and their means over these.

Which files are the judgments and the runs of a collection, the boards of the collections, and the
mean over them, at equal weights, with an interval and a test that hold for these collections.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from irev.core.arrays import Floats, ratio
from irev.core.job import HasPaperTable, job
from irev.core.judged import Column
from irev.core.record import record
from irev.core.text import count_text, escaped_name, list_beginning, natural_sort_key, printable
from irev.engine.run_files import FoundSubmissions, Submission, find_submissions
from irev.errors import InputError, UsageError, note
from irev.jobs.leaderboard.board import places_of_means
from irev.jobs.leaderboard.leaderboard import (
    Board,
    LeaderboardOptions,
    NoBoardError,
    ranked_board,
    track_notices,
)
from irev.jobs.result import Result
from irev.measures.naming.resolve import lower_is_better, mean_bounds_or_infinite
from irev.read.inputs import path_of, stem_of
from irev.scores.table import ScoreTable
from irev.statistics.differences import every_pair, mean_and_sd_of_differences
from irev.statistics.intervals import column_means_and_sds
from irev.statistics.methods import CORRECTIONS, DEFAULT_TEST, correct_p
from irev.statistics.significance_tests import t_reach
from irev.writers.document import finite_or_none

# --- Which files are the judgments and the runs of a collection ---


class Collection(NamedTuple):
    """A collection: its name, that of its group in front (`cqadupstack/android`), and its files.

    qrels    its judgments
    runs     its runs by their names: submissions, or whatever `irev.leaderboard` takes
    refused  what lies among them and cannot be taken
    """

    name: str
    qrels: Any
    runs: Mapping[str, Any]
    refused: Sequence[tuple[str, InputError]] = ()

    @property
    def top(self) -> str:
        """The collection, or the group that it is in: what counts once in the mean."""
        return self.name.partition("/")[0]


_QRELS = "qrels"


def find_collections(
    folder: str, run_folders: Sequence[str] = (), *, follow_links: bool = False
) -> tuple[list[Collection], list[str]]:
    """The collections in a folder with their runs, and what was found and belongs to none.

    A folder in it is a collection if it has judgments: a file with `qrels` in its name, or a folder
    `qrels` with a single file; of several files the one that is called `test`. A folder without
    judgments, in which folders have some, is a group of collections. The runs of a collection are
    the files in its folder `runs`, and those in `run_folders` whose path names the collection: as a
    folder, as the file's name, or as a part of that between dots, hyphens and underscores. The rest
    of the path is the name of the run.

    Raises:
        UsageError: there is no collection; it is not clear which judgments or which run is meant.
    """
    if not os.path.isdir(folder):
        raise UsageError(f"{folder}: there is no such directory, where collections should be")
    if _qrels_in(folder):
        raise UsageError(f"{folder} is a collection itself: name the folder above")
    found: dict[str, str] = {}
    remarks = []
    for name in _folders_in(folder):
        path = os.path.join(folder, name)
        qrels = _qrels_in(path)
        members = {} if qrels else {each: _qrels_in(f"{path}/{each}") for each in _folders_in(path)}
        judged = {f"{name}/{each}": member for each, member in members.items() if member}
        if qrels:
            judged = {name: qrels}
        else:
            lacking = [f"{path}/{each}" for each, member in members.items() if not member]
            remarks += [f"{each}: no qrels, left out" for each in (lacking if judged else [path])]
        found |= judged
    if not found:
        raise UsageError(f"{folder}: no collection: COLLECTION/qrels.txt or COLLECTION/qrels/ here")
    runs: dict[str, dict[str, Submission]] = {name: {} for name in found}
    refused: dict[str, Sequence[tuple[str, InputError]]] = {}
    for name in found:
        own = os.path.join(folder, name, "runs")
        if os.path.isdir(own) and os.listdir(own):
            inside = find_submissions([own], follow_links=follow_links)
            refused[name] = inside.refused
            for file in inside.files:
                path = _path_without_ending(file)
                _add_run(runs, name, _without_name(path, name, own) or path, file)
    for run_folder in run_folders:
        if not os.path.isdir(run_folder):
            raise UsageError(f"{run_folder}: with --collections give folders of runs")
        inside = find_submissions([run_folder], follow_links=follow_links)
        remarks += [f"{path}: {error.problems[0].message}" for path, error in inside.refused]
        for file in inside.files:
            collection, run = _collection_and_run(_path_without_ending(file), found, run_folder)
            if collection:
                _add_run(runs, collection, run, file)
            else:
                remarks.append(f"{file.path}: no collection is called so, left out")
    collections = [
        Collection(name, qrels, runs[name], refused.get(name, ())) for name, qrels in found.items()
    ]
    return collections, remarks


def _folders_in(folder: str) -> list[str]:
    with os.scandir(folder) as entries:
        names = [e.name for e in entries if e.is_dir() and not e.name.startswith(".")]
    return sorted(names, key=natural_sort_key)


def _qrels_in(folder: str) -> str:
    """The judgments in the folder of a collection; empty where there are none."""
    inner = os.path.join(folder, _QRELS)
    where = inner if os.path.isdir(inner) else folder
    names = sorted(
        name
        for name in os.listdir(where)
        if not name.startswith(".")
        and os.path.isfile(os.path.join(where, name))
        and (where == inner or _QRELS in name.lower())
    )
    chosen = names
    if len(names) > 1:
        chosen = [name for name in names if re.search(r"(^|[._-])test([._-]|$)", name.lower())]
    if names and len(chosen) != 1:
        raise UsageError(
            f"{where}: which of these are the judgments? {list_beginning(names)}; leave one there, "
            "or call one test"
        )
    return os.path.join(where, chosen[0]) if chosen else ""


def _path_without_ending(file: Submission) -> str:
    """Below the folder that was searched."""
    return "/".join([*file.folders, stem_of(os.path.basename(file.path.rstrip(os.sep)))])


def _collection_and_run(
    path: str, collections: Mapping[str, Any], run_folder: str
) -> tuple[str, str]:
    """Whose run a file is by its path, and what the run is called; empty where none is meant.

    Whole names of folders and files go before parts of them, and longer names before shorter ones.
    """
    for is_whole in (True, False):
        for name in sorted(collections, key=len, reverse=True):
            run = _without_name(path, name, run_folder, is_whole=is_whole)
            if run:
                return name, run
    return "", ""


def _without_name(path: str, collection: str, folder: str, *, is_whole: bool = False) -> str:
    """The path without the name of a collection; of nothing more that of its folder, "" without."""
    between = "/" if is_whole else "/._-"
    name = re.escape(collection).replace("/", f"[{between}]")
    match = re.search(rf"(^|[{between}]){name}($|(?=[{between}]))", path, re.IGNORECASE)
    if match is None:
        return ""
    rest = (path[: match.start()] + path[match.end() :]).strip("/._-")
    return rest or os.path.basename(os.path.abspath(folder))


def _add_run(
    runs: dict[str, dict[str, Submission]], collection: str, run: str, file: Submission
) -> None:
    run = escaped_name(run)
    other = runs[collection].setdefault(run, file)
    if os.path.realpath(other.path) != os.path.realpath(file.path):
        raise UsageError(f"{other.path} and {file.path} are both {run} on {collection}")


def given_collections(collections: Mapping[str, Any], prefix: str = "") -> Iterator[Collection]:
    """Collections of a mapping by name; one without `qrels` is a group of others."""
    for name, each in collections.items():
        if not isinstance(each, Mapping) or not name or "/" in name:
            raise UsageError(f"collection '{name}' must be {{'qrels': ..., 'runs': ...}}")
        if "qrels" not in each and not prefix:
            yield from given_collections(each, f"{name}/")
            continue
        if {*each} != {"qrels", "runs"} or not isinstance(each["runs"], Mapping):
            raise UsageError(f"collection '{name}' must have qrels, and runs by their names")
        yield Collection(prefix + name, each["qrels"], each["runs"])


# --- The mean over collections ---


class MeanOverCollections(NamedTuple):
    """Means over collections of K runs or pairs: float64[K] each.

    mean, error  the mean, and its standard error
    df           degrees of freedom of t
    """

    mean: Floats
    error: Floats
    df: Floats

    def interval(self, level: float, low: float, high: float) -> tuple[Floats, Floats]:
        """The ends mean -+ t_{(1+level)/2; df} error, within a range; NaN where nothing varies."""
        reach = t_reach(self.df, level) * np.where(self.error > 0, self.error, np.nan)
        return np.maximum(self.mean - reach, low), np.minimum(self.mean + reach, high)

    def p(self) -> Floats:
        """Two-sided p of the mean being 0; 1 where nothing varies."""
        from scipy.special import stdtr

        is_zero = self.error <= 0
        t = np.abs(self.mean) / np.where(is_zero, 1, self.error)
        return np.where(is_zero, 1.0, 2 * stdtr(np.where(is_zero, 1, self.df), -t))


def mean_over_collections(
    means: Floats, sds: Floats, num_topics: Floats, df: Floats, weights: Floats
) -> MeanOverCollections:
    """The mean over given collections, and how far it may be off on other topics of the same.

    With the mean m_c of the n_c topics of collection c, their standard deviation s_c (by n_c - 1)
    and weights w_c, 1 / C for each of C collections, the mean is Σ w_c m_c and its standard error
    √(Σ w_c² s_c² / n_c): with equal weights √(Σ s_c² / n_c) / C. Topics are drawn within each
    collection, and the collections are fixed: nothing is said of other collections. The degrees of
    freedom are those of Welch and Satterthwaite, v² / Σ (v_c² / (n_c - 1)), with v = Σ v_c and
    v_c = w_c² s_c² / n_c.

    Args:
        means: float64[C, K], of K runs, or of the differences of K pairs.
        sds: float64[C, K], their standard deviations.
        num_topics: float64[C].
        df: float64[C], n_c - 1, or fewer where topics have weights.
        weights: float64[C], whose sum is 1.

    Sources: W. G. Cochran, Sampling Techniques (1977), sections 5.3 and 5.4 (strata); F. E.
    Satterthwaite, Biometrics Bulletin 2 (1946).
    """
    weight = weights[:, None]
    parts = weight**2 * sds**2 / num_topics[:, None]
    variance = np.cumsum(parts, axis=0)[-1]
    freedom = ratio(variance**2, np.cumsum(parts**2 / df[:, None], axis=0)[-1])
    return MeanOverCollections(
        np.cumsum(weight * means, axis=0)[-1], np.sqrt(variance), np.maximum(freedom, 1.0)
    )


def equal_weights(collections: Sequence[str]) -> Floats:
    """Each group or collection by itself counts once, and in a group each member alike."""
    tops = [name.partition("/")[0] for name in collections]
    num_tops = len(set(tops))
    return np.array([1 / (num_tops * tops.count(top)) for top in tops])


# --- The board ---


class RunOfCollections(NamedTuple):
    """A run under a measure.

    run        its name
    place      one plus the number of runs with a better mean; None: it lacks a collection
    values     the mean of each collection by its name, groups among them; None: the run lacks it
    mean       over all collections; None: the run lacks one
    low, high  the interval of that mean; None: there is none
    p_best     p of its difference from the run with the best mean, corrected for all pairs
    best_on    on how many collections no run is better; a group is one, by its mean
    """

    run: str
    place: int | None
    values: Mapping[str, float | None]
    mean: float | None
    low: float | None
    high: float | None
    p_best: float | None
    best_on: int


class Lead(NamedTuple):
    """The run with the best mean against the second: by how much, with an interval, and p."""

    best: str
    second: str
    difference: float
    low: float | None
    high: float | None
    p: float | None


@record
class MeasureOfCollections:
    """All runs under a measure, the best mean first, then those without one.

    lead  None where fewer than two runs have a mean
    """

    column: Column
    runs: tuple[RunOfCollections, ...]
    lead: Lead | None
    num_pairs: int


@record
class CollectionsBoard(Result, HasPaperTable):
    """Runs on several collections, by their means over these.

    `to_frame()` has a row for each run and measure.
    """

    collections: tuple[str, ...]
    """What counts once in the mean: collections and groups."""
    members: Mapping[str, tuple[str, ...]]
    """The collections of each group."""
    measures: tuple[MeasureOfCollections, ...]
    """The first orders the runs."""
    boards: tuple[Board, ...]
    """Of each collection, in the order of their names; `broken` has what could not be scored."""
    notes: tuple[str, ...]
    """What a reader must know, a line each."""
    options: LeaderboardOptions

    shown_by: ClassVar[str] = "irev.jobs.leaderboard.collections_document:collections_document"
    paper_by: ClassVar[str] = "irev.jobs.leaderboard.collections_document:collections_paper"

    @property
    def is_tested(self) -> bool:
        """Whether there was a test."""
        return self.measures[0].lead is not None and self.measures[0].lead.p is not None

    @property
    def strict_exit_code(self) -> int:
        """1 where a submission could not be scored."""
        return self.exit_code or max(board.strict_exit_code for board in self.boards)

    def _subject(self) -> str:
        runs = count_text(len(self.measures[0].runs), "run")
        return f"{runs} on {count_text(len(self.collections), 'collection')}"


@job(LeaderboardOptions)
def leaderboard_of_collections(
    collections: str | os.PathLike[str] | Mapping[str, Any],
    runs: Any = (),
    measures: object = (),
    *,
    options: LeaderboardOptions,
) -> CollectionsBoard:
    """Score runs on several collections, and put them in the order of their means over these.

    Every collection has the same weight, however many topics it has; a group of collections, such
    as CQADupStack, counts once, by the mean of its members. A run that lacks a collection has no
    mean. The intervals and the test hold for the given collections: `mean_over_collections`.

    Args:
        collections: a folder with a folder for each, DIR/nfcorpus/qrels/test.tsv and
            DIR/nfcorpus/runs/bm25.run; or {"nfcorpus": {"qrels": qrels, "runs": {"bm25": run}}}. A
            folder, or a mapping, of such is a group.
        runs: folders of more runs, RUNS/bm25/nfcorpus.run or RUNS/nfcorpus/bm25.run.
        measures: names as `irev.evaluate` takes them; the first orders the runs.
        options: the record `LeaderboardOptions`, whose fields are keywords, too.

    Returns:
        The board: `to_frame()` has a row for each run and measure, `boards` those of collections.

    Raises:
        TypeError: there is no such option.
        UsageError: an option or a measure that makes no sense; no collection or no run is found.
        InputError: judgments, or a run in memory, that cannot be read.
        IrevError: no submission could be scored.
    """
    _refuse_options_of_one_board(options)
    run_folders = [runs] if path_of(runs) else [*runs]
    remarks: list[str] = []
    if isinstance(collections, Mapping):
        if run_folders:
            raise UsageError("give the runs of each collection in its mapping")
        found = [*given_collections(collections)]
    else:
        found, remarks = find_collections(
            path_of(collections), [*map(path_of, run_folders)], follow_links=options.follow_links
        )
    for each in found:
        if not each.runs:
            remarks.append(f"{each.name}: no runs, left out of the means")
            remarks += [f"{path}: {error.problems[0].message}" for path, error in each.refused]
    found = [each for each in found if each.runs]
    if not found:
        raise UsageError("no collection has runs: COLLECTION/runs/, or give folders of runs")
    # each collection is scored as a track is; what is tested are the means over all of them
    plain = options.replace(test="none", ci="none", judged_on_page=False)
    boards = tuple(_board_of_collection(each, measures, plain) for each in found)
    if not any(board.parts for board in boards):
        raise NoBoardError(boards)
    notes = [*map(printable, remarks)]
    rows = tuple(_rows_of_measures(boards, options, notes))
    for run in rows[0].runs:
        lacking = [name for name, value in run.values.items() if value is None]
        if lacking:
            notes.append(f"{run.run} has no mean: it lacks {list_beginning(lacking)}")
    tops = tuple(dict.fromkeys(each.top for each in found))
    return CollectionsBoard(
        tops,
        {top: names for top in tops if (names := _members_of(top, found))},
        rows,
        boards,
        tuple(notes),
        options,
        warnings=(*track_notices(boards), *map(note, notes)),
        exit_code=max(board.exit_code for board in boards),
    )


def _members_of(top: str, collections: Sequence[Collection]) -> tuple[str, ...]:
    return tuple(each.name for each in collections if each.top == top != each.name)


def _refuse_options_of_one_board(options: LeaderboardOptions) -> None:
    refused = {
        "--teams": options.teams,
        "--best-per-team": options.best_per_team,
        "--public": options.public,
        "--group-by": options.classes,
        "--update": options.update,
        "--documents": options.documents,
    }
    for option, is_given in refused.items():
        if is_given:
            raise UsageError(f"{option} cannot be combined with several collections")
    if options.ci not in ("t", "none"):
        raise UsageError(f"--ci {options.ci}: the mean over collections has intervals by t alone")
    if CORRECTIONS[options.correction].only_test:
        raise UsageError(f"--correction {options.correction} cannot be combined with collections")
    if options.test not in (DEFAULT_TEST, "t", "none"):
        raise UsageError(f"--test {options.test}: means over collections are tested by t alone")


def _board_of_collection(
    collection: Collection, measures: object, options: LeaderboardOptions
) -> Board:
    """The board of a collection, its runs called as they are in all of them."""
    runs: Any = collection.runs
    names: dict[str, str] = {}
    if all(isinstance(file, Submission) for file in runs.values()):
        names = {file.path: name for name, file in runs.items()}
        runs = FoundSubmissions([*runs.values()], [*collection.refused])
    board = ranked_board(collection.name, collection.qrels, runs, measures, options)
    if not board.parts:
        return board
    part = board.parts[0]
    infos = [replace(run, name=names.get(run.path, run.name)) for run in part.table.runs]
    return replace(board, parts=(replace(part, table=replace(part.table, runs=tuple(infos))),))


def _rows_of_measures(
    boards: Sequence[Board], options: LeaderboardOptions, notes: list[str]
) -> Iterator[MeasureOfCollections]:
    """The runs under each measure that all collections have, that which orders them first."""
    tables = {board.name: board.table for board in boards if board.parts}
    first = next(board.parts[0] for board in boards if board.parts)
    shared = [
        column
        for column in first.table.columns
        if all(column.name in table.measure_names for table in tables.values())
        and column.average == "mean"
    ]
    if first.by not in [column.name for column in shared]:
        raise UsageError(f"{first.by} has no mean over collections")
    shared.sort(key=lambda column: column.name != first.by)
    few = [name for name, table in tables.items() if len(table.topics) < 2]
    if few:
        notes.append(f"no interval and no test: {list_beginning(few)} has one topic")
    names = [board.name for board in boards]
    for column in shared:
        yield _rows_of_measure(column, names, tables, options, has_intervals=not few)


def _rows_of_measure(
    column: Column,
    names: Sequence[str],
    tables: Mapping[str, ScoreTable],
    options: LeaderboardOptions,
    *,
    has_intervals: bool,
) -> MeasureOfCollections:
    sign = -1.0 if lower_is_better(column) else 1.0
    values = _values_of_runs(column.name, names, tables)
    best_on = _num_best_on(values, dict.fromkeys(name.partition("/")[0] for name in names), sign)
    whole = sorted(run for run, known in values.items() if None not in known.values())
    rows, lead = [], None
    if whole:
        scores = _WholeRuns.of(whole, column, [tables[name] for name in names], names)
        over = scores.means()
        order = sorted(range(len(whole)), key=lambda at: (-sign * over.mean[at], whole[at]))
        places = places_of_means(sign * over.mean).tolist()
        low = high = np.full(len(whole), np.nan)
        if options.ci != "none" and has_intervals:
            low, high = over.interval(1 - options.alpha, *scores.bounds)
        p: dict[str, float] = {}
        if len(whole) > 1:
            is_tested = has_intervals and options.test != "none"
            lead, p = _lead_and_p(scores, order, sign, options, is_tested=is_tested)
        for at in order:
            run, mean = whole[at], float(over.mean[at])
            ends = (finite_or_none(float(low[at])), finite_or_none(float(high[at])))
            rows.append(
                RunOfCollections(
                    run, places[at], values[run], mean, *ends, p.get(run), best_on[run]
                )
            )
    without_mean = [run for run in values if run not in whole]
    for run in sorted(without_mean, key=natural_sort_key):
        rows.append(RunOfCollections(run, None, values[run], None, None, None, None, best_on[run]))
    return MeasureOfCollections(column, tuple(rows), lead, len(whole) * (len(whole) - 1) // 2)


def _values_of_runs(
    measure: str, names: Sequence[str], tables: Mapping[str, ScoreTable]
) -> dict[str, dict[str, float | None]]:
    """Run -> its means by collection, that of a group in front of those of its members."""
    known: dict[str, dict[str, float]] = {}
    for name, table in tables.items():
        for run, value in zip(table.run_names, table.means(measure).tolist(), strict=True):
            known.setdefault(run, {})[name] = value
    values: dict[str, dict[str, float | None]] = {run: {} for run in known}
    for top in dict.fromkeys(name.partition("/")[0] for name in names):
        members = [name for name in names if name.partition("/")[0] == top]
        for run, of_run in known.items():
            there = [of_run[name] for name in members if name in of_run]
            is_whole = len(there) == len(members)
            values[run][top] = float(np.cumsum(there)[-1]) / len(there) if is_whole else None
            if members != [top]:
                values[run] |= {name: of_run.get(name) for name in members}
    return values


def _num_best_on(
    values: Mapping[str, Mapping[str, float | None]], tops: Iterable[str], sign: float
) -> dict[str, int]:
    """Run -> on how many collections no other is better."""
    best_on = dict.fromkeys(values, 0)
    for top in tops:
        there = {run: value for run, each in values.items() if (value := each[top]) is not None}
        if there:
            places = places_of_means(sign * np.array([*there.values()]))
            for run, place in zip(there, places, strict=True):
                best_on[run] += int(place == 1)
    return best_on


@record
class _WholeRuns:
    """The scores of the runs that have all collections, under a measure.

    matrices    of each collection float64[T, K]
    num_topics  float64[C]
    df          float64[C], one less, or fewer where topics have weights
    weights     float64[C], of the collections
    bounds      between which a mean lies
    """

    matrices: Sequence[Floats]
    num_topics: Floats
    df: Floats
    weights: Floats
    runs: Sequence[str]
    bounds: tuple[float, float]

    @classmethod
    def of(
        cls, runs: Sequence[str], column: Column, tables: Sequence[ScoreTable], names: Sequence[str]
    ) -> _WholeRuns:
        """Of the tables of the collections."""
        matrices = [
            table.linearised_score_matrix(column.name)[:, [*map(table.run_names.index, runs)]]
            for table in tables
        ]
        weights = equal_weights(names)
        ends = [mean_bounds_or_infinite(column, table.scores(column.name)) for table in tables]
        low, high = (float(np.cumsum(weights * end)[-1]) for end in np.transpose(ends))
        num_topics = np.array([float(len(matrix)) for matrix in matrices])
        own_df = [max(len(t.topics) - 1, 1) if t.df is None else t.df for t in tables]
        return cls(matrices, num_topics, np.array(own_df), weights, runs, (low, high))

    def means(self) -> MeanOverCollections:
        """Of the runs; of a collection with one topic nothing is known of how scores vary."""
        moments = [
            column_means_and_sds(each) if len(each) > 1 else (each[0], np.zeros(len(self.runs)))
            for each in self.matrices
        ]
        return self._combine(moments)

    def differences(self) -> MeanOverCollections:
        """Of all pairs of runs, the first less the second."""
        pairs = every_pair(len(self.runs))
        summaries = [mean_and_sd_of_differences(each, pairs) for each in self.matrices]
        return self._combine([(each.mean, each.sd) for each in summaries])

    def _combine(self, moments: Sequence[tuple[Floats, Floats]]) -> MeanOverCollections:
        means, sds = map(np.array, zip(*moments, strict=True))
        return mean_over_collections(means, sds, self.num_topics, self.df, self.weights)


def _lead_and_p(
    scores: _WholeRuns,
    order: Sequence[int],
    sign: float,
    options: LeaderboardOptions,
    *,
    is_tested: bool,
) -> tuple[Lead, dict[str, float]]:
    """The best run against the second, and p of each run's difference from the best.

    Corrected for all pairs, with an interval that holds for all pairs at once (Bonferroni's).
    """
    best, second = order[:2]
    names = scores.runs[best], scores.runs[second]
    if not is_tested:
        means = scores.means().mean
        return Lead(*names, abs(float(means[best] - means[second])), None, None, None), {}
    pairs, differences = every_pair(len(scores.runs)), scores.differences()
    corrected = correct_p(np.minimum(1.0, differences.p()), options.correction)
    width = scores.bounds[1] - scores.bounds[0]
    low, high = differences.interval(1 - options.alpha / len(pairs), -width, width)

    def pair_index(run: int) -> int:
        is_pair = (pairs.first == min(best, run)) & (pairs.second == max(best, run))
        return int(is_pair.nonzero()[0][0])

    at, turn = pair_index(second), sign if best < second else -sign
    low_end, high_end = sorted(float(turn * end[at]) for end in (low, high))
    p = {scores.runs[run]: float(corrected[pair_index(run)]) for run in order[1:]}
    difference = float(turn * differences.mean[at])
    ends = (finite_or_none(low_end), finite_or_none(high_end))
    return Lead(*names, difference, *ends, p[names[1]]), p
