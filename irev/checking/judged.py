"""What a run's documents are held against: who was judged, and which form ids have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SHALLOW = 10
"""The rank down to which the share of judged documents is told."""

_MOST_SAMPLES = 50

_ENDING = re.compile(rb"(\.[A-Za-z]{1,5}|[#_.:-]+[0-9]{1,4})$")
_ZEROS = re.compile(rb"(?<![0-9])0+(?=[0-9])")

_FORMS: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("upper and lower case", bytes.lower),
    ("leading zeros", lambda document: _ZEROS.sub(b"", document)),
    ("what stands before the last / or :", lambda document: re.split(rb"[/:]", document)[-1]),
    ("an ending such as .xml, #3 or -3", lambda document: _ENDING.sub(b"", document)),
    (
        "an underscore or a hyphen between the parts",
        lambda document: re.sub(rb"[-_ ]", b"", document),
    ),
)
"""Ways in which ids of one document differ from file to file."""


class JudgedDocuments:
    """The judged documents of each topic, kept as text: a set is made when a topic is asked for."""

    def __init__(self) -> None:
        """No topic yet."""
        self._docs: dict[bytes, bytes] = {}

    def add(self, topic: bytes, docs: Iterable[bytes]) -> None:
        """Take the judged documents of a topic; there may be none."""
        self._docs[topic] = b"\n".join(docs)

    def __contains__(self, topic: object) -> bool:
        """Whether the topic is judged."""
        return topic in self._docs

    def topics(self) -> list[bytes]:
        """The judged topics, in the order of the file."""
        return list(self._docs)

    def judged(self, topic: bytes) -> set[bytes]:
        """The judged documents of a topic."""
        docs = self._docs[topic]
        return set(docs.split(b"\n")) if docs else set()


class Coverage:
    """How much of a run is judged, topic by topic."""

    def __init__(self, judgments: JudgedDocuments) -> None:
        """No topic was looked at yet."""
        self.judgments = judgments
        self.retrieved = self.judged = self.shallow = self.shallow_judged = 0
        self._samples: list[tuple[bytes, list[bytes]]] = []

    def see(self, topic: bytes, docs: list[bytes], top: list[bytes]) -> None:
        """Take the documents of a judged topic, and those up to rank `SHALLOW`."""
        judged = self.judgments.judged(topic)
        self.retrieved += len(docs)
        self.judged += sum(map(judged.__contains__, docs))
        self.shallow += len(top)
        self.shallow_judged += sum(map(judged.__contains__, top))
        if len(self._samples) < _MOST_SAMPLES:
            self._samples.append((topic, top))

    @property
    def share(self) -> float:
        """Which share of the documents up to rank `SHALLOW` is judged; 0 where there are none."""
        return self.shallow_judged / self.shallow if self.shallow else 0.0

    def other_form(self) -> str:
        """A way of writing ids that would make most of the first documents judged; or nothing."""
        for name, plain in _FORMS:
            hits = shallow = 0
            for topic, top in self._samples:
                judged = {plain(document) for document in self.judgments.judged(topic)}
                hits += sum(plain(document) in judged for document in top)
                shallow += len(top)
            # several times what is judged now, and a share that chance does not give
            if hits > max(2, shallow // 5):
                return name
        return ""


def plain_topic(topic: bytes) -> bytes:
    """A topic without what often goes wrong with topic ids: case and leading zeros."""
    return _ZEROS.sub(b"", topic.lower())


def alike(topics: Iterable[bytes]) -> dict[bytes, list[bytes]]:
    """Plain topic -> the topics, in byte order, that become it."""
    found: dict[bytes, list[bytes]] = {}
    for topic in sorted(set(topics)):
        found.setdefault(plain_topic(topic), []).append(topic)
    return found
