"""Several measures in one piece, in lists, and as objects."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import irev
from irev.errors import UsageError
from irev.measures.naming.name_lists import measure_names
from tests.command import irev as command
from tests.each import for_each
from tests.files import SAMPLE

QRELS, RUN, OTHER = (SAMPLE / name for name in ("qrels.txt", "bm25.run", "rm3.run"))


class Foreign:
    """A measure as ir_measures has them: an object that is written like its name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


@for_each(
    ("text", "names"),
    [
        ("map", ["map"]),
        ("map,P@5", ["map", "P@5"]),
        ("map ndcg@10", ["map", "ndcg@10"]),
        (" map,  ndcg@10\tbpref ", ["map", "ndcg@10", "bpref"]),
        ("map,,P", ["map", "P"]),
        ("P.5,10", ["P.5,10"]),
        ("P.5,10,map", ["P.5,10", "map"]),
        ("P@5,10,R@5,10", ["P@5,10", "R@5,10"]),
        ("P.5,10,11pt_avg.0,1 map", ["P.5,10", "11pt_avg.0,1", "map"]),
        ("iprec_at_recall.0x1p-1,1e-1", ["iprec_at_recall.0x1p-1,1e-1"]),
        ("ndcg.1=3,2=9", ["ndcg.1=3,2=9"]),
        ("rbp.1=2,p=.5,map", ["rbp.1=2,p=.5", "map"]),
        ("utility.1,-1,0,0 utility", ["utility.1,-1,0,0", "utility"]),
        ("nDCG(gain={1:1,2:5}, b=2)@10, AP", ["nDCG(gain={1:1,2:5}, b=2)@10", "AP"]),
        ("nDCG(dcg='exp-log2, x') AP", ["nDCG(dcg='exp-log2, x')", "AP"]),
        ("suite:beir,map", ["suite:beir", "map"]),
        ("α-nDCG@5,α-DCG@5", ["α-nDCG@5", "α-DCG@5"]),
        ("map@10-l2,P@5", ["map@10-l2", "P@5"]),
        # what is no list stays, and is refused as it is
        ("P.5, 10", ["P.5, 10"]),
        ("map,", ["map,"]),
        ("map,p=0.5", ["map,p=0.5"]),
        ("X(a=b c", ["X(a=b c"]),
        ("", [""]),
        # NTCIREVAL writes a comma in a name
        ("ntcir:NCUgu,P", ["ntcir:NCUgu,P"]),
        ("ntcir:NCUgu,BR@10,P@10", ["ntcir:NCUgu,BR@10", "P@10"]),
    ],
)
def test_a_text_has_several_names(text: str, names: list[str]) -> None:
    assert list(measure_names(text)) == names
    assert list(measure_names(names)) == names


def test_lists_of_all_kinds() -> None:
    def one_by_one() -> Iterator[object]:
        yield Foreign("nDCG@10")
        yield "map P@5"

    assert measure_names(one_by_one()) == ("nDCG@10", "map", "P@5")
    assert measure_names(Foreign("nDCG@10")) == ("nDCG@10",)
    assert measure_names({"P@5", "map", "bpref"}) == ("P@5", "bpref", "map")
    assert measure_names(()) == ()


@pytest.mark.parametrize(
    ("given", "kind"),
    [(None, "NoneType"), (5, "int"), ([5], "int"), (b"map", "bytes"), ({"map": 1}, "dict"),
     ([["map"]], "list"), (object(), "object"), (str, "type"), ([None], "NoneType")],
)  # fmt: skip
def test_what_is_no_measure_is_told_what_to_write(given: object, kind: str) -> None:
    with pytest.raises(UsageError) as caught:
        measure_names(given)
    assert f"({kind}) is not a measure: write 'map ndcg@10'" in str(caught.value)


def test_the_library_takes_them() -> None:
    """As one by one."""
    expected = irev.evaluate(QRELS, RUN, ["map", "nDCG@10"]).summary()
    for given in ("map nDCG@10", "map,nDCG@10", [Foreign("nDCG@10"), "map"], (n for n in expected)):
        assert irev.evaluate(QRELS, RUN, given).summary() == expected
        assert irev.Evaluator(QRELS, list(expected)).evaluate(RUN).summary() == expected
    assert irev.evaluate(QRELS, RUN, "map").summary() == {"map": expected["map"]}
    assert irev.evaluate(QRELS, RUN, Foreign("nDCG@10")).summary() == {
        "nDCG@10": expected["nDCG@10"]
    }
    comparison = irev.compare(QRELS, [RUN, OTHER], "map nDCG@10", tests=["t"])
    assert comparison.table.measure_names == ("map", "nDCG@10")


@pytest.mark.parametrize(
    "words",
    [
        ("eval",),
        ("compare", "--test", "t"),
        ("leaderboard", "--test", "none", "--by", "ndcg@10"),
        ("study", "correlation"),
    ],
)
def test_commands_take_them(words: tuple[str, ...]) -> None:
    runs = (RUN, OTHER, SAMPLE / "fusion.run")[: 3 if words[0] == "study" else 2]
    apart = command(*words, "-m", "map", "-m", "P.5,10", "-m", "ndcg@10", QRELS, *runs)
    assert apart.code == 0, apart.err
    for text in ("map,P.5,10,ndcg@10", "map P.5,10 ndcg@10", "map, P.5,10, ndcg@10"):
        together = command(*words, "-m", text, QRELS, *runs)
        assert (together.out, together.err) == (apart.out, apart.err)
