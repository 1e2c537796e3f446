"""What runs are measured by: judgments of any format, measures, and how a run is ranked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from irev.core.arrays import Ints, ListIndices, RowValues, TopicOfRow, offsets
from irev.core.ids import DocumentIndex, Ids, concatenate_ids, ids_from_bytes, index_documents
from irev.core.judged import (
    NO_IMPORTANCE,
    NO_LABEL,
    VITAL,
    DuplicatesError,
    Input,
    Judged,
    Qrels,
    Rankings,
    Rows,
    Settings,
)
from irev.core.option_values import Pool
from irev.core.record import record
from irev.core.text import as_bytes, count_text, list_beginning, shortened_list
from irev.engine.map_topics import InputResults, Step, map_topics
from irev.engine.run_facts import JudgedCounts, judged_counts
from irev.errors import (
    ContradictionError,
    InputError,
    MeasureError,
    MismatchError,
    Notice,
    Problem,
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
from irev.rank.judgments import (
    ClassJudgments,
    GradedJudgments,
    Judgments,
    PreferenceJudgments,
    SampleJudgments,
    SubtopicJudgments,
    SupportJudgments,
    assemble_inclusions,
    assemble_preferences,
    assemble_qrels,
    assemble_qrels_with_classes,
    assemble_strata,
    assemble_subtopics,
    lists_with_classes,
    lists_with_inclusions,
    lists_with_strata,
    one_list_per_topic_and_group,
    preference_lists,
    subtopic_lists,
)
from irev.rank.ranking import (
    Ranked,
    RankingRule,
    drop_repeated_judgments,
    empty_rankings,
    join_judgments,
    rank_rows,
)
from irev.read.answers import (
    AnsweredTopics,
    AnswerSource,
    NuggetAssignments,
    SupportLabels,
    read_answered_topics,
    read_assignments,
    read_support,
)
from irev.read.columns import map_grades
from irev.read.formats import GRADED, JUDGMENTS, judgments_layout
from irev.read.inputs import stem_of
from irev.read.layout import ITERATIONS, Layout
from irev.read.sniff import has_one_iteration
from irev.read.stream import Source, read_all, sha256_of, take_lines
from irev.read.topics import grouped_rows

if TYPE_CHECKING:
    from irev.rank.ties import SeveralOrders, TieGroupCounts


_FEW_ROWS = 1 << 14
"""Parts with fewer judged documents are measured together: most of their cost is NumPy's calls."""


@record
class RunPart:
    """What became of some topics of a run: measured already, or to be measured with others.

    lists            int64[T], the judged list of each ranking
    unjudged_topics  the topics of the run that the qrels do not have
    judged_counts    how much of the rankings is judged; None: nobody counted
    waiting          the rankings, where they are to be measured
    values           None: to be measured
    ties             the tie groups of each list, where several orders of them were looked at
    repeats          how many repeated lines were left out, by topic, where only first lines count
    emptied          int64[], the lists of rankings of which the options left no document
    """

    lists: Ints
    unjudged_topics: Sequence[bytes]
    judged_counts: JudgedCounts | None = None
    waiting: Judged | None = None
    values: MeasuredValues | None = None
    ties: TieGroupCounts | None = None
    repeats: dict[bytes, int] | None = None
    emptied: ListIndices | None = None


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
        lists, topics = ranked.lists, ranked.unjudged_topics
        emptied = None if ranked.num_ret.all() else lists[ranked.num_ret == 0]
        if isinstance(view, Judged) and len(view.topic) < _FEW_ROWS:
            return RunPart(lists, topics, counts, view, emptied=emptied)
        values = self._measure_ranked(ranked, view)
        return RunPart(lists, topics, counts, values=values, emptied=emptied)

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
        answers = read_judged_answers(
            source, qrels_format, sign=sign, unknown_labels=options.unknown_labels
        )
        return PreparedJudgments(
            answers.judgments(options.settings),
            requests,
            _ranking_rule(qrels_format, requests, options),
            digests={"qrels": answers.sha256},
            notices=answers.warnings(),
            answers=answers,
        )
    grade_map, keep = tuple(options.grade_map), options.duplicates_qrels
    repeated: list[_NumRepeated] = []
    heads: list[bytes] = []

    def layout(head: bytes = b"") -> Layout:
        heads.append(head)
        return judgments_layout(
            qrels_format,
            head,
            real_grades=options.reads_fractions,
            decimal_comma=options.decimal_comma,
            columns=options.qrels_columns,
            may_repeat=keep != "error",
            needs_documents=options.no_relevant == "answer",
        )

    def is_repetition_of_one() -> bool:
        # of several subtopics the same document is no repetition
        return keep != "error" or qrels_format != "qrels" or has_one_iteration(heads[-1])

    lists_step = judged_lists_step(
        qrels_format,
        single_precision=options.ranking_rule(qrels_format).single_precision,
        keep=keep,
        repeated=repeated,
        may_be_one=is_repetition_of_one,
    )

    def step(rows: Rows) -> Any:
        if grade_map:
            rows = replace(rows, value=map_grades(rows.value, grade_map))
        return lists_step(rows)

    results = map_topics(source, layout, step, threads, sign=sign)
    prepared = _prepare(qrels_format, results.results, requests, options)
    notices = tuple(notice._replace(run=str(source)) for notice in results.notices)
    notices += tuple(_repeated_judgment_notices(repeated, keep))
    return replace(
        prepared,
        digests={"qrels": results.sha256, **prepared.digests},
        notices=(*prepared.notices, *notices),
    )


