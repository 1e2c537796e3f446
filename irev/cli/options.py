"""The options of `irev eval`: trec_eval's, and irev's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.types import debug_topic, whole_number
from irev.writers import SHEETS, WRITERS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

TOPICS = ("qrels", "run", "both")
"""The words that `--topics` knows; anything else is a file."""
TIES = ("docid-desc", "docid-asc", "input", "rank", "optimistic", "pessimistic", "average")


@dataclass(frozen=True)
class Flags:
    """What was asked for, option by option, and the files."""

    files: tuple[str, ...]
    help: bool
    per_topic: bool
    measures: tuple[str, ...]
    every_judged_topic: bool
    level: int
    no_summary: bool
    debug: bytes | None
    judged_only: bool
    collection_size: int
    max_retrieved: int | None
    qrels_format: str
    run_format: str
    zscores: str | None
    compat: str
    topics: str | None
    no_relevant: str
    strict: bool
    beta: str | None
    log_base: str | None
    gains: str | None
    max_grade: str | None
    grades: str
    decimal: str
    map_grades: str | None
    intents: str | None
    pool: str | None
    format: str
    places: int
    output: str | None
    ties: str | None
    tie_range: bool
    seed: int
    samples: tuple[str, ...]
    repeat: int
    residuals: bool
    judged_shares: bool
    plugins: tuple[str, ...]
    duplicates: str
    group_by: str | None
    topic_weights: str | None
    threads: int | None


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from irev.writers.version import version

        click.echo(f"irev {version()} (trec_eval 10.0 compatible)", err=True)
        ctx.exit(0)


def _complete_measure(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from irev.measures.reference import every_measure
    from irev.measures.registry import SETS

    known = dict.fromkeys(SETS, "a set of measures")
    known.update((measure.name, measure.title) for measure in every_measure())
    return [CompletionItem(n, help=line) for n, line in known.items() if n.startswith(incomplete)]


def _complete_file(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Files; and commands, where the first word may be one."""
    from click.shell_completion import CompletionItem

    from irev.cli.commands import COMMANDS

    items = [CompletionItem(incomplete, type="file")]
    if not ctx.params.get("files"):
        near = {name: line for name, (_, line) in COMMANDS.items() if name.startswith(incomplete)}
        items += [CompletionItem(name, help=line) for name, line in near.items()]
    return items


def _elder(*names: str, **facts: Any) -> Option:
    return Option(*names, section="Options of trec_eval", elder=True, **facts)


def _own(*names: str, **facts: Any) -> Option:
    return Option(*names, section="Options of irev", **facts)


def _elder_options() -> list[click.Parameter]:
    return [
        _elder(
            "-h", "--help", "help", is_flag=True,
            help="Print this help, the file formats, and what is known of the measures named "
            "with -m; then exit.",
        ),
        _elder(
            "-v", "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
            help="Print the version on stderr and exit.",
        ),
        _elder(
            "-q", "--query_eval_wanted", "per_topic", is_flag=True,
            help="Print the values of each topic too.",
        ),
        _elder(
            "-m", "--measure", "measures", multiple=True, metavar="NAME[.PARAMS]",
            shell_complete=_complete_measure,
            help="Add a measure or a set of measures, with parameters such as P.5,10; may be "
            "repeated. Sets: official (the default), set, all_trec, all_prefs, prefs, qrels_jg. "
            "irev measures lists all names, irev measures suites the suites (suite:beir ...).",
        ),
        _elder(
            "-c", "--complete_rel_info_wanted", "every_judged_topic", is_flag=True,
            help="Average over every judged topic; one that the run lacks counts as an empty "
            "ranking.",
        ),
        _elder(
            "-l", "--level_for_rel", "level", type=whole_number(0), default=1, metavar="N",
            help="The smallest grade that is relevant. Default: 1.",
        ),
        _elder("-n", "--nosummary", "no_summary", is_flag=True, help="Print no summary."),
        _elder(
            "-D", "--Debug_level", "debug", type=debug_topic, metavar="N[.TOPIC]",
            help="Evaluate that topic alone; N is ignored.",
        ),
        _elder(
            "-J", "--Judged_docs_only", "judged_only", is_flag=True,
            help="Drop unjudged documents from the rankings.",
        ),
        _elder(
            "-N", "--Number_docs_in_coll", "collection_size", type=whole_number(), default=0,
            metavar="N", help="Documents in the collection; only utility asks. Default: 0.",
        ),
        _elder(
            "-M", "--Max_retrieved_per_topic", "max_retrieved", type=whole_number(0), metavar="N",
            help="Keep only the first N documents of a ranking.",
        ),
        _elder(
            "-R", "--Rel_info_format", "qrels_format", default="qrels", metavar="FORMAT",
            help="What QRELS holds: qrels (the default), qrels_jg, prefs, qrels_prefs, subtopics, "
            "ntcir, strata, prels or triples. Tables (Parquet, CSV, JSON lines ...) are seen.",
        ),
        _elder(
            "-T", "--Results_format", "run_format", default="trec_results", metavar="FORMAT",
            help="What RUN holds: trec_results (the default) or msmarco: topic, document and rank, "
            "and maybe a score. Tables (Parquet, CSV, JSON lines ...) are seen.",
        ),
        _elder("-o", "old_format", is_flag=True, expose_value=False, help="Does nothing."),
        _elder(
            "--Output_old_results_format", "old_format_name", expose_value=False, metavar="ANY",
            help="Does nothing, with its value.",
        ),
        _elder(
            "-Z", "--Zscore", "zscores", metavar="FILE",
            help="Print z scores against the means and deviations in FILE.",
        ),
    ]  # fmt: skip


