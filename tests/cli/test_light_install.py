"""With click, NumPy and tabulate alone: what works gives the same, the rest says what it needs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from irev.statistics.methods import INTERVALS, TESTS
from tests.files import ROOT, SAMPLE
from tests.golden import record

pytestmark = pytest.mark.long  # each starts a process that imports much

HIDDEN = ("pandas", "pyarrow", "scipy", "matplotlib")

NEEDS = re.compile(r"this needs (\w+)(?: and \w+)*: pip install \1")

REFUSED = {
    ("compare", "scipy"),
    ("leaderboard", "scipy"),
    ("errors", "scipy"),  # two of a leaderboard
    ("gate", "scipy"),  # with --alpha
    ("eval-stats", "scipy"),
    ("eval-forms", "pandas"),  # the summary sheet with its figures
    ("eval-files", "pyarrow"),  # a run or judgments as Parquet
    ("check", "pyarrow"),  # likewise
    ("pool", "pyarrow"),  # --leave-out
    ("studies", "pandas"),
    ("plots", "matplotlib"),
}
"""Which groups of recorded calls have some that need what."""


class _Hider:
    """Finds nothing of the hidden packages, as if they were not installed."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def hide_packages() -> None:
    """From here on this process has the light install, and takes every run for a large one."""
    for name in [*sys.modules]:
        if name.partition(".")[0] in (*HIDDEN, "irev"):
            del sys.modules[name]
    sys.meta_path.insert(0, _Hider)
    from irev.core import ids
    from irev.read import columns

    columns._num_read, ids._FEW_IDS = 1_000_000, 10


def print_outputs() -> None:
    """Print what the command lines of standard input do, as JSON: the program of these tests."""
    lines = json.load(sys.stdin)
    with record.folder_of_inputs() as folder:
        hide_packages()
        json.dump(record.record(lines, folder), sys.stdout)


def _light(program: str, given: Any = None) -> Any:
    """What a function of this module prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"from tests.cli import test_light_install as t; t.{program}()"],
        cwd=ROOT,
        input=json.dumps(given),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


PARTS = 6


@pytest.mark.in_turn(PARTS)
@pytest.mark.parametrize("part", range(PARTS))
def test_recorded_calls_work_or_say_what_they_need(part: int) -> None:
    """To the last byte, large runs too; a refusal prints nothing else, and exits with 2."""
    groups = {
        group: [line for line in lines if line.startswith("irev ")][part::PARTS]
        for group, lines in record.groups().items()
    }
    outputs = _light("print_outputs", [line for lines in groups.values() for line in lines])
    refused = set()
    others = []
    for group, lines in groups.items():
        expected = record.recorded_outputs(group)
        for line in lines:
            text = outputs[line]
            needs = NEEDS.search(text)
            if needs:
                refused.add((group, needs[1]))
                assert text.startswith(f"$ {line}\n--- stderr\n"), text
                assert text.endswith("--- exit 2\n"), text
            elif text != expected[line]:
                others.append(f"{expected[line]}\nlight:\n{text}")

    assert not others, "\n".join(others)
    assert refused <= REFUSED


def test_each_test_and_interval_that_needs_scipy_says_so_first() -> None:
    """A test does, for its verdict; an interval whose record says so, and no other."""
    base = "irev leaderboard -m map --resamples 200 {} qrels.txt bm25.run rm3.run fusion.run"
    needs = {
        **{base.format(f"--test {name} --ci none"): True for name in TESTS},
        **{
            base.format(f"--test none --ci {name}"): each.needs_scipy
            for name, each in INTERVALS.items()
        },
    }
    outputs = _light("print_outputs", [*needs])

    assert {line: bool(NEEDS.search(text)) for line, text in outputs.items()} == needs
    assert all(("--- exit" in text) == needs[line] for line, text in outputs.items())


def print_python_errors() -> None:
    """Print what Python raises, as JSON."""
    import pandas as pd

    frame = pd.DataFrame({"qid": ["1"], "docno": ["d"], "score": [1.0]})
    hide_packages()
    import irev

    qrels, run = str(SAMPLE / "qrels.txt"), str(SAMPLE / "bm25.run")
    calls = {
        "evaluate": lambda: irev.evaluate(qrels, run, ["map"]),
        "frame": lambda: irev.evaluate(qrels, frame, ["map"]),
        "to_frame": lambda: irev.evaluate(qrels, run, ["map"]).to_frame(),
        "to_frames": lambda: irev.explain(qrels, run, topic="10").to_frames(),
        "compare": lambda: irev.compare("no file", ["neither"]),
        "study": lambda: irev.studies.overlap("no file", "neither"),
    }
    said = {}
    for name, call in calls.items():
        try:
            said[name] = type(call()).__name__
        except irev.MissingExtraError as error:
            said[name] = str(error)
    json.dump(said, sys.stdout)


def test_python_raises_what_is_missing() -> None:
    """Before anything is read where it is known."""
    assert _light("print_python_errors") == {
        "evaluate": "Scores",
        "frame": "a frame: this needs pyarrow: pip install pyarrow",
        "to_frame": "this needs pandas: pip install pandas",
        "to_frames": "this needs pandas: pip install pandas",
        "compare": "this needs scipy: pip install scipy",
        "study": "this needs pandas: pip install pandas",
    }
