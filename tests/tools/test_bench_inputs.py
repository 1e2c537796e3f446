"""The benchmark's inputs have the properties that its cases are named for."""

from __future__ import annotations

from itertools import groupby, pairwise
from pathlib import Path

import pytest

from tools.bench import inputs
from tools.bench.inputs import Shape

SHAPE = Shape(topics=40, depth=50, collection=5_000, last_topic=900)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several blocks, the last one shorter."""
    monkeypatch.setattr(inputs, "TOPICS_IN_BLOCK", 15)


def lines(path: Path, separator: str = " ") -> list[list[str]]:
    return [line.split(separator) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def plain(tmp_path: Path) -> list[list[str]]:
    inputs.write_run(tmp_path / "plain", inputs.run_blocks(SHAPE))
    return lines(tmp_path / "plain")


def test_run_is_contiguous_and_strictly_falling(plain: list[list[str]]) -> None:
    topics = [(topic, list(rows)) for topic, rows in groupby(plain, key=lambda row: row[0])]
    assert len({topic for topic, _ in topics}) == len(topics) == 40
    for _, rows in topics:
        scores = [float(row[4]) for row in rows]
        assert len({row[2] for row in rows}) == 50
        assert [row[3] for row in rows] == [str(rank) for rank in range(1, 51)]
        assert all(better > worse for better, worse in pairwise(scores))


def test_same_bytes_again(tmp_path: Path, plain: list[list[str]]) -> None:
    inputs.write_run(tmp_path / "again", inputs.run_blocks(SHAPE))
    assert lines(tmp_path / "again") == plain


def test_tabs_change_nothing_else(tmp_path: Path, plain: list[list[str]]) -> None:
    inputs.write_run(tmp_path / "tabs", inputs.run_blocks(SHAPE), separator="\t")
    assert lines(tmp_path / "tabs", "\t") == plain


def test_shuffled_lines_are_the_same_lines(tmp_path: Path, plain: list[list[str]]) -> None:
    inputs.write_run(tmp_path / "shuffled", inputs.shuffled_blocks(SHAPE))
    shuffled = lines(tmp_path / "shuffled")
    assert shuffled != plain
    assert sorted(shuffled) == sorted(plain)


def test_ties_and_order_inside_topics(tmp_path: Path, plain: list[list[str]]) -> None:
    inputs.write_run(tmp_path / "ties", inputs.run_blocks(SHAPE, ties=True, shuffle=True))
    rows = lines(tmp_path / "ties")
    topics = [topic for topic, _ in groupby(row[0] for row in rows)]
    assert topics == [topic for topic, _ in groupby(row[0] for row in plain)]
    assert sorted(row[:4] for row in rows) == sorted(row[:4] for row in plain)
    assert [row[3] for row in rows] != [row[3] for row in plain]
    distinct = {(row[0], row[4]) for row in rows}
    assert 0.02 < 1 - len(distinct) / len(rows) < 0.08


def test_sparse_judgments(tmp_path: Path, plain: list[list[str]]) -> None:
    inputs.write_qrels(tmp_path / "sparse", inputs.sparse_judgments(SHAPE))
    judged = [(row[0], row[2]) for row in lines(tmp_path / "sparse")]
    assert {topic for topic, _ in judged} == {row[0] for row in plain}
    assert len(judged) == len(set(judged))
    actual = set(judged) & {(row[0], row[2]) for row in plain}
    assert 0.4 < len(actual) / len(judged) < 0.8


def test_dense_judgments(tmp_path: Path, plain: list[list[str]]) -> None:
    inputs.write_qrels(tmp_path / "dense", inputs.dense_judgments(SHAPE))
    judged = lines(tmp_path / "dense")
    assert sorted((row[0], row[2]) for row in judged) == sorted((row[0], row[2]) for row in plain)
    assert {row[3] for row in judged} == {"0", "1", "2", "3"}


def test_pooled_judgments_meet_every_run_of_the_collection(tmp_path: Path) -> None:
    inputs.write_qrels(tmp_path / "pooled", inputs.pooled_judgments(SHAPE, 30))
    judged = [(row[0], row[2]) for row in lines(tmp_path / "pooled")]
    assert len(judged) == len(set(judged)) == 40 * 30
