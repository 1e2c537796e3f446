"""What all tests share: how Hypothesis searches, and that programs they start hear signals."""

import os
import signal

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.servers import start_from_one_process

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

start_from_one_process()

settings.register_profile(
    "steady",
    max_examples=30,
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
settings.register_profile("brief", settings.get_profile("steady"), max_examples=15)
settings.load_profile("brief" if os.environ.get("CI") else "steady")
"""`pytest --hypothesis-profile=search` looks for new examples, `notice` makes no example small;
in CI half of the examples are tried."""


@pytest.fixture
def unplaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are drawn whole, but where their parts stand, half of the work, is not settled.

    For tests of what a command writes and says; tests/jobs/plots and tests/jobs/studies place them.
    """
    monkeypatch.setattr("irev.jobs.plots.layout.FigureLayout.finish", lambda layout: layout.figure)
