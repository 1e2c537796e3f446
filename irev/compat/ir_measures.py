"""irev as a provider of ir_measures, and irev's measures as objects of that package.

    import ir_measures
    from irev.compat.ir_measures import IrevMeasure, provider

    provider.calc_aggregate([ir_measures.nDCG @ 10, IrevMeasure("Q(beta=10)@10")], qrels, run)

Importing it registers the provider: ir_measures and PyTerrier ask it last, so that every number
that they had stays. A measure of ir_measures has that package's definition here too (`irm:`), and
judged topics that the run lacks count; docs/bridges.md lists the differences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import ir_measures
from ir_measures.measures import MeanAgg, SumAgg
from ir_measures.util import QrelsConverter, RunConverter

from irev.core.judged import Column
from irev.core.text import as_text
from irev.engine.evaluate import Evaluator
from irev.errors import MismatchError, UsageError
from irev.measures.naming.resolve import matching_columns, resolve_names

__all__ = ["IrevMeasure", "IrevProvider", "prefer_irev", "provider"]

_FORMATS = {"qrels": "qrels", "any": "qrels", "subtopics": "subtopics"}
"""The format of the judgments by what measures need; ir_measures has no others."""


class IrevMeasure(ir_measures.Measure):
    """A measure of irev under any of its names, as ir_measures and PyTerrier have measures.

    Example:
        >>> IrevMeasure("Q(beta=10)") @ 5
        Q(beta=10)@5
    """

    def __init__(self, name: str) -> None:
        """Look the name up.

        Raises:
            ValueError: there is no such measure, or it has not one number for each topic.
        """
        super().__init__()
        try:
            self._column = _column_and_qrels_format(name, name)[0]
        except UsageError as error:
            raise ValueError(str(error)) from error
        self.NAME = self.__name__ = name

    def __call__(self, **options: object) -> IrevMeasure:
        """Refuse options behind the name.

        Raises:
            TypeError: always; options are written in the name.
        """
        if options:
            raise TypeError(
                f"write the options in the name: IrevMeasure('{self.NAME}(option=value)')"
            )
        return self

    def __matmul__(self, cutoff: int) -> IrevMeasure:
        return IrevMeasure(f"{self.NAME}@{cutoff}")

    def __repr__(self) -> str:
        return str(self.NAME)

    def aggregator(self) -> MeanAgg | SumAgg:
        """How ir_measures sums up the topics."""
        return SumAgg() if self._column.average == "sum" else MeanAgg()


class IrevProvider(ir_measures.Provider):
    """What ir_measures calls to compute measures; each run is ranked once for all of them."""

    NAME = "irev"

    def __init__(self, **options: Any) -> None:
        """Take fields of `irev.Options`, such as `ties="docid-asc"`, for all evaluations."""
        super().__init__()
        self._options = options

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Whether irev computes a measure: ir_measures' own, or an `IrevMeasure`."""
        measure.validate_params()
        if hasattr(measure, "runtime_impl"):
            return False
        try:
            _column_and_qrels_format(_irev_name(measure), str(measure))
        except (UsageError, ValueError):
            return False
        return True

    def qrel_inputs(self, measures: Iterable[ir_measures.Measure]) -> list[str]:
        """The columns of judgments that some measures need."""
        needed = ["query_id", "doc_id", "relevance"]
        is_by_subtopic = any(_format_of(each) == "subtopics" for each in measures)
        return [*needed, "iteration"] if is_by_subtopic else needed

    def _evaluator(
        self, measures: Iterable[ir_measures.Measure], qrels: Any
    ) -> ir_measures.Evaluator:
        return _IrevEvaluator(list(measures), qrels, self._options)


