"""`irev.studies.judgment_noise`: how much a mean changes when assessors disagree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from irev.core.arrays import (
    DocumentRanks,
    DocumentValues,
    Floats,
    MeasureValues,
    RankingsByMeasures,
    RowIndices,
    byte_order,
    column_means,
)
from irev.core.draws import random_words
from irev.core.job import FigureWidth, job
from irev.core.judged import Input, Rows
from irev.core.option_records import Opt
from irev.core.text import count_text, escape_non_utf8
from irev.core.workers import default_threads, progress_reporter
from irev.engine.doubts import judgment_warnings, unjudged_warnings
from irev.engine.map_topics import map_topics, read_excluded
from irev.engine.prepared_judgments import PreparedJudgments, RunPart, read_judgments
from irev.engine.run_facts import judged_ids, run_totals
from irev.errors import MismatchError, Notice, UsageError, note
from irev.jobs.plots.layout import COLOURS, FigureLayout, drawn_label, plot_style, set_unit_axis
from irev.jobs.plots.plot import add_signature, input_label, name_topics, topic_rows
from irev.jobs.result import StudyResult
from irev.jobs.studies.judgment_changes import (
    GRADES_AT_ONCE,
    RankingStack,
    RankingStudyOptions,
    RunRankings,
    StackScorer,
    falling_scores,
    highest_grade,
    no_relevant_notes,
    read_run_rankings,
    refuse_options,
)
from irev.measures.naming.grammar import measure_names
from irev.options import SEED, Options
from irev.rank.judgments import GradedJudgments
from irev.rank.ranking import index_pairs_refusing_duplicates
from irev.read.formats import GRADED, run_layout
from irev.scores.scores import missing_topic_warnings

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


JUDGMENT_FORMATS = (*GRADED, "qrels_jg")
"""The formats of judgments of one assessor, in a file of each, and of several in one."""


class JudgmentNoiseOptions(RankingStudyOptions):
    """Whose judgments vary, or how."""

    without: ClassVar[Sequence[str]] = ("qrels_format", "seed")

    qrels_format: Annotated[
        str,
        Opt(
            "-R",
            metavar="FORMAT",
            effect="reading",
            choices=JUDGMENT_FORMATS,
            help=f"What QRELS hold: one assessor's judgments ({', '.join(GRADED)}) or several "
            "groups' (qrels_jg). Default: qrels.",
        ),
    ] = "qrels"
    theta: Annotated[
        float | None,
        Opt(
            "--theta",
            metavar="P",
            help="The probability that a judgment is right, from 0 to 1; 0.5 is judging at random.",
        ),
    ] = None
    trials: Annotated[
        int | None,
        Opt(
            "--trials",
            metavar="M",
            least=2,
            most=10_000_000,
            help="With --theta: how often everything is judged. Default: 1000.",
        ),
    ] = None
    seed: Annotated[
        int | None, SEED.replace(help="With --theta: seed of the draws. Default: 0.")
    ] = None  # type: ignore[assignment]
    topic_set_size: Annotated[
        int | None,
        Opt(
            "--topic-set-size",
            metavar="L",
            least=2,
            most=10_000_000,
            help="Without files: how many topics. Default: 50.",
        ),
    ] = None
    ranks: Annotated[
        int | None,
        Opt(
            "--ranks",
            metavar="N",
            least=1,
            help="Without files: how many documents each topic has. Default: 10.",
        ),
    ] = None


@job(JudgmentNoiseOptions)
def judgment_noise(
    qrels: Input | None = None,
    run: Input | None = None,
    measures: object = ("AP",),
    *,
    options: JudgmentNoiseOptions,
) -> StudyResult:
    """How much the mean of a measure changes when assessors disagree.

    Args:
        qrels: judgments, as `irev.evaluate` takes them; a list of several assessors' judgments; or
            None: topics are made up, whose documents are relevant with probability theta or
            1 - theta, by chance.
        run: a run, where there are judgments.
        measures: names as `irev.evaluate` takes them, of measures on grades.
        options: the record `JudgmentNoiseOptions`, whose fields are keywords, too.

    Returns:
        Tables `variance` (Kishida's Table 2), `parts` and `topics` (mean, variance and standard
        deviation of each topic), with figures.

    Raises:
        UsageError: an option or a measure that makes no sense here.
        InputError: an input that cannot be read.
        MismatchError: no topic can be looked at.
    """
    assessors = [*qrels] if isinstance(qrels, list | tuple) else [qrels]
    _check_inputs(qrels is not None, len(assessors), run, options)
    options.load_plugins()
    names, evaluation = measure_names(measures), options.base_record(Options)
    if options.theta is None:
        return noise_of_assessors(
            assessors, run, names, qrels_format=options.qrels_format, options=evaluation
        )
    drawing: dict[str, Any] = {
        "num_trials": options.trials or 1000,
        "seed": options.seed or 0,
        "options": evaluation,
        "watch": progress_reporter("topics"),
    }
    if qrels is not None:
        return noise_in_run(
            assessors[0], run, options.theta, names, qrels_format=options.qrels_format, **drawing
        )
    num_topics, ranks = options.topic_set_size or 50, options.ranks or 10
    return simulated_noise(options.theta, names, num_topics=num_topics, num_ranks=ranks, **drawing)


def _check_inputs(
    has_qrels: bool, num_assessors: int, run: Input | None, options: JudgmentNoiseOptions
) -> None:
    """Refuse inputs and options that cannot be combined."""
    is_of_groups = options.qrels_format == "qrels_jg"
    if has_qrels != (run is not None) or (not has_qrels and is_of_groups):
        raise UsageError("give judgments and one run, or neither and --theta")
    if is_of_groups or num_assessors > 1:
        refuse_options(
            options, ("theta", "trials", "seed", "topic_set_size", "ranks"), "several assessors"
        )
    elif options.theta is None:
        more = ", or another file of judgments" if has_qrels else ""
        raise UsageError(f"give the probability that a judgment is right, --theta 0.9{more}")
    elif has_qrels:
        refuse_options(options, ("topic_set_size", "ranks"), "QRELS RUN")


# --- How far assessors who disagree move a mean: Kishida's model of judgments that vary ---
# Kazuaki Kishida, "Property of Average Precision and its Generalization", NII Technical Report
# NII-2005-014E (2005), section 3.3, eqs. 18-25, and the simulation of Table 2.
# The score of topic h under judgment a is v_ha = mu_h + e_ha. The variance of a mean over L topics
# is then (sigma_mu^2 + sigma_d^2) / L: sigma_mu^2 is the variance of mu_h between topics,
# sigma_d^2 the mean over topics of the variance of v_ha within a topic.


ROWS = {
    "mu": "mean of the topics' means",
    "sigma_mu^2": "variance of the topics' means, divisor L",
    "sigma_d^2": "mean variance within a topic, divisor M",
    "sum": "sigma_mu^2 + sigma_d^2",
    "mean V_p": "mean over the judgments of the variance between topics, divisor L - 1",
    "sum / L": "variance of the mean over topics (eq. 24)",
    "unbiased sigma_mu^2": "variance of the topics' means, divisor L - 1, less their error",
    "unbiased sigma_d^2": "mean variance within a topic, divisor M - 1",
    "unbiased sum / L": "variance of the mean over topics, from the two above",
}
"""What is printed of each measure, as in Table 2, and what it is; then for few judgments.

