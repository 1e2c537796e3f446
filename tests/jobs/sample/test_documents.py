"""Samples of documents for estimates beside a model's judgments, and how many a width needs."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path
from typing import Any

import pytest

import irev as library
from irev.errors import UsageError
from tests.command import irev

T_OF_9 = 2.262157163
"""The .975 quantile of t with 9 degrees of freedom."""


def collection() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgments of 40 documents of 10 topics, few of them relevant; two runs of all of these."""
    draw = random.Random(11)
    documents = [f"d{number:02}" for number in range(40)]
    qrels = {str(t): {d: int(draw.random() < 0.15) for d in documents} for t in range(1, 11)}
    runs = {
        name: {t: {d: g + draw.gauss(0, sd) for d, g in each.items()} for t, each in qrels.items()}
        for name, sd in (("x", 1.0), ("y", 3.0))
    }  # fmt: skip
    return qrels, runs


def best_ranks(runs: Any, topic: str) -> dict[str, int]:
    """Document -> the best rank that a run gives it."""
    best: dict[str, int] = {}
    for run in runs.values():
        for rank, d in enumerate(sorted(run[topic], key=lambda d: -run[topic][d]), 1):
            best[d] = min(rank, best.get(d, 99))
    return best


def test_two_documents_of_each_range_at_least_and_nothing_is_drawn_again() -> None:
    qrels, runs = collection()
    frame = library.sample(qrels, runs, rate="1-10=5%,11-=5%", by="documents", seed=2).to_frame()
    for topic, rows in frame.groupby("topic"):
        best = best_ranks(runs, str(topic))
        for is_top in (True, False):
            grades = [
                g for d, g in zip(rows["document"], rows["grade"], strict=True)
                if (best[d] <= 10) == is_top
            ]  # fmt: skip
            assert len(grades) == sum((rank <= 10) == is_top for rank in best.values())
            assert sum(g >= 0 for g in grades) == 2
    # a topic may have no relevant document in its sample: what is drawn must not depend on grades
    relevant = frame[frame["grade"] > 0]["topic"].nunique()
    assert relevant < 10


def test_the_sample_does_not_depend_on_grades() -> None:
    qrels, runs = collection()
    other = {t: {d: 1 - g for d, g in grades.items()} for t, grades in qrels.items()}
    drawn = []
    for judgments in (qrels, other):
        frame = library.sample(judgments, runs, rate="1-10=20%,11-=10%", by="documents").to_frame()
        drawn.append([*frame[frame["grade"] >= 0][["topic", "document"]].itertuples(index=False)])
    assert drawn[0] == drawn[1]


def plan(**options: Any) -> list[str]:
    """What is said of a design."""
    qrels, runs = collection()
    sampled = library.sample(
        qrels, runs, rate="1-10=30%,11-=10%", by="documents", **options
    )  # fmt: skip
    return [str(each) for each in sampled.warnings if "P@10" in str(each) or "needs" in str(each)]


def test_the_width_of_a_design_is_that_of_the_formula() -> None:
    """2 t sqrt(sum over strata of N^2 (1 - n/N) S^2 / n) / T, of the run with the widest."""
    qrels, runs = collection()
    widths = []
    for run in runs.values():
        total = 0.0
        for topic, grades in qrels.items():
            best = best_ranks(runs, topic)
            ranking = sorted(run[topic], key=lambda d: -run[topic][d])
            gains = {d: grades[d] / 10 if ranking.index(d) < 10 else 0.0 for d in grades}
            for is_top, rate in ((True, 0.3), (False, 0.1)):
                values = [gains[d] for d in gains if (best[d] <= 10) == is_top]
                size, mean = len(values), sum(values) / len(values)
                drawn = min(size, max(2, math.floor(rate * size + 0.5)))
                spread = sum((v - mean) ** 2 for v in values) / (size - 1)
                total += size**2 * (1 - drawn / size) * spread / drawn
        widths.append(2 * T_OF_9 * math.sqrt(total) / 10)
    reached, _ = plan(width=0.05)
    assert reached.endswith(f"up to {max(widths):.4f} wide")


def test_fewer_judgments_are_needed_with_a_model_and_for_wider_intervals() -> None:
    needed = []
    for options in ({"width": 0.03}, {"width": 0.1}, {"width": 0.1, "model_error": 0.5}):
        _, text = plan(**options)
        found = re.search(r"needs (\d+) of 400 documents: --rate 1-10=", text)
        assert found
        needed.append(int(found[1]))
    assert 400 > needed[0] > needed[1] > needed[2] > 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"width": 0.1, "by": "strata"}, "documents"),
        ({"width": 0.0}, "above 0"),
        ({"width": 0.1, "measure": "nDCG@10"}, "ratio"),
        ({"width": 0.1, "measure": "map"}, "cannot be estimated"),
        ({"width": 0.1, "model_error": 2.0}, "at most 1"),
        ({"rate": "10%"}, "needs a rate such as 1-10"),
    ],
)
def test_what_is_refused(options: dict[str, Any], says: str) -> None:
    qrels, runs = collection()
    fields = {"rate": "1-10=30%,11-=10%", "by": "documents", **options}
    with pytest.raises(UsageError, match=says):
        library.sample(qrels, runs, **fields)


def test_the_file_serves_the_estimates(tmp_path: Path) -> None:
    qrels, runs = collection()
    lines = [f"{t} 0 {d} {g}\n" for t, grades in qrels.items() for d, g in grades.items()]
    (tmp_path / "auto.q").write_text("".join(lines))
    for name, run in runs.items():
        (tmp_path / f"{name}.run").write_text(
            "".join(f"{t} Q0 {d} 1 {s} r\n" for t, each in run.items() for d, s in each.items())
        )
    call = ("--by", "documents", "--rate", "1-10=30%,11-=20%", "--format", "strata")
    files = ("--output", "people.q", "auto.q", "x.run", "y.run")
    ran = irev("sample", *call, "--width", "0.1", *files, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "a width of 0.1 needs" in ran.err
    ran = irev("-R", "strata", "--predicted", "auto.q", "-m", "P.10", "people.q", "x.run",
               cwd=tmp_path)  # fmt: skip
    assert ran.code == 0, ran.err
