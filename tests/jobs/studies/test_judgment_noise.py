"""`irev study judgment-noise`: Table 2, judgments that are repeated, several assessors."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irev import evaluate
from irev.errors import MismatchError, UsageError
from irev.jobs.studies.judgment_noise import (
    noise_in_run,
    noise_of_assessors,
    noise_quantities,
    simulated_noise,
)
from tests.command import irev as command
from tests.files import CASES, SAMPLE

QRELS, GROUPS, RUN = (SAMPLE / name for name in ("qrels.txt", "qrels_jg.txt", "bm25.run"))

with (CASES / "seeds/kishida.csv").open(encoding="utf-8", newline="") as lines:
    ROWS = {row["ref"]: row for row in csv.DictReader(lines) if row["ref"].startswith("K-T2")}

QUANTITIES = {
    "mu": "mu", "s2mu": "sigma_mu^2", "s2d": "sigma_d^2", "sum": "sum", "Vp": "mean V_p"
}  # fmt: skip


def quantity(record: Any, name: str, measure: str = "AP") -> float:
    return float(record.tables["variance"].set_index("quantity").loc[name, measure])


def topics_of(record: Any, measure: str | None = None) -> Any:
    """The table of topics, of one measure or of all."""
    table = record.tables["topics"]
    return table if measure is None else table[table["measure"] == measure]


def precision(row: tuple[int, ...]) -> float:
    """Average precision of a ranking that holds all relevant documents; 0 where there is none."""
    ranks = [rank for rank, grade in enumerate(row, 1) if grade]
    return sum(n / rank for n, rank in enumerate(ranks, 1)) / len(ranks) if ranks else 0.0


# --- the simulation ---


@pytest.fixture(scope="module")
def simulations() -> dict[str, Any]:
    return {theta: simulated_noise(float(theta), seed=1) for theta in (".9", ".5")}


@pytest.mark.parametrize("ref", list(ROWS))
def test_table_2(simulations: dict[str, Any], ref: str) -> None:
    _, _, short, theta = ref.split("-")
    row = ROWS[ref]
    found = quantity(simulations[theta], QUANTITIES[short])
    assert abs(found - float(row["computed"])) <= float(row["tolerance"])


def test_mean_and_variance_are_those_of_all_outcomes() -> None:
    """At theta 1/2 every outcome of 4 documents is as likely: 16 of them say all."""
    every = [precision(row) for row in itertools.product((0, 1), repeat=4)]
    record = simulated_noise(0.5, num_topics=20, num_ranks=4, num_trials=4000, seed=3)
    assert quantity(record, "mu") == pytest.approx(np.mean(every), abs=0.006)
    assert quantity(record, "sigma_d^2") == pytest.approx(np.var(every), abs=0.003)


def test_certain_judgments_do_not_vary() -> None:
    record = simulated_noise(1.0, ["AP", "P@5"], num_topics=30, num_ranks=5, num_trials=3)
    assert quantity(record, "sigma_d^2") == pytest.approx(0.0, abs=1e-30)
    # every document is relevant by one fair coin
    shares = topics_of(record, "P@5")["mean"]
    assert set(np.round(np.asarray(shares) * 5, 9)) <= {0, 1, 2, 3, 4, 5}
    assert 0.35 < float(shares.mean()) < 0.65


def test_draws_depend_on_the_seed_alone() -> None:
    one = simulated_noise(0.7, num_topics=4, num_ranks=6, num_trials=50, seed=5).tables["topics"]
    more = simulated_noise(0.7, ["P@3", "AP"], num_topics=9, num_ranks=6, num_trials=50, seed=5)
    again = topics_of(more, "AP").head(4).reset_index(drop=True)
    assert one.equals(again)
    other = simulated_noise(0.7, num_topics=4, num_ranks=6, num_trials=50, seed=6).tables["topics"]
    assert not one["mean"].equals(other["mean"])


def test_parts_by_hand() -> None:
    # topics 0 1 and 1 1 (two judgments each): means 1/2, 1; variances 1/4, 0
    values = [np.array([[0.0], [1.0]]), np.array([[1.0], [1.0]])]
    found = {name: each.item() for name, each in noise_quantities(values).items()}
    expected = {
        "mu": 0.75, "sigma_mu^2": 1 / 16, "sigma_d^2": 1 / 8, "sum": 3 / 16,
        "mean V_p": 1 / 4, "sum / L": 3 / 32,
        # s_h^2 are 1/2 and 0; the means' variance with divisor 1 is 1/8, less (1/4 + 0) / 2
        "unbiased sigma_mu^2": 0.0, "unbiased sigma_d^2": 1 / 4, "unbiased sum / L": 1 / 8,
    }  # fmt: skip
    assert found == pytest.approx(expected)


def test_components_of_few_judgments_are_unbiased() -> None:
    """Over every outcome of a small model, each as likely, the means are the model's components.

    A topic has score 0 or 0.6, and a judgment of it adds or takes 0.1 or 0.3, after the topic.
    """
    topics = [(0.0, 0.1), (0.6, 0.3)]
    sigma_mu, sigma_d = 0.09, (0.01 + 0.09) / 2
    for judgments in ((2, 2), (2, 3)):
        totals: dict[str, float] = {}
        outcomes = 0
        for chosen in itertools.product(topics, repeat=2):
            signs = itertools.product((-1, 1), repeat=sum(judgments))
            for sign in signs:
                first, rest = sign[: judgments[0]], sign[judgments[0] :]
                values = [
                    np.array([[level + size * each] for each in own])
                    for (level, size), own in zip(chosen, (first, rest), strict=True)
                ]
                for name, value in noise_quantities(values).items():
                    totals[name] = totals.get(name, 0.0) + value.item()
                outcomes += 1
        means = {name: total / outcomes for name, total in totals.items()}
        assert means["unbiased sigma_mu^2"] == pytest.approx(sigma_mu)
        assert means["unbiased sigma_d^2"] == pytest.approx(sigma_d)
        assert means["unbiased sum / L"] == pytest.approx((sigma_mu + sigma_d) / 2)
        assert means["sigma_d^2"] < 0.7 * sigma_d


# --- one run whose judgments are repeated ---


def test_judgments_that_hold_are_the_judgments() -> None:
    record = noise_in_run(QRELS, RUN, 1.0, ["AP", "nDCG@10", "bpref"], num_trials=2)
    scores = evaluate(QRELS, RUN, ["AP", "nDCG@10", "bpref"]).per_topic()
    for row in topics_of(record).itertuples():
        assert row.mean == pytest.approx(scores[row.topic][row.measure], abs=1e-12)
        assert row.variance == pytest.approx(0.0, abs=1e-30)
    assert record.notes == (
        "11 topics, 2 trials each, seed 0",
        "with 2 trials sigma_d^2, which divides by them, is on average 1/2 of the variance within "
        "topics; sigma_mu^2 has the rest; the unbiased rows correct both",
        "1 topic without relevant documents left out",
    )  # fmt: skip


def test_a_topic_that_the_run_lacks_counts_as_0() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}, "4": {"a": 0}}
    run = {"1": {"a": 1.0}, "2": {"b": 2.0, "a": 1.0}}
    record = noise_in_run(qrels, run, 1.0, num_trials=2)
    assert quantity(record, "mu") == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert topics_of(record)["topic"].tolist() == ["1", "2", "3"]
    assert "the run lacks 1 judged topic, counted as 0: 3" in record.notes
    assert record.parameters["signature"]["scores"]["divisor"] == 3
    twice = noise_of_assessors([qrels, qrels], run)
    assert quantity(twice, "mu") == pytest.approx((1 + 1 / 2 + 0 + 0) / 4)
    assert "the run lacks 2 judged topics, counted as 0: 3, 4" in twice.notes


def test_judgments_that_never_hold_are_turned() -> None:
    qrels = {"q": {"a": 2, "b": 0, "c": 1, "z": 0}, "r": {"a": 1, "b": 0}}
    run = {"q": {"a": 3.0, "b": 2.0, "u": 1.0}, "r": {"a": 3.0, "b": 2.0}}
    turned = {"q": {"a": 0, "b": 1, "c": 0, "z": 1}, "r": {"a": 0, "b": 1}}
    names = ["AP", "nDCG@3", "bpref", "num_rel"]
    record = noise_in_run(qrels, run, 0.0, names, num_trials=2)
    scores = evaluate(turned, run, names).per_topic()
    for row in topics_of(record).itertuples():
        assert row.mean == pytest.approx(scores[row.topic][row.measure])


def test_mean_over_the_repeated_judgments_of_a_run() -> None:
    """All 2^3 outcomes of a topic's three judged documents, each with its probability."""
    qrels = {"q": {"a": 1, "b": 0, "z": 1}, "r": {"a": 1}}
    run = {"q": {"a": 3.0, "u": 2.5, "b": 2.0}, "r": {"a": 1.0}}
    theta, mean, square = 0.8, 0.0, 0.0
    for held in itertools.product((True, False), repeat=3):
        grades = [judged == hold for judged, hold in zip((1, 0, 1), held, strict=True)]
        ranks = [rank for rank, grade in zip((1, 3), grades[:2], strict=True) if grade]
        total = sum(n / rank for n, rank in enumerate(ranks, 1))
        score = total / sum(grades) if any(grades) else 0.0
        chance = theta ** sum(held) * (1 - theta) ** (3 - sum(held))
        mean += chance * score
        square += chance * score**2
    record = noise_in_run(qrels, run, theta, num_trials=20000, seed=2)
    row = topics_of(record).query("topic == 'q'").iloc[0]
    assert float(row["mean"]) == pytest.approx(mean, abs=0.01)
    assert float(row["variance"]) == pytest.approx(square - mean**2, abs=0.01)


