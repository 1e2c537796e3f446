"""Runs compared: the library's function, and what it returns."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, Protocol, cast, overload

import numpy as np

from irev.core.displayed import Displayed, Drawable, located
from irev.core.option_records import did_you_mean
from irev.core.record import record
from irev.engine.score_runs import default_options, missing_topic_warnings, score_runs
from irev.errors import UsageError, warn
from irev.jobs.compare.assumptions import about_scores
from irev.jobs.compare.contrasts import Contrast, compared
from irev.jobs.compare.decisions import Decided, decided
from irev.jobs.compare.plan import ComparisonPlan, Decisions, ModelJudgments
from irev.jobs.compare.rows import anova_rows, flat, frame_of, mean_rows, pair_rows, topic_rows
from irev.options import Options, with_fields
from irev.scores.signature import ComparisonSignature, comparison_signature
from irev.statistics.differences import describe_differences, skewness_warnings
from irev.statistics.hsd import pair_variances
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS
from irev.writers.forms import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pandas as pd

    from irev.core.model import Input
    from irev.engine.score_runs import NameSource
    from irev.jobs.compare.predicted import PredictedComparison
    from irev.jobs.compare.rows import Row
    from irev.scores.table import ScoreTable

_P = ParamSpec("_P")

DEFAULT_MEASURE = "map"
"""What runs are compared by where no measure is named."""

FEWEST_BEHIND = 10
"""So many resamples at least should lie behind the end of a bootstrap interval."""


@record
class Comparison(Displayed, Drawable):
    """Runs compared under one or several measures.

    `print` and notebooks show the tables of `irev compare`; `means`, `pairs`, `by_topic` and
    `anova` are pandas frames, `to_frame()` that of the pairs.

    table   the scores; judged topics that a run lacks are 0
    plan       the choices
    contrasts     what was found, for each measure on all topics, then on each class of them
    notes      what a reader must know, a line each; `missing` has more
    asked      the further questions about pairs, besides whether they differ
    decided    what was found of it, for each contrast
    """

    table: ScoreTable
    plan: ComparisonPlan
    contrasts: tuple[Contrast, ...]
    notes: tuple[str, ...]
    asked: Decisions = field(default_factory=Decisions)
    decided: tuple[Decided, ...] = ()

    shown_by: ClassVar[str] = "irev.jobs.compare.document:document"

    def __repr__(self) -> str:
        runs, measures = self.table.run_names, ", ".join(self.table.measure_names)
        topics = len(self.table.topics)
        return f"<Comparison of {', '.join(runs)} by {measures} on {topics} topics>"

    @property
    def hypotheses(self) -> int:
        """How many hypotheses are corrected together: pairs x measures (x classes + all)."""
        return sum(len(contrast.run_pairs) for contrast in self.contrasts)

    @property
    def resamples(self) -> dict[str, int]:
        """The number of resamples of each test by resampling whose p is not exact.

        And how many bootstrap intervals draw, under "ci".
        """
        drawn = {test: self.plan.resamples_of(test, self.hypotheses) for test in self.plan.tests}
        by_default = INTERVALS[self.plan.ci].default_resamples
        drawn["ci"] = by_default and (self.plan.resamples or by_default)
        return {name: count for name, count in drawn.items() if count}

    @property
    def missing(self) -> tuple[str, ...]:
        """Which runs lack judged topics, a line for each."""
        return tuple(map(str, missing_topic_warnings(self.table)))

    @property
    def signature(self) -> ComparisonSignature:
        """What the comparison was made of."""
        runs, plan = self.table, self.plan
        choices: dict[str, Any] = {}
        for name, value in plan.values_by_name().items():
            choices[name] = value
            if name == "correction":
                choices["hypotheses"] = self.hypotheses
        choices["baselines"] = [runs.run_names[runs.run_index(name)] for name in plan.baselines]
        choices["resamples"] = self.resamples
        return comparison_signature(runs, {**choices, **self.asked.asked(), "missing": "zero"})

    def mean_rows(self) -> Iterator[Row]:
        """The means of the runs with their intervals; see `rows.mean_rows`."""
        for contrast, found in zip(self.contrasts, self.decided, strict=True):
            yield from mean_rows(self.table, contrast, found)

    def pair_rows(self) -> Iterator[Row]:
        """The pairs, with a mapping of tests in each; see `rows.pair_rows`."""
        for contrast, found in zip(self.contrasts, self.decided, strict=True):
            yield from pair_rows(self.table, contrast, self.plan.alpha, found)

    def topic_rows(self) -> Iterator[Row]:
        """Gains and losses by topic; see `rows.topic_rows`."""
        for contrast in self.contrasts:
            yield from topic_rows(self.table, contrast)

    def anova_rows(self) -> Iterator[Row]:
        """The analyses of variance; see `rows.anova_rows`."""
        for contrast in self.contrasts:
            yield from anova_rows(contrast)

    @property
    def means(self) -> pd.DataFrame:
        """A row for each class, measure and run, the best run first."""
        return frame_of(self.mean_rows())

    @property
    def pairs(self) -> pd.DataFrame:
        """A row for each class, measure and pair, with columns such as `p_permutation`."""
        return frame_of(map(flat, self.pair_rows()))

    @property
    def by_topic(self) -> pd.DataFrame:
        """A row for each class, measure, pair and topic, the largest gain first."""
        return frame_of(self.topic_rows())

    @property
    def anova(self) -> pd.DataFrame:
        """Three rows for each class and measure: runs, topics, error."""
        return frame_of(self.anova_rows())

    def to_frame(self) -> pd.DataFrame:
        """The pairs, as `pairs`."""
        return self.pairs

    def paper(self, form: str = "latex", places: int = 4) -> str:
        """The table of runs and measures for a paper, as `irev compare --layout paper` writes it.

        Args:
            form: what `--format` of the command takes.
            places: decimals, in the forms that people read.

        Raises:
            UsageError: there is no such form; the tail is "less".
        """
        return text_of(located("irev.jobs.compare.paper:paper")(self), form, places)


class _Keywords(ComparisonPlan, Decisions, Options):  # type: ignore[misc]
    """What `compare` takes by keyword; for type checkers alone."""

    format: str = "qrels"
    names: NameSource = "file"
    drop_undefined: bool = False


class _Compare(Protocol[_P]):
    """The type of `compare`: the fields are its keywords."""

    @overload
    def __call__(
        self, qrels: Input | None, runs: str | Sequence[Input] | Mapping[str, Input],
        measures: object = (), options: Options | None = None, predicted: None = None,
        *args: _P.args, **choices: _P.kwargs,
    ) -> Comparison: ...  # fmt: skip
    @overload
    def __call__(
        self, qrels: Input | None, runs: str | Sequence[Input] | Mapping[str, Input],
        measures: object = (), options: Options | None = None,
        predicted: ModelJudgments | Input = ..., *args: _P.args, **choices: _P.kwargs,
    ) -> PredictedComparison: ...  # fmt: skip


def _in_keywords(
    _: Callable[_P, _Keywords],
) -> Callable[[Callable[..., Comparison | PredictedComparison]], _Compare[_P]]:
    """Let the type of a function say that its keywords are the fields of a record."""
    return lambda function: cast("_Compare[_P]", function)


@_in_keywords(_Keywords)
def compare(
    qrels: Input | None,
    runs: str | Sequence[Input] | Mapping[str, Input],
    measures: object = (),
    options: Options | None = None,
    predicted: ModelJudgments | Input | None = None,
    *,
    format: str = "qrels",
    names: NameSource = "file",
    drop_undefined: bool = False,
    **choices: Any,
) -> Comparison | PredictedComparison:
    """Compare runs: means with intervals, paired differences, effect sizes, corrected p-values.

    A judged topic that a run lacks counts as 0. By default all pairs are compared by the
    permutation test, exact where possible, corrected by Holm.

    Args:
        qrels: judgments, as `evaluate` takes them; None where all runs are saved scores.
        runs: runs and files of saved scores, in any order: no number depends on it; a mapping of
            them by name; or a path with wildcards. Runs may be in memory, as `evaluate` takes them.
        measures: names as `evaluate` takes them; where none is named, "map", or all that saved
            scores have.
        options: the choices of the evaluation; by default every judged topic counts.
        predicted: a model's judgments of all topics, where people judged some, drawn at random;
            `ModelJudgments` of `irev.jobs.compare.plan` has the choices about them. The outcome is
            then a `PredictedComparison`, with a test and intervals of its own.
        format: what the qrels hold.
        names: whether a run is called after its file or after its tag.
        drop_undefined: whether topics on which some score is not a finite number are left out,
            rather than an error.
        **choices: the fields of `irev.jobs.compare.plan.ComparisonPlan`, `baselines=["bm25.run"]`,
            `tests=["t", "permutation"]`, `correction="bh"`, `alpha=0.01` ...; of `Decisions`
            there, `margin=0.02`, `better_by=0.01`, `risk=[1, 5]`; and those of `Options`,
            which go before those of `options`: `level=2` ... (`seed` is the plan's).

    Raises:
        UsageError: a choice that makes no sense; fewer than two runs or topics.
        InputError: an input that cannot be read.
        MismatchError: scores of different definitions or judgments; no topic in common.
    """
    own, shared = ComparisonPlan.fields().keys(), Options.fields().keys()
    beside = Decisions.fields().keys()
    for name in choices.keys() - own - beside - shared:
        records = (ComparisonPlan, Decisions, Options)
        hint = next(filter(None, (record.field_hint(name) for record in records)), "")
        hint = hint or did_you_mean(name, (*own, *beside, *shared))
        raise TypeError(f"compare has no option '{name}'{hint}")
    plan = ComparisonPlan(**{name: choices[name] for name in choices.keys() & own})
    asked = Decisions(**{name: choices[name] for name in choices.keys() & beside})
    said = {n: choices[n] for n in choices.keys() & (shared - own | {"threads"})}
    options = with_fields(options or default_options(), said)
    if qrels is not None and not measures:
        measures = (DEFAULT_MEASURE,)
    if predicted is not None:
        from irev.jobs.compare.predicted import compare_predicted

        if not isinstance(predicted, ModelJudgments):
            predicted = ModelJudgments(predicted=predicted)
        refuse_decisions(asked)
        if drop_undefined:
            raise UsageError("predicted judgments need all topics: leave out drop_undefined")
        outcome = compare_predicted(
            qrels, runs, measures, options, plan, predicted, format=format, names=names,
            given=choices,
        )  # fmt: skip
        warn(outcome.doubts)
        return outcome
    found = score_runs(
        qrels,
        runs,
        measures,
        options,
        format=format,
        names=names,
        drop_undefined=drop_undefined,
        warn_unjudged=True,
    )
    warn((*found.doubts, *missing_topic_warnings(found)))
    return comparison_of(found, plan, found.notes, asked)


def refuse_decisions(asked: Decisions) -> None:
    """Refuse what judgments by a model have no answer to.

    Raises:
        UsageError: something was asked.
    """
    for name in asked.asked():
        option = Decisions.fields()[name].opt.names[-1]
        raise UsageError(f"--predicted has no use for {option}: leave it out")


def comparison_of(
    table: ScoreTable,
    plan: ComparisonPlan,
    said: Sequence[str] = (),
    asked: Decisions | None = None,
) -> Comparison:
    """Compare runs whose scores are known already.

    `said`: notes on the scores. `asked`: what is asked of pairs besides whether they differ.
    """
    contrasts, about_contrasts = compared(table, plan)
    every = [*said, *about_contrasts, *notes(table, plan, contrasts)]
    asked = asked or Decisions()
    found = decided(table, contrasts, plan, asked)
    return Comparison(table, plan, tuple(contrasts), tuple(every), asked, found)


def notes(table: ScoreTable, plan: ComparisonPlan, contrasts: Sequence[Contrast]) -> Iterator[str]:
    """The notes, a line each."""
    yield from about_scores(table, plan)
    hypotheses = sum(len(contrast.run_pairs) for contrast in contrasts)
    yield from _about_tests(plan)
    for test in plan.tests:
        if any("Monte Carlo" in contrast.results[test].method for contrast in contrasts):
            yield from _about_draws(test, plan, hypotheses)
    yield from _about_far_ends(plan, hypotheses)
    for contrast in contrasts:
        where = f"{contrast.measure}{f' on {contrast.label}' if contrast.label else ''}"
        yield from (f"{where}: {line}" for line in _about_pairs(contrast, plan, hypotheses))


def _about_tests(plan: ComparisonPlan) -> Iterator[str]:
    chosen = {name: TESTS[name] for name in plan.tests}
    for test in chosen.values():
        if test.question:
            yield f"the {test.title} test does not test means: it asks {test.question}"
    for null in dict.fromkeys(
        test.null_hypothesis for test in chosen.values() if test.null_hypothesis
    ):
        names = " and ".join(name for name, test in chosen.items() if test.null_hypothesis == null)
        yield f"{names}: what is tested is {null}"
    for name, test in chosen.items():
        if test.caution:
            yield f"{name} is {test.caution}"


def _about_differences(contrast: Contrast, plan: ComparisonPlan) -> Iterator[str]:
    """Whether tests assume of differences what these are not: of one variance, symmetric."""
    names = [name for name in plan.tests if TESTS[name].assumes_equal_variances]
    if names:
        yield from pair_variances(contrast.scores).warnings(names)
    names = [name for name in plan.tests if TESTS[name].sensitive_to_skewness]
    yield from skewness_warnings(contrast.scores, contrast.run_pairs, names)


def _about_draws(test: str, plan: ComparisonPlan, hypotheses: int) -> Iterator[str]:
    drawn = plan.resamples_of(test, hypotheses)
    needed = plan.resamples_needed(test, hypotheses)
    if drawn < needed:
        yield (
            f"{test}: with {drawn} resamples no p can be small enough to be "
            f"significant among {hypotheses} hypotheses; at least {needed} are needed"
        )
    elif plan.resamples is None and drawn == needed:
        yield f"{test}: {drawn} resamples, so that one of {hypotheses} hypotheses can be rejected"


def _about_far_ends(plan: ComparisonPlan, hypotheses: int) -> Iterator[str]:
    """Whether corrected bootstrap intervals end where hardly a resample is."""
    drawn = INTERVALS[plan.ci].default_resamples and (
        plan.resamples or INTERVALS[plan.ci].default_resamples
    )
    if not drawn or plan.of_differences != "bonferroni":
        return
    needed = math.ceil(FEWEST_BEHIND * 2 * hypotheses / plan.alpha)
    if drawn < needed:
        yield (
            f"the intervals of the differences hold for {hypotheses} at once, and fewer than "
            f"{FEWEST_BEHIND} of {drawn} resamples lie behind their ends: use --resamples {needed}"
        )


def _about_pairs(contrast: Contrast, plan: ComparisonPlan, hypotheses: int) -> Iterator[str]:
    pairs = len(contrast.run_pairs)
    for flags, words in (
        (contrast.paired.identical, "no difference on any topic; p is 1"),
        (contrast.paired.constant, "the same difference on every topic; t is infinite"),
    ):
        count = int(np.count_nonzero(flags))
        if count:
            yield f"{count} of {pairs} pairs {'has' if count == 1 else 'have'} {words}"
    yield from _about_few_topics(contrast, plan, hypotheses)
    yield from _about_differences(contrast, plan)


def _about_few_topics(contrast: Contrast, plan: ComparisonPlan, hypotheses: int) -> Iterator[str]:
    """Whether the most topics with a difference are too few for any p to reach alpha."""
    asked = [test for test in plan.tests if TESTS[test].counts_signs]
    if not asked:
        return
    most = int(
        describe_differences(contrast.contributed, contrast.run_pairs).nonzero.max(initial=0)
    )
    if not most:
        return
    least = math.ldexp(2.0 if plan.tail == "two-sided" else 1.0, -most)
    names = " and ".join(asked)
    differ = f"{most} topic{'s' * (most > 1)} that differ{'s' * (most == 1)}"
    if least > plan.alpha:
        yield f"with {differ} no p of {names} can be below {least:g}"
    elif CORRECTIONS[plan.correction].familywise and least * hypotheses > plan.alpha:
        yield (
            f"with {differ} no p of {names} can be below {least:g}, which is "
            f"too large to be significant among {hypotheses} hypotheses"
        )
