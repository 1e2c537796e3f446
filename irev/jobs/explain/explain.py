"""`irev.explain`: how the scores of one topic come about."""

from __future__ import annotations

import math
import os
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

import numpy as np

from irev.core import __version__
from irev.core.arrays import Floats, RankIndices
from irev.core.job import job
from irev.core.judged import Column, Inclusions, Input, Strata, asked_order
from irev.core.option_records import Opt
from irev.core.record import record
from irev.core.text import as_bytes, as_text, printable
from irev.engine.evaluate import RunEvaluator
from irev.engine.map_topics import is_of_empty_run
from irev.errors import InputError, IrevError, MismatchError, UsageError, note
from irev.jobs.explain.topic import (
    DIVISORS,
    HEADINGS,
    CellsByHeading,
    RankedTopic,
    TracedRanking,
    ranked_topic,
    ranked_topics,
    sampled_terms,
    values_of_beginnings,
)
from irev.jobs.result import Result
from irev.measures.naming.grammar import measure_names
from irev.measures.registry import Fractions, Measure
from irev.measures.requests import Request
from irev.options import PREDICTED, EvaluationOptions, Options, tuple_of_ids
from irev.rank.judgments import ClassJudgments, SampleJudgments
from irev.scores.scores import Scores
from irev.scores.signature import Signature
from irev.writers.document import (
    Document,
    Head,
    Heading,
    Lines,
    Part,
    Records,
    Table,
    finite_or_none,
    rounded_text,
    signature_data,
)

if TYPE_CHECKING:
    import numpy.typing as npt


