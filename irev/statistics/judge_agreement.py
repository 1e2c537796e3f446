"""How far judges agree on the grades of the same documents, and which runs a judge favours."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from irev.core.arrays import DocumentValues, Floats, Ints, TopicsByRuns, column_means
from irev.core.record import record
from irev.errors import UsageError
from irev.statistics.corrections import holm
from irev.statistics.differences import RunPairs, scale_of, zero_noise
from irev.statistics.t_tests import paired_t

Weights = Literal["none", "linear", "quadratic"]
"""How much two different grades disagree: wholly, by their distance, or by its square."""

GradeMeaning = Literal["nominal", "ordinal", "interval"]
"""What a grade means: a class, a place in an order, or a number."""


@record
class Confusion:
    """How often two judges gave which grades to the same document.

    grades  float64[G], all grades that occur, rising
    counts  int64[G, G], rows for the first judge, columns for the second
    """

    grades: Floats
    counts: Ints

    @property
    def observed_agreement(self) -> float:
        """The share of documents with the same grade; NaN without documents."""
        total = int(self.counts.sum())
        return int(np.trace(self.counts)) / total if total else math.nan

    def kappa(self, weights: Weights = "none") -> float:
        """Cohen's kappa: 1 - disagreement observed / disagreement expected by chance.

        1 for perfect agreement, 0 for that of chance, NaN where both judges gave one and the same
        grade to all. Weighted by the distance of the grades as numbers, so that a grade that nobody
        gave changes nothing.

        Source: Cohen 1960, "A coefficient of agreement for nominal scales"; Cohen 1968, "Weighted
        kappa".
        """
        distances = np.abs(self.grades[:, None] - self.grades[None, :])
        costs = {"none": np.sign(distances), "linear": distances, "quadratic": distances**2}[
            weights
        ]
        rows, columns = self.counts.sum(axis=1), self.counts.sum(axis=0)
        total = int(self.counts.sum())
        expected = float((costs * np.outer(rows, columns)).sum()) / max(total, 1)
        if not expected:
            return math.nan
        return 1 - float((costs * self.counts).sum()) / expected


def confusion(first_grades: DocumentValues, second_grades: DocumentValues) -> Confusion:
    """The grades of two judges, compared.

    Args:
        first_grades: float64[N], the grades that the first judge gave to N documents.
        second_grades: float64[N], those of the second.
    """
    if len(first_grades) != len(second_grades):
        raise UsageError(
            f"judges of {len(first_grades)} and {len(second_grades)} documents cannot be compared"
        )
    grades, grade_indices = np.unique(
        np.concatenate((first_grades, second_grades)), return_inverse=True
    )
    size = len(grades)
    cell_indices = grade_indices[: len(first_grades)] * size + grade_indices[len(first_grades) :]
    return Confusion(
        grades.astype(np.float64),
        np.bincount(cell_indices, minlength=size * size).reshape(size, size),
    )


def krippendorff_alpha(grades: Floats, meaning: GradeMeaning = "ordinal") -> float:
    """Krippendorff's alpha of any number of judges, some of whom may not have judged a document.

    1 - observed / expected disagreement, over pairs of grades that a document was given, and over
    all pairs of grades: 1 for perfect agreement, 0 for that of chance. The disagreement of two
    grades c < k is 1 (nominal), (k - c)^2 (interval), or the square of how many grades were given
    from c to k, of c and k only half (ordinal).

    Args:
        grades: float64[J, N] of J judges and N documents; NaN where a judge gave none.
        meaning: what a grade means.

    Returns:
        alpha; NaN where no document has two grades or all grades are the same.

    Source: Krippendorff, Content Analysis, 2004, chapter 11.
    """
    judged = ~np.isnan(grades)
    is_paired = judged & (judged.sum(axis=0) >= 2)
    if not is_paired.any():
        return math.nan
    values, grade_indices = np.unique(grades[is_paired], return_inverse=True)
    document = np.nonzero(is_paired)[1]
    size = len(values)
    table = np.bincount(document * size + grade_indices, minlength=grades.shape[1] * size)
    grade_counts = table.reshape(-1, size).astype(np.float64)
    # of a document with m grades, each pair of different judges counts 1/(m-1)
    share = 1 / np.maximum(grade_counts.sum(axis=1) - 1, 1)
    coincidences = (grade_counts * share[:, None]).T @ grade_counts - np.diag(share @ grade_counts)
    totals = grade_counts.sum(axis=0)
    costs = _disagreement_costs(values, totals, meaning)
    expected = float((costs * np.outer(totals, totals)).sum()) / (float(totals.sum()) - 1)
    return 1 - float((costs * coincidences).sum()) / expected if expected else math.nan


def _disagreement_costs(values: Floats, totals: Floats, meaning: GradeMeaning) -> Floats:
    """float64[G, G]: by how much two grades disagree."""
    if meaning == "ordinal":
        values = np.cumsum(totals) - totals / 2
    distances = np.abs(values[:, None] - values[None, :])
    return np.sign(distances) if meaning == "nominal" else distances**2


@record
class RunErrors:
    """How much higher the second judge scores each of S runs; float64[S] each.

    error      the mean over topics of second less first
    favour     the error less the mean error of all runs: 0 for a judge who favours nobody
    low, high  the t interval of the favour, each by itself; NaN where it never varies
    p          of the paired t test of a favour of 0, not corrected
    corrected  p by Holm, for the S runs
    """

    error: Floats
    favour: Floats
    low: Floats
    high: Floats
    p: Floats
    corrected: Floats


def second_judge_favour_by_run(
    first_scores: TopicsByRuns, second_scores: TopicsByRuns, *, level: float = 0.95
) -> RunErrors:
    """Whether the second judge favours some runs, which would change their order.

    With e_ts the second score of run s on topic t less the first, the favour of a run is the mean
    over topics of e_ts - mean_s(e_ts). A judge who is too kind to all runs alike favours none.

    `first_scores`: float64[T, S], the scores of S runs, at least 2, on T topics, at least 2, by the
    first judge. `second_scores`: the same by the second.
    """
    error = second_scores - first_scores
    favours = error - (np.cumsum(error, axis=1)[:, -1] / error.shape[1])[:, None]
    # what is left of equal errors is the noise of floats
    favours = zero_noise(favours, max(scale_of(first_scores), scale_of(second_scores)))
    num_runs = error.shape[1]
    pairs_with_zero = RunPairs(np.arange(num_runs), np.full(num_runs, num_runs))
    tests = paired_t(
        np.column_stack((favours, np.zeros(len(favours)))), pairs_with_zero, level=level
    )
    # how far a favour can be from 0 is not known: no interval where it is the same on all topics
    low, high = (np.where(tests.constant, np.nan, end) for end in (tests.low, tests.high))
    return RunErrors(column_means(error), tests.mean, low, high, tests.p, holm(tests.p))
