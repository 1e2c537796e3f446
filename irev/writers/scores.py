"""The scores of runs as a document: topics or runs down, measures across, the summary last.

A line for each class of topics follows the summary `all`, as `all[CLASS]`; weighted means stand
under `all[weighted]`. Below: the table of a paper, how scores vary over topics, the summary sheet
of a run as TREC prints it, Parquet files, and what is said of scores that are estimates.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core import __version__
from irev.core.arrays import Floats, ratio
from irev.core.judged import Column, asked_order
from irev.core.packages import need_packages
from irev.core.text import (
    as_text,
    count_text,
    escape_non_utf8,
    escaped_bytes,
    printable,
    short_run_names,
)
from irev.engine.join_scores import scored_run_table
from irev.measures.families.average_precision import (
    RECALL_LEVELS,
    RULES_IN_WORDS,
    recall_level_measures,
)
from irev.measures.naming.resolve import bounds_of, lower_is_better
from irev.scores.saved import METADATA_KEY
from irev.scores.scores import SUMMARY, RunEstimates, Scores, flat_summary
from irev.scores.signature import UNSIGNED, ComparisonSignature
from irev.scores.table import ScoreTable
from irev.statistics.differences import RunPairs
from irev.statistics.intervals import (
    LEVEL,
    Intervals,
    TopicSpread,
    fit_to_range,
    mean_intervals,
    topic_spreads,
)
from irev.statistics.significance_tests import check_level
from irev.writers.document import (
    Cell,
    Document,
    Head,
    Heading,
    Lines,
    Part,
    Records,
    Row,
    Table,
    cell_text,
    finite_or_none,
    signature_data,
    table_of_rows,
)
from irev.writers.trec import (
    UNKNOWN,
    ScoredFile,
    ScoreLayout,
    is_unknown_error,
    real_text,
    topics_sentence,
)

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


_Value = float | int | str | None


class _Row(NamedTuple):
    """A topic's values, or those of a summary; by column."""

    topic: str
    summary: Scores | None
    cells: list[_Value]


def scores_document(results: Sequence[ScoredFile], layout: ScoreLayout) -> Document:
    """The runs' scores; JSON and rows in full precision, with what they stand on."""
    return Document(
        "Scores of a run" if len(results) == 1 else f"Scores of {len(results)} runs",
        _table_and_footer(results, layout),
        _score_records(results, layout),
        partial(_scores_data, results, layout),
    )


def run_scores_document(scores: Scores) -> Document:
    """The summary of a run's scores, as `print` shows it."""
    return scores_document([ScoredFile(scores.run_name, scores)], ScoreLayout())


def score_table_document(table: ScoreTable) -> Document:
    """The summaries of several runs, a row for each."""
    return scores_document(_files_of(table), ScoreLayout(several_runs=True))


def _files_of(table: ScoreTable) -> list[ScoredFile]:
    return [ScoredFile(run.name, table.run(run.name), run.path) for run in table.runs]


def titled_topic_documents(scores: Scores) -> Iterator[tuple[str, Document]]:
    """The scores of a run by topic, with a summary of what they are."""
    layout = ScoreLayout(per_topic=True, summary=False)
    if any(column.per_topic for column in scores.columns):
        document = scores_document([ScoredFile(scores.run_name, scores)], layout)
        tables = [part for part in document.parts if isinstance(part, Table)]
        yield count_text(len(scores.topics), "topic"), document._replace(parts=tables)


_MOST_CELLS = 20_000


def titled_topic_documents_of_runs(table: ScoreTable) -> Iterator[tuple[str, Document]]:
    """The scores of several runs by topic, for each measure; none where they are very many."""
    if len(table.topics) * len(table.runs) * len(table.columns) > _MOST_CELLS:
        return
    for column in table.columns:
        heads = [Head("topic", "text"), *(Head(name) for name in table.run_names)]
        values = table.scores(column.name).tolist()
        rows = [[as_text(t), *row] for t, row in zip(table.topics, values, strict=True)]
        parts = [Table(heads, rows)]
        summary = f"{column.name} of {count_text(len(table.topics), 'topic')}"
        yield summary, Document(summary, parts, (), dict)


PERCENT = "Values are multiplied by 100, except counts and measures that are not limited to 1."
"""What stands below tables in per cent."""


