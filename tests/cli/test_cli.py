"""The command line: options as getopt_long takes them, streams, exit codes, several runs."""

import gzip
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from irev.cli.commands import COMMANDS, irev
from irev.cli.evaluate import command as evaluation
from irev.cli.options import arrange
from irev.writers.forms import OUTPUT_FORMATS
from tests.each import for_each

QRELS = b"q1 0 a 1\nq1 0 b 0\nq1 0 c 2\nq2 0 a 1\n"
RUN = b"q1 Q0 a 1 3 tag\nq1 Q0 x 2 2 tag\nq1 Q0 c 3 1 tag\nq2 Q0 b 1 2 tag\nq2 Q0 a 2 1 tag\n"
PARTIAL = b"q1 Q0 a 1 3 part\nq9 Q0 a 1 3 part\n"
BROKEN = b"q1 Q0 a 1 high tag\n"

# trec_eval 10: -q -m map -m num_ret qrels run
MAP_AND_NUM_RET = (
    b"num_ret               \tq1\t3\n"
    b"map                   \tq1\t0.8333\n"
    b"num_ret               \tq2\t2\n"
    b"map                   \tq2\t0.5000\n"
    b"num_ret               \tall\t5\n"
    b"map                   \tall\t0.6667\n"
)
# trec_eval 10: -m map qrels run
MAP = b"map                   \tall\t0.6667\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with small files, as the current one."""
    monkeypatch.chdir(tmp_path)
    contents = {"qrels": QRELS, "run": RUN, "partial": PARTIAL, "broken": BROKEN}
    for name, content in contents.items():
        Path(name).write_bytes(content)
    return tmp_path


def call(*arguments, stdin=None):
    """Run in this process: (exit code, stdout, stderr)."""
    outcome = CliRunner().invoke(irev, [os.fspath(a) for a in arguments], input=stdin)
    return outcome.exit_code, outcome.stdout_bytes, outcome.stderr


def program(*arguments, **more):
    """Run as a process of its own."""
    command = [sys.executable, "-m", "irev", *arguments]
    return subprocess.run(command, capture_output=True, check=False, **more)


# --- options -------------------------------------------------------------------------------------


def test_arguments_are_put_in_order():
    for line, options, files in [
        ("q r", [], ["q", "r"]),
        ("-q q r", ["--query_eval_wanted"], ["q", "r"]),
        ("q -q r -m map", ["--query_eval_wanted", "--measure", "map"], ["q", "r"]),
        ("-qcn q r", ["-qcn"], ["q", "r"]),
        ("-qmmap q r", ["-qmmap"], ["q", "r"]),
        ("-qm map q r", ["-qm", "map"], ["q", "r"]),
        ("-M100 q r", ["-M100"], ["q", "r"]),
        ("-m -q q r", ["--measure", "-q"], ["q", "r"]),
        ("-l -1 q r", ["--level_for_rel", "-1"], ["q", "r"]),
        ("-o q r", ["-o"], ["q", "r"]),
        ("-- -q r", [], ["-q", "r"]),
        ("-q -- -x -", ["--query_eval_wanted"], ["-x", "-"]),
        ("q -", [], ["q", "-"]),
        ("--measure map q r", ["--measure", "map"], ["q", "r"]),
        ("--measure=map q r", ["--measure=map"], ["q", "r"]),
        ("--meas num_ret --Max=1 q r",
         ["--measure", "num_ret", "--Max_retrieved_per_topic=1"], ["q", "r"]),
        ("--Out x q r", ["--Output_old_results_format", "x"], ["q", "r"]),
        ("--out x q r", ["--output", "x"], ["q", "r"]),
        # trec_eval's names come first, irev's own need more letters
        ("--c q r", ["--complete_rel_info_wanted"], ["q", "r"]),
        ("--comp trec9 q r", ["--complete_rel_info_wanted"], ["trec9", "q", "r"]),
        ("--compa trec9 q r", ["--compat", "trec9"], ["q", "r"]),
        ("--no q r", ["--nosummary"], ["q", "r"]),
        ("--no- skip q r", ["--no-rel", "skip"], ["q", "r"]),
        # what is wrong is left to click
        ("-x q r", ["-x"], ["q", "r"]),
        ("--nope q r", ["--nope"], ["q", "r"]),
        ("q r -m", ["-m"], ["q", "r"]),
    ]:  # fmt: skip
        assert arrange(line.split(), evaluation.params)[:2] == (options, files), line


