"""What pools and samples give as documents: lists of documents, qrels, the leave-out test."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from irev.core.arrays import Floats, Ints
from irev.core.displayed import WIDTH, import_attribute
from irev.core.ids import Ids
from irev.core.record import record
from irev.core.text import as_text, parse_whole
from irev.core.wording import count_text
from irev.errors import Notice, UsageError
from irev.jobs.result import Result
from irev.read.formats import JUDGMENTS
from irev.writers.document import Document, Head, Heading, Lines, Records, Table
from irev.writers.machine import finite_or_none, signature_data

if TYPE_CHECKING:
    import pandas as pd

    from irev.jobs.pool.leave_one_out import (
        LeaveOneOutResult,
        LeaveOutSummary,
        LeftOutPlace,
        LeftOutRun,
    )
    from irev.jobs.pool.pool import PoolResult
    from irev.writers.document import Cell, Part


# --- Judgments of which some were drawn, as lines of qrels and as the result of a job ---


UNJUDGED = -1.0
"""The grade of a document that is in the pool and not in the sample."""

QRELS, STRATA = "qrels", "strata"
"""Formats of judgments: four columns, or five, with the stratum."""

_LINES_AT_ONCE = 1 << 16


class DrawnSample(Protocol):
    """A sample: what is left of judgments, or of the documents of a collection.

    notices  what a reader must know of it
    """

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a reader must know."""

    def field_names(self, qrels_format: str) -> tuple[str, ...]:
        """What the fields of its lines hold."""

    def line_blocks(self, qrels_format: str) -> Iterator[bytes]:
        """Its lines, in blocks."""


@record
class QrelsSample:
    """N judged and pooled documents by topic, with the grades of those that were drawn.

    topics   T ids
    topic    int64[N], the topic of each document
    docs     N document ids
    grade    float64[N], below 0 for what is not judged
    strata   the names of the strata; empty: there are none
    stratum  int64[N], the stratum of each document
    """

    topics: Sequence[bytes]
    topic: Ints
    docs: Ids
    grade: Floats
    strata: Sequence[str]
    stratum: Ints
    notices: tuple[Notice, ...] = ()

    def field_names(self, qrels_format: str) -> tuple[str, ...]:
        """What the fields of its lines hold."""
        return tuple(JUDGMENTS[qrels_format].layouts[0].fields)

    def line_blocks(self, qrels_format: str) -> Iterator[bytes]:
        """Lines `TOPIC 0 DOCUMENT [STRATUM] GRADE`, by topic as they come and document id."""
        has_strata = qrels_format == STRATA
        if has_strata and not self.strata:
            raise UsageError("a sample that takes documents away has no strata")
        order = np.lexsort((*self.docs.sort_keys(), self.topic))
        for first in range(0, len(order), _LINES_AT_ONCE):
            rows = order[first : first + _LINES_AT_ONCE]
            topic_ids = [self.topics[index] for index in self.topic[rows].tolist()]
            grades = [_grade_text(grade) for grade in self.grade[rows].tolist()]
            document_ids = self.docs.take(rows).compact().to_list()
            if has_strata:
                names = [self.strata[index].encode() for index in self.stratum[rows].tolist()]
                fields = zip(topic_ids, document_ids, names, grades, strict=True)
                yield b"".join([b"%b 0 %b %b %b\n" % each for each in fields])
            else:
                triples = zip(topic_ids, document_ids, grades, strict=True)
                yield b"".join([b"%b 0 %b %b\n" % each for each in triples])


def _grade_text(grade: float) -> bytes:
    """A grade as it is written: whole where it is whole, -1 where there is none."""
    if grade < 0:
        return b"-1"
    return str(int(grade) if grade == int(grade) else grade).encode()


@record
class SampleResult(Result):
    """Samples of judgments, or of a collection: `to_frame()` has a row for each document.

    Several samples are numbered by their replicates, as `to_frames()` has them: "sample-0",
    "sample-1" ...
    """

    samples: tuple[DrawnSample, ...]
    first_replicate: int = 0

    shown_by: ClassVar[str] = "irev.jobs.pool.document:samples_document"

    @property
    def sample_names(self) -> list[str]:
        """What the samples are called."""
        if len(self.samples) == 1:
            return ["sample"]
        return [f"sample-{self.first_replicate + n}" for n in range(len(self.samples))]

    def text(self, form: str = "text", decimals: int = 4, width: int | None = WIDTH) -> str:
        """The lines of the samples, or their tables in a form of output.

        Args:
            form: "qrels" for lines of judgments, "strata" for such with the stratum of each
                document, or what `Result.text` takes.
            decimals: how many, in the forms that people read.
            width: characters in a line of a table; None: however many it needs.
        """
        if form not in (QRELS, STRATA):
            return super().text(form, decimals, width)
        blocks = (block for sample in self.samples for block in sample.line_blocks(form))
        return b"".join(blocks).decode("utf-8", "backslashreplace").rstrip("\n")

    def to_frame(self, *, strata: bool = False) -> pd.DataFrame:
        """The first sample: topic, iteration, document, grade; with `strata` the stratum too."""
        if not strata:
            return super().to_frame()
        import pandas as pd

        records: Records = import_attribute("irev.jobs.pool.document:records_of_each_sample")(
            self, STRATA
        )[0]
        return pd.DataFrame(list(map(list, records.rows)), columns=list(records.fields))

    def _subject(self) -> str:
        return count_text(len(self.samples), "sample")


# --- What pools and samples give as documents: lists of documents, qrels, the leave-out test ---


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
