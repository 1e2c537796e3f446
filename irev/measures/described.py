"""What there is to say of a measure, as text for a terminal."""

from __future__ import annotations

import inspect
import math
import textwrap

from irev.measures.parameters import usage
from irev.measures.registry import Cutoffs, Fractions, Gains, Measure, Numbers

WIDTH = 80
INDENT = "    "

_AVERAGES = {
    "mean": "mean over the topics",
    "sum": "sum over the topics",
    "geometric": "geometric mean over the topics",
    "topics": "the number of topics",
    "run": "the run's tag",
    "none": "none",
}


def describe(measure: Measure) -> str:
    """The measure's name, what it is and means, its parameters, sets and source."""
    facts = [
        ("Formula", measure.formula),
        ("Parameter", _parameter(measure)),
        ("Range", _range(measure)),
        ("Summary", _AVERAGES[measure.average]),
        ("Judgments", "any" if measure.needs == "any" else f"-R {_formats(measure)}"),
        ("Sets", ", ".join(measure.sets) or "none"),
        ("Source", measure.source),
    ]
    lines = [measure.name, f"{INDENT}{measure.title}", ""]
    lines += textwrap.indent(_filled(inspect.cleandoc(measure.help)), INDENT).splitlines()
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


def _filled(text: str) -> str:
    """The paragraphs, broken anew at the width of a terminal."""
    width = WIDTH - len(INDENT)
    return "\n\n".join(
        textwrap.fill(part, width, break_on_hyphens=False) for part in text.split("\n\n")
    )


def _formats(measure: Measure) -> str:
    return "prefs or -R qrels_prefs" if measure.needs == "prefs" else measure.needs


def _range(measure: Measure) -> str:
    """The values that it can have; nothing for what is no number."""
    if measure.kind == "text":
        return ""
    low, high = (f"{bound:g}" for bound in measure.bounds)
    if math.isinf(measure.bounds[1]):
        return "any number" if math.isinf(measure.bounds[0]) else f"{low} and above"
    return f"{low} to {high}"


def _parameter(measure: Measure) -> str:
    """What the parameter is, its default, and how it is written."""
    match measure.parameter:
        case Cutoffs():
            return f"ranks k, a column for each; the default is {usage(measure)}"
        case Fractions():
            return f"numbers, a column for each; the default is {usage(measure)}"
        case Numbers(length=length):
            many = "numbers" if length is None else f"{length} numbers"
            return f"{many} for one column; the default is {usage(measure)}"
        case Gains(persistence=None):
            return f"gains of grades, as in {usage(measure)}; the default is each grade itself"
        case Gains(persistence=p, grades=grades):
            gains = " and gains of grades" if grades else ""
            return f"the persistence p{gains}, as in {usage(measure)}; the default is p={p:g}"
    return ""
