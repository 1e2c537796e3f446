"""What every job gives: its numbers, what must be said of them, and every form to show them in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from irev.core.job import Displayed, DrawFigure, FigureWidth, import_attribute
from irev.core.record import record
from irev.errors import IrevError, Notice, UsageError
from irev.writers.document import Document

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
            from irev.writers.document import rewindable

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
