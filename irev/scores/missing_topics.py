"""Warnings that runs lack judged topics: the words of all jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.core.wording import count_text, list_beginning
from irev.errors import Notice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MISSING_TOPIC = "unretrieved-topic"
"""The kind of these warnings."""

COUNTED_AS_0 = "which count as 0"
"""What becomes of the topics that a run lacks, where nothing else is said."""


def missing_topic_warnings(
    missing_by_run: Mapping[str, Sequence[bytes]],
    num_topics: int | None = None,
    consequence: str = COUNTED_AS_0,
) -> tuple[Notice, ...]:
    """A warning for each run that lacks judged topics.

    Args:
        missing_by_run: run -> the judged topics that it lacks.
        num_topics: how many judged topics there are; None: it is not said.
        consequence: what becomes of the topics.
    """
    return tuple(
        _missing_topic_warning(run, missing, num_topics, consequence)
        for run, missing in missing_by_run.items()
        if missing
    )


def _missing_topic_warning(
    run: str, missing: Sequence[bytes], num_topics: int | None, consequence: str
) -> Notice:
    topics_text = count_text(len(missing), "judged topic")
    if num_topics is not None:
        topics_text = f"{len(missing)} of {count_text(num_topics, 'judged topic')}"
    message = f"{run} lacks {topics_text}, {consequence}: {list_beginning(missing)}"
    return Notice(MISSING_TOPIC, message)
