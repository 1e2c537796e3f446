"""What scores vary by: the two-way analysis of variance, and how reliable that makes a collection.

Reliability is generalisability theory on a matrix of topics x runs: Bodoff and Li, SIGIR 2007;
Urbano, Marrero and Martin, SIGIR 2013, "On the measurement of test collection reliability"; R. L.
Brennan, Generalizability Theory, Springer 2001.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from irev.core.arrays import Floats, PairValues, TopicsByRuns
from irev.core.record import record
from irev.errors import UsageError
from irev.statistics.differences import (
    SMALLEST,
    RunPairs,
    Tail,
    check_score_matrix,
    scale_of,
    zero_noise,
)

# --- What scores vary by, and how reliable that makes a collection ---


@record
class Decomposition:
    """A matrix of scores decomposed: x[t, s] = mean + topic effect + run effect + residual.

    num_topics, num_runs  T and S
    scale                 what tolerances are relative to
    run_effects           float64[S]: the mean of a run's column less the mean of all scores
    ss_topics             S * sum of the topic effects squared
    ss_runs               T * sum of run_effects squared
    ss_error              sum of the residuals squared; 0 where all of them are rounding errors
    """

    num_topics: int
    num_runs: int
    scale: float
    run_effects: Floats
    ss_topics: float
    ss_runs: float
    ss_error: float

    @property
    def df_error(self) -> int:
        """(S-1)(T-1)."""
        return (self.num_runs - 1) * (self.num_topics - 1)

    @property
    def ms_error(self) -> float:
        """The residual variance, ss_error / df_error."""
        return self.ss_error / self.df_error


def decompose(score_matrix: TopicsByRuns) -> Decomposition:
    """The parts of float64[T, S] scores, without any test."""
    check_score_matrix(score_matrix)
    num_topics, num_runs = score_matrix.shape
    if num_runs < 2:
        raise UsageError("comparing runs needs at least two runs")
    scale = scale_of(score_matrix)
    topic_means = _means_of_rows(score_matrix)
    run_means = _means_of_rows(score_matrix.T)
    mean = float(_means_of_rows(topic_means[None])[0])
    topic_effects = zero_noise(topic_means - mean, scale)
    run_effects = zero_noise(run_means - mean, scale)
    # squares of residuals, not a difference of sums of squares, which would cancel
    residuals = zero_noise(score_matrix - topic_means[:, None] - run_effects, scale)
    ss_topics = num_runs * _sum_of_squares(topic_effects)
    ss_runs = num_topics * _sum_of_squares(run_effects)
    ss_error = _sum_of_squares(residuals.ravel())
    return Decomposition(num_topics, num_runs, scale, run_effects, ss_topics, ss_runs, ss_error)


def mean_differences(decomposition: Decomposition, pairs: RunPairs) -> PairValues:
    """Mean of the first run less mean of the second; 0 where they are equal."""
    differences = decomposition.run_effects[pairs.first] - decomposition.run_effects[pairs.second]
    return zero_noise(differences, decomposition.scale)


def _means_of_rows(rows: Floats) -> Floats:
    """Each row's mean, its sum taken left to right."""
    means: Floats = np.cumsum(rows, axis=1)[:, -1] / rows.shape[1]
    return means


def _sum_of_squares(values: Floats) -> float:
    return float(np.cumsum(values * values)[-1])


@record(eq=True)
class Effect:
    """One line of the table of an analysis of variance: the runs or the topics.

    ss, df, ms       sum of squares, degrees of freedom, ss/df
    f                ms / ms of the error, >= 0; NaN where the error is 0 and this is not
    p                P(F >= f), in (0, 1]; NaN where f is
    partial_omega_2  df (f-1) / (df (f-1) + S T); below 0 where f < 1, NaN where f is
    partial_eta_2    ss / (ss + ss of the error), in [0, 1]
    """

    ss: float
    df: int
    ms: float
    f: float
    p: float
    partial_omega_2: float
    partial_eta_2: float


