"""What a run shows of itself: how much is judged, equal scores, odd ranks, ids written otherwise.

How much is judged is counted while the run is ranked. Where all is well this costs a few counts;
examples are taken only where it is not. What follows from these facts stands in `engine.doubts`.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice, repeat
from typing import Any, NamedTuple

import numpy as np

from irev.core.arrays import (
    Bools,
    Ints,
    RowMask,
    RowValues,
    TopicCounts,
    TopicMask,
    TopicOfRow,
    TopicsByRankScores,
    is_any,
)
from irev.core.judged import Qrels, Rows
from irev.core.record import cached_property, record
from irev.core.text import count_text, parse_c_number, parse_whole
from irev.engine.map_topics import map_opened
from irev.errors import InputError, Notice, id_text
from irev.rank.ranking import Ranked, RankingRule, first_rows
from irev.read.columns import parse_reals_or_nan
from irev.read.topics import CutInput, Text, TopicRankScore, TopicTable

SHALLOW = 10
"""The rank down to which the share of judged documents is told."""

TOP = 5
"""The rank down to which documents should be judged, where those below are."""

FEW, MOST = 0.1, 0.75
"""A share of judged documents that is less is a warning; one that makes some of the others looked
at."""

MOST_SAMPLES, SOME_SAMPLES = 50, 4
"""Of so many topics of a part of a run the first documents are looked at, where few are judged, and
where many are not."""

LEAST_FACTOR = 5
"""How many times as many documents another way of writing must make judged."""

_FEW_JUDGMENTS = 1 << 17
"""Up to so many judgments, the documents of all of them are kept for the doubts about many runs."""

_SOME_ROWS = 99
"""Among so many judged documents one mostly has a grade."""

_SPARSE = 5
"""With fewer judgments a topic, in the mean, good runs have hardly a judged document either."""


class JudgedCounts(NamedTuple):
    """Counts of how much of some rankings is judged.

    retrieved       documents of judged topics
    is_judged       whether one of them has a grade
    shallow         documents up to rank `SHALLOW`
    shallow_judged  how many of these stand in the judgments
    depths          int64[], how many documents each ranking has
    top_judged      those of them up to rank `TOP`
    equal_scores    how many topics have equal scores at the top; None: nobody looked
    samples         where few are judged: topics, each with its documents up to rank `SHALLOW`
    """

    retrieved: int
    is_judged: bool
    shallow: int
    shallow_judged: int
    depths: Ints
    samples: Sequence[tuple[bytes, list[bytes]]] = ()
    top_judged: int = 0
    equal_scores: EqualScoreCounts | None = None

    @property
    def is_few(self) -> bool:
        """Whether of the first documents hardly one is judged."""
        return self.shallow_judged < FEW * self.shallow or not self.is_judged

    @property
    def is_partial(self) -> bool:
        """Whether many of the first documents are not judged."""
        return self.shallow_judged < MOST * self.shallow


def judged_counts(ranked: Ranked, rows: Rows, qrels: Qrels, ranking: RankingRule) -> JudgedCounts:
    """How much of some topics of a run is judged."""

    def judged_topics() -> Iterator[int]:
        return (n for n, topic in enumerate(rows.topics) if topic in qrels.topic_index)

    def count_retrieved() -> int:
        return sum(_num_rows(rows, number) for number in judged_topics())

    count = count_judged(ranked, qrels, ranking, count_retrieved)
    scored = deep_topics(rows, qrels.sampled_topics) if ranking.ties != "rank" else []
    # of a topic without documents, which may all have been left out, there is nothing to look at
    with_documents = (number for number in judged_topics() if _num_rows(rows, number))
    sampled = [*islice(with_documents, _num_samples(count, ranked, qrels))]
    topics = [*dict.fromkeys([*scored, *sampled])] if sampled else scored
    if not topics:
        return count
    order = ranked.order
    numbered = numbered_topic_counts(rows, scored)
    if not sampled and order is not None and order.has_no_ties:
        return JudgedCounts(*count[:-1], numbered)
    key = -rows.value if ranking.ties == "rank" else rows.value
    is_in_order = order is not None and order.rises is None
    first = first_rows(rows, key, topics, ORDER_DEPTH, is_in_order=is_in_order)
    top_scores = rows.value[first[: len(scored)]]
    samples: tuple[tuple[bytes, list[bytes]], ...] = ()
    if sampled:
        place = {topic: index for index, topic in enumerate(topics)}
        shallow = first[[place[topic] for topic in sampled], :SHALLOW]
        docs = iter(rows.docs.take(shallow.ravel()).to_list())
        samples = tuple(
            (rows.topics[topic], [*islice(docs, shallow.shape[1])][: _num_rows(rows, topic)])
            for topic in sampled
        )
    equal_scores = count_topics_with_equal_scores(top_scores, rows.topic_lengths[scored])
    equal_scores = equal_scores._replace(num_numbered=numbered.num_numbered)
    return count._replace(equal_scores=equal_scores, samples=samples)


def _num_samples(count: JudgedCounts, ranked: Ranked, qrels: Qrels) -> int:
    """Of how many topics the first documents are looked at."""
    is_few = count.is_few
    if not (is_few or count.is_partial):
        return 0
    is_whole_run = len(ranked.lists) == len(qrels.start)
    are_sparse = is_sparse(len(qrels.grade), len(qrels.topics), qrels.has_nonrelevant)
    if is_whole_run and are_sparse and not is_few:
        return 0  # of sparse judgments nothing is said then, unless few of another part are judged
    is_all_judged = is_whole_run and count.is_judged and len(ranked.row) == len(qrels.grade)
    if is_all_judged and (are_sparse or not is_few):
        return 0  # there is no judged document that another way of writing could find
    if not is_few:
        return SOME_SAMPLES
    if not count.shallow_judged:
        return MOST_SAMPLES
    # of sparse judgments no way of writing could find so many more
    possible = int(np.minimum(qrels.stop[ranked.lists] - qrels.start[ranked.lists], SHALLOW).sum())
    is_enough = count.is_judged and count.shallow_judged * LEAST_FACTOR > possible
    return 0 if is_enough else MOST_SAMPLES


def count_judged(
    ranked: Ranked, qrels: Qrels, ranking: RankingRule, count_retrieved: Callable[[], int]
) -> JudgedCounts:
    """The same without samples; `count_retrieved` counts them as before any was left out."""
    depths = ranked.num_ret
    if qrels.has_pooled:
        # most often one of the first has a grade
        some, others = ranked.row[:_SOME_ROWS], ranked.row[_SOME_ROWS:]
        is_judged = is_any(qrels.grade[some] >= 0) or is_any(qrels.grade[others] >= 0)
    else:
        is_judged = len(ranked.row) > 0
    if ranking.judged_only:
        # the others are left out already: whether there is one shows all the same
        return JudgedCounts(0 if is_judged else count_retrieved(), is_judged, 0, 0, depths)
    counts = depths.tolist()
    shallow = sum(map(min, counts, repeat(SHALLOW)))
    shallow_judged = int(np.count_nonzero(ranked.rank <= SHALLOW))
    top_judged = int(np.count_nonzero(ranked.rank <= TOP)) if shallow_judged else 0
    return JudgedCounts(
        sum(counts), is_judged, shallow, shallow_judged, depths, top_judged=top_judged
    )


def _num_rows(rows: Rows, topic_index: int) -> int:
    return int(rows.start[topic_index + 1] - rows.start[topic_index])


def run_totals(parts: Sequence[JudgedCounts]) -> JudgedCounts:
    """The same of all parts of a run."""
    if len(parts) == 1:
        return parts[0]
    return JudgedCounts(
        sum(part.retrieved for part in parts),
        any(part.is_judged for part in parts),
        sum(part.shallow for part in parts),
        sum(part.shallow_judged for part in parts),
        np.concatenate([part.depths for part in parts]),
        tuple(islice((sample for part in parts for sample in part.samples), MOST_SAMPLES)),
        sum(part.top_judged for part in parts),
        total_equal_scores([part.equal_scores for part in parts if part.equal_scores is not None]),
    )


@record
class JudgedIds:
    """What is judged, as far as a doubt about a run needs it.

    of_topic       gives the judged documents of a topic
    of_all_topics  gives those of all topics
    is_sparse      whether there are so few that good runs have hardly a judged document either
    """

    of_topic: Callable[[bytes], Collection[bytes]]
    of_all_topics: Callable[[], Collection[bytes]]
    is_sparse: bool


def judged_ids(qrels: Qrels, *, is_graded: bool = True) -> JudgedIds:
    """Those of qrels; how many preferences there should be is not known, so that few are few.

    They may be looked at for many runs: what was worked out for some topics is kept.
    """

    @lru_cache(MOST_SAMPLES)
    def topic_ids(topic: bytes) -> Collection[bytes]:
        index = qrels.topic_index[topic]
        lists = range(*qrels.list_start[index : index + 2].tolist())
        slices = (slice(int(qrels.start[row]), int(qrels.stop[row])) for row in lists)
        return TopicJudgedIds(
            document for rows in slices for document in qrels.docs.take(rows).compact().to_list()
        )

    @lru_cache(1)
    def all_ids() -> Collection[bytes]:
        return frozenset(qrels.docs.to_list())

    all_topics = all_ids if len(qrels.grade) <= _FEW_JUDGMENTS else qrels.docs.to_list
    are_sparse = is_sparse(len(qrels.grade), len(qrels.topics), qrels.has_nonrelevant)
    return JudgedIds(topic_ids, all_topics, are_sparse or not is_graded)


def is_sparse(num_judgments: int, num_topics: int, has_nonrelevant: bool) -> bool:
    """Whether so few documents are judged that good runs have hardly one of them."""
    return num_judgments < _SPARSE * num_topics or not has_nonrelevant


# --- What the scores of a run look like: equal ones, which let ids decide, or ranks ---
# For equal scores some topics are looked at while the run is ranked, which costs next to nothing.
# The bounds were chosen on 87 runs of eight collections of TREC and CLEF, of which two are told:
# they have equal scores alone.


FIRST, ORDER_DEPTH, FEW_VALUES = 10, 20, 4
"""Ranks that should not all have one score; ranks that should have more than a few scores."""

_LEAST_DOCUMENTS = 5
"""A topic with fewer documents says nothing about equal scores."""

MOST_GRADES = 20
"""Judgments with more different grades look like scores."""

EXCHANGED = "exchanged-inputs"
"""The kind of the warning that run and judgments seem to be exchanged."""


class EqualScoreCounts(NamedTuple):
    """How many topics of a run have equal scores at the top.

    num_topics  topics whose scores were looked at
    num_tied    those of them whose first 10 documents, or all of fewer, have the same score
    num_coarse  those of them whose first 20 documents have 4 different scores at most
    num_numbered  those of them whose scores number the lines: 1, 2, 3 ...
    num_short   those of the tied ones that have fewer than 10 documents
    """

    num_topics: int = 0
    num_tied: int = 0
    num_coarse: int = 0
    num_numbered: int = 0
    num_short: int = 0

    @property
    def are_mostly_tied(self) -> bool:
        """Whether in most topics nothing but equal scores stands first."""
        return 2 * self.num_tied > self.num_topics


def deep_topics(rows: Rows, topic_ids: Collection[bytes]) -> list[int]:
    """Which topics of some rows are among the given ones, and say something of equal scores."""
    start = rows.start
    return [
        index
        for index, topic in enumerate(rows.topics)
        if topic in topic_ids and start[index + 1] - start[index] >= _LEAST_DOCUMENTS
    ]


def numbered_topic_counts(
    rows: Rows, topic_indices: Sequence[int] | None = None
) -> EqualScoreCounts:
    """How many of some topics, or of all deep ones, number their lines, as ranks do: no more."""
    if topic_indices is None:
        topic_indices = deep_topics(rows, set(rows.topics))
    starts = rows.start.tolist()
    num_numbered = 0
    for index in topic_indices:
        scores = rows.value[starts[index] : starts[index + 1]]
        num_numbered += scores[0] in (0, 1) and bool(
            (scores == scores[0] + np.arange(len(scores))).all()
        )
    return EqualScoreCounts(len(topic_indices), num_numbered=num_numbered)


def count_topics_with_equal_scores(
    top_scores: TopicsByRankScores, num_documents: TopicCounts
) -> EqualScoreCounts:
    """How many topics have equal scores at the top, given how many documents each has.

    `top_scores`: float64[T, `ORDER_DEPTH`], falling; the last one fills up.
    """
    num_tied = num_coarse = num_short = 0
    for scores, size in zip(top_scores.tolist(), num_documents.tolist(), strict=True):
        if scores[0] == scores[FIRST - 1]:
            num_tied += 1
            num_short += size < FIRST
        elif size >= ORDER_DEPTH and len(set(scores)) <= FEW_VALUES:
            num_coarse += 1
    return EqualScoreCounts(len(num_documents), num_tied, num_coarse, num_short=num_short)


def total_equal_scores(parts: Sequence[EqualScoreCounts]) -> EqualScoreCounts | None:
    """The same of all parts of a run; None: nobody looked at any."""
    return EqualScoreCounts(*map(sum, zip(*parts, strict=True))) if parts else None


def may_look_like_scores(qrels: Qrels) -> bool:
    """Whether grades are odd enough to look at all of them; mostly a quick no."""
    grades = qrels.level_grade
    if qrels.has_pooled:
        grades = np.concatenate((grades, -qrels.grade[qrels.grade < 0]))
    return bool(len(grades)) and (grades.max() > MOST_GRADES or is_any(grades % 1 > 0))


# --- What the rank column of a run says of it, and scores that are ranks ---
# The first rows are looked at; where these are odd, all ranks are read. Of 87 runs of eight
# collections of TREC and CLEF one is told, whose scores rise with the ranks.


RANKS_DECIDE = "--ties rank ranks by the rank column"

_LEAST_TOPICS = 3
"""In fewer topics scores may number the documents by chance, or for a test."""

_FIRST_ROWS = 60
"""So many rows of an input are looked at, before all of them are."""


def first_ranked_rows(opened: CutInput[Any] | TopicTable) -> Sequence[TopicRankScore]:
    """The first rows of a run of scores with ranks beside them; none of another."""
    return opened.first_rows_with_rank_field(_FIRST_ROWS)


def rank_column_warnings(
    opened: CutInput[Any] | TopicTable, first_rows: Sequence[TopicRankScore], threads: int = 1
) -> Iterator[Notice]:
    """Warnings where ranks contradict the scores in most topics, or are no ranks.

    `first_rows` are its `first_ranked_rows`.
    """
    if isinstance(opened, Text) and _are_shifted(opened):
        yield Notice(
            "wrong-ranks",
            "the ranks are not ranks, and what stands behind the scores looks like scores",
            "does each document id contain a blank? blanks separate fields",
        )
    elif _has_mostly_reversed_ranks(first_rows):

        def count_reversed(rows: Rows) -> tuple[int, int]:
            return count_reversed_topics(rows, parse_reals_or_nan(rows.groups[-1]))

        with suppress(InputError):  # of ranks that cannot be read nothing is said
            counts = map_opened(opened.with_ranks(), count_reversed, threads).results
            yield from rank_order_warnings(*map(sum, zip(*counts, strict=True)))
    elif first_rows and _begins_with_exchanged_columns(first_rows):
        yield exchanged_columns_warning()
    elif isinstance(opened, Text) and "rank" in (fields := opened.layout.fields):
        rank = fields.index("rank")
        ranks = [(row[0], row[rank]) for row in opened.first_rows(_FIRST_ROWS)]
        own = [number for topic, number in ranks if topic == ranks[0][0]]
        if "score" not in fields and own and (own[0] != b"1" or len(set(own)) < len(own)):

            def misnumbered(rows: Rows) -> list[bytes]:
                indices = np.flatnonzero(are_ranks_misnumbered(rows)).tolist()
                return [rows.topics[index] for index in indices]

            parts = map_opened(opened, misnumbered, threads).results
            yield from misnumbered_rank_warnings([topic for part in parts for topic in part])
        elif opened.layout.number == "rank" and len(ranks) >= 2 * len(set(ranks)) > 0:
            yield from _repeated_rank_warnings(opened, threads)


def _are_shifted(text: Text) -> bool:
    """Whether a blank in each id has moved all that follows, though lines are as long as they may.

    The second word of the id stands where the rank should, the rank where the score should, and
    maybe the score where the tag should.
    """
    fields = text.layout.fields
    rows = text.first_rows(_FIRST_ROWS)
    if not rows or not {"rank", "score"} <= {*fields}:
        return False
    rank, score = fields.index("rank"), fields.index("score")
    num_shifted = sum(parse_whole(row[score]) is not None for row in rows)
    if 2 * num_shifted <= len(rows):
        return False
    num_no_ranks = sum(parse_c_number(row[rank]) is None for row in rows)
    has_other_tags = False
    if "tag" in fields:
        tags = [row[-1] for row in rows]
        has_other_tags = 2 * len(set(tags)) > len(tags) > 1
        num_shifted = min(num_shifted, sum(parse_c_number(tag) is not None for tag in tags))
    return 2 * num_shifted > len(rows) and (2 * num_no_ranks > len(rows) or has_other_tags)


# --- Ranks beside scores ---


def count_reversed_topics(rows: Rows, rank: RowValues) -> tuple[int, int]:
    """How many topics' scores rise from rank to rank, of those whose ranks and scores differ."""
    order = np.lexsort((-rows.value, rank, rows.topic_of_row))
    ranks = find_reversed_ranks(rows.topic_of_row, rank[order], rows.value[order], len(rows.topics))
    return int(ranks.is_reversed_topic.sum()), int(ranks.is_comparable_topic.sum())


