"""`irev.studies.sensitivity`: what one more relevant document at each rank does to a measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.core.job import optional_run_job
from irev.core.workers import progress_reporter
from irev.errors import UsageError
from irev.jobs.studies.options.sensitivity import (
    CHANGED,
    DEPTH,
    RELEVANT,
    SCORES,
    SensitivityOptions,
)
from irev.jobs.studies.rank_sensitivity import sensitivity_of_ranking, sensitivity_of_run
from irev.jobs.studies.undiscovered import undiscovered_by_formula, undiscovered_in_run
from irev.measures.naming.grammar import measure_names
from irev.options import Options

if TYPE_CHECKING:
    from irev.core.judged import Input
    from irev.jobs.study_result import StudyResult


@optional_run_job(SensitivityOptions)
def sensitivity(
    qrels: Input | None = None,
    run: Input | None = None,
    measures: object = (),
    *,
    options: SensitivityOptions,
) -> StudyResult:
    """How measures change when the document at rank j becomes relevant, for every j.

    Args:
        qrels: judgments, as `irev.evaluate` takes them; None for a made ranking.
        run: a run, where there are judgments.
        measures: names as `irev.evaluate` takes them, of measures on grades; none: AP, Rprec, P@10
            and nDCG@10.
        options: the record `SensitivityOptions`, whose fields are keywords, too.

    Returns:
        Tables `changes`, `scores` and, of one ranking, `slopes`, and `sensitivity` with its figure;
        of undiscovered documents `change` or `topics` and `range`, and `undiscovered`.

    Raises:
        UsageError: an option or a measure that makes no sense here.
        InputError: an input that cannot be read.
        MismatchError: a topic or document that the inputs lack.
    """
    has_run, depth = run is not None, options.undiscovered
    has_ranking = has_run or len(options.ranking_grades) > 0 or depth is not None
    if has_run != (qrels is not None) or not has_ranking:
        raise UsageError("give a ranking, or judgments and one run")
    options.check_inputs(has_run=has_run)
    options.load_plugins()
    requested_names, evaluation = measure_names(measures), options.base_record(Options)
    names = requested_names or CHANGED
    if depth is not None:
        if has_run:
            return undiscovered_in_run(
                qrels, run, names, depth, new_grade=options.grade,
                qrels_format=options.qrels_format, options=evaluation,
            )  # fmt: skip
        if requested_names:
            raise UsageError("the formula is for average precision: -m needs QRELS RUN")
        return undiscovered_by_formula(
            depth, options.numbers_relevant or RELEVANT, options.scores or SCORES
        )
    if not has_run:
        return sensitivity_of_ranking(
            options.ranking_grades, names, relevant_grades=options.relevant_grades(),
            new_grade=options.grade, ideal_grows=options.ideal_grows, options=evaluation,
        )  # fmt: skip
    return sensitivity_of_run(
        qrels, run, names, topic_id=options.topic_id, document_id=options.document_id,
        new_grade=options.grade, ideal_grows=options.ideal_grows, depth=options.depth or DEPTH,
        qrels_format=options.qrels_format, options=evaluation, watch=progress_reporter("topics"),
    )  # fmt: skip
