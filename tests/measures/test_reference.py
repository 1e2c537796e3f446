"""What is said of measures: complete, found by every name, and the reference page current."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from irev.measures import all_measures
from irev.measures.describe import (
    bibliography,
    describe_measure,
    find_measures,
    latex_of,
    measure_signature,
    methods_sentence,
    page_markdown,
    page_text,
    page_texts,
)
from irev.measures.naming.grammar import SUITES
from irev.measures.naming.resolve import resolve_names
from irev.measures.registry import TREC_MEASURES, Measure
from tests.command import irev as command
from tests.each import for_each
from tests.files import ROOT
from tests.registered import NAMED
from tools.docs.measure_pages import pages

DOCS = ROOT / "docs" / "measures"
MEASURES = {f"{measure.family}: {measure.name}": measure for measure in all_measures()}


# --- the bibliography ---


def test_every_entry_is_read() -> None:
    text = (Path(references_file())).read_text(encoding="utf-8")
    assert len(bibliography()) == len(re.findall(r"^@", text, re.MULTILINE))


def references_file() -> Path:
    import irev.measures

    return Path(irev.measures.__path__[0]) / "references.bib"


@for_each("key", bibliography())
def test_an_entry_is_complete(key: str) -> None:
    entry = bibliography()[key]
    assert entry.field("author")
    assert entry.field("title")
    assert entry.bibtex.startswith("@misc") or re.fullmatch(r"(19|20)\d\d", entry.field("year"))
    assert entry.bibtex.count("{") == entry.bibtex.count("}")
    assert "doi.org" not in entry.field("doi")


def test_a_citation_in_short() -> None:
    known = bibliography()
    assert known["robertson2006gmap"].short == "Robertson 2006"
    assert known["jarvelin2002cumulated"].short == "Järvelin and Kekäläinen 2002"
    assert known["chapelle2009err"].short == "Chapelle et al. 2009"
    assert known["trec_eval"].short == "trec_eval"


PREFIXES = {"ir_measures": "irm", "ranx": "ranx", "pyNTCIREVAL": "ntcir", "ndeval": "ndeval"}


@for_each("name", [name for name in NAMED if NAMED[name].elsewhere])
def test_names_elsewhere_are_those_that_are_taken(name: str) -> None:
    """A name in another program, with its prefix, asks for this measure."""
    for program, there, difference in NAMED[name].elsewhere:
        if program in PREFIXES and there != "SetF(beta=x)" and (program, there) not in UNSOUND:
            cut = re.sub("@k$", "@10", re.sub("@r$", "@0.5", there))
            (request,) = resolve_names([f"{PREFIXES[program]}:{cut}"])
            assert request.measure is NAMED[name], difference


UNSOUND = {("ir_measures", "RBP")}
"""What the other program computes only in part."""


# --- a page ---


@for_each("measure", MEASURES.values(), ids=MEASURES)
def test_a_page_says_all(measure: Measure) -> None:
    text = page_text(describe_measure(measure, "1.0"))
    flat = " ".join(text.split())

    assert text.startswith(measure_signature(measure))
    for fact in (measure.title, measure.formula, measure.source, measure.caution):
        assert " ".join(fact.split()) in flat
    for program, name, difference in measure.elsewhere:
        if program == "trec_eval" and measure.name in TREC_MEASURES:
            continue  # the measure itself
        assert f"{program} {name}" in flat
        assert difference in flat
    assert "@" in text
    assert "Checked:" in text
    lines = text.split("\n@")[0].splitlines()
    # only what cannot be broken is longer
    assert all(len(line) <= 80 or len(line.split()) == 1 or line == lines[1] for line in lines)


def test_a_page_in_full() -> None:
    text = page_text(describe_measure(TREC_MEASURES["recip_rank"], "1.0"), bibtex=False)

    assert text == (
        "recip_rank\n"
        "    Reciprocal rank\n"
        "\n"
        "    One over the rank of the first relevant document; 0 if none was retrieved.\n"
        "\n"
        "    Formula:    1 / (rank of the first relevant document)\n"
        "    Range:      0 to 1; higher is better\n"
        "    Summary:    mean over the topics\n"
        "    Judgments:  -R qrels\n"
        "    Sets:       official, all_trec\n"
        "    Example:    `recip_rank` is 0.333333 for `- 0 1 | 1`: ranks 1 to 3 hold no\n"
        "                judgment, grade 0, grade 1; not retrieved: grade 1\n"
        "    Source:     Kantor and Voorhees 2000, The TREC-5 Confusion Track; trec_eval\n"
        "                10\n"
        "    Checked:    against trec_eval 10, which prints the same\n"
        "    Elsewhere:  ir_measures RR\n"
        "                ranx mrr\n"
        "                pyNTCIREVAL RR\n"
        "                cwl_eval RR: the gain of the first document with one over its\n"
        "                rank\n"
        "    In a paper: We measured reciprocal rank (recip_rank; Kantor and Voorhees\n"
        "                2000; trec_eval), computed with irev 1.0, as the mean over the\n"
        "                topics.\n"
    )


def test_a_methods_sentence() -> None:
    assert methods_sentence(TREC_MEASURES["gm_map"], "1.0") == (
        "We measured geometric mean of average precision (gm_map; Robertson 2006; trec_eval), "
        "computed with irev 1.0, as the geometric mean over the topics."
    )
    assert methods_sentence(TREC_MEASURES["num_ret"]) == ""
    # a name as results have it, and no reference twice
    assert methods_sentence(NAMED["Q"]).startswith(
        "We measured Q-measure (Q(beta=1); Sakai 2004), "
    )
    assert "(P@k; " in methods_sentence(NAMED["P"])


def test_a_methods_sentence_has_the_options_asked_for() -> None:
    page = b" ".join(command("measures", "Q(beta=10)").out.split())
    assert b"We measured Q-measure (Q(beta=10); Sakai 2004), " in page
    page = b" ".join(command("measures", "ndcg@10").out.split())
    assert b"(ndcg@10; " in page


@pytest.mark.thorough
def test_suites_are_listed_and_found() -> None:
    done = command("measures", "suite:beir", "suite:cast/1")
    assert done.out.startswith(
        b"suite:beir/1\n    BEIR\n    Measures:   nDCG@10, R@100\n    Source:     Thakur"
    )
    assert b"\nsuite:cast/1\n" in done.out
    listed = json.loads(command("measures", "suites", "--format", "json").out)
    assert [suite["name"] for suite in listed] == [suite.name for suite in SUITES]
    assert "@inproceedings" in command("measures", "suite:beir", "--format", "bibtex").out.decode()
    done = command("measures", "suite:nowhere")
    assert (done.code, done.out) == (2, b"")
    assert "no suite is called 'nowhere'; there are dl19" in done.err
    assert "- `suite:beir/1`: BEIR. `nDCG@10`, `R@100`." in written()["suites.md"]


def test_markdown_keeps_what_is_quoted() -> None:
    text = page_markdown(describe_measure(TREC_MEASURES["ndcg_rel"]))

    assert text.startswith("## `ndcg_rel.1=3,2=9`\n")
    assert "- In words: `1/P * sum" in text
    assert "\n$$\n\\frac{1}{P} " in text


# --- search ---


@for_each("name", [*TREC_MEASURES, *NAMED])
def test_a_name_is_found(name: str) -> None:
    measures = find_measures([name])
    assert measures.by_name
    assert name in [measure.name for measure in measures.measures]


def test_every_spelling_of_a_name_is_found() -> None:
    for spelling in ("ndcg_cut.10", "ndcg_cut_10"):
        assert [m.name for m in find_measures([spelling]).measures] == ["ndcg_cut"]


def test_words_of_what_differs_elsewhere_find_a_measure() -> None:
    """Other programs' nDCG has exponential gains: those who look for these words mean it."""
    assert "nDCG" in [measure.name for measure in find_measures(["exponential", "gain"]).measures]


