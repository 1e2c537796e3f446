"""`irev check` and `irev.jobs.check`: cases by hand, damaged files, bytes of all kinds."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import shlex
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import irev as irev_package
from irev.cli.commands import irev
from irev.engine.evaluate import Evaluator
from irev.errors import KINDS, SEVERITIES, InputError, UsageError
from irev.jobs.check.check import check_runs_by_last_qrels
from irev.jobs.check.files import check_file
from irev.jobs.check.findings import PROFILES, CheckRules
from irev.scores.scores import Scores
from tests import command as program
from tests import files
from tests.each import for_each
from tests.files import SAMPLE
from tests.strategies import examples

if TYPE_CHECKING:
    from irev.jobs.check.findings import FileReport

CASES = files.CASES / "check"


class Case(NamedTuple):
    """A call on some files, and what it should find."""

    name: str
    call: list[str]
    files: dict[str, str]
    found: list[str]


def _cases() -> list[Case]:
    cases = []
    for path in sorted(CASES.glob("*.txt")):
        for part in path.read_text(encoding="utf-8").split("\n## ")[1:]:
            head, _, actual = part.partition("\n<\n")
            name, call, *files = re.split(r"\n[$>] ", head.removesuffix("\n<"))
            texts = dict(text.partition("\n")[::2] for text in files)
            written = {name: text and f"{text}\n" for name, text in texts.items()}
            cases.append(
                Case(f"{path.stem}: {name}", shlex.split(call), written, actual.split("\n"))
            )
    return cases


def _call(*arguments: str | Path) -> tuple[int, str, str]:
    done = CliRunner().invoke(irev, ["check", *map(str, arguments)])
    return done.exit_code, done.stdout, done.stderr


_FINDING = re.compile(r"(?P<where>[^ ]+): (?P<severity>error|warning|note): .* \[(?P<code>.*)\]")


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case.name)
def test_case(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found, its severity, its line, and the exit code."""
    monkeypatch.chdir(tmp_path)
    for name, text in case.files.items():
        Path(name).write_text(text, encoding="utf-8")
    code, out, err = _call("--details", *case.call)
    matches = filter(None, map(_FINDING.fullmatch, out.splitlines()))
    actual = [f"{m['where']} {m['severity']} {m['code']}" for m in matches]
    expected = [line for line in case.found if line]
    # within a line the order is that of the rules
    assert sorted(actual) == sorted(expected)
    assert err == ""
    assert code == any(" error " in line for line in expected)


def test_every_code_is_in_a_case() -> None:
    """Every rule is met by a case or by a test below."""
    text = " ".join(line for case in _cases() for line in case.found)
    elsewhere = {
        "damaged-file", "binary-file", "not-utf8", "byte-order-mark", "invisible-character",
        "carriage-return", "crlf", "mixed-separators", "no-final-newline", "too-large",
        "few-scores", "unjudged-top", "wrong-ranks",
    }  # fmt: skip
    of_other_commands = set(list(KINDS)[list(KINDS).index("other-topic-ids") :])
    unmet = {code for code in KINDS if not re.search(rf" {code}\b", text)}
    assert unmet == elsewhere | of_other_commands


def _write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@for_each(
    ("content", "code", "line"),
    [
        (b"1 Q0 a 1 2 t\n1 Q0 \xe9 2 1 t\n", "not-utf8", 2),
        (b"\xef\xbb\xbf1 Q0 a 1 2 t\n", "byte-order-mark", 1),
        (gzip.compress(b"\xef\xbb\xbf1 Q0 a 1 2 t\n", mtime=0), "byte-order-mark", 1),
        (b"1 Q0 a 1 2 t\n1 Q0 b\xc2\xa0 2 1 t\n", "invisible-character", 2),
        (b"1 Q0 a 1 2 t\n1 Q0 b\x1a 2 1 t\n", "invisible-character", 2),
        (b"1 Q0 a 1 2 t\n1 Q0 b 2 1 t\r\n", "crlf", 2),
        (b"1 Q0 a 1 2 t\n1 Q0 b 2 1 t\r1 Q0 c 3 0 t\n", "carriage-return", 2),
        (b"1 Q0 a 1 2 t\n1\tQ0 b 2 1 t\n", "mixed-separators", 2),
        (b"1 Q0 a 1 2 t\n1 Q0 b 2 1 t", "no-final-newline", 2),
        (b"1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n\0", "binary-file", 3),
        (b"\0" * 5000, "binary-file", 1),
        (gzip.compress(b"PK\n\x03 \0\n\xff", mtime=0), "binary-file", 2),
    ],
)
def test_bytes(content: bytes, code: str, line: int, tmp_path: Path) -> None:
    """What the bytes of a file show, once for a file, with the first line."""
    report = check_file(_write(tmp_path / "x.run", content))
    assert report.counts == {code: 1}
    assert [(actual.code, actual.line) for actual in report.findings] == [(code, line)]


