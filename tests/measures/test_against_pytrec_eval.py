"""Every measure that pytrec_eval has, against it: it runs trec_eval 9's own code."""

from __future__ import annotations

import math
from typing import Any

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import irev

Values = dict[str, Any]
Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def irev_values(qrels: Qrels, run: Run, measures: list[str], **options: Any) -> dict[str, Values]:
    """What irev gives: {topic: {printed name: value}}, and the summary as the topic `all`."""
    scores = irev.evaluate(qrels, run, measures, compat="trec9", **options)
    return {**scores.per_topic(), "all": scores.summary()}


WITHOUT_ROWS = {
    "runid": "pytrec_eval has no run tag, and says 0",
    "num_q": "belongs to the summary; pytrec_eval says 1 for each topic",
    "gm_map": "belongs to the summary; pytrec_eval says the log for each topic",
    "gm_bpref": "belongs to the summary; pytrec_eval says the log for each topic",
    "relstring": "a text; pytrec_eval says 0",
}
"""Measures whose values by topic cannot be compared, and why."""

WITHOUT_SUMMARY = ("runid", "relstring")

WITH_PARAMETERS = {
    "P.1,3,40": None,
    "recall.2,7": None,
    "ndcg_cut.1,4,9": None,
    "map_cut.2,11": None,
    "relative_P.1,6": None,
    "success.2,3": None,
    "iprec_at_recall.0.05,0.25,0.333,0.75": None,
    "Rprec_mult.0.1,0.75,1.5,3": None,
    "11pt_avg.0.2,0.4,0.9": "11pt_avg",
    "set_F.0.5": "set_F",
    "utility.1,2,3,4": "utility",
}
"""Measures with parameters, and under which name pytrec_eval gives them if that lacks those."""

# ids around every boundary of byte order, and whole scores and halves, which a float holds exactly
TOPICS = ("1", "10", "9", "a", "é", "日")
DOCS = ("d", "d1", "d10", "d2", "D", "e", "é", "日", "~", "0", "00", "d-1", "clueweb09-en0000-00-1")
GRADES = st.integers(-2, 4) | st.just(1000)
SCORES = st.integers(-3, 6).map(lambda score: score / 2)

JUDGMENTS = st.dictionaries(st.sampled_from(DOCS), GRADES, min_size=1).filter(
    lambda grades: max(grades.values()) >= 0
)
QRELS = st.dictionaries(st.sampled_from(TOPICS), JUDGMENTS, min_size=1)
RANKINGS = st.dictionaries(st.sampled_from(DOCS), SCORES, min_size=1)


@st.composite
def qrels_and_run(draw: st.DrawFn) -> tuple[Qrels, Run]:
    """Judgments and a run with at least one topic in common."""
    qrels = draw(QRELS)
    run = draw(st.dictionaries(st.sampled_from(TOPICS), RANKINGS))
    run.setdefault(draw(st.sampled_from(sorted(qrels))), draw(RANKINGS))
    return qrels, run


def peer_values(
    qrels: Qrels, run: Run, measures: list[str], level: int, judged_only: bool
) -> dict[str, Values]:
    """What pytrec_eval gives, in the same form."""
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, measures, relevance_level=level, judged_docs_only_flag=judged_only
    )
    # no ranking with a judged document leaves 0/0, which is 0 in irev
    rows = {
        topic: {name: 0.0 if math.isnan(value) else value for name, value in values.items()}
        for topic, values in evaluator.evaluate(run).items()
    }
    summary = {
        name: pytrec_eval.compute_aggregated_measure(name, [row[name] for row in rows.values()])
        for name in next(iter(rows.values()))
        if name not in WITHOUT_SUMMARY
    }
    rows = {
        topic: {name: value for name, value in row.items() if name not in WITHOUT_ROWS}
        for topic, row in rows.items()
    }
    return {**rows, "all": summary}


def assert_equal(found: dict[str, Values], wanted: dict[str, Values]) -> None:
    """The same topics, and every value of pytrec_eval's."""
    assert found.keys() == wanted.keys()
    for topic, values in wanted.items():
        compared = {name: found[topic].get(name) for name in values}
        assert compared == pytest.approx(values, rel=1e-12, abs=1e-12), topic


@pytest.mark.long
@given(collection=qrels_and_run(), level=st.integers(1, 3), judged_only=st.booleans())
def test_every_measure_is_equal(
    collection: tuple[Qrels, Run], level: int, judged_only: bool
) -> None:
    measures = sorted(pytrec_eval.supported_measures)
    options: dict[str, Any] = {"level": level, "judged_only": judged_only}
    values = irev_values(*collection, measures, **options)
    assert_equal(values, peer_values(*collection, measures, **options))


@pytest.mark.thorough
@given(collection=qrels_and_run(), level=st.integers(1, 3))
def test_parameters_are_equal(collection: tuple[Qrels, Run], level: int) -> None:
    found = irev_values(*collection, [*WITH_PARAMETERS], level=level)
    for measure, bare in WITH_PARAMETERS.items():
        expected = peer_values(*collection, [measure], level, judged_only=False)
        if bare is not None:
            printed = measure.replace(".", "_", 1)
            expected = {topic: {printed: values[bare]} for topic, values in expected.items()}
        assert_equal(found, expected)
