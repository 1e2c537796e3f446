"""Whether estimates from samples of documents hold: `python -m tools.levels.documents DATA`.

DATA is a folder with real runs and judgments. The judgments are taken for the whole pools; a model
is made of them by noise, people's samples are drawn by strata of the best rank. For each design
and measure: the bias of the mean, how often the 95% intervals hold it for these topics and, with
topics drawn anew, for the population, and how wide they are beside those of all documents judged.
Recall, reciprocal rank and ERR are tried, too. The table is that of
docs/evidence/predicted-judgments.md.
"""

from __future__ import annotations

import argparse
import gzip
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from irev.core.arrays import Bools, Floats, Ints
from irev.measures.unjudged import DrawnDocuments, SampledSums, tuned_weight

SETS = {
    "covid": ("trec_covid_round1", "qrels.covid-round1.residual.txt", 8, 1),
    "cast": ("trec_cast_2021", "trec-cast-qrels-docs.2021.qrel", 4, 3),
}
"""Folder, judgments, of how many runs, and every how manieth topic."""
DEPTH = 100
TOP = 10


class World(NamedTuple):
    """M judged documents of T topics, each topic's together, and the ranks that R runs gave them.

    start     int64[T+1], each topic's slice
    grade     float64[M]
    rank      int64[R, M]; 0: not among the first 100
    is_top    bool[M], whether some run has it among the first 10
    weights   linear measure -> float64[R, M]
    """

    start: Ints
    grade: Floats
    rank: Ints
    is_top: Bools
    weights: dict[str, Floats]

    def take(self, topics: Ints) -> World:
        """Some topics, a topic perhaps several times."""
        rows = np.concatenate([np.arange(self.start[i], self.start[i + 1]) for i in topics])
        sizes = np.diff(self.start)[topics]
        start = np.concatenate([[0], np.cumsum(sizes)])
        weights = {name: each[:, rows] for name, each in self.weights.items()}
        return World(start, self.grade[rows], self.rank[:, rows], self.is_top[rows], weights)

    @property
    def topic(self) -> Ints:
        """int64[M]."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))


class Design(NamedTuple):
    """Which share people judge, by two strata or one, and what the model is like."""

    share: float
    strata: int
    model: str


DESIGNS = (
    Design(0.1, 2, "middling"), Design(0.1, 2, "lenient"), Design(0.1, 2, "random"),
    Design(0.2, 2, "middling"), Design(0.1, 1, "middling"), Design(0.05, 2, "middling"),
)  # fmt: skip


def read_world(folder: Path, qrels_name: str, num_runs: int, topic_step: int) -> World:
    """The judgments, and the ranks of some runs evenly spaced by name."""
    judged: dict[str, dict[str, int]] = {}
    for line in (folder / qrels_name).read_text(encoding="utf-8").splitlines():
        topic, _, document, grade = line.split()
        judged.setdefault(topic, {})[document] = max(int(grade), 0)
    paths = sorted((folder / "runs").iterdir())
    paths = [paths[i * len(paths) // num_runs] for i in range(num_runs)]
    topics = sorted(judged)[::topic_step]
    place = {(t, d): None for t in topics for d in judged[t]}
    row_of = {pair: row for row, pair in enumerate(place)}
    rank = np.zeros((len(paths), len(row_of)), np.int64)
    for run, path in enumerate(paths):
        data = path.read_bytes()
        text = gzip.decompress(data).decode() if path.suffix == ".gz" else data.decode()
        scores: dict[str, list[tuple[float, str]]] = {}
        for line in text.splitlines():
            fields = line.split()
            scores.setdefault(fields[0], []).append((float(fields[4]), fields[2]))
        for topic, documents in scores.items():
            for place_in_run, (_, document) in enumerate(sorted(documents, reverse=True)[:DEPTH]):
                if (topic, document) in row_of:
                    rank[run, row_of[topic, document]] = place_in_run + 1
    sizes = [len(judged[topic]) for topic in topics]
    grades = np.array([float(judged[t][d]) for t, d in row_of])
    is_top: Bools = np.any((rank > 0) & (rank <= TOP), axis=0)
    start = np.concatenate([[0], np.cumsum(sizes)])
    return World(start, grades, rank, is_top, rank_weights(rank))


def rank_weights(rank: Ints) -> dict[str, Floats]:
    """Linear measure -> float64[R, M], given ranks of that shape, 0 where there is none."""
    log2 = np.log2(np.maximum(rank, 1) + 1)
    found, in_top = rank > 0, (rank > 0) & (rank <= TOP)
    return {
        "P@10": in_top / 10,
        "RBP(p=0.8)": found * 0.2 * 0.8 ** np.maximum(rank - 1, 0),
        "DCG@10": in_top / log2,
        "relevant in 100": found * 1.0,
    }


def is_graded(measure: str) -> bool:
    """Whether the gain is the grade."""
    return measure.startswith("DCG")


def model_grades(world: World, kind: str, rng: np.random.Generator) -> Floats:
    """What a model says: the grade with noise, of its own for each topic too, or random labels."""
    highest = world.grade.max()
    if kind == "random":
        return world.grade[np.lexsort((rng.random(len(world.grade)), world.topic))]
    own = rng.normal(0, 0.25, len(world.start) - 1)[world.topic]
    noisy = world.grade + rng.normal(0, 0.8, len(world.grade)) + own + 0.5 * (kind == "lenient")
    return np.clip(np.round(noisy), 0, highest)


def draw_documents(
    world: World, design: Design, rng: np.random.Generator
) -> tuple[DrawnDocuments, Ints]:
    """The sample, and the rows that were drawn: half of them from the top where it is a stratum."""
    topic, num_topics = world.topic, len(world.start) - 1
    stratum = topic * 2 + (~world.is_top if design.strata == 2 else 0)
    size = np.bincount(stratum, minlength=2 * num_topics)
    wanted = np.round(design.share * np.diff(world.start)).astype(np.int64)
    if design.strata == 2:
        top = np.minimum(np.maximum(wanted // 2, 2), size[::2])
        rest = np.minimum(np.maximum(wanted - top, 2), size[1::2])
        count = np.stack([top, rest], axis=1).ravel()
    else:
        count = np.stack([np.maximum(wanted, 2), 0 * wanted], axis=1).ravel()
    order = np.argsort(stratum + rng.random(len(topic)))
    start = np.concatenate([[0], np.cumsum(size)])
    nth = np.arange(len(topic)) - start[stratum[order]]
    rows = np.sort(order[nth < count[stratum[order]]])
    return DrawnDocuments(
        num_topics, np.repeat(np.arange(num_topics), 2), size, stratum[rows]
    ), rows


class Estimate(NamedTuple):
    """Values by run and topic, and the deviations of the errors; None where there are none."""

    values: Floats
    deviations: Floats | None = None


def topic_sums(world: World, values: Floats) -> Floats:
    """float64[R, T]: the sums over each topic's documents."""
    sums: Floats = np.add.reduceat(values, world.start[:-1], axis=-1)
    return sums


