"""The page as one HTML file that loads nothing, readable without its script."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.version import __version__
from irev.writers.pages import html_text, page_bytes
from irev.writers.results_page import LARGEST_PAGE
from irev.writers.results_page.documents import fit_documents, json_text
from irev.writers.results_page.numbers_shown import breakable_text
from irev.writers.results_page.page_data import BaselineFamily
from irev.writers.results_page.page_json import page_values, part_values
from irev.writers.results_page.resources import page_script, page_style
from irev.writers.results_page.static_page import part_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import Bools, Ints
    from irev.writers.results_page.page_data import PagePart, PairOutcomes, ResultsPage

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
        documents, note = fit_documents(part.documents, part.run_order(), part.first_baseline, room)
        part_value["documents"] = documents
        if note:
            part_value["documents_note"] = note
        if documents:
            room -= len(json_text(documents).encode())
    return static, page_values(page.title, values)


def _keep_all_pairs_of_first_measure(part: PagePart) -> PagePart:
    """All pairs under the first measure alone; under the others those with the best run."""
    if len(part.outcomes) < 2:
        return part
    return replace(
        _add_best_family(part), outcomes=(part.outcomes[0], *[None] * (len(part.outcomes) - 1))
    )


def _keep_pairs_with_best_run(part: PagePart) -> PagePart:
    """The pairs with the best run alone, under every measure."""
    return replace(_add_best_family(part), outcomes=()) if part.outcomes else part


def _drop_scores(part: PagePart) -> PagePart:
    return replace(part, scores=None, pair_counts=(), documents=None)


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