def _table_and_footer(results: Sequence[ScoredFile], layout: ScoreLayout) -> Iterator[Part]:
    """One table; below it, what the averages stand on."""
    column_indices = _shown_column_indices(results[0].scores, layout)
    has_labels = any(
        part.summary_label != SUMMARY for part in results[0].scores.summarised_scores()
    )
    has_topic_column = layout.per_topic or has_labels or not layout.several_runs
    has_run_column = layout.several_runs
    keys = [*(["run"] if has_run_column else []), *(["topic"] if has_topic_column else [])]
    shown_columns = [results[0].scores.columns[index] for index in column_indices]
    # the best of means over unlike topics would be none
    is_comparable = not has_topic_column and len({result.scores.divisor for result in results}) == 1
    heads = [Head(key, "text") for key in keys]
    heads += [measure_head(column, has_best=is_comparable) for column in shown_columns]
    factors = [percent_factor(column, layout) for column in shown_columns]
    rows = [
        [
            *([result.name] if has_run_column else []),
            *([row.topic] if has_topic_column else []),
            *map(_shown_cell, row.cells, shown_columns, factors),
        ]
        for result in results
        for row in _summary_and_topic_rows(result.scores, layout, column_indices)
    ]
    yield Table(heads, rows)
    yield Lines(
        [*([PERCENT] if layout.percent else []), *footer_lines(results, layout)], listed=False
    )


def measure_head(column: Column, *, has_best: bool = True) -> Head:
    """The head of a column of means or sums; only of means the best can stand out."""
    is_mean = column.average in ("mean", "geometric")
    higher_is_better = not lower_is_better(column) if is_mean and has_best else None
    return Head(column.name, higher_is_better=higher_is_better)


def best_first(results: Sequence[ScoredFile], column: Column) -> list[ScoredFile]:
    """The runs by their summaries of a column; those without a number last, ties as they are."""
    if not results:
        return []
    column_index = [each.name for each in results[0].scores.columns].index(column.name)
    sign = 1 if lower_is_better(column) else -1

    def sort_key(result: ScoredFile) -> tuple[bool, float]:
        value = result.scores.summary_of(column_index)
        if not isinstance(value, float) or value != value:
            return True, 0.0
        return False, sign * value

    return sorted(results, key=sort_key)


def percent_factor(column: Column, layout: ScoreLayout) -> float:
    """What a column's values are multiplied by: 100 under --percent, where they lie in [-1, 1]."""
    if not layout.percent or column.kind != "real":
        return 1.0
    low, high = bounds_of(column)
    return 100.0 if low >= -1 and high <= 1 else 1.0


def _known_cell(cell: _Value, column: Column) -> _Value:
    return None if isinstance(cell, float) and is_unknown_error(column, cell) else cell


def _shown_cell(cell: _Value, column: Column, factor: float) -> _Value:
    if cell is not None and _known_cell(cell, column) is None:
        return UNKNOWN
    return cell * factor if isinstance(cell, float) and factor != 1 else cell


def footer_lines(results: Sequence[ScoredFile], layout: ScoreLayout) -> Iterator[str]:
    """What averages stand on and, where there is one, the signature."""
    for result in results:
        run_prefix = f"{result.name}: " if layout.several_runs else ""
        for part in result.scores.summarised_scores():
            class_prefix = f"{part.summary_label}: " if part.topic_class is not None else ""
            yield f"{run_prefix}{class_prefix}{topics_sentence(part)}"
    # one signature for all runs, or, where they were not evaluated alike, one for each
    signed = [(r.name, r.scores.signature) for r in results if r.scores.signature is not None]
    if len({signature.short_without_run for _, signature in signed}) == 1:
        first = signed[0][1]
        yield first.short if len(signed) == 1 else first.short_without_run
    else:
        yield from (f"{name}: {signature.short}" for name, signature in signed)


def summary_value_lines(results: Sequence[ScoredFile], layout: ScoreLayout) -> Iterator[bytes]:
    """The summary values alone, in the order asked for: a line for each run, tabs between."""
    for result in results:
        column_indices = _shown_column_indices(result.scores, layout)
        shown_columns = [result.scores.columns[index] for index in column_indices]
        cells = [
            _shown_cell(_summary_cell(result.scores, index), column, percent_factor(column, layout))
            for index, column in zip(column_indices, shown_columns, strict=True)
        ]
        texts = (cell_text(cell, Head(""), layout.decimals) for cell in cells)
        yield escaped_bytes("\t".join(texts) + "\n")


def _score_records(results: Sequence[ScoredFile], layout: ScoreLayout) -> Iterator[Records]:
    """`run`, `topic`, a field for each measure, and behind a summary what it stands on.

    That is `averaged_over`, the divisor of the means, and `left_out`, how many judged topics the
    run lacks that the means do not count; where results are signed, their short `signature`.
    Nothing stands where a measure has no such value.
    """
    column_indices = _shown_column_indices(results[0].scores, layout)
    columns = [results[0].scores.columns[index] for index in column_indices]
    names = (column.name for column in columns)
    stands_on = ["averaged_over", "left_out", "signature"] if layout.summary else []
    if not any(result.scores.signature for result in results):
        del stands_on[2:]

    def rows() -> Iterator[Iterable[Any]]:
        for result in results:
            for row in _summary_and_topic_rows(result.scores, layout, column_indices):
                facts: list[int | str | None] = [None, None, None]
                if row.summary is not None:
                    signature = row.summary.signature
                    facts = [row.summary.divisor, len(row.summary.left_out)]
                    facts.append(None if signature is None else signature.short)
                cells = map(_known_cell, row.cells, columns)
                yield [result.name, row.topic, *cells, *facts[: len(stands_on)]]

    yield Records("scores", ["run", "topic", *names, *stands_on], rows())


