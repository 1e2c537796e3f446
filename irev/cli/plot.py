"""`irev plot`: a figure of runs, with what it shows and what it rests on beside it."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from irev.cli.command import (
    DATA,
    FIGURE_WIDTH,
    Command,
    Output,
    qrels_and_runs_or_saved_scores,
    write_parameters,
    write_table,
)
from irev.cli.commands import Kinds, LazyCommand, usage_error
from irev.cli.options import OUTPUT_SECTION, SAFE_CSV, UNSAFE_CSV, starts_with_saved
from irev.core.job import FigureWidth
from irev.core.option_records import Opt
from irev.core.output_files import replace_file
from irev.errors import UsageError
from irev.jobs.plots.layout import figure_bytes, figure_format
from irev.jobs.plots.plot import (
    CutoffsOptions,
    DistributionOptions,
    MedianOptions,
    PerTopicOptions,
    Plot,
    PlotOptions,
    RecallPrecisionOptions,
    ScatterOptions,
    TieRangesOptions,
)


class PlotOutput(Output):
    """Where a figure goes, and what belongs to it."""

    without = ("format", "places", "output")

    outputs: Annotated[
        Sequence[str],
        Opt(
            "--output",
            metavar="FILE.svg|.png|.pdf",
            section=OUTPUT_SECTION,
            file="written",
            in_short_help=True,
            help="File of the figure, required; may be repeated. The data goes to FILE.csv next to "
            "it, inputs and options to FILE.json.",
        ),
    ] = ()
    width: Annotated[FigureWidth, FIGURE_WIDTH] = "page"
    data: Annotated[Literal["csv", "parquet"], DATA.replace(help="Format of the data file.")] = (
        "csv"
    )
    csv_safe: Annotated[
        bool | None,
        SAFE_CSV.replace(
            help="In FILE.csv, put an apostrophe before texts that start with = + - @, and escape "
            "control characters. On by default.",
        ),
        UNSAFE_CSV,
    ] = None

    def figure_formats(self) -> dict[str, str]:
        """File of the figure -> its format."""
        if not self.outputs:
            raise UsageError(
                "name the file of the figure, as in --output figure.svg (or .png, .pdf)"
            )
        formats: dict[str, str] = {}
        for path in self.outputs:
            if path in formats:
                raise UsageError(f"--output {path} is given twice")
            formats[path] = figure_format(path, "--output")
        return formats

    def data_paths(self) -> list[str]:
        """The files of what the figures show, and of what they rest on."""
        stems = [os.path.splitext(path)[0] for path in self.outputs]
        return [*dict.fromkeys(f"{stem}.{end}" for stem in stems for end in (self.data, "json"))]

    def written_paths(self) -> list[tuple[str, str | None]]:
        """All of them."""
        return [("--output", path) for path in (*self.figure_formats(), *self.data_paths())]

    @property
    def needed_packages(self) -> Sequence[str]:
        """A figure, and maybe its data as Parquet."""
        return ("matplotlib", "pyarrow") if self.data == "parquet" else ("matplotlib",)

    def write(self, plot: "Plot") -> None:
        """Write the figure, and what belongs to it."""
        figure = plot.plot(width=self.width)
        # drawn before anything is written
        images = {path: figure_bytes(figure, form) for path, form in self.figure_formats().items()}
        for path, image in images.items():
            with replace_file(path) as stream:
                stream.write(image)
        for path in self.data_paths():
            if path.endswith(".json"):
                facts = {**plot.parameters, "notes": list(plot.notes)}
                write_parameters(replace(plot, parameters=facts), path, "plot")
            else:
                write_table(plot.to_frame(), path, csv_safe=self.csv_safe is not False)


def _plot_inputs(files: Sequence[str]) -> Sequence[Any]:
    """QRELS RUN..., or saved scores alone."""
    if len(files) < (1 if starts_with_saved(files) else 2):
        raise usage_error("give qrels and a run: QRELS RUN...")
    return qrels_and_runs_or_saved_scores(files)


def _plot_command(
    name: str,
    options: type[PlotOptions],
    *,
    help: str,
    example: str,
    measures: str | None = "map; for saved scores all that they contain",
) -> Command:
    """The command of a kind of figure; its arguments are those of `Command`."""
    return Command(
        name,
        f"irev.plots:{name.replace('-', '_')}",
        options,
        _plot_inputs,
        "QRELS RUN...",
        PlotOutput,
        help=f"{help}\n\n"
        "A judged topic that a run lacks counts as 0, and a warning on stderr says so.",
        example=f"irev plot {name} {example}",
        measures=measures,
    )


recall_precision = _plot_command(
    "recall-precision",
    RecallPrecisionOptions,
    help="""Recall-precision curves of runs, the mean over topics or one topic's.

The line is interpolated precision at eleven recall levels (the highest at any rank with at
least that recall, or see --recall-rule); the points are recall and precision at each relevant
document of the topic, or the means at the ranks 5, 10, 15, 20, 30, 100 ...; the star is
the break-even point (R-precision). The legend gives average precision.""",
    example="qrels.txt bm25.run rm3.run --output curve.svg",
    measures=None,
)
per_topic = _plot_command(
    "per-topic",
    PerTopicOptions,
    help="A bar for each topic and run, a panel for each measure.",
    example="-m map qrels.txt bm25.run --output topics.svg",
)
median = _plot_command(
    "median",
    MedianOptions,
    help="""How far a run is above or below the median of all runs, topic by topic.

The median includes the run itself.""",
    example="--run rm3.run qrels.txt bm25.run rm3.run --output median.svg",
)
scatter = _plot_command(
    "scatter",
    ScatterOptions,
    help="Two runs against each other, a point for each topic, and how many topics each run wins.",
    example="-m map qrels.txt bm25.run rm3.run --output scatter.svg",
)
cutoffs = _plot_command(
    "cutoffs",
    CutoffsOptions,
    help="The mean of measures at each of their cutoffs, a line for each run.",
    example="-m nDCG@1,2,5,10 qrels.txt bm25.run rm3.run --output cutoffs.svg",
    measures="P, recall, ndcg_cut; for saved scores all that they contain",
)
distribution = _plot_command(
    "distribution",
    DistributionOptions,
    help="How the scores of runs are spread over the topics: boxes, means, and a point a topic.",
    example="-m map qrels.txt bm25.run rm3.run --output spread.svg",
)
tie_ranges = _plot_command(
    "tie-ranges",
    TieRangesOptions,
    help="The values with tied documents in the worst and in the best order.",
    example="-m P.10 qrels.txt bm25.run rm3.run --output ties.svg",
)

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
        "How much the order of ties can change.",
        words="ties",
    ),
}
"""The kinds of figures."""

command = Kinds(
    "plot",
    PLOTS,
    "Draw a figure (SVG, PNG or PDF), and write its data and parameters beside it.",
)
