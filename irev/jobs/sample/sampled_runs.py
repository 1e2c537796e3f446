"""Runs evaluated under samples of the judgments, as a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from irev.core.record import record
from irev.core.wording import count_text
from irev.errors import IrevError, note
from irev.jobs.result import Result
from irev.jobs.sample.evaluation import SampledEvaluator
from irev.scores.run_names import name_runs, path_of
from irev.writers.account import shortened_ids, topic_warnings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.model import Input
    from irev.jobs.sample.estimates import SampledScores
    from irev.jobs.sample.evaluation import SamplingPlan
    from irev.options import EvaluationOptions


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

    shown_by: ClassVar[str] = "irev.jobs.sample.document:sampled_scores_document"

    @property
    def several_runs(self) -> bool:
        """Whether it is told of which run a number is."""
        return len(self.runs) + len(self.broken) > 1

    def _subject(self) -> str:
        return ", ".join(each.name for each in self.runs)


def evaluate_samples(
    qrels: Input,
    runs: Sequence[Input],
    measures: Sequence[str],
    plan: SamplingPlan,
    options: EvaluationOptions,
    *,
    sign: bool = False,
    per_topic: bool = False,
) -> SampledEvaluation:
    """Evaluate runs under random samples of complete judgments, and under all of them.

    Args:
        qrels: complete judgments, as `irev.evaluate` takes them.
        runs: the runs, likewise; strata are of the pool of all of them.
        measures: names; none: the set "official".
        plan: what is drawn.
        options: the choices of the evaluation.
        sign: whether the scores under all judgments carry a signature.
        per_topic: whether the values of each topic under each sample are kept.

    Raises:
        UsageError: measures, designs or options that make no sense under samples.
        InputError: judgments that cannot be read; what is wrong with a run is `broken`.
    """
    evaluator = SampledEvaluator(qrels, measures, plan, options, sign=sign, per_topic=per_topic)
    sampled: list[SampledRun] = []
    broken: list[tuple[str, IrevError]] = []
    warnings = [*evaluator.notices]
    for name, (run, outcome) in zip(name_runs(runs), evaluator.evaluate_many(runs), strict=True):
        path = path_of(run)
        if isinstance(outcome, IrevError):
            broken.append((path or name, outcome))
            continue
        sampled.append(SampledRun(name, outcome, path))
        owner = name if len(runs) > 1 else ""
        run_warnings = (*outcome.full.notices, *topic_warnings(outcome.full))
        warnings += [each._replace(run=owner) for each in run_warnings]
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
        yield f"bias and rms of {', '.join(names)} are against {target} under all judgments"
    if len(scores.shown) > sum(map(len, names_by_target.values())):
        others = " of the other measures" if names_by_target else ""
        yield f"bias and rms{others} are against the measure itself under all judgments"
    for design, topics in scores.redrawn:
        if topics:
            yield (
                f"sample {design}: {count_text(len(topics), 'topic')} had a sample without "
                f"relevant documents and was drawn again: {shortened_ids(topics)}"
            )
