"""Equality within a margin, chances and risk, by expected values made outside the package."""

from __future__ import annotations

import csv
import math
from typing import Any

import numpy as np
import pytest

from irev.statistics.decisions import (
    bayesian_bootstrap,
    equivalence,
    geo_risk,
    t_risk,
    u_risk,
    z_risk,
)
from irev.statistics.differences import RunPairs, every_pair
from tests.each import for_each
from tests.files import CASES
from tests.statistics_rows import matrix

with (CASES / "statistics" / "beyond_expected.csv").open(encoding="utf-8", newline="") as lines:
    ROWS = {row["id"]: row for row in csv.DictReader(lines)}

F2, NAMES = matrix("F2")
A_B, C_B = RunPairs(np.array([0]), np.array([1])), RunPairs(np.array([2]), np.array([1]))


def given(row: dict[str, str]) -> dict[str, str]:
    return dict(each.split("=") for each in row["parameters"].split(",") if "=" in each)


def found_for(row: dict[str, str]) -> float:
    kind, said = row["measure"], given(row)
    a, run = float(said.get("alpha", 0)), row["input"][-1]
    if kind in ("zrisk", "georisk"):
        return float({"zrisk": z_risk, "georisk": geo_risk}[kind](F2, a)[NAMES.index(run)])
    if kind == "urisk":
        return float(u_risk(F2, C_B, a)[0])
    if kind == "trisk":
        return float(t_risk(F2, C_B, a, divides_by_n=said["sd"] == "n")[0])
    tested = equivalence(F2, A_B, float(said.get("margin", 1)))
    return float(
        {
            "tost": tested.p_equal, "noninferiority": tested.p_not_worse,
            "smallest margin": tested.within, "detectable difference": tested.detectable,
        }[kind][0]
    )  # fmt: skip


KINDS = ("urisk", "trisk", "zrisk", "georisk", "tost", "noninferiority", "smallest margin")
EXACT = [
    name
    for name, row in ROWS.items()
    if (row["measure"] in KINDS and row["input"].startswith("F2")) or name == "detect-2"
]


@for_each("name", EXACT)
def test_expected_values(name: str) -> None:
    assert found_for(ROWS[name]) == pytest.approx(float(ROWS[name]["value"]), rel=2e-9)


def test_there_are_rows() -> None:
    assert len(EXACT) == 29


def test_risk_where_the_baseline_lacks_a_topic() -> None:
    # gdeval.pl -c prints 0.04655
    scores = np.array([[0.7075265, 1.0], [0.6590018, 0.7967075], [1.0, 0.0]])
    found = u_risk(scores, RunPairs(np.array([0]), np.array([1])), 1)
    assert found[0] == pytest.approx(0.04655, abs=5e-6)


@pytest.mark.parametrize("name", ["bb-0", "bb-0.05", "bb-0.1"])
def test_the_bayesian_bootstrap(name: str) -> None:
    by, exact = float(name[3:]), float(ROWS[name]["value"])
    draws = 40_000
    found = bayesian_bootstrap(F2, A_B, by, num_resamples=draws)
    assert abs(found.better[0] - exact) <= 4 * math.sqrt(exact * (1 - exact) / draws)
    assert found.better[0] + found.equal[0] + found.worse[0] == pytest.approx(1)
    turned = bayesian_bootstrap(F2, A_B.swapped_runs(), by, num_resamples=draws)
    assert turned.worse.tolist() == found.better.tolist()


def test_draws_depend_on_the_seed_alone() -> None:
    pairs = every_pair(4)

    def drawn(threads: int, seed: int = 0) -> Any:
        return bayesian_bootstrap(F2, pairs, 0.05, seed=seed, threads=threads).better.tolist()

    assert drawn(1) == drawn(3)
    assert drawn(1) != drawn(1, seed=1)


def test_differences_that_never_vary() -> None:
    scores = np.array([[0.5, 0.5, 0.4]] * 6)
    found = equivalence(scores, every_pair(3), 0.1)
    # 0, 0.1 and 0.1 apart, with a margin of 0.1: the last two are as far apart as the margin
    # one-sided, 6 equal signs have 1 / 2^6
    assert found.p_equal.tolist() == [1 / 64, 1.0, 1.0]
    assert found.p_not_worse.tolist() == [1 / 64, 1 / 64, 1 / 64]
    assert found.within == pytest.approx([0, 0.1, 0.1])
    assert np.isnan(found.detectable).all()
    # 1 / 2^4 is above 0.05: no margin would do
    assert np.isnan(equivalence(scores[:4], every_pair(3), 0.1).within).all()
    chances = bayesian_bootstrap(scores, every_pair(3), 0.1, num_resamples=2000)
    assert chances.equal.tolist() == pytest.approx([1, math.nan, math.nan], nan_ok=True)
    assert t_risk(scores, every_pair(3), 1)[0] == 0


def test_what_is_detectable_where_alpha_reaches_the_power() -> None:
    """A difference of 0 is found in 80 % of all cases by a test at alpha 0.8, and oftener above."""
    assert [equivalence(F2, A_B, 1.0, alpha).detectable[0] for alpha in (0.8, 0.9)] == [0, 0]


def test_no_score_at_all() -> None:
    assert z_risk(np.zeros((3, 2)), 1).tolist() == [0, 0]
    assert geo_risk(np.zeros((3, 2)), 1).tolist() == [0, 0]
