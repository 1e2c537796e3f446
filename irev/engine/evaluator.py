"""The whole way, once: runs and judgments in, scores out."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, Protocol, cast, overload

import numpy as np

import irev.measures  # noqa: F401 - fills the registry
from irev.core import workers
from irev.core.model import Input, asked_order
from irev.core.record import cached_property
from irev.engine.inputs import error_naming_run, rewindable, runs_by_name
from irev.engine.judged_share import JudgedIds, judged_ids, run_totals
from irev.engine.map_topics import map_topics
from irev.engine.prepared_judgments import computed_requests, read_judgments
from irev.engine.score_warnings import (
    judgment_warnings,
    left_out_warnings,
    named_cutoff,
    shallow_run_warnings,
    unjudged_warnings,
)
from irev.engine.topic_policy import TopicPolicy
from irev.errors import InputError, IrevError, Notice, Problem, UsageError, warn
from irev.measures.naming.name_lists import measure_names
from irev.measures.naming.resolve import resolve_names
from irev.measures.naming.trec_names import ignored_parameter_warnings
from irev.measures.requests import close_scales, drop_repeated_columns, needs_ids
from irev.options import Options, with_fields
from irev.rank.judged_lists import drop_repeated_documents
from irev.rank.judgments import GradedJudgments, SampleJudgments
from irev.read.formats import GRADED, JUDGMENTS, run_layout
from irev.scores.scores import Scores

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from irev.core.model import Column, Rows
    from irev.engine.prepared_judgments import PreparedJudgments, RunPart
    from irev.measures.requests import MeasuredValues, Request
    from irev.scores.scores import Account
    from irev.scores.signature import Signature
    from irev.scores.table import ScoreTable

    SeveralRuns = (
        list[str]
        | list[Path]
        | Mapping[str, str | Path | pd.DataFrame]
        | Mapping[str, Mapping[str, Mapping[str, float]]]
    )

_P = ParamSpec("_P")

__all__ = ["Evaluator", "Input", "Options", "evaluate"]


class _Keywords(Options):
    """What `evaluate` takes by keyword; for type checkers alone."""

    format: str = "qrels"
    sign: bool = False


class _Evaluate(Protocol[_P]):
    """The type of `evaluate`: the fields are its keywords."""

    @overload
    def __call__(
        self, qrels: Input, run: SeveralRuns, measures: object = (),
        options: Options | None = None, *args: _P.args, **fields: _P.kwargs,
    ) -> ScoreTable: ...  # fmt: skip
    @overload
    def __call__(
        self, qrels: Input, run: Input, measures: object = (),
        options: Options | None = None, *args: _P.args, **fields: _P.kwargs,
    ) -> Scores: ...  # fmt: skip


def _in_keywords(
    _: Callable[_P, _Keywords],
) -> Callable[[Callable[..., Scores | ScoreTable]], _Evaluate[_P]]:
    """Let the type of a function say that its keywords are the fields of a record."""
    return lambda function: cast("_Evaluate[_P]", function)


@_in_keywords(_Keywords)
def evaluate(
    qrels: Input,
    run: Input,
    measures: object = (),
    options: Options | None = None,
    *,
    format: str = "qrels",
    sign: bool = False,
    **fields: Any,
) -> Scores | ScoreTable:
    """Evaluate a run, or several, against judgments.

    Args:
        qrels: judgments, in one of these forms:
            a path: text as trec_eval reads it or a table, compressed or not; `-` is standard input;
            a mapping {topic: {document: grade}};
            a table of pandas, polars, Arrow or DuckDB with columns for topic, document and grade
            under one of their usual names (or under those that `columns` says);
            a mapping of lists or NumPy arrays by such names, one row at each place;
            rows: a list or an iterator of tuples (topic, document, grade), of named tuples, or of
            mappings by such names;
            a data set of ir_datasets, or its name behind `irds:`; `ranx.Qrels`.
            Ids are str, bytes or whole numbers.
        run: a run, likewise: with scores in place of grades, the rows in any order. The order of
            documents is by score, equal scores by document id, both falling; ranks are not looked
            at. Several runs are a list of runs, a mapping from names to runs, or a path with
            wildcards, "runs/*.run".
        measures: names as the command line takes them, in one text, "map ndcg@10", or a list: a
            measure, "P.5,10", or a set such as "official", which is the default. An object of
            another package, such as `ir_measures.nDCG@10`, stands for the name that `str` gives.
        options: the choices of the evaluation.
        format: what a qrels file holds: "qrels", "qrels_jg", "prefs", "qrels_prefs", "subtopics",
            "ntcir", "strata", "prels" or "triples".
        sign: whether the scores carry a `signature`, which hashes the files on the way.
        **fields: fields of `Options`, which go before those of `options`: `level=2`,
            `topics="qrels"`, `compat="trec9"` ...

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
    evaluator = Evaluator(qrels, measures, options, format=format, sign=sign, **fields)
    found: Scores | ScoreTable = evaluator.evaluate(run)
    return found


