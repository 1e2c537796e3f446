"""Scores as irev saves them in JSON: `irev eval -q`, or `irev leaderboard --per-topic`."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from irev.core.text import as_bytes, parse_json, pattern
from irev.scores.saved_runs import RunValues, name_without_endings, no_topics_error
from irev.scores.signature import Signature

if TYPE_CHECKING:
    from irev.scores.saved_file import SavedFile
    from irev.scores.table import ScoreTable

_BEGINNING = re.compile(rb'\s*\{\s*"irev"\s*:')
_HALF_ESCAPED = re.compile(rb"\\u[dD][89a-fA-F]")
_HALF = "[\ud800-\udc7f\udd00-\udfff]"


def is_irev_json(head: bytes) -> bool:
    """Whether a text that begins so is irev's JSON."""
    return _BEGINNING.match(head) is not None


def read_irev_json(saved: SavedFile) -> list[ScoreTable]:
    """The runs of irev's JSON."""
    try:
        document = parse_json(saved.content)
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise saved.problem(line, "this JSON is damaged") from None
    if _HALF_ESCAPED.search(saved.content) and pattern(_HALF).search(
        json.dumps(document, ensure_ascii=False)
    ):
        raise saved.problem(None, "this JSON escapes half of a surrogate pair")
    try:
        holder = _only_board(saved, document) if "leaderboard" in document else document
        tables = [table_of_run(saved, holder, run) for run in holder["runs"]]
        return tables if "path" in holder["runs"][0] else name_without_endings(tables)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError):
        raise saved.problem(None, "this JSON does not hold scores that irev saved") from None


def _only_board(saved: SavedFile, document: dict[str, Any]) -> dict[str, Any]:
    """The board of a leaderboard that has one."""
    boards = [board for track in document["leaderboard"] for board in track["boards"]]
    if len(boards) != 1:
        raise saved.problem(None, f"this leaderboard has {len(boards)} boards, expected one")
    chosen_board: dict[str, Any] = boards[0]
    return chosen_board


def table_of_run(
    saved: SavedFile, document: dict[str, Any], run_object: dict[str, Any]
) -> ScoreTable:
    """The table of a run in irev's JSON, as `document` has it beside others."""
    if "topics" not in run_object:
        raise no_topics_error(saved.path)
    run = RunValues(run_object["run"])
    run.run_id = as_bytes(run_object["runid"])
    run.missing = tuple(sorted(map(as_bytes, run_object["missing"])))
    if run_object.get("signature"):
        run.signature = Signature.from_long(run_object["signature"])
    run.note = str(document.get("note") or "")
    for topic, values in run_object["topics"].items():
        place = f"topic {topic} of {run.name}: "
        run.by_topic[as_bytes(topic)] = {
            name: math.nan if value is None else saved.check_range(None, name, float(value), place)
            for name, value in values.items()
            if not isinstance(value, str)
        }
    names = [name for name in document["measures"] if any(name in v for v in run.by_topic.values())]
    return run.table(saved, names)
