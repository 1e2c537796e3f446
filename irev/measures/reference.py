"""The reference of the measures, from their records: a page for each, as text or as Markdown.

Run as a module it writes the whole reference as Markdown to standard output.
"""

from __future__ import annotations

import inspect
import math
import re
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irev.measures import load_all
from irev.measures.canonical import canonical_name
from irev.measures.described import (
    AVERAGES,
    WIDTH,
    elsewhere,
    formats_of,
    names_elsewhere,
    options_of,
    parameter_of,
    range_of,
    signature,
)
from irev.measures.registry import (
    TREC,
    Arguments,
    Gains,
    Measure,
    Named,
    definitions,
)
from irev.measures.suites import PREFIX, SUITES, Suite

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


_MARGIN = 12
"""How far the facts of a page are from its edge."""


def every_measure() -> list[Measure]:
    """All measures: trec_eval's in the order of its table, then those with named options."""
    load_all()
    return [*TREC.values(), *sorted(definitions(), key=lambda m: m.family)]


@dataclass(frozen=True)
class Page:
    """What there is to say of a measure, in order."""

    measure: Measure
    paragraphs: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    """(label, text) pairs; a label may come several times in a row."""
    references: tuple[Reference, ...]


def page(measure: Measure, version: str = "") -> Page:
    """Everything that is known of a measure; `version` is irev's, for the methods sentence."""
    facts = [
        ("Formula", measure.formula),
        ("Parameter", parameter_of(measure)),
        *(("Option", f"{name}: {text}") for name, text in options_of(measure)),
        ("Range", _range(measure)),
        ("Summary", AVERAGES[measure.average] + ("" if measure.per_topic else ", and no more")),
        ("Judgments", "any" if measure.needs == "any" else f"-R {formats_of(measure)}"),
        ("Sets", ", ".join(measure.sets)),
        ("Also", ", ".join(measure.aliases)),
        ("Example", _example(measure)),
        ("Caution", measure.caution),
        ("Source", measure.source),
        ("Checked", _checked(measure)),
        *(("Elsewhere", text) for text in names_elsewhere(measure)),
        ("In a paper", methods(measure, version)),
    ]
    return Page(
        measure,
        tuple(" ".join(part.split()) for part in inspect.cleandoc(measure.help).split("\n\n")),
        tuple((label, text) for label, text in facts if text),
        tuple(references_of(measure)),
    )


def direction_of(measure: Measure) -> str:
    """Which values are better, in words."""
    return {True: "higher is better", False: "lower is better", None: ""}[measure.higher_is_better]


def _range(measure: Measure) -> str:
    return "; ".join(filter(None, (range_of(measure), direction_of(measure))))


def _example(measure: Measure) -> str:
    """A small ranking and its value."""
    if measure.example is None:
        return ""
    ranking, text, value = measure.example
    name = measure.name
    if text:
        name += text if isinstance(measure.parameter, Named) else f".{text}"
    return f"{name} of the grades `{ranking}` is {value:.6g}"


def _checked(measure: Measure) -> str:
    if measure.checked == "not yet":
        return "not yet, neither with the paper nor with another program"
    if not measure.checked:
        # trec_eval's have a place in its table, a user's own have none
        return "in a program: trec_eval 10 prints the same" if measure.position else ""
    return measure.checked.replace("paper", "in the paper").replace("program", "in a program")


def methods(measure: Measure, version: str = "") -> str:
    """A sentence for the methods section of a paper; empty for what is no measure of quality."""
    if measure.kind != "real" or measure.higher_is_better is None:
        return ""
    title = measure.title
    if title[1:2].islower():
        title = title[0].lower() + title[1:]
    shorts = [reference.short for reference in references_of(measure)[:2]]
    cited = "; ".join(dict.fromkeys(shorts))
    program = f"irev {version}" if version else "irev"
    return (
        f"We measured {title} ({_plainly(measure)}{'; ' if cited else ''}{cited}), computed with "
        f"{program}, {_summed_up(measure)}."
    )


def _plainly(measure: Measure) -> str:
    """The measure's name as results have it, its options at their defaults."""
    if isinstance(measure.parameter, Gains):
        p = measure.parameter.persistence
        return measure.name if p is None else f"{measure.name}.p={p:g}"
    if not isinstance(measure.parameter, Named):
        return signature(measure)
    cut = {"required": "@k", "recall": "@r", "level": "@r"}.get(measure.parameter.cutoff, "")
    options = tuple((name, o.default) for name, o in measure.parameter.options.items())
    return canonical_name(measure, Arguments((), options), None) + cut


def _summed_up(measure: Measure) -> str:
    if measure.average == "geometric":
        return "as the geometric mean over the topics"
    return f"as the {AVERAGES[measure.average]}"


def as_text(page: Page, *, bibtex: bool = True) -> str:
    """The page for a terminal."""
    measure = page.measure
    lines = [signature(measure), f"    {measure.title}", ""]
    for paragraph in page.paragraphs:
        lines += [*_wrapped(paragraph, "    ", "    "), ""]
    last = ""
    for label, text in page.facts:
        head = "" if label == last else f"{label}:"
        lines += _wrapped(text, f"    {head:<{_MARGIN}}", " " * (4 + _MARGIN))
        last = label
    if bibtex:
        for reference in page.references:
            lines += ["", *reference.bibtex.splitlines()]
    return "\n".join(lines) + "\n"


