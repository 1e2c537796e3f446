"""Judgments by people of a random sample of documents, and by a model of all: every way in."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irev as library
from irev.errors import IrevWarning, MismatchError, UsageError
from tests.command import irev

STRATA = {"T1": ["abcd", "efgh"], "T2": ["abc", "def"]}
RANKING = {"T1": "abce", "T2": "abde"}
PEOPLE = {"T1": {"a": 1, "c": 0, "d": 1, "e": 0, "g": 1}, "T2": {"a": 1, "b": 0, "d": 1, "f": 0}}
MODEL = {"T1": "abcdf", "T2": "abd"}
LAMBDA = Fraction(35, 43)
P_OF_TOPIC = {"T1": Fraction(69, 172), "T2": Fraction(153, 344)}
SAMPLE = ("-R", "strata", "--predicted", "auto.q")


@pytest.fixture
def worked(tmp_path: Path) -> Path:
    """The worked example in files; a second run is the first turned round."""
    people, auto, runs = [], [], {"one": [], "two": []}  # type: ignore[var-annotated]
    for topic, strata in STRATA.items():
        for number, documents in enumerate(strata, 1):
            for document in documents:
                grade = PEOPLE[topic].get(document, -1)
                people.append(f"{topic} 0 {document} {number} {grade}\n")
                auto.append(f"{topic} 0 {document} {int(document in MODEL[topic])}\n")
        for name, ranking in (("one", RANKING[topic]), ("two", RANKING[topic][::-1])):
            runs[name] += [f"{topic} Q0 {d} {r} {9 - r} {name}\n" for r, d in enumerate(ranking, 1)]
    (tmp_path / "people.q").write_text("".join(people))
    (tmp_path / "auto.q").write_text("".join(auto))
    for name, lines in runs.items():
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


class Sampled:
    """Judgments of 12 topics by a made-up model and by people of a sample; three runs."""

    def __init__(self, seed: int, *, sd: float = 0.6, share: float = 0.25) -> None:
        draw = random.Random(seed)
        self.strata: dict[str, list[list[str]]] = {}
        self.truth: dict[str, dict[str, int]] = {}
        self.model: dict[str, dict[str, int]] = {}
        self.people: dict[str, dict[str, int]] = {}
        self.runs: dict[str, dict[str, dict[str, float]]] = {n: {} for n in ("x", "y", "z")}
        for topic in map(str, range(1, 13)):
            documents = [f"d{number}" for number in range(60)]
            self.truth[topic] = {d: draw.choice((0, 0, 0, 1, 2)) for d in documents}
            self.model[topic] = {
                d: min(2, max(0, round(g + draw.gauss(0, sd))))
                for d, g in self.truth[topic].items()
            }
            ranks: dict[str, int] = {}
            for number, name in enumerate(self.runs):
                scores = {d: self.truth[topic][d] + draw.gauss(0, 1 + number) for d in documents}
                ranking = sorted(documents, key=lambda d: -scores[d])[:30]
                self.runs[name][topic] = {d: 100.0 - r for r, d in enumerate(ranking)}
                for rank, document in enumerate(ranking, 1):
                    ranks[document] = min(rank, ranks.get(document, 99))
            top = [d for d, rank in ranks.items() if rank <= 10]
            self.strata[topic] = [top, [d for d in ranks if d not in top]]
            drawn = [d for s in self.strata[topic] for d in draw.sample(s, round(len(s) * share))]
            self.people[topic] = {d: self.truth[topic][d] for d in drawn}

    def rows(self) -> list[tuple[str, str, str, str, int]]:
        """People's judgments as rows of -R strata."""
        return [
            (topic, "0", d, str(number), self.people[topic].get(d, -1))
            for topic, strata in self.strata.items()
            for number, documents in enumerate(strata, 1)
            for d in documents
        ]

    def write(self, folder: Path) -> Path:
        """People's judgments as a file."""
        path = folder / "people.q"
        path.write_text("".join(" ".join(map(str, row)) + "\n" for row in self.rows()))
        return path


