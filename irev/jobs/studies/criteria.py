"""What several studies let one choose, and what they order runs by.

That is measures under some judgments: how alike two of them order the runs, and their verdicts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from irev.core.arrays import Bools, Floats, RunValues, TopicsByRuns, column_means
from irev.core.judged import Column
from irev.core.option_records import Opt, ResultOptions
from irev.core.record import cached_property, record
from irev.core.text import count_text, full_list
from irev.errors import MismatchError, Notice, UsageError, note
from irev.measures.naming.resolve import (
    PLAIN_NAMING,
    VersionAndDefaults,
    lower_is_better,
    matching_columns,
)
from irev.options import ALPHA
from irev.scores.table import ScoreTable
from irev.statistics.correlation import tau_a, tau_ap, tau_ap_b, tau_b, tau_p_value
from irev.statistics.differences import (
    check_score_matrix,
    every_pair,
    groups_of_equals,
    mean_and_sd_of_differences,
    scale_of,
)
from irev.statistics.discrimination import CONCLUSIONS, compare_conclusions_of_two_measures
from irev.statistics.methods import (
    CORRECTIONS_OF_P,
    DEFAULT_TEST,
    TESTS,
    DoneTest,
    InferenceSettings,
    correct_p,
    num_resamples_of,
    reasons_of_other_tests,
    signed_test,
    tests_done_text,
)

if TYPE_CHECKING:
    import pandas as pd


FOUR = ("AP", "Q", "nDCG(b=2)@1000", "genAP")
"""What is looked at where no measure is named: Sakai's four."""

USUAL = ("map", "ndcg_cut.10", "P.10")
"""The same, of studies of several measures."""

PERSISTENCE = Opt("-p", "--persistence", metavar="P")


def measures_help(measures: tuple[str, ...]) -> str:
    """What the help of -m says of the default."""
    return f"{', '.join(measures)}; for saved scores all that they contain"


class SignificanceOptions(ResultOptions):
    """What is significant: a two-sided test of all pairs of runs, corrected for their number."""

    alpha: Annotated[float, ALPHA.replace(help="Significance level.")] = 0.05
    test: Annotated[str, Opt(
        "--test", choices=tuple(TESTS), noun="test",
        help="The test of all pairs of runs, two-sided. One that resamples draws with seed 0.",
    )] = DEFAULT_TEST  # fmt: skip
    correction: Annotated[str, Opt(
        "--correction", choices=CORRECTIONS_OF_P,
        help="The correction of p for the number of pairs of runs; "
        f"{full_list([name for name, test in TESTS.items() if test.simultaneous])} need none.",
    )] = "holm"  # fmt: skip

    @property
    def applied_correction(self) -> str:
        """What is done about the number of pairs."""
        return "of the test itself" if TESTS[self.test].simultaneous else self.correction

    def inference_settings(self, num_pairs: int) -> InferenceSettings:
        """What the test of so many pairs is to know."""
        num_resamples = num_resamples_of(self.test, self.correction, num_pairs, self.alpha)
        return InferenceSettings(alpha=self.alpha, num_resamples=num_resamples)

    def significance_lines(
        self, num_topics: int, num_runs: int, tests_done: Sequence[DoneTest]
    ) -> Iterator[str]:
        """The tests that were done, as a reader must know them."""
        num_pairs = num_runs * (num_runs - 1) // 2
        num_resamples = self.inference_settings(num_pairs).num_resamples
        exact = "exact or " if TESTS[self.test].exact_if_possible else ""
        draws = f" ({exact}{num_resamples} resamples, seed 0)" if num_resamples else ""
        yield (
            f"significant: {tests_done_text(tests_done, 'phrase')}{draws}, two-sided, "
            f"n={count_text(num_topics, 'topic')}, "
            f"alpha={self.alpha:g}, family of {count_text(num_pairs, 'pair')} of runs, "
            f"correction: {self.applied_correction}"
        )
        yield from reasons_of_other_tests(tests_done)

    def significance_parameters(self, tests_done: Sequence[DoneTest]) -> dict[str, Any]:
        """The test, as JSON can hold it."""
        return {
            "test": f"{TESTS[signed_test(self.test, tests_done)].title}, two-sided",
            "alpha": self.alpha,
            "correction": self.applied_correction,
        }


class TeamOptions(ResultOptions):
    """Studies of the best run of each team."""

    teams: Annotated[str | None, Opt(
        "--teams", metavar="FILE", file="always", sign_content=True,
        help="Team of each run, one RUN TEAM per line.",
    )] = None  # fmt: skip
    best: Annotated[str | None, Opt(
        "--best-per-team", metavar="NAME",
        help="With --teams: keep the best run of each team by the mean of this measure.",
    )] = None  # fmt: skip

    def _check(self) -> None:
        super()._check()
        if bool(self.teams) != bool(self.best):
            raise UsageError("use --teams and --best-per-team together")


# --- What orders runs ---


