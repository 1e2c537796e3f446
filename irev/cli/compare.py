"""`irev compare`: runs set against each other."""

from typing import Annotated

from irev.cli.commands import Job, misused
from irev.cli.options import CSV_SAFE, FORMAT, OUTPUT, OUTPUT_SECTION, PLACES
from irev.cli.output import check_files, voice, write_document
from irev.cli.several_runs import OptionsOfRuns, Runs, records_of_runs, scored
from irev.comparison.plan import ComparisonPlan
from irev.core.records import Delivery, Opt
from irev.errors import UsageError


class CompareOutput(Delivery):
    """What is written of a comparison, and where."""

    per_topic: Annotated[bool, Opt(
        "--per-topic", section=OUTPUT_SECTION, help="Also gains and losses by topic."
    )] = False  # fmt: skip
    anova: Annotated[bool, Opt(
        "--anova", section=OUTPUT_SECTION,
        help="Also the two-way analysis of variance (runs and topics).",
    )] = False  # fmt: skip
    format: Annotated[str, FORMAT.but(
        help="The form of the output. json and jsonl have all of it in full precision, csv and tsv "
        "the pairs (or what --per-topic or --anova asks for).",
    )] = "table"  # fmt: skip
    csv_safe: Annotated[bool, CSV_SAFE] = False
    places: Annotated[int, PLACES.but(
        help="Decimals, where not in full precision; a p has 4 at least.",
    )] = 4  # fmt: skip
    output: Annotated[str | None, OUTPUT] = None


def compare(
    files: tuple[str, ...],
    plan: ComparisonPlan,
    report: CompareOutput,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """Set runs against each other: means with intervals, paired differences, tests.

    RUN may also be saved scores (irev's JSON or CSV, trec_eval's -q output, a matrix of scores),
    then without QRELS. All pairs are compared, or all runs with each --baseline. A judged topic
    that a run lacks counts as 0.

    By default: the mean difference with its t interval, the p of the permutation test (exact where
    it can be), corrected by Holm for the number of pairs times measures. No number depends on the
    order of the runs or on the number of threads.
    """
    if not files:
        raise misused("give a relevance file and runs, or saved scores: irev compare QRELS RUN RUN")
    from irev.comparison.comparison import DEFAULT_MEASURE, comparison_of
    from irev.comparison.document import document
    from irev.engine.gather import lacking

    if report.format in ("csv", "tsv") and report.per_topic and report.anova:
        raise UsageError(f"{report.format} holds one table: --per-topic or --anova; json holds all")
    check_files([*files, *asked.paths(), *options.paths()], [("--output", report.output)])
    runs = scored(files, asked, options, (DEFAULT_MEASURE,), heed_judged=True)
    found = comparison_of(runs.matrices, plan, runs.notes)
    voice().heed((*lacking(found.matrices), *found.notes))
    made = document(found, per_topic=report.per_topic, anova=report.anova)
    write_document(made, report.format, report.output, report.places, csv_safe=report.csv_safe)
    return 0


command = Job(
    "compare",
    compare,
    "QRELS RUN...",
    ComparisonPlan,
    CompareOutput,
    *records_of_runs(),
    example="irev compare -m map --baseline bm25.run qrels.txt bm25.run rm3.run",
)
