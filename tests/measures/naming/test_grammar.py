"""Names with options taken apart, and what is said of those that are not written so."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev.errors import UsageError
from irev.measures.naming.grammar import (
    Literal,
    Ratio,
    WrittenMap,
    WrittenName,
    parse_name,
    parse_value,
)
from tests.each import for_each


@for_each(
    ("text", "written"),
    [
        ("AP", WrittenName("AP", (), (), "AP")),
        ("P@5", WrittenName("P", (), ("5",), "P")),
        ("P@5,10", WrittenName("P", (), ("5", "10"), "P")),
        ("IPrec@0.1,1", WrittenName("IPrec", (), ("0.1", "1"), "IPrec")),
        ("Q(beta=10)", WrittenName("Q", (("beta", "10"),), (), "Q(beta=10)")),
        ("Q()@1", WrittenName("Q", (), ("1",), "Q()")),
        ("nDCG(dcg='exp-log2')@10",
         WrittenName("nDCG", (("dcg", "exp-log2"),), ("10",), "nDCG(dcg='exp-log2')")),
        ('nDCG(dcg="log2")', WrittenName("nDCG", (("dcg", "log2"),), (), 'nDCG(dcg="log2")')),
        ("X(a=b c)", None),
        ("RBP( p = 0.8 , rel = 1 )@10",
         WrittenName("RBP", (("p", "0.8"), ("rel", "1")), ("10",), "RBP(p=0.8,rel=1)")),
        ("nDCG(gain={1:1, 2:5})",
         WrittenName("nDCG", (("gain", WrittenMap((("1", "1"), ("2", "5")))),), (),
                 "nDCG(gain={1:1,2:5})")),
        ("nDCG(gain={})", WrittenName("nDCG", (("gain", WrittenMap(())),), (), "nDCG(gain={})")),
        ("nDCG(gain={-1:.5})",
         WrittenName("nDCG", (("gain", WrittenMap((("-1", ".5"),))),), (), "nDCG(gain={-1:.5})")),
        ("nDCG(gain=10:5:1,b=2)@3",
         WrittenName("nDCG", (("gain", Ratio(("10", "5", "1"))), ("b", "2")), ("3",),
                 "nDCG(gain=10:5:1,b=2)")),
        ("SetP(relative=True)",
         WrittenName("SetP", (("relative", "True"),), (), "SetP(relative=True)")),
        ("α_nDCG@5", WrittenName("α_nDCG", (), ("5",), "α_nDCG")),
        ("alpha-nDCG@5", WrittenName("alpha-nDCG", (), ("5",), "alpha-nDCG")),
        ("D#-nDCG@5", WrittenName("D#-nDCG", (), ("5",), "D#-nDCG")),
        ("rbp.95@3", WrittenName("rbp.95", (), ("3",), "rbp.95")),
    ],
)  # fmt: skip
def test_names_are_taken_apart(text: str, written: WrittenName | None) -> None:
    if written is None:
        with pytest.raises(UsageError):
            parse_name(text)
    else:
        assert parse_name(text) == written


@for_each(
    ("text", "message"),
    [
        ("", "'': expected a measure's name at the end"),
        ("@5", "'@5': expected a measure's name at character 1, not '@'"),
        ("P@", "'P@': expected a cutoff at the end"),
        ("P@5,", "'P@5,': expected a cutoff at the end"),
        ("P@5@6", "expected ',' or the end at character 4, not '@'"),
        ("P@5 ", "expected ',' or the end at character 4, not ' '"),
        ("P (x=1)", "expected '@' or the end at character 2, not ' '"),
        ("P(x=1)5", "expected '@' or the end at character 7, not '5'"),
        ("P(", "expected an option's name or ')' at the end"),
        ("P(x", "expected '=' and a value for x at the end"),
        ("P(x)@5", "expected '=' and a value for x at character 4, not ')'"),
        ("P(x=)@5", "expected a value at character 5, not ')'"),
        ("P(x=1", "expected ',' or ')' at the end"),
        ("P(x=1 y=2)", "expected ',' or ')' at character 7, not 'y'"),
        ("P(x=1,)", "expected an option after the comma at character 7, not ')'"),
        ("P(x=1,x=2)", "at character 7 x is given twice"),
        ("P(x={1:2)", "expected ',' or '}' at character 9, not ')'"),
        ("P(x={1})", "expected ':' and a gain at character 7, not '}'"),
        ("P(x={1=2})", "expected ':' and a gain at character 7, not '='"),
        ("P(x=1:)", "expected a number after ':' at character 7, not ')'"),
        ("P(x='a)", "expected a value at character 5, not '''"),
        ("P(\nx=1", "expected ',' or ')' at the end"),
        ("\udce4(", r"'\xe4(': expected"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_name(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("exp", "exp"),
        ("10", "10"),
        ("10:5:1", Ratio(("10", "5", "1"))),
        ("1=1,2=5,3=10", WrittenMap((("1", "1"), ("2", "5"), ("3", "10")))),
        ("{1:1,2:5}", WrittenMap((("1", "1"), ("2", "5")))),
    ],
)
def test_values_stand_by_themselves(text: str, value: object) -> None:
    assert parse_value(text) == value


@pytest.mark.parametrize("text", ["", "1=", "1=1,", "1=1,2", "{1:1", "1:2:", "a b", "1=1,2:5", "="])
def test_what_is_no_value(text: str) -> None:
    with pytest.raises(UsageError):
        parse_value(text)


atoms = st.text(string.ascii_letters + string.digits + "._+-#", min_size=1, max_size=6)
literals = st.one_of(
    atoms,
    st.lists(st.tuples(atoms, atoms), max_size=3).map(lambda items: WrittenMap(tuple(items))),
    st.lists(atoms, min_size=2, max_size=4).map(lambda parts: Ratio(tuple(parts))),
)


def spelled(literal: Literal) -> str:
    if isinstance(literal, WrittenMap):
        return "{" + ",".join(f"{left}:{right}" for left, right in literal.items) + "}"
    return ":".join(literal.parts) if isinstance(literal, Ratio) else literal


@given(atoms, st.dictionaries(atoms, literals, max_size=3), st.lists(atoms, max_size=3), st.data())
def test_what_is_written_is_read(
    name: str, options: dict[str, Literal], cutoffs: list[str], data: st.DataObject
) -> None:
    def blank() -> str:
        drawn: str = data.draw(st.sampled_from(["", " ", "  "]))
        return drawn

    inside = ",".join(
        f"{blank()}{key}{blank()}={blank()}{spelled(value)}{blank()}"
        for key, value in options.items()
    )
    at = "@" + ",".join(cutoffs) if cutoffs else ""
    written = parse_name(f"{name}({inside}){at}")
    assert written.name == name
    assert dict(written.options) == options
    assert written.cutoffs == tuple(cutoffs)
    assert " " not in written.head


@given(st.text("aP1.,:=@(){}'\" -", max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        written = parse_name(text)
    except UsageError:
        return
    assert written.name
