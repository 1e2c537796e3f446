"""`irev study topics`: how hard topics are, interactions, and standardised scores."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from irev.jobs.studies.topic_difficulty import interaction_map_figure, standardise
from tests.command import irev
from tests.files import CASES
from tests.statistics_rows import matrix

with (CASES / "statistics" / "beyond_expected.csv").open(encoding="utf-8", newline="") as lines:
    EXPECTED = {row["id"]: row["value"] for row in csv.DictReader(lines)}

F2, NAMES = matrix("F2")
TOPICS = [str(topic) for topic in range(5, 13)]


def saved(folder: Path, scores: Any = F2, measure: str = "ap") -> Path:
    path = folder / f"{measure}.csv"
    table = pd.DataFrame(scores, columns=NAMES[: scores.shape[1]])
    table.insert(0, "topic", TOPICS[: len(scores)])
    table.to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    ("form", "row"),
    [("z", "std-z"), ("cdf", "std-cdf"), ("ecdf", "std-ecdf"), ("linear", "std-AB")],
)
def test_standardised_scores(form: Any, row: str) -> None:
    assert standardise(F2, form)[0, 0] == pytest.approx(float(EXPECTED[row]), rel=1e-8)


def test_a_topic_on_which_all_runs_are_equal() -> None:
    scores = np.array([[0.3, 0.1 + 0.2, 0.3], [0.0, 0.5, 1.0]])
    assert standardise(scores, "z")[0].tolist() == [0, 0, 0]
    assert standardise(scores, "cdf")[0].tolist() == [0.5, 0.5, 0.5]
    assert standardise(scores, "ecdf")[0].tolist() == [1, 1, 1]


def study(*arguments: str | Path) -> dict[str, pd.DataFrame]:
    ran = irev("study", "topics", *arguments, "--format=json")
    assert ran.code == 0, ran.err
    return {name: pd.DataFrame(rows) for name, rows in json.loads(ran.out)["tables"].items()}


def test_the_tables(tmp_path: Path) -> None:
    found = study(saved(tmp_path), "--standardise=z")
    hard = found["difficulty"]
    assert hard["mean"].is_monotonic_increasing
    # topic 8 is the fourth row: .1 .1 .2 .05
    assert hard.iloc[0][["topic", "best run", "highest"]].tolist() == ["8", "C", 0.2]
    assert hard.iloc[0]["mean"] == pytest.approx(0.1125)
    z = stats.zscore(F2, axis=1, ddof=1).mean(axis=0)
    runs = found["runs"].set_index("run")
    assert runs.loc[NAMES, "standardised"].to_numpy() == pytest.approx(z)
    assert runs.loc[NAMES, "mean"].to_numpy() == pytest.approx(F2.mean(axis=0))
    between = 8 * ((F2.mean(axis=0) - F2.mean()) ** 2).sum() / ((F2 - F2.mean()) ** 2).sum()
    parts = found["parts"].set_index("part")["share"]
    assert parts["runs"] == pytest.approx(between)
    assert parts.sum() == pytest.approx(1)


def test_several_best_runs_are_counted(tmp_path: Path) -> None:
    hard = study(saved(tmp_path, np.array([[0.1, 0.1, 0.0], [0.5, 0.4, 0.3]])))["difficulty"]
    assert hard["best run"].tolist() == ["A and 1 more", "A"]


def test_the_map(tmp_path: Path) -> None:
    out = tmp_path / "out"
    ran = irev("study", "topics", saved(tmp_path), "--output", out, "--figures=none")
    assert ran.code == 0, ran.err
    table = pd.read_csv(out / "map.csv", dtype={"topic": str})
    grid = table.pivot(index="topic", columns="run", values="interaction").loc[TOPICS].to_numpy()
    expected = F2 - F2.mean(axis=0) - F2.mean(axis=1)[:, None] + F2.mean()
    assert grid == pytest.approx(expected, abs=1e-12)
    above, below, *_ = interaction_map_figure(table).axes
    assert [tick.get_text() for tick in below.get_xticklabels()] == TOPICS
    shown = np.asarray(below.images[0].get_array())
    assert shown == pytest.approx(expected.T, abs=1e-12)
    heights: list[Any] = list(above.patches)
    assert [bar.get_height() for bar in heights] == pytest.approx(F2.mean(axis=1).tolist())
    # a bar stands above the column of its topic
    assert above.get_xlim() == below.get_xlim() == (-0.5, len(TOPICS) - 0.5)


def test_one_run_is_refused(tmp_path: Path) -> None:
    ran = irev("study", "topics", saved(tmp_path, F2[:, :1]))
    assert (ran.code, ran.out) == (2, b"")
    assert "two runs and two topics" in ran.err
