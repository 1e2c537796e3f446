"""`irev study agreement`: two sets of judgments against each other."""

from __future__ import annotations

import json
import math
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from irev import evaluate
from irev.cli.commands import irev
from irev.errors import IrevWarning, MismatchError
from irev.jobs.studies.agreement import agreement, judged_twice_by_topic
from irev.options import Options
from irev.statistics.correlation import second_judge_favour_by_run
from tests.files import SAMPLE

QRELS = str(SAMPLE / "qrels.txt")
RUNS = [str(SAMPLE / name) for name in ("bm25.run", "rm3.run", "dense.run.gz", "fusion.run")]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def judged(table: dict[tuple[int, int], int]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two judges of one topic who gave these two grades to so many documents."""
    pairs = [grades for grades, count in table.items() for _ in range(count)]
    return (
        {"t": {f"d{n}": one for n, (one, _) in enumerate(pairs)}},
        {"t": {f"d{n}": other for n, (_, other) in enumerate(pairs)}},
    )


def call(*arguments: str) -> tuple[int, Any, str]:
    words = ["study", "agreement", *arguments, "--format", "json"]
    outcome = CliRunner().invoke(irev, words)
    out = json.loads(outcome.stdout) if outcome.exit_code == 0 else outcome.stdout
    return outcome.exit_code, out, outcome.stderr


def test_kappa_by_hand() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: 0.7 observed, 0.5 expected
    record = agreement(*judged({(1, 1): 20, (1, 0): 5, (0, 1): 10, (0, 0): 15}))
    (row,) = record.tables["summary"].to_dict("records")
    assert (row["topics"], row["judged by both"]) == (1, 50)
    assert row["agreement"] == pytest.approx(0.7)
    assert row["kappa"] == pytest.approx(0.4)
    # of two grades all weights are the same
    assert row["kappa linear"] == row["kappa quadratic"] == pytest.approx(0.4)
    # nominal: 55 of 100 grades are yes, so 1 - (30/100) / (2*55*45/(100*99))
    assert row["alpha nominal"] == pytest.approx(1 - 0.3 / (2 * 55 * 45 / 9900))
    assert row["overlap"] == pytest.approx(20 / 35)


def alpha_by_pairs(grades: list[tuple[int, int]], *, ordinal: bool) -> float:
    """Krippendorff's alpha by its definition, from all pairs of values."""
    values = [value for pair in grades for value in pair]

    def cost(a: int, b: int) -> float:
        if not ordinal:
            return float(a != b)
        low, high = sorted((a, b))
        between = sum(low <= value <= high for value in values)
        ends = (values.count(low) + values.count(high)) / 2
        return (between - ends) ** 2 if a != b else 0.0

    observed = sum(cost(a, b) for a, b in grades) / len(grades)
    expected = sum(cost(a, b) for a, b in combinations(values, 2)) / math.comb(len(values), 2)
    return 1 - observed / expected


def test_how_each_grade_differs_by_hand() -> None:
    record = agreement(*judged({(0, 0): 3, (0, 2): 1, (1, 0): 1, (1, 1): 1, (2, 2): 4}))
    rows = record.tables["grades"].to_dict("records")
    assert [(row["first"], row["documents"]) for row in rows] == [
        ("0", 4), ("1", 2), ("2", 4), ("all", 10),
    ]  # fmt: skip
    shares = [(row["lower"], row["equal"], row["higher"], row["difference"]) for row in rows]
    assert shares[0] == pytest.approx((0, 0.75, 0.25, 0.5))
    assert shares[1] == pytest.approx((0.5, 0.5, 0, -0.5))
    assert shares[2] == pytest.approx((0, 1, 0, 0))
    assert shares[3] == pytest.approx((0.1, 0.8, 0.1, 0.1))


def test_a_judge_who_is_too_kind_to_all_runs_alike_favours_none() -> None:
    first = np.array([[0.1, 0.2, 0.3], [0.7, 0.5, 0.9], [0.2, 0.2, 0.4]])
    kind = second_judge_favour_by_run(first, first + np.array([[0.1], [0.2], [0.05]]))
    assert kind.error == pytest.approx([0.35 / 3] * 3)
    assert kind.favour.tolist() == [0, 0, 0]
    assert kind.corrected.tolist() == [1, 1, 1]


def test_weighted_kappa_and_alpha_by_their_definitions() -> None:
    table = {
        (0, 0): 11,
        (0, 1): 3,
        (0, 2): 1,
        (1, 0): 2,
        (1, 1): 6,
        (1, 2): 4,
        (2, 1): 2,
        (2, 2): 5,
    }
    pairs = [grades for grades, count in table.items() for _ in range(count)]
    (row,) = agreement(*judged(table)).tables["summary"].to_dict("records")
    for name, power in (("kappa linear", 1), ("kappa quadratic", 2)):
        observed = sum(abs(a - b) ** power for a, b in pairs) / len(pairs)
        every = product([a for a, _ in pairs], [b for _, b in pairs])
        expected = sum(abs(a - b) ** power for a, b in every) / len(pairs) ** 2
        assert row[name] == pytest.approx(1 - observed / expected)
    for name, ordinal in (("alpha nominal", False), ("alpha ordinal", True)):
        assert row[name] == pytest.approx(alpha_by_pairs(pairs, ordinal=ordinal))


def test_only_documents_that_both_judge_count() -> None:
    first = {"t": {"a": 1, "b": 0, "c": -1, "d": 2}, "u": {"a": 1}}
    second = {"t": {"a": 1, "b": 1, "c": 1, "e": 0}, "v": {"a": 1}}
    found, _ = judged_twice_by_topic(first, second, Options(), "qrels")
    assert list(found) == [b"t"]
    pairs = found[b"t"]
    assert (pairs.first.tolist(), pairs.second.tolist()) == ([1, 0], [1, 1])
    # c was pooled, not judged, in the first
    assert (pairs.only_first, pairs.only_second) == (1, 2)
    with pytest.raises(MismatchError, match="no topic in common"):
        judged_twice_by_topic({"u": {"a": 1}}, {"v": {"a": 1}}, Options(), "qrels")
    with pytest.raises(MismatchError, match="no document"):
        agreement({"u": {"a": 1}}, {"u": {"b": 1}})


def test_perfect_agreement() -> None:
    first, _ = judged({(0, 0): 5, (1, 1): 3, (2, 2): 2})
    (row,) = agreement(first, first).tables["summary"].to_dict("records")
    for name in ("agreement", "kappa", "kappa linear", "alpha nominal", "alpha ordinal", "overlap"):
        assert row[name] == pytest.approx(1)
    # one and the same grade for all: nothing can be said of chance
    (alone,) = agreement({"t": {"a": 1}}, {"t": {"a": 1}}).tables["summary"].to_dict("records")
    assert math.isnan(alone["kappa"])
    assert alone["agreement"] == 1


def test_figures_show_the_tables() -> None:
    record = agreement(*judged({(0, 0): 12, (0, 1): 4, (1, 0): 1, (1, 1): 7, (2, 1): 2}))
    axes, bar = record.figures["confusion"]().axes
    (image,) = axes.images
    shares = [[0.75, 0.25, 0], [1 / 8, 7 / 8, 0], [0, 1, 0]]
    assert np.asarray(image.get_array()) == pytest.approx(np.array(shares))
    assert image.get_clim() == (0, 1)
    counts = [text.get_text() for text in axes.texts]
    assert counts == ["12", "4", "0", "1", "7", "0", "0", "2", "0"]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["0", "1", "2"]
    assert "first" in axes.get_ylabel()
    assert "second" in axes.get_xlabel()
    assert "share" in bar.get_ylabel()
    (by_topic,) = record.figures["agreement"]().axes
    table = record.tables["agreement"]
    drawn = {str(line.get_label()): np.asarray(line.get_ydata()) for line in by_topic.lines[1:]}
    assert drawn["kappa"] == pytest.approx(table["kappa"].to_numpy())
    assert drawn["equal grades"] == pytest.approx(table["agreement"].to_numpy())
    assert [text.get_text() for text in by_topic.get_xticklabels()] == ["t"]


def other_judgments() -> str:
    """The sample's judgments, every third turned round, and topic 3 left out."""
    lines = []
    for number, line in enumerate(Path(QRELS).read_text(encoding="utf-8").splitlines()):
        topic, zero, document, grade = line.split()
        if topic != "3":
            turned = grade if number % 3 or grade == "-1" else ("0" if int(grade) > 0 else "2")
            lines.append(f"{topic} {zero} {document} {turned}\n")
    Path("other.qrels").write_text("".join(lines), encoding="utf-8")
    return "other.qrels"


def test_a_topic_that_one_lacks_is_named() -> None:
    other = other_judgments()
    _, out, _ = call(QRELS, other)
    said = "other.qrels lacks 1 topic of the other judgments, which is left out: 3"
    assert said in out["notes"]
    _, out, _ = call(QRELS, QRELS)
    assert not any("lack" in each for each in out["notes"])
    found = agreement({"a": {"d": 1}, "b": {"d": 1}}, {"b": {"d": 1}, "c": {"d": 0}})
    notes = " ".join(found.notes)
    assert "the first judgments lack 1 topic of the other judgments, which is left out: c" in notes
    assert "the second judgments lack 1 topic of the other judgments, which is left out: a" in notes


def test_saved_scores_are_no_judgments_and_do_not_change_with_them() -> None:
    lines = [f"{run} score t{topic} 0.{topic}5" for run in "ab" for topic in range(3)]
    text = "\n".join(["run measure topic value", *lines, ""])
    Path("scores.txt").write_text(text, encoding="utf-8")
    code, _, err = call("scores.txt", "scores.txt")
    assert code == 2
    assert "scores.txt: this looks like saved scores, not judgments" in err
    judged = "".join(f"t{topic} 0 d 1\n" for topic in range(3))
    Path("judged.txt").write_text(judged, encoding="utf-8")
    Path("more.txt").write_text(text.replace("score", "points"), encoding="utf-8")
    code, _, err = call("judged.txt", "judged.txt", "scores.txt", "more.txt", "-m", "score")
    assert code == 2
    assert "saved scores are the same under all judgments" in err


@pytest.mark.thorough
def test_conclusions_about_runs() -> None:
    other = other_judgments()
    words = ["-m", "map", "--test", "t", "--correction", "none", "--output", "out"]
    code, out, err = call(QRELS, other, *RUNS, *words)
    assert code == 0
    assert "1 topic is left out, because not all judgments have them" in err
    assert "4 runs by their means over 11 topics" in err
    table = []
    for qrels in (QRELS, other):
        columns = []
        for run in sorted(RUNS, key=lambda path: Path(path).name):
            scores = evaluate(qrels, run, ["map"], topics="qrels")
            values = dict(zip(scores.topics, scores.values[:, 0].tolist(), strict=True))
            columns.append([v for topic, v in sorted(values.items()) if topic != b"3"])
        table.append(np.array(columns).T)
    (row,) = out["tables"]["runs"]
    means = [matrix.mean(axis=0) for matrix in table]
    assert row["tau_b"] == pytest.approx(stats.kendalltau(*means).statistic)
    assert row["rms"] == pytest.approx(math.sqrt(np.mean((means[0] - means[1]) ** 2)))
    changes = out["tables"]["changes"]
    assert len(changes) == 6
    for change, (i, j) in zip(changes, combinations(range(4), 2), strict=True):
        for matrix, apart, p in zip(
            table, ("difference", "new difference"), ("p", "new p"), strict=True
        ):
            assert change[apart] == pytest.approx((matrix[:, i] - matrix[:, j]).mean())
            assert change[p] == pytest.approx(stats.ttest_rel(matrix[:, i], matrix[:, j]).pvalue)
    kinds = [change["conclusions"] for change in changes]
    assert row["AA"] == kinds.count("active agreement")
    assert row["neither"] == kinds.count("neither")
    assert sum(row[kind] for kind in ("AA", "AD", "PA", "PD", "neither")) == 6
    assert len(out["parameters"]["other runs"]) == 4
    error = table[1] - table[0]
    favour = error - error.mean(axis=1)[:, None]
    favours = sorted(out["tables"]["favour"], key=lambda row: row["run"])
    for number, row in enumerate(favours):
        assert row["error"] == pytest.approx(error[:, number].mean())
        assert row["favour"] == pytest.approx(favour[:, number].mean())
        assert row["p"] == pytest.approx(stats.ttest_1samp(favour[:, number], 0).pvalue)
        low, high = stats.ttest_1samp(favour[:, number], 0).confidence_interval()
        assert (row["low"], row["high"]) == pytest.approx((low, high))
    ranked = sorted(row["p"] for row in favours)
    steps = np.maximum.accumulate([min(1.0, (4 - k) * p) for k, p in enumerate(ranked)])
    assert sorted(row["holm"] for row in favours) == pytest.approx(steps.tolist())
    shown = [row["favour"] for row in out["tables"]["favour"]]
    assert shown == sorted(shown, reverse=True)
    expected = {
        "summary", "grades", "confusion", "agreement", "runs", "favour", "changes", "scatter",
    }  # fmt: skip
    written = {path.name for path in Path("out").iterdir()}
    assert written == {
        *(f"{name}.csv" for name in expected), "parameters.json",
        *(f"{name}.svg" for name in ("confusion", "agreement", "scatter")),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([QRELS], "two qrels files"),
        ([QRELS, QRELS, RUNS[0]], "or several"),
        (["-", QRELS], "standard input"),
        ([QRELS, "absent"], "absent"),
        ([QRELS, RUNS[0]], "bm25.run"),
        ([QRELS, QRELS, "-R", "prefs"], "the judgments must be"),
        ([QRELS, QRELS, *RUNS, "--alpha", "x"], "not a number"),
    ],
)
def test_what_makes_no_sense_is_refused(words: list[str], said: str) -> None:
    code, out, err = call(*words)
    outcome = CliRunner().invoke(irev, ["study", "agreement", *words])
    assert code != 0
    assert out == ""
    assert said in f"{err}{outcome.exception}"