def test_words_are_searched_for_everywhere() -> None:
    measures = find_measures(["persistence", "trec_eval 10"])
    assert not measures.by_name
    assert {"rbp", "rbp_resid"} <= {measure.name for measure in measures.measures}


def test_either_spelling_is_found() -> None:
    names = [measure.name for measure in find_measures(["normalized", "recall"]).measures]
    assert "NormRecall" in names
    assert names == [measure.name for measure in find_measures(["Normalised", "recall"]).measures]


def test_a_set_is_its_members() -> None:
    assert [measure.name for measure in find_measures(["official"]).measures][5:7] == [
        "map",
        "gm_map",
    ]


def test_what_is_not_found_has_a_hint() -> None:
    assert find_measures(["recip_ranc"]).hint == "; did you mean recip_rank?"
    assert find_measures(["zzz", "qqq"]).hint == "; irev measures lists them all"


# --- the command ---


def test_all_measures_are_listed() -> None:
    done = command("measures")

    assert done.code == 0
    lines = done.out.decode().splitlines()
    assert "  AP(denom)[@k]            Average precision (map, map_cut.k, map_avgjg)" in lines
    assert len([line for line in lines if line.startswith("  ")]) < len(all_measures())
    for measure in all_measures():
        assert any(re.search(rf"[ (]{re.escape(measure.name)}\b", line) for line in lines)


