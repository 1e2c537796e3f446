"""The papers and programs that define measures.

The entries stand in `references.bib`, as BibTeX reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from irev.measures.registry import Measure

_FILE = Path(__file__).with_name("references.bib")
_ENTRY = re.compile(r"^@\w+\{([^,\s]+),\n.*?^\}\n", re.MULTILINE | re.DOTALL)
_FIELD = r"^  {} = \{{(.*)\}},$"


@dataclass(frozen=True)
class Reference:
    """One entry of the bibliography."""

    key: str
    bibtex: str

    def field(self, name: str) -> str:
        """The text of a field without braces; empty where the entry has no such field."""
        found = re.search(_FIELD.format(name), self.bibtex, re.MULTILINE)
        return found[1].replace("{", "").replace("}", "") if found else ""

    @property
    def short(self) -> str:
        """Authors and year, as a text cites them; a program by its name."""
        if self.bibtex.startswith("@misc"):
            return self.field("title").partition(":")[0]
        names = [author.partition(",")[0] for author in self.field("author").split(" and ")]
        who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        return f"{who} {self.field('year')}"


@cache
def bibliography() -> dict[str, Reference]:
    """Every entry, by its key."""
    text = _FILE.read_text(encoding="utf-8")
    return {found[1]: Reference(found[1], found[0]) for found in _ENTRY.finditer(text)}


def references_of(measure: Measure) -> list[Reference]:
    """What a measure rests on, the paper that defines it first."""
    return [bibliography()[key] for key in measure.cites]
