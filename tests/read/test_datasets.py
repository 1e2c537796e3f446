"""Folders of files that are one table: as one file would be, problems in their files."""

from __future__ import annotations

import hashlib
import re
import shutil
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from irev import InputError, evaluate
from irev.engine.score_runs import score_runs
from irev.read.batches import sha256_of_input
from tests import command
from tests.files import SAMPLE

if TYPE_CHECKING:
    from pathlib import Path

QRELS = SAMPLE / "qrels.txt"
TEXT = SAMPLE / "rm3.run"
MEASURES = ["map", "ndcg", "num_ret", "P_10"]


def sample_rows() -> pa.Table:
    lines = [line.split() for line in TEXT.read_text(encoding="utf-8").splitlines()]
    columns = zip(
        *((topic, doc, float(score)) for topic, _, doc, _, score, _ in lines), strict=True
    )
    return pa.table(dict(zip(("query_id", "docno", "score"), map(list, columns), strict=True)))


@pytest.fixture(scope="module")
def rows() -> pa.Table:
    """A run of the sample data."""
    return sample_rows()


def in_parts(rows: pa.Table, folder: Path, size: int = 700) -> Path:
    """Part files that cut topics, and what Spark leaves beside them."""
    folder.mkdir()
    for number, first in enumerate(range(0, rows.num_rows, size)):
        parquet.write_table(rows.slice(first, size), folder / f"part-{number:05}.snappy.parquet")
    for name in ("_SUCCESS", ".part-00000.snappy.parquet.crc", "_metadata"):
        (folder / name).write_bytes(b"x")
    return folder


