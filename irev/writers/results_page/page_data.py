"""What a page of results shows: records, whose numbers are rounded as the page holds them.

Scores and the intervals of differences are in ten-thousandths.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    MeansLowsHighs,
    MeasuresByTopicsByRuns,
    PairValues,
    RunValues,
    TopicsByRunsMask,
    mean_of,
)
from irev.core.record import record
from irev.core.short_names import LONGEST_PLAIN_NAME, short_run_names
from irev.core.text import as_text, natural_sort_key, printable
from irev.core.wording import count_text, shortened_list
from irev.measures.naming.resolve import about_column, bounds_of, lower_is_better
from irev.scores.scores import DEPTH, NOT_JUDGED
from irev.statistics.differences import CELLS, every_pair, wins_and_losses
from irev.writers.document import p_text
from irev.writers.forms import html_text
from irev.writers.results_page import LARGEST_PAGE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.core.arrays import Bools, RunIndices, TopicIndices, TopicsByRuns, Words
    from irev.core.judged import Column
    from irev.core.short_names import ShortNames
    from irev.scores.scores import RunFirstDocuments
    from irev.scores.table import ScoreTable


# --- What a page of results shows: records, whose numbers are rounded as the page holds them ---


UNIT = 1e-4
"""What scores and the ends of intervals of differences are counted in."""

_MEAN_DIGITS = 12
_ROUNDING = 0.5
"""In ten-thousandths: intervals whose middle is nearer to the difference are symmetric."""


class PageMeasure(NamedTuple):
    """A measure.

    name           its printed name
    higher         whether higher values are better
    is_unit        whether its values lie between 0 and 1
    about          what it is, in a line
    is_sum         whether its summary is a sum over topics, not a mean
    """

    name: str
    higher: bool
    is_unit: bool
    about: str = ""
    is_sum: bool = False


class PageRun(NamedTuple):
    """A run.

    name      in full
    short     as tables and figures show it
    team      empty: none is known
    judged    which share of its first documents is judged; None: not known
    missing   the topics that it lacks, by their indices
    """

    name: str
    short: str
    team: str = ""
    judged: float | None = None
    missing: tuple[int, ...] = ()


class PageTopic(NamedTuple):
    """A topic, and how many relevant documents it has; None: not told."""

    id: str
    num_relevant: int | None = None


class PageDoubt(NamedTuple):
    """What makes numbers doubtful, and under which measure; None: under all of them."""

    text: str
    measure_index: int | None = None


@record
class PairOutcomes:
    """What is known of P pairs of runs under a measure; a difference is first minus second.

    p          float64[P]: corrected; NaN where a run is paired with itself
    half       float64[P]: half the width of the interval, in ten-thousandths; None: the intervals
               are not symmetric
    low, high  float64[P]: their ends, then; infinite where there is none
    """

    p: PairValues
    half: PairValues | None
    low: PairValues | None
    high: PairValues | None

    def subset(self, indices: Ints) -> PairOutcomes:
        """Those of some of the pairs."""
        arrays = (
            None if a is None else a[indices] for a in (self.p, self.half, self.low, self.high)
        )
        return PairOutcomes(*arrays)  # type: ignore[arg-type]

    def half_widths(self) -> PairValues:
        """float64[]: half the widths of the intervals that have two ends."""
        if self.half is not None:
            widths = self.half
        else:
            assert self.low is not None  # noqa: S101 - intervals are symmetric or have ends
            assert self.high is not None  # noqa: S101
            widths = (self.high - self.low) / 2
        finite: PairValues = widths[np.isfinite(widths)]
        return finite


class PairCount(NamedTuple):
    """On how many topics the first run of a pair is better than the second, and worse."""

    pair_index: int
    wins: int
    losses: int


@record
class BaselineFamily:
    """What is known of all runs against one that was named the baseline beforehand.

    run_index  the baseline
    test       the sentence that says how p was found and what it is corrected for
    between    the sentence that says what the intervals of differences hold for
    outcomes   for each measure one pair for each run, the run minus the baseline
    """

    run_index: int
    test: str
    between: str
    outcomes: tuple[PairOutcomes | None, ...]


class PageCurves(NamedTuple):
    """A value of each run at some ranks: `values[s][k]` is that of run s at `ranks[k]`."""

    title: str
    ranks: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]


@record
class PagePart:
    """Runs on some topics: all that is chosen together above the page.

    name         what it is called; empty where it is the only one
    kind         whose page it is
    qrels_name   the name of the judgments
    level        the grade from which a document is relevant
    decimals     how many of a number are shown
    alpha        the level of the tests; intervals are of level 1 - alpha
    measures     M of them, the first orders the runs at the beginning
    runs         S of them, in the order of their names
    short_names  what they are shown without
    baseline     the index of the run that was named the baseline; None: none was
    topics       T of them
    scores       in ten-thousandths; NaN: the run lacks the topic, which counts as 0. None: they are
                 left out, since there are too many
    means        float64[M, S, 3]: the mean, and the ends of its interval, or NaN
    outcomes     for each measure those of all pairs (0, 1), (0, 2), ..., (S-2, S-1); None: that
                 measure has no test; empty: none has
    families     those of the baselines that were named
    test         the sentence that says how p was found and what it is corrected for
    between      the sentence that says what the intervals of differences hold for
    no_test      the sentence that says why there is no test; empty where there is one
    tie          differences of a topic up to this, in ten-thousandths, are ties
    pair_counts  for each measure the pairs on whose topics the rounded scores do not say who is
                 better; empty: none
    curves       None: there are none
    doubts       what makes the numbers doubtful
    remarks      what else a reader must know
    broken       what could not be scored: a heading, then a line for each
    documents    the first documents of the runs; None: they are not told
    made         how the numbers were made: headings, each with a text
    judged_rank  up to which rank documents are counted that are judged; None: nobody counted
    """

    name: str
    kind: Literal["report", "board"]
    qrels_name: str
    level: float
    decimals: int
    alpha: float
    measures: tuple[PageMeasure, ...]
    runs: tuple[PageRun, ...]
    short_names: ShortNames
    baseline: int | None
    topics: tuple[PageTopic, ...]
    scores: MeasuresByTopicsByRuns | None
    means: Floats
    outcomes: tuple[PairOutcomes | None, ...]
    families: tuple[BaselineFamily, ...]
    test: str
    between: str
    no_test: str
    tie: float
    curves: PageCurves | None
    doubts: tuple[PageDoubt, ...]
    remarks: tuple[str, ...]
    broken: tuple[str, ...]
    documents: TopDocuments | None
    made: tuple[tuple[str, str], ...]
    judged_rank: int | None = None
    pair_counts: tuple[tuple[PairCount, ...], ...] = ()

    @property
    def confidence(self) -> float:
        """The level of the intervals."""
        return round(1 - self.alpha, 12)

    def run_order(self, measure_index: int = 0) -> list[int]:
        """The runs by a measure, the best first, equal ones in their order."""
        means = self.means[measure_index, :, 0]
        falls = self.measures[measure_index].higher
        order: list[int] = np.argsort(-means if falls else means, kind="stable").tolist()
        return order

    @property
    def first_baseline(self) -> int:
        """The run that all others are compared with at the beginning."""
        return self.run_order()[0] if self.baseline is None else self.baseline


class ResultsPage(NamedTuple):
    """A page: its title and its parts, of which a reader chooses one."""

    title: str
    parts: tuple[PagePart, ...]


def rounded_means(means: RunValues, low: RunValues, high: RunValues) -> MeansLowsHighs:
    """Means with the ends of their intervals, to 12 significant digits."""
    stacked = np.stack([means, low, high], axis=-1)
    stacked[~np.isfinite(stacked)] = np.nan
    rounded = [float(f"{value:.{_MEAN_DIGITS}g}") for value in stacked.ravel().tolist()]
    return np.array(rounded).reshape(stacked.shape)


def rounded_scores(
    scores: MeasuresByTopicsByRuns, lacks: TopicsByRunsMask
) -> MeasuresByTopicsByRuns:
    """Scores in whole ten-thousandths; NaN where a run lacks the topic and that counts as 0."""
    counted: Floats = np.round(scores / UNIT)
    counted[~np.isfinite(counted) | (lacks & (counted == 0))] = np.nan
    return counted


def pair_outcomes(
    p: PairValues, differences: PairValues, low: PairValues, high: PairValues, alpha: float
) -> PairOutcomes:
    """What is known of pairs, rounded: p as it is shown, intervals to whole ten-thousandths.

    Args:
        p: float64[P], corrected.
        differences: float64[P], the mean differences; NaN of a run with itself.
        low: float64[P], the lower ends of their intervals.
        high: float64[P], the upper ends.
        alpha: the level of the test: a p at most this stays at most this.
    """
    rounded_p = np.array([_rounded_p(each, alpha) for each in p.tolist()])
    with np.errstate(invalid="ignore"):
        middle = (low + high) / 2
        is_symmetric = np.isnan(differences) | (np.abs(middle - differences) <= _ROUNDING * UNIT)
    if is_symmetric.all():
        return PairOutcomes(rounded_p, np.round((high - low) / 2 / UNIT), None, None)
    return PairOutcomes(rounded_p, None, *(np.round(end / UNIT) for end in (low, high)))


def _rounded_p(p: float, alpha: float) -> float:
    """A p with the decimals that are shown; of small ones three digits."""
    if p != p:
        return p
    rounded = round(p, 4) if p >= 0.01 else round(p, 6) if p >= UNIT else float(f"{p:.3g}")
    return rounded if (rounded <= alpha) == (p <= alpha) else p


# --- The first documents of runs ---


MOST_RUNS = (20, 10, 5)
"""Of so many runs, the best ones and the baseline, documents are held where all do not fit."""

_NOT_JUDGED = "-"
_FEW, _FIRST_CHARACTER, _LATER_CHARACTER = 64, 63, 192
"""Document n of a topic is the character 63 + n, from 64 on 192 + n: none is a control."""


@record
class TopDocuments:
    """The first documents of S runs on T topics.

    depth   how many of each, at most
    ids     for each run and topic the ids, the first first; empty where the run lacks the topic
    grades  for each topic the grades by id; an id that is not there is not judged
    """

    depth: int
    ids: tuple[tuple[tuple[str, ...], ...], ...]
    grades: tuple[Mapping[str, str], ...]

    def packed(self, run_indices: Sequence[int]) -> dict[str, Any]:
        """Those of some of the runs, as the data of the page hold them.

        Each topic has the beginning that its ids share, the rest of each id in falling number of
        runs that have it, their grades, and for each run a word with a character for a document.
        """
        topics = []
        for topic_index, grades in enumerate(self.grades):
            tops = [self.ids[run][topic_index] for run in run_indices]
            num_runs = Counter(document for top in tops for document in top)
            ids = sorted(num_runs, key=lambda document: (-num_runs[document], document))
            shown = [_one_word(document) for document in ids]
            start = _shared_beginning(shown)
            character = {document: _character(number) for number, document in enumerate(ids)}
            topics.append({
                "start": start,
                "ids": " ".join(each[len(start) :] for each in shown),
                "grades": " ".join(grades.get(document, _NOT_JUDGED) for document in ids),
                "tops": " ".join("".join(map(character.__getitem__, top)) for top in tops),
            })  # fmt: skip
        return {"depth": self.depth, "runs": [*run_indices], "topics": topics}


def _shared_beginning(ids: Sequence[str]) -> str:
    """What all ids begin with; nothing of a single one."""
    first, last = min(ids, default=""), max(ids, default="")
    if len(ids) < 2:
        return ""
    length = next((n for n, (a, b) in enumerate(zip(first, last)) if a != b), len(first))  # noqa: B905
    return first[:length]


def _one_word(document: str) -> str:
    return printable(document).replace(" ", "\u00a0")


def _character(number: int) -> str:
    return chr(number + (_FIRST_CHARACTER if number < _FEW else _LATER_CHARACTER))


def fit_documents(
    documents: TopDocuments, run_order: Sequence[int], baseline: int, num_bytes: int
) -> tuple[dict[str, Any] | None, str]:
    """The packed documents of as many runs as have room, and which runs these are, if not all.

    Args:
        documents: those of all runs.
        run_order: the runs, the best first.
        baseline: a run whose documents are held where any are.
        num_bytes: how much room there is.
    """
    num_runs = len(run_order)
    for most in (num_runs, *(each for each in MOST_RUNS if each < num_runs)):
        runs = sorted({*run_order[:most], baseline})
        packed = documents.packed(runs)
        if len(json_text(packed).encode()) <= num_bytes:
            if most == num_runs:
                return packed, ""
            return packed, (
                f"Documents are held of the {most} best runs and the baseline: those of all "
                f"{num_runs} runs would make the page too large."
            )
    return None, "Documents are left out: they would make the page too large."


def json_text(value: Any) -> str:
    """Compact JSON in which nothing can end an element of a page."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c")


