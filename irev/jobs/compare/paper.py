"""A comparison as the table of a paper: runs and measures, and a caption that says how."""

from __future__ import annotations

import re
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from irev.core.version import __version__
from irev.core.wording import count_text
from irev.errors import UsageError
from irev.jobs.compare.document import TAILS, data_of, family, how_found
from irev.statistics.letters import letter_labels
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS
from irev.writers.document import Document, Head, Marked, Table, p_text, records_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.jobs.compare.comparison import Comparison
    from irev.jobs.compare.contrasts import Contrast
    from irev.jobs.compare.rows import Row
    from irev.writers.document import Cell, Part, Records


def paper(found: Comparison) -> Document:
    """A table for each class of topics: the means with intervals, and which runs are beaten."""
    if found.plan.tail == "less":
        raise UsageError("the layout paper marks runs that are better: leave out the tail less")
    return Document(
        f"Comparison of {len(found.table.runs)} runs",
        _parts(found),
        _records(found),
        partial(_data, found),
    )


def _parts(found: Comparison) -> Iterator[Part]:
    for _, of_class in groupby(found.contrasts, key=lambda contrast: contrast.label):
        yield _table(found, list(of_class))


def _lettered(found: Comparison) -> dict[int, str]:
    """The letters of the runs that others can beat: of the baselines, else of all runs."""
    runs = found.table
    order = [runs.run_index(name) for name in found.plan.baselines]
    order = order or found.contrasts[0].order.tolist()
    named = letter_labels([(place,) for place in range(len(order))], len(order))
    return dict(zip(order, named, strict=True))


def _order(found: Comparison) -> list[int]:
    """The baselines as they were named, then the other runs, the best by the first measure."""
    runs = found.table
    first = [runs.run_index(name) for name in found.plan.baselines]
    return [*first, *(run for run in found.contrasts[0].order.tolist() if run not in first)]


def _beaten(contrast: Contrast, test: str, alpha: float) -> dict[int, list[int]]:
    """For each run those that it is better than, with p <= alpha as corrected."""
    found: dict[int, list[int]] = {run: [] for run in contrast.order.tolist()}
    pairs, gains = (
        contrast.run_pairs,
        contrast.paired.mean * (-1 if contrast.lower_is_better else 1),
    )
    corrected = contrast.results[test].corrected
    for first, second, gain, p in zip(
        pairs.first.tolist(), pairs.second.tolist(), gains.tolist(), corrected.tolist(), strict=True
    ):
        if p <= alpha and gain:
            better, worse = (first, second) if gain > 0 else (second, first)
            found[better].append(worse)
    return found


def _table(found: Comparison, contrasts: Sequence[Contrast]) -> Table:
    named = _lettered(found)
    between = "," if max(map(len, named.values())) > 1 else ""
    beaten = [_beaten(each, found.plan.tests[0], found.plan.alpha) for each in contrasts]
    rows: list[list[Cell]] = []
    for run in _order(found):
        means: list[Cell] = []
        ends: list[Cell] = []
        for contrast, of_measure in zip(contrasts, beaten, strict=True):
            marks = between.join(mark for other, mark in named.items() if other in of_measure[run])
            means.append(Marked(float(contrast.means.mean[run]), marks))
            ends.append((float(contrast.means.low[run]), float(contrast.means.high[run])))
        rows += [[named.get(run, ""), found.table.run_names[run], *means], ["", "", *ends]]
    heads = [Head("", "text"), Head("run", "text")]
    heads += [
        Head(each.measure, "text", higher_is_better=not each.lower_is_better) for each in contrasts
    ]
    label = contrasts[0].label
    key = re.sub("[^A-Za-z0-9]+", "-", label).strip("-")
    return Table(
        heads, rows, caption=" ".join(_caption(found, contrasts)),
        label=f"tab:runs-{key}" if key else "tab:runs",
        source=f"signature {found.signature.digest}: {found.signature.short}",
    )  # fmt: skip


def _caption(found: Comparison, contrasts: Sequence[Contrast]) -> Iterator[str]:
    """What the table shows and how it was tested, a sentence each."""
    plan, test = found.plan, TESTS[found.plan.tests[0]]
    label = contrasts[0].label
    of_class = f" of class {label}" if label else ""
    weighted = "Weighted means" if found.table.weights is not None else "Means"
    level = f"{100 * (1 - plan.alpha):.6g}%"
    drawn = found.resamples.get("ci")
    of_ci = f" ({drawn} resamples, seed {plan.seed})" if drawn else ""
    yield (
        f"{weighted} over {count_text(len(contrasts[0].topics), 'topic')}{of_class} (topics that a "
        f"run lacks count as 0), each with its {level} {INTERVALS[plan.ci].title} "
        f"interval{of_ci} below it; best in bold."
    )
    corrected = (
        "for all pairs of a measure at once"
        if test.simultaneous
        else f"{CORRECTIONS[plan.correction].title} ({family(found)})"
    )
    yield (
        f"Letters: significantly better than the run with that letter, p <= {plan.alpha:g} by the "
        f"{test.phrase}"
        f"{how_found(found, plan.tests[0])}, {TAILS[plan.tail].partition(':')[0]}, {corrected}."
    )
    yield from _about_p(contrasts, plan.tests[0], plan.alpha)
    yield f"irev {__version__}, signature {found.signature.digest}."


def _about_p(contrasts: Sequence[Contrast], test: str, alpha: float) -> Iterator[str]:
    """How far from alpha the p on both sides of it are."""
    every = [p for contrast in contrasts for p in contrast.results[test].corrected.tolist()]
    below, above = [p for p in every if p <= alpha], [p for p in every if p > alpha]
    said = [f"the largest significant p is {p_text(max(below))}"] if below else []
    said += [f"the smallest other p is {p_text(min(above))}"] if above else []
    if said:
        text = "; ".join(said)
        yield f"{text[0].upper()}{text[1:]}."


# For machines


def _rows(found: Comparison) -> Iterator[Row]:
    """A row for each class, measure and run, in the order of the table."""
    named, runs = _lettered(found), found.table.run_names
    for contrast in found.contrasts:
        beaten = _beaten(contrast, found.plan.tests[0], found.plan.alpha)
        means = contrast.means.mean.tolist()
        top = (min if contrast.lower_is_better else max)(means)
        for run in _order(found):
            yield {
                "class": contrast.label,
                "measure": contrast.measure,
                "run": runs[run],
                "letter": named.get(run, ""),
                "mean": means[run],
                "low": float(contrast.means.low[run]),
                "high": float(contrast.means.high[run]),
                "best": means[run] == top,
                "better_than": " ".join(n for other, n in named.items() if other in beaten[run]),
            }


def _records(found: Comparison) -> Iterator[Records]:
    yield records_of("paper", _rows(found), signature=found.signature.short)


def _data(found: Comparison) -> dict[str, Any]:
    """What a comparison has as JSON, and the table as `paper`."""
    return {**data_of(found), "paper": list(_rows(found))}
