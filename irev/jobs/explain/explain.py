"""`irev.explain`: how the scores of one topic come about."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

import numpy as np

from irev.core.job import job
from irev.core.judged import Column, Input, Settings, asked_order
from irev.core.option_records import Opt
from irev.core.record import record
from irev.core.text import as_bytes, as_text, printable
from irev.core.version import __version__
from irev.engine.evaluate import RunEvaluator
from irev.engine.score_warnings import is_of_empty_run
from irev.errors import InputError, IrevError, MismatchError, UsageError, note
from irev.jobs.explain.details import DIVISORS, HEADINGS, CellsByHeading, TracedRanking
from irev.jobs.explain.topic import RankedTopic, ranked_topic, ranked_topics, values_of_beginnings
from irev.jobs.result import Result
from irev.measures.naming.grammar import measure_names
from irev.measures.registry import Fractions, Measure
from irev.options import PREDICTED, EvaluationOptions, Options, tuple_of_ids
from irev.rank.judgments import ClassJudgments, SampleJudgments
from irev.writers.document import Document, Head, Heading, Lines, Records, Table, rounded_text
from irev.writers.machine import finite_or_none, signature_data

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    import numpy.typing as npt

    from irev.core.arrays import Floats, RankIndices
    from irev.core.judged import Inclusions, Strata
    from irev.measures.requests import Request
    from irev.scores.scores import Scores
    from irev.scores.signature import Signature
    from irev.writers.document import Part


# --- What is explained, and how much is shown of it ---


class ExplainOptions(EvaluationOptions):
    """The choices of an explanation; which topics are averaged over plays no part."""

    without: ClassVar[Sequence[str]] = (
        "topics", "no_relevant", "only_topic", "pool", "tie_range", "seed", "residuals",
        "judged_shares", "duplicates", "classes", "weights", "threads",
        *PREDICTED,
    )  # fmt: skip

    topic: Annotated[str | bytes | int | None, Opt(
        "-t", "--topic", metavar="TOPIC",
        help="Topic to explain. Default: the one with the worst value of the first measure, of "
        "those with a relevant document.",
    )] = None  # fmt: skip
    every_rank: Annotated[bool, Opt(
        "-a", "--all",
        help="Show every rank, including those after the last change and long stretches of "
        "unjudged documents.",
    )] = False  # fmt: skip

    @property
    def topic_id(self) -> bytes | None:
        """The topic as files have it."""
        topic = str(self.topic) if isinstance(self.topic, int) else self.topic
        return None if topic is None else as_bytes(*tuple_of_ids("topic", [topic]))


# --- How scores of a topic come about: one record for each column that was asked for ---


Cell: TypeAlias = float | int | str | None


@record(eq=True)
class Fact:
    """Something that holds for the whole ranking: the divisor, the ideal list, a count."""

    name: str
    value: Cell
    meaning: str = ""


@record(eq=True)
class ExplainedScore:
    """How one column's value for one topic comes about.

    `columns` has a list for each heading, a cell for each rank: `rank`, `document`, `score`,
    `grade` (None: not in the qrels; negative: pooled but not judged), what the formula of the
    measure speaks of, `adds` and `value`. `value` is the value of the ranking if it ended there;
    `adds` is by how much it exceeds the one before (None where either is infinite). `start` is the
    value of an empty ranking. `start` and all of `adds` together are `score`.
    """

    name: str
    measure: Measure
    topic: str
    score: float
    start: float
    columns: CellsByHeading
    facts: tuple[Fact, ...]
    cutoff: int | None = None


class Explainer:
    """Explains the values of measures for topics of runs, given the judgments."""

    def __init__(
        self,
        qrels: Input,
        measures: Sequence[str],
        options: Options,
        qrels_format: str,
        *,
        is_signed: bool = False,
    ) -> None:
        """Read the judgments.

        `qrels_format` is what they hold; `is_signed`: whether the scores of runs are signed.
        """
        if options.several_orders:
            raise UsageError("irev explain needs one order of ties, not all of them")
        self.evaluator = evaluator = RunEvaluator(
            qrels, measures, options, qrels_format=qrels_format, sign=is_signed
        )
        self.ranking = options.ranking_rule(qrels_format)
        self._requested_columns = [
            (request, column_index, column)
            for request in evaluator.requests
            for column_index, column in enumerate(request.columns)
        ]
        columns = [column for *_, column in self._requested_columns]
        self._explained_indices = [n for n in asked_order(columns) if _has_number(columns[n])]
        if not self._explained_indices:
            names = ", ".join(column.name for _, _, column in self._requested_columns)
            raise UsageError(f"{names}: no value for a topic, so there is nothing to explain")
        prepared_judgments = evaluator.prepared_judgments
        highest_grade = float(prepared_judgments.qrels.level_grade.max(initial=0))
        judgments = prepared_judgments.judgments
        self._is_graded = not isinstance(judgments, ClassJudgments)
        self._sample = judgments.sample if isinstance(judgments, SampleJudgments) else None
        self._settings, self._highest_grade = options.settings, highest_grade

    def explain(self, ranking: RankedTopic) -> list[ExplainedScore]:
        """An explanation for each column that has a number for a topic."""
        values = values_of_beginnings(ranking, self.evaluator.prepared_judgments)
        is_plain = len(ranking.grade) == 1 and self._is_graded
        topic_index = self.evaluator.prepared_judgments.qrels.topic_index[ranking.rows.topics[0]]
        view = _SharedView(self._settings, self._highest_grade, is_plain, topic_index, self._sample)
        return [
            _explain_column(*self._requested_columns[n], ranking, values[:, n], view)
            for n in self._explained_indices
        ]

    def scores(self, run: Input) -> Scores:
        """The scores of all topics of a run."""
        ((_, outcome),) = self.evaluator.outcomes([run])
        if isinstance(outcome, InputError) and is_of_empty_run(outcome):
            # whatever counts, there is no topic to explain
            raise InputError([problem._replace(hint="") for problem in outcome.problems])
        if isinstance(outcome, IrevError):
            raise outcome
        return outcome

    def worst_topic_id(self, scores: Scores) -> bytes:
        """The topic with the worst value of the first measure, of equal ones the first.

        Topics without a relevant document are passed over: there is nothing to explain.
        """
        request, _, column = self._requested_columns[self._explained_indices[0]]
        values = scores.values[:, [each.name for each in scores.columns].index(column.name)]
        topics_without_relevant = set(scores.account.without_relevant)
        is_empty = np.array([topic in topics_without_relevant for topic in scores.topics])
        values = np.where(is_empty, np.nan, values)
        if np.isnan(values).all():
            missing = "a relevant document" if is_empty.all() else f"a value of {column.name}"
            raise MismatchError(f"no topic has {missing}: name one with -t")
        is_worse_higher = request.measure.higher_is_better is False
        return scores.topics[int(np.nanargmin(-values if is_worse_higher else values))]

    def topics(self, run: Input, topic_ids: Container[bytes]) -> dict[bytes, list[ExplainedScore]]:
        """The explanations of some topics of a run, without those that it lacks."""
        rankings, _ = ranked_topics(run, self.evaluator, self.ranking, topic_ids)
        return {each.rows.topics[0]: self.explain(each) for each in rankings}


def _has_number(column: Column) -> bool:
    return column.per_topic and column.kind != "text"


@record(eq=True)
class _SharedView:
    """What all explanations of a call share."""

    settings: Settings
    highest_grade: float
    """The highest grade of the qrels."""
    is_plain: bool
    """Whether a document has one grade, whatever stands before it."""
    topic_index: int
    """The index of the topic in the qrels."""
    sample: Strata | Inclusions | None
    """How the judgments were drawn, where that is known."""


def _explain_column(
    request: Request,
    index_in_request: int,
    column: Column,
    ranking: RankedTopic,
    values_by_length: Floats,
    view: _SharedView,
) -> ExplainedScore:
    columns: CellsByHeading = {
        "rank": list(range(1, len(ranking.order) + 1)),
        "document": [as_text(document) for document in ranking.documents],
        "score": list(ranking.score.tolist()),
        **_grade_columns_by_list(ranking, has_preferences=request.measure.needs == "prefs"),
    }
    cutoff = _column_cutoff(request, index_in_request)
    facts = [Fact("retrieved", len(ranking.order), "documents in the ranking")]
    if view.is_plain and request.measure.needs in ("qrels", "any"):
        traced, rank_indices = _trace_ranking(request, cutoff, ranking, view)
        for heading in request.measure.shows:
            cells = _numbers(HEADINGS[heading](traced))
            columns[heading] = _cells_by_rank(cells, rank_indices, len(ranking.order))
        facts += _measure_facts(request.measure, traced)
    elif view.is_plain and view.sample and request.measure.needs in ("strata", "prels"):
        sample_columns, terms = _sample_columns_and_facts(
            request, cutoff, ranking, view, view.sample
        )
        columns |= sample_columns
        facts += terms
    columns["adds"] = _increases(values_by_length)
    columns["value"] = _numbers(values_by_length[1:])
    return ExplainedScore(
        column.name, request.measure, as_text(ranking.rows.topics[0]), float(values_by_length[-1]),
        float(values_by_length[0]), columns, tuple(facts),
        cutoff if isinstance(cutoff, int) else None,
    )  # fmt: skip


def _grade_columns_by_list(ranking: RankedTopic, *, has_preferences: bool) -> CellsByHeading:
    """The grade of each rank, in a column for each judged list; of preferences yes or no."""
    if has_preferences:
        return {"judged": ["yes" if grade >= 0 else "no" for grade in ranking.grade[0].tolist()]}
    shown: list[list[Cell]] = [
        # the codes of the engine in the terms of a qrels file
        [None if grade == -1 else -1 if grade < 0 else grade for grade in _numbers(grades)]
        for grades in ranking.grade
    ]
    if len(shown) == 1:
        return {"grade": shown[0]}
    return {f"grade {number}": grades for number, grades in enumerate(shown, 1)}


def _trace_ranking(
    request: Request, cutoff: float | None, ranking: RankedTopic, view: _SharedView
) -> tuple[TracedRanking, RankIndices]:
    """The ranking as the measure sees it, and which of the ranks those are."""
    grades, arguments, least_grade = ranking.grade[0], request.arguments, -math.inf
    level = view.settings.level if arguments.level is None else arguments.level
    rank_indices = np.flatnonzero(grades >= 0) if arguments.condensed else np.arange(len(grades))
    if not request.measure.position:
        least_grade = level if request.measure.relevant_gains else arguments.level or 0
    traced = TracedRanking(
        grades[rank_indices],
        ranking.ideal[0],
        level,
        least_grade,
        cutoff,
        arguments,
        view.highest_grade,
    )
    return traced, rank_indices


def _sample_columns_and_facts(
    request: Request,
    cutoff: float | None,
    ranking: RankedTopic,
    view: _SharedView,
    sample: Strata | Inclusions,
) -> tuple[CellsByHeading, list[Fact]]:
    """The columns and the facts of a measure of samples."""
    from irev.jobs.explain.details import sampled_terms

    traced, rank_indices = _trace_ranking(request, cutoff, ranking, view)
    depth = cutoff if isinstance(cutoff, int) else view.settings.depth
    if request.measure.needs == "strata":
        rank_indices = rank_indices[:depth]
        traced = replace(traced, grades=traced.grades[:depth])
    sample_columns, terms = sampled_terms(
        request.measure.shows,
        traced,
        ranking.qrels_row[0][rank_indices],
        view.topic_index,
        sample,
        depth,
    )
    num_ranks = len(ranking.order)
    columns = {
        heading: _cells_by_rank(
            [_int_if_whole(cell) if isinstance(cell, float) else cell for cell in cells],
            rank_indices,
            num_ranks,
        )
        for heading, cells in sample_columns.items()
    }
    return columns, [Fact(name, _int_if_whole(value), meaning) for name, value, meaning in terms]


def _column_cutoff(request: Request, index_in_request: int) -> float | None:
    """Where a column is cut, at a rank or at a level of recall."""
    if isinstance(request.measure.parameter, Fractions):
        return None
    return request.cutoff(index_in_request)


def _cells_by_rank(cells: Sequence[Any], rank_indices: RankIndices, num_ranks: int) -> list[Cell]:
    """One cell for each rank; None where the measure does not see the document."""
    if len(rank_indices) == num_ranks:
        return [*cells]
    by_rank: list[Cell] = [None] * num_ranks
    for rank_index, cell in zip(rank_indices.tolist(), cells, strict=True):
        by_rank[rank_index] = cell
    return by_rank


def _int_if_whole(value: float) -> float | int:
    """A whole number as such."""
    return int(value) if math.isfinite(value) and value == int(value) else value


def _numbers(values: npt.NDArray[Any]) -> list[Any]:
    """Values as a list, whole numbers as such; quick where all are small ones."""
    numbers: list[Any] = values.tolist()
    if values.dtype != np.float64:
        return numbers
    whole = np.isfinite(values) & (values == np.floor(values))
    if whole.all() and (np.abs(values) < 2**53).all():
        numbers = values.astype(np.int64).tolist()
    else:
        for index in np.flatnonzero(whole).tolist():
            numbers[index] = int(numbers[index])
    return numbers


def _increases(values: Floats) -> list[Cell]:
    """By how much each value exceeds the one before; None where one of them is not finite."""
    is_known = np.isfinite(values[1:]) & np.isfinite(values[:-1])
    before, after = (np.where(is_known, each, 0.0) for each in (values[:-1], values[1:]))
    increases = _numbers(after - before)
    for index in np.flatnonzero(~is_known).tolist():
        increases[index] = None
    return increases


def _measure_facts(measure: Measure, traced: TracedRanking) -> list[Fact]:
    relevant = int(traced.relevant.sum())
    facts = [
        Fact("relevant", traced.num_relevant, f"documents graded {traced.level} or higher"),
        Fact("relevant retrieved", relevant, "of these"),
        Fact(
            "judged non-relevant",
            len(traced.ideal_grades) - traced.num_relevant,
            "documents of the qrels",
        ),
        Fact("ideal list", _gain_counts(traced.ideal_gain), "the positive gains, highest first"),
    ]
    if measure.divisor:
        divisor, meaning = DIVISORS[measure.divisor](traced)
        facts.append(Fact("divisor", _int_if_whole(divisor), meaning))
    return facts


def _gain_counts(gains: Floats) -> str:
    """Gains, each with how often it occurs: `3 x 2, 1 x 4`."""
    levels, counts = np.unique(gains, return_counts=True)
    pairs = zip(levels.tolist()[::-1], counts.tolist()[::-1], strict=True)
    return ", ".join(f"{gain:g} x {count}" for gain, count in pairs) or "empty"


# --- `irev.explain`: how the scores of one topic come about ---


@record
class Explanation(Result):
    """How the scores of one topic come about, rank by rank; `to_frame()` has a row for each."""

    topic: str
    scores: tuple[ExplainedScore, ...]
    """Of each column that has a number for a topic, in the order asked."""
    signature: Signature | None
    """Of the evaluation; None where there is something in memory, which has no hash."""
    every_rank: bool

    shown_by: ClassVar[str] = "irev.jobs.explain.explain:explanation_document"

    def _subject(self) -> str:
        return f"{', '.join(each.name for each in self.scores)} of topic {self.topic}"


@job(ExplainOptions)
def explain(
    qrels: Input, run: Input, measures: object = ("map",), *, options: ExplainOptions
) -> Explanation:
    """Show how the score of one topic is computed, rank by rank: `irev explain`.

    Args:
        qrels: judgments, as `irev.evaluate` takes them.
        run: the run.
        measures: names as `irev.evaluate` takes them.
        options: the record `ExplainOptions`, whose fields are keywords, too.

    Returns:
        The ranks: `to_frame()` has a row for each, `scores` the whole by measure.

    Raises:
        TypeError: there is no such option.
        UsageError: an option that makes no sense; no measure has a number for a topic.
        InputError: an input that cannot be read.
        MismatchError: a topic that the judgments lack.

    Warns:
        IrevWarning: scores of the run may mislead, for instance since no document is judged.
    """
    topic_id = options.topic_id
    paths = [os.fspath(each) for each in (qrels, run) if isinstance(each, str | os.PathLike)]
    if topic_id is None and "-" in paths:
        raise UsageError("standard input (-) cannot be read twice: name a topic with -t")
    options.load_plugins()
    is_signed = len(paths) == 2 and all(
        os.path.isfile(path) or os.path.isdir(path) for path in paths
    )
    explainer = Explainer(
        qrels,
        measure_names(measures),
        options.base_record(Options),
        options.qrels_format,
        is_signed=is_signed,
    )
    scores = explainer.scores(run) if topic_id is None else None
    notes = []
    if scores is not None:
        topic_id = explainer.worst_topic_id(scores)
    ranking, warnings = ranked_topic(run, explainer.evaluator, topic_id or b"", explainer.ranking)
    explained = tuple(explainer.explain(ranking))
    if scores is not None:
        notes.append(note(
            f"showing topic {printable(explained[0].topic)}, which has the worst "
            f"{explained[0].name}; choose another with -t"
        ))  # fmt: skip
    elif is_signed:
        # of a run that was not scored yet
        scores = explainer.scores(run)
    signature = None if scores is None else scores.signature
    return Explanation(
        as_text(topic_id or b""), explained, signature, options.every_rank,
        warnings=(*warnings, *notes),
    )  # fmt: skip


# --- Explanations as a document ---


SHORTEST_GAP = 4
"""Fewer documents without a judgment that change nothing are shown as they are."""


def explanation_document(explanation: Explanation, decimals: int) -> Document:
    """A table for each score; for machines every rank in full precision."""
    scores, signature = explanation.scores, explanation.signature
    return Document(
        "How scores come about",
        score_parts(scores, signature, decimals, every_rank=explanation.every_rank),
        _rank_records(scores),
        partial(_all_data, scores, signature),
    )


def score_parts(
    explanations: Sequence[ExplainedScore],
    signature: Signature | None,
    decimals: int,
    *,
    every_rank: bool,
) -> Iterator[Part]:
    """A heading, a table and what stands below it for each explanation, then the signature.

    Unless `every_rank`, a table ends where the value changes for the last time, and longer
    stretches of documents without a judgment that change nothing are told in one line.
    """
    for explanation in explanations:
        measure = explanation.measure
        score = _number_text(explanation.score, decimals)
        title = f"{explanation.name} of topic {explanation.topic}: {score}"
        yield Heading(title, below=f"{measure.name} = {measure.formula}")
        yield _score_table(explanation, decimals, every_rank)
        yield Lines(list(_fact_lines(explanation, decimals)))
    if signature is not None:
        yield Lines([signature.short], listed=False)


def _score_table(explanation: ExplainedScore, decimals: int, every_rank: bool) -> Table:
    headings = list(explanation.columns)
    num_ranks = len(explanation.columns["rank"])
    shown: Iterable[int | str]
    shown = range(num_ranks) if every_rank else _shown_rank_indices_and_gaps(explanation)
    rows = [
        ["", each, *[""] * (len(headings) - 2)]
        if isinstance(each, str)
        else [
            _cell_text(heading, cells[each], decimals)
            for heading, cells in explanation.columns.items()
        ]
        for each in shown
    ]
    if explanation.start:
        empty_row = [""] * len(headings)
        empty_row[1], empty_row[-1] = "(nothing)", _number_text(explanation.start, decimals)
        rows.insert(0, empty_row)
    columns = [Head(name, "text" if name == "document" else "number") for name in headings]
    return Table(columns, rows)


def _fact_lines(explanation: ExplainedScore, decimals: int) -> Iterator[str]:
    for fact in explanation.facts:
        value = fact.value if isinstance(fact.value, str) else _number_text(fact.value, decimals)
        meaning = f"  ({fact.meaning})" if fact.meaning else ""
        yield f"{fact.name}: {value}{meaning}"


def _shown_rank_indices_and_gaps(explanation: ExplainedScore) -> Iterator[int | str]:
    """The ranks; and in words what changes nothing, the end and long stretches of unjudged ones."""
    adds = explanation.columns["adds"]
    changing_ranks = [rank_index for rank_index, added in enumerate(adds) if added != 0]
    last_rank_index = max([-1, *changing_ranks, min(explanation.cutoff or 0, len(adds)) - 1])
    grades = [cells for name, cells in explanation.columns.items() if name.startswith("grade")]
    is_silent = [False] * len(adds)
    if grades:
        is_silent = [
            added == 0 and cells.count(None) == len(cells)
            for added, cells in zip(adds, zip(*grades, strict=True), strict=True)
        ]
    rank_index = 0
    while rank_index <= last_rank_index:
        after = rank_index
        while after <= last_rank_index and is_silent[after]:
            after += 1
        if after - rank_index >= SHORTEST_GAP:
            yield f"... {after - rank_index} unjudged"
        else:
            yield from range(rank_index, after)
        yield from range(after, min(after, last_rank_index) + 1)
        rank_index = after + 1
    num_rest = len(adds) - 1 - last_rank_index
    if num_rest:
        yield f"... {num_rest} more"


def _cell_text(heading: str, cell: Cell, decimals: int) -> str:
    """A cell in words: a score has all its digits, and what cannot be said is a dash."""
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    if heading == "score":
        return f"{cell:g}" if cell == float(f"{cell:g}") else repr(cell)
    if heading in ("adds", "value"):
        return _number_text(cell, decimals)
    return str(cell) if isinstance(cell, int) else rounded_text(cell, decimals)


def _number_text(value: float | None, decimals: int) -> str:
    """Whole numbers without decimals; no zero with a sign."""
    if value is None or value != value:
        return "-"
    if isinstance(value, int):
        return str(value)
    return rounded_text(value, decimals)


def _rank_records(explanations: Sequence[ExplainedScore]) -> Iterator[Records]:
    """The ranks; what only some of the measures speak of is empty for the others."""
    names = list(dict.fromkeys(name for each in explanations for name in each.columns))

    def rows() -> Iterator[list[Any]]:
        for each in explanations:
            for row in zip(*each.columns.values(), strict=True):
                cells = dict(zip(each.columns, row, strict=True))
                yield [each.name, each.topic, *(cells.get(name) for name in names)]

    yield Records("ranks", ["measure", "topic", *(n.replace(" ", "_") for n in names)], rows())


def _all_data(
    explanations: Sequence[ExplainedScore], signature: Signature | None
) -> dict[str, Any]:
    """`irev` (the version), `signature` and `explanations`, every rank in full precision.

    An infinite value is null, as is what cannot be said of a document. Bytes that are not UTF-8
    are lone surrogates U+DC80..U+DCFF.
    """
    return {
        "irev": __version__,
        "signature": signature_data(signature),
        "explanations": [_explanation_data(each) for each in explanations],
    }


def _explanation_data(explanation: ExplainedScore) -> dict[str, Any]:
    names = [heading.replace(" ", "_") for heading in explanation.columns]
    return {
        "measure": explanation.name,
        "topic": explanation.topic,
        "formula": explanation.measure.formula,
        "score": finite_or_none(explanation.score),
        "start": finite_or_none(explanation.start),
        "ranks": [
            dict(zip(names, map(finite_or_none, row), strict=True))
            for row in zip(*explanation.columns.values(), strict=True)
        ],
        "facts": {
            fact.name.replace(" ", "_"): finite_or_none(fact.value) for fact in explanation.facts
        },
    }
