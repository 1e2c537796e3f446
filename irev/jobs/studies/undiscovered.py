"""What a relevant document that the pool missed does to scores: Kishida's Table 1.

Kazuaki Kishida, "Property of Average Precision and its Generalization", NII Technical Report
NII-2005-014E (2005), eqs. 15-17.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import column_means
from irev.core.text import escape_non_utf8
from irev.errors import MismatchError, UsageError
from irev.jobs.plots.figures import curves_figure
from irev.jobs.plots.result_parts import add_signature, input_label
from irev.jobs.plots.style import add_axes_legend, new_figure, plot_style, series_style
from irev.jobs.studies.changes import Changes, Scorer, score_before, scores_after
from irev.jobs.studies.run_rankings import lacking, rankings_of_run, without_relevant
from irev.jobs.study_result import StudyResult
from irev.options import Options

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from irev.core.arrays import Floats
    from irev.core.model import Input
    from irev.jobs.studies.changes import JudgedRanking


def change_of_precision(depth: int, relevant: int, score: float) -> float:
    """What average precision gains by one more relevant document, right behind the pool's depth.

    1/j - v/(R+1) with j = depth + 1, v the score before, R the relevant documents before (eq. 17).
    It holds where all R stand above rank j.
    """
    return 1.0 / (depth + 1) - score / (relevant + 1)


def least_precision(depth: int, relevant: int) -> float:
    """The least average precision of a ranking with all R relevant documents in `depth` ranks.

    They then stand at the last R of these ranks: (1/R) sum_{i=1..R} i / (depth - R + i). NaN where
    R exceeds the depth.
    """
    if relevant > depth:
        return float("nan")
    nth = np.arange(1, relevant + 1)
    return float((nth / (depth - relevant + nth)).sum()) / relevant


def undiscovered(
    depth: int, relevant: Sequence[int] = (10, 50, 100), scores: Sequence[float] = (0.1, 0.3, 0.5)
) -> StudyResult:
    """Table 1: what average precision gains by a relevant document found behind the pool.

    Args:
        depth: how many documents of each run were pooled; the document stands one rank below.
        relevant: numbers R of relevant documents known before.
        scores: average precisions v before.

    Returns:
        Tables `undiscovered`, with a figure, and `change`, which is laid out as the report's; a
        score v below `least v` is no ranking's.
    """
    import pandas as pd

    if depth < 1 or not relevant or min(relevant) < 1:
        raise UsageError(
            "the depth of the pool and the numbers of relevant documents are at least 1"
        )
    if not scores or min(scores) < 0 or max(scores) > 1:
        raise UsageError("average precisions must be between 0 and 1")
    rows = [
        (each, score, change_of_precision(depth, each, score), least_precision(depth, each))
        for each in relevant
        for score in scores
    ]
    tidy = pd.DataFrame(rows, columns=["R", "score", "change", "least score"])
    wide = pd.DataFrame({"R": list(relevant)})
    for score in scores:
        wide[f"v={score:g}"] = tidy.loc[tidy["score"] == score, "change"].to_numpy()
    wide["least v"] = [least_precision(depth, each) for each in relevant]
    parameters = {"depth": depth, "relevant": list(relevant), "scores": list(scores)}
    rank = depth + 1
    outcome = StudyResult(
        "sensitivity", {"undiscovered": parameters}, {"change": wide, "undiscovered": tidy},
        ("change",), {"undiscovered": lambda: _figure(tidy, rank)},
        _impossible(tidy),
    )  # fmt: skip
    return add_signature(outcome, {}, Options())


def _impossible(tidy: pd.DataFrame) -> tuple[str, ...]:
    is_low = tidy["score"] < tidy["least score"] - 1e-12
    if not is_low.any():
        return ()
    few = ", ".join(f"R={row.R} v={row.score:g}" for row in tidy[is_low].itertuples())
    return (f"no ranking that has all its relevant documents above that rank scores {few}",)


def _figure(tidy: pd.DataFrame, rank: int) -> Figure:
    return curves_figure(
        tidy.assign(R=[f"R={each}" for each in tidy["R"]]), x_column="score",
        y_column="change", series_column="R",
        axes_labels=("average precision before", f"change by a relevant document at rank {rank}"),
        has_zero_line=True,
    )  # fmt: skip


def undiscovered_in_run(
    qrels: Input,
    run: Input,
    measures: Sequence[str],
    depth: int,
    *,
    grade: float | None = None,
    format: str = "qrels",
    options: Options | None = None,
) -> StudyResult:
    """What the scores of a run's topics gain where the document behind the pool is found relevant.

    Of each topic, the document at rank depth + 1 becomes relevant and R grows by one. Topics whose
    ranking ends above, whose document there is relevant already, or that have no relevant document
    at all are left out.

    `depth`: how many documents of each run were pooled. `grade`: what the document gets; None: the
    smallest relevant grade, at least 1. `format`: what the judgments hold, as `irev.evaluate` has
    it: grades.

    Returns:
        Tables `topics` (R and the changes of each topic), `range` (the mean change, the least and
        the greatest, how many topics gain and lose) and `undiscovered` with its figure.
    """
    options = options or Options()
    new = float(max(options.level, 1)) if grade is None else float(grade)
    read = rankings_of_run(qrels, run, measures, options, format)
    scorer = Scorer(measures, options, max(read.highest, new))
    numbers = read.with_relevant(options.level)
    kept = [number for number in numbers if _is_open(read.ranking(number), depth, options.level)]
    if not kept:
        raise MismatchError(f"no topic has a document at rank {depth + 1} that is not relevant yet")
    rankings = [read.ranking(number) for number in kept]
    topics = [escape_non_utf8(read.topics[number]) for number in kept]
    relevant = [int((ranking.ideal >= options.level).sum()) for ranking in rankings]
    changes = np.stack([_change(scorer, ranking, depth, new) for ranking in rankings])
    tables = _tables(topics, relevant, changes, scorer.names)
    parameters = {
        "qrels": input_label(qrels), "run": input_label(run), "measures": list(scorer.names),
        "level": options.level, "grade": new, "undiscovered": {"depth": depth},
    }  # fmt: skip
    left_out = len(numbers) - len(topics)
    about = f"{left_out} topics left out: a relevant document, or none at all, at rank {depth + 1}"
    outcome = StudyResult(
        "sensitivity",
        parameters,
        tables,
        ("range", "topics"),
        {"undiscovered": lambda: _figure_of_topics(tables["undiscovered"], depth + 1)},
        (
            f"over {len(topics)} topics",
            *without_relevant(len(read.topics) - len(numbers)),
            *lacking(read.missing(options.level), "left out"),
            *read.doubts,
            *([about] if left_out else []),
        ),
    )
    return add_signature(outcome, scorer.definitions, options, qrels=[qrels], runs=[run])


def _is_open(ranking: JudgedRanking, depth: int, level: int) -> bool:
    """Whether a document stands behind the pool that is not relevant yet."""
    return len(ranking.grade) > depth and bool(ranking.grade[depth] < level)


def _change(scorer: Scorer, ranking: JudgedRanking, depth: int, grade: float) -> Floats:
    """float64[C]: by how much the scores change where that document gets a grade."""
    place, old = np.array([depth]), ranking.grade[depth : depth + 1]
    change = Changes(place, old, np.array([grade]), grows=True)
    found: Floats = scores_after(scorer, ranking, change)[0] - score_before(scorer, ranking)
    return found


def _tables(
    topics: list[str], relevant: list[int], changes: Floats, names: tuple[str, ...]
) -> dict[str, pd.DataFrame]:
    """The tables of `undiscovered_in_run`, of float64[T, C] changes."""
    import pandas as pd

    by_topic = {name: changes[:, column] for column, name in enumerate(names)}
    return {
        "range": _range(changes, names),
        "topics": pd.DataFrame({"topic": topics, "R": relevant, **by_topic}),
        "undiscovered": _sorted_changes(topics, changes, names),
    }


def _range(changes: Floats, names: tuple[str, ...]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        {
            "measure": names,
            "mean": column_means(changes),
            "least": changes.min(axis=0),
            "greatest": changes.max(axis=0),
            "gain": (changes > 0).sum(axis=0),
            "lose": (changes < 0).sum(axis=0),
            "same": (changes == 0).sum(axis=0),
        }
    )


def _sorted_changes(topics: list[str], changes: Floats, names: tuple[str, ...]) -> pd.DataFrame:
    """The changes of each measure, falling, with their places."""
    import pandas as pd

    parts: list[dict[str, Any]] = []
    for column, name in enumerate(names):
        order = np.argsort(-changes[:, column], kind="stable")
        parts += [
            {
                "measure": name,
                "place": place,
                "topic": topics[row],
                "change": changes[row, column],
            }
            for place, row in enumerate(order.tolist(), 1)
        ]
    return pd.DataFrame(parts)


def _figure_of_topics(drawn: pd.DataFrame, rank: int) -> Figure:
    with plot_style():
        figure, (axes,) = new_figure()
        axes.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
        for number, (name, points) in enumerate(drawn.groupby("measure", sort=False)):
            look = {**series_style(number), "linestyle": ""}
            axes.plot(points["place"], points["change"], label=str(name), **look)
        axes.locator_params(axis="x", integer=True)
        axes.set_xlabel("topics, from the greatest gain to the greatest loss of each measure")
        axes.set_ylabel(f"change by a relevant document at rank {rank}")
        add_axes_legend(figure, axes)
    return figure