def test_highest_grades_that_differ() -> None:
    """They are of all documents, not only of those that both judge."""
    first, second = {"t": {"a": 1, "b": 0, "c": 3}}, {"t": {"a": 1, "b": 1, "d": 4}}
    message = "the highest grade is 3 in the first judgments and 4 in the second"
    with pytest.warns(IrevWarning, match=message):
        agreement(first, second)
    assert not agreement(first, first).doubts
    assert message not in str(agreement(first, second, defaults=[("max", 4)]).warnings)


def write_judges() -> None:
    """Grades of 8 documents of 4 topics by people and two models, of which one lacks some."""
    for name, a, b, lacking in (
        ("people", 3, 1, ()),
        ("llm1", 3, 3, ()),
        ("llm2", 1, 1, ("t2", ("t1", 3), ("t4", 7))),
    ):
        lines = [
            f"t{t} 0 d{d} {(a * d + b * t + d * t) % 4}\n"
            for t in range(1, 5)
            for d in range(8)
            if f"t{t}" not in lacking and (f"t{t}", d) not in lacking
        ]
        Path(name).write_text("".join(lines), encoding="utf-8")


def test_several_judges_against_the_first() -> None:
    """What llm2 lacks has grade 0: linear kappa, ordinal alpha and Jaccard of autojudge-evaluate.

    1.1.0, `grade_agreement` with on_missing="default" and the grades 0 to 3; of llm1 its kappa is
    NaN where a grade of its own list of labels is missing, which is left out here.
    """
    write_judges()
    code, out, _ = call("people", "llm1", "llm2", "--missing", "zero")
    assert code == 0
    rows = {(row["judge"], row["topic"]): row for row in out["tables"]["agreement"]}
    for judge, topic, *expected in (
        ("llm1", "t2", 1, 1, 1), ("llm1", "t3", -1, -0.875, 1),
        ("llm2", "t1", 0, -0.014423, 0.875), ("llm2", "t2", 0, -0.464844, 0),
        ("llm2", "t3", 0, -0.25, 1), ("llm2", "t4", 0.3, 0.442807, 5 / 6),
    ):  # fmt: skip
        row = rows[judge, topic]
        found = [row[name] for name in ("kappa linear", "alpha ordinal", "overlap")]
        assert found == pytest.approx(expected, abs=1e-6)
    told = ("judge", "topics", "judged by both", "lacks", "done")
    judges = [tuple(row[name] for name in told) for row in out["tables"]["judges"]]
    lacks = "1 topic: t2; 2 documents"
    assert judges == [("llm1", 4, 32, "", ""), ("llm2", 4, 22, lacks, "counted as 0")]
    code, out, _ = call("people", "llm1", "llm2")
    judges = [tuple(row[name] for name in told) for row in out["tables"]["judges"]]
    assert judges == [("llm1", 4, 32, "", ""), ("llm2", 3, 22, lacks, "left out")]
    # each as it is alone
    for name in ("llm1", "llm2"):
        (alone,) = call("people", name)[1]["tables"]["summary"]
        (row,) = [row for row in out["tables"]["summary"] if row["judge"] == name]
        assert {key: row[key] for key in alone if key != "signature"} == {
            key: value for key, value in alone.items() if key != "signature"
        }
    code, _, err = call("people", "llm1", "llm2", "--missing", "error")
    assert code == 2
    assert f"llm2 lacks {lacks}; --missing shared leaves out" in err
    with pytest.raises(MismatchError, match="the second judgments lack 1 topic: u"):
        agreement({"t": {"d": 1}, "u": {"d": 1}}, {"t": {"d": 1}}, missing="error")


