"""A comparison as people read it: aligned tables, Markdown, or LaTeX (booktabs)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from irev.comparison.cells import anova_table, mean_table, pair_table, topic_table
from irev.comparison.heading import FOOTNOTE, heading
from irev.core.text import as_bytes, printable
from irev.writers.table import markdown, tabulated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.comparison.blocks import Block
    from irev.comparison.cells import Table
    from irev.comparison.comparison import Comparison


@dataclass(frozen=True)
class Look:
    """How text is set.

    style    tabulate's name of the form of tables
    cell     makes a text safe to stand in a cell
    line     makes a line of the heading or the foot
    title    makes a title
    """

    style: str
    cell: Callable[[str], str]
    line: Callable[[str], str]
    title: Callable[[str], str]


def _comment(line: str) -> str:
    return f"% {printable(line)}"


LOOKS = {
    "table": Look("simple", printable, printable, printable),
    "markdown": Look(
        "github", markdown, lambda line: f"- {markdown(line)}", lambda line: f"### {markdown(line)}"
    ),
    # tabulate escapes what is special to LaTeX, in cells
    "latex": Look("latex_booktabs", printable, _comment, _comment),
}


def write_text(
    found: Comparison, form: str, places: int, *, per_topic: bool, anova: bool
) -> Iterator[bytes]:
    """The heading, then for each class and measure the means, the pairs and what else is wanted.

    Args:
        found: the comparison.
        form: "table", "markdown" or "latex".
        places: decimals.
        per_topic: whether gains and losses by topic are shown.
        anova: whether the analyses of variance are shown.
    """
    look = LOOKS[form]
    yield as_bytes("".join(f"{look.line(line)}\n" for line in heading(found)))
    for block in found.blocks:
        yield as_bytes(f"\n{look.title(_title(block))}\n")
        for table in _tables(found, block, places, per_topic=per_topic, anova=anova):
            yield as_bytes(_set(table, look))
    if any(block.groups for block in found.blocks):
        yield as_bytes(f"\n{look.line(FOOTNOTE)}\n")


def _title(block: Block) -> str:
    of_class = f", topics of class {block.label}" if block.label else ""
    return f"{block.measure}{of_class} ({len(block.topics)} topics)"


def _tables(
    found: Comparison, block: Block, places: int, *, per_topic: bool, anova: bool
) -> Iterator[Table]:
    yield mean_table(found, block, places)
    yield pair_table(found, block, places)
    if anova:
        yield anova_table(block, places)
    if per_topic:
        yield topic_table(found, block, places)


def _set(table: Table, look: Look) -> str:
    body = [[look.cell(cell) for cell in row] for row in table.rows]
    headers: Sequence[str] = [look.cell(header) for header in table.headers]
    return f"\n{tabulated(body, headers, look.style, table.align)}\n"
