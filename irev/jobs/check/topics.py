"""What runs and qrels have in common: their topics, ids, and documents that occur twice."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.arrays import (
    DocumentRanks,
    RowIndices,
    RowStarts,
    RowValues,
    TopicCounts,
    TopicIndices,
    TopicMask,
    TopicOfRow,
    largest_or_zero,
    lengths_of,
    offsets,
    ranges,
    segment_starts,
)
from irev.core.ids import concatenate_ids
from irev.core.judged import Duplicate, Rows
from irev.core.pairs import index_documents
from irev.core.record import cached_property
from irev.core.wording import count_text, shortened_list
from irev.engine.doubts import equal_score_warnings
from irev.engine.judged_counts import (
    MOST_SAMPLES,
    ORDER_DEPTH,
    SHALLOW,
    TOP,
    EqualScoreCounts,
    JudgedCounts,
    JudgedIds,
    count_topics_with_equal_scores,
    deep_topics,
    is_sparse,
    numbered_topic_counts,
    total_equal_scores,
)
from irev.engine.rank_columns import (
    exchanged_columns_warning,
    find_reversed_ranks,
    has_exchanged_columns,
    numbering_warnings,
    rank_order_warnings,
)
from irev.engine.spellings import group_by_form, normalised_topics
from irev.errors import id_text
from irev.jobs.check.findings import Findings, FindingTally
from irev.rank.ranking import RankingRule, first_rows, ranks_of_rows
from irev.read.sniff import KEEP_ONE
from irev.read.topics import duplicate_problem

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Sequence

    from irev.core.arrays import Bools, Floats, Ints
    from irev.core.ids import Ids
    from irev.core.pairs import DocumentIndex


# --- What runs and qrels have in common: their topics, ids, and documents that occur twice ---


class Topic(NamedTuple):
    """The N lines of a topic, in the order of the file.

    name     the topic
    docs     N document ids
    lines    N line numbers, from 1, rising
    values   float64[N] for each column of numbers; NaN where the text was none
    """

    name: bytes
    docs: list[bytes]
    lines: list[int]
    values: tuple[Floats, ...]


def topics_of(
    rows: Rows,
    topic_indices: TopicIndices,
    row_values: tuple[RowValues, ...],
    doc_prefix_of_row: Ids | None = None,
) -> Iterator[Topic]:
    """Some topics of some rows; a document with two prefixes, such as groups, is two."""
    start, stop = rows.start[topic_indices], rows.start[topic_indices + 1]
    row_indices = ranges(start, stop)
    docs = rows.docs.take(row_indices).to_list()
    if doc_prefix_of_row is not None:
        prefixes = doc_prefix_of_row.take(row_indices).to_list()
        docs = [b" ".join(pair) for pair in zip(prefixes, docs, strict=True)]
    lines = lines_of(rows)[row_indices].tolist()
    ends = offsets(stop - start).tolist()
    for index, first, after, row in zip(
        topic_indices.tolist(), ends, ends[1:], start.tolist(), strict=False
    ):
        columns = tuple(column[row : row + after - first] for column in row_values)
        yield Topic(rows.topics[index], docs[first:after], lines[first:after], columns)


def lines_of(rows: Rows) -> Ints:
    """int64[N]: the line of each row."""
    return np.arange(1, len(rows.value) + 1) if rows.line is None else rows.line


def tally_topics(tally: FindingTally, rows: Rows, topic_mask: TopicMask) -> None:
    """Count some topics, each in the line of its first row."""
    topic_indices = topic_mask.nonzero()[0]
    if len(topic_indices):
        lines = lines_of(rows)[rows.start[topic_indices]]
        first = int(lines.argmin())
        tally.see(int(lines[first]), rows.topics[topic_indices[first]], len(topic_indices))


def tell_row(
    code: str, message: str, rows: Rows, row: int, findings: Findings, hint: str = ""
) -> None:
    """Tell what is wrong with a row."""
    topic_id = rows.topics[int(rows.topic_of_row[row])]
    findings.add(
        code, message, line=rows.line_of(row), topic=topic_id, document=rows.docs[row], hint=hint
    )


def note_first_lines(
    texts: Ids, rows: Rows, line_of_text: dict[bytes, int], max_texts: int
) -> None:
    """Keep in which line each text of a column stands first, of so many texts."""
    code, distinct = texts.codes()
    first = np.full(len(distinct), np.iinfo(np.int64).max)
    np.minimum.at(first, code, lines_of(rows))
    for text, line in zip(distinct, first.tolist(), strict=True):
        if text in line_of_text or len(line_of_text) < max_texts:
            line_of_text[text] = min(line, line_of_text.get(text, line))


def sort_by_line(line_of_text: dict[bytes, int]) -> dict[bytes, int]:
    """Texts in the order of the lines in which they stand."""
    return dict(sorted(line_of_text.items(), key=lambda item: item[1]))


class LinesOfTopics:
    """The topics of a file, in order, and the lines in which they stand."""

    def __init__(self) -> None:
        self.ids: list[bytes] = []
        self._sizes: list[Ints] = [np.zeros(0, np.int64)]
        self._lines: list[Ints] = [np.zeros(0, np.int64)]

    def add(self, rows: Rows) -> None:
        """Take some whole topics."""
        self.ids += rows.topics
        self._sizes.append(rows.topic_lengths)
        self._lines.append(lines_of(rows))

    @property
    def sizes(self) -> TopicCounts:
        """How many rows each topic has."""
        return np.concatenate(self._sizes)

    @property
    def first_lines(self) -> TopicCounts:
        """The line of the first row of each topic."""
        return np.concatenate(self._lines)[offsets(self.sizes)[:-1]]

    def tell_scattered(self, findings: Findings) -> None:
        """Tell of each topic whose lines do not stand together where it first comes again."""
        lines = np.concatenate(self._lines)
        if (lines[1:] > lines[:-1]).all():
            return
        topic_of_row = np.arange(len(self.ids)).repeat(self.sizes)
        place = np.sort(lines).searchsorted(lines)
        is_gap = (np.diff(place) > 1) & (np.diff(topic_of_row) == 0)
        gap_topics, first_gaps = np.unique(topic_of_row[1:][is_gap], return_index=True)
        again_lines = lines[1:][is_gap][first_gaps]
        for topic_index, line in zip(gap_topics.tolist(), again_lines.tolist(), strict=True):
            topic = self.ids[topic_index]
            findings.add(
                "scattered-topic",
                f"topic '{id_text(topic)}': its lines are not contiguous",
                line=line,
                topic=topic,
                hint="some programs need sorted lines",
            )


def check_docno_pattern(rows: Rows, findings: Findings) -> None:
    """Tell of every document id that is not of the form that was asked for."""
    pattern = findings.rules.docno_pattern
    if pattern is None:
        return
    for row, document in enumerate(rows.docs.to_list()):
        if not pattern.fullmatch(document):
            message = f"document '{id_text(document)}' does not match {id_text(pattern.pattern)}"
            tell_row("docno-form", message, rows, row, findings)


def check_similar_topics(
    topic_ids: Sequence[bytes], findings: Findings, accepted_ids: Container[bytes] = ()
) -> None:
    """Tell of topics that differ only in leading zeros or case, unless all are accepted."""
    forms = normalised_topics(topic_ids)
    if len(set(forms)) == len(forms):
        return
    for alike in group_by_form(topic_ids).values():
        if len(alike) > 1 and not all(topic in accepted_ids for topic in alike):
            names = [f"'{id_text(topic)}'" for topic in alike]
            message = f"topics {shortened_list(names)} differ only in leading zeros or case"
            findings.add(
                "similar-topics", message, topic=alike[0], hint="they are different topics"
            )


def tell_repeated_documents(rows: Rows, findings: Findings) -> None:
    """Tell of every document of a topic that stood in it before."""
    for topic in topics_of(rows, topics_with_repeats(rows, rows.docs), ()):
        first_lines: dict[bytes, int] = {}
        for document, line in zip(topic.docs, topic.lines, strict=True):
            first_line = first_lines.setdefault(document, line)
            if first_line != line:
                tell_duplicate(topic.name, document, (first_line, line), KEEP_ONE, findings)


def topics_with_repeats(rows: Rows, docs: Ids, group_of_row: Ints | None = None) -> TopicIndices:
    """The indices of topics in which a document stands twice, or twice in one of their groups."""
    segment, num_segments = rows.topic_of_row, len(rows.topics)
    if group_of_row is not None:
        keys = segment * (largest_or_zero(group_of_row) + 1) + group_of_row
        distinct, segment = np.unique(keys, return_inverse=True)
        num_segments = len(distinct)
    pairs = index_documents(segment, num_segments, docs)
    repeated_rows = pairs[0] if isinstance(pairs, tuple) else np.zeros(0, np.int64)
    return np.unique(rows.topic_of_row[repeated_rows])


def tell_duplicate(
    topic_id: bytes, doc_id: bytes, lines: tuple[int, int], hint: str, findings: Findings
) -> None:
    """Tell of a document that stands in two lines of a topic."""
    problem = duplicate_problem("", Duplicate(topic_id, doc_id, *lines))
    findings.add(
        "duplicate-document", problem.message, line=problem.line, topic=topic_id, document=doc_id,
        hint=hint,
    )  # fmt: skip


def check_missing(
    code: str,
    missing_ids: Collection[bytes],
    present_ids: Iterable[bytes],
    predicate: str,
    findings: Findings,
    hint: str = "",
) -> None:
    """Tell of topics that one file has and another lacks; one spelled otherwise is named."""
    if not missing_ids:
        return
    similar_ids, without_similar = group_by_form(present_ids), []
    for name in sorted(missing_ids):
        similar = next(
            (each for plain in group_by_form([name]) for each in similar_ids.get(plain, ())), None
        )
        if similar is None:
            without_similar.append(name)
        else:
            near_hint = f"there is '{id_text(similar)}': zeros and case make a difference"
            tell_topics(code, [name], predicate, findings, hint=near_hint)
    tell_topics(code, without_similar, predicate, findings, hint=hint)


def tell_topics(
    code: str,
    topic_ids: Sequence[bytes],
    predicate: str,
    findings: Findings,
    *,
    line: int | None = None,
    hint: str = "",
) -> None:
    """Tell the same of several topics in one finding."""
    if not topic_ids:
        return
    topic_texts = [f"'{id_text(name)}'" for name in topic_ids]
    if len(topic_texts) == 1:
        findings.add(
            code, f"topic {topic_texts[0]} is {predicate}", line=line, topic=topic_ids[0], hint=hint
        )
    else:
        count = count_text(len(topic_texts), "topic")
        message = f"{count} are {predicate}: {shortened_list(topic_texts)}"
        findings.add(code, message, line=line, hint=hint)


def first_lines_text(line_of_text: dict[bytes, int], noun: str) -> str:
    """How many texts there are, and the lines in which they first stand."""
    text_places = [f"'{id_text(text)}' (line {line})" for text, line in line_of_text.items()]
    return f"{count_text(len(text_places), noun)}, {shortened_list(text_places)}"


# --- The topics of a run: ranks against scores, and ties ---


CUTOFFS = (5, 10, 20, 100, 1000)
"""The usual depths of measures."""


def best_documents(topic: Topic, count: int) -> list[bytes]:
    """The first documents by falling score, equal scores by falling id."""
    (score,) = topic.values
    pairs = zip(score.tolist(), topic.docs, strict=True)
    best = heapq.nlargest(count, (pair for pair in pairs if pair[0] == pair[0]))
    return [document for _, document in best]


def sort_in_topics(topic_of_row: TopicOfRow, *keys: Floats) -> RowIndices:
    """int64[N]: the rows by topic, of each by keys that rise, the first deciding."""
    before = topic_of_row[1:] == topic_of_row[:-1]
    falls = np.zeros_like(before)
    for key in keys:
        falls |= before & (key[1:] < key[:-1])
        before = before & (key[1:] == key[:-1])
    if falls.any():
        return np.lexsort((*reversed(keys), topic_of_row))
    return np.arange(len(topic_of_row))


@dataclass(eq=False, repr=False)
class Ranks:
    """What the rank column shows, topic by topic."""

    findings: Findings
    from_zero: FindingTally = field(default_factory=FindingTally)
    gaps: FindingTally = field(default_factory=FindingTally)
    num_reversed: int = 0
    num_ranked: int = 0
    are_exchanged: bool = True

    def see(self, rows: Rows, rank: RowValues) -> None:
        """Look at some topics: their ranks by themselves, and against the scores."""
        score = rows.value
        numbered = np.flatnonzero(~(np.isnan(rank) | np.isnan(score)))
        self.are_exchanged &= has_exchanged_columns(rows.topic_of_row, rank, score)
        if not len(numbered):
            return
        topic = rows.topic_of_row[numbered]
        # within a rank the best first, so that the last of one rank meets the best of the next
        order = numbered[sort_in_topics(topic, rank[numbered], -score[numbered])]
        start = segment_starts(topic, len(rows.topics))
        is_same_topic = topic[1:] == topic[:-1]
        steps = np.where(is_same_topic, np.diff(rank[order]), np.nan)
        first_rank = np.full(len(rows.topics), np.nan)
        first_rank[topic[::-1]] = rank[order[::-1]]  # of several the last, which is the first here
        tally_topics(self.from_zero, rows, first_rank == 0)
        # a line that cannot be read leaves a gap, too
        has_gap = first_rank > 1
        has_gap[topic[1:][steps > 1]] = True
        has_gap &= lengths_of(start) == rows.topic_lengths
        tally_topics(self.gaps, rows, has_gap)
        ranks = find_reversed_ranks(topic, rank[order], score[order], len(rows.topics))
        self.num_ranked += int(ranks.is_comparable_topic.sum())
        self.num_reversed += int(ranks.is_reversed_topic.sum())
        is_odd = (steps == 0) | ranks.next_row_rises
        odd_topics = np.unique(topic[1:][is_odd])
        for index, odd_topic in zip(
            odd_topics.tolist(), topics_of(rows, odd_topics, (rank, score)), strict=True
        ):
            self._tell_steps(odd_topic, order[start[index] : start[index + 1]] - rows.start[index])

    def _tell_steps(self, topic: Topic, rows_in_order: RowIndices) -> None:
        """Tell of ranks that are repeated, and of scores that rise, in a topic's order."""
        rank, score = topic.values
        steps = np.diff(rank[rows_in_order])
        if (steps == 0).any():
            self._tell_repeated_ranks(
                topic, rows_in_order[np.flatnonzero(steps == 0)], rows_in_order
            )
        rising_steps = np.flatnonzero(
            (steps > 0) & (score[rows_in_order][1:] > score[rows_in_order][:-1])
        )
        if len(rising_steps):
            self._tell_rising_scores(topic, rows_in_order, rising_steps, int((steps > 0).sum()))

    def _tell_repeated_ranks(
        self, topic: Topic, repeated_rows: RowIndices, rows_in_order: RowIndices
    ) -> None:
        rank = topic.values[0]
        ranks = sorted({int(number) for number in rank[repeated_rows]})
        rows = np.flatnonzero(rank == rank[repeated_rows[0]])
        self.findings.add(
            "repeated-rank",
            f"rank {ranks[0]} occurs on {len(rows)} lines of topic '{id_text(topic.name)}'"
            + (f"; so do {count_text(len(ranks) - 1, 'other rank')}" if len(ranks) > 1 else ""),
            line=topic.lines[int(rows[1])],
            topic=topic.name,
            hint="each rank should occur once per topic",
        )

    def _tell_rising_scores(
        self, topic: Topic, rows_in_order: RowIndices, rising_steps: Ints, num_steps: int
    ) -> None:
        rank, score = topic.values
        upper_row, lower_row = (
            int(rows_in_order[rising_steps[0]]),
            int(rows_in_order[rising_steps[0] + 1]),
        )
        hint = "the score alone orders the documents; the rank is not read"
        if len(rising_steps) == num_steps > 1:
            hint = "scores rise from rank to rank: distances, where lower is better, are negated"
        self.findings.add(
            "rank-order",
            f"rank {int(rank[lower_row])} has score {score[lower_row]:g}, which is more than "
            f"{score[upper_row]:g} at rank {int(rank[upper_row])}; "
            f"{count_text(len(rising_steps), 'such step')} in topic '{id_text(topic.name)}'",
            line=topic.lines[lower_row],
            topic=topic.name,
            document=topic.docs[lower_row],
            hint=hint,
        )

    def tell(self) -> None:
        """Say what is said once for a file."""
        self.findings.add_notices(rank_order_warnings(self.num_reversed, self.num_ranked))
        if self.are_exchanged and self.num_ranked:
            self.findings.add_notices([exchanged_columns_warning()])
        if self.from_zero.count:
            message = f"ranks begin at 0 in {count_text(self.from_zero.count, 'topic')}"
            self.findings.add(
                "ranks-from-zero", message, line=self.from_zero.line, topic=self.from_zero.topic
            )
        if self.gaps.count:
            message = (
                f"ranks are missing in {count_text(self.gaps.count, 'topic')}; this is the first"
            )
            self.findings.add("rank-gap", message, line=self.gaps.line, topic=self.gaps.topic)


