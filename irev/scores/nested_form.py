"""Scores in nested JSON, as pytrec_eval gives them: by topic, or by run and topic.

    {"q1": {"map": 0.25, "ndcg_cut_10": 0.5}}
    {"bm25": {"q1": {"map": 0.25, "ndcg_cut_10": 0.5}}}

A run in JSON has the same shape, with documents for measures. So most of the first names of the
first topic must be measures that irev knows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from irev.core.text import as_bytes, as_text, parse_json, pattern
from irev.scores.saved_file import (
    SavedFile,
    are_measure_names,
    is_measure_name,
    is_summary_label,
)
from irev.scores.saved_runs import (
    RunValues,
    drop_summary_topics,
    name_by_path,
    name_without_endings,
    tables_of_runs,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.bounds import MeasureRange
    from irev.scores.table import ScoreTable

_STRING = rb'"((?:[^"\\\x00-\x1f]|\\.)*)"'
_TO_FIRST_TOPIC = rb"\s*\{\s*" + _STRING + rb"\s*:\s*\{\s*(?:" + _STRING + rb'\s*:\s*\{\s*)?(?=")'
"""How a mapping begins in JSON, up to the names of its first topic."""

_PAIR = (
    rb"[,\s]*" + _STRING + rb'\s*:\s*(?:-?[0-9][0-9.eE+-]*|null|NaN|-?Infinity|"[^"]*")\s*(?=[,}])'
)
_TEXT_MEASURES = frozenset({"runid", "relstring"})


_FIRST_NAMES = 8
"""So many names of the first topic tell measures from documents."""


class _RepeatedKeyError(Exception):
    """A key that stands twice in an object."""


def has_nested_scores(head: bytes) -> bool:
    """Whether a text that begins so is a mapping of the scores of topics."""
    beginning = pattern(_TO_FIRST_TOPIC).match(head)
    if beginning is None:
        return False
    names: list[str] = []
    position = beginning.end()
    while len(names) < _FIRST_NAMES and (pair := pattern(_PAIR).match(head, position)) is not None:
        names.append(as_text(pair[1]))
        position = pair.end()
    return head[position : position + 1] in (b"}", b",") and _are_mostly_measures(names)


def is_score_mapping(value: Any) -> bool:
    """Whether a mapping in memory has the scores of topics, by the first of them."""
    first = next(iter(value.values()), None) if isinstance(value, Mapping) else None
    if not isinstance(first, Mapping):
        return False
    names = [*islice(first, _FIRST_NAMES)]
    return all(isinstance(name, str) for name in names) and _are_mostly_measures(names)


def _are_mostly_measures(names: Sequence[str]) -> bool:
    measure_names = [name for name in names if is_measure_name(name)]
    return 2 * len(measure_names) > len(names) and are_measure_names(measure_names)


def read_nested_scores(saved: SavedFile) -> list[ScoreTable]:
    """The runs of such a text; without their names the file has one."""

    def make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            names = [name for name, _ in pairs]
            raise _RepeatedKeyError(next(name for name in names if names.count(name) > 1))
        return values

    try:
        mapping = parse_json(saved.content, make_object)
    except _RepeatedKeyError as error:
        raise saved.problem(None, f"'{error}' is repeated in one mapping") from None
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise saved.problem(line, "this JSON is damaged") from None
    first = next(iter(mapping.values()))
    if any(isinstance(value, dict) for value in first.values()):
        tables = [
            table for name, topics in mapping.items() for table in _tables(saved, name, topics)
        ]
        return name_without_endings(tables)
    return name_by_path(_tables(saved, "", mapping))


def table_of_score_mapping(
    mapping: Mapping[Any, Any], ranges: Sequence[MeasureRange] = ()
) -> ScoreTable:
    """The table of one run in memory; `ranges` are those of measures, as far as they are given."""
    [table] = drop_summary_topics(_tables(SavedFile("", b"", ranges), "", mapping))
    return table


def _tables(saved: SavedFile, name: str, topics: Any) -> list[ScoreTable]:
    run = RunValues(name)
    of_run = f" of {name}" if name else ""
    measures: dict[str, None] = {}
    for topic, values in _items(saved, topics, f"the topics{of_run}"):
        if is_summary_label(topic):
            continue
        place = f"topic {topic}{of_run}: "
        own = run.by_topic[as_bytes(topic)] = {}
        for measure, value in _items(saved, values, f"topic {topic}{of_run}"):
            if measure not in _TEXT_MEASURES:
                measures.setdefault(measure)
                own[measure] = _number(saved, measure, value, place)
    return tables_of_runs(saved, [run], [*measures])


def _items(saved: SavedFile, value: Any, noun: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        raise saved.problem(None, f"{noun}: expected a mapping, found {value!r}")
    return ((str(key), each) for key, each in value.items())


def _number(saved: SavedFile, measure: str, value: Any, place: str) -> float:
    if value is None:
        return math.nan
    try:
        number = math.nan if isinstance(value, bool | str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool | str) or (math.isnan(number) and not isinstance(value, float)):
        raise saved.problem(None, f"{place}{measure} is {value!r}, which is no number")
    return saved.check_range(None, measure, number, place)
