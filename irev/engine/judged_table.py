"""A table of scores as jobs take it: some of its runs and measures, on the same topics."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.engine.join_scores import (
    add_classes,
    add_weights,
    is_comparable,
    listed_topics_or_all,
    no_topics_message,
)
from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.options import Options
    from irev.scores.table import ScoreTable


def judged_table(
    table: ScoreTable, runs: Any, measures: Sequence[str], options: Options
) -> ScoreTable:
    """A table as jobs take it: the runs and measures that are named, on the same topics.

    Args:
        table: the scores.
        runs: names of runs; none: all.
        measures: names of measures; none: all that can be compared.
        options: of which the topics, weights and classes count.
    """
    if table.topic_policy == "own":
        table = _sort_runs_and_average_over_judged_topics(table)
    if runs:
        table = _select_runs(table, [runs] if isinstance(runs, str) else [*runs])
    if options.listed_topics is not None or isinstance(options.topics, os.PathLike):
        listed = listed_topics_or_all(table.topics, options)
        table = table.select_topics(np.array([topic in listed for topic in table.topics]))
    if options.topics == "both" and table.topic_policy == "judged":
        missing_by_run = [run.missing for run in table.runs]
        missing = set().union(*missing_by_run)
        table = table.select_topics(np.array([topic not in missing for topic in table.topics]))
        runs = [
            replace(run, left_out=missing)
            for run, missing in zip(table.runs, missing_by_run, strict=True)
        ]
        table = replace(table, runs=tuple(runs), topic_policy="common")
    if options.weights is not None or options.classes is not None:
        table, _ = add_classes(add_weights(table, options), options)
    columns = table.columns
    if measures:
        columns = tuple(dict.fromkeys(table.column(name) for name in measures))
    usable = tuple(column for column in columns if is_comparable(column))
    if not usable:
        raise UsageError(no_topics_message(columns))
    if usable != table.columns:
        table = table.select_measures(usable)
    return table.warn_of_missing_topics()


def _select_runs(table: ScoreTable, names: Sequence[str]) -> ScoreTable:
    """Some runs of a table, at the places in which they are named."""
    places = {table.run_index(name): place for place, name in enumerate(names)}
    selected = table.select_runs([*places])
    infos = [
        replace(run, input_index=places[index])
        for run, index in zip(selected.runs, sorted(places), strict=True)
    ]
    return replace(selected, runs=tuple(infos))


def _sort_runs_and_average_over_judged_topics(table: ScoreTable) -> ScoreTable:
    """The table of `evaluate` as one of runs that are compared: all on all judged topics."""
    order = sorted(range(len(table.runs)), key=table.run_names.__getitem__)
    return replace(
        table,
        runs=tuple(table.runs[index] for index in order),
        values=table.values[:, :, order],
        topic_policy="judged",
        evaluated=None,
    )
