"""What `irev compare` shows by default: the verdict first, and no more than is asked for."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import irev as library
from irev import UsageError
from tests.command import irev
from tests.files import SAMPLE

V1 = [0.10, 0.05, 0, 0.15, -0.05, 0.10, 0.20, 0.05, 0, 0.10]
V2 = [0.10, -0.20, 0.30, -0.10, 0.05, -0.05, 0.20, -0.15, 0.10, -0.05]


def scores_of(folder: Path, measure: str = "map", **differences: list[float]) -> Path:
    """Saved scores of a run b, which has .5 (and .3) everywhere, and of others that differ."""
    num_topics = len(next(iter(differences.values())))
    base = np.where(np.arange(num_topics) % 2, 0.5, 0.3)
    runs = {"b": base} | {name: base + np.array(d) for name, d in differences.items()}
    table = pd.DataFrame({"topic": [f"t{n}" for n in range(num_topics)]} | runs)
    path = folder / f"{measure}.csv"
    table.to_csv(path, index=False)
    return path


def shown(*arguments: str | Path, **options: Any) -> list[str]:
    ran = irev("compare", *arguments, **options)
    assert ran.code == 0, ran.err
    lines = ran.out.decode().splitlines()
    assert max(map(len, lines)) <= 80
    return lines


def test_two_runs_take_twelve_lines(tmp_path: Path) -> None:
    (tmp_path / "V1").mkdir()
    better = shown(scores_of(tmp_path / "V1", a=V1))
    assert better[:2] == [
        "a is better than b: map +0.0700 (95%: 0.0161 to 0.1239; p 0.0165, 10 topics)",
        "",
    ]
    open_ = shown(scores_of(tmp_path, a=V2))
    assert " ".join(open_[:3]) == (
        "not decided: a is not significantly better than b: map +0.0200 (95%: -0.0934 to 0.1334; "
        "p 0.70, 10 topics). These topics detect differences from about 0.16 on; one of 0.05 needs "
        "about 81 topics (51 to 173)."
    )
    assert len(better) <= len(open_) <= 12
    assert [line.split()[-1] for line in better[4:6]] == ["7", "1"]
    assert better[-2] == "p: paired t test"
    assert better[-1].startswith(f"signature: irev:{library.__version__}@")


def test_the_difference_whose_topics_are_counted(tmp_path: Path) -> None:
    path = scores_of(tmp_path, a=V2)
    text = " ".join(shown("--difference=.02", path))
    assert "one of 0.02 needs about 495 topics (304 to 1,066)." in text
    signed = [
        json.loads(irev("compare", "--format=json", *more, path).out)["signature"]["short"]
        for more in ((), ("--difference=.02",))
    ]
    assert signed[0] == signed[1]
    ran = irev("compare", "--difference=0", path)
    assert (ran.code, ran.err) == (2, "irev: error: --difference must be above 0, not 0\n")
    # a measure that is not known has no range
    unknown = scores_of(tmp_path, "anything", a=V2)
    assert " ".join(shown(unknown)[:3]).startswith("not decided: a is not")
    assert "needs about" not in " ".join(shown(unknown))


def test_machines_and_python_have_the_verdicts(tmp_path: Path) -> None:
    path = scores_of(tmp_path, a=V1, c=V2)
    arguments = ("--test=t", "--correction=none", "--baseline=c")
    data = json.loads(irev("compare", *arguments, "--format=json", path).out)
    kinds = {(row["run"], row["against"]): row["verdict"] for row in data["verdicts"]}
    assert kinds == {("a", "c"): "not decided", ("c", "b"): "not decided"}
    data = json.loads(irev("compare", "--test=t", "--format=json", path).out)
    by_pair = {(row["run"], row["against"]): row for row in data["pairs"]}
    # .016471 x 3
    assert by_pair["a", "b"]["verdict"] == "better"
    assert by_pair["a", "b"]["better_run"] == "a"
    assert by_pair["a", "b"]["words"].startswith("a is better than b: map +0.0700 (95%: ")
    assert by_pair["a", "c"]["better_run"] is None
    table = list(csv.DictReader(io.StringIO(irev("compare", "--format=csv", path).out.decode())))
    assert list(table[0])[-4:] == ["verdict", "better_run", "words", "signature"]
    comparison = library.compare(None, [path], tests=["t"])
    frame = comparison.verdicts
    assert list(frame.columns[:6]) == ["class", "measure", "run", "against", "verdict", "words"]
    assert frame["words"].tolist() == [row["words"] for row in data["verdicts"]]
    # d80 at alpha / 3
    row = frame[(frame["run"] == "c") & (frame["against"] == "b")].iloc[0]
    shift = row["detectable"] * np.sqrt(10) / np.std(V2, ddof=1)
    limit = stats.t.ppf(1 - 0.05 / 6, 9)
    power = stats.nct.sf(limit, 9, shift) + np.nan_to_num(stats.nct.cdf(-limit, 9, shift))
    assert power == pytest.approx(0.8, abs=1e-9)
    with pytest.raises(UsageError, match="difference must be above 0"):
        library.compare(None, [path], difference=-1)


def test_a_run_that_is_worse_than_its_baseline_is_said_as_the_better_baseline(
    tmp_path: Path,
) -> None:
    path = scores_of(tmp_path, a=V1)
    lines = shown("--baseline=a", path)
    assert lines[0].startswith("a is better than b: map +0.0700")
    (row,) = json.loads(irev("compare", "--baseline=a", "--format=json", path).out)["pairs"]
    assert (row["run"], row["better_run"]) == ("b", "a")
    less = shown("--baseline=a", "--tail=less", path)
    assert less[0].startswith("a is better than b: map +0.0700 (95%: 0.0264 or more; p 0.0082")
    greater = " ".join(shown("--baseline=a", "--tail=greater", path)[:3])
    assert greater.startswith(
        "not decided: b is not significantly better than a: map -0.0700 (95%: -0.1136 or more; p"
    )


def test_lower_is_better() -> None:
    lines = shown("-m", "SetE(beta=1)", "qrels.txt", "bm25.run", "fusion.run", cwd=SAMPLE)
    assert lines[0].startswith("fusion is better than bm25: SetE(beta=1) lower by 0.")


def test_many_runs_have_a_line_and_a_table(tmp_path: Path) -> None:
    """Differences of a from the others are V1 and larger; c is as b is, but for noise."""
    noise = [0.01, -0.01, 0.02, -0.02, 0.01, -0.01, 0.0, 0.01, -0.02, 0.0]
    path = scores_of(tmp_path, a=[d + 0.2 for d in V1], c=noise)
    lines = shown("--test=t", path)
    assert " ".join(lines[:2]) == (
        "2 of 3 pairs differ significantly; best: a, significantly better than all others "
        "(map, 10 topics)"
    )
    table = [line.split() for line in lines[3:8]]
    assert table[0] == ["run", "mean", "95%", "interval", "vs", "best", "p"]
    assert table[2][0] == "a"
    assert [row[-1] for row in table[3:]] == ["*", "*"]
    assert "Smyth" not in " ".join(lines)
    assert "Smyth 2004" in " ".join(shown(path))
    against = shown("--test=t", "--baseline=c", path)
    assert against[0] == ("significantly better than c: a; not decided: b (map, 10 topics)")
    two = shown("--test=t", "--baseline=c", "--baseline=b", path)
    assert [line.split()[:2] for line in two[-9:-4]] == [
        ["run", "against"], ["-----", "---------"], ["a", "c"], ["b", "c"], ["a", "b"],
    ]  # fmt: skip


def test_runs_that_are_alike(tmp_path: Path) -> None:
    zeros = [0.0] * 10
    assert shown(scores_of(tmp_path, a=zeros))[0] == (
        "no difference: the same scores on every topic (a and b: map)"
    )
    assert shown(scores_of(tmp_path, a=zeros, c=zeros))[0] == (
        "no difference: the same scores of all runs on every topic (map, 10 topics)"
    )


def test_a_test_of_signs_may_favour_the_run_with_the_lower_mean(tmp_path: Path) -> None:
    path = scores_of(tmp_path, a=[0.01] * 11 + [-0.29])
    text = " ".join(shown("--test=sign", path)[:4])
    assert text.startswith(
        "not decided: the test favours a over b, whose mean is not worse: map -0.0150 (95%: "
    )
    assert shown("--test=wilcoxon", scores_of(tmp_path, a=V1))[0].startswith("a is better than b")


def test_several_measures_share_a_table() -> None:
    arguments = ("-m", "map,P.5,recip_rank,ndcg_cut.10,recall.20", "qrels.txt")
    two = shown(*arguments, "bm25.run", "rm3.run", cwd=SAMPLE)
    assert sum(line.startswith(("rm3 is better", "not decided", "no diff")) for line in two) == 5
    assert sum(line.startswith("recip_rank  ") for line in two) == 2
    three = shown(*arguments, "bm25.run", "rm3.run", "fusion.run", cwd=SAMPLE)
    assert three[0].startswith(
        "map: 2 of 3 pairs differ significantly; best: fusion, significantly"
    )
    assert sum(line.startswith("fusion  ") for line in three) == 2
    # a star may stand beside an interval that contains 0 only where intervals are shown
    assert "the interval is wider" not in "\n".join(three)


def test_what_was_asked_for_is_shown() -> None:
    arguments = ("-m", "map", "qrels.txt", "bm25.run", "rm3.run")
    plain = "\n".join(shown(*arguments, cwd=SAMPLE))
    for option, words in (
        ("--margin=.02", "p equivalent"), ("--better-by=.01", "P(better)"), ("--risk=1", "zrisk"),
        ("--per-topic", "score_against"), ("--anova", "partial_eta_2"),
        ("--min-diff=.02", "differences up to 0.02 are ties"), ("--ci=bca", "intervals: boot"),
        ("--details", "\nfamily: 1 hypothesis"), ("--test=sign", "p: sign test"),
    ):  # fmt: skip
        ran = irev("compare", option, *arguments, cwd=SAMPLE)
        assert words in ran.out.decode(), option
        assert words not in plain


def test_the_interval_of_a_star_may_contain_0(tmp_path: Path) -> None:
    """By Holm the larger p of two stays as it is; both intervals are of 97.5%."""
    found = [each - 0.01 for each in V1]
    p = stats.ttest_1samp(found, 0).pvalue
    assert 0.025 < p < 0.05
    paths = [
        scores_of(tmp_path, "map", a=[0.2 + each for each in V1]),
        scores_of(tmp_path, "P_10", a=found),
    ]
    table = pd.concat([pd.read_csv(path).assign(measure=path.stem) for path in paths])
    long = table.melt(["topic", "measure"], var_name="run", value_name="score")
    long.to_csv(tmp_path / "long.csv", index=False)
    text = " ".join(shown(tmp_path / "long.csv"))
    assert "a is better than b: P_10 +0.0600 (95%: -0.0" in text
    assert "so * may stand beside an interval that contains 0" in text


def test_long_names_are_cut_in_the_table_alone(tmp_path: Path) -> None:
    name = "a-long-name-of-a-run-which-a-team-has-given-to-it-"
    for number, run in ((1, "bm25.run"), (2, "rm3.run")):
        (tmp_path / f"{name}{number}.run").write_bytes((SAMPLE / run).read_bytes())
    runs = [tmp_path / f"{name}{number}.run" for number in (1, 2)]
    lines = shown(SAMPLE / "qrels.txt", *runs)
    assert " ".join(lines).startswith(f"{name}2 is better than {name}1: map +0.0885")
    assert [line.split()[0] for line in lines if line[:2] in ("1 ", "2 ")] == ["2", "1"]
