"""The reference of the measures, from their records: a page for each, as text or as Markdown.

Formulas as LaTeX, and when to use a measure or a family, are in `pages.toml` beside this file.
"""

from __future__ import annotations

import inspect
import math
import re
import textwrap
import tomllib
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from irev.core.record import record
from irev.core.wording import full_list
from irev.measures.descriptions import (
    AVERAGES,
    WIDTH,
    cutoff_numbers_or_gains_text,
    elsewhere_texts,
    judgment_formats,
    measure_signature,
    names_elsewhere,
    option_meanings_and_defaults,
    range_text,
)
from irev.measures.naming.name_lists import SUITE_PREFIX
from irev.measures.naming.suites import Suite
from irev.measures.registry import (
    Arguments,
    Gains,
    Measure,
    NamedOptions,
)
from irev.measures.requests import canonical_name

_FILE = Path(__file__).with_name("references.bib")
_ENTRY = re.compile(r"^@\w+\{([^,\s]+),\n.*?^\}\n", re.MULTILINE | re.DOTALL)
_PROPER_NAME = re.compile(r"[A-Z]\w*( [A-Z]\w*)*'s |Bejewelled ")
"""The beginning of a title that is a name: Van Rijsbergen's E."""
_FIELD = r"^  {} = \{{(.*)\}},$"


@record(eq=True)
class Reference:
    """One entry of the bibliography."""

    key: str
    bibtex: str

    def field(self, name: str) -> str:
        """The text of a field without braces; empty where the entry has no such field."""
        match = re.search(_FIELD.format(name), self.bibtex, re.MULTILINE)
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
    return {match[1]: Reference(match[1], match[0]) for match in _ENTRY.finditer(text)}


@cache
def page_texts() -> dict[str, Any]:
    """What `pages.toml` says: `notation`, `families`, `when`, `formulas`."""
    return tomllib.loads(_FILE.with_name("pages.toml").read_text(encoding="utf-8"))


def latex_of(measure: Measure) -> str:
    """The formula as LaTeX; empty for a user's own measure."""
    formulas: dict[str, str] = page_texts()["formulas"]
    return (formulas.get(f"trec:{measure.name}", "") if measure.position else "") or formulas.get(
        measure.name, ""
    )


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
    facts = [
        ("Formula", measure.formula),
        ("When", page_texts()["when"].get(measure.name, "")),
        ("Parameter", cutoff_numbers_or_gains_text(measure)),
        *(
            ("Option", f"{name}: {text}")
            for name, text in option_meanings_and_defaults(measure).items()
        ),
        ("Range", _range_and_direction(measure)),
        ("Summary", AVERAGES[measure.average] + ("" if measure.per_topic else ", and no more")),
        ("Judgments", "any" if measure.needs == "any" else f"-R {judgment_formats(measure)}"),
        ("Sets", ", ".join(measure.sets)),
        ("Also", ", ".join(measure.aliases)),
        ("Example", _example_text(measure)),
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


def _range_and_direction(measure: Measure) -> str:
    return "; ".join(filter(None, (range_text(measure), direction_text(measure))))


def example_name_ranking_and_value(measure: Measure) -> tuple[str, str, float]:
    """The measure as its example asks for it, the ranking, and the value."""
    assert measure.example is not None  # noqa: S101 - callers have looked
    ranking, text, value = measure.example
    named = isinstance(measure.parameter, NamedOptions)
    return measure.name + (text if named or not text else f".{text}"), ranking, value


def _example_text(measure: Measure) -> str:
    """A small ranking in words, and its value."""
    if measure.example is None:
        return ""
    name, ranking, value = example_name_ranking_and_value(measure)
    return f"`{name}` is {value:.6g} for `{ranking}`: {example_in_words(ranking, measure.needs)}"


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
            "no citation" if labels == "-" else
            " and ".join(support[label] for label in labels.split(","))
            for labels in ranked.split()
        )  # fmt: skip
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
        return "against trec_eval 10, which prints the same" if measure.position else ""
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
        f"{_summary_text(measure)}."
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


def _summary_text(measure: Measure) -> str:
    if measure.average == "geometric":
        return "as the geometric mean over the topics"
    return f"as the {AVERAGES[measure.average]}"


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
        text, WIDTH, initial_indent=first, subsequent_indent=further, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


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
        )  # fmt: skip
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
        "checked": measure.checked or ("program" if measure.position else ""),
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
