"""A comparison as a document: what its numbers depend on, then tables for each measure."""

from __future__ import annotations

from functools import partial
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from irev.core.version import __version__
from irev.core.wording import count_text
from irev.jobs.compare.decisions import about_decisions, decision_table
from irev.jobs.compare.rows import anova_rows, flat, mean_rows, pair_rows, topic_rows
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS
from irev.writers.document import Document, Head, Heading, Lines, Table, records_of
from irev.writers.machine import finite_or_none, run_facts, signature_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.jobs.compare.comparison import Comparison
    from irev.jobs.compare.contrasts import Contrast
    from irev.jobs.compare.decisions import Decided
    from irev.jobs.compare.plan import ComparisonPlan
    from irev.jobs.compare.rows import Row
    from irev.writers.document import Cell, Part, Records

FOOTNOTE = (
    "Runs that share a group were not shown to differ, which does not show that they are equal."
)

TAILS = {
    "two-sided": "two-sided",
    "greater": "one-sided: is a run better than its baseline?",
    "less": "one-sided: is a run worse than its baseline?",
}


def document(found: Comparison, *, per_topic: bool = False, anova: bool = False) -> Document:
    """The means, the pairs and what else is wanted.

    `per_topic`: whether gains and losses by topic are shown. `anova`: whether the analyses of
    variance are shown.
    """
    return Document(
        f"Comparison of {len(found.table.runs)} runs",
        _parts(found, per_topic, anova),
        _records(found, per_topic, anova),
        partial(data_of, found, per_topic, anova),
    )


# For people


def _parts(found: Comparison, per_topic: bool, anova: bool) -> Iterator[Part]:
    """The heading, then for each class and measure its tables."""
    yield Lines(list(heading(found)))
    for contrast, beside in zip(found.contrasts, found.decided, strict=True):
        of_class = f", topics of class {contrast.label}" if contrast.label else ""
        yield Heading(f"{contrast.measure}{of_class} ({len(contrast.topics)} topics)")
        yield _mean_table(found, contrast, beside)
        yield pair_table(found, contrast)
        rows = pair_rows(found.table, contrast, found.plan.alpha, beside)
        decisions = decision_table(list(rows), beside, found.plan.alpha)
        if decisions is not None:
            yield decisions
        if anova:
            yield _anova_table(contrast)
        if per_topic:
            yield _topic_table(found, contrast)
    if any(contrast.groups for contrast in found.contrasts):
        yield Lines([FOOTNOTE])


def _table(names: Sequence[str], texts: Sequence[str], rows: Iterable[Row]) -> Table:
    """Some of the fields of rows as a table; `texts` are those that stand at the left."""
    columns = [
        Head(name, "text" if name in texts else "p" if name == "p" else "number") for name in names
    ]
    cells: list[Any] = [[row[name] for name in names] for row in rows]
    return Table(columns, cells)


def _mean_table(found: Comparison, contrast: Contrast, beside: Decided) -> Table:
    """Runs, the best first, with intervals and groups."""
    names = [
        "run",
        "mean",
        "low",
        "high",
        *(["groups"] if contrast.groups else []),
        *(name for name, values in beside.runs.items() if values[0] == values[0]),
        "missing_as_zero",
    ]
    made = _table(names, ("run", "groups"), mean_rows(found.table, contrast, beside))
    return made._replace(columns=[*made.columns[:-1], Head("missing")])


def _anova_table(contrast: Contrast) -> Table:
    """The analysis of variance."""
    names = ["source", "ss", "df", "ms", "f", "p", "partial_omega_2", "partial_eta_2"]
    return _table(names, ("source",), anova_rows(contrast))


def _topic_table(found: Comparison, contrast: Contrast) -> Table:
    """Gains and losses by topic."""
    names = ["run", "against", "topic", "score", "score_against", "difference"]
    return _table(names, names[:3], topic_rows(found.table, contrast))