# --- The files of the page beside the code: script, style, sentences ---


_COMMENTS = ("//", "/*", "*")


@cache
def resource_text(name: str) -> str:
    """A file of this folder as text."""
    return resources.files("irev.writers.results_page").joinpath(name).read_text("utf-8")


@cache
def page_script() -> str:
    """The script: the files that `scripts.txt` lists, in its order, without their comments."""
    names = resource_text("scripts.txt").split()
    lines = [line for name in names for line in _code_lines(resource_text(name))]
    return "\n".join(['"use strict";(()=>{', *lines, "})();"])


@cache
def page_style() -> str:
    """The style, without comments."""
    style = re.sub(r"/\*.*?\*/", "", resource_text("page.css"), flags=re.DOTALL)
    return "\n".join(_code_lines(style))


def _code_lines(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith(_COMMENTS)]


# --- The sentences that a page says with and without its script: `words.json` has each once ---


@cache
def words() -> dict[str, str]:
    """The sentences by name, with slots in braces."""
    sentences: dict[str, str] = json.loads(resource_text("words.json"))
    return sentences


def say(name: str, **slots: object) -> str:
    """A sentence, its slots filled.

    Of one thing (`count` is 1) the form whose name ends in `_one` is taken, where there is one.
    """
    if slots.get("count") == 1:
        name = f"{name}_one" if f"{name}_one" in words() else name
    # in one pass: what fills a slot may hold braces
    return re.sub(r"\{(\w+)\}", lambda match: str(slots[match[1]]), words()[name])


