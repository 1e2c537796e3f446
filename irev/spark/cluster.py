"""Spark at work: a session, what is sent to its workers, and the files that it reads."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from irev.errors import InputError, IrevError, MissingExtraError, Problem
from irev.read.columns import NAMES, plain_name
from irev.spark.batches import LINE, RUN
from irev.spark.passes import FOUND, SPREAD, Shared

if TYPE_CHECKING:
    import pyarrow as pa

    from irev.spark.ranks import Pass

SparkFrame: TypeAlias = Any
"""A DataFrame of Spark."""

RUN_COLUMNS = NAMES["run"]
"""The usual names of a column that says which run a row is of."""

_KINDS = {"binary": "binary", "int64": "long", "double": "double"}
"""Arrow's names of types -> Spark's."""


def session() -> Any:
    """The session there is, or one made as the surroundings say, on this machine if they do not.

    Raises:
        MissingExtraError: PySpark is not installed.
        IrevError: there is no Java.
    """
    with _ignore_pandas_warning():
        try:
            from pyspark.sql import SparkSession
        except ImportError:
            raise MissingExtraError("pyspark", "spark") from None
        return SparkSession.getActiveSession() or new_session(SparkSession.builder)


def new_session(builder: Any) -> Any:
    """A session that a builder of Spark makes.

    Raises:
        IrevError: there is no Java.
    """
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=os.path.join(home, "bin") if home else None) is None:
        where = f"in JAVA_HOME ({home})" if home else "on the PATH"
        raise IrevError(
            f"Spark needs Java 17 or newer, and there is none {where}: install one "
            "(Debian: apt-get install default-jre-headless) or set JAVA_HOME"
        )
    # workers on this machine take the first python3 otherwise
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        # the workers would say that their pandas is new to PySpark; no frame of it is made
        "spark.executorEnv.PYTHONWARNINGS": "ignore::FutureWarning",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
        # a folder topic=001 is of the topic 001, not 1
        "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.appName("irev").getOrCreate()


class SparkCluster:
    """The rows of a Spark DataFrame."""

    def __init__(self, frame: SparkFrame) -> None:
        """Its columns are those that the reader of the batches wants."""
        self._frame = frame

    def share(self, value: Any) -> Shared:
        """Broadcast a value."""
        shared: Shared = self._frame.sparkSession.sparkContext.broadcast(value)
        return shared

    def sum_by_keys(
        self,
        partition_pass: Pass,
        column_types: dict[str, str],
        keys: tuple[str, ...],
        only_repeats_by_column: str = "",
    ) -> pa.Table:
        """What a pass finds in all partitions, added up by its keys."""
        from pyspark.sql import functions

        with _ignore_pandas_warning():
            sums = self._frame.mapInArrow(
                lambda batches: partition_pass(batches), _schema(column_types)
            )
            numbers = [name for name in column_types if name not in keys]
            total = sums.groupBy(*keys).agg(*(functions.sum(name).alias(name) for name in numbers))
            if only_repeats_by_column:
                *others, last = keys
                least = [functions.min_by(name, last).alias(name) for name in numbers]
                total = total.where(functions.col(only_repeats_by_column) != 1)
                total = total.groupBy(*others).agg(functions.min(last).alias(last), *least)
            table: pa.Table = total.toArrow()
            return table

    def map_topics(
        self,
        read_rows: Pass,
        judgments: pa.Table,
        rank_topic: Callable[[pa.Table, pa.Table], pa.Table],
    ) -> pa.Table:
        """What is found in the rows and the judgments of each topic, which go to one worker."""
        with _ignore_pandas_warning():
            rows = self._frame.mapInArrow(lambda batches: read_rows(batches), _schema(SPREAD))
            judged = self._frame.sparkSession.createDataFrame(judgments)
            together = rows.groupBy("topic").cogroup(judged.groupBy("topic"))
            results: pa.Table = together.applyInArrow(
                lambda rows_of_topic, judgments_of_topic: rank_topic(
                    rows_of_topic, judgments_of_topic
                ),
                _schema(FOUND),
            ).toArrow()
            return results


def _schema(column_types: dict[str, str]) -> str:
    return ", ".join(f"{name} {_KINDS[kind]}" for name, kind in column_types.items())


@contextmanager
def _ignore_pandas_warning() -> Iterator[None]:
    """Without the warning that this pandas is new to PySpark: no frame of pandas is made here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*pandas.*", module="pyspark")
        yield


