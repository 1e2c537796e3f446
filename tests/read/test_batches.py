"""Parquet, Arrow and Feather by batches: the same as text, whatever the types and the cuts."""

from __future__ import annotations

import gzip
import re
import sys
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from irev import InputError, evaluate
from irev.read import arrow_files, batches
from irev.read.formats import RUN
from irev.read.sources import open_input
from irev.read.stream import Source, sha256_of_decompressed_file
from tests import command
from tests.each import for_each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Row = tuple[str, str, float]

MEASURES = ["map", "ndcg", "bpref", "num_ret", "num_rel_ret", "Rprec"]


def rows_of_a_run(seed: int = 1) -> list[Row]:
    """Topics of unlike lengths; ties, long ids, ids that are no ASCII, in no order."""
    r = Random(seed)
    found = []
    for topic in ("7", "é10", "051", "a-topic-with-a-long-name", "9", "12"):
        docs = [f"d{n}" for n in range(40)] + [f"dokument-ö-{n:030}" for n in range(15)]
        chosen = r.sample(docs, r.choice([1, 9, 40, 55]))
        found += [(topic, doc, r.choice([2.5, 1.25, 1e-3, -4.0, r.random()])) for doc in chosen]
    return found


def judged(rows: list[Row], path: Path) -> Path:
    """Judgments of some of the documents, and of a topic that no run has."""
    r = Random(3)
    lines = [
        f"{topic} 0 {doc} {r.choice([0, 1, 2])}\n" for topic, doc, _ in rows if r.random() < 0.5
    ]
    path.write_text("".join([*lines, "nowhere 0 d1 1\n"]), encoding="utf-8")
    return path


def as_text(rows: list[Row], path: Path) -> Path:
    path.write_text(
        "".join(f"{topic} Q0 {doc} 1 {score!r} r\n" for topic, doc, score in rows), encoding="utf-8"
    )
    return path


def assert_equal_bits(qrels: Path, *runs: Path) -> None:
    """One run in several forms, by one thread and by three: the same scores to the last bit."""
    found = [evaluate(qrels, run, MEASURES, threads=threads) for run in runs for threads in (1, 3)]
    first = found[0]
    assert len(first.topics) == 5
    for other in found[1:]:
        assert other.topics == first.topics
        assert other.values.tobytes() == first.values.tobytes()
        assert other.account == first.account


def table(rows: list[Row], kind: pa.DataType | None = None) -> pa.Table:
    topics, docs, scores = (list(column) for column in zip(*rows, strict=True))
    ids = {"query_id": pa.array(topics), "doc_id": pa.array(docs)}
    if kind is not None:
        ids = {name: _cast(column, kind) for name, column in ids.items()}
    return pa.table({"note": docs, **ids, "rank": [1] * len(rows), "score": scores})


def _cast(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type).dictionary_encode()
    return column.cast(kind)


def as_parquet(given: pa.Table, path: Path) -> None:
    parquet.write_table(given, path, row_group_size=17)


def as_feather(given: pa.Table, path: Path) -> None:
    feather.write_feather(given, str(path), chunksize=13)


def as_stream(given: pa.Table, path: Path) -> None:
    with pa.ipc.new_stream(str(path), given.schema) as stream:
        stream.write_table(given, max_chunksize=11)


