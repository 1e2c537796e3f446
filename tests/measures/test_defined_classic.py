"""The binary and set measures with named options, and the older ones."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev import evaluate
from irev.core.judged import RankingExtras, TieSpans
from irev.errors import UsageError
from irev.measures.registry import Measure, NamedOptions
from tests import plain_defined_classic as plain
from tests import strategies
from tests.each import for_each
from tests.files import CASES
from tests.measures.test_every_measure import judged, printed, ranking_of
from tests.plain import POOLED, Topic
from tests.registered import NAMED, compute_measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.arrays import Floats

PUBLISHED = CASES / "published_classic.csv"
NAMES = [*plain.MEASURES, "ESL"]


# --- from a name to what is computed, and back ---


class Asked(NamedTuple):
    """A measure with what its function takes."""

    name: str
    cutoffs: tuple[Any, ...] = (None,)
    options: dict[str, Any] = {}  # noqa: RUF012 (never written into)
    level: int | None = None
    condensed: bool = False

    @property
    def measure(self) -> Measure:
        """The record."""
        return NAMED[self.name]

    def values(self, topics: Sequence[Topic], sizes: Sequence[Sequence[int]] = ()) -> list[Any]:
        """A list of numbers for each topic; `sizes` are the sizes of its groups of ties."""
        rankings = judged(topics)
        if sizes:
            rankings = replace(rankings, extras=RankingExtras(ties=spans_of(topics, sizes)))
        rankings = rankings.at_level(self.level, condensed=self.condensed)
        found: Floats = self.measure.compute(rankings, self.cutoffs, **self.options)
        assert found.dtype == np.float64
        assert found.shape == (len(topics), len(self.cutoffs))
        rows: list[Any] = found.tolist()
        return rows

    def expected(self, topics: Sequence[Topic]) -> list[list[float]]:
        """The same by the definition."""
        if self.level is not None:
            topics = [replace(topic, level=self.level) for topic in topics]
        if self.condensed:
            topics = [replace(t, codes=[c for c in t.codes if c >= 0]) for t in topics]
        definition = plain.MEASURES[self.name]
        return [[definition(topic, k, **self.options) for k in self.cutoffs] for topic in topics]


def spans_of(topics: Sequence[Topic], sizes: Sequence[Sequence[int]]) -> TieSpans:
    """The groups of ties of the documents that stand in the qrels."""
    rows = []
    for topic, of_topic in zip(topics, sizes, strict=True):
        groups = [(1 + sum(of_topic[:i]), size) for i, size in enumerate(of_topic)]
        places = [group for group in groups for _ in range(group[1])]
        rows += [group for group, code in zip(places, topic.codes, strict=True) if code != -1]
    table = np.array(rows, np.int64).reshape(-1, 2)
    return TieSpans(table[:, 0], table[:, 1])


def asked(name: str) -> Asked:
    """What a name such as `RHL(gain={1:0.5,2:1})` or `P@5` asks for."""
    head, options, cutoff = re.fullmatch(r"(\w+)(?:\((.*)\))?(?:@([\d.]+))?", name).groups()  # type: ignore[union-attr]
    named = re.findall(r"(\w+)=(\{.*?\}|[^,]+)", options or "")
    cutoffs = (None,) if cutoff is None else (float(cutoff) if "." in cutoff else int(cutoff),)
    return Asked(head, cutoffs, {option: value_of(text) for option, text in named})


def value_of(text: str) -> Any:
    if text.startswith("{"):
        pairs = (pair.split(":") for pair in text[1:-1].split(","))
        return tuple((int(grade), float(gain)) for grade, gain in pairs)
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        return text


def drawn(text: str) -> Topic:
    """A ranking as in examples, where `0x40` is forty times 0."""
    return ranking_of(re.sub(r"(\S)x(\d+)", lambda m: f"{m[1]} " * int(m[2]), text))


def score(name: str, ranking: str) -> float:
    value: float = asked(name).values([drawn(ranking)])[0][0]
    return value


# --- published values ---


def published() -> list[dict[str, str]]:
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@for_each("row", published(), ids=lambda row: row["ref"])
def test_published_value(row: dict[str, str]) -> None:
    """Kishida 2005 (K), Zhai and Massung (Z), lecture slides (F), other programs (X)."""
    found = score(row["name"], row["ranking"])
    assert found == pytest.approx(float(row["value"]), abs=float(row["within"]))
    if row["printed"]:
        within = float(row["printed_within"]) + 1e-12  # some lie on the border of two roundings
        assert found == pytest.approx(float(row["printed"]), abs=within)


def test_published_mean() -> None:
    topics = [drawn("1 0 1 0 0 1 0 0 1 1"), drawn("0 1 0 0 1 0 1 0 0 0")]
    values = [value for (value,) in Asked("AP").values(topics)]
    assert sum(values) / 2 == pytest.approx(0.532540, abs=1e-6)


LEVELS = tuple(tenth / 10 for tenth in range(11))
EXAMPLE_1 = "1 1 0 1 0 1 0 0 0 0 0 0 1 1"
EXAMPLE_2 = "1 0 1 0 1 0 0 1 1 0 0 0 0 1"
CURVES = [
    (EXAMPLE_1, "ge", "1 1 1 1 .75 .75 .6667 .4286 .4286 .4286 .4286"),
    (EXAMPLE_1, "te9", "1 1 1 1 .75 .75 .6667 .4286 .4286 .4286 .4286"),
    (EXAMPLE_1, "te10", "1 1 1 1 1 .75 .6667 .6667 .4286 .4286 .4286"),
    (EXAMPLE_1, "band", "1 1 1 1 .75 .75 .6667 .3846 .3846 .4286 .4286"),
    (EXAMPLE_2, "ge", "1 1 .6667 .6667 .6 .6 .5556 .5556 .5556 .4286 .4286"),
    (EXAMPLE_2, "te10", "1 1 1 .6667 .6667 .6 .5556 .5556 .5556 .5556 .4286"),
    (EXAMPLE_2, "band", "1 1 .6667 .6667 .6 .6 .5 .5556 .5556 .4286 .4286"),
]
"""Interpolated precision from 0 to 1; te9 and te10 as trec_eval prints them, band as on slides."""


@pytest.mark.parametrize(("ranking", "rule", "wanted"), CURVES)
def test_published_curve(ranking: str, rule: str, wanted: str) -> None:
    values = Asked("IPrec", LEVELS, {"rule": rule}).values([drawn(ranking)])[0]
    assert values == pytest.approx([float(value) for value in wanted.split()], abs=5e-5)


SHARED_BY_PEERS = "0 2 - 1 3 0 3 - | 2 1 0"
PEERS = [
    ("AP", 0.3619), ("AP@5", 0.2667), ("AP(denom=min)@5", 0.3200), ("Bpref", 0.3889),
    ("Rprec", 0.5), ("infAP", 0.3619), ("Judged@5", 0.8), ("Judged(denom=retrieved)@5", 0.8),
    ("Unjudged@5", 0.2), ("SetP", 0.5), ("SetR", 0.6667), ("SetF", 0.5714), ("SetAP", 0.3333),
]  # fmt: skip
"""What trec_eval, ir_measures and pyNTCIREVAL (denom=min) print."""


@for_each(("name", "value"), PEERS)
def test_value_of_other_programs(name: str, value: float) -> None:
    assert score(name, SHARED_BY_PEERS) == pytest.approx(value, abs=5e-5)


def test_value_of_other_programs_at_other_levels() -> None:
    topic = drawn(SHARED_BY_PEERS)
    assert Asked("AP", level=2).values([topic])[0][0] == pytest.approx(0.3321, abs=5e-5)
    assert Asked("AP", condensed=True).values([topic])[0][0] == pytest.approx(0.4306, abs=5e-5)


# --- records ---


@for_each("name", NAMES)
def test_record_is_complete(name: str) -> None:
    measure = NAMED[name]
    assert isinstance(measure.parameter, NamedOptions)
    assert measure.checked in ("paper", "program", "not yet")
    assert all(option.meaning for option in measure.parameter.options.values())
    for text in (measure.title, measure.formula, measure.source, measure.help):
        assert text.strip()
        assert not text.endswith(".\n")
    assert measure.example


@for_each("name", NAMES)
def test_example_is_right(name: str) -> None:
    measure = NAMED[name]
    assert measure.example
    ranking, text, value = measure.example
    request, topic = asked(name + text), ranking_of(ranking)
    values = request.values([topic])[0][0]
    assert printed(measure, values) == pytest.approx(value, abs=1e-12)
    if name in plain.MEASURES:
        expected = request.expected([topic])[0][0]
        assert printed(measure, expected) == pytest.approx(value, abs=1e-12)


# --- agreement with the definitions ---

BETA = st.sampled_from([0.0, 0.3, 0.5, 1.0, 2.0, 10.0, math.inf])
DENOMINATOR = st.sampled_from(["R", "min"])
DIVISOR = st.sampled_from(["k", "retrieved"])
NEVER = st.sampled_from([math.inf, 0.0, 1001.0])
MISSING = st.sampled_from(["N", "found"])
RULE = st.sampled_from(["ge", "band", "te9", "te10"])
GAIN = st.sampled_from(["linear", "exp", ((1, 0.5), (2, 1.0)), ((1, 0.0), (2, 7.0), (3, 0.1))])
GIVEN: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "R": {"denom": DENOMINATOR},
    "AP": {"denom": DENOMINATOR},
    "F": {"beta": BETA},
    "SetF": {"beta": BETA},
    "SetE": {"beta": BETA},
    "SetP": {"relative": st.booleans()},
    "Rprec": {"mult": st.sampled_from([0.2, 0.5, 1.0, 1.2, 2.0, 1e6]) | st.floats(0.01, 5)},
    "IPrec": {"rule": RULE},
    "IPrecAvg": {"rule": RULE},
    "SL": {"count": st.sampled_from(["rank", "nonrel"]), "never": NEVER},
    "RHL": {
        "form": st.sampled_from(["rank", "grouped"]),
        "total": st.sampled_from(["retrieved", "all"]),
        "gain": GAIN,
        "never": NEVER,
    },
    "NormRecall": {"fill": st.sampled_from(["worst", "mean"])},
    "NormPrec": {"fill": st.sampled_from(["worst", "mean"])},
    "WSS": {
        "recall": st.sampled_from([0.95, 1.0, 0.8, 0.3, 0.05]),
        "target": st.sampled_from(["ceil", "round"]),
        "norm": st.booleans(),
        "N": st.just(500),
    },
    "LastRel": {"missing": MISSING, "N": st.just(500)},
    "NormLastRel": {"missing": MISSING, "N": st.just(500)},
    "RecallArea": {"N": st.just(500)},
    "ReadRecall": {"percent": st.sampled_from([0.0, 5.0, 20.0, 50.0, 100.0]), "N": st.just(150)},
    "Judged": {"denom": DIVISOR},
    "Unjudged": {"denom": DIVISOR},
    "Bpref": {"def": st.just("te")},
    "infAP": {"eps": st.sampled_from([0.0, 1e-5, 0.5])},
}
SIZED = [
    name
    for name in plain.MEASURES
    if "N" in NAMED[name].options and NAMED[name].family != "screening"
]
"""Those that need the size of the collection."""


@cache
def options_for(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Some of the measure's options, the others at their default."""
    return st.fixed_dictionaries({}, optional=GIVEN.get(name, {}))


