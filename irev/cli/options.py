"""Options that several commands have, and what `irev eval` takes beside `Options`."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from irev.core.option_records import Opt, OutputOptions, ResultOptions
from irev.core.text import parse_whole
from irev.errors import UsageError
from irev.options import ELDER, OWN, PLUGINS, QRELS_FORMAT, Options
from irev.writers.forms import MACHINE_FORMATS, OUTPUT_FORMATS

OUTPUT_SECTION = "Options for the output"
SETTINGS = "Settings"
RUNS = "Options of the runs"

COMMON_SECTIONS = (ELDER, OWN, OUTPUT_SECTION, SETTINGS, RUNS)
"""Sections of options that many commands have: the short help has few of these."""

SHEETS = ("sheet", "sheet-html")
RECALL_RULE = Opt("--recall-rule", help="Points of the curve that serve a recall level.")
"""Forms of `irev eval` alone."""

FORMAT = Opt(
    "--format",
    section=OUTPUT_SECTION,
    in_short_help=True,
    choices=tuple(OUTPUT_FORMATS),
    help="Output format.",
)
CSV_SAFE = Opt(
    "--csv-safe", in_short_help=False, section=OUTPUT_SECTION,
    help="In csv and tsv, put an apostrophe before texts that start with = + - @ (spreadsheets "
    "run these as formulas) and escape control characters.",
)  # fmt: skip
PLACES = Opt("--places", in_short_help=True, section=OUTPUT_SECTION, metavar="N", least=0, most=17)
OUTPUT = Opt(
    "--output", in_short_help=True, section=OUTPUT_SECTION, metavar="FILE", file="written",
    help="Write to FILE instead of standard output. On an error FILE is left unchanged.",
)  # fmt: skip


class WarningOptions(OutputOptions):
    """What is said of warnings and notes, in every command."""

    strict: Annotated[bool, Opt(
        "--strict", section=SETTINGS, help_order=1000,
        help="Turn every warning into an error: exit code 2, nothing on standard output.",
    )] = False  # fmt: skip
    quiet: Annotated[bool, Opt(
        "--quiet", section=SETTINGS, help="Print no warnings and notes."
    )] = False  # fmt: skip


def names_of_measures() -> Iterator[tuple[str, str]]:
    """Sets, suites and measures, each with what it is."""
    from irev.measures import all_measures
    from irev.measures.naming.suites import SUITE_PREFIX, SUITES
    from irev.measures.registry import SET_NAMES

    yield from dict.fromkeys(SET_NAMES, "a set of measures").items()
    yield from ((f"{SUITE_PREFIX}{suite.name}", suite.title) for suite in SUITES)
    yield from ((measure.name, measure.title) for measure in all_measures())


MEASURES = Opt(
    "-m", "--measure", metavar="NAME[.PARAMS]", section=ELDER, help_order=2, in_short_help=True,
    completions=names_of_measures,
    help="Measure or set of measures, such as map,P@5,ndcg@10 (default: official). Give "
    "several with commas or repeat -m. Parameters follow the name, as in P.5,10. Sets: "
    "official, set, all_trec, all_prefs, prefs, qrels_jg. irev measures lists all names, "
    "irev measures suites the suites (suite:beir ...).",
)  # fmt: skip


class InputOptions(ResultOptions):
    """What is asked of judgments and runs, beside the choices of the evaluation."""

    measures: Annotated[Sequence[str], MEASURES] = ()
    qrels_format: Annotated[str, QRELS_FORMAT] = "qrels"
    plugins: Annotated[Sequence[str], PLUGINS] = ()


class EvalInputOptions(InputOptions):
    """What is asked of runs one by one."""

    zscores: Annotated[str | None, Opt(
        "-Z", "--Zscore", metavar="FILE", section=ELDER, help_order=12, file="always",
        help="Print z scores, using the means and standard deviations in FILE.",
    )] = None  # fmt: skip
    samples: Annotated[Sequence[str], Opt(
        "--sample", metavar="RATE|STRATA", section=OWN, help_order=28,
        help="Evaluate with random samples of the judgments, which must be complete, and print "
        "mean, spread and error next to the values with all judgments: 10%, or "
        "1-10=100%,11-50=30% of the ranks of the pool of all RUNs. May be repeated.",
    )] = ()  # fmt: skip
    repeat: Annotated[int, Opt(
        "--repeat", metavar="N", section=OWN, least=1,
        help="With --sample: number of samples.",
    )] = 10  # fmt: skip
    engine: Annotated[Literal["local", "spark"], Opt(
        "--engine", section=OWN, help_order=33, effect="nothing",
        help="Where runs are ranked: on this machine (local, the default) or by Spark, for runs "
        "in a cluster (paths or URIs of text or Parquet, a folder of runs). Results are the "
        "same.",
    )] = "local"  # fmt: skip


class EvalOutput(OutputOptions):
    """What is printed of an evaluation, and where."""

    per_topic: Annotated[bool, Opt(
        "-q", "--query_eval_wanted", section=ELDER, help_order=1, in_short_help=True,
        help="Also print the values of each topic.",
    )] = False  # fmt: skip
    no_summary: Annotated[bool, Opt(
        "-n", "--nosummary", section=ELDER, help_order=5, help="Do not print the summary over "
                                                     "topics."
    )] = False  # fmt: skip
    format: Annotated[str, FORMAT.replace(
        section=OWN, help_order=26, choices=("trec", *OUTPUT_FORMATS, *SHEETS)
    )] = "trec"  # fmt: skip
    csv_safe: Annotated[bool, CSV_SAFE.replace(section=OWN)] = False
    places: Annotated[int | None, PLACES.replace(
        section=OWN,
        help="Number of decimals. csv, tsv, json and jsonl always have full precision. Default: 4, "
        "or 2 with --percent.",
    )] = None  # fmt: skip
    percent: Annotated[bool, Opt(
        "--percent", section=OWN, in_short_help=True,
        help="Multiply values by 100, in tables and with --score-only.",
    )] = False  # fmt: skip
    score_only: Annotated[bool, Opt(
        "--score-only", section=OWN, in_short_help=True,
        help="Print only the numbers. There is one line per run, with tabs between the measures.",
    )] = False  # fmt: skip
    sort: Annotated[str | None, Opt(
        "--sort", metavar="MEASURE", section=OWN, in_short_help=True, completions=names_of_measures,
        help="Put the best run first. Runs with equal values keep their order.",
    )] = None  # fmt: skip
    stats: Annotated[bool, Opt(
        "--stats", section=OWN, in_short_help=True,
        help="Also print sd, variance, median and 95% t interval over topics. sd and variance are "
        "those of a sample (divided by n - 1). In trec: NAME[sd], NAME[variance], NAME[median], "
        "NAME[low], NAME[high].",
    )] = False  # fmt: skip
    recall_rule: Annotated[Literal["ge", "band", "te9", "te10"] | None, RECALL_RULE.replace(
        section=OWN,
        help="With --format sheet: points that serve a recall level. Recall at least the level "
        "(ge, as irev plot recall-precision), up to a tenth above it (band), or level * R rounded "
        "as trec_eval 9 (te9) or 10 (te10) does. Default: as the trec_eval of --compat.",
    )] = None  # fmt: skip
    description: Annotated[str | None, Opt(
        "--description", metavar="TEXT", section=OWN,
        help="With --format sheet: Run Description. Default: the path of the run.",
    )] = None  # fmt: skip
    output: Annotated[str | None, OUTPUT.replace(section=OWN)] = None

    @property
    def decimals(self) -> int:
        """How many decimals are shown."""
        if self.places is None:
            return 2 if self.percent else 4
        return self.places

    @property
    def tells_topics(self) -> bool:
        """Whether a line below the table says which topics the means are over."""
        return not self.score_only and self.format not in ("trec", *MACHINE_FORMATS)


def load_plugins(names: Sequence[str]) -> None:
    """Make the measures of the plugins that were named known."""
    if names:
        from irev.measures.plugins import load_plugin

        for name in names:
            load_plugin(name)


def evaluation_of(files: Sequence[str], inputs: InputOptions, options: Options) -> Options:
    """The choices of an evaluation, with all that they need the files for.

    Args:
        files: QRELS RUN...
        inputs: the measures, beside the files.
        options: the choices.
    """
    import os

    from irev.options import DEPTH

    if isinstance(options.topics, os.PathLike):
        from irev.measures.naming.resolve import resolve_names

        # a wrong name is said before a file is opened
        resolve_names(inputs.measures, options)
        options = options.read_topic_list()
    pool = options.pool
    if not isinstance(pool, str) or not pool.startswith(DEPTH):
        return options
    from irev.engine.pools import make_pool

    depth = parse_whole(pool.removeprefix(DEPTH))
    if depth is None or depth < 1:
        raise UsageError(f"--pool {pool}: a depth is a whole number from 1 on: depth:100")
    if "-" in files[1:]:
        raise UsageError("--pool reads each run twice, which standard input (-) does not allow")
    made = make_pool(files[1:], depth, threads=options.threads, run_format=options.run_format)
    return options.replace(pool=made)
