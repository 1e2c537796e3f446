"""What a reader of a comparison must know, beside its numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irev.measures.direction import lower_is_better
from irev.statistics.differences import describe
from irev.statistics.methods import CORRECTIONS, TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.comparison.contrasts import Contrast
    from irev.comparison.plan import ComparisonPlan
    from irev.results.matrices import Matrices

MANY_TOPICS = 1000
"""With so many topics, differences of no importance are significant."""


def notes(matrices: Matrices, plan: ComparisonPlan, contrasts: Sequence[Contrast]) -> Iterator[str]:
    """The notes, a line each."""
    yield from _about_scores(matrices, plan)
    hypotheses = sum(len(contrast.family) for contrast in contrasts)
    yield from _about_tests(plan)
    for test in plan.tests:
        if any("Monte Carlo" in contrast.results[test].method for contrast in contrasts):
            yield from _about_draws(test, plan, hypotheses)
    for contrast in contrasts:
        where = f"{contrast.measure}{f' on {contrast.label}' if contrast.label else ''}"
        yield from (f"{where}: {line}" for line in _about_pairs(contrast, plan, hypotheses))


def _about_scores(matrices: Matrices, plan: ComparisonPlan) -> Iterator[str]:
    if matrices.weights is not None:
        yield (
            "topics have weights: means are weighted, and tests and intervals take each topic's "
            "score times its weight"
        )
        if plan.min_diff:
            yield "the smallest difference that counts is one of weighted scores"
    for entry in matrices.entries:
        if entry.duplicates:
            yield f"{entry.name}: {entry.duplicates} repeated documents are left out"
    for column in matrices.columns:
        if column.average == "sum":
            yield f"{column.name} is compared by its mean over topics, not by its sum"
        if lower_is_better(column):
            yield f"{column.name}: lower is better, so a win is a lower score"
    if len(matrices.topics) >= MANY_TOPICS:
        yield (
            f"with {len(matrices.topics)} topics differences of no importance are significant: "
            "look at the effect sizes first"
        )


def _about_tests(plan: ComparisonPlan) -> Iterator[str]:
    chosen = {name: TESTS[name] for name in plan.tests}
    for test in chosen.values():
        if test.question:
            yield f"the {test.title} test does not test means: it asks {test.question}"
    for null in dict.fromkeys(test.null for test in chosen.values() if test.null):
        names = " and ".join(name for name, test in chosen.items() if test.null == null)
        yield f"{names}: what is tested is {null}"
    for name, test in chosen.items():
        if test.caution:
            yield f"{name} is {test.caution}"


def _about_draws(test: str, plan: ComparisonPlan, hypotheses: int) -> Iterator[str]:
    drawn = plan.resamples_of(test, hypotheses)
    needed = plan.resamples_needed(test, hypotheses)
    if drawn < needed:
        yield (
            f"{test}: with {drawn} resamples no p that is drawn can be small enough to be "
            f"significant among {hypotheses} hypotheses; {needed} are wanted"
        )
    elif plan.resamples is None and drawn == needed:
        yield f"{test}: {drawn} resamples, so that one of {hypotheses} hypotheses can be rejected"


def _about_pairs(contrast: Contrast, plan: ComparisonPlan, hypotheses: int) -> Iterator[str]:
    pairs = len(contrast.family)
    for flags, words in (
        (contrast.paired.identical, "no difference on any topic; p is 1"),
        (contrast.paired.constant, "the same difference on every topic; t is infinite"),
    ):
        count = int(np.count_nonzero(flags))
        if count:
            yield f"{count} of {pairs} pairs {'has' if count == 1 else 'have'} {words}"
    yield from _about_few_topics(contrast, plan, hypotheses)


def _about_few_topics(contrast: Contrast, plan: ComparisonPlan, hypotheses: int) -> Iterator[str]:
    """Whether the most topics with a difference are too few for any p to reach alpha."""
    asked = [test for test in plan.tests if TESTS[test].signs]
    if not asked:
        return
    most = int(describe(contrast.scores, contrast.family).nonzero.max(initial=0))
    if not most:
        return
    least = math.ldexp(2.0 if plan.tail == "two-sided" else 1.0, -most)
    names = " and ".join(asked)
    differ = f"{most} topic{'s' * (most > 1)} that differ{'s' * (most == 1)}"
    if least > plan.alpha:
        yield f"with {differ} no p of {names} can be below {least:g}"
    elif CORRECTIONS[plan.correction].first and least * hypotheses > plan.alpha:
        yield (
            f"with {differ} no p of {names} can be below {least:g}, which is "
            f"too large to be significant among {hypotheses} hypotheses"
        )