def _shown_column_indices(scores: Scores, layout: ScoreLayout) -> list[int]:
    """The columns that have a value in what the layout shows, as they were asked for."""
    return [
        index
        for index in asked_order(scores.columns)
        if (layout.per_topic and scores.columns[index].per_topic)
        or (layout.summary and scores.columns[index].average != "none")
    ]


def _summary_and_topic_rows(
    scores: Scores, layout: ScoreLayout, column_indices: Sequence[int]
) -> Iterator[_Row]:
    """The topics' rows, if they are wanted, the summary's, and that of each class of topics."""
    if layout.per_topic:
        values: list[Sequence[_Value]] = []
        for index in column_indices:
            column = scores.columns[index]
            if not column.per_topic:
                values.append([None] * len(scores.topics))
            elif index in scores.texts:
                values.append([as_text(value) for value in scores.texts[index]])
            else:
                numbers = scores.values[:, index].tolist()
                values.append([_exact_number(column, value) for value in numbers])
        for row, topic in enumerate(scores.topics):
            yield _Row(as_text(topic), None, [cells[row] for cells in values])
    if layout.summary:
        for part in scores.summarised_scores():
            yield _Row(
                part.summary_label, part, [_summary_cell(part, index) for index in column_indices]
            )


def _summary_cell(scores: Scores, column_index: int) -> _Value:
    value = scores.summary_of(column_index)
    if value is None:
        return None
    if isinstance(value, bytes):
        return as_text(value)
    return _exact_number(scores.columns[column_index], value)


def _exact_number(column: Column, value: float) -> float | int:
    return int(value) if column.kind == "count" else float(value)


def topic_value_columns(scores: Scores) -> tuple[list[str], dict[str, list[float | None]]]:
    """(the topics; the values of each measure by its name); None: an error that is not known."""
    indices = [
        index
        for index in asked_order(scores.columns)
        if scores.columns[index].per_topic and scores.columns[index].kind != "text"
    ]
    columns: dict[str, list[float | None]] = {}
    for index in indices:
        column, values = scores.columns[index], scores.values[:, index].tolist()
        columns[column.name] = [None if is_unknown_error(column, v) else v for v in values]
    return [as_text(topic) for topic in scores.topics], columns


def flat_means(results: Sequence[ScoredFile], layout: ScoreLayout) -> dict[str, float]:
    """The means by names that MLflow and Weights & Biases log as they are."""
    summaries = {result.name: result.scores.summary() for result in results}
    return flat_summary(summaries, several_runs=layout.several_runs)


def _scores_data(results: Sequence[ScoredFile], layout: ScoreLayout) -> dict[str, Any]:
    """`irev` (the version), `measures` (printed names), `canonical` and `runs`.

    `canonical` has irev's own name for each measure that is printed under another.

    Each of the runs has `run` (its name), `path` (as typed), `runid` (its tag), `averaged_over`
    (the divisor of the means), the summary `all`, per-topic values in `topics`, and lists of topic
    ids: `missing` from the run (`missing_count_as_zero` says whether they are in the averages),
    `unjudged`, `skipped` by choice, and `without_relevant` documents; of these under `--no-rel
    answer` the `rightly_empty`, for which nothing was retrieved; `duplicates`, topic -> how many
    repeated lines were left out; `excluded`, how many documents were left out by choice, where
    there are any; and its `signature`, all parts with the `short` form, where
    there is one. NaN and infinities are null. Bytes that are not UTF-8 are lone surrogates
    U+DC80..U+DCFF.

    Where there are `classes` of topics, these are listed (class -> topics), and in a run they are
    class -> `averaged_over` and the summary `all[CLASS]`. Where topics have `weights`, these are
    listed, and the summaries are called `all[weighted]` and `all[CLASS,weighted]`.
    """
    measured = results[0].scores.columns
    column_indices = _shown_column_indices(results[0].scores, layout)
    names = [measured[index].name for index in column_indices]
    return {
        "irev": __version__,
        "measures": names,
        "canonical": {
            c.name: c.canonical for c in measured if c.canonical and c.canonical != c.name
        },
        **_classes_and_weights(results),
        "runs": [_run_data(result, layout, column_indices, names) for result in results],
    }


