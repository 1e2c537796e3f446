"""All rankings of a few graded documents under several measures, as Kishida compared them.

Kazuaki Kishida, "Property of Average Precision and its Generalization", NII Technical Report
NII-2005-014E (2005), section 4.3, Tables 3-5.
"""

from __future__ import annotations

import math
from builtins import enumerate as numbered
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import numpy as np

from irev.core.arrays import Floats, RankingsByMeasures, column_means
from irev.core.job import job
from irev.core.option_records import Opt
from irev.errors import UsageError
from irev.jobs.plots.plot import add_signature, curves_figure, matrix_figure
from irev.jobs.result import StudyResult
from irev.jobs.studies.judgment_changes import (
    GRADES_AT_ONCE,
    MadeRankingOptions,
    RankingStack,
    StackScorer,
    check_grades_present,
    falling_scores,
    grade_counts,
    parse_numbers,
)
from irev.measures.naming.grammar import measure_names
from irev.options import Options
from irev.statistics.correlation import pearson

if TYPE_CHECKING:
    import pandas as pd


class EnumerateOptions(MadeRankingOptions):
    """All rankings of which documents, and which of them are shown by themselves."""

    present: Annotated[
        Sequence[float],
        Opt(
            "--grades-present",
            metavar="GRADES",
            parse=parse_numbers,
            help="The grades of the relevant documents. Default: 3,2,1.",
        ),
    ] = (3.0, 2.0, 1.0)
    ranks: Annotated[
        int, Opt("--ranks", metavar="N", least=1, most=1000, help="How many ranks there are.")
    ] = 5
    picked: Annotated[
        Sequence[str | Sequence[float]],
        Opt(
            "--pick",
            metavar="RANKING",
            help="Show this ranking by itself, a digit a rank (30210) or grades with commas, "
            "and its scores over those of the rankings picked before it; may be repeated.",
        ),
    ] = ()

    def _check(self) -> None:
        super()._check()
        check_grades_present(self.present)
        self.picked_rankings()

    def picked_rankings(self) -> list[Sequence[float]]:
        """The rankings that are shown by themselves, each a grade for every rank."""
        rankings: list[Sequence[float]] = []
        for picked in self.picked:
            if not isinstance(picked, str):
                rankings.append(tuple(map(float, picked)))
                continue
            for text in picked.split():  # a digit for each rank, or grades with commas
                try:
                    ranking = parse_numbers(text if "," in text else ",".join(text))
                except UsageError as error:
                    raise UsageError(f"--pick {text}: {error}") from None
                if len(ranking) != self.ranks:
                    raise UsageError(
                        f"--pick {text}: {self.ranks} grades expected, one for each rank"
                    )
                rankings.append(ranking)
        return rankings


MOST = 1_000_000
"""How many rankings are enumerated at most."""


