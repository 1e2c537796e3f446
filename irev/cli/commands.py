"""The commands, and what is the same for all: how one is found, and how the program ends."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn, cast

import click

from irev.cli.arguments import SectionOption, arrange
from irev.cli.options import Heard, Taken, parameters_of
from irev.cli.output import Voice, say, say_error, say_lines, terminal_columns
from irev.cli.settings import ARGUMENTS, add_settings, config_option
from irev.errors import IrevError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from irev.core.records import Field, Record

COMMANDS = {
    "eval": ("irev.cli.evaluate:command", "Evaluate runs against relevance judgments."),
    "measures": ("irev.cli.measures:command", "List the measures, or tell all about one."),
    "explain": ("irev.cli.explain:command", "Show how a score comes about, rank by rank."),
    "compare": ("irev.cli.compare:command", "Set runs against each other: intervals and tests."),
    "gate": ("irev.cli.gate:command", "Let a run pass or stop it: limits and regressions."),
    "check": ("irev.cli.check:command", "Find what is wrong or suspicious in runs and qrels."),
    "leaderboard": ("irev.cli.leaderboard:command", "Score many submissions; put them in order."),
    "pool": ("irev.cli.pool:command", "Make the list to be judged; show what pooling owes whom."),
    "sample": ("irev.cli.sample:command", "Thin judgments, or the collection under them."),
    "study": ("irev.cli.study:command", "Experiments about measures, runs and judgments."),
    "plot": ("irev.cli.plot:command", "Draw figures of runs."),
}
"""Command -> (where it is, as `module:attribute`; one line for the help)."""

DEFAULT = "eval"
"""The command that is meant where none is named."""

USAGE, BUG, INTERRUPTED = 2, 3, 130


class _Context(click.Context):
    """A call, whose help is as wide as click makes it, without what click imports for that."""

    def make_formatter(self) -> click.HelpFormatter:
        """A writer of help."""
        width = click.formatting.FORCED_WIDTH
        return self.formatter_class(width=width or max(min(terminal_columns(), 80) - 2, 50))


class Job(click.Command):
    """A command whose arguments follow getopt_long, and whose help has sections."""

    context_class = _Context

    def __init__(
        self,
        name: str,
        run: Callable[..., int],
        files: str | click.Argument,
        *parts: type[Record] | Taken | SectionOption,
        example: str,
        help_option: bool = True,
        finds: bool = True,
        inner: Sequence[str] = (),
        settings: str = "",
        strict: str = "",
    ) -> None:
        """Make a command of a function, whose docstring is the help.

        Args:
            name: of the command.
            run: takes the files and the records, and returns the exit code.
            files: how the usage line calls the files, or the argument itself, called `files`.
            parts: the records, whole or in part, in the order in which `run` takes them; options
                of the command line alone.
            example: what stands behind "Example: " in the help.
            help_option: whether `-h` and `--help` print the help.
            finds: whether a configuration file is looked for where none is named.
            inner: tables within the command's section of it, which the command reads itself.
            settings: what the help says of these.
            strict: what the help says of --strict, where it is more than that warnings are errors.
        """
        if isinstance(files, str):
            files = click.Argument(["files"], nargs=-1, metavar=files)
        known = [Taken(part) if isinstance(part, type) else part for part in parts]
        heard = Taken(Heard, say={"strict": strict} if strict else {})
        config = config_option(finds=finds, more=settings)
        super().__init__(
            name,
            params=[files, *parameters_of(*known, heard), config],
            help=run.__doc__,
            epilog=f"Example{'s' * (';  ' in example)}: {example}",
            add_help_option=help_option,
            context_settings={"help_option_names": ["-h", "--help"]},
        )
        self._run, self.finds, self.inner = run, finds, inner
        self.taken = [part for part in known if isinstance(part, Taken)]

    def inputs(self) -> list[Field]:
        """The paths that no option gives, but a configuration file can."""
        fields = [field for taken in self.taken for field in taken.record.fields().values()]
        return [field for field in fields if field.opt.file and not field.opt.names]

    def records(self, ctx: click.Context) -> list[Any]:
        """The records, made of what was given."""
        return [taken.made(ctx.params) for taken in self.taken]

    def invoke(self, ctx: click.Context) -> Any:
        """Make the records, and run."""
        try:
            return self._run(ctx.params["files"], *self.records(ctx))
        finally:
            ctx.obj.end()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the arguments in order before click reads them."""
        options, files, unfinished = arrange(args, self.params)
        # of an unfinished option click says what is wrong, or completes it
        ctx.meta[ARGUMENTS] = args
        rest = super().parse_args(ctx, options if unfinished else [*options, "--", *files])
        ctx.obj = Voice(strict=bool(ctx.params["strict"]), quiet=bool(ctx.params["quiet"]))
        add_settings(ctx)
        return rest

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The usage line, with the default command's name as one that can be left out."""
        path = "irev [eval]" if self.name == DEFAULT else ctx.command_path
        formatter.write_usage(path, " ".join(self.collect_usage_pieces(ctx)))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One list of options for each section, in the order of their declaration."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if isinstance(param, SectionOption) and record is not None:
                sections.setdefault(param.section, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, where none needs to be named, and the command's own last words."""
        if self.name == DEFAULT:
            with formatter.section("Commands"):
                formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])
        super().format_epilog(ctx, formatter)