@pytest.mark.parametrize("name", ["--Re", "--Re=x", "--t"])
def test_ambiguous_long_names(name):
    with pytest.raises(click.UsageError, match="ambiguous"):
        arrange([name, "q", "r"], evaluation.params)


@for_each(
    ("before", "line"),
    [
        ("--quiet", "compare -m map qrels run run --alpha 0.01"),
        ("--alpha 0.01 -mmap --quiet", "compare qrels run run --test t"),
        ("-m map", "compare qrels run run"),
        ("--alph=0.01 -m map", "compare -- qrels run run"),
        ("--strict", "gate --min map=0.1 qrels run"),
        ("--no-github --min map=0.1", "gate qrels run"),
        ("--quiet", "leaderboard qrels run --test none"),
        ("--quiet", "explain --topic 1 -m map qrels run"),
        ("--format csv", "check qrels run"),
        ("--quiet", "study correlation -m map,P.5 qrels run run --format csv"),
        ("-m map,P.5 --format csv", "study --quiet correlation qrels run run"),
        ("--format csv", "measures precision --quiet"),
        ("-h", "gate"),
        ("--help-all", "study correlation"),
        ("-h", "study"),
    ],
)
def test_an_option_before_a_command_belongs_to_it(before: str, line: str) -> None:
    words = line.split()
    end = 3 if "--quiet" in words[1:2] else 2 if words[0] == "study" else 1
    code, out, err = call(*words[:end], *before.split(), *words[end:])
    assert "no such option" not in err
    assert "requires an argument" not in err
    assert call(*before.split(), *words) == (code, out, err)


def test_what_is_no_command_before_or_behind_options() -> None:
    for line, message in [
        ("--strict gaet qrels run", "neither a command nor an existing file; did you mean 'gate'?"),
        ("-m map compar qrels run", "did you mean 'compare'?"),
        ("evla qrels run", "did you mean 'eval'?"),
        ("--quiet study corelation qrels run", "no kind 'corelation'; did you mean 'correlation'?"),
        ("study --quiet corelation qrels run", "no kind 'corelation'; did you mean 'correlation'?"),
        ("study --rates 50 robustnes qrels", "no kind 'robustnes'; did you mean 'robustness'?"),
        ("study --quiet", "no such option '--quiet'"),
        ("--sort map compare qrels run", "irev compare [OPTIONS]"),
        ("--quiet -- gate run", "gate: there is no such file"),
        # the value of an option of eval
        ("-m compare qrels run", "no measure or set is called 'compare'"),
        ("--sample check qrels run", "'check' is not a rate"),
    ]:
        code, out, err = call(*line.split())
        assert (code, out) == (2, b""), line
        assert message in err, line


def test_many_ways_to_say_one_thing():
    for line in [
        "-q -m map -m num_ret qrels run",
        "qrels run -q -m map -m num_ret",
        "qrels -q -m map run -mnum_ret",
        "-qmmap -qm num_ret qrels run",
        "eval -q -m map -m num_ret qrels run",
        "-q -m map -m num_ret eval qrels run",
        "-q -m map -m num_ret -- qrels run",
        "--query --measure=map --meas num_ret qrels run",
        "-q -q -o -m map -m num_ret -m map -D 0 -N 5 -T trec_results -R qrels qrels run",
        "-q --Output_old_results_format x -m map -m num_ret qrels run",
        "-M 1 -M 1000 -l 9 -l 1 -q -m map -m num_ret qrels run",
        "-q -m map -m num_ret --places 2 --places 4 --threads 1 qrels run",
    ]:
        assert call(*line.split()) == (0, MAP_AND_NUM_RET, ""), line


