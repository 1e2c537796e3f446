"""Whether the citations of answers support what is said, in lines of JSON.

A line holds the sentences of an answer, each with its citations, and for each of these the label of
TREC RAG's support evaluation: 2 full support, 1 partial, 0 none, -1 not judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from irev.core.judged import NO_LABEL
from irev.core.record import record
from irev.errors import id_text
from irev.read.answers import BadLineError, read_judged_lines, required_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.read.answers import AnswerFields, AnswerSource

CITATION_LABELS = (2, 1, 0, -1)
"""Full support, partial, none, not judged."""

CitationLabels: TypeAlias = tuple[tuple[float, ...], ...]
"""The labels of an answer: of each sentence that of each of its citations, in order."""


@record
class SupportLabels:
    """What was judged: whether the citations of the answers of each run support their sentences.

    labels  run -> topic -> the labels of the answer
    path    the file
    sha256  of its decompressed bytes
    """

    labels: dict[str, dict[bytes, CitationLabels]]
    path: str
    sha256: str | None


def read_support(
    source: AnswerSource, default_run_name: str, *, sign: bool = False
) -> SupportLabels:
    """The labels of citations in a file, of one run or of several.

    `default_run_name` is what a run is called that a line does not name.

    Raises:
        InputError: a line that is none; a topic twice in a run.
    """

    def parse_labels(fields: AnswerFields, topic: bytes, _: int) -> CitationLabels:
        owner = f"topic '{id_text(topic)}'"
        sentences = required_list(fields, "sentences", owner)
        return tuple(
            _labels_of(sentence, f"sentence {number} of {owner}")
            for number, sentence in enumerate(sentences, 1)
        )

    lines = read_judged_lines(source, default_run_name, parse_labels, sign=sign)
    return SupportLabels(lines.labels_by_run, lines.path, lines.sha256)


def _labels_of(sentence: Any, owner: str) -> tuple[float, ...]:
    """The labels of the citations of a sentence."""
    if not isinstance(sentence, dict):
        raise BadLineError(f"{owner} is no JSON object")
    citations: Sequence[Any] = required_list(sentence, "citations", owner)
    return tuple(
        _label_of(citation, f"citation {number} of {owner}")
        for number, citation in enumerate(citations, 1)
    )


def _label_of(citation: Any, owner: str) -> float:
    if not isinstance(citation, dict):
        raise BadLineError(
            f"{owner} has no label", 'a citation is {"reference": ..., "support": 2}'
        )
    label = citation.get("support")
    if label is None:
        raise BadLineError(f"'support' of {owner} is missing", f"write {NO_LABEL:g} if not judged")
    if isinstance(label, bool) or label not in CITATION_LABELS:
        raise BadLineError(
            f"'{label}' is no label, in {owner}",
            "labels are 2 (full support), 1 (partial), 0 (none) and -1 (not judged)",
        )
    return float(label)