def test_carriage_returns_alone_end_no_line(tmp_path: Path) -> None:
    """Nothing says that a file whose lines end so has lines that end otherwise, or no data."""
    report = check_file(_write(tmp_path / "x.run", b"1 Q0 a 1 2 t\r1 Q0 b 2 1 t\r"))
    assert report.counts == {"carriage-return": 1, "no-final-newline": 1}


def test_ids_that_are_not_utf8_are_shown(tmp_path: Path) -> None:
    """Bytes beyond UTF-8 are escaped, in text and in JSON."""
    path = _write(tmp_path / "x.run", b"1 Q0 \xe9 1 2 t\n1 Q0 \xe9 2 1 t\n")
    assert check_file(path).findings[1].document == "\\xe9"
    assert "'\\xe9'" in _call(path)[1]
    assert json.loads(_call("--format", "json", path)[1])["files"][0]["errors"] == 1


@pytest.mark.parametrize("form", ["json", "csv", "tsv", "trec"])
@pytest.mark.parametrize("kind", [None, "run"])
def test_saved_scores_are_recognised(form: str, kind: str | None, tmp_path: Path) -> None:
    files = [str(SAMPLE / "qrels.txt"), str(SAMPLE / "bm25.run")]
    done = program.irev("eval", "-q", "-m", "map", "-m", "P.5", "--format", form, *files)
    report = check_file(_write(tmp_path / "saved", done.out), kind=kind)
    assert report.counts == {"other-kind": 1}
    assert "saved scores" in report.findings[0].message


def test_a_name_does_not_end_a_line(tmp_path: Path) -> None:
    """Whoever reads `FILE:LINE:` line by line is not led astray by a file's name."""
    path = _write(tmp_path / "x\ny.run", b"")
    assert f"{tmp_path}/x\\ny.run: error: " in _call(path)[1]


def test_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TIRA's limit, with the limit lowered to what a test can write."""
    monkeypatch.setattr("irev.jobs.check.runs._LARGEST", 20)
    path = _write(tmp_path / "x.run", b"".join(b"%d Q0 a 1 2 t\n" % n for n in range(6)))
    assert check_file(path, CheckRules(profile="tira")).counts == {"too-large": 1}
    assert check_file(path).counts == {}


# --- files that cannot be read -------------------------------------------------------------------


