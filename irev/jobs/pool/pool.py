"""`irev.pool`: what is to be judged of some runs; `irev.pool_qrels`: qrels of the judgments."""

from __future__ import annotations

import os
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from irev.core.job import design_job, pool_job
from irev.core.record import record
from irev.core.text import as_bytes
from irev.core.wording import count_text
from irev.errors import IrevError, Notice, UsageError, note
from irev.jobs.pool.options import DEPTH, PoolOptions, PoolQrelsOptions
from irev.jobs.pool.rates import RankStratum, close_strata_at_depth, parse_rate_or_strata
from irev.jobs.pool.sampled_qrels import QrelsSample, SampleResult
from irev.jobs.result import Result
from irev.options import Options
from irev.scores.table import path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.engine.pools import Pool
    from irev.jobs.pool.judging_plan import JudgingPlan, PlanGrades, PooledRun


@record
class PoolResult(Result):
    """What is to be judged: `to_frame()` has a row for each document, in the order of the list.

    plan   the documents of the pool, and which are to be judged
    pool   which run brought which document
    runs   what each run brought
    depth  how deep runs were pooled; None: all that they retrieved
    ties   how equal scores were ordered
    """

    plan: JudgingPlan
    pool: Pool
    runs: tuple[PooledRun, ...]
    depth: int | None
    ties: str

    shown_by: ClassVar[str] = "irev.jobs.pool.document:judging_list_document"

    @property
    def design(self) -> dict[str, Any]:
        """What the design file holds: seed, rates, runs, and which documents are to be judged."""
        from irev.jobs.pool.judging_plan import design_data

        return design_data(self.plan, self.runs, self.depth, self.ties)

    def list_lines(self) -> Iterator[bytes]:
        """Lines `TOPIC DOCUMENT`, in an order that tells nothing of runs, ranks or strata."""
        from irev.jobs.pool.judging_plan import judging_list

        return judging_list(self.plan)

    def contributor_lines(self) -> Iterator[bytes]:
        """A line for each document of the pool: its best rank, and the runs that brought it."""
        pool = self.pool
        yield b"topic\tdocument\tbest_rank\truns\tcontributors\n"
        run_names = [as_bytes(run.name) for run in self.runs]
        start, run = pool.start.tolist(), pool.run.tolist()
        rows = zip(pool.topic.tolist(), pool.docs.to_list(), pool.best_rank.tolist(), strict=True)
        for index, (topic, document, rank) in enumerate(rows):
            names = [run_names[each] for each in run[start[index] : start[index + 1]]]
            fields = (pool.topics[topic], document, rank, len(names), b" ".join(names))
            yield b"%b\t%b\t%d\t%d\t%b\n" % fields

    def _subject(self) -> str:
        return count_text(int(self.plan.to_judge.sum()), "document")


@pool_job(PoolOptions)
def pool(runs: Any, *, options: PoolOptions) -> PoolResult:
    """Make the list of documents to judge of the first documents of each run.

    Args:
        runs: runs, as `irev.evaluate` takes them: a list, a mapping by name, a path with wildcards;
            a folder stands for all files in it.
        options: the record `PoolOptions`, whose fields are keywords, too.

    Returns:
        The list; with its `design` and the judgments `irev.pool_qrels` makes qrels.

    Raises:
        TypeError: there is no such option.
        UsageError: an option that makes no sense; strata that leave out a rank.
        InputError: a run that cannot be read.
    """
    from irev.engine.excluded_documents import excluded_document_notes, read_excluded
    from irev.engine.pools import make_pool, unique_documents
    from irev.engine.run_files import all_runs_by_name, expand_folders
    from irev.jobs.pool.judging_plan import PooledRun, make_plan
    from irev.rank.ranking import RankingRule

    by_name = all_runs_by_name(expand_folders(runs), options.own_columns)
    strata, depth = _strata_and_depth(options)
    ties = options.ties or "docid-desc"
    ranking = RankingRule(
        ids_rising=ties == "docid-asc", ties=ties if ties in ("input", "rank") else "docid"
    )
    document_pool = make_pool(
        [*by_name.values()], depth, ranking, run_format=options.run_format,
        excluded=read_excluded(options.exclude), columns=options.own_columns,
    )  # fmt: skip
    plan = make_plan(document_pool, strata, options.seed, options.replicate)
    counts = zip(
        document_pool.num_contributed.tolist(), unique_documents(document_pool), strict=True
    )
    pooled_runs = tuple(
        PooledRun(name, path_of(source), *counts_of_run)
        for (name, source), counts_of_run in zip(by_name.items(), counts, strict=True)
    )
    notes = [
        f"{run.name}: {count_text(run.num_documents, 'document')}, {run.num_unique} of them from "
        "no other run"
        for run in pooled_runs
    ]
    notes.append(
        f"{int(plan.to_judge.sum())} of {count_text(len(plan.to_judge), 'document')} of the pool "
        f"are to be judged, for {count_text(len(document_pool.topics), 'topic')}"
    )
    return PoolResult(
        plan,
        document_pool,
        pooled_runs,
        depth,
        ties,
        warnings=(
            *document_pool.warnings,
            *map(note, notes),
            *excluded_document_notes(document_pool.num_excluded),
        ),
    )


