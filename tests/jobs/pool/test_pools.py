"""Pools against hand calculation and against their definition spelled out with dictionaries."""

import json
import math
import random

import numpy as np
import pytest

import irev
from irev.engine.prepared_judgments import read_judgments
from irev.engine.score_runs import make_pool, unique_documents
from irev.errors import InputError, IrevWarning
from irev.jobs.pool.leave_one_out import leave_one_out
from irev.jobs.pool.pool import judging_list, make_plan, parse_strata, plan_grades
from irev.options import Options
from irev.rank.ranking import RankingRule
from tests.command import irev as command

A = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 1.0}}
B = {"q1": {"b": 9.0, "d": 9.0, "a": 1.0}}
C = {"q1": {"c": 1.0, "e": 0.5}, "q3": {"z": 1.0}}


def as_pairs(pool):
    return [
        (pool.topics[topic].decode(), document.decode())
        for topic, document in zip(pool.topic, pool.docs.to_list(), strict=True)
    ]


def test_a_small_pool():
    # q1 to depth 2: A has a b; B, equal scores by falling id, d b; C has c e
    pool = make_pool([A, B, C], 2)

    expected = [("q1", d) for d in "abcde"] + [("q2", "a"), ("q3", "z")]
    assert as_pairs(pool) == expected
    assert pool.best_rank.tolist() == [1, 2, 1, 1, 2, 1, 1]
    assert np.diff(pool.start).tolist() == [1, 2, 1, 1, 1, 1, 1]
    assert pool.num_contributed.tolist() == [3, 2, 3]
    assert pool.sole_run.tolist() == [0, -1, 2, 1, 2, 0, 2]
    assert unique_documents(pool) == [2, 1, 3]
    assert pool.sole_group(np.array([0, 0, 1])).tolist() == [0, 0, 1, 0, 1, 0, 1]


def test_other_orders():
    # B by rising id: b d; in the order of the lines too
    assert make_pool([B], 1, RankingRule(ids_rising=True)).docs.to_list() == [b"b"]
    assert make_pool([B], 1).docs.to_list() == [b"d"]


def test_no_id_forges_a_line_of_the_list(tmp_path):
    """Ids of tables may hold what parts fields and lines, and runs come from strangers."""
    for document in ("d2\n2 d9", "d 2", "d2\t"):
        run = tmp_path / "x.json"
        run.write_text(json.dumps({"1": {"d1": 2.0, document: 1.0}}))
        ran = command("pool", "--output", tmp_path / "list.txt", run)
        assert ran.code == 2
        assert "holds a blank or a line break" in ran.err.splitlines()[-1]
        assert [*tmp_path.iterdir()] == [run]


def test_duplicates_are_refused(tmp_path):
    run = tmp_path / "run"
    run.write_text("q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n")

    with pytest.raises(InputError, match="duplicate document"):
        make_pool([run], 10)


@pytest.mark.parametrize("depth", [1, 5, 30, None])
def test_pools_are_their_definition(depth):
    draw = random.Random(4)
    runs = []
    for _ in range(6):
        topics = draw.sample([f"q{n}" for n in range(8)], 6)
        runs.append(
            {
                t: {f"d{draw.randrange(60)}": float(draw.randrange(9)) for _ in range(25)}
                for t in topics
            }
        )
    best: dict[tuple[str, str], int] = {}
    who: dict[tuple[str, str], list[int]] = {}
    for number, run in enumerate(runs):
        for topic, scores in run.items():
            by_rank = sorted(((score, d) for d, score in scores.items()), reverse=True)
            for rank, (_, document) in enumerate(by_rank[:depth], 1):
                pair = (topic, document)
                best[pair] = min(rank, best.get(pair, rank))
                who.setdefault(pair, []).append(number)

    pool = make_pool(runs, depth)

    assert as_pairs(pool) == sorted(best)
    assert pool.best_rank.tolist() == [best[pair] for pair in sorted(best)]
    entries = [pool.run[a:b].tolist() for a, b in zip(pool.start, pool.start[1:], strict=False)]
    assert entries == [who[pair] for pair in sorted(best)]


