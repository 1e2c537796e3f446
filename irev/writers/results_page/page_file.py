"""The page as one HTML file that loads nothing, readable without its script.

`results_page_bytes` writes it: the policy, style, static text, data and script. What does not fit
is left out, documents first. The data are what the script reads; the static text, of each part
(`part_lines`), says the same to who has no script: which run is best, what the tests show and what
is doubtful, in three short texts; the runs as a table; remarks, topics, how numbers were made.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from irev.core import __version__
from irev.core.arrays import Bools, Floats, Ints
from irev.core.text import printable
from irev.writers.document import p_text
from irev.writers.forms import html_list, html_text, page_bytes
from irev.writers.results_page import LARGEST_PAGE
from irev.writers.results_page.page_data import (
    UNIT,
    BaselineFamily,
    PagePart,
    PageRun,
    PairOutcomes,
    ResultsPage,
    TopDocuments,
    percent,
)

_BETWEEN = (
    '\n<script type="application/json" id="data">',
    "</script>\n<script>",
    "</script>\n</body>\n</html>",
)
"""What stands around the data and the script."""


def results_page_bytes(page: ResultsPage) -> Iterator[bytes]:
    """The file, a piece after another."""
    style, script = page_style(), page_script()
    policy = (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    title = html_text(page.title)
    before = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<title>{title}</title>\n<link rel="icon" href="data:,">',
        f"<style>{style}</style>\n</head>\n<body>",
        '<a class="skip" href="#static">Skip to the results</a>',
        f'<main>\n<h1>{breakable_text(page.title)}</h1>\n<div id="static">',
    ]
    after = (
        f"<footer>Made with irev {html_text(__version__)}. "
        "This page loads nothing and sends nothing.</footer>"
    )
    num_bytes = len("".join([*before, after, script, *_BETWEEN]).encode())
    static, values = _fit_text_and_data(page, LARGEST_PAGE - num_bytes)
    yield from map(page_bytes, before)
    yield static
    before_data, before_script, end = _BETWEEN
    yield page_bytes(f"</div>\n</main>\n{after}{before_data}{json_text(values)}")
    yield page_bytes(f"{before_script}{script}{end}")


def _digest(text: str) -> str:
    """The source of a policy that allows this text alone."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def page_script() -> str:
    """The script: the files that `scripts.txt` lists, in its order, without their comments."""
    names = resource_text("scripts.txt").split()
    lines = [line for name in names for line in _code_lines(resource_text(name))]
    return "\n".join(['"use strict";(()=>{', *lines, "})();"])


@cache
def page_style() -> str:
    """The style, without comments."""
    style = re.sub(r"/\*.*?\*/", "", resource_text("page.css"), flags=re.DOTALL)
    return "\n".join(_code_lines(style))


def _code_lines(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith(("//", "/*", "*"))]


# --- What fits ---


def _fit_text_and_data(page: ResultsPage, num_bytes: int) -> tuple[bytes, dict[str, Any]]:
    """The static text and the data, in so many bytes if that can be."""
    parts: Sequence[PagePart] = page.parts
    for reduce in (None, _keep_all_pairs_of_first_measure, _drop_scores, _keep_pairs_with_best_run):
        parts = parts if reduce is None else [*map(reduce, parts)]
        static = b"".join(page_bytes(line) for part in parts for line in part_lines(part))
        values = [part_values(part) for part in parts]
        room = num_bytes - len(static) - len(json_text(page_values(page.title, values)).encode())
        if room >= 0:
            break
    for part, part_value in zip(parts, values, strict=True):
        if part.documents is None:
            continue
        packed, note = fit_documents(part.documents, part.run_order(), part.first_baseline, room)
        part_value["documents"] = packed
        if note:
            part_value["documents_note"] = note
        if packed:
            room -= len(json_text(packed).encode())
    return static, page_values(page.title, values)


def _keep_all_pairs_of_first_measure(part: PagePart) -> PagePart:
    """All pairs under the first measure alone; under the others those with the best run."""
    if len(part.outcomes) < 2:
        return part
    return replace(
        _add_best_family(part), outcomes=(part.outcomes[0], *[None] * (len(part.outcomes) - 1))
    )