WRITERS = [as_parquet, as_feather, as_stream]
KINDS = [
    None, pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int32(), pa.string()),
    pa.dictionary(pa.int32(), pa.large_string()),
]  # fmt: skip


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts and batches so small that every run has many."""
    monkeypatch.setattr(batches, "ROWS", 32)
    monkeypatch.setattr(arrow_files, "FEW", 8)


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("is_scattered", [False, True])
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.usefixtures("narrow")
def test_the_same_bits_as_of_text(
    write: Callable[..., None], kind: pa.DataType | None, is_scattered: bool, tmp_path: Path
) -> None:
    rows = rows_of_a_run()
    qrels = judged(rows, tmp_path / "qrels")
    if is_scattered:
        Random(2).shuffle(rows)
    if kind == pa.string_view() and int(pa.__version__.partition(".")[0]) < 19:
        pytest.skip("Arrow 17 and 18 do not convert views")
    write(table(rows, kind), tmp_path / "run")
    assert_equal_bits(qrels, as_text(rows, tmp_path / "text"), tmp_path / "run")


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.usefixtures("narrow")
def test_judgments_in_batches(write: Callable[..., None], tmp_path: Path) -> None:
    rows = rows_of_a_run()
    qrels = judged(rows, tmp_path / "qrels")
    lines = [line.split() for line in qrels.read_text(encoding="utf-8").splitlines()]
    columns = {"qid": 0, "docno": 2}
    given = {name: [line[at] for line in lines] for name, at in columns.items()}
    write(pa.table({**given, "label": [int(line[3]) for line in lines]}), tmp_path / "judged")
    run = as_text(rows, tmp_path / "run")
    assert evaluate(tmp_path / "judged", run).per_topic() == evaluate(qrels, run).per_topic()


@pytest.mark.parametrize("write", WRITERS)
def test_ids_of_whole_numbers_and_decimal_scores(
    write: Callable[..., None], tmp_path: Path
) -> None:
    scores = pa.array(["0.1000", "12.3456", "-3.0000", "0.3000"]).cast(pa.decimal128(12, 4))
    given = pa.table({"qid": [3, 3, 12, 12], "pid": [-1, 70_000_000_000, 5, 6], "score": scores})
    write(given, tmp_path / "run")
    text = "3 Q0 -1 1 0.1 r\n3 Q0 70000000000 1 12.3456 r\n12 Q0 5 1 -3 r\n12 Q0 6 1 .3 r\n"
    (tmp_path / "text").write_text(text)
    (tmp_path / "qrels").write_text("3 0 -1 1\n12 0 6 2\n12 0 5 1\n")
    values = [
        evaluate(tmp_path / "qrels", tmp_path / name, ["ndcg", "map"]).values
        for name in ("run", "text")
    ]
    assert values[0].tobytes() == values[1].tobytes()
    with open_input(tmp_path / "run", RUN) as (source, _):
        parsed = [source.parse(part) for part in source.parts()]
    found = [value for each in parsed if each.rows for value in each.rows.value.tolist()]
    assert found == [0.1, 12.3456, -3.0, 0.3]


@pytest.mark.usefixtures("narrow")
def test_no_more_rows_are_held_than_a_part_and_a_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Topics of 5 rows: whatever the file's length, a few rows have been read that are not out."""
    rows = [(f"t{n // 5}", f"d{n}", 1.0) for n in range(600)]
    as_parquet(table(rows), tmp_path / "run")
    read = 0
    counted = batches.TableFile._rows

    def rows_read(self: batches.TableFile) -> Iterator[Any]:
        nonlocal read
        for each in counted(self):
            read += each.count
            yield each

    monkeypatch.setattr(batches.TableFile, "_rows", rows_read)
    out = 0
    with open_input(tmp_path / "run", RUN) as (source, _):
        for part in source.parts():
            parsed = source.parse(part)
            assert parsed.rows is not None
            assert len(parsed.rows.topics) * 5 == parsed.num_lines <= 16 + 8 + 5
            out += parsed.num_lines
            assert read - out <= 8
    assert out == 600


@pytest.mark.usefixtures("narrow")
def test_a_topic_longer_than_a_part_is_whole(tmp_path: Path) -> None:
    rows = [("a", f"d{n}", float(n)) for n in range(150)] + [("b", "d1", 1.0)]
    as_parquet(table(rows), tmp_path / "run")
    with open_input(tmp_path / "run", RUN) as (source, _):
        parsed = [source.parse(part).rows for part in source.parts()]
    assert [(rows.topics, rows.start.tolist()) for rows in parsed if rows] == [
        ([b"a"], [0, 150]), ([b"b"], [0, 1]),
    ]  # fmt: skip