@pytest.mark.thorough
def test_truncated(tmp_path: Path) -> None:
    """A compressed file that ends too early is an error; what could be read is checked."""
    lines = b"".join(
        b"%d Q0 d%d %d %d t\n" % (n // 99, n, n % 99 + 1, -(n % 99)) for n in range(150_000)
    )
    whole = gzip.compress(lines + b"bad line\n")
    report = check_file(_write(tmp_path / "x.run", whole[: len(whole) // 2]))
    assert report.counts == {"damaged-file": 1}
    assert 0 < report.topics < 1500
    assert report.sha256 == ""
    assert check_file(_write(tmp_path / "y.run", whole[:40])).counts == {"damaged-file": 1}


def test_unreadable(tmp_path: Path) -> None:
    """What cannot be opened is exit code 2, and the other files are still checked."""
    good = _write(tmp_path / "x.run", b"1 Q0 a 1 2 t\n")
    code, out, err = _call(tmp_path / "none", good)
    assert code == 2
    assert out.startswith("1 of 2 files cannot be opened:")
    code, out, err = _call("--details", tmp_path / "none", good)
    assert code == 2
    assert out == (
        f"{good}: run, 1 topic, 1 document: 0 errors, 0 warnings, 0 notes\n"
        "2 files, 1 of them unreadable: 0 errors, 0 warnings, 0 notes\n"
    )
    assert err == f"irev: error: {tmp_path / 'none'}: there is no such file\n"
    with pytest.raises(InputError):
        check_file(tmp_path / "none")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give files"),
        (["--docno", "(", "x"], "not a regular expression"),
        (["-", "-"], "can be read only once"),
        (["--topics", "none", "x"], "there is no such file"),
        (["--profile", "clef", "x"], "is not one of"),
        (
            ["--output", str(SAMPLE / "bm25.run"), str(SAMPLE / "bm25.run")],
            "would overwrite an input file",
        ),
    ],
)
def test_usage(arguments: list[str], message: str) -> None:
    """A wrong call is exit code 2, and nothing is printed."""
    done = program.irev("check", *arguments)
    assert done.code == 2
    assert done.out == b""
    assert message in done.err


def test_library_refuses() -> None:
    """Wrong arguments of the library."""
    run = check_file(SAMPLE / "bm25.run")
    with pytest.raises(UsageError, match="neither run nor qrels"):
        check_file(SAMPLE / "bm25.run", kind="table")
    with pytest.raises(UsageError, match="not qrels"):
        check_file(SAMPLE / "bm25.run", qrels=run)
    with pytest.raises(UsageError, match="there is no profile"):
        CheckRules(profile="clef")


# --- the output ----------------------------------------------------------------------------------


def test_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One finding a line; a hint once; what is too much is counted; then the file."""
    monkeypatch.chdir(tmp_path)
    Path("x.run").write_text("1 Q0 a 1 9 t\n" + "1 Q0 a 2 8 t\n" * 4, encoding="utf-8")
    twice = "x.run:{0}: error: duplicate document 'a' in topic '1': lines 1 and {0}"
    code, out, _ = _call("--max-findings", "2", "x.run")
    assert code == 1
    assert out.splitlines() == [
        twice.format(2) + " (keep one of the two lines) [duplicate-document]",
        twice.format(3) + " [duplicate-document]",
        "x.run:3: warning: rank 2 occurs on 4 lines of topic '1' "
        "(each rank should occur once per topic) [repeated-rank]",
        "x.run: error: 2 more, 4 in all [duplicate-document]",
        "x.run: run, 1 topic, 5 documents: 4 errors, 1 warning, 0 notes",
    ]


def test_several_files_in_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong first, a line a file, three examples of a code; details have all."""
    monkeypatch.chdir(tmp_path)
    Path("up").mkdir()
    Path("x.qrels").write_text("1 0 a 1\n1 0 b 0\n", encoding="utf-8")
    Path("up/long-name-of-a-team-and-of-its-run-number-1.run").write_text(
        "1 Q0 a 1 9 t\n" + "1 Q0 a 2 8 t\n" * 4, encoding="utf-8"
    )
    for name in "bc":
        Path(f"up/{name}.run").write_text("1 Q0 a 1 x t\n1 Q0 b 2 8 t\n", encoding="utf-8")
    Path("up/d.run").write_text("1 Q0 a 1 9 t\n1 Q0 z 2 8 t\n", encoding="utf-8")
    code, out, err = _call("x.qrels", "up")
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[:3] == [
        "3 of 5 files have errors: b.run, c.run,",
        "  long-name-of-a-team-and-of-its-run-number-1.run",
        "",
    ]
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in lines[4:9]]
    assert rows[1:4] == [
        ["b.run", "run", "1", "100%", "1", "0", "0"],
        ["c.run", "run", "1", "100%", "1", "0", "0"],
        ["d.run", "run", "1", "50%", "0", "0", "0"],
    ]
    assert rows[4][0].startswith("...")
    assert rows[4][0].endswith("-run-number-1.run")
    assert "up/b.run:1: error: score 'x' is not a number [bad-score]" in lines
    at = lines.index("4 errors in 1 file: duplicate document in a topic [duplicate-document]")
    assert [line.startswith("  up/long") for line in lines[at + 1 : at + 8 : 2]] == [True] * 3 + [
        False
    ]
    assert "  and 1 more" in lines
    assert lines[-1] == "6 errors, 1 warning, 0 notes in all; --details prints each"
    code, whole, _ = _call("--details", "x.qrels", "up")
    assert (code, whole.count("[duplicate-document]")) == (1, 4)
    assert whole.endswith("5 files: 6 errors, 1 warning, 0 notes\n")
    # the same in Markdown, where findings are a list
    assert "| d.run" in _call("--format", "markdown", "x.qrels", "up")[1]
    # files without errors that have warnings are named too, the most first
    Path("up/e.run").write_text("1 Q0 a 1 8 t\n1 Q0 b 2 9 t\n", encoding="utf-8")
    Path("up/f.run").write_text(
        "1 Q0 a 1 8 x y\n1 Q0 b 2 7 x y\n1 Q0 c 3 6 x y\n", encoding="utf-8"
    )
    lines = _call("x.qrels", "up")[1].splitlines()
    assert lines[0].startswith("3 of 7 files have errors: ")
    assert lines[2:4] == ["2 more have warnings: f.run, e.run", ""]


def test_what_holds_of_the_whole_file_is_among_the_findings_shown(tmp_path: Path) -> None:
    path, qrels = tmp_path / "reversed.run", tmp_path / "x.qrels"
    topics = range(1, 13)
    path.write_text("".join(f"{t} Q0 a 1 1 t\n{t} Q0 b 2 2 t\n" for t in topics))
    qrels.write_text("".join(f"{t} 0 a 1\n" for t in topics))
    whole = f"{path}: warning: scores rise from rank to rank in 12 of 12 topics"
    lines = _call(str(path))[1].splitlines()
    assert sum("[rank-order]" in line for line in lines) == 10 + 1  # and how many more
    assert sum(line.startswith(whole) for line in lines) == 1
    lines = _call(str(qrels), str(path))[1].splitlines()
    at = next(n for n, line in enumerate(lines) if "13 warnings in 1 file" in line)
    assert "scores rise from rank to rank in 12 of" in " ".join(lines[at : at + 4])


def test_one_file_has_ten_findings_of_a_code_unless_more_are_wanted(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text("".join(f"1 Q0 d{n} {n} x t\n" for n in range(40)))
    for options, count in (((), 10), (("--details",), 25), (("--max-findings", "30"), 30)):
        _, out, _ = _call(*options, path)
        assert out.count("is not a number [bad-score]") == count
        assert f"error: {40 - count} more, 40 in all [bad-score]" in out
    assert len(irev_package.check(path).files[0].findings) == 25


def test_a_run_without_rank_and_tag_is_no_judgments(tmp_path: Path) -> None:
    path = _write(tmp_path / "x.run", b"1 Q0 a 2.5\n1 Q0 b 2.25\n1 Q0 c 2\n")
    (finding,) = check_file(path).findings
    assert (finding.code, finding.line) == ("unknown-kind", None)
    assert "the rank and the run tag are missing" in finding.hint
    # fractions may be grades where somebody says so
    assert check_file(path, CheckRules(real_grades=True)).kind == "qrels"
    assert check_file(path, kind="qrels").counts["bad-grade"] == 2


def test_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same in JSON, to a file; counts tell of all."""
    monkeypatch.chdir(tmp_path)
    Path("x.qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c -1\n", encoding="utf-8")
    Path("x.run").write_text(
        "1 Q0 a 1 9 t\n1 Q0 z 2 9 t\n1 Q0 c 3 8 t\n1 Q0 a 4 8 t\n", encoding="utf-8"
    )
    arguments = ["--format", "json", "--output", "out", "x.qrels", "x.run", "none"]
    code, out, err = _call(*arguments)
    assert (code, out, err) == (2, "", "irev: error: none: there is no such file\n")
    whole: dict[str, Any] = json.loads(Path("out").read_text(encoding="utf-8"))
    qrels, run, none = whole["files"]
    assert none == {"path": "none", "unreadable": "there is no such file"}
    assert qrels["facts"] == {
        "grades": {"-1": 1, "0": 1, "1": 1},
        "mean_of_grade": {"-1": 1, "0": 1, "1": 1},
        "mean_relevant": 1,
    }
    assert (run["lines"], run["rows"], run["topics"]) == (4, 4, 1)
    assert (run["errors"], run["warnings"], run["notes"]) == (1, 0, 0)
    assert run["counts"] == {"duplicate-document": 1}
    assert run["facts"] == {
        "tags": ["t"],
        "documents_per_topic": {"least": 4, "median": 4, "most": 4},
        "tie_groups": 2,
        "tied_documents": 4,
        "topics_with_ties": 1,
        "topics_with_ties_at": {},
        "judged_topics": 1,
        "unjudged_topics": [],
        "unretrieved_topics": [],
        "judged_at_10": 0.5,
        "never_judged": 2,
    }
    assert run["findings"] == [
        {
            "line": 4,
            "topic": "1",
            "document": "a",
            "code": "duplicate-document",
            "severity": "error",
            "message": "duplicate document 'a' in topic '1': lines 1 and 4",
            "hint": "keep one of the two lines",
        }
    ]


def test_strict_and_standard_input() -> None:
    """Warnings count where asked to; a file may come through a pipe."""
    run = b"1 Q0 a 1 9 t\n1 Q0 b 1 8 t\n2 Q0 a 1 1 t\n1 Q0 c 2 7 t\n"
    done = program.irev("check", "-", stdin=run)
    assert done.code == 0
    assert done.out.endswith(
        b"standard input: run, 2 topics, 4 documents: 0 errors, 1 warning, 1 note\n"
    )
    assert program.irev("check", "--strict", "-", stdin=run).code == 1


def test_the_profiles_have_codes_that_there_are() -> None:
    """A profile changes findings, and no others."""
    codes = {code for profile in PROFILES.values() for code in profile}
    assert codes <= KINDS.keys()


def test_topics_that_only_one_file_has_are_told_at_once(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "x.run"
    qrels.write_text("".join(f"{topic} 0 a 1\n" for topic in (1, 2, 3, 4, "5x", 6, 7, 8)))
    run.write_text("".join(f"{topic} Q0 a 1 1 x\n" for topic in (1, "5X", 9, 10)))
    _, actual = check_runs_by_last_qrels([str(qrels), str(run)])
    assert not isinstance(actual, InputError)
    output = [
        (each.line, each.topic, each.message) for each in actual.findings if "topic" in each.code
    ]
    assert output == [
        (2, None, "3 topics are not judged: '5X', '9', '10'"),
        (None, None, "6 topics are judged, but not in the run: '2', '3', '4', '6', '7' and 1 more"),
        (None, "5x", "topic '5x' is judged, but not in the run"),
    ]
    assert actual.facts["unjudged_topics"] == ["5X", "9", "10"]
    assert actual.facts["unretrieved_topics"] == ["2", "3", "4", "5x", "6", "7", "8"]


def test_sample_data() -> None:
    """The oddities that the sample collection is described with, and no errors."""
    names = ["qrels.txt", "bm25.run", "rm3.run", "dense.run.gz", "fusion.run"]
    reports = [
        r
        for r in check_runs_by_last_qrels([SAMPLE / name for name in names])
        if not isinstance(r, Exception)
    ]
    qrels, bm25, rm3, dense, fusion = reports
    assert sum(report.errors for report in reports) == 0
    assert {"negative-grade", "no-relevant", "similar-topics", "low-level"} == qrels.counts.keys()
    assert bm25.counts.keys() == {"own-document"}
    assert {"tabs", "crlf", "ranks-from-zero", "unjudged-topic"} <= rm3.counts.keys()
    assert dense.counts["unretrieved-topic"] == 1
    assert {"comment", "scattered-topic", "repeated-rank"} <= fusion.counts.keys()
    # rank orders of all runs but fusion's, whose rank is always 1, are those of the scores
    assert not any("rank-order" in report.counts for report in reports)


@pytest.mark.parametrize(
    ("judged", "retrieved", "form"),
    [
        ("FT{}", "ft{}", "upper and lower case"),
        ("1{}", "001{}", "leading zeros"),
        ("d{}", "d{}.xml", "an ending"),
        ("doc{}", "doc{}#7", "without the suffix '#7'"),
        ("d{}", "corpus/part:d{}", "what comes before the last"),
        ("a_{}", "a-{}", "underscores and hyphens"),
    ],
)
def test_other_forms_of_ids(judged: str, retrieved: str, form: str, tmp_path: Path) -> None:
    """Where nothing is judged, the difference in writing is named."""
    names = [f"{n}x" for n in range(1, 9)]
    qrels = "".join(f"1 0 {judged.format(n)} {i % 2}\n" for i, n in enumerate(names))
    run = "".join(f"1 Q0 {retrieved.format(n)} {i} {9 - i} t\n" for i, n in enumerate(names, 1))
    reference = check_file(_write(tmp_path / "qrels", qrels.encode()))
    report = check_file(_write(tmp_path / "run", run.encode()), qrels=reference)
    (actual,) = report.findings
    assert actual.code == "nothing-judged"
    assert form in actual.hint


# --- against plain loops -------------------------------------------------------------------------

_ROW = st.tuples(
    st.sampled_from("12"), st.sampled_from("abcd"), st.integers(0, 4), st.integers(0, 3)
)


def _plain(rows: list[tuple[str, str, int, int]]) -> Counter[str]:
    """How many findings of some codes there are, by loops over all pairs."""
    actual: Counter[str] = Counter()
    for topic in sorted({row[0] for row in rows}):
        mine = [row for row in rows if row[0] == topic]
        docs = [document for _, document, _, _ in mine]
        actual["duplicate-document"] += len(docs) - len(set(docs))
        ranks = [rank for _, _, rank, _ in mine]
        actual["repeated-rank"] += len(set(ranks)) < len(ranks)
        actual["ranks-from-zero"] |= 0 in ranks
        against = any(a[2] < b[2] and a[3] < b[3] for a in mine for b in mine)
        actual["rank-order"] += against
        actual["constant-scores"] += len(mine) > 1 and len({row[3] for row in mine}) == 1
    changes = [a[0] for a, b in pairwise(rows) if a[0] != b[0]]
    actual["scattered-topic"] += len(changes) >= 2
    return +actual


@pytest.mark.thorough
@examples(100)
@given(st.lists(_ROW, min_size=1, max_size=12))
def test_plain(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, int, int]]
) -> None:
    """The counts are those of plain loops, scattered or not."""
    path = tmp_path_factory.mktemp("plain") / "x.run"
    path.write_text("".join(f"{t} Q0 {d} {r} {s} t\n" for t, d, r, s in rows))
    # of a whole run every command warns of order and ties, without a line
    counts = Counter(each.code for each in check_file(path).findings if each.line is not None)
    expected = _plain(rows)
    assert {code: counts.get(code, 0) for code in expected} == dict(expected)
    looked_at = {"duplicate-document", "repeated-rank", "rank-order", "constant-scores"}
    assert {code for code in looked_at if code in counts} <= expected.keys()


@pytest.mark.long
@examples(150)
@given(st.binary(max_size=80) | st.text("1 aQ0.\n\t,x#-e", max_size=80).map(str.encode))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """Nothing that stands in a file stops the check, as whatever it is taken."""
    path = _write(tmp_path_factory.mktemp("any") / "x", content)
    for kind in (None, "run", "qrels"):
        report = check_file(path, CheckRules(profile="strict"), kind=kind)
        assert sum(report.counts.values()) == report.errors + report.warnings + report.notes
        lines = [actual.line or 1 << 60 for actual in report.findings]
        assert lines == sorted(lines)
        assert {actual.severity for actual in report.findings} <= set(SEVERITIES)


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (lambda row: row | {"score": row["rank"]}, "rank-order"),
        (lambda row: row | {"score": 1}, "constant-scores"),
        (lambda row: row | {"score": 9 - row["rank"] // 6}, "few-scores"),
        (
            lambda row: row | {"doc": f"new{row['doc']}"} if row["rank"] <= 5 else row,
            "unjudged-top",
        ),
        (lambda row: row | {"doc": f"X{row['doc']}"} if row["rank"] % 2 else row, "other-ids"),
    ],
)
def test_check_and_scores_warn_alike(tmp_path: Path, edit: Any, code: str) -> None:
    """What is said of a whole run stands in a finding without a line, in the same words."""
    lines = [
        line.split() for line in (SAMPLE / "bm25.run").read_text(encoding="utf-8").splitlines()
    ]
    text = ""
    for topic, q0, doc, rank, score, tag in lines:
        row = edit({"doc": doc, "rank": int(rank), "score": float(score)})
        text += f"{topic} {q0} {row['doc']} {row['rank']} {row['score']} {tag}\n"
    run = _write(tmp_path / "x.run", text.encode())
    ((_, scores),) = Evaluator(SAMPLE / "qrels.txt", "map").outcomes([run])
    assert isinstance(scores, Scores)
    (notice,) = (each for each in scores.notices if each.kind == code)
    report = irev_package.check(SAMPLE / "qrels.txt", run).files[1]
    (finding,) = (each for each in report.findings if each.code == code and each.line is None)
    assert (finding.message, finding.hint) == (notice.message, notice.hint)


def test_blocks_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same findings however the file is cut into blocks."""
    draw = random.Random(7)
    lines = [
        f"{draw.randrange(9)} Q0 d{draw.randrange(60)} {draw.randrange(9)} {draw.random():.1f} t"
        + draw.choice(["", "", "", "\r", " more"])
        for _ in range(400)
    ]
    path = _write(tmp_path / "x.run", "\n".join(lines).encode())
    items: list[FileReport] = []
    for block in (1 << 20, 1000, 7, 1):
        monkeypatch.setattr(sys.modules[check_file.__module__], "_PIECE", block)
        items.append(check_file(path, CheckRules(max_findings=5)))
    assert all(report.findings == items[0].findings for report in items)
    assert all(report.counts == items[0].counts for report in items)
    assert len(items[0].counts) >= 6


# --- folders -------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Judgments, and a folder with a run, one below it, a link, and a file like judgments."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n2 0 b 1\n", encoding="utf-8")
    Path("secret").write_text("1 Q0 secret-4711 1 high t\n", encoding="utf-8")
    Path("sub/below").mkdir(parents=True)
    Path("sub/a.run").write_text("1 Q0 a 1 1 t\n2 Q0 b 1 1 t\n", encoding="utf-8")
    Path("sub/b.qrels").write_text("8 0 x 1\n9 0 y 0\n", encoding="utf-8")
    Path("sub/c.run").symlink_to("../secret")
    Path("sub/below/d.run").write_text("1 Q0 a 1 1 t\n", encoding="utf-8")
    return Path("sub")


def test_a_folder_is_checked_with_all_that_lies_in_it(folder):
    ran = program.irev("check", "--format", "json", "qrels", "sub")
    files = {each["path"]: each for each in json.loads(ran.out)["files"]}
    assert [*files][:4] == ["qrels", "sub/a.run", "sub/b.qrels", "sub/below/d.run"]
    # what a folder holds is no judgments for others: this run lacks a topic of the first file
    codes = {finding["code"] for finding in files["sub/below/d.run"]["findings"]}
    assert "unretrieved-topic" in codes
    assert "no-common-topic" not in codes


def test_a_link_in_a_folder_is_told_and_not_opened(folder):
    ran = program.irev("check", "qrels", "sub")
    assert ran.code == 2
    assert "sub/c.run: this is a link, which is not followed" in ran.err
    assert "secret" not in ran.out.decode() + ran.err
    ran = program.irev("check", "--follow-links", "qrels", "sub")
    assert ran.code == 1
    assert b"score 'high'" in ran.out


def test_a_file_that_is_named_may_be_a_link(folder):
    assert b"score 'high'" in program.irev("check", "sub/c.run").out


def test_a_pipe_in_a_folder_is_not_waited_for(folder):
    os.mkfifo(folder / "pipe.run")
    ran = program.irev("check", "qrels", "sub")
    assert ran.code == 2
    assert "sub/pipe.run: this is a pipe" in ran.err


def test_an_empty_folder(tmp_path):
    ran = program.irev("check", tmp_path)
    assert (ran.code, ran.out) == (2, b"")
    assert "this directory contains no submission" in ran.err
