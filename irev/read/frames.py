"""Runs and qrels that are in memory already: pandas frames and Arrow tables."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import RowValues, TopicOfRow, arrow_array, is_any, numpy_view, run_starts
from irev.core.ids import PADDING, Ids, ids_from_arrow
from irev.core.judged import BatchesOfWholeTopics
from irev.core.packages import need_packages
from irev.core.text import as_text, shortened_list
from irev.errors import NO_COLUMN, NO_DOCUMENTS, InputError, Problem
from irev.read.columns import (
    NAMES,
    is_further_name,
    names_topics_and_documents,
    parse_reals_or_nan,
    plain_name,
)
from irev.read.formats import CLASSES, LEVELS, SAVED
from irev.read.layout import Layout
from irev.read.topics import grouped_rows

if TYPE_CHECKING:
    import pyarrow as pa


def frame_rows(frame: Any, layout: Layout) -> BatchesOfWholeTopics:
    """The rows of a frame or a table as whole topics."""
    table = _arrow_table(frame, layout)
    if table.num_rows == 0:
        raise empty_table_problem(layout, "rows")
    if not isinstance(frame, RunInFrame):
        name, _, runs = _run_codes(table, layout, library_of(frame))
        if len(runs) > 1:
            raise InputError([several_runs_problem("", name, runs)])
    layout = layout_with_classes(table.column_names, layout)
    names = column_names(table.column_names, layout)
    library = library_of(frame)
    code, topics = _column_ids(table, names["topic"], layout, library).codes()
    ids = [_column_ids(table, names[name], layout, library) for name in layout.ids]
    number = _column_numbers(table, names[layout.number], layout, library)
    return grouped_rows(topics, code, ids, number, None)


class RunInFrame:
    """One run of a table in memory that holds several; Arrow reads it."""

    def __init__(self, table: pa.Table, run: bytes, column: str) -> None:
        self.run, self.column, self._table = run, column, table
        self.columns = self.column_names = table.column_names

    def slice(self, start: int, count: int) -> RunInFrame:
        """Some of the rows."""
        return RunInFrame(self._table.slice(start, count), self.run, self.column)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows, as Arrow hands them on."""
        return self._table.__arrow_c_stream__(requested_schema)


def several_runs_of_frame(frame: Any, layout: Layout) -> list[RunInFrame]:
    """The runs of a frame or a table in which a column names several; none of any other."""
    if _is_lazy(frame):
        return []
    if library_of(frame) == "pandas":
        frame = _with_index(frame, layout)
    names = [str(name) for name in getattr(frame, "column_names", frame.columns)]
    if not run_column(names, layout):
        return []
    table = _arrow_table(frame, layout)
    name, code, runs = _run_codes(table, layout, library_of(frame))
    if len(runs) < 2:
        return []
    start = run_starts(code)
    if len(start) - 1 > len(runs):
        import pyarrow as pa

        order = np.argsort(code, kind="stable")
        table, code = table.take(arrow_array(order, pa.int64())), code[order]
        start = run_starts(code)
    bounds = zip(start[:-1].tolist(), start[1:].tolist(), strict=True)
    return [RunInFrame(table.slice(a, b - a), runs[code[a]], name) for a, b in bounds]


def run_column(columns: Sequence[str], layout: Layout) -> str:
    """The column of a table that says which run a row is of; empty: there is none."""
    if not is_run_layout(layout):
        return ""
    try:
        return column_names(columns, layout._replace(ids=("run",)))["run"]
    except InputError:
        return ""


def is_run_layout(layout: Layout) -> bool:
    """Whether it is one of runs, which a column can tell apart."""
    return layout.kind.startswith("run") and dict(layout.columns).get("run") != ""


def several_runs_problem(path: str, column: str, runs: Sequence[bytes]) -> Problem:
    """The problem of a table of several runs where one is read; without a path it is in memory."""
    names = [as_text(run) for run in runs]
    one = f"{path}[{names[0]}]" if path else f'frame[frame["{column}"] == {names[0]!r}]'
    if path and not os.path.exists(path):
        one = f"write the table to a file, FILE[{names[0]}]"
    return Problem(
        path or "the run",
        None,
        "several-runs",
        f"column {column} has {len(runs)} values: {shortened_list(names, 4)}; one run is read here",
        f"say which run: {one}; if the column names no runs, say --columns run=",
    )


