"""From whole topics of a run to the values of all measures, for each format of judgments."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from irev.core.arrays import Bools, Ints, offsets, ranges
from irev.core.extras import Extras, RunScores
from irev.core.grouped import RankedPreferences, SubtopicJudged, Subtopics
from irev.core.model import Judged, Qrels, Rows, Settings
from irev.errors import ContradictionError, MeasureError
from irev.measures.measuring import Values, batches, joined_rankings, measure_all
from irev.rank.equivalence import Classes, first_of_class
from irev.rank.preferences import Preferences, named_contradiction, ranked_preferences
from irev.rank.ranking import Ranked, Ranking, UnjudgedTopics, ranked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.measures.requests import Rankings, Request

_FEW_ROWS = 1 << 14
"""Pieces with fewer judged documents are measured together: most of their cost is NumPy's calls."""


@dataclass(frozen=True, eq=False, repr=False)
class TieCounts:
    """The tie groups of some rankings that hold a judged document.

    groups     int64[T], how many there are
    at_cutoff  int64[T, K], how many have documents on both sides of each cutoff
    drawn      bool[T], whether orders of them were drawn
    """

    groups: Ints
    at_cutoff: Ints
    drawn: Bools


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """What became of some topics of a run: measured already, or to be measured with others.

    others    the topics of the run that the qrels do not have
    ties      the tie groups of each list, where several orders of them were looked at
    repeats   how many repeated lines were left out, by topic, where only first lines count
    """

    measured: Values | None
    lists: Ints
    judged: Judged | None
    others: UnjudgedTopics
    ties: TieCounts | None = None
    repeats: dict[bytes, int] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Ranked, measured: Values | None, judged: Judged | None = None) -> Part:
        """What became of the topics that were ranked."""
        return cls(measured, found.lists, judged, found.others)


class Judge(Protocol):
    """Judgments of some format, ready to judge runs."""

    qrels: Qrels

    def part(self, rows: Rows) -> Part:
        """Judge some whole topics of a run."""

    def values(self, parts: Sequence[Part]) -> Iterable[Values]:
        """The values of all parts."""

    def empty(self, lists: Ints) -> Values:
        """The values of empty rankings for some judged lists."""

    def unjudged(self, num_ret: Ints, scores: RunScores | None) -> Values:
        """The values of rankings without any judgment; their `lists` are -1."""


class GradedJudge:
    """Judges runs by grades: qrels and qrels_jg."""

    def __init__(
        self, qrels: Qrels, requests: Sequence[Request], ranking: Ranking, settings: Settings
    ) -> None:
        """Keep what all runs have in common."""
        self.qrels = qrels
        self.requests = requests
        self.ranking = ranking
        self._settings = settings
        self._num_pooled = _num_pooled(qrels)

    def part(self, rows: Rows) -> Part:
        """Judge some whole topics of a run."""
        found = ranked(rows, self.qrels, self.ranking)
        judged = self.judged(found)
        if len(judged.topic) < _FEW_ROWS:
            return Part.of(found, None, judged)
        return Part.of(found, self._measure(found.lists, judged))

    def values(self, parts: Sequence[Part]) -> Iterator[Values]:
        """The values of all parts; small ones are measured together."""
        yield from (part.measured for part in parts if part.measured is not None)
        waiting = [(part.lists, part.judged) for part in parts if part.judged is not None]
        for batch in batches(waiting):
            lists = np.concatenate([lists for lists, _ in batch])
            yield self._measure(lists, joined_rankings([judged for _, judged in batch]))

    def empty(self, lists: Ints) -> Values:
        """The values of empty rankings for some judged lists."""
        return self._measure(lists, self.judged(empty_rankings(lists)))

    def unjudged(self, num_ret: Ints, scores: RunScores | None) -> Values:
        """The values of rankings without any judgment; their `lists` are -1."""
        nothing = np.zeros(0, np.int64)
        no_levels = np.zeros(len(num_ret) + 1, np.int64)
        judged = Judged(
            nothing, nothing, np.zeros(0), num_ret, no_levels, np.zeros(0), nothing, self._settings,
            extras=Extras(scores=scores),
        )  # fmt: skip
        return self._measure(np.full(len(num_ret), -1), judged)

    def judged(self, found: Ranked) -> Judged:
        """What the measures see of some rankings."""
        qrels = self.qrels
        first, last = qrels.level_start[found.lists], qrels.level_start[found.lists + 1]
        levels = ranges(first, last)
        # whatever is below 0 is pooled but unjudged
        grade = np.maximum(qrels.grade[found.row], -1.0)
        grade[grade < 0] = -2.0
        return Judged(
            found.topic,
            found.rank,
            grade,
            found.num_ret,
            offsets(last - first),
            qrels.level_grade[levels],
            qrels.level_count[levels],
            self._settings,
            self._num_pooled[found.lists],
            found.extras,
        )

    def cautions(self) -> list[str]:
        """What makes the judgments doubtful, a line for each."""
        return []

    def _measure(self, lists: Ints, judged: Judged) -> Values:
        return self.measured(lists, judged)

    def measured(self, lists: Ints, rankings: Rankings) -> Values:
        """The values of some rankings, each against a judged list."""
        try:
            return measure_all(self.requests, lists, rankings)
        except MeasureError as error:
            raise self._named(lists, error) from error

    def _named(self, lists: Ints, error: MeasureError) -> MeasureError:
        """The failure of a user's measure, with the topic's id."""
        topic = error.topic
        if not isinstance(topic, int) or lists[topic] < 0:
            return MeasureError(error.measure, error.reason)
        number = self.qrels.topic_of_list[lists[topic]]
        return MeasureError(error.measure, error.reason, self.qrels.topics[number])


