"""`irev leaderboard` as a user calls it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from irev.cli.commands import irev
from tests.files import SAMPLE
from tests.pages import without_code

QRELS = str(SAMPLE / "qrels.txt")

# trec_eval 10's scores with -c, as sample_data/README.md has them
MAP = {"fusion": 0.7361, "dense": 0.4836, "rm3": 0.4385, "bm25": 0.3501}
NDCG = {"fusion": 0.8672, "dense": 0.5882, "rm3": 0.5834, "bm25": 0.5086}


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """A directory with the sample's runs, from which the command is called."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "runs"
    folder.mkdir()
    for name in ("bm25.run", "rm3.run", "fusion.run", "dense.run.gz"):
        shutil.copy(SAMPLE / name, folder)
    return folder


def call(*arguments):
    """(exit code, stdout, stderr)."""
    outcome = CliRunner().invoke(irev, ["leaderboard", *map(str, arguments)])
    if outcome.exception is not None and not isinstance(outcome.exception, SystemExit):
        return 2, outcome.stdout, str(outcome.exception)
    return outcome.exit_code, outcome.stdout, outcome.stderr


def boards(*arguments):
    code, out, err = call(*arguments, "--format", "json", "--resamples", "300")
    assert code == 0, err
    return [board for track in json.loads(out)["leaderboard"] for board in track["boards"]]


def test_a_run_that_was_named_must_be_there(runs):
    code, out, _ = call("-m", "map", QRELS, runs, "rm3.runn")
    assert code == 2
    assert "rm3.runn: the file cannot be opened" in out
    (runs / "bad.run").write_text("garbage\n")
    assert call("-m", "map", QRELS, runs)[0] == 0


def means(board, measure):
    return {run["run"]: round(run["measures"][measure]["value"], 4) for run in board["runs"]}


def spoil(folder):
    """Submissions that cannot be scored."""
    (folder / "a_fields.run").write_text("1 Q0 d1 1 0.5 t\n1 Q0 d2 2 high t\n")
    (folder / "b_empty.run").touch()
    (folder / "c_cut.run.gz").write_bytes(gzip.compress(b"1 Q0 d 1 1 t\n" * 99)[:30])
    (folder / "d_binary").write_bytes(bytes(range(256)))
    twice = (folder / "rm3.run").read_bytes()
    first = twice.splitlines(keepends=True)[0]
    (folder / "e_twice.run").write_bytes(twice + first)
    (folder / "f_other.run").write_text("no-such-topic Q0 d 1 1 t\n")


def test_the_runs_of_a_directory_in_order(runs):
    [board] = boards(QRELS, runs, "-m", "map", "-m", "ndcg_cut.10")
    assert [run["run"] for run in board["runs"]] == ["fusion", "dense", "rm3", "bm25"]
    assert [run["place"] for run in board["runs"]] == [1, 2, 3, 4]
    assert means(board, "map") == MAP
    assert means(board, "ndcg_cut_10") == NDCG
    assert (board["by"], board["averaged_over"], board["family"]) == ("map", 12, 6)
    assert board["runs"][1]["missing"] == ["20"]


def test_the_first_measure_orders_unless_another_is_named(runs):
    assert boards(QRELS, runs, "-m", "ndcg_cut.10", "-m", "map")[0]["by"] == "ndcg_cut_10"
    assert boards(QRELS, runs, "-m", "map", "-m", "P.5,10", "--by", "P.10")[0]["by"] == "P_10"
    assert boards(QRELS, runs)[0]["by"] == "map"
    # the highest grade is added once the judgments are known
    [board] = boards(QRELS, runs, "-m", "RBP(p=0.5)@10", "-m", "RBP(p=0.8)@10", "-m", "map")
    assert board["by"] == "RBP(p=0.5,gain=linear,max=3)@10"
    code, _, err = call(QRELS, runs, "-m", "map", "--by", "P_5")
    assert (code, "the runs have map" in err) == (2, True)


@pytest.mark.parametrize("measures", ["gm_map", "map,gm_map"])
def test_a_measure_without_values_by_topic_orders_nothing(runs, measures):
    code, out, err = call(QRELS, runs, "-m", measures, "--by", "gm_map")
    assert (code, out) == (2, "")
    assert "no measure with values by topic to compare runs by: gm_map; name another" in err


def test_a_measure_that_no_column_shows_is_named(runs):
    code, _, err = call(QRELS, runs, "-m", "map,gm_map")
    assert code == 0
    assert "irev: warning: gm_map has no values by topic to compare runs by, and is left" in err


