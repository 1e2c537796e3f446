"""A part of the page as it is read without its script; the script says the same in its place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.wording import count_text, shortened_list
from irev.errors import KINDS
from irev.statistics.intervals import EXACT_WHERE_SAME
from irev.statistics.methods import (
    CORRECTIONS,
    INTERVALS,
    TESTS,
    difference_interval_title,
    tests_done_text,
)
from irev.writers.forms import html_list, html_text
from irev.writers.results_page.page_data import (
    UNIT,
    Comparisons,
    breakable,
    breakable_text,
    confidence_text,
    listed_names,
    p_shown,
    percent,
    rounded,
    say,
    signed,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from irev.core.arrays import Floats
    from irev.errors import Notice
    from irev.statistics.differences import Tail
    from irev.statistics.methods import DoneTest
    from irev.writers.results_page.page_data import PagePart, PageRun, RunDifference


# --- The tables of the page as it is read without its script ---


_MARKS = {1: ("\u25b2", "better"), -1: ("\u25bc", "worse"), 0: ("\u00b7", "neither")}
"""For each verdict its sign, and what it is called."""

_PLOT_MARGIN = 4
"""Per cent of the plot at either end, so that no mark is cut."""


class _Scale(NamedTuple):
    """From values to per cent of the width of a plot."""

    low: float
    high: float

    def position(self, value: float) -> str:
        share = (value - self.low) / ((self.high - self.low) or 1)
        return f"{_PLOT_MARGIN + (100 - 2 * _PLOT_MARGIN) * share:.2f}%"


def run_table_lines(part: PagePart, comparisons: Comparisons) -> Iterator[str]:
    """All runs by the first measure, with all measures, differences and what the tests say."""
    ends = part.means[0][np.isfinite(part.means[0])]
    scale = _Scale(float(ends.min(initial=math.inf)), float(ends.max(initial=-math.inf)))
    columns = _Columns(part, comparisons)
    yield '<div class="board"><table class="runs plain">'
    caption = say("table_caption", column=part.measures[0].name)
    yield f'<caption class="sr">{html_text(caption)}</caption>'
    yield "<thead><tr>"
    yield "".join(_head(text, css_class) for text, css_class in columns.heads_and_css_classes())
    yield "</tr></thead>\n<tbody>"
    for run in comparisons.order:
        yield f"<tr>{''.join(columns.cells(run, scale))}</tr>"
    yield "</tbody></table></div>"


def _head(text: str, css_class: str) -> str:
    class_attribute = f' class="{css_class}"' if css_class else ""
    return f'<th scope="col"{class_attribute}>{html_text(text)}</th>'


class _Columns:
    """Which columns there are, and the cells of a run."""

    def __init__(self, part: PagePart, comparisons: Comparisons) -> None:
        self.part, self.comparisons = part, comparisons
        self.has_several = len(part.runs) > 1
        self.has_places = part.kind == "board" and comparisons.pairs is not None
        self.has_counts = self.has_several and part.scores is not None
        self.has_p = self.has_several and comparisons.is_tested

    def heads_and_css_classes(self) -> Iterator[tuple[str, str]]:
        """Those of the columns, from left to right."""
        part, level = self.part, confidence_text(self.part)
        has_interval = bool(np.isfinite(part.means[0, :, 1]).any())
        if self.has_several:
            yield say("place"), ""
        if self.has_places:
            yield say("places", confidence=level), ""
        yield say("run"), "text"
        yield say("mean_interval_plot" if has_interval else "mean_plot", confidence=level), "plot"
        for measure in part.measures:
            yield measure.name, ""
        if self.has_several:
            yield say("difference"), ""
        if self.has_p:
            yield say("p"), ""
        if self.has_counts:
            yield say("w/t/l"), ""
        if part.judged_rank is not None:
            yield say("judged", rank=part.judged_rank), ""

    def cells(self, run: int, scale: _Scale) -> Iterator[str]:
        """The cells of a run."""
        part, comparisons = self.part, self.comparisons
        difference = comparisons.baseline_difference(run)
        if self.has_several:
            yield f"<td>{comparisons.place(run)}</td>"
        if self.has_places:
            first, last = comparisons.open_places(run)
            places = f"{first}\u2013{last}"
            yield f"<td>{f'<b>{places}</b>' if first == 1 else places}</td>"
        yield _name_cell(part.runs[run], run == comparisons.baseline and self.has_several)
        yield _plot_cell(
            part.means[0, run].tolist(), scale, difference, run == comparisons.baseline
        )
        for means in part.means:
            yield f"<td>{rounded(float(means[run, 0]), part.decimals)}</td>"
        if self.has_several:
            yield f"<td>{self._difference_text(run, difference)}</td>"
        if self.has_p:
            yield f"<td>{'' if difference is None else html_text(p_shown(difference.p))}</td>"
        if self.has_counts:
            counts = "/".join(map(str, comparisons.wins_ties_losses(run)))
            yield f"<td>{'' if run == comparisons.baseline else counts}</td>"
        if part.judged_rank is not None:
            yield f"<td>{percent(part.runs[run].judged)}</td>"

    def _difference_text(self, run: int, difference: RunDifference | None) -> str:
        """How far a run is from the baseline, with the mark of what the test says."""
        comparisons, decimals = self.comparisons, self.part.decimals
        if run == comparisons.baseline:
            return ""
        if difference is None:
            return signed(float(comparisons.differences[run, comparisons.baseline]), decimals)
        mark, name = _MARKS[difference.verdict]
        verdict = html_text(say(f"verdict_{name}"))
        return (
            f'{signed(difference.difference, decimals)} <span class="{name}" '
            f'aria-hidden="true">{mark}</span><span class="sr">, {verdict}</span>'
        )


def _name_cell(run: PageRun, is_baseline: bool) -> str:
    name = f'<span class="name" title="{html_text(run.name)}">{breakable(run.short)}</span>'
    team = f' <span class="team">{html_text(run.team)}</span>' if run.team else ""
    tag = f' <span class="tag">{html_text(say("baseline"))}</span>' if is_baseline else ""
    return f'<th scope="row" class="text">{name}{team}{tag}</th>'


def _plot_cell(
    mean_low_high: Sequence[float],
    scale: _Scale,
    difference: RunDifference | None,
    is_baseline: bool,
) -> str:
    mean, low, high = mean_low_high
    css_class = "self" if is_baseline else _MARKS[difference.verdict if difference else 0][1]
    bar = ""
    if low == low:
        bar = (
            f'<line class="bar" x1="{scale.position(low)}" x2="{scale.position(high)}" '
            'y1="50%" y2="50%"/>'
        )
    dot = f'<circle class="dot" r="4" cx="{scale.position(mean)}" cy="50%"/>'
    svg = f'<svg aria-hidden="true"><g class="{css_class}">{bar}{dot}</g></svg>'
    return f'<td class="plot">{svg}</td>'


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


# --- Which run is best, what the tests show, and what is doubtful: three short texts as HTML ---


_LONG_NAME = 30
_WORST_TOPICS = 5


def answer_lines(part: PagePart, comparisons: Comparisons) -> Iterator[str]:
    """The three texts under the first measure."""
    yield '<div class="answer">'
    yield from _best_run_lines(part, comparisons)
    yield from (
        _test_lines(part, comparisons)
        if comparisons.is_tested
        else _worst_topics_or_no_test_lines(part)
    )
    yield from _doubt_lines(part)
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
        if alike:
            sentence = say("alike", count=len(alike), names=listed_names(alike))
        else:
            which = "better_than_other" if num_runs == 2 else "better_than_all"
            sentence = say(which, count=num_runs - 1)
        yield f"<p>{breakable_text(sentence)}</p>"
    yield "</div>"


def _test_lines(part: PagePart, comparisons: Comparisons) -> Iterator[str]:
    yield f"<div><h2>{html_text(say('tests_show'))}</h2>"
    sizes = comparisons.sizes()
    if comparisons.pairs is not None:
        num_shown = len(sizes[1])
        pairs = say("pairs", count=sum(map(len, sizes)))
        differ = say("pairs_differ", count=num_shown, pairs=pairs)
        yield f'<p class="big">{html_text(differ)}</p>'
    differences = map(comparisons.baseline_difference, range(len(part.runs)))
    verdicts = [each.verdict for each in differences if each is not None]
    better, worse = (
        f'<span class="{name}">{say(f"count_{name}", count=verdicts.count(verdict))}</span>'
        for name, verdict in (("better", 1), ("worse", -1))
    )
    baseline = f"<b>{breakable(part.runs[comparisons.baseline].short)}</b>"
    slots = {"baseline": baseline, "better": better, "worse": worse, "neither": verdicts.count(0)}
    yield f"<p>{say('against', **slots)}</p>"
    if comparisons.pairs is not None:
        sentence = _smallest_and_largest(part, *sizes)
        widths = sorted(comparisons.pairs.half_widths().tolist())
        if widths:
            width = rounded(widths[len(widths) // 2] * UNIT, part.decimals)
            sentence += f" {say('half_width', width=width)}"
        yield f"<p>{html_text(sentence)}</p>"
    yield "</div>"


def _smallest_and_largest(part: PagePart, not_shown: Floats, shown: Floats) -> str:
    smallest, largest = (
        rounded(float(size), part.decimals)
        for size in (shown.min(initial=np.inf), not_shown.max(initial=0.0))
    )
    which = "smallest_shown" if len(not_shown) else "smallest_all_shown"
    return say(which if len(shown) else "none_shown", smallest=smallest, largest=largest)


def _worst_topics_or_no_test_lines(part: PagePart) -> Iterator[str]:
    """Of one run its worst topics; else why nothing was tested."""
    if len(part.runs) > 1 or len(part.topics) == 1 or part.scores is None:
        yield f"<div><h2>{html_text(say('no_test'))}</h2><p>{html_text(part.no_test)}</p></div>"
        return
    higher = part.measures[0].higher
    scores = np.nan_to_num(part.scores[0, :, 0])
    worst = np.argsort(scores if higher else -scores, kind="stable")[:_WORST_TOPICS].tolist()
    texts = [
        say("topic_score", topic=part.topics[topic].id,
            score=rounded(float(scores[topic]) / 1e4, part.decimals))
        for topic in worst
    ]  # fmt: skip
    heading = say("lowest_topics" if higher else "highest_topics")
    yield f"<div><h2>{html_text(heading)}</h2><p>{html_text(', '.join(texts))}</p></div>"


def _doubt_lines(part: PagePart) -> Iterator[str]:
    texts = [each.text for each in part.doubts if each.measure_index in (None, 0)]
    yield f'<div class="care{"" if texts else " none"}"><h2>{html_text(say("care"))}</h2>'
    if texts:
        items = "".join(f"<li>{breakable_text(text)}</li>" for text in texts)
        yield f"<ul>{items}</ul>"
    else:
        yield f"<p>{html_text(say('no_doubts'))}</p>"
    yield "</div>"


# --- A part of the page as it is read without its script; the script says the same in its pla ---


_CODE = ("signature", "command", "commands")
"""Headings of texts that are code."""


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
    yield from _remark_lines(part)
    yield from topic_table_lines(part)
    yield f'<section class="made"><h2>{html_text(say("made"))}</h2><dl>'
    for heading, text in part.made:
        shown = f"<code>{html_text(text)}</code>" if heading in _CODE else html_text(text)
        yield f"<dt>{html_text(heading)}</dt><dd>{shown}</dd>"
    yield "</dl></section>\n</section>"


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


def _remark_lines(part: PagePart) -> Iterator[str]:
    if not part.remarks and not part.broken:
        return
    yield f'<section class="remarks"><h2>{html_text(say("remarks"))}</h2>'
    if part.remarks:
        yield from html_list(part.remarks)
    if part.broken:
        heading, *lines = part.broken
        yield f"<details><summary>{html_text(heading)}</summary>"
        yield from html_list(lines)
        yield "</details>"
    yield "</section>"


# --- Sentences of the page on tests and intervals ---


_TAILS: dict[str, str] = {
    "two-sided": "two-sided",
    "greater": "one-sided (whether a run is better)",
    "less": "one-sided (whether a run is worse)",
}


class InferenceSentences(NamedTuple):
    """The sentence on p and the one on intervals of differences; both empty without a test."""

    on_p: str = ""
    on_intervals: str = ""


def family_of_pairs(num_pairs: int, baselines: str = "") -> str:
    """The pairs that p is corrected for under each measure; `baselines`: those with these alone."""
    if baselines:
        return f"{count_text(num_pairs, 'pair')} with {baselines} under a measure"
    return "the only pair" if num_pairs == 1 else f"all {num_pairs} pairs under a measure"


def p_sentence(
    tests_done: Sequence[DoneTest], correction: str, tail: Tail, family: str, num_resamples: int
) -> str:
    """How p was found, and what it is corrected for.

    Args:
        tests_done: on each measure.
        correction: its name in `CORRECTIONS`.
        tail: the alternative.
        family: what p is corrected for, in words.
        num_resamples: how many the test drew; 0: none.
    """
    drawn = f", {num_resamples:,} resamples" if num_resamples else ""
    start = f"p: {tests_done_text(tests_done, 'phrase')}, {_TAILS[tail]}{drawn}"
    if TESTS[tests_done[0].test_name].simultaneous:
        return f"{start}, corrected in itself for {family}."
    if correction == "none" or family == "the only pair":
        return f"{start}, not corrected."
    return f"{start}, with {CORRECTIONS[correction].phrase} for {family}."


def other_family_sentence(test: str, correction: str, num_measures: int) -> str:
    """What another command corrects p for; empty where it is the same.

    Args:
        test: its name in `TESTS`.
        correction: its name in `CORRECTIONS`.
        num_measures: how many there are.
    """
    if num_measures < 2 or correction == "none" or TESTS[test].simultaneous:
        return ""
    return (
        "This page corrects p within each measure; irev compare corrects it over all "
        f"{num_measures} measures together, so its p may be larger."
    )


def interval_sentence(
    tests_done: Sequence[DoneTest],
    correction: str,
    ci: str,
    alpha: float,
    family: str,
    num_pairs: int,
    has_exact: bool,
) -> str:
    """What the intervals of differences are, and for how many at once they hold.

    Args:
        tests_done: on each measure.
        correction: its name in `CORRECTIONS`.
        ci: the name of the interval in `INTERVALS`.
        alpha: one less the level.
        family: the pairs, in words.
        num_pairs: how many.
        has_exact: whether some are exact, since nothing varied.
    """
    test = TESTS[tests_done[0].test_name]
    exact = EXACT_WHERE_SAME * has_exact
    start = f"Intervals of differences: {100 * (1 - alpha):.6g}%"
    if test.simultaneous:
        return f"{start}, simultaneous for {family}, by the {test.phrase}{exact}."
    title = f"{difference_interval_title(tests_done, INTERVALS[ci])}{exact}"
    if num_pairs == 1 or not CORRECTIONS[correction].familywise:
        return f"{start} {title}, not simultaneous."
    name = CORRECTIONS[correction].phrase
    steps = CORRECTIONS[correction].steps_down
    why = f" {name} may show a difference whose interval contains 0." if steps else ""
    return f"{start} {title}, simultaneous for {family} (Bonferroni).{why}"


# --- Warnings and lines of a result as sentences of the page ---


_LISTED = 3
"""So many runs, or warnings of a kind, are told one by one."""


def notice_texts(notices: Sequence[Notice]) -> Iterator[str]:
    """Warnings, those that say the same of several runs as one, of each kind a few."""
    texts_by_kind: dict[str, list[str]] = {}
    runs_by_message: dict[tuple[str, str], list[str]] = {}
    for notice in notices:
        if notice.run:
            runs_by_message.setdefault((notice.kind, notice.message), []).append(notice.run)
        else:
            texts_by_kind.setdefault(notice.kind, []).append(str(notice))
    for (kind, message), runs in runs_by_message.items():
        texts = texts_by_kind.setdefault(kind, [])
        texts.append(f"{shortened_list(runs, _LISTED)}: {message}")
    for kind, texts in texts_by_kind.items():
        yield from texts[:_LISTED]
        if len(texts) > _LISTED:
            yield f"and {len(texts) - _LISTED} more like it: {KINDS[kind].meaning}"


def fewer_sentences(sentences: Iterable[str], most: int = 8) -> Iterator[str]:
    """The first of many sentences, and how many more there are."""
    listed = [*sentences]
    yield from listed[:most]
    if len(listed) > most:
        yield f"And {len(listed) - most} more such warnings."


def as_sentence(text: str, proper_names: Collection[str] = ()) -> str:
    """A line of a result with a capital and a full stop; a proper name at its start stays."""
    if not any(text.startswith(name) for name in proper_names):
        text = f"{text[:1].upper()}{text[1:]}"
    return f"{text}{'' if text.endswith(('.', '!', '?')) else '.'}"


def without_heading(sentence: str) -> str:
    """A sentence such as "p: paired t test." below a heading of its own."""
    return as_sentence(sentence.partition(": ")[2])
