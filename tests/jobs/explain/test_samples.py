"""`irev explain` where the judgments are a sample: every term of xinfAP and statAP."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from irev import evaluate
from irev.jobs.explain.explain import ExplainedScore
from irev.options import Options
from tests.command import irev as command
from tests.each import for_each
from tests.explained import explained_scores
from tests.jobs.sample.test_cases import CASES, SAMPLE_EVAL, STAT, gains_of

RUN = "q Q0 a 1 9 t\nq Q0 c 2 8 t\nq Q0 x 3 7 t\nq Q0 d 4 6 t\nq Q0 b 5 5 t\n"
STRATA = "q 0 a 1 1\nq 0 b 1 0\nq 0 c 2 -1\nq 0 d 2 1\nq 0 e 2 -1\nq 0 f 2 0\n"
PRELS = "q a 1 1 0.5\nq b 0 1 0.25\nq c 1 0 1\nq d 1 2 0.2\nq e 1 1 NA\nq f 1 4 0.125\n"


def explain_measure(tmp_path: Path, qrels: str, name: str, format: str) -> ExplainedScore:
    """What explains a measure of the run above."""
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "run").write_text(RUN)
    (actual,) = explained_scores(tmp_path / "qrels", tmp_path / "run", [name], "q", format=format)
    return actual


def facts(explanation: ExplainedScore) -> dict[str, Any]:
    return {fact.name: fact.value for fact in explanation.facts}


def test_strata_by_hand(tmp_path: Path) -> None:
    """R = 1 * 2/2 + 1 * 4/2; d has one document of each stratum above, of 2 none judged."""
    folder = explain_measure(tmp_path, STRATA, "xinfAP", "strata")
    shown: dict[str, Any] = folder.columns
    sure = 1.00001 / 1.00003
    assert shown["stratum"] == ["1", "2", None, "2", "1"]
    assert shown["stands for"] == [1, None, None, 2, 1]
    assert shown["above in 1"] == ["0/0/0", "1/1/1", "1/1/1", "1/1/1", "1/1/1"]
    assert shown["above in 2"] == ["0/0/0", "0/0/0", "1/0/0", "1/0/0", "2/1/1"]
    assert shown["expected above"] == pytest.approx(
        [0, sure, sure + 1 / 3, sure + 1 / 3, sure + 2 * sure], abs=1e-12
    )
    assert shown["expected precision"][3] == pytest.approx((1 + sure + 1 / 3) / 4, abs=1e-12)
    assert shown["adds"] == pytest.approx(
        [1 / 3, 0, 0, 2 / 3 * (1 + sure + 1 / 3) / 4, 0], abs=1e-12
    )
    assert facts(folder) == {"retrieved": 5, "stratum 1": 1, "stratum 2": 2, "R": 3}


def test_a_stratum_without_judgments_adds_nothing_to_r(tmp_path: Path) -> None:
    folder = explain_measure(tmp_path, STRATA + "q 0 x 3 -1\n", "xinfAP", "strata")
    assert facts(folder)["stratum 3"] == 0
    assert folder.columns["stratum"][2] == "3"
    shown: dict[str, Any] = folder.columns
    assert shown["expected above"][3] == pytest.approx(1.00001 / 1.00003 + 2 / 3, abs=1e-12)


def test_the_factor_of_trecvid(tmp_path: Path) -> None:
    """R is 3, more than the two documents looked at: a adds 1/3 * 3/2."""
    folder = explain_measure(tmp_path, STRATA, "xinfAP(tool=trecvid2012)@2", "strata")
    assert facts(folder)["factor"] == 1.5
    assert folder.columns["adds"] == [0.5, 0, 0, 0, 0]
    assert "factor" not in facts(
        explain_measure(tmp_path, STRATA, "xinfAP(tool=trecvid2012)@3", "strata")
    )


@pytest.mark.parametrize(
    ("name", "probability", "above", "adds", "counts", "total"),
    [
        # R = 1/.5 + 1 + 1 + 1/.125: MTC chose c, and d too
        ("statAP", [0.5, 1, None, 1, 0.25], [0, 2, 3, 3, 4], [2, 1.5, 0, 1, 0], (5, 4, 4, 3), 12),
        # R = 1/.5 + 1/.2 + 1/.125: c is left out, d has its probability
        ("statAP(mtc=drop)", [0.5, None, None, 0.2, 0.25], [0, 2, 2, 2, 7], [2, 0, 0, 3.75, 0],
         (4, 3, 3, 2), 15),
    ],
)  # fmt: skip
def test_probabilities_by_hand(
    name: str,
    probability: list[float | None],
    above: list[float],
    adds: list[float],
    counts: tuple[int, int, int, int],
    total: float,
    tmp_path: Path,
) -> None:
    folder = explain_measure(tmp_path, PRELS, name, "prels")
    shown = folder.columns
    assert shown["probability"] == probability
    assert shown["stands for"] == [None if p is None else 1 / p for p in probability]
    assert shown["relevant above"] == above
    assert shown["expected precision"] == [(1 + a) / (n + 1) for n, a in enumerate(above)]
    assert shown["adds"] == pytest.approx([each / total for each in adds], abs=1e-12)
    names = ("judged", "judged retrieved", "relevant", "relevant retrieved")
    assert facts(folder) == {
        "retrieved": 5, **dict(zip(names, counts, strict=True)), "R": total,
    }  # fmt: skip


def shown_sum(explanation: ExplainedScore, level: int) -> float:
    """The estimate from what is shown: relevant documents' precision times what they stand for."""
    shown: dict[str, Any] = explanation.columns
    terms, total = facts(explanation), 0.0
    for grade, weight, precision in zip(
        shown["grade"], shown["stands for"], shown["expected precision"], strict=True
    ):
        if grade is not None and grade >= level and weight is not None:
            total += precision * weight
    return total / terms["R"] * terms.get("factor", 1.0) if terms["R"] else 0.0


