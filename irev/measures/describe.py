"""The reference of the measures, from their records: a page for each, as text or as Markdown.

Formulas as LaTeX, and when to use a measure or a family, are in `pages.toml` beside this file.
"""

from __future__ import annotations

import inspect
import math
import re
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from irev.core.record import record
from irev.core.text import full_list
from irev.errors import UsageError
from irev.measures import all_measures
from irev.measures.naming.grammar import SUITE_PREFIX, SUITES, Suite, find_suite, measure_names
from irev.measures.naming.programs import Elsewhere
from irev.measures.naming.resolve import resolve_names
from irev.measures.naming.trec_names import usage_example
from irev.measures.registry import (
    SET_NAMES,
    Arguments,
    Cutoffs,
    Fractions,
    Gains,
    Measure,
    NamedOptions,
    Numbers,
    Option,
    aliased_measure,
    measures_of_set,
)
from irev.measures.requests import canonical_name, unbounding_option, value_text

WIDTH = 80
INDENT = "    "

AVERAGES = {
    "mean": "mean over the topics",
    "sum": "sum over the topics",
    "geometric": "geometric mean over the topics",
    "error": "standard error of the mean over the topics",
    "topics": "the number of topics",
    "run": "the run's tag",
    "none": "none",
}
"""How topics are summed up, in words; `scores.Scores.summary_of` computes it."""


def measure_help(measure: Measure) -> str:
    """The measure's name, what it is and means, its parameters, sets and source."""
    facts = [
        ("Formula", measure.formula),
        ("Parameter", cutoff_numbers_or_gains_text(measure)),
        ("Range", range_text(measure)),
        ("Summary", AVERAGES[measure.average]),
        ("Judgments", "any" if measure.needs == "any" else f"-R {judgment_formats(measure)}"),
        ("Sets", ", ".join(measure.sets) or "none"),
        ("Source", measure.source),
        *(
            ("Elsewhere", text)
            for text in elsewhere_texts(measure)
            if not measure.is_trec_evals_alone
        ),
    ]
    facts[2:2] = [
        ("Option", f"{name}: {text}")
        for name, text in option_meanings_and_defaults(measure).items()
    ]
    lines = [measure.name, f"{INDENT}{measure.title}", ""]
    width = WIDTH - len(INDENT)
    paragraphs = "\n\n".join(
        textwrap.fill(part, width, break_on_hyphens=False)
        for part in inspect.cleandoc(measure.help).split("\n\n")
    )
    lines += textwrap.indent(paragraphs, INDENT).splitlines()
    lines.append("")
    for name, text in facts:
        if text:
            lines += _wrap(f"{name + ':':<10} {text}", INDENT, INDENT + " " * 11)
    return "\n".join(lines) + "\n"


def judgment_formats(measure: Measure) -> str:
    """The formats of judgments (`-R`) that it is computed from."""
    return "prefs or -R qrels_prefs" if measure.needs == "prefs" else measure.needs


def range_text(measure: Measure) -> str:
    """The values that it can have; nothing for what is no number."""
    if measure.kind == "text":
        return ""
    low, high = (f"{bound:g}" for bound in measure.bounds)
    only = unbounding_option(measure)
    if only:
        return f"{low} to 1; with {only[0]}={only[1]} {low} and above"
    if math.isinf(measure.bounds[1]):
        return "any number" if math.isinf(measure.bounds[0]) else f"{low} and above"
    return f"{low} to {high}"


def cutoff_numbers_or_gains_text(measure: Measure) -> str:
    """What the parameter is, its default, and how it is written."""
    match measure.parameter:
        case Cutoffs():
            return f"ranks k, a column for each; the default is {usage_example(measure)}"
        case Fractions():
            return f"numbers, a column for each; the default is {usage_example(measure)}"
        case Numbers(length=length):
            many = "numbers" if length is None else f"{length} numbers"
            return f"{many} for one column; the default is {usage_example(measure)}"
        case Gains(persistence=None):
            return (
                f"gains of grades, as in {usage_example(measure)}; the default is each grade itself"
            )
        case Gains(persistence=p, grades=grades):
            gains = " and gains of grades" if grades else ""
            return (
                f"the persistence p{gains}, as in {usage_example(measure)}; the default is p={p:g}"
            )
        case NamedOptions(cutoff=cutoff) if cutoff != "none":
            return f"{CUTOFFS.get(cutoff, cutoff)}, as in {measure_signature(measure)}"
    return ""


