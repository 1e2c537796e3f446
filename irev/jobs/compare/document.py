"""A comparison as a document: what its numbers depend on, then tables for each measure.

For people the heading and the tables, for machines the same rows in full; and the table of a paper:
runs and measures, and a caption that says how.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, groupby, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.text import count_text
from irev.core.version import __version__
from irev.jobs.compare.comparison import (
    CompareOptions,
    Comparison,
    Contrast,
    DecisionColumns,
    decision_correction,
    flat_pair_row,
    general_notes,
    notes_by_contrast,
    tests_done,
)
from irev.measures.naming.resolve import lower_is_better
from irev.scores.table import ScoreTable
from irev.statistics.decisions import DRAWS
from irev.statistics.differences import every_pair
from irev.statistics.families import letter_labels_by_place
from irev.statistics.intervals import EXACT_WHERE_SAME, exact_intervals_text
from irev.statistics.methods import (
    CORRECTIONS,
    INTERVALS,
    TESTS,
    difference_interval_title,
    tests_done_text,
)
from irev.statistics.verdicts import POWER
from irev.writers.document import (
    HEADS,
    MARK,
    Cell,
    Document,
    Head,
    Heading,
    Lines,
    Marked,
    Part,
    Records,
    Row,
    ShownField,
    Table,
    p_text,
    records_of,
    table_of_rows,
)
from irev.writers.estimates import (
    difference_estimates,
    difference_parts,
    estimate_parts,
    estimate_rows,
)
from irev.writers.machine import finite_or_none, run_facts, signature_data
from irev.writers.paper import paper_run_names, paper_table, shorten_run_names

if TYPE_CHECKING:
    from irev.jobs.compare.predicted import PredictedComparison


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


# --- For people ---


def _comparison_parts(
    comparison: Comparison, per_topic: bool, anova: bool, lists_missing_topics: bool
) -> Iterator[Part]:
    """The heading, then for each class and measure its tables."""
    table, alpha = comparison.table, comparison.options.alpha
    yield Lines(list(heading_lines(comparison, lists_missing_topics=lists_missing_topics)))
    means = rows_by_contrast(comparison.mean_rows())
    pairs = rows_by_contrast(comparison.pair_rows())
    anovas = rows_by_contrast(comparison.anova_rows())
    topics = rows_by_contrast(comparison.topic_difference_rows())
    for contrast, decisions in zip(comparison.contrasts, comparison.decisions, strict=True):
        class_text = f", topics of class {contrast.class_name}" if contrast.class_name else ""
        yield Heading(
            f"{contrast.measure}{class_text} ({count_text(len(contrast.topics), 'topic')})"
        )
        # runs, the best first, with intervals and groups
        names = ["run", "mean", "low", "high", *(["groups"] if contrast.run_groups else [])]
        names += [name for name, values in decisions.runs.items() if not np.isnan(values[0])]
        names.append("missing_as_zero")
        yield table_of_rows(names, next(means))
        rows = next(pairs)
        yield _pair_table(comparison, contrast, rows)
        moderated = moderation_lines(contrast, comparison.options)
        if moderated:
            yield Lines(moderated)
        decisions_table = decisions_by_pair_table(rows, decisions, alpha)
        if decisions_table is not None:
            yield decisions_table
        if anova:
            names = ["source", "ss", "df", "ms", "f", "p", "partial_omega_2", "partial_eta_2"]
            yield table_of_rows(names, next(anovas))
        if per_topic:
            names = ["run", "against", "topic", "score", "score_against", "difference"]
            yield table_of_rows(names, next(topics))
    if table.is_estimated:
        yield from estimate_parts(table, alpha)
        yield from difference_parts(table, comparison.contrasts[0].run_pairs, alpha)
    if any(contrast.run_groups for contrast in comparison.contrasts):
        yield Lines([FOOTNOTE])


def rows_by_contrast(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows of each class and measure, which stand together."""
    for _, group in groupby(rows, key=itemgetter("class", "measure")):
        yield list(group)


def _pair_table(comparison: Comparison, contrast: Contrast, rows: Iterable[Row]) -> Table:
    """Pairs, with a mark behind each p that is significant as corrected."""
    correction = comparison.options.correction
    columns: list[ShownField] = ["run", "against", "difference", "low", "high", "d_z"]
    columns += ["es_hsd"] * (contrast.effect_hsd is not None)
    for test, result in contrast.results_by_test_done.items():
        # one p of a test that is corrected in itself or not at all
        is_one_p = TESTS[test].simultaneous or correction == "none"
        p_field = f"corrected_{test}" if is_one_p else f"p_{test}"
        columns.append((p_field, Head(f"p {test}", "p")))
        # some p may be exact and others not
        if len(set(result.method)) > 1:
            columns.append((f"method_{test}", Head("how")))
        if not is_one_p:
            columns.append((f"corrected_{test}", Head(correction, "p")))
        columns.append((f"significant_{test}", MARK))
    flat_rows = [
        flat_pair_row(row) | {"w/t/l": f"{row['wins']}/{row['ties']}/{row['losses']}"}
        for row in rows
    ]
    return table_of_rows([*columns, "n", "w/t/l"], flat_rows)


