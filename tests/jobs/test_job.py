"""Jobs as functions: what Python sees of them, whichever job it is."""

from __future__ import annotations

import inspect
import json
import shlex
import shutil
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import pandas as pd
import pytest

import irev
from irev.cli.commands import COMMANDS
from irev.core.job import import_attribute, job
from irev.core.option_records import Opt
from irev.core.record import record
from irev.engine.score_runs import score_runs
from irev.errors import InputError, Notice, Problem, UsageError
from irev.jobs.leaderboard.leaderboard import LeaderboardOptions
from irev.jobs.report import ReportOptions
from irev.jobs.result import Result
from irev.jobs.score_job import repeat_command, run_words, score_job
from irev.options import EvaluationOptions, ScoringOptions
from irev.scores.table import ScoreTable
from irev.writers.document import Document, Head, Table, records_of
from tests.command import irev as command
from tests.files import SAMPLE
from tests.pages import page_data

if TYPE_CHECKING:
    from pathlib import Path


# --- Jobs as functions: what Python sees of them, whichever job it is ---


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
        declared: Any = import_attribute(COMMANDS[name].location)
        job = import_attribute(declared.job)
        assert job is getattr(irev, name), name
        assert job.options is declared.record_options[0].record, name


# --- The command that a page names makes that page again, byte for byte ---


RUNS = ("bm25.run", "rm3.run", "dense.run.gz")


def command_of(page: bytes) -> str:
    """What the page says of itself."""
    (part,) = page_data(page.decode())["parts"]
    (command,) = (text for heading, text in part["made"] if heading == "command")
    return str(command)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The sample, with a run whose name a shell would take apart."""
    for name in ("qrels.txt", *RUNS):
        shutil.copy(SAMPLE / name, tmp_path)
    shutil.copy(SAMPLE / "rm3.run", tmp_path / "-it's new.run")
    return tmp_path


@pytest.mark.in_turn(2)
@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("-m", "P.5,10", "-m", "nDCG@10", "-l", "2", "--title", "Ours & theirs", "--places", "2"),
        ("--baseline", "rm3", "--test", "t", "--min-diff", "0.01", "--tail", "greater"),
        ("--map-grades=-1=0,2=1", "--gains", "1=1,2=5", "-m", "nDCG@10", "-c"),
        ("--pool", "depth:20", "--grades", "real", "--judged-only", "-M", "50"),
    ],
)
def test_the_command_of_a_report_repeats_it(folder: Path, arguments: tuple[str, ...]) -> None:
    arguments = tuple(
        "-J" if each == "--judged-only" else each for each in arguments if each != "-c"
    )
    files = [str(folder / name) for name in ("qrels.txt", "-it's new.run", *RUNS)]
    first = command("report", *arguments, *files, cwd=SAMPLE)
    assert first.code == 0, first.err
    shown = command_of(first.out)
    assert str(folder) not in shown
    program, *words = shlex.split(shown)
    assert program == "irev"
    again = command(*words, cwd=folder)
    assert again.out == first.out


def test_the_command_of_a_board_repeats_it() -> None:
    files = [str(SAMPLE / name) for name in ("qrels.txt", *RUNS)]
    arguments = ["-m", "ndcg_cut.10", "-m", "map", "--by", "map", "--public", "50%", "--seed", "4"]
    arguments += ["--only", "public", "--format", "html", "--max-size", "1GiB"]
    first = command("leaderboard", *arguments, *files)
    shown = command_of(first.out)
    assert shown.endswith(" QRELS RUN...")
    assert not any(run in shown for run in RUNS)
    words = shlex.split(shown)[1:-2]
    assert command(*words, *files).out == first.out


def test_hidden_names_are_in_no_command() -> None:
    options = LeaderboardOptions(teams="secret/herons.txt")
    shown = repeat_command("leaderboard", (), options, (), ("QRELS", "RUN..."))
    hidden = repeat_command(
        "leaderboard", (), options, ("--anonymous",), ("QRELS", "RUN..."), hides_files=True
    )
    assert shown == "irev leaderboard --teams herons.txt QRELS RUN..."
    assert hidden == "irev leaderboard --teams FILE --anonymous QRELS RUN..."


def test_what_only_python_can_say_is_called_as_in_the_help() -> None:
    options: Any = ReportOptions(
        topics=["1", "2"], classes={"easy": ["1"]}, bounds={"V": (0, 1)}, columns={"topic": "q"},
        defaults=(("gain", {1: 1, 2: 5}), ("b", 2)), threads=2,
    )  # fmt: skip
    assert repeat_command("report", ("map",), options, (), ("q", "r")) == (
        "irev report -m map --topics FILE --columns topic=q --gains 1=1,2=5 --log-base 2 "
        "--group-by FILE --bounds V=0,1 q r"
    )


def test_many_runs_and_runs_of_one_name_are_not_listed() -> None:
    assert run_words(["a/x.run", "b/y.run", "b/y.run"]) == ["x.run", "y.run"]
    assert run_words(["a/x.run", "b/x.run"]) == ["RUN..."]
    assert run_words([f"{number}.run" for number in range(9)]) == ["RUN..."]
    assert run_words(["", "b.run"]) == ["RUN..."]
