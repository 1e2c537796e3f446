"""Which files are submissions, what they are called, and what of them is shown."""

from __future__ import annotations

import errno
import json
import os
import pickle
import re
import shutil
import socket
import sys
from pathlib import Path

import pytest

from irev.cli import leaderboard
from irev.engine.run_files import MOST_LEVELS, Submission, find_submissions, submission_names
from irev.errors import InputError, UsageError
from irev.read.stream import FoundFile, Source
from tests.command import irev
from tests.files import SAMPLE

QRELS = SAMPLE / "qrels.txt"
FAST = ("-m", "map", "--test", "none", "--ci", "none")
SECRET = "1 0 hidden-document-4711 3\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with two honest runs, beside the place where the command is called."""
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    for name in ("bm25.run", "rm3.run"):
        shutil.copy(SAMPLE / name, "sub")
    return Path("sub")


def lines(name):
    return (SAMPLE / name).read_text(encoding="utf-8").splitlines()


def with_tag(name, tag):
    """A run's lines with another tag."""
    return "".join(f"{line[: -len(line.split()[-1])]}{tag}\n" for line in lines(name))


def board(*arguments):
    """The only board, and the submissions that are not on it."""
    ran = irev("leaderboard", *FAST, "--format", "json", *arguments)
    assert ran.code == 0, ran.err
    [track] = json.loads(ran.out)["leaderboard"]
    return track["boards"][0], track["broken"]


# --- files ---------------------------------------------------------------------------------------


def found(*given, **more):
    return [each.path for each in find_submissions(map(str, given), **more).files]


def test_all_files_below_a_folder(tmp_path):
    for name in ("b/deep/2.run", "b/1.run.gz", "b/.hidden", "b/__MACOSX/1.run", "a.run"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    paths = [tmp_path / "b", tmp_path / "a.run", tmp_path / "b/1.run.gz"]
    assert [path.removeprefix(f"{tmp_path}/") for path in found(*paths)] == [
        "b/1.run.gz", "b/deep/2.run", "a.run",
    ]  # fmt: skip


def test_a_folder_without_submissions(tmp_path):
    (tmp_path / ".hidden").touch()
    with pytest.raises(UsageError, match="no submission"):
        find_submissions([str(tmp_path)])


def test_a_readme_is_told_as_what_it_is(folder):
    (folder / "README.md").write_text("Our runs\n\nmap all 0.25\n", encoding="utf-8")
    ran = irev("leaderboard", *FAST, QRELS, "sub")
    assert ran.code == 0
    assert "README.md: documentation of the other files, not a run" in ran.out.decode()
    (folder / "README.md").rename(folder / "notes.txt")
    assert "notes.txt:1: a line has too few fields" in irev("leaderboard", *FAST, QRELS, "sub").err


def lay_traps(folder):
    """A link to each kind of thing, in the folder and below, and special files."""
    secret = folder.parent / "secret"
    (secret / "inner").mkdir(parents=True)
    (secret / "inner" / "truth.txt").write_text(SECRET, encoding="utf-8")
    (folder / "below").mkdir()
    (folder / "a_link.run").symlink_to("../secret/inner/truth.txt")
    (folder / "below" / "b_link.run").symlink_to("../../secret/inner/truth.txt")
    (folder / "c_folder").symlink_to("../secret/inner")
    (folder / "d_nowhere").symlink_to("gone")
    (folder / "e_stdin").symlink_to("/dev/stdin")
    (folder / "f_round").symlink_to(".")
    os.mkfifo(folder / "g_pipe.run")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(folder / "h_socket"))
    return 8


def test_links_and_special_files_are_told_and_never_opened(folder):
    count = lay_traps(folder)
    assert found(folder) == ["sub/bm25.run", "sub/rm3.run"]
    refused = find_submissions(["sub"]).refused
    kinds = {path.removeprefix("sub/"): error.problems[0].kind for path, error in refused}
    assert kinds == {
        "a_link.run": "link", "below/b_link.run": "link", "c_folder": "link", "d_nowhere": "link",
        "e_stdin": "link", "f_round": "link", "g_pipe.run": "special-file",
        "h_socket": "special-file",
    }  # fmt: skip
    for form in ("table", "json", "html"):
        ran = irev("leaderboard", *FAST, "--format", form, QRELS, "sub")
        assert ran.code == 0
        assert "hidden-document" not in ran.out.decode() + ran.err
        assert f"2 scored, {count} could not be scored" in ran.err
        assert "a_link" in ran.out.decode()