@record
class Criterion:
    """The scores of S runs on T topics under a measure.

    name              the measure's printed name, with the judgments where there are several
    scores            float64[T, S]; their plain means are the runs' means
    higher_is_better  whether more is better
    """

    name: str
    scores: Floats
    higher_is_better: bool = True

    @cached_property
    def means(self) -> RunValues:
        """The mean of each run, summed in the order of the topics."""
        return column_means(self.scores)

    @property
    def merit(self) -> TopicsByRuns:
        """The scores, turned round where less is better."""
        return self.scores if self.higher_is_better else -self.scores

    @property
    def merits(self) -> RunValues:
        """The means, likewise; the best run has the highest."""
        return self.means if self.higher_is_better else -self.means

    def best_first(self) -> list[int]:
        """The runs, best first; of equal ones the first by name comes first."""
        group_of_run = groups_of_equals(-self.merits, scale_of(self.merits)).tolist()
        return sorted(
            range(len(group_of_run)), key=lambda run_index: (group_of_run[run_index], run_index)
        )


def criteria_of(
    table: ScoreTable, measures: Sequence[str] | None = None, judgments_label: str = ""
) -> list[Criterion]:
    """One for each measure.

    Args:
        table: the scores.
        measures: names, in the order wanted; None: all there are.
        judgments_label: what is said of the judgments, where there are several.
    """
    behind = f" [{judgments_label}]" if judgments_label else ""
    columns = table.columns
    if measures is not None:
        measure_columns = [column for name in measures for column in scored_columns(name, table)]
        columns = tuple(dict.fromkeys(measure_columns))
    return [
        Criterion(
            f"{column.name}{behind}",
            table.weighted_score_matrix(column.name),
            higher_is_better=not lower_is_better(column),
        )
        for column in columns
    ]


def scored_columns(
    measure: str, table: ScoreTable, options: VersionAndDefaults = PLAIN_NAMING
) -> tuple[Column, ...]:
    """The scores that a measure's name stands for, in any spelling, under these options."""
    try:
        columns = matching_columns(measure, table.columns, options)
    except UsageError:
        # saved scores may be called anything: what there is says more than what is a measure
        columns = ()
    if not columns:
        raise UsageError(f"there are no scores of {measure}: {', '.join(table.measure_names)}")
    return columns


def printed_names(
    measure: str, table: ScoreTable, options: VersionAndDefaults = PLAIN_NAMING
) -> list[str]:
    """The names under which these stand."""
    return [column.name for column in scored_columns(measure, table, options)]


def top_runs(table: ScoreTable, num_runs: int, measure: str) -> ScoreTable:
    """The best runs by the mean of a measure; of equal ones the first by name."""
    return table.select_runs(run_indices_best_first(table, measure)[:num_runs])


def run_indices_best_first(table: ScoreTable, measure: str) -> list[int]:
    """The runs by their numbers, best first by the mean of a measure; of equal ones by name."""
    return criteria_of(table, [measure])[0].best_first()


def select_common_topics(
    tables: Sequence[ScoreTable], *, counts_zero: bool = False
) -> tuple[list[ScoreTable], tuple[Notice, ...]]:
    """The same runs under several judgments, on the topics that all of them have; what to say.

    Where what some lack `counts_zero`, on all topics.
    """
    run_names = tables[0].run_names
    if any(each.run_names != run_names for each in tables):
        raise MismatchError("the runs must be the same for all judgments")
    common = set(tables[0].topics).intersection(*(each.topics for each in tables[1:]))
    if not common:
        raise MismatchError("the judgments have no topic in common")
    if counts_zero:
        return [_with_topics(table, tables) for table in tables], ()
    num_left_out = len(set().union(*(each.topics for each in tables))) - len(common)
    common_tables = [
        each.select_topics(np.array([t in common for t in each.topics])) for each in tables
    ]
    topics_text = count_text(num_left_out, "topic is", "topics are")
    left_out = note(f"{topics_text} left out, because not all judgments have them")
    return common_tables, (left_out,) if num_left_out else ()


def _with_topics(table: ScoreTable, tables: Sequence[ScoreTable]) -> ScoreTable:
    """A table on the topics of all tables, its scores 0 where it has none."""
    if table.weights is not None:
        raise UsageError("--topic-weights cannot be combined with --missing zero")
    topics = sorted(set().union(*(each.topics for each in tables)))
    values = np.zeros((len(table.columns), len(topics), len(table.runs)))
    values[:, [topics.index(topic) for topic in table.topics]] = table.values
    return replace(table, topics=tuple(topics), values=values)


def tau_coefficients(truth: Criterion, estimate: Criterion) -> dict[str, Any]:
    """How alike two criteria order the runs, by Kendall's tau and related coefficients."""
    one, other = truth.merits, estimate.merits
    p = tau_p_value(one, other)
    return {
        "tau_b": tau_b(one, other),
        "tau_a": tau_a(one, other),
        "p": p.p,
        "p is": "exact" if p.exact else "normal",
        "tau_AP": tau_ap(one, other),
        "tau_AP_b": tau_ap_b(one, other),
    }


