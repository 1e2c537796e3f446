"""What stands above the tables of a comparison: everything that its numbers depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.core.wording import counted
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.comparison.comparison import Comparison

FOOTNOTE = (
    "Runs that share a group were not shown to differ, which does not show that they are equal."
)

_TAILS = {
    "two-sided": "two-sided",
    "greater": "one-sided: is a run better than its baseline?",
    "less": "one-sided: is a run worse than its baseline?",
}


def heading(found: Comparison) -> Iterator[str]:
    """The lines above the tables."""
    plan, matrices = found.plan, found.matrices
    yield (
        f"{len(matrices.entries)} runs on {len(matrices.topics)} topics; "
        "judged topics that a run lacks count as 0"
    )
    yield from found.missing
    for test in plan.tests:
        yield f"test: {TESTS[test].title}{_how(found, test)}"
    if not all(TESTS[test].simultaneous for test in plan.tests):
        yield (
            f"family: {counted(found.hypotheses, 'hypothesis', 'hypotheses')}, {_family(found)}; "
            f"{CORRECTIONS[plan.correction].title}{_max_t(found)}"
        )
    for test in plan.tests:
        if TESTS[test].simultaneous:
            yield f"family of {test}: all {_every_pair(found)}, for each measure by itself"
    yield f"alpha {plan.alpha:g}, {_TAILS[plan.tail]}; * marks p <= alpha"
    yield (
        f"intervals: {100 * (1 - plan.alpha):.6g}% {INTERVALS[plan.ci].title}, each for itself"
        + (
            f"; {found.resamples['ci']} resamples, seed {plan.seed}"
            if "ci" in found.resamples
            else ""
        )
    )
    if plan.min_diff:
        yield f"differences up to {plan.min_diff:g} are ties"
    if matrices.weights is not None:
        yield "topics have weights: means are weighted"
    yield f"signature: {found.signature.short}"


def _every_pair(found: Comparison) -> str:
    runs = len(found.matrices.entries)
    return counted(runs * (runs - 1) // 2, "pair")


def _family(found: Comparison) -> str:
    matrices = found.matrices
    measures = len(matrices.columns)
    pairs = len(found.blocks[0].family)
    parts = [counted(pairs, "pair"), counted(measures, "measure")]
    classes = len(found.blocks) // measures - 1
    if classes:
        parts.append(f"(all topics and {counted(classes, 'class', 'classes')})")
    return " x ".join(parts)


def _max_t(found: Comparison) -> str:
    """How the p that maxT corrects were found."""
    test = CORRECTIONS[found.plan.correction].test
    if not test:
        return ""
    if set(found.blocks[0].outcomes[test].facts["max_t"]) == {"exact"}:
        return ", exact"
    return f", {found.resamples[test]} resamples, seed {found.plan.seed}"


def _how(found: Comparison, test: str) -> str:
    """How its p was found, and what was drawn."""
    methods = [how for block in found.blocks for how in block.outcomes[test].method]
    drawn = methods.count("Monte Carlo")
    settings = found.plan.settings()
    own = "".join(f" ({name}: {getattr(settings, name)})" for name in TESTS[test].own)
    if not methods:
        return own
    if not drawn:
        return f"{own}, {methods[0]}"
    text = f"{found.resamples[test]} resamples, seed {found.plan.seed}"
    exact = methods.count("exact")
    return f", {text}" + (f"; exact for {exact} of {len(methods)}" if exact else "")
