"""Several orders of tied documents: means over all of them, and what they can change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Bools, Floats, Ints
from irev.core.model import Judged, Qrels, Rows, Settings
from irev.core.scores import Column, Scores, TieAccount
from irev.engine.judging import GradedJudge, Part, TieCounts
from irev.measures.measuring import Values, measure_all
from irev.measures.registry import Arguments, Cutoffs
from irev.rank.ranking import Ranked, Ranking, by_grade, joined, kept
from irev.ties.expectation import Mean, numbered
from irev.ties.orders import DRAWS

if TYPE_CHECKING:
    from irev.engine.judging import Judge
    from irev.measures.names import Request
    from irev.options import Options


def printed(requests: Sequence[Request], options: Options) -> list[Request]:
    """The requests with the columns that are printed for them."""
    # where a ranking is cut inside a tie, the expected number of documents may be a fraction
    partly = options.ties == "average" and options.max_retrieved is not None
    found = []
    for request in requests:
        columns = [_as_mean(each) if partly else each for each in request.columns]
        if options.tie_range and has_range(request):
            columns = [shown for each in columns for shown in (each, *_ends(each))]
        found.append(request._replace(columns=tuple(columns)))
    return found


def _ends(column: Column) -> Iterator[Column]:
    for end in ("min", "max"):
        canonical = f"{column.canonical}[{end}]" if column.canonical else ""
        yield replace(column, name=f"{column.name}[{end}]", canonical=canonical)


def _as_mean(column: Column) -> Column:
    is_count = column.kind == "count" and column.measure not in ("num_q", "num_rel")
    return replace(column, kind="real") if is_count else column


def has_range(request: Request) -> bool:
    """Whether the measure has a better and a worse end at all."""
    measure = request.measure
    is_number = measure.kind != "text" and measure.average not in ("run", "topics")
    return is_number and measure.higher_is_better is not None


class TieJudge(GradedJudge):
    """Judges runs by grades under several orders of their tied documents."""

    def __init__(
        self,
        qrels: Qrels,
        requests: Sequence[Request],
        ranking: Ranking,
        settings: Settings,
        options: Options,
    ) -> None:
        """Keep what all runs have in common."""
        super().__init__(qrels, requests, replace(ranking, spans=True), settings)
        self._options = options
        self._cutoffs = _cutoffs(requests, ranking.max_retrieved)
        self._mean = Mean(requests, ranking.max_retrieved, judged_only=ranking.judged_only)

    def part(self, rows: Rows) -> Part:
        """Judge some whole topics of a run."""
        found = joined(rows, self.qrels, self.ranking)
        base = kept(found, self.qrels, self.ranking)
        drawn = np.zeros(len(found.lists), bool)
        if self._options.ties == "average":
            values, drawn = self._means(found)
        else:
            values = measure_all(self.requests, found.lists, self.judged(base))
        if self._options.tie_range:
            ends = [self._end(found, best=best) for best in (False, True)]
            values = self._widened(values, *ends)
        ties = replace(self._counts(found), drawn=drawn)
        return replace(Part.of(base, values), ties=ties)

    def _measure(self, lists: Ints, judged: Judged) -> Values:
        """The values of rankings without judged documents: the orders play no role."""
        values = measure_all(self.requests, lists, judged)
        return self._widened(values, values.values, values.values)

    def _means(self, found: Ranked) -> tuple[Values, Bools]:
        whole = self.judged(kept(found, self.qrels, Ranking()))
        topic = self.qrels.topic_of_list[found.lists]
        names = [self.qrels.topics[number] for number in topic.tolist()]
        keys = [b"%d ties " % self._options.seed + name for name in names]
        values, drawn = self._mean.values(whole, keys)
        return Values(found.lists, values, self._texts(found)), drawn

    def _texts(self, found: Ranked) -> dict[int, list[bytes]]:
        """The texts of the order as it is."""
        columns = numbered(self.requests)
        texts = [item for item in columns if item[1].measure.kind == "text"]
        judged = self.judged(kept(found, self.qrels, self.ranking))
        values = measure_all([request for _, request in texts], found.lists, judged)
        return {texts[at][0]: text for at, text in values.texts.items()}

    def _end(self, found: Ranked, *, best: bool) -> Floats:
        ordered = kept(by_grade(found, self.qrels, best=best), self.qrels, self.ranking)
        return measure_all(self.requests, found.lists, self.judged(ordered)).values

    def _widened(self, values: Values, one: Floats, other: Floats) -> Values:
        """The values with the lower and the higher of two others beside them."""
        if not self._options.tie_range:
            return values
        columns: list[Floats] = []
        texts = {}
        number = 0
        for request in self.requests:
            for column in range(number, number + len(request.columns)):
                if column in values.texts:
                    texts[len(columns)] = values.texts[column]
                columns.append(values.values[:, column])
                if has_range(request):
                    columns.append(np.fmin(one[:, column], other[:, column]))
                    columns.append(np.fmax(one[:, column], other[:, column]))
            number += len(request.columns)
        shape = (len(values.lists), len(columns))
        return Values(values.lists, np.stack(columns, 1) if columns else np.zeros(shape), texts)

    def _counts(self, found: Ranked) -> TieCounts:
        """The tie groups with a judged document, of whole rankings."""
        count = len(found.lists)
        none = np.zeros(count, bool)
        ties = found.extras.ties
        if ties is None:
            raise AssertionError
        tied = np.flatnonzero(ties.size > 1)
        pairs = np.stack((found.topic[tied], ties.first[tied], ties.size[tied]))
        topic, first, size = np.unique(pairs, axis=1)
        crossing = np.zeros((count, len(self._cutoffs)), np.int64)
        for column, cutoff in enumerate(self._cutoffs):
            over = (first <= cutoff) & (first + size - 1 > cutoff)
            crossing[:, column] = np.bincount(topic[over], minlength=count)
        return TieCounts(np.bincount(topic, minlength=count), crossing, none)

    def account(self, parts: Sequence[Part], scores: Scores) -> TieAccount:
        """How many ties the evaluated topics have, and where orders of them were drawn."""
        here = {topic: number for number, topic in enumerate(scores.topics)}
        groups = np.zeros(len(here), np.int64)
        crossing = np.zeros((len(here), len(self._cutoffs)), np.int64)
        drawn: set[bytes] = set()
        for part in parts:
            if part.ties is None:
                continue
            topic = self.qrels.topic_of_list[part.lists]
            names = [self.qrels.topics[number] for number in topic.tolist()]
            place = np.array([here.get(name, -1) for name in names], np.int64)
            some = np.flatnonzero(place >= 0)
            # the lists of a topic are judgments of one ranking
            np.maximum.at(groups, place[some], part.ties.groups[some])
            np.maximum.at(crossing, place[some], part.ties.at_cutoff[some])
            drawn.update(names[at] for at in np.flatnonzero(part.ties.drawn & (place >= 0)))
        at_cutoff = zip(self._cutoffs, crossing.sum(axis=0).tolist(), strict=True)
        return TieAccount(
            int(groups.sum()),
            int((groups > 0).sum()),
            tuple(at_cutoff),
            tuple(sorted(drawn)),
            DRAWS if drawn else 0,
            self._mean.drawn_measures if drawn else (),
        )


def with_account(scores: Scores, judge: Judge, parts: Sequence[Part]) -> Scores:
    """The scores with an account of the ties they rest on."""
    if not isinstance(judge, TieJudge):
        raise TypeError("this judge looks at one order only")
    return replace(scores, ties=judge.account(parts, scores))


def _cutoffs(requests: Sequence[Request], depth: int | None) -> tuple[int, ...]:
    """The ranks at which the measures and the rankings are cut, rising."""
    found = set() if depth is None else {depth}
    for request in requests:
        value: Any = request.value
        if isinstance(request.measure.parameter, Cutoffs):
            found.update(value)
        elif isinstance(value, Arguments):
            found.update(cutoff for cutoff in value.cutoffs if isinstance(cutoff, int))
    return tuple(sorted(found))