@for_each("write", WRITERS)
@for_each(
    ("row", "column", "value", "message"),
    [
        (20, "query_id", None, "an id is missing in column query_id"),
        (37, "doc_id", None, "an id is missing in column doc_id"),
        (3, "score", None, "a score is missing in column score"),
        (29, "score", float("nan"), "a score is NaN, which is not a number"),
        (44, "doc_id", "a\0b", "an id in column doc_id holds a zero byte"),
        (21, "query_id", "a\0b", "an id in column query_id holds a zero byte"),
    ],
)
@pytest.mark.usefixtures("narrow")
def test_what_is_wrong_has_its_row(
    row: int, column: str, value: Any, message: str, write: Callable[..., None], tmp_path: Path
) -> None:
    given = table(rows_of_a_run())
    cells = given.column(column).to_pylist()
    cells[row - 1] = value
    given = given.set_column(given.column_names.index(column), column, pa.array(cells))
    write(given, tmp_path / "run")
    with pytest.raises(InputError) as caught:
        evaluate({"7": {"d1": 1}}, tmp_path / "run")
    problem = caught.value.problems[0]
    assert (problem.path, problem.line) == (str(tmp_path / "run"), row)
    assert problem.message == message


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("places", [(2, 50), (50, 51), (1, 100)])
@pytest.mark.usefixtures("narrow")
def test_duplicates_in_other_batches_are_named(
    places: tuple[int, int], write: Callable[..., None], tmp_path: Path
) -> None:
    rows = [(f"t{n // 60}", f"d{n}", 1.0) for n in range(120)]
    first, second = places
    rows[second - 1] = (rows[first - 1][0], rows[first - 1][1], 0.5)
    write(table(rows), tmp_path / "run")
    with pytest.raises(InputError, match="duplicate document") as caught:
        evaluate({"t0": {"d1": 1}}, tmp_path / "run")
    (problem,) = caught.value.problems
    assert problem.message.endswith(f"lines {first} and {second}")


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.usefixtures("narrow")
def test_a_cut_file_is_damaged_wherever_it_is_cut(
    write: Callable[..., None], tmp_path: Path
) -> None:
    path = tmp_path / "run"
    write(table(rows_of_a_run()), path)
    whole = path.read_bytes()
    for size in range(16, len(whole), len(whole) // 60):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError):
            evaluate({"7": {"d1": 1}}, path)


def test_a_footer_that_tells_of_other_batches_is_damage(tmp_path: Path) -> None:
    rows = rows_of_a_run()
    as_feather(table(rows), tmp_path / "long")
    as_feather(table(rows[:5]), tmp_path / "short")
    long, short = (tmp_path / name for name in ("long", "short"))
    size = int.from_bytes(short.read_bytes()[-10:-6], "little") + 10
    long.write_bytes(long.read_bytes()[:-size] + short.read_bytes()[-size:])
    with pytest.raises(InputError, match="of 1 batches there are"):
        evaluate({"7": {"d1": 1}}, long)


@pytest.mark.parametrize("write", WRITERS)
def test_a_table_without_rows(write: Callable[..., None], tmp_path: Path) -> None:
    write(table(rows_of_a_run()).slice(0, 0), tmp_path / "run")
    with pytest.raises(InputError, match="it has no rows"):
        evaluate({"7": {"d1": 1}}, tmp_path / "run")


@pytest.mark.parametrize("column", ["query_id", "doc_id", "score"])
@pytest.mark.parametrize("write", WRITERS)
def test_columns_of_other_types(column: str, write: Callable[..., None], tmp_path: Path) -> None:
    given = table(rows_of_a_run())
    wrong = pa.array([[1]] * given.num_rows)
    write(given.set_column(given.column_names.index(column), column, wrong), tmp_path / "run")
    with pytest.raises(InputError, match=f"column {column} holds list"):
        evaluate({"7": {"d1": 1}}, tmp_path / "run")


def test_a_damaged_page_with_a_checksum_is_refused(tmp_path: Path) -> None:
    """The id stands in statistics, which are not looked at, and in the page."""
    columns = {"qid": ["t"] * 2, "docno": ["aaaa", "bbbb"], "score": [2.0, 1.0]}
    path = tmp_path / "run.parquet"
    parquet.write_table(
        pa.table(columns), path, write_page_checksum=True, compression="none", use_dictionary=False
    )
    whole, num_refused = path.read_bytes(), 0
    for match in re.finditer(b"aaaa", whole):
        path.write_bytes(whole[: match.start()] + b"cccc" + whole[match.end() :])
        try:
            assert evaluate({"t": {"aaaa": 1}}, path).summary()["map"] == 1
        except InputError:
            num_refused += 1
    assert num_refused == 1


def test_what_inflates_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A million equal rows, in a few hundred bytes."""
    count = 1_000_000
    columns = {"qid": ["t"] * count, "docno": ["d"] * count, "score": [1.0] * count}
    parquet.write_table(pa.table(columns), tmp_path / "run")
    assert (tmp_path / "run").stat().st_size < 10_000
    read = 0

    def checked(self: Source, size: int) -> None:
        nonlocal read
        read = size
        real(self, size)

    real = Source.check_size
    monkeypatch.setattr(Source, "check_size", checked)
    monkeypatch.setattr(Source, "most", 2_000_000)
    with pytest.raises(InputError, match=r"larger than 1\.907 MiB decompressed"):
        evaluate({"t": {"d": 1}}, tmp_path / "run")
    assert read < 5_000_000


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("is_packed", [False, True])
def test_the_hash_is_that_of_the_file(
    is_packed: bool, write: Callable[..., None], tmp_path: Path
) -> None:
    path = tmp_path / "run"
    write(table(rows_of_a_run()), path)
    if is_packed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    scores = evaluate({"7": {"d1": 1}}, path, sign=True)
    assert scores.signature is not None
    assert scores.signature.run == sha256_of_decompressed_file(str(path))


@pytest.mark.thorough
def test_the_memory_of_others_is_left_alone(tmp_path: Path) -> None:
    """However many threads open Parquet, Arrow takes its memory from where it did before."""
    rows = rows_of_a_run()
    qrels, files = judged(rows, tmp_path / "qrels"), [tmp_path / f"{n}.parquet" for n in range(20)]
    for path in files:
        parquet.write_table(table(rows), path)
    before = pa.default_memory_pool().backend_name
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(5):
            evaluate(qrels, files, ["map"], threads=4)
    finally:
        sys.setswitchinterval(interval)
    assert pa.default_memory_pool().backend_name == before


@pytest.mark.parametrize("write", WRITERS)
def test_standard_input(write: Callable[..., None], tmp_path: Path) -> None:
    rows = rows_of_a_run()
    qrels = judged(rows, tmp_path / "qrels")
    write(table(rows), tmp_path / "run")
    given = (tmp_path / "run").read_bytes()
    arguments = ("-q", "-m", "all_trec", qrels)
    read = [
        command.irev(*arguments, path, stdin=stdin).out.splitlines()[1:]
        for path, stdin in ((as_text(rows, tmp_path / "text"), b""), ("-", given))
    ]
    assert len(read[0]) > 500
    assert [line for line in read[0] if b"runid" not in line] == [
        line for line in read[1] if b"runid" not in line
    ]
