"""Where irev differs from trec_eval 10 on purpose: each row of the guide's table has a test here.

What trec_eval prints in each case was seen; what irev must print is worked out by hand.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path

from tests.command import Ran, irev
from tests.each import for_each
from tests.files import ROOT

GUIDE = (ROOT / "docs" / "trec_eval.md").read_text(encoding="utf-8")

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 2\nq2 0 c 1\n"
RUN = "q1 Q0 a 1 3 s\nq1 Q0 b 2 2 s\nq2 Q0 x 1 3 s\nq2 Q0 a 2 2 s\n"

Test = Callable[["Files"], None]
ROWS: dict[str, list[Test]] = {}


class Files:
    """A folder with qrels and a run, and the command in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(
        self, *options: str, qrels: str | bytes = QRELS, run: str | bytes = RUN, **files: str
    ) -> Ran:
        """Write the files and evaluate."""
        for name, text in {"qrels": qrels, "run": run, **files}.items():
            data = text if isinstance(text, bytes) else text.encode()
            (self.folder / name).write_bytes(data)
        return irev(*options, "qrels", "run", cwd=self.folder)

    def values(self, *options: str, **files: str) -> dict[tuple[str, str], str]:
        """{(printed name, topic): value} of a call that must succeed."""
        ran = self.run(*options, **files)
        assert ran.code == 0, ran.err
        fields = (line.split("\t") for line in ran.out.decode().splitlines())
        return {(name.strip(), topic): value for name, topic, value in fields}

    def refused(self, *options: str, **files: str | bytes) -> str:
        """The message of a call that must fail with empty stdout."""
        ran = self.run(*options, **files)  # type: ignore[arg-type]
        assert (ran.code, ran.out) == (2, b""), ran
        assert "Traceback" not in ran.err
        return ran.err


def row(title: str) -> Callable[[Test], Test]:
    """The test belongs to that row of the guide's table."""

    def register(test: Test) -> Test:
        ROWS.setdefault(title, []).append(test)
        return test

    return register


@row("a judged topic that the run lacks")
def missing_topic_is_left_out(files: Files) -> None:
    """Without -c it is left out, with a warning that counts."""
    ran = files.run("-m", "map", run="q1 Q0 a 1 3 s\n")
    assert ran.out == b"map                   \tall\t1.0000\n"
    assert "1 judged topic is missing from the run" in ran.err
    assert "q2" in ran.err


@row("a judged topic that the run lacks")
def missing_topic_is_an_empty_ranking(files: Files) -> None:
    """With -c every measure sees an empty ranking; trec_eval clears them by their bare names."""
    measures = (
        "-m",
        "utility.2,-1,0,0",
        "-m",
        "rbp_resid.p=0.5",
        "-m",
        "unj.5",
        "-m",
        "relstring.5",
    )
    values = files.values("-q", "-c", *measures, run="q1 Q0 a 1 3 s\n")
    assert values["utility_2,-1,0,0", "q2"] == "0.0000"
    assert values["rbp_resid_p=0.5", "q2"] == "0.0000"
    assert values["unj_5", "q2"] == "0.0000"
    assert values["relstring_5", "q2"] == "''"


@row("a judged topic that the run lacks")
def missing_topic_is_an_error_when_strict(files: Files) -> None:
    """--strict makes the warning an error."""
    assert "missing" in files.refused("--strict", "-m", "map", run="q1 Q0 a 1 3 s\n")


@row("`num_rel` under `-c`")
def num_rel_honours_the_level(files: Files) -> None:
    """Of the three judged above 0 one is graded 2."""
    assert files.values("-c", "-l2", "-m", "num_rel")["num_rel", "all"] == "1"


@row("no topic in common")
def no_topic_in_common(files: Files) -> None:
    """An error, with -c too, that shows both files' topics."""
    for options in ((), ("-c",)):
        message = files.refused(*options, run="7 Q0 a 1 3 s\n")
        assert "no topic in common" in message
        assert "7" in message
        assert "q1, q2" in message


@row("an error")
def error_leaves_stdout_empty(files: Files) -> None:
    """The first topic is fine; nothing of it is printed."""
    files.refused("-q", "-m", "map", run=RUN + "q2 Q0 a 3 1 s\n")


