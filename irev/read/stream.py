"""Bytes of a file, of standard input or of a pipe, decompressed, as often as they are wanted.

A path may be more than a text: a file or a folder as it was found, or one run of a table. `Source`
opens a file; what it needs for that follows it, and at the end stand the small texts that are read
as a whole.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, cast

from irev.core import workers
from irev.core.packages import need_packages
from irev.core.text import as_text, size_text
from irev.errors import MOST_PROBLEMS, InputError, Notice, Problem

if TYPE_CHECKING:
    from hashlib import _Hash

    from irev.read.run_tables import RunTable

STDIN = "-"
"""The path that stands for standard input."""

_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
}
_DECOMPRESS = {
    "gzip": "gunzip FILE",
    "bzip2": "bunzip2 FILE",
    "xz": "unxz FILE",
    "zstd": "unzstd FILE",
    "lz4": "unlz4 FILE",
}
_NO_TEXT = {
    b"PK\x03\x04": ("this is a zip archive (or a spreadsheet)", "unpack it, or save it as CSV"),
    b"7z\xbc\xaf": ("this is a 7z archive", "unpack it"),
    b"Rar!": ("this is a RAR archive", "unpack it"),
    # UTF-32 first: UTF-16 begins likewise
    b"\xff\xfe\0\0": ("this is UTF-32 text", "save it as UTF-8: iconv -f UTF-32 -t UTF-8 FILE"),
    b"\xff\xfe": ("this is UTF-16 text", "save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE"),
    b"\xfe\xff": ("this is UTF-16 text", "save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE"),
}
"""How files begin that are not read, with what they are and what to do."""

RETURNS = "a carriage return alone does not end a line; mend the file with tr '\\r' '\\n' < FILE"
_CHECKS = {"zstd": 0x04, "lz4": 0x14}
"""Bits behind the magic bytes that tell of a checksum: of the content, or of each block."""

_BOM = b"\xef\xbb\xbf"
_BLOCK = 1 << 20

_HEAD = 1 << 16
"""Bytes by which it is told what a file is."""


class FoundFile(str):
    """The path of a regular file as it was when it was found: `Source` opens that file, or none.

    Where links are followed it opens any regular file: what lies there is trusted. `path_below` is
    its path below the folder that was named.
    """

    __slots__ = ("follow_links", "identity", "path_below")
    identity: tuple[int, int]
    follow_links: bool
    path_below: str

    def __new__(
        cls, path: str, device: int, inode: int, path_below: str = "", *, follow_links: bool = False
    ) -> FoundFile:
        """Keep which file it is, on which device."""
        path_of_file = super().__new__(cls, path)
        path_of_file.identity, path_of_file.follow_links = (device, inode), follow_links
        path_of_file.path_below = path_below
        return path_of_file

    def __reduce__(self) -> tuple[Any, ...]:
        rebuild = partial(FoundFile, follow_links=self.follow_links)
        return rebuild, (str(self), *self.identity, self.path_below)

    def open_checked(self, path: str, flags: int) -> int:
        """Open the file, without waiting for anybody."""
        more = os.O_NONBLOCK | os.O_NOCTTY | (0 if self.follow_links else os.O_NOFOLLOW)
        try:
            handle = os.open(path, flags | more)
        except OSError as error:
            is_replaced = error.errno in (errno.ELOOP, errno.ENXIO)
            raise (_replaced_file_error() if is_replaced else error) from None
        status = os.fstat(handle)
        is_same = self.follow_links or (status.st_dev, status.st_ino) == self.identity
        if stat.S_ISREG(status.st_mode) and is_same:
            return handle
        os.close(handle)
        raise _replaced_file_error()


class FoundFolder(str):
    """The path of a folder that is a run, with the regular files in it as they were found.

    `path_below` is its path below the folder that was named; empty where it was named itself.
    """

    __slots__ = ("files", "path_below")
    files: tuple[FoundFile, ...]
    path_below: str

    def __new__(cls, path: str, files: Sequence[FoundFile], path_below: str = "") -> FoundFolder:
        """Keep the files, in byte order of their names."""
        folder = super().__new__(cls, path)
        folder.files, folder.path_below = tuple(files), path_below
        return folder

    def __reduce__(self) -> tuple[type[FoundFolder], tuple[str, tuple[FoundFile, ...], str]]:
        return FoundFolder, (str(self), self.files, self.path_below)


class NamedFile(str):
    """The path of a run that the user gave a name: `NAME=FILE` on a command line."""

    __slots__ = ("given_name",)
    given_name: str

    def __new__(cls, path: str, given_name: str) -> NamedFile:
        """Keep the name."""
        file = super().__new__(cls, path)
        file.given_name = given_name
        return file

    def __reduce__(self) -> tuple[Any, ...]:
        return NamedFile, (str(self), self.given_name)


class RunInTable(str):
    """One of several runs in a table: the table's path, and in brackets the run's name.

    `given_name` is what the user called it; empty: it is called as the table says.
    """

    __slots__ = ("given_name", "run", "table")
    table: RunTable
    run: bytes
    given_name: str

    def __new__(cls, table: RunTable, run: bytes, given_name: str = "") -> RunInTable:
        """Keep the table and the run."""
        path = super().__new__(cls, f"{table.path}[{as_text(run)}]")
        path.table, path.run, path.given_name = table, run, given_name
        return path

    def __reduce__(self) -> tuple[Any, ...]:
        return RunInTable, (self.table, self.run, self.given_name)


def given_name_of(source: object) -> str:
    """What the user called a run, `NAME=FILE`; empty where nobody gave it a name."""
    return source.given_name if isinstance(source, NamedFile | RunInTable) else ""


def _replaced_file_error() -> OSError:
    return OSError(errno.ESTALE, "this file was replaced after it was found")


class Source:
    """One input, a context manager. It can be read again from its start, as often as wanted.

    What cannot be rewound (standard input, a pipe) is kept in a temporary file on the way.
    """

    most: ClassVar[int | None] = None
    """Bytes, decompressed, that an input of this process may have; None: any number."""

    def __init__(self, path: str, *, sign: bool = False) -> None:
        self.path = "standard input" if path == STDIN else path
        self._is_stdin = path == STDIN
        self._spool: BinaryIO | None = None
        self._stream: BinaryIO | None = None
        self._file: BinaryIO | None = None
        self._unread: BinaryIO | None = None
        self._rewindable = not self._is_stdin and os.path.isfile(path)
        self._sign = sign
        self._count = 0
        self.has_mark = False
        self.size: int | None = None
        """The bytes of a plain file as it was opened; None: who knows."""
        self.notices: tuple[Notice, ...] = ()
        self._hash: _Hash | None = None

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self._stream, self._file):
            if stream is not None:
                stream.close()
        if self._spool is not None:
            with contextlib.suppress(OSError):  # of what could not be written nobody wants more
                self._spool.close()

    def open(self) -> BinaryIO:
        """The decompressed bytes from the start, behind a byte-order mark if there is one."""
        if self._unread is not None:
            unread, self._unread = self._unread, None
            return unread
        if self._spool is not None:
            if self._stream is not None:
                self.read_to_end(self._stream)
            with self.temporary_copy_errors():
                self._spool.seek(0)
            self._reset_count_and_hash()
            return self._spool
        for stream in (self._stream, self._file):
            if stream is not None:
                stream.close()
        try:
            self._stream = self._decompress(self._raw())
            if not self._rewindable:
                import tempfile

                with self.temporary_copy_errors():
                    spool = tempfile.TemporaryFile(prefix="irev-")  # noqa: SIM115 - at the exit
                    self._spool = cast("BinaryIO", spool)
                self._stream = cast("BinaryIO", _CopyingStream(self, self._stream, self._spool))
        except OSError as error:
            hint = _missing_file_hint(self.path) if isinstance(error, FileNotFoundError) else ""
            raise self.problem(_reason_text(error), hint, kind="no-file") from None
        self._reset_count_and_hash()
        return self._stream

    def head(self) -> bytes:
        """The first lines, 64 KiB of them if there are as many; `open` still gives them all."""
        stream = self.open()
        self._unread = stream
        head = self._peek(cast("io.BufferedReader", stream))
        if len(head) < _HEAD - len(_BOM):
            return head
        # the last line may be cut, and would look like another kind of line
        return head[: head.rfind(b"\n") + 1] or head

    @staticmethod
    def is_part_of_line(head: bytes) -> bool:
        """Whether the first bytes end within the first line, so that its fields are not known."""
        return len(head) >= _HEAD - len(_BOM) and b"\n" not in head

    def content(self) -> bytes:
        """All bytes of an input that fits into memory."""
        stream, buffer = self.open(), memoryview(bytearray(_BLOCK))
        parts = []
        while count := self.read_into(stream, buffer):
            parts.append(bytes(buffer[:count]))
        return b"".join(parts)

    @property
    def sha256(self) -> str | None:
        """The hash of the bytes that `read_into` gave since `open`; None: nobody asked for it."""
        return None if self._hash is None else self._hash.hexdigest()

    def _reset_count_and_hash(self) -> None:
        self._count = 0
        if self._sign:
            from hashlib import sha256

            self._hash = sha256()

    def read_to_end(self, stream: BinaryIO) -> None:
        """Read what has not been read yet: a pipe then lies in the temporary file."""
        buffer = memoryview(bytearray(_BLOCK))
        while self.read_into(stream, buffer):
            pass

    @contextlib.contextmanager
    def temporary_copy_errors(self) -> Iterator[None]:
        """What goes wrong here is the temporary folder's fault, not the input's."""
        try:
            yield
        except OSError as error:
            import tempfile

            folder = f" {tempfile.tempdir}" if tempfile.tempdir else ""
            what = f"it cannot be copied to the temporary folder{folder}: {error.strerror}"
            hint = "TMPDIR=FOLDER names another folder, or give a file"
            raise self.problem(what, hint, kind="no-copy") from None

    def problem(self, message: str, hint: str = "", kind: str = "damaged-file") -> InputError:
        """An error about this input as a whole."""
        return InputError([Problem(self.path, None, kind, message, hint)])

    def read_into(self, stream: BinaryIO, buffer: memoryview) -> int:
        """Fill the buffer as far as the stream goes; how many bytes there were."""
        filled = 0
        try:
            while filled < len(buffer):
                count = cast("io.RawIOBase", stream).readinto(buffer[filled:])
                if not count:
                    break
                filled += count
        except EOFError:
            raise self.problem("the compressed file ends too early") from None
        except _decoder_errors() as error:
            raise self.problem(_reason_text(error)) from None
        self._count += filled
        self.check_size(self._count)
        if self._hash is not None:
            self._hash.update(buffer[:filled])
        if workers.watcher is not None:
            # so many bytes of so many, compressed ones; None: nobody knows
            place: tuple[int, int | None] = self._count, None
            if self._file is not None and self._rewindable:
                place = self._file.tell(), os.fstat(self._file.fileno()).st_size
            workers.watcher.report_read(self.path, *place)
        return filled

    def check_size(self, num_bytes: int) -> None:
        """Hold so many decompressed bytes against what an input may have."""
        if self.most is not None and num_bytes > self.most:
            what = f"it is larger than {size_text(self.most)} decompressed (--max-size)"
            raise self.problem(what, kind="max-size")

    def open_seekable(self) -> BinaryIO:
        """The decompressed bytes as a file that is read wherever one likes.

        Nothing is read of a plain file, unless its hash is wanted; a pipe is brought into a
        temporary file, and what was compressed into memory.
        """
        stream = self.open()
        if self._spool is None and stream is not self._file:
            self._unread = stream
            file: BinaryIO = io.BytesIO(self.content())
        else:
            if self._sign or self._spool is not None:
                self.read_to_end(stream)
            file = self._spool or stream
            file.seek(0)
        return file

    def _raw(self) -> io.BufferedReader:
        if self._is_stdin:
            if sys.stdin is None:
                raise self.problem("there is no standard input", kind="no-file")
            return io.BufferedReader(_Borrowed(cast("io.BufferedReader", sys.stdin.buffer)), _HEAD)
        if "\0" in self.path:
            raise self.problem("there is no such file", kind="no-file")
        opener = self.path.open_checked if isinstance(self.path, FoundFile) else None
        file = cast("io.BufferedReader", open(self.path, "rb", _HEAD, opener=opener))  # noqa: SIM115 - at the exit
        self._file = file
        if self._rewindable:
            return file
        return io.BufferedReader(_Borrowed(file), _HEAD)

    def _decompress(self, raw: io.BufferedReader) -> BinaryIO:
        """The text that a file holds, behind a mark if it has one; what is no text is refused."""
        head = raw.peek(8)[:8]
        self._refuse_binary(head)
        stream, kind = raw, _compression(head)
        if kind in _CHECKS:
            need_packages("pyarrow", place=self.path)
        if kind:
            # decoders give no peek; a mark is only looked for where it can be put back
            stream = io.BufferedReader(cast("Any", _open_decoder(kind, raw)), _HEAD)
            if kind in _CHECKS and len(head) > 4 and not head[4] & _CHECKS[kind]:
                what = "compressed without a checksum: damage of the file may go unseen"
                self.notices = (Notice("no-checksum", what, "the zstd and lz4 commands write one"),)
        elif self._rewindable:
            self.size = os.fstat(raw.fileno()).st_size
        begins = self._peek(stream)
        if kind:
            if inner := _compression(begins):
                twice = f"with {kind}" if inner == kind else f"with {inner} and then with {kind}"
                what = f"this file is compressed twice, {twice}"
                cure = f"decompress it once: {_DECOMPRESS[kind]}"
                raise self.problem(what, cure, kind="compressed-twice")
            self._refuse_binary(begins, kind)
        if begins[257:262] == b"ustar":
            raise self.problem("this is a tar archive", "unpack it: tar xf FILE", "binary-file")
        if begins.startswith(_BOM):
            stream.read(len(_BOM))
            self.has_mark = True
        return cast("BinaryIO", stream)

    def _refuse_binary(self, head: bytes, compression: str = "") -> None:
        for magic, (what, remedy) in _NO_TEXT.items():
            if head.startswith(magic):
                if compression:
                    what = f"{what}, compressed with {compression}"
                    remedy = f"decompress it; {remedy}"
                raise self.problem(what, remedy, kind="binary-file")

    def _peek(self, stream: io.BufferedReader) -> bytes:
        try:
            return stream.peek(len(_BOM))
        except EOFError:
            raise self.problem("the compressed file ends too early") from None
        except _decoder_errors() as error:
            raise self.problem(_reason_text(error)) from None


def _compression(head: bytes) -> str:
    """With what bytes that begin so are compressed; empty: with nothing that is known."""
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), "")


def _open_decoder(kind: str, raw: io.BufferedReader) -> BinaryIO:
    """A stream that decompresses; each library is imported only where it is needed."""
    if kind == "gzip":
        import gzip

        return cast("BinaryIO", gzip.GzipFile(fileobj=raw))
    if kind == "bzip2":
        from bz2 import BZ2Decompressor

        return cast("BinaryIO", _Members(BZ2Decompressor, raw))
    if kind == "xz":
        from lzma import LZMADecompressor

        return cast("BinaryIO", _Members(LZMADecompressor, raw))
    return cast("BinaryIO", _ArrowDecoder(kind, raw))


def _decoder_errors() -> tuple[type[Exception], ...]:
    """What the decoders that were imported raise, beside EOFError."""
    names = (("zlib", "error"), ("lzma", "LZMAError"))
    own = [getattr(sys.modules[m], name) for m, name in names if m in sys.modules]
    return (OSError, ValueError, *own)


class _Readable(io.RawIOBase):
    def readable(self) -> bool:
        return True


class _Members(_Readable):
    """Bzip2 and xz: one compressed member after another, and zeros behind them, as gzip has it.

    Python's own files take anything behind the first member for rubbish, a damaged one too.
    """

    def __init__(self, decompressor: Callable[[], Any], raw: io.BufferedReader) -> None:
        self._new, self._raw = decompressor, raw
        self._now = decompressor()

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast("bytearray", buffer)).cast("B")
        while True:
            compressed = b""
            if self._now.eof:
                compressed = self._now.unused_data.lstrip(b"\0")
                while not compressed:
                    block = self._raw.read1(_BLOCK)
                    if not block:
                        return 0
                    compressed = block.lstrip(b"\0")
                self._now = self._new()
            elif self._now.needs_input:
                compressed = self._raw.read1(_BLOCK)
                if not compressed:
                    raise EOFError
            block = self._now.decompress(compressed, len(view))
            if block:
                view[: len(block)] = block
                return len(block)


class _ArrowDecoder(_Readable):
    """Zstandard and LZ4 frames, by Arrow's decoders."""

    def __init__(self, kind: str, raw: io.BufferedReader) -> None:
        import pyarrow as pa

        self._stream = pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), kind)

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast("bytearray", buffer)).cast("B")
        block = self._stream.read(len(view))
        view[: len(block)] = block
        return len(block)


