"""The tests of significance, the corrections and the intervals: one record for each.

Commands offer, explain and run the records of `TESTS`, `CORRECTIONS` and `INTERVALS`, and know none
by name otherwise. Below the tests: what is said of those that were done, and how many resamples
they draw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from irev.core.arrays import Floats, PairValues, TopicsByRuns, ratio
from irev.core.record import record
from irev.core.text import full_list
from irev.core.workers import default_threads
from irev.statistics.differences import (
    RunPairs,
    Tail,
    difference_blocks,
    mean_and_sd_of_differences,
    same_difference_p_values,
)
from irev.statistics.families import (
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    holm,
    randomised_hsd,
    tukey_hsd,
)
from irev.statistics.intervals import (
    BootstrapKind,
    Intervals,
    bootstrap_intervals,
    fit_to_range,
    intervals_of_t,
    mean_intervals,
    skewness_corrected_intervals,
)
from irev.statistics.resampling import ResampledTest, Statistic, bootstrap_test, permutation_test
from irev.statistics.significance_tests import (
    Moderation,
    Zeros,
    moderated_t,
    paired_t,
    sign_test,
    wilcoxon,
)

# --- Tests ---


SkewnessLimit: TypeAlias = Literal["none", "few topics", "few topics and runs"]
"""Where a test rejects too often if differences are skewed: nowhere, where topics are few, or of
these only where runs are few, too."""


class InferenceSettings(NamedTuple):
    """What the outcome of a test or an interval depends on, besides scores and pairs.

    tail           the alternative: "greater" says the first run's scores are higher
    alpha          the level
    num_resamples  how many are drawn, by what draws
    seed           of the draws
    threads        how many work; no result depends on it
    min_diff       differences up to this are ties for the sign test
    zeros          what becomes of equal scores in the Wilcoxon test
    df             degrees of freedom of t; None: one less than there are topics
    """

    tail: Tail = "two-sided"
    alpha: float = 0.05
    num_resamples: int = 10_000
    seed: int = 0
    threads: int | None = None
    min_diff: float = 0.0
    zeros: Zeros = "pratt"
    df: float | None = None


@record
class PValues:
    """What a test found for P pairs.

    p           float64[P]: not corrected; None of a test that is corrected in itself
    corrected   float64[P]: corrected for the number of hypotheses; p where nothing is yet
    facts       further values by name, one for each pair, such as `count` and `resamples`
    method      P words: how p was found; empty where there is one way only
    moderation  what the variances of all pairs were drawn towards; None where they were not
    done        the name of the test that was done, where it is another than was asked for: paired
                t where there are no other pairs to draw variances from
    reason      why that was done, a sentence
    """

    p: Floats | None
    corrected: Floats
    facts: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    method: Sequence[str] = ()
    moderation: Moderation | None = None
    done: str = ""
    reason: str = ""


TestFunction: TypeAlias = Callable[[Floats, RunPairs, InferenceSettings], PValues]
TestIntervals: TypeAlias = Callable[[Floats, RunPairs, InferenceSettings], Intervals]


class Test(NamedTuple):
    """A test of the difference of two runs, for many pairs at once.

    compute                  the result for float64[T, S] scores, P pairs and the settings
    title                    its name in a heading, before or without "test"
    phrase                   what it is in a sentence, in the singular
    simultaneous             whether its p is corrected in itself, for all pairs of the runs; it is
                             two-sided, and `low` and `high` among its facts are intervals of all
                             differences at once
    default_resamples        how many resamples it draws where nobody says; 0: it draws none
    exact_if_possible        of one that draws: whether it does so only where p cannot be found
                             exactly
    assumes_equal_variances  whether it assumes that the differences of all pairs have one variance
    skewness_limit           where it rejects too often if differences are skewed
    level_of_few_topics      how often it rejects at most, in place of .05, among 3 runs or more on
                             fewer than `VERY_FEW_TOPICS` topics; empty: nothing is known
    moderates_variances      whether the other runs have a part in the p of a pair, by what their
                             variances say
    interval_title           what its own intervals of mean differences are called, which stand
                             beside its p where t intervals are asked for; empty: t's
    difference_intervals     those intervals, of `alpha` and `tail`; None: t's
    counts_signs             whether p counts signs of differences: it is no less than 2 / 2^n
                             (one-sided 1 / 2^n) of n topics that differ
    question                 what it asks; empty: whether the means differ
    null_hypothesis          what it assumes; empty: that the two runs of a pair are alike
    caution                  what a reader must know of it
    own_settings             the settings that are for this test alone and stand beside its title
    """

    compute: TestFunction
    title: str
    phrase: str
    simultaneous: bool = False
    default_resamples: int = 0
    exact_if_possible: bool = False
    assumes_equal_variances: bool = False
    skewness_limit: SkewnessLimit = "none"
    level_of_few_topics: str = ""
    moderates_variances: bool = False
    interval_title: str = ""
    difference_intervals: TestIntervals | None = None
    counts_signs: bool = False
    question: str = ""
    null_hypothesis: str = ""
    caution: str = ""
    own_settings: tuple[str, ...] = ()


TESTS: dict[str, Test] = {}
"""The tests by what options call them, in the order in which they are listed."""


def _define_test(
    name: str, title: str, phrase: str, **facts: Any
) -> Callable[[TestFunction], TestFunction]:
    """Enter the function below as a test."""

    def enter(compute: TestFunction) -> TestFunction:
        TESTS[name] = Test(compute, title, phrase, **facts)
        return compute

    return enter


def _moderated_intervals(
    score_matrix: TopicsByRuns, pairs: RunPairs, settings: InferenceSettings
) -> Intervals:
    level = 1 - settings.alpha
    result = moderated_t(score_matrix, pairs, tail=settings.tail, level=level, df=settings.df)
    return intervals_of_t(result, result.moderation.df)


@_define_test(
    "moderated", "moderated paired t", "moderated paired t test (Smyth 2004)",
    moderates_variances=True,
    skewness_limit="few topics and runs", level_of_few_topics=".12", interval_title="moderated t",
    difference_intervals=_moderated_intervals,
)  # fmt: skip
def _moderated_p_values(
    score_matrix: TopicsByRuns, pairs: RunPairs, settings: InferenceSettings
) -> PValues:
    result = moderated_t(score_matrix, pairs, tail=settings.tail, df=settings.df)
    if not result.moderation.d0:
        plain = _t_p_values(score_matrix, pairs, settings)
        num_runs = score_matrix.shape[1]
        return replace(plain, done="t", reason=result.moderation.reason_for_plain_t(num_runs))
    facts = {
        "s_moderated": result.sd_moderated.tolist(),
        "t": result.t.tolist(),
        "df": [result.moderation.df] * len(pairs),
    }
    return PValues(result.p, result.p, facts, moderation=result.moderation)


@_define_test(
    "t", "paired t", "paired t test", skewness_limit="few topics", level_of_few_topics=".21",
)  # fmt: skip
def _t_p_values(
    score_matrix: TopicsByRuns, pairs: RunPairs, settings: InferenceSettings
) -> PValues:
    result = paired_t(score_matrix, pairs, tail=settings.tail, df=settings.df)
    facts = {"t": result.t.tolist(), "df": [result.df] * len(pairs)}
    return PValues(result.p, result.p, facts)


@_define_test(
    "permutation", "paired permutation test", "paired permutation test",
    default_resamples=100_000, exact_if_possible=True, counts_signs=True,
    skewness_limit="few topics",
)  # fmt: skip
def _permutation_p_values(
    score_matrix: TopicsByRuns, pairs: RunPairs, settings: InferenceSettings
) -> PValues:
    return _resampled_p_values(
        permutation_test(
            score_matrix,
            pairs,
            tail=settings.tail,
            num_resamples=settings.num_resamples,
            seed=settings.seed,
            threads=settings.threads,
        )
    )


@_define_test(
    "wilcoxon", "Wilcoxon signed rank", "Wilcoxon signed rank test", counts_signs=True,
    question="whether differences are symmetric about 0", own_settings=("zeros",),
)  # fmt: skip
def _wilcoxon_p_values(
    score_matrix: TopicsByRuns, pairs: RunPairs, settings: InferenceSettings
) -> PValues:
    result = wilcoxon(
        score_matrix, pairs, zeros=settings.zeros, tail=settings.tail, threads=settings.threads
    )
    facts = {
        "w_plus": result.positive.tolist(),
        "w_minus": result.negative.tolist(),
        "zeros": result.zeros.tolist(),
    }
    how = "exact" if result.exact else "asymptotic"
    return PValues(result.p, result.p, facts, [how] * len(pairs))


@_define_test(
    "sign", "sign", "sign test", counts_signs=True,
    question="whether a run wins as many topics as it loses",
)  # fmt: skip
def _sign_p_values(
    score_matrix: TopicsByRuns, pairs: RunPairs, settings: InferenceSettings
) -> PValues:
    p = sign_test(score_matrix, pairs, min_diff=settings.min_diff, tail=settings.tail).p
    return PValues(p, p)


def _bootstrap_p_values(
    statistic: Statistic, score_matrix: TopicsByRuns, pairs: RunPairs, settings: InferenceSettings
) -> PValues:
    return _resampled_p_values(
        bootstrap_test(
            score_matrix,
            pairs,
            statistic=statistic,
            tail=settings.tail,
            num_resamples=settings.num_resamples,
            seed=settings.seed,
            threads=settings.threads,
        )
    )


_define_test(
    "bootstrap", "paired bootstrap, shifted and studentised (Sakai 2006)",
    "paired bootstrap test (Sakai 2006)", default_resamples=10_000,
)(partial(_bootstrap_p_values, "studentised"))  # fmt: skip
_define_test(
    "bootstrap-mean", "paired bootstrap of means, shifted (Smucker et al. 2007)",
    "paired bootstrap test of means (Smucker et al. 2007)", default_resamples=10_000,
    caution="not studentised: it rejects too often where topics are few",
)(partial(_bootstrap_p_values, "mean"))  # fmt: skip


def _resampled_p_values(result: ResampledTest) -> PValues:
    facts = {
        "count": result.count.tolist(),
        "resamples": result.resamples.tolist(),
        "error": result.error.tolist(),
        "asl": result.asl.tolist(),
    }
    words = dict.fromkeys(("lattice", "listed", "identical", "constant"), "exact")
    return PValues(result.p, result.p, facts, [words.get(how, how) for how in result.method])


@_define_test(
    "hsd", "Tukey HSD of two-way data (topics and runs)", "Tukey HSD for paired topics",
    simultaneous=True, assumes_equal_variances=True, skewness_limit="few topics",
)  # fmt: skip
def _hsd_p_values(
    score_matrix: TopicsByRuns, pairs: RunPairs, settings: InferenceSettings
) -> PValues:
    result = tukey_hsd(score_matrix, pairs, settings.alpha)
    facts = {"q": result.q.tolist(), "low": result.low.tolist(), "high": result.high.tolist()}
    p = np.minimum(1.0, result.p)
    constant = np.isinf(result.q)
    if constant.any():
        # no difference of any pair varies: the p of the sign flips, for all pairs at once
        num_topics, num_runs = score_matrix.shape
        flips = same_difference_p_values(result.difference, num_topics, "two-sided")
        num_pairs = num_runs * (num_runs - 1) // 2
        p = np.where(constant, np.minimum(1.0, num_pairs * flips), p)
    return PValues(None, p, facts)


@_define_test(
    "rthsd", "randomised Tukey HSD", "randomised Tukey HSD", simultaneous=True,
    default_resamples=10_000, assumes_equal_variances=True, skewness_limit="few topics",
    null_hypothesis="that all runs are equal",
    caution="not studentised: one poor run hides differences between the others",
)  # fmt: skip
def _rthsd_p_values(
    score_matrix: TopicsByRuns, pairs: RunPairs, settings: InferenceSettings
) -> PValues:
    num_resamples = settings.num_resamples
    result = randomised_hsd(
        score_matrix,
        pairs,
        num_resamples=num_resamples,
        seed=settings.seed,
        threads=settings.threads or default_threads(),
    )
    critical = result.critical(settings.alpha)
    facts = {
        "low": (result.difference - critical).tolist(),
        "high": (result.difference + critical).tolist(),
        "count": result.count.tolist(),
        "resamples": [num_resamples] * len(pairs),
        "error": np.sqrt(result.p * (1 - result.p) / num_resamples).tolist(),
        "asl": result.asl.tolist(),
    }
    # of the same difference on every topic no more can be learned than from the sign flips
    differences = mean_and_sd_of_differences(score_matrix, pairs)
    flips = same_difference_p_values(differences.mean, differences.num_topics, "two-sided")
    p = np.where(differences.constant, np.maximum(result.p, flips), result.p)
    return PValues(None, p, facts, ["Monte Carlo"] * len(pairs))


DEFAULT_TEST = "moderated"
"""The test of every job that compares runs, where nobody names one."""

TESTS_OF_MEANS = tuple(
    name
    for name, test in TESTS.items()
    if not (test.simultaneous or test.question or test.moderates_variances)
)
"""The tests of the mean difference of a pair that need no other run."""


# --- What is said of tests that were done ---


VERY_FEW_TOPICS, LEAST_RUNS_OF_FEW_TOPICS = 10, 3
"""With fewer topics t tests among so many runs or more reject too often, be differences skewed or
not (docs/evidence/statistics.md); of two runs the t test does not."""


def few_topics_warnings(
    score_matrix: TopicsByRuns, pairs: RunPairs, test_names: Sequence[str]
) -> Iterator[str]:
    """What to tell of tests that were done on few topics: how often they reject, or may."""
    num_topics, num_runs = score_matrix.shape
    levels = {name: TESTS[name].level_of_few_topics for name in test_names}
    if num_topics >= VERY_FEW_TOPICS or num_runs < LEAST_RUNS_OF_FEW_TOPICS:
        levels = {}
    for name, level in levels.items():
        if level:
            yield (
                f"{num_topics} topics are few; the {TESTS[name].phrase} rejects too often: in up "
                f"to {float(level):.0%} of simulations without a difference, at alpha 0.05"
            )
    limits = {name: TESTS[name].skewness_limit for name in test_names if not levels.get(name)}
    yield from skewness_warnings(score_matrix, pairs, limits)


FEW_TOPICS = 100
"""With as many topics as this, or more, tests were seen to hold (docs/evidence/statistics.md)."""

FEW_PAIRS = 3
"""The skewness of fewer pairs says little."""

SKEWED = 0.6
"""Normal differences have a mean |skewness| of 0.45 on 10 topics and 0.25 on 50; those of runs of
TREC-8 have 0.7 and 0.8."""

FEW_TOPICS_OF_FEW_RUNS, FEW_RUNS = 25, 6
"""With fewer topics and fewer runs the moderated t test was seen to reject somewhat too often if
differences are skewed (docs/evidence/statistics.md); with more runs nothing that is seen on a board
says so."""


def skewness_warnings(
    score_matrix: TopicsByRuns, pairs: RunPairs, limits_by_test: Mapping[str, SkewnessLimit]
) -> Iterator[str]:
    """What to tell of tests, if topics are few and differences skewed.

    `limits_by_test`: the tests by name, with where they reject too often.
    """
    num_topics, num_runs = score_matrix.shape
    is_near_limit = {
        "none": False,
        "few topics": True,
        "few topics and runs": num_topics < FEW_TOPICS_OF_FEW_RUNS and num_runs < FEW_RUNS,
    }
    limits = {name: limit for name, limit in limits_by_test.items() if is_near_limit[limit]}
    if not limits or num_topics >= FEW_TOPICS or len(pairs) < FEW_PAIRS:
        return
    skewness = mean_skewness(score_matrix, pairs)
    if skewness <= SKEWED:
        return
    skewed = f"the differences of runs are skewed (mean absolute skewness {skewness:.2f})"
    test_names = [name for name, limit in limits.items() if limit == "few topics"]
    if test_names:
        yield (
            f"{skewed}: with {num_topics} topics {full_list(test_names)} may reject too often; "
            "--test bootstrap is safer"
        )
    if "few topics and runs" in limits.values():
        yield (
            f"{skewed}; moderated t may reject somewhat too often: in 6% to 9% of simulations "
            "without a difference, at alpha 0.05"
        )


def mean_skewness(score_matrix: TopicsByRuns, pairs: RunPairs) -> float:
    """The mean over pairs of |skewness| of the differences; 0 of a pair that does not vary.

    Skewness is m3 / m2^1.5, m2 and m3 being the second and third central moments.
    """
    total = 0.0
    for _, block in difference_blocks(score_matrix, pairs):
        centred = block - block.mean(axis=1, keepdims=True)
        square, cube = (centred**2).mean(axis=1), (centred**3).mean(axis=1)
        total += float(np.abs(ratio(cube, square**1.5)).sum())
    return total / len(pairs)


class DoneTest(NamedTuple):
    """The name of a test that was done, and the measure (and class) that it was done on.

    reason  why it was done, where it is another than was asked for
    """

    test_name: str
    measure: str
    reason: str = ""


def signed_test(asked_test: str, tests_done: Iterable[DoneTest]) -> str:
    """The name in a signature: of what was asked for, if it was done on any measure."""
    names = [each.test_name for each in tests_done]
    return asked_test if asked_test in names else names[0]


def reasons_of_other_tests(tests_done: Sequence[DoneTest]) -> Iterator[str]:
    """Why another test was done than was asked for, with its measures where these differ."""
    measures_by_reason: dict[str, list[str]] = {}
    for each in tests_done:
        measures_by_reason.setdefault(each.reason, []).append(each.measure)
    for reason, measures in measures_by_reason.items():
        if reason:
            is_of_all = len(measures_by_reason) == 1
            yield reason if is_of_all else f"{', '.join(measures)}: {reason}"


def tests_done_text(tests_done: Sequence[DoneTest], form: Literal["title", "phrase"]) -> str:
    """What the tests that were done are called, each with its measures where these differ."""
    measures_by_test: dict[str, list[str]] = {}
    for each in tests_done:
        measures_by_test.setdefault(each.test_name, []).append(each.measure)
    words = {name: str(getattr(TESTS[name], form)) for name in measures_by_test}
    if len(words) == 1:
        return "".join(words.values())
    return " and ".join(
        f"{words[name]} for {', '.join(measures)}" for name, measures in measures_by_test.items()
    )


# --- Corrections for several hypotheses, and how many resamples these need ---


class Correction(NamedTuple):
    """What is done about the number of hypotheses.

    title       what it is called in a heading
    phrase      and in a sentence
    function    float64[m] corrected p for float64[m] p; None: it needs more than these
    strictness  how many times below alpha the smallest of m p must be where it alone is to be
                significant
    familywise  whether the chance of any false rejection is at most alpha: all hypotheses rejected,
                and what follows from them, hold at once
    steps_down  of a familywise one: whether it steps down, so that it may reject where Bonferroni's
                intervals, which go with it, hold 0
    only_test   the only test that it corrects; empty: any that is not corrected in itself
    """

    title: str
    phrase: str
    function: Callable[[Floats], Floats] | None
    strictness: Callable[[int], float] = float
    familywise: bool = False
    steps_down: bool = False
    only_test: str = ""


CORRECTIONS: dict[str, Correction] = {
    "none": Correction("not corrected", "no correction", lambda p: p, lambda _: 1.0),
    "bonferroni": Correction(
        "corrected by Bonferroni", "Bonferroni's correction", bonferroni,
        familywise=True,
    ),
    "holm": Correction(
        "corrected by Holm", "Holm's correction", holm, familywise=True,
        steps_down=True,
    ),
    "bh": Correction(
        "corrected by Benjamini-Hochberg (false discovery rate)",
        "Benjamini and Hochberg's correction", benjamini_hochberg,
    ),
    "by": Correction(
        "corrected by Benjamini-Yekutieli (false discovery rate)",
        "Benjamini and Yekutieli's correction", benjamini_yekutieli,
        lambda m: m * float(np.cumsum(1 / np.arange(1, m + 1))[-1]),
    ),
    "maxt": Correction(
        "corrected by step-down maxT", "step-down maxT", None, lambda _: 1.0, familywise=True,
        steps_down=True, only_test="permutation",
    ),
}  # fmt: skip
"""The corrections by what options call them, in the order in which they are listed."""

CORRECTIONS_OF_P = tuple(name for name, correction in CORRECTIONS.items() if correction.function)
"""The corrections that are functions of p alone."""


def correct_p(p_values: Floats, correction_name: str) -> Floats:
    """float64[m]: p-values corrected by one of `CORRECTIONS_OF_P`."""
    function = CORRECTIONS[correction_name].function
    assert function is not None  # noqa: S101 - those of OF_P have one
    return function(p_values)


def num_resamples_needed(
    test_name: str, correction_name: str, num_hypotheses: int, alpha: float
) -> int:
    """How many resamples let a test reject a single one among so many hypotheses.

    The smallest p is 1 / (B + 1). Bonferroni and Holm reject none unless one is at most
    alpha / hypotheses, so B must be at least hypotheses / alpha - 1; and so for other corrections.
    """
    times = (
        1.0
        if TESTS[test_name].simultaneous
        else CORRECTIONS[correction_name].strictness(num_hypotheses)
    )
    # a quotient such as 105 / 0.05 may lie a last bit above a whole number
    return max(1, math.ceil(max(1, math.ceil(times)) / alpha * (1 - 1e-12)) - 1)


def num_resamples_of(
    test_name: str,
    correction_name: str,
    num_hypotheses: int,
    alpha: float,
    requested: int | None = None,
) -> int:
    """How many resamples a test draws; 0 if it draws none.

    Those that were asked for; else as many as its record says, or as are needed.
    """
    by_default = TESTS[test_name].default_resamples
    if not by_default:
        return 0
    return requested or max(
        by_default, num_resamples_needed(test_name, correction_name, num_hypotheses, alpha)
    )


def default_draws_text(test_names: Iterable[str] = TESTS) -> str:
    """How many resamples tests draw by default: `100000 for permutation, 10000 for bootstrap`."""
    names_by_draws: dict[int, list[str]] = {}
    for name in test_names:
        names_by_draws.setdefault(TESTS[name].default_resamples, []).append(name)
    return ", ".join(
        f"{draws} for {full_list(names)}" for draws, names in names_by_draws.items() if draws
    )


# --- Intervals of means, and of the mean differences that stand beside the p of a test ---


class IntervalMethod(NamedTuple):
    """An interval for a mean.

    compute            the means of float64[T, S] scores, or of the differences of pairs, with their
                       intervals
    title              its name in a heading
    phrase             what its ends are, before "B resamples ..." where it draws
    default_resamples  how many resamples it draws where nobody says; 0: it draws none
    difference_title   the name of the interval of differences beside it, where that is another
    may_be_endless     whether an end may be infinite
    needs_scipy        whether it cannot be computed without scipy
    """

    compute: Callable[[TopicsByRuns, RunPairs | None, InferenceSettings], Intervals]
    title: str
    phrase: str
    default_resamples: int = 0
    difference_title: str = ""
    may_be_endless: bool = False
    needs_scipy: bool = False


def _t_interval(
    score_matrix: TopicsByRuns, pairs: RunPairs | None, settings: InferenceSettings
) -> Intervals:
    level = 1 - settings.alpha
    if pairs is None:
        return mean_intervals(score_matrix, level=level, df=settings.df)
    result = paired_t(score_matrix, pairs, tail=settings.tail, level=level, df=settings.df)
    return intervals_of_t(result, result.df)


def _skewness_corrected_interval(
    score_matrix: TopicsByRuns, pairs: RunPairs | None, settings: InferenceSettings
) -> Intervals:
    """Of means; differences are less skewed, and their interval is that of t."""
    if pairs is not None:
        return _t_interval(score_matrix, pairs, settings)
    return skewness_corrected_intervals(score_matrix, level=1 - settings.alpha, df=settings.df)


def _bootstrap_interval(
    kind: BootstrapKind,
    score_matrix: TopicsByRuns,
    pairs: RunPairs | None,
    settings: InferenceSettings,
) -> Intervals:
    return bootstrap_intervals(
        score_matrix,
        pairs,
        kind=kind,
        level=1 - settings.alpha,
        num_resamples=settings.num_resamples,
        seed=settings.seed,
        threads=settings.threads,
        df=settings.df,
    )


INTERVALS: dict[str, IntervalMethod] = {
    "t": IntervalMethod(_t_interval, "t", "t", needs_scipy=True),
    "hall": IntervalMethod(
        _skewness_corrected_interval, "skewness-corrected (Hall 1992)",
        "skewness-corrected (Hall 1992)", difference_title="t", needs_scipy=True,
    ),
    "percentile": IntervalMethod(
        partial(_bootstrap_interval, "percentile"), "bootstrap (percentile)", "percentiles of",
        10_000,
    ),
    "bca": IntervalMethod(
        partial(_bootstrap_interval, "bca"), "bootstrap (BCa)", "BCa percentiles of", 10_000,
        needs_scipy=True,
    ),
    "bootstrap-t": IntervalMethod(
        partial(_bootstrap_interval, "bootstrap-t"), "bootstrap-t", "bootstrap-t of", 10_000,
        may_be_endless=True,
    ),
}  # fmt: skip
"""The intervals by what options call them."""


def difference_intervals(
    test: Test,
    interval: IntervalMethod,
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    settings: InferenceSettings,
    width: float,
) -> Intervals:
    """The mean differences of pairs with intervals, of the level and the tail of the settings.

    Those by resampling where the interval of means is such; else the test's own, or t's. Where the
    test is one-sided, so are they: one end is infinite. `width`: of the range of the measure.
    """
    if not interval.default_resamples:
        compute = test.difference_intervals or INTERVALS["t"].compute
        intervals = compute(score_matrix, pairs, settings)
    elif settings.tail == "two-sided":
        intervals = interval.compute(score_matrix, pairs, settings)
    else:
        one_sided = settings._replace(alpha=2 * settings.alpha)
        intervals = interval.compute(score_matrix, pairs, one_sided)
        endless = np.full(len(pairs), np.inf)
        low, high = intervals.low, endless
        if settings.tail == "less":
            low, high = -endless, intervals.high
        intervals = replace(intervals, level=1 - settings.alpha, low=low, high=high)
    return fit_to_range(intervals, -width, width)


def simultaneous_intervals(
    mean: PairValues, result: PValues, alpha: float, num_topics: float, num_pairs: int, width: float
) -> Intervals:
    """The intervals of a test that has its own of all pairs of the runs at once.

    Those that are points, since no difference of any pair varied, become exact ones, each of level
    1 - alpha / `num_pairs`. The others are as the test has them.
    """
    low, high = (np.array(result.facts[end]) for end in ("low", "high"))
    is_constant = (low == high) & (mean != 0)
    intervals = Intervals(mean, low, high, 1 - alpha / num_pairs, num_topics, is_constant)
    exact = fit_to_range(intervals, -width, width)
    return replace(
        intervals,
        low=np.where(is_constant, exact.low, low),
        high=np.where(is_constant, exact.high, high),
    )


def difference_interval_title(tests_done: Sequence[DoneTest], interval: IntervalMethod) -> str:
    """What the intervals of differences beside these tests are called.

    Those of each test, if it has its own and the interval of means draws nothing.
    """
    title = interval.difference_title or interval.title
    if interval.default_resamples:
        return title
    return " or ".join(
        dict.fromkeys(TESTS[each.test_name].interval_title or title for each in tests_done)
    )
