"""Prediction-powered means: expected values, a plain twin, identities, coverage."""

from __future__ import annotations

import csv
import math
import statistics
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as t_distribution

from irev.errors import UsageError
from irev.statistics.prediction_powered import (
    PoweredMeans,
    Target,
    TwiceJudged,
    prediction_powered,
)
from tests.each import for_each
from tests.files import CASES
from tools.levels.predicted import SCORES, draw_worlds

A = (
    [0.41, 0.12, 0.73, 0.05, 0.33, 0.58, 0.27, 0.90, 0.16, 0.49, 0.22, 0.64],
    [0.52, 0.25, 0.80, 0.21, 0.35, 0.71, 0.44, 0.86, 0.30, 0.50, 0.41, 0.77],
    [0.61, 0.33, 0.48, 0.72, 0.15, 0.55, 0.90, 0.38, 0.27, 0.66, 0.44, 0.59, 0.19, 0.81, 0.36,
     0.53, 0.70, 0.29, 0.47, 0.63, 0.24, 0.57, 0.42, 0.75, 0.31, 0.68, 0.50, 0.40],
)  # fmt: skip
B = (
    [0.35, 0.10, 0.60, 0.08, 0.30, 0.50, 0.20, 0.85, 0.18, 0.40, 0.25, 0.55],
    [0.45, 0.22, 0.71, 0.19, 0.37, 0.60, 0.33, 0.84, 0.28, 0.46, 0.39, 0.65],
    [0.50, 0.30, 0.45, 0.60, 0.16, 0.49, 0.80, 0.33, 0.25, 0.55, 0.40, 0.50, 0.20, 0.74, 0.30,
     0.45, 0.66, 0.27, 0.40, 0.55, 0.22, 0.50, 0.35, 0.66, 0.30, 0.60, 0.41, 0.38],
)  # fmt: skip
"""By people, by the model on the same 12 topics, by the model on 28 others."""

APART = tuple([a - b for a, b in zip(x, y, strict=True)] for x, y in zip(A, B, strict=True))
DATA = {"P-A": A, "P-B": B, "P-A minus P-B": APART}


def judged(*columns: Any) -> TwiceJudged:
    """A column for each of (by people, by the model, by the model on others)."""
    return TwiceJudged(*(np.array(each, float).T for each in zip(*columns, strict=True)))


