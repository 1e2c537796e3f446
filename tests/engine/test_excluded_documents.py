"""--exclude: documents that are left out of runs before ranks are counted."""

from __future__ import annotations

import csv
import gzip
import json
import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import irev
from irev.errors import InputError, UsageError
from tests.command import irev as command
from tests.each import for_each
from tests.files import CASES
from tests.strategies import examples

FOLDER = CASES / "answers"
QRELS, RUN, LISTED = (FOLDER / name for name in ("own_id.qrels", "own_id.run", "excluded.txt"))
CHOICES = {"none": (), "own": "own", "file": str(LISTED), "own+file": ("own", LISTED)}
BEIR_NAMES = {"NDCG": "nDCG@3", "MAP": "AP@3", "Recall": "R@3", "P": "P@3"}

with (FOLDER / "expected.csv").open(encoding="utf-8", newline="") as lines:
    EXPECTED = [row for row in csv.DictReader(lines) if row["id"].startswith("ex-")]


@for_each("row", [row for row in EXPECTED if "-beir-" not in row["id"]],
                         ids=lambda row: row["id"])  # fmt: skip
def test_pytrec_eval_on_the_filtered_run(row: dict[str, str]) -> None:
    _, choice, topic, _ = row["id"].split("-")
    scores = irev.evaluate(QRELS, RUN, row["measure"], exclude=CHOICES[choice])
    assert scores[row["measure"], topic] == pytest.approx(float(row["value"]), abs=1e-9)


@pytest.mark.parametrize("row", [row for row in EXPECTED if "-beir-" in row["id"]],
                         ids=lambda row: row["id"])  # fmt: skip
def test_beir_itself(row: dict[str, str]) -> None:
    name = BEIR_NAMES[row["measure"].partition("@")[0]]
    exclude = "own" if "-on-" in row["id"] else ()
    scores = irev.evaluate(QRELS, RUN, name, exclude=exclude)
    assert scores[name] == pytest.approx(float(row["value"]), abs=6e-6)


def _signature(scores: irev.Scores) -> str:
    assert scores.signature is not None
    return scores.signature.short


def test_what_is_left_out_is_counted_said_and_signed() -> None:
    ran = command("-m", "map", "--exclude", f"own,{LISTED}", "--format", "json", QRELS, RUN)
    assert ran.err == (
        "irev: note: left out 3 of 8 documents (1 with the topic's own id, 2 of 3 listed); "
        "1 of them is judged relevant and still counts in R\n"
    )
    run = json.loads(ran.out)["runs"][0]
    assert run["excluded"] == 3
    again = command("-m", "map", "--exclude", "own", "--exclude", LISTED, QRELS, RUN)
    assert again.err == ran.err
    choices: list[list[str | Path]] = [["own"], ["own", LISTED], [LISTED]]
    own, both, listed = (
        _signature(irev.evaluate(QRELS, RUN, "map", exclude=each, sign=True)) for each in choices
    )
    assert own.endswith("|x:own")
    assert "|x:own|exclude:" in both
    assert "|x:" not in listed
    assert listed.partition("|exclude:")[2] == both.partition("|exclude:")[2] != ""
    assert len({own, both, listed}) == 3


def test_runs_without_and_with_it_are_not_compared(tmp_path: Path) -> None:
    for name, options in (("a", ()), ("b", ("--exclude", "own"))):
        (tmp_path / name).mkdir()
        ran = command("-q", "-m", "map", *options, "--format", "json", QRELS, RUN,
                      "--output", tmp_path / name / "scores.json")  # fmt: skip
        assert ran.code == 0
    ran = command("compare", "a/scores.json", "b/scores.json", cwd=tmp_path)
    assert ran.code == 2
    assert "exclude" in ran.err


