"""Values as z scores: how far from a reference's mean, in its standard deviations.

A z file says, for each topic and printed measure name, the mean and the standard deviation of a
set of reference runs: `TOPIC NAME MEAN SD`, one entry a line.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.core.record import record
from irev.core.text import parse_c_number
from irev.core.wording import count_text
from irev.errors import id_text
from irev.read.stream import read_all, sha256_of, take_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from irev.core.arrays import TopicValues
    from irev.core.judged import Column
    from irev.scores.scores import Scores

MISSING = -1000000.0
"""The z score of a value without an entry, and of one that differs from a mean without spread."""

Entry = tuple[float, float]
"""Mean and standard deviation."""

_HINT = "a line is: TOPIC NAME MEAN STANDARD-DEVIATION"


@record(eq=True)
class ZScores:
    """The reference: topic -> printed measure name -> (mean, standard deviation); its hash."""

    entries: Mapping[bytes, Mapping[bytes, Entry]]
    sha256: str | None = None

    def apply(self, scores: Scores) -> Scores:
        """The same scores, every per-topic value v as (v - mean) / sd.

        Without an entry the z score is -1000000. Where sd is 0 it is 0 for v equal to the mean and
        -1000000 for any other v. Geometric columns hold logs, so that the reference must too.
        Counts over all topics (`num_q`; `num_rel` where every judged topic counts) stay as they
        are; texts do too. The columns get their printed names, with a Z in front.

        Source: trec_eval 10, option -Z.
        """
        values = scores.values.copy()
        for index, column in enumerate(scores.columns):
            if not _is_text(column) and column.average != "topics":
                values[:, index] = self._z_scores(scores.topics, column.name, values[:, index])
        signature = scores.signature
        if signature is not None:
            signature = replace(signature, files={**signature.files, "zscores": self.sha256})
        return replace(
            scores,
            signature=signature,
            columns=tuple(_z_column(column) for column in scores.columns),
            values=values,
            totals={f"Z{name}": total for name, total in scores.totals.items()},
        )

    def _z_scores(self, topics: Sequence[bytes], name: str, values: TopicValues) -> TopicValues:
        key = name.encode()
        pairs = [self.entries.get(topic, {}).get(key) for topic in topics]
        result = np.full(len(topics), MISSING)
        with np.errstate(invalid="ignore", over="ignore"):
            for row, pair in enumerate(pairs):
                if pair is None:
                    continue
                mean, deviation = pair
                if deviation != 0:
                    result[row] = (values[row] - mean) / deviation
                elif values[row] == mean:
                    result[row] = 0.0
        return result


def read_zscores(path: str) -> ZScores:
    """Read a z file; blank lines and lines that begin with `#` are skipped."""
    by_topic: dict[bytes, list[tuple[bytes, Entry]]] = {}
    text = read_all(path)

    def take_entry(fields: list[bytes]) -> str:
        message = _field_fault(fields)
        if not message:
            pair = (parse_c_number(fields[2]) or 0.0, parse_c_number(fields[3]) or 0.0)
            by_topic.setdefault(fields[0], []).append((fields[1], pair))
        return message

    take_lines(path, text, take_entry, "z score", _HINT)
    entries_by_topic = {topic: _entries_by_name(entries) for topic, entries in by_topic.items()}
    return ZScores(entries_by_topic, sha256_of(text))


def _field_fault(fields: list[bytes]) -> str:
    if len(fields) != 4:
        return f"{count_text(len(fields), 'field')}, expected 4"
    for field_name, field in (("mean", fields[2]), ("standard deviation", fields[3])):
        if parse_c_number(field) is None:
            return f"the {field_name} '{id_text(field)}' is not a number"
    return ""


def _entries_by_name(entries: list[tuple[bytes, Entry]]) -> dict[bytes, Entry]:
    """A topic's entries; of several for one name the one that halving the sorted list hits."""
    entries.sort(key=lambda entry: entry[0])
    names = [name for name, _ in entries]
    entry_by_name = dict(entries)
    if len(entry_by_name) < len(entries):
        entry_by_name = {name: entries[_index_by_halving(names, name)][1] for name in entry_by_name}
    return entry_by_name


def _index_by_halving(names: list[bytes], present_name: bytes) -> int:
    low, high = 0, len(names)
    while True:
        middle = (low + high) // 2
        if names[middle] == present_name:
            return middle
        if names[middle] < present_name:
            low = middle + 1
        else:
            high = middle - 1


def _is_text(column: Column) -> bool:
    return column.kind == "text" or column.average == "run"


def _z_column(column: Column) -> Column:
    return column if _is_text(column) else replace(column, name=f"Z{column.name}", kind="real")
