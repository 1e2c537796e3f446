"""A comparison as the table of a paper: runs and measures, and a caption that says how."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import Any

from irev.core.text import count_text
from irev.jobs.compare.comparison import (
    Comparison,
    Contrast,
    general_notes,
    notes_by_contrast,
    tests_done,
)
from irev.jobs.compare.document import (
    TAILS,
    comparison_data,
    family_text,
    p_value_method_text,
)
from irev.statistics.families import letter_labels_by_place
from irev.statistics.intervals import exact_intervals_text
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS, tests_done_text
from irev.writers.document import (
    Cell,
    Document,
    Head,
    Marked,
    Records,
    Row,
    Table,
    finite_or_none,
    p_text,
    records_of,
)
from irev.writers.scores import paper_run_names, paper_table, shorten_run_names


def paper_document(comparison: Comparison) -> Document:
    """A table for each class of topics: means with intervals, letters of better and worse runs."""

    def rows() -> Iterator[Row]:
        return chain.from_iterable(_paper_rows(comparison, each) for each in comparison.contrasts)

    def records() -> Iterator[Records]:
        signature = comparison.signature.short
        yield records_of("paper", map(finite_or_none, rows()), signature=signature)

    def data() -> dict[str, Any]:
        """What a comparison has as JSON, and the table as `paper`."""
        return {**comparison_data(comparison), "paper": finite_or_none(list(rows()))}

    title = f"Comparison of {len(comparison.table.runs)} runs"
    by_class = groupby(comparison.contrasts, key=lambda contrast: contrast.class_name)
    tables = (_paper_table(comparison, list(contrasts)) for _, contrasts in by_class)
    return Document(title, tables, records(), data)


def _paper_table(comparison: Comparison, contrasts: Sequence[Contrast]) -> Table:
    """Two lines for each run: the means with their marks, and the intervals below them."""
    separator = "," if max(map(len, _run_letters(comparison).values())) > 1 else ""
    run_names = comparison.table.run_names
    names, left_out = paper_run_names(run_names)
    name_of_run = dict(zip(run_names, names, strict=True))
    lines: list[list[Cell]] = []
    # the rows of a run under each measure
    for rows in zip(*(_paper_rows(comparison, each) for each in contrasts), strict=True):
        means: list[Cell] = []
        for row in rows:
            above, below = (
                separator.join(row[side].split()) for side in ("better_than", "worse_than")
            )
            # among all pairs a loss is the letter of the other row
            means.append(Marked(row["mean"], above, below if comparison.options.baselines else ""))
        lines.append([rows[0]["letter"], name_of_run[rows[0]["run"]], *means])
        lines.append(["", "", *((row["low"], row["high"]) for row in rows)])
    heads = [Head("", "text"), Head("run", "text")]
    heads += [
        Head(each.measure, "text", higher_is_better=not each.lower_is_better) for each in contrasts
    ]
    sentences = shorten_run_names(_caption(comparison, contrasts), run_names, names)
    return paper_table(
        heads,
        lines,
        [*sentences, *left_out],
        label=contrasts[0].class_name,
        signature=comparison.signature,
    )


def _paper_rows(comparison: Comparison, contrast: Contrast) -> Iterator[dict[str, Any]]:
    """A row for each run: the baselines as they were named, then the others, the best first.

    `better_than` and `worse_than` are the letters of runs, of a one-sided test those of the side
    that was tested. The best is that by the first measure.
    """
    table, options = comparison.table, comparison.options
    letters = _run_letters(comparison)
    baselines = [table.run_index(name) for name in options.baselines]
    others = [run for run in comparison.contrasts[0].run_order.tolist() if run not in baselines]
    # for each run those that it is better than, with p <= alpha as corrected
    beaten: dict[int, list[int]] = {run: [] for run in (*baselines, *others)}
    gains = contrast.paired.mean * (-1 if contrast.lower_is_better else 1)
    corrected = contrast.test_results[options.tests[0]].corrected
    for (first, second), gain, p in zip(
        contrast.run_pairs.places(), gains.tolist(), corrected.tolist(), strict=True
    ):
        if p <= options.alpha and gain:
            better, worse = (first, second) if gain > 0 else (second, first)
            beaten[better].append(worse)
    means = contrast.means.mean.tolist()
    top = (min if contrast.lower_is_better else max)(means)
    for run in (*baselines, *others):
        worse_runs = [letter for other, letter in letters.items() if other in beaten[run]]
        better_runs = [letter for other, letter in letters.items() if run in beaten[other]]
        yield {
            "class": contrast.class_name,
            "measure": contrast.measure,
            "run": table.run_names[run],
            "letter": letters.get(run, ""),
            "mean": means[run],
            "low": float(contrast.means.low[run]),
            "high": float(contrast.means.high[run]),
            "best": means[run] == top,
            "better_than": " ".join(worse_runs if options.tail != "less" else []),
            "worse_than": " ".join(better_runs if options.tail != "greater" else []),
        }


def _run_letters(comparison: Comparison) -> dict[int, str]:
    """The letters of the runs that others are set against: of the baselines, else of all runs."""
    order = [comparison.table.run_index(name) for name in comparison.options.baselines]
    order = order or comparison.contrasts[0].run_order.tolist()
    letters = letter_labels_by_place([(index,) for index in range(len(order))], len(order))
    return dict(zip(order, letters, strict=True))


def _caption(comparison: Comparison, contrasts: Sequence[Contrast]) -> Iterator[str]:
    """What the table shows and how it was tested, a sentence each."""
    options, test = comparison.options, TESTS[comparison.options.tests[0]]
    label = contrasts[0].class_name
    of_class = f" of class {label}" if label else ""
    weighted = "Weighted means" if comparison.table.weights is not None else "Means"
    level = f"{100 * (1 - options.alpha):.6g}%"
    num_resamples = options.interval_resamples
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
    better = "significantly better than the run with that letter"
    letters_text = f"Letters: {better}"
    if options.baselines:
        letters_text = {
            "two-sided": f"Letters above: {better}, below: significantly worse",
            "greater": f"Letters above: {better}",
            "less": f"Letters below: {better.replace('better', 'worse')}",
        }[options.tail]
    yield (
        f"{letters_text}, p <= {options.alpha:g} by the "
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
