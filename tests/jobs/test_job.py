"""Jobs as functions: what Python sees of them, whichever job it is."""

import inspect
import json
import warnings
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import pandas as pd
import pytest

import irev
from irev.core.displayed import import_attribute
from irev.core.job import job
from irev.core.option_records import Opt
from irev.core.record import record
from irev.engine.score_runs import score_runs
from irev.errors import InputError, Notice, Problem, UsageError
from irev.jobs.result import Result
from irev.jobs.score_job import score_job
from irev.options import EvaluationOptions, ScoringOptions
from irev.scores.table import ScoreTable
from irev.writers.document import Document, Head, Table, records_of
from tests.command import irev as command
from tests.files import SAMPLE

QRELS, BM25, RM3, DENSE = (
    str(SAMPLE / name) for name in ("qrels.txt", "bm25.run", "rm3.run", "dense.run.gz")
)
NOTICE = Notice("other-ids", "ids look different", "use -c to count them as 0, or --depth 3")


class DepthOptions(EvaluationOptions):
    """Options of a job that is made up."""

    without: ClassVar[Sequence[str]] = ("topics", "seed")

    depth: Annotated[int, Opt("--depth", metavar="N", least=1, help="How deep.")] = 10
    seed: Annotated[int, Opt("--seed", help="Seed of the job.")] = 1


@record
class Depths(Result):
    """The result of a job that is made up."""

    depth: int
    options: EvaluationOptions

    shown_by: ClassVar[str] = f"{__name__}:document"


def document(depths: Depths, decimals: int) -> Document:
    """A table of one cell."""
    rows = [{"depth": depths.depth}]
    table = Table([Head("depth")], [[f"{depths.depth:.{decimals}f}"]])
    return Document("Depth", (each for each in [table]), [records_of("depth", rows)], lambda: rows)


@job(DepthOptions)
def depth_of(qrels: Any, run: Any, measures: object = (), *, options: DepthOptions) -> Depths:
    """Tell the depth.

    Args:
        qrels: judgments.
        run: a run.
        measures: measures.
        options: the record `DepthOptions`, whose fields are keywords, too.

    Returns:
        The depth.
    """
    if options.depth == 7:
        raise UsageError("--depth 7 is no depth: name another with --depth, or --ties rank (-J)")
    if options.depth == 8:
        raise InputError([Problem("x", 1, "bad-score", "wrong", "--decimal comma accepts commas")])
    return Depths(
        options.depth, options.base_record(EvaluationOptions), warnings=(NOTICE, irev_note())
    )


any_job: Any = depth_of


def irev_note() -> Notice:
    """A note, of which Python does not warn."""
    return Notice("divisor", "a note")


