"""A report as one HTML file that loads nothing else: its sentences, tables and charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.core.wording import count_text
from irev.jobs.compare.document import (
    comparison_document,
    difference_interval_title,
    family_text,
    heading_lines,
    interval_lines,
    moderation_lines,
    pair_table,
)
from irev.jobs.report.curves import JUDGED
from irev.jobs.report.topic_sections import MOST_PAIRS, moved_topic_lines, topic_score_lines
from irev.statistics.correction_methods import CORRECTIONS
from irev.statistics.interval_methods import INTERVALS
from irev.statistics.methods import TESTS
from irev.writers.charts import (
    MOST_CURVES,
    Whisker,
    curves_chart,
    intervals_chart,
    key_of_curves,
)
from irev.writers.document import Head, Lines, Table, p_text, rounded_text
from irev.writers.document_estimates import estimate_parts
from irev.writers.live_page import (
    SEARCHABLE,
    SORTABLE,
    contents_list,
    figure_block,
    folded_block,
    live_page,
)
from irev.writers.machine import json_bytes
from irev.writers.pages import html_list, html_table, html_text
from irev.writers.scores import score_table_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.jobs.compare.comparison import Comparison
    from irev.jobs.report.report import Means, Report
    from irev.writers.document import Cell, Document


def page_lines(report: Report, decimals: int) -> Iterator[bytes]:
    """The page, a line after another."""
    return live_page(report.options.title or _title(report), _page_body(report, decimals))


def report_document(report: Report, decimals: int) -> Document:
    """The tables for other forms than the page: the comparison, or the means of a single run."""
    if report.comparison is not None:
        return comparison_document(report.comparison, decimals)
    return score_table_document(report.table)


def _title(report: Report) -> str:
    runs, on = report.table.run_names, count_text(len(report.table.topics), "topic")
    if len(runs) == 1:
        return f"{runs[0]} on {on}"
    return f"{' and '.join(runs) if len(runs) == 2 else count_text(len(runs), 'run')} on {on}"


def _page_body(report: Report, decimals: int) -> Iterator[str]:
    sections = [
        ("summary", "Summary", _summary_section(report, decimals)),
        ("means", "Means" if not report.comparison else "Means and differences",
         _mean_sections(report, decimals)),
        ("topics", "Topics", topic_score_lines(report, decimals)),
        ("moved", "Topics that moved most" if report.comparison else "Lowest topics",
         moved_topic_lines(report, decimals)),
        ("curves", "Curves", _curve_section(report, decimals)),
        ("trust", "Unjudged documents and ties", _trust_section(report, decimals)),
        ("made", "How the numbers were made", _origin_section(report)),
    ]  # fmt: skip
    # what a report does not have has no heading either
    blocks = [(key, name, [*lines]) for key, name, lines in sections]
    shown = [each for each in blocks if each[2]]
    yield from contents_list("Contents", [(key, name) for key, name, _ in shown[1:]])
    for key, name, lines in shown:
        yield f'<section aria-labelledby="{key}">\n<h2 id="{key}">{html_text(name)}</h2>'
        yield from lines
        yield "</section>"


def _summary_section(report: Report, decimals: int) -> Iterator[str]:
    """What was evaluated, what came out, and what makes it doubtful."""
    table = report.table
    measures = ", ".join(table.measure_names)
    against = f" against {html_text(report.qrels_name)}" if report.qrels_name else ""
    yield (
        f"<p>{count_text(len(table.run_names), 'run')} scored{against} on "
        f"{count_text(len(table.topics), 'judged topic')} by {html_text(measures)}. A judged topic "
        "that a run lacks counts as 0.</p>"
    )
    yield from html_list(list(outcome_sentences(report, decimals)))
    warnings = [*map(str, report.doubts)]
    if warnings:
        yield '<div class="warnings"><p><strong>Warnings</strong></p>'
        yield from html_list(warnings)
        yield "</div>"


def _mean_sections(report: Report, decimals: int) -> Iterator[str]:
    for class_name in dict.fromkeys(each.class_name for each in report.means):
        means_by_measure = [each for each in report.means if each.class_name == class_name]
        lines = [*_class_section(report, means_by_measure, decimals)]
        if class_name:
            title = f"Topics of class {class_name} ({means_by_measure[0].num_topics})"
            yield from folded_block(title, lines)
        else:
            yield from lines


def _class_section(
    report: Report, means_by_measure: Sequence[Means], decimals: int
) -> Iterator[str]:
    """The means of all runs under all measures on some topics, and the differences."""
    first = means_by_measure[0]
    on = f" on topics of class {first.class_name}" if first.class_name else ""
    many = len(report.table.run_names) > MOST_PAIRS
    table = _mean_table(report, means_by_measure, f"Means{on}")
    yield from html_table(table, decimals, SEARCHABLE if many else SORTABLE)
    if len(first.run_order) > 1:
        level = f"with {100 * report.level:g}% intervals"
        title = f"Mean {first.measure} of each run{on}"
        identifier = f"c{_class_index(report, first.class_name)}"
        chart = intervals_chart(_whiskers(report, first), first.measure, identifier, title)
        yield from figure_block(f"Mean {first.measure}{on}", level, chart)
    if not first.class_name:
        for part in estimate_parts(report.table, 1 - report.level):
            if isinstance(part, Table):
                table = part._replace(caption="Estimates from a sample of documents")
                yield from html_table(table, decimals, SORTABLE)
            elif isinstance(part, Lines):
                yield from html_list(list(part.lines))
    if report.comparison is None:
        return
    for contrast in report.comparison.contrasts:
        if contrast.class_name == first.class_name:
            caption = f"{contrast.measure}{on}: differences between runs"
            pairs = pair_table(report.comparison, contrast)
            pairs = pairs._replace(rows=pairs.rows[: len(report.pairs)], caption=caption)
            yield from html_table(pairs, decimals, SEARCHABLE if many else SORTABLE)
            yield from html_list(moderation_lines(contrast))
    if not first.class_name:
        yield from html_list(list(pair_column_lines(report.comparison)))


def _class_index(report: Report, class_name: str) -> int:
    """The number of a class, for identifiers."""
    return [*dict.fromkeys(each.class_name for each in report.means)].index(class_name)


def _mean_table(report: Report, means_by_measure: Sequence[Means], caption: str) -> Table:
    """A row for each run, the best first; for each measure the mean and its interval."""
    columns = [Head("run", "text")]
    for each in means_by_measure:
        columns += [
            Head(each.measure, higher_is_better=not each.lower_is_better),
            Head(f"{100 * report.level:g}% interval"),
        ]
    columns.append(Head("missing topics"))
    rows: list[list[Cell]] = []
    for run in means_by_measure[0].run_order.tolist():
        entry = report.table.runs[run]
        row: list[Cell] = [entry.name]
        for each in means_by_measure:
            ends = float(each.intervals.low[run]), float(each.intervals.high[run])
            row += [float(each.intervals.mean[run]), ends]
        rows.append([*row, len(entry.missing)])
    return Table(columns, rows, caption=caption)


def _whiskers(report: Report, means: Means) -> list[Whisker]:
    intervals, names = means.intervals, report.table.run_names
    return [
        Whisker(names[run], float(intervals.mean[run]), float(intervals.low[run]),
                float(intervals.high[run]), stands_out=True)
        for run in means.run_order.tolist()
    ]  # fmt: skip


def _curve_section(report: Report, decimals: int) -> Iterator[str]:
    """Of the best runs, where there are many."""
    if report.curves is None:
        return
    best = report.means[0].run_order.tolist()[:MOST_CURVES]
    names = report.table.run_names
    if len(names) > len(best):
        yield f"<p>The curves are those of the {len(best)} best runs.</p>"
    yield from key_of_curves([names[run] for run in best])
    yield '<div class="charts">'
    for number, each in enumerate(report.curves.curve_sets):
        curves = [each.curves[run] for run in best]
        chart = curves_chart(each.points, curves, each.axes, f"k{number}")
        yield from figure_block(each.title, "", chart)
    yield "</div>"
    tables: list[str] = []
    for each in report.curves.curve_sets:
        columns = [Head(each.axes[0], "text"), *(Head(curve.name) for curve in each.curves)]
        values = zip(*(curve.values for curve in each.curves), strict=True)
        rows = [[point, *row] for point, row in zip(each.points, values, strict=True)]
        tables += html_table(Table(columns, rows, caption=each.title), decimals)
    yield from folded_block("The curves as numbers", tables)


def _trust_section(report: Report, decimals: int) -> Iterator[str]:
    """How much is judged, and what ties decide."""
    if report.curves is None and report.ties is None:
        return
    first = report.means[0]
    columns = [Head("run", "text"), Head("missing topics")]
    if report.curves is not None:
        columns += [Head("documents"), *(Head(head, number_format=".1%") for head in JUDGED)]
    if report.ties is not None:
        columns += [
            Head("tied groups"),
            Head("topics with ties"),
            Head(f"{first.measure} by order of ties"),
        ]
    rows: list[list[Cell]] = []
    for run in first.run_order.tolist():
        entry = report.table.runs[run]
        row: list[Cell] = [entry.name, len(entry.missing)]
        if report.curves is not None:
            shares = report.curves.shares[run]
            row += [shares.num_documents, *shares.mean_shares]
        if report.ties is not None:
            ties = report.ties[run]
            row += [ties.num_groups, ties.num_topics, (ties.worst, ties.best)]
        rows.append(row)
    table = Table(columns, rows, caption="Judged documents and ties, by run")
    yield from html_table(table, decimals, SORTABLE)
    yield from html_list([
        "Judged: the mean share of the documents up to that rank that have a judgment. A document "
        "without one counts as not relevant.",
        "Tied groups: groups of documents of a topic with equal scores, at least one of them "
        f"judged. The last column: {first.measure} if every tie were broken for the worse, and for "
        "the better.",
    ])  # fmt: skip


def _origin_section(report: Report) -> Iterator[str]:
    """The choices and the signature."""
    if report.comparison is not None:
        signature = report.comparison.signature
        lines = heading_lines(report.comparison, lists_missing_topics=False)
        yield from html_list([*lines, *report.notes])
        long = signature.long
    else:
        (entry,) = report.table.runs
        level = f"intervals: {100 * report.level:g}%"
        signed = entry.signature
        short = [] if signed is None else [f"signature: {signed.short}"]
        yield from html_list([level, *short, *report.notes])
        long = {} if signed is None else signed.long
    text = json_bytes(long).decode("utf-8", "backslashreplace")
    whole = "\n".join(map(html_text, text.splitlines()))
    yield from folded_block("The signature in full", [f'<pre class="scroll">{whole}</pre>'])


_MOST = 12
"""A summary has so many sentences on pairs."""


def outcome_sentences(report: Report, decimals: int) -> Iterator[str]:
    """What came out under the first measure, a sentence for each run or pair."""
    first, names = report.means[0], report.table.run_names
    comparison, intervals = report.comparison, first.intervals
    if comparison is None:
        ends = (intervals.low, intervals.high)
        low, high = (rounded_text(float(end[0]), decimals) for end in ends)
        mean = rounded_text(float(intervals.mean[0]), decimals)
        level = f"{100 * report.level:g}%"
        yield f"{names[0]}: {first.measure} {mean} ({level} interval {low} to {high})"
        return
    baselines = dict.fromkeys(pair.against_index for pair in report.pairs)
    for run in baselines:
        mean = rounded_text(float(intervals.mean[run]), decimals)
        role = "the baseline" if comparison.options.baselines else "the best run"
        yield f"{names[run]}, {role}: {first.measure} {mean}"
    here = ("", first.measure)
    rows = [row for row in comparison.pair_rows() if (row["class"], row["measure"]) == here]
    rows = rows[: len(report.pairs)]
    yield from (_pair_sentence(row, comparison, decimals) for row in rows[:_MOST])
    if len(rows) > _MOST:
        yield f"{len(rows) - _MOST} more pairs are in the table below"


def _pair_sentence(row: dict[str, Any], comparison: Comparison, decimals: int) -> str:
    """How far a run is from its baseline, and whether that may be chance."""
    options = comparison.options
    test = row["tests"][options.tests[0]]
    mean, by = (rounded_text(value, decimals) for value in (row["mean"], abs(row["difference"])))
    side = "above" if row["difference"] > 0 else "below"
    apart = f"{by} {side}" if row["difference"] else "the same as"
    num_runs = len(comparison.table.runs)
    family_size = comparison.num_hypotheses
    is_corrected = options.correction != "none"
    if TESTS[options.tests[0]].simultaneous:
        family_size, is_corrected = num_runs * (num_runs - 1) // 2, True
    p, family = "p", ""
    if is_corrected and family_size > 1:
        p, family = "corrected p", f", family of {family_size}"
    is_significant = "significant" if test["significant"] else "not significant"
    return (
        f"{row['run']}: {row['measure']} {mean}, {apart} {row['against']} "
        f"({is_significant}, {p} {p_text(test['corrected'])}{family})"
    )


def pair_column_lines(comparison: Comparison) -> Iterator[str]:
    """What the columns of the table of pairs are, a line each."""
    options = comparison.options
    yield "difference: the mean of run minus that of against; low and high: its interval"
    yield from interval_lines(
        options, comparison.num_hypotheses, INTERVALS[options.ci].title,
        difference_name=difference_interval_title(comparison),
    )  # fmt: skip
    yield "d_z: the mean difference divided by the standard deviation of the differences"
    yield from (f"p {test}: {TESTS[test].phrase}" for test in options.tests)
    if options.correction != "none" and not all(TESTS[test].simultaneous for test in options.tests):
        phrase = CORRECTIONS[options.correction].phrase
        yield f"{options.correction}: p corrected for {family_text(comparison)} ({phrase})"
    if not options.baselines:
        yield "the tables have the pairs with the best run; p is corrected for all pairs of runs"
    yield f"*: significant at {options.alpha:g}"
    yield "w/t/l: topics that run wins, ties and loses"
