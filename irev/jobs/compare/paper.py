"""A comparison as the table of a paper: runs and measures, and a caption that says how."""

from __future__ import annotations

import re
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from irev.core.wording import count_text
from irev.jobs.compare.contrasts import tests_done
from irev.jobs.compare.document import (
    TAILS,
    comparison_data,
    family_text,
    p_value_method_text,
)
from irev.jobs.compare.notes import general_notes, notes_by_contrast
from irev.statistics.families import letter_labels_by_place
from irev.statistics.intervals import exact_intervals_text
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS, tests_done_text
from irev.writers.document import Document, Head, Marked, p_text, records_of
from irev.writers.machine import finite_or_none
from irev.writers.paper import paper_run_names, paper_table, shorten_run_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.jobs.compare.comparison import Comparison
    from irev.jobs.compare.contrasts import Contrast
    from irev.jobs.compare.rows import Row
    from irev.statistics.methods import Tail
    from irev.writers.document import Cell, Part, Records, Table


def paper_document(comparison: Comparison) -> Document:
    """A table for each class of topics: means with intervals, letters of better and worse runs."""
    return Document(
        f"Comparison of {len(comparison.table.runs)} runs",
        _class_tables(comparison),
        _paper_records(comparison),
        partial(_paper_data, comparison),
    )


def _class_tables(comparison: Comparison) -> Iterator[Part]:
    for _, contrasts in groupby(comparison.contrasts, key=lambda contrast: contrast.class_name):
        yield _paper_table(comparison, list(contrasts))


def _run_letters(comparison: Comparison) -> dict[int, str]:
    """The letters of the runs that others are set against: of the baselines, else of all runs."""
    runs = comparison.table
    order = [runs.run_index(name) for name in comparison.options.baselines]
    order = order or comparison.contrasts[0].run_order.tolist()
    letters = letter_labels_by_place([(index,) for index in range(len(order))], len(order))
    return dict(zip(order, letters, strict=True))


def _row_order(comparison: Comparison) -> list[int]:
    """The baselines as they were named, then the other runs, the best by the first measure."""
    runs = comparison.table
    baseline_indices = [runs.run_index(name) for name in comparison.options.baselines]
    return [
        *baseline_indices,
        *(
            run_index
            for run_index in comparison.contrasts[0].run_order.tolist()
            if run_index not in baseline_indices
        ),
    ]


def _beaten_run_indices(contrast: Contrast, test: str, alpha: float) -> dict[int, list[int]]:
    """For each run those that it is better than, with p <= alpha as corrected."""
    beaten: dict[int, list[int]] = {run: [] for run in contrast.run_order.tolist()}
    pairs, gains = (
        contrast.run_pairs,
        contrast.paired.mean * (-1 if contrast.lower_is_better else 1),
    )
    corrected = contrast.test_results[test].corrected
    for first, second, gain, p in zip(
        pairs.first.tolist(), pairs.second.tolist(), gains.tolist(), corrected.tolist(), strict=True
    ):
        if p <= alpha and gain:
            better, worse = (first, second) if gain > 0 else (second, first)
            beaten[better].append(worse)
    return beaten


def _letters_of_worse_and_better(
    beaten: dict[int, list[int]], run_index: int, letters: dict[int, str], tail: Tail
) -> tuple[list[str], list[str]]:
    """The letters of the runs that a run is better than, and of those that are better than it.

    Of a one-sided test those of the side that was tested.
    """
    worse = [letter for other, letter in letters.items() if other in beaten[run_index]]
    better = [letter for other, letter in letters.items() if run_index in beaten[other]]
    return worse if tail != "less" else [], better if tail != "greater" else []


def _paper_table(comparison: Comparison, contrasts: Sequence[Contrast]) -> Table:
    letters = _run_letters(comparison)
    separator = "," if max(map(len, letters.values())) > 1 else ""
    beaten = [
        _beaten_run_indices(each, comparison.options.tests[0], comparison.options.alpha)
        for each in contrasts
    ]
    names, left_out = paper_run_names(comparison.table.run_names)
    rows: list[list[Cell]] = []
    for run_index in _row_order(comparison):
        means: list[Cell] = []
        ends: list[Cell] = []
        for contrast, beaten_by_run in zip(contrasts, beaten, strict=True):
            worse, better = _letters_of_worse_and_better(
                beaten_by_run, run_index, letters, comparison.options.tail
            )
            # among all pairs a loss is the letter of the other row
            below = separator.join(better) if comparison.options.baselines else ""
            mean = float(contrast.means.mean[run_index])
            means.append(Marked(mean, separator.join(worse), below))
            ends.append(
                (float(contrast.means.low[run_index]), float(contrast.means.high[run_index]))
            )
        rows += [
            [letters.get(run_index, ""), names[run_index], *means],
            ["", "", *ends],
        ]
    heads = [Head("", "text"), Head("run", "text")]
    heads += [
        Head(each.measure, "text", higher_is_better=not each.lower_is_better) for each in contrasts
    ]
    sentences = shorten_run_names(
        _caption(comparison, contrasts), comparison.table.run_names, names
    )
    return paper_table(
        heads, rows, [*sentences, *left_out],
        label=contrasts[0].class_name, signature=comparison.signature,
    )  # fmt: skip


