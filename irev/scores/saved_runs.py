"""The runs in a file of saved scores: their values as they come, and the tables made of them.

Summaries may stand among the topics: ndeval's `amean`, a spreadsheet's `total`, `std` as pandas has
it. Such a name tells nothing alone, since a topic may be called so. Where the values are what it
says of those of the other topics it is left out, with a note; else it counts, with a warning. Other
names (`Mean over 50 topics`, `Mittelwert`) are summaries only where chance would hardly give the
values.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, put_on_bounds
from irev.core.judged import SMALLEST_MEAN_FACTOR, Column
from irev.core.text import as_bytes, as_text, parse_c_number, pattern
from irev.errors import InputError, Notice, Problem, UsageError, quote
from irev.measures.naming.resolve import column_with_bounds, resolve_names
from irev.read.columns import ColumnNames
from irev.read.inputs import distinct_names, path_forms, stem_of
from irev.scores.scores import SUMMARY
from irev.scores.table import RunInfo, ScoreTable

if TYPE_CHECKING:
    from irev.core.option_records import MeasureRange
    from irev.scores.signature import Signature


def is_summary_label(topic: str) -> bool:
    """Whether trec_eval or irev write this in the place of a topic, for a summary."""
    return topic == SUMMARY or topic.startswith(f"{SUMMARY}[")


_OF_OTHER_PROGRAMS = ("runid", "relstring", "11pt_avg")
"""What programs print as measures, or beside them, and irev does not know."""

_NOT_FINITE = ("nan", "inf", "infinity")


class SavedFile:
    """A file of saved scores.

    path            the file
    content         its text, decompressed
    measure_column  a column of a table that is a measure, where somebody says so
    """

    def __init__(
        self,
        path: str,
        content: bytes,
        ranges: Sequence[MeasureRange] = (),
        columns: ColumnNames = (),
    ) -> None:
        self.path, self.content = path, content
        self.measure_column = dict(columns).get("measure")
        self._ranges = tuple(ranges)
        self._columns: dict[str, Column] = {}

    def problem(self, line: int | None, message: str, hint: str = "") -> InputError:
        """What is wrong with the file."""
        return InputError([Problem(self.path, line, "bad-saved-scores", message, hint)])

    def column(self, measure: str) -> Column:
        """The column of a measure, by its printed name, with its range where somebody gave one.

        A name that irev does not know is a mean of its values.
        """
        if measure not in self._columns:
            try:
                # another program's column may be called like what people type for a measure
                requests = resolve_names([measure], lenient=False)
            except UsageError:
                requests = []
            known = (each for request in requests for each in request.columns)
            column = next((c for c in known if c.name == measure), Column(measure, measure))
            self._columns[measure] = column_with_bounds(column, self._ranges)
        return self._columns[measure]

    def parse_value(self, line: int | None, measure: str, cell: str) -> float:
        """A value of a measure; NaN where the file says that it is none."""
        number = parse_c_number(as_bytes(cell))
        if number is None:
            if is_number(cell):
                return float(cell)
            if not cell:
                raise self.problem(line, "a cell is empty", "a topic that a run lacks has a 0")
            raise self.problem(line, f"'{cell}' is not a number")
        return self.check_range(line, measure, number)

    def check_range(self, line: int | None, measure: str, value: float, place: str = "") -> float:
        """A value that is in the range of its measure, as far as somebody gave one.

        `place` says where it stands in a file without lines.
        """
        if not self._ranges:
            return value
        bounds = self.column(measure).bounds
        if bounds is None or math.isnan(value):
            return value
        value = float(put_on_bounds(np.array(value), bounds))
        if bounds[0] <= value <= bounds[1]:
            return value
        low, high = bounds
        raise self.problem(
            line,
            f"{place}{value:g} is outside the bounds of {measure}, {low:g} to {high:g}",
            f"--bounds {measure}=LOW,HIGH says which values it can have",
        )


def saved_scores_error(path: str) -> InputError:
    """The error of saved scores where a run belongs."""
    what, hint = "these are saved scores, not a run", "use --accept-scores to accept them"
    return InputError([Problem(path, None, "saved-scores", what, hint)])


def is_number(cell: str) -> bool:
    """Whether a cell is a number, or says that there is none: nan, inf."""
    return parse_c_number(as_bytes(cell)) is not None or cell.lower().lstrip("+-") in _NOT_FINITE


def are_measure_names(names: Sequence[str]) -> bool:
    """Whether all names are of measures that irev knows, and one of them is long enough to tell.

    A run may be called A, which is an alias of a measure, too.
    """
    return any(len(name) > 1 for name in names) and all(map(is_measure_name, names))


def is_measure_name(name: str) -> bool:
    """Whether a name is of one measure that irev knows, or of what programs print beside such."""
    if name in _OF_OTHER_PROGRAMS:
        return True
    if not name[:1].isalpha():
        return False
    try:
        requests = resolve_names([name], lenient=False)
    except UsageError:
        return False
    return sum(len(request.columns) for request in requests) == 1


# --- The runs in a file of saved scores ---


_SUMMARIES = frozenset({
    "all", "all_mean", "all_topics", "all_queries", "amean", "average", "avg", "gmean", "macro",
    "macro_avg", "macro_average", "mean", "overall", "sum", "summary", "total", "arithmetic_mean",
    "geometric_mean", "grand_total",
})  # fmt: skip
"""What programs and people call a mean or a sum: the words in a name, with `_` between."""

_MEAN_WORDS = frozenset({"all", "mean", "amean", "gmean", "average", "avg", "overall", "total"})
"""A name that has one of these and other words may be one of a summary."""


def _deviations(values: Floats) -> tuple[float, ...]:
    """The standard deviation, of the topics alone and as an estimate."""
    deviation = float(np.std(values))
    return deviation, deviation * math.sqrt(len(values) / max(1, len(values) - 1))


def _quantiles(values: Floats, share: float) -> tuple[float, ...]:
    """As NumPy, pandas and spreadsheets have it, and as Python's `statistics` has it."""
    return tuple(float(np.quantile(values, share, method=m)) for m in ("linear", "weibull"))


