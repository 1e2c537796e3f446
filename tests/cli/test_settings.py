"""Settings of every command in irev.toml and pyproject.toml."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from irev import config
from irev.cli.commands import COMMANDS, irev
from tests.files import ROOT

SAMPLE = ROOT / "sample_data"
QRELS, BM25, RM3 = (str(SAMPLE / name) for name in ("qrels.txt", "bm25.run", "rm3.run"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, and a folder inside as the current one."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    return tmp_path


def call(*arguments: object) -> tuple[int, str, str]:
    """(exit code, stdout, stderr)."""
    outcome = CliRunner().invoke(irev, [*map(str, arguments)])
    return outcome.exit_code, outcome.stdout, outcome.stderr


def test_settings_are_those_of_the_command_line(folder: Path) -> None:
    """A found file says what the command line says otherwise, and the signature has it."""
    said = call("compare", "--alpha", 0.2, "--test", "t", "-m", "P.5", "-l", 2, QRELS, BM25, RM3)
    (folder / "irev.toml").write_text(
        "[compare]\nalpha = 0.2\ntest = ['t']\nmeasures = ['P.5']\nlevel_for_rel = 2\n"
    )
    found = call("compare", QRELS, BM25, RM3)
    assert found[:2] == said[:2]
    assert found[2].splitlines()[0] == f"irev: note: settings of {folder / 'irev.toml'}"
    assert "l:2" in found[1]
    assert "alpha:0.2" in found[1]
    # the command line wins, and none turns the file off
    assert "alpha:0.3" in call("compare", "--alpha", 0.3, QRELS, BM25, RM3)[1]
    code, out, err = call("compare", "--config", "none", QRELS, BM25, RM3)
    assert (code, "alpha:0.05" in out, "settings" in err) == (0, True, False)


def test_eval_reads_a_file_that_is_named_alone(folder: Path) -> None:
    Path("irev.toml").write_text("[eval]\nmeasures = 'P.5'\nlevel = 2\n")
    assert call(QRELS, BM25) == call("--config", "none", QRELS, BM25)
    code, out, err = call("--config", "irev.toml", QRELS, BM25)
    assert (code, err) == (0, "irev: note: settings of irev.toml\n")
    assert out == call("-m", "P.5", "-l2", QRELS, BM25)[1]


def test_kinds_have_sections_within(folder: Path) -> None:
    Path("pyproject.toml").write_text("[tool.irev.study.correlation]\nmeasures = ['map', 'P.5']\n")
    code, out, err = call("study", "correlation", "--format", "json", QRELS, BM25, RM3)
    assert code == 0
    assert "settings of pyproject.toml" in err
    assert json.loads(out)["parameters"]["measures"] == ["map", "P_5"]


def test_paths_are_seen_from_the_file(folder: Path) -> None:
    (folder / "topics").write_text("10\n11\n")
    (folder / "irev.toml").write_text("[compare]\ntopics = 'topics'\nmeasures = 'map'\n")
    code, out, _ = call("compare", QRELS, BM25, RM3)
    assert code == 0
    assert out.startswith("2 runs on 2 topics")
    # a word is a word, whatever files there are
    (folder / "qrels").write_text("")
    (folder / "irev.toml").write_text("[compare]\ntopics = 'qrels'\nmeasures = 'map'\n")
    assert call("compare", QRELS, BM25, RM3)[1].startswith("2 runs on 12 topics")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[compar]", "unknown section [compar]\n  hint: did you mean 'compare'?"),
        ("alpha = 1", "unknown section [alpha]"),
        ("[study.corelation]", "[study.corelation]\n  hint: did you mean 'correlation'?"),
        ("[compare]\nalhpa = 1", "unknown key 'alhpa'\n  hint: did you mean 'alpha'?"),
        ("[compare]\nlevel = -1", "level: -1 is too small"),
        ("[compare]\ntail = 'up'", "tail: "),
        ("[compare]\nanova = 1", "anova must be true or false"),
        ("[compare]\nlevel = [1, 2]", "level must be a single value"),
        ("[compare]\ngrade_map = 'x'", "grade_map: "),
        ("[compare]\nlevel = 1\nlevel-for-rel = 1", "sets the same option as another key"),
        ("[compare", "this is not valid TOML"),
    ],
)
@pytest.mark.parametrize("name", ["irev.toml", "pyproject.toml"])
def test_what_is_wrong_is_said(name: str, text: str, message: str) -> None:
    if name == "pyproject.toml":
        text = text.replace("[", "[tool.irev.", 1) if text[0] == "[" else f"[tool.irev]\n{text}"
        message = message.replace("[", "[tool.irev.")
    Path(name).write_text(text)
    code, out, err = call("compare", QRELS, BM25, RM3)
    assert (code, out) == (2, "")
    assert err.startswith(f"irev: error: {name}: ")
    assert message in err


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("study", "plot")])
def test_every_command_takes_a_file(command: str) -> None:
    """An unknown key is found in the section of each."""
    Path("x.toml").write_text(f"[{command}]\nnothing-like-it = 1\n")
    code, _, err = call(command, "--config", "x.toml", QRELS, BM25)
    assert code == 2
    assert "x.toml: unknown key 'nothing-like-it'" in err


def test_a_file_is_looked_for_up_to_the_root_of_the_repository(folder: Path) -> None:
    """Above it, and above a folder in no repository, anybody's file may lie."""
    inside, outside = folder / "inside", folder / "irev.toml"
    outside.write_text("[compare]\nmeasures = 'P.5'\n")
    assert "settings of" in call("compare", QRELS, BM25, RM3)[2]
    # a linked worktree or a submodule has a file there
    (inside / ".git").write_text("gitdir: elsewhere\n")
    assert "settings of" not in call("compare", QRELS, BM25, RM3)[2]
    (inside / ".git").unlink()
    (folder / ".git").rmdir()
    assert "settings of" not in call("compare", QRELS, BM25, RM3)[2]


