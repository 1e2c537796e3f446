"""Runs evaluated under samples of complete judgments, and under the complete judgments themselves.

Every run is read and joined with the judgments once. A sample changes the grades of the joined rows
and the counts of grades, no more; so the rankings of many samples are measured together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from os import fsencode
from typing import Any, ClassVar, NamedTuple

import numpy as np

from irev.core import __version__, workers
from irev.core.arrays import (
    DesignsByMeasures,
    Floats,
    Ints,
    ListIndices,
    MeasureValues,
    TopicsByMeasures,
)
from irev.core.job import job
from irev.core.judged import Input, Judged, RankingExtras, Rows, asked_order
from irev.core.record import cached_property, record
from irev.core.text import as_bytes, as_text, count_text, escape_non_utf8
from irev.engine.map_topics import InputResults
from irev.engine.run_facts import JudgedCounts, judged_counts
from irev.engine.score_runs import options_with_pool
from irev.errors import IrevError, Notice, UsageError, note
from irev.jobs.pool.pool import parse_rate_or_strata, strata_of
from irev.jobs.result import Result
from irev.jobs.sample.designs import (
    SampleableEvaluator,
    SampledEvaluationOptions,
    SamplingPlan,
    ThinnedQrels,
    Thinning,
    UnjudgedAsNonrelevantEvaluator,
    draw_strata,
    draw_uniform,
    strata_of_samples,
)
from irev.measures.naming.grammar import measure_names
from irev.measures.naming.resolve import resolve_names
from irev.measures.requests import Request, canonical_name, cautions, close_scales, join_rankings
from irev.options import EvaluationOptions, Options, evaluation_options
from irev.rank.ranking import TIES_BY_GRADE, Ranked, empty_rankings, rank_rows
from irev.read.formats import GRADED
from irev.read.inputs import error_naming_run, given_runs, names_of_runs, path_of
from irev.read.stream import given_name_of
from irev.scores.scores import SUMMARY, Scores
from irev.statistics.correlation import pearson, tau_b
from irev.writers.document import (
    Document,
    Lines,
    Part,
    Records,
    Table,
    finite_or_none,
    head_of,
    signature_data,
)
from irev.writers.scores import footer_lines
from irev.writers.trec import (
    ScoredFile,
    ScoreLayout,
    real_text,
    shortened_ids,
    topic_class_and_tie_warnings,
)


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

    shown_by: ClassVar[str] = "irev.jobs.sample.evaluation:judgment_samples_document"

    @property
    def several_runs(self) -> bool:
        """Whether it is told of which run a number is."""
        return len(self.runs) + len(self.broken) > 1

    def _subject(self) -> str:
        return ", ".join(each.name for each in self.runs)


@job(SampledEvaluationOptions)
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
    sources = given_runs(runs, options.own_columns).by_name
    evaluator = SampledEvaluator(
        qrels,
        measure_names(measures),
        options.plan,
        options_with_pool(options, runs),
        sign=options.sign,
        per_topic=options.per_topic,
    )
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


class SampledEvaluator:
    """Judgments, measures and designs of samples, made ready for many runs.

    Example:
        >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 0, "d4": 0}}
        >>> run = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}
        >>> evaluator = SampledEvaluator(qrels, ["infAP"], SamplingPlan(["50%"], seed=7, repeat=2))
        >>> [(_, scores)] = evaluator.evaluate_many([run])
        >>> scores.values.tolist()  # one design, two samples, one measure
        [[[1.0], [1.0]]]
    """

    def __init__(
        self,
        qrels: Input,
        measures: Sequence[str],
        plan: SamplingPlan,
        options: Options | None = None,
        *,
        sign: bool = False,
        complete: bool = False,
        per_topic: bool = False,
        **fields: Any,
    ) -> None:
        """Resolve the measures' names and the designs, and read the judgments.

        Args:
            qrels: complete judgments, as `evaluate` takes them.
            measures: names as the command line takes them; none: the set "official".
            plan: what is drawn.
            options: the choices that define the evaluation.
            sign: whether the scores under all judgments carry a signature.
            complete: whether documents of the pool that have no grade (a negative one) count as
                judged and not relevant.
            per_topic: whether the values of the topics under each sample are kept.
            **fields: options that go before `options`: `qrels_format="ntcir"`.
        """
        options = evaluation_options(options, fields)
        options.load_plugins()
        _refuse_options(options, plan.repeat)
        self.designs = tuple(dict.fromkeys(plan.rates))
        self._parsed_designs = [parse_rate_or_strata(text) for text in self.designs]
        if not self._parsed_designs:
            raise UsageError("samples of the judgments need a rate, such as 10%")
        self.seed, self.repeat, self.per_topic = plan.seed, plan.repeat, per_topic
        requests = resolve_names(measures, options)
        target_names = dict.fromkeys(target_measure_of_each_column(requests))
        own_names = _column_names(requests)
        more_names = (name for name in target_names if name not in own_names)
        all_measures = [*(measures or ("official",)), *more_names]
        self._sign = sign
        evaluator_class = UnjudgedAsNonrelevantEvaluator if complete else SampleableEvaluator
        self.evaluator = evaluator_class(qrels, all_measures, options, sign=sign)
        self._prepared_judgments = self.evaluator.prepared_judgments
        self._requests = requests = close_scales(requests, self._prepared_judgments.qrels)
        names = _column_names(self.evaluator.requests)
        target_of = dict(
            zip(_column_names(requests), target_measure_of_each_column(requests), strict=True)
        )
        self._target_of = {
            names.index(name): names.index(target) for name, target in target_of.items()
        }
        self._refuse_strata_and_unsupported_measures()

    def _refuse_strata_and_unsupported_measures(self) -> None:
        """Refuse designs and measures that there is no place for; all have one here."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What makes the values doubtful, whatever the run."""
        kinds = ("no-checksum", "below-level", "gains-below-level")
        of_qrels = (each for each in self.evaluator.notices if each.kind in kinds)
        warnings = (*of_qrels, *(Notice("doubtful-measure", line) for line in self._cautions()))
        num_unjudged = int((self._prepared_judgments.qrels.grade < 0).sum())
        if not num_unjudged:
            return warnings
        message = (
            f"the judgments are not complete: {count_text(num_unjudged, 'document')} of the pool "
            f"{'has' if num_unjudged == 1 else 'have'} no grade (a negative one), so the values "
            "with all judgments are estimates, too"
        )
        return (Notice("incomplete-judgments", message), *warnings)

    def _cautions(self) -> list[str]:
        """What the literature warns of, for these measures under such samples, a line for each."""
        qrels = self._prepared_judgments.qrels
        # every design leaves documents of the pool unjudged
        unjudged_qrels = replace(qrels, grade=np.full(len(qrels.grade), -1.0))
        lines = cautions(self._requests, unjudged_qrels, self.evaluator.options.level)
        names = dict.fromkeys(
            # without strata every document of the pool is as likely as the others
            r.measure.name
            for r in self._requests
            if r.measure.estimates and r.measure.needs == "qrels"
        )
        has_several_rates = any(
            isinstance(design, tuple) and len({stratum.rate for stratum in design}) > 1
            for design in self._parsed_designs
        )
        if names and has_several_rates:
            lines.append(
                f"{', '.join(names)}: made for samples of one rate; with strata of several "
                "rates it is biased"
            )
        return lines

    def evaluate_many(
        self, runs: Sequence[Input]
    ) -> Iterator[tuple[Input, SampledScores | IrevError]]:
        """The scores of several runs under the samples, or what is wrong with a run, in order.

        All runs are read before samples are drawn: strata are of the pool of all of them.
        """
        threads = self.evaluator.options.threads or workers.default_threads()
        read = partial(self._read_run, threads=threads if len(runs) == 1 else 1)
        runs_read = list(workers.map_in_order(read, runs, threads))
        # a warning at a run that is the same as one before
        scores = [run if isinstance(run, IrevError) else run.scores for run in runs_read]
        warned = self.evaluator.add_twin_warnings(
            zip(runs, scores, strict=True), names_of_runs(runs)
        )
        for index, (run, (_, of_run)) in enumerate(zip(runs_read, warned, strict=True)):
            if not isinstance(run, IrevError) and not isinstance(of_run, IrevError):
                runs_read[index] = replace(run, scores=of_run)
        readable = [run for run in runs_read if not isinstance(run, IrevError)]
        thinned_qrels, redrawn = self._draw_samples(readable)

        def outcome(run: _RankedRun | IrevError) -> SampledScores | IrevError:
            if isinstance(run, IrevError):
                return run
            totals = [run.scores.totals] * len(thinned_qrels.samples)
            # summaries that are of all judged topics, whatever the run has
            if "num_rel" in run.scores.totals:
                relevant = thinned_qrels.qrels.level_grade >= self.evaluator.options.level
                totals = [
                    {**run.scores.totals, "num_rel": float(counts[relevant].sum())}
                    for counts in thinned_qrels.flat_counts_by_list_and_grade
                ]
            values = thinned_qrels.values_by_sample(
                self._prepared_judgments, run.judged, run.lists, run.row
            )
            values_and_totals = zip(values, totals, strict=True)
            try:
                return self._sampled_scores(run.scores, run.lists, values_and_totals, redrawn)
            except IrevError as error:
                return error

        yield from zip(runs, workers.map_in_order(outcome, runs_read, threads), strict=True)

    def _read_run(self, run: Input, threads: int) -> _RankedRun | IrevError:
        evaluator, prepared_judgments = self.evaluator, self._prepared_judgments
        qrels, ranking = prepared_judgments.qrels, prepared_judgments.ranking

        def work(rows: Rows) -> tuple[Ranked, JudgedCounts]:
            ranked = rank_rows(rows, qrels, ranking)
            return ranked, judged_counts(ranked, rows, qrels, ranking)

        try:
            read = evaluator.read_run(run, work, threads, may_be_empty=True)
            scores = self._scores_under_all_judgments(read.results, read)
        except IrevError as error:
            return error
        scores = replace(scores, notices=(*scores.notices, *read.notices))
        rankings = [ranking for ranking, _ in read.results]
        # empty ones for the topics that count though the run lacks them
        retrieved = set[int]().union(*(each.lists.tolist() for each in rankings))
        list_indices = (qrels.topic_index.get(topic) for topic in scores.topics)
        missing = [each for each in list_indices if each is not None and each not in retrieved]
        empty = empty_rankings(np.array(missing, np.int64))
        has_scores = not rankings or rankings[0].extras.scores is not None
        rankings.append(empty if has_scores else empty._replace(extras=RankingExtras()))
        return _RankedRun(
            scores,
            join_rankings([evaluator.graded_judgments.judged_view(each) for each in rankings]),
            np.concatenate([each.lists for each in rankings]),
            np.concatenate([each.row for each in rankings]),
        )

    def _scores_under_all_judgments(
        self, results: Sequence[tuple[Ranked, JudgedCounts | None]], read: InputResults[Any]
    ) -> Scores:
        """The scores of a run under all judgments, given its rankings and what was read beside."""
        evaluator = self.evaluator
        parts = [evaluator.judged_run_part(*each) for each in results]
        scores = evaluator.scores_of_ranked_parts(parts, read.run_id, has_ranks=read.has_ranks)
        return evaluator.sign(scores, read.sha256) if self._sign else scores

    def _draw_samples(self, runs: Sequence[_RankedRun]) -> tuple[ThinnedQrels, tuple[Redrawn, ...]]:
        """The samples, each design's replicates one after another."""
        qrels = self._prepared_judgments.qrels
        # the best rank of each row of the qrels over the runs; 0: not retrieved
        unknown = np.iinfo(np.int64).max
        best_rank = np.full(len(qrels.grade), unknown)
        for run in runs:
            np.minimum.at(best_rank, run.row, run.judged.rank)
        best_rank[best_rank == unknown] = 0
        level = self.evaluator.options.level
        samples, redrawn = [], []
        for text, design in zip(self.designs, self._parsed_designs, strict=True):
            redrawn_indices: set[int] = set()
            for replicate in range(self.repeat):
                if isinstance(design, tuple):
                    stratum = strata_of(best_rank, design)
                    rates = [each.rate for each in design]
                    drawn = draw_strata(qrels, stratum, rates, self.seed, replicate, level=level)
                    names = tuple(each.name.encode() for each in design)
                    samples.append(Thinning(drawn.is_drawn, stratum, names))
                else:
                    drawn = draw_uniform(qrels, design, self.seed, replicate, level=level)
                    samples.append(Thinning(drawn.is_drawn))
                redrawn_indices.update(drawn.redrawn.tolist())
            redrawn.append(
                Redrawn(text, tuple(qrels.topics[topic] for topic in sorted(redrawn_indices)))
            )
        strata = strata_of_samples(qrels, samples) if self.evaluator.needs_strata else None
        return ThinnedQrels(qrels, samples, strata), tuple(redrawn)

    def _sampled_scores(
        self,
        full_scores: Scores,
        list_indices: ListIndices,
        values_and_totals: Iterable[tuple[TopicsByMeasures, dict[str, float]]],
        redrawn: tuple[Redrawn, ...] = (),
    ) -> SampledScores:
        """The result of a run, given the values of its lists and the totals under each sample."""
        row_of_topic = {topic: row for row, topic in enumerate(full_scores.topics)}
        topics = self._prepared_judgments.qrels.topics
        row_of_list = np.array(
            [row_of_topic.get(topics[index], -1) for index in list_indices.tolist()], np.int64
        )
        counted_lists = np.flatnonzero(row_of_list >= 0)
        summaries, by_topic = [], []
        # those that have a summary that a sample of the judgments may change
        columns = full_scores.columns
        shown_columns = [
            index
            for index in self._target_of
            if columns[index].kind != "text"
            and columns[index].average in ("mean", "geometric", "sum")
        ]
        for list_values, totals in values_and_totals:
            values = full_scores.values.copy()
            values[row_of_list[counted_lists]] = list_values[counted_lists]
            if self.per_topic:
                by_topic.append(values[:, shown_columns])
            scores = replace(full_scores, values=values, texts={}, totals=totals)
            of_columns = (scores.summary_of(column) for column in shown_columns)
            summaries.append([each if isinstance(each, float) else 0.0 for each in of_columns])
        shape = (len(self.designs), self.repeat, len(shown_columns))
        topics_shape = (*shape[:2], len(full_scores.topics), len(shown_columns))
        return SampledScores(
            full_scores,
            tuple(shown_columns),
            tuple(self._target_of[column] for column in shown_columns),
            self.designs,
            self.seed,
            np.array(summaries).reshape(shape),
            redrawn,
            np.array(by_topic).reshape(topics_shape) if self.per_topic else None,
        )


