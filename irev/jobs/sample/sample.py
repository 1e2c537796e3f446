"""`irev.sample`: a part of finished judgments, or of the collection under them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from irev.core import workers
from irev.core.arrays import Ints, RowMask, TopicsByMeasures
from irev.core.ids import ids_from_bytes
from irev.core.job import job
from irev.core.judged import Input, Judged, Qrels, Rows
from irev.core.record import record
from irev.core.text import PACKED_ENDINGS, as_bytes, count_text, parse_whole
from irev.core.workers import default_threads
from irev.engine.map_topics import excluded_document_notes, map_topics_or_nothing, read_excluded
from irev.engine.prepared_judgments import read_judgments
from irev.engine.score_runs import make_pool
from irev.errors import (
    InputError,
    IrevError,
    Notice,
    Problem,
    UsageError,
    id_text,
    note,
    shown_value,
)
from irev.jobs.pool.pool import UNJUDGED, DrawnSample, QrelsSample, SampleResult, strata_of
from irev.jobs.sample import designs
from irev.jobs.sample.designs import (
    RowSample,
    SampleOptions,
    draw_collection,
    draw_collections,
    width_notes,
)
from irev.jobs.sample.evaluation import SampledEvaluator, SampledScores
from irev.measures.requests import join_rankings, needs_ids
from irev.options import Options
from irev.rank.ranking import Ranked, cut_rankings, rank_rows
from irev.read.formats import run_layout
from irev.read.inputs import given_runs, path_of
from irev.read.layout import ChosenLayout, layout_for
from irev.read.stream import RunInTable, read_all
from irev.read.tables import is_structured
from irev.scores.scores import Scores

_BY_STRATA = ("strata", "documents")
"""The methods that draw by the ranks of the pool."""


@record
class DocumentSample:
    """What stays of a collection.

    documents  ids, in byte order
    run_paths  the files among the runs of the collection, which can be reduced to these documents
    """

    documents: Sequence[bytes]
    run_paths: Sequence[str]
    layout: ChosenLayout
    notices: tuple[Notice, ...] = ()

    def field_names(self, qrels_format: str = "") -> tuple[str, ...]:
        """What the fields of its lines hold."""
        return ("document",)

    def line_blocks(self, qrels_format: str = "") -> Iterator[bytes]:
        """A line for each document."""
        return (b"%b\n" % document for document in self.documents)

    def reduced_run(self, path: str) -> Iterator[bytes]:
        """The lines of a run of which the document stays, byte for byte, in blocks."""
        return reduced_run_blocks(path, self.documents, self.layout)


@job(SampleOptions, needs=lambda options: () if options.width is None else ("scipy",))
def sample(qrels: Any, runs: Any = (), *, options: SampleOptions) -> SampleResult:
    """Keep the grades of a random sample of judgments.

    Documents that are sampled keep their grades, the others of the pool get -1: pooled but not
    judged. The same seed draws the same sample, whatever the order of the lines, and a higher rate
    draws a superset.

    Args:
        qrels: judgments, as `irev.evaluate` takes them.
        runs: those of the pool, by whose ranks strata are made; those of a collection.
        options: the record `SampleOptions`, whose fields are keywords, too.

    Returns:
        The judgments: `to_frame()` has a row for each document, `text("strata")` the strata; of a
        collection the documents that stay.

    Raises:
        TypeError: there is no such option.
        UsageError: an option that makes no sense.
        InputError: judgments or runs that cannot be read.
    """
    sources = given_runs(runs, options.own_columns).sources
    _refuse_contradicting_options(sources, options)
    evaluation = options.base_record(Options).replace(level=options.level)
    judgments = read_judgments(qrels, "qrels", [], evaluation, default_threads()).qrels
    replicates = range(options.replicate, options.replicate + options.repeat)
    samples: Iterator[DrawnSample]
    if options.method == "collection":
        samples = _document_samples(judgments, sources, options, replicates)
    else:
        samples = _qrels_samples(judgments, sources, options, replicates)
    result = SampleResult(tuple(samples), options.replicate)
    warnings = [
        each if len(result.samples) == 1 else each._replace(message=f"{name}: {each.message}")
        for name, drawn in zip(result.sample_names, result.samples, strict=True)
        for each in drawn.notices
    ]
    return SampleResult(result.samples, result.first_replicate, warnings=tuple(warnings))


def _refuse_contradicting_options(runs: Sequence[Input], options: SampleOptions) -> None:
    method, has_strata = options.method, isinstance(options.rate, tuple)
    by_strata = method in _BY_STRATA
    example = "1-10=100%,11-50=30%" if by_strata else "10%"
    if method == "budget":
        if options.budget is None or options.rate is not None:
            raise UsageError("--by budget needs --budget N or FILE, and no --rate")
    elif options.budget is not None:
        raise UsageError(f"--budget cannot be combined with --by {method}")
    elif options.rate is None:
        raise UsageError(f"give a rate: --rate {example}")
    elif has_strata != by_strata:
        raise UsageError(f"--by {method} needs a rate such as {example}")
    if by_strata and not runs:
        raise UsageError(
            f"--by {method} needs the runs of the pool: irev sample QRELS RUN... --rate"
        )
    if method not in (*_BY_STRATA, "collection") and runs:
        label = runs[0] if isinstance(runs[0], str | os.PathLike) else "there is one"
        raise UsageError(f"--by {method} reads no runs: {label}")
    if options.passages is not None and not by_strata:
        raise UsageError(f"--passages cannot be combined with --by {method}: it needs strata")
    if options.exclude and not by_strata:
        if method == "collection":
            reason = (
                "a collection has a document for all topics, and --exclude leaves it out of one: "
                "give --exclude to the command that scores the runs"
            )
        else:
            reason = "it draws from QRELS alone, which --exclude does not change"
        raise UsageError(f"--exclude cannot be combined with --by {method}: {reason}")


def _qrels_samples(
    qrels: Qrels, runs: Sequence[Input], options: SampleOptions, replicates: range
) -> Iterator[QrelsSample]:
    """The samples of the judgments, one for each replicate."""
    stratum, strata, plan = _best_rank_strata_of_qrels_rows(qrels, runs, options)
    budget = _parse_budget(options.budget) if options.method == "budget" else 0
    in_stratum = stratum >= 0
    if options.width is not None and isinstance(options.rate, tuple):
        plan = (*plan, *width_notes(qrels, runs, stratum, options.rate, options))
    for replicate in replicates:
        drawn = _draw_rows(qrels, stratum, budget, options, replicate)
        keeps_pool = options.method != "buckley-voorhees"
        rows = np.flatnonzero(in_stratum if keeps_pool else drawn.is_drawn | (qrels.grade < 0))
        yield QrelsSample(
            qrels.topics,
            qrels.topic_of_row[rows],
            qrels.docs.take(rows),
            np.where(drawn.is_drawn, qrels.grade, UNJUDGED)[rows],
            strata if keeps_pool else (),
            stratum[rows],
            (*_kept_judgment_notices(qrels, drawn, in_stratum, options.level), *plan),
        )


def _best_rank_strata_of_qrels_rows(
    qrels: Qrels, runs: Sequence[Input], options: SampleOptions
) -> tuple[Ints, list[str], tuple[Notice, ...]]:
    """(the stratum of each row of the qrels, -1: in none; their names; notices of the runs)."""
    if not isinstance(options.rate, tuple):
        return np.zeros(len(qrels.grade), np.int64), ["all"], ()

    pool = make_pool(
        runs,
        options.rate[-1].last,
        run_format=options.run_format,
        excluded=read_excluded(options.exclude),
        columns=options.own_columns,
        passages=options.passages,
    )
    stratum = strata_of(pool.best_ranks_of(qrels), options.rate)
    notices = (*pool.warnings, *excluded_document_notes(pool.num_excluded))
    return stratum, [each.name for each in options.rate], notices


def _draw_rows(
    qrels: Qrels,
    stratum: Ints,
    budget: int | Mapping[bytes, int],
    options: SampleOptions,
    replicate: int,
) -> RowSample:
    rate, seed, level = options.rate, options.seed, options.level
    if isinstance(rate, tuple):
        rates = [each.rate for each in rate]
        if options.method == "documents":
            return designs.draw_documents(qrels, stratum, rates, seed, replicate)
        return designs.draw_strata(qrels, stratum, rates, seed, replicate, level=level)
    if options.method == "budget":
        return designs.draw_budget(qrels, budget, seed, replicate, level=level)
    is_uniform = options.method == "uniform"
    draw = designs.draw_uniform if is_uniform else designs.draw_buckley_voorhees
    return draw(qrels, rate, seed, replicate, level=level)


def _parse_budget(budget: object) -> int | Mapping[bytes, int]:
    """How many documents: of each topic, or by topic as a mapping or a file says."""
    if isinstance(budget, Mapping):
        by_topic = {}
        for topic, number in budget.items():
            try:
                by_topic[as_bytes(str(topic))] = int(number)
            except (TypeError, ValueError, OverflowError):
                wrong = f"budget: {shown_value(number)} of topic {topic} is not a whole number"
                raise UsageError(wrong) from None
        return by_topic
    number = budget if isinstance(budget, int) else parse_whole(str(budget))
    if number is None:
        return designs.read_budgets(str(budget))
    if number < 1:
        raise UsageError(f"--budget {budget}: must be at least 1")
    return number


def _kept_judgment_notices(
    qrels: Qrels, row_sample: RowSample, in_stratum: RowMask, level: float
) -> Iterator[Notice]:
    """What was drawn, which topics do not nest, and which have no judgments left."""
    is_judged = qrels.grade >= 0
    grades = qrels.grade[row_sample.is_drawn]
    yield note(
        f"{len(grades)} of {int(is_judged.sum())} judged documents kept, "
        f"{int((grades >= level).sum())} of {int((qrels.grade >= level).sum())} relevant ones"
    )
    num_outside = int((is_judged & ~in_stratum).sum())
    if num_outside:
        num_relevant = int((qrels.grade[~in_stratum] >= level).sum())
        yield note(
            f"{count_text(num_outside, 'judged document')}, {num_relevant} of them relevant, "
            f"{'is' if num_outside == 1 else 'are'} in no stratum and left out"
        )
    if len(row_sample.redrawn):
        names = ", ".join(id_text(qrels.topics[topic]) for topic in row_sample.redrawn.tolist())
        yield note(
            "topics drawn again until the sample had a relevant document, so their larger "
            f"samples need not contain the smaller ones: {names}"
        )
    topic = qrels.topic_of_row
    empty = np.setdiff1d(topic[is_judged], topic[row_sample.is_drawn]).tolist()
    if empty:
        names = ", ".join(id_text(qrels.topics[topic]) for topic in empty)
        yield Notice("nothing-kept", f"no judgments are left for topics {names}")


def _document_samples(
    qrels: Qrels, runs: Sequence[Input], options: SampleOptions, replicates: range
) -> Iterator[DocumentSample]:
    # the documents that judgments and runs name stand in for the collection, which nobody gives
    layout = run_layout(options.run_format, columns=options.own_columns)
    documents = set(qrels.docs.codes()[1])
    for run in runs:
        for names in map_topics_or_nothing(
            run, layout, lambda rows: rows.docs.codes()[1], default_threads()
        ).results:
            documents.update(names)
    in_order = sorted(documents)
    ids = ids_from_bytes(in_order)
    paths = [path_of(run) for run in runs if path_of(run)]
    for replicate in replicates:
        stays = draw_collection(ids, options.rate, options.seed, replicate).tolist()
        kept = [document for document, stay in zip(in_order, stays, strict=True) if stay]
        message = f"{len(kept)} of {count_text(len(documents), 'document')} of the collection stay"
        yield DocumentSample(kept, paths, layout, (note(message),))


# --- Runs on a smaller collection, under the judgments of the whole ---

_HEAD = 1 << 16
"""So many first bytes show whether a file is a table, and what its lines hold."""

_BLOCK = 1 << 16


def reduced_run_blocks(
    run_path: str, kept_documents: Iterable[bytes], layout: ChosenLayout
) -> Iterator[bytes]:
    """The lines of a run whose document stays, byte for byte, many in a block."""
    stays = frozenset(kept_documents)
    text = b"" if isinstance(run_path, RunInTable) else read_all(run_path)
    if isinstance(run_path, RunInTable) or is_structured(text[:_HEAD]):
        message = "a run to be reduced must be a text file, not a table"
        raise InputError([Problem(run_path, None, "other-kind", message)])
    place = layout_for(layout, text[:_HEAD]).fields.index("document")
    block: list[bytes] = []
    for line in text.splitlines(keepends=True):
        fields = line.split(None, place + 1)
        if len(fields) > place and not line.lstrip().startswith(b"#") and fields[place] in stays:
            block.append(line)
        if len(block) == _BLOCK:
            yield b"".join(block)
            block = []
    yield b"".join(block)


def reduced_run_paths(run_paths: Sequence[str], folder: str) -> list[str]:
    """Where reduced runs go: under their own names, without the ending of a compressed file."""
    if not run_paths:
        raise UsageError("there is no run to reduce")
    names = []
    for run in run_paths:
        stem, ending = os.path.splitext(os.path.basename(run))
        names.append(stem if ending in PACKED_ENDINGS else stem + ending)
    for run, name in zip(run_paths, names, strict=True):
        if names.count(name) > 1:
            raise UsageError(f"two runs would be written as {name}: {run} is one of them")
    paths = [os.path.join(folder, name) for name in names]
    for path in paths:
        if any(os.path.exists(path) and os.path.samefile(path, run) for run in run_paths):
            raise UsageError(f"{path} is one of the runs to read and would be overwritten")
    return paths


_ROWS_AT_ONCE = 1 << 18
"""Retrieved documents, of all parts of the collection, whose rankings are measured together."""


class ReducedRunsEvaluator(SampledEvaluator):
    """Judgments and measures, made ready for runs on parts of their collection.

    Yilmaz and Aslam (CIKM 2006), section 5: a share of the collection, the same documents for all
    runs and topics, is kept, and the rest deleted from the runs, while all judgments and the number
    of relevant documents stay. The documents that judgments and runs name stand for the collection.

    It is made as a `SampledEvaluator` is; the designs are rates.

    Example:
        >>> from irev.jobs.sample.designs import SamplingPlan
        >>> qrels = {"q1": {"d1": 1, "d2": 0}}
        >>> run = {"q1": {"d3": 4.0, "d2": 3.0, "d1": 2.0}}
        >>> plan = SamplingPlan(["100%"], repeat=1)
        >>> evaluator = ReducedRunsEvaluator(qrels, ["AP"], plan)
        >>> [(_, scores)] = evaluator.evaluate_many([run])
        >>> scores.values.tolist() == [[[1 / 3]]]
        True
    """

    @property
    def _rates(self) -> list[Fraction]:
        """The designs, as shares of the collection."""
        return [design for design in self._parsed_designs if isinstance(design, Fraction)]

    def _refuse_strata_and_unsupported_measures(self) -> None:
        if len(self._rates) < len(self._parsed_designs):
            raise UsageError("give the share of the collection to keep, such as 50%, not strata")
        for request in self.evaluator.requests:
            measure = request.measure
            if measure.needs == "strata" or measure.ties or measure.scores or needs_ids(request):
                raise UsageError(
                    f"{request.columns[0].name} cannot be computed on a part of the collection: "
                    "it needs more than the ranks of the judged documents"
                )

    def _cautions(self) -> list[str]:
        """Nothing: the judgments are complete."""
        return []

    def evaluate_many(
        self, runs: Sequence[Input]
    ) -> Iterator[tuple[Input, SampledScores | IrevError]]:
        """The scores of several runs on parts of the collection, or what is wrong, in order.

        All runs are read before any is reduced: the collection is of all of them.
        """
        threads = self.evaluator.options.threads or workers.default_threads()
        read = partial(self._read_pieces, threads=threads if len(runs) == 1 else 1)
        document_of_row, names = self._prepared_judgments.qrels.docs.codes()
        number_of_document = {name: number for number, name in enumerate(names)}
        ready = [
            pieces_or_error
            if isinstance(pieces_or_error, IrevError)
            else _join_pieces(*pieces_or_error, document_of_row, number_of_document)
            for pieces_or_error in workers.map_in_order(read, runs, threads)
        ]
        parts = self._collection_parts(number_of_document)

        def outcome(run: _WholeRun | IrevError) -> SampledScores | IrevError:
            if isinstance(run, IrevError):
                return run
            totals = run.scores.totals
            measured = ((values, totals) for values in self._values_by_part(run, parts))
            try:
                return self._sampled_scores(run.scores, run.lists, measured)
            except IrevError as error:
                return error

        yield from zip(runs, workers.map_in_order(outcome, ready, threads), strict=True)

    def _read_pieces(self, run: Input, threads: int) -> tuple[Scores, list[_RunPiece]] | IrevError:
        qrels, ranking = self._prepared_judgments.qrels, self._prepared_judgments.ranking
        # what -M cuts off may come back when documents before it are gone
        uncut = replace(ranking, max_retrieved=None, unjudged=True)

        def rank_piece(rows: Rows) -> _RunPiece:
            ranked = rank_rows(rows, qrels, uncut)
            assert ranked.extras.unjudged is not None  # noqa: S101 - they were asked for
            return _RunPiece(ranked, *ranked.extras.unjudged.docs.codes(), rows.docs.codes()[1])

        try:
            read = self.evaluator.map_run_topics(run, rank_piece, threads)
            whole = [(cut_rankings(each.ranked, qrels, ranking), None) for each in read.results]
            return self._scores_under_all_judgments(whole, read), read.results
        except IrevError as error:
            return error

    def _collection_parts(self, number_of_document: dict[bytes, int]) -> list[RowMask]:
        """bool[D] for each replicate of each rate: which documents of the collection stay."""
        documents = sorted(number_of_document)
        numbers_by_id = np.array([number_of_document[document] for document in documents], np.int64)
        ids = ids_from_bytes(documents)
        parts = []
        for replicate in range(self.repeat):
            for is_in_part in draw_collections(ids, self._rates, self.seed, replicate):
                by_number = np.empty(len(documents), bool)
                by_number[numbers_by_id] = is_in_part
                parts.append(by_number)
        # drawn by replicate, since the rates share its keys; wanted by rate
        num_rates = len(self._rates)
        return [
            parts[replicate * num_rates + rate]
            for rate in range(num_rates)
            for replicate in range(self.repeat)
        ]

    def _values_by_part(
        self, run: _WholeRun, collection_parts: Sequence[RowMask]
    ) -> Iterator[TopicsByMeasures]:
        """float64[T, C] for each part of the collection."""
        batch_size = max(1, _ROWS_AT_ONCE // max(1, len(run.topic)))
        for start in range(0, len(collection_parts), batch_size):
            open_parts = collection_parts[start : start + batch_size]
            rankings = [self._rankings_on_part(run, stays) for stays in open_parts]
            lists = np.tile(run.lists, len(open_parts))
            values = self._prepared_judgments.measure(lists, join_rankings(rankings)).values
            yield from values.reshape(len(open_parts), len(run.lists), -1)

    def _rankings_on_part(self, run: _WholeRun, is_in_part: RowMask) -> Judged:
        is_kept = is_in_part[run.document]
        topics, rows = run.topic[is_kept], run.row[is_kept]
        retrieved = np.bincount(topics, minlength=len(run.lists))
        ranks = np.arange(1, len(topics) + 1) - (np.cumsum(retrieved) - retrieved)[topics]
        is_judged = rows >= 0
        max_retrieved = self.evaluator.options.max_retrieved
        if max_retrieved is not None:
            is_judged &= ranks <= max_retrieved
            retrieved = np.minimum(retrieved, max_retrieved)
        judged = (topics[is_judged], ranks[is_judged], rows[is_judged])
        ranked = Ranked(run.lists, *judged, retrieved, ())
        return self.evaluator.graded_judgments.judged_view(ranked)


@record
class _RunPiece:
    """Some ranked topics of a run.

    ranked   their rankings, with the documents that are not in the qrels
    code     int64[U], the place in `outside` of each of those documents
    outside  their ids
    names    all ids that the topics name, also those of topics without judgments
    """

    ranked: Ranked
    code: Ints
    outside: list[bytes]
    names: list[bytes]


@record
class _WholeRun:
    """A run that was read: its scores, and its rankings with all N documents, by topic and rank.

    lists     int64[T], the judged list of each ranking
    topic     int64[N], the ranking of each document
    row       int64[N], its row in the qrels; -1: in none
    document  int64[N], its number in the collection
    """

    scores: Scores
    lists: Ints
    topic: Ints
    row: Ints
    document: Ints


def _join_pieces(
    scores: Scores,
    pieces: Sequence[_RunPiece],
    document_of_row: Ints,
    number_of_document: dict[bytes, int],
) -> _WholeRun:
    """A run's rankings; documents without a number get the next."""
    topics, rows, documents, ranks, num_topics_before = [], [], [], [], 0
    for piece in pieces:
        ranked, outside = piece.ranked, piece.ranked.extras.unjudged
        assert outside is not None  # noqa: S101 - they were asked for
        for document_id in piece.names:
            number_of_document.setdefault(document_id, len(number_of_document))
        outside_numbers = np.array([number_of_document[each] for each in piece.outside], np.int64)
        topics += [ranked.topic + num_topics_before, outside.topic + num_topics_before]
        ranks += [ranked.rank, outside.rank]
        rows += [ranked.row, np.full(len(outside.rank), -1)]
        documents += [document_of_row[ranked.row], outside_numbers[piece.code]]
        num_topics_before += len(ranked.lists)
    topic_of_entry = np.concatenate(topics)
    order = np.lexsort((np.concatenate(ranks), topic_of_entry))
    return _WholeRun(
        scores,
        np.concatenate([piece.ranked.lists for piece in pieces]),
        topic_of_entry[order],
        np.concatenate(rows)[order],
        np.concatenate(documents)[order],
    )
