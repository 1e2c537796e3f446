"""irev scores rankings against relevance judgments.

`evaluate(qrels, run, measures)` is trec_eval's job in one call; `Evaluator(qrels, measures)` keeps
the judgments for many runs. What is imported here is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irev.comparison.comparison import Comparison, compare
    from irev.errors import (
        InputError,
        IrevError,
        MeasureError,
        MismatchError,
        MissingExtraError,
        Problem,
        StrictError,
        UsageError,
    )
    from irev.evaluation import Evaluator, evaluate
    from irev.measures.plugins import measure, topic_measure
    from irev.measures.registry import Option
    from irev.model import Judged
    from irev.options import Options
    from irev.scores import Account, Column, Scores

_HOME = {
    "Account": "irev.scores",
    "Column": "irev.scores",
    "Comparison": "irev.comparison.comparison",
    "Evaluator": "irev.evaluation",
    "InputError": "irev.errors",
    "IrevError": "irev.errors",
    "Judged": "irev.model",
    "MeasureError": "irev.errors",
    "MismatchError": "irev.errors",
    "MissingExtraError": "irev.errors",
    "Option": "irev.measures.registry",
    "Options": "irev.options",
    "Problem": "irev.errors",
    "Scores": "irev.scores",
    "StrictError": "irev.errors",
    "UsageError": "irev.errors",
    "compare": "irev.comparison.comparison",
    "evaluate": "irev.evaluation",
    "measure": "irev.measures.plugins",
    "topic_measure": "irev.measures.plugins",
}

__all__ = [
    "Account",
    "Column",
    "Comparison",
    "Evaluator",
    "InputError",
    "IrevError",
    "Judged",
    "MeasureError",
    "MismatchError",
    "MissingExtraError",
    "Option",
    "Options",
    "Problem",
    "Scores",
    "StrictError",
    "UsageError",
    "compare",
    "evaluate",
    "measure",
    "topic_measure",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'irev' has no attribute '{name}'")
    from importlib import import_module

    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
