"""The measures over plain judgments, against trec_eval's printed values and small sums by hand."""

from __future__ import annotations

import math
import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import irev.measures  # noqa: F401 (registers them)
from irev.core.arrays import (
    RankCounter,
    column_sums,
    log2_by_index,
    ratio,
    running_sums,
    segment_starts,
    sums_at,
)
from irev.core.model import Judged, Settings
from irev.measures.families.gain_lists import log2_of
from irev.measures.naming.resolve import resolve_names
from tests.each import for_each
from tests.files import CASES
from tests.plain_gains import Gains
from tests.registered import compute_measure

ALL_TREC = CASES / "all_trec.txt"


def judged(*rankings: str, **settings: Any) -> Judged:
    """Rankings by their grades: `2 0 - . | 1`, as in the examples of the registry."""
    rows: list[tuple[int, int, float]] = []
    retrieved, level_start, levels = [], [0], []
    for topic, text in enumerate(rankings):
        ranking, _, rest = text.partition("|")
        codes = [{"-": -1.0, ".": -2.0}.get(part) or float(part) for part in ranking.split()]
        retrieved.append(len(codes))
        rows += [(topic, rank, c) for rank, c in enumerate(codes, 1) if c != -1]
        grades = [c for c in codes if c >= 0] + [float(part) for part in rest.split()]
        levels += [(grade, grades.count(grade)) for grade in sorted(set(grades))]
        level_start.append(len(levels))
    topics, ranks, grades_ = zip(*rows, strict=True) if rows else ((), (), ())
    level_grade, level_count = zip(*levels, strict=True) if levels else ((), ())
    return Judged(
        np.array(topics, np.int64), np.array(ranks, np.int64), np.array(grades_, float),
        np.array(retrieved, np.int64), np.array(level_start, np.int64),
        np.array(level_grade, float), np.array(level_count, np.int64), Settings(**settings),
    )  # fmt: skip


def printed(names: list[str], rankings: Judged) -> dict[str, list[str]]:
    """Column name -> each topic's value as trec_eval prints it."""
    result = {}
    for measure, value, columns, *_ in resolve_names(names):
        if measure.average == "run":
            continue
        values = measure.compute(rankings, value.cutoffs, **dict(value.options))
        for k, column in enumerate(columns):
            if measure.kind == "text":
                result[column.name] = [f"'{text.decode()}'" for text in values]
                continue
            one = np.reshape(values, (rankings.num_topics, len(columns)))[:, k]
            form = "%d" if measure.kind == "count" else "%.4f"
            result[column.name] = [form % number for number in one]
    return result


