"""Every command writes every form, and one that is added comes to all of them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from irev.cli.commands import irev
from irev.writers.forms import OUTPUT_FORMATS
from tests.each import for_each

QRELS = "q1 0 d1 1\nq2 0 d1 1\nq3 0 d1 1\n"
RUN = "".join(f"q{n} Q0 d{n % 2} 1 2 a\nq{n} Q0 d9 2 1 a\n" for n in (1, 2, 3))
OTHER = "".join(f"q{n} Q0 d9 1 2 b\nq{n} Q0 d1 2 1 b\n" for n in (1, 2, 3))
FILES = ("qrels", "a.run", "b.run")

CALLS = {
    "eval": ["-q", "-m", "map", *FILES],
    "samples": ["--sample", "100%", "--repeat", "1", "-m", "map", *FILES],
    "compare": ["compare", "--test", "sign", *FILES],
    "check": ["check", *FILES],
    "explain": ["explain", "-m", "map", "-t", "q1", "qrels", "a.run"],
    "leaderboard": ["leaderboard", "--resamples", "20", *FILES],
    "gate": ["gate", "--baseline", "b.run", "--min", "map=0.1", "qrels", "a.run"],
    "pool": ["pool", "--leave-out", *FILES],
    "measures": ["measures", "rbp"],
    "suites": ["measures", "suites"],
    "study": ["study", "overlap", "a.run", "b.run"],
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in zip(FILES, (QRELS, RUN, OTHER), strict=True):
        Path(name).write_text(content, encoding="utf-8")


def command_output(call: str, form: str) -> str:
    ran = CliRunner().invoke(irev, [*CALLS[call], "--format", form])
    assert ran.exit_code in (0, 1), ran.stderr
    assert ran.stdout.endswith("\n")
    return ran.stdout


@pytest.mark.parametrize("call", CALLS)
def test_forms_for_people(call: str) -> None:
    assert "-----" in command_output(call, "table") or call in ("pool", "study")
    assert "|--" in command_output(call, "markdown") or call in ("measures", "suites")
    latex = command_output(call, "latex")
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") > 0
    page = command_output(call, "html")
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("<table") == page.count("</table>") > 0


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("call", CALLS)
def test_forms_for_machines(call: str) -> None:
    json.loads(command_output(call, "json"))
    table = list(csv.DictReader(io.StringIO(command_output(call, "csv"))))
    tabbed = list(csv.DictReader(io.StringIO(command_output(call, "tsv")), delimiter="\t"))
    assert table == tabbed
    lines = [json.loads(line) for line in command_output(call, "jsonl").splitlines()]
    first = [line for line in lines if line.pop("table", None) == _first(call)]
    assert [_texts(line) for line in first] == table


def _first(call: str) -> str:
    """The name of the first table, which CSV has alone."""
    name: str = json.loads(command_output(call, "jsonl").splitlines()[0])["table"]
    return name


def _texts(line: dict[str, object]) -> dict[str, str]:
    return {name: "" if value is None else str(value) for name, value in line.items()}


def test_a_form_that_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where forms are checked by name, the names are read from the one list of them."""
    for call in CALLS:
        ran = CliRunner().invoke(irev, [*CALLS[call], "--format", "nosuch"])
        assert ran.exit_code == 2
        assert all(f"'{form}'" in ran.stderr for form in OUTPUT_FORMATS), call


@for_each("form", ["csv", "tsv"])
@for_each("call", [call for call in CALLS if call not in ("measures", "suites")])
def test_no_formulas_where_that_is_asked_for(call: str, form: str) -> None:
    """Every command that shows names and ids of files can write them so that nothing runs."""
    odd = {"a.run": "=a.run", "b.run": "@b.run"}
    for name, other in odd.items():
        Path(other).write_text(
            Path(name).read_text(encoding="utf-8").replace("q1", "=q1").replace("d1", "-d1"),
            encoding="utf-8",
        )
    Path("qrels").write_text(QRELS.replace("q1", "=q1").replace("d1", "-d1"), encoding="utf-8")
    words = [odd.get(word, word).replace("q1", "=q1") for word in CALLS[call]]
    ran = CliRunner().invoke(irev, [*words, "--format", form, "--csv-safe"])
    assert ran.exit_code in (0, 1), ran.stderr
    separator = "," if form == "csv" else "\t"
    cells = [c for row in csv.reader(io.StringIO(ran.stdout), delimiter=separator) for c in row]
    # of these three the first cells say other things
    has_names = call not in ("check", "gate", "study")
    assert any(cell.startswith(("'=", "'@", "'-")) for cell in cells) == has_names
    assert not any(cell.startswith(("=", "@", "+")) for cell in cells)
    assert all(cell == "-" or float(cell) <= 0 for cell in cells if cell.startswith("-"))


def test_a_leaderboard_has_no_formulas_unless_they_are_asked_for() -> None:
    Path("=a.run").write_text(RUN, encoding="utf-8")
    words = ["leaderboard", "--resamples", "20", "--format", "csv", "qrels", "=a.run", "b.run"]
    assert ",'=a," in CliRunner().invoke(irev, words).stdout
    assert ",=a," in CliRunner().invoke(irev, [*words, "--no-csv-safe"]).stdout
    assert CliRunner().invoke(irev, [*words, "--no-csv-safe", "--csv-safe"]).exit_code == 2


WITH_OUTPUT = [call for call in CALLS if call not in ("gate", "measures", "suites", "study")]


@for_each("call", WITH_OUTPUT)
def test_the_ending_of_the_output_chooses_the_form_where_none_is_named(call: str) -> None:
    for ending, form in {"csv": "csv", "jsonl": "jsonl", "MD": "markdown", "tex": "latex"}.items():
        for words, file in (([], f"x.{ending}"), (["--format", form], "named.txt")):
            ran = CliRunner().invoke(irev, [*CALLS[call], "--output", file, *words])
            assert ran.exit_code in (0, 1), ran.stderr
        assert Path(f"x.{ending}").read_bytes() == Path("named.txt").read_bytes()
    CliRunner().invoke(irev, [*CALLS[call], "--output", "x.csv", "--format", "json"])
    json.loads(Path("x.csv").read_text(encoding="utf-8"))


def test_an_ending_that_promises_what_is_not_written_is_refused_before_anything_is_read() -> None:
    """The judgments are no file: who read them would say so first."""
    for command, endings in {
        "eval": ("pdf", "xlsx", "csv.gz"), "compare": ("PDF", "ods"), "leaderboard": ("xlsx",),
        "check": ("docx",), "pool": ("csv", "parquet", "gz"), "sample --rate 10%": ("json", "tsv"),
        "report": ("pdf", "csv", "txt", "parquet"), "explain -t 1": ("zip",),
        "study correlation": ("csv", "html"),
    }.items():  # fmt: skip
        for ending in endings:
            words = [*command.split(), "nosuch", "nosuch", "--output", f"x.{ending}"]
            ran = CliRunner().invoke(irev, words)
            assert ran.exit_code == 2
            assert f"x.{ending}" in ran.stderr
            assert "nosuch" not in ran.stderr, (command, ending)
    assert not list(Path().glob("x.*"))


def test_what_a_form_lacks_is_said_of_the_ending_that_chose_it() -> None:
    ran = CliRunner().invoke(irev, ["--score-only", *FILES, "--output", "x.csv"])
    assert "--score-only cannot be combined with --output x.csv" in ran.stderr
