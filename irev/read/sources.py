"""Any kind of input, by the same way: paths, mappings, frames and tables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

from irev.read.stream import Source
from irev.read.topics import Read, map_rows, map_topics

if TYPE_CHECKING:
    from collections.abc import Callable

    from irev.model import Duplicate, Rows
    from irev.read.columns import Layout

Result = TypeVar("Result")


def map_input(
    given: Any,
    layout: Layout,
    work: Callable[[Rows], tuple[Result | None, list[Duplicate]]],
    threads: int,
) -> Read[Result]:
    """Apply `work` to all topics of an input, each topic whole; see `map_topics`."""
    if isinstance(given, str | os.PathLike):
        with Source(os.fspath(given)) as source:
            return map_topics(source, layout, work, threads)
    from irev.read.frames import frame_rows

    return map_rows(f"the {layout.kind}", frame_rows(given, layout), work, threads)
