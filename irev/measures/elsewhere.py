"""What other programs call a measure, and where their numbers are others.

What is said of a program was found in its source or by running it, in these versions: trec_eval
10.0-rc3, pytrec_eval-terrier 0.5, ir_measures 0.4.3, ranx 0.3.21, pyNTCIREVAL 0.0.3, cwl_eval,
gdeval and ndeval as TREC ships them, BEIR's EvaluateRetrieval. pytrec_eval and ir_measures bring
trec_eval 9.0.8 with them: their scores have 32 bits, which makes ties of nearly equal ones.
"""

from __future__ import annotations

from typing import NamedTuple


class Elsewhere(NamedTuple):
    """The name of a measure in another program, and what differs there, if anything does."""

    program: str
    name: str
    difference: str = ""


TREC, PYTREC, IRM, RANX = "trec_eval", "pytrec_eval", "ir_measures", "ranx"
NTCIR, CWL, GDEVAL, NDEVAL, BEIR = "pyNTCIREVAL", "cwl_eval", "gdeval", "ndeval", "BEIR"

_TIES = "equal scores by document id, rising, not falling"
_RANX_TIES = "equal scores stand in no set order"
_RECALL = "levels of recall are rounded up (trunc(p R + 0.9)), as in trec_eval 9"


def _same(**names: str) -> tuple[Elsewhere, ...]:
    return tuple(Elsewhere(_PROGRAMS[program], name) for program, name in names.items())


_PROGRAMS = {
    "trec": TREC, "pytrec": PYTREC, "irm": IRM, "ranx": RANX, "ntcir": NTCIR, "cwl": CWL,
    "gdeval": GDEVAL, "ndeval": NDEVAL, "beir": BEIR,
}  # fmt: skip

_AP = (
    *_same(trec="map", irm="AP", ranx="map", ntcir="AP"),
    Elsewhere(CWL, "AP", "the recall base is what was retrieved, so that the value is higher"),
)
_AP_CUT = (
    *_same(trec="map_cut.k", irm="AP@k", ranx="map@k", beir="MAP@k"),
    Elsewhere(NTCIR, "AP@k", "divides by min(R, k): AP(denom=min)@k"),
)
_P = (
    *_same(trec="P.k", irm="P@k", ranx="precision@k", ntcir="Precision@k", beir="P@k"),
    Elsewhere(CWL, "P@k", "the mean gain, not the share of relevant documents"),
)
_R = _same(trec="recall.k", irm="R@k", ranx="recall@k", beir="Recall@k")
_RELATIVE = _same(trec="relative_P.k", beir="R_cap@k")
_RR = (
    *_same(trec="recip_rank", irm="RR", ranx="mrr", ntcir="RR"),
    Elsewhere(IRM, "RR@k", _TIES),
    Elsewhere("MS MARCO's script", "MRR @10", "the ranks of the file count, not the scores"),
    Elsewhere(CWL, "RR", "the gain of the first document with one over its rank"),
)
_NDCG = (
    *_same(trec="ndcg", irm="nDCG"),
    Elsewhere(RANX, "ndcg", f"{_RANX_TIES}; a negative grade lowers the sum"),
)
_NDCG_CUT = (
    *_same(trec="ndcg_cut.k", irm="nDCG@k", ntcir="MSnDCG@k", beir="NDCG@k"),
    Elsewhere(RANX, "ndcg@k", _RANX_TIES),
    Elsewhere(GDEVAL, "ndcg@k", "exponential gains: nDCG(gain=exp)@k; topics without relevant "
              "documents are left out"),
    Elsewhere(NTCIR, "nDCG@k", "discounts by Järvelin and Kekäläinen: nDCG(b=2)@k"),
    Elsewhere(RANX, "ndcg_burges@k", "exponential gains: nDCG(gain=exp)@k"),
    Elsewhere(CWL, "NDCG-k", "a constant divisor, not the topic's ideal: SDCG@k"),
)  # fmt: skip
_RBP = (
    Elsewhere(
        TREC, "rbp", "p is 0.9; grades are scaled by the topic's highest where one exceeds 1"
    ),
    Elsewhere(IRM, "RBP", "p is 0.8; with rel=N binary"),
    Elsewhere(RANX, "rbp.80", "the grades themselves are the gains, so that it may exceed 1"),
    Elsewhere(NTCIR, "RBP", "p is 0.95; gains over the highest gain of the scale"),
    Elsewhere(CWL, "RBP@p", "refuses gains above 1"),
)
_BPREF = (
    *_same(trec="bpref", irm="Bpref"),
    Elsewhere(RANX, "bpref", "NaN where no document was judged non-relevant"),
)
_IPREC_9 = (
    Elsewhere(IRM, "IPrec@r", _RECALL),
    Elsewhere(PYTREC, "iprec_at_recall_r", _RECALL),
)
_F = (
    Elsewhere(TREC, "set_F.x", "x is beta squared: set_F.4 is F2"),
    Elsewhere(IRM, "SetF(beta=x)", "hands beta on as trec_eval's x, the square of the usual beta"),
)
_ERR = (
    Elsewhere(GDEVAL, "err@k", "the scale ends at grade 4: ERR(max=4)@k"),
    Elsewhere(IRM, "ERR@k", "the scale ends at grade 4: ERR(max=4)@k"),
    Elsewhere(NTCIR, "ERR", "a document stops the user with g / (gmax + 1)"),
)

