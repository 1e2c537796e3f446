"""What the search of the site finds first; `make site` asks the built site itself."""

from __future__ import annotations

from collections import Counter

from irev.measures import all_measures
from tests.each import for_each
from tests.files import ROOT
from tools.docs.search_terms import (
    LOOKED_FOR,
    TERMS,
    measure_terms,
    measures_by_page,
    with_search_terms,
)

DOCS = ROOT / "docs"


def test_every_guide_has_terms() -> None:
    guides = {path.stem for path in DOCS.glob("*.md")} - {"index"}
    assert guides <= set(TERMS)


def test_no_two_pages_have_a_term_together() -> None:
    terms = Counter(term for line in TERMS.values() for term in line.split(", "))
    assert [term for term, count in terms.items() if count > 1] == []


@for_each(("query", "page"), LOOKED_FOR.items())
def test_what_is_looked_for_is_an_entry_of_one_page(query: str, page: str) -> None:
    """An entry that is exactly what was typed comes first; two such pages would be in a draw."""
    pages = {name for name, line in TERMS.items() if query in line.split(", ")}
    for name, records in measures_by_page().items():
        if any(query in measure_terms(record) for record in records):
            pages.add(name)
    assert pages == {page}


def test_every_measure_has_its_names_below_its_heading() -> None:
    for page, records in measures_by_page().items():
        text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
        blocks = with_search_terms(page, text).split("\n```{index} ")[1:]
        assert len(blocks) == len(records), page
    without_page = {each.family for each in all_measures()} - {
        measure.family for measures in measures_by_page().values() for measure in measures
    }
    assert without_page <= {"foraging"}  # the example of a user's own


def test_names_of_a_measure() -> None:
    of_rr = next(measure for measure in all_measures() if measure.name == "RR")
    # trec_eval's name is a measure of its own, with a heading on the same page
    assert measure_terms(of_rr)[:2] == ["rr", "mrr"]
    page = with_search_terms("measures/precision", "# Precision\n\n## `RR[@k]`\n\nText.\n")
    assert "## `RR[@k]`\n\n```{index} ! rr, ! mrr" in page


def test_a_guide_has_its_terms_below_its_title() -> None:
    page = with_search_terms("notebook", "# Using irev from Python\n\nText.\n\n## More\n")
    assert page.startswith("# Using irev from Python\n\n```{index} ! python, ! pandas, ")
    assert page.endswith("```\n\nText.\n\n## More\n")
    assert with_search_terms("index", "# irev\n") == "# irev\n"