@record
class _RankedRun:
    """A run that was read: its scores under all judgments, and its rankings."""

    scores: Scores
    judged: Judged
    lists: Ints
    row: Ints


def _refuse_options(options: EvaluationOptions, repeat: int) -> None:
    if options.qrels_format not in GRADED:
        raise UsageError(
            f"samples are drawn from {' or '.join(GRADED)}, not of {options.qrels_format}"
        )
    if repeat < 1:
        raise UsageError("draw at least one sample of a design")
    refused = {
        "orders of ties by grade": options.several_orders or options.ties in TIES_BY_GRADE,
        "residuals": options.residuals,
        "classes of topics": options.classes is not None,
        "weights of topics": options.weights is not None,
        f"repeated documents (duplicates='{options.duplicates}')": options.duplicates != "error",
        "judged shares; Judged@10 is a measure": options.judged_shares,
        "judged_only (-J); NAME(condensed=true) condenses": options.judged_only,
    }
    for name, is_wanted in refused.items():
        if is_wanted:
            raise UsageError(f"samples of the judgments cannot be combined with {name}")


def _column_names(requests: Sequence[Request]) -> list[str]:
    return [column.name for request in requests for column in request.columns]


def target_measure_of_each_column(requests: Sequence[Request]) -> list[str]:
    """For each column the name of the measure whose value under all judgments is aimed at.

    It is the column's own, but for estimators of another measure, and for condensed lists, which
    are made to stand for the lists themselves.
    """
    names = []
    for request in requests:
        value, measure = request.arguments, request.measure
        for number, column in enumerate(request.columns):
            name = column.name
            if measure.estimates:
                level = "" if value.level is None else f"(rel={value.level})"
                name = f"{measure.estimates}{level}"
            elif value.condensed:
                plain = replace(value, condensed=False)
                name = canonical_name(measure, plain, request.cutoff(number))
            names.append(name)
    return names


