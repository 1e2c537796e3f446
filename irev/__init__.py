"""irev scores rankings against relevance judgments.

`evaluate(qrels, run, measures)` is trec_eval's job in one call; `Evaluator(qrels, measures)` keeps
the judgments for many runs. What is named here is loaded when it is first used. `__init__.pyi`,
which `make docs` writes, has the types: every function with its keywords, every class.
"""

from irev.core import lazy_names

_NAMES = {
    "irev": "plots studies",
    "irev.core.judged": "Column Judged",
    "irev.core": "__version__",
    "irev.engine.evaluate": "Evaluator evaluate",
    "irev.engine.evaluate_arrays": "evaluate_arrays",
    "irev.errors": "InputError IrevError IrevWarning MeasureError MismatchError MissingExtraError "
    "Notice Problem StrictError UsageError",
    "irev.jobs.check.check": "check",
    "irev.jobs.compare.comparison": "Comparison compare",
    "irev.jobs.compare.predicted": "PredictedComparison",
    "irev.writers.scores": "document_estimates",
    "irev.jobs.explain.explain": "explain",
    "irev.jobs.gate.gate": "gate",
    "irev.jobs.measures": "describe_measure list_measures",
    "irev.jobs.pool.leave_one_out": "leave_one_out",
    "irev.jobs.pool.pool": "pool pool_qrels",
    "irev.jobs.report": "Report report",
    "irev.jobs.leaderboard.collections": "leaderboard_of_collections",
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
"""Module -> the public names that it has."""

_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(name for name in _HOMES if not name.startswith("_"))

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