class ExplainOptions(EvaluationOptions):
    """The choices of an explanation; which topics are averaged over plays no part."""

    without: ClassVar[Sequence[str]] = (
        "topics",
        "no_relevant",
        "only_topic",
        "pool",
        "tie_range",
        "seed",
        "residuals",
        "judged_shares",
        "duplicates",
        "classes",
        "weights",
        "threads",
        *PREDICTED,
    )

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
    scores, has_worst = None, topic_id is None
    if topic_id is None:
        scores = explainer.scores(run)
        topic_id = explainer.worst_topic_id(scores)
    ranking, warnings = ranked_topic(run, explainer.evaluator, topic_id, explainer.ranking)
    explained = tuple(explainer.explain(ranking))
    if has_worst:
        worst = (
            f"showing topic {printable(explained[0].topic)}, which has the worst "
            f"{explained[0].name}; choose another with -t"
        )
        warnings = (*warnings, note(worst))
    elif is_signed:
        scores = explainer.scores(run)
    signature = None if scores is None else scores.signature
    return Explanation(
        as_text(topic_id), explained, signature, options.every_rank, warnings=warnings
    )


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
        self._explained_indices = [
            index
            for index in asked_order(columns)
            if columns[index].per_topic and columns[index].kind != "text"
        ]
        if not self._explained_indices:
            names = ", ".join(column.name for column in columns)
            raise UsageError(f"{names}: no value for a topic, so there is nothing to explain")
        self._settings = options.settings
        qrels_grades = evaluator.prepared_judgments.qrels.level_grade
        self._highest_grade = float(qrels_grades.max(initial=0))
        judgments = evaluator.prepared_judgments.judgments
        self._is_graded = not isinstance(judgments, ClassJudgments)
        self._sample = judgments.sample if isinstance(judgments, SampleJudgments) else None

    def explain(self, ranking: RankedTopic) -> list[ExplainedScore]:
        """An explanation for each column that has a number for a topic."""
        values = values_of_beginnings(ranking, self.evaluator.prepared_judgments)
        return [
            self._explain_column(*self._requested_columns[n], ranking, values[:, n])
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

    def _explain_column(
        self,
        request: Request,
        index_in_request: int,
        column: Column,
        ranking: RankedTopic,
        values_by_length: Floats,
    ) -> ExplainedScore:
        columns: CellsByHeading = {
            "rank": list(range(1, len(ranking.order) + 1)),
            "document": [as_text(document) for document in ranking.documents],
            "score": list(ranking.score.tolist()),
            **_grade_columns_by_list(ranking, has_preferences=request.measure.needs == "prefs"),
        }
        # a level of recall cuts no ranking
        cuts_by_rank = not isinstance(request.measure.parameter, Fractions)
        cutoff = request.cutoff(index_in_request) if cuts_by_rank else None
        # whether a document has one grade, whatever stands before it
        is_plain = len(ranking.grade) == 1 and self._is_graded
        facts = [Fact("retrieved", len(ranking.order), "documents in the ranking")]
        if is_plain and request.measure.needs in ("qrels", "any"):
            traced, rank_indices = self._trace_ranking(request, cutoff, ranking)
            for heading in request.measure.shows:
                cells = _numbers(HEADINGS[heading](traced))
                columns[heading] = _cells_by_rank(cells, rank_indices, len(ranking.order))
            facts += _measure_facts(request.measure, traced)
        elif is_plain and self._sample and request.measure.needs in ("strata", "prels"):
            sample_columns, terms = self._sample_columns_and_facts(
                request, cutoff, ranking, self._sample
            )
            columns |= sample_columns
            facts += terms
        # by how much each value exceeds the one before; None where one of them is not finite
        is_known = np.isfinite(values_by_length[1:]) & np.isfinite(values_by_length[:-1])
        known = np.where(np.isfinite(values_by_length), values_by_length, 0.0)
        adds: list[Cell] = _numbers(known[1:] - known[:-1])
        for index in np.flatnonzero(~is_known).tolist():
            adds[index] = None
        columns["adds"] = adds
        columns["value"] = _numbers(values_by_length[1:])
        return ExplainedScore(
            column.name,
            request.measure,
            topic=as_text(ranking.rows.topics[0]),
            score=float(values_by_length[-1]),
            start=float(values_by_length[0]),
            columns=columns,
            facts=tuple(facts),
            cutoff=cutoff if isinstance(cutoff, int) else None,
        )

    def _trace_ranking(
        self, request: Request, cutoff: float | None, ranking: RankedTopic
    ) -> tuple[TracedRanking, RankIndices]:
        """The ranking as the measure sees it, and which of the ranks those are."""
        grades, arguments, least_grade = ranking.grade[0], request.arguments, -math.inf
        level = self._settings.level if arguments.level is None else arguments.level
        rank_indices = (
            np.flatnonzero(grades >= 0) if arguments.condensed else np.arange(len(grades))
        )
        if not request.measure.is_trec_evals_alone:
            least_grade = level if request.measure.relevant_gains else arguments.level or 0
        traced = TracedRanking(
            grades[rank_indices],
            ranking.ideal[0],
            level,
            least_grade,
            cutoff,
            arguments,
            self._highest_grade,
        )
        return traced, rank_indices

    def _sample_columns_and_facts(
        self,
        request: Request,
        cutoff: float | None,
        ranking: RankedTopic,
        sample: Strata | Inclusions,
    ) -> tuple[CellsByHeading, list[Fact]]:
        traced, rank_indices = self._trace_ranking(request, cutoff, ranking)
        depth = cutoff if isinstance(cutoff, int) else self._settings.depth
        if request.measure.needs == "strata":
            rank_indices = rank_indices[:depth]
            traced = replace(traced, grades=traced.grades[:depth])
        sample_columns, terms = sampled_terms(
            request.measure.shows,
            traced,
            ranking.qrels_row[0][rank_indices],
            self.evaluator.prepared_judgments.qrels.topic_index[ranking.rows.topics[0]],
            sample,
            depth,
        )
        num_ranks = len(ranking.order)
        columns: CellsByHeading = {}
        for heading, cells in sample_columns.items():
            shown = [_int_if_whole(each) if isinstance(each, float) else each for each in cells]
            columns[heading] = _cells_by_rank(shown, rank_indices, num_ranks)
        facts = [Fact(name, _int_if_whole(value), meaning) for name, value, meaning in terms]
        return columns, facts


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


def _cells_by_rank(cells: Sequence[Any], rank_indices: RankIndices, num_ranks: int) -> list[Cell]:
    """One cell for each rank; None where the measure does not see the document."""
    if len(rank_indices) == num_ranks:
        return [*cells]
    by_rank: list[Cell] = [None] * num_ranks
    for rank_index, cell in zip(rank_indices.tolist(), cells, strict=True):
        by_rank[rank_index] = cell
    return by_rank


def _int_if_whole(value: float) -> float | int:
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


def _measure_facts(measure: Measure, traced: TracedRanking) -> list[Fact]:
    num_nonrelevant = len(traced.ideal_grades) - traced.num_relevant
    # gains of the ideal list, each with how often it occurs: `3 x 2, 1 x 4`
    levels, counts = np.unique(traced.ideal_gain, return_counts=True)
    pairs = zip(levels.tolist()[::-1], counts.tolist()[::-1], strict=True)
    ideal_list = ", ".join(f"{gain:g} x {count}" for gain, count in pairs) or "empty"
    facts = [
        Fact("relevant", traced.num_relevant, f"documents graded {traced.level} or higher"),
        Fact("relevant retrieved", int(traced.relevant.sum()), "of these"),
        Fact("judged non-relevant", num_nonrelevant, "documents of the qrels"),
        Fact("ideal list", ideal_list, "the positive gains, highest first"),
    ]
    if measure.divisor:
        divisor, meaning = DIVISORS[measure.divisor](traced)
        facts.append(Fact("divisor", _int_if_whole(divisor), meaning))
    return facts


# --- Explanations as a document ---


SHORTEST_GAP = 4
"""Fewer documents without a judgment that change nothing are shown as they are."""


def explanation_document(explanation: Explanation, decimals: int) -> Document:
    """A table for each score; for machines every rank in full precision."""
    # what only some of the measures speak of is empty for the others
    names = list(dict.fromkeys(name for each in explanation.scores for name in each.columns))

    def rank_rows() -> Iterator[list[Any]]:
        for each in explanation.scores:
            for row in zip(*each.columns.values(), strict=True):
                cells = dict(zip(each.columns, row, strict=True))
                yield [each.name, each.topic, *(cells.get(name) for name in names)]

    fields = ["measure", "topic", *(name.replace(" ", "_") for name in names)]
    return Document(
        "How scores come about",
        _score_parts(explanation, decimals),
        [Records("ranks", fields, rank_rows())],
        partial(_all_data, explanation),
    )


def _score_parts(result: Explanation, decimals: int) -> Iterator[Part]:
    """A heading, a table and what stands below it for each explanation, then the signature.

    Unless `every_rank`, a table ends where the value changes for the last time, and longer
    stretches of documents without a judgment that change nothing are told in one line.
    """
    for explained in result.scores:
        measure = explained.measure
        score = _number_text(explained.score, decimals)
        title = f"{explained.name} of topic {explained.topic}: {score}"
        yield Heading(title, below=f"{measure.name} = {measure.formula}")
        yield _score_table(explained, decimals, result.every_rank)
        fact_lines = []
        for fact in explained.facts:
            value = fact.value
            if not isinstance(value, str):
                value = _number_text(value, decimals)
            meaning = f"  ({fact.meaning})" if fact.meaning else ""
            fact_lines.append(f"{fact.name}: {value}{meaning}")
        yield Lines(fact_lines)
    if result.signature is not None:
        yield Lines([result.signature.short], listed=False)


def _score_table(explanation: ExplainedScore, decimals: int, every_rank: bool) -> Table:
    headings, columns = list(explanation.columns), explanation.columns.items()
    shown: Iterable[int | str] = range(len(explanation.columns["rank"]))
    if not every_rank:
        shown = _shown_rank_indices_and_gaps(explanation)
    blanks, rows = [""] * (len(headings) - 2), []
    if explanation.start:
        rows.append(["", "(nothing)", *blanks[1:], _number_text(explanation.start, decimals)])
    for each in shown:
        if isinstance(each, str):
            rows.append(["", each, *blanks])
        else:
            rows.append([_cell_text(name, cells[each], decimals) for name, cells in columns])
    heads = [Head(name, "text" if name == "document" else "number") for name in headings]
    return Table(heads, rows)


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
    return str(value) if isinstance(value, int) else rounded_text(value, decimals)


def _all_data(result: Explanation) -> dict[str, Any]:
    """`irev` (the version), `signature` and `explanations`, every rank in full precision.

    An infinite value is null, as is what cannot be said of a document. Bytes that are not UTF-8
    are lone surrogates U+DC80..U+DCFF.
    """
    explanations = []
    for each in result.scores:
        names = [heading.replace(" ", "_") for heading in each.columns]
        facts = {fact.name.replace(" ", "_"): finite_or_none(fact.value) for fact in each.facts}
        explanations.append(
            {
                "measure": each.name,
                "topic": each.topic,
                "formula": each.measure.formula,
                "score": finite_or_none(each.score),
                "start": finite_or_none(each.start),
                "ranks": [
                    dict(zip(names, map(finite_or_none, row), strict=True))
                    for row in zip(*each.columns.values(), strict=True)
                ],
                "facts": facts,
            }
        )
    return {
        "irev": __version__,
        "signature": signature_data(result.signature),
        "explanations": explanations,
    }