def rank_order_warnings(
    num_reversed: int, num_topics: int, *, words_after_topics: str = ""
) -> Iterator[Notice]:
    """A warning where ranks and scores contradict each other in most topics."""
    if 2 * num_reversed > num_topics:
        topics = count_text(num_topics, "topic") + words_after_topics
        yield Notice(
            "rank-order",
            f"scores rise from rank to rank in {num_reversed} of {topics}",
            f"higher scores rank first; {RANKS_DECIDE}",
        )


def _has_mostly_reversed_ranks(first_rows: Iterable[TopicRankScore]) -> bool:
    """Whether more pairs of neighbours in a topic contradict their ranks than agree with them."""
    topic, rank, score, balance = b"", 0.0, 0.0, 0
    last_of_topic: dict[bytes, tuple[float, float]] = {}
    for own_topic, rank_text, score_text in first_rows:
        if own_topic != topic:
            last_of_topic[topic] = rank, score
            topic = own_topic
            rank, score = last_of_topic.get(topic, (math.nan, math.nan))
        before, higher = rank, score
        try:
            rank, score = float(rank_text), float(score_text)
        except ValueError:
            continue
        if rank > before:
            balance += (score > higher) - (score < higher)
        elif rank < before:
            balance += (score < higher) - (score > higher)
    return balance > 0


