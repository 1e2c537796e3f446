"""The TREC summary sheet, as text and as a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from irev.cli.commands import irev
from irev.cli.evaluate import SHEETS, EvalOutput
from irev.core.judged import Column
from irev.jobs.plots.recall_precision import (
    median_difference_figure,
    recall_precision,
    recall_precision_figure,
    write_sheet_page,
)
from irev.measures.families.average_precision import RULES, RULES_IN_WORDS, recall_level_measures
from irev.scores.scores import Account, Scores
from irev.writers.scores import sheet_measures, write_summary_sheets
from irev.writers.trec import ScoredFile, ScoreLayout
from tests.each import for_each
from tests.files import SAMPLE

# the lecture slides' sheet: 50 topics of 1000 documents, 4728 relevant ones, and so many of them
# among the first documents of all topics
HITS = {5: 145, 10: 275, 15: 374, 20: 465, 30: 638, 100: 1340, 200: 1921, 500: 2712, 1000: 3212}
PRECISION = {
    5: "0.5800", 10: "0.5500", 15: "0.4987", 20: "0.4650", 30: "0.4253", 100: "0.2680",
    200: "0.1921", 500: "0.1085", 1000: "0.0642",
}  # fmt: skip
AVERAGES = [
    "0.8190", "0.5975", "0.5032", "0.4372", "0.3561", "0.2936", "0.2511", "0.1941", "0.1257",
    "0.0696", "0.0296",
]  # fmt: skip

# one topic, six relevant documents, five of them at ranks 1 2 4 6 13: the slides' example
SMALL = """\
Summary Statistics
   Run Number                                        tag
   Run Description                                   run
   Number of Topics                                    1

Total number of documents over all topics
   Retrieved:                                         13
   Relevant:                                           6
   Rel-ret:                                            5

Recall Level Precision Averages
   Recall                                      Precision
   0.00                                           1.0000
   0.10                                           1.0000
   0.20                                           1.0000
   0.30                                           1.0000
   0.40                                           0.7500
   0.50                                           0.7500
   0.60                                           0.6667
   0.70                                           0.3846
   0.80                                           0.3846
   0.90                                           0.0000
   1.00                                           0.0000

Average precision over all relevant docs
   non-interpolated                               0.6335

Document Level Averages
                                               Precision
   At    5 docs                                   0.6000
   At   10 docs                                   0.4000
   At   15 docs                                   0.3333
   At   20 docs                                   0.2500
   At   30 docs                                   0.1667
   At  100 docs                                   0.0500
   At  200 docs                                   0.0250
   At  500 docs                                   0.0100
   At 1000 docs                                   0.0050

R-Precision (precision after R docs retrieved (where R is the
number of relevant documents))
   Exact                                          0.6667

recall levels: highest precision from level * R relevant documents on, rounded up (trec_eval 9); \
--recall-rule te9
averaged over 1 topic
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("".join(f"q 0 r{number} 1\n" for number in range(6)), encoding="utf-8")
    relevant = dict(zip((1, 2, 4, 6, 13), range(5), strict=True))
    docs = [f"r{relevant.get(rank, f'x{rank}')}" for rank in range(1, 14)]
    lines = (f"q Q0 {doc} {rank} {100 - rank} tag\n" for rank, doc in enumerate(docs, 1))
    Path("run").write_text("".join(lines), encoding="utf-8")


def call(*arguments: str) -> tuple[int, str, str]:
    outcome = CliRunner().invoke(irev, list(arguments))
    return outcome.exit_code, outcome.stdout, outcome.stderr


def values(text: str) -> dict[str, str]:
    """What stands beside each name of a sheet."""
    found = {}
    for line in text.splitlines():
        name, _, value = line.strip().rpartition("  ")
        if name:
            found[re.sub(" +", " ", name.strip())] = value
    return found


def test_a_sheet() -> None:
    # trec9 rounds recall levels up: they are those at or above
    code, out, err = call("--format", "sheet", "--compat", "trec9", "qrels", "run")
    assert (code, err) == (0, "")
    assert out.startswith(SMALL)
    assert out.removeprefix(SMALL).startswith("irev:")


def test_a_sheet_is_what_trec_lines_say() -> None:
    arguments = (str(SAMPLE / "qrels.txt"), str(SAMPLE / "bm25.run"))
    names = [part for name in sheet_measures("te10") for part in ("-m", name)]
    lines = [line.split() for line in call(*names, *arguments)[1].splitlines()]
    shown = sorted(value for name, _, value in lines if name != "num_q")
    sheet = values(call("--format", "sheet", *arguments)[1])
    assert sheet.pop("Number of Topics") == "12"
    of_run = {"Run Number", "Run Description", "Recall"}
    sheet = {name: value for name, value in sheet.items() if not name.startswith("recall")}
    assert sorted(value for name, value in sheet.items() if name not in of_run) == shown


