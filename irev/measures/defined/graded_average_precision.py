"""Average precision for a user who draws the line between relevant and not at some grade."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats, offsets, ratio, running_sums, sums_at, within_segments
from irev.core.model import Judged
from irev.measures.choices import DENOMINATOR
from irev.measures.defined.blended import cut_sums
from irev.measures.defined.cutoffs import Ranks, as_ranks
from irev.measures.defined.lists import relevant_ideal
from irev.measures.registry import Elsewhere, Option, defined

LINE = Option(
    "how likely each grade from 1 on is the least that a user takes for relevant: in proportion "
    "to the grade (rising), or all the same (even)",
    "rising",
    kind="choice",
    choices=("rising", "even"),
)


def satisfied(grade: Floats, line: str) -> Floats:
    """float64[...]: how many users, on some scale, take a document of each grade for relevant."""
    return grade if line == "even" else grade * (grade + 1)


@defined(
    "GAP",
    "Graded average precision",
    options={"line": LINE, "denom": DENOMINATOR},
    cutoff="optional",
    formula="sum over relevant r <= k of 1/r * sum over relevant j <= r of s(min(grade(r), "
    "grade(j))), divided by the sum of s(grade) over all relevant documents; s(g) = g (g + 1)",
    source="Robertson, Kanoulas and Yilmaz 2010, Extending Average Precision to Graded Relevance "
    "Judgments, SIGIR; NTCIREVAL",
    checked="program",
    example=("2 0 - 1 | 1", "", (6 + (2 + 2) / 4) / 10),
    cites=("robertson2010graded",),
    elsewhere=(
        Elsewhere(
            "NTCIREVAL", "-gap", "divides by the sum of the k highest grades: GAP(denom=min)@k"
        ),
    ),
)
def graded_average_precision(judged: Judged, cutoffs: Ranks, *, line: str, denom: str) -> Floats:
    """Average precision expected over users who each take another grade for the least relevant one.

    Of two relevant documents the lower grade counts for the later one. The grades themselves are
    used, not gains, and a relevant document of grade 0 (`rel=0`) adds nothing. With one grade only
    it is average precision. With denom=min a cut sum is divided by that of the k highest grades
    only. A topic without relevant documents has 0.
    """
    grade = judged.grade[judged.relevant_rows]
    shared = np.zeros(len(grade))
    below = 0.0
    for level in np.unique(grade).tolist():
        # those of at least this grade share one step more with each other
        rows = np.flatnonzero(grade >= level)
        start = offsets(grade >= level)[judged.relevant_start]
        reached = float(satisfied(np.array(level), line))
        shared[rows] += (reached - below) * within_segments(start)
        below = reached
    total = cut_sums(judged, shared / judged.relevant_rank, cutoffs)
    best = relevant_ideal(judged, "linear")
    whole = running_sums(best.start, satisfied(best.gain, line))
    most = as_ranks(cutoffs) if denom == "min" else as_ranks((None,) * len(cutoffs))
    return ratio(total, sums_at(best.start, whole, np.minimum(best.length[:, None], most)))
