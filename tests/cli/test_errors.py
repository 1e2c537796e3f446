"""Wrong files on the command line: exit code 2, nothing on stdout, FILE:LINE and what to do."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from tests.command import irev
from tests.files import IS_ROOT, SAMPLE

QRELS = b"q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = b"q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 a 1 1 t\n"
JUDGMENT_GROUPS = b"q1 A a 1\nq1 B a 0\nq2 A a 1\n"
PREFERENCES = b"q1 A s a 1\nq1 A s b 0\nq2 A s a 1\nq2 A s b 0\n"

QRELS_FIRST = "the qrels come first: irev QRELS RUN"
RUN_FIELDS = "expected 6 fields (topic Q0 document rank score tag), found"
QRELS_FIELDS = "expected 4 fields (topic iteration document grade), found"
KEEP_ONE = (
    "\n  hint: --duplicates-qrels max counts the higher grade only; or keep one of the two lines"
)
FIRST_COUNTS = (
    "\n  hint: --duplicates first counts the first line only; or keep one of the two lines"
)
BINARY = "a zero byte: this is a binary file, not text"


def wrong_run(text):
    return QRELS, text


def wrong_qrels(text):
    return text, RUN


CASES = {
    # the form of lines
    "run with a field too few": (
        wrong_run(RUN + b"q2 Q0 c 2 1\n"),
        f"run:4: {RUN_FIELDS} 5: 'q2 Q0 c 2 1'\n"
        "  hint: the run tag, the last field, is missing",
    ),
    "a damaged line among others, which is no sign of another format": (
        wrong_run(RUN + b"q2 c 2\n" + RUN.replace(b"q", b"p")),
        f"run:4: {RUN_FIELDS} 3: 'q2 c 2'\n"
        "  hint: most lines of the file are as they should be: is this one damaged?",
    ),
    "a line of many that are of another format": (
        wrong_run(RUN[:14] + b"q1 c 2\n"),
        f"run:2: {RUN_FIELDS} 3: 'q1 c 2'\n"
        "  hint: this looks like a run of MS MARCO or a run of scores alone; -T msmarco reads "
        "'topic document rank', -T scores 'topic document score'",
    ),
    "run without Q0": (
        wrong_run(b"q1 a 1 2.5 tag\n"),
        f"run:1: {RUN_FIELDS} 5: 'q1 a 1 2.5 tag'\n"
        "  hint: Q0, the second field, is missing: awk '{$1 = $1 \" Q0\"; print}' FILE adds it",
    ),
    "run without Q0 and with a number as tag": (
        wrong_run(b"q1 a 1 2.5 7\n"),
        f"run:1: {RUN_FIELDS} 5: 'q1 a 1 2.5 7'\n"
        "  hint: Q0, the second field, is missing: awk '{$1 = $1 \" Q0\"; print}' FILE adds it",
    ),
    "run without Q0 or without tag": (
        wrong_run(b"q1 a 1 2 7\n"),
        f"run:1: {RUN_FIELDS} 5: 'q1 a 1 2 7'\n"
        "  hint: a field is missing: Q0, the second, or the run tag, the last",
    ),
    "run of one field": (wrong_run(b"q1\n"), f"run:1: {RUN_FIELDS} 1: 'q1'"),
    "run with commas": (
        wrong_run(b"q1,Q0,a,1,2,t\n"),
        f"run:1: {RUN_FIELDS} 1: 'q1,Q0,a,1,2,t'\n"
        "  hint: fields are separated by blanks or tabs; commas are read where the first line "
        "names the columns: query_id,doc_id,score",
    ),
    "JSON as a run": (
        wrong_run(b'[{"q1": 2.0}]\n'),
        "irev: error: run: there is no column for the topic, the document or the score; the "
        "columns are q1\n"
        "  hint: say which they are: --columns topic=NAME,document=NAME,score=NAME",
    ),
    "qrels as a run": (
        wrong_run(QRELS),
        f"run:1: {RUN_FIELDS} 4: 'q1 0 a 1'\n"
        f"  hint: this looks like qrels (topic iteration document grade); {QRELS_FIRST}\n"
        f"run:2: {RUN_FIELDS} 4: 'q1 0 b 0'\n"
        f"run:3: {RUN_FIELDS} 4: 'q2 0 a 1'",
    ),
    "run as qrels": (
        wrong_qrels(b"q1 Q0 a 1 2 t\n"),
        f"qrels:1: {QRELS_FIELDS} 6: 'q1 Q0 a 1 2 t'\n"
        f"  hint: this looks like a run (topic Q0 document rank score tag); {QRELS_FIRST}",
    ),
    "both the wrong way round": (
        (b"q1 Q0 a 1 2 t\n", b"q1 0 a 1\n"),
        f"qrels:1: {QRELS_FIELDS} 6: 'q1 Q0 a 1 2 t'\n"
        f"  hint: this looks like a run (topic Q0 document rank score tag); {QRELS_FIRST}",
    ),
    "qrels with a field too few": (
        wrong_qrels(b"# old\n\nq1 a 1\n"),
        f"qrels:3: {QRELS_FIELDS} 3: 'q1 a 1'\n"
        "  hint: this looks like judgments without an iteration column (topic document grade); "
        "-R triples reads them",
    ),
    "preferences as qrels": (
        wrong_qrels(b"q1 A s a 1\n"),
        f"qrels:1: {QRELS_FIELDS} 5: 'q1 A s a 1'\n"
        "  hint: this looks like preferences, judgments by strata or a prels file; "
        "-R prefs reads 'topic group subgroup document level', -R strata 'topic iteration document "
        "stratum grade', -R prels 'topic document grade method probability'; or is there a blank "
        "in an id? ids cannot contain blanks",
    ),
    "qrels with commas": (
        wrong_qrels(b"q1,0,a,1\n"),
        f"qrels:1: {QRELS_FIELDS} 1: 'q1,0,a,1'\n"
        "  hint: fields are separated by blanks or tabs; commas are read where the first line "
        "names the columns: query_id,doc_id,score",
    ),
    # numbers
    "score that is none": (
        wrong_run(RUN + b"# note\nq2 Q0 c 2 high t\n"),
        "run:5: score 'high' is not a number",
    ),
    "score with a decimal comma": (
        wrong_run(b"q1 Q0 a 1 0,5 t\n"),
        "run:1: score '0,5' is not a number\n"
        "  hint: write numbers with a decimal point, or give --decimal comma",
    ),
    "score NaN": (
        wrong_run(b"q1 Q0 a 1 2 t\nq1 Q0 b 2 nan t\n"),
        "run:2: score 'nan' is not a number\n  hint: drop the line, or give it a number",
    ),
    "score with an underscore": (
        wrong_run(b"q1 Q0 a 1 1_0 t\n"),
        "run:1: score '1_0' is not a number",
    ),
    "grade with a fraction": (
        wrong_qrels(b"q1 0 a 1\nq1 0 b 0.5\n"),
        "qrels:2: grade '0.5' is not a whole number\n"
        "  hint: --grades real accepts fractions in qrels",
    ),
    "grade that is none": (
        wrong_qrels(b"q1 0 a yes\n"),
        "qrels:1: grade 'yes' is not a whole number",
    ),
    "grade beyond ASCII": (
        wrong_qrels("q1 0 a \u0661\n".encode()),
        "qrels:1: grade '\u0661' is not a whole number",
    ),
    "several problems": (
        wrong_run(b"q1 Q0 a 1 x t\n\nq1 Q0 b 1 1\nq1 Q0 c 1 nan t\nq1 Q0 d 1 y t\n"),
        "run:1: score 'x' is not a number\n"
        f"run:3: {RUN_FIELDS} 5: 'q1 Q0 b 1 1'\n"
        "  hint: the run tag, the last field, is missing\n"
        "run:4: score 'nan' is not a number\n  hint: drop the line, or give it a number\n"
        "run:5: score 'y' is not a number",
    ),
    # duplicates
    "duplicate in the run": (
        wrong_run(b"# c\n\n" + RUN + b"q2 Q0 a 9 9 t\n"),
        f"run:6: duplicate document 'a' in topic 'q2': lines 5 and 6{FIRST_COUNTS}",
    ),
    "duplicate in a scattered run": (
        wrong_run(RUN + b"q1 Q0 b 9 9 t\n"),
        f"run:4: duplicate document 'b' in topic 'q1': lines 2 and 4{FIRST_COUNTS}",
    ),
    "duplicate in a topic without judgments": (
        wrong_run(RUN + b"q7 Q0 z 1 1 t\nq7 Q0 z 1 1 t\n"),
        f"run:5: duplicate document 'z' in topic 'q7': lines 4 and 5{FIRST_COUNTS}",
    ),
    "duplicates in the qrels": (
        wrong_qrels(b"# c\n" + QRELS + b"q2 0 a 0\nq1 0 a 2\nq1 0 b 0\n"),
        f"qrels:5: duplicate document 'a' in topic 'q2': lines 4 and 5{KEEP_ONE}\n"
        "qrels:6: duplicate document 'a' in topic 'q1': lines 2 and 6",
    ),
    # whole files
    "empty run": (wrong_run(b""), "irev: error: run: the file is empty"),
    "empty qrels": (wrong_qrels(b""), "irev: error: qrels: the file is empty"),
    "run of comments": (wrong_run(b"# a\n\n# b"), "irev: error: run: the file has no line of data"),
    "qrels of comments": (
        wrong_qrels(b"# a\n\n# b"),
        "irev: error: qrels: the file has no line of data",
    ),
    "binary run": (
        wrong_run(b"\x7fELF\0\1\2 a b\nc\n"),
        f"run:1: {BINARY}\n  hint: expected a run as text",
    ),
    "UTF-16 qrels": (
        wrong_qrels("\ufeffq1 0 a 1\n".encode("utf-16-le")),
        "irev: error: qrels: this is UTF-16 text\n"
        "  hint: save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE",
    ),
    "no topic in common": (
        wrong_run(b"Q1 Q0 a 1 2 t\n"),
        "irev: error: the run and the qrels have no topic in common: the run has Q1; "
        "the qrels have q1, q2 (1 topic of the run matches a judged one, ignoring case and leading "
        "zeros)",
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def outcome(qrels, run, *arguments):
    """What the command says about two files, after the checks that always hold."""
    for name, content in (("qrels", qrels), ("run", run)):
        with open(name, "wb") as stream:
            stream.write(content)
    return error_text(*arguments, "qrels", "run")


def error_text(*arguments, **more):
    result = irev(*arguments, **more)
    assert (result.code, result.out) == (2, b"")
    assert "Traceback" not in result.err
    return result.err.removesuffix("\n")


def test_wrong_files():
    for case, ((qrels, run), message) in CASES.items():
        assert outcome(qrels, run, "-q") == message, case


def test_the_files_are_right_otherwise():
    with open("qrels", "wb") as stream:
        stream.write(QRELS)
    with open("run", "wb") as stream:
        stream.write(RUN)
    result = irev("-m", "map", "qrels", "run")
    assert result == (b"map                   \tall\t1.0000\n", "", 0)


@pytest.mark.parametrize(
    "options", [("-M", "1"), ("-M", "0"), ("-J",), ("-m", "num_q"), ("-m", "runid"), ("-n",)]
)
def test_duplicates_are_seen_whatever_is_measured(options):
    below = b"q1 Q0 a 1 9 t\nq1 Q0 x 2 1 t\nq1 Q0 x 2 1 t\nq2 Q0 a 1 1 t\n"
    # of -M 0 there is a warning before
    assert outcome(QRELS, below, *options).endswith(
        f"run:3: duplicate document 'x' in topic 'q1': lines 2 and 3{FIRST_COUNTS}"
    )
    assert outcome(QRELS + b"q1 0 a 2\n", RUN, *options) == (
        f"qrels:4: duplicate document 'a' in topic 'q1': lines 1 and 4{KEEP_ONE}"
    )


def test_other_formats_of_judgments():
    twice = f"qrels:4: duplicate document 'a' in topic 'q1': lines 2 and 4{KEEP_ONE}"
    groups = ("-R", "qrels_jg", "-m", "qrels_jg")
    assert outcome(JUDGMENT_GROUPS + b"q1 B a 3\n", RUN, *groups) == twice
    assert "qrels:1: grade 'x' is not a whole number" in outcome(b"q1 A a x\n", RUN, *groups)
    preferences = ("-R", "prefs", "-m", "prefs")
    assert outcome(PREFERENCES + b"q2 A s a one\n", RUN, *preferences) == (
        "qrels:5: level 'one' is not a number"
    )
    assert "found 4: 'q1 0 a 1'\n  hint: this looks like qrels" in outcome(QRELS, RUN, *preferences)
    assert outcome(b"q1 A a nan\n", RUN, "-R", "qrels_prefs", "-m", "prefs").startswith(
        "qrels:1: level 'nan' is not a number"
    )


def test_a_repeated_preference_counts_again():
    with open("qrels", "wb") as stream:
        stream.write(PREFERENCES + PREFERENCES[:11])
    with open("run", "wb") as stream:
        stream.write(RUN)
    assert irev("-R", "prefs", "-m", "prefs", "qrels", "run").code == 0


# --- what cannot be read at all ------------------------------------------------------------------


def test_files_that_are_not_there():
    with open("run", "wb") as stream:
        stream.write(RUN)
    assert error_text("absent", "run") == "irev: error: absent: there is no such file"
    assert error_text("run", "run", "absent").startswith("run:1: expected 4 fields")
    os.mkdir("folder")
    assert error_text("folder", "run") == (
        "irev: error: folder: this is a directory, not a file\n"
        "  hint: a directory is read if all files in it are Parquet, Arrow or Feather"
    )
    assert error_text(b"caf\xe9".decode("utf-8", "surrogateescape"), "run").endswith(
        ": there is no such file"
    )


@pytest.mark.skipif(IS_ROOT, reason="root may read everything")
def test_a_file_that_may_not_be_read():
    with open("run", "wb") as stream:
        stream.write(RUN)
    os.chmod("run", 0)
    assert error_text("run", "run") == "irev: error: run: no permission to read this file"


def test_standard_input_that_is_wrong():
    with open("qrels", "wb") as stream:
        stream.write(QRELS)
    assert error_text("qrels", "-", stdin=b"") == "irev: error: standard input: the file is empty"
    assert error_text("qrels", "-", stdin=b"# c\nq1 Q0 a 1 x t\n") == (
        "standard input:2: score 'x' is not a number"
    )
    assert error_text("-", "-", stdin=QRELS) == (
        "irev: error: standard input (-) can be read only once"
    )


def test_an_archive_that_is_damaged():
    whole = bytearray(gzip.compress(RUN))
    whole[-6] ^= 1  # the checksum
    message = outcome(QRELS, bytes(whole))
    assert message.startswith("irev: error: run: the compressed file is damaged (CRC check failed")


def test_lines_that_are_wrong_alike_are_said_once() -> None:
    """With the hint of the first that has one, and how many there are; in each file."""
    for name in ("one", "two"):
        Path(name).write_text("q1 a\n" * 100, encoding="utf-8")
    Path("qrels").write_bytes(QRELS)
    few = "\n".join(f"one:{line}: {RUN_FIELDS} 2: 'q1 a'" for line in range(1, 6))
    err = irev("-m", "map", "qrels", "one", "two")[1]

    assert err == "".join(
        f"{name}:1: {RUN_FIELDS} 2: 'q1 a'\n  and at least 24 more lines like it\n"
        for name in ("one", "two")
    )
    Path("one").write_text("q1 a\n" * 5, encoding="utf-8")
    assert irev("-m", "map", "qrels", "one")[1] == f"{few}\n"
    Path("one").write_text("q1 a\n" * 8, encoding="utf-8")
    assert "\n  and 7 more lines like it\n" in irev("-m", "map", "qrels", "one")[1]


def test_the_nearest_name_in_the_folder_is_offered() -> None:
    """And a folder that is not there is named."""
    Path("bm25.run").write_bytes(RUN)
    Path("qrels").write_bytes(QRELS)

    assert irev("qrels", "bm52.run")[1] == (
        "irev: error: bm52.run: there is no such file\n  hint: did you mean bm25.run?\n"
    )
    assert "hint: there is no folder runs either" in irev("qrels", "runs/bm25.run")[1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04\x14\0", "this is a zip archive"),
        (b"\xff\xfeq\x001\x00", "this is UTF-16 text"),
        (b"a" * 257 + b"ustar\x0000" + b"\0" * 300, "this is a tar archive"),
        (gzip.compress(b"a" * 257 + b"ustar\x0000" + b"\0" * 300), "this is a tar archive"),
    ],
    ids=["zip", "UTF-16", "tar", "tar.gz"],
)
def test_what_is_no_text_is_named(content: bytes, message: str) -> None:
    """With what to do."""
    assert message in outcome(QRELS, content)
    assert "\n  hint: " in outcome(QRELS, content)


@pytest.mark.parametrize("columns", [(0, 2, 4), (0, 1, 2, 3, 4)])
def test_runs_without_some_columns(columns: tuple[int, ...]) -> None:
    """Topic, document and score, or all but the tag: the numbers are those of all six."""
    lines = [f"q1 Q0 d{n} {n} {9.5 - n} tag" for n in range(1, 6)]
    Path("qrels").write_text("q1 0 d2 1\nq1 0 d5 1\n", encoding="utf-8")
    Path("six").write_text("\n".join(lines), encoding="utf-8")
    Path("fewer").write_text(
        "\n".join(" ".join(line.split()[n] for n in columns) for line in lines), encoding="utf-8"
    )

    assert irev("-m", "map", "qrels", "fewer") == irev("-m", "map", "qrels", "six")
    assert irev("-m", "map", "qrels", "fewer")[0] == b"map                   \tall\t0.4500\n"


@pytest.mark.parametrize(
    "text", ["q1 a 1\nq1 b 2\n", "q1 0 a 1 0.5\nq1 0 b 2 0.25\n", "q1 a x\nq1 b 0.5\n"]
)
def test_what_may_be_something_else_is_not_guessed(text: str) -> None:
    """Whole numbers may be ranks or grades; five fields without Q0 strata; texts no scores."""
    Path("qrels").write_bytes(QRELS)
    Path("run").write_text(text, encoding="utf-8")

    assert irev("-m", "map", "qrels", "run")[2] == 2


def test_numbers_far_outside_are_refused_or_shown_in_part() -> None:
    digits = "9" * 5000
    files = (str(SAMPLE / "qrels.txt"), str(SAMPLE / "bm25.run"))
    study = ("study", "design", "-m", "map", *files, str(SAMPLE / "rm3.run"))
    power = ("study", "discriminative-power", *study[2:])
    for words, said in (
        (("eval", "-l", digits + "x", *files), "-l' / '--level_for_rel': '" + "9" * 56 + "..."),
        (("gate", "--min", f"map={digits}", *files), "--min map=" + "9" * 53 + "...: must be a"),
        (("explain", "--beta", digits, "-m", "map", *files), "9... has no effect"),
        (("eval", "--sample", digits, *files), "9...' is not a rate"),
        (("compare", "--bounds", "0,1_000", *files), "--bounds 0,1_000: write LOW,HIGH"),
        (("compare", "--bounds", "nan,1", *files), "--bounds nan,1: write LOW,HIGH"),
        ((*study, "--difference", "1e300"), "the difference 1e+300 is out of range"),
        ((*study, "--systems", f"{10**30}"), "is too large: give at most 10000000"),
        ((*power, "--topic-set-size", f"{10**30}"), "is too large: give at most 10000000"),
        (("study", "robustness", *study[2:], "--repeat", f"{10**30}"), "give at most 10000."),
    ):
        ran = irev(*words)
        assert ran.code == 2, words[:3]
        assert said in ran.err
        assert max(map(len, ran.err.splitlines())) < 300
    # a level without end is the largest there is, as in trec_eval
    for level in ("1e300", f"{10**30}"):
        assert "below the level 9223372036854775807" in irev("-l", level, *files).err