def _run_data(
    result: ScoredFile, layout: ScoreLayout, column_indices: list[int], names: list[str]
) -> dict[str, Any]:
    scores, account = result.scores, result.scores.account
    run_data: dict[str, Any] = {
        "run": result.name,
        "path": result.path,
        "runid": as_text(scores.run_id),
        "averaged_over": scores.divisor,
        "missing": [as_text(topic) for topic in account.missing],
        "missing_count_as_zero": bool(account.missing) and not scores.left_out,
        "unjudged": [as_text(topic) for topic in account.unjudged],
        "skipped": [as_text(topic) for topic in account.skipped],
        "without_relevant": [as_text(topic) for topic in account.without_relevant],
        "duplicates": {as_text(topic): count for topic, count in account.repeats},
    }
    if account.rightly_empty is not None:
        run_data["rightly_empty"] = [as_text(topic) for topic in account.rightly_empty]
    if account.num_excluded:
        run_data["excluded"] = account.num_excluded
    if scores.signature is not None:
        run_data["signature"] = signature_data(scores.signature)
    if layout.per_topic:
        run_data["topics"] = {}
    for row in _summary_and_topic_rows(scores, layout, column_indices):
        values = {
            name: finite_or_none(cell)
            for name, cell in zip(names, row.cells, strict=True)
            if cell is not None
        }
        if row.summary is None:
            run_data["topics"][row.topic] = values
        elif row.summary.topic_class is None:
            run_data[row.topic] = values
        else:
            of_class = {"averaged_over": row.summary.divisor, row.topic: values}
            run_data.setdefault("classes", {})[row.summary.topic_class] = of_class
    return run_data


def _classes_and_weights(results: Sequence[ScoredFile]) -> dict[str, Any]:
    """The classes of topics and the weights that the summaries are formed by, if any."""
    facts: dict[str, Any] = {}
    bases = [result.scores.basis for result in results if result.scores.basis is not None]
    classes = bases[0].classes if bases else None
    if classes is not None:
        facts["classes"] = {
            name: [as_text(topic) for topic in sorted(classes.members[name])]
            for name in classes.names
        }
    weights = {
        topic: weight
        for basis in bases
        if basis.weights is not None
        for topic, weight in zip(basis.topics, basis.weights.tolist(), strict=True)
    }
    if weights:
        facts["weights"] = {as_text(topic): weights[topic] for topic in sorted(weights)}
    return facts


# --- Tables for papers ---


def paper_table(
    heads: Sequence[Head],
    rows: Sequence[Sequence[Cell]],
    sentences: Iterable[str],
    *,
    label: str = "",
    signature: ComparisonSignature | None = None,
) -> Table:
    """A table that floats, with its caption.

    Args:
        heads: the columns.
        rows: the rows.
        sentences: what the caption says, a sentence each; the version of irev follows.
        label: what tells the table from the others of the paper; empty if it is alone.
        signature: of the numbers; the caption has its digest, it stands beside the table.
    """
    key = re.sub("[^A-Za-z0-9]+", "-", label).strip("-")
    signed_by = source = ""
    if signature is not None:
        signed_by = f", {UNSIGNED}"
        if signature.is_signed:
            signed_by = f", signature {signature.digest}"
            source = f"signature {signature.digest}: {signature.short}"
    return Table(
        heads,
        rows,
        caption=" ".join([*sentences, f"irev {__version__}{signed_by}."]),
        label=f"tab:runs-{key}" if key else "tab:runs",
        source=source,
    )


def paper_run_names(names: Sequence[str]) -> tuple[Sequence[str], list[str]]:
    """Names as a table shows them, and a sentence on what all or most are shown without."""
    short = short_run_names(names)
    sentences = [
        f'The names of {count_text(count, "run")} are shown without "{text}"'
        + ("." if index == 0 and short.prefix else " after the folder.")
        for index, (text, _, count) in enumerate(short.left_out_beginnings)
    ]
    return short.names, sentences


def shorten_run_names(
    sentences: Iterable[str], names: Sequence[str], shown_names: Sequence[str]
) -> list[str]:
    """Sentences that call runs as a table does."""
    shown_name_of = {
        name: shown for name, shown in zip(names, shown_names, strict=True) if name != shown
    }
    if not shown_name_of:
        return [*sentences]
    # the longest first, since a name may begin as another one
    alternatives = "|".join(map(re.escape, sorted(shown_name_of, key=len, reverse=True)))
    whole_name = re.compile(rf"(?<![\w/.-])(?:{alternatives})(?![\w/-])")
    return [whole_name.sub(lambda match: shown_name_of[match[0]], text) for text in sentences]


