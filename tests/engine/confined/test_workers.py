"""Work in processes that can be killed: whatever happens there costs one answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from irev.engine import confined
from irev.engine.confined import Answer, ConfinedWorkers, Limits
from irev.errors import InputError, IrevError, MismatchError, Problem, UsageError
from tests.files import ROOT, SAMPLE

WORK = "tests.engine.confined.work:prepared"


@pytest.fixture(params=[True, False], ids=["forked", "started"])
def forks(request, monkeypatch):
    """Both ways to a worker: forked by a server, and a server by itself."""
    monkeypatch.setattr(confined, "FORKS", request.param)
    return request.param


def outcomes(paths: Any, count: int = 2, setup: Any = (), **limits: Any) -> list[Any]:
    with ConfinedWorkers(WORK, dict(setup), Limits(**limits), count) as confined:
        return answers(confined, paths)


def answers(confined: ConfinedWorkers, paths: list[str]) -> list[Any]:
    return list(confined.outcomes(paths))


def reasons(paths: list[str], **limits: Any) -> list[str | None]:
    """What is said of each path; None where there is an answer."""
    found = outcomes(paths, **limits)
    return [None if isinstance(each, Answer) else str(each) for each in found]


def echoes(found):
    return [each.value[0] for each in found]


@pytest.mark.thorough
def test_answers_stand_in_the_order_of_the_paths(forks):
    paths = [f"echo:{n}" for n in range(50)]
    for count in (1, 2, 3):
        found = outcomes(paths, count)
        assert echoes(found) == paths
        assert [each.data for each in found] == [str(n).encode() for n in range(50)]
        assert all(each.value[1] == b"\xff\0" for each in found)
        assert len({each.value[2] for each in found}) <= count
    assert outcomes([]) == []


def test_a_slow_file_holds_up_no_other():
    found = outcomes(["sleep:0.3", *(f"echo:{n}" for n in range(20))])
    assert len({each.value[2] for each in found[1:]}) == 1
    assert found[0] == Answer("sleep:0.3")


def test_names_of_files_may_hold_any_byte():
    path = "echo:" + os.fsdecode(b"\xff\x00\n\xe2\x82\xac")
    assert echoes(outcomes([path])) == [path]


@pytest.mark.in_turn(3)
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("crash", "the reader crashed (signal 11)"),
        ("signal:9", "the reader crashed (signal 9)"),
        ("exit:3", "the reader ended (exit code 3)"),
        ("sys.exit:4", "the reader failed: this is a bug in irev\n  hint: SystemExit: 4"),
        ("deep", "the reader failed: this is a bug in irev\n  hint: RecursionError"),
        ("bug:x", "the reader failed: this is a bug in irev\n  hint: KeyError: 'bug:x'"),
    ],
)
def test_a_crash_costs_one_answer(forks, bad, said):
    first, found, *rest = reasons(["echo:1", bad, "echo:2", "echo:3"])
    assert found is not None
    assert found.startswith(f"{bad}: {said}")
    assert [first, *rest] == [None, None, None]


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("fault", ["no-memory", "signal:9", "crash", "exit:1", "deep"])
def test_what_another_file_left_behind_fails_none(forks, fault):
    """A run that fails in a used worker is tried again in a new one, and then that counts."""
    paths = ["echo:1", f"used:{fault}", "echo:2", f"used:{fault}", fault]
    *sound, failed = reasons(paths, count=1)
    assert sound == [None] * 4
    assert failed is not None
    assert failed.startswith(f"{fault}: ")


def test_what_arrow_reserves_is_not_used(forks):
    """Its own allocators take a gigabyte at once, which would count: the system's does not."""
    import pyarrow  # noqa: F401 - a caller that has it

    assert outcomes(["pool", "echo"])[0].value == "system"


def test_errors_come_back_as_they_were():
    bad = "wrong:x"
    found = outcomes([bad, "mismatch:y", "echo"])
    assert isinstance(found[0], InputError)
    assert found[0].problems == [
        Problem(bad, 3, "bad-score", "score 'x'", "a hint", b"q\xff", b"d")
    ]
    assert isinstance(found[1], MismatchError)
    assert str(found[1]) == "mismatch:y: no topic in common"
    # an ordinary error is no reason for another worker
    found = outcomes(["echo", "wrong:x", "echo"], 1)
    assert found[0].value[2] == found[2].value[2]


@pytest.mark.parametrize("bad", ["sleep:60", "spin"])
def test_what_takes_too_long_is_ended(bad):
    begun = time.monotonic()
    first, found, last = reasons(["echo", bad, "echo"], max_seconds=0.5)
    assert (first, last) == (None, None)
    assert found == f"{bad}: it took longer than 0.5 s (--max-seconds)"
    assert time.monotonic() - begun < 20


def test_the_time_of_a_file_does_not_count_against_the_next():
    assert reasons(["sleep:0.5"] * 5, max_seconds=2.0, count=1) == [None] * 5


