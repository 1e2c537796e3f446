"""Scores in JSON, an object for each topic: nuggetizer's lines, and lists of the same shape.

    {"qid": "q1", "strict_vital_score": 0.25, "vital_score": 0.5}

The topic and perhaps the run stand under their usual names, each number under its measure's. The
last line of nuggetizer has the topic `all` and the means of the lines before it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irev.core.wording import count_text
from irev.errors import Notice
from irev.read.headers import NAMES, plain_name
from irev.scores.long_form import (
    FIELD_NAMES,
    ScoreRow,
    first_json_row,
    is_json,
    json_number,
    json_rows,
    runs_of_rows,
)
from irev.scores.saved_file import SUMMARY
from irev.scores.saved_runs import name_by_path, name_without_endings, tables_of_runs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from irev.scores.saved_file import SavedFile
    from irev.scores.table import ScoreTable

_NO_MEASURES = frozenset(
    {*NAMES["document"], *NAMES["grade"], *FIELD_NAMES["measure"], *FIELD_NAMES["value"], "rank"}
)
_LARGEST_ROUNDING = 1e-3
"""Means of a file and of its lines may differ by this: programs round."""


def has_score_lines(head: bytes) -> bool:
    """Whether a text that begins so has an object of scores on each line."""
    row = first_json_row(head) if is_json(head) else None
    if row is None:
        return False
    fields = _run_and_topic_keys(row)
    measures = [value for key, value in row.items() if key not in fields.values()]
    return (
        "topic" in fields
        and _NO_MEASURES.isdisjoint(map(plain_name, row))
        and any(map(_is_number, measures))
        and all(value is None or _is_number(value) for value in measures)
    )


def read_score_lines(saved: SavedFile) -> list[ScoreTable]:
    """The runs of such a text, with a warning where its means are others than those of its lines.

    Without a run the file names it.
    """
    rows: list[ScoreRow] = []
    for line, place, fields in json_rows(saved):
        keys = _run_and_topic_keys(fields)
        if "topic" not in keys:
            noun = place.removesuffix(": ") or "this line"
            raise saved.problem(line, f"{noun} does not name a topic")
        run, topic = (str(fields[keys[f]]) if f in keys else "" for f in ("run", "topic"))
        for measure, value in fields.items():
            if measure not in keys.values():
                number = json_number(saved, line, measure, value, place)
                rows.append(ScoreRow(line, run, topic, measure, number, place))
    runs, names = runs_of_rows(saved, rows)
    tables = tables_of_runs(saved, runs.values(), names)
    tables = [
        replace(table, warnings=_other_mean_warnings(table, run, rows))
        for run, table in zip(runs, tables, strict=True)
    ]
    return name_by_path(tables) if "" in runs else name_without_endings(tables)


def _run_and_topic_keys(row_object: Mapping[str, Any]) -> dict[str, str]:
    """Run and topic -> the key that has them."""
    keys: dict[str, str] = {}
    for key, value in row_object.items():
        for field in ("topic", "run"):
            if plain_name(key) in FIELD_NAMES[field] and not isinstance(value, float):
                keys.setdefault(field, key)
    return keys


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _other_mean_warnings(
    table: ScoreTable, run: str, all_rows: Sequence[ScoreRow]
) -> tuple[Notice, ...]:
    """That a mean in the file is another than that of its lines, which some may have left."""
    for row in all_rows:
        if row.run != run or row.topic != SUMMARY:
            continue
        mean = float(table.scores(row.measure).mean())
        if math.isfinite(mean) and abs(mean - row.value) > _LARGEST_ROUNDING:
            place = row.place or f"line {row.line}: "
            message = (
                f"{place}{row.measure} of all is {row.value:g}, but the mean of the "
                f"{count_text(len(table.topics), 'topic')} is {mean:g}"
            )
            return (Notice("other-mean", message),)
    return ()