def scores_paper_document(results: Sequence[ScoredFile], layout: ScoreLayout) -> Document:
    """One table with its caption; for machines the scores as ever."""
    names, left_out = paper_run_names([result.name for result in results])
    named = [result._replace(name=name) for result, name in zip(results, names, strict=True)]
    full = next(p for p in scores_document(named, layout).parts if isinstance(p, Table))
    table = full if layout.several_runs else _measures_below_each_other(full)
    has_best = any(head.higher_is_better is not None for head in table.columns)
    averages = _averages_text(named, "; best in bold" if has_best and len(table.rows) > 1 else "")
    sentences = [averages, *([PERCENT] if layout.percent else []), *left_out]
    signature = _common_signature(results)
    part = paper_table(table.columns, table.rows, sentences, signature=signature)
    return scores_document(results, layout)._replace(parts=[part])


def run_paper_document(scores: Scores) -> Document:
    """The table of one run."""
    return scores_paper_document([ScoredFile(scores.run_name, scores)], ScoreLayout())


def score_table_paper_document(table: ScoreTable) -> Document:
    """The table of several runs."""
    return scores_paper_document(_files_of(table), ScoreLayout(several_runs=True))


def _measures_below_each_other(table: Table) -> Table:
    """A table of one run, whose first column says which topics, with its columns as rows."""
    labels = [str(row[0]) for row in table.rows]
    heads = [Head("value")] if len(labels) == 1 else [Head(label) for label in labels]
    rows: list[list[Cell]] = [
        [column.name, *(row[index] for row in table.rows)]
        for index, column in enumerate(table.columns)
        if index
    ]
    return Table([Head("measure", "text"), *heads], rows)


def _averages_text(results: Sequence[ScoredFile], best_text: str) -> str:
    """Over how many topics the means are: those of most runs, then what is otherwise."""
    num_topics = [result.scores.divisor for result in results]
    usual = max(num_topics, key=num_topics.count)
    others = [
        f"{result.name} over {result.scores.divisor}"
        for result in results
        if result.scores.divisor != usual
    ]
    of_others = f" ({', '.join(others)})" if others else ""
    zeros = any(result.scores.account.missing and not result.scores.left_out for result in results)
    of_zeros = " (topics that a run lacks count as 0)" if zeros else ""
    return f"Means over {count_text(usual, 'topic')}{of_others}{of_zeros}{best_text}."


def _common_signature(results: Sequence[ScoredFile]) -> ComparisonSignature | None:
    """The signature of all runs; None if they were not evaluated alike."""
    signatures = [result.scores.signature for result in results]
    first = signatures[0]
    alike = {None if each is None else each.short_without_run for each in signatures}
    if first is None or len(alike) > 1:
        return None
    run_hashes = {
        result.name: None if each is None else each.run
        for result, each in zip(results, signatures, strict=True)
    }
    return ComparisonSignature(replace(first, run=None), run_hashes, {})


# --- How scores vary over topics: a line for each run and measure ---


_SPREAD_FIELDS = (
    "run",
    "label",
    "measure",
    "topics",
    "mean",
    "sd",
    "variance",
    "median",
    "ci_low",
    "ci_high",
)


def spread_document(results: Sequence[ScoredFile], layout: ScoreLayout) -> Document:
    """Mean, sd, variance, median and interval of each measure of each run and class of topics.

    JSON has `irev` (the version), the `level` of intervals, and `rows` as CSV has them.
    """

    def record_rows() -> Iterator[list[Any]]:
        for name, label, spread in _labelled_spreads(results):
            yield [name, label, spread.column.name, *map(finite_or_none, spread[1:])]

    def data() -> dict[str, Any]:
        rows = [dict(zip(_SPREAD_FIELDS, row, strict=True)) for row in record_rows()]
        return {"irev": __version__, "level": LEVEL, "rows": rows}

    records = Records("spread", _SPREAD_FIELDS, record_rows())
    parts = _spread_table_and_notes(results, layout)
    return Document("Spread of scores over topics", parts, [records], data)


def _spread_table_and_notes(results: Sequence[ScoredFile], layout: ScoreLayout) -> Iterator[Part]:
    spread_lines = [*_labelled_spreads(results)]
    with_labels = len({label for _, label, _ in spread_lines}) > 1
    heads = [
        *([Head("run", "text")] if layout.several_runs else []),
        *([Head("topics of", "text")] if with_labels else []),
        *(Head("measure", "text"), Head("topics"), Head("mean"), Head("sd"), Head("variance")),
        *(Head("median"), Head(f"{LEVEL:.0%} interval")),
    ]
    rows: list[list[Cell]] = []
    for name, label, spread in spread_lines:
        factor = percent_factor(spread.column, layout)
        factors = (factor, factor, factor**2, factor, factor, factor)
        mean, sd, variance, median, low, high = (
            None if value != value else value * each
            for value, each in zip(spread[2:], factors, strict=True)
        )
        interval = None if low is None or high is None else (low, high)
        rows.append(
            [
                *([name] if layout.several_runs else []),
                *([label] if with_labels else []),
                spread.column.name,
                spread.num_topics,
                mean,
                sd,
                variance,
                median,
                interval,
            ]
        )
    yield Table(heads, rows)
    yield Lines([*([PERCENT] if layout.percent else []), *footer_lines(results, layout)], False)


