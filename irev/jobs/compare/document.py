"""A comparison as a document: what its numbers depend on, then tables for each measure."""

from __future__ import annotations

import re
from functools import partial
from itertools import chain, groupby, repeat
from typing import TYPE_CHECKING, Any

from irev.core.version import __version__
from irev.core.wording import count_text
from irev.jobs.compare.comparison import general_notes, notes_by_contrast
from irev.jobs.compare.contrasts import (
    anova_rows,
    decision_lines,
    decisions_by_pair_table,
    flat_pair_row,
    mean_rows,
    pair_rows,
    tests_done,
    topic_difference_rows,
)
from irev.statistics.families import letter_labels_by_place
from irev.statistics.intervals import EXACT_WHERE_SAME, exact_intervals_text
from irev.statistics.methods import (
    CORRECTIONS,
    INTERVALS,
    TESTS,
    difference_interval_title,
    tests_done_text,
)
from irev.writers.document import Document, Head, Heading, Lines, Marked, Table, p_text, records_of
from irev.writers.machine import finite_or_none, run_facts, signature_data
from irev.writers.paper import paper_run_names, paper_table, shorten_run_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.jobs.compare.comparison import CompareOptions, Comparison
    from irev.jobs.compare.contrasts import Contrast, DecisionColumns, Row
    from irev.statistics.methods import Tail
    from irev.writers.document import Cell, Part, Records


# --- A comparison as a document: what its numbers depend on, then tables for each measure ---


FOOTNOTE = "Runs in the same group do not differ significantly; that does not make them equal."

TAILS = {
    "two-sided": "two-sided",
    "greater": "one-sided: is a run better than its baseline?",
    "less": "one-sided: is a run worse than its baseline?",
}


def comparison_document(
    comparison: Comparison,
    unused_decimals: int = 4,
    *,
    per_topic: bool = False,
    anova: bool = False,
    lists_missing_topics: bool = True,
) -> Document:
    """The means, the pairs and what else is wanted.

    Args:
        comparison: the comparison.
        unused_decimals: plays no part: no sentence has a number that is cut.
        per_topic: whether gains and losses by topic are shown.
        anova: whether the analyses of variance are shown.
        lists_missing_topics: whether a line for each run that lacks topics names them.
    """
    return Document(
        f"Comparison of {count_text(len(comparison.table.runs), 'run')}",
        _comparison_parts(comparison, per_topic, anova, lists_missing_topics),
        _comparison_records(comparison, per_topic, anova),
        partial(comparison_data, comparison, per_topic, anova),
    )


# For people


def _comparison_parts(
    comparison: Comparison, per_topic: bool, anova: bool, lists_missing_topics: bool
) -> Iterator[Part]:
    """The heading, then for each class and measure its tables."""
    yield Lines(list(heading_lines(comparison, lists_missing_topics=lists_missing_topics)))
    for contrast, decisions in zip(comparison.contrasts, comparison.decisions, strict=True):
        class_text = f", topics of class {contrast.class_name}" if contrast.class_name else ""
        yield Heading(
            f"{contrast.measure}{class_text} ({count_text(len(contrast.topics), 'topic')})"
        )
        yield _run_means_and_groups_table(comparison, contrast, decisions)
        yield pair_table(comparison, contrast)
        moderated = moderation_lines(contrast, comparison.options)
        if moderated:
            yield Lines(moderated)
        rows = pair_rows(comparison.table, contrast, comparison.options.alpha, decisions)
        decisions_table = decisions_by_pair_table(list(rows), decisions, comparison.options.alpha)
        if decisions_table is not None:
            yield decisions_table
        if anova:
            yield _anova_table(contrast)
        if per_topic:
            yield _topic_table(comparison, contrast)
    if comparison.table.is_estimated:
        from irev.writers.estimates import difference_parts, estimate_parts

        alpha = comparison.options.alpha
        yield from estimate_parts(comparison.table, alpha)
        yield from difference_parts(comparison.table, comparison.contrasts[0].run_pairs, alpha)
    if any(contrast.run_groups for contrast in comparison.contrasts):
        yield Lines([FOOTNOTE])


def _table_of_rows(
    field_names: Sequence[str], text_fields: Sequence[str], rows: Iterable[Row]
) -> Table:
    """Some of the fields of rows as a table; `text_fields` stand at the left."""
    columns = [
        Head(name, "text" if name in text_fields else "p" if name == "p" else "number")
        for name in field_names
    ]
    cells: list[Any] = [[row[name] for name in field_names] for row in rows]
    return Table(columns, cells)