def _own_options() -> list[click.Parameter]:
    return [
        _own(
            "--compat", type=click.Choice(["trec10", "trec9"]), default="trec10",
            help="Whose arithmetic and topics: trec_eval 10's (the default) or 9.0.8's.",
        ),
        _own(
            "--topics", metavar="qrels|run|both|FILE",
            help="Average over the topics of the qrels (as -c), of the run, of both (the "
            "default), or over those listed in FILE, one a line.",
        ),
        _own(
            "--no-rel", "no_relevant", type=click.Choice(["zero", "skip"]), default="zero",
            help="A topic without relevant documents counts as it is (zero, the default) or is "
            "left out.",
        ),
        _own(
            "--beta", metavar="B",
            help="The beta of every measure asked for that has one and does not name it: Q, F ...",
        ),
        _own(
            "--log-base", metavar="B",
            help="The base b of the discount, likewise: nDCG in Jarvelin and Kekalainen's form ...",
        ),
        _own(
            "--gains", metavar="MAP|RATIO|exp",
            help="The gains of grades, likewise: 1=1,2=5,3=10; or 10:5:1 from the highest grade "
            "down; or exp, 2^grade - 1.",
        ),
        _own(
            "--max-grade", metavar="N",
            help="The highest grade of the scale, likewise: ERR, RBP ... Default: that of the "
            "qrels.",
        ),
        _own("--strict", is_flag=True, help="Make every warning an error."),
        _own(
            "--grades", type=click.Choice(["whole", "real"]), default="whole",
            help="Whether the grades of text qrels may hold fractions. Default: whole.",
        ),
        _own(
            "--decimal", type=click.Choice(["point", "comma"]), default="point",
            help="Whether the numbers of text files may have a decimal comma. Default: point.",
        ),
        _own(
            "--map-grades", metavar="MAP",
            help="Rewrite grades on reading the qrels: --map-grades=-2=0,5=3.",
        ),
        _own(
            "--intents", metavar="FILE",
            help="With -R subtopics: how likely each is, TOPIC SUBTOPIC PROBABILITY [inf|nav] a "
            "line. Default: all are as likely.",
        ),
        _own(
            "--pool", metavar="FILE|depth:N",
            help="The pool that was judged, where QRELS does not hold all of it: a file with a "
            "topic and a document on each line, or the first N documents of each RUN. What has no "
            "judgment there is pooled but unjudged (-1).",
        ),
        _own(
            "--format", type=click.Choice([*WRITERS, *SHEETS]), default="trec",
            help="The form of the output. Default: trec.",
        ),
        _own(
            "--places", type=whole_number(0, 17), default=4, metavar="N",
            help="Decimals in trec, table and markdown; csv, tsv and json are exact. Default: 4.",
        ),
        _own("--output", metavar="FILE", help="Write to FILE, whole or not at all."),
        _own(
            "--ties", type=click.Choice(TIES), metavar="ORDER",
            help="How documents of equal scores are ordered: docid-desc (the default), docid-asc "
            "(the default with preferences), input, rank (by the rank column alone), optimistic "
            "(higher grades first), pessimistic, or average (the mean over all orders).",
        ),
        _own(
            "--tie-range", is_flag=True,
            help="Print also NAME[min] and NAME[max], of the pessimistic and the optimistic order, "
            "and say how many ties there are.",
        ),
        _own(
            "--seed", type=whole_number(), default=0, metavar="N",
            help="Seed for --sample, and for --ties average where orders are drawn. Default: 0.",
        ),
        _own(
            "--sample", "samples", multiple=True, metavar="RATE|STRATA",
            help="Evaluate under samples of the judgments, which must be complete, and print mean, "
            "spread and error beside the values under all judgments: 10%, or 1-10=100%,11-50=30% "
            "of the ranks of the pool of all RUNs; may be repeated.",
        ),
        _own(
            "--repeat", type=whole_number(1), default=10, metavar="N",
            help="With --sample: how many samples are drawn. Default: 10.",
        ),
        _own(
            "--residuals", is_flag=True,
            help="Print also NAME[max]: the value if all unjudged documents had the highest grade, "
            "for measures without a recall base: P, RR, ERR, RBP, DCG@k ...",
        ),
        _own(
            "--judged", "judged_shares", is_flag=True,
            help="Print also Judged@k, the share of judged documents, for each cutoff asked for.",
        ),
        _own(
            "--plugin", "plugins", multiple=True, metavar="MODULE|FILE.py",
            help="Make the measures of a module or a file of yours known; may be repeated.",
        ),
        _own(
            "--duplicates", type=click.Choice(["error", "first"]), default="error",
            help="A document that stands twice in a topic of a RUN is an error (the default), or "
            "its first line counts.",
        ),
        _own(
            "--group-by", metavar="FILE",
            help="Print the summary for each class of topics too, as all[CLASS]: FILE has a topic "
            "and a class on each line.",
        ),
        _own(
            "--topic-weights", metavar="FILE",
            help="Weighted means, as all[weighted]: FILE has a topic and its weight on each line.",
        ),
        _own("--threads", type=whole_number(1), metavar="N", help="At most N threads."),
    ]  # fmt: skip


def parameters() -> list[click.Parameter]:
    """Everything the command takes."""
    files = click.Argument(
        ["files"], nargs=-1, metavar="QRELS RUN...", shell_complete=_complete_file
    )
    return [files, *_elder_options(), *_own_options()]
