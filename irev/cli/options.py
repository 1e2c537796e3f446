"""Options that several commands have."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from irev.core.option_records import Opt, OutputOptions, ResultOptions
from irev.options import ELDER, OWN, RUNS_SECTION
from irev.writers.forms import OUTPUT_FORMATS

OUTPUT_SECTION = "Options for the output"
SETTINGS = "Settings"

COMMON_SECTIONS = (ELDER, OWN, OUTPUT_SECTION, SETTINGS, RUNS_SECTION)
"""Sections of options that many commands have: the short help has few of these."""

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
SAFE_CSV = CSV_SAFE.replace(help=f"{CSV_SAFE.help} On by default.")
UNSAFE_CSV = Opt(
    "--no-csv-safe", flag_value=False, in_short_help=False, section=OUTPUT_SECTION,
    help="Write texts unchanged in csv and tsv.",
)  # fmt: skip
LAYOUT = Opt(
    "--layout", in_short_help=False, section=OUTPUT_SECTION,
    help="full: all tables. paper: one table of runs and measures to put into a paper, the best in "
    "bold, with a caption that says how. In LaTeX it is as wide as a column or a page.",
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


def measure_name_completions() -> Iterator[tuple[str, str]]:
    """Sets, suites and measures, each with what it is: what completes a name."""
    from irev.measures import all_measures
    from irev.measures.naming.grammar import SUITE_PREFIX
    from irev.measures.naming.suites import SUITES
    from irev.measures.registry import SET_NAMES

    yield from dict.fromkeys(SET_NAMES, "a set of measures").items()
    yield from ((f"{SUITE_PREFIX}{suite.name}", suite.title) for suite in SUITES)
    yield from ((measure.name, measure.title) for measure in all_measures())


MEASURES = Opt(
    "-m", "--measure", metavar="NAME[.PARAMS]", section=ELDER, help_order=2, in_short_help=True,
    completions=measure_name_completions,
    help="Measure or set of measures, such as map,P@5,ndcg@10 (default: official). Give "
    "several with commas or repeat -m. Parameters follow the name, as in P.5,10. Sets: "
    "official, set, all_trec, all_prefs, prefs, qrels_jg. irev measures lists all names, "
    "irev measures suites the suites (suite:beir ...).",
)  # fmt: skip


class MeasureOptions(ResultOptions):
    """What is -m on the command line, and `measures` in Python."""

    measures: Annotated[Sequence[str], MEASURES] = ()