@pytest.mark.parametrize("threads", [1, 3])
def test_any_form_and_any_number_of_threads(tmp_path: Path, threads: int) -> None:
    """Against awk '$1 != $3', with more topics than a part of the file holds."""
    lines, filtered, judged = [], [], []
    for number in range(400):
        topic = f"t{number}"
        docs = [f"d{number * 7 % 11 + rank}" for rank in range(30)]
        docs.insert(number % 31, topic)
        for rank, doc in enumerate(docs):
            line = f"{topic} Q0 {doc} {rank} {100 - rank} r\n"
            lines.append(line)
            filtered += [line] if doc != topic else []
        judged += [f"{topic} 0 {doc} {len(doc) % 3}\n" for doc in sorted({topic, docs[5], docs[0]})]
    qrels, plain = tmp_path / "qrels", tmp_path / "filtered"
    qrels.write_text("".join(judged))
    plain.write_text("".join(filtered))
    (tmp_path / "run").write_text("".join(lines))
    with gzip.open(tmp_path / "run.gz", "wt", encoding="utf-8") as file:
        file.writelines(lines)
    (tmp_path / "mixed").write_text("".join(sorted(lines, key=lambda line: line[::-1])))
    rows = [line.split() for line in lines]
    frame = {"topic": [row[0] for row in rows], "docno": [row[2] for row in rows],
             "score": [float(row[4]) for row in rows]}  # fmt: skip
    names = "map ndcg_cut_10 num_ret bpref recip_rank"
    expected = irev.evaluate(qrels, plain, names, threads=threads)
    inputs = [tmp_path / "run", tmp_path / "run.gz", tmp_path / "mixed", frame]
    for run in inputs:
        scores = irev.evaluate(qrels, run, names, exclude="own", threads=threads)
        assert scores.values.tolist() == expected.values.tolist()
        assert scores.account.num_excluded == 400


def test_small_parts_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = irev.evaluate(QRELS, RUN, "map", exclude=["own", LISTED])
    monkeypatch.setattr("irev.read.pieces.PIECE", 40)
    assert irev.evaluate(QRELS, RUN, "map", exclude=["own", LISTED]).values.tolist() == (
        whole.values.tolist()
    )


def test_all_forms_of_lists(tmp_path: Path) -> None:
    expected = irev.evaluate(QRELS, RUN, "map", exclude=[LISTED]).values.tolist()
    (tmp_path / "x.json").write_text('{"q1": ["d1"], "q2": ["d9", "zz"], "q9": ["N/A"]}')
    mapping = {"q1": ["d1"], "q2": {"d9", b"zz"}}
    for exclude in (tmp_path / "x.json", mapping):
        scores = irev.evaluate(QRELS, RUN, "map", exclude=[exclude])
        alone = irev.evaluate(QRELS, RUN, "map", exclude=exclude)
        assert scores.values.tolist() == alone.values.tolist() == expected


def test_cuts_and_shares_see_what_is_left() -> None:
    """-M keeps the first two of those left; q1: d1 (not judged), d2; q2: d5, d9 (not judged)."""
    scores = irev.evaluate(QRELS, RUN, "num_ret num_rel_ret num_rel P@2", max_retrieved=2,
                           judged_shares=True, exclude="own")  # fmt: skip
    assert scores["num_ret"] == 4
    assert scores["num_rel_ret"] == 2
    assert scores["num_rel"] == 5, "the judgments stay"
    assert scores["Judged(denom=k)@2"] == 0.5


