# ruff: noqa
# fmt: off
"""The types of irev.plots; `make docs` writes them."""

import os
from collections.abc import Mapping, Sequence
from irev.core.judged import Input
from irev.core.option_values import Pool
from irev.options import Options
from typing import Any, Literal, TypeAlias

__all__ = [
    "Plot", "cutoffs", "distribution", "median", "per_topic", "recall_precision", "scatter",
    "tie_ranges",
]

_QrelsFormatWord: TypeAlias = (Literal["qrels", "qrels_jg", "prefs", "qrels_prefs", "subtopics",
    "ntcir", "strata", "prels", "triples", "nuggets", "support"])
_RunFormatWord: TypeAlias = (Literal["trec_results", "msmarco", "scores"])
_Bounds: TypeAlias = (Mapping[str, Sequence[float]] | Sequence[Any])
_Topics: TypeAlias = (Literal["both", "qrels", "run"] | os.PathLike[str] | Sequence[bytes | str])
_Columns: TypeAlias = (Mapping[str, str] | Sequence[tuple[str, str]])
_GradeMap: TypeAlias = (Mapping[float | str, float] | Sequence[tuple[float | str, float]])
_Ties: TypeAlias = (Literal["docid-desc", "docid-asc", "input", "rank", "optimistic", "pessimistic",
    "average"] | None)
_Defaults: TypeAlias = (Mapping[str, Any] | Sequence[tuple[str, Any]])
_Exclude: TypeAlias = (str | os.PathLike[str] | Mapping[Any, Any] | Sequence[str | os.PathLike[str]
    | Mapping[Any, Any]])

def cutoffs(
    qrels_or_table: Input,
    runs: Input = (),
    measures: object = (),
    options: Options | None = None,
    *,
    highlight: str | Sequence[str] = (),
    names: Literal["file", "tag"] = "file",
    nan: Literal["error", "drop-topic"] = "error",
    bounds: _Bounds = (),
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    level: float = 1,
    collection_size: int = 0,
    max_retrieved: int | None = None,
    judged_only: bool = False,
    topics: _Topics = "qrels",
    no_relevant: Literal["zero", "skip", "answer"] = "zero",
    compat: Literal["trec10", "trec9"] = "trec10",
    real_grades: bool = False,
    decimal_comma: bool = False,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    grade_map: _GradeMap = (),
    intents: str | os.PathLike[str] | None = None,
    pool: str | Pool | None = None,
    ties: _Ties = None,
    defaults: _Defaults = (),
    duplicates: Literal["error", "first", "last"] = "error",
    exclude: _Exclude = (),
    threads: int | None = None,
) -> Plot:
    """Draw the mean of measures at each of their cutoffs: a line for each run."""

def distribution(
    qrels_or_table: Input,
    runs: Input = (),
    measures: object = (),
    options: Options | None = None,
    *,
    names: Literal["file", "tag"] = "file",
    nan: Literal["error", "drop-topic"] = "error",
    bounds: _Bounds = (),
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    level: float = 1,
    collection_size: int = 0,
    max_retrieved: int | None = None,
    judged_only: bool = False,
    topics: _Topics = "qrels",
    no_relevant: Literal["zero", "skip", "answer"] = "zero",
    compat: Literal["trec10", "trec9"] = "trec10",
    real_grades: bool = False,
    decimal_comma: bool = False,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    grade_map: _GradeMap = (),
    intents: str | os.PathLike[str] | None = None,
    pool: str | Pool | None = None,
    ties: _Ties = None,
    defaults: _Defaults = (),
    duplicates: Literal["error", "first", "last"] = "error",
    exclude: _Exclude = (),
    threads: int | None = None,
) -> Plot:
    """Draw how scores are spread over the topics: for each run a box, the mean, a point a topic."""

def median(
    qrels_or_table: Input,
    runs: Input = (),
    measures: object = (),
    options: Options | None = None,
    *,
    run: str | None = None,
    sort: Literal["topic", "value"] = "topic",
    names: Literal["file", "tag"] = "file",
    nan: Literal["error", "drop-topic"] = "error",
    bounds: _Bounds = (),
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    level: float = 1,
    collection_size: int = 0,
    max_retrieved: int | None = None,
    judged_only: bool = False,
    topics: _Topics = "qrels",
    no_relevant: Literal["zero", "skip", "answer"] = "zero",
    compat: Literal["trec10", "trec9"] = "trec10",
    real_grades: bool = False,
    decimal_comma: bool = False,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    grade_map: _GradeMap = (),
    intents: str | os.PathLike[str] | None = None,
    pool: str | Pool | None = None,
    ties: _Ties = None,
    defaults: _Defaults = (),
    duplicates: Literal["error", "first", "last"] = "error",
    exclude: _Exclude = (),
    threads: int | None = None,
) -> Plot:
    """Draw how far a run is above or below the median of all runs, topic by topic."""

