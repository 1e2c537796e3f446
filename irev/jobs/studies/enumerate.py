"""All rankings of a few graded documents under several measures, as Kishida compared them.

Kazuaki Kishida, "Property of Average Precision and its Generalization", NII Technical Report
NII-2005-014E (2005), section 4.3, Tables 3-5.
"""

from __future__ import annotations

import math
from builtins import enumerate as numbered
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, column_means
from irev.core.job import measure_job
from irev.errors import UsageError
from irev.jobs.plots.figures import curves_figure, matrix_figure
from irev.jobs.plots.result_parts import add_signature
from irev.jobs.studies.changes import CELLS, Scorer, Stack, counted, falling_scores
from irev.jobs.studies.options.enumerate import EnumerateOptions
from irev.jobs.study_result import StudyResult
from irev.measures.naming.name_lists import measure_names
from irev.options import Options
from irev.statistics.rank_correlation import pearson

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

MOST = 1_000_000
"""How many rankings are enumerated at most."""


def usual_measures(ranks: int) -> tuple[str, ...]:
    """The five measures that the report compares, cut where the rankings end."""
    return (f"MSR@{ranks}", f"AvgNDCG(disc=jk,b=2)@{ranks}", "Q(beta=1)", "genAP", "AP")


def number_of_rankings(present: Sequence[float], ranks: int) -> int:
    """How many different rankings there are: each grade at a rank, or not retrieved.

    For m different grades that is the sum over k of C(m, k) C(n, k) k!; equal ones count once.
    """
    # ways[k]: how many ways k of the documents so far can be chosen and ordered among themselves
    ways = [1]
    for count in Counter(present).values():
        grown = [0] * (len(ways) + count)
        for chosen, number in numbered(ways):
            for more in range(count + 1):
                grown[chosen + more] += number * math.comb(chosen + more, more)
        ways = grown
    return sum(number * math.comb(ranks, chosen) for chosen, number in numbered(ways))


def every_ranking(present: Sequence[float], ranks: int) -> Floats:
    """float64[V, ranks]: all different rankings, highest grades first, none retrieved last."""
    if ranks < 1 or not present or min(present) <= 0:
        raise UsageError("give at least one rank, and grades above 0")
    total = number_of_rankings(present, ranks)
    if total > MOST:
        raise UsageError(f"there are {total} rankings, more than {MOST}: fewer grades or ranks")
    left = Counter({float(grade): count for grade, count in Counter(present).items()})
    row = [0.0] * ranks
    return np.array([list(each) for each in _placed(row, 0, left, sorted(left, reverse=True))])


def _placed(
    row: list[float], rank: int, left: Counter[float], grades: list[float]
) -> Iterator[list[float]]:
    """The ways to go on from a rank, `left` counting the documents that are not placed yet."""
    if rank == len(row):
        yield row
        return
    for grade in grades:
        if left[grade]:
            left[grade] -= 1
            row[rank] = grade
            yield from _placed(row, rank + 1, left, grades)
            left[grade] += 1
    row[rank] = 0.0
    yield from _placed(row, rank + 1, left, grades)


@measure_job(EnumerateOptions)
def enumerate(measures: object = (), *, options: EnumerateOptions) -> StudyResult:
    """Score every ranking of some relevant documents, and compare the measures over them.

    Args:
        measures: names as `irev.evaluate` takes them, of measures on grades; none: those of the
            report (`usual_measures`).
        options: the record `EnumerateOptions`, whose fields are keywords, too.

    Returns:
        Tables `statistics` (Table 3; `sd` divides by the number of rankings less 1), `correlations`
        (Table 4, Pearson; blank where a measure is constant), `picked` and `ratios` (Table 5: each
        picked score over those picked before it, of unrounded scores), `rankings` (every score),
        and `correlation` and `distribution` with their figures.

    Raises:
        UsageError: an option or a measure that makes no sense here.
    """
    options.load_plugins()
    present, ranks, evaluation = options.present, options.ranks, options.part(Options)
    names = measure_names(measures) or usual_measures(ranks)
    scorer = Scorer(names, evaluation, max(present, default=0.0))
    grade = every_ranking(present, ranks)
    patterns = [pattern(row) for row in grade.tolist()]
    values = _values(scorer, grade, present)
    places = [_place(patterns, list(each), present) for each in options.picked_rankings()]
    tables = _tables(scorer.names, patterns, values, places)
    shown = ["statistics", "correlations", *(["picked"] if places else [])]
    shown += ["ratios"] if len(places) > 1 else []
    parameters = {
        "grades present": list(present), "ranks": ranks, "rankings": len(patterns),
        "measures": list(scorer.names), "picked": [patterns[place] for place in places],
        "level": evaluation.level,
    }  # fmt: skip
    outcome = StudyResult(
        "enumerate", parameters, tables, tuple(shown),
        {
            "correlation": lambda: matrix_figure(
                tables["correlation"], "value", value_label="Pearson correlation of the scores"
            ),
            "distribution": lambda: _figure(tables["distribution"], len(patterns)),
        },
    )  # fmt: skip
    return add_signature(outcome, scorer.definitions, evaluation)


