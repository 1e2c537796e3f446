"""What a report shows besides the scores: precision by rank, shares judged, relevant documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.record import record
from irev.engine.score_runs import score_runs
from irev.options import ScoringOptions
from irev.writers.results_page.page_data import PageCurves

if TYPE_CHECKING:
    from collections.abc import Mapping

    from irev.core.judged import Input

JUDGED_RANK = 10
"""The rank down to which judged documents are counted."""

_JUDGED = f"Judged(denom=retrieved)@{JUDGED_RANK}"
_RANKS = (1, 2, 3, 5, 10, 20, 30, 50, 100)
_NUM_RELEVANT = "num_rel"


@record
class PrecisionAndJudgedShares:
    """What is known of runs beside their scores, in the order of the table.

    curves         precision by rank
    judged_shares  for each run which share of its first documents is judged
    num_relevant   for each topic of the table how many relevant documents it has
    """

    curves: PageCurves
    judged_shares: tuple[float, ...]
    num_relevant: tuple[int, ...]


def score_precision_and_judged_shares(
    qrels: Input, runs: Mapping[str, Input], options: ScoringOptions
) -> PrecisionAndJudgedShares:
    """Score runs by name once more, for what is shown beside the scores that were asked for."""
    measures = [_NUM_RELEVANT, _JUDGED, *(f"P@{rank}" for rank in _RANKS)]
    table = score_runs(
        qrels, runs, measures, options.base_record(ScoringOptions).replace(names="file")
    )
    precision = np.stack([table.means(f"P@{rank}") for rank in _RANKS], axis=1)
    curves = PageCurves(
        "Precision by rank", _RANKS,
        tuple(tuple(round(value, 4) for value in row) for row in precision.tolist()),
    )  # fmt: skip
    num_relevant = table.scores(_NUM_RELEVANT).max(axis=1)
    return PrecisionAndJudgedShares(
        curves,
        tuple(round(share, 4) for share in table.means(_JUDGED).tolist()),
        tuple(map(int, num_relevant.tolist())),
    )
