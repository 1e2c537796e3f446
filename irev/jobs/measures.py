"""What there is to say of measures: lists of them, and a page for each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Annotated, Any, ClassVar, overload

from irev.core import __version__
from irev.core.job import job
from irev.core.option_records import ResultOptions
from irev.core.record import record
from irev.core.text import WIDTH, count_text
from irev.errors import UsageError
from irev.jobs.result import Result
from irev.measures.describe import (
    MeasureDescription,
    direction_text,
    find_measures,
    measure_json,
    measure_signature,
    measures_by_family,
    page_markdown,
    page_text,
    range_text,
    suite_list_item_markdown,
    suite_text,
    suites_unless_other_words,
)
from irev.measures.describe import describe_measure as description_of
from irev.measures.naming.grammar import Suite
from irev.measures.naming.resolve import resolve_names
from irev.measures.plugins import load_plugins
from irev.measures.registry import Cutoffs, Fractions, Measure, aliased_measure
from irev.options import PLUGINS
from irev.writers.document import Document, Head, Heading, Lines, Part, Records, Table

BIBTEX, MARKDOWN = "bibtex", "markdown"
"""Forms in which measures are pages and references, not rows of a table."""


class MeasureListOptions(ResultOptions):
    """The measures of your own."""

    plugins: Annotated[Sequence[str], PLUGINS] = ()
    """Modules and files of Python with measures of your own."""


@record
class _MeasurePages(Result):
    """Measures that can be shown page by page."""

    def descriptions(self) -> Iterator[MeasureDescription]:
        """What there is to say of each measure."""
        raise NotImplementedError

    @property
    def bibtex(self) -> str:
        """The references that the measures rest on, each once, as BibTeX has them."""
        entries = {r.key: r.bibtex for each in self.descriptions() for r in each.references}
        return "\n".join(entries.values())

    def bibtex_or_markdown_blocks(self, form: str) -> Iterator[str]:
        """The references ("bibtex") or the pages ("markdown"), as text with all its line ends."""
        if form == BIBTEX:
            yield self.bibtex
        elif isinstance(self, MeasureList) and self.suites:
            yield from _separate_blocks(map(suite_list_item_markdown, self.suites))
        else:
            yield from _separate_blocks(map(page_markdown, self.descriptions()))

    def text(
        self,
        form: str = "text",
        decimals: int = 4,
        width: int | None = WIDTH,
        *,
        details: bool = False,
    ) -> str:
        """The list or the pages, or the measures as a table in a form of output.

        Args:
            form: "text"; "markdown" for the pages, "bibtex" for the references, or what
                `Result.text` takes.
            decimals: plays no part: no form here has any.
            width: characters in a line of a table; None: however many it needs.
            details: whether the details are shown too, where there are some.
        """
        if form not in (BIBTEX, MARKDOWN):
            return super().text(form, decimals, width, details=details)
        return "".join(self.bibtex_or_markdown_blocks(form)).rstrip("\n")


@record
class MeasureList(_MeasurePages):
    """Measures, or suites of them, a list of their names; `to_frame()` has a row for each."""

    measures: tuple[Measure, ...]
    """The measures, in order; of suites their members."""
    suites: tuple[Suite, ...] = ()
    """The suites, where these were named."""
    are_named: bool = False
    """Whether every word was the name of a measure: `print` then shows their pages."""
    written: str = ""
    """Of one measure with options or a cutoff, its name as results have it."""
    also: tuple[str, ...] = ()
    """Names of other measures that have to do with the words."""

    shown_by: ClassVar[str] = "irev.jobs.measures:list_document"

    @property
    def names(self) -> list[str]:
        """What the measures are called, or the suites."""
        return [each.name for each in self.suites or self.measures]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...

    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return self.names[index]

    def descriptions(self) -> Iterator[MeasureDescription]:
        """What there is to say of each measure."""
        return (description_of(each, __version__, self.written) for each in self.measures)

    def _subject(self) -> str:
        return count_text(len(self.names), "suite" if self.suites else "measure")


@record
class MeasurePage(_MeasurePages):
    """What there is to say of one measure: `print` shows its page, `to_frame()` has its facts."""

    description: MeasureDescription
    """Paragraphs, facts, such as ("Formula", "..."), and references."""
    also: tuple[str, ...] = ()
    """Names of other measures that have to do with it."""

    shown_by: ClassVar[str] = "irev.jobs.measures:page_document"

    @property
    def measure(self) -> Measure:
        """The measure: its `name`, `title`, `family`, `formula`, `bounds` ..."""
        return self.description.measure

    def descriptions(self) -> Iterator[MeasureDescription]:
        """That of the measure alone."""
        yield self.description

    def _subject(self) -> str:
        return self.measure.name


@job(MeasureListOptions)
def list_measures(words: str | Sequence[str] = "", *, options: MeasureListOptions) -> MeasureList:
    """List and search measures: `irev measures`.

    Args:
        words: names of measures, in any spelling that `irev.evaluate` takes; the name of a set
            ("official", "all_trec" ...), whose members are listed; "suites", or "suite:beir"; or
            words that are searched for in names and titles first, then everywhere. None: all
            measures.
        options: the record `MeasureListOptions`, whose fields are keywords, too.

    Returns:
        The measures: `names`, `to_frame()` with a row for each, `bibtex`.

    Raises:
        TypeError: there is no such option.
        UsageError: no measure matches, or a plugin cannot be loaded.

    Example:
        >>> list_measures("mean average precision").names
        ['map', 'AP']
    """
    load_plugins(options.plugins)
    words = ([words] if words else []) if isinstance(words, str) else list(words)
    suites = suites_unless_other_words(words)
    if suites:
        requests = [request for suite in suites for request in resolve_names(suite.measures)]
        members = {id(request.measure): request.measure for request in requests}
        return MeasureList(tuple(members.values()), tuple(suites))
    search = find_measures(words)
    if not search.measures:
        raise UsageError(f"no measure matches '{' '.join(words)}'{search.hint}")
    return MeasureList(
        tuple(search.measures), are_named=search.by_name, written=search.written, also=search.also
    )


@job(MeasureListOptions)
def describe_measure(name: str, *, options: MeasureListOptions) -> MeasurePage:
    """Describe one measure: formula, edge cases, source, names in other programs, references.

    `print` shows the page of `irev measures NAME`. Where trec_eval and irev have a measure of the
    same name, it is the one that `irev.evaluate` takes.

    Args:
        name: the measure, in any spelling that `irev.evaluate` takes.
        options: the record `MeasureListOptions`, whose fields are keywords, too.

    Returns:
        The page: `measure`, `description`, `bibtex`; `to_frame()` has a row for each fact.

    Raises:
        TypeError: there is no such option.
        UsageError: no measure has this name, or a plugin cannot be loaded.

    Example:
        >>> describe_measure("nDCG@10").measure.title
        'Normalised discounted cumulated gain'
    """
    load_plugins(options.plugins)
    search = find_measures([name])
    if not search.by_name:
        hint = search.hint or f"; irev.list_measures({name!r}) finds {len(search.measures)}"
        raise UsageError(f"no measure is called '{name}'{hint}")
    measure = search.measures[0]
    if len(search.measures) > 1:
        measure = resolve_names([name])[0].measure
    return MeasurePage(description_of(measure, __version__, search.written), search.also)


# --- Measures, suites and pages of measures, as documents ---


_FIELDS = (
    "name",
    "written",
    "title",
    "family",
    "range",
    "higher_is_better",
    "kind",
    "summary",
    "judgments",
    "sets",
    "aliases",
    "formula",
    "source",
)
"""Of a record, what a row tells."""

_MOST_NAMES = 20
"""How many names of other measures are shown."""

_WIDEST_NAME = 24
"""How wide the column of names is in a list; options of a name that is wider are left out."""

_TREC_PARAMETERS: dict[type, str] = {Cutoffs: ".k", Fractions: ".x"}
"""What trec_eval writes behind a name."""


def list_document(result: MeasureList, decimals: int) -> Document:
    """The measures by family, or the suites; rows have more of their records."""
    if result.suites:
        names = ("name", "title", "measures", "source", "version")
        rows: list[list[Any]] = [
            [s.name, s.title, ", ".join(s.measures), s.source, s.version] for s in result.suites
        ]
        return Document(
            "Suites of measures",
            [Table([Head(name, "text") for name in names], rows)],
            [Records("suites", names, rows)],
            lambda: [suite._asdict() for suite in result.suites],
            _lines(_separate_blocks(map(suite_text, result.suites))),
        )
    heads = [Head(name, "text") for name in ("measure", "title", "range", "better", "sets")]
    parts: list[Part] = []
    for family, members in measures_by_family(result.measures):
        cells = [
            [measure_signature(m), m.title, range_text(m), direction_text(m), ", ".join(m.sets)]
            for m in members
        ]
        parts += [Heading(family), Table(heads, cells)]
    blocks = _list_blocks(result.measures)
    if result.are_named:
        blocks = _separate_blocks(map(page_text, result.descriptions()))
    return Document(
        "Measures",
        parts,
        [Records("measures", _FIELDS, map(_row, result.measures))],
        lambda: [measure_json(each) for each in result.measures],
        _lines(chain(blocks, [_see_also_line(result.also)])),
    )


def page_document(result: MeasurePage, decimals: int) -> Document:
    """The paragraphs and facts of a measure; its record as JSON has it."""
    description = result.description
    rows = [[*fact] for fact in description.facts]
    heads = [Head(name, "text") for name in ("fact", "text")]
    parts: list[Part] = [Lines(description.paragraphs, listed=False), Table(heads, rows)]
    return Document(
        f"{measure_signature(result.measure)}: {result.measure.title}",
        parts,
        [Records("facts", ("fact", "text"), rows)],
        lambda: measure_json(result.measure),
        _lines([page_text(description), _see_also_line(result.also)]),
    )


def _list_blocks(measures: Sequence[Measure]) -> Iterator[str]:
    """A line for each measure, by family; trec_eval's names for it stand behind the title."""
    names = {measure.name for measure in measures}
    aliased = {m.name for m in measures if (a := aliased_measure(m.name)) and a[0].name in names}
    for index, (family, members) in enumerate(measures_by_family(measures)):
        yield ("\n" if index else "") + f"{family}\n"
        for measure in members:
            if measure.is_trec_evals_alone and measure.name in aliased:
                continue
            trec_names = [
                each.name + _TREC_PARAMETERS.get(type(each.parameter), "")
                for each in measure.trec
                if each.name in aliased
            ]
            more = f" ({', '.join(trec_names)})" if trec_names else ""
            name = measure_signature(measure)
            if len(name) > _WIDEST_NAME:
                name = re.sub(r"[(].*[)]", "(...)", name)
            yield f"  {name:<{_WIDEST_NAME}} {measure.title}{more}\n"


def _row(measure: Measure) -> list[Any]:
    values = {**measure_json(measure), "range": range_text(measure)}
    return [", ".join(v) if isinstance(v, list) else v for v in map(values.get, _FIELDS)]


def _see_also_line(names: Sequence[str]) -> str:
    """Other measures, as many as are read; empty where there is none."""
    num_more = len(names) - _MOST_NAMES
    more = f" and {num_more} more" if num_more > 0 else ""
    return f"\nSee also: {', '.join(names[:_MOST_NAMES])}{more}\n" if names else ""


def _separate_blocks(blocks: Iterable[str]) -> Iterator[str]:
    """Blocks of text with an empty line between two."""
    for index, block in enumerate(blocks):
        yield f"\n{block}" if index else block


def _lines(blocks: Iterable[str]) -> Iterator[str]:
    """The lines of blocks of text, each of which ends in a line end."""
    return (line for block in blocks if block for line in block.removesuffix("\n").split("\n"))
