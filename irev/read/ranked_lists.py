"""Ranked lists, pairs and sets by topic, as mappings {topic: {document: number}}.

A list has no scores: its order is the ranking, so its documents get scores that fall by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.read.frames import table_problem

if TYPE_CHECKING:
    from irev.errors import InputError
    from irev.read.layout import Layout

LISTS = (list, tuple, set, frozenset)
"""What holds the documents of a topic where a mapping does not."""

_IDS = (str, bytes, int, np.integer)
_PAIR = 2


def has_ranked_lists(mapping: Mapping[Any, Any]) -> bool:
    """Whether documents stand in a list, a set or an array below a topic."""
    return any(issubclass(kind, LISTS) for kind in set(map(type, mapping.values()))) or any(
        hasattr(documents, "__array__") and has_ids(documents) for documents in mapping.values()
    )


def has_ids(array: Any) -> bool:
    """Whether an array holds ids, or objects that may be such."""
    array = np.asarray(array)
    return array.dtype.kind in "USOTiu" or not array.size


def numbers_by_document(
    mapping: Mapping[Any, Any], layout: Layout
) -> Mapping[Any, Mapping[Any, Any]]:
    """Each topic's documents with their numbers: scores by place, grades 1, or those of pairs."""
    forms: dict[str, Any] = {}
    numbers_by_topic = {}
    for topic, documents_or_array in mapping.items():
        documents = documents_or_array
        if hasattr(documents, "__array__"):
            documents = np.asarray(documents).tolist()
        form = _form(documents, topic, layout)
        if documents or not isinstance(documents, LISTS):
            forms.setdefault(form, topic)
        if len(forms) > 1:
            (first, first_topic), (second, second_topic) = forms.items()
            raise table_problem(
                layout,
                f"topic {first_topic!r} has {first}, topic {second_topic!r} {second}",
                "give all topics in one form",
            )
        numbers_by_topic[topic] = (
            _numbers_of_pairs(documents, topic, layout)
            if form == "pairs"
            else _numbers_of_ids(documents, topic, layout)
        )
    return numbers_by_topic


def _form(documents: Any, topic: Any, layout: Layout) -> str:
    """What a topic's documents stand in, in words."""
    if isinstance(documents, Mapping):
        return "a mapping"
    if not isinstance(documents, LISTS):
        raise table_problem(
            layout,
            f"topic {topic!r} has {documents!r:.60}, no documents",
            "a topic has a list of documents, best first, or a mapping {document: number}",
        )
    if isinstance(documents, AbstractSet):
        if layout.number != "grade":
            raise table_problem(
                layout,
                f"topic {topic!r} has a set of documents, which has no order",
                "give a list, best first",
            )
        return "ids"
    are_pairs = [_is_pair(item) for item in documents]
    if any(are_pairs) and not all(are_pairs):
        raise table_problem(
            layout,
            f"topic {topic!r} has {documents[are_pairs.index(True)]!r:.60} and "
            f"{documents[are_pairs.index(False)]!r:.60} in one list",
            f"give ids alone, or (document, {layout.number}) for each",
        )
    for place, item in enumerate(documents, 1):
        document = item[0] if are_pairs[place - 1] else item
        if not isinstance(document, _IDS) or isinstance(document, bool):
            raise table_problem(
                layout,
                f"topic {topic!r}, place {place}: {document!r:.60} is no document id",
                f"a list holds ids, best first, or pairs (document, {layout.number})",
            )
    return "pairs" if any(are_pairs) else "ids"


def _is_pair(item: Any) -> bool:
    return isinstance(item, list | tuple) and len(item) == _PAIR


def _numbers_of_pairs(
    pairs: Sequence[tuple[Any, Any]], topic: Any, layout: Layout
) -> Mapping[Any, Any]:
    numbers = dict(pairs)
    if len(numbers) < len(pairs):
        raise _repeated_document([document for document, _ in pairs], topic, layout)
    return numbers


def _numbers_of_ids(documents: Any, topic: Any, layout: Layout) -> Mapping[Any, Any]:
    count = len(documents)
    numbers = (
        dict.fromkeys(documents, 1)
        if layout.number == "grade"
        else dict(zip(documents, range(count, 0, -1), strict=True))
    )
    if len(numbers) < count:
        raise _repeated_document(documents, topic, layout)
    return numbers


def _repeated_document(documents: Sequence[Any], topic: Any, layout: Layout) -> InputError:
    """The error about the first document that stands twice in a topic's list."""
    place_by_document: dict[Any, int] = {}
    for place, document in enumerate(documents, 1):
        first = place_by_document.setdefault(document, place)
        if first < place:
            break
    return table_problem(
        layout,
        f"duplicate document {document!r} in topic {topic!r}: places {first} and {place}",
        "keep the first: list(dict.fromkeys(documents))",
    )
