"""`irev study preference`: which of two runs is preferred, from the ranks of relevant documents."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats

from irev.cli.commands import irev
from irev.errors import MismatchError, UsageError
from irev.jobs.studies.preference import (
    PREFERENCES,
    UNSEEN,
    PreferenceOptions,
    RecallPairs,
    preference,
    preferred_runs_figure,
)
from tests.files import SAMPLE

KINDS = PreferenceOptions.fields()["preferences"].choices
QRELS = str(SAMPLE / "qrels.txt")
RUNS = [str(SAMPLE / name) for name in ("bm25.run", "rm3.run", "dense.run.gz", "fusion.run")]
NEVER = math.inf


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(*arguments: str) -> tuple[int, Any, str]:
    words = ["study", "preference", *arguments, "--format", "json"]
    outcome = CliRunner().invoke(irev, words)
    out = json.loads(outcome.stdout) if outcome.exit_code == 0 else outcome.stdout
    return outcome.exit_code, out, outcome.stderr


def paired(*topics: tuple[list[float], list[float]]) -> RecallPairs:
    """Pairs from the ranks of the relevant documents of each topic."""

    def as_ranks(values: list[float]) -> list[int]:
        return [UNSEEN if value == NEVER else int(value) for value in values]

    return RecallPairs(
        np.cumsum([0, *(len(x) for x, _ in topics)]),
        np.array([rank for x, _ in topics for rank in as_ranks(x)], np.int64),
        np.array([rank for _, y in topics for rank in as_ranks(y)], np.int64),
    )


def preferred(name: str, x: list[float], y: list[float]) -> float:
    (found,) = PREFERENCES[name][0](paired((x, y))).tolist()
    return float(found)


def test_the_names_that_are_offered() -> None:
    assert tuple(PREFERENCES) == KINDS


BY_HAND = {
    # the first is better at levels 1 and 3, worse at level 2
    "rpp": 1 / 3,
    # (1 - 1/2 + 1/3) / (1 + 1/2 + 1/3)
    "invrpp": 5 / 11,
    # log2 of 2, 3 and 4
    "dcgrpp": (1 - 1 / math.log2(3) + 1 / 2) / (1 + 1 / math.log2(3) + 1 / 2),
    "lexirecall": 1.0,
    "lexiprecision": 1.0,
    "rrlexiprecision": 1 / 1 - 1 / 2,
}


@pytest.mark.parametrize("name", KINDS)
def test_by_hand(name: str) -> None:
    x, y = [1.0, 5.0, 6.0], [2.0, 3.0, NEVER]
    assert preferred(name, x, y) == pytest.approx(BY_HAND[name])
    assert preferred(name, y, x) == pytest.approx(-BY_HAND[name])


def test_the_two_ends_of_a_ranking() -> None:
    # the last relevant document found decides recall, the first one precision
    x, y = [1.0, 9.0, NEVER], [2.0, 8.0, NEVER]
    assert preferred("lexirecall", x, y) == -1
    assert preferred("lexiprecision", x, y) == 1
    assert preferred("rpp", x, y) == 0
    # equal ends: what stands before, or behind, them decides
    assert preferred("lexirecall", [1.0, 3.0, 9.0], [1.0, 4.0, 9.0]) == 1
    assert preferred("lexiprecision", [1.0, 4.0, 9.0], [1.0, 3.0, 9.0]) == -1
    # whoever finds more has the higher recall, however late
    assert preferred("lexirecall", [90.0, 99.0], [1.0, NEVER]) == 1
    assert preferred("rrlexiprecision", [4.0], [NEVER]) == 0.25


def test_weights_that_cancel_out_are_a_tie() -> None:
    # 1 - 1/2 - 1/3 - 1/6: levels 1, 2, 3, 6; the others are equal
    x = [1.0, 4.0, 6.0, 7.0, 8.0, 12.0]
    y = [2.0, 3.0, 5.0, 7.0, 8.0, 11.0]
    assert preferred("invrpp", x, y) == 0.0


def brute(name: str, x: list[float], y: list[float]) -> float:
    """A preference level by level, exactly where it is rational."""
    better = [(b > a) - (b < a) for a, b in zip(x, y, strict=True)]
    if name.endswith("rpp"):
        weights: list[Any] = [
            {"rpp": Fraction(1), "invrpp": Fraction(1, i), "dcgrpp": 1 / math.log2(i + 1)}[name]
            for i in range(1, len(x) + 1)
        ]
        total = sum(w * b for w, b in zip(weights, better, strict=True))
        return float(total / sum(weights)) if x else 0.0
    levels = [i for i, sign in enumerate(better) if sign]
    if not levels:
        return 0.0
    level = max(levels) if name == "lexirecall" else min(levels)
    return 1 / x[level] - 1 / y[level] if name == "rrlexiprecision" else better[level]


@pytest.mark.parametrize("name", KINDS)
def test_by_brute_force(name: str) -> None:
    # all rankings of three documents, two of them relevant, cut anywhere or not at all
    ranks = [[*found, *[NEVER] * (2 - n)] for n in (0, 1, 2) for found in _rising(n)]
    topics = [([float(r) for r in x], [float(r) for r in y]) for x, y in product(ranks, ranks)]
    topics.append(([], []))
    found = PREFERENCES[name][0](paired(*topics))
    assert found.tolist() == pytest.approx([brute(name, x, y) for x, y in topics])


def _rising(count: int) -> list[tuple[int, ...]]:
    return list(combinations((1, 2, 3), count))


def test_no_topic_has_a_level() -> None:
    for prefer, _ in PREFERENCES.values():
        assert prefer(paired(([], []), ([], []))).tolist() == [0.0, 0.0]


Table = dict[str, dict[str, int]]


def experiment(seed: int, topics: int) -> tuple[Table, dict[str, Table]]:
    """Judgments and three runs, of which one lacks a topic."""
    drawn = random.Random(seed)
    documents = [f"d{n}" for n in range(12)]
    qrels = {
        f"t{t}": {d: drawn.choice([-1, 0, 0, 1, 2]) for d in documents[:9]} for t in range(topics)
    }
    runs = {
        name: {
            # equal scores are ordered by id, falling
            topic: {d: drawn.randrange(8) for d in drawn.sample(documents, drawn.randrange(1, 11))}
            for topic in qrels
        }
        for name in ("a", "b", "c")
    }
    del runs["b"]["t1"]
    return qrels, runs


def written(qrels: Table, runs: dict[str, Table]) -> None:
    lines = [f"{t} 0 {d} {g}\n" for t, docs in qrels.items() for d, g in docs.items()]
    Path("qrels").write_text("".join(lines), encoding="utf-8")
    for name, run in runs.items():
        lines = [f"{t} Q0 {d} 1 {s} tag\n" for t, docs in run.items() for d, s in docs.items()]
        Path(f"{name}.run").write_text("".join(lines), encoding="utf-8")


def ranks_of(qrels: Table, run: Table, topic: str, level: int) -> list[float]:
    """The ranks of the relevant documents of a topic, those not retrieved at infinity."""
    scores = run.get(topic, {})
    order = sorted(scores, key=lambda d: (scores[d], d), reverse=True)
    relevant = [d for d, grade in qrels[topic].items() if grade >= level]
    found = sorted(float(order.index(d) + 1) for d in relevant if d in order)
    return [*found, *[NEVER] * (len(relevant) - len(found))]


@pytest.mark.parametrize("level", [1, 2])
def test_runs_by_brute_force(level: int) -> None:
    qrels, runs = experiment(level, 12)
    written(qrels, runs)
    every = [word for name in KINDS for word in ("-m", name)]
    code, out, err = call("qrels", "c.run", "a.run", "b.run", *every, "-l", str(level))
    assert code == 0, err
    topics = sorted(qrels)
    by_topic = {(row["run"], row["other"], row["topic"]): row for row in out["tables"]["topics"]}
    assert len(by_topic) == 3 * len(topics)
    rows = iter(out["tables"]["pairs"])
    for name, (run, other) in product(KINDS, combinations(sorted(runs), 2)):
        expected = [
            brute(name, *(ranks_of(qrels, runs[each], t, level) for each in (run, other)))
            for t in topics
        ]
        assert [by_topic[run, other, t][name] for t in topics] == pytest.approx(expected)
        row = next(rows)
        assert (row["measure"], row["run"], row["other"]) == (name, run, other)
        assert row["preference"] == pytest.approx(math.fsum(expected) / len(topics))
        wins, losses = sum(e > 1e-9 for e in expected), sum(e < -1e-9 for e in expected)
        assert (row["wins"], row["losses"]) == (wins, losses)
        assert row["ties"] == len(topics) - wins - losses
        assert row["sign p"] == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)
        assert row["p"] == pytest.approx(by_all_signs(expected))
    assert next(rows, None) is None


def by_all_signs(values: list[float]) -> float:
    """The permutation test by listing every pattern of signs."""
    observed = abs(math.fsum(values))
    signs = np.array(list(product([1, -1], repeat=len(values))))
    return float(np.mean(np.abs(signs @ np.array(values)) >= observed - 1e-9))


def test_the_t_test_and_corrections() -> None:
    qrels, runs = experiment(7, 15)
    three = [runs[name] for name in sorted(runs)]
    found = preference(qrels, three, preferences=["rpp"], test="t", correction="bonferroni")
    pairs, topics = found.tables["pairs"], found.tables["topics"]
    assert pairs["run"].tolist() == ["run 1", "run 1", "run 2"]
    for _, row in pairs.iterrows():
        mine = topics[(topics["run"] == row["run"]) & (topics["other"] == row["other"])]["rpp"]
        assert row["p"] == pytest.approx(stats.ttest_1samp(mine, 0.0).pvalue)
        assert row["corrected p"] == pytest.approx(min(1.0, 3 * row["p"]))
        assert row["corrected sign p"] == pytest.approx(min(1.0, 3 * row["sign p"]))
    assert "resamples" not in found.parameters
    uncorrected = preference(qrels, three, preferences=["rpp"], test="t", correction="none")
    plain = uncorrected.tables["pairs"]
    assert plain.columns.tolist()[-2:] == ["sign p", "p"]
    assert plain["p"].tolist() == pairs["p"].tolist()


def test_the_sample_data() -> None:
    # as Diaz's pref_eval has it for the 11 topics with a relevant document, times 11 / 12
    code, out, err = call(QRELS, *RUNS, "-m", "rpp", "-m", "lexirecall", "-m", "rrlexiprecision")
    assert code == 0
    found = {(r["measure"], r["run"], r["other"]): r["preference"] for r in out["tables"]["pairs"]}
    expected = {
        ("rpp", "bm25", "dense"): -0.47000434542413544,
        ("rpp", "fusion", "rm3"): 0.6646918756738844,
        ("lexirecall", "fusion", "rm3"): 9 / 11,
        ("lexirecall", "bm25", "rm3"): -5 / 11,
        ("rrlexiprecision", "bm25", "dense"): 0.017424242424242425,
    }
    for key, value in expected.items():
        assert found[key] == pytest.approx(value * 11 / 12)
    assert "over 12 topics" in err
    assert "dense lacks 1 of 12 judged topics, which count as empty rankings: 20" in err
    assert "1 topic without relevant documents: a tie of all runs" in err
    assert "100000 permutations, seed 0" in err
    assert "n=12 topics, family of 6 pairs of runs for each preference, correction: holm" in err
    told = out["parameters"]
    assert told["preferences"] == ["rpp", "lexirecall", "rrlexiprecision"]
    assert "study:preference" in told["signature"]["short"]
    assert len(told["signature"]["runs"]) == 4
    assert all(told["signature"]["runs"].values())
    assert "missing_count_as_zero" not in told


def test_topics_without_relevant_documents_may_be_left_out() -> None:
    _, out, err = call(QRELS, *RUNS[:2], "-m", "rpp", "--no-rel", "skip")
    (row,) = out["tables"]["pairs"]
    assert row["preference"] == pytest.approx(-0.37309933195240536)
    assert "over 11 topics" in err
    assert "without relevant documents" not in err


def test_nothing_hangs_on_order_or_threads() -> None:
    one = call(QRELS, *RUNS, "--threads", "1")
    other = call(QRELS, *RUNS[::-1], "--threads", "3")
    assert one[1]["tables"] == other[1]["tables"]
    assert one[1]["parameters"] == other[1]["parameters"]


def test_topics_and_names() -> None:
    written(*experiment(3, 6))
    _, out, err = call("qrels", "a.run", "b.run", "--topics", "both")
    assert [row["topic"] for row in out["tables"]["topics"]] == ["t0", "t2", "t3", "t4", "t5"]
    assert "1 of 6 judged topics left out, because some runs lack them" in err
    assert "lacks" not in err
    code, _, err = call("qrels", "a.run", "b.run", "--names", "tag")
    # equal tags give way to the paths
    assert code == 0
    assert "b lacks 1 of 6" in err


def test_what_is_written() -> None:
    code, _, _ = call(QRELS, *RUNS[:2], "--output", "out")
    assert code == 0
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "pairs.csv", "pairs.svg", "parameters.json", "topics.csv",
    ]  # fmt: skip
    assert len(Path("out/topics.csv").read_text(encoding="utf-8").splitlines()) == 1 + 12


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([QRELS, RUNS[0]], "two runs or more"),
        ([QRELS, *RUNS[:2], "-m", "map"], "'map' is not one of"),
        ([QRELS, *RUNS[:2], "--ties", "average"], "one order of tied documents"),
        ([QRELS, *RUNS[:2], "-R", "qrels_jg"], "the judgments must be qrels or ntcir or triples"),
        ([QRELS, *RUNS[:2], "--topics", "run"], "--topics run"),
        ([QRELS, RUNS[0], RUNS[0]], "two runs are called"),
        ([QRELS, RUNS[0], "no.run"], "no.run"),
    ],
)
def test_what_is_refused(arguments: list[str], said: str) -> None:
    code, out, err = call(*arguments)
    assert code == 2
    assert said in err
    assert not out


def test_what_the_library_refuses() -> None:
    run = {"t": {"d": 1}}
    qrels = {"t": {"d": 1}}
    with pytest.raises(UsageError, match="preferences cannot be 'map'"):
        preference(qrels, [run, run], preferences=["map"])
    with pytest.raises(UsageError, match="give two or more"):
        preference(qrels, [run])
    with pytest.raises(UsageError, match="at least two topics"):
        preference(qrels, [run, run])
    with pytest.raises(UsageError, match="test cannot be 'sign'"):
        PreferenceOptions(test="sign")
    with pytest.raises(UsageError, match="correction cannot be 'sidak'"):
        PreferenceOptions(correction="sidak")
    with pytest.raises(UsageError, match="at least 1"):
        PreferenceOptions(resamples=0)


def test_ntcir_judgments_with_classes_of_documents() -> None:
    # a and b say the same: of them the first that is retrieved counts
    Path("qrels").write_text("1 a L1 c1\n1 b L1 c1\n1 d L2 c2\n2 a L1 c3\n", encoding="utf-8")
    Path("x").write_text("1 Q0 b 1 9 x\n1 Q0 a 2 8 x\n1 Q0 d 3 7 x\n2 Q0 a 1 1 x\n", "utf-8")
    Path("y").write_text("1 Q0 a 1 9 y\n1 Q0 d 2 8 y\n2 Q0 a 1 1 y\n", encoding="utf-8")
    code, out, err = call("qrels", "x", "y", "-R", "ntcir", "-m", "rpp", "-m", "lexiprecision")
    assert code == 0, err
    first, second = out["tables"]["topics"]
    # ranks 1 and 3 against 1 and 2
    assert (first["rpp"], first["lexiprecision"]) == (-0.5, -1.0)
    assert (second["rpp"], second["lexiprecision"]) == (0.0, 0.0)


def test_the_order_of_tied_documents_is_that_of_the_options() -> None:
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n", encoding="utf-8")
    Path("x").write_text("1 Q0 a 1 5 x\n1 Q0 b 2 5 x\n2 Q0 a 1 1 x\n", encoding="utf-8")
    Path("y").write_text("1 Q0 a 1 5 y\n1 Q0 b 2 4 y\n2 Q0 a 1 1 y\n", encoding="utf-8")
    # equal scores: b stands before a, unless the lines or the grades decide
    for ties, expected in ([], -1.0), (["--ties", "input"], 0.0), (["--ties", "optimistic"], 0.0):
        _, out, _ = call("qrels", "x", "y", "-m", "rpp", *ties)
        assert [row["rpp"] for row in out["tables"]["topics"]] == [expected, 0.0]
    # of two documents one is kept: a is no longer retrieved in x
    _, out, _ = call("qrels", "x", "y", "-m", "rrlexiprecision", "-M", "1")
    assert [row["rrlexiprecision"] for row in out["tables"]["topics"]] == [-1.0, 0.0]


def test_a_run_without_a_judged_topic_is_named() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}
    with pytest.raises(MismatchError, match=r"^run 2: .* no topic in common"):
        preference(qrels, [run, {"9": {"a": 1.0}}])


def test_the_figure_shows_each_pair_twice() -> None:
    pairs = [("a", "b", -0.5), ("a", "c", -1.0), ("b", "c", 0.25)]
    rows = [
        {"measure": measure, "run": one, "other": other, "preference": sign * value}
        for measure, sign in (("rpp", 1), ("lexirecall", -1))
        for one, other, value in pairs
    ]
    panels: list[Any] = preferred_runs_figure(pd.DataFrame(rows)).axes[:2]
    assert [panel.get_title() for panel in panels] == ["rpp", "lexirecall"]
    # by rpp the sums are -1.5, 0.75 and 0.75: b and c before a
    assert [tick.get_text() for tick in panels[0].get_yticklabels()] == ["b", "c", "a"]
    expected = np.array([[0, 0.25, 0.5], [-0.25, 0, 1.0], [-0.5, -1.0, 0]])
    assert np.asarray(panels[0].images[0].get_array()) == pytest.approx(expected)
    assert np.asarray(panels[1].images[0].get_array()) == pytest.approx(-expected)
