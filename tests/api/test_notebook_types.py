"""The code of the notebook page is typed: mypy --strict finds nothing in it."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

from tests.files import ROOT

pytest.importorskip("mypy")  # which make matrix has none of


def test_the_notebook_page_is_typed(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_examples(page)
    assert len(examples) > 20
    cells = tmp_path / "cells.py"
    cells.write_text("".join(example.source for example in examples), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(cells)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_a_wrong_keyword_and_a_wrong_type_are_found(tmp_path: Path) -> None:
    cells = tmp_path / "cells.py"
    cells.write_text(
        "import irev\n"
        "irev.gate('q', 'r', mni={'map': 0.3})\n"
        "irev.gate('q', 'r', min={'map': 0.3}, tolerance='x')\n"
        "reveal_type(irev.gate('q', 'r', min={'map': 0.3}).passed)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(cells)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert 'Unexpected keyword argument "mni"' in done.stdout
    assert 'Argument "tolerance"' in done.stdout
    assert 'Revealed type is "builtins.bool"' in done.stdout or 'is "bool"' in done.stdout
