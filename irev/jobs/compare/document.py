"""A comparison as a document: the verdict first, then what it rests on.

People are shown the short form: verdicts, means, what differs from the best run or a baseline, and
by `--details` the whole: what the numbers depend on, and all tables for each measure. For machines
there are the rows in full.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, groupby, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core import __version__
from irev.core.text import LONGEST_PLAIN_NAME, WIDTH, count_text, shortened_list
from irev.jobs.compare.comparison import (
    CompareOptions,
    Comparison,
    Contrast,
    DecisionColumns,
    decision_correction,
    flat_pair_row,
    tests_done,
)
from irev.measures.naming.resolve import lower_is_better
from irev.scores.table import ScoreTable
from irev.statistics.decisions import DRAWS
from irev.statistics.differences import every_pair
from irev.statistics.intervals import EXACT_WHERE_SAME, exact_intervals_text
from irev.statistics.methods import (
    CORRECTIONS,
    INTERVALS,
    TESTS,
    difference_interval_title,
    tests_done_text,
)
from irev.statistics.verdicts import POWER, PairVerdict
from irev.writers.document import (
    HEADS,
    MARK,
    Cell,
    Document,
    Head,
    Heading,
    Keyed,
    Lines,
    Part,
    Records,
    Row,
    ShownField,
    Table,
    finite_or_none,
    p_text,
    records_of,
    run_facts,
    signature_data,
    table_of_rows,
)
from irev.writers.scores import (
    difference_estimates,
    difference_parts,
    estimate_parts,
    estimate_rows,
    paper_run_names,
)

if TYPE_CHECKING:
    from irev.jobs.compare.predicted import PredictedComparison


FOOTNOTE = "Runs in the same group do not differ significantly; that does not make them equal."

INTERVAL_IS_WIDER = (
    "the interval is wider than the test needs, so * may stand beside an interval that contains 0"
)
"""Said of a correction that steps down, where intervals go with Bonferroni's."""

TAILS = {
    "two-sided": "two-sided",
    "greater": "one-sided: is a run better than its baseline?",
    "less": "one-sided: is a run worse than its baseline?",
}


def comparison_document(
    comparison: Comparison,
    decimals: int = 4,
    *,
    per_topic: bool = False,
    anova: bool = False,
    lists_missing_topics: bool = True,
) -> Document:
    """The verdicts, the means, the pairs and what else is wanted.

    Args:
        comparison: the comparison.
        decimals: of the numbers in the verdicts.
        per_topic: whether gains and losses by topic are shown.
        anova: whether the analyses of variance are shown.
        lists_missing_topics: whether a line for each run that lacks topics names them; in short for
            a single one.
    """
    return Document(
        f"Comparison of {count_text(len(comparison.table.runs), 'run')}",
        _comparison_parts(comparison, decimals, per_topic, anova, lists_missing_topics),
        _comparison_records(comparison, per_topic, anova),
        partial(comparison_data, comparison, per_topic, anova),
        brief=_brief_parts(comparison, decimals, per_topic, anova, lists_missing_topics),
    )


# --- In short: the verdict, the means, what differs from the best run or from a baseline ---


def _brief_parts(
    comparison: Comparison,
    decimals: int,
    per_topic: bool,
    anova: bool,
    lists_missing_topics: bool,
) -> Iterator[Part]:
    """The verdict, the means of each class of topics, what was asked for, and how it was done."""
    table, options = comparison.table, comparison.options
    all_parts = list(_brief_contrasts(comparison))
    yield verdict_lines(all_parts, options, decimals)
    parts, left_out = with_short_names(all_parts, table.run_names)
    yield from tables_of_means(parts, options, decimals)
    asked = zip(
        parts,
        comparison.decisions,
        *_asked_rows(comparison, per_topic=per_topic, anova=anova),
        strict=False,  # endless where nothing was asked for
    )
    for part, decisions, anova_rows, topic_rows in asked:
        asked_tables = [
            *_tables_of_decisions(part, decisions, options, decimals),
            *_anova_and_topic_tables(anova_rows, topic_rows),
        ]
        if asked_tables and len(parts) > 1:
            yield Heading(part.name)
        yield from asked_tables
    if table.is_estimated:
        yield from estimate_parts(table, options.alpha)
        yield from difference_parts(table, comparison.contrasts[0].run_pairs, options.alpha)
    missing = comparison.missing if lists_missing_topics and len(comparison.missing) == 1 else ()
    yield Lines(
        [
            *left_out,
            *missing,
            *_brief_method_lines(comparison, says_missing=not missing),
            f"signature: {comparison.signature.brief}",
        ]
    )


