"""The table of runs: ranks, sorts, baselines, search, columns."""

from __future__ import annotations

from dataclasses import replace

from irev.writers.results_page.page_data import PairCount
from tests.browser.invented import invented_part, long_names, write_invented

NAMES = long_names(16)
PART = invented_part(NAMES, 43)


def names_by(measure_index: int, *, falling: bool) -> list[str]:
    """The runs in the order of the drawn means."""
    means = PART.means[measure_index, :, 0]
    order = sorted(range(len(NAMES)), key=lambda run: (-means[run] if falling else means[run], run))
    return [NAMES[run] for run in order]


def test_a_click_on_a_measure_ranks_by_it_and_everything_follows(open_page, invented):
    opened = open_page(invented("16x43"))
    assert opened.run_names() == names_by(0, falling=True)
    opened.sort_by("AP")
    assert opened.run_names() == names_by(1, falling=True)
    assert opened.texts("#answer h2")[0] == "Highest mean AP"
    assert (
        opened.page.locator("#answer .big").first.get_attribute("title")
        == names_by(1, falling=True)[0]
    )
    assert "AP of 16 runs on 43 topics" in opened.page.locator("#heat svg").get_attribute(
        "aria-label"
    )
    assert "under AP" in opened.page.locator("#pairs svg").get_attribute("aria-label")
    assert opened.page.locator("#pick-measure").input_value() == "1"
    assert opened.link() == {"measure": "AP"}
    # the doubt of this measure alone
    assert "The differences are skewed" in opened.texts("#answer .care")[0]


def test_the_best_of_a_measure_whose_lower_values_are_better_is_the_lowest(open_page, invented):
    opened = open_page(invented("16x43"))
    opened.sort_by("Time")
    assert opened.run_names() == names_by(3, falling=False)
    assert opened.texts("#answer h2")[0] == "Lowest mean Time"
    assert (
        opened.page.locator("#table thead [data-key=m3]").get_attribute("aria-sort") == "ascending"
    )


def test_each_column_sorts_both_ways(open_page, invented):
    opened = open_page(invented("16x43"), link={"all": "yes"}, width=1680)
    heads = opened.texts("#table thead button")
    assert {"#", "95% places", "run", "nDCG@10", "difference", "p", "w/t/l", "judged@10"} <= {
        *heads
    }
    for head in heads:
        for _ in "12":
            opened.sort_by(head)
            sort = opened.page.locator("#table thead th[aria-sort]")
            assert sort.count() == 1
            assert " ".join(sort.inner_text().split()) == head
            values = [sort_key(text) for text in opened.column(head)]
            numbers = [value for value in values if value is not None]
            falls = sort.get_attribute("aria-sort") == "descending"
            assert numbers == sorted(numbers, reverse=falls), head
            # what has no value stands at the end, whichever the order; a difference of 0 has one
            assert head == "difference" or None not in values[: len(numbers)], head


def sort_key(text: str) -> tuple[float, str] | None:
    """What a cell is sorted by, as its text shows it."""
    text = text.partition(", ")[0].rstrip(" ▲▼·").replace("−", "-").replace("<", "").rstrip("%")
    if not text:
        return None
    if text.count("/") == 2:
        wins, _, losses = map(int, text.split("/"))
        return wins - losses, ""
    first = text.split(" to ")[0].split("–")[0]
    try:
        return float(first), ""
    except ValueError:
        return 0, text.lower()


def test_columns_keep_their_widths_when_rows_change_places(open_page, invented):
    opened = open_page(invented("16x43"))
    widths = "(heads) => heads.map((head) => Math.round(head.getBoundingClientRect().width))"
    before = opened.page.eval_on_selector_all("#table thead th", widths)
    labels = opened.page.locator("#table thead .plot text:visible").all_inner_texts()
    opened.sort_by("p")
    after = opened.page.eval_on_selector_all("#table thead th", widths)
    # the arrow beside the head takes some room
    assert all(abs(one - other) < 20 for one, other in zip(before, after, strict=True))
    assert opened.page.locator("#table thead .plot text:visible").all_inner_texts() == labels


