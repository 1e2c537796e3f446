"""TREC-COVID's first round: the official leaderboard, where its runs are at hand."""

from __future__ import annotations

import csv
import json

from click.testing import CliRunner

from irev.cli.commands import irev
from tests.real_data import COVID, COVID_QRELS, needs_real_data

COLUMNS = {
    "ndcg_cut_10": "ndcg@10",
    "P_5": "p@5",
    "RBP(p=0.5,gain=linear,max=2)": "RBP(p=.5)",
    "bpref": "bpref",
    "map": "MAP",
}


@needs_real_data
def test_the_official_scores_to_their_printed_digits():
    with open(COVID / "official_leaderboard.csv", encoding="utf-8", newline="") as lines:
        official = {row["run"]: row for row in csv.DictReader(lines)}
    arguments = [
        "leaderboard", "--compat", "trec9", "-m", "ndcg_cut.10", "-m", "P.5", "-m", "RBP(p=0.5)",
        "-m", "bpref", "-m", "map", "--format", "json", "--resamples", "100",
        str(COVID_QRELS), str(COVID / "runs"),
    ]  # fmt: skip
    outcome = CliRunner().invoke(irev, arguments)
    [board] = json.loads(outcome.stdout)["leaderboard"][0]["boards"]

    assert len(board["runs"]) == 32
    for run in board["runs"]:
        actual = {COLUMNS[name]: f"{value['value']:.4f}" for name, value in run["measures"].items()}
        assert actual == {name: official[run["run"]][name] for name in COLUMNS.values()}
    names = [run["run"] for run in board["runs"]]
    assert names == [run for run in official if run in set(names)]
