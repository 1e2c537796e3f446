"""`irev measures`: the registry as a list, or page by page."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import click

from irev.cli.commands import Job
from irev.cli.options import (
    FORMAT,
    Asked,
    Taken,
    completing,
    load_plugins,
    names_of_measures,
)
from irev.cli.output import print_out, write_document
from irev.core.option_records import OutputOptions
from irev.core.text import as_bytes
from irev.errors import UsageError
from irev.writers.forms import OUTPUT_FORMATS, TEXT

if TYPE_CHECKING:
    from irev.measures.naming.suites import Suite
    from irev.measures.registry import Measure, TrecName
    from irev.writers.document import Document


class Listed(OutputOptions):
    """The form of what is told."""

    format: Annotated[str, FORMAT.replace(
        choices=(TEXT, *OUTPUT_FORMATS, "bibtex"),
        section="Options",
        help="Output format: text, json (the records), markdown (the pages), bibtex (the "
        "references); all other formats list the measures.",
    )] = "text"  # fmt: skip


def measures(words: tuple[str, ...], listed: Listed, asked: Asked) -> int:
    """List, search and explain measures.

    Without WORD all measures are listed. The name of a set (official, all_trec, ...) lists its
    members. The name of a measure, in any spelling that `irev eval -m` accepts, prints its page:
    formula, edge cases, source, how it was checked, names and differences in other programs, a
    sentence for a methods section, and BibTeX. Other words, such as "mean average precision", are
    searched for in names and titles first, then everywhere. `suites` lists the suites and
    `suite:NAME` one suite.
    """
    from irev.measures.measure_search import find_measures, suites_named

    load_plugins(asked.plugins)
    format = listed.format
    chosen = suites_named(words)
    is_page = format in (TEXT, "markdown", "bibtex")
    if chosen and not is_page:
        write_document(_document_of_suites(chosen), format, None)
        return 0
    if chosen:
        print_out(block.encode() for block in _suites(chosen, format))
        return 0
    found = find_measures(words)
    if not found.measures:
        raise UsageError(f"no measure matches '{' '.join(words)}'{found.hint}")
    if not is_page:
        write_document(_document(found.measures), format, None)
        return 0
    if format == "bibtex":
        blocks = _bibtex(found.measures)
    elif format == "markdown":
        blocks = _pages(found.measures, found.written, markdown=True)
    elif found.by_name:
        blocks = chain(_pages(found.measures, found.written), _also(found.also))
    else:
        blocks = chain(_listed(found.measures), _also(found.also))
    print_out(as_bytes(block) for block in blocks)
    return 0


def _pages(
    chosen: "Sequence[Measure]", written: str = "", *, markdown: bool = False
) -> Iterator[str]:
    from irev.core.version import __version__
    from irev.measures.reference import measure_page, page_markdown, page_text

    for number, measure in enumerate(chosen):
        made = measure_page(measure, __version__, written)
        yield ("\n" if number else "") + (page_markdown(made) if markdown else page_text(made))


def _listed(chosen: "Sequence[Measure]") -> Iterator[str]:
    """A line for each measure, by family; trec_eval's names for it stand behind the title."""
    from irev.measures.reference import measures_by_family
    from irev.measures.registry import aliased_measure

    names = {measure.name for measure in chosen}
    own = {m.name for m in chosen if (of := aliased_measure(m.name)) and of[0].name in names}
    for number, (family, members) in enumerate(measures_by_family(chosen)):
        yield ("\n" if number else "") + f"{family}\n"
        for measure in members:
            if measure.position and measure.name in own:
                continue
            there = [_of_trec_eval(of) for of in measure.trec if of.name in own]
            more = f" ({', '.join(there)})" if there else ""
            yield f"  {_in_short(measure):<24} {measure.title}{more}\n"