def _tables(
    names: Sequence[str], patterns: Sequence[str], values: Floats, picked: list[int]
) -> dict[str, pd.DataFrame]:
    """The tables of `enumerate`; `picked` are places of rankings."""
    import pandas as pd

    r = np.array([[pearson(one, other) for other in values.T] for one in values.T])
    correlations = {name: r[:, column] for column, name in numbered(names)}
    rankings = pd.DataFrame(dict(zip(names, values.T, strict=True)))
    rankings.insert(0, "ranking", patterns)
    return {
        "statistics": _statistics(names, values),
        "correlations": pd.DataFrame({"measure": names, **correlations}),
        "picked": rankings.iloc[picked].reset_index(drop=True),
        "ratios": _ratios(names, [patterns[place] for place in picked], values[picked]),
        "rankings": rankings,
        "correlation": _tall(names, r),
        "distribution": _distribution(names, values),
    }


def pattern(row: Sequence[float]) -> str:
    """A ranking as text: `30210`, or with commas where a grade has more than one digit."""
    words = [f"{grade:g}" for grade in row]
    return ("" if max(map(len, words)) == 1 else ",").join(words)


def _place(patterns: list[str], row: list[float], present: Sequence[float]) -> int:
    name = pattern(row) if row else ""
    if name not in patterns:
        grades = ", ".join(f"{grade:g}" for grade in present)
        raise UsageError(
            f"{name or 'an empty ranking'} is not a ranking of the grades {grades} here"
        )
    return patterns.index(name)


def _values(scorer: Scorer, grade: Floats, present: Sequence[float]) -> Floats:
    """float64[V, C]: the scores of every ranking."""
    level, count = counted(np.array(present, float))
    level = np.concatenate(([0.0], level))
    found = []
    at_once = max(1, CELLS // (8 * grade.shape[1]))
    for begin in range(0, len(grade), at_once):
        some = grade[begin : begin + at_once]
        nonrelevant = (some == 0).sum(axis=1)[:, None]
        counts = np.concatenate([nonrelevant, np.tile(count, (len(some), 1))], axis=1)
        ranks = np.arange(1, grade.shape[1] + 1)
        pooled = np.zeros(len(some), np.int64)
        stack = Stack(ranks, some, falling_scores(len(ranks)), level, counts, pooled)
        found.append(scorer.values(stack))
    return np.concatenate(found)


def _statistics(names: Sequence[str], values: Floats) -> pd.DataFrame:
    import pandas as pd

    count = len(values)
    mean = column_means(values)
    spread = np.cumsum((values - mean) ** 2, axis=0)[-1]
    return pd.DataFrame(
        {
            "measure": names,
            "rankings": count,
            "mean": mean,
            "sd": np.sqrt(spread / (count - 1)),
            "least": values.min(axis=0),
            "greatest": values.max(axis=0),
            "different": [len(np.unique(np.round(column, 12))) for column in values.T],
        }
    )


def _ratios(names: Sequence[str], picked: list[str], values: Floats) -> pd.DataFrame:
    """Each picked score over those picked before it; NaN over 0."""
    import pandas as pd

    rows = []
    for later in range(1, len(picked)):
        for earlier in range(later):
            below = values[earlier]
            ratio = np.divide(
                values[later], below, out=np.full_like(below, np.nan), where=below != 0
            )
            rows.append([f"{picked[later]}/{picked[earlier]}", *ratio.tolist()])
    return pd.DataFrame(rows, columns=["ratio", *names])


def _tall(names: Sequence[str], r: Floats) -> pd.DataFrame:
    """A line for each two measures, what is drawn: one half of the matrix and its diagonal."""
    import pandas as pd

    rows = [
        (one, other, r[a, b]) for a, one in numbered(names) for b, other in numbered(names[: a + 1])
    ]
    return pd.DataFrame(rows, columns=["measure", "with", "value"])


def _distribution(names: Sequence[str], values: Floats) -> pd.DataFrame:
    """For each measure, the share of the rankings that score no more than each value."""
    import pandas as pd

    parts = []
    for name, column in zip(names, values.T, strict=True):
        ordered = np.round(np.sort(column), 12)
        last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
        share = (last + 1) / len(ordered)
        parts.append(pd.DataFrame({"measure": name, "score": ordered[last], "share": share}))
    return pd.concat(parts, ignore_index=True)


def _figure(steps: pd.DataFrame, rankings: int) -> Figure:
    return curves_figure(
        steps, x_column="score", y_column="share", series_column="measure", is_stepped=True,
        axes_labels=("score", f"share of {rankings} rankings with this score or less"),
    )  # fmt: skip
