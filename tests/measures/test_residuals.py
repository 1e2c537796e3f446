"""Upper bounds of values under incomplete judgments, and shares of judged documents."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev import UsageError, evaluate
from irev.measures import unjudged
from irev.measures.naming.resolve import resolve_names
from irev.measures.registry import TREC_MEASURES
from tests import plain, plain_defined_cwl, strategies
from tests.command import irev
from tests.measures.test_every_measure import judged
from tests.plain import Topic
from tests.registered import NAMED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

HIGHEST = 12.0
CWL = plain_defined_cwl.MEASURES


def of_trec(name: str, *parameter: object) -> Callable[[Topic], float]:
    """A measure of trec_eval's, by its definition, with its first value."""

    def value(topic: Topic) -> float:
        found = plain.MEASURES[name](topic, *parameter)
        return float(found[0] if isinstance(found, list) else found)

    return value


def of_cwl(name: str, cutoff: int | None, **options: float) -> Callable[[Topic], float]:
    """A C/W/L measure, by its definition."""
    return lambda topic: CWL[name](topic, cutoff, **options)


def rbp(topic: Topic) -> float:
    """RBP(p=0.5,gain=linear,max=12)."""
    total = 0.0
    for rank, code in enumerate(topic.codes):
        total += max(code, 0.0) / HIGHEST * 0.5**rank
    return 0.5 * total


ASKED: dict[str, tuple[Callable[[Topic], float], bool]] = {
    "P_5": (of_trec("P", (5,)), True),
    "P_30": (of_trec("P", (30,)), True),
    "success_5": (of_trec("success", (5,)), True),
    "recip_rank": (of_trec("recip_rank"), True),
    "set_P": (of_trec("set_P"), False),
    "RBP(p=0.5,gain=linear,max=12)": (rbp, True),
    "SDCG(max=12)@7": (of_cwl("SDCG", 7, max=12.0), True),
    "INST(max=12)": (of_cwl("INST", None, max=12.0), True),
    "INSQ(T=2,max=12)": (of_cwl("INSQ", None, T=2.0, max=12.0), True),
    "NERR9(max=12)@7": (of_cwl("NERR9", 7, max=12.0), True),
    "NERR10(p=0.5,max=12)": (of_cwl("NERR10", None, p=0.5, max=12.0), True),
    "BPM(T=2,max=12)@10": (of_cwl("BPM", 10, T=2.0, max=12.0), True),
}
"""Each name with its definition, and whether documents that could follow the ranking count."""

NOT_MONOTONE = ("INST(max=12)", "NERR9(max=12)@7", "NERR10(p=0.5,max=12)", "BPM(T=2,max=12)@10")
"""Rates of gain: a gain can also end the search before a better one is seen."""


def bounds(name: str, topics: Sequence[Topic]) -> list[list[float]]:
    """The value and the upper bound of each topic."""
    (request,) = unjudged.add_upper_bounds(resolve_names([name]), HIGHEST)
    assert [column.name for column in request.columns] == [name, f"{name}[max]"]
    values = request.values(judged(topics))
    return np.asarray(values).tolist()  # type: ignore[no-any-return]


def with_known(topic: Topic, grades: Sequence[float]) -> Topic:
    """The topic with its unjudged documents judged so, in order; what is left over follows."""
    left = list(grades)
    codes = [code if code >= 0 else left.pop(0) for code in topic.codes] + left
    return Topic(codes, [*topic.grades, *grades], level=topic.level)


def unknown_in(topic: Topic) -> int:
    return sum(code < 0 for code in topic.codes)


@given(name=st.sampled_from(list(ASKED)), topics=strategies.topics())
def test_bound_is_the_value_with_the_highest_grade(name: str, topics: list[Topic]) -> None:
    measure, goes_on = ASKED[name]
    topics = [Topic(t.codes, t.grades, level=min(t.level, 1)) for t in topics]
    for topic, (value, bound) in zip(topics, bounds(name, topics), strict=True):
        assert value == pytest.approx(measure(topic), rel=1e-9, abs=1e-12)
        more = 1100 if goes_on else 0
        best = with_known(topic, [HIGHEST] * (unknown_in(topic) + more))
        assert bound == pytest.approx(measure(best), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in ASKED if name not in NOT_MONOTONE])