SHORT = ("AA", "AD", "PA", "PD", "neither")
"""The kinds of `discrimination.CONCLUSIONS`, in their order, as the field writes them."""

SHORT_TEXT = (
    f"{', '.join(SHORT)}: pairs of runs that differ significantly under both {{}}, in the same "
    "(AA) or opposite (AD) directions; under one of them only, the other agreeing (PA) or not "
    "(PD); or under neither"
)
"""What they mean, for a note; `{}` is what says so: measures, judgments."""


@record
class Verdicts:
    """What a criterion says of all P pairs of S runs, in the order of `differences.every_pair`.

    difference   float64[P], of the means, positive where the first run is better
    p            float64[P], corrected
    significant  bool[P]
    test_done    what found this
    """

    difference: Floats
    p: Floats
    significant: Bools
    test_done: DoneTest


def pair_verdicts(criterion: Criterion, options: SignificanceOptions) -> Verdicts:
    """Test all pairs of runs under one criterion."""
    check_score_matrix(criterion.scores)
    pairs = every_pair(criterion.scores.shape[1])
    test = TESTS[options.test]
    result = test.compute(criterion.merit, pairs, options.inference_settings(len(pairs)))
    p = result.corrected
    if not test.simultaneous:
        p = correct_p(p, options.correction)
    # a difference that is mere rounding is none, and p is 1 then
    found = mean_and_sd_of_differences(criterion.merit, pairs)
    difference = np.where(found.identical, 0.0, found.mean)
    test_done = DoneTest(result.done or options.test, criterion.name, result.reason)
    return Verdicts(difference, p, p <= options.alpha, test_done)


def conclusion_counts(first_verdicts: Verdicts, second_verdicts: Verdicts) -> dict[str, int]:
    """How many pairs of runs there are of each kind, by `SHORT`."""
    conclusions = compare_conclusions_of_two_measures(
        (first_verdicts.difference, second_verdicts.difference),
        (first_verdicts.significant, second_verdicts.significant),
    )
    return dict(zip(SHORT, conclusions.counts.values(), strict=True))


def conclusions_table(
    run_names: Sequence[str], first_verdicts: Verdicts, second_verdicts: Verdicts
) -> pd.DataFrame:
    """A line for each pair of runs: what either criterion says, and how that goes together.

    Columns: run, other, difference, p, new difference, new p, conclusions.
    """
    import pandas as pd

    family = every_pair(len(run_names))
    conclusions = compare_conclusions_of_two_measures(
        (first_verdicts.difference, second_verdicts.difference),
        (first_verdicts.significant, second_verdicts.significant),
    )
    return pd.DataFrame(
        {
            "run": [run_names[number] for number in family.first.tolist()],
            "other": [run_names[number] for number in family.second.tolist()],
            "difference": first_verdicts.difference,
            "p": first_verdicts.p,
            "new difference": second_verdicts.difference,
            "new p": second_verdicts.p,
            "conclusions": [CONCLUSIONS[kind] for kind in conclusions.kind.tolist()],
        }
    )


_GAIN = re.compile(r"gain=(\{[^}]*\}|[^,){]*),?")


@record
class MeasuresUnderGains:
    """K measures of S runs on T topics.

    gains  the gains of all its measures, as they were written; empty: each has its own
    table  the scores
    names  the printed names of the measures that are studied, in order
    """

    gains: str
    table: ScoreTable
    names: tuple[str, ...]

    @property
    def names_without_gains(self) -> tuple[str, ...]:
        """What the measures are called; the gains are left out where the block says them."""
        if not self.gains:
            return self.names
        short = tuple(
            _GAIN.sub("", name).replace(",)", ")").replace("()", "") for name in self.names
        )
        return short if len(set(short)) == len(short) else self.names

    def select_runs(self, run_indices: Sequence[int]) -> MeasuresUnderGains:
        """The same of some of the runs."""
        return replace(self, table=self.table.select_runs(run_indices))

    @property
    def criteria(self) -> list[Criterion]:
        """The scores of each measure."""
        return criteria_of(self.table, self.names)


def refuse_incomparable_blocks(blocks: Sequence[MeasuresUnderGains]) -> None:
    """Refuse blocks whose scores cannot stand beside one another."""
    if not blocks or not blocks[0].names:
        raise UsageError("there is no measure to study")
    first = blocks[0]
    if len(first.table.run_names) < 2:
        raise UsageError("this study compares runs: give two or more")
    for block in blocks[1:]:
        mine, others = block.table, first.table
        if mine.run_names != others.run_names or mine.topics != others.topics:
            raise MismatchError("the runs and their topics must be the same for all gains")
        if len(block.names) != len(first.names):
            raise MismatchError("the measures must be the same for all gains")


def drop_empty_gains(table: pd.DataFrame) -> pd.DataFrame:
    """A table without its column `gains` where no block names any."""
    if "gains" not in table or table["gains"].any():
        return table
    table_without_gains = table.drop(columns="gains")
    table_without_gains.attrs = table.attrs
    return table_without_gains
