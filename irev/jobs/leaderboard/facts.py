"""How the numbers of a board were made: lines below it, signatures, the best score by topic."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.text import as_text
from irev.core.wording import count_text
from irev.scores.signature import ComparisonSignature, Signature, hash_of_topics
from irev.statistics.differences import groups_of_equals, scale_of
from irev.statistics.intervals import (
    Intervals,
    are_equal_scores,
    endless_intervals_note,
    equal_score_notes,
    exact_intervals_text,
)
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.jobs.leaderboard.board import BoardPart
    from irev.jobs.leaderboard.results import Board
    from irev.scores.table import RunInfo


class TopicRow(NamedTuple):
    """The scores of a topic: the best with the runs that have it, the median, the worst."""

    topic: str
    best: float
    runs: tuple[str, ...]
    median: float
    worst: float


def topic_rows(part: BoardPart) -> list[TopicRow]:
    """For each topic the best, the median and the worst score of the runs on a board."""
    scores = part.table.scores(part.by)
    upward = -scores if part.lower_is_better else scores
    scale = scale_of(scores)
    rows = []
    for topic, values, signed in zip(part.table.topics, scores, upward, strict=True):
        group = groups_of_equals(signed, scale)
        runs = [part.table.run_names[index] for index in np.flatnonzero(group == group.max())]
        rows.append(
            TopicRow(
                as_text(topic),
                float(values[signed.argmax()]),
                tuple(runs),
                float(np.median(values)),
                float(values[signed.argmin()]),
            )
        )
    return rows


def run_signature(part: BoardPart, only_run: RunInfo | None = None) -> Signature | None:
    """What the values of a run on a board came from; without a run, what all of them share.

    Topics that are only some of those evaluated are named by the hash of their list.
    """
    runs = part.table.runs if only_run is None else (only_run,)
    signatures = [run.signature for run in runs if run.signature]
    if not signatures:
        return None
    first = signatures[0]
    options, files = dict(first.options), dict(first.files)
    if part.name:
        options["topics"] = "listed"
        files["topics"] = hash_of_topics(part.table.topics)
    return replace(
        first, options=options, files=files, run=None if only_run is None else first.run,
        divisor=len(part.table.topics), seed=part.options.seed,
        dropped=sum(signature.dropped for signature in signatures),
    )  # fmt: skip


def short_run_signatures(part: BoardPart) -> Iterator[str]:
    """The short signature of the board for each of its standings.

    What the run's scores came from stands in it in place of what all scores share; the rest, in
    which all runs have a share, is the same for all.
    """
    signature = board_signature(part)
    rest = "" if signature is None else signature.short.removeprefix(signature.shared.short)
    for standing in part.standings:
        own = run_signature(part, part.run_info(standing))
        yield "" if own is None else replace(own, seed=None).short + rest


def board_signature(part: BoardPart) -> ComparisonSignature | None:
    """What a board came from: what its scores share, its runs, and the choices of the board."""
    shared = run_signature(part)
    if shared is None:
        return None
    options = part.options
    num_resamples = options.num_resamples(part.num_pairs) if part.is_tested else 0
    resamples = {"test": num_resamples} if num_resamples else {}
    if options.ci != "none" and INTERVALS[options.ci].default_resamples:
        resamples["bootstrap"] = options.resamples
    choices = {
        "by": part.by,
        "test": part.test_done if part.is_tested else "none",
        "correction": None if _is_corrected_in_itself(options.test) else options.correction,
        "interval": options.ci,
        "alpha": options.alpha,
        "resamples": resamples,
        "seed": options.seed,
        "family": part.num_pairs,
    }
    runs = {
        run.name: (run.signature and run.signature.run) or run.sha256 for run in part.table.runs
    }
    return ComparisonSignature(replace(shared, seed=None), runs, choices)


def _is_corrected_in_itself(test: str) -> bool:
    return test in TESTS and TESTS[test].simultaneous


def fact_lines(part: BoardPart) -> Iterator[str]:
    """How the numbers of a board were made, a line each."""
    yield from score_fact_lines(part)
    yield from _test_fact_lines(part)
    if part.options.ci != "none" and len(part.table.topics) < 2:
        yield "with one topic there is no interval"
    if len(part.table.runs) > 1:
        yield "w/t/l: topics on which a run is better than the best run, equal to it, and worse"


def score_fact_lines(part: BoardPart) -> Iterator[str]:
    """Of these lines those on means and their intervals, which stand first."""
    table, options = part.table, part.options
    num_topics, num_runs = len(table.topics), len(table.runs)
    weighted = ", weighted means" if table.weights is not None else ""
    order = "increasing" if part.lower_is_better else "decreasing"
    topics = (
        f"{count_text(num_topics, 'topic')}{weighted}; a judged topic that a run lacks counts as 0"
    )
    if table.common_topics_text:
        topics = f"{table.common_topics_text}{weighted}"
    yield f"{count_text(num_runs, 'run')} by {order} {part.by}, {topics}"
    level = f"{100 * (1 - options.alpha):g}%"
    resampling_text = f"{options.resamples} resamples of the topics, seed {options.seed}"
    if options.ci != "none" and num_topics > 1:
        interval = INTERVALS[options.ci]
        method_text = (
            f"{interval.phrase} {resampling_text}"
            if interval.default_resamples
            else interval.phrase
        )
        matrices = [table.linearised_score_matrix(column.name) for column in table.columns]
        exact = exact_intervals_text(matrices)
        yield f"{level} interval: of the mean, {method_text}{exact}, not simultaneous"
        if interval.may_be_endless:
            ends = zip(table.measure_names, part.low, part.high, matrices, strict=True)
            for name, low, high, matrix in ends:
                intervals = Intervals(
                    low, low, high, 1 - options.alpha, num_topics, are_equal_scores(matrix)
                )
                for line in endless_intervals_note(intervals, "means", interval.title):
                    yield f"{name}: {line}"
    if part.num_team_runs:
        yield (
            f"the best run of each team of {count_text(part.num_team_runs, 'run')}, chosen by "
            "these same scores: the means of such chosen runs are on average a little too high"
        )


def _test_fact_lines(part: BoardPart) -> Iterator[str]:
    options = part.options
    if not part.is_tested:
        if options.test != "none":
            yield "no test: a test needs at least two runs and two topics"
        return
    test, num_pairs = TESTS[part.test_done], part.num_pairs
    num_topics = len(part.table.topics)
    num_resamples = options.num_resamples(num_pairs)
    resampling_text = f", {num_resamples} resamples, seed {options.seed}" if num_resamples else ""
    test_phrase = test.phrase
    if not test.simultaneous:
        correction = CORRECTIONS[options.correction].phrase
        test_phrase = test_phrase.replace(" test", " tests") + f" with {correction}"
    team_text = f" of the {part.num_team_runs} runs" if part.num_team_runs else ""
    if test.question:
        test_phrase += f" (which tests {test.question})"
    yield (
        f"p: difference from the best run; {test_phrase}, two-sided, n = "
        f"{count_text(num_topics, 'topic')}, p corrected for the family of "
        f"{'1 pair' if num_pairs == 1 else f'all {num_pairs} pairs'}{team_text} under {part.by}"
        f"{resampling_text}; alpha {options.alpha:g}"
    )
    if part.moderation is not None:
        yield part.moderation.text()
    elif part.tested is not None and part.tested.result.reason:
        yield part.tested.result.reason
    yield (
        f"{100 * (1 - options.alpha):g}% places: the places compatible with the tests, for all "
        "runs at once"
    )
    yield "tied with best: no run is shown to be better"
    yield "runs in the same group do not differ significantly; that does not make them equal"
    yield from part.test_notes
    yield from (f"{part.by}: {line}" for line in equal_score_lines(part, part.by))


def equal_score_lines(part: BoardPart, measure: str) -> Iterator[str]:
    """Which runs have the same score on all topics, by the names that the board shows."""
    if part.options.ci != "none" and len(part.table.topics) > 1:
        yield from equal_score_notes(part.table.scores(measure), part.table.run_names)


def missing_topic_and_repeated_document_lines(part: BoardPart) -> Iterator[str]:
    """Which runs lack judged topics, or had repeated lines left out."""
    yield from map(str, part.table.missing_topic_warnings)
    for run in part.table.runs:
        if run.duplicates:
            lines = count_text(run.duplicates, "repeated line")
            yield f"{run.name}: {lines} left out, the first of each document kept"


def part_heading(board: Board, part: BoardPart) -> str:
    """The title of a board; empty where it is the only one."""
    return ": ".join(filter(None, (board.name, part.name)))


def other_measure_indices(part: BoardPart) -> Sequence[int]:
    """The measures that do not order the runs, by their indices."""
    return [index for index in range(len(part.table.columns)) if index != part.measure_index]