def _run_means_and_groups_table(
    comparison: Comparison, contrast: Contrast, decisions: DecisionColumns
) -> Table:
    """Runs, the best first, with intervals and groups."""
    names = [
        "run",
        "mean",
        "low",
        "high",
        *(["groups"] if contrast.run_groups else []),
        *(name for name, values in decisions.runs.items() if values[0] == values[0]),
        "missing_as_zero",
    ]
    table = _table_of_rows(
        names, ("run", "groups"), mean_rows(comparison.table, contrast, decisions)
    )
    return table._replace(columns=[*table.columns[:-1], Head("missing")])


def _anova_table(contrast: Contrast) -> Table:
    """The analysis of variance."""
    names = ["source", "ss", "df", "ms", "f", "p", "partial_omega_2", "partial_eta_2"]
    return _table_of_rows(names, ("source",), anova_rows(contrast))


def _topic_table(comparison: Comparison, contrast: Contrast) -> Table:
    """Gains and losses by topic."""
    names = ["run", "against", "topic", "score", "score_against", "difference"]
    return _table_of_rows(names, names[:3], topic_difference_rows(comparison.table, contrast))


def pair_table(comparison: Comparison, contrast: Contrast) -> Table:
    """Pairs, with a mark behind each p that is significant as corrected."""
    options = comparison.options
    effects = ["d_z", *(["es_hsd"] if contrast.effect_hsd is not None else [])]
    own = ["difference", "low", "high", *effects]
    columns = [Head("run", "text"), Head("against", "text"), *map(Head, own)]
    for test in contrast.results_by_test_done:
        columns += _test_columns(contrast, test, options.correction)
    columns += [Head("n"), Head("w/t/l")]
    rows: list[list[Cell]] = []
    for row in pair_rows(comparison.table, contrast, options.alpha):
        cells: list[Any] = [row[name] for name in ("run", "against", *own)]
        tests = row["tests"]
        assert isinstance(tests, dict)  # noqa: S101 - rows of pairs have it
        for test in contrast.results_by_test_done:
            cells += _test_cells(contrast, test, tests[test], options.correction)
        cells += [len(contrast.topics), f"{row['wins']}/{row['ties']}/{row['losses']}"]
        rows.append(cells)
    return Table(columns, rows)


def _test_columns(contrast: Contrast, test: str, correction: str) -> list[Head]:
    method_column = [Head("how")] if _is_mixed(contrast, test) else []
    corrected_column = [] if _is_one_p(test, correction) else [Head(correction, "p")]
    return [Head(f"p {test}", "p"), *method_column, *corrected_column, Head("")]


def _test_cells(
    contrast: Contrast, test: str, facts: dict[str, Any], correction: str
) -> list[Cell]:
    corrected, mark = facts["corrected"], "*" if facts["significant"] else ""
    method_cell = [facts["method"]] if _is_mixed(contrast, test) else []
    if _is_one_p(test, correction):
        return [corrected, *method_cell, mark]
    return [facts["p"], *method_cell, corrected, mark]


def _is_one_p(test: str, correction: str) -> bool:
    """Whether there is one p of a test, corrected in itself or not at all."""
    return TESTS[test].simultaneous or correction == "none"


def _is_mixed(contrast: Contrast, test: str) -> bool:
    """Whether some of its p are exact and others are not."""
    return len(set(contrast.results_by_test_done[test].method)) > 1