def pair_table(found: Comparison, contrast: Contrast) -> Table:
    """Pairs, with a mark behind each p that is significant as corrected."""
    plan = found.plan
    effects = ["d_z", *(["es_hsd"] if contrast.effect_hsd is not None else [])]
    own = ["difference", "low", "high", *effects]
    columns = [Head("run", "text"), Head("against", "text"), *map(Head, own)]
    for test in plan.tests:
        columns += _test_columns(contrast, test, plan.correction)
    columns += [Head("n"), Head("w/t/l")]
    rows: list[list[Cell]] = []
    for row in pair_rows(found.table, contrast, plan.alpha):
        cells: list[Any] = [row[name] for name in ("run", "against", *own)]
        tests = row["tests"]
        assert isinstance(tests, dict)  # noqa: S101 - rows of pairs have it
        for test in plan.tests:
            cells += _test_cells(contrast, test, tests[test], plan.correction)
        cells += [len(contrast.topics), f"{row['wins']}/{row['ties']}/{row['losses']}"]
        rows.append(cells)
    return Table(columns, rows)


def _test_columns(contrast: Contrast, test: str, correction: str) -> list[Head]:
    how = [Head("how")] if _is_mixed(contrast, test) else []
    also = [] if _is_one_p(test, correction) else [Head(correction, "p")]
    return [Head(f"p {test}", "p"), *how, *also, Head("")]


def _test_cells(
    contrast: Contrast, test: str, facts: dict[str, Any], correction: str
) -> list[Cell]:
    corrected, mark = facts["corrected"], "*" if facts["significant"] else ""
    how = [facts["method"]] if _is_mixed(contrast, test) else []
    if _is_one_p(test, correction):
        return [corrected, *how, mark]
    return [facts["p"], *how, corrected, mark]


def _is_one_p(test: str, correction: str) -> bool:
    """Whether there is one p of a test, corrected in itself or not at all."""
    return TESTS[test].simultaneous or correction == "none"


def _is_mixed(contrast: Contrast, test: str) -> bool:
    """Whether some of its p are exact and others are not."""
    return len(set(contrast.results[test].method)) > 1


def heading(found: Comparison) -> Iterator[str]:
    """The lines above the tables."""
    plan, table = found.plan, found.table
    yield (
        f"{len(table.runs)} runs on {len(table.topics)} topics; "
        "judged topics that a run lacks count as 0"
    )
    yield from found.missing
    for test in plan.tests:
        yield f"test: {TESTS[test].title}{how_found(found, test)}"
    if not all(TESTS[test].simultaneous for test in plan.tests):
        yield (f"family: {family(found)}; {CORRECTIONS[plan.correction].title}{_max_t(found)}")
    for test in plan.tests:
        if TESTS[test].simultaneous:
            yield f"family of {test}: all {_every_pair(found)}, for each measure separately"
    yield f"alpha {plan.alpha:g}, {TAILS[plan.tail]}; * marks p <= alpha"
    count = found.resamples.get("ci")
    drawn = f"; {count} resamples, seed {plan.seed}" if count else ""
    yield from about_intervals(plan, found.hypotheses, INTERVALS[plan.ci].title, drawn)
    if plan.min_diff:
        yield f"differences up to {plan.min_diff:g} are ties"
    yield from about_decisions(table, plan, found.asked, found.hypotheses)
    if table.weights is not None:
        yield "topics have weights: means are weighted"
    yield f"signature: {found.signature.short}"


def about_intervals(
    plan: ComparisonPlan, hypotheses: int, how: str, drawn: str = ""
) -> Iterator[str]:
    """What the intervals of means and of differences hold for; how they are made, what is drawn."""
    level = f"{100 * (1 - plan.alpha):.6g}%"
    if plan.of_differences == "each" or hypotheses == 1:
        yield f"intervals: {level} {how}, each by itself{drawn}"
        return
    yield f"intervals of means: {level} {how}, each by itself{drawn}"
    if plan.of_differences == "test":
        test = TESTS[plan.tests[0]]
        yield (
            f"intervals of differences: {level}, simultaneous for all pairs of a measure, "
            f"{test.phrase}"
        )
        return
    correction = CORRECTIONS[plan.correction]
    each = f"{100 * (1 - plan.alpha / hypotheses):.6g}%"
    yield (
        f"intervals of differences: {level} {how}, simultaneous for all {hypotheses} (Bonferroni, "
        f"{each} each)"
        + (
            f"; {correction.phrase} may find a difference whose interval contains 0"
            * correction.steps_down
        )
    )


