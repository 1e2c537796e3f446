"""What the commands share that set runs against each other: their inputs, and the evaluation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.files import check_files
from irev.cli.options import TOPICS, Flags, parameters
from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.engine.gather import Gathered, Watch
    from irev.options import Options

SHARED = (
    "measures", "level", "judged_only", "collection_size", "max_retrieved", "qrels_format",
    "run_format",
    "compat", "topics", "no_relevant", "duplicates", "group_by", "topic_weights", "beta",
    "log_base", "gains", "max_grade", "grades", "decimal", "map_grades", "intents", "pool", "ties",
    "plugins", "threads",
)  # fmt: skip
"""Options of `irev eval` that mean the same here, but for `topics`: all judged ones by default."""

_HELP = {
    "group_by": "The same for each class of topics too: FILE has a topic and a class on each line.",
    "topic_weights": "Weighted means, and tests of these: FILE has a topic and its weight on each "
    "line.",
}
"""Options of `irev eval` that say something else of themselves here."""

_STDIN = "-"


MEASURES = ("map",)
"""What runs are scored by where no measure is named."""


def gathering_options(
    measures: Sequence[str] = MEASURES, *, without: Sequence[str] = ()
) -> list[click.Parameter]:
    """The options of a command that takes QRELS RUN..., beside its own.

    Args:
        measures: what runs are scored by where no measure is named.
        without: names of options that the command does not have.
    """
    shared = [
        _topics() if option.name == "topics" else option
        for option in parameters()
        if option.name in SHARED
    ]
    section = "Options of the runs"
    own = [
        Option(
            "--names", type=click.Choice(["file", "tag"]), default="file", section=section,
            help="What a run is called after: its file (the default) or its tag.",
        ),
        Option(
            "--nan", type=click.Choice(["error", "drop-topic"]), default="error", section=section,
            help="What becomes of a topic on which some score is no finite number: an error (the "
            "default), or left out for all runs.",
        ),
    ]  # fmt: skip
    options = [option for option in (*own, *shared) if option.name not in without]
    default = f"{', '.join(measures)}; of saved scores all that there are"
    return with_help(options, measures=default_measures(default), **_HELP)


def default_measures(default: str) -> str:
    """The help of -m, given the measures where none is named."""
    return (
        "Add a measure or a set of measures, as irev eval takes them; may be repeated. "
        f"Default: {default}."
    )


def with_help(options: list[click.Parameter], **said: str) -> list[click.Parameter]:
    """The options, where those of some names say something else of themselves."""
    for option in options:
        if option.name in said and isinstance(option, Option):
            option.help = said[option.name]
    return options


def _topics() -> click.Parameter:
    return Option(
        "--topics", metavar="qrels|both|FILE", section="Options of the runs",
        help="Average over all judged topics, where one that a run lacks counts as 0 (qrels, the "
        "default), over those that every run has (both), or over those listed in FILE.",
    )  # fmt: skip


def evaluation_options(given: dict[str, Any]) -> Options:
    """The choices of the evaluation; every judged topic counts where nothing else was asked for."""
    from irev.cli.evaluate import command as evaluation
    from irev.cli.evaluate import load_plugins, options_of

    load_plugins(given.get("plugins", ()))
    if given.get("topics") == "run":
        raise UsageError("--topics run: runs are compared on the same topics: qrels, both or FILE")
    # what there is no option for here is at its default
    defaults = evaluation.make_context("irev", ["QRELS", "RUN"]).params
    shared = {name: value for name, value in given.items() if name in SHARED}
    files = given["files"] if len(given["files"]) > 1 else ("QRELS", *given["files"])
    flags = Flags(**{**defaults, **shared, "files": files})
    return options_of(replace(flags, topics=flags.topics or "qrels"))


def gathered(
    given: dict[str, Any],
    measures: Sequence[str] = (),
    *,
    keep_going: bool = False,
    heed_judged: bool = False,
    watch: Watch = lambda items, _: items,
) -> Gathered:
    """Score the files of a command line: QRELS RUN..., or saved scores alone.

    Args:
        given: the options and `files`.
        measures: what is scored where no -m is given; of saved scores all that they have.
        keep_going: whether a run that cannot be scored is left out, rather than an error.
        heed_judged: whether a note names runs of whose first documents few are judged.
        watch: what the scored runs pass through.
    """
    from irev.engine.gather import gather

    files = given["files"]
    check_files(files_read(given), ())
    options = evaluation_options(given)
    if starts_with_saved(files):
        qrels, runs = None, files
        measures = given["measures"]
    else:
        if len(files) == 1:
            raise UsageError(f"{files[0]} holds no saved scores, and there is no run beside it")
        qrels, runs = files[0], files[1:]
        measures = given["measures"] or measures
    return gather(
        qrels, runs, measures, options, format=given["qrels_format"], names=given["names"],
        keep_going=keep_going, drop_undefined=given["nan"] == "drop-topic",
        heed_judged=heed_judged, watch=watch,
    )  # fmt: skip


def files_read(given: dict[str, Any]) -> list[str]:
    """The files that a command line has its inputs in."""
    pool, topics = given.get("pool") or "", given.get("topics")
    more = (
        given.get("intents"),
        None if pool.startswith("depth:") else pool,
        None if topics in TOPICS else topics,
        given.get("group_by"),
        given.get("topic_weights"),
    )
    return [*given["files"], *filter(None, more), *given.get("plugins", ())]


def starts_with_saved(files: Sequence[str]) -> bool:
    """Whether the first file holds saved scores, so that no judgments are wanted."""
    if not files or files[0] == _STDIN:
        return False
    from irev.read.saved import is_saved

    return is_saved(files[0])