def test_rules_of_recall_levels() -> None:
    """Precision of the slides' example at its relevant documents is 1, 1, 3/4, 4/6, 5/13."""
    expected = {
        # the best at a recall of at least the level
        "ge": "1.0 1.0 1.0 1.0 .75 .75 .6667 .3846 .3846 0 0",
        # 0.9 * 6 documents are 5.4, rounded 5; 0.4 * 6 are 2.4, rounded 2; 0.7 * 6 are 4.2
        "te10": "1.0 1.0 1.0 1.0 1.0 .75 .6667 .6667 .3846 .3846 0",
        "te9": "1.0 1.0 1.0 1.0 .75 .75 .6667 .3846 .3846 0 0",
    }
    for rule, levels in expected.items():
        out = call("--format", "sheet", "--recall-rule", rule, "qrels", "run")[1]
        found = [float(values(out)[f"{tenth / 10:.2f}"]) for tenth in range(11)]
        assert found == [float(level) for level in levels.split()]
        assert RULES_IN_WORDS[rule] in out
    assert list(RULES) == list(RULES_IN_WORDS) == list(EvalOutput.fields()["recall_rule"].choices)


def test_the_plot_draws_the_sheet() -> None:
    """A rule gives the same numbers in `plot recall-precision`."""
    for rule in ("ge", "te10"):
        sheet = values(call("--format", "sheet", "--recall-rule", rule, "qrels", "run")[1])
        table = recall_precision("qrels", ["run"], recall_rule=rule).to_frame()
        drawn = table[table["what"] == "interpolated"]["precision"]
        shown = [sheet[f"{tenth / 10:.2f}"] for tenth in range(11)]
        assert [f"{value:.4f}" for value in drawn] == shown


def test_the_description() -> None:
    out = call("--format", "sheet", "--description", "Title only, Porter", "qrels", "run")[1]
    assert values(out)["Run Description"] == "Title only, Porter"
    code, _, err = call("--format", "sheet", "--description", "x", "qrels", "run", "run")
    assert (code, "give one run" in err) == (2, True)
    code, _, err = call("--description", "x", "qrels", "run")
    assert (code, "--description needs --format sheet" in err) == (2, True)


def test_the_sheet_of_the_slides() -> None:
    """The counts of the slides give the precision that is printed there."""
    topics = [f"t{number:02}" for number in range(50)]
    relevant: dict[int, int] = {}
    before, above = 0, 0
    for cutoff, hits in HITS.items():
        for number in range(hits - before):
            place = number % (50 * (cutoff - above))
            relevant[(place % 50) * 1000 + above + place // 50] = 1
        before, above = hits, cutoff
    assert len(relevant) == 3212
    lines = (
        f"{topic} Q0 d{rank} {rank} {2000 - rank} ok8amxc\n"
        for topic in topics
        for rank in range(1000)
    )
    Path("slides.run").write_text("".join(lines), encoding="utf-8")
    judged = [f"{topics[place // 1000]} 0 d{place % 1000} 1\n" for place in relevant]
    judged += [f"{topics[number % 50]} 0 missed{number} 1\n" for number in range(4728 - 3212)]
    Path("slides.qrels").write_text("".join(judged), encoding="utf-8")
    sheet = values(call("--format", "sheet", "slides.qrels", "slides.run")[1])
    assert sheet["Run Number"] == "ok8amxc"
    assert sheet["Number of Topics"] == "50"
    counts = [int(sheet[name]) for name in ("Retrieved:", "Relevant:", "Rel-ret:")]
    assert counts == [50000, 4728, 3212]
    assert counts[2] / counts[1] == pytest.approx(0.679357, abs=1e-6)
    assert {cutoff: sheet[f"At {cutoff} docs"] for cutoff in PRECISION} == PRECISION


def made(values: list[float] | None = None, topics: tuple[bytes, ...] = (b"q",)) -> Scores:
    """Scores with what a sheet shows: the slides' averages, or average precision by topic."""
    levels = [Column(name, "IPrec") for name in recall_level_measures("te10")]
    counts = [Column(name, name, "count", "sum") for name in ("num_ret", "num_rel", "num_rel_ret")]
    others = [Column(name, name) for name in ("map", "Rprec", *(f"P_{k}" for k in HITS))]
    columns = (Column("num_q", "num_q", "count", "topics", False), *counts, *levels, *others)
    table = np.zeros((len(topics), len(columns)))
    table[:, 4:15] = [float(value) for value in AVERAGES]
    table[:, 15] = values or [0.3169]
    table[:, 16] = 0.3470
    return Scores(b"<tag>", topics, columns, table, {}, len(topics), {}, Account())


def test_the_averages_of_the_slides() -> None:
    result = ScoredFile("ok8amxc", made())
    sheet = values(b"".join(write_summary_sheets([result], ScoreLayout())).decode())
    shown = [sheet[f"{tenth / 10:.2f}"] for tenth in range(11)]
    assert shown == AVERAGES
    assert sum(map(float, shown)) / 11 == pytest.approx(0.334245, abs=1e-6)
    assert (sheet["non-interpolated"], sheet["Exact"]) == ("0.3169", "0.3470")


def test_the_curve_of_a_page() -> None:
    figure = recall_precision_figure(ScoredFile("ok8amxc", made()), "te10")
    (axes,) = figure.axes
    line = next(each for each in axes.get_lines() if each.get_label() == "ok8amxc")
    assert np.asarray(line.get_xdata()).tolist() == [tenth / 10 for tenth in range(11)]
    assert np.asarray(line.get_ydata()).tolist() == [float(value) for value in AVERAGES]
    even = next(each for each in axes.get_lines() if each.get_label() == "_break-even")
    assert np.asarray(even.get_xydata()).tolist() == [[0.3470, 0.3470]]
    assert axes.get_xlabel() == "recall"
    assert axes.get_ylabel() == "precision"
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "AP 0.3169", "break-even (R-precision)"
    ]  # fmt: skip


