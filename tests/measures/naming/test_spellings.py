"""Every spelling in use is found, and means what the program that uses it means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from irev import evaluate
from irev.errors import UsageError
from irev.measures.naming.programs import PROGRAMS, Spelling
from irev.measures.naming.resolve import resolve_names
from irev.measures.registry import MEASURES, TREC_MEASURES, Measure, NamedOptions
from tests.each import for_each
from tests.registered import NAMED

SPELLINGS = {
    # spelling: the measure with the options that it stands for
    "P@5": "P@5",
    "p@5": "P@5",
    "precision@5": "P@5",
    "Precision@5": "P@5",
    "SetP": "SetP",
    "precision": "SetP",
    "SetP(relative=True)": "SetP(relative=true)",
    "SetRelP": "SetP(relative=true)",
    "RelP@5": "RelP@5",
    "R_cap@5": "RelP@5",
    "RCap@5": "RelP@5",
    "R@5": "R@5",
    "Recall@5": "R@5",
    "recall@5": "R@5",
    "SetR": "SetR",
    "SetF(beta=1.0)": "SetF(beta=1)",
    "SetF(beta=2)": "SetF(beta=2)",
    "F(beta=1)@5": "F(beta=1)@5",
    "f1@5": "F(beta=1)@5",
    "f1": "SetF(beta=1)",
    "SetE(beta=2)": "SetE(beta=2)",
    "SetAP": "SetAP",
    "AP": "AP",
    "MAP": "AP",
    "ap": "AP",
    "AP@5": "AP@5",
    "AP(rel=2)@100": "AP(rel=2)@100",
    "AP(rel=1,judged_only=True)": "AP(rel=1,condensed=true)",
    "AP(denom=min_rk)@5": "AP(denom=min)@5",
    "map@5": "AP@5",
    "map-l2": "AP(rel=2)",
    "map@100-l2": "AP(rel=2)@100",
    "precision@5-l2": "P(rel=2)@5",
    "MAP@5": "AP@5",
    "GMAP": "GMAP",
    "Rprec(mult=0.5)": "Rprec(mult=0.5)",
    "RPrec": "Rprec",
    "r-precision": "Rprec",
    "r_precision": "Rprec",
    "RR": "RR",
    "MRR": "RR",
    "mrr": "RR",
    "rr": "RR",
    "RR@10": "RR@10",
    "RR(cutoff=10)": "RR@10",
    "mrr@10": "RR@10",
    "MRR@10": "RR@10",
    "Success@5": "Success@5",
    "success@5": "Success@5",
    "hit_rate@5": "Success@5",
    "Hit@5": "Success@5",
    "Hit@0005": "Success@5",
    "IPrec@0.1": "IPrec(rule=ge)@0.1",
    "IPrec(recall=0.1)": "IPrec(rule=ge)@0.1",
    "IPrecAvg": "IPrecAvg(rule=ge)",
    "nDCG": "nDCG",
    "NDCG": "nDCG",
    "nDCG@10": "nDCG@10",
    "ndcg@10": "nDCG@10",
    "NDCG@10": "nDCG@10",
    "MSnDCG@0010": "nDCG@10",
    "nDCG(dcg='log2')@10": "nDCG@10",
    "nDCG(gain=exp)@10": "nDCG(gain=exp)@10",
    "nDCG(gain=exp2,disc=log2p1)@10": "nDCG(gain=exp)@10",
    "nDCG(dcg='exp-log2')@10": "nDCG(gain=exp)@10",
    "ndcg_burges@10": "nDCG(gain=exp)@10",
    "nDCG(gains={1:3.5,2:9})": "nDCG(gain={1:3.5,2:9})",
    "nDCG(gain={2:9, 1:3.5})": "nDCG(gain={1:3.5,2:9})",
    "nDCG(gain=10:5:1)@10": "nDCG(gain={1:1,2:5,3:10})@10",
    "nDCG(b=2)@10": "nDCG(b=2)@10",
    "nDCG(disc=logb,b=2)@10": "nDCG(b=2)@10",
    "nDCG(disc=jk)@10": "nDCG(b=2)@10",
    "ndcg_p": "nDCG(b=2)",
    "ndcg@10-l2": "nDCG(rel=2)@10",
    "DCG@5": "DCG@5",
    "dcg@5": "DCG@5",
    "dcg_burges@5": "DCG(gain=exp)@5",
    "IDCG@5": "IDCG@5",
    "CG@5": "CG@5",
    "nCG@5": "nCG@5",
    "SR@5": "nCG@5",
    "MSR@5": "MSR@5",
    "AvgNDCG(b=2)@5": "AvgNDCG(b=2)@5",
    "Bpref": "Bpref(def=te)",
    "BPref": "Bpref(def=te)",
    "RBP": "RBP(p=0.8,gain=linear,max=3)",
    "RBP(p=0.8)@10": "RBP(p=0.8,gain=linear,max=3)@10",
    "RBPresid(p=0.5)": "RBPresid(p=0.5)",
    "Judged@10": "Judged(denom=k)@10",
    "judged@10": "Judged(denom=k)@10",
    "Judged(denom=retrieved)@10": "Judged(denom=retrieved)@10",
    "Unjudged@10": "Unjudged(denom=k)@10",
    "ERR(max=4)@20": "ERR(max=4)@20",
    "ERR@20": "ERR(max=3)@20",
    "ERR": "ERR(max=3)",
    "err@20": "ERR(max=4)@20",
    "nERR@5": "nERR(max=3)@5",
    "EBR": "EBR(max=3,stop=ratio,beta=1)",
    "iRBU@5": "iRBU(max=3,stop=ratio)@5",
    "GAP": "GAP",
    "Q": "Q(beta=1)",
    "Q(beta=inf)": "Q(beta=inf)",
    "Q@10": "Q(beta=1)@10",
    "QMeasure": "Q(beta=1)",
    "QMeasure@0010": "Q(beta=1,denom=min)@10",
    "WAP": "WAP",
    "genAP": "genAP",
    "gP@5": "gP(max=3)@5",
    "gR@5": "gR@5",
    "O": "O(beta=1)",
    "OMeasure": "O(beta=1)",
    "PMeasure": "PMeasure(beta=1)",
    "PPlus": "PPlus(beta=1)",
    "PPlusMeasure": "PPlus(beta=1)",
    "NCUguP": "NCU(stop=gu,util=P,beta=1)",
    "NCUguBR": "NCU(stop=gu,util=BR,beta=1)",
    "NCUrbP": "NCU(stop=rb,util=P,beta=1)",
    "NCUrbBR": "NCU(stop=rb,util=BR,beta=1)",
    "NCU(stop=rb,util=P)": "NCU(stop=rb,util=P,beta=1)",
    "alpha_nDCG@5": "alpha_nDCG@5",
    "alpha_nDCG(alpha=0.3)@5": "alpha_nDCG(alpha=0.3)@5",
    "α_nDCG@5": "alpha_nDCG@5",
    "α-nDCG@5": "alpha_nDCG@5",
    "P+": "PPlus(beta=1)",
    "E": "SetE(beta=1)",
    "alpha-nDCG@5": "alpha_nDCG@5",
    "alpha_DCG@5": None,
    "α_DCG@5": None,
    "ERR_IA@5": None,
    "ERR-IA@5": None,
    "nERR_IA@5": None,
    "nERR-IA@5": None,
    "NRBP": None,
    "nNRBP": None,
    "AP_IA": "AP_IA",
    "MAP_IA": "AP_IA",
    "MAP-IA": "AP_IA",
    "P_IA@5": "P_IA@5",
    "P-IA@5": "P_IA@5",
    "StRecall@5": "StRecall@5",
    "strec@5": "StRecall@5",
    "I-rec@5": "StRecall@5",
    "D_nDCG@5": None,
    "D#-nDCG@5": None,
    "INST(T=2.0,max_rel=3)": "INST(T=2,max=3)",
    "INSQ(T=2.0,min_rel=0,max_rel=3)": "INSQ(T=2,max=3)",
    "BPM(T=2.0,max_rel=3)@10": "BPM(T=2,max=3)@10",
    "SDCG(max_rel=3)@5": "SDCG(max=3)@5",
    "NERR8(max_rel=3)@5": "NERR8(max=3)@5",
    "NERR9(max_rel=3)@5": "NERR9(max=3)@5",
    "NERR10(p=0.8,max_rel=3)": "NERR10(p=0.8,max=3)",
    "NERR11(T=2.0,max_rel=3)": "NERR11(T=2,max=3)",
    "Compat(p=0.95)": "Compat(p=0.95)",
    "RBO": "Compat(p=0.95,normalize=false)",
    "RBO(p=0.9)": "Compat(p=0.9,normalize=false)",
    "Compat(p=0.95,normalize=True)": "Compat(p=0.95)",
    "NumQ": "NumQ",
    "NumRet": "NumRet",
    "NumRel": "NumRel",
    "NumRel(rel=2)": "NumRel(rel=2)",
    "NumRelRet": "NumRelRet",
    "NumRet(rel=1)": "NumRelRet(rel=1)",
    "hits": "NumRelRet",
    "hits@5": "NumRelRet@5",
    "Accuracy": "Accuracy",
    "Accuracy@5": "Accuracy@5",
}
"""Spellings without a program's name in front, with irev's own; None: the record's defaults."""

