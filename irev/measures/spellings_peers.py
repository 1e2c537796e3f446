"""What a name means with another program's in front of it: `ntcir:nDCG@10`, `ranx:rbp.95`.

It has that program's defaults and definition, so that the number is that program's on the same
ranking; the order of the documents is a choice of the whole evaluation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from irev.core.text import real
from irev.errors import UsageError
from irev.measures.grammar import Written
from irev.measures.parameters import quoted
from irev.measures.spellings import (
    IR_MEASURES,
    Meaning,
    Spelling,
    is_there,
    refuse_absent,
    same,
    spelled,
    taken_apart,
)


class Peer(NamedTuple):
    """Another program."""

    title: str
    names: Mapping[str, Spelling]
    rewrite: Callable[[str], str] = str
    """Turns what it writes in its own way into a name with options."""
    adapt: Callable[[Written, Spelling], tuple[Written, Spelling]] = lambda *both: both
    """Changes what depends on the options given."""


def _ir_measures(written: Written, spelling: Spelling) -> tuple[Written, Spelling]:
    """SetF's beta is the weight itself, not its root; RBP is binary from a level on."""
    options = dict(written.options)
    if written.name == "SetF":
        weight = options.get("beta")
        number = real(weight) if isinstance(weight, str) else None
        if number is not None and number >= 0:
            options["beta"] = repr(math.sqrt(number))
    if written.name == "RBP" and "rel" not in options:
        raise UsageError(f"{quoted(written.head)}: ir_measures computes RBP only with rel=N")
    return written._replace(options=tuple(options.items())), spelling


_IR_MEASURES = {
    **{
        name: same(name)
        for name in (
            "AP", "P", "R", "RR", "Rprec", "SetP", "SetR", "SetF", "SetAP", "Success", "nDCG",
            "Bpref", "Accuracy", "NumQ", "NumRet", "NumRel", "NumRelRet", "SDCG", "INST", "INSQ",
            "BPM", "NERR8", "NERR9", "NERR10", "NERR11", "alpha_DCG", "alpha_nDCG", "ERR_IA",
            "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall", "infAP",
        )
    },
    "RBP": same("RBP(p=0.8,gain=binary)"),
    "Compat": same("Compat(depth=0)"),
    **IR_MEASURES,
    "ERR": Spelling("ERR(max=4)@20", "ERR(max=4)"),
    "IPrec": same("IPrec(rule=te9)"),
    "Judged": same("Judged(denom=retrieved)"),
}  # fmt: skip

_RANX = {
    "precision": Spelling("SetP", "P"),
    "recall": Spelling("SetR", "R"),
    "f1": Spelling("SetF(beta=1)", "F(beta=1)"),
    "map": same("AP"),
    "mrr": same("RR"),
    "r-precision": same("Rprec"),
    "hit_rate": same("Success"),
    "hits": same("NumRelRet"),
    "ndcg": same("nDCG"),
    "ndcg_burges": same("nDCG(gain=exp)"),
    "dcg": same("DCG"),
    "dcg_burges": same("DCG(gain=exp)"),
    "bpref": same("Bpref"),
    "rbp": same("RBP(gain=raw)"),
}


def _ranx(text: str) -> str:
    """`rbp.95` as `rbp(p=0.95)`."""
    return re.sub(r"^rbp\.([0-9]+)", r"rbp(p=0.\1)", text)


_BEIR = {
    "NDCG": same("nDCG"),
    "MAP": same("AP"),
    "Recall": same("R"),
    "P": same("P"),
    "MRR": same("RR"),
    "R_cap": same("RelP"),
    "Accuracy": same("Success"),
}

_NTCIR_ERR = "stop=ratio"
_NTCIR = {
    "RR": same("RR"),
    "AP": Spelling("AP", "AP(denom=min)"),
    "P": same("P"),
    "Prec": same("P"),
    "Precision": same("P"),
    "Hit": same("Success"),
    "nDCG": same("nDCG(disc=jk)"),
    "MSnDCG": same("nDCG"),
    "ERR": same(f"ERR({_NTCIR_ERR})"),
    "nERR": same(f"nERR({_NTCIR_ERR})"),
    "EBR": same("EBR"),
    "nEBR": same("nEBR"),
    "iRBU": same("iRBU"),
    "niRBU": same("niRBU"),
    "RBP": same("RBP(p=0.95)"),
    "nRBP": same("nRBP(p=0.95)"),
    "GAP": Spelling("GAP", "GAP(denom=min)"),
    "bpref": same("Bpref"),
    "bpref_R": same("bpref_R"),
    "bpref_N": same("bpref_N"),
    "bpref_relative": same("bpref_relative"),
    "rpref_N": same("rpref_N"),
    "rpref_relative": same("rpref_relative"),
    "rpref_relative2": same("rpref_relative2"),
    **{
        name: spelling
        for names, spelling in (
            (("Q", "QMeasure", "Q-measure"), Spelling("Q", "Q(denom=min)")),
            (("O", "OMeasure", "O-measure"), same("O")),
            (("PMeasure", "P-measure"), same("PMeasure")),
            (("PPlus", "PPlusMeasure", "P-plus"), same("PPlus")),
        )
        for name in names
    },
    **{
        f"NCU{stop}{between}{util}": Spelling(
            f"NCU(stop={stop},util={util})", f"NCU(stop={stop},util={util},denom=min)"
        )
        for stop in ("gu", "rb")
        for util in ("P", "BR", "IE")
        for between in ("", "_")
    },
}