def test_the_difference_of_a_page() -> None:
    # the second run lacks a topic, which counts as 0
    runs = [
        ScoredFile("one", made([0.5, 0.25, 0.75], (b"a", b"b", b"c"))),
        ScoredFile("two", made([0.25, 0.75], (b"a", b"b"))),
    ]
    (axes,) = median_difference_figure(runs, 0).axes
    bars = [bar.get_height() for bar in axes.patches]  # type: ignore[attr-defined]
    assert bars == [0.125, -0.25, 0.375]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["a", "b", "c"]
    assert axes.get_title() == "one against the median of all 2 runs"


class Page(HTMLParser):
    """What is in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.count: dict[str, int] = {}
        self.ids: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element opens."""
        self.count[tag] = self.count.get(tag, 0) + 1
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name in ("href", "src", "xlink:href"):
                self.links.append(value or "")
            elif value and "url(#" in value:
                self.links += re.findall(r"url\((#[^)]*)\)", value)
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without content."""
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        """The element that was opened last closes."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Text."""
        self.text += data


@pytest.mark.thorough
def test_a_page_of_several_runs() -> None:
    names = ("bm25.run", "rm3.run", "dense.run.gz")
    arguments = [str(SAMPLE / name) for name in ("qrels.txt", *names)]
    code, out, _ = call("--format", "sheet-html", "-c", *arguments)
    assert code == 0
    page = Page()
    page.feed(out)
    assert page.open == []
    assert (page.count["section"], page.count["svg"], page.count["table"]) == (3, 6, 18)
    # it needs nothing else, and what refers to something refers to one thing in it
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert all(link.startswith("#") for link in page.links)
    assert "script" not in page.count
    assert "1 judged topic missing from the run, counted as 0: 20" in page.text


def test_a_page_of_one_run_has_one_plot() -> None:
    page = Page()
    written = write_sheet_page([ScoredFile("a<b>&", made())], ScoreLayout())
    page.feed(b"".join(written).decode())
    assert page.count["svg"] == 1
    assert "b" not in page.count
    assert "a<b>&" in page.text
    assert "<tag>" in page.text


def test_several_sheets() -> None:
    out = call("--format", "sheet", "qrels", "run", "run")[1]
    assert out.count("Summary Statistics") == 2
    assert out.count("\n\n\n") == 1


@for_each("form", SHEETS)
@for_each(
    "more",
    [["-m", "map"], ["-q"], ["-n"], ["--tie-range"], ["--judged"], ["--sample", "50%"],
     ["--group-by", "run"]],
)  # fmt: skip
def test_options_that_a_sheet_has_no_place_for(form: str, more: list[str]) -> None:
    outcome = CliRunner().invoke(irev, ["--format", form, *more, "qrels", "run"])
    assert outcome.exit_code == 2
    assert outcome.stdout == ""


def test_what_is_said_of_options() -> None:
    err = call("--format", "sheet", "-m", "map", "qrels", "run")[2]
    assert "-m does not apply" in err


def test_places() -> None:
    sheet = values(call("--format", "sheet", "--places", "6", "qrels", "run")[1])
    assert sheet["Exact"] == "0.666667"