TREC_SPELLINGS = {
    "map": "map", "P.5": "P_5", "P_5": "P_5", "set_P": "set_P", "recall.5": "recall_5",
    "set_relative_P": "set_relative_P", "relative_P.5": "relative_P_5", "set_recall": "set_recall",
    "set_F.1.0": "set_F_1.0", "set_map": "set_map", "map_cut.5": "map_cut_5", "gm_map": "gm_map",
    "infAP": "infAP", "Rprec": "Rprec", "Rprec_mult.0.5": "Rprec_mult_0.50",
    "recip_rank": "recip_rank", "success.5": "success_5", "11pt_avg": "11pt_avg",
    "iprec_at_recall.0.1": "iprec_at_recall_0.10", "ndcg": "ndcg", "ndcg_cut.5": "ndcg_cut_5",
    "ndcg.1=3.5,2=9": "ndcg_1=3.5,2=9", "dcg": "dcg", "ideal_dcg": "ideal_dcg",
    "ndcg_rel": "ndcg_rel", "Rndcg": "Rndcg", "G": "G", "binG": "binG", "bpref": "bpref",
    "gm_bpref": "gm_bpref", "rbp.p=0.8": "rbp_p=0.8", "rbp_resid.p=0.8": "rbp_resid_p=0.8",
    "unj.5": "unj_5", "num_q": "num_q", "num_ret": "num_ret", "num_rel": "num_rel",
    "num_rel_ret": "num_rel_ret", "num_nonrel_judged_ret": "num_nonrel_judged_ret",
    "utility": "utility", "yaap": "yaap", "runid": "runid", "relstring": "relstring",
    "ndcg_cut@5": "ndcg_cut_5", "map_cut@5": "map_cut_5", "unj@5": "unj_5", "trec:map": "map",
    "trec:P.5": "P_5", "iprec_at_recall@0.1": "iprec_at_recall_0.10",
}  # fmt: skip
"""trec_eval's, which stay as they are, with the column that is printed."""


