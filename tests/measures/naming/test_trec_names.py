"""From names to requests: trec_eval's rules, the printed names, and what is refused."""

from __future__ import annotations

import pytest

from irev.errors import UsageError
from irev.measures.descriptions import measure_help
from irev.measures.naming.resolve import PlainNaming, resolve_names
from irev.measures.naming.trec_names import repeated_parameter_warnings
from irev.measures.registry import TREC_MEASURES, Arguments
from tests.each import for_each

LEVELS = [f"iprec_at_recall_{level / 10:.2f}" for level in range(11)]
CUTOFFS = [f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
OFFICIAL = [
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref",
    "recip_rank", *LEVELS, *CUTOFFS,
]  # fmt: skip


def columns(*names: str, version: int = 10) -> list[str]:
    return [
        c.name for request in resolve_names(names, PlainNaming(version)) for c in request.columns
    ]


def measures(*names: str, version: int = 10) -> list[str]:
    return [request.measure.name for request in resolve_names(names, PlainNaming(version))]


# as trec_eval prints them
@for_each(
    ("asked", "printed"),
    [
        ("", OFFICIAL),
        ("official", OFFICIAL),
        ("map", ["map"]),
        ("P.5,7,3", ["P_3", "P_5", "P_7"]),
        ("P.3 P.7 P", ["P_3"]),
        ("P P.3", ["P_3"]),
        ("P.2147483649,1", ["P_1", "P_2147483649"]),
        ("recip_rank map", ["map", "recip_rank"]),
        ("map map", ["map"]),
        ("iprec_at_recall..10,.20", ["iprec_at_recall_0.10", "iprec_at_recall_0.20"]),
        ("iprec_at_recall.0.334,0.333", ["iprec_at_recall_0.33", "iprec_at_recall_0.33"]),
        ("Rprec_mult.12345678.5,1", ["Rprec_mult_1.00", "Rprec_mult_12345678"]),
        ("11pt_avg.1,.5,0", ["11pt_avg_1,.5,0"]),
        ("relstring.2.9", ["relstring_2.9"]),
        ("utility.1,-1,0.5,-0.25", ["utility_1,-1,0.5,-0.25"]),
        ("ndcg.1=3,2=9,4=4.5 ndcg_cut.3", ["ndcg_1=3,2=9,4=4.5", "ndcg_cut_3"]),
        ("rbp_resid.p=0.5 rbp.p=0.5,1=0.25,3=1", ["rbp_p=0.5,1=0.25,3=1", "rbp_resid_p=0.5"]),
        ("set_F set_F.0.5", ["set_F_0.5"]),
        ("set", ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P",
                 "set_relative_P", "set_recall", "set_map", "set_F"]),
        ("prefs", ["runid", "num_q", "prefs_num_prefs_poss", "prefs_num_prefs_ful",
                   "prefs_num_prefs_ful_ret", "prefs_simp", "prefs_pair", "prefs_avgjg"]),
        ("P_avgjg.2,1 map_avgjg", ["map_avgjg", "P_avgjg_1", "P_avgjg_2"]),
    ],
)  # fmt: skip
def test_columns_are_those_of_trec_eval(asked: str, printed: list[str]) -> None:
    assert columns(*asked.split()) == printed


@for_each(
    ("asked", "printed"),
    [
        ("P_5 P_10", ["P_5", "P_10"]),
        ("P_10 P_5 P_10", ["P_5", "P_10"]),
        ("P P_3", ["P_3", *CUTOFFS]),
        ("P_5 official", OFFICIAL),
        ("P.3 P_5 P_3", ["P_3", "P_5"]),
        ("iprec_at_recall_0.10 iprec_at_recall_1.00",
         ["iprec_at_recall_0.10", "iprec_at_recall_1.00"]),
        ("iprec_at_recall.0.333 iprec_at_recall_0.33", ["iprec_at_recall_0.33"]),
        ("ndcg_cut_10 ndcg", ["ndcg", "ndcg_cut_10"]),
        ("Rprec_mult_0.20 Rprec", ["Rprec", "Rprec_mult_0.20"]),
        ("set_F_0.5 set_F_2 set_F", ["set_F", "set_F_0.5", "set_F_2"]),
        ("set_F.2 set_F_2 set_F_0.5", ["set_F_2", "set_F_0.5"]),
        ("utility_1,-1,0,0", ["utility_1,-1,0,0"]),
        ("ndcg_1=3,2=9", ["ndcg_1=3,2=9"]),
        ("rbp_p=0.5 rbp", ["rbp", "rbp_p=0.5"]),
        ("rbp_resid_p=0.5", ["rbp_resid_p=0.5"]),
        ("unj_5 success_1", ["success_1", "unj_5"]),
        ("P_avgjg_5 P_5", ["P_5", "P_avgjg_5"]),
        ("Rprec_mult_avgjg_0.50", ["Rprec_mult_avgjg_0.50"]),
        ("map_cut_5 recall_100 relative_P_10", ["recall_100", "map_cut_5", "relative_P_10"]),
        ("11pt_avg_0,0.5 relstring_3", ["relstring_3", "11pt_avg_0,0.5"]),
    ],
)  # fmt: skip
def test_printed_names_ask_for_their_columns(asked: str, printed: list[str]) -> None:
    assert columns(*asked.split()) == printed


