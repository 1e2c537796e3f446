"""How ids of a run would have to be written to be those of the judgments."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from irev.core.record import cached_property
from irev.errors import id_text

_SHORTEST = 4
"""An id of fewer characters is a part of another by chance."""

_CONSTANT = 0.8
"""What stands before or behind this share of the ids is told as what it is; else as an example."""

_ENDING = re.compile(rb"\.[A-Za-z]{1,5}$")
_ZEROS = re.compile(rb"(?<![0-9])0+(?=[0-9])")
_PYTHON_BYTES = re.compile(rb"^b(['\"])(.*)\1$")
_PLAIN = re.compile(rb"[a-z0-9\0]*")
_KINDS_OF_BYTES = bytes.maketrans(
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    b"9" * 10 + b"A" * 26 + b"a" * 26,
)
_REPEATED_KINDS = [(re.compile(kind + b"+"), kind) for kind in (b"9", b"A", b"a")]
_AROUND = bytes(code for code in range(128) if not chr(code).isalnum())


def shape_of_each_id(ids: Iterable[bytes]) -> list[bytes]:
    """The kinds of characters of each id, in order: `d0032` is `a9`, `FT911-3` is `A9-9`."""
    text = b"\0".join(ids).translate(_KINDS_OF_BYTES)  # no id holds a zero byte
    for repeated, kind in _REPEATED_KINDS:
        text = repeated.sub(kind, text)
    return text.split(b"\0")


def strip_leading_zeros(text: bytes) -> bytes:
    """The text without the zeros before its numbers."""
    return _ZEROS.sub(b"", text)


def _in_utf_8(id: bytes) -> bytes:
    """The id in UTF-8, if it is in none: in most other files it is in Windows' code page."""
    try:
        id.decode()
    except UnicodeDecodeError:
        return id.decode("cp1252", "replace").encode()
    return id


def _with_composed_accents(id: bytes) -> bytes:
    """The id with letters and their accents as one character, as most programs write them."""
    if id.isascii():
        return id
    from unicodedata import normalize

    return normalize("NFC", id.decode(errors="surrogateescape")).encode(errors="surrogateescape")


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
    ("without the b'' of Python", lambda id: _PYTHON_BYTES.sub(rb"\2", id)),
    ("without .0 at the end", lambda id: id.removesuffix(b".0")),
    ("in UTF-8 in place of Windows' encoding", _in_utf_8),
    ("with letters and accents as one character", _with_composed_accents),
)
"""Ways in which ids of one document differ from file to file, with what keeps the rest of them."""

_PRECISE = tuple(how for how, _ in (*_FORMS[:4], *_FORMS[-3:]))
"""Those that say more than which letters stand before or behind."""

_MOST_KEPT = 1 << 14
"""Up to so many judged ids of a topic, what they become is kept for the next run; and up to so many
documents that become none of them."""

_NEARLY = 0.95
_SUCH = "one such as"


class Rewriting(NamedTuple):
    """How ids would have to be written to be judged.

    wording       in words, to stand before "N would be judged"
    num_judged    how many of the documents that were looked at would be judged then
    run_docid     an id of the run
    judged_docid  the judged id that it would become
    """

    wording: str
    num_judged: int
    run_docid: bytes
    judged_docid: bytes


