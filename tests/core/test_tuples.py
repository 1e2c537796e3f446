"""The light named tuples behave as those of `typing`."""

from __future__ import annotations

import copy
import pickle
import typing
from typing import Any, Generic, TypeVar

import pytest

from irev.core.tuples import NamedTuple

Thing = TypeVar("Thing")


class Light(NamedTuple):
    """Of irev."""

    one: int
    two: str = "b"
    more: tuple[int, ...] = ()

    @property
    def length(self) -> int:
        """How many more."""
        return len(self.more)

    def __str__(self) -> str:
        return "said"


class Usual(typing.NamedTuple):
    """Of typing."""

    one: int
    two: str = "b"
    more: tuple[int, ...] = ()

    @property
    def length(self) -> int:
        """How many more."""
        return len(self.more)

    def __str__(self) -> str:
        return "said"


class Held(NamedTuple, Generic[Thing]):
    """With a parameter."""

    thing: Thing


def looks(kind: Any) -> list[Any]:
    """What can be seen of a class and its instances."""
    made = [kind(1), kind(1, "c", (2,)), kind(two="x", one=3), kind(1)._replace(more=(5, 6))]
    return [
        kind._fields, kind._field_defaults, kind.__match_args__, kind._make([1, 2, 3]), *made,
        [repr(each).replace(kind.__name__, "") for each in made],
        [(str(each), each.one, each.two, each.more, each.length) for each in made],
        [each._asdict() for each in made], sorted(made), {*made}, [*map(hash, made)],
        [pickle.loads(pickle.dumps(each)) for each in made],
        [type(copy.deepcopy(each)) is kind for each in made], made[0] == (1, "b", ()),
        [hasattr(each, "__dict__") for each in made], isinstance(made[0], tuple),
    ]  # fmt: skip


def test_they_look_alike():
    assert looks(Light) == looks(Usual)


def test_parameters_and_patterns():
    match Held[int](3), Light(1, "z"):
        case Held(thing), Light(one, two, more):
            assert (thing, one, two, more) == (3, 1, "z", ())


@pytest.mark.parametrize("kind", [Light, Usual])
@pytest.mark.parametrize(
    "wrong",
    [
        lambda kind: kind(),
        lambda kind: kind(1, "b", (), 4),
        lambda kind: kind(1, one=2),
        lambda kind: kind(1, three=3),
        lambda kind: kind(two="b"),
        lambda kind: kind._make([1]),
    ],
)
def test_what_they_refuse(kind, wrong):
    with pytest.raises(TypeError):
        wrong(kind)


@pytest.mark.parametrize("kind", [Light, Usual])
def test_they_do_not_change(kind):
    with pytest.raises(AttributeError):
        kind(1).one = 2
    with pytest.raises((TypeError, ValueError)):
        kind(1)._replace(three=3)
