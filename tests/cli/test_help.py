"""Two pages of help for each command: one that fits a screen, one with everything."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from irev.cli.commands import COMMANDS, SCREEN, HelpedCommand, Kinds, irev
from irev.cli.evaluate import command as evaluation
from irev.measures.plugins import forget_measure
from tests.command import irev as run

WIDTH = {"COLUMNS": "80"}


def _commands_with_help() -> list[str]:
    """Every command and every kind, as it is called."""
    items = []
    for name in COMMANDS:
        command = irev.get_command(click.Context(irev), name)
        kinds = command.list_commands(click.Context(command)) if isinstance(command, Kinds) else ()
        items += [name, *(f"{name} {kind}" for kind in kinds)]
    return items


def _help(*words: str) -> str:
    done = run(*words, environment=WIDTH)
    assert (done.code, done.err) == (0, "")
    return done.out.decode()


@pytest.mark.parametrize("called", _commands_with_help())
def test_the_short_page_fits_a_screen_and_every_option_stands_on_the_long_one(called: str) -> None:
    """A screen of 80 columns, the prompt included; an option has there at least its first name."""
    short, full = _help(*called.split(), "-h"), _help(*called.split(), "--help-all")

    assert short.count("\n") <= SCREEN
    assert all(len(line) <= 80 for line in short.splitlines())
    assert short == _help(*called.split(), "--help")
    assert short.startswith("Usage: irev ")
    command: click.Command | None = irev
    for word in called.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    if not isinstance(command, HelpedCommand):
        return
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help
            assert set(option.opts) <= set(re.split(r"[\s,/]+", full))
            assert option.opts[0] in re.split(r"[\s,/]+", short)


@pytest.mark.parametrize(
    "line", ["-h", "--help", "--he", "-qh", "eval -h", "eval --help", "-h q r"]
)
def test_the_first_page_has_the_commands_and_an_example(line: str) -> None:
    """However it is asked for."""
    page = _help(*line.split())

    assert page.startswith("Usage: irev [eval] [OPTIONS] QRELS RUN...")
    assert all(f"  {name}  " in page for name in COMMANDS)
    assert "Example: irev " in page
    # nothing had to give way to commands and options
    assert "Files may be compressed" in page
    assert " more: -h -v " in page


def test_commands_for_one_purpose_are_neighbours() -> None:
    """So that the help names each purpose once."""
    purposes = [entry.purpose for entry in COMMANDS.values()]

    assert len([p for p, q in zip(purposes, ["", *purposes], strict=False) if p != q]) == len(
        set(purposes)
    )


def test_help_comes_after_all_options() -> None:
    """What is wrong beside it is an error."""
    assert run("-h", "-x").code == 2
    assert run("-h", "-m", "nosuch").code == 2


def test_help_describes_the_measures_and_formats_that_are_named() -> None:
    """And the long page the formats that are read by default."""
    assert "trec_results: a line" not in _help("-h")
    everything = _help("--help-all")
    assert "trec_results: a line" in everything
    assert "format qrels: a line" in everything
    text = _help("-h", "-m", "map", "-m", "P.3", "-R", "prefs", "-T", "nosuch")
    assert "format prefs" in text
    assert "trec_results: a line" not in text
    below = text.rpartition("-" * 23)[2]
    assert below.index("\nmap") < below.index("\nP")
    assert "recip_rank" not in below
    every_measure = _help("-h", "-m", "all_trec")
    assert all(f"\n{name}" in every_measure for name in ("recip_rank", "unj", "set_F"))


def test_the_usage_of_eval_names_no_option_twice() -> None:
    """The line of further options has those that the list above has not."""
    page = _help("-h")
    listed, others = page.split("--help-all explains")
    names = re.findall(r"^  (--?[\w-]+)", listed.partition("Options:")[2], flags=re.MULTILINE)
    named = others.partition(":")[2].partition("Example")[0].split()

    # --help-all is named by the sentence itself
    assert sorted([*names, *named, "--help-all"]) == sorted(
        p.opts[0] for p in evaluation.params if isinstance(p, click.Option)
    )


def test_a_measure_of_ones_own_has_help_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import irev\n\n@irev.topic_measure('NumSeen')\ndef seen(grades, ideal):\n"
        "    '''How many were seen.'''\n    return len(grades)\n"
    )
    try:
        assert "How many were seen." in _help("-h", "--plugin", str(path), "-m", "NumSeen")
    finally:
        forget_measure("NumSeen")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("report", "the first documents of two runs side by side"),
        ("pool", "how much each run depends on its own contributions"),
    ],
)
def test_the_short_page_has_room_for_what_a_command_does(command: str, said: str) -> None:
    """Its paragraphs are left out where options take their place."""
    assert said in " ".join(_help(command, "-h").split())
