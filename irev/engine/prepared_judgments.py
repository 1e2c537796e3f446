"""What runs are measured by: judgments of any qrels_format, measures, and how a run is ranked."""

from __future__ import annotations

from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from irev.core.arrays import Ints, ListIndices
from irev.core.judged import Judged, Qrels, Rows
from irev.core.record import record
from irev.engine.judged_counts import JudgedCounts, judged_counts
from irev.engine.map_topics import map_topics
from irev.errors import ContradictionError, MeasureError, Notice, UsageError, id_text
from irev.measures.requests import (
    MeasuredValues,
    batch_rankings,
    close_scales,
    measure_all,
    needs_ids,
)
from irev.rank.judged_lists import assemble_qrels, one_list_per_topic_and_group
from irev.rank.judgments import (
    ClassJudgments,
    GradedJudgments,
    PreferenceJudgments,
    SampleJudgments,
    SubtopicJudgments,
)
from irev.rank.ranking import RankingRule, empty_rankings, join_judgments, rank_rows
from irev.read.columns import map_grades
from irev.read.formats import GRADED, JUDGMENTS, judgments_layout
from irev.read.layout import ITERATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.core.judged import Rankings
    from irev.engine.judged_answers import JudgedAnswers
    from irev.engine.map_topics import Step
    from irev.measures.requests import Request
    from irev.options import Options
    from irev.rank.judgments import Judgments, SubtopicLists
    from irev.rank.ranking import Ranked
    from irev.rank.ties import SeveralOrders, TieGroupCounts

_FEW_ROWS = 1 << 14
"""Parts with fewer judged documents are measured together: most of their cost is NumPy's calls."""


@record
class RunPart:
    """What became of some topics of a run: measured already, or to be measured with others.

    lists            int64[T], the judged list of each ranking
    unjudged_topics  the topics of the run that the qrels do not have
    seen             how much of the rankings is judged; None: nobody counted
    waiting          the rankings, where they are to be measured
    values           None: to be measured
    ties             the tie groups of each list, where several orders of them were looked at
    repeats          how many repeated lines were left out, by topic, where only first lines count
    """

    lists: Ints
    unjudged_topics: Sequence[bytes]
    judged_counts: JudgedCounts | None = None
    waiting: Judged | None = None
    values: MeasuredValues | None = None
    ties: TieGroupCounts | None = None
    repeats: dict[bytes, int] | None = None


@record
class PreparedJudgments:
    """Judgments, measures, and how a run is ranked.

    orders   where ties have several orders
    digests  the hash of each file that was read beside the judgments, and theirs where it was asked
             for: `qrels`, `intents`, `pool`; None for what was in memory
    notices  what is doubtful of the judgments' file
    answers  what was judged of the answers of runs, where the judgments hold the runs
    """

    judgments: Judgments
    requests: Sequence[Request]
    ranking: RankingRule
    orders: SeveralOrders | None = None
    digests: dict[str, str | None] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    answers: JudgedAnswers | None = None

    @property
    def qrels(self) -> Qrels:
        """The judged documents."""
        return self.judgments.qrels

    def run_part(self, rows: Rows) -> RunPart:
        """Rank some whole topics of a run, hold them against the judgments and measure them."""
        if self.orders is not None:
            whole_rankings = join_judgments(rows, self.qrels, self.ranking)
            counts = judged_counts(
                whole_rankings, rows, self.qrels, replace(self.ranking, judged_only=False)
            )
            return self.tied_run_part(whole_rankings, counts)
        ranked = rank_rows(rows, self.qrels, self.ranking)
        counts = judged_counts(ranked, rows, self.qrels, self.ranking)
        return self.judged_run_part(ranked, self.judgments.view(ranked), counts)

    def tied_run_part(self, whole_rankings: Ranked, counts: JudgedCounts | None = None) -> RunPart:
        """The same of whole rankings, where several orders of their ties are looked at."""
        assert self.orders is not None  # noqa: S101 - whoever calls has looked
        values, ties = self.orders.values(whole_rankings)
        return RunPart(
            whole_rankings.lists, whole_rankings.unjudged_topics, counts, values=values, ties=ties
        )

    def judged_run_part(
        self, ranked: Ranked, view: Rankings, counts: JudgedCounts | None = None
    ) -> RunPart:
        """The same of rankings that were held against the judgments."""
        if isinstance(view, Judged) and len(view.topic) < _FEW_ROWS:
            return RunPart(ranked.lists, ranked.unjudged_topics, counts, view)
        return RunPart(
            ranked.lists, ranked.unjudged_topics, counts, None, self._measure_ranked(ranked, view)
        )

    def measure_in_batches(self, parts: Sequence[RunPart]) -> Iterator[MeasuredValues]:
        """The values of all parts; small ones are measured together."""
        yield from (part.values for part in parts if part.values is not None)
        waiting = [(part.lists, part.waiting) for part in parts if part.waiting is not None]
        for lists, judged in batch_rankings(waiting):
            yield self.measure(lists, judged)

    def empty_ranking_values(self, list_indices: ListIndices) -> MeasuredValues:
        """The values of empty rankings for some judged lists."""
        ranked = empty_rankings(list_indices)
        return self._add_tie_ranges(self._measure_ranked(ranked, self.judgments.view(ranked)))

    def measure(self, list_indices: ListIndices, view: Rankings) -> MeasuredValues:
        """The values of some rankings, each against a judged list."""
        try:
            return measure_all(self.requests, list_indices, view)
        except MeasureError as error:
            raise self._error_with_topic_id(list_indices, error) from error

    def _measure_ranked(self, ranked: Ranked, view: Rankings) -> MeasuredValues:
        try:
            return self.measure(ranked.lists, view)
        except ContradictionError as error:
            raise self.judgments.error_with_judgment_ids(ranked, error) from None

    def _add_tie_ranges(self, values: MeasuredValues) -> MeasuredValues:
        """The values of rankings without judged documents: the orders of ties play no role."""
        return values if self.orders is None else self.orders.add_unchanged_ranges(values)

    def _error_with_topic_id(self, list_indices: ListIndices, error: MeasureError) -> MeasureError:
        """The failure of a user's measure, with the topic's id."""
        topic = error.topic
        if not isinstance(topic, int):
            return MeasureError(error.measure, error.reason)
        topic_index = self.qrels.topic_of_list[list_indices[topic]]
        return MeasureError(error.measure, error.reason, self.qrels.topics[topic_index])


