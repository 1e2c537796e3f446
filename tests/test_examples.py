"""The examples are true: a plug-in gives the values of what it follows, a notebook runs."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import command
from tests.files import ROOT

PLUGIN = ROOT / "examples" / "plugins" / "foraging.py"
NOTEBOOK = ROOT / "examples" / "first.ipynb"


def _shown(source: str, names: dict[str, Any]) -> Any:
    """What a cell shows: the value of its last line, if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, NOTEBOOK.name, "exec"), names)
    return eval(ast.unparse(last), names) if last else None


@pytest.mark.long
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cells, one after another, in the folder of the examples, show tables and figures."""
    pytest.importorskip("matplotlib")
    pytrec_eval = pytest.importorskip("pytrec_eval")
    shutil.copytree(ROOT / "sample_data" / "first", tmp_path / "sample_data" / "first")
    (tmp_path / "examples").mkdir()
    monkeypatch.chdir(tmp_path / "examples")
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}

    shown = [_shown("".join(cell["source"]), names) for cell in code]

    assert len(code) == 10
    assert not any(cell["outputs"] for cell in code)  # as it is before somebody runs it
    pages = [value._repr_html_() for value in shown if hasattr(value, "_repr_html_")]
    assert sum("<table" in page for page in pages) >= 5
    with (tmp_path / "sample_data/first/qrels.txt").open() as qrels:
        judge = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), {"map"})
    for run in ("bm25", "neural"):
        with (tmp_path / f"sample_data/first/{run}.run").open() as lines:
            expected = judge.evaluate(pytrec_eval.parse_run(lines))
        by_topic = {topic: values["map"] for topic, values in expected.items()}
        assert names["by_topic"][run].to_dict() == pytest.approx(by_topic)
    report = (tmp_path / "examples" / "first-report.html").read_text(encoding="utf-8")
    assert "My first comparison" in report


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # cwl-eval 1.0.12 prints these for the gains 0 1 0 1 0 0 1, a cost of 1 for each document
        ("IFT(part=goal,R1=1)", 0.4112448248),
        ("IFT(part=rate,R2=1)", 0.3110254919),
        ("IFT", 0.1673530184),
    ],
)
def test_foraging(name: str, expected: float, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    gains = (0, 1, 0, 1, 0, 0, 1)
    qrels.write_text("".join(f"1 0 d{rank} {gain}\n" for rank, gain in enumerate(gains)))
    run.write_text("".join(f"1 Q0 d{rank} 0 {-rank} t\n" for rank in range(7)))
    done = command.irev(
        "--plugin", PLUGIN, "-m", name, "--places", "10", "--score-only", qrels, run
    )
    assert done.code == 0, done.err
    assert float(done.out) == pytest.approx(expected, abs=1e-9)
