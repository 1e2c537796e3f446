"""`irev compare --predicted`: judgments by a model beside those of people."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import irev as library
from irev.errors import IrevWarning, UsageError
from irev.jobs.compare.comparison import DecisionColumns
from irev.jobs.compare.document import decisions_by_pair_table
from irev.jobs.compare.predicted import nonrandom_sample_warnings
from tests.command import Ran, irev
from tests.statistics.test_prediction_powered import twin

TOPICS = [str(number) for number in range(101, 141)]
RUNS = ("a", "b", "c")
FILES = tuple(f"{name}.run" for name in RUNS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """40 topics, 12 of them judged by people, and three runs that a model takes for equally good.

    RR of a topic is 1 / the rank of its one relevant document, which the model misses now and then.
    """
    folder = tmp_path_factory.mktemp("predicted")
    draw = random.Random(4)
    by_people, by_model = [], []
    runs: dict[str, list[str]] = {name: [] for name in RUNS}
    judged = set(draw.sample(TOPICS, 12))
    for topic in TOPICS:
        hard = draw.random()
        places = {name: 1 + int(draw.random() * hard * 6 * skill) for name, skill in
                  zip(RUNS, (2.0, 1.4, 0.6), strict=True)}  # fmt: skip
        relevant = f"r{topic}"
        for name, place in places.items():
            documents = [f"d{number}" for number in range(1, 12)]
            documents.insert(place - 1, relevant)
            runs[name] += [f"{topic} Q0 {doc} {rank} {20 - rank} {name}"
                           for rank, doc in enumerate(documents, 1)]  # fmt: skip
        kind = draw.random() < 0.2
        by_model += [f"{topic} 0 {relevant} 3", f"{topic} 0 d3 {int(kind)}", f"{topic} 0 d1 0"]
        if topic in judged:
            by_people += [f"{topic} 0 {relevant} 1", f"{topic} 0 d3 0", f"{topic} 0 d1 0"]
    files = {f"{name}.run": lines for name, lines in runs.items()}
    for name, lines in {"people": by_people, "auto": by_model, **files}.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return folder


def compare(folder: Path, *more: str, runs: tuple[str, ...] = FILES) -> Ran:
    return irev("compare", "--predicted", "auto", "-m", "recip_rank", *more, "people", *runs,
                cwd=folder)  # fmt: skip


def found_in(folder: Path, *more: str) -> Any:
    ran = compare(folder, "--format", "json", *more)
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def scores_by_hand(folder: Path) -> dict[str, tuple[list[float], list[float], list[float]]]:
    """Run -> RR by people, by the model on the same topics, by the model on the others."""
    grades: dict[str, dict[tuple[str, str], int]] = {}
    for name in ("people", "auto"):
        rows = (line.split() for line in (folder / name).read_text(encoding="utf-8").splitlines())
        grades[name] = {(topic, doc): int(grade) for topic, _, doc, grade in rows}
    judged = sorted({topic for topic, _ in grades["people"]})
    by_name = {}
    for run in RUNS:
        ranked: dict[str, list[str]] = {}
        for line in (folder / f"{run}.run").read_text(encoding="utf-8").splitlines():
            topic, _, document, *_ = line.split()
            ranked.setdefault(topic, []).append(document)

        def rr(name: str, topic: str, ranked: dict[str, list[str]] = ranked) -> float:
            places = [rank for rank, doc in enumerate(ranked[topic], 1)
                      if grades[name].get((topic, doc), 0) > 0]  # fmt: skip
            return 1 / places[0] if places else 0.0

        others = [topic for topic in TOPICS if topic not in judged]
        by_name[run] = (
            [rr("people", t) for t in judged], [rr("auto", t) for t in judged],
            [rr("auto", t) for t in others],
        )  # fmt: skip
    return by_name


NAMES = {"low": "low", "high": "high", "df": "df", "lambda": "weight", "z_sample": "distance",
         "model_only": "model"}  # fmt: skip


def test_the_numbers_are_those_of_the_twin(folder: Path) -> None:
    scores, actual = scores_by_hand(folder), found_in(folder, "--alpha", "0.1")
    for row in actual["means"]:
        expected = twin(scores[row["run"]], None)
        assert row["mean"] == pytest.approx(expected["mean"])
        for name, of_twin in NAMES.items():
            assert row[name] == pytest.approx(expected[of_twin], abs=1e-12), name
        assert row["human_only"] == pytest.approx(np.mean(scores[row["run"]][0]))
        assert (row["n"], row["N"], row["missing_as_zero"]) == (12, 40, 0)
    assert len(actual["pairs"]) == 3
    for row in actual["pairs"]:
        first, second = scores[row["run"]], scores[row["against"]]
        apart = [[a - b for a, b in zip(x, y, strict=True)] for x, y in
                 zip(first, second, strict=True)]  # fmt: skip
        # all three at once: Bonferroni beside Holm
        expected = twin(apart, None, 1 - 0.1 / 3)
        assert row["difference"] == pytest.approx(expected["mean"])
        assert row["p"] == pytest.approx(expected["p"])
        for name, of_twin in NAMES.items():
            assert row[name] == pytest.approx(expected[of_twin], abs=1e-12), name
    ranked = sorted((row["p"], row["corrected"]) for row in actual["pairs"])
    steps = np.maximum.accumulate([min(1.0, (3 - k) * p) for k, (p, _) in enumerate(ranked)])
    assert [corrected for _, corrected in ranked] == pytest.approx(steps.tolist())
    means = [row["mean"] for row in actual["means"]]
    assert means == sorted(means, reverse=True)
    assert actual["predicted"] == {
        "qrels": "auto",
        "sha256": hashlib.sha256((folder / "auto").read_bytes()).hexdigest(),
        "n": 12, "N": 40, "target": "population", "lambda": "tuned", "strata": [],
        "z_sample": max((row["z_sample"] for row in actual["means"]), key=abs),
        "judged_at_10": actual["predicted"]["judged_at_10"],
    }  # fmt: skip
    shares = actual["predicted"]["judged_at_10"]
    assert all(0.2 < share < 0.32 for share in shares.values())
    assert f"|auto:{actual['predicted']['sha256'][:8]}|pred:ppi++|" in actual["signature"]["short"]


def test_a_given_weight(folder: Path) -> None:
    scores = scores_by_hand(folder)
    for weight in (0.0, 0.25, 1.0):
        actual = found_in(folder, "--lambda", str(weight), "--alpha", "0.1")
        for row in actual["means"]:
            expected = twin(scores[row["run"]], weight)
            assert row["lambda"] == weight
            assert [row[name] for name in ("mean", "low", "high", "df")] == pytest.approx(
                [expected[name] for name in ("mean", "low", "high", "df")]
            )
        assert f"|pred:ppi/{weight:g}|" in actual["signature"]["short"]
    assert found_in(folder, "--lambda", "tuned")["predicted"]["lambda"] == "tuned"


def test_the_table(folder: Path) -> None:
    ran = compare(folder, "--details", "--baseline", "a.run", "--predicted-target", "topics")
    verdict, _, *lines = ran.out.decode().splitlines()
    assert verdict.endswith("(recip_rank, 12 topics judged by people)")
    assert lines[0].startswith("12 of 40 topics judged by people; the other 28 by auto alone")
    assert lines[1] == "estimates: prediction-powered, lambda estimated, of these topics themselves"
    assert lines[2] == "intervals of means: 95% t, not simultaneous"
    assert lines[3].startswith(
        "intervals of differences: 95% t, simultaneous for all 2 (Bonferroni, 97.5%"
    )
    del lines[2:4]
    assert lines[2].startswith("valid only if the 12 topics are a random sample of the 40")
    assert lines[3].startswith("judged@10, the mean of the runs: 0.30 by people, 0.")
    assert "2 hypotheses, corrected by Holm" in lines[4]
    heads = next(line for line in lines if line.startswith("run ") and "against" not in line)
    assert heads.split("  ")[0] == "run"
    for word in ("human only", "model only", "width", "n_eff", "lambda", "missing"):
        assert word in heads
    assert any("not a valid estimate" in line for line in lines)
    assert "12 topics judged by people are few" in ran.err


def test_forms_have_the_same_numbers(folder: Path) -> None:
    actual = found_in(folder, "--per-topic")
    table = list(csv.DictReader(io.StringIO(compare(folder, "--format=csv").out.decode())))
    assert [float(row["difference"]) for row in table] == [r["difference"] for r in actual["pairs"]]
    lines = [
        json.loads(line)
        for line in compare(folder, "--format=jsonl", "--per-topic").out.splitlines()
    ]
    assert [line["mean"] for line in lines if line["table"] == "means"] == [
        row["mean"] for row in actual["means"]
    ]
    topics = [line for line in lines if line["table"] == "topics"]
    assert len(topics) == 3 * 12 == len(actual["topics"])
    for form in ("markdown", "latex", "html", "tsv"):
        assert compare(folder, f"--format={form}").code == 0


def test_no_number_depends_on_the_order_of_runs(folder: Path) -> None:
    one = compare(folder, "--format=json")
    other = compare(folder, "--format=json", runs=FILES[::-1])
    assert one.out == other.out


def test_python_has_the_same(folder: Path) -> None:
    paths = [folder / name for name in FILES]
    comparison = library.compare(folder / "people", paths, "recip_rank", predicted=folder / "auto")
    rows = found_in(folder)
    assert comparison.means["mean"].tolist() == [row["mean"] for row in rows["means"]]
    assert comparison.pairs["p"].tolist() == [row["p"] for row in rows["pairs"]]
    assert comparison.to_frame().equals(comparison.pairs)
    assert len(comparison.by_topic) == 36
    whole = comparison.text(details=True)
    for text in (str(comparison), whole):
        assert "\n12 of 40 topics judged by people; the other 28 by auto alone" in text
    assert comparison.verdicts["words"].tolist() == [row["words"] for row in rows["verdicts"]]
    assert comparison.verdicts["run"].tolist() == [row["run"] for row in rows["verdicts"]]
    assert "on 40 topics, 12 of them judged by people" in repr(comparison)
    fields = [line.split() for line in (folder / "auto").read_text(encoding="utf-8").splitlines()]
    rows_of_model = [(topic, doc, int(grade)) for topic, _, doc, grade in fields]
    again = library.compare(folder / "people", paths, "ndcg", predicted=iter(rows_of_model))
    assert again.means["N"].unique().tolist() == [40]
    half = library.compare(
        folder / "people", paths, "recip_rank", predicted=folder / "auto", model_weight=0.5,
        predicted_level=3,
    )  # fmt: skip
    assert half.means["lambda"].unique().tolist() == [0.5]
    with pytest.raises(UsageError, match="leave out tests"):
        library.compare(folder / "people", paths, predicted=folder / "auto", tests=["t"])
    with pytest.raises(UsageError, match="leave out nan"):
        library.compare(folder / "people", paths, predicted=folder / "auto", nan="drop-topic")


def test_level_and_grades_of_the_model(folder: Path) -> None:
    """The model's grade of 1 (a document that it is wrong about) is not relevant at level 2."""
    plain, level, mapped = (
        found_in(folder, *more)
        for more in ((), ("--predicted-level=2",), ("--predicted-map-grades=1=0",))
    )
    for one, two in zip(level["means"], mapped["means"], strict=True):
        assert one["mean"] == two["mean"]
        # without its one kind of mistake the model says what people say
        assert one["r"] == pytest.approx(1)
    assert min(row["r"] for row in plain["means"]) < 0.99
    assert "auto-level:2" in level["signature"]["short"]
    assert "auto-grades:1=0" in mapped["signature"]["short"]


