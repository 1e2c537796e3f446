"""What `help` and editors show of the functions of commands: every option, from its declaration."""

from __future__ import annotations

import inspect
import pydoc
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


@pytest.mark.parametrize("name", irev.studies.__all__)
def test_help_explains_every_keyword(name: str) -> None:
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
    """By Python itself, which has to be told where the name was looked for."""
    with pytest.raises(AttributeError) as raised:
        irev.Evalutor  # noqa: B018
    assert (raised.value.name, raised.value.obj) == ("Evalutor", irev)
