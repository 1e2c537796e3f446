"""Runs scored by people's judgments of a sample of documents and a model's of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from irev.core.arrays import Floats, Ints, MeasureValues, TopicsByMeasures, ratio, segment_sums
from irev.core.ids import DocumentIndex, index_documents
from irev.core.judged import Qrels, Rows, Strata
from irev.core.record import cached_property, record
from irev.core.text import count_text, shortened_list
from irev.engine.prepared_judgments import PreparedJudgments, RunPart, read_judgments
from irev.engine.run_facts import judged_counts
from irev.errors import IrevError, MismatchError, Notice, id_text
from irev.measures.requests import MeasuredValues, Request, close_scales
from irev.measures.unjudged import (
    USELESS,
    DrawnDocuments,
    SampledSums,
    document_gains,
    estimable_and_ideal_requests,
    highest_values,
    refuse_open_scales,
    tuned_weight,
)
from irev.options import EvaluationOptions
from irev.rank.judgments import SampleJudgments
from irev.rank.ranking import drop_repeated_documents, falling_key, rank_rows
from irev.scores.scores import RunEstimates, Scores

FEW_DRAWN = 8
"""Fewer documents of a topic say little."""
TOP = 10
LEAST_OF_TOP = 0.1
"""Of strata with documents up to this rank a smaller share makes wide errors."""
_MOST_LISTED = 5


class RetrievedQrelsRows(NamedTuple):
    """The documents of the pools that a run retrieved: rows of the qrels, with their ranks."""

    row: Ints
    rank: Ints


@record
class RunGains:
    """What the documents of one run add to C columns, of D drawn and T topics.

    people       float64[C, D], each document drawn by people's grade
    model        float64[C, D], by the model's
    model_total  float64[C, T], all documents by the model's grades
    retrieved    the documents of the pools
    """

    people: Floats
    model: Floats
    model_total: Floats
    retrieved: RetrievedQrelsRows


class DocumentEstimator:
    """Judgments by people of a sample of documents, and a model's of all, for many runs.

    The weight of the model is one for all runs, so no score is known before the last run is read.
    """

    def __init__(
        self,
        people: PreparedJudgments,
        requests: Sequence[Request],
        options: EvaluationOptions,
        threads: int,
        *,
        sign: bool,
    ) -> None:
        """Check the design, read the model's judgments and match them with the pools.

        Raises:
            UsageError: a measure that cannot be estimated so.
            MismatchError: a design that was not drawn so, or the model lacks a document of a pool.
        """
        for request in requests:
            estimable_and_ideal_requests(request)  # refused before a file is opened
        self._options = options
        judgments = people.judgments
        assert isinstance(judgments, SampleJudgments)  # noqa: S101 - the options say so
        assert isinstance(judgments.sample, Strata)  # noqa: S101
        self._settings, self._strata = judgments.settings, judgments.sample
        self._judgments, self._qrels = people, people.qrels
        _refuse_few_drawn(self._strata, self._qrels)
        by_model = read_judgments(
            options.predicted,
            "qrels",
            requests,
            options.model_options().replace(
                qrels_format="qrels",
                predicted=None,
                model_weight=None,
                predicted_level=None,
                predicted_map_grades=(),
            ),
            threads,
            sign=sign,
        )
        self.model_sha256 = by_model.digests["qrels"]
        self._model_grade = _model_grades(self._qrels, by_model.qrels)
        highest = [float(each.max(initial=0)) for each in (self._qrels.grade, self._model_grade)]
        refuse_open_scales(requests, *highest)
        self._requests = close_scales(requests, people.qrels)
        self._sums = [estimable_and_ideal_requests(request) for request in self._requests]
        level = options.predicted_level
        self._model_settings = (
            self._settings if level is None else replace(self._settings, level=level)
        )
        self._drawn_rows = np.flatnonzero(self._qrels.grade >= 0)
        self._drawn_of_row = np.full(len(self._qrels.grade), -1)
        self._drawn_of_row[self._drawn_rows] = np.arange(len(self._drawn_rows))
        self.drawn = DrawnDocuments(
            len(self._qrels.topics),
            self._strata.topic,
            self._strata.size,
            self._strata.stratum_of_row[self._drawn_rows],
        )
        self._top_rows: set[int] = set()
        self.notices: tuple[Notice, ...] = ()

    @cached_property
    def _column_names(self) -> tuple[str, ...]:
        return tuple(column.name for request in self._requests for column in request.columns)

    def run_part(self, rows: Rows) -> tuple[RunPart, RetrievedQrelsRows]:
        """Rank some whole topics of a run; the documents of the pools among them."""
        duplicates, repeats = self._options.duplicates, None
        if duplicates != "error":
            key = falling_key(rows, self._judgments.ranking)
            rows, repeats = drop_repeated_documents(rows, duplicates, key)
        ranking = self._judgments.ranking
        ranked = rank_rows(rows, self._qrels, ranking)
        counts = judged_counts(ranked, rows, self._qrels, ranking)
        # the estimates are put in their place when all runs are read
        unknown = MeasuredValues(
            ranked.lists, np.zeros((len(ranked.lists), len(self._column_names))), {}
        )
        part = RunPart(
            ranked.lists, ranked.unjudged_topics, counts, values=unknown, repeats=repeats or None
        )
        return part, RetrievedQrelsRows(ranked.row, ranked.rank)

    def run_gains(self, parts: Sequence[RetrievedQrelsRows]) -> RunGains:
        """What the documents of a run add."""
        row = np.concatenate([part.row for part in parts])
        rank = np.concatenate([part.rank for part in parts])
        order = np.argsort(row)
        row, rank = row[order], rank[order]
        drawn = self._drawn_of_row[row]
        is_drawn = drawn >= 0
        topic, num_topics = self._qrels.topic_of_row[row], self.drawn.num_topics
        people = np.zeros((len(self._column_names), len(self._drawn_rows)))
        model, total = np.zeros_like(people), np.zeros((len(people), num_topics))
        column = 0
        for numerator, _ in self._sums:
            columns = slice(column, column + len(numerator.columns))
            column = columns.stop
            if not len(row):
                continue
            by_model = document_gains(numerator, rank, self._model_grade[row], self._model_settings)
            model[columns, drawn[is_drawn]] = by_model[is_drawn].T
            total[columns] = [segment_sums(topic, each, num_topics) for each in by_model.T]
            if is_drawn.any():
                grade = self._qrels.grade[row[is_drawn]]
                by_people = document_gains(numerator, rank[is_drawn], grade, self._settings)
                people[columns, drawn[is_drawn]] = by_people.T
        return RunGains(people, model, total, RetrievedQrelsRows(row, rank))

    def run_estimates(self, runs: Sequence[RunGains]) -> list[RunEstimates]:
        """The estimates of all runs, with one weight of the model for each measure."""
        if not runs:
            return []
        # lambda of each column
        if self._options.model_weight is not None:
            weights = np.full(len(self._column_names), self._options.model_weight)
        else:
            deviations = self.drawn.scaled_deviations_from_stratum_means
            weights = np.array(
                [
                    tuned_weight(
                        np.array([deviations(run.people[column]) for run in runs]),
                        np.array([deviations(run.model[column]) for run in runs]),
                    )
                    for column in range(len(self._column_names))
                ]
            )
        estimates = [self._run_estimates(run, weights) for run in runs]
        self.notices = (*self._design_warnings(runs), *self._model_warnings(estimates))
        return estimates

    def _run_estimates(self, run: RunGains, model_weights: MeasureValues) -> RunEstimates:
        # column by column; of weight 0 are the estimates by people's judgments alone
        by_model, by_people = (
            [
                SampledSums(
                    self.drawn,
                    run.people[[column]],
                    run.model[[column]],
                    run.model_total[[column]],
                    float(weight),
                )
                for column, weight in enumerate(weights)
            ]
            for weights in (model_weights, np.zeros_like(model_weights))
        )
        tuned = np.array([sums.estimates[0] for sums in by_model])
        people = np.array([sums.estimates[0] for sums in by_people])
        variances = np.array([sums.variances[0] for sums in by_model])
        people_variances = np.array([sums.variances[0] for sums in by_people])
        deviations = np.array([sums.error_deviations[0] for sums in by_model])
        model = run.model_total.copy()
        column = 0
        for numerator, ideal in self._sums:
            columns = slice(column, column + len(numerator.columns))
            column = columns.stop
            if ideal is None:
                continue
            for at in range(columns.start, columns.stop):
                index = at - columns.start
                for values, weight in ((tuned, model_weights[at]), (people, 0.0), (model, None)):
                    values[at] = ratio(values[at], self._ideal_values(ideal, weight)[:, index])
        return RunEstimates(
            self._qrels.topics,
            self._column_names,
            model_weights,
            tuned,
            people,
            model,
            variances,
            people_variances,
            deviations,
            self.drawn.topic,
            self._share_judged_of_top_10(run.retrieved),
            tuple(ideal is not None for request, ideal in self._sums for _ in request.columns),
        )

    @cached_property
    def _grades(self) -> Floats:
        """The grades from 0 on that occur, rising."""
        return np.unique(np.concatenate([self._qrels.grade[self._drawn_rows], self._model_grade]))

    @cached_property
    def _grade_sums(self) -> list[SampledSums]:
        """For each grade how many documents of each topic have it; the weight is not set."""
        people, model = self._qrels.grade[self._drawn_rows], self._model_grade[self._drawn_rows]
        topic, num_topics = self._qrels.topic_of_row, self.drawn.num_topics
        return [
            SampledSums(
                self.drawn,
                (people == grade)[None] * 1.0,
                (model == grade)[None] * 1.0,
                segment_sums(topic, (self._model_grade == grade) * 1.0, num_topics)[None],
                0.0,
            )
            for grade in self._grades
        ]

    @cached_property
    def _ideals(self) -> dict[Any, Floats]:
        return {}

    def _ideal_values(self, request: Request, model_weight: float | None) -> TopicsByMeasures:
        """float64[T, K]: the values of the ideal lists; without a weight those of the model."""
        key = (request.measure.name, request.arguments, request.picks, model_weight)
        if key not in self._ideals:
            counts = [
                sums.model_total[0]
                if model_weight is None
                else replace(sums, weight=model_weight).estimates[0]
                for sums in self._grade_sums
            ]
            whole = np.floor(np.maximum(np.array(counts), 0) + 0.5).astype(np.int64)
            self._ideals[key] = highest_values(request, self._grades, whole.T, self._settings)
        return self._ideals[key]

    def _share_judged_of_top_10(self, retrieved: RetrievedQrelsRows) -> float:
        """Which share of the first 10 documents people judged, of the topics with any."""
        row = retrieved.row[retrieved.rank <= TOP]
        topic = self._qrels.topic_of_row[row]
        judged = np.bincount(topic, self._drawn_of_row[row] >= 0, minlength=self.drawn.num_topics)
        topic_indices = np.unique(self._qrels.topic_of_row[retrieved.row])
        return float(judged[topic_indices].sum()) / (TOP * max(1, len(topic_indices)))

    def _design_warnings(self, runs: Sequence[RunGains]) -> Iterator[Notice]:
        topics = self._qrels.topics
        drawn = np.bincount(self.drawn.topic, minlength=len(topics))
        few = [topics[index] for index in np.flatnonzero(drawn < FEW_DRAWN).tolist()]
        if few:
            yield Notice(
                "few-drawn",
                f"people judged fewer than {FEW_DRAWN} documents of "
                f"{count_text(len(few), 'topic')}: {shortened_list(few, _MOST_LISTED)}",
                "estimates of these topics have large errors",
            )
        top = np.unique(
            np.concatenate([run.retrieved.row[run.retrieved.rank <= TOP] for run in runs])
        )
        strata = np.unique(self._strata.stratum_of_row[top])
        share = self.drawn.num_drawn[strata] / self.drawn.stratum_size[strata]
        thin = strata[share < LEAST_OF_TOP]
        if len(thin):
            of_topics = len(np.unique(self._strata.topic[thin]))
            yield Notice(
                "few-drawn",
                f"less than {LEAST_OF_TOP:.0%} was judged of strata that hold documents at ranks 1 "
                f"to {TOP}, in {count_text(of_topics, 'topic')}",
                "intervals are wide: judge a larger share of the documents at the top",
            )

    def _model_warnings(self, estimates: Sequence[RunEstimates]) -> Iterator[Notice]:
        for index, name in enumerate(self._column_names):
            error, by_people = (
                float(np.sqrt(sum(each[index].sum() for each in variances)))
                for variances in (
                    [run.variances for run in estimates],
                    [run.people_variances for run in estimates],
                )
            )
            if by_people and error > USELESS * by_people:
                yield Notice(
                    "useless-model",
                    f"{name}: the model's judgments are of no use: errors are "
                    f"{error / by_people:.2f} of those of people's judgments alone",
                    "leave out --predicted, or take a better model",
                )
        are_ratios = estimates[0].are_ratios
        ratios = [n for n, is_one in zip(self._column_names, are_ratios, strict=True) if is_one]
        if ratios:
            yield Notice(
                "biased-estimate",
                f"{', '.join(ratios)}: the estimate is a ratio of two, which is biased: by -0.03 "
                "to 0.03 in simulations with useful models and 10% judged in two strata, by 0.05 "
                "with random labels",
                "it has no interval for these topics",
            )

    def put_estimates(
        self, outcomes: Sequence[tuple[Scores, RunGains] | IrevError]
    ) -> Iterator[Scores | IrevError]:
        """The scores of all runs with the estimates in their place; errors as they are."""
        scored = [each for each in outcomes if not isinstance(each, IrevError)]
        estimates = iter(self.run_estimates([gains for _, gains in scored]))
        for outcome in outcomes:
            if isinstance(outcome, IrevError):
                yield outcome
                continue
            scores, own, index_of_topic = outcome[0], next(estimates), self._qrels.topic_index
            is_judged = [topic in index_of_topic for topic in scores.topics]
            judged = [topic for topic in scores.topics if topic in index_of_topic]
            values = scores.values.copy()
            values[is_judged] = own.values[:, own.topic_indices(judged)].T
            yield replace(scores, values=values, estimates=own)

    def signed_choices(self) -> dict[str, Any]:
        """What the signature says of how scores are estimated."""
        options = self._options
        choices: dict[str, Any] = {"pred": "documents"}
        if options.model_weight is not None:
            choices["lambda"] = options.model_weight
        if options.predicted_level is not None:
            choices["auto-level"] = options.predicted_level
        if options.predicted_map_grades:
            choices["auto-grades"] = [[*pair] for pair in options.predicted_map_grades]
        return choices


def _refuse_few_drawn(strata: Strata, qrels: Qrels) -> None:
    """Refuse strata of whose documents too few were drawn to say how they vary."""
    few = np.flatnonzero((strata.judged < 2) & (strata.judged < strata.size)).tolist()
    if few:
        listed = [
            f"{id_text(strata.names[s])} of topic {id_text(qrels.topics[strata.topic[s]])} "
            f"({strata.judged[s]} of {strata.size[s]})"
            for s in few[:_MOST_LISTED]
        ]
        more = f" and {len(few) - _MOST_LISTED} more" if len(few) > _MOST_LISTED else ""
        raise MismatchError(
            "--predicted with -R strata needs 2 judged documents of every stratum, or all of "
            f"them: too few of stratum {', '.join(listed)}{more}: judge more, or join strata"
        )


def _model_grades(qrels: Qrels, by_model: Qrels) -> Floats:
    """float64[M]: the model's grade of every row of people's judgments."""
    pool = index_documents(qrels.topic_of_row, len(qrels.topics), qrels.docs)
    assert isinstance(pool, DocumentIndex)  # noqa: S101 - judgments hold a document once
    topics = np.array([qrels.topic_index.get(topic, -1) for topic in by_model.topics], np.int64)
    topic = topics[by_model.topic_of_row] if len(topics) else np.zeros(0, np.int64)
    rows = np.flatnonzero((topic >= 0) & (by_model.grade >= 0))
    places, pool_rows = pool.find(topic[rows], by_model.docs.take(rows), by_model.hashes[rows])
    grade = np.full(len(qrels.grade), np.nan)
    grade[pool_rows] = by_model.grade[rows[places]]
    absent = np.flatnonzero(np.isnan(grade))
    if len(absent):
        first = int(absent[0])
        document, topic_id = qrels.docs[first], qrels.topics[int(qrels.topic_of_row[first])]
        raise MismatchError(
            f"the model's judgments lack {count_text(len(absent), 'document')} of the pools, such "
            f"as {id_text(document)} of topic {id_text(topic_id)}: the model must judge all "
            "documents of the pools"
        )
    return grade
