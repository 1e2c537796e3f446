"""`irev.evaluate`: a run, or several, against judgments."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np

from irev.core import __version__, workers
from irev.core.arrays import keep_freed_memory
from irev.core.job import job
from irev.core.judged import Column, Input, Qrels, Rows, asked_order
from irev.core.option_records import reword_for_python, warn_in_python
from irev.core.record import cached_property, record
from irev.core.text import as_text
from irev.engine.doubts import (
    ORDER_KINDS,
    Doubts,
    NumberFacts,
    SameRankings,
    nothing_to_find_notes,
    number_facts,
    unknown_error_notes,
)
from irev.engine.join_scores import TopicSelector, scored_run_table, stack_values
from irev.engine.map_topics import (
    CloserLook,
    InputResults,
    Result,
    Step,
    empty_run_warning,
    is_of_empty_run,
    map_topics,
    map_without,
    read_excluded,
)
from irev.engine.prepared_judgments import (
    PreparedJudgments,
    RunPart,
    check_needed_judgments,
    check_qrels_format,
    check_ties,
    computed_requests,
    map_answers,
    read_judgments,
)
from irev.engine.run_facts import (
    EXCHANGED,
    first_ranked_rows,
    may_look_like_scores,
    rank_column_warnings,
)
from irev.errors import InputError, IrevError, Notice, Problem, UsageError
from irev.measures.naming.grammar import measure_names
from irev.measures.naming.resolve import resolve_names
from irev.measures.requests import (
    MeasuredValues,
    Request,
    close_scales,
    drop_repeated_columns,
    mark_columns_as_real,
    reward_empty_rankings,
)
from irev.options import OWN_DOCUMENTS, EvaluationOptions, Options, evaluation_options
from irev.rank.judgments import GradedJudgments
from irev.rank.ranking import (
    drop_repeated_documents,
    falling_key,
    join_judgments,
    keep_rows,
    ranks_of_rows,
)
from irev.read.batches import sha256_of_input
from irev.read.formats import GRADED, JUDGMENTS, run_layout
from irev.read.inputs import error_naming_run, given_runs, names_of_runs, path_of, rewindable
from irev.read.stream import sha256_of
from irev.read.topics import CutInput, TopicTable
from irev.scores.scores import NOT_JUDGED, NUM_FIRST, RunFirstDocuments, Scores
from irev.scores.signature import Signature, hash_of_topics, options_part
from irev.scores.table import ScoreTable

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from irev.engine.document_samples import DocumentEstimator, RunGains

    SeveralRuns = (
        list[str]
        | list[Path]
        | Mapping[str, str | Path | pd.DataFrame]
        | Mapping[str, Mapping[str, Mapping[str, float]]]
    )


# --- The whole way, once: runs and judgments in, scores out ---
# Errors speak of options of the command line; who calls from Python has `irev.Evaluator`.


class RunEvaluator:
    """Judgments and measures, prepared once for many runs."""

    also_gives: ClassVar[tuple[str, ...]] = ()
    """Forms of the judgments that are made besides those of their format."""
    hashes_judgments: ClassVar[bool] = False
    """Whether the scores know the judgments' hash, even where they are not signed."""

    def __init__(
        self,
        qrels: Input,
        measures: object = (),
        options: Options | None = None,
        *,
        sign: bool = False,
        first_documents: FirstDocumentsNeed = "",
        **fields: Any,
    ) -> None:
        """Resolve the measures' names and read the judgments; see `evaluate` for the arguments.

        `first_documents`: whether the scores tell those of their run, too.

        Raises:
            UsageError: a measure or option that makes no sense; said before a file is opened.
            InputError: judgments that cannot be read.
        """
        self.options = evaluation_options(options, fields)
        self.options.load_plugins()
        self._names = measure_names(measures)
        self.requests = _resolve_requests(self._names, self.options)
        self.options = self.options.read_topic_list()
        qrels_format = self.options.qrels_format
        if qrels_format not in JUDGMENTS:
            formats = ", ".join(JUDGMENTS)
            raise UsageError(
                f"unknown format of judgments '{qrels_format}'; the formats are {formats}"
            )
        check_needed_judgments(self.requests, qrels_format, self.also_gives)
        check_qrels_format(self.options, qrels_format)
        check_ties(self.requests, self.options, qrels_format)
        self.run_layout = run_layout(
            self.options.run_format,
            by_rank=self.options.ties == "rank",
            decimal_comma=self.options.decimal_comma,
            columns=self.options.own_columns,
            may_repeat=self.options.duplicates != "error",
            passages=self.options.passages,
        )
        self.excluded = read_excluded(self.options.exclude)
        self._sign, self._qrels_identity = sign, _identity(qrels)
        self._threads = self.options.threads or workers.default_threads()
        self.prepared_judgments = self._read_judgments(qrels)
        self._estimator: DocumentEstimator | None = None
        if self.options.predicted is not None and qrels_format == "strata":
            from irev.engine.document_samples import DocumentEstimator

            self._estimator = DocumentEstimator(
                self.prepared_judgments, self.requests, self.options, self._threads, sign=sign
            )
            # an estimated count is no whole number
            self.requests = mark_columns_as_real(self.requests)
        self.requests = close_scales(self.requests, self.prepared_judgments.qrels)
        printed: Sequence[Request] = self.requests
        if self.options.residuals:
            printed = computed_requests(printed, self.prepared_judgments.qrels, self.options)
        elif self.options.several_orders:
            from irev.rank.ties import add_tie_ranges_and_mark_real_counts

            printed = add_tie_ranges_and_mark_real_counts(printed, self.options)
        self._selector = TopicSelector(
            self.prepared_judgments.qrels,
            printed,
            self.options,
            self.prepared_judgments.digests.get("qrels"),
        )
        self.doubts = Doubts(self.prepared_judgments, self.requests, self.options, self._names)
        self._first_documents: FirstDocumentsFinder | None = None
        if first_documents:
            try:
                with_documents = first_documents == "documents"
                self._first_documents = FirstDocumentsFinder(self, with_documents=with_documents)
            except UsageError as error:
                if first_documents == "documents":
                    raise UsageError(f"no documents can be shown: {error}") from None

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of all scores, in the order of trec_eval's output."""
        return self._selector.columns

    @property
    def topics(self) -> tuple[bytes, ...]:
        """The judged topics that may be evaluated, in byte order."""
        return self._selector.topics

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is doubtful about these measures on these judgments, whatever the run."""
        return self.doubts.notices

    @property
    def estimate_notices(self) -> tuple[Notice, ...]:
        """What is doubtful about estimates from a sample of documents, once runs are scored."""
        return () if self._estimator is None else self._estimator.notices

    def evaluate_silently(self, run: Input) -> Scores:
        """The scores of a run without Python warnings: they are `notices` of the scores.

        Raises:
            InputError: a run that cannot be read.
            MismatchError: a run without any topic of the judgments.
        """
        if self._estimator is None:
            return self._evaluate(run, self._threads, is_alone=True)
        ((_, outcome),) = self.outcomes([run])
        if isinstance(outcome, IrevError):
            raise outcome
        return outcome

    def outcomes(
        self, runs: Sequence[Input], names: Sequence[str] = ()
    ) -> Iterator[tuple[Input, Scores | IrevError]]:
        """The scores of several runs, or what is wrong with a run, in the order given; silently.

        `names`: what the runs are called, where that is settled.
        """
        threads = self._threads if len(runs) == 1 else 1

        evaluate = self._evaluate if self._estimator is None else self._evaluate_sample

        def outcome(run: Input) -> Any:
            try:
                return evaluate(run, threads, is_alone=len(runs) == 1)
            except IrevError as error:
                return error
            except MemoryError:
                path = os.fspath(run) if isinstance(run, str | os.PathLike) else "a run"
                return InputError(
                    [Problem(path, None, "no-memory", "there is not enough memory for this run")]
                )

        results: Iterable[Any] = workers.map_in_order(outcome, runs, self._threads)
        if self._estimator is not None:
            results = self._estimator.put_estimates([*results])
        outcomes = zip(runs, results, strict=True)
        if len(runs) == 1:
            yield from outcomes
            return
        yield from self.add_twin_warnings(outcomes, names or names_of_runs(runs))

    def add_twin_warnings(
        self, outcomes: Iterable[tuple[Input, Scores | IrevError]], names: Iterable[str]
    ) -> Iterator[tuple[Input, Scores | IrevError]]:
        """The outcomes of named runs, with a warning at the second of two that are the same."""
        if self.prepared_judgments.answers is not None:
            yield from outcomes
            return
        twins = SameRankings(self.run_layout, self.prepared_judgments.ranking, self._threads)
        for name, (run, outcome) in zip(names, outcomes, strict=True):
            if not isinstance(outcome, IrevError):
                notice = twins.same_ranking_warning(name, run, outcome)
                if notice is not None:
                    outcome = replace(outcome, notices=(*outcome.notices, notice))
            yield run, outcome

    def scores_of_ranked_parts(
        self, parts: Sequence[RunPart], run_id: bytes, *, has_ranks: bool
    ) -> Scores:
        """The scores of a run whose topics are already ranked.

        `has_ranks`: whether ranks stand beside the scores of its file.

        Raises:
            MismatchError: there is no topic of the judgments.
        """
        prepared_judgments = self.prepared_judgments
        topics = self._selector.choose_topics(parts)
        values: Iterable[MeasuredValues] = prepared_judgments.measure_in_batches(parts)
        if len(topics.absent_lists):
            values = chain(values, [prepared_judgments.empty_ranking_values(topics.absent_lists)])
        scores = self._selector.scores(topics, values, run_id)
        notices = (
            *nothing_to_find_notes(scores.account, scores.divisor),
            *self.doubts.of_run(parts, scores.account, scores.left_out, has_ranks=has_ranks),
            *unknown_error_notes(
                scores, self.requests, prepared_judgments.qrels, self.options.level
            ),
        )
        if notices:
            scores = replace(scores, notices=notices)
        if prepared_judgments.orders is None:
            return scores
        tie_counts = ((part.lists, part.ties) for part in parts)
        ties = prepared_judgments.orders.tie_account(tie_counts, scores.topics)
        return replace(scores, ties=ties)

    def sign(self, scores: Scores, run_sha256: str | None) -> Scores:
        """The scores with their signature, given the hash of the run."""
        uses_seed = scores.ties is not None and scores.ties.drawn
        signature = replace(
            self.signature,
            run=run_sha256,
            divisor=scores.divisor,
            dropped=scores.account.duplicates,
            seed=self.options.seed if uses_seed else None,
        )
        return replace(scores, signature=signature)

    def run_warnings(self, parts: Sequence[RunPart], *, has_ranks: bool) -> tuple[Notice, ...]:
        """Warnings about the scores of a ranked run, but not about missing topics.

        Raises:
            MismatchError: there is no topic of the judgments.
        """
        account = self._selector.choose_topics(parts).account
        return self.doubts.of_run(parts, account, has_ranks=has_ranks)

    def _read_judgments(self, qrels: Input) -> PreparedJudgments:
        return read_judgments(
            qrels,
            self.options.qrels_format,
            self.requests,
            self.options,
            self._threads,
            sign=self._sign or self.hashes_judgments,
        )

    def _evaluate(self, run: Input, threads: int, *, is_alone: bool) -> Scores:
        step = (
            self.prepared_judgments.run_part
            if self.options.duplicates == "error"
            else self._part_without_repeats
        )
        finder = self._first_documents
        results: InputResults[Any]
        if finder is None:
            results = self._results_or_nothing(run, step, threads, is_alone=is_alone)
            scores = self.scores_of_ranked_parts(
                results.results, results.run_id, has_ranks=results.has_ranks
            )
        else:
            results = self._results_or_nothing(
                run, lambda rows: (step(rows), finder.find(rows)), threads, is_alone=is_alone
            )
            parts, firsts = zip(*results.results, strict=True) if results.results else ((), ())
            scores = self.scores_of_ranked_parts(parts, results.run_id, has_ranks=results.has_ranks)
            scores = replace(scores, first_documents=finder.join(firsts))
        if results.num_excluded:
            account = replace(scores.account, num_excluded=results.num_excluded)
            scores = replace(scores, account=account)
        if results.notices:
            notices = scores.notices
            if any(each.kind == EXCHANGED for each in results.notices):
                # which is why scores are equal
                notices = tuple(n for n in notices if n.kind not in ORDER_KINDS)
            scores = replace(scores, notices=(*notices, *results.notices))
        return self.sign(scores, results.sha256) if self._sign else scores

    def _evaluate_sample(
        self, run: Input, threads: int, *, is_alone: bool
    ) -> tuple[Scores, RunGains]:
        """The scores of a run before the estimates are in their place, and what it gained."""
        assert self._estimator is not None  # noqa: S101 - whoever calls has looked
        results = self._results_or_nothing(
            run, self._estimator.run_part, threads, is_alone=is_alone
        )
        scores = self.scores_of_ranked_parts(
            [part for part, _ in results.results], results.run_id, has_ranks=results.has_ranks
        )
        scores = replace(scores, notices=(*scores.notices, *results.notices))
        gains = self._estimator.run_gains([retrieved for _, retrieved in results.results])
        return self.sign(scores, results.sha256) if self._sign else scores, gains

    def _results_or_nothing(
        self, run: Input, step: Step[Result], threads: int, *, is_alone: bool
    ) -> InputResults[Result]:
        """The same as `read_run`; a run that retrieved nothing counts beside others.

        Alone it counts where missing topics do.
        """
        may_be_empty = not is_alone or self.options.topics not in ("both", "run")
        try:
            return self.read_run(run, step, threads, may_be_empty=may_be_empty)
        except InputError as error:
            if not is_of_empty_run(error):
                raise
            hint = "-c counts a run that retrieved nothing as 0"
            problems = [each._replace(hint=each.hint or hint) for each in error.problems]
            raise InputError(problems) from None

    def read_run(
        self, run: Input, step: Step[Result], threads: int, *, may_be_empty: bool = False
    ) -> InputResults[Result]:
        """What a step makes of the topics of a run, with the warnings about its file."""
        has_ranks = False

        def look_at_ranks(opened: CutInput[Any] | TopicTable) -> Iterator[Notice]:
            nonlocal has_ranks
            first_rows = first_ranked_rows(opened)
            has_ranks = len({rank for _, rank, _ in first_rows}) > 1  # one alone ranks nothing
            return rank_column_warnings(opened, first_rows, threads)

        is_same_input = self._qrels_identity == _identity(run)
        scores_step = step
        facts: list[NumberFacts] = []
        if self.options.qrels_format in GRADED and (
            is_same_input or may_look_like_scores(self.prepared_judgments.qrels)
        ):

            def scores_step(rows: Rows) -> Result:
                facts.append(number_facts(rows.topic_of_row, rows.value))
                return step(rows)

        is_dict = isinstance(run, dict)  # which has no ranks beside its scores
        closer_look = None if is_dict else look_at_ranks
        results = self.map_run_topics(
            run, scores_step, threads, closer_look, may_be_empty=may_be_empty
        )
        results = results._replace(has_ranks=has_ranks) if has_ranks else results
        notices = self.doubts.without_order_warnings(results.notices)
        if facts:
            notices += self.doubts.of_exchanged_inputs(facts, is_same_input=is_same_input)
        return results._replace(notices=tuple(notices)) if notices or results.notices else results

    def map_run_topics(
        self,
        run: Input,
        step: Step[Result],
        threads: int,
        closer_look: CloserLook | None = None,
        *,
        may_be_empty: bool = False,
    ) -> InputResults[Result]:
        """What a step makes of the topics of a run, without the documents that are left out.

        Where a table or a mapping without documents may be a run, there is nothing of it.
        """
        answers = self.prepared_judgments.answers
        try:
            if answers is not None:
                return map_answers(answers, run, step, sign=self._sign)
            map_steps = partial(
                map_topics, run, self.run_layout, sign=self._sign, closer_look=closer_look
            )
            if self.excluded is None and not self.warns_of_own_documents:
                return map_steps(step, threads)
            qrels = self.prepared_judgments.qrels
            return map_without(self.excluded, map_steps, step, threads, qrels, self.options)
        except InputError as error:
            if not may_be_empty or not is_of_empty_run(error):
                raise
        sha256 = None
        if self._sign and isinstance(run, str | os.PathLike):
            sha256 = sha256_of_input(os.fspath(run))
        return InputResults([], sha256=sha256, notices=(empty_run_warning(),))

    @cached_property
    def warns_of_own_documents(self) -> bool:
        """Whether BEIR's measures are asked for by its names."""
        names = map(str.lower, self._names)
        return any(name.startswith(("beir:", "suite:beir")) for name in names)

    def _part_without_repeats(self, rows: Rows) -> RunPart:
        """The same, of each document one line."""
        assert self.options.duplicates != "error"  # noqa: S101 - whoever calls has looked
        key = falling_key(rows, self.prepared_judgments.ranking)
        rows, repeats = drop_repeated_documents(rows, self.options.duplicates, key)
        part = self.prepared_judgments.run_part(rows)
        return replace(part, repeats=repeats) if repeats else part

    @cached_property
    def signature(self) -> Signature:
        """What makes all scores reproducible, but for what is a run's own."""
        files = dict(self.prepared_judgments.digests)
        qrels = files.pop("qrels", None)
        options = options_part(self.options, self.options.qrels_format)
        if self._estimator is not None:
            files["auto"] = self._estimator.model_sha256
            options |= self._estimator.signed_choices()
        if self.excluded is not None:
            options |= {"exclude": OWN_DOCUMENTS} if self.excluded.own else {}
            files |= {"exclude": self.excluded.sha256} if self.excluded.sha256 else {}
        if self.options.listed_topics is not None:
            files["topics"] = hash_of_topics(self.options.listed_topics)
        plugins = sys.modules.get("irev.measures.plugins")
        content = plugins and plugins.plugin_digest(
            {request.measure.name for request in self.requests}
        )
        if content:
            files["plugins"] = content
        for name, table in (
            ("classes", self._selector.classes),
            ("weights", self._selector.weights),
        ):
            if table is not None:
                files[name] = table.sha256
        return Signature(
            version=__version__,
            measures={
                column.name: column.canonical or column.name
                for column in self.columns
                if column.average not in ("run", "topics")
            },
            options=options,
            qrels=qrels,
            files=files,
        )


