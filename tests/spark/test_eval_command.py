"""What `irev eval --engine spark` prints, with runs that are scored here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from irev.engine.evaluate import RunEvaluator
from irev.spark import evaluation
from irev.spark.evaluation import SparkRun, runs_at
from tests.command import irev
from tests.files import SAMPLE

QRELS, RUNS = str(SAMPLE / "qrels.txt"), [str(SAMPLE / "bm25.run"), str(SAMPLE / "rm3.run")]


class LocalEvaluator(RunEvaluator):
    """Scores the runs of a cluster in this process."""

    def outcomes(self, runs: Sequence[Any], names: Sequence[str] = ()) -> Iterator[Any]:
        """As Spark gives them, by their paths."""
        assert not names
        yield from super().outcomes([run.path for run in runs])


@pytest.fixture(autouse=True)
def _cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    def texts_at(paths: Sequence[str]) -> list[SparkRun]:
        return [SparkRun(path, path, "text") for path in paths]

    monkeypatch.setattr(evaluation, "runs_at", texts_at)
    monkeypatch.setattr(evaluation, "SparkEvaluator", LocalEvaluator)


@pytest.mark.parametrize(
    ("path", "names", "runs"),
    [
        ("s3://b/a.run", ["a.run"], [("s3://b/a.run", "s3://b/a.run", "text")]),
        ("s3://b", ["a.run"], [("s3://b/a.run", "s3://b/a.run", "text")]),
        ("s3://b/", ["c.run", "a.run"], [
            ("s3://b/a.run", "s3://b/a.run", "text"), ("s3://b/c.run", "s3://b/c.run", "text"),
        ]),
        ("s3://b", ["part-0", "part-1"], [("s3://b", "s3://b", "parts")]),
    ],
)  # fmt: skip
def test_a_run_is_a_file_or_a_folder_of_parts(
    path: str, names: list[str], runs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is called as it was given, one in a folder by both names."""
    monkeypatch.setattr(evaluation, "session", lambda: None)
    monkeypatch.setattr(evaluation, "_files_at", lambda _, __: [f"s3://b/{name}" for name in names])
    assert [tuple(run[:3]) for run in runs_at([path])] == runs


@pytest.mark.parametrize("runs", [RUNS[:1], RUNS])
@pytest.mark.parametrize(
    "options", [(), ("-q",), ("--format", "json"), ("--format", "table", "--sort", "map")]
)
def test_spark_prints_what_this_machine_does(options: Sequence[str], runs: Sequence[str]) -> None:
    here = irev("-m", "map", *options, QRELS, *runs)
    there = irev("--engine", "spark", "-m", "map", *options, QRELS, *runs)
    assert there.out == here.out
    assert there.code == here.code == 0


def test_runs_of_a_table_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """There may be one run in it, which is named all the same."""

    def tables_at(paths: Sequence[str]) -> list[SparkRun]:
        return [SparkRun(path, path, "parquet", run_column="run") for path in paths]

    monkeypatch.setattr(evaluation, "runs_at", tables_at)
    assert irev("--engine", "spark", "-m", "map", QRELS, RUNS[0]).out.startswith(b"# ")
