"""How often measures find two runs significantly different, and from which difference on.

T. Sakai, SIGIR 2006, "Evaluating evaluation metrics based on the bootstrap"; his figures and tables
for graded relevance (2006, Tables 2 and 3, figures 13 and 14): the same samples of the topics
serve all pairs of runs, all measures and all definitions of gains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from irev.core.arrays import Floats, TopicsByRuns
from irev.core.draws import topic_draws
from irev.core.job import DrawFigure, FigureWidth, job
from irev.core.judged import Input
from irev.core.option_records import Opt
from irev.core.record import record
from irev.core.text import count_text
from irev.core.workers import progress_reporter
from irev.engine.score_runs import score_runs, table_if_scores
from irev.errors import Notice, UsageError, note
from irev.jobs.plots.layout import FigureLayout
from irev.jobs.plots.plot import measure_lines_by_gains_figure, notes_of, parameters_of, run_names
from irev.jobs.result import StudyResult
from irev.jobs.score_job import watch_runs
from irev.jobs.studies.correlation import best_run_of_each_listed_team
from irev.jobs.studies.criteria import (
    FOUR,
    MeasuresUnderGains,
    TeamOptions,
    criteria_of,
    drop_empty_gains,
    printed_names,
    refuse_incomparable_blocks,
    scored_columns,
)
from irev.measures.naming.grammar import measure_names
from irev.options import ALPHA, BETA, LOG_BASE, MAX_GRADE, PREDICTED, SEED, Options, ScoringOptions
from irev.read.inputs import given_runs, path_of, rewindable
from irev.scores.signature import comparison_signature
from irev.scores.table import ScoreTable
from irev.statistics.differences import every_pair
from irev.statistics.discrimination import (
    ALPHAS,
    Discrimination,
    add_monte_carlo_errors,
    bootstrap_discrimination,
    concordance,
    discrimination_by_hsd,
    discrimination_by_test_without_estimates,
    disjoint_topic_sets,
    fit_swaps,
    random_topic_sets,
    stability,
    swap_method,
    two_samples_with_replacement,
)
from irev.statistics.methods import (
    TESTS,
    DoneTest,
    reasons_of_other_tests,
    signed_test,
    tests_done_text,
)
from irev.writers.document import signatures_data

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


FUZZINESS = tuple(percent / 100 for percent in range(1, 11))
"""Of the stability method: means are tied whose difference is below so much of the larger."""

_METHODS = "Other methods"


class DiscriminativePowerOptions(TeamOptions, ScoringOptions):
    """How all pairs of runs are tested, under which gains, and what other methods are used.

    Several gains make a block of results each. `against` and `concordance` name measures.
    """

    without: ClassVar[Sequence[str]] = ("classes", *PREDICTED)
    default_measures: ClassVar[tuple[str, ...]] = (*FOUR, "nDCG@10", "P@10")

    alphas: Annotated[
        Sequence[float],
        ALPHA.replace(
            help="Significance level; may be repeated. Default: 0.05 and 0.01.",
        ),
    ] = ()
    test: Annotated[
        str,
        Opt(
            "--test",
            choices=tuple(TESTS),
            help="The test of all pairs.",
        ),
    ] = "bootstrap"
    resamples: Annotated[
        int,
        Opt(
            "-B",
            "--resamples",
            metavar="B",
            least=1,
            most=10_000_000,
            help="Number of samples of the topics, or of permutations.",
        ),
    ] = 1000
    seed: Annotated[int, SEED.replace(help="Seed of the samples and sets of topics.")] = 0
    topic_set_size: Annotated[
        int | None,
        Opt(
            "--topic-set-size",
            metavar="C",
            least=2,
            most=10_000_000,
            help="Number of topics in a set. Default: all topics for samples with replacement, "
            "half of them for --swap and --stability. For more than half, --swap extrapolates.",
        ),
    ] = None
    against: Annotated[
        str | None,
        Opt(
            "--against",
            metavar="NAME",
            help="Mark the measures that find more significant pairs than this one. Default: AP.",
        ),
    ] = None
    gains: Annotated[
        Sequence[str],
        Opt(
            "--gains",
            metavar="MAP|RATIO|exp",
            help="Gains of the grades, the highest first, such as 3:2:1; repeated, a block of "
            "results for each.",
        ),
    ] = ()
    swap: Annotated[
        bool,
        Opt(
            "--swap",
            section=_METHODS,
            help="The swap method (Voorhees and Buckley 2002). It finds how often two disjoint "
            "sets of topics contradict each other, and the difference that is required.",
        ),
    ] = False
    with_replacement: Annotated[
        bool,
        Opt(
            "--with-replacement",
            section=_METHODS,
            help="With --swap: two samples of all topics with replacement (Sakai 2006).",
        ),
    ] = False
    stability: Annotated[
        bool,
        Opt(
            "--stability",
            section=_METHODS,
            help="The stability method (Buckley and Voorhees 2000): error rates and ties.",
        ),
    ] = False
    trials: Annotated[
        int | None,
        Opt(
            "--trials",
            metavar="N",
            least=1,
            most=10_000_000,
            section=_METHODS,
            help="With --swap or --stability: how many sets are drawn. Default: 1000.",
        ),
    ] = None
    concordance: Annotated[
        Sequence[str],
        Opt(
            "--concordance",
            metavar="GOLD",
            section=_METHODS,
            help="Where two measures disagree, which of them agrees with this simple one (Sakai "
            "2012); may be repeated.",
        ),
    ] = ()
    # the gains are an option of their own
    defaults: Annotated[Sequence[tuple[str, Any]], BETA, LOG_BASE, MAX_GRADE] = ()

    def _check(self) -> None:
        super()._check()
        if self.topic_set_size and self.test != "bootstrap":
            raise UsageError(f"a size of topic sets needs the bootstrap test, not {self.test}")
        if len(set(self.gains)) < len(self.gains):
            raise UsageError("--gains: duplicate gains")
        if self.with_replacement and not self.swap:
            raise UsageError("--with-replacement needs --swap")
        if self.trials and not (self.swap or self.stability):
            raise UsageError("--trials needs --swap or --stability")

    @property
    def levels(self) -> tuple[float, ...]:
        """The levels of significance, each once."""
        return tuple(dict.fromkeys(self.alphas)) or ALPHAS

    @property
    def num_resamples(self) -> int:
        """How many resamples are drawn; 0 by a test that draws none."""
        return self.resamples if TESTS[self.test].default_resamples else 0

    @property
    def correction(self) -> str:
        """What is done about the number of pairs."""
        return "of the test itself" if TESTS[self.test].simultaneous else "none"

    @property
    def num_trials(self) -> int:
        """How many sets of topics are drawn by either other method."""
        return self.trials or 1000

    def with_gains(self, gains: str) -> DiscriminativePowerOptions:
        """The same with gains of grades for all measures whose names leave them open."""
        values = {**dict(self.defaults), "gain": gains}
        keys = [opt.pair_key for opt in Options.fields()["defaults"].opts.values()]
        return self.replace(defaults=tuple((key, values[key]) for key in keys if key in values))

    def extrapolates(self, num_topics: int) -> bool:
        """Whether swap rates of larger sets are fitted: two would not be disjoint."""
        size = self.topic_set_size or 0
        return self.swap and not self.with_replacement and size > num_topics // 2

    def swap_stability_concordance_parameters(self, num_topics: int) -> dict[str, Any]:
        """The other methods, as JSON can hold them."""
        parameters: dict[str, Any] = {}
        if self.swap:
            parameters["swap"] = "samples" if self.with_replacement else "disjoint"
        if self.extrapolates(num_topics):
            parameters["swap"] = "extrapolated"
        if self.stability:
            parameters["stability"] = list(FUZZINESS)
        if parameters:
            parameters["trials"] = self.num_trials
        if self.concordance:
            parameters["concordance"] = list(self.concordance)
        return parameters


NAME = "discriminative-power"
BASELINES = ("AP", "map")
"""What measures are set against, where nothing else is named and it is there."""

MORE, AS_MANY = "more", "as many or more"


@job(DiscriminativePowerOptions)
def discriminative_power(
    qrels_or_table: Input,
    runs: Input = (),
    measures: object = (),
    *,
    options: DiscriminativePowerOptions,
) -> StudyResult:
    """How often measures find two runs significantly different, and from which difference on.

    Args:
        qrels_or_table: judgments, as `irev.evaluate` takes them; None where all runs are saved
            scores, where a matrix (topics x runs) is a measure by the name of its file; or a table
            of scores.
        runs: runs and files of saved scores: a list, a mapping by name, a path with wildcards.
        measures: names as `irev.evaluate` takes them; none: AP, Q, nDCG(b=2)@1000, genAP, nDCG@10
            and P@10, or all that saved scores have.
        options: the record `DiscriminativePowerOptions`, whose fields are keywords, too.

    Returns:
        The tables of `power_of_blocks`, a block for each definition of gains.

    Raises:
        UsageError: an option or a measure that makes no sense here; less than two runs.
        InputError: an input that cannot be read.
        MismatchError: scores that are not comparable.
    """
    qrels_or_table, runs = table_if_scores(qrels_or_table, runs, options)
    blocks, printed_options, team_measure = _score_blocks(qrels_or_table, runs, measures, options)
    parameters = {}
    notices: Sequence[Notice] = ()
    doubts = tuple(doubt for block in blocks for doubt in block.table.doubts)
    if options.teams:
        best, notices = best_run_of_each_listed_team(options, blocks[0].table, team_measure)
        run_indices = [blocks[0].table.run_names.index(run) for run in best.run_names]
        blocks = [block.select_runs(run_indices) for block in blocks]
        parameters["best of teams"] = {"file": options.teams, "by": options.best}
    watch = progress_reporter("measures")
    result = power_of_blocks(blocks, printed_options, notices=notices, watch=watch)
    return replace(result, parameters={**result.parameters, **parameters}, doubts=doubts)


def _score_blocks(
    qrels_or_table: Input, runs: Input, measures: object, options: DiscriminativePowerOptions
) -> tuple[list[MeasuresUnderGains], DiscriminativePowerOptions, str]:
    """The scores, a block for each definition of gains; the options; what teams are chosen by.

    The options, and the measure by whose mean the best run of each team is chosen, have measures
    by their printed names in the first block.
    """
    is_saved = qrels_or_table is None or isinstance(qrels_or_table, ScoreTable)
    if options.gains and is_saved:
        raise UsageError("--gains needs QRELS RUN...")
    runs = rewindable(runs)
    if len(options.gains) > 1:
        sources = [qrels_or_table, *given_runs(runs).sources]
        if "-" in map(path_of, sources):
            raise UsageError("standard input (-) cannot be read twice: give files")
    studied = tuple(measure_names(measures)) or (() if is_saved else options.default_measures)
    more = (*([options.best] if options.best else []), *options.concordance)
    scored_measures = () if is_saved else (*studied, *more)
    blocks: list[MeasuresUnderGains] = []
    for gains in options.gains or (None,):
        block_options = options if gains is None else options.with_gains(gains)
        table = score_runs(qrels_or_table, runs, scored_measures, block_options, watch=watch_runs)
        printed = partial(printed_names, table=table, options=block_options)
        names = table.measure_names
        if studied and (more or is_saved):
            names = tuple(dict.fromkeys(name for text in studied for name in printed(text)))
        blocks.append(MeasuresUnderGains(gains or "", table, names))
        if len(blocks) == 1:
            gold = [printed(text)[0] for text in options.concordance]
            best, against = (printed(t)[0] if t else "" for t in (options.best, options.against))
    return blocks, options.replace(concordance=gold, against=against or None), best


def power_of_blocks(
    blocks: Sequence[MeasuresUnderGains],
    options: DiscriminativePowerOptions,
    *,
    notices: Sequence[Notice] = (),
    watch: Callable[[Sequence[Any]], Iterable[Any]] = iter,
) -> StudyResult:
    """Test all P = S(S-1)/2 pairs of runs under every measure, by the same samples of the topics.

    For a pair, with z_t the difference of the scores on topic t: t(z) = mean z / (sd z / sqrt n);
    w_t = z_t - mean z; for each of B samples of the topics with replacement t* likewise of w. The
    achieved significance level (ASL) is the share of samples with |t*| >= |t(z)|; a pair is
    significant where it is below alpha. Discriminative power is the share of significant pairs. The
    estimated difference is the largest over the pairs of |mean w*| at the ceil(B alpha)-th largest
    |t*|. Identical runs have the ASL 1, runs that differ by a constant that of the sign flips,
    2^(1 - n). Nothing is corrected for
    the number of pairs. Other tests, if the options name one, give other levels, and for the number
    of pairs the randomised HSD allows itself.

    Args:
        blocks: the scores, under each of the gains.
        options: of the tests and of other methods; measures by their printed names.
        notices: for the result, before its own.
        watch: passes on measures as they are tested; for a progress bar.

    Returns:
        Tables `power` (for people: by falling count, then by difference and name; which measures
        find more significant pairs than the baseline under all gains), `sensitivity` (the same in
        full), `pairs` (every pair under every measure), `asl` with its figure, and those of
        `method_tables`.

    Source: Sakai, SIGIR 2006, figures 1, 2 and 5.
    """
    import pandas as pd

    refuse_incomparable_blocks(blocks)
    first = blocks[0].table
    discriminate = _discriminator(options, len(first.topics), len(first.run_names))
    work = [
        (block, measure, criterion)
        for block in blocks
        for measure, criterion in zip(block.names_without_gains, block.criteria, strict=True)
    ]
    tested = []
    for block, measure, criterion in watch(work):
        found = discriminate(criterion.scores)
        name = f"{measure} with gains {block.gains}" if block.gains else measure
        test_done = DoneTest(found.done or options.test, name, found.reason)
        tested.append(_TestedMeasure(block, measure, found, test_done))
    baseline = _baseline(blocks[0], options.against)
    sensitivity = _sensitivity_table(tested, options.levels)
    parts = [
        pd.DataFrame(
            {
                "gains": each.block.gains,
                "measure": each.measure,
                "place": np.arange(1, len(each.discrimination.asl) + 1),
                "asl": each.discrimination.curve(),
            }
        )
        for each in tested
    ]
    tables = {
        "power": _power_table(sensitivity, baseline),
        "sensitivity": sensitivity,
        "pairs": _pairs_table(tested, run_names(first)),
        "asl": pd.concat(parts, ignore_index=True),
    }
    more = method_tables(blocks, options)
    tables = {name: drop_empty_gains(table) for name, table in {**tables, **more.tables}.items()}
    return StudyResult(
        NAME,
        _parameters(blocks, options, tested, baseline),
        tables,
        ("power", *more.shown),
        {"asl": partial(asl_figure, tables["asl"], options.levels), **more.figures},
        (*notes_of(first), *notices, *map(note, (*_notes(tested, options, baseline), *more.notes))),
    )


@record
class _TestedMeasure:
    """What a measure of a block says of all pairs of runs, by which test."""

    block: MeasuresUnderGains
    measure: str
    discrimination: Discrimination
    test_done: DoneTest


def _discriminator(
    options: DiscriminativePowerOptions, num_topics: int, num_runs: int
) -> Callable[[TopicsByRuns], Discrimination]:
    """What tests all pairs of runs under a measure, by the same draws for every measure."""
    run_pairs, alphas = every_pair(num_runs), options.levels
    if options.test == "bootstrap":
        samples = topic_draws(
            options.seed, options.resamples, num_topics, options.topic_set_size or 0
        )
        return lambda scores: add_monte_carlo_errors(
            bootstrap_discrimination(scores, run_pairs, samples, alphas), scores, run_pairs, samples
        )
    draws = (alphas, options.resamples, options.seed)
    if options.test == "rthsd":
        return lambda scores: discrimination_by_hsd(scores, run_pairs, *draws)
    return lambda scores: discrimination_by_test_without_estimates(
        options.test, scores, run_pairs, *draws
    )


def _baseline(block: MeasuresUnderGains, named_baseline: str | None) -> str | None:
    """What the block calls the measure that others are set against."""
    measure_by_name = dict(zip(block.names, block.names_without_gains, strict=True))
    if named_baseline is None:
        return next((measure_by_name[name] for name in BASELINES if name in measure_by_name), None)
    if named_baseline in measure_by_name.values():
        return named_baseline
    for column in scored_columns(named_baseline, block.table):
        if column.name in measure_by_name:
            return measure_by_name[column.name]
    raise UsageError(
        f"there are no scores of {named_baseline}: {', '.join(block.names_without_gains)}"
    )


def _sensitivity_table(tested: Sequence[_TestedMeasure], alphas: Sequence[float]) -> pd.DataFrame:
    """For each block, level and measure how many pairs are significant, and the difference."""
    import pandas as pd

    rows = []
    for each in tested:
        discrimination = each.discrimination
        for alpha in alphas:
            num_significant = int(np.count_nonzero(discrimination.significant(alpha)))
            num_pairs = len(discrimination.asl)
            difference = discrimination.estimated_difference(alpha)
            share = discrimination.power(alpha)
            error = float(discrimination.errors[discrimination.alphas.index(alpha)])
            rows.append(
                (
                    each.block.gains,
                    alpha,
                    each.measure,
                    num_significant,
                    num_pairs,
                    share,
                    difference,
                    error,
                )
            )
    names = ["gains", "alpha", "measure", "significant", "pairs", "share", "difference", "error"]
    table = pd.DataFrame(rows, columns=names)
    block_index = {gains: index for index, gains in enumerate(dict.fromkeys(table["gains"]))}
    level_index = {alpha: index for index, alpha in enumerate(alphas)}
    key = table.assign(
        block=table["gains"].map(block_index),
        level=table["alpha"].map(level_index),
        fewer=-table["significant"],
    )
    order = key.sort_values(["level", "block", "fewer", "difference", "measure"]).index
    return table.loc[order].reset_index(drop=True)


def _power_table(sensitivity: pd.DataFrame, baseline: str | None) -> pd.DataFrame:
    """The same as people read it: `68/105=65%`."""
    import pandas as pd

    table = pd.DataFrame(
        {
            "alpha": sensitivity["alpha"],
            "gains": sensitivity["gains"],
            "measure": sensitivity["measure"],
            "significant": [
                f"{count}/{pairs}={share:.0%}"
                for count, pairs, share in zip(
                    sensitivity["significant"].tolist(),
                    sensitivity["pairs"].tolist(),
                    sensitivity["share"].tolist(),
                    strict=True,
                )
            ],
            "difference": sensitivity["difference"],
            "error": sensitivity["error"],
        }
    )
    if baseline is not None:
        blocks = ["alpha", "gains"]
        theirs = sensitivity[sensitivity["measure"] == baseline].set_index(blocks)["significant"]
        marks = {baseline: ""}
        for measure, rows in sensitivity.groupby("measure"):
            ahead = rows.set_index(blocks)["significant"] - theirs
            mark = MORE if (ahead > 0).all() else AS_MANY if (ahead >= 0).all() else ""
            marks.setdefault(str(measure), mark)
        table[f"than {baseline}"] = [marks[measure] for measure in sensitivity["measure"]]
    table.attrs["forms"] = {"alpha": "g", "difference": ".2f", "error": ".3f"}
    return table


def _pairs_table(tested: Sequence[_TestedMeasure], run_names: Sequence[str]) -> pd.DataFrame:
    """Every pair of runs under every measure."""
    import pandas as pd

    run_pairs = every_pair(len(run_names))
    names = np.array(run_names, dtype=object)
    parts = []
    for each in tested:
        discrimination = each.discrimination
        part = pd.DataFrame(
            {
                "gains": each.block.gains,
                "measure": each.measure,
                "run": names[run_pairs.first],
                "other": names[run_pairs.second],
                "difference": discrimination.difference,
                "count": discrimination.count,
                "resamples": discrimination.resamples,
                "asl": discrimination.asl,
                "identical": discrimination.identical,
                "constant": discrimination.constant,
            }
        )
        for level, alpha in enumerate(discrimination.alphas):
            part[f"significant {alpha:g}"] = discrimination.significant(alpha)
            part[f"estimated {alpha:g}"] = discrimination.estimated[level]
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _parameters(
    blocks: Sequence[MeasuresUnderGains],
    options: DiscriminativePowerOptions,
    tested: Sequence[_TestedMeasure],
    baseline: str | None,
) -> dict[str, Any]:

    first = blocks[0]
    num_topics = len(first.table.topics)
    choices: dict[str, Any] = {
        "study": NAME,
        "test": signed_test(options.test, [each.test_done for each in tested]),
        "alpha": list(options.levels),
        "resamples": options.num_resamples,
        "seed": options.seed,
        "topic_set_size": options.topic_set_size or num_topics,
        "pairs": len(every_pair(len(first.table.run_names))),
        "correction": options.correction,
        **({"missing": "zero"} if first.table.counts_missing_as_zero else {}),
        **options.swap_stability_concordance_parameters(num_topics),
    }
    if baseline is not None:
        choices["against"] = baseline
    parameters = parameters_of(first.table, **choices)
    parameters["measures"] = list(first.names_without_gains)
    parameters["signature"] = signatures_data(
        [comparison_signature(block.table, choices) for block in blocks]
    )
    parameters["blocks"] = [
        {"gains": block.gains, "printed": list(block.names)} for block in blocks
    ]
    return parameters


def _notes(
    tested: Sequence[_TestedMeasure], options: DiscriminativePowerOptions, baseline: str | None
) -> list[str]:
    first = tested[0]
    table = first.block.table
    num_topics, num_pairs = len(table.topics), len(first.discrimination.asl)
    size = f" of {options.topic_set_size} topics" if options.topic_set_size else ""
    exact = ", exact where possible" if TESTS[options.test].exact_if_possible else ""
    draws = least = ""
    if options.num_resamples:
        noun = "samples" if options.test == "bootstrap" else "resamples"
        draws = (
            f", B={options.num_resamples} {noun}{size}, seed={options.seed}, the same for all "
            "measures"
        )
        least = (
            f"an ASL (achieved significance level) of 0 is below {1 / options.num_resamples:g}; "
        )
    tests_done = [each.test_done for each in tested]
    notes = [
        f"{tests_done_text(tests_done, 'phrase')}{exact}, two-sided: "
        f"n={count_text(num_topics, 'topic')}{draws}; family of "
        f"{count_text(num_pairs, 'pair')} of {len(table.run_names)} runs, correction: "
        f"{options.correction}",
        *reasons_of_other_tests(tests_done),
        f"{least}power is a property of these runs and topics, and high power "
        "does not make a measure valid",
    ]
    if any(np.isfinite(each.discrimination.errors).any() for each in tested):
        notes.append(
            "error: the Monte Carlo error of the difference, which more resamples make smaller"
        )
    lowest = min(options.levels)
    if options.num_resamples and options.num_resamples * lowest < 1:
        notes.append(
            f"B={options.resamples} gives no level below {1 / options.resamples:g}: draw more "
            f"for alpha {lowest:g}"
        )
    if baseline is not None and len(first.block.names) > 1:
        gains = " and gains" if any(each.block.gains for each in tested) else ""
        notes.append(f"'{MORE}': more significant pairs than {baseline} at all levels{gains}")
    for flag, text in (
        ("identical", "equal scores on all topics, and the ASL 1"),
        ("constant", "the same difference on all topics"),
    ):
        for each in tested:
            num_flagged = int(np.count_nonzero(getattr(each.discrimination, flag)))
            if num_flagged:
                have = count_text(num_flagged, "pair has", "pairs have")
                notes.append(f"{each.test_done.measure}: {have} {text}")
    return notes


def asl_figure(
    table: pd.DataFrame, alphas: Sequence[float], *, width: FigureWidth = "page"
) -> Figure:
    """ASL curves: the level that each pair achieves, falling, with a line across at each alpha."""

    def finish(layout: FigureLayout, panel: Axes, points: pd.DataFrame) -> None:
        for alpha in alphas:
            layout.draw_named_level(panel, alpha, f"α = {alpha:g}")
        # levels matter up to some times the highest alpha
        top = min(1.0, 3 * max(alphas))
        if points["asl"].min() > top:
            top = 1.05
        pairs = int(points["place"].max())
        panel.set(xlim=(0, pairs + 1), ylim=(-0.02 * top, top))
        layout.count_by(panel, "x")
        for line in panel.lines:
            if np.min(line.get_ydata()) > top:
                line.set_label(f"{line.get_label()} (all above {top:g})")
        panel.set_xlabel("pairs of runs, by decreasing ASL")
        panel.set_ylabel("achieved significance level (ASL)")

    return measure_lines_by_gains_figure(table, "place", "asl", finish, width=width)


# --- What other methods say: swap and stability methods, and concordance ---


RATE = 0.05
"""The swap rate that a required difference keeps to."""


@record
class MethodTables:
    """What other methods say of measures: parts of a result."""

    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    shown: list[str] = field(default_factory=list)
    figures: dict[str, DrawFigure] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def method_tables(
    blocks: Sequence[MeasuresUnderGains], options: DiscriminativePowerOptions
) -> MethodTables:
    """What was asked for, for all measures of all blocks.

    A set has `topic_set_size` topics; without that half of them, or all in samples with
    replacement. The swap rates of disjoint sets of more than half are fitted.

    Returns:
        `required` and `swap` (Voorhees and Buckley, SIGIR 2002), `stability` (Buckley and Voorhees,
        SIGIR 2000), `concordance` (Sakai, WWW 2012), with figures.
    """
    parts = MethodTables()
    set_size = options.topic_set_size or len(blocks[0].table.topics) // 2
    if options.swap:
        _add_swaps(parts, blocks, options, set_size)
    if options.stability:
        _add_stability(parts, blocks, options, set_size)
    if options.concordance:
        _add_concordance(parts, blocks, options.concordance)
    return parts


def _add_swaps(
    parts: MethodTables,
    blocks: Sequence[MeasuresUnderGains],
    options: DiscriminativePowerOptions,
    set_size: int,
) -> None:
    """The required differences and the swap rates of sets of topics, drawn or fitted."""
    import pandas as pd

    num_topics = len(blocks[0].table.topics)
    is_fitted, kind = options.extrapolates(num_topics), "two disjoint sets"
    if options.with_replacement:
        set_size, kind = options.topic_set_size or num_topics, "two samples with replacement"
    if not is_fitted:
        draw = two_samples_with_replacement if options.with_replacement else disjoint_topic_sets
        sets = draw(options.seed, options.num_trials, num_topics, set_size)
    required_rows, curves, tie_texts = [], [], []
    for block in blocks:
        for measure, criterion in zip(block.names_without_gains, block.criteria, strict=True):
            row_start = {"gains": block.gains, "measure": measure}
            facts: dict[str, Any]
            if is_fitted:
                fitted = fit_swaps(criterion.scores, options.seed, options.num_trials)
                sizes, rates = fitted.sizes, fitted.rates(set_size)
                facts = {
                    "required": fitted.required_difference(set_size, RATE),
                    "settled": _settled_difference(fitted.lower, rates, RATE),
                    "rates": "extrapolated",
                }
                fit = {"difference": fitted.lower, "a": fitted.a, "b": fitted.b}
                curve = pd.DataFrame(fit).assign(topics=set_size, rate=rates)
            else:
                swaps = swap_method(criterion.scores, *sets)
                share = swaps.ties / max(1, int(swaps.comparisons[0]))
                if share >= 0.1:
                    tie_texts.append(f"{measure} {share:.0%}")
                facts = {
                    "required": swaps.required_difference(RATE),
                    "sensitivity": swaps.sensitivity(RATE),
                    "settled": _settled_difference(swaps.lower, swaps.rates, RATE),
                }
                edges = {"difference": swaps.lower, "comparisons": swaps.comparisons}
                curve = pd.DataFrame({**edges, "swaps": swaps.swaps, "rate": swaps.rates})
            required_rows.append({**row_start, "topics": set_size, **facts})
            curves.append(curve.assign(**row_start)[[*row_start, *curve.columns]])
    parts.tables["required"] = pd.DataFrame(required_rows)
    parts.tables["swap"] = pd.concat(curves, ignore_index=True)
    parts.shown.append("required")
    label = "swap rate, extrapolated" if is_fitted else "swap rate"
    parts.figures["swap"] = partial(swap_figure, parts.tables["swap"], RATE, label)
    if is_fitted:
        parts.notes.append(
            f"swap method, EXTRAPOLATED to {set_size} topics: a exp(-b n) fitted, bin by bin, "
            "to the swap rates of two disjoint sets of n = "
            f"{', '.join(map(str, sizes.tolist()))} topics in {options.num_trials} "
            f"trials each, seed={options.seed}; required: the lowest difference whose rate is "
            f"at most {RATE:.0%}, in steps of 0.01; settled: the lowest from which on no rate "
            "is higher"
        )
        return
    parts.notes.append(
        f"swap method: {kind} of {set_size} topics in each of {options.num_trials} trials, "
        f"seed={options.seed}; required: the lowest difference whose swap rate is at most "
        f"{RATE:.0%}, in steps of 0.01; sensitivity: the share of comparisons with that difference "
        "or more; settled: the lowest difference from which on no swap rate is higher"
    )
    if tie_texts:
        parts.notes.append(
            "swap method: two equal means cannot swap, so ties keep the rate of the lowest bin "
            f"low; its share of ties: {', '.join(dict.fromkeys(tie_texts))}"
        )


def _settled_difference(lower_edges: Floats, rates: Floats, highest_rate: float) -> float:
    """The lower edge of the lowest bin from which on no rate is higher; NaN where there is none.

    Scores of few values leave bins that hold ties alone, which swap nothing.
    """
    higher_bins = np.flatnonzero(rates > highest_rate)
    first_bin = int(higher_bins[-1]) + 1 if len(higher_bins) else 0
    return float(lower_edges[first_bin]) if first_bin < len(lower_edges) else float("nan")


def _add_stability(
    parts: MethodTables,
    blocks: Sequence[MeasuresUnderGains],
    options: DiscriminativePowerOptions,
    set_size: int,
) -> None:
    import pandas as pd

    trial_sets = random_topic_sets(
        options.seed, options.num_trials, len(blocks[0].table.topics), set_size
    )
    rows = []
    for block in blocks:
        for measure, criterion in zip(block.names_without_gains, block.criteria, strict=True):
            rates = stability(criterion.scores, trial_sets, FUZZINESS)
            for index, fuzziness in enumerate(FUZZINESS):
                rows.append(
                    {
                        "gains": block.gains,
                        "measure": measure,
                        "fuzziness": fuzziness,
                        "ties": float(rates.ties[index]),
                        "error rate": float(rates.minority[index]),
                    }
                )
    parts.tables["stability"] = pd.DataFrame(rows)
    parts.shown.append("stability")
    parts.figures["stability"] = partial(stability_figure, parts.tables["stability"])
    parts.notes.append(
        f"stability method: {options.num_trials} sets of {set_size} topics, seed={options.seed}; "
        "means whose difference is below fuzziness times the larger are ties, and the error rate "
        "is that of the comparisons against a pair's majority"
    )


def _add_concordance(
    parts: MethodTables, blocks: Sequence[MeasuresUnderGains], gold_measures: Sequence[str]
) -> None:
    import pandas as pd

    names_of_first = blocks[0].table.measure_names
    rows = []
    for block in blocks:
        studied = list(zip(block.names, block.names_without_gains, block.criteria, strict=True))
        for gold_measure in gold_measures:
            # what the first block calls so is printed otherwise in one of other gains
            gold_name = block.table.measure_names[names_of_first.index(gold_measure)]
            (gold,) = criteria_of(block.table, [gold_name])
            others = [(short, each.merit) for name, short, each in studied if name != gold.name]
            for (one, merit), (other, other_merit) in combinations(others, 2):
                counts = concordance(merit, other_merit, gold.merit)
                cases = counts.disagreements
                rows.append(
                    {
                        "gains": block.gains,
                        "gold": gold_measure,
                        "measure": one,
                        "with": other,
                        "cases": cases,
                        "measure agrees": counts.first / cases if cases else float("nan"),
                        "with agrees": counts.second / cases if cases else float("nan"),
                        "measure strictly": counts.first_strict,
                        "with strictly": counts.second_strict,
                        "p": counts.p,
                    }
                )
    if not rows:
        raise UsageError("--concordance compares two measures with a third: name the two with -m")
    parts.tables["concordance"] = pd.DataFrame(rows)
    parts.shown.append("concordance")
    parts.notes.append(
        "concordance: of the pairs of runs on a topic that two measures order oppositely, how "
        "often each does not contradict the gold measure, ties included; p is of the sign test "
        "between the strict counts, two-sided, correction: none"
    )


def swap_figure(
    table: pd.DataFrame, rate: float, y_label: str = "swap rate", *, width: FigureWidth = "page"
) -> Figure:
    """Swap rates by the size of the difference (the lower end of a bin), and the rate wanted."""
    last = float(table["difference"].max())

    def finish(layout: FigureLayout, panel: Axes, points: pd.DataFrame) -> None:
        layout.draw_named_level(panel, rate, f"{rate:.0%}")
        ticks = [last * quarter / 4 for quarter in range(5)]
        texts = [f"{tick:.2f}" for tick in ticks[:-1]] + [f"{last:.2f}+"]
        layout.number_ticks(panel, "x", ticks, texts)
        panel.set_xlim(-0.05 * last, 1.05 * last)
        panel.set_ylim(bottom=-0.01)
        panel.set_xlabel("difference of the means (lower end of a bin)")
        panel.set_ylabel(y_label)

    return measure_lines_by_gains_figure(table.dropna(), "difference", "rate", finish, width=width)


def stability_figure(table: pd.DataFrame, *, width: FigureWidth = "page") -> Figure:
    """Error rate against ties as the fuzziness grows, a line for each measure."""

    def finish(layout: FigureLayout, panel: Axes, points: pd.DataFrame) -> None:
        panel.set_ylim(bottom=0)
        panel.set_xlabel("proportion of ties")
        panel.set_ylabel("error rate (minority)")

    return measure_lines_by_gains_figure(table, "ties", "error rate", finish, width=width)