def read_judgments(
    source: Any,
    qrels_format: str,
    requests: Sequence[Request],
    options: Options,
    threads: int,
    *,
    sign: bool = False,
) -> PreparedJudgments:
    """Read judgments of a format and make them ready for the measures asked for.

    `sign` asks for the hash of their file.
    """
    if JUDGMENTS[qrels_format].holds_runs:
        return _prepare_answers(source, qrels_format, requests, options, sign=sign)
    step = judged_lists_step(
        qrels_format, single_precision=options.ranking_rule(qrels_format).single_precision
    )
    if options.grade_map:
        step = _map_grades_before(step, options)
    layout = partial(
        judgments_layout,
        qrels_format,
        real_grades=options.reads_fractions,
        decimal_comma=options.decimal_comma,
        columns=options.own_columns,
    )
    results = map_topics(source, layout, step, threads, sign=sign)
    prepared = _prepare(qrels_format, results.results, requests, options)
    notices = tuple(notice._replace(run=str(source)) for notice in results.notices)
    return replace(
        prepared, digests={"qrels": results.sha256, **prepared.digests},
        notices=(*prepared.notices, *notices),
    )  # fmt: skip


def _prepare(
    qrels_format: str, judged_parts: list[Any], requests: Sequence[Request], options: Options
) -> PreparedJudgments:
    """The prepared_judgments, given what became of the topics of the judgments."""
    ranking, settings = _ranking_rule(qrels_format, requests, options), options.settings
    gives = JUDGMENTS[qrels_format].gives
    if "prefs" in gives:
        from irev.rank.judgments import assemble_preferences

        judgments = PreferenceJudgments(assemble_preferences(judged_parts))
        return PreparedJudgments(judgments, requests, ranking)
    if "strata" in gives or "prels" in gives:
        return _prepare_sample(qrels_format, judged_parts, requests, options)
    if "subtopics" in gives:
        return _prepare_subtopics(qrels_format, judged_parts, requests, options)
    if judged_parts and isinstance(judged_parts[0], tuple):
        _refuse_pool_or_ties_by_grade_with_classes(options)
        from irev.rank.judgments import assemble_qrels_with_classes

        classes = assemble_qrels_with_classes(judged_parts)
        requests = computed_requests(requests, classes.qrels, options)
        return PreparedJudgments(ClassJudgments(classes, settings), requests, ranking)
    if options.pool is None:
        return _prepare_graded(assemble_qrels(judged_parts), requests, ranking, options)
    from irev.engine.pooled_qrels import add_pooled_as_unjudged

    qrels, digest = add_pooled_as_unjudged(assemble_qrels(judged_parts), options.pool)
    return replace(_prepare_graded(qrels, requests, ranking, options), digests={"pool": digest})


def _prepare_answers(
    source: Any, qrels_format: str, requests: Sequence[Request], options: Options, *, sign: bool
) -> PreparedJudgments:
    """What measures by what was judged of the answers of runs."""
    from irev.engine.judged_answers import read_judged_answers

    answers = read_judged_answers(source, qrels_format, sign=sign)
    return PreparedJudgments(
        answers.judgments(options.settings), requests,
        _ranking_rule(qrels_format, requests, options),
        digests={"qrels": answers.sha256}, notices=answers.warnings(), answers=answers,
    )  # fmt: skip


def _ranking_rule(qrels_format: str, requests: Sequence[Request], options: Options) -> RankingRule:
    """How runs are ranked, and what of it the measures look at."""
    return replace(
        options.ranking_rule(qrels_format),
        spans=any(request.measure.ties for request in requests),
        scores=any(request.measure.scores for request in requests),
        unjudged=any(needs_ids(request) for request in requests),
        elsewhere=any(request.measure.ids for request in requests),
    )


