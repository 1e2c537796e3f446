"""Inputs beside trec_eval's: NTCIR's levels, tables, JSON, decimal commas, mapped grades."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from irev import InputError, MismatchError, UsageError, evaluate
from irev.engine.evaluate import Evaluator
from irev.read.columns import parse_grade_map
from tests import command
from tests.each import for_each

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

MEASURES = ["map", "ndcg", "num_rel", "num_ret"]
QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}}
RUN = {"q1": {"c": 1.5, "x": 1.5, "a": 2.0}, "q2": {"b": 1.0, "a": 1.0}}


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    """The judgments as text."""
    lines = [f"{t} 0 {d} {g}\n" for t, docs in QRELS.items() for d, g in docs.items()]
    return written(tmp_path / "qrels.txt", "".join(lines))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The run as text."""
    lines = [f"{t} Q0 {d} 1 {s} r\n" for t, docs in RUN.items() for d, s in docs.items()]
    return written(tmp_path / "run.txt", "".join(lines))


# --- NTCIR ---

LEVELS = "q1 a L1\nq1 b L0\nq1 c L2\nq2 a L1\n"


@pytest.mark.parametrize("format", ["ntcir", "qrels"])
def test_levels_are_grades(format: Any, tmp_path: Path, run: Path, qrels: Path) -> None:
    """Three columns with levels are recognised without being named."""
    path = written(tmp_path / "levels", "# judged in 2019\n\n" + LEVELS)
    scores = evaluate(path, run, MEASURES, qrels_format=format)
    assert scores.per_topic() == evaluate(qrels, run, MEASURES).per_topic()


def test_levels_from_standard_input_and_compressed(tmp_path: Path, run: Path) -> None:
    arguments = ("-m", "map", "-m", "num_rel", "-", run)
    plain = command.irev(*arguments, stdin=LEVELS.encode())
    assert plain.code == 0
    assert b"num_rel               \tall\t3" in plain.out
    assert command.irev(*arguments, stdin=gzip.compress(LEVELS.encode())).out == plain.out


CLASSES = "t aaa L3 1\nt bbb L1 1\nt ccc L2 2\nt ddd L0 3\n"
BY_CLASS = {
    "RR": 1.0, "O": 0.5, "PMeasure": 0.5556, "PPlus": 0.5278, "AP": 0.75, "Q": 0.5278,
    "ERR(max=3,stop=ratio)": 0.3438, "RBP(p=0.95,max=3)": 0.0452, "nDCG(disc=jk,b=2)@5": 0.4,
    "nDCG@5": 0.4367, "P@5": 0.4,
    "nERR(max=3,stop=ratio)@5": 0.4231, "EBR(max=3,stop=ratio)": 0.3333, "Success@5": 1.0,
}  # fmt: skip


@for_each("name", BY_CLASS)
def test_classes_as_ntcireval(name: str, tmp_path: Path) -> None:
    """What NTCIREVAL's C program of 2020 prints with -ec."""
    path = written(tmp_path / "classes", CLASSES)
    run = {"t": {"bbb": 4.0, "aaa": 3.0, "ddd": 2.0, "ccc": 1.0}}
    values = Evaluator(path, [name], qrels_format="ntcir").evaluate(run).per_topic()["t"]
    assert list(values.values()) == pytest.approx([BY_CLASS[name]], abs=5e-5)


