"""Results that show themselves as the commands print them: on a console and in a notebook.

What makes a document of a result is in a room above it: it is named here, and imported when the
result is shown.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias

from irev.core.packages import need_packages

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

FigureWidth: TypeAlias = Literal["column", "page", "slide"]
"""The printed width of a figure: a column of a paper (3.3 in), a page (7 in), a slide (10 in)."""


class DrawFigure(Protocol):
    """What draws a figure in the width that is asked for."""

    def __call__(self, *, width: FigureWidth = "page") -> Figure:
        """The figure, drawn anew."""


WIDTH = 80
"""How many characters wide a printed result is: wider tables are turned or cut into blocks."""


def import_attribute(location: str) -> Any:
    """What is called `module:attribute`."""
    module, _, attribute = location.partition(":")
    return getattr(import_module(module), attribute)


class Displayed:
    """A result with a `document`, which `print` and notebooks show and `write` writes."""

    shown_by: ClassVar[str]
    """The function that makes the document of the result, as `module:attribute`."""
    folded_by: ClassVar[str] = ""
    """What makes further documents that a notebook shows folded, each with a summary."""

    @property
    def document(self) -> Any:
        """The `irev.writers.document.Document` of the result, which every form of output writes."""
        return import_attribute(self.shown_by)(self)

    def document_with(self, decimals: int) -> Any:
        """The same with so many decimals in its sentences, where it has such."""
        return self.document

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        """The tables of the result, for notebooks; below them what `folded_by` names."""
        folded = import_attribute(self.folded_by)(self) if self.folded_by else ()
        html: str = import_attribute("irev.writers.forms:notebook_html")(self.document, folded)
        return html

    def text(
        self,
        form: str = "text",
        decimals: int = 4,
        width: int | None = WIDTH,
        *,
        details: bool = False,
    ) -> str:
        """The result in a form of output, such as "table", "markdown", "latex", "csv" or "json".

        Args:
            form: what `--format` of the command takes.
            decimals: how many, in the forms that people read.
            width: characters in a line of a table; None: however many it needs.
            details: whether the details are shown too, as by `--details` of the command.

        Raises:
            UsageError: there is no such form.
        """
        document = self.document_with(decimals)
        text: str = import_attribute("irev.writers.forms:text_of")(
            document, form, decimals, width, details=details
        )
        return text

    def to_frames(self) -> dict[str, pd.DataFrame]:
        """The tables of the result by name, as pandas frames in full precision."""
        need_packages("pandas")
        import pandas as pd

        return {
            records.name: pd.DataFrame(list(map(list, records.rows)), columns=list(records.fields))
            for records in self.document.records
        }


class HasPaperTable:
    """A result with a table for a paper, as `--layout paper` of its command writes it."""

    paper_by: ClassVar[str]
    """The function that makes the document of that table, as `module:attribute`."""

    def paper(self, form: str = "latex", decimals: int = 4) -> str:
        """The table for a paper: runs and measures, the best in bold, and a caption that says how.

        In LaTeX it is as wide as a column of 3.3 inches, or else a page of 7 inches.

        Args:
            form: what `--format` of the command takes.
            decimals: how many, in the forms that people read.

        Raises:
            UsageError: there is no such form.
        """
        document = import_attribute(self.paper_by)(self)
        text: str = import_attribute("irev.writers.forms:text_of")(document, form, decimals)
        return text


class Drawable:
    """A result with scores by topic, of which figures can be drawn."""

    def plot(
        self,
        kind: str = "per-topic",
        measures: object = (),
        *,
        width: FigureWidth = "page",
        **choices: Any,
    ) -> Figure:
        """A figure of the scores by topic, drawn by matplotlib.

        Args:
            kind: "per-topic", "median", "scatter", "cutoffs" or "distribution"; of a comparison
                also "forest" (differences with intervals), "topics" (differences by topic) and
                "ranks" (mean ranks with critical differences).
            measures: names of measures; none: all that have values by topic.
            width: "column" (3.3 inches), "page" (7) or "slide" (10), as it is printed.
            **choices: the options of the kind in `irev.plots`: `sort="value"`, `run="bm25"` ...

        Raises:
            UsageError: there is no such kind; too many measures or runs for a figure.
            MissingExtraError: matplotlib is not installed.
        """
        figure: Figure = import_attribute("irev.jobs.plots.comparison_figures:result_figure")(
            self, kind, measures, choices, width=width
        )
        return figure
