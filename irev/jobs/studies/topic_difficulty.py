"""`irev study topics`: how hard topics are, on which of them runs do well, standardised scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

from irev.core.arrays import Floats, TopicsByRuns, column_means, ratio
from irev.core.job import FigureWidth
from irev.core.judged import Column
from irev.core.option_records import Opt
from irev.core.text import shortened_list
from irev.errors import UsageError, note
from irev.jobs.plots.layout import (
    ROW_HEIGHT,
    FigureLayout,
    check_panel_count,
    drawn_label,
    plot_style,
    short_labels,
)
from irev.jobs.plots.plot import (
    add_score_signatures,
    name_topics,
    notes_of,
    parameters_of,
    run_names,
    sort_by_topic,
    topic_names,
)
from irev.jobs.result import StudyResult
from irev.jobs.score_job import score_job
from irev.measures.naming.resolve import lower_is_better
from irev.options import PREDICTED, ScoringOptions
from irev.scores.table import ScoreTable
from irev.statistics.differences import NEAR, groups_of_equals, scale_of
from irev.statistics.variance import two_way_anova

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


Standardisation = Literal["cdf", "linear", "ecdf", "z"]
"""The standard normal distribution function of z (Webber, Moffat and Zobel 2008), 0.15 z + 0.5 cut
to 0..1 (Sakai 2016), the share of runs that score no more (Urbano, Lima and Hanjalic 2019), or z
itself."""


class TopicDifficultyOptions(ScoringOptions):
    """How scores are standardised, and how runs are scored."""

    without: ClassVar[Sequence[str]] = ("classes", "weights", *PREDICTED)

    standardise: Annotated[
        Standardisation,
        Opt(
            "--standardise",
            help="How each score is standardised by those of all runs on its topic. cdf: the "
            "normal distribution function of z (Webber et al. 2008); linear: 0.15 z + 0.5, cut to "
            "0 to 1 (Sakai 2016); ecdf: the share of runs that score no more (Urbano et al. 2019); "
            "or z.",
        ),
    ] = "cdf"


NAME = "topics"


@score_job(TopicDifficultyOptions)
def topic_difficulty(table: ScoreTable, options: TopicDifficultyOptions) -> StudyResult:
    """How hard topics are, on which topics runs do well, and scores standardised by topic.

    Args:
        table: the scores.
        options: the record `TopicDifficultyOptions`, whose fields are keywords, too.

    Returns:
        Tables `parts` (what share of the sum of squares is between runs, between topics, and
        interaction of both), `difficulty` (topics by their mean over the runs, the hardest first),
        `runs` (means, and means of standardised scores); not printed: `map` (a row for each topic
        and run: value, standardised, and interaction, which is the value less what run and topic
        lead to expect); the figure `map`.

    Raises:
        UsageError: an option or a measure that makes no sense here; less than two runs or topics.
        InputError: an input that cannot be read.
        MismatchError: scores that are not comparable.
    """
    import pandas as pd

    check_panel_count(len(table.columns))
    if len(table.run_names) < 2 or len(table.topics) < 2:
        raise UsageError("the study of topics needs two runs and two topics, or more")
    topics, runs = topic_names(table), run_names(table)
    form = options.standardise
    tables_by_measure = [
        _measure_tables(column, table.scores(column.name), topics, runs, form)
        for column in table.columns
    ]
    tables = {
        name: pd.concat([tables[name] for tables in tables_by_measure], ignore_index=True)
        for name in tables_by_measure[0]
    }
    notes = (
        f"standardised ({form}): by topic, over these {len(runs)} runs; compare such means only "
        "where the same runs are the reference",
        "interaction: the value minus what the means of its run and its topic predict",
    )
    result = StudyResult(
        NAME,
        parameters_of(table, standardise=form),
        tables,
        ("parts", "difficulty", "runs"),
        {"map": partial(interaction_map_figure, tables["map"])},
        (*notes_of(table), *map(note, notes)),
    )
    return add_score_signatures(result, table)


def _measure_tables(
    column: Column,
    score_matrix: TopicsByRuns,
    topic_names: list[str],
    run_names: list[str],
    standardisation: Standardisation,
) -> dict[str, pd.DataFrame]:
    """The tables of one measure."""
    import pandas as pd

    sign = -1.0 if lower_is_better(column) else 1.0
    standard_scores = standardise(score_matrix * sign, standardisation)
    run_means = column_means(score_matrix)
    topic_means = column_means(np.ascontiguousarray(score_matrix.T))
    grand_mean = float(column_means(run_means[:, None])[0])
    interaction = score_matrix - topic_means[:, None] - run_means + grand_mean
    squares = np.cumsum((score_matrix - topic_means[:, None]) ** 2, axis=1)[:, -1]
    variance_parts = two_way_anova(score_matrix)
    parts = {
        "runs": variance_parts.runs.ss,
        "topics": variance_parts.topics.ss,
        "interaction": variance_parts.ss_error,
    }
    total = sum(parts.values())
    # the best run on each topic; of several, the first and how many more there are
    best_runs, scale = [], scale_of(score_matrix * sign)
    for topic_merits in score_matrix * sign:
        group = groups_of_equals(topic_merits, scale)
        best = np.flatnonzero(group == group.max()).tolist()
        best_runs.append(shortened_list([run_names[run_index] for run_index in best], 1))
    difficulty = pd.DataFrame(
        {
            "measure": column.name,
            "topic": topic_names,
            "mean": topic_means,
            "sd": np.sqrt(squares / (len(run_names) - 1)),
            "lowest": score_matrix.min(axis=1),
            "highest": score_matrix.max(axis=1),
            "best run": best_runs,
        }
    )
    difficulty = sort_by_topic(difficulty)
    by_mean = np.argsort(difficulty["mean"].to_numpy() * sign, kind="stable")
    cells = pd.DataFrame(
        {
            "measure": column.name,
            "topic": np.repeat(topic_names, len(run_names)),
            "run": run_names * len(topic_names),
            "value": score_matrix.ravel(),
            "standardised": standard_scores.ravel(),
            "interaction": interaction.ravel(),
            "better": (interaction * sign).ravel(),
        }
    )
    means = pd.DataFrame(
        {
            "measure": column.name,
            "run": run_names,
            "mean": run_means,
            "standardised": column_means(standard_scores),
        }
    )
    best_first = np.argsort(-means["standardised"].to_numpy(), kind="stable")
    return {
        "parts": pd.DataFrame(
            [(column.name, part, ss / total if total else 0.0) for part, ss in parts.items()],
            columns=["measure", "part", "share"],
        ),
        "difficulty": difficulty.iloc[by_mean],
        "runs": means.iloc[best_first],
        "map": cells,
    }


def interaction_map_figure(table: pd.DataFrame, *, width: FigureWidth = "page") -> Figure:
    """For each measure the topics' means over the runs, and below the map of interactions."""
    measures = list(dict.fromkeys(table["measure"]))
    runs = list(dict.fromkeys(table["run"]))
    labels, left_out = short_labels(runs)
    count = table["topic"].nunique()
    heights = (1.2, max(1.0, ROW_HEIGHT * len(runs))) * len(measures)
    with plot_style(width):
        layout = FigureLayout(len(heights), width=width, height=heights, max_columns=1)
        for number, measure in enumerate(measures):
            upper_panel, lower_panel = layout.panels[2 * number : 2 * number + 2]
            rows = table[table["measure"] == measure]
            means = sort_by_topic(rows.groupby("topic", sort=False)["value"].mean().reset_index())
            ids = means["topic"].tolist()
            upper_panel.bar(np.arange(count), means["value"], 0.75, color="#888888")
            upper_panel.set_ylabel(f"{drawn_label(measure)}: mean of the runs")
            grid = rows.pivot(index="run", columns="topic", values="better").loc[runs, ids]
            farthest = float(np.abs(grid.to_numpy()).max()) or 1.0
            image = lower_panel.imshow(
                grid.to_numpy(),
                cmap="RdBu",
                vmin=-farthest,
                vmax=farthest,
                aspect="auto",
                interpolation="nearest",
            )
            # both panels stand above each other: one names the topics
            layout.name_ticks(upper_panel, "x", range(count), [""] * count)
            name_topics(layout, lower_panel, ids, count)
            lower_panel.set_xlim(-0.5, count - 0.5)
            upper_panel.set_xlim(-0.5, count - 0.5)
            lower_panel.set_xlabel("topic")
            layout.name_ticks(lower_panel, "y", range(len(runs)), [labels[run] for run in runs])
            lower_panel.grid(visible=False)
            layout.add_colour_bar(lower_panel, image, "better (blue) or worse (red)")
        layout.add_sentence("Better or worse than the run and the topic predict.")
        layout.add_sentence(left_out)
        return layout.finish()


