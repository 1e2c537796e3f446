"""`check` and `eval` read alike: what passes the one is read by the other, whatever is damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from irev import evaluate
from irev.errors import InputError, MismatchError
from irev.jobs.check.files import GROUPED, check_file, detect_kind
from irev.jobs.check.findings import CheckRules
from irev.read.formats import JUDGMENTS
from irev.read.formats import RUNS as RUN_FORMATS
from irev.read.layout import first_fields
from tests.strategies import examples

if TYPE_CHECKING:
    from pathlib import Path

    from irev.jobs.check.findings import FileReport

FORMAT_ERRORS = {
    "damaged-file", "binary-file", "empty-file", "unknown-kind", "other-kind", "field-count",
    "carriage-return", "unreadable-line", "bad-score", "bad-grade", "duplicate-document",
    "contradicting-grades",
}  # fmt: skip
"""Codes of what keeps a file from being read; all others are about what it says."""

TOPICS, DOCS = (b"1", b"2", b"q"), (b"a", b"b", b"c", b"L1", b"d\xe9")
NUMBERS = (b"0", b"1", b"2", b"-1", b"1.0", b"2.5", b"1e3", b"L1", b"L0")
ODD = (
    b"", b"x", b"nan", b"inf", b"1e999", b"0,5", b"0x1p3", b"#", b"q1,a,1", b"\0", b"\r", b"\t",
    b"9" * 400, b"{", b"\xef\xbb\xbf", b"\x0b", b"1_0", b"Q0",
)  # fmt: skip


def lines(*fields: tuple[bytes, ...]) -> st.SearchStrategy[list[list[bytes]]]:
    """Lines of such fields; documents may stand twice."""
    line = st.tuples(*(st.sampled_from(values) for values in fields)).map(list)
    return st.lists(line, min_size=1, max_size=8)


RUNS = lines(TOPICS, (b"Q0", b"0"), DOCS, (b"1", b"2", b"x"), NUMBERS[:7], (b"t", b"u"))
UNTAGGED = lines(TOPICS, (b"Q0",), DOCS, (b"1", b"2", b"x"), NUMBERS[:7])
SCORES = lines(TOPICS, DOCS, (b"1.5", b"2.5", b"3", b"1e3"))
RANKS = lines(TOPICS, DOCS, (b"1", b"2", b"3", b"4", b"5"))
QRELS = lines(TOPICS, (b"0", b"Q0", b"g", b"h"), DOCS, NUMBERS[:5])
LEVELS = lines(TOPICS, DOCS, (b"L0", b"L1", b"L2"))
CLASSES = lines(TOPICS, DOCS, (b"L0", b"L1", b"L2"), (b"c", b"e"))
TRIPLES = lines(TOPICS, DOCS, NUMBERS[:4])
FIVE = lines(TOPICS, (b"0", b"g"), (b"1", b"2"), DOCS, NUMBERS[:3])


@st.composite
def damaged_texts(draw: st.DrawFn, form: st.SearchStrategy[list[list[bytes]]]) -> bytes:
    """A text, mostly with a fault or two in fields, blanks, lines or bytes."""
    rows = draw(form)
    rows = [row for at, row in enumerate(rows) if row[:-1] not in [r[:-1] for r in rows[:at]]]
    for _ in range(draw(st.integers(0, 2))):
        row = draw(st.sampled_from(rows))
        at = draw(st.integers(0, len(row)))
        row[at : at + draw(st.integers(0, 1))] = [draw(st.sampled_from((*ODD, *NUMBERS)))]
    if draw(st.booleans()):
        rows.sort()
    blank = draw(st.sampled_from((b" ", b"\t", b"  ")))
    end = draw(st.sampled_from((b"\n", b"\n", b"\n", b"\r\n", b"\n\n", b"\n#\n")))
    text = end.join(blank.join(row) for row in rows) + draw(st.sampled_from((end, b"")))
    if draw(st.integers(0, 7)) == 0:
        text = text[: draw(st.integers(0, len(text)))]
    return text


def _is_read(path: Path, option: str, form: str) -> bool:
    """Whether `irev eval` reads a file; that nothing in it can be scored does not matter."""
    whole = {topic.decode(): {"a": 1} for topic in TOPICS}
    source = {"-T": (whole, path), "-R": (path, whole)}[option]
    names = {"prefs": ["prefs"], "qrels_jg": ["qrels_jg"]}.get(form, ["num_ret"])
    formats = {"run_format": form} if option == "-T" else {"qrels_format": form}
    try:
        evaluate(*source, names, topics="qrels", **formats)  # type: ignore[call-overload]
    except InputError:
        return False
    except MismatchError:
        return True
    return True


def _agree(path: Path, report: FileReport, option: str, form: str) -> None:
    actual = FORMAT_ERRORS & report.counts.keys()
    shown = (path.read_bytes(), report.counts)
    if _is_read(path, option, form):
        assert not actual, shown
    else:
        # the rank is all that a run of MS MARCO has; a negative one is read, but wrong
        assert actual or (form == "msmarco" and "bad-rank" in report.counts), shown


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that every example writes anew."""
    return tmp_path_factory.mktemp("one") / "reader"


