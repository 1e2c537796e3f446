"""What passes between the rooms: small, frozen, documented columns.

Shapes are written with these letters everywhere: T topics (or judged lists), N rows of a run,
M rows of the qrels, J judged documents that were retrieved, K cutoffs, C columns of a result.
A topic is a contiguous slice of rows. Ranks count from 1. Ids are bytes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irev.core.arrays import (
    Bools,
    DocumentRanks,
    Floats,
    Ints,
    RankCounter,
    RowIndices,
    RowMask,
    RowStarts,
    TopicCounts,
    TopicOfRow,
    Words,
    lengths_of,
    offsets,
    ranges,
    ranks_in_segments,
    segment_starts,
)
from irev.core.extras import NO_RANKING_EXTRAS, RankingExtras, RunScores, TieSpans
from irev.core.memo import TopicMemo
from irev.core.record import cached_property, record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.ids import Ids

SMALLEST_MEAN_FACTOR = 0.00001
"""What a topic's value counts as at least, in a geometric mean (trec_eval's MIN_GEO_MEAN)."""

_MOST_SAMPLED = 32


@record
class Rows:
    """Some whole topics of a run or of qrels, as columns.

    topics   T ids; none occurs twice
    start    int64[T+1], each topic's slice of the rows
    docs     N document ids
    value    float64[N], scores of a run or grades of qrels
    groups   further id columns of N rows (judgment group, subgroup), where the format has them
    line     int64[N], the line of each row, from 1; None: row i is line i + 1
    """

    topics: list[bytes]
    start: Ints
    docs: Ids
    value: Floats
    groups: tuple[Ids, ...] = ()
    line: Ints | None = None

    @cached_property
    def topic_of_row(self) -> TopicOfRow:
        """The topic of each row."""
        if len(self.topics) == 1:
            return np.zeros(len(self.value), np.int64)
        return np.arange(len(self.topics)).repeat(self.topic_lengths)

    @cached_property
    def topic_lengths(self) -> TopicCounts:
        """int64[T]: how many rows each topic has."""
        return lengths_of(self.start)

    def clear_flags_across_topics(self, flag_of_row_and_next: Bools) -> Bools:
        """The flags bool[N-1] of each row and the next, set to False where the topic changes."""
        if len(self.topics) > 1:
            first = self.start[(self.start > 0) & (self.start < len(self.value))]
            flag_of_row_and_next[first - 1] = False
        return flag_of_row_and_next

    def line_of(self, row: int) -> int:
        """The line that a row stood in."""
        return row + 1 if self.line is None else int(self.line[row])


BatchesOfWholeTopics: TypeAlias = "Iterator[Rows]"
"""Many topics at a time, each whole."""


@record(eq=True)
class Duplicate:
    """A document that stands twice in a topic, with the lines, from 1."""

    topic: bytes
    document: bytes
    first: int
    second: int


class DuplicatesError(Exception):
    """Rows in which documents stand twice; whoever knows the file makes problems of them."""

    def __init__(self, duplicates: list[Duplicate]) -> None:
        """Keep them, in the order of their lines."""
        self.duplicates = duplicates
        super().__init__(duplicates)


@record
class Qrels:
    """Judgments, made ready to be looked up by many runs.

    A judged list is the judgments of a topic, or of one group of judges for it. Rows of a list lie
    together, ordered by the hash of the document.

    topics       T ids, in byte order
    list_start   int64[T+1], each topic's slice of the L lists
    start, stop  int64[L], each list's slice of the M rows
    docs         M document ids
    grade        float64[M]; below 0: pooled but unjudged
    level_start  int64[L+1], each list's slice of the two below
    level_grade  float64[], the grades >= 0 that occur in the list, rising
    level_count  int64[], how many documents have that grade
    """

    topics: tuple[bytes, ...]
    list_start: Ints
    start: Ints
    stop: Ints
    docs: Ids
    grade: Floats
    level_start: Ints
    level_grade: Floats
    level_count: Ints

    def __getstate__(self) -> dict[str, Any]:
        """What another process is told: not the hashes, whose key it does not have, nor sets."""
        derived = ("hashes", "all_ids", "topic_memo", "sampled_topics")
        return {name: value for name, value in self.__dict__.items() if name not in derived}

    @cached_property
    def hashes(self) -> Words:
        """uint64[M]: the hashes of the documents."""
        return self.docs.hashes()

    @cached_property
    def topic_memo(self) -> TopicMemo[Any]:
        """What was worked out for some of the topics when runs were ranked."""
        return TopicMemo()

    @cached_property
    def sampled_topics(self) -> frozenset[bytes]:
        """Some of the topics, evenly spaced, which stand for all where a look must be quick."""
        return frozenset(self.topics[:: max(1, -(-len(self.topics) // _MOST_SAMPLED))])

    @cached_property
    def all_ids(self) -> frozenset[bytes]:
        """Every document that is in the qrels of some topic."""
        return frozenset(self.docs.to_list())

    @cached_property
    def has_pooled(self) -> bool:
        """Whether a document is pooled but unjudged."""
        return bool((self.grade < 0).any())

    @cached_property
    def has_nonrelevant(self) -> bool:
        """Whether a document has the grade 0."""
        return bool((self.grade == 0).any())

    @cached_property
    def topic_index(self) -> dict[bytes, int]:
        """The place of each topic among `topics`."""
        return {topic: number for number, topic in enumerate(self.topics)}

    @cached_property
    def topic_of_list(self) -> TopicOfRow:
        """int64[L]: the topic of each list."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.list_start))

    @cached_property
    def judged_list_of_row(self) -> Ints:
        """int64[M]: the list of each row."""
        list_index = np.empty(len(self.grade), np.int64)
        length = self.stop - self.start
        list_index[ranges(self.start, self.stop)] = np.repeat(np.arange(len(length)), length)
        return list_index

    @cached_property
    def topic_of_row(self) -> TopicOfRow:
        """int64[M]: the topic of each row."""
        return self.topic_of_list[self.judged_list_of_row]