_NumRepeated = tuple[dict[bytes, int], dict[bytes, int]]
"""How many judgments were left out since they repeat another, and since they differ, by topic."""

_LIST_FIELDS = ("group", "subgroup", "subtopic")
"""What tells judged lists of a topic apart, in each of which a document stands once."""


def _repeated_judgment_notices(repeated: Sequence[_NumRepeated], keep: str) -> Iterator[Notice]:
    """What is said of judgments that were left out: those alike by the way, others as a warning."""
    for at, kind in enumerate(("repeated-judgments", "left-out-judgments")):
        by_topic = {topic: count for part in repeated for topic, count in part[at].items()}
        total = sum(by_topic.values())
        if not total:
            continue
        is_alike = kind == "repeated-judgments"
        if total == 1:
            what = "repeats another and counts once" if is_alike else "differs from another"
            message = f"1 judgment {what}"
        else:
            what = "repeat others and count once" if is_alike else "differ from others"
            message = f"{total:,} judgments {what}"
        if not is_alike:
            words = {"max": "highest grade", "min": "lowest grade"}
            message += f" of the document: only the {words.get(keep, keep)} counts"
        where = f"in {count_text(len(by_topic), 'topic')}: {shortened_list([*by_topic], 5)}"
        yield Notice(kind, f"{message}, {where}")


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
    from irev.measures.unjudged import add_upper_bounds, highest_grade

    return add_upper_bounds(requests, highest_grade(qrels, options.defaults))


def judged_lists_step(
    qrels_format: str,
    *,
    single_precision: bool = False,
    keep: str = "error",
    repeated: list[_NumRepeated] | None = None,
    may_be_one: Callable[[], bool] = lambda: True,
) -> Step[Any]:
    """What becomes of some topics of judgments of a format before all are joined.

    Judgments that are repeated alike are one; of such as differ that counts which `keep` says, a
    word of `Options.duplicates_qrels`. How many were left out is added to `repeated`. Where they
    may not be one, `may_be_one` says so.
    """
    lists_step = _lists_step(qrels_format, single_precision=single_precision)
    # a run that is only checked has no such format
    if qrels_format not in JUDGMENTS:
        return lists_step
    group_fields = JUDGMENTS[qrels_format].layouts[-1].ids[1:]
    list_groups = [at for at, name in enumerate(group_fields) if name in _LIST_FIELDS]

    def step(rows: Rows) -> Any:
        try:
            return lists_step(rows)
        except DuplicatesError:
            if not may_be_one():
                raise
            rows, *num_repeated = drop_repeated_judgments(rows, list_groups, keep)
            lists = lists_step(rows)
            if repeated is not None:
                repeated.append((num_repeated[0], num_repeated[1]))
            return lists

    return step


def _lists_step(qrels_format: str, *, single_precision: bool) -> Step[Any]:
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


