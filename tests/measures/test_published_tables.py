"""Sakai's tables for graded relevance: collections, and how many pairs of runs measures tell apart.

The runs of the paper are not to be had. What is tried is that the counts it prints come out as the
shares, marks and curves it prints, from made scores in which just so many pairs are significant.
"""

from __future__ import annotations

import csv
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import hadamard

from irev.core.judged import Column
from irev.jobs.studies.criteria import MeasuresUnderGains
from irev.jobs.studies.discriminative_power import DiscriminativePowerOptions, power_of_blocks
from irev.scores.table import RunInfo, ScoreTable
from irev.statistics.correlation import critical_tau
from tests.command import irev
from tests.files import CASES

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

RUNS, TOPICS, PAIRS = 15, 16, 105
GAINS = {"a": "3:2:1", "b": "3:2:1", "c": "10:5:1", "d": "10:5:1"}

with (CASES / "seeds/sakai.csv").open(newline="", encoding="utf-8") as lines:
    ROWS = {row["ref"]: row for row in csv.DictReader(lines)}


def printed(table: str, block: str) -> dict[str, tuple[int, int]]:
    """Measure -> (significant pairs, per cent) of a block of a table."""
    found = {}
    for ref, row in ROWS.items():
        if ref.startswith(f"S-T{table}{block}-"):
            count = int(row["input_ranking_gains"].split()[0])
            assert row["params"].startswith(f"gains={GAINS[block]};")
            found[ref.partition("-")[2].partition("-")[2]] = (count, int(row["printed"]))
    assert len(found) == 12
    return found


def scores_with(significant: int) -> Array:
    """Scores of 15 runs on 16 topics of whose 105 pairs just so many are significant.

    Run k either drowns its differences from the k runs before it in noise, or is far from all.
    """
    left, noisy = PAIRS - significant, []
    for k in range(RUNS - 1, 0, -1):
        if k <= left:
            noisy.append(k)
            left -= k
    assert left == 0
    even = hadamard(TOPICS)[:, 1:]
    spread, columns = 1.0, []
    for k in range(RUNS):
        if k in noisy:
            spread *= 1.0 if k - 1 in noisy else 1e6
            columns.append(spread * even[:, k])
        else:
            columns.append(np.full(TOPICS, 1e3 * spread * k))
    return np.column_stack(columns).astype(float)


def block_of(measures: dict[str, Array], gains: str) -> MeasuresUnderGains:
    topics = tuple(b"t%02d" % number for number in range(TOPICS))
    entries = tuple(RunInfo(f"run{n:02}", f"run{n:02}") for n in range(RUNS))
    columns = tuple(Column(name, name) for name in measures)
    table = ScoreTable(topics, entries, columns, np.stack(list(measures.values())))
    return MeasuresUnderGains(gains, table, tuple(measures))


@cache
def studied(table: str, level: str) -> Any:
    """A table of the paper at a level (its blocks "ac" or "bd"), from made scores."""
    blocks = [
        block_of({name: scores_with(n) for name, (n, _) in printed(table, each).items()}, gains)
        for each, gains in ((each, GAINS[each]) for each in level)
    ]
    return power_of_blocks(
        blocks, DiscriminativePowerOptions(alphas=[0.05], resamples=40, against="AveP")
    )


@pytest.mark.parametrize("level", ["ac", "bd"])
@pytest.mark.parametrize("table", ["2", "3"])
def test_shares_of_significant_pairs(table: str, level: str) -> None:
    power = studied(table, level).tables["power"]
    for block in level:
        expected = printed(table, block)
        found = power[power["gains"] == GAINS[block]].set_index("measure")["significant"]
        assert found.to_dict() == {
            name: f"{count}/{ROWS['S-pairs']['printed']}={share}%"
            for name, (count, share) in expected.items()
        }
        counts = [int(text.partition("/")[0]) for text in found]
        assert counts == sorted(counts, reverse=True)
        share = {name: float(ROWS[f"S-T{table}{block}-{name}"]["computed"]) for name in expected}
        full = studied(table, level).tables["sensitivity"]
        full = full[full["gains"] == GAINS[block]].set_index("measure")["share"]
        assert (100 * full).to_dict() == pytest.approx(share, abs=1e-6)


def test_what_is_in_bold() -> None:
    """More pairs than AveP in all four blocks: table 2 has three such measures, table 3 none."""
    ahead: dict[tuple[str, str], set[str]] = {}
    for table in "23":
        for level in ("ac", "bd"):
            power = studied(table, level).tables["power"]
            for mark in ("more", "as many or more"):
                marked = set(power.loc[power["than AveP"] == mark, "measure"])
                kept = ahead.setdefault((table, mark), marked)
                kept &= marked
    assert ahead["2", "more"] == {"Qβ=0.1", "Qβ=1", "Qβ=10"}
    assert ahead["3", "more"] == set()
    # Q(beta=10) is in bold there too, but in block (c) it has as many as AveP
    power = studied("3", "ac").tables["power"]
    assert set(power.loc[power["measure"] == "Qβ=10", "than AveP"]) == {"as many or more"}


def test_pairs_that_a_curve_leaves_undecided() -> None:
    """Figure 13: 68 of 105 pairs are significant where the curve crosses the level after 37."""
    row = ROWS["S-Fig13"]
    count = int(row["input_ranking_gains"].split()[0])
    record = power_of_blocks(
        [block_of({"Q": scores_with(count)}, "")],
        DiscriminativePowerOptions(alphas=[0.01], resamples=100),
    )
    curve = record.tables["asl"]
    assert len(curve) == int(ROWS["S-pairs"]["computed"])
    assert int((curve["asl"] >= 0.01).sum()) == int(row["printed"])
    assert curve["asl"].is_monotonic_decreasing


def test_critical_tau() -> None:
    row = ROWS["S-tau30"]
    found = critical_tau(int(row["input_ranking_gains"].removeprefix("n=")), 0.0093)
    assert found.tau == pytest.approx(float(row["computed"]), abs=1e-6)
    assert found.tau == pytest.approx(float(row["printed"]), abs=float(row["tolerance"]))


@pytest.mark.parametrize("ref", ["S-T1-C", "S-T1-J"])
def test_relevant_documents_of_a_collection(ref: str, tmp_path: Path) -> None:
    """Table 1: the mean numbers of documents of three grades and of relevant ones."""
    row, path = ROWS[ref], tmp_path / "qrels"
    means = [float(word) for word in re.findall(r"[\d.]+", row["input_ranking_gains"])]
    judged = []
    for grade, mean in zip((3, 2, 1), means, strict=True):
        # ten topics: tenths of a document are a topic's more
        whole = round(10 * mean)
        judged += [f"t{n % 10} 0 d{grade}-{n // 10} {grade}\n" for n in range(whole)]
    path.write_text("".join(judged))
    facts = json.loads(irev("check", "--format", "json", path).out)["files"][0]["facts"]
    assert facts["mean_relevant"] == pytest.approx(float(row["computed"]))
    assert facts["mean_relevant"] == pytest.approx(
        float(row["printed"]), abs=float(row["tolerance"])
    )
    assert [facts["mean_of_grade"][grade] for grade in "321"] == pytest.approx(means)
    last = irev("check", path).out.decode().splitlines()[-1]
    shown = ", ".join(f"{grade}: {mean}" for grade, mean in zip("321", means, strict=True))
    assert (
        f"10 topics, {len(judged)} judgments, {row['computed'][:4]} relevant a topic ({shown})"
        in last
    )
