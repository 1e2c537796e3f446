"""Every measure of trec_eval a second time, written as its definition, as an oracle.

One topic at a time, in plain Python: slow, readable, and sharing nothing with the library. The
definitions are trec_eval 10's, except where what that program does is an accident: 0/0 is 0, gains
are ordered as reals, an unsorted list of recall points is handled point by point, and a ranking or
the judgments may be empty. Grades may be fractions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irev.core.record import cached_property
from tests import plain_binary as binary
from tests import plain_gains as graded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

POOLED = -2.0
"""The code of a document that was pooled but not judged (any negative grade in the qrels)."""

UNKNOWN = -1.0
"""The code of a document that does not stand in the topic's qrels."""


@dataclass(frozen=True)
class Topic:
    """One ranking with its judgments, and the definitions that all measures share.

    `codes` has one entry for each retrieved document, best first: its grade, `POOLED` or `UNKNOWN`.
    `grades` has the grade of every judged document, retrieved or not, in any order. `rounding` is
    how p * R becomes a number of relevant documents: "nearest" or "upward".
    """

    codes: Sequence[float]
    grades: Sequence[float]
    level: int = 1
    collection_size: int = 0
    rounding: str = "nearest"

    @property
    def num_ret(self) -> int:
        """Retrieved documents."""
        return len(self.codes)

    @cached_property
    def num_rel(self) -> int:
        """R: relevant documents, retrieved or not."""
        return sum(grade >= self.level for grade in self.grades)

    @cached_property
    def num_nonrel(self) -> int:
        """Documents judged below the level, retrieved or not."""
        return sum(grade < self.level for grade in self.grades)

    @cached_property
    def relevant_ranks(self) -> list[int]:
        """The ranks of the relevant documents, rising."""
        return [rank for rank, code in enumerate(self.codes, 1) if code >= self.level]

    @property
    def num_rel_ret(self) -> int:
        """Relevant documents retrieved."""
        return len(self.relevant_ranks)


def judge(
    scored: Mapping[bytes, float],
    qrels: Mapping[bytes, float],
    max_retrieved: int | None = None,
    judged_only: bool = False,
    **settings: Any,
) -> Topic:
    """The topic that a run's scores and the qrels make: ordered, cut, judged, condensed."""
    ranking = sorted(scored, key=lambda doc: (scored[doc], doc), reverse=True)[:max_retrieved]
    codes = [code_of(doc, qrels) for doc in ranking]
    if judged_only:
        codes = [code for code in codes if code >= 0]
    return Topic(codes, [grade for grade in qrels.values() if grade >= 0], **settings)


def code_of(doc: bytes, qrels: Mapping[bytes, float]) -> float:
    """What the qrels say about a document."""
    if doc not in qrels:
        return UNKNOWN
    return POOLED if qrels[doc] < 0 else qrels[doc]


def average(values: Sequence[float], how: str) -> float:
    """The summary of per-topic values: a mean, a sum, or the geometric mean of what are logs."""
    total = 0.0
    for value in values:
        total += value
    if how == "sum" or not values:
        return total
    mean = total / len(values)
    return math.exp(mean) if how == "geometric" else mean


MEASURES: dict[str, Callable[..., Any]] = {
    "num_q": binary.one,
    "num_ret": binary.num_ret,
    "num_rel": binary.num_rel,
    "num_rel_ret": binary.num_rel_ret,
    "map": binary.average_precision,
    "gm_map": binary.log_average_precision,
    "Rprec": binary.r_precision,
    "bpref": binary.bpref,
    "recip_rank": binary.reciprocal_rank,
    "iprec_at_recall": binary.interpolated_precision,
    "P": binary.precision,
    "relstring": graded.relevance_string,
    "recall": binary.recall,
    "infAP": binary.inferred_average_precision,
    "gm_bpref": binary.log_bpref,
    "Rprec_mult": binary.precision_at_multiples_of_r,
    "utility": binary.utility,
    "11pt_avg": binary.eleven_point_average,
    "binG": binary.binary_gain,
    "G": graded.normalized_gain,
    "dcg": graded.dcg,
    "ideal_dcg": graded.ideal_dcg,
    "ndcg": graded.ndcg,
    "ndcg_rel": graded.ndcg_over_relevant,
    "Rndcg": graded.ndcg_over_grades,
    "ndcg_cut": graded.ndcg_at,
    "map_cut": binary.average_precision_at,
    "relative_P": binary.relative_precision,
    "success": binary.success,
    "set_P": binary.set_precision,
    "set_relative_P": binary.set_relative_precision,
    "set_recall": binary.set_recall,
    "set_map": binary.set_average_precision,
    "set_F": binary.set_f,
    "num_nonrel_judged_ret": binary.num_nonrel_judged_ret,
    "map_avgjg": binary.average_precision,
    "P_avgjg": binary.precision,
    "Rprec_mult_avgjg": binary.precision_at_multiples_of_r,
    "yaap": binary.yaap,
    "rbp": graded.rank_biased_precision,
    "rbp_resid": graded.rank_biased_residual,
    "unj": binary.unjudged_counts,
}
"""Each measure by its printed name: (topic[, parameter]) -> a number, a list of them, or a text.

Those ending in `_avgjg` are given here for one judgment group; their value is the groups' mean.
`runid` is missing: it is the run's tag, and no topic has a value of it.
"""
