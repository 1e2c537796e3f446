"""What a command gives, before any form of output: headings, lines and tables, rows, and data.

A command fills a `Document`; `irev.writers.forms` writes it in every form. `parts` are for people:
text, Markdown, LaTeX and HTML show them in their order. `records` are the same numbers for
machines, in full precision: CSV and TSV have the first table, JSON lines all of them. `data` is the
whole as JSON holds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from irev.core.arrays import Floats, ratio
from irev.core.wording import count_text, shortened_list
from irev.engine.doubts import repeated_line_warnings
from irev.engine.join_scores import scored_run_table
from irev.errors import Notice
from irev.measures.naming.resolve import bounds_of
from irev.scores.scores import Scores
from irev.statistics.intervals import Intervals, fit_to_range, mean_intervals
from irev.statistics.significance_tests import check_level

if TYPE_CHECKING:
    import pandas as pd

    from irev.core.judged import Column
    from irev.rank.ties import TieAccount
    from irev.scores.scores import RunEstimates
    from irev.scores.table import ScoreTable
    from irev.statistics.differences import RunPairs


# --- What a command gives, before any form of output ---


class Keyed(NamedTuple):
    """A cell that says what it is in words of its own, and the number that it is sorted by."""

    text: str
    key: float


class Strong(str):
    """A text that stands out, where a form can show it."""

    __slots__ = ()


class Marked(NamedTuple):
    """A number with marks raised and lowered behind it: letters of what is worse, and better."""

    value: float
    marks_above: str
    marks_below: str = ""


Cell: TypeAlias = float | int | str | Keyed | Marked | tuple[float, float] | None
"""A value in full precision; a text, shown as it is; both ends of an interval; None: nothing."""


class Head(NamedTuple):
    """The head of a column, and what its cells are.

    kind              text (at the left), number or p (at the right)
    number_format     how Python formats its numbers ("g"), where they are not rounded as all others
    higher_is_better  whether higher values are better; None: its best value does not stand out
    """

    name: str
    kind: str = "number"
    number_format: str = ""
    higher_is_better: bool | None = None


class Table(NamedTuple):
    """Rows under columns; in plain text a rule stands below the heads of a table that is `ruled`.

    caption  what a page or a paper says of the table; other forms have a heading above it
    label    what a paper refers to it by: a table with a label floats in LaTeX, every form shows
             its caption, and the best value of a column stands out in Markdown too
    source   what a caption has no room for: a comment in LaTeX, elsewhere a line below the caption
    """

    columns: Sequence[Head]
    rows: Sequence[Sequence[Cell]]
    ruled: bool = True
    caption: str = ""
    label: str = ""
    source: str = ""


class Heading(NamedTuple):
    """A heading, of level 2, 3 or 4, and a sentence that belongs to it, which may be long."""

    text: str
    level: int = 3
    below: str = ""


class Lines(NamedTuple):
    """Sentences, a line each; items of a list, where a form has lists, unless not `listed`."""

    lines: Sequence[str]
    listed: bool = True


Part: TypeAlias = Heading | Lines | Table


class Records(NamedTuple):
    """Rows for machines under the names of their fields; the rows are gone through once."""

    name: str
    fields: Sequence[str]
    rows: Iterable[Iterable[Any]]


class Document(NamedTuple):
    """The outcome of a command; what no form asks for is not made.

    title         what it is, for forms that have a title
    parts         for people
    records       for machines
    data          gives what JSON holds
    report_lines  what is said in plain text instead of the parts: a report, line after line
    """

    title: str
    parts: Iterable[Part]
    records: Iterable[Records]
    data: Callable[[], Any]
    report_lines: Iterable[str] | None = None


class Rewindable(Iterable[Any]):
    """What can be gone through once, kept in a list when it first is."""

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[Any]:
        if not isinstance(self._items, list | tuple):
            self._items = list(self._items)
        return iter(self._items)


def rewindable(document: Document) -> Document:
    """The document, whose parts and rows can be gone through again, and are made when asked for."""
    return document._replace(
        parts=Rewindable(document.parts),
        records=Rewindable(
            records._replace(rows=Rewindable(records.rows)) for records in document.records
        ),
        report_lines=document.report_lines and Rewindable(document.report_lines),
    )


def cell_text(cell: Cell, column: Head, decimals: int) -> str:
    """A cell as people read it: the one place that rounds. A zero has no sign.

    "-" stands for what is not known, or has no end.
    """
    if isinstance(cell, float):
        if column.kind == "p":
            return p_text(cell, decimals)
        if not math.isfinite(cell):
            return "-"
        return (
            format(cell, column.number_format)
            if column.number_format
            else rounded_text(cell, decimals)
        )
    if cell is None:
        return ""
    if isinstance(cell, Keyed):
        return cell.text
    if isinstance(cell, Marked):
        return rounded_text(cell.value, decimals)
    if isinstance(cell, tuple):
        ends = ["-" if not math.isfinite(end) else rounded_text(end, decimals) for end in cell]
        # of one topic there is no interval
        return "" if cell[0] != cell[0] and cell[1] != cell[1] else f"[{ends[0]}, {ends[1]}]"
    return cell if isinstance(cell, str) else str(cell)


def rounded_text(value: float, decimals: int) -> str:
    """A number with its decimals; one of which nothing is left has no sign."""
    text = f"{value:.{decimals}f}"
    return text[1:] if text[0] == "-" and not text.strip("-0.") else text


_LEAST_P_PLACES = 4


def p_text(p: float | None, decimals: int = 4) -> str:
    """A p-value with 4 decimals at least; one that would be 0 is said to be below the last."""
    if p is None or p != p:
        return ""
    decimals = max(decimals, _LEAST_P_PLACES)
    smallest_shown = f"{10.0**-decimals:.{decimals}f}"
    return f"<{smallest_shown}" if p < float(smallest_shown) else f"{p:.{decimals}f}"


def best_text(column: Head, cells: Sequence[Cell], cell_texts: Sequence[str]) -> str | None:
    """The best value of a column as it is shown: what looks equal is equally good."""
    numbers = [cell.value if isinstance(cell, Marked) else cell for cell in cells]
    value_of_row = {row: v for row, v in enumerate(numbers) if isinstance(v, float) and v == v}
    if column.higher_is_better is None or len(value_of_row) < 2:
        return None
    choose = max if column.higher_is_better else min
    return cell_texts[choose(value_of_row, key=value_of_row.__getitem__)]


def records_of(name: str, rows: Iterable[dict[str, Any]], **common_fields: Any) -> Records:
    """Rows that are name -> value, all with the same names, the common fields behind each."""
    remaining = iter(rows)
    first = next(remaining, None)
    if first is None:
        return Records(name, (), ())

    def values() -> Iterable[Iterable[Any]]:
        yield [*first.values(), *common_fields.values()]
        for row in remaining:
            yield [*row.values(), *common_fields.values()]

    return Records(name, [*first, *common_fields], values())


# --- Which topics a result stands on, in words: for stderr and for the lines below a table ---


_MOST_IDS = 10


BELOW_TABLE = ("topic-as-zero", "unjudged-topic", "skipped-topic", "divisor")
"""Kinds of warnings that `topics_sentence` says, too."""


def topic_class_and_tie_warnings(scores: Scores) -> list[Notice]:
    """What counts as 0 or was left out and, where anything was, how many topics count."""
    warnings = [*_topic_as_zero_notes(scores), *_unjudged_and_skipped_topic_notes(scores)]
    if warnings or scores.left_out:
        warnings.append(Notice("divisor", _divisor_phrase(scores)))
    classes = (Notice("odd-classes", line) for line in _topic_class_problems(scores))
    ties = () if scores.ties is None else _tie_group_messages(scores.ties)
    return [*warnings, *classes, *(Notice("ties", line) for line in ties)]


def topics_sentence(scores: Scores) -> str:
    """One line: the divisor, and the topics that were left out."""
    parts = [_divisor_phrase(scores)]
    if scores.left_out:
        parts.append(f"{_missing_topics_phrase(scores.left_out)}: {shortened_ids(scores.left_out)}")
    warnings = [
        *_topic_as_zero_notes(scores),
        *repeated_line_warnings(scores.account),
        *_unjudged_and_skipped_topic_notes(scores),
    ]
    return "; ".join([*parts, *(notice.message for notice in warnings)])


def _missing_topics_phrase(topic_ids: Sequence[bytes]) -> str:
    return f"{count_text(len(topic_ids), 'judged topic')} missing from the run"


def _topic_as_zero_notes(scores: Scores) -> list[Notice]:
    """Which topics that the run lacks count all the same."""
    missing = scores.account.missing
    if not missing or scores.left_out:
        return []
    message = f"{_missing_topics_phrase(missing)}, counted as 0: {shortened_ids(missing)}"
    return [Notice("topic-as-zero", message)]


def _unjudged_and_skipped_topic_notes(scores: Scores) -> list[Notice]:
    unjudged, skipped = scores.account.unjudged, scores.account.skipped
    warnings = []
    if unjudged:
        subject = count_text(len(unjudged), "topic of the run is", "topics of the run are")
        warnings.append(
            Notice("unjudged-topic", f"{subject} not judged: {shortened_ids(unjudged)}")
        )
    if skipped:
        subject = count_text(len(skipped), "topic was", "topics were")
        warnings.append(
            Notice("skipped-topic", f"{subject} left out by choice: {shortened_ids(skipped)}")
        )
    return warnings


def _topic_class_problems(scores: Scores) -> list[str]:
    """What is odd about the classes of topics."""
    basis = scores.basis
    if basis is None or basis.classes is None:
        return []
    messages = []
    if basis.unknown:
        subject = count_text(
            len(basis.unknown), "topic of the classes is", "topics of the classes are"
        )
        messages.append(f"{subject} not in the qrels: {shortened_ids(basis.unknown)}")
    if basis.outside:
        subject = count_text(len(basis.outside), "topic stands", "topics stand")
        messages.append(f"{subject} in no class: {shortened_ids(basis.outside)}")
    members = basis.classes.members
    empty = [name for name in basis.classes.names if members[name].isdisjoint(basis.topics)]
    if empty:
        subject = count_text(len(empty), "class has", "classes have")
        messages.append(f"{subject} no topic that is averaged over: {', '.join(empty)}")
    return messages


def _divisor_phrase(scores: Scores) -> str:
    counted = {*scores.topics, *(() if scores.left_out else scores.account.missing)}
    text = f"averaged over {count_text(scores.divisor, 'topic')}"
    # trec_eval divides by all topics under -c, also where -D evaluates one alone
    num_others = scores.divisor - len(counted)
    return (
        f"{text}, of which {num_others} left out by choice count as 0" if num_others > 0 else text
    )


def shortened_ids(topic_ids: Sequence[bytes]) -> str:
    """The first topics, and how many more there are."""
    return shortened_list(topic_ids, _MOST_IDS)


def _tie_group_messages(ties: TieAccount) -> list[str]:
    """What is said beside means over orders of tied documents, or beside ranges."""
    if not ties.groups:
        return ["ties: no judged document shares its score with another"]
    message = f"ties: {count_text(ties.groups, 'group')} of equal scores with a judged document, "
    message += f"in {count_text(ties.topics, 'topic')}"
    if ties.at_cutoff:
        crossed_cutoffs = [
            f"{count} across rank {cutoff}" for cutoff, count in ties.at_cutoff if count
        ]
        message += f"; {', '.join(crossed_cutoffs) or 'none across a cutoff'}"
    messages = [message]
    if ties.drawn:
        messages.append(
            f"ties: {count_text(len(ties.drawn), 'topic')} with too many orders to try all: "
            f"{', '.join(ties.measures)} {'is a mean' if len(ties.measures) == 1 else 'are means'} "
            f"over {ties.draws} random orders there; all other means are exact"
        )
    return messages


# --- What is said of scores that were estimated from a sample of documents and a model's judg ---


Row: TypeAlias = dict[str, Any]

LEGEND = (
    "estimate: what people would have found with all documents of the pools; low, high: of the "
    "population that the topics come from; topics low, high: of these topics themselves",
    "people: by people's sample of documents alone; model: by the model's judgments alone, which "
    "is not a valid estimate",
    "width: of the interval for these topics, as a share of that of people alone; lambda: how much "
    "the model counts, one for all runs",
    "judged@10: the share of the first 10 documents that people judged",
)


def document_estimates(table: ScoreTable | Scores, alpha: float = 0.05) -> pd.DataFrame:
    """The means of runs that were estimated from a sample of documents and a model's judgments.

    A row for each measure and run, the best first: `measure`, `run`, `estimate`, its interval for
    the population of topics (`low`, `high`: t of the topics' estimates) and for these topics
    (`topics_low`, `topics_high`: mean -+ t_{T-1} sqrt(sum of V_t) / T, V_t the variance of topic
    t's estimate over the samples; none for nDCG@k), `people` and `model` alone, `width`, `lambda`,
    `judged_at_10`.

    Args:
        table: scores under `predicted=` and `qrels_format="strata"`: `.table` of any job, or what
            `evaluate` gives.
        alpha: intervals have the level 1 - alpha.
    """
    if isinstance(table, Scores):
        table = scored_run_table(table.run_name, "", table)
    import pandas as pd

    return pd.DataFrame(list(estimate_rows(table, alpha)))


def difference_estimates(table: ScoreTable, pairs: RunPairs, alpha: float = 0.05) -> Iterator[Row]:
    """For each measure and pair of runs the mean difference, with its interval for these topics."""
    runs = [run.estimates for run in table.runs]
    for column in table.columns:
        means = table.means(column.name)
        for first, second in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
            one, other = runs[first], runs[second]
            if one is None or other is None or one.are_ratios[one.column_index(column.name)]:
                continue
            variances = one.difference_variances(other, column.name)
            difference = float(means[first] - means[second]) * _factor(column, table)
            se = float(_error_of_mean(table, column, one.topic_indices(table.topics), variances))
            reach = _t_quantile(table, alpha) * se
            yield {
                "measure": column.name, "run": table.run_names[first],
                "against": table.run_names[second], "difference": difference,
                "topics_low": difference - reach, "topics_high": difference + reach,
            }  # fmt: skip


def estimate_rows(table: ScoreTable, alpha: float = 0.05) -> Iterator[Row]:
    """The rows of `document_estimates`; none of runs whose scores are no estimates."""
    check_level(1 - alpha)
    if all(run.estimates is None for run in table.runs):
        return
    for column in table.columns:
        population = _population_intervals(table, column, alpha)
        for run in np.argsort(-population.mean, kind="stable").tolist():
            estimates = table.runs[run].estimates
            if estimates is None:
                continue
            mean = float(population.mean[run])
            yield {
                "measure": column.name, "run": table.run_names[run], "estimate": mean,
                "low": float(population.low[run]), "high": float(population.high[run]),
                **_row_fields_on_these_topics(table, column, estimates, mean, alpha),
            }  # fmt: skip


def _population_intervals(table: ScoreTable, column: Column, alpha: float) -> Intervals:
    matrix, factor = table.linearised_score_matrix(column.name), _factor(column, table)
    if len(matrix) > 1:
        intervals = mean_intervals(matrix, level=1 - alpha, df=table.df)
    else:
        endless = np.full(matrix.shape[1], np.inf)
        is_constant = np.zeros(matrix.shape[1], bool)
        intervals = Intervals(
            table.means(column.name), -endless, endless, 1 - alpha, 1, is_constant
        )
    intervals = replace(
        intervals,
        mean=factor * intervals.mean, low=factor * intervals.low, high=factor * intervals.high,
    )  # fmt: skip
    return fit_to_range(intervals, *bounds_of(column))


def _row_fields_on_these_topics(
    table: ScoreTable, column: Column, estimates: RunEstimates, mean: float, alpha: float
) -> Row:
    """What is known of a run on these topics."""
    index, topics = estimates.column_index(column.name), estimates.topic_indices(table.topics)
    error, by_people = (
        float(_error_of_mean(table, column, topics, variances[index]))
        for variances in (estimates.variances, estimates.people_variances)
    )
    low, high = bounds_of(column)
    reach, is_ratio = _t_quantile(table, alpha) * error, estimates.are_ratios[index]
    return {
        "topics_low": None if is_ratio else max(mean - reach, low),
        "topics_high": None if is_ratio else min(mean + reach, high),
        "people": _mean_of(table, column, estimates.people[index, topics]),
        "model": _mean_of(table, column, estimates.model[index, topics]),
        "width": error / by_people if by_people else math.nan,
        "lambda": float(estimates.weights[index]), "judged_at_10": estimates.share_judged,
    }  # fmt: skip


def _factor(column: Column, table: ScoreTable) -> int:
    """What a mean is multiplied by: of measures that are summed up the number of topics."""
    return len(table.topics) if column.average == "sum" else 1


def _topic_weights(table: ScoreTable) -> Floats:
    return np.ones(len(table.topics)) if table.weights is None else table.weights


def _mean_of(table: ScoreTable, column: Column, values: Floats) -> float:
    weights = _topic_weights(table)
    mean = ratio((weights * values).sum(), weights.sum())
    return float(mean) * _factor(column, table)


def _error_of_mean(table: ScoreTable, column: Column, topics: Any, variances: Floats) -> float:
    """The standard error of the mean over these topics: sqrt(sum of V_t) / T."""
    weights = _topic_weights(table)
    variance = (weights**2 * variances[topics]).sum()
    return float(ratio(math.sqrt(variance), weights.sum())) * _factor(column, table)


def _t_quantile(table: ScoreTable, alpha: float) -> float:
    from scipy.special import stdtrit

    df = table.df or len(table.topics) - 1
    return float(stdtrit(df, 1 - alpha / 2)) if df > 0 else math.inf


_HEADS = {
    "topics_low": Head("topics low"),
    "topics_high": Head("topics high"),
    "width": Head("width", number_format=".2f"),
    "lambda": Head("lambda", number_format=".2f"),
    "judged_at_10": Head("judged@10", number_format=".2f"),
}


def estimate_parts(table: ScoreTable, alpha: float = 0.05) -> Iterator[Part]:
    """The heading, a table for each measure and what its columns mean; nothing of other scores."""
    rows = list(estimate_rows(table, alpha))
    if not rows:
        return
    level = f"{100 * (1 - alpha):.6g}%"
    yield Heading(f"estimates from a sample of documents ({level} intervals)")
    yield rows_table(rows)
    yield Lines(list(LEGEND))


def estimate_lines(table: ScoreTable, alpha: float, decimals: int) -> Iterator[str]:
    """The same in words: a line for each run and measure, and what these are."""
    rows = list(estimate_rows(table, alpha))
    if not rows:
        return
    yield f"estimates from a sample of documents ({100 * (1 - alpha):.6g}% intervals)"
    heads = rows_table(rows[:1]).columns
    for row in rows:
        measure, run, *values = row.values()
        facts = [
            f"{head.name} {cell_text(value, head, decimals)}"
            for value, head in zip(values, heads[2:], strict=True)
            if value is not None
        ]
        yield f"{run}, {measure}: {', '.join(facts)}"
    yield from LEGEND


def difference_parts(table: ScoreTable, pairs: RunPairs, alpha: float) -> Iterator[Part]:
    """The differences of pairs on these topics; nothing of other scores."""
    rows = list(difference_estimates(table, pairs, alpha))
    if rows:
        yield Heading(
            f"differences on these topics ({100 * (1 - alpha):.6g}% intervals, not simultaneous)"
        )
        yield rows_table(rows)


def rows_table(rows: Sequence[Row]) -> Table:
    """The rows of estimates as a table."""
    text_fields = ("measure", "run", "against")
    heads = [
        Head(name, "text") if name in text_fields else _HEADS.get(name, Head(name))
        for name in rows[0]
    ]
    cells: list[Any] = [list(row.values()) for row in rows]
    return Table(heads, cells)
