"""Runs whose columns have other names, and documents left out: the same in every command.

What is expected is what the same command says of the same runs as TREC's lines: with usual names,
and without the lines of documents that are left out.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.command import irev
from tests.files import SAMPLE

NAMES = ("bm25", "dense", "fusion", "rm3")
COLUMNS = "topic=question,document=passage,score=similarity"
LEFT_OUT = {("1", "d0032"), ("10", "d0280"), ("3", "d0209")}

COMMANDS: dict[str, tuple[list[str], int, bool]] = {
    "eval": (["--format", "table", "-m", "map"], 4, True),
    "compare": (["compare", "-m", "map"], 4, True),
    "leaderboard": (["leaderboard", "-m", "map"], 4, True),
    "gate": (["gate", "--min", "map=0.1"], 1, True),
    "explain": (["explain", "-m", "map", "-t", "10"], 1, True),
    "pool": (["pool", "--depth", "5"], 4, False),
    "pool-leave-out": (["pool", "--leave-out", "--depth", "5", "-m", "map"], 4, True),
    "sample-strata": (["sample", "--rate", "1-5=100%,6-20=30%"], 4, True),
    "sample-documents": (
        ["sample", "--by", "documents", "--rate", "1-5=50%,6-20=30%", "--width", "0.1",
         "--measure", "P@10"], 4, True,
    ),
    "sensitivity": (["study", "sensitivity", "-m", "AP", "--depth", "10"], 1, True),
    "judgment-noise": (
        ["study", "judgment-noise", "-m", "map", "--trials", "9", "--theta", "0.9"], 1, True,
    ),
    "correlation": (["study", "correlation", "-m", "map", "-m", "P@5"], 4, True),
    "overlap": (["study", "overlap"], 2, False),
    "preference": (["study", "preference"], 4, True),
    "design": (["study", "design", "-m", "map"], 4, True),
    "topics": (["study", "topics", "-m", "map"], 4, True),
    "robustness": (["study", "robustness", "-m", "map", "--rates", "50", "--repeat", "2"], 4, True),
}  # fmt: skip
"""The words of each command, how many runs it takes, and whether judgments stand before them."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample runs as text, also without some documents, and as tables of other columns."""
    import gzip

    folder = tmp_path_factory.mktemp("runs")
    for part in ("text", "thin", "tables"):
        (folder / part).mkdir()
    rows_of_run = {}
    for name in NAMES:
        (path,) = SAMPLE.glob(f"{name}.run*")
        packed = path.read_bytes()
        text = gzip.decompress(packed) if path.suffix == ".gz" else packed
        lines = [line.split() for line in text.decode().splitlines() if not line.startswith("# ")]
        rows = [(fields[0], fields[2], float(fields[4])) for fields in lines if fields]
        rows_of_run[name] = rows
        for part, left_out in (("text", set[tuple[str, str]]()), ("thin", LEFT_OUT)):
            (folder / part / f"{name}.run").write_text(
                "".join(
                    f"{topic} Q0 {document} 1 {score!r} {name}\n"
                    for topic, document, score in rows
                    if (topic, document) not in left_out
                ),
                encoding="utf-8",
            )
        pq.write_table(_table(rows), folder / "tables" / f"{name}.parquet")
    tables = [
        _table(rows).append_column("system", pa.array([name] * len(rows)))
        for name, rows in rows_of_run.items()
    ]
    pq.write_table(pa.concat_tables(tables), folder / "all.parquet")
    (folder / "out.txt").write_text("".join(f"{topic} {doc}\n" for topic, doc in sorted(LEFT_OUT)))
    return folder


def _table(rows: list[tuple[str, str, float]]) -> pa.Table:
    topics, documents, scores = zip(*rows, strict=True)
    return pa.table({"question": topics, "passage": documents, "similarity": scores})


