"""Runs and qrels as Python has them: whatever is no file, as one that gives whole topics.

That is a frame (`frames`), rows, a data set of ir_datasets, or a mapping: of mappings, of ranked
lists, of answers of a search engine, of arrays by the names of columns. Ids become bytes all at
once where they are of one kind: joined by line ends, and told apart by these again. Only what is
odd is looked at one by one, which says what is wrong with it.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import lru_cache, partial
from itertools import chain, islice
from typing import Any, Self, TypeAlias

import numpy as np

from irev.core.arrays import Floats, RowValues, TopicOfRow, lengths_of, offsets, run_starts
from irev.core.ids import FEW_IDS, PADDING, Ids, NamedIds, ids_from_data_and_lengths
from irev.core.judged import MAPPINGS, BatchesOfWholeTopics, Duplicate
from irev.core.text import as_bytes, shortened_list
from irev.errors import InputError, MissingExtraError, Problem, id_text
from irev.read.columns import NAMES, ColumnNames, names_topics_and_documents, plain_name
from irev.read.frames import (
    column_names,
    drop_duplicates_call,
    empty_table_problem,
    frame_rows,
    is_table,
    layout_with_classes,
    library_of,
    refuse_nan_numbers_and_infinite_grades,
    table_problem,
    usual_columns,
)
from irev.read.layout import Layout
from irev.read.sniff import one_counts_hint
from irev.read.topics import TopicRankScore, TopicTable, batches_of_whole_topics, grouped_rows

# --- Anything in memory ---


FrameMappingOrRows: TypeAlias = Any
"""What holds a run or judgments in memory; a data set of ir_datasets is one, too."""


class MemoryTable(TopicTable):
    """What is no file: its rows count from 1."""

    def __init__(self, source: Any, layout: Layout) -> None:
        super().__init__(f"the {layout.kind}", rows_in_memory(source, layout))
        self._source, self._layout = source, layout

    def first_rows_with_rank_field(self, max_rows: int) -> Sequence[TopicRankScore]:
        """The first rows of a run of scores that has ranks, too; else none."""
        table, layout = self._source, self._layout
        if layout.number != "score" or isinstance(table, dict) or not is_table(table):
            return ()
        names = {plain_name(str(name)) for name in getattr(table, "column_names", table.columns)}
        if names.isdisjoint(NAMES["rank"]) and "rank" not in dict(layout.columns):
            return ()
        if hasattr(table, "head"):
            rows = table.head(max_rows)
        elif hasattr(table, "slice"):
            rows = table.slice(0, max_rows)
        else:
            return ()
        try:
            (first,) = rows_in_memory(rows, layout.with_ranks)
        except InputError:
            return ()  # no column of ranks, or one that holds others
        topics = [first.topics[index] for index in first.topic_of_row.tolist()]
        return [*zip(topics, first.groups[-1].to_list(), first.value.tolist(), strict=True)]

    def with_ranks(self) -> Self:
        """The same run of scores, whose ranks are read as the last group."""
        return type(self)(self._source, self._layout.with_ranks)

    def duplicate_problem(self, duplicate: Duplicate, lines_before: int) -> Problem:
        """A document that stands twice in a topic: its rows, and what keeps one of them."""
        problem = super().duplicate_problem(duplicate, lines_before)
        call = drop_duplicates_call(self._source, self._layout)
        return problem._replace(
            line=None,
            message=problem.message.replace(": lines ", ": rows "),
            hint=f"{one_counts_hint(self._layout, 'row')}; or keep one of the two rows"
            + (f": {call}" if call else ""),
        )


def rows_in_memory(data: FrameMappingOrRows, layout: Layout) -> BatchesOfWholeTopics:
    """The rows of anything that is no file, as whole topics."""
    try:
        return _rows_in_memory(data, layout)
    except (RuntimeError, ValueError) as error:
        # another thread writes to it; a whole number has more digits than Python writes
        raise table_problem(layout, f"it cannot be read: {error}") from error


def _rows_in_memory(data: FrameMappingOrRows, layout: Layout) -> BatchesOfWholeTopics:
    if isinstance(data, MAPPINGS):
        return mapping_rows(data, layout)
    # a Series of pandas 2.2 has neither, and is told what it lacks
    if is_table(data) or hasattr(data, "__arrow_c_stream__") or library_of(data) == "pandas":
        return frame_rows(data, layout)
    reading = getattr(data, "qrels_iter" if layout.kind == "qrels" else "scoreddocs_iter", None)
    if reading is not None:
        try:
            rows = list(reading())
        except (OSError, RuntimeError) as error:
            # ir_datasets downloads them where it has to
            message = f"the {layout.kind} of the data set cannot be read or downloaded: {error}"
            raise table_problem(layout, " ".join(message.split())) from error
        return mapping_rows(_columns_of_rows(rows, layout), layout)
    if hasattr(data, "docs_iter") or hasattr(data, "dataset_id"):
        raise table_problem(layout, f"the data set has no {layout.kind}")
    if hasattr(data, "to_dict"):
        return mapping_rows(data.to_dict(), layout)
    if isinstance(data, Iterable) and not isinstance(data, bytes):
        return mapping_rows(_columns_of_rows(data, layout), layout)
    raise table_problem(
        layout,
        f"{type(data).__name__} objects cannot be read: give a path, a mapping "
        "{topic: {document: number}}, a pandas, polars or Arrow table, or rows "
        "(topic, document, number)",
    )


def load_ir_dataset(irds_name: str) -> Any:
    """A data set of ir_datasets by its name, such as `irds:vaswani`."""
    try:
        import ir_datasets
    except ImportError:
        raise MissingExtraError("ir_datasets") from None
    try:
        return ir_datasets.load(irds_name.partition(":")[2])
    except KeyError:
        message = "ir_datasets knows no such data set"
        raise InputError([Problem(irds_name, None, "no-file", message)]) from None


_NO_CELLS = (Mapping, tuple, list, set, frozenset, os.PathLike)


def is_row(value: Any) -> bool:
    """Whether it is one row: a tuple, a list or a mapping of plain values."""
    values = list(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(values, tuple | list) or len(values) < 3:
        return False
    return not any(isinstance(cell, _NO_CELLS) or is_table(cell) for cell in values)


def _columns_of_rows(rows: Iterable[Any], layout: Layout) -> Mapping[str, list[Any]]:
    """The columns of rows by name."""
    row_list = list(rows)
    if not row_list:
        raise empty_table_problem(layout, "rows")
    first = row_list[0]
    if isinstance(first, Mapping):
        names = list(map(str, first))
        row_values: Iterator[Any] = (
            list(row.values()) if isinstance(row, Mapping) and list(row) == list(first) else None
            for row in row_list
        )
    else:
        names = list(getattr(first, "_fields", ("topic", "document", layout.number)))
        row_values = (row if isinstance(row, tuple | list) else None for row in row_list)
    wrong = f"rows are (topic, document, {layout.number}), named tuples or mappings"
    cells = []
    for number, row in enumerate(row_values, 1):
        if row is None or len(row) != len(names):
            raise table_problem(layout, f"row {number} is {row_list[number - 1]!r:.60}: {wrong}")
        cells.append(row)
    return dict(zip(names, map(list, zip(*cells, strict=True)), strict=True))


# --- Mappings of mappings ---


NUMBERS = (float, int)
"""What a value is that is no mapping: known sooner, likewise."""

MODEL_OF_MTEB = "mteb_model_meta"
"""The key under which MTEB's files of predictions name the model."""

