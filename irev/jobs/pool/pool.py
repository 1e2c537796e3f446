"""`irev.pool`: what is to be judged of some runs; `irev.pool_qrels`: qrels of the judgments.

A plan says what is to be judged of a pool, a design file holds it, rates and strata how much is
drawn. Below: what is left of judgments where some were drawn, which `irev.sample` gives, too.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np

from irev.core.arrays import Bools, DocumentRanks, Floats, Ints
from irev.core.draws import SHUFFLE, keys_of_rows, lowest_keys_mask, sample_size
from irev.core.ids import DocumentIndex, Ids, ids_from_bytes, index_documents
from irev.core.job import job
from irev.core.judged import Qrels
from irev.core.option_records import Opt
from irev.core.packages import need_packages
from irev.core.record import record
from irev.core.text import WIDTH, as_bytes, as_text, count_text, parse_json, parse_whole
from irev.core.workers import default_threads
from irev.errors import (
    InputError,
    IrevError,
    Notice,
    Problem,
    UsageError,
    id_text,
    note,
    shown_value,
)
from irev.jobs.result import Result
from irev.options import LEVEL, SEED, Options
from irev.rank.ranking import RankingRule
from irev.read.formats import JUDGMENTS, RunFormat
from irev.read.inputs import path_of
from irev.read.stream import read_all
from irev.writers.document import Document, Head, Records, Table

if TYPE_CHECKING:
    import pandas as pd

    from irev.core.option_values import Pool


LIST_SECTION = "Making the list"
LEAVE_OUT_SECTION = "Leaving runs out"

POOL_DEPTH = 100
"""How deep a pool is where nobody says."""


def options_but(*used_names: str) -> tuple[str, ...]:
    """The options of an evaluation that play no part, given those that do."""
    return tuple(name for name in Options.fields() if name not in used_names)


class PooledRunsOptions(Options):
    """How deep runs are pooled, and how they are read and ordered."""

    without: ClassVar[tuple[str, ...]] = options_but(
        "run_format", "columns", "level", "exclude", "passages"
    )

    depth: Annotated[int | None, Opt(
        "--depth", metavar="N", least=1, help_order=-10,
        help="Number of documents of each run and topic in the pool. Default: 100, or the depth "
        "of the strata of --sample.",
    )] = None  # fmt: skip
    """How many documents of each run and topic; None: 100, or as deep as the strata are."""
    ties: Annotated[Literal["docid-desc", "docid-asc", "input", "rank"] | None, Opt(
        "--ties", metavar="ORDER", help_order=2,
        help="Order of documents with equal scores: docid-desc (the default), docid-asc, input or "
        "rank (the rank column decides the whole order).",
    )] = None  # fmt: skip
    """How documents of equal scores are ordered; None: "docid-desc"."""
    run_format: Annotated[
        RunFormat, Options.fields()["run_format"].opt.replace(section="Options", help_order=4)
    ] = "trec_results"


class PoolOptions(PooledRunsOptions):
    """What is pooled, and what is to be judged of it."""

    without: ClassVar[tuple[str, ...]] = ("level",)

    sample: Annotated[float | str, Opt(
        "--sample", metavar="RATE", section=LIST_SECTION, help_order=-9, parse=str,
        help="Judge only a sample: 0.2 or 20%, or by best rank, 1-10=100%,11-100=20%.",
    )] = 1.0  # fmt: skip
    """What is judged of the pool: a share, or one for each range of best ranks."""
    seed: Annotated[int, SEED.replace(
        section=LIST_SECTION, help_order=-8, least=None,
        help="Seed of the sample and of the order of the list. Default: 0.",
    )] = 0  # fmt: skip
    replicate: Annotated[int, Opt(
        "--replicate", in_short_help=False, metavar="N", section=LIST_SECTION, help_order=-8,
        least=0,
        help="Number of the sample, if you draw several with one seed. Default: 0.",
    )] = 0  # fmt: skip


class LeaveOneOutOptions(PooledRunsOptions):
    """Whose contributions to a pool are left out, and how runs are scored without them."""

    groups: Annotated[Mapping[str, str] | str | os.PathLike[str] | None, Opt(
        "--groups", metavar="FILE", section=LEAVE_OUT_SECTION, file="always", help_order=-6,
        help="Leave out whole groups of runs: one RUN GROUP per line; RUN may be a folder of runs.",
    )] = None  # fmt: skip
    """The group of each run, by its name, or a file of them; a run without one is its own."""
    level: Annotated[float, LEVEL.replace(
        section=LEAVE_OUT_SECTION, help_order=-4,
        help="Smallest grade that counts as relevant. Default: 1.",
    )] = 1  # fmt: skip


class PoolQrelsOptions(Options):
    """How the judgments of a pool are read."""

    without: ClassVar[tuple[str, ...]] = options_but("real_grades", "decimal_comma", "grade_map")


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

    shown_by: ClassVar[str] = "irev.jobs.pool.pool:judging_list_document"

    @property
    def design(self) -> dict[str, Any]:
        """What the design file holds: seed, rates, runs, and which documents are to be judged."""
        return design_data(self.plan, self.runs, self.depth, self.ties)

    def list_lines(self) -> Iterator[bytes]:
        """Lines `TOPIC DOCUMENT`, in an order that tells nothing of runs, ranks or strata."""
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


class PooledRun(NamedTuple):
    """A run of a pool: its name, its path, what it brought, and what it alone brought.

    The path is as it was given; empty of a run in memory.
    """

    name: str
    path: str
    num_documents: int
    num_unique: int


@job(PoolOptions)
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
    from irev.engine.map_topics import excluded_document_notes, read_excluded
    from irev.engine.run_files import expand_folders
    from irev.engine.score_runs import make_pool, unique_documents
    from irev.read.inputs import given_runs

    by_name = given_runs(expand_folders(runs), options.own_columns).by_name
    rate = parse_rate_or_strata(options.sample)
    if isinstance(rate, Fraction):
        depth: int | None = options.depth or POOL_DEPTH
        strata: tuple[RankStratum, ...] = (RankStratum(1, depth, rate),)
    else:
        strata, depth = close_strata_at_depth(rate, options.depth)
    ties = options.ties or "docid-desc"
    ranking = RankingRule(
        ids_rising=ties == "docid-asc", ties=ties if ties in ("input", "rank") else "docid"
    )
    document_pool = make_pool(
        [*by_name.values()],
        depth,
        ranking,
        run_format=options.run_format,
        excluded=read_excluded(options.exclude),
        columns=options.own_columns,
        passages=options.passages,
    )
    plan = make_plan(document_pool, strata, options.seed, options.replicate)
    num_contributed = document_pool.num_contributed.tolist()
    pooled_runs = tuple(
        PooledRun(name, path_of(source), num_documents, num_unique)
        for (name, source), num_documents, num_unique in zip(
            by_name.items(), num_contributed, unique_documents(document_pool), strict=True
        )
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


@job(PoolQrelsOptions)
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
    from irev.engine.prepared_judgments import read_judgments

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
    """The plan of a result, of a design in memory, or of a design file."""
    if isinstance(design, PoolResult):
        return design.plan
    path = os.fspath(design) if isinstance(design, str | os.PathLike) else None
    try:
        if path is not None:
            return plan_of_design(parse_json(read_all(path)))
        if isinstance(design, Mapping):
            return plan_of_design(design)
    except InputError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, IrevError):
        pass
    if path is None:
        raise UsageError("the design must be what irev.pool gave, or the path of its design file")
    message = "this is not a design that 'irev pool' wrote"
    raise InputError([Problem(path, None, "bad-settings", message)])


def _unfinished_warnings(grades: PlanGrades) -> Iterator[Notice]:
    if grades.num_missing:
        message = (
            "1 document that was to be judged has no grade: it is written as not drawn, although "
            "the sample included it"
            if grades.num_missing == 1
            else f"{grades.num_missing:,} documents that were to be judged have no grade: they are "
            "written as not drawn, although the sample included them"
        )
        yield Notice("unfinished-pool", message)
    if grades.num_unplanned:
        is_one = grades.num_unplanned == 1
        verb, whose = ("was", "its grade is") if is_one else ("were", "their grades are")
        documents = count_text(grades.num_unplanned, "judged document")
        message = f"{documents} {verb} not to be judged: {whose} left out"
        yield Notice("unfinished-pool", message)
    if grades.num_unpooled:
        verb = "is" if grades.num_unpooled == 1 else "are"
        documents = count_text(grades.num_unpooled, "judged document")
        yield Notice("unfinished-pool", f"{documents} {verb} not in the pool, and left out")


# --- What is to be judged of a pool ---


@record
class JudgingPlan:
    """P documents of a pool, by topic and document id, and which of them are to be judged.

    topics    T ids, in byte order
    topic     int64[P], rising
    docs      P document ids
    stratum   int64[P], of `strata`
    to_judge  bool[P]
    """

    strata: tuple[RankStratum, ...]
    seed: int
    replicate: int
    topics: tuple[bytes, ...]
    topic: Ints
    docs: Ids
    stratum: Ints
    to_judge: Bools


def make_plan(
    pool: Pool, strata: Sequence[RankStratum], seed: int, replicate: int = 0
) -> JudgingPlan:
    """Draw from the strata of a pool; of each that a topic has, one document at least.

    Nothing is drawn again, since nothing is known of relevance. Documents in no stratum are left
    out of the pool.
    """
    strata = tuple(strata)
    stratum = strata_of(pool.best_rank, strata)
    inside = np.flatnonzero(stratum >= 0)
    topic, stratum, docs = pool.topic[inside], stratum[inside], pool.docs.take(inside)
    group = topic * len(strata) + stratum
    counts = np.bincount(group, minlength=len(pool.topics) * len(strata)).tolist()
    sizes = [
        sample_size(strata[index % len(strata)].rate, count) for index, count in enumerate(counts)
    ]
    keys = keys_of_rows(seed, replicate, 0, pool.topics, topic, docs)
    to_judge = lowest_keys_mask(keys, group, np.array(sizes, np.int64))
    return JudgingPlan(strata, seed, replicate, pool.topics, topic, docs, stratum, to_judge)


def judging_list(plan: JudgingPlan) -> Iterator[bytes]:
    """Lines `TOPIC DOCUMENT` by topic, in an order that tells nothing of runs, ranks or strata.

    Raises:
        IrevError: an id that would be several fields or lines, as those of tables may be.
    """
    rows = np.flatnonzero(plan.to_judge)
    topic, docs = plan.topic[rows], plan.docs.take(rows)
    keys = keys_of_rows(plan.seed, plan.replicate, SHUFFLE, plan.topics, topic, docs)
    order = np.lexsort((keys, topic))
    topic_ids = [plan.topics[index] for index in topic[order].tolist()]
    document_ids = docs.take(order).compact().to_list()
    for each in (*plan.topics, *document_ids):
        if each.split() != [each]:
            raise IrevError(
                f"the id '{id_text(each)}' holds a blank or a line break, and so cannot stand in a "
                "list of documents to judge: give it another in the run, or leave it out"
            )
    return (b"%b %b\n" % each for each in zip(topic_ids, document_ids, strict=True))


@record
class PlanGrades:
    """The grades of a plan's documents.

    grade          float64[P], -1 for what was not judged
    num_missing    documents that were to be judged and have no grade
    num_unplanned  judged documents that were in the pool and not to be judged: no grade here
    num_unpooled   judged documents that are not in the pool, likewise
    """

    grade: Floats
    num_missing: int
    num_unplanned: int
    num_unpooled: int


def plan_grades(plan: JudgingPlan, judgments: Qrels) -> PlanGrades:
    """The grades of a plan's documents, of those that were to be judged."""
    index_of = {topic: index for index, topic in enumerate(plan.topics)}
    plan_index = np.array([index_of.get(topic, -1) for topic in judgments.topics], np.int64)
    topic = plan_index[judgments.topic_of_row]
    rows = np.flatnonzero((topic >= 0) & (judgments.grade >= 0))
    pairs = index_documents(plan.topic, len(plan.topics), plan.docs)
    if not isinstance(pairs, DocumentIndex):
        raise AssertionError("a plan holds a document once")
    docs, hashes = judgments.docs.take(rows), judgments.hashes[rows]
    found_rows, plan_rows = pairs.find(topic[rows], docs, hashes)
    grade = np.full(len(plan.topic), UNJUDGED)
    grade[plan_rows] = judgments.grade[rows[found_rows]]
    unplanned = (grade >= 0) & ~plan.to_judge
    grade[unplanned] = UNJUDGED
    missing = plan.to_judge & (grade < 0)
    num_judged = int((judgments.grade >= 0).sum())
    return PlanGrades(grade, int(missing.sum()), int(unplanned.sum()), num_judged - len(plan_rows))