@pytest.mark.thorough
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux alone")
def test_what_takes_too_much_memory_is_refused(forks):
    needs = [50, 150, 2000, 50]
    found = reasons([f"memory:{need}" for need in needs], max_memory=100 << 20)
    assert found == [
        f"memory:{need}: it needs more memory than 100 MiB (--max-memory)" if need > 100 else None
        for need in needs
    ]


def test_a_crash_leaves_no_file(forks):
    """Whatever the shell allows: a core holds what a stranger's file was read into."""
    (answer,) = outcomes(["core"])
    assert answer.value == [0, 0]


@pytest.mark.thorough
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux alone")
def test_memory_is_that_of_one_file_not_of_all():
    assert reasons(["memory:60"] * 8, count=1, max_memory=100 << 20) == [None] * 8


def test_large_answers():
    found = outcomes(["large:20", "echo", "large:3"], 1)
    assert [len(each.data) >> 20 for each in found] == [20, 0, 3]


def test_a_worker_that_is_killed_from_outside():
    killed = []

    def kill(process):
        killed.append(process)
        time.sleep(0.3)
        os.kill(process, signal.SIGKILL)

    with ConfinedWorkers(WORK, {}, Limits(), 1) as confined:
        [first] = answers(confined, ["echo"])
        threading.Thread(target=kill, args=(first.value[2],)).start()
        slow, after = answers(confined, ["sleep:1", "echo"])
    # it was worked on again: the caller knows of nothing
    assert slow == Answer("sleep:1")
    assert killed != [after.value[2]]


def test_a_server_that_is_killed_is_replaced():
    with ConfinedWorkers(WORK, {}, Limits(), 1) as confined:
        os.kill(confined.facts["process"], signal.SIGKILL)
        bad, good = answers(confined, ["exit:1", "echo"])
    assert isinstance(bad, InputError)
    assert isinstance(good, Answer)


def test_a_server_that_is_killed_again_is_an_error(monkeypatch):
    fork = confined._Server.fork_worker

    def kill_first(server):
        os.kill(server.facts["process"], signal.SIGKILL)
        return fork(server)

    monkeypatch.setattr(confined._Server, "fork_worker", kill_first)
    with pytest.raises(IrevError, match="the process that starts the readers of files was killed"):
        outcomes(["echo"])


@pytest.mark.parametrize(
    ("fails", "error", "said"),
    [
        ("usage", UsageError, "no such measure"),
        ("input", InputError, "qrels:3: grade 'x'\n  hint: a hint"),
        ("bug", RuntimeError, "KeyError: 'no'"),
        ("crash", IrevError, r"the process that prepares the work crashed \(signal 11\)"),
    ],
)
def test_what_cannot_be_prepared(forks, fails, error, said):
    with pytest.raises(error, match=said):
        outcomes(["echo"], setup={"fails": fails})


def test_the_caller_is_told_what_was_prepared():
    with ConfinedWorkers(WORK, {"a": b"\xff"}, Limits(max_size=7), 1) as confined:
        facts = confined.facts
    assert facts["limits"] == Limits(max_size=7)
    assert facts["setup"] == {"a": b"\xff"}


def test_an_interrupt_is_the_callers():
    """Ctrl-C reaches all processes of a terminal: the caller ends the others."""
    assert outcomes([f"signal:{signal.SIGINT:d}"]) == [Answer("signal:2")]


def running(processes):
    """Those that have not ended."""
    found = []
    for process in processes:
        try:
            state = (
                Path(f"/proc/{process}/stat")
                .read_text(encoding="utf-8")
                .rpartition(")")[2]
                .split()[0]
            )
        except OSError:
            continue
        if state != "Z":
            found.append(process)
    return found


CALLER = """
import sys
from irev.engine.confined import Limits
from irev.engine.confined import ConfinedWorkers

with ConfinedWorkers("tests.engine.confined.work:prepared", {}, Limits(), 2) as confined:
    [echo] = confined.outcomes(["echo"])
    print(confined.facts["process"], echo.value[2], flush=True)
    list(confined.outcomes(["spin", "sleep:60"]))
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_processes_end_with_the_caller(tmp_path, how):
    # a script without a guard: it is not run again by the workers
    script = tmp_path / "script.py"
    script.write_text(CALLER)
    caller = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        encoding="utf-8", env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    with caller:
        assert caller.stdout is not None
        processes = [int(word) for word in caller.stdout.readline().split()]
        assert running(processes) == processes
        caller.send_signal(how)
        caller.wait()
    deadline = time.monotonic() + 20
    while running(processes) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running(processes) == []


UNDOING = """
import sys
from pathlib import Path
from irev.core.output_files import install_signal_handlers, undo_on_signal
from irev.engine.confined import Limits
from irev.engine.confined import ConfinedWorkers

