"""Inputs that are no mistake of one line: exchanged, given twice, or a run of nothing."""

from __future__ import annotations

import json
import random
import tempfile
import warnings
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irev
from irev.errors import IrevError, IrevWarning
from tests.command import irev as command
from tests.strategies import examples

Mapped = Mapping[str, Mapping[str, float]]

QRELS = {"q1": {"d1": 3, "d2": 0, "d3": 1}, "q2": {"d2": 1, "d4": 2}}
RUN = {"q1": {"d1": 13.2, "d2": 11.1, "d3": 9.5}, "q2": {"d2": 7.5, "d4": 9.25}}


def frame(numbers: Mapped, name: str = "score") -> pd.DataFrame:
    rows = [(t, d, number) for t, docs in numbers.items() for d, number in docs.items()]
    return pd.DataFrame(rows, columns=["qid", "docno", name])


def written(write: Callable[[Mapped, Path], object]) -> Callable[[Mapped, Path], Path]:
    def write_file(numbers: Mapped, path: Path) -> Path:
        write(numbers, path)
        return path

    return write_file


FORMS: dict[str, Callable[[Mapped, Path], Any]] = {
    "mapping": lambda numbers, _: numbers,
    "frame": lambda numbers, _: frame(numbers),
    "index": lambda numbers, _: frame(numbers).set_index(["qid", "docno"]),
    "cells": lambda numbers, _: frame(numbers).to_dict(),
    "Arrow": lambda numbers, _: pa.table(frame(numbers)),
    "arrays": lambda numbers, _: {n: c.to_numpy() for n, c in frame(numbers).items()},
    "rows": lambda numbers, _: [*frame(numbers).itertuples(index=False, name=None)],
    "JSON": written(lambda numbers, path: path.write_text(json.dumps(numbers))),
    "lines": written(lambda n, path: frame(n).to_json(path, orient="records", lines=True)),
    "CSV": written(lambda numbers, path: frame(numbers).to_csv(path, index=False)),
    "Parquet": written(lambda numbers, path: frame(numbers).to_parquet(path)),
}
"""What makes each form of {topic: {document: number}}."""


