"""Documents that occur twice in a topic: an error, or one line counts; passages, the best does."""

from __future__ import annotations

import gzip
import json
import subprocess
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
    with pytest.raises(irev.UsageError, match="duplicates cannot be 'any'"):
        irev.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, duplicates="any")  # type: ignore[call-overload]


def test_judgments_stay_strict(files: Path) -> None:
    (files / "qrels").write_text(QRELS + "q2 0 a 1\n")
    done = command(*GIVEN, "once", cwd=files)
    assert (done.code, done.out) == (2, b"")


# c, a, c, b: of q1 a and b are relevant. Average precision by hand, of the rankings
# c a b (1/2 + 2/3) / 2, a c b (1 + 2/3) / 2, a b c 1
LISTS = {
    "a list": ({"q1": ["c", "a", "c", "b"]}, {"first": 7 / 12, "last": 5 / 6, "best": 7 / 12}),
    "an array": (
        {"q1": np.array(["c", "a", "c", "b"])},
        {"first": 7 / 12, "last": 5 / 6, "best": 7 / 12},
    ),
    "pairs": (
        {"q1": [("c", 1), ("a", 3), ("c", 9), ("b", 2)]},
        {"first": 1.0, "last": 7 / 12, "best": 7 / 12},
    ),
    "columns": (
        {"qid": ["q1"] * 4, "docno": ["c", "a", "c", "b"], "score": [9.0, 3.0, 1.0, 2.0]},
        {"first": 7 / 12, "last": 1.0, "best": 7 / 12},
    ),
    "rows": (
        [("q1", "c", 1.0), ("q1", "a", 3.0), ("q1", "b", 2.0), ("q1", "c", 1.0)],
        {"first": 1.0, "last": 1.0, "best": 1.0},
    ),
}


def test_lists_pairs_and_columns(tmp_path: Path) -> None:
    qrels = {"q1": {"a": 1, "b": 1}}
    for run, expected in LISTS.values():
        written = tmp_path / "run.json"
        is_json = isinstance(run, dict) and not isinstance(run.get("q1"), np.ndarray)
        if is_json:
            written.write_text(json.dumps(run))
        for keep, value in expected.items():
            for source in (run, written) if is_json else (run,):
                scores = irev.evaluate(qrels, source, ["map"], duplicates=keep)  # type: ignore[call-overload]
                assert scores.summary()["map"] == pytest.approx(value), (run, keep)
                assert scores.account.repeats == ((b"q1", 1),)
        with pytest.raises(InputError, match=r'hint: duplicates="first" counts the first'):
            irev.evaluate(qrels, run, ["map"])
    lines = tmp_path / "run.jsonl"
    lines.write_text('{"qid": "q1", "docno": ["c", "a", "c", "b"]}\n')
    (tmp_path / "qrels.json").write_text(json.dumps(qrels))
    done = command("--duplicates", "last", "-m", "map", "qrels.json", lines, cwd=tmp_path)
    assert done.out == b"map                   \tall\t0.8333\n"
    done = command("-m", "map", "qrels.json", lines, cwd=tmp_path)
    assert "places 1 and 3\n  hint: --duplicates first counts the first place only" in done.err


REPEATED_QRELS = "q1 0 a 1\nq1 0 b 0\nq1 0 a 1\nq1 0 b 2\nq1 0 b 1\n"
"""Of a one judgment, twice; of b the grades 0, 2 and 1."""


def test_judgments_that_are_repeated(tmp_path: Path) -> None:
    """Alike they are one, with a note; else an option says which counts."""
    (tmp_path / "alike").write_text(QRELS + "q2 0 a 2\nq1 0 c 0\nq1 0 c 0\n")
    (tmp_path / "once").write_text(QRELS)
    (tmp_path / "run").write_text(text(ONCE))
    done = command("-q", "-m", "all_trec", "alike", "run", cwd=tmp_path)
    assert done.out == command("-q", "-m", "all_trec", "once", "run", cwd=tmp_path).out
    assert "note: 3 judgments repeat others and count once, in 2 topics: q1, q2" in done.err
    (tmp_path / "qrels").write_text(REPEATED_QRELS)
    done = command("-m", "num_rel", "qrels", "run", cwd=tmp_path)
    assert done.code == 2
    assert "qrels:4: duplicate document 'b' in topic 'q1': lines 2 and 4" in done.err
    assert "--duplicates-qrels max counts the higher grade only" in done.err
    in_memory = {"q1": [("a", 1), ("b", 0), ("a", 1), ("b", 2), ("b", 1)]}
    # the gain of b at rank 3 is its grade, and that of a at rank 2
    run = {"q1": ["c", "a", "b"]}
    for keep, grade in {"first": 0, "last": 1, "max": 2, "min": 0}.items():
        for qrels in (tmp_path / "qrels", in_memory):
            scores = irev.evaluate(qrels, run, ["dcg"], duplicates_qrels=keep)  # type: ignore[call-overload]
            assert scores.summary()["dcg"] == pytest.approx(1 / np.log2(3) + grade / 2), keep
    with pytest.raises(InputError, match=r'places 2 and 4\n  hint: duplicates_qrels="max"'):
        irev.evaluate(in_memory, run, ["dcg"])


