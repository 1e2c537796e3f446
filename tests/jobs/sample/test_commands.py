"""`irev pool` and `irev sample` as a user calls them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from irev.cli.commands import irev
from tests.each import for_each

RUNS = {
    "one.run": [("q1", "a"), ("q1", "b"), ("q1", "c"), ("q2", "x"), ("q2", "y")],
    "two.run": [("q1", "c"), ("q1", "d"), ("q2", "y"), ("q2", "z")],
}
QRELS = "".join(
    f"{topic} 0 {document} {grade}\n"
    for topic, grades in {
        "q1": {"a": 2, "b": 0, "c": 1, "d": 0, "far": 1},
        "q2": {"x": 1, "y": 0, "z": 0},
    }.items()
    for document, grade in grades.items()
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS, encoding="utf-8")
    for name, rows in RUNS.items():
        lines = [f"{t} Q0 {d} 0 {-n} tag\n" for n, (t, d) in enumerate(rows)]
        Path(name).write_text("".join(lines), encoding="utf-8")
    return tmp_path


def call(*arguments):
    """(exit code, stdout, stderr); an error of the program's own is its text."""
    outcome = CliRunner().invoke(irev, list(arguments))
    return outcome.exit_code, outcome.stdout, outcome.stderr


def rows(text):
    return [tuple(line.split()) for line in text.splitlines()]


# --- sample --------------------------------------------------------------------------------------


def test_a_sample_keeps_every_line_and_some_grades():
    code, out, err = call("sample", "qrels", "--rate", "50%", "--seed", "7")

    assert code == 0
    given = {line[::2]: line[3] for line in rows(QRELS)}
    found = {line[::2]: line[3] for line in rows(out)}
    assert found.keys() == given.keys()
    assert rows(out) == sorted(rows(out), key=lambda line: line[::2])
    # 2.5 and 1.5, half up
    kept = [pair for pair, grade in found.items() if grade != "-1"]
    assert sorted(topic for topic, _ in kept) == ["q1"] * 3 + ["q2"] * 2
    assert all(found[pair] == given[pair] for pair in kept)
    assert "5 of 8 judged documents kept" in err


def test_several_samples_are_those_drawn_one_by_one():
    one = ("sample", "qrels", "--rate", "50%", "--seed", "7")
    code, out, err = call(*one, "--replicate", "2", "--repeat", "3", "--output", "thin.qrels")
    assert (code, out) == (0, "")
    assert [path.name for path in sorted(Path().glob("thin*"))] == [
        "thin-2.qrels", "thin-3.qrels", "thin-4.qrels"
    ]  # fmt: skip
    for number in (2, 3, 4):
        alone = call(*one, "--replicate", str(number))[1]
        assert Path(f"thin-{number}.qrels").read_text(encoding="utf-8") == alone
        assert f"thin-{number}.qrels: " in err
    code, out, err = call(*one, "--repeat", "3")
    assert (code, out, "--output FILE" in err) == (2, "", True)


def test_strata_are_the_ranks_of_the_runs():
    code, out, err = call(
        "sample", "qrels", "one.run", "two.run", "--rate", "1=100%,2-5=50%", "--format", "strata"
    )

    assert code == 0
    # best ranks: a 1, b 2, c 1, d 2; x 1, y 1, z 2; nobody retrieved far
    assert [line[2:4] for line in rows(out)] == [
        ("a", "1"), ("b", "2-5"), ("c", "1"), ("d", "2-5"),
        ("x", "1"), ("y", "1"), ("z", "2-5"),
    ]  # fmt: skip
    grades = {line[2]: line[4] for line in rows(out)}
    assert (grades["a"], grades["c"], grades["x"], grades["y"]) == ("2", "1", "1", "0")
    assert sorted((grades["b"], grades["d"])) == ["-1", "0"]
    assert "1 judged document, 1 of them relevant, is in no stratum" in err


def test_strata_with_an_open_end_hold_what_nobody_retrieved():
    _, out, _ = call("sample", "qrels", "one.run", "--rate", "1=1,2-=100%", "--format", "strata")

    strata = {line[2]: line[3] for line in rows(out)}
    assert (strata["a"], strata["d"], strata["far"]) == ("1", "2-", "2-")


def test_budgets_of_a_number_and_of_a_file():
    Path("budgets").write_text("# topic, judgments\nq1 2\nq2 1\n", encoding="utf-8")

    _, fixed, _ = call("sample", "qrels", "--budget", "2")
    _, by_topic, _ = call("sample", "qrels", "--budget", "budgets")

    assert [line[0] for line in rows(fixed) if line[3] != "-1"] == ["q1", "q1", "q2", "q2"]
    assert [line[0] for line in rows(by_topic) if line[3] != "-1"] == ["q1", "q1", "q2"]


