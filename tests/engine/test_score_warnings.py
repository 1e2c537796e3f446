"""Warnings that scores may mislead: each rule, from both sides of its bounds."""

import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irev
from irev.engine.doubts import hardly_judged_warning
from irev.engine.evaluate import Evaluator
from irev.engine.run_facts import JudgedCounts, JudgedIds, run_totals
from irev.errors import Notice
from irev.options import Options
from irev.scores.scores import Scores
from tests import command as program
from tests.files import SAMPLE

TOPICS = [f"q{n}" for n in range(1, 6)]
QRELS = {
    topic: {f"{topic}-doc{n:02}": n % 2 for n in range(10)} for topic in TOPICS
}  # 10 judged, half relevant


def _run(
    name: Callable[[str], str] = str, depth: int = 10, topics: Sequence[str] = TOPICS
) -> dict[str, dict[str, float]]:
    """The judged documents of each topic, called otherwise, then unjudged ones."""
    return {
        topic: {
            name(document): 100.0 - n
            for n, document in enumerate([*QRELS[topic], *(f"more{i}" for i in range(90))][:depth])
        }
        for topic in topics
    }


def _kinds(
    run: Mapping[str, Any], qrels: Mapping[str, Any] = QRELS, measures: Sequence[str] = ("map",)
) -> dict[str, str]:
    ((_, found),) = Evaluator(qrels, measures).outcomes([run])
    assert isinstance(found, Scores)
    return {notice.kind: str(notice) for notice in found.notices}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (str.upper, "upper and lower case"),
        (lambda d: f"coll/{d}", "without the prefix 'coll/'"),
        (lambda d: f"{d}.xml", "without the suffix '.xml'"),
        (lambda d: f"{d}.v2", "without the suffix '.v2'"),
        (lambda d: f"{d}#{len(d) + ord(d[-1]) % 7}", "without the suffix one such as '#"),
        (lambda d: f'"{d}"', "characters around the letters and digits"),
        (lambda d: d.replace("doc0", "doc"), "leading zeros"),
        (lambda d: d.replace("-", "_"), "underscores and hyphens"),
        (lambda d: d[1:], "with the prefix 'q'"),
    ],
)
def test_ids_written_otherwise(name: Callable[[str], str], said: str) -> None:
    """Nothing is judged: the warning shows an id of each side and how they differ."""
    kinds = _kinds(_run(name))
    assert kinds.keys() == {"nothing-judged"}
    assert said in kinds["nothing-judged"]
    assert "doc" in kinds["nothing-judged"].partition(" in the run, '")[2]


@pytest.mark.parametrize(("last", "many"), [(99.0, True), (0.0, False)])
def test_the_first_documents_are_those_with_the_highest_scores(last: float, many: bool) -> None:
    """Judged documents written otherwise are at the end of the lines of each topic."""
    run = {
        topic: {
            **{f"more{n}": 50.0 - n for n in range(30)},
            **{document.upper(): last - n / 100 for n, document in enumerate(QRELS[topic])},
        }
        for topic in TOPICS
    }
    assert ("upper and lower case" in _kinds(run)["nothing-judged"]) == many


@pytest.mark.parametrize(
    ("written", "said"),
    [("Doc%d", "upper and lower case"), ("0%d.doc", ""), ("doc_%d", "underscores and hyphens")],
)
def test_judged_ids_of_small_letters_and_digits(written: str, said: str) -> None:
    """No form changes them: those of the run become as they are."""
    qrels = {topic: {f"doc{n}": n % 2 for n in range(10)} for topic in TOPICS}
    run = {topic: {written % n: 9.0 - n for n in range(10)} for topic in TOPICS}
    kinds = _kinds(run, qrels)["nothing-judged"]
    assert said in kinds
    assert ("the ids look different" in kinds) == bool(said)


