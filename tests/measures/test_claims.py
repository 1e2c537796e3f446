"""What the record of a measure claims is true: over ties, of its bounds, direction and residual.

A claim that is forgotten fails as well as one that is wrong: what is not called additive must have
another mean over all orders of tied documents than over some turns of each group.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple

import numpy as np
import pytest

import irev
from irev.core.arrays import Floats
from irev.core.judged import Judged
from irev.jobs.explain.topic import DIVISORS, HEADINGS, OF_PROBABILITIES, OF_STRATA
from irev.measures import all_measures
from irev.measures.describe import bibliography
from irev.measures.naming.trec_names import default_arguments, parse_parameter
from irev.measures.registry import (
    Arguments,
    Cutoffs,
    Fractions,
    Gains,
    Measure,
    NamedOptions,
    Numbers,
)
from irev.measures.requests import Request
from tests.each import for_each
from tests.measures.test_every_measure import judged
from tests.plain import Topic

EVERY = {
    f"{'trec:' * bool(m.position)}{m.name}": m
    for m in all_measures()
    if m.needs not in ("nuggets", "support")
}
"""Of rankings; what is claimed of answers is looked at in `test_nuggets` and `test_support`."""
OVER_GRADES = {
    name: m for name, m in EVERY.items()
    if m.needs in ("qrels", "qrels_jg", "any") and m.kind != "text" and not m.ties
}  # fmt: skip
"""Those that are functions of ranks and grades alone."""

CODES = [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]
MISSED = [1.0, 0.0, 2.0]
NEVER = 50.0


# --- values under several parameters ---


def variants(measure: Measure) -> Iterator[Arguments]:
    """Values of the parameter: cut well inside the groups of ties, each choice once."""
    match measure.parameter:
        case None:
            yield Arguments()
        case Cutoffs():
            yield Arguments((2, 3, 7))
        case Fractions():
            yield Arguments((0.3, 0.6, 1.0))
        case Numbers():
            yield default_arguments(measure)
        case Gains(grades=grades):
            yield default_arguments(measure)
            if grades:
                yield parse_parameter(measure, "1=2,2=5")
        case NamedOptions() as named:
            yield from _arguments(measure, named)


def _arguments(measure: Measure, named: NamedOptions) -> Iterator[Arguments]:
    cutoffs: tuple[Any, ...] = {
        "none": (None,), "optional": (None, 2, 3, 7), "required": (2, 3, 7), "recall": (0.3, 0.6),
    }[named.cutoff]  # fmt: skip
    options = {name: option.default for name, option in named.options.items()}
    options |= {name: 3.0 for name, option in named.options.items() if option.kind == "scale"}
    options |= {n: v for n, v in (("never", NEVER), ("N", 40), ("recall", 0.3)) if n in options}
    if measure.scores:
        options["scale"] = "rank"  # there are no scores
    yield Arguments(cutoffs, tuple(options.items()))
    for name, option in named.options.items():
        others: tuple[Any, ...] = option.choices if option.kind in ("choice", "gain") else ()
        for other in others or ((True, False) if option.kind == "flag" else ()):
            if other not in (options[name], "drawn") and not measure.scores:
                yield Arguments(cutoffs, tuple({**options, name: other}.items()))


def values(measure: Measure, value: Arguments, rankings: Judged) -> Floats:
    """float64[T, K], logarithms as what they are of."""
    request = Request(measure, value, ())
    with np.errstate(all="ignore"):
        found: Floats = np.asarray(request.values(rankings), np.float64)
    return np.exp(found) if measure.average == "geometric" else found


# --- averaging over ties ---


class Orders(NamedTuple):
    """Orders of the documents of topics, one topic after another."""

    view: Judged
    start: list[int]

    def means(self, measure: Measure, value: Arguments) -> Floats:
        """float64[topics, K]: the mean over the orders of each topic."""
        found = values(measure, value, self.view)
        parts = itertools.pairwise(self.start)
        return np.array([found[first:last].mean(axis=0) for first, last in parts])


@cache
def orders(depth: int | None) -> tuple[Orders, Orders]:
    """All orders of some tied rankings cut at a depth, and turns of each group alone."""
    draw = random.Random(1)
    tied = [[draw.choices(CODES, k=size) for size in (5, 3)] for _ in range(15)]
    every = [[*itertools.product(*map(itertools.permutations, groups))] for groups in tied]
    return _listed(tied, every, depth), _listed(tied, [*map(turns, tied)], depth)


def turns(groups: Sequence[Sequence[float]]) -> list[tuple[Sequence[float], ...]]:
    """Orders in which each document of a group is at each of its places equally often."""
    each = [[group[i:] + group[:i] for i in range(len(group))] for group in map(tuple, groups)]
    count = math.lcm(*map(len, each))
    return [tuple(turned[i % len(turned)] for turned in each) for i in range(count)]


def _listed(tied: Sequence[Any], found: Sequence[Sequence[Any]], depth: int | None) -> Orders:
    topics, start = [], [0]
    for groups, arranged in zip(tied, found, strict=True):
        grades = [code for group in groups for code in group if code >= 0] + MISSED
        lists = [[code for group in order for code in group][:depth] for order in arranged]
        topics += [Topic(codes, grades, collection_size=40) for codes in lists]
        start.append(len(topics))
    return Orders(judged(topics), start)


def gap(measure: Measure, depth: int | None) -> float:
    """How far the means over turns are from those over all orders, at most."""
    every, some = orders(depth)
    return max(
        float(np.abs(every.means(measure, value) - some.means(measure, value)).max())
        for value in variants(measure)
    )


@pytest.mark.in_turn(2)
@pytest.mark.parametrize("measure", OVER_GRADES.values(), ids=OVER_GRADES)
def test_additive_is_what_is_additive(measure: Measure) -> None:
    assert (gap(measure, None) < 1e-9) == bool(measure.additive)
    if measure.additive:
        assert (gap(measure, 3) < 1e-9) == (measure.additive is True)


# --- bounds and direction ---

GRADES = {"a": 3, "b": 2, "c": 2, "d": 1, "e": 1, "f": 0, "g": 0, "h": 0, "i": 0, "p": -1}
"""The judged documents of every topic; p was pooled but not judged, u and v are in no pool."""
DOCUMENTS = [*GRADES, "u", "v"]
PAIRS = 60


def line(needs: str, topic: str, document: str, grade: int) -> str:
    """A judgment in the format of some judgments."""
    part = sum(map(ord, document)) % 2 + 1
    match needs:
        case "strata":
            return f"{topic} 0 {document} {part} {grade}"
        case "prels":
            return f"{topic} {document} {grade} 1 {part / 2}"
    return f"{topic} {part if needs in ('subtopics', 'qrels_jg') else 0} {document} {grade}"


def improved(draw: random.Random) -> tuple[list[str], list[str]]:
    """A ranking, and the same with a better document at some rank: moved up, or brought in."""
    while True:
        ranking = draw.sample(DOCUMENTS, 8)
        others = [document for document in DOCUMENTS if document not in ranking]
        up, down = sorted(draw.sample(range(8), 2))
        moved, brought = [*ranking], [*ranking]
        moved[up], moved[down] = moved[down], moved[up]
        brought[up] = draw.choice(others)
        better = draw.choice([moved, brought])
        if GRADES.get(better[up], -1) > max(GRADES.get(ranking[up], -1), 0):
            return ranking, better


@cache
def rankings() -> dict[str, list[str]]:
    """By topic, a ranking (q0, q2, ...) and the better one (q1, q3, ...)."""
    draw = random.Random(2)
    lists = [ranking for _ in range(PAIRS) for ranking in improved(draw)]
    return {f"q{number}": ranking for number, ranking in enumerate(lists)}


def asked(measure: Measure) -> str:
    """The measure's name with what it cannot do without, cut where it can be."""
    match measure.parameter:
        case Cutoffs():
            return f"{measure.name}.3,6"
        case NamedOptions(options=options, cutoff=cutoff):
            given = "(N=40)" if "N" in options else f"(never={NEVER})" * ("never" in options)
            at = {"optional": "@3,6", "required": "@3,6", "recall": "@0.5,1"}.get(cutoff, "")
            return measure.name + given + at
    return measure.name


