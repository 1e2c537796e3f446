"""What is computed for an evaluation: a measure with its parameters, and the columns it fills."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from irev.core.arrays import Floats, Ints, ListIndices, offsets
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
from irev.measures.registry import Arguments, Measure, aliased_measure

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
