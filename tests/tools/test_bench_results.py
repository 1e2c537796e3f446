"""What is printed of measured pairs: the median of ratios, and how they are spread."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.files import ROOT
from tools.bench.cases import CASES
from tools.bench.programs import compiler
from tools.bench.results import Pairs, write_json
from tools.bench.stages import STAGES


def pairs() -> Pairs:
    """Ratios of 1/2, 3 and 2: their median is 2, the ratio of the medians 4/2."""
    actual = Pairs("a", "blanks", "peer", built="GNU C17 -O3")
    for mine, other in ((1.0, 2.0), (9.0, 3.0), (4.0, 2.0)):
        actual.add({"wall": 1.0, "cpu": mine}, {"wall": 4.0, "cpu": other})
    return actual


def test_the_ratio_is_the_median_of_the_pairs() -> None:
    assert pairs().ratio("cpu") == 2
    assert pairs().spread("cpu") == (0.5, 3)
    assert pairs().ratio("wall") == 0.25


def test_json_holds_every_figure(tmp_path: Path) -> None:
    write_json(tmp_path / "out.json", [pairs()])
    (case,) = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["cases"]
    assert [each["cpu"] for each in case["irev"]] == [1, 9, 4]
    assert case["ratios"]["cpu"] == {"median": 2, "least": 0.5, "greatest": 3}
    assert case["built"] == "GNU C17 -O3"


def test_a_binary_tells_how_it_was_built(tmp_path: Path) -> None:
    """The commonest unit's words count: a library's start files are built otherwise."""
    own = b"GNU C17 12.2.0 -g -O3\0"
    (tmp_path / "program").write_bytes(b"\x7fELF" + own + b"GNU C11 9.1 -O2\0" + own)
    (tmp_path / "stripped").write_bytes(b"\x7fELF")
    assert compiler(str(tmp_path / "program")) == "GNU C17 12.2.0 -g -O3"
    assert compiler(str(tmp_path / "stripped")) == ""


def test_no_key_is_used_twice() -> None:
    assert len({case.key for case in CASES}) == len(CASES)


def test_stages_name_functions_that_are_there() -> None:
    for file, *functions in STAGES.values():
        text = (ROOT / "irev" / file).read_text(encoding="utf-8")
        for name in functions:
            assert re.search(rf"def {name}\(", text), (file, name)
