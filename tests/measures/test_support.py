"""-R support: answers by whether their citations support what they say."""

from __future__ import annotations

import csv
import json
import random
import re
from typing import TYPE_CHECKING, Any

import pytest

import irev
from irev.errors import InputError, UsageError
from tests.command import irev as command
from tests.each import for_each
from tests.files import CASES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FOLDER = CASES / "answers"
QRELS = FOLDER / "support_A.jsonl"

with (FOLDER / "expected.csv").open(encoding="utf-8", newline="") as lines:
    EXPECTED = [row for row in csv.DictReader(lines) if row["id"].startswith("sup-")]

Sentences = list[list[int]]
"""The labels of an answer, by sentence and citation."""


@pytest.mark.filterwarnings("ignore::irev.IrevWarning")
@for_each("row", EXPECTED, ids=lambda row: row["id"])
def test_expected(row: dict[str, str]) -> None:
    """The example of the paper of TREC 2024, labels of a public program's test, by hand."""
    options = ",".join(re.findall(r"(?:cite|partial)=\w+", row["parameters"]))
    name = f"{row['measure']}({options})"
    topic = row["id"].split("-")[1]
    scores = irev.evaluate(QRELS, "A", name, qrels_format="support")
    value = scores[name] if topic == "all" else scores[name, topic]
    assert value == pytest.approx(float(row["value"]), abs=1e-9)


def plain_precision(answer: Sentences, cite: str, partial: float) -> float:
    """The definition, a citation at a time."""
    weight = {2: 1.0, 1: partial, 0: 0.0}
    if cite == "pool":
        values = [weight[label] for sentence in answer for label in sentence if label >= 0]
    else:
        values = plain_sentences(answer, cite, partial)
    return sum(values) / len(values) if values else 0.0


def plain_recall(answer: Sentences, cite: str, partial: float) -> float:
    values = plain_sentences(answer, cite, partial)
    count = len(values) + sum(not sentence for sentence in answer)
    return sum(values) / count if count else 0.0


def plain_sentences(answer: Sentences, cite: str, partial: float) -> list[float]:
    """The value of each sentence with a citation that counts and has a label."""
    weight = {2: 1.0, 1: partial, 0: 0.0}
    values = []
    for sentence in answer:
        counted = sentence[:1] if cite == "first" else sentence
        weights = [weight[label] for label in counted if label >= 0]
        if weights:
            values.append(max(weights) if cite == "best" else sum(weights) / len(weights))
    return values


def lines_of(answers: dict[tuple[str, str], Sentences]) -> list[dict[str, Any]]:
    return [
        {"request_id": topic, "runtag": run, "sentences": [
            {"text": "x", "citations": [{"support": label} for label in labels]}
            for labels in sentences]}
        for (run, topic), sentences in answers.items()
    ]  # fmt: skip


@pytest.mark.filterwarnings("ignore::irev.IrevWarning")
def test_the_definition_on_random_labels() -> None:
    draw = random.Random(3)
    answers = {
        (run, topic): [
            [draw.choice([2, 1, 0, -1]) for _ in range(draw.randrange(4))]
            for _ in range(draw.randrange(13))
        ]
        for run in ("A", "B b") for topic in ("7", "007", "a b", "zz")
    }  # fmt: skip
    rows = lines_of(answers)
    draw.shuffle(rows)
    for measure, plain, rules in (
        ("SupP", plain_precision, ("first", "mean", "pool")),
        ("SupR", plain_recall, ("first", "mean", "best")),
    ):
        for cite in rules:
            for partial in (0, 0.5, 0.3, 1):
                name = f"{measure}(cite={cite},partial={partial})"
                for run in ("A", "B b"):
                    values = irev.evaluate(rows, run, name, qrels_format="support").by_topic(name)
                    for topic, value in values.items():
                        expected = plain(answers[run, topic], cite, partial)
                        assert 0 <= value <= 1
                        assert value == pytest.approx(expected, abs=1e-12)


def test_what_a_reader_is_told() -> None:
    ran = command("-R", "support", "-m", "weighted_precision", "-m", "SupR(cite=best)", QRELS)
    assert ran.out == b"weighted_precision    \tall\t0.3500\nSupR(cite=best)       \tall\t0.3250\n"
    assert "12 of 13 citations were judged: the others are left out" in ran.err
    assert "2 answers without a judged citation count 0" in ran.err
    assert command("--strict", "-R", "support", "-m", "SupP", QRELS).code == 0


@pytest.fixture(name="judged_by_two")
def fixture_judged_by_two(tmp_path: Path) -> tuple[Path, Path]:
    """People's labels of 12 topics, and a model's of these and 18 more, of three runs."""
    draw = random.Random(11)
    people: dict[tuple[str, str], Sentences] = {}
    model: dict[tuple[str, str], Sentences] = {}
    topics = [f"t{number}" for number in range(30)]
    judged = set(draw.sample(topics, 12))
    for run, share in (("A", 0.4), ("B", 0.6), ("C", 0.8)):
        for topic in topics:
            labels = [[2 if draw.random() < share else draw.choice([0, 1])] for _ in range(6)]
            model[run, topic] = [[min(2, label + (draw.random() < 0.3))] for [label] in labels]
            if topic in judged:
                people[run, topic] = labels
    paths = (tmp_path / "people.jsonl", tmp_path / "model.jsonl")
    for path, answers in zip(paths, (people, model), strict=True):
        path.write_text("".join(json.dumps(row) + "\n" for row in lines_of(answers)))
    return paths