class BriefContrast(NamedTuple):
    """What the short form shows of a measure, on all topics or on a class of them.

    class_name  the class; empty for all topics
    measure     its printed name
    topics      how many topics there are, in words
    verdicts    on each pair
    mean_rows   the rows of the runs, the best first
    pair_rows   those of the pairs, with `tests`
    tests       the names of the tests that were done
    """

    class_name: str
    measure: str
    topics: str
    verdicts: Sequence[PairVerdict]
    mean_rows: Sequence[Row]
    pair_rows: Sequence[Row]
    tests: Sequence[str]

    @property
    def name(self) -> str:
        """The measure, and the class where there is one."""
        return f"{self.measure}{f' on {self.class_name}' if self.class_name else ''}"

    def reference(self, options: CompareOptions) -> str:
        """The run that the others are set against: the only baseline or the best; else empty."""
        if len(options.baselines) > 1:
            return ""
        return str(self.pair_rows[0]["against" if options.baselines else "run"])

    def pairs_with(self, reference: str) -> dict[str, tuple[Row, PairVerdict]]:
        """The rows and verdicts of the pairs of a run with the others, by the name of these."""
        pairs = {}
        for row, verdict in zip(self.pair_rows, self.verdicts, strict=True):
            if reference in (row["run"], row["against"]):
                pairs[row["run"] if row["against"] == reference else row["against"]] = row, verdict
        return pairs


def _brief_contrasts(comparison: Comparison) -> Iterator[BriefContrast]:
    parts = zip(
        comparison.contrasts,
        comparison.pair_verdicts,
        rows_by_contrast(comparison.mean_rows()),
        rows_by_contrast(comparison.tested_pair_rows()),
        strict=True,
    )
    for contrast, verdicts, mean_rows, pair_rows in parts:
        yield BriefContrast(
            contrast.class_name,
            contrast.measure,
            count_text(len(contrast.topics), "topic"),
            verdicts,
            mean_rows,
            pair_rows,
            list(contrast.results_by_test_done),
        )


def with_short_names(
    parts: Sequence[BriefContrast], run_names: Sequence[str]
) -> tuple[Sequence[BriefContrast], Sequence[str]]:
    """The rows without what long names share, and a sentence on what that is."""
    if max(map(len, run_names)) <= LONGEST_PLAIN_NAME:
        return parts, ()
    short_names, left_out = paper_run_names(run_names)
    name_of = dict(zip(run_names, short_names, strict=True))

    def renamed(row: Row) -> Row:
        return row | {field: name_of[row[field]] for field in ("run", "against") if field in row}

    shortened = [
        part._replace(
            mean_rows=[*map(renamed, part.mean_rows)], pair_rows=[*map(renamed, part.pair_rows)]
        )
        for part in parts
    ]
    return shortened, left_out


def _asked_rows(
    comparison: Comparison, *, per_topic: bool, anova: bool
) -> tuple[Iterator[list[Row]], Iterator[list[Row]]]:
    """The rows of the analysis of variance and of topics, for each contrast; none unasked."""
    return (
        rows_by_contrast(comparison.anova_rows()) if anova else repeat([]),
        rows_by_contrast(comparison.topic_difference_rows()) if per_topic else repeat([]),
    )


def _anova_and_topic_tables(anova_rows: list[Row], topic_rows: list[Row]) -> Iterator[Table]:
    """The analysis of variance, and gains and losses by topic, where there are rows."""
    if anova_rows:
        names = ["source", "ss", "df", "ms", "f", "p", "partial_omega_2", "partial_eta_2"]
        yield table_of_rows(names, anova_rows)
    if topic_rows:
        names = ["run", "against", "topic", "score", "score_against", "difference"]
        yield table_of_rows(names, topic_rows)


def verdict_lines(parts: Sequence[BriefContrast], options: CompareOptions, decimals: int) -> Lines:
    """What may be said of the runs under each measure, a sentence each."""
    lines: list[str] = []
    for part in parts:
        if len(part.verdicts) == 1:
            lines.append(part.verdicts[0].words_with(decimals))
            continue
        if options.baselines:
            names = [row["against"] for row in part.pair_rows]
            sentences = [_baseline_sentence(part, name, options) for name in dict.fromkeys(names)]
        else:
            sentences = [_best_run_sentence(part, options)]
        if len(parts) > 1:
            lines += (f"{part.name}: {text}" for text in sentences)
        else:
            lines += (f"{text} ({part.name}, {part.topics})" for text in sentences)
    return Lines(lines, listed=len(lines) > 1)