def _run_codes(
    table: pa.Table, layout: Layout, library: str
) -> tuple[str, TopicOfRow, list[bytes]]:
    """The column that names runs, which run each row is of, and the runs in order."""
    name = run_column(table.column_names, layout)
    if not name:
        return "", np.zeros(0, np.int64), []
    import pyarrow as pa

    column = table.column(name)
    if pa.types.is_null(column.type) or column.null_count == len(column):
        return name, np.zeros(0, np.int64), []
    return name, *_column_ids(table, name, layout, library).codes()


def library_of(frame: Any) -> str:
    """The package that a frame is of, by its name."""
    return type(frame).__module__.partition(".")[0]


def drop_duplicates_call(frame: Any, layout: Layout) -> str:
    """The call that keeps one row of each document; empty where none is known."""
    library = library_of(frame)
    if library == "pandas":
        call, frame = "frame.drop_duplicates([{}])", _with_index(frame, layout)
    elif library == "polars":
        call = "frame.unique([{}])"
    else:
        return ""
    columns = [*map(str, frame.columns)]
    names = column_names(columns, layout_with_classes(columns, layout))
    return call.format(", ".join(f'"{names[field]}"' for field in ("topic", *layout.ids)))


def _arrow_table(frame: Any, layout: Layout) -> pa.Table:
    need_packages("pyarrow", place="a frame")
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return frame
    is_pandas = library_of(frame) == "pandas"
    if is_pandas and not hasattr(frame, "columns"):
        what = f"a pandas {type(frame).__name__} has no columns"
        raise table_problem(layout, what, "make it a frame: .reset_index()")
    try:
        if is_pandas:
            return pa.Table.from_pandas(_with_index(frame, layout), preserve_index=False)
        if hasattr(frame, "__arrow_c_stream__"):
            return pa.table(frame)
    except Exception as error:
        reason = "; ".join(str(part) for part in error.args)
        raise table_problem(layout, f"Arrow cannot take this table: {reason}") from None
    hint = "write .collect()" if _is_lazy(frame) else ""
    raise table_problem(layout, f"{type(frame).__name__} objects cannot be read", hint)


def _with_index(frame: Any, layout: Layout) -> Any:
    """A frame of pandas whose topics and documents are columns, where they were its index."""
    columns = [str(name) for name in frame.columns]
    names = [str(name) for name in frame.index.names if name is not None]
    if names_topics_and_documents(columns, layout.columns) or not names_topics_and_documents(
        [*columns, *names], layout.columns
    ):
        return frame
    return frame.reset_index()


def is_table(value: Any) -> bool:
    """Whether it is a frame or a table: of pandas, Arrow, polars, DuckDB and their like."""
    # the type is asked first: a lazy frame would work out its columns, and warn
    has_columns = hasattr(type(value), "columns") or hasattr(value, "columns")
    return has_columns and not isinstance(value, Mapping)


def _is_lazy(frame: Any) -> bool:
    """Whether it is a frame of polars that is yet to be read."""
    return type(frame).__name__ == "LazyFrame"


def layout_with_classes(columns: Sequence[str], layout: Layout) -> Layout:
    """The layout for a table: judgments by levels have classes where there is a column for them."""
    has_classes = any(plain_name(name) in NAMES["class"] for name in columns)
    is_levels = layout._replace(columns=(), may_repeat=False) == LEVELS
    return CLASSES._replace(columns=layout.columns) if is_levels and has_classes else layout


