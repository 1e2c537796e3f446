"""Estimates from random samples of documents that people judged, and a model's of all."""

import csv
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from irev.measures.unjudged import DrawnDocuments, SampledSums, tuned_weight
from tests.each import for_each

ROWS = [
    row
    for row in csv.DictReader(
        (Path(__file__).parent / "sampled_sums.csv").read_text(encoding="utf-8").splitlines()
    )
    if row["quantity"] != "input"
]
STRATA = {"T1": ["abcd", "efgh"], "T2": ["abc", "def"]}
RANKING = {"T1": "abce", "T2": "abde"}
PEOPLE = {"T1": {"a": 1, "c": 0, "d": 1, "e": 0, "g": 1}, "T2": {"a": 1, "b": 0, "d": 1, "f": 0}}
MODEL = {"T1": dict.fromkeys("abcdf", 1), "T2": dict.fromkeys("abd", 1)}
WEIGHT = {"P@4": lambda rank: Fraction(1, 4), "RBP(p=0.5)": lambda rank: Fraction(1, 2**rank)}


def rank_weights(measure, topic):
    """Document -> what it adds if it is relevant."""
    ranks = {document: rank for rank, document in enumerate(RANKING[topic], 1)}
    return {
        document: WEIGHT[measure](ranks[document]) if document in ranks else Fraction(0)
        for stratum in STRATA[topic]
        for document in stratum
    }


def sampled_sums(measure, people, weight=None):
    """Irev's own of the two topics, in one run."""
    topics, strata = [*people], [(topic, s) for topic in people for s in STRATA[topic]]
    drawn = [(t, d, number) for number, (t, s) in enumerate(strata) for d in s if d in people[t]]
    design = DrawnDocuments(
        len(topics),
        np.array([topics.index(topic) for topic, _ in strata]),
        np.array([len(stratum) for _, stratum in strata]),
        np.array([number for *_, number in drawn]),
    )
    by_topic = {topic: rank_weights(measure, topic) for topic in topics}
    by_people = np.array([[float(by_topic[t][d] * people[t][d]) for t, d, _ in drawn]])
    by_model = np.array([[float(by_topic[t][d] * MODEL[t].get(d, 0)) for t, d, _ in drawn]])
    total = [float(sum(w * MODEL[t].get(d, 0) for d, w in by_topic[t].items())) for t in topics]
    tuned = tuned_weight(
        design.scaled_deviations_from_stratum_means(by_people),
        design.scaled_deviations_from_stratum_means(by_model),
    )
    return SampledSums(
        design, by_people, by_model, np.array([total]), tuned if weight is None else weight
    )


@for_each("row", ROWS, ids=lambda row: f"{row['quantity']} {row['pair']}")
def test_the_worked_example(row):
    measure, quantity = row["quantity"].split(" ")
    sums = sampled_sums(measure, PEOPLE)
    expected = float(Fraction(row["expected"]))
    if quantity == "lambda":
        assert sums.weight == pytest.approx(expected, abs=1e-12)
        return
    whose, _, how = row["pair"].split(" ")
    if how != "tuned":
        sums = sampled_sums(measure, PEOPLE, float(how))
    values = (sums.estimates if quantity == "estimate" else sums.variances)[0]
    of_mean = values.mean() if quantity == "estimate" else values.sum() / 4
    value = of_mean if whose == "mean" else values[["T1", "T2"].index(whose)]
    assert value == pytest.approx(expected, abs=1e-12)


def plain_estimate_and_variance(measure, topic, people, weight):
    """The same with fractions, written from the formulas."""
    weights, model = rank_weights(measure, topic), MODEL[topic]
    value = weight * sum(w * model.get(d, 0) for d, w in weights.items())
    variance = Fraction(0)
    for stratum in STRATA[topic]:
        errors = [
            weights[d] * (people[d] - weight * model.get(d, 0)) for d in stratum if d in people
        ]
        size, count = len(stratum), len(errors)
        mean = sum(errors) / count
        value += Fraction(size, count) * sum(errors)
        if count < size:
            spread = sum((e - mean) ** 2 for e in errors) / (count - 1)
            variance += size**2 * (1 - Fraction(count, size)) * spread / count
    return value, variance


@for_each("weight", [Fraction(0), Fraction(1), Fraction(1, 3)])
@for_each("measure", WEIGHT)
@for_each(
    "grades", ["abeg", "", "abcdefgh", "e"], ids=["some", "none", "all", "not retrieved first"]
)
def test_all_samples_together_are_without_bias(measure, weight, grades):
    """24 samples of three of abcd and two of efgh, by fractions; irev's floats are these.

    The mean estimate is the true value, and the mean variance the variance of the estimates.
    """
    truth = {document: int(document in grades) for document in "abcdefgh"}
    true_value = sum(w * truth[d] for d, w in rank_weights(measure, "T1").items())
    estimates, variances = [], []
    for draws in product(combinations("abcd", 3), combinations("efgh", 2)):
        people = {document: truth[document] for draw in draws for document in draw}
        value, variance = plain_estimate_and_variance(measure, "T1", people, weight)
        sums = sampled_sums(measure, {"T1": people}, float(weight))
        assert sums.estimates[0, 0] == pytest.approx(float(value), abs=1e-14)
        assert sums.variances[0, 0] == pytest.approx(float(variance), abs=1e-14)
        estimates.append(value)
        variances.append(variance)
    assert len(estimates) == 24
    mean = sum(estimates) / 24
    assert mean == true_value
    assert sum(variances) / 24 == sum((e - mean) ** 2 for e in estimates) / 24


def test_a_stratum_judged_whole_has_no_variance_and_the_model_no_say():
    people = {"T2": dict.fromkeys("abcdef", 1)}
    sums = sampled_sums("P@4", people, 0.7)
    assert sums.estimates[0, 0] == pytest.approx(1.0)
    assert sums.variances[0, 0] == 0


def test_a_difference_of_estimates_is_the_estimate_of_the_difference():
    """One lambda for all runs; the deviations of the difference are those of the runs apart."""
    design = sampled_sums("P@4", PEOPLE).drawn
    rng = np.random.default_rng(5)
    people, model, total = rng.random((2, 9)), rng.random((2, 9)), rng.random((2, 2))
    both = SampledSums(design, people, model, total, 0.4)
    apart = SampledSums(
        design, people[:1] - people[1:], model[:1] - model[1:], total[:1] - total[1:], 0.4
    )
    np.testing.assert_allclose(both.estimates[0] - both.estimates[1], apart.estimates[0])
    deviations = both.error_deviations[0] - both.error_deviations[1]
    np.testing.assert_allclose(design.variances(deviations), apart.variances[0])


def test_a_model_that_says_the_same_of_all_documents_does_not_count():
    deviations = sampled_sums("P@4", PEOPLE).drawn.scaled_deviations_from_stratum_means(
        np.ones((1, 9))
    )
    assert tuned_weight(np.ones((1, 9)), deviations) == 0
