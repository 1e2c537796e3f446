"""The lines of a text as fields, and what the text itself shows: encoding, line ends, blanks."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from irev.checking.report import Tally, counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.checking.report import Findings
    from irev.read.stream import Source

_BLOCK = 1 << 20
"""Bytes that are read at once: the fields of so many lines fit into memory many times over."""

ZERO_BYTE = "a zero byte: this is a binary file, not text"

_INVISIBLE = re.compile(
    rb"[\x01-\x08\x0e-\x1f\x7f]"  # control characters
    rb"|\xc2\xa0|\xe3\x80\x80"  # the no-break space and the ideographic one
    rb"|\xe2\x80[\x80-\x8f\xa8-\xaf]|\xef\xbb\xbf"  # spaces of all widths, marks of direction
)

_TEXT_NOTES = {
    "not-utf8": ("not UTF-8; ids are compared byte by byte", ""),
    "invisible-character": (
        "with a control character or a space that does not separate fields",
        "it belongs to the id it stands in, and the id is then another one",
    ),
    "crlf": ("ended by carriage return and newline", ""),
    "comment": ("beginning with #, skipped", "other programs than irev and trec_eval 10 fail here"),
    "blank-line": ("blank", ""),
}


class Batch(NamedTuple):
    """Some lines of data: their numbers, from 1, and their fields."""

    numbers: list[int]
    rows: list[list[bytes]]


class Lines:
    """The lines of a text, one pass through it.

    After the pass `count` is the number of lines, and `tell` says what the text shows. A zero byte
    ends the pass: what follows is no text.
    """

    def __init__(self, source: Source) -> None:
        """Nothing is read yet."""
        self._source = source
        self._tallies: dict[str, Tally] = defaultdict(Tally)
        self._has_blanks = False
        self._zero_byte: int | None = None
        self._ends_well = True
        self.count = 0

    def batches(self) -> Iterator[Batch]:
        """The lines of data, some at a time.

        Raises:
            InputError: the file cannot be read on.
        """
        for block in self._blocks():
            lines = block.split(b"\n")
            if not lines[-1]:
                lines.pop()
            self._look_at(block, lines)
            if self._zero_byte is not None:
                return
            yield self._data(lines)
            self.count += len(lines)

    def _blocks(self) -> Iterator[bytes]:
        """The bytes, cut behind newlines."""
        stream = self._source.open()
        buffer = memoryview(bytearray(_BLOCK))
        begun: list[bytes] = []
        while filled := self._source.read_into(stream, buffer):
            block = bytes(buffer[:filled])
            end = block.rfind(b"\n") + 1
            # zero bytes may go on for ever without a newline
            if b"\0" in block:
                end = len(block)
            if end:
                yield b"".join((*begun, block[:end]))
                begun = []
            begun.append(block[end:])
        rest = b"".join(begun)
        if rest:
            self._ends_well = False
            yield rest

    def _data(self, lines: list[bytes]) -> Batch:
        numbers, rows = [], []
        for number, fields in enumerate(map(bytes.split, lines), self.count + 1):
            if not fields:
                self._tallies["blank-line"].see(number)
            elif fields[0].startswith(b"#"):
                self._tallies["comment"].see(number)
            else:
                numbers.append(number)
                rows.append(fields)
        return Batch(numbers, rows)

    def _look_at(self, block: bytes, lines: list[bytes]) -> None:
        """What the bytes show; only where there is something are the lines gone through."""
        zero = block.find(b"\0")
        if zero >= 0:
            self._zero_byte = self.count + block.count(b"\n", 0, zero) + 1
            return
        self._has_blanks = self._has_blanks or b" " in block
        first = self.count + 1
        if b"\r" in block:
            self._see("crlf", (n for n, line in enumerate(lines, first) if line.endswith(b"\r")))
        if b"\t" in block:
            self._see("tabs", (n for n, line in enumerate(lines, first) if b"\t" in line))
        if not block.isascii() and not _is_utf8(block):
            self._see("not-utf8", (n for n, line in enumerate(lines, first) if not _is_utf8(line)))
        if _INVISIBLE.search(block):
            found = (n for n, line in enumerate(lines, first) if _INVISIBLE.search(line))
            self._see("invisible-character", found)

    def _see(self, code: str, lines: Iterator[int]) -> None:
        for line in lines:
            self._tallies[code].see(line)

    def tell(self, findings: Findings) -> None:
        """Say what the text shows."""
        if self._zero_byte is not None:
            findings.add("binary-file", ZERO_BYTE, line=self._zero_byte)
            return
        if self._source.has_mark:
            findings.add("byte-order-mark", "the file begins with a byte-order mark", line=1)
        for code, (what, hint) in _TEXT_NOTES.items():
            tally = self._tallies.get(code)
            if tally is not None:
                message = f"{counted(tally.count, 'line')} {what}; this is the first"
                findings.add(code, message, line=tally.line, hint=hint)
        tabs = self._tallies.get("tabs")
        if tabs is not None:
            code = "mixed-separators" if self._has_blanks else "tabs"
            what = "tabs and blanks separate" if self._has_blanks else "tabs separate"
            message = f"{what} the fields; {counted(tabs.count, 'line')} with tabs"
            findings.add(code, message, line=tabs.line)
        if not self._ends_well:
            findings.add("no-final-newline", "the last line has no newline", line=self.count)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
