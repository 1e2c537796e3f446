"""`irev.explain`: how the scores of one topic come about."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar

from irev.core.job import run_job
from irev.core.record import record
from irev.core.text import as_text, printable
from irev.errors import UsageError, note
from irev.jobs.explain.explainer import ExplainedScore, Explainer
from irev.jobs.explain.options import ExplainOptions
from irev.jobs.explain.topic import ranked_topic
from irev.jobs.result import Result
from irev.measures.naming.grammar import measure_names
from irev.options import Options

if TYPE_CHECKING:
    from irev.core.judged import Input
    from irev.scores.signature import Signature


@record
class Explanation(Result):
    """How the scores of one topic come about, rank by rank; `to_frame()` has a row for each."""

    topic: str
    scores: tuple[ExplainedScore, ...]
    """Of each column that has a number for a topic, in the order asked."""
    signature: Signature | None
    """Of the evaluation; None where there is something in memory, which has no hash."""
    every_rank: bool

    shown_by: ClassVar[str] = "irev.jobs.explain.document:explanation_document"

    def _subject(self) -> str:
        return f"{', '.join(each.name for each in self.scores)} of topic {self.topic}"


@run_job(ExplainOptions)
def explain(
    qrels: Input, run: Input, measures: object = ("map",), *, options: ExplainOptions
) -> Explanation:
    """Show how the score of one topic is computed, rank by rank: `irev explain`.

    Args:
        qrels: judgments, as `irev.evaluate` takes them.
        run: the run.
        measures: names as `irev.evaluate` takes them.
        options: the record `ExplainOptions`, whose fields are keywords, too.

    Returns:
        The ranks: `to_frame()` has a row for each, `scores` the whole by measure.

    Raises:
        TypeError: there is no such option.
        UsageError: an option that makes no sense; no measure has a number for a topic.
        InputError: an input that cannot be read.
        MismatchError: a topic that the judgments lack.

    Warns:
        IrevWarning: scores of the run may mislead, for instance since no document is judged.
    """
    topic_id = options.topic_id
    paths = [os.fspath(each) for each in (qrels, run) if isinstance(each, str | os.PathLike)]
    if topic_id is None and "-" in paths:
        raise UsageError("standard input (-) cannot be read twice: name a topic with -t")
    options.load_plugins()
    is_signed = len(paths) == 2 and all(
        os.path.isfile(path) or os.path.isdir(path) for path in paths
    )
    explainer = Explainer(
        qrels,
        measure_names(measures),
        options.base_record(Options),
        options.qrels_format,
        is_signed=is_signed,
    )
    scores = explainer.scores(run) if topic_id is None else None
    notes = []
    if scores is not None:
        topic_id = explainer.worst_topic_id(scores)
    ranking, warnings = ranked_topic(run, explainer.evaluator, topic_id or b"", explainer.ranking)
    explained = tuple(explainer.explain(ranking))
    if scores is not None:
        notes.append(note(
            f"showing topic {printable(explained[0].topic)}, which has the worst "
            f"{explained[0].name}; choose another with -t"
        ))  # fmt: skip
    elif is_signed:
        # of a run that was not scored yet
        scores = explainer.scores(run)
    signature = None if scores is None else scores.signature
    return Explanation(
        as_text(topic_id or b""), explained, signature, options.every_rank,
        warnings=(*warnings, *notes),
    )  # fmt: skip
