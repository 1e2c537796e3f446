"""What the commands share that set runs against each other: their inputs, and the evaluation."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from irev.cli.options import RUNS, InputOptions, evaluation_of, load_plugins
from irev.cli.output import check_files, voice
from irev.cli.record_options import RecordOptions
from irev.core.option_records import Opt
from irev.core.progress import report_progress
from irev.engine.run_files import run_files
from irev.errors import UsageError
from irev.options import TOPICS, Options
from irev.read.formats import GRADED, JUDGMENTS, format_names

if TYPE_CHECKING:
    from irev.scores.table import ScoreTable

MEASURES, USUAL = ("map",), ("map", "ndcg_cut.10", "P.10")
"""What runs are scored by where no measure is named: by most commands, by studies of several."""

ALONE = ("only_topic", "tie_range", "seed", "residuals", "judged_shares")
"""Choices of an evaluation that runs set against each other have no use for."""

ONLY_GRADES = f"What QRELS holds: {format_names({name: JUDGMENTS[name] for name in GRADED})}."
"""The help of -R where judgments must be grades of documents."""

_STDIN = "-"


class OptionsOfRuns(Options):
    """The choices of an evaluation of runs that are set against each other."""

    topics: Annotated[
        Literal["both", "qrels", "run"] | os.PathLike[str] | Sequence[bytes | str],
        TOPICS.replace(
            metavar="qrels|both|FILE", section=RUNS,
            help="Topics to average over: all judged ones, where a topic missing from a run "
            "counts as 0 (qrels, the default), those that every run has (both), or those "
            "listed in FILE.",
        ),
    ] = "qrels"  # fmt: skip
    """Topics that are averaged over: all judged ones; those that every run has; those listed."""


class Runs(InputOptions):
    """What is asked of runs that are set against each other."""

    names: Annotated[Literal["file", "tag"], Opt(
        "--names", section=RUNS, help_order=1,
        help="Name runs after their file (file, the default) or their tag (tag).",
    )] = "file"  # fmt: skip
    nan: Annotated[Literal["error", "drop-topic"], Opt(
        "--nan", section=RUNS,
        help="Topics on which some score is not a finite number: an error (error, the default), "
        "or left out for all runs (drop-topic).",
    )] = "error"  # fmt: skip


def records_of_runs(
    measures: Sequence[str] = MEASURES,
    *,
    without: Sequence[str] = (),
    say: Mapping[str, str] = {},
    record: type[Runs] = Runs,
) -> tuple[RecordOptions, RecordOptions]:
    """What a command takes that has QRELS RUN..., beside its own: `Runs` and `OptionsOfRuns`.

    Args:
        measures: what runs are scored by where no measure is named; none: the record says it.
        without: names of fields that the command has no option for.
        say: names of fields, with the help that their options have here.
        record: what is asked, where there is more than `Runs`.
    """
    said = {
        "classes": "Also compute everything for each class of topics. FILE has a topic and its "
        "class on each line.",
        "weights": "Use weighted means, also in tests. FILE has a topic and its weight on each "
        "line.",
        **say,
    }
    if measures:
        default = f"{', '.join(measures)}; for saved scores all that they contain"
        said = {"measures": default_measures(default), **said}
    return RecordOptions(record, said, without), RecordOptions(
        OptionsOfRuns, said, (*without, *ALONE)
    )


def default_measures(default: str) -> str:
    """The help of -m, given the measures where none is named."""
    return f"Measure or set of measures, as in irev eval; may be repeated. Default: {default}."


def evaluation_of_runs(files: Sequence[str], asked: InputOptions, options: Options) -> Options:
    """The choices of the evaluation, with all that they need the files for.

    Args:
        files: QRELS RUN..., or saved scores alone.
        asked: what is asked.
        options: the choices.
    """
    load_plugins(asked.plugins)
    if options.topics == "run":
        raise UsageError("--topics run: runs are compared on the same topics: qrels, both or FILE")
    return evaluation_of(files if len(files) > 1 else ("QRELS", *files), asked, options)


def scored(
    files: Sequence[str],
    asked: Runs,
    options: Options,
    measures: Sequence[str] = (),
    *,
    keep_going: bool = False,
    warn_unjudged: bool = False,
) -> "ScoreTable":
    """Score the files of a command line: QRELS RUN..., or saved scores alone.

    Args:
        files: the files.
        asked: what is asked of them.
        options: the choices of the evaluation.
        measures: what is scored where no -m is given; of saved scores all that they have.
        keep_going: whether a run that cannot be scored is left out, rather than an error; whoever
            asks for it tells of the doubts about runs.
        warn_unjudged: whether a note names runs of whose first documents few are judged.
    """
    from irev.engine.score_runs import score_runs

    is_saved = starts_with_saved(files)
    if not is_saved:
        files = (*files[:1], *run_files(files[1:]).regular())
    check_files([*files, *asked.input_paths(), *options.input_paths()], ())
    options = evaluation_of_runs(files, asked, options)
    if is_saved:
        qrels, runs, measures = None, files, asked.measures
    else:
        if len(files) == 1:
            raise UsageError(no_scores_text(files[0]))
        qrels, runs, measures = files[0], files[1:], asked.measures or measures
    found = score_runs(
        qrels, runs, measures, options, qrels_format=asked.qrels_format, names=asked.names,
        keep_going=keep_going, drop_undefined=asked.nan == "drop-topic",
        warn_unjudged=warn_unjudged, watch=watch_runs,
    )  # fmt: skip
    if not keep_going:
        voice().heed(found.doubts)
    return found


def watch_runs(outcomes: Iterable[Any], length: int) -> Iterator[Any]:
    """What becomes of runs, as it comes; a terminal says how many are done."""
    return report_progress(outcomes, length, "runs")


def no_scores_text(path: str) -> str:
    """What is wrong with a single file that holds no saved scores."""
    from irev.scores.saved import has_semicolons

    what = f"{path} contains no saved scores, and no run was given"
    if path != _STDIN and has_semicolons(path):
        what += (
            "; semicolons separate its columns: write commas between columns, and points in "
            "decimal numbers"
        )
    return what


def starts_with_saved(files: Sequence[str]) -> bool:
    """Whether the first file holds saved scores, so that no judgments are wanted."""
    if not files or files[0] == _STDIN:
        return False
    from irev.scores.saved import is_saved

    return is_saved(files[0])
