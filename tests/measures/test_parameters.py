"""Every number that a measure takes, far outside of what is usual."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import irev
from irev.errors import UsageError
from irev.measures import load_all
from irev.measures.naming.resolve import resolve_names
from irev.measures.registry import (
    GENERIC_OPTIONS,
    MEASURES,
    TREC_MEASURES,
    Cutoffs,
    Fractions,
    Gains,
    Measure,
    Numbers,
    Option,
)
from tests.files import CASES

load_all()

EXTREMES = (
    "0 -1 -1e30 1e30 1000000000000000000000000000000 9223372036854775807 9223372036854775808 "
    "1e-30 5e-324 1e300 1e308 nan inf -inf 0.3 1 2 50 1e15"
).split()

NUMBERS = ("real", "whole", "grade", "scale", "gain", "map")

QRELS = {"1": {"a": 2, "b": 0, "c": 1, "d": 1, "e": -1}, "2": {"a": 0, "b": 3}}
RUN = {"1": {"a": 9.0, "x": 8.0, "b": 7.0, "c": 7.0, "e": 5.0}, "2": {"b": 3.0, "y": 2.0, "a": 1.0}}


def written(measure: Measure, name: str, option: Option, number: str) -> Iterator[str]:
    """The number as an option, cut at a rank where the measure can be or must be."""
    needed = ",N=1000" if "N" in measure.options and name != "N" else ""
    cuts = {"none": [""], "optional": ["", "@5"], "required": ["@5"], "recall": ["@0.5"]}
    texts = [number]
    if option.kind in ("gain", "map"):
        texts = [f"{{1:{number}}}", f"{{{number}:2}}", f"{{1:2,2:{number}}}"]
    for text in texts:
        for cut in cuts[measure.cutoff_rule]:
            yield f"{measure.name}({name}={text}{needed}){cut}"


def names_with(number: str) -> Iterator[str]:
    """Each measure with the number for each of its options and its cutoff."""
    for measure in MEASURES.values():
        for name, option in {**measure.options, **GENERIC_OPTIONS}.items():
            if option.kind in NUMBERS:
                yield from written(measure, name, option, number)
        if measure.cutoff_rule != "none":
            yield f"{measure.name}@{number}"


def trec_names_with(number: str) -> Iterator[str]:
    """Each measure of trec_eval with the number for its parameter."""
    for measure in TREC_MEASURES.values():
        match measure.parameter:
            case Cutoffs() | Fractions() | Numbers(length=None):
                yield f"{measure.name}.{number}"
            case Numbers():
                yield f"{measure.name}.{number},0,1,1"
            case Gains(persistence=persistence, grades=grades):
                yield from [f"{measure.name}.1={number}"] * grades
                yield from [f"{measure.name}.p={number}"] * (persistence is not None)


def accepted(names: Iterator[str]) -> list[str]:
    """Those that are measures; a refusal is a sentence."""
    good = []
    for name in names:
        try:
            resolve_names([name])
        except UsageError as error:
            assert str(error)
        else:
            good.append(name)
    return good
if __name__ == "__main__":
    t=time.time()
    names=[n for x in EXTREMES for n in names_with(x)]
    good=accepted(iter(names))
    print(len(names),len(good),time.time()-t)
    t=time.time()
    tn=accepted(n for x in EXTREMES for n in trec_names_with(x))
    print(len(tn), time.time()-t)