@record
class ReversedRanks:
    """Where scores rise from rank to rank, in N rows of T topics.

    next_row_rises       bool[N-1]: whether the next row has a later rank in the topic and a higher
                         score
    is_comparable_topic  which topics have ranks and scores that differ
    is_reversed_topic    where more than two thirds of these steps rise, which of ranks that have
                         nothing to do with the scores half do
    """

    next_row_rises: RowMask
    is_comparable_topic: TopicMask
    is_reversed_topic: TopicMask


def find_reversed_ranks(
    topic: TopicOfRow, rank: RowValues, score: RowValues, num_topics: int
) -> ReversedRanks:
    """Where scores rise from rank to rank, of rows by topic, rank and falling score."""
    is_step = (topic[1:] == topic[:-1]) & (rank[1:] > rank[:-1])
    rises, falls = is_step & (score[1:] > score[:-1]), is_step & (score[1:] < score[:-1])
    num_rises = np.bincount(topic[1:][rises], minlength=num_topics)
    num_falls = np.bincount(topic[1:][falls], minlength=num_topics)
    return ReversedRanks(rises, num_rises + num_falls > 0, num_rises > 2 * num_falls)


def _begins_with_exchanged_columns(first_rows: Sequence[TopicRankScore]) -> bool:
    if first_rows[0][2] not in (b"1", b"1.0", 1.0):  # as of most runs
        return False
    try:
        ranks, scores = (np.array([float(row[i]) for row in first_rows]) for i in (1, 2))
    except ValueError:
        return False
    topics = [row[0] for row in first_rows]
    index_of_topic = {topic: index for index, topic in enumerate(dict.fromkeys(topics))}
    return has_exchanged_columns(np.array([index_of_topic[t] for t in topics]), ranks, scores)


