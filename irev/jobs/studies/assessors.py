"""Several assessors' judgments of the same topics, and how far they move a mean."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.core.text import escape_non_utf8
from irev.core.wording import count_text
from irev.core.workers import default_threads
from irev.engine.judged_share import judged_ids, run_totals
from irev.engine.map_topics import map_topics
from irev.engine.prepared_judgments import PreparedJudgments, RunPart, read_judgments
from irev.engine.score_warnings import judgment_warnings, unjudged_warnings
from irev.errors import MismatchError, UsageError
from irev.jobs.plots.result_parts import add_signature, input_label
from irev.jobs.studies.changes import Scorer
from irev.jobs.studies.plans import OF_ASSESSORS
from irev.jobs.studies.repeated_judgments import outcome_of
from irev.jobs.studies.run_rankings import highest_grade, lacking
from irev.options import Options
from irev.rank.judgments import GradedJudgments
from irev.read.formats import run_layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from irev.core.arrays import Floats
    from irev.core.model import Input, Qrels, Rows
    from irev.errors import Notice, Told
    from irev.jobs.study_result import StudyResult
    from irev.rank.order import RankingRule


def noise_of_assessors(
    qrels: Sequence[Input],
    run: Input,
    measures: Sequence[str] = ("AP",),
    *,
    format: str = "qrels",
    options: Options | None = None,
) -> StudyResult:
    """How far the judgments of several assessors move the mean score of a run.

    Topics that not every input has, and those with fewer than two judgments, are left out; one that
    the run lacks counts as 0. The a-th
    judgment of a topic is that of the a-th input or, within one, of the a-th group in byte order.

    `qrels`: judgments, each as `irev.evaluate` takes them.

    Returns:
        Tables `variance` (`repeated_judgments.ROWS` for each measure), `parts` and `topics` (mean,
        variance and standard deviation of each topic), with figures.
    """
    options = options or Options()
    if format not in OF_ASSESSORS:
        known = " or ".join(OF_ASSESSORS)
        raise UsageError(f"several assessors' judgments are {known}, not {format}")
    Scorer(measures, options, 1.0)  # a wrong name is said before a file is opened
    threads = options.threads or default_threads()
    every = [read_judgments(one, format, [], options, threads).qrels for one in qrels]
    scorer = Scorer(measures, options, max(map(highest_grade, every)))
    ranking = _ranking(scorer, options)
    judgment_sets = [
        PreparedJudgments(GradedJudgments(one, scorer.settings), scorer.requests, ranking)
        for one in every
    ]
    by_topic, doubts = _by_topic(judgment_sets, run, scorer, options, threads)
    kept = {topic: scores for topic, scores in by_topic.items() if len(scores) > 1}
    if not kept:
        raise MismatchError("no topic of the run has two judgments in these qrels")
    missing = _missing(every, by_topic)
    nothing = np.zeros(len(scorer.names))
    kept.update((topic, [nothing] * count) for topic, count in missing.items())
    parameters = {
        "qrels": [input_label(one) for one in qrels], "format": format, "run": input_label(run),
        "measures": list(scorer.names), "level": options.level,
    }  # fmt: skip
    topics = sorted(kept)
    values = [np.stack(kept[topic]) for topic in topics]
    notes: tuple[Told, ...] = (
        f"{len(topics)} topics",
        *_notes(len({topic for one in every for topic in one.topics}) - len(topics), values),
        *lacking(sorted(missing), "counted as 0"),
        *doubts,
    )
    names = [escape_non_utf8(topic) for topic in topics]
    outcome = outcome_of(scorer.names, names, values, parameters, notes)
    return add_signature(
        outcome, scorer.definitions, options.replace(topics="qrels"), qrels=qrels, runs=[run],
        qrels_format=format, divisor=len(topics),
    )  # fmt: skip


def _missing(every: Sequence[Qrels], seen: Iterable[bytes]) -> dict[bytes, int]:
    """The topics that all have judged and the run lacks, those of several judgments: how many."""
    common = set(every[0].topics).intersection(*(one.topics for one in every)).difference(seen)
    count = {
        topic: sum(int(np.diff(one.list_start)[one.topic_index[topic]]) for one in every)
        for topic in common
    }
    return {topic: number for topic, number in count.items() if number > 1}


def _ranking(scorer: Scorer, options: Options) -> RankingRule:
    return replace(
        options.ranking("qrels"),
        spans=any(request.measure.ties for request in scorer.requests),
        scores=any(request.measure.scores for request in scorer.requests),
    )


def _by_topic(
    judgment_sets: Sequence[PreparedJudgments],
    run: Input,
    scorer: Scorer,
    options: Options,
    threads: int,
) -> tuple[dict[bytes, list[Floats]], list[Notice]]:
    """The scores of each topic that the run and all judgments have, a judgment after another.

    And what makes them doubtful.
    """

    def parts(rows: Rows) -> list[RunPart]:
        return [prepared_judgments.run_part(rows) for prepared_judgments in judgment_sets]

    layout = run_layout(options.run_format, decimal_comma=options.decimal_comma)
    read = map_topics(run, layout, parts, threads)
    doubts, results = [*read.notices], read.results
    by_topic: dict[bytes, list[Floats]] = {}
    seen: dict[bytes, int] = {}
    for number, prepared_judgments in enumerate(judgment_sets):
        own = [parts_of[number] for parts_of in results]
        doubts += judgment_warnings(
            prepared_judgments.qrels, prepared_judgments.requests, is_graded=True
        )
        known = partial(judged_ids, prepared_judgments.qrels)
        about = [part.judged_share for part in own if part.judged_share]
        doubts += unjudged_warnings(run_totals(about), known) if about else ()
        values = list(prepared_judgments.values(own))
        lists = np.concatenate([each.lists for each in values])
        scores = np.concatenate([each.values for each in values])[:, scorer.columns]
        order = np.argsort(lists)
        for topic, row in zip(
            _topics(prepared_judgments.qrels, lists[order]), scores[order], strict=True
        ):
            by_topic.setdefault(topic, []).append(row)
        for topic in set(_topics(prepared_judgments.qrels, lists)):
            seen[topic] = seen.get(topic, 0) + 1
    found = {topic: rows for topic, rows in by_topic.items() if seen[topic] == len(judgment_sets)}
    return found, doubts


def _topics(qrels: Qrels, lists: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> list[bytes]:
    return [qrels.topics[number] for number in qrels.topic_of_list[lists].tolist()]


def _notes(left_out: int, values: Sequence[Floats]) -> tuple[str, ...]:
    notes = []
    if left_out:
        which = count_text(left_out, "topic")
        notes.append(f"{which} left out: without two judgments, or not in all of these qrels")
    counts = {len(each) for each in values}
    if len(counts) > 1:
        notes.append(
            f"topics have {min(counts)} to {max(counts)} judgments; mean V_p is of the "
            f"first {min(counts)} of each"
        )
    return tuple(notes)