# --- Designs, as files hold them ---

_KIND = "irev pool design 1"


def design_data(
    plan: JudgingPlan, runs: Sequence[PooledRun], depth: int | None, ties: str
) -> dict[str, Any]:
    """A design: seed, rates, runs with their hashes; of each topic and stratum the documents.

    `judge` are the documents that were drawn, `leave` the others of the stratum.
    """
    strata_by_topic: dict[str, list[dict[str, list[str]]]] = {
        as_text(topic): [{"judge": [], "leave": []} for _ in plan.strata] for topic in plan.topics
    }
    strata_by_index = list(strata_by_topic.values())
    columns = plan.topic.tolist(), plan.stratum.tolist(), plan.to_judge.tolist()
    rows = zip(*columns, plan.docs.to_list(), strict=True)
    for topic, stratum, to_judge, document in rows:
        strata_by_index[topic][stratum]["judge" if to_judge else "leave"].append(as_text(document))
    return {
        "kind": _KIND,
        "seed": plan.seed,
        "replicate": plan.replicate,
        "depth": depth,
        "ties": ties,
        "strata": [{"ranks": s.name, "rate": rate_text(s.rate)} for s in plan.strata],
        "runs": [
            {
                "path": run.path or run.name,
                "sha256": _sha256_of_file(run.path),
                "documents": run.num_documents,
                "unique": run.num_unique,
            }
            for run in runs
        ],
        "topics": strata_by_topic,
    }