_STATISTICS: Mapping[str, Callable[[Floats], tuple[float, ...]]] = {
    **dict.fromkeys(("std", "stdev", "stddev", "std_dev", "sd", "standard_deviation"), _deviations),
    **dict.fromkeys(("var", "variance"), lambda v: tuple(each**2 for each in _deviations(v))),
    **dict.fromkeys(
        ("sem", "stderr", "std_err", "standard_error"),
        lambda v: tuple(each / math.sqrt(len(v)) for each in _deviations(v)),
    ),
    **dict.fromkeys(
        ("95%_ci", "ci_95%", "ci_95", "ci95"),
        lambda v: tuple(1.96 * each / math.sqrt(len(v)) for each in _deviations(v)),
    ),
    **dict.fromkeys(("min", "minimum"), lambda v: (float(v.min()),)),
    **dict.fromkeys(("max", "maximum"), lambda v: (float(v.max()),)),
    **dict.fromkeys(("median", "50%"), lambda v: (float(np.median(v)),)),
    "25%": lambda v: _quantiles(v, 0.25),
    "75%": lambda v: _quantiles(v, 0.75),
    "count": lambda v: (float(len(v)),),
}
"""What they call other summaries, and which numbers these may be."""

_WORD = r"[^\W_]+%?"

_LARGEST_CHANCE = 1e-3
"""What is not called like a summary is none where a topic has such values more often than this."""

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
            self.name,
            saved.path,
            self.run_id,
            self.missing,
            signature=self.signature,
            is_saved=True,
            note=self.note,
        )
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
    what, hint = "these scores are a summary", "save those of each topic: irev -q"
    return InputError([Problem(path, None, "bad-saved-scores", what, hint)])


