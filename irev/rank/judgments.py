"""What measures see of rankings, for each kind of judgments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Floats, Ints, offsets, ranges
from irev.core.extras import Extras
from irev.core.memo import TopicMemo
from irev.core.model import Judged, Qrels, Settings
from irev.core.views import (
    Inclusions,
    RankedPreferences,
    Rankings,
    SampledJudged,
    Strata,
    SubtopicJudged,
    Subtopics,
)
from irev.errors import ContradictionError, MismatchError, shown
from irev.rank.equivalence import first_of_class
from irev.rank.preferences import contradiction_with_ids, ranked_preferences

if TYPE_CHECKING:
    from irev.rank.equivalence import EquivalenceClasses
    from irev.rank.preferences import Preferences
    from irev.rank.ranking import Ranked, UnjudgedTopics

_MOST_NAMED = 10


class Judgments:
    """Judgments of some kind, and what they make of rankings."""

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        _ = qrels.hashes  # once, before there are several threads

    def view(self, found: Ranked) -> Rankings:
        """What measures see of rankings."""
        raise NotImplementedError

    def view_unjudged(self, others: UnjudgedTopics) -> Rankings:
        """What measures see of rankings without any judgment."""
        raise NotImplementedError

    def cautions(self) -> list[str]:
        """What makes the judgments doubtful, a line for each."""
        return []

    def error_with_judgment_ids(self, found: Ranked, error: ContradictionError) -> MismatchError:
        """What contradicts itself for some rankings, in the names of the judgments."""
        return error


class GradedJudgments(Judgments):
    """Grades of documents."""

    def __init__(self, qrels: Qrels, settings: Settings) -> None:
        super().__init__(qrels)
        self.settings = settings
        pooled = (qrels.grade < 0).nonzero()[0]
        self._num_pooled: Ints = pooled.searchsorted(qrels.stop) - pooled.searchsorted(qrels.start)
        self._of_lists: TopicMemo[tuple[Ints, Floats, Ints, Ints, dict[Any, Any]]] = TopicMemo()

    def judged_view(self, found: Ranked) -> Judged:
        """The rankings with their grades."""
        grade = self.qrels.grade[found.row]
        grade[grade < 0] = -2.0  # whatever is below 0 is pooled but unjudged
        level_start, level_grade, level_count, num_pooled, of_lists = self._levels(found.lists)
        return Judged(
            found.topic,
            found.rank,
            grade,
            found.num_ret,
            level_start,
            level_grade,
            level_count,
            self.settings,
            num_pooled,
            found.extras,
            of_lists,
        )

    def _levels(self, lists: Ints) -> tuple[Ints, Floats, Ints, Ints, dict[Any, Any]]:
        """What a view says of some lists themselves; it is kept where they are asked for again."""

        def made() -> tuple[Any, int]:
            qrels = self.qrels
            first, last = qrels.level_start[lists], qrels.level_start[lists + 1]
            levels = ranges(first, last)
            found: Any = (
                offsets(last - first),
                qrels.level_grade[levels],
                qrels.level_count[levels],
                self._num_pooled[lists],
                {},
            )
            return found, len(lists) + int((qrels.stop[lists] - qrels.start[lists]).sum())

        return self._of_lists.recalled(lists.tobytes(), made)

    def view(self, found: Ranked) -> Rankings:
        """The rankings with their grades."""
        return self.judged_view(found)

    def view_unjudged(self, others: UnjudgedTopics) -> Rankings:
        """Rankings without a row."""
        return self._without_rows(others)

    def _without_rows(self, others: UnjudgedTopics) -> Judged:
        nothing, count = np.zeros(0, np.int64), len(others.num_ret)
        return Judged(
            nothing, nothing, np.zeros(0), others.num_ret,
            np.zeros(count + 1, np.int64), np.zeros(0), nothing, self.settings,
            extras=Extras(scores=others.scores),
        )  # fmt: skip


class ClassJudgments(GradedJudgments):
    """Grades of documents of which some are equivalent: the first of a class counts."""

    def __init__(self, classes: EquivalenceClasses, settings: Settings) -> None:
        super().__init__(classes.qrels, settings)
        self._number = classes.number

    def judged_view(self, found: Ranked) -> Judged:
        """The rankings with their grades, 0 where the class came before."""
        judged = super().judged_view(found)
        return replace(judged, grade=first_of_class(self._number[found.row], judged.grade))


class SubtopicJudgments(GradedJudgments):
    """Grades for subtopics; to other measures a document has its highest grade."""

    def __init__(self, qrels: Qrels, subtopics: Subtopics, settings: Settings) -> None:
        super().__init__(qrels, settings)
        self._subtopics = subtopics

    def view(self, found: Ranked) -> Rankings:
        """The rankings with the grades for subtopics."""
        return SubtopicJudged(self.judged_view(found), found.lists, found.row, self._subtopics)

    def view_unjudged(self, others: UnjudgedTopics) -> Rankings:
        """Rankings without a row."""
        judged = self._without_rows(others)
        return SubtopicJudged(judged, _no_lists(judged), judged.topic, self._subtopics)


class SampleJudgments(GradedJudgments):
    """Grades of a sample of the documents; measures that know no samples see the grades alone."""

    def __init__(self, qrels: Qrels, sample: Strata | Inclusions, settings: Settings) -> None:
        super().__init__(qrels, settings)
        self.sample = sample

    def view(self, found: Ranked) -> Rankings:
        """The rankings with how their judgments were drawn."""
        return self._sampled(self.judged_view(found), found.lists, found.row)

    def view_unjudged(self, others: UnjudgedTopics) -> Rankings:
        """Rankings without a row."""
        judged = self._without_rows(others)
        return self._sampled(judged, _no_lists(judged), judged.topic)

    def _sampled(self, judged: Judged, lists: Ints, row: Ints) -> Rankings:
        if isinstance(self.sample, Strata):
            return SampledJudged(judged, lists, row, self.sample)
        return SampledJudged(judged, lists, row, self.sample)

    def cautions(self) -> list[str]:
        """Strata of which no document was judged, by name."""
        strata = self.sample
        if not isinstance(strata, Strata):
            return []
        missed = np.flatnonzero(strata.judged == 0).tolist()
        if not missed:
            return []
        named = ", ".join(
            f"{shown(strata.names[s])} of topic {shown(self.qrels.topics[strata.topic[s]])}"
            for s in missed[:_MOST_NAMED]
        )
        more = len(missed) - _MOST_NAMED
        return [
            f"no document was judged in stratum {named}{f' and {more} more' if more > 0 else ''}: "
            "relevant documents there are not counted"
        ]


def _no_lists(judged: Judged) -> Ints:
    return np.full(judged.num_topics, -1)


class PreferenceJudgments(Judgments):
    """Preferences between documents."""

    def __init__(self, preferences: Preferences) -> None:
        super().__init__(preferences.qrels)
        self._preferences = preferences

    def view(self, found: Ranked) -> Rankings:
        """What the rankings make of the preferences for their topics."""
        return ranked_preferences(self._preferences, found)

    def view_unjudged(self, others: UnjudgedTopics) -> Rankings:
        """Rankings of topics without preferences."""
        count = len(others.num_ret)
        nothing = np.zeros(count, np.int64)
        return RankedPreferences(nothing, nothing, ((),) * count)

    def error_with_judgment_ids(self, found: Ranked, error: ContradictionError) -> MismatchError:
        """Preferences that cannot all hold."""
        return contradiction_with_ids(self._preferences, found, error)