def test_no_judgments_lead_out_of_the_bounds(name: str) -> None:
    measure = ASKED[name][0]
    topics = [
        Topic([2, -1, 0, -1, 1], [2, 0, 1, 3]),
        Topic([-1, -1, -1], [4]),
        Topic([0, -2], [0, 0]),
    ]
    for topic, (value, bound) in zip(topics, bounds(name, topics), strict=True):
        for grades in product([0.0, 1.0, 12.0], repeat=unknown_in(topic)):
            possible = measure(with_known(topic, grades))
            assert value - 1e-12 <= possible <= bound + 1e-12


@given(topics=strategies.topics(), p=st.sampled_from([0.3, 0.8, 0.95]))
def test_rbp_in_closed_form(topics: list[Topic], p: float) -> None:
    topics = [Topic(t.codes, t.grades) for t in topics]
    for topic, (value, bound) in zip(
        topics, bounds(f"RBP(p={p},gain=linear,max=12)", topics), strict=True
    ):
        open_weight = sum(p**i for i, code in enumerate(topic.codes) if code < 0)
        residual = (1 - p) * open_weight + p**topic.num_ret
        assert bound == pytest.approx(value + residual, rel=1e-9, abs=1e-12)
    resid = NAMED["RBPresid"].compute(judged(topics), (None,), p=p)[:, 0]
    found = np.array(bounds(f"RBP(p={p},gain=linear,max=12)", topics))
    assert found[:, 1] - found[:, 0] == pytest.approx(resid, abs=1e-9)


FROM_CWL_EVAL = [
    ("RBP(p=0.8,gain=linear,max=M)", 0.7076204544, 0.612864),
    ("SDCG(max=M)@5", 0.660839794726, 0.49213213992),
    ("INST(T=2,max=M)", 0.601752344988, 0.495813564608),
    ("NERR10(max=M)", 0.473684210526, 0.400921658986),
    ("BPM(T=2,max=M)@10", 0.666666666667, 0.6),
]
"""What cwl_eval 1.0.12 gives for unjudged documents of the highest gain, with M = 1 and M = 3."""


@pytest.mark.parametrize(("name", "binary", "graded"), FROM_CWL_EVAL)
def test_cwl_eval(name: str, binary: float, graded: float) -> None:
    one = Topic([0, 1, 1, -1, 1, 0, -1, -1, 1, 0], [0, 1, 1, 1, 0, 1, 0])
    other = Topic([0, 2, -1, 1, 3, 0, 3, -1], [3, 3, 2, 2, 1, 1, 0, 0, 0])
    for topic, highest, expected in ((one, 1, binary), (other, 3, graded)):
        (request,) = unjudged.add_upper_bounds(
            resolve_names([name.replace("M)", f"{highest})")]), highest
        )
        assert request.values(judged([topic]))[0][1] == pytest.approx(expected, abs=1e-9)


def test_many_topics_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    topics = strategies.seeded_topics(5, 40)
    whole = bounds("recip_rank", topics)
    monkeypatch.setattr(unjudged, "_RANKS_AT_ONCE", 2500)
    assert bounds("recip_rank", topics) == whole


def test_best_case_is_a_consistent_ranking() -> None:
    topics = [Topic([2, -1, 0, -2], [2, 0, 1, 4]), Topic([], []), Topic([-1, -1], [1])]
    depth = np.array([3, 2, 2])
    best = unjudged.best_case(judged(topics), depth, 4.0)
    expected = judged(
        [
            Topic([2, 4, 0], [2, 0, 1, 4, 4]),
            Topic([4, 4], [4, 4]),
            Topic([4, 4], [1, 4, 4]),
        ]
    )
    for name in ("topic", "rank", "grade", "level_start", "level_grade", "level_count"):
        assert getattr(best, name).tolist() == getattr(expected, name).tolist()
    assert best.num_ret.tolist() == [4, 2, 2]


QRELS = {"1": {"a": 1, "b": 0, "c": 3}, "2": {"a": 2}}
RUN = {"1": {"a": 9.0, "u": 8.0, "b": 7.0}, "2": {"a": 9.0}}


