"""The commands, and what is the same for all: help, settings, and how the program ends.

`COMMANDS` names them. A command is imported when it is called.
"""

from __future__ import annotations

import errno
import inspect
import os
import re
import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

import click
from click.core import ParameterSource

from irev import config
from irev.cli.options import (
    SETTINGS,
    RecordOptions,
    SectionOption,
    WarningOptions,
    are_options,
    arrange,
    last_piece_completer,
    params_of,
)
from irev.cli.output import (
    Voice,
    error_text,
    say,
    say_error,
    show_progress,
    terminal_columns,
    voice,
    write_line_to_stderr,
)
from irev.core.option_records import Field, OptionRecord
from irev.core.packages import missing_packages_told
from irev.core.text import split_limits
from irev.errors import IrevError, UsageError
from irev.writers.forms import ENDINGS, form_of_path

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class LazyCommand(NamedTuple):
    """A command, or a kind of one, before it is imported."""

    location: str
    """Where it is, as `module:attribute`."""
    line: str
    """What it does, in one line of the help."""
    purpose: str = ""
    """Of a command: what it is for. Commands for one purpose are neighbours."""
    words: str = ""
    """What else people call it, with blanks between: suggestions follow them."""


COMMANDS = {
    "eval": LazyCommand(
        "irev.cli.evaluate:command", "Score runs against relevance judgments.", "Evaluate",
        words="score trec_eval",
    ),
    "measures": LazyCommand(
        "irev.cli.explain:measures_command", "List, search and explain measures.", "Evaluate",
        words="metrics list search",
    ),
    "explain": LazyCommand(
        "irev.cli.explain:explain_command", "Show how a score is computed.", "Evaluate",
        words="trace debug why",
    ),
    "compare": LazyCommand(
        "irev.cli.compare:compare_command", "Test differences between runs.", "Compare",
        words="test significance diff ttest",
    ),
    "leaderboard": LazyCommand(
        "irev.cli.leaderboard:command", "Rank many submissions.", "Compare", words="board rank"
    ),
    "report": LazyCommand(
        "irev.cli.compare:report_command", "Write an HTML report about runs.", "Compare",
        words="page summary",
    ),
    "gate": LazyCommand("irev.cli.compare:gate_command", "Pass or fail a run, for CI.", "Compare"),
    "check": LazyCommand(
        "irev.cli.prepare:check_command", "Find mistakes in runs and qrels.", "Prepare",
        words="validate verify lint",
    ),
    "pool": LazyCommand(
        "irev.cli.prepare:pool_command", "Make the list of documents to judge.", "Prepare"
    ),
    "sample": LazyCommand(
        "irev.cli.prepare:sample_command", "Sample judgments or a collection.", "Prepare",
        words="subsample",
    ),
    "study": LazyCommand(
        "irev.cli.study:command", "Experiments on measures and judgments.", "Study",
        words="experiment analyse analyze",
    ),
    "plot": LazyCommand(
        "irev.cli.plot:command", "Draw figures of runs.", "Study", words="draw figure graph"
    ),
    "completion": LazyCommand(
        "irev.cli.completion:command", "Set up tab completion in your shell.", "Set up"
    ),
}  # fmt: skip
"""The commands, in the order of the help."""

DEFAULT = "eval"
"""The command that is meant where none is named."""

_OPTIONS_MEANT = {
    **dict.fromkeys(("--metric", "--metrics", "--measures"), "name measures with -m: -m map,P@10"),
    **dict.fromkeys(
        ("-k", "--k", "--cutoff", "--cutoffs"), "a cutoff is part of a measure: -m ndcg@10"
    ),
    "--exclude": "it leaves documents out of runs that are scored, and this command scores none",
    "--collections": "irev leaderboard --collections DIR scores several collections",
    "--no-config": "a settings file is read only where --config names it",
}
"""An option of other programs, or of earlier versions -> what to write."""

_OPTIONS_OF_TREC_EVAL = {
    "-q": {
        "--per-topic": "--per-topic shows the topics",
        "-m": "irev eval -q prints the scores of each topic",
    },
    "-c": {"--no-rel": "a judged topic that a run lacks counts as 0 already"},
}
"""An option of trec_eval -> an option of a command that lacks it, and what to write there."""

