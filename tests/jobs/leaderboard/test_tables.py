"""Submissions in several files: a folder that is called as a table is one run."""

from __future__ import annotations

import csv
import json
import shutil
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import parquet

from irev.engine.run_files import find_submissions, submission_names
from irev.read.stream import FoundFolder
from tests import command
from tests.files import SAMPLE

if TYPE_CHECKING:
    from pathlib import Path


def split_run(run: Path, folder: Path) -> Path:
    lines = [line.split() for line in run.read_text(encoding="utf-8").splitlines()]
    topics, _, docs, _, scores, _ = (list(column) for column in zip(*lines, strict=True))
    rows = pa.table({"qid": topics, "docno": docs, "score": [float(score) for score in scores]})
    folder.mkdir(parents=True)
    for number, first in enumerate(range(0, rows.num_rows, 900)):
        parquet.write_table(rows.slice(first, 900), folder / f"part-{number}.parquet")
    (folder / "_SUCCESS").touch()
    return folder


def test_a_folder_called_as_a_table_is_one_submission(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    split_run(SAMPLE / "rm3.run", folder / "team" / "spark.parquet")
    shutil.copy(SAMPLE / "bm25.run", folder)
    shutil.copy(SAMPLE / "rm3.run", folder / "text.run")
    actual = find_submissions([str(folder)])
    assert not actual.refused
    tables = [each for each in actual.files if isinstance(each.path, FoundFolder)]
    assert [(submission_names([each]), each.folders) for each in tables] == [
        (["team/spark"], ("team",))
    ]
    ran = command.irev(
        "leaderboard", "--ci", "none", "--test", "none", "--format", "csv", "-m", "map",
        SAMPLE / "qrels.txt", folder,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    of_runs = {row["run"]: row["map"] for row in csv.DictReader(ran.out.decode().splitlines())}
    assert of_runs["team/spark"] == of_runs["text"] != of_runs["bm25"]


@pytest.mark.parametrize("is_named", [False, True])
def test_a_link_among_the_parts_refuses_the_whole(is_named: bool, tmp_path: Path) -> None:
    table = split_run(SAMPLE / "rm3.run", tmp_path / "runs" / "x.parquet")
    (tmp_path / "secret").write_bytes((table / "part-0.parquet").read_bytes())
    (table / "part-0.parquet").unlink()
    (table / "part-0.parquet").symlink_to(tmp_path / "secret")
    folder = find_submissions([f"{table}/" if is_named else str(tmp_path / "runs")])
    assert not folder.files
    ((path, error),) = folder.refused
    assert path == str(table)
    assert error.problems[0].kind == "link"


def test_a_part_that_is_no_table_refuses_the_whole(tmp_path: Path) -> None:
    table = split_run(SAMPLE / "rm3.run", tmp_path / "runs" / "x.parquet")
    shutil.copy(SAMPLE / "bm25.run", table / "z.parquet")
    shutil.copy(SAMPLE / "bm25.run", tmp_path / "runs")
    ran = command.irev(
        "leaderboard", "--ci", "none", "--test", "none", "-m", "map",
        SAMPLE / "qrels.txt", tmp_path / "runs",
    )  # fmt: skip
    assert b"bm25" in ran.out
    assert "x.parquet" in ran.err


def test_check_takes_the_parts_of_a_table_for_one_file(tmp_path: Path) -> None:
    """Its rows and topics are those of the run; what is wrong is said with the part's name."""
    table = split_run(SAMPLE / "rm3.run", tmp_path / "runs" / "x.parquet")
    shutil.copy(SAMPLE / "bm25.run", tmp_path / "runs")
    lines = (SAMPLE / "rm3.run").read_text(encoding="utf-8").splitlines()
    topics = {line.split()[0] for line in lines}
    for source in (tmp_path / "runs", table):
        ran = command.irev("check", "--format", "json", source)
        data = {each["path"]: each for each in json.loads(ran.out)["files"]}
        assert (ran.code, len(data)) == (0, 1 if source == table else 2)
        assert data[str(table)]["kind"] == "table"
        assert (data[str(table)]["lines"], data[str(table)]["topics"]) == (
            len(lines),
            len(topics),
        )
    shutil.copy(table / "part-0.parquet", table / "part-9.parquet")
    ran = command.irev("check", table)
    assert ran.code == 1
    assert "x.parquet:1: error: part-9.parquet: duplicate document" in ran.out.decode()
    assert "row 1 of part-0.parquet and row 1 of this file" in ran.out.decode()
