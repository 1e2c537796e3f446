"""What the forms for machines share."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest

from irev.writers.document import finite_or_none, p_text, rounded_text
from irev.writers.forms import delimited_line_blocks, json_bytes, json_line_blocks


def test_json_keeps_bytes_that_are_no_text() -> None:
    """A byte that is not UTF-8 is a lone surrogate, which JSON escapes; all else stays readable."""
    name = b"caf\xc3\xa9 \xff".decode("utf-8", "surrogateescape")
    written = json_bytes({"run": name})
    assert written == b'{\n "run": "caf\xc3\xa9 \\udcff"\n}\n'
    assert json.loads(written) == {"run": name}


def test_json_has_no_nan() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_bytes([math.nan])


def test_finite() -> None:
    """None for what is no finite number, wherever it stands."""
    given = {"a": [1.5, math.nan, {"b": (math.inf, "x", 2, None)}], "c": -math.inf}
    assert finite_or_none(given) == {"a": [1.5, None, {"b": [None, "x", 2, None]}], "c": None}
    assert finite_or_none(0.25) == 0.25
    assert finite_or_none(math.nan) is None


def test_json_escapes_what_drives_a_terminal() -> None:
    name = "a\x1b\x7f\x9b2J\u202e\u2066\u2028\u061c\xe9\x00"
    for written in (json_bytes([name]), b"".join(json_line_blocks([[name]]))):
        assert b"\\u001b\\u007f\\u009b2J\\u202e\\u2066\\u2028\\u061c\xc3\xa9\\u0000" in written
        assert json.loads(written) == [name]


def test_cells_that_a_spreadsheet_takes_for_no_formula() -> None:
    for cell, shown in [
        ('=HYPERLINK("http://e","x")', '\'=HYPERLINK("http://e","x")'),
        ("@SUM(A1)", "'@SUM(A1)"), ("+1+1", "'+1+1"), ("-2+3", "'-2+3"), ("=1", "'=1"),
        ("\t=1", "'\\t=1"), ("\r=1", "'\\r=1"), ("\uff1d1", "'\uff1d1"), ("-", "-"),
        ("-0.5", "-0.5"), ("+3", "+3"), ("-1e-05", "-1e-05"), ("-inf", "-inf"), ("", ""),
        ("a=1", "a=1"), ("it's", "it's"), ("a\x1b[2J", "a\\x1b[2J"),
        ("a\x9b\u202e", "a\\u009b\\u202e"),
        ("a\nb", "a\\nb"), ("caf\xe9", "caf\xe9"),
    ]:  # fmt: skip
        text = b"".join(delimited_line_blocks([["x", cell, -0.5]], safe=True)).decode()
        assert list(csv.reader(io.StringIO(text))) == [["x", shown, "-0.5"]], cell
        assert (
            cell.replace('"', '""') in next(delimited_line_blocks([["x", cell, -0.5]])).decode()
        ), cell


@pytest.mark.parametrize("rows", [0, 1, 1000, 1001, 2500])
@pytest.mark.parametrize("separator", [",", "\t"])
def test_delimited(rows: int, separator: str) -> None:
    """All rows come, each once and in order, however many there are."""
    table = [[str(row), 'a "quote"', f"x{separator}y", 0.1 + 0.2] for row in range(rows)]
    text = b"".join(delimited_line_blocks(table, separator)).decode()
    found = list(csv.reader(io.StringIO(text), delimiter=separator))
    assert found == [[*cells, "0.30000000000000004"] for *cells, _ in table]


@pytest.mark.parametrize(
    ("p", "places", "text"),
    [
        (None, 4, ""),
        (0.5, 4, "0.5000"),
        (0.0001, 4, "0.0001"),
        (0.00009, 4, "<0.0001"),
        (0.00009, 2, "<0.0001"),
        (0.00009, 6, "0.000090"),
        (0.0, 6, "<0.000001"),
    ],
)
def test_p(p: float | None, places: int, text: str) -> None:
    """At least four decimals, and never a 0."""
    assert p_text(p, places) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.001, "0.00"), (-0.0, "0.00"), (-0.01, "-0.01"), (0.5, "0.50"), (-math.inf, "-inf")],
)
def test_a_zero_has_no_sign(value: float, text: str) -> None:
    assert rounded_text(value, 2) == text
