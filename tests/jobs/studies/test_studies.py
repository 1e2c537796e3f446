"""Studies as functions: each gives what its command prints, says the same and takes a table."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import pytest

import irev
from irev.cli.study import STUDIES
from irev.core.displayed import located
from irev.engine.score_runs import score_runs
from irev.jobs.study_result import StudyResult
from irev.options import ScoringOptions
from tests.command import irev as command
from tests.files import SAMPLE

QRELS, BM25, RM3, DENSE = (
    str(SAMPLE / name) for name in ("qrels.txt", "bm25.run", "rm3.run", "dense.run.gz")
)
RUNS = [BM25, RM3, DENSE]

CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any], tuple[str, ...]]] = {
    "correlation": (
        (QRELS, RUNS, "map P@5"),
        {"resamples": 20, "top": 2, "alpha": 0.1},
        (
            "-m",
            "map",
            "-m",
            "P@5",
            "--resamples",
            "20",
            "--top",
            "2",
            "--alpha",
            ".1",
            QRELS,
            *RUNS,
        ),
    ),
}
"""Study -> inputs and keywords in Python, arguments of the command line."""

OF_A_TABLE = {"correlation": "map P@5"}
"""Studies of a table of scores, with measures."""


def call(name: str, *inputs: Any, **keywords: Any) -> tuple[StudyResult, list[str]]:
    """The result, and the warnings of Python."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result: StudyResult = getattr(irev.studies, name)(*inputs, **keywords)
    return result, [str(each.message) for each in caught]


@pytest.mark.parametrize("name", CALLS)
def test_function_and_command_say_the_same(name: str) -> None:
    inputs, keywords, arguments = CALLS[name]
    result, caught = call(name, *inputs, **keywords)
    ran = command("study", name.replace("_", "-"), "--format", "json", *arguments)
    assert result.text("json") == ran.out.decode().rstrip("\n")
    assert result.exit_code == ran.code
    lines = [f"irev: {'note' if n.is_note else 'warning'}: {n}" for n in result.warnings]
    assert ran.err.splitlines() == lines
    assert len(caught) == sum(not notice.is_note for notice in result.warnings)
    assert list(result.to_frames())[: len(result.shown)] == list(result.shown)


@pytest.mark.parametrize("name", CALLS)
def test_the_command_has_the_options_of_the_function(name: str) -> None:
    declared: Any = located(STUDIES[name.replace("_", "-")].place)
    job = located(declared.job)
    assert job is getattr(irev.studies, name)
    assert job.options is declared.taken[0].record
    assert job.options.__name__ in str(inspect.signature(job))


@pytest.mark.parametrize("name", OF_A_TABLE)
def test_a_table_gives_what_judgments_and_runs_give(name: str) -> None:
    table = score_runs(QRELS, RUNS, OF_A_TABLE[name], ScoringOptions())
    result, _ = call(name, table)
    other, _ = call(name, QRELS, RUNS, OF_A_TABLE[name])
    assert {n: frame.to_dict() for n, frame in result.tables.items()} == {
        n: frame.to_dict() for n, frame in other.tables.items()
    }
    assert result.warnings == other.warnings


def test_wrong_keywords_bring_the_right_ones() -> None:
    with pytest.raises(TypeError) as raised:
        irev.studies.correlation(QRELS, RUNS, resample=3)  # type: ignore[call-arg]
    said = "irev.studies.correlation has no option 'resample'; did you mean 'resamples'?"
    assert str(raised.value) == said
    with pytest.raises(AttributeError, match=r"'irev.studies' has no attribute 'corelation'"):
        irev.studies.corelation  # noqa: B018
