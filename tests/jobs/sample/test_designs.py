"""Designs of judgment samples, against their rules spelled out by document, and by counting."""

import hashlib
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

from irev.core.ids import ids_from_bytes
from irev.engine.prepared_judgments import read_judgments
from irev.jobs.sample.designs import (
    draw_buckley_voorhees,
    draw_budget,
    draw_collection,
    draw_strata,
    draw_uniform,
)
from irev.options import Options
from tests.each import for_each

MANY = {
    "q1": {f"d{n}": int(n % 5 == 0) for n in range(40)},
    "q2": {f"e{n}": int(n == 7) for n in range(25)},  # one relevant document
    "q3": {f"f{n}": 0 for n in range(12)},  # none
    "q4": {"x": 1, "pooled": -1},
}


def read(judgments):
    return read_judgments(judgments, "qrels", [], Options(), 1).qrels


def kept(qrels, sample):
    """The kept documents of each topic."""
    found: dict[str, set[str]] = {topic.decode(): set() for topic in qrels.topics}
    for row in np.flatnonzero(sample.is_drawn):
        found[qrels.topics[qrels.topic_of_row[row]].decode()].add(qrels.docs[row].decode())
    return found


def redrawn(qrels, sample):
    return {qrels.topics[topic].decode() for topic in sample.redrawn}


def order(topic, documents, seed, replicate, attempt):
    """The documents in the order in which a draw takes them."""

    def digest(document):
        text = "\0".join(map(str, (seed, replicate, attempt, topic, document)))
        return hashlib.sha256(text.encode()).hexdigest()

    return sorted(documents, key=digest)


def plainly_uniform(judgments, rate, seed, replicate):
    """(documents kept, topics drawn again), by the rule."""
    found, again = {}, set()
    for topic, grades in judgments.items():
        judged = [document for document, grade in grades.items() if grade >= 0]
        count = max(1, math.floor(rate * len(judged) + Fraction(1, 2)))
        attempt = 0
        while True:
            sample = order(topic, judged, seed, replicate, attempt)[:count]
            if any(grades[d] > 0 for d in sample) or not any(g > 0 for g in grades.values()):
                break
            attempt += 1
            again.add(topic)
        found[topic] = set(sample)
    return found, again


@for_each("rate", [Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(1)])
@for_each(("seed", "replicate"), [(7, 0), (7, 3), (-1, 0)])
def test_uniform_is_its_rule(rate, seed, replicate):
    qrels = read(MANY)

    sample = draw_uniform(qrels, rate, seed, replicate)

    assert (kept(qrels, sample), redrawn(qrels, sample)) == plainly_uniform(
        MANY, rate, seed, replicate
    )


def test_samples_do_not_depend_on_order_or_on_other_topics():
    backwards = {t: dict(reversed(docs.items())) for t, docs in reversed(MANY.items())}
    whole, turned, alone = read(MANY), read(backwards), read({"q2": MANY["q2"]})
    rate = Fraction(1, 5)

    expected = kept(whole, draw_uniform(whole, rate, 7))

    assert kept(turned, draw_uniform(turned, rate, 7)) == expected
    assert kept(alone, draw_uniform(alone, rate, 7))["q2"] == expected["q2"]


def test_samples_nest_but_for_topics_drawn_again():
    qrels = read(MANY)
    rates = [Fraction(n, 20) for n in range(1, 21)]

    samples = [draw_uniform(qrels, rate, 7) for rate in rates]

    topic = qrels.topic_of_row
    for small, large in pairwise(samples):
        lost = set(topic[small.is_drawn & ~large.is_drawn].tolist())
        assert lost <= set(small.redrawn.tolist())
    assert any(len(sample.redrawn) for sample in samples)  # the rule has been seen to work


def test_every_document_is_as_likely():
    """Of 40 documents 10 are drawn: each in a quarter of 2,000 samples, within 5 deviations."""
    qrels = read({"q": {f"d{n}": 1 for n in range(40)}})

    counts = np.zeros(40, int)
    for replicate in range(2000):
        counts += draw_uniform(qrels, Fraction(1, 4), 1, replicate).is_drawn

    deviation = math.sqrt(2000 * 0.25 * 0.75)
    assert counts.sum() == 20_000
    assert (abs(counts - 500) < 5 * deviation).all()


def test_strata_have_sizes_of_their_own():
    qrels = read(MANY)
    number = np.array([int(document[1:] or 0) for document in _names(qrels)])
    stratum = np.where(number < 10, 0, np.where(number < 20, 1, -1))

    sample = draw_strata(qrels, stratum, [Fraction(1), Fraction(1, 4)], 7)

    found = kept(qrels, sample)
    first = {f"d{n}" for n in range(10)}
    assert first <= found["q1"]
    assert len(found["q1"]) == 13  # 10 and half up of 2.5
    assert all(int(document[1:]) < 20 for document in found["q1"] | found["q2"] | found["q3"])
    assert len(found["q3"]) == 11  # 10 and, of 2 documents, at least one
    topic, judged = qrels.topic_of_row, qrels.grade >= 0
    for t in range(len(qrels.topics)):
        for s in (0, 1):
            here = (topic == t) & (stratum == s) & judged
            assert sample.is_drawn[here].any() or not here.any()


def _names(qrels):
    return [
        name if name[1:].isdigit() else "x0" for name in map(bytes.decode, qrels.docs.to_list())
    ]


def test_budgets():
    qrels = read(MANY)

    five = kept(qrels, draw_budget(qrels, 5, 7))
    some = kept(qrels, draw_budget(qrels, {b"q1": 3, b"q4": 9}, 7))

    assert {topic: len(found) for topic, found in five.items()} == {
        "q1": 5,
        "q2": 5,
        "q3": 5,
        "q4": 1,
    }
    assert {topic: len(found) for topic, found in some.items()} == {
        "q1": 3,
        "q2": 0,
        "q3": 0,
        "q4": 1,
    }


def test_buckley_and_voorhees_keep_shares_of_either_kind():
    judgments = {"q": {f"d{n}": int(n < 15) for n in range(75)}}  # R 15, N 60
    qrels = read(judgments)

    def counts(rate):
        found = kept(qrels, draw_buckley_voorhees(qrels, rate, 7))["q"]
        relevant = sum(judgments["q"][document] for document in found)
        return relevant, len(found) - relevant

    assert counts(Fraction(1, 100)) == (1, 10)  # at least so many
    assert counts(Fraction(1, 4)) == (3, 15)  # floor of 3.75, 15
    assert counts(Fraction(1, 2)) == (7, 30)
    assert counts(Fraction(1)) == (15, 60)


def test_a_collection_is_reduced_for_all_topics_at_once():
    documents = [f"d{n}" for n in range(21)]

    stays = draw_collection(ids_from_bytes([d.encode() for d in documents]), Fraction(1, 2), 7, 2)

    expected = set(order("", documents, 7, 2, 0)[:11])  # 10.5, half up
    assert {d for d, stay in zip(documents, stays, strict=True) if stay} == expected
