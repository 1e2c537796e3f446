"""What judgments and runs may be given as."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

Input = str | os.PathLike[str] | Mapping[Any, Any] | Any
"""A path (`-`: standard input), a mapping {topic: {document: number}}, a pandas or Arrow table."""
