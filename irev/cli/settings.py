"""`--config`: what a TOML file says stands where the command line says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from irev import config
from irev.cli.arguments import SectionOption
from irev.cli.options import SETTINGS, completing
from irev.cli.output import voice
from irev.errors import IrevError, UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from irev.core.option_records import Field

TABLES, PATHS, INNER, NO_CONFIG = "irev.tables", "irev.paths", "irev.inner", "irev.no-config"
NOTICES = "irev.notices"
"""Where a context keeps what click cannot: tables that the command line may add to, paths that no
option gives, the file and the tables within its section, whether no file is wanted, warnings."""

ARGUMENTS = "irev.arguments"
"""Where it keeps the arguments, in order."""


def config_option(*, finds: bool, more: str = "") -> SectionOption:
    """The option of a command.

    Args:
        finds: whether a file is looked for where none is named.
        more: what else a file can say for the command.
    """
    default = (
        " Default: the nearest irev.toml or pyproject.toml with this section, up to the root of "
        "the repository. none reads no file."
        if finds
        else " Default: no file."
    )
    return SectionOption(
        "--config", metavar="FILE|none", section=SETTINGS, is_eager=True, expose_value=False,
        callback=_configure, in_short_help=False, shell_complete=completing(),
        help="Read options that are not given here from a TOML file, from the section of this "
        f"command. Keys are the names of the options.{more}{default}",
    )  # fmt: skip


def no_config() -> SectionOption:
    """`--config none` as the gate has always spelled it."""

    def refuse(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted and ctx.default_map is not None:
            raise UsageError("--config and --no-config contradict each other")
        ctx.meta[NO_CONFIG] = wanted

    return SectionOption(
        "--no-config", is_flag=True, section=SETTINGS, is_eager=True, expose_value=False,
        callback=refuse, in_short_help=False, help="Same as --config none.",
    )  # fmt: skip


def _configure(ctx: click.Context, _: click.Parameter, path: str | None) -> None:
    """Let a file say what the command line does not."""
    if ctx.resilient_parsing or ctx.default_map is not None or path == config.NONE:
        return
    if ctx.meta.get(NO_CONFIG):
        if path is not None:
            raise UsageError("--config and --no-config contradict each other")
        return
    command: Any = ctx.command
    section, known = section_of(ctx), _sections(ctx)
    if path is None:
        warn = ctx.meta.setdefault(NOTICES, []).append
        path = config.find(section, known, warn) if command.finds else None
        if path is None:
            return
    table = config.table(path, section, known)
    if table is None:
        raise config.problem(path, f"this file has no table [{config.place(path, section)}]")
    ctx.meta[INNER] = path, {name: table.pop(name) for name in command.inner if name in table}
    ctx.default_map = defaults(ctx, path, table, command.params, command.inputs())


def section_of(ctx: click.Context) -> str:
    """What the section of a command is called: `gate`, `study.correlation`."""
    names: list[str] = []
    here: click.Context | None = ctx
    while here is not None and here.parent is not None:
        names.insert(0, here.info_name or "")
        here = here.parent
    return ".".join(names)


def _sections(ctx: click.Context) -> config.Known:
    """What sections there are: a command's, and those of its kinds within."""
    program = ctx.find_root().command

    def known(inside: str) -> Collection[str]:
        group: click.Command | None = program
        if inside and isinstance(program, click.Group):
            group = program.get_command(ctx, inside)
        return group.list_commands(ctx) if isinstance(group, click.Group) else ()

    return known


def defaults(
    ctx: click.Context,
    path: str,
    table: Mapping[str, Any],
    params: Iterable[click.Parameter],
    inputs: Iterable[Field] = (),
    where: str = "",
) -> dict[str, Any]:
    """The values of a section, by the names of parameters.

    Args:
        ctx: of the command.
        path: the file.
        table: the section.
        params: those that may be set; options alone are.
        inputs: paths that no option gives.
        where: what messages begin with.
    """
    is_found = ctx.get_parameter_source("config") is not ParameterSource.COMMANDLINE
    options = {str(p.name): p for p in params if isinstance(p, SectionOption) and p.is_configurable}
    paths = {field.name: field for field in inputs}
    known = {config.spelled(name): name for name in (*options, *paths)}
    for name, option in options.items():
        known |= {config.spelled(opt[2:]): name for opt in option.opts if opt.startswith("--")}
    found: dict[str, Any] = {}
    for name, (key, value) in config.by_option(path, table, known, where).items():
        if name in paths:
            if not isinstance(value, str):
                raise config.problem(path, f"{where}{key}: must be a path")
            ctx.meta.setdefault(PATHS, {})[name] = config.placed(path, value, "always", ())
            continue
        if is_found and options[name].privileged:
            raise config.problem(
                path,
                f"{where}{key}: a settings file that irev finds by itself may not run code, write "
                "files or trust scores and links",
                f"say {options[name].opts[0]} on the command line, or --config {path}",
            )
        try:
            found[name] = _default(ctx, path, options[name], value)
        except (ValueError, click.UsageError, IrevError) as error:
            said = error.message if isinstance(error, click.UsageError) else str(error)
            is_shape = str(error).startswith("must be")
            hint = f'{key} = {{"ndcg@10" = 0.4}}' if said == "must be a table of numbers" else ""
            separator = " " if is_shape else ": "
            raise config.problem(path, f"{where}{key}{separator}{said}", hint) from None
    return found


def _default(ctx: click.Context, path: str, option: SectionOption, value: Any) -> Any:
    """A value, as the command line would have it."""
    texts = config.as_texts(
        value, takes_list=option.multiple, is_flag=bool(option.is_flag), is_table=option.is_table
    )
    if isinstance(texts, bool):
        return texts
    texts = [config.placed(path, text, option.file, option.words) for text in texts]
    if option.is_table:
        ctx.meta.setdefault(TABLES, {})[option.name] = texts
    found = texts if option.multiple else texts[0]
    option.type_cast_value(ctx, found)
    return found


def add_settings(ctx: click.Context) -> None:
    """Add what a file says beside the command line, once this was read, and name the file."""
    voice().heed(ctx.meta.get(NOTICES, ()))
    if INNER in ctx.meta:
        voice().note(f"settings of {ctx.meta[INNER][0]}")
    ctx.params.update(ctx.meta.get(PATHS, {}))
    for name, texts in ctx.meta.get(TABLES, {}).items():
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            given = ctx.params[name]
            named = {text.rpartition("=")[0] for text in given}
            others = [text for text in texts if text.rpartition("=")[0] not in named]
            ctx.params[name] = (*given, *others)