def test_evaluate() -> None:
    names = ["P.2,5", "RBP(p=0.5)", "num_rel"]
    scores = evaluate(QRELS, RUN, names, residuals=True, judged_shares=True)
    # topic 1: grades 1 ? 0 and what follows; topic 2: grade 2 and what follows
    assert scores.summary() == pytest.approx(
        {
            "num_rel": 3,
            "P_2": 0.5,
            "P_2[max]": 1.0,
            "P_5": 0.2,
            "P_5[max]": 0.9,
            "RBP(p=0.5,gain=linear,max=3)": (1 / 6 + 1 / 3) / 2,
            "RBP(p=0.5,gain=linear,max=3)[max]": (1 / 6 + 1 / 4 + 1 / 8 + 1 / 3 + 1 / 2) / 2,
            "Judged(denom=k)@2": (1 / 2 + 1 / 2) / 2,
            "Judged(denom=k)@5": (2 / 5 + 1 / 5) / 2,
        }
    )


def test_highest_grade_declared() -> None:
    # 1 + 5 / log2(3) for the first topic; 2 + 5 / log2(3) for the second
    scores = evaluate(QRELS, RUN, ["DCG@2"], residuals=True, defaults=(("max", 5),))
    values = list(scores.summary().values())
    assert values == pytest.approx([1.5, 1.5 + 5 * 0.6309297535714574])


def test_scale_is_that_of_all_judgments() -> None:
    # grade 3 stands in the other topic only
    scores = evaluate(QRELS, {"2": {"a": 2.0, "u": 1.0}}, ["DCG@2"], residuals=True)
    values = list(scores.summary().values())
    assert values == pytest.approx([2.0, 2.0 + 3 * 0.6309297535714574])


def test_topics_that_the_run_lacks_are_open() -> None:
    scores = evaluate(QRELS, {"1": {"a": 1.0}}, ["P_1"], residuals=True, topics="qrels")
    assert scores.summary() == {"P_1": 0.5, "P_1[max]": 1.0}


@pytest.mark.parametrize("name", ["map", "ndcg", "recall.5", "bpref", "rbp", "AP", "nDCG@10"])
def test_measures_with_a_recall_base_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"newly found relevant can lower it.*recip_rank"):
        evaluate(QRELS, RUN, [name], residuals=True)


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["dcg"], {}, "without a cutoff; write for instance DCG@10"),
        (["DCG"], {}, "without a cutoff; write for instance DCG@10"),
        (["P(condensed=true)@5"], {}, "leaves unjudged documents out"),
        (["P_5"], {"judged_only": True}, "cannot be combined with judged_only"),
        (["P_5"], {"tie_range": True}, "cannot be combined with several orders"),
        (["RBP(p=0.999999999)"], {}, "too near to 1"),
        (["P.5000000"], {}, "the cutoff is too deep"),
    ],
)
def test_what_makes_no_sense(names: list[str], options: dict[str, bool], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        evaluate(QRELS, RUN, names, residuals=True, **options)  # type: ignore[call-overload]


def test_judged_wants_a_cutoff() -> None:
    with pytest.raises(UsageError, match="requested measure has a cutoff"):
        evaluate(QRELS, RUN, ["map"], judged_shares=True)


def test_every_rate_of_gain_has_bounds() -> None:
    assert {name for name, m in NAMED.items() if m.residual} >= set(CWL) - {
        "Compat",
        "RateAP",
        "RateRR",
    }
    assert {m.residual for m in (*TREC_MEASURES.values(), *NAMED.values())} == {
        "", "ranking", "cutoff", "endless"
    }  # fmt: skip


def test_command(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "r").write_text("1 Q0 a 1 3 x\n1 Q0 u 2 2 x\n")
    done = irev("--residuals", "--judged", "-m", "P.2", "q", "r", cwd=tmp_path)
    assert [line.split() for line in done.out.decode().splitlines()] == [
        ["P_2", "all", "0.5000"],
        ["P_2[max]", "all", "1.0000"],
        ["Judged(denom=k)@2", "all", "0.5000"],
    ]