_MAPPING = "a mapping must be {topic: {document: number}} or {topic: [document, ...]}"

TAKE_OUT = "take out one: mapping"
"""The hint where several mappings lie in one, before the keys of the first."""


def mapping_rows(mapping: Mapping[Any, Any], layout: Layout) -> BatchesOfWholeTopics:
    """The rows of {topic: {document: number}}, of ranked lists, or of arrays by columns' names.

    The first may lie deeper, as in MTEB's files of predictions: {subset: {split: {topic: ...}}}.
    """
    if not has_plain_first_topic(mapping):
        if layout.number == "grade":
            from irev.read.tools import judgments_of_object

            judged = judgments_of_object(mapping, layout, partial(table_problem, layout))
            if judged is not None:
                numbers = [grades.values() for grades in judged.values()]
                return _topic_rows([*judged], judged.values(), numbers, layout)
        mapping = documents_by_topic(mapping, layout)
        if _is_outer_mapping(mapping):
            mapping = _only_topic_mapping_at_any_depth(mapping, layout)
    if _has_cells_by_row(mapping, layout):
        mapping = {name: [*cells.values()] for name, cells in mapping.items()}
    is_plain = set(map(type, mapping.values())) == {dict}
    if not is_plain and (has_lists(mapping, layout.columns) or _has_column_arrays(mapping, layout)):
        return _column_rows(mapping, layout)
    are_lists = not is_plain and has_ranked_lists(mapping)
    if layout.number == "rank":
        raise table_problem(layout, "a mapping has no ranks: give a table with a column for them")
    if len(layout.ids) != 1:
        raise table_problem(layout, "judgments with groups are read from files and tables only")
    if are_lists:
        return _topic_rows(*_documents_of_lists(mapping, layout), layout)
    if not is_plain and not all(isinstance(each, Mapping) for each in mapping.values()):
        raise table_problem(layout, _MAPPING)
    documents = mapping.values()
    return _topic_rows(list(mapping), documents, [each.values() for each in documents], layout)