def _identity(source: Input) -> str | int:
    """What tells whether two inputs are one: a file's real path, or the object."""
    if isinstance(source, str | os.PathLike):
        path: str = os.fspath(source)
        return os.path.realpath(path)
    return id(source)


def _resolve_requests(measures: Sequence[str], options: Options) -> list[Request]:
    """What the measures' names and the options ask for."""
    requests = resolve_names(measures, options)
    if options.no_relevant == "answer":
        if options.residuals:
            raise UsageError("--no-rel answer cannot be combined with --residuals")
        requests = reward_empty_rankings(requests)
    if not options.residuals and not options.judged_shares:
        return requests
    from irev.measures.unjudged import judged_share_requests_at_cutoffs, refuse_unbounded

    if options.residuals:
        if options.judged_only or options.several_orders:
            other = "judged_only (-J)" if options.judged_only else "several orders of ties"
            raise UsageError(f"residuals cannot be combined with {other}")
        refuse_unbounded(requests)
    if options.judged_shares:
        requests = drop_repeated_columns([*requests, *judged_share_requests_at_cutoffs(requests)])
    return requests


# --- Judgments kept for many runs, as Python has them: errors and warnings speak of keywords ---


class Evaluator(RunEvaluator):
    """Judgments and measures, prepared once for many runs.

    Example:
        >>> evaluator = Evaluator({"q1": {"d1": 1}}, ["recip_rank"])
        >>> evaluator.evaluate({"q1": {"d1": 0.5, "d2": 2.0}}).summary()
        {'recip_rank': 0.5}
    """

    hashes_judgments = True

    def __init__(
        self,
        qrels: Input,
        measures: object = (),
        options: Options | None = None,
        *,
        sign: bool = False,
        **fields: Any,
    ) -> None:
        """Resolve the measures' names and read the judgments; see `evaluate` for the arguments.

        Raises:
            UsageError: a measure or option that makes no sense; said before a file is opened.
            InputError: judgments that cannot be read.
        """
        keep_freed_memory()
        try:
            super().__init__(qrels, measures, options, sign=sign, **fields)
        except IrevError as error:
            reword_for_python(error, EvaluationOptions)
            raise

    @overload
    def evaluate(self, run: SeveralRuns) -> ScoreTable: ...
    @overload
    def evaluate(self, run: Input) -> Scores: ...
    def evaluate(self, run: Input) -> Scores | ScoreTable:
        """The scores of a run, or of several, as `irev.evaluate` takes and returns them.

        Raises:
            InputError: a run that cannot be read.
            MismatchError: a run without any topic of the judgments.

        Warns:
            IrevWarning: the scores may mislead, for instance since no document is judged.
        """
        run = rewindable(run)
        runs = given_runs(run, self.options.own_columns)
        if runs.kind != "one":
            table = self.table(runs.by_name)
            warn_in_python(table.warnings, EvaluationOptions)
            return table
        scores = self.evaluate_silently(run)
        warn_in_python((*self.notices, *scores.notices, *self.estimate_notices), EvaluationOptions)
        return scores

    def table(self, runs: Mapping[str, Input]) -> ScoreTable:
        """The table of runs by name, each averaged as if it were evaluated alone; silently."""
        evaluated: dict[str, Scores] = {}
        for name, (_, outcome) in zip(runs, self.outcomes([*runs.values()], [*runs]), strict=True):
            if isinstance(outcome, IrevError):
                raise error_naming_run(name, outcome)
            evaluated[name] = replace(outcome, name=name)
        # to be compared, the runs have the signature but for their hashes, which take time
        signed = [each.signature or self.sign(each, None).signature for each in evaluated.values()]
        picks = [i for i in asked_order(self.columns) if self.columns[i].kind != "text"]
        columns = tuple(self.columns[index] for index in picks)
        missing = {topic for scores in evaluated.values() for topic in scores.account.missing}
        judged = self.prepared_judgments.qrels.topic_index
        own = {topic for scores in evaluated.values() for topic in scores.topics if topic in judged}
        topics = sorted(own | missing)
        empty_values = np.zeros((len(columns), len(topics)))
        if missing:
            empty = self._selector.empty_ranking_values(self.prepared_judgments, sorted(missing))
            empty_values[:, [topic in missing for topic in topics]] = empty[:, picks].T
        tables = [
            scored_run_table(name, path_of(runs[name]), replace(scores, signature=signature), index)
            for index, ((name, scores), signature) in enumerate(
                zip(evaluated.items(), signed, strict=True)
            )
        ]
        notices = [*self.notices]
        for name, scores in evaluated.items():
            notices += (each.about(name) for each in scores.notices)
        notices += self.estimate_notices
        return ScoreTable(
            tuple(topics),
            tuple(table.runs[0] for table in tables),
            columns,
            stack_values(tables, columns, topics, empty_values),
            topic_policy="own",
            evaluated=evaluated,
            warnings=tuple(notices),
        )

    def evaluate_many(self, runs: Sequence[Input]) -> Iterator[tuple[Input, Scores | IrevError]]:
        """The scores of several runs, or what is wrong with a run, in the order given.

        Several runs are worked on at once, each by one thread.

        Warns:
            IrevWarning: the scores may mislead.
        """
        warn_in_python(self.notices, EvaluationOptions)
        for run, outcome in self.outcomes(runs):
            if not isinstance(outcome, IrevError):
                warn_in_python(outcome.notices, EvaluationOptions)
            yield run, outcome
        warn_in_python(self.estimate_notices, EvaluationOptions)

    def _evaluate(self, run: Input, threads: int, *, is_alone: bool) -> Scores:
        try:
            return super()._evaluate(run, threads, is_alone=is_alone)
        except IrevError as error:
            reword_for_python(error, EvaluationOptions)
            raise