def heading_lines(comparison: Comparison, *, lists_missing_topics: bool = True) -> Iterator[str]:
    """The lines above the tables; whether one for each run that lacks topics names them."""
    options, table = comparison.options, comparison.table
    topics = table.common_topics_text or (
        f"{count_text(len(table.topics), 'topic')}; judged topics that a run lacks count as 0"
    )
    yield f"{count_text(len(table.runs), 'run')} on {topics}"
    titles: list[str] = []  # a test may be named, and done in place of another
    if lists_missing_topics:
        yield from comparison.missing
    for test in options.tests:
        title = tests_done_text(tests_done(comparison.contrasts, test), "title")
        if title not in titles:
            titles.append(title)
            yield f"test: {title}{p_value_method_text(comparison, test)}"
    if not all(TESTS[test].simultaneous for test in options.tests):
        title = CORRECTIONS[options.correction].title
        other = "; pages of irev report correct within each measure"
        has_other = len(table.columns) > 1 and options.correction != "none"
        yield (
            f"family: {family_text(comparison)}; {title}{_max_t_text(comparison)}"
            f"{other if has_other else ''}"
        )
    for test in options.tests:
        if TESTS[test].simultaneous:
            pairs = _all_pairs_text(comparison)
            yield f"family of {test}: all {pairs}, for each measure separately"
    yield f"alpha {options.alpha:g}, {TAILS[options.tail]}; * marks p <= alpha"
    num_resamples = comparison.num_resamples.get("ci")
    resampling_text = f"; {num_resamples} resamples, seed {options.seed}" if num_resamples else ""
    yield from interval_lines(
        options, comparison.num_hypotheses, INTERVALS[options.ci].title, resampling_text,
        difference_interval_title(
            tests_done(comparison.contrasts, options.tests[0]), INTERVALS[options.ci]
        ),
        exact_intervals_text(each.score_matrix for each in comparison.contrasts),
        any(each.difference_intervals.is_constant.any() for each in comparison.contrasts),
    )  # fmt: skip
    if options.min_diff:
        yield f"differences up to {options.min_diff:g} are ties"
    is_moderated = any(
        result.moderation is not None
        for contrast in comparison.contrasts
        for result in contrast.test_results.values()
    )
    yield from decision_lines(table, options, comparison.num_hypotheses, is_moderated)
    if table.weights is not None:
        yield "topics have weights: means are weighted"
    yield f"signature: {comparison.signature.short}"


def moderation_lines(contrast: Contrast, options: CompareOptions) -> list[str]:
    """What the variances of a contrast were drawn towards, where a test does that.

    Where there was nothing to draw them towards, that is told whoever asked for it by name.
    """
    lines = []
    for result in contrast.test_results.values():
        if result.moderation is not None:
            lines.append(result.moderation.text("these runs'"))
        elif result.reason and options.names_tests:
            lines.append(result.reason)
    return lines


def interval_lines(
    options: CompareOptions, num_hypotheses: int, interval_method: str, resampling_text: str = "",
    interval_method_of_differences: str = "", exact_means: str = "",
    has_exact_differences: bool = False,
) -> Iterator[str]:  # fmt: skip
    """What the intervals of means and of differences hold for; how they are made, what is drawn.

    Args:
        options: the choices.
        num_hypotheses: how many are corrected together.
        interval_method: how the intervals of means are made.
        resampling_text: what is drawn for them.
        interval_method_of_differences: how those of differences are made, where that is another.
        exact_means: what is added to the name of those of means where some are exact.
        has_exact_differences: whether some of those of differences are.
    """
    level = f"{100 * (1 - options.alpha):.6g}%"
    of_differences = interval_method_of_differences or interval_method
    is_each = options.interval_correction == "each" or num_hypotheses == 1
    exact_differences = EXACT_WHERE_SAME * has_exact_differences
    if is_each and of_differences == interval_method:
        method = f"{interval_method}{exact_means or exact_differences}"
        yield f"intervals: {level} {method}, not simultaneous{resampling_text}"
        return
    yield (
        f"intervals of means: {level} {interval_method}{exact_means}, not simultaneous"
        f"{resampling_text}"
    )
    of_differences += exact_differences
    if options.interval_correction == "test":
        test = TESTS[options.tests[0]]
        yield (
            f"intervals of differences: {level}, simultaneous for all pairs of a measure, "
            f"{test.phrase}{exact_differences}"
        )
        return
    if is_each:
        yield f"intervals of differences: {level} {of_differences}, not simultaneous"
        return
    correction = CORRECTIONS[options.correction]
    level_of_each = f"{100 * (1 - options.alpha / num_hypotheses):.6g}%"
    yield (
        f"intervals of differences: {level} {of_differences}, simultaneous for all "
        f"{num_hypotheses} (Bonferroni, {level_of_each} each)"
        + (
            f"; {correction.phrase} may find a difference whose interval contains 0"
            * correction.steps_down
        )
    )


