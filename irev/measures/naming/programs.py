"""Other programs: how they write names, which they have for irev's measures, what differs there.

What is said of a program was found in its source or by running it, in these versions: trec_eval
10.0-rc3, pytrec_eval-terrier 0.5, ir_measures 0.4.3, ranx 0.3.21, pyNTCIREVAL 0.0.3, cwl_eval,
gdeval and ndeval as TREC ships them, BEIR's EvaluateRetrieval. pytrec_eval and ir_measures bring
trec_eval 9.0.8 with them: their scores have 32 bits, which makes ties of nearly equal ones.

The tables are by irev's names of the measures. `registry.measure` copies what is there of each into
its record (`SPELLINGS` as `Measure.spellings`, `ELSEWHERE` as `Measure.elsewhere`); `spellings`
finds measures by those, and reads `PROGRAMS` and `IN_PERCENT` itself.
"""

from __future__ import annotations

from typing import NamedTuple

TREC, PYTREC, IRM, RANX = "trec_eval", "pytrec_eval", "ir_measures", "ranx"
NTCIR, CWL, GDEVAL, NDEVAL, BEIR = "pyNTCIREVAL", "cwl_eval", "gdeval", "ndeval", "BEIR"
TAR, MSMARCO = "tar_eval_2018", "MS MARCO's script"


class Spelling(NamedTuple):
    """Names that are taken for a measure, and with which options they mean it."""

    program: str
    """Where: one of `PROGRAMS`, everywhere, or anycase (everywhere, in capitals or not)."""
    names: str
    """The names, with a blank between them."""
    options: str = ""
    """The options that they stand for, as they are written between parentheses."""
    cut: str = ""
    """Further options where they are cut at a rank."""
    at: str = ""
    """The cutoff where none is given."""
    only_with: str = ""
    """An option that must be named."""
    squares: tuple[str, ...] = ()
    """Options of which the program takes the square."""


class Elsewhere(NamedTuple):
    """The name of a measure in another program, and what differs there, if anything does."""

    program: str
    name: str
    difference: str = ""

    @property
    def is_cut(self) -> bool:
        """Whether it is the name of the measure cut at a rank."""
        return self.name.endswith(("@k", "-k", "_k", "@10"))


class Program(NamedTuple):
    """Another program, whose names can be asked for with its own in front: `ntcir:nDCG@10`."""

    title: str
    rewrites: tuple[tuple[str, str], ...] = ()
    """What it writes in its own way, as patterns, and the names with options that they are."""
    cutoff: str = ""
    """Where it cuts all its measures, unless it is told."""
    full_gain_maps: bool = False
    """Whether a grade above those of a map of gains is an error, not its own gain."""


PROGRAMS = {
    "irm": Program(IRM),
    "ranx": Program(
        RANX,
        (
            (r"^rbp\.([0-9]+)-l([0-9]+)$", r"rbp(p=0.\1,rel=\2)"),
            (r"^rbp\.([0-9]+)", r"rbp(p=0.\1)"),
        ),
    ),
    # a comma stands between cutoffs
    "ntcir": Program(NTCIR, ((r"^(NCU(?:gu|rb)),(P|BR|IE)", r"\1\2"),), full_gain_maps=True),
    "cwl": Program(
        CWL,
        (
            (r"^RBP@([0-9.]+)$", r"RBP(p=\1)"),
            (r"^(INST|INSQ)-T=([^@]+)", r"\1(T=\2)"),
            (r"^(NERR-EQ11)@([0-9.]+)$", r"\1(T=\2)"),
            (r"^(NERR-EQ10)@([0-9.]+)$", r"\1(p=\2)"),
            (r"^(BPM-Static)-T=([^-@]+)-K=([0-9]+)", r"\1(T=\2)@\3"),
            (r"^(SDCG|NDCG)-k@", r"\1@"),
            (r"^(SDCG|NDCG)-([0-9]+)", r"\1@\2"),
        ),
    ),
    "beir": Program(BEIR),
    "gdeval": Program(GDEVAL, cutoff="20"),
    "ndeval": Program(NDEVAL),
    "msmarco": Program(MSMARCO, cutoff="10"),
    "tar": Program(TAR, ((r"^recall@([0-9.]+)%$", r"recall(percent=\1)"),)),
}
"""The programs whose definitions can be asked for by name; beside them trec and trec9."""