def test_broken_submissions_do_not_stop_the_others(runs):
    spoil(runs)
    code, out, err = call(QRELS, runs, "-m", "map", "--details")
    assert code == 0
    assert "4 scored, 6 could not be scored" in err
    reported = out[out.index("6 submissions could not be scored") :].splitlines()[1:]
    assert [line.partition(": ")[0] for line in reported] == [
        f"{runs}/{place}"
        for place in (
            "a_fields.run:2", "b_empty.run", "c_cut.run.gz", "d_binary:1", "e_twice.run:651",
            "f_other.run",
        )
    ]  # fmt: skip
    assert all(line in err for line in reported)
    # of topics that every run has no warning is told
    assert call(QRELS, runs, "-m", "map", "--topics", "both", "--strict")[0] == 1
    for form in ("csv", "json", "markdown", "latex", "html"):
        assert "e_twice.run" in call(QRELS, runs, "-m", "map", "--format", form)[1].replace(
            "\\", ""
        )


def test_nothing_that_can_be_scored(runs):
    (runs / "only").mkdir()
    (runs / "only" / "bad.run").write_text("what\n")
    code, out, err = call(QRELS, runs / "only")
    assert (code, out) == (2, "")
    assert "bad.run:1:" in err
    (runs / "only" / "worse.run").write_text("no-such-topic Q0 d 1 1 t\n")
    code, out, err = call(QRELS, runs / "only")
    assert (code, out) == (2, "")
    assert "bad.run:1:" in err
    assert "worse.run: " in err


def test_what_is_read_is_not_written_over(runs):
    Path("teams").write_text("bm25 a\n", encoding="utf-8")
    for read, *arguments in (
        (runs / "bm25.run", "--output"),
        ("teams", "--teams", "teams", "--output"),
        ("teams", "--teams", "teams", "--anonymous", "--key"),
        ("teams", "--public", "teams", "--output"),
        ("teams", "--topics", "teams", "--output"),
    ):
        before = Path(read).read_bytes()
        code, out, err = call(QRELS, runs, "-m", "map", *arguments, read)
        assert (code, out) == (2, "")
        assert f"{read} would overwrite an input file" in err
        assert Path(read).read_bytes() == before


def test_repeated_documents_are_shown(runs):
    spoil(runs)
    arguments = (QRELS, runs / "e_twice.run", runs / "bm25.run", "-m", "map")
    [board] = boards(*arguments, "--duplicates", "first")
    repaired = board["runs"][0]
    assert (repaired["run"], repaired["repeated"]) == ("e_twice", 1)
    assert means(board, "map")["e_twice"] == MAP["rm3"]
    assert "dup:first/1" in repaired["signature"]["short"]
    out = call(*arguments, "--duplicates", "first", "--details")[1]
    assert "e_twice: 1 repeated line left out" in out


def test_runs_are_called_by_their_files(runs):
    shutil.copy(runs / "rm3.run", runs / "again.run")
    shutil.copy(runs / "rm3.run", runs / "again.txt")
    [board] = boards(QRELS, runs, "-m", "map")
    assert [(run["place"], run["run"]) for run in board["runs"]] == [
        (1, "fusion"), (2, "dense"), (3, "again.run"), (3, "again.txt"), (3, "rm3"), (6, "bm25"),
    ]  # fmt: skip
    assert {run["runid"] for run in board["runs"][2:5]} == {"rm3"}
    assert call(QRELS, runs, "-m", "map", "--names", "tag")[0] == 2


def test_teams(runs):
    Path("teams").write_text("bm25 one\nrm3 one\ndense two\nlost two\n", encoding="utf-8")
    code, _, err = call(QRELS, runs, "-m", "map", "--teams", "teams")
    assert code == 0
    assert "without a team: fusion" in err
    assert "not on the board: lost" in err
    [board] = boards(QRELS, runs, "-m", "map", "--teams", "teams", "--best-per-team")
    assert [(run["run"], run["team"], run["runs_of_team"]) for run in board["runs"]] == [
        ("fusion", None, None),
        ("dense", "two", 1),
        ("rm3", "one", 2),
    ]
    # the best runs are of the six pairs of all four
    assert (board["family"], board["best_of_teams_among"]) == (6, 4)


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown", "latex", "html"])
def test_anonymous_boards_tell_no_name(runs, form):
    spoil(runs)
    Path("teams").write_text("bm25 kiwis\nrm3 herons\n", encoding="utf-8")
    options = ("-m", "map", "--teams", "teams", "--per-topic", "--anonymous", "--key", "key")
    code, out, err = call(QRELS, runs, *options, "--format", form)
    assert code == 0
    assert "not scored" in err
    out = without_code(out) + err
    for secret in (
        "fusion",
        "bm25",
        "rm3",
        "dense",
        "kiwis",
        "herons",
        ".run",
        str(runs),
        "d_binary",
    ):
        assert secret not in out
    assert "run-4" in out
    assert Path("key").read_text(encoding="utf-8").splitlines() == [
        "run-1\tfusion.run", "run-2\tdense.run.gz", "run-3\trm3.run", "run-4\tbm25.run",
        "team-1\therons", "team-2\tkiwis",
    ]  # fmt: skip