def column(name: str, highest: float = 3.0) -> tuple[str, str]:
    """The printed and the canonical name of the one column that a name asks for."""
    (request,) = resolve_names([name])
    (found,) = request.close_scales(highest).columns
    return found.name, found.canonical


@for_each("spelling", SPELLINGS)
def test_spelling_is_found(spelling: str) -> None:
    printed, canonical = column(spelling)
    expected = SPELLINGS[spelling]
    if expected is not None:
        assert canonical == expected
    # irev's own way to write it is printed in full, any other as it was typed
    assert printed in (canonical, spelling)


@for_each("spelling", sorted({n for n in SPELLINGS.values() if n is not None}))
def test_canonical_names_stand_for_themselves(spelling: str) -> None:
    if spelling not in TREC_MEASURES:
        assert column(spelling) == (spelling, spelling)


@for_each("spelling", TREC_SPELLINGS)
def test_names_of_trec_eval_stay_as_they_are(spelling: str) -> None:
    assert column(spelling) == (TREC_SPELLINGS[spelling], "")


ONLY_TREC = {
    "nDCGrel": "ndcg_rel", "RnDCG": "Rndcg", "GMbpref": "gm_bpref", "Utility": "utility",
    "Yaap": "yaap", "NumNonrelJudgedRet": "num_nonrel_judged_ret",
}  # fmt: skip
"""Names in irev's way for measures that only trec_eval has."""


