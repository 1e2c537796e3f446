"""Files of saved scores: which form one has, and its runs.

There is a module for each form: irev's JSON (`json_form`), trec_eval's output with -q
(`trec_form`), a value on each line (`long_form`, `parquet_form`), an object for each topic in JSON
(`score_lines`), mappings in JSON as pytrec_eval gives them (`nested_form`), and tables with a
column for each measure or run (`wide_form`).
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irev.core.wording import shortened_list
from irev.read.headers import find_header
from irev.read.layout import looks_like_scores
from irev.read.stream import Source, sha256_of
from irev.scores.json_form import is_irev_json, read_irev_json
from irev.scores.long_form import content_lines, has_long_form, read_long_form
from irev.scores.nested_form import has_nested_scores, read_nested_scores
from irev.scores.parquet_form import is_score_parquet, read_parquet
from irev.scores.saved_file import SavedFile
from irev.scores.saved_runs import drop_summary_topics
from irev.scores.score_lines import has_score_lines, read_score_lines
from irev.scores.trec_form import read_trec
from irev.scores.wide_form import is_matrix_without_head, read_matrix, read_table, wide_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from irev.core.bounds import MeasureRange
    from irev.read.headers import ColumnNames
    from irev.scores.table import ScoreTable

_READERS: Mapping[str, Callable[[SavedFile], list[ScoreTable]]] = {
    "json": read_irev_json,
    "nested": read_nested_scores,
    "long": read_long_form,
    "lines": read_score_lines,
    "parquet": read_parquet,
    "table": read_table,
    "matrix": read_matrix,
    "trec": read_trec,
}


def split_saved_path(path: str) -> tuple[str, str]:
    """(the file, the run in it) of a path such as `scores.json[bm25]`; no run of any other path."""
    if path.endswith("]") and not os.path.lexists(path):
        at = -1
        while (at := path.find("[", at + 1)) > 0:  # both may have brackets
            if os.path.isfile(path[:at]):
                return path[:at], path[at + 1 : -1]
    return path, ""


def is_saved(path: str, columns: ColumnNames = ()) -> bool:
    """Whether a file holds saved scores, by how it begins; one of its runs may be named."""
    path, _ = split_saved_path(path)
    if os.path.exists(path) and not os.path.isfile(path):
        return False  # a run in several files, or a pipe, which can be read only once
    if is_score_parquet(path):
        return True
    with Source(path) as source:
        return is_saved_head(source.head(), columns)


def table_hint(path: str) -> str:
    """What to do about a file that looks like a table of scores and is not read; else empty."""
    with Source(path) as source:
        lines = source.head().splitlines()[:2]
    if len(lines) == 2 and lines[0].count(b";") == lines[1].count(b";") > 0:
        return (
            "semicolons separate its columns: write commas between columns, and points in "
            "decimal numbers"
        )
    if len(lines) == 2 and is_matrix_without_head(*lines):
        return (
            "its first line has numbers: write topic,RUN,RUN... there, and the ids of the topics "
            "in the first column"
        )
    return ""


_MOST_NAMES = 10


def is_saved_head(head: bytes, columns: ColumnNames = ()) -> bool:
    """Whether a file with these first lines (`Source.head`) holds saved scores.

    `columns` are the names of columns, as far as somebody gave one.
    """
    return _saved_kind(head, columns) is not None


def read_saved(
    path: str, ranges: Sequence[MeasureRange] = (), columns: ColumnNames = ()
) -> list[ScoreTable]:
    """The runs of a file of saved scores, in the order of the file.

    Args:
        path: the file; `scores.json[bm25]` is one of its runs.
        ranges: those of measures, as far as somebody gave one.
        columns: names of columns, as far as somebody gave one; `measure` is one with scores.

    Raises:
        InputError: it holds none, or what it holds cannot be read; a value outside its range; no
            run of that name.
    """
    file_path, run_name = split_saved_path(path)
    with Source(file_path) as source:
        kind = "parquet" if is_score_parquet(file_path) else _saved_kind(source.head(), columns)
        if kind is None:
            raise source.problem(
                "this file does not contain saved scores",
                "of irev's (-q --format json, csv or tsv, --output x.parquet), trec_eval's (-q), "
                "long forms (run, topic, measure and value on a line) and matrices (a line for "
                "each topic, a column for each run) are read",
                kind="other-kind",
            )
        content = source.content()
        saved = SavedFile(source.path, content, ranges, columns)
        tables = drop_summary_topics(_READERS[kind](saved))
        digest = sha256_of(content)
        fields: dict[str, Any] = {"sha256": digest} | ({"path": path} if run_name else {})
        named = [table for table in tables if run_name in ("", table.runs[0].name)]
        if not named:
            names = shortened_list([table.runs[0].name for table in tables], _MOST_NAMES)
            raise source.problem(
                f"there is no run '{run_name}' in this file", f"it has {names}",
                kind="bad-saved-scores",
            )  # fmt: skip
        return [replace(table, runs=(replace(table.runs[0], **fields),)) for table in named]


def _saved_kind(head: bytes, columns: ColumnNames) -> str | None:
    """Which form a text has that begins so; None: it is no beginning of saved scores."""
    if is_irev_json(head):
        return "json"
    if has_nested_scores(head):
        return "nested"
    if find_header(head, columns) is not None:
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
