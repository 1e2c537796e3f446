"""What is computed for an evaluation: measures with their arguments and columns; what is doubtful.

A request is a measure with its arguments, and the columns that it fills.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from irev.core.arrays import Floats, Ints, ListIndices, is_any, offsets
from irev.core.judged import (
    Column,
    Judged,
    Qrels,
    RankedPreferences,
    RankingExtras,
    Rankings,
    RowJudged,
)
from irev.core.record import record
from irev.errors import UsageError
from irev.measures.registry import TREC_MEASURES, Arguments, Measure, aliased_measure

_ROWS_TOGETHER, _LISTS_TOGETHER = 1 << 18, 1 << 13
"""Rankings that are few each are measured together up to so many."""


class Request(NamedTuple):
    """A measure to compute, with its arguments, and the columns that it fills."""

    measure: Measure
    arguments: Arguments
    columns: tuple[Column, ...]
    picks: tuple[int, ...] = ()
    """Which of the computed values each column has; empty: each its own."""
    always_shown: tuple[str, ...] = ()
    """Options that the printed names have even where they are at their default."""
    recall_rounding: str = ""
    """How levels of recall are rounded, where it is not as for all (`Settings`)."""
    full_gain_maps: bool = False
    """Whether a grade above those of a map of gains is an error (see `Program`)."""
    rewards_nothing: bool = False
    """Whether topics without relevant documents have 1 where nothing was retrieved, else 0."""

    def values(self, rankings: Rankings) -> Any:
        """float64[T, K], a column for each of `columns`; or T strings for a measure of texts."""
        if isinstance(rankings, RowJudged):
            knows_more = self.measure.needs in ("subtopics", "strata", "prels", "support")
            rankings = rankings if knows_more else rankings.judged
        if self.recall_rounding and isinstance(rankings, Judged):
            rankings = _change_recall_rounding(rankings, self.recall_rounding)
        compute, arguments = self.measure.compute, self.arguments
        cutoffs, options = arguments.cutoffs, arguments.options
        level, condensed = arguments.level, arguments.condensed
        if isinstance(rankings, RankedPreferences):
            values = compute(rankings, cutoffs, **dict(options))
        else:  # worked out once, however often they are asked for
            key = (Request, compute, cutoffs, options, level, condensed)
            values = rankings.memo.get(key)
            if values is None:
                at_level = rankings.at_level(level, condensed=condensed)
                values = rankings.memo[key] = compute(at_level, cutoffs, **dict(options))
        if self.measure.kind == "text":
            return values
        if values.ndim == 1:
            values = values[:, None]
        values = values[:, list(self.picks)] if self.picks else values
        if self.rewards_nothing and isinstance(rankings, Judged):
            has_none = rankings.at_level(level, condensed=False).num_rel == 0
            reward = (has_none & (rankings.num_ret == 0))[:, None]
            is_own = np.array([not is_prefixed(column.name) for column in self.columns])
            values = np.where(has_none[:, None] & is_own, reward, values)
        return values

    def cutoff(self, column_index: int) -> int | float | None:
        """Where one of the columns is cut."""
        return self.arguments.cutoffs[self.picks[column_index] if self.picks else column_index]

    def close_scales(self, highest_grade: float) -> Request:
        """The same with the scales that were left open ending at the highest grade.

        The printed names then say so, but for those that follow another program (`ntcir:ERR`).
        """
        if self.measure.is_trec_evals_alone:
            return self
        options = self.measure.options
        closed = tuple(
            (name, highest_grade if value is None and options[name].kind == "scale" else value)
            for name, value in self.arguments.options
        )
        if closed == self.arguments.options:
            return self
        arguments = replace(self.arguments, options=closed)
        columns = []
        for index, column in enumerate(self.columns):
            cutoff = self.cutoff(index)
            name = canonical_name(self.measure, arguments, cutoff)
            shown = canonical_name(self.measure, arguments, cutoff, self.always_shown)
            printed = column.name if is_prefixed(column.name) else shown
            columns.append(replace(column, name=printed, canonical=name))
        return self._replace(arguments=arguments, columns=tuple(columns))


def needs_ids(request: Request) -> bool:
    """Whether it looks at the ids of unjudged documents: to draw some, or to look them up."""
    return request.measure.ids or dict(request.arguments.options).get("mode") == "drawn"


def close_scales(requests: Sequence[Request], qrels: Qrels) -> list[Request]:
    """The requests with open scales ending at the highest grade of the qrels (1, if none is)."""
    grades = qrels.level_grade[qrels.level_grade > 0]
    highest_grade = float(grades.max()) if len(grades) else 1.0
    for request in requests:
        for name, value in request.arguments.options if request.full_gain_maps else ():
            is_map = isinstance(value, tuple) and request.measure.options[name].kind == "gain"
            if is_map and highest_grade > max((grade for grade, _ in value), default=math.inf):
                raise UsageError(
                    f"{request.columns[0].name}: the qrels hold the grade {highest_grade:g}, above "
                    f"{name}={value_text(value)}; NTCIREVAL refuses such a grade: give it a value"
                )
    return drop_repeated_columns([request.close_scales(highest_grade) for request in requests])


def mark_columns_as_real(requests: Sequence[Request]) -> list[Request]:
    """The requests with real numbers in all columns."""
    return [
        each._replace(columns=tuple(replace(column, kind="real") for column in each.columns))
        for each in requests
    ]


def reward_empty_rankings(requests: Sequence[Request]) -> list[Request]:
    """The requests with 1 for nothing where nothing is relevant, as far as they are of quality.

    Left as they are: trec_eval's names and those of other programs, counts, and measures that do
    not go from 0 to 1, that are estimates, or of which less is better.

    Raises:
        UsageError: all are left as they are.
    """
    rewarded = [
        request._replace(rewards_nothing=_can_reward_nothing(request)) for request in requests
    ]
    if not any(request.rewards_nothing for request in rewarded):
        raise UsageError(
            "--no-rel answer changes none of these measures: it is for measures from 0 to 1 under "
            "irev's own names, such as AP for map, nDCG@10 for ndcg_cut_10"
        )
    return rewarded


def _can_reward_nothing(request: Request) -> bool:
    measure = request.measure
    is_quality = measure.higher_is_better is True and measure.bounds == (0.0, 1.0)
    return (
        is_quality
        and measure.kind == "real"
        and measure.average == "mean"
        and not measure.is_trec_evals_alone
        and not (measure.from_pools or measure.estimates)
        and not all(is_prefixed(column.name) for column in request.columns)
    )


def drop_repeated_columns(requests: Sequence[Request]) -> list[Request]:
    """The requests with every printed name once, the first time that it occurs."""
    seen: set[str] = set()
    kept = []
    for request in requests:
        measure = request.measure
        fresh_indices = []
        for index, column in enumerate(request.columns):
            # trec_eval's table may print a name twice
            of_table = measure.is_trec_evals_alone and column.name.startswith(measure.name)
            if of_table or column.name not in seen:
                fresh_indices.append(index)
            seen.add(column.name)
        if len(fresh_indices) == len(request.columns):
            kept.append(request)
        elif fresh_indices:
            picks = request.picks or tuple(range(len(request.columns)))
            kept.append(
                request._replace(
                    columns=tuple(request.columns[index] for index in fresh_indices),
                    picks=tuple(picks[index] for index in fresh_indices),
                )
            )
    return kept


def is_prefixed(name: str) -> bool:
    """Whether a name begins with that of a program, as in `ntcir:ERR`."""
    return ":" in name.partition("(")[0]


def _change_recall_rounding(rankings: Judged, recall_rounding: str) -> Judged:
    """The same rankings under another rounding of levels of recall."""
    if rankings.settings.recall_rounding == recall_rounding:
        return rankings
    key = (Request, recall_rounding)
    if key not in rankings.memo:
        settings = replace(rankings.settings, recall_rounding=recall_rounding)
        rankings.memo[key] = replace(rankings, settings=settings)
    rounded: Judged = rankings.memo[key]
    return rounded


def canonical_name(
    measure: Measure, arguments: Arguments, cutoff: float | None, always_shown: Collection[str] = ()
) -> str:
    """The one name of a column: options that are at their default are mostly left out.

    Shown are those that differ from it, those whose record says so, those that come with the value
    that another option has (which then need not be shown itself), and the `always_shown` ones.
    """
    values, options = dict(arguments.options), measure.options
    implied = {option.implies for name, option in options.items() if values[name] is not None}
    texts = []
    for name, option in options.items():
        value = values[name]
        if value is None or ((name, value) in implied and name not in always_shown):
            continue
        if option.implies is not None and name not in always_shown:
            other, implied_value = option.implies
            is_shown = values.get(other) == implied_value
        else:
            is_shown = option.shown or value != option.default or name in always_shown
        if is_shown:
            word = next((word for word, number in option.words.items() if number == value), "")
            texts.append(f"{name}={word or value_text(value)}")
    if arguments.level is not None:
        texts.append(f"rel={value_text(arguments.level)}")
    if arguments.condensed:
        texts.append("condensed=true")
    written = f"({','.join(texts)})" if texts else ""
    return f"{measure.name}{written}" + ("" if cutoff is None else f"@{value_text(cutoff)}")


def name_of_alias(trec_name: str, arguments: Arguments, cutoff: float | None) -> str | None:
    """Irev's own name for one of trec_eval's, with arguments of that; None: it has no such name."""
    aliased = aliased_measure(trec_name)
    if aliased is None or aliased[1].compute or aliased[1].differs:
        return None
    measure, alias = aliased
    options = {name: option.default for name, option in measure.options.items()}
    options |= {**alias.options, **dict(arguments.options)}
    return canonical_name(measure, Arguments(options=tuple(options.items())), cutoff)


def unbounding_option(measure: Measure) -> tuple[str, str] | None:
    """The option and its value with which alone the measure has no upper bound, if so."""
    for name, option in measure.options.items():
        if option.unbounded:
            return name, option.unbounded
    return None


def value_text(value: Any) -> str:
    """A value as it is written in a name: numbers without needless zeros, maps in braces."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case float() if value.is_integer() and abs(value) < 1e16:
            return str(int(value))
        case tuple():
            return "{" + ",".join(f"{value_text(g)}:{value_text(v)}" for g, v in value) + "}"
    return repr(float(value)) if isinstance(value, float) else str(value)


