"""The page without its script: whole, readable, and saying what the script says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from irev.writers.results_page.page_data import PairCount
from tests.browser.invented import HOSTILE_NAMES, invented_part, long_names, write_invented
from tests.browser.opened import PHONE, OpenedPage

CELLS = """(rows) => rows.map((row) => [...row.cells]
  .filter((cell) => !cell.classList.contains("plot") && !cell.classList.contains("circle") &&
    !cell.classList.contains("more"))
  .map((cell) => cell.textContent.replace(/\\s+/g, " ").trim()))"""
"""The texts of the cells of rows, without plots, circles and what is not shown by default."""

PARTS = {
    "sixteen": lambda: invented_part(long_names(16), 43),
    "a board": lambda: invented_part(long_names(7), 30, kind="board"),
    "one run": lambda: invented_part(["bm25.run"], 30),
    "one topic": lambda: invented_part(["bm25.run", "rm3.run"], 1),
    "two": lambda: invented_part(["bm25.run", "rm3.run"], 250, num_measures=1),
    "a named baseline": lambda: invented_part(long_names(6), 30, baseline=3),
    "small differences are ties": lambda: replace(invented_part(long_names(6), 43), tie=300.0),
    "counts of exact scores": lambda: replace(
        invented_part(long_names(6), 43),
        pair_counts=(tuple(PairCount(pair, 20 - pair, 1 + pair) for pair in range(15)), (), (), ()),
    ),
    "hostile": lambda: invented_part([*HOSTILE_NAMES], 12),
    "not compared": lambda: invented_part(long_names(3), 12, is_tested=False),
}


def assert_says_the_same(static: OpenedPage, drawn: OpenedPage) -> None:
    """Compare the texts of a page opened without its script with those that it draws."""
    for selector in (
        ".answer h2",
        ".answer p, .answer li",
        ".notes p",
        ".made dt",
        ".made dd, .made p",
    ):
        texts = drawn.texts(f"#page {selector}")
        assert static.texts(f"#static {selector}") == texts
        assert texts or selector == ".notes p"
    rows = [each.page.eval_on_selector_all("table.runs tr", CELLS) for each in (static, drawn)]
    assert rows[0] == rows[1]
    assert static.page.locator("#static table.runs .dot").count() == len(rows[0]) - 1
    # nothing asks for a click that does nothing
    assert static.page.locator("#static button, #static input, #static select").count() == 0


@pytest.mark.parametrize("kind", PARTS)
def test_the_static_text_is_the_drawn_one(open_page, tmp_path, kind):
    path = tmp_path / "page.html"
    write_invented(path, kind, PARTS[kind]())
    assert_says_the_same(open_page(path, scripts=False), open_page(path))


def test_the_static_page_fits_a_telephone(open_page, invented):
    opened = open_page(invented("16x43"), scripts=False, width=PHONE)
    assert opened.layout_problems() == []
    assert opened.page.locator("#static .answer").is_visible()