# --- Judgments of the answers of runs, where the judgments hold the runs ---
# A run is a file of answers, of which irev looks at the run's name and the topics, or that name.
# What was judged of an answer stands for documents: a nugget of the topic is a document that every
# answer retrieves, with its label as the score; a citation is a document that its answer alone
# retrieves, with its label as the grade.


ItemNumbers = dict[bytes, float]
"""Nugget or citation -> its grade, or its score."""


class JudgedAnswers:
    """What was judged of the answers of runs."""

    def __init__(self, labels: NuggetAssignments | SupportLabels) -> None:
        self.path, self.sha256 = labels.path, labels.sha256
        self.topics_of_run: dict[str, frozenset[bytes]] = {
            run: frozenset(topics) for run, topics in labels.labels.items()
        }

    @property
    def run_names(self) -> list[str]:
        """The runs that were judged."""
        return sorted(self.topics_of_run)

    def is_run_name(self, text: str) -> bool:
        """Whether it is the name of a run that was judged, and of no file."""
        return text in self.topics_of_run and text != "-" and not os.path.lexists(text)

    def warnings(self) -> tuple[Notice, ...]:
        """What is doubtful about the judgments."""
        return ()

    def facts(self) -> dict[str, int]:
        """How much was judged."""
        return {"runs": len(self.topics_of_run)}

    def judgments(self, settings: Settings) -> Judgments:
        """What measures see of answers."""
        raise NotImplementedError

    def run_rows(self, run_name: str) -> Rows:
        """What stands for the documents that a run retrieves."""
        raise NotImplementedError

    def label_qrels_by_run_and_item(self) -> Qrels:
        """The labels of all runs as grades 2, 1 and 0, for comparison with another judge's."""
        raise NotImplementedError

    def run_notes(self, run_name: str) -> tuple[Notice, ...]:
        """What a reader must know of the labels of a run."""
        return ()


class NuggetAnswers(JudgedAnswers):
    """Answers by the nuggets that they hold."""

    def __init__(self, assignments: NuggetAssignments) -> None:
        super().__init__(assignments)
        self._assignments = assignments

    def warnings(self) -> tuple[Notice, ...]:
        """That a model gave no label, or one of its own, and that a nugget is there twice."""
        judged = self._assignments
        num_failed, num_made_up = judged.num_failed, sum(judged.made_up.values())
        grades = [grade for nuggets in judged.grades.values() for grade in nuggets.values()]
        num_unrated, num_repeated = grades.count(NO_IMPORTANCE), sum(judged.repeated.values())
        told = []
        if num_failed:
            message = f"{count_text(num_failed, 'assignment')} failed: counted as not_support"
            told.append(("failed-assignments", message))
        if num_made_up:
            words = shortened_list([f"'{word}'" for word in sorted(judged.made_up)])
            what = "not_support, or as failed importance"
            message = f"{count_text(num_made_up, 'unknown label')} counted as {what}: {words}"
            told.append(("unknown-label", message))
        if num_unrated:
            message = f"{count_text(num_unrated, 'nugget')} of failed importance: counted among "
            told.append(("failed-importance", f"{message}all nuggets alone (A, not V and W)"))
        if num_repeated:
            they = (
                "repeats another of its topic, and counts"
                if num_repeated == 1
                else ("repeat others of their topics, and count")
            )
            topics = shortened_list([*map(id_text, sorted(judged.repeated))], 10)
            message = f"{count_text(num_repeated, 'nugget')} {they} too: {topics}"
            told.append(("repeated-nugget", message))
        return tuple(Notice(kind, message, run=self.path) for kind, message in told)

    @property
    def topics_without_vital(self) -> list[bytes]:
        """The topics of which no nugget is vital: V is 0 there."""
        grades = self._assignments.grades
        return sorted(topic for topic in grades if VITAL not in grades[topic].values())

    def facts(self) -> dict[str, int]:
        """How many runs, nuggets and labels there are."""
        grades = [g for topic in self._assignments.grades.values() for g in topic.values()]
        return {
            **super().facts(),
            "nuggets": len(grades),
            "vital": grades.count(VITAL),
            "failed": self._assignments.num_failed,
        }

    def judgments(self, settings: Settings) -> Judgments:
        """The nuggets, with grade 2 where they are vital and 1 where okay."""
        return GradedJudgments(_qrels(self._assignments.grades), settings)

    def run_rows(self, run_name: str) -> Rows:
        """The nuggets of the topics, with the labels of a run."""
        return _rows(self._assignments.labels[run_name])

    def label_qrels_by_run_and_item(self) -> Qrels:
        """A document for each run and nugget."""
        return _qrels_of_runs(
            {
                run: {
                    topic: {
                        nugget: NO_LABEL if label == NO_LABEL else 2 * label
                        for nugget, label in labels.items()
                    }
                    for topic, labels in topics.items()
                }
                for run, topics in self._assignments.labels.items()
            }
        )


