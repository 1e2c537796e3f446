"""Documents that occur twice in a topic of a run: an error, or the first line counts."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irev
from irev.core.ids import ids_from_bytes
from irev.core.judged import Rows
from irev.errors import InputError
from irev.rank.ranking import drop_repeated_documents
from irev.read import pieces
from tests.command import irev as command
from tests.strategies import examples

QRELS = "q1 0 a 1\nq1 0 b 1\nq1 0 c 0\nq2 0 a 2\nq2 0 e 1\n"
ONCE = ["q1 Q0 c 1 9 t", "q1 Q0 a 2 8 t", "q1 Q0 b 3 7 t", "q2 Q0 x 1 9 t", "q2 Q0 e 2 8 t"]
# a again higher, a once more, and x again, lower: none of these lines counts
TWICE = [
    *ONCE[:3], "q1 Q0 a 4 99 t", "q1 Q0 a 5 1 t", *ONCE[3:], "q2 Q0 x 3 1 t",
]  # fmt: skip
# the same lines of each topic in the same order, but the topics are not together
SCATTERED = [TWICE[i] for i in (0, 5, 1, 2, 6, 3, 7, 4)]


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "once").write_text(text(ONCE))
    (tmp_path / "twice").write_text(text(TWICE))
    (tmp_path / "twice.gz").write_bytes(gzip.compress(text(TWICE).encode()))
    (tmp_path / "scattered").write_text(text(SCATTERED))
    (tmp_path / "tabs").write_text("# run\n\n" + text(TWICE).replace(" Q0 ", "\t Q0 "))
    return tmp_path


GIVEN = ("-q", "-m", "all_trec", "--duplicates", "first", "qrels")


@pytest.mark.parametrize("run", ["twice", "twice.gz", "scattered", "tabs"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_first_line_counts(files: Path, run: str, threads: str) -> None:
    """The output is that of the run without the later lines, and the repair is said."""
    expected = command("-q", "-m", "all_trec", "qrels", "once", cwd=files)
    done = command("--threads", threads, *GIVEN, run, cwd=files)
    assert done.code == 0
    assert done.out == expected.out
    assert done.err.splitlines()[0] == (
        "irev: warning: 3 lines that repeat a document of their topic were left out of the run, "
        "in 2 topics: q1, q2"
    )


def test_the_last_line_counts(files: Path) -> None:
    """As sample_eval has it: of a, b, c and x the later scores 1, 7, 9 and 1."""
    last = ["q1 Q0 c 1 9 t", "q1 Q0 b 3 7 t", "q1 Q0 a 5 1 t", "q2 Q0 e 2 8 t", "q2 Q0 x 3 1 t"]
    (files / "last").write_text(text(last))
    expected = command("-q", "-m", "all_trec", "qrels", "last", cwd=files)
    for run in ("twice", "scattered"):
        done = command("-q", "-m", "all_trec", "--duplicates", "last", "qrels", run, cwd=files)
        assert (done.code, done.out) == (0, expected.out)
        assert "3 lines that repeat a document of their topic were left out" in done.err


def test_a_clean_run_is_left_alone(files: Path) -> None:
    done = command(*GIVEN, "once", cwd=files)
    assert done.out == command("-q", "-m", "all_trec", "qrels", "once", cwd=files).out
    assert "repeat" not in done.err


def test_it_is_an_error_unless_asked_for(files: Path) -> None:
    for option in ((), ("--duplicates", "error")):
        done = command(*option, "qrels", "twice", cwd=files)
        assert (done.code, done.out) == (2, b"")
        assert "twice:4: duplicate document 'a' in topic 'q1': lines 2 and 4" in done.err
    strict = command("--strict", *GIVEN, "twice", cwd=files)
    assert (strict.code, strict.out) == (2, b"")
    with pytest.raises(irev.UsageError, match="duplicates cannot be 'best'"):
        irev.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, duplicates="best")  # type: ignore[call-overload]


def test_judgments_stay_strict(files: Path) -> None:
    (files / "qrels").write_text(QRELS + "q2 0 a 2\n")
    done = command(*GIVEN, "once", cwd=files)
    assert (done.code, done.out) == (2, b"")


def test_in_small_pieces(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the text is cut."""
    expected = irev.evaluate(files / "qrels", files / "once", ["all_trec"])
    for size in (16, 50, 120):
        monkeypatch.setattr(pieces, "PIECE", size)
        for name in ("twice", "scattered"):
            scores = irev.evaluate(files / "qrels", files / name, ["all_trec"], duplicates="first")
            np.testing.assert_array_equal(scores.values, expected.values)
            assert scores.account.repeats == ((b"q1", 2), (b"q2", 1))
            assert scores.account.duplicates == 3