def test_strata(folder: Path, tmp_path: Path) -> None:
    judged = sorted(
        {line.split()[0] for line in (folder / "people").read_text(encoding="utf-8").splitlines()}
    )
    classes = tmp_path / "classes"
    # the judged topics of two are in one class
    rest = {topic: "rest" if topic in judged[:2] or (int(topic) % 3 == 0 and topic not in judged)
            else "most" for topic in TOPICS}  # fmt: skip
    classes.write_text("".join(f"{topic} {name}\n" for topic, name in rest.items()))
    ran = compare(folder, "--group-by", str(classes), "--format=json")
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    assert data["predicted"]["strata"] == ["most", "rest"]
    assert {row["class"] for row in data["means"]} == {"", "most"}
    assert "the class rest has no estimate of its own: 2 of its" in ran.err
    sizes = {name: list(rest.values()).count(name) for name in ("most", "rest")}
    scores = scores_by_hand(folder)
    others = [topic for topic in TOPICS if topic not in judged]
    for row in (row for row in data["means"] if not row["class"]):
        x, f, u = scores[row["run"]]
        # human only is the mean of the classes' means by their sizes
        own = {
            name: [v for t, v in zip(judged, x, strict=True) if rest[t] == name] for name in sizes
        }
        expected = sum(sizes[name] / 40 * float(np.mean(own[name])) for name in sizes)
        assert row["human_only"] == pytest.approx(expected)
        assert row["model_only"] == pytest.approx(float(np.mean([*f, *u])))
    for row in (row for row in data["means"] if row["class"] == "most"):
        x, f, u = scores[row["run"]]
        selected = [[v for t, v in zip(ids, each, strict=True) if rest[t] == "most"]
                  for ids, each in ((judged, x), (judged, f), (others, u))]  # fmt: skip
        assert row["mean"] == pytest.approx(twin(selected, None)["mean"])
    for text, message in (
        ("101 most\n", "each topic must be in one class"),
        ("".join(f"{t} {'one' if t == judged[0] else 'most'}\n" for t in TOPICS), "one has 1"),
    ):
        classes.write_text(text)
        ran = compare(folder, "--group-by", str(classes))
        assert (ran.code, ran.out) == (2, b"")
        assert message in ran.err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--test", "t"), "leave out --test"),
        (("--ci", "bca"), "--ci bca cannot be combined with it"),
        (("--correction", "maxt"), "--predicted: maxt is for the permutation test"),
        (("--anova",), "leave out --anova"),
        (("--topics", "both"), "leave out --topics"),
        (("--no-rel", "skip"), "--no-rel skip"),
        (("--nan", "drop-topic"), "leave out --nan"),
        (("--resamples", "100"), "no use for --resamples"),
        (("--lambda", "2"), "--lambda must be tuned or a number from 0 to 1, not 2"),
        (("--lambda", "most"), "neither tuned nor a number"),
    ],
)
def test_what_does_not_go_with_it(folder: Path, more: tuple[str, ...], message: str) -> None:
    ran = compare(folder, *more)
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err


