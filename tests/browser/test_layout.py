"""Sizes of results and windows: nothing is cut, wider than its window, or on the console."""

from __future__ import annotations

from dataclasses import replace

import pytest

from irev.writers.results_page.page_data import PageDoubt
from tests.browser.invented import HOSTILE_NAMES, invented_part, write_invented
from tests.browser.opened import DESK, LARGE, PHONE, OpenedPage

SIZES = ("1x1", "1x43", "2x1", "2x12", "3x43", "16x43", "60x250", "8x500")


@pytest.mark.parametrize("size", SIZES)
def test_every_size_fits_its_window(open_page, invented, size):
    narrow = open_page(
        invented(size), width=PHONE, scheme="dark", link={"topic": "101", "all": "yes"}
    )
    assert narrow.layout_problems() == []
    wide = open_page(invented(size), width=DESK, link={"show": "differences", "measure": "Time"})
    assert wide.layout_problems() == []


def test_a_large_window_is_used(open_page, invented):
    opened = open_page(invented("60x250"), width=LARGE, scheme="dark")
    assert opened.layout_problems() == []
    box = opened.page.locator("#table").bounding_box()
    assert box["width"] > 0.93 * LARGE
    # texts to read stay narrow
    assert max(each["width"] for each in boxes(opened, ".answer div p")) < 620
    assert boxes(opened, ".answer .verdict")[0]["width"] < 850


def boxes(opened: OpenedPage, selector: str) -> list[dict[str, float]]:
    """Where elements stand."""
    return [each.bounding_box() for each in opened.page.locator(selector).all()]


def test_parts_that_make_no_sense_are_absent(open_page, invented):
    one_run = open_page(invented("1x43"))
    for absent in (
        "#pairs",
        "#pick-baseline",
        "#pick-run",
        "#table [data-key=difference]",
        "#table input",
    ):
        assert one_run.page.locator(absent).count() == 0
    assert one_run.texts("#answer h2")[1] == "Lowest topics"
    one_topic = open_page(invented("2x1"))
    for absent in ("#pairs", "#heat", "#pick-topic", "#table [data-key=p]", "#topic-table"):
        assert one_topic.page.locator(absent).count() == 0
    assert one_topic.texts("#answer h2")[1] == "No test"
    assert one_topic.page.locator("#topic .docs").count() == 1


BREAKS = """(selector) => [...document.querySelectorAll(selector)].flatMap((element) => {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const breaks = [];
  let [top, before] = [null, ""];
  while (texts.nextNode()) {
    const node = texts.currentNode;
    for (let i = 0; i < node.length; i++) {
      const range = document.createRange();
      range.setStart(node, i);
      range.setEnd(node, i + 1);
      const [box] = range.getClientRects();
      if (!box || !box.width) {
        before = node.data[i];
        continue;
      }
      if (top !== null && box.top > top + 4) breaks.push(before);
      [top, before] = [box.top, node.data[i]];
    }
  }
  return breaks;
})"""
"""The last characters of the lines of a text but for its last line."""


@pytest.mark.parametrize("width", [PHONE, 1000, DESK, LARGE])
def test_names_break_behind_separators_alone(open_page, tmp_path, width):
    names = [
        f"trec_2026/{'university_of_applied_sciences_' * (1 + run)}dense.retrieval_v{run}"
        for run in range(3)
    ]
    path = tmp_path / "page.html"
    part = invented_part(names, 12, kind="board")
    doubt = PageDoubt(f"{names[2]} lacks 1 of 12 judged topics, which counts as 0: 3.")
    write_invented(path, f"Leaderboard {names[2]}: 3 runs", replace(part, doubts=(doubt,)))
    opened = open_page(path, width=width)
    breaks = opened.page.evaluate(BREAKS, "h1, #answer p, #answer li, #notes p")
    assert breaks
    assert {*breaks} <= {*"-_./ "}
    assert opened.layout_problems() == []