def kinds(qrels: Any, run: Any, **options: Any) -> set[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        irev.evaluate(qrels, run, "map", real_grades=True, **options)
    return {w.message.notice.kind for w in caught if isinstance(w.message, IrevWarning)}


def numbers_of(r: random.Random, number: Callable[[int], float]) -> Mapped:
    """Some topics, each with some documents and their numbers."""
    return {
        f"q{topic}": {f"d{place}": number(place) for place in range(r.randint(2, 12))}
        for topic in range(r.randint(1, 5))
    }


def are_places(numbers: Mapped) -> bool:
    """Whether each topic's numbers fall by one, as those of a ranked list do."""
    in_order = (sorted(docs.values()) for docs in numbers.values())
    return all(after - before == 1 for values in in_order for before, after in pairwise(values))


@given(st.integers(0), st.sampled_from([*FORMS]))
@examples(8)
def test_exchanged_inputs_are_told_and_sound_ones_are_not(seed: int, form: str) -> None:
    r = random.Random(seed)
    grades = numbers_of(r, lambda _: r.choice([0, 0, 1, 2, 3]))
    scores = numbers_of(r, lambda _: r.gauss(10, 5))
    in_steps = numbers_of(r, lambda _: r.choice([0, 0.25, 0.5, 1]))
    votes = numbers_of(r, lambda _: r.randint(1, 4))
    places = numbers_of(r, lambda place: 20.0 - place)
    with tempfile.TemporaryDirectory() as folder:

        def made(numbers: Mapped) -> Any:
            return FORMS[form](numbers, Path(folder, f"{id(numbers)}.json"))

        is_told = "exchanged-inputs" in kinds(made(scores), made(grades))
        assert is_told or are_places(grades)
        for qrels in (grades, in_steps):
            for run in (scores, votes, places):
                assert "exchanged-inputs" not in kinds(made(qrels), made(run))
        assert "exchanged-inputs" not in kinds(made(scores), made(places))
        same = made(grades)
        assert "exchanged-inputs" in kinds(same, same)


def test_a_warning_that_strict_makes_an_error(tmp_path: Path) -> None:
    qrels, run = tmp_path / "q.json", tmp_path / "r.json"
    qrels.write_text(json.dumps(QRELS))
    run.write_text(json.dumps(RUN))
    said = "are run and judgments exchanged?"
    assert said not in command("-m", "map", qrels, run).err
    for words in (("-m", "map"), ("gate", "--min", "map=0.1")):
        ran = command(*words, run, qrels)
        assert (ran.code, said in ran.err) == (0, True)
    assert command("--strict", "-m", "map", run, qrels).code == 2
    link = tmp_path / "link.json"
    link.symlink_to(qrels)
    assert "given as the run, too" in command("-m", "map", qrels, link).err


def test_a_table_with_grades_and_scores_may_be_both() -> None:
    both = frame(RUN, "similarity").assign(grade=[3, 0, 1, 1, 2])
    columns = {"score": "similarity"}
    assert "exchanged-inputs" not in kinds(both, both, columns=columns)


NOTHING: dict[str, Any] = {
    "a mapping": {}, "topics": {"q1": {}, "q2": {}}, "lists": {"q1": [], "q2": []},
    "a frame": frame(RUN)[:0], "a frame without columns": pd.DataFrame(),
    "Arrow": pa.table(frame(RUN)[:0]), "columns": {"qid": [], "docno": [], "score": []},
}  # fmt: skip
FILES_OF_NOTHING = {"j.json": "{}", "l.json": '{"q1": []}', "t.csv": "qid,docno,score\n"}


@pytest.mark.parametrize("name", [*NOTHING, *FILES_OF_NOTHING, "p.parquet"])
def test_a_run_that_retrieved_nothing(name: str, tmp_path: Path) -> None:
    nothing = NOTHING.get(name, tmp_path / name)
    if name in FILES_OF_NOTHING:
        nothing.write_text(FILES_OF_NOTHING[name])
    if name.endswith("parquet"):
        frame(RUN)[:0].to_parquet(nothing)
    with pytest.raises(IrevError, match=r"has no (documents|rows)"):
        irev.evaluate(QRELS, nothing, "map")
    with pytest.raises(IrevError, match=r"has no (documents|rows)"):
        irev.evaluate(nothing, RUN, "map", topics="qrels")
    with pytest.warns(IrevWarning, match="the run retrieved nothing"):
        assert irev.evaluate(QRELS, nothing, "map", topics="qrels", sign=True)["map"] == 0
    with pytest.warns(IrevWarning, match="none: the run retrieved nothing"):
        table = irev.evaluate(QRELS, {"good": RUN, "none": nothing}, "map")
    # AP of q1: d1 relevant at rank 1, d3 at rank 3; of q2 both are relevant
    assert table["good"]["map"] == pytest.approx((5 / 6 + 1) / 2)
    assert table["none"]["map"] == 0
    with pytest.warns(IrevWarning, match="the run retrieved nothing"):
        assert irev.gate(QRELS, nothing, min={"map": 0.1}).exit_code == 1


def test_runs_of_nothing_are_compared_and_reported(tmp_path: Path) -> None:
    for name, content in {"q": QRELS, "good": RUN, "one": {}, "two": {"q1": []}}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    paths = [tmp_path / f"{name}.json" for name in ("q", "good", "one", "two")]
    for words in (("compare",), ("leaderboard",), ("report", "--output", tmp_path / "page")):
        ran = command(*words, "-m", "map", *paths)
        assert ran.code == 0
        assert "one: the run retrieved nothing" in ran.err
        assert "same documents in the same order" not in ran.err
    (tmp_path / "empty.run").touch()
    assert command("-c", "-m", "map", paths[0], tmp_path / "empty.run").code == 2


def test_a_table_is_checked_as_what_its_columns_say(tmp_path: Path) -> None:
    judgments, run = tmp_path / "q.csv", tmp_path / "r.csv"
    judgments.write_text("docno,qid,label\nd1,1,5\nd2,1,0\nd1,1,3\n")
    assert "q.csv:4: error: duplicate document" in command("check", judgments).out.decode()
    run.write_text("system,query_number,doc_number,score\n1,1,11,5.1\n2,1,11,5.0\n")
    columns = "topic=query_number,document=doc_number,run=system"
    assert "1 topic, 2 rows" in command("check", "--columns", columns, run).out.decode()


def test_documents_of_several_indices_are_refused(tmp_path: Path) -> None:
    hits = [{"_index": index, "_id": "1"} for index in ("a", "b")]
    ratings = [hit | {"rating": 1} for hit in hits]
    judgments: Any = {"requests": [{"id": "q1", "ratings": ratings}], "metric": {}}
    run = tmp_path / "r.json"
    run.write_text(json.dumps({"q1": {"hits": {"hits": hits}}}))
    with pytest.raises(IrevError, match="2 indices, a, b"):
        irev.evaluate(judgments, {"q1": ["1"]}, "RR")
    with pytest.raises(IrevError, match="2 indices, a, b"):
        irev.evaluate({"q1": {"1": 1}}, run, "RR")
    judgments["requests"][0]["ratings"] = ratings[:1]
    assert irev.evaluate(judgments, {"q1": {"hits": {"hits": hits[1:]}}}, "RR")["RR"] == 1


def odd_values() -> dict[str, tuple[Any, str]]:
    offsets = pa.py_buffer(np.array([0, 9**6, 2], np.int32).tobytes())
    damaged = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"ab")])
    twice = pd.concat([frame(RUN), frame(RUN)[["score"]]], axis=1)
    sparse = frame(RUN).assign(score=pd.arrays.SparseArray([1.0] * 5))
    date, length = np.datetime64("2020-01-01", "ns"), np.timedelta64(5, "ns")
    return {
        "a column twice": (twice, "Duplicate column"),
        "a column twice in Arrow": (
            pa.table([["q"], ["d"], [1], [2]], names=["qid", "doc", "s", "s"]),
            "called s",
        ),
        "a sparse column": (sparse, "Sparse"),
        "offsets beyond the text": (
            pa.table({"qid": ["q1"] * 2, "doc": damaged, "score": [1, 2]}),
            "column doc is damaged",
        ),
        "a long id": ({"q1": {10**4300: 1.0}}, "4300 digits"),
        "a date": ({"q1": {"d1": 1.0, "d2": date}}, "not a number: .*2020.* document 'd2'"),
        "a time": ({"q1": {"d1": 1.0, "d2": length}}, "not a number: .*, in topic 'q1'"),
        "a complex score": ({"q1": {"d1": np.complex64(1)}}, "not a number"),
        "a large score": ({"q1": {"d1": 10**5000}}, "cannot be read: Exceeds"),
        "nothing": ({"q1": {"d1": 1.0, "d2": None}}, "a score is missing, in topic 'q1'"),
    }


