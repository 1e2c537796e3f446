"""Names as people type them, and what is said of several wrong ones."""

from __future__ import annotations

import re

import pytest

from irev.errors import UsageError
from irev.measures.naming.resolve import PlainNaming, resolve_names
from irev.measures.registry import MEASURES, TREC_MEASURES
from tests.command import irev
from tests.each import for_each
from tests.files import SAMPLE

QRELS, RUN = SAMPLE / "qrels.txt", SAMPLE / "bm25.run"

TYPED = {
    # what is typed, by whom: the measure in irev's or trec_eval's own way
    # MTEB
    "ndcg_at_10": "nDCG@10",
    "map_at_100": "AP@100",
    "recall_at_100": "R@100",
    "precision_at_10": "P@10",
    "mrr_at_10": "RR@10",
    "NDCG_AT_10": "nDCG@10",
    "beir:ndcg_at_10": "nDCG@10",
    "beir:map@10": "AP@10",
    # TREC Deep Learning
    "NCG@100": "nCG@100",
    "NCG@1000": "nCG@1000",
    # in full
    "mean_reciprocal_rank": "RR",
    "Mean-Average-Precision@10": "AP@10",
    "average_precision": "AP",
    "F-measure": "SetF(beta=1)",
    "f_score@5": "F(beta=1)@5",
    "Rank_Biased_Precision": "RBP(p=0.8,gain=linear,max=3)",
    "expected_reciprocal_rank@10": "ERR(max=3)@10",
    "wss@95": "WSS(recall=0.95)",
    # recommender systems, DPR
    "hit@10": "Success@10",
    "HR@10": "Success@10",
    "HitRate@10": "Success@10",
    "hit_rate_at_10": "Success@10",
    # NTCIREVAL of 2020
    "Prec@10": "P@10",
    "prec@10": "P@10",
    # short forms
    "S@1": "Success@1",
    "s@5": "Success@5",
    "r@1000": "R@1000",
    "R_1000": "R@1000",
    "P10": "P@10",
    "ndcg10": "nDCG@10",
    "ndcg_10": "nDCG@10",
    "ndcg-10": "nDCG@10",
    "MRR10": "RR@10",
    "p_5": "P@5",
    "cg@10": "CG@10",
    "map_5": "AP@5",
    "Recall_cap@10": "RelP@10",
    "unjudged@10": "Unjudged(denom=k)@10",
    # Anserini, Pyserini
    "judged.10": "Judged(denom=k)@10",
    "judged_10": "Judged(denom=k)@10",
    "judged_cut.10": "Judged(denom=k)@10",
    "recip_rank@10": "RR@10",
    "recip_rank_cut.10": "RR@10",
    "mrr_10": "RR@10",
    # MS MARCO's script
    "MRR @10": "RR@10",
    # trec_eval before 9, and in other cases
    "ircl_prn.0.10": "iprec_at_recall_0.10",
    "R-prec": "Rprec",
    "r-prec": "Rprec",
    "GM_MAP": "GMAP",
    "gmap": "GMAP",
    "bpref_10": "Bpref(def=eq,extra=10)",
    "nDCG_cut_10": "nDCG@10",
    "NDCG_CUT.10": "nDCG@10",
    # diversity
    "alpha-ndcg@10": "alpha_nDCG@10",
    "Alpha_nDCG_at_10": "alpha_nDCG@10",
    # rank-biased precision
    "RBP@0.95": "RBP(p=0.95,gain=linear,max=3)",
    "Nrbp_at_10": "NRBP@10 or nRBP@10",
    "rbp_0.95": "rbp_p=0.95",
    "rbp_p0.5": "rbp_p=0.5",
    "RBP_at_10": "RBP(p=0.8,gain=linear,max=3)@10",
    # options too
    "Ndcg(gain=exp)_at_10": "nDCG(gain=exp)@10",
    "AP(rel=2)_10": "AP(rel=2)@10",
    # what differs in case alone, and has one meaning in its own
    "Err@10": "ERR(max=4)@10",
    "ERR@10": "ERR(max=3)@10",
    "nERR_10": "nERR(max=3)@10",
    "P": "P_5",
    "AP": "AP",
    "map": "map",
    "MAP": "AP",
}
"""Names in use that irev refused once, and kin."""


def first(name: str) -> tuple[str, str]:
    """The printed name of the first column that a name asks for, and the definition's."""
    column = resolve_names([name])[0].close_scales(3.0).columns[0]
    return column.name, column.canonical or column.name


@for_each(("typed", "meant"), TYPED.items())
def test_typed_names_mean_one_measure(typed: str, meant: str) -> None:
    if " or " in meant:
        one, _, other = meant.partition(" or ")
        with pytest.raises(UsageError, match=re.escape(f"'{typed}' could be ")) as caught:
            resolve_names([typed])
        assert {one, other} == {each for each in (one, other) if each in str(caught.value)}
        return
    printed, definition = first(typed)
    own = {"gm_map": "GMAP"}.get(definition, definition)
    assert own == meant
    # what is printed asks for the same again
    assert first(printed) == (printed, definition)


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("ndcg_at_5,10", ["ndcg_at_5", "ndcg_at_10"]),
        ("judged.10,100", ["judged_10", "judged_100"]),
        ("recip_rank@5,10", ["recip_rank@5", "recip_rank@10"]),
        ("hit@1", ["hit@1"]),
        ("MRR @10", ["MRR@10"]),
        ("beir:ndcg_at_10", ["beir:ndcg_at_10"]),
        ("P10", ["P10"]),
        # a sum is known by irev's own name
        ("hits_10", ["NumRelRet@10"]),
        # trec_eval's own columns, as it prints them
        ("iprec_at_recall.0.1", ["iprec_at_recall_0.10"]),
        ("rbp_p0.5", ["rbp_p=0.5"]),
    ],
)
def test_they_are_printed_as_they_were_typed(typed: str, printed: list[str]) -> None:
    assert [column.name for each in resolve_names([typed]) for column in each.columns] == printed