def _wrapped(text: str, first: str, further: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=further, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def as_markdown(page: Page) -> str:
    """The page as a section of the reference."""
    measure = page.measure
    lines = [f"### `{signature(measure)}`", "", f"**{_escaped(measure.title)}.**", ""]
    for paragraph in page.paragraphs:
        lines += [_escaped(paragraph), ""]
    for label, texts in groupby(page.facts, key=lambda fact: fact[0]):
        shown = [text for _, text in texts]
        if label == "Formula":
            lines.append(f"- Formula: `{shown[0]}`")
        elif len(shown) == 1:
            lines.append(f"- {label}: {_escaped(shown[0])}")
        else:
            lines.append(f"- {label}:")
            lines += [f"  - {_escaped(text)}" for text in shown]
    if page.references:
        keys = ", ".join(f"[{each.short}](#{each.key})" for each in page.references)
        lines.append(f"- References: {keys}")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """As Markdown shows it; what stands between backquotes stays."""
    parts = text.split("`")
    for even in range(0, len(parts), 2):
        for special in "\\*_<>[]|":
            parts[even] = parts[even].replace(special, f"\\{special}")
    return "`".join(parts)


def as_object(measure: Measure) -> dict[str, Any]:
    """The record as JSON has it; an infinite bound is null."""
    low, high = (bound if math.isfinite(bound) else None for bound in measure.bounds)
    return {
        "name": measure.name,
        "written": signature(measure),
        "title": measure.title,
        "family": measure.family,
        "formula": measure.formula,
        "help": inspect.cleandoc(measure.help),
        "parameter": parameter_of(measure),
        "options": dict(options_of(measure)),
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
        "elsewhere": [each._asdict() for each in elsewhere(measure)],
        "references": [each.key for each in references_of(measure)],
    }


def suite_as_text(suite: Suite) -> str:
    """What a suite is, for a terminal."""
    facts = [("Measures:", ", ".join(suite.measures)), ("Source:", suite.source)]
    lines = [f"{PREFIX}{suite.name}/{suite.version}", f"    {suite.title}"]
    for label, text in facts:
        lines += _wrapped(text, f"    {label:<{_MARGIN}}", " " * (4 + _MARGIN))
    return "\n".join(lines) + "\n"


def suite_as_markdown(suite: Suite) -> str:
    """What a suite is, as an item of the reference."""
    measures = ", ".join(f"`{name}`" for name in suite.measures)
    return (
        f"- `{PREFIX}{suite.name}/{suite.version}`: {_escaped(suite.title)}. {measures}. "
        f"Source: {_escaped(suite.source)}.\n"
    )


_HEAD = """\
# Measures

This page is made from the registry by `make docs`; `irev measures NAME` prints the same of one
measure. Names in lower case are trec_eval's, with its parameters behind a dot, and compute what it
does. The others are written `Name(option=value)@cutoff`; each of them also takes `rel=N`, the
smallest relevant grade (`rel=relaxed` is 1, `rel=rigid` is 2, as NTCIR has it), and
`condensed=true`, which drops unjudged documents first.

In the examples a ranking is a list of grades; `-` is a document that is not in the qrels, `.` one
that was pooled but not judged; behind `|` stand the judged documents that were not retrieved.
Where judgments are sampled, a grade is followed by the stratum, `1/2`, or by the probability with
which the document was to be judged, `1/0.5`.
"""

_SUITES_HEAD = """\
Measures that are reported together: `-m suite:beir`, or with the version `-m suite:beir/1`. A
suite that is changed gets a new version, and the old one stays.

"""


def document() -> str:
    """The whole reference as Markdown."""
    parts = [_HEAD]
    cited: dict[str, Reference] = {}
    known = every_measure()
    of_table = [measure for measure in known if measure.position]
    named = [measure for measure in known if not measure.position]
    for title, records in (
        ("Measures of trec_eval", of_table),
        ("Measures with named options", named),
    ):
        for family, measures in by_family(records):
            parts.append(f"## {title}: {family}\n")
            for measure in measures:
                made = page(measure)
                parts.append(as_markdown(made))
                cited.update((each.key, each) for each in made.references)
    parts.append("## Suites\n")
    parts.append(_SUITES_HEAD + "".join(map(suite_as_markdown, SUITES)))
    parts.append("## References\n")
    for key in sorted(cited):
        parts.append(f'<a id="{key}"></a>\n\n```bibtex\n{cited[key].bibtex}```\n')
    return "\n".join(parts)


def by_family(measures: Sequence[Measure]) -> list[tuple[str, list[Measure]]]:
    """The measures of each family, in the order in which the families first occur."""
    families: dict[str, list[Measure]] = {}
    for measure in measures:
        families.setdefault(measure.family, []).append(measure)
    return list(families.items())


if __name__ == "__main__":
    sys.stdout.write(document())