def plain_estimate(
    sampled: Sampled, topic: str, weights: dict[str, float], gain: Any, weight: float
) -> Any:
    """The estimate of a sum of weights times gains, from the formula."""
    model, people = sampled.model[topic], sampled.people[topic]
    pool = [d for stratum in sampled.strata[topic] for d in stratum]
    total = weight * sum(weights.get(d, 0.0) * gain(model[d]) for d in pool)
    for stratum in sampled.strata[topic]:
        drawn = [d for d in stratum if d in people]
        for d in drawn:
            error = weights.get(d, 0.0) * (gain(people[d]) - weight * gain(model[d]))
            total += error * len(stratum) / len(drawn)
    return total


def rank_weights(sampled: Sampled, name: str, topic: str, rule: Any) -> dict[str, float]:
    """Document -> the weight of its rank in a run."""
    scores = sampled.runs[name][topic]
    ranking = sorted(scores, key=lambda d: -scores[d])
    return {document: rule(rank) for rank, document in enumerate(ranking, 1)}


@pytest.fixture(scope="module")
def sampled() -> Sampled:
    """One sample, for tests that do not change it."""
    return Sampled(3)


def evaluate(sampled: Sampled, folder: Path, measures: str, **options: Any) -> Any:
    """The table of the runs."""
    return library.evaluate(
        sampled.write(folder), sampled.runs, measures, qrels_format="strata",
        predicted=sampled.model, **options,
    )  # fmt: skip


# The numbers


def test_the_worked_example_on_the_command_line(worked: Path) -> None:
    ran = irev("-q", *SAMPLE, "-m", "P.4", "people.q", "one.run", cwd=worked)
    values = [line.split()[-1] for line in ran.out.decode().splitlines()]
    mean = sum(P_OF_TOPIC.values()) / 2
    assert values == [f"{float(v):.4f}" for v in (*P_OF_TOPIC.values(), mean)]
    assert "fewer than 8 documents of 2 topics: T1, T2" in ran.err


def test_the_worked_example_in_python(worked: Path) -> None:
    with pytest.warns(IrevWarning, match="fewer than 8"):
        scores = library.evaluate(
            worked / "people.q", worked / "one.run", "P@4", qrels_format="strata",
            predicted=worked / "auto.q",
        )  # fmt: skip
    assert scores.by_topic("P@4") == pytest.approx({t: float(v) for t, v in P_OF_TOPIC.items()})
    (row,) = library.document_estimates(scores).to_dict("records")
    reach = 12.706204736 * math.sqrt(595 / 33024)  # t at .975 with one degree of freedom
    assert row["lambda"] == pytest.approx(float(LAMBDA))
    assert row["people"] == pytest.approx(13 / 24)
    assert row["model"] == pytest.approx(3 / 4)
    assert row["topics_low"] == 0
    assert row["topics_high"] == pytest.approx(min(1, 291 / 688 + reach))
    assert row["width"] == pytest.approx(math.sqrt(595 / 33024 / (35 / 1152)))
    assert row["judged_at_10"] == pytest.approx(6 / 20)


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_estimates_are_those_of_the_formula(
    sampled: Sampled, tmp_path: Path, weight: float
) -> None:
    table = evaluate(sampled, tmp_path, "P@10 RBP(p=0.8) DCG@10 MeanRelRet", model_weight=weight)
    rules: dict[str, Any] = {
        "P@10": (lambda rank: 0.1 * (rank <= 10), lambda grade: float(grade >= 1)),
        "RBP(p=0.8)": (lambda rank: 0.2 * 0.8 ** (rank - 1), lambda grade: grade / 2),
        "DCG@10": (lambda rank: (rank <= 10) / math.log2(rank + 1), float),
        "MeanRelRet": (lambda rank: 1.0, lambda grade: float(grade >= 1)),
    }
    for measure, (rule, gain) in rules.items():
        for name in sampled.runs:
            for topic, value in table[name].by_topic(measure).items():
                weights = rank_weights(sampled, name, topic, rule)
                expected = plain_estimate(sampled, topic, weights, gain, weight)
                assert value == pytest.approx(expected, abs=1e-12), (measure, name, topic)


