"""The moderated t test once more, from its formulas and with the standard library alone."""

import math
from itertools import combinations


def _series(x, start, terms):
    """A sum over x, x + 1, ... until the rest is given by an asymptotic series."""
    total = 0.0
    while x < 30:
        total += start(x)
        x += 1
    return total + terms(x)


def digamma(x):
    return _series(
        x,
        lambda x: -1 / x,
        lambda x: math.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6),
    )


def trigamma(x):
    return _series(
        x,
        lambda x: 1 / x**2,
        lambda x: (
            1 / x + 1 / (2 * x**2) + 1 / (6 * x**3) - 1 / (30 * x**5) + 1 / (42 * x**7)
            - 1 / (30 * x**9)
        ),
    )  # fmt: skip


def inverse_trigamma(value):
    """By bisection: trigamma falls from infinity to 0."""
    low, high = math.log(1e-9), math.log(1e12)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if trigamma(math.exp(middle)) > value else (low, middle)
    return math.exp(low)


def t_tail(t, df):
    """P(T > t), by Simpson's rule over the angle atan(T / sqrt(df))."""
    if math.isinf(t):
        return float(t < 0)
    steps, start = 20_000, math.atan(t / math.sqrt(df))
    width = (math.pi / 2 - start) / steps

    def density(step):
        cosine = math.cos(start + step * width) if step < steps else 0.0
        return max(cosine, 0.0) ** (df - 1)

    total = density(0) + density(steps)
    total += sum((4 if step % 2 else 2) * density(step) for step in range(1, steps))
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi)
    return scale * total * width / 3


def usual_variance(variances, d):
    """(d0, s0 squared)."""
    ordered, n = sorted(variances), len(variances)
    median = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    x = [max(variance, 1e-5 * median) for variance in variances]
    e = [math.log(v) - digamma(d / 2) + math.log(d / 2) for v in x]
    mean = sum(e) / n
    excess = sum((v - mean) ** 2 for v in e) / (n - 1) - trigamma(d / 2)
    if excess <= 0:
        return math.inf, sum(x) / n
    d0 = 2 * inverse_trigamma(excess)
    return d0, math.exp(mean + digamma(d0 / 2) - math.log(d0 / 2))


def plain_moderated_t(scores_by_run):
    """{(i, j): (t, df, p)} of runs, each a list of scores by topic."""
    num_topics = len(scores_by_run[0])
    d, pairs = num_topics - 1, list(combinations(range(len(scores_by_run)), 2))
    gaps = {
        (i, j): [
            0.0 if abs(x - y) < 1e-12 else x - y
            for x, y in zip(scores_by_run[i], scores_by_run[j], strict=True)
        ]
        for i, j in pairs
    }
    means = {pair: sum(gap) / num_topics for pair, gap in gaps.items()}
    variances = {}
    for pair, gap in gaps.items():
        variance = sum((x - means[pair]) ** 2 for x in gap) / d
        variances[pair] = variance if math.sqrt(variance) > 1e-12 else 0.0
    copies = {j for (i, j) in pairs if not any(gaps[i, j])}
    distinct = [run for run in range(len(scores_by_run)) if run not in copies]
    usable = [variances[pair] for pair in combinations(distinct, 2) if variances[pair]]
    d0, s0_squared = usual_variance(usable, d) if len(usable) >= 3 else (0.0, 0.0)
    df = min(d0 + d, (len(distinct) - 1) * d) if d0 else d
    outcome = {}
    for pair in pairs:
        if math.isinf(d0):
            variance = s0_squared
        else:
            variance = (d0 * s0_squared + d * variances[pair]) / (d0 + d)
        mean = means[pair]
        if not any(gaps[pair]):
            outcome[pair] = 0.0, df, 1.0
            continue
        t = mean / math.sqrt(variance / num_topics) if variance else math.copysign(math.inf, mean)
        outcome[pair] = t, df, min(1.0, 2 * t_tail(abs(t), df))
    return outcome
