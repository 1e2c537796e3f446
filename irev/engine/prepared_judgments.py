"""What runs are measured by: judgments of any format, measures, and how a run is ranked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Ints, ListIndices, RowValues, TopicOfRow
from irev.core.ids import Ids, concatenate_ids, ids_from_bytes
from irev.core.judged import Judged, Qrels, Rankings, Rows
from irev.core.option_values import Pool
from irev.core.pairs import DocumentIndex, index_documents
from irev.core.record import record
from irev.core.text import count_text, list_beginning
from irev.engine.judged_counts import JudgedCounts, judged_counts
from irev.engine.map_topics import Step, map_topics
from irev.errors import (
    ContradictionError,
    MeasureError,
    MismatchError,
    Notice,
    UsageError,
    id_text,
    shown_value,
)
from irev.measures.requests import (
    MeasuredValues,
    Request,
    batch_rankings,
    close_scales,
    measure_all,
    needs_ids,
)
from irev.options import Options
from irev.rank.judged_lists import assemble_qrels, one_list_per_topic_and_group
from irev.rank.judgments import (
    ClassJudgments,
    GradedJudgments,
    Judgments,
    PreferenceJudgments,
    SampleJudgments,
    SubtopicJudgments,
    assemble_inclusions,
    assemble_preferences,
    assemble_qrels_with_classes,
    assemble_strata,
    assemble_subtopics,
    lists_with_classes,
    lists_with_inclusions,
    lists_with_strata,
    preference_lists,
    subtopic_lists,
)
from irev.rank.ranking import Ranked, RankingRule, empty_rankings, join_judgments, rank_rows
from irev.read.columns import map_grades
from irev.read.formats import GRADED, JUDGMENTS, judgments_layout
from irev.read.layout import ITERATIONS
from irev.read.stream import read_all, sha256_of, take_lines
from irev.read.topics import grouped_rows

if TYPE_CHECKING:
    from irev.engine.answers import JudgedAnswers
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
        values = self._measure_ranked(ranked, self.judgments.view(ranked))
        # the orders of ties play no role
        return values if self.orders is None else self.orders.add_unchanged_ranges(values)

    def measure(self, list_indices: ListIndices, view: Rankings) -> MeasuredValues:
        """The values of some rankings, each against a judged list."""
        try:
            return measure_all(self.requests, list_indices, view)
        except MeasureError as error:
            topic_id = None
            if isinstance(error.topic, int):
                topic_index = self.qrels.topic_of_list[list_indices[error.topic]]
                topic_id = self.qrels.topics[topic_index]
            raise MeasureError(error.measure, error.reason, topic_id) from error

    def _measure_ranked(self, ranked: Ranked, view: Rankings) -> MeasuredValues:
        try:
            return self.measure(ranked.lists, view)
        except ContradictionError as error:
            raise self.judgments.error_with_judgment_ids(ranked, error) from None


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
        from irev.engine.answers import read_judged_answers

        answers = read_judged_answers(source, qrels_format, sign=sign)
        return PreparedJudgments(
            answers.judgments(options.settings),
            requests,
            _ranking_rule(qrels_format, requests, options),
            digests={"qrels": answers.sha256},
            notices=answers.warnings(),
            answers=answers,
        )
    lists_step = judged_lists_step(
        qrels_format, single_precision=options.ranking_rule(qrels_format).single_precision
    )
    grade_map = tuple(options.grade_map)

    def step(rows: Rows) -> Any:
        if grade_map:
            rows = replace(rows, value=map_grades(rows.value, grade_map))
        return lists_step(rows)

    layout = partial(
        judgments_layout,
        qrels_format,
        real_grades=options.reads_fractions,
        decimal_comma=options.decimal_comma,
        columns=options.own_columns,
        needs_documents=options.no_relevant == "answer",
    )
    results = map_topics(source, layout, step, threads, sign=sign)
    prepared = _prepare(qrels_format, results.results, requests, options)
    notices = tuple(notice._replace(run=str(source)) for notice in results.notices)
    return replace(
        prepared,
        digests={"qrels": results.sha256, **prepared.digests},
        notices=(*prepared.notices, *notices),
    )


def _prepare(
    qrels_format: str, judged_parts: list[Any], requests: Sequence[Request], options: Options
) -> PreparedJudgments:
    """The prepared judgments, given what became of their topics."""
    ranking, settings = _ranking_rule(qrels_format, requests, options), options.settings
    gives = JUDGMENTS[qrels_format].gives
    if "prefs" in gives:
        preferences = PreferenceJudgments(assemble_preferences(judged_parts))
        return PreparedJudgments(preferences, requests, ranking)

    if "strata" in gives or "prels" in gives:
        sample: Any
        if "strata" in gives:
            qrels, sample = assemble_strata(judged_parts)
        else:
            qrels, sample = assemble_inclusions(judged_parts)
        requests = computed_requests(requests, qrels, options)
        return PreparedJudgments(SampleJudgments(qrels, sample, settings), requests, ranking)

    digests: dict[str, str | None] = {}
    if "subtopics" in gives:
        intents = None
        if options.intents is not None:
            from irev.read.topic_files import read_intents

            intents, digests["intents"] = read_intents(options.intents)
        qrels, subtopics = assemble_subtopics(judged_parts, intents)
        notices: tuple[Notice, ...] = ()
        if any(request.measure.needs == "subtopics" for request in requests):
            names = {name for part in judged_parts for names in part.names for name in names}
            # which is what plain judgments have in their second column
            if len(names) == 1 and not names.isdisjoint(ITERATIONS):
                only = Notice(
                    "iteration-as-subtopic",
                    f"the only subtopic of all topics is '{id_text(names.pop())}'",
                    "are these plain judgments, without subtopics? -R qrels reads them",
                )
                notices = (only,)
        judgments = SubtopicJudgments(qrels, subtopics, settings)
        requests = computed_requests(requests, qrels, options)
        return PreparedJudgments(judgments, requests, ranking, digests=digests, notices=notices)

    if judged_parts and isinstance(judged_parts[0], tuple):
        if options.pool is not None:
            raise UsageError("judgments with classes of documents cannot be combined with a pool")
        if options.ties_by_grade:  # a document's grade depends on the order
            raise UsageError(
                "judgments with classes of documents have no order by grade: --ties "
                "optimistic, pessimistic or average and --tie-range cannot be combined with them"
            )
        qrels, class_of_row = assemble_qrels_with_classes(judged_parts)
        requests = computed_requests(requests, qrels, options)
        return PreparedJudgments(ClassJudgments(qrels, class_of_row, settings), requests, ranking)

    qrels = assemble_qrels(judged_parts)
    if options.pool is not None:
        qrels, digests["pool"] = add_pooled_as_unjudged(qrels, options.pool)
    graded = GradedJudgments(qrels, settings)
    requests = computed_requests(requests, qrels, options)
    orders = None
    if options.several_orders:
        from irev.rank.ties import SeveralOrders

        ranking = replace(ranking, spans=True)
        orders = SeveralOrders(graded, requests, ranking, options)
    return PreparedJudgments(graded, requests, ranking, orders, digests)


def _ranking_rule(qrels_format: str, requests: Sequence[Request], options: Options) -> RankingRule:
    """How runs are ranked, and what of it the measures look at."""
    return replace(
        options.ranking_rule(qrels_format),
        spans=any(request.measure.ties for request in requests),
        scores=any(request.measure.scores for request in requests),
        unjudged=any(needs_ids(request) for request in requests),
        elsewhere=any(request.measure.ids for request in requests),
    )


def computed_requests(
    requests: Sequence[Request], qrels: Qrels, options: Options
) -> Sequence[Request]:
    """The requests as they are computed, now that the grades of the judgments are known."""
    requests = close_scales(requests, qrels)
    if not options.residuals:
        return requests
    from irev.measures.residuals import add_upper_bounds, highest_grade

    return add_upper_bounds(requests, highest_grade(qrels, options.defaults))


def judged_lists_step(qrels_format: str, *, single_precision: bool = False) -> Step[Any]:
    """What becomes of some topics of judgments of a format before all are joined."""
    # a run that is only checked has no such format
    gives = JUDGMENTS[qrels_format].gives if qrels_format in JUDGMENTS else ()
    if "prefs" in gives:
        return partial(preference_lists, single_precision=single_precision)
    if "subtopics" in gives:
        return subtopic_lists
    if "strata" in gives:
        return lists_with_strata
    if "prels" in gives:
        return lists_with_inclusions
    if qrels_format in GRADED:
        return lambda rows: (
            lists_with_classes(rows) if rows.groups else one_list_per_topic_and_group(rows)
        )
    return one_list_per_topic_and_group


# --- Which options and measures cannot be combined with the format of the judgments ---


def check_qrels_format(options: Options, qrels_format: str) -> None:
    """Refuse options that cannot be combined with the format of the judgments."""
    if options.intents is not None and "subtopics" not in JUDGMENTS[qrels_format].gives:
        raise UsageError(f"intents need judgments by subtopic (-R subtopics), not {qrels_format}")
    if options.pool is not None and qrels_format not in GRADED:
        raise UsageError(f"a pool needs plain judgments (-R qrels), not -R {qrels_format}")
    if options.no_relevant == "answer" and qrels_format != "qrels":
        raise UsageError(f"--no-rel answer needs plain judgments (-R qrels), not -R {qrels_format}")
    if JUDGMENTS[qrels_format].holds_runs:
        fields = options.fields()
        for name in (
            "max_retrieved",
            "judged_only",
            "ties",
            "tie_range",
            "exclude",
            "grade_map",
            "residuals",
            "judged_shares",
        ):
            if getattr(options, name) != fields[name].default:
                option = fields[name].opt.names[0]
                raise UsageError(f"{option} is of rankings, and -R {qrels_format} has none")
        if "support" in JUDGMENTS[qrels_format].gives and options.no_relevant == "skip":
            raise UsageError(
                f"--no-rel skip: with -R {qrels_format} an answer without support counts 0; what "
                "is cited differs between runs"
            )
    if options.grade_map and "prefs" in JUDGMENTS[qrels_format].gives:
        raise UsageError(f"--map-grades: preferences (-R {qrels_format}) have no grades")


def check_ties(requests: Sequence[Request], options: Options, qrels_format: str) -> None:
    """Refuse orders of tied documents that the judgments cannot decide.

    And measures that draw documents, where equal scores have no order by themselves.
    """
    option = "--tie-range" if options.tie_range else f"--ties {options.ties}"
    gives = JUDGMENTS[qrels_format].gives
    if "prefs" in gives:
        if options.ties_by_grade:
            raise UsageError(
                f"preferences (-R {qrels_format}) have no grades to order ties by: {option}"
            )
    elif len(gives) > 1 and options.several_orders:
        kind = "judgments by subtopic" if "subtopics" in gives else "sampled judgments"
        raise UsageError(f"{option} cannot be combined with {kind} (-R {qrels_format})")
    if options.ties_by_grade:
        for request in requests:
            if needs_ids(request):
                raise UsageError(f"{request.columns[0].name} cannot be combined with {option}")


def check_needed_judgments(
    requests: Sequence[Request], qrels_format: str, also_gives: Sequence[str]
) -> None:
    """Refuse measures that cannot be combined with the format of the judgments."""
    kinds = (*JUDGMENTS[qrels_format].gives, *also_gives)
    for request in requests:
        needs = request.measure.needs
        if needs not in ("any", *kinds):
            formats = " or ".join(
                name
                for name, each in JUDGMENTS.items()
                if needs in each.gives and (name == needs or "qrels" not in each.gives)
            )
            raise UsageError(
                f"measure {request.measure.name} needs judgments of the format {formats} "
                f"(-R {needs}), not {qrels_format}"
            )


# --- Judgments beside the pool they were taken from: what was pooled but not judged is said ---


def add_pooled_as_unjudged(qrels: Qrels, pool: str | Pool) -> tuple[Qrels, str | None]:
    """The judgments with -1 for every document of the pool that they do not hold.

    The pool is a file or one that was made of runs; its topics without judgments do not count.

    Returns:
        The judgments, and the SHA-256 of the file's decompressed bytes; None: it is no file.

    Raises:
        MismatchError: no topic of the pool is judged.
    """
    if isinstance(pool, str):
        text = read_all(pool)
        topics, topic, docs = _read_pool(pool, text)
        digest = sha256_of(text)
    elif not isinstance(pool, Pool):
        raise UsageError(f"a pool is a path, or what make_pool gives, not {shown_value(pool)}")
    else:
        topics, topic, docs, digest = pool.topics, pool.topic, pool.docs, None
    index_of_topic = np.array([qrels.topic_index.get(name, -1) for name in topics], np.int64)
    if not (index_of_topic >= 0).any():
        raise MismatchError(
            f"the pool and the qrels have no topic in common: the pool has "
            f"{list_beginning(sorted(topics))}; the qrels have {list_beginning(qrels.topics)}"
        )
    judged_rows = np.flatnonzero(index_of_topic[topic] >= 0)
    topic, docs = index_of_topic[topic[judged_rows]], docs.take(judged_rows)

    judged_topic = qrels.topic_of_row
    pairs = index_documents(judged_topic, len(qrels.topics), qrels.docs)
    assert isinstance(pairs, DocumentIndex)  # noqa: S101 - qrels hold a document once
    present, _ = pairs.find(topic, docs, docs.hashes())
    absent = np.ones(len(topic), bool)
    absent[present] = False
    all_topics = np.concatenate((judged_topic, topic[absent]))
    all_docs = concatenate_ids([qrels.docs, docs.take(np.flatnonzero(absent))])
    grade = np.concatenate((qrels.grade, np.full(int(absent.sum()), -1.0)))
    return _qrels_of_rows(qrels, all_topics, all_docs, grade), digest


def unjudged_as_nonrelevant(qrels: Qrels) -> Qrels:
    """The judgments, where what is pooled but unjudged (a negative grade) is not relevant: 0."""
    grade = np.where(qrels.grade < 0, 0.0, qrels.grade)
    return _qrels_of_rows(qrels, qrels.topic_of_row, qrels.docs, grade)


def _qrels_of_rows(qrels: Qrels, topic_of_row: TopicOfRow, docs: Ids, grade: RowValues) -> Qrels:
    """Qrels of the same topics, given their rows."""
    rows = grouped_rows(qrels.topics, topic_of_row, [docs], grade, None)
    return assemble_qrels(list(map(one_list_per_topic_and_group, rows)))


def _read_pool(path: str, text: bytes) -> tuple[Sequence[bytes], TopicOfRow, Ids]:
    """(topics, the topic of each document, documents), each pair once."""
    pairs: dict[tuple[bytes, bytes], None] = {}

    def take_pair(fields: list[bytes]) -> str:
        if len(fields) != 2:
            return f"{count_text(len(fields), 'field')}, expected 2"
        pairs[fields[0], fields[1]] = None
        return ""

    hint = "a line of a pool holds a topic and a document, as `irev pool` writes it"
    take_lines(path, text, take_pair, "document", hint)
    topics = sorted({topic for topic, _ in pairs})
    topic_index = {topic: number for number, topic in enumerate(topics)}
    topic = np.array([topic_index[topic] for topic, _ in pairs], np.int64)
    return topics, topic, ids_from_bytes([document for _, document in pairs])
