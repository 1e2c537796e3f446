"""Tables for papers: as wide as a column or a page, in LaTeX itself where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import irev as irev_package
from irev.writers.forms import COLUMN_POINTS, PAGE_POINTS, PaperFit, largest_paper_fit, width_in_ems
from tests.command import irev
from tests.files import SAMPLE

QRELS = SAMPLE / "qrels.txt"
RUNS = [SAMPLE / name for name in ("bm25.run", "rm3.run", "fusion.run")]
LONG = "colbert_monoelectra-base_msmarco-passage-trec-dl-2019-judged"

MEASURED = [
    # points by pdfTeX, letters of Computer Modern (T1) in \small, \footnotesize and \scriptsize
    (9.25, "0.7361", 25.7),
    (9.25, "[0.7066, 0.8291]", 62.2),
    (8.5, "[0.7066, 0.8291]", 57.1),
    (8.3, "[0.7066, 0.8291]", 53.7),
    (9.25, "\0020.7679\3\4ab\3", 37.8),
    (9.25, LONG, 262.6),
    (8.5, LONG, 241.2),
    (9.25, "TUW19-p1-f", 51.1),
    (9.25, "ICT-BERT2", 50.0),
    (9.25, "UNH_BM25-WMQ@1000/k+v=%#&", 157.6),
    (8.3, "iprec_at_recall_0.00", 75.2),
]


@pytest.mark.parametrize(("em", "text", "measured"), MEASURED)
def test_a_text_is_not_narrower_than_estimated(em: float, text: str, measured: float) -> None:
    assert measured <= em * width_in_ems(text) <= 1.17 * measured


def test_letters_are_as_large_as_fits_and_a_column_comes_before_a_page() -> None:
    numbers = ["map", *["0.1234"] * 3]

    def fit(name: str, count: int) -> PaperFit | None:
        return largest_paper_fit([["run", name], *[numbers] * count], 0)

    assert fit("bm25", 2) == PaperFit("table", r"\small")
    # the name takes two lines of a column, or one of a page
    wrapped = fit(LONG, 2)
    assert wrapped is not None
    assert (wrapped.environment, wrapped.size) == ("table", r"\small")
    assert 0 < wrapped.points < COLUMN_POINTS
    assert fit(LONG, 6) == PaperFit("table*", r"\small")
    narrow = fit(LONG, 11)
    assert narrow is not None
    assert narrow.environment == "table*"
    assert 0 < narrow.points < PAGE_POINTS / 2
    assert fit("bm25", 40) is None


MANY = "map,P_5,P_10,recip_rank,bpref,nDCG@10,R@100,Rprec,judged@10"
TOO_WIDE = [["leaderboard", "-m", MANY, "--places", "8"], ["compare", "-m", MANY]]
LAYOUTS = [
    *TOO_WIDE,
    ["leaderboard", "-m", "map,P_5"],
    ["leaderboard", "-m", MANY],
    ["compare", "-m", "map,P_5"],
    ["eval", "-m", "map"],
    ["eval", "-m", MANY],
    ["eval", "-m", MANY, "--percent"],
]


@pytest.fixture
def long_names(tmp_path: Path) -> list[Path]:
    """The runs, one of which has a name of 60 characters, and one what is special to TeX."""
    names = [f"{LONG}.run", "100%_of#A&B.$x{1}~^.run", "fusion.run"]
    for run, name in zip(RUNS, names, strict=True):
        shutil.copy(run, tmp_path / name)
    return [tmp_path / name for name in names]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex")
@pytest.mark.parametrize("words", LAYOUTS, ids=" ".join)
def test_it_fits_in_latex(words: list[str], long_names: list[Path], tmp_path: Path) -> None:
    ran = irev(*words, "--layout=paper", "--format=latex", QRELS, *long_names)
    assert ran.code == 0, ran.err
    text = (
        "\\documentclass[twocolumn]{article}\\usepackage[T1]{fontenc}"
        f"\\textwidth {PAGE_POINTS}pt\\columnsep {PAGE_POINTS - 2 * COLUMN_POINTS}pt"
        # as booktabs has them: rules as wide as the table
        "\\let\\toprule\\hline\\let\\midrule\\hline\\let\\bottomrule\\hline\\begin{document}"
        f"{ran.out.decode()}\\end{{document}}"
    )
    (tmp_path / "t.tex").write_text(text)
    subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "t.tex"], cwd=tmp_path, capture_output=True
    )
    log = (tmp_path / "t.log").read_text("latin-1")
    # intervals below nine means, or numbers of eight decimals, fit no page: the table says so
    problems = re.findall(r"^(?:!|Overfull).*", log, re.MULTILINE)
    assert bool(problems) == (words in TOO_WIDE) == (b"% wider than 7 inches" in ran.out)
    assert "Output written on t.pdf" in log


def test_a_table_too_wide_for_a_page_has_a_row_for_each_collection() -> None:
    judged = {topic: {"a": 1, "b": 0} for topic in ("1", "2")}
    good, bad = (dict.fromkeys(judged, ranked) for ranked in (["a", "b"], ["b", "a"]))
    each = {"qrels": judged, "runs": {"good": good, "bad": bad}}
    board = irev_package.leaderboard_of_collections(
        {f"collection-{number:02}": each for number in range(14)}, measures="RR", ci="none"
    )
    rows = latex_rows(board.paper())
    assert rows[0] == ["", "good", "bad"]
    assert rows[1] == ["collection-00", r"\textbf{1.0000}", "0.5000"]
    assert [row[0] for row in rows[-2:]] == ["collection-13", "mean"]
    assert len(rows) == 1 + 14 + 1


BOARD = r"""
     & run    & map             & interval         & P\_5
   1 & fusion & \textbf{0.7361}\textsuperscript{a} & [0.5872, 0.8850] & \textbf{0.8833}
   2 & rm3    & 0.4385\textsuperscript{b} & [0.3437, 0.5334] & 0.7500
   3 & bm25   & 0.3501\textsuperscript{c} & [0.2659, 0.4342] & 0.6500
