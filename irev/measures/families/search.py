"""How far one has to read: search length and ranked half life. Less is better."""

from __future__ import annotations

import math

import numpy as np

from irev.core.arrays import TopicsByCutoffs, running_sums, segment_sums, sums_at
from irev.core.judged import Judged, TieSpans
from irev.measures.families.precision import first_relevant_rank_or_inf
from irev.measures.registry import LARGEST_COUNT, GainValue, Option, choice, measure
from irev.measures.shared import GAIN, NoCutoff, gain_values

NEVER = Option("what a topic counts in which the search never ends", math.inf, low=0.0)
ENDLESS = (
    "A topic in which the search never ends makes the mean infinite: set its value with never=, "
    "or report the mean over the other topics and the number of such topics."
)
SLACK = 1e-12
"""By which share a sum of gains may miss the half through rounding alone."""


@measure(
    "SL",
    "Search length: how far down the first relevant document is",
    formula="r (count=rank) or r - 1 (count=nonrel), r the rank of the first relevant document",
    source="Cooper 1968, Expected search length, American Documentation 19 (count=nonrel, without "
    "ties)",
    checked="not yet",
    options={
        "count": choice(
            "what is counted: the documents read (rank), or only those in vain (nonrel)",
            "rank",
            "nonrel",
            shown=True,
        ),
        "never": NEVER,
    },
    bounds=(0.0, math.inf),
    higher_is_better=False,
    example=("- 0 1 | 1", "", 3.0),
    caution=ENDLESS,
    cites=("cooper1968esl",),
)
def search_length_to_first_relevant(
    judged: Judged, cutoffs: NoCutoff, *, count: str = "rank", never: float = math.inf
) -> TopicsByCutoffs:
    """How many documents are read until a relevant one is found.

    Where none was retrieved the search never ends. Cooper counts only the documents that are not
    relevant, one fewer, and takes the expected number where documents are tied; ties are broken
    here.
    """
    length = first_relevant_rank_or_inf(judged)
    if count == "nonrel":
        length = length - 1
    return np.where(np.isinf(length), float(never), length)[:, None]


@measure(
    "ESL",
    "Expected search length: documents read in vain until q relevant ones are found",
    formula="j + i * s / (r + 1); the q-th relevant document is in a group of documents with equal "
    "scores that holds i others and r relevant ones, s of them still needed; j others before it",
    source="Cooper 1968, Expected search length, American Documentation 19",
    checked="not yet",
    options={
        "q": Option(
            "how many relevant documents the user needs",
            1,
            kind="whole",
            low=1,
            high=LARGEST_COUNT,
            shown=True,
        ),
        "never": NEVER,
    },
    bounds=(0.0, math.inf),
    higher_is_better=False,
    example=("- 1 0 1 | 1", "(q=2)", 2.0),
    ties=True,
    caution=ENDLESS,
    cites=("cooper1968esl",),
)
def expected_search_length(
    judged: Judged, cutoffs: NoCutoff, *, q: int = 1, never: float = math.inf
) -> TopicsByCutoffs:
    """How many documents that are not relevant are read on the way to the q-th relevant one.

    Documents with equal scores are read in any order with equal chances, whatever order breaks the
    ties for other measures; the expected number is taken. Where fewer than q relevant documents
    were retrieved the search never ends.

    Without ties it is SL(count=nonrel) for q=1.
    """
    spans = judged.ties or TieSpans(judged.rank, np.ones_like(judged.rank))
    topics = np.flatnonzero(judged.num_rel_ret >= q)
    first, size = (column[judged.relevant_rows] for column in (spans.first, spans.size))
    last_wanted = judged.relevant_start[topics] + q - 1
    begin, num_docs = first[last_wanted], size[last_wanted]
    num_before = judged.relevant_index.count_up_to(topics, begin - 1)
    num_rel = judged.relevant_index.count_up_to(topics, begin + num_docs - 1) - num_before
    in_vain = begin - 1 - num_before
    length = np.full(judged.num_topics, never, np.float64)
    length[topics] = in_vain + (num_docs - num_rel) * (q - num_before) / (num_rel + 1)
    return length[:, None]


@measure(
    "RHL",
    "Ranked half life: where half of the relevance is reached",
    formula="r (form=rank) or r - 1 + (T/2 - F) / g (form=grouped); T the sum of the gains of the "
    "relevant documents, r the first rank with a sum of at least T/2 up to it, g its gain, F the "
    "sum before it",
    source="Borlund and Ingwersen 1998, Measures of Relative Relevance and Ranked Half-Life, "
    "SIGIR; Kishida 2005, Property of Average Precision and its Generalization, NII-2005-014E",
    checked="paper",
    options={
        "form": choice(
            "a rank (rank), or a median of grouped data between that rank and the one before",
            "rank",
            "grouped",
            shown=True,
        ),
        "total": choice(
            "half of what: of the relevant documents retrieved, or of all",
            "retrieved",
            "all",
            shown=True,
        ),
        "gain": GAIN,
        "never": NEVER,
    },
    bounds=(0.0, math.inf),
    higher_is_better=False,
    example=("1 2 - - 3", "(form=grouped)", 2.0),
    caution=ENDLESS,
    cites=("borlund1998rhl", "kishida2005property"),
)
def ranked_half_life(
    judged: Judged,
    cutoffs: NoCutoff,
    *,
    form: str = "rank",
    total: str = "retrieved",
    gain: GainValue = "linear",
    never: float = math.inf,
) -> TopicsByCutoffs:
    """The rank down to which half of the total relevance is found: a median of the ranks.

    Where the half is never reached, as without a relevant document, the search never ends. With
    total=retrieved relevant documents that were missed do not count, and a ranking with a single
    relevant document can look as good as any.

    The grouped form takes the class of rank r to reach from r - 1 to r; that limit was chosen so
    that both forms agree with Kishida's example, a half reached exactly at rank 3. Documents below
    the level have no gain.
    """
    gains = gain_values(judged.grade[judged.relevant_rows], gain)
    sums = running_sums(judged.relevant_start, gains)
    if total == "all":
        relevant = judged.level_grade >= judged.settings.level
        level_gain = gain_values(judged.level_grade[relevant], gain) * judged.level_count[relevant]
        half = segment_sums(judged.level_topic[relevant], level_gain, judged.num_topics) / 2
    else:
        half = sums_at(judged.relevant_start, sums, judged.num_rel_ret) / 2
    # the topics whose sum reaches the half, if that is not 0, and the row where it does
    needed = np.where(half > 0, half * (1 - SLACK), np.inf)
    enough = np.flatnonzero(sums >= needed[judged.relevant_topic])
    topics, first = np.unique(judged.relevant_topic[enough], return_index=True)
    rows = enough[first]
    reached = judged.relevant_rank[rows].astype(np.float64)
    if form == "grouped":
        missing = half[topics] - (sums[rows] - gains[rows])
        reached += np.minimum(missing / gains[rows], 1.0) - 1
    life = np.full(judged.num_topics, never, np.float64)
    life[topics] = reached
    return life[:, None]
