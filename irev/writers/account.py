"""Which topics a result stands on, in words: for stderr and for the lines below a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.core.wording import counted, listed
from irev.engine.doubts import left_out_lines
from irev.errors import Notice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.rank.ties.several_orders import TieAccount
    from irev.scores.scores import Scores

_MOST_IDS = 10


def topic_warnings(scores: Scores, *, below_table: bool = False) -> list[Notice]:
    """What else was left out and, where anything was, how many topics the averages are over.

    Not what stands below the table, if `topics_sentence` is there.
    """
    said = [] if below_table else _notes(scores)
    if said or (scores.left_out and not below_table):
        said.append(Notice("divisor", _divisor(scores)))
    classes = (Notice("odd-classes", line) for line in _class_notes(scores))
    ties = () if scores.ties is None else tie_messages(scores.ties)
    return [*said, *classes, *(Notice("ties", line) for line in ties)]


def topics_sentence(scores: Scores) -> str:
    """One line: the divisor, and the topics that were left out."""
    parts = [_divisor(scores)]
    missing = scores.account.missing
    if missing:
        how = "" if scores.left_out else ", counted as 0"
        parts.append(f"{counted(len(missing), 'judged topic')} missing from the run{how}")
        parts[-1] += f": {shortened_ids(missing)}"
    said = [*left_out_lines(scores.account), *_notes(scores)]
    return "; ".join([*parts, *(notice.message for notice in said)])


def _notes(scores: Scores) -> list[Notice]:
    unjudged, skipped = scores.account.unjudged, scores.account.skipped
    said = []
    if unjudged:
        which = counted(len(unjudged), "topic of the run is", "topics of the run are")
        said.append(Notice("unjudged-topic", f"{which} not judged: {shortened_ids(unjudged)}"))
    if skipped:
        which = counted(len(skipped), "topic was", "topics were")
        said.append(
            Notice("skipped-topic", f"{which} left out by choice: {shortened_ids(skipped)}")
        )
    return said


def _class_notes(scores: Scores) -> list[str]:
    """What is odd about the classes of topics."""
    basis = scores.basis
    if basis is None or basis.classes is None:
        return []
    said = []
    if basis.unknown:
        which = counted(len(basis.unknown), "topic of the classes is", "topics of the classes are")
        said.append(f"{which} not in the qrels: {shortened_ids(basis.unknown)}")
    if basis.outside:
        which = counted(len(basis.outside), "topic stands", "topics stand")
        said.append(f"{which} in no class: {shortened_ids(basis.outside)}")
    counts = basis.classes.members
    empty = [name for name in basis.classes.names if counts[name].isdisjoint(basis.topics)]
    if empty:
        which = counted(len(empty), "class has", "classes have")
        said.append(f"{which} no topic that is averaged over: {', '.join(empty)}")
    return said


def _divisor(scores: Scores) -> str:
    return f"averaged over {counted(scores.divisor, 'topic')}"


def shortened_ids(topics: Sequence[bytes]) -> str:
    """The first topics, and how many more there are."""
    return listed(topics, _MOST_IDS)


def tie_messages(ties: TieAccount) -> list[str]:
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