def _best_run_sentence(part: BriefContrast, options: CompareOptions) -> str:
    """How many of all pairs differ, and which runs the best is not significantly better than."""
    known = [verdict.evidence for verdict in part.verdicts]
    if not any(each.num_differing for each in known):
        return "no difference: the same scores of all runs on every topic"
    num_significant = sum(each.p <= options.alpha for each in known)
    verb = "differs" if num_significant == 1 else "differ"
    text = f"{num_significant:,} of {count_text(len(known), 'pair')} {verb} significantly"
    best = part.mean_rows[0]["run"]
    others = [
        name
        for name, (_, verdict) in part.pairs_with(best).items()
        if verdict.decision != "better" or verdict.evidence.run != best
    ]
    if not others:
        text += f"; best: {best}, significantly better than all others"
    elif len(others) == len(part.mean_rows) - 1:
        text += f"; best: {best}, not significantly better than any other"
    else:
        text += f"; best: {best}, not significantly better than {shortened_list(others)}"
    decisions = [verdict.decision for verdict in part.verdicts]
    if options.margin is not None:
        num_equal = decisions.count("equal") or "no"
        text += f"; {num_equal} other {'pair is' if num_equal in (1, 'no') else 'pairs are'}"
        text += f" equal within {options.margin:g}"
    num_undecidable = decisions.count("cannot be decided")
    return text + f"; {num_undecidable:,} cannot be decided" * (num_undecidable > 0)


def _baseline_sentence(part: BriefContrast, baseline: str, options: CompareOptions) -> str:
    """Which runs are better than a baseline, which worse, and of which that is open."""
    names: dict[str, list[str]] = {}
    for name, (_, verdict) in part.pairs_with(baseline).items():
        kind: str = verdict.decision
        if kind == "better":
            kind = "worse" if verdict.evidence.run == baseline else "better"
        names.setdefault(kind, []).append(name)
    side = "worse" if options.tail == "less" else "better"
    clauses = [f"significantly {side} than {baseline}: {shortened_list(names.pop(side, ['none']))}"]
    words = {"better": "significantly better", "worse": "significantly worse"}
    if options.margin is not None:
        words["equal"] = f"equal within {options.margin:g}"
    for kind in ("better", "worse", "equal", "not decided", "cannot be decided"):
        if kind in names:
            clauses.append(f"{words.get(kind, kind)}: {shortened_list(names[kind])}")
    return "; ".join(clauses)


def tables_of_means(
    parts: Sequence[BriefContrast],
    options: CompareOptions,
    decimals: int,
    more_of_two_runs: Sequence[ShownField] = (("wins", Head("topics won")),),
) -> Iterator[Part]:
    """The means: of two runs in one table, of more in one for each class of topics.

    Args:
        parts: what is shown, the measures of a class together.
        options: the choices.
        decimals: of p, which has 4 at least.
        more_of_two_runs: which other fields of their rows are shown of two runs.
    """
    if len(parts[0].mean_rows) == 2:
        yield _table_of_two_runs(parts, options, decimals, more_of_two_runs)
        return
    for class_name, of_class in groupby(parts, key=lambda part: part.class_name):
        measures = list(of_class)
        if class_name:
            yield Heading(f"topics of class {class_name} ({measures[0].topics})")
        if len(measures) == 1:
            yield _table_of_runs(measures[0], options, decimals)
        else:
            for some in _measures_side_by_side(measures, options, decimals):
                yield _table_of_measures(some, options, decimals)
        if len(options.baselines) > 1:
            for part in measures:
                if len(measures) > 1:
                    yield Heading(part.name, 4)
                yield _table_of_pairs(part, decimals)


def _table_of_two_runs(
    parts: Sequence[BriefContrast],
    options: CompareOptions,
    decimals: int,
    more: Sequence[ShownField],
) -> Table:
    """Two rows for each measure and class: the means, and on how many topics each run is better."""
    rows: list[Row] = []
    for part in parts:
        (pair,) = part.pair_rows
        for row in part.mean_rows:
            is_first = row["run"] == pair["run"]
            rows.append(
                _with_interval(row)
                | {"class": row["class"] or "all topics"}
                | {"wins": pair.get("wins" if is_first else "losses")}
                | {
                    f"p {test}": _marked_p(pair, test, decimals) if is_first else ""
                    for test in part.tests
                }
            )
    columns: list[ShownField] = []
    if len({row["class"] for row in rows}) > 1:
        columns.append(("class", Head("class", "text")))
    columns += ["measure"] * (len({row["measure"] for row in rows}) > 1)
    columns += ["run", "mean", ("interval", _interval_head(options)), *more]
    if len(parts[0].tests) > 1:
        columns += [(f"p {test}", Head(f"p {test}", "text")) for test in parts[0].tests]
    columns += ["missing_as_zero"] * any(row["missing_as_zero"] for row in rows)
    return table_of_rows(columns, rows)


