"""Saved scores are read back as they were written, by irev, by trec_eval, or by hand."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irev.errors import InputError
from irev.scores import parquet_form
from irev.scores.saved import is_saved, read_saved
from tests.command import irev
from tests.each import for_each
from tools.fuzz import saved_scores

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n"
RUN = "q1 Q0 d2 1 2 mine\nq1 Q0 d1 2 1 mine\nq2 Q0 d1 1 1 mine\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "b.run").write_text(RUN.replace("mine", "other").replace("d2 1 2", "d2 1 0"))
    return tmp_path


@pytest.mark.parametrize("form", ["trec", "csv", "tsv", "json"])
def test_what_irev_writes_is_read_back(files: Path, form: str) -> None:
    # the relevant d1 of q1 is second in a, first in b
    ran = irev(
        "-q", "-m", "map", "-m", "recip_rank", "--format", form, "qrels", "a.run", "b.run",
        cwd=files,
    )  # fmt: skip
    (files / "saved").write_bytes(ran.out)
    assert is_saved(str(files / "saved"))
    first, second = read_saved(str(files / "saved"))
    assert (first.run_names[0], second.run_names[0]) == ("a", "b")
    assert first.topics == (b"q1", b"q2")
    for name in ("map", "recip_rank"):
        column = first.measure_names.index(name)
        assert first.values[column, :, 0].tolist() == [0.5, 1.0]
        assert second.values[column, :, 0].tolist() == [1.0, 1.0]


def test_what_trec_eval_writes_for_one_run(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text(
        "num_ret               \tq1\t2\nmap                   \tq1\t0.5000\n"
        "num_ret               \tq2\t1\nmap                   \tq2\t1.0000\n"
        "runid                 \tall\tmine\nnum_q                 \tall\t2\n"
        "num_ret               \tall\t3\nmap                   \tall\t0.7500\n"
    )
    (saved,) = read_saved(str(path))
    assert saved.runs[0].run_id == b"mine"
    assert saved.measure_names == ("num_ret", "map")
    assert saved.values[:, :, 0].tolist() == [[2.0, 1.0], [0.5, 1.0]]


@pytest.mark.parametrize("separator", [",", "\t"])
def test_a_matrix_with_topics(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "ap.csv"
    lines = ["topic,A,B", "002,0.5,0.25", "001,1,0"]
    path.write_text("\n".join(lines).replace(",", separator))
    first, second = read_saved(str(path))
    assert (first.run_names[0], second.run_names[0]) == ("A", "B")
    assert first.topics == (b"001", b"002")
    assert first.measure_names == ("ap",)
    assert np.concatenate([first.values, second.values], axis=2).tolist() == [
        [[1.0, 0.0], [0.5, 0.25]]
    ]


def test_a_matrix_below_a_blank_line_and_a_remark(tmp_path: Path) -> None:
    path = tmp_path / "ap.csv"
    path.write_text("\n# made in 2026\n\ntopic,A\n002,0.5\n001,1\n")
    (saved,) = read_saved(str(path))
    assert saved.topics == (b"001", b"002")
    assert saved.values.tolist() == [[[1.0], [0.5]]]


def test_a_line_of_nothing_but_odd_blanks_is_no_head_of_a_matrix(tmp_path: Path) -> None:
    path = tmp_path / "odd"
    path.write_bytes(b"\x1c\n")
    assert not is_saved(str(path))
    assert irev("check", path).code == 1


def test_a_matrix_without_topics_numbers_them(tmp_path: Path) -> None:
    path = tmp_path / "p10.csv"
    path.write_text("A,B\n" + "".join(f"0.{i % 10},1\n" for i in range(11)))
    first, _ = read_saved(str(path))
    assert first.topics == tuple(sorted(str(i).encode() for i in range(1, 12)))
    assert first.values[0, first.topics.index(b"10"), 0] == 0.9


@for_each(
    "text",
    [
        QRELS,
        RUN,
        "q1\t0\td1\t1\nq1\t0\td2\t0\n",
        "1\t0\t7\t1\n1\t0\t8\t1\n",
        "query-id\tcorpus-id\tscore\n1\t10\t1\n",
        "q1 d1 1\nq1 d2 0\n",
        "q1 d1 L1\n",
        "q1 d1 1.5\nq1 d2 0.5\n",
        "q1\td1\t1.5\nq1\td2\t0.5\n",
        "q1  d1  1.5\nq10 d2  0.5\n",
        '{"q1": {"d1": 1}}',
        "",
    ],
)
def test_runs_and_judgments_are_no_saved_scores(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    assert not is_saved(str(path))


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("topic,A,B\n1,0.5,0.2\n1,0.5,0.2\n", 3, "duplicate"),
        ("topic,A,B\n1,0.5,0.2\n2,0.5\n", 3, "2 cells"),
        ("topic,A,B\n1,0.5,0.2\n2,0.5,x\n", 3, "'x' is not a number"),
        ("topic,A,A\n1,0.5,0.2\n", 1, "two columns are called A"),
        ("map all 0.5\nnum_q all 2\n", None, "a summary"),
        ("map \tq1\t0.5\nmap q1 0.5\n", 2, "duplicate"),
        ("map \tq1\t0.5\nmap q2 0.5 7\n", 2, "4 fields"),
        ('{"irev": "1", "measures": ["map"], "runs": [{"run": "a", "runid": "a"}]}', None, "summ"),
        ('{"irev": "1", "measures"', 1, "damaged"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, text: str, where: int | None, what: str
) -> None:
    path = tmp_path / "saved"
    path.write_text(text)
    with pytest.raises(InputError, match=what) as caught:
        read_saved(str(path))
    assert caught.value.line == where


@pytest.mark.parametrize("head", ["id", "q", "QueryID", "num"])
def test_numbers_that_may_be_topics_are_no_run_without_a_word(tmp_path: Path, head: str) -> None:
    path = tmp_path / "h.csv"
    path.write_text(f"{head},A,B\n301,.5,.4\n302,.6,.3\n303,.2,.25\n")
    with pytest.raises(InputError, match=f"column {head} holds a whole number for each line") as no:
        read_saved(str(path))
    assert "a column called topic" in no.value.problems[0].hint
    path.write_text(path.read_text(encoding="utf-8").replace(head, "topic"))
    assert [run.run_names[0] for run in read_saved(str(path))] == ["A", "B"]
    path.write_text("A,B\n1,.4\n1,.3\n0,.25\n")
    assert [run.run_names[0] for run in read_saved(str(path))] == ["A", "B"]


@pytest.mark.parametrize("name", [b"\xed\xa0\x80", b"\\ud83d\\ude00", b"caf\\udce9"])
def test_odd_characters_in_saved_json_come_back(files: Path, name: bytes) -> None:
    ran = irev("-q", "-m", "map", "--format", "json", "qrels", "a.run", cwd=files)
    (files / "saved").write_bytes(ran.out.replace(b'"map"', b'"%s"' % name))
    assert irev("compare", "saved", "saved", cwd=files).code in (0, 2)
    assert irev("gate", "--min", "map=0.1", "saved", cwd=files).code in (1, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"irev": "1", "runs": [{"run": "\\ud800"}]}', "half of a surrogate pair"),
        (b'{"irev":' + b"[" * 100_000, "this JSON is damaged"),
        (b'{"irev":' + b'{"a":' * 100_000, "this JSON is damaged"),
        (b'{"irev": ' + b"9" * 5_000 + b"}", "this JSON is"),
    ],
)
def test_json_of_strangers(tmp_path: Path, text: bytes, message: str) -> None:
    (tmp_path / "saved").write_bytes(text)
    with pytest.raises(InputError, match=message):
        read_saved(str(tmp_path / "saved"))


def test_a_file_of_saved_scores_has_a_hash(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("topic,x/a,y/a\n1,.1,.2\n2,.3,.5\n")
    tables = read_saved(str(path))
    # a column is called as it is
    assert [run.run_names[0] for run in tables] == ["x/a", "y/a"]
    assert {run.runs[0].sha256 for run in tables} == {hashlib.sha256(path.read_bytes()).hexdigest()}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("topic,a,b\n1,,.2\n2,.3,.5\n", 2, "a cell is empty"),
        ("topic,a,\n1,.1,.2\n2,.3,.5\n", 1, "a column has no name"),
    ],
)
def test_what_is_lacking_in_a_matrix(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        read_saved(str(path))
    (problem,) = raised.value.problems
    assert (problem.line, problem.message) == (line, message)


def test_runs_of_one_name_in_two_folders_keep_their_paths(files: Path) -> None:
    (files / "other").mkdir()
    (files / "other" / "a.run").write_text(RUN)
    ran = irev("-q", "--format", "json", "qrels", "a.run", "other/a.run", cwd=files)
    (files / "saved").write_bytes(ran.out)
    assert [run.run_names[0] for run in read_saved(str(files / "saved"))] == ["a.run", "other/a"]


def test_topics_that_a_run_lacked_are_known_from_json(files: Path) -> None:
    """Whether or not their averages counted them."""
    (files / "short.run").write_text("q1 Q0 d1 1 1 short\n")
    for option in ("-q", "-qc"):
        ran = irev(option, "-m", "map", "--format", "json", "qrels", "short.run", cwd=files)
        (files / "saved").write_bytes(ran.out)
        (run,) = read_saved(str(files / "saved"))
        assert run.runs[0].missing == (b"q2",)


def test_a_leaderboard_is_read_back(files: Path) -> None:
    board = ("leaderboard", "-m", "recip_rank", "--format", "json", "qrels", "a.run", "b.run")
    (files / "board").write_bytes(irev(*board, "--per-topic", cwd=files).out)
    assert is_saved(str(files / "board"))
    found = {run.run_names[0]: run for run in read_saved(str(files / "board"))}
    # the relevant d1 of q1 is second in a, first in b
    assert found["a"].values.tolist() == [[[0.5], [1.0]]]
    assert found["b"].values.tolist() == [[[1.0], [1.0]]]
    assert all(run.runs[0].signature is not None for run in found.values())

    (files / "board").write_bytes(irev(*board, cwd=files).out)
    with pytest.raises(InputError, match="a summary"):
        read_saved(str(files / "board"))
    halves = irev(*board, "--per-topic", "--public", "50%", cwd=files)
    (files / "board").write_bytes(halves.out)
    with pytest.raises(InputError, match="has 2 boards"):
        read_saved(str(files / "board"))


@pytest.mark.parametrize("head", ["run,topic,m1,m2", "qid,system,m1,m2", "m1,topic,m2,run_id"])
def test_a_column_for_each_measure_in_any_order(tmp_path: Path, head: str) -> None:
    cells = {"m1": "0.5", "m2": "1", "run": "a", "system": "a", "run_id": "a"}
    names = head.split(",")
    line = ",".join(cells.get(name, "q7") for name in names)
    path = tmp_path / "scores.csv"
    path.write_text(f"{head}\n{line}\n")
    (table,) = read_saved(str(path))
    assert (table.run_names, table.topics) == (("a",), (b"q7",))
    assert {c.name: v[0][0] for c, v in zip(table.columns, table.values, strict=True)} == {
        "m1": 0.5, "m2": 1.0
    }  # fmt: skip


def test_a_file_that_must_not_be_read_is_no_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.run"
    path.write_text("1 Q0 d1 1 1.0 a\n")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(parquet_form, "open", refuse, raising=False)
    assert not parquet_form.is_score_parquet(str(path))


@settings(max_examples=20)
@given(st.sampled_from([*saved_scores.FORMS]), st.integers(0, 1 << 30))
def test_a_summary_among_the_topics_is_left_out_in_every_form(form: str, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert saved_scores.difference(form, seed, Path(folder)) == ""


TOPIC, SUMMARY = "other-mean", "summary-topic"

CALLED_LIKE_SUMMARIES = (
    # what stands before the values of 3 topics and of what is called like a summary; what it is
    ("P_10", "0.1 0.2 0.2", "total 0.2", TOPIC),  # not 0.1667 rounded
    ("P_10", "0.1 0.2 0.2", "mean 0.1667", SUMMARY),
    ("map", "0.1112 0.2223 0.4444", "mean 0.2593", SUMMARY),
    ("map", "0.1112 0.2223 0.4444", "mean 0.2597", TOPIC),
    ("map", "0.1112 0.2223 0.4444", "total 0.7779", SUMMARY),
    ("map", "0.125 0.25 0.5", "gmean 0.25", SUMMARY),
    ("gm_map", "-2.0 -3.0 -4.0", "mean 0.0498", SUMMARY),  # logarithms; exp(-3)
    ("num_ret", "10 20 30", "total 60", SUMMARY),
    ("num_ret", "10 20 30", "total 61", TOPIC),
    ("num_q", "1 1 1", "overall 3", SUMMARY),
    ("success_1", "1 0 1", "total 1", TOPIC),  # no program writes 0.6667 so
    ("ndcg", "45.3 50.1 30.2", "Mean 41.9", SUMMARY),
    ("map", "0.5 - 0.25", "mean 0.375", SUMMARY),  # over the topics with a value
    ("map", "0.5 - 0.25", "mean 0.25", SUMMARY),  # over all
    ("map", "0.5 0.3 0.25", "mean -", TOPIC),
    ("map", "0.5 0.5 0.5", "7 0.5", ""),
)


def test_what_is_called_like_a_summary_is_one_where_it_sums_up_the_others(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    for measure, values, last, kind in CALLED_LIKE_SUMMARIES:
        lines = [*(f"{n} {value}" for n, value in enumerate(values.split(), 1)), last]
        rows = "".join(f"a\t{measure}\t{line}\n".replace(" ", "\t") for line in lines)
        path.write_text(f"run\tmeasure\ttopic\tvalue\n{rows}")
        (table,) = read_saved(str(path))
        assert [each.kind for each in table.warnings] == ([kind] if kind else []), (values, last)
        assert len(table.topics) == (3 if kind == SUMMARY else 4)


def test_a_mean_of_topics_of_which_one_is_called_total(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    path.write_text("topic,a,b\nq1,0.5,0.25\ntotal,0.25,1\nmean,0.375,0.625\n")
    first, second = read_saved(str(path))
    assert first.topics == second.topics == (b"q1", b"total")
    assert [each.kind for each in first.warnings] == [SUMMARY, TOPIC]
    path.write_text("topic,a,b\nmean,0.375,0.625\n")
    with pytest.raises(InputError, match="a summary"):
        read_saved(str(path))


MEANS = (
    "avg.", "**Mean**", "(all)", "__mean__", "all_mean", "Mean over 4 topics", "weighted avg",
    "Mittelwert", "gm",
)  # fmt: skip


def test_summaries_of_any_name_are_left_out_where_chance_gives_no_such_values(
    tmp_path: Path,
) -> None:
    path = tmp_path / "map.csv"
    frame = pd.DataFrame(
        {"a": [0.1234, 0.5, 0.7811, 0.25], "b": [0.3303, 0.41, 0.1, 0]}, ["q1", "q2", "q3", "q4"]
    )
    path.write_text(pd.concat([frame, frame.describe()]).to_csv(index_label="topic"))
    assert all(len(table.topics) == 4 for table in read_saved(str(path)))
    for name in MEANS:
        rows = "".join(f"{t},{a},{b}\n" for t, a, b in frame.itertuples())
        path.write_text(f"topic,a,b\n{rows}{name},0.4136,0.2101\n")
        assert all(len(table.topics) == 4 for table in read_saved(str(path))), name
        # these are values of a topic
        for others, own in (("q1,0.1,0.2\nq2,0.3,0.4", "0.2,0.35"), ("q1,0,1\nq2,1,0", "1,0")):
            path.write_text(f"topic,a,b\n{others}\n{name},{own}\n")
            assert len(read_saved(str(path))[0].topics) == 3, name


COLUMNS_WITHOUT_NAMES = (
    ",run,topic,map\n0,a,101,0.5\n1,b,101,0.75\n2,a,102,1\n3,b,102,0\n",
    "run,topic,map,\na,101,0.5,\nb,101,0.75,\na,102,1,\nb,102,0,\n",
    "run,signature,topic,map\na,,101,0.5\nb,,101,0.75\na,,102,1\nb,,102,0\n",
    ",topic,a,b\n0,101,0.5,0.75\n1,102,1,0\n",
    "run,topic,measure,value\na,101,map,0.5\nb,101,map,0.75\na,102,map,1\nb,102,map,0\n\n  \n",
)


def test_the_index_of_pandas_and_last_commas_and_blanks_are_no_scores(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    for text in COLUMNS_WITHOUT_NAMES:
        path.write_text(text)
        first, second = read_saved(str(path))
        assert (first.run_names, first.topics) == (("a",), (b"101", b"102")), text
        assert (first.measure_names, first.values.tolist()) == (("map",), [[[0.5], [1]]])
        assert second.values.tolist() == [[[0.75], [0]]]
    path.write_text("run,topic,map,map\na,101,0.5,1\n")
    with pytest.raises(InputError, match="two columns are called map"):
        read_saved(str(path))


RUNS_CALLED_BY_NUMBERS = (
    "topic,1,2\n101,0.5,0.75\n102,1,0\n",
    "query-id\t1\t2\n101\t0.5\t0.75\n102\t1\t0\n",
    ",1,2\n101,0.5,0.75\n102,1,0\n",
    "topic 1 2\n101 0.5 0.75\n102 1 0\n",
    "system,query,map\n1,101,0.5\n2,101,0.75\n1,102,1\n2,102,0\n",
    "qid\tmap\trun_id\n101\t0.5\t1\n101\t0.75\t2\n102\t1\t1\n102\t0\t2\n",
    "1 map 101 0.5\n1 map 102 1\n2 map 101 0.75\n2 map 102 0\n",
)


def test_runs_may_be_called_by_numbers(tmp_path: Path) -> None:
    path = tmp_path / "map"
    for text in RUNS_CALLED_BY_NUMBERS:
        path.write_text(text)
        first, second = read_saved(str(path))
        assert (*first.run_names, *second.run_names) == ("1", "2"), text
        assert first.topics == (b"101", b"102")
        assert (first.values.tolist(), second.values.tolist()) == ([[[0.5], [1]]], [[[0.75], [0]]])
    # without a head of the topics these are scores
    for text in ("1,2\n0.5,0.75\n1,0\n", "1,bm25\n0.5,0.75\n1,0\n"):
        path.write_text(text)
        ran = irev("compare", path)
        assert ran.code == 2
        assert "its first line has numbers: write topic,RUN,RUN... there" in ran.err
    path.write_text("qid iter docno rel\n1 0 5 1\n1 0 6 0\n")
    assert not is_saved(str(path))
