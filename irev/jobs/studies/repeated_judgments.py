"""How far assessors who disagree move a mean: Kishida's model of judgments that vary.

Kazuaki Kishida, "Property of Average Precision and its Generalization", NII Technical Report
NII-2005-014E (2005), section 3.3, eqs. 18-25, and the simulation of Table 2.

The score of topic h under judgment a is v_ha = mu_h + e_ha. The variance of a mean over L topics is
then (sigma_mu^2 + sigma_d^2) / L: sigma_mu^2 is the variance of mu_h between topics, sigma_d^2 the
mean over topics of the variance of v_ha within a topic.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

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
from irev.core.text import escape_non_utf8
from irev.core.wording import count_text
from irev.errors import UsageError, note
from irev.jobs.plots.figures import name_topics, topic_rows
from irev.jobs.plots.layout import FigureLayout
from irev.jobs.plots.plot import add_signature, input_label
from irev.jobs.plots.style import COLOURS, drawn_label, plot_style, set_unit_axis
from irev.jobs.studies.judgment_changes import CELLS, RankingStack, StackScorer, falling_scores
from irev.jobs.studies.run_rankings import (
    no_relevant_notes,
    read_run_rankings,
)
from irev.jobs.study_result import StudyResult
from irev.options import Options
from irev.scores.scores import missing_topic_warnings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from irev.core.displayed import FigureWidth
    from irev.core.judged import Input
    from irev.errors import Notice
    from irev.jobs.studies.run_rankings import RunRankings

ROWS = {
    "mu": "mean of the topics' means",
    "sigma_mu^2": "variance of the topics' means, divisor L",
    "sigma_d^2": "mean variance within a topic, divisor M",
    "sum": "sigma_mu^2 + sigma_d^2",
    "mean V_p": "mean over the judgments of the variance between topics, divisor L - 1",
    "sum / L": "variance of the mean over topics (eq. 24)",
    "unbiased sigma_mu^2": "variance of the topics' means, divisor L - 1, less their error",
    "unbiased sigma_d^2": "mean variance within a topic, divisor M - 1",
    "unbiased sum / L": "variance of the mean over topics, of the two above",
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
    scorer = StackScorer(measures, options, float(options.level or 1))
    grade = float(options.level or 1)
    document_indices = np.arange(num_ranks)
    topic_values = []
    for topic_index in watch(range(num_topics)):
        draws = _uniform_draws(seed, topic_index, num_trials + 1, num_ranks)
        # the first row says which probability a document has, the others are trials
        relevance_chance = np.where(draws[0] < 0.5, judgment_accuracy, 1.0 - judgment_accuracy)
        trial_grades = np.where(draws[1:] < relevance_chance, grade, 0.0)
        topic_values.append(
            _values_of_trials(
                scorer,
                trial_grades,
                document_indices + 1,
                document_indices,
                falling_scores(num_ranks),
            )
        )
    parameters = {
        "theta": judgment_accuracy, "topics": num_topics, "ranks": num_ranks, "trials": num_trials,
        "seed": seed, "measures": list(scorer.names), "level": options.level,
    }  # fmt: skip
    names = [str(number) for number in range(1, num_topics + 1)]
    notes = (
        note(
            f"{count_text(num_topics, 'topic')} of {num_ranks} ranks, {num_trials} trials each, "
            f"seed {seed}"
        ),
        *_few_trials_notes(num_trials),
    )
    return add_signature(
        noise_result(scorer.names, names, topic_values, parameters, notes),
        scorer.definitions,
        options,
    )


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
            scorer, trial_grades, ranks, document_indices, ranking.score,
            ranking.num_pooled_unjudged,
        )  # fmt: skip
    parameters = {
        "qrels": input_label(qrels), "run": input_label(run), "theta": judgment_accuracy,
        "trials": num_trials, "seed": seed,
        "measures": list(scorer.names), "level": options.level,
    }  # fmt: skip
    topic_ids = sorted(values_by_topic)
    notes = (
        note(f"{count_text(len(topic_ids), 'topic')}, {num_trials} trials each, seed {seed}"),
        *_few_trials_notes(num_trials),
        *no_relevant_notes(len(run_rankings.topics) - len(relevant_indices)),
        *missing_topic_warnings({"the run": missing_topic_ids}, consequence="counted as 0"),
        *run_rankings.warnings,
    )
    result = noise_result(
        scorer.names, [escape_non_utf8(topic_id) for topic_id in topic_ids],
        [values_by_topic[topic_id] for topic_id in topic_ids],
        parameters, notes,
    )  # fmt: skip
    return add_signature(
        result, scorer.definitions, options.replace(topics="qrels"), qrels=[qrels], runs=[run],
        qrels_format=qrels_format, divisor=len(topic_ids),
    )  # fmt: skip


FEW_TRIALS = 20
"""With fewer, the divisor M moves a variance by more than one part in twenty."""


def _few_trials_notes(num_trials: int) -> Sequence[Notice]:
    if num_trials >= FEW_TRIALS:
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
    draws: Floats = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return draws


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
    batch_size = max(1, CELLS // max(1, trial_grades.shape[1] * 4))
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
        grand_mean, between, mean_within, total, column_means(single), total / len(values_by_topic),
        of_means, within_one, (of_means + within_one) / len(values_by_topic),
    )  # fmt: skip
    return dict(zip(ROWS, quantities, strict=True))


def noise_result(
    measure_names: tuple[str, ...],
    topic_names: Sequence[str],
    values_by_topic: Sequence[RankingsByMeasures],
    parameters: dict[str, Any],
    notes: tuple[Notice, ...] = (),
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
    topics_table = _topics_table(measure_names, topic_names, values_by_topic)
    parts = pd.DataFrame(
        {
            "measure": measure_names,
            "between topics": quantities["sigma_mu^2"],
            "within topics": quantities["sigma_d^2"],
            "mean V_p": quantities["mean V_p"],
        }
    )
    descriptions = list(ROWS.values())
    tables = {
        "variance": pd.DataFrame(
            {"quantity": list(ROWS), **by_measure, "what it is": descriptions}
        ),
        "parts": parts,
        "topics": topics_table,
    }
    figures = {
        "parts": partial(topic_variance_parts_figure, parts),
        "topics": partial(topics_figure, topics_table),
    }
    return StudyResult("judgment-noise", parameters, tables, ("variance",), figures, notes)


def _topics_table(
    measure_names: tuple[str, ...],
    topic_names: Sequence[str],
    values_by_topic: Sequence[RankingsByMeasures],
) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for topic, scores in zip(topic_names, values_by_topic, strict=True):
        mean = column_means(scores)
        variance = column_means((scores - mean) ** 2)
        rows += [
            (topic, name, len(scores), mean[c], variance[c], float(np.sqrt(variance[c])))
            for c, name in enumerate(measure_names)
        ]
    columns = ["topic", "measure", "judgments", "mean", "variance", "sd"]
    return pd.DataFrame(rows, columns=columns)


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
            lengths = _error_bar_lengths(ordered)
            for indices in rows_of_topics:
                axes, some = next(panels), slice(indices.start, indices.stop)
                axes.errorbar(
                    np.arange(len(indices)), ordered["mean"].iloc[some], yerr=lengths[:, some],
                    fmt="o", markersize=3.0, color=COLOURS[0], ecolor="#888888", elinewidth=0.8,
                    capsize=1.5, label="mean ± sd over judgments",
                )  # fmt: skip
                axes.set_ylabel(drawn_label(str(name)))
                set_unit_axis(axes, "y", ordered["mean"].to_numpy())
                topics = list(map(str, ordered["topic"].iloc[some]))
                name_topics(layout, axes, topics, len(rows_of_topics[0]))
            axes.set_xlabel("topics, by decreasing mean")
        layout.set_panel_legend()
        return layout.finish()


def _error_bar_lengths(points: pd.DataFrame) -> Floats:
    """float64[2, n]: a deviation downwards and upwards, within the range of the measure.

    That is taken to begin at 0 where no mean is below, and to end at 1 where none is above.
    """
    mean, sd = points["mean"].to_numpy(), points["sd"].to_numpy()
    low = 0.0 if mean.min() >= 0 else -np.inf
    high = 1.0 if mean.max() <= 1 else np.inf
    lengths: Floats = np.minimum(sd, [mean - low, high - mean])
    return lengths


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
            place, within, 0.55, bottom=between, color=COLOURS[4], hatch="//", edgecolor="white",
            label="within topics (σ²d)",
        )  # fmt: skip
        axes.plot(
            place, measure_rows["mean V_p"], linestyle="", marker="D", color="black",
            label="one judgment (mean Vp)",
        )  # fmt: skip
        layout.name_ticks(
            axes, "x", place.tolist(), list(map(drawn_label, measure_rows["measure"]))
        )
        axes.set_xlim(-0.7, len(measure_rows) - 0.3)
        axes.set_ylabel("variance of a topic's score")
        layout.set_panel_legend()
        return layout.finish()