def standardise(
    score_matrix: TopicsByRuns, standardisation: Standardisation = "cdf"
) -> TopicsByRuns:
    """Each score by the mean and deviation (over S - 1) of all runs on its topic.

    z is 0 on a topic on which all runs have one score. "cdf", "linear" and "ecdf" are from 0 to 1.

    Args:
        score_matrix: float64[T, S], S at least 2: the runs are their own reference.
        standardisation: what is made of z.
    """
    num_runs = score_matrix.shape[1]
    scale = scale_of(score_matrix)
    if standardisation == "ecdf":
        levels = np.array([groups_of_equals(topic_scores, scale) for topic_scores in score_matrix])
        shares: Floats = (levels[:, :, None] >= levels[:, None, :]).sum(axis=2) / num_runs
        return shares
    mean = np.cumsum(score_matrix, axis=1)[:, -1:] / num_runs
    deviations = score_matrix - mean
    spread = np.sqrt(np.cumsum(deviations**2, axis=1)[:, -1:] / (num_runs - 1))
    z = ratio(deviations, np.where(spread <= NEAR * scale, 0.0, spread))
    if standardisation == "linear":
        return np.clip(0.15 * z + 0.5, 0.0, 1.0)
    if standardisation == "cdf":
        shares_below = [math.erfc(-value / math.sqrt(2)) / 2 for value in z.ravel().tolist()]
        return np.array(shares_below).reshape(z.shape)
    return z