def decisions_by_pair_table(
    rows: Sequence[Row], decisions: DecisionColumns, alpha: float
) -> Table | None:
    """A row for each pair; None where nothing was asked of pairs."""
    # p that are not corrected are for machines
    names = [name for name in decisions.pairs if name not in ("p_equivalent", "p_not_worse")]
    if not names:
        return None
    columns: list[ShownField] = ["run", "against", "difference"]
    marked_rows = [dict(row) for row in rows]
    for name in names:
        if not name.startswith("p_"):
            columns.append(name)
            continue
        columns += [(name, HEADS.get(name, Head(name, "p"))), (f"{name} *", MARK)]
        for row in marked_rows:
            row[f"{name} *"] = row[name] <= alpha
    return table_of_rows(columns, marked_rows)


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
            pairs = count_text(len(every_pair(len(table.runs))), "pair")
            yield f"family of {test}: all {pairs}, for each measure separately"
    yield f"alpha {options.alpha:g}, {TAILS[options.tail]}; * marks p <= alpha"
    num_resamples = options.interval_resamples
    resampling_text = f"; {num_resamples} resamples, seed {options.seed}" if num_resamples else ""
    yield from interval_lines(
        options,
        comparison.num_hypotheses,
        INTERVALS[options.ci].title,
        resampling_text,
        difference_interval_title(
            tests_done(comparison.contrasts, options.tests[0]), INTERVALS[options.ci]
        ),
        exact_intervals_text(each.score_matrix for each in comparison.contrasts),
        any(each.difference_intervals.is_constant.any() for each in comparison.contrasts),
    )
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


def interval_lines(
    options: CompareOptions,
    num_hypotheses: int,
    interval_method: str,
    resampling_text: str = "",
    interval_method_of_differences: str = "",
    exact_means: str = "",
    has_exact_differences: bool = False,
) -> Iterator[str]:
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


def decision_lines(
    table: ScoreTable, options: CompareOptions, num_hypotheses: int, is_moderated: bool
) -> Iterator[str]:
    """What the columns of the decisions say, a line each; they stand beside the p of tests."""
    if options.margin is not None:
        over = CORRECTIONS[decision_correction(options)].title
        yield (
            f"margin {options.margin:g}: p equivalent (two one-sided t tests, TOST) and p not "
            f"worse (non-inferiority), each over "
            f"{count_text(num_hypotheses, 'hypothesis', 'hypotheses')}, {over}"
        )
        level = f"alpha {options.alpha:g}"
        if num_hypotheses > 1 and options.correction != "none":
            level += f" / {num_hypotheses}"
        yield (
            "equal within: the smallest margin for which a pair is equivalent, not corrected; "
            "detectable: the smallest difference that a two-sided t test of these topics finds "
            f"with a chance of {POWER:.0%} at {level}"
        )
        if is_moderated:
            yield (
                "p equivalent, p not worse, equal within and detectable are of plain paired t "
                "tests, whose variances are not moderated"
            )
    if options.better_by is not None:
        num_draws = options.resamples or DRAWS
        yield (
            f"P(better), P(worse): by more than {options.better_by:g}, by the Bayesian bootstrap "
            f"of topics; {num_draws} draws, seed {options.seed}: two standard errors are at most "
            f"{num_draws**-0.5:.4f}; no correction"
        )
        yield (
            "the draws know no differences but those of these topics, so a P of 1 or 0 is not "
            "certain; where the difference is the same on all topics, there is no P"
        )
    if options.risk:
        if options.baselines:
            yield (
                "urisk(a): the mean difference from the baseline, each loss counted 1 + a times; "
                "trisk(a): urisk over its standard error, which is no test of equal means unless a "
                "is 0"
            )
        yield (
            f"zrisk(a), georisk(a): among these {count_text(len(table.runs), 'run')}; with other "
            "runs they change"
        )
        falling = [column.name for column in table.columns if lower_is_better(column)]
        if falling:
            yield f"zrisk and georisk need higher to be better: none for {', '.join(falling)}"


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


# --- For machines ---


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
        **data_of_choices_and_runs(comparison, len(comparison.table.topics)),
        "notes": comparison.notes,
        "signature": signature_data(comparison.signature),
        "means": list(comparison.mean_rows()),
        "pairs": list(comparison.pair_rows()),
    }
    if comparison.table.is_estimated:
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


def data_of_choices_and_runs(
    comparison: Comparison | PredictedComparison, num_topics: int
) -> dict[str, Any]:
    """What JSON of all comparisons begins with."""
    table = comparison.table
    return {
        "irev": __version__,
        "comparison": comparison.signature.choices,
        "averaged_over": num_topics,
        "missing_count_as_zero": table.counts_missing_as_zero,
        "measures": list(table.measure_names),
        "runs": [{**run_facts(entry), "duplicates": entry.duplicates} for entry in table.runs],
    }


# --- The table of a paper ---


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