@record(eq=True)
class TwoWayAnova:
    """The table: what runs and topics explain, and the error."""

    runs: Effect
    topics: Effect
    ss_error: float
    df_error: int
    ms_error: float


def two_way_anova(score_matrix: TopicsByRuns) -> TwoWayAnova:
    """The two-way analysis of variance without replication of scores.

    With x̄_s the mean of a run, x̄_t that of a topic and x̄ that of all T S scores: SS of the runs
    T Σ_s (x̄_s - x̄)², of the topics S Σ_t (x̄_t - x̄)², of the error
    Σ_ts (x_ts - x̄_t - x̄_s + x̄)², with S-1, T-1 and (S-1)(T-1) degrees of freedom;
    F = MS / MS of the error. With two runs F is the square of the paired t.

    Where the error is 0 (every run is another plus a constant), nothing says how much scores vary
    by chance: of an effect F, p and omega are NaN. Where there is no effect, F is 0 and p is 1.

    Source: T. Sakai, Laboratory Experiments in Information Retrieval (2018), ch. 5; partial
    omega squared as in N. Ferro and G. Silvello, SIGIR 2016.
    """
    parts = decompose(score_matrix)
    runs = _effect(parts, parts.ss_runs, parts.num_runs - 1)
    topics = _effect(parts, parts.ss_topics, parts.num_topics - 1)
    return TwoWayAnova(runs, topics, parts.ss_error, parts.df_error, parts.ms_error)


def _effect(decomposition: Decomposition, sum_of_squares: float, df: int) -> Effect:
    from scipy.special import fdtrc

    ms, num_scores = sum_of_squares / df, decomposition.num_runs * decomposition.num_topics
    if sum_of_squares == 0:
        f, p, omega, eta = 0.0, 1.0, -df / (num_scores - df), 0.0
    elif decomposition.ss_error == 0:
        f, p, omega, eta = math.nan, math.nan, math.nan, 1.0
    else:
        f = ms / decomposition.ms_error
        p = max(float(fdtrc(df, decomposition.df_error, f)), SMALLEST)
        gained = df * (f - 1)
        omega = gained / (gained + num_scores)
        eta = sum_of_squares / (sum_of_squares + decomposition.ss_error)
    return Effect(sum_of_squares, df, ms, f, p, omega, eta)


@record(eq=True)
class Components:
    """What the scores of S runs on T topics vary by.

    ms_run, ms_topic, ms_error  the mean squares of the two-way analysis of variance
    run                         variance between runs, (ms_run - ms_error) / T
    topic                       variance between topics, (ms_topic - ms_error) / S
    error                       of runs with topics and the rest, ms_error
    clipped                     a variance was estimated below 0 and is given as 0
    """

    num_topics: int
    num_runs: int
    ms_run: float
    ms_topic: float
    ms_error: float
    run: float
    topic: float
    error: float
    clipped: bool


def variance_components(score_matrix: TopicsByRuns) -> Components:
    """The variance components (the G study) of float64[T, S] scores."""
    parts = decompose(score_matrix)
    num_topics, num_runs, error = parts.num_topics, parts.num_runs, parts.ms_error
    ms_run, ms_topic = parts.ss_runs / (num_runs - 1), parts.ss_topics / (num_topics - 1)
    run, topic = (ms_run - error) / num_topics, (ms_topic - error) / num_runs
    return Components(
        num_topics,
        num_runs,
        ms_run,
        ms_topic,
        error,
        max(run, 0.0),
        max(topic, 0.0),
        error,
        clipped=min(run, topic) < 0,
    )


@record(eq=True)
class Coefficient:
    """A reliability from 0 to 1, NaN where nothing varies, and its interval."""

    value: float
    low: float
    high: float


@record(eq=True)
class Reliability:
    """Of n topics of the same kind.

    erho2  run / (run + error/n), of differences of runs
    phi    run / (run + (topic + error)/n), of the scores themselves
    """

    num_topics: int
    level: float
    erho2: Coefficient
    phi: Coefficient