@row("duplicates")
def duplicates_in_a_run(files: Files) -> None:
    """Also below the cut, and in topics that nobody judged."""
    assert "lines 3 and 5" in files.refused("-M1", run=RUN + "q2 Q0 x 3 1 s\n")
    twice = RUN + "zz Q0 a 1 1 s\nzz Q0 a 2 1 s\n"
    assert "duplicate document 'a' in topic 'zz': lines 5 and 6" in files.refused(run=twice)


@row("duplicates")
def duplicates_in_qrels(files: Files) -> None:
    """The same judgment counts once; two that differ are refused, also where no measure looks."""
    assert files.values("-m", "num_rel", qrels=QRELS + "q1 0 a 1\n")["num_rel", "all"] == "3"
    assert "qrels:5" in files.refused("-m", "num_q", qrels=QRELS + "q1 0 a 2\n")
    grouped = "q1 1 a 1\nq1 2 a 1\nq1 1 a 2\n"
    message = files.refused("-R", "qrels_jg", "-m", "qrels_jg", qrels=grouped)
    assert "lines 1 and 3" in message


@row("duplicates")
def repeated_preference_counts_again(files: Files) -> None:
    """Two lines for the better document are two preferences."""
    prefs = "q1 1 1 a 2\nq1 1 1 a 2\nq1 1 1 b 1\n"
    values = files.values("-R", "prefs", "-m", "prefs", qrels=prefs, run="q1 Q0 a 1 1 s\n")
    assert values["prefs_num_prefs_poss", "all"] == "2"


@row("0/0")
def zero_by_zero(files: Files) -> None:
    """Nothing is left of the second topic's ranking: 0, and the mean is (1 + 0) / 2."""
    run = "q1 Q0 a 1 3 s\nq2 Q0 x 1 3 s\n"
    values = files.values("-q", "-J", "-m", "iprec_at_recall.0", run=run)
    assert values["iprec_at_recall_0.00", "q2"] == "0.0000"
    assert values["iprec_at_recall_0.00", "all"] == "0.5000"


@row("only negative grades")
def only_negative_grades(files: Files) -> None:
    """R = 0 and no ideal, first or later, whatever the grade."""
    for grade in ("-1", "-2", "-100"):
        for topic in ("q0", "q3"):
            values = files.values(
                "-q", "-m", "num_rel", "-m", "ideal_dcg", "-m", "map",
                qrels=f"{topic} 0 a {grade}\n" + QRELS, run=RUN + f"{topic} Q0 a 1 1 s\n",
            )  # fmt: skip
            assert values["num_rel", topic] == "0"
            assert values["ideal_dcg", topic] == "0.0000"
            assert values["map", topic] == "0.0000"


@row("negative levels of preferences")
def too_few_documents_of_the_lowest_level(files: Files) -> None:
    """One document, d, where two are wanted: 3 of 5 preferences hold, and 3 of 5 over d."""
    levels = {"a": 2, "b": 1, "c": 0, "d": -1, "e": 0}
    qrels = "".join(f"q1 g s {document} {level}\n" for document, level in levels.items())
    run = "".join(f"q1 Q0 {document} 1 {4 - i} s\n" for i, document in enumerate("cabd"))
    values = files.values("-R", "prefs", "-m", "prefs_avgjg_Rnonrel", qrels=qrels, run=run)
    assert values["prefs_avgjg_Rnonrel", "all"] == "0.6000"


@row("gains sorted as integers")
def close_gains(files: Files) -> None:
    """The ideal order is 1.9, 1.5, and the ranking is ideal."""
    values = files.values(
        "-m", "ndcg.1=1.9,2=1.5", qrels="q 0 a 1\nq 0 b 2\n", run="q Q0 a 1 2 s\nq Q0 b 1 1 s\n"
    )
    assert values["ndcg_1=1.9,2=1.5", "all"] == "1.0000"


@row("unsorted recall levels")
def unsorted_levels(files: Files) -> None:
    """The same levels in any order give the same average."""
    one = files.values("-m", "11pt_avg.1,0.5,0")["11pt_avg_1,0.5,0", "all"]
    other = files.values("-m", "11pt_avg.0,0.5,1")["11pt_avg_0,0.5,1", "all"]
    assert one == other


@row("cutoffs beyond 32 bits")
def large_cutoffs(files: Files) -> None:
    """They come in their order."""
    values = files.values("-m", "P.4294967297,2147483649,1")
    assert [name for name, _ in values] == ["P_1", "P_2147483649", "P_4294967297"]