def test_classes_count_once(tmp_path: Path) -> None:
    """By hand: of class 1 the first document counts with its own level, and the class with 3."""
    path = written(tmp_path / "classes", CLASSES + "u aaa L1 1\n")
    run = {"t": {"bbb": 4.0, "aaa": 3.0, "ccc": 1.0}, "u": {"aaa": 1.0}}
    names = ["relstring", "num_rel", "num_rel_ret", "dcg", "ideal_dcg", "P_1", "P_2"]
    scores = evaluate(path, run, names, qrels_format="ntcir")
    values = scores.per_topic()
    assert scores.text_by_topic("relstring")["t"] == "102"
    assert (values["t"]["num_rel"], values["t"]["num_rel_ret"]) == (2, 2)
    assert values["t"]["dcg"] == pytest.approx(1 + 2 / 2)
    assert values["t"]["ideal_dcg"] == pytest.approx(3 + 2 / 1.5849625007211562)
    assert (values["t"]["P_1"], values["t"]["P_2"]) == (1.0, 0.5)
    assert scores.text_by_topic("relstring")["u"] == "1"


def test_classes_in_several_parts(tmp_path: Path) -> None:
    """Scattered topics, and many of them: classes of one topic are not another's."""
    lines = [f"t{n % 50} d{n % 7} L{n % 3} c{n % 2}\n" for n in range(350)]
    assert len({line.split()[0] + line.split()[1] for line in lines}) == 350
    path = written(tmp_path / "classes", "".join(lines))
    run = {f"t{n}": {f"d{m}": float(m) for m in range(7)} for n in range(50)}
    values = evaluate(path, run, ["num_rel", "num_rel_ret"], qrels_format="ntcir").per_topic()
    for topic in range(50):
        mine = [line.split() for line in lines if line.startswith(f"t{topic} ")]
        relevant = {c for _, _, level, c in mine if level != "L0"}
        first = {c: level for _, d, level, c in sorted(mine, key=lambda fields: fields[1])}
        assert values[f"t{topic}"] == {
            "num_rel": len(relevant),
            "num_rel_ret": sum(level != "L0" for level in first.values()),
        }


# --- numbers ---


def test_decimal_comma(tmp_path: Path, qrels: Path, run: Path) -> None:
    commas = written(tmp_path / "commas", run.read_text(encoding="utf-8").replace(".", ","))
    scores = evaluate(qrels, commas, MEASURES, decimal_comma=True)
    assert scores.per_topic() == evaluate(qrels, run, MEASURES).per_topic()
    points = evaluate(qrels, run, MEASURES, decimal_comma=True)
    assert points.per_topic() == scores.per_topic()
    with pytest.raises(InputError, match="or give decimal_comma=True"):
        evaluate(qrels, commas, MEASURES)


def test_decimal_comma_in_grades(tmp_path: Path) -> None:
    path = written(tmp_path / "qrels", "t 0 a 0,5\nt 0 b 2\n")
    run = {"t": {"a": 1.0}}
    scores = evaluate(path, run, ["dcg"], decimal_comma=True, real_grades=True)
    assert scores.per_topic() == {"t": {"dcg": 0.5}}
    with pytest.raises(InputError, match="'0,5' is not a whole number"):
        evaluate(path, run, ["dcg"], decimal_comma=True)


def test_two_commas_are_no_number(tmp_path: Path, qrels: Path) -> None:
    path = written(tmp_path / "run", "q1 Q0 a 1 1,234,5 r\n")
    with pytest.raises(InputError, match="score '1,234,5' is not a number"):
        evaluate(qrels, path, MEASURES, decimal_comma=True)


def test_grades_are_mapped(tmp_path: Path) -> None:
    path = written(tmp_path / "qrels", "t 0 a -2\nt 0 b 5\nt 0 c 3\nt 0 d 1\n")
    run = written(tmp_path / "run", "t Q0 a 1 4 r\nt Q0 b 2 3 r\nt Q0 c 3 2 r\nt Q0 d 4 1 r\n")
    arguments = ("-q", "-m", "relstring", "--map-grades=-2=0,5=3,3=4", path, run)
    ran = command.irev(*arguments)
    assert (ran.code, ran.out.split()[2]) == (0, b"'0341'")


def test_grades_of_tables_are_mapped() -> None:
    run = {"t": {"a": 2.0, "b": 1.0}}
    scores = evaluate({"t": {"a": -2, "b": 5}}, run, ["relstring"], grade_map=[(-2, 0), (5, 3)])
    assert scores.text_by_topic("relstring") == {"t": "03"}