def _labelled_spreads(results: Sequence[ScoredFile]) -> Iterator[tuple[str, str, TopicSpread]]:
    for result in results:
        for part in result.scores.summarised_scores():
            for spread in topic_spreads(part):
                yield result.name, part.summary_label, spread


# --- The summary sheet of a run, as TREC prints it ---


CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
COUNTS = (("Retrieved", "num_ret"), ("Relevant", "num_rel"), ("Rel-ret", "num_rel_ret"))


def sheet_measures(recall_rule: str) -> tuple[str, ...]:
    """What a sheet shows, whatever else could be asked for; P has a sheet's cutoffs."""
    counts = (name for _, name in COUNTS)
    return ("num_q", *counts, "map", "Rprec", "P", *recall_level_measures(recall_rule))


class SheetSection(NamedTuple):
    """A part of a sheet: a heading, the heads of its two columns, and rows."""

    title: str
    heads: tuple[str, str]
    rows: list[tuple[str, str]]


def write_summary_sheets(results: Sequence[ScoredFile], layout: ScoreLayout) -> Iterator[bytes]:
    """A sheet for each run, empty lines between them."""

    def two_columns(left: str, right: str) -> str:
        return f"   {left} {right.rjust(52 - len(left))}"

    for number, result in enumerate(results):
        if number:
            yield b"\n\n"
        lines = []
        for section in sheet_sections(result, layout):
            lines.append(section.title)
            if section.heads[1]:
                lines.append(two_columns(*section.heads))
            lines += [two_columns(*row) for row in section.rows]
            lines.append("")
        lines += sheet_notes(result.scores, layout.recall_rule)
        yield escaped_bytes("\n".join(lines) + "\n")


def sheet_sections(result: ScoredFile, layout: ScoreLayout) -> list[SheetSection]:
    """The parts of a run's sheet, in TREC's words."""
    values = result.scores.summary()
    counts = {column.name for column in result.scores.columns if column.kind == "count"}

    def real(name: str) -> str:
        return real_text(values[name], layout.decimals)

    def count(name: str) -> str:
        # a mean over orders of ties is no count
        return str(int(values[name])) if name in counts else real(name)

    description = result.place if layout.description is None else layout.description
    run_rows = [
        ("Run Number", printable(as_text(result.scores.run_id))),
        ("Run Description", printable(description)),
        ("Number of Topics", count("num_q")),
    ]
    at_levels = zip(RECALL_LEVELS, recall_level_measures(layout.recall_rule), strict=True)
    return [
        SheetSection("Summary Statistics", ("", ""), run_rows),
        SheetSection(
            "Total number of documents over all topics",
            ("", ""),
            [(f"{title}:", count(name)) for title, name in COUNTS],
        ),
        SheetSection(
            "Recall Level Precision Averages",
            ("Recall", "Precision"),
            [(f"{level:.2f}", real(name)) for level, name in at_levels],
        ),
        SheetSection(
            "Average precision over all relevant docs",
            ("", ""),
            [("non-interpolated", real("map"))],
        ),
        SheetSection(
            "Document Level Averages",
            ("", "Precision"),
            [(f"At {cutoff:>4} docs", real(f"P_{cutoff}")) for cutoff in CUTOFFS],
        ),
        SheetSection(
            "R-Precision (precision after R docs retrieved (where R is the\n"
            "number of relevant documents))",
            ("", ""),
            [("Exact", real("Rprec"))],
        ),
    ]


def sheet_notes(scores: Scores, recall_rule: str) -> Iterator[str]:
    """What the averages rest on: the rule of the recall levels, the topics, the signature."""
    yield f"recall levels: {RULES_IN_WORDS[recall_rule]}; --recall-rule {recall_rule}"
    yield printable(topics_sentence(scores))
    if scores.signature is not None:
        yield printable(scores.signature.short)


# --- Parquet files, for DuckDB, Polars, pandas and Spark, and for irev itself ---
# Scores are a tidy table: a row for each value of a topic, with the columns `run`, `topic`,
# `measure` and `value`. Means are not among the rows, so that `avg(value)` is one. The file's
# metadata have under the key `irev` what JSON has besides: means, signature, topics that a run
# lacks. Of other results the first table stands there, as in CSV.


