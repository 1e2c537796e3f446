"""The commands as functions of Python: the same names and options, a result in place of text.

A function takes what the command takes as files, in memory too, and by keyword the fields of its
records: `irev.gate(qrels, run, min={"ndcg@10": 0.4})` is `irev gate QRELS RUN --min ndcg@10=0.4`.
Warnings are Python's, errors are raised.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from irev.cli.commands import COMMANDS, USAGE, Job, Kinds
from irev.cli.output import Kept
from irev.core.displayed import Displayed, located
from irev.core.held import Held
from irev.core.option_records import did_you_mean
from irev.core.python_words import warn_in_python
from irev.engine.inputs import rewindable, runs_by_name
from irev.errors import IrevError, UsageError
from irev.measures.naming.name_lists import measure_texts
from irev.options import EvaluationOptions, Options
from irev.scores.run_names import path_of, stem_of
from irev.writers.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from irev.core.option_records import Field, OptionRecord
    from irev.jobs.study_result import StudyResult

_INPUTS = ("qrels", "run", "runs", "files")
"""What files are called that are given by their places."""


class KeptResult(Displayed):
    """The result of a command: `print` and notebooks show what the command prints.

    name       what was called: "gate", "study correlation"
    document   the tables and sentences, which `text(form)` writes in every form of output
    notes      what the command would say on stderr besides its warnings, a line each
    exit_code  the command's: 0, or 1 where a gate stopped the run, a check found errors ...
    """

    def __init__(
        self,
        name: str,
        document: Document,
        notes: Sequence[str] = (),
        exit_code: int = 0,
        outcome: StudyResult | None = None,
    ) -> None:
        """Keep what was found."""
        self.name, self._document, self._outcome = name, document, outcome
        self.notes, self.exit_code = tuple(notes), exit_code

    @property
    def document(self) -> Document:
        """The tables and sentences of the command."""
        return self._document

    @property
    def passed(self) -> bool:
        """Whether the exit code would be 0: a gate let the run pass, a check found no error."""
        return self.exit_code == 0

    @property
    def data(self) -> Any:
        """What `--format json` holds, as Python has it."""
        return self.document.data()

    def to_frames(self) -> dict[str, pd.DataFrame]:
        """All tables by name, as pandas frames in full precision."""
        if self._outcome is None:
            return super().to_frames()
        tables = self._outcome.tables
        return {name: tables[name] for name in dict.fromkeys((*self._outcome.shown, *tables))}

    def to_frame(self) -> pd.DataFrame:
        """The first table, the one that csv holds."""
        return next(iter(self.to_frames().values()))

    def figure(self, name: str = "") -> Figure:
        """A figure of a plot or a study, by its name; the first where none is named.

        Raises:
            UsageError: there is no such figure.
            MissingExtraError: matplotlib is not installed.
        """
        figures = {} if self._outcome is None else self._outcome.figures
        if not figures or (name and name not in figures):
            known = ", ".join(figures) or "none"
            raise UsageError(f"irev {self.name} has no figure '{name}': there is {known}")
        return figures[name or next(iter(figures))]()

    def __repr__(self) -> str:
        state = "" if self.passed else f", exit code {self.exit_code}"
        return f"<KeptResult of irev {self.name}{state}>"


def study(kind: str, /, *files: Any, **options: Any) -> KeptResult:
    """An experiment about measures, runs and judgments, as `irev study KIND` makes it.

    Args:
        kind: "correlation", "discriminative-power", "robustness" ...; `irev study -h` lists them.
        *files: what the command takes: judgments and runs, as `irev.evaluate` takes them.
        **options: the command's: `measures=["AP", "nDCG@10"]` ...

    Returns:
        The tables, `to_frames()`; `figure()` draws the figure.

    Raises:
        TypeError: there is no such option.
        UsageError: there is no such kind, or an option makes no sense.
        InputError: an input that cannot be read.
    """
    return called(_kind("study", kind), files, options, f"study {kind}")


def called(
    command: Job, files: Sequence[Any], given: Mapping[str, Any], name: str = ""
) -> KeptResult:
    """What a command gives for some files and the fields of its records.

    Raises:
        TypeError: there is no such option.
        UsageError: the command is called wrongly.
    """
    name = name or str(command.name)
    taken, code = _carried_out(command, files, given, name)
    made = taken.document or Document(name, [], [], list)
    return KeptResult(name, made, taken.notes, code, taken.outcome)


def _carried_out(
    command: Job, files: Sequence[Any], given: Mapping[str, Any], name: str
) -> tuple[Kept, int]:
    """What a command made and said, and its exit code."""
    records = _records(command, dict(given), name)
    taken = Kept()
    inputs = tuple(_inputs(files))
    context = click.Context(command, info_name=command.name, obj=taken)
    context.params = {"files": inputs}
    try:
        with context:
            code = command.run(inputs, *records)
    except click.UsageError as error:
        raise UsageError(error.format_message()) from None
    warn_in_python(taken.notices, EvaluationOptions)
    if code == USAGE and taken.document is None:
        raise IrevError("\n".join(note.removeprefix("irev: ") for note in taken.notes))
    return taken, code


def keywords(command: Job) -> dict[str, tuple[Field, bool]]:
    """What Python can say by keyword: the field, and whether it is one of `Options`.

    `format` is that of the judgments: a `KeptResult` has `text(form)`.
    """
    found = {
        name: (field, issubclass(taken.record, Options))
        for taken in command.record_options
        for name, field in taken.fields().items()
    }
    if "qrels_format" in found:
        found["format"] = found.pop("qrels_format")
    return found


def _job(name: str) -> Job:
    job: Job = located(COMMANDS[name].place)
    return job


def _kind(name: str, kind: str) -> Job:
    group: Kinds = located(COMMANDS[name].place)
    if kind not in group.kinds:
        raise UsageError(f"irev.{name} {group.meant(str(kind))}")
    job: Any = group.get_command(click.Context(group), kind)
    found: Job = job
    return found


def _inputs(given: Sequence[Any]) -> Iterator[str]:
    """What is given as the names that a command takes: paths, or names of what is in memory."""
    unnamed = 0
    for number, each in enumerate(map(rewindable, given)):
        runs = runs_by_name(each)
        if runs is None and number and not path_of(each):
            unnamed += 1
            runs = {"run" if unnamed == 1 else f"run {unnamed}": each}
        if runs is None:
            runs = {path_of(each) or "qrels": each}
        for name, run in runs.items():
            path = path_of(run)
            is_own = path and name in (
                path,
                os.path.basename(path),
                stem_of(os.path.basename(path)),
            )
            yield path if is_own else Held(name, rewindable(run))


def _records(command: Job, given: dict[str, Any], name: str) -> list[OptionRecord]:
    """The records of a command, of what was given by keyword."""
    options = given.pop("options", None)
    taken = [(each.record, each.fields()) for each in command.record_options]
    known = {field for _, fields in taken for field in fields}
    if "format" in given and "qrels_format" in known:
        given["qrels_format"] = given.pop("format")
    for wrong in given.keys() - known:
        meant = next(filter(None, (record.field_hint(wrong) for record, _ in taken)), "")
        hint = meant or did_you_mean(wrong, sorted(known))
        if wrong in _INPUTS:
            hint = ": give files by position, without a keyword"
        raise TypeError(f"irev.{name.partition(' ')[0]} has no option '{wrong}'{hint}")
    made = []
    shared = {
        n: f for record, fields in taken if issubclass(record, Options) for n, f in fields.items()
    }
    for record, fields in taken:
        is_shared = issubclass(record, Options)
        said = {
            n: _value(f, given[n], is_shared)
            for n, f in fields.items()
            # another field of the same name is meant only if it takes the same
            if n in given and f.type == shared.get(n, f).type
        }
        if options is not None and is_shared:
            defaults = Options.fields()
            chosen = {n: v for n, v in vars(options).items() if v != defaults[n].default}
            said = {**chosen, **said}
        made.append(record(**said))
    return made


def _value(field: Field, value: Any, is_shared: bool) -> Any:
    """A value as the record takes it, where Python has another way to write it.

    The fields of `Options` are as `evaluate` takes them; texts of others as on the command line.
    """
    if field.name == "measures":
        return measure_texts(value)
    if field.opt.is_table and isinstance(value, Mapping):
        return [f"{name}={number}" for name, number in value.items()]
    if field.opt.is_table and isinstance(value, int | float):
        raise UsageError(f"{field.name} is for each measure: {field.name}={{'map': {value}}}")
    if field.is_sequence and field.scalar_type is str:
        every = [value] if isinstance(value, str | os.PathLike) else value
        return [os.fspath(each) if isinstance(each, os.PathLike) else each for each in every]
    is_number = isinstance(value, int | float) and field.scalar_type is None
    if (isinstance(value, str) or is_number) and field.opt.parse is not None and not is_shared:
        try:
            return value if value in field.choices else field.opt.parse(str(value))
        except ValueError as error:
            raise UsageError(f"{field.name}: {error}") from None
    if field.scalar_type is not str or value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | os.PathLike):
        return str(value)
    # a baseline in memory
    return Held(field.name, value) if field.opt.file else value