def _sha256_of_file(path: str) -> str | None:
    """The hash of a file as it lies there; None for what is no file."""
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def design_text(design: Mapping[str, Any]) -> bytes:
    """A design as its file holds it."""
    return json.dumps(design, indent=1).encode() + b"\n"


def plan_of_design(design: Mapping[str, Any]) -> JudgingPlan:
    """The plan that a design holds; some error of Python where it is none."""
    if design["kind"] != _KIND:
        raise ValueError("another kind")
    strata = parse_strata(",".join(f"{s['ranks']}={s['rate']}" for s in design["strata"]))
    rows = [
        (as_bytes(topic), as_bytes(document), stratum, word == "judge")
        for topic, strata_of_topic in design["topics"].items()
        for stratum, documents in enumerate(strata_of_topic)
        for word in ("judge", "leave")
        for document in documents[word]
    ]
    if any(stratum >= len(strata) for _, _, stratum, _ in rows):
        raise ValueError("a stratum that the design does not name")
    rows.sort()
    if len({row[:2] for row in rows}) < len(rows):
        raise ValueError("duplicate document")
    topics = tuple(sorted({row[0] for row in rows}))
    index_of = {topic: index for index, topic in enumerate(topics)}
    return JudgingPlan(
        strata,
        int(design["seed"]),
        int(design["replicate"]),
        topics,
        np.array([index_of[topic] for topic, _, _, _ in rows], np.int64),
        ids_from_bytes([document for _, document, _, _ in rows]),
        np.array([stratum for _, _, stratum, _ in rows], np.int64),
        np.array([to_judge for _, _, _, to_judge in rows], bool),
    )