class Evaluator:
    """Judgments and measures, prepared once for many runs.

    Example:
        >>> evaluator = Evaluator({"q1": {"d1": 1}}, ["recip_rank"])
        >>> evaluator.evaluate({"q1": {"d1": 0.5, "d2": 2.0}}).summary()
        {'recip_rank': 0.5}
    """

    also_gives: ClassVar[tuple[str, ...]] = ()
    """Forms of the judgments that are made besides those of their format."""

    def __init__(
        self,
        qrels: Input,
        measures: object = (),
        options: Options | None = None,
        *,
        format: str = "qrels",
        sign: bool = False,
        **fields: Any,
    ) -> None:
        """Resolve the measures' names and read the judgments; see `evaluate` for the arguments.

        Raises:
            UsageError: a measure or option that makes no sense; said before a file is opened.
            InputError: judgments that cannot be read.
        """
        self.options = with_fields(options, fields)
        self._names = measure_names(measures)
        self.requests = _resolve_requests(self._names, self.options)
        self.options = self.options.opened()
        if format not in JUDGMENTS:
            raise UsageError(f"there is no format of judgments '{format}': {', '.join(JUDGMENTS)}")
        _check_needs(self.requests, format, self.also_gives)
        _check_judgments(self.options, format)
        _check_ties(self.options, format)
        _check_draws(self.requests, self.options)
        self.run_layout = run_layout(
            self.options.run_format,
            by_rank=self.options.ties == "rank",
            decimal_comma=self.options.decimal_comma,
            columns=self.options.own_columns,
        )
        self._format = format
        self._sign = sign
        self._threads = self.options.threads or workers.default_threads()
        self.prepared_judgments = self._read(qrels, format)
        self.requests = close_scales(self.requests, self.prepared_judgments.qrels)
        self._policy = TopicPolicy(
            self.prepared_judgments.qrels, self._printed_requests(), self.options
        )

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of all scores, in the order of trec_eval's output."""
        return self._policy.columns

    @property
    def topics(self) -> tuple[bytes, ...]:
        """The judged topics that may be evaluated, in byte order."""
        return self._policy.topics

    @cached_property
    def notices(self) -> tuple[Notice, ...]:
        """What is doubtful about these measures on these judgments, whatever the run."""
        from irev.measures.cautions import cautions

        judgments = self.prepared_judgments.judgments
        said = cautions(
            self.requests, self.prepared_judgments.qrels, self.options.level, self._names
        )
        is_sample = isinstance(judgments, SampleJudgments)
        is_plain = isinstance(judgments, GradedJudgments) and not is_sample
        return (
            *self.prepared_judgments.notices,
            *judgment_warnings(self.prepared_judgments.qrels, self.requests, is_graded=is_plain),
            *(Notice("repeated-measure", line) for line in ignored_parameter_warnings(self._names)),
            *(Notice("doubtful-measure", line) for line in (*said, *judgments.cautions())),
        )

    @cached_property
    def _cutoff(self) -> int | None:
        return named_cutoff(self._names, self.requests)

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
        runs = runs_by_name(run)
        if runs is not None:
            return self._evaluate_several({name: rewindable(each) for name, each in runs.items()})
        scores = self.evaluate_silently(run)
        warn((*self.notices, *scores.notices))
        return scores

    def _evaluate_several(self, runs: Mapping[str, Input]) -> ScoreTable:
        found: dict[str, Scores] = {}
        for name, (_, outcome) in zip(runs, self.outcomes(list(runs.values())), strict=True):
            if isinstance(outcome, IrevError):
                raise error_naming_run(name, outcome)
            found[name] = replace(outcome, name=name)
        table = self._own_table(runs, found)
        warn(table.warnings)
        return table

    def _own_table(self, runs: Mapping[str, Input], evaluated: Mapping[str, Scores]) -> ScoreTable:
        """The table of runs each of which is averaged as if it were evaluated alone."""
        from irev.scores.run_names import path_of
        from irev.scores.table import RunInfo, ScoreTable

        columns = [self.columns[index] for index in asked_order(self.columns)]
        columns = [column for column in columns if column.kind != "text"]
        picks = [self.columns.index(column) for column in columns]
        missing = {topic for scores in evaluated.values() for topic in scores.account.missing}
        judged = self.prepared_judgments.qrels.topic_index
        own = {topic for scores in evaluated.values() for topic in scores.topics if topic in judged}
        topics = sorted(own | missing)
        row_of = {topic: row for row, topic in enumerate(topics)}
        values = np.zeros((len(columns), len(topics), len(evaluated)))
        if missing:
            empty = self._policy.empty_ranking_values(self.prepared_judgments, sorted(missing))
            rows = [row_of[topic] for topic in sorted(missing)]
            values[:, rows] = empty[:, picks].T[:, :, None]
        infos, warnings = [], [*self.notices]
        for index, (name, scores) in enumerate(evaluated.items()):
            own_rows = [row for row, topic in enumerate(scores.topics) if topic in row_of]
            rows = [row_of[scores.topics[row]] for row in own_rows]
            values[:, rows, index] = scores.values[np.ix_(own_rows, picks)].T
            infos.append(
                RunInfo(
                    name, path_of(runs[name]), scores.run_id, scores.account.missing,
                    scores.account.duplicates, scores.signature, input_index=index,
                )
            )  # fmt: skip
            warnings += (each._replace(run=each.run or name) for each in scores.notices)
        return ScoreTable(
            tuple(topics), tuple(infos), tuple(columns), values, topic_policy="own",
            evaluated=evaluated, warnings=tuple(warnings),
        )  # fmt: skip

    def evaluate_silently(self, run: Input) -> Scores:
        """The same without Python warnings: read the `notices` of the scores instead."""
        return self._evaluate(run, self._threads)

    def evaluate_many(self, runs: Sequence[Input]) -> Iterator[tuple[Input, Scores | IrevError]]:
        """The scores of several runs, or what is wrong with a run, in the order given.

        Several runs are worked on at once, each by one thread.

        Warns:
            IrevWarning: the scores may mislead.
        """
        warn(self.notices)
        for run, outcome in self.outcomes(runs):
            if not isinstance(outcome, IrevError):
                warn(outcome.notices)
            yield run, outcome

    def outcomes(self, runs: Sequence[Input]) -> Iterator[tuple[Input, Scores | IrevError]]:
        """The same, silently."""
        threads = self._threads if len(runs) == 1 else 1

        def outcome(run: Input) -> Scores | IrevError:
            try:
                return self._evaluate(run, threads)
            except IrevError as error:
                return error
            except MemoryError:
                path = os.fspath(run) if isinstance(run, str | os.PathLike) else "a run"
                return InputError(
                    [Problem(path, None, "no-memory", "there is not enough memory for this run")]
                )

        done = zip(runs, workers.map_in_order(outcome, runs, self._threads), strict=True)
        yield from done if len(runs) == 1 else self.add_twin_warnings(done)

    def add_twin_warnings(
        self, done: Iterable[tuple[Input, Scores | IrevError]]
    ) -> Iterator[tuple[Input, Scores | IrevError]]:
        """The outcomes, with a warning at a run that is the same as one before."""
        from irev.engine.twins import Twins

        twins = Twins(self.run_layout, self.prepared_judgments.ranking, self._threads)
        for number, (run, found) in enumerate(done, 1):
            if not isinstance(found, IrevError):
                name = os.fspath(run) if isinstance(run, str | os.PathLike) else f"run {number}"
                notice = twins.notice(name, run, found)
                if notice is not None:
                    found = replace(found, notices=(*found.notices, notice))
            yield run, found

    def scores_of(self, parts: Sequence[RunPart], run_id: bytes) -> Scores:
        """The scores of a run whose topics are already ranked.

        Raises:
            MismatchError: there is no topic of the judgments.
        """
        prepared_judgments, chosen = self.prepared_judgments, self._policy.choose_topics(parts)
        values: Iterable[MeasuredValues] = prepared_judgments.values(parts)
        if len(chosen.absent):
            values = chain(values, [prepared_judgments.empty_ranking_values(chosen.absent)])
        more = prepared_judgments.unjudged_topic_values(parts) if chosen.with_unjudged else None
        scores = self._policy.scores(chosen, values, more, run_id)
        notices = self._run_warnings(parts, scores.account, scores.left_out)
        if notices:
            scores = replace(scores, notices=notices)
        if prepared_judgments.orders is None:
            return scores
        counted = ((part.lists, part.ties) for part in parts)
        return replace(scores, ties=prepared_judgments.orders.tie_account(counted, scores.topics))

    def sign(self, scores: Scores, run: str | None) -> Scores:
        """The scores with their signature, given the hash of the run."""
        drawn = scores.ties is not None and scores.ties.drawn
        signature = replace(
            self.signature, run=run, divisor=scores.divisor, dropped=scores.account.duplicates,
            seed=self.options.seed if drawn else None,
        )  # fmt: skip
        return replace(scores, signature=signature)

    def run_warnings(self, parts: Sequence[RunPart]) -> tuple[Notice, ...]:
        """Warnings about the scores of a ranked run, but not about missing topics.

        Raises:
            MismatchError: there is no topic of the judgments.
        """
        return self._run_warnings(parts, self._policy.choose_topics(parts).account, ())

    def _run_warnings(
        self, parts: Sequence[RunPart], account: Account, left_out: Sequence[bytes]
    ) -> tuple[Notice, ...]:
        found = [*left_out_warnings(account, left_out)]
        known = [part.judged_share for part in parts if part.judged_share is not None]
        if known:
            run = run_totals(known)
            found += unjudged_warnings(run, lambda: self._judged_documents)
            if self._cutoff and self.options.max_retrieved is None:
                found += shallow_run_warnings(run.depths, self._cutoff)
        return tuple(found)

    @cached_property
    def _judged_documents(self) -> JudgedIds:
        """What a doubt about a run needs of the judgments."""
        is_graded = "prefs" not in JUDGMENTS[self._format].gives
        return judged_ids(self.prepared_judgments.qrels, is_graded=is_graded)

    def _read(self, qrels: Input, format: str) -> PreparedJudgments:
        return read_judgments(
            qrels, format, self.requests, self.options, self._threads, sign=self._sign
        )

    def _printed_requests(self) -> Sequence[Request]:
        """The requests with the columns that are printed for them."""
        if self.options.residuals:
            return computed_requests(self.requests, self.prepared_judgments.qrels, self.options)
        if not self.options.several_orders:
            return self.requests
        from irev.rank.ties.several_orders import add_tie_columns

        return add_tie_columns(self.requests, self.options)

    def _evaluate(self, run: Input, threads: int) -> Scores:
        step = (
            self.prepared_judgments.part
            if self.options.duplicates == "error"
            else self._repaired_part
        )
        read = map_topics(run, self.run_layout, step, threads, sign=self._sign)
        scores = self.scores_of(read.results, read.run_id)
        if read.notices:
            scores = replace(scores, notices=(*scores.notices, *read.notices))
        return self.sign(scores, read.sha256) if self._sign else scores

    def _repaired_part(self, rows: Rows) -> RunPart:
        """The same, of each document the first or last line."""
        rows, repeats = drop_repeated_documents(rows, keep_last=self.options.duplicates == "last")
        part = self.prepared_judgments.part(rows)
        return replace(part, repeats=repeats) if repeats else part

    @cached_property
    def signature(self) -> Signature:
        """What makes all scores reproducible, but for what is a run's own."""
        from irev.core.version import __version__
        from irev.scores.signature import Signature, hash_of_topics, options_part

        files = dict(self.prepared_judgments.digests)
        qrels = files.pop("qrels", None)
        if self.options.listed is not None:
            files["topics"] = hash_of_topics(self.options.listed)
        plugins = sys.modules.get("irev.measures.plugins")
        content = plugins and plugins.plugin_digest(
            {request.measure.name for request in self.requests}
        )
        if content:
            files["plugins"] = content
        for name, given in (("classes", self._policy.classes), ("weights", self._policy.weights)):
            if given is not None:
                files[name] = given.sha256
        return Signature(
            version=__version__,
            measures={
                column.name: column.canonical or column.name
                for column in self.columns
                if column.average not in ("run", "topics")
            },
            options=options_part(self.options, self._format),
            qrels=qrels,
            files=files,
        )


