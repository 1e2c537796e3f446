"""`irev plot`: a figure of runs, with what it shows and what it rests on beside it."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from inspect import cleandoc
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from irev.cli.commands import Job, Kinds, LazyCommand, misused
from irev.cli.delivery import DATA, write_parameters, write_table
from irev.cli.options import CSV_SAFE, OUTPUT_SECTION, RECALL_RULE
from irev.cli.output import Kept, check_files, replaced, voice, write_document
from irev.cli.several_runs import (
    MEASURES,
    OptionsOfRuns,
    Runs,
    evaluation_of_runs,
    records_of_runs,
    scored,
    starts_with_saved,
)
from irev.core.option_records import Opt, OutputOptions, ResultOptions
from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.jobs.study_result import StudyResult

_SECTION = "Options of the plot"

_UNUSED = ("classes", "weights")
"""Options of the commands that compare runs which figures have no place for."""


class Drawn(OutputOptions):
    """Where a figure goes, and what belongs to it."""

    outputs: Annotated[Sequence[str], Opt(
        "--output", metavar="FILE.svg|.png|.pdf", section=OUTPUT_SECTION, file="written",
        help="File of the figure; may be repeated. The data goes to FILE.csv next to it, inputs "
        "and options to FILE.json.",
    )] = ()  # fmt: skip
    data: Annotated[Literal["csv", "parquet"], DATA.replace(help="Format of the data file.")] = (
        "csv"
    )
    csv_safe: Annotated[bool, CSV_SAFE.replace(
        help="In FILE.csv, put an apostrophe before texts that start with = + - @, and escape "
        "control characters.",
    )] = False  # fmt: skip


class Sorted(ResultOptions):
    """How topics stand in a figure."""

    sort: Annotated[Literal["topic", "value"], Opt(
        "--sort", section=_SECTION,
        help="Order of the topics: by id (topic; 2 before 10) or by value, highest first (value).",
    )] = "topic"  # fmt: skip


class OneRun(ResultOptions):
    """Which run is shown."""

    run: Annotated[str | None, Opt(
        "--run", metavar="NAME", section=_SECTION,
        help="Run to show, by the name of its file.  [required]",
    )] = None  # fmt: skip


class OneTopic(ResultOptions):
    """Which topic is shown."""

    topic: Annotated[str | None, Opt(
        "-t", "--topic", metavar="TOPIC", section=_SECTION, help="Topic to show."
    )] = None  # fmt: skip


class OneCurve(OneTopic):
    """Which topic is shown, and how precision is interpolated."""

    recall_rule: Annotated[Literal["ge", "band", "te9", "te10"], RECALL_RULE.replace(
        section=_SECTION,
        help="Points that serve a recall level: recall at least the level (ge), up to a tenth "
        "above it (band), or level * R rounded as trec_eval 9 (te9) or 10 (te10) does.",
    )] = "ge"  # fmt: skip


class PerTopic(ResultOptions):
    """Whether topics are shown."""

    per_topic: Annotated[bool, Opt(
        "--per-topic", section=_SECTION, help="Show the runs' values by topic instead of "
                                         "their means."
    )] = False  # fmt: skip


def _plot(
    name: str,
    make: Callable[..., "StudyResult"],
    *own: type[ResultOptions],
    measures: tuple[str, ...] = MEASURES,
    without: tuple[str, ...] = (),
    example: str,
) -> Job:
    """The command of a kind.

    Args:
        name: the kind.
        make: makes the figure of the files, what is asked of them, the choices of the evaluation
            and those of this kind; its docstring is the help.
        own: the choices of this kind alone.
        measures: what is drawn where no measure is named.
        without: options of the evaluation that this kind has no use for.
        example: a command line behind `irev plot NAME`.
    """

    def run(files: tuple[str, ...], *made: Any) -> int:
        *mine, drawn, asked, options = made
        _draw(partial(make, files, asked, options, *mine), files, drawn, asked, options)
        return 0

    run.__doc__ = (
        f"{cleandoc(make.__doc__ or '')}\n\n"
        "A judged topic that a run lacks counts as 0, and a warning on stderr says so."
    )
    shared = records_of_runs(measures, without=(*_UNUSED, *without))
    return Job(
        name, run, "QRELS RUN...", *own, Drawn, *shared, example=f"irev plot {name} {example}"
    )


def _draw(
    make: Callable[[], "StudyResult"],
    files: tuple[str, ...],
    drawn: Drawn,
    asked: Runs,
    options: OptionsOfRuns,
) -> None:
    """Make the figure, then write it and what belongs to it."""
    if len(files) < (1 if starts_with_saved(files) else 2):
        raise misused("give a relevance file and a run: QRELS RUN...")
    needs_no_file = not drawn.outputs and isinstance(voice(), Kept)
    figures, data = ({}, []) if needs_no_file else _destinations(drawn)
    read = [*files, *asked.input_paths(), *options.input_paths()]
    check_files(read, [("--output", path) for path in (*figures, *data)])
    from irev.jobs.plots.style import drawn as picture_of

    outcome = make()
    voice().heed(outcome.remarks)
    if voice().keep(outcome):
        write_document(outcome.document, "table", None)
    if not figures:
        return
    (name,) = outcome.figures
    figure = outcome.figures[name]()
    pictures = {path: picture_of(figure, kind) for path, kind in figures.items()}
    for path, picture in pictures.items():
        with replaced(path) as stream:
            stream.write(picture)
    for path in data:
        if path.endswith(".json"):
            noted = {**outcome.parameters, "notes": list(outcome.notes)}
            write_parameters(replace(outcome, parameters=noted), path, "plot")
        else:
            write_table(outcome.tables[name], path, csv_safe=drawn.csv_safe)


def _destinations(drawn: Drawn) -> tuple[dict[str, str], list[str]]:
    """Where the figure goes, with the form of each; and where its data and parameters go."""
    from irev.jobs.plots.style import form_of

    if not drawn.outputs:
        raise UsageError("name the file of the figure: --output FILE.svg, FILE.png or FILE.pdf")
    figures, beside = {}, {}
    for path in drawn.outputs:
        form = form_of(path, "--output")
        if path in figures:
            raise UsageError(f"--output {path} is given twice")
        figures[path], stem = form, os.path.splitext(path)[0]
        beside.update(dict.fromkeys((f"{stem}.{drawn.data}", f"{stem}.json")))
    return figures, list(beside)


def _recall_precision(
    files: tuple[str, ...], asked: Runs, options: OptionsOfRuns, chosen: OneCurve
) -> "StudyResult":
    """Recall-precision curves of runs, the mean over topics or one topic's.

    The line is interpolated precision at eleven recall levels (the highest at any rank with at
    least that recall, or see --recall-rule); the points are recall and precision at each relevant
    document of the topic, or the means at the ranks 5, 10, 15, 20, 30, 100 ...; the star is
    the break-even point (R-precision). The legend gives average precision.
    """
    from irev.jobs.plots.recall_precision import recall_precision

    return recall_precision(
        files[0], files[1:], evaluation_of_runs(files, asked, options),
        format=asked.qrels_format, names=asked.names,
        topic=None if chosen.topic is None else os.fsencode(chosen.topic),
        rule=chosen.recall_rule,
    )  # fmt: skip


def _per_topic(
    files: tuple[str, ...], asked: Runs, options: OptionsOfRuns, order: Sorted
) -> "StudyResult":
    """A bar for each topic and run, a panel for each measure."""
    from irev.jobs.plots.by_topic import per_topic

    return per_topic(scored(files, asked, options, MEASURES), sort=order.sort)


def _median(
    files: tuple[str, ...], asked: Runs, options: OptionsOfRuns, chosen: OneRun, order: Sorted
) -> "StudyResult":
    """How far a run is above or below the median of all runs, topic by topic.

    The median includes the run itself.
    """
    from irev.jobs.plots.by_topic import median

    if chosen.run is None:
        raise click.MissingParameter(
            ctx=click.get_current_context(silent=True), param_hint="'--run'", param_type="option"
        )
    return median(scored(files, asked, options, MEASURES), chosen.run, sort=order.sort)


def _scatter(files: tuple[str, ...], asked: Runs, options: OptionsOfRuns) -> "StudyResult":
    """Two runs against each other, a point for each topic, and how many topics each run wins."""
    from irev.jobs.plots.by_topic import scatter

    found = scored(files, asked, options, MEASURES)
    first = files[0 if starts_with_saved(files) else 1]
    paths = [entry.path for entry in found.runs]
    # two runs of one file have no order but that of their names
    return scatter(found, first if paths.count(first) == 1 else None)


_CUT = ("P", "recall", "ndcg_cut")


def _cutoffs(files: tuple[str, ...], asked: Runs, options: OptionsOfRuns) -> "StudyResult":
    """The mean of measures at each of their cutoffs, a line for each run."""
    from irev.jobs.plots.by_run import cutoffs

    return cutoffs(scored(files, asked, options, _CUT))


def _distribution(files: tuple[str, ...], asked: Runs, options: OptionsOfRuns) -> "StudyResult":
    """How the scores of runs are spread over the topics: boxes, means, and a point a topic."""
    from irev.jobs.plots.by_run import distribution

    return distribution(scored(files, asked, options, MEASURES))


def _tie_ranges(
    files: tuple[str, ...], asked: Runs, options: OptionsOfRuns, chosen: PerTopic
) -> "StudyResult":
    """The lowest and the highest value over all orders of tied documents."""
    from irev.jobs.plots.by_run import tie_ranges

    found = scored(files, asked, options.replace(tie_range=True), MEASURES)
    return tie_ranges(found, by="topic" if chosen.per_topic else "run")


recall_precision = _plot(
    "recall-precision", _recall_precision, OneCurve,
    without=("measures", "defaults"), example="qrels.txt bm25.run rm3.run --output curve.svg",
)  # fmt: skip
per_topic = _plot(
    "per-topic", _per_topic, Sorted, example="-m map qrels.txt bm25.run --output topics.svg"
)
median = _plot(
    "median", _median, OneRun, Sorted,
    example="--run rm3.run qrels.txt bm25.run rm3.run --output median.svg",
)  # fmt: skip
scatter = _plot(
    "scatter", _scatter, example="-m map qrels.txt bm25.run rm3.run --output scatter.svg"
)
cutoffs = _plot(
    "cutoffs", _cutoffs, measures=_CUT,
    example="-m nDCG@1,2,5,10 qrels.txt bm25.run rm3.run --output cutoffs.svg",
)  # fmt: skip
distribution = _plot(
    "distribution", _distribution, example="-m map qrels.txt bm25.run rm3.run --output spread.svg"
)
tie_ranges = _plot(
    "tie-ranges", _tie_ranges, PerTopic,
    example="-m P.10 qrels.txt bm25.run rm3.run --output ties.svg",
)  # fmt: skip

PLOTS = {
    "recall-precision": LazyCommand(
        "irev.cli.plot:recall_precision",
        "Recall-precision curves: points, interpolated, break-even.",
        words="pr rp precision-recall interpolated curve",
    ),
    "per-topic": LazyCommand(
        "irev.cli.plot:per_topic",
        "Bars of a measure, topic by topic.",
        words="topics bars by-topic",
    ),
    "median": LazyCommand(
        "irev.cli.plot:median",
        "A run's difference from the median of all runs, topic by topic.",
        words="difference",
    ),
    "scatter": LazyCommand(
        "irev.cli.plot:scatter",
        "Two runs against each other, by topic.",
        words="points pairs",
    ),
    "cutoffs": LazyCommand(
        "irev.cli.plot:cutoffs",
        "A measure against its cutoff.",
        words="ranks at-k",
    ),
    "distribution": LazyCommand(
        "irev.cli.plot:distribution",
        "How scores are spread over the topics.",
        words="boxplot histogram violin density spread",
    ),
    "tie-ranges": LazyCommand(
        "irev.cli.plot:tie_ranges",
        "What the order of equal scores can change.",
        words="ties",
    ),
}
"""The kinds of figures."""

command = Kinds(
    "plot",
    PLOTS,
    "Draw a figure (SVG, PNG or PDF), and write what it shows and its parameters beside it.",
)
