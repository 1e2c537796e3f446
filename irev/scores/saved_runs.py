"""The runs in a file of saved scores: their values as they come, and the tables made of them.

Summaries may stand among the topics: ndeval's `amean`, a spreadsheet's `total`. Such a name tells
nothing alone, since a topic may be called so. Where the values are means (or sums, or geometric
means) of those of the other topics it is left out, with a note; else it counts, with a warning.
"""

from __future__ import annotations

import math
import os
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from irev.core.model import SMALLEST_MEAN_FACTOR
from irev.core.text import as_bytes, as_text
from irev.errors import Notice, quote
from irev.read.headers import plain_name
from irev.scores.run_names import distinct_names, path_forms, stem_of
from irev.scores.saved_file import scores_problem
from irev.scores.table import RunInfo, ScoreTable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from irev.core.arrays import Floats
    from irev.core.model import Column
    from irev.errors import InputError
    from irev.scores.saved_file import SavedFile
    from irev.scores.signature import Signature

_SUMMARIES = frozenset({
    "all", "amean", "average", "avg", "gmean", "macro", "macro_avg", "macro_average", "mean",
    "overall", "sum", "summary", "total", "arithmetic_mean", "geometric_mean", "grand_total",
})  # fmt: skip
"""What programs and people call a summary, as `plain_name` has it."""

_COARSEST_ROUNDING = 0.05
"""Values whose last digit is a larger share of the largest are exact: P@10 is 0.1 or 0.2."""

_PRECISION = 1e-6
"""So far apart, as a share of the largest value, are means of single and of double precision."""


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
        raise no_topics_error(saved.path)
    return tables


def no_topics_error(path: str) -> InputError:
    """Scores over topics alone say nothing of each."""
    return scores_problem(
        path, None, "these scores are a summary", "save those of each topic: irev -q"
    )


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


def drop_summary_topics(tables: Sequence[ScoreTable]) -> list[ScoreTable]:
    """The tables of the runs of a file without the summaries among their topics.

    Raises:
        InputError: they have nothing else.
    """
    called_so = {topic for table in tables for topic in table.topics if _is_called_so(topic)}
    if not called_so:
        return [*tables]
    path = tables[0].runs[0].path
    if all(called_so.issuperset(table.topics) for table in tables):
        raise no_topics_error(path)
    summaries = {topic for topic in called_so if _sums_up(tables, topic, called_so)}
    # a mean may be over a topic that is called `total`, too
    summaries |= {
        topic for topic in called_so - summaries if _sums_up(tables, topic, {topic, *summaries})
    }
    notices = []
    for topic in sorted(called_so):
        shown = quote(as_text(topic))
        if topic in summaries:
            message = f"{shown} is no topic but a summary of the others, and is left out"
            notices.append(Notice("summary-topic", message, run=path))
        else:
            message = f"{shown} counts as a topic, since its scores are no means of the others'"
            hint = "if it is a summary, take it out of the scores"
            notices.append(Notice("other-mean", message, hint, run=path))
    return [
        replace(
            table.select_topics(np.array([topic not in summaries for topic in table.topics])),
            warnings=(*table.warnings, *notices),
        )
        for table in tables
    ]


def _is_called_so(topic: bytes) -> bool:
    return plain_name(as_text(topic)).rstrip(":").replace(" ", "_") in _SUMMARIES


def _sums_up(tables: Sequence[ScoreTable], topic: bytes, apart: Collection[bytes]) -> bool:
    """Whether the values of a topic are means or sums of those not `apart`, in all runs."""
    agree = [
        each for table in tables if topic in table.topics for each in _agree(table, topic, apart)
    ]
    return bool(agree) and all(agree)


def _agree(table: ScoreTable, topic: bytes, apart: Collection[bytes]) -> Iterator[bool]:
    """Whether the value of each measure sums up the others, as far as the file has one."""
    others = table.values[:, [other not in apart for other in table.topics], 0]
    cells = table.values[:, table.topics.index(topic), 0]
    finite = others[np.isfinite(others)]
    largest = float(np.abs(finite).max(initial=0.0))
    rounding = _rounding(cells, largest) + _rounding(finite, largest)
    for column, cell, of_topics in zip(table.columns, cells.tolist(), others, strict=True):
        known = of_topics[np.isfinite(of_topics)]
        if column.average == "none" or math.isnan(cell):
            continue
        allowed = rounding + _PRECISION * max(1.0, float(np.abs(known).max(initial=0.0)))
        yield any(abs(cell - each) <= allowed for each in _summaries(known, len(of_topics)))


def _summaries(values: Floats, num_topics: int) -> Iterator[float]:
    """What programs write as a summary of topics, some of which may have no value."""
    if not len(values):
        return
    total = math.fsum(values)
    yield from (total / len(values), total / num_topics, total)
    # geometric means; trec_eval prints logarithms for topics
    logs = values if values.max() < 0 else np.log(np.maximum(values, SMALLEST_MEAN_FACTOR))
    yield math.exp(math.fsum(logs) / len(values))


def _rounding(values: Floats, largest: float) -> float:
    """By how much numbers may be rounded that have so many digits behind the point."""
    exponents = (
        Decimal(repr(value)).normalize().as_tuple().exponent
        for value in values.tolist()
        if math.isfinite(value)
    )
    last_digit = 10.0 ** min((each for each in exponents if isinstance(each, int)), default=0)
    return last_digit / 2 if last_digit <= _COARSEST_ROUNDING * largest else 0.0