def test_frames(files: Path) -> None:
    expected = irev.evaluate(files / "qrels", files / "once", ["all_trec"])
    rows = [line.split() for line in SCATTERED]
    frame = pd.DataFrame(
        {
            "topic": [row[0] for row in rows],
            "document": [row[2] for row in rows],
            "score": [float(row[4]) for row in rows],
        }
    )
    scores = irev.evaluate(files / "qrels", frame, ["all_trec"], duplicates="first")
    shown = [i for i, column in enumerate(scores.columns) if column.name != "runid"]
    np.testing.assert_array_equal(scores.values[:, shown], expected.values[:, shown])
    assert scores.account.repeats == ((b"q1", 2), (b"q2", 1))
    with pytest.raises(InputError, match="duplicate document"):
        irev.evaluate(files / "qrels", frame)


@pytest.mark.parametrize("ties", ["docid-desc", "input", "rank", "optimistic", "average"])
def test_every_order(files: Path, ties: str) -> None:
    """What is left out is so before anything is ordered."""
    given = ("-q", "-m", "map", "--ties", ties, "--duplicates", "first", "qrels")
    assert command(*given, "twice", cwd=files).out == command(*given, "once", cwd=files).out


def test_the_signature_and_json_show_it(files: Path) -> None:
    done = command("--format", "json", "-m", "map", *GIVEN[3:], "twice", cwd=files)
    run = json.loads(done.out)["runs"][0]
    assert run["duplicates"] == {"q1": 2, "q2": 1}
    assert run["signature"]["options"]["duplicates"] == "first"
    assert run["signature"]["dropped"] == 3
    assert "|dup:first/3" in run["signature"]["short"]


@examples(60)
@given(
    st.lists(st.lists(st.sampled_from([b"a", b"b", b"c" * 9, b"d" * 20]), max_size=9), min_size=1)
)
def test_first_lines_of_any_rows(lists: list[list[bytes]]) -> None:
    """Against a dictionary for each topic."""
    docs = [document for listed in lists for document in listed]
    start = np.concatenate(([0], np.cumsum([len(listed) for listed in lists])))
    names = [b"t%d" % number for number in range(len(lists))]
    found, dropped = drop_repeated_documents(
        Rows(names, start, ids_from_bytes(docs), np.arange(len(docs), dtype=np.float64)),
        keep_last=False,
    )

    rows: list[int] = []
    for number, listed in enumerate(lists):
        first: dict[bytes, int] = {}
        for row, document in enumerate(listed, int(start[number])):
            first.setdefault(document, row)
        rows += first.values()
        assert dropped.get(names[number], 0) == len(listed) - len(first)
    assert found.value.tolist() == rows
    assert found.docs.to_list() == [docs[row] for row in rows]
    assert [found.line_of(at) for at in range(len(rows))] == [row + 1 for row in rows]
    assert np.diff(found.start).tolist() == [len(set(listed)) for listed in lists]


@pytest.mark.parametrize("count", [100, 600])
@pytest.mark.parametrize("first", range(5))
def test_each_line_is_told_with_the_one_before(count: int, first: int) -> None:
    lines = (first, 40 + first, 90 - first)
    documents = ["d" if place in lines else f"d{place}" for place in range(count)]
    run = {"topic": ["q"] * count, "document": documents, "score": [1.0] * count}
    with pytest.raises(InputError) as raised:
        irev.evaluate({"q": {"d": 1}}, run, "map")
    told = [problem.message.rpartition(": ")[2] for problem in raised.value.problems]
    one, two, three = (line + 1 for line in lines)
    assert told == [f"rows {one} and {two}", f"rows {two} and {three}"]