def test_of_very_many_runs_those_that_are_searched_for_have_pairs(open_page, tmp_path):
    names = [f"run-{number:03}" for number in range(160)]
    path = tmp_path / "page.html"
    write_invented(path, "160 runs", invented_part(names, 5, kind="board", num_measures=1))
    opened = open_page(path)
    assert opened.page.locator("#pairs svg").count() == 0
    (sentence,) = opened.texts("#pairs p")
    assert sentence.startswith("Pairs are drawn of 2 to 150 runs, not of 160: search above")
    assert not opened.page.locator("#pairs-legend").is_visible()
    opened.page.locator("#pick-q").fill("run-00")
    opened.settle()
    assert opened.page.locator("#pairs text title").count() == 10
    assert opened.page.locator("#pairs-legend").is_visible()
    assert opened.layout_problems() == []
    opened.page.locator("#pick-q").fill("")
    opened.settle()
    assert opened.page.locator("#pairs svg").count() == 0
    (entry,) = {text for text in opened.texts(".menu button") if text.startswith("All pairs")}
    assert entry == "All pairs (CSV)"


def test_heads_stay_in_view(open_page, invented):
    opened = open_page(invented("60x250"))
    opened.page.mouse.wheel(0, 1400)
    opened.page.wait_for_function("scrollY > 900")
    assert abs(opened.page.locator("#table thead th").nth(3).bounding_box()["y"]) < 2


def test_hostile_names_are_shown_as_they_are(open_page, tmp_path):
    path = tmp_path / "hostile.html"
    part = invented_part([*HOSTILE_NAMES], 12)
    write_invented(path, HOSTILE_NAMES[0], part)
    for width in (PHONE, DESK):
        opened = open_page(path, width=width, link={"topic": "103"})
        assert opened.layout_problems() == []
        assert {*opened.run_names()} == {run.name for run in map(printed, part.runs)}
        assert opened.page.locator("h1").inner_text() == HOSTILE_NAMES[0]
        assert opened.page.locator("img, iframe").count() == 0
        assert opened.page.locator("script").count() == 2


def printed(run):
    """A run with the name that a page may show: what turns a line round is written out."""
    from irev.core.text import printable

    return run._replace(name=printable(run.name))


def test_a_changed_script_does_not_run(open_page, invented, tmp_path):
    path = tmp_path / "changed.html"
    path.write_text(
        invented("3x43").read_text("utf-8").replace("function draw(", "function  draw(")
    )
    opened = open_page(path)
    assert opened.page.locator("#static").count() == 1
    assert any("Content Security Policy" in problem for problem in opened.problems)
    opened.problems.clear()


def test_dark_and_light_have_colours_of_their_own(open_page, invented):
    colours = []
    for scheme in ("light", "dark"):
        opened = open_page(invented("3x43"), scheme=scheme)
        colours.append(
            opened.page.evaluate("""() => ["body", "#heat .h4", "#table .worse"].map((each) => {
          const style = getComputedStyle(document.querySelector(each));
          return [style.backgroundColor, style.color, style.fill].join();
        })""")
        )
    assert all(light != dark for light, dark in zip(*colours, strict=True))


def test_on_paper_controls_vanish_and_nothing_is_cut(open_page, invented):
    opened = open_page(invented("16x43"), scheme="dark", link={"topic": "104"}, width=1040)
    opened.page.emulate_media(media="print")
    for hidden in (".controls", ".hint", "#table .circle"):
        assert not opened.page.locator(hidden).first.is_visible()
    # A4 across, within its margins
    opened.page.set_viewport_size({"width": 1040, "height": 700})
    opened.settle()
    assert opened.layout_problems() == []
    assert (
        opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
        == "rgb(255, 255, 255)"
    )
    pdf = opened.page.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")


def test_no_run_is_left_by_a_search_and_figures_say_so(open_page, invented):
    opened = open_page(invented("16x43"), link={"q": "nothing has this name"})
    assert opened.texts("#heat") == ["No run matches."]
    assert opened.layout_problems() == []
