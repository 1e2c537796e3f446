"""Here servers are started as irev does it: what is tested is how they begin and end."""

import pytest

from irev.engine import confined
from tests.servers import AS_IREV_DOES


@pytest.fixture(autouse=True)
def servers_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined, "_start_process", AS_IREV_DOES)
