"""What people install, start or cite irev with: paths are there, options exist, versions agree."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from irev.cli.commands import COMMANDS
from irev.core import __version__
from tests.command import irev
from tests.files import ROOT, SAMPLE

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TEXTS = [
    *ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md"),
    *ROOT.glob("**/Dockerfile"), *ROOT.glob("irev/**/*.py"), ROOT / "Makefile", ROOT / "action.yml",
]  # fmt: skip


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _keys(text: str, section: str) -> set[str]:
    """The keys one level below a section of YAML that stands at the margin."""
    (block,) = re.findall(rf"^{section}:\n((?:  .*\n|\n)+)", text, re.MULTILINE)
    return set(re.findall(r"^  ([\w-]+):", block, re.MULTILINE))


def test_nothing_is_installed_from_an_index_by_name() -> None:
    """There is no irev on an index: what is shown works in a checkout, or with a wheel."""
    by_name = r"(?:pip|pipx|uv tool) install (?:-\S+ )*['\"]?irev\b|uvx irev\b"
    calls = [
        f"{path}: {call}"
        for path in TEXTS
        for call in re.findall(by_name, path.read_text(encoding="utf-8"))
    ]
    assert calls == []
    assert re.search(by_name, "pip install --quiet 'irev[plot]'")


def test_versions() -> None:
    """The one version, wherever a file cannot read it."""
    assert f"\nversion: {__version__}\n" in _text("CITATION.cff")
    assert re.findall(r"^## \[?([\d.]+)", _text("CHANGELOG.md"), re.MULTILINE)[0] == __version__
    assert irev("--version").err.startswith(f"irev {__version__} ")


def test_citation_says_what_the_package_says() -> None:
    citation = _text("CITATION.cff")
    project = PROJECT["project"]
    named = re.findall(r"^  - (?:name: )?(.+)$", citation, re.MULTILINE)
    assert named == [*(author["name"] for author in project["authors"]), *project["keywords"]]
    assert project["description"] in " ".join(citation.split())
    assert f"\nlicense: {project['license']}\n" in citation


def test_source_distribution() -> None:
    """What it takes in is there, and all that the README's commands need."""
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert [path for path in included if not (ROOT / path.removeprefix("/")).exists()] == []
    # without the slash a pattern would be meant wherever there is such a name
    assert {"/irev", "/README.md", "/LICENSE", "/CHANGELOG.md", "/Makefile", "/tests"} <= {
        *included
    }
    assert all(path.startswith("/") for path in included)


def test_wheel() -> None:
    """Tests and tools are for the checkout alone."""
    assert PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"] == {"packages": ["irev"]}


@pytest.mark.parametrize("name", ["Dockerfile", "examples/codabench/Dockerfile"])
def test_images_copy_what_is_there(name: str) -> None:
    """An image is built of files of the checkout, among them all that the package's build reads."""
    lines = re.findall(r"^COPY (?!--)(.+) \S+$", _text(name), re.MULTILINE)
    copied = {path for line in lines for path in line.split()}
    assert {path for path in copied if not (ROOT / path).exists()} == set()
    if name == "Dockerfile":
        needed = {"pyproject.toml", PROJECT["project"]["readme"], "LICENSE", "irev"}
        assert copied == needed | {"tools/pinned.txt"}
    else:
        assert "FROM irev\n" in _text(name)  # what README.md there builds first


def test_image_and_action_install_versions_that_the_package_allows() -> None:
    """All that it needs, each once, and none that is too old."""
    pinned = dict(re.findall(r"^([\w-]+)==([\d.]+)$", _text("tools/pinned.txt"), re.MULTILINE))
    project = PROJECT["project"]
    for needed in project["dependencies"] + project["optional-dependencies"]["plot"]:
        name, oldest = needed.split(">=")
        assert [*map(int, pinned[name].split("."))] >= [*map(int, oldest.split("."))], needed
    assert '--constraint "$SOURCE/tools/pinned.txt"' in _text("action.yml")
    assert not re.findall(r"uses: (?!\S+@[0-9a-f]{40} )", _text("action.yml"))


def test_pre_commit_hook() -> None:
    hook = _text(".pre-commit-hooks.yaml")
    (entry,) = re.findall(r"entry: irev (\w+)$", hook, re.MULTILINE)
    (pattern,) = re.findall(r"files: (\S+)$", hook, re.MULTILINE)
    assert entry in COMMANDS
    names = [path.name for path in SAMPLE.iterdir() if re.search(pattern, f"eval/{path.name}")]
    assert sorted(names) == [
        "bm25.run", "dense.run.gz", "fusion.run", "qrels.txt", "qrels_jg.txt", "rm3.run",
    ]  # fmt: skip


def _script(text: str, step: int = -1) -> str:
    """A script of an action, the last one if none is named."""
    (script,) = re.findall(r"(?:(?: {8}.*)?\n)+", text.split("run: |\n")[step])[:1]
    return dedent(script)


