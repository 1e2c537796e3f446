"""What errors and warnings say of options, said of keywords.

A message is written once, with the options of the command line: "order by the ranks: --ties rank".
Python says `ties="rank"` instead, by the record of options of the function that was called.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from irev.errors import InputError, warn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from irev.core.option_records import Field, Opt, OptionRecord
    from irev.errors import IrevError, Notice

_PROGRAM = re.compile(r"\b(?:irev|jq|iconv|pip|gunzip|trec_eval) +[^;]*")
"""A call of a program, whose options are its own."""

_MEASURES = ("-m", "--measure")
"""Of the command line what is an argument of its own in Python: `measures`."""


def python_text(text: str, options: type[OptionRecord]) -> str:
    """A text with keywords in place of the options of the command line."""
    text = re.sub(r"--columns (\w+)=(\w+)", r"columns={'\1': '\2'}", text)
    text = text.replace("in Python say columns", "say columns")
    text = text.replace("QRELS RUN...", "qrels, runs")
    if "-" not in text:
        return text
    spellings, pattern = _spellings(options)  # type: ignore[arg-type]
    pieces: list[str] = []
    end = 0
    for call in _PROGRAM.finditer(text):
        pieces += [pattern.sub(lambda o: _keyword(o, spellings), text[end : call.start()]), call[0]]
        end = call.end()
    pieces.append(pattern.sub(lambda option: _keyword(option, spellings), text[end:]))
    # judged_only (-J)
    return re.sub(r"\b(\w+) \(\1\)", r"\1", "".join(pieces))


def reword_for_python(error: IrevError, options: type[OptionRecord]) -> None:
    """Let an error speak of keywords."""
    if isinstance(error, InputError):
        error.problems = [
            each._replace(
                message=python_text(each.message, options), hint=python_text(each.hint, options)
            )
            for each in error.problems
        ]
        error.args = InputError(error.problems).args
    else:
        error.args = tuple(
            python_text(each, options) if isinstance(each, str) else each for each in error.args
        )


def python_notice(notice: Notice, options: type[OptionRecord]) -> Notice:
    """A warning that speaks of keywords."""
    return notice._replace(
        message=python_text(notice.message, options), hint=python_text(notice.hint, options)
    )


def warn_in_python(notices: Iterable[Notice], options: type[OptionRecord]) -> None:
    """Python's warnings, of all that are no notes."""
    warn(python_notice(each, options) for each in notices)


@cache
def _spellings(
    options: type[OptionRecord],
) -> tuple[Mapping[str, tuple[Field, Opt] | None], re.Pattern[str]]:
    """The options by their spellings, and what finds one with the word behind it."""
    spellings: dict[str, tuple[Field, Opt] | None] = dict.fromkeys(_MEASURES)
    for field in options.keywords().values():
        for opt in field.opts.values():
            spellings |= dict.fromkeys(opt.names, (field, opt))
    names = "|".join(map(re.escape, sorted(spellings, key=len, reverse=True)))
    return spellings, re.compile(rf"(?<![\w-])({names})(?![\w-])(?:[ =]([^\s;:()]*[^\s;:().,]))?")


def _keyword(match: re.Match[str], spellings: Mapping[str, tuple[Field, Opt] | None]) -> str:
    """`name=value` where a value stands behind the option, else the name."""
    option, word = match[1], match[2] or ""
    text_behind = match[0][len(option) :]
    field_and_opt = spellings[option]
    if field_and_opt is None:
        return f'measures="{word}"' if re.search(r"\W|\d|_", word) else f"measures{text_behind}"
    field, opt = field_and_opt
    if opt.flag_value is not None:
        return f"{field.name}={_python_literal(opt.flag_value)}{text_behind}"
    if opt.pair_key:
        return f'{field.name}["{opt.pair_key}"]{text_behind}'
    if field.scalar_type is bool and opt.value_of_word is None:
        return f"{field.name}{text_behind}"
    if opt.value_of_word is not None and word in opt.value_of_word:
        return f"{field.name}={_python_literal(opt.value_of_word[word])}"
    choices = field.choices
    is_number = re.fullmatch(r"-?[\d.]+(e-?\d+)?", word)
    is_name = not choices and re.search(r"[\d./@]", word)
    choices = (*choices, *field.opt.metavar.split("|"))
    if word and (word in choices or is_number or is_name or word.isupper()):
        bare = is_number or word.isupper()
        return f"{field.name}={word if bare else _python_literal(word)}"
    return f"{field.name}{text_behind}"


def _python_literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
