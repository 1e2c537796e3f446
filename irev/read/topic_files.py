"""Files about topics, a line for each: lists, classes, weights, and how likely intents are."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import Any

from irev.core.judged import Intent, Intents
from irev.core.option_values import Classes, TopicClasses, TopicWeights, Weights
from irev.core.text import as_bytes, as_text, count_text, parse_c_number
from irev.errors import MOST_PROBLEMS, InputError, Problem, UsageError, id_text, shown_value
from irev.read.stream import read_all, sha256_of, take_lines


def read_topic_ids(path: str) -> tuple[bytes, ...]:
    """The ids in byte order, each once; blank lines and those that begin with `#` are skipped."""
    topics: set[bytes] = set()

    def take(fields: list[bytes]) -> str:
        topics.add(fields[0])
        return f"{len(fields)} fields, expected 1" if len(fields) > 1 else ""

    take_lines(path, read_all(path), take, "topic", "a line holds one topic id")
    return tuple(sorted(topics))


def load_classes(topics_by_class_or_path: Classes) -> TopicClasses:
    """Classes of topics from whatever holds them."""
    if isinstance(topics_by_class_or_path, TopicClasses):
        return topics_by_class_or_path
    if isinstance(topics_by_class_or_path, str | os.PathLike):
        return read_classes(topics_by_class_or_path)
    if not isinstance(topics_by_class_or_path, Mapping) or any(
        isinstance(topics, str | bytes) or not isinstance(topics, Iterable)
        for topics in topics_by_class_or_path.values()
    ):
        raise UsageError("classes of topics are a path or a mapping {class: [topic, ...]}")
    members = {
        str(name): frozenset(map(_id_bytes, topics))
        for name, topics in topics_by_class_or_path.items()
    }
    for name in members:
        if fault := _name_fault(name, name):
            raise UsageError(fault)
    if not members:
        raise UsageError("the mapping has no class of topics")
    return TopicClasses(tuple(members), members)


def load_weights(weights: Weights) -> TopicWeights:
    """Weights of topics from whatever holds them."""
    if isinstance(weights, TopicWeights):
        return weights
    if isinstance(weights, str | os.PathLike):
        return read_weights(weights)
    if not isinstance(weights, Mapping):
        raise UsageError("weights of topics are a path or a mapping {topic: weight}")
    weight_of_topic = {}
    for topic, value in weights.items():
        try:
            weight = float(value)
        except (TypeError, ValueError, OverflowError):
            weight = math.nan
        if not 0 <= weight < math.inf:
            raise UsageError(
                f"the weight of topic {topic!r} is not a number from 0 on: {shown_value(value)}"
            )
        weight_of_topic[_id_bytes(topic)] = weight
    if not any(weight_of_topic.values()):
        raise UsageError("all weights of topics are 0" if weight_of_topic else "there is no weight")
    return TopicWeights(weight_of_topic)


def read_classes(file: str | os.PathLike[str]) -> TopicClasses:
    """Read a file of classes: `TOPIC CLASS`, one a line; a topic may have several lines.

    Blank lines and lines that begin with `#` are skipped; the same line twice is one.
    """
    path = os.fspath(file)
    text = read_all(path)
    members: dict[str, set[bytes]] = {}

    def take(fields: list[bytes]) -> str:
        if len(fields) != 2:
            return f"{count_text(len(fields), 'field')}, expected 2"
        name = as_text(fields[1])
        if fault := _name_fault(name, id_text(fields[1])):
            return fault
        members.setdefault(name, set()).add(fields[0])
        return ""

    hint = "a line holds a topic and its class: 301 short"
    take_lines(path, text, take, "class of topics", hint, one_hint=True)
    frozen = {name: frozenset(topics) for name, topics in members.items()}
    return TopicClasses(tuple(frozen), frozen, sha256_of(text))


def read_weights(file: str | os.PathLike[str]) -> TopicWeights:
    """Read a file of weights: `TOPIC WEIGHT`, one a line, each topic once.

    Blank lines and lines that begin with `#` are skipped.
    """
    path = os.fspath(file)
    text = read_all(path)
    weight_of_topic: dict[bytes, float] = {}

    def take(fields: list[bytes]) -> str:
        if len(fields) != 2:
            return f"{count_text(len(fields), 'field')}, expected 2"
        weight = parse_c_number(fields[1])
        if weight is None or not 0 <= weight < math.inf:
            return f"'{id_text(fields[1])}' is not a weight"
        if fields[0] in weight_of_topic:
            return f"duplicate topic '{id_text(fields[0])}'"
        weight_of_topic[fields[0]] = weight or 0.0  # not -0
        return ""

    hint = "a line holds a topic and its weight, a number from 0 on: 301 0.5"
    take_lines(path, text, take, "weight of a topic", hint, one_hint=True)
    if not any(weight_of_topic.values()):
        hint = "at least one topic needs a weight above 0"
        raise InputError([Problem(path, None, "bad-weights", "all weights are 0", hint)])
    return TopicWeights(weight_of_topic, sha256_of(text))


def _name_fault(name: str, shown: str) -> str:
    """Why no class may be called so: its label `all[NAME]` must be no other summary's."""
    if name != "weighted" and not name.endswith(",weighted"):
        return ""
    return f"a class cannot be called '{shown}': all[weighted] is the label of weighted means"


def _id_bytes(topic: Any) -> bytes:
    """An id that may be a number."""
    return as_bytes(topic if isinstance(topic, bytes) else str(topic))


def read_intents(file: str | os.PathLike[str]) -> tuple[Intents, str]:
    """Read a file of intents; blank lines and lines that begin with `#` are skipped.

    Returns:
        The intents, and the SHA-256 of the file's decompressed bytes.
    """
    path = os.fspath(file)
    intents: Intents = {}
    text = read_all(path)

    def take(fields: list[bytes]) -> str:
        if len(fields) not in (3, 4):
            return f"{count_text(len(fields), 'field')}, expected 3 or 4"
        topic, intent, number = fields[:3]
        probability = parse_c_number(number)
        if probability is None or not 0 <= probability <= 1:
            return f"'{id_text(number)}' is not a probability"
        # informational, which is what an intent is by default, or navigational
        if len(fields) == 4 and fields[3] not in (b"inf", b"nav"):
            return f"an intent is inf or nav, not '{id_text(fields[3])}'"
        if intent in intents.get(topic, {}):
            return f"duplicate intent '{id_text(intent)}' of topic '{id_text(topic)}'"
        intents.setdefault(topic, {})[intent] = Intent(probability or 0.0, fields[3:] == [b"nav"])
        return ""

    hint = "a line is: TOPIC INTENT PROBABILITY [inf|nav]"
    take_lines(path, text, take, "intent", hint, one_hint=True)
    problems = []
    for topic, of_topic in intents.items():
        total = math.fsum(intent.probability for intent in of_topic.values())
        if abs(total - 1) > 0.02:  # they are rounded
            what = f"the probabilities of topic '{id_text(topic)}' add up to {total:g}"
            problems.append(Problem(path, None, "bad-intents", what))
    if problems:
        raise InputError(problems[:MOST_PROBLEMS])
    return intents, sha256_of(text)
