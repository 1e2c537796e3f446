"""`irev.evaluate`: a run, or several, against judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, overload

from irev.core.job import public_function
from irev.engine.evaluator import Evaluator
from irev.engine.inputs import rewindable, runs_by_name_if_several
from irev.options import EvaluationOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from irev.core.judged import Input
    from irev.engine.evaluator import SeveralRuns
    from irev.options import Options
    from irev.scores.scores import Scores
    from irev.scores.table import ScoreTable

P = ParamSpec("P")


class _Evaluate(Protocol[P]):
    """The type of `evaluate`, by that of the run; the fields of the options are its keywords."""

    @overload
    def __call__(
        self, qrels: Input, run: SeveralRuns, measures: object = (),
        options: Options | None = None, sign: bool = False, *args: P.args, **fields: P.kwargs,
    ) -> ScoreTable: ...  # fmt: skip
    @overload
    def __call__(
        self, qrels: Input, run: Input, measures: object = (),
        options: Options | None = None, sign: bool = False, *args: P.args, **fields: P.kwargs,
    ) -> Scores: ...  # fmt: skip


def _evaluate_job(
    options: Callable[P, EvaluationOptions],
) -> Callable[[Callable[..., Scores | ScoreTable]], _Evaluate[P]]:
    record: Any = options
    return lambda function: public_function(function, record)


@_evaluate_job(EvaluationOptions)
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
        sign: whether the scores carry a `signature`, which hashes the files on the way.
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
    runs = runs_by_name_if_several(run, evaluator.options.own_columns)
    if runs is None:
        scores: Scores = evaluator.evaluate(run)
        return scores
    return evaluator.table({name: rewindable(each) for name, each in runs.items()})
