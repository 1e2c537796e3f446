"""`irev measures`: the registry as a list, or page by page."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import click

from irev.cli.commands import Job
from irev.cli.options import FORMAT, Asked, Taken, load_plugins
from irev.cli.output import print_out
from irev.core.records import Delivery
from irev.core.text import as_bytes
from irev.errors import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from irev.measures.registry import Measure
    from irev.measures.suites import Suite


class Listed(Delivery):
    """The form of what is told."""

    format: Annotated[str, FORMAT.but(
        choices=("text", "json", "markdown", "bibtex"),
        section="Options",
        help="The form of the output: text, json (the records), markdown (the pages) or bibtex "
        "(what they rest on).",
    )] = "text"  # fmt: skip


def measures(words: tuple[str, ...], listed: Listed, asked: Asked) -> int:
    """List the measures, search them, or tell all about some.

    Without a WORD every measure is listed; the name of a set (official, all_trec, ...) lists its
    members. A measure's name, in any spelling that `irev eval -m` takes, prints its page: formula,
    edge cases, source and whether it was checked, what other programs call it and where they
    differ, a sentence for a methods section, and BibTeX. Other words are searched for everywhere;
    a measure is listed where it has them all. `suites` lists the suites, and `suite:NAME` one.
    """
    from irev.measures.finding import find, suites_named

    load_plugins(asked.plugins)
    format = listed.format
    chosen = suites_named(words)
    if chosen:
        print_out(block.encode() for block in _suites(chosen, format))
        return 0
    found = find(words)
    if not found.measures:
        raise UsageError(f"no measure has to do with '{' '.join(words)}'{found.hint}")
    if format == "json":
        blocks = _json(found.measures)
    elif format == "bibtex":
        blocks = _bibtex(found.measures)
    elif format == "markdown":
        blocks = _pages(found.measures, markdown=True)
    elif found.by_name:
        blocks = _pages(found.measures, also=found.also)
    else:
        blocks = _listed(found.measures)
    print_out(as_bytes(block) for block in blocks)
    return 0


def _pages(
    chosen: "Sequence[Measure]", *, markdown: bool = False, also: Sequence[str] = ()
) -> Iterator[str]:
    from irev.core.version import version
    from irev.measures.reference import as_markdown, as_text, page

    for number, measure in enumerate(chosen):
        made = page(measure, version())
        yield ("\n" if number else "") + (as_markdown(made) if markdown else as_text(made))
    if also:
        yield f"\nSee also: {', '.join(also)}\n"


def _listed(chosen: "Sequence[Measure]") -> Iterator[str]:
    """A line for each measure, by family; long signatures take a line of their own."""
    from irev.measures.described import range_of, signature
    from irev.measures.reference import by_family, direction_of

    def ending(measure: "Measure") -> str:
        facts = (range_of(measure), direction_of(measure), ", ".join(measure.sets))
        return "; ".join(filter(None, facts))

    width = 26
    for number, (family, members) in enumerate(by_family(chosen)):
        yield ("\n" if number else "") + f"{family}\n"
        for measure in members:
            name = signature(measure)
            head = f"  {name:<{width}}" if len(name) <= width else f"  {name}\n  {'':<{width}}"
            yield f"{head} {measure.title}\n  {'':<{width}} ({ending(measure)})\n"


def _suites(chosen: "Sequence[Suite]", format: str) -> Iterator[str]:
    """What belongs to each suite, and why."""
    from irev.measures.reference import suite_as_markdown, suite_as_text

    if format == "json":
        import json

        yield json.dumps([suite._asdict() for suite in chosen], indent=1) + "\n"
        return
    if format == "bibtex":
        from irev.measures.names import resolve

        yield from _bibtex([r.measure for suite in chosen for r in resolve(suite.measures)])
        return
    for number, suite in enumerate(chosen):
        as_text = suite_as_markdown if format == "markdown" else suite_as_text
        yield ("\n" if number else "") + as_text(suite)


def _json(chosen: "Sequence[Measure]") -> Iterator[str]:
    import json

    from irev.measures.reference import as_object

    yield json.dumps([as_object(measure) for measure in chosen], indent=1, ensure_ascii=False)
    yield "\n"


def _bibtex(chosen: "Sequence[Measure]") -> Iterator[str]:
    """The entries that the measures rest on, each once."""
    from irev.measures.bibliography import references_of

    entries = {each.key: each.bibtex for measure in chosen for each in references_of(measure)}
    yield "\n".join(entries.values())


def _complete(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    from irev.measures.reference import every_measure

    names = {measure.name: measure.title for measure in every_measure()}
    return [CompletionItem(n, help=t) for n, t in names.items() if n.startswith(incomplete)]


command = Job(
    "measures",
    measures,
    click.Argument(["files"], nargs=-1, metavar="[WORD...]", shell_complete=_complete),
    Listed,
    Taken(Asked, only=("plugins",)),
    example="irev measures ndcg_cut",
)