def test_a_topic_that_loses_all_counts_zero_and_is_named(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("q2 d5\nq2 d9\nq2 d1\n")
    ran = command("-m", "map", "-m", "num_q", "--exclude", tmp_path / "x", QRELS, RUN)
    assert ran.out == b"num_q                 \tall\t2\nmap                   \tall\t0.3778\n"
    assert "1 topic has no document left, so that it counts as an empty ranking: q2" in ran.err
    (tmp_path / "x").write_text("q2 d5\nq2 d9\nq2 d1\nq1 q1\nq1 d1\nq1 d2\nq1 d3\nq1 d4\n")
    ran = command("-m", "map", "--exclude", tmp_path / "x", QRELS, RUN)
    assert ran.out == b"map                   \tall\t0.0000\n"


def test_duplicates_are_found_as_if_nothing_was_left_out(tmp_path: Path) -> None:
    (tmp_path / "run").write_text(
        RUN.read_text(encoding="utf-8") + "q2 Q0 q2 9 1 r\nq2 Q0 q2 9 0 r\n"
    )
    ran = command("--exclude", "own", "-m", "map", QRELS, tmp_path / "run")
    assert ran.code == 2
    assert "run:10: duplicate document 'q2' in topic 'q2'" in ran.err
    ran = command("--exclude", "own", "--duplicates", "first", "-m", "map", QRELS, tmp_path / "run")
    assert ran.out == command("--exclude", "own", "-m", "map", QRELS, RUN).out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1\n", "x:1: 1 field, expected 2"),
        ("", "there is no document in this file"),
        ('{"q1": "d1"}', "the documents of topic 'q1' are no list of ids"),
        ('{"q1": [', "x:1: this is no JSON"),
    ],
)
def test_wrong_lists(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x").write_text(text)
    ran = command("--exclude", "x", QRELS, RUN, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err


def test_wrong_lists_in_python(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="are a mapping"):
        irev.evaluate(QRELS, RUN, "map", exclude=[{"q1": "d1"}])
    with pytest.raises(InputError, match="no such file"):
        irev.evaluate(QRELS, RUN, "map", exclude=[tmp_path / "none"])


def test_names_of_beir_warn_where_own_ids_are_in_the_run() -> None:
    warning = "1 topic retrieves the document with the topic's own id"
    assert warning in command("-m", "beir:NDCG@3", QRELS, RUN).err
    assert warning in command("-m", "suite:beir", QRELS, RUN).err
    assert warning not in command("-m", "beir:NDCG@3", "--exclude", "own", QRELS, RUN).err
    assert warning not in command("-m", "nDCG@3", QRELS, RUN).err
    with pytest.warns(irev.IrevWarning, match='BEIR leaves it out: exclude="own"'):
        irev.evaluate(QRELS, RUN, "beir:NDCG@3")
    # the suite itself changes nothing
    assert command("-m", "suite:beir", QRELS, RUN).out == (
        command("-m", "nDCG@10", "-m", "R@100", QRELS, RUN).out
    )


def test_check_says_where_it_applies(tmp_path: Path) -> None:
    ran = command("check", QRELS, RUN)
    assert "1 topic retrieves a document with the topic's own id" in " ".join(
        ran.out.decode().split()
    )
    (tmp_path / "run").write_text(RUN.read_text(encoding="utf-8").replace("q1 Q0 q1", "q1 Q0 d7"))
    ran = command("check", QRELS, tmp_path / "run")
    assert b"own id" not in ran.out + ran.err.encode()


def test_every_job_leaves_them_out(tmp_path: Path) -> None:
    """Each against the same command on the filtered run."""
    kept = [
        line
        for line in RUN.read_text(encoding="utf-8").splitlines()
        if line.split()[0] != line.split()[2]
    ]
    other = RUN.read_text(encoding="utf-8").replace("d9", "d8").replace(" r", " s")
    kept_other = [line for line in other.splitlines() if line.split()[0] != line.split()[2]]
    for folder, texts in (("whole", (RUN.read_text(encoding="utf-8"), other)),
                         ("kept", ("\n".join(kept), "\n".join(kept_other)))):  # fmt: skip
        (tmp_path / folder).mkdir()
        for name, text in zip(("a", "b"), texts, strict=True):
            (tmp_path / folder / name).write_text(text + "\n")
    calls = [
        ("compare", "-m", "map", "--format", "csv"),
        ("leaderboard", "-m", "map", "--format", "csv"),
        ("explain", "-m", "map", "-t", "q1", "--format", "csv"),
        ("eval", "--tie-range", "-m", "map", "--format", "csv"),
        ("eval", "-m", "infAP", "--pool", "depth:2", "--format", "csv"),
        ("gate", "--min", "map=0.1", "--format", "csv"),
    ]
    for call in calls:
        runs = ["a"] if call[0] in ("explain", "gate") else ["a", "b"]
        there = command(*call, "--exclude", "own", QRELS, *runs, cwd=tmp_path / "whole")
        expected = command(*call, QRELS, *runs, cwd=tmp_path / "kept")
        assert there.code == expected.code == 0, there.err + expected.err
        assert _without_signature(there.out) == _without_signature(expected.out), call
        plain = command(*call, QRELS, *runs, cwd=tmp_path / "whole")
        assert _without_signature(plain.out) != _without_signature(there.out), call
    ran = command("compare", "-m", "map", "--exclude", "own", QRELS, "a", "b",
                  cwd=tmp_path / "whole")  # fmt: skip
    assert "left out 2 documents of 2 runs" in ran.err


def _without_signature(text: bytes) -> list[bytes]:
    return [re.sub(rb"irev:[0-9].*", b"", line) for line in text.splitlines()]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (("sample", "--rate", "50%", QRELS), "--by uniform: it draws from QRELS alone"),
        (("sample", "--by", "collection", "--rate", "50%", QRELS, RUN),
         "--by collection: a collection has a document for all topics"),
        (("check", QRELS, RUN), "no such option '--exclude': it leaves documents out of runs that"),
        (("measures",), "no such option '--exclude': it leaves documents out of runs that"),
        (("study", "enumerate"), "no such option '--exclude': it leaves documents out of runs"),
    ],
    ids=lambda value: " ".join(map(str, value[:3])) if isinstance(value, tuple) else "",
)  # fmt: skip
def test_commands_without_rankings_say_why_they_refuse_it(
    call: tuple[str, ...], message: str
) -> None:
    ran = command(*call, "--exclude", "own")
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err


