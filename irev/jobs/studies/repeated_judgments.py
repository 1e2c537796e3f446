"""How far assessors who disagree move a mean: Kishida's model of judgments that vary.

Kazuaki Kishida, "Property of Average Precision and its Generalization", NII Technical Report
NII-2005-014E (2005), section 3.3, eqs. 18-25, and the simulation of Table 2.

The score of topic h under judgment a is v_ha = mu_h + e_ha. The variance of a mean over L topics is
then (sigma_mu^2 + sigma_d^2) / L: sigma_mu^2 is the variance of mu_h between topics, sigma_d^2 the
mean over topics of the variance of v_ha within a topic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Floats, Ints, byte_order, column_means
from irev.core.text import escape_non_utf8
from irev.errors import UsageError
from irev.jobs.plots.result_parts import add_signature, input_label
from irev.jobs.plots.style import COLOURS, add_axes_legend, new_figure, plot_style
from irev.jobs.studies.changes import CELLS, Scorer, Stack, falling_scores
from irev.jobs.studies.run_rankings import lacking, rankings_of_run, without_relevant
from irev.jobs.study_result import StudyResult
from irev.options import Options
from irev.statistics.draws import random_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from irev.core.model import Input
    from irev.errors import Told
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
    theta: float,
    measures: Sequence[str] = ("AP",),
    *,
    topics: int = 50,
    ranks: int = 10,
    trials: int = 1000,
    seed: int = 0,
    options: Options | None = None,
    watched: Callable[[Sequence[int]], Iterable[int]] = iter,
) -> StudyResult:
    """The simulation of Table 2.

    Each document of each topic is relevant with probability theta or 1 - theta, either with chance
    1/2. In each trial every document is drawn relevant (grade 1) with its probability, and the
    ranking 1, 2, ... is scored; average precision is 0 where nothing is relevant. (The report's
    step 2-a has the draw the other way round, which gives the same distribution.)

    Args:
        theta: from 0 to 1; 0.5 is judging at random.
        measures: names as the command line takes them, of measures on grades.
        topics: L, at least 2.
        ranks: N, the documents of each topic, all of them ranked.
        trials: M, at least 2.
        seed: what is drawn. The trials of a topic depend on nothing else but the number of ranks.
        options: the choices that define an evaluation.
        watched: passes on the topics as they are worked on; for a progress bar.

    Returns:
        Tables `variance` (Table 2: `ROWS` for each measure), `parts` and `topics` (mean, variance
        and standard deviation of each topic), with figures.
    """
    options = options or Options()
    _check(theta, trials)
    if topics < 2 or ranks < 1:
        raise UsageError("give at least 2 topics and 1 rank")
    scorer = Scorer(measures, options, float(max(options.level, 1)))
    grade = float(max(options.level, 1))
    everyone = np.arange(ranks)
    found = []
    for topic in watched(range(topics)):
        drawn = _drawn(seed, topic, trials + 1, ranks)
        # the first row says which probability a document has, the others are trials
        chance = np.where(drawn[0] < 0.5, theta, 1.0 - theta)
        judged = np.where(drawn[1:] < chance, grade, 0.0)
        found.append(_scored(scorer, judged, everyone + 1, everyone, falling_scores(ranks)))
    parameters = {
        "theta": theta, "topics": topics, "ranks": ranks, "trials": trials, "seed": seed,
        "measures": list(scorer.names), "level": options.level,
    }  # fmt: skip
    names = [str(number) for number in range(1, topics + 1)]
    notes = (
        f"{topics} topics of {ranks} ranks, {trials} trials each, seed {seed}",
        *_about_few(trials),
    )
    return add_signature(
        outcome_of(scorer.names, names, found, parameters, notes), scorer.definitions, options
    )


def noise_in_run(
    qrels: Input,
    run: Input,
    theta: float,
    measures: Sequence[str] = ("AP",),
    *,
    trials: int = 1000,
    seed: int = 0,
    options: Options | None = None,
    format: str = "qrels",
    watched: Callable[[Sequence[int]], Iterable[int]] = iter,
) -> StudyResult:
    """The same of a run, where every judgment is repeated and holds with probability theta.

    In each trial a relevant document stays so with probability theta and has grade 0 otherwise; one
    judged not relevant gets the smallest relevant grade with probability 1 - theta. What is not
    judged stays so. The draws are those of a topic's judged documents in byte order of their ids:
    the same for every run.

    Args:
        qrels: judgments, as `irev.evaluate` takes them.
        run: a run, likewise.
        theta: from 0 to 1; 1 leaves the judgments as they are.
        measures: names as the command line takes them, of measures on grades.
        trials: M, at least 2.
        seed: what is drawn.
        options: the choices that define an evaluation.
        format: what the qrels hold: grades, in any form.
        watched: passes on the topics as they are worked on; for a progress bar.
    """
    options = options or Options()
    _check(theta, trials)
    read = rankings_of_run(qrels, run, measures, options, format)
    turned = float(max(options.level, 1))
    scorer = Scorer(measures, options, max(read.highest, turned))
    numbers = read.with_relevant(options.level)
    missing = read.missing(options.level)
    nothing = np.zeros((trials, len(scorer.names)))
    found = dict.fromkeys(missing, nothing)
    for number in watched(numbers):
        grade, row, rank = _judged_documents(read, number)
        block = read.qrels.topic_index[read.topics[number]]
        holds = _drawn(seed, block, trials, len(grade)) < theta
        is_relevant = grade >= options.level
        judged = np.where(holds, grade, np.where(is_relevant, 0.0, turned))
        score, pooled = read.ranking(number).score, read.pooled[number]
        found[read.topics[number]] = _scored(scorer, judged, rank, row, score, pooled)
    parameters = {
        "qrels": input_label(qrels), "run": input_label(run), "theta": theta,
        "trials": trials, "seed": seed,
        "measures": list(scorer.names), "level": options.level,
    }  # fmt: skip
    topics = sorted(found)
    notes: tuple[Told, ...] = (
        f"{len(topics)} topics, {trials} trials each, seed {seed}",
        *_about_few(trials),
        *without_relevant(len(read.topics) - len(numbers)),
        *lacking(missing, "counted as 0"),
        *read.doubts,
    )
    outcome = outcome_of(
        scorer.names, [escape_non_utf8(topic) for topic in topics],
        [found[topic] for topic in topics],
        parameters, notes,
    )  # fmt: skip
    return add_signature(
        outcome, scorer.definitions, options.replace(topics="qrels"), qrels=[qrels], runs=[run],
        qrels_format=format, divisor=len(topics),
    )  # fmt: skip


FEW_TRIALS = 20
"""With fewer, the divisor M moves a variance by more than one part in twenty."""


def _about_few(trials: int) -> Sequence[str]:
    if trials >= FEW_TRIALS:
        return ()
    return (
        f"with {trials} trials sigma_d^2, which divides by them, is on average "
        f"{trials - 1}/{trials} of the variance within topics; sigma_mu^2 has the rest; the "
        "unbiased rows correct both",
    )


def _check(theta: float, trials: int) -> None:
    if not 0.0 <= theta <= 1.0:
        raise UsageError(f"theta is a probability, from 0 to 1, not {theta:g}")
    if trials < 2:
        raise UsageError("give at least 2 trials")


def _drawn(seed: int, block: int, rows: int, columns: int) -> Floats:
    """float64[rows, columns]: numbers from 0 to below 1, evenly spread."""
    raw = random_words(seed, "noise", block, rows * columns).reshape(rows, columns)
    share: Floats = (raw >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return share


def _judged_documents(read: RunRankings, number: int) -> tuple[Floats, Ints, Ints]:
    """(the grades of a topic's judged documents in byte order; of those retrieved: which, rank)."""
    qrels, found = read.qrels, read.found[number]
    judged_list = int(qrels.list_start[qrels.topic_index[read.topics[number]]])
    rows = np.arange(int(qrels.start[judged_list]), int(qrels.stop[judged_list]))
    rows = rows[qrels.grade[rows] >= 0]
    documents = qrels.docs.take(rows).to_list()
    order = byte_order(documents).tolist()
    place = {documents[row]: at for at, row in enumerate(order)}
    ranks = np.flatnonzero(found.grade[0] >= 0)
    retrieved = found.documents
    here = np.array([place[retrieved[rank]] for rank in ranks.tolist()], np.int64)
    return qrels.grade[rows[order]], here, ranks + 1


def _scored(
    scorer: Scorer, judged: Floats, rank: Ints, row: Ints, score: Floats, pooled: int = 0
) -> Floats:
    """float64[M, C]: the scores of one ranking under each trial.

    `judged` has the grades of D judged documents, float64[M, D]; at the ranks `rank` stand those of
    the numbers `row`. `score` is that of every rank; `pooled` documents are not judged.
    """
    levels = np.unique(judged)
    found = []
    at_once = max(1, CELLS // max(1, judged.shape[1] * 4))
    for begin in range(0, len(judged), at_once):
        some = judged[begin : begin + at_once]
        count = np.stack([(some == level).sum(axis=1) for level in levels], axis=1)
        unjudged = np.full(len(some), pooled)
        found.append(scorer.values(Stack(rank, some[:, row], score, levels, count, unjudged)))
    return np.concatenate(found)


def variances(values: Sequence[Floats]) -> dict[str, Floats]:
    """`ROWS`, float64[C] each, of the scores of L topics, float64[M_h, C] each.

    V_p is over the judgments that every topic has, in their order.
    """
    means = np.stack([column_means(each) for each in values])
    within = np.stack([column_means((each - column_means(each)) ** 2) for each in values])
    mu, inside = column_means(means), column_means(within)
    between = column_means((means - mu) ** 2)
    fewest = min(len(each) for each in values)
    by_trial = np.stack([each[:fewest] for each in values])
    apart = by_trial - column_means(by_trial)
    single = np.cumsum(apart**2, axis=0)[-1] / (len(values) - 1)
    total = between + inside
    count = np.array([[len(each)] for each in values])
    unbiased = within * count / (count - 1)
    of_means = between * len(values) / (len(values) - 1) - column_means(unbiased / count)
    within_one = column_means(unbiased)
    found = (
        mu, between, inside, total, column_means(single), total / len(values),
        of_means, within_one, (of_means + within_one) / len(values),
    )  # fmt: skip
    return dict(zip(ROWS, found, strict=True))


def outcome_of(
    names: tuple[str, ...],
    topics: Sequence[str],
    values: Sequence[Floats],
    parameters: dict[str, Any],
    notes: tuple[Told, ...] = (),
) -> StudyResult:
    """What is known of the scores of some topics under several judgments each.

    `topics`: L topics. `values`: of each topic float64[M_h, C], its scores under M_h judgments.
    """
    import pandas as pd

    if len(topics) < 2:
        raise UsageError("the variance between topics needs at least 2 topics")
    found = variances(values)
    by_measure = {name: [found[row][c] for row in ROWS] for c, name in enumerate(names)}
    tidy = _by_topic(names, topics, values)
    parts = pd.DataFrame(
        {
            "measure": names,
            "between topics": found["sigma_mu^2"],
            "within topics": found["sigma_d^2"],
            "mean V_p": found["mean V_p"],
        }
    )
    about = list(ROWS.values())
    tables = {
        "variance": pd.DataFrame({"quantity": list(ROWS), **by_measure, "what it is": about}),
        "parts": parts,
        "topics": tidy,
    }
    figures = {"parts": lambda: parts_figure(parts), "topics": lambda: topics_figure(tidy)}
    return StudyResult("judgment-noise", parameters, tables, ("variance",), figures, notes)


def _by_topic(
    names: tuple[str, ...], topics: Sequence[str], values: Sequence[Floats]
) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for topic, scores in zip(topics, values, strict=True):
        mean = column_means(scores)
        variance = column_means((scores - mean) ** 2)
        rows += [
            (topic, name, len(scores), mean[c], variance[c], float(np.sqrt(variance[c])))
            for c, name in enumerate(names)
        ]
    columns = ["topic", "measure", "judgments", "mean", "variance", "sd"]
    return pd.DataFrame(rows, columns=columns)


_MANY = 30
"""With more topics, their names are not written."""


def topics_figure(table: pd.DataFrame) -> Figure:
    """Mean and standard deviation of each topic, by falling mean; axes for each measure."""
    with plot_style():
        groups = list(table.groupby("measure", sort=False))
        count = int(table["topic"].nunique())
        figure, every = new_figure(1, len(groups), width=max(5.2, 0.11 * count), height=2.8)
        for axes, (name, points) in zip(every, groups, strict=True):
            ordered = points.sort_values(["mean", "topic"], ascending=[False, True])
            place = np.arange(1, len(ordered) + 1)
            axes.errorbar(
                place, ordered["mean"], yerr=_bars(ordered), fmt="o", color=COLOURS[0],
                ecolor="#888888", elinewidth=1.0, capsize=2.0, label="mean ± sd over judgments",
            )  # fmt: skip
            axes.set_ylabel(str(name))
            if count <= _MANY:
                axes.set_xticks(place, list(ordered["topic"]), rotation=60, ha="right")
        every[-1].set_xlabel("topic" if count <= _MANY else "topics, by decreasing mean")
        add_axes_legend(figure, every[0])
    return figure


def _bars(points: pd.DataFrame) -> Floats:
    """float64[2, n]: a deviation downwards and upwards, within the range of the measure.

    That is taken to begin at 0 where no mean is below, and to end at 1 where none is above.
    """
    mean, sd = points["mean"].to_numpy(), points["sd"].to_numpy()
    low = 0.0 if mean.min() >= 0 else -np.inf
    high = 1.0 if mean.max() <= 1 else np.inf
    found: Floats = np.minimum(sd, [mean - low, high - mean])
    return found


def parts_figure(table: pd.DataFrame) -> Figure:
    """The two parts of the variance of each measure, and what one judgment alone gives."""
    with plot_style():
        figure, (axes,) = new_figure(width=max(4.0, 1.6 + 0.9 * len(table)))
        place = np.arange(len(table))
        between, within = table["between topics"], table["within topics"]
        axes.bar(place, between, 0.55, color=COLOURS[0], label="between topics (σ²μ)")
        axes.bar(
            place, within, 0.55, bottom=between, color=COLOURS[4], hatch="//", edgecolor="white",
            label="within topics (σ²d)",
        )  # fmt: skip
        axes.plot(
            place, table["mean V_p"], linestyle="", marker="D", color="black",
            label="one judgment (mean Vp)",
        )  # fmt: skip
        axes.set_xticks(place, list(table["measure"]))
        axes.set_ylabel("variance of a topic's score")
        add_axes_legend(figure, axes)
    return figure
