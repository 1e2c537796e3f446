"""Rank-biased overlap against published values, and against its definition written out."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev import UsageError
from irev.statistics.rbo import Overlap, rbo
from tests.each import for_each
from tests.statistics_rows import every_row
from tests.strategies import examples

SCORES = ("ext", "min", "max", "res")

# Corsi and Urbano's published test values: x, y, p, then ext, min, max, res for w, a and b
PUBLISHED = [
    (
        "(i5 i9 i13 i15 i16 i19 i20) (i3 i8)",
        "i6 (i4 i18) i2 i7 i8 i17 i14 (i11 i12) i1",
        0.958074765324023,
        {
            "w": (0.0816485573277354, 0.0370062754797617, 0.59493569657566, 0.557929421095898),
            "a": (0.0808189832771587, 0.0354671825076603, 0.593396603603558, 0.557929421095898),
            "b": (0.0813693619867344, 0.0356267307324464, 0.593556151828344, 0.557929421095898),
        },
    ),
    (
        "i13 (i1 i4 i5 i6)",
        "i3 i14 i11 (i10 i15) i12 (i6 i9) i4 i2",
        0.92238320668128,
        {
            "w": (0.117578490431637, 0.0763135264223449, 0.53999366118093, 0.463680134758586),
            "a": (0.114619469221414, 0.0733545052121218, 0.537945108035391, 0.464590602823269),
            "b": (0.11474835409049, 0.0734833900811979, 0.538589532380772, 0.465106142299574),
        },
    ),
    (
        "(i4 i7 i15) (i2 i11) i8 i18",
        "i4 i8 i17 i11 (i2 i3 i5 i7 i9 i13 i14)",
        0.955836875418683,
        {
            "w": (0.601671359995661, 0.310498723372055, 0.820912519608734, 0.510413796236679),
            "a": (0.584235464666522, 0.295503371358027, 0.805839323150565, 0.510335951792538),
            "b": (0.632087129618464, 0.322093781902212, 0.833840285843908, 0.511746503941696),
        },
    ),
    (
        "(i1 i3 i6 i11 i15) i17 (i5 i8)",
        "(i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 i11 i12)",
        0.966485585840186,
        {
            "w": (0.647993254615828, 0.307897712904381, 0.853885398258049, 0.545987685353668),
            "a": (0.56593642947334, 0.250532359019861, 0.795583602856033, 0.545051243836172),
            "b": (0.658581961799868, 0.315458973083789, 0.861496368240528, 0.546037395156739),
        },
    ),
    (
        "i21 i20 (i1 i16 i19) (i5 i10) i4",
        "(i12 i17) (i2 i3 i8 i11) (i15 i18) (i6 i13) (i7 i14) i9",
        0.930074017489188,
        {
            "w": (0, 0, 0.389142712252727, 0.389142712252727),
            "a": (0, 0, 0.38977330351866, 0.38977330351866),
            "b": (0, 0, 0.390116806797613, 0.390116806797613),
        },
    ),
]


def groups(text: str) -> list[list[str]]:
    """`a (b c)` as [["a"], ["b", "c"]]."""
    found: list[list[str]] = []
    for word in text.split():
        if word.startswith("(") or not found or found[-1][-1].endswith(")"):
            found.append([word])
        elif found[-1][0].startswith("("):
            found[-1].append(word)
        else:
            found.append([word])
    return [[word.strip("()") for word in group] for group in found]


@for_each(("x", "y", "p", "by_ties"), PUBLISHED)
@for_each("ties", ["w", "a", "b"])
def test_the_published_values(x, y, p, by_ties, ties):
    for one, other in ((x, y), (y, x)):
        found = rbo(groups(one), groups(other), p, ties)
        assert [getattr(found, name) for name in SCORES] == pytest.approx(by_ties[ties], abs=1e-12)


def expected_rows():
    return [row for row in every_row() if row["section"] == "rbo"]


WITHOUT_LISTS = {
    "identical 10 p=.9": [[[str(n)] for n in range(10)]] * 2,
    "disjoint 3 p=.9": [[["a"], ["b"], ["c"]], [["d"], ["e"], ["f"]]],
}


@for_each("row", expected_rows(), ids=lambda row: f"{row['case']} {row['quantity']}")
def test_the_expected_values(row):
    case = row["case"]
    if case in WITHOUT_LISTS:
        x, y = WITHOUT_LISTS[case]
    else:
        x, y = (json.loads(row["params"])[side] for side in "xy")
    p = 0.95 if "p=.95" in case else 0.9
    ties: Any = case[-1] if "ties" in case else "a"
    found = getattr(rbo(x, y, p, ties), row["quantity"])
    assert found == pytest.approx(float(row["expected"]), abs=float(row["tol"]))


def plain(x: list[str], y: list[str], p: float) -> Overlap:
    """RBO without ties by Webber et al.'s sums, with as many depths as matter."""
    short, long = sorted((x, y), key=len)
    s, l = len(short), len(long)  # noqa: E741

    def common(d: int) -> int:
        return len(set(short[:d]) & set(long[:d]))

    last = 4000
    point = sum(common(d) / d * p**d for d in range(1, l + 1))
    point += sum(common(s) * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    end = (common(l) - common(s)) / l + common(s) / s
    least = sum(common(min(d, l)) / d * p**d for d in range(1, last))
    # the most: every unseen rank of a ranking shows what the other has and it has not yet shown
    seen = common(l)
    most = 0.0
    for d in range(1, last):
        hidden = max(0, d - s) + max(0, d - l)
        most += min(d, (common(d) if d <= l else seen) + hidden) / d * p**d
    factor = (1 - p) / p
    return Overlap(factor * point + end * p**l, factor * least, factor * most)


rankings = st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=9, unique=True)
persistences = st.sampled_from([0.3, 0.8, 0.9, 0.98])


