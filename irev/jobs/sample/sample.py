"""`irev.sample`: a part of finished judgments, or of the collection under them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.job import qrels_job
from irev.core.record import record
from irev.core.text import as_bytes, parse_whole
from irev.core.wording import count_text
from irev.errors import Notice, UsageError, id_text, note, shown_value
from irev.jobs.pool.document import UNJUDGED, QrelsSample, SampleResult
from irev.jobs.sample import designs
from irev.jobs.sample.options import SampleOptions
from irev.jobs.sample.planning import width_notes
from irev.options import Options
from irev.read.formats import run_layout
from irev.scores.table import path_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import Ints, RowMask
    from irev.core.judged import Input, Qrels
    from irev.jobs.pool.document import DrawnSample
    from irev.jobs.sample.designs import RowSample
    from irev.read.layout import ChosenLayout


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
        from irev.jobs.sample.reduction import reduced_run_blocks

        return reduced_run_blocks(path, self.documents, self.layout)


@qrels_job(SampleOptions)
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
    from irev.core.workers import default_threads
    from irev.engine.prepared_judgments import read_judgments
    from irev.engine.run_files import all_runs_by_name

    sources = [*all_runs_by_name(runs, options.own_columns).values()]
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
    if options.exclude and not by_strata:
        if method == "collection":
            reason = (
                "a collection has a document for all topics, and --exclude leaves it out of one: "
                "give --exclude to the command that scores the runs"
            )
        else:
            reason = "it draws from QRELS alone, of which --exclude takes nothing away"
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
    from irev.engine.excluded_documents import excluded_document_notes, read_excluded
    from irev.engine.pools import make_pool
    from irev.jobs.pool.pool import strata_of

    pool = make_pool(
        runs, options.rate[-1].last, run_format=options.run_format,
        excluded=read_excluded(options.exclude), columns=options.own_columns,
    )  # fmt: skip
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
            "topics drawn again until the sample had a relevant document, so their "
            f"samples do not nest: {names}"
        )
    topic = qrels.topic_of_row
    empty = np.setdiff1d(topic[is_judged], topic[row_sample.is_drawn]).tolist()
    if empty:
        names = ", ".join(id_text(qrels.topics[topic]) for topic in empty)
        yield Notice("nothing-kept", f"no judgments are left for topics {names}")


def _document_samples(
    qrels: Qrels, runs: Sequence[Input], options: SampleOptions, replicates: range
) -> Iterator[DocumentSample]:
    """The documents that stay, for each replicate."""
    from irev.core.workers import default_threads
    from irev.jobs.sample.reduction import collection_documents, kept_documents

    layout = run_layout(options.run_format, columns=options.own_columns)
    documents = collection_documents(qrels, runs, layout, default_threads())
    paths = [path_of(run) for run in runs if path_of(run)]
    for replicate in replicates:
        kept = kept_documents(documents, options.rate, options.seed, replicate)
        message = f"{len(kept)} of {count_text(len(documents), 'document')} of the collection stay"
        yield DocumentSample(kept, paths, layout, (note(message),))