def reliability(
    components: Components, num_topics: int | None = None, level: float = 0.95
) -> Reliability:
    """E rho^2 and Phi (the D study) of n topics, by default the T that were scored.

    The intervals are Feldt's (1965) for E rho^2 and those of Arteaga, Jeyaratnam and Franklin
    (1982) for Phi, in Brennan's form (2001, section 6.4), cut to 0 and 1.
    """
    num_topics = components.num_topics if num_topics is None else num_topics
    if num_topics < 1 or not 0 < level < 1:
        raise UsageError(f"reliability needs a topic and 0 < level < 1: {num_topics}, {level}")
    chances = ((1 + level) / 2, (1 - level) / 2)
    limits = [_signal_to_noise_limits(components, chance) for chance in chances]
    to_error, to_noise = zip(*limits, strict=True)
    noise = components.topic + components.error
    erho2 = _coefficient(components.error, components, num_topics, to_error)
    phi = _coefficient(noise, components, num_topics, to_noise)
    return Reliability(num_topics, level, erho2, phi)


def num_topics_needed(
    components: Components, target: float = 0.95
) -> tuple[int | None, int | None]:
    """The fewest topics with E rho^2, and with Phi, of at least the target.

    ceil(target noise / (run (1 - target))), noise being error, and topic + error; None where the
    runs do not vary.
    """
    if not 0 < target < 1:
        raise UsageError(f"a reliability to be reached must be between 0 and 1, not {target}")
    if not components.run:
        return None, None
    per_topic = target / (components.run * (1 - target))
    few, many = (
        max(1, math.ceil(noise * per_topic * (1 - 1e-12)))
        for noise in (components.error, components.topic + components.error)
    )
    return few, many


def _coefficient(
    noise: float, components: Components, num_topics: int, signal_to_noise_limits: Sequence[float]
) -> Coefficient:
    """The value for n topics; the limits are those of one topic."""
    both = components.run + noise / num_topics
    if not both:
        return Coefficient(math.nan, math.nan, math.nan)
    ends = []
    for limit in signal_to_noise_limits:
        ratio = num_topics * max(limit, 0.0)
        ends.append(1.0 if ratio == math.inf else ratio / (1 + ratio))
    return Coefficient(components.run / both, *ends)


def _signal_to_noise_limits(components: Components, chance: float) -> tuple[float, float]:
    """The limits of run/error and of run/(topic + error); infinite without noise."""
    df_run, df_topic = components.num_runs - 1, components.num_topics - 1
    endless = _f_quantile(chance, df_run, math.inf)
    to_error = _f_quantile(chance, df_run, df_run * df_topic)
    to_topic = _f_quantile(chance, df_run, df_topic)
    numerator = (
        components.ms_run**2
        - endless * components.ms_run * components.error
        + (endless - to_error) * to_error * components.error**2
    )
    denominator = components.ms_run * (
        df_run * endless * components.error + to_topic * components.ms_topic
    )
    run_to_error = run_to_noise = math.inf
    if components.error:
        error = components.error * to_error
        run_to_error = (components.ms_run / error - 1) / components.num_topics
    if denominator:
        run_to_noise = components.num_runs * numerator / (components.num_topics * denominator)
    return run_to_error, run_to_noise


def _f_quantile(chance: float, numerator_df: int, denominator_df: float) -> float:
    """Of the F distribution; its limit for endless degrees of freedom below."""
    from scipy.stats import chi2, f

    if denominator_df == math.inf:
        return float(chi2.ppf(chance, numerator_df)) / numerator_df
    return float(f.ppf(chance, numerator_df, denominator_df))


# --- How many topics a test collection needs, and what a given number of topics can show ---
# T. Sakai, Information Retrieval Journal 2016, "Topic set size design": a number of topics for the
# paired t test, for an analysis of variance, or for an interval of a given width. It is meant for
# collections to be built, never for adding topics until a difference is significant.


_MOST = 10**9