@pytest.mark.thorough
@examples(60)
@given(rankings, rankings, persistences)
def test_without_ties_it_is_webbers_sum(x, y, p):
    exact = plain(x, y, p)
    for ties in ("a", "b", "w"):
        found = rbo([[d] for d in x], [[d] for d in y], p, ties)
        for name in SCORES:
            assert getattr(found, name) == pytest.approx(getattr(exact, name), abs=1e-10)


def test_ties_a_is_the_mean_over_all_orders():
    x, y = [["a", "b", "c"], ["d"]], [["b"], ["d", "a"], ["e"]]
    values = []
    for first in itertools.permutations(x[0]):
        for second in itertools.permutations(y[1]):
            values.append(plain([*first, "d"], ["b", *second, "e"], 0.8))
    found = rbo(x, y, 0.8, "a")
    for name in SCORES:
        mean = sum(getattr(each, name) for each in values) / len(values)
        assert getattr(found, name) == pytest.approx(mean, abs=1e-12)


def test_a_ranking_with_itself():
    tied = [["a", "b"], ["c"], ["d", "e", "f"]]
    assert rbo(tied, tied, 0.9, "b").ext == pytest.approx(1)
    assert rbo(tied, tied, 0.9, "w").ext == pytest.approx(1)
    assert rbo(tied, tied, 0.9, "a").ext < 1


def test_empty_rankings():
    assert rbo([], []).ext == 1
    for x, y in (([], [["a"], ["b"]]), ([["a"]], [])):
        found = rbo(x, y)
        assert (found.ext, found.min) == (0, 0)
        assert found.max == pytest.approx(1)


@pytest.mark.parametrize("p", [0.5, 0.99, 0.9999])
def test_long_rankings_keep_their_digits(p):
    documents = [[n] for n in range(2000)]
    found = rbo(documents, documents, p)
    assert found.ext == pytest.approx(1, abs=1e-12)
    assert found.max == pytest.approx(1, abs=1e-12)
    # sum of p^d over d <= 2000, and from there on 2000/d of it, as math.fsum has it
    seen = 1 - p**2000
    beyond = math.fsum(2000 / d * p**d for d in range(2001, 2001 + int(60 / (1 - p))))
    assert found.min == pytest.approx(seen + (1 - p) / p * beyond, abs=1e-12)


@pytest.mark.parametrize(
    ("x", "p", "ties", "said"),
    [
        ([["a"], ["b", "a"]], 0.9, "a", "'a' is in a ranking twice"),
        ([["a"]], 1.0, "a", "above 0 and below 1"),
        ([["a"]], 0.0, "a", "above 0 and below 1"),
        ([["a"]], 0.9, "c", "'a', 'b' or 'w'"),
    ],
)
def test_what_cannot_be_compared(x, p, ties, said):
    with pytest.raises(UsageError, match=said):
        rbo(x, [["a"]], p, ties)