def test_a_run_is_told_of_as_if_it_were_alone() -> None:
    """What was worked out of the judgments for one run is there for the next."""
    shifted = _run(lambda d: f"q{int(d[1]) % 5 + 1}{d[2:]}" if "-" in d else d)
    runs = [_run(str.upper), _run(lambda d: f"{d}.xml"), shifted, _run(str.upper), _run()]
    together = Evaluator(QRELS, ["map"]).outcomes(runs)
    for run, (_, found) in zip(runs, together, strict=True):
        assert isinstance(found, Scores)
        told = {notice.kind: str(notice) for notice in found.notices}
        told.pop("identical-runs", None)
        assert told == _kinds(run)


def test_good_runs_are_not_warned_of() -> None:
    """A tenth of the first ten judged is enough; ids that fit are not looked at."""
    assert _kinds(_run(depth=100)) == {}
    one_of_ten = _run(lambda d: d if d.endswith("doc00") else f"other{d[-1]}", depth=10)
    assert _kinds(one_of_ten) == {}


def test_hardly_judged_and_other_collections() -> None:
    """Less than a tenth; or nothing at all, and no way of writing would find more."""
    mostly = {t: {f"x{n}": 9.0 - n for n in range(10)} for t in TOPICS}
    assert "another collection?" in _kinds(mostly)["nothing-judged"]
    mostly["q1"]["q1-doc01"] = 10.0
    kinds = _kinds(mostly)
    assert kinds.keys() == {"hardly-judged"}
    assert "1 of the 50 documents up to rank 10 are judged (2.0%)" in kinds["hardly-judged"]


def test_part_of_the_ids_is_damaged() -> None:
    """Far more would be judged if ids were written otherwise."""
    few = _run(lambda d: d if d in ("q1-doc01", "q2-doc01") else f"{d}.xml")
    assert _kinds(few).keys() == {"other-ids"}


def test_shifted_topics() -> None:
    """The documents are judged, but for the next topic."""
    after = dict(zip(TOPICS, [*TOPICS[1:], TOPICS[0]], strict=True))
    shifted = {after[topic]: docs for topic, docs in _run().items()}
    assert "are the topics shifted?" in _kinds(shifted)["nothing-judged"]
    shifted["q1"]["q1-doc01"] = 1e3
    assert _kinds(shifted).keys() == {"other-topics"}


def test_sparse_judgments() -> None:
    """One judged document a topic: that hardly one is met is as it should be."""
    sparse = {topic: {f"{topic}-doc03": 1} for topic in TOPICS}
    run = {topic: {f"x{n}": 1.0 / (n + 1) for n in range(50)} for topic in TOPICS}
    assert _kinds(run, sparse).keys() == {"nothing-met"}
    run["q1"]["q1-doc03"] = 2.0
    assert _kinds(run, sparse) == {}
    assert _kinds(_run(str.upper), sparse).keys() == {"nothing-judged"}


def test_topics_written_otherwise() -> None:
    """A topic that is not judged, and one that the run lacks, differ by zeros."""
    run = _run()
    run["Q01"] = run.pop("q1")
    assert _kinds(run).keys() == {"unretrieved-topic", "other-topic-ids"}


@pytest.mark.parametrize(
    ("measures", "is_told"),
    [
        (["P.11"], True),
        (["P.10"], False),
        (["official"], False),
        (["nDCG@1000"], True),
        (["suite:sakai06"], True),
        (["suite:msmarco", "P.5"], True),
    ],
)
def test_runs_that_end_above_a_cutoff(measures: list[str], is_told: bool) -> None:
    """Cutoffs count that stand in a name or in a suite, not those of sets of trec_eval's."""
    assert ("shallow-run" in _kinds(_run(depth=10), measures=measures)) == is_told


def test_topics_that_end_at_different_depths_are_no_cut_run() -> None:
    """Four of five at one depth are a cut; three of five are not, nor are two topics."""
    run = _run(depth=20)
    run["q1"] = dict(list(run["q1"].items())[:7])
    assert "shallow-run" in _kinds(run, measures=["P@100"])
    run["q2"] = dict(list(run["q2"].items())[:9])
    assert _kinds(run, measures=["P@100"]) == {}
    two = {topic: QRELS[topic] for topic in TOPICS[:2]}
    assert _kinds(_run(topics=TOPICS[:2]), two, ["P@100"]) == {}