def _strata_and_depth(options: PoolOptions) -> tuple[tuple[RankStratum, ...], int | None]:
    """The strata, which hold every rank of the pool, and the pool's depth; None: no end."""
    rate = parse_rate_or_strata(options.sample)
    if not isinstance(rate, Fraction):
        return close_strata_at_depth(rate, options.depth)
    depth = options.depth or DEPTH
    return (RankStratum(1, depth, rate),), depth


@design_job(PoolQrelsOptions)
def pool_qrels(judgments: Any, design: Any, *, options: PoolQrelsOptions) -> SampleResult:
    """Make qrels of the judgments of a pool.

    Documents of the pool that were not to be judged get grade -1: pooled but not judged.

    Args:
        judgments: of the list that `irev.pool` made, as `irev.evaluate` takes judgments.
        design: what `irev.pool` gave, its `design`, or the path of a design file.
        options: the record `PoolQrelsOptions`, whose fields are keywords, too.

    Returns:
        The judgments: `to_frame()` has a row for each document, `text("strata")` the strata.

    Raises:
        TypeError: there is no such option.
        UsageError: this is no design.
        InputError: an input that cannot be read; this is no design file.
    """
    from irev.core.workers import default_threads
    from irev.engine.prepared_judgments import read_judgments
    from irev.jobs.pool.judging_plan import plan_grades

    plan = _plan_of(design)
    prepared = read_judgments(
        judgments, "qrels", [], options.base_record(Options), default_threads()
    )
    grades = plan_grades(plan, prepared.qrels)
    warnings = tuple(_unfinished_warnings(grades))
    strata = tuple(stratum.name for stratum in plan.strata)
    sample = QrelsSample(
        plan.topics, plan.topic, plan.docs, grades.grade, strata, plan.stratum, warnings
    )
    return SampleResult((sample,), warnings=warnings)


def _plan_of(design: Any) -> JudgingPlan:
    from irev.jobs.pool.judging_plan import plan_of_design, read_design

    if isinstance(design, PoolResult):
        return design.plan
    if isinstance(design, str | os.PathLike):
        return read_design(os.fspath(design))
    try:
        if isinstance(design, Mapping):
            return plan_of_design(design)
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, IrevError):
        pass
    raise UsageError("the design must be what irev.pool gave, or the path of its design file")


def _unfinished_warnings(grades: PlanGrades) -> Iterator[Notice]:
    if grades.num_missing:
        yield Notice(
            "unfinished-pool",
            "1 document that was to be judged has no grade: it is written as not drawn, although "
            "the sample included it"
            if grades.num_missing == 1
            else f"{grades.num_missing:,} documents that were to be judged have no grade: they are "
            "written as not drawn, although the sample included them",
        )
    counts = [
        (
            grades.num_unplanned,
            "was not to be judged: its grade is left out",
            "were not to be judged: their grades are left out",
        ),
        (
            grades.num_unpooled,
            "is not in the pool, and left out",
            "are not in the pool, and left out",
        ),
    ]
    for count, message_of_one, message_of_several in counts:
        if count:
            message = message_of_one if count == 1 else message_of_several
            yield Notice("unfinished-pool", f"{count_text(count, 'judged document')} {message}")