def per_topic(
    qrels_or_table: Input,
    runs: Input = (),
    measures: object = (),
    options: Options | None = None,
    *,
    sort: Literal["topic", "value"] = "topic",
    highlight: str | Sequence[str] = (),
    names: Literal["file", "tag"] = "file",
    nan: Literal["error", "drop-topic"] = "error",
    bounds: _Bounds = (),
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    level: float = 1,
    collection_size: int = 0,
    max_retrieved: int | None = None,
    judged_only: bool = False,
    topics: _Topics = "qrels",
    no_relevant: Literal["zero", "skip", "answer"] = "zero",
    compat: Literal["trec10", "trec9"] = "trec10",
    real_grades: bool = False,
    decimal_comma: bool = False,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    grade_map: _GradeMap = (),
    intents: str | os.PathLike[str] | None = None,
    pool: str | Pool | None = None,
    ties: _Ties = None,
    defaults: _Defaults = (),
    duplicates: Literal["error", "first", "last"] = "error",
    exclude: _Exclude = (),
    threads: int | None = None,
) -> Plot:
    """Draw the values of measures by topic: a bar for each run, a panel for each measure."""

def recall_precision(
    qrels: Input,
    runs: Input = (),
    options: Options | None = None,
    *,
    recall_rule: Literal["ge", "band", "te9", "te10"] = "ge",
    topic: bytes | str | None = None,
    highlight: str | Sequence[str] = (),
    names: Literal["file", "tag"] = "file",
    nan: Literal["error", "drop-topic"] = "error",
    bounds: _Bounds = (),
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    level: float = 1,
    collection_size: int = 0,
    max_retrieved: int | None = None,
    judged_only: bool = False,
    topics: _Topics = "qrels",
    no_relevant: Literal["zero", "skip", "answer"] = "zero",
    compat: Literal["trec10", "trec9"] = "trec10",
    real_grades: bool = False,
    decimal_comma: bool = False,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    grade_map: _GradeMap = (),
    intents: str | os.PathLike[str] | None = None,
    pool: str | Pool | None = None,
    ties: _Ties = None,
    duplicates: Literal["error", "first", "last"] = "error",
    exclude: _Exclude = (),
    threads: int | None = None,
) -> Plot:
    """Draw recall-precision curves of runs, as means over all judged topics or for one topic."""

def scatter(
    qrels_or_table: Input,
    runs: Input = (),
    measures: object = (),
    options: Options | None = None,
    *,
    x: str | None = None,
    names: Literal["file", "tag"] = "file",
    nan: Literal["error", "drop-topic"] = "error",
    bounds: _Bounds = (),
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    level: float = 1,
    collection_size: int = 0,
    max_retrieved: int | None = None,
    judged_only: bool = False,
    topics: _Topics = "qrels",
    no_relevant: Literal["zero", "skip", "answer"] = "zero",
    compat: Literal["trec10", "trec9"] = "trec10",
    real_grades: bool = False,
    decimal_comma: bool = False,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    grade_map: _GradeMap = (),
    intents: str | os.PathLike[str] | None = None,
    pool: str | Pool | None = None,
    ties: _Ties = None,
    defaults: _Defaults = (),
    duplicates: Literal["error", "first", "last"] = "error",
    exclude: _Exclude = (),
    threads: int | None = None,
) -> Plot:
    """Draw two runs against each other: a point for each topic, and how many topics each run wins."""

def tie_ranges(
    qrels_or_table: Input,
    runs: Input = (),
    measures: object = (),
    options: Options | None = None,
    *,
    per_topic: bool = False,
    highlight: str | Sequence[str] = (),
    names: Literal["file", "tag"] = "file",
    nan: Literal["error", "drop-topic"] = "error",
    bounds: _Bounds = (),
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    level: float = 1,
    collection_size: int = 0,
    max_retrieved: int | None = None,
    judged_only: bool = False,
    topics: _Topics = "qrels",
    no_relevant: Literal["zero", "skip", "answer"] = "zero",
    compat: Literal["trec10", "trec9"] = "trec10",
    real_grades: bool = False,
    decimal_comma: bool = False,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    grade_map: _GradeMap = (),
    intents: str | os.PathLike[str] | None = None,
    pool: str | Pool | None = None,
    ties: _Ties = None,
    defaults: _Defaults = (),
    duplicates: Literal["error", "first", "last"] = "error",
    exclude: _Exclude = (),
    threads: int | None = None,
) -> Plot:
    """Draw the values of measures under the pessimistic and the optimistic order of ties."""

from irev.jobs.plots.plot import Plot as Plot
