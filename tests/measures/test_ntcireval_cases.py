"""What NTCIREVAL prints for small cases, from the measures of the registry.

Each case has `rel` (documents with their levels), `res` (a ranking), and the commands. `exact.json`
has values of six digits; else four are compared: the C program's of 2020, or the Python program's
where a level has no gain, for there relevance goes by level.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import irev
from irev.errors import InputError
from irev.measures.registry import NamedOptions
from tests import files
from tests.each import for_each
from tests.measures.test_every_measure import judged
from tests.plain import UNKNOWN, Topic
from tests.registered import NAMED, compute_measure

if TYPE_CHECKING:
    from irev.core.model import Judged

CASES = files.CASES / "ntcireval"
DUPLICATES = ("18-duplicate-in-run", "24-duplicate-in-rel")
BY_LEVEL = "22-zero-gain-level"
NAMES = sorted(case.name for case in CASES.iterdir())
COMPARED = [name for name in NAMES if name not in DUPLICATES]

WHOLE: dict[str, tuple[str, dict[str, Any]]] = {
    "RR": ("RR", {}),
    "O-measure": ("O", {}),
    "P-measure": ("PMeasure", {}),
    "P-plus": ("PPlus", {}),
    "AP": ("AP", {}),
    "Q-measure": ("Q", {}),
    "NCUgu,P": ("NCU", {"stop": "gu", "util": "P"}),
    "NCUgu,BR": ("NCU", {"stop": "gu", "util": "BR"}),
    "NCUrb,P": ("NCU", {"stop": "rb", "util": "P"}),
    "NCUrb,BR": ("NCU", {"stop": "rb", "util": "BR"}),
    "NCUrb,IE": ("NCU", {"stop": "rb", "util": "IE"}),
    "GAP": ("GAP", {}),
    "RBP": ("RBP", {}),
    "ERR": ("ERR", {"stop": "ratio"}),
    "EBR": ("EBR", {}),
    "iRBU": ("iRBU", {}),
    "bpref_R": ("bpref_R", {}),
    "bpref_N": ("bpref_N", {}),
    "bpref_relative": ("bpref_relative", {}),
    "rpref_N": ("rpref_N", {}),
    "rpref_relative": ("rpref_relative", {}),
    "rpref_relative2": ("rpref_relative2", {}),
}
CUT: dict[str, tuple[str, dict[str, Any]]] = {
    **WHOLE,
    "AP": ("AP", {"denom": "min"}),
    "Q": ("Q", {"denom": "min"}),
    "NCUrb,P": ("NCU", {"stop": "rb", "util": "P", "denom": "min"}),
    "NCUrb,BR": ("NCU", {"stop": "rb", "util": "BR", "denom": "min"}),
    "NCUrb,IE": ("NCU", {"stop": "rb", "util": "IE", "denom": "min"}),
    "GAP": ("GAP", {"denom": "min"}),
    "nDCG": ("nDCG", {"disc": "jk"}),
    "MSnDCG": ("nDCG", {"disc": "log2"}),
    "Prec": ("P", {}),
    "P": ("P", {}),
    "nRBP": ("nRBP", {}),
    "nERR": ("nERR", {"stop": "ratio"}),
    "nEBR": ("nEBR", {}),
    "niRBU": ("niRBU", {}),
    "Hit": ("Success", {}),
}
PYTHON = {
    "OMeasure": "O-measure", "PMeasure": "P-measure", "PPlusMeasure": "P-plus",
    "QMeasure": "Q-measure", "NCUguP": "NCUgu,P", "NCUguBR": "NCUgu,BR", "NCUrbP": "NCUrb,P",
    "NCUrbBR": "NCUrb,BR",
}  # fmt: skip
"""The Python program's names."""


class Case(NamedTuple):
    """A case: the rankings, the options of the commands, and the values."""

    rankings: Judged
    options: dict[str, Any]
    values: dict[str, float]
    within: float