def test_a_document_of_several_groups_is_not_repeated(tmp_path: Path) -> None:
    """Nor is one of several subtopics, also where these are read as plain judgments."""
    (tmp_path / "qrels").write_text("q1 s1 a 1\nq1 s2 a 1\nq1 s2 a 0\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 1 t\n")
    words = ("-R", "subtopics", "-m", "StRecall@1", "--duplicates-qrels", "min", "qrels", "run")
    assert command(*words, cwd=tmp_path).out == b"StRecall@1            \tall\t1.0000\n"
    (tmp_path / "qrels").write_text("q1 s1 a 1\nq1 s2 a 1\n")
    done = command("-m", "map", "qrels", "run", cwd=tmp_path)
    assert (done.code, "-R subtopics" in done.err) == (2, True)


AWK_BEST = r"""{ sub(/#[^#]*$/, "", $3); key = $1 " " $3
if (!(key in score) || $5 > score[key]) { score[key] = $5; line[key] = $0 } }
END { for (key in line) print line[key] }"""
"""The best line of each document, whose id is what stands before the last #."""


def test_the_best_line_and_the_best_passage_beside_awk(tmp_path: Path) -> None:
    lines = []
    for number in range(300):
        topic, doc, passage = number % 3, number * 7 % 23, number % 4
        score = (number * 37 % 101) / 10
        lines.append(f"q{topic} Q0 d#{doc}#{passage}-{number} {number} {score} t")
    (tmp_path / "run").write_text(text(lines))
    judged = [f"q{topic} 0 d#{doc} {(topic + doc) % 3}" for topic in range(3) for doc in range(23)]
    (tmp_path / "qrels").write_text(text(judged))
    best = subprocess.run(["awk", AWK_BEST, tmp_path / "run"], capture_output=True, check=True)
    (tmp_path / "best").write_bytes(best.stdout)
    expected = command("-q", "-m", "all_trec", "qrels", "best", cwd=tmp_path)
    for passages in ("#", "(.+)#[0-3]-.*"):
        done = command("-q", "-m", "all_trec", "--passages", passages, "qrels", "run", cwd=tmp_path)
        assert done.out == expected.out
        assert "note: 300 passages of 69 documents: the best of each is ranked" in done.err
    cut = text(
        [
            " ".join((line.split()[0], "Q0", line.split()[2].rpartition("#")[0], *line.split()[3:]))
            for line in lines
        ]
    )
    (tmp_path / "cut").write_text(cut)
    done = command("-q", "-m", "all_trec", "--duplicates", "best", "qrels", "cut", cwd=tmp_path)
    assert done.out == expected.out


def test_passages_of_every_form(tmp_path: Path) -> None:
    """d2 is relevant; by its best passage it is second, behind d1."""
    (tmp_path / "run").write_text(
        "q Q0 d1#0 1 9 t\nq Q0 d1#1 2 8 t\nq Q0 d2#7 3 7 t\nq Q0 d2#1 4 1 t\n"
    )
    (tmp_path / "ranks").write_text("q\td1::0\t1\nq\td1::1\t2\nq\td2::7\t3\n")
    (tmp_path / "run.csv").write_text("qid,docno,score\nq,d1#0,9\nq,d1#1,8\nq,d2#7,7\n")
    qrels = {"q": {"d2": 1}}
    forms = [
        tmp_path / "run", tmp_path / "run.csv", {"q": ["d1#0", "d1#1", "d2#7"]},
        {"q": {"d2#7": 7.0, "d1#1": 8.0, "d1#0": 9.0}}, [("q", "d1#0", 9.0), ("q", "d2#7", 1.0)],
    ]  # fmt: skip
    for run in forms:
        assert irev.evaluate(qrels, run, ["RR"]).summary() == {"RR": 0.0}
        scores = irev.evaluate(qrels, run, ["RR"], passages="#")
        assert scores.summary() == {"RR": 0.5}, run
    ranked = irev.evaluate(qrels, tmp_path / "run", ["RR"], passages="#", ties="rank")
    assert ranked.summary() == {"RR": 0.5}
    marco = irev.evaluate(qrels, tmp_path / "ranks", ["RR"], passages="::", run_format="msmarco")
    assert marco.summary() == {"RR": 0.5}
    signed = command(
        "--format", "json", "-m", "RR", "--passages", "#", "q.json", "run", cwd=tmp_path
    )
    assert signed.code == 2
    (tmp_path / "q.json").write_text(json.dumps(qrels))
    signed = command(
        "--format", "json", "-m", "RR", "--passages", "#", "q.json", "run", cwd=tmp_path
    )
    assert json.loads(signed.out)["runs"][0]["signature"]["short"].endswith("|passages:#")
    done = command("-m", "RR", "--passages", "@", "q.json", "run", cwd=tmp_path)
    assert "warning: no document id of the run is cut by '@'" in done.err
    twice = {"q": ["d1#0", "d1#0"]}
    with pytest.raises(InputError, match="duplicate document 'd1#0'"):
        irev.evaluate(qrels, twice, ["RR"], passages="#")
    for wrong in ("", "(a", "(a)(b)"):
        with pytest.raises(irev.UsageError, match="passages"):
            irev.evaluate(qrels, twice, ["RR"], passages=wrong)


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
        Rows(names, start, ids_from_bytes(docs), np.arange(len(docs), dtype=np.float64)), "first"
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