def test_inputs_that_do_not_go_with_it(folder: Path, tmp_path: Path) -> None:
    def error_text(*arguments: str | Path, stdin: bytes = b"") -> str:
        ran = irev("compare", *arguments, cwd=folder, stdin=stdin)
        assert (ran.code, ran.out) == (2, b""), ran.err
        return ran.err

    assert "--lambda needs --predicted" in error_text("--lambda", "1", "people", *FILES)
    lacking = error_text("--predicted", "people", "auto", *FILES)
    assert "28 of 40 topics judged by people are not in the judgments of --predicted: " in lacking
    assert lacking.rstrip().endswith(", ...")
    assert "there are 0: compare without" in error_text("--predicted", "auto", "auto", *FILES)
    few = tmp_path / "few"
    lines = (folder / "people").read_text(encoding="utf-8").splitlines(keepends=True)
    few.write_text("".join(lines[: 3 * 9]))
    assert "needs 10 topics judged by people; there are 9" in error_text(
        "--predicted", "auto", few, *FILES
    )
    weights = tmp_path / "weights"
    weights.write_text("".join(f"{topic} 1\n" for topic in TOPICS))
    weighted = error_text("--predicted", "auto", "--topic-weights", weights, "people", *FILES)
    assert "cannot be combined with --topic-weights" in weighted
    assert "cannot be read twice" in error_text(
        "--predicted", "auto", "people", "-", "a.run", stdin=b""
    )
    saved = tmp_path / "saved.json"
    assert irev("-q", "-m", "map", "--format", "json", "--output", saved, "people", "a.run",
                cwd=folder).code == 0  # fmt: skip
    assert "two runs are called a" in error_text("--predicted", "auto", "-m", "map", saved, saved)
    assert "--predicted with QRELS needs runs: saved scores" in error_text(
        "--predicted", "auto", "-m", "map", "people", saved, "b.run"
    )
    assert "at least two runs" in error_text("--predicted", "auto", "people", "a.run")


