"""Arguments as getopt_long takes them: options and files in any order, long options cut short."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence


class SectionOption(click.Option):
    """An option that belongs to a section of the help.

    Where a shortened long name fits several options, those of trec_eval are meant: scripts that
    shorten them go on working. Options stand by rising `help_order`.
    """

    def __init__(
        self,
        *names: str,
        section: str = "Options",
        from_trec_eval: bool = False,
        help_order: int = 0,
        file: str = "",
        words: Collection[str] = (),
        is_table: bool = False,
        privileged: bool = False,
        in_short_help: bool = True,
        **facts: object,
    ) -> None:
        """Keep what click does not know.

        Args:
            names: the spellings, and the parameter's name.
            section: of the help.
            from_trec_eval: whether it is one of trec_eval's.
            help_order: its place in the help.
            file: whether a value is a path, as `option_records.Opt` says it.
            words: that a value can be instead of a path.
            is_table: whether a configuration file has a table of numbers for it.
            privileged: whether it executes, writes, or trusts what a submission brings.
            in_short_help: whether the short help has it.
            facts: the rest is click's.
        """
        super().__init__(names, **facts)  # type: ignore[arg-type]
        self.section, self.from_trec_eval, self.help_order = section, from_trec_eval, help_order
        self.file, self.in_short_help = file, in_short_help
        self.words, self.is_table, self.privileged = words, is_table, privileged
        self.is_configurable = self.expose_value and self.name != "help"


class Spellings:
    """How a command's options may be spelled."""

    def __init__(self, params: Iterable[click.Parameter]) -> None:
        self.takes_value: dict[str, bool] = {}
        self._from_trec_eval: set[str] = set()
        self._forms: tuple[str, ...] = ()
        for param in params:
            if isinstance(param, click.Option):
                if "--format" in param.opts and isinstance(param.type, click.Choice):
                    self._forms = tuple(param.type.choices)
                for name in param.opts:
                    self.takes_value[name] = not (param.is_flag or param.count)
                if getattr(param, "from_trec_eval", False):
                    self._from_trec_eval.update(param.opts)

    def full(self, name: str) -> str:
        """The long name that a name or an unambiguous beginning of one stands for.

        A name that fits none is returned as it is.
        """
        if name in self.takes_value:
            return name
        if name[2:] in self._forms:
            raise click.UsageError(f"no such option '{name}': write --format {name[2:]}")
        fitting = [known for known in self.takes_value if known.startswith(name)]
        fitting = [known for known in fitting if known in self._from_trec_eval] or fitting
        if "--help" in fitting:
            return "--help"
        if len(fitting) > 1:
            raise click.UsageError(f"option '{name}' is ambiguous: {', '.join(fitting)}")
        return fitting[0] if fitting else name


class Arranged(NamedTuple):
    """Arguments in order."""

    options: list[str]
    """Options with their values, long names in full."""
    files: list[str]
    unfinished: bool
    """Whether the last option lacks its value."""


def arrange(arguments: Sequence[str], params: Iterable[click.Parameter]) -> Arranged:
    """Tell options and files apart.

    `--` ends the options; a lone `-` is a file. What is wrong with an option is left for click to
    say.
    """
    spellings = Spellings(params)
    waiting = deque(arguments)
    options: list[str] = []
    files: list[str] = []
    wants_value = False
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
            name = spellings.full(name)
            options.append(name + equals + value)
            wants_value = not equals and spellings.takes_value.get(name, False)
        else:
            options.append(argument)
            wants_value = _cluster_wants_value(argument, spellings.takes_value)
        if wants_value and waiting:
            options.append(waiting.popleft())
            wants_value = False
    return Arranged(options, files, wants_value)


def _cluster_wants_value(cluster: str, takes_value: Mapping[str, bool]) -> bool:
    """Whether the first option in `-qcm` that takes a value stands last."""
    for place, letter in enumerate(cluster[1:], 2):
        if takes_value.get(f"-{letter}", False):
            return place == len(cluster)
    return False
