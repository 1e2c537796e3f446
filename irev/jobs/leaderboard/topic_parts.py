"""The parts of the topics that have boards of their own: public and private ones, classes."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from irev.core.record import record
from irev.core.wording import count_that_is, list_beginning
from irev.errors import GENERAL_NOTE, KINDS, MismatchError, UsageError, id_text
from irev.scores.scores import MISSING_TOPIC

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.errors import Notice
    from irev.jobs.leaderboard.options import LeaderboardOptions
    from irev.scores.table import ScoreTable

PUBLIC, PRIVATE = "public", "private"


@record
class TopicPart:
    """Some of the topics.

    name   what it is called; empty for all topics
    table  the scores on them
    """

    name: str
    table: ScoreTable


def topic_parts_and_note(
    table: ScoreTable, options: LeaderboardOptions
) -> tuple[list[TopicPart], str]:
    """The parts of the topics that have a board each, and what a reader must know; or ""."""
    if options.public is None:
        return [*part_and_its_classes(TopicPart("", table))], ""
    public, note = _public_topics(table, options.public, options.seed)
    parts = split_topics(table, public)
    shown = [part for part in parts if options.only in (None, part.name)]
    return [inner for part in shown for inner in part_and_its_classes(part)], note


def without_topics(notices: Iterable[Notice], hidden: Sequence[bytes]) -> Iterator[Notice]:
    """The notices, none of which names one of some topics.

    Where a word may be such a topic the kind is said alone, and a note of no kind is left out.
    """
    ids = "|".join(re.escape(id_text(topic)) for topic in hidden)
    names_hidden = re.compile(rf"(?<!\w)(?:{ids})(?!\w)").search
    for notice in notices:
        # what a run lacks was counted anew among the other topics
        if notice.kind == MISSING_TOPIC or not names_hidden(f"{notice.message} {notice.hint}"):
            yield notice
        elif notice.kind != GENERAL_NOTE:
            yield notice._replace(message=KINDS[notice.kind].meaning, hint="")


def _public_topics(
    table: ScoreTable, public: str | os.PathLike[str] | float, seed: int
) -> tuple[frozenset[bytes], str]:
    """The public topics, those listed in a file or a share of all, and a note on them."""
    if isinstance(public, str | os.PathLike) and os.path.isfile(public):
        from irev.read.topic_files import read_topic_ids

        listed = frozenset(read_topic_ids(os.fspath(public)))
        return listed, unknown_topics_note(table, listed)
    from irev.jobs.pool.rates import parse_rate

    try:
        share = parse_rate(str(public))
    except UsageError:
        raise UsageError(
            f"--public {public}: must be an existing file or a share such as 30%"
        ) from None
    return draw_public_topics(table.topics, share, seed), ""


def split_topics(table: ScoreTable, public: frozenset[bytes]) -> tuple[TopicPart, TopicPart]:
    """The public topics and the private ones."""
    mask = np.array([topic in public for topic in table.topics])
    if mask.all() or not mask.any():
        which = "every topic is public" if mask.all() else "none of the topics is public"
        raise MismatchError(f"{which}: both parts need at least one topic")
    return (
        TopicPart(PUBLIC, table.select_topics(mask)),
        TopicPart(PRIVATE, table.select_topics(~mask)),
    )


def draw_public_topics(topics: Sequence[bytes], share: Fraction, seed: int) -> frozenset[bytes]:
    r"""A share of the topics: those with the lowest SHA-256 of `SEED \0 public \0 TOPIC`.

    The number is rounded, halves upward; at least 1, and one less than all of them at most. A
    larger share of the same seed holds a smaller one.
    """
    if len(topics) < 2:
        raise UsageError("--public: with one topic there is nothing to divide")
    nearest = (2 * share.numerator * len(topics) + share.denominator) // (2 * share.denominator)
    size = min(max(1, nearest), len(topics) - 1)
    return frozenset(sorted(topics, key=lambda topic: _drawing_key(seed, topic))[:size])


def _drawing_key(seed: int, topic: bytes) -> bytes:
    return hashlib.sha256(b"%d\0public\0%s" % (seed, topic)).digest()


def unknown_topics_note(table: ScoreTable, public: frozenset[bytes]) -> str:
    """Which of the topics that were listed as public are not there; "" where all are."""
    unknown = sorted(public.difference(table.topics))
    if not unknown:
        return ""
    which = f"{count_that_is(len(unknown), 'topic')} listed as public, but not judged"
    return f"{which}: {list_beginning(unknown)}"


def part_and_its_classes(part: TopicPart) -> Iterator[TopicPart]:
    """A part, and behind it its topics of each class, where there are classes."""
    yield replace(part, table=replace(part.table, classes=None))
    for name, members in (part.table.classes or {}).items():
        if members.any():
            class_name = f"{part.name}, {name}" if part.name else name
            yield TopicPart(class_name, part.table.select_class(name))
