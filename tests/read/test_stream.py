"""Bytes of files, standard input and pipes, compressed or not."""

import bz2
import contextlib
import errno
import gzip
import hashlib
import io
import lzma
import os
import sys
import tempfile
import threading
from types import SimpleNamespace

import pyarrow as pa
import pytest

from irev.errors import InputError
from irev.read.stream import Source, read_all, sha256_of_decompressed_file, take_lines
from tests.each import for_each
from tests.files import IS_ROOT

TEXT = b"".join(b"q%d 0 d%d 1\n" % (n // 10, n) for n in range(5000))
BOM = b"\xef\xbb\xbf"


def framed(kind):
    """A compressor by Arrow's streams, which write frames as the command line tools do."""

    def compress(text):
        sink = pa.BufferOutputStream()
        stream = pa.CompressedOutputStream(sink, kind)
        stream.write(text)
        stream.close()
        return sink.getvalue().to_pybytes()

    return compress


COMPRESSORS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": framed("zstd"),
    "lz4": framed("lz4"),
}
every_kind = pytest.mark.parametrize("kind", COMPRESSORS)


@pytest.fixture
def file(tmp_path):
    """Makes a file of some bytes, its name saying nothing."""

    def made(content, name="file.txt"):
        path = tmp_path / name
        path.write_bytes(content)
        return str(path)

    return made


def problem_of(path):
    with pytest.raises(InputError) as raised:
        read_all(path)
    (problem,) = raised.value.problems
    assert problem.path == path
    assert problem.line is None
    return problem.message


@pytest.mark.parametrize("content", [TEXT, b"", b"x", TEXT[:-1], b"\x1f", b"\n"])
def test_plain_bytes(file, content):
    assert read_all(file(content)) == content


def test_a_mark_at_the_start_is_dropped_once(file):
    assert read_all(file(BOM + TEXT)) == TEXT
    assert read_all(file(BOM + BOM + b"x")) == BOM + b"x"
    assert read_all(file(BOM)) == b""
    assert read_all(file(BOM[:2])) == BOM[:2]
    assert read_all(file(b"a" + BOM)) == b"a" + BOM


@every_kind
def test_compression_is_seen_by_content_not_by_name(file, kind):
    for name in ("run.txt", "run.gz", "run"):
        assert read_all(file(COMPRESSORS[kind](TEXT), name)) == TEXT, name
        assert read_all(file(COMPRESSORS[kind](BOM + TEXT), name)) == TEXT, name


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_the_hash_is_of_all_that_is_decompressed(file, compress):
    """Also of what does not fit into one block of a mebibyte."""
    content = b"x" * (1 << 20) + TEXT
    found = sha256_of_decompressed_file(file(compress(content)))
    assert found == hashlib.sha256(content).hexdigest()


def test_a_plain_file_may_have_the_name_of_an_archive(file):
    assert read_all(file(TEXT, "run.gz")) == TEXT


@every_kind
def test_archives_of_several_members(file, kind):
    parts = [TEXT[:1000], TEXT[1000:1001], TEXT[1001:]]
    assert read_all(file(b"".join(map(COMPRESSORS[kind], parts)))) == TEXT


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz"])
def test_a_damaged_further_member_is_refused(file, kind):
    compress = COMPRESSORS[kind]
    for place in range(8):
        second = bytearray(compress(TEXT[1000:]))
        second[place] ^= 8
        path = file(compress(TEXT[:1000]) + bytes(second), f"damaged at {place}")
        if (kind == "gzip" and place > 3) or (kind == "bzip2" and place == 3):
            assert read_all(path) == TEXT  # the time of the member; the size of its blocks
        else:
            problem_of(path)


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz"])
def test_rubbish_behind_an_archive_is_refused(file, kind):
    for more in (b"x", b"more text\n", b"\0" * 9 + b"x" * 8, b"\x1f", b"BZ"):
        problem_of(file(COMPRESSORS[kind](TEXT) + more, f"{more.hex()} behind"))


@pytest.mark.parametrize("kind", ["bzip2", "xz"])
def test_zeros_behind_and_between_other_archives(file, kind):
    compress = COMPRESSORS[kind]
    parts = compress(TEXT[:1000]) + bytes(4) + compress(TEXT[1000:]) + bytes(100_000)
    assert read_all(file(parts)) == TEXT


@for_each(
    ("content", "is_told"),
    [
        (TEXT, False),
        (gzip.compress(TEXT, mtime=0), False),
        (bz2.compress(TEXT), False),
        (lzma.compress(TEXT), False),
        (framed("zstd")(TEXT), True),  # Arrow writes none
        (framed("lz4")(TEXT), True),
        # from the formats' descriptions: flags behind the magic bytes
        (bytes.fromhex("28b52ffd 04 00 190000 78 6a2a"), False),
        (bytes.fromhex("28b52ffd 00 00 090000 78"), True),
        (bytes.fromhex("04224d18 64 40 a7"), False),
        (bytes.fromhex("04224d18 70 40 ad"), False),
        (bytes.fromhex("04224d18 60 40 82"), True),
        (bytes.fromhex("04224d18"), False),  # cut off before it tells
    ],
)
def test_a_frame_without_a_checksum_is_told(file, content, is_told):
    with Source(file(content)) as source:
        with contextlib.suppress(InputError):
            source.head()
        assert [notice.kind for notice in source.notices] == ["no-checksum"] * is_told


def test_zeros_behind_a_gzip_archive(file):
    # tapes and some file systems fill up the last block
    assert read_all(file(gzip.compress(TEXT) + bytes(512))) == TEXT


@every_kind
def test_an_archive_of_nothing(file, kind):
    assert read_all(file(COMPRESSORS[kind](b""))) == b""


@every_kind
@pytest.mark.parametrize("share", [0.02, 0.5, 0.98])
def test_a_truncated_archive_is_refused(file, kind, share):
    whole = COMPRESSORS[kind](os.urandom(20_000).hex().encode())
    message = problem_of(file(whole[: int(len(whole) * share)]))
    assert message.startswith("the compressed file ")


@every_kind
def test_a_damaged_archive_is_refused(file, kind):
    whole = bytearray(COMPRESSORS[kind](os.urandom(20_000).hex().encode()))
    whole[7:40] = b"\xff" * 33
    assert problem_of(file(bytes(whole))).startswith("the compressed file ")


def test_what_cannot_be_opened(tmp_path):
    assert problem_of(str(tmp_path / "absent")) == "there is no such file"
    assert problem_of(str(tmp_path)) == "this is a directory, not a file"
    assert problem_of("a\0b") == "there is no such file"


@pytest.mark.skipif(IS_ROOT, reason="root may read everything")
def test_a_file_without_permission(file):
    path = file(TEXT)
    os.chmod(path, 0)
    assert problem_of(path) == "no permission to read this file"


def test_no_permission_in_words(file, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    path = file(TEXT)
    monkeypatch.setattr("builtins.open", refuse)
    assert problem_of(path) == "no permission to read this file"


# --- reading again -------------------------------------------------------------------------------


def test_a_full_temporary_folder_is_named(standard_input, monkeypatch, tmp_path):
    class Full(io.BytesIO):
        def write(self, _):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    standard_input(TEXT)
    with pytest.raises(InputError) as caught, Source("-") as source:
        read_whole(source)
    (problem,) = caught.value.problems
    assert problem.kind == "no-copy"
    assert f"{tmp_path}: No space left on device" in problem.message
    assert "TMPDIR" in problem.hint


def test_there_may_be_no_temporary_folder(standard_input, monkeypatch):
    def nowhere(**_):
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "TemporaryFile", nowhere)
    standard_input(TEXT)
    with pytest.raises(InputError, match="No usable temporary directory"), Source("-") as source:
        read_whole(source)


@pytest.mark.parametrize("text", [b"1\r2\r", b"1 a\r2 b\n", b"1\n2\r3\n"])
def test_lines_of_fields_end_with_a_newline(text):
    with pytest.raises(InputError, match="a carriage return within the line"):
        take_lines("x", text, lambda _: "", "line", "")


def test_fields_of_lines_of_windows():
    found = []

    def take(fields):
        found.append(fields)
        return ""

    take_lines("x", b"1 a\r\n\r\n# no\r\n2 b\r\n", take, "line", "")
    assert found == [[b"1", b"a"], [b"2", b"b"]]


@pytest.mark.parametrize(("one_hint", "hints"), [(False, ["how", "how"]), (True, ["how", ""])])
def test_what_is_wrong_with_lines_of_fields(one_hint, hints):
    def take(fields):
        return "" if len(fields) == 2 else f"{len(fields)} fields"

    with pytest.raises(InputError) as caught:
        take_lines("x", b"a\n\n1 2\nb c d\n", take, "pair", "how", one_hint=one_hint)
    assert [p[:4] for p in caught.value.problems] == [
        ("x", 1, "unreadable-line", "1 fields"), ("x", 4, "unreadable-line", "3 fields"),
    ]  # fmt: skip
    assert [problem.hint for problem in caught.value.problems] == hints
    with pytest.raises(InputError, match="there is no pair in this file"):
        take_lines("x", b"# none\n", take, "pair", "how")
    with pytest.raises(InputError) as many:
        take_lines("x", b"a\n" * 100, take, "pair", "how")
    assert len(many.value.problems) == 25


def read_whole(source):
    stream, parts = source.open(), []
    buffer = memoryview(bytearray(1000))
    while count := source.read_into(stream, buffer):
        parts.append(bytes(buffer[:count]))
    return b"".join(parts)


def begin(source, size):
    buffer = memoryview(bytearray(size))
    return bytes(buffer[: source.read_into(source.open(), buffer)])


def forms():
    return [TEXT, BOM + TEXT, *(compress(TEXT) for compress in COMPRESSORS.values())]


@pytest.mark.parametrize("content", forms(), ids=["plain", "mark", *COMPRESSORS])
def test_a_file_can_be_read_again(file, content):
    with Source(file(content)) as source:
        assert begin(source, 3000) == TEXT[:3000]
        assert read_whole(source) == TEXT
        assert read_whole(source) == TEXT


@pytest.fixture
def standard_input(monkeypatch):
    """Sets what standard input holds."""

    def put(content):
        stream = io.BufferedReader(io.BytesIO(content))
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))
        return stream

    return put


@pytest.mark.parametrize("content", forms(), ids=["plain", "mark", *COMPRESSORS])
def test_standard_input_can_be_read_again_and_stays_open(standard_input, content):
    stream = standard_input(content)
    with Source("-") as source:
        assert source.path == "standard input"
        assert begin(source, 3000) == TEXT[:3000]
        assert read_whole(source) == TEXT
        assert read_whole(source) == TEXT
    assert not stream.closed


def test_there_may_be_no_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input: there is no standard input"):
        read_all("-")


@pytest.mark.parametrize("content", forms(), ids=["plain", "mark", *COMPRESSORS])
@pytest.mark.parametrize("first", [1, 2, 5000])
def test_a_pipe_whose_first_bytes_come_one_by_one(tmp_path, content, first):
    path = str(tmp_path / "pipe")
    os.mkfifo(path)

    def write():
        with open(path, "wb", buffering=0) as pipe:
            pipe.write(content[:first])
            threading.Event().wait(0.02)
            pipe.write(content[first:])

    writer = threading.Thread(target=write)
    writer.start()
    with Source(path) as source:
        assert begin(source, 3000) == TEXT[:3000]
        assert read_whole(source) == TEXT
    writer.join()
