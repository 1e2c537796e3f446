"""Published values that are about several rankings at once."""

from __future__ import annotations

import pytest

import irev

Grades = dict[str, dict[str, int]]

FIRST = [1, 0, 1, 0, 0, 1, 0, 0, 1, 1]
SECOND = [0, 1, 0, 0, 1, 0, 1, 0, 0, 0]


def collection(*rankings: list[int], ideal: list[int]) -> tuple[Grades, Grades]:
    """Judgments and a run: every ranking a topic, what `ideal` has beyond it not retrieved."""
    qrels: Grades = {}
    run: Grades = {}
    for number, grades in enumerate(rankings):
        missing = list(ideal)
        for grade in filter(None, grades):
            missing.remove(grade)
        qrels[f"q{number}"] = {f"d{i}": grade for i, grade in enumerate(grades)}
        qrels[f"q{number}"] |= {f"m{i}": grade for i, grade in enumerate(missing)}
        run[f"q{number}"] = {f"d{i}": -i for i in range(len(grades))}
    return qrels, run


def test_mean_average_precision_of_two_queries() -> None:
    """Fan's slides: 0.62 and 0.44 make 0.53."""
    qrels, run = collection(FIRST, ideal=[1] * 5)
    more_qrels, more_run = collection(SECOND, ideal=[1] * 3)
    qrels["r"], run["r"] = more_qrels["q0"], more_run["q0"]

    scores = irev.evaluate(qrels, run, ["map", "AP"])

    assert scores.per_topic()["q0"]["map"] == pytest.approx(0.622222, abs=5e-7)
    assert scores.per_topic()["r"]["map"] == pytest.approx(0.442857, abs=5e-7)
    assert scores.summary()["map"] == pytest.approx(0.532540, abs=5e-7)
    assert scores.summary()["AP"] == scores.summary()["map"]


@pytest.mark.parametrize(
    "grades", [[3, 2, 0, 0, 0], [0, 0, 1, 2, 3], [0, 3, 2, 1, 0], [3, 0, 0, 0, 0], [0, 0, 0, 0, 3]]
)
def test_what_beta_does(grades: list[int]) -> None:
    """Sakai 2006: beta 0 is average precision, infinity the weighted one, and gains scale it."""
    qrels, run = collection(grades, ideal=[3, 2, 1])
    tenfold = "Q(gain={1:10,2:20,3:30})"

    summary = irev.evaluate(
        qrels, run, ["map", "WAP", "Q(beta=0)", "Q(beta=1e9)", "Q(beta=inf)", "Q(beta=10)", tenfold]
    ).summary()

    assert summary["Q(beta=0)"] == summary["map"]
    assert summary["Q(beta=inf)"] == pytest.approx(summary["WAP"], rel=1e-12)
    assert summary["Q(beta=1000000000)"] == pytest.approx(summary["WAP"], abs=1e-7)
    assert summary["Q(gain={1:10,2:20,3:30},beta=1)"] == pytest.approx(
        summary["Q(beta=10)"], rel=1e-12
    )
