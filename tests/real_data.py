"""Real runs, judgments and score matrices that cannot be given away, where a machine has them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from irev.core.arrays import Floats

FOLDER = Path(os.environ.get("IREV_SHARED_DATA", "no-such-folder"))
COVID = FOLDER / "trec_covid_round1"
COVID_QRELS = COVID / "qrels.covid-round1.residual.txt"
MATRICES = {
    name: FOLDER / "per_topic_score_matrices" / f"{name}.csv"
    for name in ("adhoc7_ap", "adhoc8_ap", "adhoc8_p10", "web2013_err20", "web2013_ndcg20")
}

needs_real_data = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="IREV_SHARED_DATA names no folder with real data"
)


def real_matrix(name: str) -> Floats:
    """The scores of a matrix, topics down and runs across."""
    with MATRICES[name].open(encoding="utf-8") as lines:
        scores: Floats = np.loadtxt(lines, delimiter=",", skiprows=1)
        return scores
