"""Runs and qrels as tables of text, as lines of JSON, and in MS MARCO's forms."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev import InputError, Options, UsageError, evaluate
from irev.engine.evaluate import Evaluator
from irev.engine.score_runs import make_pool
from irev.jobs.check.files import check_file
from irev.jobs.sample.sample import reduced_run_blocks
from irev.read.columns import find_header
from irev.read.formats import run_layout
from irev.read.tables import is_json_lines
from irev.scores.saved import is_saved
from tests import files
from tests.command import irev
from tests.each import for_each
from tests.strategies import examples

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CASES = files.CASES / "trec_eval"

QRELS: list[tuple[str, str, float]] = [
    ("q1", "a", 1),
    ("q1", "b", 0),
    ("q1", "c", 2),
    ("7", "a", 1),
]
RUN: list[tuple[str, str, float]] = [
    ("q1", "b", 3.5), ("q1", "a", 2.25), ("q1", "x", 1e-3), ("q1", "c", -4), ("7", "b", 2),
    ("7", "a", 1),
]  # fmt: skip
EXPECTED = {
    # q1: b a x c, of which a and c are relevant; 7: b a
    "q1": {"map": (1 / 2 + 2 / 4) / 2, "recip_rank": 1 / 2, "P_5": 2 / 5, "num_rel_ret": 2},
    "7": {"map": 1 / 2, "recip_rank": 1 / 2, "P_5": 1 / 5, "num_rel_ret": 1},
}
MEASURES = list(EXPECTED["q1"])

Rows = list[tuple[str, str, float]]


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def cells(rows: Sequence[Sequence[object]], separator: str, **more: Any) -> str:
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator, lineterminator="\n", **more).writerows(rows)
    return stream.getvalue()


def table(rows: Rows, names: str, separator: str = ",") -> str:
    lines = [names.split(), *([topic, doc, number(n)] for topic, doc, n in rows)]
    return cells(lines, separator)


def lines_of_json(rows: Rows, names: str) -> str:
    keys = names.split()
    return "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows)


def wide(rows: Rows, last: str) -> str:
    """PyTerrier's frame with texts: quotes, commas and line breaks in cells nobody reads."""
    head = ["qid", "docid", "docno", "rank", last, "query"]
    texts = ['say "no", please', "two\nlines"]
    body = [
        [topic, str(at), doc, str(at), number(n), texts[at % 2]]
        for at, (topic, doc, n) in enumerate(rows)
    ]
    return cells([head, *body], ",")


MANY = [f"feature_{number}" for number in range(12_000)]
FEWER = MANY[:4000]