class _Borrowed(_Readable):
    """A stream that stays open when its reader is closed, and that is read in full blocks.

    A pipe may hand over its first bytes one by one: what they are must be seen together.
    """

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream

    def readinto(self, buffer: object) -> int:
        return self._stream.readinto(memoryview(cast("bytearray", buffer)))


class _CopyingStream(_Readable):
    """A stream that keeps a copy of all that is read from it."""

    def __init__(self, source: Source, stream: BinaryIO, copy: BinaryIO) -> None:
        self._source, self._stream, self._copy = source, stream, copy

    def peek(self, size: int) -> bytes:
        return cast("io.BufferedReader", self._stream).peek(size)

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast("bytearray", buffer))
        count = cast("io.RawIOBase", self._stream).readinto(view) or 0
        with self._source.temporary_copy_errors():
            self._copy.write(view[:count])
        return count


def _missing_file_hint(path: str) -> str:
    """Which file of the same folder may be meant, or what is given in place of a file."""
    if not path:
        return "the name is empty: is a variable not set?"
    if "://" in path:
        return "only files are read: download it first"
    if any(sign in path for sign in "*?["):
        return "no file matches this pattern"
    from difflib import get_close_matches

    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or ".") as entries:
            names = [entry.name for entry in islice(entries, 10_000)]
    except OSError:
        return f"there is no folder {folder} either" if folder else ""
    near = get_close_matches(name, sorted(names), n=1, cutoff=0.7)
    near = near or sorted(each for each in names if name and each.startswith(f"{name}."))
    return f"did you mean {os.path.join(folder, near[0])}?" if near else ""


