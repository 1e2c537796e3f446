"""What passes between the rooms: small, frozen, documented columns, up to what measures see.

Shapes are written with these letters everywhere: T topics (or judged lists), N rows of a run, M
rows of the qrels, J judged documents that were retrieved, K cutoffs, C columns of a result. A topic
is a contiguous slice of rows. Ranks count from 1. Ids are bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Generic, NamedTuple, Self, TypeAlias, TypeVar

import numpy as np

from irev.core.arrays import (
    Bools,
    DocumentRanks,
    DocumentValues,
    Floats,
    Ints,
    RankCounter,
    RowIndices,
    RowMask,
    RowStarts,
    TopicCounts,
    TopicIndices,
    TopicOfRow,
    TopicValues,
    Words,
    lengths_of,
    offsets,
    ranges,
    ranks_in_segments,
    run_starts,
    segment_starts,
    segment_sums,
)
from irev.core.ids import Ids, concatenate_ids
from irev.core.record import cached_property, record

UNKNOWN, POOLED = -1.0, -2.0
"""What stands for a grade where a document is not in the qrels, or was pooled but not judged."""

MAPPINGS = (dict, Mapping)
"""Of a dictionary it is known sooner than an abstract class would say it."""


Input = str | os.PathLike[str] | Mapping[Any, Any] | Any
"""A path (`-`: standard input), a mapping {topic: {document: number}}, a pandas or Arrow table, or
a mapping of arrays by the names of a table's columns."""


# --- Rows of an input, and judgments made ready ---


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


_MOST_SAMPLED = 32


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


Value = TypeVar("Value")


_MOST_KEPT = 1 << 17
"""Values are kept for so many judged documents at most."""


class TopicMemo(Generic[Value]):
    """Values by key. When there is no room for another, all are forgotten."""

    def __init__(self) -> None:
        self._values: dict[Hashable, Value] = {}
        self._room = _MOST_KEPT

    def __reduce__(self) -> tuple[type[TopicMemo[Any]], tuple[()]]:
        """For `copy` and `pickle`: a copy has forgotten all, and works it out where it needs it."""
        return TopicMemo, ()

    def get(self, key: Hashable, make_with_num_documents: Callable[[], tuple[Value, int]]) -> Value:
        """The value of a key; the function makes it, and says how many documents it is about."""
        value = self._values.get(key)
        if value is None:
            value, num_documents = make_with_num_documents()
            if num_documents > self._room:
                self._values.clear()
                self._room = _MOST_KEPT
            if num_documents <= self._room:
                self._room -= num_documents
                self._values[key] = value
        return value


# --- What is known of rankings beside ranks and grades, for the few measures that ask ---
# Whoever changes the rows of rankings changes these with them, in one go: `RankingExtras`.


@record
class TieSpans:
    """The group of equal scores that each of J documents stands in.

    first  int64[J], the rank of the group's first document
    size   int64[J], how many documents are in the group, judged or not; 1: no tie
    """

    first: Ints
    size: Ints

    def take(self, rows: RowIndices | slice) -> TieSpans:
        """Those of some of the documents."""
        return TieSpans(self.first[rows], self.size[rows])

    def close_up(self, topic: TopicOfRow, start: RowStarts) -> TieSpans:
        """The same groups where nothing but the J documents is left of the rankings.

        The documents are ordered by topic and rank; `start` is each topic's slice of them.
        """
        begin = run_starts(topic, self.first)
        size = np.diff(begin)
        first = ranks_in_segments(start)[begin[:-1]]
        return TieSpans(np.repeat(first, size), np.repeat(size, size))


