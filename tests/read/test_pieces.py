"""A text cut into pieces at lines and topics."""

import io
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from irev.core.ids import PADDING
from irev.errors import InputError, Problem
from irev.read import pieces as cutting
from irev.read.formats import RUN
from irev.read.lines import parse_columns
from irev.read.pieces import Piece, pieces


class Text:
    """A source of some bytes."""

    size = None

    def __init__(self, text):
        self.text = text

    def open(self):
        """The bytes from the start."""
        return io.BytesIO(self.text)

    def problem(self, message, hint="", kind="damaged-file"):
        """An error about the whole."""
        return InputError([Problem("x", None, kind, message, hint)])

    def read_into(self, stream, buffer):
        """Fill the buffer as far as the bytes go."""
        return stream.readinto(buffer)


def cut(text: bytes, size: int, *, whole_topics: bool = True) -> list[bytes]:
    """The pieces of a text, each checked to have its spare bytes."""
    source: Any = Text(text)
    found = []
    for piece in pieces(source, whole_topics=whole_topics, piece_size=size):
        assert len(piece.buffer) >= piece.size + PADDING
        assert len(piece.data) == piece.size + PADDING
        found.append(bytes(piece.text))
    return found


def topics_of(text):
    """The topics of a text, line by line, in plain Python; nothing for lines without data."""
    fields = (line.split() for line in text.split(b"\n"))
    return [line[0] for line in fields if line and not line[0].startswith(b"#")]


line = st.sampled_from(
    [b"a 1", b"a 22222222222", b"b 1", b" \tb 2", b"c 1", b"", b" ", b"# x", b"\r"]
)
text_of_lines = st.lists(line, max_size=60).map(b"\n".join)


@st.composite
def texts_by_topic(draw):
    """Topics one after another, with blank lines and comments anywhere."""
    lines = []
    for number in range(draw(st.integers(0, 8))):
        for _ in range(draw(st.integers(1, 12))):
            lines.append(b"q%d %s" % (number, b"x" * draw(st.integers(0, 9))))
            if draw(st.integers(0, 4)) == 0:
                lines += draw(st.lists(st.sampled_from([b"", b"# q0", b"  ", b"#"]), max_size=3))
    return b"\n".join(lines) + draw(st.sampled_from([b"", b"\n"]))


@given(text_of_lines, st.integers(1, 200), st.booleans())
@example(b"a\n" * 50, 7, True)
@example(b"\n" * 50, 7, True)
@example(b"no newline at all", 4, True)
def test_pieces_are_the_text_in_whole_lines(text, size, whole_topics):
    cut_rankings = cut(text, size, whole_topics=whole_topics)
    whole = text if not text or text.endswith(b"\n") else text + b"\n"
    assert b"".join(cut_rankings) == whole
    assert all(piece.endswith(b"\n") for piece in cut_rankings)


@pytest.mark.thorough
@given(texts_by_topic(), st.integers(1, 200))
def test_topics_that_stand_together_stay_whole(text, size):
    seen: set[bytes] = set()
    for piece in cut(text, size):
        topics = set(topics_of(piece))
        assert not topics & seen
        seen |= topics
    assert seen == set(topics_of(text))


@given(text_of_lines, st.integers(1, 200))
def test_a_piece_begins_where_the_topic_changes(text, size):
    # in a text with scattered topics too
    before = None
    for piece in cut(text, size):
        topics = topics_of(piece)
        if topics:
            assert topics[0] != before
            before = topics[-1]


def test_pieces_have_about_the_size_asked_for():
    text = b"".join(b"q%d Q0 d%d 1 1 t\n" % (n // 10, n) for n in range(20_000))
    sizes = [len(piece) for piece in cut(text, 10_000)]
    assert max(sizes) <= 11_000
    assert min(sizes[:-1]) >= 9_000


def test_pieces_are_small_again_behind_a_long_topic():
    long = b"long Q0 d 1 1 t\n" * 10_000
    short = b"".join(b"q%d Q0 d%d 1 1 t\n" % (n // 10, n) for n in range(20_000))
    sizes = [len(piece) for piece in cut(long + short, 10_000)]
    assert sizes[0] >= len(long)
    assert max(sizes[1:]) <= 11_000


@pytest.mark.parametrize("start", [b"", b"q1 a\n", b"q1 a\nq2 b\n"])
def test_zeros_without_end_are_not_read_to_their_end(start):
    cut_rankings = cut(start + bytes(1_000_000), 10_000)
    assert sum(map(len, cut_rankings)) < 50_000
    assert b"\0" in cut_rankings[-1]


def test_a_line_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(cutting, "LONGEST_LINE", 1 << 20)
    text = b"q1 a\n" + b"x" * 1_000_000 + b"\n"
    assert b"".join(cut(text, 10_000)) == text
    with pytest.raises(InputError, match="a line has more than 1 MiB"):
        cut(b"q1 a\n" + b"x" * 10_000_000, 10_000)


@pytest.mark.parametrize("filler", [b"", b"#", b"# a comment", b"   "])
def test_many_lines_without_data(filler):
    text = b"q1 a\n" + (filler + b"\n") * 20_000 + b"q1 b\nq2 c\n"
    assert b"".join(cut(text, 5_000)) == text


@given(texts_by_topic(), st.integers(1, 60))
def test_a_long_topic_is_not_beside_others(text, size):
    # many short topics after it are pieces of their own, also where the text ends with them
    for piece in cut(text, size):
        topics = topics_of(piece)
        if len(set(topics)) > 1:
            first = piece[: piece.rindex(b"\n", 0, -1) + 1]
            longest = max(len(_of(topic, first)) for topic in set(topics))
            assert longest <= 2 * size


@pytest.mark.thorough
def test_blank_lines_cost_little():
    # line by line a second would not do; the topic goes on behind them
    blank = b"\n" * (8 << 20)
    start = time.process_time()
    cut_rankings = cut(blank + b"q1 a\n" + blank + b"q1 b\nq2 a\n" + blank, 1 << 20)
    assert time.process_time() - start < 2
    assert [topics_of(piece) for piece in cut_rankings if piece.strip()] == [
        [b"q1", b"q1"],
        [b"q2"],
    ]
    piece = Piece(bytearray(blank + bytes(PADDING)), len(blank))
    start = time.process_time()
    assert parse_columns(piece, RUN, "x").num_lines == len(blank)
    assert time.process_time() - start < 0.5


def test_returns_alone_are_a_hint_where_the_text_is_one_line(monkeypatch):
    monkeypatch.setattr(cutting, "LONGEST_LINE", 1000)
    with pytest.raises(InputError, match="a line has more than") as caught:
        cut(b"q1 Q0 a 1 1 t\r" * 200, 100)
    assert caught.value.problems[0].kind == "carriage-return"


def _of(topic, text):
    """The lines of a topic."""
    lines = [line for line in text.splitlines(keepends=True) if line.split()[:1] == [topic]]
    return b"".join(lines)