@job(EvaluationOptions)
def evaluate(
    qrels: Input,
    run: Input,
    measures: object = (),
    *,
    sign: bool = False,
    options: EvaluationOptions,
) -> Scores | ScoreTable:
    """Evaluate a run, or several, against judgments.

    Args:
        qrels: judgments, in one of these forms:
            a path: text as trec_eval reads it or a table, compressed or not; `-` is standard input;
            a mapping {topic: {document: grade}}, or {topic: {document, ...}}, all of grade 1;
            a table of pandas, polars, Arrow or DuckDB with columns for topic, document and grade
            under one of their usual names (or under those that `columns` says);
            a mapping of lists or NumPy arrays by such names, one row at each place;
            rows: a list or an iterator of tuples (topic, document, grade), of named tuples, or of
            mappings by such names;
            a data set of ir_datasets, or its name behind `irds:`; `ranx.Qrels`.
            Ids are str, bytes or whole numbers.
        run: a run, likewise: with scores in place of grades, the rows in any order. The order of
            documents is by score, equal scores by document id, both falling; ranks are not looked
            at. Lists {topic: [document, ...]} are ranked as they stand. Several runs are a list of
            runs, a mapping from names to runs, a path with wildcards, "runs/*.run", or a table with
            a column `run` (`run_id`) of several values.
        measures: names as the command line takes them, in one text, "map ndcg@10", or a list: a
            measure, "P.5,10", or a set such as "official", which is the default. An object of
            another package, such as `ir_measures.nDCG@10`, stands for the name that `str` gives.
        sign: whether the scores carry a `signature`, which hashes the files on the way. A table of
            several runs, which may be compared, has one in any case, but for the hashes of the
            runs.
        options: an `irev.Options`, of which the keywords are the fields; these go before it:
            `level=2`, `topics="qrels"`, `qrels_format="subtopics"` ...

    Returns:
        The `Scores` of the run: by topic, in summary, with the account of the topics. Of several
        runs a `ScoreTable`, which has the `Scores` of each by its name.

    Raises:
        UsageError: a measure or option that makes no sense.
        InputError: an input that cannot be read as what it was given for.
        MismatchError: no topic in common.

    Warns:
        IrevWarning: the scores may mislead, for instance since the run lacks judged topics.

    Example:
        >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 2}}
        >>> run = {"q1": {"d1": 0.5, "d2": 2.0, "d4": 1.0}}
        >>> evaluate(qrels, run, "map P_5").summary()
        {'map': 0.16666666666666666, 'P_5': 0.2}
    """
    run = rewindable(run)
    evaluator = Evaluator(qrels, measures, options, sign=sign)
    runs = given_runs(run, evaluator.options.own_columns)
    if runs.kind == "one":
        scores: Scores = evaluator.evaluate(run)
        return scores
    return evaluator.table(runs.by_name)