def column_names(
    columns: Sequence[str], layout: Layout, *, lists: Sequence[str] = ()
) -> dict[str, str]:
    """Which column of a table holds each field that is needed.

    Where some of them hold lists, these may be the documents: no column of a number is needed.

    Raises:
        InputError: several may hold one, or none does; it names the option that says which.
    """
    name_of_field: dict[str, str] = {}
    missing: list[str] = []
    user_names = {field: name for field, name in layout.columns if name in columns}
    free = [name for name in columns if name not in user_names.values()]
    for field in ("topic", *layout.ids, *([] if lists else [layout.number])):
        matching = [user_names[field]] if field in user_names else usual_columns(free, field)
        if not matching:
            missing.append(field)
            continue
        if len(matching) > 1:
            message = f"{' and '.join(matching)} are columns for the {field}"
            hint = f"rename a column, or say --columns {field}=NAME"
            raise table_problem(layout, message, hint, NO_COLUMN)
        if list(columns).count(matching[0]) > 1:
            message = f"two columns are called {matching[0]}, which holds the {field}"
            raise table_problem(layout, message, kind=NO_COLUMN)
        name_of_field[field] = matching[0]
    if missing:
        raise _missing_columns_error(columns, layout, missing, name_of_field, lists)
    return name_of_field


_GIVING_WAY = {
    "topic": ("query", "query_text", "question"),
    "document": ("docid", "pid"),
    "run": ("run_id", "runid"),
    "score": ("rating",),
    "grade": ("score",),
}
"""Names that are not meant where there is another: frames have the topic's text as `query` beside
`qid`, PyTerrier's a number of the index as `docid` beside `docno`, recommenders' the true `rating`
beside `prediction`."""


def usual_columns(columns: Sequence[str], field: str) -> list[str]:
    """The columns that are called as a field is: as it usually is, or else as it may be."""
    plain_names = {name: plain_name(name) for name in columns}
    matching = [name for name in columns if plain_names[name] in NAMES[field]]
    matching = matching or [name for name in columns if is_further_name(plain_names[name], field)]
    giving_way = _GIVING_WAY.get(field, ())
    return [name for name in matching if plain_names[name] not in giving_way] or matching


def _missing_columns_error(
    columns: Sequence[str],
    layout: Layout,
    missing: Sequence[str],
    known: Mapping[str, str],
    lists: Sequence[str],
) -> InputError:
    """The error that lists the columns, and gives the whole option as far as it can be guessed."""
    *first, last = (f"the {field}" for field in missing)
    fields = f"{', '.join(first)} or {last}" if first else last
    usual = f" (one of {', '.join(NAMES[missing[0]])})" if not missing[1:] else ""
    message = f"there is no column for {fields}{usual}; the columns are "
    message += shortened_list(columns, 12)
    column_of = _guessed_columns(columns, missing, known, lists)
    perhaps = ":" if "NAME" in column_of.values() else ", perhaps"
    pairs = ",".join(f"{field}={name}" for field, name in column_of.items())
    hint = f"say which they are{perhaps} --columns {shlex.quote(pairs)}"
    plain_names = set(map(plain_name, columns))
    is_known = "NAME" not in column_of.values()
    if missing == [layout.number] and not is_known and len(columns) == 2:
        hint = 'lists of documents are read in JSON: {"query_id": "1", "doc_ids": ["d7", "d2"]}'
        if layout.number == "grade":
            hint = f"add a column of ones if all are relevant; {hint}"
    if not plain_names.isdisjoint(NAMES["measure"]) and "document" in missing:
        hint = f"it looks like {SAVED}; else {hint}"
    elif missing == ["score"] and not plain_names.isdisjoint(NAMES["rank"]):
        hint = "order by the ranks: --ties rank" + (f"; or {hint}" if is_known else "")
    elif missing == ["score"] and not plain_names.isdisjoint(NAMES["grade"]):
        hint += "; or are these judgments? the judgments come first"
    return table_problem(layout, message, hint, NO_COLUMN)


_ID_WORD = re.compile(r"(?:[a-z]I[dD]|(?:^|[^A-Za-z])(?:id|no|nr|number|key))s?(?:$|[^a-z])", re.I)
"""What the name of a column of ids may hold."""

_LIKELY_LISTS = {
    "qrels": r"gold|relevant|truth|positive|expected|reference",
    "run": r"retriev|predict|result|ranked|found|recommend",
}
"""What the name of a column with lists may hold that are judgments, or a run."""


