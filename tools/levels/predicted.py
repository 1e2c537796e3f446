"""Whether prediction-powered intervals cover: `python -m tools.levels.predicted`.

Topics are drawn from populations of known mean; people judge n of them and a model, too kind
everywhere, all N. For each cell: how often the 95% intervals cover the mean, and how wide the tuned
one is beside that of people's topics alone. A second table has topics that were not drawn at
random. The tables are those of docs/evidence/predicted-judgments.md.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import norm, t

from irev.core.arrays import Bools, Floats
from irev.statistics.prediction_powered import TwiceJudged, prediction_powered

Make = Callable[[Floats], Floats]


class Scores(NamedTuple):
    """What people and the model score a topic, given how easy it is to each: standard normal."""

    people: Make
    model: Make

    def mean(self) -> float:
        """The mean of the population, over a million equally likely topics."""
        count = 1_000_000
        return float(self.people(ndtri((np.arange(count) + 0.5) / count)).mean())


def _logistic(shift: float) -> Make:
    return lambda ease: 1 / (1 + np.exp(-1.2 * ease - shift))


def _reciprocal(chance: float) -> Make:
    """1 / rank of the first relevant document, each relevant with this chance; 0 below rank 10."""

    def score(ease: Floats) -> Floats:
        rank = 1 + np.floor(norm.logsf(ease) / math.log(1 - chance))
        return np.where(rank > 10, 0.0, 1 / rank)

    return score


def _linear(shift: float) -> Make:
    return lambda ease: np.clip(0.35 * ease + shift, 0, 1)


SCORES = {
    "AP-like": Scores(_logistic(-0.9), _logistic(-0.2)),
    "RR-like": Scores(_reciprocal(0.35), _reciprocal(0.5)),
    "many zeros": Scores(_linear(-0.05), _linear(0.1)),
}
"""Continuous; reciprocal ranks, a heap at 1; 56% zeros."""

SIZES = ((10, 200), (20, 200), (30, 300), (50, 500), (100, 200))
"""(topics judged by people, others)."""


def draw_worlds(
    scores: Scores, worlds: int, n: int, m: int, likeness: float, seed: int
) -> TwiceJudged:
    """A column for each world; the likeness is the correlation of what is easy to both."""
    random = np.random.default_rng([seed, n, m, round(10 * likeness)])
    ease, own = random.standard_normal((2, n + m, worlds))
    to_model = likeness * ease + math.sqrt(1 - likeness**2) * own
    x, f = scores.people(ease), scores.model(to_model)
    return TwiceJudged(x[:n], f[:n], f[n:])


def coverage(worlds: int, seed: int) -> Iterator[list[str]]:
    """The rows of the first table."""
    for name, scores in SCORES.items():
        truth = scores.mean()
        for likeness in (0.0, 0.6, 0.9):
            for n, m in SIZES:
                judgments = draw_worlds(scores, worlds, n, m, likeness, seed)
                tuned = prediction_powered([judgments])
                whole = prediction_powered([judgments], weight=1.0)
                shares = [
                    _share(tuned.people_low, tuned.people_high, truth),
                    _share(*_model_alone(judgments), truth),
                    _share(*_large_sample(judgments, tuned.weight * (n - 1) / n), truth),
                    _share(whole.low, whole.high, truth),
                    _share(tuned.low, tuned.high, truth),
                ]
                width = np.mean(tuned.high - tuned.low)
                width /= np.mean(tuned.people_high - tuned.people_low)
                yield [
                    name, f"{likeness:.1f}", str(n), str(n + m), *(f"{s:.3f}" for s in shares),
                    f"{width:.2f}", f"{np.median(tuned.effective):.0f}",
                ]  # fmt: skip


def selection_coverage(worlds: int, seed: int) -> Iterator[list[str]]:
    """The rows of the second table: 30 of 330 topics, tilted by half a standard deviation."""
    scores, n, m, likeness = SCORES["AP-like"], 30, 300, 0.9
    truth = scores.mean()
    random = np.random.default_rng([seed, 99])
    ease, own, luck = random.standard_normal((3, n + m, worlds))
    x = scores.people(ease)
    f = scores.model(likeness * ease + math.sqrt(1 - likeness**2) * own)
    for title, tilt in (("at random", 0 * x), ("easier topics", x), ("liked by the model", f)):
        spread = np.where(tilt.std(axis=0) > 0, tilt.std(axis=0), 1)
        order = np.argsort(luck - 0.5 * (tilt - tilt.mean(axis=0)) / spread, axis=0)
        by_people, by_model = (np.take_along_axis(each, order, axis=0) for each in (x, f))
        powered = prediction_powered([TwiceJudged(by_people[:n], by_model[:n], by_model[n:])])
        far = np.mean(np.abs(powered.distance) > 3)
        yield [
            title, f"{_share(powered.people_low, powered.people_high, truth):.3f}",
            f"{_share(powered.low, powered.high, truth):.3f}", f"{far:.3f}",
        ]  # fmt: skip


def _share(low: Floats, high: Floats, truth: float) -> float:
    covers: Bools = (low <= truth) & (truth <= high)
    return float(covers.mean())


def _model_alone(judgments: TwiceJudged) -> tuple[Floats, Floats]:
    """The t interval of the model's mean over all topics."""
    every = np.concatenate((judgments.model, judgments.rest))
    reach = float(t.ppf(0.975, len(every) - 1)) * every.std(axis=0, ddof=1) / math.sqrt(len(every))
    return every.mean(axis=0) - reach, every.mean(axis=0) + reach


def _large_sample(judgments: TwiceJudged, weight: Floats) -> tuple[Floats, Floats]:
    """The interval of the papers: variances by n and m, a normal quantile."""
    x, f, u = judgments.human, judgments.model, judgments.rest
    mean = x.mean(axis=0) + weight * (u.mean(axis=0) - f.mean(axis=0))
    variance = (x - weight * f).var(axis=0) / len(x) + weight**2 * u.var(axis=0) / len(u)
    reach = float(norm.ppf(0.975)) * np.sqrt(variance)
    return mean - reach, mean + reach


def _print(heads: list[str], rows: Iterator[list[str]]) -> None:
    print("|", " | ".join(heads), "|")
    print("|---" * len(heads) + "|")
    for row in rows:
        print("|", " | ".join(row), "|", flush=True)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--worlds", type=int, default=4000, help="draws for each row")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    error = math.sqrt(0.95 * 0.05 / options.worlds)
    print(f"{options.worlds} worlds a row: a share of 0.95 has a standard error of {error:.4f}.\n")
    heads = ["scores", "likeness", "n", "N", "human only", "model only", "PPI++, large samples",
             "lambda 1", "irev", "its width", "n_eff"]  # fmt: skip
    _print(heads, coverage(options.worlds, options.seed))
    print()
    heads = ["people's topics", "human only", "irev", "warned of (abs(z) > 3)"]
    _print(heads, selection_coverage(options.worlds, options.seed))


if __name__ == "__main__":
    main()
