"""--pool: judgments that do not hold the whole pool they were taken from."""

from __future__ import annotations

from pathlib import Path

import pytest

import irev
from irev.engine.score_runs import make_pool
from tests.command import Ran
from tests.command import irev as command

JUDGED = "q 0 a 1\nq 0 b 0\nq 0 d 1\nq 0 f 0\nq 0 g 1\n"
UNJUDGED = "q 0 c -1\nq 0 e -1\nq 0 h -1\n"
RANKING = "xacbdyefh"
RUN = "".join(f"q Q0 {doc} 0 {-rank} r\n" for rank, doc in enumerate(RANKING))

# a at rank 2: 1/2; d at rank 5, above it one relevant, one not, one unjudged of the pool:
# 1/5 + 3/5 * 1/2; g is not retrieved; three are relevant
INFERRED = b"infAP                 \tall\t0.3333\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "qrels").write_text(JUDGED)
    (tmp_path / "complete").write_text(JUDGED + UNJUDGED)
    (tmp_path / "pool").write_text("# judged and not\nq c\nq a\n\nq e\nq h\nother z\nq c\n")
    return tmp_path


def infer(files: Path, *options: str, qrels: str = "qrels") -> Ran:
    return command("-m", "infAP", *options, qrels, "run", cwd=files)


def test_a_file_says_what_was_pooled(files: Path) -> None:
    assert infer(files, qrels="complete").out == INFERRED
    assert infer(files, "--pool", "pool").out == INFERRED
    assert infer(files).out != INFERRED


def test_what_the_qrels_hold_stays(files: Path) -> None:
    """Judgments of pooled documents are kept, and so is what was pooled and not judged."""
    complete = command("-q", "-m", "all_trec", "complete", "run", cwd=files)
    for qrels in ("qrels", "complete"):
        pool = command("-q", "-m", "all_trec", "--pool", "pool", qrels, "run", cwd=files)
        assert pool.out == complete.out


def test_a_pool_of_the_runs(files: Path) -> None:
    """The first three of each run: x and c of this one, e and h of the other."""
    (files / "other").write_text("q Q0 e 1 9 o\nq Q0 h 2 8 o\nq Q0 a 3 7 o\n")
    (files / "same").write_text("q x\nq c\nq e\nq h\n")
    by_file = command("-m", "infAP", "--pool", "same", "qrels", "run", cwd=files)
    by_depth = command("-m", "infAP", "--pool", "depth:3", "qrels", "run", "other", cwd=files)
    assert by_file.out in by_depth.out

    pool = make_pool([str(files / "run"), str(files / "other")], 3)
    scores = irev.evaluate(files / "qrels", files / "run", ["infAP"], pool=pool)
    assert by_file.out.decode().split() == ["infAP", "all", f"{scores.summary()['infAP']:.4f}"]


@pytest.mark.parametrize(
    ("pool", "message"),
    [
        ("bad", "bad:2: 3 fields, expected 2"),
        ("empty", "there is no document in this file"),
        ("missing", "there is no such file"),
        ("elsewhere", "the pool and the qrels have no topic in common: the pool has q2; the qrels"),
        ("depth:0", "a depth is a whole number from 1 on"),
        ("depth:x", "a depth is a whole number from 1 on"),
    ],
)
def test_wrong_pools(files: Path, pool: str, message: str) -> None:
    (files / "bad").write_text("q a\nq a 1\n")
    (files / "empty").write_text("\n# nothing\n")
    (files / "elsewhere").write_text("q2 a\nq2 c\n")
    ran = infer(files, "--pool", pool)
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err


def test_other_judgments_hold_their_pool(files: Path) -> None:
    (files / "groups").write_text("q 1 a 1\n")
    ran = command("-R", "qrels_jg", "-m", "map_avgjg", "--pool", "pool", "groups", "run", cwd=files)
    assert (ran.code, ran.out) == (2, b"")
    assert "a pool needs plain judgments" in ran.err
