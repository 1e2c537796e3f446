"""How many threads work, and the pieces that they work on in turn."""

from __future__ import annotations

import gc
import sys
import threading

import pytest

from irev.core.workers import default_threads, map_in_order
from irev.engine.evaluate import Evaluator
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


@pytest.mark.parametrize(
    "said",
    [
        "0", "-1", "two", "1.5", "1_0",
        pytest.param("\u0663", marks=pytest.mark.skipif(
            sys.getfilesystemencoding() != "utf-8", reason="not a variable of this locale"
        )),
    ],
)  # fmt: skip
def test_the_variable_is_a_number_of_threads(said: str) -> None:
    ran = irev(
        "-m", "map", SAMPLE / "qrels.txt", SAMPLE / "bm25.run", environment={"IREV_THREADS": said}
    )
    assert (ran.out, ran.code) == (b"", 2)
    assert ran.err == f"irev: error: IREV_THREADS={said}: give a whole number of at least 1\n"


class _Holder:
    """What holds itself is left to the collector."""


@pytest.mark.thorough
def test_a_generator_that_one_of_its_own_threads_collects(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a run is refused in the midst: the threads end, and nothing is said."""
    errors: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", errors.append)
    dropped = threading.Event()
    before = threading.enumerate()

    def work(piece: int) -> int:
        if piece:
            assert dropped.wait(10)
            gc.collect()
        return piece

    holder = _Holder()
    vars(holder).update(itself=holder, steps=map_in_order(work, range(9), 2))
    gc.disable()
    try:
        assert next(vars(holder)["steps"]) == 0
        threads = [thread for thread in threading.enumerate() if thread not in before]
        assert len(threads) == 2
        del holder
        dropped.set()
        for thread in threads:
            thread.join(10)
    finally:
        gc.enable()
    assert not any(thread.is_alive() for thread in threads)
    assert errors == []


def test_a_generator_that_is_closed_waits_for_its_threads() -> None:
    ended = []
    before = threading.enumerate()

    def work(piece: int) -> int:
        ended.append(piece)
        return piece

    steps = map_in_order(work, range(99), 2)
    assert next(steps) == 0
    steps.close()
    assert len(ended) <= 4
    assert threading.enumerate() == before
