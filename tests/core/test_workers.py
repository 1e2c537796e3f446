"""How many threads work."""

from __future__ import annotations

import pytest

from irev.core.workers import default_threads
from irev.engine.evaluator import Evaluator
from irev.options import Options
from tests.command import irev
from tests.files import SAMPLE


def test_the_variable_goes_before_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IREV_THREADS", "37")
    assert default_threads() == 37
    assert Evaluator({"1": {"a": 1}}, "map")._threads == 37
    assert Evaluator({"1": {"a": 1}}, "map", Options(threads=2))._threads == 2
    monkeypatch.setenv("IREV_THREADS", "")
    assert 1 <= default_threads() != 37


@pytest.mark.parametrize("said", ["0", "-1", "two", "1.5"])
def test_the_variable_is_a_number_of_threads(said: str) -> None:
    found = irev(
        "-m", "map", SAMPLE / "qrels.txt", SAMPLE / "bm25.run", environment={"IREV_THREADS": said}
    )
    assert (found.out, found.code) == (b"", 2)
    assert found.err == f"irev: error: IREV_THREADS={said}: give a whole number of at least 1\n"
