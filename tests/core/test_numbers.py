"""Numbers are read to their last byte, or not at all."""

from __future__ import annotations

import math

from irev.core.text import parse_c_number, parse_whole

WHOLE = {"0": 0, "5": 5, "+5": 5, "-05": -5, "-0": 0, "9223372036854775808": 2**63}
NOT_WHOLE = [
    "", "+", "-", "5x", "23.4", "1.0", "1e3", "0x10", " 5", "5 ", "5\n", "1_000", "٣", "²",
    "9" * 5000,
]  # fmt: skip
REAL = {
    "1": 1.0, "-.5": -0.5, "5.": 5.0, "+2.5e-3": 0.0025, "1E2": 100.0, "0x1p4": 16.0, "-0X.8": -0.5,
    "0x1.8P-1": 0.75, "0x10": 16.0, "inf": math.inf, "-Infinity": -math.inf, "1e999": math.inf,
    "-0x1p99999": -math.inf, "1e-999": 0.0, "0.1": 0.1,
}  # fmt: skip
NOT_REAL = [
    "", ".", "e5", "1e", "1e+", "0x", "0x1p", "0x.p1", "1,5", "2.5zz", " 1", "1 ", "1\n", "1_0",
    "٣.٥", "nan", "NAN", "-nan", "infin", "ınf", "--1",
]  # fmt: skip


def test_whole_numbers() -> None:
    for text, number in WHOLE.items():
        assert parse_whole(text) == parse_whole(text.encode()) == number, text
    for text in NOT_WHOLE:
        assert parse_whole(text) is parse_whole(text.encode()) is None, text


def test_real_numbers() -> None:
    for text, number in REAL.items():
        assert parse_c_number(text) == parse_c_number(text.encode()) == number, text
    for text in NOT_REAL:
        assert parse_c_number(text) is parse_c_number(text.encode()) is None, text


def test_bytes_that_are_no_text() -> None:
    assert parse_whole(b"\xff1") is None
    assert parse_c_number(b"1\xb2") is None
