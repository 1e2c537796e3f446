"""Runs and saved scores on the same topics; expected values are worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irev import compare, evaluate, gate, report
from irev.engine.score_runs import score_runs
from irev.errors import InputError, MismatchError, UsageError
from irev.jobs.compare.comparison import CompareOptions
from irev.options import ScoringOptions
from irev.plots import recall_precision
from tests.command import irev

pytestmark = pytest.mark.usefixtures("files")

# map: a has 1/2 on q1 and lacks q2; b has 1 and 1/2
QRELS = "q1 0 d1 1\nq2 0 d1 1\nq2 0 d2 0\n"
A = "q1 Q0 d2 1 2 tag-a\nq1 Q0 d1 2 1 tag-a\n"
B = "q1 Q0 d1 1 2 tag-b\nq2 Q0 d3 1 2 tag-b\nq2 Q0 d1 2 1 tag-b\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS, encoding="utf-8")
    Path("a.run").write_text(A, encoding="utf-8")
    Path("b.run").write_text(B, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("compat", ["trec10", "trec9"])
@pytest.mark.parametrize("order", [("a.run", "b.run"), ("b.run", "a.run")])
def test_a_missing_topic_counts_as_zero(compat: Any, order: tuple[str, str]) -> None:
    table = score_runs("qrels", order, ["map"], ScoringOptions(compat=compat))
    assert table.run_names == ("a", "b")
    assert table.topics == (b"q1", b"q2")
    assert table.scores("map").tolist() == [[0.5, 1.0], [0.0, 0.5]]
    assert table.means("map").tolist() == [0.25, 0.75]
    assert table.runs[0].missing == (b"q2",)
    (said,) = map(str, table.missing_topic_warnings)
    assert said == "a lacks 1 of 2 judged topics, which counts as 0: q2"


def test_where_lower_is_better_a_missing_topic_is_an_empty_ranking() -> None:
    # E is 1 - F: on q1 F is 2 * (1/2 * 1) / (1/2 + 1) = 2/3; an empty ranking has F 0
    table = score_runs("qrels", ["a.run", "b.run"], ["SetE(beta=1)"])
    scores = table.values[0][:, 0].tolist()
    assert scores == pytest.approx([1 / 3, 1.0])
    assert "score of an empty ranking" in table.notes[0]


def test_only_topics_that_all_have_on_request() -> None:
    table = score_runs("qrels", ["a.run", "b.run"], ["map"], ScoringOptions(topics="both"))
    assert table.topics == (b"q1",)
    assert table.notes[0] == "1 of 2 judged topics left out, because some runs lack them: q2"
    assert table.topics_text == "1 of 2 judged topics, those that every run has"
    assert [run.left_out for run in table.runs] == [(b"q2",), ()]
    assert not any(run.missing for run in table.runs)
    again = score_runs("qrels", [table, "b.run"], ["map"], ScoringOptions(topics="both"))
    assert again.topics_text == table.topics_text
    # nor does one count on which a run has no number
    Path("map.csv").write_text("topic,a,b\nq1,0.5,1\nq2,nan,0\nq3,1,1\n", encoding="utf-8")
    options = ScoringOptions(topics="both", nan="drop-topic")
    saved = score_runs(None, ["map.csv"], (), options)
    assert saved.topics_text == "2 of 3 judged topics, those that every run has"
    assert [run.left_out for run in saved.runs] == [(b"q2",), ()]


def test_names_are_files_or_tags() -> None:
    table = score_runs("qrels", ["a.run", "b.run"], ["map"], ScoringOptions(names="tag"))
    assert table.run_names == ("tag-a", "tag-b")
    assert [table.run_index(name) for name in ("tag-b", "b.run")] == [1, 1]
    with pytest.raises(UsageError, match="no run is called 'c'; the runs are tag-a, tag-b"):
        table.run_index("c")


def test_a_run_is_found_by_any_end_of_its_path_that_is_one_runs(files: Path) -> None:
    (files / "sub").mkdir()
    (files / "sub" / "a.run").write_text(B)
    table = score_runs("qrels", ["a.run", "sub/a.run", files / "b.run"], ["map"])
    assert table.run_names == ("a.run", "b", "sub/a")
    assert [table.run_index(name) for name in ("b", "b.run", str(files / "b.run"))] == [1] * 3
    assert table.run_index("sub/a.run") == 2
    assert table.run_index("a.run") == 0
    with pytest.raises(UsageError, match=r"'a' may be any of 2 runs: a\.run, sub/a$"):
        table.run_index("a")


def test_a_run_given_twice_is_refused() -> None:
    with pytest.raises(UsageError, match=r"two runs are called a:"):
        score_runs("qrels", ["a.run", "a.run"], ["map"])


def test_runs_in_memory_have_the_names_they_are_given() -> None:
    runs = {"one": {"q1": {"d1": 1.0}}, "other": {"q1": {"d2": 2.0, "d1": 1.0}}}
    table = score_runs("qrels", {**runs, "file": "b.run"}, ["map"])
    assert table.run_names == ("file", "one", "other")
    assert table.scores("map").tolist() == [[1.0, 1.0, 0.5], [0.5, 0.0, 0.0]]
    assert score_runs("qrels", list(runs.values()), ["map"]).run_names == ("run 1", "run 2")


def test_a_broken_run_is_an_error_or_left_out(files: Path) -> None:
    (files / "c.run").write_text("q1 Q0 d1 1 x t\n")
    with pytest.raises(InputError, match=r"c\.run:1"):
        score_runs("qrels", ["a.run", "c.run"], ["map"])
    table = score_runs("qrels", ["a.run", "c.run"], ["map"], keep_going=True)
    assert table.run_names == ("a",)
    assert [path for path, _ in table.broken] == ["c.run"]


def test_where_all_runs_are_broken_each_is_told(files: Path) -> None:
    (files / "c.run").write_text("q1 Q0 d1 1 x t\nq1 Q0 d2 1 y t\n")
    (files / "d.run").write_text("q9 Q0 d1 1 1 t\n")
    with pytest.raises(InputError) as told:
        score_runs("qrels", ["c.run", "d.run"], ["map"], keep_going=True)
    where = [(problem.path, problem.line) for problem in told.value.problems]
    assert where == [("c.run", 1), ("d.run", None)]


def test_a_run_without_a_judged_topic_is_named(files: Path) -> None:
    (files / "d.run").write_text("q9 Q0 d1 1 1 t\n")
    with pytest.raises(MismatchError, match=r"^d\.run: .* no topic in common"):
        score_runs("qrels", ["a.run", "d.run"], ["map"])


def test_measures_without_values_by_topic_are_refused() -> None:
    with pytest.raises(UsageError, match="no measure with values by topic"):
        score_runs("qrels", ["a.run"], ["gm_map"])


@pytest.mark.parametrize(
    ("measures", "said"),
    [
        (["map", "gm_map"], "gm_map has no values by topic to compare runs by, and is left out"),
        ("map,runid num_q", "runid, num_q have no values by topic to compare runs by, and are lef"),
        (["map", "official"], ""),
        ([], ""),
    ],
)
def test_measures_that_were_named_are_not_left_out_in_silence(measures: Any, said: str) -> None:
    table = score_runs("qrels", ["a.run", "b.run"], measures)
    left_out = [str(doubt) for doubt in table.doubts if doubt.kind == "left-out-measure"]
    assert [line[: len(said)] for line in left_out] == [said] * bool(said)
    assert "map" in table.measure_names
    assert not {"gm_map", "runid", "num_q"}.intersection(table.measure_names)


def test_runs_that_are_hardly_judged_are_named(files: Path) -> None:
    # of b's documents d1 is judged on both topics, d3 is not; of c's 10 on q1 one is
    lines = [f"q1 Q0 x{i} 1 {20 - i} c\n" for i in range(9)]
    (files / "c.run").write_text("".join([*lines, "q1 Q0 d1 1 1 c\n"]))
    table = score_runs("qrels", ["b.run", "c.run"], ["map"], CompareOptions())
    assert table.measure_names == ("map",)
    # the signature of a run names what was asked for
    assert [e.signature for e in table.runs] == [
        e.signature for e in score_runs("qrels", ["b.run", "c.run"], ["map"]).runs
    ]
    assert table.notes == (
        "c: only 10% of its first 10 documents are judged, and what is not judged counts as "
        "not relevant",
    )
    also = score_runs(
        "qrels", ["b.run", "c.run"], ["map", "Judged(denom=retrieved)@10"], CompareOptions()
    )
    assert also.measure_names == ("map", "Judged(denom=retrieved)@10")
    signed = [entry.signature for entry in also.runs]
    assert all(each and "Judged(denom=retrieved)@10" in each.measures for each in signed)
    # who saved scores was told of them then
    (files / "c.csv").write_text("topic,Judged(denom=retrieved)@10\nq1,0.1\nq2,0.1\n")
    table = score_runs(
        "qrels", ["b.run", "c.csv"], ["Judged(denom=retrieved)@10"], CompareOptions()
    )
    # of b's documents 1 of 1 and 1 of 2 are
    assert table.means("Judged(denom=retrieved)@10").tolist() == [0.75, 0.1]
    assert table.share_judged == 0.75
    assert not any("are judged" in line for line in table.notes)


def test_topics_with_weights_and_classes() -> None:
    options = ScoringOptions(
        weights={"q1": 3, "q2": 1}, classes={"first": ["q1"], "every": ["q1", "q2"]}
    )
    table = score_runs("qrels", ["a.run", "b.run"], ["map"], options)
    # (3 * .5 + 0) / 4 and (3 * 1 + .5) / 4
    assert table.means("map").tolist() == [0.375, 0.875]
    assert table.select_class("first").means("map").tolist() == [0.5, 1.0]
    assert table.classes is not None
    assert list(table.classes) == ["first", "every"]


@pytest.mark.parametrize("form", ["json", "csv"])
def test_of_other_judgments_they_are_refused(files: Path, form: str) -> None:
    ran = irev("-q", "-m", "map", "--format", form, "qrels", "a.run", cwd=files)
    (files / "saved.json").write_bytes(ran.out)
    (files / "qrels").write_text(QRELS.replace("d2 0", "d2 1"))
    with pytest.raises(MismatchError, match="cannot be compared: the qrels differ"):
        score_runs("qrels", ["saved.json", "b.run"], ["map"])


@pytest.mark.parametrize("form", ["json", "tsv"])
def test_of_another_level_they_are_refused(files: Path, form: str) -> None:
    ran = irev("-q", "-l2", "-m", "map", "--format", form, "qrels", "a.run", cwd=files)
    (files / "saved.json").write_bytes(ran.out)
    with pytest.raises(MismatchError, match="level"):
        score_runs("qrels", ["saved.json", "b.run"], ["map"])


def test_other_judgments_than_saved_scores_alone_know_are_refused(files: Path) -> None:
    ran = irev("-q", "-m", "map", "--format", "json", "qrels", "a.run", cwd=files)
    (files / "saved.json").write_bytes(ran.out)
    assert score_runs("qrels", ["saved.json"], ["map"]).run_names == ("a",)
    (files / "qrels").write_text(QRELS.replace("d2 0", "d2 1"))
    with pytest.raises(MismatchError, match=r"do not belong together: the qrels differ"):
        score_runs("qrels", ["saved.json"], ["map"])


def test_saved_scores_on_topics_that_are_not_judged_are_refused(files: Path) -> None:
    (files / "saved").write_text("map \tq1\t0.5\nmap \tq9\t0.5\n")
    with pytest.raises(MismatchError, match=r"saved cannot be compared: 1 of its topics .* q9"):
        score_runs("qrels", ["saved", "b.run"], ["map"])
    table = score_runs("qrels", ["saved", "b.run"], ["map"], ScoringOptions(topics="both"))
    assert table.topics == (b"q1",)


def test_scores_without_a_signature_are_taken_on_trust(files: Path) -> None:
    ran = irev("-q", "-m", "map", "qrels", "a.run", cwd=files)
    (files / "saved").write_bytes(ran.out)
    table = score_runs("qrels", ["saved", "b.run"], ["map"])
    assert table.notes == (
        "saved has no signature: whether its scores are for these judgments is unknown",
    )


def test_matrices_of_the_same_runs_are_measures(files: Path) -> None:
    (files / "ap.csv").write_text("x,y\n0.5,1\n0.25,0\n")
    (files / "p10.csv").write_text("x,y\n0.1,0.2\n0.3,0.4\n")
    table = score_runs(None, ["ap.csv", "p10.csv"])
    assert (table.run_names, table.measure_names) == (("x", "y"), ("ap", "p10"))
    assert np.array_equal(table.scores("p10"), [[0.1, 0.2], [0.3, 0.4]])


def test_a_run_needs_judgments() -> None:
    with pytest.raises(UsageError, match=r"b\.run: this is a run: give its qrels first"):
        score_runs(None, ["b.run"])


def test_scores_that_are_no_numbers(files: Path) -> None:
    (files / "m.csv").write_text("topic,x,y\n1,0.5,nan\n2,0.25,0\n")
    with pytest.raises(MismatchError, match="m of y is not a finite number on topic 1"):
        score_runs(None, ["m.csv"])
    table = score_runs(None, ["m.csv"], options=ScoringOptions(nan="drop-topic"))
    assert table.topics == (b"2",)


def test_topics_that_saved_runs_lacked_count_as_zero() -> None:
    """Also where the averages beside the saved scores left them out, and no run has them."""
    for name in ("one", "two"):
        Path(f"{name}.run").write_text(A, encoding="utf-8")
        Path(f"{name}.json").write_bytes(
            irev("-q", "-m", "map", "--format", "json", "qrels", f"{name}.run").out
        )
    table = score_runs(None, ["one.json", "two.json"])
    assert table.topics == (b"q1", b"q2")
    assert table.scores("map").tolist() == [[0.5, 0.5], [0.0, 0.0]]
    assert [entry.missing for entry in table.runs] == [(b"q2",)] * 2


def test_runs_of_equal_names_in_files_of_several_are_told_apart() -> None:
    for name in ("x", "y"):
        ran = irev("-q", "-c", "-m", "map", "--format", "json", "qrels", "a.run", "b.run")
        Path(f"{name}.json").write_bytes(ran.out)
    table = score_runs(None, ["x.json", "y.json"])
    assert table.run_names == ("x:a", "x:b", "y:a", "y:b")


def test_matrices_of_the_same_runs_have_a_hash_of_all_files() -> None:
    def digests(p: str) -> set[str | None]:
        Path("map.csv").write_text("topic,x,y\nq1,0.5,0.25\n", encoding="utf-8")
        Path("P_5.csv").write_text(f"topic,x,y\nq1,{p},0.2\n", encoding="utf-8")
        both = [score_runs(None, files) for files in (["map.csv", "P_5.csv"],) * 2]
        turned = score_runs(None, ["P_5.csv", "map.csv"])
        return {entry.sha256 for found in (*both, turned) for entry in found.runs}

    first, second = digests("0.2"), digests("0.4")
    assert len(first) == len(second) == 1
    assert first != second


def test_scores_that_are_too_large_are_refused() -> None:
    Path("m.csv").write_text("topic,x,y\nq1,1e308,-1e308\nq2,1e308,0\n", encoding="utf-8")
    with pytest.raises(MismatchError, match="m of x is too large a number on topic q1"):
        score_runs(None, ["m.csv"])


def test_saved_scores_that_lack_a_judged_topic() -> None:
    """trec_eval's output does not say which topics a run lacked: the others' topics do."""
    Path("a.te").write_text("map \tq1\t0.5\n", encoding="utf-8")
    Path("b.te").write_text("map \tq1\t1.0\nmap \tq2\t0.5\n", encoding="utf-8")
    table = score_runs(None, ["a.te", "b.te"])
    assert table.scores("map").tolist() == [[0.5, 1.0], [0.0, 0.5]]
    (told,) = map(str, table.missing_topic_warnings)
    assert told == "a.te lacks 1 of 2 judged topics, which counts as 0: q2"
    ran = irev("compare", "a.te", "b.te")
    assert (ran.code, ran.err.count(f"irev: warning: {told}\n")) == (0, 1)


def test_matrices_on_other_topics_are_not_one_run() -> None:
    """Joined, the values of one topic would stand beside another's."""
    Path("map.csv").write_text("topic,x,y\nq1,0.5,0.25\nq2,0.1,0.2\n", encoding="utf-8")
    Path("P_5.csv").write_text("topic,x,y\nq1,0.4,0.2\nq3,0.6,0.8\n", encoding="utf-8")
    with pytest.raises(UsageError, match="no measure in common"):
        score_runs(None, ["map.csv", "P_5.csv"])