# --- Rates of sampling as they are written: `10%`, `0.1`, `1/3`, `1-10=100%,11-50=30%` ---
# A rate is an exact fraction: 14.5 of 100 documents is a half that is rounded as the rule says,
# which the nearest binary number to 0.145 is not.

_NUMBER = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+|[0-9]+/0*[1-9][0-9]*)(%?)", re.ASCII)
_RANKS = re.compile(r"([0-9]{1,9})(?:(-)([0-9]{1,9})?)?", re.ASCII)
_HINT = "such as 1-10=100%,11-50=30%"


@record(eq=True)
class RankStratum:
    """The documents whose best rank is in `first`..`last`, and the rate at which they are drawn.

    Without a `last` it reaches to the end, and holds the documents too that no run retrieved.
    """

    first: int
    last: int | None
    rate: Fraction

    @property
    def name(self) -> str:
        """The ranks: `11-50`, `7`, `51-`."""
        if self.last == self.first:
            return str(self.first)
        return f"{self.first}-{'' if self.last is None else self.last}"


RateOrStrata = Fraction | tuple[RankStratum, ...]


def parse_rate_or_strata(rate: object) -> RateOrStrata:
    """A rate, or strata where there is a `=` in a text; a number is the rate that it is written as.

    What has been parsed stays as it is.
    """
    if isinstance(rate, Fraction | tuple):
        return rate
    is_number = isinstance(rate, int | float) and not isinstance(rate, bool) and abs(rate) < 1e9
    if not is_number and not isinstance(rate, str):
        raise UsageError(f"{shown_value(rate)} is not a rate such as 10% or 0.1")
    text = rate if isinstance(rate, str) else f"{Decimal(str(rate)):f}"
    return parse_strata(text) if "=" in text else parse_rate(text)


