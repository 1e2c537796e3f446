"""Runs compared: the library's function, and what it returns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, cast

import numpy as np

from irev.comparison.contrasts import Contrast, compared
from irev.comparison.plan import ComparisonPlan
from irev.comparison.rows import anova_rows, flat, mean_rows, pair_rows, topic_rows
from irev.engine.gather import gather, lacking
from irev.errors import warn
from irev.measures.names import lower_is_better
from irev.results.signature import ComparisonSignature, signed
from irev.statistics.differences import describe
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pandas as pd

    from irev.comparison.rows import Row
    from irev.core.model import Input
    from irev.engine.gather import Names
    from irev.options import Options
    from irev.results.matrices import Matrices

_P = ParamSpec("_P")

DEFAULT_MEASURE = "map"
"""What runs are compared by where no measure is named."""

MANY_TOPICS = 1000
"""With so many topics, differences of no importance are significant."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Runs compared under one or several measures.

    matrices   the scores; judged topics that a run lacks are 0
    plan       the choices
    contrasts     what was found, for each measure on all topics, then on each class of them
    notes      what a reader must know, a line each; `missing` has more
    """

    matrices: Matrices
    plan: ComparisonPlan
    contrasts: tuple[Contrast, ...]
    notes: tuple[str, ...]

    @property
    def hypotheses(self) -> int:
        """How many are corrected for together: pairs x measures (x classes and all topics)."""
        return sum(len(contrast.family) for contrast in self.contrasts)

    @property
    def resamples(self) -> dict[str, int]:
        """How many resamples each test by resampling draws, where its p is not exact.

        And how many bootstrap intervals draw, under "ci".
        """
        drawn = {test: self.plan.resamples_of(test, self.hypotheses) for test in self.plan.tests}
        by_default = INTERVALS[self.plan.ci].draws
        drawn["ci"] = by_default and (self.plan.resamples or by_default)
        return {name: count for name, count in drawn.items() if count}

    @property
    def missing(self) -> tuple[str, ...]:
        """Which runs lack judged topics, a line for each."""
        return tuple(map(str, lacking(self.matrices)))

    @property
    def signature(self) -> ComparisonSignature:
        """What the comparison was made of."""
        runs, plan = self.matrices, self.plan
        choices: dict[str, Any] = {}
        for name, value in plan.choices().items():
            choices[name] = value
            if name == "correction":
                choices["hypotheses"] = self.hypotheses
        choices["baselines"] = [runs.runs[runs.number_of(name)] for name in plan.baselines]
        choices["resamples"] = self.resamples
        return signed(runs, {**choices, "missing": "zero"})

    def mean_rows(self) -> Iterator[Row]:
        """The means of the runs with their intervals; see `rows.mean_rows`."""
        for contrast in self.contrasts:
            yield from mean_rows(self.matrices, contrast)

    def pair_rows(self) -> Iterator[Row]:
        """The pairs, with a mapping of tests in each; see `rows.pair_rows`."""
        for contrast in self.contrasts:
            yield from pair_rows(self.matrices, contrast, self.plan.alpha)

    def topic_rows(self) -> Iterator[Row]:
        """Gains and losses by topic; see `rows.topic_rows`."""
        for contrast in self.contrasts:
            yield from topic_rows(self.matrices, contrast)

    def anova_rows(self) -> Iterator[Row]:
        """The analyses of variance; see `rows.anova_rows`."""
        for contrast in self.contrasts:
            yield from anova_rows(contrast)

    @property
    def means(self) -> pd.DataFrame:
        """A row for each class, measure and run, the best run first."""
        return _frame(self.mean_rows())

    @property
    def pairs(self) -> pd.DataFrame:
        """A row for each class, measure and pair, with columns such as `p_permutation`."""
        return _frame(map(flat, self.pair_rows()))

    @property
    def by_topic(self) -> pd.DataFrame:
        """A row for each class, measure, pair and topic, the largest gain first."""
        return _frame(self.topic_rows())

    @property
    def anova(self) -> pd.DataFrame:
        """Three rows for each class and measure: runs, topics, error."""
        return _frame(self.anova_rows())

    def to_frame(self) -> pd.DataFrame:
        """The pairs, as `pairs`."""
        return self.pairs


class _Keywords(ComparisonPlan):
    """What `compare` takes by keyword; for type checkers alone."""

    format: str = "qrels"
    names: Names = "file"
    drop_undefined: bool = False


class _Compare(Protocol[_P]):
    """The type of `compare`: the fields are its keywords."""

    def __call__(
        self, qrels: Input | None, runs: Sequence[Input] | Mapping[str, Input],
        measures: object = (), options: Options | None = None,
        *args: _P.args, **plan: _P.kwargs,
    ) -> Comparison: ...  # fmt: skip


def _in_keywords(
    _: Callable[_P, _Keywords],
) -> Callable[[Callable[..., Comparison]], _Compare[_P]]:
    """Let the type of a function say that its keywords are the fields of a record."""
    return lambda function: cast("_Compare[_P]", function)


@_in_keywords(_Keywords)
def compare(
    qrels: Input | None,
    runs: Sequence[Input] | Mapping[str, Input],
    measures: object = (),
    options: Options | None = None,
    *,
    format: str = "qrels",
    names: Names = "file",
    drop_undefined: bool = False,
    **plan: Any,
) -> Comparison:
    """Compare runs: means with intervals, paired differences, effect sizes, corrected p-values.

    A judged topic that a run lacks counts as 0. By default all pairs are compared by the
    permutation test, exact where it can be, corrected by Holm.

    Args:
        qrels: judgments, as `evaluate` takes them; None where all runs are saved scores.
        runs: runs and files of saved scores, in any order: no number depends on it; or a mapping
            of them by name. Runs may be in memory, as `evaluate` takes them.
        measures: names as `evaluate` takes them; where none is named, "map", or all that saved
            scores have.
        options: the choices of the evaluation; by default every judged topic counts.
        format: what the qrels hold.
        names: whether a run is called after its file or after its tag.
        drop_undefined: whether topics on which some score is not a finite number are left out,
            rather than an error.
        **plan: the fields of `irev.comparison.plan.ComparisonPlan`: `baselines=["bm25.run"]`,
            `tests=["t", "permutation"]`, `correction="bh"`, `alpha=0.01` ...

    Raises:
        UsageError: a choice that makes no sense; fewer than two runs or topics.
        InputError: an input that cannot be read.
        MismatchError: scores of different definitions or judgments; no topic in common.
    """
    chosen = ComparisonPlan(**plan)
    if qrels is not None and not measures:
        measures = (DEFAULT_MEASURE,)
    found = gather(
        qrels,
        runs,
        measures,
        options,
        format=format,
        names=names,
        drop_undefined=drop_undefined,
        heed_judged=True,
    )
    warn((*found.doubts, *lacking(found.matrices)))
    return comparison_of(found.matrices, chosen, found.notes)


def comparison_of(matrices: Matrices, plan: ComparisonPlan, said: Sequence[str] = ()) -> Comparison:
    """Compare runs whose scores are known already.

    Args:
        matrices: the scores.
        plan: the choices.
        said: notes on the scores.
    """
    contrasts, about_contrasts = compared(matrices, plan)
    every = [*said, *about_contrasts, *notes(matrices, plan, contrasts)]
    return Comparison(matrices, plan, tuple(contrasts), tuple(every))


def _frame(rows: Iterator[Row]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(list(rows))


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