@pytest.mark.parametrize("text", ["", "1", "1=", "=1", "1=a", "1=2,", "1=2,1=3", "1=2=3", "1=inf"])
def test_wrong_maps(text: str) -> None:
    with pytest.raises(UsageError):
        parse_grade_map(text)


def test_preferences_have_no_grades(qrels: Path, run: Path) -> None:
    with pytest.raises(UsageError, match=r"qrels_prefs.* have no grades"):
        evaluate(qrels, run, ["prefs_simp"], qrels_format="qrels_prefs", grade_map=[(1, 2)])


# --- tables and JSON in files ---


def table(rows: Mapping[str, Mapping[str, float]], *names: str) -> pa.Table:
    columns = [(t, d, n) for t, docs in rows.items() for d, n in docs.items()]
    return pa.table(dict(zip(names, map(list, zip(*columns, strict=True)), strict=True)))


def as_parquet(given: pa.Table, path: Path) -> None:
    parquet.write_table(given, path)


def as_feather(given: pa.Table, path: Path) -> None:
    feather.write_feather(given, str(path))


def as_plain_feather(given: pa.Table, path: Path) -> None:
    feather.write_feather(given, str(path), compression="uncompressed")


def as_gzipped(given: pa.Table, path: Path) -> None:
    parquet.write_table(given, path)
    path.write_bytes(gzip.compress(path.read_bytes()))


WRITERS = [as_parquet, as_feather, as_plain_feather, as_gzipped]


@pytest.mark.parametrize("write", WRITERS)
def test_tables_in_files(
    write: Callable[[pa.Table, Path], None], tmp_path: Path, qrels: Path, run: Path
) -> None:
    """Whatever the file is called; further columns do not matter."""
    judged = table(QRELS, "query-id", "corpus-id", "Label")
    write(judged.append_column("note", pa.array([[1]] * 4)), tmp_path / "a")
    write(table(RUN, "qid", "docno", "score"), tmp_path / "b")
    values = evaluate(tmp_path / "a", tmp_path / "b", MEASURES).per_topic()
    assert values == evaluate(qrels, run, MEASURES).per_topic()


def test_the_first_version_of_feather_is_refused_unopened(tmp_path: Path, qrels: Path) -> None:
    # Arrow does not check it: a byte changed and the program is gone
    path = written(tmp_path / "b", b"FEA1\0\0\0\0" + bytes(100) + b"FEA1")
    with pytest.raises(InputError) as caught:
        evaluate(qrels, path, MEASURES)
    (problem,) = caught.value.problems
    assert (problem.path, problem.kind) == (str(path), "old-format")
    assert "Feather file of version 1" in problem.message
    assert "write_feather" in problem.hint


@pytest.mark.parametrize("ends", [(0, 3, 90), (0, 90, 7), (5, 3, 7), (0, -5, 7), (0, 7, 3)])
def test_ends_of_texts_that_lie_are_damage(
    ends: tuple[int, ...], tmp_path: Path, qrels: Path
) -> None:
    path = tmp_path / "b"
    as_plain_feather(table({"q1": {"abc": 2.0, "defg": 1.0}}, "qid", "docno", "score"), path)
    true = np.array([0, 3, 7], np.int32).tobytes()
    assert path.read_bytes().count(true) == 1
    path.write_bytes(path.read_bytes().replace(true, np.array(ends, np.int32).tobytes()))
    with pytest.raises(InputError, match="this Feather or Arrow file is damaged"):
        evaluate(qrels, path, MEASURES)


