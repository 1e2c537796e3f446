"""What commands print.

A command gives a `document`, and `forms` writes it in every form. Forms of the scores of runs that
are no tables stand here, each with a file of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from irev.writers.trec import Layout, Result

    Writer: TypeAlias = Callable[[Sequence[Result], Layout], Iterator[bytes]]

SHEETS = {
    "sheet": "irev.writers.sheet:write",
    "sheet-html": "irev.writers.sheet_html:write",
}
"""TREC's summary sheets, which have measures of their own: name -> `module:function`."""

OF_SCORES = {"trec": "irev.writers.trec:write", **SHEETS}
"""All the forms of scores that are no tables."""


def writer(name: str) -> Writer:
    """What writes results in one of the forms `OF_SCORES`, given how they are laid out."""
    from importlib import import_module

    module, _, function = OF_SCORES[name].partition(":")
    return cast("Writer", getattr(import_module(module), function))
