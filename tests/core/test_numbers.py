"""Numbers are read to their last byte, or not at all."""

from __future__ import annotations

import math

import pytest

from irev.core.text import parse_c_number, parse_whole
from tests.each import for_each


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("5", 5), ("+5", 5), ("-05", -5), ("-0", 0), ("9223372036854775808", 2**63)],
)
def test_whole_numbers(text: str, number: int) -> None:
    assert parse_whole(text) == parse_whole(text.encode()) == number


@for_each(
    "text",
    [
        "",
        "+",
        "-",
        "5x",
        "23.4",
        "1.0",
        "1e3",
        "0x10",
        " 5",
        "5 ",
        "5\n",
        "1_000",
        "٣",
        "²",
        "9" * 5000,
    ],
)
def test_what_is_no_whole_number(text: str) -> None:
    assert parse_whole(text) is None
    assert parse_whole(text.encode()) is None


@for_each(
    ("text", "number"),
    [
        ("1", 1.0),
        ("-.5", -0.5),
        ("5.", 5.0),
        ("+2.5e-3", 0.0025),
        ("1E2", 100.0),
        ("0x1p4", 16.0),
        ("-0X.8", -0.5),
        ("0x1.8P-1", 0.75),
        ("0x10", 16.0),
        ("inf", math.inf),
        ("-Infinity", -math.inf),
        ("1e999", math.inf),
        ("-0x1p99999", -math.inf),
        ("1e-999", 0.0),
        ("0.1", 0.1),
    ],
)
def test_real_numbers(text: str, number: float) -> None:
    assert parse_c_number(text) == parse_c_number(text.encode()) == number


@for_each(
    "text",
    ["", ".", "e5", "1e", "1e+", "0x", "0x1p", "0x.p1", "1,5", "2.5zz", " 1", "1 ", "1\n", "1_0",
     "٣.٥", "nan", "NAN", "-nan", "infin", "ınf", "--1"],
)  # fmt: skip
def test_what_is_no_real_number(text: str) -> None:
    assert parse_c_number(text) is None
    assert parse_c_number(text.encode()) is None


def test_bytes_that_are_no_text() -> None:
    assert parse_whole(b"\xff1") is None
    assert parse_c_number(b"1\xb2") is None
