"""`irev.sample`: what its command says, and rates that are numbers."""

import inspect
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irev
from irev.errors import UsageError
from irev.jobs.sample.designs import SampleOptions
from tests.command import irev as command
from tests.files import SAMPLE

QRELS, BM25, RM3 = (str(SAMPLE / name) for name in ("qrels.txt", "bm25.run", "rm3.run"))

CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any], tuple[Any, ...]]] = {
    "uniform": ((QRELS,), {"rate": 0.2, "seed": 3}, (QRELS, "--rate", "20%", "--seed", "3")),
    "replicate": (
        (QRELS,), {"rate": "1/3", "replicate": 2}, (QRELS, "--rate", "1/3", "--replicate", "2"),
    ),
    "strata": (
        (QRELS, [BM25, RM3]), {"rate": "1-10=100%,11-50=30%"},
        (QRELS, BM25, RM3, "--rate", "1-10=100%,11-50=30%"),
    ),
    "budget": ((QRELS,), {"budget": 5, "level": 2}, (QRELS, "--budget", "5", "-l", "2")),
    "buckley-voorhees": (
        (QRELS,), {"rate": 0.1, "by": "buckley-voorhees"},
        (QRELS, "--rate", "10%", "--by", "buckley-voorhees"),
    ),
    "collection": (
        (QRELS, BM25), {"rate": 0.5, "by": "collection"},
        (QRELS, BM25, "--rate", "50%", "--by", "collection"),
    ),
}  # fmt: skip
"""Inputs and keywords of Python, arguments of the command."""


@pytest.mark.filterwarnings("ignore::irev.IrevWarning")
@pytest.mark.parametrize("name", CALLS)
def test_function_and_command_say_the_same(name: str) -> None:
    inputs, keywords, arguments = CALLS[name]
    result = irev.sample(*inputs, **keywords)
    ran = command("sample", *arguments)
    assert result.text() == ran.out.decode().rstrip("\n")
    assert result.exit_code == ran.code
    lines = [f"irev: {'note' if n.is_note else 'warning'}: {n}" for n in result.warnings]
    assert ran.err.splitlines() == lines
    if name not in ("collection", "buckley-voorhees"):
        ran = command("sample", *arguments, "--format", "strata")
        assert result.text("strata") == ran.out.decode().rstrip("\n")


def test_several_samples(tmp_path: Path) -> None:
    several = irev.sample(QRELS, rate=0.2, repeat=2, replicate=3)
    assert [*several.to_frames()] == ["sample-3", "sample-4"]
    assert str(several.warnings[0]).startswith("sample-3: ")
    command(
        "sample", QRELS, "--rate", "20%", "--repeat", "2", "--replicate", "3",
        "--output", tmp_path / "thin.qrels",
    )  # fmt: skip
    for number in (3, 4):
        alone = irev.sample(QRELS, rate=0.2, replicate=number)
        pd.testing.assert_frame_equal(several.to_frames()[f"sample-{number}"], alone.to_frame())
        assert (tmp_path / f"thin-{number}.qrels").read_text(encoding="utf-8").rstrip(
            "\n"
        ) == alone.text()
    assert alone.to_frame().columns.tolist() == ["topic", "iteration", "document", "grade"]
    assert repr(several) == "<SampleResult of 2 samples>"


def test_rates_are_exact() -> None:
    for rate in (0.145, "0.145", "14.5%", Fraction(29, 200)):
        assert SampleOptions(rate=rate).rate == Fraction(29, 200)
    assert SampleOptions(rate=1e-5).rate == Fraction(1, 100_000)
    assert [each.name for each in SampleOptions(rate="1-10=1,11-=10%").rate] == ["1-10", "11-"]


def test_budgets_and_runs_in_memory() -> None:
    qrels = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1, "b": 1}}
    by_topic = irev.sample(qrels, budget={"1": 3, "2": 1}).to_frame()
    assert (by_topic["grade"] >= 0).tolist().count(True) == 4
    run = {"1": {"a": 3.0, "x": 2.0}}
    kept = irev.sample(qrels, {"one": run}, rate=1.0, by="collection")
    assert kept.to_frame()["document"].tolist() == ["a", "b", "c", "x"]


def test_wrong_options() -> None:
    call: Any = irev.sample
    with pytest.raises(TypeError, match="sample has no option 'rates'; did you mean 'rate'"):
        call(QRELS, rates=0.1)
    with pytest.raises(UsageError, match="give a rate: rate"):
        call(QRELS)
    with pytest.raises(UsageError, match="rate: 'much' is not a rate"):
        call(QRELS, rate="much")
    with pytest.raises(UsageError, match="reads no runs"):
        call(QRELS, BM25, rate=0.1)
    with pytest.raises(UsageError, match="has no strata"):
        call(QRELS, rate=0.5, by="buckley-voorhees").text("strata")


def test_keywords() -> None:
    names = [*inspect.signature(irev.sample).parameters]
    assert names[:2] == ["qrels", "runs"]
    assert {"rate", "by", "budget", "repeat", "seed", "replicate", "level"} < {*names}
    assert "topics" not in names