IN_PERCENT = (
    (r"(?i)^(?:R|Recall|NCG)@([0-9.]+)%$", r"ReadRecall(percent=\1)"),
    (r"(?i)^(?:R|Recall|NCG)\((.+)\)@([0-9.]+)%$", r"ReadRecall(percent=\2,\1)"),
    (r"(?i)^WSS@100%?$", "WSS(recall=1)"),
    (r"(?i)^WSS@([0-9]{2})%?$", r"WSS(recall=0.\1)"),
)
"""Cutoffs in percent, everywhere, in any case: patterns, and the names with options they are."""

# --- The names of the measures ---


def names(
    options: str = "",
    *,
    cut: str = "",
    at: str = "",
    only_with: str = "",
    squares: tuple[str, ...] = (),
    **by_program: str,
) -> tuple[Spelling, ...]:
    """Names that stand for a measure with these options (see `Spelling`), by where they do."""
    return tuple(
        Spelling(program, each, options, cut, at, only_with, squares)
        for program, each in by_program.items()
    )


SPELLINGS: dict[str, tuple[Spelling, ...]] = {
    "yaap": names(everywhere="Yaap"),
    "AP": names(
        everywhere="AveP",
        irm="AP MAP",
        ranx="map",
        beir="MAP",
        anycase="map ap average_precision mean_average_precision",
    )
    + names(cut="denom=min", ntcir="AP"),
    "GMAP": names(anycase="geometric_mean_average_precision"),
    "DCG": names(anycase="dcg discounted_cumulative_gain", ranx="dcg")
    + names("gain=exp", anycase="dcg_burges", ranx="dcg_burges"),
    "IDCG": names(anycase="idcg"),
    "nDCG": names(
        everywhere="MSnDCG",
        anycase="ndcg normalized_discounted_cumulative_gain normalised_discounted_cumulative_gain",
        irm="nDCG NDCG",
        ranx="ndcg",
        ntcir="MSnDCG",
        beir="NDCG",
    )
    + names("gain=exp", anycase="ndcg_burges ndcg_exp", ranx="ndcg_burges", gdeval="ndcg")
    + names("disc=jk,b=2", anycase="ndcg_p")
    + names("disc=jk", ntcir="nDCG"),
    "gP": names(cwl="P"),
    "ndcg_rel": names(everywhere="nDCGrel"),
    "Rndcg": names(everywhere="RnDCG"),
    "num_nonrel_judged_ret": names(everywhere="NumNonrelJudgedRet"),
    "NumQ": names(irm="NumQ"),
    "NumRet": names(irm="NumRet"),
    "NumRel": names(irm="NumRel"),
    "NumRelRet": names(anycase="hits", irm="NumRelRet")
    + names(only_with="rel", everywhere="NumRet", irm="NumRet"),
    "MeanRelRet": names(ranx="hits"),
    "Judged": names(anycase="judged") + names("denom=retrieved,negative=judged", irm="Judged"),
    "Hole": names(beir="Hole"),
    "gm_bpref": names(everywhere="GMbpref"),
    "Bpref": names(anycase="bpref binary_preference", irm="Bpref BPref", ntcir="bpref")
    + names("negative=judged", ranx="bpref")
    + names("def=eq,extra=10", everywhere="bpref-10")
    + names("def=te7", everywhere="old_bpref")
    + names("def=te,extra=10", everywhere="bpref_top10pRnonrel")
    + names("def=te7,extra=10", everywhere="old_bpref_top10pRnonrel"),
    "infAP": names(anycase="infap inferred_average_precision", irm="infAP"),
    "P": names(
        everywhere="Precision",
        anycase="precision p prec",
        irm="P Precision",
        ranx="precision",
        ntcir="P Prec Precision",
        beir="P",
    ),
    "R": names(anycase="recall", irm="R Recall", ranx="recall", beir="Recall"),
    "RelP": names(everywhere="Recall_cap", anycase="r_cap", beir="R_cap"),
    "F": names(anycase="f_measure f_score") + names("beta=1", anycase="f1", ranx="f1"),
    "Success": names(
        everywhere="Hit HR HitRate S",
        anycase="hit_rate success",
        irm="Success",
        ranx="hit_rate",
        ntcir="Hit",
        beir="Accuracy",
    ),
    "RR": names(
        anycase="mrr rr reciprocal_rank mean_reciprocal_rank",
        irm="RR MRR",
        ranx="mrr",
        ntcir="RR",
        beir="MRR",
        msmarco="MRR RR mrr",
    ),
    "Rprec": names(anycase="r-precision r_precision rprec", irm="Rprec RPrec", ranx="r-precision"),
    "Accuracy": names(irm="Accuracy"),
    "AUC": names(anycase="auc auroc roc_auc roc_auc_score"),
    "IPrec": names("rule=te9", irm="IPrec"),
    "RBP": names(anycase="rank_biased_precision")
    + names("p=0.8,gain=binary", only_with="rel", irm="RBP")
    + names("gain=raw", ranx="rbp")
    + names("p=0.95", ntcir="RBP")
    + names("p=0.9,gain=linear", cwl="RBP"),
    "nRBP": names("p=0.95", ntcir="nRBP"),
    "utility": names(everywhere="Utility"),
    "SetP": names(anycase="precision", irm="SetP", ranx="precision")
    + names("relative=true", everywhere="SetRelP", irm="SetRelP"),
    "SetR": names(anycase="recall", irm="SetR", ranx="recall"),
    "SetF": names(anycase="f_measure f_score")
    + names("beta=1", anycase="f1", ranx="f1")
    + names(squares=("beta",), irm="SetF"),
    "SetE": names(everywhere="E"),
    "SetAP": names(irm="SetAP"),
    "Q": names(everywhere="Q-measure")
    + names(cut="denom=min", everywhere="QMeasure", ntcir="Q QMeasure Q-measure"),
    "O": names(everywhere="O-measure", ntcir="O OMeasure O-measure"),
    "PMeasure": names(everywhere="P-measure", ntcir="PMeasure P-measure"),
    "PPlus": names(everywhere="P-plus P-Plus P+", ntcir="PPlus PPlusMeasure P-plus P+"),
    "WRR": names("norm=ideal", everywhere="NWRR"),
    "GAP": names(cut="denom=min", ntcir="GAP"),
    "ERR": names(anycase="expected_reciprocal_rank")
    + names("max=4", anycase="err", gdeval="err")
    + names("max=4", at="20", irm="ERR")
    + names("stop=ratio", ntcir="ERR"),
    "nERR": names("stop=ratio", ntcir="nERR"),
    "EBR": names(ntcir="EBR"),
    "nEBR": names(ntcir="nEBR"),
    "iRBU": names(ntcir="iRBU"),
    "niRBU": names(ntcir="niRBU"),
    "Compat": names("normalize=false", everywhere="RBO") + names("depth=0", irm="Compat"),
    "SDCG": names(irm="SDCG", cwl="SDCG NDCG"),
    "INSQ": names(irm="INSQ", cwl="INSQ"),
    "INST": names(irm="INST", cwl="INST"),
    "NERR8": names(irm="NERR8", cwl="NERR-EQ8"),
    "NERR9": names(irm="NERR9", cwl="NERR-EQ9"),
    "NERR10": names(irm="NERR10", cwl="NERR-EQ10"),
    "NERR11": names(irm="NERR11", cwl="NERR-EQ11"),
    "RateAP": names(cwl="AP"),
    "RateRR": names(cwl="RR"),
    "BPM": names(irm="BPM", cwl="BPM-Static"),
    "alpha_DCG": names(everywhere="α-DCG", irm="alpha_DCG α_DCG", ndeval="alpha-DCG"),
    "alpha_nDCG": names(everywhere="α-nDCG", irm="alpha_nDCG α_nDCG", ndeval="alpha-nDCG"),
    "ERR_IA": names(irm="ERR_IA", ndeval="ERR-IA"),
    "nERR_IA": names(irm="nERR_IA", ndeval="nERR-IA"),
    "NRBP": names(irm="NRBP", ndeval="NRBP"),
    "nNRBP": names(irm="nNRBP", ndeval="nNRBP"),
    "AP_IA": names(irm="AP_IA MAP_IA", ndeval="MAP-IA"),
    "P_IA": names(irm="P_IA", ndeval="P-IA"),
    "StRecall": names(anycase="strec", irm="StRecall", ndeval="strec", ntcir="I-rec"),
    "IA_nDCG": names(everywhere="IA-MSnDCG", ntcir="IA-nDCG IA-MSnDCG"),
    "IA_ERR": names("stop=ratio,max=intent", ntcir="IA-ERR"),
    "IA_nERR": names("stop=ratio,max=intent", ntcir="IA-nERR"),
    "IA_EBR": names("stop=ratio,max=intent", ntcir="IA-EBR"),
    "IA_RBP": names("max=intent", ntcir="IA-RBP"),
    "IA_Q": names(cut="denom=min", ntcir="IA-Q"),
    "PplusQ": names(ntcir="PplusQ P+Q"),
    "D_nDCG": names(everywhere="D-MSnDCG", ntcir="D-nDCG D-MSnDCG"),
    "D_Q": names(cut="denom=min", ntcir="D-Q"),
    "DIN_nDCG": names(ntcir="DIN-nDCG"),
    "DIN_Q": names(cut="denom=min", ntcir="DIN-Q"),
    "D_ERR": names(ntcir="D-ERR"),
    "D_nERR": names(ntcir="D-nERR"),
    "D_EBR": names(ntcir="D-EBR"),
    "D_RBP": names(ntcir="D-RBP"),
    "NuggetRecall": names(everywhere="V_strict strict_vital_score")
    + names("partial=0.5", everywhere="V vital_score")
    + names("of=all", everywhere="A_strict strict_all_score")
    + names("of=all,partial=0.5", everywhere="A all_score")
    + names("of=weighted", everywhere="W_strict")
    + names("of=weighted,partial=0.5", everywhere="W"),
    "bpref_R": names(ntcir="bpref_R"),
    "bpref_N": names(ntcir="bpref_N"),
    "bpref_relative": names(ntcir="bpref_relative"),
    "rpref_N": names(ntcir="rpref_N"),
    "rpref_relative": names(ntcir="rpref_relative"),
    "rpref_relative2": names(ntcir="rpref_relative2"),
    "WSS": names(anycase="wss work_saved_over_sampling")
    + names("recall=0.95,target=round", tar="wss_95")
    + names("recall=1,target=round", tar="wss_100"),
    "LastRel": names("missing=found", tar="last_rel"),
    "NormLastRel": names("missing=found", tar="norm_last_rel"),
    "RecallArea": names(tar="norm_area"),
    "ReadRecall": names(tar="recall"),
    "DSharp_nDCG": names(ntcir="D#-nDCG"),
    "DSharp_Q": names(cut="denom=min", ntcir="D#-Q"),
    "DINSharp_nDCG": names(ntcir="DIN#-nDCG"),
    "DINSharp_Q": names(cut="denom=min", ntcir="DIN#-Q"),
    "DSharp_ERR": names(ntcir="D#-ERR"),
    "DSharp_nERR": names(ntcir="D#-nERR"),
    "DSharp_EBR": names(ntcir="D#-EBR"),
    "DSharp_RBP": names("p=0.99", ntcir="D#-RBP"),
    "SupP": names(everywhere="weighted_precision"),
    "SupR": names(everywhere="weighted_recall"),
    "NCU": tuple(
        Spelling(where, written.format(stop, util), f"stop={stop},util={util}", cut="denom=min")
        for where, written in (("everywhere", "NCU{0}{1}"), ("ntcir", "NCU{0}{1} NCU{0}_{1}"))
        for stop in ("gu", "rb")
        for util in ("P", "BR", "IE")
    ),
}
"""Of measures: the names that are taken for each, here and in other programs."""

