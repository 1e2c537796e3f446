"""Counts of documents, and what is shown of a ranking as it is."""

from __future__ import annotations

import math

import numpy as np

from irev.core.arrays import Floats
from irev.core.grouped import RankedPreferences
from irev.core.model import Judged
from irev.measures.elsewhere import BEIR, IRM, RISING, same
from irev.measures.registry import Cutoffs, Elsewhere, Numbers, measure

ALL_SETS = ("official", "set", "all_trec", "all_prefs", "prefs", "qrels_jg")
BASIC_SETS = ("official", "set", "all_trec")
ANYTHING = (0.0, math.inf)


@measure(
    "runid",
    "The run's name",
    position=1,
    formula="the tag of the run's last line",
    source="trec_eval 10",
    sets=ALL_SETS,
    needs="any",
    kind="text",
    average="run",
    per_topic=False,
    bounds=(-math.inf, math.inf),
    higher_is_better=None,
    cites=("trec_eval",),
)
def runid(judged: Judged | RankedPreferences) -> Floats:
    """The tag with which the run names itself, as its last line has it.

    It appears in the summary only.
    """
    return np.zeros(judged.num_topics)


@measure(
    "num_q",
    "Number of topics",
    position=2,
    formula="1 for each topic, summed",
    source="trec_eval 10",
    sets=ALL_SETS,
    needs="any",
    kind="count",
    average="topics",
    per_topic=False,
    bounds=ANYTHING,
    higher_is_better=None,
    example=("2 0 - 1 | 1", "", 1.0),
    cites=("trec_eval",),
    additive=True,
    elsewhere=(Elsewhere(IRM, "NumQ", "the topics that were scored, not those averaged over"),),
)
def num_q(judged: Judged | RankedPreferences) -> Floats:
    """How many topics the averages divide by.

    Topics of the qrels that the run lacks count only where they were asked for (`-c`). It appears
    in the summary only.
    """
    return np.ones(judged.num_topics)


@measure(
    "num_ret",
    "Documents retrieved",
    position=3,
    formula="n",
    source="trec_eval 10",
    sets=BASIC_SETS,
    kind="count",
    average="sum",
    bounds=ANYTHING,
    higher_is_better=None,
    example=("2 0 - 1 | 1", "", 4.0),
    cites=("trec_eval",),
    additive=True,
    elsewhere=same(irm="NumRet"),
)
def num_ret(judged: Judged) -> Floats:
    """How many documents were retrieved, judged or not.

    The ranking is taken after it was cut (`-M`) and freed of unjudged documents (`-J`). The summary
    is the sum over the topics.
    """
    return judged.num_ret.astype(float)


@measure(
    "num_rel",
    "Relevant documents",
    position=4,
    formula="R",
    source="trec_eval 10",
    sets=BASIC_SETS,
    kind="count",
    average="sum",
    bounds=ANYTHING,
    higher_is_better=None,
    example=("2 0 - 1 | 1", "", 3.0),
    cites=("trec_eval",),
    additive=True,
    elsewhere=(Elsewhere(IRM, "NumRel", "topics that the run lacks are not counted"),),
)
def num_rel(judged: Judged) -> Floats:
    """How many documents the qrels hold as relevant, retrieved or not.

    Relevant is a document whose grade reaches the level (`-l`, 1 by default). The summary is the
    sum over the topics.
    """
    return judged.num_rel.astype(float)


@measure(
    "num_rel_ret",
    "Relevant documents retrieved",
    position=5,
    formula="rr",
    source="trec_eval 10",
    sets=BASIC_SETS,
    kind="count",
    average="sum",
    bounds=ANYTHING,
    example=("2 0 - 1 | 1", "", 2.0),
    cites=("trec_eval",),
    additive=True,
    elsewhere=same(irm="NumRet(rel=1)", ranx="hits"),
)
def num_rel_ret(judged: Judged) -> Floats:
    """How many relevant documents were retrieved, at whatever rank.

    The summary is the sum over the topics.
    """
    return judged.num_rel_ret.astype(float)


@measure(
    "num_nonrel_judged_ret",
    "Documents judged non-relevant that were retrieved",
    position=36,
    formula="judged documents retrieved - rr",
    source="trec_eval 10",
    sets=("all_trec",),
    kind="count",
    average="sum",
    bounds=ANYTHING,
    higher_is_better=False,
    example=("2 0 - 1 | 1", "", 1.0),
    cites=("trec_eval",),
    additive=True,
)
def num_nonrel_judged_ret(judged: Judged) -> Floats:
    """How many retrieved documents carry a grade from 0 to below the level.

    Documents without a judgment, in the pool or not, are not counted. The summary is the sum over
    the topics.
    """
    return (judged.num_judged_ret - judged.num_rel_ret).astype(float)


@measure(
    "unj",
    "Share of unjudged documents at the top",
    position=57,
    formula="(documents without a grade at ranks up to k) / k",
    source="trec_eval 10",
    sets=("all_trec",),
    parameter=Cutoffs((5, 10, 20)),
    higher_is_better=None,
    since=10,
    example=("2 0 - 1 | 1", "5", 0.2),
    cites=("trec_eval",),
    additive=True,
    shows=("unjudged",),
    divisor="cutoff",
    elsewhere=(
        Elsewhere(IRM, "Judged@k", f"the share that is judged, of min(k, n); {RISING}"),
        Elsewhere(BEIR, "Hole@k", "documents that were judged for no topic at all"),
    ),
)
def unj(judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
    """How much of the first k places is taken by documents that nobody judged.

    These are the documents missing from the qrels and those that were pooled but left unjudged (a
    negative grade). A ranking shorter than k is still divided by k: the places that it leaves empty
    hold no unjudged document.
    """
    shown = np.minimum(judged.num_ret[:, None], np.asarray(cutoffs))
    shares: Floats = (shown - judged.judged_index.up_to_all(cutoffs)) / np.array(cutoffs, float)
    return shares


@measure(
    "relstring",
    "The grades at the top of the ranking, a character each",
    position=13,
    formula="grade 0-9: the digit, above: >, not in the qrels: -, pooled but unjudged: .",
    source="trec_eval 10",
    sets=("all_trec",),
    kind="text",
    average="none",
    parameter=Numbers((10.0,)),
    bounds=(-math.inf, math.inf),
    higher_is_better=None,
    cites=("trec_eval",),
)
def relstring(judged: Judged, numbers: tuple[float, ...]) -> list[bytes]:
    """The beginning of the ranking at a glance: one character for each document.

    A grade from 0 to 9 is its digit (a fraction loses its decimals), a higher one is `>`; a
    document that is not in the qrels is `-`, one that was pooled but not judged is `.`. The
    parameter says how many documents are shown; only the first number of a list is used, cut to a
    whole number, and a negative one shows none. There is no summary.
    """
    width = int(min(max(numbers[0], 0), judged.num_ret.max(initial=0)))
    cells = np.full((judged.num_topics, width), ord("-"), np.uint8)
    shown = np.flatnonzero(judged.rank <= width)
    grade = judged.grade[shown]
    letter = np.where(grade < 10, ord("0") + np.clip(grade, 0, 9), ord(">")).astype(np.uint8)
    letter[grade == -2] = ord(".")
    letter[grade == -1] = ord("-")
    cells[judged.topic[shown], judged.rank[shown] - 1] = letter
    lines, length = cells.tobytes(), np.minimum(judged.num_ret, width).tolist()
    return [lines[t * width : t * width + length[t]] for t in range(judged.num_topics)]
