"""Which run is best, what the tests show, and what is doubtful: three short texts as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.writers.pages import html_text
from irev.writers.results_page.numbers_shown import (
    breakable,
    breakable_text,
    listed_names,
    rounded,
)
from irev.writers.results_page.page_data import UNIT
from irev.writers.results_page.words import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.core.arrays import Floats
    from irev.writers.results_page.comparisons import Comparisons
    from irev.writers.results_page.page_data import PagePart

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
