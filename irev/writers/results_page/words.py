"""The sentences that a page says with and without its script: `words.json` has each once."""

from __future__ import annotations

import json
import re
from functools import cache

from irev.writers.results_page.resources import resource_text


@cache
def words() -> dict[str, str]:
    """The sentences by name, with slots in braces."""
    sentences: dict[str, str] = json.loads(resource_text("words.json"))
    return sentences


def say(name: str, **slots: object) -> str:
    """A sentence, its slots filled.

    Of one thing (`count` is 1) the form whose name ends in `_one` is taken, where there is one.
    """
    if slots.get("count") == 1:
        name = f"{name}_one" if f"{name}_one" in words() else name
    # in one pass: what fills a slot may hold braces
    return re.sub(r"\{(\w+)\}", lambda match: str(slots[match[1]]), words()[name])
