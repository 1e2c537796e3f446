"""Runs that lie in a cluster: `evaluate(run, qrels, measures)` for Spark DataFrames.

`batches` makes whole topics of what a worker is given, `passes` are what is sent to the workers,
which count the rows that beat each judged document, `ranks` makes rankings of what comes back,
`cluster` is Spark, and `evaluation` the way from a run to its scores. Only `cluster` and
`evaluation` know Spark. The room imports what `engine` imports, and `engine`; of the rest of irev
the commands alone import it, where Spark is asked for.
"""

from irev.spark.evaluation import evaluate, evaluate_many, per_topic

__all__ = ["evaluate", "evaluate_many", "per_topic"]
