"""Files that are written whole or not at all, wherever they lie and whatever lies there."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import irev
from irev.core import output_files
from irev.core.output_files import lock_folder_of, replace_file
from irev.errors import IrevError
from tests.files import SAMPLE

FILES = (str(SAMPLE / "qrels.txt"), str(SAMPLE / "bm25.run"))
MAP = b"map                   \tall\t0.3501\n"
"""As trec_eval prints it."""


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def write(path: Path, content: bytes = b"new") -> None:
    with replace_file(str(path)) as stream:
        stream.write(content)


def test_permissions_are_those_of_open_or_of_the_file_before(tmp_path: Path) -> None:
    """While it is written, too: nobody may open what the file before was closed to."""
    before = os.umask(0o027)
    try:
        write(tmp_path / "new")
        (tmp_path / "old").touch()
        for mode in (0o600, 0o666, 0o444):
            (tmp_path / "old").chmod(mode)
            with replace_file(str(tmp_path / "old")) as stream:
                (temporary,) = tmp_path.glob(".*")
                assert permissions(temporary) == mode
                stream.write(b"%o" % mode)
            assert permissions(tmp_path / "old") == mode
            assert (tmp_path / "old").read_bytes() == b"%o" % mode
    finally:
        os.umask(before)
    assert permissions(tmp_path / "new") == 0o640


def test_no_name_is_too_long_and_none_is_taken(tmp_path: Path) -> None:
    longest = tmp_path / ("x" * 255)
    names = set()
    for content in (b"1", b"2"):
        with replace_file(str(longest)) as first, replace_file(str(longest)) as second:
            names |= {path.name for path in tmp_path.iterdir()} - {longest.name}
            first.write(b"0")
            second.write(content)
        assert longest.read_bytes() == b"0"
    assert len(names) == 4
    assert all(re.fullmatch(r"\.irev-[0-9a-f]{16}\.part", name) for name in names)
    assert [*tmp_path.iterdir()] == [longest]


def test_what_a_killed_call_leaves_stops_no_later_one(tmp_path: Path) -> None:
    """Where each call has the same process id, as in containers."""
    code = (
        "import os, signal, sys; os.getpid = lambda: 1\n"
        "from irev.core.output_files import replace_file\n"
        "with replace_file('out') as stream:\n"
        "    stream.write(b'1')\n"
        "    os.kill(0, signal.SIGKILL) if len(sys.argv) > 1 else None\n"
    )
    call = [sys.executable, "-c", code]
    killed = subprocess.run([*call, "kill"], cwd=tmp_path, start_new_session=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len([*tmp_path.iterdir()]) == 1
    assert subprocess.run(call, cwd=tmp_path, check=False).returncode == 0
    assert (tmp_path / "out").read_bytes() == b"1"


def test_an_error_leaves_what_was_and_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"old")

    def fail() -> None:
        with replace_file(str(tmp_path / "out")) as stream:
            stream.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert [*tmp_path.iterdir()] == [tmp_path / "out"]
    assert (tmp_path / "out").read_bytes() == b"old"


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_takes_no_file_is_named_as_the_reason(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"old")
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(IrevError, match=r"out: .*Permission denied .a new file is made in its"):
            write(tmp_path / "out")
    finally:
        tmp_path.chmod(0o755)


def test_a_link_a_pipe_and_an_open_stream(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/real")
    write(tmp_path / "link")
    assert (tmp_path / "folder" / "real").read_bytes() == b"new"
    assert (tmp_path / "link").is_symlink()
    read, written = os.pipe()
    write(Path(f"/dev/fd/{written}"))
    assert os.read(read, 9) == b"new"
    os.close(read)
    os.close(written)


@pytest.mark.parametrize("opened", [">", ">>"])
def test_standard_output_by_its_path_keeps_what_is_before_it(tmp_path: Path, opened: str) -> None:
    call = f"{sys.executable} -m irev -m map --output /dev/stdout {' '.join(FILES)}"
    script = f"(echo before; {call}; echo behind) {opened} out"
    subprocess.run(["sh", "-c", script], cwd=tmp_path, check=True)
    assert (tmp_path / "out").read_bytes() == b"before\n" + MAP + b"behind\n"


def test_of_two_that_lock_a_folder_one_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_files, "_LONGEST_WAIT", 0.0)
    (tmp_path / "other").mkdir()
    with (
        lock_folder_of(str(tmp_path / "key")),
        lock_folder_of(str(tmp_path / "other" / "key")),
        pytest.raises(IrevError, match="new: another call has kept its folder locked"),
    ):
        lock_folder_of(str(tmp_path / "new")).__enter__()
    with lock_folder_of(str(tmp_path / "new")), lock_folder_of(str(tmp_path / "no" / "new")):
        assert not [*tmp_path.glob("*e*/*")]


def test_a_report_is_saved_whole_or_not_at_all(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(b"old")
    report = irev.report(FILES[0], FILES[1], "map")
    report.save(page)
    assert page.read_bytes() == report.page()
    with pytest.raises(IrevError, match="nowhere/page"):
        report.save(tmp_path / "nowhere" / "page")
