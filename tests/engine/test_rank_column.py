"""The rank column of tables is held against the scores, as that of text is."""

import csv
import json
import warnings
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import irev
from tests.command import irev as run_irev
from tests.files import SAMPLE

QRELS = SAMPLE / "qrels.txt"
LINES = [line.split() for line in (SAMPLE / "bm25.run").read_text(encoding="utf-8").splitlines()]
RISE = "scores rise from rank to rank in 12 of 12 topics"


def columns_of(sign: int, rank: Callable[[int], Any] = int) -> dict[str, list[Any]]:
    """The sample run as columns; with sign -1 its scores contradict its ranks."""
    return {
        "query_id": [row[0] for row in LINES],
        "doc_id": [row[2] for row in LINES],
        "rank": [rank(int(row[3])) for row in LINES],
        "score": [sign * float(row[4]) for row in LINES],
    }


def _delimited(path: Path, columns: dict[str, list[Any]], separator: str) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def _json_lines(path: Path, columns: dict[str, list[Any]]) -> Path:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def _parquet(path: Path, columns: dict[str, list[Any]]) -> Path:
    pyarrow.parquet.write_table(pa.table(columns), path)
    return path


def _feather(path: Path, columns: dict[str, list[Any]]) -> Path:
    pyarrow.feather.write_feather(pa.table(columns), str(path))
    return path


def _folder(path: Path, columns: dict[str, list[Any]]) -> Path:
    path.mkdir()
    for part in (0, 1):
        rows = pa.table(columns).slice(300 * part, 300)
        pyarrow.parquet.write_table(rows, path / f"part-{part}.parquet")
    return path


FORMS: dict[str, Callable[[Path, dict[str, list[Any]]], Any]] = {
    "csv": lambda path, columns: _delimited(path, columns, ","),
    "tsv": lambda path, columns: _delimited(path, columns, "\t"),
    "json lines": _json_lines,
    "parquet": _parquet,
    "feather": _feather,
    "a folder of parquet": _folder,
    "pandas": lambda path, columns: pd.DataFrame(columns),
    "arrow": lambda path, columns: pa.table(columns),
    "polars": lambda path, columns: pytest.importorskip(
        "polars", reason="make test-frameworks brings it"
    ).DataFrame(columns),
}


def warnings_of(run: Any, **options: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        irev.evaluate(QRELS, run, "map", **options)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("form", FORMS)
def test_ranks_of_tables_that_contradict_the_scores(tmp_path: Path, form: str) -> None:
    (warning,) = warnings_of(FORMS[form](tmp_path / "run", columns_of(-1)))
    assert RISE in warning


@pytest.mark.parametrize("form", FORMS)
def test_a_sound_table_is_passed_over(tmp_path: Path, form: str) -> None:
    assert warnings_of(FORMS[form](tmp_path / "run", columns_of(1))) == []


def test_a_column_of_ranks_may_be_called_otherwise() -> None:
    frame = pd.DataFrame(columns_of(-1)).rename(columns={"rank": "platz"})
    assert warnings_of(frame) == []
    (warning,) = warnings_of(frame, columns={"rank": "platz"})
    assert RISE in warning


@pytest.mark.parametrize("rank", [float, lambda rank: None, lambda rank: [rank]])
@pytest.mark.parametrize("form", ["pandas", "parquet", "json lines"])
def test_of_ranks_that_are_no_ids_nothing_is_said(
    tmp_path: Path, form: str, rank: Callable[[int], Any]
) -> None:
    assert warnings_of(FORMS[form](tmp_path / "run", columns_of(-1, rank))) == []


def test_a_table_that_is_ranked_by_its_ranks_has_no_scores_to_hold_against() -> None:
    assert warnings_of(pd.DataFrame(columns_of(-1)), ties="rank") == []


def test_the_command_says_the_same_of_a_table_as_of_text(tmp_path: Path) -> None:
    table = _parquet(tmp_path / "wrong", columns_of(-1))
    text = tmp_path / "text" / "wrong"
    text.parent.mkdir()
    text.write_text(
        "".join(f"{t} {q} {d} {r} -{s} {tag}\n" for t, q, d, r, s, tag in LINES), encoding="utf-8"
    )
    answers = [run_irev("-m", "map", QRELS, path) for path in (table, text)]
    assert RISE in answers[0].err
    assert answers[0].err.replace(str(table), "") == answers[1].err.replace(str(text), "")
    assert run_irev("--strict", "-m", "map", QRELS, table).code == 2


@pytest.mark.parametrize("form", ["csv", "json lines", "parquet", "feather"])
def test_a_signature_is_that_of_the_whole_file(tmp_path: Path, form: str) -> None:
    """The hash does not suffer from a second look at the first rows."""
    path = FORMS[form](tmp_path / "run", columns_of(1))
    document = run_irev("--format", "json", "-m", "map", QRELS, path).out.decode()
    assert sha256(path.read_bytes()).hexdigest() in document


@pytest.mark.parametrize("form", ["csv", "json lines", "parquet"])
def test_check_says_so_too(tmp_path: Path, form: str) -> None:
    ran = run_irev("check", FORMS[form](tmp_path / "run", columns_of(-1)))
    assert f"warning: {RISE}" in ran.out.decode()
    # beside it one on the topics 7 and 007
    assert b"0 errors, 2 warnings" in ran.out
