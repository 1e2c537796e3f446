"""`irev leaderboard`: submissions in order, with what is known of their places."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from irev.boards.rules import CORRECTION, INTERVAL_NAMES, TEST_NAMES
from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.gathering import gathering_options
from irev.cli.types import whole_number
from irev.core.wording import every
from irev.errors import NoneScoredError, UsageError
from irev.statistics.methods import CORRECTIONS, TESTS
from irev.writers.forms import FORMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from irev.boards.track import Track

_CORRECTED = every([name for name in TEST_NAMES if name in TESTS and TESTS[name].simultaneous])

_OF_ALL = (
    "config", "strict", "anonymous", "key", "per_topic", "format", "places", "output", "codabench",
    "tira", "columns",
)  # fmt: skip
"""Options that hold for all tracks together, so that a track cannot set them."""


def leaderboard(**given: Any) -> int:
    """Score many submissions and put them in order.

    A directory is searched for submissions with all below it; saved scores are taken wherever runs
    are. A judged topic that a run lacks counts as 0. A submission that cannot be read is reported
    and the others are scored: the exit code is 0 then, and 1 with --strict. The runs stand by their
    means under the first measure; equal ones share a place.
    """
    if given["codabench"] or given["tira"]:
        from irev.cli.scoring_program import score

        return score(given)
    from irev.cli.tracks import say_track, track_of

    _check(given)
    tracks = _configured(given) if given["config"] else [track_of(given)]
    for track in tracks:
        say_track(track)
    _deliver(tracks, given)
    return 1 if given["strict"] and any(track.broken for track in tracks) else 0


def _check(given: dict[str, Any]) -> None:
    from irev.cli.files import check_files

    context = click.get_current_context(silent=True)
    if given["config"] and given["files"]:
        raise click.UsageError("with --config the files stand in the configuration", context)
    if not given["config"] and not given["files"]:
        raise click.UsageError(
            "a relevance file and submissions are wanted: irev leaderboard QRELS DIR|RUN...",
            context,
        )
    if given["key"] and not given["anonymous"]:
        raise UsageError("--key is the key to --anonymous")
    if given["columns"]:
        raise UsageError("--columns goes with --codabench or --tira")
    check_files([given["config"]], [("--output", given["output"]), ("--key", given["key"])])


def _configured(given: dict[str, Any]) -> list[Track]:
    """The tracks of a configuration; what the command line says goes before."""
    from irev.boards.config import read_config
    from irev.boards.track import Track, broken_of
    from irev.cli.tracks import track_of

    named = {
        key: param
        for param in command.params
        if isinstance(param, Option) and param.name not in _OF_ALL
        for key in _keys(param)
    }
    context = click.get_current_context()
    said = {
        name: value
        for name, value in given.items()
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    tracks: list[Track] = []
    none: list[NoneScoredError] = []
    for config in read_config(given["config"], named.keys()):
        arguments = list(_arguments(config.options, named))
        files = [config.qrels, *config.runs] if config.qrels else [*config.runs]
        parsed = command.make_context("irev leaderboard", [*arguments, "--", *files]).params
        try:
            tracks.append(track_of({**parsed, **said, "files": parsed["files"]}, config.name))
        except NoneScoredError as error:
            none.append(error)
            tracks.append(Track(config.name, (), broken_of(error.broken), ()))
    if len(none) == len(tracks):
        raise NoneScoredError([each for error in none for each in error.broken])
    return tracks


def _keys(option: Option) -> Iterator[str]:
    """What an option is called in a configuration."""
    yield from (name[2:].replace("_", "-") for name in option.opts if name.startswith("--"))
    if option.name:
        yield option.name.replace("_", "-")


def _arguments(options: Mapping[str, Any], named: Mapping[str, Option]) -> Iterator[str]:
    """Options as a command line has them."""
    for key, values in options.items():
        option = named[key]
        for value in values:
            if isinstance(value, bool) != option.is_flag:
                wanted = "true or false" if option.is_flag else "a value"
                raise UsageError(f"{key} wants {wanted} in a configuration, not {value}")
            if not option.is_flag:
                yield f"{option.opts[-1]}={value}"
            elif value:
                yield option.opts[-1]


def _deliver(tracks: Sequence[Track], given: dict[str, Any]) -> None:
    from irev.cli.files import write, write_document

    key = b""
    if given["anonymous"]:
        tracks, key = _anonymous(tracks, given["key"])
    if given["key"]:
        # before the boards: whoever reads these may stop before their end
        write([key], given["key"])
    if given["format"] == "html":
        from irev.boards.page import write_page

        write(write_page(tracks, given["places"], given["per_topic"]), given["output"])
        return
    from irev.boards.document import document

    made = document(tracks, per_topic=given["per_topic"])
    write_document(made, given["format"], given["output"], given["places"])


def _anonymous(tracks: Sequence[Track], path: str | None) -> tuple[list[Track], bytes]:
    """The tracks with made-up names, and the key to these."""
    from irev.boards.teams import Pseudonyms

    names = Pseudonyms.read(path) if path else Pseudonyms()
    hidden = [
        # notes may name runs and files
        replace(t, boards=tuple(map(names.applied, t.boards)), notes=(), hides=True)
        for t in tracks
    ]
    return hidden, names.text()


def _board_options() -> list[click.Parameter]:
    section = "Options of the board"

    def own(*names: str, **facts: Any) -> Option:
        return Option(*names, section=section, **facts)

    return [
        own("--by", metavar="NAME", help="The measure that orders the runs. Default: the first."),
        own(
            "--test", type=click.Choice(TEST_NAMES), default="rthsd-t",
            help=f"What says which runs differ, of all pairs: {_CORRECTED} are corrected in "
            f"themselves, the others by {CORRECTIONS[CORRECTION].phrase}. Default: rthsd-t.",
        ),
        own(
            "--ci", type=click.Choice(INTERVAL_NAMES), default="t",
            help="The intervals of means; none leaves out those of places too. Default: t.",
        ),
        own(
            "--alpha", type=float, default=0.05, metavar="A",
            help="The level of the test and, as 1 - A, of intervals. Default: 0.05.",
        ),
        own(
            "--resamples", type=whole_number(1, 10_000_000), default=10_000, metavar="N",
            help="How many the test and the bootstrap draw. Default: 10000.",
        ),
        own(
            "--seed", type=whole_number(0), default=0, metavar="N",
            help="What all draws depend on. Default: 0.",
        ),
        own("--teams", metavar="FILE", help="Who made which run: RUN TEAM on each line."),
        own("--best-per-team", is_flag=True, help="Show the best run of each team only."),
        own(
            "--public", metavar="FILE|SHARE",
            help="A board for public topics, those listed in FILE or a SHARE such as 30% that is "
            "drawn by --seed, and one for the others, the private ones.",
        ),
        own(
            "--only", type=click.Choice(["public", "private"]),
            help="With --public: show that board alone.",
        ),
        own("--anonymous", is_flag=True, help="Made-up names for runs and teams."),
        own(
            "--key", metavar="FILE",
            help="Write there whose names are whose; names that stand there already are kept.",
        ),
        own(
            "--config", metavar="FILE",
            help="Take the tracks from [[leaderboard.track]] in a TOML file: name, qrels, runs, "
            "and these options by their names.",
        ),
        own("--strict", is_flag=True, help="Exit with 1 where a submission could not be scored."),
    ]  # fmt: skip


def _output_options() -> list[click.Parameter]:
    section = "Options for the output"

    def own(*names: str, **facts: Any) -> Option:
        return Option(*names, section=section, **facts)

    return [
        own(
            "--per-topic", is_flag=True,
            help="The best, median and worst score of each topic too; in csv, tsv and jsonl the "
            "scores of all runs by topic instead.",
        ),
        own(
            "--format", type=click.Choice([*FORMS]), default="table",
            help="The form of the output; html is one page with charts that loads nothing else. "
            "Default: table.",
        ),
        own(
            "--places", type=whole_number(0, 17), default=4, metavar="N",
            help="Decimals, where the form is not exact as csv and json are. Default: 4.",
        ),
        own("--output", metavar="FILE", help="Write to FILE, whole or not at all."),
        own(
            "--codabench", is_flag=True,
            help="Be CodaBench's scoring program: irev leaderboard --codabench INPUT OUTPUT.",
        ),
        own(
            "--tira", is_flag=True,
            help="Be an evaluator for TIRA: irev leaderboard --tira TRUTH_DIR RUN_DIR OUTPUT_DIR.",
        ),
        own(
            "--columns", metavar="NAME=KEY,...",
            help="With --codabench and --tira: the keys of the measures; others are left out.",
        ),
    ]  # fmt: skip


def _run_options() -> Iterable[click.Parameter]:
    """The options of the runs; they are called by their tags where nothing else is said."""
    for param in gathering_options():
        if param.name == "names":
            yield Option(
                "--names", type=click.Choice(["file", "tag"]), default="tag",
                section="Options of the runs",
                help="What a run is called after: its tag (the default) or its file; runs with one "
                "tag are called by their files.",
            )  # fmt: skip
        else:
            yield param


command = Job(
    "leaderboard",
    params=[
        click.Argument(["files"], nargs=-1, metavar="QRELS DIR|RUN..."),
        *_board_options(), *_output_options(), *_run_options(),
    ],
    callback=leaderboard,
    help=leaderboard.__doc__,
    epilog="Example: irev leaderboard -m ndcg_cut.10 -m map --format html --output board.html "
    "qrels.txt runs/",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