def test_a_budget_of_no_documents():
    Path("budgets").write_text("q1 0\nq2 1\n", encoding="utf-8")

    code, out, _ = call("sample", "qrels", "--budget", "budgets")

    assert code == 0
    assert [line[0] for line in rows(out) if line[3] != "-1"] == ["q2"]
    Path("budgets").write_text("q1 -1\nq2 1\n", encoding="utf-8")
    assert call("sample", "qrels", "--budget", "budgets")[0] == 2


def test_a_budget_beyond_all_numbers_keeps_all():
    Path("budgets").write_text(f"q1 {10**30}\nq2 {10**30}\n", encoding="utf-8")
    everything = call("sample", "qrels", "--rate", "100%")[1]

    assert call("sample", "qrels", "--budget", "budgets")[:2] == (0, everything)
    assert call("sample", "qrels", "--budget", 10**30)[:2] == (0, everything)


def test_buckley_and_voorhees_take_lines_away():
    _, out, _ = call("sample", "qrels", "--by", "buckley-voorhees", "--rate", "40%")

    # of q1 floor(.4 * 3) of 3 relevant ones and both others, of q2 the relevant one and both others
    assert [line[0] for line in rows(out)] == ["q1"] * 3 + ["q2"] * 3
    assert "-1" not in [line[3] for line in rows(out)]


def test_a_reduced_collection_leaves_documents_out_of_runs():
    call("sample", "qrels", *RUNS, "--by", "collection", "--rate", "50%", "--output", "kept")
    code, out, _ = call(
        "sample", "qrels", *RUNS, "--by", "collection", "--rate", "50%", "--runs-to", "small"
    )

    kept = Path("kept").read_text(encoding="utf-8").split()
    assert len(kept) == 4  # of a b c d far x y z
    assert (code, out) == (0, "")
    for name, lines in RUNS.items():
        expected = [line for line in lines if line[1] in kept]
        assert [
            line[::2][:2] for line in rows(Path("small", name).read_text(encoding="utf-8"))
        ] == expected


def test_a_sample_feeds_the_evaluation():
    call("sample", "qrels", "--rate", "50%", "--output", "thin")

    code, out, _ = call("-m", "infAP", "-m", "num_rel", "thin", "one.run")

    assert code == 0
    assert "infAP" in out


@for_each(
    "arguments",
    [
        ("qrels",),
        ("qrels", "--rate", "120%"),
        ("qrels", "--rate", "1-5=10%"),
        ("qrels", "one.run", "--rate", "10%"),
        ("qrels", "--rate", "10%", "--budget", "3"),
        ("qrels", "--by", "strata", "--rate", "10%"),
        ("qrels", "--by", "budget"),
        ("qrels", "--budget", "0"),
        ("qrels", "--by", "buckley-voorhees", "--rate", "10%", "--format", "strata"),
        ("qrels", "--rate", "10%", "--runs-to", "x"),
        ("qrels", "--rate", "10%", "--output", "qrels"),
        ("qrels", "one.run", "--by", "collection", "--rate", "10%", "--runs-to", "."),
    ],
)
def test_samples_that_make_no_sense(arguments):
    before = Path("qrels").read_text(encoding="utf-8")

    code, out, err = call("sample", *arguments)

    assert (code, out) == (2, "")
    assert "error" in err
    assert Path("qrels").read_text(encoding="utf-8") == before


LAYOUTS = {
    "ranks": (("-T", "msmarco"), "{t}\t{d}\t{n}\n"),
    "ranks and scores": (("-T", "msmarco"), "{t} {d} {n} -{n}.5\n"),
    "no tag": ((), "{t} Q0 {d} 0 -{n}.5\n"),
    "scores": ((), "{t} {d} -{n}.5\n"),
}


@pytest.mark.parametrize(("more", "line"), LAYOUTS.values(), ids=LAYOUTS)
def test_runs_of_other_layouts_are_sampled(more, line):
    strata = ("sample", "qrels", *RUNS, "--rate", "1-2=50%,3-=100%")
    reduced = ("sample", "qrels", *RUNS, "--by", "collection", "--rate", "50%", "--runs-to")
    expected = [call(*strata), call(*reduced, "small")]
    assert [code for code, _, _ in expected] == [0, 0]
    for name, pairs in RUNS.items():
        lines = [line.format(t=t, d=d, n=n) for n, (t, d) in enumerate(pairs, 1)]
        Path(name).write_text("".join(lines), encoding="utf-8")
    assert [call(*strata, *more), call(*reduced, "other", *more)] == expected
    place = line.split().index("{d}")
    for name in RUNS:
        stay = [
            (fields[0], fields[2])
            for fields in rows(Path("small", name).read_text(encoding="utf-8"))
        ]
        found = rows(Path("other", name).read_text(encoding="utf-8"))
        assert [(fields[0], fields[place]) for fields in found] == stay
        assert len(found) < len(RUNS[name])


# --- pool ----------------------------------------------------------------------------------------