def test_jobs_take_support(judged_by_two: tuple[Path, Path], tmp_path: Path) -> None:
    _, model = judged_by_two
    means = {}
    for job in ("compare", "leaderboard"):
        ran = command(job, "-R", "support", "-m", "SupP", "--format", "json", model)
        assert ran.code == 0, ran.err
        means[job] = ran.out
    scores = irev.evaluate(str(model), "B", "SupP", qrels_format="support")
    for out in means.values():
        assert str(scores["SupP"])[:12] in out.decode()
    ran = command("gate", "-R", "support", "--min", "SupP=0.99", model, "C")
    assert (ran.code, ran.out.startswith(b"FAILED")) == (1, True)
    assert command("gate", "-R", "support", "--min", "SupP=0.3", model, "C").code == 0
    ran = command("explain", "-R", "support", "-m", "SupP", "-t", "t1", model, "C")
    assert b"SupP of topic t1: " in ran.out
    page = tmp_path / "page.html"
    ran = command("report", "-R", "support", "-m", "SupP,SupR", "--output", page, model, "A", "B")
    assert ran.code == 0, ran.err
    assert "SupR" in page.read_text(encoding="utf-8")


def test_prediction_powered_means(judged_by_two: tuple[Path, Path]) -> None:
    """With lambda 1: the model's mean on all topics, and people less model on those of people."""
    people, model = judged_by_two
    found = irev.compare(
        str(people), ["A", "B", "C"], "SupP", predicted=str(model), qrels_format="support",
        model_weight=1.0, predicted_target="topics",
    )  # fmt: skip
    for row in found.mean_rows():
        run = str(row["run"])
        by_people, by_model = (
            irev.evaluate(str(path), run, "SupP", qrels_format="support").by_topic("SupP")
            for path in judged_by_two
        )
        more = [by_people[topic] - by_model[topic] for topic in by_people]
        rest = [by_model[topic] for topic in by_model if topic not in by_people]
        # the model's mean of the topics that people did not judge, corrected by its error on theirs
        n, count = len(more), len(by_model)
        expected = (sum(by_people.values()) + sum(rest) + (count - n) * sum(more) / n) / count
        assert row["mean"] == pytest.approx(expected)


def test_agreement_is_on_labels(judged_by_two: tuple[Path, Path]) -> None:
    table = irev.studies.agreement(*judged_by_two, qrels_format="support").tables["summary"]
    assert table["judged by both"].item() == 12 * 3 * 6
    assert 0.5 < table["agreement"].item() < 1


BAD: dict[str, tuple[Callable[[list[Any]], Any], str]] = {
    "no JSON": (lambda rows: rows.insert(1, "s1 0 d1 1"), "x:2: this line is no JSON object"),
    "no topic": (lambda rows: rows[1].pop("topic_id"), "x:2: 'qid' is missing"),
    "no sentences": (lambda rows: rows[1].pop("sentences"),
                     "x:2: 'sentences' of topic 's2' is missing, or no list"),
    "a text": (lambda rows: rows[0]["sentences"].insert(0, "text"),
               "x:1: sentence 1 of topic 's1' is no JSON object"),
    "no citations": (lambda rows: rows[0]["sentences"][1].pop("citations"),
                     "x:1: 'citations' of sentence 2 of topic 's1' is missing, or no list"),
    "a position": (lambda rows: rows[0]["sentences"][0].update(citations=[0, 3]),
                   "x:1: citation 1 of sentence 1 of topic 's1' has no label"),
    "no label": (lambda rows: rows[0]["sentences"][0]["citations"][0].pop("support"),
                 "x:1: 'support' of citation 1 of sentence 1 of topic 's1' is missing"),
    "label": (lambda rows: rows[0]["sentences"][0]["citations"][0].update(support=3),
              "x:1: '3' is no label, in citation 1 of sentence 1 of topic 's1'"),
    "flag": (lambda rows: rows[0]["sentences"][0]["citations"][0].update(support=True),
             "x:1: 'True' is no label"),
    "topic twice": (lambda rows: rows.append(rows[0]), "x:6: topic 's1' of run 'A' has two lines"),
    "scores": (lambda rows: rows.append({"qid": "q1", "strict_vital_score": 0.5}),
               "x:6: these are scores, not judgments\n  hint: irev compare FILE..."),
    "empty": (lambda rows: rows.clear(), "x: there are no lines of data"),
}  # fmt: skip


@for_each("case", BAD)
def test_a_bad_file(case: str, tmp_path: Path) -> None:
    change, message = BAD[case]
    rows = [json.loads(line) for line in QRELS.read_text(encoding="utf-8").splitlines()]
    change(rows)
    text = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
    (tmp_path / "x").write_text(text)
    ran = command("-R", "support", "-m", "SupP", "x", "A", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err


def test_what_is_refused() -> None:
    def evaluate(measure: str, **options: Any) -> Any:
        return irev.evaluate(QRELS, "A", measure, qrels_format="support", **options)

    with pytest.raises(InputError, match="there is no file and no judged run of this name"):
        irev.evaluate(QRELS, "B", "SupP", qrels_format="support")
    with pytest.raises(UsageError, match="map needs judgments of the format qrels"):
        evaluate("map")
    with pytest.raises(UsageError, match=r"V_strict|NuggetRecall needs judgments"):
        evaluate("V_strict")
    with pytest.raises(UsageError, match="max_retrieved is of rankings"):
        evaluate("SupP", max_retrieved=3)
    with pytest.raises(UsageError, match="skip"):
        evaluate("SupP", no_relevant="skip")
    for name in ("SupP(cite=best)", "SupR(cite=pool)", "SupP(partial=2)"):
        with pytest.raises(UsageError):
            evaluate(name)
