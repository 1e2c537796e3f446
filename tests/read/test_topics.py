"""Whole topics of a text: pieces, scattered topics, duplicates and their lines."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev.core.judged import Duplicate
from irev.engine.map_topics import map_opened
from irev.errors import InputError
from irev.rank.judgments import one_list_per_topic_and_group
from irev.read import pieces
from irev.read.formats import QRELS, RUN
from irev.read.stream import Source
from irev.read.topics import Text, duplicate_problem


@pytest.fixture
def cut(monkeypatch):
    """Sets the size of pieces."""

    def set_size(size):
        monkeypatch.setattr(pieces, "PIECE", size)

    return set_size


@pytest.fixture
def read(tmp_path):
    """Reads a text: {topic: [(line, document, score)]}, and the last line."""
    path = tmp_path / "run"

    def rows_of(rows):
        found = {}
        for number, topic in enumerate(rows.topics):
            here = range(int(rows.start[number]), int(rows.start[number + 1]))
            found[topic] = [(rows.line_of(r), rows.docs[r], float(rows.value[r])) for r in here]
        return found

    def read_text(text, threads=1, work=rows_of, layout=RUN):
        path.write_bytes(text)
        with Source(str(path)) as source:
            return map_opened(Text(source, layout), work, threads)

    return read_text


def joined(done):
    """The topics of all results; none may be there twice."""
    found: dict[bytes, Any] = {}
    for result in done.results:
        assert not found.keys() & result.keys()
        found |= result
    return found


def plainly(text):
    """The same, line by line."""
    found: dict[bytes, list[tuple[int, bytes, float]]] = {}
    for number, line in enumerate(text.split(b"\n"), 1):
        fields = line.split()
        if fields and not fields[0].startswith(b"#"):
            score = float(fields[4])
            found.setdefault(fields[0], []).append((number, fields[2], score))
    return found


def without_lines(found):
    return {topic: [row[1:] for row in rows] for topic, rows in found.items()}


row = st.builds(
    b"%s Q0 d%d 1 %d t".__mod__,
    st.tuples(st.sampled_from([b"q1", b"q2", b"q30", b"Q"]), st.integers(0, 99), st.integers(0, 9)),
)
noise = st.sampled_from([b"", b"  ", b"#", b"# q1 Q0 d1 1 1 t", b"\r"])


@given(
    st.lists(row, min_size=1, max_size=40),
    st.lists(st.tuples(st.integers(0, 40), noise), max_size=4),
    st.booleans(),
    st.integers(1, 400),
    st.sampled_from([1, 3]),
)
def test_every_topic_is_handed_on_whole(cut, read, lines, noises, by_topic, size, threads):
    if by_topic:
        lines = sorted(lines, key=lambda line: line.split()[0])
    for place, text in noises:
        lines.insert(place, text)
    text = b"\n".join(lines) + b"\n"
    cut(size)
    done = read(text, threads)
    assert without_lines(joined(done)) == without_lines(plainly(text))
    data = [line for line in lines if line.strip() and not line.startswith(b"#")]
    assert done.last.split() == data[-1].split()


@pytest.mark.parametrize("size", [10, 100, 1 << 20])
def test_a_topic_that_comes_back(cut, read, size):
    filler = b"".join(b"q%d Q0 d 1 1 t\n" % number for number in range(3, 300))
    text = b"# one\nq1 Q0 a 1 3 t\n" + filler + b"\n\nq1 Q0 b 2 2 first\nq2 Q0 c 1 1 last\n"
    cut(size)
    done = read(text)
    found = joined(done)
    assert [row[1:] for row in found[b"q1"]] == [(b"a", 3.0), (b"b", 2.0)]
    assert [row[0] for row in found[b"q1"]] == [2, 302]
    assert len(found) == 299
    assert done.last.split()[-1] == b"last"


def test_a_topic_that_comes_back_far_behind(read):
    long = b"".join(b"q2 Q0 %040d 1 1 t\n" % number for number in range(200_000))
    assert len(long) > 10_000_000
    done = read(b"q1 Q0 a 1 1 t\n" + long + b"q1 Q0 b 1 1 t\n", 2, _first_and_last)
    assert joined(done)[b"q1"] == (2, b"a", b"b")
    assert joined(done)[b"q2"] == (200_000, b"%040d" % 0, b"%040d" % 199_999)


def _first_and_last(rows):
    starts = rows.start.tolist()
    return {
        topic: (stop - start, rows.docs[start], rows.docs[stop - 1])
        for topic, start, stop in zip(rows.topics, starts, starts[1:], strict=False)
    }


# --- duplicates ----------------------------------------------------------------------------------


def problems_of(read, text, layout=QRELS):
    with pytest.raises(InputError) as raised:
        read(text, work=one_list_per_topic_and_group, layout=layout)
    return [(problem.line, problem.message) for problem in raised.value.problems]


@pytest.mark.parametrize("size", [10, 50, 1 << 20])
@pytest.mark.parametrize("separator", [b" ", b"\t", b"  "])
def test_duplicates_name_lines_of_the_file(cut, read, size, separator):
    lines = [
        b"# a comment", b"", b"q1 0 a 1", b"q1 0 b 1", b"# another", b"q2 0 a 1", b"q2 0 c 0",
        b"  ", b"q2 0 a 2", b"q3 0 a 1",
    ]  # fmt: skip
    cut(size)
    text = b"\n".join(line if line[:1] == b"#" else separator.join(line.split()) for line in lines)
    assert problems_of(read, text) == [(9, "duplicate document 'a' in topic 'q2': lines 6 and 9")]


@pytest.mark.parametrize("size", [10, 50, 1 << 20])
def test_duplicates_of_scattered_topics(cut, read, size):
    filler = b"".join(b"f%d 0 d 1\n" % number for number in range(100))
    cut(size)
    assert problems_of(read, b"# \nq1 0 a 1\n" + filler + b"\nq1 0 a 1\nq2 0 a 1\n") == [
        (104, "duplicate document 'a' in topic 'q1': lines 2 and 104")
    ]


@pytest.mark.parametrize("size", [10, 50, 1 << 20])
@pytest.mark.parametrize(("between", "line"), [(b"", 52), (b"\n", 53), (b"# \n\n", 54)])
def test_duplicates_of_scattered_topics_name_lines_of_the_file(cut, read, size, between, line):
    """Each line is a row, as far as lines without data."""
    filler = [b"f%d 0 d 1\n" % number for number in range(50)]
    text = b"q1 0 a 1\n" + b"".join(filler[:25]) + between + b"".join(filler[25:])
    cut(size)
    assert problems_of(read, text + b"q1 0 a 1\n") == [
        (line, f"duplicate document 'a' in topic 'q1': lines 1 and {line}")
    ]


@pytest.mark.parametrize("size", [20, 1 << 20])
def test_several_duplicates_at_once(cut, read, size):
    cut(size)
    text = b"".join(b"q%d 0 d 1\nq%d 0 e 1\nq%d 0 d 0\n" % (n, n, n) for n in range(5))
    assert problems_of(read, text) == [
        (
            3 * n + 3,
            f"duplicate document 'd' in topic 'q{n}': lines {3 * n + 1} and {3 * n + 3}",
        )
        for n in range(5)
    ]


def test_a_document_may_stand_in_several_topics_and_groups(read):
    assert read(b"q1 0 a 1\nq2 0 a 1\n", work=one_list_per_topic_and_group, layout=QRELS).results


def test_a_duplicate_in_words():
    problem = duplicate_problem("run.txt", Duplicate(b"q\xe9", b"d1", 3, 9), lines_before=100)
    assert str(problem) == (
        "run.txt:109: duplicate document 'd1' in topic 'q\\xe9': lines 103 and 109\n"
        "  hint: keep one of the two lines"
    )


# --- problems ------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [10, 60, 1 << 20])
@pytest.mark.parametrize("threads", [1, 2])
def test_problems_of_all_pieces(cut, read, size, threads):
    good = b"".join(b"q%d Q0 d 1 1 t\n" % number for number in range(50))
    cut(size)
    with pytest.raises(InputError) as raised:
        read(b"\n" + good + b"a Q0 d 1 x t\n#\n" + good + b"b Q0 d 1 t\n", threads)
    assert [problem.line for problem in raised.value.problems] == [52, 104]


@pytest.mark.parametrize("size", [100, 1 << 20])
def test_reading_stops_where_problems_are_many(cut, read, size):
    cut(size)
    with pytest.raises(InputError) as raised:
        read(b"".join(b"q%d Q0 d 1 x,1 t\n" % number for number in range(1000)))
    problems = raised.value.problems
    assert [problem.line for problem in problems] == list(range(1, 26))
    assert problems[-1].hint.endswith("there may be more problems: reading stopped at 25")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the file is empty"),
        (b"\n", "the file has no line of data"),
        (b"# only\n# comments", "the file has no line of data"),
        (b" \t\r\n\f", "the file has no line of data"),
    ],
)
def test_nothing_to_read(read, text, message):
    with pytest.raises(InputError) as raised:
        read(text)
    assert [(problem.line, problem.message) for problem in raised.value.problems] == [
        (None, message)
    ]