def has_plain_first_topic(mapping: Mapping[Any, Any]) -> bool:
    """Whether its first value is {document: number}, and no name hints at anything else."""
    first = next(iter(mapping.values()), None)
    return (
        type(first) is dict
        and type(next(iter(first.values()), None)) in NUMBERS
        and ANSWER_KEYS.isdisjoint(first)
        and ANSWER_KEYS.isdisjoint(mapping)
        and MODEL_OF_MTEB not in mapping
    )


def _topic_rows(
    topic_names: list[Any],
    documents: Collection[Collection[Any]],
    numbers: Collection[Collection[Any]],
    layout: Layout,
) -> BatchesOfWholeTopics:
    """The rows of topics, each with its documents and their numbers."""
    topics = _id_list(topic_names, "topic", layout)
    if len(set(topics)) != len(topics):
        repeated = next(topic for index, topic in enumerate(topics) if topic in topics[:index])
        raise table_problem(layout, f"duplicate topic '{id_text(repeated)}'")
    sizes = list(map(len, documents))
    docs = ids_of_values(list(chain.from_iterable(documents)), "document", layout)
    if not len(docs):
        raise empty_table_problem(layout, "documents")

    def cell_label(number_index: int) -> str:
        ends = offsets(sizes)
        topic_index = int(np.searchsorted(ends, number_index, "right")) - 1
        of_topic = [*[*documents][topic_index]]
        document = of_topic[number_index - ends[topic_index]]
        return f"topic {topic_names[topic_index]!r}, document {document!r}"

    values = list(chain.from_iterable(numbers))
    if not len(docs) == len(values) == sum(sizes):
        raise table_problem(layout, "it changed while it was read")  # by another thread
    number = _checked_numbers(values, layout, cell_label)
    if 0 in sizes and layout.needs_documents:
        topic = id_text(topics[sizes.index(0)])
        hint = "such a topic is not counted; one without a relevant document has one of grade 0"
        raise table_problem(layout, f"topic '{topic}' has no document", hint)
    if 0 in sizes:  # a topic without documents is no topic: nothing is judged or retrieved for it
        topics = [topic for topic, size in zip(topics, sizes, strict=True) if size]
        sizes = [size for size in sizes if size]
    return batches_of_whole_topics(topics, offsets(sizes), [docs], number)


def _only_topic_mapping_at_any_depth(
    outer_mapping: Mapping[Any, Any], layout: Layout
) -> Mapping[Any, Any]:
    """The mapping by topic that lies below others, of which there must be but one."""
    mappings_by_path = dict(_mappings_by_path(outer_mapping, ()))
    if len(mappings_by_path) == 1:
        return next(iter(mappings_by_path.values()))
    if not mappings_by_path:
        raise table_problem(layout, _MAPPING)
    paths = [".".join(map(str, path)) for path in mappings_by_path]
    keys = "".join(f'["{key}"]' for key in next(iter(mappings_by_path)))
    raise table_problem(
        layout,
        f"there are {len(paths)} mappings {{topic: {{document: number}}}} in it: "
        f"{shortened_list(paths)}",
        f"{TAKE_OUT}{keys}",
    )


def _is_outer_mapping(mapping: Mapping[Any, Any]) -> bool:
    """Whether mappings by topic lie below it: no number stands at the second level."""
    if MODEL_OF_MTEB in mapping:
        return True
    first = next(iter(mapping.values()), None)
    if not isinstance(first, MAPPINGS):
        return False
    inner = next(iter(first.values()), None)
    return not isinstance(inner, NUMBERS) and isinstance(inner, MAPPINGS)


def _mappings_by_path(
    mapping: Mapping[Any, Any], path: tuple[Any, ...]
) -> Iterator[tuple[tuple[Any, ...], Mapping[Any, Any]]]:
    """Every mapping by topic, with the keys that lead to it."""
    for name, part in mapping.items():
        if name == MODEL_OF_MTEB or not isinstance(part, Mapping):
            continue
        if _is_outer_mapping(part):
            yield from _mappings_by_path(part, (*path, name))
        else:
            yield (*path, name), part


def has_lists(mapping: Mapping[Any, Any], columns: ColumnNames = ()) -> bool:
    """Whether it is lists under the names of columns, the usual ones or those the user says."""
    return any(issubclass(kind, list) for kind in set(map(type, mapping.values()))) and (
        names_topics_and_documents([name for name in mapping if isinstance(name, str)], columns)
    )


