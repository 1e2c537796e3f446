"""Classes of topics, and weights of topics."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

import numpy as np

from irev.core.arrays import TopicValues
from irev.core.record import record
from irev.core.wording import count_text, shortened_list
from irev.errors import MismatchError

Classes: TypeAlias = "str | os.PathLike[str] | Mapping[Any, Any] | TopicClasses"
"""A file of classes, a mapping {class: topics}, or what was read already."""

Weights: TypeAlias = "str | os.PathLike[str] | Mapping[Any, Any] | TopicWeights"
"""A file of weights, a mapping {topic: weight}, or what was read already."""

_MOST_IDS = 10


@record(eq=True)
class TopicClasses:
    """Classes of topics; a topic may stand in several of them, or in none.

    names    the classes, in the order of their first mention
    members  class -> its topics
    sha256   the hash of the file's decompressed bytes; None where there was none
    """

    names: tuple[str, ...]
    members: Mapping[str, frozenset[bytes]] = field(hash=False)
    sha256: str | None = None

    def unknown_topics(self, topics: Iterable[bytes]) -> tuple[bytes, ...]:
        """The topics of the classes that are not among some topics, in byte order."""
        every = frozenset[bytes]().union(*self.members.values())
        return tuple(sorted(every.difference(topics)))

    def unclassified_topics(self, topics: Iterable[bytes]) -> tuple[bytes, ...]:
        """Those of some topics that stand in no class."""
        every = frozenset[bytes]().union(*self.members.values())
        return tuple(topic for topic in topics if topic not in every)


@record(eq=True)
class TopicWeights:
    """How much each topic counts in a mean: sum(w v) / sum(w).

    weight_of_topic      topic -> its weight, finite and at least 0, not all of them 0
    sha256  the hash of the file's decompressed bytes; None where there was none
    """

    weight_of_topic: Mapping[bytes, float] = field(hash=False)
    sha256: str | None = None

    def weights_of(self, topics: Sequence[bytes]) -> TopicValues:
        """float64[len(topics)]: their weights."""
        absent = [topic for topic in topics if topic not in self.weight_of_topic]
        if absent:
            which = count_text(len(absent), "topic has", "topics have")
            raise MismatchError(f"{which} no weight: {shortened_list(absent, _MOST_IDS)}")
        return np.array([self.weight_of_topic[topic] for topic in topics], np.float64)
