"""Studies as functions: each gives what its command prints, says the same and takes a table."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import pytest

import irev
from irev.cli.study import STUDIES
from irev.core.job import import_attribute
from irev.engine.score_runs import score_runs
from irev.errors import UsageError
from irev.jobs.result import StudyResult
from irev.jobs.studies.reproduction import ROLES
from irev.options import ScoringOptions
from tests.command import irev as command
from tests.files import SAMPLE

QRELS, BM25, RM3, DENSE = (
    str(SAMPLE / name) for name in ("qrels.txt", "bm25.run", "rm3.run", "dense.run.gz")
)
AUTO, LLM, LATE = (
    str(SAMPLE / "predicted" / name) for name in ("auto.qrels", "llm.run", "late.run")
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
    "discriminative_power": (
        (QRELS, RUNS, "AP Q"),
        {"gains": ["3:2:1", "exp"], "alphas": [0.1], "swap": True, "trials": 20, "resamples": 50,
         "against": "Q", "concordance": ["RR"]},
        ("-m", "AP", "-m", "Q", "--gains", "3:2:1", "--gains", "exp", "--alpha", "0.1", "--swap",
         "--trials", "20", "-B", "50", "--against", "Q", "--concordance", "RR", QRELS, *RUNS),
    ),
    "enumerate": (
        ("AP genAP",),
        {"present": [2, 1], "ranks": 3, "picked": ["210", [0, 1, 2]]},
        ("-m", "AP,genAP", "--grades-present", "2,1", "--ranks", "3", "--pick", "210 012"),
    ),
    "judgment_noise": (
        (QRELS, BM25, "AP"),
        {"theta": 0.9, "trials": 5},
        ("--theta", "0.9", "--trials", "5", QRELS, BM25),
    ),
    "sensitivity": (
        (None, None, "AP"),
        {"ranking_grades": [2, 0, -1, 1], "present": [2, 1, 1], "grade": 2},
        ("-m", "AP", "--ranking", "2,0,-,1", "--grades-present", "2,1,1", "--grade", "2"),
    ),
    "agreement": (
        (QRELS, QRELS, RUNS),
        {"correction": "none"},
        ("--correction", "none", QRELS, QRELS, *RUNS),
    ),
    "design": ((QRELS, RUNS), {"difference": 0.2}, ("--difference", "0.2", QRELS, *RUNS)),
    "overlap": ((BM25, RM3), {"ties": "w"}, ("--ties", "w", BM25, RM3)),
    "preference": (
        (QRELS, RUNS),
        {"preferences": ["rpp", "lexirecall"], "test": "t"},
        ("-m", "rpp", "-m", "lexirecall", "--test", "t", QRELS, *RUNS),
    ),
    "reproduction": (
        (QRELS, "map"),
        dict(zip(ROLES, (BM25, RM3, DENSE, RM3), strict=True)) | {"resamples": 20},
        ("-m", "map", "--baseline", BM25, "--advanced", RM3, "--new-baseline", DENSE,
         "--new-advanced", RM3, "--resamples", "20", QRELS),
    ),
    "robustness": (
        (QRELS, RUNS, "infAP AP"),
        {"rates": [10, 50], "repeat": 2, "imperfect": [50], "collections": [(AUTO, [LLM, LATE])]},
        ("-m", "infAP", "-m", "AP", "--rates", "10,50", "--repeat", "2", "--imperfect", "50%",
         "--collection", f"{AUTO} {LLM} {LATE}", QRELS, *RUNS),
    ),
    "topic_difficulty": (
        (QRELS, RUNS, "P@5"), {"standardise": "z"}, ("--standardise=z", "-m", "P@5", QRELS, *RUNS),
    ),
}  # fmt: skip
"""Study -> inputs and keywords in Python, arguments of the command line."""

OF_A_TABLE = {
    "correlation": "map P@5",
    "design": "map",
    "discriminative_power": "map P@5",
    "topic_difficulty": "map P@5",
}
"""Studies of a table of scores, with measures."""

COMMANDS = {"topic_difficulty": "topics"}
"""Study -> its command, where that is not of its name."""


def kind_of(name: str) -> str:
    """The command of a study."""
    return COMMANDS.get(name, name.replace("_", "-"))


def call(name: str, *inputs: Any, **keywords: Any) -> tuple[StudyResult, list[str]]:
    """The result, and the warnings of Python."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result: StudyResult = getattr(irev.studies, name)(*inputs, **keywords)
    return result, [str(each.message) for each in caught]


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("name", CALLS)
def test_function_and_command_say_the_same(name: str) -> None:
    inputs, keywords, arguments = CALLS[name]
    result, caught = call(name, *inputs, **keywords)
    ran = command("study", kind_of(name), "--format", "json", *arguments)
    assert result.text("json") == ran.out.decode().rstrip("\n")
    assert result.exit_code == ran.code
    lines = [f"irev: {'note' if n.is_note else 'warning'}: {n}" for n in result.warnings]
    assert ran.err.splitlines() == lines
    assert len(caught) == sum(not notice.is_note for notice in result.warnings)
    assert list(result.to_frames())[: len(result.shown)] == list(result.shown)