def test_a_circle_makes_its_run_the_baseline(open_page, invented):
    opened = open_page(invented("16x43"))
    assert "No baseline was named" in opened.texts("#notes")[0]
    run = NAMES.index(names_by(0, falling=True)[8])
    opened.click(f"#run-{run} input")
    assert opened.link() == {"baseline": NAMES[run]}
    assert opened.texts("#table .base .tag") == ["baseline"]
    assert "No baseline was named" not in opened.texts("#notes")[0]
    differences = opened.column("difference")
    baseline_mean = PART.means[0, run, 0]
    for name, text in zip(opened.run_names(), differences, strict=True):
        if name == NAMES[run]:
            assert text == ""
            continue
        difference = PART.means[0, NAMES.index(name), 0] - baseline_mean
        number, mark = text.partition(",")[0].split(" ")
        assert number.replace("−", "-") == f"{difference:+.3f}"
        verdict = text.partition(", ")[2]
        marks = {"significantly better": "▲", "significantly worse": "▼", "not significant": "·"}
        assert mark == marks[verdict]


def pair_index(run: int, other: int) -> int:
    """Where a pair of sixteen runs stands among (0, 1), (0, 2), ..., (14, 15)."""
    pairs = [(a, b) for a in range(16) for b in range(a + 1, 16)]
    return pairs.index((min(run, other), max(run, other)))


def test_p_and_marks_of_a_baseline_are_those_of_the_data(open_page, invented):
    opened = open_page(invented("16x43"), link={"baseline": NAMES[3]})
    outcomes = PART.outcomes[0]
    assert outcomes is not None
    for name, text, mark in zip(
        opened.run_names(), opened.column("p"), opened.column("difference"), strict=True
    ):
        if name == NAMES[3]:
            assert text == ""
            continue
        p = outcomes.p[pair_index(NAMES.index(name), 3)]
        assert text == ("<0.0001" if p < 0.0001 else f"{p:.4f}")
        assert mark.endswith("not significant") == (p > 0.05)


def test_a_name_is_highlighted_in_every_figure(open_page, invented):
    opened = open_page(invented("16x43"))
    run = NAMES.index(names_by(0, falling=True)[5])
    opened.click(f"#run-{run} .name")
    assert opened.page.locator(f"#run-{run}").get_attribute("class").split() == ["highlighted"]
    assert opened.page.locator(f"#run-{run} .name").get_attribute("aria-pressed") == "true"
    for figure in ("#heat", "#pairs"):
        titles = opened.page.eval_on_selector_all(
            f"{figure} text.hot title", "(titles) => titles.map((title) => title.textContent)"
        )
        assert titles == [NAMES[run]]
    assert NAMES[run] in opened.texts("#curves path.on title")
    assert opened.page.evaluate("document.activeElement.title") == NAMES[run]


def test_nothing_is_highlighted_until_somebody_clicks(open_page, invented):
    opened = open_page(invented("16x43"))
    assert opened.page.locator(".highlighted, .hot, [aria-pressed=true]").count() == 0
    # the other run of a topic's documents is the best one beside the baseline, and is not coloured
    opened.choose("#pick-topic", "104")
    heads = opened.page.eval_on_selector_all(
        "#topic .docs thead th[title]", "(heads) => heads.map((head) => head.title)"
    )
    first, second = names_by(0, falling=True)[:2]
    assert heads == [second, first]
    assert opened.page.locator("#table .highlighted, #topic .hot").count() == 0
    run = NAMES.index(second)
    opened.click(f"#run-{run} .name")
    assert opened.page.locator("#table .highlighted").count() == 1
    opened.click(f"#run-{run} .name")
    assert opened.page.locator(".highlighted").count() == 0
    assert opened.link() == {"topic": "104"}


def test_wins_are_counted_in_the_scores_as_they_are(open_page, tmp_path):
    """A pair of which the rounded scores have other counts stands in the data."""
    exact = PairCount(pair_index(2, 5), 11, 30)
    part = replace(PART, pair_counts=((exact,), (), (), ()))
    path = tmp_path / "counts.html"
    write_invented(path, "counts", part)
    for baseline, other, counts in ((2, 5, "30/2/11"), (5, 2, "11/2/30")):
        opened = open_page(path, link={"baseline": NAMES[baseline]})
        shown = dict(zip(opened.run_names(), opened.column("w/t/l"), strict=True))
        assert shown[NAMES[other]] == counts


