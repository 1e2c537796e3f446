"""Every number that a measure takes, far outside of what is usual."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np
import pytest

import irev
from irev.errors import UsageError
from irev.measures import load_all
from irev.measures.families.patience import inverse_square_sum
from irev.measures.naming.resolve import resolve_names
from irev.measures.registry import (
    GENERIC_OPTIONS,
    MEASURES,
    Measure,
    Option,
)

load_all()

EXTREMES = [
    "0", "-1", "-1e30", "1e30", f"{10**30}", f"{2**63 - 1}", f"{2**63}", "1e-30", "5e-324",
    "1e300", "1e308", "nan", "inf", "-inf", "0.3", "1", "2", "50", "1e15",
]  # fmt: skip

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


def accepted(names: Iterable[str]) -> list[str]:
    """Those that are measures; a refusal is a sentence."""
    good = []
    for name in names:
        try:
            resolve_names([name])
        except UsageError:
            continue
        good.append(name)
    return good


@pytest.mark.filterwarnings("ignore::irev.IrevWarning")
def test_a_number_is_refused_or_gives_values_within_the_bounds() -> None:
    """Every 67th name, of the measures of graded judgments; `tools.fuzz` tries others.

    A gain below 0 is left out: a value may then be outside. A search that never ends is infinite.
    """
    names = [name for number in EXTREMES for name in names_with(number)]
    names = [name for name in names if MEASURES[head(name)].needs == "qrels"]
    good = accepted(name for name in names[::67] if ":-" not in name and "{-" not in name)
    assert len(good) > 20
    for name in good:
        measure = MEASURES[head(name)]
        try:
            scores = irev.evaluate(QRELS, RUN, [name])
        except UsageError:
            continue
        values = np.exp(scores.values) if measure.average == "geometric" else scores.values
        low, high = measure.bounds
        assert ((values >= low - 1e-9) & (values <= high + 1e-9)).all(), name
        assert np.isfinite(values).all() or measure.name in ("SL", "ESL", "RHL"), name


def head(name: str) -> str:
    return name.partition("(")[0].partition("@")[0]


@pytest.mark.parametrize("base", ["0", "1", "-2", "5e-324", "inf", "nan"])
def test_a_base_is_refused_in_a_name_and_as_a_default(base: str) -> None:
    for names, options in (
        ([f"nDCG(b={base})@5"], {}),
        (["nDCG@5"], {"defaults": (("b", float(base)),)}),
        (["ndcg@5"], {"defaults": (("b", base),)}),
    ):
        with pytest.raises(UsageError, match=r"above 1 and finite, or e|is not a number"):
            irev.evaluate(QRELS, RUN, names, **options)


def test_the_natural_logarithm() -> None:
    """1 up to rank 2, then 1/ln(r): by hand for the ranking 2 - 0 1 of which 1 1 2 is ideal."""
    qrels, run = (
        {"1": {"a": 2, "b": 0, "c": 1, "d": 1}},
        {"1": {"a": 4.0, "x": 3.0, "b": 2.0, "c": 1.0}},
    )
    scores = irev.evaluate(qrels, run, ["nDCG"], defaults=(("b", "e"),))
    assert [column.name for column in scores.columns] == ["nDCG(b=e)"]
    expected = (2 + 1 / math.log(4)) / (2 + 1 + 1 / math.log(3))
    assert scores["nDCG(b=e)"] == pytest.approx(expected, rel=1e-14)
    assert irev.evaluate(qrels, run, ["nDCG(b=2.718281828459045)"])["nDCG(b=e)"] == expected


@pytest.mark.parametrize("name", ["Bpref(extra=N)", "ClassAccuracy(N=N)", "ESL(q=N)",
                                  "ReadRecall(N=N)", "subAP(draws=N)"])  # fmt: skip
def test_counts_have_a_bound(name: str) -> None:
    with pytest.raises(UsageError, match=r"is out of range: it must be at least [01] and at most"):
        irev.evaluate(QRELS, RUN, [name.replace("=N", f"={10**30}")])


def test_a_user_who_wants_next_to_nothing_or_everything() -> None:
    """The limits: the gain at rank 1, and the mean gain; where gains stop the search, NERR8."""
    names = [f"{name}(T={t},max=3)@5" for name in ("INSQ", "NERR11") for t in ("1e-300", "1e100")]
    few, all_, few_stopping, all_stopping = (
        value for (value,) in (irev.evaluate({"1": QRELS["1"]}, RUN, [n]).values[0] for n in names)
    )
    assert (few, few_stopping) == pytest.approx((2 / 3, 2 / 3), rel=1e-15)
    assert all_ == pytest.approx((2 / 3 + 1 / 3) / 5, rel=1e-15)
    (nerr8,) = irev.evaluate({"1": QRELS["1"]}, RUN, ["NERR8(max=3)@5"]).values[0]
    assert all_stopping == pytest.approx(nerr8, rel=1e-15)


def test_sums_of_inverse_squares_keep_their_digits() -> None:
    for x in (1e-3, 0.5, 11.9, 12.0, 7e5, 1e13, 1e16, 1e100):
        for count in (1, 2, 5, 40):
            expected = math.fsum(1 / (x + m) ** 2 for m in range(count))
            value = inverse_square_sum(np.array([x]), np.array([count]))[0]
            assert value == pytest.approx(expected, rel=1e-15)


def test_a_fraction_of_a_grade_has_a_beta_of_its_own() -> None:
    """By hand: 1 / (1 - 1/5)."""
    qrels, run = {"1": {"a": 2.5, "d": 0.5}}, {"1": {"a": 3.0}}
    name = "WRR(betas={0.5:8,1:8,2:7,2.5:5})"
    assert irev.evaluate(qrels, run, [name], level=0.5)[name] == pytest.approx(1.25, rel=1e-15)
