# ruff: noqa
# fmt: off
"""The types of irev; `make docs` writes them."""

import os
import pandas as pd
import re
from collections.abc import Callable, Mapping, Sequence
from irev.core.judged import Input
from irev.core.option_values import Classes, Pool, Weights
from irev.engine.evaluate import SeveralRuns
from irev.jobs.check.check import CheckOptions, CheckReport
from irev.jobs.explain.explain import Explanation
from irev.jobs.gate.gate import GateReport
from irev.jobs.leaderboard.collections import CollectionsBoard
from irev.jobs.leaderboard.leaderboard import Board, Boards
from irev.jobs.measures import MeasureList, MeasureListOptions, MeasurePage
from irev.jobs.pool.leave_one_out import LeaveOneOutResult
from irev.jobs.pool.pool import PoolResult, SampleResult
from irev.jobs.sample.evaluation import SampledEvaluation
from irev.measures.plugins import Function
from typing import Any, Literal, TypeAlias, overload
from irev import plots as plots
from irev import studies as studies

__all__ = [
    "Account", "Column", "Comparison", "Evaluator", "InputError", "IrevError", "IrevWarning",
    "Judged", "MeasureError", "MismatchError", "MissingExtraError", "Notice", "Option", "Options",
    "PredictedComparison", "Problem", "Report", "Result", "ScoreTable", "Scores", "StrictError",
    "UsageError", "check", "compare", "describe_measure", "document_estimates", "evaluate",
    "evaluate_arrays", "evaluate_samples", "explain", "gate", "leaderboard",
    "leaderboard_of_collections", "leaderboards", "leave_one_out", "list_measures", "measure",
    "plots", "pool", "pool_qrels", "report", "sample", "studies", "topic_measure",
]

__version__: str

_ProfileWord: TypeAlias = (Literal["default", "trec", "msmarco", "tira", "strict"])
_TestsWord: TypeAlias = (Literal["moderated", "t", "permutation", "wilcoxon", "sign", "bootstrap",
    "bootstrap-mean", "hsd", "rthsd"])
_CorrectionWord: TypeAlias = (Literal["none", "bonferroni", "holm", "bh", "by", "maxt"])
_CiWord: TypeAlias = (Literal["t", "hall", "percentile", "bca", "bootstrap-t"])
_QrelsFormatWord: TypeAlias = (Literal["qrels", "qrels_jg", "prefs", "qrels_prefs", "subtopics",
    "ntcir", "strata", "prels", "triples", "nuggets", "support", "quepid", "opensearch", "rre",
    "letor", "pairs"])
_RunFormatWord: TypeAlias = (Literal["trec_results", "msmarco", "scores"])
_DuplicatesWord: TypeAlias = (Literal["error", "first", "last", "best"])
_DuplicatesQrelsWord: TypeAlias = (Literal["error", "first", "last", "max", "min"])
_CorrectionWord2: TypeAlias = (Literal["none", "bonferroni", "holm", "bh", "by"])
_TestWord: TypeAlias = (Literal["moderated", "t", "permutation", "wilcoxon", "sign", "bootstrap",
    "bootstrap-mean", "hsd", "rthsd", "none"])
_CiWord2: TypeAlias = (Literal["t", "hall", "percentile", "bca", "bootstrap-t", "none"])
_Columns: TypeAlias = (Mapping[str, str] | Sequence[tuple[str, str]])
_Bounds: TypeAlias = (Mapping[str, Sequence[float]] | Sequence[Any])
_GradeMap: TypeAlias = (Mapping[float | str, float] | Sequence[tuple[float | str, float]])
_Topics: TypeAlias = (Literal["both", "qrels", "run"] | os.PathLike[str] | Sequence[bytes | str])
_Ties: TypeAlias = (Literal["docid-desc", "docid-asc", "input", "rank", "optimistic", "pessimistic",
    "average"] | None)
_Defaults: TypeAlias = (Mapping[str, Any] | Sequence[tuple[str, Any]])
_Exclude: TypeAlias = (str | os.PathLike[str] | Mapping[Any, Any] | Sequence[str | os.PathLike[str]
    | Mapping[Any, Any]])
_Teams: TypeAlias = (str | os.PathLike[str] | Mapping[str, str] | None)
_Ties2: TypeAlias = (Literal["docid-desc", "docid-asc", "input", "rank"] | None)

def check(
    *files: Any,
    options: CheckOptions | None = None,
    kind: Literal["run", "qrels"] | None = None,
    qrels_format: Literal["nuggets", "support"] | None = None,
    topics: str | os.PathLike[str] | None = None,
    follow_links: bool = False,
    profile: _ProfileWord = "default",
    max_per_topic: int | None = None,
    docno: str | re.Pattern[bytes] | None = None,
    level: float = 1,
    real_grades: bool = False,
    columns: _Columns = (),
    max_findings: int | None = None,
    max_size: int = 2147483648,
    max_memory: int = 4294967296,
    max_seconds: float = 300.0,
) -> CheckReport:
    """Find everything that is wrong or suspicious in runs and qrels, as `irev check` does."""