class RunScores(NamedTuple):
    """Scores of some documents of T rankings, and what there is to know of all the others.

    row_scores  float64[J], the score of each row
    high        float64[T], the highest score of all documents retrieved, judged or not
    low         float64[T], the lowest; both are 0 where nothing was retrieved
    excess_sum  float64[T], by how much the scores exceed the lowest, in all: sums of scores alone
                would lose the differences between scores that are large
    """

    row_scores: Floats
    high: Floats
    low: Floats
    excess_sum: Floats

    @classmethod
    def build(cls, score: DocumentValues, start: RowStarts) -> RunScores:
        """Those of whole rankings, every document a row, by falling score; `start`: int64[T+1]."""
        count = np.diff(start)
        some = np.flatnonzero(count)
        high, low = np.zeros(len(count)), np.zeros(len(count))
        high[some], low[some] = score[start[some]], score[start[some + 1] - 1]
        # what comes of infinite scores is for the measures to refuse
        with np.errstate(invalid="ignore", over="ignore"):
            excess = score - np.repeat(low, count)
        topic = np.repeat(np.arange(len(count)), count)
        return cls(score, high, low, segment_sums(topic, excess, len(count)))

    @classmethod
    def empty(cls, count: int) -> RunScores:
        """Those of empty rankings."""
        return cls(np.zeros(0), np.zeros(count), np.zeros(count), np.zeros(count))

    def take(self, rows: RowIndices | slice) -> RunScores:
        """The same rankings, of which other documents are rows."""
        return self._replace(row_scores=self.row_scores[rows])

    def take_topics(self, topic_indices: TopicIndices, row_scores: DocumentValues) -> RunScores:
        """Some of the rankings, a ranking as often as it is named, with the rows that they have."""
        return RunScores(
            row_scores,
            self.high[topic_indices],
            self.low[topic_indices],
            self.excess_sum[topic_indices],
        )


class Unjudged(NamedTuple):
    """The retrieved documents that do not stand in the qrels, of T rankings, by topic and rank.

    topic_ids         T ids, the topic of each ranking
    topic             int64[U], which ranking, rising
    rank              int64[U], from 1
    docs              U document ids
    judged_elsewhere  bool[U], which of them stand in the qrels for another topic; None: nobody
                      asked
    """

    topic_ids: tuple[bytes, ...]
    topic: Ints
    rank: Ints
    docs: Ids
    judged_elsewhere: Bools | None = None

    @classmethod
    def concatenate(cls, parts: Sequence[Unjudged]) -> Unjudged:
        """Those of several sets of rankings as one."""
        first = offsets([len(part.topic_ids) for part in parts])
        elsewhere = [part.judged_elsewhere for part in parts if part.judged_elsewhere is not None]
        return cls(
            tuple(name for part in parts for name in part.topic_ids),
            np.concatenate([part.topic + at for part, at in zip(parts, first, strict=False)]),
            np.concatenate([part.rank for part in parts]),
            concatenate_ids([part.docs for part in parts]),
            np.concatenate(elsewhere) if len(elsewhere) == len(parts) else None,
        )

    def truncate(self, max_rank: int) -> Unjudged:
        """Those down to a rank."""
        rows = np.flatnonzero(self.rank <= max_rank)
        elsewhere = None if self.judged_elsewhere is None else self.judged_elsewhere[rows]
        return Unjudged(
            self.topic_ids, self.topic[rows], self.rank[rows], self.docs.take(rows), elsewhere
        )

    def sampled_mask(self, share: TopicValues, seed: int, replicate: int) -> RowMask:
        """bool[U]: which of them are drawn, where `share` (float64[T]) says how likely that is.

        The draw is by the key of topic and document: the same for every run, and whoever is drawn
        at one share is at a larger one.
        """
        from irev.core.draws import keys_of_rows

        keys = keys_of_rows(seed, replicate, 0, self.topic_ids, self.topic, self.docs)
        row_share = share[self.topic]
        # keys lie below 2**64, which is no uint64 itself
        below = np.array([min(int(s * 2**64), 2**64 - 1) for s in share.tolist()], np.uint64)
        is_sampled: Bools = (keys < below[self.topic]) | (row_share >= 1)
        return is_sampled


class RankingExtras(NamedTuple):
    """What measures may ask for beside ranks and grades; None: nobody asked, or nobody knows.

    ties      which of the J documents have equal scores with which
    scores    the scores; none where a run has ranks instead
    unjudged  the documents that are not in the qrels
    """

    ties: TieSpans | None = None
    scores: RunScores | None = None
    unjudged: Unjudged | None = None

    def take_documents(self, rows: RowIndices | slice) -> RankingExtras:
        """Those of the same rankings, of which other documents are rows."""
        ties, scores = self.ties, self.scores
        if ties is None and scores is None:
            return self
        return RankingExtras(ties and ties.take(rows), scores and scores.take(rows), self.unjudged)

    def truncate(self, max_rank: int) -> RankingExtras:
        """Those of rankings of which only the first documents are kept; no row has gone yet."""
        ties = self.ties
        if ties is not None:
            ties = TieSpans(ties.first, np.minimum(ties.size, max_rank + 1 - ties.first))
        return RankingExtras(ties, self.scores, self.unjudged and self.unjudged.truncate(max_rank))

    def close_up(self, topic: TopicOfRow, start: RowStarts) -> RankingExtras:
        """Those of rankings of which nothing but the J rows is left; `start`: int64[T+1]."""
        return RankingExtras(
            self.ties and self.ties.close_up(topic, start),
            self.scores and RunScores.build(self.scores.row_scores, start),
            self.unjudged and self.unjudged.truncate(0),
        )

    @classmethod
    def concatenate(cls, parts: Sequence[RankingExtras]) -> RankingExtras:
        """Those of several sets of rankings as one."""
        ties = [part.ties for part in parts if part.ties is not None]
        scores = [part.scores for part in parts if part.scores is not None]
        unjudged = [part.unjudged for part in parts if part.unjudged is not None]
        return cls(
            TieSpans(
                np.concatenate([part.first for part in ties]),
                np.concatenate([part.size for part in ties]),
            )
            if ties
            else None,
            RunScores(*map(np.concatenate, zip(*scores, strict=True))) if scores else None,
            Unjudged.concatenate(unjudged) if unjudged else None,
        )


