"""Finding measures by name, by set, or by words of what is said of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from irev.errors import UsageError
from irev.measures.described import elsewhere
from irev.measures.names import resolve
from irev.measures.reference import every_measure
from irev.measures.registry import SETS, Measure, members
from irev.measures.suites import PREFIX, SUITES, Suite, suite


@dataclass(frozen=True)
class Found:
    """What words stand for."""

    measures: list[Measure]
    by_name: bool = False
    """Whether every word was a measure's name."""
    also: tuple[str, ...] = ()
    """Other measures that have the word in their name or title."""
    hint: str = ""
    """Where nothing was found: names that look alike."""


def find(words: Sequence[str]) -> Found:
    """The measures that are named, else those that have all the words somewhere.

    Without a word it is every measure; the name of a set stands for its members.
    """
    known = every_measure()
    if not words:
        return Found(known)
    if len(words) == 1 and words[0] in SETS:
        return Found(members(words[0]))
    named = [_named(word, known) for word in words]
    if all(named):
        pages = _distinct(measure for found in named for measure in found)
        also = _others(words[0], known, pages) if len(words) == 1 else ()
        return Found(pages, by_name=True, also=also)
    having = [measure for measure in known if _has(measure, words)]
    return Found(having, hint="" if having else _hint(words, known))


def suites_named(words: Sequence[str]) -> list[Suite]:
    """The suites that are named, all of them by `suites`; none where the words are others.

    Raises:
        UsageError: there is no suite of a name.
    """
    if [word.lower() for word in words] in (["suite"], ["suites"]):
        return list(SUITES)
    named = [word for word in words if word.startswith(PREFIX)]
    if len(named) < len(words):
        return []
    return [suite(word.removeprefix(PREFIX)) for word in named]


def _named(word: str, known: Sequence[Measure]) -> list[Measure]:
    """The measures with that name; there may be trec_eval's and one with named options."""
    exact = [measure for measure in known if word == measure.name or word in measure.aliases]
    if exact:
        return exact
    try:
        requests = resolve([word])
    except UsageError:
        return []
    # a suite is no name of a measure, nor is a set
    found = _distinct(request.measure for request in requests)
    return found if len(found) == 1 else []


def _distinct(measures: Iterable[Measure]) -> list[Measure]:
    return list({id(measure): measure for measure in measures}.values())


def _others(word: str, known: Sequence[Measure], pages: Sequence[Measure]) -> tuple[str, ...]:
    if len(word) < 3:
        return ()
    shown = {measure.name for measure in pages}
    low = word.lower()
    names = [m.name for m in known if low in f"{m.name} {m.title}".lower() and m.name not in shown]
    return tuple(dict.fromkeys(names))


def _has(measure: Measure, words: Sequence[str]) -> bool:
    there = " ".join(f"{each.program} {each.name}" for each in elsewhere(measure))
    text = " ".join(
        (measure.name, *measure.aliases, measure.title, measure.family, *measure.sets,
         measure.help, measure.formula, measure.source, there)
    )  # fmt: skip
    return all(_folded(word) in _folded(text) for word in words)


def _folded(text: str) -> str:
    """Without regard to case and to how `normalised` is spelled."""
    return text.lower().replace("iz", "is")


def _hint(words: Sequence[str], known: Sequence[Measure]) -> str:
    names = {measure.name.lower(): measure.name for measure in known}
    near = [names[each] for each in get_close_matches(words[0].lower(), names)]
    return f"; did you mean {' or '.join(near)}?" if near else "; irev measures lists them all"