ENCODINGS: dict[str, tuple[str | bytes, str | bytes]] = {
    "TREC": (
        "".join(f"{t} 0 {d} {number(n)}\n" for t, d, n in QRELS),
        "".join(f"{t} Q0 {d} 1 {number(n)} tag\n" for t, d, n in RUN),
    ),
    "BEIR": (
        table(QRELS, "query-id corpus-id score", "\t"),
        table(RUN, "query-id corpus-id score", "\t"),
    ),
    "commas": (table(QRELS, "query_id doc_id relevance"), table(RUN, "query_id doc_id score")),
    "other names": (table(QRELS, "Topic DOCNO Label"), table(RUN, "Query-ID pid sim")),
    "PyTerrier": (wide(QRELS, "label"), wide(RUN, "score")),
    "quoted": (
        cells([["qid", "docno", "rel"], *QRELS], ",", quoting=csv.QUOTE_ALL),
        cells([["qid", "docno", "score"], *RUN], "\t", quoting=csv.QUOTE_ALL),
    ),
    "scattered": (
        table(QRELS[::-1], "qid docno rel"), table(RUN[::2] + RUN[1::2], "qid docno score"),
    ),
    "CRLF, a mark, comments, blank lines": (
        "\ufeff# BEIR\r\n\r\n" + table(QRELS, "qid docno rel").replace("\n", "\r\n"),
        table(RUN, "qid docno score").replace("\n", "\n\n"),
    ),
    "no final newline": (
        table(QRELS, "qid docno rel").rstrip(), table(RUN, "qid docno score", "\t").rstrip(),
    ),
    "gzip": (
        gzip.compress(table(QRELS, "qid docno score").encode()),
        gzip.compress(table(RUN, "qid docno score").encode()),
    ),
    "long texts with line breaks": (
        cells([["text", "qid", "docno", "rel"], *(["x\n" * 70_000, *row] for row in QRELS)], ","),
        cells([["text", "qid", "docno", "score"], *(["\n" * 200_000, *row] for row in RUN)], ","),
    ),
    "very many columns": (
        cells([[*FEWER, "qid", "docno", "rel"], *([*FEWER, *row] for row in QRELS)], "\t"),
        cells([["qid", "docno", "score", *MANY], *([*row, *MANY] for row in RUN)], ","),
    ),
    "lines of JSON": (
        lines_of_json(QRELS, "query_id doc_id relevance"), lines_of_json(RUN, "qid docno score"),
    ),
    "odd lines of JSON": (
        lines_of_json(QRELS, "qid docno rel").replace('"7"', "7").replace("\n", "\r\n"),
        "\n" + lines_of_json(RUN, "qid docno score")
        .replace("}", ', "text": "{\\"a\\": 1}"}').replace("\n", "\n\n"),
    ),
    "lines of JSON, other things first": (
        lines_of_json(QRELS, "qid docno rel").replace("{", '{"by": {"a": 1}, '),
        lines_of_json(RUN, "qid docno score").replace("{", '{"text": "' + "x " * 50_000 + '", '),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_encoding_gives_the_same_scores(name: str, tmp_path: Path) -> None:
    qrels, run = ENCODINGS[name]
    scores = evaluate(written(tmp_path / "a", qrels), written(tmp_path / "b", run), MEASURES)
    assert {topic: dict(values) for topic, values in scores.per_topic().items()} == EXPECTED


MARCO = [
    ("q1", "b", 1),
    ("q1", "a", 2),
    ("q1", "x", 3),
    ("q1", "c", 10),
    ("7", "b", 1),
    ("7", "a", 2),
]


@pytest.mark.parametrize("separator", ["\t", " "])
@pytest.mark.parametrize("order", [1, -1])
def test_ranks_alone(separator: str, order: int, tmp_path: Path) -> None:
    """The rank decides, whatever the order of the lines; 10 is behind 3."""
    text = "".join(separator.join((t, d, str(n))) + "\n" for t, d, n in MARCO[::order])
    qrels = written(tmp_path / "a", ENCODINGS["TREC"][0])
    run = written(tmp_path / "b", text)
    scores = evaluate(qrels, run, MEASURES, run_format="msmarco")
    assert {topic: dict(values) for topic, values in scores.per_topic().items()} == EXPECTED


def test_ranks_with_scores(tmp_path: Path) -> None:
    """The score decides: here the ranks say the contrary, and decide where they are asked for."""
    qrels = written(tmp_path / "a", ENCODINGS["TREC"][0])
    run = written(tmp_path / "b", "q1\ta\t2\t9.5\nq1\tb\t1\t8\n")
    scores = evaluate(qrels, run, ["recip_rank"], run_format="msmarco")
    assert scores.per_topic() == {"q1": {"recip_rank": 1.0}}
    scores = evaluate(qrels, run, ["recip_rank"], run_format="msmarco", ties="rank")
    assert scores.per_topic() == {"q1": {"recip_rank": 0.5}}


def test_equal_ranks_are_ordered_by_document(tmp_path: Path) -> None:
    qrels = written(tmp_path / "a", "q 0 a 1\n")
    run = written(tmp_path / "b", "q a 1\nq b 1\n")
    assert evaluate(qrels, run, ["recip_rank"], run_format="msmarco").summary()["recip_rank"] == 0.5


def test_ranks_on_the_command_line(tmp_path: Path) -> None:
    written(tmp_path / "qrels", ENCODINGS["TREC"][0])
    written(tmp_path / "run", "".join(f"{t}\t{d}\t{n}\n" for t, d, n in MARCO))
    ran = irev("-T", "msmarco", "-m", "map", "qrels", "run", cwd=tmp_path)
    assert (ran.code, ran.out) == (0, b"map                   \tall\t0.5000\n")
    written(tmp_path / "other", "q1\ta\t1\n7\ta\t1\n")
    ran = irev("compare", "-T", "msmarco", "-m", "map", "qrels", "run", "other", cwd=tmp_path)
    assert ran.code == 0
    # of q1 one of two relevant documents first; of 7 the only one
    assert b"0.5000" in ran.out
    assert b"0.7500" in ran.out
    ran = irev("-T", "msmarco", "--pool", "depth:2", "-m", "map", "qrels", "run", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")


def test_tables_are_compared(tmp_path: Path) -> None:
    """They are runs, not matrices of scores."""
    for name, text in zip(("qrels", "run.tsv"), ENCODINGS["BEIR"], strict=True):
        written(tmp_path / name, text)
    written(tmp_path / "other.csv", "qid,docno,score\nq1,a,2\n7,a,1\n")
    ran = irev("compare", "-m", "map", "qrels", "run.tsv", "other.csv", cwd=tmp_path)
    assert ran.code == 0
    assert b"0.5000" in ran.out
    assert b"0.7500" in ran.out


def test_the_pool_of_ranks(tmp_path: Path) -> None:
    run = written(tmp_path / "run", "q b 2\nq a 1\nq c 3\n")
    assert make_pool([run], 2, run_format="msmarco").docs.to_list() == [b"a", b"b"]


def test_a_table_names_its_columns_whatever_the_format(tmp_path: Path) -> None:
    """-T says what lines without names hold."""
    qrels, run = (written(tmp_path / str(n), ENCODINGS["BEIR"][n]) for n in (0, 1))
    scores = evaluate(qrels, run, MEASURES, run_format="msmarco", qrels_format="triples")
    assert {topic: dict(values) for topic, values in scores.per_topic().items()} == EXPECTED


def test_an_unknown_format_of_runs() -> None:
    with pytest.raises(UsageError, match=r"no format of runs 'x': .*trec_results, msmarco"):
        Evaluator({"q": {"a": 1}}, ["map"], Options(run_format="x"))  # type: ignore[arg-type]


@pytest.mark.parametrize("separator", ["\t", " "])
def test_judgments_of_three_fields(separator: str, tmp_path: Path) -> None:
    text = "".join(separator.join((t, d, number(n))) + "\n" for t, d, n in QRELS)
    qrels = written(tmp_path / "a", text)
    run = written(tmp_path / "b", ENCODINGS["TREC"][1])
    scores = evaluate(qrels, run, MEASURES, qrels_format="triples")
    assert {topic: dict(values) for topic, values in scores.per_topic().items()} == EXPECTED
    assert irev("-R", "triples", "-m", "map", qrels, run).out.split()[-1] == b"0.5000"


def test_levels_with_classes_in_a_table(tmp_path: Path) -> None:
    """By hand: of the class of a and b the first document alone counts."""
    text = "topic,document,grade,class\nt,a,L1,1\nt,b,L1,1\nt,c,L2,2\n"
    qrels = written(tmp_path / "a", text)
    scores = evaluate(
        qrels, {"t": {"a": 2.0, "b": 1.0}}, ["num_rel", "num_rel_ret"], qrels_format="ntcir"
    )
    assert scores.per_topic() == {"t": {"num_rel": 2, "num_rel_ret": 1}}


@pytest.mark.parametrize("odd", ["", "\n"])
def test_levels_with_classes_in_lines_of_json(odd: str, tmp_path: Path) -> None:
    """The same judgments, read by Arrow and (with a blank line) line by line."""
    rows = [("a", 1, "1"), ("b", 1, "1"), ("c", 2, "2")]
    text = odd.join(
        f'{{"topic": "t", "document": "{doc}", "grade": {grade}, "class": "{name}"}}\n'
        for doc, grade, name in rows
    )
    path = written(tmp_path / "qrels", text)
    scores = evaluate(path, {"t": {"b": 3.0, "a": 2.0, "c": 1.0}}, ["P_3"], qrels_format="ntcir")
    assert scores.summary()["P_3"] == pytest.approx(2 / 3)


def test_trec_evals_own_output(tmp_path: Path) -> None:
    """What trec_eval prints for a case, the run given as a table; only the tag is not known."""
    case = CASES / "001-basic-official"
    for name, places in (("qrels", (0, 2, 3)), ("run", (0, 2, 4))):
        rows = [line.split() for line in (case / name).read_text(encoding="utf-8").splitlines()]
        body = [["qid", "docno", "score"], *([row[at] for at in places] for row in rows)]
        written(tmp_path / name, cells(body, "\t"))
    ran = irev(*(case / "cmd").read_text(encoding="utf-8").split(), cwd=tmp_path)
    expected = (case / "out").read_bytes().splitlines()[1:]
    assert (ran.code, ran.out.splitlines()[1:]) == (0, expected)


# --- what is no table ---

NO_TABLES = [
    "query\tQ0\tdoc\t1\t2.5\tscore\n",
    "query Q0 doc,docno 1 2.5 topic,qid,docno,score\n",
    "query\t0\tdoc\t1\n",
    "query\tdoc\tL1\n",
    "topic\tdocument\t3\n",
    "query\tdoc\tinf\tscore\n",
    "query\tQ0\tdoc\t-\t0,5\tscore\n",
    "qid docno score\n",
    "topic,A,B\n1,0.5,0.2\n",
    "qid,A,B\n1,0.5,0.2\n",
    "a,b\rc\n",
    "",
]


def test_lines_are_not_taken_for_names() -> None:
    for text in NO_TABLES:
        assert find_header(text.encode()) is None, text


def test_topics_and_documents_called_as_columns(tmp_path: Path) -> None:
    """Lines of TREC whose ids are names of columns stay what they are."""
    qrels = written(tmp_path / "a", "query\t0\tdoc\t1\n")
    run = written(tmp_path / "b", "query\tQ0\tdoc\t1\t2.5\tscore\n")
    scores = evaluate(qrels, run, ["map"])
    assert scores.summary() == {"map": 1.0}


@pytest.mark.parametrize("topic", ["PAR1", "ARROW1", "FEA1x", '{"q', "{}"])
def test_topics_that_begin_as_tables_do(topic: str, tmp_path: Path) -> None:
    qrels = written(tmp_path / "a", f"{topic}\t0\td\t1\n")
    run = written(tmp_path / "b", f"{topic} Q0 d 1 2.5 t\n")
    assert evaluate(qrels, run, ["map"]).per_topic() == {topic: {"map": 1.0}}


@pytest.mark.parametrize("kept", range(0, 26, 3))
def test_a_line_is_seen_whole(kept: int, tmp_path: Path) -> None:
    """What is cut at the end of the first bytes would look like names of columns."""
    comment = "#" + "x" * ((1 << 16) - kept - 2) + "\n"
    run = written(tmp_path / "a", comment + "query\tQ0\tdoc\t1\t2.5\tscore\n")
    assert evaluate({"query": {"doc": 1}}, run, ["map"]).summary() == {"map": 1.0}


def test_tables_of_rows_are_no_saved_scores(tmp_path: Path) -> None:
    for text in [
        "query-id\tcorpus-id\tscore\n1\t10\t1\n2\t10\t1\n",
        "score,docno,qid\n1,2,3\n",
        "docno,qid,score\n1,2,3\n",
        '{"qid": "1", "docno": "2", "score": 3}\n',
    ]:
        assert not is_saved(str(written(tmp_path / "a", text))), text


@pytest.mark.parametrize("text", ["topic,A,B\n1,0.5,0.2\n", "qid\tbm25\n1\t0.5\n"])
def test_saved_scores_are_no_tables_of_rows(text: str, tmp_path: Path) -> None:
    path = written(tmp_path / "a", text)
    assert is_saved(str(path))
    with pytest.raises(InputError):
        evaluate({"1": {"a": 1}}, path)


def test_mappings_are_no_lines_of_objects() -> None:
    assert not is_json_lines(b'{"qid": {"docno": 1.0}}')
    assert not is_json_lines(b'{"irev": "1", "measures": ["map"]}')
    assert is_json_lines(b'{"score": 1.5, "qid": "1", "docno": "a"}')
    assert is_json_lines(b'{"\\u00e9": [1], "qid": "1", "docno": "a"}')
    assert not is_json_lines(b'{"qid": {"a": 1},\n"docno": {"a": 1}}')


# --- names that others use, and names that are not known ---

OF_OTHERS = {
    "recommenders": "user_id,item_id,prediction,rating\nq1,a,2,5\nq1,b,3,1\n",
    "RecBole": "user_id:token\titem_id:token\tscore:float\nq1\ta\t2\nq1\tb\t3\n",
    "blanks and capitals": '"Query Text","Doc ID",Score\nq1,a,2\nq1,b,3\n',
    "a pipeline": "question_id|question|chunk_id|similarity\nq1|who|a|2\nq1|who|b|3\n",
    "a German spreadsheet": "Query;DocumentID;Score\nq1;a;2\nq1;b;3\n",
    "a text beside the id": "query,query_id,doc_id,passage,score\nwho,q1,a,x,2\nwho,q1,b,y,3\n",
    "a search engine": '{"request_id": "q1", "_id": "a", "_score": 2}\n'
    '{"request_id": "q1", "_id": "b", "_score": 3}\n',
    "records": '[{"user": "q1", "item": "a", "score": 2}, {"user": "q1", "item": "b", "score": 3}]',
    "objects in a mapping": '{"q1": [{"id": "a", "score": 2}, {"id": "b", "score": 3}]}',
    "objects without scores": '{"qid": "q1", "docs": [{"id": "b", "text": "x"}, {"id": "a"}]}',
    "pandas' split": '{"columns": ["qid", "docno", "score"], "index": [0, 1], '
    '"data": [["q1", "a", 2], ["q1", "b", 3]]}',
    "pandas' table": '{"schema": {"fields": []}, "data": [{"qid": "q1", "docno": "a", "score": 2}, '
    '{"qid": "q1", "docno": "b", "score": 3}]}',
    "semicolons in quotes": '"a;b;c;d;e",qid,docno,score\nx,q1,a,2\ny,q1,b,3\n',
    "decimal points": "query_id;doc_id;score;text\nq1;a;0.2;x, y, z\nq1;b;0.3;u, v\n",
    "rows": '[["q1", "a", 2], ["q1", "b", 3]]',
    "lists": '[{"qid": "q1", "docs": ["a", "b"], "scores": [2, 3]}]',
}
"""The ranking b, a of q1."""


@for_each("form", OF_OTHERS)
def test_names_that_others_use(form: str, tmp_path: Path) -> None:
    run = written(tmp_path / "run", OF_OTHERS[form])
    assert evaluate({"q1": {"a": 1}}, run, ["RR"]).summary() == {"RR": 0.5}


UNKNOWN = {
    "a,b,c\nq1,a,1\n": "perhaps --columns topic=a,document=b,score=c",
    "Frage No;Film;Punkte;Jahr\nq1;a;1;2\n": "--columns topic=NAME,document=Film,score=NAME",
    "my query\tasin\tp(click)\nq1\ta\t1\n": (
        "perhaps --columns 'topic=my query,document=asin,score=p(click)'"
    ),
    '{"u": "q1", "page": "a", "w": 1}\n{"u": "q1", "page": "b", "w": 2}\n': (
        "perhaps --columns topic=u,document=page,score=w"
    ),
    '{"q": "q1", "gold_docs": ["a"], "top_results": ["b"]}\n': (
        "perhaps --columns topic=q,qrels:document=gold_docs,run:document=top_results"
    ),
    "run,topic,measure,value\nr,1,AP,0.5\n": "it looks like saved scores by topic",
}


def test_unknown_names_are_listed_with_the_whole_option(tmp_path: Path) -> None:
    """One message, in which columns are guessed as far as they can be."""
    for text, option in UNKNOWN.items():
        run = written(tmp_path / "run", text)
        ran = irev("-m", "map", written(tmp_path / "qrels", "q1 0 a 1\n"), run)
        assert ran.code == 2
        assert len(ran.err.splitlines()) == 2, ran.err
        assert option in ran.err, ran.err
    with pytest.raises(InputError, match=r"perhaps columns={'topic': 'a', 'document': 'b', 's"):
        evaluate({"q1": {"a": 1}}, written(tmp_path / "run", "a,b,c\nq1,a,1\n"), ["map"])


def test_columns_of_judgments_and_of_runs(tmp_path: Path) -> None:
    """Rows that hold both: the first relevant document is the second of two."""
    rows = (
        '{"q": "1", "gold": ["b"], "found": ["a", "b"]}\n{"q": "2", "gold": ["c"], "found": []}\n'
    )
    path = written(tmp_path / "rows", rows)
    columns = "topic=q,qrels:document=gold,document=found"
    settings = '[eval]\ncolumns = {topic = "q", "qrels:document" = "gold", document = "found"}\n'
    config = written(tmp_path / "irev.toml", settings)
    for words in (["--columns", columns], ["--config", config]):
        ran = irev("-c", "-m", "RR", *words, path, path)
        assert ran.out == b"RR                    \tall\t0.2500\n"
    own = {"topic": "q", "qrels:document": "gold", "run:document": "found"}
    assert evaluate(path, path, ["RR"], columns=own, topics="qrels").summary() == {"RR": 0.25}
    with pytest.raises(UsageError, match="no field 'pool:document'"):
        Options(columns={"pool:document": "x"})


# --- what is wrong ---

WRONG = {
    "qid,docno,score\nq1,a,x\n": (2, "score 'x' is not a number"),
    "qid,docno,score\nq1,a,nan\n": (2, "drop the line, or give it a number"),
    "qid,docno,score\nq1,a,1\nq1,b\n": (3, "expected 3 cells, found 2"),
    "qid,docno,score\nq1,a,1\nq1,b,1,2\n": (3, "expected 3 cells, found 4"),
    "qid,docno,score\n\nq1,a,1\n\nq1,,2\n": (5, "an id is missing in column docno"),
    "qid,docno,score\nq1, a,1\n": (2, "' a' in column docno begins or ends with a blank"),
    "# c\nqid,docno,points\nq1,a,1\n": (2, "no column for the score (one of score, sim)"),
    "qid,docno,doc_id,score\nq1,a,a,1\n": (1, "docno and doc_id are columns for the document"),
    "qid,docno,score,score\nq1,a,1,1\n": (1, "score and score are columns for the score"),
    "qid,docno,score\nq1,a,1\nq2,b,1\nq1,a,2\n": (4, "lines 2 and 4"),
    'qid,docno,score,t\nq1,a,1,"x\ny"\nq1,a,2,z\n': (4, "lines 2 and 4"),
    'qid,docno,score\nq1,a,1\nq1,"b,2\nq1,c,3\n': (3, "a quote opens a cell"),
    'qid,docno,score\nq1,"a,1\nq1",c,3,4\n': (2, "a quote opens a cell"),
    'qid,docno,score\nq1,a,1\nq1,"b,2\nq1,c",3\n': (3, "a line break in an id"),
    'qid,docno,score,t\nq1,a,1,"x\nq1,b,2,y\nq1,c,3,z\n': (2, "a quote that is opened here is"),
    'qid,docno,score,t\nq1,a,1,x\nq1,b"c,2,"y\n': (3, "a quote that is opened here is"),
    "qid,docno,score\nq1,a\0,1\n": (2, "a zero byte"),
    "qid,docno,score\n": (None, "the table has no rows"),
    '{"qid": "1", "docno": "a", "score": 1}\n{"qid": "1"\n': (2, "this line is not valid JSON"),
    '{"qid": "1", "docno": "a", "score": 1}{"qid": "1", "docno": "b", "score": 1}\n\n': (
        1, "this line is not valid JSON: Extra data"
    ),
    '{"qid": "1", "docno": "a", "score": 1}\n[1]\n': (2, "this line is not an object"),
    '{"qid": "1", "docno": "a", "score": 1}\n{"qid": "1", "score": 1}\n': (2, "an id, is missing"),
    '{"qid": "1", "docno": "a", "score": 1}\n{"qid": 1.5, "docno": "b"}\n': (2, "'qid', an id"),
    '{"qid": "1", "docno": "a", "score": "1"}\n': (1, "'score', a score, is not a number"),
    '{"qid": "1", "docno": "a", "score": NaN}\n': (1, "'score', a score, is nan"),
    '{"qid": "1", "docno": "a", "score": true}\n': (1, "'score', a score, is not a number"),
    '{"qid": "1", "docno": "a"}\n': (1, "there is no column for the score"),
    '{"qid": "1", "docno": "\\ud800", "score": 1}\n': (1, "'docno' contains half of a"),
    '{"qid": "1", "docno": "a\\u0000", "score": 1}\n': (1, "'docno' holds a zero byte"),
    '{"qid": "1", "docno": "a", "score": 1, "score": 2}\n': (1, "'score' is repeated"),
    '{"qid": "1", "docno": "a", "score": 1}\n\n{"qid": 1, "docno": "a", "score": 2}\n': (
        3, "lines 1 and 3",
    ),
}  # fmt: skip


@for_each("text", WRONG)
def test_what_is_wrong_is_said_with_its_line(text: str, tmp_path: Path) -> None:
    line, message = WRONG[text]
    path = written(tmp_path / "run", text)
    with pytest.raises(InputError) as caught:
        evaluate({"q1": {"a": 1}}, path)
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert message in str(caught.value)


def test_grades_of_text_are_whole_unless_asked(tmp_path: Path) -> None:
    path = written(tmp_path / "a", "qid,docno,rel\nt,a,0.5\n")
    with pytest.raises(InputError, match="real_grades=True accepts fractions"):
        evaluate(path, {"t": {"a": 1.0}}, ["dcg"])
    assert evaluate(path, {"t": {"a": 1.0}}, ["dcg"], real_grades=True).summary() == {"dcg": 0.5}


HINTS = {
    "qid,docno,rank\nq1,a,1\n": 'hint: order by the ranks: ties="rank"',
    "qid,docno,rank,w\nq1,a,1,2\n": "or say which they are, perhaps columns={'score': 'w'}",
    "qid docno score\nq1 a 1\n": "this line names columns: separate all fields by tabs or commas",
    "qid,doc_ids\nq1,a\n": "lists of documents are read in JSON",
    '{"qid": "1", "relevant": ["a"]}\n': "perhaps columns={'document': 'relevant'}",
    "q1 a 1 7\n": "this looks like qrels",
    "q1 a 1\nq1 b 2\n": (
        'a run of MS MARCO or a run of scores alone; run_format="msmarco" reads '
        "'topic document rank', run_format=\"scores\" 'topic document score'"
    ),
    "q1 a 1 7.5\n": 'run_format="msmarco" reads it',
    "q1 0 a 1\n": "the qrels come first",
    "q1,a,1\n": "commas are read where the first line names the columns",
}


@pytest.mark.parametrize("text", HINTS)
def test_the_format_that_reads_a_run_is_named(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        evaluate({"q1": {"a": 1}}, written(tmp_path / "run", text))
    assert HINTS[text] in str(caught.value)


def test_the_formats_are_strict(tmp_path: Path) -> None:
    trec = written(tmp_path / "run", "1 Q0 2 1 2.5 tag\n")
    with pytest.raises(InputError) as caught:
        evaluate({"1": {"2": 1}}, trec, run_format="msmarco")
    assert "expected 3 fields (topic document rank), found 6" in str(caught.value)
    assert 'run_format="trec_results" reads' in str(caught.value)
    ranks = written(tmp_path / "ranks", "1 2 1.5\n")
    with pytest.raises(InputError, match=r"rank '1.5' is not a whole number"):
        evaluate({"1": {"2": 1}}, ranks, run_format="msmarco")
    qrels = written(tmp_path / "qrels", "1 0 2 1\n")
    with pytest.raises(InputError, match='qrels_format="qrels" reads it'):
        evaluate(qrels, {"1": {"2": 1}}, qrels_format="triples")


# --- irev check, imports, help ---

KINDS = {
    "table": ENCODINGS["BEIR"][1],
    "msmarco": "".join(f"{t}\t{d}\t{n}\n" for t, d, n in MARCO),
    "triples": "q1 a 1\nq1 b 0\nq1 c 1\n",
}


@pytest.mark.parametrize("kind", KINDS)
def test_check_knows_the_kinds(kind: str, tmp_path: Path) -> None:
    report = check_file(written(tmp_path / "a", KINDS[kind]))
    assert (report.kind, report.errors) == (kind, 0)
    assert [finding.code for finding in report.findings] == ["not-checked"]


def test_check_knows_ranks_with_scores_and_lines_of_json(tmp_path: Path) -> None:
    scored = check_file(written(tmp_path / "a", "q1\ta\t1\t2.5\nq1\tb\t2\t1.5\n"))
    assert (scored.kind, scored.errors) == ("msmarco", 0)
    lines = check_file(written(tmp_path / "b", ENCODINGS["lines of JSON"][1]))
    assert (lines.kind, lines.errors, lines.topics) == ("table", 0, 2)


@pytest.mark.parametrize("text", ["q1 0 11 0.5\nq1 0 12 1.5\n", "q1 1 d1 0\nq1 1 d2 1\n"])
def test_check_takes_no_judgments_for_ranks(text: str, tmp_path: Path) -> None:
    assert check_file(written(tmp_path / "a", text)).kind == "qrels"


def test_check_says_what_is_wrong_with_a_table(tmp_path: Path) -> None:
    report = check_file(written(tmp_path / "a", "qid,docno,score\nq1,a,x\n"))
    assert report.errors == 1
    assert (report.findings[0].line, report.findings[0].message) == (2, "score 'x' is not a number")


def test_tables_are_not_reduced_line_by_line(tmp_path: Path) -> None:
    for name in ("BEIR", "lines of JSON"):
        path = written(tmp_path / "a", ENCODINGS[name][1])
        with pytest.raises(InputError, match="must be a text file, not a table"):
            list(reduced_run_blocks(str(path), [b"a"], run_layout()))


def test_ranks_of_a_table(tmp_path: Path) -> None:
    run = written(tmp_path / "a", table([("q", "a", 10), ("q", "b", 9)], "qid docno rank"))
    scores = evaluate({"q": {"a": 1}}, run, ["recip_rank"], ties="rank")
    assert scores.per_topic() == {"q": {"recip_rank": 0.5}}


@pytest.mark.thorough
def test_text_tables_do_not_need_pandas(tmp_path: Path) -> None:
    for name in ("BEIR", "lines of JSON"):
        paths = [written(tmp_path / str(at), ENCODINGS[name][at]) for at in (0, 1)]
        code = (
            "import sys; from irev import evaluate; evaluate(sys.argv[1], sys.argv[2]); "
            "sys.exit('pandas' in sys.modules)"
        )
        subprocess.run([sys.executable, "-c", code, *map(str, paths)], check=True)


IDS = st.text(st.characters(exclude_characters="\0", exclude_categories=("Z", "C")), min_size=1)
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def as_commas(rows: Rows) -> str:
    return cells([["qid", "docno", "score"], *([t, d, repr(n)] for t, d, n in rows)], ",")


def as_tabs(rows: Rows) -> str:
    return cells([["qid", "docno", "score"], *([t, d, repr(n)] for t, d, n in rows)], "\t")


def as_json(rows: Rows) -> str:
    return lines_of_json(rows, "qid docno score")


@pytest.mark.thorough
@pytest.mark.parametrize("write", [as_commas, as_tabs, as_json])
@examples(40)
@given(run=st.dictionaries(IDS, st.dictionaries(IDS, FINITE, min_size=1), min_size=1))
def test_what_is_written_is_read(
    write: Callable[[Rows], str], tmp_path_factory: pytest.TempPathFactory, run: dict[str, Any]
) -> None:
    """Any ids and scores: the same order of documents as from memory."""
    rows = [(topic, doc, n) for topic, docs in run.items() for doc, n in docs.items()]
    path = written(tmp_path_factory.mktemp("run") / "a", write(rows))
    pool, memory = make_pool([path], 3), make_pool([run], 3)
    assert pool.docs.to_list() == memory.docs.to_list()
    assert list(pool.best_rank) == list(memory.best_rank)
