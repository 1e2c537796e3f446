"""Options of commands, made of the fields of records; and what `irev eval` takes beside `Options`.

A command names the records that it takes, and gets them made:

    class Report(OutputOptions):
        places: Annotated[int, PLACES] = 4

    def run(files: tuple[str, ...], options: Options, report: Report) -> int: ...

    command = Job("name", run, "QRELS RUN...", Options, Report, example="irev name qrels run")

`Taken(Options, only=("level", "measures"))` takes some fields alone, `say={"level": "..."}` gives a
field another help. What stands in irev.toml under a command's name is set likewise. A module with
records has no `from __future__ import annotations`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from irev.cli.arguments import SectionOption
from irev.core.option_records import Opt, OutputOptions, ResultOptions
from irev.core.text import parse_decimal, parse_whole
from irev.errors import UsageError
from irev.options import ELDER, OWN, PLUGINS, QRELS_FORMAT, Options
from irev.writers.forms import MACHINE_FORMATS, OUTPUT_FORMATS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from irev.core.option_records import Field, OptionRecord

OUTPUT_SECTION = "Options for the output"
SETTINGS = "Settings"
RUNS = "Options of the runs"

COMMON = (ELDER, OWN, OUTPUT_SECTION, SETTINGS, RUNS)
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


class Heard(OutputOptions):
    """What is heard of warnings and notes, in every command."""

    strict: Annotated[bool, Opt(
        "--strict", section=SETTINGS, help_order=1000,
        help="Turn every warning into an error: exit code 2, nothing on standard output.",
    )] = False  # fmt: skip
    quiet: Annotated[bool, Opt(
        "--quiet", section=SETTINGS, help="Print no warnings and notes."
    )] = False  # fmt: skip


class Taken:
    """A record that a command takes, whole or in part.

    record   the record
    options  those of the command line, one for each that the fields declare and the command has
    """

    def __init__(
        self,
        record: "type[OptionRecord]",
        only: Collection[str] = (),
        without: Collection[str] = (),
        say: Mapping[str, str] | None = None,
        place: int = 0,
    ) -> None:
        """Make the options.

        Args:
            record: the record.
            only: names of fields, or of options of the command line where a field has several;
                what the command has no option for is at its default.
            without: the same, of what it does not take.
            say: names of fields, with the help that their options have here.
            place: in the help, of options that say nothing of theirs.
        """
        self.record, self.options = record, list[SectionOption]()
        self._names = set[str]()
        fields, first_place = record.fields(), place
        for _, names in record.keywords_by_class():
            # what a job has beside what it shares with others stands by itself
            place = first_place
            for name, (called, opt) in (
                (n, each) for n in names for each in fields[n].opts.items()
            ):
                place = opt.help_order or place
                is_taken = not only or name in only or called in only
                if not opt.names:
                    # of a configuration file, or of Python alone
                    self._names |= {called} if opt.file else set()
                elif is_taken and name not in without and called not in without:
                    self._names.add(called)
                    made = _option(fields[name], called, opt, place, (say or {}).get(name, ""))
                    self.options.append(made)

    def fields(self) -> "dict[str, Field]":
        """The fields that Python can give, by their names."""
        return {
            name: field
            for name, field in self.record.fields().items()
            if not field.opt.names or not self._names.isdisjoint(field.opts)
        }

    def made(self, given: Mapping[str, Any]) -> "OptionRecord":
        """The record, of what the command line calls its options; others may have their names."""
        return self.record.from_option_values(
            {n: v for n, v in given.items() if v is not None and n in self._names}
        )


def parameters_of(*parts: Taken | SectionOption) -> list[click.Parameter]:
    """The options of records, in the order of their places."""
    taken = [part.options if isinstance(part, Taken) else [part] for part in parts]
    return [*sorted(chain.from_iterable(taken), key=lambda option: option.help_order)]


def _option(field: "Field", name: str, opt: Opt, place: int, said: str) -> SectionOption:
    facts: dict[str, Any] = {"help": said or _help(field, opt), "section": opt.section}
    is_rare = opt.section in COMMON
    facts["in_short_help"] = not is_rare if opt.in_short_help is None else opt.in_short_help
    facts |= {"path_kind": opt.file, "is_table": opt.is_table}
    if opt.file:
        facts["other_words"] = field.choices
    if opt.flag_value is not None or (field.scalar_type is bool and opt.value_of_word is None):
        facts["is_flag"] = True
        facts["default"] = None if opt.flag_value is None and field.default is None else False
    else:
        facts["metavar"] = opt.metavar or None
        facts["type"] = _type(field, opt)
        if (field.is_sequence or opt.is_table) and opt.parse is None and not opt.pair_key:
            facts["multiple"] = True
        if opt is field.opt and not opt.pair_key and isinstance(field.default, int | float | str):
            # a word that a text may be is what nobody has to say
            facts["default"] = field.default if opt.parse is None else None
        elif facts.get("multiple"):
            facts["default"] = field.default
        if opt.completions or opt.file or not isinstance(facts["type"], click.Choice):
            facts["shell_complete"] = completing(opt.completions or _words(field), opt.file)
    return SectionOption(
        *opt.names, name, from_trec_eval=opt.section == ELDER, help_order=place, **facts
    )


def _help(field: "Field", opt: Opt) -> str:
    """The help of an option, with the default where it does not speak of it."""
    default: Any = field.default
    is_flag = field.scalar_type is bool and opt.value_of_word is None
    is_all = opt is field.opt and not opt.pair_key
    if "efault" in opt.help or is_flag or not is_all or default in (None, (), {}, "default"):
        return opt.help
    if opt.value_of_word is not None:
        default = next(word for word, value in opt.value_of_word.items() if value == default)
    shown = ", ".join(default) if isinstance(default, tuple) else default
    shown = f"{shown:g}" if isinstance(shown, float) else shown
    return f"{opt.help} Default: {shown}.".lstrip()


_LARGEST = 2**63 - 1


def whole_number(
    smallest: int | None = None, largest: int | None = None
) -> Callable[[str | int], int]:
    """What reads a whole decimal number, to its last byte, in a range; None is no bound.

    Beyond 64 bits a number is the nearest one within.
    """

    def convert(text: str | int) -> int:
        number = text if isinstance(text, int) else parse_whole(text)
        if number is None:
            raise click.BadParameter(f"'{text}' is not a whole decimal number, such as 10.")
        if smallest is not None and number < smallest:
            raise click.BadParameter(f"{text} is too small: give at least {smallest}.")
        if largest is not None and number > largest:
            raise click.BadParameter(f"{text} is too large: give at most {largest}.")
        return max(-_LARGEST - 1, min(number, _LARGEST))

    return convert


def _real_number(text: str | float) -> float:
    number = parse_decimal(text) if isinstance(text, str) else text
    if number is None:
        raise click.BadParameter(f"'{text}' is not a number, such as 0.05 or 1e-3.")
    return number


def _type(field: "Field", opt: Opt) -> Any:
    """What makes values of texts."""
    if opt.value_of_word is not None:
        return _Words(opt.value_of_word)
    if opt.parse is not None:
        return _reading(opt.parse)
    if opt.pair_key or field.is_open or (field.scalar_type is str and not opt.choices):
        return None
    if field.scalar_type is int:
        return whole_number(opt.least, opt.most)
    if field.scalar_type is float:
        return _real_number
    return None if callable(opt.choices) else click.Choice(field.choices)


def _reading(read: Callable[[str], Any]) -> Callable[[Any], Any]:
    def convert(given: Any) -> Any:
        try:
            return read(given) if isinstance(given, str) else given
        except (ValueError, UsageError) as error:
            raise click.BadParameter(str(error)) from None

    return convert


class _Words(click.Choice):  # type: ignore[type-arg]
    """Words that stand for values."""

    def __init__(self, words: Mapping[str, Any]) -> None:
        super().__init__([*words])
        self._words = words

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value of a word."""
        if not isinstance(value, str):
            return value
        return self._words[super().convert(value, param, ctx)]


