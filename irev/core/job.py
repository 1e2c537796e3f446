"""Jobs: plain functions of inputs and one record of options, and results that show themselves.

Python and the command line call the same job.

A job is written once, as a function of its inputs and of the record of its options:

    @job(ExplainOptions)
    def explain(qrels: Input, run: Input, measures: object = ("map",), *, options: ExplainOptions
    ) -> Explanation: ...

What the module then has under that name is what Python calls: the fields of the record are its
keywords (`explain(qrels, run, topic="301")`), `options=` takes a record that was made before,
warnings of the result are Python's, and errors and warnings speak of keywords, not of options. The
command calls `explain.run(qrels, run, measures, options=record)`, which is the function itself.

Type checkers and editors read the keywords in the stubs, `irev/__init__.pyi` and those beside it,
which `make docs` writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self, TypeAlias, TypeVar

from irev.core.option_records import (
    Field,
    OptionRecord,
    did_you_mean,
    python_text,
    reword_for_python,
    warn_in_python,
)
from irev.core.packages import missing_packages_told, need_packages
from irev.core.text import WIDTH
from irev.errors import IrevError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


ResultType = TypeVar("ResultType")
Result_co = TypeVar("Result_co", covariant=True)


class JobFunction(Protocol[Result_co]):
    """What Python calls, and what it has beside its call.

    options   the record of its options, whose fields are the keywords
    run       the function: positional inputs, then `options=` a record; it warns of nothing, and
              tells what package is missing, before anything is read where that is known
    describe  gives it its signature, and its docstring the list of its keywords, for `help`
    """

    @property
    def options(self) -> type[OptionRecord]:
        """Its options."""

    @property
    def run(self) -> Callable[..., Result_co]:
        """The function."""

    def __call__(self, *inputs: Any, **keywords: Any) -> Result_co:
        """Its result."""

    def describe(self) -> None:
        """Called when the job is first asked for by its name in `irev`."""


_NAMESPACES = {"plots": ("pandas",), "studies": ("pandas",)}
"""Rooms whose jobs are public as `irev.ROOM.JOB`, and the packages that all of them need."""

_VARARGS = 4
"""The flag of a function that takes any number of positional arguments."""


def job(
    options: type[OptionRecord], *, needs: Callable[[Any], Sequence[str]] = lambda options: ()
) -> Callable[[Callable[..., ResultType]], JobFunction[ResultType]]:
    """Make a public job of `f(inputs..., *, options)`.

    `needs(options)` names packages beyond click and NumPy without which it cannot be done.
    """

    def decorate(function: Callable[..., ResultType]) -> Any:
        code = function.__code__
        num_inputs = code.co_argcount
        names = code.co_varnames[: num_inputs + code.co_kwonlyargcount]
        input_names = [name for name in names if name != "options"]
        takes_files_by_position = bool(code.co_flags & _VARARGS)
        room = function.__module__.rpartition(".")[0].rpartition(".")[2]
        in_room = room in _NAMESPACES
        job_name = f"{room}.{function.__name__}" if in_room else function.__name__

        @wraps(function)
        def run(*inputs: Any, **keywords: Any) -> ResultType:
            need_packages(*_NAMESPACES.get(room, ()), *needs(keywords["options"]))
            with missing_packages_told():
                return function(*inputs, **keywords)

        def call(*inputs: Any, **keywords: Any) -> ResultType:
            named = {name: keywords.pop(name) for name in input_names if name in keywords}
            if len(inputs) > num_inputs and not takes_files_by_position:
                *inputs, keywords["options"] = inputs  # type: ignore[assignment]
            base = keywords.pop("options", None)
            try:
                known_fields = options.keywords()
                for name in keywords.keys() - known_fields.keys():
                    hint = options.keyword_hint(name) or did_you_mean(name, [*known_fields])
                    if takes_files_by_position and name in ("qrels", "run", "runs", "files"):
                        hint = ": give files by position, without a keyword"
                    raise TypeError(f"irev.{job_name} has no option '{name}'{hint}")
                record = options.from_keywords(base, keywords)
                result = run(*inputs, **named, options=record)
            except IrevError as error:
                reword_for_python(error, options)
                raise
            warn_in_python(getattr(result, "warnings", ()), options)
            return result

        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(call, name, getattr(run, name))
        vars(call).update(run=run, options=options, describe=lambda: _describe_keywords(call))
        return call

    return decorate


def _describe_keywords(function: Any) -> None:
    """Give a job its signature, and its docstring the list of its keywords, for `help`."""
    import inspect

    own = inspect.signature(function.run)
    inputs = [each for name, each in own.parameters.items() if name != "options"]
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    keywords = [
        inspect.Parameter(name, keyword_only, default=field.default, annotation=field.type)
        for name, field in keyword_fields(function.options)
    ]
    record = inspect.Parameter(
        "options", keyword_only, default=None, annotation=f"{function.options.__name__} | None"
    )
    function.__signature__ = own.replace(parameters=[*inputs, *keywords, record])
    function.__doc__ = _add_keywords_to_doc(
        inspect.cleandoc(function.__doc__ or ""), function.options
    )


def keyword_fields(options: type[OptionRecord]) -> list[tuple[str, Field]]:
    """The keywords, a job's own before those that others have too."""
    fields = options.fields()
    return [(name, fields[name]) for _, names in options.keywords_by_class() for name in names]