@pytest.mark.parametrize("name", ONLY_TREC)
def test_names_for_what_only_trec_eval_has(name: str) -> None:
    (request,) = resolve_names([name])
    assert request.measure is TREC_MEASURES[ONLY_TREC[name]]
    assert column(name) == (name, ONLY_TREC[name])


SPELLED = [
    (measure, spelling, name)
    for measure in MEASURES.values()
    for spelling in measure.spellings
    for name in spelling.names.split(" ")
]


@for_each(
    ("measure", "spelling", "name"),
    SPELLED,
    ids=[f"{m.name}-{s.program}:{n}" for m, s, n in SPELLED],
)
def test_what_a_record_says_it_is_called_means_it(
    measure: Measure, spelling: Spelling, name: str
) -> None:
    cut = {"required": "@7", "recall": "@0.1"}.get(rule_of(measure), "")
    prefix = f"{spelling.program}:" if spelling.program in PROGRAMS else ""
    option = spelling.only_with and f"({spelling.only_with}=2)"
    every = [name, name.upper()] if spelling.program == "anycase" else [name]
    for written in every:
        if written in TREC_MEASURES or written in NAMED:
            continue
        (request,) = resolve_names([f"{prefix}{written}{option}{cut}"])
        assert request.measure.name == measure.name
        assert prefix or spelling.program in ("everywhere", "anycase")


def rule_of(measure: Measure) -> str:
    """What may stand behind an @."""
    return measure.parameter.cutoff if isinstance(measure.parameter, NamedOptions) else ""


def test_a_name_means_one_measure() -> None:
    """Of two that a program calls alike, one is cut; or one has an option that makes it known."""
    by: dict[tuple[str, str], list[tuple[Measure, Spelling]]] = {}
    for measure, spelling, name in SPELLED:
        if not spelling.only_with:
            by.setdefault((spelling.program, name), []).append((measure, spelling))
    shared = {key: found for key, found in by.items() if len(found) > 1}
    assert {name for _, name in shared} == {"precision", "recall", "f1", "f_measure", "f_score"}
    for found in shared.values():
        assert sorted(rule_of(m) != "none" for m, _ in found) == [False, True]


@pytest.mark.parametrize("name", ["rbp.95", "rbp.2", "rbp.95@10"])
def test_persistence_as_ranx_writes_it_is_not_trec_evals(name: str) -> None:
    with pytest.raises(UsageError, match="rbp"):
        resolve_names([name])


@pytest.mark.parametrize("name", ["ndcg_burges", "NDCG@10x", "P@5-l2x", "D@-nDCG", "rbp@95"])
def test_what_is_no_spelling(name: str) -> None:
    if name == "ndcg_burges":
        assert column(name)[1] == "nDCG(gain=exp)"
        return
    with pytest.raises(UsageError):
        resolve_names([name])


# topic 1 of two graded lists that several programs were run on: one tie, two unjudged documents
QRELS = {
    "1": {
        "d01": 3, "d02": 3, "d03": 2, "d04": 2, "d05": 1, "d06": 1, "d07": 0, "d08": 0, "d09": 0,
    }
}  # fmt: skip
RUN = {
    "1": {
        "d07": 10, "d03": 9, "u01": 8, "d01": 7, "d05": 7, "d08": 5, "d02": 4, "u02": 3,
    }
}  # fmt: skip