@record(eq=True)
class Settings:
    """The definitions that all measures of an evaluation share.

    `level` is the smallest relevant grade (at least 0); `collection_size` the number of documents
    in the collection; `recall_rounding` how p * R becomes a number of relevant documents:
    "nearest" (trec_eval 10: halves away from zero) or "upward" (trec_eval 9: trunc(p * R + 0.9)).
    `gain_level` is the smallest grade that may have a gain: above 0 only where a measure's own name
    has a level (`nDCG(rel=2)`), for the level that all share leaves gains alone, as in trec_eval.
    `depth` is how far estimates from samples go down a ranking that they are not cut at.
    """

    level: float = 1
    collection_size: int = 0
    recall_rounding: str = "nearest"
    gain_level: float = 0
    depth: int = 1000


@record
class Judged:
    """What measures see: many rankings at once, sparse.

    One row for each retrieved document that is in its topic's qrels, ordered by topic and rank.

    topic             int64[J]    which ranking, 0..T-1, rising
    rank              int64[J]    from 1, rising within a topic
    grade             float64[J]  the judgment: >= 0 judged, -2 pooled but unjudged
                                  (-1, not in the qrels, occurs only in `include_unjudged()`)
    num_ret           int64[T]    how many documents were retrieved
    level_start       int64[T+1]  each topic's slice of the two below
    level_grade       float64[L]  the grades >= 0 that the topic's judgments hold, rising
    level_count       int64[L]    how many judged documents have that grade, retrieved or not
    settings          the definitions that all measures share
    pooled_counts     int64[T], how many documents of the topic are pooled but unjudged, retrieved
                      or not; None: nobody counted them
    extras            ties, scores and unjudged documents, where a measure asks for them
    list_memos        for each of the settings the table's grades and what follows from them: kept
                      for all rankings that are held against the same lists
    """

    topic: Ints
    rank: Ints
    grade: Floats
    num_ret: Ints
    level_start: Ints
    level_grade: Floats
    level_count: Ints
    settings: Settings
    pooled_counts: Ints | None = None
    extras: RankingExtras = NO_RANKING_EXTRAS
    list_memos: dict[Settings, tuple[Floats, dict[Any, Any]]] = field(default_factory=dict)

    @property
    def ties(self) -> TieSpans | None:
        """Which documents have equal scores, where a measure asks for it."""
        return self.extras.ties

    @property
    def scores(self) -> RunScores | None:
        """The scores, where a measure asks for them and they are read (not with ranks)."""
        return self.extras.scores

    @property
    def num_topics(self) -> int:
        """T, the number of rankings."""
        return len(self.num_ret)

    @property
    def num_pooled_unjudged(self) -> TopicCounts:
        """Pooled but unjudged documents, retrieved or not; 0 where nobody counted."""
        return (
            np.zeros(self.num_topics, np.int64)
            if self.pooled_counts is None
            else self.pooled_counts
        )

    @cached_property
    def level_topic(self) -> TopicOfRow:
        """int64[L]: the topic of each row of the grade table."""
        return np.arange(self.num_topics).repeat(lengths_of(self.level_start))

    @cached_property
    def row_start(self) -> RowStarts:
        """int64[T+1]: each topic's slice of the J rows."""
        return segment_starts(self.topic, self.num_topics)

    @cached_property
    def is_judged(self) -> RowMask:
        """bool[J]: has a grade, that is, not merely pooled."""
        return self.grade >= 0

    @cached_property
    def is_relevant(self) -> RowMask:
        """bool[J]: the grade reaches the level."""
        return self.grade >= self.settings.level

    @cached_property
    def relevant_rows(self) -> RowIndices:
        """int64[Jr]: where the relevant documents stand among the J rows."""
        return self.is_relevant.nonzero()[0]

    @cached_property
    def relevant_topic(self) -> TopicOfRow:
        """int64[Jr]: the topic of each relevant document retrieved."""
        return self.topic[self.relevant_rows]

    @cached_property
    def relevant_rank(self) -> DocumentRanks:
        """int64[Jr]: the rank of each relevant document retrieved."""
        return self.rank[self.relevant_rows]

    @cached_property
    def relevant_start(self) -> RowStarts:
        """int64[T+1]: each topic's slice of the relevant documents retrieved."""
        if self.num_topics == 1:
            return np.array((0, len(self.relevant_rows)))
        return segment_starts(self.relevant_topic, self.num_topics)

    @cached_property
    def relevant_nth(self) -> Ints:
        """int64[Jr]: how many relevant documents up to and including this one, in its topic."""
        return ranks_in_segments(self.relevant_start)

    @cached_property
    def num_rel_ret(self) -> TopicCounts:
        """Relevant documents retrieved."""
        return lengths_of(self.relevant_start)

    @cached_property
    def num_rel(self) -> TopicCounts:
        """int64[T]: R, relevant documents in the qrels, retrieved or not."""
        num_rel: Ints | None = self.memo_of_lists.get("num_rel")
        if num_rel is None:
            num_rel = self._count_levels(self.level_grade >= self.settings.level)
            self.memo_of_lists["num_rel"] = num_rel
        return num_rel

    @cached_property
    def num_nonrel(self) -> TopicCounts:
        """Documents in the qrels judged below the level, retrieved or not."""
        return self._count_levels(self.level_grade < self.settings.level)

    @cached_property
    def judged_rows(self) -> RowIndices | slice:
        """Which of the J rows are judged: mostly all of them."""
        return slice(None) if self.is_judged.all() else np.flatnonzero(self.is_judged)

    @cached_property
    def judged_topic(self) -> TopicOfRow:
        """int64[Jj]: the topic of each judged document retrieved."""
        return self.topic[self.judged_rows]

    @cached_property
    def judged_rank(self) -> DocumentRanks:
        """int64[Jj]: the rank of each judged document retrieved."""
        return self.rank[self.judged_rows]

    @cached_property
    def judged_start(self) -> RowStarts:
        """int64[T+1]: each topic's slice of the judged documents retrieved."""
        return segment_starts(self.judged_topic, self.num_topics)

    @cached_property
    def num_judged_ret(self) -> TopicCounts:
        """Judged documents retrieved (pooled but unjudged ones are not)."""
        return lengths_of(self.judged_start)

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Intermediate results that several measures use, kept by what they are."""
        return {}

    @cached_property
    def memo_of_lists(self) -> dict[Any, Any]:
        """The same for what follows from the table of grades and the settings alone."""
        grades, memo = self.list_memos.setdefault(self.settings, (self.level_grade, {}))
        return memo if grades is self.level_grade else {}

    def _count_levels(self, level_mask: Bools) -> Ints:
        counts = np.bincount(
            self.level_topic[level_mask], self.level_count[level_mask], minlength=self.num_topics
        )
        return counts.astype(np.int64)

    @cached_property
    def relevant_index(self) -> RankCounter:
        """Counts each topic's relevant documents up to given ranks."""
        return RankCounter.build(self.relevant_topic, self.relevant_rank, self.relevant_start)

    @cached_property
    def judged_index(self) -> RankCounter:
        """Counts each topic's judged documents up to given ranks."""
        return RankCounter.build(self.judged_topic, self.judged_rank, self.judged_start)

    def at_level(self, level: float | None, *, condensed: bool) -> Judged:
        """The same rankings under another level, or with unjudged documents dropped."""
        if not condensed and (level is None or self._has_level(level)):
            return self
        key = ("at_level", level, condensed)
        if key not in self.memo:
            rankings = self.condense() if condensed else self
            if level is not None:
                settings = replace(rankings.settings, level=level, gain_level=level)
                rankings = replace(rankings, settings=settings)
            self.memo[key] = rankings
        judged: Judged = self.memo[key]
        return judged

    def _has_level(self, level: float) -> bool:
        """Whether asking for the level changes nothing."""
        below = (self.level_grade > 0) & (self.level_grade < level)
        return level == self.settings.level and not below.any()

    def condense(self) -> Judged:
        """The same rankings without their unjudged documents; the ranks close up."""
        extras = self.extras.take_documents(self.judged_rows)
        extras = extras.close_up(self.judged_topic, self.judged_start)
        return replace(
            self,
            topic=self.judged_topic,
            rank=ranks_in_segments(self.judged_start),
            grade=self.grade[self.judged_rows],
            num_ret=self.num_judged_ret,
            extras=extras._replace(unjudged=None),
        )

    def include_unjudged(self) -> Judged:
        """The same rankings with a row for every retrieved document, unjudged ones graded -1."""
        topic = np.repeat(np.arange(self.num_topics), self.num_ret)
        bounds = offsets(self.num_ret)
        grade = np.full(len(topic), -1.0)
        grade[bounds[self.topic] + self.rank - 1] = self.grade
        return Judged(
            topic, ranks_in_segments(bounds), grade, self.num_ret,
            self.level_start, self.level_grade, self.level_count, self.settings,
            pooled_counts=self.pooled_counts,
        )  # fmt: skip


MAPPINGS = (dict, Mapping)
"""Of a dictionary it is known sooner than an abstract class would say it."""

Input = str | os.PathLike[str] | Mapping[Any, Any] | Any
"""A path (`-`: standard input), a mapping {topic: {document: number}}, a pandas or Arrow table, or
a mapping of arrays by the names of a table's columns."""


@record(eq=True)
class Column:
    """One column of a result."""

    name: str
    """The printed name."""
    measure: str
    """The measure's name in the registry."""
    kind: str = "real"
    """real, count or text."""
    average: str = "mean"
    """mean, sum, geometric (the values are logs), error (that of a mean of independent values),
    topics (the divisor), run (the run's tag) or none."""
    per_topic: bool = True
    canonical: str = ""
    """irev's own name for it, where it is printed under another."""
    bounds: tuple[float, float] | None = None
    """Its range, where somebody gave one; None: that of the measure."""
    asked_index: int = field(default=0, compare=False)
    """Its place among the names that were asked for; of one name there may be several columns."""


def asked_order(columns: Sequence[Column]) -> list[int]:
    """The columns by their numbers, in the order in which they were asked for."""
    return sorted(range(len(columns)), key=[column.asked_index for column in columns].__getitem__)