def test_runs_under_several_judges() -> None:
    write_judges()
    for number in range(4):
        ranked = [(t, d, (d * (number + 2) + t) % 9) for t in range(1, 5) for d in range(8)]
        lines = [f"t{t} Q0 d{d} 1 {score} r\n" for t, d, score in ranked]
        Path(f"run{number}").write_text("".join(lines), encoding="utf-8")
    runs = [f"run{number}" for number in range(4)]
    for missing, num_topics in (("shared", 3), ("zero", 4)):
        words = ("-m", "nDCG@5", "--tau-at", "3", "--missing", missing)
        code, out, _ = call("people", "llm1", "llm2", *runs, *words)
        assert code == 0
        row = {row["judge"]: row for row in out["tables"]["judges"]}["llm2"]
        topics = {"t1", "t2", "t3", "t4"} if missing == "zero" else {"t1", "t3", "t4"}
        means = []
        for judge in ("people", "llm2"):
            scores = [evaluate(judge, run, "nDCG@5").by_topic("nDCG@5") for run in runs]
            means.append([sum(s.get(t, 0.0) for t in topics) / num_topics for s in scores])
        assert row["tau_b"] == pytest.approx(stats.kendalltau(*means).statistic)
        best = sorted(range(4), key=lambda at: -means[0][at])[:3]
        of_best = stats.kendalltau(*([side[at] for at in best] for side in means)).statistic
        assert row["tau@3"] == pytest.approx(of_best)
    # in Python as a list or by name; a run alone is none
    result = agreement("people", {"a": "llm1", "b": "llm2"}, runs, "nDCG@5")
    assert result.tables["judges"]["judge"].tolist() == ["a", "b"]
    code, _, err = call("people", "llm1", "run0")
    assert (code, "give two qrels files or more, and no runs or several" in err) == (2, True)
