"""What the forms for machines share: JSON without NaN, and rows as delimited text."""

from __future__ import annotations

import csv
import io
import json
import math
from itertools import islice
from typing import TYPE_CHECKING, Any

from irev.core.text import as_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ROWS_AT_ONCE = 1000


def as_json(whole: Any) -> bytes:
    """A value as JSON; a lone surrogate, a byte that is not UTF-8, is escaped as JSON itself would.

    Raises:
        ValueError: a number in it is not finite.
    """
    text = json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def finite(value: Any) -> Any:
    """A value, or all that it holds, with None in place of NaN and infinities."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    return value


def delimited(rows: Iterable[Iterable[Any]], separator: str = ",") -> Iterator[bytes]:
    """Rows as lines, in full precision; quoted where the separator, a quote or a line's end is."""
    left = iter(rows)
    while block := list(islice(left, _ROWS_AT_ONCE)):
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=separator, lineterminator="\n").writerows(block)
        yield as_bytes(buffer.getvalue())
