"""What pools are made by, and what the judgments of a part of them are read by."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from irev.core.option_records import Opt
from irev.options import LEVEL, SEED, Options

if TYPE_CHECKING:
    from irev.read.formats import RunFormat

LIST_SECTION = "Making the list"
LEAVE_OUT_SECTION = "Leaving runs out"

DEPTH = 100
"""How deep a pool is where nobody says."""


def options_but(*used_names: str) -> tuple[str, ...]:
    """The options of an evaluation that play no part, given those that do."""
    return tuple(name for name in Options.fields() if name not in used_names)


class PooledRunsOptions(Options):
    """How deep runs are pooled, and how they are read and ordered."""

    without: ClassVar[tuple[str, ...]] = options_but("run_format", "columns", "level", "exclude")

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
    run_format: Annotated["RunFormat", Options.fields()["run_format"].opt.replace(
        section="Options", help_order=4
    )] = "trec_results"  # fmt: skip


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

    groups: Annotated["Mapping[str, str] | str | os.PathLike[str] | None", Opt(
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
