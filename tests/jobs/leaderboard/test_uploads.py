"""Hostile uploads beside honest ones, which do not notice."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas
import pytest

import irev
from irev.core.text import LONGEST_KEPT
from irev.engine.confined import ConfinedWorkers
from irev.errors import UsageError
from irev.jobs.leaderboard.leaderboard import NoBoardError
from irev.jobs.leaderboard.scoring import DocumentOrderRequest
from tests.command import irev as command
from tests.files import SAMPLE
from tools.fuzz import uploads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.engine.confined import Answer
    from irev.errors import IrevError

QRELS = SAMPLE / "qrels.txt"


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2))
def test_honest_rows_are_as_without_the_others(seed: int, tmp_path: Path) -> None:
    made, _, finding = uploads.try_seed(seed, tmp_path)
    assert finding is None, (seed, made.command(), finding)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Uploads of two students."""
    for team, name in (("anna", "bm25.run"), ("bert", "rm3.run")):
        path = tmp_path / "all" / team / name
        path.parent.mkdir(parents=True)
        path.write_bytes((SAMPLE / name).read_bytes())
    return tmp_path / "all"


def test_what_is_kept_of_a_file_is_little(folder: Path) -> None:
    """Of tags, ids, columns and messages as long as lines may be, whoever calls keeps the start."""
    long, bm25 = b"x" * (1 << 20), (SAMPLE / "bm25.run").read_bytes()
    contents = {
        "tag": bm25[:-1] + long + b"\n",
        "twice": (b"1 Q0 " + long + b" 1 1 t\n") * 30,
        "score": bm25 + b"1 Q0 d 1 " + long + b" t\n",
        "columns.csv": b'"qid","docno","%b"\n1,a,2\n' % long,
    }
    (folder / "mallory").mkdir()
    for name, content in contents.items():
        (folder / "mallory" / name).write_bytes(content)
    board = irev.leaderboard(QRELS, folder, "map")
    assert [run.name for run in board.table.runs] == ["anna/bm25", "bert/rm3", "mallory/tag"]
    assert all(len(run.run_id) <= LONGEST_KEPT for run in board.table.runs)
    assert max(len(each.full_text) for each in board.broken) < 50 * LONGEST_KEPT
    ran = command("check", "--format", "json", "all", cwd=folder.parent)
    assert b"mallory/twice" in ran.out
    assert len(ran.out) < 1 << 20


def run_lines(num_runs: int) -> str:
    """A table of runs that are all the same."""
    row = '{"run": "r%d", "qid": "1", "docno": "d0032", "score": 1}\n'
    return "".join(row % number for number in range(num_runs))


def test_a_flood_of_runs_is_one_broken_submission(folder: Path) -> None:
    """A table of a few kilobytes would be a board of its own, and its pairs all memory.

    What others upload changes neither the family of the tests nor a p of honest runs; the caller's
    own tables may hold many.
    """
    before = irev.leaderboard(QRELS, folder, "map")
    (folder / "mallory").mkdir()
    many, two = folder / "mallory" / "many.jsonl", folder / "mallory" / "two.jsonl"
    many.write_text(run_lines(1001))
    two.write_text(run_lines(2))
    board = irev.leaderboard(QRELS, folder, "map")
    assert [each.kind for each in board.broken] == ["too-many-runs"] * 2
    assert board.broken[0].meaning == "it holds 1,001 runs, and a submission may hold 1"
    assert board.standings == before.standings
    assert board.parts[0].num_pairs == 1

    quick: dict[str, Any] = {"test": "none", "ci": "none"}
    board = irev.leaderboard(QRELS, folder, "map", max_runs=2, **quick)
    assert (len(board.table.runs), len(board.broken)) == (2 + 2, 1)
    board = irev.leaderboard(QRELS, [many, two], "map", **quick)
    assert board.broken[0].meaning == "it holds 1,001 runs, and a submission may hold 1,000"
    assert len(board.table.runs) == 2
    assert len(irev.leaderboard(QRELS, many, "map", **quick).table.runs) == 1001
    with pytest.raises(NoBoardError, match="it holds 1,001 runs"):
        irev.leaderboard(QRELS, many, "map", max_runs=1, **quick)
    # a folder that is a table is like a file: named, or found
    pandas.read_json(two, lines=True).to_parquet(folder / "mallory" / "part-0.parquet")
    (folder / "mallory").rename(folder / "mallory.parquet")
    for found in (many.name, two.name):
        (folder / "mallory.parquet" / found).unlink()
    board = irev.leaderboard(QRELS, folder, "map", **quick)
    assert [each.path for each in board.broken] == [str(folder / "mallory.parquet")]
    named = [folder / "mallory.parquet", folder / "anna"]
    assert len(irev.leaderboard(QRELS, named, "map", **quick).table.runs) == 3