CUTOFFS = {
    "optional": "a rank k to cut at, if any",
    "required": "a rank k to cut at",
    "recall": "a level of recall r from 0 to 1",
    "level": "a level of recall r from 0 to 1",
}
"""What stands behind the @ of a name."""


def measure_signature(measure: Measure) -> str:
    """How the measure is written, with letters for what can be chosen: `Q(beta,gain)[@k]`."""
    match measure.parameter:
        case Cutoffs():
            return f"{measure.name}.k"
        case Fractions():
            return f"{measure.name}.x"
        case NamedOptions(options=options, cutoff=cutoff):
            within = f"({','.join(options)})" if options else ""
            at = {"none": "", "optional": "[@k]", "required": "@k"}.get(cutoff, "@r")
            return f"{measure.name}{within}{at}"
    return usage_example(measure)


def option_meanings_and_defaults(measure: Measure) -> dict[str, str]:
    """What each named option means, and its default, as one text."""
    if not isinstance(measure.parameter, NamedOptions):
        return {}
    return {
        name: f"{option.meaning}; {_default_text(option)}"
        for name, option in measure.parameter.options.items()
    }


def _default_text(option: Option) -> str:
    if option.default is None:
        return "the default is the highest grade of the qrels" if option.kind == "scale" else ""
    return f"the default is {value_text(option.default)}"


def elsewhere_texts(measure: Measure) -> Iterator[str]:
    """The measure's names in other programs, each with what differs there."""
    for program, name, difference in names_elsewhere(measure):
        yield f"{program} {name}" + (f": {difference}" if difference else "")


def names_elsewhere(measure: Measure) -> tuple[Elsewhere, ...]:
    """What the measure is called elsewhere; trec_eval's names for it come first."""
    of_trec = []
    for alias in measure.trec:
        share = "r" if measure.cutoff_rule == "recall" else "x"
        letters: dict[type, str] = {Cutoffs: "k", Fractions: share}
        at = letters.get(type(alias.parameter), "")
        differs = alias.differs
        if alias.options and not differs:
            options = ",".join(f"{name}={value_text(v)}" for name, v in alias.options.items())
            differs = f"{measure.name}({options})" + (at and f"@{at}")
        of_trec.append(Elsewhere("trec_eval", alias.name + (at and f".{at}"), differs))
    return (*of_trec, *measure.elsewhere)


# --- Finding measures by name, by set, or by words of what is said of them ---


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


_FILLERS = frozenset(
    ("a", "an", "and", "at", "for", "in", "k", "mean", "measure", "metric", "of", "score", "the")
)
"""Words that tell no measure from others."""


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
    by_lower = {measure.name.lower(): measure.name for measure in measures}
    alike = get_close_matches(words[0].lower(), by_lower) if len(names) == 1 else []
    near = [by_lower[each] for each in alike]
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
    shown_measures: Sequence[Measure],
    words: Sequence[str],
    measures: Sequence[Measure],
    searched_text: Callable[[Measure], str],
) -> tuple[str, ...]:
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
        (
            _names_and_title(measure),
            measure.family,
            *measure.sets,
            measure.help,
            measure.formula,
            measure.source,
            *there,
        )
    )


def _has_words(text: str, words: Sequence[str]) -> bool:
    """Whether the words stand in a text, those of a letter or two as whole words."""
    text = _fold_spelling(text)
    return all(f" {word} " in f" {text} " if len(word) < 3 else word in text for word in words)


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


# --- The reference of the measures, from their records ---


_FILE = Path(__file__).with_name("references.bib")
_PROPER_NAME = re.compile(r"[A-Z]\w*( [A-Z]\w*)*'s |Bejewelled ")
"""The beginning of a title that is a name: Van Rijsbergen's E."""