def _add_keywords_to_doc(doc: str, options: type[OptionRecord]) -> str:
    """A docstring with an entry for each keyword behind that of `options`.

    Those that many jobs share are listed without their helps.
    """
    import textwrap

    entry = re.search(r"^    options: .*?(?=\n\n|\n    \w|\Z)", doc, re.DOTALL | re.MULTILINE)
    if entry is None:
        return doc
    shared = options.shared_keywords()
    lines = []
    for name, field in keyword_fields(options):
        if name in shared:
            continue
        help_text = python_text(field.opt.help_text, options)
        # what is of the command line alone
        help_text = re.sub(r"[;.] may be repeated", "", help_text, flags=re.IGNORECASE)
        if "efault" not in help_text and field.default not in (None, (), {}, False, ""):
            help_text = f"{help_text} Default: {field.default!r}.".lstrip()
        lines.append(f"{name}: {help_text}")
    if shared:
        lines.append(
            f"{', '.join(shared)}: what defines an evaluation, as fields of `irev.Options`."
        )
    filled = [
        textwrap.fill(line, 88, initial_indent=" " * 4, subsequent_indent=" " * 8) for line in lines
    ]
    return "\n".join([doc[: entry.end()], *filled]) + doc[entry.end() :]


# --- Results that show themselves as the commands print them: on a console and in a notebook ---
# What makes a document of a result is in a room above it: it is named here, and imported when the
# result is shown.


FigureWidth: TypeAlias = Literal["column", "page", "slide"]
"""The printed width of a figure: a column of a paper (3.3 in), a page (7 in), a slide (10 in)."""


class DrawFigure(Protocol):
    """What draws a figure in the width that is asked for."""

    def __call__(self, *, width: FigureWidth = "page") -> Figure:
        """The figure, drawn anew."""


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


class PaperTable(str):
    """The text of a table for a paper, which a console and a notebook show as it is written."""

    _document: Any

    def __new__(cls, text: str, document: Any) -> Self:
        """The text, and the document that it is of."""
        table = super().__new__(cls, text)
        table._document = document
        return table

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """For `copy` and `pickle`: of a copy there is the text alone."""
        return str, (str(self),)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """The table itself, for notebooks; `print` shows the text."""
        html: str = import_attribute("irev.writers.forms:notebook_html")(self._document)
        return html


class HasPaperTable:
    """A result with a table for a paper, as `--layout paper` of its command writes it."""

    paper_by: ClassVar[str]
    """The function that makes the document of that table, as `module:attribute`."""

    def paper(self, form: str = "latex", decimals: int = 4) -> PaperTable:
        """The table for a paper: runs and measures, the best in bold, and a caption that says how.

        In LaTeX it is as wide as a column of 3.3 inches, or else a page of 7 inches. It is a
        `str`; alone in the cell of a notebook it shows the table.

        Args:
            form: what `--format` of the command takes.
            decimals: how many, in the forms that people read.

        Raises:
            UsageError: there is no such form.
        """
        document = import_attribute(self.paper_by)(self)
        document = import_attribute("irev.writers.document:rewindable")(document)
        text: str = import_attribute("irev.writers.forms:text_of")(document, form, decimals)
        return PaperTable(text, document)


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
