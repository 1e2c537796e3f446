"""Options and files on a command line: how they are written, and what several commands have."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

from irev.core.option_records import (
    Field,
    Opt,
    OptionRecord,
    OutputOptions,
    PathKind,
    ResultOptions,
    did_you_mean,
)
from irev.core.text import parse_decimal, parse_whole
from irev.errors import UsageError
from irev.options import ELDER, OWN, RUNS_SECTION
from irev.writers.forms import OUTPUT_FORMATS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


# --- Arguments as getopt_long takes them: options and files in any order, names cut short ---


_MAY_BE_EMPTY = ("TEXT", "ANY")
"""How helps call values of options whose texts are for people, or for nobody."""


class SectionOption(click.Option):
    """An option that belongs to a section of the help.

    Where a shortened long name fits several options, those of trec_eval are meant: scripts that
    shorten them go on working.
    """

    def __init__(
        self,
        *names: str,
        section: str = "Options",
        from_trec_eval: bool = False,
        help_order: int = 0,
        path_kind: PathKind = "",
        other_words: Collection[str] = (),
        is_table: bool = False,
        in_short_help: bool = True,
        help: str | Callable[[], str] = "",
        **facts: object,
    ) -> None:
        """Keep what click does not know.

        Args:
            names: the spellings, and the parameter's name.
            section: of the help.
            from_trec_eval: whether trec_eval has it.
            help_order: in the help options stand by rising numbers.
            path_kind: whether a value is a path, as `Opt.file` says it.
            other_words: what a value can be instead of a path.
            is_table: whether a configuration file has a table for it.
            in_short_help: whether the short help has it.
            help: what the help says of it, or what gives that.
            facts: the rest is click's.
        """
        super().__init__(names, **facts)  # type: ignore[arg-type]
        self._help = help
        self.section, self.from_trec_eval, self.help_order = section, from_trec_eval, help_order
        self.path_kind, self.other_words, self.is_table = path_kind, other_words, is_table
        self.in_short_help = in_short_help
        self.is_configurable = self.expose_value and self.name != "help"

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """The value of a text; an empty one is refused, as a shell's variable is that is not set.

        A description or a title may be empty.
        """
        texts = value if isinstance(value, list | tuple) else [value]
        if "" in texts and self.metavar not in _MAY_BE_EMPTY:
            raise click.BadParameter(
                f"the value is empty: give {self.metavar or 'one'}, or leave out the option",
                ctx,
                self,
            )
        try:
            return super().type_cast_value(ctx, value)
        except click.BadParameter as error:
            known = [*getattr(self.type, "choices", ())]
            wrong = next((text for text in texts if known and text not in known), None)
            if isinstance(wrong, str) and (near := did_you_mean(wrong, known)):
                text = f"{error.message.rstrip('.')}{near}"
                raise click.BadParameter(text, ctx, self) from None
            raise

    @property
    def help(self) -> str:
        """What the help says of it."""
        return self._help() if callable(self._help) else self._help

    @help.setter
    def help(self, text: str | None) -> None:
        self._help = text or ""


class Spellings:
    """How a command's options may be spelled.

    takes_value  name -> whether a value belongs to it
    long_names   the first name of each option -> the last, which is long where there is one
    """

    def __init__(self, params: Iterable[click.Parameter]) -> None:
        self.takes_value: dict[str, bool] = {}
        self.long_names: dict[str, str] = {}
        self._names: set[str] = set()
        self._from_trec_eval: set[str] = set()
        self._formats: tuple[str, ...] = ()
        for param in params:
            if isinstance(param, click.Option):
                if "--format" in param.opts and isinstance(param.type, click.Choice):
                    self._formats = tuple(param.type.choices)
                for name in param.opts:
                    self.takes_value[name] = not (param.is_flag or param.count)
                self.long_names[param.opts[0]] = param.opts[-1]
                self._names.update(param.opts, param.secondary_opts)
                if getattr(param, "from_trec_eval", False):
                    self._from_trec_eval.update(param.opts)

    def full_name(self, name: str) -> str:
        """The long name that a name or an unambiguous beginning of one stands for.

        A name that fits none is returned as it is.
        """
        if name in self.takes_value:
            return name
        if name[2:] in self._formats:
            raise click.UsageError(f"no such option '{name}': write --format {name[2:]}")
        fitting = [full for full in self.takes_value if full.startswith(name)]
        fitting = [full for full in fitting if full in self._from_trec_eval] or fitting
        if "--help" in fitting:
            return "--help"
        if len(fitting) > 1:
            raise click.UsageError(f"option '{name}' is ambiguous: {', '.join(fitting)}")
        return fitting[0] if fitting else name

    def is_option(self, name: str) -> bool:
        """Whether there is such an option."""
        return name in self._names

    def cluster_options(self, cluster: str) -> list[str]:
        """The options of `-qcmmap`, up to the first that takes a value."""
        options: list[str] = []
        for letter in cluster[1:]:
            options.append(f"-{letter}")
            if self.takes_value.get(options[-1], False):
                break
        return options


class ArrangedArguments(NamedTuple):
    """Arguments in order."""

    options: list[str]
    """Options with their values, names in full."""
    files: list[str]
    unfinished: bool
    """Whether the last option lacks its value."""
    unknown: bool
    """Whether there is an option that the command lacks."""


def arrange(arguments: Sequence[str], params: Iterable[click.Parameter]) -> ArrangedArguments:
    """Tell options and files apart.

    `--` ends the options; a lone `-` is a file. What is wrong with an option is left for click to
    say.
    """
    spellings = Spellings(params)
    waiting = deque(arguments)
    options: list[str] = []
    files: list[str] = []
    wants_value = unknown = False
    while waiting:
        argument = waiting.popleft()
        if argument == "--":
            files.extend(waiting)
            break
        if argument == "-" or not argument.startswith("-"):
            files.append(argument)
            continue
        if argument.startswith("--"):
            name, equals, value = argument.partition("=")
            names = [spellings.full_name(name)]
            options.append(names[0] + equals + value)
            has_value = bool(equals)
        else:
            names = spellings.cluster_options(argument)
            options.append(argument)
            has_value = len(names) < len(argument) - 1
        wants_value = not has_value and spellings.takes_value.get(names[-1], False)
        unknown = unknown or not all(map(spellings.is_option, names))
        if wants_value and not waiting:
            break
        # of a short name click would look for a long one first, and for those that are like it
        options[-1] = spellings.long_names.get(options[-1], options[-1])
        if wants_value:
            options.append(waiting.popleft())
            wants_value = False
    return ArrangedArguments(options, files, wants_value, unknown)


def are_options(
    arguments: Sequence[str], params: Iterable[click.Parameter], *, unknown_too: bool = False
) -> bool:
    """Whether arguments are options of a command with all their values, and nothing else."""
    try:
        arranged = arrange(arguments, params)
    except click.UsageError:
        return False
    is_known = unknown_too or not arranged.unknown
    return is_known and not (arranged.files or arranged.unfinished)


# --- What the files of a command line are: judgments that hold runs, and saved scores ---


def add_names_of_judged_runs(files: Sequence[str], qrels_format: str | None) -> Sequence[str]:
    """The files of a command line; of judgments of answers alone, with the names of their runs."""
    if len(files) != 1 or qrels_format is None:
        return files
    from irev.read.formats import JUDGMENTS

    if qrels_format not in JUDGMENTS or not JUDGMENTS[qrels_format].holds_runs:
        return files
    from irev.engine.prepared_judgments import read_judged_answers

    if files[0] == "-":
        raise UsageError("judgments on standard input (-) are read once: name the runs")
    return [
        *files,
        *read_judged_answers(files[0], qrels_format, unknown_labels="not_support").run_names,
    ]


def no_scores_text(path: str) -> str:
    """What is wrong with a single file that holds no saved scores."""
    from irev.scores.saved import table_hint

    what = f"{path} contains no saved scores, and no run was given"
    hint = "" if path == "-" else table_hint(path)
    return f"{what}; {hint}" if hint else what


def starts_with_saved(files: Sequence[str]) -> bool:
    """Whether the first file holds saved scores, so that no judgments are wanted."""
    if not files or files[0] == "-":
        return False
    from irev.scores.saved import is_saved

    return is_saved(files[0])


# --- Options that several commands have ---


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
    "--csv-safe",
    in_short_help=False,
    section=OUTPUT_SECTION,
    help="In csv and tsv, put an apostrophe before texts that start with = + - @ (spreadsheets "
    "run these as formulas) and escape control characters.",
)
SAFE_CSV = CSV_SAFE.replace(help=f"{CSV_SAFE.help} On by default.")
UNSAFE_CSV = Opt(
    "--no-csv-safe",
    flag_value=False,
    in_short_help=False,
    section=OUTPUT_SECTION,
    help="Write texts unchanged in csv and tsv.",
)
LAYOUT = Opt(
    "--layout",
    in_short_help=False,
    section=OUTPUT_SECTION,
    help="All tables (full), or one for a paper (paper). That has runs and measures, the best in "
    "bold, and a caption. In LaTeX it is as wide as a column or a page.",
)
PLACES = Opt("--places", in_short_help=False, section=OUTPUT_SECTION, metavar="N", least=0, most=17)
DETAILS = Opt(
    "--details",
    in_short_help=True,
    section=OUTPUT_SECTION,
    help="Print everything, not only the main lines. That is every table and finding, how it was "
    "tested, the whole signature.",
)
OUTPUT = Opt(
    "--output",
    in_short_help=True,
    section=OUTPUT_SECTION,
    metavar="FILE",
    file="written",
    help="Write to FILE, in the form of its ending (.csv ...). --format, if given, decides. On an "
    "error FILE is left unchanged.",
)

OUTPUT_OF_ONE_FORM = OUTPUT.replace(
    help="Write to FILE instead of standard output. On an error FILE is left unchanged."
)


class WarningOptions(OutputOptions):
    """What is said of warnings and notes, in every command."""

    strict: Annotated[
        bool,
        Opt(
            "--strict",
            section=SETTINGS,
            help_order=1000,
            help="Turn every warning into an error: exit code 2, nothing on standard output.",
        ),
    ] = False
    quiet: Annotated[
        bool, Opt("--quiet", section=SETTINGS, help="Print no warnings and notes.")
    ] = False


def measure_name_completions() -> Iterator[tuple[str, str]]:
    """Sets, suites and measures, each with what it is: what completes a name."""
    from irev.measures import all_measures
    from irev.measures.naming.grammar import SUITE_PREFIX, SUITES
    from irev.measures.registry import SET_NAMES

    yield from dict.fromkeys(SET_NAMES, "a set of measures").items()
    yield from ((f"{SUITE_PREFIX}{suite.name}", suite.title) for suite in SUITES)
    yield from ((measure.name, measure.title) for measure in all_measures())


MEASURES = Opt(
    "-m",
    "--measure",
    metavar="NAME[.PARAMS]",
    section=ELDER,
    help_order=2,
    in_short_help=True,
    completions=measure_name_completions,
    help="Measure or set of measures, such as map,P@5,ndcg@10 (default: official). Give "
    "several with commas or repeat -m. Parameters follow the name, as in P.5,10. Sets: "
    "official, set, all_trec, all_prefs, prefs, qrels_jg. irev measures lists all names, "
    "irev measures suites the suites (suite:beir ...).",
)


class MeasureOptions(ResultOptions):
    """What is -m on the command line, and `measures` in Python."""

    measures: Annotated[Sequence[str], MEASURES] = ()


# --- Records as options of the command line ---
#     RecordOptions(ExplainOptions, helps={"level": "..."})
# has the options as `params`, here with another help for one, and `make_record` makes the record
# of what was given. What stands in a settings file under a command's name is set likewise.


class RecordOptions:
    """The options of a record on the command line of one command.

    record  the record
    params  one for each option that the fields declare and the command has
    """

    def __init__(
        self,
        record: type[OptionRecord],
        helps: Mapping[str, str] | None = None,
    ) -> None:
        """Make the options.

        Args:
            record: the record.
            helps: names of fields, with the help that their options have here.
        """
        self.record, self.params = record, list[SectionOption]()
        self._names = set[str]()
        fields = record.fields()
        for _, field_names in record.keywords_by_class():
            # what a job has beside what it shares with others stands by itself
            help_order = 0
            for field, name, opt in (
                (fields[each], *pair) for each in field_names for pair in fields[each].opts.items()
            ):
                help_order = opt.help_order or help_order
                if not opt.names:
                    # of a configuration file, or of Python alone
                    self._names |= {name} if opt.file else set()
                else:
                    self._names.add(name)
                    option_help = (helps or {}).get(field.name, "") or _help_with_default(
                        field, opt
                    )
                    self.params.append(_make_option(field, name, opt, help_order, option_help))

    def make_record(self, option_values: Mapping[str, Any]) -> OptionRecord:
        """The record, of the values of all options by name; others may have the same names."""
        return self.record.from_option_values(
            {n: v for n, v in option_values.items() if v is not None and n in self._names}
        )


def params_of(*parts: RecordOptions | SectionOption) -> list[click.Parameter]:
    """All options in the order of the help."""
    params = [part.params if isinstance(part, RecordOptions) else [part] for part in parts]
    return [*sorted(chain.from_iterable(params), key=lambda option: option.help_order)]


def _make_option(
    field: Field, name: str, opt: Opt, help_order: int, option_help: str | Callable[[], str]
) -> SectionOption:
    facts: dict[str, Any] = {"help": option_help, "section": opt.section}
    is_rare = opt.section in COMMON_SECTIONS
    facts["in_short_help"] = not is_rare if opt.in_short_help is None else opt.in_short_help
    facts |= {"path_kind": opt.file, "is_table": opt.is_table}
    if opt.file:
        facts["other_words"] = field.choices
    if opt.flag_value is not None or (field.scalar_type is bool and opt.value_of_word is None):
        facts["is_flag"] = True
        facts["default"] = None if opt.flag_value is None and field.default is None else False
    else:
        facts["metavar"] = opt.metavar or None
        facts["type"] = _click_type_or_parser(field, opt)
        if (field.is_sequence or opt.is_table) and opt.parse is None and not opt.pair_key:
            facts["multiple"] = True
        if opt is field.opt and not opt.pair_key and isinstance(field.default, int | float | str):
            # a word that a text may be is what nobody has to say
            facts["default"] = field.default if opt.parse is None else None
        if opt.completions or opt.file or not isinstance(facts["type"], click.Choice):
            words = opt.completions or (lambda: ((word, "") for word in field.choices))
            facts["shell_complete"] = last_piece_completer(words, opt.file)
    return SectionOption(
        *opt.names, name, from_trec_eval=opt.section == ELDER, help_order=help_order, **facts
    )


def _help_with_default(field: Field, opt: Opt) -> str | Callable[[], str]:
    """The help of an option, with the default where it does not speak of it."""
    if callable(opt.help):
        return opt.help
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


def _whole_number_parser(
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


def _whole_or_real_number_parser(smallest: int | None) -> Callable[[str | float], int | float]:
    """What reads a number that may be whole; such a one is an int."""
    convert_whole = _whole_number_parser(smallest)

    def convert(text: str | float) -> float:
        number = parse_decimal(text) if isinstance(text, str) else text
        if number is None:
            raise click.BadParameter(f"'{text}' is not a number, such as 2 or 0.5.")
        if smallest is not None and number < smallest:
            raise click.BadParameter(f"{text} is too small: give at least {smallest}.")
        is_whole = isinstance(text, str) and parse_whole(text) is not None
        if is_whole or abs(number) > _LARGEST:
            return convert_whole(str(text) if is_whole else int(number))
        return number

    return convert


def _real_number_parser(opt: Opt) -> Callable[[str | float], float]:
    """What reads a number in the range of an option."""

    def convert(text: str | float) -> float:
        number = parse_decimal(text) if isinstance(text, str) else text
        if number is None:
            raise click.BadParameter(f"'{text}' is not a number, such as 0.05 or 1e-3.")
        if opt.least is not None and number < opt.least:
            raise click.BadParameter(f"{text} is too small: give at least {opt.least}.")
        if opt.most is not None and number > opt.most:
            raise click.BadParameter(f"{text} is too large: give at most {opt.most}.")
        if opt.open_interval and not opt.open_interval[0] < number < opt.open_interval[1]:
            low, high = opt.open_interval
            raise click.BadParameter(f"{text} is not above {low:g} and below {high:g}.")
        return number

    return convert


def _click_type_or_parser(field: Field, opt: Opt) -> Any:
    """What makes values of texts."""
    if opt.value_of_word is not None:
        return _WordChoice(opt.value_of_word)
    if opt.parse is not None:
        return _text_parser(opt.parse)
    if opt.pair_key or field.is_open or (field.scalar_type is str and not opt.choices):
        return None
    if field.scalar_type is int:
        return _whole_number_parser(opt.least, opt.most)
    if opt.keeps_whole:
        return _whole_or_real_number_parser(opt.least)
    if field.scalar_type is float:
        return _real_number_parser(opt)
    return None if callable(opt.choices) else click.Choice(field.choices)


def _text_parser(parse: Callable[[str], Any]) -> Callable[[Any], Any]:
    """What makes a value of a text by a function of `Opt.parse`; other values stay."""

    def convert(value: Any) -> Any:
        try:
            return parse(value) if isinstance(value, str) else value
        except (ValueError, UsageError) as error:
            raise click.BadParameter(str(error)) from None

    return convert


class _WordChoice(click.Choice):  # type: ignore[type-arg]
    """Words that stand for values."""

    def __init__(self, words: Mapping[str, Any]) -> None:
        super().__init__([*words])
        self._words = words

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value of a word."""
        if not isinstance(value, str):
            return value
        return self._words[super().convert(value, param, ctx)]


def last_piece_completer(
    completions: Callable[[], Iterable[tuple[str, str]]] = tuple, path_kind: PathKind = "always"
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """What completes a text, the last piece of a list, from some; or a path, if it may be one.

    `completions` gives (value, help) pairs; `path_kind` is as `Opt.file` says it.
    """

    def complete(_: click.Context, __: click.Parameter, typed: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        # of a list such as `map,nd` the last piece; a comma in brackets is none
        before, comma, last = typed.rpartition(",")
        if before.count("(") > before.count(")"):
            before, comma, last = "", "", typed
        items = [CompletionItem(typed, type="file")] if path_kind else []
        return items + [
            CompletionItem(f"{before}{comma}{n}", help=line)
            for n, line in completions()
            if n.startswith(last)
        ]

    return complete