@pytest.mark.parametrize("version", [9, 10])
def test_every_printed_name_asks_for_itself(version: int) -> None:
    everything = [name for name, measure in TREC_MEASURES.items() if measure.since <= version]
    for request in resolve_names(everything, PlainNaming(version)):
        for column in request.columns:
            assert columns(column.name, version=version) == [column.name]


def test_values_of_parameters() -> None:
    def value(name: str) -> object:
        (request,) = resolve_names([name])
        return request.arguments

    def given(**options: object) -> Arguments:
        return Arguments(options=tuple(options.items()))

    assert value("map") == Arguments()
    assert value("P.10,5") == Arguments((5, 10))
    assert value("P_5") == Arguments((5,))
    assert value("success") == Arguments((1, 5, 10))
    assert value("iprec_at_recall.0x1p-1,1e-1") == Arguments((0.1, 0.5))
    assert value("11pt_avg.1,.5,0,1") == given(numbers=(1.0, 0.5, 0.0, 1.0))
    assert value("utility") == given(numbers=(1.0, -1.0, 0.0, 0.0))
    assert value("ndcg") == given(gain="linear")
    assert value("ndcg.2=9,-1=.5") == given(gain=((2, 9.0), (-1, 0.5)))
    assert value("rbp") == given(gain="linear", p=0.9)
    assert value("rbp.1=2") == given(gain=((1, 2.0),), p=0.9)
    assert value("rbp.1=2,p=.5") == given(gain=((1, 2.0),), p=0.5)
    assert value("rbp_resid.p=1") == given(p=1.0)


def test_columns_know_their_measure() -> None:
    (request,) = resolve_names(["gm_map"])
    (column,) = request.columns
    assert (column.measure, column.kind, column.average) == ("gm_map", "real", "geometric")
    assert not column.per_topic
    (request,) = resolve_names(["num_ret"])
    assert request.columns[0].kind == "count"


def test_version_9_has_fewer_measures() -> None:
    assert measures("all_trec")[-4:] == ["num_nonrel_judged_ret", "rbp", "rbp_resid", "unj"]
    assert measures("all_trec", version=9)[-2:] == ["set_F", "num_nonrel_judged_ret"]
    for name in ("rbp", "rbp_resid", "unj", "dcg", "ideal_dcg", "unj_5", "dcg.1=2"):
        with pytest.raises(UsageError, match=r"trec_eval 10 has it|no measure or set"):
            resolve_names([name], PlainNaming(9))


