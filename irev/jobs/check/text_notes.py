"""What a text itself shows, whatever its lines say: encoding, line ends, blanks, comments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from irev.core.text import has_invisible
from irev.core.wording import count_text
from irev.errors import InputError
from irev.jobs.check.report import FindingTally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from irev.jobs.check.report import Findings
    from irev.read.pieces import Piece

_NOTES = {
    "not-utf8": ("not in UTF-8; ids are compared byte by byte", ""),
    "invisible-character": (
        "with a control character or a space that does not separate fields",
        "it becomes part of the id, which then matches no other",
    ),
    "crlf": ("with Windows line endings (CR LF)", ""),
    "comment": ("beginning with # skipped", "programs other than irev and trec_eval 10 fail here"),
    "blank-line": ("blank", ""),
}
_BLANK_START = re.compile(rb"\n[\n \t\v\f\r]")


class TextNotes:
    """Looks at a text piece by piece, then tells what it shows.

    `count` is how many lines were seen; the text `is_whole` unless it is damaged or binary.
    """

    def __init__(self) -> None:
        self.count = 0
        self.is_whole = True
        self._damage = ""
        self._tallies: dict[str, FindingTally] = {}
        self._has_blanks = False
        self._ends_well = True

    def watch_pieces(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """The pieces, each looked at when the next is asked for.

        They end at a zero byte, as what follows is no text, and where the file cannot be read on.
        """
        try:
            for piece in pieces:
                yield piece
                self.is_whole = not piece.has(b"\0")
                if not self.is_whole:
                    return
                self._see(piece)
        except InputError as error:
            self.is_whole = False
            self._damage = error.problems[0].message

    def _see(self, piece: Piece) -> None:
        """Look at a piece; only where there is something are its lines gone through."""
        text = bytes(piece.text)
        self._has_blanks = self._has_blanks or b" " in text
        self._ends_well = not piece.is_mended
        lines = text.split(b"\n")[:-1]
        if b"\r" in text:
            # a newline that the file does not have ends no line with CR LF
            ended = lines[:-1] if piece.is_mended else lines
            self._tally_lines("crlf", ended, lambda line: line.endswith(b"\r"))
        if b"\t" in text:
            self._tally_lines("tabs", lines, lambda line: b"\t" in line)
        if not text.isascii() and not _is_utf8(text):
            self._tally_lines("not-utf8", lines, lambda line: not _is_utf8(line))
        if has_invisible(text):
            self._tally_lines("invisible-character", lines, has_invisible)
        if b"#" in text:
            self._tally_lines("comment", lines, lambda line: line.lstrip().startswith(b"#"))
        if text[:1].isspace() or _BLANK_START.search(text):
            self._tally_lines("blank-line", lines, lambda line: not line or line.isspace())
        self.count += len(lines)

    def _tally_lines(
        self, code: str, lines: list[bytes], has_fault: Callable[[bytes], bool]
    ) -> None:
        for number, line in enumerate(lines, self.count + 1):
            if has_fault(line):
                self._tallies.setdefault(code, FindingTally()).see(number)

    def tell(self, findings: Findings, *, has_mark: bool) -> None:
        """Say what the text shows."""
        if self._damage:
            message = f"{self._damage}; {self.count:,} lines could be read"
            findings.add("damaged-file", message)
        elif not self.is_whole:
            return
        if has_mark:
            findings.add("byte-order-mark", "the file begins with a byte-order mark", line=1)
        for code, (phrase, hint) in _NOTES.items():
            tally = self._tallies.get(code)
            if tally is not None:
                message = f"{count_text(tally.count, 'line')} {phrase}; this is the first"
                findings.add(code, message, line=tally.line, hint=hint)
        tabs = self._tallies.get("tabs")
        if tabs is not None:
            code = "mixed-separators" if self._has_blanks else "tabs"
            phrase = "tabs and blanks" if self._has_blanks else "tabs"
            message = (
                f"fields are separated by {phrase}; {count_text(tabs.count, 'line')} with tabs"
            )
            findings.add(code, message, line=tabs.line)
        if not self._ends_well:
            findings.add("no-final-newline", "the last line has no newline", line=self.count)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
