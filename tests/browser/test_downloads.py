"""What can be taken away: tables as CSV, figures as SVG, all data as JSON."""

from __future__ import annotations

import csv
import io
import json
from xml.etree import ElementTree

import pytest

from tests.browser.invented import HOSTILE_NAMES, invented_part, long_names, write_invented

NAMES = long_names(16)
PART = invented_part(NAMES, 43)


def rows_of(text: str) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return [*csv.DictReader(io.StringIO(text))]


def test_the_table_has_full_names_and_more_digits_in_the_order_shown(open_page, invented):
    opened = open_page(invented("16x43"), link={"sort": "AP", "team": "BB", "measure": "AP"})
    rows = rows_of(opened.download("The table (CSV)"))
    assert [row["run"] for row in rows] == opened.run_names()
    for row in rows:
        run = NAMES.index(row["run"])
        for index, measure in enumerate(PART.measures):
            ends = [float(row[f"{measure.name}{end}"]) for end in ("", " low", " high")]
            assert ends == PART.means[index, run].tolist()
        assert row["measure"] == "AP"
        if row["run"] != row["baseline"]:
            gain = PART.means[1, run, 0] - PART.means[1, NAMES.index(row["baseline"]), 0]
            assert float(row["difference"]) == pytest.approx(gain, abs=1e-6)
            assert "Holm" in row["test"]
        counts = [int(row[key]) for key in ("wins", "ties", "losses") if row[key]]
        assert sum(counts) in (0, 43)


def test_scores_by_topic_leave_out_what_a_run_lacks(open_page, invented):
    opened = open_page(invented("16x43"))
    rows = rows_of(opened.download("Scores by topic (CSV)"))
    assert len(rows) == 16 * 43
    assert PART.scores is not None
    for row in rows[::37]:
        run, topic = NAMES.index(row["run"]), int(row["topic"]) - 101
        for index, measure in enumerate(PART.measures):
            score = PART.scores[index, topic, run]
            assert (
                row[measure.name] == ""
                if score != score
                else float(row[measure.name]) == pytest.approx(score / 1e4)
            )
    lacking = sum(row["AP"] == "" for row in rows)
    assert lacking == sum(len(run.missing) for run in PART.runs) > 0


def test_pairs_are_those_of_the_data(open_page, invented):
    opened = open_page(invented("16x43"))
    rows = rows_of(opened.download("All pairs (CSV)"))
    assert len(rows) == 4 * 120
    better = sum(
        row["verdict"] == "significantly better" and row["measure"] == "AP" for row in rows
    )
    outcomes = PART.outcomes[1]
    assert outcomes is not None
    assert better == int((outcomes.p <= 0.05).sum())


def test_texts_in_a_csv_are_no_formulas(open_page, tmp_path):
    path = tmp_path / "hostile.html"
    write_invented(path, "hostile", invented_part([*HOSTILE_NAMES], 5))
    opened = open_page(path)
    names = {row["run"] for row in rows_of(opened.download("The table (CSV)"))}
    assert '\'=HYPERLINK("evil","click").run' in names
    assert not any(name.startswith(("=", "+", "-", "@")) for name in names)
    # what turns a line round is written out
    assert "\\u202edesrever-\\u2066egnarts.run" in names


def test_all_data_come_back(open_page, invented):
    opened = open_page(invented("16x43"))
    parsed = json.loads(opened.download("All data of this page (JSON)"))
    assert [run["name"] for run in parsed["parts"][0]["runs"]] == NAMES


@pytest.mark.parametrize(
    "entry",
    [
        "Means or differences (SVG)",
        "Runs by topics (SVG)",
        "All pairs (SVG)",
        "Precision by rank (SVG)",
    ],
)
def test_figures_are_files_of_their_own_in_light_colours(open_page, invented, entry):
    opened = open_page(invented("16x43"), scheme="dark", link={"topic": "110"})
    text = opened.download(entry)
    root = ElementTree.fromstring(text)
    elements = [*root.iter()]
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert not any({"class", "style"} & {*element.attrib} for element in elements)
    inks = {element.get("fill") for element in elements if element.tag.endswith("}text")}
    assert "rgb(22, 25, 29)" in inks
    assert all(element.get("font-size") for element in elements if element.tag.endswith("}text"))
    drawn = [
        element for element in elements if element.tag.rpartition("}")[2] in ("path", "circle")
    ]
    assert all(element.get("fill") or element.get("stroke") for element in drawn)
    width = float(root.get("width", "0"))
    assert width > 250
