"""The tables of a comparison as texts, before they are set in some form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irev.comparison.rows import anova_rows, mean_rows, pair_rows, topic_rows
from irev.statistics.methods import TESTS
from irev.writers.layout import p_text, signless_zero

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.comparison.blocks import Block
    from irev.comparison.comparison import Comparison


@dataclass(frozen=True)
class Table:
    """Rows of texts under their headers; `align` is "left" or "right" for each column."""

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: Sequence[str]


def number(value: Any, places: int) -> str:
    """A value as people read it: nothing where there is none."""
    if value is None:
        return ""
    return signless_zero(value, places) if isinstance(value, float) else str(value)


def mean_table(found: Comparison, block: Block, places: int) -> Table:
    """Runs, the best first, with intervals and groups."""
    names = ["run", "mean", "low", "high", *(["groups"] if block.groups else [])]
    names.append("missing_as_zero")
    rows = [
        [number(row[name], places) for name in names] for row in mean_rows(found.matrices, block)
    ]
    align = ["left" if name in ("run", "groups") else "right" for name in names]
    return Table([*names[:-1], "missing"], rows, align)


def pair_table(found: Comparison, block: Block, places: int) -> Table:
    """Pairs, with a mark behind each p that is significant as corrected."""
    plan = found.plan
    own = [
        "difference",
        "low",
        "high",
        "d_z",
        *(["es_hsd"] if block.effect_hsd is not None else []),
    ]
    headers = ["run", "against", *own]
    for test in plan.tests:
        headers += _test_headers(block, test, plan.correction)
    headers += ["n", "w/t/l"]
    rows = []
    for row in pair_rows(found.matrices, block, plan.alpha):
        cells = [str(row["run"]), str(row["against"]), *(number(row[name], places) for name in own)]
        tests = row["tests"]
        assert isinstance(tests, dict)  # noqa: S101 - rows of pairs have it
        for test in plan.tests:
            cells += _test_cells(block, test, tests[test], plan.correction, places)
        rows.append([*cells, str(row["n"]), f"{row['wins']}/{row['ties']}/{row['losses']}"])
    return Table(headers, rows, ["left", "left", *["right"] * (len(headers) - 2)])


def _test_headers(block: Block, test: str, correction: str) -> list[str]:
    how = ["how"] if _is_mixed(block, test) else []
    if TESTS[test].simultaneous or correction == "none":
        return [f"p {test}", *how, ""]
    return [f"p {test}", *how, correction, ""]


def _test_cells(
    block: Block, test: str, facts: dict[str, Any], correction: str, places: int
) -> list[str]:
    corrected, mark = p_text(facts["corrected"], places), "*" if facts["significant"] else ""
    how = [facts["method"]] if _is_mixed(block, test) else []
    if TESTS[test].simultaneous or correction == "none":
        return [corrected, *how, mark]
    return [p_text(facts["p"], places), *how, corrected, mark]


def _is_mixed(block: Block, test: str) -> bool:
    """Whether some of its p are exact and others are not."""
    return len(set(block.outcomes[test].method)) > 1


def anova_table(block: Block, places: int) -> Table:
    """The analysis of variance."""
    names = ["source", "ss", "df", "ms", "f", "p", "partial_omega_2", "partial_eta_2"]
    rows = [
        [p_text(row[name], places) if name == "p" else number(row[name], places) for name in names]  # type: ignore[arg-type]
        for row in anova_rows(block)
    ]
    return Table(names, rows, ["left", *["right"] * (len(names) - 1)])


def topic_table(found: Comparison, block: Block, places: int) -> Table:
    """Gains and losses by topic."""
    names = ["run", "against", "topic", "score", "score_against", "difference"]
    rows = [
        [number(row[name], places) for name in names] for row in topic_rows(found.matrices, block)
    ]
    return Table(names, rows, [*["left"] * 3, *["right"] * 3])