@dataclass(eq=False, repr=False)
class Ties:
    """Equal scores, topic by topic.

    A document is tied where another of its topic has the same score; those are one group.
    """

    findings: Findings
    num_groups: int = 0
    num_documents: int = 0
    num_topics: int = 0
    has_ranks: bool = False
    topics_at_cutoff: dict[int, list[bytes]] = field(default_factory=dict)
    equal_scores: EqualScoreCounts = field(default_factory=EqualScoreCounts)

    def see(self, rows: Rows, *, has_ranks: bool = True) -> None:
        """Look at the scores of some topics, which without ranks beside them may be ranks."""
        self.has_ranks |= has_ranks
        scored = np.flatnonzero(~np.isnan(rows.value))
        if len(scored) == len(rows.value):
            deep = deep_topics(rows, set(rows.topics))
            first = first_rows(rows, rows.value, deep, ORDER_DEPTH)
            own = count_topics_with_equal_scores(rows.value[first], rows.topic_lengths[deep])
            if not has_ranks:
                own = own._replace(num_numbered=numbered_topic_counts(rows, deep).num_numbered)
            self.equal_scores = total_equal_scores([self.equal_scores, own]) or own
        topic, score = rows.topic_of_row[scored], rows.value[scored]
        falling = score[sort_in_topics(topic, -score)]
        is_equal = (falling[1:] == falling[:-1]) & (topic[1:] == topic[:-1])
        if not is_equal.any():
            return
        num_equal = np.bincount(topic[1:][is_equal], minlength=len(rows.topics))
        num_groups = int(is_equal[0]) + int((is_equal[1:] & ~is_equal[:-1]).sum())
        self.num_groups += num_groups
        self.num_documents += num_groups + int(num_equal.sum())
        self.num_topics += int((num_equal > 0).sum())
        start = segment_starts(topic, len(rows.topics))
        self._see_cutoffs(rows.topics, start, is_equal)
        is_constant = (num_equal > 0) & (num_equal == rows.topic_lengths - 1)
        lines = lines_of(rows)[rows.start[:-1]]
        for index in np.flatnonzero(is_constant).tolist():
            self.findings.add(
                "constant-scores",
                f"all {num_equal[index] + 1} documents of topic '{id_text(rows.topics[index])}' "
                f"have the score {falling[start[index + 1] - 1]:g}",
                line=int(lines[index]),
                topic=rows.topics[index],
                hint="document ids decide the order then, not the ranks",
            )

    def _see_cutoffs(self, topics: Sequence[bytes], start: RowStarts, is_equal: Bools) -> None:
        """Look at which topics have equal scores on both sides of a cutoff."""
        indices_at_cutoff = {}
        for cutoff in CUTOFFS:
            deep = np.flatnonzero(lengths_of(start) > cutoff)
            tied = deep[is_equal[start[deep] + cutoff - 1]]
            if len(tied):
                indices_at_cutoff[cutoff] = tied.tolist()
        # in the order in which topics have them
        for cutoff, indices in sorted(indices_at_cutoff.items(), key=lambda item: item[1][0]):
            names = self.topics_at_cutoff.setdefault(cutoff, [])
            names += (topics[index] for index in indices)

    def tell(self, num_run_topics: int) -> None:
        """Say where ties decide what counts, in how many of the run's topics."""
        self.findings.add_notices(numbering_warnings([self.equal_scores]))
        warnings = equal_score_warnings(self.equal_scores, has_ranks=self.has_ranks)
        self.findings.add_notices(warnings)
        for cutoff in CUTOFFS:
            topics = [f"'{id_text(name)}'" for name in self.topics_at_cutoff.get(cutoff, ())]
            if topics:
                self.findings.add(
                    "tie-at-cutoff",
                    f"the documents at ranks {cutoff} and {cutoff + 1} have equal scores in "
                    f"{len(topics)} of {count_text(num_run_topics, 'topic')}: "
                    f"{shortened_list(topics)}",
                    hint="ids decide which counts; irev --tie-range shows how much it matters",
                )


