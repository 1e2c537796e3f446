"""Two sets of judgments against each other, and what the choice between them changes for runs.

E. M. Voorhees, IPM 2000, "Variations in relevance judgments and the measurement of retrieval
effectiveness": how far assessors agree, and how little the order of runs does.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.text import storable
from irev.core.wording import counted
from irev.errors import MismatchError
from irev.options import Options
from irev.plots.agreement import agreement_figure, confusion_figure
from irev.plots.correlation import scatter_figure
from irev.plots.record import Record
from irev.plots.runs import MISSING
from irev.statistics.agreement import confusion
from irev.statistics.rank_correlation import rms_error
from irev.studies.conclusions import SHORT, Significance, counts_of, pairs_table, verdicts
from irev.studies.correlation_tables import coefficients
from irev.studies.judged_twice import JudgedTwice, all_together, judged_twice
from irev.studies.run_rankings import named
from irev.studies.signing import signed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from irev.core.inputs import Input
    from irev.studies.criteria import Criterion

NAME = "agreement"


def agreement(first: Input, second: Input, options: Options | None = None) -> Record:
    """How far two sets of judgments agree on the documents that both grade.

    For each topic that both have, and for all documents together: the share of equal grades,
    Cohen's kappa, plain and weighted by the distance of the grades or its square, Krippendorff's
    alpha (nominal, ordinal), and the overlap of the relevant documents. Grades below 0 are no
    judgments.

    Args:
        first: judgments, as `irev.evaluate` takes them.
        second: others of the same topics.
        options: how they are read, and the smallest relevant grade.

    Returns:
        Tables `summary` (all documents), `confusion` (how often which grades were given, drawn) and
        `agreement` (each topic, drawn).

    Raises:
        InputError: judgments that cannot be read.
        MismatchError: no document is in both.

    Source: Cohen 1960 and 1968; Krippendorff, Content Analysis, 2004; Voorhees 2000, for the
    overlap.
    """
    import pandas as pd

    options = options or Options()
    topics = judged_twice(first, second, options)
    together = all_together(topics)
    if not len(together.first):
        raise MismatchError("no document is judged in both")
    by_topic = pd.DataFrame(
        [{"topic": storable(t), **each.facts(options.level)} for t, each in topics.items()]
    )
    summary = pd.DataFrame([{"topics": len(topics), **together.facts(options.level)}])
    counts = confusion_table(together)
    tables = {"summary": summary, "confusion": counts, "agreement": by_topic}
    parameters = {"qrels": [named(first), named(second)], "level": options.level}
    notes = (
        f"{len(together.first)} documents of {len(topics)} topics are judged by both; relevant is "
        f"a grade of {options.level} or more",
    )
    figures = {
        "confusion": partial(confusion_figure, counts),
        "agreement": partial(agreement_figure, by_topic),
    }
    shown = ("summary", "confusion", "agreement")
    record = Record(NAME, parameters, tables, shown, figures, notes)
    return signed(record, None, options, qrels=(first, second))


def confusion_table(pairs: JudgedTwice) -> pd.DataFrame:
    """Columns: first, second (grades), documents, share (of all with that first grade)."""
    import pandas as pd

    found = confusion(pairs.first, pairs.second)
    size = len(found.grades)
    total = np.maximum(found.counts.sum(axis=1, keepdims=True), 1)
    grades = [f"{grade:g}" for grade in found.grades.tolist()]
    return pd.DataFrame(
        {
            "first": np.repeat(grades, size),
            "second": np.tile(grades, size),
            "documents": found.counts.ravel(),
            "share": (found.counts / total).ravel(),
        }
    )


def with_runs(
    record: Record,
    criteria: Sequence[tuple[Criterion, Criterion]],
    runs: Sequence[str],
    how: Significance | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> Record:
    """The same with what the choice between the judgments changes for S runs.

    Args:
        record: the outcome of `agreement`.
        criteria: for each measure the scores of the runs under the first and the second judgments,
            float64[T, S] on the same topics.
        runs: their names.
        how: when a difference of two runs is significant.
        parameters: what the scores depend on.
        notes: what a reader must know of the scores.

    Returns:
        Tables `runs` (for each measure tau_b, tau_a, p, tau_AP with the first judgments as the
        truth, tau_AP_b, the RMS error of the means, and of all pairs of runs those found
        significant under both (AA, AD in opposite directions), under one (PA, PD) or neither),
        `changes` (every pair of runs) and `scatter` (what is drawn).

    Raises:
        UsageError: fewer than two topics or runs.
        MissingExtraError: scipy is not installed.
    """
    how = how or Significance()
    tables = _tables_of_runs(criteria, runs, how)
    topics = len(criteria[0][0].scores)
    return Record(
        record.name,
        {
            **record.parameters, "test": "paired t, two-sided", "alpha": how.alpha,
            "correction": how.correction, **(parameters or {}),
        },
        {**record.tables, **tables}, (*record.shown[:2], "runs", *record.shown[2:]),
        {**record.figures, "scatter": partial(scatter_figure, tables["scatter"])},
        (
            *record.notes, *notes,
            f"{len(runs)} runs by their means over {counted(topics, 'topic')}; {MISSING}",
            how.said(topics, len(runs)), _KINDS,
        ),
    )  # fmt: skip


def _tables_of_runs(
    criteria: Sequence[tuple[Criterion, Criterion]], runs: Sequence[str], how: Significance
) -> dict[str, pd.DataFrame]:
    import pandas as pd

    rows, changes, points = [], [], []
    for first, second in criteria:
        one, other = verdicts(first, how), verdicts(second, how)
        rows.append(
            {
                "measure": first.name,
                **coefficients(first, second),
                "rms": rms_error(second.means, first.means),
                **counts_of(one, other),
            }
        )
        of_pairs = pairs_table(runs, one, other)
        of_pairs.insert(0, "measure", first.name)
        changes.append(of_pairs)
        points.append(_points(first, second, runs))
    return {
        "runs": pd.DataFrame(rows),
        "changes": pd.concat(changes, ignore_index=True),
        "scatter": pd.concat(points, ignore_index=True),
    }


_KINDS = (
    f"{', '.join(SHORT)}: pairs of runs found significantly different under both judgments, in the "
    "same (AA) or opposite (AD) directions, under one of them, the other agreeing (PA) or not "
    "(PD), or under neither"
)


def _points(first: Criterion, second: Criterion, runs: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        {
            "measure": f"{first.name}, first judgments",
            "with": f"{second.name}, second judgments",
            "run": list(runs),
            "x": first.means,
            "y": second.means,
        }
    )
