"""Settings in a TOML file: `[NAME]` of irev.toml, or `[tool.irev.NAME]` of pyproject.toml.

A command has the section of its name, a kind of study or plot one within: `[gate]`,
`[study.correlation]`. Keys are the names of options, with dashes or underscores; paths are relative
to the file.

A file that was found, not named by the user, may be anybody's who could write to the folder or send
a pull request: it may set no option that executes, writes, or trusts what a submission brings
(`Opt.privileged`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from irev.errors import InputError, Notice, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    Known = Callable[[str], Collection[str]]
    """The sections within one of them; within "" those of the file, within others often none."""

FILES = ("irev.toml", "pyproject.toml")
"""The files that are looked for, in this order."""

NONE = "none"
"""What stands for no file."""


def find(section: str, known: Known, warn: Callable[[Notice], object]) -> str | None:
    """The nearest file with such a section, in the current directory or above it.

    Above it up to the root of its repository, the folder with `.git`; in none, not above it. What
    belongs to somebody else than the user or root is passed over, with a warning that names it:
    whoever may write there must not decide what a command does.
    """
    here = os.getcwd()
    for folder in _up_to_root(here):
        for file in FILES:
            path = os.path.join(folder, file)
            near = file if folder == here else path
            if not os.path.isfile(path):
                continue
            if not _is_ours(folder, path):
                if _may_be_meant(path):
                    message = f"{near} belongs to somebody else and is not read"
                    warn(Notice("passed-settings", message, f"--config {near} reads it"))
            elif table(near, section, known) is not None:
                return near
    return None


def _up_to_root(here: str) -> list[str]:
    """A folder and those above it up to the root of its repository; itself alone without one."""
    folders = [here]
    while not os.path.lexists(os.path.join(folders[-1], ".git")):
        above = os.path.dirname(folders[-1])
        if above == folders[-1]:
            return [here]
        folders.append(above)
    return folders


def _is_ours(folder: str, path: str) -> bool:
    """Whether a folder, a file and what this may be a link to belong to the user or to root."""
    if not hasattr(os, "geteuid"):  # Windows
        return True
    found = os.stat(folder), os.lstat(path), os.stat(path)
    return {each.st_uid for each in found} <= {0, os.geteuid()}


def _may_be_meant(path: str) -> bool:
    """Whether a file that is not ours is one for irev; most pyproject.toml are not."""
    if os.path.basename(path) == FILES[0]:
        return True
    try:
        with open(path, "rb") as stream:
            return b"tool.irev" in stream.read(1 << 20)
    except OSError:
        return False


def table(path: str, section: str, known: Known) -> dict[str, Any] | None:
    """The settings of a section of a file; None where it has none."""
    import tomllib

    from irev.read.stream import read_all

    try:
        found: Any = tomllib.loads(read_all(path).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise problem(path, f"this is not valid TOML: {error}") from None
    if os.path.basename(path) == FILES[1]:
        tool = found.get("tool")
        found = tool.get("irev", {}) if isinstance(tool, dict) else {}
    _check_sections(path, "", found, known)
    for name in section.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return dict(found) if isinstance(found, dict) else None


def _check_sections(path: str, inside: str, found: Any, known: Known) -> None:
    sections = known(inside)
    if not sections or not isinstance(found, dict):
        return
    for name, value in found.items():
        if name not in sections or not isinstance(value, dict):
            where = place(path, f"{inside}.{name}".lstrip("."))
            raise problem(path, f"unknown section [{where}]", hint(name, sections))
        _check_sections(path, name, value, known)


def place(path: str, section: str) -> str:
    """What a section is called in a file."""
    return f"tool.irev.{section}" if os.path.basename(path) == FILES[1] else section


def spelled(key: str) -> str:
    """A key in lower case and with dashes."""
    return key.lower().replace("_", "-")


def by_option(
    path: str, settings: Mapping[str, Any], known: Mapping[str, str], where: str = ""
) -> dict[str, tuple[str, Any]]:
    """What the keys stand for -> (the key as it is written, its value).

    Args:
        path: the file.
        settings: a section of it.
        known: key, as `spelled` -> what it stands for.
        where: what messages begin with.
    """
    found: dict[str, tuple[str, Any]] = {}
    for key, value in settings.items():
        name = known.get(spelled(key))
        if name is None:
            raise problem(path, f"{where}unknown key '{key}'", hint(spelled(key), known))
        if name in found:
            raise problem(
                path, f"{where}'{key}' sets the same option as another key", "keep one of the two"
            )
        found[name] = key, value
    return found


def hint(word: str, known: Iterable[str]) -> str:
    """What may have been meant."""
    from difflib import get_close_matches

    near = get_close_matches(word, [*known], n=1)
    return f"did you mean '{near[0]}'?" if near else ""


def as_texts(value: Any, *, takes_list: bool, is_flag: bool, is_table: bool) -> list[str] | bool:
    """A value as the command line would have it.

    Args:
        value: as TOML has it.
        takes_list: whether the option may be repeated.
        is_flag: whether it is true or false.
        is_table: whether it is a table of numbers, for texts such as NAME=X.
    """
    if is_table:
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


def placed(path: str, value: str, kind: str, words: Collection[str]) -> str:
    """A path as seen from the current directory, where a value is one.

    Args:
        path: the file that it stands in.
        value: a text.
        kind: whether it is the path of a file that is read or written ("always", "written"), may be
            one ("maybe"), or is none ("").
        words: what it can be instead.
    """
    if not kind or value == "-" or value in words:
        return value
    inside = os.path.join(os.path.dirname(path), value)
    return inside if kind != "maybe" or os.path.exists(inside) else value


def problem(path: str, message: str, hint: str = "") -> InputError:
    """An error about a file as a whole."""
    return InputError([Problem(path, None, "bad-settings", message, hint)])