def _drop_scores(part: PagePart) -> PagePart:
    return replace(part, scores=None, pair_counts=(), documents=None)


def _keep_pairs_with_best_run(part: PagePart) -> PagePart:
    """The pairs with the best run alone, under every measure."""
    return replace(_add_best_family(part), outcomes=()) if part.outcomes else part


def _add_best_family(part: PagePart) -> PagePart:
    """The part with what all pairs say of those with the best run standing by itself."""
    best, num_runs = part.run_order()[0], len(part.runs)
    if any(family.run_index == best for family in part.families):
        return part
    first, second = np.triu_indices(num_runs, 1)
    pair_of_run = np.full(num_runs, -1)
    for run, other in ((first, second), (second, first)):
        has_best = other == best
        pair_of_run[run[has_best]] = np.flatnonzero(has_best)
    is_first_of_pair = np.arange(num_runs) < best
    outcomes = tuple(
        None if each is None else _outcomes_by_run(each, pair_of_run, is_first_of_pair)
        for each in part.outcomes
    )
    family = BaselineFamily(best, part.test, part.between, outcomes)
    return replace(part, families=(*part.families, family))


def _outcomes_by_run(
    outcomes: PairOutcomes, pair_of_run: Ints, is_first_of_pair: Bools
) -> PairOutcomes:
    """For each run the outcome of its pair with one run; that one has -1 for its pair."""
    pairs = outcomes.subset(pair_of_run)
    alone = pair_of_run < 0
    p = np.where(alone, np.nan, pairs.p)
    if pairs.half is not None:
        return replace(pairs, p=p, half=np.where(alone, np.nan, pairs.half))
    assert pairs.low is not None and pairs.high is not None  # noqa: S101, PT018
    low = np.where(is_first_of_pair, pairs.low, -pairs.high)
    high = np.where(is_first_of_pair, pairs.high, -pairs.low)
    ends = (np.where(alone, np.nan, end) for end in (low, high))
    return replace(pairs, p=p, **dict(zip(("low", "high"), ends, strict=True)))


MOST_RUNS = (20, 10, 5)
"""Of so many runs, the best ones and the baseline, documents are held where all do not fit."""


def fit_documents(
    documents: TopDocuments, run_order: Sequence[int], baseline: int, num_bytes: int
) -> tuple[dict[str, Any] | None, str]:
    """The packed documents of as many runs as have room, and which runs these are, if not all.

    Args:
        documents: those of all runs.
        run_order: the runs, the best first.
        baseline: a run whose documents are held where any are.
        num_bytes: how much room there is.
    """
    num_runs = len(run_order)
    for most in (num_runs, *(each for each in MOST_RUNS if each < num_runs)):
        runs = sorted({*run_order[:most], baseline})
        packed = packed_documents(documents, runs)
        if len(json_text(packed).encode()) <= num_bytes:
            if most == num_runs:
                return packed, ""
            return packed, (
                f"Documents are held of the {most} best runs and the baseline: those of all "
                f"{num_runs} runs would make the page too large."
            )
    return None, "Documents are left out: they would make the page too large."


def packed_documents(documents: TopDocuments, run_indices: Sequence[int]) -> dict[str, Any]:
    """Those of some of the runs, as the data of the page hold them.

    Each topic has the beginning that its ids share, the rest of each id in falling number of runs
    that have it, their grades, and for each run a word with a character for a document.
    """
    topics = []
    for topic_index, grades in enumerate(documents.grades):
        tops = [documents.ids[run][topic_index] for run in run_indices]
        num_runs = Counter(document for top in tops for document in top)
        ids = sorted(num_runs, key=lambda document: (-num_runs[document], document))
        shown = [printable(document).replace(" ", "\u00a0") for document in ids]
        # of characters, not of folders
        start = os.path.commonprefix(shown) if len(shown) > 1 else ""  # noqa: RUF071
        # document n is the character 63 + n, from 64 on 192 + n: none is a control
        character = {each: chr(n + (63 if n < 64 else 192)) for n, each in enumerate(ids)}
        topics.append(
            {
                "start": start,
                "ids": " ".join(each[len(start) :] for each in shown),
                "grades": " ".join(grades.get(document, "-") for document in ids),
                "tops": " ".join("".join(map(character.__getitem__, top)) for top in tops),
            }
        )
    return {"depth": documents.depth, "runs": [*run_indices], "topics": topics}


