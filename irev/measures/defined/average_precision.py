"""Average precision, and its geometric mean."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats, ratio, sums_at
from irev.core.model import Judged
from irev.core.scores import SMALLEST_MEAN_FACTOR
from irev.measures import tied
from irev.measures.average_precision import average_precision, running_precision
from irev.measures.choices import BINARY, DENOMINATOR
from irev.measures.defined.cutoffs import Ranks, as_ranks
from irev.measures.elsewhere import CWL, NTCIR, same
from irev.measures.registry import Elsewhere, defined
from irev.measures.shared import logs, relevant_at


@defined(
    "AP",
    "Average precision",
    formula="1/R * sum over relevant documents at rank i <= k of (relevant up to i) / i; "
    "with denom=min 1/min(k, R)",
    source="Kishida 2005, Property of Average Precision and its Generalization, NII-2005-014E, "
    "eq. 3; Zhai and Massung 2016, Text Data Management and Analysis, eq. 9.1",
    checked="paper",
    options={"denom": DENOMINATOR},
    cutoff="optional",
    example=("2 0 - 1 | 1", "(denom=min)@2", 0.5),
    aliases=("MAP",),
    cites=("buckley2005retrieval",),
    expected=tied.average_precision,
    shows=BINARY,
    divisor="relevant",
    elsewhere=(
        *same(trec="map", irm="AP", ranx="map", ntcir="AP"),
        Elsewhere(CWL, "AP", "the recall base is what was retrieved, so that the value is higher"),
        *same(trec="map_cut.k", irm="AP@k", ranx="map@k", beir="MAP@k"),
        Elsewhere(NTCIR, "AP@k", "divides by min(R, k): AP(denom=min)@k"),
        Elsewhere("RankEval", "MAP", "divides by what was returned where that is less than R"),
    ),
)
def average_precision_at(judged: Judged, cutoffs: Ranks, *, denom: str = "R") -> Floats:
    """The precision at each relevant document, averaged over all relevant documents.

    A relevant document that was not retrieved among the first k adds 0, so cutting a ranking never
    raises it; dividing by the retrieved relevant documents instead is a common mistake. Where R is
    larger than k the best possible value is below 1, unless denom=min. A topic without relevant
    documents has 0, unjudged documents count as not relevant, and gains do not matter.
    """
    ranks = as_ranks(cutoffs)
    sums = sums_at(judged.relevant_start, running_precision(judged), relevant_at(judged, ranks))
    most = judged.num_rel[:, None]
    if denom == "min":
        most = np.minimum(most, np.asarray(ranks))
    return ratio(sums, most)


@defined(
    "GMAP",
    "Geometric mean of average precision",
    formula="exp(mean of log(max(AP, 0.00001)))",
    source="Robertson 2006, On GMAP and Other Transformations, CIKM",
    checked="program",
    average="geometric",
    per_topic=False,
    bounds=(SMALLEST_MEAN_FACTOR, 1.0),
    example=("2 0 - 1 | 1", "", 0.5),
    cites=("robertson2006gmap",),
    expected=tied.log_average_precision,
    shows=BINARY,
    elsewhere=same(trec="gm_map"),
)
def geometric_average_precision(judged: Judged, cutoffs: Ranks) -> Floats:
    """Average precision with a geometric mean over the topics: hard topics weigh more.

    An average precision below 0.00001 counts as 0.00001. It appears in the summary only.
    """
    return logs(average_precision(judged))[:, None]