def test_a_page_is_printed() -> None:
    done = command("measures", "infAP", "bpref")

    assert done.code == 0
    assert b"@inproceedings{yilmaz2006incomplete," in done.out
    assert b"@inproceedings{buckley2004incomplete," in done.out


def test_records_as_json() -> None:
    records = json.loads(command("measures", "rbp", "--format", "json").out)
    (record,) = [each for each in records if each["name"] == "rbp"]

    assert record["range"] == [0, 1]
    assert record["higher_is_better"] is True
    assert "moffat2008rbp" in record["references"]


def test_bibtex_has_each_entry_once() -> None:
    out = command("measures", "map", "Rprec", "--format", "bibtex").out.decode()

    assert out.count("@incollection{buckley2005retrieval,") == 1


def test_an_unknown_word() -> None:
    done = command("measures", "ndcgg")

    assert (done.code, done.out) == (2, b"")
    assert "no measure matches 'ndcgg'; did you mean" in done.err


@pytest.mark.parametrize(
    ("phrase", "names"),
    [
        ("mean average precision", ["map", "AP"]),
        ("Average Precision", ["map", "AP"]),
        ("mean averge precison", ["map", "AP"]),
        ("geometric mean of average precision", ["gm_map", "GMAP"]),
        ("mean reciprocal rank", ["recip_rank", "RR"]),
        ("expected reciprocal rank", ["ERR"]),
        ("rank biased precision", ["rbp", "RBP"]),
        ("normalized discounted cumulative gain", ["ndcg", "nDCG"]),
        ("hit rate", ["Success"]),
        ("success at k", ["success", "Success"]),
        ("inferred average precision", ["infAP"]),
    ],
)
def test_a_phrase_is_found(phrase: str, names: list[str]) -> None:
    """By titles and other programs' names, without words that tell nothing, in spite of errors."""
    for words in ([phrase], phrase.split()):
        measures = find_measures(words)
        assert not measures.by_name
        assert list(dict.fromkeys(measure.name for measure in measures.measures)) == names


def test_other_measures_are_related() -> None:
    """By name or by a whole word of the title, not by letters that happen to meet."""
    assert find_measures(["ERR"]).also == (
        "nERR", "NERR8", "NERR9", "NERR10", "NERR11", "ERR_IA", "nERR_IA", "D_ERR",
        "D_nERR", "IA_ERR", "IA_nERR", "DSharp_ERR", "DSharp_nERR",
    )  # fmt: skip
    assert "gm_map" in find_measures(["map"]).also
    assert {"nNRBP", "IA_RBP"} <= set(find_measures(["RBP"]).also)
    assert {"Rndcg", "infNDCG", "alpha_nDCG", "ndcg_cut"} <= set(find_measures(["nDCG"]).also)


def test_several_pages_in_one_word() -> None:
    assert [m.name for m in find_measures(["map,P@5"]).measures] == ["map", "P"]


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("irev measures ndcg_c", b"ndcg_cut"),
        ("irev explain -m nDC", b"nDCG"),
        ("irev -m infA", b"infAP"),
        ("irev expl", b"explain"),
    ],
)
def test_completion(words: str, completed: bytes) -> None:
    environment = {
        "_IREV_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    assert completed in command(environment=environment).out


# --- the generated pages ---

written = cache(pages)


def test_the_pages_are_current() -> None:
    """`make docs` writes them anew."""
    there = {path.name: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
    assert sorted(there) == sorted(written())
    assert [name for name in there if there[name] != written()[name]] == []


def test_every_measure_has_a_formula_and_every_family_says_when() -> None:
    """`pages.toml` has an entry for each, and for nothing else."""
    known = all_measures()
    assert [measure.name for measure in known if not latex_of(measure)] == []
    names = {measure.name for measure in known}
    told = page_texts()
    assert {name.removeprefix("trec:") for name in told["formulas"]} | set(told["when"]) <= names
    assert set(told["families"]) == {measure.family for measure in known}


def test_a_worked_example_adds_up() -> None:
    """By hand: (1/1 + 2/4) / 3."""
    (section,) = re.findall(r"^## `map`\n(.*?)^## ", written()["average-precision.md"], re.M | re.S)
    assert "`map` of `2 0 - 1 | 1` is 0.5." in section
    assert (
        "Ranks 1 to 4 hold grade 2, grade 0, no judgment, grade 1; not retrieved: grade 1."
        in section
    )
    assert "| 1 | 2 | 1 | 1 | 0.3333 | 0.3333 |" in section
    assert "| 4 | 1 | 2 | 0.5 | 0.1667 | 0.5 |" in section
