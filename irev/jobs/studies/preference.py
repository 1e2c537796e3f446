"""Which of two runs is preferred, topic by topic, from the ranks of their relevant documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast

import numpy as np

from irev.core import workers
from irev.core.arrays import (
    DocumentRanks,
    Floats,
    Ints,
    RowIndices,
    RowStarts,
    TopicCounts,
    TopicIndices,
    TopicOfRow,
    TopicsByPairs,
    TopicValues,
    offsets,
    ranges,
    ranks_in_segments,
    run_starts,
    segment_starts,
    segment_sums,
)
from irev.core.job import FigureWidth, job
from irev.core.judged import Input, Rows
from irev.core.option_records import Opt
from irev.core.record import cached_property, record
from irev.core.text import count_text
from irev.engine.evaluate import RunEvaluator
from irev.engine.join_scores import align_topics, distinct_tables, replace_run_info
from irev.engine.run_facts import JudgedCounts, judged_counts
from irev.engine.score_runs import runs_or_scores, table_of_run, warns_of_run_or_judgments
from irev.errors import IrevError, MismatchError, Notice, UsageError, note
from irev.jobs.plots.layout import ROW_HEIGHT, FigureLayout, drawn_label, plot_style, short_labels
from irev.jobs.plots.plot import add_score_signatures, parameters_of, run_names, topic_names
from irev.jobs.result import StudyResult
from irev.jobs.score_job import watch_runs
from irev.options import PREDICTED, SEED, ScoringOptions
from irev.rank.judgments import GradedJudgments
from irev.rank.ranking import Ranked, empty_rankings, rank_rows
from irev.read.formats import GRADED
from irev.read.inputs import RunInput, distinct_names, error_naming_run
from irev.scores.scores import Scores, missing_topic_warnings
from irev.scores.table import ScoreTable
from irev.statistics.differences import RunPairs, every_pair, zero_noise
from irev.statistics.methods import (
    CORRECTIONS_OF_P,
    TESTS,
    TESTS_OF_MEANS,
    InferenceSettings,
    correct_p,
    default_draws_text,
    num_resamples_of,
)
from irev.statistics.significance_tests import sign_test

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


DEFAULT_PREFERENCES = ("rpp", "lexirecall", "lexiprecision")
"""The preferences that are looked at where none is named."""

_ALPHA = 0.05
"""The level at which as many are drawn as the correction needs."""


class PreferenceOptions(ScoringOptions):
    """Which preferences are looked at, and how the mean of each is tested for each pair of runs.

    The correction is for the number of pairs, of this test and of the sign test.
    """

    without: ClassVar[Sequence[str]] = (
        "classes",
        "weights",
        "duplicates",
        "intents",
        "nan",
        "defaults",
        "collection_size",
        "plugins",
        "pool",
        *PREDICTED,
    )

    preferences: Annotated[
        Sequence[
            Literal["rpp", "invrpp", "dcgrpp", "lexirecall", "lexiprecision", "rrlexiprecision"]
        ],
        Opt(
            "-m",
            "--preference",
            help="Add a preference; may be repeated. Default: rpp, lexirecall and lexiprecision.",
        ),
    ] = ()
    test: Annotated[
        str,
        Opt(
            "--test",
            choices=TESTS_OF_MEANS,
            help="The test of the mean preference. Default: permutation, exact where possible.",
        ),
    ] = "permutation"
    correction: Annotated[
        str,
        Opt(
            "--correction",
            choices=CORRECTIONS_OF_P,
            help="The correction for the number of pairs of runs.",
        ),
    ] = "holm"
    resamples: Annotated[
        int | None,
        Opt(
            "-B",
            "--resamples",
            metavar="B",
            least=1,
            most=10_000_000,
            help="How many permutations, or samples of the topics, are drawn where a test is not "
            f"exact. Default: {default_draws_text(TESTS_OF_MEANS)}, or as many as the correction "
            "needs.",
        ),
    ] = None
    seed: Annotated[int, SEED.replace(help="Seed of the draws.")] = 0

    @property
    def preference_names(self) -> tuple[str, ...]:
        """The preferences that are looked at, each once."""
        return tuple(dict.fromkeys(self.preferences)) or DEFAULT_PREFERENCES

    def num_resamples(self, num_pairs: int) -> int:
        """How many are drawn for a pair where p cannot be found exactly; 0 of a test without."""
        return num_resamples_of(self.test, self.correction, num_pairs, _ALPHA, self.resamples)

    def parameters(self, num_pairs: int) -> dict[str, Any]:
        """The tests, as JSON can hold them."""
        resamples = self.num_resamples(num_pairs)
        draws = {"resamples": resamples, "seed": self.seed} if resamples else {}
        return {"test": self.test, **draws, "correction": self.correction, "hypotheses": num_pairs}

    def tests_text(self, num_topics: int, num_pairs: int) -> str:
        """The tests, as a reader must know them."""
        resamples = self.num_resamples(num_pairs)
        form = (
            "exact, or {} permutations"
            if TESTS[self.test].exact_if_possible
            else "{} samples of the topics"
        )
        draws = f" ({form.format(resamples)}, seed {self.seed})" if resamples else ""
        return (
            "sign p: sign test, ties dropped; p: "
            f"{TESTS[self.test].phrase} of the mean preference{draws}; two-sided, "
            f"n={count_text(num_topics, 'topic')}, family of {count_text(num_pairs, 'pair')} of "
            "runs for each "
            "preference, "
            f"correction: {self.correction}"
        )


NAME = "preference"


@job(PreferenceOptions)
def preference(qrels: Input, runs: Input = (), *, options: PreferenceOptions) -> StudyResult:
    """Which run of each pair is preferred, by the ranks of the relevant documents alone.

    A positive preference is one for the first run of a pair. Relevant is a grade of `level` or
    more. A judged topic that a run lacks is an empty ranking; a topic without relevant documents is
    a tie.

    Args:
        qrels: judgments, as `irev.evaluate` takes them.
        runs: two runs or more: a list, a mapping by name, a path with wildcards.
        options: the record `PreferenceOptions`, whose fields are keywords, too.

    Returns:
        Tables `pairs` (measure, run, other, preference, wins, ties, losses of topics, sign p, p,
        both as corrected) and `topics` (run, other, topic, each preference); the figure `pairs`.

    Raises:
        UsageError: an option that makes no sense here; less than two runs.
        InputError: an input that cannot be read.
        MismatchError: a run and the judgments have no topic in common.
    """
    import pandas as pd

    ranks = relevant_ranks(qrels, runs, options)
    run_pairs = every_pair(len(ranks.table.runs))
    num_topics, num_pairs = len(ranks.table.topics), len(run_pairs)
    names, topics = run_names(ranks.table), topic_names(ranks.table)
    firsts, seconds = run_pairs.first.tolist(), run_pairs.second.tolist()
    runs = {"run": [names[index] for index in firsts], "other": [names[index] for index in seconds]}
    by_name, rows_of_pairs = {}, []
    for name in options.preference_names:
        prefer, _ = PREFERENCES[name]
        pairs = zip(firsts, seconds, strict=True)
        values = np.stack([prefer(ranks.pairs(*pair)) for pair in pairs], axis=1)
        by_name[name] = values
        columns = {"measure": name, **runs, **_test_columns(values, options)}
        rows_of_pairs.append(pd.DataFrame(columns))
    tables = {
        "pairs": pd.concat(rows_of_pairs, ignore_index=True),
        "topics": pd.DataFrame(
            {
                **{column: np.repeat(run, len(topics)) for column, run in runs.items()},
                "topic": topics * num_pairs,
                **{name: values.T.ravel() for name, values in by_name.items()},
            }
        ),
    }
    about = parameters_of(ranks.table)
    # there is no score that could be 0
    about.pop("missing_count_as_zero", None)
    parameters = {
        **about,
        "preferences": list(by_name),
        "level": options.level,
        "missing": "empty",
        **options.parameters(num_pairs),
    }
    notices = (*_notes(ranks, options), note(options.tests_text(num_topics, num_pairs)))
    figures = {"pairs": partial(preferred_runs_figure, tables["pairs"])}
    result = StudyResult(NAME, parameters, tables, ("pairs",), figures, notices=notices)
    return add_score_signatures(result, ranks.table)


def _test_columns(preferences: TopicsByPairs, options: PreferenceOptions) -> dict[str, Any]:
    """The columns of the P pairs, given float64[T, P]."""
    num_pairs = preferences.shape[1]
    # a preference is a difference already: it is set against 0
    scores = np.column_stack([preferences, np.zeros(len(preferences))])
    against_zero = RunPairs(np.arange(num_pairs), np.full(num_pairs, num_pairs))
    signs = sign_test(scores, against_zero)
    settings = InferenceSettings(num_resamples=options.num_resamples(num_pairs), seed=options.seed)
    p = TESTS[options.test].compute(scores, against_zero, settings).corrected
    columns = {
        "preference": np.cumsum(preferences, axis=0)[-1] / len(preferences),
        "wins": signs.wins,
        "ties": signs.ties,
        "losses": signs.losses,
        "sign p": signs.p,
    }
    if options.correction == "none":
        return {**columns, "p": p}
    corrected, signs_corrected = (correct_p(each, options.correction) for each in (p, signs.p))
    return {**columns, "corrected sign p": signs_corrected, "p": p, "corrected p": corrected}


def preferred_runs_figure(pairs_table: pd.DataFrame, *, width: FigureWidth = "page") -> Figure:
    """For each preference a square, a cell for each pair: is the row's run preferred?

    The runs are in the order of their mean preference over the others, by the first measure.
    """
    names = list(dict.fromkeys([*pairs_table["run"], *pairs_table["other"]]))
    place = {name: number for number, name in enumerate(names)}
    squares = {}
    for measure, rows in pairs_table.groupby("measure", sort=False):
        square = np.zeros((len(names), len(names)))
        first, second = rows["run"].map(place), rows["other"].map(place)
        square[first, second] = rows["preference"]
        square[second, first] = -rows["preference"]
        squares[str(measure)] = square
    order = np.argsort(-next(iter(squares.values())).sum(axis=1), kind="stable")
    labels, left_out = short_labels(names)
    run_labels = [labels[names[at]] for at in order]
    with plot_style(width):
        layout = FigureLayout(
            len(squares),
            width=width,
            height=max(1.6, ROW_HEIGHT * len(names)),
            panel_width=1.5,
            shared_names=run_labels,
        )
        for panel, (measure, square) in zip(layout.panels, squares.items(), strict=True):
            image = panel.imshow(
                square[np.ix_(order, order)], cmap="RdBu", vmin=-1, vmax=1, aspect="auto"
            )
            panel.set_title(drawn_label(measure))
            layout.name_ticks(panel, "x", range(len(run_labels)), run_labels)
            layout.name_ticks(panel, "y", range(len(run_labels)), run_labels)
        layout.add_colour_bar(layout.panels[-1], image, "mean preference")
        layout.add_sentence("Blue: for the run of the row.")
        layout.add_sentence(left_out)
        return layout.finish()


def _notes(ranks: RelevantRanks, options: PreferenceOptions) -> Iterator[Notice]:
    yield note(
        f"over {count_text(len(ranks.table.topics), 'topic')}; relevant is a grade of "
        f"{options.level} or more; a positive preference favours the first run of a pair"
    )
    for name in options.preference_names:
        yield note(f"{name}: {PREFERENCES[name][1]}")
    yield from ranks.notices
    missing_by_run = {run.name: run.missing for run in ranks.table.runs}
    consequence = "which count as empty rankings"
    yield from missing_topic_warnings(missing_by_run, len(ranks.table.topics), consequence)
    num_empty = int(np.count_nonzero(np.diff(ranks.start) == 0))
    if num_empty:
        topics = count_text(num_empty, "topic")
        yield note(f"{topics} without relevant documents: a tie of all runs")


# --- The ranks of the relevant documents in runs ---


@record
class RelevantRanks:
    """The ranks of the relevant documents in S runs, on T topics.

    table    the topics and the runs, without measures
    start    int64[T+1], each topic's slice of its levels of recall, 1 ... R
    rank     int64[S, n], the rank at each level; `UNSEEN` where the run does not reach it
    notices  what a reader must know: notes and warnings
    """

    table: ScoreTable
    start: Ints
    rank: Ints
    notices: tuple[Notice, ...]

    def pairs(self, first: int, second: int) -> RecallPairs:
        """Two of the runs, by their indices."""
        return RecallPairs(self.start, self.rank[first], self.rank[second])


@record
class _RelevantRanks:
    """A run with its relevant documents retrieved: index of the topic in the qrels, and rank."""

    table: ScoreTable
    topic_index: Ints
    rank: Ints


class _RanksReader(RunEvaluator):
    """Judgments by grades that find the relevant documents of runs."""

    def __init__(self, qrels: Input, options: PreferenceOptions) -> None:
        evaluation = options.evaluation()
        super().__init__(
            qrels, ["num_rel"], evaluation, qrels_format=options.qrels_format, sign=True
        )
        self._name_source = options.names

    @property
    def graded_judgments(self) -> GradedJudgments:
        """The judgments."""
        return cast("GradedJudgments", self.prepared_judgments.judgments)

    def num_rel(self, topic_indices: TopicIndices) -> TopicCounts:
        """int64[]: R of some topics, by their indices in the qrels."""
        return self.graded_judgments.judged_view(empty_rankings(topic_indices)).num_rel

    def rank_relevant_documents(self, run: RunInput, threads: int) -> tuple[_RelevantRanks, Scores]:
        """Read a run and find its relevant documents; its scores say what is doubtful."""
        qrels, ranking = self.graded_judgments.qrels, self.prepared_judgments.ranking

        def step(rows: Rows) -> tuple[Ranked, JudgedCounts]:
            ranked = rank_rows(rows, qrels, ranking)
            return ranked, judged_counts(ranked, rows, qrels, ranking)

        read = self.read_run(run.source, step, threads, may_be_empty=True)
        parts, topics, ranks = [], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for ranked, counts in read.results:
            judged = self.graded_judgments.judged_view(ranked)
            parts.append(self.prepared_judgments.judged_run_part(ranked, judged, counts))
            topics.append(ranked.lists[judged.relevant_topic])
            ranks.append(judged.relevant_rank)
        scores = self.scores_of_ranked_parts(parts, read.run_id, has_ranks=read.has_ranks)
        signature = self.sign(scores, read.sha256).signature
        signature = signature and replace(signature, measures={})
        scores = replace(scores, signature=signature, notices=(*scores.notices, *read.notices))
        table = replace_run_info(table_of_run(run, scores, self._name_source), duplicates=0)
        return _RelevantRanks(table, np.concatenate(topics), np.concatenate(ranks)), scores


def relevant_ranks(qrels: Input, runs: Input, options: PreferenceOptions) -> RelevantRanks:
    """Read runs, each once, and find the ranks of their relevant documents."""
    inputs = runs_or_scores(runs, options.own_columns)
    if len(inputs) < 2:
        raise UsageError("this study compares runs: give two or more")
    if options.qrels_format not in GRADED:
        raise UsageError(f"-R {options.qrels_format}: the judgments must be {' or '.join(GRADED)}")
    if options.several_orders:
        raise UsageError("this study needs one order of tied documents: --ties")
    reader = _RanksReader(qrels, options)
    threads = options.threads or workers.default_threads()

    def rank_relevant_documents(run: RunInput) -> tuple[_RelevantRanks, Scores]:
        try:
            return reader.rank_relevant_documents(run, 1)
        except MismatchError as error:
            raise error_naming_run(run.label, error) from None

    outcomes = watch_runs(
        workers.map_in_order(rank_relevant_documents, inputs, threads), len(inputs)
    )
    ranked_runs, scores = map(list, zip(*outcomes, strict=True))
    # what makes runs doubtful, also that one is the same as one before
    sources, names = [each.source for each in inputs], distinct_names([i.forms for i in inputs])
    with_twins = reader.add_twin_warnings(zip(sources, scores, strict=True), names)
    for index, (_, outcome) in enumerate(with_twins):
        if not isinstance(outcome, IrevError):
            run = ranked_runs[index]
            with_notices = replace(run.table, warnings=outcome.notices)
            ranked_runs[index] = replace(run, table=with_notices)
    tables = distinct_tables([each.table for each in ranked_runs], [each.forms for each in inputs])
    ranked_runs = [ranked_runs[table.runs[0].input_index] for table in tables]
    table = align_topics(tables, tables[0].columns, reader.options)
    on_runs = [
        notice.about(each.run_names[0])
        for each in tables
        for notice in filter(warns_of_run_or_judgments, each.warnings)
    ]
    topic_of_qrels = reader.graded_judgments.qrels.topic_index
    topic_indices = np.array([topic_of_qrels[topic] for topic in table.topics], np.int64)
    start = offsets(reader.num_rel(topic_indices))
    rank = np.stack([_ranks_at_recall_levels(each, topic_indices, start) for each in ranked_runs])
    no_values: Floats = np.zeros((0, len(table.topics), len(tables)))
    on_judgments = filter(warns_of_run_or_judgments, reader.notices)
    notices = (*on_judgments, *on_runs, *table.warnings)
    table = replace(table, columns=(), values=no_values, warnings=())
    return RelevantRanks(table, start, rank, notices)


UNSEEN = int(np.iinfo(np.int64).max)
"""The rank of a document that was not retrieved."""


def _ranks_at_recall_levels(
    run: _RelevantRanks, topic_indices: TopicIndices, start: RowStarts
) -> DocumentRanks:
    """int64[n]: the rank at each level of recall of the topics that count."""
    row_of_topic = np.full(max(topic_indices.max(), run.topic_index.max(initial=0)) + 1, -1)
    row_of_topic[topic_indices] = np.arange(len(topic_indices))
    row = row_of_topic[run.topic_index]
    counted = np.flatnonzero(row >= 0)
    # a topic's documents follow one another by rank
    counted = counted[np.argsort(row[counted], kind="stable")]
    begin = segment_starts(row[counted], len(topic_indices))
    rank = np.full(int(start[-1]), UNSEEN)
    rank[ranges(start[:-1], start[:-1] + np.diff(begin))] = run.rank[counted]
    return rank


# --- Which of two rankings is preferred, from the ranks of their relevant documents alone ---
# F. Diaz and A. Ferraro, SIGIR 2022, "Offline retrieval evaluation without evaluation metrics",
# for recall-paired preference; F. Diaz, M. D. Ekstrand and B. Mitra, ACM TORS 2025, "Recall,
# robustness, and lexicographic evaluation", for lexirecall; F. Diaz, EVIA 2023, "Best-case
# retrieval evaluation", for lexiprecision.
# A topic with R relevant documents has the levels of recall i = 1 ... R. x_i and y_i are the ranks
# of the i-th relevant document in the first and in the second ranking, infinite where it was not
# retrieved; the smaller one is preferred at level i.


@record
class RecallPairs:
    """The relevant documents of two rankings of each of T topics, paired by level of recall.

    start   int64[T+1], each topic's slice of the n levels of all topics
    first   int64[n], the ranks in the first ranking, rising within a topic; `UNSEEN` behind them
    second  int64[n], the ranks in the second
    """

    start: Ints
    first: Ints
    second: Ints

    @property
    def num_topics(self) -> int:
        """T."""
        return len(self.start) - 1

    @cached_property
    def topic(self) -> TopicOfRow:
        """int64[n]: the topic of each level."""
        return np.repeat(np.arange(self.num_topics), np.diff(self.start))

    @cached_property
    def sign(self) -> Ints:
        """int64[n]: of y_i - x_i, which is 0 where neither ranking has the document."""
        sign: Ints = np.sign(self.second - self.first)
        return sign


def rpp(rank_pairs: RecallPairs, weighting: str = "uniform") -> TopicValues:
    """Recall-paired preference, the weighted mean of sign(y_i - x_i) over the levels.

    RPP = sum_i w_i sign(y_i - x_i) / sum_i w_i, from -1 to 1; 0 where nothing is relevant.

    Args:
        rank_pairs: the ranks.
        weighting: w_i is 1 ("uniform"), 1 / i ("inverse") or 1 / log2(i + 1) ("dcg").

    Source: Diaz and Ferraro 2022, with relevance in two grades.
    """
    level = ranks_in_segments(rank_pairs.start).astype(float)
    weights = 1 / _DIVISORS[weighting](level)
    count = rank_pairs.num_topics
    above = segment_sums(rank_pairs.topic, weights * rank_pairs.sign, count)
    below = segment_sums(rank_pairs.topic, weights, count)
    # weights that cancel out leave noise
    return zero_noise(above / np.where(below > 0, below, 1.0), 1.0)


def lexirecall(rank_pairs: RecallPairs) -> TopicValues:
    """The sign at the last level of recall that differs: 1, -1, or 0 where none does.

    A ranking with more of the relevant documents is thereby preferred; of two with as many, that
    whose last one comes earlier, then the last but one, and so on.

    Source: Diaz, Ekstrand and Mitra 2025.
    """
    topic, level = _topics_and_differing_levels(rank_pairs, takes_last=True)
    return _by_topic(rank_pairs, topic, rank_pairs.sign[level])


def lexiprecision(rank_pairs: RecallPairs) -> TopicValues:
    """The sign at the first level of recall that differs: 1, -1, or 0 where none does.

    The ranking whose first relevant document comes earlier is preferred; where they are at the same
    rank, that whose second one does, and so on.

    Source: Diaz 2023.
    """
    topic, level = _topics_and_differing_levels(rank_pairs, takes_last=False)
    return _by_topic(rank_pairs, topic, rank_pairs.sign[level])


def rr_lexiprecision(rank_pairs: RecallPairs) -> TopicValues:
    """float64[T]: 1/x_i - 1/y_i at the first level of recall that differs, 0 where none does.

    Where the first relevant documents differ, this is the difference of the reciprocal ranks.

    Source: Diaz 2023.
    """
    topic, level = _topics_and_differing_levels(rank_pairs, takes_last=False)
    first, second = (
        np.where(rank == UNSEEN, 0.0, 1.0 / rank)
        for rank in (rank_pairs.first[level], rank_pairs.second[level])
    )
    return _by_topic(rank_pairs, topic, first - second)


_DIVISORS: Mapping[str, Callable[[Floats], Floats]] = {
    "uniform": np.ones_like,
    "inverse": lambda level: level,
    "dcg": lambda level: np.log2(level + 1),
}
"""What the weight of a level of recall is one by."""

PREFERENCES: Mapping[str, tuple[Callable[[RecallPairs], Floats], str]] = {
    "rpp": (rpp, "mean of the signs over the levels of recall"),
    "invrpp": (partial(rpp, weighting="inverse"), "mean of the signs, level i weighing 1/i"),
    "dcgrpp": (partial(rpp, weighting="dcg"), "mean of the signs, level i weighing 1/log2(i+1)"),
    "lexirecall": (lexirecall, "sign at the last level that differs"),
    "lexiprecision": (lexiprecision, "sign at the first level that differs"),
    "rrlexiprecision": (rr_lexiprecision, "difference of 1/rank at the first level that differs"),
}
"""Name -> (the preference, what it is)."""


def _topics_and_differing_levels(
    rank_pairs: RecallPairs, *, takes_last: bool
) -> tuple[TopicIndices, RowIndices]:
    """The topics with a level that differs, and the first or the last such level of each."""
    differs = np.flatnonzero(rank_pairs.sign)
    topic = rank_pairs.topic[differs]
    begin = run_starts(topic)
    edge = begin[1:] - 1 if takes_last else begin[:-1]
    return topic[edge], differs[edge]


def _by_topic(
    rank_pairs: RecallPairs, topic: TopicIndices, values: TopicValues | Ints
) -> TopicValues:
    """float64[T]: the values of some topics, 0 for the others."""
    by_topic = np.zeros(rank_pairs.num_topics)
    by_topic[topic] = values
    return by_topic
