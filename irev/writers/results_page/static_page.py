"""A part of the page as it is read without its script; the script says the same in its place.

`part_lines` is the whole: which run is best, what the tests show and what is doubtful, in three
short texts; the table of the runs; remarks, topics, and how the numbers were made.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np

from irev.core.arrays import Floats
from irev.writers.document import p_text
from irev.writers.forms import html_list, html_text
from irev.writers.results_page.page_data import (
    UNIT,
    BaselineFamily,
    PagePart,
    PageRun,
    PairOutcomes,
    percent,
)


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
    if part.remarks or part.broken:
        yield f'<section class="remarks"><h2>{html_text(say("remarks"))}</h2>'
        if part.remarks:
            yield from html_list(part.remarks)
        if part.broken:
            heading, *lines = part.broken
            yield f"<details><summary>{html_text(heading)}</summary>"
            yield from html_list(lines)
            yield "</details>"
        yield "</section>"
    yield from topic_table_lines(part)
    yield f'<section class="made"><h2>{html_text(say("made"))}</h2><dl>'
    for heading, text in part.made:
        is_code = heading in ("signature", "command", "commands")
        shown = f"<code>{html_text(text)}</code>" if is_code else html_text(text)
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


# --- Which run is best, what the tests show, and what is doubtful ---


_LONG_NAME = 30
_WORST_TOPICS = 5


def answer_lines(part: PagePart, comparisons: Comparisons) -> Iterator[str]:
    """The three texts under the first measure."""
    yield '<div class="answer">'
    yield from _best_run_lines(part, comparisons)
    if comparisons.is_tested:
        yield from _test_lines(part, comparisons)
    else:
        yield from _worst_topics_or_no_test_lines(part)
    texts = [each.text for each in part.doubts if each.measure_index in (None, 0)]
    yield f'<div class="care{"" if texts else " none"}"><h2>{html_text(say("care"))}</h2>'
    if texts:
        items = "".join(f"<li>{breakable_text(text)}</li>" for text in texts)
        yield f"<ul>{items}</ul>"
    else:
        yield f"<p>{html_text(say('no_doubts'))}</p>"
    yield "</div>"
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
    not_shown, shown = comparisons.sizes()
    if comparisons.pairs is not None:
        pairs = say("pairs", count=len(not_shown) + len(shown))
        differ = say("pairs_differ", count=len(shown), pairs=pairs)
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
        smallest, largest = (
            rounded(float(size), part.decimals)
            for size in (shown.min(initial=np.inf), not_shown.max(initial=0.0))
        )
        which = "smallest_shown" if len(not_shown) else "smallest_all_shown"
        sentence = say(which if len(shown) else "none_shown", smallest=smallest, largest=largest)
        widths = sorted(comparisons.pairs.half_widths().tolist())
        if widths:
            width = rounded(widths[len(widths) // 2] * UNIT, part.decimals)
            sentence += f" {say('half_width', width=width)}"
        yield f"<p>{html_text(sentence)}</p>"
    yield "</div>"


def _worst_topics_or_no_test_lines(part: PagePart) -> Iterator[str]:
    """Of one run its worst topics; else why nothing was tested."""
    if len(part.runs) > 1 or len(part.topics) == 1 or part.scores is None:
        yield f"<div><h2>{html_text(say('no_test'))}</h2><p>{html_text(part.no_test)}</p></div>"
        return
    higher = part.measures[0].higher
    scores = np.nan_to_num(part.scores[0, :, 0])
    worst = np.argsort(scores if higher else -scores, kind="stable")[:_WORST_TOPICS].tolist()
    texts = [
        say(
            "topic_score",
            topic=part.topics[topic].id,
            score=rounded(float(scores[topic]) / 1e4, part.decimals),
        )
        for topic in worst
    ]
    heading = say("lowest_topics" if higher else "highest_topics")
    yield f"<div><h2>{html_text(heading)}</h2><p>{html_text(', '.join(texts))}</p></div>"


# --- The tables ---


_MARKS = {1: ("\u25b2", "better"), -1: ("\u25bc", "worse"), 0: ("\u00b7", "neither")}
"""For each verdict its sign, and what it is called."""


def run_table_lines(part: PagePart, comparisons: Comparisons) -> Iterator[str]:
    """All runs by the first measure, with all measures, differences and what the tests say."""
    baseline, has_several = comparisons.baseline, len(part.runs) > 1
    level = f"{100 * part.confidence:.6g}%"
    ends = part.means[0][np.isfinite(part.means[0])]
    low, high = float(ends.min(initial=math.inf)), float(ends.max(initial=-math.inf))
    differences = [comparisons.baseline_difference(run) for run in range(len(part.runs))]

    def position(value: float) -> str:
        """A value as per cent of the width of a plot, with a margin, so that no mark is cut."""
        return f"{4 + (100 - 2 * 4) * ((value - low) / ((high - low) or 1)):.2f}%"

    # the head of a column, its class, and the cell of a run
    columns: list[tuple[str, str, Callable[[int], str]]] = []
    if has_several:
        columns.append((say("place"), "", lambda run: f"<td>{comparisons.place(run)}</td>"))
    if part.kind == "board" and comparisons.pairs is not None:

        def places_cell(run: int) -> str:
            first, last = comparisons.open_places(run)
            places = f"{first}\u2013{last}"
            return f"<td>{f'<b>{places}</b>' if first == 1 else places}</td>"

        columns.append((say("places", confidence=level), "", places_cell))
    columns.append((
        say("run"), "text",
        lambda run: _name_cell(part.runs[run], run == baseline and has_several),
    ))  # fmt: skip
    has_interval = bool(np.isfinite(part.means[0, :, 1]).any())
    columns.append((
        say("mean_interval_plot" if has_interval else "mean_plot", confidence=level), "plot",
        lambda run: _plot_cell(
            part.means[0, run].tolist(), position, differences[run], run == baseline
        ),
    ))  # fmt: skip

    def add_measure(name: str, means: Floats) -> None:
        columns.append((
            name, "", lambda run: f"<td>{rounded(float(means[run, 0]), part.decimals)}</td>",
        ))  # fmt: skip

    for measure, means in zip(part.measures, part.means, strict=True):
        add_measure(measure.name, means)
    if has_several:
        columns.append((
            say("difference"), "",
            lambda run: f"<td>{_difference_text(part, comparisons, run, differences[run])}</td>",
        ))  # fmt: skip
    if has_several and comparisons.is_tested:

        def p_cell(run: int) -> str:
            difference = differences[run]
            return f"<td>{'' if difference is None else html_text(p_text(difference.p))}</td>"

        columns.append((say("p"), "", p_cell))
    if has_several and part.scores is not None:

        def counts_cell(run: int) -> str:
            counts = "/".join(map(str, comparisons.wins_ties_losses(run)))
            return f"<td>{'' if run == baseline else counts}</td>"

        columns.append((say("w/t/l"), "", counts_cell))
    if part.judged_rank is not None:
        columns.append((
            say("judged", rank=part.judged_rank), "",
            lambda run: f"<td>{percent(part.runs[run].judged)}</td>",
        ))  # fmt: skip
    yield '<div class="board"><table class="runs plain">'
    caption = say("table_caption", column=part.measures[0].name)
    yield f'<caption class="sr">{html_text(caption)}</caption>'
    yield "<thead><tr>"
    yield "".join(_head(text, css_class) for text, css_class, _ in columns)
    yield "</tr></thead>\n<tbody>"
    for run in comparisons.order:
        yield f"<tr>{''.join(cell(run) for _, _, cell in columns)}</tr>"
    yield "</tbody></table></div>"


def _head(text: str, css_class: str) -> str:
    class_attribute = f' class="{css_class}"' if css_class else ""
    return f'<th scope="col"{class_attribute}>{html_text(text)}</th>'


def _name_cell(run: PageRun, is_baseline: bool) -> str:
    name = f'<span class="name" title="{html_text(run.name)}">{breakable(run.short)}</span>'
    team = f' <span class="team">{html_text(run.team)}</span>' if run.team else ""
    tag = f' <span class="tag">{html_text(say("baseline"))}</span>' if is_baseline else ""
    return f'<th scope="row" class="text">{name}{team}{tag}</th>'


def _plot_cell(
    mean_low_high: Sequence[float],
    position: Callable[[float], str],
    difference: RunDifference | None,
    is_baseline: bool,
) -> str:
    mean, low, high = mean_low_high
    css_class = "self" if is_baseline else _MARKS[difference.verdict if difference else 0][1]
    bar = ""
    if low == low:
        bar = f'<line class="bar" x1="{position(low)}" x2="{position(high)}" y1="50%" y2="50%"/>'
    dot = f'<circle class="dot" r="4" cx="{position(mean)}" cy="50%"/>'
    svg = f'<svg aria-hidden="true"><g class="{css_class}">{bar}{dot}</g></svg>'
    return f'<td class="plot">{svg}</td>'


def _difference_text(
    part: PagePart, comparisons: Comparisons, run: int, difference: RunDifference | None
) -> str:
    """How far a run is from the baseline, with the mark of what the test says."""
    if run == comparisons.baseline:
        return ""
    if difference is None:
        return signed(float(comparisons.differences[run, comparisons.baseline]), part.decimals)
    mark, name = _MARKS[difference.verdict]
    verdict = html_text(say(f"verdict_{name}"))
    return (
        f'{signed(difference.difference, part.decimals)} <span class="{name}" '
        f'aria-hidden="true">{mark}</span><span class="sr">, {verdict}</span>'
    )


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


# --- What a part knows of two runs: the same choices as its script makes ---


class RunDifference(NamedTuple):
    """A run minus another.

    difference  of their means
    p           corrected
    verdict     1: shown to be better; -1: to be worse; 0: neither
    """

    difference: float
    p: float
    verdict: int


class Comparisons:
    """What the tests of a part say under its first measure, by which its runs are ordered.

    means       float64[S]
    order       the runs, the best first
    baseline    the run that all others are compared with
    differences float64[S, S]: the mean of the row less that of the column
    verdicts    int64[S, S]: 1: the row is shown to be better, -1: to be worse, corrected for all
                pairs; all 0 where these were not tested
    """

    def __init__(self, part: PagePart) -> None:
        """Look at a part."""
        self.part = part
        self.means = part.means[0, :, 0]
        self.order = part.run_order()
        self.baseline = part.first_baseline
        self._sign = 1 if part.measures[0].higher else -1
        self._family: BaselineFamily | None = next(
            (each for each in part.families if each.run_index == self.baseline), None
        )
        pair_counts = part.pair_counts[0] if part.pair_counts else ()
        self._pair_counts = {each.pair_index: each for each in pair_counts}
        num_runs = len(self.means)
        self.differences = self.means[:, None] - self.means[None, :]
        p = np.full((num_runs, num_runs), np.nan)
        if self.pairs is not None:
            p[np.triu_indices(num_runs, 1)] = self.pairs.p
        self._p = np.fmin(p, p.T)
        is_shown = self._p <= part.alpha
        self.verdicts = np.where(is_shown, self._sign * np.sign(self.differences), 0).astype(int)

    @property
    def pairs(self) -> PairOutcomes | None:
        """All pairs, where they were tested."""
        return self.part.outcomes[0] if self.part.outcomes and len(self.means) > 1 else None

    @property
    def baseline_outcomes(self) -> PairOutcomes | None:
        """The pairs with the baseline, where it was named before and they were tested."""
        return self._family.outcomes[0] if self._family and len(self.means) > 1 else None

    @property
    def is_tested(self) -> bool:
        """Whether the runs were tested against the baseline."""
        return self.pairs is not None or self.baseline_outcomes is not None

    @property
    def sentences(self) -> tuple[str, str]:
        """How p was found, and what the intervals of differences hold for."""
        if self._family is not None:
            return self._family.test, self._family.between
        return self.part.test, self.part.between

    def baseline_difference(self, run: int) -> RunDifference | None:
        """A run against the baseline: in the family of that one, where it was named."""
        p = float(self._p[run, self.baseline])
        if self.baseline_outcomes is not None:
            p = float(self.baseline_outcomes.p[run])
        if run == self.baseline or math.isnan(p):
            return None
        difference = float(self.differences[run, self.baseline])
        verdict = self._sign * int(np.sign(difference)) if p <= self.part.alpha else 0
        return RunDifference(difference, p, verdict)

    def sizes(self) -> tuple[Floats, Floats]:
        """The sizes of the differences of all pairs: those that were not shown, those that were."""
        above = np.triu_indices(len(self.means), 1)
        sizes, is_shown = np.abs(self.differences[above]), self.verdicts[above] != 0
        return sizes[~is_shown], sizes[is_shown]

    def place(self, run: int) -> int:
        """One plus the number of better runs."""
        return 1 + int((self._sign * self.differences[:, run] > 0).sum())

    def open_places(self, run: int) -> tuple[int, int]:
        """The places that the tests leave open, for all runs at once."""
        verdicts = self.verdicts[run]
        return 1 + int((verdicts < 0).sum()), len(verdicts) - int((verdicts > 0).sum())

    def wins_ties_losses(self, run: int) -> tuple[int, int, int]:
        """On how many topics a run is better than the baseline, as good, and worse."""
        assert self.part.scores is not None  # noqa: S101 - whoever calls has looked
        first, second = sorted((run, self.baseline))
        num_runs, num_topics = len(self.means), len(self.part.topics)
        pair_index = first * num_runs - first * (first + 1) // 2 + second - first - 1
        if first < second and pair_index in self._pair_counts:
            pair_count = self._pair_counts[pair_index]
            wins, losses = (pair_count.wins, pair_count.losses)[:: 1 if run == first else -1]
            return wins, num_topics - wins - losses, losses
        scores: Floats = np.nan_to_num(self.part.scores[0])
        gains = self._sign * (scores[:, run] - scores[:, self.baseline])
        wins, losses = (int((sign * gains > self.part.tie).sum()) for sign in (1, -1))
        return wins, num_topics - wins - losses, losses


# --- Sentences, numbers and names, as the script has them, too ---


@cache
def resource_text(name: str) -> str:
    """A file of this folder as text."""
    return resources.files("irev.writers.results_page").joinpath(name).read_text("utf-8")


@cache
def words() -> dict[str, str]:
    """The sentences by name, with slots in braces."""
    sentences: dict[str, str] = json.loads(resource_text("words.json"))
    return sentences


def say(name: str, **slots: object) -> str:
    """A sentence, its slots filled.

    Of one thing (`count` is 1) the form whose name ends in `_one` is taken, where there is one.
    """
    if slots.get("count") == 1:
        name = f"{name}_one" if f"{name}_one" in words() else name
    # in one pass: what fills a slot may hold braces
    return re.sub(r"\{(\w+)\}", lambda match: str(slots[match[1]]), words()[name])


MINUS, NOTHING = "\u2212", "\u2013"

_LISTED = 150
"""Characters of names in a sentence."""

_LONG_WORD = 25
"""Characters of a word that may be broken."""


def rounded(value: float, decimals: int) -> str:
    """A number with its decimals and a true minus."""
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return f"{MINUS}\u221e" if value < 0 else "\u221e"
    return f"{value:.{decimals}f}".replace("-", MINUS)


def signed(value: float, decimals: int) -> str:
    """The same of a difference, with its sign."""
    return f"{'+' if value > 0 else ''}{rounded(value, decimals)}"


def breakable(name: str) -> str:
    """A name as HTML, which may be broken behind a separator."""
    pieces = re.split(r"(?<=[-_./])", name)
    return "<wbr>".join(html_text(piece) for piece in pieces if piece)


def breakable_text(text: str) -> str:
    """A text as HTML, whose long words, names most often, may be broken behind a separator."""
    html = ""
    for word in re.split(r"(\s+)", text):
        if len(word) >= _LONG_WORD:
            html += breakable(word)
        else:
            shown = html_text(word)
            html += f'<span class="whole">{shown}</span>' if "-" in word else shown
    return html


def listed_names(names: Sequence[str]) -> str:
    """As many names as have room, and how many more there are."""
    room, num_shown = _LISTED, 0
    for name in names:
        room -= len(name) + 2
        if room < 0:
            break
        num_shown += 1
    num_shown = max(1, num_shown)
    text = ", ".join(names[:num_shown])
    return (
        say("and_more", names=text, count=len(names) - num_shown)
        if num_shown < len(names)
        else text
    )