@pytest.mark.parametrize("name", odd_values())
def test_odd_values_are_errors_of_irev(name: str) -> None:
    run, message = odd_values()[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(IrevError, match=message):
            irev.evaluate(QRELS, run, "RR", columns={"score": "s"} if "Arrow" in name else ())


def test_arrays_of_ids_are_ranked_lists() -> None:
    lists = {"q1": ["d2", "d1"], "q2": ["d4"]}
    for make in (np.array, pd.Series, pa.array, lambda ids: np.array(ids, object)):
        arrays = {topic: make(ids) for topic, ids in lists.items()}
        # the first relevant documents stand at ranks 2 and 1
        assert irev.evaluate(QRELS, arrays, "RR")["RR"] == 0.75


def test_a_run_of_nothing_is_one_of_several(tmp_path: Path) -> None:
    """Pools, samples and studies of several runs take it as the commands that compare do."""
    qrels, run, other, nothing = (tmp_path / name for name in ("q", "r", "o", "nothing.json"))
    qrels.write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    run.write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 1 t\n")
    other.write_text("1 Q0 b 1 2 u\n1 Q0 a 2 1 u\n2 Q0 a 1 1 u\n")
    nothing.write_text('{"1": [], "2": {}}')
    for words in (
        ("pool", run, nothing), ("sample", "--rate", "1-1=100%,2-=50%", qrels, run, nothing),
        ("study", "preference", qrels, run, nothing),
        ("study", "robustness", "-m", "map", qrels, run, other, nothing),
    ):  # fmt: skip
        ran = command(*words)
        assert (ran.code, "the run retrieved nothing" in ran.err) == (0, True), words
    assert sorted(command("pool", run, nothing).out.splitlines()) == [b"1 a", b"1 b", b"2 a"]
    assert "none retrieved anything" in command("pool", nothing, nothing).err
    explained = command("explain", qrels, nothing)
    assert (explained.code, "-c counts" in explained.err) == (2, False)


HINTS = {
    "a rank with a fraction": ("-T msmarco", "1 d1 1\n1 d2 2.5\n", "-T scores reads"),
    "grades in a run": ("", "query_id,doc_id,label\n1,d1,1\n", "are these judgments?"),
    "a column of other name": ("", "query_id,doc_id,x\n1,d1,1\n", "--columns score=x"),
    "lists of JSON": ("", '[["1", "Q0", "d1", 9.5], ["1", "Q0", "d2", 8.5]]\n', "rows are [topic,"),
    "a page of the web": ("", "<!DOCTYPE html>\n<html>\n", "did a download fail?"),
    "a dict of Python": ("", "{'1': {'d1': 9.5, 'd2': 8.5, 'd3': 7.5}}\n", "looks like JSON"),
    "a comment before the first line": (
        "", "# my run1 Q0 d1 1 9.5 t\n1 Q0 d2 2 8.5 t\n", "a comment stands on a line of its own"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HINTS)
def test_what_a_file_is_told_to_be(name: str, tmp_path: Path) -> None:
    words, text, hint = HINTS[name]
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_text("1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n")
    run.write_text(text)
    assert hint in command("-m", "map", *words.split(), qrels, run).err


def test_classes_of_ntcir_and_blanks_in_qrels_are_told(tmp_path: Path) -> None:
    qrels, run = tmp_path / "q", tmp_path / "r"
    run.write_text("1 Q0 d1 1 9.5 t\n")
    qrels.write_text("1 d1 L1 c1\n1 d2 L0 c2\n2 d1 L2 c1\n")
    assert "-R ntcir reads them" in command("-m", "map", qrels, run).err
    assert command("-R", "ntcir", "-m", "map", qrels, run).code == 0
    qrels.write_text("1 0 my d1 1\n1 0 my d2 0\n")
    assert "is there a blank in an id?" in command("-m", "map", qrels, run).err
    qrels.write_text("1 0 d1 1\n1 1 d1 1\n")
    assert "-R subtopics, if" in command("-m", "map", qrels, run).err


@pytest.mark.parametrize("names", [("topic", "document", "score"), ("frage", "text", "wert")])
def test_columns_as_lists_on_one_line_of_json(names: tuple[str, ...], tmp_path: Path) -> None:
    """A table in JSON, as `to_dict("list")` gives it: the relevant document has rank 2."""
    qrels, run = tmp_path / "q", tmp_path / "r.json"
    qrels.write_text("1 0 d1 1\n")
    run.write_text(json.dumps(dict(zip(names, (["1", "1"], ["d1", "d2"], [1.5, 2]), strict=True))))
    fields = ("topic", "document", "score")
    own = ",".join(f"{field}={name}" for field, name in zip(fields, names, strict=True))
    ran = command("-m", "RR", "--columns", own, qrels, run)
    assert (ran.code, ran.out.split()) == (0, [b"RR", b"all", b"0.5000"])
    assert command("check", "--columns", own, qrels, run).code == 0


def test_points_up_to_100_are_grades() -> None:
    """Judgments in points with a run of a few votes are sound."""
    r = random.Random(1)
    topics = range(10)
    points = {f"q{t}": {f"d{d}": r.randint(0, 100) for d in range(30)} for t in topics}
    votes = {f"q{t}": {f"d{d}": r.randint(0, 4) for d in range(30)} for t in topics}
    assert "exchanged-inputs" not in kinds(points, votes)
    scores = {t: {d: 37 * point for d, point in of.items()} for t, of in points.items()}
    assert "exchanged-inputs" in kinds(scores, votes)


def test_answers_of_a_search_engine_are_checked_as_a_run(tmp_path: Path) -> None:
    hits = [{"_index": index, "_id": "d1", "_score": 1.0} for index in "ab"]
    answers = tmp_path / "es.json"
    answers.write_text(json.dumps({"1": {"hits": {"hits": hits}}}))
    assert "the documents are of 2 indices" in command("check", answers).out.decode()


def test_check_says_which_option_reads_groups(tmp_path: Path) -> None:
    qrels = tmp_path / "q"
    qrels.write_text("1 a d1 1\n1 b d1 0\n")
    ran = command("check", "--strict", qrels)
    assert (ran.code, b"with -R subtopics or -R qrels_jg only" in ran.out) == (0, True)


def test_a_file_that_is_given_twice_does_not_take_the_name_of_another(tmp_path: Path) -> None:
    for name, rank in (("a", 1), ("a (2)", 2)):
        lines = [f"1 Q0 d{number} 0 {10 - (number + rank) % 2} t\n" for number in (1, 2)]
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    paths = [tmp_path / "a", tmp_path / "a", tmp_path / "a (2)"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrevWarning)  # two are the same run
        table = irev.evaluate({"1": {"d1": 1}}, paths, "RR")
    values = {"a": {"RR": 1.0}, "a (3)": {"RR": 1.0}, "a (2)": {"RR": 0.5}}
    assert table.summary() == values
