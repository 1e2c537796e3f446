"""ir_measures asks irev in the tests of this folder alone, not in all that the process runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    from irev.compat.ir_measures import provider
except ImportError:
    PIPELINE: list[Any] = []
else:
    from ir_measures import DefaultPipeline

    PIPELINE = DefaultPipeline.providers
    REGISTERED = list(PIPELINE)
    PIPELINE.remove(provider)


@pytest.fixture(autouse=True)
def pipeline() -> Iterator[list[Any]]:
    """The providers in the order in which ir_measures asks them, as the import has left it."""
    if not PIPELINE:
        yield []
        return
    before = list(PIPELINE)
    PIPELINE[:] = REGISTERED
    yield PIPELINE
    PIPELINE[:] = before
