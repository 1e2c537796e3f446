"""What a worker does with a submission: read, check and score it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.text import as_text, cut_text
from irev.engine.confined import Answer
from irev.engine.doubts import ranking_hash_unless_ties_by_grade
from irev.engine.evaluate import RunEvaluator
from irev.engine.join_scores import (
    LARGEST,
    align_topics,
    drop_or_refuse_undefined_topics,
    no_topic_values_warnings,
    run_tables_if_saved,
    scored_run_table,
    shared_columns,
)
from irev.engine.run_files import refuse_too_many_runs
from irev.engine.score_runs import warns_of_run_or_judgments
from irev.errors import InputError, MismatchError
from irev.jobs.leaderboard.kept_scores import UNCHANGED, can_be_kept, scoring_key
from irev.jobs.leaderboard.scoring import (
    DocumentOrderRequest,
    ScoringFacts,
    SentRunInfo,
)
from irev.measures.naming.resolve import column_positions, column_with_bounds
from irev.read.run_tables import run_table
from irev.read.stream import STDIN, FoundFolder, Source, sha256_of_decompressed_file
from irev.read.tables import is_structured
from irev.scores.saved import has_nested_scores, is_saved_head, is_score_parquet
from irev.scores.saved_runs import saved_scores_error
from irev.scores.signature import contradictions
from irev.scores.table import RunInfo, ScoreTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.core.arrays import Floats
    from irev.engine.confined import Limits, Work
    from irev.errors import Notice
    from irev.jobs.leaderboard.scoring import ScoringSetup
    from irev.read.stream import RunInTable
    from irev.scores.scores import Scores


def prepare_scoring(setup: ScoringSetup, limits: Limits) -> tuple[ScoringFacts, Work]:
    """Read the judgments: what is the same for all submissions, and what scores one."""
    if setup.plugins:
        from irev.measures.plugins import load_plugin

        for name in setup.plugins:
            load_plugin(name)
    evaluator = RunEvaluator(
        setup.qrels, setup.measures, setup.options, qrels_format=setup.qrels_format, sign=True,
        first_documents=setup.first_documents,
    )  # fmt: skip
    columns = tuple(
        column_with_bounds(column, setup.ranges)
        for column in shared_columns((), setup.measures, evaluator.columns, setup.options)
    )
    warnings = (
        *filter(warns_of_run_or_judgments, evaluator.notices),
        *no_topic_values_warnings(setup.measures, setup.options),
    )
    key = "" if setup.kept_key is None else scoring_key(setup, limits, evaluator.signature)
    facts = ScoringFacts(columns, evaluator.topics, warnings, key)
    # what is read from here on is strangers'
    Source.most = limits.max_size
    return facts, _Scorer(setup, evaluator, facts)


class _Scorer:
    """Scores submissions."""

    def __init__(self, setup: ScoringSetup, evaluator: RunEvaluator, facts: ScoringFacts) -> None:
        self._setup, self._evaluator, self._facts = setup, evaluator, facts
        # what saved scores are set beside
        zeros = np.zeros((len(facts.columns), len(facts.topics), 1))
        self._zero_table = ScoreTable(facts.topics, (RunInfo("a run", ""),), facts.columns, zeros)

    def __call__(self, path: str) -> Answer:
        """The scores of a submission, or the orders of its documents."""
        if isinstance(path, DocumentOrderRequest):
            return Answer(self._document_orders(path))
        if self._is_unchanged(path):
            return Answer(UNCHANGED)
        tables = self._saved_tables(path)
        self._check_num_runs(path, len(tables))
        for table in tables:
            self._check_saved(table)
        sent = [self._run_info_to_send(table, table.warnings) for table in tables]
        for name, scores in () if tables else self._scores_by_run(path):
            table = scored_run_table(name, path, scores)
            tables.append(table)
            warnings = filter(warns_of_run_or_judgments, scores.notices)
            sent.append(self._run_info_to_send(table, warnings))
        return Answer(sent, b"".join(map(self._values, tables)))

    def _document_orders(self, request: DocumentOrderRequest) -> list[str | None]:
        """A hash of the order of the documents of each run."""
        evaluator = self._evaluator
        layout, ranking = evaluator.run_layout, evaluator.prepared_judgments.ranking
        runs = {as_text(each.run): each for each in self._runs(request.path)}
        return [
            ranking_hash_unless_ties_by_grade(runs.get(name, request.path), layout, ranking, 1)
            for name in request.runs
        ]

    def _saved_tables(self, path: str) -> list[ScoreTable]:
        """The tables of a file of saved scores, where such are taken."""
        if not self._setup.accepts_scores:
            return []
        return run_tables_if_saved(path, self._setup.ranges, self._evaluator.options.own_columns)

    def _is_unchanged(self, path: str) -> bool:
        """Whether the scores of this file are kept."""
        setup = self._setup
        return (
            setup.kept_key == self._facts.key != ""
            and path in setup.kept_sha256
            and can_be_kept(path)
            and sha256_of_decompressed_file(path) == setup.kept_sha256[path]
        )

    def _runs(self, path: str) -> Sequence[RunInTable]:
        """The runs of a table that holds several."""
        table = run_table(path, self._evaluator.options.own_columns)
        return () if table is None else table.runs

    def _scores_by_run(self, path: str) -> Iterator[tuple[str, Scores]]:
        """The scores of the runs in a file or folder, of which a table may hold several."""
        if isinstance(path, FoundFolder):
            scored = self._scores_of_table(path) or [("", self._evaluator.evaluate_silently(path))]
        else:
            scored = self._scores_of_file(path)
        for name, scores in scored:
            if not (np.abs(scores.values) < LARGEST).all():
                table = scored_run_table(path, path, scores)
                columns, options = self._facts.columns, self._setup.options
                drop_or_refuse_undefined_topics(
                    align_topics([table], columns, options)[0], self._setup.drops_undefined
                )
            yield name, scores

    def _check_num_runs(self, path: str, num_runs: int) -> None:
        refuse_too_many_runs(path, num_runs, self._setup.max_runs, is_only=self._setup.is_only)

    def _scores_of_table(self, path: str) -> list[tuple[str, Scores]]:
        runs = self._runs(path)
        self._check_num_runs(path, len(runs))
        return [(as_text(run.run), self._evaluator.evaluate_silently(run)) for run in runs]

    def _scores_of_file(self, path: str) -> list[tuple[str, Scores]]:
        answers = self._evaluator.prepared_judgments.answers
        if answers is not None and answers.is_run_name(path):
            return [("", self._evaluator.evaluate_silently(str(path)))]
        with Source(path, sign=True) as source:
            head = source.head()
            if has_nested_scores(head):  # which could be read as a run
                raise saved_scores_error(path)
            try:
                scored = []
                if is_structured(head, self._evaluator.options.own_columns):
                    scored = self._scores_of_table(path)
                return scored or [("", self._evaluator.evaluate_silently(source))]
            except InputError:
                if path != STDIN and (is_saved_head(head) or is_score_parquet(path)):
                    raise saved_scores_error(path) from None
                raise

    def _check_saved(self, table: ScoreTable) -> None:
        """Refuse scores that cannot stand beside those of runs."""
        setup, evaluator, signature = self._setup, self._evaluator, table.runs[0].signature
        reasons = signature and contradictions(evaluator.signature, signature, means=False)
        if reasons:
            raise MismatchError(
                f"its scores were not made as those of the runs: {'; '.join(reasons)}"
            )
        shared_columns([table], setup.measures, evaluator.columns, setup.options)
        beside, _ = align_topics([self._zero_table, table], self._facts.columns, setup.options)
        drop_or_refuse_undefined_topics(beside, may_drop=False)

    def _run_info_to_send(self, table: ScoreTable, warnings: Iterable[Notice] = ()) -> SentRunInfo:
        run = table.runs[0]
        return SentRunInfo(
            run.name, cut_text(run.run_id), run.missing, run.duplicates,
            run.signature.long if run.signature else None, run.sha256, run.is_saved,
            None if table.topics == self._facts.topics else table.topics,
            run.num_unjudged_topics, run.num_excluded, [_cut_warning(each) for each in warnings],
            None if run.first_documents is None else run.first_documents.values(),
        )  # fmt: skip

    def _values(self, table: ScoreTable) -> bytes:
        """float64[topics, columns], as they lie in memory."""
        columns = column_positions(self._facts.columns, table.columns)
        values: Floats = table.values[[at for at in columns if at is not None], :, 0].T
        return values.tobytes()


def _cut_warning(warning: Notice) -> Notice:
    return warning._replace(message=cut_text(warning.message), hint=cut_text(warning.hint))
