"""What measures see where more is known of a judged document than its grade.

Judgments by subtopic, preferences, and samples: strata are parts of a topic's pool of which each
was sampled at a rate of its own; inclusion probabilities say for each judged document how likely it
was to be judged.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np

from irev.core.arrays import Bools, Floats, Ints, TopicOfRow
from irev.core.model import Judged
from irev.core.record import cached_property, record

if TYPE_CHECKING:
    from typing import Self


@record
class RowJudged:
    """Rankings, and which row of the qrels each of their judged documents is.

    judged  the rankings
    qrels_topic  int64[T], which topic of the qrels each ranking is for; -1: none
    row     int64[J], which row of the qrels each row of `judged` is
    """

    judged: Judged
    qrels_topic: Ints
    row: Ints

    @property
    def num_topics(self) -> int:
        """T, the number of rankings."""
        return self.judged.num_topics

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Intermediate results that several measures use, kept by what they are."""
        return {}

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
class Subtopics:
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

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Intermediate results that do not depend on a run, kept by what they are."""
        return {}


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
class RankedPreferences:
    """What preference measures see: one entry per topic.

    Internal ranks count from 0: first the judged documents that were retrieved, in rank order
    (equal scores by id rising), `num_ret[t]` of them, then those that were not, by id;
    `num_docs[t]` in all. `groups[t]` are the topic's judgment groups, by name.
    """

    num_ret: Ints
    num_docs: Ints
    groups: tuple[tuple[JudgmentGroup, ...], ...]

    @cached_property
    def memo(self) -> dict[str, Any]:
        """What measures have worked out from the rest and keep for one another."""
        return {}

    @property
    def num_topics(self) -> int:
        """T, the number of topics."""
        return len(self.groups)


OKAY, VITAL = 1.0, 2.0
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
class Strata:
    """The strata of all topics of the qrels, those of a topic in byte order of their names.

    start        int64[T+1], each topic's slice of the S strata
    names        S names
    stratum_of_row       int64[M], the stratum of each row of the qrels
    size         int64[S], how many documents of the pool are in it
    judged       int64[S], how many of them were judged
    level_start  int64[S+1], each stratum's slice of the two below
    level_grade  float64[], the grades >= 0 that occur in it, rising
    level_count  int64[], how many documents have that grade
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

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Intermediate results that do not depend on a run, kept by what they are."""
        return {}


@record
class Inclusions:
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

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Intermediate results that do not depend on a run, kept by what they are."""
        return {}


Sample = TypeVar("Sample", Strata, Inclusions)


@record
class SampledJudged(RowJudged, Generic[Sample]):
    """Rankings against a sample of judgments.

    sample   how the judgments of all topics were drawn
    """

    sample: Sample


Rankings: TypeAlias = Judged | RowJudged | RankedPreferences
"""What a measure is computed from."""
