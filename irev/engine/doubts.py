"""Runs that are the same under two names."""

from __future__ import annotations

import math
import os
import re
from bisect import bisect_left
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.record import cached_property, record
from irev.core.text import parse_c_number, parse_whole
from irev.core.wording import count_text
from irev.engine.judged_counts import EXCHANGED, MOST_GRADES, RANKS_DECIDE
from irev.engine.map_topics import map_opened, map_topics
from irev.errors import NO_DOCUMENTS, InputError, Notice, id_text
from irev.rank.ranking import ranks_of_rows
from irev.read.columns import parse_reals_or_nan
from irev.read.stream import sha256_of
from irev.read.topics import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from irev.core.arrays import Bools, RowMask, RowValues, TopicMask, TopicOfRow
    from irev.core.judged import Input, Rows
    from irev.engine.map_topics import Step
    from irev.rank.ranking import RankingRule
    from irev.read.layout import ChosenLayout
    from irev.read.topics import CutInput, TopicRankScore, TopicTable
    from irev.scores.scores import Scores


# --- What the rank column of a run says of it ---
# The first rows are looked at; where these are odd, all ranks are read. Of 87 runs of eight
# collections of TREC and CLEF one is told, whose scores rise with the ranks.


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
            "does each document id contain a blank, which parts fields? ids cannot contain blanks",
        )
    elif _has_mostly_reversed_ranks(first_rows):
        with suppress(InputError):  # of ranks that cannot be read nothing is said
            yield from _reversed_rank_warnings(opened.with_ranks(), threads)
    elif first_rows and _begins_with_exchanged_columns(first_rows):
        yield exchanged_columns_warning()
    elif isinstance(opened, Text) and "rank" in (fields := opened.layout.fields):
        rank = fields.index("rank")
        ranks = [(row[0], row[rank]) for row in opened.first_rows(_FIRST_ROWS)]
        if "score" not in fields and not _are_ranks(ranks):
            yield from _misnumbered_rank_warnings(opened, threads)
        elif opened.layout.number == "rank" and _are_mostly_repeated(ranks):
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


# ranks beside scores


def _reversed_rank_warnings(
    ranked_input: CutInput[Any] | TopicTable, threads: int
) -> Iterator[Notice]:
    def count_reversed(rows: Rows) -> tuple[int, int]:
        return count_reversed_topics(rows, parse_reals_or_nan(rows.groups[-1]))

    counts = map_opened(ranked_input, count_reversed, threads).results
    yield from rank_order_warnings(*map(sum, zip(*counts, strict=True)))


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


# ranks alone


def _misnumbered_rank_warnings(text: Text, threads: int) -> Iterator[Notice]:
    def topics_of_misnumbered_ranks(rows: Rows) -> list[bytes]:
        return [
            rows.topics[index] for index in np.flatnonzero(are_ranks_misnumbered(rows)).tolist()
        ]

    parts = map_opened(text, topics_of_misnumbered_ranks, threads).results
    yield from misnumbered_rank_warnings([topic for part in parts for topic in part])


def _are_mostly_repeated(ranks: Sequence[tuple[bytes, bytes]]) -> bool:
    """Whether there are twice as many rows as different ranks of a topic, or more."""
    return len(ranks) >= 2 * len(set(ranks)) > 0


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


def _are_ranks(rows: Sequence[tuple[bytes, bytes]]) -> bool:
    """Whether the ranks of the first topic begin with 1, and none stands twice."""
    ranks = [rank for topic, rank in rows if topic == rows[0][0]]
    return not ranks or (ranks[0] == b"1" and len(set(ranks)) == len(ranks))


def are_ranks_misnumbered(negated_rank_rows: Rows) -> TopicMask:
    """Where ranks do not start at 1, or stand twice; a row's value is minus its rank."""
    order = np.lexsort((-negated_rank_rows.value, negated_rank_rows.topic_of_row))
    falling = negated_rank_rows.value[order]
    is_wrong: Bools = falling[negated_rank_rows.start[:-1]] != -1
    repeats = negated_rank_rows.clear_flags_across_topics(falling[1:] == falling[:-1])
    is_wrong[negated_rank_rows.topic_of_row[1:][repeats]] = True
    return is_wrong


# --- Judgments and a run that were exchanged, or one input given as both ---
# All numbers are looked at, but only where the judgments may be scores. The bounds were chosen on
# real pairs of judgments and runs, and on random ones of many kinds.


_HIGHEST_GRADE, _GRADE_STEPS = 5, (20, 3)
"""Grades that are fractions mostly are no higher, and multiples of 0.05 or of a third."""

_MOST_EQUAL_SCORES, _LEAST_EQUAL_GRADES = 0.05, 0.1
"""Of the pairs of documents of a topic so many have equal scores at most, equal grades at least."""

_MOST_POINTS = 100
"""Whole grades are no higher, be it points."""

_ENOUGH_PAIRS = 45
"""Fewer pairs of documents may all have different grades by chance."""


