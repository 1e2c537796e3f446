"""The range of a measure of scores made elsewhere: `bounds`, `--bounds`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import irev
from irev.errors import InputError, MismatchError, UsageError
from tests.command import irev as command

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    ("a", "1", 0.9), ("a", "2", 0.1), ("a", "3", 0.95),
    ("b", "1", 0.3), ("b", "2", 0.2), ("b", "3", 0.95),
]  # fmt: skip


@pytest.fixture(name="scores")
def fixture_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text(
        "run,topic,measure,value\n" + "".join(f"{r},{t},mine,{v}\n" for r, t, v in ROWS)
    )
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        lines = [f"{'mine':22}\t{topic}\t{value}\n" for run, topic, value in ROWS if run == name]
        (tmp_path / f"{name}.txt").write_text("# " + name + "\n" + "".join(lines))
    return path


def intervals(*arguments: Any) -> dict[str, tuple[float, float]]:
    ran = command("compare", "--format", "json", *arguments)
    assert ran.code == 0, ran.err
    return {row["run"]: (row["low"], row["high"]) for row in json.loads(ran.out)["means"]}


def test_intervals_end_at_the_bounds(scores: Path) -> None:
    """T of 3 topics: 0.65 and 0.4833, each with an interval beyond 0 and 1."""
    free = intervals(scores)
    assert all(low < 0 < 1 < high for low, high in free.values())
    assert set(intervals("--bounds", "0,1", scores).values()) == {(0.0, 1.0)}
    assert set(intervals("--bounds", "mine=0,1", scores).values()) == {(0.0, 1.0)}
    half = intervals("--bounds", "mine=-inf,1", scores)
    assert half == {run: (low, 1.0) for run, (low, _) in free.items()}
    board = command("leaderboard", "--bounds", "0,1", scores)
    assert board.out.count(b"[0.0000, 1.0000]") == 2


def test_python_takes_a_range_or_one_for_each_measure(scores: Path) -> None:
    for bounds in ((0, 1), [0.0, 1.0], {"mine": (0, 1)}, ["mine=0,1"]):
        compared: Any = irev.compare(None, [scores], bounds=bounds)
        assert compared.means["low"].tolist() == [0.0, 0.0]
        assert compared.signature.choices["bounds"] == ["mine=0,1"]
    assert "bounds" not in irev.compare(None, [scores]).signature.choices
    table = irev.compare(None, [scores]).table
    assert irev.compare(table, bounds=(0, 1)).means["high"].tolist() == [1.0, 1.0]
    with pytest.raises(MismatchError, match=r"mine of a on topic 1 is 0.9, outside the bounds"):
        irev.compare(table, bounds=(0, 0.5))


def test_a_range_is_not_of_what_irev_knows(scores: Path) -> None:
    """Reciprocal ranks end at 1 without it; named, it goes before what is known."""
    scores.write_text(
        scores.read_text(encoding="utf-8").replace(",mine,", ",RR,"), encoding="utf-8"
    )
    assert set(intervals("--bounds=-9,9", scores).values()) == {(0.0, 1.0)}
    assert intervals("--bounds", "RR=-9,9", scores)["a"][1] > 1


FORMS = {
    "long": (
        "topic,measure,value\n1,mine,0.5\n2,mine,1.5\n",
        ":3: 1.5 is outside the bounds of",
    ),
    "json lines": ('{"qid": 1, "measure": "mine", "value": 2}\n', ":1: 2 is outside"),
    "a topic a line": ('{"qid": 1, "mine": 1}\n{"qid": 2, "mine": 2}\n', ":2: 2 is outside"),
    "table": ("run,topic,mine\na,1,0\na,2,-1\n", ":3: -1 is outside"),
    "matrix": ("topic,a,b\n1,0,0.5\n2,0,7\n", ":3: 7 is outside"),
    "trec_eval": ("mine                  \t1\t0.5\nmine                  \t2\t3.5\n", ":2: 3.5 is"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("job", ["compare", "leaderboard"])
def test_a_value_outside_is_an_error_of_its_line(
    form: str, job: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, message = FORMS[form]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_text(text)
    ran = command(job, "--bounds", "0,1", "x")
    assert (ran.code, ran.out) == (2, b"")
    assert f"x{message}" in ran.err or "could not be scored" in ran.err


def test_json_and_parquet_name_the_place(scores: Path, tmp_path: Path) -> None:
    import pyarrow.csv
    import pyarrow.parquet as pq

    pq.write_table(pyarrow.csv.read_csv(scores), tmp_path / "x.parquet")
    with pytest.raises(InputError, match=r"x.parquet: row 3: 0.95 is outside the bounds of mine"):
        irev.compare(None, [tmp_path / "x.parquet"], bounds=(0, 0.9))


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ("1,0", "--bounds 1,0: the first number must be below the second"),
        ("0", "--bounds 0: write LOW,HIGH or MEASURE=LOW,HIGH, such as 0,1"),
        ("a,b", "--bounds a,b: write LOW,HIGH"),
        ("W=0,1", "--bounds W=0,1: no scores of W; there are mine"),
    ],
)
def test_what_is_no_range_is_said(scores: Path, bounds: str, message: str) -> None:
    ran = command("compare", f"--bounds={bounds}", scores)
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err
    for odd in (5, {"mine": 1}, {"mine": (0, True)}, {3: (0, 1)}, (0, float("nan"))):
        with pytest.raises(UsageError):
            irev.compare(None, [scores], bounds=odd)  # type: ignore[arg-type]
    twice = command("compare", "--bounds", "0,1", "--bounds", "0,2", scores)
    assert "unknown measures have two ranges" in twice.err


def test_a_gate_knows_the_range(scores: Path) -> None:
    ran = command("gate", "--bounds", "0,1", "--min", "mine=60", "a.txt")
    assert (ran.code, ran.out) == (2, b"")
    assert "mine is from 0 to 1; write --min mine=0.6" in ran.err
    ran = command("gate", "--bounds", "0,1", "--min", "mine=0.6", "--details", "a.txt")
    assert ran.code == 0
    assert b"bounds:mine=0,1" in ran.out


def test_a_gate_of_scores_compares_all_measures_that_they_have(scores: Path) -> None:
    ran = command("gate", "--baseline", "b.txt", "a.txt")
    assert ran.code == 0
    assert ran.out.startswith(b"PASSED: mine rose by 0.1667 to 0.6500 (baseline 0.4833, ")
    assert command("gate", "--baseline", "a.txt", "b.txt").code == 1


def test_a_report_of_scores(scores: Path, tmp_path: Path) -> None:
    ran = command("report", "--bounds", "0,1", "--output", "page.html", scores)
    assert ran.code == 0, ran.err
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "bounds:mine=0,1" in page
    assert "there are no curves" in ran.err
    assert irev.report(None, [scores], bounds=(0, 1)).to_frame()["high"].tolist() == [1, 1]