class _IrevEvaluator(ir_measures.Evaluator):
    """Judgments and measures, made ready for many runs."""

    def __init__(
        self, measures: list[ir_measures.Measure], qrels: Any, options: Mapping[str, Any]
    ) -> None:
        by_format: dict[str, list[ir_measures.Measure]] = {}
        for measure in measures:
            by_format.setdefault(_format_of(measure), []).append(measure)
        converter = QrelsConverter(qrels)
        judgments: dict[str, Any] = {}
        if "subtopics" in by_format:
            rows = list(converter.as_namedtuple_iter())
            converter = QrelsConverter(rows)
            fields = ("query_id", "doc_id", "relevance", "iteration")
            names = ("topic", "document", "grade", "subtopic")
            judgments["subtopics"] = {
                name: [getattr(row, field) for row in rows]
                for field, name in zip(fields, names, strict=True)
            }
        if converter.predict_type()[0] == "pd_dataframe":
            grades = converter.as_pd_dataframe()[["query_id", "doc_id", "relevance"]]
            topics = set(grades["query_id"])
        else:
            grades = converter.as_dict_of_dict()
            topics = set(grades)
        judgments["qrels"] = grades
        super().__init__(measures, topics)
        # for each form of the judgments, the measures that work on it and their columns
        self._parts: list[tuple[Evaluator, list[tuple[ir_measures.Measure, int]]]] = []
        for qrels_format, own_measures in by_format.items() if topics else ():
            evaluator = Evaluator(
                judgments[qrels_format],
                [*map(_irev_name, own_measures)],
                qrels_format=qrels_format,
                **{"topics": "qrels", **options},
            )
            columns = evaluator.columns
            column_of_measure = [
                (each, columns.index(matching_columns(_irev_name(each), columns)[0]))
                for each in own_measures
            ]
            self._parts.append((evaluator, column_of_measure))

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        converter = RunConverter(run)
        if converter.predict_type()[0] == "pd_dataframe":
            scores_by_document = converter.as_pd_dataframe()[["query_id", "doc_id", "score"]]
        else:
            scores_by_document = converter.as_dict_of_dict()
        if not len(scores_by_document):
            return
        for evaluator, column_of_measure in self._parts:
            try:
                scores = evaluator.evaluate_silently(scores_by_document)
            except MismatchError:
                continue
            missing = set(scores.account.missing)
            for measure, column in column_of_measure:
                is_number_of_topics = scores.columns[column].average == "topics"
                values = scores.values[:, column].tolist()
                for topic, value in zip(scores.topics, values, strict=True):
                    # what the run lacks has the default of ir_measures, which adds it by itself
                    if topic not in missing or isinstance(measure, IrevMeasure):
                        shown = 1.0 if is_number_of_topics else value
                        yield ir_measures.Metric(as_text(topic), measure, shown)


def _irev_name(measure: ir_measures.Measure) -> str:
    """What irev calls a measure."""
    return str(measure) if isinstance(measure, IrevMeasure) else f"irm:{measure}"


def _format_of(measure: ir_measures.Measure) -> str:
    return _column_and_qrels_format(_irev_name(measure), str(measure))[1]


@lru_cache(maxsize=1024)
def _column_and_qrels_format(name: str, name_in_errors: str) -> tuple[Column, str]:
    """The column that a name stands for, and the format of the judgments that it needs.

    Raises:
        UsageError: there is no such measure.
        ValueError: it has not one number for each topic.
    """
    requests = resolve_names([name])
    columns = [column for request in requests for column in request.columns]
    if len(columns) != 1:
        raise ValueError(f"{name_in_errors} has {len(columns)} columns: name one of them")
    (column,), needs = columns, requests[0].measure.needs
    is_number = column.kind != "text" and column.average in ("mean", "sum", "topics")
    if not is_number or needs not in _FORMATS:
        raise ValueError(f"{name_in_errors} has no value for each topic from graded judgments")
    return column, _FORMATS[needs]


provider: IrevProvider = ir_measures.providers.register(IrevProvider())
ir_measures.DefaultPipeline.providers.append(provider)


def prefer_irev() -> None:
    """Let ir_measures and PyTerrier compute with irev all that irev computes, from now on."""
    providers = ir_measures.DefaultPipeline.providers
    providers.remove(provider)
    # measures that a user defined in Python stay in front
    providers.insert(1, provider)
