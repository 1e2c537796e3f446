"""pytrec_eval's interface on irev: `import irev.compat.pytrec_eval as pytrec_eval`.

Names, keys, types and numbers are those of pytrec_eval-terrier 0.5, which is built on trec_eval
9.0.8. Where that package stops the process or reads something else than was written, this one
raises `ValueError`; docs/bridges.md lists the differences.
"""

from __future__ import annotations

import math
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from numbers import Integral, Real
from typing import Any

import numpy as np

from irev.core.arrays import TopicsByMeasures
from irev.core.text import as_bytes, as_text
from irev.engine.evaluate import Evaluator
from irev.errors import InputError, IrevWarning, UsageError
from irev.measures.registry import SET_NAMES, TREC_MEASURES, Cutoffs, Fractions, measures_of_set

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

_VERSION = 9
"""The major version of trec_eval that pytrec_eval is built on."""

supported_measures: set[str] = {
    name
    for name, measure in TREC_MEASURES.items()
    if measure.since <= _VERSION and measure.needs in ("qrels", "any") and name != "yaap"
}
"""The names of the measures, without parameters; pytrec_eval's table lacks trec_eval's `yaap`."""

supported_nicknames: dict[str, set[str]] = {
    name: {measure.name for measure in measures_of_set(name, _VERSION)} for name in SET_NAMES
}
"""trec_eval's names for several measures; those that need preferences or groups of judges cannot
be computed here either."""

_PARAMETERS = re.compile(r"[._](-?[0-9]+(?:\.[0-9]+)?(?:,-?[0-9]+(?:\.[0-9]+)?)*)\Z")
"""What may follow the name of a measure: `.10`, `_10`, `.5,10`."""

Result = dict[str, dict[str, float]]


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """The lines of a run, `TOPIC Q0 DOCUMENT RANK SCORE TAG`, as {topic: {document: score}}.

    Raises:
        ValueError: a line has not six fields, or its score is not a number.
        AssertionError: a document is there twice for a topic.
    """
    run: dict[str, dict[str, float]] = defaultdict(dict)
    for line in f_run:
        topic, _, document, _, score, _ = line.split()
        _refuse_repeated(document, run[topic], topic)
        run[topic][document] = float(score)
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """The lines of judgments, `TOPIC 0 DOCUMENT GRADE`, as {topic: {document: grade}}.

    Raises:
        ValueError: a line has not four fields, or its grade is not a whole number.
        AssertionError: a document is there twice for a topic.
    """
    qrel: dict[str, dict[str, int]] = defaultdict(dict)
    for line in f_qrel:
        topic, _, document, grade = line.split()
        _refuse_repeated(document, qrel[topic], topic)
        qrel[topic][document] = int(grade)
    return qrel


def _refuse_repeated(document: str, documents: Mapping[str, object], topic: str) -> None:
    if document in documents:
        raise AssertionError(f"duplicate document {document!r} in topic {topic!r}")


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """The summary of a measure over its values by topic.

    A sum where the name begins with `num_`; exp of the mean where it begins with `gm_`, since these
    values are logarithms; else the mean. Of no values: 0 for sums, else not a number.
    """
    if measure.startswith("num_"):
        return float(np.sum(values))
    if not len(values):
        return math.nan
    mean = float(np.mean(values))
    return math.exp(mean) if measure.startswith("gm_") else mean