def has_exchanged_columns(topic: TopicOfRow, rank: RowValues, score: RowValues) -> bool:
    """Whether the scores number the lines of each topic, and the ranks fall as scores do.

    Ranks that fall one by one may be right: such a run begins with the last document.
    """
    is_same_topic = topic[1:] == topic[:-1]
    line = np.arange(len(topic))
    first_line = np.maximum.accumulate(np.where(np.append(False, is_same_topic), 0, line))
    steps = (rank[:-1] - rank[1:])[is_same_topic]
    is_numbered = bool((score == line - first_line + 1).all() and (steps >= 0).all())
    return is_numbered and bool(((steps != 0) & (steps != 1)).any())


def exchanged_columns_warning() -> Notice:
    """A warning that scores stand where ranks should, and ranks where scores should."""
    return Notice(
        "rank-order",
        "the scores number the lines of each topic, 1, 2, 3, ..., and the ranks fall as scores do",
        "are the columns of rank and score exchanged? higher scores rank first",
    )


# --- Ranks alone ---


def _repeated_rank_warnings(text: Text, threads: int) -> Iterator[Notice]:
    """A warning where ranks that are to decide are repeated in most topics, as if there were none.

    The rows of such a run have ranks for values.
    """

    def count_repeating(rows: Rows) -> tuple[int, int]:
        order = np.lexsort((rows.value, rows.topic_of_row))
        value, topic = rows.value[order], rows.topic_of_row[order]
        is_repeat = (value[1:] == value[:-1]) & (topic[1:] == topic[:-1])
        num_repeats = np.bincount(topic[1:][is_repeat], minlength=len(rows.topics))
        return int((2 * num_repeats >= rows.topic_lengths).sum()), len(rows.topics)

    counts = map_opened(text, count_repeating, threads).results
    num_repeating, num_topics = map(sum, zip(*counts, strict=True))
    if 2 * num_repeating > num_topics:
        yield Notice(
            "wrong-ranks",
            f"most documents share their rank with others in {num_repeating} of "
            f"{count_text(num_topics, 'topic')}, so that ids decide",
            "without --ties rank the scores decide",
        )


