"""Grades that are fractions or below 0: levels, gains, maps, warnings, other programs.

The values of `VALUES` were worked out by hand with plain functions. The first example of a ranked
half life is the one of Kishida 2005, section 4.1.3.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import irev
from irev.engine.evaluate import Evaluator
from tests import command as program

QRELS = {
    "1": {"a": 1, "b": 0.6, "c": 0.5, "d": 0.3, "e": 0},
    "2": {"f": 0.4, "g": 0.2},
}
RUN = {"1": {"b": 5, "d": 4, "x": 3, "a": 2, "e": 1}, "2": {"g": 2, "f": 1}}
MEASURES = ["NumRel", "AP", "P@2", "RR", "Bpref", "Q(beta=1)", "genAP", "RHL", "RHL(form=grouped)"]
VALUES = {
    (1, "1"): (1, 0.25, 0, 0.25, 0, 0.4, 0.25, 4, 3.5),
    (1, "2"): (0, 0, 0, 0, 0, 0, 0, math.inf, math.inf),
    (0.5, "1"): (3, 0.5, 0.5, 1, 0.5, 0.4633879781, 0.4, 4, 3.2),
    (0.5, "2"): (0, 0, 0, 0, 0, 0, 0, math.inf, math.inf),
    (0.3, "1"): (4, 0.6875, 1, 1, 0.75, 0.5927951389, 0.4919354839, 4, 3.05),
    (0.3, "2"): (1, 0.5, 0.5, 0.5, 0, 0.5833333333, 0.5, 2, 1.5),
    (0.2, "1"): (4, 0.6875, 1, 1, 0.75, 0.5927951389, 0.4919354839, 4, 3.05),
    (0.2, "2"): (2, 1, 1, 1, 1, 0.9285714286, 0.7142857143, 2, 1.25),
}
UNLEVELLED = ["nDCG", "nDCG(gain=exp)", "ERR(max=1)", "RBP(p=0.8,max=1)"]
UNLEVELLED_VALUES = {
    "1": (0.6940395249, 0.6692431335, 0.3827901063, 0.2704),
    "2": (0.8597186999, 0.8474794583, 0.1482873676, 0.104),
}
FIFTEEN = {"1": {f"k{rank}": 100 - rank for rank in range(1, 16)}}
KISHIDA = {"1": {"k1": 0.5, "k3": 1, "k9": 1, "k14": 0.5}}
HALVES = {"1": {"k1": 0.5, "k2": 0.5, "k3": 0.5, "k9": 1}}
HALF_LIVES = [
    (KISHIDA, 0.5, (3, 3, 0.4163898117, 0.5714285714)),
    (KISHIDA, 1, (3, 3, 0.2777777778, 0.2777777778)),
    (HALVES, 0.5, (3, 2.5, 0.5844748858, 0.8611111111)),
    (HALVES, 1, (9, 8.5, 0.1111111111, 0.1111111111)),
]


def _qrels_file(path: Path, judged: dict[str, dict[str, float]]) -> Path:
    rows = [f"{t} 0 {d} {g}\n" for t, grades in judged.items() for d, g in grades.items()]
    path.write_text("".join(rows), encoding="utf-8")
    return path


def _run_file(path: Path, run: dict[str, dict[str, int]]) -> Path:
    rows = [f"{t} Q0 {d} 1 {s} r\n" for t, scores in run.items() for d, s in scores.items()]
    path.write_text("".join(rows), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """`QRELS` and `RUN` as text."""
    return _qrels_file(tmp_path / "qrels", QRELS), _run_file(tmp_path / "run", RUN)


@pytest.mark.parametrize(("level", "topic"), VALUES)
def test_values_at_levels(level: float, topic: str) -> None:
    """By the level of the evaluation, and by that in the names."""
    expected = pytest.approx(VALUES[level, topic], abs=1e-9)
    judged, run = {topic: QRELS[topic]}, {topic: RUN[topic]}
    scores = irev.evaluate(judged, run, MEASURES, level=level)
    assert [*scores.summary().values()] == expected
    named = [f"{m[:-1]},rel={level})" if m.endswith(")") else f"{m}(rel={level})" for m in MEASURES]
    named = [m if "@" not in m else f"P(rel={level})@2" for m in named]
    assert [*irev.evaluate(judged, run, named).summary().values()] == expected
    gains = irev.evaluate(judged, run, UNLEVELLED, level=level)
    assert [*gains.summary().values()] == pytest.approx(UNLEVELLED_VALUES[topic], abs=1e-9)


@pytest.mark.parametrize(("judged", "level", "expected"), HALF_LIVES)
def test_ranked_half_lives(
    judged: dict[str, dict[str, float]], level: float, expected: tuple[float, ...]
) -> None:
    measures = ["RHL", "RHL(form=grouped)", "genAP", "AP"]
    scores = irev.evaluate(judged, FIFTEEN, measures, level=level)
    assert [*scores.summary().values()] == pytest.approx(expected, abs=1e-9)


def test_names_show_the_fraction_and_whole_numbers_stay() -> None:
    names = ["AP(rel=0.50)", "AP(rel=2.0)", "nDCG(gain={0.6:5,1.0:3})@5"]
    scores = irev.evaluate(QRELS, RUN, names, level=0.5, sign=True)
    assert [*scores] == ["AP(rel=0.5)", "AP(rel=2)", "nDCG(gain={0.6:5,1:3})@5"]
    assert "|l:0.5|" in str(scores.signature and scores.signature.short)
    scores = irev.evaluate(QRELS, RUN, "AP", level=1.0, sign=True)
    assert "|l:1|" in str(scores.signature and scores.signature.short)


def test_gains_of_fractions() -> None:
    """0.6 gains 5: the ideal list is 5, 1, 0.5, 0.3, the ranking has 5, 0.3, -, 1."""
    dcg = 5 + 0.3 / math.log2(3) + 1 / math.log2(5)
    ideal = 5 + 1 / math.log2(3) + 0.5 / 2 + 0.3 / math.log2(5)
    judged, run = {"1": QRELS["1"]}, {"1": RUN["1"]}
    assert irev.evaluate(judged, run, "nDCG(gain={0.6:5})").summary() == {
        "nDCG(gain={0.6:5})": pytest.approx(dcg / ideal)
    }
    with_default = irev.evaluate(judged, run, "nDCG", defaults=[("gain", {0.6: 5})])
    assert [*with_default.summary().values()] == [pytest.approx(dcg / ideal)]


def test_a_level_that_is_a_fraction_reads_fractions(files: tuple[Path, Path]) -> None:
    assert "--grades real" in program.irev("-m", "map", *files).err
    ran = program.irev("-l", "0.5", "-m", "map", *files)
    assert ran.out.split()[-1] == b"0.2500"
    assert program.irev("-l", "1.0", "-m", "map", *files).code == 2
    ran = program.irev("--grades", "real", "-m", "AP(rel=0.5)", *files)
    assert ran.out.split() == [b"AP(rel=0.5)", b"all", b"0.2500"]


def test_single_precision_is_compared_as_it_is() -> None:
    """0.3 in 32 bits is a little above 0.3, and 0.7 a little below 0.7."""
    judged = {
        "topic": ["1", "1"],
        "document": ["a", "b"],
        "grade": np.array([0.3, 0.7], np.float32),
    }
    run = {"1": {"a": 2, "b": 1}}
    relevant = [
        irev.evaluate(pd.DataFrame(judged), run, "num_rel", level=level)["num_rel"]
        for level in (0.3, 0.7)
    ]
    assert relevant == [2, 0]


# --- maps ---


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0.5..=1", "110"),
        ("0.5..=1,0..0.3=0", "110"),
        ("..0.3=1,0.5..=0", "001"),
        ("0.3..0.6=2,1=0", "022"),
        ("0.6=0,0.5..=1", "100"),
    ],
)
def test_ranges_of_grades(text: str, shown: str) -> None:
    """Both ends belong to a range; of several pairs that hold the first counts."""
    from irev.read.columns import parse_grade_map

    judged, run = {"1": {"a": 1, "b": 0.6, "d": 0.3}}, {"1": {"a": 3, "b": 2, "d": 1}}
    scores = irev.evaluate(judged, run, "relstring", grade_map=parse_grade_map(text))
    assert scores.texts[0] == [shown.encode()]


@pytest.mark.parametrize("text", ["0.5..", "..=x", "1..0=1", "a..b=1", "=1", "0.5..=1,0.5..=2"])
def test_ranges_that_are_none(text: str, files: tuple[Path, Path]) -> None:
    ran = program.irev("--grades", "real", "--map-grades", text, *files)
    assert ran.code == 2
    assert "mapped twice" in ran.err or "is not a pair of grades" in ran.err


def test_a_range_in_python_and_in_the_signature() -> None:
    scores = irev.evaluate(QRELS, RUN, "AP", grade_map=[("0.5..", 1)], sign=True)
    assert "|grade_map:0.5..=1" in str(scores.signature and scores.signature.short)
    with pytest.raises(irev.UsageError, match=r"'0\.5' is not a range of grades"):
        irev.evaluate(QRELS, RUN, "AP", grade_map=[("0.5", 1)])


# --- what is said ---


def _notices(grades: list[float], measures: list[str], level: float = 1) -> dict[str, list[str]]:
    judged = {"q": {f"d{index}": grade for index, grade in enumerate(grades)}}
    told: dict[str, list[str]] = {}
    for each in Evaluator(judged, measures, level=level).notices:
        told.setdefault(each.kind, []).append(each.message)
    return told


@pytest.mark.parametrize(
    ("grades", "measures", "level", "message"),
    [
        ([0.9, 0.4], ["map", "ndcg"], 1, "all grades are below the level 1: -l 0.5"),
        ([0.4, 0.1], ["map"], 0.5, "all grades are below the level 0.5: -l 0.4"),
        ([2, 1], ["map"], 4, "the highest grade is 2, below the level 4"),
        ([2, 1], ["AP(rel=4)"], 1, "AP(rel=4): the highest grade is 2, below the level 4"),
        ([0.9], ["AP(rel=1)"], 0.5, "AP(rel=1): all grades are below the level 1: rel=0.5"),
        ([2, 1], ["nDCG(rel=4)"], 1, "nDCG(rel=4): the highest grade is 2, below the level 4"),
        ([0, 0], ["map"], 1, "no judged document is relevant"),
        ([-1, 0], ["AP(rel=2)", "map"], 1, "no judged document is relevant"),
        ([0.9], ["SwetsE"], 1, "all grades are below the level 1: -l 0.5"),
        ([0.9], ["RHL(never=100)"], 1, "all grades are below the level 1: -l 0.5"),
    ],
)
def test_no_grade_reaches_the_level(
    grades: list[float], measures: list[str], level: float, message: str
) -> None:
    assert _notices(grades, measures, level)["below-level"] == [message]


@pytest.mark.parametrize(
    ("grades", "measures", "level"),
    [
        ([0.9, 0.4], ["ndcg", "ERR@10", "num_ret", "Judged@5"], 1),
        ([0.9, 0.4], ["map"], 0.5),
        ([1, 0], ["map"], 1),
        ([0, 0], ["map"], 0),
        ([0.9], ["AP(rel=0.5)", "nDCG"], 1),
    ],
)
def test_no_warning_of_the_level(grades: list[float], measures: list[str], level: float) -> None:
    assert "below-level" not in _notices(grades, measures, level)


def test_gains_below_the_level() -> None:
    """One note, where the measures of a table treat fractions below the level differently."""
    told = _notices([1, 0.6], ["nDCG", "Q", "WAP", "AP", "ERR"])
    assert told["gains-below-level"] == [
        "grades below the level have a gain in nDCG, ERR(max=1), but not in Q(beta=1), WAP"
    ]
    cases: list[tuple[list[float], list[str], float]] = [
        ([1, 0.6], ["nDCG", "AP"], 1),
        ([1, 0.6], ["Q", "genAP"], 1),
        ([1, 0.6], ["nDCG", "Q"], 0.5),
        ([2, 1], ["nDCG", "Q"], 2),
    ]
    for grades, measures, level in cases:
        assert "gains-below-level" not in _notices(grades, measures, level)


@pytest.mark.thorough
def test_every_job_warns(tmp_path: Path) -> None:
    """And --strict makes an error of it."""
    judged = _qrels_file(tmp_path / "q", {key: {"x": 0.3, "y": 0.4, "z": 0.6} for key in "abc"})
    runs = [
        _run_file(tmp_path / "first", {key: {"x": 1, "y": 2, "z": 3} for key in "abc"}),
        _run_file(tmp_path / "second", {key: {"y": 1, "z": 2, "x": 3} for key in "abc"}),
    ]
    read = ("--grades", "real")
    calls: list[tuple[str | Path, ...]] = [
        ("eval", *read, judged, *runs),
        ("compare", *read, judged, *runs),
        ("leaderboard", *read, judged, *runs),
        ("report", *read, judged, *runs, "--output", tmp_path / "page.html"),
        ("explain", *read, "-t", "a", judged, runs[0]),
        ("plot", "per-topic", *read, judged, *runs, "--output", tmp_path / "x.svg"),
        ("eval", *read, "--sample", "50%", "-m", "infAP", judged, *runs),
        ("study", "topics", *read, judged, *runs),
        ("study", "correlation", *read, judged, *runs),
    ]
    for call in calls:
        ran = program.irev(*call)
        assert "warning: all grades are below the level 1: -l 0.5" in ran.err, (call, ran.err)
    refused = program.irev("gate", *read, judged, runs[0], "--min", "map=0")
    assert refused.code == 2
    assert "all grades are below the level 1: -l 0.5" in refused.err
    assert program.irev("--strict", "-m", "map", *read, judged, runs[0]).code == 2
    assert program.irev("--strict", "-m", "ndcg", *read, judged, runs[0]).code == 0


# --- check ---


def test_check_takes_grades(files: tuple[Path, Path]) -> None:
    judged, run = files
    ran = program.irev("check", judged)
    assert (ran.code, b"--grades real accepts fractions" in ran.out) == (1, True)
    ran = program.irev("check", "--grades", "real", judged, run)
    assert ran.code == 0
    text = " ".join(ran.out.decode().split())
    assert "its highest grade is 0.4, below the level 1; -l sets it" in text
    ran = program.irev("check", "-l", "0.3", judged, run)
    assert (ran.code, b"no-relevant" in ran.out) == (0, False)
    assert irev.check(judged, level=0.3).exit_code == 0


# --- other programs: any grade in the qrels is a judgment ---

NEGATIVE = {"1": {"a": 1, "b": -2, "c": 0}}
RANKED = {"1": {"b": 4, "a": 3, "z": 2, "c": 1}}
RANX = [
    # from ranx 0.3.21: grades, the ranking, bpref
    ({"a": 1, "b": -2, "c": 0}, "baxc", 0.0),
    ({"a": 1, "b": -2, "c": 2, "d": 2, "e": -2, "f": 0}, "fxcayz", 4 / 9),
    ({"a": 2, "b": 0, "c": 0, "d": 2, "e": 1, "f": -1}, "fexybz", 2 / 9),
    ({"a": -1, "b": 0, "c": -2, "d": -1, "e": 1, "f": 0}, "dxyae", 0.0),
]


def test_negative_grades_are_judged_elsewhere() -> None:
    names = ["irm:Judged@2", "Judged@2", "ranx:bpref", "Bpref"]
    with pytest.warns(irev.IrevWarning, match="below -1"):
        scores = irev.evaluate(NEGATIVE, RANKED, names)
    assert [*scores.summary().values()] == [1.0, 0.5, 0.0, 1.0]
    told = {each.kind for each in Evaluator(NEGATIVE, ["irm:Judged@2", "ranx:bpref"]).notices}
    assert "low-grade" not in told


@pytest.mark.parametrize(("grades", "ranking", "expected"), RANX)
def test_bpref_of_ranx(grades: dict[str, float], ranking: str, expected: float) -> None:
    run = {"1": {document: 9 - rank for rank, document in enumerate(ranking)}}
    scores = irev.evaluate({"1": grades}, run, "ranx:bpref")
    assert scores["ranx:bpref"] == pytest.approx(expected)