def _has_column_arrays(mapping: Mapping[Any, Any], layout: Layout) -> bool:
    """Whether it is arrays under the names of columns, one of which is usual, or holds no ids."""
    if not mapping or not all(hasattr(part, "__array__") for part in mapping.values()):
        return False
    names = {plain_name(str(name)) for name in mapping} - {name for _, name in layout.columns}
    fields = ("topic", *layout.ids, layout.number)
    usual = {name for field in fields for name in NAMES.get(field, ())}
    has_named = len(names) < len(mapping) or not names.isdisjoint(usual)
    return has_named or not all(map(has_ids, mapping.values()))


def _has_cells_by_row(mapping: Mapping[Any, Any], layout: Layout) -> bool:
    """Whether it is a frame of pandas as `to_dict()` and `to_json()` give it: cells by row."""
    most_columns = 64
    names = [name for name in islice(mapping, most_columns + 1) if isinstance(name, str)]
    if not 2 < len(mapping) == len(names) <= most_columns:
        return False
    return names_topics_and_documents(names, layout.columns) and (
        all(isinstance(cells, MAPPINGS) for cells in mapping.values())
        and len({tuple(cells) for cells in mapping.values()}) == 1
    )


def ids_of_values(names: Sequence[Any], noun: str, layout: Layout) -> Ids:
    """Strings, bytes or whole numbers as ids."""
    if len(names) <= FEW_IDS:
        return NamedIds(_id_list(names, noun, layout))
    lines = _joined_lines(names, bytes(PADDING))
    if lines is not None:
        data = np.frombuffer(lines, np.uint8)
        ends = (data == ord("\n")).nonzero()[0]
        if len(ends) == len(names):
            start = np.zeros(len(names) + 1, np.int64)
            np.add(ends, 1, out=start[1:])
            return Ids(data, start[:-1], ends - start[:-1])
    return NamedIds([_id_bytes(name, noun, layout) for name in names])


def _id_list(names: Sequence[Any], noun: str, layout: Layout) -> list[bytes]:
    """The same as bytes objects."""
    lines = (_joined_lines(names) or b"").split(b"\n")
    if len(lines) == len(names) + 1:
        return lines[:-1]
    return [_id_bytes(name, noun, layout) for name in names]


def _joined_lines(names: Sequence[Any], padding: bytes = b"") -> bytes | None:
    """Names of one kind, each ended by a line feed; None where one is odd or has a zero byte."""
    try:
        text = "\n".join(names).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None
    except TypeError:
        kinds = set(map(type, names))
        if kinds == {bytes}:
            text = b"\n".join(names)
        elif kinds == {int}:
            text = "\n".join(map(str, names)).encode()
        else:
            return None
    return None if b"\0" in text else text + (b"\n" if names else b"") + padding


def _id_bytes(value: Any, noun: str, layout: Layout) -> bytes:
    if isinstance(value, bytes):
        id_bytes = value
    elif isinstance(value, str):
        try:
            id_bytes = as_bytes(value)
        except UnicodeEncodeError:
            raise table_problem(
                layout, f"{noun} {value!a} contains half of a surrogate pair"
            ) from None
    elif isinstance(value, int | np.integer) and not isinstance(value, bool):
        id_bytes = str(value).encode()
    else:
        raise table_problem(
            layout, f"{noun} {value!r} is neither a string nor bytes nor an integer"
        )
    if b"\0" in id_bytes:
        raise table_problem(layout, f"{noun} '{id_text(id_bytes)}' holds a zero byte")
    return id_bytes


def _checked_numbers(
    values: list[Any],
    layout: Layout,
    row_label: Callable[[int], str] = lambda index: f"row {index + 1}",
) -> RowValues:
    number: Floats | None = None
    are_plain = False
    if values and type(values[0]) in NUMBERS:
        with suppress(TypeError, OverflowError):
            are_plain = type(sum(values)) in NUMBERS  # which tells sooner than all types
    if not are_plain:
        kinds = set(map(type, values))
        are_plain = all(issubclass(kind, _REAL_TYPES) for kind in kinds)
        are_plain &= np.timedelta64 not in kinds
    if are_plain:
        with suppress(struct.error, TypeError, OverflowError):
            number = np.frombuffer(struct.pack(f"{len(values)}d", *values))
    if number is None:
        numbers = (_number(value, layout, row_label, index) for index, value in enumerate(values))
        number = np.fromiter(numbers, np.float64, len(values))
    refuse_nan_numbers_and_infinite_grades(number, layout, row_label)
    return number