# --- What estimates come to, and what they are held against ---


class Redrawn(NamedTuple):
    """The topics of which some sample was drawn again, having had no relevant document."""

    design: str
    topics: tuple[bytes, ...]


class _SampleErrors:
    """What B samples of each of D designs say of C values that are known.

    aims    float64[C], what the estimates are compared with
    values  float64[D, B, C], the estimates
    """

    aims: Any
    values: Any

    @property
    def repeat(self) -> int:
        """B, how many samples there are of each design."""
        return int(self.values.shape[1])

    @cached_property
    def mean(self) -> DesignsByMeasures:
        """float64[D, C]: the mean over the samples."""
        return _sum_over_samples(self.values) / self.repeat

    @cached_property
    def deviation(self) -> DesignsByMeasures:
        """float64[D, C]: the standard deviation over the samples, with divisor B - 1.

        NaN for a single sample.
        """
        if self.repeat < 2:
            return np.full(self.mean.shape, math.nan)
        squares = _sum_over_samples((self.values - self.mean[:, None, :]) ** 2)
        return np.sqrt(squares / (self.repeat - 1))

    @cached_property
    def bias(self) -> DesignsByMeasures:
        """float64[D, C]: by how much the mean exceeds what it is compared with."""
        apart: Floats = self.mean - self.aims
        return apart

    @cached_property
    def rms(self) -> DesignsByMeasures:
        """float64[D, C]: the root of the mean squared difference from it, divisor B."""
        return np.sqrt(_sum_over_samples((self.values - self.aims) ** 2) / self.repeat)