With s_h^2 = sum_a (v_ha - v_h)^2 / (M_h - 1), unbiased sigma_d^2 is the mean of s_h^2, and unbiased
sigma_mu^2 the variance of the v_h with divisor L - 1, less the mean of s_h^2 / M_h: the variance of
means of M_h judgments. Their expected values are the model's, whatever M_h, where the errors of
judgments do not depend on each other; sigma_mu^2 may come out below 0.
"""


def simulated_noise(
    judgment_accuracy: float,
    measures: Sequence[str] = ("AP",),
    *,
    num_topics: int = 50,
    num_ranks: int = 10,
    num_trials: int = 1000,
    seed: int = 0,
    options: Options | None = None,
    watch: Callable[[Sequence[int]], Iterable[int]] = iter,
) -> StudyResult:
    """The simulation of Table 2.

    Each document of each topic is relevant with probability theta or 1 - theta, either with chance
    1/2. In each trial every document is drawn relevant (grade 1) with its probability, and the
    ranking 1, 2, ... is scored; average precision is 0 where nothing is relevant. (The report's
    step 2-a has the draw the other way round, which gives the same distribution.)

    Args:
        judgment_accuracy: theta, from 0 to 1; 0.5 is judging at random.
        measures: names as the command line takes them, of measures on grades.
        num_topics: L, at least 2.
        num_ranks: N, the documents of each topic, all of them ranked.
        num_trials: M, at least 2.
        seed: what is drawn. The trials of a topic depend on nothing else but the number of ranks.
        options: the choices that define an evaluation.
        watch: passes on the topics as they are worked on; for a progress bar.

    Returns:
        Tables `variance` (Table 2: `ROWS` for each measure), `parts` and `topics` (mean, variance
        and standard deviation of each topic), with figures.
    """
    options = options or Options()
    _check_theta_and_trials(judgment_accuracy, num_trials)
    if num_topics < 2 or num_ranks < 1:
        raise UsageError("give at least 2 topics and 1 rank")
    grade = float(options.level or 1)
    scorer = StackScorer(measures, options, grade)
    document_indices, scores = np.arange(num_ranks), falling_scores(num_ranks)
    topic_values = []
    for topic_index in watch(range(num_topics)):
        draws = _uniform_draws(seed, topic_index, num_trials + 1, num_ranks)
        # the first row says which probability a document has, the others are trials
        relevance_chance = np.where(draws[0] < 0.5, judgment_accuracy, 1.0 - judgment_accuracy)
        trial_grades = np.where(draws[1:] < relevance_chance, grade, 0.0)
        topic_values.append(
            _values_of_trials(scorer, trial_grades, document_indices + 1, document_indices, scores)
        )
    parameters = {
        "theta": judgment_accuracy,
        "topics": num_topics,
        "ranks": num_ranks,
        "trials": num_trials,
        "seed": seed,
        "measures": list(scorer.names),
        "level": options.level,
    }
    names = [str(number) for number in range(1, num_topics + 1)]
    notices = (
        note(
            f"{count_text(num_topics, 'topic')} of {num_ranks} ranks, {num_trials} trials each, "
            f"seed {seed}"
        ),
        *_few_trials_notes(num_trials),
    )
    result = noise_result(scorer.names, names, topic_values, parameters, notices)
    return add_signature(result, scorer.definitions, options)


def noise_in_run(
    qrels: Input,
    run: Input,
    judgment_accuracy: float,
    measures: Sequence[str] = ("AP",),
    *,
    num_trials: int = 1000,
    seed: int = 0,
    options: Options | None = None,
    qrels_format: str = "qrels",
    watch: Callable[[Sequence[int]], Iterable[int]] = iter,
) -> StudyResult:
    """The same of a run, where every judgment is repeated and holds with probability theta.

    In each trial a relevant document stays so with probability theta and has grade 0 otherwise; one
    judged not relevant gets the smallest relevant grade with probability 1 - theta. What is not
    judged stays so. The draws are those of a topic's judged documents in byte order of their ids:
    the same for every run.

    Args:
        qrels: judgments, as `irev.evaluate` takes them.
        run: a run, likewise.
        judgment_accuracy: theta, from 0 to 1; 1 leaves the judgments as they are.
        measures: names as the command line takes them, of measures on grades.
        num_trials: M, at least 2.
        seed: what is drawn.
        options: the choices that define an evaluation.
        qrels_format: what the qrels hold: grades, in any form.
        watch: passes on the topics as they are worked on; for a progress bar.
    """
    options = options or Options()
    _check_theta_and_trials(judgment_accuracy, num_trials)
    run_rankings = read_run_rankings(qrels, run, measures, options, qrels_format)
    relevant_grade = float(options.level or 1)
    scorer = StackScorer(measures, options, max(run_rankings.highest_grade, relevant_grade))
    relevant_indices = run_rankings.relevant_topic_indices(options.level)
    missing_topic_ids = run_rankings.missing_topic_ids(options.level)
    zero_values = np.zeros((num_trials, len(scorer.names)))
    values_by_topic = dict.fromkeys(missing_topic_ids, zero_values)
    for topic_index in watch(relevant_indices):
        grades, document_indices, ranks = _judged_grades_indices_and_ranks(
            run_rankings, topic_index
        )
        block_index = run_rankings.qrels.topic_index[run_rankings.topics[topic_index]]
        is_kept = _uniform_draws(seed, block_index, num_trials, len(grades)) < judgment_accuracy
        is_relevant = grades >= options.level
        trial_grades = np.where(is_kept, grades, np.where(is_relevant, 0.0, relevant_grade))
        ranking = run_rankings.judged_ranking(topic_index)
        values_by_topic[run_rankings.topics[topic_index]] = _values_of_trials(
            scorer,
            trial_grades,
            ranks,
            document_indices,
            ranking.score,
            ranking.num_pooled_unjudged,
        )
    parameters = {
        "qrels": input_label(qrels),
        "run": input_label(run),
        "theta": judgment_accuracy,
        "trials": num_trials,
        "seed": seed,
        "measures": list(scorer.names),
        "level": options.level,
    }
    topic_ids = sorted(values_by_topic)
    notices = (
        note(f"{count_text(len(topic_ids), 'topic')}, {num_trials} trials each, seed {seed}"),
        *_few_trials_notes(num_trials),
        *no_relevant_notes(len(run_rankings.topics) - len(relevant_indices)),
        *missing_topic_warnings({"the run": missing_topic_ids}, consequence="counted as 0"),
        *run_rankings.notices,
    )
    result = noise_result(
        scorer.names,
        [escape_non_utf8(topic_id) for topic_id in topic_ids],
        [values_by_topic[topic_id] for topic_id in topic_ids],
        parameters,
        notices,
    )
    return add_signature(
        result,
        scorer.definitions,
        options.replace(topics="qrels"),
        qrels=[qrels],
        runs=[run],
        qrels_format=qrels_format,
        divisor=len(topic_ids),
    )


def _few_trials_notes(num_trials: int) -> Sequence[Notice]:
    # from 20 on the divisor M moves a variance by no more than one part in twenty
    if num_trials >= 20:
        return ()
    text = (
        f"with {num_trials} trials sigma_d^2, which divides by them, is on average "
        f"{num_trials - 1}/{num_trials} of the variance within topics; sigma_mu^2 has the rest; "
        "the unbiased rows correct both"
    )
    return (note(text),)


def _check_theta_and_trials(theta: float, num_trials: int) -> None:
    if not 0.0 <= theta <= 1.0:
        raise UsageError(f"theta is a probability, from 0 to 1, not {theta:g}")
    if num_trials < 2:
        raise UsageError("give at least 2 trials")


def _uniform_draws(seed: int, block_index: int, num_rows: int, num_columns: int) -> Floats:
    """float64[rows, columns]: numbers from 0 to below 1, evenly spread."""
    words = random_words(seed, "noise", block_index, num_rows * num_columns).reshape(
        num_rows, num_columns
    )
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _judged_grades_indices_and_ranks(
    run_rankings: RunRankings, topic_index: int
) -> tuple[DocumentValues, RowIndices, DocumentRanks]:
    """(the grades of a topic's judged documents in byte order; of those retrieved: which, rank)."""
    qrels, ranked_topic = run_rankings.qrels, run_rankings.ranked_topics[topic_index]
    judged_list = int(qrels.list_start[qrels.topic_index[run_rankings.topics[topic_index]]])
    rows = np.arange(int(qrels.start[judged_list]), int(qrels.stop[judged_list]))
    rows = rows[qrels.grade[rows] >= 0]
    documents = qrels.docs.take(rows).to_list()
    order = byte_order(documents).tolist()
    index_of_document = {documents[row]: index for index, row in enumerate(order)}
    rank_indices = np.flatnonzero(ranked_topic.grade[0] >= 0)
    retrieved = ranked_topic.documents
    document_indices = np.array(
        [index_of_document[retrieved[rank_index]] for rank_index in rank_indices.tolist()], np.int64
    )
    return qrels.grade[rows[order]], document_indices, rank_indices + 1


def _values_of_trials(
    scorer: StackScorer,
    trial_grades: Floats,
    ranks: DocumentRanks,
    document_indices: RowIndices,
    scores: DocumentValues,
    num_pooled_unjudged: int = 0,
) -> RankingsByMeasures:
    """float64[M, C]: the scores of one ranking under each trial.

    `trial_grades`: of D judged documents, float64[M, D]; of these the `document_indices` stand at
    the `ranks`. `scores`: of every rank.
    """
    levels = np.unique(trial_grades)
    values = []
    batch_size = max(1, GRADES_AT_ONCE // max(1, trial_grades.shape[1] * 4))
    for start in range(0, len(trial_grades), batch_size):
        batch = trial_grades[start : start + batch_size]
        counts = np.stack([(batch == level).sum(axis=1) for level in levels], axis=1)
        unjudged_counts = np.full(len(batch), num_pooled_unjudged)
        grades = batch[:, document_indices]
        stack = RankingStack(ranks, grades, scores, levels, counts, unjudged_counts)
        values.append(scorer.values(stack))
    return np.concatenate(values)


def noise_quantities(values_by_topic: Sequence[RankingsByMeasures]) -> dict[str, MeasureValues]:
    """`ROWS`, float64[C] each, of the scores of L topics, float64[M_h, C] each.

    V_p is over the judgments that every topic has, in their order.
    """
    means = np.stack([column_means(values) for values in values_by_topic])
    within = np.stack(
        [column_means((values - column_means(values)) ** 2) for values in values_by_topic]
    )
    grand_mean, mean_within = column_means(means), column_means(within)
    between = column_means((means - grand_mean) ** 2)
    fewest = min(len(values) for values in values_by_topic)
    by_trial = np.stack([values[:fewest] for values in values_by_topic])
    deviations = by_trial - column_means(by_trial)
    single = np.cumsum(deviations**2, axis=0)[-1] / (len(values_by_topic) - 1)
    total = between + mean_within
    count = np.array([[len(values)] for values in values_by_topic])
    unbiased = within * count / (count - 1)
    of_means = between * len(values_by_topic) / (len(values_by_topic) - 1) - column_means(
        unbiased / count
    )
    within_one = column_means(unbiased)
    quantities = (
        grand_mean,
        between,
        mean_within,
        total,
        column_means(single),
        total / len(values_by_topic),
        of_means,
        within_one,
        (of_means + within_one) / len(values_by_topic),
    )
    return dict(zip(ROWS, quantities, strict=True))


def noise_result(
    measure_names: tuple[str, ...],
    topic_names: Sequence[str],
    values_by_topic: Sequence[RankingsByMeasures],
    parameters: dict[str, Any],
    notices: tuple[Notice, ...] = (),
) -> StudyResult:
    """What is known of the scores of some topics under several judgments each.

    `topic_names`: of L topics. `values_by_topic`: float64[M_h, C] of each, its scores under M_h
    judgments.
    """
    import pandas as pd

    if len(topic_names) < 2:
        raise UsageError("the variance between topics needs at least 2 topics")
    quantities = noise_quantities(values_by_topic)
    by_measure = {
        measure: [quantities[row][c] for row in ROWS] for c, measure in enumerate(measure_names)
    }
    variance_table = pd.DataFrame(
        {"quantity": list(ROWS), **by_measure, "what it is": list(ROWS.values())}
    )
    rows = []
    for topic, scores in zip(topic_names, values_by_topic, strict=True):
        mean = column_means(scores)
        variance = column_means((scores - mean) ** 2)
        rows += [
            (topic, name, len(scores), mean[c], variance[c], float(np.sqrt(variance[c])))
            for c, name in enumerate(measure_names)
        ]
    columns = ["topic", "measure", "judgments", "mean", "variance", "sd"]
    topics_table = pd.DataFrame(rows, columns=columns)
    parts = pd.DataFrame(
        {
            "measure": measure_names,
            "between topics": quantities["sigma_mu^2"],
            "within topics": quantities["sigma_d^2"],
            "mean V_p": quantities["mean V_p"],
        }
    )
    tables = {"variance": variance_table, "parts": parts, "topics": topics_table}
    figures = {
        "parts": partial(topic_variance_parts_figure, parts),
        "topics": partial(topics_figure, topics_table),
    }
    return StudyResult("judgment-noise", parameters, tables, ("variance",), figures, notices)


def topics_figure(table: pd.DataFrame, *, width: FigureWidth = "page") -> Figure:
    """Mean and standard deviation of each topic, by falling mean; axes for each measure."""
    groups = list(table.groupby("measure", sort=False))
    rows_of_topics = topic_rows(int(table["topic"].nunique()), 1, len(groups), width)
    with plot_style(width):
        layout = FigureLayout(
            len(groups) * len(rows_of_topics), width=width, height=1.8, max_columns=1
        )
        panels = iter(layout.panels)
        for name, points in groups:
            ordered = points.sort_values(["mean", "topic"], ascending=[False, True])
            mean, sd = ordered["mean"].to_numpy(), ordered["sd"].to_numpy()
            low = 0.0 if mean.min() >= 0 else -np.inf
            high = 1.0 if mean.max() <= 1 else np.inf
            lengths: Floats = np.minimum(sd, [mean - low, high - mean])
            for indices in rows_of_topics:
                axes, some = next(panels), slice(indices.start, indices.stop)
                axes.errorbar(
                    np.arange(len(indices)),
                    ordered["mean"].iloc[some],
                    yerr=lengths[:, some],
                    fmt="o",
                    markersize=3.0,
                    color=COLOURS[0],
                    ecolor="#888888",
                    elinewidth=0.8,
                    capsize=1.5,
                    label="mean ± sd over judgments",
                )
                axes.set_ylabel(drawn_label(str(name)))
                set_unit_axis(axes, "y", ordered["mean"].to_numpy())
                topics = list(map(str, ordered["topic"].iloc[some]))
                name_topics(layout, axes, topics, len(rows_of_topics[0]))
            axes.set_xlabel("topics, by decreasing mean")
        layout.set_panel_legend()
        return layout.finish()


def topic_variance_parts_figure(
    measure_rows: pd.DataFrame, *, width: FigureWidth = "page"
) -> Figure:
    """The two parts of the variance of each measure, and what one judgment alone gives."""
    with plot_style(width):
        layout = FigureLayout(1, width=width, height=2.4)
        (axes,) = layout.panels
        place = np.arange(len(measure_rows))
        between, within = measure_rows["between topics"], measure_rows["within topics"]
        axes.bar(place, between, 0.55, color=COLOURS[0], label="between topics (σ²μ)")
        axes.bar(
            place,
            within,
            0.55,
            bottom=between,
            color=COLOURS[4],
            hatch="//",
            edgecolor="white",
            label="within topics (σ²d)",
        )
        axes.plot(
            place,
            measure_rows["mean V_p"],
            linestyle="",
            marker="D",
            color="black",
            label="one judgment (mean Vp)",
        )
        layout.name_ticks(
            axes, "x", place.tolist(), list(map(drawn_label, measure_rows["measure"]))
        )
        axes.set_xlim(-0.7, len(measure_rows) - 0.3)
        axes.set_ylabel("variance of a topic's score")
        layout.set_panel_legend()
        return layout.finish()


# --- Several assessors' judgments of the same topics, and how far they move a mean ---


def noise_of_assessors(
    qrels_of_assessors: Sequence[Input],
    run: Input,
    measures: Sequence[str] = ("AP",),
    *,
    qrels_format: str = "qrels",
    options: Options | None = None,
) -> StudyResult:
    """How far the judgments of several assessors move the mean score of a run.

    Topics that not every input has, and those with fewer than two judgments, are left out; one that
    the run lacks counts as 0. The a-th
    judgment of a topic is that of the a-th input or, within one, of the a-th group in byte order.

    `qrels_of_assessors`: judgments, each as `irev.evaluate` takes them.

    Returns:
        Tables `variance` (`ROWS` for each measure), `parts` and `topics` (mean, variance and
        standard deviation of each topic), with figures.
    """
    options = options or Options()
    if qrels_format not in JUDGMENT_FORMATS:
        formats = " or ".join(JUDGMENT_FORMATS)
        raise UsageError(f"several assessors' judgments are {formats}, not {qrels_format}")
    StackScorer(measures, options, 1.0)  # a wrong name is said before a file is opened
    threads = options.threads or default_threads()
    all_qrels = [
        read_judgments(one, qrels_format, [], options, threads).qrels for one in qrels_of_assessors
    ]
    scorer = StackScorer(measures, options, max(map(highest_grade, all_qrels)))
    ranking = replace(
        options.ranking_rule("qrels"),
        spans=any(request.measure.ties for request in scorer.requests),
        scores=any(request.measure.scores for request in scorer.requests),
    )
    judgment_sets = [
        PreparedJudgments(GradedJudgments(one, scorer.settings), scorer.requests, ranking)
        for one in all_qrels
    ]
    values_by_topic, notices_of_run = _values_by_topic(judgment_sets, run, scorer, options, threads)
    used_values = {
        topic_id: values for topic_id, values in values_by_topic.items() if len(values) > 1
    }
    if not used_values:
        raise MismatchError("no topic of the run has two judgments in these qrels")
    # the topics that all have judged, several times, and the run lacks
    missing_topic_ids = []
    shared_topic_ids = set(all_qrels[0].topics).intersection(*(one.topics for one in all_qrels))
    for topic_id in sorted(shared_topic_ids.difference(values_by_topic)):
        count = sum(int(np.diff(q.list_start)[q.topic_index[topic_id]]) for q in all_qrels)
        if count > 1:
            missing_topic_ids.append(topic_id)
            used_values[topic_id] = [np.zeros(len(scorer.names))] * count
    parameters = {
        "qrels": [input_label(one) for one in qrels_of_assessors],
        "format": qrels_format,
        "run": input_label(run),
        "measures": list(scorer.names),
        "level": options.level,
    }
    topic_ids = sorted(used_values)
    topic_values = [np.stack(used_values[topic_id]) for topic_id in topic_ids]
    all_topic_ids = {topic_id for one in all_qrels for topic_id in one.topics}
    num_left_out = len(all_topic_ids) - len(topic_ids)
    notices = (
        note(count_text(len(topic_ids), "topic")),
        *map(note, _unequal_judgments_notes(num_left_out, topic_values)),
        *missing_topic_warnings({"the run": missing_topic_ids}, consequence="counted as 0"),
        *notices_of_run,
    )
    names = [escape_non_utf8(topic_id) for topic_id in topic_ids]
    result = noise_result(scorer.names, names, topic_values, parameters, notices)
    return add_signature(
        result,
        scorer.definitions,
        options.replace(topics="qrels"),
        qrels=qrels_of_assessors,
        runs=[run],
        qrels_format=qrels_format,
        divisor=len(topic_ids),
    )


def _values_by_topic(
    judgment_sets: Sequence[PreparedJudgments],
    run: Input,
    scorer: StackScorer,
    options: Options,
    threads: int,
) -> tuple[dict[bytes, list[MeasureValues]], list[Notice]]:
    """The scores of each topic that the run and all judgments have, a judgment after another.

    And what makes them doubtful.
    """
    excluded = read_excluded(options.exclude)

    def parts(rows: Rows) -> list[RunPart]:
        if excluded is not None:
            index_pairs_refusing_duplicates(rows, rows.topic_of_row, len(rows.topics))
            rows = excluded.kept_rows(rows)
        return [prepared_judgments.run_part(rows) for prepared_judgments in judgment_sets]

    layout = run_layout(
        options.run_format,
        decimal_comma=options.decimal_comma,
        columns=options.own_columns,
        passages=options.passages,
    )
    mapped = map_topics(run, layout, parts, threads)
    notices, parts_by_rows = [*mapped.notices], mapped.results
    values_by_topic: dict[bytes, list[Floats]] = {}
    num_sets_of_topic: dict[bytes, int] = {}
    for set_index, judgments in enumerate(judgment_sets):
        qrels, parts_of_set = judgments.qrels, [parts_of[set_index] for parts_of in parts_by_rows]
        notices += judgment_warnings(qrels, judgments.requests, options.level, is_graded=True)
        counts_of_parts = [part.judged_counts for part in parts_of_set if part.judged_counts]
        if counts_of_parts:
            notices += unjudged_warnings(run_totals(counts_of_parts), partial(judged_ids, qrels))
        list_values = list(judgments.measure_in_batches(parts_of_set))
        list_indices = np.concatenate([part_values.lists for part_values in list_values])
        value_rows = np.concatenate([part_values.values for part_values in list_values])
        order = np.argsort(list_indices)
        topics = qrels.topic_of_list[list_indices[order]].tolist()
        topic_ids = [qrels.topics[topic] for topic in topics]
        rows_in_order = value_rows[order][:, scorer.column_indices]
        for topic_id, values in zip(topic_ids, rows_in_order, strict=True):
            values_by_topic.setdefault(topic_id, []).append(values)
        for topic_id in set(topic_ids):
            num_sets_of_topic[topic_id] = num_sets_of_topic.get(topic_id, 0) + 1
    complete_values = {
        topic_id: rows
        for topic_id, rows in values_by_topic.items()
        if num_sets_of_topic[topic_id] == len(judgment_sets)
    }
    return complete_values, notices


def _unequal_judgments_notes(
    num_topics_left_out: int, values_by_topic: Sequence[RankingsByMeasures]
) -> tuple[str, ...]:
    notes = []
    if num_topics_left_out:
        topics_text = count_text(num_topics_left_out, "topic")
        notes.append(f"{topics_text} left out: without two judgments, or not in all of these qrels")
    counts = {len(values) for values in values_by_topic}
    if len(counts) > 1:
        notes.append(
            f"topics have {min(counts)} to {max(counts)} judgments; mean V_p is of the "
            f"first {min(counts)} of each"
        )
    return tuple(notes)