# --- The first documents of runs with their grades, taken in the reading that scores them ---


FirstDocumentsNeed = Literal["", "counts", "documents"]
"""Whether first documents are looked at: not, to count them, or to show them too."""


@record
class _TopicFirst:
    """The first documents of one topic."""

    topic: bytes
    documents: list[bytes]
    grades: list[str]
    is_tied: bool


class FirstDocumentsFinder:
    """Finds the first documents of runs, a part of a run after another."""

    def __init__(self, evaluator: RunEvaluator, *, with_documents: bool) -> None:
        """Look at what the runs are held against.

        Raises:
            UsageError: the judgments are no grades of documents, or decide the order of ties.
        """
        options = evaluator.options
        judgments = evaluator.prepared_judgments.judgments
        if type(judgments) is not GradedJudgments or len(judgments.qrels.start) != len(
            judgments.qrels.topics
        ):
            raise UsageError("these judgments have not one grade for each document")
        if options.ties_by_grade:
            raise UsageError(f"--ties {options.ties} has no order of its own for tied documents")
        self._qrels: Qrels = judgments.qrels
        self._rule = replace(options.ranking_rule(options.qrels_format), judged_only=False)
        self._depth = min(NUM_FIRST, self._rule.max_retrieved or NUM_FIRST)
        self._duplicates, self._with_documents = options.duplicates, with_documents
        self.topics = evaluator.topics
        self._topic_index = {topic: index for index, topic in enumerate(self.topics)}

    def find(self, rows: Rows) -> list[_TopicFirst]:
        """The first documents of some whole topics, of those that may be evaluated."""
        if self._duplicates != "error":
            key = falling_key(rows, self._rule)
            rows, _ = drop_repeated_documents(rows, self._duplicates, key)
        rank, depth = ranks_of_rows(rows, self._rule), self._depth
        first_rows = np.flatnonzero(rank <= depth + 1)
        first = keep_rows(rows, first_rows)
        order = np.lexsort((rank[first_rows], first.topic_of_row))
        documents, scores = first.docs.take(order).to_list(), first.value[order].tolist()
        grades = self._grades(first)
        starts = first.start.tolist()
        firsts = []
        for topic, start, stop in zip(first.topics, starts, starts[1:], strict=False):
            if topic not in self._topic_index:
                continue
            last = start + depth
            is_tied = last < stop and scores[last - 1] == scores[last]
            shown = documents[start : min(last, stop)]
            of_topic = grades.get(topic, {})
            texts = [of_topic.get(rank, NOT_JUDGED) for rank in range(1, len(shown) + 1)]
            firsts.append(_TopicFirst(topic, shown, texts, is_tied))
        return firsts

    def _grades(self, rows: Rows) -> dict[bytes, dict[int, str]]:
        """For each judged topic the grades of rows that have one, by their ranks."""
        rule = replace(self._rule, spans=False, scores=False, unjudged=False, elsewhere=False)
        ranked, qrels = join_judgments(rows, self._qrels, rule), self._qrels
        topics = [qrels.topics[index] for index in qrels.topic_of_list[ranked.lists].tolist()]
        grades: dict[bytes, dict[int, str]] = {topic: {} for topic in topics}
        columns = (ranked.topic, ranked.rank, qrels.grade[ranked.row])
        for topic, rank, grade in zip(*(each.tolist() for each in columns), strict=True):
            if grade >= 0:
                grades[topics[topic]][rank] = f"{grade:g}"
        return grades

    def join(self, parts: Iterable[Sequence[_TopicFirst]]) -> RunFirstDocuments:
        """Those of a whole run."""
        num_topics = len(self.topics)
        shown, judged = np.zeros((2, num_topics), np.uint8)
        is_tied, hashes = np.zeros(num_topics, np.bool_), np.zeros(num_topics, np.uint64)
        documents: list[tuple[str, ...]] = [()] * num_topics
        grades = [*documents]
        for each in (topic_first for part in parts for topic_first in part):
            index = self._topic_index[each.topic]
            shown[index] = len(each.documents)
            judged[index] = len(each.grades) - each.grades.count(NOT_JUDGED)
            is_tied[index] = each.is_tied
            digest = bytes.fromhex(sha256_of(b"\n".join(each.documents)))
            hashes[index] = int.from_bytes(digest[:8], "little")
            if self._with_documents:
                documents[index] = tuple(map(as_text, each.documents))
                grades[index] = tuple(each.grades)
        texts = (tuple(documents), tuple(grades)) if self._with_documents else (None, None)
        return RunFirstDocuments(self.topics, shown, judged, is_tied, hashes, *texts)