@record
class MeasuredValues:
    """The values of all columns for some judged lists.

    lists     int64[T], which lists of the qrels
    values    float64[T, C]
    texts     column index -> T strings, for columns of texts
    """

    lists: Ints
    values: Floats
    texts: dict[int, list[bytes]]


def measure_all(
    requests: Sequence[Request], list_indices: ListIndices, rankings: Rankings
) -> MeasuredValues:
    """The values of every requested measure, column by column."""
    values = np.zeros((len(list_indices), sum([len(request.columns) for request in requests])))
    texts: dict[int, list[bytes]] = {}
    if not len(list_indices):
        # part of a run may hold no judged topic
        return MeasuredValues(list_indices, values, texts)
    column = 0
    # infinite parameters are numbers, and so is what comes of them
    with np.errstate(all="ignore"):
        for request in requests:
            width = len(request.columns)
            if request.measure.average not in ("run", "topics"):
                computed = request.values(rankings)
                if request.measure.kind == "text":
                    texts[column] = computed
                else:
                    values[:, column : column + width] = computed
            column += width
    return MeasuredValues(list_indices, values, texts)


def batch_rankings(
    waiting: Sequence[tuple[ListIndices, Judged]],
) -> Iterator[tuple[ListIndices, Judged]]:
    """Rankings that are few each, put together until measuring them is worth its calls."""
    if len(waiting) == 1:
        yield from waiting
        return
    batch: list[tuple[Ints, Judged]] = []
    rows = lists_so_far = 0
    for lists, judged in waiting:
        batch.append((lists, judged))
        rows += len(judged.topic)
        lists_so_far += len(lists)
        if rows >= _ROWS_TOGETHER or lists_so_far >= _LISTS_TOGETHER:
            yield _join_batch(batch)
            batch, rows, lists_so_far = [], 0, 0
    if batch:
        yield _join_batch(batch)


