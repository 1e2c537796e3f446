"""Tables that hold several runs, as commands take them."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

from tests.command import irev
from tests.files import SAMPLE

if TYPE_CHECKING:
    from pathlib import Path

QRELS = SAMPLE / "qrels.txt"
MAP = {"bm25": "0.3501", "rm3": "0.4385"}
"""trec_eval 10's scores with -c, as sample_data/README.md has them."""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Both runs of the sample in a table."""
    path = tmp_path / "all.csv"
    with path.open("w", newline="", encoding="utf-8", errors="surrogateescape") as file:
        writer = csv.writer(file)
        writer.writerow(("run", "qid", "docno", "score"))
        for name in MAP:
            text = (SAMPLE / f"{name}.run").read_text("utf-8", "surrogateescape")
            fields = map(str.split, text.splitlines())
            writer.writerows((name, topic, doc, score) for topic, _, doc, _, score, *_ in fields)
    return path


def test_trec_text_names_the_table_and_the_run(table: Path) -> None:
    lines = irev("-c", "-m", "map", QRELS, table).out.decode().splitlines()
    assert lines == [
        line
        for name, score in MAP.items()
        for line in (f"# {table}[{name}]", f"map                   \tall\t{score}")
    ]


def test_a_column_without_its_field(table: Path) -> None:
    ran = irev("--columns", "question", QRELS, table)
    assert ran.code == 2
    assert "'question' is not FIELD=NAME" in ran.err


def test_a_board_calls_runs_by_the_column(table: Path) -> None:
    board = ("leaderboard", "--test", "none", "--ci", "none", "-m", "map", "--format", "csv")
    rows = csv.DictReader(irev(*board, QRELS, table).out.decode().splitlines())
    assert [row["run"] for row in rows] == ["rm3", "bm25"]
    beside = irev(*board, QRELS, table, SAMPLE / "bm25.run")
    rows = csv.DictReader(beside.out.decode().splitlines())
    assert sorted(row["run"] for row in rows) == ["all:bm25", "all:rm3", "bm25"]
    twins = [line for line in beside.err.splitlines() if "rank the same documents" in line]
    assert len(twins) == 1
    assert {*twins[0].split()} >= {"bm25", "all:bm25"}


def test_a_board_of_a_folder(table: Path) -> None:
    (table.parent / "runs").mkdir()
    table.rename(table.parent / "runs" / "team.csv")
    ran = irev(
        "leaderboard",
        "-m",
        "map",
        "--test",
        "none",
        "--format",
        "csv",
        "--max-runs",
        str(len(MAP)),
        QRELS,
        table.parent / "runs",
    )
    assert ran.code == 0
    rows = [*csv.DictReader(ran.out.decode().splitlines())]
    assert {row["run"]: f"{float(row['map']):.4f}" for row in rows} == MAP


def test_check_reads_each_run(table: Path) -> None:
    ran = irev("check", "--details", QRELS, table)
    assert ran.code == 0
    line = "run (table), 13 topics, 1,250 rows, 2 runs, 98.3% judged up to rank 10: 0 errors"
    assert line in ran.out.decode()


def test_a_report_takes_all_runs(table: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert irev("report", "-m", "map", "--output", page, QRELS, table).code == 0
    assert all(name in page.read_text("utf-8") for name in MAP)


def test_one_of_the_runs_is_named(table: Path) -> None:
    assert irev("gate", "--min", "map=0.4", QRELS, f"{table}[rm3]").code == 0
    ran = irev("gate", "--min", "map=0.4", QRELS, table)
    assert ran.code == 2
    assert f"{table}: column run has 2 values: bm25, rm3" in ran.err
    assert f"say which run: {table}[bm25]" in ran.err
    assert irev("explain", "-t", "1", "-m", "map", QRELS, f"{table}[bm25]").code == 0


def test_standard_input_is_one_run(table: Path) -> None:
    ran = irev("-m", "map", QRELS, "-", stdin=table)
    assert ran.code == 2
    assert "column run has 2 values" in ran.err
    assert "write the table to a file" in ran.err