def test_best_ranks_of_judgments():
    judged = {"q1": {"a": 1, "e": 0, "nowhere": 1}, "q9": {"a": 1}}
    qrels = read_judgments(judged, "qrels", [], Options(), 1).qrels

    found = dict(
        zip(qrels.docs.to_list(), make_pool([A, B, C], 2).best_ranks_of(qrels), strict=True)
    )

    assert sorted(found) == [b"a", b"e", b"nowhere"]
    assert found[b"e"] == 2
    assert found[b"nowhere"] == 0


def test_a_plan_and_its_judgments():
    run = {"q1": {f"d{n:02}": 100.0 - n for n in range(30)}}
    planned = make_plan(make_pool([run], 30), parse_strata("1-10=100%,11-30=20%"), 7)

    assert np.bincount(planned.stratum).tolist() == [10, 20]
    assert np.bincount(planned.stratum[planned.to_judge]).tolist() == [10, 4]
    listed = [line.split()[1] for line in judging_list(planned)]
    chosen = [d for d, c in zip(planned.docs.to_list(), planned.to_judge, strict=True) if c]
    assert sorted(listed) == chosen
    assert listed != chosen  # in an order of its own

    grades = {document.decode(): 1 for document in listed[1:]} | {"foreign": 1}
    unasked = next(d for d in run["q1"] if d.encode() not in chosen)
    judgments = {"q1": {**grades, unasked: 1}}
    done = plan_grades(planned, read_judgments(judgments, "qrels", [], Options(), 1).qrels)
    assert (done.num_missing, done.num_unplanned, done.num_unpooled) == (1, 1, 1)
    assert (done.grade >= 0).sum() == 13


def test_left_out_runs_lose_what_only_they_brought(tmp_path):
    # A alone brings a (relevant), both bring b; B alone brings c
    lines = {
        "qrels": "q1 0 a 1\nq1 0 b 1\nq1 0 c 0\nq2 0 a 1\n",
        "A": "q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 a 1 1 t\n",
        "B": "q1 Q0 c 1 2 t\nq1 Q0 b 2 1 t\n",
    }
    for name, text in lines.items():
        (tmp_path / name).write_text(text)
    paths = [str(tmp_path / name) for name in ("A", "B")]

    qrels = str(tmp_path / "qrels")
    with pytest.warns(IrevWarning, match="B lacks 1 of 2"):
        left_out = leave_one_out(qrels, paths, "map", depth=2)

    # q1: (1 + 1)/2, q2: 1; without a: q1 (1/2)/1, q2 nothing judged is left, and it counts as 0
    counts = [(run.name, run.num_judged, run.num_relevant) for run in left_out.runs]
    assert counts == [("A", 2, 2), ("B", 1, 0)]
    assert [next(run.score_pairs())[1:] for run in left_out.runs] == [(1.0, 0.25), (0.125, 0.125)]

    groups = {"A": "both", "B": "both"}
    with pytest.warns(IrevWarning, match="B lacks 1 of 2"):
        together = leave_one_out(qrels, paths, "map", depth=2, groups=groups)
    assert [next(run.score_pairs())[2] for run in together.runs] == [0.0, 0.0]
    assert together.to_frame()["group"].tolist() == ["both", "both"]
    with pytest.warns(IrevWarning, match="B lacks 1 of 2"):
        apart = leave_one_out(qrels, paths, "map", groups={"C": "both"})
    assert [run.group for run in apart.runs] == ["A", "B"]
    assert [notice.message for notice in apart.warnings if notice.is_note][:2] == [
        "without a group, each by itself: A, B",
        "in the list of groups, but not among the runs: C",
    ]


