"""A file of saved scores while it is read: its text, and what its values may be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import put_on_bounds
from irev.core.model import Column
from irev.core.text import as_bytes, parse_c_number
from irev.errors import InputError, Problem, UsageError
from irev.measures.naming.resolve import resolve_names
from irev.measures.naming.result_columns import column_with_bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.bounds import MeasureRange
    from irev.read.headers import ColumnNames

SUMMARY = "all"
"""What trec_eval and irev call the summary where a topic would stand; `all[...]` are others."""


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
        return scores_problem(self.path, line, message, hint)

    def column(self, measure: str) -> Column:
        """The column of a measure, by its printed name, with its range where somebody gave one."""
        if measure not in self._columns:
            self._columns[measure] = column_with_bounds(
                _column_of_printed_name(measure), self._ranges
            )
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
            line, f"{place}{value:g} is outside the bounds of {measure}, {low:g} to {high:g}",
            f"--bounds {measure}=LOW,HIGH says which values it can have",
        )  # fmt: skip


def scores_problem(path: str, line: int | None, message: str, hint: str = "") -> InputError:
    """What is wrong with a file of saved scores."""
    return InputError([Problem(path, line, "bad-saved-scores", message, hint)])


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


def _column_of_printed_name(name: str) -> Column:
    """What a printed name stands for; a name that irev does not know is a mean of its values."""
    try:
        # another program's column may be called like what people type for a measure
        requests = resolve_names([name], lenient=False)
    except UsageError:
        return Column(name, name)
    columns = [column for request in requests for column in request.columns if column.name == name]
    return columns[0] if columns else Column(name, name)
