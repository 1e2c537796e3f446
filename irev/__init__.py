"""irev scores rankings against relevance judgments.

`evaluate(qrels, run, measures)` is trec_eval's job in one call; `Evaluator(qrels, measures)` keeps
the judgments for many runs. What is imported here is loaded when it is first used.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as type checkers read it; `typing` costs milliseconds
if TYPE_CHECKING:
    from typing import Any

    from irev import plots as plots
    from irev import studies as studies
    from irev.core.judged import Column as Column
    from irev.core.judged import Judged as Judged
    from irev.core.version import __version__ as __version__
    from irev.engine.evaluate import Evaluator as Evaluator
    from irev.engine.evaluate import evaluate as evaluate
    from irev.errors import InputError as InputError
    from irev.errors import IrevError as IrevError
    from irev.errors import IrevWarning as IrevWarning
    from irev.errors import MeasureError as MeasureError
    from irev.errors import MismatchError as MismatchError
    from irev.errors import MissingExtraError as MissingExtraError
    from irev.errors import Notice as Notice
    from irev.errors import Problem as Problem
    from irev.errors import StrictError as StrictError
    from irev.errors import UsageError as UsageError
    from irev.jobs.check.check import check as check
    from irev.jobs.compare.comparison import Comparison as Comparison
    from irev.jobs.compare.comparison import compare as compare
    from irev.jobs.compare.predicted import PredictedComparison as PredictedComparison
    from irev.jobs.explain.explain import explain as explain
    from irev.jobs.gate.gate import gate as gate
    from irev.jobs.leaderboard.leaderboard import leaderboard as leaderboard
    from irev.jobs.leaderboard.leaderboard import leaderboards as leaderboards
    from irev.jobs.measures import describe_measure as describe_measure
    from irev.jobs.measures import list_measures as list_measures
    from irev.jobs.pool.leave_one_out import leave_one_out as leave_one_out
    from irev.jobs.pool.pool import pool as pool
    from irev.jobs.pool.pool import pool_qrels as pool_qrels
    from irev.jobs.report import Report as Report
    from irev.jobs.report import report as report
    from irev.jobs.result import Result as Result
    from irev.jobs.sample.evaluation import evaluate_samples as evaluate_samples
    from irev.jobs.sample.sample import sample as sample
    from irev.measures.plugins import measure as measure
    from irev.measures.plugins import topic_measure as topic_measure
    from irev.measures.registry import Option as Option
    from irev.options import Options as Options
    from irev.scores.scores import Account as Account
    from irev.scores.scores import Scores as Scores
    from irev.scores.table import ScoreTable as ScoreTable
    from irev.writers.estimates import document_estimates as document_estimates

_NAMES = {
    "irev.core.judged": "Column Judged",
    "irev.core.version": "__version__",
    "irev.engine.evaluate": "Evaluator evaluate",
    "irev.errors": "InputError IrevError IrevWarning MeasureError MismatchError MissingExtraError "
    "Notice Problem StrictError UsageError",
    "irev.jobs.check.check": "check",
    "irev.jobs.compare.comparison": "Comparison compare",
    "irev.jobs.compare.predicted": "PredictedComparison",
    "irev.writers.estimates": "document_estimates",
    "irev.jobs.explain.explain": "explain",
    "irev.jobs.gate.gate": "gate",
    "irev.jobs.measures": "describe_measure list_measures",
    "irev.jobs.pool.leave_one_out": "leave_one_out",
    "irev.jobs.pool.pool": "pool pool_qrels",
    "irev.jobs.report": "Report report",
    "irev.jobs.leaderboard.leaderboard": "leaderboard leaderboards",
    "irev.jobs.result": "Result",
    "irev.jobs.sample.sample": "sample",
    "irev.jobs.sample.evaluation": "evaluate_samples",
    "irev.measures.plugins": "measure topic_measure",
    "irev.measures.registry": "Option",
    "irev.options": "Options",
    "irev.scores.scores": "Account Scores",
    "irev.scores.table": "ScoreTable",
}
"""Module -> the public names that it has. Type checkers read them above, a line each."""

_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

_NAMESPACES = ("plots", "studies")
"""Modules of public names."""

__all__ = sorted([*_NAMESPACES, *(name for name in _HOMES if not name.startswith("_"))])


def __getattr__(name: str) -> Any:
    if name not in _HOMES and name not in _NAMESPACES:
        raise AttributeError(
            f"module 'irev' has no attribute '{name}'", name=name, obj=sys.modules[__name__]
        )
    from importlib import import_module

    if name in _NAMESPACES:
        return import_module(f"irev.{name}")
    value = getattr(import_module(_HOMES[name]), name)
    if hasattr(value, "describe"):
        value.describe()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