def misnumbered_rank_warnings(
    misnumbered_topics: Sequence[bytes], *, words_after_topics: str = ""
) -> Iterator[Notice]:
    """A warning of topics whose ranks do not start at 1 or are repeated."""
    if misnumbered_topics:
        num_topics = count_text(len(misnumbered_topics), "topic") + words_after_topics
        yield Notice(
            "wrong-ranks",
            f"the ranks do not start at 1 or are repeated in {num_topics}, "
            f"such as '{id_text(min(misnumbered_topics))}'",
            "if they are scores, -T scores reads them",
        )


def are_ranks_misnumbered(negated_rank_rows: Rows) -> TopicMask:
    """Where ranks do not start at 1, or stand twice; a row's value is minus its rank."""
    order = np.lexsort((-negated_rank_rows.value, negated_rank_rows.topic_of_row))
    falling = negated_rank_rows.value[order]
    is_wrong: Bools = falling[negated_rank_rows.start[:-1]] != -1
    repeats = negated_rank_rows.clear_flags_across_topics(falling[1:] == falling[:-1])
    is_wrong[negated_rank_rows.topic_of_row[1:][repeats]] = True
    return is_wrong


# --- Scores that are ranks ---


def numbering_warnings(parts: Sequence[EqualScoreCounts]) -> Iterator[Notice]:
    """A warning where the scores of a run without ranks look like ranks, given all its parts."""
    counts = total_equal_scores(parts)
    if counts is not None and counts.num_numbered == counts.num_topics >= _LEAST_TOPICS:
        yield Notice(
            "rank-order",
            "the scores number the documents of each topic, 1, 2, 3, ...",
            "are they ranks? higher scores rank first: write 1/rank, or lists of documents",
        )


