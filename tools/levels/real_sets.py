"""Score matrices of real runs, from a folder of data that cannot be given away."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

import irev
from irev.core.arrays import Bools, Floats, Ints
from irev.statistics.differences import NEAR
from tools.levels.worlds import matrix_of

EQUAL_SHARE, EQUAL_SHARE_OF_FEW_VALUES = 0.25, 0.5
"""Two runs are near-copies if the share of topics on which they are equal is larger."""


class RealSet(NamedTuple):
    """The scores of real runs, float64[topics, runs], and where near-copies begin."""

    name: str
    scores: Floats
    equal_share: float = EQUAL_SHARE

    def choose_runs(self, random: np.random.Generator, num_runs: int | None = None) -> Ints:
        """Runs in a random order of which no two are near-copies; fewer if there are not so many.

        Making means equal turns topics on which two runs are equal into a constant difference,
        which no test could see as chance. So such runs are not in one world.
        """
        near = _near_copies(self.scores.tobytes(), self.scores.shape, self.equal_share)
        chosen: list[int] = []
        for run in random.permutation(self.scores.shape[1]).tolist():
            if len(chosen) == num_runs:
                break
            if not near[run, chosen].any():
                chosen.append(run)
        return np.array(chosen, np.int64)


@cache
def _near_copies(scores: bytes, shape: tuple[int, int], equal_share: float) -> Bools:
    matrix = np.frombuffer(scores).reshape(shape)
    equal = np.abs(matrix[:, :, None] - matrix[:, None, :]) <= NEAR * np.abs(matrix).max()
    near: Bools = equal.mean(axis=0) > equal_share
    return near


MATRICES = {
    "TREC-7 AP": "adhoc7_ap",
    "TREC-8 AP": "adhoc8_ap",
    "TREC-8 P@10": "adhoc8_p10",
    "Web 2013 nDCG@20": "web2013_ndcg20",
    "Web 2013 ERR@20": "web2013_err20",
}
"""The matrices of Urbano and others (2019), by the files' names."""

COLLECTIONS = {
    "TREC-COVID round 1": ("trec_covid_round1", "qrels.covid-round1.residual.txt"),
    "Deep Learning 2019": ("trec_dl19_passage", "qrels.dl19-passage.txt"),
}
"""Folders with judgments and a folder `runs`."""

MEASURES = {"nDCG@10": "ndcg@10", "AP": "map"}


def read_sets(folder: Path, measures: Mapping[str, str] = MEASURES) -> dict[str, RealSet]:
    """All sets of the folder by name; `measures`: of the collections, by their titles."""
    sets = {}
    for name, file in MATRICES.items():
        scores = matrix_of(str(folder / "per_topic_score_matrices" / f"{file}.csv"))
        share = EQUAL_SHARE_OF_FEW_VALUES if "P@" in name else EQUAL_SHARE
        sets[name] = RealSet(name, scores, share)
    for collection, (place, qrels) in COLLECTIONS.items():
        runs = sorted(map(str, (folder / place / "runs").iterdir()))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", irev.IrevWarning)  # old runs have their mistakes
            table = irev.evaluate(folder / place / qrels, runs, [*measures.values()])
        for title, measure in zip(measures, table.measure_names, strict=True):
            name = f"{collection} {title}"
            sets[name] = RealSet(name, np.ascontiguousarray(table.scores(measure)))
    return sets
