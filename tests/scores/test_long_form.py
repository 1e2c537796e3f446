"""Scores in the long form: run, topic, measure and value on each line."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irev
from irev.errors import InputError
from irev.scores.saved import is_saved, read_saved

EXPECTED = {
    "a": {"31": {"AP": 0.25, "nDCG@10": 0.5}, "32": {"AP": 1.0, "nDCG@10": 0.75}},
    "b": {"31": {"AP": 0.5, "nDCG@10": 0.125}, "32": {"AP": 0.0, "nDCG@10": 0.375}},
}
ROWS = [
    (run, topic, measure, value)
    for run, by_topic in EXPECTED.items()
    for topic, values in by_topic.items()
    for measure, value in values.items()
]


def lines(template: str) -> str:
    rows = [*ROWS, ("a", "all", "AP", 0.625), ("b", "all", "AP", 0.25)]
    return "".join(
        template.format(run=run, topic=topic, measure=measure, value=value) + "\n"
        for run, topic, measure, value in rows
    )


TREC = lines("{run} {measure} {topic} {value}")
IR_MEASURES = lines("{run}\t{topic}\t{measure}\t{value}")
FORMS = {
    "trec": TREC,
    "ir_measures": IR_MEASURES,
    "ir_measures, head": "run_id query_id measure value\n" + IR_MEASURES.replace("\t", " "),
    "json": lines(
        '{{"value": {value}, "run_id": "{run}", "topic_id": "{topic}", "measure": "{measure}"}}'
    ),
    "csv": "run,topic,measure,value\n" + lines("{run},{topic},{measure},{value}"),
    "csv, any order": "# scores\nvalue,Metric,qid,note,system\n"
    + lines("{value},{measure},{topic},-,{run}"),
    "with a tag": "a runid all tag-a\n" + TREC,
}


def values_by_run(path: Path) -> dict[str, dict[str, dict[str, float]]]:
    return {name: table.run(name).per_topic() for table in read_saved(str(path)) for name in table}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_holds_the_same_values(tmp_path: Path, form: str) -> None:
    path = tmp_path / "scores.txt"
    path.write_text(FORMS[form])
    assert is_saved(str(path))
    assert values_by_run(path) == EXPECTED


@pytest.mark.parametrize(
    "names", [("run", "topic", "measure", "value"), ("tag", "qid", "metric", "score")]
)
def test_a_parquet_table_of_another_program(tmp_path: Path, names: tuple[str, ...]) -> None:
    path = tmp_path / "scores.parquet"
    columns = dict(zip(names, map(list, zip(*ROWS, strict=True)), strict=True))
    pq.write_table(pa.table(dict(reversed(columns.items()))), path)
    assert is_saved(str(path))
    assert values_by_run(path) == EXPECTED


def test_without_a_run_the_file_names_it(tmp_path: Path) -> None:
    path = tmp_path / "bm25.tsv"
    path.write_text("31\tAP\t0.25\n31\tP@10\t0.5\n32\tAP\t1.0\n32\tP@10\t0.0\nall\tAP\t0.625\n")
    assert values_by_run(path) == {
        "bm25": {"31": {"AP": 0.25, "P@10": 0.5}, "32": {"AP": 1.0, "P@10": 0.0}}
    }


@pytest.mark.parametrize(
    "order", ["{run} {measure} {topic} {value}", "{run} {topic} {measure} {value}"]
)
def test_measures_that_irev_does_not_know(tmp_path: Path, order: str) -> None:
    path = tmp_path / "scores.txt"
    topics = ["31", "32", "33", "34"]
    path.write_text(
        "".join(
            order.format(run="a", measure=measure, topic=topic, value=value) + "\n"
            for topic in topics
            for measure, value in (("V_strict", 0.5), ("A_strict", 0.25))
        )
    )
    assert values_by_run(path) == {
        "a": {topic: {"V_strict": 0.5, "A_strict": 0.25} for topic in topics}
    }


@pytest.mark.parametrize(
    "order", ["{run} {measure} {topic} {value}", "{run}\t{topic}\t{measure}\t{value}"]
)
@pytest.mark.parametrize("summary", ["", "all", "first"])
@pytest.mark.parametrize("topics", [("31", "32", "33"), ("t1", "t2", "t3")])
def test_scores_of_judges_have_no_head(
    tmp_path: Path, order: str, summary: str, topics: tuple[str, ...]
) -> None:
    """As TREC AutoJudge has them: measures of any names, a line for `all` anywhere or nowhere."""
    expected = {
        run: {topic: {"GRADE": 0.5 * place, "HAS_KEYWORDS": 1.25} for topic in topics}
        for place, run in enumerate(("umd_1", "unh-2", "x"), 1)
    }
    lines = [
        order.format(run=run, topic=topic, measure=measure, value=value)
        for run, by_topic in expected.items()
        for topic, values in by_topic.items()
        for measure, value in values.items()
    ]
    if summary:
        means = [order.format(run=r, topic="all", measure="GRADE", value=1.0) for r in expected]
        lines = [*means, *lines] if summary == "first" else [*lines, *means]
    path = tmp_path / "judge.tot"
    path.write_text("\n".join([*lines, ""]))
    assert values_by_run(path) == expected
    # a run of the file alone, and topics that some runs lack
    path.write_text("\n".join([*lines[:6], ""]) if summary != "first" else "\n".join(lines[3:9]))
    assert set(values_by_run(path)) == {"umd_1"}


def test_what_is_no_number_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text('{"qid": 1, "measure": "AP", "value": null}\n')
    (table,) = read_saved(str(path))
    assert table.topics == (b"1",)
    assert str(table.values.tolist()) == "[[[nan]]]"


@pytest.mark.parametrize(
    "text",
    [
        "31 0 FBIS3-1 0.5\n31 0 FBIS3-2 0.5\n32 0 FBIS3-1 0.5\n32 0 FBIS3-2 1.0\n",
        "31 0 D1 0.5\n32 0 D1 0.5\n33 0 D1 0.5\n34 0 D1 0.5\n",
        "31 Q0 D1 1\n31 Q0 D2 0\n",
        # judgments by subtopics, whose documents are others in each topic; a run with tags
        "1 a d1 0.5\n1 b d1 0.5\n1 a d2 0.5\n2 a d3 0.5\n2 b d4 0.5\n3 a d5 1.0\n",
        "q1 d1 bm25 2.5\nq1 d2 bm25 1.5\nq2 d3 bm25 2.5\nq2 d4 bm25 1.5\n",
        "q1 d1 1 2.5\nq1 d2 2 1.5\nq2 d1 1 2.5\nq2 d2 2 1.5\n",
        "31 D1 0.5\n31 D2 0.25\n32 D1 0.5\n",
        '{"qid": "1", "docid": "d1", "score": 0.5}\n',
        "qid,docid,score\n1,d1,0.5\n",
        "run,topic,document,score\na,1,d1,0.5\n",
    ],
)
def test_runs_and_judgments_are_no_scores(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    assert not is_saved(str(path))


def test_a_parquet_run_is_no_scores(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pq.write_table(pa.table({"run": ["a"], "qid": ["1"], "docid": ["d"], "score": [0.5]}), path)
    assert not is_saved(str(path))


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("run,topic,measure,value\na,1,AP,0.5\na,1,AP,0.5\n", 3, "duplicate AP of a for topic 1"),
        ("run,topic,measure,value\na,1,AP,x\n", 2, "'x' is not a number"),
        ("run,topic,measure,value\na,1,AP\n", 2, "3 cells"),
        ('{"topic": 1, "measure": "AP", "value": 1}\n{"topic"\n', 2, "not valid JSON"),
        ('{"topic": 1, "measure": "AP", "value": 1}\n{"topic": 1}\n', 2, "does not name"),
        ('{"topic": 1, "measure": "AP", "value": true}\n', 1, "not a number"),
        ("topic,measure,value\nall,AP,0.5\n", None, "a summary"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, text: str, line: int | None, what: str
) -> None:
    path = tmp_path / "scores"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_saved(str(path))
    (problem,) = error.value.problems
    assert problem.line == line
    assert what in problem.message


def test_scores_of_another_program_are_compared(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text(TREC)
    comparison = irev.compare(None, [str(path)], ["AP"])
    (row,) = comparison.to_frame().to_dict("records")
    assert {row["run"]: row["mean"], row["against"]: row["mean_against"]} == {"a": 0.625, "b": 0.25}


def test_a_gate_and_a_comparison_take_a_measure_that_irev_does_not_know(tmp_path: Path) -> None:
    people, model = tmp_path / "people.csv", tmp_path / "model.csv"
    head = "run,topic,measure,value\n"
    people.write_text(f"{head}p,1,V_strict,0.5\np,2,V_strict,0.25\np,3,V_strict,0.75\n")
    model.write_text(f"{head}m,1,V_strict,0.25\nm,2,V_strict,0.25\nm,3,V_strict,0.25\n")
    assert irev.gate(None, str(people), min={"V_strict": 0.5}).outcome == "passed"
    assert irev.gate(None, str(people), min={"V_strict": 0.51}).outcome == "failed"
    against = irev.gate(None, str(model), ["V_strict"], baseline=str(people), tolerance=0.1)
    assert against.outcome == "failed"
    comparison = irev.compare(None, [str(people), str(model)], ["V_strict"])
    (row,) = comparison.to_frame().to_dict("records")
    assert abs(row["difference"]) == 0.25
    with pytest.raises(irev.UsageError, match="V_stric"):
        irev.compare(None, [str(people), str(model)], ["V_stric"])