def _caption(comparison: Comparison, contrasts: Sequence[Contrast]) -> Iterator[str]:
    """What the table shows and how it was tested, a sentence each."""
    options, test = comparison.options, TESTS[comparison.options.tests[0]]
    label = contrasts[0].class_name
    of_class = f" of class {label}" if label else ""
    weighted = "Weighted means" if comparison.table.weights is not None else "Means"
    level = f"{100 * (1 - options.alpha):.6g}%"
    num_resamples = comparison.num_resamples.get("ci")
    resampling_text = f" ({num_resamples} resamples, seed {options.seed})" if num_resamples else ""
    exact = exact_intervals_text(contrast.score_matrix for contrast in contrasts)
    topics = f"{count_text(len(contrasts[0].topics), 'topic')}{of_class}"
    if comparison.table.counts_missing_as_zero:
        topics += " (topics that a run lacks count as 0)"
    elif label:
        topics += ", those that every run has"
    else:
        topics = comparison.table.common_topics_text
    yield (
        f"{weighted} over {topics}, each with its {level} {INTERVALS[options.ci].title} "
        f"interval{resampling_text} below it{exact}; best in bold."
    )
    corrected = (
        "for all pairs of a measure at once"
        if test.simultaneous
        else f"{CORRECTIONS[options.correction].title} ({family_text(comparison)})"
    )
    yield (
        f"{_letters_text(comparison)}, p <= {options.alpha:g} by the "
        f"{tests_done_text(tests_done(contrasts, options.tests[0]), 'phrase')}"
        f"{p_value_method_text(comparison, options.tests[0])}, "
        f"{TAILS[options.tail].partition(':')[0]}, {corrected}."
    )
    yield from _p_values_nearest_alpha_lines(contrasts, options.tests[0], options.alpha)
    notes = [
        *general_notes(comparison.table, options, comparison.contrasts),
        *notes_by_contrast(contrasts, options, comparison.num_hypotheses),
    ]
    yield from (f"Note: {_ADVICE.sub('', text)}." for text in notes)


_ADVICE = re.compile("[;:] (use )?--.*$")
"""What a note tells whoever typed the command, not who reads the table."""


def _letters_text(comparison: Comparison) -> str:
    """What letters say: of all pairs, of baselines, of one tail."""
    better = "significantly better than the run with that letter"
    if not comparison.options.baselines:
        return f"Letters: {better}"
    return {
        "two-sided": f"Letters above: {better}, below: significantly worse",
        "greater": f"Letters above: {better}",
        "less": f"Letters below: {better.replace('better', 'worse')}",
    }[comparison.options.tail]


def _p_values_nearest_alpha_lines(
    contrasts: Sequence[Contrast], test: str, alpha: float
) -> Iterator[str]:
    """How far from alpha the p on both sides of it are."""
    corrected = [
        p for contrast in contrasts for p in contrast.test_results[test].corrected.tolist()
    ]
    below, above = [p for p in corrected if p <= alpha], [p for p in corrected if p > alpha]
    sentences = [f"the largest significant p is {p_text(max(below))}"] if below else []
    sentences += [f"the smallest other p is {p_text(min(above))}"] if above else []
    if sentences:
        text = "; ".join(sentences)
        yield f"{text[0].upper()}{text[1:]}."


# For machines


def _paper_rows(comparison: Comparison) -> Iterator[Row]:
    """A row for each class, measure and run, in the order of the table."""
    letters, runs = _run_letters(comparison), comparison.table.run_names
    for contrast in comparison.contrasts:
        beaten = _beaten_run_indices(
            contrast, comparison.options.tests[0], comparison.options.alpha
        )
        means = contrast.means.mean.tolist()
        top = (min if contrast.lower_is_better else max)(means)
        for run in _row_order(comparison):
            worse, better = _letters_of_worse_and_better(
                beaten, run, letters, comparison.options.tail
            )
            yield {
                "class": contrast.class_name,
                "measure": contrast.measure,
                "run": runs[run],
                "letter": letters.get(run, ""),
                "mean": means[run],
                "low": float(contrast.means.low[run]),
                "high": float(contrast.means.high[run]),
                "best": means[run] == top,
                "better_than": " ".join(worse),
                "worse_than": " ".join(better),
            }


def _paper_records(comparison: Comparison) -> Iterator[Records]:
    yield records_of(
        "paper", map(finite_or_none, _paper_rows(comparison)), signature=comparison.signature.short
    )


def _paper_data(comparison: Comparison) -> dict[str, Any]:
    """What a comparison has as JSON, and the table as `paper`."""
    paper = finite_or_none(list(_paper_rows(comparison)))
    return {**comparison_data(comparison), "paper": paper}
