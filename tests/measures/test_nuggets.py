"""-R nuggets: answers of runs by the nuggets that they hold."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import irev
from irev.errors import InputError, IrevWarning, UsageError
from tests.command import irev as command
from tests.each import for_each
from tests.files import CASES

FOLDER = CASES / "answers"
QRELS = FOLDER / "all.jsonl"
NAMES = ("V_strict", "V", "A_strict", "A", "W_strict", "W")

with (FOLDER / "expected.csv").open(encoding="utf-8", newline="") as lines:
    EXPECTED = [row for row in csv.DictReader(lines) if row["id"].startswith("nug-")]


@pytest.mark.filterwarnings("ignore::irev.IrevWarning")
@for_each("source", ["name", "answers"])
@for_each("row", EXPECTED, ids=lambda row: row["id"])
def test_nuggetizer(row: dict[str, str], source: str) -> None:
    """Its values over topics and lines; by hand those over all topics, and the weighted ones."""
    _, run, part, name = row["id"].split("-")
    options: dict[str, Any] = {
        "lines": {},
        "skip": {"topics": "qrels", "no_relevant": "skip"},
    }.get(part, {"topics": "qrels"})
    given = run if source == "name" else FOLDER / f"answers_{run}.jsonl"
    scores = irev.evaluate(QRELS, given, name, qrels_format="nuggets", **options)
    value = scores[name, part] if part.startswith("q") else scores[name]
    assert value == pytest.approx(float(row["value"]), abs=1e-9)


def test_every_run_without_a_run() -> None:
    ran = command("-R", "nuggets", "-m", "V_strict", "--score-only", QRELS)
    assert ran.out == b"0.1111\n0.5833\n"
    assert "1 assignment failed: counted as not_support" in ran.err
    assert command("--strict", "-R", "nuggets", "-m", "V_strict", QRELS).code == 2


def plain(nuggets: list[dict[str, str]], of: str, partial: float, okay: float) -> float:
    """The definition, a nugget at a time."""
    weights = {"vital": 1.0, "okay": {"vital": 0.0, "all": 1.0, "weighted": okay}[of]}
    credit = {"support": 1.0, "partial_support": partial, "not_support": 0.0, "failed": 0.0}
    total = sum(weights[n["importance"]] for n in nuggets)
    held = sum(weights[n["importance"]] * credit[n["assignment"]] for n in nuggets)
    return held / total if total else 0.0


@pytest.mark.filterwarnings("ignore::irev.IrevWarning")
def test_the_definition_on_random_assignments(tmp_path: Path) -> None:
    draw = random.Random(5)
    texts = [f"nugget {number}, with blanks and ümlauts" for number in range(12)]
    importance = {
        topic: {text: draw.choice(["vital", "okay"]) for text in texts[: draw.randrange(13)]}
        for topic in ("7", "007", "a b")
    }
    labels = ["support", "partial_support", "not_support", "failed"]
    rows: list[dict[str, Any]] = [
        {"qid": topic, "run_id": run, "nuggets": [
            {"text": text, "importance": known, "assignment": draw.choice(labels)}
            for text, known in draw.sample(sorted(nuggets.items()), len(nuggets))]}
        for run in ("A", "B") for topic, nuggets in importance.items()
    ]  # fmt: skip
    path = tmp_path / "all.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for of in ("vital", "all", "weighted"):
        for partial, okay in ((0, 0.5), (0.5, 0.5), (0.3, 0.2), (1, 0)):
            name = f"NuggetRecall(of={of},partial={partial},okay={okay})"
            for run in ("A", "B"):
                scores = irev.evaluate(path, run, name, qrels_format="nuggets")
                for row in rows:
                    if row["run_id"] == run:
                        value = scores.by_topic(name)[row["qid"]]
                        assert 0 <= value <= 1
                        assert value == pytest.approx(plain(row["nuggets"], of, partial, okay))


def test_order_of_lines_and_nuggets_does_not_matter(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in QRELS.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["nuggets"].reverse()
    path = tmp_path / "all.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in reversed(rows)))
    call = ("-R", "nuggets", "-q", "-c", *(f"-m{name}" for name in NAMES))
    assert command(*call, path).out == command(*call, QRELS).out


def test_jobs_take_answers() -> None:
    answers = [FOLDER / f"answers_{run}.jsonl" for run in "AB"]
    for job, runs in (("compare", answers), ("compare", ["A", "B"]), ("leaderboard", answers)):
        ran = command(job, "-R", "nuggets", "-m", "V_strict", "--format", "json", QRELS, *runs)
        assert ran.code == 0, ran.err
        assert b"0.388888" in ran.out
        assert b"0.111111" in ran.out
    ran = command("gate", "-R", "nuggets", "--min", "V_strict=0.4", QRELS, answers[0])
    assert (ran.code, ran.out.startswith(b"FAILED")) == (1, True)
    ran = command("gate", "-R", "nuggets", "--min", "V_strict=0.3", QRELS, answers[1])
    assert ran.code == 0
    assert "1 answer has no assignments and counts as missing: q2" in ran.err
    ran = command("explain", "-R", "nuggets", "-m", "V", "-t", "q1", QRELS, "A")
    assert b"V of topic q1: 0.5000" in ran.out


def test_judgments_in_memory() -> None:
    rows = [json.loads(line) for line in QRELS.read_text(encoding="utf-8").splitlines()]
    in_memory = irev.evaluate(rows, "A", "V", qrels_format="nuggets")
    assert in_memory["V"] == irev.evaluate(QRELS, "A", "V", qrels_format="nuggets")["V"]
    rows[1]["nuggets"][0]["assignment"] = "supported"
    with pytest.raises(InputError, match="judgments in memory:2: 'supported' is no assignment"):
        irev.evaluate(rows, "A", "V", qrels_format="nuggets")


def test_jobs_score_all_runs_where_none_is_named() -> None:
    for job in ("compare", "leaderboard"):
        call = (job, "-R", "nuggets", "-m", "V_strict", "--format", "json", QRELS)
        assert command(*call).out == command(*call, "A", "B").out
    ran = command("leaderboard", "-R", "nuggets", "-m", "V_strict", QRELS, "C")
    assert (ran.code, ran.out) == (2, b"")
    assert "not scored: C" in ran.err
    ran = command("-R", "nuggets", "-m", "V", "-", stdin=QRELS.read_bytes())
    assert "judgments on standard input (-) are read once: name the runs" in ran.err


def test_agreement_is_on_labels(tmp_path: Path) -> None:
    """13 nuggets of answers of both: 12 with the same label; the failed one has none."""
    other = tmp_path / "other.jsonl"
    other.write_text(QRELS.read_text(encoding="utf-8").replace("not_support", "partial_support", 1))
    table = irev.studies.agreement(QRELS, other, qrels_format="nuggets").tables["summary"]
    assert table["judged by both"].item() == 15
    assert table["agreement"].item() == pytest.approx(14 / 15)


def test_signatures_have_the_hash_of_the_assignments(tmp_path: Path) -> None:
    scores = irev.evaluate(QRELS, "B", "V", qrels_format="nuggets", sign=True)
    assert scores.signature is not None
    assert scores.run_id == b"B"
    other = tmp_path / "other.jsonl"
    other.write_text(QRELS.read_text(encoding="utf-8").replace("partial_support", "support"))
    again = irev.evaluate(other, "B", "V", qrels_format="nuggets", sign=True)
    assert again.signature is not None
    assert scores.signature.qrels != again.signature.qrels
    assert scores.signature.qrels is not None


def _with(change: Callable[[list[Any]], Any]) -> str:
    """The assignments, changed."""
    rows = [json.loads(line) for line in QRELS.read_text(encoding="utf-8").splitlines()]
    change(rows)
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


BAD: dict[str, tuple[Callable[[list[Any]], Any], str]] = {
    "no JSON": (lambda rows: rows.insert(1, "q1 0 d1 1"), "x:2: this line is no JSON object"),
    "a list": (lambda rows: rows.insert(1, "[1]"), "x:2: this line is no JSON object"),
    "no qid": (lambda rows: rows[1].pop("qid"), "x:2: 'qid' is missing"),
    "no nuggets": (
        lambda rows: rows[1].pop("nuggets"), "x:2: 'nuggets' of topic 'q2' is missing, or no list"),
    "no text": (lambda rows: rows[0]["nuggets"][2].pop("text"), "'text' of a nugget is missing"),
    "no importance": (lambda rows: rows[0]["nuggets"][2].pop("importance"),
                      "x:1: 'importance' of the nugget 'n3' is missing"),
    "no assignment": (lambda rows: rows[0]["nuggets"][2].pop("assignment"),
                      "x:1: 'assignment' of the nugget 'n3' is missing"),
    "no assignments": (lambda rows: [n.pop("assignment") for n in rows[1]["nuggets"]],
                       "x:2: topic 'q2': the file of nuggets without assignments is no judgment"),
    "importance": (lambda rows: rows[0]["nuggets"][0].update(importance="Vital"),
                   "x:1: 'Vital' is no importance; there are okay, vital, failed; did you"),
    "label": (lambda rows: rows[0]["nuggets"][0].update(assignment="Support"),
              "'Support' is no assignment; there are support, partial_support, not_support, "
              "failed; did you mean 'support'?"),
    "topic twice": (lambda rows: rows.append(rows[0]), "x:6: topic 'q1' of run 'A' has two lines"),
    "nugget twice": (lambda rows: rows[0]["nuggets"].append(rows[0]["nuggets"][0]),
                     "x:4: topic 'q1' has other nuggets"),
    "other nuggets": (lambda rows: rows[3]["nuggets"].pop(),
                      "x:4: topic 'q1' has other nuggets, or another importance, than on line 1"),
    "other importance": (lambda rows: rows[3]["nuggets"][0].update(importance="okay"),
                         "x:4: topic 'q1' has other nuggets, or another importance, than on line"),
    "scores": (lambda rows: rows.append({"qid": "q1", "strict_vital_score": 0.5}),
               "x:6: these are scores, not judgments\n  hint: irev compare FILE..."),
    "summary": (lambda rows: rows.append({"qid": "all", "nuggets": []}),
                "x:6: these are scores, not judgments"),
    "empty": (lambda rows: rows.clear(), "x: there are no lines of data"),
}  # fmt: skip


@for_each("case", BAD)
def test_a_bad_file(case: str, tmp_path: Path) -> None:
    change, message = BAD[case]
    (tmp_path / "x").write_text(_with(change))
    ran = command("-R", "nuggets", "-m", "V", "x", "A", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"topic_id": "q1", "run_id": "C"}\n', "no answer of run 'C' is judged; the runs of"),
        ('{"run_id": "A"}\n', "answers:1: 'qid' is missing"),
        ('{"qid": "q1", "run_id": "A"}\n{"qid": "q1", "run_id": "A"}', "answers:2: topic 'q1' has"),
        ('{"qid": "q1", "run_id": "A"}\n{"qid": "q2", "run_id": "B"}', "answers of several runs"),
        ("q1 Q0 d1 1 1 r\n", "answers:1: this line is no JSON object"),
    ],
)
def test_bad_answers(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "answers").write_text(text)
    ran = command("-R", "nuggets", "-m", "V", QRELS, "answers", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err


def test_a_file_without_runs_is_called_as_the_file(tmp_path: Path) -> None:
    text = _with(lambda rows: [rows.pop(), rows.pop(), *(row.pop("run_id") for row in rows)])
    (tmp_path / "mine.jsonl").write_text(text)
    ran = command("-R", "nuggets", "-m", "V_strict", "mine.jsonl", "mine", cwd=tmp_path)
    assert ran.out == b"V_strict              \tall\t0.1111\n"


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="there is no file and no judged run of this name"):
        irev.evaluate(QRELS, "C", "V", qrels_format="nuggets")
    with pytest.raises(UsageError, match="map needs judgments of the format qrels"):
        irev.evaluate(QRELS, "A", "map", qrels_format="nuggets")
    with pytest.raises(UsageError, match=r"NuggetRecall needs judgments of the format nuggets"):
        irev.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "V")
    with pytest.raises(UsageError, match="is of rankings"):
        irev.evaluate(QRELS, "A", "V", qrels_format="nuggets", max_retrieved=3)
    with pytest.raises(UsageError, match="is of rankings"):
        irev.evaluate(QRELS, "A", "V", qrels_format="nuggets", exclude="own")
    with pytest.raises(UsageError, match="give the path of a file, or a list of the objects"):
        irev.evaluate({"q": {"d": 1}}, "A", "V", qrels_format="nuggets")


MODELS_OWN = [
    ("q1", [("vital", "support"), ("failed", "not_support"), ("okay", "support")]),
    ("q2", [("vital", "avoid_not_test"), ("okay", "partial_support"), ("central", "support")]),
    ("q3", [("vital", "support"), ("vital", "failed"), ("failed", "partial_support")]),
]
"""What models answered: importance and assignment of the nuggets of each topic."""


def scores_of_nuggetizer(nuggets: list[tuple[str, str]]) -> dict[str, float]:
    """As nuggetizer computes them: vital ones, and all whatever their importance is."""
    credit = {"support": 1.0, "partial_support": 0.5}
    scores = {}
    vital = [each for each in nuggets if each[0] == "vital"]
    for name, some in (("V", vital), ("A", nuggets)):
        scores[name] = sum(credit.get(label, 0) for _, label in some) / len(some)
        scores[f"{name}_strict"] = sum(label == "support" for _, label in some) / len(some)
    return scores


def test_what_models_made_up_counts_as_in_nuggetizer() -> None:
    objects = [
        {
            "qid": topic,
            "run_id": "A",
            "nuggets": [
                # a nugget that stands there twice is two
                {"text": f"n{min(n, 1)}", "importance": importance, "assignment": label}
                for n, (importance, label) in enumerate(nuggets)
            ],
        }
        for topic, nuggets in MODELS_OWN
    ]
    measures = ("V", "V_strict", "A", "A_strict")
    with pytest.warns(IrevWarning) as told:
        scores = irev.evaluate(
            objects, "A", measures, qrels_format="nuggets", unknown_labels="not_support"
        )
    for topic, nuggets in MODELS_OWN:
        found = {measure: scores.by_topic(measure)[topic] for measure in measures}
        assert found == pytest.approx(scores_of_nuggetizer(nuggets))
    text = "".join(str(each.message) for each in told)
    for part in (
        "1 assignment failed",
        "2 unknown labels counted as not_support, or as failed importance: 'avoid_not_test', 'cen",
        "3 nuggets of failed importance: counted among all nuggets alone",
        "3 nuggets repeat others of their topics, and count too: q1, q2, q3",
    ):
        assert part in text
    with pytest.raises(
        InputError, match=r'is no assignment.*\n  hint: unknown_labels="not_support"'
    ):
        irev.evaluate(objects, "A", measures, qrels_format="nuggets")