@cache
def cutoffs_for(name: str) -> st.SearchStrategy[tuple[Any, ...]]:
    """Cutoffs as the measure takes them."""
    parameter = NAMED[name].parameter
    assert isinstance(parameter, NamedOptions)
    rank = st.integers(1, 30) | st.sampled_from([1000, 2**40, 2**63 - 1])
    level = st.sampled_from([*LEVELS, 0.05, 0.25, 0.33, 0.667, 1e-5]) | st.floats(0, 1)
    each = {"required": rank, "optional": rank | st.none(), "recall": level}.get(parameter.cutoff)
    if each is None:
        return st.just((None,))
    return st.lists(each, min_size=1, max_size=5).map(tuple)


def seen(topics: Sequence[Topic]) -> int:
    """The documents that one topic at most shows."""
    return max(len(t.codes) + len(t.grades) - sum(c >= 0 for c in t.codes) for t in topics)


def assert_close(found: list[Any], wanted: list[Any], topics: Sequence[Topic]) -> None:
    strategies.assert_close(found, wanted, topics, 1e-10, 1e-11)


@pytest.mark.parametrize("name", plain.MEASURES)
@given(data=st.data())
def test_agrees_with_its_definition(name: str, data: st.DataObject) -> None:
    topics = data.draw(strategies.topics())
    options = data.draw(options_for(name))
    if name in SIZED:
        options["N"] = max(seen(topics), 1) + data.draw(st.sampled_from([0, 0, 1, 2, 100]))
    level = data.draw(st.none() | st.integers(0, 3))
    request = Asked(name, data.draw(cutoffs_for(name)), options, level, data.draw(st.booleans()))
    assert_close(request.values(topics), request.expected(topics), topics)


