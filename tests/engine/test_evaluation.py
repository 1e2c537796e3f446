"""The Python interface: inputs, topic policies, many runs, what comes back."""

import doctest
import gzip
import json
import math
from typing import Any

import pandas as pd
import pytest

import irev
import irev.engine.evaluate
import irev.engine.evaluate_arrays
from irev import (
    Evaluator,
    InputError,
    IrevError,
    MismatchError,
    Options,
    Scores,
    UsageError,
    compare,
    evaluate,
)
from tests.command import irev as command
from tests.each import for_each

# q1: 1, q2: 1/2, q3: no relevant document, q4: not in the run, q9: not judged
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"a": 0}, "q4": {"a": 1, "c": 2}}
RUN = {"q1": {"a": 2, "x": 1}, "q2": {"x": 2, "a": 1}, "q3": {"a": 1}, "q9": {"a": 1, "b": 2}}
MAP = {"q1": 1.0, "q2": 0.5, "q3": 0.0, "q4": 0.0, "q9": 0.0}


@pytest.fixture
def files(tmp_path):
    """The same as files, one of them compressed."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.gz"
    lines = [f"{t} 0 {d} {g}\n" for t, docs in QRELS.items() for d, g in docs.items()]
    qrels.write_text("".join(lines))
    lines = [f"{t} Q0 {d} 1 {s} my-tag\n" for t, docs in RUN.items() for d, s in docs.items()]
    run.write_bytes(gzip.compress("".join(lines).encode()))
    return qrels, run


def test_the_documented_examples_run():
    found = doctest.testmod(irev.engine.evaluate)
    assert found.attempted >= 3
    assert not found.failed
    assert doctest.testmod(irev.engine.evaluate_arrays) == (0, 2)


def test_public_names_are_there():
    for name in irev.__all__:
        assert getattr(irev, name).__name__ in (name, f"irev.{name}")


# --- inputs and outputs --------------------------------------------------------------------------


def test_paths_of_both_kinds(files):
    qrels, run = files
    for scores in (evaluate(qrels, run, ["map"]), evaluate(str(qrels), str(run), ["map"])):
        assert scores.summary() == {"map": 0.5}
        assert scores.run_id == b"my-tag"
        assert scores.topics == (b"q1", b"q2", b"q3")


def test_plain_values(files):
    qrels, run = files
    scores = evaluate(qrels, run, ["num_ret", "map", "gm_map", "num_q", "runid", "relstring"])
    assert isinstance(scores, Scores)
    summary = scores.summary()
    # exp of the mean log, 0 counting as 0.00001
    assert summary.pop("gm_map") == pytest.approx(math.exp(math.log(0.5 * 1e-5) / 3), rel=1e-15)
    assert summary == {"num_q": 3, "num_ret": 5, "map": 0.5}
    assert scores.run_id == b"my-tag"
    assert scores.per_topic() == {
        "q1": {"num_ret": 2, "map": 1.0},
        "q2": {"num_ret": 2, "map": 0.5},
        "q3": {"num_ret": 1, "map": 0.0},
    }
    assert scores.text_by_topic("relstring") == {"q1": "1-", "q2": "-1", "q3": "0"}
    assert {type(value) for value in (*scores.per_topic()["q1"].values(), *summary.values())} == {
        float
    }


def test_a_frame_of_values(files):
    qrels, run = files
    scores = evaluate(qrels, run, ["num_ret", "map", "gm_map", "num_q", "relstring"])
    expected = pd.DataFrame(
        {"num_ret": [2.0, 2.0, 1.0], "map": [1.0, 0.5, 0.0]},
        index=pd.Index(["q1", "q2", "q3"], name="topic", dtype=object),
    )
    pd.testing.assert_frame_equal(scores.to_frame(long=False), expected)
    tidy = scores.to_frame()
    assert list(tidy) == ["run", "topic", "measure", "value"]
    assert tidy.iloc[4].tolist() == ["my-tag", "q2", "map", 0.5]


def test_the_official_measures_are_the_default(files):
    names = list(evaluate(*files).summary())
    assert names[:3] == ["num_q", "num_ret", "num_rel"]
    assert names[-1] == "P_1000"
    assert len(names) == 29


def test_ids_that_are_no_text():
    scores = evaluate({b"q\xe9": {b"\xff": 1}}, {b"q\xe9": {b"\xff": 1}}, ["map"])
    assert scores.topics == (b"q\xe9",)
    (name,) = scores.per_topic()
    assert name.encode("utf-8", "surrogateescape") == b"q\xe9"
    chosen = evaluate({b"q\xe9": {b"d": 1}}, {b"q\xe9": {b"d": 1}}, ["num_q"], topics=[name])
    assert chosen.topics == (b"q\xe9",)


def test_topics_come_in_byte_order():
    topics = ["b", "Q1", "9", "10", "a"]
    scores = evaluate({t: {"d": 1} for t in topics}, {t: {"d": 1} for t in topics[::-1]}, ["map"])
    assert scores.topics == (b"10", b"9", b"Q1", b"a", b"b")


# --- which topics --------------------------------------------------------------------------------

POLICIES: list[tuple[dict[str, Any], str, int]] = [
    ({}, "q1 q2 q3", 3),
    ({"topics": "both"}, "q1 q2 q3", 3),
    ({"topics": "both", "no_relevant": "skip"}, "q1 q2", 2),
    ({"topics": "qrels"}, "q1 q2 q3 q4", 4),
    ({"topics": "qrels", "no_relevant": "skip"}, "q1 q2 q4", 3),
    ({"topics": "run"}, "q1 q2 q3", 3),
    ({"topics": "run", "no_relevant": "skip"}, "q1 q2", 2),
    ({"topics": ["q2", b"q4"]}, "q2 q4", 2),
    ({"topics": ["q3", "q2", "q2"]}, "q2 q3", 2),
    ({"topics": ["q3", "q2"], "no_relevant": "skip"}, "q2", 1),
    ({"only_topic": b"q2"}, "q2", 1),
    ({"only_topic": "q2"}, "q2", 1),
    ({"only_topic": "q2", "topics": "run"}, "q2", 1),
    ({"only_topic": "q2", "topics": "qrels"}, "q2", 4),
    ({"compat": "trec9"}, "q1 q2 q3", 3),
    ({"compat": "trec9", "topics": "qrels"}, "q1 q2 q3", 4),
]


@for_each(("options", "topics", "divisor"), POLICIES)
def test_which_topics_count(files, options, topics, divisor):
    names = topics.split()
    for qrels, run in ((QRELS, RUN), files):
        scores = evaluate(qrels, run, ["map"], **options)
        assert scores.per_topic() == {name: {"map": MAP[name]} for name in names}
        assert scores.divisor == divisor
        assert scores.summary() == {"map": sum(MAP[name] for name in names) / divisor}
        assert evaluate(QRELS, RUN, ["num_q"], **options).summary() == {"num_q": divisor}


def test_the_account_of_the_topics():
    account = evaluate(QRELS, RUN, ["map"]).account
    assert account.missing == (b"q4",)
    assert account.unjudged == (b"q9",)
    assert account.without_relevant == (b"q3",)
    assert account.skipped == ()
    account = evaluate(QRELS, RUN, ["map"], topics="qrels", no_relevant="skip").account
    assert account.missing == (b"q4",)
    assert account.without_relevant == ()
    assert account.skipped == (b"q3",)
    account = evaluate(QRELS, RUN, ["map"], topics="run").account
    assert account.missing == ()
    assert account.unjudged == (b"q9",)
    assert account.skipped == (b"q4",)
    account = evaluate(QRELS, RUN, ["map"], topics="run", no_relevant="skip").account
    assert account.unjudged == (b"q9",)
    assert account.skipped == (b"q3", b"q4")


def test_a_missing_topic_is_an_empty_ranking():
    options: dict[str, Any] = {"topics": "qrels", "level": 2}
    scores = evaluate(QRELS, RUN, ["num_ret", "num_rel", "utility.1,-1,0,0"], **options)
    assert scores.per_topic()["q4"] == {"num_ret": 0, "num_rel": 1, "utility_1,-1,0,0": 0.0}
    assert scores.summary()["num_rel"] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topics": ["q2", "q7", "q8"]}, "the qrels have no topic q7, q8"),
        ({"only_topic": "q7"}, "the qrels have no topic q7"),
        ({"only_topic": "q4"}, "the run has no topic q4"),
        ({"topics": ["q3"], "no_relevant": "skip"}, "no topic is left to evaluate"),
    ],
)
def test_topics_that_are_not_there(options, message):
    with pytest.raises(MismatchError, match=message):
        evaluate(QRELS, RUN, ["map"], **options)


@pytest.mark.parametrize("options", [{}, {"topics": "qrels"}, {"topics": "run"}])
def test_no_topic_in_common(options):
    with pytest.raises(MismatchError) as raised:
        evaluate(QRELS, {"Q1": {"a": 1}}, ["map"], **options)
    assert str(raised.value) == (
        "the run and the qrels have no topic in common: the run has Q1; "
        "the qrels have q1, q2, q3, q4 (1 topic of the run matches a judged one, ignoring case and "
        "leading zeros)"
    )


NOTHING_TO_FIND: dict[str, dict[str, int]] = {
    "a": {"d1": 1, "d2": 0}, "b": {"d1": 0}, "c": {"d1": 0}, "d": {"d3": 1},
}  # fmt: skip
"""Nothing is relevant for b and c."""
ANSWERS: dict[str, list[str]] = {"a": ["d2", "d1"], "b": [], "c": ["d9"]}


def test_nothing_is_the_right_answer_where_nothing_is_relevant():
    """By hand: a has its usual value, b 1, c 0, d (missing, with a relevant document) 0."""
    names = "AP RR@10 P@2 nDCG@10 map num_ret DCG@5 irm:AP"
    options: dict[str, Any] = {"topics": "qrels", "no_relevant": "answer"}
    scores = evaluate(NOTHING_TO_FIND, ANSWERS, names, **options)
    usual = {"AP": 0.5, "RR@10": 0.5, "P@2": 0.5, "nDCG@10": 1 / math.log2(3)}
    for name, value in usual.items():
        assert scores.by_topic(name) == {"a": pytest.approx(value), "b": 1.0, "c": 0.0, "d": 0.0}
    # trec_eval's and other programs' names, counts, and what does not go from 0 to 1 stay
    for name, value in {"map": 0.5, "num_ret": 2, "DCG@5": 1 / math.log2(3), "irm:AP": 0.5}.items():
        rest = {"b": 0.0, "c": float(name == "num_ret"), "d": 0.0}
        assert scores.by_topic(name) == {"a": pytest.approx(value), **rest}
    assert scores.divisor == 4
    assert scores.account.without_relevant == (b"b", b"c")
    assert scores.account.rightly_empty == (b"b",)
    assert scores.account.missing == (b"d",)
    # a topic that the run lacks is the same answer; so is a run of nothing
    for run, expected in (
        ({"a": ["d1"]}, {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.0}),
        ({}, {"a": 0.0, "b": 1.0, "c": 1.0, "d": 0.0}),
    ):
        assert evaluate(NOTHING_TO_FIND, run, "AP", **options).by_topic("AP") == expected
    listed = evaluate(NOTHING_TO_FIND, ANSWERS, "AP", topics=["b", "c"], no_relevant="answer")
    assert listed.summary() == {"AP": 0.5}


def test_a_ranking_of_which_options_leave_nothing_is_the_same_answer():
    """Of b the only document is left out, since it has the id of its topic."""
    run = {"a": ["d1"], "b": ["b"], "c": ["c", "d9"]}
    scores = evaluate(
        NOTHING_TO_FIND, run, "AP", topics="qrels", no_relevant="answer", exclude="own"
    )
    assert scores.by_topic("AP") == {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0}
    assert scores.account.rightly_empty == (b"b",)


def test_the_level_of_a_measure_says_what_is_relevant():
    scores = evaluate(
        {"a": {"d1": 1}, "b": {"d1": 2}}, {"a": []}, "AP AP(rel=2)",
        topics="qrels", no_relevant="answer",
    )  # fmt: skip
    assert scores.by_topic("AP") == {"a": 0.0, "b": 0.0}
    assert scores.by_topic("AP(rel=2)") == {"a": 1.0, "b": 0.0}


def test_nothing_as_an_answer_counts_wherever_runs_are_compared(tmp_path):
    runs = {"some": ANSWERS, "none": {"a": ["d1"]}}
    table = compare(NOTHING_TO_FIND, runs, "AP", no_relevant="answer").table
    assert table["some"].by_topic("AP") == {"a": 0.5, "b": 1.0, "c": 0.0, "d": 0.0}
    assert table["none"].by_topic("AP") == {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.0}
    # none is said to be missing that is an answer
    assert [run.missing for run in table.runs] == [(b"d",), (b"d",)]
    qrels, run = tmp_path / "qrels.json", tmp_path / "run.json"
    qrels.write_text(json.dumps(NOTHING_TO_FIND))
    run.write_text(json.dumps(ANSWERS))
    said = (
        "2 of 4 topics (50%) have no relevant document; nothing was retrieved for 1 of them "
        "(50%), which counts as 1, else as 0"
    )
    ran = command("-c", "--no-rel", "answer", "-m", "AP", "-m", "map", qrels, run)
    assert ran.out.decode().split() == ["map", "all", "0.1250", "AP", "all", "0.3750"]
    assert said in ran.err
    assert "--no-rel answer changes no value of map" in ran.err
    (data,) = json.loads(command("-c", "--no-rel=answer", "--format=json", "-mAP", qrels, run).out)[
        "runs"
    ]
    assert (data["without_relevant"], data["rightly_empty"]) == (["b", "c"], ["b"])
    assert "norel:answer" in data["signature"]["short"]
    words = ("--no-rel=answer", "-mAP", qrels, run)
    other = tmp_path / "other.json"
    other.write_text(json.dumps(runs["none"]))
    for name in ("leaderboard", "compare"):
        one = command(name, *words, *([other] if name == "compare" else []))
        assert "1 of run" in one.err
    assert command("gate", "--no-rel=answer", "--min=AP=0.375", qrels, run).code == 0
    assert command("gate", "--no-rel=answer", "--min=AP=0.376", qrels, run).code == 1


@for_each(("measures", "options", "message"), [
    ("AP", {"topics": "both"}, 'needs topics="qrels" or a list of topics'),
    ("AP", {"topics": "run"}, 'needs topics="qrels" or a list of topics'),
    ("AP", {"ties": "average"}, "several orders of ties"),
    ("AP", {"tie_range": True}, "several orders of ties"),
    ("AP", {"judged_only": True}, "leave out judged_only"),
    ("AP", {"compat": "trec9"}, 'compat="trec9"'),
    ("AP@10", {"residuals": True}, "residuals"),
    ("AP", {"qrels_format": "subtopics"}, "needs plain judgments"),
    ("map num_ret DCG@5 irm:AP", {}, "changes none of these measures"),
])  # fmt: skip
def test_nothing_as_an_answer_is_refused_where_it_means_nothing(measures, options, message):
    with pytest.raises(UsageError) as raised:
        evaluate(
            NOTHING_TO_FIND, ANSWERS, measures,
            **{"topics": "qrels", "no_relevant": "answer", **options},
        )  # fmt: skip
    assert message in str(raised.value)


def test_a_topic_without_documents_is_refused_where_nothing_is_an_answer():
    for qrels in ({"a": {"d1": 1}, "b": {}}, {"a": ["d1"], "b": []}):
        assert evaluate(qrels, ANSWERS, "AP", topics="qrels").topics == (b"a",)
        with pytest.raises(InputError, match="topic 'b' has no document"):
            evaluate(qrels, ANSWERS, "AP", topics="qrels", no_relevant="answer")


def test_judgments_below_zero_are_no_judgments():
    # R = 1: only b; a is pooled but unjudged
    qrels, run = {"q": {"a": -1, "b": 1}, "r": {"a": -1}}, {"q": {"a": 2, "b": 1}, "r": {"a": 1}}
    scores = evaluate(qrels, run, ["map", "num_rel"])
    assert scores.per_topic() == {
        "q": {"num_rel": 1, "map": 0.5},
        "r": {"num_rel": 0, "map": 0.0},
    }
    assert scores.account.without_relevant == (b"r",)


# --- other definitions ---------------------------------------------------------------------------


def test_trec_eval_9_rounds_scores_to_32_bits():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.00000002, "b": 1.00000001}}
    assert evaluate(qrels, run, ["map"]).summary() == {"map": 1.0}
    assert evaluate(qrels, run, ["map"], compat="trec9").summary() == {"map": 0.5}


def test_trec_eval_9_rounds_recall_upward():
    # R = 2, relevant at ranks 1 and 4, p = 0.6: 1 of them (rounded 1.2) or 2 (trunc(1.2 + 0.9))
    qrels, run = {"q": {"a": 1, "d": 1}}, {"q": {"a": 4, "b": 3, "c": 2, "d": 1}}
    measure = ["iprec_at_recall.0.6"]
    assert evaluate(qrels, run, measure).summary() == {"iprec_at_recall_0.60": 1.0}
    old = evaluate(qrels, run, measure, compat="trec9").summary()
    assert old == {"iprec_at_recall_0.60": 0.5}


def test_trec_eval_9_lacks_measures():
    with pytest.raises(UsageError):
        Evaluator(QRELS, ["rbp"], Options(compat="trec9"))


def test_level_depth_and_judged_documents():
    qrels = {"q": {"a": 1, "b": 2}}
    run = {"q": {"x": 4, "a": 3, "y": 2, "b": 1}}
    assert evaluate(qrels, run, ["recip_rank"], level=2).summary() == {"recip_rank": 0.25}
    assert evaluate(qrels, run, ["num_ret"], max_retrieved=3).summary() == {"num_ret": 3}
    assert evaluate(qrels, run, ["recip_rank"], judged_only=True).summary() == {"recip_rank": 1.0}


@pytest.mark.parametrize("grade", [10**7, 10**30, -(10**30)])
def test_huge_grades(tmp_path, grade):
    path = tmp_path / "qrels"
    path.write_text(f"q 0 a {grade}\nq 0 b 0\n")
    for qrels in (path, {"q": {"a": grade, "b": 0}}):
        summary = evaluate(qrels, {"q": {"a": 2, "b": 1}}, ["num_rel", "ndcg"]).summary()
        relevant = int(grade > 0)
        assert summary == {"num_rel": relevant, "ndcg": float(relevant)}


@pytest.mark.parametrize(
    ("measures", "options", "format"),
    [
        (["no_such_measure"], {}, "qrels"),
        (["map"], {}, "trec"),
        (["map"], {}, "qrels_jg"),
        (["prefs_simp"], {}, "qrels"),
        (["map"], {"level": -1}, "qrels"),
        (["map"], {"max_retrieved": -1}, "qrels"),
        (["map"], {"topics": "all"}, "qrels"),
        (["map"], {"no_relevant": "drop"}, "qrels"),
        (["map"], {"compat": "trec8"}, "qrels"),
    ],
)
def test_what_makes_no_sense_is_said_before_a_file_is_opened(measures, options, format):
    with pytest.raises(UsageError):
        evaluate("/no/such/file", "/no/such/file", measures, qrels_format=format, **options)


# --- many runs -----------------------------------------------------------------------------------


def test_one_evaluator_for_many_runs():
    evaluator = Evaluator(QRELS, ["map", "ndcg"], Options(topics="qrels"))
    runs = [RUN, {"q1": {"b": 1}}, {"q4": {"c": 2, "a": 1}}, {"q4": {"x": 3, "c": 2, "a": 1}}]
    runs += [{"q9": {"a": 1}, "q1": {"x": 2, "a": 1}}, {"q1": {"a": 2}, "q9": {"a": 1}}]
    alone = [evaluate(QRELS, run, ["map", "ndcg"], topics="qrels").summary() for run in runs]
    assert [evaluator.evaluate(run).summary() for run in runs] == alone
    assert [evaluator.evaluate(run).summary() for run in runs[::-1]] == alone[::-1]


def test_what_is_kept_of_ideal_lists_is_kept_apart():
    names = [
        "ndcg",
        "nDCG(gain=exp)",
        "nDCG(rel=2)@2",
        "Q",
        "Q(rel=2)",
        "Rndcg",
        "ERR",
        "nDCG(b=2)",
    ]
    qrels = {**QRELS, "q5": {"a": 3, "b": 1, "c": 2, "d": 0}}
    runs = [{"q5": {"c": 2, "x": 1}}, {"q4": {"a": 1}}, {"q5": {"b": 1}, "q4": {"a": 1}}]
    evaluator = Evaluator(qrels, names)
    for run in [*runs, *runs]:
        mine = [evaluate(qrels, run, [name]).per_topic() for name in names]
        together = evaluator.evaluate(run).per_topic()
        for topic, values in together.items():
            assert values == {name: v for each in mine for name, v in each[topic].items()}


@pytest.mark.parametrize("gains", [["linear", "exp"], ["exp", "linear"]])
def test_ideal_lists_of_several_global_gains(tmp_path, gains):
    path = tmp_path / "subtopics"
    path.write_text("q1 1 a 3\nq1 2 a 1\nq1 1 b 1\nq1 2 c 2\n")
    names = [f"D_nDCG(gain={gain})" for gain in gains]
    run = {"q1": {"c": 3.0, "b": 2.0, "a": 1.0}}
    together = evaluate(path, run, names, qrels_format="subtopics").summary()
    alone = [evaluate(path, run, [name], qrels_format="subtopics").summary() for name in names]
    assert together == alone[0] | alone[1]
    assert len(set(together.values())) == 2


@pytest.mark.parametrize("threads", [1, 2, 8, None])
def test_a_broken_run_among_others(files, tmp_path, threads):
    qrels, run = files
    broken = tmp_path / "broken"
    broken.write_text("q1 Q0 a 1 high tag\n")
    runs = [run, broken, tmp_path / "absent", {"q7": {"a": 1}}, RUN] * 3
    outcomes = list(Evaluator(qrels, ["map"], Options(threads=threads)).evaluate_many(runs))
    assert [given for given, _ in outcomes] == runs
    found = [o.summary() if isinstance(o, Scores) else type(o) for _, o in outcomes]
    assert found == [{"map": 0.5}, InputError, InputError, MismatchError, {"map": 0.5}] * 3
    assert isinstance(outcomes[1][1], IrevError)
    assert str(outcomes[1][1]) == f"{broken}:1: score 'high' is not a number"


def test_no_runs_at_all():
    assert list(Evaluator(QRELS, ["map"]).evaluate_many([])) == []


def test_a_run_that_memory_cannot_hold_is_told(monkeypatch):
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    evaluator = Evaluator(QRELS, ["map"])
    monkeypatch.setattr(irev.engine.evaluate, "map_topics", exhausted)
    ((_, outcome),) = evaluator.evaluate_many(["large.run"])
    assert isinstance(outcome, InputError)
    assert str(outcome) == "large.run: there is not enough memory for this run"
