"""What pools and samples give as documents: lists of documents, qrels, the leave-out test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from irev.core.text import as_text, parse_whole
from irev.jobs.pool.sampled_qrels import QRELS, SampleResult
from irev.writers.document import Document, Head, Records, Table
from irev.writers.machine import finite_or_none, signature_data

if TYPE_CHECKING:
    from irev.jobs.pool.leave_one_out import LeaveOneOutResult, LeftOutRun
    from irev.jobs.pool.pool import PoolResult
    from irev.writers.document import Cell


def pool_document(result: PoolResult, decimals: int) -> Document:
    """The list of documents to judge; the runs of the pool for programs, too."""
    lines = [*_whole_lines(result.list_lines())]
    runs = [[run.name, run.num_documents, run.num_unique] for run in result.runs]
    document = _lists_document(
        "pool", [_records_of_lines("pool", ("topic", "document"), lines)], lines
    )
    contributions = Records("runs", ("run", "documents", "unique"), runs)
    return document._replace(records=[*document.records, contributions])


def samples_document(result: SampleResult, decimals: int) -> Document:
    """The judgments of each sample, or the documents of the collection."""
    lines = [line for sample in result.samples for line in _whole_lines(sample.lines(QRELS))]
    return _lists_document("sample", sample_records(result, QRELS), lines)


def sample_records(result: SampleResult, qrels_format: str) -> list[Records]:
    """Of each sample the fields of its lines."""
    return [
        _records_of_lines(name, sample.field_names(qrels_format), _whole_lines(lines))
        for name, sample in zip(result.sample_names, result.samples, strict=True)
        for lines in [sample.lines(qrels_format)]
    ]


def _whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    for block in blocks:
        yield from block.splitlines()


def _records_of_lines(
    list_name: str, field_names: Sequence[str], lines: Iterable[bytes]
) -> Records:
    """The fields of some lines: ids are texts, grades numbers."""
    rows = [
        [
            _parse_grade(cell) if field == "grade" else cell
            for field, cell in zip(field_names, map(as_text, line.split()), strict=True)
        ]
        for line in lines
    ]
    return Records(list_name, field_names, rows)


def _lists_document(title: str, lists: Sequence[Records], lines: Iterable[bytes]) -> Document:
    tables = [
        Table(
            [Head(field, "text") for field in records.fields],
            [[str(cell) for cell in row] for row in records.rows],
        )
        for records in lists
    ]
    return Document(
        title, tables, lists, lambda: [row for table in tables for row in table.rows],
        [as_text(line) for line in lines],
    )  # fmt: skip


def _parse_grade(text: str) -> float:
    number = parse_whole(text)
    return float(text) if number is None else number


# Leave-out test of the pool


_FIELDS = ("run", "group", "judged", "relevant", "measure", "score", "left_out", "difference")


def leave_one_out_document(result: LeaveOneOutResult, decimals: int) -> Document:
    """A row for each run and measure: how many judgments only its group brought, the scores."""
    texts = ("run", "group", "measure")
    columns = [Head(name, "text" if name in texts else "number") for name in _FIELDS]
    tables = [Table(columns, list(_left_out_rows(result.runs)), ruled=False)]
    records = [Records("leave_out", _FIELDS, _left_out_rows(result.runs))]
    title = "Leave-out test of the pool"
    return Document(title, tables, records, lambda: [_run_data(run) for run in result.runs])


def _left_out_rows(runs: Iterable[LeftOutRun]) -> Iterator[list[Cell]]:
    for run in runs:
        group = "-" if run.group == run.name else run.group
        for column, *pair in run.score_pairs():
            score, left_out = map(int, pair) if column.kind == "count" else pair
            yield [
                run.name, group, run.num_judged, run.num_relevant, column.name, score, left_out,
                left_out - score,
            ]  # fmt: skip


def _run_data(run: LeftOutRun) -> dict[str, Any]:
    return {
        "run": run.name,
        "group": run.group,
        "depth": run.depth,
        "judged": run.num_judged,
        "relevant": run.num_relevant,
        "signature": signature_data(run.scores.signature),
        "measures": {
            column.name: finite_or_none(
                {"score": score, "left_out": left_out, "difference": left_out - score}
            )
            for column, score, left_out in run.score_pairs()
        },
    }