class ClassJudge(GradedJudge):
    """Judges runs by grades where documents may be equivalent: the first of a class counts."""

    def __init__(
        self, classes: Classes, requests: Sequence[Request], ranking: Ranking, settings: Settings
    ) -> None:
        """Keep what all runs have in common."""
        super().__init__(classes.qrels, requests, ranking, settings)
        self._number = classes.number

    def judged(self, found: Ranked) -> Judged:
        """What the measures see of some rankings."""
        judged = super().judged(found)
        return replace(judged, grade=first_of_class(self._number[found.row], judged.grade))


class RowJudge(GradedJudge):
    """Judges runs by grades, and by what else is known of each row of the qrels."""

    def with_rows(self, lists: Ints, row: Ints, judged: Judged) -> Rankings:
        """What the measures see: the rankings, and the row of the qrels of each of their rows."""
        raise NotImplementedError

    def part(self, rows: Rows) -> Part:
        """Judge some whole topics of a run."""
        found = ranked(rows, self.qrels, self.ranking)
        rankings = self.with_rows(found.lists, found.row, self.judged(found))
        return Part.of(found, self.measured(found.lists, rankings))

    def _measure(self, lists: Ints, judged: Judged) -> Values:
        # only rankings without a judged document come this way
        return self.measured(lists, self.with_rows(lists, np.zeros(0, np.int64), judged))


class SubtopicJudge(RowJudge):
    """Judges runs by grades for subtopics; for other measures a document has its highest grade."""

    def __init__(
        self,
        qrels: Qrels,
        subtopics: Subtopics,
        requests: Sequence[Request],
        ranking: Ranking,
        settings: Settings,
    ) -> None:
        """Keep what all runs have in common."""
        super().__init__(qrels, requests, ranking, settings)
        self._subtopics = subtopics

    def with_rows(self, lists: Ints, row: Ints, judged: Judged) -> SubtopicJudged:
        """The rankings with the grades for subtopics."""
        return SubtopicJudged(judged, lists, row, self._subtopics)


class PreferenceJudge:
    """Judges runs by preferences: prefs and qrels_prefs."""

    def __init__(
        self, preferences: Preferences, requests: Sequence[Request], ranking: Ranking
    ) -> None:
        """Keep what all runs have in common."""
        self.qrels = preferences.qrels
        self._preferences = preferences
        self.requests = requests
        self.ranking = ranking

    def part(self, rows: Rows) -> Part:
        """Judge some whole topics of a run."""
        found = ranked(rows, self.qrels, self.ranking)
        return Part.of(found, self._measure(found))

    def values(self, parts: Sequence[Part]) -> list[Values]:
        """The values of all parts."""
        return [part.measured for part in parts if part.measured is not None]

    def empty(self, lists: Ints) -> Values:
        """The values of empty rankings for some topics."""
        return self._measure(empty_rankings(lists))

    def unjudged(self, num_ret: Ints, scores: RunScores | None) -> Values:
        """The values of rankings without any judgment; their `lists` are -1."""
        nothing = np.zeros(len(num_ret), np.int64)
        none = RankedPreferences(nothing, nothing, ((),) * len(num_ret))
        return measure_all(self.requests, np.full(len(num_ret), -1), none)

    def _measure(self, found: Ranked) -> Values:
        rankings = ranked_preferences(self._preferences, found)
        try:
            return measure_all(self.requests, found.lists, rankings)
        except ContradictionError as error:
            raise named_contradiction(self._preferences, found, error) from None


def empty_rankings(lists: Ints) -> Ranked:
    """Rankings without any document, for some judged lists."""
    nothing = np.zeros(0, np.int64)
    num_ret = np.zeros(len(lists), np.int64)
    extras = Extras(scores=RunScores.nothing(len(lists)))
    return Ranked(lists, nothing, nothing, nothing, num_ret, UnjudgedTopics([], nothing), extras)


def _num_pooled(qrels: Qrels) -> Ints:
    """int64[L]: the pooled but unjudged documents of each list."""
    up_to = offsets(qrels.grade < 0)
    found: Ints = up_to[qrels.stop] - up_to[qrels.start]
    return found