def every_choice(name: str) -> list[dict[str, Any]]:
    """The default, and each of the drawable values of each option by itself."""
    size = {"N": 160} if name in SIZED else {}
    choices: dict[str, list[dict[str, Any]]] = {
        "R": [{"denom": "min"}], "AP": [{"denom": "min"}], "SetP": [{"relative": True}],
        "F": [{"beta": 0.5}], "SetF": [{"beta": 0.5}], "SetE": [{"beta": 2.0}],
        "Rprec": [{"mult": 0.3}, {"mult": 1.8}],
        "IPrec": [{"rule": rule} for rule in ("band", "te9", "te10")],
        "IPrecAvg": [{"rule": rule} for rule in ("band", "te9", "te10")],
        "SL": [{"count": "nonrel"}, {"never": 1001.0}],
        "RHL": [{"form": "grouped"}, {"total": "all"}, {"form": "grouped", "total": "all"}],
        "NormRecall": [{"fill": "mean"}], "NormPrec": [{"fill": "mean"}],
        "Judged": [{"denom": "retrieved"}], "Unjudged": [{"denom": "retrieved"}],
        "infAP": [{"eps": 0.1}],
        "WSS": [{"recall": 0.5, "target": "round"}, {"recall": 1.0, "norm": True}, {"N": 300}],
        "LastRel": [{"missing": "found"}, {"N": 300}], "NormLastRel": [{"missing": "found"}],
        "RecallArea": [{"N": 300}], "ReadRecall": [{"percent": 50.0}, {"N": 300}],
    }  # fmt: skip
    return [size, *({**size, **choice} for choice in choices.get(name, []))]