def test_topics_that_were_chosen_are_warned_of(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "auto").read_text(encoding="utf-8").splitlines(keepends=True)
    first = tmp_path / "first"
    first.write_text("".join(line for line in lines if line.split()[0] <= "112"))
    ran = irev("compare", "--predicted", "auto", first, *FILES, cwd=folder)
    assert "are the first 12 of 40 in the order of their ids" in ran.err
    assert "drawn at random" in ran.err
    assert irev("compare", "--predicted", "auto", "--strict", first, *FILES, cwd=folder).code == 2
    # those on which the model finds the second run best
    scores = {}
    for line in (folder / "b.run").read_text(encoding="utf-8").splitlines():
        topic, _, document, rank, *_ = line.split()
        if document.startswith("r"):
            scores[topic] = int(rank)
    easy = set(sorted(TOPICS, key=lambda topic: scores[topic])[:12])
    selected = tmp_path / "chosen"
    selected.write_text("".join(line for line in lines if line.split()[0] in easy))
    ran = irev("compare", "-m", "recip_rank", "--predicted", "auto", selected, *FILES, cwd=folder)
    assert "do not look like a random sample: the model finds them easier (z = " in ran.err
    with pytest.warns(IrevWarning, match="random sample"):
        library.compare(selected, [folder / "a.run", folder / "b.run"], "recip_rank",
                        predicted=folder / "auto")  # fmt: skip