def test_runs_of_a_table_that_are_the_same_are_read_once_more_together(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request for each run would read the table as often as it has runs."""
    requests: list[str] = []
    outcomes = ConfinedWorkers.outcomes

    def count(workers: ConfinedWorkers, paths: Sequence[str]) -> Iterator[Answer | IrevError]:
        requests.extend(path for path in paths if isinstance(path, DocumentOrderRequest))
        return outcomes(workers, paths)

    monkeypatch.setattr(ConfinedWorkers, "outcomes", count)
    (folder / "mallory.jsonl").write_text(run_lines(3))
    (folder / "copy.run").write_bytes((folder / "anna" / "bm25.run").read_bytes())
    board = irev.leaderboard(QRELS, folder, "map", test="none", max_runs=3)
    assert sorted(map(Path, requests)) == [
        folder / "anna" / "bm25.run", folder / "copy.run", folder / "mallory.jsonl",
    ]  # fmt: skip
    same = [each.message for each in board.table.warnings if each.kind == "identical-runs"]
    assert [text.split(" rank ")[0] for text in same] == [
        "anna/bm25 and copy",
        "mallory:r0 and mallory:r1",
        "mallory:r0 and mallory:r2",
    ]


def test_a_file_that_is_broken_leaves_its_team_to_nobody(folder: Path) -> None:
    """A word may name a file that could not be scored."""
    (folder / "mallory").mkdir()
    forged = folder / "mallory/bm25.run"
    forged.write_bytes((SAMPLE / "fusion.run").read_bytes())
    (folder / "anna/bm25.run").write_text("broken\n")
    with pytest.raises(UsageError, match=r"bm25 in the list of teams may be any .*anna.*mallory"):
        irev.leaderboard(QRELS, folder, "map", teams={"bm25": "Anna"})
    board = irev.leaderboard(QRELS, folder, "map", teams={"anna/bm25.run": "Anna"})
    assert [standing.team for standing in board.standings] == [None, None]
    assert board.notes[-1] == "in the list of teams, but not on the board: anna/bm25.run"


def test_a_folder_with_a_slash_is_no_file(folder: Path) -> None:
    (folder / "anna.run").write_bytes((SAMPLE / "fusion.run").read_bytes())
    with pytest.raises(UsageError, match=r"anna in the list of teams may be any .*anna.run, anna/"):
        irev.leaderboard(QRELS, folder, "map", teams={"anna": "Anna"})
    board = irev.leaderboard(QRELS, folder, "map", teams={"anna/": "Anna"})
    teams = {board.parts[0].run_info(each).name: each.team for each in board.standings}
    assert teams == {"anna": None, "anna/bm25": "Anna", "bert/rm3": None}


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("form", ["table", "csv", "tsv", "markdown", "latex", "html", "sheet"])
def test_a_name_that_is_not_utf_8_is_escaped(folder: Path, form: str) -> None:
    """In every form, of every command that shows runs; JSON has it as a lone surrogate."""
    name = "caf\udce9"
    (folder / f"{name}.run").write_bytes((SAMPLE / "bm25.run").read_bytes()[:-1] + b"\xff\n")
    for words in (
        ("eval", "-q", "-m", "official"), ("compare", "-m", "map"), ("leaderboard", "-m", "map"),
        ("study", "correlation", "-m", "map", "-m", "P.5"), ("check",),
        ("gate", "--min", "map=0", "-m", "map"), ("explain", "-m", "map"),
    ):  # fmt: skip
        if form == "sheet":  # of eval, which has measures of its own
            if words[0] != "eval":
                continue
            words = ("eval",)
        is_one = words[0] in ("gate", "explain")
        files = [f"all/{name}.run"] if is_one else ["all"]
        ran = command(words[0], *words[1:], "--format", form, QRELS, *files, cwd=folder.parent)
        assert ran.code in (0, 1), ran.err
        assert ran.out.decode()
        assert r"\udc" not in ran.err
        if words[0] in ("eval", "compare", "leaderboard"):
            assert rb"xe9" in ran.out


def test_messages_show_bytes_as_a_reader_knows_them(folder: Path) -> None:
    table = folder / "x.csv"
    table.write_bytes(b'"qid","docno",\xa2score"\n1,a,2\n')
    ran = command("-m", "map", QRELS, table)
    assert r"the columns are qid, docno, \xa2score" in ran.err
    with pytest.raises(NoBoardError) as caught:
        irev.leaderboard(QRELS, [table], "map")
    assert r"\xa2score" in caught.value.boards[0].broken[0].full_text
    ran = command("-m", "m\udca2p", QRELS, table)
    assert r"\xa2" in ran.err
    assert r"\udc" not in ran.err


def test_a_packed_bomb_costs_its_own_row(folder: Path) -> None:
    (folder / "bomb.run.gz").write_bytes(gzip.compress(bytes(8 << 20)))
    board = irev.leaderboard(QRELS, folder, "map", max_size=1 << 20)
    assert [each.kind for each in board.broken] == ["max-size"]
    assert len(board.standings) == 2


def test_scores_that_somebody_wrote_stand_beside_no_estimate(tmp_path: Path) -> None:
    """Estimates are made for all runs at once, not by workers; they are of runs all the same."""
    model, people = SAMPLE / "predicted" / "auto.qrels", tmp_path / "people.txt"
    rows = [line.split() for line in model.read_text(encoding="utf-8").splitlines()]
    people.write_text(  # every other document is in the sample
        "".join(
            f"{topic} 0 {document} pool {grade if number % 2 else -1}\n"
            for number, (topic, _, document, grade) in enumerate(rows)
        )
    )
    (tmp_path / "all").mkdir()
    run = tmp_path / "all" / "llm.run"
    run.write_bytes((SAMPLE / "predicted" / "llm.run").read_bytes())
    options: dict[str, Any] = {
        "predicted": model, "qrels_format": "strata", "test": "none", "ci": "none",
    }  # fmt: skip
    saved = command("-q", "-m", "P.10", "--format", "json", "-R", "strata", "--predicted", model,
                    people, run)  # fmt: skip
    (tmp_path / "all" / "mallory.json").write_bytes(saved.out)
    board = irev.leaderboard(people, tmp_path / "all", "P.10", **options)
    assert [each.name for each in board.table.runs] == ["llm"]
    assert [each.kind for each in board.broken] == ["saved-scores"]
    board = irev.leaderboard(people, tmp_path / "all", "P.10", accept_scores=True, **options)
    assert [each.name for each in board.table.runs] == ["llm", "mallory"]