def test_a_pool_from_list_to_qrels():
    code, out, err = call(
        "pool", *RUNS, "--sample", "1=100%,2=50%", "--seed", "7", "--output", "list",
        "--report", "report",
    )  # fmt: skip

    assert (code, out) == (0, "")
    assert "one: 4 documents, 3 of them from no other run" in err
    # q1 to depth 2: a 1, b 2 | c 1, d 2; q2: x 1, y 2 | y 1, z 2
    listed = rows(Path("list").read_text(encoding="utf-8"))
    assert len(listed) == 6  # a c x y, one of b d, and z
    assert {("q1", "a"), ("q1", "c"), ("q2", "x"), ("q2", "y"), ("q2", "z")} < set(listed)
    design = json.loads(Path("list.design.json").read_text(encoding="utf-8"))
    assert [run["unique"] for run in design["runs"]] == [3, 3]
    assert rows(Path("report").read_text(encoding="utf-8"))[-2:] == [
        ("q2", "y", "1", "2", "one", "two"),
        ("q2", "z", "2", "1", "two"),
    ]

    Path("judged").write_text("".join(f"{t} 0 {d} 1\n" for t, d in listed), encoding="utf-8")
    code, out, err = call(
        "pool", "--judgments", "judged", "--design", "list.design.json", "--format", "strata"
    )
    assert (code, err) == (0, "")
    strata = [("a", "1"), ("b", "2"), ("c", "1"), ("d", "2"), ("x", "1"), ("y", "1"), ("z", "2")]
    assert [line[2:4] for line in rows(out)] == strata
    left = {line[2] for line in rows(out) if line[4] == "-1"}
    assert left == {"b", "d"} - {document for _, document in listed}


@pytest.mark.parametrize("job", [(), ("--leave-out", "qrels")])
def test_pools_of_runs_of_ms_marco(job):
    """Of the first run, its rank in the third field."""
    expected = call("pool", "--depth", "2", *job, "one.run", "two.run")
    lines = [f"{t}\t{d}\t{n}\n" for n, (t, d) in enumerate(RUNS["one.run"], 1)]
    Path("one.run").write_text("".join(lines), encoding="utf-8")
    lines = [f"{t}\t{d}\t{n}\n" for n, (t, d) in enumerate(RUNS["two.run"], 1)]
    Path("two.run").write_text("".join(lines), encoding="utf-8")

    assert expected[0] == 0
    assert call("pool", "--depth", "2", "-T", "msmarco", *job, "one.run", "two.run") == expected
    assert call("pool", "--judgments", "qrels", "--design", "no", "-T", "msmarco")[0] == 2


def test_judgments_beside_the_plan_are_told():
    call("pool", "one.run", "--depth", "2", "--output", "list")
    Path("judged").write_text("q1 0 a 1\nq1 0 z 1\n", encoding="utf-8")
    arguments = ("pool", "--judgments", "judged", "--design", "list.design.json")

    code, out, err = call(*arguments)

    assert code == 0
    assert [line[3] for line in rows(out)] == ["1", "-1", "-1", "-1"]
    assert "3 documents that were to be judged have no grade" in err
    assert "1 judged document is not in the pool" in err
    assert call(*arguments, "--strict")[:2] == (2, "")


def test_leaving_runs_out():
    Path("groups").write_text("one.run ours\ntwo.run ours\n", encoding="utf-8")
    arguments = ("pool", "--leave-out", "--depth", "2", "-m", "map", "qrels", *RUNS)

    _, out, _ = call(*arguments, "--format", "json")
    _, together, _ = call(*arguments, "--groups", "groups")

    one = json.loads(out)["runs"][0]
    # q1: a and c at ranks 1 and 3 of 3 relevant ones, q2: x at 1; only one.run has a, b and x
    assert (one["judged"], one["relevant"]) == (3, 2)
    assert one["measures"]["map"]["score"] == pytest.approx((5 / 9 + 1) / 2)
    # c at 3 of c and far
    assert one["measures"]["map"]["left_out"] == pytest.approx((1 / 6 + 0) / 2)
    assert [line.split()[:5] for line in together.splitlines()[1:3]] == [
        ["one", "ours", "7", "3", "map"],
        ["two", "ours", "7", "3", "map"],
    ]


@for_each(
    "arguments",
    [
        (),
        ("one.run", "--sample", "10%"),  # nowhere for the design
        ("one.run", "--leave-out"),
        ("one.run", "--judgments", "qrels"),
        ("--judgments", "qrels"),
        ("--judgments", "qrels", "--design", "qrels"),
        ("one.run", "-m", "map"),
        ("one.run", "--sample", "1-3=10%,5-9=10%", "--design", "d"),
        ("one.run", "--output", "one.run"),
        ("qrels", "one.run", "--leave-out", "--seed", "3"),
        ("qrels", "one.run", "--leave-out", "--format", "strata"),
        ("qrels", "one.run", "--leave-out", "--groups", "qrels"),
    ],
)
def test_pools_that_make_no_sense(arguments):
    code, out, err = call("pool", *arguments)

    assert (code, out) == (2, "")
    assert err
