"""Arguments as getopt_long takes them: options and files in any order, long options cut short."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple

import click

from irev.core.option_records import PathKind
from irev.errors import UsageError

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
        return super().type_cast_value(ctx, value)

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
    from irev.engine.answers import read_judged_answers

    if files[0] == "-":
        raise UsageError("judgments on standard input (-) are read once: name the runs")
    return [*files, *read_judged_answers(files[0], qrels_format).run_names]


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