class SupportedAnswers(JudgedAnswers):
    """Answers by whether their citations support what they say."""

    def __init__(self, labels: SupportLabels) -> None:
        super().__init__(labels)
        self._labels = labels
        # the number of a citation: sentence, and position there; 0: a sentence without citations
        self._citations: dict[str, dict[bytes, ItemNumbers]] = {
            run: {topic: _grades_of_citations(labels) for topic, labels in topics.items()}
            for run, topics in labels.labels.items()
        }

    def facts(self) -> dict[str, int]:
        """How many runs, sentences and citations there are."""
        answers = [labels for topics in self._labels.labels.values() for labels in topics.values()]
        citations = [label for answer in answers for sentence in answer for label in sentence]
        return {
            **super().facts(),
            "sentences": sum(map(len, answers)),
            "citations": len(citations),
            "judged_citations": sum(label != NO_LABEL for label in citations),
        }

    def judgments(self, settings: Settings) -> Judgments:
        """The citations of all runs, with their grades, and their sentences."""
        qrels = self.label_qrels_by_run_and_item()
        # behind the run's name stands `sentence.position`
        numbers = [
            [*map(int, name.rpartition(b" ")[2].split(b"."))] for name in qrels.docs.to_list()
        ]
        sentence, position = np.array(numbers, np.int64).reshape(-1, 2).T
        return SupportJudgments(qrels, sentence, position, settings)

    def run_rows(self, run_name: str) -> Rows:
        """The citations of a run, in the order of the text."""
        return _rows(
            {
                topic: {
                    as_bytes(run_name) + b" " + citation: float(len(grades) - place)
                    for place, citation in enumerate(grades)
                }
                for topic, grades in self._citations[run_name].items()
            }
        )

    def label_qrels_by_run_and_item(self) -> Qrels:
        """A document for each citation of each run."""
        return _qrels_of_runs(self._citations)

    def run_notes(self, run_name: str) -> tuple[Notice, ...]:
        """How many citations were judged, and how many answers have none."""
        answers = self._labels.labels[run_name].values()
        labels = [label for answer in answers for sentence in answer for label in sentence]
        num_judged = sum(label != NO_LABEL for label in labels)
        lines = []
        if num_judged < len(labels):
            lines.append(
                f"{num_judged} of {count_text(len(labels), 'citation')} were judged: the others "
                "are left out"
            )
        num_uncited = sum(
            all(label == NO_LABEL for sentence in answer for label in sentence)
            for answer in answers
        )
        if num_uncited:
            lines.append(
                f"{count_text(num_uncited, 'answer')} without a judged citation "
                f"{'counts' if num_uncited == 1 else 'count'} 0"
            )
        return tuple(Notice("unjudged-citations", line) for line in lines)


def read_judged_answers(
    qrels: Any,
    qrels_format: str,
    *,
    sign: bool = False,
    unknown_labels: Literal["error", "not_support"] = "error",
) -> JudgedAnswers:
    """The judgments of the answers of all runs.

    Raises:
        UsageError: they are neither a file nor the objects of its lines.
        InputError: they cannot be read as such.
    """
    source: AnswerSource
    if isinstance(qrels, Source):
        source, run_name = qrels, stem_of(os.path.basename(qrels.path))
    elif isinstance(qrels, str | os.PathLike):
        source = os.fspath(qrels)
        run_name = stem_of(os.path.basename(source))
    elif isinstance(qrels, Iterable) and not isinstance(qrels, Mapping | bytes):
        source, run_name = qrels, "run"
    else:
        raise UsageError(
            f"-R {qrels_format}: give the path of a file, or a list of the objects of its lines"
        )
    if "support" in JUDGMENTS[qrels_format].gives:
        return SupportedAnswers(read_support(source, run_name, sign=sign))
    return NuggetAnswers(
        read_assignments(source, run_name, sign=sign, unknown_labels=unknown_labels)
    )