class Kinds(click.Group):
    """A command whose kinds are imported when one is called."""

    context_class = _Context

    def __init__(self, name: str, kinds: Mapping[str, tuple[str, str]], help: str) -> None:
        """Keep the kinds: name -> (where its command is, as `module:attribute`; one line)."""
        super().__init__(
            name, help=help, subcommand_metavar="KIND ...", options_metavar="",
            context_settings={"help_option_names": ["-h", "--help"]},
        )  # fmt: skip
        self._kinds = kinds

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the kinds, in the order of their declaration."""
        return list(self._kinds)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a kind."""
        if cmd_name not in self._kinds:
            return None
        module, _, attribute = self._kinds[cmd_name][0].partition(":")
        return cast("click.Command", getattr(import_module(module), attribute))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse to go on without a kind."""
        if not args:
            raise click.UsageError(f"name a kind: {', '.join(self._kinds)}", ctx)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the kind that is named, or say which is near."""
        if args and args[0] not in self._kinds:
            from difflib import get_close_matches

            near = get_close_matches(args[0], self._kinds, n=1, cutoff=0.5)
            hint = f"; did you mean '{near[0]}'?" if near else f": {', '.join(self._kinds)}"
            raise click.UsageError(f"irev {self.name} has no kind '{args[0]}'{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A line for each kind, without importing it."""
        with formatter.section("Kinds"):
            formatter.write_dl([(name, line) for name, (_, line) in self._kinds.items()])


class CommandGroup(click.Group):
    """The program: commands that are imported when they are called, one of them the default."""

    context_class = _Context

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        return cast("click.Command", getattr(import_module(module), attribute))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Bring the command to the front; without one, everything belongs to the default."""
        return super().parse_args(ctx, self._with_command_first(ctx, args))

    def _with_command_first(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] in COMMANDS:
            return args
        default = self.get_command(ctx, DEFAULT)
        assert default is not None  # noqa: S101 - it stands in the table
        # what stands behind `--` is a file, whatever its name
        end = args.index("--") if "--" in args else len(args)
        options, files, _ = arrange(args[:end], default.params)
        if not files:
            return [DEFAULT, *args]
        if files[0] in COMMANDS:
            return [files[0], *files[1:], *options, *args[end:]]
        _mind_misspelling(files[0])
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
        try:
            outcome = super().main(args, prog_name or "irev", standalone_mode=False, **extra)
        except Exception as error:
            _end(error)
        sys.exit(outcome if isinstance(outcome, int) else 0)


def misused(wanted: str) -> click.UsageError:
    """The error of a command that was called without what it wants; its usage is shown with it."""
    return click.UsageError(wanted, click.get_current_context(silent=True))


def _mind_misspelling(word: str) -> None:
    """A word that is no file but nearly a command."""
    if os.path.lexists(word) or word == "-":
        return
    from difflib import get_close_matches

    near = get_close_matches(word, COMMANDS, n=1, cutoff=0.6)
    if near:
        raise click.UsageError(
            f"there is no command and no file '{word}'; did you mean '{near[0]}'?"
        )


def _end(error: Exception) -> NoReturn:
    """Say what happened, and exit with its code."""
    if isinstance(error, click.Abort):
        sys.exit(INTERRUPTED)
    if isinstance(error, IrevError):
        say_error(error)
        sys.exit(error.exit_code)
    if isinstance(error, click.ClickException):
        context = error.ctx if isinstance(error, click.UsageError) else None
        if context is not None:
            say_lines(context.get_usage())
        say(f"irev: error: {error.format_message()}")
        say(f"Try '{_path(context)} --help'.")
        sys.exit(USAGE)
    what = f"{type(error).__name__}: {' '.join(str(error).split())}"
    if _is_machines(error):
        say(f"irev: error: the machine has not enough memory, files or threads left: {what}")
        sys.exit(USAGE)
    say(f"irev: this is a bug in irev: {what} (IREV_TRACEBACK=1 shows where)")
    if os.environ.get("IREV_TRACEBACK"):
        import traceback

        traceback.print_exception(error)
    sys.exit(BUG)


def _is_machines(error: Exception) -> bool:
    """Whether the machine, or a limit of it, is at an end; libraries say so in many ways."""
    import errno

    if isinstance(error, OSError):
        return error.errno in {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}
    return isinstance(error, MemoryError) or any(
        said in str(error)
        for said in ("start new thread", "worker thread", "allocate memory", "failed to map")
    )


def _path(context: click.Context | None) -> str:
    """How the command is called that a mistake was made with."""
    if context is None or context.info_name == DEFAULT:
        return "irev"
    return context.command_path


irev = CommandGroup("irev", add_help_option=False, no_args_is_help=False)
