"""Several assessors' judgments of the same topics, and how far they move a mean."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.core.text import escape_non_utf8
from irev.core.wording import count_text
from irev.core.workers import default_threads
from irev.engine.evaluate import excluded_of_options
from irev.engine.judged_counts import judged_ids, run_totals
from irev.engine.map_topics import map_topics
from irev.engine.prepared_judgments import PreparedJudgments, RunPart, read_judgments
from irev.engine.score_warnings import judgment_warnings, unjudged_warnings
from irev.errors import MismatchError, UsageError, note
from irev.jobs.plots.plot import add_signature, input_label
from irev.jobs.studies.judgment_changes import StackScorer
from irev.jobs.studies.options.judgment_noise import JUDGMENT_FORMATS
from irev.jobs.studies.repeated_judgments import noise_result
from irev.jobs.studies.run_rankings import highest_grade
from irev.options import Options
from irev.rank.judged_lists import index_pairs_refusing_duplicates
from irev.rank.judgments import GradedJudgments
from irev.read.formats import run_layout
from irev.scores.scores import missing_topic_warnings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from irev.core.arrays import Floats, MeasureValues, RankingsByMeasures
    from irev.core.judged import Input, Qrels, Rows
    from irev.errors import Notice
    from irev.jobs.study_result import StudyResult
    from irev.rank.ranking import RankingRule


def noise_of_assessors(
    qrels_of_assessors: Sequence[Input],
    run: Input,
    measures: Sequence[str] = ("AP",),
    *,
    qrels_format: str = "qrels",
    options: Options | None = None,
) -> StudyResult:
    """How far the judgments of several assessors move the mean score of a run.

    Topics that not every input has, and those with fewer than two judgments, are left out; one that
    the run lacks counts as 0. The a-th
    judgment of a topic is that of the a-th input or, within one, of the a-th group in byte order.

    `qrels_of_assessors`: judgments, each as `irev.evaluate` takes them.

    Returns:
        Tables `variance` (`repeated_judgments.ROWS` for each measure), `parts` and `topics` (mean,
        variance and standard deviation of each topic), with figures.
    """
    options = options or Options()
    if qrels_format not in JUDGMENT_FORMATS:
        formats = " or ".join(JUDGMENT_FORMATS)
        raise UsageError(f"several assessors' judgments are {formats}, not {qrels_format}")
    StackScorer(measures, options, 1.0)  # a wrong name is said before a file is opened
    threads = options.threads or default_threads()
    all_qrels = [
        read_judgments(one, qrels_format, [], options, threads).qrels for one in qrels_of_assessors
    ]
    scorer = StackScorer(measures, options, max(map(highest_grade, all_qrels)))
    ranking = _ranking_rule(scorer, options)
    judgment_sets = [
        PreparedJudgments(GradedJudgments(one, scorer.settings), scorer.requests, ranking)
        for one in all_qrels
    ]
    values_by_topic, warnings = _values_by_topic(judgment_sets, run, scorer, options, threads)
    used_values = {
        topic_id: values for topic_id, values in values_by_topic.items() if len(values) > 1
    }
    if not used_values:
        raise MismatchError("no topic of the run has two judgments in these qrels")
    missing_counts = _judgment_counts_of_topics_missing_from_run(all_qrels, values_by_topic)
    zero_values = np.zeros(len(scorer.names))
    used_values.update(
        (topic_id, [zero_values] * count) for topic_id, count in missing_counts.items()
    )
    parameters = {
        "qrels": [input_label(one) for one in qrels_of_assessors], "format": qrels_format,
        "run": input_label(run), "measures": list(scorer.names), "level": options.level,
    }  # fmt: skip
    topic_ids = sorted(used_values)
    topic_values = [np.stack(used_values[topic_id]) for topic_id in topic_ids]
    notes = (
        note(count_text(len(topic_ids), "topic")),
        *map(
            note,
            _unequal_judgments_notes(
                len({topic_id for one in all_qrels for topic_id in one.topics}) - len(topic_ids),
                topic_values,
            ),
        ),
        *missing_topic_warnings({"the run": sorted(missing_counts)}, consequence="counted as 0"),
        *warnings,
    )
    names = [escape_non_utf8(topic_id) for topic_id in topic_ids]
    result = noise_result(scorer.names, names, topic_values, parameters, notes)
    return add_signature(
        result, scorer.definitions, options.replace(topics="qrels"), qrels=qrels_of_assessors,
        runs=[run], qrels_format=qrels_format, divisor=len(topic_ids),
    )  # fmt: skip


def _judgment_counts_of_topics_missing_from_run(
    all_qrels: Sequence[Qrels], run_topic_ids: Iterable[bytes]
) -> dict[bytes, int]:
    """The topics that all have judged and the run lacks, those of several judgments: how many."""
    missing_topic_ids = (
        set(all_qrels[0].topics)
        .intersection(*(one.topics for one in all_qrels))
        .difference(run_topic_ids)
    )
    judgment_counts = {
        topic_id: sum(int(np.diff(one.list_start)[one.topic_index[topic_id]]) for one in all_qrels)
        for topic_id in missing_topic_ids
    }
    return {topic_id: count for topic_id, count in judgment_counts.items() if count > 1}


def _ranking_rule(scorer: StackScorer, options: Options) -> RankingRule:
    return replace(
        options.ranking_rule("qrels"),
        spans=any(request.measure.ties for request in scorer.requests),
        scores=any(request.measure.scores for request in scorer.requests),
    )


def _values_by_topic(
    judgment_sets: Sequence[PreparedJudgments],
    run: Input,
    scorer: StackScorer,
    options: Options,
    threads: int,
) -> tuple[dict[bytes, list[MeasureValues]], list[Notice]]:
    """The scores of each topic that the run and all judgments have, a judgment after another.

    And what makes them doubtful.
    """
    excluded = excluded_of_options(options)

    def parts(rows: Rows) -> list[RunPart]:
        if excluded is not None:
            index_pairs_refusing_duplicates(rows, rows.topic_of_row, len(rows.topics))
            rows = excluded.kept_rows(rows)
        return [prepared_judgments.run_part(rows) for prepared_judgments in judgment_sets]

    layout = run_layout(
        options.run_format, decimal_comma=options.decimal_comma, columns=options.own_columns
    )
    mapped = map_topics(run, layout, parts, threads)
    warnings, parts_by_rows = [*mapped.notices], mapped.results
    values_by_topic: dict[bytes, list[Floats]] = {}
    num_sets_of_topic: dict[bytes, int] = {}
    for set_index, prepared_judgments in enumerate(judgment_sets):
        parts_of_set = [parts_of[set_index] for parts_of in parts_by_rows]
        warnings += judgment_warnings(
            prepared_judgments.qrels, prepared_judgments.requests, options.level, is_graded=True
        )
        ids_of_topic = partial(judged_ids, prepared_judgments.qrels)
        counts_of_parts = [part.judged_counts for part in parts_of_set if part.judged_counts]
        warnings += (
            unjudged_warnings(run_totals(counts_of_parts), ids_of_topic) if counts_of_parts else ()
        )
        list_values = list(prepared_judgments.measure_in_batches(parts_of_set))
        list_indices = np.concatenate([part_values.lists for part_values in list_values])
        value_rows = np.concatenate([part_values.values for part_values in list_values])[
            :, scorer.column_indices
        ]
        order = np.argsort(list_indices)
        for topic_id, values in zip(
            _topic_ids_of_lists(prepared_judgments.qrels, list_indices[order]),
            value_rows[order],
            strict=True,
        ):
            values_by_topic.setdefault(topic_id, []).append(values)
        for topic_id in set(_topic_ids_of_lists(prepared_judgments.qrels, list_indices)):
            num_sets_of_topic[topic_id] = num_sets_of_topic.get(topic_id, 0) + 1
    complete_values = {
        topic_id: rows
        for topic_id, rows in values_by_topic.items()
        if num_sets_of_topic[topic_id] == len(judgment_sets)
    }
    return complete_values, warnings


def _topic_ids_of_lists(
    qrels: Qrels, list_indices: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
) -> list[bytes]:
    return [qrels.topics[topic_index] for topic_index in qrels.topic_of_list[list_indices].tolist()]


def _unequal_judgments_notes(
    num_topics_left_out: int, values_by_topic: Sequence[RankingsByMeasures]
) -> tuple[str, ...]:
    notes = []
    if num_topics_left_out:
        topics_text = count_text(num_topics_left_out, "topic")
        notes.append(f"{topics_text} left out: without two judgments, or not in all of these qrels")
    counts = {len(values) for values in values_by_topic}
    if len(counts) > 1:
        notes.append(
            f"topics have {min(counts)} to {max(counts)} judgments; mean V_p is of the "
            f"first {min(counts)} of each"
        )
    return tuple(notes)
