"""`irev compare`: runs set against each other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from irev.cli.command import FIGURE_WIDTH, Command, Output, qrels_and_runs_or_saved_scores
from irev.cli.commands import usage_error
from irev.cli.options import (
    DETAILS,
    FORMAT,
    LAYOUT,
    OUTPUT,
    OUTPUT_SECTION,
    PLACES,
    SAFE_CSV,
    UNSAFE_CSV,
)
from irev.cli.output import is_said_beside, voice, write_document
from irev.core.displayed import FigureWidth
from irev.core.option_records import Opt
from irev.core.output_files import replace_file
from irev.errors import UsageError
from irev.jobs.compare.comparison import CompareOptions, Comparison
from irev.writers.forms import SEPARATORS

if TYPE_CHECKING:
    from irev.jobs.compare.predicted import PredictedComparison
    from irev.writers.document import Document


class CompareOutput(Output):
    """What is written of a comparison, and where."""

    per_topic: Annotated[bool, Opt(
        "--per-topic", in_short_help=True, section=OUTPUT_SECTION,
        help="Also print gains and losses by topic.",
    )] = False  # fmt: skip
    anova: Annotated[bool, Opt(
        "--anova", section=OUTPUT_SECTION,
        help="Also print the two-way analysis of variance (runs and topics).",
    )] = False  # fmt: skip
    layout: Annotated[Literal["full", "paper"], LAYOUT.replace(
        in_short_help=True,
        help="The verdict and tables, or one table for a paper. paper: one table of runs and "
        "measures to put into a paper, the best in bold, with letters for the runs that are "
        "beaten and a caption that says how that was tested.",
    )] = "full"  # fmt: skip
    format: Annotated[str, FORMAT.replace(
        help="Output format. json and jsonl contain everything in full precision, csv and tsv the "
        "pairs (or the table of --per-topic or --anova).",
    )] = "table"  # fmt: skip
    details: Annotated[bool, DETAILS] = False
    csv_safe: Annotated[bool | None, SAFE_CSV, UNSAFE_CSV] = None
    places: Annotated[int, PLACES.replace(
        help="Number of decimals; a p value has at least 4.",
    )] = 4  # fmt: skip
    output: Annotated[str | None, OUTPUT] = None
    plots: Annotated[Sequence[str], Opt(
        "--plot", metavar="FILE.svg|.png|.pdf", section=OUTPUT_SECTION, help_order=40,
        file="written",
        help="Also draw a figure; may be repeated. It needs the extra plot.",
    )] = ()  # fmt: skip
    plot_kind: Annotated[Literal["forest", "topics", "ranks"], Opt(
        "--plot-kind", section=OUTPUT_SECTION,
        help="Which figure: differences of pairs with their intervals (forest), differences by "
        "topic (topics), or mean ranks with Nemenyi's critical difference (ranks).",
    )] = "forest"  # fmt: skip

    width: Annotated[FigureWidth, FIGURE_WIDTH.replace(
        help="Width of the figure: a column of a paper (3.3 inches), a page (7), or a slide (10).",
    )] = "page"  # fmt: skip

    def _check(self) -> None:
        if self.format in SEPARATORS and self.per_topic and self.anova:
            raise UsageError(
                f"{self.format} holds one table: --per-topic or --anova; json holds all"
            )
        if self.layout == "paper" and (self.per_topic or self.anova):
            raise UsageError("--layout paper is one table: leave out --per-topic and --anova")
        if self.plots:
            from irev.jobs.plots.style import figure_format

            for path in self.plots:
                figure_format(path, "--plot")

    def refuse_job_options(self, options: CompareOptions) -> None:
        """Refuse what a comparison by a model's judgments does not have."""
        if not options.predicts_from_topics:
            return
        if self.anova:
            raise UsageError("--predicted has no analysis of variance: leave out --anova")
        if self.layout == "paper":
            raise UsageError("--predicted has one layout: leave out --layout paper")
        if self.plots:
            raise UsageError("--predicted has no figure: leave out --plot")

    def note_lack_of_room(self, inputs: Sequence[Any], options: CompareOptions) -> None:
        """Say that there is no room in the figure before the tests are computed."""
        _, runs = inputs
        if not self.plots or len(runs) < 3:
            return
        from irev.jobs.plots.comparison_figures import room_refusal

        refusal = room_refusal(self.plot_kind, len(runs), len(options.baselines))
        if refusal:
            voice().note(f"{refusal}; no figure will be drawn, the tables follow")

    def written_paths(self) -> "list[tuple[str, str | None]]":
        """(option, path) of the files that are written."""
        return [*super().written_paths(), *(("--plot", path) for path in self.plots)]

    def write(self, result: "Comparison | PredictedComparison") -> None:
        """Write the figure and the tables; these alone where the figure has no room for all."""
        document = self._document(result)
        refusal = self._refusal(result) if self.plots else ""
        if self.plots and not refusal:
            from irev.jobs.plots.style import figure_bytes, figure_format

            figure = result.plot(self.plot_kind, width=self.width)
            pictures = [
                (path, figure_bytes(figure, figure_format(path, "--plot"))) for path in self.plots
            ]
            for path, picture in pictures:
                with replace_file(path) as stream:
                    stream.write(picture)
        write_document(
            document,
            self.format,
            self.output,
            self.places,
            csv_safe=self.csv_safe is not False,
            details=self.details,
        )
        if refusal:
            raise UsageError(f"{', '.join(self.plots)}: not drawn; {refusal}")

    def _refusal(self, result: Any) -> str:
        from irev.jobs.plots.comparison_figures import room_refusal

        num_runs, num_baselines = len(result.table.runs), len(result.options.baselines)
        return room_refusal(self.plot_kind, num_runs, num_baselines, len(result.contrasts))

    def _document(self, result: Any) -> "Document":
        """The tables: on a terminal a line about missing topics, said already, is not repeated."""
        if result.options.predicts_from_topics:
            from irev.jobs.compare.predicted import predicted_document

            return predicted_document(result, self.places, per_topic=self.per_topic)
        if self.layout == "paper":
            from irev.jobs.compare.paper import paper_document

            return paper_document(result)
        from irev.jobs.compare.document import comparison_document

        return comparison_document(
            result,
            self.places,
            per_topic=self.per_topic,
            anova=self.anova,
            lists_missing_topics=not is_said_beside(self.output),
        )