def test_a_model_that_favours_a_run_is_warned_of(folder: Path, tmp_path: Path) -> None:
    """It takes what one run has at rank 1 for relevant, whatever it is."""
    favoured = [
        line.split() for line in (folder / "a.run").read_text(encoding="utf-8").splitlines()
    ]
    more = [f"{t} 0 {doc} 2\n" for t, _, doc, rank, *_ in favoured if rank == "1" and doc == "d1"]
    lines = (folder / "auto").read_text(encoding="utf-8").splitlines(keepends=True)
    taken = {line.split()[0] for line in more}
    kept = [
        line
        for line in lines
        if (line.split()[2], line.split()[0]) not in {("d1", t) for t in taken}
    ]
    auto = tmp_path / "auto"
    auto.write_text("".join([*kept, *more]))
    # the other run never has it above rank 12
    other = tmp_path / "other.run"
    text = (folder / "b.run").read_text(encoding="utf-8")
    other.write_text("".join(
        line.replace(" d1 1 19 ", " x1 1 19 ") + "\n" for line in text.splitlines()
    ))  # fmt: skip
    ran = irev(
        "compare", "-m", "recip_rank", "--predicted", auto, "people", "a.run", other, cwd=folder
    )
    assert (
        "recip_rank: the model favours a: its error differs from that of the mean run by +"
        in ran.err
    )
    assert "do not order runs by the model's judgments alone" in ran.err
    assert "disfavours" not in ran.err


def test_scales_that_differ_are_noted_where_gains_count(folder: Path) -> None:
    ran = irev("compare", "-m", "ndcg", "--predicted", "auto", "people", *FILES, cwd=folder)
    assert "warning: the highest grade is 1 by people and 3 by the model" in ran.err
    with_scale = ("--max-grade", "3", "-m", "ndcg", "-m", "ERR@5")
    ran = irev("compare", *with_scale, "--predicted", "auto", "people", *FILES, cwd=folder)
    assert "warning: the highest grade" not in ran.err
    assert "highest grade" not in compare(folder).err


def test_a_measure_whose_scale_ends_at_the_highest_grade(folder: Path) -> None:
    ran = irev("compare", "-m", "ERR@10", "--predicted", "auto", "--format=json", "people", *FILES,
               cwd=folder)  # fmt: skip
    assert ran.code == 0, ran.err
    assert "ERR(max=1)@10 is ERR(max=3)@10 by the model's judgments: name the scale" in ran.err
    # with one relevant document of the highest grade g, ERR is (2^g - 1) / 2^g / rank
    for row in json.loads(ran.out)["means"]:
        people, _, _ = scores_by_hand(folder)[row["run"]]
        kept = [value if value >= 0.1 else 0.0 for value in people]
        assert row["human_only"] == pytest.approx(0.5 * float(np.mean(kept)))
    named = compare(folder, "-m", "ERR(max=3)@10", "-m", "num_rel_ret", "-m", "LastRel")
    assert named.code == 0
    assert "name the scale" not in named.err
    assert "num_rel_ret is compared by its mean over topics, not by its sum" in named.err
    assert "lower is better" in named.err


def test_a_model_that_is_worth_nothing_is_noted(folder: Path, tmp_path: Path) -> None:
    draw = random.Random(1)
    auto = tmp_path / "auto"
    auto.write_text("".join(f"{topic} 0 d{draw.randrange(1, 12)} 1\n" for topic in TOPICS))
    ran = irev("compare", "-m", "recip_rank", "--predicted", auto, "people", *FILES, cwd=folder)
    assert "the model's judgments hardly narrow the intervals of the means of" in ran.err