def test_judgments_are_the_same_for_every_run_and_file_order(tmp_path: Path) -> None:
    shuffled = tmp_path / "qrels.txt"
    shuffled.write_bytes(b"".join(reversed(QRELS.read_bytes().splitlines(keepends=True))))
    one = noise_in_run(QRELS, RUN, 0.9, ["num_rel"], num_trials=40)
    other = noise_in_run(shuffled, SAMPLE / "rm3.run", 0.9, ["num_rel"], num_trials=40)
    assert topics_of(one).equals(topics_of(other))


# --- several assessors ---


ANNA = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "b": 2}, "3": {"a": 1}}
BEN = {"1": {"a": 0, "b": 1, "c": 1}, "2": {"a": 1, "b": 1}}
RANKED = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in "1234"}


def test_two_assessors() -> None:
    record = noise_of_assessors([ANNA, BEN], RANKED, ["AP", "ERR@2"])
    # topic 1: (1 + 2/3) / 2 and (1/2 + 2/3) / 2; topic 2: 1/2 and 1
    values = {"1": (5 / 6, 7 / 12), "2": (1 / 2, 1.0)}
    table = topics_of(record, "AP").set_index("topic")
    for topic, both in values.items():
        assert float(table.loc[topic, "mean"]) == pytest.approx(np.mean(both))
        assert float(table.loc[topic, "variance"]) == pytest.approx(np.var(both))
    single = [np.var([values[topic][a] for topic in values], ddof=1) for a in (0, 1)]
    assert quantity(record, "mean V_p") == pytest.approx(np.mean(single))
    assert record.notes == (
        "2 topics", "1 topic left out: without two judgments, or not in all of these qrels",
    )  # fmt: skip
    # the scale of both ends at the highest grade of either
    assert "ERR(max=2)@2" in record.tables["variance"]