def by_topic(rows: pa.Table, folder: Path, name: str = "query_id") -> Path:
    """A folder for each topic, whose files lack the column."""
    topics = rows.column("query_id").to_pylist()
    for topic in dict.fromkeys(topics):
        inner = folder / f"{name}={topic.replace(' ', '%20').replace('é', '%C3%A9')}"
        inner.mkdir(parents=True)
        mine = rows.filter(pa.array([each == topic for each in topics])).drop_columns("query_id")
        for part in range(2):
            half = mine.slice(part * (mine.num_rows // 2), None if part else mine.num_rows // 2)
            parquet.write_table(half, inner / f"part-{part}.parquet")
    return folder


def bits(found: Any) -> tuple[Any, ...]:
    return found.topics, found.values.tobytes(), found.account


@pytest.mark.parametrize("threads", [1, 3])
def test_a_folder_is_the_table_of_its_files(threads: int, rows: pa.Table, tmp_path: Path) -> None:
    text = evaluate(QRELS, TEXT, MEASURES)
    shuffled = rows.take(Random(5).sample(range(rows.num_rows), rows.num_rows))
    mixed = in_parts(rows.slice(0, 1000), tmp_path / "mixed")
    feather.write_feather(rows.slice(1000), str(mixed / "rest.arrow"))
    for folder in (
        in_parts(rows, tmp_path / "parts.parquet"),
        in_parts(shuffled, tmp_path / "shuffled"),
        by_topic(rows, tmp_path / "by_topic"),
        by_topic(rows, tmp_path / "other_name", "qid"),
        mixed,
    ):
        scores = evaluate(QRELS, folder, MEASURES, threads=threads)
        assert bits(scores) == bits(text), folder


def test_topics_of_folders_are_bytes(tmp_path: Path) -> None:
    """A blank and an é as programs escape them; 007 is not 7."""
    topics = ["a b", "é", "007"]
    rows = pa.table({"query_id": topics, "docno": ["d"] * 3, "score": [1.0] * 3})
    by_topic(rows, tmp_path / "run")
    scores = evaluate({topic: {"d": 1} for topic in topics}, tmp_path / "run", ["num_rel_ret"])
    assert set(scores.per_topic()) == set(topics)


def test_judgments_in_a_folder(tmp_path: Path) -> None:
    lines = [line.split() for line in QRELS.read_text(encoding="utf-8").splitlines()]
    columns = {"query_id": 0, "docno": 2}
    given = {name: [line[at] for line in lines] for name, at in columns.items()}
    table = pa.table({**given, "relevance": [int(line[3]) for line in lines]})
    by_topic(table, tmp_path / "qrels")
    read = evaluate(tmp_path / "qrels", TEXT, MEASURES, sign=True)
    assert bits(read) == bits(evaluate(QRELS, TEXT, MEASURES))


def test_on_the_command_line(rows: pa.Table, tmp_path: Path) -> None:
    folder = in_parts(rows, tmp_path / "rm3")
    asked = ("-q", "-m", "map", QRELS)
    assert command.irev(*asked, f"{folder}/").out == command.irev(*asked, TEXT).out
    (tmp_path / "text").mkdir()
    text = shutil.copy(TEXT, tmp_path / "text" / "rm3")
    ran, other = (
        command.irev("compare", "-m", "map", QRELS, run, SAMPLE / "bm25.run")
        for run in (folder, text)
    )
    assert ran.code == other.code == 0
    of_the_file = rb"signature: .*"
    assert re.sub(of_the_file, b"", ran.out) == re.sub(of_the_file, b"", other.out)
    explained = [
        re.sub(
            rb"[|]r:[0-9a-f]+", b"", command.irev("explain", "-t", "1", "-m", "map", QRELS, run).out
        )
        for run in (folder, text)
    ]
    assert explained[0] == explained[1] != b""


def test_runs_beside_each_other(rows: pa.Table, tmp_path: Path) -> None:
    folder = in_parts(rows, tmp_path / "parts")
    table = score_runs(QRELS, [f"{folder}/", str(TEXT)], ["map"])
    values = table.values
    assert values.shape[2] == 2
    assert (values[:, :, 0] == values[:, :, 1]).all()
    assert [entry.name for entry in table.runs] == ["parts", "rm3"]


def test_problems_name_the_file_and_its_row(rows: pa.Table, tmp_path: Path) -> None:
    folder = in_parts(rows.slice(0, 60), tmp_path / "run", 20)
    docs = rows.column("docno").to_pylist()
    topics = rows.column("query_id").to_pylist()
    assert topics[3] == topics[44]
    part = {"query_id": topics[40:60], "docno": docs[40:60], "score": [1.0] * 20}
    part["docno"][4] = docs[3]
    parquet.write_table(pa.table(part), folder / "part-00002.snappy.parquet")
    with pytest.raises(InputError) as caught:
        evaluate(QRELS, folder)
    (problem,) = caught.value.problems
    assert (problem.path, problem.line) == (str(folder / "part-00002.snappy.parquet"), 5)
    where = "row 4 of part-00000.snappy.parquet and row 5 of this file"
    assert problem.message.endswith(where)
    part["score"][9] = None
    parquet.write_table(pa.table(part), folder / "part-00002.snappy.parquet")
    with pytest.raises(InputError, match="a score is missing in column score") as caught:
        evaluate(QRELS, folder)
    assert (caught.value.problems[0].path, caught.value.problems[0].line) == (
        str(folder / "part-00002.snappy.parquet"), 10,
    )  # fmt: skip


def test_the_hash_is_of_all_files(rows: pa.Table, tmp_path: Path) -> None:
    """As `sha256sum` of the files, in order, and of what it writes."""
    shuffled = rows.take(Random(5).sample(range(rows.num_rows), rows.num_rows))
    for each in (rows, shuffled):
        folder = in_parts(each, tmp_path / "run")
        scores = evaluate(QRELS, folder, ["map"], sign=True)
        lines = [
            f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
            for path in sorted(folder.glob("part*"))
        ]
        assert scores.signature is not None
        assert scores.signature.run == hashlib.sha256("".join(lines).encode()).hexdigest()
        shutil.rmtree(folder)


def refused(folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        evaluate(QRELS, folder)
    return str(caught.value).replace(str(folder), "F")


def test_what_is_no_table(rows: pa.Table, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert refused(empty).startswith("F: this is a directory, not a file")
    texts = tmp_path / "texts"
    texts.mkdir()
    shutil.copy(TEXT, texts)
    assert refused(texts).endswith("or Feather; rm3.run is not")
    text = in_parts(rows, tmp_path / "text")
    shutil.copy(TEXT, text / "plus.run")
    assert refused(text).startswith("F/plus.run: this is not a Parquet, Arrow or Feather file")
    delta = in_parts(rows, tmp_path / "delta")
    (delta / "_delta_log").mkdir()
    assert "a table of Delta Lake" in refused(delta)
    loop = in_parts(rows, tmp_path / "loop")
    (loop / "again").symlink_to(loop)
    assert "links back to a folder that contains it" in refused(loop)
    null = by_topic(rows.slice(0, 10), tmp_path / "null")
    (null / "query_id=1").rename(null / "query_id=__HIVE_DEFAULT_PARTITION__")
    assert "query_id is missing in the rows of this folder" in refused(null)


def test_studies_tell_the_hash_of_a_folder(rows: pa.Table, tmp_path: Path) -> None:
    """It is the one that its scores are signed by, and saved scores are held against."""
    folder = in_parts(rows, tmp_path / "run")
    signature = evaluate(QRELS, folder, ["map"], sign=True).signature
    assert signature is not None
    assert sha256_of_input(str(folder)) == signature.run
    assert sha256_of_input(str(TEXT)) == hashlib.sha256(TEXT.read_bytes()).hexdigest()
