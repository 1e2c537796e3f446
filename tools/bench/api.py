"""Calls from Python beside pytrec_eval's: a line of JSON for each case.

Five measures, or two where few documents are judged; an evaluator made once and used again and
again. The peer gets dictionaries, the only thing it takes. Each case is tried in one process, irev
and the peer in turn.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import irev
from tools.bench.results import Figures, Pairs

NAMES = {"map": "map", "ndcg": "ndcg", "ndcg_cut_10": "ndcg_cut.10", "recip_rank": "recip_rank",
         "P_10": "P.10"}  # fmt: skip
"""irev's and pytrec_eval's."""

SPARSE = 3
"""Judged documents of a topic where they are few."""

Runs = dict[str, dict[str, float]]
Judgments = dict[str, dict[str, int]]

SHAPES = {
    (1_000, 1_000, 50): {"dictionary": 0.9, "frame": 0.5, "Arrow": 0.5, "arrays": 0.5},
    (100, 100, 10): {"dictionary": 1.0, "arrays": 1.0},
    (1, 100, 10): {"dictionary": 15.0, "arrays": 15.0},
    (10, 1_000, 50): {"dictionary": 1.0, "arrays": 1.0},
    (100, 100, SPARSE): {"dictionary": 1.0},
    (1, 100, SPARSE): {"dictionary": 8.0},
}
"""Topics, documents and judged documents of each topic, and the ratio aimed at for each form of the
run."""


def random_inputs(topics: int, depth: int, judged: int) -> tuple[Judgments, Runs]:
    """A run of random scores, and judgments of some documents of each topic."""
    r = random.Random(1)
    runs = {
        f"q{topic}": {f"d{r.randrange(10**7)}": r.random() * 50 for _ in range(depth)}
        for topic in range(topics)
    }
    judgments = {
        topic: {doc: r.randrange(4) for doc in r.sample(list(docs), judged)}
        for topic, docs in runs.items()
    }
    return judgments, runs


def forms(runs: Runs) -> dict[str, Any]:
    """The run in each form that irev takes."""
    rows = [(topic, doc, score) for topic, docs in runs.items() for doc, score in docs.items()]
    topics, docs, scores = (list(column) for column in zip(*rows, strict=True))
    columns = {"query_id": topics, "doc_id": docs, "score": scores}
    return {
        "dictionary": runs,
        "frame": pd.DataFrame(columns),
        "Arrow": pa.table(columns),
        "arrays": {name: np.array(column) for name, column in columns.items()},
    }


def cost(call: Callable[[], object], times: int) -> Figures:
    """Of one call among so many."""
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(times):
        call()
    return {
        "wall": (time.perf_counter() - wall) / times,
        "cpu": (time.process_time() - cpu) / times,
    }


def compare_forms(
    library: Any, topics: int, depth: int, judged: int, rounds: int
) -> Iterator[tuple[str, Pairs]]:
    """Each form of one shape."""
    judgments, runs = random_inputs(topics, depth, judged)
    names = ["map", "ndcg_cut_10"] if judged == SPARSE else list(NAMES)
    peer = library.RelevanceEvaluator(judgments, {NAMES[name] for name in names})
    ours = irev.Evaluator(judgments, names)
    times = max(1, 100_000 // (topics * depth))
    for form, run in forms(runs).items():
        title = f"{topics:,} topics of {depth:,}, {judged} judged: {form}"
        pairs = Pairs(f"python-{topics}x{depth}-{judged}-{form}", title, "pytrec_eval")

        def call(run: Any = run) -> object:
            return ours.evaluate(run).summary()

        call()
        for _ in range(rounds):
            pairs.add(cost(call, times), cost(lambda: peer.evaluate(runs), times))
        yield form, pairs


def main() -> None:
    """Measure each shape and form."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    library = import_module("pytrec_eval")
    for (topics, depth, judged), aims in SHAPES.items():
        for form, pairs in compare_forms(library, topics, depth, judged, rounds):
            print(json.dumps({**asdict(pairs), "wanted": aims.get(form)}), flush=True)


if __name__ == "__main__":
    main()
