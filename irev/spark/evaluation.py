"""Runs in a cluster, evaluated by Spark: the judged documents come here, the runs stay there."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from urllib.parse import unquote_to_bytes

import numpy as np

from irev.core.judged import Input
from irev.core.option_records import warn_in_python
from irev.core.output_files import undo_on_signal
from irev.core.text import as_bytes, as_text
from irev.engine.evaluate import RunEvaluator
from irev.engine.map_topics import ExcludedDocuments, own_document_warning
from irev.engine.prepared_judgments import PreparedJudgments
from irev.engine.run_facts import count_judged
from irev.errors import InputError, IrevError, MissingExtraError, Problem, UsageError
from irev.measures.requests import Request, needs_ids
from irev.options import EvaluationOptions, Options, evaluation_options
from irev.rank.ranking import cut_rankings, order_ties_by_grade
from irev.read.columns import NAMES, plain_name
from irev.read.frames import column_names
from irev.read.layout import layout_for
from irev.scores.scores import Scores
from irev.spark.batches import (
    LINE,
    ONLY_RUN,
    RUN,
    LineReader,
    TableReader,
    count_topics_with_equal_best_scores,
    rank_warnings_of_best,
)
from irev.spark.passes import FOUND, SPREAD, Shared
from irev.spark.ranks import RankedRun, ranked_runs

if TYPE_CHECKING:
    import pyarrow as pa

    from irev.spark.ranks import Pass


SparkFrame: TypeAlias = Any
"""A DataFrame of Spark."""

MOST_BROADCAST = 1 << 28
"""Bytes of judgments that every worker may be given, about."""

_BYTES_BESIDE_ID = 40
"""What a judgment takes beside the id of its document: about five numbers, such as its grade."""


def evaluate(
    run: SparkFrame,
    qrels: Any,
    measures: Sequence[str] = (),
    *,
    qrels_format: str = "qrels",
    broadcast: bool | None = None,
    check_duplicates: bool = True,
    **options: Any,
) -> Scores:
    """Evaluate a run in a Spark DataFrame; the numbers are `irev.evaluate`'s, to the last bit.

    Args:
        run: a DataFrame with columns for topic, document and score (for rank, with `ties="rank"`)
            under one of their usual names. The rows may be in any order and any partitions.
        qrels: judgments: a DataFrame, which is brought here, or what `irev.evaluate` takes.
        measures: names as `irev.evaluate` takes them.
        qrels_format: what a qrels file holds, likewise.
        broadcast: whether every worker gets all judgments. False: rows and judgments are brought
            together by topic, which moves the whole run; None: as many as these are.
        check_duplicates: whether a document that occurs twice in a topic is looked for also where
            the topic's rows do not stand together and the document is not judged: the ids of such
            topics then move between the workers.
        **options: the fields of `Options`.

    Raises:
        UsageError: a measure or an option that needs more of a run than its judged documents, or
            the order of its lines.
        InputError: an id or a score is missing, a score is no number, a document stands twice.
        MismatchError: no topic in common.

    Warns:
        IrevWarning: the scores may mislead.
    """
    evaluator = SparkEvaluator(
        qrels,
        measures,
        EvaluationOptions(qrels_format=qrels_format, **options),
        broadcast=broadcast,
        check_duplicates=check_duplicates,
    )
    scores = evaluator.evaluate_silently(run)
    warn_in_python((*evaluator.notices, *scores.notices), EvaluationOptions)
    return scores


def evaluate_many(
    runs: SparkFrame,
    qrels: Any,
    measures: Sequence[str] = (),
    *,
    run_column: str = RUN,
    qrels_format: str = "qrels",
    broadcast: bool | None = None,
    check_duplicates: bool = True,
    **options: Any,
) -> dict[str, Scores]:
    """Evaluate many runs in one DataFrame, in one go; see `evaluate`.

    Args:
        runs: a DataFrame likewise, with a column that says which run a row is of.
        qrels: judgments.
        measures: names.
        run_column: that column.
        qrels_format: what a qrels file holds.
        broadcast: whether every worker gets all judgments.
        check_duplicates: whether duplicates are looked for everywhere.
        **options: the fields of `Options`.

    Returns:
        The scores of each run, by its name, in order.
    """
    evaluator = SparkEvaluator(
        qrels,
        measures,
        EvaluationOptions(qrels_format=qrels_format, **options),
        broadcast=broadcast,
        check_duplicates=check_duplicates,
    )
    scores_by_run = {}
    for name, outcome in evaluator.frame_outcomes(runs, run_column):
        if isinstance(outcome, IrevError):
            raise outcome
        scores_by_run[name] = outcome
    run_notices = (notice for scores in scores_by_run.values() for notice in scores.notices)
    warn_in_python((*evaluator.notices, *run_notices), EvaluationOptions)
    return scores_by_run


def per_topic(spark: Any, scores: dict[str, Scores]) -> SparkFrame:
    """The scores by topic as a DataFrame with the columns run, topic, measure and value.

    `per_topic(spark, scores).write.parquet(path)` keeps them in the store.
    """
    import pyarrow as pa

    tables = []
    for run, run_scores in scores.items():
        topics = pa.array(
            [t.decode("utf-8", "backslashreplace") for t in run_scores.topics], pa.string()
        )
        for column, values in zip(run_scores.columns, run_scores.values.T, strict=True):
            if column.per_topic and column.kind != "text":
                names = (pa.array([name] * len(topics)) for name in (run, column.name))
                row = dict(zip(("run", "measure"), names, strict=True))
                tables.append(pa.table({**row, "topic": topics, "value": pa.array(values)}))
    all_rows = pa.concat_tables(tables)
    return spark.createDataFrame(all_rows.select(["run", "topic", "measure", "value"]))


class SparkEvaluator(RunEvaluator):
    """Judgments and measures, made ready once for runs in a cluster.

    Of `RunEvaluator` it has `options`, `requests` (the measures), `run_layout`, `excluded` (the
    documents to leave out; None: none), `prepared_judgments` and `doubts`, and whether it signs.
    """

    def __init__(
        self,
        qrels: Any,
        measures: Sequence[str] = (),
        options: Options | None = None,
        *,
        sign: bool = False,
        broadcast: bool | None = None,
        check_duplicates: bool = True,
        **fields: Any,
    ) -> None:
        """Resolve the measures' names and read the judgments; see `evaluate`.

        Raises:
            UsageError: a measure or option that makes no sense here.
            InputError: judgments that cannot be read.
        """
        options = evaluation_options(options, fields)
        # lines in a cluster have no order, and each run is by itself
        if isinstance(options, EvaluationOptions) and options.predicted is not None:
            raise UsageError("--predicted is for runs that one machine reads: leave it out")
        if options.ties == "input":
            raise UsageError("--ties input: rows in a cluster have no order of lines")
        if options.passages is not None:
            raise UsageError("--passages: documents in a cluster are ranked as they are")
        if options.duplicates != "error":
            which = options.duplicates
            raise UsageError(f"--duplicates {which}: rows in a cluster have no {which} line")
        super().__init__(qrels, measures, options, sign=sign)
        if broadcast is None:
            judged = self.prepared_judgments.qrels
            num_bytes = int(judged.docs.length.sum()) + _BYTES_BESIDE_ID * len(judged.grade)
            broadcast = num_bytes <= MOST_BROADCAST
        self._broadcast = broadcast
        self._checks_duplicates = check_duplicates

    def evaluate_silently(self, run: SparkFrame) -> Scores:
        """The scores of a run in a DataFrame.

        Raises:
            InputError: it cannot be read as one.
            MismatchError: it has no topic of the judgments.
        """
        _, outcome = next(self.frame_outcomes(run), ("", None))
        if outcome is None:
            raise _empty_run_error("the run", "it has no rows")
        if isinstance(outcome, IrevError):
            raise outcome
        return outcome

    def frame_outcomes(
        self, frame: SparkFrame, run_column: str | None = None
    ) -> Iterator[tuple[str, Scores | IrevError]]:
        """The scores of each run in a DataFrame, or what is wrong with it, by name.

        `run_column` is the column that tells runs apart; without it there is one.

        Raises:
            UsageError: it is none, or one of Spark Connect.
            InputError: a column is missing, or there twice.
        """
        if not hasattr(frame, "mapInArrow"):
            raise UsageError(f"a {type(frame).__name__} is no run here: give a Spark DataFrame")
        if type(frame).__module__.startswith("pyspark.sql.connect"):
            raise UsageError(
                "Spark Connect cannot broadcast judgments: take a session of Spark itself"
            )
        from pyspark.sql import functions

        layout = layout_for(self.run_layout)
        names = {
            field: functions.col(f"`{name}`").alias(field)
            for field, name in column_names(frame.columns, layout).items()
        }
        if layout.number == "score":
            with suppress(InputError):  # there is none
                rank_column = column_names(frame.columns, layout.with_ranks)["rank"]
                rank = functions.col(f"`{rank_column}`").cast("string")
                names["rank"] = functions.coalesce(rank, functions.lit("")).alias("rank")
        if run_column is not None:
            if run_column not in frame.columns:
                problem = f"there is no column {run_column} that says which run a row is of"
                raise InputError([Problem("the run", None, "bad-table", problem)])
            names[RUN] = functions.col(f"`{run_column}`").cast("string").cast("binary").alias(RUN)
        ranked_by_run = self._rank_runs(frame.select(*names.values()), TableReader(layout))
        for run, ranked in ranked_by_run.items():
            name = as_text(run) if run_column is not None else "the run"
            yield name, self._outcome(ranked._replace(tag=run), name)

    def outcomes(
        self, runs: Sequence[Input], names: Sequence[str] = ()
    ) -> Iterator[tuple[str, Scores | IrevError]]:
        """The scores of runs, or what is wrong with a run, in order.

        Each is what `runs_at` found, or a path or URI. Runs that are texts are read in one go where
        they follow one another.
        """
        spark_runs: list[SparkRun] = []
        for run in runs:
            spark_runs += [run] if isinstance(run, SparkRun) else runs_at([str(run)])

        def texts_alike(run: SparkRun) -> str | None:
            return None if run.kind == "text" else run.path

        for _, neighbours in groupby(spark_runs, key=texts_alike):
            run, *rest = neighbours
            if run.error is not None:
                yield run.name, run.error
            elif run.kind == "parquet":
                yield from self._outcomes_of_table_runs(run)
            else:
                yield from self._outcomes_of_text_runs([run, *rest])

    def _outcomes_of_text_runs(
        self, runs: Sequence[SparkRun]
    ) -> Iterator[tuple[str, Scores | IrevError]]:
        """Runs as text, all in one go."""
        paths = [run.path for run in runs]
        ranked_by_path = self._rank_runs(lines_of(session(), paths), LineReader(self.run_layout))
        # beside its rows a path is written as in a URI
        by_path = {unquote_to_bytes(run): ranked for run, ranked in ranked_by_path.items()}
        for run in runs:
            ranked = by_path.get(as_bytes(run.path) if len(paths) > 1 else ONLY_RUN)
            if ranked is None:
                yield run.name, _empty_run_error(run.name, "the file has no line of data")
            else:
                yield run.name, self._outcome(ranked, run.name)

    def _outcomes_of_table_runs(self, run: SparkRun) -> Iterator[tuple[str, Scores | IrevError]]:
        """The runs of a table."""
        is_empty = True
        try:
            for name, outcome in self.frame_outcomes(table_at(session(), run.path), run.run_column):
                is_empty = False
                yield (run.name if run.run_column is None else f"{run.name}[{name}]"), outcome
        except InputError as error:
            yield run.name, _error_naming_run(error.problems, run.name)
            return
        if is_empty:
            yield run.name, _empty_run_error(run.name, "it has no rows")

    def _read_judgments(self, qrels: Any) -> PreparedJudgments:
        _refuse_measures(self.requests)
        if isinstance(qrels, str) and not os.path.exists(qrels):
            qrels = judgment_table_or_file_contents(session(), qrels)
            if isinstance(qrels, list):
                with (
                    tempfile.NamedTemporaryFile(prefix="irev-qrels-") as file,
                    undo_on_signal(partial(os.unlink, file.name)),
                ):
                    file.writelines(qrels)
                    file.flush()
                    return super()._read_judgments(file.name)
        elif hasattr(qrels, "toArrow"):
            qrels = qrels.toArrow()
        return super()._read_judgments(qrels)

    def _rank_runs(
        self, frame: SparkFrame, reader: LineReader | TableReader
    ) -> dict[bytes, RankedRun]:
        excluded, keeps_excluded = self.excluded, False
        if excluded is None and self.warns_of_own_documents:
            excluded, keeps_excluded = ExcludedDocuments(own=True, listed={}), True
        return ranked_runs(
            SparkCluster(frame),
            reader,
            self.prepared_judgments.qrels,
            self.prepared_judgments.ranking,
            broadcast=self._broadcast,
            check_duplicates=self._checks_duplicates,
            excluded=excluded,
            keeps_excluded=keeps_excluded,
        )

    def _outcome(self, run: RankedRun, name: str) -> Scores | IrevError:
        """The scores of a run whose judged documents were ranked."""
        if run.problems:
            return _error_naming_run(run.problems, name)
        try:
            scores = self._scores(run)
        except IrevError as error:
            return error
        notices = self.doubts.without_order_warnings([*rank_warnings_of_best(run.best_documents)])
        if run.long_lines is not None:
            notices.append(run.long_lines.warning(""))
        if self.excluded is not None:
            assert run.left_out is not None  # noqa: S101 - asked for
            counts = self.excluded.count_left_out(
                run.left_out.rows,
                self.prepared_judgments.qrels,
                self.options.level,
                run.left_out.num_rows,
                run.left_out.emptied,
            )
            notices += self.excluded.notices([counts])
            num_excluded = counts.num_own + counts.num_listed
            scores = replace(scores, account=replace(scores.account, num_excluded=num_excluded))
        elif run.left_out is not None and run.left_out.rows.topics:
            notices.append(own_document_warning(len(run.left_out.rows.topics)))
        if notices:
            scores = replace(scores, notices=(*scores.notices, *notices))
        return self.sign(scores, None) if self._sign else scores

    def _scores(self, run: RankedRun) -> Scores:
        """The scores of ranked documents, computed as `RunEvaluator` does for a part of a run."""
        ranked, tag = run.ranked, run.tag
        prepared_judgments, ranking = self.prepared_judgments, self.prepared_judgments.ranking
        qrels = prepared_judgments.qrels

        def count_retrieved() -> int:
            _, first = np.unique(qrels.topic_of_list[ranked.lists], return_index=True)
            return int(ranked.num_ret[first].sum())

        equal_scores = None
        if ranking.ties != "rank":
            equal_scores = count_topics_with_equal_best_scores(run.best_documents)
        has_ranks = any(each.ranked_pairs for each in run.best_documents)
        if prepared_judgments.orders is not None:
            every_document = replace(ranking, judged_only=False)
            counts = count_judged(ranked, qrels, every_document, count_retrieved)
            counts = counts._replace(equal_scores=equal_scores)
            part = prepared_judgments.tied_run_part(ranked, counts)
            return self.scores_of_ranked_parts([part], tag, has_ranks=has_ranks)
        if ranking.orders_ties_by_grade:
            ranked = order_ties_by_grade(ranked, qrels, best_first=ranking.ties == "optimistic")
        cut = cut_rankings(ranked, qrels, ranking)
        counts = count_judged(cut, qrels, ranking, count_retrieved)
        counts = counts._replace(equal_scores=equal_scores)
        view = prepared_judgments.judgments.view(cut)
        part = prepared_judgments.judged_run_part(cut, view, counts)
        return self.scores_of_ranked_parts([part], tag, has_ranks=has_ranks)


def _refuse_measures(requests: Sequence[Request]) -> None:
    """Raise where a measure looks at more, as its record says, than comes from a cluster."""
    for request in requests:
        needed = "the scores of all documents retrieved" if request.measure.scores else ""
        if not needed and needs_ids(request):
            needed = "the ids of documents that are not judged"
        if needed:
            raise UsageError(
                f"{request.columns[0].name} needs {needed}, and from a cluster come the ranks "
                "of the judged ones alone: evaluate the run without Spark"
            )


def _error_naming_run(problems: Sequence[Problem], name: str) -> InputError:
    """An error whose problems name the run; of lines only their store knows the numbers."""
    return InputError([problem._replace(path=name, line=None) for problem in problems])


def _empty_run_error(name: str, message: str) -> InputError:
    return InputError([Problem(name, None, "empty-file", message)])


# --- Spark at work: a session, what is sent to its workers, and the files that it reads ---


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
