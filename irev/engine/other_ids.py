"""How ids of a run would have to be written to be those of the judgments."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from irev.core.record import cached_property
from irev.errors import id_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

_SHORTEST = 4
"""An id of fewer characters is a part of another by chance."""

_CONSTANT = 0.8
"""What stands before or behind this share of the ids is told as what it is; else as an example."""

_ENDING = re.compile(rb"\.[A-Za-z]{1,5}$")
_ZEROS = re.compile(rb"(?<![0-9])0+(?=[0-9])")
_PLAIN = re.compile(rb"[a-z0-9\0]*")
_AROUND = bytes(code for code in range(128) if not chr(code).isalnum())


def strip_leading_zeros(text: bytes) -> bytes:
    """The text without the zeros before its numbers."""
    return _ZEROS.sub(b"", text)


_FORMS: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("ignoring upper and lower case", bytes.lower),
    ("ignoring leading zeros", strip_leading_zeros),
    ("ignoring characters around the letters and digits", lambda id: id.strip(_AROUND)),
    ("ignoring underscores and hyphens", lambda id: id.translate(None, b"-_ ")),
    (
        "ignoring what comes before the last / or :",
        lambda id: id[max(id.rfind(b"/"), id.rfind(b":")) + 1 :],
    ),
    ("ignoring an ending such as .xml", lambda id: _ENDING.sub(b"", id)),
)
"""Ways in which ids of one document differ from file to file, with what keeps the rest of them."""

_PRECISE = tuple(how for how, _ in _FORMS[:4])
"""Those that say more than which letters stand before or behind."""

_MOST_KEPT = 1 << 14
"""Up to so many judged ids of a topic, what they become is kept for the next run."""

_NEARLY = 0.95
_SUCH = "one such as"


class Way(NamedTuple):
    """How ids would have to be written to be judged.

    how    in words, to stand before "N would be judged"
    hits   how many of the documents that were looked at would be judged then
    one    an id of the run
    other  the judged id that it would become
    """

    how: str
    hits: int
    one: bytes
    other: bytes


def best_way(samples: Iterable[tuple[Sequence[bytes], TopicJudgedIds]]) -> Way | None:
    """The way of writing that makes most documents judged, more than are now; None: there is none.

    Args:
        samples: documents of a topic, and the judged ones of it, for some topics.
    """
    found: dict[str, list[tuple[bytes, bytes]]] = {}
    beside: dict[str, Counter[bytes]] = {}
    kept = 0
    for documents, known in samples:
        others = [document for document in documents if document not in known]
        kept += len(documents) - len(others)
        if not others or not known:
            continue
        for how, plain in _FORMS:
            found.setdefault(how, []).extend(
                _unique_pairs(others, known.ids_by_written_form(plain), plain)
            )
        for document in others:
            for how, more, other in known.affixes.of(document):
                found.setdefault(how, []).append((document, other))
                beside.setdefault(how, Counter())[more] += 1
    ways = [_way(how, hits, beside.get(how), kept) for how, hits in found.items() if hits]
    most = max((way.hits for way in ways), default=0)
    # where several explain about as much, the one that says most precisely what differs
    near = [way for way in ways if way.hits >= _NEARLY * most]
    return max(near, key=lambda way: (_precision(way.how), way.hits), default=None)


class TopicJudgedIds(frozenset[bytes]):
    """The judged ids of a topic; what they become when written otherwise is worked out once."""

    @cached_property
    def _unchanged_ids(self) -> dict[bytes, bytes] | None:
        """What all become in every form, if that is what they are already."""
        text = b"\0".join(self)  # which no id holds
        is_plain = _PLAIN.fullmatch(text) and not _ZEROS.search(text)
        return dict(zip(self, self, strict=True)) if is_plain else None

    @cached_property
    def _ids_by_form(self) -> dict[Callable[[bytes], bytes], dict[bytes, bytes]]:
        return {}

    def ids_by_written_form(self, plain: Callable[[bytes], bytes]) -> dict[bytes, bytes]:
        """The ids by what they become in a form, without those that become the same."""
        found = self._unchanged_ids or self._ids_by_form.get(plain)
        if found is None:
            found = dict(zip(map(plain, self), self, strict=True))
            if len(found) < len(self):
                count = Counter(map(plain, self))
                found = {name: one for name, one in found.items() if count[name] == 1}
            if len(self) <= _MOST_KEPT:
                self._ids_by_form[plain] = found
        return found

    @cached_property
    def affixes(self) -> _Affixes:
        """The ids, to be found as parts of others."""
        return _Affixes(self)


def _unique_pairs(
    others: Iterable[bytes], theirs: Mapping[bytes, bytes], plain: Callable[[bytes], bytes]
) -> Iterator[tuple[bytes, bytes]]:
    """Ids of both sides that become the same; such as several become would tell nothing."""
    if theirs.keys().isdisjoint(map(plain, others)):
        return
    for name, ids in group_alike(others, plain).items():
        if len(ids) == 1 and name in theirs:
            yield ids[0], theirs[name]


def _precision(how: str) -> int:
    """How precisely a way says what differs: a form that keeps nothing most, an example least."""
    if how in _PRECISE:
        return 2
    return 0 if how in dict(_FORMS) or _SUCH in how else 1


def _way(
    how: str, hits: Sequence[tuple[bytes, bytes]], beside: Counter[bytes] | None, kept: int
) -> Way:
    if beside is not None:
        ((more, count),) = beside.most_common(1)
        such = "" if count >= _CONSTANT * len(hits) else f"{_SUCH} "
        how = f"{how} {such}'{id_text(more)}'"
    return Way(how, len(hits) + kept, *hits[0])


class _Affixes:
    """Judged ids, to be found as the beginning or the end of others, or the other way round."""

    def __init__(self, judged: TopicJudgedIds) -> None:
        self._known, self._sorted = judged, sorted(judged)
        self._turned = sorted(each[::-1] for each in judged)
        self._lengths = sorted(set(map(len, judged)), reverse=True) or [0]

    def of(self, document: bytes) -> Iterator[tuple[str, bytes, bytes]]:
        """(what is to be done, with what, the judged id), once for each of the four ways."""
        known, size = self._known, len(document)
        # of several judged ids the longest is meant
        shorter = [length for length in self._lengths if _SHORTEST <= length < size]
        for length in shorter:
            if document[:length] in known:
                yield "without the ending", document[length:], document[:length]
                break
        for length in shorter:
            if document[-length:] in known:
                yield "without the beginning", document[:-length], document[-length:]
                break
        if not _SHORTEST <= size < self._lengths[0]:
            return
        longer = _first_beginning(self._sorted, document)
        if longer:
            yield "with the ending", longer[size:], longer
        longer = _first_beginning(self._turned, document[::-1])[::-1]
        if longer:
            yield "with the beginning", longer[:-size], longer


def _first_beginning(ordered: Sequence[bytes], beginning: bytes) -> bytes:
    """The first of some ordered ids that begins so; or nothing."""
    at = bisect_left(ordered, beginning)
    found = ordered[at] if at < len(ordered) else b""
    return found if found.startswith(beginning) else b""


# topics


def plain_topic(topic: bytes) -> bytes:
    """A topic without what often goes wrong with topic ids: case and leading zeros."""
    return strip_leading_zeros(topic.lower())


def _numbers_of(topic: bytes) -> bytes:
    """The numbers in a topic, as numbers; a topic without any stays as it is."""
    found = re.findall(rb"[0-9]+", topic)
    return b" ".join(each.lstrip(b"0") or b"0" for each in found) if found else topic


def group_alike(
    topics: Iterable[bytes], plain: Callable[[bytes], bytes] = plain_topic
) -> dict[bytes, list[bytes]]:
    """Plain topic -> the topics, in byte order, that become it."""
    found: dict[bytes, list[bytes]] = {}
    for topic in sorted(set(topics)):
        found.setdefault(plain(topic), []).append(topic)
    return found


def topics_that_fit(
    run: Collection[bytes], judged: Iterable[bytes], *, by_number: bool = False
) -> tuple[str, list[tuple[bytes, bytes]]]:
    """Topics of a run and the judged ones that they would be if written otherwise, and how.

    Those that differ by case and leading zeros alone; `by_number` asks, where there are none, for
    those that have the same numbers in them.
    """
    ways = [("ignoring case and leading zeros", plain_topic)]
    if by_number:
        ways.append(("by the numbers in them", _numbers_of))
    for how, plain in ways:
        theirs = group_alike(judged, plain)
        fitting = [topic for topic in run if plain(topic) in theirs]  # a run may have a million
        pairs = [
            (topic, theirs[name][0])
            for name, topics in group_alike(fitting, plain).items()
            for topic in topics
        ]
        if pairs:
            return how, pairs
    return "", []