def test_the_text_is_what_the_command_prints() -> None:
    inputs, keywords, arguments = CALLS["overlap"]
    result, _ = call("overlap", *inputs, **keywords)
    printed = command("study", "overlap", *arguments).out.decode()
    assert result.text(width=None) == printed.rstrip("\n")
    assert "<table>" in result._repr_html_()


def test_the_command_has_the_options_of_the_function() -> None:
    for name in CALLS:
        declared: Any = import_attribute(STUDIES[kind_of(name)].location)
        job = import_attribute(declared.job)
        assert job is getattr(irev.studies, name), name
        assert job.options is declared.record_options[0].record, name
        assert job.options.__name__ in str(inspect.signature(job)), name


@pytest.mark.parametrize("name", OF_A_TABLE)
def test_a_table_gives_what_judgments_and_runs_give(name: str) -> None:
    table = score_runs(QRELS, RUNS, OF_A_TABLE[name], ScoringOptions())
    result, _ = call(name, table)
    other, _ = call(name, QRELS, RUNS, OF_A_TABLE[name])
    assert {n: frame.to_dict() for n, frame in result.tables.items()} == {
        n: frame.to_dict() for n, frame in other.tables.items()
    }
    assert result.warnings == other.warnings


def test_studies_of_what_is_in_memory() -> None:
    ranked = {
        name: {str(t): {d: float((p * i) % 7) for i, d in enumerate("abcdef")} for t in range(5)}
        for p, name in enumerate(("one", "two", "three", "four"), 2)
    }
    qrels = {str(t): {d: (t * i + 1) % 3 % 2 for i, d in enumerate("abcdef")} for t in range(5)}
    result = irev.studies.reproduction(
        qrels, "map", resamples=10, baseline=ranked["one"], advanced=ranked["two"],
        new_baseline=ranked["three"], new_advanced=ranked["four"],
    )  # fmt: skip
    assert result.parameters["runs"]["baseline"] == "(in memory)"
    assert list(result.to_frames())[:2] == ["effects", "closeness"]
    assert "agreement" in irev.studies.agreement(qrels, qrels).to_frames()
    assert irev.studies.agreement(qrels, qrels, ranked, "map").tables["favour"].shape[0] == 4
    result = irev.studies.correlation(qrels, ranked, ["map", "P@3"], by="map", top=2)
    assert result.tables["means"].shape == (2, 3)
    assert irev.studies.design(variance=0.1, num_runs=3).tables["topics"]["runs"].tolist() == [3]
    assert (
        irev.studies.overlap(ranked["one"], ranked["two"], persistence=0.5).parameters["p"] == 0.5
    )
    with pytest.raises(irev.UsageError, match="new_advanced is missing"):
        irev.studies.reproduction(qrels, baseline=1, advanced=2, new_baseline=3)
    with pytest.raises(irev.UsageError, match="variance stands in place of files"):
        irev.studies.design(qrels, ranked, variance=0.1)


def test_numbers_are_numbers() -> None:
    studies = irev.studies
    ranking = studies.sensitivity(ranking_grades=[1, 0, 0, 1], relevant=4, grade=1.5).parameters
    assert (ranking["ranking"], len(ranking["judged"]), ranking["grade"]) == ([1, 0, 0, 1], 6, 1.5)
    table = studies.sensitivity(undiscovered=9, relevant=[2, 4], scores=[0.2]).tables["change"]
    assert list(table["R"]) == [2, 4]
    assert studies.judgment_noise(theta=0.9, trials=3).parameters["theta"] == 0.9
    assert studies.judgment_noise([QRELS, QRELS], BM25).name == "judgment-noise"
    with pytest.raises(UsageError, match="theta must be a number, not"):
        studies.judgment_noise(QRELS, BM25, theta="0.9")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="topic cannot be combined with a made ranking"):
        studies.sensitivity(ranking_grades=[1], topic="3")
