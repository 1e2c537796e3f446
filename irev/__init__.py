"""irev scores rankings against relevance judgments.

`evaluate(qrels, run, measures)` is trec_eval's job in one call; `Evaluator(qrels, measures)` keeps
the judgments for many runs. What is imported here is loaded when it is first used.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as type checkers read it; `typing` costs milliseconds
if TYPE_CHECKING:
    from typing import Any

    from irev.cli.calling import (
        gate,
        leaderboard,
        plot,
        pool,
        report,
        sample,
        study,
    )
    from irev.core.model import Column, Judged
    from irev.core.version import __version__ as __version__
    from irev.engine.evaluator import Evaluator, evaluate
    from irev.errors import (
        InputError,
        IrevError,
        IrevWarning,
        MeasureError,
        MismatchError,
        MissingExtraError,
        Notice,
        Problem,
        StrictError,
        UsageError,
    )
    from irev.jobs.check.check import check
    from irev.jobs.compare.comparison import Comparison, compare
    from irev.jobs.explain.explain import explain
    from irev.jobs.result import Result
    from irev.measures.plugins import measure, topic_measure
    from irev.measures.registry import Option
    from irev.options import Options
    from irev.scores.scores import Account, Scores
    from irev.scores.table import ScoreTable

_HOME = {
    "Account": "irev.scores.scores",
    "Column": "irev.core.model",
    "Comparison": "irev.jobs.compare.comparison",
    "Evaluator": "irev.engine.evaluator",
    "InputError": "irev.errors",
    "IrevError": "irev.errors",
    "IrevWarning": "irev.errors",
    "Notice": "irev.errors",
    "Judged": "irev.core.model",
    "MeasureError": "irev.errors",
    "MismatchError": "irev.errors",
    "MissingExtraError": "irev.errors",
    "Option": "irev.measures.registry",
    "Options": "irev.options",
    "Problem": "irev.errors",
    "Scores": "irev.scores.scores",
    "ScoreTable": "irev.scores.table",
    "StrictError": "irev.errors",
    "UsageError": "irev.errors",
    "__version__": "irev.core.version",
    "compare": "irev.jobs.compare.comparison",
    "evaluate": "irev.engine.evaluator",
    "measure": "irev.measures.plugins",
    "topic_measure": "irev.measures.plugins",
    "check": "irev.jobs.check.check",
    "explain": "irev.jobs.explain.explain",
    "gate": "irev.cli.keywords",
    "leaderboard": "irev.cli.keywords",
    "plot": "irev.cli.keywords",
    "pool": "irev.cli.keywords",
    "report": "irev.cli.keywords",
    "sample": "irev.cli.keywords",
    "study": "irev.cli.keywords",
    "Result": "irev.jobs.result",
}

__all__ = [
    "Account",
    "Column",
    "Comparison",
    "Evaluator",
    "InputError",
    "IrevError",
    "IrevWarning",
    "Judged",
    "MeasureError",
    "MismatchError",
    "MissingExtraError",
    "Notice",
    "Option",
    "Options",
    "Problem",
    "Result",
    "ScoreTable",
    "Scores",
    "StrictError",
    "UsageError",
    "check",
    "compare",
    "evaluate",
    "explain",
    "gate",
    "leaderboard",
    "measure",
    "plot",
    "pool",
    "report",
    "sample",
    "study",
    "topic_measure",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(
            f"module 'irev' has no attribute '{name}'", name=name, obj=sys.modules[__name__]
        )
    from importlib import import_module

    value = getattr(import_module(_HOME[name]), name)
    if hasattr(value, "describe"):
        value.describe()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