@pytest.mark.thorough
def test_the_key_is_whole_though_nobody_reads_the_board(runs):
    arguments = ["-m", "map", "--anonymous", "--key", "key", "--format", "csv", "--per-topic"]
    command = [sys.executable, "-m", "irev", "leaderboard", QRELS, "runs", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(SAMPLE.parent)}
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as stdout:
        done = subprocess.run(command, stdout=stdout, check=False, env=environment)
    assert done.returncode == 141
    assert len(Path("key").read_text(encoding="utf-8").splitlines()) == 4


@pytest.mark.long
def test_two_boards_at_once_give_nobody_a_name_of_another(tmp_path):
    """However long it takes the first to replace the key that the second is to read."""
    code = (
        "import os, sys, time\n"
        "from irev.cli import main\n"
        "replace = os.replace\n"
        "os.replace = lambda *paths: (time.sleep(0.3), replace(*paths))\n"
        "main()\n"
    )
    calls = []
    for name in ("anna", "bert"):
        (tmp_path / f"{name}.csv").write_text(f"topic,{name}\n1,0.5\n2,0.25\n")
        words = ["leaderboard", "--anonymous", "--key", "key", "--format", "csv", f"{name}.csv"]
        calls.append(
            subprocess.Popen(
                [sys.executable, "-c", code, *words], cwd=tmp_path, stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": str(SAMPLE.parent)},
            )
        )  # fmt: skip
    boards = [process.communicate()[0].decode() for process in calls]
    shown = [next(csv.DictReader(io.StringIO(board)))["run"] for board in boards]
    key = dict(
        line.split("\t") for line in (tmp_path / "key").read_text(encoding="utf-8").splitlines()
    )
    assert sorted(key) == sorted(shown) == ["run-1", "run-2"]
    assert [key[made_up].partition(".")[0] for made_up in shown] == ["anna", "bert"]


def test_public_and_private_topics(runs):
    Path("public").write_text("1\n2\n7\n", encoding="utf-8")
    public, private = boards(QRELS, runs, "-m", "map", "--public", "public", "--per-topic")
    assert (public["part"], public["averaged_over"]) == ("public", 3)
    assert (private["part"], private["averaged_over"]) == ("private", 9)
    assert [topic["topic"] for topic in public["topics"]] == ["1", "2", "7"]
    assert "t:listed/3" in public["signature"]["short"]
    both = [means(board, "map")["fusion"] for board in (public, private)]
    assert (3 * both[0] + 9 * both[1]) / 12 == pytest.approx(MAP["fusion"], abs=1e-4)

    out = call(QRELS, runs, "-m", "map", "--public", "public", "--only", "public", "--per-topic")[1]
    assert "private" not in out
    assert "007" not in out
    drawn = [boards(QRELS, runs, "-m", "map", "--public", "25%", "--seed", n)[0] for n in (1, 1)]
    assert drawn[0] == drawn[1]
    assert drawn[0]["averaged_over"] == 3


def test_classes_and_weights(runs):
    Path("classes").write_text("1 x\n2 x\n3 y\n", encoding="utf-8")
    Path("weights").write_text(
        "".join(f"{t} {int(t == '1')}\n" for t in _topics()), encoding="utf-8"
    )
    result = boards(QRELS, runs, "-m", "map", "--group-by", "classes")
    assert [(board["part"], board["averaged_over"]) for board in result] == [
        ("", 12), ("x", 2), ("y", 1),
    ]  # fmt: skip
    [weighted] = boards(QRELS, runs, "-m", "map", "--topic-weights", "weights", "--per-topic")
    for run in weighted["runs"]:
        assert run["measures"]["map"]["value"] == pytest.approx(run["topics"]["1"]["map"])


def _topics():
    return {line.split()[0] for line in Path(QRELS).read_text(encoding="utf-8").splitlines()}


def test_the_order_of_the_files_and_the_threads_change_nothing(runs):
    files = sorted(runs.iterdir())
    result = call(QRELS, *files, "--format", "json", "--threads", "1")
    assert result[0] == 0
    assert call(QRELS, *reversed(files), "--format", "json", "--threads", "3") == result