class RelevanceEvaluator:
    """Judgments and measures, prepared once for many runs.

    Example:
        >>> evaluator = RelevanceEvaluator({"q1": {"d1": 1, "d2": 0}}, {"map", "P_5"})
        >>> evaluator.evaluate({"q1": {"d1": 0.5, "d2": 2.0}})
        {'q1': {'map': 0.5, 'P_5': 0.2}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        """Resolve the measures' names and look at the judgments.

        Args:
            query_relevance: {topic: {document: grade}}, the grades whole numbers.
            measures: names such as `map`, `P_5`, `ndcg_cut.10,20`, or a nickname, `official`.
            relevance_level: the smallest grade that is relevant, at least 1.
            judged_docs_only_flag: whether unjudged documents are dropped from the rankings.

        Raises:
            ValueError: there is no such measure, or not with these parameters.
            TypeError: an argument, an id or a grade is of another type.
        """
        names = list(_names_with_joined_parameters(measures))
        level = int(relevance_level) if isinstance(relevance_level, int | np.integer) else 0
        if level < 1:
            raise TypeError("relevance_level must be a whole number of at least 1")
        judged = {topic: grades for topic, grades in query_relevance.items() if len(grades)}
        _check_ids(judged, "query_relevance")
        _refuse_other_values(judged, Integral, "query_relevance", "grades must be whole numbers")
        self._judged = judged
        self._evaluator: Evaluator | None = None
        if not (judged and names):
            return
        try:
            self._evaluator = Evaluator(
                judged,
                names,
                compat="trec9",
                level=level,
                judged_only=bool(judged_docs_only_flag),
            )
        except (UsageError, InputError) as error:
            raise ValueError(str(error)) from error
        # what a value is called, and what a topic has of a measure that belongs to the summary or
        # is a text; None: a value
        self._keys: list[str] = []
        self._constants: list[float | None] = []
        for column in self._evaluator.columns:
            measure = TREC_MEASURES[column.measure]
            # only ranks and levels of recall are in its name
            has_list = isinstance(measure.parameter, Cutoffs | Fractions)
            self._keys.append(column.name if has_list else measure.name)
            is_of_summary = column.average == "topics"
            self._constants.append(1.0 if is_of_summary else 0.0 if column.kind == "text" else None)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> Result:
        """The values of a run by topic: {"q1": {"map": 0.5, "P_5": 0.2}}.

        Topics that are not judged are left out; a topic without documents has an empty ranking.

        Raises:
            TypeError: the run, an id or a score is of another type.
            ValueError: a score is not a number (NaN).
        """
        if not scores:
            return {}
        _check_ids(scores, "scores")
        run = {topic: documents for topic, documents in scores.items() if topic in self._judged}
        _refuse_other_values(run, Real, "scores", "scores must be numbers")
        if self._evaluator is None:
            return {topic: {} for topic in run}
        values_by_topic = dict(self._topic_values(self._evaluator, run))
        return {topic: values_by_topic[topic] for topic in run}

    def _topic_values(
        self, evaluator: Evaluator, run: Mapping[str, Mapping[str, float]]
    ) -> Iterator[tuple[str, dict[str, float]]]:
        ranked = {topic: documents for topic, documents in run.items() if documents}
        if ranked:
            try:
                scores = evaluator.evaluate_silently(ranked)
            except InputError as error:
                raise ValueError(str(error)) from error
            yield from zip(
                map(as_text, scores.topics), self._named_values(scores.values), strict=True
            )
        empty = [topic for topic in run if topic not in ranked]
        if empty:
            qrels = evaluator.prepared_judgments.qrels
            lists = np.array([qrels.topic_index[as_bytes(topic)] for topic in empty], np.int64)
            values = evaluator.prepared_judgments.empty_ranking_values(lists).values
            yield from zip(empty, self._named_values(values), strict=True)

    def _named_values(self, values: TopicsByMeasures) -> Iterator[dict[str, float]]:
        """The values of some topics, float64[T, C], by what they are called."""
        for row in values.tolist():
            shown_values = (
                value if constant is None else constant
                for value, constant in zip(row, self._constants, strict=True)
            )
            yield dict(zip(self._keys, shown_values, strict=True))


def _names_with_joined_parameters(measures: Iterable[str]) -> Iterator[str]:
    """The measures in trec_eval's way, each once, with all its parameters.

    Raises:
        ValueError: there is no such measure.
    """
    parameters_by_name: dict[str, list[str]] = {}
    for measure in measures:
        if not isinstance(measure, str):
            raise TypeError(f"a measure must be a string, not {measure!r}")
        for name in sorted(supported_nicknames.get(measure, {measure})):
            base, parameters = _split_parameters(name)
            parameters_by_name.setdefault(base, []).extend(parameters)
    for base, parameters in parameters_by_name.items():
        is_list = isinstance(TREC_MEASURES[base].parameter, Cutoffs | Fractions)
        each = dict.fromkeys(parameters) if is_list else parameters
        yield f"{base}.{','.join(each)}" if each else base


def _split_parameters(name: str) -> tuple[str, list[str]]:
    """A measure, and the parameters behind its name."""
    if name in supported_measures:
        return name, []
    for base in supported_measures:
        match = _PARAMETERS.match(name, len(base)) if name.startswith(base) else None
        if match is None:
            continue
        if TREC_MEASURES[base].parameter is None:
            warnings.warn(
                f"{base} has no parameters: {name!r} means {base}, as in pytrec_eval",
                IrevWarning,
                stacklevel=4,
            )
            return base, []
        return base, match[1].split(",")
    raise ValueError(f"unsupported measure {name}")


def _check_ids(mapping: Mapping[Any, Mapping[Any, Any]], argument_name: str) -> None:
    if not isinstance(mapping, Mapping) or not _are_all(mapping.values(), Mapping):
        raise TypeError(f"{argument_name} must be a dictionary of dictionaries")
    if not _are_all(mapping, str) or not _are_all(chain.from_iterable(mapping.values()), str):
        raise TypeError(f"{argument_name}: ids of topics and documents must be strings")


def _refuse_other_values(
    mapping: Mapping[str, Mapping[str, Any]],
    number_type: type,
    argument_name: str,
    requirement: str,
) -> None:
    if not _are_all(chain.from_iterable(each.values() for each in mapping.values()), number_type):
        raise TypeError(f"{argument_name}: {requirement}")


def _are_all(values: Iterable[object], value_type: type) -> bool:
    return all(issubclass(each, value_type) for each in set(map(type, values)))