# what trec_eval 10.0-rc3 prints: (ranking, settings, measures, values)
PRINTED: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
    "level 2": (
        "1 0 3 - 2",
        {"level": 2},
        {
            "num_rel": "2", "num_rel_ret": "2", "map": "0.3667", "Rprec": "0.0000",
            "bpref": "0.0000", "recip_rank": "0.3333", "P_2": "0.0000", "infAP": "0.3667",
            "binG": "0.4653", "G": "0.5000", "ndcg": "0.6875", "ndcg_rel": "0.5153",
            "Rndcg": "0.4451", "ndcg_cut_2": "0.2346", "success_1": "0.0000",
            "success_5": "1.0000", "num_nonrel_judged_ret": "2", "rbp_resid": "0.6634",
        },
    ),
    "level 0": (
        "- 0 0 | 2",
        {"level": 0},
        {
            "num_rel": "3", "num_rel_ret": "2", "map": "0.3889", "bpref": "0.6667",
            "P_3": "0.6667", "num_nonrel_judged_ret": "0",
        },
    ),
    "nothing relevant": (
        "0 . -",
        {},
        {
            "num_rel": "0", "map": "0.0000", "iprec_at_recall_0.00": "0.0000", "utility": "-3.0000",
            "11pt_avg": "0.0000", "Rndcg": "0.0000", "set_F_1": "0.0000", "yaap": "0.0000",
            "num_nonrel_judged_ret": "1", "rbp_resid": "0.9000", "unj_5": "0.4000",
        },
    ),
    "gains": ("1 0 3 | 2", {}, {"ndcg_1=3,2=9,4=4.5": "0.3631", "ndcg_cut_3": "0.5250"}),
    "negative gains": (
        "0 1 0",
        {},
        {"G_0=-1": "-0.3869", "ndcg_0=-1": "-0.8691", "ndcg_rel_0=-1": "0.0000",
         "Rndcg_0=-1": "-0.9345"},
    ),
    "dcg": ("- 3 | 1", {}, {"dcg": "1.8928", "ideal_dcg": "3.6309", "dcg_3=7": "4.4165"}),
    "rbp, graded": ("1 3 0", {}, {"rbp": "0.1233"}),
    "rbp, binary": ("0 1", {}, {"rbp": "0.0900"}),
    "rbp with parameters": (
        "1 - 3 | 0", {}, {"rbp_p=0.5,1=0.25,3=1": "0.1250", "rbp_resid_p=0.5": "0.3750"},
    ),
    "sets": (
        "1 - 0 | 1",
        {},
        {"utility": "-1.0000", "set_P": "0.3333", "set_relative_P": "0.5000",
         "set_recall": "0.5000", "set_map": "0.1667", "set_F_0.5": "0.3750"},
    ),
    "F without recall": ("1 0 - | 1", {}, {"set_F_0": "0.3333"}),
    "more non-relevant than R": ("0 1 0 0 1", {}, {"bpref": "0.2500"}),
    "fewer non-relevant than R": ("0 1 - 1 | 1", {}, {"bpref": "0.0000"}),
    "halves of recall, R = 2": (
        "1 - - 1",
        {},
        {"iprec_at_recall_0.70": "1.0000", "iprec_at_recall_0.80": "0.5000", "11pt_avg": "0.8636"},
    ),
    "halves of recall, trec_eval 9": (
        "1 - - 1", {"recall_rounding": "upward"}, {"iprec_at_recall_0.70": "0.5000",
         "iprec_at_recall_0.60": "0.5000", "11pt_avg": "0.7727"},
    ),
    "top of the ranking": ("1 0 - | 1", {}, {"relstring_2.9": "'10'", "relstring_-3": "''"}),
    "grades of two digits": ("9 10 11", {}, {"relstring": "'9>>'"}),
    "size of the collection": (
        "1 - 0 | 1", {"collection_size": 10}, {"utility_0,0,0,1": "6.0000"},
    ),
}  # fmt: skip


@for_each("case", PRINTED)
def test_prints_as_trec_eval(case: str) -> None:
    ranking, settings, expected = PRINTED[case]
    # other topics around it make mistakes at the edges of segments seen
    rankings = judged("| 3", ranking, "2 - 1 0", **settings)
    found = {name: texts[1] for name, texts in printed(list(expected), rankings).items()}
    assert found == expected


def read_all_trec() -> tuple[list[str], dict[int, dict[tuple[str, str], str]]]:
    rankings: list[str] = []
    expected: dict[int, dict[tuple[str, str], str]] = {}
    lines = [line.split("\t") for line in ALL_TREC.read_text(encoding="utf-8").splitlines()]
    for first, *rest in lines:
        if first == "ranking":
            rankings.append(rest[1])
        elif first == "level":
            level = int(rest[0])
            expected[level] = {}
        elif not first.startswith("#"):
            expected[level][first, rest[0]] = rest[1]
    return rankings, expected


@pytest.mark.parametrize("level", [1, 2])
def test_all_measures_at_once_print_as_trec_eval(level: int) -> None:
    rankings, expected = read_all_trec()
    names = ["all_trec", "yaap", "dcg", "ideal_dcg"]
    together = judged(*rankings, level=level)
    found = {
        (name, str(topic)): text
        for name, texts in printed(names, together).items()
        for topic, text in enumerate(texts, 1)
    }
    for name in ("gm_map", "gm_bpref"):
        logs = compute_measure(name, together)
        found[name, "all"] = f"{math.exp(math.fsum(logs) / len(rankings)):.4f}"
    assert {key: found[key] for key in expected[level]} == expected[level]
    assert len(expected[level]) == 5 * 99 + 2