_GROUP_HELP_NAMES = ("-h", "--help", "--help-all")

COMPLETE = "_IREV_COMPLETE"
"""The variable in which a shell says that it asks for completions."""


# --- The help of a command: a page that fits a screen, and one with everything (`--help-all`) ---


SCREEN = 37 + len(COMMANDS)
"""The most lines of the short page, which lists the commands: with the prompt a screen of 48."""

HELP_NAMES = {"help_option_names": ["-h", "--help"]}
_ALL = "irev.help-all"
_WIDEST_NAME = 24
_NARROW_NAME = 20


class WideContext(click.Context):
    """A call, whose help is as wide as click makes it, without what click imports for that."""

    def make_formatter(self) -> click.HelpFormatter:
        """A writer of help."""
        width = click.formatting.FORCED_WIDTH
        return self.formatter_class(width=width or max(min(terminal_columns(), 80) - 2, 50))


def help_all_option(section: str) -> SectionOption:
    """The option that prints the long page."""

    def show(ctx: click.Context, _: click.Parameter, is_set: bool) -> None:
        if is_set and not ctx.resilient_parsing:
            click.echo(full_help(ctx))
            ctx.exit()

    return SectionOption(
        "--help-all",
        section=section,
        help_order=1001,
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        in_short_help=False,
        help="Print all options and exit.",
    )


def full_help(ctx: click.Context) -> str:
    """The long page of a call's command."""
    ctx.meta[_ALL] = True
    return ctx.get_help()


