"""`irev.list_measures` and `irev.describe_measure`: what measures there are, and what each is."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from irev.core.displayed import WIDTH, import_attribute
from irev.core.job import name_job, word_job
from irev.core.record import record
from irev.core.version import __version__
from irev.core.wording import count_text
from irev.errors import UsageError
from irev.jobs.measures.options import MeasureListOptions
from irev.jobs.result import Result
from irev.measures.describe import describe_measure as description_of
from irev.measures.describe import find_measures, suites_unless_other_words
from irev.measures.naming.resolve import resolve_names
from irev.measures.plugins import load_plugins

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.measures.describe import MeasureDescription
    from irev.measures.naming.suites import Suite
    from irev.measures.registry import Measure

BIBTEX, MARKDOWN = "bibtex", "markdown"
"""Forms in which measures are pages and references, not rows of a table."""


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
        else:
            yield from import_attribute("irev.jobs.measures.document:markdown_pages")(self)

    def text(self, form: str = "text", decimals: int = 4, width: int | None = WIDTH) -> str:
        """The list or the pages, or the measures as a table in a form of output.

        Args:
            form: "text"; "markdown" for the pages, "bibtex" for the references, or what
                `Result.text` takes.
            decimals: plays no part: no form here has any.
            width: characters in a line of a table; None: however many it needs.
        """
        if form not in (BIBTEX, MARKDOWN):
            return super().text(form, decimals, width)
        return "".join(self.bibtex_or_markdown_blocks(form)).rstrip("\n")


@record
class MeasureList(_MeasurePages):
    """Measures, or suites of them; `to_frame()` has a row for each."""

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

    shown_by: ClassVar[str] = "irev.jobs.measures.document:list_document"

    @property
    def names(self) -> list[str]:
        """What the measures are called, or the suites."""
        return [each.name for each in self.suites or self.measures]

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

    shown_by: ClassVar[str] = "irev.jobs.measures.document:page_document"

    @property
    def measure(self) -> Measure:
        """The measure: its `name`, `title`, `family`, `formula`, `bounds` ..."""
        return self.description.measure

    def descriptions(self) -> Iterator[MeasureDescription]:
        """That of the measure alone."""
        yield self.description

    def _subject(self) -> str:
        return self.measure.name


@word_job(MeasureListOptions)
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


@name_job(MeasureListOptions)
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
    measure = _meant_measure(name, search.measures)
    return MeasurePage(description_of(measure, __version__, search.written), search.also)


def _meant_measure(name: str, measures: Sequence[Measure]) -> Measure:
    """Of measures with the same name the one that an evaluation takes."""
    if len(measures) == 1:
        return measures[0]
    return resolve_names([name])[0].measure
