"""Explanations of scores, for the tests of what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import irev

if TYPE_CHECKING:
    from irev.jobs.explain.explain import ExplainedScore


def explained_scores(
    qrels: Any,
    run: Any,
    measures: Any,
    topic: str | bytes,
    options: irev.Options | None = None,
    format: Any = "qrels",
) -> tuple[ExplainedScore, ...]:
    """Of each measure, how its score of a topic comes about."""
    return irev.explain(
        qrels, run, measures, options=options, topic=topic, qrels_format=format
    ).scores