def test_cutoffs_may_exceed_32_bits_and_the_ranking() -> None:
    printed_text = printed(["P.2147483649,1", "map_cut.9223372036854775807"], judged("1 0 - | 1"))
    assert printed_text == {
        "P_1": ["1.0000"],
        "P_2147483649": ["0.0000"],
        "map_cut_9223372036854775807": ["0.5000"],
    }


def test_recall_levels_may_be_in_any_order() -> None:
    # R = 2: precision is 1/2 at 1 document, which 0.5 and 0 need at most; 1 is never reached
    printed_text = printed(["11pt_avg.1,.5,0", "11pt_avg_0,0.5,1"], judged("- 1 | 1"))
    assert printed_text == {"11pt_avg_1,.5,0": ["0.3333"], "11pt_avg_0,0.5,1": ["0.3333"]}


def test_recall_levels_beyond_all_numbers() -> None:
    printed_text = printed(["iprec_at_recall.-inf,inf,1e308"], judged("1 1 -", "0 -"))
    assert [printed_text[f"iprec_at_recall_{end}"] for end in ("-inf", "inf", "10000000")] == [
        ["1.0000", "0.0000"],
        ["0.0000", "0.0000"],
        ["0.0000", "0.0000"],
    ]


def test_gains_order_as_real_numbers() -> None:
    # the ideal order is 1.9, 1.5, 1.2, here retrieved as 1.2, 1.9, 1.5
    dcg = 1.2 + 1.9 / math.log2(3) + 1.5 / 2
    ideal = 1.9 + 1.5 / math.log2(3) + 1.2 / 2
    values = compute_measure("ndcg", judged("3 1 2"), Gains(((1, 1.9), (2, 1.5), (3, 1.2))))
    assert values == pytest.approx([dcg / ideal])


def test_unjudged_documents_can_have_gains() -> None:
    rankings = judged("- . 2", "1 -")
    assert compute_measure("dcg", rankings, Gains(((-1, 3.0),))) == pytest.approx(
        [3 + 2 / 2, 1 + 3 / math.log2(3)]
    )
    assert compute_measure("dcg", rankings, Gains(((-2, 3.0),))) == pytest.approx(
        [3 / math.log2(3) + 2 / 2, 1]
    )


def test_fractions_of_grades() -> None:
    rankings = judged("0.5 1.5 - | 2.5")
    printed_text = printed(["num_rel", "P.2", "dcg", "relstring", "ndcg_cut.1"], rankings)
    assert printed_text == {
        "num_rel": ["2"],
        "P_2": ["0.5000"],
        "relstring": ["'01-'"],
        "dcg": [f"{0.5 + 1.5 / math.log2(3):.4f}"],
        "ndcg_cut_1": ["0.2000"],
    }
    assert compute_measure("rbp", rankings, Gains(persistence=0.5)) == pytest.approx(
        [0.5 * (0.5 / 2.5 + 0.5 * 1.5 / 2.5)]
    )


def test_nothing_retrieved() -> None:
    printed_text = printed(["all_trec", "yaap", "ideal_dcg"], judged("| 2 1 0"))
    del printed_text["num_q"]
    expected = {name: ["0.0000"] for name in printed_text}
    expected |= {name: ["0"] for name in ("num_ret", "num_rel_ret", "num_nonrel_judged_ret")}
    expected |= {"num_rel": ["2"], "relstring": ["''"], "yaap": [f"{math.log(1 / 3):.4f}"]}
    expected |= {name: [f"{math.log(0.00001):.4f}"] for name in ("gm_map", "gm_bpref")}
    expected |= {"ideal_dcg": [f"{2 + 1 / math.log2(3):.4f}"]}
    assert printed_text == expected


def test_only_negative_grades() -> None:
    printed_text = printed(["all_trec", "ideal_dcg"], judged(". - ."))
    shown = {
        name: texts[0] for name, texts in printed_text.items() if texts[0] not in ("0", "0.0000")
    }
    assert shown == {
        "num_q": "1",
        "num_ret": "3",
        "gm_map": "-11.5129",
        "gm_bpref": "-11.5129",
        "relstring": "'.-.'",
        "utility": "-3.0000",
        "rbp_resid": "1.0000",
        "unj_5": "0.6000",
        "unj_10": "0.3000",
        "unj_20": "0.1500",
    }