@overload
def compare(
    qrels_or_table: Input,
    runs: Input = (),
    measures: object = (),
    options: Options | None = None,
    *,
    baselines: str | Sequence[str] = (),
    tests: _TestsWord | Sequence[_TestsWord] = ("moderated",),
    correction: _CorrectionWord = "holm",
    alpha: float = 0.05,
    tail: Literal["two-sided", "greater", "less"] = "two-sided",
    ci: _CiWord = "t",
    resamples: int | None = None,
    seed: int = 0,
    min_diff: float = 0.0,
    zeros: Literal["pratt", "wilcox", "zsplit"] = "pratt",
    margin: float | None = None,
    difference: float | None = None,
    better_by: float | None = None,
    risk: Sequence[float] = (),
    risk_sd: Literal["n-1", "n"] = "n-1",
    predicted_target: Literal["population", "topics"] = "population",
    names: Literal["file", "tag"] = "file",
    nan: Literal["error", "drop-topic"] = "error",
    bounds: _Bounds = (),
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    predicted: None = None,
    model_weight: float | None = None,
    predicted_level: float | None = None,
    predicted_map_grades: _GradeMap = (),
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
    duplicates: _DuplicatesWord = "error",
    duplicates_qrels: _DuplicatesQrelsWord = "error",
    unknown_labels: Literal["error", "not_support"] = "error",
    passages: str | None = None,
    exclude: _Exclude = (),
    classes: Classes | None = None,
    weights: Weights | None = None,
    threads: int | None = None,
) -> Comparison:
    """Compare runs: means with intervals, paired differences, effect sizes, corrected p-values."""

@overload
def compare(
    qrels_or_table: Input,
    runs: Input = (),
    measures: object = (),
    options: Options | None = None,
    *,
    baselines: str | Sequence[str] = (),
    tests: _TestsWord | Sequence[_TestsWord] = ("moderated",),
    correction: _CorrectionWord = "holm",
    alpha: float = 0.05,
    tail: Literal["two-sided", "greater", "less"] = "two-sided",
    ci: _CiWord = "t",
    resamples: int | None = None,
    seed: int = 0,
    min_diff: float = 0.0,
    zeros: Literal["pratt", "wilcox", "zsplit"] = "pratt",
    margin: float | None = None,
    difference: float | None = None,
    better_by: float | None = None,
    risk: Sequence[float] = (),
    risk_sd: Literal["n-1", "n"] = "n-1",
    predicted_target: Literal["population", "topics"] = "population",
    names: Literal["file", "tag"] = "file",
    nan: Literal["error", "drop-topic"] = "error",
    bounds: _Bounds = (),
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    predicted: Input,
    model_weight: float | None = None,
    predicted_level: float | None = None,
    predicted_map_grades: _GradeMap = (),
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
    duplicates: _DuplicatesWord = "error",
    duplicates_qrels: _DuplicatesQrelsWord = "error",
    unknown_labels: Literal["error", "not_support"] = "error",
    passages: str | None = None,
    exclude: _Exclude = (),
    classes: Classes | None = None,
    weights: Weights | None = None,
    threads: int | None = None,
) -> PredictedComparison:
    """Compare runs: means with intervals, paired differences, effect sizes, corrected p-values."""

def describe_measure(
    name: str,
    options: MeasureListOptions | None = None,
    *,
    plugins: str | Sequence[str] = (),
) -> MeasurePage:
    """Describe one measure: formula, edge cases, source, names in other programs, references."""