def _join_batch(batch: Sequence[tuple[ListIndices, Judged]]) -> tuple[ListIndices, Judged]:
    lists, judged = zip(*batch, strict=True)
    return np.concatenate(lists), join_rankings(judged)


def join_rankings(parts: Sequence[Judged]) -> Judged:
    """Several sets of rankings as one."""
    if len(parts) == 1:
        return parts[0]
    topics = offsets([part.num_topics for part in parts])
    levels = offsets([len(part.level_grade) for part in parts])
    return Judged(
        np.concatenate([part.topic + at for part, at in zip(parts, topics, strict=False)]),
        np.concatenate([part.rank for part in parts]),
        np.concatenate([part.grade for part in parts]),
        np.concatenate([part.num_ret for part in parts]),
        np.concatenate(
            [[0], *(part.level_start[1:] + at for part, at in zip(parts, levels, strict=False))]
        ),
        np.concatenate([part.level_grade for part in parts]),
        np.concatenate([part.level_count for part in parts]),
        parts[0].settings,
        np.concatenate([part.num_pooled_unjudged for part in parts]),
        RankingExtras.concatenate([part.extras for part in parts]),
    )


# --- What the literature warns of, for the measures asked for on the judgments at hand ---


UNBOUNDED = (
    "its values have no upper bound, and topics with many relevant documents dominate a mean over "
    "topics"
)


