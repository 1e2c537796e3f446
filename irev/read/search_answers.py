"""Answers of Elasticsearch and OpenSearch, in JSON or as their clients give them.

Read are {topic: answer of _search}, and requests (judgments) and responses (a run) of `_rank_eval`.
The order of the hits is the ranking, as the engine showed it; scores are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from irev.core.judged import MAPPINGS
from irev.core.wording import shortened_list
from irev.read.frames import table_problem

if TYPE_CHECKING:
    from irev.read.layout import Layout

_UNNAMED = 'give {topic: answer}: dict(zip(topics, answer["responses"]))'


JOIN_INDEX = "write index/id as the _id, in the judgments and in the run"
"""The hint where documents are of several indices; for a file the call follows."""

ANSWER_KEYS = frozenset(("hits", "responses", "requests", "metric_score", "rank_eval"))
"""One of them stands in whatever is more than {topic: answer}."""


def is_answer(value: Any) -> bool:
    """Whether it is one answer of `_search`, with the hits of one query."""
    if not isinstance(value, MAPPINGS) or "hits" not in value:
        return False
    hits = value["hits"]
    return isinstance(hits, Mapping) and isinstance(hits.get("hits"), list)


def is_answer_to_many_queries(value: Mapping[Any, Any]) -> bool:
    """Whether it is an answer with the hits of many queries."""
    if value.keys().isdisjoint(ANSWER_KEYS):
        return False
    return _is_list_with(value, "responses", ("hits", "error")) or _is_rank_eval_response(
        _unwrapped_response(value)
    )


def documents_by_topic(mapping: Mapping[Any, Any], layout: Layout) -> Mapping[Any, Any]:
    """The ranked lists of answers, or pairs of document and rating; other mappings as they are."""
    if not mapping.keys().isdisjoint(ANSWER_KEYS):
        documents = _documents_by_topic_of_joint_answer(mapping, layout)
        if documents is not None:
            return documents
    if not any(map(is_answer, islice(mapping.values(), _FIRST))):
        return mapping
    _refuse_as_judgments("answers of a search engine", layout)
    hits = {topic: _hits(topic, answer, layout) for topic, answer in mapping.items()}
    return _ids_by_topic(hits, layout)


def _documents_by_topic_of_joint_answer(
    mapping: Mapping[Any, Any], layout: Layout
) -> Mapping[Any, Any] | None:
    """The same of an answer or request about many topics; None: it is none."""
    if is_answer(mapping):
        raise table_problem(
            layout, "this is one answer of a search engine, without a topic", "give {topic: answer}"
        )
    if _is_list_with(mapping, "responses", ("hits", "error")):
        raise table_problem(
            layout, "an answer of _msearch does not say which topics it is for", _UNNAMED
        )
    if _is_list_with(mapping, "requests", ("ratings",)):
        return _rating_pairs_by_topic(mapping["requests"], layout)
    mapping = _unwrapped_response(mapping)
    if _is_rank_eval_response(mapping):
        _refuse_as_judgments("a response of _rank_eval", layout)
        if mapping.get("failures"):
            raise table_problem(
                layout,
                f"_rank_eval failed for some topics: {mapping['failures']!r:.200}",
                "ask again: they would be missing in the run",
            )
        hits = {
            topic: [hit["hit"] for hit in detail["hits"]]
            for topic, detail in mapping["details"].items()
        }
        return _ids_by_topic(hits, layout)
    return None


_FIRST = 3
"""Topics that are looked at: the first may hold an error."""


def _is_list_with(value: Mapping[Any, Any], name: str, keys: tuple[str, ...]) -> bool:
    """Whether a list of objects that have one of some keys stands under a name."""
    items = value.get(name)
    first = items[0] if isinstance(items, list) and items else None
    return isinstance(first, Mapping) and any(key in first for key in keys)


def _unwrapped_response(value: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """A response of `_rank_eval` that stands under this name, as OpenSearch's page shows it."""
    inner = value.get("rank_eval") if len(value) == 1 else None
    return inner if isinstance(inner, Mapping) and _is_rank_eval_response(inner) else value


def _is_rank_eval_response(value: Mapping[Any, Any]) -> bool:
    details = value.get("details") if "metric_score" in value else None
    return isinstance(details, Mapping) and all(map(_has_rated_hits, details.values()))


def _has_rated_hits(detail: Any) -> bool:
    hits = detail.get("hits") if isinstance(detail, Mapping) else None
    return isinstance(hits, list) and all(isinstance(hit, Mapping) and "hit" in hit for hit in hits)


def _refuse_as_judgments(noun: str, layout: Layout) -> None:
    if layout.number == "grade":
        raise table_problem(
            layout,
            f"{noun} are no judgments" if noun.startswith("answers") else f"{noun} is a run",
            "of Elasticsearch and OpenSearch the request of _rank_eval is read as judgments",
            "other-kind",
        )


def _hits(topic: Any, answer: Any, layout: Layout) -> list[Any]:
    if is_answer(answer):
        hits: list[Any] = answer["hits"]["hits"]
        return hits
    error = answer.get("error") if isinstance(answer, Mapping) else None
    problem = f"an error in place of hits: {error!r:.200}" if error else "no hits.hits"
    raise table_problem(layout, f"topic {topic!r} has {problem}", "ask again, or take it out")


def _ids_by_topic(hits_by_topic: Mapping[Any, list[Any]], layout: Layout) -> dict[Any, list[Any]]:
    """The documents of each topic, best first."""
    ids_by_topic: dict[Any, list[Any]] = {}
    for topic, hits in hits_by_topic.items():
        try:
            ids_by_topic[topic] = [hit["_id"] for hit in hits]
        except (KeyError, TypeError):
            raise table_problem(layout, f"a hit of topic {topic!r} has no _id") from None
    _refuse_several_indices(chain.from_iterable(hits_by_topic.values()), layout)
    return ids_by_topic


def _refuse_several_indices(hits_or_ratings: Iterable[Any], layout: Layout) -> None:
    """Refuse documents of several indices, where an `_id` may name two documents.

    The other input may name but one of them, so that the names here cannot be put before the ids.
    """
    indices = dict.fromkeys(str(each["_index"]) for each in hits_or_ratings if "_index" in each)
    if len(indices) > 1:
        raise table_problem(
            layout,
            f"the documents are of {len(indices)} indices, {shortened_list([*indices])}: an _id "
            "names a document of one index only",
            JOIN_INDEX,
        )


def _rating_pairs_by_topic(requests: list[Any], layout: Layout) -> dict[Any, list[tuple[Any, Any]]]:
    """Judgments as pairs, by the ids of the requests."""
    if layout.number != "grade":
        raise table_problem(
            layout, "a request of _rank_eval holds judgments, no run", "the qrels come first",
            "other-kind",
        )  # fmt: skip
    ratings: dict[Any, list[tuple[Any, Any]]] = {}
    for number, request in enumerate(requests, 1):
        try:
            topic = request["id"]
            pairs = [(rating["_id"], rating["rating"]) for rating in request["ratings"]]
        except (KeyError, TypeError):
            raise table_problem(
                layout, f"request {number} lacks an id, or ratings with _id and rating"
            ) from None
        if not isinstance(topic, str | int):
            raise table_problem(layout, f"request {number} has the id {topic!r:.60}, no text")
        if topic in ratings:
            raise table_problem(layout, f"two requests have the id {topic!r}")
        ratings[topic] = pairs
    _refuse_several_indices(chain.from_iterable(each["ratings"] for each in requests), layout)
    return ratings