def completing(
    known: Callable[[], Iterable[tuple[str, str]]] = tuple, file: str = "always"
) -> "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]":
    """What completes a text, the last piece of a list, from known ones; or a path, if it may be."""

    def complete(_: click.Context, __: click.Parameter, begun: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        before, last = _last_piece(begun)
        items = [CompletionItem(begun, type="file")] if file else []
        return items + [
            CompletionItem(f"{before}{n}", help=line) for n, line in known() if n.startswith(last)
        ]

    return complete


def _words(field: "Field") -> Callable[[], Iterable[tuple[str, str]]]:
    """The words that a text may be."""
    return lambda: ((word, "") for word in field.choices)


def _last_piece(begun: str) -> tuple[str, str]:
    """A list such as `map,nd` as what is said and the last piece; a comma in brackets is none."""
    before, comma, last = begun.rpartition(",")
    return ("", begun) if before.count("(") > before.count(")") else (before + comma, last)


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


class Asked(ResultOptions):
    """What is asked of judgments and runs, beside the choices of the evaluation."""

    measures: Annotated[Sequence[str], MEASURES] = ()
    qrels_format: Annotated[str, QRELS_FORMAT] = "qrels"
    plugins: Annotated[Sequence[str], PLUGINS] = ()


class AskedOfRuns(Asked):
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


class Printed(OutputOptions):
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


def evaluation_of(files: Sequence[str], asked: Asked, options: Options) -> Options:
    """The choices of an evaluation, with all that they need the files for.

    Args:
        files: QRELS RUN...
        asked: what is asked.
        options: the choices.
    """
    import os

    from irev.options import DEPTH

    if isinstance(options.topics, os.PathLike):
        from irev.measures.naming.resolve import resolve_names

        # a wrong name is said before a file is opened
        resolve_names(asked.measures, options)
        options = options.opened()
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
