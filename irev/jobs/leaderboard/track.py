"""A track: the parts of its topics, its boards, what could not be read, what a reader must know."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.record import record
from irev.core.text import as_text, printable
from irev.core.wording import count_text, list_beginning
from irev.errors import KINDS, InputError, MismatchError, UsageError, reason_of
from irev.scores.signature import ComparisonSignature, Signature, hash_of_topics
from irev.statistics.differences import groups_of_equals, scale_of
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from fractions import Fraction

    from irev.errors import IrevError, Notice
    from irev.jobs.leaderboard.board import Board
    from irev.scores.table import RunInfo, ScoreTable


MOST_TOLD = 100
"""How many submissions that could not be scored a text lists; data and the log have all."""

LIMITS = ("max-size", "max-memory", "max-seconds", "reader-crashed")
"""Kinds of problems whose messages are irev's own words, for whoever made the submission too."""


PUBLIC, PRIVATE = "public", "private"


@record
class Part:
    """Some of the topics.

    name      what it is called; empty for all topics
    table  the scores on them
    kind      "all", "split" (public or private) or "class"
    """

    name: str
    table: ScoreTable
    kind: str = "all"


def split(table: ScoreTable, public: frozenset[bytes]) -> tuple[Part, Part]:
    """The public topics and the private ones."""
    mask = np.array([topic in public for topic in table.topics])
    if mask.all() or not mask.any():
        which = "every topic is public" if mask.all() else "none of the topics is public"
        raise MismatchError(f"{which}: both parts need at least one topic")
    return (
        Part(PUBLIC, table.select_topics(mask), "split"),
        Part(PRIVATE, table.select_topics(~mask), "split"),
    )


def drawn(topics: Sequence[bytes], share: Fraction, seed: int) -> frozenset[bytes]:
    r"""A share of the topics: those with the lowest SHA-256 of `SEED \0 public \0 TOPIC`.

    The number is rounded, halves upward; at least 1, and one less than all of them at most. A
    larger share of the same seed holds a smaller one.
    """
    if len(topics) < 2:
        raise UsageError("--public: with one topic there is nothing to divide")
    nearest = (2 * share.numerator * len(topics) + share.denominator) // (2 * share.denominator)
    size = min(max(1, nearest), len(topics) - 1)
    return frozenset(sorted(topics, key=lambda topic: _key(seed, topic))[:size])


def unknown_note(table: ScoreTable, public: frozenset[bytes]) -> Iterator[str]:
    """Which of the topics that were listed as public are not there."""
    unknown = sorted(public.difference(table.topics))
    if unknown:
        which = f"{len(unknown)} topics listed as public are not among the judged ones"
        yield f"{which}: {list_beginning(unknown)}"


def with_classes(part: Part) -> Iterator[Part]:
    """A part, and behind it its topics of each class, where there are classes."""
    yield replace(part, table=replace(part.table, classes=None))
    for name, members in (part.table.classes or {}).items():
        if members.any():
            whose = f"{part.name}, {name}" if part.name else name
            yield Part(whose, part.table.select_class(name), "class")


def _key(seed: int, topic: bytes) -> bytes:
    return hashlib.sha256(b"%d\0public\0%s" % (seed, topic)).digest()


class Broken(NamedTuple):
    """A submission that could not be scored.

    path, line  the file, and the line of the first problem
    kind        of the first problem: one of `KINDS`
    said        all that is wrong, which quotes the file: for the organiser alone
    meaning     what is wrong, in words that quote nothing
    """

    path: str
    line: int | None
    kind: str
    said: str
    meaning: str

    @classmethod
    def of(cls, path: str, error: IrevError) -> Broken:
        """What an error says of a submission."""
        if isinstance(error, InputError):
            first = error.problems[0]
            # a limit that was hit is said with its size, and quotes nothing
            meaning = first.message if first.kind in LIMITS else KINDS[first.kind].meaning
            return cls(path, first.line, first.kind, str(error), meaning)
        said = printable(f"{path}: {reason_of(path, error)}")
        return cls(path, None, error.kind, said, KINDS[error.kind].meaning)

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return printable(f"{where}: {self.meaning}")


def broken_of(found: Iterable[tuple[str, IrevError]]) -> tuple[Broken, ...]:
    """The submissions that could not be scored, in the order of their paths."""
    return tuple(sorted(Broken.of(path, error) for path, error in found))


@record
class Track:
    """The boards of one evaluation.

    name    what it is called; empty where it is the only one
    boards  none where no submission could be scored
    broken  the submissions that are on no board
    notes   what a reader must know, a line each
    doubts  warnings that scores may mislead; their hints quote judgments and submissions
    hides   whether the names are made up, so that nothing may tell a file
    """

    name: str
    boards: tuple[Board, ...]
    broken: tuple[Broken, ...]
    notes: tuple[str, ...]
    doubts: tuple[Notice, ...] = ()
    hides: bool = False

    def broken_lines(self) -> Iterator[str]:
        """The submissions that could not be read, a line each, below a heading."""
        if not self.broken:
            return
        end = "" if self.hides else ":"
        yield f"{count_text(len(self.broken), 'submission')} could not be scored{end}"
        if not self.hides:
            yield from map(str, self.broken[:MOST_TOLD])
            if len(self.broken) > MOST_TOLD:
                yield f"... and {len(self.broken) - MOST_TOLD:,} more"


class TopicRow(NamedTuple):
    """The scores of a topic: the best with the runs that have it, the median, the worst."""

    topic: str
    best: float
    runs: tuple[str, ...]
    median: float
    worst: float


