"""C/W/L measures and compatibility: against their definitions, cwl_eval and ir_measures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev.errors import UsageError
from irev.measures.naming.resolve import resolve_names
from irev.measures.registry import NamedOptions
from tests import strategies
from tests.each import for_each
from tests.measures.test_every_measure import judged
from tests.plain import UNKNOWN, Topic
from tests.plain_defined_cwl import MEASURES
from tests.registered import NAMED

if TYPE_CHECKING:
    from collections.abc import Sequence

GAIN_FAMILY = [name for name in MEASURES if name != "Compat"]
NEED_CUTOFF = ("SDCG", "NERR8", "NERR9", "BPM")


def values(
    name: str, topics: Sequence[Topic], cutoffs: tuple[int | None, ...], **options: Any
) -> list[list[float]]:
    """What the library gives for each topic: a value for each cutoff."""
    found = NAMED[name].compute(judged(topics), cutoffs, **options)
    assert found.dtype == np.float64
    assert found.shape == (len(topics), len(cutoffs))
    return found.tolist()  # type: ignore[no-any-return]


def same(
    name: str, topics: Sequence[Topic], cutoffs: tuple[int | None, ...], **options: Any
) -> None:
    """The library agrees with the definition."""
    found = values(name, topics, cutoffs, **options)
    for topic, row in zip(topics, found, strict=True):
        expected = [MEASURES[name](topic, cutoff, **options) for cutoff in cutoffs]
        assert row == pytest.approx(expected, rel=1e-9, abs=1e-12)


def scales() -> st.SearchStrategy[dict[str, Any]]:
    """How grades become gains."""
    maps = st.dictionaries(st.integers(0, 5), st.sampled_from([0.0, 0.25, 1.0, 3.0]), max_size=4)
    gains = st.sampled_from(["linear", "exp", "binary"]) | maps.map(lambda m: tuple(m.items()))
    return st.fixed_dictionaries(
        {
            "gain": gains,
            "min": st.sampled_from([0.0, 0.0, 1.0]),
            "max": st.sampled_from([12.0, 16.0, 40.0]),
        }
    )


OPTIONS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "INSQ": {"T": st.sampled_from([0.05, 0.5, 1.0, 2.7])},
    "INST": {"T": st.sampled_from([0.05, 0.5, 1.0, 2.7])},
    "NERR10": {"p": st.sampled_from([0.0, 0.5, 0.9, 1.0])},
    "NERR11": {"T": st.sampled_from([0.5, 1.0, 2.7])},
    "BPM": {
        "T": st.sampled_from([0.25, 1.0, 2.5]),
        "hb": st.sampled_from([0.0, 0.5, 2.0]),
        "hc": st.sampled_from([0.0, 0.5, 2.0]),
        "med": st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    },
}
"""The options of each measure, beside the scale; binary fractions where a comparison is made."""


@given(data=st.data(), name=st.sampled_from(GAIN_FAMILY), topics=strategies.topics())
def test_rates_are_those_of_the_definition(
    data: st.DataObject, name: str, topics: list[Topic]
) -> None:
    options = data.draw(st.fixed_dictionaries(OPTIONS.get(name, {}))) | data.draw(scales())
    if name == "BPM":
        # sums of thirds may reach T or not, by their rounding
        options["max"] = 16.0
        options["gain"] = data.draw(st.sampled_from(["linear", "binary"]))
        options["min"] = 0.0
        topics = [Topic(*_halves(topic), level=topic.level) for topic in topics]
    cutoffs = data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=3, unique=True))
    more = () if name in NEED_CUTOFF else (None,)
    same(name, topics, (*cutoffs, *more), **options)


def _halves(topic: Topic) -> tuple[list[float], list[float]]:
    """A topic's grades as multiples of a half."""
    codes = [round(2 * code) / 2 for code in topic.codes]
    return codes, [round(2 * grade) / 2 for grade in topic.grades]


