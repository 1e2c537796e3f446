"""Two runs as rankings of documents, topic by topic: rank-biased overlap, without judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from irev.core.arrays import column_means
from irev.core.job import FigureWidth, job
from irev.core.judged import Input, Rows
from irev.core.option_records import Opt
from irev.core.text import count_text, escape_non_utf8, list_beginning
from irev.core.workers import progress_reporter
from irev.engine.doubts import refuse_saved_scores
from irev.engine.map_topics import (
    ExcludedDocuments,
    excluded_document_notes,
    map_topics,
    read_excluded,
)
from irev.errors import Notice, note
from irev.jobs.plots.layout import COLOURS, FigureLayout, plot_style
from irev.jobs.plots.plot import add_signature, input_label, name_topics, sort_by_topic, topic_rows
from irev.jobs.result import StudyResult
from irev.jobs.studies.criteria import PERSISTENCE
from irev.options import Options
from irev.rank.ranking import index_pairs_refusing_duplicates
from irev.read.formats import run_layout
from irev.read.inputs import names_of_runs
from irev.statistics.correlation import Ties, rbo

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class OverlapOptions(Options):
    """How two rankings are compared, and how the runs are read."""

    # what of an evaluation matters where runs are read alone
    without: ClassVar[Sequence[str]] = [
        name
        for name in Options.fields()
        if name not in ("decimal_comma", "run_format", "columns", "exclude", "passages")
    ]

    persistence: Annotated[
        float,
        PERSISTENCE.replace(
            help="How far down a reader goes: the first 10 ranks weigh 86% at 0.9.",
        ),
    ] = 0.9
    ties: Annotated[
        Literal["a", "b", "w"],
        Opt(
            "--ties",
            help="Tied documents: the mean over all their orders (a, the default), that corrected "
            "so that a ranking has 1 with itself (b), or one shared rank (w).",
        ),
    ] = "a"  # type: ignore[assignment]


NAME = "overlap"

Rankings = dict[bytes, list[list[bytes]]]
"""Topic -> groups of documents of equal scores, best first."""

TIES = {
    "a": "the mean over all orders of tied documents",
    "b": "the mean over all orders of tied documents, corrected: a ranking has 1 with itself",
    "w": "tied documents share a rank",
}
"""The treatments of ties, as Corsi and Urbano (SIGIR 2024) call them."""


@job(OverlapOptions)
def overlap(run: Input, other_run: Input, *, options: OverlapOptions) -> StudyResult:
    """How alike two runs rank documents: rank-biased overlap (RBO), for each topic and its mean.

    Documents of equal scores are tied. A topic that one run lacks has an RBO of 0, for its ranking
    is empty.

    Args:
        run: a run, as `irev.evaluate` takes it.
        other_run: another.
        options: the record `OverlapOptions`, whose fields are keywords, too.

    Returns:
        Tables `mean` and `overlap` (topic, documents of either run and in common, rbo_ext, rbo_min,
        rbo_max, rbo_res), which is drawn: RBO of the topics, with the range that documents not seen
        leave open.

    Source: Webber, Moffat and Zobel, TOIS 2010; Corsi and Urbano, SIGIR 2024, for ties.
    """
    persistence, ties = options.persistence, options.ties
    reading_options = options.base_record(Options)
    runs_read = [read_rankings(one, reading_options) for one in (run, other_run)]
    rankings, other_rankings = (one.rankings for one in runs_read)
    watch = progress_reporter("topics")
    table = overlap_table(rankings, other_rankings, persistence, ties, watch)
    labels = [input_label(run), input_label(other_run)]
    names = names_of_runs([run, other_run])
    notes = [f"RBO, extrapolated (ext), p={persistence:g}, ties={ties}: {TIES[ties]}"]
    topics = sorted({*rankings, *other_rankings})
    for name, own in zip(names, (rankings, other_rankings), strict=True):
        missing = [escape_non_utf8(topic) for topic in topics if topic not in own]
        if missing:
            notes.append(
                f"{name} lacks {len(missing)} of {count_text(len(topics), 'topic')}, which "
                f"{'counts' if len(missing) == 1 else 'count'} as 0: {list_beginning(missing)}"
            )
    result = StudyResult(
        NAME,
        {"runs": labels, "p": persistence, "ties": ties},
        {"mean": mean_overlap(table), NAME: table},
        ("mean", NAME),
        {NAME: partial(overlap_figure, table, f"p = {persistence:g}, ties = {ties}")},
        (
            *(notice for one in runs_read for notice in one.notices),
            *map(note, notes),
            *excluded_document_notes(one.num_excluded for one in runs_read),
        ),
    )
    return add_signature(result, {}, reading_options, runs=(run, other_run))


def overlap_table(
    rankings: Rankings,
    other_rankings: Rankings,
    persistence: float,
    ties: Ties,
    watch: Callable[[Sequence[Any]], Iterable[Any]] = iter,
) -> pd.DataFrame:
    """A line for each topic that either has: documents of both, those in common, and RBO.

    `watch` passes on the topics as they are worked on; for a progress bar.
    """
    import pandas as pd

    rows = []
    for topic in watch(sorted({*rankings, *other_rankings})):
        ranking, other_ranking = rankings.get(topic, []), other_rankings.get(topic, [])
        bounds = rbo(ranking, other_ranking, persistence, ties)
        shared = {d for group in ranking for d in group} & {
            d for group in other_ranking for d in group
        }
        counts = (sum(map(len, ranking)), sum(map(len, other_ranking)), len(shared))
        rows.append(
            (escape_non_utf8(topic), *counts, bounds.ext, bounds.min, bounds.max, bounds.res)
        )
    columns = ["topic", "first", "second", "in common", "rbo_ext", "rbo_min", "rbo_max", "rbo_res"]
    return pd.DataFrame(rows, columns=columns)


def mean_overlap(table: pd.DataFrame) -> pd.DataFrame:
    """The means over the topics of a table of `overlap_table`, summed in their order."""
    import pandas as pd

    columns = ["rbo_ext", "rbo_min", "rbo_max", "rbo_res"]
    means = column_means(table[columns].to_numpy())
    mean_table = pd.DataFrame([means], columns=columns)
    mean_table.insert(0, "topics", [len(table)])
    return mean_table


class TiedRankings(NamedTuple):
    """The rankings of a run by topic, how many documents were left out, and what is doubtful."""

    rankings: Rankings
    num_excluded: int
    notices: tuple[Notice, ...] = ()


def read_rankings(run: Input, options: Options) -> TiedRankings:
    """The rankings of a run by falling score."""
    refuse_saved_scores(run)
    layout = run_layout(
        options.run_format,
        decimal_comma=options.decimal_comma,
        columns=options.own_columns,
        passages=options.passages,
    )
    rankings: Rankings = {}
    num_excluded = 0
    step = partial(_tied_groups, excluded=read_excluded(options.exclude))
    read = map_topics(run, layout, step, 1)
    for part in read.results:
        rankings.update(part.rankings)
        num_excluded += part.num_excluded
    notices = tuple(notice for notice in read.notices if not notice.is_note)
    return TiedRankings(rankings, num_excluded, notices)


def _tied_groups(rows: Rows, excluded: ExcludedDocuments | None) -> TiedRankings:
    """The documents of some whole topics, those of equal scores together."""
    index_pairs_refusing_duplicates(rows, rows.topic_of_row, len(rows.topics))
    num_rows = len(rows.docs)
    rows = rows if excluded is None else excluded.kept_rows(rows)
    rankings: Rankings = {}
    documents = rows.docs.to_list()
    for topic_index, topic in enumerate(rows.topics):
        start, stop = rows.start[topic_index : topic_index + 2].tolist()
        scores = rows.value[start:stop]
        order = np.argsort(-scores, kind="stable")
        ends = np.flatnonzero(np.diff(scores[order]) != 0) + 1
        rankings[topic] = [
            [documents[start + row] for row in group.tolist()]
            for group in np.split(order, ends)
            if len(group)
        ]
    return TiedRankings(rankings, num_rows - len(rows.docs))


def overlap_figure(table: pd.DataFrame, title: str, *, width: FigureWidth = "page") -> Figure:
    """A bar for each topic, with the range that documents not seen leave open."""
    table = sort_by_topic(table)
    value = table["rbo_ext"].to_numpy()
    below, above = table["rbo_min"].to_numpy(), table["rbo_max"].to_numpy()
    error_bar_lengths = np.maximum([value - below, above - value], 0.0)
    rows_of_topics = topic_rows(len(value), 1, 1, width)
    with plot_style(width):
        layout = FigureLayout(len(rows_of_topics), width=width, height=2.0, max_columns=1)
        for axes, indices in zip(layout.panels, rows_of_topics, strict=True):
            some, positions = slice(indices.start, indices.stop), np.arange(len(indices))
            axes.bar(positions, value[some], 0.7, color=COLOURS[0], label="RBO (ext)")
            axes.errorbar(
                positions,
                value[some],
                yerr=error_bar_lengths[:, some],
                fmt="none",
                ecolor="#444444",
                elinewidth=0.8,
                capsize=1.5,
                label="from min to max",
            )
            axes.set_ylim(0.0, 1.025)
            axes.set_ylabel("rank-biased overlap")
            name_topics(layout, axes, table["topic"].iloc[some].tolist(), len(rows_of_topics[0]))
        axes.set_xlabel("topic")
        layout.set_panel_legend()
        layout.add_sentence(f"{title}.")
        return layout.finish()