@pytest.mark.parametrize("code", [9, -1])
def test_codes_of_no_text_are_damage(code: int, tmp_path: Path, qrels: Path) -> None:
    docs = pa.DictionaryArray.from_arrays(
        pa.array([0, code], pa.int32()), pa.array(["a", "b"]), safe=False
    )
    as_feather(pa.table({"qid": ["q1", "q1"], "docno": docs, "score": [2.0, 1.0]}), tmp_path / "b")
    with pytest.raises(InputError, match="this Feather or Arrow file is damaged"):
        evaluate(qrels, tmp_path / "b", MEASURES)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_texts_of_tables_need_not_be_utf8(kind: pa.DataType, tmp_path: Path) -> None:
    docs = pa.array([b"caf\xe9", b"a longer caf\xe9 than twelve"], pa.binary()).cast(
        kind, safe=False
    )
    given = pa.table({"qid": ["q", "q"], "docno": docs, "score": [2.0, 1.0]})
    as_feather(given, tmp_path / "b")
    judged = written(tmp_path / "a", b"q 0 caf\xe9 1\n")
    assert evaluate(judged, tmp_path / "b", ["num_rel_ret"]).per_topic() == {
        "q": {"num_rel_ret": 1}
    }


def test_tables_from_standard_input(tmp_path: Path, qrels: Path, run: Path) -> None:
    as_parquet(table(RUN, "qid", "docno", "score"), tmp_path / "b")
    from_table = command.irev("-m", "map", qrels, "-", stdin=(tmp_path / "b").read_bytes())
    assert (from_table.code, from_table.err) == (0, "")
    assert from_table.out == command.irev("-m", "map", qrels, run).out


def test_grades_of_tables_may_be_fractions(tmp_path: Path) -> None:
    as_parquet(table({"t": {"a": 0.5}}, "topic", "doc", "rel"), tmp_path / "qrels")
    scores = evaluate(tmp_path / "qrels", {"t": {"a": 1.0}}, ["dcg"])
    assert scores.per_topic() == {"t": {"dcg": 0.5}}


def test_subtopics_and_classes_in_tables(tmp_path: Path) -> None:
    rows = {"topic": ["t", "t"], "intent": [1, 2], "doc": ["a", "b"], "rel": [1, 1]}
    as_parquet(pa.table(rows), tmp_path / "qrels")
    run = {"t": {"a": 1.0}}
    scores = evaluate(tmp_path / "qrels", run, ["StRecall@1"], qrels_format="subtopics")
    assert scores.per_topic() == {"t": {"StRecall@1": 0.5}}


@pytest.mark.parametrize("write", [as_parquet, as_feather])
def test_damaged_tables(
    write: Callable[[pa.Table, Path], None], tmp_path: Path, qrels: Path
) -> None:
    path = tmp_path / "b"
    write(table(RUN, "qid", "docno", "score"), path)
    written(path, path.read_bytes()[:100])
    with pytest.raises(InputError, match="file is damaged"):
        evaluate(qrels, path, MEASURES)


def test_tables_without_a_column_name_the_file(tmp_path: Path, qrels: Path) -> None:
    as_parquet(table(RUN, "qid", "docno", "points"), tmp_path / "b")
    with pytest.raises(InputError, match=r"b: there is no column for the score \(one of score"):
        evaluate(qrels, tmp_path / "b", MEASURES)


def test_json(tmp_path: Path, qrels: Path, run: Path) -> None:
    judged = written(tmp_path / "a", json.dumps(QRELS))
    ranked = written(tmp_path / "b", "\n " + json.dumps(RUN, indent=1))
    values = evaluate(judged, ranked, MEASURES).per_topic()
    assert values == evaluate(qrels, run, MEASURES).per_topic()


