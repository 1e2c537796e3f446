"""`--config`: what a TOML file says stands where the command line says nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import click
from click.core import ParameterSource

from irev import config
from irev.cli.arguments import SectionOption
from irev.cli.options import SETTINGS, last_piece_completer
from irev.cli.output import voice
from irev.core.option_records import Field
from irev.core.text import split_limits
from irev.errors import IrevError

TABLES, PATHS, INNER = "irev.tables", "irev.paths", "irev.inner"
"""Where a context keeps what click cannot: tables that the command line may add to, paths that no
option gives, the file and the tables within its section."""

ARGUMENTS = "irev.arguments"
"""Where it keeps the arguments, in order."""


def config_option(help_of_section: str = "") -> SectionOption:
    """`--config`; its help says what else a command's section can hold."""
    return SectionOption(
        "--config", metavar="FILE", section=SETTINGS, is_eager=True, expose_value=False,
        callback=_read_config_if_named, in_short_help=False, shell_complete=last_piece_completer(),
        help="Read options that are not given here from a TOML file, from the section of this "
        f"command. Keys are the names of the options.{help_of_section}",
    )  # fmt: skip


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
