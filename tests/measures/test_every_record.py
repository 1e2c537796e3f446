"""What holds for every measure's record: it is complete, and says what trec_eval does."""

from __future__ import annotations

import pytest

import irev.measures  # noqa: F401 (registers them)
from irev.measures.registry import (
    SET_NAMES,
    TREC_MEASURES,
    Cutoffs,
    Fractions,
    Gains,
    measures_of_set,
    output_order,
)
from tests.each import for_each

TABLE = [
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref",
    "recip_rank", "iprec_at_recall", "P", "relstring", "recall", "infAP", "gm_bpref",
    "Rprec_mult", "utility", "11pt_avg", "binG", "G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel",
    "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P",
    "set_recall", "set_map", "set_F", "num_nonrel_judged_ret", "prefs_num_prefs_poss",
    "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp", "prefs_pair", "prefs_avgjg",
    "prefs_avgjg_Rnonrel", "prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret",
    "prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp",
    "map_avgjg", "P_avgjg", "Rprec_mult_avgjg", "yaap", "rbp", "rbp_resid", "unj",
]  # fmt: skip
"""trec_eval 10's table of measures."""

NEW_IN_10 = {"dcg", "ideal_dcg", "rbp", "rbp_resid", "unj"}

MEMBERS = {
    "official": TABLE[:12],
    "set": [*TABLE[:5], "utility", *TABLE[30:35]],
    "all_trec": [*TABLE[:21], *TABLE[23:36], *TABLE[54:57]],
    "all_prefs": [*TABLE[:2], *TABLE[36:50]],
    "prefs": [*TABLE[:2], *TABLE[36:42]],
    "qrels_jg": [*TABLE[:2], *TABLE[50:53]],
}

COUNTS = {"num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", *TABLE[36:39]}
TEXTS = {"runid", "relstring"}
AVERAGES = {
    "runid": "run", "num_q": "topics", "relstring": "none", "gm_map": "geometric",
    "gm_bpref": "geometric",
    **dict.fromkeys(COUNTS - {"num_q"}, "sum"),
}  # fmt: skip

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
PARAMETERS = {
    **dict.fromkeys(
        ["P", "recall", "ndcg_cut", "map_cut", "relative_P", "P_avgjg"], Cutoffs(RANKS)
    ),
    "success": Cutoffs((1, 5, 10)),
    "unj": Cutoffs((5, 10, 20)),
    "iprec_at_recall": Fractions(TENTHS),
    "Rprec_mult": Fractions(FIFTHS),
    "Rprec_mult_avgjg": Fractions(FIFTHS),
    **dict.fromkeys(["G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg"], Gains()),
    "rbp": Gains(persistence=0.9),
}
"""Those of which there is one way to write them; the others are tested by their values."""


def test_the_table_is_trec_evals() -> None:
    assert [m.name for m in output_order(list(TREC_MEASURES.values())) if m.name in TABLE] == TABLE


@pytest.mark.parametrize("name", SET_NAMES)
def test_sets_are_trec_evals(name: str) -> None:
    assert [m.name for m in measures_of_set(name)] == MEMBERS[name]


def test_version_9_lacks_what_is_new() -> None:
    expected = [name for name in MEMBERS["all_trec"] if name not in NEW_IN_10]
    assert [m.name for m in measures_of_set("all_trec", version=9)] == expected


def test_positions_are_unique() -> None:
    assert len({m.position for m in TREC_MEASURES.values()}) == len(TREC_MEASURES)


@for_each("name", TREC_MEASURES)
def test_record_is_complete(name: str) -> None:
    measure = TREC_MEASURES[name]
    assert measure.name == name
    assert measure.title
    assert not measure.title.endswith(".")
    assert "\n" not in measure.title
    assert measure.help.strip()
    assert measure.formula.strip()
    assert measure.source.strip()
    assert set(measure.sets) <= set(SET_NAMES)
    assert measure.bounds[0] < measure.bounds[1]


@for_each("name", TABLE)
def test_record_says_what_trec_eval_does(name: str) -> None:
    measure = TREC_MEASURES[name]
    assert set(measure.sets) == {s for s in SET_NAMES if name in MEMBERS[s]}
    assert measure.since == (10 if name in NEW_IN_10 else 9)
    assert measure.kind == ("count" if name in COUNTS else "text" if name in TEXTS else "real")
    assert measure.average == AVERAGES.get(name, "mean")
    assert measure.per_topic == (name not in {"runid", "num_q", "gm_map", "gm_bpref"})
    assert measure.needs == needs_of(name)
    if name in PARAMETERS:
        assert measure.parameter == PARAMETERS[name]


def needs_of(name: str) -> str:
    """The judgments that trec_eval computes a measure from."""
    if name in ("runid", "num_q"):
        return "any"
    if name.startswith("prefs_"):
        return "prefs"
    return "qrels_jg" if name.endswith("_avgjg") else "qrels"