def test_ndcg_is_the_ratio_to_the_ideal_of_estimated_counts(
    sampled: Sampled, tmp_path: Path
) -> None:
    table = evaluate(sampled, tmp_path, "nDCG@5", model_weight=0.5)
    for name in sampled.runs:
        for topic, value in table[name].by_topic("nDCG@5").items():
            weights = rank_weights(
                sampled, name, topic, lambda rank: (rank <= 5) / math.log2(rank + 1)
            )
            reached = plain_estimate(sampled, topic, weights, float, 0.5)
            every = dict.fromkeys((d for s in sampled.strata[topic] for d in s), 1.0)
            ideal: list[int] = []
            for grade in (2, 1):
                count = plain_estimate(
                    sampled, topic, every, lambda g: float(g == grade), 0.5  # noqa: B023
                )  # fmt: skip
                ideal += [grade] * math.floor(max(count, 0) + 0.5)
            highest = sum(g / math.log2(r + 1) for r, g in enumerate(ideal[:5], 1))
            assert value == pytest.approx(reached / highest if highest else 0, abs=1e-12)


def test_all_documents_judged_give_the_measure_itself(tmp_path: Path) -> None:
    sampled = Sampled(8, share=1.0)
    names = "P@10 RBP(p=0.8) DCG@10 nDCG@10 num_rel_ret"
    table = evaluate(sampled, tmp_path, names)
    pools = sampled.people
    plain = library.evaluate(pools, sampled.runs, names)
    for name in names.split():
        assert table[name] == pytest.approx(plain[name])


def test_estimates_of_topics_are_never_cut(tmp_path: Path) -> None:
    table = evaluate(Sampled(5, share=0.1), tmp_path, "P@10")
    values = table.scores("P@10")
    assert values.min() < 0
    assert values.max() > 1
    rows = library.document_estimates(table)
    assert (rows["low"] >= 0).all()
    assert (rows["topics_high"] <= 1).all()


def test_one_lambda_for_all_runs(sampled: Sampled, tmp_path: Path) -> None:
    rows = library.document_estimates(evaluate(sampled, tmp_path, "P@10"))
    assert rows["lambda"].nunique() == 1
    assert 0 < rows["lambda"][0] < 1


def test_without_weight_the_model_does_not_count(sampled: Sampled, tmp_path: Path) -> None:
    rows = library.document_estimates(evaluate(sampled, tmp_path, "P@10 nDCG@10", model_weight=0))
    np.testing.assert_allclose(rows["estimate"], rows["people"])
    np.testing.assert_allclose(rows["width"], 1)


# Every job serves them unchanged


def test_every_job_has_the_same_scores_by_topic(sampled: Sampled, tmp_path: Path) -> None:
    options: dict[str, Any] = {"qrels_format": "strata", "predicted": sampled.model}
    qrels, runs = sampled.write(tmp_path), sampled.runs
    expected = library.evaluate(qrels, runs, "P@10", **options)
    tables = [
        library.compare(qrels, runs, "P@10", **options).table,
        library.leaderboard(qrels, runs, "P@10", **options).table,
        library.report(qrels, runs, "P@10", **options).table,
    ]
    for table in tables:
        assert table.run_names == ("x", "y", "z")
        np.testing.assert_array_equal(table.scores("P@10"), expected.scores("P@10"))
        np.testing.assert_array_equal(
            library.document_estimates(table), library.document_estimates(expected)
        )
    pair = {"x": runs["x"], "y": runs["y"]}
    of_pair = library.evaluate(qrels, pair, "P@10", **options)
    gate = library.gate(qrels, runs["x"], "P@10", baseline=runs["y"], **options)
    assert sorted(gate.table.means("P@10")) == pytest.approx(sorted([*of_pair["P@10"].values()]))


