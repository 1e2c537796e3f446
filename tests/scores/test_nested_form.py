"""Scores that other programs save in JSON, and tables whose columns are measures of one run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import irev
from irev.errors import InputError
from irev.scores.saved import is_saved, read_saved
from tests.command import irev as command
from tests.each import for_each
from tests.files import CASES, SAMPLE

# what pytrec_eval's RelevanceEvaluator.evaluate gives
TOPICS = {"1": {"map": 0.25, "P_10": 0.5}, "2": {"map": 0.75, "P_10": 0.125}}
OTHER = {"1": {"map": 0.5, "P_10": 0.25}, "2": {"map": 1.0, "P_10": 0.0}}
ROWS = [
    {"run": run, "topic": topic, "measure": measure, "value": value}
    for run, topics in (("a", TOPICS), ("b", OTHER))
    for topic, values in topics.items()
    for measure, value in values.items()
]
WIDE_ROWS = [
    {"run": run, "topic": topic, **values}
    for run, topics in (("a", TOPICS), ("b", OTHER))
    for topic, values in topics.items()
]


def scores_by_run(path: Path) -> dict[str, Any]:
    return {name: table.run(name).per_topic() for table in read_saved(str(path)) for name in table}


@for_each("indent", [None, 2])
@for_each(
    ("value", "expected"),
    [
        (TOPICS, {"file": TOPICS}),
        ({"a": TOPICS, "b": OTHER}, {"a": TOPICS, "b": OTHER}),
        (ROWS, {"a": TOPICS, "b": OTHER}),
        ([{k: v for k, v in row.items() if k != "run"} for row in ROWS[:4]], {"file": TOPICS}),
        (WIDE_ROWS, {"a": TOPICS, "b": OTHER}),
        ({**TOPICS, "all": {"map": 0.5, "P_10": 0.3125}}, {"file": TOPICS}),
        ({"1": {"map": 0.25, "runid": "x"}}, {"file": {"1": {"map": 0.25}}}),
    ],
    ids=["topics", "runs", "rows", "rows of one run", "rows by topic", "summary", "text"],
)
def test_json(tmp_path: Path, value: Any, expected: Any, indent: int | None) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(value, indent=indent))
    assert is_saved(str(path))
    assert scores_by_run(path) == expected


def test_more_than_the_first_lines_tell(tmp_path: Path) -> None:
    topics = {f"t{number:05}": {"map": number / 9000, "P_10": 0.5} for number in range(9000)}
    (tmp_path / "one.json").write_text(json.dumps(topics))
    (tmp_path / "two.json").write_text(json.dumps({"a": topics, "b": topics}))
    assert scores_by_run(tmp_path / "one.json") == {"one": topics}
    assert scores_by_run(tmp_path / "two.json") == {"a": topics, "b": topics}


def test_pytrec_eval_itself(tmp_path: Path) -> None:
    """Its recorded results, with runid as a number and 11pt_avg, which irev does not know."""
    results = json.loads((CASES / "pytrec_eval.json").read_text(encoding="utf-8"))["values"]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(results))
    no_topic_values = ("runid", "relstring", "num_q", "gm_map", "gm_bpref")
    expected = {
        topic: {name: value for name, value in values.items() if name not in no_topic_values}
        for topic, values in results.items()
    }
    assert scores_by_run(path) == {"x": expected}
    mean = sum(values["map"] for values in results.values()) / 2
    assert irev.compare(None, {"a": results, "b": results}).table["a", "map"] == pytest.approx(
        mean, abs=1e-12
    )


@pytest.mark.parametrize(
    "value",
    [
        {"1": {"d1": 0.25, "map": 0.5}},
        {"1": {"d1": 2.5, "d2": 1.5}},
        {"1": {"A": 0.25, "V": 0.5}},
        {"1": {}},
        {},
        {"1": ["map", "P_10"]},
        {"1": {"map": ["d1"]}},
        [{"topic": "1", "document": "map", "score": 0.5}],
        [],
        ["map"],
    ],
    ids=json.dumps,
)
def test_runs_and_other_json_are_no_scores(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(value))
    assert not is_saved(str(path))


@for_each(
    ("text", "message"),
    [
        ('{"1": {"map": 0.5}, "2": {"map": "high"}}', "topic 2: map is 'high', which is no number"),
        ('{"1": {"map": 0.5}, "2": {"map": true}}', "topic 2: map is True, which is no number"),
        ('{"1": {"map": 0.5}, "2": 0.5}', "topic 2: expected a mapping, found 0.5"),
        ('{"a": {"1": {"map": 0.5}}, "b": {"1": 1}}', "topic 1 of b: expected a mapping, found 1"),
        ('{"1": {"map": 0.5}, "1": {"map": 0.5}}', "'1' is repeated in one mapping"),
        ('{"1": {"map": 0.5},', "this JSON is damaged"),
        ('{"all": {"map": 0.5}}', "these scores are a summary"),
        ('[{"topic": "1", "measure": "map", "value": 1}, {"topic": "1"}]',
         "row 2 does not name a topic, a measure and a value"),
        ('[{"topic": "1", "measure": "map", "value": 1}, 2]', "row 2 is no JSON object"),
        ('[{"topic": "1", "measure": "map", "value": [1]}]', r"row 1: \[1\] is not a number"),
        ('[{"topic": "1", "measure": "map", "value": 1},', "this JSON is damaged"),
        ('[{"topic": "1", "map": 0.5}, {"topic": "1", "map": 0.5}]',
         "row 2: duplicate map for topic 1"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "scores.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_saved(str(path))


def test_tables_whose_columns_are_measures(tmp_path: Path) -> None:
    for name, separator in (("a.csv", ","), ("a.tsv", "\t")):
        lines = [("topic", "map", "P_10"), ("1", "0.25", "0.5"), ("2", "0.75", "0.125"),
                 ("all", "0.5", "0.3125")]  # fmt: skip
        (tmp_path / name).write_text("".join(separator.join(line) + "\n" for line in lines))
        assert is_saved(str(tmp_path / name))
        assert scores_by_run(tmp_path / name) == {"a": TOPICS}


def test_columns_of_unknown_names_are_runs(tmp_path: Path) -> None:
    for names in ("bm25,rm3", "A,V", "a,b"):
        (tmp_path / "map.csv").write_text(f"topic,{names}\n1,0.25,0.5\n2,0.75,0.125\n")
        tables = read_saved(str(tmp_path / "map.csv"))
        assert [table.run_names[0] for table in tables] == names.split(",")
        assert {table.measure_names for table in tables} == {("map",)}


def test_columns_of_both_kinds_need_a_word(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("topic,map,my_score\n1,0.25,0.5\n2,0.75,0.125\n")
    (tmp_path / "b.csv").write_text("topic,map,my_score\n1,0.5,0.5\n2,0.5,0.25\n")
    ran = command("compare", "a.csv", "b.csv", cwd=tmp_path)
    assert ran.code == 2
    assert (
        "a.csv:1: map may be a measure, and irev knows no measure my_score: are the columns "
        "measures of one run, or runs?" in ran.err
    )
    assert "--columns measure=my_score says measures; for runs rename column map" in ran.err
    ran = command("compare", "--columns", "measure=my_score", "a.csv", "b.csv", "--format", "csv",
                  cwd=tmp_path)  # fmt: skip
    assert ran.code == 0
    assert b"my_score" in ran.out
    paths = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    table = irev.compare(None, paths, columns={"measure": "my_score"}).table
    assert table.run_names == ("a", "b")
    assert table["a", "my_score"] == 0.3125
    assert table["a", "map"] == 0.5


def test_commands_and_python_take_them(tmp_path: Path) -> None:
    (tmp_path / "all.json").write_text(json.dumps({"a": TOPICS, "b": OTHER}))
    (tmp_path / "a.json").write_text(json.dumps(TOPICS))
    (tmp_path / "b.json").write_text(json.dumps(OTHER))
    expected = irev.compare(None, [tmp_path / "a.json", tmp_path / "b.json"])
    for runs in (tmp_path / "all.json", {"a": TOPICS, "b": OTHER}):
        comparison = irev.compare(None, runs)
        assert comparison.table.summary() == expected.table.summary()
        assert comparison.table["b", "map"] == 0.75
    for call in (("compare",), ("leaderboard", "-m", "map")):
        ran = command(*call, "all.json", cwd=tmp_path)
        assert ran.code == 0, ran.err
        assert b"0.75" in ran.out
    assert command("report", "all.json", "--output", "x.html", cwd=tmp_path).code == 0
    assert "0.75" in (tmp_path / "x.html").read_text(encoding="utf-8")
    ran = command("gate", "--min", "map=0.6", "a.json", cwd=tmp_path)
    assert ran.code == 1
    ran = command("check", "a.json", cwd=tmp_path)
    assert "saved scores" in ran.out.decode() + ran.err


def test_a_board_of_runs_takes_no_scores_for_a_run(tmp_path: Path) -> None:
    """As of all saved scores; with --accept-scores they stand beside the runs."""
    results = {"301": {"map": 0.5, "P_10": 0.25}, "302": {"map": 0.5, "P_10": 0.25}}
    (tmp_path / "a.json").write_text(json.dumps(results))
    call = ("leaderboard", "--test", "none", "--ci", "none", "-m", "map",
            SAMPLE / "first" / "qrels.txt", SAMPLE / "first" / "bm25.run", "a.json")  # fmt: skip
    ran = command(*call, cwd=tmp_path)
    message = b"a.json: these are saved scores, not a run; --accept-scores accepts them"
    assert message in ran.out
    ran = command(*call, "--accept-scores", cwd=tmp_path)
    assert b"not tested: bm25 leads a by 0.3387" in ran.out


def test_a_run_of_several_is_named_in_brackets(tmp_path: Path) -> None:
    """A gate takes one run, and so does its baseline; other commands may."""
    (tmp_path / "all.json").write_text(json.dumps({"a": TOPICS, "b": OTHER}))
    gate = ("gate", "--min", "map=0.6")
    ran = command(*gate, "all.json", cwd=tmp_path)
    assert ran.code == 2
    assert (
        "all.json holds the scores of 2 runs, expected one (a, b): name one, all.json[a]" in ran.err
    )
    assert command(*gate, "all.json[a]", cwd=tmp_path).code == 1
    assert command(*gate, "all.json[b]", cwd=tmp_path).code == 0
    ran = command(*gate, "all.json[c]", cwd=tmp_path)
    assert ran.code == 2
    assert "all.json: there is no run 'c' in this file" in ran.err
    assert "it has a, b" in ran.err
    ran = command("gate", "--baseline", "all.json[b]", "-m", "map", "all.json[a]", cwd=tmp_path)
    assert ran.code == 1
    assert b"0.25" in ran.out
    ran = command("gate", "--baseline", "all.json[a]", "-m", "map", "all.json[b]", cwd=tmp_path)
    assert ran.code == 0
    ran = command("gate", "--baseline", "all.json", "-m", "map", "all.json[b]", cwd=tmp_path)
    assert ran.code == 2
    assert "(a, b): name one, all.json[a]" in ran.err
    path = str(tmp_path / "all.json[b]")
    assert irev.gate(None, path, min={"map": 0.6}).passed
    comparison = irev.compare(None, [path, tmp_path / "all.json[a]"])
    assert sorted(comparison.table.run_names) == ["a", "b"]


def test_a_run_of_other_forms_is_named_in_brackets(tmp_path: Path) -> None:
    for ending in ("json", "csv", "parquet"):
        path = tmp_path / f"scores.{ending}"
        form = () if ending == "parquet" else ("--format", ending)
        ran = command("-q", "-m", "map", *form, "--output", path, SAMPLE / "qrels.txt",
                      SAMPLE / "bm25.run", SAMPLE / "rm3.run")  # fmt: skip
        assert ran.code == 0, ran.err
        ran = command("gate", "--min", "map=0.4", f"{path}[rm3]")
        assert (ran.code, ran.err) == (0, "")
        assert command("gate", "--min", "map=0.4", f"{path}[bm25]").code == 1
