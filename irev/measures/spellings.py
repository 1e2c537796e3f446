"""The names that other programs have for measures, and what they mean here.

A spelling stands for a name as irev writes it, with the options that make it that measure. Tables
of what `PEER:` in front of a name stands for are in `spellings_peers`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from irev.errors import UsageError
from irev.measures.canonical import GENERIC, options_of
from irev.measures.grammar import Literal, Written, parsed
from irev.measures.registry import definition, definitions


class Spelling(NamedTuple):
    """What a name stands for where it is not cut, and where it is."""

    bare: str
    cut: str


def same(text: str) -> Spelling:
    """A name that stands for the same measure cut or not."""
    return Spelling(text, text)


IR_MEASURES: Mapping[str, Spelling] = {
    "MAP": same("AP"),
    "Precision": same("P"),
    "Recall": same("R"),
    "MRR": same("RR"),
    "RPrec": same("Rprec"),
    "BPref": same("Bpref"),
    "NDCG": same("nDCG"),
    "SetRelP": same("SetP(relative=true)"),
    "MAP_IA": same("AP_IA"),
    "α_DCG": same("alpha_DCG"),
    "α_nDCG": same("alpha_nDCG"),
}
"""Second names that ir_measures has for measures which are the same there and here."""

NAMES: Mapping[str, Spelling] = {
    **IR_MEASURES,
    # the overlap with the ideal ranking, not divided by the best there can be
    "RBO": same("Compat(normalize=false)"),
    "α-DCG": same("alpha_DCG"),
    "α-nDCG": same("alpha_nDCG"),
    # pyNTCIREVAL and NTCIREVAL
    "QMeasure": Spelling("Q", "Q(denom=min)"),
    "Q-measure": same("Q"),
    "OMeasure": same("O"),
    "O-measure": same("O"),
    "P-measure": same("PMeasure"),
    "PPlusMeasure": same("PPlus"),
    "P-plus": same("PPlus"),
    "MSnDCG": same("nDCG"),
    "Hit": same("Success"),
    "NCUguP": Spelling("NCU(stop=gu,util=P)", "NCU(stop=gu,util=P,denom=min)"),
    "NCUguBR": Spelling("NCU(stop=gu,util=BR)", "NCU(stop=gu,util=BR,denom=min)"),
    "NCUrbP": Spelling("NCU(stop=rb,util=P)", "NCU(stop=rb,util=P,denom=min)"),
    "NCUrbBR": Spelling("NCU(stop=rb,util=BR)", "NCU(stop=rb,util=BR,denom=min)"),
    "NCUrbIE": Spelling("NCU(stop=rb,util=IE)", "NCU(stop=rb,util=IE,denom=min)"),
    # Yilmaz and Aslam, and trec_eval 6 to 8
    "bpref-10": same("Bpref(def=eq,extra=10)"),
    "old_bpref": same("Bpref(def=te7)"),
    "bpref_top10pRnonrel": same("Bpref(def=te,extra=10)"),
    "old_bpref_top10pRnonrel": same("Bpref(def=te7,extra=10)"),
    # ndeval
    "alpha-nDCG": same("alpha_nDCG"),
    "alpha-DCG": same("alpha_DCG"),
    "ERR-IA": same("ERR_IA"),
    "nERR-IA": same("nERR_IA"),
    "MAP-IA": same("AP_IA"),
    "P-IA": same("P_IA"),
    # the field
    "SR": same("nCG"),
    "genAveP": same("genAP"),
    "AveP": same("AP"),
    "P-Plus": same("PPlus"),
    "P+": same("PPlus"),
    "E": same("SetE"),
    "RCap": same("RelP"),
    "D-nDCG": same("D_nDCG"),
    "D-Q": same("D_Q"),
    "D#-nDCG": same("DSharp_nDCG"),
    "D#-Q": same("DSharp_Q"),
    "I-rec": same("StRecall"),
}
"""Names that mean one thing wherever they are used, case by case."""

WORDS: Mapping[str, Spelling] = {
    # ranx, elinor, te-rust, pytrec_eval's users; BEIR's capitals too
    "precision": Spelling("SetP", "P"),
    "p": same("P"),
    "recall": Spelling("SetR", "R"),
    "f1": Spelling("SetF(beta=1)", "F(beta=1)"),
    "map": same("AP"),
    "ap": same("AP"),
    "mrr": same("RR"),
    "rr": same("RR"),
    "r-precision": same("Rprec"),
    "r_precision": same("Rprec"),
    "rprec": same("Rprec"),
    "hit_rate": same("Success"),
    "success": same("Success"),
    "hits": same("NumRelRet"),
    "ndcg": same("nDCG"),
    "ndcg_burges": same("nDCG(gain=exp)"),
    "ndcg_exp": same("nDCG(gain=exp)"),
    "ndcg_p": same("nDCG(disc=jk,b=2)"),
    "dcg": same("DCG"),
    "dcg_burges": same("DCG(gain=exp)"),
    "idcg": same("IDCG"),
    "bpref": same("Bpref"),
    "infap": same("infAP"),
    "r_cap": same("RelP"),
    "judged": same("Judged"),
    # gdeval and ndeval
    "err": same("ERR(max=4)"),
    "strec": same("StRecall"),
}
"""Names that are used in lower case, or in any."""

ONLY_TREC: Mapping[str, str] = {
    "nDCGrel": "ndcg_rel",
    "RnDCG": "Rndcg",
    "GMbpref": "gm_bpref",
    "Utility": "utility",
    "Yaap": "yaap",
    "NumNonrelJudgedRet": "num_nonrel_judged_ret",
    "RBPresid": "rbp_resid",
}
"""Names for measures that only trec_eval has."""

ABSENT: Mapping[str, str] = {
    "hole": "it counts documents that are judged for no topic at all; Unjudged@10 counts those "
    "that are not judged for the topic",
}
"""Names of what is not computed here, and why."""

_LEVEL = re.compile(r"(?P<name>[^()]*[^()-])-l(?P<level>[0-9]+)")
_PERSISTENCE = re.compile(r"rbp\.(?P<digits>[0-9]+)")


class Meaning(NamedTuple):
    """What a name stands for."""

    name: str
    options: tuple[tuple[str, Literal], ...]
    cutoffs: tuple[str, ...]
    head: str
    """The name as it was typed, without its cutoffs, where it is printed so; empty where it is
    irev's own way to write it."""
    tail: str = ""
    """What was typed behind the cutoffs."""
    appends: bool = False
    """Whether cutoffs were typed, to be put between head and tail."""
    fixed: bool = False
    """Whether another program decides what was left open."""


