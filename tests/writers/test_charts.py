"""Charts of pages: what is drawn lies where its value is, names cannot break out of it."""

from __future__ import annotations

import re
from math import nan

import pytest

from irev.writers.charts import (
    Axis,
    Curve,
    Whisker,
    curves_chart,
    differences_chart,
    intervals_chart,
)
from tests.pages import Page

HOSTILE = '</title><script>alert("1")</script>'


@pytest.mark.parametrize("most", [1.0, 1.5])
@pytest.mark.parametrize("more", [0, 200])
def test_bars_stand_for_differences(most: float, more: int) -> None:
    """Many bars are drawn in one line, and where there is no difference is no bar."""
    values = [0.5, -1.0, 0.0, 0.25, *[0.0] * more]
    pairs = [(f"t{n}", value) for n, value in enumerate(values)]
    text = "".join(differences_chart(pairs, most, "x", "title"))
    full = 53 / most  # of 130 px half, less a margin of 12, is the largest that any run has
    bars = {
        kind: [
            -float(v)
            for d in re.findall(rf'class="{kind}"[^>]* d="([^"]*)"', text)
            for v in re.findall("v(-?[0-9.]+)", d)
        ]
        for kind in ("gain", "loss")
    }
    assert bars["gain"] == pytest.approx([0.5 * full, 0.25 * full], abs=0.06)
    assert bars["loss"] == pytest.approx([-full], abs=0.06)
    assert ("<title>t1: -1.0000</title>" in text) == (not more)
    assert f">+{most:g}<" in text
    assert f">-{most:g}<" in text


@pytest.mark.parametrize("number", [4, 24])
def test_bars_do_not_touch_and_names_turn_where_they_stand(number: int) -> None:
    pairs = [(f"t{n}", 1.0 - n / number) for n in range(number)]
    text = "".join(differences_chart(pairs, 1.0, "x", "title"))
    places = [float(x) for x in re.findall(r'class="gain"[^>]* d="M([\d.]+) ', text)]
    (width,) = {float(each) for each in re.findall(r'stroke-width="([\d.]+)"', text)}
    distance = places[1] - places[0]
    assert distance / 2 < width < distance
    stands = re.findall(r'<text x="([\d.]+)" y="(\d+)" text-anchor="end" transform', text)
    turns = re.findall(r'transform="rotate\(-90 ([\d.]+) (\d+)\)"', text)
    assert stands == turns
    assert len(stands) == number


def test_an_axis_goes_from_its_first_pixel_to_its_last() -> None:
    axis = Axis(-1.0, 1.0, 100, 300)
    assert [axis.pixel(value) for value in (-1.0, 0.0, 0.5, 1.0)] == [100, 200, 250, 300]


def test_intervals_are_drawn_at_their_values() -> None:
    whiskers = [Whisker("one", 0.5, 0.3, 0.7), Whisker("other", 0.25, nan, nan)]
    text = "".join(intervals_chart(whiskers, "map", "x", "title"))
    ticks = [
        (float(x), float(v))
        for x, v in re.findall(r'<text x="([\d.]+)" y="\d+" text-anchor="middle">([-\d.]+)<', text)
    ]
    assert len(ticks) >= 3
    (x0, v0), (x1, v1) = ticks[0], ticks[-1]

    def at(value: float) -> float:
        return x0 + (value - v0) * (x1 - x0) / (v1 - v0)

    circles = [float(x) for x in re.findall(r'cx="([\d.]+)"', text)]
    assert circles == pytest.approx([at(0.5), at(0.25)], abs=0.2)
    ((low, high),) = re.findall(r'class="interval" d="M([\d.]+) [\d.]+H([\d.]+)"', text)
    assert [float(low), float(high)] == pytest.approx([at(0.3), at(0.7)], abs=0.2)
    assert "nan" not in text


def test_curves_are_drawn_at_their_values() -> None:
    """The axis begins at 0, and a value that is not known is passed over."""
    curves = [Curve("a", [0.5, nan, 1.0]), Curve("b", [0.0, 0.0, 0.0])]
    text = "".join(curves_chart(["5", "10", "20"], curves, ("rank", "P"), "x"))
    first, second = re.findall(r'class="curve s\d" d="M([^"]*)"', text)
    (x0, y0), (x2, y2) = (map(float, each.split()) for each in first.split("L"))
    _, zero = map(float, second.split("L")[0].split())
    assert x0 < x2
    assert (zero - y0) / (zero - y2) == pytest.approx(0.5, abs=0.01)


def test_names_cannot_break_out() -> None:
    parts = [
        *intervals_chart([Whisker(HOSTILE, 1.0, 0.5, 1.5)], HOSTILE, "a", HOSTILE),
        *differences_chart([(HOSTILE, 0.5)], 1.0, "b", HOSTILE),
        *curves_chart([HOSTILE], [Curve(HOSTILE, [0.5])], (HOSTILE, HOSTILE), "c"),
    ]
    found = Page("".join(parts))
    assert "script" not in found.tags
    assert found.tags.count("svg") == 3


def test_long_names_keep_their_ends() -> None:
    names = [f"input.a-very-long-name-of-a-run-{n}" for n in (1, 2)]
    text = "".join(intervals_chart([Whisker(n, 0.5, 0.4, 0.6) for n in names], "map", "x", "t"))
    labels = re.findall('text-anchor="end">([^<]*)', text)
    assert len(set(labels)) == 2
    assert all(len(label) == 20 for label in labels)