@pytest.mark.parametrize(
    ("printed", "meant"),
    [
        ("Q@0010", "Q(beta=1,denom=min)@10"),
        ("AP@0010", "AP(denom=min)@10"),
        ("nDCG@0010", "nDCG(b=2)@10"),
        ("nERR@0010", "nERR(max=3,stop=ratio)@10"),
        ("nDCG@0100,1000", "nDCG(b=2)@100"),
        # there the same, and no cutoff of four digits
        ("MSnDCG@0010", "nDCG@10"),
        ("Hit@0005", "Success@5"),
        ("P@0010", "P@10"),
        ("AP@1000", "AP@1000"),
        ("AP@010", "AP@10"),
        ("AP@00010", "AP@10"),
    ],
)
def test_cutoffs_of_four_digits_are_of_ntcireval(printed: str, meant: str) -> None:
    """Which prints them so; the column then names it."""
    name, definition = first(printed)
    assert definition == meant
    assert name.startswith("ntcir:") == ("denom" in meant or "b=2" in meant or "ratio" in meant)


@for_each(
    ("name", "message"),
    [
        ("RBP.5", "'RBP.5': is that number p or a cutoff? write RBP(p=0.5) or RBP@5"),
        ("RBP_95", "write RBP(p=0.95) or RBP@95"),
        ("Err_10", "'Err_10' could be ERR@10 or err@10, which differ: write one of them"),
        ("Rbp", "could be RBP or rbp, which differ"),
        ("iAP", "measure iAP means two things: average precision inferred from a uniform sample"),
        ("accuracy@10", "measure accuracy means two things: whether a relevant document is among"),
        ("Acc_at_10", "beir:Accuracy@k"),
        ("F2", "no measure or set is called 'F2'; did you mean F?"),
        ("Q10", "no measure or set is called 'Q10'"),
        ("nerr8", "did you mean NERR8, nERR"),
        ("beir", "did you mean suite:beir?"),
        ("INST-T=1", "'INST-T=1' is a name in cwl_eval: write cwl:INST-T=1"),
        ("NCUgu,P", "'NCUgu,P' is a name in pyNTCIREVAL: write ntcir:NCUgu,P"),
        (
            "nDCG.x",
            "'nDCG.x': nDCG is not written like this; irev measures nDCG says what it takes",
        ),
        ("NERR-EQ8", "'NERR-EQ8' is a name in cwl_eval: write cwl:NERR-EQ8@10"),
        ("rbp.95", "'rbp.95' is a name in ranx: write ranx:rbp.95"),
        ("recip_rank.10", "got '10'; write recip_rank or recip_rank@10"),
        ("Rprec.10", "got '10'; write Rprec"),
        ("num_q_5", "did you mean num_q or NumQ?"),
        ("Rprec_at_5", "no measure or set is called 'Rprec_at_5'"),
        ("trec:ndcg_at_10", "no measure or set is called 'ndcg_at_10'"),
        ("nosuch:ndcg_at_10", "no program is called nosuch"),
    ],
)
def test_what_may_be_two_things_is_asked_back(name: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        resolve_names([name])
    assert message in str(caught.value)


EVERY = sorted({*TREC_MEASURES, *MEASURES, *(a for m in MEASURES.values() for a in m.aliases)})


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("tail", ["", ".x", "_at_x", ".5"])
def test_a_suggestion_is_never_the_name_itself(tail: str) -> None:
    for name in EVERY[::2]:
        typed = f"{name}{tail}"
        try:
            resolve_names([typed])
        except UsageError as error:
            called, _, meant = str(error).partition("; did you mean ")
            wrong = re.search("called '(.*)'", called)
            if meant and wrong:
                assert wrong[1] not in re.split(", | or |[?]", meant)


def test_all_wrong_names_are_told_at_once() -> None:
    done = irev("eval", "-m", "mpa,map", "-m", "NDCGG", "-m", "P.0", "-m", "mpa", QRELS, RUN)
    assert (done.code, done.out) == (2, b"")
    assert done.err == (
        "irev: error: no measure or set is called 'mpa'; did you mean map or Compat?\n"
        "irev: error: no measure or set is called 'NDCGG'; did you mean NDCG, RnDCG or nCG?\n"
        "irev: error: measure 'P.0': a cutoff is a rank, at least 1, not 0; write for instance "
        "P.5,10\n"
    )


def test_old_versions_have_their_own() -> None:
    """A name of the newest trec_eval is no typing error of another."""
    with pytest.raises(UsageError, match="trec_eval 10 has it"):
        resolve_names(["rbp"], PlainNaming(9))
