"""Scores as trec_eval prints them with -q, or irev for several runs, behind a line `# RUN` each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from irev.core.text import as_text
from irev.scores.saved_file import is_summary_label
from irev.scores.saved_runs import RunValues, name_by_path, tables_of_runs

if TYPE_CHECKING:
    from irev.scores.saved_file import SavedFile
    from irev.scores.table import ScoreTable


def read_trec(saved: SavedFile) -> list[ScoreTable]:
    """The runs of such a text."""
    runs = [RunValues("")]
    names: dict[str, None] = {}
    for line, text in enumerate(saved.content.splitlines(), 1):
        if text.startswith(b"# "):
            runs.append(RunValues(text[2:].strip().decode("utf-8", "surrogateescape")))
            continue
        fields = text.split()
        if not fields:
            continue
        if len(fields) != 3:
            raise saved.problem(
                line, f"{len(fields)} fields, where trec_eval's output has 3", "measure topic value"
            )
        _add_line(saved, line, runs[-1], names, fields)
    able = [run for run in runs if run.by_topic or run.run_id]
    return name_by_path(tables_of_runs(saved, able, list(names)))


def _add_line(
    saved: SavedFile, line: int, run: RunValues, measure_names: dict[str, None], fields: list[bytes]
) -> None:
    name = as_text(fields[0])
    if name == "runid":
        run.run_id = fields[2]
    elif not is_summary_label(as_text(fields[1])):
        measure_names.setdefault(name)
        values = run.by_topic.setdefault(fields[1], {})
        if name in values:
            topic = fields[1].decode("utf-8", "replace")
            raise saved.problem(
                line, f"duplicate {name} for topic {topic}",
                "separate the outputs of several runs by a line '# RUN'",
            )  # fmt: skip
        cell = as_text(fields[2])
        values[name] = math.nan if cell == "-" else saved.parse_value(line, name, cell)
