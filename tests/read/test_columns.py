"""Text to columns: what is read, what is refused, and that both ways agree."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev.core.ids import PADDING, ids_from_bytes
from irev.read import columns
from irev.read import lines as module
from irev.read.formats import JUDGMENTS, QRELS, RUN, allow_real_grades, run_layout
from irev.read.layout import layout_for
from irev.read.lines import parse_columns
from irev.read.pieces import Piece
from irev.read.stream import Source
from irev.read.topics import Text

REAL_QRELS = allow_real_grades(QRELS)


def piece_of(text):
    return Piece(bytearray(text + b"\xaa" * PADDING), len(text))


def rows_of(columns):
    """[(line, topic, ids ..., number)], as plain values."""
    lines = range(1, len(columns.number) + 1) if columns.lines is None else columns.lines.tolist()
    topics = [columns.topics[code] for code in columns.topic.tolist()]
    ids = [column.to_list() for column in columns.ids]
    return list(zip(lines, topics, *ids, columns.number.tolist(), strict=True))


def read(text, layout=RUN):
    columns = parse_columns(piece_of(text), layout, "FILE")
    assert not columns.problems, columns.problems
    assert columns.num_lines == text.count(b"\n")
    return rows_of(columns)


def refused(text, layout=RUN):
    """[(line, message)]."""
    return [
        (problem.line, problem.message)
        for problem in parse_columns(piece_of(text), layout, "FILE").problems
    ]


def test_zero_bytes_without_an_end_of_line_are_refused():
    for length in (1, 9, 1 << 20):
        assert "a zero byte" in refused(bytes(length))[0][1]


# --- the form of lines ---------------------------------------------------------------------------

ONE = [(1, b"q1", b"d1", 2.5)]
TWO = [*ONE, (2, b"q2", b"d2", 1.0)]
BEHIND = [(1, b"q1", b"d1", 2.5), (4, b"q2", b"d2", 1.0)]


def test_lines():
    for text, rows in [
        (b"q1 Q0 d1 1 2.5 t\n", ONE),
        (b"q1\tQ0\td1\t1\t2.5\tt\n", ONE),
        (b"q1 Q0\td1  1\t 2.5 t\n", ONE),
        (b"  q1 Q0 d1 1 2.5 t\n", ONE),
        (b"\tq1\tQ0\td1\t1\t2.5\tt\n", ONE),
        (b"q1 Q0 d1 1 2.5 t \n", ONE),
        (b"q1\tQ0\td1\t1\t2.5\tt\t\n", ONE),
        (b"q1 Q0 d1 1 2.5 t\r\n", ONE),
        (b"q1 Q0 d1 1 2.5 t\r\r\n", ONE),
        (b"q1 Q0 d1 1 2.5 t \r\n", ONE),
        (b"\rq1 Q0 d1 1 2.5 t\r\r\n", ONE),
        (b"q1\vQ0\fd1 1 2.5 t\n", ONE),
        (b"\f\vq1 Q0 d1 1 2.5 t\f\n", ONE),
        (b"q1 Q0 d1 1 2.5 t and more\n", ONE),
        (b"q1\tQ0\td1\t1\t2.5\tt\tand\tmore\n", ONE),
        (b"q1 Q0 d1 1 2.5 t # no comment\n", ONE),
        (b"q1 Q0 d1 1 2.5 t\nq2 Q0 d2 2 1 t\n", TWO),
        (b"q1 Q0 d1 1 2.5 t\nq2\tQ0\td2\t2\t1\tt\n", TWO),
        (b"q1 Q0 d1 1 2.5 t\r\nq2 Q0 d2 2 1 t\n", TWO),
        (b"q1 Q0 d1 1 2.5 t\n\n\nq2 Q0 d2 2 1 t\n\n", BEHIND),
        (b"q1 Q0 d1 1 2.5 t\r\n\r\n\r\nq2 Q0 d2 2 1 t\r\n", BEHIND),
        (b"q1 Q0 d1 1 2.5 t\n \n\t\nq2 Q0 d2 2 1 t\n", BEHIND),
        (b"q1 Q0 d1 1 2.5 t\n#\n# a b c 1 t\nq2 Q0 d2 2 1 t\n#", BEHIND),
        (b"q1 Q0 d1 1 2.5 t\n#a b c d 1 t\n  # x\nq2 Q0 d2 2 1 t\n# end\n", BEHIND),
        (b"\nq1 Q0 d1 1 2.5 t\n", [(2, *ONE[0][1:])]),
        (b"\r\nq1 Q0 d1 1 2.5 t\r\n", [(2, *ONE[0][1:])]),
        (b"#\n\n#\nq1 Q0 d1 1 2.5 t\n", [(4, *ONE[0][1:])]),
        (b"\xef\xbb\xbfq1 Q0 d1 1 2.5 t\n", [(1, b"\xef\xbb\xbfq1", b"d1", 2.5)]),
        (b"\n\n \n# nothing\n", []),
    ]:
        text = text if text.endswith(b"\n") else text + b"\n"
        assert read(text) == rows, text


@pytest.mark.parametrize("name", ["qrels", "qrels_jg", "prefs", "qrels_prefs"])
def test_lines_of_judgments(name):
    (layout,) = JUDGMENTS[name].layouts
    columns = {"topic": b"q", "document": b"d", "group": b"A", "subgroup": b"s"}
    fields = [columns.get(field, b"3") for field in layout.fields]
    ids = [columns[field] for field in layout.ids]
    for separator in (b" ", b"\t", b" \t"):
        assert read(separator.join(fields) + b"\n", layout) == [(1, b"q", *ids, 3.0)]
    assert refused(b" ".join([*fields, b"more"]) + b"\n", layout)[0][0] == 1
    assert refused(b" ".join(fields[:-1]) + b"\n", layout)[0][0] == 1


@pytest.mark.parametrize("layout", [RUN, QRELS])
@pytest.mark.parametrize("before", [b"", b"q Q0 e 3 2 t\n", b"\r\n"])
def test_a_carriage_return_alone_ends_no_line(layout, before):
    # the fields of the first line would be read, and all others silently be text behind them
    line = before.count(b"\n") + 1
    for text in (b"q Q0 d 3 2 t\rq Q0 e 3 1 t\r", b"q\rQ0 d 3 2 t\n", b"# x\rq Q0 d 3 1 t\n"):
        columns = parse_columns(piece_of(before + text + b"\n"), layout, "FILE")
        (problem,) = [p for p in columns.problems if p.kind == "carriage-return"]
        assert (problem.line, problem.message) == (line, "a carriage return within the line")
        assert "tr '\\r' '\\n'" in problem.hint


# --- too many fields -----------------------------------------------------------------------------

UNTAGGED = layout_for(run_layout(), b"q Q0 d 1 2.5\n")
NOTHING, ERROR = "nothing", "error"
SURPLUS = {  # the text of a line, and what is told of it: the number of its fields is a warning
    b"q Q0 d 1 2.5 t more": 7,
    b"q Q0 d - 2.5 my tag": 7,
    b"q Q0 d - 2.5 7": NOTHING,
    b"q Q0 d 1 2.5 t # 1 Q0 e 2 1.5 t": NOTHING,
    b"q Q0 d 1 2.5 #t 1": NOTHING,
    b"q Q0 d 1 2.5 t# 1": 7,
    b"q Q0 d 1 2.5 t1 Q0 e 2 1.5 t": ERROR,
    b"q Q0 d 1 2.5 t 1 Q0 e 2 1.5 t": ERROR,
    b"q Q0 d 1 2.5 t1 Q0 e - 1.5 t": ERROR,
    b"q Q0 d 1 2.5 my t1 Q0 e 2 1.5 my t": ERROR,
    b"q skip d 1 2.5 t1 skip e 2 1.5 t": ERROR,
    b"q 0 d 1 2.5 run 0 of 3": 9,
    b"q Q0 d e 1 2.5 t": ERROR,
    b"q Q0 d e f 1 2.5 t": ERROR,
    b"q p Q0 d 1 2.5 t": ERROR,
    b"q\tQ0\td e\t1\t2.5\tt": ERROR,
    b"q\tQ0\td 7\t1\t2.5\tt": ERROR,
    b"q\tQ0\td\t-\t2.5\t7 t": 7,
}


@pytest.mark.parametrize("piece", [1, 1 << 20])
@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_text_behind_the_last_field(tmp_path, piece, newline):
    path = tmp_path / "run"
    for line, told in SURPLUS.items():
        path.write_bytes(newline.join([b"p Q0 d 1 2.5 t"] * 2 + [line, b"r Q0 d 1 2.5 t", line]))
        with Source(str(path)) as source, pytest.MonkeyPatch.context() as patch:
            patch.setattr("irev.read.pieces.PIECE", piece)
            text = Text(source, RUN, source.head())
            problems = [each for part in text.parts() for each in text.parse(part).problems]
            warned = [each.message for each in text.line_warnings()]
        assert bool(problems) == (told is ERROR), line
        if told in (ERROR, NOTHING):
            assert not warned, line
        else:
            (message,) = warned
            assert message.startswith(f"{path}:3: {told} fields where 6 are expected"), line
            assert message.endswith("the rest is ignored in 2 lines; this is the first")


@pytest.mark.parametrize(
    ("text", "layout", "hint"),
    [
        (b"q Q0 d 1 2.5q Q0 e 2 1.5", UNTAGGED, "two lines in one"),
        (b"q Q0 d 1 2.5 q Q0 e 2 1.5", UNTAGGED, "two lines in one"),
        (b"q Q0 d e 1 2.5", UNTAGGED, "ids cannot contain blanks"),
        (b"q Q0 d 1 2. 5\\nq Q0 e 2 1.5", UNTAGGED, "awk '{gsub("),
        (b"q 0 d 1p 0 e 2", QRELS, "two lines in one"),
        (b"q 0 d 1 p 0 e 2", QRELS, "two lines in one"),
        (b"q 0 d 1\\np 0 e 2\\n", QRELS, "awk '{gsub("),
        (b"q Q0 d 2.5", RUN, "the rank and the run tag are missing"),
    ],
)
def test_hints_about_wrong_numbers_of_fields(text, layout, hint):
    (problem,) = parse_columns(piece_of(text + b"\n"), layout, "FILE").problems
    assert problem.kind == "field-count"
    assert hint in problem.hint


IDS = [
    b"001", b"1", b"NA", b"nan", b"null", b"NULL", b"None", b"1e5", b"True", b"-", b"+1", b'"q"',
    b'"', b"'", b",", b"a,b", b"\\", b"\\N", b"caf\xe9", b"\xff\xfe", b"\x1a", b"\x01\x7f", b"d#",
    b"\xe2\x80\x83", b"\xc2\xa0", b"x" * 100,
]  # fmt: skip


@pytest.mark.parametrize("separator", [b" ", b"\t", b"  "])
def test_ids_are_any_bytes(separator):
    lines = [separator.join([each, b"Q0", each, b"1", b"2", b"t"]) + b"\n" for each in IDS]
    assert read(b"".join(lines)) == [(at, each, each, 2.0) for at, each in enumerate(IDS, 1)]
    lines = [separator.join([each, b"0", each, b"1"]) + b"\n" for each in IDS]
    assert read(b"".join(lines), QRELS) == [(at, each, each, 1.0) for at, each in enumerate(IDS, 1)]


def test_ids_of_any_length():
    for size in range(1, 101):
        ids = [b"z" * size, b"z" * (size - 1) + b"y"]
        assert read(b"".join(b"q Q0 %s 1 1 t\n" % each for each in ids)) == [
            (1, b"q", ids[0], 1.0),
            (2, b"q", ids[1], 1.0),
        ]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([b"q1", b"q2", b"Q\xe9", b"1"]),
            st.binary(min_size=1, max_size=20).filter(lambda text: min(text) > ord(" ")),
            st.floats(allow_nan=False),
        ),
        min_size=1,
        max_size=20,
    ),
    st.sampled_from([b" ", b"\t"]),
    st.sampled_from([b"\n", b"\r\n"]),
    st.sampled_from([1, 40, 100, 1 << 17]),
)
def test_both_ways_agree(given_rows, separator, newline, block):
    text = b"".join(
        separator.join([topic, b"Q0", doc, b"7", repr(score).encode(), b"tag"]) + newline
        for topic, doc, score in given_rows
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        plain = parse_columns(piece_of(text), RUN, "FILE")
    careful = module._token_columns(piece_of(text), RUN, "FILE")
    expected = [(at, *row) for at, row in enumerate(given_rows, 1)]
    assert plain.lines is None  # it was the plain way
    assert rows_of(plain) == rows_of(careful) == expected
    assert plain.topics == careful.topics == list(dict.fromkeys(row[0] for row in given_rows))
    assert plain.num_lines == careful.num_lines == len(given_rows)
    assert plain.last.split() == careful.last.split() == text.splitlines()[-1].split()


def test_a_piece_of_many_blocks():
    # blanks are looked for block by block: topics keep one number in all of them
    docs = [b"d%0100d" % number for number in range(180_000)]
    text = b"".join(b"q%d Q0 %s 1 1 t\n" % (at // 50_000, doc) for at, doc in enumerate(docs))
    assert len(text) > 1 << 24
    columns = parse_columns(piece_of(text), RUN, "FILE")
    assert columns.topics == [b"q0", b"q1", b"q2", b"q3"]
    assert np.bincount(columns.topic).tolist() == [50_000, 50_000, 50_000, 30_000]
    assert columns.ids[0].to_list() == docs


# --- numbers -------------------------------------------------------------------------------------

SCORES = {
    b"1": 1.0, b"+1": 1.0, b"-1": -1.0, b".5": 0.5, b"5.": 5.0, b"-.5e-1": -0.05, b"1e3": 1000.0,
    b"1E+3": 1000.0, b"0x1p4": 16.0, b"0X1.8p1": 3.0, b"0x10": 16.0, b"-0x.8": -0.5,
    b"1e400": math.inf, b"-1e400": -math.inf, b"1e-400": 0.0, b"5e-324": 5e-324, b"inf": math.inf,
    b"-inf": -math.inf, b"+INF": math.inf, b"Infinity": math.inf, b"-0": -0.0, b"007": 7.0,
    b"0.1": 0.1, b"9007199254740993": 9007199254740992.0, b"0x1p5000": math.inf,
    b"2.2250738585072011e-308": 2.225073858507201e-308, b"1" + b"0" * 400: math.inf,
}  # fmt: skip
NO_SCORES = [
    b"nan", b"NaN", b"-nan", b"nan(1)", b"1_0", b"0,5", b"1,000", b"1e", b"1e+", b"e5", b"0x",
    b"0x1p", b".", b"+", b"-", b"--1", b"+-1", b"1.2.3", b"one", b"1f", b"1d", b"infin", b"NA",
    b"null", b"True", "\u0661".encode(), "\uff11".encode(), b"1\xe9", b'"1"', b"1;", b"#",
]  # fmt: skip


def decimals_or_python(texts):
    decimals = columns._parse_decimals(texts)
    return columns._reals_by_python(texts) if decimals is None else decimals


@pytest.fixture(params=["Arrow", "Python", "decimals"])
def reader_of_numbers(request, monkeypatch):
    if request.param != "Arrow":  # which the tests have loaded
        reader = decimals_or_python if request.param == "decimals" else columns._reals_by_python
        monkeypatch.setattr(columns, "_reals_by_arrow", reader)


@pytest.mark.usefixtures("reader_of_numbers")
@pytest.mark.parametrize("form", [b"q Q0 d 1 %s t\n", b"q Q0  d 1 %s t\n"], ids=["plain", "odd"])
def test_scores(form):
    for text, expected in SCORES.items():
        ((_, _, _, score),) = read(form % text)
        assert (score, math.copysign(1, score)) == (expected, math.copysign(1, expected)), text


@pytest.mark.usefixtures("reader_of_numbers")
@pytest.mark.parametrize("form", [b"q Q0 d 1 %s t\n", b"q Q0  d 1 %s t\n"], ids=["plain", "odd"])
def test_no_scores(form):
    good = form % b"1"
    for text in NO_SCORES:
        ((line, message),) = refused(good + form % text + good)
        assert line == 2, text
        assert message.startswith("score '"), text
        assert message.endswith("' is not a number"), text


@pytest.mark.thorough
@given(
    st.lists(st.from_regex(r"-?([0-9]{1,15}|[0-9]{0,7}\.[0-9]{1,8}|[0-9]{1,7}\.)", fullmatch=True))
)
def test_decimals_are_read_as_the_nearest_double(numbers):
    texts = ids_from_bytes([number.encode() for number in numbers])
    read = columns._parse_decimals(texts) if numbers else np.zeros(0)
    assert read is not None
    assert read.tolist() == [float(number) for number in numbers]
    assert np.signbit(read).tolist() == [number.startswith("-") for number in numbers]


def test_what_is_no_decimal_is_left_to_others():
    for text in [
        "1e3",
        "+1",
        "-",
        ".",
        "-.",
        "1.2.3",
        "1-",
        "--1",
        "9007199254740993",
        "0x1",
        "1_0",
    ]:
        texts = ids_from_bytes([b"1.5", text.encode()])
        assert columns._parse_decimals(texts) is None, text


@pytest.mark.usefixtures("reader_of_numbers")
@given(st.lists(st.floats(allow_nan=False).map(repr) | st.decimals(allow_nan=False).map(str)))
def test_numbers_wherever_they_lie(numbers):
    texts = ids_from_bytes([number.encode() for number in numbers])
    rows = np.random.default_rng(0).permutation(len(numbers))
    assert columns.parse_reals_or_nan(texts.take(rows)).tolist() == [
        float(numbers[row]) for row in rows
    ]


GRADES = {
    b"0": 0, b"1": 1, b"9": 9, b"10": 10, b"-1": -1, b"+1": 1, b"-0": 0, b"007": 7, b"1.0": 1,
    b"-2.": -2, b"+3.000": 3, b"10000000": 1e7, b"1" + b"0" * 30: 1e30, b"-1" + b"0" * 30: -1e30,
}  # fmt: skip
NO_GRADES = [
    b"1.5", b"0x10", b"1e3", b"1_0", b"one", b"-", b"+", b".", b".0", b"--1", b"1,0", b"inf",
    b"nan", b"NA", "\u0661".encode(), b"1" + b"0" * 400, b"1" + b"0" * 5000, b":", b"/", b"1.0.0",
]  # fmt: skip


@pytest.mark.parametrize("layout", [QRELS, REAL_QRELS], ids=["whole", "real"])
def test_grades(layout):
    for text, grade in GRADES.items():
        assert read(b"q 0 d %s\n" % text, layout) == [(1, b"q", b"d", grade)], text
        assert read(b"q 0  d %s\nq 0 e 1\n" % text, layout)[0] == (1, b"q", b"d", grade), text


def test_no_grades():
    for text in NO_GRADES:
        ((line, message),) = refused(b"q 0 d 1\nq 0 e %s\n" % text, QRELS)
        assert line == 2, text
        assert message.startswith("grade '"), text
        assert message.endswith("' is not a whole number"), text


def test_real_grades():
    assert read(b"q 0 d 1.5\nq 0 e -.25\nq 0 f 1e3\n", REAL_QRELS) == [
        (1, b"q", b"d", 1.5),
        (2, b"q", b"e", -0.25),
        (3, b"q", b"f", 1000.0),
    ]
    for text in (b"inf", b"-inf", b"nan", b"1e400", b"x"):
        assert refused(b"q 0 d %s\n" % text, REAL_QRELS) == [
            (1, f"grade '{text.decode()}' is not a finite number")
        ]


# --- problems ------------------------------------------------------------------------------------


def test_problems_come_in_the_order_of_their_lines():
    text = b"q Q0 d 1 x t\n# note\nq Q0 e 1 2\n\nq Q0 f 1 y t\nq Q0 g 1 1 t\nq\n"
    assert refused(text) == [
        (1, "score 'x' is not a number"),
        (
            3,
            "expected 6 fields (topic Q0 document rank score tag), found 5: 'q Q0 e 1 2'",
        ),
        (5, "score 'y' is not a number"),
        (7, "expected 6 fields (topic Q0 document rank score tag), found 1: 'q'"),
    ]


@pytest.mark.parametrize("place", [b"q\0 Q0 d 1 1 t", b"q Q0 d\0d 1 1 t", b"q Q0 d 1 1 t\0 x"])
def test_zero_bytes(place):
    text = b"q Q0 c 1 1 t\n" + place + b"\nq Q0 e 1 1 t\n"
    assert refused(text) == [(2, "a zero byte: this is a binary file, not text")]


def test_no_more_problems_than_anyone_reads():
    assert len(refused(b"q Q0 d 1 x t\n" * 1000)) == 25