def test_grades_below_minus_one() -> None:
    """They are told where a measure tells unjudged from not relevant."""
    qrels = {"q": {"a": 1, "b": -2, "c": 0}}
    told = {each.kind for each in Evaluator(qrels, ["bpref"]).notices}
    assert "low-grade" in told
    (one,) = Evaluator(qrels, ["bpref"]).notices
    assert one.message == "1 judgment has a grade below -1, which bpref treats as unjudged"
    notices = Evaluator({"q": {"a": 1, "b": -2, "c": -3}}, ["bpref", "infAP"]).notices
    (two,) = [each for each in notices if each.kind == "low-grade"]
    assert two.message == "2 judgments have a grade below -1, which bpref, infAP treat as unjudged"
    assert Evaluator(qrels, ["map"]).notices == ()
    assert Evaluator({"q": {"a": 1, "b": -1, "c": 0}}, ["bpref"]).notices == ()
    assert Evaluator(qrels, ["bpref"], Options(grade_map=((-2, 0),))).notices == ()


def test_what_is_asked_for() -> None:
    """A topic called as the summary; parameters that do not count."""
    assert [each.kind for each in Evaluator({"all": {"a": 1}}, ["map"]).notices] == [
        "topic-called-all"
    ]
    (twice,) = Evaluator(QRELS, ["P.1", "P.2"]).notices
    assert (twice.kind, twice.message[:6]) == ("repeated-measure", "-m P.2")
    assert Evaluator(QRELS, ["P.1,2", "P_3", "ndcg_cut.5"]).notices == ()


def test_identical_runs() -> None:
    """The same ranking under two names; one with the same scores that ranks otherwise is none."""
    evaluator = Evaluator(QRELS, ["num_ret"])
    other = {topic: {d: -s for d, s in docs.items()} for topic, docs in _run().items()}
    doubled = {topic: {d: 2 * s for d, s in docs.items()} for topic, docs in _run().items()}
    outcomes = [outcome for _, outcome in evaluator.outcomes([_run(), other, doubled])]
    found = [each.notices for each in outcomes if isinstance(each, Scores)]
    assert found[:2] == [(), ()]
    assert [(each.kind, each.hint) for each in found[2]] == [("identical-runs", "")]


