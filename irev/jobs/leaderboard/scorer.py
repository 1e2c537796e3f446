"""What a worker does with a submission: read, check and score it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.engine.alignment import (
    LARGEST,
    ScoredRun,
    aligned,
    defined,
    not_compared,
    part_of_scores,
    parts_with_scores,
    shared_columns,
)
from irev.engine.confined.workers import Answer
from irev.engine.evaluator import Evaluator
from irev.engine.gather import is_told
from irev.engine.twins import order_of
from irev.errors import InputError, MismatchError, Problem
from irev.jobs.leaderboard.scoring import Facts, OrderOf, SentRun
from irev.measures.naming.result_columns import column_positions
from irev.read.stream import STDIN, FoundFolder, Source
from irev.scores.saved import begins_saved
from irev.scores.signature import contradictions
from irev.scores.table import RunInfo

if TYPE_CHECKING:
    from collections.abc import Iterable

    from irev.core.arrays import Floats
    from irev.engine.confined.limits import Limits
    from irev.engine.confined.workers import Work
    from irev.errors import Notice
    from irev.jobs.leaderboard.scoring import ScoredBy
    from irev.scores.scores import Scores


def scorer(by: ScoredBy, limits: Limits) -> tuple[Facts, Work]:
    """Read the judgments: what is the same for all submissions, and what scores one."""
    if by.plugins:
        from irev.measures.plugins import load_plugin

        for name in by.plugins:
            load_plugin(name)
    evaluator = Evaluator(by.qrels, by.measures, by.options, format=by.format, sign=True)
    columns = shared_columns((), by.measures, evaluator.columns, by.options)
    doubts = (*filter(is_told, evaluator.notices), *not_compared(by.measures, by.options))
    facts = Facts(columns, evaluator.topics, doubts)
    # what is read from here on is strangers'
    Source.most = limits.max_size
    return facts, _Scorer(by, evaluator, facts)


class _Scorer:
    """Scores submissions."""

    def __init__(self, by: ScoredBy, evaluator: Evaluator, facts: Facts) -> None:
        self._by, self._evaluator, self._facts = by, evaluator, facts
        # what saved scores are set beside
        nothing = np.zeros((len(facts.topics), len(facts.columns)))
        self._run = ScoredRun(RunInfo("a run", ""), facts.topics, facts.columns, nothing)

    def __call__(self, path: str) -> Answer:
        """The scores of a submission, or the order of its documents."""
        if isinstance(path, OrderOf):
            evaluator = self._evaluator
            layout, ranking = evaluator.run_layout, evaluator.yardstick.ranking
            return Answer(order_of(path.path, layout, ranking, 1))
        parts = parts_with_scores(path) if self._by.accepts else []
        for part in parts:
            self._check_saved(part)
        sent = [self._sent(part) for part in parts]
        if not parts:
            scores = self._scored(path)
            parts = [part_of_scores("", path, scores)]
            sent = [self._sent(parts[0], filter(is_told, scores.notices))]
        return Answer(sent, b"".join(map(self._values, parts)))

    def _scored(self, path: str) -> Scores:
        if isinstance(path, FoundFolder):
            scores = self._evaluator.evaluate_silently(path)
        else:
            scores = self._of_file(path)
        if not (np.abs(scores.values) < LARGEST).all():
            part = part_of_scores(path, path, scores)
            columns, options = self._facts.columns, self._by.options
            defined(aligned([part], columns, options)[0], self._by.drops)
        return scores

    def _of_file(self, path: str) -> Scores:
        with Source(path, sign=True) as source:
            head = source.head()
            try:
                return self._evaluator.evaluate_silently(source)
            except InputError:
                if path != STDIN and begins_saved(head):
                    what, hint = (
                        "these are saved scores, not a run",
                        "use --accept-scores to accept them",
                    )
                    raise InputError([Problem(path, None, "saved-scores", what, hint)]) from None
                raise

    def _check_saved(self, part: ScoredRun) -> None:
        """Refuse scores that cannot stand beside those of runs."""
        by, evaluator = self._by, self._evaluator
        found = part.entry.signature and contradictions(
            evaluator.signature, part.entry.signature, means=False
        )
        if found:
            raise MismatchError(
                f"its scores were not made as those of the runs: {'; '.join(found)}"
            )
        shared_columns([part], by.measures, evaluator.columns, by.options)
        beside, _ = aligned([self._run, part], self._facts.columns, by.options)
        defined(beside, drop=False)

    def _sent(self, part: ScoredRun, doubts: Iterable[Notice] = ()) -> SentRun:
        entry = part.entry
        return SentRun(
            entry.name, entry.run_id, entry.missing, entry.duplicates,
            entry.signature.long if entry.signature else None, entry.sha256, entry.is_saved,
            None if part.topics == self._facts.topics else part.topics,
            [*doubts],
        )  # fmt: skip

    def _values(self, part: ScoredRun) -> bytes:
        """float64[topics, columns], as they lie in memory."""
        found = column_positions(self._facts.columns, part.columns)
        values: Floats = part.values[:, [at for at in found if at is not None]]
        return values.tobytes()
