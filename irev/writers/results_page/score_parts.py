"""What a table of scores gives to a page: its measures, runs, topics and scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.short_names import LONGEST_PLAIN_NAME, short_run_names
from irev.core.text import as_text, natural_sort_key
from irev.measures.naming.resolve import about_column, bounds_of, lower_is_better
from irev.writers.results_page.page_data import (
    PageMeasure,
    PageRun,
    PageTopic,
    rounded_scores,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from irev.core.arrays import MeasuresByTopicsByRuns, TopicIndices
    from irev.core.judged import Column
    from irev.core.short_names import ShortNames
    from irev.scores.table import ScoreTable


def page_measure(column: Column, *, is_sum: bool = False) -> PageMeasure:
    """A measure; `is_sum`: the page shows its sum over topics, not its mean."""
    is_unit = not is_sum and bounds_of(column) == (0.0, 1.0)
    return PageMeasure(
        column.name, not lower_is_better(column), is_unit, about_column(column), is_sum
    )


def topic_order(table: ScoreTable) -> TopicIndices:
    """int64[T]: the topics as people order their ids: 2 before 10."""
    keys = [natural_sort_key(as_text(topic)) for topic in table.topics]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


def topics_in_order(table: ScoreTable) -> list[bytes]:
    """The topics in that order."""
    return [table.topics[index] for index in topic_order(table).tolist()]


def page_runs(
    table: ScoreTable, teams: Mapping[str, str], judged: Sequence[float | None] = ()
) -> tuple[tuple[PageRun, ...], ShortNames]:
    """The runs of a table, and what their names are shown without.

    Args:
        table: the scores.
        teams: the team of a run, by its name.
        judged: for each run which share of its first documents is judged; empty: not known.
    """
    names = short_run_names(table.run_names)
    number = {topic: index for index, topic in enumerate(table.topics)}
    place = np.argsort(topic_order(table)).tolist()
    runs = tuple(
        PageRun(
            run.name, short, teams.get(run.name, ""), judged[index] if judged else None,
            tuple(sorted(place[number[topic]] for topic in run.missing if topic in number)),
        )
        for index, (run, short) in enumerate(zip(table.runs, names.names, strict=True))
    )  # fmt: skip
    return runs, names


def page_topics(table: ScoreTable, num_relevant: Sequence[int] = ()) -> tuple[PageTopic, ...]:
    """The topics in the order of the page; `num_relevant`: in that of the table, if told."""
    return tuple(
        PageTopic(as_text(table.topics[index]), num_relevant[index] if num_relevant else None)
        for index in topic_order(table).tolist()
    )


def page_scores(table: ScoreTable, runs: Sequence[PageRun]) -> MeasuresByTopicsByRuns:
    """The scores in ten-thousandths, NaN where a run lacks the topic."""
    lacks = np.zeros((len(table.topics), len(runs)), bool)
    for index, run in enumerate(runs):
        lacks[list(run.missing), index] = True
    return rounded_scores(table.values[:, topic_order(table)], lacks)


def shorten_run_names(text: str, runs: Sequence[PageRun]) -> str:
    """A text about runs with their short names."""
    full_names = sorted(runs, key=lambda run: len(run.name), reverse=True)
    for run in full_names:
        if run.short != run.name and len(run.name) > LONGEST_PLAIN_NAME:
            text = text.replace(run.name, run.short)
    return text