_REAL_TYPES = (int, float, np.integer, np.floating, np.bool_)


def _number(value: Any, layout: Layout, row_label: Callable[[int], str], index: int) -> float:
    """Any object as a number: one of other packages may be one, texts and dates are none."""
    if value is None:
        raise table_problem(layout, f"a {layout.number} is missing, in {row_label(index)}")
    is_real = getattr(getattr(value, "dtype", None), "kind", "f") in "iufb"
    if is_real and hasattr(value, "__float__"):
        with suppress(Exception):  # an object of a caller may raise anything
            return float(value)
    raise table_problem(
        layout, f"a {layout.number} is not a number: {value!r:.60}, in {row_label(index)}"
    )


# --- Mappings of arrays or lists, by the names of columns ---


def _column_rows(arrays: Mapping[Any, Any], layout: Layout) -> BatchesOfWholeTopics:
    """{"topic": array, "document": array, "score": array}, or lists instead of arrays."""
    layout, names = _columns_of_fields(tuple(map(str, arrays)), layout)
    needed_names = set(names.values())
    columns: dict[str, Any] = {}
    for name, column in zip(map(str, arrays), arrays.values(), strict=True):
        if name not in needed_names:
            continue
        columns[name] = column
        if not isinstance(column, list):
            array = columns[name] = np.asarray(column)
            if array.ndim != 1:
                raise table_problem(layout, f"array {name} has {array.ndim} dimensions, not 1")
            mask = None if array is column else getattr(column, "_mask", None)
            if mask is not None and np.any(mask):
                raise table_problem(layout, f"a cell of array {name} is masked")
    sizes = {name: len(columns[name]) for name in names.values()}
    if len(set(sizes.values())) > 1:
        size_texts = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise table_problem(layout, f"the arrays are not equally long: {size_texts}")
    if not next(iter(sizes.values())):
        raise empty_table_problem(layout, "rows")
    code, topics = _topic_codes(columns[names["topic"]], names["topic"], layout)
    ids = [_array_ids(columns[names[field]], names[field], layout) for field in layout.ids]
    number_name = names[layout.number]
    number = _array_numbers(columns[number_name], number_name, layout)
    return grouped_rows(topics, code, ids, number, None)


def _array_numbers(column: Any, name: str, layout: Layout) -> RowValues:
    if isinstance(column, list):
        return _checked_numbers(column, layout)
    if column.dtype.kind not in ("iufb" if layout.number == "grade" else "iuf"):
        are_texts = column.dtype.kind in "UST"
        message = f"array {name} holds {'texts' if are_texts else column.dtype}, not numbers"
        raise table_problem(layout, message, "write .astype(float)" if are_texts else "")
    number: Floats = column.astype(np.float64)
    refuse_nan_numbers_and_infinite_grades(number, layout)
    return number


@lru_cache(16)
def _columns_of_fields(
    columns: tuple[str, ...], layout: Layout
) -> tuple[Layout, Mapping[str, str]]:
    """The layout of arrays of such names, and which of them holds each field."""
    layout = layout_with_classes(columns, layout)
    return layout, column_names(columns, layout)


def _topic_codes(column: Any, name: str, layout: Layout) -> tuple[TopicOfRow, list[bytes]]:
    """Which topic each row is of, and the topics; only the first of equal rows is looked at."""
    if isinstance(column, list) or column.dtype.kind not in "USiu":
        return _array_ids(column, name, layout).codes()
    start = run_starts(column)
    if len(start) == 2:
        topics = _id_list(column[:1].tolist(), f"an id of array {name}", layout)
        return np.zeros(len(column), np.int64), topics
    code, topics = _array_ids(column[start[:-1]], name, layout).codes()
    return code.repeat(lengths_of(start)), topics


def _array_ids(column: Any, name: str, layout: Layout) -> Ids:
    """The ids of an array of texts, bytes, whole numbers, or objects that are such."""
    if isinstance(column, list):
        return ids_of_values(column, f"an id of {name}", layout)
    kind = column.dtype.kind
    if kind not in "USOTiu":
        hint = "write .astype(int).astype(str)" if kind == "f" else ""
        raise table_problem(
            layout, f"array {name} holds {column.dtype}: ids are strings, bytes or integers", hint
        )
    ids = _ids_of_cells(column) if kind in "US" else None
    return ids_of_values(column.tolist(), f"an id of array {name}", layout) if ids is None else ids


