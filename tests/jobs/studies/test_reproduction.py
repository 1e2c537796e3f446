"""`irev study reproduction` and `irev study overlap`: an experiment again, and two rankings."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from irev.cli.commands import irev
from irev.engine.score_runs import score_runs
from irev.errors import InputError, UsageError
from irev.jobs.studies.overlap import TIES, overlap, read_rankings
from irev.jobs.studies.reproduction import (
    Experiment,
    ReproductionOptions,
    compare_experiments,
    reproduction,
)
from irev.options import Options
from irev.scores.table import ScoreTable
from tests.files import SAMPLE
from tests.statistics_rows import every_row, matrix

QRELS = str(SAMPLE / "qrels.txt")
BM25, RM3, DENSE, FUSION = (
    str(SAMPLE / name) for name in ("bm25.run", "rm3.run", "dense.run.gz", "fusion.run")
)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(kind: str, *arguments: str) -> tuple[int, Any, str]:
    outcome = CliRunner().invoke(irev, ["study", kind, *arguments, "--format", "json"])
    out = json.loads(outcome.stdout) if outcome.exit_code == 0 else outcome.stdout
    return outcome.exit_code, out, f"{outcome.stderr}{outcome.exception or ''}"


def made(name: str, columns: dict[str, Any]) -> ScoreTable:
    scores = np.column_stack(list(columns.values()))
    text = [",".join(["topic", *columns])]
    text += [",".join([str(n), *map(repr, row)]) for n, row in enumerate(scores.tolist(), 1)]
    Path(f"{name}.csv").write_text("\n".join(text) + "\n", encoding="utf-8")
    return score_runs(None, [f"{name}.csv"])


def replicate() -> tuple[Experiment, Experiment]:
    """The case F1: b=Y, a=X; b'=Z, a'=(X+Z)/2 + .05."""
    scores, _ = matrix("F1")
    x, y, z = scores.T
    then = made("score", {"a": x, "b": y})
    now = made("score", {"a": (x + z) / 2 + 0.05, "b": z})
    return Experiment(then, 1, 0), Experiment(now, 1, 0)


EXPECTED = {
    "ER": ("effects", "ER", 0), "RI_orig": ("effects", "RI", 0), "RI_rep": ("effects", "RI'", 0),
    "DeltaRI": ("effects", "DeltaRI", 0), "arp_delta_base": ("closeness", "difference", 0),
    "rmse_base": ("closeness", "RMSE", 0), "rmse_adv": ("closeness", "RMSE", 1),
    "nrmse_base": ("closeness", "nRMSE", 0), "p_paired_base": ("closeness", "p", 0),
}  # fmt: skip
CASES = [
    (row["quantity"], float(row["expected"]), float(row["tol"]))
    for row in every_row()
    if row["section"] == "repro" and row["quantity"] in EXPECTED
]


@pytest.mark.parametrize(("quantity", "expected", "tolerance"), CASES)
def test_reproduction_by_hand(quantity: str, expected: float, tolerance: float) -> None:
    record = compare_experiments(*replicate(), ReproductionOptions())
    table, column, row = EXPECTED[quantity]
    found = record.tables[table].iloc[row][column]
    assert found == pytest.approx(expected, abs=max(tolerance, 1e-12))


def test_other_topics_are_a_replication() -> None:
    original, new = replicate()
    student, welch = (
        next(float(row["expected"]) for row in every_row() if row["quantity"] == name)
        for name in ("p_unpaired_base", "p_welch_base")
    )
    renamed = tuple(b"other-" + topic for topic in new.table.topics)
    moved = ScoreTable(renamed, new.table.runs, new.table.columns, new.table.values)
    record = compare_experiments(original, Experiment(moved, 1, 0), ReproductionOptions())
    close = record.tables["closeness"]
    assert close.iloc[0]["p"] == pytest.approx(student, rel=1e-12)
    assert "RMSE" not in close.columns
    assert any("replication" in note and "unpaired t" in note for note in record.notes)
    record = compare_experiments(original, Experiment(moved, 1, 0), ReproductionOptions(welch=True))
    assert record.tables["closeness"].iloc[0]["p"] == pytest.approx(welch, rel=1e-12)
    assert any("Welch's t" in note for note in record.notes)
    with pytest.raises(UsageError, match="margin"):
        compare_experiments(original, Experiment(moved, 1, 0), ReproductionOptions(margin=0.1))


def test_a_perfect_reproduction() -> None:
    original, _ = replicate()
    record = compare_experiments(original, original, ReproductionOptions(resamples=50, margin=0.05))
    (row,) = record.tables["effects"].to_dict("records")
    assert (row["ER"], row["DeltaRI"]) == (1, 0)
    assert (row["ER low"], row["ER high"]) == pytest.approx((1, 1))
    for close in record.tables["closeness"].to_dict("records"):
        assert (close["RMSE"], close["nRMSE"], close["p"]) == (0, 0, 1)
        assert close["p equal"] < 0.05


def test_no_effect_has_no_ratio() -> None:
    _, new = replicate()
    flat = made("score", {"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1]})
    short = ScoreTable(flat.topics, new.table.runs, flat.columns, new.table.values[:, :3])
    record = compare_experiments(
        Experiment(flat, 1, 0), Experiment(short, 1, 0), ReproductionOptions()
    )
    assert math.isnan(record.tables["effects"].iloc[0]["ER"])
    assert record.figures["effects"]().axes  # drawn without it


@pytest.mark.parametrize(
    ("then", "now", "drop"),
    [
        ([0.4, 0.6], [0.1, 0.3, 0.2], 0.6),  # of means .5 and .2, on other topics
        ([0.4, 0.6], [0.0, 0.0], 1.0),  # nothing is left: no change would be 0
        ([0.2, 0.2], [0.3, 0.3], -0.5),
        ([0.0, 0.0], [0.3, 0.3], math.nan),
    ],
)
def test_the_drop_is_relative_to_then(then: list[float], now: list[float], drop: float) -> None:
    original, new = (
        Experiment(made("score", {"a": scores, "b": scores}), 1, 0) for scores in (then, now)
    )
    record = compare_experiments(original, new, ReproductionOptions(resamples=10))
    drops = record.tables["closeness"]["drop"].tolist()
    assert drops == pytest.approx([drop, drop], nan_ok=True)


def test_figure_shows_the_table() -> None:
    record = compare_experiments(*replicate(), ReproductionOptions())
    (axes,) = record.figures["effects"]().axes
    (row,) = record.tables["effects"].to_dict("records")
    bars: Any
    (bars,) = axes.containers
    point, _, (reach,) = bars.lines
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (row["ER"], row["DeltaRI"])
    ends = np.asarray(reach.get_segments()[0])[:, 0]
    assert ends == pytest.approx([row["ER low"], row["ER high"]])
    assert ("ER" in axes.get_xlabel(), "DeltaRI" in axes.get_ylabel()) == (True, True)


WORDS = ["--baseline", BM25, "--advanced", RM3, "--new-baseline", BM25, "--new-advanced", FUSION]


def test_the_command_on_runs() -> None:
    code, out, err = call("reproduction", QRELS, *WORDS, "-m", "map", "--output", "out")
    assert code == 0
    # the sample's README: map of bm25 0.3501, rm3 0.4385, fusion 0.7361
    (row,) = out["tables"]["effects"]
    assert row["ER"] == pytest.approx((0.7361 - 0.3501) / (0.4385 - 0.3501), rel=2e-3)
    assert pytest.approx((0.4385 - 0.3501) / 0.3501, abs=1e-3) == row["RI"]
    base, advanced = out["tables"]["overlap"]
    assert base["rbo_ext"] == pytest.approx(1)
    assert advanced["rbo_ext"] < 0.9
    assert "the same 12 topics: a reproduction" in err
    assert "seed 0" in err
    assert out["parameters"]["original"][0]["signature"]["qrels"]
    assert Path("out/effects.svg").exists()
    assert Path("out/overlap-topics.csv").exists()


def test_each_run_is_set_against_its_own_original() -> None:
    """The rankings of the advanced runs are the same (1), those of the baselines disjoint (0)."""
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}}
    runs: dict[str, Any] = {
        "baseline": {"1": ["c", "d"], "2": ["d", "a"]},
        "advanced": {"1": ["a", "b"], "2": ["b", "a"]},
        "new_baseline": {"1": ["b", "a"], "2": ["c", "b"]},
        "new_advanced": {"1": ["a", "b"], "2": ["b", "a"]},
    }
    overlaps = reproduction(qrels, ["P.1"], **runs).tables["overlap"]
    assert dict(zip(overlaps["run"], overlaps["rbo_ext"], strict=True)) == {
        "baseline": 0.0, "advanced": pytest.approx(1),
    }  # fmt: skip


def test_the_command_on_saved_scores() -> None:
    scores, _ = matrix("F1")
    x, y, z = scores.T
    names = {"b": y, "a": x, "nb": z, "na": (x + z) / 2 + 0.05}
    # the measure of a matrix is called as its file
    for folder in names:
        Path(folder).mkdir()
    paths = {}
    for name, column in names.items():
        lines = [f"topic,{name}", *(f"{n},{v!r}" for n, v in enumerate(column.tolist(), 1))]
        paths[name] = f"{name}/score.csv"
        Path(paths[name]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = [
        "--baseline", paths["b"], "--advanced", paths["a"],
        "--new-baseline", paths["nb"], "--new-advanced", paths["na"],
    ]  # fmt: skip
    code, out, _ = call("reproduction", *words)
    assert code == 0
    assert out["tables"]["effects"][0]["ER"] == pytest.approx(4 / 3)
    assert "overlap" not in out["tables"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([QRELS, *WORDS[:6]], "--new-advanced is missing"),
        (WORDS, "one qrels file"),
        ([QRELS, QRELS, *WORDS], "one qrels file"),
        ([QRELS, *WORDS[:2], "--advanced", BM25, *WORDS[4:]], "both"),
        ([QRELS, *WORDS, "--alpha", "2"], "'--alpha': 2 is not above 0 and below 1"),
        ([QRELS, *WORDS, "--margin", "-1"], "--margin must be above 0, not -1"),
        ([QRELS, *WORDS, "--welch"], "different topics"),
    ],
)
def test_what_makes_no_sense_is_refused(words: list[str], said: str) -> None:
    code, out, err = call("reproduction", *words)
    assert code != 0
    assert out == ""
    assert said in err


# --- two rankings ---


def run_of(groups: list[list[str]]) -> dict[str, float]:
    """Scores that make these groups of tied documents."""
    return {d: 10.0 - place for place, group in enumerate(groups) for d in group}


def test_rankings_are_by_score() -> None:
    found = read_rankings({"t": {"a": 1.0, "b": 3.0, "c": 1.0, "d": 2.0}}, Options()).rankings
    assert [sorted(group) for group in found[b"t"]] == [[b"b"], [b"d"], [b"a", b"c"]]
    Path("twice.run").write_text("t Q0 d 1 2 x\nt Q0 e 2 1 x\nt Q0 d 3 0 x\n", encoding="utf-8")
    with pytest.raises(InputError, match="lines 1 and 3"):
        read_rankings("twice.run", Options())


@pytest.mark.parametrize("line", ["{0}\t{2}\t{3}\n", "{0} {1} {2} {3} {4}\n", "{0} {2} {4}\n"])
def test_overlap_of_runs_of_other_layouts(line: str) -> None:
    """Ranks alone; runs without a tag; topic, document and score."""
    more = ["-T", "msmarco"] if line.endswith("{3}\n") else []
    paths: list[str] = []
    for path in (BM25, RM3):
        # documents of one score would be tied, those of two ranks are not
        rows = [row.split() for row in Path(path).read_text(encoding="utf-8").splitlines()]
        rows = [[*row[:3], str(n), f"-{n}.5"] for n, row in enumerate(rows, 1)]
        paths += [f"trec{len(paths)}"]
        Path(paths[-1]).write_text(
            "".join(f"{' '.join(row)} t\n" for row in rows), encoding="utf-8"
        )
        paths += [f"other{len(paths)}"]
        Path(paths[-1]).write_text("".join(line.format(*row) for row in rows), encoding="utf-8")
    first, other_first, second, other_second = paths
    _, expected, _ = call("overlap", first, second)
    code, found, err = call("overlap", other_first, other_second, *more)
    assert (code, found["tables"]) == (0, expected["tables"]), err
    four = ("--baseline", "--advanced", "--new-baseline", "--new-advanced")
    then = zip(four, (first, second, second, first), strict=True)
    now = zip(four, (other_first, other_second, other_second, other_first), strict=True)
    _, expected, _ = call("reproduction", QRELS, *(word for each in then for word in each))
    code, found, err = call("reproduction", QRELS, *(w for each in now for w in each), *more)
    assert code == 0, err
    assert found["tables"]["overlap"] == expected["tables"]["overlap"]


def test_topics_of_one_run_alone_count_as_0() -> None:
    first = {"t": {"a": 1.0}, "u": {"a": 1.0}}
    record = overlap(first, {"t": {"a": 5.0}, "v": {"a": 1.0}})
    assert record.tables["overlap"]["rbo_ext"].tolist() == pytest.approx([1, 0, 0])
    (mean,) = record.tables["mean"].to_dict("records")
    assert (mean["topics"], mean["rbo_ext"]) == (3, pytest.approx(1 / 3))
    assert sum("which counts as 0" in note for note in record.notes) == 2


def test_overlap_figure() -> None:
    record = overlap(BM25, RM3)
    figure = record.figures["overlap"]()
    (axes,) = figure.axes
    table = record.tables["overlap"]
    bars: Any = axes.patches
    heights = [bar.get_height() for bar in bars]
    names = [text.get_text() for text in axes.get_xticklabels()]
    assert sorted(names) == sorted(table["topic"])
    assert heights == table.set_index("topic").loc[names, "rbo_ext"].tolist()
    assert figure.get_supxlabel() == "p = 0.9, ties = a."
    low, high = axes.get_ylim()
    assert low == 0
    assert 1 < high < 1.1


@pytest.mark.parametrize("ties", list(TIES))
def test_overlap_command(ties: str) -> None:
    code, out, err = call("overlap", BM25, BM25, "--ties", ties, "-p", "0.8")
    assert code == 0
    assert out["tables"]["mean"][0]["rbo_ext"] == pytest.approx(
        1, abs=0.01 if ties == "a" else 1e-9
    )
    assert f"p=0.8, ties={ties}" in err
    code, out, err = call("overlap", BM25, *([RM3] if ties == "a" else []), "-p", "1")
    assert (code != 0, out) == (True, "")
