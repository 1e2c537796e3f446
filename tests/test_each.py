"""One test over all values of a parameter."""

from __future__ import annotations

import inspect

import pytest

from tests.each import for_each


def test_every_value_is_tried_and_those_that_fail_are_named() -> None:
    seen = []

    @for_each("name, square", [("one", 1), pytest.param("two", 5), ("three", 9), ("four", 1)])
    def check(fixture: str, name: str, square: int) -> None:
        seen.append((fixture, name))
        assert len(name) ** 2 >= square

    assert list(inspect.signature(check).parameters) == ["fixture"]
    check(fixture="x")
    assert seen == [("x", "one"), ("x", "two"), ("x", "three"), ("x", "four")]

    @for_each("number", range(5), ids=lambda number: f"n{number}")
    @for_each("letter", "ab")
    def fails(number: int, letter: str) -> None:
        assert number != 3 or letter == "a"

    with pytest.raises(ExceptionGroup, match="1 of 5 fail") as raised:
        fails()
    (of_letters,) = raised.value.exceptions
    assert of_letters.__notes__ == ["number=n3"]
    (of_one,) = of_letters.exceptions
    assert of_one.__notes__ == ["letter='b'"]


def test_no_values_are_a_failure() -> None:
    @for_each("number", [])
    def check(number: int) -> None: ...

    with pytest.raises(AssertionError, match="nothing to test"):
        check()
