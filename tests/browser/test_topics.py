"""Topics: the heat map, one topic with its documents, all topics as a table; pairs and curves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.browser.invented import RANKS, invented_part, long_names

if TYPE_CHECKING:
    from tests.browser.opened import OpenedPage

NAMES = long_names(16)
PART = invented_part(NAMES, 43)
SCORES = np.nan_to_num(PART.scores[0]) / 1e4 if PART.scores is not None else np.zeros((0, 0))
BEST, SECOND = np.argsort(-PART.means[0, :, 0], kind="stable")[:2].tolist()


def drawn_topics(opened: OpenedPage) -> list[str]:
    """The ids below the heat map, from left to right."""
    return opened.texts("#heat text.axis")


@pytest.mark.parametrize(
    ("order", "keys"),
    [
        ("from easy to hard", -SCORES.mean(axis=1)),
        ("where runs differ most", SCORES.min(axis=1) - SCORES.max(axis=1)),
        ("gain of the run over the baseline", SCORES[:, BEST] - SCORES[:, SECOND]),
        ("by id", np.zeros(43)),
    ],
)
def test_topics_stand_in_the_order_that_is_chosen(open_page, invented, order, keys):
    opened = open_page(invented("16x43"))
    opened.choose("#pick-order", order)
    expected = np.argsort(np.round(keys, 9), kind="stable") + 101
    assert drawn_topics(opened) == [*map(str, expected.tolist())]


def test_a_click_on_a_cell_chooses_its_topic_and_run(open_page, invented):
    opened = open_page(invented("16x43"))
    topic = drawn_topics(opened)[10]
    opened.page.locator("#heat").scroll_into_view_if_needed()
    at = opened.page.locator("#heat text.axis").nth(10).bounding_box()
    row = opened.page.locator("#heat text").nth(4).bounding_box()
    middle = at["x"] + at["width"] / 2, row["y"] + row["height"] / 2
    opened.page.mouse.move(*middle)
    hint = opened.texts("#hint div")
    assert hint[1].startswith(f"topic {topic}: nDCG@10 ")
    opened.page.mouse.click(*middle)
    opened.settle()
    assert opened.link() == {"topic": topic, "run": opened.run_names()[4]}
    assert opened.page.locator("#heat .frame").count() == 1


def test_arrow_keys_move_in_the_heat_map(open_page, invented):
    opened = open_page(invented("16x43"))
    topics = drawn_topics(opened)
    opened.page.locator("#heat").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"):
        opened.page.keyboard.press(key)
        opened.settle()
    assert opened.link()["topic"] == topics[0]
    assert opened.link()["run"] == opened.run_names()[2]
    assert opened.texts("#said")[0].startswith(f"topic {topics[0]}, ")
    assert opened.page.evaluate("document.activeElement.id") == "heat"


def test_a_topic_shows_the_scores_of_all_runs(open_page, invented):
    opened = open_page(invented("16x43"), link={"topic": "104"})
    rows = opened.page.eval_on_selector_all(
        "#topic .bars tbody tr",
        "(rows) => rows.map((row) => [row.cells[0].title, row.cells[1].textContent])",
    )
    scores = SCORES[3]
    shown = ["0.000" if text == "lacks it" else text for _, text in rows]
    assert shown == [f"{score:.3f}" for score in sorted(scores, reverse=True)]
    assert {name for name, _ in rows} == {*NAMES}
    count = PART.topics[3].num_relevant
    assert (
        opened.texts("#topic small")[0] == f"{count} relevant document{'' if count == 1 else 's'}"
    )


def test_what_a_run_lacks_is_no_zero(open_page, invented):
    run = next(each for each in PART.runs if each.missing)
    opened = open_page(invented("16x43"), link={"topic": str(101 + run.missing[0])})
    rows = dict(
        opened.page.eval_on_selector_all(
            "#topic .bars tbody tr",
            "(rows) => rows.map((row) => [row.cells[0].title, row.cells[1].textContent])",
        )
    )
    assert rows[run.name] == "lacks it"
    assert opened.page.locator("#heat .lacks").count() == 1


def test_documents_of_two_runs_stand_side_by_side_with_grades(open_page, invented):
    opened = open_page(
        invented("16x43"), link={"topic": "104", "run": NAMES[6], "baseline": NAMES[9]}
    )
    documents = PART.documents
    assert documents is not None
    rows = opened.page.eval_on_selector_all(
        "#topic .docs tbody tr",
        "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))",
    )
    assert len(rows) == 10
    for rank, (_, grade, own, also, other_grade, other, _) in enumerate(rows):
        mine, theirs = (documents.ids[run][3] for run in (6, 9))
        assert own == mine[rank]
        assert other == theirs[rank]
        assert grade == documents.grades[3].get(own, "?")
        assert other_grade == documents.grades[3].get(other, "?")
        assert also == (f"↔ {theirs.index(own) + 1}" if own in theirs else "")


def test_next_and_previous_topics_follow_the_order(open_page, invented):
    opened = open_page(invented("16x43"), link={"order": "id", "topic": "143"})
    opened.page.get_by_role("button", name="next topic").click()
    opened.settle()
    assert opened.texts("#topic h3")[0].startswith("Topic 101:")
    opened.page.get_by_role("button", name="previous topic").click()
    opened.settle()
    assert opened.texts("#topic h3")[0].startswith("Topic 143:")


def test_all_topics_are_a_table_that_sorts(open_page, invented):
    opened = open_page(invented("16x43"))
    opened.click("#topic-table summary")
    opened.page.locator("#topic-table thead").get_by_text("median", exact=True).click()
    opened.settle()
    medians = [float(text) for text in opened.texts("#topic-table tbody td:nth-child(4)")]
    expected = sorted((float(f"{m:.3f}") for m in np.median(SCORES, axis=1)), reverse=True)
    assert medians == pytest.approx(expected, abs=0.0011)
    assert medians == sorted(medians, reverse=True)
    opened.click("#topic-table tbody .name")
    assert "topic" in opened.link()


def test_a_click_on_a_pair_compares_its_runs(open_page, invented):
    opened = open_page(invented("16x43"))
    opened.page.locator("#pairs").scroll_into_view_if_needed()
    box = opened.page.locator("#pairs svg").bounding_box()
    columns = opened.page.locator("#pairs text.axis").all()
    tops = [each.bounding_box() for each in columns if each.bounding_box()["y"] < box["y"] + 12]
    # the run of place 16 against that of place 1
    x = tops[0]["x"] + tops[0]["width"] / 2
    opened.page.mouse.move(x, box["y"] + box["height"] - 6)
    order = np.argsort(-PART.means[0, :, 0], kind="stable").tolist()
    assert "is significantly worse than" in opened.texts("#hint")[0]
    opened.page.mouse.click(x, box["y"] + box["height"] - 6)
    opened.settle()
    assert opened.link()["run"] == NAMES[order[15]]
    assert opened.texts("#table .base .tag") == ["baseline"]


def test_ranks_stand_on_a_logarithmic_axis(open_page, invented):
    opened = open_page(invented("3x43"))
    curves = opened.page.locator("#curves path.on").all()
    paths: list[list[str]] = [
        re.findall(r"([\d.]+) [\d.]+", path.get_attribute("d")) for path in curves
    ]
    x = np.array([*map(float, sorted(paths, key=lambda path: len(path))[-1])])
    shares = (x - x[0]) / (x[-1] - x[0])
    assert shares.tolist() == pytest.approx((np.log(RANKS) / np.log(RANKS[-1])).tolist(), abs=1e-3)
    # a shorter run ends at its end
    assert sorted(map(len, paths)) == [4, len(RANKS), len(RANKS)]


def test_a_run_keeps_its_colour_whichever_measure_orders_the_runs(open_page, invented):
    opened = open_page(invented("8x500"))

    def colours() -> dict[str, str]:
        found: list[list[str]] = opened.page.eval_on_selector_all(
            "#curves path.on",
            "(paths) => paths.map((path) => [path.textContent, path.getAttribute('class')])",
        )
        return dict(found)

    before = colours()
    assert len({*before.values()}) == len(before) == 8
    opened.sort_by("Time")
    assert colours() == before