ELSEWHERE: dict[str, tuple[Elsewhere, ...]] = {
    "map": _AP,
    "AP": (*_AP, *_AP_CUT),
    "map_cut": _AP_CUT,
    "gm_map": (Elsewhere(PYTREC, "gm_map", "the value of a topic is the logarithm"),),
    "GMAP": _same(trec="gm_map"),
    "P": _P,
    "recall": _R,
    "R": _R,
    "relative_P": _RELATIVE,
    "RelP": _RELATIVE,
    "recip_rank": _RR,
    "RR": _RR,
    "Rprec": _same(trec="Rprec", irm="Rprec", ranx="r-precision"),
    "success": _same(irm="Success@k", ranx="hit_rate@k", ntcir="Hit@k", beir="Accuracy@k"),
    "Success": _same(
        trec="success.k", irm="Success@k", ranx="hit_rate@k", ntcir="Hit@k", beir="Accuracy@k"
    ),
    "set_P": _same(irm="SetP", ranx="precision"),
    "SetP": _same(trec="set_P", irm="SetP", ranx="precision"),
    "set_recall": _same(irm="SetR", ranx="recall"),
    "SetR": _same(trec="set_recall", irm="SetR", ranx="recall"),
    "set_relative_P": _same(irm="SetP(relative=True)"),
    "set_map": _same(irm="SetAP"),
    "SetAP": _same(trec="set_map", irm="SetAP"),
    "set_F": _F,
    "SetF": _F,
    "F": _same(ranx="f1@k"),
    "iprec_at_recall": _IPREC_9,
    "IPrec": (
        Elsewhere(TREC, "iprec_at_recall.r", "IPrec(rule=te10)@r"),
        *(each._replace(difference="IPrec(rule=te9)@r") for each in _IPREC_9),
    ),
    "11pt_avg": (Elsewhere(PYTREC, "11pt_avg", _RECALL),),
    "IPrecAvg": _same(trec="11pt_avg"),
    "bpref": _BPREF,
    "Bpref": _BPREF,
    "infAP": _same(trec="infAP", irm="infAP"),
    "ndcg": _NDCG,
    "ndcg_cut": _NDCG_CUT,
    "nDCG": (*_NDCG, *_NDCG_CUT),
    "dcg": (Elsewhere(RANX, "dcg@k", _RANX_TIES),),
    "DCG": (Elsewhere(TREC, "dcg"), Elsewhere(RANX, "dcg@k", _RANX_TIES)),
    "IDCG": _same(trec="ideal_dcg"),
    "rbp": _RBP,
    "RBP": _RBP,
    "unj": (
        Elsewhere(IRM, "Judged@k", f"the share that is judged, of min(k, n); {_TIES}"),
        Elsewhere(BEIR, "Hole@k", "documents that were judged for no topic at all"),
    ),
    "Judged": (
        Elsewhere(TREC, "unj.k", "the share that is not judged, of k"),
        Elsewhere(IRM, "Judged@k", _TIES),
    ),
    "Unjudged": _same(trec="unj.k"),
    "Accuracy": (
        Elsewhere(IRM, "Accuracy", "an error where all that was retrieved is relevant"),
        Elsewhere(BEIR, "Accuracy@k", "another measure: Success@k"),
    ),
    "ERR": _ERR,
    "nERR": _same(ntcir="nERR@k"),
    "Q": (
        Elsewhere(NTCIR, "QMeasure"),
        Elsewhere(NTCIR, "QMeasure@k", "divides by min(R, k): Q(denom=min)@k"),
    ),
    "O": _same(ntcir="OMeasure"),
    "PMeasure": _same(ntcir="PMeasure"),
    "PPlus": _same(ntcir="PPlusMeasure"),
    "NCU": tuple(Elsewhere(NTCIR, f"NCU{kind}") for kind in ("guP", "guBR", "rbP", "rbBR")),
    "SDCG": (Elsewhere(CWL, "NDCG-k"), Elsewhere(IRM, "SDCG@k")),
    "NERR8": _same(irm="NERR8@k", cwl="NERR-EQ8"),
    "NERR9": _same(irm="NERR9@k", cwl="NERR-EQ9"),
    "NERR10": _same(irm="NERR10", cwl="NERR-EQ10"),
    "NERR11": _same(irm="NERR11", cwl="NERR-EQ11"),
    "INST": _same(irm="INST", cwl="INST-T"),
    "INSQ": _same(irm="INSQ", cwl="INSQ-T"),
    "BPM": _same(irm="BPM@k", cwl="BPM-Static"),
    "Compat": (Elsewhere(IRM, "Compat", f"the depth is the longer list's, not 1000; {_TIES}"),),
    "alpha_nDCG": _same(ndeval="alpha-nDCG@k", irm="alpha_nDCG@k"),
    "alpha_DCG": _same(ndeval="alpha-DCG@k", irm="alpha_DCG@k"),
    "ERR_IA": _same(ndeval="ERR-IA@k", irm="ERR_IA@k"),
    "nERR_IA": _same(ndeval="nERR-IA@k", irm="nERR_IA@k"),
    "NRBP": _same(ndeval="NRBP", irm="NRBP"),
    "nNRBP": _same(ndeval="nNRBP", irm="nNRBP"),
    "AP_IA": _same(ndeval="MAP-IA", irm="AP_IA"),
    "P_IA": _same(ndeval="P-IA@k", irm="P_IA@k"),
    "StRecall": _same(ndeval="strec@k", irm="StRecall@k"),
    "num_q": (
        Elsewhere(IRM, "NumQ", "the topics that were scored, not those averaged over"),
    ),
    "num_ret": _same(irm="NumRet"),
    "num_rel": (Elsewhere(IRM, "NumRel", "topics that the run lacks are not counted"),),
    "num_rel_ret": _same(irm="NumRet(rel=1)", ranx="hits"),
}  # fmt: skip
"""Measure -> what it is called elsewhere."""