def meaning(text: str) -> Meaning | None:
    """What a name without `PEER:` stands for; None: there is no such measure.

    Raises:
        UsageError: it is not written as names are.
    """
    written, tail = taken_apart(text)
    spelling = _find(written.name)
    if spelling is None:
        refuse_absent(written.name)
        return None
    return spelled(written, spelling, tail)


def refuse_absent(name: str) -> None:
    """Say why a measure is not computed here.

    Raises:
        UsageError: it is one of those.
    """
    why = ABSENT.get(name.casefold())
    if why is not None:
        raise UsageError(f"measure {name} is not computed here: {why}")


def _find(name: str) -> Spelling | None:
    if definition(name):
        return same(name)
    persistence = _PERSISTENCE.fullmatch(name)
    if persistence:
        return same(f"RBP(p=0.{persistence['digits']})")
    spelling = NAMES.get(name)
    if spelling is None:
        spelling = next((same(m.name) for m in definitions() if name in m.aliases), None)
    spelling = spelling or WORDS.get(name.casefold())
    return spelling if spelling and is_there(spelling) else None


def is_there(spelling: Spelling) -> bool:
    """Whether the measures that it stands for exist."""
    return all(definition(parsed(text).name) for text in spelling)


def taken_apart(text: str) -> tuple[Written, str]:
    """A name, and the level that ranx puts behind it (`-l2`)."""
    level = _LEVEL.fullmatch(text)
    if level is None:
        return parsed(text), ""
    written = parsed(level["name"])
    return written._replace(options=(("rel", level["level"]),)), f"-l{level['level']}"


def spelled(written: Written, spelling: Spelling, tail: str) -> Meaning:
    """The typed options and cutoffs on top of those of the spelling."""
    cut, given = _cutoffs_apart(written)
    base = parsed(spelling.cut if cut else spelling.bare)
    options = dict(base.options)
    name = base.name
    if name == "NumRet" and any(option == "rel" for option, _ in given):
        name = "NumRelRet"
    typed = _renamed(name, given)
    options.update(typed)
    own = (written.name, written.options, tail) == (name, tuple(typed.items()), "")
    head = "" if own else written.head
    return Meaning(
        name, tuple(options.items()), cut or base.cutoffs, head, tail, bool(written.cutoffs)
    )


def _cutoffs_apart(
    written: Written,
) -> tuple[tuple[str, ...], Sequence[tuple[str, Literal]]]:
    """Cutoffs that ir_measures also takes as options, and the other options."""
    given = []
    cutoffs = written.cutoffs
    for name, literal in written.options:
        if name in ("cutoff", "recall") and not cutoffs and isinstance(literal, str):
            cutoffs = (literal,)
        else:
            given.append((name, literal))
    return cutoffs, given


_RENAMED = {
    "judged_only": "condensed",
    "min_rel": "min",
    "max_rel": "max",
    "gains": "gain",
    "norm": "denom",
    "logb": "b",
}
_REVALUED: Mapping[tuple[str, Literal], tuple[str, str]] = {
    ("dcg", "log2"): ("gain", "linear"),
    ("dcg", "exp-log2"): ("gain", "exp"),
    ("gain", "exp2"): ("gain", "exp"),
    ("disc", "logb"): ("disc", "jk"),
    ("disc", "log2p1"): ("disc", "log2"),
    ("denom", "min_rk"): ("denom", "min"),
    ("denom", "minRk"): ("denom", "min"),
}
"""Options of others, by name or by name and value."""


def _renamed(measure: str, given: Sequence[tuple[str, Literal]]) -> dict[str, Literal]:
    """The options under irev's names, unless the measure has one of the typed name and value."""
    defined = definition(measure)
    own = options_of(defined) if defined else {}
    options: dict[str, Literal] = {}
    for name, literal in given:
        is_own = name in own or name in GENERIC
        new = name if is_own else _RENAMED.get(name, name)
        value: Literal = literal
        key = (new, literal)
        if key in _REVALUED and not (is_own and literal in own[name].choices):
            new, value = _REVALUED[key]
        options[new] = value
    return options
