"""The gate itself: limits, and the comparison with a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.errors import UsageError
from irev.gating.drops import compared, corrected
from irev.gating.inputs import sides_of
from irev.gating.rules import Rules
from irev.gating.verdicts import Report, Verdict
from irev.measures.names import columns_named, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.matrices import Matrices
    from irev.gating.inputs import Sides
    from irev.gating.limits import Limit
    from irev.options import Options

DEFAULT_MEASURE = "map"
"""What is compared with a baseline where nothing else was asked for."""


def judge(
    qrels: str | None,
    run: str,
    limits: Sequence[Limit],
    rules: Rules,
    options: Options,
    *,
    baseline: str | None = None,
    measures: Sequence[str] = (),
    format: str = "qrels",
    drop_undefined: bool = False,
) -> Report:
    """Judge a run by limits of its means and, beside a baseline, by its drops.

    Every judged topic counts; one that a run lacks counts as 0. Where there are classes of topics,
    each gate is also judged on the topics of each class.

    Args:
        qrels: judgments; None where the run, and the baseline, are saved scores.
        run: a run, or saved scores of one.
        limits: of the means of measures; one that equals its limit is within.
        rules: how the run is set against its baseline.
        options: the choices of the evaluation.
        baseline: a run, which is scored under the same judgments, or saved scores of one.
        measures: what is compared with the baseline; otherwise the measures that have a least
            value, but for shares of judged documents; otherwise map.
        format: what the qrels hold.
        drop_undefined: whether topics on which some score is no finite number are left out.

    Raises:
        UsageError: a measure or an option that makes no sense here.
        InputError: an input that cannot be read.
        MismatchError: scores that are not comparable.
    """
    names = list(measures) or _effectiveness(limits) or [DEFAULT_MEASURE]
    wanted = dict.fromkeys(limit.measure for limit in limits)
    if baseline is not None or measures or not limits:
        wanted |= dict.fromkeys(names)
    sides = sides_of(
        qrels, run, baseline, list(wanted), names, options, format=format,
        drop_undefined=drop_undefined,
    )  # fmt: skip
    verdicts = [
        _limited(part, of, limit, sides.number, options)
        for limit in limits
        for of, part in _parts(sides.limited)
    ]
    verdicts += corrected(list(_drops(sides, names, rules, options)), rules)
    limited, both = sides.limited, sides.compared
    return Report(
        rules=rules,
        verdicts=tuple(verdicts),
        matrices=limited,
        number=sides.number,
        run=limited.entries[sides.number],
        baseline=None if both is None else both.entries[sides.sides[1]],
        means={name: _mean(limited, name, sides.number) for name in limited.measures},
        notes=sides.notes,
    )


def _effectiveness(limits: Sequence[Limit]) -> list[str]:
    """The measures with a least value, but for guards of the judgments."""
    return [limit.measure for limit in limits if limit.side == "min" and not _is_guard(limit)]


def _is_guard(limit: Limit) -> bool:
    try:
        requests = resolve([limit.measure])
    except UsageError:
        # a column of saved scores may have any name
        return False
    return all(request.measure.name == "Judged" for request in requests)


def _parts(matrices: Matrices) -> Iterator[tuple[str, Matrices]]:
    """All topics, then each class of them."""
    yield "", matrices
    for name in matrices.classes or ():
        yield name, matrices.of_class(name)


def _limited(part: Matrices, of: str, limit: Limit, run: int, options: Options) -> Verdict:
    columns = _printed(limit.measure, part, options)
    if len(columns) > 1:
        raise UsageError(
            f"--{limit.side} {limit.measure}: these are {len(columns)} measures; one is wanted"
        )
    value = _mean(part, columns[0], run)
    return Verdict(
        kind=limit.side,
        measure=columns[0],
        of=of,
        outcome="passed" if limit.holds(value) else "failed",
        topics=len(part.topics),
        value=value,
        bound=limit.bound,
        difference=value - limit.bound,
    )


def _drops(sides: Sides, names: Sequence[str], rules: Rules, options: Options) -> Iterator[Verdict]:
    if sides.compared is None:
        return
    printed = dict.fromkeys(
        column for name in names for column in _printed(name, sides.compared, options)
    )
    for measure in printed:
        for of, part in _parts(sides.compared):
            yield compared(part, measure, sides.sides, rules, of=of)


def _printed(name: str, matrices: Matrices, options: Options) -> list[str]:
    """The printed names that a measure's name stands for.

    Raises:
        UsageError: it has no values by topic.
    """
    found = columns_named(name, matrices.columns, options)
    if not found:
        raise UsageError(f"{name} has no values by topic: it cannot be gated")
    return [column.name for column in found]


def _mean(matrices: Matrices, name: str, run: int) -> float:
    """The summary of a measure, as an evaluation prints it: a sum for counts of documents."""
    if matrices.column(name).average == "sum":
        return float(np.cumsum(matrices.of(name)[:, run])[-1])
    return float(matrices.means(name)[run])