@pytest.mark.parametrize(
    ("hits", "other_hits", "lines"),
    [
        (3, 30, ["RR: most scores of a are 0: with 30 topics", "judge 200 topics, so that about",
                 "RR: most scores of b are 1", "judge 600 topics or more,"]),
        (0, 14, ["RR: most scores of a, b are 0", "judge 600 topics or more, so that about",
                 "RR: most differences of b and a are 0", "judge 50 topics, so that about"]),
        (14, 14, ["RR: most scores of a, b are 0", "judge 50 topics,"]),  # they are the same
        (15, 16, ["RR: most scores of b are 1", "judge 50 topics,",
                  "RR: most differences of b and a are 0", "judge 600 topics,"]),
        (15, 30, ["RR: most scores of b are 1", "judge 600 topics or more,"]),
        (15, 15, []),
    ],
)  # fmt: skip
def test_scores_that_are_mostly_equal_are_warned_of_before_the_intervals(
    hits: int, other_hits: int, lines: list[str], tmp_path: Path
) -> None:
    """30 of 60 topics judged by people: a has the relevant document in the first `hits` of them."""
    topics = [f"{number:02}" for number in range(60)]
    by_people = [f"{topic} 0 d 1\n" for topic in topics[::2]]
    (tmp_path / "people").write_text("".join(by_people))
    (tmp_path / "auto").write_text("".join(f"{topic} 0 d 1\n" for topic in topics))
    for name, count in (("a", hits), ("b", other_hits)):
        found = {*topics[::2][:count], *topics[1::4]}
        run = [f"{t} Q0 {'d' if t in found else 'x'} 1 1 {name}\n" for t in topics]
        (tmp_path / f"{name}.run").write_text("".join(run))
    ran = irev(
        "compare", "--details", "-m", "RR", "--predicted", tmp_path / "auto", tmp_path / "people",
        tmp_path / "a.run", tmp_path / "b.run",
    )  # fmt: skip
    before = ran.out.decode().partition("\nrun ")[0]
    for line in lines:
        assert line in before
        assert line in ran.err
    assert before.count("warning: RR: most") == len(lines) // 2
    assert ran.err.count("irev: warning: RR: most") == len(lines) // 2


def test_a_missing_topic_counts_as_0_on_both_sides(folder: Path, tmp_path: Path) -> None:
    short = tmp_path / "short.run"
    judged = (folder / "people").read_text(encoding="utf-8").split()[0]
    lines = (folder / "c.run").read_text(encoding="utf-8").splitlines(keepends=True)
    short.write_text("".join(line for line in lines if line.split()[0] != judged))
    ran = irev("compare", "-m", "recip_rank", "--predicted", "auto", "--format=json", "people",
               "a.run", short, cwd=folder)  # fmt: skip
    row = next(row for row in json.loads(ran.out)["means"] if row["run"] == "short")
    assert row["missing_as_zero"] == 1
    scores = scores_by_hand(folder)["c"]
    order = sorted(
        {line.split()[0] for line in (folder / "people").read_text(encoding="utf-8").splitlines()}
    )
    for each in scores[:2]:
        each[order.index(judged)] = 0.0
    assert row["mean"] == pytest.approx(twin(scores, None)["mean"])
    assert "short lacks 1 of 12 judged topics" in ran.err


@pytest.mark.parametrize(
    ("distance", "lower_is_better", "said"),
    [
        ([0.5, -2.9], False, []),
        ([0.5, -2.9], True, []),
        ([0.5, -3.1], False, ["harder (z = -3.1 for b)"]),
        ([0.5, -3.1], True, ["easier (z = -3.1 for b)"]),
        ([3.1, 0.5], True, ["harder (z = 3.1 for a)"]),
    ],
)
def test_topics_that_lie_three_standard_errors_off(
    distance: list[float], lower_is_better: bool, said: list[str]
) -> None:
    estimates: Any = SimpleNamespace(
        name="map", lower_is_better=lower_is_better,
        means=SimpleNamespace(distance=np.array(distance)),
    )  # fmt: skip
    runs: Any = SimpleNamespace(run_names=("a", "b"), topics=(b"1", b"2", b"3", b"4"))
    told = nonrandom_sample_warnings(runs, runs, np.array([0, 2]), [estimates])
    assert [each.message.partition("finds them ")[2] for each in told] == said


def test_a_p_of_just_alpha_is_marked() -> None:
    rows: Any = [
        {"run": "a", "against": "b", "difference": 0.1, "p_equal": p} for p in (0.05, 0.051)
    ]
    table = decisions_by_pair_table(rows, DecisionColumns({"p_equal": np.zeros(2)}, {}), 0.05)
    assert table is not None
    assert [row[-1] for row in table.rows] == ["*", ""]
