"""`irev.leaderboard` and `irev.leaderboards`, as Python calls them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import irev
from irev.engine.score_runs import score_runs
from irev.errors import InputError, IrevError, UsageError
from irev.jobs.leaderboard.leaderboard import LeaderboardOptions
from tests.command import irev as command
from tests.files import SAMPLE

if TYPE_CHECKING:
    from irev.jobs.leaderboard.leaderboard import Board

QRELS, BM25, RM3 = (str(SAMPLE / name) for name in ("qrels.txt", "bm25.run", "rm3.run"))
GRADES = {"1": {"a": 1}, "2": {"a": 1}}
ONE: dict[str, dict[str, float]] = {"1": {"a": 1.0}, "2": {"b": 2.0, "a": 1.0}}
TWO: dict[str, dict[str, float]] = {"1": {"a": 1.0}, "2": {"a": 1.0}}
PLAIN: dict[str, Any] = {"test": "none", "ci": "none"}


def rows(board: Board) -> list[tuple[int, str, float]]:
    """(place, run, value) of each run."""
    means = board.table.means(board.by)
    return [
        (each.place, board.table.run_names[each.run_index], float(means[each.run_index]))
        for each in board.standings
    ]


# --- the order asked: the first measure ranks the runs -------------------------------------------


@pytest.fixture
def two_runs(tmp_path: Path) -> tuple[str, str, str]:
    """Judgments, a run that is best by P@1, and one that is best by map."""
    documents = ("a", "b", "c")
    qrels, first, second = (tmp_path / name for name in ("qrels", "q1.run", "q2.run"))
    qrels.write_text("".join(f"{t} 0 {d} 1\n" for t in (1, 2) for d in documents))
    first.write_text("".join(f"{t} Q0 a 1 9 q1\n" for t in (1, 2)))
    ranking = enumerate(("z", *documents), 1)
    lines = [f"{{}} Q0 {document} {rank} {9 - rank} q2\n" for rank, document in ranking]
    second.write_text("".join(line.format(topic) for topic in (1, 2) for line in lines))
    return str(qrels), str(first), str(second)


@pytest.mark.parametrize("measures", ["P@1,map", "P@1 map", ["P@1", "map"], ["P@1,map"]])
def test_the_first_measure_that_is_asked_ranks_the_runs(
    measures: Any, two_runs: tuple[str, str, str]
) -> None:
    qrels, *runs = two_runs
    board = irev.leaderboard(qrels, runs, measures, **PLAIN)
    assert (board.by, board.table.measure_names) == ("P@1", ("P@1", "map"))
    assert [run for _, run, _ in rows(board)] == ["q1", "q2"]
    own = irev.leaderboard(qrels, dict(zip("xy", runs, strict=True)), measures, **PLAIN)
    assert (own.by, rows(own)[0][1]) == ("P@1", "x")
    by_map = irev.leaderboard(qrels, runs, measures, by="map", **PLAIN)
    assert (by_map.by, rows(by_map)[0][1]) == ("map", "q2")


@pytest.mark.parametrize(
    "words", [["-m", "P@1,map"], ["-m", "P@1 map"], ["-m", "P@1", "-m", "map"]]
)
def test_the_first_measure_on_the_command_line(
    words: list[str], two_runs: tuple[str, str, str]
) -> None:
    ran = command("leaderboard", "--test", "none", "--ci", "none", *words, *two_runs)
    lead, _, head, _, first, *_ = ran.out.decode().splitlines()
    assert lead.startswith("not tested: q1 leads q2 by ")
    assert head.split()[:3] == ["place", "run", "P@1"]
    assert first.split()[:2] == ["1", "q1"]


@pytest.mark.parametrize("value", ['"P@1,map"', '["P@1", "map"]', '["P@1,map"]'])
def test_the_first_measure_of_a_settings_file(
    value: str, two_runs: tuple[str, str, str], tmp_path: Path
) -> None:
    config = tmp_path / "irev.toml"
    for text, files in (
        (f'[leaderboard]\ntest = "none"\nci = "none"\nmeasures = {value}\n', two_runs),
        (
            '[leaderboard]\ntest = "none"\nci = "none"\n[[leaderboard.track]]\nname = "one"\n'
            f'qrels = "qrels"\nruns = ["q1.run", "q2.run"]\nmeasures = {value}\n',
            (),
        ),
    ):
        config.write_text(text)
        ran = command("leaderboard", "--config", config, "--format", "json", *files)
        [board] = json.loads(ran.out)["leaderboard"][0]["boards"]
        assert (board["by"], board["runs"][0]["run"]) == ("P@1", "q1")


def test_measures_are_the_third_argument() -> None:
    board = irev.leaderboard(QRELS, [BM25, RM3], ["map"])
    assert not board.broken
    assert board.table.measure_names == ("map",)


# --- whose runs these are ------------------------------------------------------------------------


def test_runs_in_memory_are_taken_directly() -> None:
    """Under the names that they were given, by the numbers of the files."""
    of_files = irev.leaderboard(QRELS, [BM25, RM3], "map").to_frame()
    names = ["topic", "q0", "document", "rank", "score", "tag"]
    frame = pd.read_csv(
        RM3, sep=r"\s+", names=names, dtype=str, keep_default_na=False, quoting=3
    ).astype({"score": float})
    board = irev.leaderboard(QRELS, {"bm25": BM25, "rm3": frame}, "map")
    columns = ["place", "run", "map"]
    pd.testing.assert_frame_equal(board.to_frame()[columns], of_files[columns])
    unnamed = irev.leaderboard(GRADES, [ONE, TWO], "map")
    assert rows(unnamed) == [(1, "run 2", 1.0), (2, "run 1", 0.75)]
    renamed = frame.rename(columns={"document": "text"})
    board = irev.leaderboard(QRELS, {"rm3": renamed}, "map", columns={"document": "text"})
    assert board.to_frame()["map"].tolist() == of_files["map"].tolist()[:1]


def test_a_table_and_saved_scores_are_taken_directly(tmp_path: Path) -> None:
    table = score_runs(QRELS, {"bm25": BM25, "rm3": RM3}, "P@5 map", LeaderboardOptions())
    expected = irev.leaderboard(QRELS, {"bm25": BM25, "rm3": RM3}, "P@5 map")
    board = irev.leaderboard(table, test="moderated")
    assert board.to_dict() == expected.to_dict()
    assert irev.leaderboard(board.table, ["rm3"], "map").by == "map"
    saved = [tmp_path / "bm25.json", tmp_path / "rm3.json"]
    for path, run in zip(saved, (BM25, RM3), strict=True):
        command("-q", "-c", "-m", "map", "--format", "json", "--output", path, QRELS, run)
    of_saved = irev.leaderboard(None, [*map(str, saved)], "map")
    assert [value for _, _, value in rows(of_saved)] == pytest.approx(
        sorted(expected.table.means("map").tolist(), reverse=True)
    )


def test_judgments_in_memory_beside_paths_of_runs(tmp_path: Path) -> None:
    for name, run in (("one", ONE), ("two", TWO)):
        lines = [f"{t} Q0 {d} 1 {s} x\n" for t, docs in run.items() for d, s in docs.items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "bad.run").write_text("what is this\n")
    board = irev.leaderboard(GRADES, tmp_path, "map", **PLAIN)
    assert rows(board) == [(1, "two", 1.0), (2, "one", 0.75)]
    [broken] = board.broken
    assert (Path(broken.path).name, broken.kind) == ("bad.run", "field-count")
    assert "what is this" not in str(broken)
    by_pattern = irev.leaderboard(GRADES, f"{tmp_path}/[ot]*.run", "map", **PLAIN)
    assert rows(by_pattern) == rows(board)
    assert not by_pattern.broken


def test_what_is_wrong_is_raised(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give all runs by name"):
        irev.leaderboard(GRADES, [ONE, BM25])
    with pytest.raises(IrevError, match=r"not scored: .*no\.run: the file cannot be opened"):
        irev.leaderboard(QRELS, tmp_path / "no.run")
    with pytest.raises(InputError, match="'x'"):
        irev.leaderboard(GRADES, {"one": ONE, "other": {"1": {"a": "x"}}})
    with pytest.raises(TypeError, match=r"no option 'best_team'; did you mean 'best_per_team'"):
        irev.leaderboard(GRADES, {"one": ONE}, best_team=True)  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="best_per_team needs teams=FILE"):
        irev.leaderboard(GRADES, {"one": ONE}, best_per_team=True)
    with pytest.raises(UsageError, match=r"alpha must be a number, not '0.1'"):
        irev.leaderboard(GRADES, {"one": ONE}, alpha="0.1")  # type: ignore[arg-type]


# --- options and results -------------------------------------------------------------------------


def test_numbers_and_mappings_are_taken_as_such(tmp_path: Path) -> None:
    teams = tmp_path / "teams"
    teams.write_text("bm25 Terns\nrm3 Terns\n")
    runs = {"bm25": BM25, "rm3": RM3}
    of_file = irev.leaderboard(QRELS, runs, "map", teams=str(teams), best_per_team=True)
    board = irev.leaderboard(
        QRELS, runs, "map", teams=dict.fromkeys(runs, "Terns"), best_per_team=True
    )
    assert board.to_dict() == of_file.to_dict()
    assert [(each.team, each.runs_of_team) for each in board.standings] == [("Terns", 2)]
    of_text = irev.leaderboard(QRELS, runs, "map", public="25%", seed=3)
    assert irev.leaderboard(QRELS, runs, "map", public=0.25, seed=3).to_dict() == of_text.to_dict()
    assert [part.name for part in of_text.parts] == ["public", "private"]
    only = irev.leaderboard(QRELS, runs, "map", public=0.25, seed=3, only="private")
    assert [part.name for part in only.parts] == ["private"]


def test_a_board_shows_itself() -> None:
    board = irev.leaderboard(QRELS, [BM25, RM3], "map P@5")
    assert repr(board) == "<Board of 2 runs by map>"
    best = board.standings[0]
    assert (best.place, best.tied_with_best, best.wins_ties_losses) == (1, True, (0, 12, 0))
    assert board.page().startswith("<!DOCTYPE html>")
    assert board.to_frame()["run"].tolist() == ["rm3", "bm25"]
    assert np.isfinite(board.parts[0].low).all()


def test_json_says_whether_topics_have_weights() -> None:
    topics = {line.split()[0]: 2.0 for line in Path(QRELS).read_text(encoding="utf-8").splitlines()}
    for weights, is_weighted in ((None, False), (topics, True)):
        board = irev.leaderboard(QRELS, [BM25, RM3], "map", test="none", weights=weights)
        assert board.to_dict()["leaderboard"][0]["boards"][0]["weighted"] is is_weighted


def test_several_tracks() -> None:
    runs = {"one": ONE, "two": TWO}
    tracks: dict[str, dict[str, Any]] = {
        "passages": {"qrels": GRADES, "runs": runs, "measures": "map"},
        "documents": {"qrels": QRELS, "runs": [BM25, RM3], "measures": ["P@5", "map"], "ci": "bca"},
    }
    boards = irev.leaderboards(tracks, test="none", resamples=100)
    first, second = boards.boards
    assert (first.name, first.by, first.parts[0].options.ci) == ("passages", "map", "t")
    assert (second.name, second.by, second.parts[0].options.ci) == ("documents", "P@5", "bca")
    assert rows(first) == rows(irev.leaderboard(GRADES, runs, "map", test="none"))
    assert boards.to_frame()["track"].tolist() == ["passages"] * 2 + ["documents"] * 2
    assert repr(boards) == "<Boards of 2 tracks>"
    with pytest.raises(UsageError, match="track 'empty' has no runs"):
        irev.leaderboards({**tracks, "empty": {"qrels": GRADES, "runs": []}})
    with pytest.raises(TypeError, match="no option 'tets'"):
        irev.leaderboards({"one": {**tracks["passages"], "tets": "t"}})


def test_a_board_of_public_topics_says_nothing_of_private_ones(tmp_path: Path) -> None:
    topics = ("pub1", "pub2", "priv1", "priv2")
    qrels = {topic: {"a": int(topic != "priv2"), "b": 0} for topic in topics}
    run = {topic: {"a": 1.0, "b": 2.0} for topic in topics}
    lacking = {topic: docs for topic, docs in run.items() if topic not in ("pub2", "priv1")}
    (tmp_path / "public").write_text("pub1\npub2\n")
    with pytest.warns(irev.IrevWarning) as told:
        board = irev.leaderboard(
            qrels, {"r": run, "lacking": lacking}, "map", public=tmp_path / "public", only="public"
        )
    messages = [str(each.message) for each in told]
    assert "lacking lacks 1 of 2 judged topics, which counts as 0: pub2" in messages
    assert "priv" not in "".join((*messages, *map(str, board.warnings), str(board)))


def test_no_name_within_a_file_stands_against_a_team(tmp_path: Path) -> None:
    # both files hold a run y, so that these are called x:y and z:y; z has one called x:y, too
    (tmp_path / "x.csv").write_text("run,topic,map\ny,1,0.5\ny,2,0.25\nw,1,0.1\nw,2,0.2\n")
    (tmp_path / "z.csv").write_text("run,topic,map\ny,1,0.5\ny,2,0.2\nx:y,1,0.1\nx:y,2,0.1\n")
    board = irev.leaderboard(
        {"1": {"a": 1}, "2": {"a": 1}}, [str(tmp_path)], "map", accept_scores=True,
        teams={"x:y": "one"}, max_runs=2,
    )  # fmt: skip
    frame = board.to_frame()
    assert frame.loc[frame["team"] == "one", "run"].tolist() == ["x:y"]