def _prepare_subtopics(
    qrels_format: str, judged_parts: list[Any], requests: Sequence[Request], options: Options
) -> PreparedJudgments:
    """What measures by grades for subtopics."""
    from irev.rank.judgments import assemble_subtopics

    intents = None
    digests: dict[str, str | None] = {}
    if options.intents is not None:
        from irev.read.topic_files import read_intents

        intents, digests["intents"] = read_intents(options.intents)
    qrels, subtopics = assemble_subtopics(judged_parts, intents)
    requests = computed_requests(requests, qrels, options)
    judgments = SubtopicJudgments(qrels, subtopics, options.settings)
    looks_at_subtopics = any(request.measure.needs == "subtopics" for request in requests)
    return PreparedJudgments(
        judgments, requests, _ranking_rule(qrels_format, requests, options), digests=digests,
        notices=tuple(_no_subtopic_warnings(judged_parts)) if looks_at_subtopics else (),
    )  # fmt: skip


def _no_subtopic_warnings(parts: Iterable[SubtopicLists]) -> Iterator[Notice]:
    """A warning where the only subtopic is what plain judgments have in their second column."""
    names = {name for part in parts for names in part.names for name in names}
    if len(names) == 1 and not names.isdisjoint(ITERATIONS):
        yield Notice(
            "iteration-as-subtopic",
            f"the only subtopic of all topics is '{id_text(names.pop())}'",
            "are these plain judgments, without subtopics? -R qrels reads them",
        )


def _prepare_sample(
    qrels_format: str, judged_parts: list[Any], requests: Sequence[Request], options: Options
) -> PreparedJudgments:
    """What measures by judgments that are a sample."""
    from irev.rank import judgments

    sample: Any
    if "strata" in JUDGMENTS[qrels_format].gives:
        qrels, sample = judgments.assemble_strata(judged_parts)
    else:
        qrels, sample = judgments.assemble_inclusions(judged_parts)
    requests = computed_requests(requests, qrels, options)
    ranking = _ranking_rule(qrels_format, requests, options)
    return PreparedJudgments(SampleJudgments(qrels, sample, options.settings), requests, ranking)


def computed_requests(
    requests: Sequence[Request], qrels: Qrels, options: Options
) -> Sequence[Request]:
    """The requests as they are computed, now that the grades of the judgments are known."""
    requests = close_scales(requests, qrels)
    if not options.residuals:
        return requests
    from irev.measures.residuals import add_upper_bounds, highest_grade

    return add_upper_bounds(requests, highest_grade(qrels, options.defaults))


def _prepare_graded(
    qrels: Qrels, requests: Sequence[Request], ranking: RankingRule, options: Options
) -> PreparedJudgments:
    judgments = GradedJudgments(qrels, options.settings)
    requests = computed_requests(requests, qrels, options)
    if not options.several_orders:
        return PreparedJudgments(judgments, requests, ranking)
    from irev.rank.ties import SeveralOrders

    ranking = replace(ranking, spans=True)
    orders = SeveralOrders(judgments, requests, ranking, options)
    return PreparedJudgments(judgments, requests, ranking, orders)


def _refuse_pool_or_ties_by_grade_with_classes(options: Options) -> None:
    """Refuse orders by grade where a document's grade depends on the order; and a pool."""
    if options.pool is not None:
        raise UsageError("judgments with classes of documents cannot be combined with a pool")
    if options.ties_by_grade:
        raise UsageError(
            "judgments with classes of documents have no order by grade: --ties "
            "optimistic, pessimistic or average and --tie-range cannot be combined with them"
        )


def _map_grades_before(step: Step[Any], options: Options) -> Step[Any]:
    def map_and_continue(rows: Rows) -> Any:
        return step(replace(rows, value=map_grades(rows.value, tuple(options.grade_map))))

    return map_and_continue


def judged_lists_step(qrels_format: str, *, single_precision: bool = False) -> Step[Any]:
    """What becomes of some topics of judgments of a format before all are joined."""
    gives = (
        JUDGMENTS[qrels_format].gives if qrels_format in JUDGMENTS else ()
    )  # a run that is only checked
    if "prefs" in gives:
        from irev.rank.judgments import preference_lists

        return partial(preference_lists, single_precision=single_precision)
    if "subtopics" in gives:
        from irev.rank.judgments import subtopic_lists

        return subtopic_lists
    if "strata" in gives or "prels" in gives:
        from irev.rank import judgments

        return judgments.lists_with_strata if "strata" in gives else judgments.lists_with_inclusions
    if qrels_format in GRADED:
        return _lists_with_classes_if_any
    return one_list_per_topic_and_group


def _lists_with_classes_if_any(rows: Rows) -> Any:
    if not rows.groups:
        return one_list_per_topic_and_group(rows)
    from irev.rank.judgments import lists_with_classes

    return lists_with_classes(rows)
