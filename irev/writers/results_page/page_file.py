"""The page as one HTML file that loads nothing, readable without its script.

`results_page_bytes` writes it: the policy, style, static text, data and script. What does not fit
is left out, documents first.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from irev.core import __version__
from irev.core.arrays import Bools, Floats, Ints
from irev.core.text import printable
from irev.writers.forms import html_text, page_bytes
from irev.writers.results_page import LARGEST_PAGE
from irev.writers.results_page.page_data import (
    BaselineFamily,
    PagePart,
    PairOutcomes,
    ResultsPage,
    TopDocuments,
)
from irev.writers.results_page.static_page import breakable_text, part_lines, resource_text, words

_BETWEEN = (
    '\n<script type="application/json" id="data">', "</script>\n<script>",
    "</script>\n</body>\n</html>",
)  # fmt: skip
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
                "missing": [*each.missing],
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