def name_by_path(tables: list[ScoreTable]) -> list[ScoreTable]:
    """Runs that are called by their paths, called as `names_of_runs` calls such."""
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
    topics = {topic for table in tables for topic in table.topics}
    called_so = {topic for topic in topics if _label(topic) in {*_SUMMARIES, *_STATISTICS}}
    # a name may be a sentence with a word for means, or the only one without a digit
    possible = {t for t in topics if not _MEAN_WORDS.isdisjoint(_label(t).split("_"))}
    without_digit = {t for t in topics if not pattern(rb"[0-9]").search(t)}
    if len(without_digit - called_so - possible) == 1:
        possible |= without_digit
    possible -= called_so
    if not called_so and not possible:
        return [*tables]
    path = tables[0].runs[0].path
    if called_so == topics:
        raise no_topics_error(path)
    summaries: set[bytes] = set()
    # a mean may be over a topic that is called `total`, too
    for apart in (called_so | possible, called_so, set[bytes]()):
        summaries |= {
            topic
            for topic in (called_so | possible) - summaries
            if _chance(tables, topic, {topic, *apart, *summaries})
            <= (1 if topic in called_so else _LARGEST_CHANCE)
        }
    notices = []
    for topic in sorted(called_so | summaries):
        shown = quote(as_text(topic))
        if topic in summaries:
            message = f"{shown} is no topic but a summary of the others, and is left out"
            notices.append(Notice("summary-topic", message, run=path))
        else:
            message = f"{shown} counts as a topic, since its scores do not sum up the others'"
            hint = "if it is a summary, take it out of the scores"
            notices.append(Notice("other-mean", message, hint, run=path))
    return [
        replace(
            table.select_topics(np.array([topic not in summaries for topic in table.topics])),
            warnings=(*table.warnings, *notices),
        )
        for table in tables
    ]


def _label(topic: bytes) -> str:
    """The words in a topic's name, in lower case, with `_` between: `mean` of `**Mean:**`."""
    return "_".join(pattern(_WORD).findall(as_text(topic).lower()))


def _chance(tables: Sequence[ScoreTable], topic: bytes, apart: Collection[bytes]) -> float:
    """How often a topic would have values that sum up those not `apart`, in all runs, by chance.

    Infinity: some do not, or there are none.
    """
    chances = [
        each for table in tables if topic in table.topics for each in _chances(table, topic, apart)
    ]
    return math.prod(chances) if chances else math.inf


def _chances(table: ScoreTable, topic: bytes, apart: Collection[bytes]) -> Iterator[float]:
    """The same for each measure, as far as the file has a value."""
    others = table.values[:, [other not in apart for other in table.topics], 0]
    cells = table.values[:, table.topics.index(topic), 0]
    finite = others[np.isfinite(others)]
    largest = float(np.abs(finite).max(initial=0.0))
    digits = _last_digit(cells), _last_digit(finite)
    rounding = [digit / 2 if digit <= _COARSEST_ROUNDING * largest else 0.0 for digit in digits]
    shift = rounding[1] if digits[1] < 1 else 0.0  # whole numbers are mostly counts
    for column, cell, row in zip(table.columns, cells.tolist(), others, strict=True):
        known = row[np.isfinite(row)]
        if column.average == "none" or math.isnan(cell):
            continue
        if not len(known):
            yield math.inf
            continue
        allowed = sum(rounding) + _PRECISION * max(1.0, float(np.abs(known).max()))
        ends = zip(
            _summaries(_label(topic), known - shift, len(row)),
            _summaries(_label(topic), known + shift, len(row)),
            strict=True,
        )
        if not any(low - allowed <= cell <= high + allowed for low, high in ends):
            yield math.inf
        elif cell in known:
            yield 1.0
        else:
            spread = float(np.ptp(known))
            yield min(1.0, max(min(digits), 2 * allowed) / spread) if spread else 1.0


def _summaries(label: str, values: Floats, num_topics: int) -> tuple[float, ...]:
    """What programs write as a summary of topics, some of which may have no value."""
    if label in _STATISTICS:
        return _STATISTICS[label](values)
    total = math.fsum(values)
    if label not in _SUMMARIES:
        return (total / len(values),)
    # geometric means; trec_eval prints logarithms for topics
    logs = values if values.max() < 0 else np.log(np.maximum(values, SMALLEST_MEAN_FACTOR))
    geometric_mean = math.exp(math.fsum(logs) / len(values))
    return (total / len(values), total / num_topics, total, geometric_mean)


def _last_digit(values: Floats) -> float:
    """What the last digit behind the point is worth in numbers as they are written."""
    exponents = (
        Decimal(repr(value)).normalize().as_tuple().exponent
        for value in values.tolist()
        if math.isfinite(value)
    )
    return 10.0 ** min((each for each in exponents if isinstance(each, int)), default=0)