def _resolve_requests(measures: Sequence[str], options: Options) -> list[Request]:
    """What the measures' names and the options ask for."""
    requests = resolve_names(measures, options)
    if not options.residuals and not options.judged_shares:
        return requests
    from irev.measures.residuals import judged_share_requests, refuse_unbounded

    if options.residuals:
        if options.judged_only or options.several_orders:
            other = "judged_only (-J)" if options.judged_only else "several orders of ties"
            raise UsageError(f"residuals cannot be combined with {other}")
        refuse_unbounded(requests)
    if options.judged_shares:
        requests = drop_repeated_columns([*requests, *judged_share_requests(requests)])
    return requests


def _check_judgments(options: Options, format: str) -> None:
    """Refuse options that cannot be combined with the format of the judgments."""
    if options.intents is not None and "subtopics" not in JUDGMENTS[format].gives:
        raise UsageError(f"intents need judgments by subtopic (-R subtopics), not {format}")
    if options.pool is not None and format not in GRADED:
        raise UsageError(f"a pool needs plain judgments (-R qrels), not -R {format}")
    if options.grade_map and "prefs" in JUDGMENTS[format].gives:
        raise UsageError(f"preferences (-R {format}) have no grades to be mapped")


def _check_ties(options: Options, format: str) -> None:
    """Refuse orders of tied documents that the judgments cannot decide."""
    how = "--tie-range" if options.tie_range else f"--ties {options.ties}"
    gives = JUDGMENTS[format].gives
    if "prefs" in gives:
        if options.ties_by_grade:
            raise UsageError(f"preferences (-R {format}) have no grades to order ties by: {how}")
    elif len(gives) > 1 and options.several_orders:
        kind = "judgments by subtopic" if "subtopics" in gives else "sampled judgments"
        raise UsageError(f"{how} cannot be combined with {kind} (-R {format})")


def _check_draws(requests: Sequence[Request], options: Options) -> None:
    """Refuse measures that draw documents where equal scores have no order by themselves."""
    if options.ties_by_grade:
        for request in requests:
            if needs_ids(request):
                how = "--tie-range" if options.tie_range else f"--ties {options.ties}"
                raise UsageError(f"{request.columns[0].name} cannot be combined with {how}")


def _check_needs(requests: Sequence[Request], format: str, more: Sequence[str]) -> None:
    """Refuse measures that cannot be combined with the format of the judgments."""
    given = (*JUDGMENTS[format].gives, *more)
    for request in requests:
        needs = request.measure.needs
        if needs not in ("any", *given):
            formats = " or ".join(
                name
                for name, each in JUDGMENTS.items()
                if needs in each.gives and (name == needs or "qrels" not in each.gives)
            )
            raise UsageError(
                f"measure {request.measure.name} needs judgments of the format {formats} "
                f"(-R {needs}), not {format}"
            )
