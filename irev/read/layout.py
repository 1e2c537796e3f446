"""What the lines of a text format hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from irev.core.arrays import Floats
from irev.core.ids import Ids

TOPIC = "topic"
"""The field that every format begins with."""

Numbers = Callable[[Ids], Floats]
"""A parser of a column of numbers: NaN where a text is not such a number."""


@dataclass(frozen=True, eq=False, repr=False)
class Layout:
    """What the lines of a format hold."""

    kind: str
    """What a file of this format is called: "run", "qrels"."""
    fields: tuple[str, ...]
    """All fields, by their usual names."""
    ids: tuple[str, ...]
    """The fields kept as ids beside the topic; the document first."""
    number: str
    """The field that is a number."""
    parse: Numbers
    """How that number is read."""
    wanted: str
    """What that number must be, for messages."""
    more_allowed: bool = False
    """Whether text after the last field is ignored."""
    is_real: bool = False
    """Whether the number is a real one that Arrow may parse at once."""


Chosen = Layout | Callable[[bytes], Layout]
"""A layout, or what chooses one by a text's first bytes: none, where the columns have names."""
