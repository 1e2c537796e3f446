"""Every measure that irev brings along, and those of trec_eval as plain twins are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irev.measures import load_all
from irev.measures.registry import (
    TREC_MEASURES,
    Arguments,
    Cutoffs,
    Fractions,
    Gains,
    Measure,
    Numbers,
    irev_measures,
)

if TYPE_CHECKING:
    from irev.core.judged import Rankings

load_all()

NAMED = {measure.name: measure for measure in irev_measures()}
"""Those written `Name(option=value)@cutoff`."""


def arguments_for(measure: Measure, parameter: Any) -> Arguments:
    """A parameter as the plain twin takes it, as the measure does: numbers, `plain.Gains`, None."""
    match measure.parameter:
        case Cutoffs() | Fractions():
            return Arguments(parameter)
        case Numbers():
            return Arguments(options=(("numbers", parameter),))
        case Gains(persistence=persistence, grades=grades):
            options: list[tuple[str, Any]] = []
            if grades:
                options.append(("gain", parameter.gains or "linear"))
            if persistence is not None:
                options.append(("p", parameter.persistence))
            return Arguments(options=tuple(options))
    return Arguments()


def compute_measure(name: str, rankings: Rankings, parameter: Any = None) -> Any:
    """The values of one of trec_eval's measures: float64[T], [T, K] for a list of cutoffs."""
    measure = TREC_MEASURES[name]
    value = arguments_for(measure, parameter)
    values = measure.compute(rankings, value.cutoffs, **dict(value.options))
    if isinstance(values, np.ndarray) and not isinstance(measure.parameter, Cutoffs | Fractions):
        return values.reshape(len(values))
    return values