def columns_for(name: str) -> tuple[Any, ...]:
    """Some cutoffs as the measure takes them, in no order."""
    parameter = NAMED[name].parameter
    assert isinstance(parameter, NamedOptions)
    columns = {"required": (10, 1, 500), "optional": (None, 10, 1), "recall": (0.3, *LEVELS)}
    return columns.get(parameter.cutoff, (None,))


CHOICES = [(name, options) for name in plain.MEASURES for options in every_choice(name)]


@pytest.mark.in_turn(2)
@pytest.mark.parametrize(("name", "options"), CHOICES, ids=str)
def test_agrees_over_many_topics_at_once(name: str, options: dict[str, Any]) -> None:
    for level in (0, 1, 2):
        topics = strategies.seeded_topics(level, 200, level=level)
        request = Asked(name, columns_for(name), options)
        assert_close(request.values(topics), request.expected(topics), topics)


@for_each(("name", "options"), CHOICES, ids=str)
def test_does_not_depend_on_the_other_topics(name: str, options: dict[str, Any]) -> None:
    request = Asked(name, columns_for(name), options)
    topics = strategies.seeded_topics(7, 60)
    together = request.values(topics)
    assert request.values(topics[::-1]) == together[::-1]
    assert [request.values([topic])[0] for topic in topics] == together


@for_each(("name", "options"), CHOICES, ids=str)
def test_takes_empty_rankings_and_empty_judgments(name: str, options: dict[str, Any]) -> None:
    request = Asked(name, columns_for(name), options)
    topics = [Topic([], []), Topic([], [1, 0]), Topic([-1, -2], []), Topic([], [])]
    assert_close(request.values(topics), request.expected(topics), topics)
    nothing = judged(topics[:1])
    none = replace(nothing, num_ret=nothing.num_ret[:0], level_start=nothing.level_start[:1])
    found = request.measure.compute(none, request.cutoffs, **options)
    assert found.shape == (0, len(request.cutoffs))


