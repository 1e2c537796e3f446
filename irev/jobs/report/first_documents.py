"""The first documents of the runs of a report, which are read once more for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.engine.evaluate import RunEvaluator
from irev.engine.first_documents import FirstDocumentsFinder
from irev.options import Options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from irev.core.judged import Input
    from irev.options import ScoringOptions
    from irev.scores.scores import RunFirstDocuments


def read_first_documents(
    qrels: Input, runs: Mapping[str, Input], any_measure: str, options: ScoringOptions
) -> tuple[RunFirstDocuments, ...]:
    """Read the first documents of runs once more.

    Args:
        qrels: the judgments.
        runs: the runs by name, in the order of the table.
        any_measure: one that these judgments have.
        options: the choices.

    Raises:
        UsageError: the judgments are no grades of documents, or decide the order of ties.
    """
    evaluator = RunEvaluator(
        qrels, [any_measure], options.base_record(Options), qrels_format=options.qrels_format
    )
    finder = FirstDocumentsFinder(evaluator, with_documents=True)
    return tuple(
        finder.join(evaluator.map_run_topics(run, finder.find, 1, may_be_empty=True).results)
        for run in runs.values()
    )
