"""Which topics moved most between two runs, and how their scores are computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.tuples import NamedTuple
from irev.explaining.explanation import Explainer
from irev.statistics.differences import scale_of, without_noise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.comparison.contrasts import Contrast
    from irev.core.arrays import Floats
    from irev.explaining.explanation import Explanation
    from irev.options import Options
    from irev.results.matrices import Matrices


class Pair(NamedTuple):
    """Two runs by their numbers, and what they differ by on each topic.

    run, against  the numbers
    differences   float64[T], the first less the second
    gained, lost  the topics that moved most by their numbers: the better, the worse, the farthest
                  first
    """

    run: int
    against: int
    differences: Floats
    gained: tuple[int, ...]
    lost: tuple[int, ...]

    @property
    def moved(self) -> tuple[int, ...]:
        """Both."""
        return (*self.gained, *self.lost)


def pairs_of(matrices: Matrices, contrast: Contrast, most: int) -> tuple[Pair, ...]:
    """The pairs of a contrast of all topics, each with at most so many topics either way."""
    scores = matrices.of(contrast.measure)
    scale = scale_of(scores)
    found = []
    for run, against in zip(
        contrast.family.first.tolist(), contrast.family.second.tolist(), strict=True
    ):
        differences = without_noise(scores[:, run] - scores[:, against], scale)
        gains = -differences if contrast.falls else differences
        order = np.argsort(-gains, kind="stable").tolist()
        gained = tuple(topic for topic in order[:most] if gains[topic] > 0)
        lost = tuple(topic for topic in order[::-1][:most] if gains[topic] < 0)
        found.append(Pair(run, against, differences, gained, lost))
    return tuple(found)


def lowest(scores: Floats, most: int, *, falls: bool) -> tuple[int, ...]:
    """The topics with the worst scores of one run, the worst first."""
    order = np.argsort(-scores if falls else scores, kind="stable")
    return tuple(order[:most].tolist())


def explanations(
    qrels: str,
    runs: Sequence[str],
    measure: str,
    topics: Sequence[tuple[int, bytes]],
    options: Options,
    format: str,
) -> dict[tuple[int, bytes], Explanation]:
    """How scores are computed, by the number of the run and the topic.

    Args:
        qrels: path of the judgments.
        runs: paths of the runs.
        measure: its name.
        topics: the number of a run with a topic, for each explanation; a topic that the run lacks
            has none.
        options: the choices of the evaluation.
        format: what the judgments hold.

    Raises:
        IrevError: the measure has no number for a topic, or ties have several orders.
    """
    explainer = Explainer(qrels, [measure], options, format)
    found = {}
    for number in sorted({number for number, _ in topics}):
        wanted = {topic for each, topic in topics if each == number}
        for topic, (explanation, *_) in explainer.topics(runs[number], wanted).items():
            found[number, topic] = explanation
    return found
