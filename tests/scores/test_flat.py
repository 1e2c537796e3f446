"""Means under the keys that logs of experiments take."""

import json
import math
import re
from pathlib import Path

import pytest

import irev
from irev.errors import UsageError
from irev.scores.scores import flat_name, flat_summary
from tests.command import irev as call

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0, "d2": 1}}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 2.0, "d2": 1.0}}

MLFLOW_KEY = r"[/\w.\- ]*"
"""What MLflow says that the key of a metric may be made of."""


@pytest.mark.parametrize(
    ("name", "flat"),
    [
        ("map", "map"),
        ("ndcg_cut_10", "ndcg_cut_10"),
        ("P@10", "P_at_10"),
        ("nDCG(b=2)@10", "nDCG_b_2_at_10"),
        ("RBP(p=0.8)", "RBP_p_0.8"),
        ("ERR-IA@20", "ERR-IA_at_20"),
        ("runs/bm25", "runs_bm25"),
        ("..", "__"),
        ("größe", "gr_e"),
    ],
)
def test_names_are_rewritten_as_documented(name: str, flat: str) -> None:
    assert flat_name(name) == flat


def test_a_run_has_its_measures_and_runs_stand_before_a_slash() -> None:
    scores = irev.evaluate(QRELS, RUN, ["map", "nDCG(b=2)@10"])
    # ranks 1 and 2 of the one relevant document: AP 1 and 1/2; with b = 2 both have discount 1
    assert scores.to_dict(flat=True) == {"map": 0.75, "nDCG_b_2_at_10": 1.0}
    table = irev.evaluate(QRELS, {"a/x": RUN, "b": RUN}, ["map", "P@1"])
    assert table.to_dict(flat=True) == {
        "a_x/map": 0.75, "a_x/P_at_1": 0.5, "b/map": 0.75, "b/P_at_1": 0.5,
    }  # fmt: skip
    assert scores.to_dict()["runs"][0]["all"]["map"] == 0.75


def test_every_measure_of_trec_eval_has_a_key() -> None:
    flat = irev.evaluate(QRELS, RUN, ["all_trec", "nDCG(b=2)@10", "RBP(p=0.8)"]).to_dict(flat=True)
    assert len(flat) > 90
    assert all(re.fullmatch(MLFLOW_KEY, key) for key in flat)


def test_two_names_that_become_one_are_refused() -> None:
    with pytest.raises(UsageError, match=r"X\(1\) and X\[1\] are both X_1"):
        flat_summary({"a": {"X(1)": 0.5, "X[1]": 0.25}}, several_runs=False)


def test_what_is_not_finite_is_left_out() -> None:
    summary = {"a": {"x": math.nan, "y": math.inf, "z": 0.5}}
    assert flat_summary(summary, several_runs=True) == {"a/z": 0.5}


def test_the_command_prints_the_same(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    for name in ("a", "b"):
        (tmp_path / f"{name}.run").write_text("q1 0 d1 1 2 t\nq2 0 d1 1 2 t\nq2 0 d2 2 1 t\n")
    one = ["--format", "flat", "-m", "P@1", str(tmp_path / "qrels"), str(tmp_path / "a.run")]
    assert json.loads(call(*one).out) == {"P_at_1": 0.5}
    several = json.loads(call(*one, str(tmp_path / "b.run")).out)
    assert several == {"a/P_at_1": 0.5, "b/P_at_1": 0.5}
    refused = call(*one, "-q")
    assert refused.code == 2
    assert "--format flat cannot be combined with -q" in refused.err