def test_nothing_of_the_summary():
    assert call("-nq", "-m", "map", "-m", "num_ret", "qrels", "run") == (
        0,
        b"".join(MAP_AND_NUM_RET.splitlines(keepends=True)[:4]),
        "",
    )
    assert call("-n", "qrels", "run") == (0, b"", "")


def test_errors_leave_stdout_empty():
    """But for those that tests/golden has recorded."""
    for line, words in {
        "-x qrels run": "-x",
        "--Re qrels qrels run": "ambiguous",
        "--query_eval_wanted=1 qrels run": "--query_eval_wanted",
        "qrels run -m": "-m",
        "qrels run --Output_old_results_format": "--Output_old_results_format",
        "-l -0.5 qrels run": "-0.5 is too small: give at least 0",
        "-M 1k qrels run": "'1k' is not a whole",
        "-M 1e3 qrels run": "'1e3' is not a whole",
        "-N x qrels run": "'x' is not a whole",
        "-D x.q1 qrels run": "'x' is not a whole",
        "-l -1 qrels run": "at least 0",
        "-M -1 qrels run": "at least 0",
        "--places 18 qrels run": "at most 17",
        "--places -1 qrels run": "at least 0",
        "--threads 0 qrels run": "at least 1",
        "compare --alpha 2 qrels run run": "'--alpha': 2 is not above 0 and below 1",
        "compare --alpha 1 qrels run run": "'--alpha': 1 is not above 0 and below 1",
        "gate --alpha .5 --baseline run qrels run": "'--alpha': .5 is not above 0 and below 0.5",
        "--compat trec8 qrels run": "trec8",
        "--no-rel one qrels run": "one",
        "--grades odd qrels run": "odd",
        "-c --topics run qrels run": "contradicts",
        "-m P. qrels run": "P",
        "qrels - -": "once",
        "--output run qrels run": "overwrite",
        "qrels broken": "broken:1: ",
    }.items():
        code, out, err = call(*line.split())
        assert (code, out) == (2, b""), line
        assert words in err, line
        assert "Traceback" not in err, line
    assert (Path("qrels").read_bytes(), Path("run").read_bytes()) == (QRELS, RUN)


def test_measures_are_checked_before_files():
    for line in ("-m nosuch missing1 missing2", "-m nosuch --topics missing1 qrels run"):
        err = call(*line.split())[2]
        assert "nosuch" in err
        assert "missing1" not in err


def test_a_file_is_a_file_whatever_its_name():
    Path("evall").write_bytes(QRELS)
    assert call("-m", "map", "evall", "run") == (0, MAP, "")
    Path("eval").write_bytes(QRELS)
    assert call("-m", "map", "./eval", "run") == (0, MAP, "")
    assert call("-m", "map", "--", "eval", "run") == (0, MAP, "")


def test_files_that_begin_with_a_dash():
    Path("-run").write_bytes(RUN)
    assert call("-m", "map", "--", "qrels", "-run") == (0, MAP, "")
    assert call("-m", "map", "qrels", "-run")[0] == 2


@pytest.mark.parametrize("files", [("qrels", "-"), ("-", "run")])
def test_standard_input(files):
    content = RUN if files[1] == "-" else QRELS
    assert program("-m", "map", *files, input=content).stdout == MAP
    packed = program("-m", "map", *files, input=gzip.compress(content))
    assert (packed.returncode, packed.stdout, packed.stderr) == (0, MAP, b"")


# --- help and version ----------------------------------------------------------------------------


def test_version_is_on_stderr():
    for line in ("-v", "--version", "-qv", "--vers", "eval -v"):
        code, out, err = call(*line.split())
        assert (code, out) == (0, b"")
        assert err.startswith("irev ")
        assert "trec_eval 10" in err


def test_every_command_has_a_line_for_the_help():
    context = click.Context(irev)
    for name, entry in COMMANDS.items():
        assert entry.line.endswith(".")
        assert irev.get_command(context, name) is not None


# --- what was left out ---------------------------------------------------------------------------


