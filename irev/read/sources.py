"""Any kind of input, by the same way: paths, mappings, frames and tables."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from irev.errors import InputError
from irev.read.headers import header_of
from irev.read.sniff import with_subtopics_in_mind
from irev.read.stream import Source
from irev.read.topics import Read, map_rows, map_topics

if TYPE_CHECKING:
    from collections.abc import Callable

    from irev.core.model import Duplicate, Rows
    from irev.read.layout import Chosen

Result = TypeVar("Result")

_STRUCTURED = (b"PAR1", b"ARROW1", b"FEA1", b"{", b" ", b"\t", b"\n", b"\r")
"""How a file may begin that is neither lines of fields nor a table as text; `tables` then looks
closer."""


def map_input(
    given: Any,
    layout: Chosen,
    work: Callable[[Rows], tuple[Result | None, list[Duplicate]]],
    threads: int,
    *,
    sign: bool = False,
) -> Read[Result]:
    """Apply `work` to all topics of an input, each topic whole; see `map_topics`.

    A format of several layouts is the function that chooses one by a text's first bytes; of what
    names its columns there are none. `sign`
    asks for the SHA-256 of a file's decompressed bytes; what is in memory has none.
    """
    if isinstance(given, str | os.PathLike):
        with Source(os.fspath(given), sign=sign) as source:
            read = _file(source, layout, work, threads)
            return replace(read, sha256=source.sha256) if sign else read
    from irev.read.frames import frame_rows

    layout = layout(b"") if callable(layout) else layout
    return map_rows(f"the {layout.kind}", frame_rows(given, layout), work, threads)


def _file(
    source: Source,
    layout: Chosen,
    work: Callable[[Rows], tuple[Result | None, list[Duplicate]]],
    threads: int,
) -> Read[Result]:
    head = source.head()
    if not head.startswith(_STRUCTURED) and header_of(head) is None:
        return _text(source, head, layout, work, threads)
    from irev.read.tables import is_structured, structured_rows

    if not is_structured(head):
        return _text(source, head, layout, work, threads)
    layout = layout(b"") if callable(layout) else layout
    return map_rows(source.path, structured_rows(source, head, layout), work, threads)


def _text(
    source: Source,
    head: bytes,
    layout: Chosen,
    work: Callable[[Rows], tuple[Result | None, list[Duplicate]]],
    threads: int,
) -> Read[Result]:
    """Apply `work` to all topics of a text; what is wrong is said with its beginning in mind."""
    layout = layout(head) if callable(layout) else layout
    try:
        return map_topics(source, layout, work, threads)
    except InputError as error:
        if layout.kind == "qrels":
            raise with_subtopics_in_mind(error, head) from None
        raise