Judgments = Callable[[str], Mapping[str, int]]
"""What is known of a topic's documents."""


def evaluated(measure: Measure, known: Judgments, *, residuals: bool = False) -> Floats:
    """float64[2 * PAIRS, K]: the values of the rankings, in their order."""
    needs = "qrels" if measure.needs == "any" else measure.needs
    kind: Any = {"prefs": "qrels_prefs"}.get(needs, needs)
    run = {q: {d: 1 - rank / 10 for rank, d in enumerate(docs)} for q, docs in rankings().items()}
    with NamedTemporaryFile("w", encoding="utf-8", suffix=".qrels") as file:
        for topic in rankings():
            for document, grade in known(topic).items():
                print(line(needs, topic, document, grade), file=file)
        file.flush()
        scores = irev.evaluate(
            file.name, run, [asked(measure)], qrels_format=kind, residuals=residuals
        )  # fmt: skip
    values: Floats = scores.values[[scores.topics.index(topic.encode()) for topic in rankings()]]
    return np.exp(values) if measure.average == "geometric" else values


def as_it_is(topic: str) -> Mapping[str, int]:
    return GRADES


NUMBERS = {
    name: m for name, m in EVERY.items()
    if m.kind != "text" and m.average not in ("run", "topics")
}  # fmt: skip


@cache
def as_judged(name: str) -> Floats:
    """float64[2 * PAIRS, K]: the values of a measure where all is judged as it is."""
    return evaluated(NUMBERS[name], as_it_is)


