"""What other programs are called, and where their numbers are others in several measures.

What is said of a program was found in its source or by running it, in these versions: trec_eval
10.0-rc3, pytrec_eval-terrier 0.5, ir_measures 0.4.3, ranx 0.3.21, pyNTCIREVAL 0.0.3, cwl_eval,
gdeval and ndeval as TREC ships them, BEIR's EvaluateRetrieval. pytrec_eval and ir_measures bring
trec_eval 9.0.8 with them: their scores have 32 bits, which makes ties of nearly equal ones.
"""

from __future__ import annotations

from irev.measures.registry import Elsewhere

TREC, PYTREC, IRM, RANX = "trec_eval", "pytrec_eval", "ir_measures", "ranx"
NTCIR, CWL, GDEVAL, NDEVAL, BEIR = "pyNTCIREVAL", "cwl_eval", "gdeval", "ndeval", "BEIR"
_PROGRAMS = {
    "trec": TREC, "pytrec": PYTREC, "irm": IRM, "ranx": RANX, "ntcir": NTCIR, "cwl": CWL,
    "gdeval": GDEVAL, "ndeval": NDEVAL, "beir": BEIR,
}  # fmt: skip

RISING = "equal scores by document id, rising, not falling"
UNORDERED = "equal scores stand in no set order"
ROUNDED_UP = "levels of recall are rounded up (trunc(p R + 0.9)), as in trec_eval 9"


def same(**names: str) -> tuple[Elsewhere, ...]:
    """What programs call a measure that is the same there, each by its short name."""
    return tuple(Elsewhere(_PROGRAMS[program], name) for program, name in names.items())
