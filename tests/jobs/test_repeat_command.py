"""The command that a page names makes that page again, byte for byte."""

from __future__ import annotations

import shlex
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from irev.jobs.leaderboard.leaderboard import LeaderboardOptions
from irev.jobs.report import ReportOptions
from irev.jobs.score_job import repeat_command, run_words
from tests.command import irev
from tests.files import SAMPLE
from tests.pages import page_data

if TYPE_CHECKING:
    from pathlib import Path

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
    first = irev("report", *arguments, *files, cwd=SAMPLE)
    assert first.code == 0, first.err
    command = command_of(first.out)
    assert str(folder) not in command
    program, *words = shlex.split(command)
    assert program == "irev"
    again = irev(*words, cwd=folder)
    assert again.out == first.out


def test_the_command_of_a_board_repeats_it() -> None:
    files = [str(SAMPLE / name) for name in ("qrels.txt", *RUNS)]
    arguments = ["-m", "ndcg_cut.10", "-m", "map", "--by", "map", "--public", "50%", "--seed", "4"]
    arguments += ["--only", "public", "--format", "html", "--max-size", "1GiB"]
    first = irev("leaderboard", *arguments, *files)
    command = command_of(first.out)
    assert command.endswith(" QRELS RUN...")
    assert not any(run in command for run in RUNS)
    words = shlex.split(command)[1:-2]
    assert irev(*words, *files).out == first.out


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
