"""The leaderboard's page: what JSON says, nothing that is secret, no name that breaks out.

That it works in a browser is tried by `make test-browser`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import irev
from irev.core.judged import Column
from irev.jobs.leaderboard.board import rank_runs
from irev.jobs.leaderboard.leaderboard import Board, Boards, BrokenSubmission, LeaderboardOptions
from irev.scores.table import RunInfo, ScoreTable
from tests.command import irev as command
from tests.files import SAMPLE
from tests.pages import Page, nothing_is_loaded, page_data, static_html, without_code

HOSTILE = '<img src=x onerror="alert(1)">&\'\u202e'
QRELS = str(SAMPLE / "qrels.txt")
RUNS = [str(SAMPLE / name) for name in ("bm25.run", "rm3.run", "fusion.run", "dense.run.gz")]


def track(names=("first", "second"), topics=3, part="", **options):
    values = np.linspace(0.9, 0.1, topics)[:, None] * np.linspace(1, 0.5, len(names))
    entries = tuple(RunInfo(name, f"{name}.run") for name in names)
    ids = tuple(f"<t{number}>".encode() for number in range(topics))
    scores = ScoreTable(ids, entries, (Column("map", "map"),), values[None])
    result = rank_runs(scores, LeaderboardOptions(resamples=100, **options), part_name=part)
    return Board(
        "",
        (result,),
        (BrokenSubmission("bad<1>.run", 3, "bad-score", "a & b", "a <kind>"),),
        ("some <note>",),
    )


def page(*tracks):
    return Boards(tracks).page()


def from_command(*arguments):
    ran = command("leaderboard", *arguments)
    assert ran.code == 0, ran.err
    return ran.out.decode()


def both_forms(*arguments):
    """The part of the page and the board of JSON that a call makes."""
    (part,) = page_data(from_command(*arguments, "--format", "html", QRELS, *RUNS))["parts"]
    data = json.loads(
        from_command(*arguments, "--per-topic", "--format", "json", QRELS, *RUNS)
    )  # fmt: skip
    (board,) = data["leaderboard"][0]["boards"]
    return part, board


def test_the_page_is_sound_and_escapes():
    text = page(track((HOSTILE, "other")))
    actual = nothing_is_loaded(text)
    assert "img" not in actual.tags
    assert "\u202e" not in text
    assert "bad&lt;1&gt;.run:3: a &lt;kind&gt;" in text
    assert "a & b" not in without_code(text).replace("&amp;", "&")
    assert "Some &lt;note&gt;." in text
    shown = HOSTILE.replace("\u202e", "\\u202e")
    assert actual.tables["Runs, sorted by map"][0][2].text == f"{shown} baseline"
    assert actual.tables["map"][0][0].text == "<t0>"
    assert page_data(text)["parts"][0]["runs"][0]["name"] == shown


def test_places_means_and_intervals_are_those_of_json():
    part, board = both_forms("-m", "ndcg_cut.10", "-m", "map", "-m", "P.10")
    names = [run["name"] for run in part["runs"]]
    assert names == sorted(names)
    assert [measure["name"] for measure in part["measures"]] == board["measures"]
    for run in board["runs"]:
        index = names.index(run["run"])
        for measure, means in zip(board["measures"], part["means"], strict=True):
            value = run["measures"][measure]
            ends = [value["value"], value["low"], value["high"]]
            assert means[index] == pytest.approx(ends, rel=1e-11)
            for topic, score in zip(
                part["topics"], part["scores"][board["measures"].index(measure)][index], strict=True
            ):
                own = run["topics"][topic["id"]][measure]
                assert score == (None if topic["id"] in run["missing"] else round(1e4 * own))
    best = names.index(board["runs"][0]["run"])
    for run in board["runs"][1:]:
        one, other = sorted((best, names.index(run["run"])))
        pair = [(a, b) for a in range(4) for b in range(a + 1, 4)].index((one, other))
        assert part["pairs"][0]["p"][pair] == pytest.approx(run["p_best"], abs=5.1e-5)


def test_the_table_has_places_teams_and_what_is_tied(tmp_path):
    teams = tmp_path / "teams"
    teams.write_text("bm25 kiwis\nrm3 kiwis\n")
    arguments = ("-m", "map", "--teams", str(teams))
    text = from_command(*arguments, "--format", "html", QRELS, *RUNS)
    told = json.loads(from_command(*arguments, "--format", "json", QRELS, *RUNS))
    runs = told["leaderboard"][0]["boards"][0]["runs"]
    rows = Page(text).tables["Runs, sorted by map"]
    for run, row in zip(runs, rows, strict=True):
        team = f" {run['team']}" if run["team"] else ""
        tag = " baseline" if run is runs[0] else ""
        assert [cell.text for cell in row[:3]] == [
            str(run["place"]), f"{run['place_low']}\u2013{run['place_high']}",
            f"{run['run']}{team}{tag}",
        ]  # fmt: skip
        counts = [run["wins"], run["ties"], run["losses"]]
        assert row[8 - 1].text == ("" if run is runs[0] else "/".join(map(str, counts)))
    assert static_html(text).count('<td class="medium tied">') == sum(
        run["tied_with_best"] for run in runs
    )


def test_of_the_best_of_teams_p_is_that_of_all_runs(tmp_path):
    """Under the other measures too."""
    teams = tmp_path / "teams"
    teams.write_text("bm25 kiwis\nrm3 kiwis\n")
    measures = ("-m", "map", "-m", "P.10")
    (whole,) = page_data(from_command(*measures, "--format", "html", QRELS, *RUNS))["parts"]
    for more in ((), ("--anonymous",)):
        text = from_command(
            *measures, "--teams", str(teams), "--best-per-team", *more, "--format", "html",
            QRELS, *RUNS,
        )  # fmt: skip
        (part,) = page_data(text)["parts"]
        assert len(part["runs"]) == 3
        # of bm25, dense, fusion, rm3 the last three: their pairs are the last three of six
        for outcomes, of_all in zip(part["pairs"], whole["pairs"], strict=True):
            assert outcomes["p"] == of_all["p"][3:]
            assert outcomes["half"] == of_all["half"][3:]
        assert "all 6 pairs of the 4 runs" in part["test"]


def strings_of(value):
    """All texts in data, names of fields included."""
    if isinstance(value, dict):
        return [text for each in value.items() for text in strings_of([*each])]
    if isinstance(value, list):
        return [text for each in value for text in strings_of(each)]
    return [value] if isinstance(value, str) else []


def test_no_document_and_no_grade_is_told():
    """Of the judgments a page has the scores alone."""
    text = from_command("-m", "map", "--format", "html", QRELS, *RUNS)
    plain = without_code(text)
    documents = {line.split()[2] for line in Path(QRELS).read_text("latin-1").splitlines()}
    assert len(documents) > 100
    assert not [each for each in documents if len(each) > 3 and each in plain]
    (part,) = page_data(text)["parts"]
    assert part["documents"] is part["curves"] is None
    assert {topic["relevant"] for topic in part["topics"]} == {None}
    assert "relevant" not in {row[0].text for row in Page(text).tables["map"]}


@pytest.mark.parametrize("only", ["public", "private"])
def test_the_other_part_of_the_topics_is_in_no_byte(tmp_path, only):
    """Neither its topics nor its scores, though runs lack some of them."""
    ids = [f"secret-{number}" for number in range(6)] + [f"told-{number}" for number in range(6)]
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 d 1\n" for topic in ids))
    (tmp_path / "public").write_text("".join(f"{topic}\n" for topic in ids[6:]))
    for name, lacked in (("one", ids[0]), ("two", ids[6])):
        (tmp_path / f"{name}.run").write_text(
            "".join(f"{topic} Q0 d 1 1 x\n" for topic in ids if topic != lacked)
        )
    text = from_command(
        "-m", "map", "--public", str(tmp_path / "public"), "--only", only, "--format", "html",
        str(tmp_path / "qrels"), str(tmp_path / "one.run"), str(tmp_path / "two.run"),
    )  # fmt: skip
    hidden, shown = ("secret-", "told-") if only == "public" else ("told-", "secret-")
    assert hidden not in text
    assert text.count(shown) > 6
    (part,) = page_data(text)["parts"]
    assert len(part["topics"]) == 6


@pytest.mark.parametrize("form", ["html", "table", "json", "csv", "markdown", "latex"])
def test_made_up_names_hide_every_name(tmp_path, form):
    """In the doubts too: of a run whose scores are all equal, and one that lacks topics."""
    secrets = ["herons-first", "kiwis-second", "owls-third"]
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 d 1\n" for topic in range(4)))
    folder = tmp_path / "runs"
    folder.mkdir()
    for number, name in enumerate(secrets):
        lines = [f"{topic} Q0 d 1 1 {name}\n" for topic in range(4 - number)]
        (folder / f"{name}.run").write_text("".join(lines))
    (folder / "ostriches.run").write_text("no run\n")
    (tmp_path / "teams").write_text("".join(f"{name} team-of-{name}\n" for name in secrets))
    text = from_command(
        "-m", "map", "--anonymous", "--teams", str(tmp_path / "teams"), "--format", form,
        str(tmp_path / "qrels"), str(folder),
    )  # fmt: skip
    for secret in (*secrets, "herons", "kiwis", "owls", "ostriches", "team-of", str(tmp_path)):
        assert secret not in text
    if form != "html":
        assert "run-1" in text
        return
    told = strings_of(page_data(text))
    assert {"run-1", "run-2", "run-3", "team-1"} <= set(told)
    assert any("run-3 lacks 2" in each for each in told)


def test_of_several_boards_each_is_a_part():
    text = page(track(part="public"), track(part="private"))
    nothing_is_loaded(text)
    assert "<title>Leaderboard: map</title>" in text
    for name in ("public", "private"):
        assert f'<h2 class="partname">{name}</h2>' in text
    assert [part["name"] for part in page_data(text)["parts"]] == ["public", "private"]


@pytest.mark.parametrize("only", ["public", "private"])
def test_a_board_of_one_part_of_the_topics_says_so_in_its_title(only):
    text = from_command(
        "-m", "map", "--public", "50%", "--only", only, "--format", "html", QRELS, *RUNS
    )
    assert f"<title>Leaderboard: 4 runs by map, 6 {only} topics</title>" in text
    assert f"<h1>Leaderboard: 4 runs by map, 6 {only} topics</h1>" in text


@pytest.mark.parametrize("lower", [False, True])
def test_wins_are_those_of_the_text_where_scores_differ_in_the_fifth_decimal(lower):
    """By hand: on two topics by 0.00003, on one by a tenth, on one by noise."""
    scores = np.array([[0.50003, 0.5], [0.5, 0.50003], [0.6, 0.5], [0.1 + 0.2, 0.3]])
    name = "ESL" if lower else "map"
    entries = (RunInfo("a", "a.run"), RunInfo("b", "b.run"))
    ids = (b"1", b"2", b"3", b"4")
    column = Column(name, name)
    table = ScoreTable(ids, entries, (column,), scores[None])
    result = rank_runs(table, LeaderboardOptions())
    text = page(Board("", (result,), ()))
    (part,) = page_data(text)["parts"]
    assert part["counts"] == [[0, 1, 2] if lower else [0, 2, 1]]
    last = Page(text).tables[f"Runs, sorted by {name}"][1]
    assert [cell.text for cell in last][-1] == "1/1/2"
    assert result.standings[1].wins_ties_losses == (1, 1, 2)


def test_a_board_that_is_alone_has_no_name():
    text = page(track())
    assert "<title>Leaderboard: 2 runs by map, 3 topics</title>" in text
    assert page_data(text)["parts"][0]["name"] == ""
    assert "partname" not in static_html(text)


def test_a_track_without_a_board_is_not_forgotten():
    lost = Board("lost", (), (BrokenSubmission("bad", 1, "bad-score", "", "why"),))
    (part,) = page_data(page(track(), lost))["parts"]
    assert "lost: bad:1: why" in part["remarks"]


def test_the_details_and_what_could_not_be_scored_are_folded():
    """A reader sees the runs and three of 99 rejected files; the rest takes a line."""
    broken = tuple(BrokenSubmission(f"bad{n}", n, "bad-score", "", "why") for n in range(1, 100))
    text = page(replace(track(), broken=broken))
    assert "<summary>99 submissions could not be scored:</summary>" in static_html(text)
    assert len(page_data(text)["parts"][0]["broken"]) == 100
    before = static_html(text).partition("<table")[0]
    assert "alpha" not in before
    said = "99 submissions could not be scored: bad1:1: why; bad2:2: why; bad3:3: why; and 96 more."
    assert said in before
    assert "bad4" not in before
    made = static_html(text).partition('class="made"')[2]
    assert "Holm" not in before
    assert "Paired t test, two-sided" in made


def test_few_broken_submissions_stand_among_the_doubts():
    broken = (BrokenSubmission("bad", 1, "bad-score", "", "why"),)
    (part,) = page_data(page(replace(track(), broken=broken)))["parts"]
    assert part["doubts"][0]["text"] == "1 submission could not be scored: bad:1: why."
    assert part["broken"] == []
    (part,) = page_data(page(replace(track(), broken=broken * 2, hides_names=True)))["parts"]
    assert part["doubts"][0]["text"] == "2 submissions could not be scored."


@pytest.mark.thorough
def test_large_boards_keep_to_the_size():
    """First pairs of the other measures go, then scores, then pairs: the table stays whole."""
    text = page(track([f"run{number:03}" for number in range(300)], topics=200))
    assert len(text.encode()) < 1_000_000
    (part,) = page_data(text)["parts"]
    assert part["scores"] is None
    assert len(part["pairs"][0]["p"]) == 300 * 299 // 2
    assert len(Page(text).tables["Runs, sorted by map"]) == 300


@pytest.mark.thorough
def test_of_very_many_runs_the_pairs_with_the_best_stay():
    names = [f"run{number:03}" for number in range(600)]
    (part,) = page_data(page(track(names, topics=3)))["parts"]
    assert part["pairs"] == []
    (family,) = part["families"]
    assert (family["baseline"], family["measures"][0]["p"][0]) == (0, None)
    assert len(family["measures"][0]["p"]) == 600


def test_bytes_that_are_not_utf8_are_shown_as_hexadecimal():
    result = page(track(["caf\udce9", "café"]))
    assert r"caf\xe9" in result
    assert "café" in result
    assert "udce9" not in result


@pytest.mark.parametrize("scores", [np.zeros((3, 2)), np.full((1, 2), 0.5), np.full((3, 1), -2.0)])
def test_boards_without_spread_are_drawn(scores):
    topics = tuple(str(number).encode() for number in range(len(scores)))
    entries = tuple(RunInfo(str(number), "") for number in range(scores.shape[1]))
    columns = (Column("map", "map"),)
    part = rank_runs(
        ScoreTable(topics, entries, columns, scores[None]), LeaderboardOptions(resamples=50)
    )
    text = page(Board("", (part,), (), ()))
    nothing_is_loaded(text)
    assert "nan" not in static_html(text)


def test_sums_stand_beside_means():
    part, board = both_forms("-m", "map", "-m", "num_rel_ret")
    mean, total = part["measures"]
    assert "sum" not in mean
    assert total["sum"] is True
    for run in board["runs"]:
        (index,) = (n for n, each in enumerate(part["runs"]) if each["name"] == run["run"])
        value = run["measures"]["num_rel_ret"]["value"]
        assert part["means"][1][index] == [value, None, None]
        assert sum(score or 0 for score in part["scores"][1][index]) == 1e4 * value


def test_a_board_without_a_test_says_so():
    text = from_command("-m", "map", "--test", "none", "--format", "html", QRELS, *RUNS)
    (part,) = page_data(text)["parts"]
    assert (part["pairs"], part["no_test"]) == ([], "No test was asked for.")
    assert "<p>No test was asked for.</p>" in static_html(text)


def test_python_has_the_page_of_the_command():
    text = from_command("-m", "map", "--format", "html", QRELS, *RUNS)
    with pytest.warns(irev.IrevWarning):
        board = irev.leaderboard(QRELS, RUNS, "map")
    assert board.page() == text