def test_csv_has_a_line_for_each_run(runs):
    spoil(runs)
    out = call(QRELS, runs, "-m", "map", "-m", "P.10", "--format", "csv")[1]
    table = pd.read_csv(io.StringIO(out))
    scored = table[table.error.isna()]
    assert dict(zip(scored["run"], scored["map"].round(4), strict=True)) == MAP
    assert (scored["map_low"] < scored["map"]).all()
    assert scored.signature.str.startswith("irev:").all()
    assert len(table) == 10
    assert table.error.iloc[4].startswith(f"{runs}/a_fields.run:2: ")
    rows = list(csv.DictReader(io.StringIO(call(
        QRELS, runs, "-m", "map", "--format", "csv", "--per-topic"
    )[1])))  # fmt: skip
    assert len(rows) == 4 * 12
    assert {row["topic"] for row in rows} == _topics()


def test_latex_and_markdown_escape_names(runs):
    shutil.copy(runs / "rm3.run", runs / "a_b|c&d.run")
    options = ("-m", "map")
    assert r"a\_b|c\&d" in call(QRELS, runs, *options, "--format", "latex")[1]
    assert r"a_b\|c&d" in call(QRELS, runs, *options, "--format", "markdown")[1]


def test_saved_scores_stand_beside_runs(runs):
    matrix = "topic,x,y\n" + "".join(f"{t},0.9,{n / 20}\n" for n, t in enumerate(sorted(_topics())))
    Path("map.csv").write_text(matrix, encoding="utf-8")
    [board] = boards("map.csv")
    assert [run["run"] for run in board["runs"]] == ["x", "y"]
    [board] = boards(QRELS, runs, "map.csv", "-m", "map", "--accept-scores")
    assert len(board["runs"]) == 6
    assert board["runs"][0]["run"] == "map:x"
    # unless they are asked for, submissions are runs
    result = call(QRELS, runs, "map.csv", "-m", "map")
    assert result[0] == 0
    assert "map.csv: these are saved scores, not a run" in result[1]
    assert "4 scored, 1 could not be scored" in result[2]


def test_wrong_calls(runs):
    before = sorted(os.listdir())
    for arguments in [
        (), ("runs",), (QRELS,), (QRELS, "nowhere"), (QRELS, "runs", "--best-per-team"),
        (QRELS, "runs", "--only", "public"), (QRELS, "runs", "--public", "2"),
        (QRELS, "runs", "--key", "key"), (QRELS, "runs", "--alpha", "1"),
        (QRELS, "runs", "--columns", "map=x"), (QRELS, "runs", "--config", "x.toml"),
        (QRELS, "runs/bm25.run", "--output", "runs/bm25.run"),
        (QRELS, "runs", "-m", "nosuch"),
    ]:  # fmt: skip
        code, out, err = call(*arguments)
        assert (code, out) == (2, ""), arguments
        assert err, arguments
        assert sorted(os.listdir()) == before, arguments


@pytest.mark.long
def test_no_more_is_imported_than_is_used(runs):
    for interval, test, absent in (
        ("t", "t", {"pandas", "matplotlib"}),
        ("percentile", "permutation", {"pandas", "matplotlib", "scipy"}),
    ):
        call_of = ["irev", "leaderboard", QRELS, "runs", "--format", "html"]
        program = "\n".join((
            "import sys",
            "from irev.cli import main",
            f"sys.argv = {[*call_of, '--ci', interval, '--test', test]!r}",
            "try:",
            "    main()",
            "except SystemExit:",
            "    print(*sys.modules, file=sys.stderr)",
        ))  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True,
            env={**os.environ, "PYTHONPATH": str(SAMPLE.parent)},
        )  # fmt: skip
        assert "</html>" in done.stdout
        assert absent.isdisjoint(done.stderr.split())


def test_a_key_with_a_number_of_many_digits_is_refused(runs):
    Path("key").write_text(f"run-{'9' * 5000}\tx.run\n", encoding="utf-8")
    arguments = ["leaderboard", "-m", "map", "--anonymous", "--key", "key", QRELS, "runs"]
    outcome = CliRunner().invoke(irev, arguments)
    assert outcome.exit_code == 2
    assert "key:1: this line does not belong in a key" in outcome.output


# --- The verdict first, three lines last ---


