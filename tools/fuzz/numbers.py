"""Numbers far outside of what is usual, for parameters of measures and for options of commands.

A measure is given the number in its name or as a default option. Each call ends with a sentence, or
gives numbers: within the bounds of the measure, unless a gain is below 0.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path

from irev.measures import load_all
from irev.measures.naming.resolve import FLAGS
from irev.measures.registry import GENERIC_OPTIONS, MEASURES, Measure
from tests.files import ROOT, SAMPLE
from tools.fuzz.harness import Case, Finding, unsound

NUMBERS = [
    "0", "-1", "-1e30", "1e30", f"{10**30}", f"{10**30 - 1}", f"{2**63 - 1}", f"{2**63}", "1e-30",
    "5e-324", "1e160", "1e308", "nan", "inf", "-inf", "0.3", "1", "2", "50", "1e15", "", "9" * 5000,
]  # fmt: skip

OPTIONS = (
    "-M", "-l", "-N", "--seed", "--places", "--pool=depth:", "--max-grade", "--beta", "--log-base",
    "--gains=1=", "--map-grades=1=",
)  # fmt: skip
"""Of an evaluation; what ends in = or : has the number behind it."""

FOLDER = ROOT / "tests" / "golden" / "files"
QRELS = {
    "qrels": SAMPLE / "qrels.txt",
    "subtopics": FOLDER / "sub.qrels",
    "strata": FOLDER / "strata.qrels",
    "prels": FOLDER / "prels.qrels",
}
"""Judgments by what measures need."""

NEVER_ENDING = ("SL", "ESL", "RHL")
"""Measures that are infinite where a search never ends."""


def case(seed: int) -> Case:
    """The call of a seed."""
    load_all()
    r = random.Random(seed)
    number = r.choice(NUMBERS)
    if r.random() < 0.3:
        return _case("qrels", _option(r.choice(OPTIONS), number), "Q")
    measure = r.choice([each for each in MEASURES.values() if each.needs in QRELS])
    return _case(measure.needs, *_measure_with(r, measure, number))


def _measure_with(r: random.Random, measure: Measure, number: str) -> tuple[list[str], str]:
    """The options and the name that give one of the measure's parameters the number."""
    options = {**measure.options, **GENERIC_OPTIONS}
    rule = measure.cutoff_rule
    cut = "" if rule == "none" else "@0.5" if rule == "recall" else "@5"
    name = r.choice([*options, *["@"] * bool(cut)])
    if name == "@":
        return [], f"{measure.name}@{number}"
    text = number
    if options[name].kind in ("gain", "map"):
        text = r.choice([f"{{1:{number}}}", f"{{{number}:2}}", f"{{1:1,2:{number}}}"])
    if name in FLAGS and name in measure.options and r.random() < 0.4:
        return [f"{FLAGS[name]}={text}"], f"{measure.name}{cut}"
    size = ",N=100000" if "N" in measure.options and name != "N" else ""
    return [], f"{measure.name}({name}={text}{size}){cut}"


def _option(option: str, number: str) -> list[str]:
    return [option + number] if option[-1] in "=:" else [f"{option}", number]


def _case(needs: str, options: Sequence[str], name: str) -> Case:
    files = {"qrels": QRELS[needs].read_bytes(), "run": (SAMPLE / "bm25.run").read_bytes()}
    style = [] if needs == "qrels" else ["-R", needs]
    words = ["--format", "csv", "--places", "17", *style, *options, "-m", name, "qrels", "run"]
    if "--places" in options:
        del words[2:4]
    return Case(files, words)


def try_seed(seed: int, folder: Path) -> tuple[Case, str, Finding | None]:
    """Make a case, call irev, look at the values."""
    tried = case(seed)
    tried.write(folder)
    ran = tried.call(folder)
    finding = unsound(ran)
    if finding is None and ran.code == 0:
        finding = _values_outside_bounds(tried.words[-3], ran.out.decode("utf-8", "replace"))
    return tried, f"exit {ran.code}", finding


def _values_outside_bounds(name: str, text: str) -> Finding | None:
    measure = MEASURES[name.partition("(")[0].partition("@")[0]]
    has_own_gains = "{" in name  # of which one may be below 0, or of a document without a grade
    low, high = measure.bounds
    for line in text.splitlines()[1:]:
        try:
            value = float(line.rpartition(",")[2])
        except ValueError:
            continue
        if not math.isfinite(value) and measure.name not in NEVER_ENDING:
            return Finding(f"{measure.name} is {value}", line)
        if not has_own_gains and not low - 1e-9 <= value <= high + 1e-9:
            return Finding(f"{measure.name} is outside its bounds", line)
    return None
