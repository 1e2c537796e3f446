"""Arguments as getopt_long takes them: options and files in any order, long options cut short."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence


class SectionOption(click.Option):
    """An option that belongs to a section of the help.

    Where a shortened long name fits several options, those of trec_eval, which has `elder` ones,
    are meant: scripts that shorten them go on working. Options stand by rising `place`.
    """

    def __init__(
        self,
        *names: str,
        section: str = "Options",
        elder: bool = False,
        place: int = 0,
        file: str = "",
        words: Collection[str] = (),
        is_table: bool = False,
        acts: bool = False,
        daily: bool = True,
        **facts: object,
    ) -> None:
        """Keep what click does not know.

        Args:
            names: the spellings, and the parameter's name.
            section: of the help.
            elder: whether it is one of trec_eval's.
            place: in the help.
            file: whether a value is a path, as `records.Opt` says it.
            words: that a value can be instead of a path.
            is_table: whether a configuration file has a table of numbers for it.
            acts: whether it executes, writes, or trusts what a submission brings.
            daily: whether the short help has it.
            facts: the rest is click's.
        """
        super().__init__(names, **facts)  # type: ignore[arg-type]
        self.section, self.elder, self.place = section, elder, place
        self.file, self.daily = file, daily
        self.words, self.is_table, self.acts = words, is_table, acts
        self.is_configurable = self.expose_value and self.name != "help"


class Spellings:
    """How a command's options may be spelled."""

    def __init__(self, params: Iterable[click.Parameter]) -> None:
        self.takes_value: dict[str, bool] = {}
        self._elder: set[str] = set()
        self._forms: tuple[str, ...] = ()
        for param in params:
            if isinstance(param, click.Option):
                if "--format" in param.opts and isinstance(param.type, click.Choice):
                    self._forms = tuple(param.type.choices)
                for name in param.opts:
                    self.takes_value[name] = not (param.is_flag or param.count)
                if getattr(param, "elder", False):
                    self._elder.update(param.opts)

    def full(self, name: str) -> str:
        """The long name that a name or an unambiguous beginning of one stands for.

        A name that fits none is returned as it is.
        """
        if name in self.takes_value:
            return name
        if name[2:] in self._forms:
            raise click.UsageError(f"no such option '{name}': write --format {name[2:]}")
        fitting = [known for known in self.takes_value if known.startswith(name)]
        fitting = [known for known in fitting if known in self._elder] or fitting
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