# --- Numbers, names and lists as a reader of the page sees them; its script has the same rule ---


MINUS, NOTHING = "\u2212", "\u2013"
_LISTED = 150
"""Characters of names in a sentence."""
_LONG_WORD = 25
"""Characters of a word that may be broken."""


def rounded(value: float, decimals: int) -> str:
    """A number with its decimals and a true minus."""
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return f"{MINUS}\u221e" if value < 0 else "\u221e"
    return f"{value:.{decimals}f}".replace("-", MINUS)


def signed(value: float, decimals: int) -> str:
    """The same of a difference, with its sign."""
    return f"{'+' if value > 0 else ''}{rounded(value, decimals)}"


def p_shown(p: float) -> str:
    """A p with 4 decimals."""
    return p_text(p)


def percent(share: float | None) -> str:
    """A share in whole per cent, rounded down."""
    return NOTHING if share is None else f"{math.floor(100 * share + 1e-9)}%"


def confidence_text(part: PagePart) -> str:
    """The level of the intervals."""
    return f"{100 * part.confidence:.6g}%"


def breakable(name: str) -> str:
    """A name as HTML, which may be broken behind a separator."""
    pieces = re.split(r"(?<=[-_./])", name)
    return "<wbr>".join(html_text(piece) for piece in pieces if piece)


