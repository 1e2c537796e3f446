"""Any kind of input, opened: paths, and what is in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from irev.errors import InputError
from irev.read.columns import find_header
from irev.read.formats import QRELS
from irev.read.layout import ChosenLayout, Layout, layout_for
from irev.read.sniff import text_tool
from irev.read.stream import FoundFile, RunInTable, Source
from irev.read.topics import CutInput, Text, TopicTable

if TYPE_CHECKING:
    from irev.read.batches import Dataset

_STRUCTURED = (
    b"PAR1", b"ARROW1", b"FEA1", b"\xff\xff\xff\xff", b"{", b"[", b" ", b"\t", b"\n", b"\r",
)  # fmt: skip
"""How a file may begin that is neither lines of fields nor a table as text; `tables` then looks
closer."""


def table_in_memory(source: Any, layout: ChosenLayout) -> TopicTable | None:
    """An input that is no file, as one that gives its parts; None: it is a file."""
    if isinstance(source, str) and source.startswith("irds:") and not os.path.lexists(source):
        from irev.read.memory import load_ir_dataset

        source = load_ir_dataset(source)
    # an abstract class is slow to ask whether a dictionary is of it
    if not isinstance(source, dict) and isinstance(source, str | os.PathLike | Source):
        return None
    from irev.read.memory import MemoryTable

    return MemoryTable(source, layout_for(layout))


@contextmanager
def open_input(
    path_or_source: Any, layout: ChosenLayout, *, sign: bool = False
) -> Iterator[tuple[CutInput[Any] | TopicTable, Source | Dataset]]:
    """A file that gives its parts, and what it is read from.

    A format of several layouts is the function that chooses one by a text's first bytes; of what
    names its columns there are none. `sign` asks for the SHA-256 of a file's decompressed bytes;
    a `Source` says that itself, and is closed by whoever made it.
    """
    if isinstance(path_or_source, RunInTable):
        with path_or_source.table.open_run(path_or_source.run, layout, sign=sign) as opened:
            yield opened
        return
    if isinstance(path_or_source, Source):
        yield _open_file(path_or_source, layout), path_or_source
        return
    # what was found as a file must not have become a folder
    if not isinstance(path_or_source, FoundFile) and os.path.isdir(path_or_source):
        from irev.read.batches import Dataset

        dataset = Dataset(os.fspath(path_or_source), layout_for(layout), sign=sign)
        yield dataset, dataset
        return
    with Source(os.fspath(path_or_source), sign=sign) as source:
        yield _open_file(source, layout), source


def _open_file(source: Source, layout: ChosenLayout) -> CutInput[Any] | TopicTable:
    head = source.head()
    if tool := _text_tool(head, layout_for(layout)):
        from irev.read.tools import text_table

        return text_table(source, tool, layout_for(layout))
    columns = layout_for(layout).columns
    if head.startswith(_STRUCTURED) or find_header(head, columns, any_names=True) is not None:
        from irev.read.tables import is_structured, structured_table

        if is_structured(head, columns, any_names=True):
            return structured_table(source, head, layout_for(layout))
    try:
        return Text(source, layout_for(layout, head), head)
    except InputError as error:
        # what the first bytes say is said without the path
        raise InputError([p._replace(path=p.path or source.path) for p in error.problems]) from None


def _text_tool(head: bytes, layout: Layout) -> str:
    """Which text of a tool a file of judgments holds that begins so; empty: another, or none."""
    if head.lstrip()[:1] in (b"{", b"[") or (layout.kind != QRELS.kind and not layout.tool):
        return ""
    if layout.tool or find_header(head, layout.columns) is not None:
        return layout.tool
    return text_tool(head)