def _guessed_columns(
    columns: Sequence[str], missing: Sequence[str], known: Mapping[str, str], lists: Sequence[str]
) -> dict[str, str]:
    """Field -> the column that may hold it; NAME where nothing speaks for one."""
    by_file = {
        f"{kind}:document": next(filter(re.compile(words, re.I).search, lists), "")
        for kind, words in _LIKELY_LISTS.items()
    }
    # of ranks the lowest is best: no score; ids of topics are no lists
    free = [
        name
        for name in columns
        if name not in (*known.values(), *lists)
        and (plain_name(name) not in NAMES["rank"] or "rank" in missing)
    ]
    column_of: dict[str, str] = {}
    for field in missing:
        if field == "document" and lists and all(by_file.values()):
            column_of |= by_file
            continue
        candidates = [*lists] if field == "document" and lists else free
        likely = [name for name in candidates if _is_likely(name, field)]
        likely = [name for name in likely if _ID_WORD.search(name)] or likely
        if candidates is not free and len(lists) == 1:
            likely = candidates
        column_of[field] = likely[0] if likely and field != "rank" else "NAME"
        free = [name for name in free if name != column_of[field]]
    unknown = [field for field, name in column_of.items() if name == "NAME"]
    if len(unknown) == len(free):  # then in their order
        column_of |= zip(unknown, free, strict=True)
    return column_of


_LIKELY_WORDS = {
    "topic": r"quer|topic|question|user|request|search|prompt|session|customer|claim|qid",
    "document": r"doc|item|passage|chunk|product|page|result|article|url|film|movie|track|book"
    r"|candidate|context|answer|paper|sku|asin",
    "score": r"scor|sim|prob|predict|weight|logit|point|rating|value|relevance|confidence",
    "grade": r"grade|rel|label|judg|rating|score|point|star|value|annotation|gold",
}
"""What the name of a column for a field may hold, as a pattern."""


def _is_likely(name: str, field: str) -> bool:
    return field in _LIKELY_WORDS and re.search(_LIKELY_WORDS[field], name, re.I) is not None


def _column_ids(table: pa.Table, name: str, layout: Layout, library: str) -> Ids:
    import pyarrow as pa

    column = table.column(name)
    kind = column.type
    _refuse_damaged(column, name, layout)
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_integer(kind):
        column = column.cast(pa.string())
    elif not any(is_text(kind) for is_text in text_or_bytes_type_tests()):
        casts = {"pandas": "astype(int).astype(str)", "polars": "cast(int).cast(str)"}
        is_cast = library in casts and pa.types.is_floating(kind)
        hint = f'write frame["{name}"].{casts[library]}' if is_cast else ""
        raise table_problem(
            layout,
            f"column {name} holds {_type_name(kind)}: ids are strings, bytes or integers",
            hint,
        )
    if column.null_count:
        raise table_problem(layout, f"an id is missing in column {name}, in {_first_null(column)}")
    # one chunk holds them all only where offsets are wide
    ids = ids_from_arrow(one_chunk(column.cast(pa.large_binary())))
    if (ids.data[:-PADDING] == 0).any():
        raise table_problem(layout, f"an id in column {name} holds a zero byte")
    return ids


def _refuse_damaged(column: pa.ChunkedArray, name: str, layout: Layout) -> None:
    """Refuse a column whose parts do not lie where it says: reading it could end the process."""
    import pyarrow as pa

    try:
        for chunk in column.chunks:
            texts_as_bytes(chunk).validate(full=True)
    except pa.ArrowInvalid as error:
        raise table_problem(layout, f"column {name} is damaged: {error}") from None


def texts_as_bytes(column: pa.Array) -> pa.Array:
    """A column whose texts, which need not be UTF-8, are bytes; nothing is copied."""
    import pyarrow as pa

    bytes_of = {
        pa.string(): pa.binary(),
        pa.large_string(): pa.large_binary(),
        pa.string_view(): pa.binary_view(),
    }
    return column.view(bytes_of[column.type]) if column.type in bytes_of else column


