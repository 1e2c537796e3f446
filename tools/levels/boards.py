"""The default test and t on boards of runs: `python -m tools.levels.boards [FOLDER]`.

FOLDER (default: what IREV_SHARED_DATA names) has the sets of `tools/levels/real_sets.py`; without
one only drawn worlds are simulated. In each cell, a set, a number of topics and one of runs, worlds
of two kinds are drawn, both with topics drawn with replacement:

- runs of equal means, of which no two are near-copies: the share of worlds in which Holm's
  correction leaves any pair significant is the *level*; how often the note on skewness comes;
- runs as they are, near-copies too (of drawn worlds: a third better by 0.1): the share of worlds
  in which a pair is significant that is equal or the other way round (*wrong*), and the *power*:
  the mean share of the pairs that truly differ which are found with the right sign.

What was counted is kept in a file, a line for each cell and hundred worlds; a run that was stopped
goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

# small products are dearer on several threads; set before NumPy is imported
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from irev.core.arrays import Floats
from irev.statistics.differences import RunPairs, every_pair
from irev.statistics.families import holm
from irev.statistics.methods import TESTS, skewness_warnings
from irev.statistics.significance_tests import moderated_t, paired_t
from tools.levels.real_sets import MEASURES, RealSet, read_sets
from tools.levels.worlds import BETTER, DRAWS, WITH_BETTER, is_better, world

ALPHA = 0.05
BATCH = 100
NUM_TOPICS = (10, 25, 50)
NUM_RUNS = (3, 5, 15, 25, 40, 60)
MANY_RUNS = 40
"""From so many runs on a cell has `FEWER` of the worlds."""

FEWER = 0.4

OfPairs = Callable[[Floats, RunPairs], Floats]
PAIRED: dict[str, OfPairs] = {
    "moderated": lambda scores, pairs: moderated_t(scores, pairs).p,
    "t": lambda scores, pairs: paired_t(scores, pairs).p,
}
"""p of each pair."""

Sums = dict[str, float]
"""Counts of worlds, and sums over worlds, by `QUESTION/TEST`."""


class Boards(NamedTuple):
    """Where boards come from: `of_equals` and `as_they_are` give the scores of a world.

    as_they_are  with the true means
    num_topics   sizes that are simulated
    num_runs     likewise
    """

    of_equals: Callable[[np.random.Generator, int, int], Floats]
    as_they_are: Callable[[np.random.Generator, int, int], tuple[Floats, Floats]]
    num_topics: Sequence[int]
    num_runs: Sequence[int]


def boards_of_set(real: RealSet) -> Boards:
    """Boards of the runs of a set; its means are true."""

    def of_equals(random: np.random.Generator, topics: int, runs: int) -> Floats:
        scores = real.scores[:, real.choose_runs(random, runs)]
        centred: Floats = scores - scores.mean(axis=0)
        return centred[random.integers(0, len(scores), topics)]

    def as_they_are(random: np.random.Generator, topics: int, runs: int) -> tuple[Floats, Floats]:
        scores = real.scores[:, random.choice(real.scores.shape[1], runs, replace=False)]
        return scores[random.integers(0, len(scores), topics)], scores.mean(axis=0)

    distinct = min(len(real.choose_runs(np.random.default_rng(seed))) for seed in range(20))
    sizes = [size for size in NUM_RUNS if size <= distinct]
    if distinct < 15:
        sizes.append(distinct)
    return Boards(
        of_equals, as_they_are, [min(size, len(real.scores)) for size in NUM_TOPICS], sizes
    )


def drawn_boards(name: str) -> Boards:
    """Boards of a drawn world; a third of the runs is better where means differ."""

    def of_equals(random: np.random.Generator, topics: int, runs: int) -> Floats:
        return world(name, random, topics, runs)

    def as_they_are(random: np.random.Generator, topics: int, runs: int) -> tuple[Floats, Floats]:
        better = name + WITH_BETTER
        return world(better, random, topics, runs), BETTER * is_better(better, runs)

    return Boards(of_equals, as_they_are, NUM_TOPICS, NUM_RUNS)


class Cell(NamedTuple):
    """A set or kind of world, and the size of its boards."""

    name: str
    topics: int
    runs: int


def count_batch(cell: Cell, boards: Boards, batch: int) -> Sums:
    """What the tests do in a hundred worlds of each kind, which are the same for all tests."""
    sums: Sums = defaultdict(float)
    name, topics, runs = cell
    pairs = every_pair(runs)
    of_cell = zlib.crc32(f"{name}/{topics}/{runs}".encode())
    limits = {"moderated": TESTS["moderated"].skewness_limit}
    for number in range(batch * BATCH, (batch + 1) * BATCH):
        random = np.random.default_rng([of_cell, number])
        equals = boards.of_equals(random, topics, runs)
        sums["noted/moderated"] += any(skewness_warnings(equals, pairs, limits))
        scores, means = boards.as_they_are(random, topics, runs)
        truth = np.sign(np.round(means[pairs.first] - means[pairs.second], 12))
        sign = np.sign(scores.mean(axis=0)[pairs.first] - scores.mean(axis=0)[pairs.second])
        power = {}
        for test, p_of in PAIRED.items():
            sums[f"level/{test}"] += bool((holm(p_of(equals, pairs)) <= ALPHA).any())
            shown = holm(p_of(scores, pairs)) <= ALPHA
            sums[f"wrong/{test}"] += bool((shown & (sign != truth)).any())
            power[test] = float((shown & (sign == truth))[truth != 0].mean())
            sums[f"power/{test}"] += power[test]
        sums["gain squared"] += (power["moderated"] - power["t"]) ** 2
    return dict(sums)


def simulate(boards_by_name: Mapping[str, Boards], num_worlds: int, path: Path) -> dict[Cell, Sums]:
    """Means over worlds for each cell, with `worlds`, how many there were; what is new is kept."""
    kept: dict[tuple[Cell, int], Sums] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            *cell, batch, sums = json.loads(line)
            kept[Cell(*cell), batch] = sums
    means = {}
    with path.open("a", encoding="utf-8") as file:
        for name, boards in boards_by_name.items():
            for cell in (Cell(name, t, r) for t in boards.num_topics for r in boards.num_runs):
                share = FEWER if cell.runs >= MANY_RUNS else 1
                batches = range(max(1, round(share * num_worlds / BATCH)))
                total: Sums = defaultdict(float)
                for batch in batches:
                    if (cell, batch) not in kept:
                        sums = count_batch(cell, boards, batch)
                        kept[cell, batch] = sums
                        file.write(json.dumps([*cell, batch, sums]) + "\n")
                        file.flush()
                    for key, number in kept[cell, batch].items():
                        total[key] += number
                worlds = len(batches) * BATCH
                means[cell] = {key: number / worlds for key, number in total.items()}
                means[cell]["worlds"] = worlds
    return means


def tables(means: Mapping[Cell, Sums]) -> Iterator[str]:
    """Levels, wrong signs and power as tables in Markdown: the default, and t behind a stroke."""
    sizes = sorted({cell.runs for cell in means if cell.runs in NUM_RUNS})
    for question in ("level", "power", "wrong", "noted"):
        yield f"\n{question}\n"
        yield "| worlds | topics | " + " | ".join(f"{size} runs" for size in sizes) + " |"
        yield "|---|---:|" + "---|" * len(sizes)
        for name, topics in dict.fromkeys((cell.name, cell.topics) for cell in means):
            rates = [_rates(means, Cell(name, topics, size), question) for size in sizes]
            yield f"| {name} | {topics} | " + " | ".join(rates) + " |"


def _rates(means: Mapping[Cell, Sums], cell: Cell, question: str) -> str:
    if cell.runs == 15 and cell not in means:  # a set of fewer runs: all that it has
        fewer = [each.runs for each in means if each[:2] == cell[:2] and each.runs not in NUM_RUNS]
        cell = cell._replace(runs=max(fewer, default=0))
    if cell not in means:
        return "–"
    sums = means[cell]
    if question == "noted":
        return _rate(sums["noted/moderated"])
    limit = ALPHA + 2 * standard_error(ALPHA, sums["worlds"]) if question == "level" else 1
    return " / ".join(
        f"**{_rate(rate)}**" if rate > limit else _rate(rate)
        for rate in (sums[f"{question}/{test}"] for test in PAIRED)
    )


def _rate(rate: float) -> str:
    return f"{rate:.3f}".replace("0.", ".", 1) if rate else "0"


def standard_error(rate: float, num_worlds: float) -> float:
    """The Monte Carlo error of a rate."""
    return float((rate * (1 - rate) / num_worlds) ** 0.5)


def requirements(means: Mapping[Cell, Sums], drawn: Sequence[str]) -> Iterator[str]:
    """The worst cells: of the level on real runs, of power against t, of wrong signs."""
    real = [cell for cell in means if cell.name not in drawn]
    for cell in sorted(real, key=lambda cell: -means[cell]["level/moderated"])[:8]:
        rate, worlds = means[cell]["level/moderated"], means[cell]["worlds"]
        yield (
            f"level {rate:.3f} ({standard_error(rate, worlds):.3f}), t "
            f"{means[cell]['level/t']:.3f}: {cell}"
        )
    for cell in sorted(means, key=lambda cell: _gain(means[cell])[0])[:8]:
        gain, error = _gain(means[cell])
        yield f"power above t's by {gain:+.4f} ({error:.4f}): {cell}"
    for test in PAIRED:
        cell = max(real, key=lambda cell: means[cell][f"wrong/{test}"])
        yield f"wrong with {test} {means[cell][f'wrong/{test}']:.4f}: {cell}"


def _gain(sums: Sums) -> tuple[float, float]:
    """How much more power the default has than t, and the Monte Carlo error of it."""
    gain = sums["power/moderated"] - sums["power/t"]
    return gain, ((sums["gain squared"] - gain**2) / sums["worlds"]) ** 0.5


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate what was asked for, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=os.environ.get("IREV_SHARED_DATA"))
    parser.add_argument("--worlds", type=int, default=2000, help="how many a cell, in hundreds")
    parser.add_argument("--set", action="append", help="these alone; may be repeated")
    parser.add_argument(
        "--measure", action="append", help="of the collections with judgments; may be repeated"
    )
    parser.add_argument("--kept", type=Path, default=Path("build/boards.jsonl"))
    options = parser.parse_args(arguments)
    drawn = list(DRAWS)
    boards_by_name = {name: drawn_boards(name) for name in drawn}
    if options.folder:
        measures = {measure: measure for measure in options.measure or ()} or MEASURES
        for name, real in read_sets(Path(options.folder), measures).items():
            boards_by_name[name] = boards_of_set(real)
    for name in options.set or boards_by_name:
        if name not in boards_by_name:
            parser.error(f"no set {name!r}; there are {', '.join(boards_by_name)}")
    chosen = {name: boards_by_name[name] for name in options.set or boards_by_name}
    options.kept.parent.mkdir(parents=True, exist_ok=True)
    means = simulate(chosen, options.worlds, options.kept)
    print(*tables(means), "", *requirements(means, drawn), sep="\n")


if __name__ == "__main__":
    main()