def document_estimates(
    table: ScoreTable | Scores,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """The means of runs that were estimated from a sample of documents and a model's judgments."""

@overload
def evaluate(
    qrels: Input,
    run: SeveralRuns,
    measures: object = (),
    options: Options | None = None,
    *,
    sign: bool = False,
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    predicted: str | os.PathLike[str] | Any | None = None,
    model_weight: float | None = None,
    predicted_level: float | None = None,
    predicted_map_grades: _GradeMap = (),
    level: float = 1,
    collection_size: int = 0,
    max_retrieved: int | None = None,
    judged_only: bool = False,
    topics: _Topics = "both",
    no_relevant: Literal["zero", "skip", "answer"] = "zero",
    only_topic: bytes | str | None = None,
    compat: Literal["trec10", "trec9"] = "trec10",
    real_grades: bool = False,
    decimal_comma: bool = False,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    grade_map: _GradeMap = (),
    intents: str | os.PathLike[str] | None = None,
    pool: str | Pool | None = None,
    ties: _Ties = None,
    tie_range: bool = False,
    seed: int = 0,
    residuals: bool = False,
    judged_shares: bool = False,
    defaults: _Defaults = (),
    duplicates: _DuplicatesWord = "error",
    duplicates_qrels: _DuplicatesQrelsWord = "error",
    unknown_labels: Literal["error", "not_support"] = "error",
    passages: str | None = None,
    exclude: _Exclude = (),
    classes: Classes | None = None,
    weights: Weights | None = None,
    threads: int | None = None,
) -> ScoreTable:
    """Evaluate a run, or several, against judgments."""

@overload
def evaluate(
    qrels: Input,
    run: Input,
    measures: object = (),
    options: Options | None = None,
    *,
    sign: bool = False,
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    predicted: str | os.PathLike[str] | Any | None = None,
    model_weight: float | None = None,
    predicted_level: float | None = None,
    predicted_map_grades: _GradeMap = (),
    level: float = 1,
    collection_size: int = 0,
    max_retrieved: int | None = None,
    judged_only: bool = False,
    topics: _Topics = "both",
    no_relevant: Literal["zero", "skip", "answer"] = "zero",
    only_topic: bytes | str | None = None,
    compat: Literal["trec10", "trec9"] = "trec10",
    real_grades: bool = False,
    decimal_comma: bool = False,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    grade_map: _GradeMap = (),
    intents: str | os.PathLike[str] | None = None,
    pool: str | Pool | None = None,
    ties: _Ties = None,
    tie_range: bool = False,
    seed: int = 0,
    residuals: bool = False,
    judged_shares: bool = False,
    defaults: _Defaults = (),
    duplicates: _DuplicatesWord = "error",
    duplicates_qrels: _DuplicatesQrelsWord = "error",
    unknown_labels: Literal["error", "not_support"] = "error",
    passages: str | None = None,
    exclude: _Exclude = (),
    classes: Classes | None = None,
    weights: Weights | None = None,
    threads: int | None = None,
) -> Scores:
    """Evaluate a run, or several, against judgments."""

@overload
def evaluate_arrays(
    y_true: Any,
    y_score: Mapping[str, Any],
    measures: object = (),
    options: Options | None = None,
    *,
    groups: Any = None,
    mask: Any = None,
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    predicted: str | os.PathLike[str] | Any | None = None,
    model_weight: float | None = None,
    predicted_level: float | None = None,
    predicted_map_grades: _GradeMap = (),
    level: float = 1,
    collection_size: int = 0,
    max_retrieved: int | None = None,
    judged_only: bool = False,
    topics: _Topics = "both",
    no_relevant: Literal["zero", "skip", "answer"] = "zero",
    only_topic: bytes | str | None = None,
    compat: Literal["trec10", "trec9"] = "trec10",
    real_grades: bool = False,
    decimal_comma: bool = False,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    grade_map: _GradeMap = (),
    intents: str | os.PathLike[str] | None = None,
    pool: str | Pool | None = None,
    ties: _Ties = None,
    tie_range: bool = False,
    seed: int = 0,
    residuals: bool = False,
    judged_shares: bool = False,
    defaults: _Defaults = (),
    duplicates: _DuplicatesWord = "error",
    duplicates_qrels: _DuplicatesQrelsWord = "error",
    unknown_labels: Literal["error", "not_support"] = "error",
    passages: str | None = None,
    exclude: _Exclude = (),
    classes: Classes | None = None,
    weights: Weights | None = None,
    threads: int | None = None,
) -> ScoreTable:
    """Evaluate arrays of grades and scores, as scikit-learn's functions of ranking take them."""

@overload
def evaluate_arrays(
    y_true: Any,
    y_score: Any,
    measures: object = (),
    options: Options | None = None,
    *,
    groups: Any = None,
    mask: Any = None,
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    predicted: str | os.PathLike[str] | Any | None = None,
    model_weight: float | None = None,
    predicted_level: float | None = None,
    predicted_map_grades: _GradeMap = (),
    level: float = 1,
    collection_size: int = 0,
    max_retrieved: int | None = None,
    judged_only: bool = False,
    topics: _Topics = "both",
    no_relevant: Literal["zero", "skip", "answer"] = "zero",
    only_topic: bytes | str | None = None,
    compat: Literal["trec10", "trec9"] = "trec10",
    real_grades: bool = False,
    decimal_comma: bool = False,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    grade_map: _GradeMap = (),
    intents: str | os.PathLike[str] | None = None,
    pool: str | Pool | None = None,
    ties: _Ties = None,
    tie_range: bool = False,
    seed: int = 0,
    residuals: bool = False,
    judged_shares: bool = False,
    defaults: _Defaults = (),
    duplicates: _DuplicatesWord = "error",
    duplicates_qrels: _DuplicatesQrelsWord = "error",
    unknown_labels: Literal["error", "not_support"] = "error",
    passages: str | None = None,
    exclude: _Exclude = (),
    classes: Classes | None = None,
    weights: Weights | None = None,
    threads: int | None = None,
) -> Scores:
    """Evaluate arrays of grades and scores, as scikit-learn's functions of ranking take them."""

def evaluate_samples(
    qrels: Input,
    runs: Input,
    measures: object = (),
    options: Options | None = None,
    *,
    samples: str | Sequence[str] = (),
    repeat: int = 10,
    per_topic: bool = False,
    sign: bool = False,
    keep_going: bool = False,
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    level: float = 1,
    collection_size: int = 0,
    max_retrieved: int | None = None,
    judged_only: bool = False,
    topics: _Topics = "both",
    no_relevant: Literal["zero", "skip", "answer"] = "zero",
    only_topic: bytes | str | None = None,
    compat: Literal["trec10", "trec9"] = "trec10",
    real_grades: bool = False,
    decimal_comma: bool = False,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    grade_map: _GradeMap = (),
    intents: str | os.PathLike[str] | None = None,
    pool: str | Pool | None = None,
    ties: _Ties = None,
    tie_range: bool = False,
    seed: int = 0,
    residuals: bool = False,
    judged_shares: bool = False,
    defaults: _Defaults = (),
    duplicates: _DuplicatesWord = "error",
    duplicates_qrels: _DuplicatesQrelsWord = "error",
    unknown_labels: Literal["error", "not_support"] = "error",
    passages: str | None = None,
    exclude: _Exclude = (),
    classes: Classes | None = None,
    weights: Weights | None = None,
    threads: int | None = None,
) -> SampledEvaluation:
    """Evaluate runs under random samples of complete judgments, and under all: `--sample`."""

def explain(
    qrels: Input,
    run: Input,
    measures: object = ("map",),
    options: Options | None = None,
    *,
    topic: str | bytes | int | None = None,
    every_rank: bool = False,
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    level: float = 1,
    collection_size: int = 0,
    max_retrieved: int | None = None,
    judged_only: bool = False,
    compat: Literal["trec10", "trec9"] = "trec10",
    real_grades: bool = False,
    decimal_comma: bool = False,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    grade_map: _GradeMap = (),
    intents: str | os.PathLike[str] | None = None,
    ties: _Ties = None,
    defaults: _Defaults = (),
    duplicates_qrels: _DuplicatesQrelsWord = "error",
    unknown_labels: Literal["error", "not_support"] = "error",
    passages: str | None = None,
    exclude: _Exclude = (),
) -> Explanation:
    """Show how the score of one topic is computed, rank by rank: `irev explain`."""

def gate(
    qrels_or_table: Input,
    runs: Input = (),
    measures: object = (),
    options: Options | None = None,
    *,
    min: Mapping[str, float] = {},
    max: Mapping[str, float] = {},
    baseline: Any = None,
    max_missing: int | None = None,
    tolerance: float = 0.01,
    alpha: float | None = None,
    undecided: Literal["fail", "pass"] = "fail",
    topic_min: Mapping[str, float] = {},
    topic_tolerance: float | None = None,
    golden_topics: str | os.PathLike[str] | Sequence[bytes | str] | None = None,
    correction: _CorrectionWord2 = "none",
    without_limits: bool = False,
    nan: Literal["error", "drop-topic"] = "error",
    bounds: _Bounds = (),
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    predicted: str | os.PathLike[str] | Any | None = None,
    model_weight: float | None = None,
    predicted_level: float | None = None,
    predicted_map_grades: _GradeMap = (),
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
    duplicates: _DuplicatesWord = "error",
    duplicates_qrels: _DuplicatesQrelsWord = "error",
    unknown_labels: Literal["error", "not_support"] = "error",
    passages: str | None = None,
    exclude: _Exclude = (),
    classes: Classes | None = None,
    weights: Weights | None = None,
    threads: int | None = None,
) -> GateReport:
    """Let a run pass or fail, by limits on its means and by a baseline."""

def leaderboard(
    qrels_or_table: Input,
    runs: Input = (),
    measures: object = (),
    options: Options | None = None,
    *,
    by: str | None = None,
    test: _TestWord = "moderated",
    correction: Literal["bonferroni", "holm", "maxt"] = "holm",
    ci: _CiWord2 = "t",
    alpha: float = 0.05,
    resamples: int = 10000,
    seed: int = 0,
    teams: _Teams = None,
    best_per_team: bool = False,
    follow_links: bool = False,
    max_runs: int | None = None,
    public: str | os.PathLike[str] | float | None = None,
    accept_scores: bool = False,
    update: str | os.PathLike[str] | None = None,
    only: Literal["public", "private"] | None = None,
    title: str = "",
    documents: bool = False,
    judged_on_page: bool = True,
    nan: Literal["error", "drop-topic"] = "error",
    bounds: _Bounds = (),
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    predicted: str | os.PathLike[str] | Any | None = None,
    model_weight: float | None = None,
    predicted_level: float | None = None,
    predicted_map_grades: _GradeMap = (),
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
    duplicates: _DuplicatesWord = "error",
    duplicates_qrels: _DuplicatesQrelsWord = "error",
    unknown_labels: Literal["error", "not_support"] = "error",
    passages: str | None = None,
    exclude: _Exclude = (),
    classes: Classes | None = None,
    weights: Weights | None = None,
    threads: int | None = None,
    max_size: int = 2147483648,
    max_memory: int = 4294967296,
    max_seconds: float = 300.0,
) -> Board:
    """Score many runs and put them in order, with what the tests say of their places."""

def leaderboard_of_collections(
    collections: str | os.PathLike[str] | Mapping[str, Any],
    runs: Any = (),
    measures: object = (),
    options: Options | None = None,
    *,
    by: str | None = None,
    test: _TestWord = "moderated",
    correction: Literal["bonferroni", "holm", "maxt"] = "holm",
    ci: _CiWord2 = "t",
    alpha: float = 0.05,
    resamples: int = 10000,
    seed: int = 0,
    teams: _Teams = None,
    best_per_team: bool = False,
    follow_links: bool = False,
    max_runs: int | None = None,
    public: str | os.PathLike[str] | float | None = None,
    accept_scores: bool = False,
    update: str | os.PathLike[str] | None = None,
    only: Literal["public", "private"] | None = None,
    title: str = "",
    documents: bool = False,
    judged_on_page: bool = True,
    nan: Literal["error", "drop-topic"] = "error",
    bounds: _Bounds = (),
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    predicted: str | os.PathLike[str] | Any | None = None,
    model_weight: float | None = None,
    predicted_level: float | None = None,
    predicted_map_grades: _GradeMap = (),
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
    duplicates: _DuplicatesWord = "error",
    duplicates_qrels: _DuplicatesQrelsWord = "error",
    unknown_labels: Literal["error", "not_support"] = "error",
    passages: str | None = None,
    exclude: _Exclude = (),
    classes: Classes | None = None,
    weights: Weights | None = None,
    threads: int | None = None,
    max_size: int = 2147483648,
    max_memory: int = 4294967296,
    max_seconds: float = 300.0,
) -> CollectionsBoard:
    """Score runs on several collections, and put them in the order of their means over these."""

def leaderboards(
    tracks: Mapping[str, Mapping[str, Any]],
    options: Options | None = None,
    *,
    by: str | None = None,
    test: _TestWord = "moderated",
    correction: Literal["bonferroni", "holm", "maxt"] = "holm",
    ci: _CiWord2 = "t",
    alpha: float = 0.05,
    resamples: int = 10000,
    seed: int = 0,
    teams: _Teams = None,
    best_per_team: bool = False,
    follow_links: bool = False,
    max_runs: int | None = None,
    public: str | os.PathLike[str] | float | None = None,
    accept_scores: bool = False,
    update: str | os.PathLike[str] | None = None,
    only: Literal["public", "private"] | None = None,
    title: str = "",
    documents: bool = False,
    judged_on_page: bool = True,
    nan: Literal["error", "drop-topic"] = "error",
    bounds: _Bounds = (),
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    predicted: str | os.PathLike[str] | Any | None = None,
    model_weight: float | None = None,
    predicted_level: float | None = None,
    predicted_map_grades: _GradeMap = (),
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
    duplicates: _DuplicatesWord = "error",
    duplicates_qrels: _DuplicatesQrelsWord = "error",
    unknown_labels: Literal["error", "not_support"] = "error",
    passages: str | None = None,
    exclude: _Exclude = (),
    classes: Classes | None = None,
    weights: Weights | None = None,
    threads: int | None = None,
    max_size: int = 2147483648,
    max_memory: int = 4294967296,
    max_seconds: float = 300.0,
) -> Boards:
    """Make the boards of several tracks, as `irev.leaderboard` makes one."""

def leave_one_out(
    qrels: Any,
    runs: Any,
    measures: object = ("map",),
    options: Options | None = None,
    *,
    groups: Mapping[str, str] | str | os.PathLike[str] | None = None,
    depth: int | None = None,
    ties: _Ties2 = None,
    level: float = 1,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    passages: str | None = None,
    exclude: _Exclude = (),
) -> LeaveOneOutResult:
    """Score each run as if it, or its group, had not contributed to a pool."""

def list_measures(
    words: str | Sequence[str] = "",
    options: MeasureListOptions | None = None,
    *,
    plugins: str | Sequence[str] = (),
) -> MeasureList:
    """List and search measures: `irev measures`."""

@overload
def measure(
    name: Function,
    /,
) -> Function:
    """Make the decorated function a measure: `(judged, cutoffs, *, option=...)` -> float64."""

@overload
def measure(
    name: str | None = None,
    *,
    title: str = "",
    options: Mapping[str, Option] | None = None,
    cutoff: str = "none",
    **facts: Any,
) -> Callable[[Function], Function]:
    """Make the decorated function a measure: `(judged, cutoffs, *, option=...)` -> float64."""

def pool(
    runs: Any,
    options: Options | None = None,
    *,
    sample: float | str = 1.0,
    seed: int = 0,
    replicate: int = 0,
    depth: int | None = None,
    ties: _Ties2 = None,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    passages: str | None = None,
    exclude: _Exclude = (),
) -> PoolResult:
    """Make the list of documents to judge of the first documents of each run."""

def pool_qrels(
    judgments: Any,
    design: Any,
    options: Options | None = None,
    *,
    real_grades: bool = False,
    decimal_comma: bool = False,
    grade_map: _GradeMap = (),
) -> SampleResult:
    """Make qrels of the judgments of a pool."""

def report(
    qrels_or_table: Input,
    runs: Input = (),
    measures: object = (),
    options: Options | None = None,
    *,
    title: str = "",
    baselines: str | Sequence[str] = (),
    tests: _TestsWord | Sequence[_TestsWord] = ("moderated",),
    correction: _CorrectionWord = "holm",
    alpha: float = 0.05,
    tail: Literal["two-sided", "greater", "less"] = "two-sided",
    ci: _CiWord = "t",
    resamples: int | None = None,
    seed: int = 0,
    min_diff: float = 0.0,
    zeros: Literal["pratt", "wilcox", "zsplit"] = "pratt",
    difference: float | None = None,
    names: Literal["file", "tag"] = "file",
    nan: Literal["error", "drop-topic"] = "error",
    bounds: _Bounds = (),
    qrels_format: _QrelsFormatWord = "qrels",
    plugins: str | Sequence[str] = (),
    predicted: str | os.PathLike[str] | Any | None = None,
    model_weight: float | None = None,
    predicted_level: float | None = None,
    predicted_map_grades: _GradeMap = (),
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
    duplicates: _DuplicatesWord = "error",
    duplicates_qrels: _DuplicatesQrelsWord = "error",
    unknown_labels: Literal["error", "not_support"] = "error",
    passages: str | None = None,
    exclude: _Exclude = (),
    classes: Classes | None = None,
    weights: Weights | None = None,
    threads: int | None = None,
) -> Report:
    """Make a report on runs: one HTML page that loads nothing, as `irev report` does."""

def sample(
    qrels: Any,
    runs: Any = (),
    options: Options | None = None,
    *,
    rate: Any = None,
    by: Literal["uniform", "strata", "buckley-voorhees", "budget", "collection", "documents"] | None
        = None,
    budget: int | Mapping[str, int] | str | os.PathLike[str] | None = None,
    width: float | None = None,
    measure: str = "P@10",
    model_error: float = 1.0,
    seed: int = 0,
    replicate: int = 0,
    level: float = 1,
    repeat: int = 1,
    real_grades: bool = False,
    run_format: _RunFormatWord = "trec_results",
    columns: _Columns = (),
    grade_map: _GradeMap = (),
    passages: str | None = None,
    exclude: _Exclude = (),
) -> SampleResult:
    """Keep the grades of a random sample of judgments."""

@overload
def topic_measure(
    name: Function,
    /,
) -> Function:
    """Make the decorated function of one topic a measure: `(grades, ideal, *, option=...)`."""

@overload
def topic_measure(
    name: str | None = None,
    *,
    title: str = "",
    options: Mapping[str, Option] | None = None,
    cutoff: str = "optional",
    **facts: Any,
) -> Callable[[Function], Function]:
    """Make the decorated function of one topic a measure: `(grades, ideal, *, option=...)`."""

from irev.scores.scores import Account as Account
#     .missing: tuple[bytes, ...]
#     .unjudged: tuple[bytes, ...]
#     .without_relevant: tuple[bytes, ...]
#     .rightly_empty: tuple[bytes, ...] | None
#     .skipped: tuple[bytes, ...]
#     .repeats: tuple[tuple[bytes, int], ...]
#     .num_excluded: int
#     .duplicates: int
#     .subset(topics: frozenset[bytes]) -> Account

from irev.core.judged import Column as Column
#     .name: str
#     .measure: str
#     .kind: str
#     .average: str
#     .per_topic: bool
#     .canonical: str
#     .bounds: tuple[float, float] | None
#     .asked_index: int

from irev.jobs.compare.comparison import Comparison as Comparison
#     .table: ScoreTable
#     .options: CompareOptions
#     .contrasts: tuple[Contrast, ...]
#     .decisions: tuple[DecisionColumns, ...]
#     .missing: tuple[str, ...]
#     .num_hypotheses: int
#     .num_resamples: dict[str, int]
#     .signature: ComparisonSignature
#     .pair_verdicts: Sequence[Sequence[PairVerdict]]
#     .mean_rows() -> Iterator[Row]
#     .pair_rows() -> Iterator[Row]
#     .tested_pair_rows() -> Iterator[Row]
#     .topic_difference_rows() -> Iterator[Row]
#     .anova_rows() -> Iterator[Row]
#     .anova: pd.DataFrame
#     .plot(name: str = "forest", measures: object = (), *, width: Literal["column", "page",
#         "slide"] = "page", **options: Any) -> Figure

from irev.engine.evaluate import Evaluator as Evaluator
#     .evaluate(run: SeveralRuns) -> ScoreTable
#     .evaluate(run: Input) -> Scores
#     .evaluate(run: Input) -> Scores | ScoreTable
#     .table(runs: Mapping[str, Input]) -> ScoreTable
#     .evaluate_many(runs: Sequence[Input]) -> Iterator[tuple[Input, Scores | IrevError]]

from irev.errors import InputError as InputError
#     .path: str
#     .line: int | None

from irev.errors import IrevError as IrevError

from irev.errors import IrevWarning as IrevWarning

from irev.core.judged import Judged as Judged
#     .topic: Ints
#     .rank: Ints
#     .grade: Floats
#     .num_ret: Ints
#     .level_start: Ints
#     .level_grade: Floats
#     .level_count: Ints
#     .settings: Settings
#     .pooled_counts: Ints | None
#     .extras: RankingExtras
#     .list_memos: dict[Settings, tuple[Floats, dict[Any, Any]]]
#     .ties: TieSpans | None
#     .scores: RunScores | None
#     .num_topics: int
#     .num_pooled_unjudged: TopicCounts
#     .level_topic: TopicOfRow
#     .row_start: RowStarts
#     .is_judged: RowMask
#     .is_relevant: RowMask
#     .relevant_rows: RowIndices
#     .relevant_topic: TopicOfRow
#     .relevant_rank: DocumentRanks
#     .relevant_start: RowStarts
#     .relevant_nth: Ints
#     .num_rel_ret: TopicCounts
#     .num_rel: TopicCounts
#     .num_nonrel: TopicCounts
#     .judged_rows: RowIndices | slice
#     .judged_topic: TopicOfRow
#     .judged_rank: DocumentRanks
#     .judged_start: RowStarts
#     .num_judged_ret: TopicCounts
#     .memo_of_lists: dict[Any, Any]
#     .relevant_index: RankCounter
#     .judged_index: RankCounter
#     .at_level(level: float | None, *, condensed: bool) -> Judged
#     .condense() -> Judged
#     .include_unjudged() -> Judged

from irev.errors import MeasureError as MeasureError

from irev.errors import MismatchError as MismatchError

from irev.errors import MissingExtraError as MissingExtraError

from irev.errors import Notice as Notice
#     .kind: str
#     .message: str
#     .hint: str
#     .run: str
#     .about(run: str) -> Notice
#     .is_note: bool

from irev.measures.registry import Option as Option
#     .meaning: str
#     .default: Any
#     .kind: str
#     .choices: tuple[str, ...]
#     .low: float
#     .high: float
#     .above_low: bool
#     .below_high: bool
#     .words: Mapping[str, float]
#     .shown: bool
#     .implies: tuple[str, Any] | None
#     .unbounded: str

from irev.options import Options as Options
#     .level: float
#     .collection_size: int
#     .max_retrieved: int | None
#     .judged_only: bool
#     .topics: Literal["both", "qrels", "run"] | os.PathLike[str] | Sequence[bytes | str]
#     .no_relevant: Literal["zero", "skip", "answer"]
#     .only_topic: bytes | str | None
#     .compat: Literal["trec10", "trec9"]
#     .real_grades: bool
#     .decimal_comma: bool
#     .run_format: Literal["trec_results", "msmarco", "scores"]
#     .columns: Mapping[str, str] | Sequence[tuple[str, str]]
#     .grade_map: Sequence[tuple[float | str, float]]
#     .intents: str | os.PathLike[str] | None
#     .pool: str | Pool | None
#     .ties: Literal["docid-desc", "docid-asc", "input", "rank", "optimistic", "pessimistic",
#         "average"] | None
#     .tie_range: bool
#     .seed: int
#     .residuals: bool
#     .judged_shares: bool
#     .defaults: Sequence[tuple[str, Any]]
#     .duplicates: Literal["error", "first", "last", "best"]
#     .duplicates_qrels: Literal["error", "first", "last", "max", "min"]
#     .unknown_labels: Literal["error", "not_support"]
#     .passages: str | None
#     .exclude: Sequence[str | os.PathLike[str] | Mapping[Any, Any]]
#     .classes: Classes | None
#     .weights: Weights | None
#     .threads: int | None
#     .version: int
#     .reads_fractions: bool
#     .settings: Settings
#     .ranking_rule(qrels_format: str) -> RankingRule
#     .listed_topics: Sequence[bytes | str] | None
#     .read_topic_list() -> Self
#     .own_columns: ColumnNames
#     .qrels_columns: ColumnNames
#     .spare_defaults: tuple[str, ...]
#     .several_orders: bool
#     .ties_by_grade: bool

from irev.jobs.compare.predicted import PredictedComparison as PredictedComparison
#     .table: ScoreTable
#     .model_table: ScoreTable
#     .options: CompareOptions
#     .estimates: tuple[Estimates, ...]
#     .judged_shares: tuple[float | None, float | None]
#     .num_hypotheses: int
#     .distance: float
#     .signature: ComparisonSignature
#     .pair_verdicts: Sequence[Sequence[PairVerdict]]
#     .mean_rows() -> Iterator[Row]
#     .pair_rows() -> Iterator[Row]
#     .topic_difference_rows() -> Iterator[Row]

from irev.errors import Problem as Problem
#     .path: str
#     .line: int | None
#     .kind: str
#     .message: str
#     .hint: str
#     .topic: bytes | None
#     .document: bytes | None

from irev.jobs.report import Report as Report
#     .options: ReportOptions
#     .qrels_name: str
#     .table: ScoreTable
#     .comparison: Comparison | None
#     .facts: PrecisionAndRelevant | None
#     .first_documents: tuple[RunFirstDocuments, ...] | None
#     .doubts: tuple[Notice, ...]
#     .notes: tuple[str, ...]
#     .html: str
#     .page(decimals: int = 3) -> bytes
#     .save(path: str | os.PathLike[str], decimals: int = 3) -> None
#     .text(form: str = "text", decimals: int = 4, width: int | None = 80, *, details: bool = False)
#         -> str
#     .to_frame() -> pd.DataFrame

from irev.jobs.result import Result as Result
#     .warnings: tuple[Notice, ...]
#     .errors: tuple[IrevError, ...]
#     .exit_code: int
#     .strict_exit_code: int
#     .passed: bool
#     .document: Document
#     .document_with(decimals: int) -> Document
#     .figures: Mapping[str, DrawFigure]
#     .plot(name: str = "", *, width: Literal["column", "page", "slide"] = "page") -> Figure
#     .to_frame() -> pd.DataFrame
#     .to_dict() -> Any

from irev.scores.table import ScoreTable as ScoreTable
#     .topics: tuple[bytes, ...]
#     .runs: tuple[RunInfo, ...]
#     .columns: tuple[Column, ...]
#     .values: MeasuresByTopicsByRuns
#     .weights: Floats | None
#     .classes: Mapping[str, Bools] | None
#     .topic_policy: Literal["judged", "common", "own"]
#     .evaluated: Mapping[str, Scores] | None
#     .broken: tuple[tuple[str, IrevError], ...]
#     .warnings: tuple[Notice, ...]
#     .requested: tuple[str, ...]
#     .share_judged: float | None
#     .run_names: tuple[str, ...]
#     .measure_names: tuple[str, ...]
#     .is_estimated: bool
#     .counts_missing_as_zero: bool
#     .left_out: tuple[bytes, ...]
#     .common_topics_text: str
#     .topics_text: str
#     .notes: tuple[str, ...]
#     .doubts: tuple[Notice, ...]
#     .missing_topic_warnings: tuple[Notice, ...]
#     .warn_of_missing_topics() -> ScoreTable
#     .keys() -> tuple[str, ...]
#     .items() -> Iterator[tuple[str, Scores]]
#     .run(name: str) -> Scores
#     .by_run(measure: str) -> dict[str, float]
#     .summary() -> dict[str, dict[str, float]]
#     .per_topic() -> dict[str, dict[str, dict[str, float]]]
#     .to_dict(*, flat: bool = False) -> dict[str, Any]
#     .to_frame(*, long: bool = True) -> pd.DataFrame
#     .column(measure: str = "") -> Column
#     .scores(measure: str) -> TopicsByRuns
#     .weighted_score_matrix(measure: str) -> TopicsByRuns
#     .linearised_score_matrix(measure: str) -> TopicsByRuns
#     .df: float | None
#     .means(measure: str) -> RunValues
#     .merit(measure: str) -> RunValues
#     .run_index(run: str) -> int
#     .select_topics(topic_mask: TopicMask) -> ScoreTable
#     .select_runs(run_indices: Collection[int]) -> ScoreTable
#     .in_given_order() -> ScoreTable
#     .select_measures(columns: Sequence[Column]) -> ScoreTable
#     .select_class(name: str) -> ScoreTable

from irev.scores.scores import Scores as Scores
#     .run_id: bytes
#     .topics: tuple[bytes, ...]
#     .columns: tuple[Column, ...]
#     .values: Floats
#     .texts: dict[int, list[bytes]]
#     .divisor: int
#     .totals: dict[str, float]
#     .account: Account
#     .basis: SummaryBasis | None
#     .ties: TieAccount | None
#     .signature: Signature | None
#     .topic_class: str | None
#     .notices: tuple[Notice, ...]
#     .name: str
#     .estimates: RunEstimates | None
#     .first_documents: RunFirstDocuments | None
#     .evaluation: Evaluation | None
#     .run_name: str
#     .keys() -> list[str]
#     .by_topic(measure: str) -> dict[str, float]
#     .text_by_topic(measure: str) -> dict[str, str]
#     .left_out: tuple[bytes, ...]
#     .weights: TopicValues | None
#     .summary_label: str
#     .class_scores(name: str) -> Scores
#     .summarised_scores() -> Iterator[Scores]
#     .summary_of(column: int) -> float | bytes | None
#     .summaries() -> Iterator[tuple[Column, float | bytes]]
#     .summary() -> dict[str, float]
#     .per_topic() -> dict[str, dict[str, float]]
#     .to_dict(*, flat: bool = False) -> dict[str, Any]
#     .to_frame(*, long: bool = True) -> pd.DataFrame

from irev.errors import StrictError as StrictError

from irev.errors import UsageError as UsageError