def test_one_topic_without_a_class_is_told() -> None:
    options = ScoringOptions(classes={"first": ["q1"]})
    table = score_runs("qrels", ["a.run", "b.run"], ["map"], options)
    assert next(note for note in table.notes if "in no class" in note).startswith("1 topic")
    both = ScoringOptions(classes={"first": ["q1"], "second": ["q2"]})
    notes = score_runs("qrels", ["a.run", "b.run"], ["map"], both).notes
    assert not [note for note in notes if "in no class" in note]


def test_scores_come_from_anything_that_gives_them_one_by_one() -> None:
    scores = [evaluate("qrels", run, "map") for run in ("a.run", "b.run")]
    expected = compare(scores).table.summary()
    assert [*expected.values()] == [{"map": 0.25}, {"map": 0.75}]
    for several in ((each for each in scores), dict(enumerate(scores)).values()):
        assert compare(several).table.summary() == expected
    assert report(each for each in scores).table.summary() == expected
    for function, inputs, message in (
        (
            compare,
            (scores[0].to_frame(),),
            "there is no run: give runs after the judgments, or score",
        ),
        (compare, ([scores[0], "a.run"],), "a.run: this is a run: give its qrels first: qrels, ru"),
        (report, ("qrels", scores), "a has no ndcg_cut_10: it has map"),
        (recall_precision, (scores[0],), "'num_ret' was not evaluated: the table has map"),
        (recall_precision, (compare(scores).table,), "'num_ret' was not evaluated: the table has"),
    ):
        with pytest.raises(UsageError, match=message):
            function(*inputs)
    with pytest.raises(UsageError, match=r"the scores of one run, not of 2 \(tag-a, tag-b\)"):
        gate(scores, min={"map": 0.1})
