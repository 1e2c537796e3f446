"""D#-measures: the share of intents found, and a measure of the gains over all intents, as one."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import irev.measures.families.global_gain  # noqa: F401  whose measures have a D#-form here
from irev.core.arrays import TopicsByCutoffs
from irev.core.judged import SubtopicJudged
from irev.measures.families.diversity import subtopic_recall
from irev.measures.families.intent import KINDS, SAKAI
from irev.measures.registry import MEASURES, Option, measure
from irev.measures.shared import Ranks

GAMMA = Option("how much the share of intents found weighs", 0.5, low=0.0, high=1.0)


def _recall_and_gain(
    gain: Callable[..., TopicsByCutoffs],
    judged: SubtopicJudged,
    cutoffs: Ranks,
    /,
    *,
    gamma: float,
    **arguments: Any,
) -> TopicsByCutoffs:
    recall = subtopic_recall(judged, cutoffs)
    return np.asarray(gamma * recall + (1.0 - gamma) * gain(judged, cutoffs, **arguments))


def _register_sharp_form(
    gain_measure: str,
    example: tuple[str, str, float],
    help: str,
    source: str = "NTCIREVAL",
    cites: tuple[str, ...] = ("ntcireval", "sakai2011diversified"),
) -> None:
    """Register the D#-form of a measure of the gains over all intents, D_X or DIN_X.

    It has that measure's options, and `gamma` beside them.
    """
    plain = MEASURES[gain_measure]
    title = plain.title
    kind, _, rest = gain_measure.partition("_")
    gain_title = title[0].lower() + title[1:] if title[1].islower() else title
    if kind == "DIN":
        gain_title = f"DIN-{rest}"  # the whole title is too long for a line of a list
    sharp = partial(_recall_and_gain, plain.compute)
    sharp.__module__, sharp.__doc__ = __name__, help
    measure(
        f"{kind}Sharp_{rest}",
        f"{kind}#-{rest}: intents found, and {gain_title}",
        options={"gamma": GAMMA, **plain.options},
        cutoff="optional",
        needs="subtopics",
        aliases=(f"{kind}#-{rest}", f"{kind}#_{rest}"),
        formula=f"gamma StRecall@k + (1 - gamma) {gain_measure}@k",
        source=source,
        checked="program",
        example=example,
        cites=cites,
    )(sharp)


_register_sharp_form(
    "D_nDCG",
    ("0,1 | 0,2 2,0", "@1", 0.5 * 1 / 2 + 0.5 * 1 / 2),
    """How many intents are served, and how well on the whole, as one number.

    Intents without a relevant document are left out of the share of intents.
    """,
    SAKAI,
    ("sakai2011diversified",),
)
_register_sharp_form(
    "D_Q",
    ("1,1 0,1", "(beta=1)", 1.0),
    """How many intents are served, and how well on the whole, as one number.

    Intents without a relevant document are left out of the share of intents.
    """,
    SAKAI,
    ("sakai2011diversified",),
)
_register_sharp_form(
    "DIN_nDCG",
    ("0,1 | 0,2 2,0", "@1", 0.5 * 1 / 2 + 0.5 * 1 / 2),
    "D#-nDCG with navigational intents served once, as by DIN_nDCG.",
    KINDS,
    ("sakai2012intents",),
)
_register_sharp_form(
    "DIN_Q",
    ("1,1 0,1", "(beta=1)", 1.0),
    "D#-Q with navigational intents served once, as by DIN_Q.",
    KINDS,
    ("sakai2012intents",),
)
_register_sharp_form(
    "D_ERR",
    ("1,1 0,1 | 2,0", "(stop=ratio)@1", 0.5 + 0.5 / 2),
    "How many intents are served, and how soon a user is content, as one number.",
)
_register_sharp_form(
    "D_nERR",
    ("0,1 1,1 | 1,0", "(stop=ratio)@1", 0.5 / 2 + 0.5 / 2),
    "D#-ERR with the normalised form, for which the best ranking has 1.",
)
_register_sharp_form(
    "D_EBR",
    ("1,1 0,1 | 2,0", "(stop=ratio,beta=1)@1", 0.5 + 0.5 / 2),
    "How many intents are served, and the blended ratio where a user stops, as one number.",
)
_register_sharp_form(
    "D_RBP",
    ("1,1 0,1 | 2,0", "(p=0.5)", 0.5 + 0.5 * 5 / 8),
    "How many intents are served, and the rate of gain of a patient user, as one number.",
)