@record
class SampledTopic(_SampleErrors):
    """A topic of a run under the samples; `complete`, float64[C], is under all judgments."""

    topic: bytes
    complete: Floats
    aims: Floats
    values: Floats


@record
class SampledScores(_SampleErrors):
    """A run's scores under all judgments and under B samples of each of D designs.

    full      the scores under all judgments, with the columns that others are compared with
    shown     which C of its columns were asked for
    targets   for each of them the column whose value under all judgments it is compared with
    designs   the designs, as they were written
    seed      the seed of the samples
    values    float64[D, B, C], the summaries under the samples
    redrawn   for each design the topics whose samples may not nest in those of a higher rate
    by_topic  float64[D, B, T, C], the values of the topics; None where they were not asked for
    """

    full: Scores
    shown: tuple[int, ...]
    targets: tuple[int, ...]
    designs: tuple[str, ...]
    seed: int
    values: Floats
    redrawn: tuple[Redrawn, ...]
    by_topic: Floats | None = None

    def topics(self) -> Iterator[SampledTopic]:
        """The topics, where they were asked for."""
        if self.by_topic is None:
            return
        complete = self.full.values[:, list(self.shown)]
        aims = self.full.values[:, list(self.targets)]
        for row, topic in enumerate(self.full.topics):
            yield SampledTopic(topic, complete[row], aims[row], self.by_topic[:, :, row])

    @cached_property
    def complete(self) -> MeasureValues:
        """The values under all judgments."""
        return self._summaries(self.shown)

    @cached_property
    def aims(self) -> MeasureValues:
        """What the estimates are compared with."""
        return self._summaries(self.targets)

    def name(self, column: int) -> str:
        """The printed name of one of the C columns."""
        return self.full.columns[self.shown[column]].name

    def target(self, column: int) -> str:
        """The name of what it is compared with."""
        return self.full.columns[self.targets[column]].name

    def _summaries(self, columns: tuple[int, ...]) -> MeasureValues:
        return np.array([self.full.summary_of(column) for column in columns], np.float64)


