"""Settings in a TOML file: `[NAME]` of irev.toml, or `[tool.irev.NAME]` of pyproject.toml.

A command has the section of its name, a kind of study or plot one within: `[gate]`,
`[study.correlation]`. Keys are the names of options, with dashes or underscores; paths are relative
to the file. A file is read only where `--config` names it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from irev.core.option_records import PathKind
from irev.errors import InputError, Problem

SectionLister = Callable[[str], Collection[str]]
"""The sections within a section; within "" those of the file, within others often none."""

IREV_TOML, PYPROJECT = "irev.toml", "pyproject.toml"


def unread_file() -> str | None:
    """The settings file in the current directory, which earlier versions read without --config."""
    if os.path.isfile(IREV_TOML):
        return IREV_TOML
    if os.path.isfile(PYPROJECT):
        try:
            with open(PYPROJECT, "rb") as stream:
                return PYPROJECT if b"[tool.irev" in stream.read() else None
        except OSError:
            pass
    return None


def read_section(path: str, section: str, section_names: SectionLister) -> dict[str, Any] | None:
    """The settings of a section of a file; None where it has none."""
    import tomllib

    from irev.read.stream import read_all

    try:
        table: Any = tomllib.loads(read_all(path).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise settings_error(path, f"this is not valid TOML: {error}") from None
    if _has_zero_byte(table):
        raise settings_error(path, "a text holds a zero byte (\\u0000)", "take it out")
    if os.path.basename(path) == PYPROJECT:
        tool = table.get("tool")
        table = tool.get("irev", {}) if isinstance(tool, dict) else {}
    _refuse_unknown_sections(path, "", table, section_names)
    for name in section.split("."):
        table = table.get(name) if isinstance(table, dict) else None
    return dict(table) if isinstance(table, dict) else None


def _has_zero_byte(value: Any) -> bool:
    """Whether a text in a value does, which no path or name can."""
    if isinstance(value, dict):
        return any(map(_has_zero_byte, (*value, *value.values())))
    if isinstance(value, list):
        return any(map(_has_zero_byte, value))
    return isinstance(value, str) and "\0" in value


def _refuse_unknown_sections(
    path: str, parent_section: str, table: Any, section_names: SectionLister
) -> None:
    names = section_names(parent_section)
    if not names or not isinstance(table, dict):
        return
    for name, value in table.items():
        if name not in names or not isinstance(value, dict):
            title = section_title(path, f"{parent_section}.{name}".lstrip("."))
            hint = nearest_name_hint(name, names)
            if name == "tool" and isinstance(value, dict) and "irev" in value:
                hint = "[tool.irev.gate] is for pyproject.toml; in other files write [gate]"
            raise settings_error(path, f"unknown section [{title}]", hint)
        _refuse_unknown_sections(path, name, value, section_names)


def section_title(path: str, section: str) -> str:
    """What a section is called in a file."""
    return f"tool.irev.{section}" if os.path.basename(path) == PYPROJECT else section


def normal_key(key: str) -> str:
    """A key in lower case and with dashes."""
    return key.lower().replace("_", "-")


def settings_by_option(
    path: str,
    settings: Mapping[str, Any],
    option_names: Mapping[str, str],
    message_prefix: str = "",
) -> dict[str, tuple[str, Any]]:
    """The settings of a section by option: the key as it is written, and its value.

    Args:
        path: the file, for messages.
        settings: the section.
        option_names: `normal_key` -> the name of its option.
        message_prefix: what messages begin with.
    """
    by_option: dict[str, tuple[str, Any]] = {}
    for key, value in settings.items():
        name = option_names.get(normal_key(key))
        if name is None:
            hint = nearest_name_hint(normal_key(key), option_names)
            raise settings_error(path, f"{message_prefix}unknown key '{key}'", hint)
        if name in by_option:
            message = f"{message_prefix}'{key}' sets the same option as another key"
            raise settings_error(path, message, "keep one of the two")
        by_option[name] = key, value
    return by_option


def nearest_name_hint(word: str, names: Iterable[str]) -> str:
    """A hint at the name that may be meant; empty: none is near."""
    from difflib import get_close_matches

    near = get_close_matches(word, [*names], n=1)
    return f"did you mean '{near[0]}'?" if near else ""


def command_line_value(
    value: Any, *, takes_list: bool, is_flag: bool, is_table: bool
) -> list[str] | bool:
    """A value as the command line would have it.

    Args:
        value: as TOML has it.
        takes_list: whether the option may be repeated.
        is_flag: whether it is true or false.
        is_table: whether it is a table of numbers, for texts such as NAME=X; without a list it may
            be one, of numbers or texts.
    """
    if is_table and not takes_list and isinstance(value, dict):
        if not all(isinstance(each, str) or _is_number(each) for each in value.values()):
            raise ValueError("must be a table of texts or numbers")
        return [",".join(f"{name}={each}" for name, each in value.items())]
    if is_table and takes_list:
        if not isinstance(value, dict) or not all(map(_is_number, value.values())):
            raise ValueError("must be a table of numbers")
        return [f"{name}={number!r}" for name, number in value.items()]
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str | int | float) for each in values):
        raise ValueError("must be text, a number, true or false, or a list of these")
    if is_flag != all(isinstance(each, bool) for each in values):
        raise ValueError(
            "must be true or false" if is_flag else "must be text or a number, not true or false"
        )
    if len(values) != 1 and not takes_list:
        raise ValueError("must be a single value")
    return bool(values[0]) if is_flag else [str(each) for each in values]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def path_from_here(
    config_path: str, value: str, path_kind: PathKind, other_words: Collection[str]
) -> str:
    """A value of a file; where it is a path, as seen from the current directory.

    Args:
        config_path: the file that it stands in.
        value: a text.
        path_kind: as `Opt.file`.
        other_words: what it can be instead of a path.
    """
    if not path_kind or value == "-" or value in other_words:
        return value
    path = os.path.join(os.path.dirname(config_path), value)
    return path if path_kind != "maybe" or os.path.exists(path) else value


def settings_error(path: str, message: str, hint: str = "") -> InputError:
    """An error about a settings file as a whole."""
    return InputError([Problem(path, None, "bad-settings", message, hint)])