PEER_VALUES = [
    # (name, value, order of ties): printed by ir_measures 0.4.3, ranx 0.3.21, pyNTCIREVAL 0.0.3,
    # gdeval, ndeval and cwl_eval; BEIR's are pytrec_eval's
    ("irm:AP", 0.36190476, "docid-desc"),
    ("irm:AP@5", 0.26666667, "docid-desc"),
    ("irm:AP(rel=2)", 0.3321, "docid-desc"),
    ("irm:AP(rel=2)@5", 0.225, "docid-desc"),
    ("irm:AP(judged_only=True)", 0.4306, "docid-desc"),
    ("irm:P(rel=2)@5", 0.4, "docid-desc"),
    ("irm:P(judged_only=True)@5", 0.6, "docid-desc"),
    ("irm:nDCG", 0.5139, "docid-desc"),
    ("irm:nDCG@5", 0.39953738, "docid-desc"),
    ("irm:nDCG(judged_only=True)@5", 0.4277, "docid-desc"),
    ("irm:nDCG(dcg='exp-log2')@5", 0.3447, "docid-desc"),
    ("irm:nDCG(gains={1:1,2:3,3:7})@5", 0.3447277, "docid-desc"),
    ("irm:Rprec", 0.5, "docid-desc"),
    ("irm:RR@10", 0.5, "docid-desc"),
    ("irm:SetP", 0.5, "docid-desc"),
    ("irm:SetP(relative=True)", 0.66666667, "docid-desc"),
    ("irm:SetR", 0.66666667, "docid-desc"),
    ("irm:SetF", 0.57142857, "docid-desc"),
    ("irm:SetF(beta=2.0)", 0.6, "docid-desc"),
    ("irm:SetAP", 0.33333333, "docid-desc"),
    ("irm:IPrec@0.1", 0.6, "docid-desc"),
    ("irm:Bpref", 0.38888889, "docid-desc"),
    ("irm:infAP", 0.36190544, "docid-desc"),
    ("irm:Judged@5", 0.8, "docid-desc"),
    ("irm:Judged@20", 0.75, "docid-desc"),
    ("irm:Accuracy", 0.5, "docid-desc"),
    ("irm:Accuracy@5", 0.16666667, "docid-desc"),
    ("irm:Compat(p=0.95)", 0.36800038, "docid-asc"),
    ("irm:ERR@20", 0.19987, "docid-desc"),
    ("irm:NumRet", 8.0, "docid-desc"),
    ("irm:NumRet(rel=1)", 4.0, "docid-desc"),
    ("irm:NumRel", 6.0, "docid-desc"),
    ("gdeval:ndcg@5", 0.3447, "docid-desc"),
    ("gdeval:ndcg", 0.49257, "docid-desc"),
    ("gdeval:ndcg@20", 0.49257, "docid-desc"),
    ("gdeval:err@20", 0.19987, "docid-desc"),
    ("beir:NDCG@5", 0.39953738, "docid-desc"),
    ("beir:MAP@5", 0.26666667, "docid-desc"),
    ("ranx:map", 0.36190476, "docid-asc"),
    ("ranx:map@5", 0.26666667, "docid-asc"),
    ("ranx:r-precision", 0.5, "docid-asc"),
    ("ranx:ndcg", 0.52562833, "docid-asc"),
    ("ranx:ndcg@5", 0.41181123, "docid-asc"),
    ("ranx:ndcg@5-l2", 0.37812190, "docid-asc"),
    ("ranx:ndcg_burges@5", 0.36274315, "docid-asc"),
    ("ranx:ndcg_burges@5-l2", 0.34539269, "docid-asc"),
    ("ranx:ndcg_burges", 0.51016027, "docid-asc"),
    ("ranx:dcg@5", 2.94074199, "docid-asc"),
    ("ranx:map-l2", 0.35714286, "docid-asc"),
    ("ranx:rbp.80", 0.86640640, "docid-asc"),
    ("ranx:f1", 0.57142857, "docid-asc"),
    ("ranx:f1@5", 0.54545455, "docid-asc"),
    ("ranx:recall@5", 0.5, "docid-asc"),
    ("ranx:bpref", 0.38888889, "docid-asc"),
    ("ranx:hits", 4.0, "docid-asc"),
    ("ranx:hits@5", 3.0, "docid-asc"),
    ("ntcir:AP", 0.3619, "docid-desc"),
    ("ntcir:AP@5", 0.3200, "docid-desc"),
    ("ntcir:Q", 0.3298, "docid-desc"),
    ("ntcir:QMeasure@0005", 0.2589, "docid-desc"),
    ("ntcir:O", 0.3750, "docid-desc"),
    ("ntcir:P-measure", 0.5625, "docid-desc"),
    ("ntcir:P-plus", 0.4315, "docid-desc"),
    ("ntcir:NCUguP", 0.4179, "docid-desc"),
    ("ntcir:NCUgu,BR", 0.4039, "docid-desc"),
    ("ntcir:NCUrbP", 0.3787, "docid-desc"),
    ("ntcir:NCUrb,BR", 0.3414, "docid-desc"),
    ("ntcir:nDCG@5", 0.4362, "docid-desc"),
    ("ntcir:MSnDCG@5", 0.3995, "docid-desc"),
    ("ntcir:MSnDCG@8", 0.5139, "docid-desc"),
    ("ntcir:ERR", 0.3475, "docid-desc"),
    ("ntcir:nERR@5", 0.3930, "docid-desc"),
    ("ntcir:RBP", 0.1234, "docid-desc"),
    ("cwl:SDCG-k@5", 0.3325, "docid-asc"),
    ("cwl:NDCG-k@5", 0.3325, "docid-asc"),
    ("irm:SDCG(max_rel=3)@5", 0.3325, "docid-asc"),
]