WRONG_JSON = {
    '{"q1": {"a": 1.0}': "this looks like JSON, but is not valid JSON",
    '{"q1": {"a": 1, "a": 2}}': "'a' is repeated in one mapping",
    '{"q1": {"a": 1}, "q1": {}}': "'q1' is repeated in one mapping",
    '{"q1": {"a": NaN}}': "a score is NaN",
    '{"q1": {"a": "1"}}': "a score is not a number",
    '{"q1": 5}': r"a mapping must be \{topic: \{document: number\}\}",
    '{"q1": ["a", "b", "a"]}': r"duplicate document 'a' in topic 'q1': places 1 and 3",
    '{"q1": ["a"], "q2": {"a": 1}}': "topic 'q1' has ids, topic 'q2' a mapping",
    '{"query_id": "1", "doc_id": ["a"]}\n{"query_id": "1", "doc_id": ["b"]}': (
        ":2: topic '1' stands on another line, too"
    ),
    "{}": "it has no documents",
    '{"\\ud800": {"a": 1}}': r"topic '\\ud800' contains half of a surrogate pair",
    '{"q1": {"\\ud800": 1}}': r"document '\\ud800' contains half of a surrogate pair",
    '{"q1":' * 100_000: "nested too deeply",
    '[{"q1": 1}]': "no column for the topic, the document or the score; the columns are q1",
    '[{"qid": "1", "docno": "a", "score": 1}, {"qid": "1", "docno": "b", "score": "x"}]': (
        "object 2: 'score', a score, is not a number"
    ),
    '[{"qid": 1, "docno": "a", "score": 1}, {"qid": 1, "docno": "a", "score": 2}]': (
        "duplicate document 'a' in topic '1': objects 1 and 2"
    ),
    '[{"qid": "1", "docno": "a", "score": 1}, 7]': "object 2: this is not an object such as",
    '{"q1": {"a": 1}}\n{"q2": {"a": 1}}': "are these several mappings",
    '{"x": 1, "y": 2}\n{"x": 2, "y": 3}': "follows the first .*line 2 .*\\n .*rows, one a line",
    '{"questions": [{"id": "1", "documents": ["a"]}]}': "as BioASQ has them\\n  hint: jq ",
    '{"qid": "1", "docs": ["a", "b"], "scores": [1]}': "'docs' and 'scores' have 2 and 1 items",
    '{"qid": "1", "id": "a", "score": 1}\n{"qid": "1", "id": "b", "score": 1}': (
        "no column for the document .*; the columns are qid, id, score"
    ),
    '{"qid": "1", "hits": []}': "no column for the document .*; the columns are qid, hits",
}


@for_each("text", WRONG_JSON)
def test_wrong_json(text: str, tmp_path: Path, qrels: Path) -> None:
    with pytest.raises(InputError, match=WRONG_JSON[text]) as caught:
        evaluate(qrels, written(tmp_path / "b", text), MEASURES)
    assert caught.value.path == str(tmp_path / "b")


@pytest.mark.thorough
def test_tables_do_not_need_pandas(tmp_path: Path, qrels: Path) -> None:
    as_parquet(table(RUN, "qid", "docno", "score"), tmp_path / "b")
    as_feather(table(QRELS, "qid", "docno", "rel"), tmp_path / "a")
    code = (
        "import sys; from irev import evaluate; evaluate(sys.argv[1], sys.argv[2]); "
        "sys.exit('pandas' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path / "a", tmp_path / "b"], check=True)


# --- a file that looks like another kind is named ---

OTHERS = {
    "q1 a L1\n": (
        "run",
        'NTCIR\'s judgments (topic document level); qrels_format="ntcir" reads them',
    ),
    "q1 0 a L1\n": ("qrels", 'a level of NTCIR\'s judgments, which qrels_format="ntcir" reads'),
}


@pytest.mark.parametrize("text", OTHERS)
def test_likeness(text: str, tmp_path: Path, qrels: Path, run: Path) -> None:
    given, hint = OTHERS[text]
    path = written(tmp_path / "other", text)
    with pytest.raises(InputError) as caught:
        evaluate(path, run) if given == "qrels" else evaluate(qrels, path)
    assert hint in str(caught.value)


def test_wrong_levels(tmp_path: Path, run: Path) -> None:
    path = written(tmp_path / "levels", "q1 a L1\nq1 b 2\nq1 c L-1\nq1 d\n")
    with pytest.raises(InputError) as caught:
        evaluate(path, run, qrels_format="ntcir")
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4]
    assert "grade '2' is not a level such as L2" in str(caught.value)