# --- How ids of a run would have to be written to be those of the judgments ---


_SHORTEST = 4
"""An id of fewer characters is a part of another by chance."""

_CONSTANT = 0.8
"""What stands before or behind this share of the ids is told as what it is; else as an example."""

_ENDING = re.compile(rb"\.[A-Za-z]{1,5}$")
_ZEROS = re.compile(rb"(?<![0-9])0+(?=[0-9])")
_PYTHON_BYTES = re.compile(rb"^b(['\"])(.*)\1$")
_PLAIN = re.compile(rb"[a-z0-9\0]*")
_KINDS_OF_BYTES = bytes.maketrans(
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    b"9" * 10 + b"A" * 26 + b"a" * 26,
)
_REPEATED_KINDS = [(re.compile(kind + b"+"), kind) for kind in (b"9", b"A", b"a")]
_AROUND = bytes(code for code in range(128) if not chr(code).isalnum())


def shape_of_each_id(ids: Iterable[bytes]) -> list[bytes]:
    """The kinds of characters of each id, in order: `d0032` is `a9`, `FT911-3` is `A9-9`."""
    text = b"\0".join(ids).translate(_KINDS_OF_BYTES)  # no id holds a zero byte
    for repeated, kind in _REPEATED_KINDS:
        text = repeated.sub(kind, text)
    return text.split(b"\0")


def strip_leading_zeros(text: bytes) -> bytes:
    """The text without the zeros before its numbers."""
    return _ZEROS.sub(b"", text)


def _in_utf_8(id: bytes) -> bytes:
    """The id in UTF-8, if it is in none: in most other files it is in Windows' code page."""
    try:
        id.decode()
    except UnicodeDecodeError:
        return id.decode("cp1252", "replace").encode()
    return id


def _with_composed_accents(id: bytes) -> bytes:
    """The id with letters and their accents as one character, as most programs write them."""
    if id.isascii():
        return id
    from unicodedata import normalize

    return normalize("NFC", id.decode(errors="surrogateescape")).encode(errors="surrogateescape")


_FORMS: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("ignoring upper and lower case", bytes.lower),
    ("ignoring leading zeros", strip_leading_zeros),
    ("ignoring characters around the letters and digits", lambda id: id.strip(_AROUND)),
    ("ignoring underscores and hyphens", lambda id: id.translate(None, b"-_ ")),
    (
        "ignoring what comes before the last / or :",
        lambda id: id[max(id.rfind(b"/"), id.rfind(b":")) + 1 :],
    ),
    ("ignoring an ending such as .xml", lambda id: _ENDING.sub(b"", id)),
    ("without the b'' of Python", lambda id: _PYTHON_BYTES.sub(rb"\2", id)),
    ("without .0 at the end", lambda id: id.removesuffix(b".0")),
    ("in UTF-8 in place of Windows' encoding", _in_utf_8),
    ("with letters and accents as one character", _with_composed_accents),
)
"""Ways in which ids of one document differ from file to file, with what keeps the rest of them."""

_PRECISE = tuple(how for how, _ in (*_FORMS[:4], *_FORMS[-3:]))
"""Those that say more than which letters stand before or behind."""

_MOST_KEPT = 1 << 14
"""Up to so many judged ids of a topic, what they become is kept for the next run; and up to so many
documents that become none of them."""

_NEARLY = 0.95
_SUCH = "one such as"


class Rewriting(NamedTuple):
    """How ids would have to be written to be judged.

    wording       in words, to stand before "N would be judged"
    num_judged    how many of the documents that were looked at would be judged then
    run_docid     an id of the run
    judged_docid  the judged id that it would become
    """

    wording: str
    num_judged: int
    run_docid: bytes
    judged_docid: bytes


