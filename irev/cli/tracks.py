"""From the options of `irev leaderboard` to the boards of a track."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, NamedTuple

from irev.cli.options import CSV_SAFE, FORMAT, OUTPUT, OUTPUT_SECTION, PLACES
from irev.cli.output import check_files, say, voice, write
from irev.cli.several_runs import (
    MEASURES,
    OptionsOfRuns,
    Runs,
    evaluation_of_runs,
    scored,
    starts_with_saved,
    watch_runs,
)
from irev.core import workers
from irev.core.held import Held
from irev.core.option_records import Opt, OutputOptions
from irev.core.text import as_bytes, printable
from irev.engine.confined.limits import Limits
from irev.errors import NoneScoredError, UsageError, note
from irev.jobs.leaderboard.rules import SECTION, BoardRules, Chosen
from irev.options import DEPTH

if TYPE_CHECKING:
    from irev.engine.folders import Searched
    from irev.jobs.leaderboard.track import Part, Track
    from irev.scores.table import ScoreTable


class Shown(OutputOptions):
    """What is shown of the boards, and where; for all tracks together."""

    anonymous: Annotated[bool, Opt(
        "--anonymous", section=SECTION,
        help="Replace the names of runs and teams by made-up ones.",
    )] = False  # fmt: skip
    key: Annotated[str | None, Opt(
        "--key", in_short_help=False, metavar="FILE", section=SECTION, file="written",
        help="Write the key of --anonymous to FILE. Names already in FILE are kept.",
    )] = None  # fmt: skip
    per_topic: Annotated[bool, Opt(
        "--per-topic", in_short_help=True, section=OUTPUT_SECTION,
        help="Also print the best, median and worst score of each topic. In csv, tsv and jsonl: "
        "the scores of all runs by topic.",
    )] = False  # fmt: skip
    format: Annotated[str, FORMAT.replace(
        help="Output format. html is a single page with charts that loads nothing else.",
    )] = "table"  # fmt: skip
    csv_safe: Annotated[
        bool | None,
        CSV_SAFE.replace(help=f"{CSV_SAFE.help} On by default."),
        Opt(
            "--no-csv-safe",
            flag_value=False,
            section=OUTPUT_SECTION,
            help="Write texts unchanged in csv and tsv.",
        ),
    ] = None
    places: Annotated[int, PLACES.replace(
        help="Number of decimals. csv, tsv, json and jsonl always have full precision."
    )] = 4  # fmt: skip
    output: Annotated[str | None, OUTPUT] = None
    log: Annotated[str | None, Opt(
        "--log", metavar="FILE", section=OUTPUT_SECTION, file="written",
        help="Write all details about broken submissions to FILE. No other output quotes their "
        "contents.",
    )] = None  # fmt: skip
    codabench: Annotated[bool, Opt(
        "--codabench", section=OUTPUT_SECTION,
        help="Run as the scoring program of CodaBench: irev leaderboard --codabench INPUT OUTPUT.",
    )] = False  # fmt: skip
    tira: Annotated[bool, Opt(
        "--tira", section=OUTPUT_SECTION,
        help="Run as an evaluator for TIRA: irev leaderboard --tira TRUTH_DIR RUN_DIR OUTPUT_DIR.",
    )] = False  # fmt: skip
    columns: Annotated[str | None, Opt(
        "--columns", metavar="NAME=KEY,...", section=OUTPUT_SECTION,
        help="With --codabench and --tira: output keys of the measures; other measures are left "
        "out.",
    )] = None  # fmt: skip


class Submissions(NamedTuple):
    """What a track is made of.

    files    QRELS DIR|RUN..., or saved scores alone
    limits   of each submission
    written  (option, path) of what is written
    """

    files: tuple[str, ...]
    rules: BoardRules
    chosen: Chosen
    asked: Runs
    options: OptionsOfRuns
    limits: Limits
    written: tuple[tuple[str, str | None], ...] = ()


def track_of(given: Submissions, name: str = "") -> "Track":
    """Score the submissions of a track, called by a name, and put them in order."""
    from irev.engine.folders import submissions

    chosen, asked, options = given[2:5]
    if chosen.best_per_team and not chosen.teams:
        raise UsageError("--best-per-team needs --teams FILE")
    if chosen.only and not chosen.public:
        raise UsageError("--only needs --public")
    has_qrels = _has_qrels(given.files)
    own = [isinstance(each, Held) for each in given.files[1:]]
    if any(own) and not all(own):
        raise UsageError('give all runs by name, {"bm25": run, "rm3": "rm3.run"}, or paths alone')
    taken = submissions(given.files[1:], follow_links=chosen.follow_links)
    files = [given.files[0], *(each.path for each in taken.files)]
    read = [*files, *asked.input_paths(), *options.input_paths(), *chosen.input_paths()]
    check_files(read, given.written)
    try:
        if taken.refused and not taken.files:
            raise NoneScoredError(taken.refused)
        if any(own):
            # whoever has runs in memory trusts them, and wants to know what is wrong
            found = scored(files, asked, options, MEASURES)
            found = replace(found, warnings=tuple(map(note, found.notes)))
        elif has_qrels:
            found = _scored(files, taken, given)
        else:
            found = scored(files, asked, options, MEASURES, keep_going=True)
    except NoneScoredError as error:
        from irev.jobs.leaderboard.track import Track, broken_of

        return Track(name, (), broken_of({*taken.refused, *error.broken}), ())
    return _track(name, found, taken, given)


def _scored(files: Sequence[str], taken: "Searched", given: Submissions) -> "ScoreTable":
    """The scores of submissions, from workers: the files are strangers'."""
    from irev.engine.folders import submission_names
    from irev.jobs.leaderboard.scoring import ScoredBy, Scoring

    asked, options = given.asked, given.options
    if isinstance(options.pool, str) and options.pool.startswith(DEPTH):
        # it would be made of strangers' files here
        raise UsageError(
            f"--pool {options.pool}: make the pool of the submissions beforehand: irev pool"
        )
    wanted = ScoredBy(
        files[0], tuple(asked.measures or MEASURES), evaluation_of_runs(files, asked, options),
        asked.qrels_format, tuple(asked.plugins), given.chosen.accept_scores,
        asked.nan == "drop-topic",
    )  # fmt: skip
    with Scoring(wanted, files[1:], given.limits) as scoring:
        # imported while the judgments are read
        import irev.jobs.leaderboard.board
        import irev.jobs.leaderboard.track  # noqa: F401

        if given.rules.interval == "t":  # others may do without
            import scipy.special  # noqa: F401

        return scoring.gathered(submission_names(taken.files), watch_runs)


