"""What there is to say of a measure, as text for a terminal."""

from __future__ import annotations

import inspect
import math
import textwrap
from collections.abc import Iterator
from functools import partial

from irev.measures.naming.trec_names import usage_example
from irev.measures.registry import (
    Cutoffs,
    Elsewhere,
    Fractions,
    Gains,
    Measure,
    NamedOptions,
    Numbers,
    Option,
    TrecName,
)
from irev.measures.requests import unbounding_option, value_text

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
"""How topics are summed up, in words."""


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
        *(("Elsewhere", text) for text in elsewhere_texts(measure) if not measure.position),
    ]
    facts[2:2] = [
        ("Option", f"{name}: {text}")
        for name, text in option_meanings_and_defaults(measure).items()
    ]
    lines = [measure.name, f"{INDENT}{measure.title}", ""]
    lines += textwrap.indent(_fill_paragraphs(inspect.cleandoc(measure.help)), INDENT).splitlines()
    lines.append("")
    for name, text in facts:
        if text:
            lines += textwrap.wrap(
                f"{name + ':':<10} {text}",
                WIDTH,
                initial_indent=INDENT,
                subsequent_indent=INDENT + " " * 11,
                break_long_words=False,
                break_on_hyphens=False,
            )
    return "\n".join(lines) + "\n"


def _fill_paragraphs(text: str) -> str:
    """The paragraphs, broken anew at the width of a terminal."""
    width = WIDTH - len(INDENT)
    return "\n\n".join(
        textwrap.fill(part, width, break_on_hyphens=False) for part in text.split("\n\n")
    )


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
    return (*map(partial(_trec_elsewhere, measure), measure.trec), *measure.elsewhere)


def _trec_elsewhere(measure: Measure, alias: TrecName) -> Elsewhere:
    """One of trec_eval's names for the measure, and what it stands for."""
    by_recall = isinstance(measure.parameter, NamedOptions) and measure.parameter.cutoff == "recall"
    letters: dict[type, str] = {Cutoffs: "k", Fractions: "r" if by_recall else "x"}
    at = letters.get(type(alias.parameter), "")
    differs = alias.differs
    if alias.options and not differs:
        options = ",".join(f"{name}={value_text(value)}" for name, value in alias.options.items())
        differs = f"{measure.name}({options})" + (at and f"@{at}")
    return Elsewhere("trec_eval", alias.name + (at and f".{at}"), differs)
