"""`irev.list_measures` and `irev.describe_measure`: what their commands print, as results."""

from __future__ import annotations

import json

import pytest

import irev
from irev.measures import all_measures
from tests.command import irev as command

CALLS = [
    ("", ()),
    ("official", ("official",)),
    ("mean average precision", ("mean", "average", "precision")),
    ("nDCG@10", ("nDCG@10",)),
    ("map,P@5", ("map,P@5",)),
    ("suites", ("suites",)),
    (["suite:beir", "suite:dl19"], ("suite:beir", "suite:dl19")),
]
FORMS = ("text", "markdown", "bibtex", "table", "csv", "json", "html")


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("words", "arguments"), CALLS)
def test_command_and_function_give_the_same(
    words: str | list[str], arguments: tuple[str, ...], form: str
) -> None:
    printed = command("measures", "--format", form, *arguments).out.decode()
    assert irev.list_measures(words).text(form) == printed.rstrip("\n")


@pytest.mark.parametrize("form", ["text", "markdown", "bibtex"])
def test_a_page_is_that_of_the_command(form: str) -> None:
    for name in ("nDCG", "map", "AP(denom=min)@5", "P@10", "MRR"):
        printed = command("measures", "--format", form, name).out.decode()
        assert irev.describe_measure(name).text(form) == printed.rstrip("\n"), name


def test_lists_have_rows_and_names() -> None:
    measures = irev.list_measures("mean average precision")
    assert measures.names == ["map", "AP"] == measures.to_frame()["name"].tolist()
    assert [each["name"] for each in measures.to_dict()] == measures.names
    assert measures.measures == tuple(m for m in all_measures() if m.name in measures.names)
    assert "yaap" in measures.also
    assert repr(measures) == "<MeasureList of 2 measures>"
    assert "Average precision" in measures._repr_html_()
    measures = irev.list_measures()
    assert len(measures) == len(all_measures())
    assert [*measures] == measures.names
    assert "Compat" in measures


def test_suites_have_members() -> None:
    suites = irev.list_measures("suite:beir")
    assert suites.names == ["beir"]
    assert {each.name for each in suites.measures} >= {"nDCG"}
    assert suites.to_frame()["name"].tolist() == ["beir"]
    assert repr(irev.list_measures("suites")).endswith("suites>")


def test_a_page_has_facts_and_references() -> None:
    page = irev.describe_measure("nDCG@10")
    facts: dict[str, str] = dict(page.to_frame().itertuples(index=False))
    assert facts["Formula"] == page.measure.formula == "DCG@k / IDCG@k"
    assert "nDCG@10" in facts["In a paper"]
    assert page.to_dict()["references"] == [each.key for each in page.description.references]
    assert page.bibtex.startswith("@article{jarvelin2002cumulated")
    assert json.dumps(page.to_dict())
    assert repr(page) == "<MeasurePage of nDCG>"
    assert "DCG@k / IDCG@k" in page._repr_html_()


def test_a_name_of_two_measures_means_what_an_evaluation_takes() -> None:
    assert irev.describe_measure("P").measure.position
    assert not irev.describe_measure("P@10").measure.position
    assert len(irev.list_measures("P").measures) == 2


def test_wrong_names_are_answered() -> None:
    with pytest.raises(irev.UsageError, match="no measure is called 'recip_ranc'; did you mean"):
        irev.describe_measure("recip_ranc")
    with pytest.raises(irev.UsageError, match=r"list_measures\('official'\) finds \d+"):
        irev.describe_measure("official")
    with pytest.raises(irev.UsageError, match="no measure matches 'zzz qqq'"):
        irev.list_measures("zzz qqq")
    with pytest.raises(TypeError, match="has no option 'plugin'; write plugins="):
        irev.list_measures("map", plugin="mine.py")  # type: ignore[call-arg]