def scores_parquet(results: Sequence[ScoredFile]) -> bytes:
    """The values of each topic of some runs; in the metadata, what JSON without topics holds."""
    import pyarrow as pa

    layout = ScoreLayout(several_runs=len(results) > 1)
    data = scores_document(results, layout).data()
    runs: list[str] = []
    topics: list[str] = []
    measures: list[str] = []
    values: list[float | None] = []
    for result in results:
        topic_ids, columns = topic_value_columns(result.scores)
        for name, cells in columns.items():
            runs += [escape_non_utf8(result.name)] * len(cells)
            topics += topic_ids
            measures += [name] * len(cells)
            values += cells
    table = pa.table(
        {
            "run": pa.array(runs, pa.string()),
            "topic": pa.array([escape_non_utf8(topic) for topic in topics], pa.string()),
            "measure": pa.array(measures, pa.string()),
            "value": pa.array(values, pa.float64()),
        }
    )
    return _parquet_bytes(table, data)


def table_parquet(document: Document) -> bytes:
    """The first table of a document; in the metadata, the version and the signature."""
    import pyarrow as pa

    records = next(iter(document.records))
    rows = [list(row) for row in records.rows]
    columns = [_column([row[index] for row in rows]) for index in range(len(records.fields))]
    data = document.data()
    facts = data if isinstance(data, dict) else {}
    metadata = {key: facts[key] for key in ("irev", "signature") if key in facts}
    return _parquet_bytes(
        pa.table(columns, names=list(records.fields)), {**metadata, "table": records.name}
    )


def _column(cells: Sequence[Any]) -> pa.Array:
    """The cells of a column: numbers where all are, else texts."""
    import pyarrow as pa

    if any(isinstance(cell, str) for cell in cells):
        return pa.array([None if c is None else escape_non_utf8(str(c)) for c in cells])
    if any(isinstance(cell, float) for cell in cells):
        return pa.array([None if c is None else float(c) for c in cells], pa.float64())
    if all(cell is None for cell in cells):
        return pa.array(cells, pa.string())
    return pa.array(cells)


def _parquet_bytes(table: pa.Table, facts: Mapping[str, Any]) -> bytes:
    from pyarrow.parquet import write_table

    metadata = {METADATA_KEY: json.dumps(finite_or_none(facts)).encode()}
    stream = io.BytesIO()
    write_table(table.replace_schema_metadata(metadata), stream)
    return stream.getvalue()


# --- What is said of scores that were estimated from a sample of documents ---


def document_estimates(table: ScoreTable | Scores, alpha: float = 0.05) -> pd.DataFrame:
    """The means of runs that were estimated from a sample of documents and a model's judgments.

    A row for each measure and run, the best first: `measure`, `run`, `estimate`, its interval for
    the population of topics (`low`, `high`: t of the topics' estimates) and for these topics
    (`topics_low`, `topics_high`: mean -+ t_{T-1} sqrt(sum of V_t) / T, V_t the variance of topic
    t's estimate over the samples; none for nDCG@k), `people` and `model` alone, `width`, `lambda`,
    `judged_at_10`.

    Args:
        table: scores under `predicted=` and `qrels_format="strata"`: `.table` of any job, or what
            `evaluate` gives.
        alpha: intervals have the level 1 - alpha.
    """
    need_packages("pandas", "scipy")
    if isinstance(table, Scores):
        table = scored_run_table(table.run_name, "", table)
    import pandas as pd

    return pd.DataFrame(list(estimate_rows(table, alpha)))


def estimate_rows(table: ScoreTable, alpha: float = 0.05) -> Iterator[Row]:
    """The rows of `document_estimates`; none of runs whose scores are no estimates."""
    check_level(1 - alpha)
    if all(run.estimates is None for run in table.runs):
        return
    for column in table.columns:
        population = _population_intervals(table, column, alpha)
        for run in np.argsort(-population.mean, kind="stable").tolist():
            estimates = table.runs[run].estimates
            if estimates is None:
                continue
            mean = float(population.mean[run])
            yield {
                "measure": column.name,
                "run": table.run_names[run],
                "estimate": mean,
                "low": float(population.low[run]),
                "high": float(population.high[run]),
                **_row_fields_on_these_topics(table, column, estimates, mean, alpha),
            }


def _population_intervals(table: ScoreTable, column: Column, alpha: float) -> Intervals:
    matrix, factor = table.linearised_score_matrix(column.name), _factor(column, table)
    if len(matrix) > 1:
        intervals = mean_intervals(matrix, level=1 - alpha, df=table.df)
    else:
        endless = np.full(matrix.shape[1], np.inf)
        is_constant = np.zeros(matrix.shape[1], bool)
        intervals = Intervals(
            table.means(column.name), -endless, endless, 1 - alpha, 1, is_constant
        )
    intervals = replace(
        intervals,
        mean=factor * intervals.mean,
        low=factor * intervals.low,
        high=factor * intervals.high,
    )
    return fit_to_range(intervals, *bounds_of(column))