install_signal_handlers()
with undo_on_signal(Path(sys.argv[1]).unlink):
    with ConfinedWorkers("tests.engine.confined.work:prepared", {}, Limits(), 1) as confined:
        list(confined.outcomes(["echo"]))
        print(confined.facts["process"], flush=True)
        sys.stdin.read()
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
def test_a_process_that_is_ended_undoes_nothing_of_the_callers(tmp_path, how):
    output = tmp_path / "output"
    output.touch()
    caller = subprocess.Popen(
        [sys.executable, "-c", UNDOING, str(output)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    with caller:
        assert caller.stdout is not None
        process = int(caller.stdout.readline())
        assert process != caller.pid
        os.kill(process, how)
        deadline = time.monotonic() + 20
        while running([process]) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert running([process]) == []
        assert output.exists()


THREADS = """
import sys, threading
from pathlib import Path
from irev.engine.confined import Limits
from irev.engine.confined import ConfinedWorkers

ends = threading.Event()
if sys.argv[1] == "two":
    threading.Thread(target=ends.wait).start()
print("once", end=" ")
with ConfinedWorkers("tests.engine.confined.work:prepared", {}, Limits(), 2) as confined:
    found = list(confined.outcomes(["print:never", "exit:3", "input", "echo"]))
    server = confined.facts["process"]
    lines = [Path(f"/proc/{each}/cmdline").read_bytes() for each in ("self", server)]
print(lines[0] == lines[1], *(type(each).__name__ for each in found), found[2].value)
ends.set()
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="servers are forked on Linux alone"
)
@pytest.mark.parametrize(("threads", "is_forked"), [("one", True), ("two", False)])
def test_a_caller_without_a_second_thread_is_forked(tmp_path, threads, is_forked):
    script = tmp_path / "script.py"
    script.write_text(THREADS)
    completed = subprocess.run(
        [sys.executable, str(script), threads], capture_output=True, input="of others",
        encoding="utf-8", env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True,
    )  # fmt: skip
    # what the caller has not printed yet is printed once, and its input is nobody's
    assert completed.stdout == f"once {is_forked} Answer InputError Answer Answer \n"
    assert completed.stderr == ""


def test_nothing_is_left_behind():
    with ConfinedWorkers(WORK, {}, Limits(), 2) as confined:
        echo, _, _ = answers(confined, ["echo", "exit:1", "echo"])
        processes = [confined.facts["process"], echo.value[2]]
        before = len(os.listdir("/proc/self/fd"))
    assert running(processes) == []
    assert len(os.listdir("/proc/self/fd")) < before


@pytest.mark.parametrize(
    ("text", "size"),
    [("100", 100), ("100B", 100), ("2KiB", 2048), ("1.5 MiB", 3 << 19), ("2g", 2 << 30),
     ("1TiB", 1 << 40)],
)  # fmt: skip
def test_sizes(text, size):
    read = Limits.fields()["max_size"].opt.parse
    assert read is not None
    assert read(text) == size


@pytest.mark.parametrize("text", ["", "2GB", "many", "-1", "2GiBs", "0x10", "1e3"])
def test_sizes_that_are_none(text):
    read = Limits.fields()["max_size"].opt.parse
    assert read is not None
    with pytest.raises(ValueError, match="is not a size"):
        read(text)


def test_limits_make_sense():
    for wrong in ({"max_seconds": 0.0}, {"max_memory": 0}, {"max_size": -1}):
        with pytest.raises(UsageError):
            Limits(**wrong)


WITHOUT = """
import os, select, signal, socket, sys

sys.modules["resource"] = None
for module, name in ((select, "poll"), (socket, "send_fds"), (socket, "recv_fds"),
                     (signal, "pthread_sigmask"), (signal, "SIGHUP"), (signal, "SIGKILL"),
                     (os, "O_DIRECTORY"), (os, "O_NOFOLLOW"), (os, "fork")):
    delattr(module, name)
import irev.engine.confined
irev.engine.confined.CONFINES = False
from irev.cli.commands import irev
irev.main(sys.argv[1:])
"""


@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        (["leaderboard", "qrels.txt", "bm25.run"], True),
        (["check", "."], True),
        (["check", "qrels.txt", "bm25.run"], False),
        (["-m", "map", "qrels.txt", "bm25.run"], False),
    ],
)
def test_systems_that_cannot_confine(arguments, refused):
    """What Windows lacks is told in plain words, and hinders nothing else."""
    completed = subprocess.run(
        [sys.executable, "-c", WITHOUT, *arguments], capture_output=True, cwd=SAMPLE,
        encoding="utf-8", env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    if not refused:
        assert "Traceback" not in completed.stderr
        assert completed.returncode in (0, 1)
        assert completed.stdout
        return
    assert completed.returncode == 2
    assert completed.stdout == ""
    assert completed.stderr.startswith(
        "irev: error: submissions and the files of directories are read in"
    )
    assert len(completed.stderr.splitlines()) == 1


def test_servers_of_tests_are_forked_from_a_process_that_has_imported_what_they_need():
    done = subprocess.run(
        [sys.executable, "-c", FORKED],
        cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout == "[]\n"


FORKED = """
import sys
from tests.servers import import_what_servers_need
import_what_servers_need()
needed = ["numpy", "irev.engine.evaluate", "irev.jobs.leaderboard.scoring"]
print([module for module in needed if module not in sys.modules])
"""
