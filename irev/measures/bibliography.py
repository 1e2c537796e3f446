"""The papers and programs that define measures, and which of them a measure rests on.

The entries stand in `references.bib`, as BibTeX reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("references.bib")
_ENTRY = re.compile(r"^@\w+\{([^,\s]+),\n.*?^\}\n", re.MULTILINE | re.DOTALL)
_FIELD = r"^  {} = \{{(.*)\}},$"


@dataclass(frozen=True)
class Reference:
    """One entry of the bibliography."""

    key: str
    bibtex: str

    def field(self, name: str) -> str:
        """The text of a field without braces; empty where the entry has no such field."""
        found = re.search(_FIELD.format(name), self.bibtex, re.MULTILINE)
        return found[1].replace("{", "").replace("}", "") if found else ""

    @property
    def short(self) -> str:
        """Authors and year, as a text cites them; a program by its name."""
        if self.bibtex.startswith("@misc"):
            return self.field("title").partition(":")[0]
        names = [author.partition(",")[0] for author in self.field("author").split(" and ")]
        who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        return f"{who} {self.field('year')}"


@cache
def bibliography() -> dict[str, Reference]:
    """Every entry, by its key."""
    text = _FILE.read_text(encoding="utf-8")
    return {found[1]: Reference(found[1], found[0]) for found in _ENTRY.finditer(text)}


def references_of(measure: str) -> list[Reference]:
    """What a measure rests on, the paper that defines it first."""
    return [bibliography()[key] for key in KEYS.get(measure, ())]


TREC_EVAL = "trec_eval"
_TEXTBOOK = "buckley2005retrieval"
_GRADED = "jarvelin2002cumulated"
_KISHIDA = "kishida2005property"
_CWL = "moffat2017cwl"

KEYS: dict[str, tuple[str, ...]] = {
    # trec_eval's
    **dict.fromkeys(
        ["NumQ", "NumRet", "NumRel", "NumRelRet",
         "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret",
         "relstring", "unj", "map_cut", "relative_P", "set_relative_P", "set_map",
         "binG", "G", "ndcg_rel", "Rndcg", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg",
         "Rprec_mult"], (TREC_EVAL,),
    ),
    **dict.fromkeys(
        ["map", "Rprec", "P", "recall", "iprec_at_recall"], (_TEXTBOOK, TREC_EVAL),
    ),
    **dict.fromkeys(["set_P", "set_recall"], ("vanrijsbergen1979information", TREC_EVAL)),
    "set_F": ("vanrijsbergen1979information", TREC_EVAL),
    "utility": ("hull1998filtering", TREC_EVAL),
    "gm_map": ("robertson2006gmap", TREC_EVAL),
    "gm_bpref": ("buckley2004incomplete", "robertson2006gmap", TREC_EVAL),
    "bpref": ("buckley2004incomplete", TREC_EVAL),
    "infAP": ("yilmaz2006incomplete", TREC_EVAL),
    "recip_rank": ("kantor2000confusion", TREC_EVAL),
    "success": ("craswell2004web", TREC_EVAL),
    "11pt_avg": ("salton1983introduction", TREC_EVAL),
    "yaap": ("robertson2012smoothing", TREC_EVAL),
    **dict.fromkeys(["dcg", "ideal_dcg", "ndcg", "ndcg_cut"], (_GRADED, TREC_EVAL)),
    **dict.fromkeys(["rbp", "rbp_resid"], ("moffat2008rbp", TREC_EVAL)),
    **dict.fromkeys(
        [f"prefs_{name}{ending}" for name in ("simp", "pair", "avgjg")
         for ending in ("", "_ret", "_imp")], ("carterette2008here", TREC_EVAL),
    ),
    **dict.fromkeys(
        ["prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret"], ("carterette2008here", TREC_EVAL),
    ),
    **dict.fromkeys(
        ["prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret"], (TREC_EVAL,),
    ),
    # with named options
    **dict.fromkeys(["R", "AP"], (_TEXTBOOK,)),
    "GMAP": ("robertson2006gmap",),
    "GAP": ("robertson2010graded",),
    "RR": ("kantor2000confusion", "voorhees1999trec8qa"),
    "Success": ("craswell2004web",),
    "IPrec": (_TEXTBOOK, "salton1983introduction"),
    "IPrecAvg": ("salton1983introduction",),
    **dict.fromkeys(["SetP", "SetR", "SetF", "SetE", "F"], ("vanrijsbergen1979information",)),
    "RelP": (TREC_EVAL, "thakur2021beir"),
    "SetAP": (TREC_EVAL,),
    "ClassAccuracy": ("manning2008introduction",),
    "Accuracy": ("macavaney2022irmeasures",),
    "Bpref": ("buckley2004incomplete", "yilmaz2006incomplete"),
    **dict.fromkeys(["Judged", "Unjudged"], ("macavaney2022irmeasures", TREC_EVAL)),
    "CG": (_GRADED, "jarvelin2000highly"),
    "nCG": (_GRADED, "pollack1968measures", _KISHIDA),
    "MSR": (_KISHIDA,),
    **dict.fromkeys(["DCG", "IDCG", "nDCG"], (_GRADED, "burges2005ranknet")),
    "AvgNDCG": (_GRADED, _KISHIDA),
    **dict.fromkeys(["gP", "gR"], ("kekalainen2002graded", _KISHIDA)),
    "WAP": ("kando2001multigrade", _KISHIDA),
    "genAP": (_KISHIDA, "vu2005inex"),
    "Q": ("sakai2004ntcir4", "sakai2004multigrade", "sakai2007reliability"),
    **dict.fromkeys(["O", "PMeasure", "PPlus"], ("sakai2006task", "sakai2006finding")),
    "NCU": ("sakai2008population", "ntcireval"),
    **dict.fromkeys(["ERR", "nERR"], ("chapelle2009err",)),
    "EBR": ("ntcireval", "sakai2008population"),
    "iRBU": ("sakai2021serp", "amigo2018rbu"),
    **dict.fromkeys(["nEBR", "nRBP", "niRBU"], ("ntcireval",)),
    **dict.fromkeys(["RBP", "RBPresid"], ("moffat2008rbp",)),
    "SDCG": ("azzopardi2019cwleval", _CWL),
    "INSQ": ("moffat2012models", _CWL),
    "INST": ("moffat2015inst", _CWL, "moffat2013users"),
    **dict.fromkeys(
        ["NERR8", "NERR9", "NERR10", "NERR11"], ("azzopardi2021err", "azzopardi2019cwleval")
    ),
    "BPM": ("zhang2017bejeweled", "azzopardi2019cwleval"),
    **dict.fromkeys(
        ["NormRecall", "NormPrec"], ("salton1968computer", "rocchio1966document", _KISHIDA)
    ),
    "ADM": ("mizzaro2001new", "dellamea2004adm", _KISHIDA),
    "SL": ("cooper1968esl",),
    "ESL": ("cooper1968esl",),
    "RHL": ("borlund1998rhl", _KISHIDA),
    "Compat": ("clarke2021topk", "clarke2020similarity"),
    **dict.fromkeys(["alpha_nDCG", "alpha_DCG"], ("clarke2008novelty", "clarke2011cascade")),
    **dict.fromkeys(["ERR_IA", "nERR_IA"], ("chapelle2011intent", "clarke2011cascade")),
    **dict.fromkeys(["NRBP", "nNRBP"], ("clarke2009nrbp", "clarke2011cascade")),
    **dict.fromkeys(["AP_IA", "P_IA", "IA_nDCG"], ("agrawal2009diversifying",)),
    "StRecall": ("zhai2003subtopic",),
    "IA_ERR": ("chapelle2011intent",),
    **dict.fromkeys(["DIN_nDCG", "PplusQ"], ("sakai2012intents",)),
    **dict.fromkeys(
        ["IA_Q", "D_nDCG", "D_Q", "DSharp_nDCG", "DSharp_Q"], ("sakai2011diversified",),
    ),
    **dict.fromkeys(["indAP", "subAP"], ("yilmaz2006incomplete",)),
    **dict.fromkeys(
        ["xinfAP", "xinfAPse", "infNDCG", "inum_rel", "inum_rel_ret", "iP", "iRecall", "iIPrec"],
        ("yilmaz2008simple", "sample_eval"),
    ),
    **dict.fromkeys(
        ["statAP", "statAPse", "statP", "statRprec", "stat_num_rel"], ("aslam2007practical",),
    ),
    "bpref_R": ("buckley2004incomplete", "yilmaz2006incomplete", "sakai2007alternatives"),
    **dict.fromkeys(["bpref_N", "bpref_relative"], ("sakai2007alternatives",)),
    **dict.fromkeys(
        ["rpref_N", "rpref_relative", "rpref_relative2"],
        ("sakai2007alternatives", "debeer2006rpref"),
    ),
}  # fmt: skip
"""Measure -> keys of the entries that it rests on, the one that defines it first."""