def cautions(
    requests: Sequence[Request], qrels: Qrels, level: float = 1, requested_names: Sequence[str] = ()
) -> list[str]:
    """One line for each thing that makes measures with named options doubtful here.

    Measures in trec_eval's names go without, but for those that ask for the pool (infAP) where they
    are asked for by name.

    Args:
        requests: what is computed.
        qrels: the judgments.
        level: the smallest relevant grade, where a measure's name does not say.
        requested_names: the measures as they were asked for.
    """
    names_by_line: dict[str, dict[str, None]] = {}
    for name in requested_names:
        if name.lower() == "bpref" and not is_any((qrels.grade >= 0) & (qrels.grade < level)):
            line = (
                "no document was judged non-relevant, so that it is the share of relevant "
                "documents retrieved"
            )
            names_by_line[line] = {name: None}
        if name in TREC_MEASURES and TREC_MEASURES[name].from_pools:
            names_by_line.update(
                (line, {name: None}) for line in _no_unjudged_document_cautions(qrels)
            )
    for request in requests:
        if not request.measure.is_trec_evals_alone:
            # one for all the cutoffs
            name = request.columns[0].name
            for line in _request_cautions(request, qrels, level):
                names_by_line.setdefault(line, {})[name] = None
    return [f"{', '.join(of)}: {line}" for line, of in names_by_line.items()]


