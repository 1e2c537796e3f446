"""Several judges of the same runs: what each lacks, what is done about it, and how they compare.

A judge is a file of scores of several runs, or a set of judgments. The first one is the truth,
against which the others are held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from irev.core.judged import Column
from irev.core.option_records import Opt, ResultOptions
from irev.core.text import shortened_list
from irev.engine.join_scores import (
    is_comparable,
    lacking_texts,
    run_tables_if_saved,
    stack_values,
)
from irev.engine.score_runs import runs_or_scores
from irev.errors import MismatchError, UsageError
from irev.jobs.studies.criteria import Criterion, tau_coefficients
from irev.measures.naming.resolve import matching_columns
from irev.options import ScoringOptions
from irev.read.stream import sha256_of
from irev.scores.table import ScoreTable
from irev.statistics.correlation import tau_b_of_best, tau_gap

Missing = Literal["error", "shared", "zero"]
"""What is done about what a judge lacks."""

MISSING = Opt("--missing")
CURE = "--missing shared leaves out what not all have, --missing zero counts it as 0"
DONE = {"error": "", "shared": "left out", "zero": "counted as 0"}


class TauOptions(ResultOptions):
    """Of which runs tau is told beside that of all."""

    tau_at: Annotated[
        int,
        Opt(
            "--tau-at",
            metavar="K",
            least=2,
            help="tau@K is tau_b of the K best runs alone. They are the best by the first measure, "
            "and those tied with the last of them. Default: 10.",
        ),
    ] = 10


def top_weighted_taus(truth: Criterion, estimate: Criterion, num_best: int) -> dict[str, float]:
    """tau_b of the best runs alone, and tau_GAP, by their printed names."""
    return {
        f"tau@{num_best}": tau_b_of_best(truth.merits, estimate.merits, num_best),
        "tau_GAP": tau_gap(truth.merits, estimate.merits),
    }


class Judge(NamedTuple):
    """A file of scores of several runs.

    name     what it is called
    label    what messages call it
    tables   a table for each run, by its name
    columns  the measures that are studied
    """

    name: str
    label: str
    tables: Mapping[str, ScoreTable]
    columns: tuple[Column, ...]

    @property
    def topics_of_run(self) -> dict[str, set[bytes]]:
        """The topics of which it says something, by run."""
        return {
            name: set(table.topics) - set(table.runs[0].missing)
            for name, table in self.tables.items()
        }


def judges_of_scores(runs: Any, measures: Sequence[str], options: ScoringOptions) -> list[Judge]:
    """The judges, where all inputs are files of scores of several runs; else none.

    None either where a file has no run of the first: such files stand beside each other.
    """
    columns = options.evaluation().own_columns
    inputs = runs_or_scores(runs, columns)
    judges: list[Judge] = []
    for each in inputs if len(inputs) > 1 else ():
        tables = run_tables_if_saved(each.source, options.measure_ranges, columns)
        if len(tables) < 2 or not all(table.runs[0].path for table in tables):
            return []
        by_name = {table.runs[0].name: table for table in tables}
        if judges and by_name.keys().isdisjoint(judges[0].tables):
            return []
        # measures that all its runs have
        shared = [
            column
            for column in tables[0].columns
            if is_comparable(column) and all(column.name in t.measure_names for t in tables)
        ]
        studied: list[Column] = []
        for name in measures:
            with suppress(UsageError):  # a column may be called anything
                studied += matching_columns(name, shared, options)
        if measures and not studied:
            has = shortened_list([column.name for column in shared])
            raise UsageError(f"{each.label} has no scores of {', '.join(measures)}: it has {has}")
        judges.append(
            Judge(each.name, each.label, by_name, tuple(dict.fromkeys(studied or shared)))
        )
    return judges


class JoinedJudges(NamedTuple):
    """Judges on the same runs and topics.

    tables    a table for each run, with the measures of all judges, each of a name of its own
    measures  of each judge the names of its measures there
    lacking   of each judge after the first what it lacks that the first one has, a line each
    """

    tables: list[ScoreTable]
    measures: list[list[str]]
    lacking: list[list[str]]


def join_judges(judges: Sequence[Judge], missing: Missing) -> JoinedJudges:
    """The judges on the runs and topics of the first one ("zero"), or on those that all have.

    A topic of a run of which no judge says anything stays missing.

    Raises:
        MismatchError: one lacks something ("error"); they have no two runs or no topic in common.
    """
    topics_by_judge = [judge.topics_of_run for judge in judges]
    truth = topics_by_judge[0]
    lacking = [[*lacking_texts(own, truth)] for own in topics_by_judge[1:]]
    if missing == "error":
        of_truth = [[*lacking_texts(truth, own)] for own in topics_by_judge[1:]]
        lines = [
            f"{judge.label} lacks {text}{behind}"
            for other, own, truths in zip(judges[1:], lacking, of_truth, strict=True)
            for judge, texts, behind in (
                (judges[0], truths, f", which {other.label} has" if len(judges) > 2 else ""),
                (other, own, ""),
            )
            for text in texts
        ]
        if lines:
            raise MismatchError(f"{'; '.join(lines)}; {CURE}")
    if missing == "zero":
        topics_of_run = truth
    else:
        names = set(truth).intersection(*topics_by_judge[1:])
        of_any = {name: set.union(*(own[name] for own in topics_by_judge)) for name in names}
        gaps = {t for own in topics_by_judge for name in names for t in of_any[name] - own[name]}
        topics_of_run = {name: topics - gaps for name, topics in of_any.items()}
    if len(topics_of_run) < 2 or not any(topics_of_run.values()):
        what = "no two runs" if len(topics_of_run) < 2 else "no topic"
        raise MismatchError(f"{', '.join(judge.label for judge in judges)} have {what} in common")
    # scores of one run under other judgments are what is compared
    signatures = [run.signature for j in judges for t in j.tables.values() for run in t.runs]
    are_alike = len({each and each.qrels for each in signatures}) == 1 and None not in signatures
    all_names = [column.name for judge in judges for column in judge.columns]
    columns = [
        replace(column, name=f"{column.name} [{judge.name}]")
        if all_names.count(column.name) > 1
        else column
        for judge in judges
        for column in judge.columns
    ]
    tables = []
    for name, topics in topics_of_run.items():
        rows, values, digests = sorted(topics), [], []
        for judge in judges:
            table = judge.tables.get(name)
            digests.append((table or next(iter(judge.tables.values()))).runs[0].sha256)
            if table is not None:
                values.append(stack_values([table], judge.columns, rows))
            else:
                values.append(np.zeros((len(judge.columns), len(rows), 1)))
        run = judges[0].tables[name].runs[0]
        if not are_alike:
            run = replace(run, signature=None, evaluation=None)
        # in any order of the files
        sha256 = sha256_of("".join(sorted(f"{digest}\n" for digest in digests)).encode())
        run = replace(run, missing=(), is_saved=True, sha256=sha256)
        tables.append(ScoreTable(tuple(rows), (run,), tuple(columns), np.concatenate(values)))
    column_names = iter([column.name for column in columns])
    measures = [[*islice(column_names, len(judge.columns))] for judge in judges]
    return JoinedJudges(tables, measures, lacking)


def judge_rows(
    pair: JoinedJudges, criteria: Sequence[Criterion], judge: Judge, num_best: int, missing: Missing
) -> list[dict[str, Any]]:
    """A line for each measure of the truth and each of a judge's, on what both have."""
    by_name = {criterion.name: criterion for criterion in criteria}
    lacks = "; ".join(pair.lacking[0])
    rows = []
    for truth in (by_name[name] for name in pair.measures[0] if name in by_name):
        for name, column in zip(pair.measures[1], judge.columns, strict=True):
            if name not in by_name:
                continue
            taus = tau_coefficients(truth, by_name[name])
            rows.append(
                {
                    "truth": truth.name,
                    "judge": judge.name,
                    "measure": column.name,
                    "runs": len(truth.merits),
                    "topics": len(truth.scores),
                    **{key: taus[key] for key in ("tau_b", "p", "tau_AP", "tau_AP_b")},
                    **top_weighted_taus(truth, by_name[name], num_best),
                    "lacks": lacks,
                    "done": DONE[missing] if lacks else "",
                }
            )
    return rows