@record(eq=True)
class Reference:
    """One entry of the bibliography."""

    key: str
    bibtex: str

    def field(self, name: str) -> str:
        """The text of a field without braces; empty where the entry has no such field."""
        match = re.search(rf"^  {name} = \{{(.*)\}},$", self.bibtex, re.MULTILINE)
        return match[1].replace("{", "").replace("}", "") if match else ""

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
    entries = re.finditer(r"^@\w+\{([^,\s]+),\n.*?^\}\n", text, re.MULTILINE | re.DOTALL)
    return {match[1]: Reference(match[1], match[0]) for match in entries}


@cache
def page_texts() -> dict[str, Any]:
    """What `pages.toml` says: `notation`, `families`, `when`, `formulas`."""
    return tomllib.loads(_FILE.with_name("pages.toml").read_text(encoding="utf-8"))


def latex_of(measure: Measure) -> str:
    """The formula as LaTeX; empty for a user's own measure."""
    formulas: dict[str, str] = page_texts()["formulas"]
    return (
        formulas.get(f"trec:{measure.name}", "") if measure.is_trec_evals_alone else ""
    ) or formulas.get(measure.name, "")


def references_of(measure: Measure) -> list[Reference]:
    """What a measure rests on, the paper that defines it first."""
    return [bibliography()[key] for key in measure.cites]


_MARGIN = 12
"""How far the facts of a page are from its edge."""


@record(eq=True)
class MeasureDescription:
    """What there is to say of a measure, in order."""

    measure: Measure
    paragraphs: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    """(label, text) pairs; a label may come several times in a row."""
    references: tuple[Reference, ...]


def describe_measure(
    measure: Measure, irev_version: str = "", written_name: str = ""
) -> MeasureDescription:
    """Everything that is known of a measure; what else is given goes to `methods_sentence`."""
    example = ""
    if measure.example is not None:
        name, ranking, value = example_name_ranking_and_value(measure)
        words = example_in_words(ranking, measure.needs)
        example = f"`{name}` is {value:.6g} for `{ranking}`: {words}"
    facts = [
        ("Formula", measure.formula),
        ("When", page_texts()["when"].get(measure.name, "")),
        ("Parameter", cutoff_numbers_or_gains_text(measure)),
        *(
            ("Option", f"{name}: {text}")
            for name, text in option_meanings_and_defaults(measure).items()
        ),
        ("Range", "; ".join(filter(None, (range_text(measure), direction_text(measure))))),
        ("Summary", AVERAGES[measure.average] + ("" if measure.per_topic else ", and no more")),
        ("Judgments", "any" if measure.needs == "any" else f"-R {judgment_formats(measure)}"),
        ("Sets", ", ".join(measure.sets)),
        ("Also", ", ".join(measure.aliases)),
        ("Example", example),
        ("Caution", measure.caution),
        ("Source", measure.source),
        ("Checked", _verification_text(measure)),
        *(("Elsewhere", text) for text in elsewhere_texts(measure)),
        ("In a paper", methods_sentence(measure, irev_version, written_name)),
    ]
    return MeasureDescription(
        measure,
        tuple(" ".join(part.split()) for part in inspect.cleandoc(measure.help).split("\n\n")),
        tuple((label, text) for label, text in facts if text),
        tuple(references_of(measure)),
    )


def direction_text(measure: Measure) -> str:
    """Which values are better, in words."""
    return {True: "higher is better", False: "lower is better", None: ""}[measure.higher_is_better]


def example_name_ranking_and_value(measure: Measure) -> tuple[str, str, float]:
    """The measure as its example asks for it, the ranking, and the value."""
    assert measure.example is not None  # noqa: S101 - callers have looked
    ranking, text, value = measure.example
    named = isinstance(measure.parameter, NamedOptions)
    return measure.name + (text if named or not text else f".{text}"), ranking, value


