"""The records of a page, its data and what fits: values by hand."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import combinations, groupby
from typing import Any

import numpy as np
import pytest

from irev.core.text import short_run_names
from irev.writers.results_page import page_file
from irev.writers.results_page.page_data import (
    PageMeasure,
    PagePart,
    PageRun,
    PageTopic,
    PairCount,
    PairOutcomes,
    ResultsPage,
    TopDocuments,
    as_sentence,
    fewer_sentences,
    pair_counts_unlike_rounded,
    pair_outcomes,
    percent,
    rounded_means,
    rounded_scores,
)
from irev.writers.results_page.page_file import (
    breakable,
    fit_documents,
    json_text,
    listed_names,
    packed_documents,
    page_script,
    page_style,
    part_values,
    resource_text,
    results_page_bytes,
    rounded,
    say,
    signed,
    words,
)
from tests.pages import Page, nothing_is_loaded, page_data, static_html

NAN, INF = math.nan, math.inf


def a_part(**changes: Any) -> PagePart:
    """Three runs on two topics under one measure, all pairs tested."""
    names = ("a", "b", "c")
    part = PagePart(
        name="", kind="report", qrels_name="qrels", level=1.0, decimals=3, alpha=0.05,
        measures=(PageMeasure("map", True, True, "Average precision"),),
        runs=tuple(PageRun(name, name) for name in names),
        short_names=short_run_names(names),
        baseline=None,
        topics=(PageTopic("1", 3), PageTopic("2", 5)),
        scores=np.array([[[1000.0, 2000.0, 9000.0], [3000.0, 2000.0, NAN]]]),
        means=np.array([[[0.2, 0.1, 0.3], [0.2, 0.15, 0.25], [0.45, NAN, NAN]]]),
        outcomes=(PairOutcomes(np.array([1.0, 0.04, 0.06]), np.array([10.0, 20, 30]), None, None),),
        families=(), test="p: a test.", between="Intervals: some.", no_test="", tie=0.0,
        curves=None, doubts=(), remarks=(), broken=(), documents=None,
        made=(("judgments", "qrels"), ("signature", "x|y")),
    )  # fmt: skip
    return replace(part, **changes)


def page_of(part: PagePart) -> str:
    return b"".join(results_page_bytes(ResultsPage("Title", (part,)))).decode()


def test_p_is_rounded_as_it_is_shown_and_stays_on_its_side() -> None:
    p = np.array([0.12345, 0.0123456, 0.00123456, 0.0000123456, 0.049999, 0.05000001, 1.0])
    none = np.zeros(7)
    rounded_p = pair_outcomes(p, none, none, none, 0.05).p.tolist()
    assert rounded_p[:4] == [0.1235, 0.0123, 0.001235, 1.23e-05]
    assert rounded_p[4] <= 0.05 < rounded_p[5]
    assert rounded_p[6] == 1.0


def test_symmetric_intervals_have_half_a_width() -> None:
    mean = np.array([0.1, NAN])
    half = pair_outcomes(mean, mean, mean - 0.02, mean + 0.02, 0.05)
    assert (half.low, half.high) == (None, None)
    assert half.half is not None
    assert half.half[0] == 200.0
    assert half.half_widths().tolist() == [200.0]
    # cut at 0.11 by the bounds of the measure
    cut = pair_outcomes(mean, mean, mean - 0.02, mean + 0.01, 0.05)
    assert cut.half is None
    assert cut.low is not None
    assert cut.high is not None
    assert (cut.low[0], cut.high[0]) == (800.0, 1100.0)
    endless = pair_outcomes(mean, mean, mean - 0.02, np.array([INF, NAN]), 0.05)
    assert endless.half_widths().tolist() == []
    data = part_values(a_part(outcomes=(endless,)))["pairs"][0]
    assert data == {"p": [0.1, None], "low": [800, None], "high": [None, None]}


def test_scores_are_whole_ten_thousandths_and_null_where_a_run_lacks_the_topic() -> None:
    scores = np.array([[[0.12344, 0.0], [0.0, 1.0]]])
    lacks = np.array([[False, True], [False, True]])
    counted = rounded_scores(scores, lacks)
    # one that is lacked but does not count as 0 is shown as it counts
    assert np.array_equal(counted, [[[1234.0, NAN], [0.0, 10000.0]]], equal_nan=True)
    data = part_values(a_part(scores=counted))["scores"]
    assert data == [[[1234, 0], [None, 10000]]]


def test_only_pairs_that_rounding_changes_have_counts() -> None:
    """Scores of three runs on three topics; lower ones are better under the other measure."""
    scores = np.array([[0.30004, 0.3, 0.1], [0.2, 0.20004, 0.1], [0.5, 0.4, 0.1]])
    measures = [PageMeasure("map", True, True), PageMeasure("Time", False, False)]
    rounded_both = np.stack([rounded_scores(scores, np.zeros((3, 3), bool))] * 2)
    counts = pair_counts_unlike_rounded([scores, -scores], rounded_both, measures)
    assert counts == ((PairCount(0, 2, 1),), (PairCount(0, 1, 2),))
    # a difference of a tenth is a tie as well
    ties = pair_counts_unlike_rounded([scores], rounded_both[:1], measures[:1], 0.1)
    assert ties == ((PairCount(2, 3, 0),),)  # .20004 - .1
    assert pair_counts_unlike_rounded([], np.zeros((1, 1001, 500)), []) == ()


def test_means_have_twelve_digits() -> None:
    means = rounded_means(np.array([1 / 3]), np.array([-INF]), np.array([0.5]))
    assert means[0, 0] == 0.333333333333
    assert np.isnan(means[0, 1])
    assert part_values(a_part(means=means[None]))["means"] == [[[0.333333333333, None, 0.5]]]


def test_nothing_in_the_data_ends_their_element() -> None:
    name = '</script><!-- \u2028 \\ " caf\udce9'
    part = a_part(runs=tuple(PageRun(name + each, name + each) for each in "abc"))
    text = page_of(part)
    nothing_is_loaded(text)
    shown = [run["name"] for run in page_data(text)["parts"][0]["runs"]]
    assert shown[0] == '</script><!-- \\u2028 \\ " caf\\xe9a'


def test_documents_are_packed() -> None:
    """By hand: two runs, a topic; the document that both have is the first."""
    ids = ((("doc-b", "doc-a"),), (("doc-b", "doc<c"),), ((),))
    documents = TopDocuments(10, ids, ({"doc-b": "2", "doc<c": "0"},))
    packed = packed_documents(documents, [0, 1, 2])
    (topic,) = packed["topics"]
    assert topic["start"] == "doc"
    assert topic["ids"] == "-b -a <c"
    assert topic["grades"] == "2 - 0"
    assert topic["tops"] == "?@ ?A "
    assert "<" not in json_text(packed)
    assert json.loads(json_text(packed)) == packed
    one = packed_documents(TopDocuments(10, ((("alone",),),), ({},)), [0])
    assert (one["topics"][0]["start"], one["topics"][0]["ids"]) == ("", "alone")


def test_many_documents_have_a_character_each() -> None:
    """63 and more for the first 64, then 256 and more: none is a control or a blank."""
    ids = tuple((tuple(f"{run:02}-{rank}" for rank in range(10)),) for run in range(60))
    (topic,) = packed_documents(TopDocuments(10, ids, ({},)), range(60))["topics"]
    codes = [ord(code) for code in topic["tops"].replace(" ", "")]
    assert sorted(codes) == [*range(63, 127), *range(256, 792)]
    assert all(chr(code).isprintable() for code in codes if code < 127)


def test_documents_of_the_best_runs_and_the_baseline_stay() -> None:
    ids = tuple(((f"document-of-run-{run}",),) for run in range(30))
    documents, order = TopDocuments(10, ids, ({},)), [*range(29, -1, -1)]

    def size(count: int) -> int:
        return len(json_text(packed_documents(documents, [0, *order[:count]])))

    packed, note = fit_documents(documents, order, 0, size(29))
    assert packed is not None
    assert (packed["runs"], note) == ([*range(30)], "")
    for most in (20, 10, 5):
        packed, note = fit_documents(documents, order, 0, size(most))
        assert packed is not None
        assert packed["runs"] == [0, *range(30 - most, 30)]
        assert note.startswith(f"Documents are held of the {most} best runs and the baseline")
    packed, note = fit_documents(documents, order, 0, size(5) - 1)
    assert packed is None
    assert note.startswith("Documents are left out")


@pytest.mark.thorough
def test_what_does_not_fit_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """First the pairs of later measures, then scores, then the other pairs; never a run."""
    names = [f"run{number:02}" for number in range(40)]
    pairs = np.array([*combinations(range(40), 2)])
    # the lower end of a pair is 100 i + j, so that each can be told
    low = (100 * pairs[:, 0] + pairs[:, 1]).astype(float)
    outcomes = PairOutcomes(low / 1e4, None, low, low + 50_000)
    means = np.stack([np.linspace(0, 1, 40)] * 3, axis=1)
    part = a_part(
        measures=a_part().measures * 2, means=np.stack([means] * 2),
        runs=tuple(PageRun(name, name) for name in names), short_names=short_run_names(names),
        scores=np.full((2, 2, 40), 5000.0), outcomes=(outcomes, outcomes),
    )  # fmt: skip
    seen, data = [], page_data(page_of(part))["parts"][0]
    for room in range(len(page_of(part).encode()), 0, -500):
        monkeypatch.setattr(page_file, "LARGEST_PAGE", room)
        text = page_of(part)
        (data,) = page_data(text)["parts"]
        held = [each is not None for each in data["pairs"]]
        seen.append((held, data["scores"] is not None))
        assert len(Page(text).tables["Runs, sorted by map"]) == 40
        if not held:
            break
        assert len(text.encode()) <= room
    assert [state for state, _ in groupby(seen)] == [
        ([True, True], True), ([True, False], True), ([True, False], False), ([], False),
    ]  # fmt: skip
    # the best run is the last: in each pair with it the other one stands first
    (family,) = data["families"]
    assert family["baseline"] == 39
    expected = [100 * run + 39 for run in range(39)]
    for outcome in family["measures"]:
        assert outcome["low"] == [*expected, None]
        assert outcome["high"] == [*(each + 50_000 for each in expected), None]
        assert outcome["p"] == [*(each / 1e4 for each in expected), None]


def test_pairs_with_the_best_are_turned_to_it() -> None:
    """Of the pair (best, run) the family has run minus best."""
    outcomes = PairOutcomes(np.array([0.01, 0.02, 0.03]), None, np.array([-1.0, -2, -3]),
                            np.array([4.0, 5, 6]))  # fmt: skip
    means = a_part().means[:, ::-1]
    family = page_file._add_best_family(a_part(outcomes=(outcomes,), means=means)).families[0]
    assert family.run_index == 0
    (turned,) = family.outcomes
    assert turned is not None
    assert turned.low is not None
    assert turned.high is not None
    assert turned.p[1:].tolist() == [0.01, 0.02]
    assert turned.low[1:].tolist() == [-4.0, -5.0]
    assert turned.high[1:].tolist() == [1.0, 2.0]


def test_the_static_page_says_what_the_data_say() -> None:
    text = static_html(page_of(a_part()))
    for said in (
        "<h2>Highest mean map</h2>", ">c</p>", "<p>0.450</p>",
        "<p>1 other run does not differ significantly from it: b.</p>",
        '<p class="big">1 of 3 pairs differs significantly</p>',
        'Against <b>c</b>: <span class="better">0 better</span>, '
        '<span class="worse">1 worse</span>, 1 not significantly different.',
        "The smallest significant difference is 0.250, the largest that is not significant 0.250. "
        "Half of the intervals are wider than ±0.002.",
        "Nothing was found that makes these numbers doubtful.",
        "<td>1/0/1</td>",
        "<code>x|y</code>",
    ):  # fmt: skip
        assert said in text, said
    # equal means share a place
    assert text.count("<td>2</td><th") == 2


def test_numbers_and_names_as_they_are_read() -> None:
    assert [rounded(value, 2) for value in (-1.239, NAN, INF, -INF)] == [
        "\u22121.24", "\u2013", "\u221e", "\u2212\u221e",
    ]  # fmt: skip
    assert [signed(value, 1) for value in (0.26, 0.0, -0.26)] == ["+0.3", "0.0", "\u22120.3"]
    assert [percent(share) for share in (0.427, 0.994, 0.29, None)] == [
        "43%",
        "99%",
        "29%",
        "\u2013",
    ]
    assert breakable("a-b_c.<d>/e") == "a-<wbr>b_<wbr>c.<wbr>&lt;d&gt;/<wbr>e"
    assert listed_names(["x" * 200, "y"]) == f"{'x' * 200} and 1 more"
    assert listed_names([*"abc"]) == "a, b, c"


def test_sentences() -> None:
    assert as_sentence("one run") == "One run."
    assert as_sentence("rm3 lacks 2", ["rm3"]) == "rm3 lacks 2."
    assert [*fewer_sentences("abc", 2)] == ["a", "b", "And 1 more such warning."]
    assert [*fewer_sentences("abc", 1)] == ["a", "And 2 more such warnings."]
    # what fills a slot is not filled again
    assert say("and_more", names="{count}", count=3) == "{count} and 3 more"


def test_every_sentence_of_the_static_page_is_in_the_list() -> None:
    assert page_data(page_of(a_part()))["words"] == words()


def test_script_and_style_have_no_comments_and_cannot_end_early() -> None:
    script, style = page_script(), page_style()
    assert script.startswith('"use strict";(()=>{\n')
    assert script.endswith("\n})();")
    assert "</" not in script.replace("<\\/", "")
    assert "</" not in style
    assert not [line for line in script.splitlines() if line.startswith(("//", "/*", "*"))]
    assert "/*" not in style
    for name in resource_text("scripts.txt").split():
        first = next(
            line.strip() for line in resource_text(name).splitlines()
            if line.strip() and not line.strip().startswith(("//", "/*", "*"))
        )  # fmt: skip
        assert first in script


def test_several_parts_have_names(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = (a_part(name="public"), a_part(name="<private>"))
    text = b"".join(results_page_bytes(ResultsPage("Two", parts))).decode()
    nothing_is_loaded(text)
    assert '<h2 class="partname">&lt;private&gt;</h2>' in text
    assert [part["name"] for part in page_data(text)["parts"]] == ["public", "<private>"]


def test_what_could_not_be_scored_is_folded() -> None:
    text = static_html(page_of(a_part(broken=("2 submissions:", "<x>: bad"), remarks=("One.",))))
    assert "<li>One.</li>" in text
    assert "<summary>2 submissions:</summary>" in text
    assert "<li>&lt;x&gt;: bad</li>" in text