# --- what a stranger brings ---


@pytest.mark.parametrize("write", [as_parquet, as_feather])
def test_frames_of_pyterrier(write: Callable[..., None], tmp_path: Path, qrels: Path) -> None:
    """The text of a topic and the index's own number stand beside the ids."""
    plain = table(RUN, "qid", "docno", "score")
    more = {"docid": range(plain.num_rows), "query": ["some words"] * plain.num_rows}
    for name, column in more.items():
        plain = plain.append_column(name, [list(column)])
    write(plain, tmp_path / "run")
    scores = evaluate(qrels, tmp_path / "run", MEASURES)
    assert scores.per_topic() == evaluate(qrels, RUN, MEASURES).per_topic()


def test_two_columns_of_one_kind_stay_an_error(qrels: Path) -> None:
    run = pa.table({"qid": ["q1"], "query_id": ["q2"], "docno": ["a"], "score": [1.0]})
    with pytest.raises(InputError, match="qid and query_id are columns for the topic"):
        evaluate(qrels, run, MEASURES)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted in /proc")
@pytest.mark.parametrize("write", [as_parquet, as_feather])
def test_tables_are_read_without_threads_of_arrow(
    write: Callable[..., None], tmp_path: Path
) -> None:
    """One that lets go of the file's bytes while the interpreter ends aborts the program."""
    path = tmp_path / "qrels"
    write(table(QRELS, "qid", "docno", "label"), path)
    code = (
        "import os, sys, numpy, pyarrow, irev; tasks = lambda: len(os.listdir('/proc/self/task'))\n"
        "before = tasks(); irev.evaluate(sys.argv[1], {'q1': {'a': 1}}, ['map'])\n"
        "print(tasks() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, check=False)
    assert done.stdout.split() == [b"0"], done.stderr


def test_judgments_by_subtopic_read_as_qrels(tmp_path: Path, run: Path) -> None:
    path = written(tmp_path / "aspects", "q1 s1 a 1\nq1 s2 a 1\n")
    with pytest.raises(
        InputError, match='qrels_format="subtopics", if the second column names subtopics'
    ):
        evaluate(path, run, MEASURES)
    path = written(tmp_path / "twice", "q1 0 a 1\nq1 0 a 2\n")
    with pytest.raises(InputError, match=r'hint: duplicates_qrels="max" .* or keep one of the two'):
        evaluate(path, run, MEASURES)


def test_qrels_read_as_levels(tmp_path: Path, run: Path, qrels: Path) -> None:
    with pytest.raises(InputError, match='without qrels_format="ntcir" qrels are read'):
        evaluate(qrels, run, MEASURES, qrels_format="ntcir")
    path = written(tmp_path / "mixed", "q1 a L1 c1\nq1 b L0\n")
    with pytest.raises(InputError, match="every line of the file names a class, or none does"):
        evaluate(path, run, MEASURES, qrels_format="ntcir")


def test_a_run_without_a_topic_of_the_subtopics(tmp_path: Path) -> None:
    path = written(tmp_path / "aspects", "q1 s1 a 1\nq1 s2 a 1\n")
    with pytest.raises(MismatchError, match="no topic in common: the run has q9; the qrels have"):
        evaluate(path, {"q9": {"a": 1.0}}, ["map", "StRecall@1"], qrels_format="subtopics")
    # and where only some part of the run has none
    scores = evaluate(
        path, {"q9": {"a": 1.0}, "q1": {"a": 1.0}}, ["StRecall@1"], qrels_format="subtopics"
    )
    assert scores.summary() == {"StRecall@1": 1.0}