class NumberFacts(NamedTuple):
    """What the scores or the grades of some whole topics look like.

    num_rows       documents
    num_pairs      pairs of documents of one topic
    num_equal      those of them with equal numbers
    num_odd        documents whose number is no whole one, or beyond `_MOST_POINTS`
    distinct       the different numbers, no more than one beyond `MOST_GRADES`
    are_places     whether the numbers of each topic fall by one, as those of ranked lists do
    total          the sum of all
    """

    num_rows: int
    num_pairs: int
    num_equal: int
    num_odd: int
    distinct: frozenset[float]
    are_places: bool
    total: float

    @property
    def look_like_scores(self) -> bool:
        """Whether they are fractions, or many, of which hardly two are equal within a topic."""
        are_many = len(self.distinct) > MOST_GRADES
        if not (are_many or 2 * self.num_odd > self.num_rows):
            return False
        if not self.num_pairs and len(self.distinct) < min(self.num_rows, MOST_GRADES + 1):
            return False
        if all(map(_is_usual_grade, self.distinct)):
            return self.num_pairs >= _ENOUGH_PAIRS and not self.num_equal
        return self.num_equal <= _MOST_EQUAL_SCORES * self.num_pairs

    def look_like_grades(self, num_pairs_of_judgments: int) -> bool:
        """Whether they are few, and neither places in ranked lists nor all different."""
        if len(self.distinct) > MOST_GRADES:
            return False
        if self.num_odd:
            # a fraction may be a score, too: so few different ones are grades
            enough = self.num_pairs >= _ENOUGH_PAIRS
            return enough and self.num_equal >= _LEAST_EQUAL_GRADES * self.num_pairs
        if not self.num_pairs:
            # one document for each topic is a short list, or all that is relevant
            return num_pairs_of_judgments >= _ENOUGH_PAIRS
        are_low = max(map(abs, self.distinct)) <= 2 * _HIGHEST_GRADE
        return not self.are_places and (self.num_equal > 0 or are_low)

    def are_those_of(self, other: NumberFacts) -> bool:
        """Whether they seem to be the same numbers."""
        is_same_total = math.isclose(self.total, other.total)
        return self._replace(total=0.0) == other._replace(total=0.0) and is_same_total


