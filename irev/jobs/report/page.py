"""A report as one HTML file that loads nothing else: its sentences, tables and charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.core.wording import count_text
from irev.jobs.compare.document import about_intervals, heading, pair_table
from irev.jobs.report.curves import JUDGED
from irev.jobs.report.topic_sections import MOST_PAIRS, moved, topics
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS
from irev.writers.charts import (
    MOST_CURVES,
    Whisker,
    curves_chart,
    intervals_chart,
    key_of_curves,
)
from irev.writers.document import Head, Table, p_text, rounded_text
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

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.jobs.compare.comparison import Comparison
    from irev.jobs.report.report import Means, Report
    from irev.writers.document import Cell


def write_page(report: Report, decimals: int) -> Iterator[bytes]:
    """The page, a line after another."""
    return live_page(report.title or _title(report), _body(report, decimals))


def _title(report: Report) -> str:
    runs, on = report.table.run_names, count_text(len(report.table.topics), "topic")
    if len(runs) == 1:
        return f"{runs[0]} on {on}"
    return f"{' and '.join(runs) if len(runs) == 2 else count_text(len(runs), 'run')} on {on}"


def _body(report: Report, decimals: int) -> Iterator[str]:
    sections = [
        ("summary", "Summary", _summary(report, decimals)),
        ("means", "Means" if not report.comparison else "Means and differences",
         _means(report, decimals)),
        ("topics", "Topics", topics(report, decimals)),
        ("moved", "Topics that moved most" if report.comparison else "Lowest topics",
         moved(report, decimals)),
        ("curves", "Curves", _curves(report, decimals)),
        ("trust", "Unjudged documents and ties", _trust(report, decimals)),
        ("made", "How the numbers were made", _made(report)),
    ]  # fmt: skip
    # what a report does not have has no heading either
    found = [(at, name, [*lines]) for at, name, lines in sections]
    shown = [each for each in found if each[2]]
    yield from contents_list("Contents", [(at, name) for at, name, _ in shown[1:]])
    for at, name, lines in shown:
        yield f'<section aria-labelledby="{at}">\n<h2 id="{at}">{html_text(name)}</h2>'
        yield from lines
        yield "</section>"


def _summary(report: Report, decimals: int) -> Iterator[str]:
    """What was evaluated, what came out, and what makes it doubtful."""
    table = report.table
    measures = ", ".join(table.measure_names)
    yield (
        f"<p>{count_text(len(table.run_names), 'run')} scored against {html_text(report.qrels)} on "
        f"{count_text(len(table.topics), 'judged topic')} by {html_text(measures)}. A judged topic "
        "that a run lacks counts as 0.</p>"
    )
    yield from html_list(list(in_short(report, decimals)))
    said = [*map(str, report.warnings)]
    if said:
        yield '<div class="warnings"><p><strong>Warnings</strong></p>'
        yield from html_list(said)
        yield "</div>"


def _means(report: Report, decimals: int) -> Iterator[str]:
    for label in dict.fromkeys(each.label for each in report.means):
        those = [each for each in report.means if each.label == label]
        on = f" on topics of class {label}" if label else ""
        lines = [*_of_class(report, those, label, on, decimals)]
        yield from (
            folded_block(f"Topics of class {label} ({those[0].topics})", lines) if label else lines
        )


def _of_class(
    report: Report, those: Sequence[Means], label: str, on: str, decimals: int
) -> Iterator[str]:
    """The means of all runs under all measures on some topics, and the differences."""
    many = len(report.table.run_names) > MOST_PAIRS
    table = _mean_table(report, those, f"Means{on}")
    yield from html_table(table, decimals, SEARCHABLE if many else SORTABLE)
    first = those[0]
    if len(first.order) > 1:
        level = f"with {100 * report.level:g}% intervals"
        title = f"Mean {first.measure} of each run{on}"
        identifier = f"c{_number(report, label)}"
        chart = intervals_chart(_whiskers(report, first), first.measure, identifier, title)
        yield from figure_block(f"Mean {first.measure}{on}", level, chart)
    if report.comparison is None:
        return
    for contrast in report.comparison.contrasts:
        if contrast.label == label:
            caption = f"{contrast.measure}{on}: differences between runs"
            made = pair_table(report.comparison, contrast)._replace(caption=caption)
            yield from html_table(made, decimals, SEARCHABLE if many else SORTABLE)
    if not label:
        yield from html_list(list(key_to_pairs(report.comparison)))


def _number(report: Report, label: str) -> int:
    """That of a class, for identifiers."""
    return [*dict.fromkeys(each.label for each in report.means)].index(label)


def _mean_table(report: Report, those: Sequence[Means], caption: str) -> Table:
    """A row for each run, the best first; for each measure the mean and its interval."""
    columns = [Head("run", "text")]
    for each in those:
        columns += [
            Head(each.measure, higher_is_better=not each.lower_is_better),
            Head(f"{100 * report.level:g}% interval"),
        ]
    columns.append(Head("missing topics"))
    rows: list[list[Cell]] = []
    for run in those[0].order.tolist():
        entry = report.table.runs[run]
        row: list[Cell] = [entry.name]
        for each in those:
            found = each.found
            row += [float(found.mean[run]), (float(found.low[run]), float(found.high[run]))]
        rows.append([*row, len(entry.missing)])
    return Table(columns, rows, caption=caption)


def _whiskers(report: Report, means: Means) -> list[Whisker]:
    found, names = means.found, report.table.run_names
    return [
        Whisker(names[run], float(found.mean[run]), float(found.low[run]), float(found.high[run]),
                stands_out=True)
        for run in means.order.tolist()
    ]  # fmt: skip


def _curves(report: Report, decimals: int) -> Iterator[str]:
    """Of the best runs, where there are many."""
    if report.around is None:
        return
    best = report.means[0].order.tolist()[:MOST_CURVES]
    names = report.table.run_names
    if len(names) > len(best):
        yield f"<p>The curves are those of the {len(best)} best runs.</p>"
    yield from key_of_curves([names[run] for run in best])
    yield '<div class="charts">'
    for number, each in enumerate(report.around.curves):
        curves = [each.curves[run] for run in best]
        chart = curves_chart(each.points, curves, each.axes, f"k{number}")
        yield from figure_block(each.title, "", chart)
    yield "</div>"
    tables: list[str] = []
    for each in report.around.curves:
        columns = [Head(each.axes[0], "text"), *(Head(curve.name) for curve in each.curves)]
        values = zip(*(curve.values for curve in each.curves), strict=True)
        rows = [[point, *row] for point, row in zip(each.points, values, strict=True)]
        tables += html_table(Table(columns, rows, caption=each.title), decimals)
    yield from folded_block("The curves as numbers", tables)


def _trust(report: Report, decimals: int) -> Iterator[str]:
    """How much is judged, and what ties decide."""
    if report.around is None and report.tied is None:
        return
    first = report.means[0]
    columns = [Head("run", "text"), Head("missing topics")]
    if report.around is not None:
        columns += [Head("documents"), *(Head(head, number_format=".1%") for head in JUDGED)]
    if report.tied is not None:
        columns += [
            Head("tied groups"),
            Head("topics with ties"),
            Head(f"{first.measure} by order of ties"),
        ]
    rows: list[list[Cell]] = []
    for run in first.order.tolist():
        entry = report.table.runs[run]
        row: list[Cell] = [entry.name, len(entry.missing)]
        if report.around is not None:
            shares = report.around.shares[run]
            row += [shares.documents, *shares.judged]
        if report.tied is not None:
            ties = report.tied[run]
            row += [ties.groups, ties.topics, (ties.least, ties.highest)]
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


def _made(report: Report) -> Iterator[str]:
    """The choices and the signature."""
    if report.comparison is not None:
        told = {*map(str, report.warnings)}
        lines = [line for line in heading(report.comparison) if line not in told]
        signature = report.comparison.signature
        yield from html_list([*lines, *map(str, report.notes)])
        long = signature.long
    else:
        (entry,) = report.table.runs
        level = f"intervals: {100 * report.level:g}%"
        signed = entry.signature
        short = [] if signed is None else [f"signature: {signed.short}"]
        yield from html_list([level, *short, *map(str, report.notes)])
        long = {} if signed is None else signed.long
    text = json_bytes(long).decode("utf-8", "backslashreplace")
    whole = "\n".join(map(html_text, text.splitlines()))
    yield from folded_block("The signature in full", [f'<pre class="scroll">{whole}</pre>'])


_MOST = 12
"""A summary has so many sentences on pairs."""


def in_short(report: Report, decimals: int) -> Iterator[str]:
    """What came out under the first measure, a sentence for each run or pair."""
    first, names, found = report.means[0], report.table.run_names, report.comparison
    if found is None:
        low, high = (
            rounded_text(float(end[0]), decimals) for end in (first.found.low, first.found.high)
        )
        mean = rounded_text(float(first.found.mean[0]), decimals)
        level = f"{100 * report.level:g}%"
        yield f"{names[0]}: {first.measure} {mean} ({level} interval {low} to {high})"
        return
    baselines = dict.fromkeys(pair.against for pair in report.pairs)
    for run in baselines:
        mean = rounded_text(float(first.found.mean[run]), decimals)
        yield f"{names[run]}, the baseline: {first.measure} {mean}"
    here = ("", first.measure)
    rows = [row for row in found.pair_rows() if (row["class"], row["measure"]) == here]
    yield from (_sentence(row, found, decimals) for row in rows[:_MOST])
    if len(rows) > _MOST:
        yield f"{len(rows) - _MOST} more pairs are in the table below"


def _sentence(row: dict[str, Any], found: Comparison, decimals: int) -> str:
    """How far a run is from its baseline, and whether that may be chance."""
    plan = found.plan
    test = row["tests"][plan.tests[0]]
    mean, by = (rounded_text(value, decimals) for value in (row["mean"], abs(row["difference"])))
    side = "above" if row["difference"] > 0 else "below"
    apart = f"{by} {side}" if row["difference"] else "the same as"
    p = "p" if plan.correction == "none" else "corrected p"
    is_significant = "significant" if test["significant"] else "not significant"
    return (
        f"{row['run']}: {row['measure']} {mean}, {apart} {row['against']} "
        f"({is_significant}, {p} {p_text(test['corrected'])})"
    )


def key_to_pairs(found: Comparison) -> Iterator[str]:
    """What the columns of the table of pairs are, a line each."""
    plan = found.plan
    yield "difference: the mean of run minus that of against; low and high: its interval"
    yield from about_intervals(plan, found.hypotheses, INTERVALS[plan.ci].title)
    yield "d_z: the mean difference divided by the standard deviation of the differences"
    yield from (f"p {test}: {TESTS[test].phrase}" for test in plan.tests)
    if plan.correction != "none" and not all(TESTS[test].simultaneous for test in plan.tests):
        phrase = CORRECTIONS[plan.correction].phrase
        yield f"{plan.correction}: p corrected for all pairs and measures together ({phrase})"
    yield f"*: significant at {plan.alpha:g}"
    yield "w/t/l: topics that run wins, ties and loses"