RISING = "equal scores by document id, rising, not falling"
UNORDERED = "equal scores are in no fixed order"
ROUNDED_UP = "levels of recall are rounded up (trunc(p R + 0.9)), as in trec_eval 9"
SHORT = "a short ranking is divided by its own length"
FOUR_DECIMALS = "global gains are rounded to four decimals"


def same(**names: str) -> tuple[Elsewhere, ...]:
    """What programs call a measure that is the same there, each by what stands before its names."""
    titles = {"trec": TREC, "pytrec": PYTREC}
    return tuple(
        Elsewhere(titles.get(program) or PROGRAMS[program].title, name)
        for program, name in names.items()
    )


ELSEWHERE: dict[str, tuple[Elsewhere, ...]] = {
    "AP": (
        *same(irm="AP", ranx="map", ntcir="AP"),
        Elsewhere(CWL, "AP", "the recall base is what was retrieved, so that the value is higher"),
        *same(irm="AP@k", ranx="map@k", beir="MAP@k"),
        Elsewhere(NTCIR, "AP@k", "divides by min(R, k): AP(denom=min)@k"),
        Elsewhere(
            "RankEval",
            "MAP",
            "divides by the number of documents retrieved where that is less than R",
        ),
    ),
    "GMAP": (Elsewhere(PYTREC, "gm_map", "the value of a topic is the logarithm"),),
    "DCG": (
        Elsewhere(RANX, "dcg@k", UNORDERED),
        Elsewhere(RANX, "dcg_burges@k", f"DCG(gain=exp)@k; {UNORDERED}"),
        Elsewhere("Elasticsearch", "dcg@k"),
    ),
    "nDCG": (
        *same(irm="nDCG"),
        Elsewhere(RANX, "ndcg", f"{UNORDERED}; a negative grade lowers the sum"),
        *same(irm="nDCG@k", ntcir="MSnDCG@k", beir="NDCG@k"),
        Elsewhere(RANX, "ndcg@k", UNORDERED),
        Elsewhere(
            GDEVAL,
            "ndcg@k",
            "exponential gains: nDCG(gain=exp)@k; topics without relevant documents are left out",
        ),
        Elsewhere(
            "statAP_MQ_eval",
            "nDCG_k",
            "exponential gains over the judged documents: nDCG(gain=exp)@k with -R prels",
        ),
        Elsewhere(NTCIR, "nDCG@k", "discounts by Järvelin and Kekäläinen: nDCG(b=2)@k"),
        Elsewhere(RANX, "ndcg_burges@k", "exponential gains: nDCG(gain=exp)@k"),
        Elsewhere(IRM, "nDCG(dcg='exp-log2')@k", "exponential gains: nDCG(gain=exp)@k"),
        Elsewhere(CWL, "NDCG-k", "a constant divisor, not the topic's ideal: SDCG@k"),
    ),
    "NumQ": (Elsewhere(IRM, "NumQ", "the topics that were scored, not those averaged over"),),
    "NumRet": same(irm="NumRet"),
    "NumRel": (Elsewhere(IRM, "NumRel", "topics that the run lacks are not counted"),),
    "NumRelRet": same(irm="NumRet(rel=1)"),
    "MeanRelRet": same(ranx="hits@k"),
    "Judged": (
        Elsewhere(TREC, "unj.k", "the share that is not judged, of k"),
        Elsewhere(
            IRM, "Judged@k", f"negative grades are judged: Judged(negative=judged)@k; {RISING}"
        ),
    ),
    "Unjudged": (Elsewhere(BEIR, "Hole@k", "documents that were judged for no topic: Hole@k"),),
    "Hole": (
        Elsewhere(
            BEIR,
            "Hole@k",
            "topics of the run that are not judged add to the sum, not to what it is divided by",
        ),
    ),
    "Bpref": (
        *same(irm="Bpref"),
        Elsewhere(
            RANX,
            "bpref",
            "negative grades are judged: Bpref(negative=judged); NaN where no document was "
            "judged non-relevant",
        ),
        Elsewhere("trec_eval before 8", "bpref", "Bpref(def=te7), old_bpref since"),
    ),
    "infAP": same(irm="infAP"),
    "P": (
        *same(irm="P@k", ranx="precision@k", ntcir="Precision@k", beir="P@k"),
        Elsewhere(CWL, "P@k", "the mean gain, not the share of relevant documents"),
        Elsewhere("Elasticsearch", "precision", SHORT),
        Elsewhere("RankEval", "Precision@k", SHORT),
    ),
    "R": same(irm="R@k", ranx="recall@k", beir="Recall@k"),
    "RelP": (Elsewhere(BEIR, "R_cap@k", "the mean over the topics of the run only"),),
    "F": (Elsewhere(RANX, "f1@k", "F(beta=1)@k"), Elsewhere("elinor", "f1@k", "F(beta=1)@k")),
    "Success": same(irm="Success@k", ranx="hit_rate@k", ntcir="Hit@k", beir="Accuracy@k"),
    "RR": (
        *same(irm="RR", ranx="mrr", ntcir="RR"),
        Elsewhere(IRM, "RR@k", RISING),
        Elsewhere(MSMARCO, "MRR @10", "the ranks of the file count, not the scores"),
        Elsewhere(CWL, "RR", "the gain of the first document with one over its rank"),
    ),
    "Rprec": same(irm="Rprec", ranx="r-precision"),
    "Accuracy": (
        Elsewhere(
            IRM,
            "Accuracy",
            "an error where all that was retrieved is relevant; topics where nothing is are "
            "left out of the mean",
        ),
        Elsewhere(BEIR, "Accuracy@k", "another measure: Success@k"),
    ),
    "AUC": (
        Elsewhere(
            "scikit-learn",
            "roc_auc_score",
            "no value where all or none of the documents of a topic is relevant",
        ),
        Elsewhere(
            "torchmetrics", "RetrievalAUROC", "0 where all documents of a topic are relevant"
        ),
    ),
    "IPrec": (
        Elsewhere(IRM, "IPrec@r", f"{ROUNDED_UP}: IPrec(rule=te9)@r"),
        Elsewhere(PYTREC, "iprec_at_recall_r", f"{ROUNDED_UP}: IPrec(rule=te9)@r"),
    ),
    "IPrecAvg": (Elsewhere(PYTREC, "11pt_avg", f"{ROUNDED_UP}: IPrecAvg(rule=te9)"),),
    "RBP": (
        Elsewhere(IRM, "RBP", "p is 0.8; with rel=N binary"),
        Elsewhere(RANX, "rbp.80", "the grades themselves are the gains, so that it may exceed 1"),
        Elsewhere(NTCIR, "RBP", "p is 0.95; gains over the highest gain of the scale"),
        Elsewhere(CWL, "RBP@p", "refuses gains above 1"),
        Elsewhere("trectools", "RBP", "every relevant document gains 1: RBP(gain=binary)"),
    ),
    "SetP": same(irm="SetP", ranx="precision"),
    "SetR": same(irm="SetR", ranx="recall"),
    "SetF": (
        Elsewhere(
            IRM, "SetF(beta=x)", "hands beta on as trec_eval's x, the square of the usual beta"
        ),
    ),
    "SetAP": same(irm="SetAP"),
    "Q": (
        *same(ntcir="QMeasure"),
        Elsewhere(NTCIR, "QMeasure@k", "divides by min(R, k): Q(denom=min)@k"),
        Elsewhere("NTCIREVAL", "Q-measure", "a relevant document whose gain is 0 adds nothing"),
    ),
    "O": same(ntcir="OMeasure"),
    "PMeasure": same(ntcir="PMeasure"),
    "PPlus": same(ntcir="PPlusMeasure"),
    "NCU": (
        *same(ntcir="NCUguP"),
        *same(ntcir="NCUguBR"),
        *same(ntcir="NCUrbP"),
        *same(ntcir="NCUrbBR"),
    ),
    "GAP": (
        Elsewhere(
            "NTCIREVAL", "-gap", "divides by the sum of the k highest grades: GAP(denom=min)@k"
        ),
    ),
    "ERR": (
        Elsewhere(GDEVAL, "err@k", "the scale ends at grade 4: ERR(max=4)@k"),
        Elsewhere(IRM, "ERR@k", "the scale ends at grade 4: ERR(max=4)@k"),
        Elsewhere(NTCIR, "ERR", "a document stops the user with g / (gmax + 1)"),
        Elsewhere("RankEval", "ERR", "the scale ends at the topic's highest grade"),
    ),
    "nERR": same(ntcir="nERR@k"),
    "Compat": (Elsewhere(IRM, "Compat", f"the depth is the longer list's, not 1000; {RISING}"),),
    "SDCG": same(cwl="NDCG-k", irm="SDCG@k"),
    "INSQ": same(irm="INSQ", cwl="INSQ-T"),
    "INST": same(irm="INST", cwl="INST-T"),
    "NERR8": same(irm="NERR8@k", cwl="NERR-EQ8"),
    "NERR9": same(irm="NERR9@k", cwl="NERR-EQ9"),
    "NERR10": same(irm="NERR10", cwl="NERR-EQ10"),
    "NERR11": same(irm="NERR11", cwl="NERR-EQ11"),
    "RateAP": same(cwl="AP"),
    "RateRR": same(cwl="RR"),
    "BPM": same(irm="BPM@k", cwl="BPM-Static"),
    "alpha_DCG": (
        Elsewhere(
            NDEVAL,
            "alpha-DCG@k",
            "topics without a covered subtopic are left out of the mean, and nothing "
            "is divided at a cutoff of 1",
        ),
        *same(irm="alpha_DCG@k"),
    ),
    "alpha_nDCG": same(ndeval="alpha-nDCG@k", irm="alpha_nDCG@k"),
    "ERR_IA": same(ndeval="ERR-IA@k", irm="ERR_IA@k"),
    "nERR_IA": same(ndeval="nERR-IA@k", irm="nERR_IA@k"),
    "NRBP": (Elsewhere(NDEVAL, "NRBP", "the first 20 documents alone"), *same(irm="NRBP")),
    "nNRBP": same(ndeval="nNRBP", irm="nNRBP"),
    "AP_IA": same(ndeval="MAP-IA", irm="AP_IA"),
    "P_IA": same(ndeval="P-IA@k", irm="P_IA@k"),
    "StRecall": (*same(ndeval="strec@k", irm="StRecall@k"), Elsewhere("NTCIREVAL", "I-rec@k")),
    "IA_ERR": (
        Elsewhere(
            "NTCIREVAL",
            "IA-ERR@k",
            "the scale of an intent ends at its own highest grade: IA_ERR(max=intent,stop=ratio)@k",
        ),
    ),
    "IA_Q": (Elsewhere("NTCIREVAL", "IA-Q@k", "divides by min(R, k): IA_Q(denom=min)@k"),),
    "D_nDCG": (Elsewhere("NTCIREVAL", "D-nDCG@k", FOUR_DECIMALS),),
    "D_Q": (
        Elsewhere("NTCIREVAL", "D-Q@k", f"divides by min(R, k): D_Q(denom=min)@k; {FOUR_DECIMALS}"),
    ),
    "DIN_Q": (Elsewhere("NTCIREVAL", "DIN-Q@k", "divides by min(R, k): DIN_Q(denom=min)@k"),),
    "D_RBP": (
        Elsewhere("NTCIREVAL", "D-RBP@k", "p is 0.95 in D-NTCIR-eval, 0.99 in D-NTCIR-eval2"),
    ),
    "WSS": (
        Elsewhere(TAR, "wss_95", "0.95 R is rounded to the nearest: WSS(recall=0.95,target=round)"),
        *same(tar="wss_100"),
    ),
    "LastRel": (
        Elsewhere(TAR, "last_rel", "the last one found, 0 without any: LastRel(missing=found)"),
    ),
    "NormLastRel": (
        Elsewhere(TAR, "norm_last_rel", "rounded to three decimals before the mean is taken"),
    ),
    "RecallArea": (
        Elsewhere(TAR, "norm_area", "rounded to three decimals before the mean is taken"),
    ),
    "ReadRecall": (
        Elsewhere(
            TAR, "recall@10%", "documents found after the last percentage reached do not count"
        ),
    ),
    "DSharp_Q": (Elsewhere("NTCIREVAL", "D#-Q@k", "divides by min(R, k): DSharp_Q(denom=min)@k"),),
}
"""Of measures: what other programs call each, and where their numbers are others."""