def test_groups_of_assessors_in_one_file() -> None:
    """The same as the groups' judgments in files of their own."""
    groups: dict[str, dict[str, dict[str, int]]] = {}
    for line in GROUPS.read_text(encoding="utf-8").splitlines():
        topic, group, document, grade = line.split()
        groups.setdefault(group, {}).setdefault(topic, {})[document] = int(grade)
    assert sorted(groups) == ["anna", "ben"]
    together = noise_of_assessors([GROUPS], RUN, ["AP", "nDCG@10"], qrels_format="qrels_jg")
    apart = noise_of_assessors([groups["anna"], groups["ben"]], RUN, ["AP", "nDCG@10"])
    assert topics_of(together).equals(topics_of(apart))
    assert together.tables["variance"].equals(apart.tables["variance"])
    one = evaluate(groups["anna"], RUN, ["AP"]).per_topic()
    two = evaluate(groups["ben"], RUN, ["AP"]).per_topic()
    table = topics_of(together, "AP").set_index("topic")
    for topic in one:
        both = (float(one[topic]["AP"]) + float(two[topic]["AP"])) / 2
        assert float(table.loc[topic, "mean"]) == pytest.approx(both)


def test_refused() -> None:
    with pytest.raises(MismatchError, match="two judgments"):
        noise_of_assessors([ANNA], RANKED)
    with pytest.raises(UsageError, match="at least 2 topics"):
        noise_of_assessors([{"2": {"a": 1}}, {"2": {"a": 0}}], RANKED)
    with pytest.raises(UsageError, match="probability"):
        simulated_noise(1.5)
    with pytest.raises(UsageError, match="2 trials"):
        simulated_noise(0.5, num_trials=1)
    with pytest.raises(UsageError, match="no measure"):
        noise_of_assessors(["nowhere"], "nowhere", ["nonsense"])


