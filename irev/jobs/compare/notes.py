"""What a reader must know of the tests of a comparison, a line each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irev.jobs.compare.assumptions import score_notes
from irev.statistics.differences import mean_and_sd_of_differences
from irev.statistics.families import pair_variance_ratios
from irev.statistics.intervals import endless_intervals_note, equal_score_notes
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS, few_topics_warnings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.jobs.compare.contrasts import Contrast
    from irev.jobs.compare.options import CompareOptions
    from irev.scores.table import ScoreTable

FEWEST_BEHIND = 10
"""So many resamples at least should lie behind the end of a bootstrap interval."""


def comparison_notes(
    table: ScoreTable, options: CompareOptions, contrasts: Sequence[Contrast]
) -> Iterator[str]:
    """The notes on the scores and on the tests, a line each."""
    yield from general_notes(table, options, contrasts)
    yield from notes_by_contrast(contrasts, options, sum(len(each.run_pairs) for each in contrasts))


def general_notes(
    table: ScoreTable, options: CompareOptions, contrasts: Sequence[Contrast]
) -> Iterator[str]:
    """The notes on all contrasts at once."""
    yield from score_notes(table, options)
    num_hypotheses = sum(len(contrast.run_pairs) for contrast in contrasts)
    yield from _test_notes(options)
    for test in options.tests:
        if any("Monte Carlo" in contrast.test_results[test].method for contrast in contrasts):
            yield from _resampling_notes(test, options, num_hypotheses)
    yield from _interval_end_notes(options, num_hypotheses)
    for contrast in contrasts if options.ci != "none" else ():
        notes = equal_score_notes(contrast.score_matrix, table.run_names)
        yield from (f"{contrast.name}: {line}" for line in notes)


def notes_by_contrast(
    contrasts: Sequence[Contrast], options: CompareOptions, num_hypotheses: int
) -> Iterator[str]:
    """The notes on each contrast, under its name."""
    for contrast in contrasts:
        yield from (
            f"{contrast.name}: {line}"
            for line in _contrast_notes(contrast, options, num_hypotheses)
        )


def _test_notes(options: CompareOptions) -> Iterator[str]:
    tests = {name: TESTS[name] for name in options.tests}
    for test in tests.values():
        if test.question:
            yield f"the {test.title} test does not test means: it tests {test.question}"
    for null in dict.fromkeys(
        test.null_hypothesis for test in tests.values() if test.null_hypothesis
    ):
        names = " and ".join(name for name, test in tests.items() if test.null_hypothesis == null)
        yield f"{names}: the null hypothesis is {null}"
    for name, test in tests.items():
        if test.caution:
            yield f"{name} is {test.caution}"


def _variance_and_skewness_notes(contrast: Contrast, options: CompareOptions) -> Iterator[str]:
    """Whether tests assume of differences what these are not: of one variance, symmetric."""
    names = [name for name in options.tests if TESTS[name].assumes_equal_variances]
    if names:
        yield from pair_variance_ratios(contrast.score_matrix).warnings(names)
    tests = list(contrast.results_by_test_done)
    yield from few_topics_warnings(contrast.score_matrix, contrast.run_pairs, tests)


def _resampling_notes(test: str, options: CompareOptions, num_hypotheses: int) -> Iterator[str]:
    num_resamples = options.num_resamples_of(test, num_hypotheses)
    num_needed = options.num_resamples_needed(test, num_hypotheses)
    if num_resamples < num_needed:
        yield (
            f"{test}: with {num_resamples} resamples no p can be small enough to be "
            f"significant among {num_hypotheses} hypotheses; at least {num_needed} are needed"
        )
    elif options.resamples is None and num_resamples == num_needed:
        yield (
            f"{test}: {num_resamples} resamples, so that one of {num_hypotheses} hypotheses can be "
            "rejected"
        )


def _interval_end_notes(options: CompareOptions, num_hypotheses: int) -> Iterator[str]:
    """Whether corrected bootstrap intervals end where hardly a resample is."""
    num_resamples = INTERVALS[options.ci].default_resamples and (
        options.resamples or INTERVALS[options.ci].default_resamples
    )
    if not num_resamples or options.interval_correction != "bonferroni":
        return
    num_needed = math.ceil(FEWEST_BEHIND * 2 * num_hypotheses / options.alpha)
    if num_resamples < num_needed:
        yield (
            f"the intervals of the differences hold for {num_hypotheses} at once, and fewer than "
            f"{FEWEST_BEHIND} of {num_resamples} resamples lie behind their ends: "
            f"use --resamples {num_needed}"
        )


def _contrast_notes(
    contrast: Contrast, options: CompareOptions, num_hypotheses: int
) -> Iterator[str]:
    num_pairs = len(contrast.run_pairs)
    constant_text = "the same difference on every topic"
    if any(np.isinf(each.facts.get("t", ())).any() for each in contrast.test_results.values()):
        constant_text += f"; p is the chance that all {len(contrast.topics)} signs are equal"
    for flags, words in (
        (contrast.paired.identical, "no difference on any topic; p is 1"),
        (contrast.paired.constant, constant_text),
    ):
        count = int(np.count_nonzero(flags))
        if count:
            yield f"{count} of {num_pairs} pairs {'has' if count == 1 else 'have'} {words}"
    yield from _few_topic_notes(contrast, options, num_hypotheses)
    yield from _variance_and_skewness_notes(contrast, options)
    interval = INTERVALS[options.ci]
    if interval.may_be_endless:
        yield from endless_intervals_note(contrast.means, "means", interval.title)
        # an end of a one-sided interval is infinite by design
        if options.tail == "two-sided":
            differences = contrast.difference_intervals
            yield from endless_intervals_note(differences, "differences", interval.title)


def _few_topic_notes(
    contrast: Contrast, options: CompareOptions, num_hypotheses: int
) -> Iterator[str]:
    """Whether the most topics with a difference are too few for any p to reach alpha."""
    sign_tests = [test for test in options.tests if TESTS[test].counts_signs]
    if not sign_tests:
        return
    most_topics = int(
        mean_and_sd_of_differences(contrast.contributions, contrast.run_pairs).nonzero.max(
            initial=0
        )
    )
    if not most_topics:
        return
    least_p = math.ldexp(2.0 if options.tail == "two-sided" else 1.0, -most_topics)
    names = " and ".join(sign_tests)
    differ = f"{most_topics} topic{'s' * (most_topics > 1)} that differ{'s' * (most_topics == 1)}"
    if least_p > options.alpha:
        yield f"with {differ} the p of {names} cannot be below {least_p:g}"
    elif CORRECTIONS[options.correction].familywise and least_p * num_hypotheses > options.alpha:
        yield (
            f"with {differ} the p of {names} cannot be below {least_p:g}, which is "
            f"too large to be significant among {num_hypotheses} hypotheses"
        )