"""


def latex_rows(text: str) -> list[list[str]]:
    """The cells of a table in LaTeX."""
    lines = [line.removesuffix(r"\\").split(" & ") for line in text.splitlines() if " & " in line]
    return [[cell.strip() for cell in line] for line in lines]


def test_a_board_in_a_paper() -> None:
    # means, intervals and groups are those of the full layout: tests/jobs/leaderboard
    ran = irev("leaderboard", "--layout=paper", "--format=latex", "-m", "map,P_5", QRELS, *RUNS)
    out = ran.out.decode()
    assert latex_rows(out) == latex_rows(BOARD)
    assert "3 runs by decreasing map, with its 95\\% t interval; means over 12 topics" in out
    assert "share a letter do not differ significantly under map" in out
    assert "two-sided, corrected by Holm for all 3 pairs" in out
    assert out.count(r"\begin{table}") == out.count(r"\end{table}") == 1
    board = irev_package.leaderboard(str(QRELS), list(map(str, RUNS)), "map P_5")
    assert board.paper() == out.rstrip("\n")
    assert "<strong>0.7361</strong><sup>a</sup>" in board.paper("html")


def test_scores_in_a_paper() -> None:
    words = ("--layout=paper", "-m", "map,P_5", QRELS)
    out = irev(*words, "--format=latex", *RUNS).out.decode()
    assert latex_rows(out) == [
        ["run", "map", r"P\_5"],
        ["bm25", "0.3501", "0.6500"],
        ["rm3", "0.4385", "0.7500"],
        ["fusion", r"\textbf{0.7361}", r"\textbf{0.8833}"],
    ]
    assert "Means over 12 topics; best in bold. irev" in out
    assert "% signature" in out
    one = irev(*words, "--format=latex", RUNS[0]).out.decode()
    assert latex_rows(one) == [["measure", "value"], ["map", "0.3501"], [r"P\_5", "0.6500"]]
    scores = irev_package.evaluate(str(QRELS), str(RUNS[0]), "map P_5")
    # in memory there is no signature
    assert latex_rows(scores.paper()) == latex_rows(one)


def test_unlike_topics_are_told_and_nothing_is_the_best_of_them() -> None:
    words = ("--layout=paper", "--format=markdown", "-m", "map", QRELS, RUNS[0])
    out = irev(*words, SAMPLE / "dense.run.gz").out.decode()
    assert "Means over 12 topics (dense over 11). irev" in out
    assert "**" not in out
    counted = irev("-c", *words, SAMPLE / "dense.run.gz").out.decode()
    assert "Means over 12 topics (topics that a run lacks count as 0); best in bold." in counted


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--layout=paper"], "--layout paper needs a form with tables"),
        (["--layout=paper", "--format=latex", "-q"], "leave out -q"),
        (["--layout=paper", "--format=latex", "--stats"], "leave out --stats"),
        (["leaderboard", "--layout=paper", "--per-topic"], "leave out --per-topic"),
    ],
)
def test_what_does_not_go_into_one_table(words: list[str], message: str) -> None:
    ran = irev(*words, "-m", "map", QRELS, *RUNS)
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err


def test_the_beginning_that_names_share_is_left_out_and_told(tmp_path: Path) -> None:
    paths = [tmp_path / f"dl-19-official-input.of-a-team.{run.name}" for run in RUNS]
    for run, path in zip(RUNS, paths, strict=True):
        shutil.copy(run, path)
    for command in ("eval", "compare", "leaderboard"):
        out = irev(command, "--layout=paper", "--format=latex", "-m", "map", QRELS, *paths).out
        cells = [row[-2 if command == "compare" else 0] for row in latex_rows(out.decode())]
        assert "The names of 3 runs are shown without" in out.decode()
        assert "dl-19" not in " ".join(cells)
