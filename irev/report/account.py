"""Which topics a result stands on, in words: for stderr and for the lines below a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.errors import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.scores import Scores

_MOST_IDS = 10


def left_out(scores: Scores) -> tuple[bytes, ...]:
    """The judged topics that the run lacks and that the averages do not count."""
    if scores.divisor > len(scores.topics):
        return ()
    counted = set(scores.topics)
    return tuple(topic for topic in scores.account.missing if topic not in counted)


def warnings(scores: Scores) -> list[str]:
    """What makes the averages doubtful."""
    return [*_missing(scores), *_repeats(scores)]


def _repeats(scores: Scores) -> list[str]:
    repeats = scores.account.repeats
    if not repeats:
        return []
    total = scores.account.duplicates
    lines = (
        "1 line that repeats a document of its topic was"
        if total == 1
        else (f"{total} lines that repeat a document of their topic were")
    )
    topics = tuple(topic for topic, _ in repeats)
    return [f"{lines} left out of the run, in {counted(topics, 'topic')}: {ids(topics)}"]


def _missing(scores: Scores) -> list[str]:
    missing = left_out(scores)
    if not missing:
        return []
    be, was, them = ("is", "was", "it") if len(missing) == 1 else ("are", "were", "them")
    return [
        f"{counted(missing, 'judged topic')} {be} missing from the run and {was} left out of the "
        f"averages: {ids(missing)} (use -c to count {them} as 0)"
    ]


def notes(scores: Scores) -> list[str]:
    """What else was left out and, where anything was, how many topics the averages are over."""
    said = _notes(scores)
    said = [*said, _divisor(scores)] if said or left_out(scores) else []
    return said + _class_notes(scores)


def sentence(scores: Scores) -> str:
    """One line: the divisor, and the topics that were left out."""
    parts = [_divisor(scores)]
    missing = scores.account.missing
    if missing:
        how = "" if left_out(scores) else ", counted as 0"
        parts.append(f"{counted(missing, 'judged topic')} missing from the run{how}")
        parts[-1] += f": {ids(missing)}"
    return "; ".join(parts + _repeats(scores) + _notes(scores))


def _notes(scores: Scores) -> list[str]:
    unjudged, skipped = scores.account.unjudged, scores.account.skipped
    said = []
    if unjudged:
        be = "is" if len(unjudged) == 1 else "are"
        said.append(f"{counted(unjudged, 'topic')} of the run {be} not judged: {ids(unjudged)}")
    if skipped:
        was = "was" if len(skipped) == 1 else "were"
        said.append(f"{counted(skipped, 'topic')} {was} left out by choice: {ids(skipped)}")
    return said


def _class_notes(scores: Scores) -> list[str]:
    """What is odd about the classes of topics."""
    basis = scores.basis
    if basis is None or basis.classes is None:
        return []
    said = []
    if basis.unknown:
        is_one = len(basis.unknown) == 1
        said.append(
            f"{counted(basis.unknown, 'topic')} of the classes {'is' if is_one else 'are'} "
            f"not in the qrels: {ids(basis.unknown)}"
        )
    if basis.outside:
        is_one = len(basis.outside) == 1
        said.append(
            f"{counted(basis.outside, 'topic')} {'stands' if is_one else 'stand'} in no class: "
            f"{ids(basis.outside)}"
        )
    counts = basis.classes.members
    empty = [name for name in basis.classes.names if counts[name].isdisjoint(basis.topics)]
    if empty:
        what = "class has" if len(empty) == 1 else "classes have"
        said.append(f"{len(empty)} {what} no topic that is averaged over: {', '.join(empty)}")
    return said


def _divisor(scores: Scores) -> str:
    return f"averaged over {scores.divisor} {'topic' if scores.divisor == 1 else 'topics'}"


def counted(topics: Sequence[bytes], noun: str) -> str:
    """How many topics, in words."""
    return f"{len(topics)} {noun}{'' if len(topics) == 1 else 's'}"


def ids(topics: Sequence[bytes]) -> str:
    """The first topics, and how many more there are."""
    listed = ", ".join(shown(topic) for topic in topics[:_MOST_IDS])
    more = len(topics) - _MOST_IDS
    return f"{listed} and {more} more" if more > 0 else listed