def _track(name: str, found: "ScoreTable", taken: "Searched", given: Submissions) -> "Track":
    """The boards of what was scored."""
    from irev.engine.score_runs import missing_topic_warnings
    from irev.jobs.leaderboard.board import board
    from irev.jobs.leaderboard.teams import names_for_teams, read_teams, team_notes, teams_of
    from irev.jobs.leaderboard.track import Track, broken_of

    rules, chosen, asked, options = given[1:5]
    first = next(iter(asked.measures), None)
    rules = rules.replace(
        by=rules.by or first, threads=options.threads or workers.default_threads()
    )
    listed = read_teams(chosen.teams) if chosen.teams else {}
    table, notes = found, [*found.notes]
    names = names_for_teams(table, {each.path: each.folders for each in taken.files})
    teams = teams_of(names, listed)
    if listed:
        notes += team_notes(names, listed, teams)
    boards = [
        board(
            part.table,
            rules,
            part=part.name,
            teams=teams,
            best_per_team=chosen.best_per_team,
            naming=options,
        )
        for part in _parts(table, chosen, rules.seed, notes)
    ]
    broken = broken_of([*taken.refused, *found.broken])
    doubts = (*found.doubts, *missing_topic_warnings(found))
    return Track(name, tuple(boards), broken, tuple(notes), doubts)


def _has_qrels(files: tuple[str, ...]) -> bool:
    """Whether the first file holds judgments, not saved scores."""
    if not isinstance(files[0], Held) and os.path.isdir(files[0]):
        raise UsageError(f"{files[0]} is a directory: put the relevance file before it")
    if starts_with_saved(files):
        return False
    if len(files) == 1:
        raise UsageError("give submissions: irev leaderboard QRELS DIR|RUN...")
    return True


def _parts(table: "ScoreTable", chosen: Chosen, seed: int, notes: list[str]) -> "Iterator[Part]":
    from irev.jobs.leaderboard.track import Part, split, with_classes

    if not chosen.public:
        yield from with_classes(Part("", table))
        return
    for part in split(table, _public(table, chosen.public, seed, notes)):
        if chosen.only in (None, part.name):
            yield from with_classes(part)


def _public(table: "ScoreTable", public: str, seed: int, notes: list[str]) -> frozenset[bytes]:
    """The public topics: those listed in a file, or a share of all."""
    from irev.jobs.leaderboard.track import drawn, unknown_note

    if os.path.isfile(public):
        from irev.read.topic_files import read_topics

        listed = frozenset(read_topics(public))
        notes += unknown_note(table, listed)
        return listed
    from irev.jobs.pool.rates import parse_rate

    try:
        share = parse_rate(public)
    except UsageError:
        raise UsageError(
            f"--public {public}: must be an existing file or a share such as 30%"
        ) from None
    return drawn(table.topics, share, seed)


def say_tracks(tracks: "Sequence[Track]", log: str | None, *, below_board: bool = False) -> None:
    """What a reader must know of tracks, on stderr; in full in a log.

    Not what the reader sees below the boards.
    """
    from irev.jobs.leaderboard.track import MOST_TOLD

    if log:
        write(_logged(tracks), log)
    voice().heed(
        # most hints quote submissions; which run another one is does not
        doubt._replace(
            hint=doubt.hint if doubt.kind == "identical-runs" else "",
            run=": ".join(filter(None, (track.name, doubt.run))),
        )
        for track in tracks
        for doubt in track.doubts
    )
    for track in tracks:
        whose = f"{track.name}: " if track.name else ""
        if not (below_board and track.boards):
            for note in track.notes:
                voice().note(f"{whose}{note}")
            for each in track.broken[:MOST_TOLD]:
                say(f"irev: {whose}not scored: {each}")
            if len(track.broken) > MOST_TOLD:
                say(f"irev: {whose}not scored: ... and {len(track.broken) - MOST_TOLD:,} more")
        if track.broken:
            number = max((len(board.standings) for board in track.boards), default=0)
            where = log or "--log FILE"
            say(
                f"irev: {whose}{number} scored, {len(track.broken)} could not be scored; "
                f"{where} says in full what is wrong"
            )


def _logged(tracks: "Sequence[Track]") -> Iterator[bytes]:
    for track in tracks:
        if track.name:
            yield as_bytes(printable(f"# {track.name}") + "\n")
        for each in track.broken:
            yield as_bytes(f"{each.said}\n")
        for doubt in track.doubts:
            yield as_bytes(printable(str(doubt)) + "\n")
