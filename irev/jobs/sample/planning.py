"""How many judgments intervals of a wanted width need, where people judge a sample of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import DocumentRanks, Floats, Ints, RowIndices, ratio, segment_sums
from irev.core.judged import Settings
from irev.core.workers import default_threads
from irev.engine.excluded_documents import read_excluded
from irev.engine.map_topics import map_topics
from irev.errors import Notice, UsageError, note
from irev.jobs.sample.designs import LEAST_DRAWN
from irev.measures.naming.resolve import resolve_names
from irev.measures.requests import close_scales
from irev.measures.sampled_sums import document_gains, estimable_and_ideal_requests
from irev.options import Options
from irev.rank.ranking import RankingRule, rank_rows
from irev.read.formats import run_layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.judged import Input, Qrels, Rows
    from irev.jobs.pool.pool import RankStratum
    from irev.jobs.sample.options import SampleOptions
    from irev.rank.ranking import Ranked

_STEPS = 60


class GainVariances(NamedTuple):
    """How much what documents add to a measure varies in G groups, a stratum of a topic each.

    group_sizes     int64[G], N
    group_rates     float64[G], the share of the design
    runs_by_groups  float64[R, G], the variance for R runs
    """

    group_sizes: Ints
    group_rates: Floats
    runs_by_groups: Floats

    def drawn_sizes(self, rate_factor: float) -> Ints:
        """int64[G]: how many are drawn where all rates are multiplied by a factor."""
        rounded = np.floor(self.group_rates * rate_factor * self.group_sizes + 0.5).astype(np.int64)
        drawn: Ints = np.minimum(self.group_sizes, np.maximum(rounded, LEAST_DRAWN))
        return drawn

    def largest_standard_error(self, drawn_sizes: Ints) -> float:
        """The largest standard error of a run's sum over topics."""
        sizes = self.group_sizes
        shares_left = 1 - ratio(drawn_sizes, sizes)
        per_group = sizes**2 * shares_left * ratio(self.runs_by_groups, drawn_sizes)
        return float(np.sqrt(per_group.sum(axis=1)).max())


def width_notes(
    qrels: Qrels,
    runs: Sequence[Input],
    stratum_of_row: Ints,
    strata: Sequence[RankStratum],
    options: SampleOptions,
) -> Iterator[Notice]:
    """How wide the intervals of the design are, and what those of the wanted width take.

    The documents are taken to vary as QRELS say; the model leaves `model_error` of the errors.
    """
    assert options.width is not None  # noqa: S101 - whoever calls has looked
    variances = _gain_variances_of_groups(qrels, runs, stratum_of_row, strata, options)
    num_topics = len(qrels.topics)
    if num_topics < 2:
        raise UsageError("--width needs two topics")
    from scipy.special import stdtrit

    reach = 2 * float(stdtrit(num_topics - 1, 0.975)) / num_topics * options.model_error
    drawn = variances.drawn_sizes(1)
    yield note(
        f"{options.measure}: {int(drawn.sum())} judgments give 95% intervals of these topics up to "
        f"{reach * variances.largest_standard_error(drawn):.4f} wide"
    )
    low, high = 0.0, 1 / float(variances.group_rates.min())
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if reach * variances.largest_standard_error(variances.drawn_sizes(middle)) > options.width:
            low = middle
        else:
            high = middle
    needed = variances.drawn_sizes(high)
    rates = ",".join(f"{each.name}={min(1, float(each.rate) * high):.1%}" for each in strata)
    yield note(
        f"a width of {options.width:g} needs {int(needed.sum())} of "
        f"{int(variances.group_sizes.sum())} documents: --rate {rates}"
        + ("" if options.model_error < 1 else "; less with a model (--model-error)")
    )


def _gain_variances_of_groups(
    qrels: Qrels,
    runs: Sequence[Input],
    stratum_of_row: Ints,
    strata: Sequence[RankStratum],
    options: SampleOptions,
) -> GainVariances:
    requests = close_scales(resolve_names([options.measure], Options()), qrels)
    if len(requests) != 1 or len(requests[0].columns) != 1:
        raise UsageError(f"--measure {options.measure}: name one measure, such as P@10")
    numerator, ideal = estimable_and_ideal_requests(requests[0])
    if ideal is not None:
        raise UsageError(
            f"--width: {options.measure} is a ratio without such intervals: name DCG@k, or P@10"
        )
    settings = Settings(level=options.level)
    in_design = (stratum_of_row >= 0) & (qrels.grade >= 0)
    group = np.where(in_design, qrels.topic_of_row * len(strata) + stratum_of_row, -1)
    num_groups = len(qrels.topics) * len(strata)
    size = np.bincount(group[in_design], minlength=num_groups)
    is_used = size > 0
    variances = []
    for run in runs:
        row, rank = _retrieved_rows_and_ranks(run, qrels, options)
        kept = in_design[row]
        row, rank = row[kept], rank[kept]
        gains = np.zeros(len(row))
        if len(row):
            gains = document_gains(numerator, rank, qrels.grade[row], settings)[:, 0]
        mean = ratio(segment_sums(group[row], gains, num_groups), size)
        squares = segment_sums(group[row], gains**2, num_groups) - size * mean**2
        variances.append(ratio(np.maximum(squares, 0), size - 1)[is_used])
    rate = np.tile([float(each.rate) for each in strata], len(qrels.topics))
    return GainVariances(size[is_used], rate[is_used], np.array(variances))


def _retrieved_rows_and_ranks(
    run: Input, qrels: Qrels, options: SampleOptions
) -> tuple[RowIndices, DocumentRanks]:
    """The rows of the qrels that a run retrieved, and their ranks."""
    excluded = read_excluded(options.exclude)

    def rank_kept_rows(rows: Rows) -> Ranked:
        rows = rows if excluded is None else excluded.kept_rows(rows)
        return rank_rows(rows, qrels, RankingRule())

    layout = run_layout(options.run_format, columns=options.own_columns)
    parts = map_topics(run, layout, rank_kept_rows, default_threads()).results
    row = np.concatenate([part.row for part in parts])
    rank = np.concatenate([part.rank for part in parts])
    return row, rank