def breakable_text(text: str) -> str:
    """A text as HTML, whose long words, names most often, may be broken behind a separator."""
    return "".join(map(_breakable_word, re.split(r"(\s+)", text)))


def _breakable_word(word: str) -> str:
    if len(word) >= _LONG_WORD:
        return breakable(word)
    return f'<span class="whole">{html_text(word)}</span>' if "-" in word else html_text(word)


def listed_names(names: Sequence[str]) -> str:
    """As many names as have room, and how many more there are."""
    room, num_shown = _LISTED, 0
    for name in names:
        room -= len(name) + 2
        if room < 0:
            break
        num_shown += 1
    num_shown = max(1, num_shown)
    text = ", ".join(names[:num_shown])
    return (
        say("and_more", names=text, count=len(names) - num_shown)
        if num_shown < len(names)
        else text
    )


# --- What a page tells of the first documents of runs: themselves, shares judged, and doubts ---


ENOUGH_JUDGED = 0.9
"""A run of whose first documents less is judged is doubtful."""

_MANY_TIES = 0.1
_NEARLY_ALL, _LEAST_TOPICS = 0.9, 5
"""Runs that agree on this share of so many topics at least are nearly the same."""


class FirstDocumentsOfRuns:
    """The first documents of S runs, of some of which nothing is known, on T topics of a page."""

    def __init__(self, firsts: Sequence[RunFirstDocuments | None], topics: Sequence[bytes]) -> None:
        """Take those of the topics, in the order of these."""
        self._firsts, self.num_topics = firsts, len(topics)
        self._topic_indices: list[TopicIndices | None] = []
        indices_by_topics: dict[int, TopicIndices] = {}
        for first in firsts:
            if first is None:
                self._topic_indices.append(None)
                continue
            key = id(first.topics)
            if key not in indices_by_topics:
                place = {topic: index for index, topic in enumerate(first.topics)}
                indices_by_topics[key] = np.array([place[topic] for topic in topics], np.int64)
            self._topic_indices.append(indices_by_topics[key])

    def _column(self, run: int, name: str) -> Any:
        """A column of a run of which something is known, on the topics of the page."""
        return getattr(self._firsts[run], name)[self._topic_indices[run]]

    @property
    def known_runs(self) -> list[int]:
        """The runs of which something is known."""
        return [run for run, first in enumerate(self._firsts) if first is not None]

    def judged_shares(self, weights: Floats | None) -> list[float | None]:
        """For each run which share of its first documents is judged, in the mean of the topics."""
        shares: list[float | None] = [None] * len(self._firsts)
        for run in self.known_runs:
            judged = self._column(run, "num_judged").astype(float)
            by_topic = judged / np.maximum(self._column(run, "num_shown"), 1)
            mean = mean_of(by_topic)
            if weights is not None:
                mean = float(np.cumsum(by_topic * weights)[-1] / np.cumsum(weights)[-1])
            shares[run] = round(mean, 4)
        return shares

    def documents(self) -> TopDocuments | None:
        """The documents with their grades; None: they were only counted."""
        lists: list[tuple[tuple[str, ...], ...]] = [((),) * self.num_topics] * len(self._firsts)
        grades: list[dict[str, str]] = [{} for _ in range(self.num_topics)]
        has_documents = False
        for run in self.known_runs:
            first, indices = self._firsts[run], self._topic_indices[run]
            assert first is not None  # noqa: S101 - these runs are known
            if first.documents is None or first.grades is None or indices is None:
                continue
            has_documents = True
            lists[run] = tuple(first.documents[index] for index in indices.tolist())
            for of_topic, ids, index in zip(grades, lists[run], indices.tolist(), strict=True):
                texts = zip(ids, first.grades[index], strict=True)
                of_topic.update((id_, grade) for id_, grade in texts if grade != NOT_JUDGED)
        return TopDocuments(DEPTH, tuple(lists), tuple(grades)) if has_documents else None

    def doubts(self, run_names: Sequence[str]) -> Iterator[str]:
        """What they say that makes numbers doubtful, a sentence each."""
        yield from self._tie_doubts(run_names)
        yield from self._copy_doubts(run_names)

    def _tie_doubts(self, run_names: Sequence[str]) -> Iterator[str]:
        counts = [(int(self._column(run, "is_tied").sum()), run) for run in self.known_runs]
        tied = [(n, run_names[run]) for n, run in counts if n > _MANY_TIES * self.num_topics]
        if not tied:
            return
        tied.sort(key=lambda each: (-each[0], each[1]))
        listed = ", ".join(f"{name} ({count_text(count, 'topic')})" for count, name in tied[:3])
        more = f" and {len(tied) - 3} more" if len(tied) > 3 else ""
        yield (
            f"Equal scores at ranks {DEPTH} and {DEPTH + 1}, where the rule for ties decides: "
            f"{listed}{more}."
        )

    def _copy_doubts(self, run_names: Sequence[str]) -> Iterator[str]:
        if self.num_topics < _LEAST_TOPICS or not self.known_runs:
            return
        runs = self.known_runs
        hashes = np.stack([self._column(run, "list_hashes") for run in runs])
        pairs = _pairs_of_equal_lists(hashes, _NEARLY_ALL * self.num_topics)
        for run, other, count in pairs:
            names = run_names[runs[run]], run_names[runs[other]]
            yield (
                f"{names[0]} and {names[1]} have the same first {DEPTH} documents "
                f"on {count} of {self.num_topics} topics."
            )