def _all_pairs_text(comparison: Comparison) -> str:
    num_runs = len(comparison.table.runs)
    return count_text(num_runs * (num_runs - 1) // 2, "pair")


def family_text(comparison: Comparison) -> str:
    """How many hypotheses are corrected for together, and what they are."""
    table = comparison.table
    num_measures = len(table.columns)
    num_pairs = len(comparison.contrasts[0].run_pairs)
    factors = [count_text(num_pairs, "pair"), count_text(num_measures, "measure")]
    num_classes = len(comparison.contrasts) // num_measures - 1
    if num_classes:
        factors.append(f"(all topics and {count_text(num_classes, 'class', 'classes')})")
    count = count_text(comparison.num_hypotheses, "hypothesis", "hypotheses")
    return f"{count}, {' x '.join(factors)}"


def _max_t_text(comparison: Comparison) -> str:
    """How the p that maxT corrects were found."""
    test = CORRECTIONS[comparison.options.correction].only_test
    if not test:
        return ""
    if set(comparison.contrasts[0].test_results[test].facts["max_t"]) == {"exact"}:
        return ", exact"
    return f", {comparison.num_resamples[test]} resamples, seed {comparison.options.seed}"


def p_value_method_text(comparison: Comparison, test: str) -> str:
    """How its p was found, and what was drawn."""
    methods = [
        method for contrast in comparison.contrasts for method in contrast.test_results[test].method
    ]
    num_drawn = methods.count("Monte Carlo")
    settings = comparison.options.inference_settings()
    settings_text = "".join(
        f" ({name}: {getattr(settings, name)})" for name in TESTS[test].own_settings
    )
    if not methods:
        return settings_text
    if not num_drawn:
        return f"{settings_text}, {methods[0]}"
    resampling_text = f"{comparison.num_resamples[test]} resamples, seed {comparison.options.seed}"
    num_exact = methods.count("exact")
    return f", {resampling_text}" + (
        f"; exact for {num_exact} of {len(methods)}" if num_exact else ""
    )


# For machines


def _comparison_records(comparison: Comparison, per_topic: bool, anova: bool) -> Iterator[Records]:
    """The pairs, what tests found in fields such as `p_moderated`; first what else was wanted.

    The rows of topics may be millions: only the first has the signature.
    """
    signature_field = {"signature": comparison.signature.short}
    if per_topic:
        signatures = chain([comparison.signature.short], repeat(None))
        rows = zip(comparison.topic_difference_rows(), signatures, strict=False)
        yield records_of("topics", (row | {"signature": signature} for row, signature in rows))
    if anova:
        yield records_of("anova", map(finite_or_none, comparison.anova_rows()), **signature_field)
    # an end that nothing bounds is empty
    pairs = map(finite_or_none, map(flat_pair_row, comparison.pair_rows()))
    yield records_of("pairs", pairs, **signature_field)
    yield records_of("means", map(finite_or_none, comparison.mean_rows()), **signature_field)


def comparison_data(
    comparison: Comparison, per_topic: bool = False, anova: bool = False
) -> dict[str, Any]:
    """One object: the choices, `runs`, `means`, `pairs` with their `tests`, notes and signature.

    With `per_topic` also `topics`, gains and losses; with `anova` the analyses of variance. NaN and
    infinities are null. Bytes that are not UTF-8 are lone surrogates U+DC80..U+DCFF.
    """
    data = {
        "irev": __version__,
        "comparison": comparison.signature.choices,
        "averaged_over": len(comparison.table.topics),
        "missing_count_as_zero": comparison.table.counts_missing_as_zero,
        "measures": list(comparison.table.measure_names),
        "runs": [
            {**run_facts(entry), "duplicates": entry.duplicates} for entry in comparison.table.runs
        ],
        "notes": comparison.notes,
        "signature": signature_data(comparison.signature),
        "means": list(comparison.mean_rows()),
        "pairs": list(comparison.pair_rows()),
    }
    if comparison.table.is_estimated:
        from irev.writers.estimates import difference_estimates, estimate_rows

        alpha, pairs = comparison.options.alpha, comparison.contrasts[0].run_pairs
        data["estimates"] = list(estimate_rows(comparison.table, alpha))
        data["estimated_differences"] = list(difference_estimates(comparison.table, pairs, alpha))
    moderation = [
        {"class": contrast.class_name, "measure": contrast.measure, **result.moderation.facts}
        for contrast in comparison.contrasts
        for result in contrast.test_results.values()
        if result.moderation is not None
    ]
    if moderation:
        data["moderation"] = moderation
    if anova:
        data["anova"] = list(comparison.anova_rows())
    if per_topic:
        data["topics"] = list(comparison.topic_difference_rows())
    return finite_or_none(data)  # type: ignore[no-any-return]


# --- A comparison as the table of a paper: runs and measures, and a caption that says how ---


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
