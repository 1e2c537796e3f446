"""`irev study enumerate`: all rankings of a few graded documents, and Kishida's Tables 3-5."""

from __future__ import annotations

import csv
import itertools
import re
from typing import Any

import numpy as np
import pytest

import irev
from irev import evaluate
from irev.errors import UsageError
from irev.jobs.studies.enumerate import count_rankings, every_ranking, ranking_text
from tests.command import irev as command
from tests.files import CASES

with (CASES / "seeds/kishida.csv").open(encoding="utf-8", newline="") as lines:
    ROWS = {row["ref"]: row for row in csv.DictReader(lines)}

NAMES = {
    "vS'": "MSR@5", "vD": "AvgNDCG(b=2)@5", "vQ": "Q(beta=1)", "vG": "genAP", "AP": "AP"
}  # fmt: skip
PICKED = {
    "a": "32000", "b": "00123", "c": "03210", "d": "30000", "e": "00003"
}  # fmt: skip


def chosen(start: str) -> list[str]:
    return [ref for ref in ROWS if ref.startswith(start)]


@pytest.fixture(scope="module")
def tables() -> Any:
    picked = [[float(digit) for digit in each] for each in PICKED.values()]
    return irev.studies.enumerate(present=[3, 2, 1], ranks=5, picked=picked).tables


def check(found: float, ref: str) -> None:
    row = ROWS[ref]
    assert found == pytest.approx(float(row["computed"]), abs=1e-6), ref
    if row["printed"]:
        places = len(row["printed"].rpartition(".")[2])
        assert f"{found:.{places}f}" == f"{float(row['printed']):.{places}f}", ref


def test_the_136_rankings(tables: Any) -> None:
    with (CASES / "kishida136.csv").open(encoding="utf-8", newline="") as lines:
        expected = list(csv.DictReader(lines))
    found = tables["rankings"].set_index("ranking")
    assert len(found) == len(expected) == int(ROWS["K-T3-count"]["computed"])
    for row in expected:
        name = row.pop("pattern")
        values = [float(value) for value in row.values()]
        assert found.loc[name].tolist() == pytest.approx(values, abs=1e-9)


def test_table_3(tables: Any) -> None:
    for ref in chosen("K-T3-"):
        if "count" not in ref:
            _, _, column, name = ref.split("-")
            line = tables["statistics"].set_index("measure").loc[NAMES[name]]
            check(float(line[column]), ref)


def test_table_4(tables: Any) -> None:
    correlations = tables["correlations"].set_index("measure")
    for ref in chosen("K-T4-"):
        one, other = ref.split("-")[2:]
        check(float(correlations.loc[NAMES[one], NAMES[other]]), ref)
        check(float(correlations.loc[NAMES[other], NAMES[one]]), ref)


def test_table_5(tables: Any) -> None:
    for ref in chosen("K-T5-"):
        what, name = ref.removeprefix("K-T5-").split("-")
        ranking = re.sub("[a-e]", lambda letter: PICKED[letter[0]], what)
        table = tables["ratios" if "/" in ranking else "picked"]
        check(float(table.set_index(table.columns[0]).loc[ranking, NAMES[name]]), ref)


# --- enumeration by brute force ---


@pytest.mark.parametrize(
    ("present", "ranks"),
    [((3, 2, 1), 5), ((1, 1), 4), ((2, 1, 1), 3), ((2, 2, 1, 1), 2), ((5,), 1)],
)
def test_every_ranking(present: tuple[float, ...], ranks: int) -> None:
    slots = [*present, *[0] * ranks]
    expected = {row[:ranks] for row in itertools.permutations(slots, ranks)}
    found = every_ranking(present, ranks)
    rows = [tuple(row) for row in found.tolist()]
    assert set(rows) == expected
    assert len(rows) == len(expected) == count_rankings(present, ranks)
    assert rows == sorted(rows, reverse=True)


def test_any_measures_as_the_evaluation_has_them() -> None:
    names = ["ndcg_cut_3", "ERR@3", "recip_rank", "bpref", "num_rel_ret"]
    table = irev.studies.enumerate(names, present=[2, 1], ranks=3).tables["rankings"]
    for name, *values in table.itertuples(index=False):
        left = [2, 1]
        qrels = {}
        for rank, digit in enumerate(name):
            qrels[f"d{rank}"] = int(digit)
            if digit != "0":
                left.remove(int(digit))
        qrels |= {f"m{number}": grade for number, grade in enumerate(left)}
        run = {f"d{rank}": float(-rank) for rank in range(3)}
        scores = evaluate({"q": qrels}, {"q": run}, [*names[:1], "ERR(max=2)@3", *names[2:]])
        expected = scores.per_topic()["q"]
        assert dict(zip(table.columns[1:], values, strict=True)) == pytest.approx(expected)


def test_names_of_rankings() -> None:
    assert ranking_text([3, 0, 2]) == "302"
    assert ranking_text([10, 0, 0.5]) == "10,0,0.5"


def test_refused() -> None:
    with pytest.raises(UsageError, match="more than 1000000"):
        irev.studies.enumerate(present=[1, 2, 3, 4, 5, 6], ranks=30)
    with pytest.raises(UsageError, match="330 is not a ranking of the grades 3, 2 here"):
        irev.studies.enumerate(present=[3, 2], ranks=3, picked=[[3, 3, 0]])
    with pytest.raises(UsageError, match="above 0"):
        irev.studies.enumerate(present=[0, 1], ranks=3)


def test_what_is_drawn() -> None:
    record = irev.studies.enumerate(["AP", "genAP", "num_rel"], present=[2, 1], ranks=3)
    axes = record.figures["correlation"]().axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["num_rel", "AP", "genAP"]
    written = [text.get_text() for text in axes.texts]
    drawn = record.tables["correlation"]
    assert written == ["" if v != v else f"{v:.3f}" for v in drawn["value"]]
    assert drawn[["measure", "with"]].iloc[-1].tolist() == ["genAP", "genAP"]
    (axes,) = record.figures["distribution"]().axes
    steps = record.tables["distribution"]
    assert [line.get_label() for line in axes.lines] == ["num_rel", "AP", "genAP"]
    for line in axes.lines:
        points = steps.loc[steps["measure"] == line.get_label(), ["score", "share"]]
        assert np.array_equal(np.asarray(line.get_xydata()), points.to_numpy())
    assert axes.get_ylabel() == "share of 13 rankings with this score or less"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--pick", "300"], "5 grades expected"),
        (["--pick", "3x000"], "'x' is not a number"),
        (["--grades-present", "1,0"], "above 0"),
        (["--ranks", "0"], "too small"),
        (["qrels.txt"], "reads no file"),
    ],
)
def test_command_refuses(arguments: list[str], said: str) -> None:
    ran = command("study", "enumerate", *arguments)
    assert (ran.code, ran.out) == (2, b"")
    assert said in ran.err
