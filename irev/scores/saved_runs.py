"""The runs in a file of saved scores: their values as they come, and the tables made of them."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.core.text import as_bytes
from irev.scores.run_names import distinct_names, path_forms, stem_of
from irev.scores.table import RunInfo, ScoreTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from irev.core.model import Column
    from irev.errors import InputError
    from irev.scores.saved_file import SavedFile
    from irev.scores.signature import Signature


class RunValues:
    """The values of a run, as they come."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.run_id = b""
        self.by_topic: dict[bytes, dict[str, float]] = {}
        self.missing: tuple[bytes, ...] = ()
        self.signature: Signature | None = None
        self.note = ""

    def add_topic(self, saved: SavedFile, line: int, topic: str) -> dict[str, float]:
        """The values of a topic that the run does not have yet, by measure."""
        if as_bytes(topic) in self.by_topic:
            of_run = f" for {self.name}" if self.name else ""
            raise saved.problem(line, f"duplicate topic {topic}{of_run}")
        values = self.by_topic[as_bytes(topic)] = {}
        return values

    def table(self, saved: SavedFile, measures: Iterable[str]) -> ScoreTable:
        """The table of this run, as the file has it; NaN where the file has no number."""
        names = tuple(measures)
        topics = sorted(self.by_topic)
        values = np.array(
            [[self.by_topic[topic].get(name, math.nan) for topic in topics] for name in names]
        ).reshape(len(names), len(topics))
        run = RunInfo(
            self.name, saved.path, self.run_id, self.missing, signature=self.signature,
            is_saved=True, note=self.note,
        )  # fmt: skip
        columns: tuple[Column, ...] = tuple(map(saved.column, names))
        return ScoreTable(tuple(topics), (run,), columns, values[:, :, None])


def tables_of_runs(
    saved: SavedFile, runs: Iterable[RunValues], measure_names: Sequence[str]
) -> list[ScoreTable]:
    """A table for each run.

    Raises:
        InputError: there is no run, or one without topics.
    """
    tables = [run.table(saved, measure_names) for run in runs]
    if not tables or any(not table.topics for table in tables):
        raise no_topics_error(saved)
    return tables


def no_topics_error(saved: SavedFile) -> InputError:
    """Scores over topics alone say nothing of each."""
    return saved.problem(None, "these scores are a summary", "save those of each topic: irev -q")


def name_by_path(tables: list[ScoreTable]) -> list[ScoreTable]:
    """Runs that are called by their paths, called as `name_runs` calls such."""
    names = distinct_names([path_forms(t.runs[0].name or t.runs[0].path) for t in tables])
    return [_rename_run(table, name) for table, name in zip(tables, names, strict=True)]


def name_without_endings(tables: list[ScoreTable]) -> list[ScoreTable]:
    """Runs as the file calls them; before version 0.3 that was by their paths."""
    names = [table.runs[0].name for table in tables]
    stems = [stem_of(os.path.basename(name)) for name in names]
    if all(stem_of(name) == name for name in names) or len(set(stems)) < len(stems):
        return tables  # only where names would be equal do they have endings
    return [_rename_run(table, stem) for table, stem in zip(tables, stems, strict=True)]


def _rename_run(table: ScoreTable, name: str) -> ScoreTable:
    return replace(table, runs=(replace(table.runs[0], name=name),))
