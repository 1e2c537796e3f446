"""What a call imports: starting is part of the speed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from tests.files import SAMPLE

HEAVY = ("pandas", "scipy", "matplotlib", "tabulate", "pyspark")


def _imported_modules(program: str) -> set[str]:
    """The modules that a program has imported at its end."""
    code = f"import sys\n{program}\nprint(*sys.modules, sep='\\n', file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    return {name.partition(".")[0] for name in done.stderr.split()}


def _command(*arguments: str) -> str:
    return (
        f"sys.argv = ['irev', *{arguments!r}]\n"
        "from irev.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass"
    )


def test_help_imports_click_alone() -> None:
    """`irev --help` needs neither NumPy nor Arrow."""
    imported = _imported_modules(_command("--help"))

    assert "click" in imported
    assert imported.isdisjoint({*HEAVY, "numpy", "pyarrow"})


@pytest.mark.parametrize(
    "arguments",
    [
        (str(SAMPLE / "qrels.txt"), str(SAMPLE / "bm25.run")),
        ("-q", "-m", "all_trec", str(SAMPLE / "qrels.txt"), str(SAMPLE / "fusion.run")),
        ("--format", "csv", str(SAMPLE / "qrels.txt"), str(SAMPLE / "rm3.run")),
        ("--format", "json", str(SAMPLE / "qrels.txt"), str(SAMPLE / "dense.run.gz")),
        ("-R", "prefs", "-m", "all_prefs", str(SAMPLE / "prefs.txt"), str(SAMPLE / "bm25.run")),
    ],
)
def test_small_evaluations_import_numpy_alone(arguments: tuple[str, ...]) -> None:
    """Arrow takes as long to be loaded as a small text to be read."""
    imported = _imported_modules(_command(*arguments))

    assert "numpy" in imported
    assert imported.isdisjoint({*HEAVY, "pyarrow"})
    assert "--format" in arguments or imported.isdisjoint({"csv", "json"})


def test_tables_import_no_frames(tmp_path: Path) -> None:
    """A table needs no pandas, though Arrow would import it at many a call."""
    table = tmp_path / "run.arrow"
    run = pa.table({"qid": ["7"], "docno": ["d"], "score": [1.0]})
    with pa.ipc.new_file(table, run.schema) as file:
        file.write_table(run)
    (tmp_path / "qrels").write_text("7 0 d 1\n")
    imported = _imported_modules(_command(str(tmp_path / "qrels"), str(table)))

    assert "pyarrow" in imported
    assert imported.isdisjoint(HEAVY)


def test_importing_the_library_is_light() -> None:
    """`import irev` loads nothing before something is used."""
    assert _imported_modules("import irev").isdisjoint({*HEAVY, "numpy", "pyarrow", "click"})
