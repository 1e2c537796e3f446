"""What each team is sent: best, median and worst by hand, and nothing else of the others."""

import csv
from pathlib import Path
from typing import Any

import pytest

import irev
from irev.core.output_files import replace_file
from tests.command import irev as run_irev

# reciprocal ranks of the one relevant document of topics 1 to 3
RANKS = {
    "alpha/one": (1, 2, 4),
    "alpha/two": (2, 2, 5),
    "beta/hidden-name": (4, 1, 2),
    "gamma": (5, 5, 1),
}


def write_uploads(folder: Path) -> list[Any]:
    (folder / "qrels").write_text("".join(f"{topic} 0 hit 1\n" for topic in "123"))
    for name, ranks in RANKS.items():
        path = folder / "runs" / f"{name}.run"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = []
        for topic, rank in enumerate(ranks, 1):
            docs = [*(f"d{at}" for at in range(rank - 1)), "hit"]
            lines += [f"{topic} Q0 {d} {at} {9 - at} x\n" for at, d in enumerate(docs)]
        path.write_text("".join(lines))
    (folder / "runs/alpha/broken.run").write_text("1 Q0 quoted 1 none x\n")
    (folder / "runs/beta/private-broken.run").write_text("1 Q0 quoted 1 none x\n")
    (folder / "teams").write_text("alpha A team\nbeta B/../team\ngamma.run gamma\n")
    return ["leaderboard", folder / "qrels", folder / "runs", "-m", "RR", "--teams",
            folder / "teams", "--team-pages", folder / "pages"]  # fmt: skip


def test_pages_have_best_median_worst_and_the_own_runs(tmp_path: Path) -> None:
    ran = run_irev(*write_uploads(tmp_path))
    assert ran.code == 0, ran.err
    assert "pages of 3 teams" in ran.err
    pages = {each.name: each.read_text() for each in (tmp_path / "pages").iterdir()}
    assert len(pages) == 6
    assert all(name.partition("-")[0].partition(".")[0] in "A-B-gamma" for name in pages)
    (own,) = (text for name, text in pages.items() if name.startswith("A-") and "csv" in name)
    rows = {(r["run"], r["topic"]): r for r in csv.DictReader(own.splitlines())}
    assert {run for run, _ in rows} == {"alpha/one", "alpha/two"}
    # of topic 1: 1, 1/2, 1/4, 1/5
    first = [float(rows["alpha/two", "1"][name]) for name in ("score", "best", "median", "worst")]
    assert first == [0.5, 1.0, 0.375, 0.2]
    page = next(text for name, text in pages.items() if name.startswith("A-") and "html" in name)
    assert "alpha/one: RR 0.5833, above the median on 1 of 3 topics" in page
    assert "alpha/broken.run:1: the score is not a number" in page
    for text in (own, page):
        for word in ("hidden-name", "private", "beta", "gamma", "B/", "quoted", str(tmp_path)):
            assert word not in text, word


def test_pages_are_of_all_runs_and_of_public_topics_alone(tmp_path: Path) -> None:
    write_uploads(tmp_path)
    (tmp_path / "public").write_text("1\n2\n")
    board = irev.leaderboard(
        tmp_path / "qrels", tmp_path / "runs", "RR",
        teams=tmp_path / "teams", best_per_team=True, public=tmp_path / "public",
    )  # fmt: skip
    assert len(board.standings) == 3
    page = board.team_pages()["A team"]
    frame = page.to_frame()
    assert {*frame["run"]} == {"alpha/one", "alpha/two"}
    assert {*frame["topic"]} == {"1", "2"}
    assert page.broken == ("alpha/broken.run:1: the score is not a number",)


def test_lower_is_better_turns_best_and_worst_round() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}
    runs = {
        "good": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}},
        "bad": {"1": {"b": 2.0, "a": 1.0}, "2": {"b": 2.0, "a": 1.0}},
    }
    board = irev.leaderboard(qrels, runs, "ESL", teams={"good": "x", "bad": "y"})
    row = board.team_pages()["x"].to_frame().iloc[0]
    assert row["score"] == row["best"] < row["worst"]


def test_pages_are_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: Any) -> None:
    words = write_uploads(tmp_path)
    calls: list[str] = []

    def fails_last(path: str) -> Any:
        calls.append(path)
        if len(calls) == 6:
            raise irev.IrevError("disk full")
        return replace_file(path)

    monkeypatch.setattr("irev.jobs.leaderboard.team_pages.replace_file", fails_last)
    ran = run_irev(*words)
    assert ran.code != 0
    assert [*(tmp_path / "pages").iterdir()] == []


def test_pages_need_teams(tmp_path: Path) -> None:
    words = write_uploads(tmp_path)
    words[words.index("--teams") : words.index("--teams") + 2] = []
    ran = run_irev(*words)
    assert (ran.code, "--team-pages needs --teams FILE" in ran.err) == (2, True)
    board = irev.leaderboard(tmp_path / "qrels", tmp_path / "runs", "RR")
    with pytest.raises(irev.UsageError, match="no teams"):
        board.write_team_pages(tmp_path / "pages")