def ideal_dcg(counts: Floats) -> Floats:
    """float64[T]: of ideal lists cut at 10, given float64[G, T] documents of grades 1 to G."""
    whole = np.floor(np.maximum(counts, 0) + 0.5)
    discounts = np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(2, TOP + 2)))])
    value, above = np.zeros(counts.shape[1]), np.zeros(counts.shape[1])
    for grade in range(len(counts), 0, -1):
        upto = above + whole[grade - 1]
        first, last = (np.minimum(x, TOP).astype(np.int64) for x in (above, upto))
        value += grade * (discounts[last] - discounts[first])
        above = upto
    return value


def divide(above: Floats, below: Floats) -> Floats:
    """0 where nothing is divided by."""
    return np.where(below > 0, above / np.where(below > 0, below, 1), 0.0)


def true_values(world: World) -> dict[str, Floats]:
    """Measure -> float64[R, T], with all documents judged."""
    relevant = (world.grade >= 1).astype(np.float64)
    values = {
        name: topic_sums(world, weights * (world.grade if is_graded(name) else relevant))
        for name, weights in world.weights.items()
    }
    counts = np.stack(
        [topic_sums(world, (world.grade == g).astype(np.float64)) for g in grades_of(world)]
    )
    values["nDCG@10"] = divide(values["DCG@10"], ideal_dcg(counts))
    values["recall@100"] = divide(values["relevant in 100"], topic_sums(world, relevant))
    (stopped,) = stopping(world, [world.grade])
    return values | stopped


