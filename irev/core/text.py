"""Text: bytes and strings; numbers read to their last byte; sentences; short names of runs."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, AnyStr, NamedTuple

WIDTH = 80
"""How many characters wide a printed result is: wider tables are turned or cut into blocks."""


def as_text(text: bytes) -> str:
    """Bytes of an input as a string that can be turned back (`surrogateescape`)."""
    return text.decode("utf-8", "surrogateescape")


def as_bytes(text: bytes | str) -> bytes:
    """A string as the bytes of an input: the way back from `as_text`; bytes as they are."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def checked_id_bytes(text: str) -> bytes:
    """The bytes of an id.

    Raises:
        ValueError: what is wrong with it, to stand behind its name.
    """
    try:
        id = as_bytes(text)
    except UnicodeEncodeError:
        raise ValueError("contains half of a surrogate pair") from None
    if b"\0" in id:
        raise ValueError("holds a zero byte")
    return id


def printable(line: str) -> str:
    r"""Nothing that would end a line or drive a terminal; a byte that is not UTF-8 is `\xe9`."""
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else _escaped_character(c) for c in line)


def _escaped_character(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    # a character beyond ASCII is not written as a byte is
    is_latin = 0x80 <= code <= 0xFF
    return f"\\u{code:04x}" if is_latin else character.encode("unicode_escape").decode()


def id_text(text: bytes, limit: int = 60) -> str:
    """Bytes of an input as they can be shown in a message: cut, nothing unprintable."""
    return printable(as_text(text if len(text) <= limit else text[: limit - 3] + b"..."))


def escaped_name(name: str) -> str:
    """A printable name that no other has: a backslash in it stands twice."""
    return printable(name.replace("\\", "\\\\"))


_CONTROLS = bytes([*range(1, 9), *range(0x0E, 0x20), 0x7F])
_INVISIBLE = (
    rb"[%b]"
    rb"|\xc2\xa0|\xe3\x80\x80"  # the no-break space and the ideographic one
    rb"|\xe2\x80[\x80-\x8f\xa8-\xaf]|\xef\xbb\xbf"  # spaces of all widths, marks of direction
    % _CONTROLS
)


def has_invisible(text: bytes) -> bool:
    """Whether there is a control character, or a blank that separates no fields."""
    if text.isascii():  # as nearly all are: a text of megabytes is quicker looked through so
        return len(text.translate(None, _CONTROLS)) < len(text)
    return pattern(_INVISIBLE).search(text) is not None


_FORMULA = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
"""How a cell begins that a spreadsheet takes for more than a text; some in full width, too."""


def spreadsheet_safe(cell: str) -> str:
    """A text as a spreadsheet and a terminal show it: no formula, nothing that drives them.

    An apostrophe stands before what begins as a formula does and is neither a number nor a dash.
    """
    if cell == "-":
        return cell
    shown = printable(cell)
    return f"'{shown}" if cell.startswith(_FORMULA) and parse_c_number(cell) is None else shown


LONGEST_NAME = 64
"""Characters that are shown of a name which a stranger chose."""


def shorten_name(name: str) -> str:
    """A name as it is shown: of a long one the beginning."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."


LONGEST_KEPT = 2000
"""Characters or bytes that are kept of an id or a message: more may lie in a stranger's file."""


def cut_text(text: AnyStr) -> AnyStr:
    """A text that somebody else chose, as it is kept and sent: of a long one the beginning."""
    return text[:LONGEST_KEPT]


def escape_non_utf8(name: bytes | str) -> str:
    """A name as tables and Unicode text can hold it: bytes that are no UTF-8 are escaped."""
    text = as_text(name) if isinstance(name, bytes) else name
    if text.isascii():
        return text
    escaped: str = pattern("[\ud800-\udfff]").sub(lambda match: _escaped_character(match[0]), text)
    return escaped


def escaped_bytes(text: str) -> bytes:
    """A text as output has it, in UTF-8: bytes that are none are escaped."""
    return escape_non_utf8(text).encode()


def natural_sort_key(name: str) -> tuple[Any, ...]:
    """What names are ordered by as people order them: 2 before 10, a2 before a10."""
    parts = [
        (0, len(digits), digits) if (digits := part.lstrip("0") or "0").isdecimal() else (1, part)
        for part in pattern("([0-9]+)").split(name)
        if part
    ]
    return (*parts, (0, 0, name))


def parse_json(
    text: bytes, make_object: Callable[[list[tuple[str, Any]]], Any] | None = None
) -> Any:
    """The value that a text in JSON is; its strings are as `as_text` gives them.

    `make_object` makes objects of their keys and values.
    """
    import json

    try:
        return json.loads(as_text(text), object_pairs_hook=make_object)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


@cache
def pattern(text: AnyStr) -> re.Pattern[AnyStr]:
    """A regular expression, compiled when it is first asked for: a start needs few of them."""
    return re.compile(text)


_WHOLE = r"[+-]?[0-9]+"
_DECIMAL = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_HEX = r"[+-]?0[xX]([0-9a-fA-F]+(\.[0-9a-fA-F]*)?|\.[0-9a-fA-F]+)([pP][+-]?[0-9]+)?"
_INFINITE = r"(?ia)[+-]?inf(inity)?"
_MOST_DIGITS = 4000  # Python refuses to convert whole numbers of more than 4300


def parse_whole(text: bytes | str) -> int | None:
    """The whole decimal number that the text is, or None if it is none.

    A sign is allowed; a fraction, an exponent, blanks, underscores and digits beyond ASCII are not.
    """
    text = _as_latin(text)
    if len(text) > _MOST_DIGITS or not pattern(_WHOLE).fullmatch(text):
        return None
    return int(text)


def split_limits(text: str) -> list[str]:
    """The limits NAME=X of a text that has several with commas; names may have commas, too."""
    limits, name = [], ""
    for piece in text.split(","):
        name = f"{name},{piece}" if name else piece
        is_open = name.count("(") > name.count(")")
        before, _, number = name.rpartition("=")
        if before and not is_open and parse_decimal(number) is not None:
            limits.append(name)
            name = ""
    return [*limits, name] if name or not limits else limits


def parse_decimal(text: str) -> float | None:
    """The finite real number that the text is in decimal notation (`.5`, `1e-3`), or None."""
    number = float(text) if pattern(_DECIMAL).fullmatch(text) else math.inf
    return number if math.isfinite(number) else None


def parse_c_number(text: bytes | str) -> float | None:
    """The real number that the text is in C's notation (strtod), or None if it is none.

    Decimal (`.5`, `5.`, `1e-3`), hexadecimal (`0x1p4`) or infinite (`inf`, `-Infinity`); too large
    a number is infinite. NaN is not a number here; neither is anything with blanks around it.
    """
    text = _as_latin(text)
    if pattern(_DECIMAL).fullmatch(text) or pattern(_INFINITE).fullmatch(text):
        return float(text)
    if not pattern(_HEX).fullmatch(text):
        return None
    try:
        return float.fromhex(text)
    except OverflowError:
        return -math.inf if text.startswith("-") else math.inf


def parse_finite_number(text: bytes | str) -> int | float | None:
    """The finite number that the text is in C's notation, an int where it is whole, or None."""
    whole = parse_whole(text)
    real = parse_c_number(text) if whole is None else None
    if real is None or math.isinf(real):
        return whole
    return int(real) if real.is_integer() else real


def _as_latin(text: bytes | str) -> str:
    """As a string; bytes beyond ASCII become characters that are in no number."""
    return text.decode("latin-1") if isinstance(text, bytes) else text


def count_text(count: int, singular: str, plural: str = "") -> str:
    """A number and what is counted: `1 class`, `2,000 classes`; without `plural` one with an s."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def count_that_is(count: int, singular: str, plural: str = "") -> str:
    """The same with its verb: `1 class is`, `2 classes are`."""
    return f"{count_text(count, singular, plural)} {'is' if count == 1 else 'are'}"


def shortened_list(names: Sequence[str] | Sequence[bytes], max_names: int = 5) -> str:
    """The first names, or ids of an input, and how many more there are: `a, b and 3 more`."""
    more = len(names) - max_names
    return _comma_list(names, max_names) + (f" and {more} more" if more > 0 else "")


def list_beginning(names: Sequence[str] | Sequence[bytes], max_names: int = 5) -> str:
    """The first of several whose number is told elsewhere: `a, b, ...`."""
    return _comma_list(names, max_names) + (", ..." if len(names) > max_names else "")


def full_list(names: Sequence[str]) -> str:
    """All of some names: `a, b and c`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _comma_list(names: Sequence[str] | Sequence[bytes], max_names: int) -> str:
    return ", ".join(
        id_text(name) if isinstance(name, bytes) else name for name in names[:max_names]
    )


UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
"""Prefix -> how many bytes."""


def size_text(num_bytes: int) -> str:
    """A number of bytes as people say it: `2 GiB`."""
    for unit in ("T", "G", "M", "K"):
        if num_bytes >= UNITS[unit]:
            return f"{num_bytes / UNITS[unit]:.4g} {unit}iB"
    return f"{num_bytes} bytes"


# --- Short names of runs, as pages and figures show them ---


PACKED_ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".lz4")
"""How the name of a packed file ends."""
TABLE_ENDINGS = (".parquet", ".arrow", ".feather")
"""How the name of a file ends that may hold several runs."""
RUN_ENDINGS = (
    *(".run", ".txt", ".trec", ".res", ".results", ".out", ".csv", ".tsv", ".json", ".jsonl"),
    *TABLE_ENDINGS,
)
"""What ends the name of a file and tells nothing of the run in it."""

LONGEST_PLAIN_NAME = 24
"""Characters of a name that is shown with its beginning, whatever others share it."""
_FOLDER = "/"
_SEPARATORS = f"._-{_FOLDER}: "
_SHARE = 0.8
"""Of the long names: so many must share the beginning that is left out."""


class ShortNames(NamedTuple):
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
            *((text, "after the folder", count) for text, count in self.inner_prefixes),
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