def test_an_organisers_own_layout_may_have_links(folder):
    lay_traps(folder)
    (folder / "a_link.run").unlink()
    (folder / "a_link.run").symlink_to(SAMPLE.resolve() / "fusion.run")
    taken = find_submissions(["sub"], follow_links=True)
    assert [each.path for each in taken.files] == [
        "sub/a_link.run", "sub/bm25.run", "sub/rm3.run", "sub/below/b_link.run",
    ]  # fmt: skip
    kinds = {path: error.problems[0].kind for path, error in taken.refused}
    assert kinds.pop("sub/d_nowhere") == "link"
    assert set(kinds.values()) == {"special-file"}
    scored, _ = board("--follow-links", QRELS, "sub")
    assert [run["run"] for run in scored["runs"]] == ["a_link", "rm3", "bm25"]


def test_the_folder_itself_and_files_that_are_named_may_be_links(folder):
    Path("uploads").symlink_to("sub")
    Path("mine.run").symlink_to(folder / "bm25.run")
    assert found("uploads") == ["uploads/bm25.run", "uploads/rm3.run"]
    scored, broken = board(QRELS, "mine.run")
    assert ([run["run"] for run in scored["runs"]], broken) == (["mine"], [])


def exchange_for_link(path):
    path.unlink()
    path.symlink_to("../secret")


def exchange_for_pipe(path):
    path.unlink()
    os.mkfifo(path)


def exchange_folder(path):
    path.parent.rename("elsewhere")
    Path("others").mkdir(exist_ok=True)
    Path("others", path.name).write_text(SECRET, encoding="utf-8")
    path.parent.symlink_to("others")


@pytest.mark.parametrize("exchange", [exchange_for_link, exchange_for_pipe, exchange_folder])
def test_what_was_exchanged_since_it_was_found_is_not_read(folder, exchange):
    Path("secret").write_text(SECRET, encoding="utf-8")
    [one, other] = find_submissions(["sub"]).files
    exchange(Path(one.path))
    with Source(one.path) as source, pytest.raises(InputError, match="was replaced"):
        source.content()
    if exchange is not exchange_folder:
        with Source(other.path) as source:
            assert source.content() == (SAMPLE / "rm3.run").read_bytes()


def test_where_links_are_followed_a_new_file_is_read_but_no_pipe(folder):
    [one, other] = find_submissions(["sub"], follow_links=True).files
    Path("new").write_text("new", encoding="utf-8")
    Path("new").replace(one.path)
    exchange_for_pipe(Path(other.path))
    with Source(one.path) as source:
        assert source.content() == b"new"
    with Source(other.path) as source, pytest.raises(InputError, match="was replaced"):
        source.content()


@pytest.mark.parametrize("exchange", [exchange_for_link, exchange_for_pipe])
def test_a_leaderboard_reads_what_it_found_alone(folder, monkeypatch, exchange):
    """An upload that is exchanged while the command runs, right before anything is read."""
    Path("secret").write_text(SECRET, encoding="utf-8")

    def exchanged(*_):
        if not (folder / "rm3.run").is_symlink():
            exchange(folder / "rm3.run")

    monkeypatch.setattr(leaderboard, "refuse_overwriting_and_stdin_twice", exchanged)
    ran = irev("leaderboard", *FAST, "--log", "log", QRELS, "sub")
    assert ran.code == 0
    assert "not scored: sub/rm3.run: the file cannot be opened" in ran.err
    assert "this file was replaced after it was found" in Path("log").read_text(encoding="utf-8")
    for text in (ran.out.decode(), ran.err, Path("log").read_text(encoding="utf-8")):
        assert "hidden-document" not in text


