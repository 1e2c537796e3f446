"""Records that stay: what a dataclass does, without its code."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, field, fields, replace

import pytest

from irev.core.frozen import frozen


@frozen(eq=True)
class Point:
    """A point, and a note that plays no role in comparisons."""

    x: int
    y: int = 2
    note: str = field(default="", compare=False)


@frozen
class Held:
    """What is equal to itself alone."""

    values: list[int] = field(default_factory=list)


@frozen(eq=True)
class Far(Point):
    """Fields follow those of the base."""

    z: int = 3


def test_fields_are_given_by_place_and_by_name() -> None:
    point = Point(1, note="n")
    assert (point.x, point.y, point.note) == (1, 2, "n")
    assert (Far(1, 5).y, Far(1, 5).z, Far(z=9, x=1).z) == (5, 3, 9)
    assert [each.name for each in fields(Far(1))] == ["x", "y", "note", "z"]


@pytest.mark.parametrize(
    ("values", "named", "message"),
    [
        ((), {}, "Point lacks x"),
        ((1, 2, "n", 4), {}, "Point takes x, y, note, each once"),
        ((1,), {"x": 2}, "Point takes x, y, note, each once"),
        ((1,), {"w": 2}, "Point has no w"),
        ((1, 2, "n"), {"w": 2}, "Point has no w"),
    ],
)
def test_what_is_lacking_or_too_much(
    values: tuple[object, ...], named: dict[str, object], message: str
) -> None:
    with pytest.raises(TypeError, match=f"^{message}$"):
        Point(*values, **named)  # type: ignore[arg-type]


def test_they_stay() -> None:
    point = Point(1)
    with pytest.raises(FrozenInstanceError, match=r"Point\.x cannot be changed"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del point.x
    assert replace(point, y=7) == Point(1, 7)
    assert point == Point(1)


def test_equality_is_by_fields_where_it_is_wanted() -> None:
    assert Point(1, note="a") == Point(1, note="b")
    assert hash(Point(1, note="a")) == hash(Point(1, note="b"))
    assert Point(1) != Point(1, 3)
    assert Point(1) != Far(1)
    assert repr(Point(1)) == "Point(x=1, y=2, note='')"
    assert Held() != Held()
    assert Held().values is not Held().values


def test_they_can_be_copied_and_sent() -> None:
    point = Point(4, note="n")
    assert copy.copy(point) == pickle.loads(pickle.dumps(point)) == point
