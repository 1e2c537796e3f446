"""From a file of judgments to what runs are measured by, for each format."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from irev.engine.way import over
from irev.engine.yardstick import Yardstick
from irev.errors import UsageError
from irev.measures.requests import bound, draws
from irev.rank.equivalence import assembled_classes, class_lists
from irev.rank.judged_lists import assembled, judged_lists
from irev.rank.preferences import assembled_preferences, preference_lists
from irev.rank.views import (
    Graded,
    GradedClasses,
    GradedSample,
    GradedSubtopics,
    PreferenceJudgments,
)
from irev.read.formats import judgments_layout
from irev.read.values import mapped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from irev.core.model import Qrels, Rows
    from irev.engine.way import Step
    from irev.measures.requests import Request
    from irev.options import Options
    from irev.rank.ranking import Ranking


def read_judgments(
    given: Any,
    format: str,
    requests: Sequence[Request],
    options: Options,
    threads: int,
    digests: dict[str, str | None] | None = None,
) -> Yardstick:
    """Read judgments of a format and make them ready for the measures asked for.

    Where `digests` are given, they get the hash of each file that is read: `qrels`, `intents`,
    `pool`; None for what was in memory.

    Raises:
        InputError: they cannot be read.
        MismatchError: a file of intents does not go with them.
    """
    ranking, settings = _ranking(format, requests, options), options.settings
    parts = partial(_parts, given, format, options, threads, digests)
    if format in ("prefs", "qrels_prefs"):
        preferences = assembled_preferences(parts())
        return Yardstick(PreferenceJudgments(preferences), requests, ranking)
    if format in ("strata", "prels"):
        return _sampled(format, parts, requests, options)
    if format == "subtopics":
        return _by_subtopic(parts, requests, options, digests)
    if format == "ntcir":
        found = parts()
        if isinstance(found[0], tuple):
            _check_classes(options)
            classes = assembled_classes(found)
            requests = computed(requests, classes.qrels, options)
            return Yardstick(GradedClasses(classes, settings), requests, ranking)
        return _graded(assembled(found), requests, ranking, options)
    qrels = assembled(parts())
    if options.pool is not None:
        from irev.sampling.pooled_qrels import with_pool

        qrels = with_pool(qrels, options.pool, digests)
    return _graded(qrels, requests, ranking, options)


def _parts(
    given: Any,
    format: str,
    options: Options,
    threads: int,
    digests: dict[str, str | None] | None,
) -> list[Any]:
    """What becomes of the topics of the judgments."""
    step = lists_step(format, single_precision=options.ranking(format).single_precision)
    if options.grade_map:
        step = _with_mapped_grades(step, options)
    layout = partial(
        judgments_layout,
        format,
        real_grades=options.real_grades,
        decimal_comma=options.decimal_comma,
    )
    read = over(given, layout, step, threads, sign=digests is not None)
    if digests is not None:
        digests["qrels"] = read.sha256
    return read.results


def _ranking(format: str, requests: Sequence[Request], options: Options) -> Ranking:
    """How runs are ranked, and what of it the measures look at."""
    return replace(
        options.ranking(format),
        spans=any(request.measure.ties for request in requests),
        scores=any(request.measure.scores for request in requests),
        unjudged=any(draws(request) for request in requests),
    )


Parts: TypeAlias = "Callable[[], list[Any]]"
"""Reads the judgments: what becomes of some topics at a time."""


def _by_subtopic(
    parts: Parts,
    requests: Sequence[Request],
    options: Options,
    digests: dict[str, str | None] | None,
) -> Yardstick:
    """What measures by grades for subtopics."""
    from irev.rank.subtopics import assembled_subtopics

    intents = None
    if options.intents is not None:
        from irev.read.intents import read_intents

        intents = read_intents(options.intents, digests)
    qrels, subtopics = assembled_subtopics(parts(), intents)
    requests = computed(requests, qrels, options)
    ranking = _ranking("subtopics", requests, options)
    return Yardstick(GradedSubtopics(qrels, subtopics, options.settings), requests, ranking)


def _sampled(format: str, parts: Parts, requests: Sequence[Request], options: Options) -> Yardstick:
    """What measures by judgments that are a sample."""
    from irev.rank import strata

    sample: Any
    if format == "strata":
        qrels, sample = strata.assembled_strata(parts())
    else:
        qrels, sample = strata.assembled_inclusions(parts())
    requests = computed(requests, qrels, options)
    ranking = _ranking(format, requests, options)
    return Yardstick(GradedSample(qrels, sample, options.settings), requests, ranking)


def computed(requests: Sequence[Request], qrels: Qrels, options: Options) -> Sequence[Request]:
    """The requests as they are computed, now that the grades of the judgments are known."""
    requests = bound(requests, qrels)
    if not options.residuals:
        return requests
    from irev.measures.residuals import highest_grade, with_bounds

    return with_bounds(requests, highest_grade(qrels, options.defaults))


def _graded(
    qrels: Qrels, requests: Sequence[Request], ranking: Ranking, options: Options
) -> Yardstick:
    judgments = Graded(qrels, options.settings)
    requests = computed(requests, qrels, options)
    if not options.several_orders:
        return Yardstick(judgments, requests, ranking)
    from irev.ties.several import SeveralOrders

    ranking = replace(ranking, spans=True)
    orders = SeveralOrders(judgments, requests, ranking, options)
    return Yardstick(judgments, requests, ranking, orders)


def _check_classes(options: Options) -> None:
    """Refuse orders by grade where a document's grade depends on the order."""
    if options.several_orders or options.ranking("ntcir").by_grade:
        raise UsageError(
            "judgments with classes of documents have no order by grade: --ties "
            "optimistic, pessimistic or average and --tie-range do not go with them"
        )


def _with_mapped_grades(step: Step[Any], options: Options) -> Step[Any]:
    def on_mapped(rows: Rows) -> Any:
        return step(replace(rows, value=mapped(rows.value, tuple(options.grade_map))))

    return on_mapped


def lists_step(format: str, *, single_precision: bool = False) -> Step[Any]:
    """What becomes of some topics of judgments of a format before all are joined."""
    if format in ("prefs", "qrels_prefs"):
        return partial(preference_lists, single_precision=single_precision)
    if format == "subtopics":
        from irev.rank.subtopics import subtopic_lists

        return subtopic_lists
    if format in ("strata", "prels"):
        from irev.rank import strata

        return strata.stratified_lists if format == "strata" else strata.included_lists
    if format == "ntcir":
        return lambda rows: class_lists(rows) if rows.groups else judged_lists(rows)
    return judged_lists