# --- What a run's documents are held against: who was judged, and how much of the run that is ---


class JudgedDocuments:
    """The documents in the judgments of each topic: judged, or in the pool alone.

    has_nonrelevant  whether some of them have the grade 0
    """

    def __init__(self, level: float = 1) -> None:
        self._level = level
        self._index_of_topic: dict[bytes, int] = {}
        self._parts: list[tuple[Ints, Ids, Floats]] = []
        self.has_nonrelevant = False

    def __getstate__(self) -> dict[str, Any]:
        """What another process is told: not the tables of hashes, whose key it does not have."""
        tables = ("judged_index", "pooled_index")
        return {name: value for name, value in self.__dict__.items() if name not in tables}

    def add(self, rows: Rows) -> None:
        """Take the judgments of some whole topics; a row whose grade is no number is none."""
        graded = np.flatnonzero(~np.isnan(rows.value))
        topic_of_row = rows.topic_of_row[graded] + len(self._index_of_topic)
        self._parts.append((topic_of_row, rows.docs.take(graded).compact(), rows.value[graded]))
        self._index_of_topic.update(zip(rows.topics, count(len(self._index_of_topic))))
        is_nonrelevant = (rows.value >= 0) & (rows.value < self._level)
        self.has_nonrelevant |= bool(is_nonrelevant.any())

    def __contains__(self, topic: object) -> bool:
        """Whether the topic is judged."""
        return topic in self._index_of_topic

    def topics(self) -> list[bytes]:
        """The judged topics, in the order of the file."""
        return list(self._index_of_topic)

    def topic_indices(self, topic_ids: Sequence[bytes]) -> TopicIndices:
        """int64[T]: which of the judged topics each one is, or -1."""
        return np.array([self._index_of_topic.get(topic, -1) for topic in topic_ids], np.int64)

    @property
    def _columns(self) -> tuple[TopicOfRow, Ids, RowValues]:
        """The topic, the document and the grade of each judgment."""
        if len(self._parts) > 1:
            topics, docs, grades = zip(*self._parts, strict=True)
            self._parts = [(np.concatenate(topics), concatenate_ids(docs), np.concatenate(grades))]
        return self._parts[0]

    @cached_property
    def pooled_index(self) -> DocumentIndex:
        """Finds the documents of each topic."""
        return self._index_rows(np.arange(len(self._columns[0])))

    @cached_property
    def judged_index(self) -> DocumentIndex:
        """The same of those that are not in the pool alone."""
        is_judged = self._columns[2] >= 0
        return self.pooled_index if is_judged.all() else self._index_rows(is_judged.nonzero()[0])

    def prepare(self) -> None:
        """Make ready what finds documents."""
        if self._index_of_topic:
            _ = self.judged_index, self.pooled_index

    def _index_rows(self, row_indices: RowIndices) -> DocumentIndex:
        topic_of_row, docs, _ = self._columns
        while True:
            index = index_documents(
                topic_of_row[row_indices], len(self._index_of_topic), docs.take(row_indices)
            )
            if not isinstance(index, tuple):
                return index
            row_indices = np.delete(row_indices, index[1])

    def pooled_documents(self, topic: bytes) -> set[bytes]:
        """The documents of a topic."""
        topic_of_row, docs, _ = self._columns
        index = self._index_of_topic[topic]
        return set(docs.take(slice(*topic_of_row.searchsorted([index, index + 1]))).to_list())

    @property
    def judged_ids(self) -> JudgedIds:
        """What a doubt about a run needs of them."""
        num_judgments = sum(len(grades) for _, _, grades in self._parts)
        few = is_sparse(num_judgments, len(self._index_of_topic), self.has_nonrelevant)
        return JudgedIds(self.pooled_documents, lambda: set(self._columns[1].to_list()), few)