@for_each(
    ("name", "message"),
    [
        ("mpa", "no measure or set is called 'mpa'; did you mean map"),
        ("NDCGG", "did you mean NDCG"),
        ("ndcgg", "did you mean ndcg"),
        ("ndcg_cutt", "did you mean ndcg_cut"),
        ("oficial", "did you mean official?"),
        ("bpref_5", "no measure or set is called 'bpref_5'; did you mean bpref"),
        ("P_x", "did you mean P?"),
        ("P_avgjgx", "did you mean P_avgjg"),
        ("num_ret@10", "num_ret is a name of trec_eval's, which has no options in parentheses"),
        ("P.5@10", "irev -h -m P says what it takes"),
        ("all_qrels", "no measure or set is called 'all_qrels'"),
        ("zzz", "the sets are official, set, all_trec"),
        ("", "no measure or set is called ''"),
        (".5", "no measure or set is called '.5'"),
        ("\udce4", r"no measure or set is called '\xe4'"),
        ("P.", "'P.': no parameters after the dot; write P or P.5,10"),
        ("map.", "'map.': no parameters after the dot; write map"),
        ("official.", "a set takes no parameters; write official"),
        ("official.3", "'official.3': a set takes no parameters"),
        ("bpref.7", "measure bpref takes no parameters, but got '7'; write bpref"),
        ("num_q.x", "measure num_q takes no parameters"),
        ("P.23.4", "'23.4' is not a whole number; write for instance P.5,10"),
        ("P.5x", "'5x' is not a whole number"),
        ("P.5,", "'' is not a whole number"),
        ("P.1e3", "'1e3' is not a whole number"),
        ("P.5, 10", "' 10' is not a whole number"),
        ("P.0", "a cutoff is a rank, at least 1, not 0"),
        ("P.-5", "at least 1, not -5"),
        ("P.5,5", "5 is given twice"),
        ("P.5,+5", "5 is given twice"),
        ("P.9223372036854775808", "a cutoff is at most 9223372036854775807"),
        ("P_5,10", "no column is called 'P_5,10', it would be P_5 and P_10; write P.5,10"),
        ("P_5_10", "it would be P_5 and P_10; write P.5,10"),
        ("P_05", "no column is called 'P_05', it would be P_5"),
        ("P_0", "at least 1, not 0"),
        ("iprec_at_recall_0.1", "it would be iprec_at_recall_0.10; write iprec_at_recall.0.1"),
        ("iprec_at_recall.0.5,.50", "0.5 is given twice"),
        ("iprec_at_recall.nan", "'nan' is not a number"),
        ("iprec_at_recall.1_0", "'1_0' is not a number"),
        ("set_F.0.5x", "'0.5x' is not a number"),
        ("utility.1,2", "4 numbers expected, found 2; write for instance utility.1,-1,0,0"),
        ("utility_1,2,3", "4 numbers expected, found 3"),
        ("ndcg.0", "'0' is not a pair with one '='; write for instance ndcg.1=3,2=9"),
        ("ndcg.1=2=3", "'1=2=3' is not a pair with one '='"),
        ("ndcg.1=2,", "'' is not a pair"),
        ("ndcg.x=3", "'x' in 'x=3' is not a whole grade"),
        ("ndcg.1.5=2", "'1.5' in '1.5=2' is not a whole grade"),
        ("ndcg.=7", "'' in '=7' is not a whole grade"),
        ("ndcg.p=0.5", "'p' in 'p=0.5' is not a whole grade"),
        ("ndcg.1=", "'' in '1=' is not a number"),
        ("ndcg.1=q", "'q' in '1=q' is not a number"),
        ("ndcg.1=3,01=4", "the gain of 1 is given twice"),
        ("rbp.q=1", "'q' in 'q=1' is not p or a whole grade"),
        ("rbp.p=.5,p=.6", "p is given twice"),
        ("rbp_resid.1=3", "'1' in '1=3' is not p; write for instance rbp_resid.p=0.9"),
        ("ndcg_1=x", "'x' in '1=x' is not a number"),
    ],
)
def test_wrong_names_are_refused_with_a_hint(name: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        resolve_names(["map", name])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("names", "lines"),
    [
        (["P.1", "P.2", "P.3"], ["-m P.2 and 1 more are not used"]),
        (["P.5", "map", "P.5,10"], ["write -m P.5,10"]),
        (["P.5", "P.5", "P_10", "P", "ndcg.1=2"], []),
        (["ndcg.1=2", "ndcg.1=3", "recall.5", "recall.6"], ["-m ndcg_1=3", "-m recall.5,6"]),
    ],
)
def test_parameters_that_are_passed_over_are_told(names: list[str], lines: list[str]) -> None:
    found = list(repeated_parameter_warnings(names))
    assert len(found) == len(lines)
    assert all(line in said for line, said in zip(lines, found, strict=True))


def test_many_parameters_that_are_passed_over_are_one_short_line() -> None:
    (line,) = repeated_parameter_warnings([f"P.{k}" for k in range(1, 10_000)])
    assert len(line) < 200


def test_descriptions_say_what_the_registry_knows() -> None:
    text = measure_help(TREC_MEASURES["rbp"])
    assert text.startswith("rbp\n    Rank-biased precision\n\n    The gain per document")
    for part in ("(1 - p) * sum", "rbp.p=0.9,1=3,2=9", "0 to 1", "-R qrels\n", "all_trec", "2008"):
        assert part in text
    assert "P.5,10,15,20,30,100,200,500,1000" in measure_help(TREC_MEASURES["P"])
    assert "4 numbers" in measure_help(TREC_MEASURES["utility"])
    assert "-R qrels_prefs" in measure_help(TREC_MEASURES["prefs_simp"])
    assert "any number" in measure_help(TREC_MEASURES["yaap"])
    assert "0 and above" in measure_help(TREC_MEASURES["num_ret"])


@for_each("name", TREC_MEASURES)
def test_every_description_fits_a_terminal(name: str) -> None:
    text = measure_help(TREC_MEASURES[name])
    assert text.endswith("\n")
    assert max(map(len, text.splitlines())) <= 80
