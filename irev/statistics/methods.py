"""The tests of significance, the corrections and the intervals: one record for each.

Commands offer, explain and run the records below, and know no test by name otherwise. What a record
calls is imported when it is called, so that a command's help loads none of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from irev.core.record import record
from irev.core.wording import every

if TYPE_CHECKING:
    from irev.core.arrays import Floats
    from irev.statistics.bootstrap import Statistic
    from irev.statistics.differences import RunPairs
    from irev.statistics.intervals import BootstrapKind, Intervals
    from irev.statistics.resampling import ResampledTest

    Run: TypeAlias = Callable[[Floats, RunPairs, "InferenceSettings"], "PValues"]
    Correct: TypeAlias = Callable[[Floats], Floats]

Tail: TypeAlias = Literal["two-sided", "greater", "less"]
"""The alternative: the first run differs from the second, is better, or is worse."""

Zeros: TypeAlias = Literal["pratt", "wilcox", "zsplit"]
"""Topics without a difference are ranked and then left out (Pratt 1959), left out before (Wilcoxon
1945), or ranked and given half to each side."""


class InferenceSettings(NamedTuple):
    """What the outcome of a test or an interval depends on, besides scores and pairs.

    tail       the alternative: "greater" says the first run's scores are higher
    alpha      the level
    resamples  how many are drawn, by what draws
    seed       of the draws
    threads    how many work; no result depends on it
    min_diff   differences up to this are ties for the sign test
    zeros      what becomes of equal scores in the Wilcoxon test
    df         degrees of freedom of t; None: one less than there are topics
    """

    tail: Tail = "two-sided"
    alpha: float = 0.05
    resamples: int = 10_000
    seed: int = 0
    threads: int | None = None
    min_diff: float = 0.0
    zeros: Zeros = "pratt"
    df: float | None = None


@record
class PValues:
    """What a test found for P pairs.

    p          float64[P]: not corrected; None of a test that is corrected in itself
    corrected  float64[P]: corrected for the number of hypotheses; p where nothing is yet
    facts      further values by name, one for each pair, such as `count` and `resamples`
    method     P words: how p was found; empty where there is one way only
    """

    p: Floats | None
    corrected: Floats
    facts: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    method: Sequence[str] = ()


class Test(NamedTuple):
    """A test of the difference of two runs, for many pairs at once.

    run           the result for float64[T, S] scores, P pairs and the settings
    title         its name in a heading, before or without "test"
    phrase        what it is in a sentence, in the singular
    simultaneous  whether its p is corrected in itself, for all pairs of the runs; it is two-sided,
                  and `low` and `high` among its facts are intervals of all differences at once
    draws         how many resamples it draws where nobody says; 0: it draws none
    exact         of one that draws: whether it does so only where p cannot be found exactly
    pooled        whether it assumes that the differences of all pairs have one variance
    symmetric     whether it rejects too often where topics are few and differences are skewed
    signs         whether p counts signs of differences: it is no less than 2 / 2^n (one-sided
                  1 / 2^n) of n topics that differ
    question      what it asks; empty: whether the means differ
    null          what it assumes; empty: that the two runs of a pair are alike
    caution       what a reader must know of it
    own           the settings that are for this test alone and stand beside its title
    """

    run: Run
    title: str
    phrase: str
    simultaneous: bool = False
    draws: int = 0
    exact: bool = False
    pooled: bool = False
    symmetric: bool = False
    signs: bool = False
    question: str = ""
    null: str = ""
    caution: str = ""
    own: tuple[str, ...] = ()


TESTS: dict[str, Test] = {}
"""The tests by what options call them, in the order in which they are listed."""


def _test(name: str, title: str, phrase: str, **facts: Any) -> Callable[[Run], Run]:
    """Enter the function below as a test."""

    def enter(run: Run) -> Run:
        TESTS[name] = Test(run, title, phrase, **facts)
        return run

    return enter


@_test("t", "paired t", "paired t test", symmetric=True)
def _t(scores: Floats, family: RunPairs, settings: InferenceSettings) -> PValues:
    from irev.statistics.t_tests import paired_t

    found = paired_t(scores, family, tail=settings.tail, df=settings.df)
    facts = {"t": found.t.tolist(), "df": [found.df] * len(family)}
    return PValues(found.p, found.p, facts)


@_test(
    "permutation", "permutation of the two runs of a topic", "paired permutation test",
    draws=100_000, exact=True, signs=True, symmetric=True,
)  # fmt: skip
def _permutation(scores: Floats, family: RunPairs, settings: InferenceSettings) -> PValues:
    from irev.statistics.permutation import permutation_test

    return _of_resampled(
        permutation_test(
            scores, family, tail=settings.tail, resamples=settings.resamples, seed=settings.seed,
            threads=settings.threads,
        )
    )  # fmt: skip


@_test(
    "wilcoxon", "Wilcoxon signed rank", "Wilcoxon signed rank test", signs=True,
    question="whether differences are symmetric about 0", own=("zeros",),
)  # fmt: skip
def _wilcoxon(scores: Floats, family: RunPairs, settings: InferenceSettings) -> PValues:
    from irev.statistics.ranks_and_signs import wilcoxon

    found = wilcoxon(
        scores, family, zeros=settings.zeros, tail=settings.tail, threads=settings.threads
    )
    facts = {
        "w_plus": found.positive.tolist(),
        "w_minus": found.negative.tolist(),
        "zeros": found.zeros.tolist(),
    }
    how = "exact" if found.exact else "asymptotic"
    return PValues(found.p, found.p, facts, [how] * len(family))


@_test("sign", "sign", "sign test", signs=True, question="whether a topic is as often won as lost")
def _sign(scores: Floats, family: RunPairs, settings: InferenceSettings) -> PValues:
    from irev.statistics.ranks_and_signs import sign_test

    p = sign_test(scores, family, min_diff=settings.min_diff, tail=settings.tail).p
    return PValues(p, p)


@_test(
    "bootstrap", "paired bootstrap, shifted and studentised (Sakai 2006)",
    "paired bootstrap test (Sakai 2006)", draws=10_000,
)  # fmt: skip
def _bootstrap(scores: Floats, family: RunPairs, settings: InferenceSettings) -> PValues:
    return _of_bootstrap(scores, family, settings, "studentised")


@_test(
    "bootstrap-mean", "paired bootstrap of means, shifted (Smucker et al. 2007)",
    "paired bootstrap test of means (Smucker et al. 2007)", draws=10_000,
    caution="not studentised: it rejects too often where topics are few",
)  # fmt: skip
def _bootstrap_mean(scores: Floats, family: RunPairs, settings: InferenceSettings) -> PValues:
    return _of_bootstrap(scores, family, settings, "mean")


def _of_bootstrap(
    scores: Floats, family: RunPairs, settings: InferenceSettings, statistic: Statistic
) -> PValues:
    from irev.statistics.bootstrap import bootstrap_test

    return _of_resampled(
        bootstrap_test(
            scores, family, statistic=statistic, tail=settings.tail,
            resamples=settings.resamples, seed=settings.seed, threads=settings.threads,
        )
    )  # fmt: skip


def _of_resampled(found: ResampledTest) -> PValues:
    facts = {
        "count": found.count.tolist(),
        "resamples": found.resamples.tolist(),
        "error": found.error.tolist(),
        "asl": found.asl.tolist(),
    }
    words = {"lattice": "exact", "listed": "exact", "identical": "exact"}
    return PValues(found.p, found.p, facts, [words.get(how, how) for how in found.method])


@_test(
    "hsd", "Tukey HSD of two-way data (topics and runs)", "Tukey HSD for paired topics",
    simultaneous=True, pooled=True, symmetric=True,
)  # fmt: skip
def _hsd(scores: Floats, family: RunPairs, settings: InferenceSettings) -> PValues:
    import numpy as np

    from irev.statistics.hsd import tukey_hsd

    found = tukey_hsd(scores, family, settings.alpha)
    facts = {"q": found.q.tolist(), "low": found.low.tolist(), "high": found.high.tolist()}
    return PValues(None, np.minimum(1.0, found.p), facts)


@_test(
    "rthsd", "randomised Tukey HSD", "randomised Tukey HSD", simultaneous=True, draws=10_000,
    pooled=True, symmetric=True, null="that all runs are equal",
    caution="not studentised: one poor run hides differences between the others",
)  # fmt: skip
def _rthsd(scores: Floats, family: RunPairs, settings: InferenceSettings) -> PValues:
    import numpy as np

    from irev.core.workers import default_threads
    from irev.statistics.hsd import randomised_hsd

    resamples = settings.resamples
    found = randomised_hsd(
        scores, family, resamples=resamples, seed=settings.seed,
        threads=settings.threads or default_threads(),
    )  # fmt: skip
    critical = found.critical(settings.alpha)
    facts = {
        "low": (found.difference - critical).tolist(),
        "high": (found.difference + critical).tolist(),
        "count": found.count.tolist(),
        "resamples": [resamples] * len(family),
        "error": np.sqrt(found.p * (1 - found.p) / resamples).tolist(),
        "asl": found.asl.tolist(),
    }
    return PValues(None, found.p, facts, ["Monte Carlo"] * len(family))


TESTS_OF_MEANS = tuple(
    name for name, test in TESTS.items() if not test.simultaneous and not test.question
)
"""The tests of the mean difference of a pair that need no other run."""


class Correction(NamedTuple):
    """What is done about the number of hypotheses.

    title     what it is called in a heading
    phrase    and in a sentence
    function  float64[m] corrected p for float64[m] p; None: it needs more than these
    strict    how many times below alpha the smallest of m p must be where it alone is to be
              significant
    familywise  whether the chance of any false rejection is at most alpha: all hypotheses rejected,
              and what follows from them, hold at once
    steps     of a familywise one: whether it steps down, so that it may reject where Bonferroni's
              intervals, which go with it, hold 0
    test      the only test that it corrects; empty: any that is not corrected in itself
    """

    title: str
    phrase: str
    function: Correct | None
    strict: Callable[[int], float] = float
    familywise: bool = False
    steps: bool = False
    test: str = ""


def _of(name: str) -> Correct:
    """A function of `corrections`."""

    def corrected(p: Floats) -> Floats:
        from irev.statistics import corrections

        found: Floats = getattr(corrections, name)(p)
        return found

    return corrected


def _times_harmonic(hypotheses: int) -> float:
    import numpy as np

    return hypotheses * float(np.cumsum(1 / np.arange(1, hypotheses + 1))[-1])


CORRECTIONS: dict[str, Correction] = {
    "none": Correction("not corrected", "no correction", lambda p: p, lambda _: 1.0),
    "bonferroni": Correction(
        "corrected by Bonferroni", "Bonferroni's correction", _of("bonferroni"), familywise=True
    ),
    "holm": Correction(
        "corrected by Holm", "Holm's correction", _of("holm"), familywise=True, steps=True
    ),
    "bh": Correction(
        "corrected by Benjamini-Hochberg (false discovery rate)",
        "Benjamini and Hochberg's correction", _of("benjamini_hochberg"),
    ),
    "by": Correction(
        "corrected by Benjamini-Yekutieli (false discovery rate)",
        "Benjamini and Yekutieli's correction", _of("benjamini_yekutieli"), _times_harmonic,
    ),
    "maxt": Correction(
        "corrected by step-down maxT", "step-down maxT", None, lambda _: 1.0, familywise=True,
        steps=True, test="permutation",
    ),
}  # fmt: skip
"""The corrections by what options call them, in the order in which they are listed."""

CORRECTIONS_OF_P = tuple(name for name, correction in CORRECTIONS.items() if correction.function)
"""The corrections that are functions of p alone."""


def correct_p(p: Floats, correction: str) -> Floats:
    """float64[m]: p-values corrected by one of `CORRECTIONS_OF_P`."""
    function = CORRECTIONS[correction].function
    assert function is not None  # noqa: S101 - those of OF_P have one
    return function(p)


def resamples_needed(test: str, correction: str, hypotheses: int, alpha: float) -> int:
    """How many resamples let a test reject a single one among so many hypotheses.

    The smallest p is 1 / (B + 1). Bonferroni and Holm reject none unless one is at most
    alpha / hypotheses, so B must be at least hypotheses / alpha - 1; and so for other corrections.
    """
    times = 1.0 if TESTS[test].simultaneous else CORRECTIONS[correction].strict(hypotheses)
    # a quotient such as 105 / 0.05 may lie a last bit above a whole number
    return max(1, math.ceil(max(1, math.ceil(times)) / alpha * (1 - 1e-12)) - 1)


def resamples_of(
    test: str, correction: str, hypotheses: int, alpha: float, asked: int | None = None
) -> int:
    """How many resamples a test draws; 0 if it draws none.

    Those that were asked for; else as many as its record says, or as are needed.
    """
    drawn = TESTS[test].draws
    if not drawn:
        return 0
    return asked or max(drawn, resamples_needed(test, correction, hypotheses, alpha))


def default_draws_text(tests: Iterable[str] = TESTS) -> str:
    """How many resamples tests draw by default: `100000 for permutation, 10000 for bootstrap`."""
    by_count: dict[int, list[str]] = {}
    for name in tests:
        by_count.setdefault(TESTS[name].draws, []).append(name)
    return ", ".join(f"{draws} for {every(names)}" for draws, names in by_count.items() if draws)


class Interval(NamedTuple):
    """An interval for a mean.

    run    the means of float64[T, S] scores, or of the differences of pairs, with their intervals
    title  its name in a heading
    phrase what its ends are, before "B resamples ..." where it draws
    draws  how many resamples it draws where nobody says; 0: it draws none
    """

    run: Callable[[Floats, RunPairs | None, InferenceSettings], Intervals]
    title: str
    phrase: str
    draws: int = 0


def _t_interval(scores: Floats, family: RunPairs | None, settings: InferenceSettings) -> Intervals:
    from irev.statistics.intervals import Intervals, mean_intervals
    from irev.statistics.t_tests import paired_t

    level = 1 - settings.alpha
    if family is None:
        return mean_intervals(scores, level=level, df=settings.df)
    found = paired_t(scores, family, tail=settings.tail, level=level, df=settings.df)
    return Intervals(found.mean, found.low, found.high, level)


def _drawn(
    kind: BootstrapKind,
) -> Callable[[Floats, RunPairs | None, InferenceSettings], Intervals]:
    def interval(scores: Floats, family: RunPairs | None, settings: InferenceSettings) -> Intervals:
        from irev.statistics.intervals import bootstrap_intervals

        return bootstrap_intervals(
            scores, family, kind=kind, level=1 - settings.alpha, resamples=settings.resamples,
            seed=settings.seed, threads=settings.threads,
        )  # fmt: skip

    return interval


INTERVALS: dict[str, Interval] = {
    "t": Interval(_t_interval, "t", "t"),
    "percentile": Interval(
        _drawn("percentile"), "bootstrap (percentile)", "percentiles of", draws=10_000
    ),
    "bca": Interval(_drawn("bca"), "bootstrap (BCa)", "BCa percentiles of", draws=10_000),
    "bootstrap-t": Interval(_drawn("bootstrap-t"), "bootstrap-t", "bootstrap-t of", draws=10_000),
}
"""The intervals by what options call them."""
