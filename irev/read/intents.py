"""How likely each intent of a topic is: `TOPIC INTENT PROBABILITY [inf|nav]`, one a line."""

from __future__ import annotations

import math
import os

from irev.core.text import real
from irev.core.views import Intent, Intents
from irev.errors import MOST_PROBLEMS, InputError, Problem, shown
from irev.read.stream import fields_of_lines, read_all, sha256_of

KINDS = (b"inf", b"nav")
"""Informational, which is what an intent is by default, and navigational."""

ROUNDING = 0.02
"""How far from 1 the probabilities of a topic may add up to."""

_HINT = "a line is: TOPIC INTENT PROBABILITY [inf|nav]"


def read_intents(
    given: str | os.PathLike[str], digests: dict[str, str | None] | None = None
) -> Intents:
    """Read a file of intents; blank lines and lines that begin with `#` are skipped.

    Where `digests` are given, they get the hash of its decompressed bytes, as `intents`.

    Raises:
        InputError: with every line that is not an intent, or where there is none.
    """
    path = os.fspath(given)
    problems: list[Problem] = []
    found: Intents = {}
    text = read_all(path)
    if digests is not None:
        digests["intents"] = sha256_of(text)
    for number, fields in fields_of_lines(path, text):
        message = _fault(fields, found)
        if message:
            problems.append(
                Problem(path, number, "unreadable-line", message, "" if problems else _HINT)
            )
        else:
            intent = Intent(real(fields[2]) or 0.0, fields[3:] == [b"nav"])
            found.setdefault(fields[0], {})[fields[1]] = intent
        if len(problems) == MOST_PROBLEMS:
            break
    problems = problems or _sums(path, found)
    if not problems and not found:
        problems = [Problem(path, None, "empty-file", "there is no intent in this file", _HINT)]
    if problems:
        raise InputError(problems)
    return found


def _fault(fields: list[bytes], found: Intents) -> str:
    if len(fields) not in (3, 4):
        return f"{len(fields)} fields where 3 or 4 belong"
    topic, intent, text = fields[:3]
    probability = real(text)
    if probability is None or not 0 <= probability <= 1:
        return f"'{shown(text)}' is not a probability"
    if len(fields) == 4 and fields[3] not in KINDS:
        return f"an intent is inf or nav, not '{shown(fields[3])}'"
    if intent in found.get(topic, {}):
        return f"intent '{shown(intent)}' of topic '{shown(topic)}' is there twice"
    return ""


def _sums(path: str, found: Intents) -> list[Problem]:
    sums = {topic: math.fsum(i.probability for i in of.values()) for topic, of in found.items()}
    return [
        Problem(
            path,
            None,
            "bad-intents",
            f"the probabilities of topic '{shown(topic)}' add up to {total:g}",
        )
        for topic, total in sums.items()
        if abs(total - 1) > ROUNDING
    ][:MOST_PROBLEMS]
