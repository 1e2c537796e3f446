"""`irev compare`: runs set against each other."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import click
from click.core import ParameterSource

from irev.cli.commands import Job, misused
from irev.cli.options import CSV_SAFE, FORMAT, OUTPUT, OUTPUT_SECTION, PLACES
from irev.cli.output import check_files, replaced, voice, write_document
from irev.cli.run_files import run_files
from irev.cli.several_runs import (
    OptionsOfRuns,
    Runs,
    evaluation_of_runs,
    records_of_runs,
    scored,
    starts_with_saved,
)
from irev.core.option_records import Opt, OutputOptions
from irev.errors import UsageError
from irev.jobs.compare.plan import ComparisonPlan, Decisions, ModelJudgments

if TYPE_CHECKING:
    from irev.jobs.compare.comparison import Comparison


class CompareOutput(OutputOptions):
    """What is written of a comparison, and where."""

    per_topic: Annotated[bool, Opt(
        "--per-topic", in_short_help=True, section=OUTPUT_SECTION,
        help="Also print gains and losses by topic.",
    )] = False  # fmt: skip
    anova: Annotated[bool, Opt(
        "--anova", section=OUTPUT_SECTION,
        help="Also print the two-way analysis of variance (runs and topics).",
    )] = False  # fmt: skip
    layout: Annotated[Literal["full", "paper"], Opt(
        "--layout", section=OUTPUT_SECTION,
        help="full: tables of means and of pairs for each measure. paper: one table of runs and "
        "measures to put into a paper, the best in bold, with letters for the runs that are "
        "beaten and a caption that says how that was tested.",
    )] = "full"  # fmt: skip
    format: Annotated[str, FORMAT.replace(
        help="Output format. json and jsonl contain everything in full precision, csv and tsv the "
        "pairs (or the table of --per-topic or --anova).",
    )] = "table"  # fmt: skip
    csv_safe: Annotated[bool, CSV_SAFE] = False
    places: Annotated[int, PLACES.replace(
        help="Number of decimals; a p value has at least 4.",
    )] = 4  # fmt: skip
    output: Annotated[str | None, OUTPUT] = None
    plots: Annotated[Sequence[str], Opt(
        "--plot", metavar="FILE.svg|.png|.pdf", section=OUTPUT_SECTION, file="written",
        help="Also draw a figure; may be repeated. It needs the extra plot.",
    )] = ()  # fmt: skip
    plot_kind: Annotated[Literal["forest", "topics", "ranks"], Opt(
        "--plot-kind", section=OUTPUT_SECTION,
        help="Which figure: differences of pairs with their intervals (forest), differences by "
        "topic (topics), or mean ranks with Nemenyi's critical difference (ranks).",
    )] = "forest"  # fmt: skip


def compare(
    files: tuple[str, ...],
    plan: ComparisonPlan,
    decisions: Decisions,
    judgments: ModelJudgments,
    report: CompareOutput,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """Compare runs: means with intervals, paired differences, significance tests.

    All pairs of runs are compared, or all runs with each --baseline. A judged topic missing from a
    run counts as 0. RUN may also be saved scores (irev's JSON or CSV, trec_eval's -q output, a
    matrix of scores); then leave out QRELS.

    By default: the mean difference with its t interval, and the p value of the permutation test
    (exact if feasible), with Holm's correction for the number of pairs times measures. The order of
    the runs and the number of threads never change a number.

    --predicted takes a model's judgments of all topics, where people judged a random sample of
    them. It estimates the means that people would have found, with intervals that hold whatever the
    model is worth.
    """
    if not files:
        raise misused("give a relevance file and runs, or saved scores: irev compare QRELS RUN RUN")
    from irev.engine.score_runs import missing_topic_warnings
    from irev.jobs.compare.comparison import DEFAULT_MEASURE, comparison_of, refuse_decisions
    from irev.jobs.compare.document import document
    from irev.jobs.compare.paper import paper
    from irev.jobs.plots.style import form_of
    from irev.writers.forms import SEPARATORS

    if report.format in SEPARATORS and report.per_topic and report.anova:
        raise UsageError(f"{report.format} holds one table: --per-topic or --anova; json holds all")
    if report.layout == "paper" and (report.per_topic or report.anova):
        raise UsageError("--layout paper is one table: leave out --per-topic and --anova")
    inputs = [*files, *asked.input_paths(), *options.input_paths(), *judgments.input_paths()]
    forms = {path: form_of(path, "--plot") for path in report.plots}
    check_files(inputs, [("--output", report.output), *(("--plot", path) for path in report.plots)])
    if judgments.predicted is not None:
        refuse_decisions(decisions)
        return _predicted(files, plan, judgments, report, asked, options)
    runs = scored(files, asked, options, (DEFAULT_MEASURE,), warn_unjudged=True)
    found = comparison_of(runs, plan, runs.notes, decisions)
    voice().heed((*missing_topic_warnings(found.table), *found.notes))
    if report.layout == "paper":
        made = paper(found)
    else:
        made = document(found, per_topic=report.per_topic, anova=report.anova)
    _draw(found, report.plot_kind, forms)
    write_document(made, report.format, report.output, report.places, csv_safe=report.csv_safe)
    return 0


def _draw(found: "Comparison", kind: str, forms: Mapping[str, str]) -> None:
    """Write a figure to files, each in its form."""
    if not forms:
        return
    from irev.jobs.plots.of_results import figure_of_comparison
    from irev.jobs.plots.style import drawn

    figure = figure_of_comparison(found, kind)
    for path, picture in [(path, drawn(figure, form)) for path, form in forms.items()]:
        with replaced(path) as stream:
            stream.write(picture)


def _predicted(
    files: tuple[str, ...],
    plan: ComparisonPlan,
    judgments: ModelJudgments,
    report: CompareOutput,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """Compare with a model's judgments beside people's."""
    from irev.jobs.compare.comparison import DEFAULT_MEASURE
    from irev.jobs.compare.predicted import compare_predicted
    from irev.jobs.compare.predicted_document import predicted_document

    if report.anova:
        raise UsageError("--predicted has no analysis of variance: leave out --anova")
    if report.layout == "paper":
        raise UsageError("--predicted has one layout: leave out --layout paper")
    if report.plots:
        raise UsageError("--predicted has no figure: leave out --plot")
    if asked.nan != "error":
        raise UsageError("--predicted needs all judged topics: leave out --nan")
    if "-" in files[1:]:
        raise UsageError("standard input (-) cannot be read twice: give the runs as files")
    is_saved = starts_with_saved(files)
    runs = files if is_saved else run_files(files[1:]).regular()
    source = click.get_current_context().get_parameter_source
    given = [n for n in plan.fields() if source(n) is ParameterSource.COMMANDLINE]
    found = compare_predicted(
        None if is_saved else files[0], runs, asked.measures or (DEFAULT_MEASURE,),
        evaluation_of_runs((files[0], *runs), asked, options), plan, judgments,
        format=asked.qrels_format, names=asked.names, given=given,
    )  # fmt: skip
    voice().heed((*found.doubts, *found.notes))
    made = predicted_document(found, per_topic=report.per_topic)
    write_document(made, report.format, report.output, report.places, csv_safe=report.csv_safe)
    return 0


command = Job(
    "compare",
    compare,
    "QRELS RUN...",
    ComparisonPlan,
    Decisions,
    ModelJudgments,
    CompareOutput,
    *records_of_runs(),
    example="irev compare -m map --baseline bm25.run qrels.txt bm25.run rm3.run",
)