def _sum_over_samples(values: Floats) -> DesignsByMeasures:
    """float64[D, C]: sums over the samples, left to right."""
    total: Floats = np.cumsum(values, axis=1)[:, -1, :]
    return total


@record
class SampleAgreement:
    """Of the means over topics of N runs, for each of B samples of D designs and C columns.

    All are float64[D, B, C].

    mean  the mean over runs
    rms   sqrt(mean over runs of (estimate - target)^2)
    tau   Kendall's tau-b; NaN where all runs are tied
    rho   Pearson's correlation; NaN likewise
    """

    mean: Floats
    rms: Floats
    tau: Floats
    rho: Floats


def agreement_by_sample(results: Sequence[SampledScores]) -> SampleAgreement:
    """The agreement under each sample, over runs that were evaluated under the same samples."""
    aims = np.stack([each.aims for each in results])
    values = np.stack([each.values for each in results])
    shape = values.shape[1:]
    tau, rho = np.empty(shape), np.empty(shape)
    for index in np.ndindex(shape):
        estimates, target = values[(slice(None), *index)], aims[:, index[2]]
        tau[index] = tau_b(estimates, target)
        rho[index] = pearson(estimates, target)
    errors = values - aims[:, None, None, :]
    return SampleAgreement(_mean(values, 0), np.sqrt(_mean(errors**2, 0)), tau, rho)