@pytest.fixture
def action(tmp_path: Path) -> dict[str, str]:
    """The environment of the action's last step: no inputs, and irev where it was installed."""
    program = tmp_path / "irev" / "bin" / "irev"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m irev "$@"\n')
    program.chmod(0o755)
    inputs = re.findall(r"^        ([A-Z]+): \$\{\{ inputs\.(\w+) \}\}$", _text("action.yml"), re.M)
    assert all(name == key.upper() for name, key in inputs)
    return {
        **os.environ, **dict.fromkeys([name for name, _ in inputs], ""), "PYTHONPATH": str(ROOT),
        "RUNNER_TEMP": str(tmp_path), "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
    }  # fmt: skip


def _act(action: dict[str, str], folder: Path, **inputs: str) -> int:
    """The exit code of the action's last step."""
    call = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", _script(_text("action.yml"))]
    return subprocess.run(call, cwd=folder, env={**action, **inputs}, check=False).returncode


def test_action_judges_files(action: dict[str, str], tmp_path: Path) -> None:
    """Limits, a baseline and further options become the call; values and summary are written."""
    inputs = {
        "QRELS": str(SAMPLE / "qrels.txt"),
        "RUN": str(SAMPLE / "bm25.run"),
        "MIN": "map=0.35 P_5=0.6",
        "MAX": "P@10=0.1",  # more than that
        "BASELINE": str(SAMPLE / "rm3.run"),
        "ARGS": "--tolerance 0.5 --junit gate.xml",
    }
    assert _act(action, tmp_path, **inputs) == 1
    outputs = dict(
        line.split("=") for line in (tmp_path / "output").read_text(encoding="utf-8").splitlines()
    )
    assert (outputs["outcome"], outputs["failed"], outputs["undecided"]) == ("failed", "1", "0")
    assert outputs["mean_P_5"].startswith("0.64999")  # in full
    assert set(outputs) - {"outcome", "gates", "failed", "undecided"} == {
        "mean_map", "mean_P_5", "mean_P_10",
    }  # fmt: skip
    assert "P@10" in (tmp_path / "summary").read_text(encoding="utf-8")
    assert (tmp_path / "gate.xml").exists()


@pytest.mark.thorough
def test_action_reads_a_configuration(action: dict[str, str], tmp_path: Path) -> None:
    """Files and limits may all stand there; a strange name of a file is no option."""
    (tmp_path / "gate.toml").write_text(
        f"[gate]\nqrels = '{SAMPLE / 'qrels.txt'}'\nrun = '{SAMPLE / 'rm3.run'}'\n"
        "min = { map = 0.4 }\n"
    )
    assert _act(action, tmp_path, CONFIG="gate.toml") == 0
    assert _act(action, tmp_path, CONFIG="gate.toml", QRELS="--help", RUN="$(touch broken)") == 2
    assert not (tmp_path / "broken").exists()


@pytest.mark.parametrize(
    ("inputs", "names"),
    [
        ({"QRELS": "qrels.txt", "RUN": "bm25.run", "MIN": "map=0.35"}, ""),
        ({"BASELINE": "base.json", "ARGS": "--alpha 0.05"}, " scipy"),
        ({"CONFIG": "gate.toml", "RUN": "new.run.zst"}, " scipy pyarrow"),
        ({"CONFIG": "no.toml", "RUN": "x.parquet", "PACKAGES": "a\nb"}, " pyarrow a b"),
    ],
)  # fmt: skip
def test_action_installs_what_is_needed(
    action: dict[str, str], tmp_path: Path, inputs: dict[str, str], names: str
) -> None:
    """For a test scipy, pyarrow for files that only it reads."""
    (tmp_path / "gate.toml").write_text("[gate]\nalpha = 0.05\n")
    script = _script(_text("action.yml"), 1)
    environment = {**action, **inputs, "SOURCE": str(ROOT)}
    subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script], cwd=tmp_path, env=environment, check=True
    )
    (line, _) = (tmp_path / "output").read_text(encoding="utf-8").splitlines()
    assert line.rstrip() == f"names=click numpy tabulate{names}"


def test_action_says_what_its_step_writes() -> None:
    """Inputs are those of its script; the guide's workflow gives and reads no others."""
    text = _text("action.yml")
    inputs, outputs = _keys(text, "inputs"), _keys(text, "outputs")
    assert inputs == set(re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", text))
    assert outputs == {"outcome", "gates", "failed", "undecided", "all"}

    (workflow,) = re.findall(r"```yaml\n(name: retrieval.*?)```", _text("docs/ci.md"), re.S)
    (inputs_of_guide,) = re.findall(r"uses: \./\S+\n +with:\n((?: {10}.*\n)+)", workflow)
    assert set(re.findall(r"^ +([\w-]+):", inputs_of_guide, re.MULTILINE)) <= inputs
    assert set(re.findall(r"steps\.gate\.outputs\.(\w+)", workflow)) <= outputs