def test_every_judged_topic():
    # trec_eval 10: -c -m map qrels partial
    expected = b"map                   \tall\t0.2500\n"
    for line in ("-c", "--topics qrels", "-c --topics qrels"):
        code, out, err = call(*line.split(), "-m", "map", "qrels", "partial")
        assert (code, out) == (0, expected)
        assert "warning" not in err


def test_topics_from_a_file():
    Path("wanted").write_bytes(b"\xef\xbb\xbf# one topic a line\r\n\r\nq1\r\n")
    code, out, _ = call("--topics", "wanted", "-m", "map", "-m", "num_q", "qrels", "run")
    assert (code, out) == (
        0,
        b"num_q                 \tall\t1\nmap                   \tall\t0.8333\n",
    )


@pytest.mark.parametrize(("content", "words"), [(b"q1 q2\n", "wanted:1: "), (b"\n", "no topic")])
def test_topics_file_that_is_none(content, words):
    Path("wanted").write_bytes(content)
    code, out, err = call("--topics", "wanted", "qrels", "run")
    assert (code, out) == (2, b"")
    assert words in err


def test_strict_minds_no_notes():
    Path("more").write_bytes(RUN + b"q9 Q0 a 1 3 tag\n")
    code, out, err = call("--strict", "-m", "map", "qrels", "more")
    assert (code, out) == (0, MAP)
    assert "note" in err


# --- several runs, forms, files ------------------------------------------------------------------


def test_several_runs():
    code, out, err = call("-m", "map", "qrels", "run", "partial", "run")
    assert code == 0
    assert out == (
        b"# run\n" + MAP + b"# partial\nmap                   \tall\t0.5000\n# run\n" + MAP
    )
    assert "irev: warning: partial: 1 judged topic" in err


@pytest.mark.parametrize("order", [("run", "broken"), ("broken", "run")])
def test_a_broken_run_does_not_stop_the_others(order):
    code, out, err = call("-m", "map", "qrels", *order)
    assert (code, out) == (2, b"# run\n" + MAP)
    assert "broken:1: " in err


def test_tables_and_json_list_broken_runs():
    table = call("--format", "table", "-m", "map", "qrels", "run", "broken", "nosuch")[1].decode()
    assert table.splitlines()[-3:] == [
        "2 runs could not be scored:",
        "broken:1: the score is not a number",
        "nosuch: the file cannot be opened",
    ]
    data = json.loads(call("--format", "json", "-m", "map", "qrels", "run", "broken")[1])
    assert [run["run"] for run in data["runs"]] == ["run"]
    assert data["broken"] == [
        {"path": "broken", "line": 1, "kind": "bad-score", "reason": "the score is not a number"}
    ]
    assert "broken" not in json.loads(call("--format", "json", "-m", "map", "qrels", "run")[1])


def test_of_other_files_in_a_folder_one_problem_is_said():
    Path("runs").mkdir()
    Path("runs/a.run").write_bytes(RUN)
    Path("runs/make.py").write_bytes(b"import this\nprint(1)\n\nfor x in y: pass\n")
    code, out, err = call("-m", "map", "qrels", "runs")
    assert (code, out) == (2, b"# runs/a.run\n" + MAP)
    assert err.splitlines() == [
        "runs/make.py:1: expected 6 fields (topic Q0 document rank score tag), found 2: "
        "'import this'",
        "  hint: if this is no run, keep it elsewhere, or name the runs one by one; irev check "
        "says more",
    ]


def test_strict_with_several_runs_prints_nothing():
    for other in ("partial", "broken"):
        code, out, err = call("--strict", "-m", "map", "qrels", "run", other)
        assert (code, out) == (2, b"")
        assert other in err


@pytest.mark.parametrize("name", sorted(OUTPUT_FORMATS))
def test_forms(name):
    code, out, err = call("--format", name, "-m", "map", "qrels", "run")
    assert (code, err) == (0, "")
    assert b"map" in out
    assert b"0.6667" in out or b"0.6666666666666666" in out
    both = call("--format", name, "-m", "map", "qrels", "run", "broken", "partial")
    assert both[0] == 2
    assert b"partial" in both[1]
    assert call("--format", name, "-m", "map", "qrels", "broken")[:2] == (2, b"")