def check(case: Path, name: str, format: Any, level: int, values: dict[str, float]) -> None:
    """What is shown of each topic is the value of the evaluation, and the program's."""
    files, options = (case / "qrels", case / "run"), Options(level=level, grade_map=gains_of(case))
    actual = evaluate(*files, [name], qrels_format=format, level=level, grade_map=gains_of(case))
    for topic, scores in actual.per_topic().items():
        (explanation,) = explained_scores(*files, [name], topic, options, format=format)
        value = float(scores[explanation.name])
        assert shown_sum(explanation, level) == pytest.approx(value, abs=1e-12)
        adds: list[Any] = explanation.columns["adds"]
        assert sum(adds) == pytest.approx(value, abs=1e-12)
        if level == 1 and topic in values:
            assert value == pytest.approx(values[topic], rel=1e-10)


@pytest.mark.in_turn(6)
@pytest.mark.parametrize(("name", "tool"), SAMPLE_EVAL)
@pytest.mark.parametrize("level", [1, 2])
def test_what_is_shown_of_strata_is_the_score(name: str, tool: str, level: int) -> None:
    case = CASES / name
    exact = json.loads((case / "exact.json").read_text(encoding="utf-8"))["per_topic"]
    values = {topic: each["infAP"] for topic, each in exact.items()}
    check(case, f"xinfAP(tool={tool})", "strata", level, values)


@for_each("name", [*STAT, "48-statap3-one-judged"])
@for_each(("options", "level"), [("", 1), ("(mtc=drop)", 1), ("", 2)])
def test_what_is_shown_of_probabilities_is_the_score(name: str, options: str, level: int) -> None:
    check(CASES / name, f"statAP{options}", "prels", level, {})


@pytest.mark.parametrize("name", STAT)
def test_counts_of_the_sample_are_the_programs(name: str) -> None:
    """statAP_MQ_eval prints them below each topic that it evaluates."""
    case = CASES / name
    printed = re.findall(
        r"topic=(\S+).*\n.*sampled=(\d+) sampled_relev=(\d+)\n"
        r"\s*sampled_in_list=(\d+)\s+sampled_relev_in_list=(\d+)",
        (case / "out").read_text(encoding="utf-8"),
    )
    assert printed
    for topic, judged, relevant, judged_found, relevant_found in printed:
        if relevant == "0":
            continue  # version 3 prints those of nothing there
        (explanation,) = explained_scores(
            case / "qrels", case / "run", ["statAP"], topic, format="prels"
        )
        actual = facts(explanation)
        assert actual["judged"] == int(judged)
        assert actual["relevant"] == int(relevant)
        assert actual["judged retrieved"] == int(judged_found)
        assert actual["relevant retrieved"] == int(relevant_found)


def test_the_command_says_what_the_numbers_are(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(STRATA)
    (tmp_path / "run").write_text(RUN)
    done = command(
        "explain", "-R", "strata", "-t", "q", "-m", "xinfAP", tmp_path / "qrels", tmp_path / "run"
    )
    assert b"\nstratum 2: 2  (r N/n: 1 relevant of 2 judged of 4 in the pool)\n" in done.out
    assert b"\nR: 3  (relevant documents expected, the sum of r N/n)\n" in done.out