@for_each(("name", "value", "ties"), PEER_VALUES, ids=[v[0] for v in PEER_VALUES])
def test_a_programs_name_gives_its_number(name: str, value: float, ties: Any) -> None:
    scores = evaluate(QRELS, RUN, [name], ties=ties)
    places = max(4, len(str(value).partition(".")[2]))
    assert scores.summary() == {name: pytest.approx(value, abs=0.51 * 10**-places)}


TREC_VALUES = {
    "map": 0.3619, "map_cut.5": 0.2667, "bpref": 0.3889, "Rprec": 0.5, "infAP": 0.3619,
    "ndcg": 0.5139, "ndcg_cut.5": 0.3995, "binG": 0.3436, "G": 0.2765, "ndcg_rel": 0.4083,
    "Rndcg": 0.3507, "set_P": 0.5, "set_recall": 0.6667, "set_F": 0.5714, "set_map": 0.3333,
    "rbp": 0.2031, "rbp_resid": 0.5593, "unj.5": 0.2,
}  # fmt: skip
"""What trec_eval 10 prints, and 9 where it has the measure."""


@for_each("name", TREC_VALUES)
@for_each("version", ["", "trec:", "trec9:"])
def test_trec_evals_names_give_its_numbers(version: str, name: str) -> None:
    if version == "trec9:" and name in ("rbp", "rbp_resid", "unj.5"):
        with pytest.raises(UsageError, match="trec_eval 10 has it"):
            resolve_names([version + name])
        return
    (value,) = evaluate(QRELS, RUN, [version + name]).summary().values()
    assert value == pytest.approx(TREC_VALUES[name], abs=0.51e-4)


