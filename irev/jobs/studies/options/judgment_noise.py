"""The options of `irev.studies.judgment_noise`."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from irev.core.option_records import Opt
from irev.jobs.studies.options.rankings import RankingStudyOptions
from irev.options import SEED
from irev.read.formats import GRADED

JUDGMENT_FORMATS = (*GRADED, "qrels_jg")
"""The formats of judgments of one assessor, in a file of each, and of several in one."""


class JudgmentNoiseOptions(RankingStudyOptions):
    """Whose judgments vary, or how."""

    without: ClassVar[Sequence[str]] = ("qrels_format", "seed")

    qrels_format: Annotated[str, Opt(
        "-R", metavar="FORMAT", effect="reading", choices=JUDGMENT_FORMATS,
        help=f"What QRELS hold: one assessor's judgments ({', '.join(GRADED)}) or several groups' "
        "(qrels_jg). Default: qrels.",
    )] = "qrels"  # fmt: skip
    theta: Annotated[float | None, Opt(
        "--theta", metavar="P",
        help="The probability that a judgment is right, from 0 to 1; 0.5 is judging at random.",
    )] = None  # fmt: skip
    trials: Annotated[int | None, Opt(
        "--trials", metavar="M", least=2, most=10_000_000,
        help="With --theta: how often everything is judged. Default: 1000.",
    )] = None  # fmt: skip
    seed: Annotated[int | None, SEED.replace(
        help="With --theta: seed of the draws. Default: 0."
    )] = None  # type: ignore[assignment]  # fmt: skip
    topic_set_size: Annotated[int | None, Opt(
        "--topic-set-size", metavar="L", least=2, most=10_000_000,
        help="Without files: how many topics. Default: 50.",
    )] = None  # fmt: skip
    ranks: Annotated[int | None, Opt(
        "--ranks", metavar="N", least=1,
        help="Without files: how many documents each topic has. Default: 10.",
    )] = None  # fmt: skip