def power_of_t(
    num_topics: int,
    effect: float,
    alpha: float = 0.05,
    tail: Tail = "two-sided",
    df: float | None = None,
) -> float:
    """The power of the paired t test with n topics: the chance to find an effect that is there.

    With t* = sqrt(n) d_z noncentral t of n-1 degrees of freedom, P(|t*| >= t_(1 - alpha/2)); of a
    one-sided test, P(t* >= t_(1 - alpha)).

    `effect`: d_z, the mean difference divided by the standard deviation of the differences.
    `df`: the degrees of freedom where they are not n - 1.
    """
    from scipy.special import stdtrit

    _check_chances(alpha=alpha)
    if num_topics < 2:
        raise UsageError(f"a t test needs 2 topics or more, not {num_topics}")
    df, shift = num_topics - 1 if df is None else df, math.sqrt(num_topics) * effect
    if tail == "two-sided":
        least = float(stdtrit(df, 1 - alpha / 2))
        return _noncentral_tail(least, df, shift) + _noncentral_tail(least, df, -shift)
    return _noncentral_tail(
        float(stdtrit(df, 1 - alpha)), df, shift if tail == "greater" else -shift
    )


def _noncentral_tail(least: float, df: float, shift: float) -> float:
    """P(t* >= least) for noncentral t*; what has no digits left in a far tail is 0."""
    from scipy.special import nctdtr

    if shift < 0:
        below = float(nctdtr(df, -shift, -least))
        return below if math.isfinite(below) else 0.0
    below = float(nctdtr(df, shift, least))
    return 1 - below if math.isfinite(below) else 1.0


def detectable_difference(
    num_topics: int,
    sd: float,
    alpha: float = 0.05,
    beta: float = 0.2,
    tail: Tail = "two-sided",
    df: float | None = None,
) -> float:
    """The smallest mean difference that a paired t test finds with power 1 - beta; 0 or more.

    `sd`: the standard deviation of the differences. `df`: degrees of freedom; None: n - 1.
    """
    _check_chances(alpha=alpha, beta=beta)
    if alpha >= 1 - beta:
        raise UsageError(f"at alpha {alpha} the power is {1 - beta} even without a difference")
    side: Tail = "two-sided" if tail == "two-sided" else "greater"

    # power rises with the effect: bisection
    low, high = 0.0, 1.0
    while power_of_t(num_topics, high, alpha, side, df) < 1 - beta:
        low, high = high, 2 * high
    while high - low > 1e-13 * max(high, 1.0):
        middle = (low + high) / 2
        is_enough = power_of_t(num_topics, middle, alpha, side, df) >= 1 - beta
        low, high = (low, middle) if is_enough else (middle, high)
    return sd * high


def num_topics_for_t(
    difference: float,
    difference_variance: float,
    alpha: float = 0.05,
    beta: float = 0.2,
    tail: Tail = "two-sided",
) -> int:
    """The fewest topics with which a paired t test finds a mean difference with power 1 - beta.

    `difference`: minD_t, the smallest difference that must be found. `difference_variance`: of the
    differences; without a pilot, twice the variance of a run's scores.
    """
    from scipy.special import ndtri

    _check_chances(alpha=alpha, beta=beta)
    _check_positive(difference=difference, variance=difference_variance)
    effect = difference / math.sqrt(difference_variance)
    side: Tail = "two-sided" if tail == "two-sided" else "greater"
    # as many as the normal distribution asks for, and some more
    deviates = ndtri([1 - alpha / (2 if side == "two-sided" else 1), 1 - beta])
    guess = (deviates.sum() / effect) ** 2 + deviates[0] ** 2 / 2
    return _fewest_topics(
        lambda topics: power_of_t(topics, effect, alpha, side) >= 1 - beta,
        int(min(max(guess, 2), _MOST)),
    )