def number_facts(topic_of_row: TopicOfRow, numbers: RowValues) -> NumberFacts:
    """What the numbers of some whole topics look like, in whatever order."""
    order = np.lexsort((numbers, topic_of_row))
    topic, rising = topic_of_row[order], numbers[order]
    of_one_topic = topic[1:] == topic[:-1]
    ends = (
        np.flatnonzero(np.append(True, ~of_one_topic)),
        np.flatnonzero(np.append(True, ~of_one_topic | (rising[1:] != rising[:-1]))),
    )
    num_pairs, num_equal = (
        int((length * (length - 1) // 2).sum())
        for length in (np.diff(start, append=len(topic)) for start in ends)
    )
    with np.errstate(all="ignore"):  # of infinite scores, and of very large ones
        differences = rising[1:][of_one_topic] - rising[:-1][of_one_topic]
        total = float(numbers.sum())
    distinct = np.unique(rising)[: MOST_GRADES + 1].tolist()
    is_odd = (numbers != np.floor(numbers)) | (np.abs(numbers) > _MOST_POINTS)
    return NumberFacts(
        len(numbers), num_pairs, num_equal, int(np.count_nonzero(is_odd)), frozenset(distinct),
        bool((differences == 1).all()), total,
    )  # fmt: skip


def total_number_facts(parts: Sequence[NumberFacts]) -> NumberFacts:
    """The same of all parts of an input."""
    distinct = sorted(frozenset().union(*(part.distinct for part in parts)))
    return NumberFacts(
        sum(part.num_rows for part in parts), sum(part.num_pairs for part in parts),
        sum(part.num_equal for part in parts), sum(part.num_odd for part in parts),
        frozenset(distinct[: MOST_GRADES + 1]), all(part.are_places for part in parts),
        sum(part.total for part in parts),
    )  # fmt: skip


def exchanged_input_warnings(
    judgments: NumberFacts, run: NumberFacts, *, is_same_input: bool
) -> Iterator[Notice]:
    """A warning where judgments look like scores and scores like grades, or both are one input."""
    if is_same_input and run.are_those_of(judgments):
        yield Notice(
            EXCHANGED,
            "the judgments were given as the run, too: each document has its grade as its score",
            "name the run behind the judgments",
        )
    elif judgments.look_like_scores and run.look_like_grades(judgments.num_pairs):
        kind = "few" if run.num_odd else "few whole"
        yield Notice(
            EXCHANGED,
            f"the scores of the run are {kind} numbers",
            "the judgments have many different grades: are run and judgments exchanged? the "
            "judgments come first",
        )


def _is_usual_grade(number: float) -> bool:
    """Whether a number is one of those that people and models give as grades."""
    if number.is_integer():
        return 0 <= number <= _MOST_POINTS
    return 0 <= number <= _HIGHEST_GRADE and any(
        math.isclose(number * step, round(number * step), abs_tol=0.01) for step in _GRADE_STEPS
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
_KINDS_OF_BYTES = bytes(
    ord(
        "9"
        if 48 <= code <= 57
        else "A"
        if 65 <= code <= 90
        else "a"
        if 97 <= code <= 122
        else chr(code)
    )
    for code in range(256)
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
            pairs_by_wording.setdefault(wording, []).extend(
                _unique_pairs(rewritable, judged.ids_by_written_form(normalise), normalise)
            )
        for document in rewritable:
            for wording, affix, judged_id in judged.affixes.rewritings_by_affix(document):
                pairs_by_wording.setdefault(wording, []).append((document, judged_id))
                affix_counts.setdefault(wording, Counter())[affix] += 1
    rewritings = [
        _rewriting(wording, pairs, affix_counts.get(wording), num_judged)
        for wording, pairs in pairs_by_wording.items()
        if pairs
    ]
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


def _unique_pairs(
    run_ids: Iterable[bytes],
    judged_by_form: Mapping[bytes, bytes],
    normalise: Callable[[bytes], bytes],
) -> Iterator[tuple[bytes, bytes]]:
    """Ids of both sides that become the same; such as several become would tell nothing."""
    if judged_by_form.keys().isdisjoint(map(normalise, run_ids)):
        return
    for form, ids in group_by_form(run_ids, normalise).items():
        if len(ids) == 1 and form in judged_by_form:
            yield ids[0], judged_by_form[form]


def _precision(wording: str) -> int:
    """How precisely a way says what differs: a form that keeps nothing most, an example least."""
    if wording in _PRECISE:
        return 2
    return 0 if wording in dict(_FORMS) or _SUCH in wording else 1


def _rewriting(
    wording: str,
    pairs: Sequence[tuple[bytes, bytes]],
    affix_counts: Counter[bytes] | None,
    num_already_judged: int,
) -> Rewriting:
    if affix_counts is not None:
        ((affix, count),) = affix_counts.most_common(1)
        example = "" if count >= _CONSTANT * len(pairs) else f"{_SUCH} "
        wording = f"{wording} {example}'{id_text(affix)}',"
    return Rewriting(wording, len(pairs) + num_already_judged, *pairs[0])


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


# topics


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


# --- Runs that are the same under two names ---


class SameRankings:
    """Runs seen so far; those with the same scores are read once more, to see how they rank."""

    def __init__(self, layout: ChosenLayout, ranking: RankingRule, threads: int) -> None:
        self._layout, self._ranking, self._threads = layout, ranking, threads
        self._seen: dict[int, list[tuple[str, Input]]] = {}
        self._orders: dict[str, str | None] = {}

    def same_ranking_warning(self, name: str, run: Input, scores: Scores) -> Notice | None:
        """A warning where a run with another name ranks the same documents in the same order."""
        is_empty = any(notice.kind == NO_DOCUMENTS for notice in scores.notices)
        if self._ranking.orders_ties_by_grade or is_empty:
            return None
        if isinstance(run, str | os.PathLike):
            is_there_still = os.path.isfile(run) or os.path.isdir(run)
            if not is_there_still:
                return None  # what can be read once only
        key = hash((scores.topics, scores.account, scores.values.tobytes()))
        others = self._seen.setdefault(key, [])
        for other, other_run in others:
            is_given_twice = isinstance(run, str | os.PathLike) and run == other_run
            if not is_given_twice and self._ranking_hash(other, other_run) == self._ranking_hash(
                name, run
            ):
                return identical_runs_warning(other, name)
        others.append((name, run))
        return None

    def _ranking_hash(self, name: str, run: Input) -> str | None:
        if name not in self._orders:
            self._orders[name] = ranking_hash_unless_ties_by_grade(
                run, self._layout, self._ranking, self._threads
            )
        return self._orders[name]


def identical_runs_warning(one: str, other: str) -> Notice:
    """The warning about two runs that are the same: it does not say which is the copy."""
    message = f"{one} and {other} rank the same documents in the same order"
    return Notice("identical-runs", message)


def ranking_hash_unless_ties_by_grade(
    run: Input, layout: ChosenLayout, ranking: RankingRule, threads: int
) -> str | None:
    """A hash of the topics of a run and the order of their documents.

    None where the judgments order it.
    """
    if ranking.orders_ties_by_grade:
        return None
    parts = map_topics(run, layout, _topic_hashes_step(ranking), threads).results
    return sha256_of(b"".join(sorted(topic_hash for part in parts for topic_hash in part)))


def _topic_hashes_step(ranking: RankingRule) -> Step[list[bytes]]:
    """A hash for each topic, of its id and its documents in their order."""
    from hashlib import sha256

    def topic_hashes(rows: Rows) -> list[bytes]:
        order = np.lexsort((ranks_of_rows(rows, ranking), rows.topic_of_row))
        documents = rows.docs.take(order).compact().to_list()
        ends = rows.start.tolist()
        return [
            sha256(b"\n".join((topic, *documents[first:after]))).digest()
            for topic, first, after in zip(rows.topics, ends, ends[1:], strict=False)
        ]

    return topic_hashes
