"""Scores of measures given as a run: {topic: {measure: value}}, as pytrec_eval has them.

A run in JSON has the same shape, with documents for measures. So scores are known by their ids,
which are looked at where no document is judged, or where there are no judgments.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from irev.core.text import as_text
from irev.core.wording import shortened_list
from irev.errors import MismatchError
from irev.read.formats import SAVED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from irev.core.judged import Input

_MOST_NAMES = 3


def refuse_scores_of_measures(docs: Iterable[bytes], subject: str) -> None:
    """Refuse a run, or judgments, all of whose documents that are given are names of measures.

    `subject` is what they were given as, with its verb: "the run has".
    """
    from irev.scores.saved_runs import are_measure_names

    names = [*dict.fromkeys(map(as_text, docs))]
    if are_measure_names(names):
        raise MismatchError(
            f"{subject} measures in place of documents "
            f"({shortened_list(names, _MOST_NAMES)}): it looks like {SAVED}",
            kind="other-kind",
        )


def refuse_saved_scores(run: Input) -> None:
    """Refuse a file of saved scores where runs are read without judgments."""
    from irev.scores.saved import is_saved

    if isinstance(run, str | os.PathLike) and os.path.isfile(run) and is_saved(os.fspath(run)):
        raise MismatchError(
            f"{os.fspath(run)}: this is not a run: it looks like {SAVED}", kind="other-kind"
        )
