"""Judgments of which some were drawn: lines of qrels, the result of a job, and its documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from irev.core.arrays import Floats, Ints
from irev.core.displayed import WIDTH
from irev.core.ids import Ids
from irev.core.packages import need_packages
from irev.core.record import record
from irev.core.text import as_text, count_text, parse_whole
from irev.errors import Notice, UsageError
from irev.jobs.result import Result
from irev.read.formats import JUDGMENTS
from irev.writers.document import Document, Head, Records, Table

if TYPE_CHECKING:
    import pandas as pd

    from irev.jobs.pool.pool import PoolResult


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

    def text(
        self,
        form: str = "text",
        decimals: int = 4,
        width: int | None = WIDTH,
        *,
        details: bool = False,
    ) -> str:
        """The lines of the samples, or their tables in a form of output.

        Args:
            form: "qrels" for lines of judgments, "strata" for such with the stratum of each
                document, or what `Result.text` takes.
            decimals: how many, in the forms that people read.
            width: characters in a line of a table; None: however many it needs.
            details: whether the details are shown too, where there are some.
        """
        if form not in (QRELS, STRATA):
            return super().text(form, decimals, width, details=details)
        blocks = (block for sample in self.samples for block in sample.line_blocks(form))
        return b"".join(blocks).decode("utf-8", "backslashreplace").rstrip("\n")

    def to_frame(self, *, strata: bool = False) -> pd.DataFrame:
        """The first sample: topic, iteration, document, grade; with `strata` the stratum too."""
        if not strata:
            return super().to_frame()
        need_packages("pandas")
        import pandas as pd

        records = _records_of_each_sample(self, STRATA)[0]
        return pd.DataFrame(list(map(list, records.rows)), columns=list(records.fields))

    def _subject(self) -> str:
        return count_text(len(self.samples), "sample")


# --- Lists of documents and samples as documents ---


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
    return _lists_document("sample", _records_of_each_sample(result, QRELS), lines)


def _records_of_each_sample(result: SampleResult, qrels_format: str) -> list[Records]:
    return [
        _records_of_lines(
            name, sample.field_names(qrels_format), _whole_lines(sample.line_blocks(qrels_format))
        )
        for name, sample in zip(result.sample_names, result.samples, strict=True)
    ]


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


def _parse_grade(text: str) -> float:
    number = parse_whole(text)
    return float(text) if number is None else number


def _whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    for block in blocks:
        yield from block.splitlines()


def _lists_document(title: str, lists: Sequence[Records], lines: Iterable[bytes]) -> Document:
    tables = [
        Table(
            [Head(field, "text") for field in records.fields],
            [[str(cell) for cell in row] for row in records.rows],
        )
        for records in lists
    ]
    return Document(
        title,
        tables,
        lists,
        lambda: [row for table in tables for row in table.rows],
        [as_text(line) for line in lines],
    )
