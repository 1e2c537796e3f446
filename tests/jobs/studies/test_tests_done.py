"""Studies say which test was done where there are no other pairs to draw variances from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import irev
from irev.statistics.correlation import second_judge_favour_by_run


def _tables(tmp_path: Path, num_runs: int) -> list[str]:
    """Two matrices of scores; in the second two runs are the same distance apart everywhere."""
    scores = np.random.default_rng(4).random((8, num_runs)).round(2) / 2
    steady = scores.copy()
    steady[:, 1] = steady[:, 0] + 0.25
    paths = []
    for name, matrix in (("varied", scores), ("steady", steady)):
        table = pd.DataFrame(matrix, columns=[f"run{index}" for index in range(num_runs)])
        table.insert(0, "topic", [f"t{index}" for index in range(len(table))])
        paths.append(str(tmp_path / f"{name}.csv"))
        table.to_csv(paths[-1], index=False)
    return paths


@pytest.mark.parametrize("study", ["correlation", "discriminative_power"])
def test_moderated_is_said_where_it_was_done(tmp_path: Path, study: str) -> None:
    run_study = getattr(irev.studies, study)
    for num_runs, said, unsaid in (
        (2, "paired t test, two-sided", "moderated"),
        (3, "moderated paired t test (Smyth 2004) for varied and paired t test for steady", None),
        (4, "moderated paired t test (Smyth 2004), two-sided", "plain paired t"),
    ):
        result = run_study(None, _tables(tmp_path, num_runs), test="moderated")
        text = " ".join(str(result).split())
        assert said in text
        assert unsaid is None or unsaid not in text
        assert ("moderated" in str(result.parameters["test"])) == (num_runs > 2)
        assert ("such pairs are needed" in text) == (num_runs == 3)


def test_a_favour_that_never_varies_has_no_interval() -> None:
    first = np.random.default_rng(5).random((6, 3))
    second = first + np.array([0.1, 0, 0])
    errors = second_judge_favour_by_run(first, second)
    assert errors.p == pytest.approx(2.0**-5)
    assert np.isnan([*errors.low, *errors.high]).all()