@row("leftovers")
def compare_each_measure(files: Files) -> None:
    """`rbp` is the same alone and in company, and the dcg family takes parameters each."""
    alone = files.values("-q", "-m", "rbp")
    company = files.values("-q", "-m", "rbp", "-m", "ndcg", "-m", "dcg.2=5", "-m", "ideal_dcg.2=7")
    assert {key: company[key] for key in alone} == alone
    assert company["dcg_2=5", "q2"] == "3.1546"  # 5 / log2(3)
    assert company["ideal_dcg_2=7", "q2"] == "7.6309"  # 7 + 1 / log2(3)
    assert company["ndcg", "q2"] == "0.4796"  # 2 / log2(3) / (2 + 1 / log2(3))


@row("z scores of an absent entry")
def absent_z_scores(files: Files) -> None:
    """An absent entry is -1000000, also beyond the last, and where a neighbour has the name."""
    values = files.values("-q", "-Z", "z", "-m", "map", "-m", "recip_rank", z="q2 recip_rank 0 1\n")
    assert values["Zmap", "q1"] == "-1000000.0000"
    assert values["Zmap", "q2"] == "-1000000.0000"
    assert values["Zrecip_rank", "q1"] == "-1000000.0000"
    assert values["Zrecip_rank", "q2"] == "0.5000"


@row("scores and real parameters")
def numbers_to_the_last_byte(files: Files) -> None:
    """Scores, levels of preference, z scores and parameters."""
    for score in ("1,5", "1x", "abc", "nan", "NaN", "1_0", "0x", "1e", "--1", "\u0661"):
        assert "run:1" in files.refused(run=f"q1 Q0 a 1 {score} s\n")
    for level in ("1,5", "x", "nan"):
        message = files.refused("-R", "prefs", "-m", "prefs", qrels=f"q1 1 1 a {level}\n")
        assert "qrels:1" in message
    assert "z:1" in files.refused("-Z", "z", z="q1 map 0,5 1\n")
    assert "z:1" in files.refused("-Z", "z", z="q1 map 0.5 x\n")
    for measure in ("iprec_at_recall.0,5x", "set_F.x", "ndcg.1=x", "rbp.p=nan", "utility.1,2,3,4x"):
        assert measure in files.refused("-m", measure)


@row("scores and real parameters")
def numbers_of_c(files: Files) -> None:
    """Hexadecimal numbers, exponents and infinities are numbers."""
    run = "q1 Q0 b 1 -inf s\nq1 Q0 a 2 0x1p-4 s\nq1 Q0 c 3 1e-3 s\nq2 Q0 a 1 +.5 s\n"
    assert files.values("-q", "-m", "relstring", run=run)["relstring", "q1"] == "'1-0'"


@row("grades, levels, cutoffs, counts")
def whole_numbers_to_the_last_byte(files: Files) -> None:
    """Grades and integer options."""
    for grade in ("1.9", "0x10", "1e3", "abc", "1,0", "1."):
        qrels = f"q1 0 a {grade}\n"
        if grade == "1.":
            assert files.run(qrels=qrels).code == 0
        else:
            assert "qrels:1" in files.refused(qrels=qrels)
    for option in ("-lx", "-M1k", "-N0x1", "-Dx"):
        files.refused(option)
    for measure in ("P.1.5", "P.5x", "P.", "P.,", "ndcg_cut.1e3", "ndcg.1.5=2"):
        files.refused("-m", measure)


@row("grades, levels, cutoffs, counts")
def grade_with_a_point(files: Files) -> None:
    """A grade 1.0 is 1."""
    assert files.values("-m", "num_rel", qrels="q1 0 a 1.0\n")["num_rel", "all"] == "1"


@row("a gain level named twice")
def gain_level_twice(files: Files) -> None:
    """It cannot mean both."""
    assert "ndcg.1=2,1=3" in files.refused("-m", "ndcg.1=2,1=3")


@row("negative `-l` or `-M`, a cutoff below 1")
def negative_options(files: Files) -> None:
    """None of them makes sense."""
    for options in (("-l-1",), ("-l", "-1"), ("-M", "-1"), ("-m", "P.0"), ("-m", "P.-5")):
        files.refused(*options)