def test_output_to_a_file(folder):
    Path("out").write_bytes(b"old")
    Path("out").chmod(0o640)
    assert call("--output", "out", "-m", "map", "qrels", "run") == (0, b"", "")
    assert Path("out").read_bytes() == MAP
    assert stat.S_IMODE(Path("out").stat().st_mode) == 0o640
    assert call("--output", "new", "--format", "csv", "qrels", "run", "run")[0] == 0
    assert Path("new").read_bytes().startswith(b"run,topic,")
    assert not list(folder.glob("*.part"))


@pytest.mark.parametrize(
    "line", ["qrels broken", "qrels run broken", "--strict qrels partial", "-m nosuch qrels run"]
)
def test_output_stays_as_it_was_after_an_error(folder, line):
    Path("out").write_bytes(b"old")
    before = sorted(folder.iterdir())
    assert call("--output", "out", *line.split())[:2] == (2, b"")
    assert Path("out").read_bytes() == b"old"
    assert sorted(folder.iterdir()) == before


def test_output_through_a_link_and_to_a_device():
    Path("real").write_bytes(b"old")
    Path("link").symlink_to("real")
    assert call("--output", "link", "-m", "map", "qrels", "run")[0] == 0
    assert Path("link").is_symlink()
    assert Path("real").read_bytes() == MAP
    done = program("--output", "/dev/stdout", "-m", "map", "qrels", "run")
    assert (done.returncode, done.stdout) == (0, MAP)
    assert call("--output", "-", "-m", "map", "qrels", "run")[1] == MAP


def test_output_that_cannot_be_written():
    code, out, err = call("--output", "nowhere/out", "qrels", "run")
    assert (code, out) == (2, b"")
    assert "nowhere/out: this file cannot be written" in err


@pytest.mark.in_turn(3)
@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs /dev/fd")
@pytest.mark.parametrize("command", ["compare -m map", "gate --min map=0"])
def test_a_run_is_read_from_a_pipe(command):
    """It can be read only once: nobody looks beforehand what it holds."""
    Path("plain.qrels").write_bytes(QRELS)
    Path("one.run").write_bytes(RUN)
    more = "one.run" if command.startswith("compare") else ""
    call = f"{sys.executable} -m irev {command} plain.qrels <(cat one.run) {more}"
    done = subprocess.run(["bash", "-c", call], capture_output=True, check=False, timeout=60)
    assert (done.returncode, b"empty" in done.stderr) == (0, False)
    assert b"0.6667" in done.stdout  # the mean of .8333 and .5


# --- how it ends ---------------------------------------------------------------------------------


def test_closed_pipe_is_quiet():
    with open("many", "wb") as qrels, open("long", "wb") as run:
        for i in range(4000):
            qrels.write(b"t%d 0 a 1\n" % i)
            run.write(b"t%d Q0 a 1 1 tag\n" % i)
    command = [sys.executable, "-m", "irev", "-q", "-m", "all_trec", "many", "long"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_full_disk():
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "irev", "qrels", "run"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"cannot write to standard output" in done.stderr


def test_a_bug_is_called_one(monkeypatch):
    def fail(*_):
        raise ValueError("surprise\non two lines")

    command = irev.get_command(click.Context(irev), "eval")
    monkeypatch.setattr(command, "invoke", fail)
    code, out, err = call("qrels", "run")
    assert (code, out) == (3, b"")
    assert err.startswith("irev: this is a bug in irev: ValueError: surprise")
    assert len(err.splitlines()) == 1
    monkeypatch.setenv("IREV_TRACEBACK", "1")
    assert "Traceback" in call("qrels", "run")[2]


def test_interrupt(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    command = irev.get_command(click.Context(irev), "eval")
    monkeypatch.setattr(command, "invoke", interrupt)
    assert call("qrels", "run")[:2] == (130, b"")