# --- figures and the command ---


def test_what_is_drawn() -> None:
    record = simulated_noise(0.8, ["AP", "P@5"], num_topics=6, num_ranks=5, num_trials=20)
    axes = record.figures["topics"]().axes
    assert [each.get_ylabel() for each in axes] == ["AP", "P@5"]
    points, _, (bars,) = axes[0].containers[0].lines  # type: ignore[attr-defined]
    table = topics_of(record, "AP")
    table = table.sort_values(["mean", "topic"], ascending=[False, True])
    assert points.get_ydata().tolist() == table["mean"].tolist()
    ends = np.array([segment[:, 1] for segment in bars.get_segments()])
    mean, sd = table["mean"].to_numpy(), table["sd"].to_numpy()
    assert (mean + sd).max() > 1  # the bar ends at 1 then
    assert ends[:, 0] == pytest.approx(np.maximum(mean - sd, 0))
    assert ends[:, 1] == pytest.approx(np.minimum(mean + sd, 1))
    assert [tick.get_text() for tick in axes[0].get_xticklabels()] == table["topic"].tolist()

    (drawn,) = record.figures["parts"]().axes
    parts = record.tables["parts"]
    heights: list[Any] = [bar.get_height() for bar in drawn.patches]  # type: ignore[attr-defined]
    assert heights == [*parts["between topics"], *parts["within topics"]]
    assert [tick.get_text() for tick in drawn.get_xticklabels()] == ["AP", "P@5"]
    assert drawn.figure.legends


@pytest.mark.parametrize("whose", [["--theta", "0.8"], ["assessors"]])
def test_command_of_judgments_without_an_iteration(tmp_path: Path, whose: list[str]) -> None:
    """The same numbers: they are the same judgments."""
    lines = map(str.split, QRELS.read_text(encoding="utf-8").splitlines())
    (tmp_path / "triples").write_text(
        "".join(f"{t} {d} {g}\n" for t, _, d, g in lines), encoding="utf-8"
    )

    def found(qrels: Path, *form: str) -> bytes:
        assessors = [qrels, qrels] if whose == ["assessors"] else [*whose, qrels]
        ran = command("study", "judgment-noise", *form, *assessors, RUN)
        assert ran.code == 0, ran.err
        return ran.out.partition(b"signature:")[0]

    assert found(tmp_path / "triples", "-R", "triples") == found(QRELS)


def test_command_refuses() -> None:
    refused: list[tuple[list[Any], str]] = [
        (["-R", "prefs", QRELS, QRELS, RUN], "'prefs' is not one of 'qrels', 'ntcir', 'triples'"),
        ([], "--theta"),
        ([QRELS], "qrels files and one run"),
        ([QRELS, RUN], "or another file of judgments"),
        ([QRELS, RUN, "--theta", "2"], "from 0 to 1"),
        (
            [QRELS, RUN, "--theta", "0.5", "--topic-set-size", "3"],
            "--topic-set-size cannot be combined with",
        ),
        (
            [QRELS, QRELS, RUN, "--theta", "0.5"],
            "--theta cannot be combined with several assessors",
        ),
        (["-R", "qrels_jg", "--theta", "0.5"], "qrels files and one run"),
        (["--theta", "x"], "'x' is not a number"),
    ]
    for arguments, said in refused:
        ran = command("study", "judgment-noise", *arguments)
        assert (ran.code, ran.out) == (2, b""), arguments
        assert said in ran.err, arguments
        assert "Traceback" not in ran.err, arguments