def _row_fields_on_these_topics(
    table: ScoreTable, column: Column, estimates: RunEstimates, mean: float, alpha: float
) -> Row:
    """What is known of a run on these topics."""
    index, topics = estimates.column_index(column.name), estimates.topic_indices(table.topics)
    error, by_people = (
        _error_of_mean(table, column, topics, variances[index])
        for variances in (estimates.variances, estimates.people_variances)
    )
    low, high = bounds_of(column)
    reach, is_ratio = _t_quantile(table, alpha) * error, estimates.are_ratios[index]
    return {
        "topics_low": None if is_ratio else max(mean - reach, low),
        "topics_high": None if is_ratio else min(mean + reach, high),
        "people": _mean_of(table, column, estimates.people[index, topics]),
        "model": _mean_of(table, column, estimates.model[index, topics]),
        "width": error / by_people if by_people else math.nan,
        "lambda": float(estimates.weights[index]),
        "judged_at_10": estimates.share_judged,
    }


def difference_estimates(table: ScoreTable, pairs: RunPairs, alpha: float = 0.05) -> Iterator[Row]:
    """For each measure and pair of runs the mean difference, with its interval for these topics."""
    runs = [run.estimates for run in table.runs]
    for column in table.columns:
        means = table.means(column.name)
        for first, second in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
            one, other = runs[first], runs[second]
            if one is None or other is None or one.are_ratios[one.column_index(column.name)]:
                continue
            variances = one.difference_variances(other, column.name)
            difference = float(means[first] - means[second]) * _factor(column, table)
            se = _error_of_mean(table, column, one.topic_indices(table.topics), variances)
            reach = _t_quantile(table, alpha) * se
            yield {
                "measure": column.name,
                "run": table.run_names[first],
                "against": table.run_names[second],
                "difference": difference,
                "topics_low": difference - reach,
                "topics_high": difference + reach,
            }


def _factor(column: Column, table: ScoreTable) -> int:
    """What a mean is multiplied by: of measures that are summed up the number of topics."""
    return len(table.topics) if column.average == "sum" else 1


def _weights(table: ScoreTable) -> Floats:
    return np.ones(len(table.topics)) if table.weights is None else table.weights


def _mean_of(table: ScoreTable, column: Column, values: Floats) -> float:
    weights = _weights(table)
    mean = ratio((weights * values).sum(), weights.sum())
    return float(mean) * _factor(column, table)


def _error_of_mean(table: ScoreTable, column: Column, topics: Any, variances: Floats) -> float:
    """The standard error of the mean over these topics: sqrt(sum of V_t) / T."""
    weights = _weights(table)
    variance = (weights**2 * variances[topics]).sum()
    return float(ratio(math.sqrt(variance), weights.sum())) * _factor(column, table)


def _t_quantile(table: ScoreTable, alpha: float) -> float:
    from scipy.special import stdtrit

    df = table.df or len(table.topics) - 1
    return float(stdtrit(df, 1 - alpha / 2)) if df > 0 else math.inf


LEGEND = (
    "estimate: what people would have found with all documents of the pools; low, high: of the "
    "population that the topics come from; topics low, high: of these topics themselves",
    "people: by people's sample of documents alone; model: by the model's judgments alone, which "
    "is not a valid estimate",
    "width: of the interval for these topics, as a share of that of people alone; lambda: how much "
    "the model counts, one for all runs",
    "judged@10: the share of the first 10 documents that people judged",
)


def estimate_parts(table: ScoreTable, alpha: float = 0.05) -> Iterator[Part]:
    """The heading, a table for each measure and what its columns mean; nothing of other scores."""
    rows = list(estimate_rows(table, alpha))
    if not rows:
        return
    yield Heading(f"estimates from a sample of documents ({100 * (1 - alpha):.6g}% intervals)")
    yield table_of_rows(rows[0], rows)
    yield Lines(list(LEGEND))


def estimate_lines(table: ScoreTable, alpha: float, decimals: int) -> Iterator[str]:
    """The same in words: a line for each run and measure, and what these are."""
    rows = list(estimate_rows(table, alpha))
    if not rows:
        return
    yield f"estimates from a sample of documents ({100 * (1 - alpha):.6g}% intervals)"
    heads = table_of_rows(rows[0], rows[:1]).columns
    for row in rows:
        measure, run, *values = row.values()
        facts = [
            f"{head.name} {cell_text(value, head, decimals)}"
            for value, head in zip(values, heads[2:], strict=True)
            if value is not None
        ]
        yield f"{run}, {measure}: {', '.join(facts)}"
    yield from LEGEND


def difference_parts(table: ScoreTable, pairs: RunPairs, alpha: float) -> Iterator[Part]:
    """The differences of pairs on these topics; nothing of other scores."""
    rows = list(difference_estimates(table, pairs, alpha))
    if rows:
        yield Heading(
            f"differences on these topics ({100 * (1 - alpha):.6g}% intervals, not simultaneous)"
        )
        yield table_of_rows(rows[0], rows)