def best_rewriting(samples: Sequence[tuple[Sequence[bytes], TopicJudgedIds]]) -> Rewriting | None:
    """The way of writing that makes most documents judged, more than are now; None: there is none.

    Args:
        samples: documents of a topic, and the judged ones of it, for some topics.
    """
    if all(judged.has_settled(documents) for documents, judged in samples):
        return None
    pairs_by_wording: dict[str, list[tuple[bytes, bytes]]] = {}
    affix_counts: dict[str, Counter[bytes]] = {}
    num_judged = 0
    for documents, judged in samples:
        unjudged = [document for document in documents if document not in judged]
        num_judged += len(documents) - len(unjudged)
        rewritable = judged.ids_judged_if_rewritten(unjudged)
        if not rewritable:
            continue
        for wording, normalise in _FORMS:
            pairs = pairs_by_wording.setdefault(wording, [])
            judged_by_form = judged.ids_by_written_form(normalise)
            if judged_by_form.keys().isdisjoint(map(normalise, rewritable)):
                continue
            for form, ids in group_by_form(rewritable, normalise).items():
                if len(ids) == 1 and form in judged_by_form:  # several would tell nothing
                    pairs.append((ids[0], judged_by_form[form]))
        for document in rewritable:
            for wording, affix, judged_id in judged.affixes.rewritings_by_affix(document):
                pairs_by_wording.setdefault(wording, []).append((document, judged_id))
                affix_counts.setdefault(wording, Counter())[affix] += 1
    rewritings: list[Rewriting] = []
    for wording, pairs in pairs_by_wording.items():
        if pairs and wording in affix_counts:
            ((affix, count),) = affix_counts[wording].most_common(1)
            example = "" if count >= _CONSTANT * len(pairs) else f"{_SUCH} "
            wording = f"{wording} {example}'{id_text(affix)}',"
        if pairs:
            rewritings.append(Rewriting(wording, len(pairs) + num_judged, *pairs[0]))
    most = max((each.num_judged for each in rewritings), default=0)
    # where several explain about as much, the one that says most precisely what differs
    near = [each for each in rewritings if each.num_judged >= _NEARLY * most]
    return max(near, key=lambda each: (_precision(each.wording), each.num_judged), default=None)


class TopicJudgedIds(frozenset[bytes]):
    """The judged ids of a topic; what they become when written otherwise is worked out once.

    So is which documents become none of them, for the next run has most of these, too.
    """

    @cached_property
    def _unchanged_ids(self) -> dict[bytes, bytes] | None:
        """What all become in every form, if that is what they are already."""
        return dict(zip(self, self, strict=True)) if _are_plain(self) else None

    @cached_property
    def _ids_by_form(self) -> dict[Callable[[bytes], bytes], dict[bytes, bytes]]:
        return {}

    @cached_property
    def shapes(self) -> frozenset[bytes]:
        """The kinds of characters of the ids."""
        return frozenset(shape_of_each_id(self))

    def ids_by_written_form(self, normalise: Callable[[bytes], bytes]) -> dict[bytes, bytes]:
        """The ids by what they become in a form, without those that become the same."""
        ids_by_form = self._unchanged_ids or self._ids_by_form.get(normalise)
        if ids_by_form is None:
            ids_by_form = dict(zip(map(normalise, self), self, strict=True))
            if len(ids_by_form) < len(self):
                count = Counter(map(normalise, self))
                ids_by_form = {
                    form: judged_id for form, judged_id in ids_by_form.items() if count[form] == 1
                }
            if len(self) <= _MOST_KEPT:
                self._ids_by_form[normalise] = ids_by_form
        return ids_by_form

    @cached_property
    def _settled(self) -> set[bytes]:
        """The judged documents, and such as become judged in no way of writing."""
        return set(self)

    def has_settled(self, documents: Sequence[bytes]) -> bool:
        """Whether it is known of all documents that no way of writing makes another one judged."""
        return self._settled.issuperset(documents)

    def ids_judged_if_rewritten(self, unjudged_ids: Sequence[bytes]) -> list[bytes]:
        """The documents that become judged in some way of writing."""
        candidates = [document for document in unjudged_ids if document not in self._settled]
        # no form changes what is plain
        forms = () if self._unchanged_ids and _are_plain(candidates) else _FORMS
        rewritable = {
            document
            for _, normalise in forms
            for document, form in zip(candidates, map(normalise, candidates), strict=True)
            if form in self.ids_by_written_form(normalise)
        }
        rewritable.update(
            each for each in candidates if any(self.affixes.rewritings_by_affix(each))
        )
        if len(self._settled) <= len(self) + _MOST_KEPT:
            self._settled.update(rewritable.symmetric_difference(candidates))
        return [document for document in candidates if document in rewritable]

    @cached_property
    def affixes(self) -> _Affixes:
        """The ids, to be found as parts of others."""
        return _Affixes(self)