class Coverage:
    """How much of a run is judged, topic by topic."""

    def __init__(self, judgments: JudgedDocuments) -> None:
        self.judgments = judgments
        self.num_retrieved = self.num_judged = self._shallow = self._shallow_judged = 0
        self._shallow_pooled = self._top_pooled = 0
        self._depths = [np.zeros(0, np.int64)]
        self._samples: list[tuple[bytes, list[bytes]]] = []

    def see(self, rows: Rows) -> None:
        """Take some whole topics: of those that are judged, all documents and the first ones."""
        judged_topic = self.judgments.topic_indices(rows.topics)
        judged_topics = np.flatnonzero(judged_topic >= 0)
        if not len(judged_topics):
            return
        sampled_topics = judged_topics[: MOST_SAMPLES - len(self._samples)]
        for topic in topics_of(rows, sampled_topics, (rows.value,)):
            self._samples.append((topic.name, best_documents(topic, SHALLOW)))
        row_indices = ranges(rows.start[judged_topics], rows.start[judged_topics + 1])
        docs = rows.docs.take(row_indices)
        pairs = judged_topic[rows.topic_of_row[row_indices]], docs, docs.hashes()
        rank = _ranks_in_topics(rows)[row_indices]
        is_first = rank <= SHALLOW
        judged_rows, _ = self.judgments.judged_index.find(*pairs)
        pooled_rows, _ = self.judgments.pooled_index.find(*pairs)
        self.num_retrieved += len(row_indices)
        self.num_judged += len(judged_rows)
        self._shallow += int(np.count_nonzero(is_first))
        self._shallow_judged += int(np.count_nonzero(is_first[judged_rows]))
        self._shallow_pooled += int(np.count_nonzero(is_first[pooled_rows]))
        self._top_pooled += int(np.count_nonzero(rank[pooled_rows] <= TOP))
        self._depths.append(rows.topic_lengths[judged_topics])

    @property
    def share(self) -> float:
        """Which share of the documents up to rank `SHALLOW` is judged; 0 where there are none."""
        return self._shallow_judged / self._shallow if self._shallow else 0.0

    @property
    def judged_counts(self) -> JudgedCounts:
        """What a doubt about the run needs."""
        return JudgedCounts(
            self.num_retrieved, self.num_judged > 0, self._shallow, self._shallow_pooled,
            depths=np.concatenate(self._depths), samples=tuple(self._samples),
            top_judged=self._top_pooled,
        )  # fmt: skip


def _ranks_in_topics(rows: Rows) -> DocumentRanks:
    """int64[N]: the rank of each document; far behind, where its score is no number."""
    scored = np.flatnonzero(~np.isnan(rows.value))
    start = offsets(np.bincount(rows.topic_of_row[scored], minlength=len(rows.topics)))
    scored_rows = Rows(rows.topics, start, rows.docs.take(scored), rows.value[scored])
    rank = np.full(len(rows.value), np.iinfo(np.int64).max)
    rank[scored] = ranks_of_rows(scored_rows, RankingRule())
    return rank