@for_each(("name", "options"), CHOICES, ids=str)
def test_stays_within_its_bounds(name: str, options: dict[str, Any]) -> None:
    request = Asked(name, columns_for(name), options)
    low, high = request.measure.bounds
    for level in (0, 1, 2):
        topics = strategies.seeded_topics(level, 300, level=level)
        for value in (printed(request.measure, v) for row in request.values(topics) for v in row):
            assert low - 1e-12 <= value <= high + 1e-12, f"{value} is not in bounds={low, high}"


# --- the same as trec_eval's measures ---

TWINS = [
    ("P", (5, 10, 1000), {}, "P"),
    ("R", (5, 10, 1000), {}, "recall"),
    ("RelP", (5, 10, 1000), {}, "relative_P"),
    ("Success", (1, 5, 10), {}, "success"),
    ("AP", (5, 10, 1000), {}, "map_cut"),
    ("IPrec", LEVELS, {"rule": "te10"}, "iprec_at_recall"),
    ("Unjudged", (5, 10, 20), {}, "unj"),
]
TWINS_UNCUT = [
    ("AP", {}, "map", ()),
    ("GMAP", {}, "gm_map", ()),
    ("RR", {}, "recip_rank", ()),
    ("Rprec", {}, "Rprec", ()),
    ("Rprec", {"mult": 0.6}, "Rprec_mult", ((0.6,),)),
    ("Bpref", {"def": "te"}, "bpref", ()),
    ("infAP", {}, "infAP", ()),
    ("IPrecAvg", {"rule": "te10"}, "11pt_avg", (LEVELS,)),
    ("SetP", {}, "set_P", ()),
    ("SetP", {"relative": True}, "set_relative_P", ()),
    ("SetR", {}, "set_recall", ()),
    ("SetAP", {}, "set_map", ()),
]


def some_topics() -> list[Topic]:
    return strategies.seeded_topics(3, 300)


@pytest.mark.parametrize(("name", "cutoffs", "options", "twin"), TWINS)
def test_equals_trec_evals_to_the_last_bit(
    name: str, cutoffs: tuple[Any, ...], options: dict[str, Any], twin: str
) -> None:
    topics = some_topics()
    values = compute_measure(twin, judged(topics), cutoffs)
    assert Asked(name, cutoffs, options).values(topics) == values.tolist()


@for_each(("name", "options", "twin", "arguments"), TWINS_UNCUT)
def test_equals_trec_evals_uncut(
    name: str, options: dict[str, Any], twin: str, arguments: tuple[Any, ...]
) -> None:
    topics = some_topics()
    values = compute_measure(twin, judged(topics), *arguments)
    assert Asked(name, (None,), options).values(topics) == values.reshape(-1, 1).tolist()


@pytest.mark.parametrize("rule", ["te9", "te10"])
def test_interpolates_as_either_trec_eval(rule: str) -> None:
    rounding = {"te9": "upward", "te10": "nearest"}[rule]
    topics = strategies.seeded_topics(3, 300, rounding=rounding)
    values = compute_measure("iprec_at_recall", judged(topics), LEVELS)
    assert Asked("IPrec", LEVELS, {"rule": rule}).values(topics) == values.tolist()


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_f_is_trec_evals_with_the_weight_squared(beta: float) -> None:
    topics = some_topics()
    found = compute_measure("set_F", judged(topics), (beta * beta,)).reshape(-1, 1)
    assert_close(Asked("SetF", (None,), {"beta": beta}).values(topics), found.tolist(), topics)


# --- what follows from the definitions ---


def test_f_runs_from_precision_to_recall() -> None:
    topics = some_topics()
    for beta, other in ((0.0, "P"), (math.inf, "R")):
        values = Asked("F", (1, 10, 50), {"beta": beta}).values(topics)
        assert_close(values, Asked(other, (1, 10, 50)).values(topics), topics)