@row("parameters that are not taken")
def unwanted_parameters(files: Files) -> None:
    """By a measure or by a set."""
    assert "map" in files.refused("-m", "map.7")
    assert "official" in files.refused("-m", "official.7")


@row("five fields of another format than `-R` says")
def judgments_of_another_format(files: Files) -> None:
    """Read as preferences, strata would be subgroups; a subgroup of one line prefers nothing."""
    strata = "q1 0 a 1 1\nq1 0 b 1 0\nq1 0 c 1 1\n"
    alone = "q1 ann s1 a 1\nq1 ann s2 a 0\nq1 ann s3 a 1\n"
    for judgments in (strata, alone):
        refused = files.refused("-R", "prefs", "-m", "prefs_simp", qrels=judgments)
        assert "it looks like judgments by strata" in refused
        assert "-R strata reads them" in refused


@row("blank lines, comments, marks, compression")
def harmless_files(files: Files) -> None:
    """The same numbers come out of files in odd clothes."""
    plain = files.run("-q").out
    odd_qrels = b"\xef\xbb\xbf# one\n# two\n\n" + QRELS.replace(" ", "\t").encode() + b"  # last"
    odd_run = b"\xef\xbb\xbf\r\n" + RUN.replace("\n", " # more text\r\n").encode() + b"#\n"
    assert files.run("-q", qrels=odd_qrels, run=odd_run).out == plain
    packed = files.run("-q", qrels=gzip.compress(odd_qrels), run=gzip.compress(odd_run))
    assert packed.out == plain


@row("text behind the run tag")
def text_behind_the_tag(files: Files) -> None:
    """It is told unless it is a remark; what is a second record, or follows a blank, is refused."""
    plain = files.run("-q").out
    told = files.run("-q", run=RUN.replace("s\n", "s more junk\n"))
    assert told.out == plain
    assert "run:1: 8 fields where 6 are expected" in told.err
    remark = files.run("-q", run=RUN.replace("s\n", "s # more junk\n"))
    assert (remark.out, "fields" in remark.err) == (plain, False)
    joined = RUN.replace("s\nq2 Q0 x", "sq2 Q0 x")
    assert "run:2: expected 6 fields" in files.refused(run=joined)
    assert "run:1: expected 6 fields" in files.refused(run=RUN.replace("Q0 a", "Q0 a b"))


@row("a carriage return within a line")
def carriage_returns(files: Files) -> None:
    """Lines that end with one alone would be a single line."""
    plain = files.run("-q").out
    assert files.run("-q", run=RUN.replace("\n", "\r\n")).out == plain
    assert "run:1: a carriage return within the line" in files.refused(run=RUN.replace("\n", "\r"))
    assert "qrels:1: a carriage return" in files.refused(qrels=QRELS.replace("\n", "\r"))


@row("standard input, pipes, names with `-`")
def standard_input(files: Files) -> None:
    """Either file may come through a pipe; a name that begins with - is a name."""
    plain = files.run("-q").out
    assert irev("-q", "-", "run", cwd=files.folder, stdin=QRELS.encode()).out == plain
    assert irev("-q", "qrels", "-", cwd=files.folder, stdin=RUN.encode()).out == plain
    (files.folder / "-run").write_text(RUN)
    assert irev("-q", "--", "qrels", "-run", cwd=files.folder).out == plain
    assert irev("-q", "-", "-", cwd=files.folder).code == 2


@row("messages, exit codes, `-D`")
def debug_text(files: Files) -> None:
    """-D chooses a topic and prints nothing of its own."""
    ran = files.run("-D", "9.q1", "-q", "-m", "map")
    assert ran.out == b"map                   \tq1\t1.0000\nmap                   \tall\t1.0000\n"


@for_each(
    "test", [test for tests in ROWS.values() for test in tests], ids=lambda test: test.__name__
)
def test_difference(test: Test, tmp_path: Path) -> None:
    """The tests above, each in a folder of its own."""
    test(Files(tmp_path))


def test_every_row_has_a_test() -> None:
    """The GUIDE's table and the tests are about the same differences."""
    table = GUIDE.partition("## Differences from trec_eval 10")[2].partition("\n## ")[0]
    titles = re.findall(r"^\| (.+?) \| .+ \| .+ \|$", table, re.MULTILINE)

    assert titles[0] == "where"
    assert set(titles[1:]) == set(ROWS)