def _are_plain(ids: Iterable[bytes]) -> bool:
    """Whether all are the same in every form."""
    text = b"\0".join(ids)  # which no id holds
    return bool(_PLAIN.fullmatch(text)) and not _ZEROS.search(text)


def _precision(wording: str) -> int:
    """How precisely a way says what differs: a form that keeps nothing most, an example least."""
    if wording in _PRECISE:
        return 2
    return 0 if wording in dict(_FORMS) or _SUCH in wording else 1


class _Affixes:
    """Judged ids, to be found as the beginning or the end of others, or the other way round."""

    def __init__(self, judged: TopicJudgedIds) -> None:
        self._judged, self._sorted = judged, sorted(judged)
        self._sorted_reversed = sorted(judged_id[::-1] for judged_id in judged)
        self._lengths = sorted(set(map(len, judged)), reverse=True) or [0]

    def rewritings_by_affix(self, document: bytes) -> Iterator[tuple[str, bytes, bytes]]:
        """(what is to be done, with what, the judged id), once for each of the four ways."""
        judged, size = self._judged, len(document)
        # of several judged ids the longest is meant
        shorter = [length for length in self._lengths if _SHORTEST <= length < size]
        for length in shorter:
            if document[:length] in judged:
                yield "without the suffix", document[length:], document[:length]
                break
        for length in shorter:
            if document[-length:] in judged:
                yield "without the prefix", document[:-length], document[-length:]
                break
        if not _SHORTEST <= size < self._lengths[0]:
            return
        longer = _first_with_prefix(self._sorted, document)
        if longer:
            yield "with the suffix", longer[size:], longer
        longer = _first_with_prefix(self._sorted_reversed, document[::-1])[::-1]
        if longer:
            yield "with the prefix", longer[:-size], longer


def _first_with_prefix(sorted_ids: Sequence[bytes], prefix: bytes) -> bytes:
    """The first of some ordered ids that begins so; or nothing."""
    index = bisect_left(sorted_ids, prefix)
    candidate = sorted_ids[index] if index < len(sorted_ids) else b""
    return candidate if candidate.startswith(prefix) else b""


# --- How topics would have to be written ---


def normalised_topic(topic_id: bytes) -> bytes:
    """A topic without what often goes wrong with topic ids: case and leading zeros."""
    return strip_leading_zeros(topic_id.lower())


def normalised_topics(topic_ids: Sequence[bytes]) -> list[bytes]:
    """The same of many: all at once, between zero bytes, which no id holds."""
    return normalised_topic(b"\0".join(topic_ids)).split(b"\0")


def _numbers_in_topic(topic_id: bytes) -> bytes:
    """The numbers in a topic, as numbers; a topic without any stays as it is."""
    numbers = re.findall(rb"[0-9]+", topic_id)
    return b" ".join(number.lstrip(b"0") or b"0" for number in numbers) if numbers else topic_id


def group_by_form(
    ids: Iterable[bytes], normalise: Callable[[bytes], bytes] = normalised_topic
) -> dict[bytes, list[bytes]]:
    """Plain topic -> the topics, in byte order, that become it."""
    ids_by_form: dict[bytes, list[bytes]] = {}
    for id in sorted(set(ids)):
        ids_by_form.setdefault(normalise(id), []).append(id)
    return ids_by_form


def match_topics(
    run_topics: Collection[bytes], judged_topics: Iterable[bytes], *, by_number: bool = False
) -> tuple[str, list[tuple[bytes, bytes]]]:
    """Topics of a run and the judged ones that they would be if written otherwise, and how.

    Those that differ by case and leading zeros alone, or else by `.0`, with which pandas writes
    numbers of a column with gaps, or by quotation marks; `by_number` asks, where there are none,
    for those that have the same numbers in them.
    """
    ways = [
        ("ignoring case and leading zeros", normalised_topic),
        ("without .0 at the end", lambda topic: normalised_topic(topic.removesuffix(b".0"))),
        ("without quotation marks", lambda topic: normalised_topic(topic.strip(b"\"'"))),
    ]
    if by_number:
        ways.append(("by the numbers in them", _numbers_in_topic))
    for wording, normalise in ways:
        judged_by_form = group_by_form(judged_topics, normalise)
        # a run may have a million
        fitting = [topic for topic in run_topics if normalise(topic) in judged_by_form]
        pairs = [
            (topic, judged_by_form[form][0])
            for form, topics in group_by_form(fitting, normalise).items()
            for topic in topics
        ]
        if pairs:
            return wording, pairs
    return "", []