def _pairs_of_equal_lists(hashes: Words, least: float) -> list[tuple[int, int, int]]:
    """Pairs of runs whose lists are the same on so many topics at least, and on how many.

    Args:
        hashes: uint64[S, T], those of the lists.
        least: on how many.
    """
    pairs = []
    for run, own in enumerate(hashes[:-1]):
        is_same: Bools = hashes[run + 1 :] == own
        counts = is_same.sum(axis=1)
        others: RunIndices = np.flatnonzero(counts >= least)
        pairs += [(run, run + 1 + other, int(counts[other])) for other in others.tolist()]
    return pairs


def few_judged_doubts(runs: Sequence[PageRun], rank: int) -> Iterator[str]:
    """A sentence on the runs of whose first documents too few are judged."""
    low = [(run.judged, run) for run in runs if run.judged is not None]
    low = sorted(((share, run) for share, run in low if share < ENOUGH_JUDGED), key=_by_share)
    if low:
        listed = shortened_list([f"{run.short} ({percent(share)})" for share, run in low], 3)
        yield (
            f"Fewer than {percent(ENOUGH_JUDGED)} of the first {rank} documents are judged: "
            f"{listed}. A document that is not judged counts as not relevant."
        )


def _by_share(share_and_run: tuple[float, PageRun]) -> tuple[float, str]:
    share, run = share_and_run
    return share, run.name


