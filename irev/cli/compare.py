"""`irev compare`: runs set against each other."""

from __future__ import annotations

from typing import Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.files import check_files, write_document
from irev.cli.gathering import files_read, gathered, gathering_options
from irev.cli.messages import say
from irev.cli.types import whole_number
from irev.comparison.plan import TAILS, ZEROS, PlanFields
from irev.core.wording import every
from irev.errors import UsageError
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS, draws_said
from irev.writers.forms import FORMS

_SECTION = "Options of the comparison"

_EVERY_TEST = "; ".join(f"{name}: {test.phrase}" for name, test in TESTS.items())
_SIMULTANEOUS = [name for name, test in TESTS.items() if test.simultaneous]
_NOT_OF_MEANS = [name for name, test in TESTS.items() if test.question]
_OF_ONE_TEST = "".join(
    f"{name} is for the {correction.test} test. "
    for name, correction in CORRECTIONS.items()
    if correction.test
)


def compare(**given: Any) -> int:
    """Set runs against each other: means with intervals, paired differences, tests.

    RUN may also be saved scores (irev's JSON or CSV, trec_eval's -q output, a matrix of scores),
    then without QRELS. All pairs are compared, or all runs with each --baseline. A judged topic
    that a run lacks counts as 0.

    By default: the mean difference with its t interval, the p of the permutation test (exact where
    it can be), corrected by Holm for the number of pairs times measures. No number depends on the
    order of the runs or on the number of threads.
    """
    if not given["files"]:
        raise click.UsageError(
            "a relevance file and runs are wanted, or saved scores: irev compare QRELS RUN RUN",
            click.get_current_context(silent=True),
        )
    from irev.comparison.comparison import DEFAULT_MEASURE, comparison_of
    from irev.comparison.document import document
    from irev.comparison.plan import Plan
    from irev.writers.forms import FOR_MACHINES

    if given["format"] in ("csv", "tsv") and given["per_topic"] and given["anova"]:
        raise UsageError(
            f"{given['format']} holds one table: --per-topic or --anova; json holds all"
        )
    fields = {name: value for name, value in given.items() if name in PlanFields.__annotations__}
    plan = Plan(**fields)
    check_files(files_read(given), [("--output", given["output"])])
    runs = gathered(given, (DEFAULT_MEASURE,), heed_judged=True)
    found = comparison_of(runs.matrices, plan, runs.notes)
    # texts for people list them themselves
    missing = found.missing if given["format"] in FOR_MACHINES else ()
    for note in (*missing, *found.notes):
        say(f"irev: note: {note}")
    made = document(found, per_topic=given["per_topic"], anova=given["anova"])
    write_document(made, given["format"], given["output"], given["places"])
    return 0


def _own(*names: str, **facts: Any) -> Option:
    return Option(*names, section=_SECTION, **facts)


def _plan_options() -> list[click.Parameter]:
    return [
        _own(
            "--baseline", "baselines", multiple=True, metavar="RUN",
            help="Set all other runs against this one (its name, path or tag), not all pairs; may "
            "be repeated.",
        ),
        _own(
            "--test", "tests", multiple=True, type=click.Choice(TESTS), default=("permutation",),
            help=f"The test; may be repeated. {_EVERY_TEST}. {every(_SIMULTANEOUS)} are "
            f"corrected in themselves; {every(_NOT_OF_MEANS)} do not test means. "
            "Default: permutation.",
        ),
        _own(
            "--correction", type=click.Choice(CORRECTIONS), default="holm",
            help="For the number of hypotheses, pairs times measures (times classes of topics). "
            f"{_OF_ONE_TEST}Default: holm.",
        ),
        _own(
            "--alpha", type=float, default=0.05, metavar="A",
            help="The level of tests and, as 1 - A, of intervals. Default: 0.05.",
        ),
        _own(
            "--tail", type=click.Choice(TAILS), default="two-sided",
            help="With --baseline: whether a run may be greater, that is better, or less. "
            "Default: two-sided.",
        ),
        _own(
            "--ci", type=click.Choice(INTERVALS), default="t",
            help="The intervals of means and mean differences. Default: t.",
        ),
        _own(
            "--resamples", type=whole_number(1), metavar="N",
            help=f"How many each test by resampling draws. Default: {draws_said()}, and more where "
            "the correction could else reject nothing.",
        ),
        _own(
            "--seed", type=whole_number(0), default=0, metavar="N",
            help="What all draws depend on. Default: 0.",
        ),
        _own(
            "--min-diff", type=float, default=0.0, metavar="X",
            help="Differences up to X are ties in wins, ties and losses and for the sign test. "
            "Default: 0.",
        ),
        _own(
            "--zeros", type=click.Choice(ZEROS), default="pratt",
            help="What the Wilcoxon test does with topics of equal scores. Default: pratt.",
        ),
    ]  # fmt: skip


def _output_options() -> list[click.Parameter]:
    section = "Options for the output"
    return [
        Option(
            "--per-topic", is_flag=True, section=section,
            help="Also gains and losses by topic.",
        ),
        Option(
            "--anova", is_flag=True, section=section,
            help="Also the two-way analysis of variance (runs and topics).",
        ),
        Option(
            "--format", type=click.Choice([*FORMS]), default="table", section=section,
            help="The form of the output. json and jsonl have all of it in full precision, csv and "
            "tsv the pairs (or what --per-topic or --anova asks for). Default: table.",
        ),
        Option(
            "--places", type=whole_number(0, 17), default=4, metavar="N", section=section,
            help="Decimals, where not in full precision; a p has 4 at least. Default: 4.",
        ),
        Option(
            "--output", metavar="FILE", section=section,
            help="Write to FILE, whole or not at all.",
        ),
    ]  # fmt: skip


def _parameters() -> list[click.Parameter]:
    files = click.Argument(["files"], nargs=-1, metavar="QRELS RUN...")
    return [files, *_plan_options(), *_output_options(), *gathering_options()]


command = Job(
    "compare",
    params=_parameters(),
    callback=compare,
    help=compare.__doc__,
    epilog="Example: irev compare -m map --baseline bm25.run qrels.txt bm25.run rm3.run",
    context_settings={"help_option_names": ["-h", "--help"]},
)