def halves(lists: Any) -> list[TwiceJudged]:
    first = tuple(each[: len(each) // 2] for each in lists)
    second = tuple(each[len(each) // 2 :] for each in lists)
    return [judged(first), judged(second)]


FACTS = {
    "mean": "mean", "lambda": "weight", "se": "se", "df": "df", "low": "low", "high": "high",
    "classical_mean": "people", "classical_low": "people_low", "classical_high": "people_high",
    "width_ratio": "width_ratio", "n_effective": "effective", "correlation": "correlation",
}  # fmt: skip


def expected() -> list[Any]:
    path = CASES / "statistics" / "predicted_expected.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            pytest.param(r["input"], r["parameters"], float(r["value"]), id=r["id"])
            for r in csv.DictReader(lines)
        ]


@for_each(("name", "parameters", "value"), expected())
def test_expected_values(name: str, parameters: str, value: float) -> None:
    fact, _, how = (part.strip() for part in parameters.partition(";"))
    if how.startswith("as ppi_py"):
        found = as_ppi_py(DATA[name], None if "None" in how else 1.0)[fact]
    elif "strata" in name:
        powered = prediction_powered(halves(A), min_topics_for_own_weight=2)
        found = float(getattr(powered, FACTS[fact])[0])
    else:
        target: Target = "topics" if how == "these 40 topics" else "population"
        powered = prediction_powered([judged(DATA[name])], target=target)
        found = float(getattr(powered, FACTS[fact])[0])
    assert found == pytest.approx(value, rel=1e-9)


def as_ppi_py(given: Any, weight: float | None) -> dict[str, float]:
    """The interval of ppi-python, of large samples, from the estimate and the weights found here.

    Its variances are by n and m, its quantile is normal, its covariance by n.
    """
    x, f, u = given
    n, m = len(x), len(u)
    if weight is None:
        tuned = float(prediction_powered([judged((x, f, u))]).weight[0])
        apart = sum(
            (a - statistics.fmean(x)) * (b - statistics.fmean(f)) for a, b in zip(x, f, strict=True)
        )
        weight = min(1.0, apart / n / ((1 + n / m) * statistics.variance([*f, *u])))
        # theirs divides the covariance by n
        assert tuned == pytest.approx(min(1.0, weight * n / (n - 1)))
    found = prediction_powered([judged((x, f, u))], weight=weight)
    rest = [a - weight * b for a, b in zip(x, f, strict=True)]
    se = math.sqrt(statistics.pvariance(rest) / n + weight**2 * statistics.pvariance(u) / m)
    reach = statistics.NormalDist().inv_cdf(0.975) * se
    mean = float(found.mean[0])
    return {"lambda": weight, "low": mean - reach, "high": mean + reach}


def twin(given: Any, weight: float | None, level: float = 0.9) -> dict[str, float]:
    """The definition again, by the standard library."""
    x, f, u = given
    n, m = len(x), len(u)
    rest = n - 1
    if weight is None:
        rest = n - 2
        mean_x, mean_f = statistics.fmean(x), statistics.fmean(f)
        product = sum((a - mean_x) * (b - mean_f) for a, b in zip(x, f, strict=True)) / (n - 1)
        spread = statistics.variance([*f, *u])
        weight = min(1.0, max(0.0, product / ((1 + n / m) * spread))) if spread else 0.0
    left = [a - weight * b for a, b in zip(x, f, strict=True)]
    a = statistics.variance(left) * (n - 1) / rest / n
    b = weight**2 * statistics.variance(u) / m
    df = min(rest, (a + b) ** 2 / (a**2 / rest + b**2 / (m - 1)))
    mean = statistics.fmean(x) + weight * (statistics.fmean(u) - statistics.fmean(f))
    reach = float(t_distribution.ppf((1 + level) / 2, df)) * math.sqrt(a + b)
    p = 2 * float(t_distribution.sf(abs(mean) / math.sqrt(a + b), df))
    apart = statistics.fmean(f) - statistics.fmean(u)
    z = apart / math.sqrt(statistics.variance(f) / n + statistics.variance(u) / m)
    return {
        "mean": mean, "low": mean - reach, "high": mean + reach, "df": df, "p": p, "distance": z,
        "weight": weight, "model": statistics.fmean([*f, *u]),
    }  # fmt: skip


@pytest.mark.parametrize("weight", [None, 0.0, 0.3, 1.0])
def test_many_columns_are_each_by_itself_as_the_twin_has_it(weight: float | None) -> None:
    random = np.random.default_rng(5)
    x, noise = random.random((14, 9)), random.random((14, 9))
    share = np.linspace(-0.5, 1.5, 9)
    f, u = share * x + (1 - share) * noise, random.random((31, 9))
    found = prediction_powered([TwiceJudged(x, f, u)], weight=weight, level=0.9)
    for column in range(9):
        wanted = twin([each[:, column].tolist() for each in (x, f, u)], weight)
        got = {name: float(getattr(found, name)[column]) for name in wanted}
        assert got == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_a_weight_of_0_is_people_alone() -> None:
    found = prediction_powered([judged(A, B)], weight=0.0)
    for own, alone in (("mean", "people"), ("se", "people_se"), ("low", "people_low")):
        assert getattr(found, own) == pytest.approx(getattr(found, alone), rel=1e-14)
    assert found.effective == pytest.approx(12.0)
    assert found.width_ratio == pytest.approx(1.0)


@pytest.mark.parametrize("target", ["population", "topics"])
def test_people_judged_every_topic(target: Any) -> None:
    found = prediction_powered([judged((A[0], A[1], []))], target=target)
    assert found.mean[0] == pytest.approx(statistics.fmean(A[0]))
    assert found.weight[0] == 0
    wanted = 0.0 if target == "topics" else statistics.stdev(A[0]) / math.sqrt(12)
    assert found.se[0] == pytest.approx(wanted)


def test_the_interval_of_people_alone_is_of_the_same_topics() -> None:
    """Of 40 topics 12 were drawn: without the others the variance is (1 - 12/40) s^2 / 12."""
    reach = float(t_distribution.ppf(0.975, 11)) * statistics.stdev(A[0]) / math.sqrt(12)
    mean = statistics.fmean(A[0])
    population, topics = (
        prediction_powered([judged(A)], target=target) for target in ("population", "topics")
    )
    assert population.people_low[0] == pytest.approx(mean - reach)
    assert population.people_high[0] == pytest.approx(mean + reach)
    assert topics.people_low[0] == pytest.approx(mean - math.sqrt(0.7) * reach)
    assert topics.people_high[0] == pytest.approx(mean + math.sqrt(0.7) * reach)


def test_a_model_that_says_what_people_say_is_worth_all_its_topics() -> None:
    """With lambda 1 and no error left, se^2 is the variance of the m other topics alone."""
    x, u = A[0], A[2]
    found = prediction_powered([judged((x, x, u))], weight=1.0)
    assert found.mean[0] == pytest.approx(statistics.fmean(u))
    assert found.se[0] == pytest.approx(statistics.stdev(u) / math.sqrt(28))


def test_a_constant_judge_is_left_out() -> None:
    found = prediction_powered([judged((A[0], [0.3] * 12, [0.3] * 28), (A[0], A[1], [0.3] * 28))])
    assert found.weight[0] == found.correlation[0] == found.distance[0] == 0
    assert found.mean[0] == pytest.approx(statistics.fmean(A[0]))
    same = prediction_powered([judged(([0.0] * 12, A[1], A[2]), ([0.1 + 0.2] * 12, A[1], A[2]))])
    assert same.se.tolist() == [0, 0]
    assert same.p.tolist() == [1, 2**-11]
    assert same.effective.tolist() == [12, 12]


def test_a_model_that_says_the_opposite_has_no_weight() -> None:
    found = prediction_powered([judged((A[0], [1 - value for value in A[0]], A[2]))])
    assert found.weight[0] == 0
    assert found.correlation[0] == pytest.approx(-1)


def test_a_shift_of_the_model_changes_nothing_but_its_own_mean() -> None:
    """A judge who is too kind to all topics alike costs nothing."""
    kind = (A[0], [value + 0.2 for value in A[1]], [value + 0.2 for value in A[2]])
    found = prediction_powered([judged(A, kind)])
    for name in ("mean", "low", "high", "weight", "p", "distance"):
        first, second = getattr(found, name)
        assert first == pytest.approx(second, rel=1e-9)
    assert found.model[1] - found.model[0] == pytest.approx(0.2)


def test_one_sided() -> None:
    both = prediction_powered([judged(APART)], level=0.9)
    upper = prediction_powered([judged(APART)], level=0.95, tail="greater")
    lower = prediction_powered([judged(APART)], level=0.95, tail="less")
    assert upper.low == pytest.approx(both.low)
    assert lower.high == pytest.approx(both.high)
    assert (upper.high[0], lower.low[0]) == (math.inf, -math.inf)
    assert 2 * upper.p[0] == pytest.approx(both.p[0])
    assert upper.p[0] + lower.p[0] == pytest.approx(1)
    assert upper.width_ratio == pytest.approx(both.width_ratio, rel=0.2)


def test_strata_that_share_a_weight_have_the_best_one() -> None:
    """No other single weight makes the sum of the variances that it is derived from smaller."""
    parts = halves(APART)
    shared = float(prediction_powered(parts).weight[0])
    assert shared < 1

    def variance(weight: float) -> float:
        total = 0.0
        for part, share in zip(parts, (0.5, 0.5), strict=True):
            x, f, u = (each[:, 0] for each in (part.human, part.model, part.rest))
            spread = float(np.concatenate((f, u)).var(ddof=1))
            product = float(np.cov(x, f)[0, 1])
            of_f = (1 / len(x) + 1 / len(u)) * spread
            total += share**2 * (weight**2 * of_f - 2 * weight * product / len(x))
        return total

    assert all(variance(shared) <= variance(shared + more) for more in (-0.05, -0.01, 0.01, 0.05))


def test_one_stratum_by_two_names_is_not_narrower_than_by_one() -> None:
    whole, parted = prediction_powered([judged(A)]), prediction_powered(halves(A))
    assert parted.num_topics == whole.num_topics == 40
    assert parted.num_judged == whole.num_judged == 12
    assert parted.model == pytest.approx(whole.model)


@pytest.mark.parametrize(
    ("strata", "how", "said"),
    [
        ([judged(([0.1], [0.2], A[2]))], {}, "two topics"),
        ([judged(A)], {"weight": 1.5}, "between 0 and 1"),
        ([judged(A)], {"level": 1.0}, "between 0 and 1"),
    ],
)
def test_refusals(strata: Any, how: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        prediction_powered(strata, **how)


@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("likeness", [0.0, 0.9])
def test_intervals_cover(scores: str, likeness: float) -> None:
    """Of 1,500 intervals 95% cover the mean, but for few topics with most scores 0."""
    found, truth = covered(scores, likeness)
    share = float(np.mean((found.low <= truth) & (truth <= found.high)))
    least = 0.90 if scores == "many zeros" else 0.93
    assert least <= share <= 0.97
    width = float(np.mean(found.high - found.low) / np.mean(found.people_high - found.people_low))
    assert width < 0.75 if likeness else width < 1.05
    # the model is too kind: its own mean is far from the truth
    assert float(np.mean(found.model)) - truth > 0.05


def covered(scores: str, likeness: float) -> tuple[PoweredMeans, float]:
    make = SCORES[scores]
    truth = make.mean()
    return prediction_powered([draw_worlds(make, 1500, 30, 300, likeness, 7)]), truth


def test_what_never_varies_is_not_certain() -> None:
    """12 scores of 1 by people and by the model: p is that of 12 equal signs."""
    judged = TwiceJudged(np.ones((12, 1)), np.ones((12, 1)), np.ones((30, 1)))
    for tail, p in (("two-sided", 2**-11), ("greater", 2**-12), ("less", 1)):
        assert prediction_powered([judged], tail=tail).p.tolist() == [p]  # type: ignore[arg-type]
