"""The README and the guides are true: every command runs, and prints what is shown."""

from __future__ import annotations

import doctest
import locale
import re
from functools import cache
from pathlib import Path

import pytest

import irev as irev_package
from irev.cli.commands import COMMANDS
from irev.measures import load_all
from irev.measures.plugins import forget_measure
from irev.measures.registry import MEASURES
from tests.files import ROOT
from tests.guides import failures, guide_steps, is_shown
from tools.docs import reference_pages

GUIDES = [
    "README.md",
    *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))),
    *(f"docs/evidence/{path.name}" for path in sorted((ROOT / "docs" / "evidence").glob("*.md"))),
    *(f"docs/measures/{path.name}" for path in sorted((ROOT / "docs" / "measures").glob("*.md"))),
]
WITH_SPARK = "docs/speed.md"
"""Its examples run where Spark is: tests/spark."""
WITH_PEERS = "docs/bridges.md"
"""Its examples call the packages that irev stands beside."""
REFERENCE = ROOT / "docs" / "reference"


def _blocks(guide: str, kind: str) -> list[str]:
    """The blocks of a kind, as they stand between their fences."""
    text = (ROOT / guide).read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def _page(guide: str) -> str:
    return (ROOT / guide).read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    "guide", [g for g in GUIDES if g != WITH_SPARK and any(guide_steps(_page(g)))]
)
def test_calls(guide: str, tmp_path: Path) -> None:
    """What a guide calls prints what is shown, to the byte."""
    assert not list(failures(_page(guide), tmp_path))


@pytest.mark.parametrize(
    ("output", "shown", "expected"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\nc\n", "a\n...\nc\n", True),
        ("a\nb\nc\n", "...\nc\n", True),
        ("a\nb\nc\n", "a\n...\n", True),
        ("a\nb\nc\n", "a\n", False),
        ("a.b\n", "a+b\n", False),
        ("a\nxc\n", "a\n...\nc\n", False),
    ],
)
def test_what_is_shown(output: str, shown: str, expected: bool) -> None:
    """Three dots stand for whole lines, all else for itself."""
    assert is_shown(output, shown) == expected


NOT_FOR_READERS = re.compile(r"2>|TMPDIR|\| (head|tail|sed|grep|cut|fold)\b|<\(|\bls\b|\bawk\b")
"""What a call has for a test alone, or to make a file that a reader has otherwise."""


def test_calls_are_for_readers() -> None:
    """Nobody types what only a test needs: `tests/guides.py` has other means."""
    for guide in GUIDES:
        if guide != WITH_SPARK:
            calls = [step.text for step in guide_steps(_page(guide)) if step.output is not None]
            assert not [call for call in calls if NOT_FOR_READERS.search(call)], guide


@pytest.mark.parametrize("guide", ["README.md", "docs/tutorial.md"])
def test_there_are_examples(guide: str) -> None:
    """The blocks are found, so that the tests here are about something."""
    assert len(_blocks(guide, "console")) >= 3
    assert _blocks(guide, "python")