def example_in_words(example_ranking: str, needs: str) -> str:
    """What the notation of examples, `2 0 - 1 | 1`, says of ranks and of what was not retrieved."""
    ranked, _, missed = example_ranking.partition("|")
    if needs == "nuggets":
        held, others = (
            ", ".join("vital" if grade == "2" else "okay" for grade in codes.split())
            for codes in (ranked, missed)
        )
        return f"the answer supports the nuggets {held}, and not {others}"
    if needs == "support":
        support = {"2": "fully", "1": "in part", "0": "not"}
        sentences = "; ".join(
            "no citation"
            if labels == "-"
            else " and ".join(support[label] for label in labels.split(","))
            for labels in ranked.split()
        )
        return f"the citations of its sentences support them, one after another: {sentences}"
    words = [_example_grade_text(code, needs) for code in ranked.split()]
    text = f"ranks 1 to {len(words)} hold " + ", ".join(words)
    if missed:
        text += "; not retrieved: " + ", ".join(
            _example_grade_text(code, needs) for code in missed.split()
        )
    return text


def _example_grade_text(grade_notation: str, needs: str) -> str:
    """One document of an example."""
    grade, _, rest = grade_notation.partition("/")
    word = {"-": "no judgment", ".": "pooled, but no judgment"}.get(grade, f"grade {grade}")
    if "," in grade:
        word = f"grades {grade.replace(',', ' and ')} for the subtopics"
    if rest:
        word += f" ({'probability' if needs == 'prels' else 'stratum'} {rest})"
    return word


def _verification_text(measure: Measure) -> str:
    if measure.checked == "not yet":
        return "not yet, neither against the paper nor against another program"
    if not measure.checked:
        # trec_eval's have a place in its table, a user's own have none
        return "against trec_eval 10, which prints the same" if measure.is_trec_evals_alone else ""
    same = (each.program for each in measure.elsewhere if not each.difference)
    programs = full_list([*dict.fromkeys(same)]) or "another program"
    checked = measure.checked.replace("program: ", "").replace("program", programs)
    return "against " + checked.replace("paper", "the paper")


def methods_sentence(measure: Measure, irev_version: str = "", written_name: str = "") -> str:
    """A sentence for the methods section of a paper; empty for what is no measure of quality.

    It has the measure as `written_name`, with the options asked for, or else with the defaults.
    """
    if measure.kind != "real" or measure.higher_is_better is None:
        return ""
    title = measure.title
    if title[1:2].islower() and not _PROPER_NAME.match(title):
        title = title[0].lower() + title[1:]
    shorts = [reference.short for reference in references_of(measure)[:2]]
    cited = "; ".join(dict.fromkeys(shorts))
    program = f"irev {irev_version}" if irev_version else "irev"
    name = written_name or _name_with_default_options(measure)
    return (
        f"We measured {title} ({name}{'; ' if cited else ''}{cited}), computed with {program}, "
        f"as the {AVERAGES[measure.average]}."
    )


def _name_with_default_options(measure: Measure) -> str:
    """The measure's name as results have it, its options at their defaults."""
    if isinstance(measure.parameter, Gains):
        p = measure.parameter.persistence
        return measure.name if p is None else f"{measure.name}.p={p:g}"
    if not isinstance(measure.parameter, NamedOptions):
        return measure_signature(measure)
    cut = {"required": "@k", "recall": "@r", "level": "@r"}.get(measure.parameter.cutoff, "")
    options = tuple((name, o.default) for name, o in measure.parameter.options.items())
    return canonical_name(measure, Arguments((), options), None) + cut


def page_text(page: MeasureDescription, *, bibtex: bool = True) -> str:
    """The page for a terminal."""
    measure = page.measure
    lines = [measure_signature(measure), f"    {measure.title}", ""]
    for paragraph in page.paragraphs:
        lines += [*_wrap(paragraph, "    ", "    "), ""]
    last = ""
    for label, text in page.facts:
        head = "" if label == last else f"{label}:"
        lines += _wrap(text, f"    {head:<{_MARGIN}}", " " * (4 + _MARGIN))
        last = label
    if bibtex:
        for reference in page.references:
            lines += ["", *reference.bibtex.splitlines()]
    return "\n".join(lines) + "\n"


