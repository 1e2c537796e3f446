"""Settings of every command in irev.toml and pyproject.toml, where --config names them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from irev.cli.commands import COMMANDS, irev
from tests.each import for_each
from tests.files import ROOT

SAMPLE = ROOT / "sample_data"
QRELS, BM25, RM3 = (str(SAMPLE / name) for name in ("qrels.txt", "bm25.run", "rm3.run"))
FILES = (QRELS, BM25, RM3)


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
    """A file says what the command line says otherwise, and the signature has it."""
    words = ("--alpha", 0.2, "--test", "t", "-m", "P.5", "-l", 2, "--details")
    spelled_out = call("compare", *words, *FILES)
    (folder / "irev.toml").write_text(
        "[compare]\nalpha = 0.2\ntest = ['t']\nmeasures = ['P.5']\nlevel_for_rel = 2\n"
        "details = true\n"
    )
    named = ("--config", "../irev.toml")
    code, out, err = call("compare", *named, *FILES)
    assert (code, out) == spelled_out[:2]
    assert err.splitlines()[0] == "irev: note: settings of ../irev.toml"
    assert "l:2" in out
    assert "alpha:0.2" in out
    # the command line wins
    assert "alpha:0.3" in call("compare", *named, "--alpha", 0.3, *FILES)[1]


def test_a_word_is_no_path_though_a_file_is_called_so(folder: Path) -> None:
    (folder / "qrels").write_text("1\n2\n")
    (folder / "irev.toml").write_text("[compare]\ntopics = 'qrels'\n")
    code, out, _ = call("compare", "--config", "../irev.toml", *FILES)
    assert (code, out) == call("compare", "--topics", "qrels", *FILES)[:2]
    (folder / "irev.toml").write_text("[compare]\ntopics = './qrels'\n")
    assert call("compare", "--config", "../irev.toml", *FILES)[1] != out


def test_eval_takes_a_file(folder: Path) -> None:
    (folder / "irev.toml").write_text("[eval]\nmeasures = 'P.5'\nlevel = 2\n")
    code, out, err = call("--config", "../irev.toml", QRELS, BM25)
    assert (code, err) == (0, "irev: note: settings of ../irev.toml\n")
    assert out == call("-m", "P.5", "-l2", QRELS, BM25)[1]


def test_kinds_have_sections_within() -> None:
    Path("pyproject.toml").write_text(
        "[tool.irev.study.correlation]\nmeasures = ['map', 'P.5']\n", encoding="utf-8"
    )
    named = ("--config", "pyproject.toml")
    code, out, err = call("study", "correlation", *named, "--format", "json", *FILES)
    assert code == 0
    assert "settings of pyproject.toml" in err
    assert json.loads(out)["parameters"]["measures"] == ["map", "P_5"]


def test_paths_are_seen_from_the_file(folder: Path) -> None:
    (folder / "topics").write_text("10\n11\n")
    (folder / "irev.toml").write_text("[compare]\ntopics = 'topics'\nmeasures = 'map'\n")
    named = ("--config", "../irev.toml")
    code, out, _ = call("compare", *named, *FILES)
    assert code == 0
    assert out.startswith("cannot be decided: only 1 of 2 topics differs (rm3 against bm25: map")


@for_each(
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
        ("[compare]\ntopics = 'x'\nmeasures = [\"a\\u0000\"]", "a text holds a zero byte"),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    of_project = text.replace("[", "[tool.irev.", 1) if text[0] == "[" else f"[tool.irev]\n{text}"
    for name, content, told in (
        ("irev.toml", text, message),
        ("pyproject.toml", of_project, message.replace("[", "[tool.irev.")),
    ):
        Path(name).write_text(content, encoding="utf-8")
        code, out, err = call("compare", "--config", name, *FILES)
        assert (code, out) == (2, "")
        assert f"irev: error: {name}: " in err
        assert told in err


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("study", "plot")])
def test_every_command_takes_a_file(command: str) -> None:
    """An unknown key is found in the section of each."""
    Path("x.toml").write_text(f"[{command}]\nnothing-like-it = 1\n", encoding="utf-8")
    code, _, err = call(command, "--config", "x.toml", QRELS, BM25)
    assert code == 2
    assert "x.toml: unknown key 'nothing-like-it'" in err


def test_no_file_is_read_that_is_not_named(folder: Path) -> None:
    """Neither here nor above, not even one that is wrong; one that lies here is named in a note."""
    plain = call("compare", *FILES)
    (folder / "irev.toml").write_text("[compare]\nmeasures = 'P.5'\n")
    (folder / "pyproject.toml").write_text("[tool.irev.compare]\nmeasures = 'P.5'\n")
    assert call("compare", *FILES) == plain
    Path("pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    assert call("compare", *FILES) == plain
    note = "irev: note: {0}: not read; name it with --config {0}\n"
    Path("pyproject.toml").write_text("[tool.irev.compare]\nmeasures = 'P.5'\n", encoding="utf-8")
    assert call("compare", *FILES) == (*plain[:2], note.format("pyproject.toml") + plain[2])
    Path("irev.toml").write_text("nothing like TOML", encoding="utf-8")
    assert call("compare", *FILES) == (*plain[:2], note.format("irev.toml") + plain[2])


@pytest.mark.parametrize(
    "line", ["-m map Q R", "compare -m map Q R R", "gate --min map=0.1 Q R", "plot scatter --help"]
)
def test_the_note_stops_nothing(line: str) -> None:
    """It is no warning, and a quiet command and a page of help lack it."""
    words = [{"Q": QRELS, "R": BM25}.get(word, word) for word in line.split()]
    plain = call(*words, "--strict")
    Path("irev.toml").write_text("[gate]\nmin = {map = 1}\n", encoding="utf-8")
    code, out, err = call(*words, "--strict")
    assert (code, out) == plain[:2]
    assert err.count("irev.toml: not read") == ("--help" not in words)
    assert "irev.toml" not in call(*words, "--quiet")[2]


def test_a_call_without_files_says_which_was_not_read() -> None:
    Path("irev.toml").write_text(
        f"[gate]\nqrels = '{QRELS}'\nrun = '{RM3}'\nmin = {{map = 0.4}}\n", encoding="utf-8"
    )
    code, out, err = call("gate")
    assert (code, out) == (2, "")
    assert err.startswith("irev: note: irev.toml: not read; name it with --config irev.toml\n")
    assert call("gate", "--config", "irev.toml")[0] == 0


def test_a_named_file_may_run_code_and_write(folder: Path) -> None:
    (folder / "mine.py").write_text(f"import os\nos.mkdir({str(folder / 'ran')!r})\n")
    (folder / "mine.toml").write_text("[compare]\nplugin = 'mine.py'\noutput = 'made'\n")
    assert call("compare", "--config", "../mine.toml", *FILES)[:2] == (0, "")
    assert (folder / "ran").exists()
    assert (folder / "made").read_text(encoding="utf-8").startswith("rm3 is better than bm25: ")


def test_a_pipe_of_that_name_is_not_opened() -> None:
    os.mkfifo("pyproject.toml")
    assert "not read" not in call("compare", *FILES)[2]