def _ids_of_cells(column: Any) -> Ids | None:
    """The ids of cells of equal width, filled up by zeros; None where one is no plain ASCII."""
    width = column.dtype.itemsize // (4 if column.dtype.kind == "U" else 1)
    if not width:
        return ids_from_data_and_lengths(
            np.zeros(PADDING, np.uint8), np.zeros(len(column), np.int64)
        )
    kind = np.uint32 if column.dtype.kind == "U" else np.uint8
    if not (column.dtype.isnative and column.flags.c_contiguous):
        column = np.ascontiguousarray(column.astype(column.dtype.newbyteorder("=")))
    cells = column.view(kind).reshape(len(column), width)
    if cells.max() > 127:
        return None
    used = cells != 0
    length = used.argmin(axis=1)  # the first that is not used, if there is one
    length[used[:, 0] & (length == 0)] = width
    if np.count_nonzero(used) != np.add.reduce(length):
        return None  # a zero byte within
    data = np.zeros(len(column) * width + PADDING, np.uint8)
    data[:-PADDING] = cells.ravel()
    return Ids(data, np.arange(0, len(column) * width, width), length)


# --- Ranked lists, pairs and sets by topic, as mappings {topic: {document: number}} ---
# A list has no scores: its order is the ranking, so its documents get scores that fall by one.


LISTS = (list, tuple, set, frozenset)
"""What holds the documents of a topic where a mapping does not."""


def has_ranked_lists(mapping: Mapping[Any, Any]) -> bool:
    """Whether documents stand in a list, a set or an array below a topic."""
    return any(issubclass(kind, LISTS) for kind in set(map(type, mapping.values()))) or any(
        hasattr(documents, "__array__") and has_ids(documents) for documents in mapping.values()
    )


def has_ids(array: Any) -> bool:
    """Whether an array holds ids, or objects that may be such."""
    array = np.asarray(array)
    return array.dtype.kind in "USOTiu" or not array.size


def _documents_of_lists(
    mapping: Mapping[Any, Any], layout: Layout
) -> tuple[list[Any], list[Sequence[Any]], list[Sequence[Any]]]:
    """The topics, the documents of each, and their numbers: scores by place, grades 1, or pairs'.

    A document may stand twice where whoever takes the rows sees to that, and in judgments that are
    alike.
    """
    forms: dict[str, Any] = {}
    documents_of_topic: list[Sequence[Any]] = []
    numbers_of_topic: list[Sequence[Any]] = []
    for topic, documents_or_array in mapping.items():
        documents = documents_or_array
        if hasattr(documents, "__array__"):
            documents = np.asarray(documents).tolist()
        if isinstance(documents, list | tuple) and documents and isinstance(documents[0], Mapping):
            documents = _documents_of_objects(documents, topic, layout)
        form = _form(documents, topic, layout)
        if documents or not isinstance(documents, LISTS):
            forms.setdefault(form, topic)
        if len(forms) > 1:
            (first, first_topic), (second, second_topic) = forms.items()
            raise table_problem(
                layout,
                f"topic {first_topic!r} has {first}, topic {second_topic!r} {second}",
                "give all topics in one form",
            )
        ids, numbers = [*documents], [1] * len(documents)
        if isinstance(documents, Mapping):  # beside a topic of an empty list
            numbers = [*documents.values()]
        elif form == "pairs":
            ids, numbers = ([pair[at] for pair in documents] for at in (0, 1))
        elif layout.number != "grade":
            numbers = [*range(len(documents), 0, -1)]
        if not layout.may_repeat and len(set(ids)) < len(ids):
            kinds = ids if layout.number != "grade" else [*zip(ids, numbers, strict=True)]
            if layout.number != "grade" or len(set(ids)) < len(set(kinds)):
                raise _repeated_document(ids, numbers, topic, layout)
        documents_of_topic.append(ids)
        numbers_of_topic.append(numbers)
    return list(mapping), documents_of_topic, numbers_of_topic


def _documents_of_objects(objects: Sequence[Any], topic: Any, layout: Layout) -> list[Any]:
    """The ids of objects such as {"id": "d1", "score": 2.5}, or pairs, where all have a number."""
    names = [*map(str, objects[0])]
    id_keys = usual_columns(names, "document") or [name for name in names if name == "id"]
    number_keys = usual_columns(names, layout.number)
    if len(id_keys) != 1 or len(number_keys) > 1:
        message = (
            f"topic {topic!r} has objects with {shortened_list(names)}: which is the document?"
        )
        raise table_problem(layout, message, "call the keys id and score, or give a list of ids")
    keys = [*id_keys, *number_keys]
    try:
        rows = [tuple(each[key] for key in keys) for each in objects]
    except (KeyError, TypeError):
        message = f"topic {topic!r} has objects, of which some lack {' or '.join(keys)}"
        raise table_problem(layout, message) from None
    return rows if number_keys else [document for (document,) in rows]