def _wrap(text: str, first: str, further: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
    )


def page_markdown(
    page: MeasureDescription, worked_example_markdown: str = "", bibliography_page: str = ""
) -> str:
    """The page as a section of the reference.

    Args:
        page: what there is to say.
        worked_example_markdown: the example in full, instead of one line.
        bibliography_page: the page that has the references, to which the citations then link.
    """
    measure = page.measure
    lines = [f"## `{measure_signature(measure)}`", "", f"**{escape_markdown(measure.title)}.**", ""]
    for paragraph in page.paragraphs:
        lines += [escape_markdown(paragraph), ""]
    if latex := latex_of(measure):
        lines += ["$$", latex, "$$", ""]
    for label, texts in groupby(page.facts, key=lambda fact: fact[0]):
        shown = [text for _, text in texts]
        if label == "Formula":
            lines.append(f"- {'In words' if latex else label}: `{shown[0]}`")
        elif label == "Example" and worked_example_markdown:
            lines += ["", worked_example_markdown, ""]
        elif len(shown) == 1:
            lines.append(f"- {label}: {escape_markdown(shown[0])}")
        else:
            lines.append(f"- {label}:")
            lines += [f"  - {escape_markdown(text)}" for text in shown]
    if page.references:
        cited = (
            f"[{each.short}]({bibliography_page}#{each.key})" if bibliography_page else each.short
            for each in page.references
        )
        lines.append(f"- References: {', '.join(cited)}")
    return "\n".join(lines) + "\n"


def escape_markdown(text: str) -> str:
    """Text as Markdown shows it; code between backquotes stays as it is."""
    parts = text.split("`")
    for even in range(0, len(parts), 2):
        for special in "\\*_<>[]|":
            parts[even] = parts[even].replace(special, f"\\{special}")
    return "`".join(parts)


def measure_json(measure: Measure) -> dict[str, Any]:
    """The record as JSON has it; an infinite bound is null."""
    low, high = (bound if math.isfinite(bound) else None for bound in measure.bounds)
    return {
        "name": measure.name,
        "written": measure_signature(measure),
        "title": measure.title,
        "family": measure.family,
        "formula": measure.formula,
        "help": inspect.cleandoc(measure.help),
        "parameter": cutoff_numbers_or_gains_text(measure),
        "options": option_meanings_and_defaults(measure),
        "range": [low, high],
        "higher_is_better": measure.higher_is_better,
        "kind": measure.kind,
        "summary": measure.average,
        "judgments": measure.needs,
        "sets": list(measure.sets),
        "aliases": list(measure.aliases),
        "source": measure.source,
        "checked": measure.checked or ("program" if measure.is_trec_evals_alone else ""),
        "caution": measure.caution,
        "elsewhere": [each._asdict() for each in names_elsewhere(measure)],
        "references": [each.key for each in references_of(measure)],
    }


def suite_text(suite: Suite) -> str:
    """What a suite is, for a terminal."""
    facts = [("Measures:", ", ".join(suite.measures)), ("Source:", suite.source)]
    lines = [f"{SUITE_PREFIX}{suite.name}/{suite.version}", f"    {suite.title}"]
    for label, text in facts:
        lines += _wrap(text, f"    {label:<{_MARGIN}}", " " * (4 + _MARGIN))
    return "\n".join(lines) + "\n"


def suite_list_item_markdown(suite: Suite) -> str:
    """What a suite is, as an item of the reference."""
    measures = ", ".join(f"`{name}`" for name in suite.measures)
    title, source = escape_markdown(suite.title), escape_markdown(suite.source)
    name = f"`{SUITE_PREFIX}{suite.name}/{suite.version}`"
    return f"- {name}: {title}. {measures}. Source: {source}.\n"


def measures_by_family(measures: Sequence[Measure]) -> list[tuple[str, list[Measure]]]:
    """The measures of each family, in the order in which the families first occur."""
    families: dict[str, list[Measure]] = {}
    for measure in measures:
        families.setdefault(measure.family, []).append(measure)
    return list(families.items())