def _of_trec_eval(of: "TrecName") -> str:
    """How trec_eval writes one of its names."""
    from irev.measures.registry import Cutoffs, Fractions

    letters = {Cutoffs: ".k", Fractions: ".x"}
    return of.name + next((end for kind, end in letters.items() if type(of.parameter) is kind), "")


def _in_short(measure: "Measure") -> str:
    """How the measure is written, without its options where they are many."""
    from irev.measures.descriptions import measure_signature

    name = measure_signature(measure)
    return name if len(name) <= 24 else re.sub(r"[(].*[)]", "(...)", name)


def _also(names: "Sequence[str]") -> Iterator[str]:
    """Other measures, as many as are read."""
    if names:
        more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
        yield f"\nSee also: {', '.join(names[:_MOST])}{more}\n"


_MOST = 20
"""How many names are shown."""

_FIELDS = (
    "name", "written", "title", "family", "range", "higher_is_better", "kind", "summary",
    "judgments", "sets", "aliases", "formula", "source",
)  # fmt: skip
"""Of a record, what a row tells."""


def _document(chosen: "Sequence[Measure]") -> "Document":
    """The measures by family; rows have more of their records."""
    from irev.measures.descriptions import measure_signature, range_text
    from irev.measures.reference import direction_text, measure_object, measures_by_family
    from irev.writers.document import Document, Head, Heading, Records, Table

    heads = [Head(name, "text") for name in ("measure", "title", "range", "better", "sets")]
    parts = [
        part
        for family, members in measures_by_family(chosen)
        for part in (
            Heading(family),
            Table(heads, [
                [measure_signature(m), m.title, range_text(m), direction_text(m), ", ".join(m.sets)]
                for m in members
            ]),
        )
    ]  # fmt: skip
    rows = map(_row, chosen)
    records = [Records("measures", _FIELDS, rows)]
    return Document("Measures", parts, records, lambda: [measure_object(each) for each in chosen])


def _row(measure: "Measure") -> list[Any]:
    """The fields of a row."""
    from irev.measures.descriptions import range_text
    from irev.measures.reference import measure_object

    known = {**measure_object(measure), "range": range_text(measure)}
    return [", ".join(v) if isinstance(v, list) else v for v in map(known.get, _FIELDS)]


def _document_of_suites(chosen: "Sequence[Suite]") -> "Document":
    """The suites, each in a row."""
    from irev.writers.document import Document, Head, Records, Table

    rows: list[list[Any]] = [
        [s.name, s.title, ", ".join(s.measures), s.source, s.version] for s in chosen
    ]
    names = ("name", "title", "measures", "source", "version")
    heads = [Head(name, "text") for name in names]
    records = [Records("suites", names, rows)]
    return Document(
        "Suites of measures", [Table(heads, rows)], records, lambda: [s._asdict() for s in chosen]
    )


def _suites(chosen: "Sequence[Suite]", format: str) -> Iterator[str]:
    """What belongs to each suite, and why."""
    from irev.measures.reference import suite_markdown, suite_text

    if format == "bibtex":
        from irev.measures.naming.resolve import resolve_names

        yield from _bibtex([r.measure for suite in chosen for r in resolve_names(suite.measures)])
        return
    for number, suite in enumerate(chosen):
        as_text = suite_markdown if format == "markdown" else suite_text
        yield ("\n" if number else "") + as_text(suite)


def _bibtex(chosen: "Sequence[Measure]") -> Iterator[str]:
    """The entries that the measures rest on, each once."""
    from irev.measures.reference import references_of

    entries = {each.key: each.bibtex for measure in chosen for each in references_of(measure)}
    yield "\n".join(entries.values())


command = Job(
    "measures",
    measures,
    click.Argument(
        ["files"],
        nargs=-1,
        metavar="[WORD...]",
        shell_complete=completing(names_of_measures, file=""),
    ),
    Listed,
    Taken(Asked, only=("plugins",)),
    example="irev measures ndcg_cut",
)
