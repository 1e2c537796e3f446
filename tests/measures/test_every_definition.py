"""What must hold of every measure with named options, whatever its family."""

from __future__ import annotations

import math

from irev.measures.registry import Measure, NamedOptions
from tests import (
    plain_defined_classic,
    plain_defined_cwl,
    plain_defined_distance,
    plain_defined_diversity,
    plain_defined_graded,
    plain_defined_sampled,
)
from tests.each import for_each
from tests.registered import NAMED

TWINS = {
    *plain_defined_classic.MEASURES,
    *plain_defined_cwl.MEASURES,
    *plain_defined_diversity.MEASURES,
    *plain_defined_graded.MEASURES,
    *plain_defined_sampled.STRATIFIED,
    *plain_defined_sampled.INCLUDED,
}
NO_TABLE = {
    "ADM": plain_defined_distance,
    "SwetsE": plain_defined_distance,
    "indAP": plain_defined_sampled,
    "subAP": plain_defined_sampled,
    # over the orders of tied documents, beside the tests of those
    "ESL": None,
    # of labels of answers, beside the tests of those
    "NuggetRecall": None, "SupP": None, "SupR": None,
    # counts, one expression each, checked through ir_measures
    "NumQ": None, "NumRet": None, "NumRel": None, "NumRelRet": None,
}  # fmt: skip
"""Measures whose plain version stands in no table."""


@for_each("measure", NAMED.values(), ids=lambda measure: measure.name)
def test_record_is_complete(measure: Measure) -> None:
    assert measure.title
    assert not measure.title.endswith(".")
    assert len(measure.help.split()) > 5
    assert measure.formula
    assert measure.source
    assert measure.checked
    assert measure.example is not None
    assert measure.cites
    assert measure.bounds[0] < measure.bounds[1]
    assert isinstance(measure.parameter, NamedOptions)
    for option in measure.parameter.options.values():
        assert option.meaning
        assert not math.isnan(option.low)


def test_every_measure_has_a_plain_twin() -> None:
    assert set(NAMED) - set(NO_TABLE) <= TWINS, set(NAMED) - set(NO_TABLE) - TWINS