def best_rewriting(samples: Sequence[tuple[Sequence[bytes], TopicJudgedIds]]) -> Rewriting | None:
    """The way of writing that makes most documents judged, more than are now; None: there is none.

    Args:
        samples: documents of a topic, and the judged ones of it, for some topics.
    """
    if all(judged.has_settled(documents) for documents, judged in samples):
        return None
    pairs_by_wording: dict[str, list[tuple[bytes, bytes]]] = {}
    affix_counts: dict[str, Counter[bytes]] = {}
    num_judged = 0
    for documents, judged in samples:
        unjudged = [document for document in documents if document not in judged]
        num_judged += len(documents) - len(unjudged)
        rewritable = judged.ids_judged_if_rewritten(unjudged)
        if not rewritable:
            continue
        for wording, normalise in _FORMS:
            pairs = pairs_by_wording.setdefault(wording, [])
            judged_by_form = judged.ids_by_written_form(normalise)
            if judged_by_form.keys().isdisjoint(map(normalise, rewritable)):
                continue
            for form, ids in group_by_form(rewritable, normalise).items():
                if len(ids) == 1 and form in judged_by_form:  # several would tell nothing
                    pairs.append((ids[0], judged_by_form[form]))
        for document in rewritable:
            for wording, affix, judged_id in judged.affixes.rewritings_by_affix(document):
                pairs_by_wording.setdefault(wording, []).append((document, judged_id))
                affix_counts.setdefault(wording, Counter())[affix] += 1
    rewritings: list[Rewriting] = []
    for wording, pairs in pairs_by_wording.items():
        if pairs and wording in affix_counts:
            ((affix, count),) = affix_counts[wording].most_common(1)
            example = "" if count >= _CONSTANT * len(pairs) else f"{_SUCH} "
            wording = f"{wording} {example}'{id_text(affix)}',"
        if pairs:
            rewritings.append(Rewriting(wording, len(pairs) + num_judged, *pairs[0]))
    most = max((each.num_judged for each in rewritings), default=0)
    # where several explain about as much, the one that says most precisely what differs
    near = [each for each in rewritings if each.num_judged >= _NEARLY * most]
    return max(near, key=lambda each: (_precision(each.wording), each.num_judged), default=None)


class TopicJudgedIds(frozenset[bytes]):
    """The judged ids of a topic; what they become when written otherwise is worked out once.

    So is which documents become none of them, for the next run has most of these, too.
    """

    @cached_property
    def _unchanged_ids(self) -> dict[bytes, bytes] | None:
        """What all become in every form, if that is what they are already."""
        return dict(zip(self, self, strict=True)) if _are_plain(self) else None

    @cached_property
    def _ids_by_form(self) -> dict[Callable[[bytes], bytes], dict[bytes, bytes]]:
        return {}

    @cached_property
    def shapes(self) -> frozenset[bytes]:
        """The kinds of characters of the ids."""
        return frozenset(shape_of_each_id(self))

    def ids_by_written_form(self, normalise: Callable[[bytes], bytes]) -> dict[bytes, bytes]:
        """The ids by what they become in a form, without those that become the same."""
        ids_by_form = self._unchanged_ids or self._ids_by_form.get(normalise)
        if ids_by_form is None:
            ids_by_form = dict(zip(map(normalise, self), self, strict=True))
            if len(ids_by_form) < len(self):
                count = Counter(map(normalise, self))
                ids_by_form = {
                    form: judged_id for form, judged_id in ids_by_form.items() if count[form] == 1
                }
            if len(self) <= _MOST_KEPT:
                self._ids_by_form[normalise] = ids_by_form
        return ids_by_form

    @cached_property
    def _settled(self) -> set[bytes]:
        """The judged documents, and such as become judged in no way of writing."""
        return set(self)

    def has_settled(self, documents: Sequence[bytes]) -> bool:
        """Whether it is known of all documents that no way of writing makes another one judged."""
        return self._settled.issuperset(documents)

    def ids_judged_if_rewritten(self, unjudged_ids: Sequence[bytes]) -> list[bytes]:
        """The documents that become judged in some way of writing."""
        candidates = [document for document in unjudged_ids if document not in self._settled]
        # no form changes what is plain
        forms = () if self._unchanged_ids and _are_plain(candidates) else _FORMS
        rewritable = {
            document
            for _, normalise in forms
            for document, form in zip(candidates, map(normalise, candidates), strict=True)
            if form in self.ids_by_written_form(normalise)
        }
        rewritable.update(
            each for each in candidates if any(self.affixes.rewritings_by_affix(each))
        )
        if len(self._settled) <= len(self) + _MOST_KEPT:
            self._settled.update(rewritable.symmetric_difference(candidates))
        return [document for document in candidates if document in rewritable]

    @cached_property
    def affixes(self) -> _Affixes:
        """The ids, to be found as parts of others."""
        return _Affixes(self)


def _are_plain(ids: Iterable[bytes]) -> bool:
    """Whether all are the same in every form."""
    text = b"\0".join(ids)  # which no id holds
    return bool(_PLAIN.fullmatch(text)) and not _ZEROS.search(text)


