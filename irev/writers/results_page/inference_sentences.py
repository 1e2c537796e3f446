"""Sentences of the page on tests and intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from irev.core.wording import count_text
from irev.statistics.intervals import EXACT_WHERE_SAME
from irev.statistics.methods import (
    CORRECTIONS,
    INTERVALS,
    TESTS,
    difference_interval_title,
    tests_done_text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.statistics.methods import DoneTest, Tail

_TAILS: dict[str, str] = {
    "two-sided": "two-sided",
    "greater": "one-sided (whether a run is better)",
    "less": "one-sided (whether a run is worse)",
}


class InferenceSentences(NamedTuple):
    """The sentence on p and the one on intervals of differences; both empty without a test."""

    on_p: str = ""
    on_intervals: str = ""


def family_of_pairs(num_pairs: int, baselines: str = "") -> str:
    """The pairs that p is corrected for under each measure; `baselines`: those with these alone."""
    if baselines:
        return f"{count_text(num_pairs, 'pair')} with {baselines} under a measure"
    return "the only pair" if num_pairs == 1 else f"all {num_pairs} pairs under a measure"


def p_sentence(
    tests_done: Sequence[DoneTest], correction: str, tail: Tail, family: str, num_resamples: int
) -> str:
    """How p was found, and what it is corrected for.

    Args:
        tests_done: on each measure.
        correction: its name in `CORRECTIONS`.
        tail: the alternative.
        family: what p is corrected for, in words.
        num_resamples: how many the test drew; 0: none.
    """
    drawn = f", {num_resamples:,} resamples" if num_resamples else ""
    start = f"p: {tests_done_text(tests_done, 'phrase')}, {_TAILS[tail]}{drawn}"
    if TESTS[tests_done[0].test_name].simultaneous:
        return f"{start}, corrected in itself for {family}."
    if correction == "none" or family == "the only pair":
        return f"{start}, not corrected."
    return f"{start}, with {CORRECTIONS[correction].phrase} for {family}."


def other_family_sentence(test: str, correction: str, num_measures: int) -> str:
    """What another command corrects p for; empty where it is the same.

    Args:
        test: its name in `TESTS`.
        correction: its name in `CORRECTIONS`.
        num_measures: how many there are.
    """
    if num_measures < 2 or correction == "none" or TESTS[test].simultaneous:
        return ""
    return (
        "This page corrects p within each measure; irev compare corrects it over all "
        f"{num_measures} measures together, so its p may be larger."
    )


def interval_sentence(
    tests_done: Sequence[DoneTest],
    correction: str,
    ci: str,
    alpha: float,
    family: str,
    num_pairs: int,
    has_exact: bool,
) -> str:
    """What the intervals of differences are, and for how many at once they hold.

    Args:
        tests_done: on each measure.
        correction: its name in `CORRECTIONS`.
        ci: the name of the interval in `INTERVALS`.
        alpha: one less the level.
        family: the pairs, in words.
        num_pairs: how many.
        has_exact: whether some are exact, since nothing varied.
    """
    test = TESTS[tests_done[0].test_name]
    exact = EXACT_WHERE_SAME * has_exact
    start = f"Intervals of differences: {100 * (1 - alpha):.6g}%"
    if test.simultaneous:
        return f"{start}, simultaneous for {family}, by the {test.phrase}{exact}."
    title = f"{difference_interval_title(tests_done, INTERVALS[ci])}{exact}"
    if num_pairs == 1 or not CORRECTIONS[correction].familywise:
        return f"{start} {title}, not simultaneous."
    name = CORRECTIONS[correction].phrase
    steps = CORRECTIONS[correction].steps_down
    why = f" {name} may show a difference whose interval contains 0." if steps else ""
    return f"{start} {title}, simultaneous for {family} (Bonferroni).{why}"
