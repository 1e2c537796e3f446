"""Every form of output read back: nothing is lost, no name is taken for more than a name."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from irev.writers.document import (
    Cell,
    Document,
    Head,
    Heading,
    Keyed,
    Lines,
    Records,
    Strong,
    Table,
    finite_or_none,
    p_text,
    records_of,
    rounded_text,
)
from irev.writers.forms import (
    MACHINE_FORMATS,
    OUTPUT_FORMATS,
    TEXT,
    delimited_line_blocks,
    document_bytes,
    escape_latex,
    json_bytes,
    json_line_blocks,
)

# --- Every form of output read back: nothing is lost, no name is taken for more than a name ---


HOSTILE = [
    "<script>alert(1)</script>", "=cmd()", r"\input{x}", "^^5cinput", "a|b", "two\nlines",
    "\x1b[31m", "\u202ebidi", "[x]", "'\";--", "%&_#$~", "\udc80", "# head", "- item", "1. item",
    "n" * 200, "*b*", "", "007", "1e5",
]  # fmt: skip
VALUES = [0.1 + 0.2, 1 / 3, 12345.678, -0.0, 1e-9, -2e-5]
HEADS = ["run", "x", "p", "n", "interval", "_y_"]


def rows() -> list[list[Any]]:
    return [
        [name, VALUES[at % 6], 10.0 ** -(at % 6), at, (-1.5, VALUES[at % 6]), None]
        for at, name in enumerate(HOSTILE)
    ]


def document(**more: Any) -> Document:
    """Names of all kinds in every place that a name can stand in."""
    kinds = ["text", "number", "p", "number", "number", "text"]
    table = Table([Head(h, k) for h, k in zip(HEADS, kinds, strict=True)], rows())
    parts = [p for name in HOSTILE for p in (Heading(name, 3, name), Lines([name]))]
    fields = [*HEADS[:4], "low", "high"]
    flat = [[*row[:4], *row[4]] for row in rows()]
    facts = {
        "title": HOSTILE[0],
        "parts": [*parts, Lines(HOSTILE, listed=False), table],
        "records": [Records("rows", fields, iter(flat)), Records("none", ["a"], iter(()))],
        "data": lambda: {"names": HOSTILE, "values": VALUES},
    }
    return Document(**{**facts, **more})


def text(form: str, made: Document | None = None, **how: Any) -> str:
    blocks = document_bytes(document() if made is None else made, form, **how)
    return b"".join(blocks).decode("utf-8", "surrogateescape")


def small(*columns: Head, rows: list[list[Cell]]) -> Document:
    return document(parts=[Table(columns, rows)])


@pytest.mark.parametrize("form", sorted(set(OUTPUT_FORMATS) - set(MACHINE_FORMATS)))
def test_nothing_drives_a_terminal(form: str) -> None:
    assert all(c.isprintable() or c == "\n" for c in text(form))
    assert "\x1b" not in text("json") + text("jsonl")


@pytest.mark.parametrize(("form", "separator"), [("csv", ","), ("tsv", "\t")])
def test_delimited(form: str, separator: str) -> None:
    head, *found = csv.reader(io.StringIO(text(form), newline=""), delimiter=separator)
    assert head == [*HEADS[:4], "low", "high"]
    assert found == [
        [str(cell).replace("\udc80", r"\x80") for cell in [*row[:4], *row[4]]] for row in rows()
    ]


@pytest.mark.parametrize("form", [*OUTPUT_FORMATS, TEXT])
def test_every_form_is_utf_8(form: str) -> None:
    """A byte that is not UTF-8, in a name of a file, a tag or an id, is escaped everywhere."""
    name = "caf\udce9"
    parts = [
        Heading(name, 2, name), Lines([name]), Lines([name], listed=False),
        Table([Head(name, "text")], [[name], [Strong(name)]], True, name, name, name),
    ]  # fmt: skip
    records = [Records(name, [name], [[name]])]
    made = document(
        title=name, parts=parts, records=records, data=lambda: {name: name}, report_lines=[name]
    )
    written = b"".join(document_bytes(made, form)).decode()
    assert (r"caf\udce9" if form in ("json", "jsonl") else r"\xe9") in written


def test_json() -> None:
    found = json.loads(text("json"))
    assert found == {"names": HOSTILE, "values": VALUES}


def test_json_lines() -> None:
    found = [json.loads(line) for line in text("jsonl").splitlines()]
    fields = [*HEADS[:4], "low", "high"]
    assert found == [
        {"table": "rows", **dict(zip(fields, [*row[:4], *row[4]], strict=True))} for row in rows()
    ]
    endless = document(records=[records_of("r", iter([{"x": math.nan}, {"x": -math.inf}]), s="k")])
    assert text("jsonl", endless) == '{"table": "r", "x": null, "s": "k"}\n' * 2


def test_rows_are_taken_one_after_another() -> None:
    """What is written first does not wait for what comes last."""
    taken = []

    def many() -> Any:
        for number in range(5000):
            taken.append(number)
            yield [number]

    for form in ("csv", "tsv", "jsonl"):
        taken.clear()
        blocks = document_bytes(document(records=[Records("rows", ["n"], many())]), form)
        next(blocks), next(blocks)
        assert len(taken) < 5000
        assert sum(block.count(b"\n") for block in blocks) + len(taken) >= 3000


class Page(HTMLParser):
    """The tags of a page, the numbers behind cells, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.values: list[float] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember it."""
        self.tags.append(tag)
        value = dict(attrs).get("data-v")
        if tag == "td" and value is not None:
            self.values.append(float(value))

    def handle_data(self, data: str) -> None:
        """Remember it."""
        self.text += data


def test_html() -> None:
    page = Page(text("html"))
    assert "script" not in page.tags
    assert page.tags.count("tr") == 1 + len(HOSTILE)
    assert page.values == [v for row in rows() for v in (row[1], row[2], row[4][0])]
    assert "<script>alert(1)</script>" in page.text
    assert "default-src 'none'" in text("html")


TEX_WORDS = {
    "begin", "end", "toprule", "midrule", "bottomrule", "textbackslash", "textasciitilde",
    "textasciicircum", "textbf", "ensuremath",
}  # fmt: skip


def test_latex() -> None:
    lines = [line for line in text("latex").splitlines() if not line.startswith("%")]
    body = re.sub(r"\\[{}&%$#_]", "", "\n".join(lines))
    assert set(re.findall(r"\\([A-Za-z]+)", body)) <= TEX_WORDS
    assert body.count("{") == body.count("}")
    cells = [line.count("&") for line in body.splitlines() if line.endswith(r"\\")]
    assert cells == [len(HEADS) - 1] * (1 + len(HOSTILE))


def test_cells_of_latex_stand_below_each_other_whatever_commands_they_hold() -> None:
    table = small(
        Head("run", "text"), Head("p", "p"), rows=[["a & b", 0.00001], ["c", 0.5], [r"d\&", 0.25]]
    )
    lines = [line for line in text("latex", table).splitlines() if line.endswith(r"\\")]
    ends = [line.replace(r"\&", "..").index("&") for line in lines]
    assert len(lines) == 4
    assert len(set(ends)) == len({len(line) for line in lines}) == 1
    assert r" c                   &               0.5000 \\" in lines


def test_a_sign_of_multiplication_in_latex() -> None:
    assert escape_latex("2 pairs x 3 measures") == r"2 pairs \ensuremath{\times} 3 measures"
    assert escape_latex("run x of 3") == "run x of 3"


def test_a_float_of_latex() -> None:
    """No name leaves the comment above it, and none of its caption is a command."""
    table = Table([Head("run", "text")], [["a"]], caption="a & b % c $ d # e _ f {g}",
                  label="tab:x", source="\n\\input{x}\rmore")  # fmt: skip
    lines = text("latex", document(parts=[table])).splitlines()
    assert r"\caption{a \& b \% c \$ d \# e \_ f \{g\}}" in lines
    comment = lines[: lines.index(r"\begin{table}")]
    assert len(comment) == 2
    assert all(line.startswith("% ") for line in comment)
    assert "input" in comment[1]


def test_markdown() -> None:
    told = text("markdown")
    rows_found = [line for line in told.splitlines() if line.startswith("|")]
    assert len(rows_found) == 2 + len(HOSTILE)
    for line in rows_found:
        assert len(re.findall(r"(?<!\\)\|", line)) == len(HEADS) + 1, line
    # what would begin a heading or a list in a line of its own is escaped
    assert {r"\# head", r"\- item", r"1\. item"} <= set(told.splitlines())
    assert "<script>" not in told.replace(r"\<", "")


def test_numbers_are_rounded_in_one_way() -> None:
    columns = (
        Head("run", "text"),
        Head("x"),
        Head("p", "p"),
        Head("g", number_format="g"),
    )
    made = small(
        *columns,
        rows=[["a", -1e-9, 0.00007, 0.5], ["b", math.nan, None, 2.0], ["c", 2 / 3, 0.5, 1e-7]],
    )
    assert text("table", made, decimals=2) == (
        "run       x        p      g\n"
        "-----  ----  -------  -----\n"
        "a      0.00  <0.0001    0.5\n"
        "b         -               2\n"
        "c      0.67   0.5000  1e-07\n"
    )
    assert "<0.0001" not in text("table", made, decimals=6)


def test_what_stands_out() -> None:
    """The best value as it is shown, in LaTeX and on pages; a strong text in all that can."""
    columns = (
        Head("run", "text"),
        Head("x", higher_is_better=True),
        Head("e", higher_is_better=False),
    )
    made = small(
        *columns, rows=[["a", 0.50001, 0.1], [Strong("b"), 0.49999, 0.2], ["c", 0.4, None]]
    )
    latex, page, markdown = (text(form, made, decimals=4) for form in ("latex", "html", "markdown"))
    assert latex.count(r"\textbf{") == 4
    assert [r"\textbf{0.5000}" in line for line in latex.splitlines()[4:7]] == [True, True, False]
    assert r"\textbf{0.1000}" in latex
    assert r"\textbf{b}" in latex
    assert page.count("<strong>0.5000</strong>") == 2
    assert "**b**" in markdown
    assert "**0.5000**" not in markdown
    alone = small(*columns, rows=[["a", 0.5, 0.1]])
    assert "textbf" not in text("latex", alone)


def test_a_cell_in_words_of_its_own() -> None:
    made = small(Head("places"), rows=[[Keyed("2-4", 2)], [Keyed("1-1", 1)]])
    assert Page(text("html", made)).values == [2, 1]
    assert text("table", made).split()[2:] == ["2-4", "1-1"]


def test_what_is_told_instead() -> None:
    made = document(report_lines=["one", "two"])
    assert text(TEXT, made) == "one\ntwo\n"
    assert text(TEXT) == text("table") == text("table", document(report_lines=["one"]))


MANY = [Head("run", "text"), *(Head(f"measure_{n}") for n in range(12))]


@pytest.mark.parametrize("width", [40, 60, 79])
@pytest.mark.parametrize("runs", [1, 3, 30])
def test_tables_fit_a_terminal(width: int, runs: int) -> None:
    rows: list[list[Cell]] = [
        [f"run{r}", *(r + n / 100 for n in range(12))] for r in range(10, 10 + runs)
    ]
    told = text("table", small(*MANY, rows=rows), width=width)
    assert max(map(len, told.splitlines())) <= width
    words = told.split()
    for row in rows:
        assert all(f"{value:.4f}" in words for value in row[1:])
    # measures as rows while the runs have room beside each other, else blocks of measures
    is_turned = told.split()[1].startswith("run")
    assert is_turned is (runs == 1 or (runs == 3 and width >= 40))
    assert words.count("run10") == (1 if is_turned else told.count("run  "))


def test_tables_are_left_alone_elsewhere() -> None:
    rows: list[list[Cell]] = [["a", *([0.5] * 12)]]
    made = small(*MANY, rows=rows)
    assert text("table", made) == text("table", made, width=1000)
    assert len(text("table", made).splitlines()) == 3


def test_marks_stay_with_the_number_that_they_mark() -> None:
    """At every width, and of several columns of numbers."""
    heads = [Head("run", "text"), Head("against", "text")]
    for name in ("difference", "p t", "holm", "p sign", "bonferroni"):
        heads += [Head(name), Head("")]
    cells = [value for n in range(5) for value in (0.1 + n, "*")]
    for width in range(30, 120):
        told = text("table", small(*heads, rows=[["a", "b", *cells]]), width=width)
        blocks = [block.splitlines()[-1].split()[2:] for block in told.split("\n\n")]
        assert [cell for block in blocks for cell in block[1::2]] == ["*"] * 5


def test_keys_of_several_columns_are_repeated() -> None:
    columns = [
        Head("place"),
        Head("run", "text"),
        *(Head(f"m{n}") for n in range(8)),
    ]
    rows: list[list[Cell]] = [[1, "first", *([0.25] * 8)], [2, "second", *([0.5] * 8)]]
    told = text("table", small(*columns, rows=rows), width=40)
    blocks = told.split("\n\n")
    assert len(blocks) > 1
    for block in blocks:
        assert block.split()[:2] == ["place", "run"]
        assert "second" in block


def test_sentences_fit_a_terminal_but_signatures_stay_whole() -> None:
    signature = "irev:0.2.0|" + "|".join(f"key{n}:value" for n in range(12))
    made = document(parts=[Lines(["one two three four five six", f"signature: {signature}"])])
    assert text("table", made, width=14).splitlines() == [
        "one two three", "four five six", "signature:", signature
    ]  # fmt: skip
    assert text("table", made).count("\n") == 2


# --- What the forms for machines share ---


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
def test_delimited_lines_are_all_there(rows: int, separator: str) -> None:
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
        (0.99996, 4, ">0.9999"),
        (0.99994, 2, "0.9999"),
        (1.0, 4, "1.0000"),
    ],
)
def test_p(p: float | None, places: int, text: str) -> None:
    """At least four decimals, and never a 0, nor a 1 that is less."""
    assert p_text(p, places) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.001, "0.00"), (-0.0, "0.00"), (-0.01, "-0.01"), (0.5, "0.50"), (-math.inf, "-inf")],
)
def test_a_zero_has_no_sign(value: float, text: str) -> None:
    assert rounded_text(value, 2) == text