@job(EnumerateOptions)
def enumerate(measures: object = (), *, options: EnumerateOptions) -> StudyResult:
    """Score every ranking of some relevant documents, and compare the measures over them.

    Args:
        measures: names as `irev.evaluate` takes them, of measures on grades; none: those of the
            report (`default_measures`).
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
    grades_present, num_ranks = options.present, options.ranks
    evaluation = options.base_record(Options)
    names = measure_names(measures) or default_measures(num_ranks)
    scorer = StackScorer(names, evaluation, max(grades_present, default=0.0))
    rankings = every_ranking(grades_present, num_ranks)
    ranking_texts = [ranking_text(grades) for grades in rankings.tolist()]
    values = _ranking_values(scorer, rankings, grades_present)
    picked_indices = []
    for ranking in options.picked_rankings():
        text = ranking_text(ranking) if ranking else ""
        if text not in ranking_texts:
            grades = ", ".join(f"{grade:g}" for grade in grades_present)
            raise UsageError(
                f"{text or 'an empty ranking'} is not a ranking of the grades {grades} here"
            )
        picked_indices.append(ranking_texts.index(text))
    tables = _enumeration_tables(scorer.names, ranking_texts, values, picked_indices)
    shown = ["statistics", "correlations", *(["picked"] if picked_indices else [])]
    shown += ["ratios"] if len(picked_indices) > 1 else []
    parameters = {
        "grades present": list(grades_present),
        "ranks": num_ranks,
        "rankings": len(ranking_texts),
        "measures": list(scorer.names),
        "picked": [ranking_texts[index] for index in picked_indices],
        "level": evaluation.level,
    }
    figures = {
        "correlation": partial(
            matrix_figure,
            tables["correlation"],
            "value",
            value_label="Pearson correlation of the scores",
        ),
        "distribution": partial(
            curves_figure,
            tables["distribution"],
            x_column="score",
            y_column="share",
            series_column="measure",
            is_stepped=True,
            axes_labels=(
                "score",
                f"share of {len(ranking_texts)} rankings with this score or less",
            ),
        ),
    }
    result = StudyResult("enumerate", parameters, tables, tuple(shown), figures)
    return add_signature(result, scorer.definitions, evaluation)


def _enumeration_tables(
    measure_names: Sequence[str],
    ranking_texts: Sequence[str],
    values_of_rankings: RankingsByMeasures,
    picked_indices: list[int],
) -> dict[str, pd.DataFrame]:
    """The tables of `enumerate`; `picked_indices`: of rankings."""
    import pandas as pd

    coefficients = np.array(
        [[pearson(one, other) for other in values_of_rankings.T] for one in values_of_rankings.T]
    )
    correlations = {name: coefficients[:, column] for column, name in numbered(measure_names)}
    rankings = pd.DataFrame(dict(zip(measure_names, values_of_rankings.T, strict=True)))
    rankings.insert(0, "ranking", ranking_texts)
    rows = [
        (one, other, coefficients[a, b])
        for a, one in numbered(measure_names)
        for b, other in numbered(measure_names[: a + 1])
    ]
    count = len(values_of_rankings)
    mean = column_means(values_of_rankings)
    spread = np.cumsum((values_of_rankings - mean) ** 2, axis=0)[-1]
    # the share of the rankings that score no more than each value
    distributions = []
    for name, column in zip(measure_names, values_of_rankings.T, strict=True):
        ordered = np.round(np.sort(column), 12)
        last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
        share = (last + 1) / count
        distributions.append(
            pd.DataFrame({"measure": name, "score": ordered[last], "share": share})
        )
    return {
        "statistics": pd.DataFrame(
            {
                "measure": measure_names,
                "rankings": count,
                "mean": mean,
                "sd": np.sqrt(spread / (count - 1)),
                "least": values_of_rankings.min(axis=0),
                "greatest": values_of_rankings.max(axis=0),
                "different": [
                    len(np.unique(np.round(column, 12))) for column in values_of_rankings.T
                ],
            }
        ),
        "correlations": pd.DataFrame({"measure": measure_names, **correlations}),
        "picked": rankings.iloc[picked_indices].reset_index(drop=True),
        "ratios": _ratios_table(
            measure_names,
            [ranking_texts[index] for index in picked_indices],
            values_of_rankings[picked_indices],
        ),
        "rankings": rankings,
        "correlation": pd.DataFrame(rows, columns=["measure", "with", "value"]),
        "distribution": pd.concat(distributions, ignore_index=True),
    }


def default_measures(num_ranks: int) -> tuple[str, ...]:
    """The five measures that the report compares, cut where the rankings end."""
    return (f"MSR@{num_ranks}", f"AvgNDCG(disc=jk,b=2)@{num_ranks}", "Q(beta=1)", "genAP", "AP")


def count_rankings(grades_present: Sequence[float], num_ranks: int) -> int:
    """How many different rankings there are: each grade at a rank, or not retrieved.

    For m different grades that is the sum over k of C(m, k) C(n, k) k!; equal ones count once.
    """
    # ways[k]: how many ways k of the documents so far can be chosen and ordered among themselves
    ways = [1]
    for count in Counter(grades_present).values():
        grown = [0] * (len(ways) + count)
        for num_chosen, number in numbered(ways):
            for num_more in range(count + 1):
                grown[num_chosen + num_more] += number * math.comb(num_chosen + num_more, num_more)
        ways = grown
    return sum(number * math.comb(num_ranks, num_chosen) for num_chosen, number in numbered(ways))


def every_ranking(grades_present: Sequence[float], num_ranks: int) -> Floats:
    """float64[V, ranks]: all different rankings, highest grades first, none retrieved last."""
    if num_ranks < 1 or not grades_present or min(grades_present) <= 0:
        raise UsageError("give at least one rank, and grades above 0")
    total = count_rankings(grades_present, num_ranks)
    if total > MOST:
        raise UsageError(f"there are {total} rankings, more than {MOST}: fewer grades or ranks")
    remaining_counts = Counter(
        {float(grade): count for grade, count in Counter(grades_present).items()}
    )
    row = [0.0] * num_ranks
    grades = sorted(remaining_counts, reverse=True)
    return np.array([[*each] for each in _complete_rankings(row, 0, remaining_counts, grades)])


def _complete_rankings(
    ranking: list[float], rank_index: int, remaining_counts: Counter[float], grades: list[float]
) -> Iterator[list[float]]:
    """The ways to go on from a rank; `remaining_counts`: of the documents that have no rank yet."""
    if rank_index == len(ranking):
        yield ranking
        return
    for grade in grades:
        if remaining_counts[grade]:
            remaining_counts[grade] -= 1
            ranking[rank_index] = grade
            yield from _complete_rankings(ranking, rank_index + 1, remaining_counts, grades)
            remaining_counts[grade] += 1
    ranking[rank_index] = 0.0
    yield from _complete_rankings(ranking, rank_index + 1, remaining_counts, grades)


def ranking_text(grades: Sequence[float]) -> str:
    """A ranking as text: `30210`, or with commas where a grade has more than one digit."""
    words = [f"{grade:g}" for grade in grades]
    return ("" if max(map(len, words)) == 1 else ",").join(words)


def _ranking_values(
    scorer: StackScorer, rankings: Floats, grades_present: Sequence[float]
) -> RankingsByMeasures:
    """float64[V, C]: the scores of every ranking."""
    level, count = grade_counts(np.array(grades_present, float))
    level = np.concatenate(([0.0], level))
    values = []
    batch_size = max(1, GRADES_AT_ONCE // (8 * rankings.shape[1]))
    for start in range(0, len(rankings), batch_size):
        batch = rankings[start : start + batch_size]
        nonrelevant = (batch == 0).sum(axis=1)[:, None]
        counts = np.concatenate([nonrelevant, np.tile(count, (len(batch), 1))], axis=1)
        ranks = np.arange(1, rankings.shape[1] + 1)
        pooled = np.zeros(len(batch), np.int64)
        stack = RankingStack(ranks, batch, falling_scores(len(ranks)), level, counts, pooled)
        values.append(scorer.values(stack))
    return np.concatenate(values)


def _ratios_table(
    measure_names: Sequence[str], picked_texts: list[str], values_of_rankings: RankingsByMeasures
) -> pd.DataFrame:
    """Each picked score over those picked before it; NaN over 0."""
    import pandas as pd

    rows = []
    for later in range(1, len(picked_texts)):
        for earlier in range(later):
            below = values_of_rankings[earlier]
            ratio = np.divide(
                values_of_rankings[later], below, out=np.full_like(below, np.nan), where=below != 0
            )
            rows.append([f"{picked_texts[later]}/{picked_texts[earlier]}", *ratio.tolist()])
    return pd.DataFrame(rows, columns=["ratio", *measure_names])
