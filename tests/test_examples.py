"""The example of a plug-in gives the values of the program that it follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import command

PLUGIN = Path(__file__).parent.parent / "examples" / "plugins" / "foraging.py"


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