def map_answers(
    judged: JudgedAnswers, run: Input, step: Step[Any], *, sign: bool
) -> InputResults[Any]:
    """What a step makes of a run: a file of answers, or the name of a run that was judged."""
    run_name, answers = _run_and_answers(judged, run, sign=sign)
    warnings = judged.run_notes(run_name)
    topics = set() if answers is None else {*answers.topics}
    without_labels = sorted(topics - judged.topics_of_run[run_name])
    if without_labels:
        have, counts = ("has", "counts") if len(without_labels) == 1 else ("have", "count")
        message = f"{count_text(len(without_labels), 'answer')} {have} no assignments and {counts}"
        shown_topics = shortened_list(without_labels, 10)
        warnings = (Notice("unlabelled-answer", f"{message} as missing: {shown_topics}"), *warnings)
    # there is no line of a run: this one is made up for its sixth field, the tag (`InputResults`)
    last = b"0 0 0 0 0 " + b"_".join(as_bytes(run_name).split())
    sha256 = None if answers is None else answers.sha256
    return InputResults([step(judged.run_rows(run_name))], last, sha256, warnings)


def _run_and_answers(
    judged: JudgedAnswers, run: Input, *, sign: bool
) -> tuple[str, AnsweredTopics | None]:
    """Which of the judged runs an input is, and its answers, if these are a file."""
    if not isinstance(run, str | os.PathLike | Source):
        raise UsageError("a run is a file of answers, or the name of a run in QRELS")
    path = run.path if isinstance(run, Source) else os.fspath(run)
    if not isinstance(run, Source) and judged.is_run_name(path):
        return path, None
    runs_text = f"the runs of {judged.path} are {shortened_list(judged.run_names)}"
    if not isinstance(run, Source) and path != "-" and not os.path.lexists(path):
        message = f"there is no file and no judged run of this name; {runs_text}"
        raise InputError([Problem(path, None, "no-file", message)])
    answers = read_answered_topics(run if isinstance(run, Source) else path, sign=sign)
    run_name = answers.run_id or stem_of(os.path.basename(path))
    if run_name not in judged.topics_of_run:
        message = f"no answer of run '{run_name}' is judged; {runs_text}"
        raise InputError([Problem(path, None, "nothing-judged", message)])
    return run_name, answers


def _grades_of_citations(labels: Sequence[Sequence[float]]) -> ItemNumbers:
    """The citations of an answer, `sentence.position`; a sentence without has one at position 0."""
    grades: ItemNumbers = {}
    for sentence, of_sentence in enumerate(labels, 1):
        if not of_sentence:
            grades[b"%d.0" % sentence] = NO_LABEL
        for position, label in enumerate(of_sentence, 1):
            grades[b"%d.%d" % (sentence, position)] = label
    return grades


def _qrels_of_runs(grades: Mapping[str, Mapping[bytes, ItemNumbers]]) -> Qrels:
    """What was judged of each run, as documents of the topics."""
    by_topic: dict[bytes, ItemNumbers] = {}
    for run, topics in grades.items():
        for topic, items in topics.items():
            of_topic = by_topic.setdefault(topic, {})
            for item, grade in items.items():
                of_topic[as_bytes(run) + b" " + item] = grade
    return _qrels(by_topic)


def _qrels(grades: Mapping[bytes, ItemNumbers]) -> Qrels:
    return assemble_qrels([one_list_per_topic_and_group(_rows(grades))])


def _rows(numbers_by_topic: Mapping[bytes, ItemNumbers]) -> Rows:
    """Nuggets or citations of topics as rows."""
    topics = [*numbers_by_topic]
    return Rows(
        topics,
        offsets([len(numbers_by_topic[topic]) for topic in topics]),
        ids_from_bytes([item for topic in topics for item in numbers_by_topic[topic]]),
        np.array([n for topic in topics for n in numbers_by_topic[topic].values()], np.float64),
    )