NTCIR_QRELS = {
    "1": {
        "d01": 3, "d02": 3, "d03": 3, "d04": 2, "d05": 2, "d06": 2, "d07": 1, "d08": 1, "d09": 1,
        "d10": 1, "d11": 0,
    }
}  # fmt: skip
NTCIR_RUN = {"1": {"d11": 4, "d01": 3, "d12": 2, "d04": 1}}
NTCIR_VALUES = {
    "RR": 0.5, "OMeasure": 0.5, "PMeasure": 0.5, "PPlusMeasure": 0.5, "AP": 0.1,
    "QMeasure": 0.0967, "NCUguP": 0.1316, "NCUguBR": 0.1281, "NCUrbP": 0.1215, "NCUrbBR": 0.1175,
    "RBP": 0.0761, "ERR": 0.4062, "nDCG@1000": 0.3380, "MSnDCG@1000": 0.2760, "nERR@1000": 0.4710,
    "AP@2": 0.25, "QMeasure@2": 0.25, "nDCG@2": 0.5, "MSnDCG@2": 0.3869, "nERR@2": 0.4444,
    "QMeasure(gain=9:4:1)": 0.0929, "NCUguP(gain=9:4:1)": 0.1512, "NCUguBR(gain=9:4:1)": 0.1445,
    "NCUrbBR(gain=9:4:1)": 0.1130, "RBP(gain=9:4:1)": 0.0666, "ERR(gain=9:4:1)": 0.46,
    "nDCG(gain=9:4:1)@1000": 0.3636, "MSnDCG(gain=9:4:1)@1000": 0.2947,
    "nERR(gain=9:4:1)@1000": 0.4851, "AP(condensed=true)": 0.1167,
    "QMeasure(condensed=true)": 0.1083, "RBP(condensed=true)": 0.0776,
    "ERR(condensed=true)": 0.4167, "nDCG(condensed=true)@1000": 0.3601,
}  # fmt: skip
"""What pyNTCIREVAL prints, for its own example, with gains of 3:2:1 and 9:4:1."""


@for_each("name", NTCIR_VALUES)
def test_pyntcirevals_names_give_its_numbers(name: str) -> None:
    (value,) = evaluate(NTCIR_QRELS, NTCIR_RUN, [f"ntcir:{name}"]).summary().values()
    assert value == pytest.approx(NTCIR_VALUES[name], abs=0.51e-4)


@pytest.mark.parametrize(
    ("name", "value"),
    [("ndeval:alpha-nDCG@5", 0.6210), ("ndeval:ERR-IA@5", 0.4902), ("ndeval:NRBP", 0.4351)],
)
def test_ndevals_names_give_its_numbers(tmp_path: Path, name: str, value: float) -> None:
    qrels = tmp_path / "qrels"
    lines = [f"1 1 {doc} {int(grade > 0)}" for doc, grade in QRELS["1"].items()]
    qrels.write_text("\n".join(lines) + "\n")
    scores = evaluate(str(qrels), RUN, [name], qrels_format="subtopics")
    assert scores.summary() == {name: pytest.approx(value, abs=0.51e-4)}


def test_trec_eval_9_rounds_levels_of_recall_upward() -> None:
    # R = 3: level 0.8 is reached with trunc(2.4 + 0.9) = 3 documents there, with 2 in version 10;
    # the values are the two programs' own
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    run = {"q": {doc: 9.0 - i for i, doc in enumerate("abxyc")}}
    names = ["iprec_at_recall.0.8", "trec9:iprec_at_recall.0.8", "irm:IPrec@0.8", "trec9:map"]
    assert evaluate(qrels, run, names).summary() == {
        "iprec_at_recall_0.80": 1.0,
        "trec9:iprec_at_recall_0.80": 0.6,
        "irm:IPrec@0.8": 0.6,
        "trec9:map": pytest.approx((1 + 1 + 3 / 5) / 3),
    }


@for_each(
    ("name", "message"),
    [
        ("foo:map", "no program is called foo; trec, trec9, irm, ranx"),
        ("ranx:Q", "'ranx:Q': ranx has bpref, dcg, dcg_burges, f1"),
        ("gdeval:map", "gdeval has err, ndcg"),
        ("irm:RBP(p=0.8)", "ir_measures computes RBP only with rel=N"),
        ("trec:nDCG@10", "no measure or set is called 'nDCG'; did you mean"),
        ("trec9:rbp.p=0.5", "trec_eval 10 has it, and irev's own is RBP(p=0.5)"),
        ("trec:P.0", "at least 1, not 0"),
        ("ndgc@10", "no measure or set is called 'ndgc'; did you mean ndcg, "),
        ("Qmesure", "did you mean QMeasure"),
        ("nDCG(gian=exp)@10", "measure nDCG has no option 'gian'; did you mean gain?"),
        ("P(zzz=1)@5", "measure P has no option 'zzz'; it has rel, condensed"),
        ("suite:zzz", "no suite is called 'zzz'; there are dl19"),
    ],
)
def test_wrong_names_are_refused_with_a_hint(name: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        resolve_names([name])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
