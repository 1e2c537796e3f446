"""Judgments of each kind, and what measures see of rankings that are held against them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from irev.core.arrays import Floats, Ints, ListIndices, RowStarts, offsets, ranges
from irev.core.memo import TopicMemo
from irev.core.model import Judged, Qrels, Settings
from irev.core.views import (
    Inclusions,
    Rankings,
    SampledJudged,
    Strata,
    SubtopicJudged,
    Subtopics,
    SupportJudged,
)
from irev.errors import ContradictionError, MismatchError, id_text

if TYPE_CHECKING:
    from irev.rank.equivalence import QrelsWithClasses
    from irev.rank.preference_judgments import Preferences
    from irev.rank.ranking import Ranked

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
            grade[grade < 0] = -2.0  # whatever is below 0 is pooled but unjudged
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
    """Grades of documents of which some are equivalent: the first of a class counts."""

    def __init__(self, classes: QrelsWithClasses, settings: Settings) -> None:
        super().__init__(classes.qrels, settings)
        self._class_of_row = classes.class_of_row

    def judged_view(self, ranked: Ranked) -> Judged:
        """The rankings with their grades, 0 where the class came before."""
        from irev.rank.equivalence import grades_of_first_in_class

        judged = super().judged_view(ranked)
        class_of_row = self._class_of_row[ranked.row]
        return replace(judged, grade=grades_of_first_in_class(class_of_row, judged.grade))


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
            self.judged_view(ranked), ranked.lists, ranked.row,
            self._sentence_of_row[ranked.row], self._position_of_row[ranked.row],
        )  # fmt: skip


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
        from irev.rank.preference_judgments import ranked_preferences

        return ranked_preferences(self._preferences, ranked)

    def error_with_judgment_ids(self, ranked: Ranked, error: ContradictionError) -> MismatchError:
        """Preferences that cannot all hold, with the topic's and the documents' ids."""
        from irev.rank.preference_judgments import contradiction_with_ids

        return contradiction_with_ids(self._preferences, ranked, error)