@pytest.mark.parametrize(
    "call",
    [
        ("--format", "json"),
        ("compare", "--format", "json"),
        ("leaderboard", "--format", "json"),
        ("gate", "--format", "json", "--baseline", "two.run"),
    ],
    ids=["eval", "compare", "leaderboard", "gate"],
)
def test_commands_print_what_is_behind_the_estimates(worked: Path, call: tuple[str, ...]) -> None:
    runs = ("one.run",) if "gate" in call else ("one.run", "two.run")
    ran = irev(*call, *SAMPLE, "-m", "P.4", "people.q", *runs, cwd=worked)
    found = json.dumps(json.loads(ran.out))
    assert '"lambda": 0.8139534883720931' in found or '"lambda": 0.813953488372093' in found
    assert '"topics_low"' in found
    assert '"width"' in found


def test_tables_have_the_estimates(worked: Path) -> None:
    names = ("-m", "P.4", "people.q", "one.run", "two.run")
    shown = {"eval": ["--format", "table"]}
    for command in ("compare", "leaderboard", "eval"):
        form = shown.get(command, ["--details"])
        ran = irev(
            command, *form, *SAMPLE, "-m", "P.4", "people.q", "one.run", "two.run", cwd=worked
        )
        assert "topics low" in ran.out.decode(), command
        assert "pred:documents|auto:" in ran.out.decode(), command
    ran = irev(
        "gate", *SAMPLE, "-m", "P.4", "--max", "P_4=0.5", "--details", "people.q", "one.run",
        cwd=worked,
    )  # fmt: skip
    assert "topics low" in ran.out.decode()
    ran = irev("report", *SAMPLE, "--output", "page.html", *names, cwd=worked)
    assert ran.code == 0, ran.err
    assert "Estimates from a sample of documents" in (worked / "page.html").read_text(
        encoding="utf-8"
    )


def test_differences_have_intervals_for_these_topics(sampled: Sampled, tmp_path: Path) -> None:
    found = library.compare(
        sampled.write(tmp_path), sampled.runs, "P@10", qrels_format="strata",
        predicted=sampled.model,
    )  # fmt: skip
    rows = found.document.data()["estimated_differences"]
    estimates = {run.name: run.estimates for run in found.table.runs}
    for row in rows:
        one, other = estimates[row["run"]], estimates[row["against"]]
        assert one is not None
        assert other is not None
        se = math.sqrt(np.sum((one.deviations - other.deviations) ** 2)) / 12
        assert row["topics_high"] - row["difference"] == pytest.approx(2.200985160 * se)


# What is refused, and warned of


@pytest.mark.parametrize("command", ["eval", "leaderboard", "gate", "report"])
def test_a_model_without_a_design_is_refused(worked: Path, command: str) -> None:
    call = [command, "-m", "P.4", "--predicted", "auto.q"]
    call += ["--output", "x.html"] if command == "report" else []
    ran = irev(*call, "auto.q", "one.run", cwd=worked)
    assert ran.code == 2
    assert "-R strata" in ran.err
    assert "irev sample" in ran.err


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (("-m", "map"), "map cannot be estimated"),
        (("-m", "recip_rank"), "recip_rank cannot be estimated"),
        (("-m", "bpref"), "xinfAP"),
        (("-m", "P.4", "-J"), "-J leaves documents out"),
        (("-m", "P.4", "--no-rel", "skip"), "by what was drawn"),
        (("-m", "P.4", "--lambda", "2"), "from 0 to 1"),
        (("-m", "P.4", "--sample", "50%"), "cannot be combined with --sample"),
    ],
)
def test_options_and_measures_that_are_refused(
    worked: Path, call: tuple[str, ...], says: str
) -> None:
    ran = irev(*SAMPLE, *call, "people.q", "one.run", cwd=worked)
    assert ran.code == 2
    assert says in ran.err