def test_a_found_file_stays_one_in_another_process(folder):
    [one, _] = find_submissions(["sub"]).files
    assert isinstance(one.path, FoundFile)
    again = pickle.loads(pickle.dumps(one.path))
    assert type(again) is FoundFile
    assert (again, again.identity, again.follow_links) == (
        one.path, one.path.identity, one.path.follow_links,
    )  # fmt: skip


def test_folders_within_each_other(tmp_path):
    deep = tmp_path.joinpath("sub", *["d"] * MOST_LEVELS)
    (deep / "d").mkdir(parents=True)
    (deep / "a.run").touch()
    (deep / "d" / "b.run").touch()
    taken = find_submissions([str(tmp_path / "sub")])
    assert [os.path.basename(each.path) for each in taken.files] == ["a.run"]
    [(path, error)] = taken.refused
    assert (path, error.problems[0].kind) == (str(deep / "d"), "unreadable-folder")


def test_a_folder_that_cannot_be_read(folder, monkeypatch):
    (folder / "shut").mkdir()
    opened = os.open

    def refusing(path, *arguments, **more):
        if path == "shut":
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(path, *arguments, **more)

    monkeypatch.setattr(os, "open", refusing)
    [(path, error)] = find_submissions(["sub"]).refused
    assert (path, error.problems[0].kind) == ("sub/shut", "unreadable-folder")


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["sub/bm25.run", "sub/dense.run.gz"], ["bm25", "dense"]),
        (["sub/k1=0.9_b=0.4.run", "sub/noend"], ["k1=0.9_b=0.4", "noend"]),
        (["sub/a.run", "sub/a.txt", "sub/b.txt"], ["a.run", "a.txt", "b"]),
        (["x/run.txt", "y/run.txt"], ["x/run", "y/run"]),
        (["s/x/run.txt", "s/x/run.gz", "s/y/run.gz"], ["run.txt", "x/run", "y/run"]),
        (["1/x/run.txt", "2/x/run.txt"], ["1/x/run", "2/x/run"]),
        (["a.run.txt", "sub/a.run"], ["a.run", "a"]),
        ([".run", "sub/.gz"], [".run", ".gz"]),
        (["sub/a\x1b[2J\n.run"], ["a\\x1b[2J\\n"]),
    ],
)
def test_runs_are_called_by_file_and_folder(paths, names):
    assert submission_names(map(Submission, paths)) == names