@given(
    topics=strategies.topics(),
    p=st.sampled_from([0.1, 0.5, 0.9, 0.95, 1.0]),
    depth=st.integers(0, 40),
    normalize=st.booleans(),
)
def test_compatibility_is_that_of_the_definition(
    topics: list[Topic], p: float, depth: int, normalize: bool
) -> None:
    same("Compat", topics, (None,), p=p, depth=depth, normalize=normalize)


@pytest.mark.parametrize("name", MEASURES)
def test_many_topics(name: str) -> None:
    topics = strategies.seeded_topics(7, 60)
    scale = {} if name == "Compat" else {"max": 12.0}
    same(name, topics, (20,) if name in NEED_CUTOFF else (None,), **scale)


@pytest.mark.parametrize("name", MEASURES)
def test_record(name: str) -> None:
    record = NAMED[name]
    assert record.title
    assert record.help
    assert record.formula
    assert record.source
    assert record.checked
    assert isinstance(record.parameter, NamedOptions)
    assert record.parameter.cutoff == (
        "required" if name in NEED_CUTOFF else "none" if name == "Compat" else "optional"
    )
    assert record.bounds == (0.0, 1.0)
    assert record.higher_is_better


@pytest.mark.parametrize("name", MEASURES)
def test_example(name: str) -> None:
    record = NAMED[name]
    assert record.example is not None
    ranking, text, value = record.example
    retrieved, _, missed = ranking.partition("|")
    codes = [UNKNOWN if word == "-" else float(word) for word in retrieved.split()]
    topic = Topic(codes, [code for code in codes if code >= 0] + [*map(float, missed.split())])
    written = re.fullmatch(r"\((.*)\)(?:@(\d+))?", text)
    assert written
    given_options, cutoff = written.groups()
    options = {k: float(v) for k, v in (each.split("=") for each in given_options.split(","))}
    if "depth" in options:
        options["depth"] = int(options["depth"])
    cut = int(cutoff) if cutoff else None
    assert values(name, [topic], (cut,), **options)[0][0] == pytest.approx(value, rel=1e-14)
    assert MEASURES[name](topic, cut, **options) == pytest.approx(value, rel=1e-14)


BINARY = Topic([0, 1, 1, UNKNOWN, 1, 0, UNKNOWN, UNKNOWN, 1, 0], [0, 1, 1, 1, 0, 1, 0])
GRADED = Topic([0, 2, UNKNOWN, 1, 3, 0, 3, UNKNOWN], [3, 3, 2, 2, 1, 1, 0, 0, 0])
LONG = Topic([UNKNOWN] * 500 + [2] + [UNKNOWN] * 598 + [3], [2, 3])
"""A document at rank 501, and one past rank 1000."""
FROM_CWL_EVAL: list[tuple[str, int | None, dict[str, Any], tuple[float, float, float]]] = [
    ("SDCG", 5, {}, (0.514771444884, 0.322552037283, 0.0)),
    ("SDCG", 1000, {}, (0.014776098018, 0.010434225636, 0.000603689178)),
    ("INSQ", None, {"T": 1.0}, (0.328276461935, 0.20314173088, 4.108269e-06)),
    ("INSQ", None, {"T": 0.2}, (0.103052472322, 0.061179029856, 3.65999e-07)),
    ("INST", None, {"T": 1.0}, (0.3694376831, 0.215379158258, 4.108273e-06)),
    ("INST", None, {"T": 2.5}, (0.375752962851, 0.230929125503, 1.1864752e-05)),
    ("BPM", 10, {"T": 1.0}, (0.5, 0.25, 0.0)),
    ("BPM", 4, {"T": 3.0}, (0.5, 0.25, 0.0)),
    ("BPM", 10, {"T": 1.0, "hb": 0.75, "med": 0.25}, (0.5, 0.25, 0.0)),
    ("NERR8", 5, {}, (0.5, 0.346153846154, 0.0)),
    ("NERR9", 10, {}, (0.333333333333, 0.233226837061, 0.0)),
    ("NERR10", None, {"p": 0.9}, (0.473684210526, 0.3231202126, 0.0)),
    ("NERR11", None, {"T": 1.0}, (0.307692307692, 0.210963327439, 4.112491e-06)),
]
"""What cwl_eval 1.0.12 gives for the three, with gains of a third for each grade (binary: 1)."""


