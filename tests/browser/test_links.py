"""Permanent links: what is chosen stands in the address, and the address is followed."""

from __future__ import annotations

import pytest

from tests.browser.invented import invented_part, long_names, write_invented

NAMES = long_names(16)
CHOICES = {
    "measure": "AP", "baseline": NAMES[3], "run": NAMES[7], "topic": "110", "sort": "run",
    "falling": "up", "show": "differences", "order": "spread", "q": "university", "team": "AA",
    "all": "yes",
}  # fmt: skip


def test_a_link_opens_the_page_as_it_was(open_page, invented):
    opened = open_page(invented("16x43"), link=CHOICES)
    assert opened.run_names() == sorted(NAMES[:5])
    assert opened.page.locator("#pick-measure option:checked").inner_text() == "AP"
    assert opened.page.locator("#pick-order").input_value() == "spread"
    assert opened.page.locator("#pick-q").input_value() == "university"
    assert opened.texts("#topic h3")[0] == "Topic 110: AP of every run"
    assert opened.page.locator("#table").get_attribute("class") == "runs all"
    assert opened.texts("#table thead .plot .sub") == ["difference with its interval"]
    # the same choices stand in the address once anything is chosen
    opened.choose("#pick-order", "by id")
    assert opened.link() == {**CHOICES, "order": "id"}


def test_only_what_differs_from_the_first_choices_stands_in_a_link(open_page, invented):
    opened = open_page(invented("16x43"))
    assert opened.link() == {}
    opened.sort_by("AP")
    opened.sort_by("nDCG@10")
    assert opened.link() == {}
    opened.sort_by("nDCG@10")
    assert opened.link() == {"falling": "up"}


@pytest.mark.parametrize(
    "link",
    [
        {"measure": "nothing", "baseline": "no such run", "run": "", "topic": "0", "order": "size"},
        {"sort": "colour", "falling": "sideways", "team": "ZZ", "all": "no", "show": "<b>"},
        {"__proto__": "1", "constructor": "2", "part": "private", "toString": "3"},
    ],
)
def test_what_a_link_asks_and_the_page_lacks_is_ignored(open_page, invented, link):
    opened = open_page(invented("16x43"), link=link)
    assert len(opened.run_names()) == 16
    assert opened.texts("#answer h2")[0] == "Highest mean nDCG@10"
    opened.choose("#pick-order", "by id")
    assert opened.link() == {"order": "id"}


def test_a_changed_address_is_followed(open_page, invented):
    opened = open_page(invented("16x43"))
    opened.page.evaluate("location.hash = '#measure=AP'")
    opened.page.wait_for_selector("#pick-measure option:checked >> text=AP", state="attached")
    assert opened.texts("#answer h2")[0] == "Highest mean AP"


def test_parts_are_chosen_above_the_answer(open_page, tmp_path):
    names = [f"run-{letter}" for letter in "abcde"]
    path = tmp_path / "parts.html"
    write_invented(
        path, "Two boards",
        invented_part(names, 30, name="public", kind="board", seed=1),
        invented_part(names[:4], 20, name="private", kind="board", seed=2, num_measures=2),
    )  # fmt: skip
    opened = open_page(path)
    assert len(opened.run_names()) == 5
    assert opened.page.locator("#table thead [data-key=places]").is_visible()
    opened.sort_by("AP")
    opened.page.get_by_text("private", exact=True).click()
    opened.settle()
    assert sorted(opened.run_names()) == names[:4]
    # the measure stays, since the other part has it, too
    assert opened.link() == {"part": "private", "measure": "AP"}
    opened.go({"part": "private", "topic": "120"})
    assert opened.texts("#topic h3")[0] == "Topic 120: nDCG@10 of every run"
    assert "Run 7 was sent after the deadline." in opened.texts("#remarks-section li")