def _every_pair(found: Comparison) -> str:
    runs = len(found.table.runs)
    return count_text(runs * (runs - 1) // 2, "pair")


def family(found: Comparison) -> str:
    """How many hypotheses are corrected for together, and what they are."""
    table = found.table
    measures = len(table.columns)
    pairs = len(found.contrasts[0].run_pairs)
    parts = [count_text(pairs, "pair"), count_text(measures, "measure")]
    classes = len(found.contrasts) // measures - 1
    if classes:
        parts.append(f"(all topics and {count_text(classes, 'class', 'classes')})")
    return f"{count_text(found.hypotheses, 'hypothesis', 'hypotheses')}, {' x '.join(parts)}"


def _max_t(found: Comparison) -> str:
    """How the p that maxT corrects were found."""
    test = CORRECTIONS[found.plan.correction].only_test
    if not test:
        return ""
    if set(found.contrasts[0].results[test].facts["max_t"]) == {"exact"}:
        return ", exact"
    return f", {found.resamples[test]} resamples, seed {found.plan.seed}"


def how_found(found: Comparison, test: str) -> str:
    """How its p was found, and what was drawn."""
    methods = [how for contrast in found.contrasts for how in contrast.results[test].method]
    drawn = methods.count("Monte Carlo")
    settings = found.plan.settings()
    own = "".join(f" ({name}: {getattr(settings, name)})" for name in TESTS[test].own_settings)
    if not methods:
        return own
    if not drawn:
        return f"{own}, {methods[0]}"
    text = f"{found.resamples[test]} resamples, seed {found.plan.seed}"
    exact = methods.count("exact")
    return f", {text}" + (f"; exact for {exact} of {len(methods)}" if exact else "")


# For machines


def _records(found: Comparison, per_topic: bool, anova: bool) -> Iterator[Records]:
    """The pairs, what tests found in fields such as `p_permutation`; first what else was wanted.

    The rows of topics may be millions: only the first has the signature.
    """
    signed = {"signature": found.signature.short}
    if per_topic:
        signatures = chain([found.signature.short], repeat(None))
        rows = zip(found.topic_rows(), signatures, strict=False)
        yield records_of("topics", (row | {"signature": signature} for row, signature in rows))
    if anova:
        yield records_of("anova", found.anova_rows(), **signed)
    yield records_of("pairs", map(flat, found.pair_rows()), **signed)
    yield records_of("means", found.mean_rows(), **signed)


def data_of(found: Comparison, per_topic: bool = False, anova: bool = False) -> dict[str, Any]:
    """One object: the choices, `runs`, `means`, `pairs` with their `tests`, notes and signature.

    With `per_topic` also `topics`, gains and losses; with `anova` the analyses of variance. NaN and
    infinities are null. Bytes that are not UTF-8 are lone surrogates U+DC80..U+DCFF.
    """
    whole = {
        "irev": __version__,
        "comparison": found.signature.choices,
        "averaged_over": len(found.table.topics),
        "missing_count_as_zero": True,
        "measures": list(found.table.measure_names),
        "runs": [
            {**run_facts(entry), "duplicates": entry.duplicates} for entry in found.table.runs
        ],
        "notes": found.notes,
        "signature": signature_data(found.signature),
        "means": list(found.mean_rows()),
        "pairs": list(found.pair_rows()),
    }
    if anova:
        whole["anova"] = list(found.anova_rows())
    if per_topic:
        whole["topics"] = list(found.topic_rows())
    return finite_or_none(whole)  # type: ignore[no-any-return]
