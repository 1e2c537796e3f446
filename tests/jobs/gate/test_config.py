"""Settings of a gate in a file that --config names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gates import Ended, gate, write_qrels, write_run

SETTINGS = """
[tool.irev.gate]
qrels = "data/qrels"
run = "data/worse.run"
baseline = "data/good.run"
measures = ["map", "P@1"]
tolerance = 0.5
min = {"map" = 0.4, "P@1" = 0.2}
"""


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with its settings, and a folder inside as the current one."""
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    (tmp_path / ".git").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "data")
    # map is 1, and (3/2 + 1) / 4 = 0.625; P@1 is 1, and 1/4
    write_qrels("qrels", 4)
    write_run("good.run", [1, 1, 1, 1])
    write_run("worse.run", [2, 2, 2, 1])
    (tmp_path / "pyproject.toml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path / "inside")
    return tmp_path


def gate_with_settings(*arguments: object) -> Ended:
    """A gate with the project's settings."""
    return gate("--config", "../pyproject.toml", *arguments)


def test_paths_are_relative_to_the_file() -> None:
    done = gate_with_settings()
    # P@1 falls by 0.75
    assert done.code == 1
    assert "FAILED: 1 of 4 gates" in done.out
    assert "settings of ../pyproject.toml" in done.err


def test_the_command_line_wins() -> None:
    assert gate_with_settings("--tolerance", 0.75).code == 0
    assert gate_with_settings("-m", "map").code == 0
    assert "P@1 is 1.0000" in gate_with_settings("../data/good.run").out
    assert gate_with_settings("../data/qrels", "../data/good.run").code == 0


def test_a_limit_of_the_command_line_replaces_that_of_its_measure_alone() -> None:
    done = gate_with_settings("-m", "map", "--min", "RR=0.1,map=0.7")
    assert done.code == 1
    assert "map is 0.6250, must be at least 0.7" in done.out
    assert "P@1 is 0.2500, must be at least 0.2" in done.out


def test_no_config_and_another_config(files: Path) -> None:
    assert gate().code == 2
    done = gate("--no-config")
    assert done.code == 2
    assert "a settings file is read only where --config names it" in done.err
    (files / "other.toml").write_text('[gate]\nqrels = "data/qrels"\nmin = {"map" = 0.9}\n')
    arguments = ["--config", "../other.toml"]
    assert gate(*arguments, "../data/good.run").code == 0
    assert gate(*arguments, "../data/worse.run").code == 1


def test_any_option_may_stand_there() -> None:
    Path("irev.toml").write_text(
        "[gate]\n"
        'qrels = "../data/qrels"\nrun = "../data/worse.run"\nbaseline = "../data/good.run"\n'
        'alpha = 0.05\nundecided = "pass"\nplaces = 2\nformat = "markdown"\nlevel = 1\n'
        "Judged_docs_only = true\ngithub = false\n",
        encoding="utf-8",
    )
    done = gate("--config", "irev.toml", "--details")
    assert done.out.startswith("### irev gate: PASSED: map is unchanged at 1.00 (baseline 1.00, ")
    # without what was not judged every relevant document stands first
    assert "map is 1.00, which equals the 1.00 of good" in done.out
    assert "sided paired t tests" in done.out


def test_wrong_settings_are_refused() -> None:
    for text, message in [
        ("min = 0.4", "min must be a table of numbers"),
        ('min = {"map" = "x"}', "min must be a table of numbers"),
        ('tolerance = "much"', "tolerance: "),
        ('undecided = "maybe"', "undecided: "),
        ("alpha = true", "alpha must be text or a number, not true or false"),
        ("qrels = 3", "qrels: must be a path"),
        ("measures = 'map'\nMeasures = 'P_5'", "'Measures' sets the same option as another key"),
        ("baseline = {}", "baseline must be text, a number"),
        ("config = 'x'", "unknown key 'config'"),
    ]:
        Path("irev.toml").write_text(f"[gate]\n{text}\n", encoding="utf-8")
        done = gate("--config", "irev.toml", "../data/qrels", "../data/good.run", "--min", "map=0")
        assert (done.code, done.out) == (2, ""), text
        assert done.err.startswith("irev: error: irev.toml: "), text
        assert message in done.err, text


def test_a_file_without_settings_is_refused_where_it_is_named() -> None:
    Path("x.toml").write_text("[compare]\n", encoding="utf-8")
    done = gate("--config", "x.toml")
    assert done.code == 2
    assert "x.toml: this file has no table [gate]" in done.err
    Path("x.toml").write_text("[gaet]\n", encoding="utf-8")
    done = gate("--config", "x.toml")
    assert done.code == 2
    assert "x.toml: unknown section [gaet]\n  hint: did you mean 'gate'?" in done.err
    Path("x.toml").write_text(SETTINGS, encoding="utf-8")
    done = gate("--config", "x.toml")
    assert done.code == 2
    assert "unknown section [tool]\n  hint: [tool.irev.gate] is for pyproject.toml" in done.err
