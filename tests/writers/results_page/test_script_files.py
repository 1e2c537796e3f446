"""The script of the page of results: what its files may hold, without a browser.

`make test-browser` checks its types and runs it.
"""

from __future__ import annotations

import re

from irev.writers.results_page.page_file import page_script, page_style
from tests.files import ROOT

FOLDER = ROOT / "irev/writers/results_page"
FILES = sorted(FOLDER.glob("*.js"))


def test_every_file_but_the_types_is_part_of_the_script():
    listed = (FOLDER / "scripts.txt").read_text("utf-8").split()
    assert sorted([*listed, "types.js"]) == [path.name for path in FILES]


def test_a_file_is_short_and_does_nothing_that_a_page_forbids():
    # texts are set as texts, nothing is evaluated, no attribute holds a style
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write"
    for path in FILES:
        text = path.read_text("utf-8")
        assert len(text.splitlines()) <= 400, path.name
        forbidden = rf"{markup}|\beval\b|new Function|[\"']style[\"']|fetch\("
        assert not re.search(forbidden, text), path.name


def test_no_code_is_taken_for_a_comment():
    for path in FILES:
        # lines that begin as a comment are left out of the page, whatever stands behind
        lines = path.read_text("utf-8").splitlines()
        assert [line for line in lines if re.match(r"\s*(/\*|\*).*\*/\s*\S", line)] == []
        # and blanks at the ends of lines, too, so that no text may run over several
        assert all(line.count("`") % 2 == 0 for line in lines), path.name


def test_every_sentence_of_the_script_is_there():
    import json

    words = json.loads((FOLDER / "words.json").read_text("utf-8"))
    script = "".join(path.read_text("utf-8") for path in FILES)
    said = {
        key
        for key in re.findall(r'\b(?:words|sentence)\("([^"]+)"', script)
        if not key.endswith("_")
    }
    assert said <= {*words}
    # an English plural has a form for one
    assert all(key.removesuffix("_one") in words for key in words)


def test_the_page_is_light():
    assert len(page_script().encode()) <= 80_000
    assert len(page_style().encode()) <= 20_000
    assert "</" + "script" not in page_script().lower()