@pytest.mark.parametrize(
    ("command", "setting", "spelled"),
    [
        ("gate", "plugin = 'evil.py'", "--plugin"),
        ("gate", "plugins = ['evil.py']", "--plugin"),
        ("gate", "junit = 'victim'", "--junit"),
        ("gate", "save = 'victim'", "--save"),
        ("compare", "output = 'victim'", "--output"),
        ("leaderboard", "output = 'victim'", "--output"),
        ("report", "output = 'victim'", "--output"),
        ("leaderboard", "codabench = true", "--codabench"),
        ("leaderboard", "accept-scores = true", "--accept-scores"),
        ("check", "follow-links = true", "--follow-links"),
        ("leaderboard", "track = [{name = 'x', qrels = 'q', runs = 'r', plugin = 'evil.py'}]", ""),
        ("study.correlation", "output = 'victim'", "--output"),
        ("plot.median", "output = 'victim.svg'", "--output"),
        ("pool", "report = 'victim'", "--report"),
    ],
)
def test_a_found_file_neither_executes_nor_writes_nor_trusts(
    folder: Path, command: str, setting: str, spelled: str
) -> None:
    """It may be a stranger's, of a pull request or in a folder that others write to."""
    (folder / "evil.py").write_text(f"import os\nos.mkdir({str(folder / 'ran')!r})\n")
    (folder / "victim").write_text("as it was")
    name = folder / "irev.toml"
    name.write_text(f"[{command}]\n{setting}\n")
    files = [] if "track" in setting else [QRELS, BM25, RM3]
    limit = ["--min", "map=0.1"] if command == "gate" else []
    code, out, err = call(*command.split("."), *files, *limit)
    assert (code, out) == (2, "")
    assert err.splitlines()[-2].startswith(f"irev: error: {name}: ")
    assert "a settings file that irev finds by itself may not run code" in err
    assert f"{spelled} on the command line, or --config {name}" in err
    assert not (folder / "ran").exists()
    assert (folder / "victim").read_text() == "as it was"


def test_a_file_that_is_named_may_do_so(folder: Path) -> None:
    (folder / "mine.py").write_text(f"import os\nos.mkdir({str(folder / 'ran')!r})\n")
    (folder / "mine.toml").write_text("[compare]\nplugin = 'mine.py'\noutput = 'made'\n")
    assert call("compare", "--config", "../mine.toml", QRELS, BM25, RM3)[:2] == (0, "")
    assert (folder / "ran").exists()
    assert (folder / "made").read_text().startswith("2 runs on 12 topics")


def test_every_option_that_acts_is_privileged() -> None:
    found: set[str] = set()
    waiting: list[click.Command | None] = [irev]
    while waiting:
        command = waiting.pop()
        context = click.Context(command or irev)
        if isinstance(command, click.Group):
            waiting += [
                command.get_command(context, kind) for kind in command.list_commands(context)
            ]
        elif command is not None:
            found |= {p.opts[0] for p in command.params if getattr(p, "privileged", False)}
    assert found == {
        "--output", "--plot", "--plugin", "--save", "--junit", "--key", "--report", "--design",
        "--runs-to", "--install",
        "--codabench", "--tira", "--log", "--accept-scores", "--follow-links",
    }  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
@pytest.mark.parametrize("whose", ["folder", "file", "link", "linked"])
def test_what_belongs_to_somebody_else_is_passed_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    inside = folder / "inside"
    found = inside / "irev.toml"
    if whose.startswith("link"):
        (folder / "target").write_text("[compare]\nmeasures = 'P.5'\n")
        found.symlink_to(folder / "target")
    else:
        found.write_text("[compare]\nmeasures = 'P.5'\n")
    foreign = {"folder": inside, "linked": folder / "target"}.get(whose, found)
    about_it, strange = os.lstat(foreign), os.geteuid() + 4321

    def as_if(stat: Callable[..., os.stat_result]) -> Callable[..., os.stat_result]:
        def changed(*path: Any, **more: Any) -> os.stat_result:
            given = stat(*path, **more)
            is_it = os.path.samestat(given, about_it)
            return os.stat_result((*given[:4], strange, *given[5:])) if is_it else given

        return changed

    monkeypatch.setattr(os, "stat", as_if(os.stat))
    monkeypatch.setattr(os, "lstat", as_if(os.lstat))
    code, _, err = call("compare", QRELS, BM25, RM3)
    assert code == 0
    assert "settings of" not in err
    assert err.startswith(
        "irev: warning: irev.toml belongs to somebody else and is not read; "
        "--config irev.toml reads it\n"
    )
    assert "not read" not in call("compare", "--quiet", QRELS, BM25, RM3)[2]
    assert call("compare", "--strict", QRELS, BM25, RM3)[:2] == (2, "")
    assert "settings of irev.toml" in call("compare", "--config", "irev.toml", QRELS, BM25, RM3)[2]


def test_the_settings_of_others_projects_are_not_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "_is_ours", lambda *_: False)
    Path("pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert "not read" not in call("compare", QRELS, BM25, RM3)[2]
    Path("pyproject.toml").write_text("[tool.irev.compare]\nmeasures = 'P.5'\n")
    assert "pyproject.toml belongs to somebody else" in call("compare", QRELS, BM25, RM3)[2]
