"""The gallery of figures: its commands run, and every kind of figure stands on it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from irev.cli.commands import irev
from irev.cli.plot import PLOTS
from irev.jobs.plots.comparison_figures import COMPARISON_FIGURES
from tests.files import ROOT
from tools.figures.gallery import (
    FIGURES,
    GALLERY,
    command_words,
    drawn_figures,
    gallery_commands,
    gallery_pictures,
)

PAGE = GALLERY.read_text(encoding="utf-8")


def test_every_kind_of_figure_has_a_command() -> None:
    commands = "\n".join(gallery_commands(PAGE))
    for kind in PLOTS:
        assert f"irev plot {kind} " in commands
    for kind in set(COMPARISON_FIGURES) - {"forest"}:
        assert f"--plot-kind {kind} " in commands
    assert re.search("irev compare (?!.*--plot-kind)", commands)


def test_pictures_are_there_and_no_others() -> None:
    assert {path.name for path in FIGURES.glob("*.svg")} == {*gallery_pictures(PAGE), "growth.svg"}


@pytest.mark.thorough
def test_commands_draw_the_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unplaced: None
) -> None:
    """Every figure that a command writes is shown, unless another command's of its name is."""
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    monkeypatch.chdir(tmp_path)
    for command in gallery_commands(PAGE):
        outcome = CliRunner().invoke(irev, command_words(command, tmp_path))
        assert outcome.exit_code == 0, (command, outcome.output)
    drawn, shown = drawn_figures(tmp_path), gallery_pictures(PAGE)
    assert set(shown) <= set(drawn)
    kinds_shown = {name.rpartition("-")[2] for name in shown}
    assert {name.rpartition("-")[2] for name in drawn} <= kinds_shown