@record
class Agreement:
    """Of the means over topics of N runs, for D designs and C columns.

    All but `complete` and `aims` are means over the samples of a design, as Yilmaz and Aslam
    (CIKM 2006) report them. NaN where it is not defined: no two runs differ.

    complete   float64[C], the mean over runs under all judgments
    aims       float64[C], the mean over runs of what the estimates are compared with
    mean       float64[D, C], the mean over runs and samples
    deviation  float64[D, C], the standard deviation over samples of the mean over runs
    rms        float64[D, C], sqrt(mean over runs of (estimate - target)^2)
    tau        float64[D, C], Kendall's tau-b
    rho        float64[D, C], Pearson's correlation
    """

    complete: Floats
    aims: Floats
    mean: Floats
    deviation: Floats
    rms: Floats
    tau: Floats
    rho: Floats


def agreement_over_runs(results: Sequence[SampledScores]) -> Agreement:
    """The agreement over runs that were evaluated under the same samples."""
    by_sample = agreement_by_sample(results)
    mean = _mean(by_sample.mean, 1)
    squares = (by_sample.mean - mean[:, None]) ** 2
    repeat = squares.shape[1]
    deviation = _mean(squares, 1) * repeat / (repeat - 1) if repeat > 1 else mean * np.nan
    return Agreement(
        _mean(np.stack([each.complete for each in results]), 0),
        _mean(np.stack([each.aims for each in results]), 0),
        mean,
        np.sqrt(deviation),
        _mean(by_sample.rms, 1),
        _mean(by_sample.tau, 1),
        _mean(by_sample.rho, 1),
    )


def _mean(values: Floats, axis: int) -> Floats:
    """The mean along an axis, summed in order."""
    total = np.cumsum(values, axis=axis).take(-1, axis=axis)
    return np.asarray(total / values.shape[axis])


# --- Estimates as documents ---
# The estimates (`--sample`) come as trec_eval's lines too. A line of the tables is a measure of a
# run under a design of samples: `all` is its value under all judgments, `target` the value under
# all judgments of the measure that it is compared with `against`; `mean` and `sd` are over the
# samples; `bias` is mean - target, and `rms` the root mean squared difference from the target over
# the samples.
# With several runs there is a line more for each, for the run `all`: the means over runs, with the
# root mean squared difference over runs, Kendall's tau and Pearson's rho between runs' estimates
# and targets, each a mean over the samples.


