"""Jobs on a table of scores: what is the same for all, before the function of each.

    @score_job(GateOptions)
    def gate(table: ScoreTable, options: GateOptions) -> GateReport: ...

Python then calls `gate(qrels_or_table, runs, measures, **fields)`, and the command `gate.run(...)`:
runs are named, scored and put on the same topics by `score_runs`; a table is taken as it is.
Below stands the command line that repeats such a result.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any, TypeVar

from irev.core.job import JobFunction, ResultType, job
from irev.core.judged import Input
from irev.core.option_records import Field, Opt, OptionRecord, measure_ranges
from irev.core.workers import report_progress
from irev.engine.score_runs import score_runs
from irev.options import ScoringOptions
from irev.read.inputs import path_below, path_of
from irev.read.stream import given_name_of
from irev.scores.table import ScoreTable

OptionsType = TypeVar("OptionsType", bound=ScoringOptions)

TABLE = "table: the scores."
"""What a function says of its table; Python's says what it is made of."""

_INPUTS = """qrels_or_table: judgments, as `irev.evaluate` takes them; None where all runs are saved
            scores; or a table of scores, of `irev.evaluate` or of another job (`.table`); or
            `Scores`, in a list or a mapping by name.
        runs: runs and files of saved scores: a list, a mapping by name, a path with wildcards.
        measures: names as `irev.evaluate` takes them."""

watch_runs: Any = partial(report_progress, label="runs")
"""Hands on the runs as they are scored; a terminal says how many are done."""


def score_job(
    options: type[OptionsType], *, needs: Callable[[Any], Sequence[str]] = lambda options: ()
) -> Callable[[Callable[[ScoreTable, OptionsType], ResultType]], JobFunction[ResultType]]:
    """Make a public job of `f(table, options)`, with the packages that it needs, as `job` does.

    A job that needs several tables, or other measures than those named, is a `job` of
    `f(qrels_or_table, runs=(), measures=(), *, options)` that calls `score_runs` itself.
    """

    def decorate(
        function: Callable[[ScoreTable, OptionsType], ResultType],
    ) -> JobFunction[ResultType]:
        def run(
            qrels_or_table: Input, runs: Input = (), measures: object = (), *, options: OptionsType
        ) -> ResultType:
            table = score_runs(qrels_or_table, runs, measures, options, watch=watch_runs)
            return function(table, options)

        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(run, name, getattr(function, name))
        run.__doc__ = (run.__doc__ or "").replace(TABLE, _INPUTS)
        run.__annotations__["return"] = function.__annotations__.get("return", Any)
        return job(options, needs=needs)(run)

    return decorate


# --- The command that repeats a result: options that are not at their defaults, and base names ---


MOST_RUNS = 8
"""How many runs a command names; more are `RUN...`."""

_OF_THE_MACHINE = ("threads",)
"""Options that no result depends on."""


def repeat_command(
    command: str,
    measures: Sequence[str],
    options: OptionRecord,
    more_words: Sequence[str],
    files: Sequence[str],
    *,
    hides_files: bool = False,
) -> str:
    """A command line for a shell, such as `irev report -m map qrels.txt bm25.run rm3.run`.

    Args:
        command: the name of the command.
        measures: those that were named; none: its default.
        options: the choices, from the command line or from Python; what only Python can say is
            there as the help calls it, such as `--teams FILE`.
        more_words: options of the output.
        files: the judgments and the runs, or what stands for them.
        hides_files: call the files that options name `FILE`.
    """
    words = ["irev", command]
    for measure in measures:
        words += ["-m", measure]
    for name, field in options.keywords().items():
        opt = field.opt
        is_sayable = opt.names or opt.pair_key  # Python alone can say the others
        if name not in _OF_THE_MACHINE and opt.file != "written" and is_sayable:
            words += _option_words(field, getattr(options, name), hides_files=hides_files)
    shown = [f"./{file}" if file.startswith("-") else file for file in files]
    return " ".join(
        word if word in ("RUN...", "QRELS") else shlex.quote(word)
        for word in (*words, *more_words, *shown)
    )


def run_words(paths: Sequence[str]) -> list[str]:
    """The base names of the files of runs, `NAME=FILE` of those that were given names.

    For files that were found in a folder, the name of that folder, with a / behind it; `RUN...` for
    many, and where these do not tell them.
    """
    word_of_place: dict[str, str] = {}
    base_names = set[str]()
    for path in paths:
        below = path_below(path)
        is_found = bool(below) and path.endswith(f"/{below}")
        place = os.path.abspath(path[: -len(below)]) if is_found else path
        base, name = os.path.basename(place) + "/" * is_found, given_name_of(path)
        base_names.add(base)
        word_of_place[place] = f"{name}={base}" if name else base
    words = [*word_of_place.values()]
    is_told = "" not in base_names and len(base_names) == len(words) <= MOST_RUNS
    return words if is_told else ["RUN..."]


def _option_words(field: Field, value: Any, *, hides_files: bool) -> Iterator[str]:
    """A field as the command line has it; nothing where it is at its default."""
    if value is field.default or (type(value) is type(field.default) and value == field.default):
        return
    if isinstance(value, Mapping | Sequence) and not len(value):
        return
    opt = field.opt
    if opt.pair_key:
        by_key = {each.pair_key: each for each in field.opts.values()}
        for key, of_key in value:
            yield from _option_and_value(by_key[key], _text(of_key, by_key[key]))
    elif value is True and opt.value_of_word is None:
        yield opt.names[0]
    elif field.name == "bounds":
        for each in measure_ranges(value):
            yield from _option_and_value(opt, str(each))
    elif field.is_sequence and opt.parse is None:
        for each in value:
            yield from _option_and_value(opt, _text(each, opt, hides_files=hides_files))
    else:
        yield from _option_and_value(opt, _text(value, opt, hides_files=hides_files))


def _option_and_value(opt: Opt, text: str) -> Iterator[str]:
    if text.startswith("-") and opt.long_name:
        yield f"--{opt.long_name}={text}"
    else:
        yield from (opt.names[0], text)


def _text(value: Any, opt: Opt, *, hides_files: bool = False) -> str:
    """A value as the command line has it; a file by its base name."""
    if opt.value_of_word is not None:
        return next(word for word, each in opt.value_of_word.items() if each == value)
    if opt.file and (path := path_of(value)) and not (hides_files and opt.file == "always"):
        return os.path.basename(path)
    if isinstance(value, Real):
        number = float(value)
        return str(int(number)) if number.is_integer() else repr(number)
    if isinstance(value, str) and not opt.file:
        return value
    if not opt.file:
        pairs = value.items() if isinstance(value, Mapping) else value
        return ",".join(f"{_text(old, opt)}={_text(new, opt)}" for old, new in pairs)
    choices = opt.metavar.split("|")
    return next((each for each in choices if "FILE" in each), choices[-1])