# --- The data: the records as the JSON that the script reads ---


def page_values(title: str, parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """All data of a page, given those of its parts."""
    return {
        "version": 1,
        "irev": __version__,
        "title": printable(title),
        "words": words(),
        "parts": [*parts],
    }


def part_values(part: PagePart) -> dict[str, Any]:
    """The data of a part, without its documents."""
    values = {
        "name": part.name,
        "kind": part.kind,
        "qrels": part.qrels_name,
        "level": _number(part.level),
        "places": part.decimals,
        "alpha": part.alpha,
        "confidence": part.confidence,
        "measures": [
            {
                "name": each.name, "higher": each.higher, "unit": each.is_unit,
                "about": each.about, **({"sum": True} if each.is_sum else {}),
            }
            for each in part.measures
        ],
        "runs": [
            {
                "name": each.name, "short": each.short, "team": each.team, "judged": each.judged,
                "missing": [*each.missing], "given": each.given,
            }
            for each in part.runs
        ],
        "left_out": part.short_names.left_out,
        "baseline": part.baseline,
        "topics": [{"id": each.id, "relevant": each.num_relevant} for each in part.topics],
        "tie": _number(part.tie),
        "counts": [[n for pair in measure for n in pair] for measure in part.pair_counts],
        "means": [[_numbers(run) for run in measure] for measure in part.means],
        "pairs": [_outcome_values(each) for each in part.outcomes],
        "families": [
            {
                "baseline": each.run_index, "test": each.test, "between": each.between,
                "measures": [_outcome_values(outcomes) for outcomes in each.outcomes],
            }
            for each in part.families
        ],
        "test": part.test,
        "between": part.between,
        "no_test": part.no_test,
        "judged_at": part.judged_rank,
        "curves": part.curves and part.curves._asdict(),
        "doubts": [
            {"text": text} if index is None else {"text": text, "measure": index}
            for text, index in part.doubts
        ],
        "remarks": [*part.remarks],
        "broken": [*part.broken],
        "made": [[*each] for each in part.made],
        "signature": part.signature,
        "verdicts": [[*measure] for measure in part.verdicts],
    }  # fmt: skip
    printed: dict[str, Any] = _printable(values)
    # these hold no texts, and are long
    printed["scores"] = None
    if part.scores is not None:
        printed["scores"] = [[_numbers(run) for run in measure.T] for measure in part.scores]
    return {**printed, "documents": None}


def _outcome_values(outcomes: PairOutcomes | None) -> dict[str, Any] | None:
    if outcomes is None:
        return None
    arrays = {"p": outcomes.p, "half": outcomes.half, "low": outcomes.low, "high": outcomes.high}
    return {name: _numbers(array) for name, array in arrays.items() if array is not None}


def _numbers(array: Floats) -> list[float | int | None]:
    return [_number(value) for value in array.tolist()]


def _number(value: float) -> float | int | None:
    """The shortest form: a whole number without a fraction, None where it is not finite."""
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) else value


def _printable(value: Any) -> Any:
    """The same with texts that show what they hold: a byte that is not UTF-8 as its number."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {name: _printable(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(each) for each in value]
    return value


def json_text(value: Any) -> str:
    """Compact JSON in which nothing can end an element of a page."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c")


# --- The static text: a part of the page without its script, which says the same in its place ---


