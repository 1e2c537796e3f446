"""Finding measures by name, by set, or by words of what is said of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches

from irev.core.record import record
from irev.errors import UsageError
from irev.measures import all_measures
from irev.measures.descriptions import names_elsewhere
from irev.measures.naming.name_lists import SUITE_PREFIX, measure_names
from irev.measures.naming.resolve import resolve_names
from irev.measures.naming.suites import SUITES, Suite, find_suite
from irev.measures.registry import SET_NAMES, Measure, aliased_measure, measures_of_set


@record(eq=True)
class FoundMeasures:
    """What words stand for."""

    measures: list[Measure]
    by_name: bool = False
    """Whether every word was a measure's name."""
    written: str = ""
    """Of one measure with options or a cutoff, its name as results have it."""
    also: tuple[str, ...] = ()
    """Other measures that have to do with the words."""
    hint: str = ""
    """Where nothing was found: names that look alike."""


def find_measures(words: Sequence[str]) -> FoundMeasures:
    """The measures that are named, else those that have all the words.

    Without a word it is every measure; the name of a set stands for its members. Words are looked
    for in names and titles, then everywhere; where they are nowhere, without those that say little
    (the mean of ... at k), and then with their typing errors mended.
    """
    measures = all_measures()
    if not words:
        return FoundMeasures(measures)
    if len(words) == 1 and words[0] in SET_NAMES:
        return FoundMeasures(measures_of_set(words[0]))
    names = measure_names(words)
    measures_of_names = [_measures_with_name(word, measures) for word in names]
    if all(measures_of_names):
        pages = _distinct(measure for with_name in measures_of_names for measure in with_name)
        also = _names_or_titles_with_word(names[0], measures, pages) if len(names) == 1 else ()
        written = _column_if_with_options(names[0]) if len(names) == 1 else None
        return FoundMeasures(pages, by_name=True, written=written or "", also=also)
    typed = _fold_spelling(" ".join(words)).split()
    telling = [word for word in typed if word not in _FILLERS] or typed
    near = _near_names(words[0], measures) if len(names) == 1 else []
    attempts = [typed, telling, *([] if near else [_mend_words_by_titles(telling, measures)])]
    titled = [
        m for attempt in attempts for m in measures if _fold_spelling(m.title) == " ".join(attempt)
    ]
    if titled:
        also = _further_names(titled, attempts[-1], measures, _names_and_title)
        return FoundMeasures(_distinct(titled), also=also)
    for attempt in attempts:
        for searched_text in (_names_and_title, _searchable_text):
            matching = [m for m in measures if _has_words(searched_text(m), attempt)]
            if matching:
                also = _further_names(matching, attempt, measures, _searchable_text)
                return FoundMeasures(matching, also=also)
    hint = f"did you mean {' or '.join(near)}?" if near else "irev measures lists them all"
    return FoundMeasures([], hint=f"; {hint}")


def _further_names(
    shown_measures: Sequence[Measure], words: Sequence[str], measures: Sequence[Measure],
    searched_text: Callable[[Measure], str],
) -> tuple[str, ...]:  # fmt: skip
    """Other measures with the words in what is told of them, each under irev's own name."""
    shown = {measure.name for measure in shown_measures}
    own = (m for m in measures if m.name not in shown and aliased_measure(m.name) is None)
    return tuple(dict.fromkeys(m.name for m in own if _has_words(searched_text(m), words)))


def suites_unless_other_words(typed_names: Sequence[str]) -> list[Suite]:
    """The suites that are named, all of them by `suites`; none where the words are others."""
    if [word.lower() for word in typed_names] in (["suite"], ["suites"]):
        return list(SUITES)
    names = measure_names(typed_names)
    suite_names = [name for name in names if name.startswith(SUITE_PREFIX)]
    if len(suite_names) < len(names):
        return []
    return [find_suite(word.removeprefix(SUITE_PREFIX)) for word in suite_names]