# --- What a table of scores gives to a page: its measures, runs, topics and scores ---


def page_measure(column: Column, *, is_sum: bool = False) -> PageMeasure:
    """A measure; `is_sum`: the page shows its sum over topics, not its mean."""
    is_unit = not is_sum and bounds_of(column) == (0.0, 1.0)
    return PageMeasure(
        column.name, not lower_is_better(column), is_unit, about_column(column), is_sum
    )


def topic_order(table: ScoreTable) -> TopicIndices:
    """int64[T]: the topics as people order their ids: 2 before 10."""
    keys = [natural_sort_key(as_text(topic)) for topic in table.topics]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


def topics_in_order(table: ScoreTable) -> list[bytes]:
    """The topics in that order."""
    return [table.topics[index] for index in topic_order(table).tolist()]


def page_runs(
    table: ScoreTable, teams: Mapping[str, str], judged: Sequence[float | None] = ()
) -> tuple[tuple[PageRun, ...], ShortNames]:
    """The runs of a table, and what their names are shown without.

    Args:
        table: the scores.
        teams: the team of a run, by its name.
        judged: for each run which share of its first documents is judged; empty: not known.
    """
    names = short_run_names(table.run_names)
    number = {topic: index for index, topic in enumerate(table.topics)}
    place = np.argsort(topic_order(table)).tolist()
    runs = tuple(
        PageRun(
            run.name, short, teams.get(run.name, ""), judged[index] if judged else None,
            tuple(sorted(place[number[topic]] for topic in run.missing if topic in number)),
        )
        for index, (run, short) in enumerate(zip(table.runs, names.names, strict=True))
    )  # fmt: skip
    return runs, names