def judgment_samples_document(result: SampledEvaluation, decimals: int) -> Document:
    """The lines as a table; below it the seed, and what the values under all judgments stand on."""
    results, first = result.runs, result.runs[0].scores
    # the topic stands behind the run, where there are lines of topics
    run, *others = (name for name in EstimateLine._fields if name != "topic")
    names = [run, *(["topic"] if first.by_topic is not None else []), *others]

    def rows(field_names: Sequence[str]) -> Iterator[list[Any]]:
        for line in estimate_lines(results, _requested_column_indices(first)):
            yield [getattr(line, name) for name in field_names]

    def parts() -> Iterator[Part]:
        only_of_several = () if len(results) > 1 else ("run", "tau", "rho")
        shown = [name for name in names if name not in only_of_several]
        yield Table([*map(head_of, shown)], list(rows(shown)))
        full = [ScoredFile(each.name, each.scores.full, each.path) for each in results]
        layout = ScoreLayout(several_runs=result.several_runs, decimals=decimals)
        seed = f"samples drawn with seed {first.seed}"
        yield Lines([seed, *footer_lines(full, layout)], listed=False)

    return Document(
        "Scores under samples of the judgments",
        parts(),
        [Records("samples", names, rows(names))],
        partial(_samples_data, results),
    )


def trec_lines(result: SampledEvaluation, decimals: int) -> Iterator[bytes]:
    """Lines as trec_eval's: NAME TAB `all` TAB VALUE, and for each design `10%:mean` and so on.

    Those of a topic have its id in the place of `all`, and before the rest (`301:10%:mean`).
    """
    last_names: tuple[str, str, str] | None = None
    runs = [
        run._replace(name=given_name_of(run.path) or run.path or run.name) for run in result.runs
    ]
    for line in estimate_lines(runs, range(len(runs[0].scores.shown))):
        if result.several_runs and (last_names is None or last_names[0] != line.run):
            yield b"# " + fsencode(line.run) + b"\n"
        prefix = "" if line.topic == SUMMARY else f"{line.topic}:"
        if last_names != (line.run, line.topic, line.measure):
            yield _value_line(line.measure, line.topic, line.all, decimals)
            if not prefix:
                yield as_bytes(f"{line.measure:22}\tagainst\t{line.against}\n")
            if line.against != line.measure:
                yield _value_line(line.measure, f"{prefix}target", line.target, decimals)
        last_names = line.run, line.topic, line.measure
        for statistic in ("mean", "sd", "bias", "rms", "tau", "rho"):
            value = getattr(line, statistic)
            if value is not None:
                yield _value_line(
                    line.measure, f"{prefix}{line.sample}:{statistic}", value, decimals
                )


def _value_line(measure: str, label: str, value: float, decimals: int) -> bytes:
    return as_bytes(f"{measure:22}\t{label}\t{real_text(value, decimals, decimals + 2)}\n")


class EstimateLine(NamedTuple):
    """A measure of a run, of one of its topics, or of all runs, under a design.

    None where there is no such value.
    """

    run: str
    measure: str
    all: float
    against: str
    target: float
    sample: str
    samples: int
    mean: float
    sd: float | None
    bias: float
    rms: float
    tau: float | None = None
    rho: float | None = None
    topic: str = SUMMARY


def estimate_lines(
    results: Sequence[SampledRun], column_indices: Sequence[int]
) -> Iterator[EstimateLine]:
    """Every line: runs in order; in each topics, then all; some measures, of each the designs."""
    for run_name, scores, _ in results:
        yield from _topic_lines(run_name, scores, column_indices)
        yield from _estimate_lines(run_name, scores, scores, column_indices)
    if len(results) > 1:
        over_runs = agreement_over_runs([result.scores for result in results])
        yield from _estimate_lines(SUMMARY, results[0].scores, over_runs, column_indices)


def _requested_column_indices(scores: SampledScores) -> list[int]:
    """The measures as they were asked for."""
    return asked_order([scores.full.columns[column] for column in scores.shown])