SAVED_PAIRS = {
    # differences of two runs, and what section by section is known of them: the verdict, p, the
    # ends of the 95% interval, the detectable difference, and the topics that 0.05 needs
    "better": (
        [0.10, 0.05, 0, 0.15, -0.05, 0.10, 0.20, 0.05, 0, 0.10],
        (0.016471, 0.016150, 0.123850, 0.074976, 20, 13, 41),
    ),
    "not decided": (
        [0.10, -0.20, 0.30, -0.10, 0.05, -0.05, 0.20, -0.15, 0.10, -0.05],
        (0.699114, -0.093359, 0.133359, 0.157831, 81, 51, 173),
    ),
}


@pytest.mark.parametrize("verdict", SAVED_PAIRS)
def test_the_verdict_on_the_best_two_stands_first(verdict, tmp_path):
    differences, known = SAVED_PAIRS[verdict]
    path = tmp_path / "scores.csv"
    rows = [f"a,{n},{0.4 + d}\nb,{n},0.4\n" for n, d in enumerate(differences)]
    path.write_text("run,topic,map\n" + "".join(rows))
    [board] = boards(path)
    found = board["verdict"]
    assert (found["verdict"], found["run"], found["against"]) == (verdict, "a", "b")
    names = ("p", "low", "high", "detectable", "topics_needed", "topics_needed_low")
    assert [found[name] for name in (*names, "topics_needed_high")] == pytest.approx(
        known, abs=1e-6
    )
    out = call(path)[1]
    first, table, last = (each.splitlines() for each in out.split("\n\n"))
    assert " ".join(first) == found["words"]
    assert (len(table), len(last)) == (4, 3)
    assert max(map(len, out.splitlines())) <= 80
    details = call(path, "--details")[1]
    assert details.startswith(found["words"] + "\n")
    assert "p: difference from the best run" in details


def test_what_stands_in_short_and_what_in_details(runs):
    arguments = (QRELS, runs, "-m", "map")
    out = call(*arguments)[1]
    head = out.split("\n\n")[1].splitlines()[0].split()
    assert head == ["place", "run", "map", "95%", "interval", "p", "w/t/l", "missing"]
    assert "0.0005 *" in out
    last = out.rstrip("\n").split("\n\n")[-1].splitlines()
    assert [line.split(":")[0] for line in last] == [
        "4 runs, 12 topics; topics that a run lacks count as 0",
        "p against the best",
        "w/t/l",
    ]
    assert re.search(r"signature irev:\S+@[0-9a-f]{8}$", last[-1])
    details = call(*arguments, "--details")[1]
    for words in ("95% places", "tied with best", "groups", "signature: irev:", "dense lacks 1 of"):
        assert words not in out
        assert words in details


def test_topics_stand_in_natural_order(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "a.run"
    topics = ["1", "10", "11", "2"]
    qrels.write_text("".join(f"{topic} 0 d 1\n" for topic in topics))
    run.write_text("".join(f"{topic} Q0 d 1 1 t\n" for topic in topics))
    out = call(qrels, run, "-m", "map", "--per-topic")[1]
    table = out.split("\n\n")[2].splitlines()[2:]
    assert [line.split()[0] for line in table] == ["1", "2", "10", "11"]


def test_anonymous_files_that_cannot_be_scored_have_numbers(runs):
    spoil(runs)
    err = call(QRELS, runs, "-m", "map", "--anonymous")[2]
    told = [line for line in err.splitlines() if "not scored: " in line]
    assert told
    assert all(
        line.startswith(f"irev: not scored: unreadable-{number}: ")
        for number, line in enumerate(told, 1)
    )
    out = call(QRELS, runs, "-m", "map", "--anonymous")[1]
    assert "run-1 is better than run-2" in out


def test_a_page_has_the_title_that_was_asked_for(runs):
    arguments = (QRELS, runs, "-m", "map", "--format", "html", "--test", "none")
    assert "<title>Track of 2026</title>" in call(*arguments, "--title", "Track of 2026")[1]
    assert "<title>Leaderboard: " in call(*arguments)[1]


def test_columns_give_way_where_a_line_would_be_too_long(runs):
    heads = []
    for measures in ("map", "map,ndcg_cut_10", "map,ndcg@10,P@5,P@10"):
        out = call(QRELS, runs, "-m", measures)[1]
        assert max(map(len, out.splitlines())) <= 80
        heads.append(out.split("\n\n")[1].splitlines()[0])
    assert ["w/t/l" in head for head in heads] == [True, False, False]
    assert ["interval" in head for head in heads] == [True, True, False]
    whole = call(QRELS, runs, "-m", "map,ndcg@10,P@5,P@10", "--details")[1]
    assert "w/t/l" in whole
    assert "interval" in whole