class SparkRun(NamedTuple):
    """A run, or several in one table, in some store.

    name        what it is called: its path, as it was given
    path        as Spark names it
    kind        "text", "parts", which is a folder of such, or "parquet"
    run_column  the column that says which run a row is of, if there is one
    error       why there is none
    """

    name: str
    path: str
    kind: str
    run_column: str | None = None
    error: IrevError | None = None


def runs_at(paths: Sequence[str]) -> list[SparkRun]:
    """The runs at paths or URIs: files, folders of one run's parts, or folders of runs.

    A folder with Parquet files is one table. One with text is one run if all its files are called
    `part-...`, as Spark writes them; else each file is a run.
    """
    spark = session()
    runs: list[SparkRun] = []
    for path in paths:
        try:
            runs += _runs_at(spark, path)
        except InputError as error:
            runs.append(SparkRun(path, path, "", error=error))
    return runs


def _runs_at(spark: Any, path: str) -> list[SparkRun]:
    files = _files_at(spark, path)
    if not files:
        raise _no_file_error(path, "it contains no files")
    if any(file_path.endswith(".parquet") for file_path in files):
        run_column = next(
            (n for n in table_at(spark, path).columns if plain_name(n) in RUN_COLUMNS), None
        )
        return [SparkRun(path, path, "parquet", run_column)]
    last = [os.path.basename(file_path) for file_path in files]
    folder = path.rstrip("/")
    if len(files) == 1 and last[0] == os.path.basename(folder):
        return [SparkRun(path, files[0], "text")]
    if all(name.startswith("part-") for name in last):
        return [SparkRun(path, path, "parts")]
    return [
        SparkRun(f"{folder}/{name}", file_path, "text")
        for name, file_path in sorted(zip(last, files, strict=True))
    ]


def _files_at(spark: Any, path: str) -> list[str]:
    """The files at a path, as Spark names them."""
    from pyspark.errors import AnalysisException

    reader = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    try:
        return [row[0] for row in reader.load(_escape_pattern(path)).select("path").collect()]
    except AnalysisException as error:
        reason = str(error).split(". SQLSTATE")[0].splitlines()[0]
        raise _no_file_error(path, f"Spark finds nothing there: {reason}") from None


def _no_file_error(path: str, message: str) -> InputError:
    return InputError([Problem(path, None, "no-file", message)])


def _escape_pattern(path: str) -> str:
    """A path of which Spark takes no character for a pattern."""
    return "".join(f"\\{c}" if c in "\\*?[]{}" else c for c in path)


def lines_of(spark: Any, paths: list[str]) -> SparkFrame:
    """The lines of text files, as bytes; several files are runs, by their paths.

    Spark decodes nothing here: its text is the file's bytes, whatever they are.
    """
    from pyspark.sql import functions

    read = spark.read.option("lineSep", "\n").text([_escape_pattern(path) for path in paths])
    columns = [functions.col("value").cast("binary").alias(LINE)]
    if len(paths) > 1:
        columns.append(functions.col("_metadata.file_path").alias(RUN))
    return read.select(*columns)


def table_at(spark: Any, path: str) -> SparkFrame:
    """A table of Parquet files."""
    return spark.read.parquet(_escape_pattern(path))


def judgment_table_or_file_contents(spark: Any, path: str) -> pa.Table | list[bytes]:
    """Judgments in some store: a table, or the bytes of the files."""
    files = _files_at(spark, path)
    if any(file_path.endswith(".parquet") for file_path in files):
        table: pa.Table = table_at(spark, path).toArrow()
        return table
    rows = spark.read.format("binaryFile").load(
        [_escape_pattern(file_path) for file_path in sorted(files)]
    )
    return [bytes(row[0]) for row in rows.select("content").collect()]