def _topic_lines(
    run_name: str, scores: SampledScores, column_indices: Sequence[int]
) -> Iterator[EstimateLine]:
    """The lines of a run's topics, of the measures that have values by topic."""
    columns = scores.full.columns
    of_topics = [index for index in column_indices if columns[scores.shown[index]].per_topic]
    for each in scores.topics():
        topic = escape_non_utf8(each.topic)
        yield from _estimate_lines(run_name, scores, each, of_topics, topic)


def _estimate_lines(
    run_name: str,
    scores: SampledScores,
    estimates: SampledScores | SampledTopic | Agreement,
    column_indices: Sequence[int],
    topic: str = SUMMARY,
) -> Iterator[EstimateLine]:
    mean, sd, rms = estimates.mean.tolist(), estimates.deviation.tolist(), estimates.rms.tolist()
    complete, aims = estimates.complete.tolist(), estimates.aims.tolist()
    for c in column_indices:
        for d, design in enumerate(scores.designs):
            tau = rho = None
            if isinstance(estimates, Agreement):
                tau = finite_or_none(float(estimates.tau[d, c]))
                rho = finite_or_none(float(estimates.rho[d, c]))
            yield EstimateLine(
                run=run_name,
                measure=scores.name(c),
                all=complete[c],
                against=scores.target(c),
                target=aims[c],
                sample=design,
                samples=scores.repeat,
                mean=mean[d][c],
                sd=finite_or_none(sd[d][c]),
                bias=mean[d][c] - aims[c],
                rms=rms[d][c],
                tau=tau,
                rho=rho,
                topic=topic,
            )


def _samples_data(results: Sequence[SampledRun]) -> dict[str, Any]:
    """One object: `irev`, `seed`, `designs`, `samples` of each, `redrawn`, `runs`, `over_runs`.

    A run has `run`, `path`, `runid`, `averaged_over`, the topics `missing` from it, those
    `left_out` of the means, those `unjudged`, the `signature` of its scores under all judgments,
    and `measures`: objects with the fields of the tables' lines and, as `values`, those under each
    sample. With -q it has `topics`: for each topic such objects.
    """
    first = results[0].scores
    data: dict[str, Any] = {
        "irev": __version__,
        "seed": first.seed,
        "designs": list(first.designs),
        "samples": first.repeat,
        "redrawn": {d.design: [as_text(topic) for topic in d.topics] for d in first.redrawn},
        "runs": [_run_data(result) for result in results],
    }
    if len(results) > 1:
        over_runs = agreement_over_runs([result.scores for result in results])
        data["over_runs"] = [
            _line_data(line)
            for line in _estimate_lines(SUMMARY, first, over_runs, _requested_column_indices(first))
        ]
    return data


def _run_data(result: SampledRun) -> dict[str, Any]:
    name, scores, path = result
    full = scores.full
    column_indices = _requested_column_indices(scores)
    by_topic: dict[str, list[dict[str, Any]]] = {}
    for line in _topic_lines(name, scores, column_indices):
        by_topic.setdefault(line.topic, []).append(_line_data(line))
    measures = [_line_data(line) for line in _estimate_lines(name, scores, scores, column_indices)]
    # as the lines are: of each measure the designs
    by_measure = scores.values[:, :, column_indices].transpose(2, 0, 1)
    values = by_measure.reshape(len(measures), scores.repeat)
    for measure, sample_values in zip(measures, values.tolist(), strict=True):
        measure["values"] = finite_or_none(sample_values)
    return {
        "run": name,
        "path": path,
        "runid": as_text(full.run_id),
        "averaged_over": full.divisor,
        "missing": [as_text(topic) for topic in full.account.missing],
        "left_out": [as_text(topic) for topic in full.left_out],
        "unjudged": [as_text(topic) for topic in full.account.unjudged],
        "signature": signature_data(full.signature),
        "measures": measures,
        **({} if scores.by_topic is None else {"topics": by_topic}),
    }


def _line_data(line: EstimateLine) -> dict[str, Any]:
    """The fields of a line that have a value, but for the run."""
    return {
        name: finite_or_none(value)
        for name, value in line._asdict().items()
        if name not in ("run", "topic") and value is not None
    }
