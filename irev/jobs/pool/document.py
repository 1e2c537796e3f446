"""What pools and samples give as documents: lists of documents, qrels, the leave-out test."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from irev.core.text import as_text, parse_whole
from irev.core.wording import count_text
from irev.jobs.pool.sampled_qrels import QRELS, SampleResult
from irev.writers.document import Document, Head, Heading, Lines, Records, Table
from irev.writers.machine import finite_or_none, signature_data

if TYPE_CHECKING:
    from irev.jobs.pool.leave_one_out import LeaveOneOutResult, LeftOutRun
    from irev.jobs.pool.leave_out_summary import LeaveOutSummary, LeftOutPlace
    from irev.jobs.pool.pool import PoolResult
    from irev.writers.document import Cell, Part


def judging_list_document(result: PoolResult, decimals: int) -> Document:
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
    lines = [line for sample in result.samples for line in _whole_lines(sample.line_blocks(QRELS))]
    return _lists_document("sample", records_of_each_sample(result, QRELS), lines)


def records_of_each_sample(result: SampleResult, qrels_format: str) -> list[Records]:
    """Of each sample the fields of its lines."""
    return [
        _records_of_lines(name, sample.field_names(qrels_format), _whole_lines(lines))
        for name, sample in zip(result.sample_names, result.samples, strict=True)
        for lines in [sample.line_blocks(qrels_format)]
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
    """A row for each run and measure: how many judgments only its group brought, the scores.

    JSON has `runs`, and `summary`: for each measure `tau`, the run of the `largest_drop`, and of
    each group that is `hurt` the run that loses most places.
    """
    parts: list[Part] = [_text_table(_FIELDS, list(_left_out_rows(result.runs)))]
    if result.summary:
        parts += _summary_parts(result, decimals)
    records = [
        Records("leave_out", _FIELDS, _left_out_rows(result.runs)),
        Records("places", _PLACE_FIELDS, _place_rows(result.summary, hurt_only=False)),
    ]

    def data() -> dict[str, Any]:
        return {
            "runs": [_run_data(run) for run in result.runs],
            "summary": [_summary_data(summary) for summary in result.summary],
        }

    return Document("Leave-out test of the pool", parts, records, data)


_PLACE_FIELDS = ("measure", "group", "run", "place", "place_left_out", "score", "left_out")


def _text_table(fields: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    texts = ("run", "group", "measure")
    heads = [Head(name, "text" if name in texts else "number") for name in fields]
    return Table(heads, rows, ruled=False)


def _place_rows(summaries: Sequence[LeaveOutSummary], *, hurt_only: bool) -> Iterator[list[Cell]]:
    for summary in summaries:
        for each in summary.most_hurt_run_of_each_group if hurt_only else summary.places:
            group = "-" if each.group == each.run else each.group
            yield [
                summary.column.name, group, each.run, each.place, each.place_left_out, each.score,
                each.left_out,
            ]  # fmt: skip


def _summary_parts(result: LeaveOneOutResult, decimals: int) -> Iterator[Part]:
    """What becomes of the order, a line for each measure, and whose runs lose places."""
    num_contributing = sum(run.num_judged > 0 for run in result.runs)
    yield Heading("Summary")
    yield Lines(
        [
            f"{num_contributing} of {count_text(len(result.runs), 'run')} brought judged documents "
            "that no other group brought; the summary is of these",
            "place_left_out: by the scores left out of the run's group; all other runs keep theirs",
            *(_summary_sentence(summary, decimals) for summary in result.summary),
        ]
    )
    rows = list(_place_rows(result.summary, hurt_only=True))
    if rows:
        yield Heading("Who loses places", 4)
        yield _text_table(_PLACE_FIELDS, rows)


def _summary_sentence(summary: LeaveOutSummary, decimals: int) -> str:
    tau = "-" if math.isnan(summary.tau) else f"{summary.tau:.{decimals}f}"
    text = f"{summary.column.name}: Kendall's tau of the orders by score and by left_out: {tau}"
    worst = summary.largest_score_drop
    if worst is None:
        return f"{text}; no score gets worse"
    change = worst.left_out - worst.score
    text += f"; largest drop in score: {worst.run}, {change:.{decimals}f}"
    hurt = summary.most_hurt_run_of_each_group
    if not hurt:
        return f"{text}; no run loses a place"
    return (
        f"{text}; largest drop in place: {hurt[0].run}, from {hurt[0].place} to "
        f"{hurt[0].place_left_out} of {summary.num_runs}"
    )


def _summary_data(summary: LeaveOutSummary) -> dict[str, Any]:
    worst = summary.largest_score_drop
    data = {
        "measure": summary.column.name,
        "num_runs": summary.num_runs,
        "num_contributing": len(summary.places),
        "tau": summary.tau,
        "largest_drop": None if worst is None else _place_data(worst),
        "hurt": [_place_data(each) for each in summary.most_hurt_run_of_each_group],
    }
    checked: dict[str, Any] = finite_or_none(data)
    return checked


def _place_data(place: LeftOutPlace) -> dict[str, Any]:
    return {
        "run": place.run,
        "group": place.group,
        "score": place.score,
        "left_out": place.left_out,
        "place": place.place,
        "place_left_out": place.place_left_out,
    }


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
