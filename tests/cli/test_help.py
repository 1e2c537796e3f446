"""Two pages of help for each command: one that fits a screen, one with everything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from irev.cli.commands import COMMANDS, SCREEN, HelpedCommand, Kinds, irev
from irev.cli.evaluate import command as evaluation
from irev.cli.options import arrange
from irev.measures.plugins import forget_measure
from tests.command import irev as run
from tests.each import for_each
from tests.files import ROOT

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


OF_ONE_SUBJECT = {
    "eval": {
        "--sample", "--seed",  # sampling.md
        "--grades", "--map-grades",  # labels.md
        "--predicted", "-R",  # other judgments: predicted-judgments.md, answers.md, tracks.md
        "--exclude", "--no-rel",  # what a track leaves out
        "-M",  # trec_eval's scripts
    },
    "compare": {"-R", "--bounds"},
    "leaderboard": {"-R", "--bounds", "--exclude", "--layout"},
    "gate": {"-R", "--duplicates", "--passages"},  # a pipeline's passages: frameworks.md
    "study agreement": {"-R"},
}  # fmt: skip
"""What a guide on one kind of judgments says, and the short help has no room for."""

_CALL = re.compile(r"(?:^|[|(]|&&|\s)\s*irev ((?:'[^']*'|\"[^\"]*\"|[^'\"|;&>#<`])+)")


def _calls_of_guides() -> Iterator[list[str]]:
    """The words of the calls in blocks and between back quotes."""
    for page in [*ROOT.glob("docs/*.md"), *ROOT.glob("README.md")]:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for block in re.finditer(r"^```\w*\n(.*?)^```$|`(irev [^`]+)`", text, re.M | re.S):
            for line in (block[1] or block[2]).splitlines():
                yield from (call[1].split() for call in _CALL.finditer(line))


def test_the_short_help_explains_what_the_guides_use() -> None:
    used: dict[str, set[str]] = {}
    shown: dict[str, set[str]] = {}
    context = click.Context(irev)
    num_calls = 0
    for words in _calls_of_guides():
        names = [word for word in words if word in COMMANDS][:1] or ["eval"]
        command = irev.get_command(context, names[0])
        if isinstance(command, Kinds):
            names += [word for word in words if word in command.kinds][:1]
            command = command.get_command(context, names[-1])
        if not isinstance(command, HelpedCommand):
            continue
        num_calls += 1
        spellings = {name: p for p in command.params for name in (*p.opts, *p.secondary_opts)}
        explained = [p for p in command.params if getattr(p, "in_short_help", False)]
        shown[" ".join(names)] = {p.opts[0] for p in explained}
        for word in arrange([w.strip("'") for w in words], command.params).options:
            option = spellings.get(word.partition("=")[0])
            if option is not None and option.opts[0] not in ("-h", "--help", "--help-all"):
                used.setdefault(" ".join(names), set()).add(option.opts[0])

    assert num_calls > 100
    lacking = {name: options - shown[name] for name, options in used.items()}
    assert {name: options for name, options in lacking.items() if options} == OF_ONE_SUBJECT


@pytest.mark.parametrize(
    ("line", "page"),
    [
        ("help", "-h"),
        ("help compare", "compare -h"),
        ("help study", "study -h"),
        ("help study design", "study design -h"),
        ("study help design", "study design -h"),
    ],
)
def test_help_is_a_word_too(line: str, page: str) -> None:
    assert _help(*line.split()) == _help(*page.split())


def test_help_of_a_word_that_is_no_command(tmp_path: Path) -> None:
    """A file that is called so is a file."""
    assert "did you mean 'compare'?" in run("help", "comprae").err
    assert run("version").err == run("--version").err != ""
    (tmp_path / "help").write_text("1 0 d1 1\n")
    assert run("-m", "P.1", "help", "help", cwd=tmp_path).code == 2
    assert "help:1: " in run("-m", "P.1", "help", "help", cwd=tmp_path).err


@for_each(
    ("line", "meant"),
    [
        ("compare --test ttest", "t"),
        ("compare --test permutations", "permutation"),
        ("compare --test t --test randomization", "permutation"),
        ("compare --correction fdr", "bh"),
        ("compare --correction BH", "bh"),
        ("gate --correction bonf", "bonferroni"),
        ("--format md", "markdown"),
        ("--format excel", "csv"),
        ("--ties docid", "docid-desc"),
        ("-T trec", "trec_results"),
        ("study correlation --test tukey", "hsd"),
    ],
)
def test_the_word_that_is_meant(line: str, meant: str) -> None:
    """Behind all words that there are."""
    ran = run(*line.split(), "q", "r", "s")

    assert ran.code == 2
    assert f"; did you mean '{meant}'?" in ran.err