def text_or_bytes_type_tests() -> tuple[Callable[[pa.DataType], bool], ...]:
    """The tests of a type, one of which holds for every type of texts and bytes."""
    import pyarrow as pa

    kinds = pa.types
    return (
        kinds.is_string,
        kinds.is_large_string,
        kinds.is_string_view,
        kinds.is_binary,
        kinds.is_large_binary,
        kinds.is_binary_view,
    )


def one_chunk(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece."""
    joined = column.combine_chunks()
    return joined if not hasattr(joined, "num_chunks") else joined.chunk(0)


def _column_numbers(table: pa.Table, name: str, layout: Layout, library: str) -> RowValues:
    import pyarrow as pa

    column = table.column(name)
    _refuse_damaged(column, name, layout)
    if layout.number == "grade" and pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    if not is_number(column.type):
        are_texts = any(is_text(column.type) for is_text in text_or_bytes_type_tests()[:3])
        casts = {"pandas": "astype(float)", "polars": "cast(float)"}
        is_cast = library in casts and are_texts
        hint = f'write frame["{name}"].{casts[library]}' if is_cast else ""
        message = f"column {name} holds {_type_name(column.type)}, not numbers"
        raise table_problem(layout, message, hint)
    if column.null_count:
        location = _first_null(column)
        raise table_problem(layout, f"a {layout.number} is missing in column {name}, in {location}")
    number = np.concatenate([column_doubles(chunk) for chunk in column.chunks])
    refuse_nan_numbers_and_infinite_grades(number, layout)
    return number


def _type_name(kind: pa.DataType) -> str:
    """What a type is called in Python's words."""
    import pyarrow as pa

    names = {pa.types.is_floating: "floats", pa.types.is_boolean: "True and False"}
    names |= {pa.types.is_list: "lists", pa.types.is_null: "nothing"}
    names |= dict.fromkeys(text_or_bytes_type_tests()[:3], "texts")
    return next((name for is_kind, name in names.items() if is_kind(kind)), str(kind))


def _first_null(column: pa.ChunkedArray) -> str:
    """The first row of a column that holds nothing."""
    return f"row {column.is_null().to_pylist().index(True) + 1}"


def is_number(kind: pa.DataType) -> bool:
    """Whether a column of a type holds numbers."""
    import pyarrow as pa

    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return any(is_kind(kind) for is_kind in tests)


def column_doubles(null_free_column: pa.Array) -> RowValues:
    """float64[N]: a column of numbers without nulls; decimal ones as if they stood in a text."""
    import pyarrow as pa

    if pa.types.is_decimal(null_free_column.type):
        return parse_reals_or_nan(ids_from_arrow(null_free_column.cast(pa.string())))
    # casting starts Arrow's functions, whose import a small evaluation feels
    is_double = null_free_column.type == pa.float64()
    return numpy_view(
        null_free_column if is_double else null_free_column.cast(pa.float64(), safe=False)
    )


def refuse_nan_numbers_and_infinite_grades(
    scores_or_grades: RowValues,
    layout: Layout,
    row_label: Callable[[int], str] = lambda index: f"row {index + 1}",
) -> None:
    """Refuse what is no number, and infinite grades; `row_label` says where one is."""
    for fault, is_odd in (("NaN, which is not a number", np.isnan), ("infinite", np.isinf)):
        if is_odd is np.isinf and layout.number != "grade":
            continue
        odd_mask = is_odd(scores_or_grades)
        if is_any(odd_mask):
            location = row_label(int(odd_mask.argmax()))
            raise table_problem(layout, f"a {layout.number} is {fault}, in {location}")


def table_problem(
    layout: Layout, message: str, hint: str = "", kind: str = "bad-table"
) -> InputError:
    """An error about a table in memory as a whole."""
    return InputError([Problem(f"the {layout.kind}", None, kind, message, hint)])


def empty_table_problem(layout: Layout, noun: str) -> InputError:
    """The error about a table or a mapping without rows; a run may be such a one on purpose."""
    return table_problem(layout, f"it has no {noun}", kind=NO_DOCUMENTS)
