"""Scores as text: what `--format` names, one file for each shape.

A writer takes results and a layout and yields bytes. Writers are named here and imported when one
is used, since each brings what only it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from irev.writers.layout import Layout, Result

    Writer: TypeAlias = Callable[[Sequence[Result], Layout], Iterator[bytes]]

WRITERS = {
    "trec": "irev.writers.trec:write",
    "table": "irev.writers.table:write_table",
    "csv": "irev.writers.delimited:write_csv",
    "tsv": "irev.writers.delimited:write_tsv",
    "json": "irev.writers.json:write",
    "markdown": "irev.writers.table:write_markdown",
}
"""Format name -> where its writer is, as `module:function`."""

SHEETS = {
    "sheet": "irev.writers.sheet:write",
    "sheet-html": "irev.writers.sheet_html:write",
}
"""The same for the formats that have measures of their own."""

BLOCKWISE = frozenset({"trec"})
"""The formats whose output for several runs is their outputs one after another."""


def writer(name: str) -> Writer:
    """The writer of a format.

    Raises:
        KeyError: where there is no such format.
    """
    from importlib import import_module

    module, _, function = {**WRITERS, **SHEETS}[name].partition(":")
    return cast("Writer", getattr(import_module(module), function))
