"""What `help` and editors show of the functions of commands: every option, from its declaration."""

from __future__ import annotations

import inspect
import pydoc
import traceback
from typing import Any, get_args

import pytest

import irev
from tests.files import SAMPLE

QRELS, RUN = str(SAMPLE / "qrels.txt"), str(SAMPLE / "bm25.run")


def keywords(function: Any) -> dict[str, inspect.Parameter]:
    """The parameters that are keywords alone."""
    every = inspect.signature(function).parameters
    return {name: each for name, each in every.items() if each.kind is each.KEYWORD_ONLY}


def test_options_have_their_types_and_defaults() -> None:
    gate = keywords(irev.gate)
    assert (gate["tolerance"].annotation, gate["tolerance"].default) == (float, 0.01)
    assert (gate["alpha"].annotation, gate["alpha"].default) == (float | None, None)
    assert get_args(gate["undecided"].annotation) == ("fail", "pass")
    assert gate["topics"].default == "qrels"
    assert keywords(irev.leaderboard)["correction"].default == "holm"
    assert keywords(irev.sample)["seed"].default == 0
    assert "run" not in gate, "it is given as a file"


def test_help_explains_every_keyword() -> None:
    for name in irev.studies.__all__:
        text = pydoc.plain(pydoc.render_doc(getattr(irev.studies, name)))
        for keyword in keywords(getattr(irev.studies, name)):
            assert f" {keyword}: " in text or f"{keyword}," in text, keyword


def test_help_speaks_of_keywords() -> None:
    text = " ".join((irev.gate.__doc__ or "").split())
    assert "tolerance: Largest allowed drop of a mean below the baseline's. Default: 0.01." in text
    assert "Default: none that the baseline has; without baseline any number." in text
    assert "repeated" not in text
    assert " --" not in text


def test_a_wrong_keyword_brings_the_right_one() -> None:
    with pytest.raises(TypeError, match="gate has no option 'tolerence'; did you mean 'tolerance"):
        irev.gate(QRELS, RUN, tolerence=0.1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="correlation has no option 'resample'; did you mean"):
        irev.studies.correlation(QRELS, RUN, resample=10)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"plots\.scatter has no option 'measure'; write measures="):
        irev.plots.scatter(QRELS, RUN, measure="map")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("keyword", "message"),
    [
        ("metrics", "write measures='map ndcg@10'"),
        ("measure", "write measures='map ndcg@10'"),
        ("k", "a cutoff is part of a measure: 'ndcg@10'"),
        ("complete", "write topics='qrels'"),
        ("levle", "did you mean 'level'"),
    ],
)
def test_keywords_of_other_packages(keyword: str, message: str) -> None:
    with pytest.raises(TypeError) as raised:
        irev.Options(**{keyword: 1})  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_one_in_place_of_a_list() -> None:
    comparison = irev.compare(QRELS, [RUN, str(SAMPLE / "rm3.run")], "map", tests="t")
    assert "p_t" in comparison.pairs.columns
    with pytest.raises(irev.UsageError, match="min must have a number for each measure"):
        irev.gate(QRELS, RUN, min=0.3)  # type: ignore[arg-type]


def test_a_name_of_the_package_is_suggested() -> None:
    """Once: Python has no hint of its own to add to it."""
    for module, name, said in (
        (irev, "Evalutor", "module 'irev' has no attribute 'Evalutor'; did you mean 'Evaluator'?"),
        (irev.studies, "desgin", "'desgin'; did you mean 'design'?"),
        (irev.studies, "topics", "robustness, sensitivity, topic_difficulty"),
        (irev.plots, "meddian", "'meddian'; did you mean 'median'?"),
    ):
        with pytest.raises(AttributeError) as raised:
            getattr(module, name)
        assert str(raised.value).endswith(said)
        shown = "".join(traceback.format_exception(raised.value))
        assert shown.endswith(f"{said}\n")
        assert not hasattr(module, name)


def test_values_of_wrong_types_and_numbers_without_end_are_refused_in_words() -> None:
    huge = 10**5000
    untyped: Any = irev
    cases: list[tuple[dict[str, Any], str]] = [
        ({"seed": huge}, "seed must be at most 9223372036854775807, not a number of thousands"),
        ({"level": -huge}, "level must be at least 0, not a number of thousands"),
        ({"defaults": {"b": huge}}, "b.*: a number of thousands of digits is out of range"),
        ({"defaults": {"gain": {1: huge}}}, "out of range"),
        ({"defaults": {"rel": 5}}, 'defaults."rel". 5 has no effect'),
        ({"defaults": 5}, "defaults must be a list, not 5"),
        ({"measures": ["P", huge]}, "a number of thousands of digits .int. is not a measure"),
        ({"topics": 5}, "topics: an id is a text such as '1', not 5"),
        ({"topics": [1, 2]}, "topics: an id is a text such as '1', not 1"),
        ({"only_topic": 5}, "only_topic: an id is a text"),
        ({"pool": 5}, "a pool is a path, or what make_pool gives, not 5"),
        ({"columns": 5}, "columns must be a mapping or a list of pairs, not 5"),
        ({"columns": {"topic": 5}}, "columns: fields and columns are texts"),
        ({"run_format": 5}, "run_format must be text, not 5"),
        ({"grade_map": {1: float("inf")}}, "grade_map: inf is not a grade"),
        ({"grade_map": {float("nan"): 1}}, "grade_map: nan is neither a grade nor a range"),
        ({"exclude": [5]}, "exclude: 5 is neither own, a path nor a mapping"),
        ({"exclude": {"1": None}}, "documents to leave out are a mapping"),
        ({"classes": {"a": None}}, "classes of topics are a path or a mapping"),
        ({"weights": {"1": huge}}, "not a number from 0 on: a number of thousands of digits"),
    ]
    for values, message in cases:
        with pytest.raises(irev.UsageError, match=message):
            untyped.evaluate(QRELS, RUN, **({"measures": "nDCG@5"} | values))
    for values in ({"alpha": huge}, {"margin": huge}):
        with pytest.raises(irev.UsageError, match="must be a number, not a number of thousands"):
            untyped.compare(QRELS, RUN, "map", **values)
    with pytest.raises(irev.UsageError, match="the limit is too large"):
        untyped.gate(QRELS, RUN, min={"map": huge})
    for function in (untyped.sample, untyped.pool):
        name = "rate" if function is untyped.sample else "sample"
        with pytest.raises(irev.UsageError, match="a number of thousands of digits is not a rate"):
            function(QRELS if function is untyped.sample else RUN, **{name: huge})
    with pytest.raises(irev.UsageError, match="budget: None of topic 1 is not a whole number"):
        untyped.sample(QRELS, by="budget", budget={"1": None})
    with pytest.raises(irev.UsageError, match=r"topic: an id is a text such as .1., not 3\.5"):
        untyped.explain(QRELS, RUN, "map", topic=3.5)
