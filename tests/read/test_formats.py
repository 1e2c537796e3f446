"""The records of the file formats: that what one field says fits what the others say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from irev import evaluate
from irev.errors import InputError, UsageError
from irev.read import formats
from irev.read.answers import read_assignments, read_support
from irev.read.formats import (
    JUDGMENTS,
    QRELS,
    RUN,
    RUNS,
    RunFormat,
    is_legal,
    likely_format,
    run_layout,
)
from irev.read.layout import FirstLines, Format
from irev.read.sniff import likeness
from tests.command import irev
from tests.each import for_each

if TYPE_CHECKING:
    from irev.read.layout import Fields
    from tests.command import Ran

EVERY = {**RUNS, **JUDGMENTS}
PAIRS = Format(
    "pairs",
    "-T",
    (
        RUN._replace(
            kind="run of three fields", looks="a run without ranks (topic document score)",
            fields=("topic", "document", "score"), more_allowed=False,
        ),
    ),
    "RUN in the format pairs: ...",
    line=lambda fields: len(fields) == 3 and b"." in fields[2],
)  # fmt: skip


def example(record: Format) -> Fields:
    """The line that the help shows."""
    return record.help.split("\n    ")[1].partition("\n")[0].encode().split()


def test_the_names_of_runs_are_those_that_types_know() -> None:
    assert get_args(RunFormat) == tuple(RUNS)


@for_each("name", [n for n, of in EVERY.items() if not of.holds_runs and not of.layouts[0].tool])
def test_the_help_shows_a_line_of_the_format(name: str) -> None:
    """Its fields are as many as a layout has, its number is one, and the record knows it."""
    record = EVERY[name]
    assert record.name == name
    assert f"in the format {name}:" in record.help
    fields = example(record)
    layout = record.layout(len(fields))
    assert len(layout.fields) == len(fields)
    assert {"topic", *layout.ids, layout.number} <= set(layout.fields)
    assert record.line is None or record.line(fields)


def test_the_help_shows_a_line_of_json() -> None:
    nuggets, support = (
        json.loads(text[text.index("{") : text.rindex("}") + 1])
        for text in (EVERY["nuggets"].help, EVERY["support"].help)
    )
    labels = read_assignments([nuggets], "x").labels
    assert labels == {"A": {b"401": {b"It rained for three weeks.": 1.0}}}
    assert read_support([support], "x").labels == {"A": {b"401": ((2.0,),)}}


@pytest.mark.parametrize("name", [name for name, each in EVERY.items() if each.line])
def test_a_line_of_another_format_is_named(name: str) -> None:
    """Where the usual format of runs, or of judgments, was expected."""
    record = EVERY[name]
    usual = RUN if record.option == "-T" else QRELS
    fields = example(record)
    if len(fields) != len(usual.fields):
        assert f"{record.option} {name}" in likeness(fields, usual)


def test_a_format_without_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read, recognised and named by its record alone; ranks it has none."""
    monkeypatch.setitem(formats.RUNS, "pairs", PAIRS)
    assert run_layout("pairs") == PAIRS.layouts[0]
    with pytest.raises(UsageError, match="needs ranks, which a run of the format pairs lacks"):
        run_layout("pairs", by_rank=True)
    lines = [[b"1", b"a", b"2.5"], [b"1", b"b", b"1.25"]]
    assert likely_format(FirstLines(lines), RUNS) is PAIRS
    assert likeness(lines[0], RUN).endswith("(topic document score); -T pairs reads it")


def test_preferences_of_whole_levels_are_no_probabilities() -> None:
    """Documents of prefs may be called as grades are: 0, 00."""
    lines = [[b"1", b"0", b"d1", b"0", b"1"], [b"1", b"0", b"d2", b"0", b"1.0"]]
    assert not is_legal(FirstLines([*lines, [b"1", b"0", b"d3", b"00", b"0"]]))
    assert is_legal(FirstLines([*lines, [b"1", b"0", b"d3", b"1", b"0.25"]]))


def test_three_columns_are_a_run_or_saved_scores() -> None:
    layout = run_layout()
    assert callable(layout)
    for run in (b"q1\td1\t1.5\nq1\td2\t0\n", b"map d1 0.5\n"):
        assert layout(run).fields == ("topic", "document", "score")
    for scores in (b"map                   \tq1\t0.5000\n", b"map all 0.5000\n"):
        with pytest.raises(InputError, match="looks like saved scores"):
            layout(scores)


@pytest.mark.parametrize(
    "call",
    [
        "--sample 50% -m map QRELS a",
        "--pool pool -m infAP QRELS a",
        "compare -m map --test t QRELS a b",
        "study agreement QRELS QRELS a b -m map",
        "study preference --test t QRELS a b",
    ],
)
def test_grades_serve_everywhere_in_any_format(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judgments of three fields give what those of four do."""
    monkeypatch.chdir(tmp_path)
    rows = [("1", "d1", 1), ("1", "d2", 0), ("2", "d1", 0), ("2", "d3", 2)]
    Path("four").write_text(
        "".join(f"{t} 0 {d} {grade}\n" for t, d, grade in rows), encoding="utf-8"
    )
    Path("three").write_text(
        "".join(f"{t} {d} {grade}\n" for t, d, grade in rows), encoding="utf-8"
    )
    Path("pool").write_text("1 d4\n", encoding="utf-8")
    for name, best in (("a", "d1"), ("b", "d3")):
        lines = [f"{t} Q0 {d} 1 {d == best:d} x\n" for t in "12" for d in ("d1", "d2", "d3", "d4")]
        Path(name).write_text("".join(lines), encoding="utf-8")

    four = irev(*call.replace("QRELS", "four").split(), "--quiet")
    three = irev(*call.replace("QRELS", "three").split(), "--quiet", "-R", "triples")

    def numbers(ran: Ran) -> list[str]:
        lines = ran.out.decode().replace("three", "four").splitlines()
        return [line for line in lines if "signature" not in line]

    assert (four.code, three.code, three.err) == (0, 0, four.err)
    assert numbers(three) == numbers(four)


WRITTEN: dict[RunFormat, bytes] = {
    "trec_results": b"1 Q0 d2 1 2.5 t\n1 Q0 d1 2 1.5 t\n",
    "msmarco": b"1 d2 1\n1 d1 2\n",
    "scores": b"1 d2 2.5\n1 d1 1.5\n",
}
"""The ranking d2, d1 of topic 1, by format."""


def test_a_run_is_ranked_in_every_format(tmp_path: Path) -> None:
    """Success at 1 is 1 where d2 is relevant, and 0 where d1 is."""
    assert set(WRITTEN) == set(RUNS), "each format of runs has an example in WRITTEN"
    for name, text in WRITTEN.items():
        path = tmp_path / name
        path.write_bytes(text)
        for document, expected in (("d2", 1.0), ("d1", 0.0)):
            scores = evaluate({"1": {document: 1}}, path, "Success@1", run_format=name)
            assert scores.by_topic("Success@1") == {"1": expected}, name