def write_runs(folder, documents_by_run, relevant):
    """Runs on one topic; documents that do not begin with `u` are judged."""
    folder.mkdir()
    for name, documents in documents_by_run.items():
        ranked = enumerate(documents, 1)
        text = "".join(f"q1 Q0 {document} {rank} {-rank} t\n" for rank, document in ranked)
        (folder / f"{name}.run").write_text(text)
    judged = {d for each in documents_by_run.values() for d in each if not d.startswith("u")}
    rows = (f"q1 0 {document} {int(document in relevant)}\n" for document in sorted(judged))
    qrels = folder.parent / "qrels"
    qrels.write_text("".join(rows))
    return qrels


def test_summary_of_what_runs_owe_to_their_contributions(tmp_path):
    # P@2: A 1, B .5, C .5. A alone brings both its documents, C alone one that is not relevant, and
    # B no judged one. Without theirs A has 0, C .5
    runs = {"A": ["a", "b"], "B": ["c", "u1"], "C": ["c", "n"]}
    qrels = write_runs(tmp_path / "runs", runs, {"a", "b", "c"})
    result = leave_one_out(qrels, tmp_path / "runs", "P@2", depth=2)
    (summary,) = result.summary
    assert (summary.num_runs, summary.tau) == (3, -1.0)
    assert [(p.run, p.place, p.place_left_out) for p in summary.places] == [
        ("A", 1, 3),
        ("C", 2, 2),
    ]
    assert summary.largest_score_drop == summary.places[0]
    assert [(p.run, p.places_lost) for p in summary.most_hurt_run_of_each_group] == [("A", 2)]
    text = " ".join(result.text("table").split())
    assert "2 of 3 runs brought judged documents that no other group brought" in text
    assert (
        "P@2: Kendall's tau of the orders by score and by left_out: -1.0000; "
        "largest drop in score: A, -1.0000; largest drop in place: A, from 1 to 3 of 3"
    ) in text


def test_places_of_a_group_are_those_without_all_of_it(tmp_path):
    # without what the group brings all three runs have 0, and share the first place
    runs = {"A": ["a", "b"], "B": ["n", "u1"], "C": ["c", "u2"]}
    qrels = write_runs(tmp_path / "runs", runs, {"a", "b", "c"})
    groups = {"A": "t", "C": "t"}
    (summary,) = leave_one_out(qrels, tmp_path / "runs", "P@2", depth=2, groups=groups).summary
    assert [(p.run, p.place, p.place_left_out) for p in summary.places] == [
        ("A", 1, 1), ("B", 3, 3), ("C", 2, 1),
    ]  # fmt: skip
    assert summary.most_hurt_run_of_each_group == ()


def test_no_run_that_contributes_alone(tmp_path):
    qrels = write_runs(tmp_path / "runs", {"A": ["a"], "B": ["a"]}, {"a"})
    result = leave_one_out(qrels, tmp_path / "runs", "map num_ret", depth=2)
    (summary,) = result.summary  # num_ret has no mean
    assert (summary.places, summary.largest_score_drop, summary.most_hurt_run_of_each_group) == (
        (),
        None,
        (),
    )
    assert math.isnan(summary.tau)
    assert result.to_dict()["summary"][0]["tau"] is None
    assert "left_out: -; no score gets worse" in " ".join(result.text("table").split())


def test_a_folder_stands_for_its_files(tmp_path):
    folder = tmp_path / "runs"
    write_runs(folder, {"A": ["a", "b"], "B": ["a", "c"]}, {"a"})
    files = [str(folder / "A.run"), str(folder / "B.run")]
    assert irev.pool(folder).text() == irev.pool(files).text()
    assert irev.pool([folder]).design == irev.pool(files).design
    ran = command("pool", folder)
    assert ran.out == command("pool", *files).out
    assert len(ran.out.splitlines()) == 3
    refused = command("pool", "--output", files[0], folder)
    assert refused.code == 2
    assert "would overwrite an input file" in refused.err
    (folder / "bad").write_text("garbage\n")
    broken = command("pool", folder)
    assert (broken.code, broken.out) == (2, b"")
    assert "bad" in broken.err
