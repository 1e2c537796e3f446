"""CSV, TSV and lines of JSON block by block: the same as lines of fields, wherever blocks end."""

from __future__ import annotations

import csv
import gzip
import io
import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from irev import InputError, evaluate
from irev.read import batches, pieces
from irev.read.formats import RUN
from irev.read.nested import JsonLines
from irev.read.sources import open_input
from irev.read.stream import Source, sha256_of_decompressed_file
from irev.read.tables import Delimited
from tests import command
from tests.each import for_each
from tests.read import test_text_tables
from tests.read.test_batches import (
    as_text,
    assert_equal_bits,
    judged,
    rows_of_a_run,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from irev.read.batches import NumberedBlock, TextTable
    from tests.read.test_batches import Row

NAMES = ["query_id", "doc_id", "score"]


def as_commas(rows: list[Row]) -> str:
    return cells([NAMES, *rows])


def as_tabs(rows: list[Row]) -> str:
    return cells([NAMES[::-1], *(row[::-1] for row in rows)], delimiter="\t")


def as_quoted(rows: list[Row]) -> str:
    return cells([NAMES, *rows], quoting=csv.QUOTE_ALL, lineterminator="\r\n")


def as_texts(rows: list[Row]) -> str:
    """Every third row has a text of several lines, which nobody reads."""
    texts = ["", 'a "text",\nof\n\n4 lines', "plain"]
    return cells([["text", *NAMES], *([texts[at % 3], *row] for at, row in enumerate(rows))])


def as_objects(rows: list[Row]) -> str:
    return "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in rows)


def as_odd_objects(rows: list[Row]) -> str:
    """Blank lines, other values, other orders of keys."""
    return "\n" + "".join(
        json.dumps(
            {"more": {"a": [at]}, **dict(list(zip(NAMES, row, strict=True))[:: at % 2 or -1])}
        )
        + "\n" * (1 + at % 4 // 3)
        for at, row in enumerate(rows)
    )


def cells(rows: Any, **how: Any) -> str:
    stream = io.StringIO()
    csv.writer(stream, **{"lineterminator": "\n", **how}).writerows(rows)
    return stream.getvalue()


WRITERS = [as_commas, as_tabs, as_quoted, as_texts, as_objects, as_odd_objects]


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of some lines, and parts so small that every run has many."""
    monkeypatch.setattr(batches, "ROWS", 32)
    monkeypatch.setattr(pieces, "PIECE", 300)


@pytest.fixture
def narrowest(narrow: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a line."""
    monkeypatch.setattr(pieces, "PIECE", 1)


@pytest.mark.in_turn(3)
@pytest.mark.parametrize(
    ("blocks", "is_scattered"), [("narrow", False), ("narrow", True), ("narrowest", False)]
)
@pytest.mark.parametrize("write", WRITERS)
def test_the_same_bits_as_of_lines_of_fields(
    write: Callable[[list[Row]], str],
    blocks: str,
    is_scattered: bool,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    request.getfixturevalue(blocks)
    rows = rows_of_a_run()
    qrels = judged(rows, tmp_path / "qrels")
    if is_scattered:
        Random(2).shuffle(rows)
    (tmp_path / "run").write_text(write(rows), newline="", encoding="utf-8")
    assert_equal_bits(qrels, as_text(rows, tmp_path / "text"), tmp_path / "run")


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.usefixtures("narrow")
def test_judgments_block_by_block(write: Callable[[list[Row]], str], tmp_path: Path) -> None:
    rows = rows_of_a_run()
    qrels = judged(rows, tmp_path / "qrels")
    lines = [line.split() for line in qrels.read_text(encoding="utf-8").splitlines()]
    table: list[Any] = [(topic, doc, int(grade)) for topic, _, doc, grade in lines]
    (tmp_path / "judged").write_text(write(table), newline="", encoding="utf-8")
    run = as_text(rows, tmp_path / "run")
    assert evaluate(tmp_path / "judged", run).per_topic() == evaluate(qrels, run).per_topic()


@pytest.mark.usefixtures("narrowest")
def test_what_is_wrong_is_said_wherever_blocks_end(tmp_path: Path) -> None:
    test_text_tables.test_what_is_wrong_is_said_with_its_line(tmp_path=tmp_path)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.usefixtures("narrow")
def test_no_more_rows_are_held_than_a_part_and_a_block(
    write: Callable[[list[Row]], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Topics of 5 rows: whatever the file's length, a few rows have been read that are not out."""
    rows = [(f"t{n // 5}", f"d{n}", 1.0) for n in range(600)]
    (tmp_path / "run").write_text(write(rows), newline="", encoding="utf-8")
    read = 0

    def counting(kind: type[TextTable]) -> None:
        counted = kind._read

        def rows_read(self: TextTable, piece_size: int) -> Iterator[NumberedBlock]:
            nonlocal read
            for each in counted(self, piece_size):
                read += each.count
                yield each

        monkeypatch.setattr(kind, "_read", rows_read)

    for kind in (Delimited, JsonLines):
        counting(kind)
    out = 0
    with open_input(tmp_path / "run", RUN) as (source, _):
        for part in source.parts():
            parsed = source.parse(part)
            assert parsed.rows is not None
            # 300 bytes are at most 30 rows here
            assert 5 * len(parsed.rows.topics) == len(parsed.rows.value) <= 16 + 30 + 5
            out += len(parsed.rows.value)
            assert read - out <= 30
    assert out == 600


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.usefixtures("narrow")
def test_a_topic_longer_than_a_part_is_whole(
    write: Callable[[list[Row]], str], tmp_path: Path
) -> None:
    rows = [("a", f"d{n}", float(n)) for n in range(150)] + [("b", "d1", 1.0)]
    (tmp_path / "run").write_text(write(rows), newline="", encoding="utf-8")
    with open_input(tmp_path / "run", RUN) as (source, _):
        parsed = [source.parse(part).rows for part in source.parts()]
    assert [(rows.topics, rows.start.tolist()) for rows in parsed if rows] == [
        ([b"a"], [0, 150]), ([b"b"], [0, 1]),
    ]  # fmt: skip


@for_each("places", [(2, 50), (50, 51), (1, 100)])
@for_each(
    ("write", "line_of"),
    [
        (as_commas, lambda row: row + 1),
        (as_quoted, lambda row: row + 1),
        # of each three rows one has four lines
        (as_texts, lambda row: 1 + row + 3 * ((row - 1 + 1) // 3)),
        (as_objects, lambda row: row),
    ],
)
@pytest.mark.usefixtures("narrow")
def test_duplicates_in_other_blocks_are_named(
    write: Callable[[list[Row]], str],
    line_of: Callable[[int], int],
    places: tuple[int, int],
    tmp_path: Path,
) -> None:
    """Topics of 60 rows: the same document in one topic, and in one that is scattered."""
    rows = [(f"t{n // 60}", f"d{n}", 1.0) for n in range(120)]
    first, second = places
    rows[second - 1] = (rows[first - 1][0], rows[first - 1][1], 0.5)
    (tmp_path / "run").write_text(write(rows), newline="", encoding="utf-8")
    with pytest.raises(InputError, match="duplicate document") as caught:
        evaluate({"t0": {"d1": 1}}, tmp_path / "run")
    (problem,) = caught.value.problems
    assert problem.message.endswith(f"lines {line_of(first)} and {line_of(second)}")
    assert problem.line == line_of(second)


@pytest.mark.usefixtures("narrow")
def test_problems_of_several_blocks_stand_in_order_up_to_the_limit(tmp_path: Path) -> None:
    """Cells too few, numbers that are none, missing ids, a document that stands twice."""
    rows = [f"t{n // 5},d{n},1" for n in range(200)]
    rows[9], rows[20], rows[21], rows[23] = "t1,d9", "t4,d20,x", "t4,,1", "t4,d22,1"
    (tmp_path / "run").write_text("\n".join(["qid,docno,score", *rows]), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        evaluate({"t0": {"d1": 1}}, tmp_path / "run")
    assert [(each.line, each.kind) for each in caught.value.problems] == [
        (11, "unreadable-line"), (22, "bad-score"), (23, "bad-id"), (25, "duplicate-document"),
    ]  # fmt: skip
    (tmp_path / "run").write_text(
        "\n".join(["qid,docno,score", *(["t,d"] * 200)]), encoding="utf-8"
    )
    with pytest.raises(InputError) as caught:
        evaluate({"t0": {"d1": 1}}, tmp_path / "run")
    assert [each.line for each in caught.value.problems] == [*range(2, 27)]
    assert "and at least 24 more lines like it" in str(caught.value)


@pytest.mark.parametrize("write", WRITERS)
def test_what_inflates_is_read_in_blocks_and_stopped(
    write: Callable[[list[Row]], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 4 MB that are some 20 KB compressed no more is read than is allowed, and a block."""
    text = write([("t", "d", 1.0)] * 3).encode()
    row = text[text.rindex(b"\n", 0, -2) + 1 :]
    (tmp_path / "run").write_bytes(gzip.compress(text + row * (4_000_000 // len(row))))
    read = 0
    real = Source.check_size

    def checked(self: Source, size: int) -> None:
        nonlocal read
        read = size
        real(self, size)

    monkeypatch.setattr(pieces, "PIECE", 300_000)
    monkeypatch.setattr(Source, "check_size", checked)
    monkeypatch.setattr(Source, "most", 1_000_000)
    with pytest.raises(InputError, match=r"larger than 976\.6 KiB decompressed"):
        evaluate({"t": {"d": 1}}, tmp_path / "run")
    assert read <= 1_000_000 + 300_000


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.usefixtures("narrow")
def test_the_hash_is_that_of_the_file(write: Callable[[list[Row]], str], tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(gzip.compress(write(rows_of_a_run()).encode()))
    scores = evaluate({"7": {"d1": 1}}, path, sign=True)
    assert scores.signature is not None
    assert scores.signature.run == sha256_of_decompressed_file(str(path))


@pytest.mark.parametrize("is_scattered", [False, True])
@pytest.mark.parametrize("write", [as_texts, as_odd_objects])
@pytest.mark.usefixtures("narrow")
def test_standard_input(
    write: Callable[[list[Row]], str], is_scattered: bool, tmp_path: Path
) -> None:
    rows = rows_of_a_run()
    qrels = judged(rows, tmp_path / "qrels")
    if is_scattered:
        Random(2).shuffle(rows)
    arguments = ("-q", "-m", "map", "-m", "P", qrels)
    read = [
        command.irev(*arguments, path, stdin=stdin)
        for path, stdin in ((as_text(rows, tmp_path / "text"), b""), ("-", write(rows).encode()))
    ]
    assert len(read[0].out.splitlines()) > 50
    assert read[0].out == read[1].out


HEADERS = {
    "a long comment first": "# " + "x" * 60_000 + "\n\nqid,docno,score\nt,d,1\nt,e,2\n",
    "long names of columns": "qid,docno,score," + "x" * 100_000 + "\nt,d,1,\nt,e,2,\n",
    "a long text first": '{"text": "' + "x" * 200_000 + '", "qid": "t", "docno": "d", "score": 1}\n'
    '{"qid": "t", "docno": "e", "score": 2}\n',
    "objects first, in long lines": "".join(
        '{"by": {"a": "' + "x" * 100_000 + f'"}}, "qid": "t", "docno": "{doc}", "score": {n}}}\n'
        for doc, n in (("d", 1), ("e", 2))
    ),
    "blank lines first": "\n" * 60_000 + '{"qid": "t", "docno": "d", "score": 1}\n'
    '{"qid": "t", "docno": "e", "score": 2}\n',
    "a mapping on one long line": '{"s": {"' + "x" * 3_000_000 + '": 1}, "t": {"d": 1, "e": 2}}',
}


@pytest.mark.parametrize("name", HEADERS)
def test_the_names_of_columns_may_stand_far_behind(name: str, tmp_path: Path) -> None:
    """By hand: e is first, d second, and relevant."""
    (tmp_path / "run").write_text(HEADERS[name], encoding="utf-8")
    scores = evaluate({"t": {"d": 1}}, tmp_path / "run", ["recip_rank"])
    assert scores.per_topic()["t"] == {"recip_rank": 0.5}