def part_lines(part: PagePart) -> Iterator[str]:
    """The answer, the table with its plot, remarks, topics, and how the numbers were made."""
    comparisons = Comparisons(part)
    yield '<section class="part">'
    if part.name:
        yield f'<h2 class="partname">{html_text(part.name)}</h2>'
    yield from answer_lines(part, comparisons)
    yield f"<section><h2>{html_text(say('runs'))}</h2>"
    yield from run_table_lines(part, comparisons)
    notes = [*_notes(part, comparisons)]
    if notes:
        paragraphs = "".join(f"<p>{breakable_text(note)}</p>" for note in notes)
        yield f'<div class="notes">{paragraphs}</div>'
    yield "</section>"
    if part.remarks or part.broken:
        yield f'<section class="remarks"><h2>{html_text(say("remarks"))}</h2>'
        if part.remarks:
            yield from html_list(part.remarks)
        if part.broken:
            heading, *lines = part.broken
            yield f"<details><summary>{html_text(heading)}</summary>"
            yield from html_list(lines)
            yield "</details>"
        yield "</section>"
    yield from topic_table_lines(part)
    yield f'<section class="made"><details><summary><h2>{html_text(say("made"))}</h2></summary><dl>'
    for heading, text in part.made:
        is_code = heading in ("signature", "command", "commands")
        shown = f"<code>{html_text(text)}</code>" if is_code else html_text(text)
        yield f"<dt>{html_text(heading)}</dt><dd>{shown}</dd>"
    yield "</dl></details>"
    if part.signature:
        yield f"<p>{html_text(say('signature'))} <code>{html_text(part.signature)}</code></p>"
    yield "</section>\n</section>"


def _notes(part: PagePart, comparisons: Comparisons) -> Iterator[str]:
    """What a reader must know of the columns of tests."""
    if not comparisons.is_tested:
        return
    yield from comparisons.sentences
    yield say("marks", alpha=f"{part.alpha:g}")
    if part.kind == "board" and comparisons.pairs is not None:
        yield say("tied")
    if part.baseline is None:
        baseline = part.runs[comparisons.baseline].short
        yield say("no_baseline", baseline=baseline, measure=part.measures[0].name)


# --- Which run is best, what the tests show, and what is doubtful ---


_LONG_NAME = 30
_WORST_TOPICS = 5


def answer_lines(part: PagePart, comparisons: Comparisons) -> Iterator[str]:
    """The verdict, and the three texts under the first measure."""
    yield '<div class="answer">'
    if verdict := part.verdict():
        yield f'<p class="verdict">{breakable_text(verdict)}</p>'
    yield from _best_run_lines(part, comparisons)
    if comparisons.is_tested:
        yield from _test_lines(part, comparisons)
    else:
        yield from _worst_topics_or_no_test_lines(part)
    texts = [each.text for each in part.doubts if each.measure_index in (None, 0)]
    yield f'<div class="care{"" if texts else " none"}"><h2>{html_text(say("care"))}</h2>'
    if texts:
        items = "".join(f"<li>{breakable_text(text)}</li>" for text in texts)
        yield f"<ul>{items}</ul>"
    else:
        yield f"<p>{html_text(say('no_doubts'))}</p>"
    yield "</div>"
    yield "</div>"


def _best_run_lines(part: PagePart, comparisons: Comparisons) -> Iterator[str]:
    measure, best = part.measures[0], comparisons.order[0]
    num_runs = len(part.runs)
    which = "only" if num_runs == 1 else "highest" if measure.higher else "lowest"
    heading = say(f"{which}_{'sum' if measure.is_sum else 'mean'}", measure=measure.name)
    value, low, high = part.means[0, best].tolist()
    slots = {
        name: rounded(number, part.decimals)
        for name, number in (("value", value), ("low", low), ("high", high))
    }
    run = part.runs[best]
    css_class = "big long" if len(run.short) > _LONG_NAME else "big"
    yield f"<div><h2>{html_text(heading)}</h2>"
    yield f'<p class="{css_class}" title="{html_text(run.name)}">{breakable(run.short)}</p>'
    yield f"<p>{html_text(say('value' if low != low else 'value_interval', **slots))}</p>"
    if comparisons.pairs is not None:
        alike = [
            part.runs[run].short
            for run in comparisons.order
            if run != best and comparisons.verdicts[run, best] == 0
        ]
        # of two runs the verdict says it
        if num_runs > 2 or not part.verdict():
            sentence = say("better_than_all", count=num_runs - 1)
            if alike:
                sentence = say("alike", count=len(alike), names=listed_names(alike))
            yield f"<p>{breakable_text(sentence)}</p>"
    yield "</div>"


