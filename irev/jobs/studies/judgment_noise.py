"""`irev.studies.judgment_noise`: how much a mean changes when assessors disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.core.job import optional_run_job
from irev.core.workers import progress_reporter
from irev.errors import UsageError
from irev.jobs.studies.assessors import noise_of_assessors
from irev.jobs.studies.options.judgment_noise import JudgmentNoiseOptions
from irev.jobs.studies.options.rankings import refuse_options
from irev.jobs.studies.repeated_judgments import noise_in_run, simulated_noise
from irev.measures.naming.grammar import measure_names
from irev.options import Options

if TYPE_CHECKING:
    from irev.core.judged import Input
    from irev.jobs.study_result import StudyResult


@optional_run_job(JudgmentNoiseOptions)
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
        "num_trials": options.trials or 1000, "seed": options.seed or 0, "options": evaluation,
        "watch": progress_reporter("topics"),
    }  # fmt: skip
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