@pytest.mark.parametrize("p", [0.5, 0.9, 0.999, 1.0, 1.5, 0.0, -0.5])
def test_residual_equals_a_loop_to_the_last_bit(p: float) -> None:
    rng = random.Random(11)
    rankings = []
    for _ in range(60):
        share = rng.choice([0, 0.002, 0.1, 0.9, 0.998])
        lead = ["1"] * rng.choice([0, 0, 5, 300])
        size = rng.randint(1, 1200)
        rankings.append([*lead, *("1" if rng.random() < share else "-" for _ in range(size))])
    expected = []
    for ranking in rankings:
        total, weight = 0.0, 1.0
        for code in ranking:
            if code == "-":
                total += weight
            weight *= p
        expected.append(weight + (1 - p) * total if "-" in ranking else 0.0)
    with np.errstate(over="ignore"):
        values = compute_measure(
            "rbp_resid", judged(*map(" ".join, rankings)), Gains(persistence=p)
        )
    assert values.tolist() == expected


@pytest.mark.parametrize("longest", [17, 400, 5000])
def test_running_sums_equal_a_loop_to_the_last_bit(longest: int) -> None:
    rng = random.Random(5)
    lengths = [rng.choice([0, 0, 1, 2, 3, 17, 400, longest]) for _ in range(200)]
    values = [rng.random() * 10 ** rng.randint(-8, 8) for _ in range(sum(lengths))]
    start = np.concatenate(([0], np.cumsum(lengths)))
    expected: list[float] = []
    for begin, end in pairwise(start.tolist()):
        total = 0.0
        for value in values[begin:end]:
            total += value
            expected.append(total)
    sums = running_sums(start, np.array(values))
    assert sums.tolist() == expected
    some = np.array([length // 2 for length in lengths])
    assert sums_at(start, sums, some).tolist() == [
        expected[begin + count - 1] if count else 0.0
        for begin, count in zip(start[:-1], some, strict=True)
    ]


@pytest.mark.parametrize("rows", [1, 2, 70_000])
def test_sums_of_columns_equal_a_loop_to_the_last_bit(rows: int) -> None:
    values = np.random.default_rng(5).random((rows, 2)) ** 9
    expected = values[0].tolist()
    for row in values[1:].tolist():
        expected = [total + value for total, value in zip(expected, row, strict=True)]
    assert column_sums(values).tolist() == expected


def test_counts_of_rows_up_to_a_rank() -> None:
    segment, rank = np.array([0, 0, 2, 2, 2]), np.array([2, 5, 1, 2, 9])
    index = RankCounter.build(segment, rank, segment_starts(segment, 3))
    assert index.count_all_up_to([0, 1, 2, 8, 10**12]).tolist() == [
        [0, 0, 1, 2, 2],
        [0, 0, 0, 0, 0],
        [0, 1, 2, 2, 3],
    ]
    assert index.count_all_up_to(np.array([[2], [2], [1]])).tolist() == [[1], [0], [1]]


def test_logarithms_as_the_c_library_has_them() -> None:
    assert log2_of(np.array([1.0, 2.0, 1621.0])).tolist() == [0.0, 1.0, math.log2(1621)]
    assert log2_of(np.array([2.5, 1e300])).tolist() == [math.log2(2.5), math.log2(1e300)]
    assert np.isnan(log2_of(np.array([-1.0, 2.0]))).tolist() == [True, False]
    assert log2_of(np.array([0.0])).tolist() == [-math.inf]
    assert log2_by_index(5)[4] == 2


def test_ratio_has_a_value_for_nothing_of_nothing() -> None:
    assert ratio(np.array([1, 0, 3]), np.array([2, 0, 0])).tolist() == [0.5, 0.0, 0.0]
    assert ratio(np.ones((2, 2)), np.array([[0], [4]]), 7.0).tolist() == [[7, 7], [0.25, 0.25]]


def test_intermediate_results_are_worked_out_once() -> None:
    rankings = judged("2 0 - 1 | 1")
    first = compute_measure("ndcg", rankings, Gains())
    kept = dict(rankings.memo)
    assert compute_measure("ndcg", rankings, Gains()).tolist() == first.tolist()
    assert rankings.memo.keys() == kept.keys()
    assert all(rankings.memo[key] is kept[key] for key in kept)