NO_RANKING_EXTRAS = RankingExtras()


# --- What measures see ---


SMALLEST_MEAN_FACTOR = 0.00001
"""What a topic's value counts as at least, in a geometric mean (trec_eval's MIN_GEO_MEAN)."""


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


class _HasMemo:
    """Keeps what measures have worked out from the rest, for one another."""

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Intermediate results that several measures use, kept by what they are."""
        return {}


@record
class Judged(_HasMemo):
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
        if self.pooled_counts is None:
            return np.zeros(self.num_topics, np.int64)
        return self.pooled_counts

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
        if not condensed:
            if level is None:
                return self
            has_others_below = ((self.level_grade > 0) & (self.level_grade < level)).any()
            if level == self.settings.level and not has_others_below:
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
            topic,
            ranks_in_segments(bounds),
            grade,
            self.num_ret,
            self.level_start,
            self.level_grade,
            self.level_count,
            self.settings,
            pooled_counts=self.pooled_counts,
        )


# --- What they see where more is known of a judged document than its grade ---


@record
class RowJudged(_HasMemo):
    """Rankings, and which row of the qrels each of their judged documents is.

    judged       the rankings
    qrels_topic  int64[T], which topic of the qrels each ranking is for; -1: none
    row          int64[J], which row of the qrels each row of `judged` is
    """

    judged: Judged
    qrels_topic: Ints
    row: Ints

    @property
    def num_topics(self) -> int:
        """T, the number of rankings."""
        return self.judged.num_topics

    def at_level(self, level: float | None, *, condensed: bool) -> Self:
        """The same rankings under another level, or with unjudged documents dropped."""
        judged = self.judged.at_level(level, condensed=condensed)
        if judged is self.judged:
            return self
        key = ("at_level", level, condensed)
        if key not in self.memo:
            rows = self.judged.judged_rows if condensed else slice(None)
            self.memo[key] = replace(self, judged=judged, row=self.row[rows])
        judged_at_level: Self = self.memo[key]
        return judged_at_level


@record
class Subtopics(_HasMemo):
    """Judgments by subtopic of all topics of the qrels; a document is a row of the qrels.

    An entry is what a document's judgment for one subtopic says. D documents, E entries, S
    subtopics of T topics, each topic's in byte order.

    subtopic_start    int64[T+1], each topic's slice of the S subtopics
    topic             int64[D], the topic of each document
    by_id             int64[D], the documents by topic and falling id
    entry_start       int64[D+1], each document's slice of the entries
    entry_subtopic    int64[E], 0..S-1, rising within a document
    entry_grade       float64[E], below 0: pooled but unjudged
    probability       float64[S], how likely each subtopic is meant; None: nobody said
    navigational      bool[S], where one document is enough
    """

    subtopic_start: Ints
    topic: Ints
    by_id: Ints
    entry_start: Ints
    entry_subtopic: Ints
    entry_grade: Floats
    probability: Floats | None = None
    navigational: Bools | None = None

    @property
    def num_topics(self) -> int:
        """T."""
        return len(self.subtopic_start) - 1

    @property
    def num_subtopics(self) -> int:
        """S, over all topics."""
        return int(self.subtopic_start[-1])

    @cached_property
    def entry_document(self) -> Ints:
        """int64[E]: the document of each entry."""
        return np.repeat(np.arange(len(self.topic)), np.diff(self.entry_start))

    @cached_property
    def topic_of_subtopic(self) -> TopicOfRow:
        """int64[S]: the topic of each subtopic."""
        return np.repeat(np.arange(self.num_topics), np.diff(self.subtopic_start))


@record
class Intent:
    """What is known of an intent, which is a subtopic that may be meant."""

    probability: float
    navigational: bool = False


Intents: TypeAlias = dict[bytes, dict[bytes, Intent]]
"""Topic -> intent -> what is known of it."""


@record
class SubtopicJudged(RowJudged):
    """What measures over subtopics see: rankings, and what each judged document is relevant to.

    In the rankings each document has its highest grade; its row is its number in the subtopics.

    subtopics   the judgments of all topics of the qrels
    """

    subtopics: Subtopics


@record
class JudgmentGroup:
    """One judgment group of a topic: its subgroups, each a set of (document, preference level).

    The two lists run in parallel, a subgroup each, in byte order of the subgroups' names:
    `docs[i]` int64[], the documents by internal rank; `levels[i]` float64[], their levels.
    Inside a subgroup the rows are ordered by internal rank; a repeated line is a repeated row.
    """

    docs: tuple[Ints, ...]
    levels: tuple[Floats, ...]


@record
class RankedPreferences(_HasMemo):
    """What preference measures see: one entry per topic.

    Internal ranks count from 0: first the judged documents that were retrieved, in rank order
    (equal scores by id rising), `num_ret[t]` of them, then those that were not, by id;
    `num_docs[t]` in all. `groups[t]` are the topic's judgment groups, by name.
    """

    num_ret: Ints
    num_docs: Ints
    groups: tuple[tuple[JudgmentGroup, ...], ...]

    @property
    def num_topics(self) -> int:
        """T, the number of topics."""
        return len(self.groups)


NO_IMPORTANCE, OKAY, VITAL = 0.5, 1.0, 2.0
"""The grades of nuggets of answers, which stand in the place of documents."""


PARTIAL = 0.5
"""What a nugget is scored as that an answer supports in part."""


NO_LABEL = -1.0
"""What a nugget is scored as, and a citation is graded, that has no label."""


@record
class SupportJudged(RowJudged):
    """What measures of citations see: the citations of answers, which stand for documents.

    The grade of a citation is 2 for full support, 1 for support in part, 0 for none, and below 0
    where nobody judged it. A sentence without citations is a document, too, at position 0.

    sentence  int64[J], the number of each row's sentence in its answer, from 1
    position  int64[J], the number of each row's citation in its sentence, from 1; 0: it has none
    """

    sentence: Ints
    position: Ints

    def at_level(self, level: float | None, *, condensed: bool) -> Self:
        """The same: no level makes a citation better, and no label is none."""
        return self


MTC, STAT_AP, BOTH = 0, 1, 2
"""Why a document of a prels file was judged; 4 counts with statAP too."""


METHODS = (MTC, STAT_AP, BOTH, 4)


@record
class Strata(_HasMemo):
    """The strata of all topics of the qrels, those of a topic in byte order of their names.

    start           int64[T+1], each topic's slice of the S strata
    names           S names
    stratum_of_row  int64[M], the stratum of each row of the qrels
    size            int64[S], how many documents of the pool are in it
    judged          int64[S], how many of them were judged
    level_start     int64[S+1], each stratum's slice of the two below
    level_grade     float64[], the grades >= 0 that occur in it, rising
    level_count     int64[], how many documents have that grade
    """

    start: Ints
    names: tuple[bytes, ...]
    stratum_of_row: Ints
    size: Ints
    judged: Ints
    level_start: Ints
    level_grade: Floats
    level_count: Ints

    @cached_property
    def topic(self) -> TopicOfRow:
        """int64[S]: the topic of each stratum."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @cached_property
    def level_stratum(self) -> Ints:
        """int64[]: the stratum of each row of the grade table."""
        return np.repeat(np.arange(len(self.names)), np.diff(self.level_start))


@record
class Inclusions(_HasMemo):
    """How each judged document came to be judged; a document is a row of the qrels.

    topic        int64[M], the topic of each row
    grade        float64[M], below 0: not judged
    method       int64[M], one of `METHODS`
    probability  float64[M], with which it was to be judged; NaN: nobody said, it is left out
    """

    topic: Ints
    grade: Floats
    method: Ints
    probability: Floats


Sample = TypeVar("Sample", Strata, Inclusions)


@record
class SampledJudged(RowJudged, Generic[Sample]):
    """Rankings against a sample of judgments.

    sample   how the judgments of all topics were drawn
    """

    sample: Sample


Rankings: TypeAlias = Judged | RowJudged | RankedPreferences
"""What a measure is computed from."""


# --- The columns of a result ---


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