def test_search_leaves_matching_runs_and_says_when_there_is_none(open_page, invented):
    opened = open_page(invented("16x43"))
    opened.page.locator("#pick-q").fill("MONOT5")
    opened.settle()
    assert {*opened.run_names()} == {name for name in NAMES if "monoT5" in name}
    assert opened.texts("#shown") == ["3 of 16 runs shown"]
    assert opened.page.locator("#heat text title").count() == 3
    opened.page.locator("#pick-q").fill("no such run")
    opened.settle()
    assert opened.texts("#table tbody tr") == ["No run matches. Show all runs"]
    opened.click("#table tbody button")
    assert len(opened.run_names()) == 16


def test_a_team_is_chosen_from_a_list(open_page, invented):
    opened = open_page(invented("16x43"))
    opened.choose("#pick-team", "BB")
    assert {*opened.run_names()} == {name for name in NAMES if ".BB-" in name}
    assert opened.link() == {"team": "BB"}


def test_more_columns_are_shown_and_hidden(open_page, invented):
    opened = open_page(invented("16x43"))
    places = opened.page.locator("#table thead [data-key=places]")
    assert not places.is_visible()
    opened.click("#pick-all")
    assert places.is_visible()
    assert opened.page.locator("#pick-all").get_attribute("aria-pressed") == "true"
    assert opened.link() == {"all": "yes"}


def test_the_plot_shows_differences_with_the_intervals_of_the_data(open_page, invented):
    opened = open_page(invented("16x43"), link={"baseline": NAMES[3], "show": "differences"})
    axis = opened.page.locator("#table thead .plot svg").get_attribute("aria-label")
    low, high = (
        float(end.replace("−", "-")) for end in axis.removeprefix("axis from ").split(" to ")
    )
    outcomes = PART.outcomes[0]
    assert outcomes is not None
    assert outcomes.half is not None
    for run in (0, 9):
        difference = PART.means[0, run, 0] - PART.means[0, 3, 0]
        half = outcomes.half[pair_index(run, 3)] / 1e4
        bar = opened.page.locator(f"#run-{run} .plot .bar")
        for end, value in (("x1", difference - half), ("x2", difference + half)):
            expected = 3 + 94 * (value - low) / (high - low)
            assert abs(float(bar.get_attribute(end).rstrip("%")) - expected) < 0.02


def test_a_named_baseline_has_the_family_of_its_own_pairs(open_page, tmp_path):
    part = invented_part(NAMES[:6], 30, baseline=2)
    path = tmp_path / "named.html"
    write_invented(path, "named", part)
    opened = open_page(path)
    assert opened.texts("#table .base .name") != []
    assert "the 5 pairs with the baseline" in opened.texts("#notes")[0]
    assert "No baseline was named" not in opened.texts("#notes")[0]
    family = part.families[0].outcomes[0]
    assert family is not None
    shown = dict(zip(opened.run_names(), opened.column("p"), strict=True))
    for run, p in enumerate(family.p):
        if run != 2:
            assert shown[NAMES[run]] == ("<0.0001" if p < 0.0001 else f"{p:.4f}")
    opened.click("#run-0 input")
    assert "for all 15 pairs under a measure" in opened.texts("#notes")[0]


def test_focus_survives_a_redraw_and_changes_are_announced(open_page, invented):
    opened = open_page(invented("16x43"))
    opened.head("AP").focus()
    opened.page.keyboard.press("Enter")
    opened.settle()
    assert opened.page.evaluate("document.activeElement.textContent") == "AP"
    assert opened.texts("#said") == ["sorted by AP, falling"]
    opened.page.keyboard.press("Enter")
    opened.settle()
    assert opened.texts("#said") == ["sorted by AP, rising"]
    opened.page.locator("#run-3 input").focus()
    opened.page.keyboard.press("Space")
    opened.settle()
    assert opened.page.evaluate("document.activeElement.closest('tr').id") == "run-3"
    assert opened.texts("#said")[0].startswith("compared with ")