def silently(*inputs: Any, **fields: Any) -> Depths:
    """The result, without its warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        actual: Depths = any_job(*inputs, **fields)
    return actual


def test_fields_are_keywords() -> None:
    assert silently({}, {}).depth == 10
    assert silently({}, run={}, depth=3).depth == 3
    assert silently({}, {}, options=DepthOptions(depth=4)).depth == 4
    assert silently({}, {}, options=DepthOptions(depth=4), depth=5).depth == 5
    assert silently({}, {}, (), DepthOptions(depth=4)).depth == 4


def test_options_of_a_class_above() -> None:
    """Those of all evaluations serve every job, but for what it leaves out."""
    actual = silently({}, {}, options=irev.Options(level=3, topics="qrels", seed=9))
    assert (actual.options.level, actual.options.topics, actual.options.seed) == (3, "both", 0)
    actual = silently({}, {}, options=irev.Options(level=3), level=2, seed=5)
    assert (actual.options.level, actual.options.seed) == (2, 0)
    with pytest.raises(UsageError, match="options must be DepthOptions"):
        silently({}, {}, options={"level": 2})


def test_a_signature_has_a_jobs_own_choices() -> None:
    options = DepthOptions(depth=4, level=2, seed=3)
    assert options.values_by_name() == {"depth": 4, "seed": 3}
    assert options.base_record(irev.Options) == irev.Options(level=2)


def test_wrong_keywords() -> None:
    for wrong, message in (
        ("grades", "write real_grades=..."),
        ("dpeth", "did you mean 'depth'"),
        ("topics", "irev.depth_of has no option 'topics'"),
        ("metrics", "write measures='map ndcg@10'"),
        ("duplicate", "did you mean 'duplicates'"),
    ):
        with pytest.raises(TypeError) as raised:
            any_job({}, {}, **{wrong: 1})
        assert message in str(raised.value)


def test_warnings_are_of_the_line_that_called() -> None:
    with pytest.warns(irev.IrevWarning) as caught:
        depth_of({}, {})
    (warning,) = caught
    assert warning.filename == __file__
    assert str(warning.message).endswith("count them as 0, or depth=3")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        depth_of.run({}, {}, options=DepthOptions())


def test_errors_speak_of_keywords() -> None:
    with pytest.raises(UsageError) as raised:
        depth_of({}, {}, depth=7)
    message = 'depth=7 is no depth: name another with depth, or ties="rank" (judged_only)'
    assert str(raised.value) == message
    with pytest.raises(UsageError, match="--depth 7"):
        depth_of.run({}, {}, options=DepthOptions(depth=7))
    with pytest.raises(InputError) as wrong:
        depth_of({}, {}, depth=8)
    assert str(wrong.value) == "x:1: wrong\n  hint: decimal_comma=True accepts commas"


def test_help_lists_the_keywords() -> None:
    described: Any = depth_of
    described.describe()
    parameters = inspect.signature(depth_of).parameters
    assert [*parameters][:5] == ["qrels", "run", "measures", "depth", "seed"]
    assert "topics" not in parameters
    assert parameters["level"].default == 1
    text = " ".join((depth_of.__doc__ or "").split())
    assert "depth: How deep. Default: 10." in text
    assert "level, collection_size, max_retrieved" in text
    assert text.endswith("Returns: The depth.")


def test_a_result_shows_itself() -> None:
    actual = silently({}, {}, depth=3)
    assert repr(actual) == "<Depths>"
    assert str(actual) == actual.text("table") == str(actual)
    assert actual.text(decimals=1).endswith("3.0")
    assert actual.to_dict() == json.loads(actual.text("json")) == [{"depth": 3}]
    assert actual.to_frame()["depth"].tolist() == [3]
    assert list(actual.to_frames()) == ["depth"]
    assert "<table>" in actual._repr_html_()
    assert actual.passed
    with pytest.raises(UsageError, match="Depths has no figure 'x': there is none"):
        actual.plot("x")


class MeanOptions(ScoringOptions):
    """Options of a job on scores that is made up."""

    factor: Annotated[float, Opt("--factor", help="What means are multiplied by.")] = 1.0


@record
class Means(Result):
    """The means of runs."""

    means: dict[str, float]


@score_job(MeanOptions)
def means_of(table: ScoreTable, options: MeanOptions) -> Means:
    """Tell the means under the first measure.

    Args:
        table: the scores.
        options: the record `MeanOptions`, whose fields are keywords, too.
    """
    means = table.scores(table.measure_names[0]).mean(axis=0) * options.factor
    by_run = dict(zip(table.run_names, means.tolist(), strict=True))
    return Means(by_run, warnings=table.warnings)


def test_a_job_on_scores_takes_judgments_and_runs_or_a_table() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    runs = {"one": {"1": {"a": 1.0}}, "two": {"1": {"a": 1.0}, "2": {"x": 2.0, "a": 1.0}}}
    with pytest.warns(irev.IrevWarning, match="one lacks 1 of 2 judged topics"):
        assert means_of(qrels, runs).means == {"one": 0.5, "two": 0.75}
    table = score_runs(qrels, runs, "P@1 map")
    with pytest.warns(irev.IrevWarning, match="one lacks 1 of 2 judged topics"):
        assert means_of(table, factor=2.0).means == {"one": 1.0, "two": 1.0}
    with pytest.raises(UsageError, match='topics="run": runs are compared on the same topics'):
        means_of(qrels, runs, topics="run")
    described: Any = means_of
    described.describe()
    assert [*inspect.signature(means_of).parameters][:4] == [
        "qrels_or_table", "runs", "measures", "factor",
    ]  # fmt: skip
    assert "runs: runs and files of saved scores" in (means_of.__doc__ or "")


# Every job


CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any], tuple[str, ...]]] = {
    "explain": (
        (QRELS, BM25, "P@10,map"),
        {"level": 2},
        ("-m", "P@10,map", "-l", "2", QRELS, BM25),
    ),
    "check": ((QRELS, RM3), {"max_findings": 2}, ("--max-findings", "2", QRELS, RM3)),
    "leaderboard": (
        (QRELS, [BM25, RM3], "P@5,map"),
        {"test": "permutation", "resamples": 200},
        ("-m", "P@5,map", "--test", "permutation", "--resamples", "200", QRELS, BM25, RM3),
    ),
    "gate": (
        (QRELS, DENSE),
        {"min": {"map": 0.4, "P@5": 0.9}, "baseline": BM25, "max_missing": 0},
        ("--min", "map=0.4", "--min", "P@5=0.9", "--baseline", BM25, "--max-missing", "0",
         QRELS, DENSE),
    ),
    "compare": (
        (QRELS, [BM25, DENSE, RM3], "P.10 map"),
        {"tests": ["t", "permutation"], "baselines": ["bm25"], "margin": 0.1, "risk": [1],
         "alpha": 0.1, "names": "tag"},
        ("-m", "P.10,map", "--test", "t", "--test", "permutation", "--baseline", "bm25",
         "--margin", ".1", "--risk", "1", "--alpha", ".1", "--names", "tag",
         QRELS, BM25, DENSE, RM3),
    ),
}  # fmt: skip
"""Job -> inputs and keywords in Python, arguments of the command line."""


@pytest.mark.parametrize("name", CALLS)
def test_function_and_command_say_the_same(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    inputs, keywords, arguments = CALLS[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = getattr(irev, name)(*inputs, **keywords)
    assert capfd.readouterr() == ("", "")
    ran = command(name, "--format", "json", *arguments)
    assert result.text("json") == ran.out.decode().rstrip("\n")
    assert result.exit_code == ran.code
    assert result.passed == (ran.code == 0)
    lines = [f"irev: {'note' if n.is_note else 'warning'}: {n}" for n in result.warnings]
    assert ran.err.splitlines() == lines
    assert len(caught) == sum(not notice.is_note for notice in result.warnings)
    printed = command(name, *arguments).out.decode().rstrip("\n")
    assert result.text(width=None if result.document.brief is None else 80) == printed
    assert "<table>" in result._repr_html_()
    first, *_ = result.to_frames().values()
    assert len(first)
    if name != "compare":  # whose rows of pairs have no signature as a frame
        pd.testing.assert_frame_equal(result.to_frame(), first)


def test_the_command_has_the_options_of_the_function() -> None:
    for name in CALLS:
        declared: Any = import_attribute(f"irev.cli.{name}:command")
        job = import_attribute(declared.job)
        assert job is getattr(irev, name), name
        assert job.options is declared.record_options[0].record, name