def grades_of(world: World) -> list[int]:
    """1 to the highest."""
    return [*range(1, int(world.grade.max()) + 1)]


def stopping(world: World, grades: list[Floats]) -> Iterator[dict[str, Floats]]:
    """RR@10 and ERR@10 of each run and topic, given (perhaps estimated) grades of all documents."""
    highest, topic = world.grade.max(), world.topic
    run, row = np.nonzero(world.weights["P@10"])
    shape = (len(world.rank), len(world.start) - 1, TOP + 1)
    place = (run, topic[row], world.rank[run, row])
    for grade in grades:
        chances = {"RR@10": grade[row], "ERR@10": (2 ** grade[row] - 1) / 2**highest}
        values = {}
        for name, chance in chances.items():
            at_rank = np.zeros(shape)
            at_rank[place] = np.clip(chance, 0, 1)
            going_on = np.cumprod(1 - at_rank, axis=2)[:, :, :-1]
            values[name] = (at_rank[:, :, 1:] * going_on / np.arange(1, TOP + 1)).sum(axis=2)
        yield values


def estimates(
    world: World, design: Design, rng: np.random.Generator
) -> dict[tuple[str, str], Estimate]:
    """(Measure, by whom) -> what one sample gives."""
    model = model_grades(world, design.model, rng)
    drawn, rows = draw_documents(world, design, rng)
    by_people, by_model = world.grade, model
    results: dict[tuple[str, str], Estimate] = {}
    lambdas = {}
    for name, weights in world.weights.items():
        g, f = (x if is_graded(name) else (x >= 1) * 1.0 for x in (by_people, by_model))
        people, auto = weights[:, rows] * g[rows], weights[:, rows] * f[rows]
        total = topic_sums(world, weights * f)
        lambdas[name] = tuned_weight(
            drawn.scaled_deviations_from_stratum_means(people),
            drawn.scaled_deviations_from_stratum_means(auto),
        )
        for whose, weight in (("both", lambdas[name]), ("people", 0.0)):
            sums = SampledSums(drawn, people, auto, total, weight)
            results[name, whose] = Estimate(sums.estimates, sums.error_deviations)
        results[name, "model"] = Estimate(total)
    for whose, weight in (("both", lambdas["DCG@10"]), ("people", 0.0)):
        counts = np.stack([
            indicator_sums(world, drawn, rows, by_people == g, by_model == g, weight)
            for g in grades_of(world)
        ])  # fmt: skip
        reached = results["DCG@10", whose].values
        results["nDCG@10", whose] = Estimate(divide(reached, ideal_dcg(counts)))
    for whose, weight in (("both", lambdas["relevant in 100"]), ("people", 0.0)):
        count = indicator_sums(world, drawn, rows, by_people >= 1, by_model >= 1, weight)
        reached = results["relevant in 100", whose].values
        results["recall@100", whose] = Estimate(divide(reached, count))
    filled = by_model.copy()
    filled[rows] = by_people[rows]
    weight = lambdas["DCG@10"]
    expected = weight * by_model
    expected[rows] += (by_people[rows] - weight * by_model[rows]) * drawn.expansion
    ways = stopping(world, [filled, np.maximum(expected, 0)])
    for whose, stopped in zip(("filled", "both"), ways, strict=True):
        for name, values in stopped.items():
            results[name, whose] = Estimate(values)
    return results


def indicator_sums(
    world: World, drawn: DrawnDocuments, rows: Ints, people: Bools, model: Bools, weight: float
) -> Floats:
    """float64[T]: how many documents of each topic are so."""
    sums = SampledSums(
        drawn, people[None, rows].astype(np.float64), model[None, rows].astype(np.float64),
        topic_sums(world, model.astype(np.float64))[None], weight,
    )  # fmt: skip
    values: Floats = sums.estimates[0]
    return values


class Tally:
    """What is counted of one measure, by one way, over draws."""

    def __init__(self) -> None:
        self.errors: list[float] = []
        self.held: dict[str, list[float]] = {}
        self.widths: dict[str, list[float]] = {}

    def add(self, kind: str, means: Floats, reach: Floats, truth: Floats) -> None:
        """Intervals means -+ reach of runs, or of pairs of them."""
        self.held.setdefault(kind, []).append(float(np.mean(np.abs(means - truth) <= reach)))
        self.widths.setdefault(kind, []).append(float(np.mean(reach)))

    def held_text(self, *kinds: str) -> str:
        """The shares of intervals that hold what is true, the largest Monte Carlo error behind."""
        shares = [self.held[kind] for kind in kinds if kind in self.held]
        if not shares:
            return "-"
        error = max(np.std(each) / math.sqrt(len(each)) for each in shares)
        return f"{' / '.join(f'{np.mean(each):.3f}' for each in shares)} ({error:.3f})"


