"""A page as tests read it: its tags, its links, the texts and the values of its tables."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any, NamedTuple

VOID = {"meta", "link", "path", "line", "circle", "wbr", "input"}


class Cell(NamedTuple):
    """What a cell shows, and the number behind it where it is rounded."""

    text: str
    value: float | None


class Page(HTMLParser):
    """The tags of a page, each closed by its own; its tables by their captions.

    open      the tags that are not closed yet
    tags      all of them
    links     all that leads or loads anything
    ids       what links may lead to
    rows      the texts of all tables, row by row
    tables    caption -> the rows below the heads
    """

    def __init__(self, text: str) -> None:
        """Read a page."""
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.rows: list[list[str]] = []
        self.tables: dict[str, list[list[Cell]]] = {}
        self._table: list[list[Cell]] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a tag."""
        attributes = {name: value or "" for name, value in attrs}
        assert not any(name.startswith("on") for name in attributes)
        self.tags.append(tag)
        self.links += [
            attributes[n] for n in ("src", "href", "action", "data", "srcset") if n in attributes
        ]
        self.ids += [attributes["id"]] if "id" in attributes else []
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self._table = []
        elif tag == "caption":
            self._caption = ""
        elif tag == "tr":
            self.rows.append([])
            self._table.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            value = float(attributes["data-v"]) if attributes.get("data-v") else None
            self._table[-1].append(Cell("", value))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that closes itself."""
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        """It must be the one that was opened last."""
        if tag not in VOID:
            assert self.open.pop() == tag
        if tag == "caption":
            self.tables[self._caption] = self._table
        elif tag == "thead":
            del self._table[0]

    def handle_data(self, data: str) -> None:
        """Take what stands in a cell or a caption."""
        if any(tag in ("td", "th") for tag in self.open):
            self.rows[-1][-1] += data
            cell = self._table[-1][-1]
            self._table[-1][-1] = cell._replace(text=cell.text + data)
        elif "caption" in self.open:
            self._caption += data

    def values(self, caption: str) -> list[list[str | float]]:
        """The rows of a table, exact where a cell is rounded."""
        return [
            [cell.text if cell.value is None else cell.value for cell in row]
            for row in self.tables[caption]
        ]


def page_data(text: str) -> dict[str, Any]:
    """The data of a page of results."""
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    data: dict[str, Any] = json.loads(found, parse_constant=lambda name: 1 / 0)
    return data


def without_code(text: str) -> str:
    """A page of results without its script and style, which are the same on every page."""
    return re.sub(r"<(script|style)>.*?</\1>", "", text, flags=re.S)


def static_html(text: str) -> str:
    """What stands on a page of results that is read without its script."""
    return text.partition('<div id="static">')[2].partition("</main>")[0]


def nothing_is_loaded(text: str) -> Page:
    """A page of results leads to itself alone, and runs no script and no style but its own."""
    page = Page(text)
    inner = [link[1:] for link in page.links if link.startswith("#")]
    assert set(inner) <= set(page.ids)
    assert len(set(page.ids)) == len(page.ids)
    assert all(link.startswith(("#", "data:")) for link in page.links)
    plain = without_code(text)
    for word in ("://", "@import", "url(", " style="):
        assert word not in plain
    for kind in ("script", "style"):
        (code,) = re.findall(f"<{kind}>(.*?)</{kind}>", text, re.S)
        assert set(re.findall(r"\w+://[\w./]*", code)) <= {"http://www.w3.org/2000/svg"}
        assert "@import" not in code
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in text
    assert "default-src 'none';" in text
    assert "unsafe-inline" not in text
    return page
