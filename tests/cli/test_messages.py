"""What is said on stderr: a line each, and where more can be read."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from irev.cli.commands import COMMANDS, Job
from irev.cli.plot import command as plot
from irev.cli.study import command as study
from irev.core.job import import_attribute
from tests.command import irev

RUN = "q1 Q0 d1 1 1 a\n"
ODD = "a\nb\x1b[31m"
ODD_NUMBERS = ("1_0", "0x1", "\u0663", " 1", "nan", "inf", "1e999")


@pytest.mark.parametrize(
    "arguments",
    [
        [ODD, "run"],
        ["qrels", ODD],
        ["compare", "qrels", "run", ODD],
        ["check", f"no{ODD}"],
        ["gate", "qrels", ODD, "--min", "map=0"],
        ["leaderboard", "-m", "map", "qrels", "run", ODD],
        ["-m", ODD, "qrels", "run"],
    ],
)
def test_no_name_breaks_a_line(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "run").write_text(RUN)
    (tmp_path / ODD).write_text("one two three\n")
    ran = irev(*arguments, cwd=tmp_path)
    assert "a\\nb\\x1b[31m" in ran.err
    assert "\x1b" not in ran.err
    assert not any(line.startswith("b") for line in ran.err.splitlines())


def test_where_help_is() -> None:
    for arguments, message in [
        (["-x"], "irev eval --help"),
        (["eval", "-x"], "irev eval --help"),
        (["qrels", "run", "-m"], "irev eval --help"),
        (["nothing"], "irev --help"),
        (["compare", "-x"], "irev compare --help"),
        (["leaderboard", "--format"], "irev leaderboard --help"),
        (["study", "nothing"], "irev study --help"),
        (["study", "overlap", "-x"], "irev study overlap --help"),
        (["plot", "scatter"], "irev plot scatter --help"),
    ]:
        ran = irev(*arguments)
        assert ran.code == 2, arguments
        assert ran.err.splitlines()[-1] == f"Try '{message}'.", arguments


@pytest.mark.parametrize("command", ["study", "plot"])
def test_a_kind_is_wanted(command: str) -> None:
    ran = irev(command)
    assert ran.code == 2
    assert ran.err.startswith(f"Usage: irev {command} KIND")
    assert "choose one of " in ran.err


def test_only_the_first_help_lists_the_commands() -> None:
    assert b"\nCommands:\n" in irev("-h").out
    assert b"\nCommands:\n" not in irev("compare", "-h").out
    # what is scored where no measure is named
    assert b"Default: map; for saved" in b" ".join(irev("compare", "--help-all").out.split())


@pytest.mark.parametrize("command", [[], ["eval"], ["compare"], ["gate"]])
@pytest.mark.parametrize("form", ["json", "csv"])
def test_a_form_is_no_option(command: list[str], form: str) -> None:
    """`--csv` is no abbreviation of `--csv-safe`, either."""
    ran = irev(*command, "-m", "map", f"--{form}", "qrels", "run")
    assert (ran.out, ran.code) == (b"", 2)
    assert f"irev: error: no such option '--{form}': write --format {form}\n" in ran.err


@pytest.mark.parametrize(
    ("command", "word", "kind"),
    [
        ("plot", "pr", "recall-precision"),
        ("plot", "BoxPlot", "distribution"),
        ("plot", "recall", "recall-precision"),
        ("study", "sig", "discriminative-power"),
        ("study", "kendal", "correlation"),
        ("study", "rbo", "overlap"),
    ],
)
def test_a_kind_by_what_others_call_it(command: str, word: str, kind: str) -> None:
    ran = irev(command, word, "qrels", "run")
    assert ran.code == 2
    assert f"irev {command} has no kind '{word}'; did you mean '{kind}'?" in ran.err


def test_words_lead_to_one_command_or_kind() -> None:
    for entries in (COMMANDS, study.kinds, plot.kinds):
        words = [word for entry in entries.values() for word in entry.words.split()]
        assert len(words) == len(set(words)), "each leads to one kind"
        assert not set(words) & set(entries)


def test_habits_of_other_programs(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "my.run").write_text(RUN)
    for arguments, message in [
        (["--metrics", "map", "qrels", "run"], "no such option '--metrics': name measures with -m"),
        (["qrels", "run", "-k", "10"], "no such option '-k': a cutoff is part of a measure: -m nd"),
        (["gate", "q", "r", "--cutoff", "5"], "no such option '--cutoff': a cutoff is part of a "),
        (["qrels", "run", "-o", "out.txt"], "-o does nothing, as in trec_eval: write --output out"),
        (["-m", "map", "P@10", "qrels", "my.run"], "'P@10' is a measure, not a file: give each me"),
        (["compare", "-m", "map", "ndcg", "qrels", "r"], "'ndcg' is a measure, not a file: give "),
        (["-m", "map", "qrels", "*.nothing"], "  hint: no file matches this pattern\n"),
        (["qrels", "https://example.com/my.run"], "  hint: only files are read: download it first"),
        (["compare", "-q", "qrels", "r"], "no such option '-q': --per-topic shows the topics\n"),
        (["leaderboard", "-qc", "qrels", "r"], "no such option '-q': --per-topic shows the topics"),
        (["gate", "-q", "qrels", "r"], "no such option '-q': irev eval -q prints the scores of ea"),
        (["gate", "-c", "qrels", "r"], "no such option '-c': a judged topic that a run lacks coun"),
        (["--repeat", "3", "qrels", "my.run"], "irev: error: --repeat needs --sample\n"),
        (["check", "-q", "my.run"], "no such option '-q'\n"),
        (["check", "-c", "my.run"], "no such option '-c'\n"),
        (["list"], "'list' is neither a command nor an existing file; did you mean 'measures'?"),
        (["validate", "qrels"], "nor an existing file; did you mean 'check'?"),
        (["nonsense"], "'nonsense' is neither a command nor an existing file\n"),
        (["qrels", "my"], "my: there is no such file\n  hint: did you mean my.run?"),
        (["explain", "qrels", "my.run", "-t", "3"], "the qrels have no topic 3; they have q1"),
    ]:
        ran = irev(*arguments, cwd=tmp_path)
        assert (ran.out, ran.code) == (b"", 2), arguments
        assert message in ran.err, arguments


def test_the_old_flag_is_a_flag(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "my.run").write_text(RUN)
    plain = irev("-m", "map", "qrels", "my.run", cwd=tmp_path)
    for call in (["-o", "-m", "map", "qrels", "my.run"], ["-m", "map", "-o", "qrels", "my.run"]):
        assert irev(*call, cwd=tmp_path) == plain


@pytest.mark.in_turn(3)
@pytest.mark.parametrize(
    ("words", "location"),
    [([n], c.location) for n, c in COMMANDS.items() if n not in ("study", "plot")]
    + [(["study", n], c.location) for n, c in study.kinds.items()]
    + [(["plot", n], c.location) for n, c in plot.kinds.items()],
)
def test_every_number_of_an_option_is_decimal_in_ascii_digits(
    words: list[str], location: str
) -> None:
    job: Job = import_attribute(location)
    fields = {
        n: f
        for part in getattr(job, "record_options", ())
        for n, f in part.record.keywords().items()
    }
    for name, field in fields.items():
        option = next((o for o in job.params if o.name == name), None)
        is_parsed = bool(field.opt.parse or field.opt.value_of_word)
        if field.scalar_type not in (int, float) or option is None or is_parsed:
            continue
        for number in ODD_NUMBERS:
            ran = irev(*words, option.opts[0], number)
            assert (ran.out, ran.code) == (b"", 2)
            assert f"Invalid value for '{option.opts[0]}'" in ran.err
            assert f": '{number}' is not a " in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ["compare", "--lambda", "{}", "qrels", "run"],
        ["gate", "--min", "map={}", "qrels", "run"],
        ["leaderboard", "--max-size", "{}", "qrels", "run"],
        ["pool", "--depth", "{}", "run"],
        ["sample", "--rate", "{}", "qrels"],
        ["study", "discriminative-power", "--alpha", "{}", "qrels", "run", "run"],
        ["study", "sensitivity", "--ranking", "{},0"],
        ["study", "sensitivity", "--ranking", "1,0", "--relevant", "{}"],
        ["study", "judgment-noise", "--theta", "{}", "qrels", "run"],
        ["study", "enumerate", "--ranks", "2", "--grades-present", "{}", "-m", "map"],
    ],
)
def test_so_are_those_within_texts(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "run").write_text(RUN)
    option = next(before for before, word in pairwise(words) if "{}" in word)
    for number in ODD_NUMBERS:
        ran = irev(*(word.format(number) for word in words), cwd=tmp_path)
        assert (ran.out, ran.code) == (b"", 2), number
        told = (option in ran.err.splitlines()[-1], f"Invalid value for '{option}'" in ran.err)
        assert any(told), number


@pytest.mark.parametrize("size", ["9" * 400, "1\u212a", "999999999999999999T"])
def test_sizes_are_sizes_that_a_system_knows(size: str) -> None:
    """The Kelvin sign is no K."""
    ran = irev("leaderboard", "--max-memory", size, "qrels", "run")
    assert (ran.out, ran.code) == (b"", 2)
    assert "memory" in ran.err
