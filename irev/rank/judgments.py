"""Judgments of each kind made ready, and what measures see of rankings held against them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    ListIndices,
    RowIndices,
    RowMask,
    RowStarts,
    RowValues,
    Words,
    byte_order,
    offsets,
    ranges,
    run_starts,
    segment_starts,
)
from irev.core.ids import Ids, concatenate_ids, ids_from_bytes
from irev.core.judged import (
    METHODS,
    POOLED,
    Inclusions,
    Intent,
    Intents,
    Judged,
    JudgmentGroup,
    Qrels,
    RankedPreferences,
    Rankings,
    Rows,
    SampledJudged,
    Settings,
    Strata,
    SubtopicJudged,
    Subtopics,
    SupportJudged,
    TopicMemo,
)
from irev.core.record import record
from irev.core.text import parse_c_number
from irev.errors import ContradictionError, InputError, MismatchError, Problem, id_text
from irev.rank.ranking import Ranked, index_pairs_refusing_duplicates

# --- Judged lists, each in one place, their grades counted ---


_FEW_LEVELS = 256
_CELLS_PER_ROW = 16
"""How much larger than the judgments a table of lists by levels may be."""


@record
class JudgedLists:
    """Some topics of qrels, ready; the lists of a topic lie together, in order of their groups.

    topics          T ids
    lists_of_topic  int64[T], how many lists each topic has
    list_length     int64[L], how many documents each list has
    docs, hashes    N documents, list by list
    grade           float64[N]
    levels_of_list  int64[L], how many grades >= 0 each list has
    level_grade     float64[G], those grades, rising within a list
    level_count     int64[G], how many documents of the list have each
    """

    topics: list[bytes]
    lists_of_topic: Ints
    list_length: Ints
    docs: Ids
    hashes: Words
    grade: Floats
    levels_of_list: Ints
    level_grade: Floats
    level_count: Ints


def one_list_per_topic_and_group(rows: Rows) -> JudgedLists:
    """Some topics of qrels made ready."""
    list_of_row, topic_of_list = number_judged_lists(rows)
    hashes = index_pairs_refusing_duplicates(rows, list_of_row, len(topic_of_list)).doc_hashes
    # the lists of a topic may be mixed
    new_row_order = np.argsort(list_of_row, kind="stable") if rows.groups else None
    return _build_lists(rows, list_of_row, topic_of_list, hashes, rows.value, new_row_order)


def one_list_per_topic(
    rows: Rows, counted_grade: RowValues | None = None, new_row_order: RowIndices | None = None
) -> JudgedLists:
    """Some topics made ready, a list for each, its documents in the order of the rows.

    `counted_grade` is what each row counts as in the list's counts of grades, if not its grade;
    `new_row_order` the rows, topic by topic, in the order that is asked for instead.
    """
    topic_of_row, topic_of_list = rows.topic_of_row, np.arange(len(rows.topics))
    hashes = index_pairs_refusing_duplicates(rows, topic_of_row, len(topic_of_list)).doc_hashes
    if counted_grade is None:
        counted_grade = rows.value
    return _build_lists(rows, topic_of_row, topic_of_list, hashes, counted_grade, new_row_order)


def _build_lists(
    rows: Rows,
    list_of_row: Ints,
    topic_of_list: Ints,
    hashes: Words,
    counted_grade: RowValues,
    new_row_order: RowIndices | None,
) -> JudgedLists:
    """Lists from rows that lie list by list in `new_row_order`, or as they are."""
    docs, grade, num_lists = rows.docs, rows.value, len(topic_of_list)
    if new_row_order is not None:
        docs, grade, hashes = docs.take(new_row_order), grade[new_row_order], hashes[new_row_order]
        list_of_row, counted_grade = list_of_row[new_row_order], counted_grade[new_row_order]
    # what stays is copied last of all: memory that was worked in is then free in one piece
    level_list, level_grade, level_count = _count_levels(list_of_row, counted_grade, num_lists)
    return JudgedLists(
        rows.topics,
        np.bincount(topic_of_list, minlength=len(rows.topics)),
        np.bincount(list_of_row, minlength=num_lists),
        docs.compact_aligned(),
        hashes.copy(),
        grade.copy(),
        np.bincount(level_list, minlength=num_lists),
        level_grade,
        level_count,
    )


class ListNumbers(NamedTuple):
    """int64[N]: the judged list of each row; int64[L]: the topic of each list."""

    list_of_row: Ints
    topic_of_list: Ints


def number_judged_lists(rows: Rows) -> ListNumbers:
    """Number the lists by topic and group."""
    if not rows.groups:
        return ListNumbers(rows.topic_of_row, np.arange(len(rows.topics)))
    code, names = rows.groups[0].codes()
    rank_of_name = np.empty(len(names), np.int64)
    rank_of_name[byte_order(names)] = np.arange(len(names))
    lists, list_of_row = np.unique(
        rows.topic_of_row * len(names) + rank_of_name[code], return_inverse=True
    )
    return ListNumbers(list_of_row, lists // len(names))


def group_names_by_topic(rows: Rows, list_of_row: Ints, topic_of_list: Ints) -> list[list[bytes]]:
    """For each topic the groups that its lists are of, in byte order."""
    _, first_row = np.unique(list_of_row, return_index=True)
    names: list[list[bytes]] = [[] for _ in rows.topics]
    group_names = rows.groups[0].take(first_row).to_list()
    for topic, name in zip(topic_of_list.tolist(), group_names, strict=True):
        names[topic].append(name)
    return names


class _ListLevels(NamedTuple):
    """Pairs of a list and a grade of its documents, both rising, and how many have it."""

    list_index: ListIndices
    grade: Floats
    num_documents: Ints


def _count_levels(list_of_row: Ints, grade: RowValues, num_lists: int) -> _ListLevels:
    """How many documents of each list have each grade >= 0."""
    top = grade.max(initial=0)
    with np.errstate(invalid="ignore"):  # far below 0: not equal then, which is what matters
        whole = grade.astype(np.int64) if top < _FEW_LEVELS else None
    width = int(min(top, _FEW_LEVELS)) + 1
    is_dense = num_lists * width <= _CELLS_PER_ROW * len(grade)
    if whole is not None and is_dense and (whole == grade).all():
        cell = list_of_row * width + whole
        if whole.min(initial=0) < 0:
            cell = cell[whole >= 0]
        table = np.bincount(cell, minlength=num_lists * width)
        cells = np.flatnonzero(table)
        whole_grades = (cells % width).astype(np.float64)
        return _ListLevels(cells // width, whole_grades, table[cells])
    judged = grade >= 0
    list_of_row, grade = list_of_row[judged], grade[judged]
    order = np.lexsort((grade, list_of_row))
    list_of_row, grade = list_of_row[order], grade[order]
    begin = run_starts(list_of_row, grade)
    return _ListLevels(list_of_row[begin[:-1]], grade[begin[:-1]], np.diff(begin))


def assemble_qrels(parts: Sequence[JudgedLists]) -> Qrels:
    """The qrels from their parts; topics in byte order, whatever the order of the parts."""
    names = [topic for part in parts for topic in part.topics]
    lists_of_topic = np.concatenate([part.lists_of_topic for part in parts])
    list_length = np.concatenate([part.list_length for part in parts])
    levels_of_list = np.concatenate([part.levels_of_list for part in parts])
    stop = np.cumsum(list_length)
    level_stop = np.cumsum(levels_of_list)
    list_stop = np.cumsum(lists_of_topic)

    level_grade = np.concatenate([part.level_grade for part in parts])
    level_count = np.concatenate([part.level_count for part in parts])
    docs = [part.docs for part in parts]
    hashes = [part.hashes for part in parts]
    grade = [part.grade for part in parts]
    del parts  # of very many judgments a column's parts are forgotten once they are joined

    by_name = byte_order(names)
    lists = ranges((list_stop - lists_of_topic)[by_name], list_stop[by_name])
    levels = ranges((level_stop - levels_of_list)[lists], level_stop[lists])
    qrels = Qrels(
        topics=tuple(names[number] for number in by_name.tolist()),
        list_start=offsets(lists_of_topic[by_name]),
        start=(stop - list_length)[lists],
        stop=stop[lists],
        docs=_join_and_clear(concatenate_ids, docs),
        grade=_join_and_clear(np.concatenate, grade),
        level_start=offsets(levels_of_list[lists]),
        level_grade=level_grade[levels],
        level_count=level_count[levels],
    )
    # known from the search for duplicates: the property need not work them out
    vars(qrels)["hashes"] = _join_and_clear(np.concatenate, hashes)
    return qrels


def _join_and_clear(join: Callable[[list[Any]], Any], parts: list[Any]) -> Any:
    """A column of its parts, which are given up."""
    column = join(parts)
    parts.clear()
    return column


# --- Judgments of each kind ---


_MOST_STRATA_NAMED = 10


class Judgments:
    """Judgments of some kind, and what they make of rankings."""

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        _ = qrels.hashes  # once, before there are several threads

    def view(self, ranked: Ranked) -> Rankings:
        """What measures see of rankings."""
        raise NotImplementedError

    def caution_sentences(self) -> list[str]:
        """What makes the judgments doubtful, a line for each."""
        return []

    def error_with_judgment_ids(self, ranked: Ranked, error: ContradictionError) -> MismatchError:
        """An error about rankings, in the ids that the judgments have."""
        return error


class _JudgedListColumns(NamedTuple):
    """What the views of L judged lists share.

    level_start          int64[L+1], where each list's grades begin
    level_grade          float64[G], the grades
    level_count          int64[G], how many documents have each
    num_pooled_unjudged  int64[L]
    memo_of_settings     what else is remembered
    """

    level_start: RowStarts
    level_grade: Floats
    level_count: Ints
    num_pooled_unjudged: Ints
    memo_of_settings: dict[Any, Any]


class GradedJudgments(Judgments):
    """Grades of documents."""

    def __init__(self, qrels: Qrels, settings: Settings) -> None:
        super().__init__(qrels)
        self.settings = settings
        pooled = (qrels.grade < 0).nonzero()[0]
        self._num_pooled: Ints = pooled.searchsorted(qrels.stop) - pooled.searchsorted(qrels.start)
        self._list_memo: TopicMemo[_JudgedListColumns] = TopicMemo()

    def judged_view(self, ranked: Ranked) -> Judged:
        """The rankings with their grades."""
        grade = self.qrels.grade[ranked.row]
        if self.qrels.has_pooled:
            grade[grade < 0] = POOLED
        columns = self._list_columns(ranked.lists)
        return Judged(
            ranked.topic,
            ranked.rank,
            grade,
            ranked.num_ret,
            columns.level_start,
            columns.level_grade,
            columns.level_count,
            self.settings,
            columns.num_pooled_unjudged,
            ranked.extras,
            columns.memo_of_settings,
        )

    def _list_columns(self, list_indices: ListIndices) -> _JudgedListColumns:
        """What a view says of some lists themselves; remembered for the runs that have the same."""

        def gather() -> tuple[_JudgedListColumns, int]:
            qrels = self.qrels
            first, last = qrels.level_start[list_indices], qrels.level_start[list_indices + 1]
            levels = ranges(first, last)
            columns = _JudgedListColumns(
                offsets(last - first),
                qrels.level_grade[levels],
                qrels.level_count[levels],
                self._num_pooled[list_indices],
                {},
            )
            return columns, len(list_indices) + int(
                (qrels.stop[list_indices] - qrels.start[list_indices]).sum()
            )

        return self._list_memo.get(list_indices.tobytes(), gather)

    def view(self, ranked: Ranked) -> Rankings:
        """The rankings with their grades."""
        return self.judged_view(ranked)


class ClassJudgments(GradedJudgments):
    """Grades of documents of which some are equivalent: the first of a class counts.

    class_of_row  int64[M]; no two topics share a class
    """

    def __init__(self, qrels: Qrels, class_of_row: Ints, settings: Settings) -> None:
        super().__init__(qrels, settings)
        self._class_of_row = class_of_row

    def judged_view(self, ranked: Ranked) -> Judged:
        """The rankings with their grades, 0 where the class came before."""
        judged = super().judged_view(ranked)
        _, first = np.unique(self._class_of_row[ranked.row], return_index=True)
        came_before = np.ones(len(ranked.row), bool)
        came_before[first] = False
        return replace(judged, grade=np.where(came_before & (judged.grade >= 0), 0.0, judged.grade))


class SubtopicJudgments(GradedJudgments):
    """Grades for subtopics; to other measures a document has its highest grade."""

    def __init__(self, qrels: Qrels, subtopics: Subtopics, settings: Settings) -> None:
        super().__init__(qrels, settings)
        self._subtopics = subtopics

    def view(self, ranked: Ranked) -> Rankings:
        """The rankings with the grades for subtopics."""
        return SubtopicJudged(self.judged_view(ranked), ranked.lists, ranked.row, self._subtopics)


class SupportJudgments(GradedJudgments):
    """Labels of the citations of answers, which stand for documents.

    sentence_of_row, position_of_row  int64[M], the number of each citation's sentence, and its own
        in there (0: a sentence without citations)
    """

    def __init__(
        self, qrels: Qrels, sentence_of_row: Ints, position_of_row: Ints, settings: Settings
    ) -> None:
        super().__init__(qrels, settings)
        self._sentence_of_row, self._position_of_row = sentence_of_row, position_of_row

    def view(self, ranked: Ranked) -> Rankings:
        """The citations with their sentences."""
        return SupportJudged(
            self.judged_view(ranked),
            ranked.lists,
            ranked.row,
            self._sentence_of_row[ranked.row],
            self._position_of_row[ranked.row],
        )


class SampleJudgments(GradedJudgments):
    """Grades of a sample of the documents; measures that know no samples see the grades alone."""

    def __init__(self, qrels: Qrels, sample: Strata | Inclusions, settings: Settings) -> None:
        super().__init__(qrels, settings)
        self.sample = sample

    def view(self, ranked: Ranked) -> Rankings:
        """The rankings with how their judgments were drawn."""
        judged = self.judged_view(ranked)
        return SampledJudged(judged, ranked.lists, ranked.row, cast("Any", self.sample))

    def caution_sentences(self) -> list[str]:
        """Strata of which no document was judged, by name."""
        strata = self.sample
        if not isinstance(strata, Strata):
            return []
        missed = np.flatnonzero(strata.judged == 0).tolist()
        if not missed:
            return []
        names = ", ".join(
            f"{id_text(strata.names[s])} of topic {id_text(self.qrels.topics[strata.topic[s]])}"
            for s in missed[:_MOST_STRATA_NAMED]
        )
        more = len(missed) - _MOST_STRATA_NAMED
        return [
            f"no document was judged in stratum {names}{f' and {more} more' if more > 0 else ''}: "
            "relevant documents there are not counted"
        ]


class PreferenceJudgments(Judgments):
    """Preferences between documents."""

    def __init__(self, preferences: Preferences) -> None:
        super().__init__(preferences.qrels)
        self._preferences = preferences

    def view(self, ranked: Ranked) -> Rankings:
        """What the rankings make of the preferences for their topics."""
        groups, num_ret, num_docs = [], [], []
        for ranking_index, topic in enumerate(ranked.lists.tolist()):
            lines = self._preferences.lines[topic]
            internal_rank, num_retrieved = self._internal_ranks(ranked, ranking_index)
            groups.append(_judgment_groups(lines, internal_rank))
            num_ret.append(num_retrieved)
            num_docs.append(len(lines.docs))
        return RankedPreferences(
            np.array(num_ret, np.int64), np.array(num_docs, np.int64), tuple(groups)
        )

    def error_with_judgment_ids(self, ranked: Ranked, error: ContradictionError) -> MismatchError:
        """Preferences that cannot all hold, with the topic's and the documents' ids."""
        topic = int(ranked.lists[error.topic])
        lines = self._preferences.lines[topic]
        by_rank = np.argsort(self._internal_ranks(ranked, error.topic)[0])
        docs = " and ".join(id_text(lines.docs[by_rank[doc]]) for doc in error.docs)
        return MismatchError(
            f"topic {id_text(self.qrels.topics[topic])}, judgment group "
            f"{id_text(lines.groups[error.group])}: {error.reason}: {docs}"
        )

    def _internal_ranks(self, ranked: Ranked, ranking_index: int) -> tuple[Ints, int]:
        """int64[D], the rank of each document of a topic from 0; how many are retrieved.

        Those that the ranking does not retrieve stand last.
        """
        first, after = np.searchsorted(ranked.topic, [ranking_index, ranking_index + 1]).tolist()
        docs = self._preferences.lines[int(ranked.lists[ranking_index])].docs
        place = {doc: at for at, doc in enumerate(docs)}
        retrieved = [place[self.qrels.docs[row]] for row in ranked.row[first:after].tolist()]
        rank = np.full(len(docs), -1)
        rank[retrieved] = np.arange(len(retrieved))
        rank[np.flatnonzero(rank < 0)] = np.arange(len(retrieved), len(docs))
        return rank, len(retrieved)


# --- Samples of judgments made ready ---


UNKNOWN_PROBABILITY = b"NA"
"""What stands for a probability that nobody knows."""


@record
class ListsWithStrata:
    """Some topics of a sample of judgments.

    lists     the documents of the pool with their grades
    names     for each topic its strata, in byte order; without strata empty
    stratum   int64[], the place of each document's stratum among them, as `lists` orders documents
    """

    lists: JudgedLists
    names: list[list[bytes]]
    stratum: Ints


@record
class ListsWithInclusions:
    """Some topics of a prels file: documents, and why and how likely each was judged."""

    lists: JudgedLists
    method: Ints
    probability: Floats


def lists_with_strata(rows: Rows) -> ListsWithStrata:
    """Some topics with strata made ready."""
    lists = one_list_per_topic(rows)
    stratum, topic_of_stratum = number_judged_lists(rows)
    place = stratum - np.searchsorted(topic_of_stratum, rows.topic_of_row)
    return ListsWithStrata(lists, group_names_by_topic(rows, stratum, topic_of_stratum), place)


def lists_with_inclusions(rows: Rows) -> ListsWithInclusions:
    """Some topics of a prels file made ready."""
    methods, probabilities = rows.groups
    method_of_text = {str(method).encode(): method for method in METHODS}
    code, texts = methods.codes()
    method = np.array([method_of_text.get(text, -1) for text in texts], np.int64)[code]
    code, texts = probabilities.codes()
    chances = np.full(len(texts), -1.0)  # of what is none
    for place, text in enumerate(texts):
        number = parse_c_number(text)
        if text == UNKNOWN_PROBABILITY:
            chances[place] = np.nan
        elif number is not None and 0 < number <= 1:
            chances[place] = number
    probability = chances[code]
    # sums over a topic's documents are then the same however the lines stand
    order = np.lexsort((method, probability, rows.topic_of_row))
    lists = one_list_per_topic(rows, new_row_order=order)
    _refuse_wrong_rows_in_one_error(rows, method < 0, methods, f"is not a method: one of {METHODS}")
    complaint = "is not a probability: above 0, at most 1, or NA"
    _refuse_wrong_rows_in_one_error(rows, probability < 0, probabilities, complaint)
    return ListsWithInclusions(lists, method[order], probability[order])


def _refuse_wrong_rows_in_one_error(
    rows: Rows, is_wrong: RowMask, text_of_row: Ids, complaint: str
) -> None:
    """Refuse rows whose text is wrong, all of them in one error."""
    problems = []
    for row in np.flatnonzero(is_wrong)[:10].tolist():
        topic = id_text(rows.topics[int(rows.topic_of_row[row])])
        wrong = id_text(text_of_row[row])
        text = f"topic {topic}, document {id_text(rows.docs[row])}: '{wrong}' {complaint}"
        problems.append(Problem("", None, "bad-sample", text))
    if problems:
        raise InputError(problems)


def assemble_strata(parts: Sequence[ListsWithStrata]) -> tuple[Qrels, Strata]:
    """The judgments from their parts: the pool with its grades, and the strata."""
    qrels = assemble_qrels([part.lists for part in parts])
    names_by_topic = dict(
        pair for part in parts for pair in zip(part.lists.topics, part.names, strict=True)
    )
    names = [name for topic_id in qrels.topics for name in names_by_topic[topic_id]]
    start = offsets([len(names_by_topic[topic_id]) for topic_id in qrels.topics])
    stratum_of_row = np.concatenate([part.stratum for part in parts])
    stratum_of_row = stratum_of_row + start[qrels.topic_of_row]
    judged = qrels.grade >= 0
    # the judged documents by stratum and grade, equal ones counted
    stratum, grade = stratum_of_row[judged], qrels.grade[judged]
    order = np.lexsort((grade, stratum))
    stratum, grade = stratum[order], grade[order]
    begin = run_starts(stratum, grade)
    first = begin[:-1]
    return qrels, Strata(
        start,
        tuple(names),
        stratum_of_row,
        np.bincount(stratum_of_row, minlength=len(names)),
        np.bincount(stratum_of_row[judged], minlength=len(names)),
        segment_starts(stratum[first], len(names)),
        grade[first],
        np.diff(begin),
    )


def assemble_inclusions(parts: Sequence[ListsWithInclusions]) -> tuple[Qrels, Inclusions]:
    """The judgments from their parts: documents with grades, and how they came to be judged."""
    qrels = assemble_qrels([part.lists for part in parts])
    return qrels, Inclusions(
        qrels.topic_of_row,
        qrels.grade,
        np.concatenate([part.method for part in parts]),
        np.concatenate([part.probability for part in parts]),
    )


# --- Judgments by subtopic made ready: each document once, with what it says of each subtopic ---


@record
class SubtopicLists:
    """Some topics of a file of judgments by subtopic.

    lists     the judged documents by topic and falling id, each with its highest grade
    names     for each topic the subtopics, in byte order
    length    int64[N], how many entries each document of `lists` has
    subtopic  int64[E], the entries by document and subtopic: the place among the topic's names
    grade     float64[E]
    """

    lists: JudgedLists
    names: list[list[bytes]]
    length: Ints
    subtopic: Ints
    grade: Floats


def subtopic_lists(rows: Rows) -> SubtopicLists:
    """Some topics made ready, each document once."""
    subtopic, topic_of_subtopic = number_judged_lists(rows)
    index_pairs_refusing_duplicates(rows, subtopic, len(topic_of_subtopic))
    # the distinct documents, numbered by topic and falling id
    code, names = rows.docs.codes()
    falling = np.empty(len(names), np.int64)
    falling[byte_order(names)[::-1]] = np.arange(len(names))
    key = rows.topic_of_row * len(names) + falling[code]
    _, first, document = np.unique(key, return_index=True, return_inverse=True)
    highest = np.full(len(first), -np.inf)
    np.maximum.at(highest, document, rows.value)
    topic = rows.topic_of_row[first]
    bounds = np.searchsorted(topic, np.arange(len(rows.topics) + 1))
    documents = Rows(rows.topics, bounds, rows.docs.take(first), highest)
    order = np.lexsort((subtopic, document))
    first_of_topic = np.searchsorted(topic_of_subtopic, np.arange(len(rows.topics)))
    return SubtopicLists(
        one_list_per_topic(documents),
        group_names_by_topic(rows, subtopic, topic_of_subtopic),
        np.bincount(document, minlength=len(first)),
        (subtopic - first_of_topic[topic_of_subtopic[subtopic]])[order],
        rows.value[order],
    )


def assemble_subtopics(
    parts: Sequence[SubtopicLists], intents: Intents | None = None
) -> tuple[Qrels, Subtopics]:
    """The judgments from their parts: documents with their highest grades, and their subtopics."""
    qrels = assemble_qrels([part.lists for part in parts])
    names = dict(pair for part in parts for pair in zip(part.lists.topics, part.names, strict=True))
    start = offsets([len(names[topic]) for topic in qrels.topics])

    # rows of the qrels lie part after part, and in each by topic; entries lie by row
    topic_of_row = qrels.topic_of_row
    length = np.concatenate([part.length for part in parts])
    subtopic = np.concatenate([part.subtopic for part in parts])
    subtopic += np.repeat(start[topic_of_row], length)

    subtopics = Subtopics(
        start,
        topic_of_row,
        np.argsort(topic_of_row, kind="stable"),
        offsets(length),
        subtopic,
        np.concatenate([part.grade for part in parts]),
    )
    if intents is not None:
        subtopics = _add_intents(subtopics, [(t, names[t]) for t in qrels.topics], intents)
    return qrels, subtopics


def _add_intents(
    subtopics: Subtopics, names_of_topics: list[tuple[bytes, list[bytes]]], intents: Intents
) -> Subtopics:
    """The subtopics with the probability of each, and whether it is navigational.

    A subtopic that is not listed has probability 0: what is relevant for none may stand in one.
    """
    for topic_id, _ in names_of_topics:
        if topic_id not in intents:
            raise MismatchError(f"topic {id_text(topic_id)} has no intents in the file of intents")
    is_relevant = np.zeros(subtopics.num_subtopics, bool)
    is_relevant[subtopics.entry_subtopic[subtopics.entry_grade > 0]] = True
    intent_of_subtopic: list[Intent] = []
    for topic_id, names in names_of_topics:
        for name in names:
            if name not in intents[topic_id] and is_relevant[len(intent_of_subtopic)]:
                raise MismatchError(
                    f"subtopic {id_text(name)} of topic {id_text(topic_id)} has relevant "
                    "documents, "
                    "but is not in the file of intents"
                )
            intent_of_subtopic.append(intents[topic_id].get(name, Intent(0.0)))
    return replace(
        subtopics,
        probability=np.array([intent.probability for intent in intent_of_subtopic], np.float64),
        navigational=np.array([intent.navigational for intent in intent_of_subtopic], bool),
    )


# --- Preference judgments, and what a ranking makes of them for the preference measures ---


@record
class TopicPreferences:
    """The lines of one topic as columns.

    `docs` and `groups`, distinct and in byte order, are what `doc` and `group` number.
    """

    docs: list[bytes]
    groups: list[bytes]
    doc: Ints
    group: Ints
    subgroup: Ints
    level: Floats


@record
class Preferences:
    """Preference judgments: the judged documents as qrels without grades, and each topic's lines.

    `lines[t]` belongs to `qrels.topics[t]`.
    """

    qrels: Qrels
    lines: tuple[TopicPreferences, ...]


PreferenceLists = tuple[list[TopicPreferences], JudgedLists]
"""Some topics made ready: the lines of each, and the judged documents."""


def preference_lists(rows: Rows, *, single_precision: bool) -> PreferenceLists:
    """Some topics of a preference file made ready; a repeated line stands twice."""
    lines = []
    for first, after in zip(rows.start[:-1].tolist(), rows.start[1:].tolist(), strict=True):
        here = slice(first, after)
        (group, groups), *rest = (_number_ids(ids.take(here).to_list()) for ids in rows.groups)
        doc, docs = _number_ids(rows.docs.take(here).to_list())
        level = rows.value[here]
        if single_precision:
            level = level.astype(np.float32).astype(np.float64)
        subgroup = rest[0][0] if rest else np.zeros_like(group)
        lines.append(TopicPreferences(docs, groups, doc, group, subgroup, level))
    docs_once = ids_from_bytes([doc for topic in lines for doc in topic.docs])
    start = offsets([len(topic.docs) for topic in lines])
    judged = Rows(rows.topics, start, docs_once, np.zeros(len(docs_once)))
    return lines, one_list_per_topic_and_group(judged)


def _number_ids(ids: list[bytes]) -> tuple[Ints, list[bytes]]:
    """(the place of each id among the distinct ids in byte order, those ids)."""
    names = sorted(set(ids))
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[name] for name in ids], np.int64), names


def assemble_preferences(parts: Sequence[PreferenceLists]) -> Preferences:
    """The preferences from their parts."""
    qrels = assemble_qrels([lists for _, lists in parts])
    lines_by_topic = {
        topic_id: lines
        for lines_of_topics, lists in parts
        for topic_id, lines in zip(lists.topics, lines_of_topics, strict=True)
    }
    return Preferences(qrels, tuple(lines_by_topic[topic_id] for topic_id in qrels.topics))


def _judgment_groups(lines: TopicPreferences, internal_rank: Ints) -> tuple[JudgmentGroup, ...]:
    """The judgment groups of a topic, documents by internal rank."""
    rank = internal_rank[lines.doc]
    order = np.lexsort((rank, lines.subgroup, lines.group))
    groups = []
    for rows_of_group in _split_where_changed(lines.group[order], order):
        subgroups = _split_where_changed(lines.subgroup[rows_of_group], rows_of_group)
        groups.append(
            JudgmentGroup(
                tuple(rank[row] for row in subgroups), tuple(lines.level[row] for row in subgroups)
            )
        )
    return tuple(groups)


def _split_where_changed(key: Ints, rows: RowIndices) -> list[RowIndices]:
    """The rows, cut where the key changes."""
    return np.split(rows, run_starts(key)[1:-1])


# --- Judgments with classes of equivalent documents: a class counts once ---


ListsWithClasses = tuple[JudgedLists, Ints]
"""Some topics made ready, and the class of each row."""


def lists_with_classes(rows: Rows) -> ListsWithClasses:
    """Some topics made ready, with the class of each row."""
    code, names = rows.groups[0].codes()
    _, class_of_row = np.unique(rows.topic_of_row * len(names) + code, return_inverse=True)
    # of a class the highest grade counts, and the rest of it as 0
    order = np.lexsort((-rows.value, class_of_row))
    others = order[1:][class_of_row[order[1:]] == class_of_row[order[:-1]]]
    counted_grade = rows.value.copy()
    counted_grade[others] = np.minimum(counted_grade[others], 0.0)
    return one_list_per_topic(rows, counted_grade), class_of_row


def assemble_qrels_with_classes(parts: Sequence[ListsWithClasses]) -> tuple[Qrels, Ints]:
    """The judgments from their parts; int64[M], the class of each, which no two topics share."""
    num_before = offsets([int(class_of_row.max()) + 1 for _, class_of_row in parts])
    class_of_row = [own + before for (_, own), before in zip(parts, num_before, strict=False)]
    qrels = assemble_qrels([lists for lists, _ in parts])
    return qrels, np.concatenate(class_of_row)
