"""What every job gives: its numbers, what must be said of them, and every form to show them in.

`Result` is of all jobs, `StudyResult` of studies and plots, which give tables and figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar

from irev.core import __version__
from irev.core.job import Displayed, DrawFigure, FigureWidth, import_attribute
from irev.core.record import record
from irev.core.text import escape_non_utf8
from irev.errors import IrevError, Notice, UsageError
from irev.writers.document import (
    Document,
    Head,
    Heading,
    Lines,
    Part,
    Records,
    Table,
    finite_or_none,
    rewindable,
    short_forms,
)
from irev.writers.forms import delimited_line_blocks

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@record
class Result(Displayed):
    """The result of a job: `print` and notebooks show what its command prints.

    A job's own result has its rows as fields beside these, and in `shown_by`, as `module:function`,
    what makes its document of the result and a number of decimals.
    """

    warnings: tuple[Notice, ...] = field(default=(), kw_only=True)
    """What a reader must know: warnings, and notes, which are of a kind that is one."""
    errors: tuple[IrevError, ...] = field(default=(), kw_only=True)
    """What is wrong with inputs that were left out, so that there is a result of the others."""
    exit_code: int = field(default=0, kw_only=True)
    """Of the command: 0, or 1 where the answer is no: a gate stopped the run ..."""

    @property
    def strict_exit_code(self) -> int:
        """The same where warnings are errors (`--strict`)."""
        return self.exit_code

    @property
    def passed(self) -> bool:
        """Whether the exit code is 0: a gate let the run pass, a check found no error."""
        return self.exit_code == 0

    @property
    def document(self) -> Document:
        """The tables and sentences of the result, with 4 decimals in sentences."""
        return self.document_with(4)

    def document_with(self, decimals: int) -> Document:
        """The same with so many decimals, made when first asked for."""
        documents = vars(self).setdefault("_documents", {})
        if decimals not in documents:
            documents[decimals] = rewindable(import_attribute(self.shown_by)(self, decimals))
        document: Document = documents[decimals]
        return document

    def __getstate__(self) -> dict[str, Any]:
        """For `copy` and `pickle`: the fields; the documents are made anew where they are shown."""
        return {name: value for name, value in vars(self).items() if name != "_documents"}

    @property
    def figures(self) -> Mapping[str, DrawFigure]:
        """What draws the figures, by their names."""
        return {}

    def plot(self, name: str = "", *, width: FigureWidth = "page") -> Figure:
        """A figure of the result by its name, drawn by matplotlib; the first where none is named.

        Args:
            name: of the figure, one of `figures`.
            width: "column" (3.3 inches), "page" (7) or "slide" (10), as it is printed.

        Raises:
            UsageError: there is no such figure.
            MissingExtraError: matplotlib is not installed.
        """
        figures = self.figures
        if not figures and not name:
            raise UsageError(f"{type(self).__name__} has no figures")
        if not figures or (name and name not in figures):
            names = ", ".join(figures) or "none"
            raise UsageError(f"{type(self).__name__} has no figure '{name}': there is {names}")
        return figures[name or next(iter(figures))](width=width)

    def to_frame(self) -> pd.DataFrame:
        """The first table, the one that csv holds, as a pandas frame in full precision."""
        return next(iter(self.to_frames().values()))

    def to_dict(self) -> Any:
        """What `--format json` of the command holds, as Python has it."""
        return self.document.data()

    def __repr__(self) -> str:
        about = self._subject()
        state = "" if self.passed else f", exit code {self.exit_code}"
        return f"<{type(self).__name__}{about and f' of {about}'}{state}>"

    def _subject(self) -> str:
        """What the result is of, in a few words."""
        return ""


# --- What every study and every plot gives ---


_PROBABILITIES = ("p", "new p", "p equal", "corrected p", "sign p", "corrected sign p")
"""Columns whose small values are told apart from 0."""


@record
class StudyResult(Result):
    """The result of a study: `print` and notebooks show its main tables.

    name        what the study is called on the command line
    parameters  all that it depends on, as JSON can hold it: inputs, measures, seeds, choices
    tables      name -> tidy table: one observation a row, values in full precision
    shown       the tables that are worth printing, in order; the others are data for files
    drawings    name -> what draws it; the table of the same name holds what is drawn
    notices     what stands below the tables: notes and warnings
    doubts      what makes the scores doubtful, which does not stand there
    answers     what the tables come to, in a sentence each, above them
    warnings    both
    """

    name: str
    parameters: Mapping[str, Any]
    tables: Mapping[str, pd.DataFrame]
    shown: tuple[str, ...]
    drawings: Mapping[str, DrawFigure] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    doubts: tuple[Notice, ...] = field(default=(), kw_only=True)
    answers: tuple[str, ...] = field(default=(), kw_only=True)
    warnings: tuple[Notice, ...] = field(default=(), init=False)

    shown_by: ClassVar[str] = "irev.jobs.result:study_document"

    def __post_init__(self) -> None:
        doubts = [each for each in dict.fromkeys(self.doubts) if each not in self.notices]
        vars(self)["warnings"] = (*doubts, *self.notices)

    @property
    def notes(self) -> tuple[str, ...]:
        """What stands below the tables, a line each."""
        return tuple(map(str, self.notices))

    @property
    def figures(self) -> Mapping[str, DrawFigure]:
        """What draws the figures, by their names."""
        return self.drawings

    def to_frames(self) -> dict[str, pd.DataFrame]:
        """All tables by name, as pandas frames in full precision: first those that are printed."""
        return {name: self.tables[name] for name in dict.fromkeys((*self.shown, *self.tables))}

    def _subject(self) -> str:
        return ", ".join(self.to_frames())


def study_document(result: StudyResult, decimals: int = 4) -> Document:
    """The main tables with what is said below them; for machines all tables."""
    are_several = len(result.shown) > 1
    parts: list[Part] = [Lines(result.answers, listed=False)] if result.answers else []
    for name in result.shown:
        parts += [Heading(name, 4)] if are_several else []
        parts.append(frame_table(result.tables[name]))
    signatures = short_forms(result.parameters.get("signature"))
    parts.append(Lines([*result.notes, *(f"signature: {each}" for each in signatures)]))
    more = {"signature": " ".join(signatures)} if signatures else {}
    records = [frame_records(name, frame, **more) for name, frame in result.to_frames().items()]

    def data() -> dict[str, Any]:
        return {
            "study": result.name,
            "irev": __version__,
            "parameters": escape_non_utf8_names(result.parameters),
            **({"answers": escape_non_utf8_names(result.answers)} if result.answers else {}),
            "notes": escape_non_utf8_names(result.notes),
            "tables": {name: frame_json_rows(table) for name, table in result.tables.items()},
        }

    return Document(result.name, parts, records, data)


def escape_non_utf8_names(value: Any) -> Any:
    """Parameters with names as the tables have them: bytes that are no UTF-8 are escaped."""
    if isinstance(value, str):
        return escape_non_utf8(value)
    if isinstance(value, Mapping):
        return {escape_non_utf8(name): escape_non_utf8_names(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [escape_non_utf8_names(each) for each in value]
    return value


def frame_table(frame: pd.DataFrame) -> Table:
    """A table for people.

    `attrs["forms"]` of a frame may hold how numbers of a column are formatted: {"alpha": "g"}.
    """
    forms = frame.attrs.get("forms", {})
    heads = []
    for name in frame.columns:
        is_number = frame[name].dtype.kind in "iufb"
        kind = "p" if name in _PROBABILITIES else "number" if is_number else "text"
        heads.append(Head(str(name), kind, forms.get(name, "")))
    return Table(heads, list(_plain_rows(frame)), ruled=False)


def frame_records(name: str, frame: pd.DataFrame, **same_fields: Any) -> Records:
    """Its rows in full precision, None where there is no number; behind each the same fields."""
    rows = ([*row, *same_fields.values()] for row in _plain_rows(frame))
    return Records(name, [*map(str, frame.columns), *same_fields], rows)


def frame_json_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Its rows as JSON has them."""
    return [
        {str(name): finite_or_none(value) for name, value in zip(frame.columns, row, strict=True)}
        for row in _plain_rows(frame)
    ]


def frame_csv(frame: pd.DataFrame, *, safe: bool = False) -> Iterator[bytes]:
    """It as CSV, harmless to spreadsheets and terminals where it is to be `safe`."""
    yield from delimited_line_blocks([frame.columns, *_plain_rows(frame)], safe=safe)


def _plain_rows(frame: pd.DataFrame) -> Iterator[list[Any]]:
    """Rows of plain values, None for what is no number."""
    import pandas as pd

    def plain(value: Any) -> Any:
        if value is pd.NA or value != value:
            return None
        return value.item() if hasattr(value, "item") else value

    for row in frame.itertuples(index=False, name=None):
        yield [*map(plain, row)]