def test_the_whole_path_is_a_name_where_nothing_shorter_tells_files_apart():
    paths = ["a/x.run", "a/x.txt", "b/x.run", "b/x.txt"]
    assert submission_names(map(Submission, paths)) == paths


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_folder_that_becomes_a_link_is_not_followed(tmp_path, monkeypatch):
    """Between being seen and being opened, as somebody may do who can write to the folder."""
    (tmp_path / "sub" / "team").mkdir(parents=True)
    (tmp_path / "sub" / "one.run").touch()
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "truth.run").write_text(SECRET, encoding="utf-8")
    open_folder = os.open

    def exchanging(path, flags, *more, dir_fd=None):
        if path == "team" and dir_fd is not None:
            (tmp_path / "sub" / "team").rmdir()
            (tmp_path / "sub" / "team").symlink_to("../secret")
        return open_folder(path, flags, *more, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", exchanging)
    submitted = find_submissions([str(tmp_path / "sub")])
    assert [each.path for each in submitted.files] == [f"{tmp_path}/sub/one.run"]
    assert (tmp_path / "sub" / "team").is_symlink()


def test_long_names_are_cut_and_stay_apart():
    files = [Submission(f"sub/{'x' * 200}{end}.run") for end in "abc"]
    names = submission_names(files)
    assert len({*names}) == 3
    assert all(re.fullmatch("x{49}[.]{3}[0-9a-f]{12}", name) for name in names)
    # each by itself: no other file changes it
    assert [submission_names([file]) for file in files] == [[name] for name in names]


def test_what_is_escaped_in_a_name_is_no_other_name():
    """A byte that is not UTF-8, the character of its number, and what the escape is written as."""
    names = [os.fsdecode(b"caf\x85"), "caf\x85", r"caf\x85", r"caf\u0085", r"caf\\x85"]
    files = [Submission(f"sub/{name}.run") for name in names]
    shown = submission_names(files)
    assert shown[:3] == [r"caf\x85", r"caf\u0085", r"caf\\x85"]
    assert len({*shown}) == len(names)
    assert [submission_names([file]) for file in files] == [[name] for name in shown]


def test_a_tag_changes_no_other_row(folder):
    alone, _ = board(QRELS, "sub")
    Path("teams").write_text("rm3 TeamRM\nbm25 TeamBM\n", encoding="utf-8")
    (folder / "teamC.run").write_text(with_tag("bm25.run", "rm3"), encoding="utf-8")
    beside, broken = board("--teams", "teams", QRELS, "sub")
    assert broken == []
    assert [(run["run"], run["team"]) for run in beside["runs"]] == [
        ("rm3", "TeamRM"), ("bm25", "TeamBM"), ("teamC", None),
    ]  # fmt: skip
    values = {run["run"]: run["measures"]["map"]["value"] for run in beside["runs"]}
    for run in alone["runs"]:
        assert values[run["run"]] == run["measures"]["map"]["value"]


def test_tags_that_are_others_tags_and_paths(folder):
    for path in folder.iterdir():
        path.unlink()
    shutil.copy(SAMPLE / "bm25.run", folder / "teamA.run")
    (folder / "teamB.run").write_text(with_tag("rm3.run", "bm25"), encoding="utf-8")
    (folder / "teamC.run").write_text(with_tag("rm3.run", "sub/teamA.run"), encoding="utf-8")
    scored, broken = board(QRELS, "sub")
    assert [run["run"] for run in scored["runs"]] == ["teamB", "teamC", "teamA"]
    assert broken == []


def test_a_long_tag_is_cut_and_pads_nothing(folder):
    small = len(irev("leaderboard", *FAST, QRELS, "sub").out)
    # a run's tag is that of its last line
    (folder / "long.run").write_text(
        "\n".join(lines("bm25.run")) + "t" * 100_000 + "\n", encoding="utf-8"
    )
    for form in ("csv", "json", "html"):
        ran = irev("leaderboard", *FAST, "--format", form, QRELS, "sub")
        assert b"t" * 62 not in ran.out
        assert "t" * 62 not in ran.err
    assert len(irev("leaderboard", *FAST, QRELS, "sub").out) < 2 * small
    tags = {run["run"]: run["runid"] for run in board(QRELS, "sub")[0]["runs"]}
    assert tags["long"] == "bm25" + "t" * 57 + "..."


def test_a_run_that_is_another_one_is_told(folder):
    doubled = "".join(
        f"{t} Q0 {d} 1 {2 * float(score)} copied\n"
        for t, _, d, _, score, _ in map(str.split, lines("bm25.run"))
    )
    (folder / "zz.run").write_text(doubled, encoding="utf-8")
    # without a relevant document two runs score alike; that does not make them the same
    for name, other in (("nil", "x"), ("nothing", "y")):
        (folder / name).write_text(
            "".join(f"{n} Q0 {other} 1 1 t\n" for n in range(1, 13)), encoding="utf-8"
        )
    ran = irev("leaderboard", *FAST, "--log", "log", QRELS, folder)
    told = [line for line in ran.err.splitlines() if "same order" in line]
    # none is called the copy
    twins = "bm25 and zz rank the same documents in the same order"
    assert told == [f"irev: warning: {twins}"]
    assert twins in Path("log").read_text(encoding="utf-8")
    assert irev("leaderboard", *FAST, "--strict", QRELS, folder).code == 2


def test_teams_by_folder_path_and_name(folder):
    shutil.copy(SAMPLE / "bm25.run", folder / "one.run")
    for team, name in (("x", "run"), ("y", "run"), ("y", "z"), ("z", "other"), ("v", "x")):
        (folder / team).mkdir(exist_ok=True)
        shutil.copy(SAMPLE / "bm25.run", folder / team / f"{name}.run")
    Path("teams").write_text(
        "x Kiwis\ny Herons\ny/z.run Storks\nsub/bm25.run Terns\nrm3.run Rails\none Auks\ngone G\n",
        encoding="utf-8",
    )
    ran = irev("leaderboard", *FAST, "--format", "json", "--teams", "teams", QRELS, "sub")
    [track] = json.loads(ran.out)["leaderboard"]
    assert {run["run"]: run["team"] for run in track["boards"][0]["runs"]} == {
        "x/run": "Kiwis", "y/run": "Herons", "y/z": "Storks", "z/other": None, "bm25": "Terns",
        # a file called as a folder that is listed is none of that team
        "rm3": "Rails", "one": "Auks", "v/x": None,
    }  # fmt: skip
    assert "not on the board: gone" in ran.err


@pytest.mark.parametrize("word", ["bm25", "bm25.run", "sub/bm25.run"])
def test_anothers_upload_takes_no_runs_team(folder, word):
    """A word of the list is a path first: that of the file directly in the folder."""
    Path("teams").write_text(f"{word} Terns\n", encoding="utf-8")
    for place in ("v", "bm25.run.d"):
        (folder / place).mkdir()
        shutil.copy(SAMPLE / "rm3.run", folder / place / "bm25.run")
        scored, _ = board("--teams", "teams", QRELS, "sub")
        teams = {run["run"]: run["team"] for run in scored["runs"]}
        assert {run for run, team in teams.items() if team} == {"bm25"}


@pytest.mark.parametrize(
    ("uploads", "word", "files"),
    [
        (["v/a.run", "w/a.run"], "a", "sub/v/a.run, sub/w/a.run"),
        (["v/a.run", "w/a.run"], "a.run", "sub/v/a.run, sub/w/a.run"),
        (["bm25.txt"], "bm25", "sub/bm25.run, sub/bm25.txt"),
        (["bm25/x.run"], "bm25", "bm25/, sub/bm25.run"),
    ],
)
def test_a_word_that_fits_several_files_is_refused(folder, uploads, word, files):
    for upload in uploads:
        (folder / upload).parent.mkdir(exist_ok=True)
        shutil.copy(SAMPLE / "rm3.run", folder / upload)
    Path("teams").write_text(f"{word} Terns\n", encoding="utf-8")
    ran = irev("leaderboard", *FAST, "--teams", "teams", QRELS, "sub")
    assert (ran.code, ran.out) == (2, b"")
    assert f"{word} in the list of teams may be any of {files}: write the path" in ran.err


def test_anothers_upload_changes_no_made_up_name(folder):
    """Not even one that changes what a run is called on the board."""
    anonymous = ("--anonymous", "--key", "key", QRELS, "sub")
    board(*anonymous)
    first = set(Path("key").read_text(encoding="utf-8").splitlines())
    assert first == {"run-1\trm3.run", "run-2\tbm25.run"}
    for upload in ("a/bm25.run", "bm25.txt"):
        (folder / upload).parent.mkdir(exist_ok=True)
        shutil.copy(SAMPLE / "fusion.run", folder / upload)
        board(*anonymous)
        assert first < set(Path("key").read_text(encoding="utf-8").splitlines())
    (folder / "bm25.run").unlink()
    board(*anonymous)
    assert "run-2\tbm25.run" in Path("key").read_text(encoding="utf-8")
    assert "run-2\tbm25.txt" not in Path("key").read_text(encoding="utf-8")


def test_what_lies_in_one_folder_renames_nothing_in_another(folder):
    Path("more").mkdir()
    shutil.copy(SAMPLE / "fusion.run", "more/rm3.run")
    scored, _ = board(QRELS, "sub", "more")
    assert [run["run"] for run in scored["runs"]] == ["more/rm3", "sub/rm3", "sub/bm25"]


# --- what is shown of them -----------------------------------------------------------------------


def spoil(folder):
    """Submissions with a word of their own in every place that a message could quote; how many."""
    contents = {
        "fields.run": "word-1 Q0\n",
        "score.run": "1 Q0 word-2 1 word-2b t\n",
        "twice.run": "1 Q0 word-3 1 1 t\n1 Q0 word-3 2 1 t\n",
        "topic.run": "word-4 Q0 d 1 1 t\n",
        "kind.run": "word-5,word-5b\nword-5c,word-5d\n",
        "json.run": '{"word-6": {"word-6b": "word-6c"}}\n',
        "csv.run": "topic,document,score\n1,d,word-7\n",
        "lines.run": '{"topic": "1", "document": "word-8", "score": "word-8b"}\n',
    }
    for name, text in contents.items():
        (folder / name).write_text(text, encoding="utf-8")
    return len(contents)


@pytest.mark.parametrize("form", ["table", "csv", "json", "html"])
def test_what_stands_in_a_submission_stands_in_the_log_alone(folder, form):
    count = spoil(folder)
    ran = irev("leaderboard", *FAST, "--format", form, "--log", "log", QRELS, "sub")
    assert ran.code == 0
    assert "word-" not in ran.out.decode() + ran.err
    assert f"2 scored, {count} could not be scored; log says in full what is wrong" in ran.err
    for name, line, meaning in (
        ("fields.run", 1, "a line has too few fields"),
        ("score.run", 1, "the score is not a number"),
    ):  # fmt: skip
        assert f"not scored: sub/{name}:{line}: {meaning}" in ran.err
        assert name in ran.out.decode()
        assert meaning in ran.out.decode()
    log = Path("log").read_text(encoding="utf-8")
    for word in ("word-1", "word-2b", "word-3", "word-4", "word-7"):
        assert word in log
    assert "score 'word-2b' is not a number" in log
    assert "sub/score.run:1: " in log


def test_where_nothing_could_be_scored_nothing_is_quoted_either(folder):
    for path in folder.iterdir():
        path.unlink()
    spoil(folder)
    lay_traps(folder)
    ran = irev("leaderboard", *FAST, "--log", "log", QRELS, "sub")
    assert (ran.code, ran.out) == (2, b"")
    assert "word-" not in ran.err
    assert "score.run:1: the score is not a number" in ran.err
    assert "g_pipe.run: a pipe" in ran.err
    assert "word-2b" in Path("log").read_text(encoding="utf-8")
    assert "hidden-document" not in Path("log").read_text(encoding="utf-8")


def test_a_folder_of_links_alone(folder):
    for path in folder.iterdir():
        path.unlink()
    (folder / "a.run").symlink_to(SAMPLE.resolve() / "bm25.run")
    ran = irev("leaderboard", *FAST, QRELS, "sub")
    assert (ran.code, ran.out) == (2, b"")
    assert "sub/a.run: a link, which is not followed" in ran.err
    assert "--log FILE says in full" in ran.err


def test_json_says_the_kind_of_what_is_wrong(folder):
    (folder / "bad.run").write_text("1 Q0 d 1 high t\n", encoding="utf-8")
    (folder / "other.run").write_text("no-such-topic Q0 d 1 1 t\n", encoding="utf-8")
    _, broken = board(QRELS, "sub")
    assert broken == [
        {
            "path": "sub/bad.run", "line": 1, "kind": "bad-score",
            "reason": "the score is not a number",
        },
        {
            "path": "sub/other.run", "line": None, "kind": "no-common-topic",
            "reason": "run and judgments have no topic in common",
        },
    ]  # fmt: skip


def test_the_log_replaces_nothing_that_is_read(folder):
    before = (folder / "bm25.run").read_bytes()
    ran = irev("leaderboard", *FAST, "--log", "sub/bm25.run", QRELS, "sub")
    assert (ran.code, ran.out) == (2, b"")
    assert (folder / "bm25.run").read_bytes() == before


def test_a_path_with_a_zero_byte_is_no_file():
    with pytest.raises(InputError, match="there is no such file"):
        find_submissions(["bm25\0.run"])
