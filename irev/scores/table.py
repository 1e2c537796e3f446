"""Scores of several runs on the same topics: a matrix, topics x runs, for each measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Bools, Floats, column_means
from irev.core.record import record
from irev.core.text import as_text
from irev.core.wording import listed
from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.core.model import Column
    from irev.scores.signature import Signature


@record
class RunInfo:
    """One run among others.

    name        what it is called, unlike any other
    path        where its scores come from
    run_id      its tag; empty where it is not known
    missing     judged topics that it lacks, in byte order: its scores there are 0
    duplicates  how many repeated documents were left out
    signature   how its scores came about; None where nothing is known
    sha256      of the file that saved scores were read from; None for a run
    is_saved    whether they were read, not worked out from a run: which topics are judged is not
                known from them
    """

    name: str
    path: str
    run_id: bytes = b""
    missing: tuple[bytes, ...] = ()
    duplicates: int = 0
    signature: Signature | None = None
    sha256: str | None = None
    is_saved: bool = False


@record
class ScoreTable:
    """The scores of S runs on T topics under C measures.

    topics   T ids, in byte order
    runs     S runs, in the order of their names
    columns  C measures, in the order they were asked for
    values   float64[C, T, S], all finite
    weights  float64[T], where topics do not weigh the same
    classes  name -> bool[T], the topics of a class
    """

    topics: tuple[bytes, ...]
    runs: tuple[RunInfo, ...]
    columns: tuple[Column, ...]
    values: Floats
    weights: Floats | None = None
    classes: Mapping[str, Bools] | None = None

    @property
    def run_names(self) -> tuple[str, ...]:
        """The names of the runs, in order."""
        return tuple(entry.name for entry in self.runs)

    @property
    def measure_names(self) -> tuple[str, ...]:
        """The printed names of the measures, in order."""
        return tuple(column.name for column in self.columns)

    def column(self, measure: str) -> Column:
        """A measure by its printed name."""
        return self.columns[self.measure_names.index(measure)]

    def scores(self, measure: str) -> Floats:
        """float64[T, S]: the scores under a measure, by its printed name."""
        scores: Floats = self.values[self.measure_names.index(measure)]
        return scores

    def contributions(self, measure: str) -> Floats:
        """float64[T, S]: what each topic contributes, so that a plain mean is the weighted one.

        Score times weight, times T over the sum of the weights; the scores where none has a weight.
        """
        scores = self.scores(measure)
        if self.weights is None:
            return scores
        total = float(np.cumsum(self.weights)[-1])
        if not total:
            return np.zeros_like(scores)
        found: Floats = scores * (self.weights * (len(self.topics) / total))[:, None]
        return found

    def linearised(self, measure: str) -> Floats:
        """float64[T, S]: what intervals and t tests of the weighted means are to be made of.

        m + w_t (x_t - m) T / Σ w, where m = Σ w x / Σ w is the run's mean: the plain mean of these
        is m, their plain standard error that of the ratio estimator, (T / (T-1) Σ w² (x - m)²)^½
        / Σ w. What a topic contributes varies with the weights too, though every score be m. The
        scores where no topic has a weight.

        Source: W. G. Cochran, Sampling Techniques (1977), ch. 6.
        """
        scores = self.scores(measure)
        if self.weights is None:
            return scores
        means = self.means(measure)
        total = float(np.cumsum(self.weights)[-1])
        if not total:
            return np.zeros_like(scores)
        share = (self.weights * (len(self.topics) / total))[:, None]
        found: Floats = means + (scores - means) * share
        return found

    @property
    def df(self) -> float | None:
        """The degrees of freedom of t: Kish's number of topics less 1, and 1 at least.

        (Σ w)² / Σ w² topics of one weight would tell as much as these. None: no topic has a
        weight, and T topics have T - 1.

        Source: L. Kish, Survey Sampling (1965).
        """
        if self.weights is None or not self.weights.any():
            return None
        total, squares = (float(np.cumsum(each)[-1]) for each in (self.weights, self.weights**2))
        return max(1.0, total**2 / squares - 1)

    def means(self, measure: str) -> Floats:
        """float64[S]: the runs' means over the topics, weighted where topics have weights."""
        scores = self.contributions(measure)
        if not len(scores):
            return np.zeros(len(self.runs))
        return column_means(scores)

    def run_index(self, run: str) -> int:
        """Which column a run has: by its name, its path or, where that is one run's, its tag."""
        for names in (
            self.run_names,
            [entry.path for entry in self.runs],
            [as_text(entry.run_id) for entry in self.runs],
        ):
            if names.count(run) == 1:
                return names.index(run)
        raise UsageError(f"no run is called '{run}': there is {listed(self.run_names, 8)}")

    def with_topics(self, chosen: Bools) -> ScoreTable:
        """The same on some of the topics."""
        topics = tuple(t for t, kept in zip(self.topics, chosen.tolist(), strict=True) if kept)
        members = frozenset(topics)
        return replace(
            self,
            topics=topics,
            runs=tuple(
                replace(entry, missing=tuple(t for t in entry.missing if t in members))
                for entry in self.runs
            ),
            values=self.values[:, chosen],
            weights=None if self.weights is None else self.weights[chosen],
            classes=None
            if self.classes is None
            else {name: of_class[chosen] for name, of_class in self.classes.items()},
        )

    def with_runs(self, numbers: Sequence[int]) -> ScoreTable:
        """The same with some of the runs, in the order of their names."""
        kept = sorted(numbers)
        return replace(
            self,
            runs=tuple(self.runs[number] for number in kept),
            values=self.values[:, :, kept],
        )

    def with_class(self, name: str) -> ScoreTable:
        """The same on the topics of a class."""
        assert self.classes is not None  # noqa: S101 - whoever names one knows of them
        return replace(self.with_topics(self.classes[name]), classes=None)
