"""Which topics a result stands on, in words: for stderr and for the lines below a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.core.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.results.scores import Scores
    from irev.ties.several import TieAccount

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
    return [f"{lines} left out of the run, in {counted(len(topics), 'topic')}: {ids(topics)}"]


def _missing(scores: Scores) -> list[str]:
    missing = left_out(scores)
    if not missing:
        return []
    be, was, them = ("is", "was", "it") if len(missing) == 1 else ("are", "were", "them")
    return [
        f"{counted(len(missing), 'judged topic')} {be} missing from the run and {was} left out of "
        f"the averages: {ids(missing)} (use -c to count {them} as 0)"
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
        parts.append(f"{counted(len(missing), 'judged topic')} missing from the run{how}")
        parts[-1] += f": {ids(missing)}"
    return "; ".join(parts + _repeats(scores) + _notes(scores))


def _notes(scores: Scores) -> list[str]:
    unjudged, skipped = scores.account.unjudged, scores.account.skipped
    said = []
    if unjudged:
        which = counted(len(unjudged), "topic of the run is", "topics of the run are")
        said.append(f"{which} not judged: {ids(unjudged)}")
    if skipped:
        which = counted(len(skipped), "topic was", "topics were")
        said.append(f"{which} left out by choice: {ids(skipped)}")
    return said


def _class_notes(scores: Scores) -> list[str]:
    """What is odd about the classes of topics."""
    basis = scores.basis
    if basis is None or basis.classes is None:
        return []
    said = []
    if basis.unknown:
        which = counted(len(basis.unknown), "topic of the classes is", "topics of the classes are")
        said.append(f"{which} not in the qrels: {ids(basis.unknown)}")
    if basis.outside:
        which = counted(len(basis.outside), "topic stands", "topics stand")
        said.append(f"{which} in no class: {ids(basis.outside)}")
    counts = basis.classes.members
    empty = [name for name in basis.classes.names if counts[name].isdisjoint(basis.topics)]
    if empty:
        which = counted(len(empty), "class has", "classes have")
        said.append(f"{which} no topic that is averaged over: {', '.join(empty)}")
    return said


def _divisor(scores: Scores) -> str:
    return f"averaged over {counted(scores.divisor, 'topic')}"


def ids(topics: Sequence[bytes]) -> str:
    """The first topics, and how many more there are."""
    return listed(topics, _MOST_IDS)


def tie_notes(ties: TieAccount) -> list[str]:
    """What is said beside means over orders of tied documents, or beside ranges."""
    if not ties.groups:
        return ["ties: no judged document shares its score with another"]
    said = f"ties: {counted(ties.groups, 'group')} of equal scores with a judged document, "
    said += f"in {counted(ties.topics, 'topic')}"
    if ties.at_cutoff:
        across = [f"{count} across rank {cutoff}" for cutoff, count in ties.at_cutoff if count]
        said += f"; {', '.join(across) or 'none across a cutoff'}"
    found = [said]
    if ties.drawn:
        found.append(
            f"ties: too many orders to look at all in {counted(len(ties.drawn), 'topic')}: there "
            f"{', '.join(ties.measures)} {'is a mean' if len(ties.measures) == 1 else 'are means'} "
            f"over {ties.draws} drawn orders; all other means are exact"
        )
    return found