def _with_interval(row: Row) -> Row:
    """A row with both ends of its interval in one cell."""
    return row | {"interval": (row["low"], row["high"])}


def _interval_head(options: CompareOptions) -> Head:
    return Head(f"{100 * (1 - options.alpha):.6g}% interval", "text")


def _table_of_runs(part: BriefContrast, options: CompareOptions, decimals: int) -> Table:
    """A row for each run: the mean with its interval, the difference from the best or baseline."""
    rows = {row["run"]: _with_interval(row) for row in part.mean_rows}
    columns: list[ShownField] = ["run", "mean", ("interval", _interval_head(options))]
    reference = part.reference(options)
    if reference:
        columns.append(("away", Head(f"vs {'baseline' if options.baselines else 'best'}")))
        rows[reference]["away"] = None
        for name, (pair, _) in part.pairs_with(reference).items():
            rows[name]["away"] = pair["difference"] * (1.0 if pair["run"] == name else -1.0)
        columns += _add_p(rows, part, reference, "", decimals)
    columns += ["missing_as_zero"] * any(row["missing_as_zero"] for row in rows.values())
    return table_of_rows(columns, rows.values())


def _table_of_measures(
    parts: Sequence[BriefContrast], options: CompareOptions, decimals: int
) -> Table:
    """A row for each run: its means, each with the p of the difference from best or baseline."""
    rows = {row["run"]: dict(row) for row in parts[0].mean_rows}
    columns: list[ShownField] = ["run"]
    for part in parts:
        columns.append((f"mean {part.measure}", Head(part.measure)))
        for row in part.mean_rows:
            rows[row["run"]][f"mean {part.measure}"] = row["mean"]
        reference = part.reference(options)
        if reference:
            text = "baseline" if options.baselines else "best"
            columns += _add_p(rows, part, reference, text, decimals)
    columns += ["missing_as_zero"] * any(row["missing_as_zero"] for row in rows.values())
    return table_of_rows(columns, rows.values())


def _add_p(
    rows: dict[str, Row], part: BriefContrast, reference: str, reference_text: str, decimals: int
) -> list[ShownField]:
    """The p of each test into the rows of runs; the columns. The reference has a text instead."""
    columns: list[ShownField] = []
    for test in part.tests:
        field = f"p {part.measure} {test}"
        columns.append((field, Head("p" if len(part.tests) == 1 else f"p {test}", "text")))
        rows[reference][field] = reference_text
        for name, (pair, _) in part.pairs_with(reference).items():
            rows[name][field] = _marked_p(pair, test, decimals)
    return columns


def _marked_p(pair_row: Row, test: str, decimals: int) -> Cell:
    """The p of a test, as corrected, with a star where it is significant."""
    found = pair_row["tests"][test]
    p = p_text(found["corrected"], decimals)
    return Keyed(f"{p} *" if found["significant"] else p, found["corrected"])


def _measures_side_by_side(
    parts: Sequence[BriefContrast], options: CompareOptions, decimals: int
) -> Iterator[Sequence[BriefContrast]]:
    """The measures in groups that one table has room for."""
    names_width = max(len(row["run"]) for row in parts[0].mean_rows)
    group: list[BriefContrast] = []
    width = names_width
    for part in parts:
        # two blanks and the mean; for each test two blanks and "<0.0001 *"
        needed = 2 + max(len(part.measure), decimals + 2)
        if len(options.baselines) < 2:
            needed += len(part.tests) * (2 + len("<0. *") + max(decimals, 4))
        if group and width + needed > WIDTH:
            yield group
            group, width = [], names_width
        group.append(part)
        width += needed
    yield group


def _table_of_pairs(part: BriefContrast, decimals: int) -> Table:
    """The pairs with the p of each test."""
    rows = [dict(row) for row in part.pair_rows]
    columns: list[ShownField] = ["run", "against", "difference"]
    for test in part.tests:
        columns.append((f"p {test}", Head("p" if len(part.tests) == 1 else f"p {test}", "text")))
        for row in rows:
            row[f"p {test}"] = _marked_p(row, test, decimals)
    return table_of_rows(columns, rows)


def _tables_of_decisions(
    part: BriefContrast, decisions: DecisionColumns, options: CompareOptions, decimals: int
) -> Iterator[Table]:
    """What was asked for of runs, and of the pairs with the best run or the baselines."""
    names = [name for name, values in decisions.runs.items() if not np.isnan(values[0])]
    if names:
        yield table_of_rows(["run", *names], part.mean_rows)
    rows, reference = part.pair_rows, part.reference(options)
    if reference:
        rows = [pair for pair, _ in part.pairs_with(reference).values()]
    decisions_table = decisions_by_pair_table(rows, decisions, options.alpha)
    if decisions_table is not None:
        yield decisions_table


