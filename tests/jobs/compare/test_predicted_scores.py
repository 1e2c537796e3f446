"""Prediction-powered means of scores made elsewhere: people's on a sample of topics, a model's."""

from __future__ import annotations

import csv
import json
import random
from typing import TYPE_CHECKING

import pytest

import irev
from irev.errors import MismatchError, UsageError
from tests.command import irev as command

if TYPE_CHECKING:
    from pathlib import Path

RUNS = {"A": 0.4, "B": 0.6, "C": 0.7}


@pytest.fixture(name="folder")
def fixture_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """people.csv has 15 of the 40 topics of auto.csv; and as nuggetizer's files, one for a run."""
    draw = random.Random(4)
    topics = [f"t{number}" for number in range(40)]
    judged = set(draw.sample(topics, 15))
    monkeypatch.chdir(tmp_path)
    files = {name: [["run", "topic", "measure", "value"]] for name in ("people", "auto")}
    for run, level in RUNS.items():
        for topic in topics:
            by_people = round(min(1, max(0, level + draw.gauss(0, 0.2))), 3)
            by_model = round(min(1, max(0, by_people + 0.15 + draw.gauss(0, 0.1))), 3)
            files["auto"].append([run, topic, "vital_score", str(by_model)])
            if topic in judged:
                files["people"].append([run, topic, "vital_score", str(by_people)])
    for name, rows in files.items():
        with (tmp_path / f"{name}.csv").open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows(rows)
        (tmp_path / name).mkdir()
        for run in RUNS:
            values = {topic: float(value) for r, topic, _, value in rows if r == run}
            lines = [{"qid": topic, "vital_score": value} for topic, value in values.items()]
            lines.append({"qid": "all", "vital_score": sum(values.values()) / len(values)})
            path = tmp_path / name / f"{run}.jsonl"
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def values_of(path: Path) -> dict[str, dict[str, float]]:
    with path.open(encoding="utf-8", newline="") as stream:
        values: dict[str, dict[str, float]] = {}
        for row in csv.DictReader(stream):
            values.setdefault(row["run"], {})[row["topic"]] = float(row["value"])
        return values


def test_the_estimator_of_2023_by_hand(folder: Path) -> None:
    """The model's mean on all topics, plus the mean of people less model on those of people."""
    people, model = values_of(folder / "people.csv"), values_of(folder / "auto.csv")
    compared = irev.compare(
        None, ["people.csv"], predicted="auto.csv", model_weight=1.0, predicted_target="topics"
    )
    assert isinstance(compared, irev.PredictedComparison)
    for row in compared.means.to_dict("records"):
        by_people, by_model = people[row["run"]], model[row["run"]]
        errors = [by_people[topic] - by_model[topic] for topic in by_people]
        expected = sum(by_model.values()) / len(by_model) + sum(errors) / len(errors)
        assert row["mean"] == pytest.approx(expected)


def test_lambda_is_tuned_by_hand(folder: Path) -> None:
    """Of the population: lambda = cov / var / (1 + n/m), clipped, m topics by the model alone.

    The mean is that of people, plus lambda times the difference of the model's two means.
    """
    people, model = values_of(folder / "people.csv"), values_of(folder / "auto.csv")
    compared = irev.compare(None, ["people.csv"], predicted="auto.csv")
    assert isinstance(compared, irev.PredictedComparison)
    for row in compared.means.to_dict("records"):
        by_people, by_model = people[row["run"]], model[row["run"]]
        theirs = [by_model[topic] for topic in by_people]
        rest = [value for topic, value in by_model.items() if topic not in by_people]
        weight = row["lambda"]
        mean = sum(by_people.values()) / len(by_people)
        expected = mean + weight * (sum(rest) / len(rest) - sum(theirs) / len(theirs))
        assert 0 <= weight <= 1
        assert row["mean"] == pytest.approx(expected)


def test_the_command_and_files_for_each_run(folder: Path) -> None:
    tables = []
    for people, auto in (
        (["people.csv"], "auto.csv"),
        (sorted((folder / "people").iterdir()), "auto"),
        (sorted((folder / "people").iterdir()), "auto/*.jsonl"),
    ):
        ran = command("compare", "--format", "json", "--predicted", auto, *people)
        assert ran.code == 0, ran.err
        means = json.loads(ran.out)["means"]
        tables.append([(row["run"], row["mean"], row["low"]) for row in means])
    assert tables[0] == tables[1] == tables[2]
    assert [row[0] for row in tables[0]] == ["C", "B", "A"]


def test_tables_of_scores(folder: Path) -> None:
    people, model = (irev.compare(None, [name]).table for name in ("people.csv", "auto.csv"))
    compared = irev.compare(people, predicted=model)
    assert compared.means.equals(irev.compare(None, ["people.csv"], predicted="auto.csv").means)


def test_bounds_cut_the_intervals_of_what_irev_does_not_know(folder: Path) -> None:
    for name in ("people.csv", "auto.csv"):
        path = folder / name
        path.write_text(path.read_text(encoding="utf-8").replace("vital_score", "mine"))
    free = irev.compare(None, ["people.csv"], predicted="auto.csv").means
    low = free["low"].min()
    cut = irev.compare(None, ["people.csv"], predicted="auto.csv", bounds=(0.0, 1.0)).means
    assert cut["low"].tolist() == [max(0.0, value) for value in free["low"]]
    assert low < 0.5
    ran = command("compare", "--bounds", "0,0.9", "--predicted", "auto.csv", "people.csv")
    assert ran.code == 2
    assert "is outside the bounds of mine, 0 to 0.9" in ran.err


def test_what_does_not_fit_is_said(folder: Path) -> None:
    path = folder / "auto.csv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "some.csv").write_text("".join(line for line in lines if not line.startswith("B,")))
    with pytest.raises(MismatchError, match="predicted has no scores of B; its runs are A, C"):
        irev.compare(None, ["people.csv"], predicted="some.csv")
    with pytest.raises(UsageError, match="needs two topics that the model alone judged"):
        irev.compare(None, ["people.csv"], predicted="people.csv")
    with pytest.raises(UsageError, match="is of judgments, and these are scores"):
        irev.compare(None, ["people.csv"], predicted="auto.csv", predicted_level=2)
    (folder / "qrels").write_text("t1 0 d1 1\n")
    ran = command("compare", "-m", "vital_score", "--predicted", "auto.csv", "qrels", "people.csv")
    assert ran.code == 2
    assert "saved scores by people stand without QRELS" in ran.err