def page_topics(table: ScoreTable, num_relevant: Sequence[int] = ()) -> tuple[PageTopic, ...]:
    """The topics in the order of the page; `num_relevant`: in that of the table, if told."""
    return tuple(
        PageTopic(as_text(table.topics[index]), num_relevant[index] if num_relevant else None)
        for index in topic_order(table).tolist()
    )


def page_scores(table: ScoreTable, runs: Sequence[PageRun]) -> MeasuresByTopicsByRuns:
    """The scores in ten-thousandths, NaN where a run lacks the topic."""
    lacks = np.zeros((len(table.topics), len(runs)), bool)
    for index, run in enumerate(runs):
        lacks[list(run.missing), index] = True
    return rounded_scores(table.values[:, topic_order(table)], lacks)


def with_short_run_names(text: str, runs: Sequence[PageRun]) -> str:
    """A text about runs with their short names."""
    full_names = sorted(runs, key=lambda run: len(run.name), reverse=True)
    for run in full_names:
        if run.short != run.name and len(run.name) > LONGEST_PLAIN_NAME:
            text = text.replace(run.name, run.short)
    return text


# --- Wins and losses of pairs of runs, where the rounded scores of the page have others ---


_LEAST_BYTES = 2
"""Of a score in the page: a digit and a comma."""


def pair_counts_unlike_rounded(
    upward_scores: Sequence[TopicsByRuns],
    scores: Floats,
    measures: Sequence[PageMeasure],
    min_diff: float = 0.0,
) -> tuple[tuple[PairCount, ...], ...]:
    """For each measure the pairs whose counts the rounded scores of the page would get wrong.

    Empty where there are so many scores that no page holds them.

    Args:
        upward_scores: for each measure the scores as they are, turned round where lower is better.
        scores: float64[M, T, S], those of the page.
        measures: M of them.
        min_diff: differences up to this are ties.
    """
    if scores.size * _LEAST_BYTES > LARGEST_PAGE:
        return ()
    tie = tie_of_rounded(min_diff)
    return tuple(
        _unlike_rounded(exact, np.nan_to_num(rounded) * (1 if each.higher else -1), min_diff, tie)
        for exact, rounded, each in zip(upward_scores, scores, measures, strict=True)
    )


def tie_of_rounded(min_diff: float) -> float:
    """Differences up to this are ties, in ten-thousandths: of 0.0003 it is 3, not 2.999999."""
    return round(min_diff / UNIT, 6)