class HelpedCommand(click.Command):
    """A command with two pages of help: what is needed every day, and everything."""

    context_class = WideContext

    def get_help(self, ctx: click.Context) -> str:
        """The page, without a newline at its end; the short one says as much as fits a screen."""
        # an option takes a line at the least: so many need not be written out to be counted
        if _ALL in ctx.meta or len(self.get_params(ctx)) < SCREEN:
            full = super().get_help(ctx)
            if _ALL in ctx.meta or full.count("\n") < SCREEN:
                return full
        paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(self.help or ""))
        pages = (
            self._short_page(ctx, paragraphs[:count], lists_other_options)
            for lists_other_options in (True, False)
            for count in range(len(paragraphs), 0, -1)
        )
        page = ""
        for page in pages:
            if page.count("\n") < SCREEN:
                break
        return page

    def _short_page(
        self, ctx: click.Context, paragraphs: list[str], lists_other_options: bool
    ) -> str:
        """The page with these paragraphs; at its end the options that only the long one has."""
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        for paragraph in paragraphs:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(paragraph)
        self.format_commands(ctx, formatter)
        params = [p for p in self.get_params(ctx) if isinstance(p, SectionOption) and not p.hidden]
        with formatter.section("Options"):
            formatter.write_dl(
                [
                    (_names_that_fit(p, ctx), _first_sentence_with_choices(p))
                    for p in params
                    if p.in_short_help
                ],
                col_max=_WIDEST_NAME + 4,
            )
        names = [p.opts[0] for p in params if not p.in_short_help]
        others = [name for name in names if name != "--help-all"]
        if others:
            path = ctx.command_path.removesuffix(" eval")
            end = f": {' '.join(others)}" if lists_other_options else ""
            text = f"{path} --help-all explains {len(others)} more{end}"
            # options are not broken at their dashes
            lines = textwrap.wrap(text, formatter.width - 2, break_on_hyphens=False)
            formatter.write("\n" + "".join(f"  {line}\n" for line in lines))
        self.format_epilog(ctx, formatter)
        return formatter.getvalue().rstrip("\n")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands beside this one, where it is the one that needs no name."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, then the options by section, in the order of their declaration."""
        self.format_commands(ctx, formatter)
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if isinstance(param, SectionOption) and record is not None:
                sections.setdefault(param.section, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def _names_that_fit(option: SectionOption, ctx: click.Context) -> str:
    """The spellings that fit in a narrow column, with what the value is called."""
    value = ""
    if not option.is_flag:
        value = option.make_metavar(ctx)
        if isinstance(option.type, click.Choice) and not option.metavar:
            value = option.opts[-1].lstrip("-").rpartition("-")[2].upper()
        value = f" {value}"
    names = [name for name in option.opts if "_" not in name]
    both = ", ".join(names) + value
    if len(both) > _NARROW_NAME:  # of FILE.svg|.png|.pdf the first
        value = re.split(r"[|,]", value)[0]
        both = ", ".join(names) + value
    return both if len(both) <= _WIDEST_NAME else option.opts[0] + value


def _first_sentence_with_choices(option: SectionOption) -> str:
    """What the help says first, without what follows a semicolon; which choices there are."""
    sentence = re.split(r"(?<=[\w)])(?<! al)\. |; (?![^(]*\))", option.help or "")[0].rstrip(".")
    choices = list(map(str, getattr(option.type, "choices", ())))
    if choices and not option.metavar and not all(f"({word})" in sentence for word in choices):
        return f"{sentence}: {', '.join(choices)}."
    return f"{sentence}."


# --- `--config`: what a TOML file says stands where the command line says nothing ---


TABLES, PATHS, INNER = "irev.tables", "irev.paths", "irev.inner"
"""Where a context keeps what click cannot: tables that the command line may add to, paths that no
option gives, the file and the tables within its section."""

ARGUMENTS = "irev.arguments"
"""Where it keeps the arguments, in order."""

FORM_BY_ENDING = "irev.form-by-ending"
"""Where it keeps, of a form that the ending of --output chose, --format and --output."""


def config_option(help_of_section: str = "") -> SectionOption:
    """`--config`; its help says what else a command's section can hold."""
    return SectionOption(
        "--config",
        metavar="FILE",
        section=SETTINGS,
        is_eager=True,
        expose_value=False,
        callback=_read_config_if_named,
        in_short_help=False,
        shell_complete=last_piece_completer(),
        help="Read further options from a TOML file. They stand in the section of this command, "
        "under the names of the options; what is given here goes before them."
        f"{help_of_section}",
    )


def _read_config_if_named(ctx: click.Context, _: click.Parameter, path: str | None) -> None:
    """Make the settings of a file the defaults of the command's options."""
    if ctx.resilient_parsing or ctx.default_map is not None or path is None:
        return
    command: Any = ctx.command
    section = section_name(ctx)

    def section_names(parent_section: str) -> Collection[str]:
        """Those of the program: of its commands, or of a command's kinds."""
        group: click.Command | None = ctx.find_root().command
        if parent_section and isinstance(group, click.Group):
            group = group.get_command(ctx, parent_section)
        return group.list_commands(ctx) if isinstance(group, click.Group) else ()

    settings = config.read_section(path, section, section_names)
    if settings is None:
        title = config.section_title(path, section)
        raise config.settings_error(path, f"this file has no table [{title}]")
    inner = {name: settings.pop(name) for name in command.inner if name in settings}
    ctx.meta[INNER] = path, inner
    ctx.default_map = option_defaults(ctx, path, settings, command.params, command.inputs())


def section_name(ctx: click.Context) -> str:
    """What the section of a command is called: `gate`, `study.correlation`."""
    names: list[str] = []
    here: click.Context | None = ctx
    while here is not None and here.parent is not None:
        names.insert(0, here.info_name or "")
        here = here.parent
    return ".".join(names)


def option_defaults(
    ctx: click.Context,
    config_path: str,
    settings: Mapping[str, Any],
    params: Iterable[click.Parameter],
    input_path_fields: Iterable[Field] = (),
    message_prefix: str = "",
) -> dict[str, Any]:
    """The values of a section, by the names of parameters.

    Args:
        ctx: of the command; keeps tables and paths.
        config_path: the file.
        settings: the section.
        params: those that may be set; options alone are.
        input_path_fields: those that no option gives.
        message_prefix: what messages begin with.
    """
    options = {str(p.name): p for p in params if isinstance(p, SectionOption) and p.is_configurable}
    input_names = {field.name for field in input_path_fields}
    option_names = {config.normal_key(name): name for name in (*options, *input_names)}
    for name, option in options.items():
        longs = (spelling[2:] for spelling in option.opts if spelling.startswith("--"))
        option_names |= {config.normal_key(long): name for long in longs}
    defaults: dict[str, Any] = {}
    by_option = config.settings_by_option(config_path, settings, option_names, message_prefix)
    for name, (key, value) in by_option.items():
        if name in input_names:
            if not isinstance(value, str):
                raise config.settings_error(config_path, f"{message_prefix}{key}: must be a path")
            ctx.meta.setdefault(PATHS, {})[name] = config.path_from_here(
                config_path, value, "always", ()
            )
            continue
        try:
            defaults[name] = _option_default(ctx, config_path, options[name], value)
        except (ValueError, click.UsageError, IrevError) as error:
            message = error.message if isinstance(error, click.UsageError) else str(error)
            separator = " " if message.startswith("must be") else ": "
            is_table = message == "must be a table of numbers"
            hint = f'{key} = {{"ndcg@10" = 0.4}}' if is_table else ""
            raise config.settings_error(
                config_path, f"{message_prefix}{key}{separator}{message}", hint
            ) from None
    return defaults


def _option_default(
    ctx: click.Context, config_path: str, option: SectionOption, toml_value: Any
) -> Any:
    """A value of the file as the command line would have it, checked by the option."""
    texts = config.command_line_value(
        toml_value,
        takes_list=option.multiple,
        is_flag=bool(option.is_flag),
        is_table=option.is_table,
    )
    if isinstance(texts, bool):
        return texts
    texts = [
        config.path_from_here(config_path, t, option.path_kind, option.other_words) for t in texts
    ]
    if option.is_table and option.multiple:
        ctx.meta.setdefault(TABLES, {})[option.name] = texts
    default = texts if option.multiple else texts[0]
    option.type_cast_value(ctx, default)
    return default


def note_settings_file(ctx: click.Context) -> None:
    """Name the file that was read on stderr, or one that only earlier versions would have read."""
    if INNER in ctx.meta:
        voice().note(f"settings of {ctx.meta[INNER][0]}")
    elif ctx.get_parameter_source("config") is not ParameterSource.COMMANDLINE:
        file = None if ctx.resilient_parsing else config.unread_file()
        if file is not None:
            voice().note(f"{file}: not read; name it with --config {file}")


def add_settings_to_parsed_params(ctx: click.Context) -> None:
    """Add what a file says beside the command line, once this was read: paths and tables."""
    ctx.params.update(ctx.meta.get(PATHS, {}))
    for name, texts in ctx.meta.get(TABLES, {}).items():
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            own_texts = ctx.params[name]
            own_names = {
                pair.rpartition("=")[0] for text in own_texts for pair in split_limits(text)
            }
            others = [text for text in texts if text.rpartition("=")[0] not in own_names]
            ctx.params[name] = (*own_texts, *others)


def set_format_by_ending(ctx: click.Context) -> None:
    """Let the name of the output's file choose the form where none was named, or refuse the name.

    A command without forms writes a page.
    """
    path = ctx.params.get("output")
    if path in (None, "-") or ctx.resilient_parsing:
        return
    options: dict[str | None, Any] = {param.name: param for param in ctx.command.params}
    forms = options["format"].type.choices if "format" in options else ("html",)
    if options["output"].metavar == "DIR":
        if os.path.splitext(path)[1].lower() in ENDINGS and not os.path.isdir(path):
            raise UsageError(
                f"--output {path}: this is the name of a folder, without such an ending; --format "
                "has forms for standard output"
            )
        return
    form = form_of_path(path, forms)
    if form and ctx.get_parameter_source("format") is ParameterSource.DEFAULT:
        ctx.params["format"] = form
        ctx.meta[FORM_BY_ENDING] = f"--format {form}", f"--output {path}"


# --- A command, and a command of several kinds ---


class Job(HelpedCommand):
    """A command whose arguments follow getopt_long, and whose help has sections."""

    def __init__(
        self,
        name: str,
        run: Callable[..., int],
        files: str | click.Argument,
        *parts: type[OptionRecord] | RecordOptions | SectionOption,
        example: str,
        help: str = "",
        help_option: bool = True,
        inner: Sequence[str] = (),
        settings: str = "",
        strict: str = "",
        shows: str = "",
    ) -> None:
        """Make a command of a function, whose docstring is the help.

        Args:
            name: of the command.
            run: takes the files and the records, and returns the exit code.
            files: how the usage line calls the files, or the argument itself, called `files`.
            parts: the records, whole or in part, in the order in which `run` takes them; options
                of the command line alone.
            example: what stands behind "Example: " in the help.
            help: in place of the docstring of the function.
            help_option: whether `-h` and `--help` print the help.
            inner: tables within the command's section of it, which the command reads itself.
            settings: what the help says of these.
            strict: what the help says of --strict, where it is more than that warnings are errors.
            shows: options that the short help has, since guides use them, beside those of few
                commands.
        """
        if isinstance(files, str):
            files = click.Argument(
                ["files"], nargs=-1, metavar=files, shell_complete=last_piece_completer()
            )
        options = [RecordOptions(part) if isinstance(part, type) else part for part in parts]
        warning_options = RecordOptions(WarningOptions, {"strict": strict} if strict else {})
        more = [help_all_option(SETTINGS)] if help_option else []
        config = config_option(settings)
        super().__init__(
            name,
            params=[files, *params_of(*options, warning_options, *more), config],
            help=help or run.__doc__,
            epilog=f"Example{'s' * (';  ' in example)}: {example}",
            add_help_option=help_option,
            context_settings=HELP_NAMES,
        )
        for option in self.params:
            if isinstance(option, SectionOption):
                option.in_short_help |= not {*shows.split()}.isdisjoint(option.opts)
        self.run, self.inner = run, inner
        self.record_options = [part for part in options if isinstance(part, RecordOptions)]

    def inputs(self) -> list[Field]:
        """The paths that no option gives, but a configuration file can."""
        records = [each.record for each in self.record_options]
        fields = [field for record in records for field in record.fields().values()]
        return [field for field in fields if field.opt.file and not field.opt.names]

    def records(self, ctx: click.Context) -> list[Any]:
        """The records, made of what was given."""
        return [each.make_record(ctx.params) for each in self.record_options]

    def invoke(self, ctx: click.Context) -> Any:
        """Make the records, and run."""
        if ctx.params.get("measures") and ctx.params["files"]:
            # a word behind `-m NAME` that is no file but another measure
            word = ctx.params["files"][0]
            if not _is_file(word) and _is_measure(word):
                text = "a measure, not a file: give each measure its -m, or write -m map,P@10"
                raise click.UsageError(f"'{word}' is {text}", ctx)
        stream = None if ctx.obj.quiet else sys.stderr
        try:
            with show_progress(stream, terminal_columns):
                return self.run(ctx.params["files"], *self.records(ctx))
        except UsageError as error:
            if FORM_BY_ENDING in ctx.meta:  # nobody wrote --format
                error.args = (str(error).replace(*ctx.meta[FORM_BY_ENDING]),)
            raise
        finally:
            ctx.obj.tell_suppressed_counts()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the arguments in order before click reads them."""
        try:
            options, files, unfinished, _ = arrange(args, self.get_params(ctx))
            # of an unfinished option click says what is wrong, or completes it
            ctx.meta[ARGUMENTS] = args
            rest = super().parse_args(ctx, options if unfinished else [*options, "--", *files])
        except click.UsageError as error:
            # click does not always say whose usage it is
            error.ctx = error.ctx or ctx
            name = error.option_name if isinstance(error, click.NoSuchOption) else ""
            own_names = {spelling for param in self.params for spelling in param.opts}
            meanings = _OPTIONS_OF_TREC_EVAL.get(name, {})
            of_trec_eval = (meanings[own] for own in meanings if own in own_names)
            meant = next(of_trec_eval, _OPTIONS_MEANT.get(name, ""))
            if not meant:
                raise
            raise click.UsageError(f"no such option '{name}': {meant}", ctx) from None
        ctx.obj = Voice(strict=bool(ctx.params["strict"]), quiet=bool(ctx.params["quiet"]))
        note_settings_file(ctx)
        add_settings_to_parsed_params(ctx)
        if any("=" in word for word in ctx.params["files"]):
            from irev.read.inputs import named_runs

            ctx.params["files"] = named_runs(ctx.params["files"])
        set_format_by_ending(ctx)
        return rest

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The usage line, with the default command's name as one that can be left out."""
        path = "irev [eval]" if self.name == DEFAULT else ctx.command_path
        formatter.write_usage(path, " ".join(self.collect_usage_pieces(ctx)))


class Kinds(click.Group):
    """A command whose kinds are imported when one is called."""

    context_class = WideContext

    def __init__(self, name: str, kinds: Mapping[str, LazyCommand], help: str) -> None:
        super().__init__(name, help=help, subcommand_metavar="KIND ...", options_metavar="")
        self.kinds = kinds

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """All that print the page; older versions of click lose the order of a setting."""
        return [*_GROUP_HELP_NAMES]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the kinds, in the order of their declaration."""
        return list(self.kinds)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a kind."""
        return _import_command(self.kinds, cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Bring the kind to the front; refuse to go on without one."""
        args = _options_of_words(args)
        if not args and not ctx.resilient_parsing:
            raise click.UsageError(f"choose one of {', '.join(self.kinds)}", ctx)
        arranged = _bring_name_first(self, ctx, args)
        if not arranged and args:
            # these name no kind: the help that they ask for, or what may be meant first
            before = _arguments_up_to_dashes(args)
            words = [n for n, word in enumerate(before) if not word.startswith("-")]
            near = [n for n in words if _nearest_name_hint(args[n], self.kinds)]
            arranged = [word for word in args if word in _GROUP_HELP_NAMES][:1]
            arranged = arranged or _move_to_front(args, [*near, *words, 0][0])
        return super().parse_args(ctx, arranged or args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the kind that is named, or say which is near."""
        if args and args[0] not in self.kinds and not ctx.resilient_parsing:
            near = _nearest_name_hint(args[0], self.kinds)
            hint = near or f"; the kinds are {', '.join(self.kinds)}"
            raise click.UsageError(f"irev {self.name} has no kind '{args[0]}'{hint}", ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The kinds, without importing them."""
        from click.shell_completion import CompletionItem

        return [
            CompletionItem(name, help=kind.line)
            for name, kind in self.kinds.items()
            if name.startswith(incomplete)
        ]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A line for each kind, without importing it."""
        with formatter.section("Kinds"):
            formatter.write_dl([(name, kind.line) for name, kind in self.kinds.items()])


# --- The program: how a command is found, and how it ends ---


def _bring_name_first(group: click.Group, ctx: click.Context, args: list[str]) -> list[str] | None:
    """Arguments with the command's name, and its kind's, in front; None: there is none.

    What stands before a name has to be whole options of that command: else the word may be the
    value of one.
    """
    names = group.list_commands(ctx)
    for index, word in enumerate(_arguments_up_to_dashes(args)):
        command = group.get_command(ctx, word) if word in names else None
        if command is None:
            continue
        if index == 0:
            return args
        if isinstance(command, Kinds):
            own_args = _bring_name_first(command, ctx, [*args[:index], *args[index + 1 :]])
            if own_args is not None:
                return [word, *own_args]
            continue
        context = click.Context(command, parent=ctx, **command.context_settings)
        if are_options(args[:index], command.get_params(context)):
            return _move_to_front(args, index)
    return None


def _arguments_up_to_dashes(args: list[str]) -> list[str]:
    """The arguments before `--`: what stands behind it is a file, whatever its name."""
    return args[: args.index("--")] if "--" in args else args


def _options_of_words(args: list[str]) -> list[str]:
    """`help compare` as `compare --help`, `version` as `--version`, where no file is called so."""
    if not args or args[0] not in ("help", "version") or _is_file(args[0]):
        return args
    return [*args[1:], f"--{args[0]}"] if args[0] == "help" or len(args) == 1 else args


def _move_to_front(args: list[str], index: int) -> list[str]:
    return [args[index], *args[:index], *args[index + 1 :]]


class CommandGroup(click.Group):
    """The program: commands that are imported when they are called, one of them the default."""

    context_class = WideContext

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        return _import_command(COMMANDS, cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Bring the command to the front; without one, everything belongs to the default."""
        args = _options_of_words(args)
        return super().parse_args(ctx, self._bring_command_or_default_first(ctx, args))

    def _bring_command_or_default_first(self, ctx: click.Context, args: list[str]) -> list[str]:
        arranged_args = _bring_name_first(self, ctx, args)
        if arranged_args is not None:
            return arranged_args
        default = self.get_command(ctx, DEFAULT)
        assert default is not None  # noqa: S101 - it stands in the table
        for index, word in enumerate(_arguments_up_to_dashes(args)):
            # with options that the command lacks, which says so
            if word in COMMANDS and are_options(args[:index], default.params, unknown_too=True):
                return _move_to_front(args, index)
        files = arrange(_arguments_up_to_dashes(args), default.params).files
        if files and not ctx.resilient_parsing and not _is_file(files[0]):
            # a word that is nearly a command, or stands alone
            near = _nearest_name_hint(files[0], COMMANDS)
            if near or len(files) == 1:
                text = f"'{files[0]}' is neither a command nor an existing file{near}"
                raise click.UsageError(text)
        return [DEFAULT, *args]

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run and exit: 0 done, 2 usage or unreadable input, 3 a bug, 130 interrupted."""
        if not standalone_mode:
            return super().main(args, prog_name, standalone_mode=False, **extra)
        if COMPLETE in os.environ:
            # a command's module, which is imported by its name as all of them are
            import_module("irev.cli.completion").answer_completion(self, COMPLETE)
        try:
            with missing_packages_told():
                outcome = super().main(args, prog_name or "irev", standalone_mode=False, **extra)
        except Exception as error:
            _say_error_and_exit(error)
        sys.exit(outcome if isinstance(outcome, int) else 0)


def usage_error(message: str) -> click.UsageError:
    """The error of a command that lacks files, say; its usage is shown with it."""
    return click.UsageError(message, click.get_current_context(silent=True))


def _is_file(word: str) -> bool:
    return os.path.lexists(word) or word == "-"


def _is_measure(word: str) -> bool:
    from irev.measures.naming.resolve import resolve_names

    try:
        resolve_names([word])
    except IrevError:
        return False
    return True


def _import_command(entries: Mapping[str, LazyCommand], name: str) -> click.Command | None:
    """The command of a name; None: there is none."""
    if name not in entries:
        return None
    module, _, attribute = entries[name].location.partition(":")
    return cast("click.Command", getattr(import_module(module), attribute))


def _nearest_name_hint(word: str, entries: Mapping[str, LazyCommand]) -> str:
    """A hint at the name that may be meant."""
    from difflib import get_close_matches

    name_of_word = {name: name for name in entries}
    name_of_word |= {each: name for name, entry in entries.items() for each in entry.words.split()}
    word = word.lower()
    begun = [each for each in name_of_word if each.startswith(word)]
    near = begun or get_close_matches(word, name_of_word, n=1, cutoff=0.6)
    return f"; did you mean '{name_of_word[near[0]]}'?" if near else ""


def _say_error_and_exit(error: Exception) -> NoReturn:
    """Say what happened, and exit with its code: 130 interrupted, 2 usage or an input, 3 a bug."""
    if isinstance(error, click.Abort):
        sys.exit(130)
    if isinstance(error, IrevError):
        say_error(error)
        sys.exit(error.exit_code)
    if isinstance(error, click.ClickException):
        context = error.ctx if isinstance(error, click.UsageError) else None
        if context is not None:
            write_line_to_stderr(context.get_usage())
        text = error.format_message()
        if isinstance(error, click.NoSuchOption):
            # the same words with every version of click
            near = error.possibilities or ()
            hint = f"; did you mean '{near[0]}'?" if near else ""
            text = f"no such option '{error.option_name}'{hint}"
        say(error_text(text))
        say(f"Try '{'irev' if context is None else context.command_path} --help'.")
        sys.exit(2)
    what = f"{type(error).__name__}: {' '.join(str(error).split())}"
    if _is_machine_limit(error):
        say(f"irev: error: the machine has not enough memory, files or threads left: {what}")
        sys.exit(2)
    say(f"irev: this is a bug in irev: {what} (IREV_TRACEBACK=1 shows where)")
    if os.environ.get("IREV_TRACEBACK"):
        import traceback

        traceback.print_exception(error)
    sys.exit(3)


def _is_machine_limit(error: Exception) -> bool:
    """Whether the machine, or a limit of it, is at an end; libraries say so in many ways."""
    if isinstance(error, OSError):
        return error.errno in {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}
    signs = ("start new thread", "worker thread", "allocate memory", "failed to map")
    return isinstance(error, MemoryError) or any(sign in str(error) for sign in signs)


irev = CommandGroup("irev", add_help_option=False, no_args_is_help=False)