def parse_rate(text: str) -> Fraction:
    """The rate that a text is: above 0, at most 1."""
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > 100:
        raise UsageError(f"'{text}' is not a rate such as 10% or 0.1")
    value = Fraction(match[1].rstrip(".")) / (100 if match[2] else 1)
    if not 0 < value <= 1:
        hint = f"; {text}% is written with its %" if 1 < value <= 100 and not match[2] else ""
        raise UsageError(f"a rate must be above 0 and at most 100%, not {text}{hint}")
    return value


def parse_strata(text: str) -> tuple[RankStratum, ...]:
    """The strata that a text names, in the order of their ranks."""
    strata = []
    for each in text.split(","):
        ranks, equals, rate = each.partition("=")
        match = _RANKS.fullmatch(ranks)
        if not equals or match is None:
            raise UsageError(f"'{each}' is not a stratum: write ranks and a rate, {_HINT}")
        first = int(match[1])
        last = int(match[3]) if match[3] else None if match[2] else first
        if first < 1 or (last is not None and last < first):
            raise UsageError(f"'{ranks}' is not a range of ranks from 1, {_HINT}")
        strata.append(RankStratum(first, last, parse_rate(rate)))
    strata.sort(key=lambda stratum: stratum.first)
    for stratum, next_stratum in pairwise(strata):
        if stratum.last is None or stratum.last >= next_stratum.first:
            raise UsageError(f"the strata {stratum.name} and {next_stratum.name} overlap")
    return tuple(strata)


def rate_text(rate: Fraction) -> str:
    """A rate as it is written: `12.5%`, and `1/3` where no decimal says it."""
    text = f"{float(rate * 100):.12g}%"
    return text if Fraction(text[:-1]) / 100 == rate else str(rate)


