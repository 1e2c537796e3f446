"""The size of the collection, which some measures cannot do without."""

from __future__ import annotations

from irev.core.model import Judged
from irev.errors import UsageError
from irev.measures.registry import Option

SIZE = Option(
    "how many documents the collection holds; without it what was said with -N",
    None,
    kind="whole",
    low=1,
)


def size_of_collection(judged: Judged, name: str, given: int | None) -> int:
    """The size that the measure was given, else the one that the whole evaluation has.

    Raises:
        UsageError: there is neither, or it is less than what one topic alone shows.
    """
    size = given or judged.settings.collection_size
    if size < 1:
        raise UsageError(
            f"measure {name} needs the size of the collection; write for instance "
            f"{name}(N=1000000), or give it to all measures with -N"
        )
    missed = judged.num_rel + judged.num_nonrel - judged.num_judged_ret
    seen = int((judged.num_ret + missed).max(initial=0))
    if seen > size:
        raise UsageError(
            f"measure {name}: the collection cannot hold {size} documents, since the ranking and "
            f"the judgments of one topic hold {seen}"
        )
    return size
