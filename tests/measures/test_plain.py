"""The oracle itself against what trec_eval 10 prints for one topic."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests import plain
from tests.each import for_each
from tests.plain_gains import Gains

CODES = "2 - 0 1 . 1 - 3 0 0 - 1"
MISSED = (3, 2, 1, 1, 0)
BY_DEFAULT = """
num_ret 12 num_rel 9 num_rel_ret 5 map 0.3241 Rprec 0.4444 bpref 0.3889 recip_rank 1.0000
infAP 0.3521 utility -2.0000 11pt_avg 0.3939 binG 0.2926 G 0.2069 dcg 4.0035 ideal_dcg 8.4470
ndcg 0.4740 ndcg_rel 0.4696 Rndcg 0.4211 set_P 0.4167 set_relative_P 0.5556 set_recall 0.5556
set_map 0.2315 set_F 0.4762 num_nonrel_judged_ret 3 yaap -0.5925 rbp 0.1689 rbp_resid 0.5261
"""
AT_LEVEL_2 = """
num_ret 12 num_rel 4 num_rel_ret 2 map 0.3125 Rprec 0.2500 bpref 0.3125 recip_rank 1.0000
infAP 0.3203 utility -8.0000 11pt_avg 0.4318 binG 0.3333 G 0.2069 dcg 4.0035 ideal_dcg 8.4470
ndcg 0.4740 ndcg_rel 0.4696 Rndcg 0.4211 set_P 0.1667 set_relative_P 0.5000 set_recall 0.5000
set_map 0.0833 set_F 0.2500 num_nonrel_judged_ret 6 yaap -0.5108 rbp 0.1689 rbp_resid 0.5261
"""
IN_COLUMNS = {
    "iprec_at_recall": "1.0000 1.0000 0.5000 0.5000 0.5000 0.4167 0.4167" + 4 * " 0.0000",
    "P": "0.4000 0.4000 0.3333 0.2500 0.1667 0.0500 0.0250 0.0100 0.0050",
    "recall": "0.2222 0.4444 0.5556 0.5556 0.5556 0.5556 0.5556 0.5556 0.5556",
    "Rprec_mult": "0.5000 0.5000 0.5000 0.5000 0.4444 0.3636 0.3846 0.3333 0.2941 0.2778",
    "ndcg_cut": "0.3404 0.4420 0.4740 0.4740 0.4740 0.4740 0.4740 0.4740 0.4740",
    "map_cut": "0.1667 0.2778 0.3241 0.3241 0.3241 0.3241 0.3241 0.3241 0.3241",
    "relative_P": "0.4000 0.4444 0.5556 0.5556 0.5556 0.5556 0.5556 0.5556 0.5556",
    "success": "1.0000 1.0000 1.0000",
    "unj": "0.4000 0.3000 0.2000",
}
GAINS = Gains(((0, -1.0), (1, 2.0), (2, 3.0), (3, 9.0)), persistence=0.5)
WITH_PARAMETERS = [
    ("iprec_at_recall", (0.05, 0.33), "1.0000 0.5000"),
    ("Rprec_mult", (0.25, 1.7), "0.3333 0.3125"),
    ("utility", (1, 2, 3, 4), "367.0000"),
    ("11pt_avg", (0.1, 0.35, 0.8), "0.5000"),
    ("set_F", (2.0,), "0.5000"),
    ("G", GAINS, "0.1109"),
    ("dcg", GAINS, "6.8633"),
    ("ideal_dcg", GAINS, "20.8562"),
    ("ndcg", GAINS, "0.3291"),
    ("ndcg_rel", GAINS, "0.3030"),
    ("Rndcg", GAINS, "0.2607"),
    ("rbp", GAINS, "0.2274"),
    ("rbp_resid", GAINS, "0.2898"),
]


def topic(level: int = 1) -> plain.Topic:
    """The topic, from a run and qrels; the collection has 100 documents."""
    codes = CODES.split()
    scored = {b"d%02d" % i: 100.0 - i for i in range(len(codes))}
    qrels = {b"d%02d" % i: -1.0 if c == "." else float(c) for i, c in enumerate(codes) if c != "-"}
    qrels |= {b"m%d" % i: float(grade) for i, grade in enumerate(MISSED)}
    return plain.judge(scored, qrels, level=level, collection_size=100)


def shown(values: Any) -> str:
    """Values as trec_eval prints them."""
    return " ".join(f"{value:6.4f}" for value in (values if isinstance(values, list) else [values]))


@pytest.mark.parametrize(("level", "recorded"), [(1, BY_DEFAULT), (2, AT_LEVEL_2)])
def test_values_are_trec_evals(level: int, recorded: str) -> None:
    words = recorded.split()
    for name, value in zip(words[::2], words[1::2], strict=True):
        expected = value if "." in value else f"{value}.0000"
        assert shown(plain.MEASURES[name](topic(level))) == expected, name


@pytest.mark.parametrize(("name", "recorded"), IN_COLUMNS.items())
def test_columns_are_trec_evals(name: str, recorded: str) -> None:
    assert shown(plain.MEASURES[name](topic())) == recorded


@for_each(("name", "parameter", "recorded"), WITH_PARAMETERS)
def test_parameters_work_as_trec_evals(name: str, parameter: Any, recorded: str) -> None:
    assert shown(plain.MEASURES[name](topic(), parameter)) == recorded


def test_strings_and_summaries_are_trec_evals() -> None:
    assert plain.MEASURES["relstring"](topic()) == "2-01.1-300"
    assert plain.MEASURES["relstring"](topic(), (5.0,)) == "2-01."
    assert shown(plain.average([plain.MEASURES["gm_map"](topic())], "geometric")) == "0.3241"
    assert shown(plain.average([plain.MEASURES["gm_bpref"](topic())], "geometric")) == "0.3889"


def test_equal_scores_go_by_falling_id() -> None:
    """A hand calculation: the order is b, a, c; cut to two, then freed of what is not judged."""
    scored = {b"a": 1.0, b"b": 1.0, b"c": 0.5}
    qrels = {b"a": 2, b"c": 1}
    assert plain.judge(scored, qrels).codes == [plain.UNKNOWN, 2, 1]
    assert plain.judge(scored, qrels, max_retrieved=2).codes == [plain.UNKNOWN, 2]
    assert plain.judge(scored, qrels, max_retrieved=2, judged_only=True).codes == [2]


def test_average_of_nothing_is_0() -> None:
    assert math.isclose(plain.average([], "mean"), 0.0)
