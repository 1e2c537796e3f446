"""Whether prediction-powered intervals cover on reciprocal ranks of real runs, and differences.

`python -m tools.levels.sparse QRELS RUN... --level GRADE`. The topics of the set are the
population: each draw takes N of them with replacement, of which people judged n. A made-up model
judges all: it takes some relevant documents for not relevant and more others for relevant, the
same for all runs. With `--one COPIES` people know of one relevant document of a topic alone, as in
MS MARCO, drawn anew for each copy of the topics. The table is one of
docs/evidence/predicted-judgments.md.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import irev
from irev.core.arrays import Floats
from irev.statistics.prediction_powered import TwiceJudged, prediction_powered

SIZES = (10, 20, 50, 100)
"""Topics judged by people; the model judged OTHERS more."""
OTHERS = 200
MISSED, TAKEN = 0.3, 0.1
"""How often the model misses a relevant document, and how often it takes another for one."""
AT_ONCE = 25
PARTS = (0.0, 0.5, 0.75)
"""Differences are shown by their share of zeros: from each of these on, up to the next."""

Judgments = dict[str, dict[str, int]]


def read_judgments(path: str, level: int) -> Judgments:
    """Topic -> document -> whether it is relevant, 1 or 0."""
    judgments: Judgments = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        topic, _, document, grade = line.split()[:4]
        judgments.setdefault(topic, {})[document] = int(float(grade) >= level)
    return judgments


def judge_again(judgments: Judgments, random: np.random.Generator) -> Judgments:
    """The model's judgments of the same documents."""
    return {
        topic: {
            document: int(random.random() < (1 - MISSED if relevant else TAKEN))
            for document, relevant in sorted(documents.items())
        }
        for topic, documents in sorted(judgments.items())
    }


def with_one_relevant(judgments: Judgments, random: np.random.Generator) -> Judgments:
    """The judgments of people who know of one relevant document of each topic alone."""
    known: Judgments = {}
    for topic, documents in sorted(judgments.items()):
        relevant = sorted(document for document, is_relevant in documents.items() if is_relevant)
        one = random.choice(relevant) if relevant else ""
        known[topic] = {document: int(document == one) for document in documents}
    return known


def score_matrix(judgments: Judgments, runs: Sequence[str], measure: str) -> Floats:
    """float64[T, S]: the scores of every run; a topic that it lacks has 0."""
    scores: Floats = irev.evaluate(judgments, list(runs), measure).values[0]
    return scores


def coverage(people: Floats, model: Floats, draws: int, seed: int) -> Iterator[list[str]]:
    """A row for the means, then for the differences by their share of zeros."""
    first, second = np.triu_indices(people.shape[1], 1)
    x, f = (each[:, first] - each[:, second] for each in (people, model))
    zeros = (x == 0).mean(axis=0)
    yield _row(f"{people.shape[1]} means", people, model, draws, seed)
    for low, high in zip(PARTS, (*PARTS[1:], 1.0), strict=True):
        part = (low <= zeros) & (zeros < high)
        if part.any():
            yield _row(f"{part.sum()} differences", x[:, part], f[:, part], draws, seed)


def _row(title: str, x: Floats, f: Floats, draws: int, seed: int) -> list[str]:
    """For each n how often people's interval and irev's hold, with the larger Monte Carlo error."""
    r = np.nanmean([_correlation(a, b) for a, b in zip(x.T, f.T, strict=True)])
    cells = [title, f"{(x == 0).mean():.2f}", f"{r:.2f}"]
    for n in SIZES:
        shares = _held(x, f, n, draws, seed)
        people, powered = shares.mean(axis=0)
        error = shares.std(axis=0, ddof=1).max() / math.sqrt(draws)
        cells.append(f"{people:.3f} {powered:.3f} ({error:.3f})")
    return cells


def _correlation(a: Floats, b: Floats) -> float:
    return float(np.corrcoef(a, b)[0, 1]) if a.std() * b.std() else math.nan


def _held(x: Floats, f: Floats, n: int, draws: int, seed: int) -> Floats:
    """float64[draws, 2]: the share of columns whose mean people's interval and irev's hold."""
    random = np.random.default_rng([seed, n])
    columns, truth = x.shape[1], x.mean(axis=0)
    people_shares: list[Floats] = []
    shares: list[Floats] = []
    for start in range(0, draws, AT_ONCE):
        count = min(AT_ONCE, draws - start)
        rows = random.integers(0, len(x), (n + OTHERS, count))
        drawn = [each[rows].reshape(n + OTHERS, count * columns) for each in (x, f)]
        powered = prediction_powered([TwiceJudged(drawn[0][:n], drawn[1][:n], drawn[1][n:])])
        true = np.tile(truth, count)
        near = 1e-9  # where nothing varies among the topics drawn an interval is a point
        ends = ((powered.people_low, powered.people_high), (powered.low, powered.high))
        for kept, (low, high) in zip((people_shares, shares), ends, strict=True):
            covers = (low - near <= true) & (true <= high + near)
            kept.append(covers.reshape(count, columns).mean(axis=1))
    return np.column_stack([np.concatenate(each) for each in (people_shares, shares)])


def main() -> None:
    """Print the rows of a set."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("qrels")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--level", type=int, default=1, help="the smallest relevant grade")
    parser.add_argument("--one", type=int, default=0, metavar="COPIES", help="see above")
    parser.add_argument("--measure", default="RR@10")
    parser.add_argument("--draws", type=int, default=1000, help="for each row")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    judgments, runs = read_judgments(options.qrels, options.level), sorted(options.runs)
    by_model = score_matrix(judge_again(judgments, random), runs, options.measure)
    known = [with_one_relevant(judgments, random) for _ in range(options.one)] or [judgments]
    people = np.vstack([score_matrix(each, runs, options.measure) for each in known])
    model = np.tile(by_model, (len(known), 1))
    print(f"{len(people)} topics, {len(runs)} runs, {options.draws} draws a row\n")
    heads = ["of", "zeros", "r", *(f"n = {n}" for n in SIZES)]
    print("|", " | ".join(heads), "|")
    print("|---" * len(heads) + "|")
    for row in coverage(people, model, options.draws, options.seed):
        print("|", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()