def _form(documents: Any, topic: Any, layout: Layout) -> str:
    """What a topic's documents stand in, in words."""
    if isinstance(documents, Mapping):
        return "a mapping"
    if not isinstance(documents, LISTS):
        raise table_problem(
            layout,
            f"topic {topic!r} has {documents!r:.60}, no documents",
            "a topic has a list of documents, best first, or a mapping {document: number}",
        )
    if isinstance(documents, AbstractSet):
        if layout.number != "grade":
            raise table_problem(
                layout,
                f"topic {topic!r} has a set of documents, which has no order",
                "give a list, best first",
            )
        return "ids"
    are_pairs = [isinstance(item, list | tuple) and len(item) == 2 for item in documents]
    if any(are_pairs) and not all(are_pairs):
        raise table_problem(
            layout,
            f"topic {topic!r} has {documents[are_pairs.index(True)]!r:.60} and "
            f"{documents[are_pairs.index(False)]!r:.60} in one list",
            f"give ids alone, or (document, {layout.number}) for each",
        )
    for place, item in enumerate(documents, 1):
        document = item[0] if are_pairs[place - 1] else item
        if not isinstance(document, str | bytes | int | np.integer) or isinstance(document, bool):
            raise table_problem(
                layout,
                f"topic {topic!r}, place {place}: {document!r:.60} is no document id",
                f"a list holds ids, best first, or pairs (document, {layout.number})",
            )
    return "pairs" if any(are_pairs) else "ids"


def _repeated_document(
    documents: Sequence[Any], numbers: Sequence[Any], topic: Any, layout: Layout
) -> InputError:
    """The error about the first document that stands twice in a topic's list, or has two grades."""
    place_by_document: dict[Any, int] = {}
    for place, document in enumerate(documents, 1):
        first = place_by_document.setdefault(document, place)
        is_alike = layout.number == "grade" and numbers[first - 1] == numbers[place - 1]
        if first < place and not is_alike:
            break
    message = f"duplicate document {document!r} in topic {topic!r}: places {first} and {place}"
    return table_problem(layout, message, one_counts_hint(layout, "place"))


# --- Answers of Elasticsearch and OpenSearch, in JSON or as their clients give them ---
# Read are {topic: answer of _search}, and requests (judgments) and responses (a run) of
# `_rank_eval`. The order of the hits is the ranking, as the engine showed it; scores are not
# looked at.


JOIN_INDEX = "write index/id as the _id, in the judgments and in the run"
"""The hint where documents are of several indices; for a file the call follows."""

ANSWER_KEYS = frozenset(("hits", "responses", "requests", "metric_score", "rank_eval"))
"""One of them stands in whatever is more than {topic: answer}."""


def is_answer(value: Any) -> bool:
    """Whether it is one answer of `_search`, with the hits of one query."""
    if not isinstance(value, MAPPINGS) or "hits" not in value:
        return False
    hits = value["hits"]
    return isinstance(hits, Mapping) and isinstance(hits.get("hits"), list)


def is_answer_to_many_queries(value: Mapping[Any, Any]) -> bool:
    """Whether it is an answer with the hits of many queries."""
    if value.keys().isdisjoint(ANSWER_KEYS):
        return False
    return _is_list_with(value, "responses", ("hits", "error")) or _is_rank_eval_response(
        _unwrapped_response(value)
    )


def documents_by_topic(mapping: Mapping[Any, Any], layout: Layout) -> Mapping[Any, Any]:
    """The ranked lists of answers, or pairs of document and rating; other mappings as they are."""
    if not mapping.keys().isdisjoint(ANSWER_KEYS):
        documents = _documents_by_topic_of_joint_answer(mapping, layout)
        if documents is not None:
            return documents
    # three topics are looked at: the first may hold an error
    if not any(map(is_answer, islice(mapping.values(), 3))):
        return mapping
    _refuse_as_judgments("answers of a search engine", layout)
    hits: dict[Any, list[Any]] = {}
    for topic, answer in mapping.items():
        if not is_answer(answer):
            error = answer.get("error") if isinstance(answer, Mapping) else None
            problem = f"an error in place of hits: {error!r:.200}" if error else "no hits.hits"
            message = f"topic {topic!r} has {problem}"
            raise table_problem(layout, message, "ask again, or take it out")
        hits[topic] = answer["hits"]["hits"]
    return _ids_by_topic(hits, layout)