def simulate(world: World, design: Design, draws: int, seed: int) -> dict[tuple[str, str], Tally]:
    """The tallies of a design, these topics and topics drawn anew."""
    rng = np.random.default_rng([seed, int(1000 * design.share), design.strata])
    by_topic = true_values(world)
    truth = {name: values.mean(axis=1) for name, values in by_topic.items()}
    num_topics = len(world.start) - 1
    quantile = student.ppf(0.975, num_topics - 1)
    first, second = np.triu_indices(len(world.rank), 1)
    tallies: dict[tuple[str, str], Tally] = {}
    for is_new in (False, True):
        for _ in range(draws):
            topics = rng.integers(0, num_topics, num_topics) if is_new else None
            part = world if topics is None else world.take(topics)
            for (name, whose), each in estimates(part, design, rng).items():
                tally = tallies.setdefault((name, whose), Tally())
                means, right = each.values.mean(axis=1), truth[name]
                if not is_new:
                    tally.errors.append(float(np.mean(means - right)))
                    if each.deviations is None:
                        continue
                    deviations = each.deviations
                    se = np.sqrt((deviations**2).sum(axis=1)) / num_topics
                    tally.add("these", means, quantile * se, right)
                    apart = deviations[first] - deviations[second]
                    se = np.sqrt((apart**2).sum(axis=1)) / num_topics
                    tally.add("these pairs", means[first] - means[second], quantile * se,
                              right[first] - right[second])  # fmt: skip
                    continue
                scale = quantile / math.sqrt(num_topics)
                apart = each.values[first] - each.values[second]
                tally.add("population", means, scale * each.values.std(axis=1, ddof=1), right)
                spread = scale * apart.std(axis=1, ddof=1)
                difference = right[first] - right[second]
                tally.add("population pairs", apart.mean(axis=1), spread, difference)
                whole = by_topic[name][:, topics]
                tally.widths.setdefault("all", []).append(
                    float(np.mean(scale * whole.std(axis=1, ddof=1)))
                )
                apart = whole[first] - whole[second]
                tally.widths.setdefault("all pairs", []).append(
                    float(np.mean(scale * apart.std(axis=1, ddof=1)))
                )
    return tallies


def table_lines(name: str, world: World, designs: tuple[Design, ...], draws: int) -> Iterator[str]:
    """Rows of the table in docs."""
    truth = {measure: values.mean() for measure, values in true_values(world).items()}
    for design in designs:
        tallies = simulate(world, design, draws, seed=1)
        for (measure, whose), tally in tallies.items():
            bias, error = np.mean(tally.errors), np.std(tally.errors) / math.sqrt(draws)
            wide = [
                np.median(tally.widths[f"population{kind}"]) / np.median(tally.widths[f"all{kind}"])
                for kind in ("", " pairs")
            ]
            strata = "two strata" if design.strata == 2 else "one stratum"
            yield (
                f"| {name}: {measure} | {design.share:.0%}, {strata}, {design.model} | {whose} | "
                f"{truth[measure]:.3f} | {bias:+.4f} ({error:.4f}) | "
                f"{tally.held_text('these', 'these pairs')} | "
                f"{tally.held_text('population', 'population pairs')} | "
                f"{wide[0]:.2f} / {wide[1]:.2f} |"
            )


def main() -> None:
    """Print the rows of one or all sets."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("data", type=Path, help="folder with the sets of runs and judgments")
    parser.add_argument("--set", choices=SETS, action="append", help="which; default: all")
    parser.add_argument("--draws", type=int, default=1000, help="samples of each kind and cell")
    options = parser.parse_args()
    for name in options.set or SETS:
        folder, qrels, runs, topic_step = SETS[name]
        world = read_world(options.data / folder, qrels, runs, topic_step)
        for line in table_lines(name, world, DESIGNS, options.draws):
            print(line, flush=True)


if __name__ == "__main__":
    main()
