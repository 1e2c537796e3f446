"""A page as one HTML file that loads nothing else, whose own script sorts and searches its tables.

Without scripts everything can be read. `#selftest` behind the address sorts every column, searches
every table and follows every link, and leaves the outcome in the attribute `data-selftest` of the
document.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from irev.core.version import __version__
from irev.writers.pages import html_text, page_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SORTABLE = "sortable"
"""The class of a table whose heads sort it."""

SEARCHABLE = "sortable searched"
"""The class of a table that can be searched too."""


def live_page(title: str, body: Iterable[str]) -> Iterator[bytes]:
    """The page, given the lines between its title and its end.

    Args:
        title: of the window and above the text.
        body: lines of HTML, in which texts are escaped.
    """
    yield from map(page_bytes, _live_page_lines(title, body))


def _live_page_lines(title: str, body: Iterable[str]) -> Iterator[str]:
    script, style = _own_file("page.js"), _own_file("page.css")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{html_text(title)}</title>"
    yield f'<link rel="icon" href="data:,">\n<style>{style}</style>\n</head>\n<body>'
    yield f"<main>\n<h1>{html_text(title)}</h1>"
    yield from body
    yield f"</main>\n<footer><p>Made with irev {html_text(__version__)}.</p></footer>"
    yield f"<script>{script}</script>\n</body>\n</html>"


@cache
def _own_file(name: str) -> str:
    return resources.files("irev.writers").joinpath(name).read_text("utf-8")


def contents_list(label: str, linked_parts: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Links to the parts of a page: (identifier, text) of each."""
    yield f'<nav aria-label="{html_text(label)}"><ul>'
    yield from (
        f'<li><a href="#{identifier}">{html_text(text)}</a></li>'
        for identifier, text in linked_parts
    )
    yield "</ul></nav>"


def folded_block(summary: str, lines: Iterable[str], identifier: str = "") -> Iterator[str]:
    """Lines of HTML that a reader unfolds."""
    id_attribute = f' id="{identifier}"' if identifier else ""
    yield f"<details{id_attribute}>\n<summary>{html_text(summary)}</summary>"
    yield from lines
    yield "</details>"


def figure_block(caption: str, remark: str, chart_lines: Iterable[str]) -> Iterator[str]:
    """A chart below its caption, and what else is said of it."""
    small_print = f" <small>{html_text(remark)}</small>" if remark else ""
    yield f"<figure>\n<figcaption>{html_text(caption)}{small_print}</figcaption>"
    yield from chart_lines
    yield "</figure>"