def _brief_method_lines(comparison: Comparison, *, says_missing: bool) -> Iterator[str]:
    """How it was tested, and what a reader of the tables must know; the details have the rest."""
    options, table, count = comparison.options, comparison.table, comparison.num_hypotheses
    done = [tests_done(comparison.contrasts, test) for test in options.tests]
    tests = dict.fromkeys(
        tests_done_text(each, "phrase") + p_value_method_text(comparison, test)
        for each, test in zip(done, options.tests, strict=True)
    )
    clauses = [f"p: {' and '.join(tests)}"]
    if count > 1 and not all(TESTS[test].simultaneous for test in options.tests):
        clauses[0] += f", {CORRECTIONS[options.correction].title} for {family_text(comparison)}"
    if options.tail != "two-sided":
        clauses.append(TAILS[options.tail])
    if len(comparison.contrasts[0].run_pairs) > 1 or len(options.tests) > 1:
        clauses.append(f"* p <= {options.alpha:g}")
    if options.ci != "t":
        clauses.append(f"intervals: {INTERVALS[options.ci].title}")
    if options.min_diff:
        clauses.append(f"differences up to {options.min_diff:g} are ties")
    if table.weights is not None:
        clauses.append("means are weighted")
    says_missing = says_missing and any(run.missing for run in table.runs)
    topics = table.common_topics_text or "a topic that a run lacks counts as 0" * says_missing
    yield "; ".join([*clauses, *([topics] if topics else [])])
    if _is_moderated(comparison):
        yield (
            "moderated: how much the differences of a pair vary is estimated with the help of all "
            "pairs, so another run can change p"
        )
    if len(table.runs) == 2 and _has_star_beside_zero(comparison):
        yield INTERVAL_IS_WIDER
    yield from decision_lines(table, options, count, _is_moderated(comparison))


def _has_star_beside_zero(comparison: Comparison) -> bool:
    """Whether the interval of a difference that is significant contains 0."""
    known = [verdict.evidence for of in comparison.pair_verdicts for verdict in of]
    return any(
        each.p <= each.alpha and each.low <= 0 <= each.high
        for each in known
        if math.isfinite(each.low) or math.isfinite(each.high)
    )


# --- The whole, for people ---


def _comparison_parts(
    comparison: Comparison,
    decimals: int,
    per_topic: bool,
    anova: bool,
    lists_missing_topics: bool,
) -> Iterator[Part]:
    """The verdicts and the heading, then for each class and measure its tables."""
    table, options = comparison.table, comparison.options
    parts = list(_brief_contrasts(comparison))
    yield verdict_lines(parts, options, decimals)
    yield Lines(list(heading_lines(comparison, lists_missing_topics=lists_missing_topics)))
    anovas, topics = _asked_rows(comparison, per_topic=per_topic, anova=anova)
    found = zip(comparison.contrasts, comparison.decisions, parts, strict=True)
    for contrast, decisions, part in found:
        class_text = f", topics of class {contrast.class_name}" if contrast.class_name else ""
        yield Heading(f"{contrast.measure}{class_text} ({part.topics})")
        # runs, the best first, with intervals and groups
        names = ["run", "mean", "low", "high", *(["groups"] if contrast.run_groups else [])]
        names += [name for name, values in decisions.runs.items() if not np.isnan(values[0])]
        names.append("missing_as_zero")
        yield table_of_rows(names, part.mean_rows)
        yield _pair_table(comparison, contrast, part.pair_rows)
        moderated = moderation_lines(contrast, options)
        if moderated:
            yield Lines(moderated)
        decisions_table = decisions_by_pair_table(part.pair_rows, decisions, options.alpha)
        if decisions_table is not None:
            yield decisions_table
        yield from _anova_and_topic_tables(next(anovas), next(topics))
    if table.is_estimated:
        yield from estimate_parts(table, options.alpha)
        yield from difference_parts(table, comparison.contrasts[0].run_pairs, options.alpha)
    if any(contrast.run_groups for contrast in comparison.contrasts):
        yield Lines([FOOTNOTE])


