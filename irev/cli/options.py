"""Options of commands, made of the fields of records; and what `irev eval` takes beside `Options`.

A command names the records that it takes, and gets them made:

    class Report(Delivery):
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
from irev.core.records import Choices, Delivery, Opt
from irev.core.text import whole
from irev.errors import UsageError
from irev.options import ELDER, OWN, Options
from irev.read.formats import JUDGMENTS, named
from irev.writers.forms import FORMS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from irev.core.records import Field, Record

OUTPUT_SECTION = "Options for the output"
SETTINGS = "Settings"

SHEETS = ("sheet", "sheet-html")
"""Forms of `irev eval` alone."""

FORMAT = Opt(
    "--format", section=OUTPUT_SECTION, choices=tuple(FORMS), help="The form of the output."
)
CSV_SAFE = Opt(
    "--csv-safe", section=OUTPUT_SECTION,
    help="In csv and tsv put an apostrophe before texts that begin with = + - @, which "
    "spreadsheets take for formulas, and escape control characters.",
)  # fmt: skip
PLACES = Opt("--places", section=OUTPUT_SECTION, metavar="N", least=0, most=17)
OUTPUT = Opt(
    "--output", section=OUTPUT_SECTION, metavar="FILE", file="written",
    help="Write to FILE, whole or not at all.",
)  # fmt: skip


class Heard(Delivery):
    """What is heard of warnings and notes, in every command."""

    strict: Annotated[bool, Opt(
        "--strict", section=SETTINGS, place=1000,
        help="Make every warning an error: exit code 2, and nothing on standard output.",
    )] = False  # fmt: skip
    quiet: Annotated[bool, Opt(
        "--quiet", section=SETTINGS, help="Say nothing of warnings and notes."
    )] = False  # fmt: skip


class Taken:
    """A record that a command takes, whole or in part.

    record   the record
    options  those of the command line, one for each that the fields declare and the command has
    """

    def __init__(
        self,
        record: "type[Record]",
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
        for name, field in record.fields().items():
            for called, opt in field.options.items():
                place = opt.place or place
                is_taken = not only or name in only or called in only
                if not opt.names:
                    # of a configuration file
                    self._names.add(called)
                elif is_taken and name not in without and called not in without:
                    self._names.add(called)
                    made = _option(field, called, opt, place, (say or {}).get(name, ""))
                    self.options.append(made)

    def made(self, given: Mapping[str, Any]) -> "Record":
        """The record, of what the command line calls its options; others may have their names."""
        return self.record.of(
            {n: v for n, v in given.items() if v is not None and n in self._names}
        )


def parameters_of(*parts: Taken | SectionOption) -> list[click.Parameter]:
    """The options of records, in the order of their places."""
    taken = [part.options if isinstance(part, Taken) else [part] for part in parts]
    return [*sorted(chain.from_iterable(taken), key=lambda option: option.place)]


def _option(field: "Field", name: str, opt: Opt, place: int, said: str) -> SectionOption:
    facts: dict[str, Any] = {"help": said or _help(field, opt), "section": opt.section}
    if opt.complete is not None:
        facts["shell_complete"] = _completing(opt.complete)
    facts |= {"file": opt.file, "is_table": opt.table, "acts": opt.acts}
    if opt.file:
        facts["words"] = field.choices
    if opt.value is not None or (field.kind is bool and opt.words is None):
        facts["is_flag"] = True
        facts["default"] = None if opt.value is None and field.default is None else False
    else:
        facts["metavar"] = opt.metavar or None
        facts["type"] = _type(field, opt)
        if field.many and opt.read is None and not opt.part:
            facts["multiple"] = True
        if opt is field.opt and not opt.part and isinstance(field.default, int | float | str):
            # a word that a text may be is what nobody has to say
            facts["default"] = field.default if opt.read is None else None
        elif facts.get("multiple"):
            facts["default"] = field.default
    return SectionOption(*opt.names, name, elder=opt.section == ELDER, place=place, **facts)


def _help(field: "Field", opt: Opt) -> str:
    """The help of an option, with the default where it does not speak of it."""
    default: Any = field.default
    is_flag = field.kind is bool and opt.words is None
    is_all = opt is field.opt and not opt.part
    if "efault" in opt.help or is_flag or not is_all or default in (None, (), "default"):
        return opt.help
    if opt.words is not None:
        default = next(word for word, value in opt.words.items() if value == default)
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
        number = text if isinstance(text, int) else whole(text)
        if number is None:
            raise click.BadParameter(f"'{text}' is not a whole decimal number, such as 10.")
        if smallest is not None and number < smallest:
            raise click.BadParameter(f"{text} is too small: give at least {smallest}.")
        if largest is not None and number > largest:
            raise click.BadParameter(f"{text} is too large: give at most {largest}.")
        return max(-_LARGEST - 1, min(number, _LARGEST))

    return convert


def _type(field: "Field", opt: Opt) -> Any:
    """What makes values of texts."""
    if opt.words is not None:
        return _Words(opt.words)
    if opt.read is not None:
        return _reading(opt.read)
    if opt.part or field.is_open or (field.kind is str and not opt.choices):
        return None
    if field.kind is int:
        return whole_number(opt.least, opt.most)
    if field.kind is float:
        return float
    return None if callable(opt.choices) else click.Choice(field.choices)


def _reading(read: Callable[[str], Any]) -> Callable[[Any], Any]:
    def convert(given: Any) -> Any:
        try:
            return read(given) if isinstance(given, str) else given
        except ValueError as error:
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


def _completing(
    known: Callable[[], Iterable[tuple[str, str]]],
) -> "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]":
    def complete(_: click.Context, __: click.Parameter, begun: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        return [CompletionItem(n, help=line) for n, line in known() if n.startswith(begun)]

    return complete


def _measures() -> Iterator[tuple[str, str]]:
    from irev.measures.reference import every_measure
    from irev.measures.registry import SETS

    yield from dict.fromkeys(SETS, "a set of measures").items()
    yield from ((measure.name, measure.title) for measure in every_measure())


class Asked(Choices):
    """What is asked of judgments and runs, beside the choices of the evaluation."""

    measures: Annotated[Sequence[str], Opt(
        "-m", "--measure", metavar="NAME[.PARAMS]", section=ELDER, place=2, complete=_measures,
        help="Add a measure or a set of measures, with parameters such as P.5,10, or several: "
        "map,P.5,10,ndcg; may be repeated. Sets: official (the default), set, all_trec, all_prefs, "
        "prefs, qrels_jg. irev measures lists all names, irev measures suites the suites "
        "(suite:beir ...).",
    )] = ()  # fmt: skip
    qrels_format: Annotated[str, Opt(
        "-R", "--Rel_info_format", metavar="FORMAT", section=ELDER, place=10,
        help=f"What QRELS holds: {named(JUDGMENTS)}. Tables (Parquet, CSV, JSON lines ...) are "
        "seen.",
    )] = "qrels"  # fmt: skip
    plugins: Annotated[Sequence[str], Opt(
        "--plugin", metavar="MODULE|FILE.py", section=OWN, place=30, file="maybe", acts=True,
        help="Make the measures of a module or a file of yours known; may be repeated.",
    )] = ()  # fmt: skip


class AskedOfRuns(Asked):
    """What is asked of runs one by one."""

    zscores: Annotated[str | None, Opt(
        "-Z", "--Zscore", metavar="FILE", section=ELDER, place=12, file="always",
        help="Print z scores against the means and deviations in FILE.",
    )] = None  # fmt: skip
    samples: Annotated[Sequence[str], Opt(
        "--sample", metavar="RATE|STRATA", section=OWN, place=28,
        help="Evaluate under samples of the judgments, which must be complete, and print mean, "
        "spread and error beside the values under all judgments: 10%, or 1-10=100%,11-50=30% of "
        "the ranks of the pool of all RUNs; may be repeated.",
    )] = ()  # fmt: skip
    repeat: Annotated[int, Opt(
        "--repeat", metavar="N", section=OWN, least=1,
        help="With --sample: how many samples are drawn.",
    )] = 10  # fmt: skip
    engine: Annotated[Literal["local", "spark"], Opt(
        "--engine", section=OWN, place=33, effect="nothing",
        help="Where runs are ranked: here (local, the default), or by Spark, for runs in a "
        "cluster: paths or URIs of text or Parquet, a folder of runs. Never changes a number.",
    )] = "local"  # fmt: skip


class Printed(Delivery):
    """What is printed of an evaluation, and where."""

    per_topic: Annotated[bool, Opt(
        "-q", "--query_eval_wanted", section=ELDER, place=1,
        help="Print the values of each topic too.",
    )] = False  # fmt: skip
    no_summary: Annotated[bool, Opt(
        "-n", "--nosummary", section=ELDER, place=5, help="Print no summary."
    )] = False  # fmt: skip
    format: Annotated[str, FORMAT.but(
        section=OWN, place=26, choices=("trec", *FORMS, *SHEETS)
    )] = "trec"  # fmt: skip
    csv_safe: Annotated[bool, CSV_SAFE.but(section=OWN)] = False
    places: Annotated[int, PLACES.but(
        section=OWN,
        help="Decimals in trec and the tables for people; csv, tsv, json and jsonl are exact.",
    )] = 4  # fmt: skip
    output: Annotated[str | None, OUTPUT.but(section=OWN)] = None


def load_plugins(names: Sequence[str]) -> None:
    """Make the measures of the plugins that were named known."""
    if names:
        from irev.measures.plugins import load

        for name in names:
            load(name)


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
        from irev.measures.names import resolve

        # a wrong name is said before a file is opened
        resolve(asked.measures, options)
        options = options.opened()
    pool = options.pool
    if not isinstance(pool, str) or not pool.startswith(DEPTH):
        return options
    from irev.sampling.pools import pooled

    depth = whole(pool.removeprefix(DEPTH))
    if depth is None or depth < 1:
        raise UsageError(f"--pool {pool}: a depth is a whole number from 1 on: depth:100")
    if "-" in files[1:]:
        raise UsageError("--pool reads each run twice, which standard input (-) does not allow")
    made = pooled(files[1:], depth, threads=options.threads, run_format=options.run_format)
    return options.but(pool=made)