def _measures_with_name(word: str, measures: Sequence[Measure]) -> list[Measure]:
    """The measures with that name; there may be trec_eval's and one with named options."""
    exact = [measure for measure in measures if word == measure.name or word in measure.aliases]
    if exact:
        return exact
    try:
        requests = resolve_names([word])
    except UsageError:
        return []
    # a suite is no name of a measure, nor is a set
    matching = _distinct(request.measure for request in requests)
    return matching if len(matching) == 1 else []


def _column_if_with_options(typed_name: str) -> str | None:
    """The column of a measure with options or a cutoff; None for a bare name."""
    if not re.search("[(@]", typed_name):
        return None
    try:
        columns = [
            column.name for request in resolve_names([typed_name]) for column in request.columns
        ]
    except UsageError:
        return None
    return columns[0] if len(columns) == 1 else None


def _distinct(measures: Iterable[Measure]) -> list[Measure]:
    return list({id(measure): measure for measure in measures}.values())


def _names_or_titles_with_word(
    word: str, searched_measures: Sequence[Measure], shown_measures: Sequence[Measure]
) -> tuple[str, ...]:
    """Names with the word as a part of them, and those of measures with it in their title."""
    if len(word) < 3:
        return ()
    shown, low = {measure.name for measure in shown_measures}, word.lower()
    related = (
        m
        for m in searched_measures
        if _has_part_beginning(m.name, low) or low in re.split(r"\W+", m.title.lower())
    )
    return tuple(dict.fromkeys(m.name for m in related if m.name not in shown))


_PREFIX = re.compile(r"(?:|.*[^a-zA-Z]|.*[a-z](?=[A-Z]))[a-zA-Z]?", re.DOTALL)
"""What may be before a part of a name: whole parts and one letter, as in nERR and D_nNRBP."""


def _has_part_beginning(name: str, beginning: str) -> bool:
    """Whether a part of a name begins so: one of nERR and IA_ERR with ERR, none of RateRR."""
    starts = (match.start() for match in re.finditer(f"(?={re.escape(beginning)})", name.lower()))
    return any(
        _PREFIX.fullmatch(name[:at]) or (name[at - 1].islower() and name[at].isupper())
        for at in starts
    )


def _names_and_title(measure: Measure) -> str:
    spellings = (spelling.names for spelling in measure.spellings)
    return " ".join((measure.name, *measure.aliases, *spellings, measure.title))


def _searchable_text(measure: Measure) -> str:
    there = (f"{each.program} {each.name} {each.difference}" for each in names_elsewhere(measure))
    return " ".join(
        (_names_and_title(measure), measure.family, *measure.sets, measure.help, measure.formula,
         measure.source, *there)
    )  # fmt: skip


def _has_words(text: str, words: Sequence[str]) -> bool:
    """Whether the words stand in a text, those of a letter or two as whole words."""
    text = _fold_spelling(text)
    return all(f" {word} " in f" {text} " if len(word) < 3 else word in text for word in words)


_FILLERS = frozenset(
    ("a", "an", "and", "at", "for", "in", "k", "mean", "measure", "metric", "of", "score", "the")
)
"""Words that tell no measure from others."""
_TWO_WAYS = {"cumulative": "cumulated", "iz": "is", "-": " ", "_": " "}
"""What is written in two ways."""


def _fold_spelling(text: str) -> str:
    """Without regard to case and to what is written in two ways."""
    text = text.lower()
    for one, other in _TWO_WAYS.items():
        text = text.replace(one, other)
    return text


def _mend_words_by_titles(words: Sequence[str], measures: Sequence[Measure]) -> list[str]:
    """The words, of which those in no title are replaced by the word most like it in one."""
    title_words = dict.fromkeys(word for m in measures for word in _fold_spelling(m.title).split())
    return [
        word
        if word in title_words
        else (get_close_matches(word, title_words, n=1, cutoff=0.75) or [word])[0]
        for word in words
    ]


def _near_names(word: str, measures: Sequence[Measure]) -> list[str]:
    """The names that are like a word."""
    names = {measure.name.lower(): measure.name for measure in measures}
    return [names[each] for each in get_close_matches(word.lower(), names)]