@for_each(("name", "cutoff", "options", "wanted"), FROM_CWL_EVAL)
def test_cwl_eval(
    name: str, cutoff: int | None, options: dict[str, Any], wanted: tuple[float, ...]
) -> None:
    highest = (1.0, 3.0, 3.0)
    found = [
        values(name, [topic], (cutoff,), **options, max=high)[0][0]
        for topic, high in zip((BINARY, GRADED, LONG), highest, strict=True)
    ]
    assert found == pytest.approx(wanted, abs=1e-9)


def test_ir_measures_compat() -> None:
    # equal scores by rising id, as there: d01 (grade 3) before d05 (grade 1)
    topic = Topic([0, 2, UNKNOWN, 3, 1, 0, 3, UNKNOWN], GRADED.grades)
    assert values("Compat", [topic], (None,), depth=0)[0][0] == pytest.approx(0.36800038, abs=5e-9)


@given(topics=strategies.topics())
def test_insq_and_inst_agree_without_gains(topics: list[Topic]) -> None:
    bare = [Topic([UNKNOWN] * topic.num_ret, topic.grades) for topic in topics]
    assert values("INST", bare, (None,), max=12.0) == values("INSQ", bare, (None,), max=12.0)


@pytest.mark.parametrize("name", GAIN_FAMILY)
def test_best_and_worst(name: str) -> None:
    topics = [Topic([3.0] * 1000, [3.0] * 1000), Topic([0.0, UNKNOWN], [0.0, 3.0]), Topic([], [])]
    best, worst, empty = values(name, topics, (10,), max=3.0)
    assert best == pytest.approx([1.0])
    assert (worst, empty) == ([0.0], [0.0])


def test_compat_of_the_ideal_ranking_is_1() -> None:
    topic = Topic([3, 2, 2, 1, UNKNOWN, 0], [3, 2, 2, 1, 0])
    assert values("Compat", [topic], (None,))[0] == pytest.approx([1.0])
    assert values("Compat", [Topic([1.0], [1.0, 0.5])], (None,), depth=1) == [[1.0]]
    assert values("Compat", [Topic([0.0], [0.0])], (None,)) == [[0.0]]


def test_scale_must_be_known() -> None:
    with pytest.raises(UsageError, match="max=N"):
        values("INST", [BINARY], (None,))
    with pytest.raises(UsageError, match="above the highest grade"):
        values("INST", [GRADED], (None,), max=2.0)
    nothing = Topic([0, UNKNOWN], [0, 0])
    assert values("INST", [nothing], (None,), max=0.0) == [[0.0]]


@pytest.mark.parametrize("name", ["SDCG(max=3)@5", "INST(max=3)", "BPM(max=3)@4", "Compat"])
def test_level_in_the_name_drops_lower_grades(name: str) -> None:
    below = Topic(
        [0 if code == 1 else code for code in GRADED.codes],
        [0 if g == 1 else g for g in GRADED.grades],
    )
    (request,), (leveled,) = resolve_names([name]), resolve_names([_with_level(name)])
    assert leveled.values(judged([GRADED])).tolist() == request.values(judged([below])).tolist()
    # the level of the evaluation is about relevance alone
    stricter = Topic(GRADED.codes, GRADED.grades, level=2)
    assert request.values(judged([stricter])).tolist() == request.values(judged([GRADED])).tolist()


def _with_level(name: str) -> str:
    return name.replace("(", "(rel=2,") if "(" in name else f"{name}(rel=2)"


def test_too_deep() -> None:
    with pytest.raises(UsageError, match="1048576"):
        values("SDCG", [BINARY], (2**40,), max=1.0)