def strata_of(best_rank: DocumentRanks, strata: tuple[RankStratum, ...]) -> Ints:
    """int64[N]: the stratum of each best rank (0: not retrieved); -1 where it is in none."""
    stratum_of_rank = np.full(len(best_rank), -1)
    for index, stratum in enumerate(strata):
        is_inside = best_rank >= stratum.first
        is_inside = (
            is_inside | (best_rank == 0)
            if stratum.last is None
            else is_inside & (best_rank <= stratum.last)
        )
        stratum_of_rank[is_inside] = index
    return stratum_of_rank


def close_strata_at_depth(
    strata: tuple[RankStratum, ...], depth: int | None
) -> tuple[tuple[RankStratum, ...], int | None]:
    """The strata of a pool and its depth, which is where they end if none is given.

    The last stratum may be open; it ends where the pool does.
    """
    next_rank = 1
    for stratum in strata:
        if stratum.first != next_rank:
            raise UsageError(f"rank {next_rank} of the pool is in no stratum")
        next_rank = 0 if stratum.last is None else stratum.last + 1
    end = strata[-1].last
    if end is None and depth is not None and depth >= strata[-1].first:
        return (*strata[:-1], replace(strata[-1], last=depth)), depth
    if depth is not None and depth != end:
        raise UsageError(f"the strata end at rank {end or strata[-1].first}, the pool at {depth}")
    return strata, end


# --- Samples: judgments of which some were drawn ---


UNJUDGED = -1.0
"""The grade of a document that is in the pool and not in the sample."""

QRELS, STRATA = "qrels", "strata"
"""Formats of judgments: four columns, or five, with the stratum."""

_LINES_AT_ONCE = 1 << 16