def _said(command: str, runs: list[Path | str], *options: str | Path) -> str:
    """What a command prints but for signatures, hashes and the places of files."""
    words, _, has_qrels = COMMANDS[command]
    qrels = [SAMPLE / "qrels.txt"] if has_qrels else []
    ran = irev(*words, *options, *qrels, *runs)
    assert ran.code in (0, 1), ran.err
    lines = [line for line in ran.out.decode().splitlines() if "irev:0." not in line]
    text = re.sub(r"\S*/|\.(run|parquet)\b|all\.parquet\[|\]", "", "\n".join(lines))
    text = re.sub(r"^left out .*", "", text, flags=re.MULTILINE)  # those that name what is left out
    return re.sub(r"  +|--+", " ", text).rstrip()


def _paths(command: str, folder: Path, ending: str) -> list[Path | str]:
    return [folder / f"{name}.{ending}" for name in NAMES[: COMMANDS[command][1]]]


def _columns_option(command: str) -> str:
    return "--table-columns" if command == "leaderboard" else "--columns"


@pytest.mark.in_turn(2)
@pytest.mark.parametrize("command", COMMANDS)
def test_columns_of_other_names(command: str, folder: Path) -> None:
    tables = _paths(command, folder / "tables", "parquet")
    said = _said(command, tables, _columns_option(command), COLUMNS)
    assert said == _said(command, _paths(command, folder / "text", "run"))


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_table_of_several_runs(command: str, folder: Path) -> None:
    table = folder / "all.parquet"
    num_runs = COMMANDS[command][1]
    runs: list[Path | str] = [f"{table}[{name}]" for name in NAMES[:num_runs]]
    said = _said(
        command, [table] if num_runs == 4 else runs, _columns_option(command),
        f"{COLUMNS},run=system",
    )  # fmt: skip
    assert said == _said(command, _paths(command, folder / "text", "run"))


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("command", COMMANDS)
def test_documents_left_out(command: str, folder: Path) -> None:
    said = _said(command, _paths(command, folder / "text", "run"), "--exclude", folder / "out.txt")
    assert said == _said(command, _paths(command, folder / "thin", "run"))


def test_samples_that_look_at_no_ranks_leave_no_documents_out(folder: Path) -> None:
    ran = irev("sample", "--rate", "50%", "--exclude", "own", SAMPLE / "qrels.txt")
    assert ran.code == 2
    assert "--exclude cannot be combined with --by uniform" in ran.err


def test_reduced_runs_and_checks_of_tables(folder: Path, tmp_path: Path) -> None:
    table = tmp_path / "run.csv"
    table.write_text("frage;text;nähe\n1;d0032;2.5\n1;d0206;1.5\n")
    own = "topic=frage,document=text,score=nähe"
    for option, code in (((), "unreadable-line"), (("--columns", own), "not-checked")):
        ran = irev("check", *option, "--format", "csv", table)
        (row,) = csv.DictReader(ran.out.decode().splitlines())
        assert row["code"] == code
    ran = irev("check", "--columns", COLUMNS, folder / "tables" / "bm25.parquet")
    assert ran.code == 0
    assert "13 topics" not in ran.out.decode()
    kept = irev(
        "sample", "--by", "collection", "--rate", "50%", "--columns", COLUMNS,
        SAMPLE / "qrels.txt", folder / "tables" / "bm25.parquet",
    )  # fmt: skip
    as_text = irev(
        "sample", "--by", "collection", "--rate", "50%", SAMPLE / "qrels.txt",
        folder / "text" / "bm25.run",
    )  # fmt: skip
    assert kept.out == as_text.out


def test_one_run_of_a_table_is_no_pattern(folder: Path) -> None:
    one = irev(
        "-m", "map", "--columns", f"{COLUMNS},run=system", SAMPLE / "qrels.txt",
        f"{folder / 'all.parquet'}[bm25]",
    )  # fmt: skip
    assert one.out == b"map                   \tall\t0.3501\n"
