"""Files of saved scores: which form one has, and its runs.

There is a module for each form: irev's JSON (`json_form`), trec_eval's output with -q
(`trec_form`), a value on each line (`long_form`, `parquet_form`), a topic on each line of JSON
(`score_lines`), and tables with a column for each measure or run (`wide_form`).
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from irev.read.headers import find_header
from irev.read.layout import looks_like_scores
from irev.read.stream import Source, sha256_of
from irev.scores.json_form import is_irev_json, read_irev_json
from irev.scores.long_form import content_lines, has_long_form, read_long_form
from irev.scores.parquet_form import is_score_parquet, read_parquet
from irev.scores.saved_file import SavedFile
from irev.scores.score_lines import has_score_lines, read_score_lines
from irev.scores.trec_form import read_trec
from irev.scores.wide_form import read_matrix, read_table, wide_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from irev.core.bounds import MeasureRange
    from irev.scores.table import ScoreTable

_READERS: Mapping[str, Callable[[SavedFile], list[ScoreTable]]] = {
    "json": read_irev_json,
    "long": read_long_form,
    "lines": read_score_lines,
    "parquet": read_parquet,
    "table": read_table,
    "matrix": read_matrix,
    "trec": read_trec,
}


def is_saved(path: str) -> bool:
    """Whether a file holds saved scores, by how it begins."""
    if os.path.exists(path) and not os.path.isfile(path):
        return False  # a run in several files, or a pipe, which can be read only once
    if is_score_parquet(path):
        return True
    with Source(path) as source:
        return is_saved_head(source.head())


def has_semicolons(path: str) -> bool:
    """Whether a file looks like a table with semicolons between its columns, which is not read."""
    with Source(path) as source:
        lines = source.head().splitlines()[:2]
    return len(lines) == 2 and lines[0].count(b";") == lines[1].count(b";") > 0


def is_saved_head(head: bytes) -> bool:
    """Whether a file with these first lines (`Source.head`) holds saved scores."""
    return _saved_kind(head) is not None


def read_saved(path: str, ranges: Sequence[MeasureRange] = ()) -> list[ScoreTable]:
    """The runs of a file of saved scores, in the order of the file.

    Args:
        path: the file.
        ranges: those of measures, as far as somebody gave one.

    Raises:
        InputError: it holds none, or what it holds cannot be read; a value outside its range.
    """
    with Source(path) as source:
        kind = "parquet" if is_score_parquet(path) else _saved_kind(source.head())
        if kind is None:
            raise source.problem(
                "this file does not contain saved scores",
                "of irev's (-q --format json, csv or tsv, --output x.parquet), trec_eval's (-q), "
                "long forms (run, topic, measure and value on a line) and matrices (a line for "
                "each topic, a column for each run) are read",
                kind="other-kind",
            )
        content = source.content()
        tables = _READERS[kind](SavedFile(source.path, content, ranges))
        digest = sha256_of(content)
        return [replace(table, runs=(replace(table.runs[0], sha256=digest),)) for table in tables]


def _saved_kind(head: bytes) -> str | None:
    """Which form a text has that begins so; None: it is no beginning of saved scores."""
    if is_irev_json(head):
        return "json"
    if find_header(head) is not None:
        return None
    if has_long_form(head):
        return "long"
    if has_score_lines(head):
        return "lines"
    lines = content_lines(head)
    kind = wide_kind(lines) if lines else None
    if kind is not None:
        return kind
    return "trec" if looks_like_scores(head) else None