def _ntcir(text: str) -> str:
    """`NCUgu,P` without the comma, which stands between cutoffs."""
    return re.sub(r"^(NCU(?:gu|rb)),(P|BR|IE)", r"\1\2", text)


_CWL = {
    "RBP": same("RBP(p=0.9,gain=linear)"),
    "SDCG": same("SDCG"),
    "NDCG": same("SDCG"),
    "INST": same("INST"),
    "INSQ": same("INSQ"),
    "BPM-Static": same("BPM"),
    "NERR-EQ8": same("NERR8"),
    "NERR-EQ9": same("NERR9"),
    "NERR-EQ10": same("NERR10"),
    "NERR-EQ11": same("NERR11"),
    "P": same("gP"),
}
_CWL_PARAMETERS = (
    (r"^RBP@([0-9.]+)$", r"RBP(p=\1)"),
    (r"^(INST|INSQ)-T=([^@]+)", r"\1(T=\2)"),
    (r"^(NERR-EQ11)@([0-9.]+)$", r"\1(T=\2)"),
    (r"^(NERR-EQ10)@([0-9.]+)$", r"\1(p=\2)"),
    (r"^(BPM-Static)-T=([^-@]+)-K=([0-9]+)", r"\1(T=\2)@\3"),
    (r"^(SDCG|NDCG)-k@", r"\1@"),
    (r"^(SDCG|NDCG)-([0-9]+)", r"\1@\2"),
)


def _cwl(text: str) -> str:
    for pattern, put in _CWL_PARAMETERS:
        text = re.sub(pattern, put, text)
    return text


_GDEVAL = {
    "ndcg": Spelling("nDCG(gain=exp)@20", "nDCG(gain=exp)"),
    "err": Spelling("ERR(max=4)@20", "ERR(max=4)"),
}

_NDEVAL = {
    "ERR-IA": same("ERR_IA"),
    "nERR-IA": same("nERR_IA"),
    "alpha-DCG": same("alpha_DCG"),
    "alpha-nDCG": same("alpha_nDCG"),
    "NRBP": same("NRBP"),
    "nNRBP": same("nNRBP"),
    "MAP-IA": same("AP_IA"),
    "P-IA": same("P_IA"),
    "strec": same("StRecall"),
}

_MSMARCO = {name: Spelling("RR@10", "RR") for name in ("MRR", "RR", "mrr")}

PEERS: Mapping[str, Peer] = {
    "irm": Peer("ir_measures", _IR_MEASURES, adapt=_ir_measures),
    "ranx": Peer("ranx", _RANX, _ranx),
    "ntcir": Peer("NTCIREVAL", _NTCIR, _ntcir),
    "cwl": Peer("cwl_eval", _CWL, _cwl),
    "beir": Peer("BEIR", _BEIR),
    "gdeval": Peer("gdeval", _GDEVAL),
    "ndeval": Peer("ndeval", _NDEVAL),
    "msmarco": Peer("the MS MARCO script", _MSMARCO),
}
"""The programs whose definitions can be asked for by name; beside them trec and trec9."""


def peer_meaning(peer: str, text: str) -> Meaning:
    """What a name means to another program.

    Raises:
        UsageError: it has no such measure.
    """
    program = PEERS[peer]
    rewritten = program.rewrite(text)
    written, tail = taken_apart(rewritten)
    spelling = program.names.get(written.name)
    if spelling is None or not is_there(spelling):
        refuse_absent(written.name)
        known = ", ".join(name for name, s in program.names.items() if is_there(s))
        raise UsageError(f"{quoted(f'{peer}:{text}')}: {program.title} has {known}")
    adapted, spelling = program.adapt(written, spelling)
    found = spelled(adapted, spelling, tail)
    if rewritten != text and len(written.cutoffs) < 2:
        return found._replace(head=f"{peer}:{text}", tail="", appends=False, fixed=True)
    return found._replace(head=f"{peer}:{written.head}", fixed=True)
