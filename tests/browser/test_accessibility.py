"""Accessibility by axe-core, which `make test-browser` installs beside the tests (npm)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser.opened import DESK, PHONE

AXE = Path(os.environ.get("IREV_NODE_MODULES", "build/node/node_modules")) / "axe-core/axe.min.js"


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe."""
    assert AXE.is_file(), f"axe-core is missing ({AXE}): make test-browser installs it by npm"
    return AXE.read_text("utf-8")


FINDINGS = """async () => (await axe.run()).violations.map((each) => [
  each.impact, each.id, each.help, ...each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)),
].join(": "))"""


@pytest.mark.parametrize(
    ("size", "width", "scheme"),
    [
        ("16x43", DESK, "light"), ("16x43", DESK, "dark"), ("16x43", PHONE, "dark"),
        ("1x43", DESK, "light"),
    ],
)  # fmt: skip
def test_axe_has_no_finding(open_page, invented, axe, size, width, scheme):
    opened = open_page(
        invented(size), scheme=scheme, width=width, link={"topic": "104", "all": "yes"}
    )
    opened.click("#topic-table summary")
    opened.page.evaluate(axe)
    assert opened.page.evaluate(FINDINGS) == []


def test_axe_has_no_finding_without_scripts(open_page, invented, axe, tmp_path):
    path = tmp_path / "static.html"
    text = invented("16x43").read_text("utf-8")
    # the script is not the one that the page allows, so that the static text stays
    path.write_text(text.replace("function draw(", "function  draw("), "utf-8")
    opened = open_page(path)
    opened.problems.clear()
    opened.page.evaluate(axe)
    assert opened.page.evaluate(FINDINGS) == []