def _qrels_and_runs_or_saved_scores(files: Sequence[str]) -> tuple[str | None, list[str]]:
    if not files:
        raise usage_error("give qrels and runs, or saved scores: irev compare QRELS RUN RUN")
    return qrels_and_runs_or_saved_scores(files)


command = Command(
    "compare",
    "irev.jobs.compare.comparison:compare",
    CompareOptions,
    _qrels_and_runs_or_saved_scores,
    "QRELS RUN...",
    CompareOutput,
    help="""Compare runs: means with intervals, paired differences, significance tests.

    The verdict comes first; all pairs, and how they were tested: --details.

    All pairs of runs are compared, or all runs with each --baseline. A judged topic missing from a
    run counts as 0. RUN may also be saved scores (irev's JSON or CSV, trec_eval's -q output, a
    matrix of scores); then leave out QRELS.

    The verdict says which run is better and by how much, or what these topics cannot tell. Below it
    stand means with intervals, and the p value of the difference from the best run or the baseline.

    The default is the moderated t test, with Holm's correction for the number of pairs times
    measures. That test learns from all pairs which variance is usual; with two runs it is the
    paired t test. The order of the runs and the number of threads never change a number.

    --predicted takes a model's judgments of all topics, of which people judged a random sample. It
    estimates the means that people would have found, with intervals that are valid however good or
    bad the model is.
    """,
    measures="map; for saved scores all that they contain",
    example="irev compare -m map --baseline bm25.run qrels.txt bm25.run rm3.run",
)