def test_a_stratum_of_which_one_document_was_drawn_is_refused(worked: Path) -> None:
    text = (worked / "people.q").read_text(encoding="utf-8").replace("T1 0 g 2 1", "T1 0 g 2 -1")
    (worked / "people.q").write_text(text)
    ran = irev(*SAMPLE, "-m", "P.4", "people.q", "one.run", cwd=worked)
    assert ran.code == 2
    assert "2 of topic T1 (1 of 4)" in ran.err


def test_a_stratum_of_one_document_that_was_judged_is_no_matter(worked: Path) -> None:
    with (
        (worked / "people.q").open("a", encoding="utf-8") as people,
        (worked / "auto.q").open("a", encoding="utf-8") as auto,
    ):
        people.write("T1 0 z 3 1\n")
        auto.write("T1 0 z 0\n")
    assert irev(*SAMPLE, "-m", "P.4", "people.q", "one.run", cwd=worked).code == 0


def test_a_document_that_the_model_did_not_judge_is_refused(worked: Path) -> None:
    text = (worked / "auto.q").read_text(encoding="utf-8").replace("T2 0 e 0\n", "")
    (worked / "auto.q").write_text(text)
    ran = irev(*SAMPLE, "-m", "P.4", "people.q", "one.run", cwd=worked)
    assert ran.code == 2
    assert "lack 1 document of the pools, such as e of topic T2" in ran.err


def test_open_scales_need_their_end(tmp_path: Path) -> None:
    sampled = Sampled(2)
    for grades in sampled.model.values():
        grades["d0"] = 3
    with pytest.raises(UsageError, match="people's highest grade is 2, the model's 3"):
        evaluate(sampled, tmp_path, "RBP(p=0.8)")
    evaluate(sampled, tmp_path, "RBP(p=0.8,max=3)")


def test_a_model_of_no_use_is_warned_of(tmp_path: Path) -> None:
    useful, useless = Sampled(6, sd=0.3), Sampled(6)
    for topic, grades in useless.truth.items():
        useless.model[topic] = {document: 2 - grade for document, grade in grades.items()}
    assert "useless-model" not in {w.kind for w in evaluate(useful, tmp_path, "P@10").warnings}
    assert "useless-model" in {w.kind for w in evaluate(useless, tmp_path, "P@10").warnings}


def test_a_thin_top_is_warned_of(tmp_path: Path) -> None:
    messages = [str(w) for w in evaluate(Sampled(5, share=0.09), tmp_path, "P@10").warnings]
    assert any("less than 10% was judged of strata" in message for message in messages)
    assert any("fewer than 8 documents of 12 topics" in message for message in messages)
    thick = [str(w) for w in evaluate(Sampled(5, share=0.5), tmp_path, "P@10").warnings]
    assert not thick


def test_ndcg_warns_of_its_bias(tmp_path: Path, sampled: Sampled) -> None:
    (warning,) = [
        w for w in evaluate(sampled, tmp_path, "nDCG@10").warnings if w.kind == "biased-estimate"
    ]
    assert "nDCG@10" in str(warning)


def test_a_part_of_the_documents_without_a_design_is_an_error(tmp_path: Path) -> None:
    """What people did not judge would count as not relevant."""
    sampled = Sampled(7, share=0.2)
    with pytest.raises(UsageError, match=r"people judged \d+% .* the model 100%.*strata"):
        library.compare(sampled.people, sampled.runs, "P@10", predicted=sampled.model)


def test_a_design_of_other_judgments_is_an_error(tmp_path: Path, sampled: Sampled) -> None:
    with pytest.raises(MismatchError, match="the model must judge all documents of the pools"):
        library.evaluate(
            sampled.write(tmp_path), sampled.runs, "P@10", qrels_format="strata",
            predicted={"1": sampled.model["1"]},
        )  # fmt: skip