@pytest.mark.in_turn(2)
@pytest.mark.parametrize("name", NUMBERS)
def test_values_lie_within_the_bounds(name: str) -> None:
    low, high = NUMBERS[name].bounds
    values = as_judged(name)
    if NUMBERS[name].average == "error":  # which may not be known
        values = values[~np.isnan(values)]
    assert (values >= low - 1e-12).all()
    assert (values <= high + 1e-12).all()


OFTEN_WORSE = {
    "Accuracy": "a relevant document that is new among the first k has others before it",
    "AUC": "as of Accuracy; documents that were not retrieved play no part",
    "RHL": "half of more relevance is reached later",
    "O": "a lesser document above becomes the first relevant one, whose ratio alone counts",
    "PMeasure": "the preferred rank moves: down to a better document, or up past others that count",
    "PPlus": "as PMeasure",
    "WAP": "a lesser document moved up passes greater gains, which its own ratio then lacks",
    "EBR": "a better document above stops the search there, where the ratio may be lower",
    "RateAP": "a lesser document that is new among the first k lowers the mean of what was found",
    "RateRR": "a lesser document above ends the search",
    "nEBR": "as EBR",
    "SwetsE": "a relevant document far above the others widens the spread of its kind",
    "trec:ndcg_rel": "as WAP; one that is missed has the ratio of the whole ranking",
    "trec:infAP": "a pooled document without judgment counts where relevant ones stand above it",
    "infAP": "as trec:infAP",
    "rpref_N": "a document moved up is a penalty of the better ones that it now stands before",
    "rpref_relative": "as rpref_N", "rpref_relative2": "as rpref_N",
}  # fmt: skip
"""Measures to which a better document is not always welcome, and why."""
DIRECTED = {name: m for name, m in NUMBERS.items() if m.higher_is_better is not None}


@for_each("name", DIRECTED)
def test_better_rankings_are_better(name: str) -> None:
    """On the whole; of grades as such, each one, but for the measures listed."""
    measure = DIRECTED[name]
    values = as_judged(name).reshape(PAIRS, 2, -1)
    change = (values[:, 1] - values[:, 0]) * (1 if measure.higher_is_better else -1)
    assert change.sum() > 0
    if measure.needs == "qrels":
        assert (change >= -1e-12).all() == (name not in OFTEN_WORSE)


# --- residuals ---

NOT_BOUNDED = {
    "trec:rbp": "a grade above the topic's highest scales all others down",
    "trec:utility": "whatever weight the relevant documents that were missed have",
    "SetP": "with relative=true more relevant documents lower it",
    "SL": "less is better", "ESL": "less is better",
    "WRR": "with norm=ideal a document of a higher grade that was missed lowers it",
}  # fmt: skip
"""Measures that judgments alone, as they are here, cannot lower, but that have no bounds."""
OF_QUALITY = {
    name: m for name, m in DIRECTED.items()
    if m.needs == "qrels" and m.kind == "real" and m.average == "mean" and name != "trec:dcg"
}  # fmt: skip


@pytest.mark.in_turn(2)
@pytest.mark.parametrize("name", OF_QUALITY)
def test_a_residual_is_a_bracket(name: str) -> None:
    """However the unjudged documents are judged; what has no residual falls below its value."""
    measure = OF_QUALITY[name]
    draw = random.Random(3)
    found = [
        evaluated(measure, lambda topic: GRADES | {d: draw.choice([0, 0, 1, 2, 3]) for d in "puv"})
        for _ in range(3)
    ]
    if not measure.residual:
        low = as_judged(name)
        sign = 1 if measure.higher_is_better else -1
        falls = any((sign * (values - low) < -1e-12).any() for values in found)
        assert falls == (name not in NOT_BOUNDED)
        return
    both = evaluated(measure, as_it_is, residuals=True)
    low, high = both[:, ::2], both[:, 1::2]
    best = evaluated(measure, lambda topic: GRADES | dict.fromkeys("puv", 3))
    assert high == pytest.approx(best, abs=1e-12)
    if name != "BPM":  # a gain may end the search before a better one is seen
        assert all((values >= low - 1e-12).all() for values in found)
        assert all((values <= high + 1e-12).all() for values in found)


# --- what is named ---


@for_each("measure", EVERY.values(), ids=EVERY)
def test_what_is_named_is_there(measure: Measure) -> None:
    assert measure.cites
    assert set(measure.cites) <= set(bibliography())
    of_samples = {"xinfAP": set(OF_STRATA), "statAP": set(OF_PROBABILITIES)}
    assert set(measure.shows) <= HEADINGS.keys() | of_samples.get(measure.name, set())
    assert not measure.divisor or measure.divisor in DIVISORS
    assert measure.residual in ("", "ranking", "cutoff", "endless")


def test_what_an_estimate_stands_for_needs_no_sample() -> None:
    known = {measure.name: measure for measure in EVERY.values() if not measure.position}
    found = {measure.estimates for measure in EVERY.values() if measure.estimates}
    assert found
    assert all(known[name].needs == "qrels" and not known[name].estimates for name in found)
