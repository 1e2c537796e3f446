"""What all tests share: which of them run, how Hypothesis searches, what their programs find.

`make test` leaves out what is marked `thorough`, and of a test marked `in_turn(n)` it runs the
first, the n-th after that and so on; `make test-all` (`--all`) runs everything. A file or a test
that is named runs whole.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.files import ROOT
from tests.servers import start_from_one_process

if TYPE_CHECKING:
    from collections.abc import Iterator

if not hasattr(signal, "SIGHUP"):
    # on Windows: signals, processes with limits and the tools that use them are others or missing
    collect_ignore = [
        "cli/test_signals.py", "engine/confined", "tools/test_fuzzers.py", "tools/test_mutants.py",
    ]  # fmt: skip

# a shell's background job ignores them, and hands that on
for _name, _handler in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
    _number = getattr(signal, _name, None)
    if _number is not None and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)

# programs that tests start import this irev, and find it where none is installed
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))

start_from_one_process()

MOST_REFERENCES = 3.0
"""How many times the reference computation a test without a mark may take."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option of `make test-all`."""
    parser.addoption("--all", action="store_true", help="run all, and time those of make test")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what `make test` does not run, but for files that are named."""
    if config.getoption("--all"):
        return
    named = {os.path.realpath(word.partition("::")[0]) for word in config.args}
    in_turn: Counter[str] = Counter()
    chosen: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        turn = item.get_closest_marker("in_turn")
        place = 0
        if turn:
            test = item.nodeid.partition("[")[0]
            place = in_turn[test] % turn.args[0]
            in_turn[test] += 1
        is_chosen = place == 0 and not item.get_closest_marker("thorough")
        (chosen if is_chosen or str(item.path) in named else left_out).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = chosen


def cpu_seconds() -> float:
    """What this process and those that it waited for have used."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def reference_seconds() -> float:
    """The time of a computation that takes about a third of a second: of Python, and of NumPy."""
    began = cpu_seconds()
    count: Counter[int] = Counter()
    for number in range(900_000):
        count[number % 97] += number
    values = np.arange(200_000) % 9973
    for _ in range(12):
        np.sort(values + count[1])
    return cpu_seconds() - began


first_reference_seconds = cache(reference_seconds)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """With `--all`: a test of `make test` that takes long needs a mark."""
    has_mark = any(item.get_closest_marker(name) for name in ("thorough", "long", "in_turn"))
    # where a machine is shared, as in CI, seconds say little
    is_timed = item.config.getoption("--all") and not has_mark and "CI" not in os.environ
    most = MOST_REFERENCES * first_reference_seconds() if is_timed else 0.0
    began = cpu_seconds()
    yield
    if is_timed and (seconds := cpu_seconds() - began) > most:
        # the machine may be slower now than when the first was taken
        most = max(most, MOST_REFERENCES * reference_seconds())
        if seconds > most:
            pytest.fail(
                f"takes {seconds:.1f} CPU seconds; of make test each may take {most:.1f}: make it"
                " quicker, or mark it `thorough` or `long`"
            )


settings.register_profile(
    "steady",
    max_examples=15,
    # a loaded machine is no fault of the code, and the limit of each test is pytest's
    deadline=None,
    # the folder of a test may serve all its examples
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    # the same examples every time: what fails was broken by the change at hand
    derandomize=True,
)
settings.register_profile(
    "search", settings.get_profile("steady"), max_examples=300, derandomize=False
)
settings.register_profile(
    "notice", settings.get_profile("steady"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("steady")
"""`pytest --hypothesis-profile=search` looks for new examples, `notice` makes no example small."""


@pytest.fixture
def unplaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are drawn whole, but where their parts stand, half of the work, is not settled.

    For tests of what a command writes and says; tests/jobs/plots and tests/jobs/studies place them.
    """
    monkeypatch.setattr("irev.jobs.plots.layout.FigureLayout.finish", lambda layout: layout.figure)
