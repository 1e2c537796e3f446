"""What an estimate under a sample of the judgments is compared with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from irev.measures.canonical import canonical_name
from irev.measures.registry import Arguments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.measures.requests import Request

ESTIMATED = {
    "infAP": "AP",
    "indAP": "AP",
    "subAP": "AP",
    "xinfAP": "AP",
    "bpref": "AP",
    "Bpref": "AP",
}
"""Measure -> the measure on complete judgments that it stands for (Yilmaz and Aslam 2006 hold
bpref too against average precision)."""

ONE_RATE = ("infAP", "indAP", "subAP", "bpref", "Bpref")
"""Measures made for samples in which every document of the pool is as likely as the others."""


def targets(requests: Sequence[Request]) -> list[str]:
    """For each column the name of the measure whose value under all judgments is aimed at.

    It is the column's own, but for estimators of another measure, and for condensed lists, which
    are made to stand for the lists themselves.
    """
    return [name for request in requests for name in _targets(request)]


def _targets(request: Request) -> Iterator[str]:
    value, measure = request.value, request.measure
    estimated = ESTIMATED.get(measure.name)
    for number, column in enumerate(request.columns):
        if estimated is not None:
            level = value.level if isinstance(value, Arguments) else None
            yield estimated if level is None else f"{estimated}(rel={level})"
        elif isinstance(value, Arguments) and value.condensed:
            cutoff = value.cutoffs[request.picks[number] if request.picks else number]
            yield canonical_name(measure, replace(value, condensed=False), cutoff)
        else:
            yield column.name