def _precision(wording: str) -> int:
    """How precisely a way says what differs: a form that keeps nothing most, an example least."""
    if wording in _PRECISE:
        return 2
    return 0 if wording in dict(_FORMS) or _SUCH in wording else 1


class _Affixes:
    """Judged ids, to be found as the beginning or the end of others, or the other way round."""

    def __init__(self, judged: TopicJudgedIds) -> None:
        self._judged, self._sorted = judged, sorted(judged)
        self._sorted_reversed = sorted(judged_id[::-1] for judged_id in judged)
        self._lengths = sorted(set(map(len, judged)), reverse=True) or [0]

    def rewritings_by_affix(self, document: bytes) -> Iterator[tuple[str, bytes, bytes]]:
        """(what is to be done, with what, the judged id), once for each of the four ways."""
        judged, size = self._judged, len(document)
        # of several judged ids the longest is meant
        shorter = [length for length in self._lengths if _SHORTEST <= length < size]
        for length in shorter:
            if document[:length] in judged:
                yield "without the suffix", document[length:], document[:length]
                break
        for length in shorter:
            if document[-length:] in judged:
                yield "without the prefix", document[:-length], document[-length:]
                break
        if not _SHORTEST <= size < self._lengths[0]:
            return
        longer = _first_with_prefix(self._sorted, document)
        if longer:
            yield "with the suffix", longer[size:], longer
        longer = _first_with_prefix(self._sorted_reversed, document[::-1])[::-1]
        if longer:
            yield "with the prefix", longer[:-size], longer


def _first_with_prefix(sorted_ids: Sequence[bytes], prefix: bytes) -> bytes:
    """The first of some ordered ids that begins so; or nothing."""
    index = bisect_left(sorted_ids, prefix)
    candidate = sorted_ids[index] if index < len(sorted_ids) else b""
    return candidate if candidate.startswith(prefix) else b""


# --- Topics ---


def normalised_topic(topic_id: bytes) -> bytes:
    """A topic without what often goes wrong with topic ids: case and leading zeros."""
    return strip_leading_zeros(topic_id.lower())


def normalised_topics(topic_ids: Sequence[bytes]) -> list[bytes]:
    """The same of many: all at once, between zero bytes, which no id holds."""
    return normalised_topic(b"\0".join(topic_ids)).split(b"\0")


def _numbers_in_topic(topic_id: bytes) -> bytes:
    """The numbers in a topic, as numbers; a topic without any stays as it is."""
    numbers = re.findall(rb"[0-9]+", topic_id)
    return b" ".join(number.lstrip(b"0") or b"0" for number in numbers) if numbers else topic_id


def group_by_form(
    ids: Iterable[bytes], normalise: Callable[[bytes], bytes] = normalised_topic
) -> dict[bytes, list[bytes]]:
    """Plain topic -> the topics, in byte order, that become it."""
    ids_by_form: dict[bytes, list[bytes]] = {}
    for id in sorted(set(ids)):
        ids_by_form.setdefault(normalise(id), []).append(id)
    return ids_by_form


def match_topics(
    run_topics: Collection[bytes], judged_topics: Iterable[bytes], *, by_number: bool = False
) -> tuple[str, list[tuple[bytes, bytes]]]:
    """Topics of a run and the judged ones that they would be if written otherwise, and how.

    Those that differ by case and leading zeros alone, or else by `.0`, with which pandas writes
    numbers of a column with gaps, or by quotation marks; `by_number` asks, where there are none,
    for those that have the same numbers in them.
    """
    ways = [
        ("ignoring case and leading zeros", normalised_topic),
        ("without .0 at the end", lambda topic: normalised_topic(topic.removesuffix(b".0"))),
        ("without quotation marks", lambda topic: normalised_topic(topic.strip(b"\"'"))),
    ]
    if by_number:
        ways.append(("by the numbers in them", _numbers_in_topic))
    for wording, normalise in ways:
        judged_by_form = group_by_form(judged_topics, normalise)
        # a run may have a million
        fitting = [topic for topic in run_topics if normalise(topic) in judged_by_form]
        pairs = [
            (topic, judged_by_form[form][0])
            for form, topics in group_by_form(fitting, normalise).items()
            for topic in topics
        ]
        if pairs:
            return wording, pairs
    return "", []
