"""Options of measures: their values, defaults for all measures, open scales, and what is shared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from irev import Evaluator, evaluate
from irev.errors import UsageError
from irev.measures.naming.resolve import PlainNaming, resolve_names
from irev.measures.registry import MEASURES, Arguments, Option, measure
from irev.options import Options
from tests.command import irev
from tests.each import for_each

CALLS: list[tuple[Any, ...]] = []


def plain(judged: Any, cutoffs: tuple[Any, ...], **options: Any) -> Any:
    """Nothing but what it is called with."""
    CALLS.append((cutoffs, options))
    return np.tile([float(c or 0) for c in cutoffs], (judged.num_topics, 1))


@pytest.fixture(autouse=True)
def trial() -> Iterator[None]:
    """Measures of no meaning, with an option of each kind."""
    CALLS.clear()
    options = {
        "real": Option("a number", 1.0, low=0.0, high=10.0),
        "above": Option("a number", 2.0, low=1.0, above_low=True),
        "whole": Option("a count", 3, kind="whole", low=1),
        "word": Option("a word", "one", kind="choice", choices=("one", "two"), shown=True),
        "flag": Option("yes or no", False, kind="flag"),
        "gain": Option("gains", "linear", kind="gain", choices=("linear", "exp")),
        "base": Option("a base", 2.0, low=1.0, above_low=True, implies=("word", "two")),
        "max": Option("a scale", None, kind="scale", low=0.0, shown=True),
    }
    for name, own, cutoff in (
        ("Trial", options, "optional"),
        ("Level", {}, "recall"),
        ("Whole", {}, "none"),
    ):
        measure(name, "A trial", formula="", source="", options=own, cutoff=cutoff)(plain)
    yield
    for name in ("Trial", "Level", "Whole"):
        del MEASURES[name]


def named(text: str, **defaults: Any) -> str:
    (request,) = resolve_names([text], PlainNaming(defaults=tuple(defaults.items())))
    (column,) = request.columns
    assert column.canonical
    return column.name


@for_each(
    ("text", "name"),
    [
        ("Trial", "Trial(word=one)"),
        ("Trial()", "Trial(word=one)"),
        ("Trial(word=one)", "Trial(word=one)"),
        ("Trial(real=1.0)", "Trial(word=one)"),
        ("Trial(real=0.50)", "Trial(real=0.5,word=one)"),
        ("Trial(real=1e1)@05", "Trial(real=10,word=one)@5"),
        ("Trial(above=inf)", "Trial(above=inf,word=one)"),
        ("Trial(above=1.1)", "Trial(above=1.1,word=one)"),
        ("Trial(whole=7,real=2)", "Trial(real=2,whole=7,word=one)"),
        ("Trial(flag=True)", "Trial(word=one,flag=true)"),
        ("Trial(flag=false)", "Trial(word=one)"),
        ("Trial(gain=exp)", "Trial(word=one,gain=exp)"),
        ("Trial(gain={2:0.5,1:1.0})", "Trial(word=one,gain={1:1,2:0.5})"),
        ("Trial(gain={-2:1})", "Trial(word=one,gain={-2:1})"),
        ("Trial(gain=10:5:5:1)", "Trial(word=one,gain={1:1,2:5,3:5,4:10})"),
        ("Trial(base=3)", "Trial(base=3)"),
        ("Trial(base=2)", "Trial(base=2)"),
        ("Trial(word=two)", "Trial(base=2)"),
        ("Trial(max=4)", "Trial(word=one,max=4)"),
        ("Trial(rel=2)", "Trial(word=one,rel=2)"),
        ("Trial(rel=rigid)", "Trial(word=one,rel=2)"),
        ("Trial(rel=relaxed)", "Trial(word=one,rel=1)"),
        ("Trial(condensed=true,rel=0)", "Trial(word=one,rel=0,condensed=true)"),
        ("Level@.50", "Level@0.5"),
        ("Level@1", "Level@1"),
        ("Whole", "Whole"),
    ],
)
def test_there_is_one_name_for_one_measure(text: str, name: str) -> None:
    assert named(text) == name
    assert named(name) == name


@for_each(
    ("text", "message"),
    [
        (
            "Trial(real=11)",
            "Trial(real=...): 11 is out of range: it must be at least 0 and at most 10",
        ),
        ("Trial(real=-1)", "-1 is out of range"),
        ("Trial(real=nan)", "'nan' is not a number"),
        ("Trial(real={1:2})", "{1:2} is a list of gains, not a number"),
        ("Trial(above=1)", "1 is out of range: it must be above 1"),
        ("Trial(whole=1.5)", "'1.5' is not a whole number"),
        ("RBP(p=1)", "RBP(p=...): 1 is out of range: it must be at least 0 and below 1"),
        ("Trial(whole=0)", "0 is out of range: it must be at least 1"),
        ("Trial(word=three)", "'three' is not one of one, two"),
        ("Trial(flag=1)", "'1' is neither true nor false"),
        ("Trial(gain=exq)", "'exq' is not one of linear, exp, a map"),
        ("Trial(gain={x:1})", "'x' is not a grade"),
        ("Trial(gain={1:x})", "'x' is not a number"),
        ("Trial(gain={1:inf})", "inf is out of range, -1e+100 to 1e+100"),
        ("Trial(gain=1e200:1)", "1e200 is out of range"),
        ("Trial(gain={1:1,01:2})", "grade 1 is given twice"),
        ("Trial(gain={0.5:1,0.50:2})", "grade 0.5 is given twice"),
        ("Trial(gain={inf:1})", "'inf' is not a grade"),
        ("Trial(gain=1:5:10)", "NTCIREVAL writes it from the lowest up); did you mean 10:5:1?"),
        ("Trial(gain=1:x)", "'x' is not a number"),
        ("Trial(base=3,word=one)", "base means word=two, so word=one contradicts it"),
        ("Trial(rel=x)", "'x' is not a number"),
        ("Trial(rel=inf)", "'inf' is not a number"),
        ("Trial(rel=-0.5)", "-0.5 is out of range: it must be at least 0"),
        ("Trial(reall=2)", "no option 'reall'; did you mean real?"),
        ("Trial@0", "a cutoff is a rank, at least 1, not 0"),
        ("Trial@-1", "a cutoff is a rank, at least 1, not -1"),
        ("Trial@1.5", "'1.5' is not a whole number"),
        ("Trial@9223372036854775808", "a cutoff is a rank"),
        ("Trial@5,05", "the cutoff 5 is given twice"),
        ("Level", "measure Level needs a cutoff"),
        ("Level@1.5", "levels of recall from 0 to 1, not '1.5'"),
        ("Level@x", "levels of recall from 0 to 1, not 'x'"),
        ("Whole@5", "measure Whole takes no cutoff, but got '@5'; write Whole"),
    ],
)
def test_wrong_values_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        resolve_names([text])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_functions_get_the_values_of_options() -> None:
    qrels, run = {"q": {"a": 1, "b": 4}}, {"q": {"a": 1.0}}
    name = "Trial(gain=9:4:1,real=0.5,flag=true,whole=2)@3,1"
    assert list(evaluate(qrels, run, [name]).summary().values()) == [3.0, 1.0]
    assert CALLS == [
        (
            (3, 1),
            {
                "real": 0.5,
                "above": 2.0,
                "whole": 2,
                "word": "one",
                "flag": True,
                "gain": ((1, 1.0), (2, 4.0), (3, 9.0)),
                "base": 2.0,
                "max": 4.0,
            },
        )
    ]


def test_what_is_asked_for_twice_is_computed_once() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    names = ["Trial@5", "P@1", "Trial(max=1)@5", "Trial@5", "Trial(real=1)@7", "Trial(real=2)@7"]
    scores = evaluate(qrels, run, names)
    assert scores.summary() == {
        "Trial(word=one,max=1)@5": 5.0,
        "P@1": 1.0,
        "Trial(word=one,max=1)@7": 7.0,
        "Trial(real=2,word=one,max=1)@7": 7.0,
    }
    assert [cutoffs for cutoffs, _ in CALLS] == [(5,), (7,), (7,)]


def test_two_spellings_are_printed_under_both_names() -> None:
    (request,) = resolve_names(["nDCG@10", "ndcg@10", "NDCG@10", "ndcg@5", "ndcg@10"])
    assert isinstance(request.arguments, Arguments)
    assert request.arguments.cutoffs == (10, 5)
    assert [c.name for c in request.columns] == [
        "nDCG@10",
        "ndcg@10",
        "NDCG@10",
        "ndcg@5",
    ]
    assert len({c.canonical for c in request.columns}) == 2
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": {"a": 1.0, "b": 0.5, "c": 3.0}}
    values = evaluate(qrels, run, ["nDCG@2", "ndcg@2", "ndcg@1", "ndcg_cut.1,2"]).summary()
    assert values["nDCG@2"] == values["ndcg@2"] == values["ndcg_cut_2"]
    assert values["ndcg@1"] == values["ndcg_cut_1"] == 0.0


def test_names_of_trec_eval_come_first_then_the_others_as_asked() -> None:
    asked = ["P@5", "recip_rank", "AP", "map", "P@1", "P_5"]
    columns = [c.name for request in resolve_names(asked) for c in request.columns]
    assert columns == ["map", "recip_rank", "P_5", "P@5", "AP", "P@1"]


@for_each(
    ("text", "defaults", "name"),
    [
        ("Trial", {"real": 3}, "Trial(real=3,word=one)"),
        ("Trial", {"real": 1}, "Trial(real=1,word=one)"),
        ("Trial", {"real": "0.50"}, "Trial(real=0.5,word=one)"),
        ("Trial", {"base": 10}, "Trial(base=10)"),
        ("Trial", {"gain": {2: 9, 1: 3.5}}, "Trial(word=one,gain={1:3.5,2:9})"),
        ("Trial", {"gain": "1=3.5,2=9"}, "Trial(word=one,gain={1:3.5,2:9})"),
        ("Trial", {"gain": "9:3"}, "Trial(word=one,gain={1:3,2:9})"),
        ("Trial", {"gain": "exp"}, "Trial(word=one,gain=exp)"),
        ("Trial", {"max": 7, "flag": True}, "Trial(word=one,flag=true,max=7)"),
        ("ndcg@10", {"b": "10"}, "nDCG(b=10)@10"),
        ("ndcg@10", {"gain": "linear"}, "nDCG(gain=linear)@10"),
        ("Q(denom=min)@10", {"beta": "inf"}, "Q(beta=inf,denom=min)@10"),
        ("ntcir:ERR", {"max": 5}, "ntcir:ERR"),
        ("ntcir:Q", {"beta": 3}, "Q(beta=3)"),
        ("ntcir:nDCG@5", {"b": 3}, "nDCG(b=3)@5"),
    ],
)
def test_defaults_hold_where_a_name_leaves_an_option_open(
    text: str, defaults: dict[str, Any], name: str
) -> None:
    assert named(text, **defaults) == name


@pytest.mark.parametrize(
    ("texts", "defaults", "message"),
    [
        (["map"], {"beta": "3"}, "--beta 3 has no effect"),
        (["ndcg", "P_5"], {"b": 2}, "--log-base 2 has no effect"),
        (["Trial(real=2)"], {"real": 3}, 'defaults["real"] 3 has no effect'),
        (["nDCG(disc=log2)"], {"b": 3}, "--log-base 3 has no effect"),
        (["ndcg_burges@5"], {"gain": "9:3"}, "--gains 9:3 has no effect"),
        (["err@5"], {"max": 3}, "--max-grade 3 has no effect"),
        (["ntcir:AP"], {"beta": 3}, "--beta 3 has no effect"),
        (["Q"], {"beta": "x"}, "--beta, for Q: 'x' is not a number"),
        (["Q"], {"gain": "3:9"}, "did you mean 9:3?"),
        (["Q"], {"gain": "1=1,"}, "expected a grade"),
    ],
)
def test_defaults_of_no_use_are_refused(
    texts: list[str], defaults: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        resolve_names(texts, PlainNaming(defaults=tuple(defaults.items())))
    assert message in str(caught.value)


def test_an_open_scale_ends_at_the_highest_grade_of_all_the_qrels() -> None:
    qrels = {"p": {"a": 1}, "q": {"b": 3}}
    evaluator = Evaluator(qrels, ["ERR@20", "ERR(max=3)@20", "ERR(max=4)@20", "ntcir:ERR"])
    names = list(evaluator.evaluate({"p": {"a": 1.0}}).summary())
    assert names == ["ERR(max=3)@20", "ERR(max=4)@20", "ntcir:ERR"]
    # one document of grade 1 stops (2 - 1) / 2^3
    assert evaluator.evaluate({"p": {"a": 1.0}}).summary()["ERR(max=3)@20"] == 0.125
    (column,) = Evaluator({"q": {"a": 0}}, ["ERR"]).requests[0].columns
    assert column.name == "ERR(max=1)"


CAUTIONS = [
    ("nDCG(b=3)@10", "nDCG(b=3)@10: 2 topics have fewer than b=3 relevant documents"),
    ("nDCG(b=2)@10", "1 topic has fewer than b=2"),
    ("nDCG(gain={1:1,5:9})@10", "no document of the qrels has the grade 5"),
    ("Q(gain={1:0,2:9})", "the grade 1 is relevant but has no gain"),
    ("Q(gain={1:5})", "the grade 2 gains 2, less than the grade 1, which gains 5"),
    ("Q(gain={0:0,1:1})", "the grade 2 is above the grades in the map of gains"),
    ("ERR(max=1)@10", "the qrels hold the grade 2, above max=1"),
    ("AP(rel=3)", "AP(rel=3): the highest grade is 2, below the level 3"),
    ("DCG@10", "DCG@10: "),
]


@pytest.mark.parametrize(("name", "message"), CAUTIONS)
def test_cautions(name: str, message: str) -> None:
    qrels = {"p": {"a": 1, "b": 2, "c": 0}, "q": {"a": 2}, "r": {"a": 0}}
    assert any(message in each.message for each in Evaluator(qrels, [name]).notices)


def test_no_cautions_without_a_reason() -> None:
    qrels = {"p": {"a": 1, "b": 2, "c": 0}, "q": {"a": 2, "b": 1}}
    names = ["official", "dcg", "nDCG@10", "nDCG(b=2)@10", "Q(gain={1:0.5,2:9})", "ERR@10", "P@5"]
    assert Evaluator(qrels, names).notices == ()
    # who maps one grade means this one alone
    assert Evaluator(qrels, ["Q(gain={1:0.5})"]).notices == ()
    assert Evaluator({"q": {"a": 2}}, ["DCG@10"]).notices == ()
    # of level 2 the grade 1 is not relevant
    options = Options(level=2)
    assert Evaluator({"q": {"a": 2, "b": 1}}, ["Q(gain={1:0})"], options).notices == ()


def test_on_the_command_line(tmp_path: Any) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a 1\n1 0 b 2\n")
    run.write_text("1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n")
    files = [str(qrels), str(run)]
    done = irev("--log-base", "2", "--gains", "1=1,2=5", "-m", "map", "-m", "ndcg@2", *files)
    assert done.code == 0
    # (1 + 5) / (5 + 1) with rank 2 undiscounted
    assert done.out.split() == [
        b"map", b"all", b"1.0000", b"nDCG(gain={1:1,2:5},b=2)@2", b"all", b"1.0000",
    ]  # fmt: skip
    assert done.err == ""
    done = irev("--log-base", "5", "-m", "nDCG", *files)
    assert done.err.startswith("irev: note: nDCG(b=5): 1 topic has fewer than b=5")
    done = irev("--beta", "2", "-m", "map", "-m", "ndcg", *files)
    assert (done.code, done.out) == (2, b"")
    assert "--beta 2 has no effect" in done.err
    done = irev("--gains", "1=", "-m", "nDCG", *files)
    assert (done.code, done.err) == (2, "irev: error: --gains '1=': expected a gain at the end\n")
    done = irev("--max-grade", "4", "-m", "ERR", *files)
    assert done.out.split()[0] == b"ERR(max=4)"