def num_topics_for_anova(
    num_runs: int, difference: float, score_variance: float, alpha: float = 0.05, beta: float = 0.2
) -> int:
    """The fewest topics with which an analysis of variance of m runs finds a range of means.

    One-way, m(n-1) degrees of freedom of error, in the worst case: two runs a difference D apart,
    the others halfway; noncentrality n D^2 / (2 variance).

    `difference`: minD, between the best and the worst run. `score_variance`: of a run's scores, the
    same for all.
    """
    from scipy.stats import f, ncf

    _check_chances(alpha=alpha, beta=beta)
    _check_positive(difference=difference, variance=score_variance)
    if num_runs < 2:
        raise UsageError(f"an analysis of variance needs 2 runs or more, not {num_runs}")

    def is_enough(topics: int) -> bool:
        df = (num_runs - 1, num_runs * (topics - 1))
        shift = topics * difference**2 / (2 * score_variance)
        return bool(ncf.sf(f.ppf(1 - alpha, *df), *df, shift) >= 1 - beta)

    return _fewest_topics(is_enough)


def num_topics_for_interval(width: float, difference_variance: float, alpha: float = 0.05) -> int:
    """The fewest topics with which the interval of a mean difference is narrow enough.

    2 t_(1 - alpha/2; n-1) E[s] / sqrt(n) <= width, with s the standard deviation of n differences:
    E[s] = sigma sqrt(2/v) Gamma((v+1)/2) / Gamma(v/2), v = n-1.

    `width`: of the whole interval. `difference_variance`: of the differences.
    """
    from scipy.special import gammaln
    from scipy.stats import t

    _check_chances(alpha=alpha)
    _check_positive(width=width, variance=difference_variance)

    def is_enough(topics: int) -> bool:
        df = topics - 1
        log_ratio = float(gammaln((df + 1) / 2) - gammaln(df / 2))
        spread = math.sqrt(difference_variance * 2 / df) * math.exp(log_ratio)
        return bool(2 * t.ppf(1 - alpha / 2, df) * spread / math.sqrt(topics) <= width)

    return _fewest_topics(is_enough)


def pooled_variance(variances: Sequence[float], df: Sequence[int]) -> float:
    """The variance over several collections: each weighed by its degrees of freedom."""
    if not variances or min(df) < 1:
        raise UsageError("pooling variances needs collections of 1 degree of freedom or more")
    return float(np.cumsum(np.multiply(variances, df))[-1]) / sum(df)


def variance_limits(variance: float, df: float, level: float = 0.8) -> tuple[float, float]:
    """The interval of a variance that was estimated with some degrees of freedom, from chi^2.

    Webber, Moffat and Zobel (CIKM 2008) show how little a pilot's variance says: design for both
    limits as well.
    """
    from scipy.special import chdtri

    _check_chances(level=level)
    if df < 1:
        raise UsageError(f"a variance is estimated with 1 degree of freedom or more, not {df}")
    # chdtri takes the chance above
    high, low = chdtri(df, [(1 + level) / 2, (1 - level) / 2]).tolist()
    return df * variance / low, df * variance / high


def _fewest_topics(is_enough: Callable[[int], bool], guess: int = 2) -> int:
    """The smallest number of topics, 2 or more, that is enough, as any larger number is."""
    low, high, step = 1, guess, 1
    if is_enough(guess):
        # 1 is never enough
        while (lower := max(high - step, 1)) > 1 and is_enough(lower):
            high, step = lower, 2 * step
        low = lower
    else:
        while not is_enough(high):
            low, high, step = high, high + step, 2 * step
            if high > _MOST:
                raise UsageError(f"more than {_MOST:,} topics would be needed")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _check_chances(**chances: float) -> None:
    for name, chance in chances.items():
        if not 0 < chance < 1:
            raise UsageError(f"{name} must be between 0 and 1, not {chance}")


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not (value > 0 and math.isfinite(value)):
            raise UsageError(f"the {name} is a positive number, not {value}")
        if not 1e-100 <= value <= 1e100:  # its square is a number, too
            raise UsageError(f"the {name} {value:g} is out of range, 1e-100 to 1e+100")