def _unlike_rounded(
    upward_scores: TopicsByRuns, rounded: TopicsByRuns, min_diff: float, tie: float
) -> tuple[PairCount, ...]:
    pairs = every_pair(upward_scores.shape[1])
    wins, losses = wins_and_losses(upward_scores, pairs, min_diff)
    is_unlike = np.zeros(len(pairs), bool)
    for part, part_pairs in pairs.batches(max(1, CELLS // len(rounded))):
        gains = part_pairs.differences(rounded)
        is_unlike[part] = (wins[part] != np.count_nonzero(gains > tie, axis=0)) | (
            losses[part] != np.count_nonzero(gains < -tie, axis=0)
        )
    return tuple(
        PairCount(index, int(wins[index]), int(losses[index]))
        for index in np.flatnonzero(is_unlike).tolist()
    )


# --- What a part of the page knows of two runs: the same choices as its script makes ---


class RunDifference(NamedTuple):
    """A run minus another.

    difference  of their means
    p           corrected
    verdict     1: shown to be better; -1: to be worse; 0: neither
    """

    difference: float
    p: float
    verdict: int


class Comparisons:
    """What the tests of a part say under its first measure, by which its runs are ordered.

    means       float64[S]
    order       the runs, the best first
    baseline    the run that all others are compared with
    differences float64[S, S]: the mean of the row less that of the column
    verdicts    int64[S, S]: 1: the row is shown to be better, -1: to be worse, corrected for all
                pairs; all 0 where these were not tested
    """

    def __init__(self, part: PagePart) -> None:
        """Look at a part."""
        self.part = part
        self.means = part.means[0, :, 0]
        self.order = part.run_order()
        self.baseline = part.first_baseline
        self._sign = 1 if part.measures[0].higher else -1
        self._family: BaselineFamily | None = next(
            (each for each in part.families if each.run_index == self.baseline), None
        )
        pair_counts = part.pair_counts[0] if part.pair_counts else ()
        self._pair_counts = {each.pair_index: each for each in pair_counts}
        num_runs = len(self.means)
        self.differences = self.means[:, None] - self.means[None, :]
        p = np.full((num_runs, num_runs), np.nan)
        if self.pairs is not None:
            p[np.triu_indices(num_runs, 1)] = self.pairs.p
        self._p = np.fmin(p, p.T)
        is_shown = self._p <= part.alpha
        self.verdicts = np.where(is_shown, self._sign * np.sign(self.differences), 0).astype(int)

    @property
    def pairs(self) -> PairOutcomes | None:
        """All pairs, where they were tested."""
        return self.part.outcomes[0] if self.part.outcomes and len(self.means) > 1 else None

    @property
    def baseline_outcomes(self) -> PairOutcomes | None:
        """The pairs with the baseline, where it was named before and they were tested."""
        return self._family.outcomes[0] if self._family and len(self.means) > 1 else None

    @property
    def is_tested(self) -> bool:
        """Whether the runs were tested against the baseline."""
        return self.pairs is not None or self.baseline_outcomes is not None

    @property
    def sentences(self) -> tuple[str, str]:
        """How p was found, and what the intervals of differences hold for."""
        if self._family is not None:
            return self._family.test, self._family.between
        return self.part.test, self.part.between

    def baseline_difference(self, run: int) -> RunDifference | None:
        """A run against the baseline: in the family of that one, where it was named."""
        p = float(self._p[run, self.baseline])
        if self.baseline_outcomes is not None:
            p = float(self.baseline_outcomes.p[run])
        if run == self.baseline or math.isnan(p):
            return None
        difference = float(self.differences[run, self.baseline])
        verdict = self._sign * int(np.sign(difference)) if p <= self.part.alpha else 0
        return RunDifference(difference, p, verdict)

    def sizes(self) -> tuple[Floats, Floats]:
        """The sizes of the differences of all pairs: those that were not shown, those that were."""
        above = np.triu_indices(len(self.means), 1)
        sizes, is_shown = np.abs(self.differences[above]), self.verdicts[above] != 0
        return sizes[~is_shown], sizes[is_shown]

    def place(self, run: int) -> int:
        """One plus the number of better runs."""
        return 1 + int((self._sign * self.differences[:, run] > 0).sum())

    def open_places(self, run: int) -> tuple[int, int]:
        """The places that the tests leave open, for all runs at once."""
        verdicts = self.verdicts[run]
        return 1 + int((verdicts < 0).sum()), len(verdicts) - int((verdicts > 0).sum())

    def wins_ties_losses(self, run: int) -> tuple[int, int, int]:
        """On how many topics a run is better than the baseline, as good, and worse."""
        assert self.part.scores is not None  # noqa: S101 - whoever calls has looked
        first, second = sorted((run, self.baseline))
        num_runs, num_topics = len(self.means), len(self.part.topics)
        pair_index = first * num_runs - first * (first + 1) // 2 + second - first - 1
        if first < second and pair_index in self._pair_counts:
            pair_count = self._pair_counts[pair_index]
            wins, losses = (pair_count.wins, pair_count.losses)[:: 1 if run == first else -1]
            return wins, num_topics - wins - losses, losses
        scores: Floats = np.nan_to_num(self.part.scores[0])
        gains = self._sign * (scores[:, run] - scores[:, self.baseline])
        wins, losses = (int((sign * gains > self.part.tie).sum()) for sign in (1, -1))
        return wins, num_topics - wins - losses, losses
