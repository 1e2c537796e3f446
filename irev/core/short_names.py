"""Short names of runs, as pages and figures show them: without endings and a shared beginning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from irev.core.record import record
from irev.core.text import count_text

PACKED_ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".lz4")
"""How the name of a packed file ends."""
TABLE_ENDINGS = (".parquet", ".arrow", ".feather")
"""How the name of a file ends that may hold several runs."""
RUN_ENDINGS = (
    ".run", ".txt", ".trec", ".res", ".results", ".out", ".csv", ".tsv", ".json", ".jsonl",
    *TABLE_ENDINGS,
)  # fmt: skip
"""What ends the name of a file and tells nothing of the run in it."""

LONGEST_PLAIN_NAME = 24
"""Characters of a name that is shown with its beginning, whatever others share it."""
_FOLDER = "/"
_SEPARATORS = f"._-{_FOLDER}: "
_SHARE = 0.8
"""Of the long names: so many must share the beginning that is left out."""


@record(eq=True)
class ShortNames:
    """Names of runs as they are shown, and what they are shown without."""

    names: tuple[str, ...]
    """A short name for each run, in the order of the full ones; as distinct as these."""
    endings: tuple[str, ...]
    """The endings that were stripped, in alphabetical order."""
    prefix: str
    """The beginning that was left out; empty if none was."""
    num_prefixed: int
    """How many names had it."""
    inner_prefixes: tuple[tuple[str, int], ...] = ()
    """What was left out behind folders, each with how many names had it."""

    @property
    def left_out_beginnings(self) -> list[tuple[str, str, int]]:
        """(the beginning that was left out, where it stood, how many names had it)."""
        first = [(self.prefix, "at the start", self.num_prefixed)] if self.prefix else []
        return [
            *first,
            *((text, "behind the folder", count) for text, count in self.inner_prefixes),
        ]

    @property
    def left_out(self) -> str:
        """What the names are shown without, as a sentence; empty if all are shown in full."""
        parts = [
            *(
                f'"{text}" {place} of {count_text(count, "name")}'
                for text, place, count in self.left_out_beginnings
            ),
            f"the endings {', '.join(self.endings)}" if self.endings else "",
        ]
        return f"Left out: {'; '.join(filter(None, parts))}." if any(parts) else ""


def short_run_names(names: Sequence[str]) -> ShortNames:
    """Names of runs without the endings of files and without what the long ones begin with.

    Endings such as `.run.gz` are stripped. Then the longest beginning up to a separator (one of
    `._-/:` or a blank) is left out that all names of more than 24 characters share, or 80% of them
    where all share none. Of names that are long still, each part behind a folder is likewise cut.
    Names that would become equal or empty are not cut.

    Args:
        names: the full names, in any order.
    """
    # what several names would be without endings stays as it is
    stripped: Sequence[str] = [_without_endings(name) for name in names]
    num_with_stem = Counter(dict(zip(names, stripped, strict=True)).values())
    stripped = [
        name if num_with_stem[stem] > 1 else stem
        for name, stem in zip(names, stripped, strict=True)
    ]
    if len(set(stripped)) < len(set(names)):
        stripped = names
    endings = {
        f".{ending}"
        for name, stem in zip(names, stripped, strict=True)
        for ending in name[len(stem) :].split(".")[1:]
    }
    prefix = _prefix_of_most_long_names(stripped, 0)
    short = [name.removeprefix(prefix) for name in stripped]
    num_prefixed = sum(name.startswith(prefix) for name in stripped) if prefix else 0
    inner_prefixes: list[tuple[str, int]] = []
    for depth in range(1, 1 + max((name.count(_FOLDER) for name in short), default=0)):
        inner = _prefix_of_most_long_names(short, depth)
        if inner:
            cut = [_without_prefix(name, inner, depth) for name in short]
            num_cut = sum(new != old for new, old in zip(cut, short, strict=True))
            short, inner_prefixes = cut, [*inner_prefixes, (inner, num_cut)]
    return ShortNames(
        tuple(short), tuple(sorted(endings)), prefix, num_prefixed, tuple(inner_prefixes)
    )


def _without_endings(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    while stem and dot + ending.lower() in (*PACKED_ENDINGS, *RUN_ENDINGS):
        name = stem
        stem, dot, ending = name.rpartition(".")
    return name


def _part(name: str, depth: int) -> str:
    """A name, or the part of it behind so many folders; empty: it has none."""
    return name if depth == 0 else "".join(name.split(_FOLDER)[depth : depth + 1])


def _without_prefix(name: str, prefix: str, depth: int) -> str:
    """A name without what a part of it begins with, unless the part is no more than that."""
    if depth == 0:
        return name.removeprefix(prefix)
    parts = name.split(_FOLDER)
    parts[depth : depth + 1] = [part.removeprefix(prefix) for part in parts[depth : depth + 1]]
    return _FOLDER.join(parts)


def _prefix_of_most_long_names(names: Sequence[str], depth: int) -> str:
    """What can be left out of the names that have it at a depth; empty if there is nothing."""
    long_names = {name for name in names if len(name) > LONGEST_PLAIN_NAME}
    num_sharing = Counter(
        part[:end]
        for part in (_part(name, depth) for name in long_names)
        for end in range(1, len(part))
        if part[end - 1] in _SEPARATORS
    )
    for least in (len(long_names), _SHARE * len(long_names)):
        shared = [prefix for prefix, count in num_sharing.items() if count >= max(2, least)]
        for prefix in sorted(shared, key=len, reverse=True):
            short = {_without_prefix(name, prefix, depth) for name in names}
            has_empty_part = any(_part(name, depth) == prefix for name in names)
            if not has_empty_part and len(short) == len(set(names)):
                return prefix
    return ""