def rows_by_contrast(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows of each class and measure, which stand together."""
    for _, group in groupby(rows, key=itemgetter("class", "measure")):
        yield list(group)


def _pair_table(comparison: Comparison, contrast: Contrast, rows: Iterable[Row]) -> Table:
    """Pairs, with a mark behind each p that is significant as corrected."""
    correction = comparison.options.correction
    columns: list[ShownField] = ["run", "against", "difference", "low", "high", "d_z"]
    columns += ["es_hsd"] * (contrast.effect_hsd is not None)
    for test, result in contrast.results_by_test_done.items():
        # one p of a test that is corrected in itself or not at all
        is_one_p = TESTS[test].simultaneous or correction == "none"
        p_field = f"corrected_{test}" if is_one_p else f"p_{test}"
        columns.append((p_field, Head(f"p {test}", "p")))
        # some p may be exact and others not
        if len(set(result.method)) > 1:
            columns.append((f"method_{test}", Head("how")))
        if not is_one_p:
            columns.append((f"corrected_{test}", Head(correction, "p")))
        columns.append((f"significant_{test}", MARK))
    flat_rows = [
        flat_pair_row(row) | {"w/t/l": f"{row['wins']}/{row['ties']}/{row['losses']}"}
        for row in rows
    ]
    return table_of_rows([*columns, "n", "w/t/l"], flat_rows)


def decisions_by_pair_table(
    rows: Sequence[Row], decisions: DecisionColumns, alpha: float
) -> Table | None:
    """A row for each pair; None where nothing was asked of pairs."""
    # p that are not corrected are for machines
    names = [name for name in decisions.pairs if name not in ("p_equivalent", "p_not_worse")]
    if not names:
        return None
    columns: list[ShownField] = ["run", "against", "difference"]
    marked_rows = [dict(row) for row in rows]
    for name in names:
        if not name.startswith("p_"):
            columns.append(name)
            continue
        columns += [(name, HEADS.get(name, Head(name, "p"))), (f"{name} *", MARK)]
        for row in marked_rows:
            row[f"{name} *"] = row[name] <= alpha
    return table_of_rows(columns, marked_rows)


def heading_lines(comparison: Comparison, *, lists_missing_topics: bool = True) -> Iterator[str]:
    """The lines above the tables; whether one for each run that lacks topics names them."""
    options, table = comparison.options, comparison.table
    topics = table.common_topics_text or (
        f"{count_text(len(table.topics), 'topic')}; judged topics that a run lacks count as 0"
    )
    yield f"{count_text(len(table.runs), 'run')} on {topics}"
    titles: list[str] = []  # a test may be named, and done in place of another
    if lists_missing_topics:
        yield from comparison.missing
    for test in options.tests:
        title = tests_done_text(tests_done(comparison.contrasts, test), "title")
        if title not in titles:
            titles.append(title)
            yield f"test: {title}{p_value_method_text(comparison, test)}"
    if not all(TESTS[test].simultaneous for test in options.tests):
        title = CORRECTIONS[options.correction].title
        other = "; pages of irev report correct within each measure"
        has_other = len(table.columns) > 1 and options.correction != "none"
        yield (
            f"family: {family_text(comparison)}; {title}{_max_t_text(comparison)}"
            f"{other if has_other else ''}"
        )
    for test in options.tests:
        if TESTS[test].simultaneous:
            pairs = count_text(len(every_pair(len(table.runs))), "pair")
            yield f"family of {test}: all {pairs}, for each measure separately"
    yield f"alpha {options.alpha:g}, {TAILS[options.tail]}; * marks p <= alpha"
    num_resamples = options.interval_resamples
    resampling_text = f"; {num_resamples} resamples, seed {options.seed}" if num_resamples else ""
    yield from interval_lines(
        options,
        comparison.num_hypotheses,
        INTERVALS[options.ci].title,
        resampling_text,
        difference_interval_title(
            tests_done(comparison.contrasts, options.tests[0]), INTERVALS[options.ci]
        ),
        exact_intervals_text(each.score_matrix for each in comparison.contrasts),
        any(each.difference_intervals.is_constant.any() for each in comparison.contrasts),
    )
    if options.min_diff:
        yield f"differences up to {options.min_diff:g} are ties"
    is_moderated = _is_moderated(comparison)
    yield from decision_lines(table, options, comparison.num_hypotheses, is_moderated)
    if table.weights is not None:
        yield "topics have weights: means are weighted"
    yield f"signature: {comparison.signature.short}"


def _is_moderated(comparison: Comparison) -> bool:
    """Whether the variances of any contrast were moderated."""
    return any(
        result.moderation is not None
        for contrast in comparison.contrasts
        for result in contrast.test_results.values()
    )


def family_text(comparison: Comparison) -> str:
    """How many hypotheses are corrected for together, and what they are."""
    table = comparison.table
    num_measures = len(table.columns)
    num_pairs = len(comparison.contrasts[0].run_pairs)
    factors = [count_text(num_pairs, "pair"), count_text(num_measures, "measure")]
    num_classes = len(comparison.contrasts) // num_measures - 1
    if num_classes:
        factors.append(f"(all topics and {count_text(num_classes, 'class', 'classes')})")
    count = count_text(comparison.num_hypotheses, "hypothesis", "hypotheses")
    return f"{count}, {' x '.join(factors)}"


def _max_t_text(comparison: Comparison) -> str:
    """How the p that maxT corrects were found."""
    test = CORRECTIONS[comparison.options.correction].only_test
    if not test:
        return ""
    if set(comparison.contrasts[0].test_results[test].facts["max_t"]) == {"exact"}:
        return ", exact"
    return f", {comparison.num_resamples[test]} resamples, seed {comparison.options.seed}"


def p_value_method_text(comparison: Comparison, test: str) -> str:
    """How its p was found, and what was drawn."""
    methods = [
        method for contrast in comparison.contrasts for method in contrast.test_results[test].method
    ]
    num_drawn = methods.count("Monte Carlo")
    settings = comparison.options.inference_settings()
    settings_text = "".join(
        f" ({name}: {getattr(settings, name)})" for name in TESTS[test].own_settings
    )
    if not methods:
        return settings_text
    if not num_drawn:
        return f"{settings_text}, {methods[0]}"
    resampling_text = f"{comparison.num_resamples[test]} resamples, seed {comparison.options.seed}"
    num_exact = methods.count("exact")
    return f", {resampling_text}" + (
        f"; exact for {num_exact} of {len(methods)}" if num_exact else ""
    )


def interval_lines(
    options: CompareOptions,
    num_hypotheses: int,
    interval_method: str,
    resampling_text: str = "",
    interval_method_of_differences: str = "",
    exact_means: str = "",
    has_exact_differences: bool = False,
) -> Iterator[str]:
    """What the intervals of means and of differences hold for; how they are made, what is drawn.

    Args:
        options: the choices.
        num_hypotheses: how many are corrected together.
        interval_method: how the intervals of means are made.
        resampling_text: what is drawn for them.
        interval_method_of_differences: how those of differences are made, where that is another.
        exact_means: what is added to the name of those of means where some are exact.
        has_exact_differences: whether some of those of differences are.
    """
    level = f"{100 * (1 - options.alpha):.6g}%"
    of_differences = interval_method_of_differences or interval_method
    is_each = options.interval_correction == "each" or num_hypotheses == 1
    exact_differences = EXACT_WHERE_SAME * has_exact_differences
    if is_each and of_differences == interval_method:
        method = f"{interval_method}{exact_means or exact_differences}"
        yield f"intervals: {level} {method}, not simultaneous{resampling_text}"
        return
    yield (
        f"intervals of means: {level} {interval_method}{exact_means}, not simultaneous"
        f"{resampling_text}"
    )
    of_differences += exact_differences
    if options.interval_correction == "test":
        test = TESTS[options.tests[0]]
        yield (
            f"intervals of differences: {level}, simultaneous for all pairs of a measure, "
            f"{test.phrase}{exact_differences}"
        )
        return
    if is_each:
        yield f"intervals of differences: {level} {of_differences}, not simultaneous"
        return
    correction = CORRECTIONS[options.correction]
    level_of_each = f"{100 * (1 - options.alpha / num_hypotheses):.6g}%"
    yield (
        f"intervals of differences: {level} {of_differences}, simultaneous for all "
        f"{num_hypotheses} (Bonferroni, {level_of_each} each)"
        + (f"; {INTERVAL_IS_WIDER}" * correction.steps_down)
    )


def decision_lines(
    table: ScoreTable, options: CompareOptions, num_hypotheses: int, is_moderated: bool
) -> Iterator[str]:
    """What the columns of the decisions say, a line each; they stand beside the p of tests."""
    if options.margin is not None:
        over = CORRECTIONS[decision_correction(options)].title
        yield (
            f"margin {options.margin:g}: p equivalent (two one-sided t tests, TOST) and p not "
            f"worse (non-inferiority), each over "
            f"{count_text(num_hypotheses, 'hypothesis', 'hypotheses')}, {over}"
        )
        level = f"alpha {options.alpha:g}"
        if num_hypotheses > 1 and options.correction != "none":
            level += f" / {num_hypotheses}"
        yield (
            "equal within: the smallest margin for which a pair is equivalent, not corrected; "
            "detectable: the smallest difference that a two-sided t test of these topics finds "
            f"with a chance of {POWER:.0%} at {level}"
        )
        if is_moderated:
            yield (
                "p equivalent, p not worse, equal within and detectable are of plain paired t "
                "tests, whose variances are not moderated"
            )
    if options.better_by is not None:
        num_draws = options.resamples or DRAWS
        yield (
            f"P(better), P(worse): by more than {options.better_by:g}, by the Bayesian bootstrap "
            f"of topics; {num_draws} draws, seed {options.seed}: two standard errors are at most "
            f"{num_draws**-0.5:.4f}; no correction"
        )
        yield (
            "the draws know no differences but those of these topics, so a P of 1 or 0 is not "
            "certain; where the difference is the same on all topics, there is no P"
        )
    if options.risk:
        if options.baselines:
            yield (
                "urisk(a): the mean difference from the baseline, each loss counted 1 + a times; "
                "trisk(a): urisk over its standard error, which is no test of equal means unless a "
                "is 0"
            )
        yield (
            f"zrisk(a), georisk(a): among these {count_text(len(table.runs), 'run')}; with other "
            "runs they change"
        )
        falling = [column.name for column in table.columns if lower_is_better(column)]
        if falling:
            yield f"zrisk and georisk need higher to be better: none for {', '.join(falling)}"


def moderation_lines(contrast: Contrast, options: CompareOptions) -> list[str]:
    """What the variances of a contrast were drawn towards, where a test does that.

    Where there was nothing to draw them towards, that is told whoever asked for it by name.
    """
    lines = []
    for result in contrast.test_results.values():
        if result.moderation is not None:
            lines.append(result.moderation.text("these runs'"))
        elif result.reason and options.names_tests:
            lines.append(result.reason)
    return lines


# --- For machines ---


def _comparison_records(comparison: Comparison, per_topic: bool, anova: bool) -> Iterator[Records]:
    """The pairs, what tests found in fields such as `p_moderated`; first what else was wanted.

    The rows of topics may be millions: only the first has the signature.
    """
    signature_field = {"signature": comparison.signature.short}
    if per_topic:
        signatures = chain([comparison.signature.short], repeat(None))
        rows = zip(comparison.topic_difference_rows(), signatures, strict=False)
        yield records_of("topics", (row | {"signature": signature} for row, signature in rows))
    if anova:
        yield records_of("anova", map(finite_or_none, comparison.anova_rows()), **signature_field)
    # an end that nothing bounds is empty
    pairs = map(finite_or_none, map(flat_pair_row, comparison.pair_rows()))
    yield records_of("pairs", pairs, **signature_field)
    yield records_of("means", map(finite_or_none, comparison.mean_rows()), **signature_field)
    yield records_of("verdicts", map(finite_or_none, comparison.verdict_rows()), **signature_field)


def comparison_data(
    comparison: Comparison, per_topic: bool = False, anova: bool = False
) -> dict[str, Any]:
    """One object: the choices, `runs`, `means`, `pairs` with their `tests`, notes and signature.

    With `per_topic` also `topics`, gains and losses; with `anova` the analyses of variance. NaN and
    infinities are null. Bytes that are not UTF-8 are lone surrogates U+DC80..U+DCFF.
    """
    data = {
        **data_of_choices_and_runs(comparison, len(comparison.table.topics)),
        "notes": comparison.notes,
        "signature": signature_data(comparison.signature),
        "verdicts": list(comparison.verdict_rows()),
        "means": list(comparison.mean_rows()),
        "pairs": list(comparison.pair_rows()),
    }
    if comparison.table.is_estimated:
        alpha, pairs = comparison.options.alpha, comparison.contrasts[0].run_pairs
        data["estimates"] = list(estimate_rows(comparison.table, alpha))
        data["estimated_differences"] = list(difference_estimates(comparison.table, pairs, alpha))
    moderation = [
        {"class": contrast.class_name, "measure": contrast.measure, **result.moderation.facts}
        for contrast in comparison.contrasts
        for result in contrast.test_results.values()
        if result.moderation is not None
    ]
    if moderation:
        data["moderation"] = moderation
    if anova:
        data["anova"] = list(comparison.anova_rows())
    if per_topic:
        data["topics"] = list(comparison.topic_difference_rows())
    return finite_or_none(data)  # type: ignore[no-any-return]


def data_of_choices_and_runs(
    comparison: Comparison | PredictedComparison, num_topics: int
) -> dict[str, Any]:
    """What JSON of all comparisons begins with."""
    table = comparison.table
    return {
        "irev": __version__,
        "comparison": comparison.signature.choices,
        "averaged_over": num_topics,
        "missing_count_as_zero": table.counts_missing_as_zero,
        "measures": list(table.measure_names),
        "runs": [{**run_facts(entry), "duplicates": entry.duplicates} for entry in table.runs],
    }
