"""Which topics a result stands on, in words: for stderr and for the lines below a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from irev.core.text import count_text, shortened_list
from irev.engine.doubts import repeated_line_warnings
from irev.errors import Notice
from irev.scores.scores import Scores

if TYPE_CHECKING:
    from irev.rank.ties import TieAccount

BELOW_TABLE = ("topic-as-zero", "unjudged-topic", "skipped-topic", "divisor")
"""Kinds of warnings that `topics_sentence` says, too."""


def topic_class_and_tie_warnings(scores: Scores) -> list[Notice]:
    """What counts as 0 or was left out and, where anything was, how many topics count."""
    warnings = [*_topic_as_zero_notes(scores), *_unjudged_and_skipped_topic_notes(scores)]
    if warnings or scores.left_out:
        warnings.append(Notice("divisor", _divisor_phrase(scores)))
    warnings += [Notice("odd-classes", line) for line in _topic_class_problems(scores)]
    if scores.ties is not None:
        warnings += [Notice("ties", line) for line in _tie_group_messages(scores.ties)]
    return warnings


def topics_sentence(scores: Scores) -> str:
    """One line: the divisor, and the topics that were left out."""
    parts = [_divisor_phrase(scores)]
    if scores.left_out:
        parts.append(f"{_missing_topics_phrase(scores.left_out)}: {shortened_ids(scores.left_out)}")
    warnings = [
        *_topic_as_zero_notes(scores),
        *repeated_line_warnings(scores.account),
        *_unjudged_and_skipped_topic_notes(scores),
    ]
    return "; ".join([*parts, *(notice.message for notice in warnings)])


def _topic_as_zero_notes(scores: Scores) -> Iterator[Notice]:
    """Which topics that the run lacks count all the same."""
    rightly_empty = set(scores.account.rightly_empty or ())
    missing = [topic for topic in scores.account.missing if topic not in rightly_empty]
    if missing and not scores.left_out:
        message = f"{_missing_topics_phrase(missing)}, counted as 0: {shortened_ids(missing)}"
        yield Notice("topic-as-zero", message)


def _unjudged_and_skipped_topic_notes(scores: Scores) -> Iterator[Notice]:
    unjudged, skipped = scores.account.unjudged, scores.account.skipped
    if unjudged:
        subject = count_text(len(unjudged), "topic of the run is", "topics of the run are")
        yield Notice("unjudged-topic", f"{subject} not judged: {shortened_ids(unjudged)}")
    if skipped:
        subject = count_text(len(skipped), "topic was", "topics were")
        yield Notice("skipped-topic", f"{subject} left out by choice: {shortened_ids(skipped)}")


def _missing_topics_phrase(topic_ids: Sequence[bytes]) -> str:
    return f"{count_text(len(topic_ids), 'judged topic')} missing from the run"


def _divisor_phrase(scores: Scores) -> str:
    counted = {*scores.topics, *(() if scores.left_out else scores.account.missing)}
    text = f"averaged over {count_text(scores.divisor, 'topic')}"
    # trec_eval divides by all topics under -c, also where -D evaluates one alone
    num_others = scores.divisor - len(counted)
    if num_others > 0:
        text += f", of which {num_others} left out by choice count as 0"
    return text


def _topic_class_problems(scores: Scores) -> Iterator[str]:
    """What is odd about the classes of topics."""
    basis = scores.basis
    if basis is None or basis.classes is None:
        return
    if basis.unknown:
        subject = count_text(
            len(basis.unknown), "topic of the classes is", "topics of the classes are"
        )
        yield f"{subject} not in the qrels: {shortened_ids(basis.unknown)}"
    if basis.outside:
        subject = count_text(len(basis.outside), "topic stands", "topics stand")
        yield f"{subject} in no class: {shortened_ids(basis.outside)}"
    members = basis.classes.members
    empty = [name for name in basis.classes.names if members[name].isdisjoint(basis.topics)]
    if empty:
        subject = count_text(len(empty), "class has", "classes have")
        yield f"{subject} no topic that is averaged over: {', '.join(empty)}"


def _tie_group_messages(ties: TieAccount) -> Iterator[str]:
    """What is said beside means over orders of tied documents, or beside ranges."""
    if not ties.groups:
        yield "ties: no judged document shares its score with another"
        return
    message = f"ties: {count_text(ties.groups, 'group')} of equal scores with a judged document, "
    message += f"in {count_text(ties.topics, 'topic')}"
    if ties.at_cutoff:
        crossed = [f"{count} across rank {cutoff}" for cutoff, count in ties.at_cutoff if count]
        message += f"; {', '.join(crossed) or 'none across a cutoff'}"
    yield message
    if ties.drawn:
        yield (
            f"ties: {count_text(len(ties.drawn), 'topic')} with too many orders to try all: "
            f"{', '.join(ties.measures)} {'is a mean' if len(ties.measures) == 1 else 'are means'} "
            f"over {ties.draws} random orders there; all other means are exact"
        )


def shortened_ids(topic_ids: Sequence[bytes]) -> str:
    """The first topics, and how many more there are."""
    return shortened_list(topic_ids, 10)
