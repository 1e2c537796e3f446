"""Numbers, names and lists as a reader of the page sees them; its script has the same rules."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from irev.writers.document import p_text
from irev.writers.pages import html_text
from irev.writers.results_page.words import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.writers.results_page.page_data import PagePart

MINUS, NOTHING = "\u2212", "\u2013"
_LISTED = 150
"""Characters of names in a sentence."""
_LONG_WORD = 25
"""Characters of a word that may be broken."""


def rounded(value: float, decimals: int) -> str:
    """A number with its decimals and a true minus."""
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return f"{MINUS}\u221e" if value < 0 else "\u221e"
    return f"{value:.{decimals}f}".replace("-", MINUS)


def signed(value: float, decimals: int) -> str:
    """The same of a difference, with its sign."""
    return f"{'+' if value > 0 else ''}{rounded(value, decimals)}"


def p_shown(p: float) -> str:
    """A p with 4 decimals."""
    return p_text(p)


def percent(share: float | None) -> str:
    """A share in whole per cent, rounded down."""
    return NOTHING if share is None else f"{math.floor(100 * share + 1e-9)}%"


def confidence_text(part: PagePart) -> str:
    """The level of the intervals."""
    return f"{100 * part.confidence:.6g}%"


def breakable(name: str) -> str:
    """A name as HTML, which may be broken behind a separator."""
    pieces = re.split(r"(?<=[-_./])", name)
    return "<wbr>".join(html_text(piece) for piece in pieces if piece)


def breakable_text(text: str) -> str:
    """A text as HTML, whose long words, names most often, may be broken behind a separator."""
    return "".join(map(_breakable_word, re.split(r"(\s+)", text)))


def _breakable_word(word: str) -> str:
    if len(word) >= _LONG_WORD:
        return breakable(word)
    return f'<span class="whole">{html_text(word)}</span>' if "-" in word else html_text(word)


def listed_names(names: Sequence[str]) -> str:
    """As many names as have room, and how many more there are."""
    room, num_shown = _LISTED, 0
    for name in names:
        room -= len(name) + 2
        if room < 0:
            break
        num_shown += 1
    num_shown = max(1, num_shown)
    text = ", ".join(names[:num_shown])
    return (
        say("and_more", names=text, count=len(names) - num_shown)
        if num_shown < len(names)
        else text
    )
