"""The sample collection is what its script makes, and holds the oddities its README promises."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

import irev
from tests.files import SAMPLE

FOLDER = SAMPLE
QRELS = ("qrels.txt", "qrels_jg.txt", "prefs.txt")
RUNS = ("bm25.run", "rm3.run", "dense.run.gz", "fusion.run")
PREDICTED = tuple(
    f"predicted/{name}"
    for name in ("auto.qrels", "people.qrels", "late.run", "llm.run", "sparse.run")
)
FIRST = tuple(f"first/{name}" for name in ("qrels.txt", "bm25.run", "neural.run"))


@pytest.fixture(scope="module")
def made_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with freshly made files."""
    folder = tmp_path_factory.mktemp("sample")
    subprocess.run([sys.executable, FOLDER / "make.py", folder], check=True)
    return folder


def content(path: Path) -> bytes:
    """A file's bytes; of a compressed one those inside, which do not depend on zlib."""
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def rows(name: str) -> list[list[str]]:
    """The fields of a file's lines, comments left out."""
    text = content(FOLDER / name).decode()
    return [line.split() for line in text.splitlines() if not line.startswith("#")]


@pytest.mark.thorough
def test_files_are_complete(made_files: Path) -> None:
    names = {str(path.relative_to(made_files)) for path in made_files.rglob("*") if path.is_file()}
    assert names == {*QRELS, *RUNS, *PREDICTED, *FIRST}


def test_files_are_as_made(made_files: Path) -> None:
    for name in (*QRELS, *RUNS, *PREDICTED, *FIRST):
        assert content(FOLDER / name) == content(made_files / name), name


def test_pandas_reads_the_first_set_as_it_is() -> None:
    """What a newcomer writes first: the numbers are those of the files."""
    import pandas as pd

    qrels = pd.read_csv(FOLDER / FIRST[0], sep=r"\s+", header=None)
    run = pd.read_csv(FOLDER / FIRST[1], sep=r"\s+", header=None)
    qrels.columns = pd.Index(["topic", "iteration", "document", "grade"])
    run.columns = pd.Index(["topic", "iteration", "document", "rank", "score", "tag"])

    actual = irev.evaluate(qrels, run, "map nDCG@10").summary()

    assert len(qrels) == 200
    assert actual == irev.evaluate(FOLDER / FIRST[0], FOLDER / FIRST[1], "map nDCG@10").summary()


def test_the_first_set_has_nothing_odd() -> None:
    """`irev check` finds nothing in it."""
    for name in FIRST:
        result = irev.check(str(FOLDER / name))
        assert not list(result.to_frame().itertuples()), name


def test_grades() -> None:
    assert {row[3] for row in rows("qrels.txt")} == {"-1", "0", "1", "2", "3"}


def test_ids_that_readers_spoil() -> None:
    judged = {row[2] for row in rows("qrels.txt")}
    assert judged >= {"007", "7", "NA", "nan", "1e5", "100000", '"q', "café-17", "東京-03", "#42"}


@pytest.mark.parametrize(
    ("name", "missing", "unjudged"),
    [
        ("bm25.run", set(), set()),
        ("rm3.run", set(), {"13"}),
        ("dense.run.gz", {"20"}, set()),
        ("fusion.run", set(), set()),
    ],
)
def test_topics(name: str, missing: set[str], unjudged: set[str]) -> None:
    judged = {row[0] for row in rows("qrels.txt")}
    ranked = {row[0] for row in rows(name)}
    assert len(judged) == 12
    assert judged - ranked == missing
    assert ranked - judged == unjudged


def test_ties() -> None:
    scores = [(row[0], row[4]) for row in rows("rm3.run")]
    assert len(set(scores)) < len(scores) / 2
