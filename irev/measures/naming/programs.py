"""Other programs: what they are called, how they write names, what they do to several measures.

What is said of a program was found in its source or by running it, in these versions: trec_eval
10.0-rc3, pytrec_eval-terrier 0.5, ir_measures 0.4.3, ranx 0.3.21, pyNTCIREVAL 0.0.3, cwl_eval,
gdeval and ndeval as TREC ships them, BEIR's EvaluateRetrieval. pytrec_eval and ir_measures bring
trec_eval 9.0.8 with them: their scores have 32 bits, which makes ties of nearly equal ones.
"""

from __future__ import annotations

from typing import NamedTuple

from irev.measures.registry import Elsewhere

TREC, PYTREC, IRM, RANX = "trec_eval", "pytrec_eval", "ir_measures", "ranx"
NTCIR, CWL, GDEVAL, NDEVAL, BEIR = "pyNTCIREVAL", "cwl_eval", "gdeval", "ndeval", "BEIR"
TAR = "tar_eval_2018"


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
    "msmarco": Program("the MS MARCO script", cutoff="10"),
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

RISING = "equal scores by document id, rising, not falling"
UNORDERED = "equal scores are in no fixed order"
ROUNDED_UP = "levels of recall are rounded up (trunc(p R + 0.9)), as in trec_eval 9"


def same_elsewhere(**names: str) -> tuple[Elsewhere, ...]:
    """What programs call a measure that is the same there, each by what stands before its names."""
    return tuple(Elsewhere(_title(program), name) for program, name in names.items())


def _title(program: str) -> str:
    return {"trec": TREC, "pytrec": PYTREC}.get(program) or PROGRAMS[program].title