@pytest.mark.long
@examples(100)
@example(b"1 Q0 a 1 0")
@example(b"1 a 1.5")
@example(b"1 a 1.5\n2 a 1.5\n")  # no scores of a measure `a`
@given(damaged_texts(RUNS | UNTAGGED | SCORES))
def test_runs(path: Path, text: bytes) -> None:
    """A run checks out where eval reads it, and nowhere else."""
    path.write_bytes(text)
    _agree(path, check_file(path, kind="run"), "-T", "trec_results")


@pytest.mark.thorough
@examples(100)
@example(b"#\n1 a L2")
@given(damaged_texts(QRELS | LEVELS))
def test_qrels(path: Path, text: bytes) -> None:
    """So do qrels, as those of groups where check takes them for such."""
    path.write_bytes(text)
    is_grouped = detect_kind(text, "default").name == GROUPED
    _agree(path, check_file(path, kind="qrels"), "-R", "qrels_jg" if is_grouped else "qrels")


@pytest.mark.thorough
@examples(100)
@example(b"1 a 1\n1 b " + b"9" * 400 + b"\n")
@example(b"1 Q0 a 1 inf\n")
@example(b"\xef\xbb\xbf 1 a 1\n")
@given(damaged_texts(RANKS))
def test_ranks(path: Path, text: bytes) -> None:
    """So do runs without scores under the profile that checks them."""
    path.write_bytes(text)
    report = check_file(path, CheckRules(profile="msmarco"))
    if report.kind == "run":
        fields = first_fields(text.removeprefix(b"\xef\xbb\xbf"))
        _agree(path, report, "-T", "msmarco" if len(fields) == 3 else "trec_results")


@pytest.mark.thorough
@examples(100)
@example(b"1 Q0 a x 2.5 0 t")
@example(b"1 0 L1 1.\n2 0 L1 1.")
@example(b"q 1.5 L1.0\nq 2.5 0")
@given(damaged_texts(LEVELS | CLASSES | TRIPLES | FIVE | RANKS | QRELS | UNTAGGED | SCORES))
def test_whatever_it_is_taken_for(path: Path, text: bytes) -> None:
    """What check says a file is, eval reads as that, or does not where check finds a fault."""
    path.write_bytes(text)
    report = check_file(path)
    if report.kind == "unknown":
        assert not _is_read(path, "-T", "trec_results"), text
        assert not _is_read(path, "-R", "qrels"), text
    elif report.kind == "run":
        _agree(path, report, "-T", "trec_results")
    elif report.kind in JUDGMENTS and report.kind != "qrels":
        _agree(path, report, "-R", report.kind)
    elif report.kind in RUN_FORMATS:
        _agree(path, report, "-T", report.kind)


@pytest.mark.parametrize("length", [1 << 15, 1 << 16, 1 << 20])
def test_a_first_line_of_any_length_is_a_runs(length: int, tmp_path: Path) -> None:
    """What the kind is told by may end within the line."""
    path = tmp_path / "long.run"
    path.write_text(f"1 Q0 {'d' * length} 1 1 t\n1 Q0 e 2 0.5 t\n")
    report = check_file(path)
    assert (report.kind, report.rows, report.errors) == ("run", 2, 0)
    assert evaluate({"1": {"e": 1}}, path, ["num_ret"]).summary() == {"num_ret": 2}