def test_saved_scores_stay_as_they_are_and_that_is_said(tmp_path: Path) -> None:
    note = "--exclude has no effect on saved scores"
    for name, options in (("plain", ()), ("without", ("--exclude", "own"))):
        for run in ("a", "b"):
            path = tmp_path / f"{name}-{run}.json"
            command("-q", "-m", "map", *options, "--format", "json", QRELS, RUN, "--output", path)
    for name, is_said in (("plain", True), ("without", False)):
        paths = [tmp_path / f"{name}-{run}.json" for run in "ab"]
        ran = command("compare", "--exclude", "own", *paths)
        assert ran.code == 0
        assert (note in ran.err + ran.out.decode()) == is_said


TIES = ("docid-desc", "docid-asc", "input", "optimistic", "pessimistic", "average")
ANY_MEASURES = (
    *("official", "ndcg_cut", "relstring", "unj", "nDCG@5", "ERR@3", "RBP(p=0.8)", "Bpref", "INST"),
    *("Compat(p=0.9)", "Q", "Judged@4", "SetF(beta=2)", "infAP"),
)


def _with_garbage(make: Callable[..., Any]) -> Callable[..., Any]:
    """The same array, of which all is garbage that nothing was written to."""

    def garbage(*args: Any, **fields: Any) -> Any:
        array = make(*args, **fields)
        kind = array.dtype.kind
        array.fill(np.iinfo(array.dtype).max - 9 if kind in "iu" else kind == "b" or np.nan)
        return array

    return garbage


def _runs_that_lose_topics(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, Any], Any]:
    """Judgments, a run in any order with ties, and what is left out of it: whole topics, too."""
    r = random.Random(seed)
    topics = [f"q{number}" for number in range(r.randint(2, 6))]
    documents = [*topics, *(f"d{number}" for number in range(12))]
    qrels = {t: {d: r.randint(-1, 3) for d in r.sample(documents, 4)} for t in topics}
    run = {}
    for topic in [*r.sample(topics, len(topics)), "other"]:
        retrieved = r.sample(documents, r.choice((1, 2, 7, 12)))
        run[topic] = {d: float(r.randint(0, r.choice((1, 3, 99)))) for d in retrieved}
    listed = {t: {*r.sample([*run[t]], r.randint(0, len(run[t])))} for t in r.sample(topics, 2)}
    listed[topics[0]] = set(run[topics[0]])
    return qrels, run, listed


@examples(5)
@given(st.integers(0, 10_000), st.sampled_from(TIES))
def test_all_scores_are_those_of_the_run_without_these_lines(seed: int, ties: Any) -> None:
    """Also where nothing is left of a topic, and no array is read before it is written."""
    qrels, run, listed = _runs_that_lose_topics(seed)
    filtered = {
        topic: {d: s for d, s in docs.items() if d != topic and d not in listed.get(topic, ())}
        for topic, docs in run.items()
    }
    filtered = {topic: docs for topic, docs in filtered.items() if docs}
    assume(set(filtered) & set(qrels))
    measures = [m for m in ANY_MEASURES if ties in TIES[:3] or m not in ("infAP", "relstring")]
    choices: dict[str, Any] = {"ties": ties, "topics": "qrels"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irev.IrevWarning)
        expected = irev.evaluate(qrels, filtered, measures, **choices)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(np, "empty", _with_garbage(np.empty))
            patch.setattr(np, "empty_like", _with_garbage(np.empty_like))
            scores = irev.evaluate(qrels, run, measures, exclude=["own", listed], **choices)
    assert scores.per_topic() == expected.per_topic()
    assert scores.summary() == expected.summary()


def test_the_only_judged_topic_of_a_run_loses_all() -> None:
    """What is not judged stays, and there is no first document to look at."""
    run = {"q0": {"x": 1, "y": 2}, "q1": {"q1": 1}}
    assert irev.evaluate({"q1": {"a": 1}}, run, "AP", exclude="own").summary() == {"AP": 0}
