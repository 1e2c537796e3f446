"""The first documents of runs: what a page spends its room on, packed, and of how many runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from irev.core.record import record
from irev.core.text import printable

MOST_RUNS = (20, 10, 5)
"""Of so many runs, the best ones and the baseline, documents are held where all do not fit."""

_NOT_JUDGED = "-"
_FEW, _FIRST_CHARACTER, _LATER_CHARACTER = 64, 63, 192
"""Document n of a topic is the character 63 + n, from 64 on 192 + n: none is a control."""


@record
class TopDocuments:
    """The first documents of S runs on T topics.

    depth   how many of each, at most
    ids     for each run and topic the ids, the first first; empty where the run lacks the topic
    grades  for each topic the grades by id; an id that is not there is not judged
    """

    depth: int
    ids: tuple[tuple[tuple[str, ...], ...], ...]
    grades: tuple[Mapping[str, str], ...]

    def packed(self, run_indices: Sequence[int]) -> dict[str, Any]:
        """Those of some of the runs, as the data of the page hold them.

        Each topic has the beginning that its ids share, the rest of each id in falling number of
        runs that have it, their grades, and for each run a word with a character for a document.
        """
        topics = []
        for topic_index, grades in enumerate(self.grades):
            tops = [self.ids[run][topic_index] for run in run_indices]
            num_runs = Counter(document for top in tops for document in top)
            ids = sorted(num_runs, key=lambda document: (-num_runs[document], document))
            shown = [_one_word(document) for document in ids]
            start = _shared_beginning(shown)
            character = {document: _character(number) for number, document in enumerate(ids)}
            topics.append({
                "start": start,
                "ids": " ".join(each[len(start) :] for each in shown),
                "grades": " ".join(grades.get(document, _NOT_JUDGED) for document in ids),
                "tops": " ".join("".join(map(character.__getitem__, top)) for top in tops),
            })  # fmt: skip
        return {"depth": self.depth, "runs": [*run_indices], "topics": topics}


def _shared_beginning(ids: Sequence[str]) -> str:
    """What all ids begin with; nothing of a single one."""
    first, last = min(ids, default=""), max(ids, default="")
    if len(ids) < 2:
        return ""
    length = next((n for n, (a, b) in enumerate(zip(first, last)) if a != b), len(first))  # noqa: B905
    return first[:length]


def _one_word(document: str) -> str:
    return printable(document).replace(" ", "\u00a0")


def _character(number: int) -> str:
    return chr(number + (_FIRST_CHARACTER if number < _FEW else _LATER_CHARACTER))


def fit_documents(
    documents: TopDocuments, run_order: Sequence[int], baseline: int, num_bytes: int
) -> tuple[dict[str, Any] | None, str]:
    """The packed documents of as many runs as have room, and which runs these are, if not all.

    Args:
        documents: those of all runs.
        run_order: the runs, the best first.
        baseline: a run whose documents are held where any are.
        num_bytes: how much room there is.
    """
    num_runs = len(run_order)
    for most in (num_runs, *(each for each in MOST_RUNS if each < num_runs)):
        runs = sorted({*run_order[:most], baseline})
        packed = documents.packed(runs)
        if len(json_text(packed).encode()) <= num_bytes:
            if most == num_runs:
                return packed, ""
            return packed, (
                f"Documents are held of the {most} best runs and the baseline: those of all "
                f"{num_runs} runs would make the page too large."
            )
    return None, "Documents are left out: they would make the page too large."


def json_text(value: Any) -> str:
    """Compact JSON in which nothing can end an element of a page."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c")
