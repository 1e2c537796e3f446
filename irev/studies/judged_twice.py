"""Documents that two sets of judgments both hold, with their grades in either."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats
from irev.core.workers import default_threads
from irev.engine.judgments import read_judgments
from irev.errors import MismatchError
from irev.options import Options
from irev.statistics.agreement import confusion, krippendorff_alpha

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.core.inputs import Input
    from irev.core.model import Qrels


@dataclass(frozen=True, eq=False, repr=False)
class JudgedTwice:
    """The N documents of a topic, or of all, that both sets of judgments grade.

    first, second           float64[N], the grades
    only_first, only_second how many documents one set alone grades
    """

    first: Floats
    second: Floats
    only_first: int
    only_second: int

    def facts(self, level: float) -> dict[str, float | int]:
        """How far the two agree.

        Grades of at least the level are relevant: `overlap` is how many documents both call
        relevant, of those that either does. NaN where nothing can be said.
        """
        table = confusion(self.first, self.second)
        grades = np.stack((self.first, self.second))
        relevant = grades >= level
        either = int(relevant.any(axis=0).sum())
        return {
            "judged by both": len(self.first),
            "first only": self.only_first,
            "second only": self.only_second,
            "agreement": table.observed,
            "kappa": table.kappa(),
            "kappa linear": table.kappa("linear"),
            "kappa quadratic": table.kappa("quadratic"),
            "alpha nominal": krippendorff_alpha(grades, "nominal"),
            "alpha ordinal": krippendorff_alpha(grades, "ordinal"),
            "overlap": int(relevant.all(axis=0).sum()) / either if either else float("nan"),
        }


def judged_twice(
    first: Input, second: Input, options: Options | None = None
) -> dict[bytes, JudgedTwice]:
    """The topics that both have, in byte order; grades below 0 are no judgments.

    Raises:
        InputError: judgments that cannot be read.
        MismatchError: they have no topic in common.
    """
    one, other = (_grades(given, options or Options()) for given in (first, second))
    topics = sorted(set(one) & set(other))
    if not topics:
        raise MismatchError("the two sets of judgments have no topic in common")
    return {topic: _both(one[topic], other[topic]) for topic in topics}


def all_together(topics: dict[bytes, JudgedTwice]) -> JudgedTwice:
    """The documents of all topics."""
    return JudgedTwice(
        np.concatenate([each.first for each in topics.values()]),
        np.concatenate([each.second for each in topics.values()]),
        sum(each.only_first for each in topics.values()),
        sum(each.only_second for each in topics.values()),
    )


def _grades(given: Input, options: Options) -> dict[bytes, dict[bytes, float]]:
    threads = options.threads or default_threads()
    qrels = read_judgments(given, "qrels", [], options, threads).qrels
    return dict(_by_topic(qrels))


def _by_topic(qrels: Qrels) -> Iterator[tuple[bytes, dict[bytes, float]]]:
    for number, topic in enumerate(qrels.topics):
        found = int(qrels.list_start[number])
        here = np.arange(int(qrels.start[found]), int(qrels.stop[found]))
        here = here[qrels.grade[here] >= 0]
        yield (
            topic,
            dict(zip(qrels.docs.take(here).to_list(), qrels.grade[here].tolist(), strict=True)),
        )


def _both(one: dict[bytes, float], other: dict[bytes, float]) -> JudgedTwice:
    shared = sorted(one.keys() & other.keys())
    return JudgedTwice(
        np.array([one[document] for document in shared]),
        np.array([other[document] for document in shared]),
        len(one) - len(shared),
        len(other) - len(shared),
    )