def _documents_by_topic_of_joint_answer(
    mapping: Mapping[Any, Any], layout: Layout
) -> Mapping[Any, Any] | None:
    """The same of an answer or request about many topics; None: it is none."""
    if is_answer(mapping):
        raise table_problem(
            layout, "this is one answer of a search engine, without a topic", "give {topic: answer}"
        )
    if _is_list_with(mapping, "responses", ("hits", "error")):
        raise table_problem(
            layout,
            "an answer of _msearch does not say which topics it is for",
            'give {topic: answer}: dict(zip(topics, answer["responses"]))',
        )
    if _is_list_with(mapping, "requests", ("ratings",)):
        return _rating_pairs_by_topic(mapping["requests"], layout)
    mapping = _unwrapped_response(mapping)
    if _is_rank_eval_response(mapping):
        _refuse_as_judgments("a response of _rank_eval", layout)
        if mapping.get("failures"):
            raise table_problem(
                layout,
                f"_rank_eval failed for some topics: {mapping['failures']!r:.200}",
                "ask again: they would be missing in the run",
            )
        hits = {
            topic: [hit["hit"] for hit in detail["hits"]]
            for topic, detail in mapping["details"].items()
        }
        return _ids_by_topic(hits, layout)
    return None


def _is_list_with(value: Mapping[Any, Any], name: str, keys: tuple[str, ...]) -> bool:
    """Whether a list of objects that have one of some keys stands under a name."""
    items = value.get(name)
    first = items[0] if isinstance(items, list) and items else None
    return isinstance(first, Mapping) and any(key in first for key in keys)


def _unwrapped_response(value: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """A response of `_rank_eval` that stands under this name, as OpenSearch's page shows it."""
    inner = value.get("rank_eval") if len(value) == 1 else None
    return inner if isinstance(inner, Mapping) and _is_rank_eval_response(inner) else value


def _is_rank_eval_response(value: Mapping[Any, Any]) -> bool:
    details = value.get("details") if "metric_score" in value else None
    if not isinstance(details, Mapping):
        return False
    for detail in details.values():
        hits = detail.get("hits") if isinstance(detail, Mapping) else None
        if not isinstance(hits, list):
            return False
        if not all(isinstance(hit, Mapping) and "hit" in hit for hit in hits):
            return False
    return True


def _refuse_as_judgments(noun: str, layout: Layout) -> None:
    if layout.number == "grade":
        raise table_problem(
            layout,
            f"{noun} are no judgments" if noun.startswith("answers") else f"{noun} is a run",
            "of Elasticsearch and OpenSearch the request of _rank_eval is read as judgments",
            "other-kind",
        )


def _ids_by_topic(hits_by_topic: Mapping[Any, list[Any]], layout: Layout) -> dict[Any, list[Any]]:
    """The documents of each topic, best first."""
    ids_by_topic: dict[Any, list[Any]] = {}
    for topic, hits in hits_by_topic.items():
        try:
            ids_by_topic[topic] = [hit["_id"] for hit in hits]
        except (KeyError, TypeError):
            raise table_problem(layout, f"a hit of topic {topic!r} has no _id") from None
    _refuse_several_indices(chain.from_iterable(hits_by_topic.values()), layout)
    return ids_by_topic


def _refuse_several_indices(hits_or_ratings: Iterable[Any], layout: Layout) -> None:
    """Refuse documents of several indices, where an `_id` may name two documents.

    The other input may name but one of them, so that the names here cannot be put before the ids.
    """
    indices = dict.fromkeys(str(each["_index"]) for each in hits_or_ratings if "_index" in each)
    if len(indices) > 1:
        raise table_problem(
            layout,
            f"the documents are of {len(indices)} indices, {shortened_list([*indices])}: an _id "
            "names a document of one index only",
            JOIN_INDEX,
        )


def _rating_pairs_by_topic(requests: list[Any], layout: Layout) -> dict[Any, list[tuple[Any, Any]]]:
    """Judgments as pairs, by the ids of the requests."""
    if layout.number != "grade":
        message = "a request of _rank_eval holds judgments, no run"
        raise table_problem(layout, message, "the qrels come first", "other-kind")
    ratings: dict[Any, list[tuple[Any, Any]]] = {}
    for number, request in enumerate(requests, 1):
        try:
            topic = request["id"]
            pairs = [(rating["_id"], rating["rating"]) for rating in request["ratings"]]
        except (KeyError, TypeError):
            raise table_problem(
                layout, f"request {number} lacks an id, or ratings with _id and rating"
            ) from None
        if not isinstance(topic, str | int):
            raise table_problem(layout, f"request {number} has the id {topic!r:.60}, no text")
        if topic in ratings:
            raise table_problem(layout, f"two requests have the id {topic!r}")
        ratings[topic] = pairs
    _refuse_several_indices(chain.from_iterable(each["ratings"] for each in requests), layout)
    return ratings