class DrawnSample(Protocol):
    """A sample: what is left of judgments, or of the documents of a collection.

    notices  what a reader must know of it
    """

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a reader must know."""

    def field_names(self, qrels_format: str) -> tuple[str, ...]:
        """What the fields of its lines hold."""

    def line_blocks(self, qrels_format: str) -> Iterator[bytes]:
        """Its lines, in blocks."""


@record
class QrelsSample:
    """N judged and pooled documents by topic, with the grades of those that were drawn.

    topics   T ids
    topic    int64[N], the topic of each document
    docs     N document ids
    grade    float64[N], below 0 for what is not judged
    strata   the names of the strata; empty: there are none
    stratum  int64[N], the stratum of each document
    """

    topics: Sequence[bytes]
    topic: Ints
    docs: Ids
    grade: Floats
    strata: Sequence[str]
    stratum: Ints
    notices: tuple[Notice, ...] = ()

    def field_names(self, qrels_format: str) -> tuple[str, ...]:
        """What the fields of its lines hold."""
        return tuple(JUDGMENTS[qrels_format].layouts[0].fields)

    def line_blocks(self, qrels_format: str) -> Iterator[bytes]:
        """Lines `TOPIC 0 DOCUMENT [STRATUM] GRADE`, by topic as they come and document id."""
        has_strata = qrels_format == STRATA
        if has_strata and not self.strata:
            raise UsageError("a sample that takes documents away has no strata")
        order = np.lexsort((*self.docs.sort_keys(), self.topic))
        for first in range(0, len(order), _LINES_AT_ONCE):
            rows = order[first : first + _LINES_AT_ONCE]
            topic_ids = [self.topics[index] for index in self.topic[rows].tolist()]
            grades = [_grade_text(grade) for grade in self.grade[rows].tolist()]
            document_ids = self.docs.take(rows).compact().to_list()
            if has_strata:
                names = [self.strata[index].encode() for index in self.stratum[rows].tolist()]
                fields = zip(topic_ids, document_ids, names, grades, strict=True)
                yield b"".join([b"%b 0 %b %b %b\n" % each for each in fields])
            else:
                triples = zip(topic_ids, document_ids, grades, strict=True)
                yield b"".join([b"%b 0 %b %b\n" % each for each in triples])


def _grade_text(grade: float) -> bytes:
    """A grade as it is written: whole where it is whole, -1 where there is none."""
    if grade < 0:
        return b"-1"
    return str(int(grade) if grade == int(grade) else grade).encode()


@record
class SampleResult(Result):
    """Samples of judgments, or of a collection: `to_frame()` has a row for each document.

    Several samples are numbered by their replicates, as `to_frames()` has them: "sample-0",
    "sample-1" ...
    """

    samples: tuple[DrawnSample, ...]
    first_replicate: int = 0

    shown_by: ClassVar[str] = "irev.jobs.pool.pool:samples_document"

    @property
    def sample_names(self) -> list[str]:
        """What the samples are called."""
        if len(self.samples) == 1:
            return ["sample"]
        return [f"sample-{self.first_replicate + n}" for n in range(len(self.samples))]

    def text(
        self,
        form: str = "text",
        decimals: int = 4,
        width: int | None = WIDTH,
        *,
        details: bool = False,
    ) -> str:
        """The lines of the samples, or their tables in a form of output.

        Args:
            form: "qrels" for lines of judgments, "strata" for such with the stratum of each
                document, or what `Result.text` takes.
            decimals: how many, in the forms that people read.
            width: characters in a line of a table; None: however many it needs.
            details: whether the details are shown too, where there are some.
        """
        if form not in (QRELS, STRATA):
            return super().text(form, decimals, width, details=details)
        blocks = (block for sample in self.samples for block in sample.line_blocks(form))
        return b"".join(blocks).decode("utf-8", "backslashreplace").rstrip("\n")

    def to_frame(self, *, strata: bool = False) -> pd.DataFrame:
        """The first sample: topic, iteration, document, grade; with `strata` the stratum too."""
        if not strata:
            return super().to_frame()
        need_packages("pandas")
        import pandas as pd

        records = _records_of_each_sample(self, STRATA)[0]
        return pd.DataFrame(list(map(list, records.rows)), columns=list(records.fields))

    def _subject(self) -> str:
        return count_text(len(self.samples), "sample")


# --- Lists of documents and samples as documents ---


def judging_list_document(result: PoolResult, decimals: int) -> Document:
    """The list of documents to judge; the runs of the pool for programs, too."""
    lines = [*_whole_lines(result.list_lines())]
    runs = [[run.name, run.num_documents, run.num_unique] for run in result.runs]
    document = _lists_document(
        "pool", [_records_of_lines("pool", ("topic", "document"), lines)], lines
    )
    contributions = Records("runs", ("run", "documents", "unique"), runs)
    return document._replace(records=[*document.records, contributions])


def samples_document(result: SampleResult, decimals: int) -> Document:
    """The judgments of each sample, or the documents of the collection."""
    lines = [line for sample in result.samples for line in _whole_lines(sample.line_blocks(QRELS))]
    return _lists_document("sample", _records_of_each_sample(result, QRELS), lines)


def _records_of_each_sample(result: SampleResult, qrels_format: str) -> list[Records]:
    return [
        _records_of_lines(
            name, sample.field_names(qrels_format), _whole_lines(sample.line_blocks(qrels_format))
        )
        for name, sample in zip(result.sample_names, result.samples, strict=True)
    ]


def _records_of_lines(
    list_name: str, field_names: Sequence[str], lines: Iterable[bytes]
) -> Records:
    """The fields of some lines: ids are texts, grades numbers."""
    rows: list[list[str | float]] = []
    for line in lines:
        rows.append([])
        for field, cell in zip(field_names, map(as_text, line.split()), strict=True):
            number = parse_whole(cell) if field == "grade" else None
            rows[-1].append(cell if field != "grade" else float(cell) if number is None else number)
    return Records(list_name, field_names, rows)


def _whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    for block in blocks:
        yield from block.splitlines()


def _lists_document(title: str, lists: Sequence[Records], lines: Iterable[bytes]) -> Document:
    tables = [
        Table(
            [Head(field, "text") for field in records.fields],
            [[str(cell) for cell in row] for row in records.rows],
        )
        for records in lists
    ]
    return Document(
        title,
        tables,
        lists,
        lambda: [row for table in tables for row in table.rows],
        [as_text(line) for line in lines],
    )
