"""`irev.evaluate_samples`: runs under samples of complete judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from irev.core.job import runs_job
from irev.core.record import record
from irev.core.wording import count_text
from irev.engine.run_files import all_runs_by_name, error_naming_run
from irev.engine.score_runs import options_with_pool
from irev.errors import IrevError, note
from irev.jobs.result import Result
from irev.jobs.sample.evaluation import SampledEvaluator
from irev.jobs.sample.options import SampledEvaluationOptions
from irev.measures.naming.grammar import measure_names
from irev.scores.table import path_of
from irev.writers.document import shortened_ids, topic_class_and_tie_warnings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.core.judged import Input
    from irev.jobs.sample.estimates import SampledScores


class SampledRun(NamedTuple):
    """The scores of one run under samples, what it is called, and its path as typed."""

    name: str
    scores: SampledScores
    path: str = ""


@record
class SampledEvaluation(Result):
    """The scores of runs under samples of the judgments: `to_frame()` has a row for each estimate.

    An estimate is of a measure of a run, under one design of samples.
    """

    runs: tuple[SampledRun, ...]
    broken: tuple[tuple[str, IrevError], ...] = ()
    """Runs that could not be evaluated: (path, what is wrong)."""

    shown_by: ClassVar[str] = "irev.jobs.sample.document:judgment_samples_document"

    @property
    def several_runs(self) -> bool:
        """Whether it is told of which run a number is."""
        return len(self.runs) + len(self.broken) > 1

    def _subject(self) -> str:
        return ", ".join(each.name for each in self.runs)


@runs_job(SampledEvaluationOptions)
def evaluate_samples(
    qrels: Input,
    runs: Input,
    measures: object = (),
    *,
    options: SampledEvaluationOptions,
) -> SampledEvaluation:
    """Evaluate runs under random samples of complete judgments, and under all: `--sample`.

    Args:
        qrels: complete judgments, as `irev.evaluate` takes them.
        runs: one run or several, likewise; strata are of the pool of all of them.
        measures: names as `irev.evaluate` takes them.
        options: the record `SampledEvaluationOptions`, whose fields are keywords, too:
            `samples=["10%"]`, `repeat=5`, `seed=7` ...

    Returns:
        The estimates: `to_frame()` has a row for each measure of a run under each design, with
        mean, sd, bias and root mean squared error over the samples; `runs` all values.

    Raises:
        TypeError: there is no such option.
        UsageError: measures, designs or options that make no sense under samples.
        InputError: judgments or runs that cannot be read.
        MismatchError: a run without any topic of the judgments.

    Warns:
        IrevWarning: estimates or scores may mislead.
    """
    sources = all_runs_by_name(runs, options.own_columns)
    evaluator = SampledEvaluator(
        qrels, measure_names(measures), options.plan, options_with_pool(options, runs),
        sign=options.sign, per_topic=options.per_topic,
    )  # fmt: skip
    sampled: list[SampledRun] = []
    broken: list[tuple[str, IrevError]] = []
    warnings = [*evaluator.notices]
    outcomes = evaluator.evaluate_many([*sources.values()])
    for name, (run, outcome) in zip(sources, outcomes, strict=True):
        path = path_of(run)
        if isinstance(outcome, IrevError):
            if not options.keep_going:
                raise error_naming_run(name, outcome)
            broken.append((path or name, outcome))
            continue
        sampled.append(SampledRun(name, outcome, path))
        owner = name if len(sources) > 1 else ""
        run_warnings = (*outcome.full.notices, *topic_class_and_tie_warnings(outcome.full))
        warnings += [each.about(owner) for each in run_warnings]
    if sampled:
        warnings += map(note, _target_and_redraw_notes(sampled[0].scores))
    return SampledEvaluation(tuple(sampled), tuple(broken), warnings=tuple(warnings))


def _target_and_redraw_notes(scores: SampledScores) -> Iterator[str]:
    """What bias and errors are against, and which topics were drawn again."""
    names_by_target: dict[str, list[str]] = {}
    for column in range(len(scores.shown)):
        name, target = scores.name(column), scores.target(column)
        if name != target:
            names_by_target.setdefault(target, []).append(name)
    for target, names in names_by_target.items():
        yield f"bias and rms of {', '.join(names)}: compared with {target} under all judgments"
    if len(scores.shown) > sum(map(len, names_by_target.values())):
        others = " of the other measures" if names_by_target else ""
        yield f"bias and rms{others}: compared with the same measure under all judgments"
    for design, topics in scores.redrawn:
        if topics:
            yield (
                f"sample {design}: {count_text(len(topics), 'topic')} had a sample without "
                f"relevant documents and was drawn again: {shortened_ids(topics)}"
            )
