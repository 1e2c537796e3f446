"""What is odd about what is asked for: about judgments and measures, whatever the run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from irev.core.model import Judged, Settings
from irev.core.wording import count_text, shortened_list
from irev.errors import MeasureError, Notice
from irev.measures.naming.suites import SUITE_PREFIX
from irev.measures.registry import SET_NAMES
from irev.scores.scores import SUMMARY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import Floats
    from irev.core.model import Qrels
    from irev.measures.requests import Request

_CUTOFF = re.compile(r"(?<=[._@,])[0-9]+(?![0-9.=%])")
"""A number in a measure's name that may be a cutoff."""


def named_cutoff(names: Sequence[str], requests: Sequence[Request]) -> int | None:
    """The deepest cutoff that stands in the name of a measure with a direction, if one does.

    The cutoffs of sets and suites, and those that a measure has by default, nobody named.
    """
    named = {
        int(number)
        for name in names
        if name not in SET_NAMES and not name.startswith(SUITE_PREFIX)
        for number in _CUTOFF.findall(name)
    }
    if not named:
        return None
    there = {
        cutoff
        for request in requests
        if request.measure.higher_is_better is not None
        for cutoff in request.arguments.cutoffs
        if isinstance(cutoff, int)
    }
    return max(named & there, default=None)


def of_judgments(qrels: Qrels, requests: Sequence[Request], *, is_graded: bool) -> Iterator[Notice]:
    """What is odd about judgments, for the measures that are computed on them."""
    if SUMMARY.encode() in qrels.topic_index:
        yield Notice(
            "topic-called-all",
            f"a topic is called {SUMMARY}, which is also the label of means over topics",
        )
    low = int((qrels.grade < -1).sum()) if is_graded else 0
    if low:
        names = [request.columns[0].name for request in requests if _sees_unjudged(request)]
        if names:
            yield Notice(
                "low-grade",
                f"{count_text(low, 'judgment has a grade', 'judgments have a grade')} below -1, "
                "which "
                f"{shortened_list(names)} {'treats' if len(names) == 1 else 'treat'} as unjudged",
                f"--map-grades={qrels.grade.min():g}=0 makes it 0",
            )


def _sees_unjudged(request: Request) -> bool:
    """Whether unjudged documents are something else to a measure than such as are not relevant."""
    measure = request.measure
    if measure.needs not in ("qrels", "qrels_jg") or measure.ties or measure.scores:
        return False
    if measure.kind == "text":  # which shows them as they are
        return False
    topic, rank, ends = np.zeros(4, np.int64), np.arange(1, 5), np.array([4])

    def values(grade: float, levels: list[float], pooled: int) -> Floats:
        """Those of four documents, of which the first and the third are relevant."""
        grades = np.array([1, grade, 1, grade])
        several, count = np.array([0, len(levels)]), np.full(len(levels), 2)
        judged = Judged(
            topic, rank, grades, ends, several, np.array(levels), count, Settings(),
            np.array([pooled]),
        )  # fmt: skip
        found: Floats = request.values(judged)
        return found

    try:
        return not np.array_equal(values(-2, [1], 2), values(0, [0, 1], 0), equal_nan=True)
    except MeasureError:
        return False
