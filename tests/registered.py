"""Every measure that irev brings along, registered."""

from __future__ import annotations

from irev.measures import load_all
from irev.measures.registry import definitions

load_all()

NAMED = {measure.name: measure for measure in definitions()}
"""Those written `Name(option=value)@cutoff`."""
