"""trec_eval's text: one line per value, byte for byte.

`NAME TAB TOPIC TAB VALUE`, the name padded to 22 bytes; reals as `%6.4f`, counts as whole numbers,
strings of a topic in single quotes. Under z scores a Z comes before the padded name. The lines of a
class of topics follow those of all topics, `all[CLASS]` in the place of `all`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import fsencode
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from irev.core.judged import Column
from irev.core.text import as_bytes, count_text, shortened_list
from irev.engine.doubts import repeated_line_warnings
from irev.errors import Notice
from irev.read.stream import given_name_of
from irev.scores.scores import Scores

if TYPE_CHECKING:
    from irev.rank.ties import TieAccount


class ScoredFile(NamedTuple):
    """The scores of one run, what it is called, and its path as typed; empty for one in memory."""

    name: str
    scores: Scores
    path: str = ""

    @property
    def place(self) -> str:
        """What trec_eval would call it: its path as typed; or the name that it was given."""
        return given_name_of(self.path) or self.path or self.name


class ScoreLayout(NamedTuple):
    """What is shown, and how; `decimals` are decimals, for the forms that people read.

    percent      whether values between -1 and 1 are shown times 100
    stats        whether sd, variance, median and interval of each measure are shown too
    recall_rule  which points serve a recall level of a summary sheet, a key of `RULES`
    description  the Run Description of a summary sheet; None: the run's path
    """

    per_topic: bool = False
    summary: bool = True
    several_runs: bool = False
    decimals: int = 4
    zscores: bool = False
    percent: bool = False
    stats: bool = False
    recall_rule: str = "te10"
    description: str | None = None


def write_trec_text(results: Sequence[ScoredFile], layout: ScoreLayout) -> Iterator[bytes]:
    """Each run's topics and summary; a line `# PATH` or `# NAME` before each of several runs."""
    for result in results:
        if layout.several_runs:
            # trec_eval has no such line; the name of a file may hold what ends one
            place = fsencode(result.place).replace(b"\n", b"\\n").replace(b"\r", b"\\r")
            yield b"# " + place + b"\n"
        if layout.per_topic:
            yield from _topic_blocks(result.scores, layout)
        if layout.summary:
            for part in result.scores.summarised_scores():
                yield _summary_lines(part, layout)
                if layout.stats:
                    yield from _spread_lines(part, layout)


_NAME_WIDTH = 22
_TOPICS_AT_A_TIME = 256

_TOPIC = "\0"
"""Stands for the topic in a template; no id holds it."""


def _topic_blocks(scores: Scores, layout: ScoreLayout) -> Iterator[bytes]:
    """The topics' lines, some hundred topics at a time: one template formats a topic."""
    column_indices = [index for index, column in enumerate(scores.columns) if column.per_topic]
    plain = _template(scores, column_indices, layout, reals_as_text=False)
    template_of_texts = _template(scores, column_indices, layout, reals_as_text=True)
    is_finite = cast("list[bool]", np.isfinite(scores.values).all(axis=1).tolist())
    for start in range(0, len(scores.topics), _TOPICS_AT_A_TIME):
        block = []
        stop = min(start + _TOPICS_AT_A_TIME, len(scores.topics))
        for row, values in enumerate(scores.values[start:stop].tolist(), start):
            for index, texts in scores.texts.items():
                values[index] = texts[row].decode("latin-1")
            template = plain
            if not is_finite[row]:
                template = template_of_texts
                values = [
                    _real_cell(column, value, layout) if column.kind == "real" else value
                    for column, value in zip(scores.columns, values, strict=True)
                ]
            lines = template % tuple([values[index] for index in column_indices])
            block.append(lines.encode("latin-1").replace(b"\0", scores.topics[row]))
        yield b"".join(block)


def _template(
    scores: Scores, column_indices: list[int], layout: ScoreLayout, *, reals_as_text: bool
) -> str:
    """The lines of a topic, to be filled with its values; every byte is one character."""
    real = "%s" if reals_as_text else f"%{_real_width(layout)}.{layout.decimals}f"
    field_of_kind = {"count": "%d", "text": "'%s'", "real": real}
    lines = []
    for index in column_indices:
        column = scores.columns[index]
        name = _padded_name(column, layout).decode("latin-1").replace("%", "%%")
        lines.append(f"{name}\t{_TOPIC}\t{field_of_kind[column.kind]}\n")
    return "".join(lines)


def _summary_lines(scores: Scores, layout: ScoreLayout) -> bytes:
    lines = []
    label = as_bytes(scores.summary_label)
    for column, value in scores.summaries():
        if isinstance(value, bytes):
            shown = value
        elif column.kind == "count" and math.isfinite(value):
            shown = b"%d" % int(value)
        else:
            shown = as_bytes(_real_cell(column, value, layout))
        lines.append(b"%b\t%b\t%b\n" % (_padded_name(column, layout), label, shown))
    return b"".join(lines)


UNKNOWN = "-"
"""What stands for an error that is not known."""


def _spread_lines(scores: Scores, layout: ScoreLayout) -> Iterator[bytes]:
    """The spread of each measure: NAME[sd], NAME[variance], NAME[median], NAME[low], NAME[high]."""
    from irev.statistics.intervals import topic_spreads

    for spread in topic_spreads(scores):
        for statistic in ("sd", "variance", "median", "low", "high"):
            column = replace(spread.column, name=f"{spread.column.name}[{statistic}]")
            value = getattr(spread, statistic)
            shown = real_text(value, layout.decimals, _real_width(layout))
            if math.isinf(value):  # an end that no range bounds
                shown = UNKNOWN
            yield as_bytes(
                f"{_padded_name(column, layout).decode()}\t{scores.summary_label}\t{shown}\n"
            )


def _padded_name(column: Column, layout: ScoreLayout) -> bytes:
    is_z = layout.zscores and column.kind == "real"
    return as_bytes(column.name).ljust(_NAME_WIDTH + is_z)


def _real_width(layout: ScoreLayout) -> int:
    """The width of a real: `%6.4f` at four places."""
    return layout.decimals + 2


def _real_cell(column: Column, value: float, layout: ScoreLayout) -> str:
    """A value of a column of reals."""
    if is_unknown_error(column, value):
        return UNKNOWN
    return real_text(value, layout.decimals, _real_width(layout))


def is_unknown_error(column: Column, value: float) -> bool:
    """Whether a value is a standard error that nobody knows, since too little was drawn."""
    return column.average == "error" and math.isnan(value)


def real_text(value: float, decimals: int, width: int = 0) -> str:
    """A real as C prints it: a NaN keeps its sign."""
    if math.isnan(value) and math.copysign(1.0, value) < 0:
        return "-nan".rjust(width)
    return f"{value:{width}.{decimals}f}"


# --- In words, on which topics a result stands: for stderr and for the lines below a table ---


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
    missing = scores.account.missing
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