def _request_cautions(request: Request, qrels: Qrels, level: float) -> Iterator[str]:
    arguments, options = request.arguments, dict(request.arguments.options)
    if request.measure.from_pools and options.get("p") is None:
        yield from _no_unjudged_document_cautions(qrels)
    relevant = level if arguments.level is None else arguments.level
    yield from _measure_caution(request, options, has_several_topics=len(qrels.topics) > 1)
    if options.get("disc") == "jk":
        base, num_relevant = options["b"], relevant_per_list(qrels, relevant)
        few = int(((num_relevant > 0) & (num_relevant < base)).sum())
        if few:
            yield (
                f"{_topics_have(few)} fewer than b={value_text(base)} relevant documents; up to "
                "rank b there is no discount for late ones (Sakai 2006)"
            )
    grades = np.unique(qrels.level_grade).tolist()
    kinds = {name: option.kind for name, option in request.measure.options.items()}
    for name, value in options.items():
        if kinds[name] == "gain" and isinstance(value, tuple):
            yield from _gain_map_cautions(value, set(grades), relevant)
        if kinds[name] == "scale" and isinstance(value, float) and grades and grades[-1] > value:
            yield f"the qrels hold the grade {value_text(grades[-1])}, above {name}={value:g}"


def _measure_caution(
    request: Request, options: dict[str, Any], *, has_several_topics: bool
) -> Iterator[str]:
    """What the record says of every use; of a base there is more to say with the qrels at hand."""
    measure = request.measure
    if measure.average == "error":
        yield measure.caution
    elif math.isinf(measure.bounds[1]):
        only = unbounding_option(measure)
        if only and options[only[0]] != only[1]:
            return
        if (
            has_several_topics
            and measure.average == "mean"
            and measure.higher_is_better is not None
        ):
            yield measure.caution or UNBOUNDED
    elif measure.caution and "b" not in options:
        yield measure.caution


def _no_unjudged_document_cautions(qrels: Qrels) -> Iterator[str]:
    """What is to be said where no document of a topic's pool was left unjudged."""
    up_to = offsets(qrels.grade < 0)
    complete = up_to[qrels.stop] == up_to[qrels.start]
    if complete.all():
        yield (
            "no pool document is unjudged (no grade is negative): was the pool judged completely, "
            "or are the rows of documents that were not sampled missing?"
        )
    elif complete.any():
        yield (
            f"{_topics_have(int(complete.sum()))} no unjudged pool document (a negative "
            "grade), though others have: was the pool judged completely, or are rows missing?"
        )


def relevant_per_list(qrels: Qrels, level: float) -> Ints:
    """int64[L]: R of each judged list."""
    lists = np.repeat(np.arange(len(qrels.level_start) - 1), np.diff(qrels.level_start))
    is_relevant = qrels.level_grade >= level
    counts = np.bincount(
        lists[is_relevant], qrels.level_count[is_relevant], minlength=len(qrels.level_start) - 1
    )
    return counts.astype(np.int64)


def _topics_have(count: int) -> str:
    return "1 topic has" if count == 1 else f"{count} topics have"


def _gain_map_cautions(
    gains: Sequence[tuple[float, float]], grades: set[float], level: float
) -> Iterator[str]:
    unseen = [grade for grade, _ in gains if grade >= 0 and grade not in grades]
    if unseen:
        yield f"no document of the qrels has the grade {_grades_text(unseen)}"
    highest = max((grade for grade, _ in gains), default=math.inf)
    above = sorted(grade for grade in grades if grade > highest)
    if above and len(gains) > 1:  # a map of one grade changes that one alone
        listed = _grades_text(above)
        yield (
            f"the grade {listed} is above the grades in the map of gains, so its gain is the "
            "grade itself"
        )
    worthless = [grade for grade, gain in gains if grade >= level and grade in grades and gain <= 0]
    if worthless:
        yield f"the grade {_grades_text(worthless)} is relevant but has no gain"
    # a grade that the map does not name is its own gain
    gain_of_grade: dict[float, float] = dict(gains)
    positive_grades = sorted(grade for grade in grades if grade > 0)
    for lower, higher in pairwise(positive_grades):
        less, more = (gain_of_grade.get(grade, grade) for grade in (lower, higher))
        if less > more > 0:
            yield (
                f"the grade {value_text(higher)} gains {value_text(more)}, less than the "
                f"grade {value_text(lower)}, which gains {value_text(less)}"
            )


def _grades_text(grades: Sequence[float]) -> str:
    return " or ".join(map(value_text, grades))