def _reason_text(error: Exception) -> str:
    """What went wrong, in the words of a person."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, IsADirectoryError):
        return "this is a directory, not a file"
    if isinstance(error, PermissionError):
        return "no permission to read this file"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"the compressed file is damaged ({error})"


def take_lines(
    path: str,
    text: bytes,
    take_fields: Callable[[list[bytes]], str],
    noun: str,
    hint: str,
    *,
    one_hint: bool = False,
) -> None:
    """Hand the fields of each line of a small text on, and collect what is wrong with them.

    Blank lines and those that begin with `#` are skipped; fields are what stands between blanks.

    Args:
        path: what the text is called.
        text: its bytes.
        take_fields: takes the fields of a line, and gives what is wrong with them, or nothing.
        noun: what a line holds.
        hint: how a line is written.
        one_hint: whether the first problem alone has it.
    """
    problems: list[Problem] = []
    is_empty = True
    for number, line in enumerate(text.split(b"\n"), 1):
        if b"\r" in line.strip():
            raise InputError([torn_line_problem(path, number)])
        fields = line.split()
        if not fields or fields[0].startswith(b"#"):
            continue
        is_empty = False
        message = take_fields(fields)
        if message:
            line_hint = "" if one_hint and problems else hint
            problems.append(Problem(path, number, "unreadable-line", message, line_hint))
        if len(problems) == MOST_PROBLEMS:
            break
    if is_empty:
        problems = [Problem(path, None, "empty-file", f"there is no {noun} in this file", hint)]
    if problems:
        raise InputError(problems)


def torn_line_problem(path: str, line: int) -> Problem:
    """A line that was several, maybe all: fields stand behind a carriage return."""
    return Problem(path, line, "carriage-return", "a carriage return within the line", RETURNS)


def sha256_of(content: bytes) -> str:
    """The SHA-256 of some bytes, in hexadecimal."""
    from hashlib import sha256

    return sha256(content).hexdigest()


def sha256_of_decompressed_file(path: str) -> str:
    """The SHA-256 of a file's decompressed bytes, read once more, in hexadecimal."""
    with Source(path, sign=True) as source:
        source.read_to_end(source.open())
        return str(source.sha256)


def read_all(path: str) -> bytes:
    """All bytes of a small input."""
    with Source(path) as source:
        return source.content()