def test_python_warns_at_the_line_that_called() -> None:
    """`evaluate` and `compare` warn with `irev.IrevWarning`; the warning has its kind."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        irev.evaluate(QRELS, _run(topics=TOPICS[:3]), ["map"])
    (told,) = caught
    assert told.category is irev.IrevWarning
    assert told.filename == __file__
    assert isinstance(told.message, irev.IrevWarning)
    assert told.message.notice.kind == "unretrieved-topic"
    with pytest.warns(irev.IrevWarning, match=r"run 2: none of the 50 documents"):
        irev.compare(QRELS, [_run(), _run(str.upper)], ["map"])


def test_many_alike_are_counted(tmp_path: Path) -> None:
    """Ten of a kind are told, then how many more there were."""
    runs = []
    for n in range(13):
        runs.append(tmp_path / f"{n}.run")
        runs[-1].write_text(f"1 Q0 d{n} 1 1 t\n", encoding="utf-8")
    done = program.irev("-m", "map", SAMPLE / "qrels.txt", *runs)
    lines = [line for line in done.err.splitlines() if "left out" in line]
    assert len(lines) == 10
    assert "... and 3 more lines like it: a judged topic that is missing from the run" in done.err


def test_few_judged_documents_are_searched_for_other_ids() -> None:
    topics = [b"%d" % number for number in range(50)]
    judged = {topic: [b"doc-%s-%03d" % (topic, n) for n in range(500)] for topic in topics}
    samples = tuple((topic, [doc + b".xml" for doc in judged[topic][:10]]) for topic in topics)
    asked = []

    def of(topic: bytes) -> list[bytes]:
        asked.append(topic)
        return judged[topic]

    run = JudgedCounts(500, False, 500, 0, np.full(50, 10), samples)
    warning = hardly_judged_warning(run, JudgedIds(of, lambda: (), is_sparse=False))

    assert warning is not None
    assert warning.kind == "nothing-judged"
    assert "without the suffix '.xml', 100% of the top 10 are judged" in warning.hint
    # 3,000 judged documents are enough
    assert asked == topics[:6]


def test_three_topics_are_searched_however_many_documents_are_judged() -> None:
    judged = {topic: [b"%s-%05d" % (topic, n) for n in range(5000)] for topic in (b"a", b"b", b"c")}
    # the ids of the first topics are those of another collection
    samples = ((b"a", [b"zzzz"]), (b"b", [b"yyyy"]), (b"c", [b"c-%05d.xml" % n for n in range(8)]))
    run = JudgedCounts(10, False, 10, 0, np.array([1, 1, 8]), samples)

    warning = hardly_judged_warning(run, JudgedIds(judged.__getitem__, lambda: (), is_sparse=False))

    assert warning is not None
    assert "'c-00000.xml' in the run, 'c-00000' in the judgments" in warning.hint
    assert "80% of the top 10" in warning.hint


def test_a_run_is_judged_where_one_of_its_parts_is() -> None:
    """Whichever part it is."""
    none = JudgedCounts(10, False, 10, 0, np.array([10]), ((b"a", [b"x"]),))
    some = JudgedCounts(20, True, 10, 3, np.array([20]), ((b"b", [b"y"]),))
    for parts in ((none, some), (some, none)):
        whole = run_totals(parts)
        assert (whole.retrieved, whole.is_judged) == (30, True)
        assert (whole.shallow, whole.shallow_judged) == (20, 3)
        assert sorted(whole.depths.tolist()) == [10, 20]
    assert not run_totals((none, none)).is_judged


def test_other_ids_are_the_better_hint_than_pooled_documents() -> None:
    """A run with both: documents in the pool without a grade, and ids in capitals."""
    qrels = {**QRELS, "q1": {**QRELS["q1"], "pooled": -1}}
    run = _run(str.upper)
    run["q1"]["pooled"] = 200.0
    assert "upper and lower case" in _kinds(run, qrels)["nothing-judged"]
    unlike = {topic: {f"x{n}": 9.0 - n for n in range(10)} for topic in TOPICS}
    unlike["q1"]["pooled"] = 200.0
    assert "some are in the pool without a grade" in _kinds(unlike, qrels)["nothing-judged"]


@pytest.mark.parametrize("iteration", ["0", "Q0"])
def test_plain_judgments_read_as_subtopics(tmp_path: Path, iteration: str) -> None:
    """Of one subtopic a diversity measure is the plain one; only its own names ask for several."""
    plain, run = tmp_path / "plain", {"1": {"a": 1.0}, "2": {"b": 1.0}}
    plain.write_text(f"1 {iteration} a 1\n1 {iteration} c 0\n2 {iteration} b 1\n")
    with pytest.warns(irev.IrevWarning, match='qrels_format="qrels" reads them$'):
        irev.evaluate(plain, run, "ERR-IA@10", qrels_format="subtopics")
    assert Evaluator(plain, "map", qrels_format="subtopics").notices == ()
    plain.write_text(f"1 {iteration} a 1\n2 1 b 1\n")
    assert Evaluator(plain, "ERR-IA@10", qrels_format="subtopics").notices == ()


@pytest.mark.parametrize(
    ("scores", "is_told"),
    [
        ([1, 2, 3, 4, 5], True),
        ([0, 1, 2, 3, 4, 5], True),
        ([5, 4, 3, 2, 1], False),
        ([1, 2, 3, 4, 6], False),
        ([2, 3, 4, 5, 6], False),
        ([1, math.inf, math.inf, 4, 5], False),
        ([1, 2, 3, 4], False),
    ],
)
def test_scores_that_number_the_documents(scores: list[float], is_told: bool) -> None:
    """In three topics at least, of five documents or more."""
    run = {topic: {f"d{n}": value for n, value in enumerate(scores)} for topic in "abc"}
    qrels = {topic: {"d0": 1, "d1": 0, "d2": 0, "d3": 0} for topic in "abc"}
    kinds = [notice.kind for notice in _notices(qrels, run)]
    assert ("rank-order" in kinds) == is_told
    two = {topic: run[topic] for topic in "ab"}
    assert "rank-order" not in [notice.kind for notice in _notices(qrels, two)]


def _notices(qrels: Any, run: Any) -> Sequence[Notice]:
    return Evaluator(qrels, "map").evaluate_silently(run).notices


TIED = {"a": {f"d{n}": 1.0 for n in range(12)}}
TIED_QRELS = {"a": {"d5": 1, "d6": 1, "d7": 0, "d11": 0}}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, ["input", "average"]),
        ({"ties": "docid-asc"}, ["input", "average"]),
        ({"tie_range": True}, ["input", "average"]),
        ({"ties": "average"}, None),
        ({"ties": "input"}, None),
        ({"ties": "optimistic"}, None),
        ({"ties": "pessimistic"}, None),
    ],
)
def test_ids_are_said_to_decide_only_where_they_do(
    options: dict[str, Any], said: list[str] | None
) -> None:
    """And a mapping, which has no ranks, is not told to rank by them."""
    notices = Evaluator(TIED_QRELS, "RR", **options).evaluate_silently(TIED).notices
    equal = [str(each) for each in notices if each.kind == "constant-scores"]
    assert len(equal) == (said is not None)
    for text in equal:
        assert "the first 10 documents have equal scores in 1 of 1 topic" in text
        assert re.findall("--ties ([a-z]+)", text) == said
    # ids or an option put the judged documents where they stand
    if options.get("ties") != "input":
        assert "unjudged-top" not in [each.kind for each in notices]


def test_the_advice_on_equal_scores_is_one_that_the_run_allows(tmp_path: Path) -> None:
    """Ranks decide where there are ranks, and as many documents are told of as there are."""
    files = {"qrels": "a 0 d1 1\n", "prefs": "a 0 0 d1 2\na 0 0 d2 1\n"}
    files |= {f"rank{rank}": "".join(f"a Q0 d{n} {rank or n} 1 t\n" for n in range(1, 6))
              for rank in (0, 7)}  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    few = "all documents have equal scores in 1 of 1 topic looked at, so that ids decide; "
    ranked = program.irev("-m", "RR", "qrels", "rank0", cwd=tmp_path)
    assert f"{few}--ties rank ranks by the rank column\n" in ranked.err
    unranked = program.irev("-m", "RR", "qrels", "rank7", cwd=tmp_path)
    assert f"{few}--ties input keeps the order of the run, --ties average takes" in unranked.err
    prefs = program.irev("-R", "prefs", "-m", "prefs_simp", "prefs", "rank7", cwd=tmp_path)
    assert f"{few}--ties input keeps the order of the run\n" in prefs.err
    checked = program.irev("check", "rank7", cwd=tmp_path)
    assert b"--ties input" in checked.out
    assert b"--ties rank" not in checked.out


def test_topics_written_otherwise_are_told_of_under_each_choice_of_topics() -> None:
    run = _run()
    run["Q01"] = run.pop("q1")
    for topics in ("both", "qrels", "run"):
        notices = Evaluator(QRELS, "map", topics=topics).evaluate_silently(run).notices
        assert "other-topic-ids" in [each.kind for each in notices]


def test_a_ranking_of_its_judged_documents_is_no_cut_run() -> None:
    """-J leaves one document of each topic, of the hundred that were retrieved."""
    qrels = {topic: {f"{topic}-doc03": 1} for topic in TOPICS}
    for judged_only in (False, True):
        evaluator = Evaluator(qrels, "P@20", judged_only=judged_only)
        notices = evaluator.evaluate_silently(_run(depth=50)).notices
        assert "shallow-run" not in [each.kind for each in notices]