@pytest.mark.parametrize("guide", [g for g in GUIDES if g != WITH_SPARK and _blocks(g, "python")])
def test_python(guide: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python examples give what is shown; measures that they make are forgotten afterwards."""
    if guide == WITH_PEERS:
        pytest.importorskip("ir_measures", reason="make test-bridges brings it")
        if locale.getpreferredencoding(False).upper() != "UTF-8":
            pytest.skip("ir_measures reads files in the encoding of the locale")
    monkeypatch.chdir(ROOT)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    # one after another, as one session
    example = parser.get_doctest(
        "".join(_blocks(guide, "python")), {"__name__": "__main__"}, guide, None, None
    )
    load_all()
    before = set(MEASURES)
    runner.run(example)
    for name in set(MEASURES) - before:
        forget_measure(name)

    assert runner.summarize(verbose=False).failed == 0


def test_python_without_prompts_is_known() -> None:
    """Such blocks are not carried out above: tests/bridges does it with this one."""
    without = [
        block for guide in GUIDES for block in _blocks(guide, "python") if ">>> " not in block
    ]
    assert [block.split("\n")[0] for block in without] == ["import pyterrier as pt"]


@cache
def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and Sphinx make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    anchors: list[str] = []
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        again = sum(
            re.fullmatch(rf"{re.escape(slug)}(-\d+)?", each) is not None for each in anchors
        )
        anchors.append(f"{slug}-{again}" if again else slug)
    return set(anchors)


def test_links() -> None:
    """What a guide links to in the project is there; the site alone has docs/reference."""
    for guide in GUIDES:
        page = ROOT / guide
        text = re.sub(r"`[^`]*`", "", _page(guide))
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", text):
            path = page.parent / target if target else page
            if "://" in target or path.is_relative_to(REFERENCE):
                continue
            assert path.exists(), (guide, target)
            assert not anchor or anchor in _anchors(path), f"{guide}: {target}#{anchor}"


def _menu(page: Path) -> list[str]:
    """What a page's tables of contents name, caption by caption."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```\{toctree\}\n(.*?)^```$", text, re.M | re.S)
    return re.findall(r"^(?!:)(\S+)$", "".join(blocks), re.MULTILINE)


def test_every_page_is_in_the_navigation() -> None:
    """Each page stands once in the menu: in that of the first page, or below another page."""
    for folder in (ROOT / "docs", ROOT / "docs" / "measures"):
        pages = list(folder.glob("*.md"))
        named = [name for page in pages for name in _menu(page) if "/" not in name]
        assert sorted(named) == sorted(page.stem for page in pages if page.stem != "index")


def test_the_menu_is_short() -> None:
    """It has the guides that most people need; what belongs to one of them stands below it."""
    guides = [name for name in _menu(ROOT / "docs" / "index.md") if "/" not in name]
    assert len(guides) <= 14


def test_guides_are_short() -> None:
    """They say what to do in a thousand words; what stands behind it is in docs/evidence."""
    for guide in GUIDES:
        if re.fullmatch(r"docs/[^/]*", guide):
            # what commands print is not counted
            text = re.sub(r"^```console\n.*?^```$", "", _page(guide), flags=re.M | re.S)
            assert len(text.split()) <= 1000, guide


def test_evidence_is_off_the_menu_and_a_guide_links_to_it() -> None:
    """A page of docs/evidence is in no table of contents, which Sphinx is told by `orphan`."""
    links = "".join(_page(guide) for guide in GUIDES if "/evidence/" not in guide)
    for path in (ROOT / "docs" / "evidence").glob("*.md"):
        assert path.read_text(encoding="utf-8").startswith("---\norphan: true\n---\n\n# "), path
        assert f"(docs/evidence/{path.name}" in links or f"(evidence/{path.name}" in links, path


def test_the_reference_has_every_command_and_every_public_name() -> None:
    """What the site makes of click and of docstrings."""
    written = reference_pages.pages()
    for command in COMMANDS:
        assert f"# irev {command}\n" in written[f"{command}.md"]
        assert "`--strict`" in written[f"{command}.md"] or command in ("measures", "completion")
    headings = re.findall(r"^### (\w+)$", written["api.md"], re.MULTILINE)
    public = {name for name in irev_package.__all__ if name[0] != "_"}
    assert sorted(headings) == sorted(public - {"plots", "studies"})


def test_the_readme_is_short() -> None:
    """It is what one reads first: what irev is, one example of each thing, and links."""
    assert (ROOT / "README.md").stat().st_size <= 8192


def test_the_first_page_of_the_site_is_one_screen() -> None:
    """Of 1280 x 800 pixels: two commands, where to go on, and no picture."""
    page = _page("docs/index.md").partition("```{toctree}")[0]
    assert len(page.splitlines()) <= 37
    assert "![" not in page
    (block,) = _blocks("docs/index.md", "console")
    assert [line.split()[1] for line in block.splitlines() if line.startswith("$ ")] == ["irev"] * 2


def test_make_targets() -> None:
    """What the README makes is what the continuous build makes."""
    named = re.findall(r"^make (\w+)$", "\n".join(_blocks("README.md", "sh")), re.MULTILINE)
    build = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    assert named == ["demo", "test"]
    assert all(f"make {target}" in build for target in named)