def _test_lines(part: PagePart, comparisons: Comparisons) -> Iterator[str]:
    yield f"<div><h2>{html_text(say('tests_show'))}</h2>"
    others, significant = comparisons.sizes()
    num_pairs = len(others) + len(significant)
    if comparisons.pairs is not None:
        differ = say("pair_differs" if len(significant) else "pair_differs_not")
        if num_pairs > 1:
            pairs = say("pairs", count=num_pairs)
            differ = say("pairs_differ", count=len(significant), pairs=pairs)
        yield f'<p class="big">{html_text(differ)}</p>'
    differences = map(comparisons.baseline_difference, range(len(part.runs)))
    verdicts = [each.verdict for each in differences if each is not None]
    better, worse = (
        f'<span class="{name}">{say(f"count_{name}", count=verdicts.count(verdict))}</span>'
        for name, verdict in (("better", 1), ("worse", -1))
    )
    baseline = f"<b>{breakable(part.runs[comparisons.baseline].short)}</b>"
    slots = {"baseline": baseline, "better": better, "worse": worse, "neither": verdicts.count(0)}
    if num_pairs > 1 or comparisons.pairs is None or comparisons.baseline_outcomes is not None:
        yield f"<p>{say('against', **slots)}</p>"
    if comparisons.pairs is not None and num_pairs > 1:
        smallest, largest = (
            rounded(float(size), part.decimals)
            for size in (significant.min(initial=np.inf), others.max(initial=0.0))
        )
        which = "smallest_significant" if len(others) else "all_significant"
        which = which if len(significant) else "none_significant"
        sentence = say(which, smallest=smallest, largest=largest)
        widths = sorted(comparisons.pairs.half_widths().tolist())
        if widths:
            width = rounded(widths[len(widths) // 2] * UNIT, part.decimals)
            sentence += f" {say('half_width', width=width)}"
        yield f"<p>{html_text(sentence)}</p>"
    yield "</div>"


def _worst_topics_or_no_test_lines(part: PagePart) -> Iterator[str]:
    """Of one run its worst topics; else why nothing was tested."""
    if len(part.runs) > 1 or len(part.topics) == 1 or part.scores is None:
        yield f"<div><h2>{html_text(say('no_test'))}</h2><p>{html_text(part.no_test)}</p></div>"
        return
    higher = part.measures[0].higher
    scores = np.nan_to_num(part.scores[0, :, 0])
    worst = np.argsort(scores if higher else -scores, kind="stable")[:_WORST_TOPICS].tolist()
    texts = [
        say(
            "topic_score",
            topic=part.topics[topic].id,
            score=rounded(float(scores[topic]) / 1e4, part.decimals),
        )
        for topic in worst
    ]
    heading = say("lowest_topics" if higher else "highest_topics")
    yield f"<div><h2>{html_text(heading)}</h2><p>{html_text(', '.join(texts))}</p></div>"


# --- The tables ---


_FEW_MEASURES = 3
"""Of more the heads are broken, so that the table is as wide as the window."""

_MARKS = {1: ("\u25b2", "better"), -1: ("\u25bc", "worse"), 0: ("\u00b7", "neither")}
"""For each verdict its sign, and what it is called."""


def run_table_lines(part: PagePart, comparisons: Comparisons) -> Iterator[str]:
    """All runs by the first measure, with all measures, differences and what the tests say."""
    baseline, has_several = comparisons.baseline, len(part.runs) > 1
    level = f"{100 * part.confidence:.6g}%"
    ends = part.means[0][np.isfinite(part.means[0])]
    low, high = float(ends.min(initial=math.inf)), float(ends.max(initial=-math.inf))
    differences = [comparisons.baseline_difference(run) for run in range(len(part.runs))]

    def position(value: float) -> str:
        """A value as per cent of the width of a plot, with a margin, so that no mark is cut."""
        return f"{4 + (100 - 2 * 4) * ((value - low) / ((high - low) or 1)):.2f}%"

    # the head of a column, its class, and the cell of a run
    columns: list[tuple[str, str, Callable[[int], str]]] = []
    if has_several:
        columns.append((say("place"), "", lambda run: f"<td>{comparisons.place(run)}</td>"))
    if part.kind == "board" and comparisons.pairs is not None:

        def places_cell(run: int) -> str:
            first, last = comparisons.open_places(run)
            places = f"{first}\u2013{last}"
            return f'<td class="medium{" tied" * (first == 1)}">{places}</td>'

        columns.append((say("places", confidence=level), "medium", places_cell))
    columns.append(
        (
            say("run"),
            "text",
            lambda run: _name_cell(part.runs[run], run == baseline and has_several),
        )
    )
    has_interval = bool(np.isfinite(part.means[0, :, 1]).any())
    columns.append(
        (
            say("mean_interval_plot" if has_interval else "mean_plot", confidence=level),
            "plot",
            lambda run: _plot_cell(
                part.means[0, run].tolist(), position, differences[run], run == baseline
            ),
        )
    )

    def add_measure(name: str, means: Floats, css_class: str) -> None:
        def mean_cell(run: int) -> str:
            return f'<td class="{css_class}">{rounded(float(means[run, 0]), part.decimals)}</td>'

        columns.append((name, css_class, mean_cell))

    for measure, means in zip(part.measures, part.means, strict=True):
        add_measure(measure.name, means, "chosen" if measure is part.measures[0] else "other")
    if has_several:
        columns.append(
            (
                say("difference"),
                "",
                lambda run: (
                    f"<td>{_difference_text(part, comparisons, run, differences[run])}</td>"
                ),
            )
        )
    if has_several and comparisons.is_tested:

        def p_cell(run: int) -> str:
            difference = differences[run]
            return f"<td>{'' if difference is None else html_text(p_text(difference.p))}</td>"

        columns.append((say("p"), "", p_cell))
    if has_several and part.scores is not None:

        def counts_cell(run: int) -> str:
            counts = "/".join(map(str, comparisons.wins_ties_losses(run)))
            return f"<td>{'' if run == baseline else counts}</td>"

        columns.append((say("w/t/l"), "", counts_cell))
    if part.judged_rank is not None:
        columns.append(
            (
                say("judged", rank=part.judged_rank),
                "",
                lambda run: f"<td>{percent(part.runs[run].judged)}</td>",
            )
        )
    yield f'<div class="board{" narrow" * (len(part.measures) > _FEW_MEASURES)}">'
    yield '<table class="runs plain">'
    caption = say("table_caption", column=part.measures[0].name)
    yield f'<caption class="sr">{html_text(caption)}</caption>'
    yield "<thead><tr>"
    yield "".join(_head(text, css_class) for text, css_class, _ in columns)
    yield "</tr></thead>\n<tbody>"
    for run in comparisons.order:
        yield f"<tr>{''.join(cell(run) for _, _, cell in columns)}</tr>"
    yield "</tbody></table></div>"


def _head(text: str, css_class: str) -> str:
    class_attribute = f' class="{css_class}"' if css_class else ""
    # a name of a measure may be broken before its options and its cutoff
    shown = "<wbr>".join(html_text(piece) for piece in re.split(r"(?=[(@])", text))
    return f'<th scope="col"{class_attribute}>{shown}</th>'


def _name_cell(run: PageRun, is_baseline: bool) -> str:
    name = f'<span class="name" title="{html_text(run.name)}">{breakable(run.short)}</span>'
    team = f' <span class="team">{html_text(run.team)}</span>' if run.team else ""
    tag = f' <span class="tag">{html_text(say("baseline"))}</span>' if is_baseline else ""
    return f'<th scope="row" class="text">{name}{team}{tag}</th>'


def _plot_cell(
    mean_low_high: Sequence[float],
    position: Callable[[float], str],
    difference: RunDifference | None,
    is_baseline: bool,
) -> str:
    mean, low, high = mean_low_high
    css_class = "self" if is_baseline else _MARKS[difference.verdict if difference else 0][1]
    bar = ""
    if low == low:
        bar = f'<line class="bar" x1="{position(low)}" x2="{position(high)}" y1="50%" y2="50%"/>'
    dot = f'<circle class="dot" r="4" cx="{position(mean)}" cy="50%"/>'
    svg = f'<svg aria-hidden="true"><g class="{css_class}">{bar}{dot}</g></svg>'
    return f'<td class="plot">{svg}</td>'


def _difference_text(
    part: PagePart, comparisons: Comparisons, run: int, difference: RunDifference | None
) -> str:
    """How far a run is from the baseline, with the mark of what the test says."""
    if run == comparisons.baseline:
        return ""
    if difference is None:
        return signed(float(comparisons.differences[run, comparisons.baseline]), part.decimals)
    mark, name = _MARKS[difference.verdict]
    verdict = html_text(say(f"verdict_{name}"))
    return (
        f'{signed(difference.difference, part.decimals)} <span class="{name}" '
        f'aria-hidden="true">{mark}</span><span class="sr">, {verdict}</span>'
    )


def topic_table_lines(part: PagePart) -> Iterator[str]:
    """For each topic the lowest, the median and the highest score under the first measure."""
    if part.scores is None:
        return
    scores = np.nan_to_num(part.scores[0]) / 1e4
    has_relevant = any(topic.num_relevant is not None for topic in part.topics)
    names = ["topic", *(["relevant"] if has_relevant else []), "lowest", "median", "highest"]
    label = html_text(say("topics"))
    yield f"<section><h2>{label}</h2>"
    yield f'<div class="scroll tall" tabindex="0" role="region" aria-label="{label}">'
    yield '<table class="topics">'
    yield f'<caption class="sr">{html_text(part.measures[0].name)}</caption>'
    heads = "".join(_head(say(name), "text" if name == "topic" else "") for name in names)
    yield f"<thead><tr>{heads}</tr></thead>\n<tbody>"
    columns = scores.min(axis=1), np.median(scores, axis=1), scores.max(axis=1)
    for topic, *values in zip(part.topics, *(column.tolist() for column in columns), strict=True):
        relevant = "" if topic.num_relevant is None else topic.num_relevant
        cells = [f"<td>{relevant}</td>"] if has_relevant else []
        cells += [f"<td>{rounded(value, part.decimals)}</td>" for value in values]
        yield f'<tr><th scope="row" class="text">{html_text(topic.id)}</th>{"".join(cells)}</tr>'
    yield "</tbody></table></div></section>"


# --- What a part knows of two runs: the same choices as its script makes ---


class RunDifference(NamedTuple):
    """A run minus another.

    difference  of their means
    p           corrected
    verdict     1: significantly better; -1: worse; 0: neither
    """

    difference: float
    p: float
    verdict: int


class Comparisons:
    """What the tests of a part say under its first measure, by which its runs are ordered.

    means       float64[S]
    order       the runs, the best first
    baseline    the run that all others are compared with
    differences float64[S, S]: the mean of the row less that of the column
    verdicts    int64[S, S]: 1: the row is significantly better, -1: worse, corrected for all pairs;
                all 0 where these were not tested
    """

    def __init__(self, part: PagePart) -> None:
        """Look at a part."""
        self.part = part
        self.means = part.means[0, :, 0]
        self.order = part.run_order()
        self.baseline = part.first_baseline
        self._sign = 1 if part.measures[0].higher else -1
        self._family: BaselineFamily | None = next(
            (each for each in part.families if each.run_index == self.baseline), None
        )
        pair_counts = part.pair_counts[0] if part.pair_counts else ()
        self._pair_counts = {each.pair_index: each for each in pair_counts}
        num_runs = len(self.means)
        self.differences = self.means[:, None] - self.means[None, :]
        p = np.full((num_runs, num_runs), np.nan)
        if self.pairs is not None:
            p[np.triu_indices(num_runs, 1)] = self.pairs.p
        self._p = np.fmin(p, p.T)
        is_significant = self._p <= part.alpha
        verdicts = np.where(is_significant, self._sign * np.sign(self.differences), 0)
        self.verdicts = verdicts.astype(int)

    @property
    def pairs(self) -> PairOutcomes | None:
        """All pairs, where they were tested."""
        return self.part.outcomes[0] if self.part.outcomes and len(self.means) > 1 else None

    @property
    def baseline_outcomes(self) -> PairOutcomes | None:
        """The pairs with the baseline, where it was named before and they were tested."""
        return self._family.outcomes[0] if self._family and len(self.means) > 1 else None

    @property
    def is_tested(self) -> bool:
        """Whether the runs were tested against the baseline."""
        return self.pairs is not None or self.baseline_outcomes is not None

    @property
    def sentences(self) -> tuple[str, str]:
        """How p was found, and what the intervals of differences hold for."""
        if self._family is not None:
            return self._family.test, self._family.between
        return self.part.test, self.part.between

    def baseline_difference(self, run: int) -> RunDifference | None:
        """A run against the baseline: in the family of that one, where it was named."""
        p = float(self._p[run, self.baseline])
        if self.baseline_outcomes is not None:
            p = float(self.baseline_outcomes.p[run])
        if run == self.baseline or math.isnan(p):
            return None
        difference = float(self.differences[run, self.baseline])
        verdict = self._sign * int(np.sign(difference)) if p <= self.part.alpha else 0
        return RunDifference(difference, p, verdict)

    def sizes(self) -> tuple[Floats, Floats]:
        """The sizes of the differences of all pairs: not significant ones, significant ones."""
        above = np.triu_indices(len(self.means), 1)
        sizes, is_significant = np.abs(self.differences[above]), self.verdicts[above] != 0
        return sizes[~is_significant], sizes[is_significant]

    def place(self, run: int) -> int:
        """One plus the number of better runs."""
        return 1 + int((self._sign * self.differences[:, run] > 0).sum())

    def open_places(self, run: int) -> tuple[int, int]:
        """The places that the tests leave open, for all runs at once."""
        verdicts = self.verdicts[run]
        return 1 + int((verdicts < 0).sum()), len(verdicts) - int((verdicts > 0).sum())

    def wins_ties_losses(self, run: int) -> tuple[int, int, int]:
        """On how many topics a run is better than the baseline, as good, and worse."""
        assert self.part.scores is not None  # noqa: S101 - whoever calls has looked
        first, second = sorted((run, self.baseline))
        num_runs, num_topics = len(self.means), len(self.part.topics)
        pair_index = first * num_runs - first * (first + 1) // 2 + second - first - 1
        if first < second and pair_index in self._pair_counts:
            pair_count = self._pair_counts[pair_index]
            wins, losses = (pair_count.wins, pair_count.losses)[:: 1 if run == first else -1]
            return wins, num_topics - wins - losses, losses
        scores: Floats = np.nan_to_num(self.part.scores[0])
        gains = self._sign * (scores[:, run] - scores[:, self.baseline])
        wins, losses = (int((sign * gains > self.part.tie).sum()) for sign in (1, -1))
        return wins, num_topics - wins - losses, losses


# --- Sentences, numbers and names, as the script has them, too ---


@cache
def resource_text(name: str) -> str:
    """A file of this folder as text."""
    return resources.files("irev.writers.results_page").joinpath(name).read_text("utf-8")


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


def breakable(name: str) -> str:
    """A name as HTML, which may be broken behind a separator."""
    pieces = re.split(r"(?<=[-_./])", name)
    return "<wbr>".join(html_text(piece) for piece in pieces if piece)


def breakable_text(text: str) -> str:
    """A text as HTML, whose long words, names most often, may be broken behind a separator."""
    html = ""
    for word in re.split(r"(\s+)", text):
        if len(word) >= _LONG_WORD:
            html += breakable(word)
        else:
            shown = html_text(word)
            html += f'<span class="whole">{shown}</span>' if "-" in word else shown
    return html


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