def flag(command: str, name: str, otherwise: str) -> str:
    """What stands behind a flag of the command."""
    match = re.search(rf" --?{name} (\S+)", command)
    return match[1] if match else otherwise


def printed(path: Path) -> dict[str, float]:
    """The lines `name= value` of an output."""
    return {
        name: float(value)
        for name, value in re.findall(r"(\S+)=\s+(\S+)", path.read_text(encoding="utf-8"))
    }


def read(name: str) -> Case:
    """A case's files."""
    case = CASES / name
    grades = {
        document: float(level.removeprefix("L"))
        for document, level in map(
            str.split, (case / "rel").read_text(encoding="utf-8").splitlines()
        )
    }
    command = (case / "cmd").read_text(encoding="utf-8").splitlines()[-1]
    ranking = (case / "res").read_text(encoding="utf-8").split()
    ranking = ranking[: int(flag(command, "truncate", str(len(ranking))))]
    codes = [grades.get(document, UNKNOWN) for document in ranking]
    rankings = judged([Topic(codes, list(grades.values()))])
    if re.search(" -j ", command):
        rankings = rankings.at_level(None, condensed=True)
    gains = tuple(enumerate(map(float, flag(command, "g", "").split(":")), 1))
    options = {
        "gain": gains,
        "max": float(len(gains)),
        "beta": float(flag(command, "beta", "1")),
        "b": float(flag(command, "logb", "2")),
        "p": float(flag(command, "rbp", "0.95")),
    }
    if (case / "exact.json").exists():
        values = json.loads((case / "exact.json").read_text(encoding="utf-8"))["ours"]
        return Case(rankings, options, values, 5.1e-7)
    values = printed(case / ("out.PY" if name == BY_LEVEL else "out.C20"))
    if not values or name == "19-no-judged-nonrelevant-condensed":
        values = printed(case / "out.PY")
    return Case(rankings, options, values, 5.1e-5)


def value_of(case: Case, name: str) -> float:
    """The value that the registry gives for a name of NTCIREVAL."""
    name, _, cutoff = name.partition("@")
    name = PYTHON.get(name, name).replace("Precision", "P")
    if name == "bpref":
        return float(compute_measure("bpref", case.rankings)[0])
    if cutoff and name == "Q-measure":
        name = "Q"
    measure, given = (CUT if cutoff else WHOLE)[name]
    parameter = NAMED[measure].parameter
    assert isinstance(parameter, NamedOptions)
    options = {
        option: given.get(option, case.options.get(option, about.default))
        for option, about in parameter.options.items()
    }
    cutoffs = (int(cutoff) if cutoff else None,)
    return float(NAMED[measure].compute(case.rankings, cutoffs, **options)[0, 0])


@for_each("name", COMPARED)
def test_values_are_ntcirevals(name: str) -> None:
    case = read(name)
    assert len(case.values) >= 17
    found = {each: value_of(case, each) for each in case.values}
    assert found == pytest.approx(case.values, abs=case.within, rel=0)


def test_no_document_at_all_makes_zeros() -> None:
    case = read("15-empty-run")
    assert set(case.values.values()) == {0.0}
    assert all(value_of(case, name) == 0 for name in case.values)


@pytest.mark.parametrize("name", DUPLICATES)
def test_duplicates_are_errors(name: str, tmp_path: Path) -> None:
    case = CASES / name
    rel, res = (
        (case / "rel").read_text(encoding="utf-8").split("\n"),
        (case / "res").read_text(encoding="utf-8").split(),
    )
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(
        "".join(f"1 0 {line.replace(' L', ' ')}\n" for line in rel if line), newline="\n"
    )
    scored = enumerate(res)
    run.write_text("".join(f"1 Q0 {d} {r} {-r} tag\n" for r, d in scored), newline="\n")
    with pytest.raises(InputError):
        irev.evaluate(qrels, run, ["map"])