def test_a_level_is_compared_in_whole_numbers() -> None:
    """0.7 * 10 and 0.3 * 10 are not whole in floating point, 0.1 * 3 is more than 0.3."""
    for relevant in range(1, 200):
        topic = Topic([1] + [0, 1] * (relevant - 1), [1] * relevant)
        values = Asked("IPrec", LEVELS).values([topic])[0]
        for tenth, value in enumerate(values):
            first = max(-(-tenth * relevant // 10), 1)
            assert value == first / (2 * first - 1), (relevant, tenth)


def test_cutting_never_raises_average_precision() -> None:
    for row in Asked("AP", (1, 5, 20, None)).values(some_topics()):
        assert row == sorted(row)


def test_pairs_are_all_right_where_only_relevant_documents_were_retrieved() -> None:
    assert score("Accuracy", "1 2 3") == 1.0
    assert score("Accuracy", "2 1 0 -") == 1.0
    assert score("Accuracy", "- 0 1") == 0.0
    assert score("Accuracy", "0 - | 1") == 0.0
    assert score("Accuracy@2", "1 1 0") == 1.0


def test_area_under_the_curve_counts_equal_scores_half() -> None:
    """As scikit-learn 1.9.1 has it: roc_auc_score of the judged documents' grades and scores."""
    grades = {"d1": 1, "d2": 0, "d3": 2, "d4": 0, "d5": 1, "d6": 0, "d8": 1}
    scores = {"d1": 0.9, "d2": 0.9, "d3": 0.5, "d4": 0.5, "d5": 0.5, "d6": 0.1, "d7": 0.9}
    for documents, level, expected in (
        (["d1", "d2"], 1, 0.5),
        (["d1", "d2", "d3", "d4", "d5", "d6"], 1, 0.6111111111111112),
        (["d1", "d2", "d3", "d4", "d5", "d6"], 2, 0.4),
        (["d3", "d6", "d8"], 1, 1.0),  # d8 was not retrieved
        (["d1", "d4", "d5", "d6"], 1, 0.875),
    ):
        qrels = {"q": {document: grades[document] for document in documents}}
        for ties in ("docid-desc", "docid-asc", "average", "optimistic"):
            found = evaluate(qrels, {"q": scores}, "AUC", level=level, ties=ties)["AUC"]
            assert found == pytest.approx(expected, abs=1e-15), (documents, level, ties)
    assert score("AUC", "1 2 - 3") == 1.0
    assert score("AUC", "0 - | 1") == 0.0


def test_precision_of_the_rated_documents_is_precision_over_their_share() -> None:
    assert score("JudgedP@3", "- 1 - 0 1") == 1.0
    assert score("JudgedP@4", "- 1 - 0 1") == 0.5
    # another number is that of the first three that are judged, wherever they stand
    qrels, run = {"q": {"b": 1, "d": 0, "e": 1}}, {"q": ["a", "b", "c", "d", "e"]}
    scores = evaluate(qrels, run, "JudgedP@3 P(condensed=true)@3")
    assert (scores["JudgedP@3"], scores["P(condensed=true)@3"]) == (1.0, 2 / 3)
    assert score("JudgedP@2", "- - 1") == 0.0


def test_the_best_ranking_has_the_best_value() -> None:
    for name in ("AP", "Rprec", "RR", "Bpref", "SetF", "IPrecAvg", "IPrecAvg(rule=band)"):
        assert score(name, "3 1 1") == 1.0
    for name in ("NormRecall(N=50)", "NormPrec(N=50)", "NormPrec(N=3)", "NormRecall(N=3)"):
        assert score(name, "3 1 1") == pytest.approx(1, abs=1e-12)
    assert score("SetE", "3 1 1") == 0.0


def test_missed_documents_stand_last_or_anywhere() -> None:
    """One of two relevant documents at rank 1 of two shown, eight others in the collection."""
    assert score("NormRecall(N=10)", "1 0 | 1") == pytest.approx(1 - (1 + 10 - 3) / 16)
    assert score("NormRecall(N=10,fill=mean)", "1 0 | 1") == pytest.approx(1 - (1 + 6.5 - 3) / 16)
    assert score("NormPrec(N=10)", "1 0 | 1") == pytest.approx(1 - math.log(5) / math.log(45))
    mean = math.log(math.factorial(10) / 2) / 8
    expected = 1 - (mean - math.log(2)) / math.log(45)
    assert score("NormPrec(N=10,fill=mean)", "1 0 | 1") == pytest.approx(expected)


def test_a_large_collection_loses_no_digits() -> None:
    """Two relevant documents at ranks 1 and 3: the loss is log(3/2) of log(N(N-1)/2)."""
    for size in (10**6, 10**9, 10**12):
        expected = 1 - math.log(1.5) / (math.log(size) + math.log(size - 1) - math.log(2))
        assert score(f"NormPrec(N={size})", "1 - 1") == pytest.approx(expected, rel=1e-13)


def test_half_life_where_gains_round() -> None:
    """Ten gains of 0.1 add up to less than 1, but half is reached at the fifth."""
    assert score("RHL(gain={1:0.1})", "1x10") == 5
    assert score("RHL(form=grouped,gain={1:0.1})", "1x10") == pytest.approx(5)
    assert score("RHL(total=all,gain={1:0.1})", "1x6 | 1x6") == 6
    assert score("RHL(total=all)", "1x5 | 1x6") == math.inf
    assert score("RHL(total=all,never=77)", "1x5 | 1x6") == 77


def test_search_never_ends_without_a_relevant_document() -> None:
    for name in ("SL", "SL(count=nonrel)", "ESL", "RHL", "RHL(form=grouped)"):
        assert score(name, "0 - | 1") == math.inf
    assert score("SL(never=0)", "0 - | 1") == 0
    assert score("ESL(q=3,never=9)", "1 1 | 1") == 9


def test_pooled_documents_are_not_judged() -> None:
    assert score("Judged@4", "1 . - 0") == 0.5
    assert score("Unjudged@4", "1 . - 0") == 0.5
    assert score("Unjudged", "1 . -") == pytest.approx(2 / 3)
    assert score("Judged@10", "1 0") == pytest.approx(0.2)
    assert score("Judged(denom=retrieved)@10", "1 0") == 1.0


# --- the size of the collection ---


@pytest.mark.parametrize("name", SIZED)
def test_needs_the_size_of_the_collection(name: str) -> None:
    with pytest.raises(UsageError, match=rf"{name} needs .* {name}\(N="):
        Asked(name).values([Topic([1], [1])])


@pytest.mark.parametrize("name", SIZED)
def test_takes_the_size_that_all_measures_share(name: str) -> None:
    topics = [Topic([-1.0, 1.0, 0.0], [1.0, 0.0], collection_size=50)]
    assert Asked(name).values(topics) == Asked(name, options={"N": 50}).values(topics)
    assert Asked(name).values(topics) != Asked(name, options={"N": 60}).values(topics)


@pytest.mark.parametrize("name", SIZED)
def test_refuses_a_collection_smaller_than_a_topic(name: str) -> None:
    topics = [Topic([1], [1]), Topic([-1, POOLED, 1], [1, 1, 0])]
    with pytest.raises(UsageError, match=r"cannot hold 4 documents, .* 5"):
        Asked(name, options={"N": 4}).values(topics)
    assert len(Asked(name, options={"N": 5}).values(topics)) == 2


# --- expected search length ---


@st.composite
def tied_topics(draw: st.DrawFn) -> tuple[Topic, list[int]]:
    """A short ranking and the sizes of its groups of ties."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    code = st.sampled_from([-1.0, -2.0, 0.0, 1.0, 2.0])
    codes = draw(st.lists(code, min_size=sum(sizes), max_size=sum(sizes)))
    return strategies.topic_of(codes, [1.0]), sizes


@given(st.lists(tied_topics(), min_size=1, max_size=3), st.integers(1, 4))
def test_expected_search_length_is_the_mean_over_all_orders(
    tied: list[tuple[Topic, list[int]]], q: int
) -> None:
    topics, sizes = [topic for topic, _ in tied], [of_topic for _, of_topic in tied]
    expected = [plain.expected_search_length(topic, of_topic, q) for topic, of_topic in tied]
    values = Asked("ESL", options={"q": q}).values(topics, sizes)
    assert_close(values, [[value] for value in expected], topics)


def test_expected_search_length_by_hand() -> None:
    """One document alone, then three with equal scores, of which one is relevant, in vain 1 + 1."""
    topic = drawn("0 1 - 0 1")
    assert Asked("ESL").values([topic], [[1, 3, 1]]) == [[2.0]]
    assert Asked("ESL", options={"q": 2}).values([topic], [[1, 3, 1]]) == [[3.0]]
    assert Asked("ESL", options={"q": 2}).values([topic], [[5]]) == [[2.0]]


def test_expected_search_length_without_ties_counts_what_is_not_relevant() -> None:
    topics = some_topics()
    values = Asked("ESL").values(topics)
    assert values == Asked("SL", options={"count": "nonrel"}).values(topics)
    assert values == Asked("ESL").values(topics, [[1] * len(topic.codes) for topic in topics])