def topic_rows(board: Board) -> list[TopicRow]:
    """For each topic the best, the median and the worst score of the runs on a board."""
    scores = board.table.scores(board.by)
    upward = -scores if board.lower_is_better else scores
    scale = scale_of(scores)
    rows = []
    for topic, values, signed in zip(board.table.topics, scores, upward, strict=True):
        group = groups_of_equals(signed, scale)
        runs = [board.table.run_names[number] for number in np.flatnonzero(group == group.max())]
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


def signature(board: Board, entry: RunInfo | None = None) -> Signature | None:
    """What the values of a run on a board came from; without a run, what all of them share.

    Topics that are only some of those evaluated are named by the hash of their list.
    """
    given = board.table.runs if entry is None else (entry,)
    known = [each.signature for each in given if each.signature]
    if not known:
        return None
    first = known[0]
    options, files = dict(first.options), dict(first.files)
    if board.part:
        options["topics"] = "listed"
        files["topics"] = hash_of_topics(board.table.topics)
    return replace(
        first, options=options, files=files, run=None if entry is None else first.run,
        divisor=len(board.table.topics), seed=board.rules.seed,
        dropped=sum(each.dropped for each in known),
    )  # fmt: skip


def board_signature(board: Board, entry: RunInfo | None = None) -> ComparisonSignature | None:
    """What a board came from: what its scores share, its runs, and the choices of the board.

    With a run, what the scores of this one came from in place of what all of them share.
    """
    shared = signature(board, entry)
    if shared is None:
        return None
    rules, entries = board.rules, board.table.runs
    drawn = rules.drawn(board.family) if board.tested else 0
    resamples = {"test": drawn} if drawn else {}
    if rules.interval != "none" and INTERVALS[rules.interval].default_resamples:
        resamples["bootstrap"] = rules.resamples
    choices = {
        **rules.values_by_name(),
        "by": board.by,
        "family": board.family,
        "resamples": resamples,
    }
    runs = {each.name: (each.signature and each.signature.run) or each.sha256 for each in entries}
    return ComparisonSignature(replace(shared, seed=None), runs, choices)


def facts(board: Board) -> Iterator[str]:
    """How the numbers of a board were made, a line each."""
    table, rules = board.table, board.rules
    topics, runs = len(table.topics), len(table.runs)
    weighted = ", weighted means" if table.weights is not None else ""
    order = "increasing" if board.lower_is_better else "decreasing"
    yield (
        f"{count_text(runs, 'run')} by {order} {board.by}, "
        f"{count_text(topics, 'topic')}{weighted}; "
        "a judged topic that a run lacks counts as 0"
    )
    level = f"{100 * (1 - rules.alpha):g}%"
    drawn = f"{rules.resamples} resamples of the topics, seed {rules.seed}"
    if rules.interval != "none" and topics > 1:
        interval = INTERVALS[rules.interval]
        how = f"{interval.phrase} {drawn}" if interval.default_resamples else interval.phrase
        yield f"{level} interval: of each mean by itself, {how}"
    if board.of_runs:
        yield (
            f"the best run of each team of {count_text(board.of_runs, 'run')}, chosen by these "
            "same "
            "scores: the means of such chosen runs are on average a little too high"
        )
    yield from _test_facts(board, topics)
    if rules.interval != "none" and topics < 2:
        yield "with one topic there is no interval"
    if runs > 1:
        yield "w/t/l: topics on which a run is better than the best run, equal to it, and worse"


def _test_facts(board: Board, topics: int) -> Iterator[str]:
    rules = board.rules
    if not board.tested:
        if rules.test != "none":
            yield "no test: a test needs at least two runs and two topics"
        return
    test, pairs = TESTS[rules.test], board.family
    resamples = rules.drawn(pairs)
    drawn = f", {resamples} resamples, seed {rules.seed}" if resamples else ""
    called = test.phrase
    if not test.simultaneous:
        called = called.replace(" test", " tests") + f" with {CORRECTIONS[rules.correction].phrase}"
    whose = f" of the {board.of_runs} runs" if board.of_runs else ""
    if test.question:
        called += f" (which ask {test.question})"
    yield (
        f"p: difference from the best run; {called}, two-sided, n = "
        f"{count_text(topics, 'topic')}, p corrected for the family of "
        f"{'1 pair' if pairs == 1 else f'all {pairs} pairs'}{whose} under {board.by}{drawn}; "
        f"alpha {rules.alpha:g}"
    )
    yield (
        f"{100 * (1 - rules.alpha):g}% places: simultaneous for all runs, from these tests; a run "
        "comes after those shown to be better and before those shown to be worse"
    )
    yield "runs that share a group are not shown to differ, which does not show that they are equal"
    yield from board.doubts


def missing_lines(board: Board) -> Iterator[str]:
    """Which runs lack judged topics, or had repeated lines left out."""
    from irev.engine.score_runs import missing_topic_warnings

    yield from map(str, missing_topic_warnings(board.table))
    for entry in board.table.runs:
        if entry.duplicates:
            lines = count_text(entry.duplicates, "repeated line")
            yield f"{entry.name}: {lines} left out, the first of each document kept"


def heading(track: Track, board: Board) -> str:
    """The title of a board; empty where it is the only one."""
    return ": ".join(filter(None, (track.name, board.part)))


def others(board: Board) -> Sequence[int]:
    """The measures that do not order the runs, by their numbers."""
    return [row for row in range(len(board.table.columns)) if row != board.row]
