"""Tables and mappings are looked at as text is, but for what lines alone show."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd
import pytest

import irev
from tests.each import for_each
from tests.files import SAMPLE

if TYPE_CHECKING:
    from pathlib import Path

    from irev.jobs.check.findings import FileReport

Rows: TypeAlias = list[tuple[str, str, int, float]]
"""Topic, document, rank and score; or, of judgments, the grade as the score."""

OF_LINES = {
    "crlf", "tabs", "comment", "ranks-from-zero", "rank-gap", "repeated-rank", "iteration-field",
    "tag-form", "several-tags", "scattered-topic",
}  # fmt: skip
"""Codes of what no table has, or what is looked at in lines alone."""


def sample_rows(name: str) -> Rows:
    lines = [line.split() for line in (SAMPLE / name).read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line[0] != "#"]
    if name.startswith("qrels"):
        return [(topic, document, 0, float(grade)) for topic, _, document, grade in lines]
    return [(topic, doc, int(rank), float(score)) for topic, _, doc, rank, score, _ in lines]


def write(rows: Rows, path: Path, number: str = "score") -> Path:
    """The rows in the form that the ending says."""
    if path.suffix == ".json":
        mapping: dict[str, dict[str, float]] = {}
        for topic, document, _, value in rows:
            mapping.setdefault(topic, {})[document] = int(value) if number == "grade" else value
        path.write_text(json.dumps(mapping), encoding="utf-8")
        return path
    if path.suffix in (".run", ".qrels"):
        path.write_text(
            "".join(
                f"{t} 0 {d} {s:g}\n" if number == "grade" else f"{t} Q0 {d} {r} {s!r} tag\n"
                for t, d, r, s in rows
            ),
            encoding="utf-8",
        )
        return path
    frame = pd.DataFrame(rows, columns=["topic", "document", "rank", number])
    if number == "grade":
        frame = frame.drop(columns="rank").astype({"grade": int})
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False)
    return path


def counts(report: FileReport) -> dict[str, int]:
    left_out = {*OF_LINES, "not-checked", "no-final-newline"}
    return {code: count for code, count in report.counts.items() if code not in left_out}


def checked(*paths: Path, **options: Any) -> tuple[FileReport, ...]:
    return irev.check([str(path) for path in paths], **options).files


EDITS = {
    "as it is": lambda row: row,
    "other topics": lambda row: (f"{row[0]}x", *row[1:]),
    "upper case": lambda row: (row[0], row[1].upper(), *row[2:]),
    "equal scores": lambda row: (*row[:3], 1.5),
    "ranks as scores": lambda row: (*row[:3], float(row[2])),
    "first ones unjudged": lambda row: (row[0], f"new{row[1]}", *row[2:]) if row[2] <= 5 else row,
}


@for_each("edit", EDITS)
def test_runs_in_tables_have_the_findings_of_lines(edit: str, tmp_path: Path) -> None:
    qrels = SAMPLE / "qrels.txt"
    rows = [EDITS[edit](row) for row in sample_rows("bm25.run")]
    _, text = checked(qrels, write(rows, tmp_path / "x.run"))
    for ending in ("csv", "jsonl", "parquet", "json"):
        _, table = checked(qrels, write(rows, tmp_path / f"x.{ending}"))
        assert (table.kind, table.facts["holds"]) == ("table", "run")
        found, expected = counts(table), counts(text)
        if "rank-order" in expected:  # once, and in lines for each topic besides
            expected["rank-order"] = 1
        assert found == expected, ending
        for fact in ("documents_per_topic", "tie_groups", "judged_at_10", "unretrieved_topics"):
            assert table.facts.get(fact) == text.facts.get(fact), (ending, fact)
        assert not any(finding.line for finding in table.findings)


def test_judgments_in_tables_serve_the_runs_behind_them(tmp_path: Path) -> None:
    rows = [row for row in sample_rows("qrels.txt") if row[3] >= 0]
    text = write(rows, tmp_path / "x.qrels", "grade")
    run = write(sample_rows("bm25.run"), tmp_path / "x.json")
    reference = checked(text, run)
    for ending in ("csv", "jsonl", "parquet", "json"):
        qrels, of_run = checked(write(rows, tmp_path / f"q.{ending}", "grade"), run)
        assert qrels.facts["holds"] == "qrels"
        assert counts(qrels) == counts(reference[0])
        assert qrels.facts["grades"] == reference[0].facts["grades"]
        assert of_run.facts == reference[1].facts
        assert of_run.facts["judged_at_10"] > 0.9


def test_what_a_mapping_is(tmp_path: Path) -> None:
    """By its numbers, unless judgments were given, or somebody says so."""
    grades = tmp_path / "a.json"
    grades.write_text('{"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "b": 2}}')
    scores = tmp_path / "b.json"
    scores.write_text('{"1": {"a": 1.5, "b": 0.25}, "2": {"a": 0.7, "b": 0.9}}')
    assert [each.facts["holds"] for each in checked(grades, scores)] == ["qrels", "run"]
    assert [each.facts["holds"] for each in checked(grades, grades)] == ["qrels", "run"]
    assert checked(grades, kind="run")[0].facts["holds"] == "run"
    assert "late-qrels" in checked(scores, grades)[0].counts


def test_each_run_of_a_table_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    lines = ["run,topic,document,score", "x,1,a,2", "x,1,b,1", "y,2,a,2", "y,3,a,1"]
    path.write_text("\n".join(lines) + "\n")
    qrels = tmp_path / "qrels"
    qrels.write_text("1 0 a 1\n2 0 b 0\n2 0 a 1\n")
    _, table = checked(qrels, path)
    messages = [each.message for each in table.findings if each.code == "unretrieved-topic"]
    assert sorted(messages) == [
        "x: topic '2' is judged, but not in the run",
        "y: topic '1' is judged, but not in the run",
    ]
    assert table.counts["unjudged-topic"] == 1
    shares = {run: facts["judged_at_10"] for run, facts in table.facts["runs_in_table"].items()}
    assert shares == {"x": 0.5, "y": 1.0}


def test_rows_of_topics_may_be_scattered(tmp_path: Path) -> None:
    rows = sorted(sample_rows("bm25.run"), key=lambda row: row[2])
    for ending in ("csv", "jsonl", "parquet"):
        path = write(rows, tmp_path / f"x.{ending}")
        _, table = checked(SAMPLE / "qrels.txt", path)
        _, text = checked(SAMPLE / "qrels.txt", SAMPLE / "bm25.run")
        assert counts(table) == counts(text)
        assert (table.rows, table.topics) == (600, 12)


@pytest.mark.parametrize("head", ["query,docid,points", "query,docid,text"])
def test_columns_that_are_not_known_are_asked_for(head: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{head}\n1,a,1\n1,b,0\n")
    (report,) = checked(path)
    (finding,) = report.findings
    assert "--columns score=NAME if this is a run, --columns grade=NAME" in finding.hint
