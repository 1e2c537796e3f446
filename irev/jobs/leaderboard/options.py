"""How a leaderboard is made: which runs are shown, how they are ordered and tested."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from irev.core.option_records import Opt
from irev.core.wording import full_list
from irev.engine.confined import Limits
from irev.engine.run_files import FOLLOW_LINKS, MAX_RUNS
from irev.errors import UsageError
from irev.options import ALPHA, COLUMNS, SEED, ScoringOptions
from irev.statistics.methods import (
    CORRECTIONS,
    DEFAULT_TEST,
    INTERVALS,
    TESTS,
    InferenceSettings,
    num_resamples_needed,
)

if TYPE_CHECKING:
    from irev.engine.first_documents import FirstDocumentsNeed

SECTION = "Options of the board"

FAMILYWISE = tuple(name for name, each in CORRECTIONS.items() if each.familywise)
"""The corrections under which all that a board says of its pairs holds at once."""

TEST_NAMES = (*TESTS, "none")
INTERVAL_NAMES = (*INTERVALS, "none")


_CORRECTED = full_list([name for name in TEST_NAMES if name in TESTS and TESTS[name].simultaneous])
_OF_ONE_TEST = "".join(
    f" {name} is for the {CORRECTIONS[name].only_test} test."
    for name in FAMILYWISE
    if CORRECTIONS[name].only_test
)


class LeaderboardOptions(ScoringOptions, Limits):
    """How the runs of a board are ordered and tested, which are shown, and their limits."""

    without: ClassVar[Sequence[str]] = ("names",)

    columns: Annotated["Mapping[str, str] | Sequence[tuple[str, str]]", COLUMNS.replace(
        spelling="--table-columns"  # the other speaks of a board
    )] = ()  # fmt: skip
    """As elsewhere; on the command line `--table-columns`."""
    by: Annotated[str | None, Opt(
        "--by", metavar="NAME", section=SECTION, help_order=-9,
        help="Measure that ranks the runs. Default: the first.",
    )] = None  # fmt: skip
    """The measure that orders the runs, however it is spelled; of several in one name, and of all
    where it is None, the first that has a mean."""
    test: Annotated[str, Opt(
        "--test", section=SECTION, choices=TEST_NAMES, noun="test",
        help=f"Test of all pairs of runs. {_CORRECTED} need no further correction, but assume "
        "that the differences of all pairs have the same variance.",
    )] = DEFAULT_TEST  # fmt: skip
    """What says which runs differ; of all pairs of runs, and corrected for all of them: one of
    `TEST_NAMES`. docs/statistics.md says why the default is what it is."""
    correction: Annotated[str, Opt(
        "--correction", in_short_help=False, section=SECTION, choices=FAMILYWISE, noun="correction",
        help="Correction for the number of pairs." + _OF_ONE_TEST,
    )] = "holm"  # fmt: skip
    """Of a test that is not corrected in itself, for the number of pairs."""
    ci: Annotated[str, Opt(
        "--ci", section=SECTION, choices=INTERVAL_NAMES, noun="interval",
        help="Confidence intervals of means. hall: corrected for skewness (Hall 1992).",
    )] = "t"  # fmt: skip
    """Of the means: one of `INTERVAL_NAMES`."""
    alpha: Annotated[float, ALPHA.replace(
        section=SECTION, help="Significance level; intervals have level 1 - A."
    )] = 0.05  # fmt: skip
    """The level of the test; intervals are of level 1 - alpha."""
    resamples: Annotated[int, Opt(
        "--resamples", in_short_help=False, metavar="N", section=SECTION, least=1, most=10_000_000,
        help="Number of resamples of the test and of bootstrap intervals. A test with a correction "
        "draws more if it could otherwise not reject anything.",
    )] = 10_000  # fmt: skip
    """Of tests that draw, at least, and of bootstrap intervals."""
    seed: Annotated[int, SEED.replace(section=SECTION, help_order=-8)] = 0
    """Of all draws."""
    teams: Annotated[str | os.PathLike[str] | Mapping[str, str] | None, Opt(
        "--teams", metavar="FILE", section=SECTION, help_order=-8, file="always",
        help="Team of each run, one RUN TEAM per line. RUN is a run's name on the board, its "
        "file, or a folder with runs.",
    )] = None  # fmt: skip
    """The team of each run: a file, or a mapping {run: team}."""
    best_per_team: Annotated[bool, Opt(
        "--best-per-team", section=SECTION, help="Show only the best run of each team."
    )] = False  # fmt: skip
    follow_links: Annotated[bool, FOLLOW_LINKS.replace(section=SECTION)] = False
    max_runs: Annotated[int | None, MAX_RUNS.replace(section=SECTION)] = None
    """How many runs a submission may hold. None: a file in a folder one, a table that is named by
    its path 1,000, or any number where it is the only submission."""
    public: Annotated[str | os.PathLike[str] | float | None, Opt(
        "--public", metavar="FILE|SHARE", section=SECTION, file="maybe",
        help="Make two boards, for public and private topics. The public topics are listed in "
        "FILE, or drawn at random as a SHARE such as 30%.",
    )] = None  # fmt: skip
    """The public topics: a file that lists them, or their share, "30%" or 0.3."""
    accept_scores: Annotated[bool, Opt(
        "--accept-scores", in_short_help=False, section=SECTION,
        help="Accept saved scores as submissions, even with QRELS. irev cannot check "
        "such scores.",
    )] = False  # fmt: skip
    update: Annotated[str | os.PathLike[str] | None, Opt(
        "--update", in_short_help=False, metavar="FILE", section=SECTION, file="written",
        effect="nothing",
        help="Keep the scores of all submissions in FILE, and take from it those of files that "
        "have not changed since. It is trusted: nobody else may write it.",
    )] = None  # fmt: skip
    """A file that keeps the scores from one call to the next; it is made where there is none."""
    only: Annotated[Literal["public", "private"] | None, Opt(
        "--only", in_short_help=False, section=SECTION, help="With --public: show only that board."
    )] = None  # fmt: skip
    documents: Annotated[bool, Opt(
        "--documents", in_short_help=False, section=SECTION, effect="nothing",
        help="Let the html page show the first 10 documents of each run, with their grades. "
        "Without it a board tells no document.",
    )] = False  # fmt: skip
    """Whether the page of the board shows the first documents of the runs, with their grades."""
    judged_on_page: Annotated[bool, Opt(
        effect="nothing",
        help="Whether the html page says how many of the first documents of each run are judged.",
    )] = True  # fmt: skip
    """Whether the page says how many of the first documents of each run are judged, and what else
    they tell. Without a page there is no need to look at them."""

    def _check(self) -> None:
        super()._check()
        Limits._check(self)
        only = CORRECTIONS[self.correction].only_test
        if only and self.test != only:
            raise UsageError(f"--correction {self.correction} is for --test {only}")

    @property
    def first_documents_need(self) -> "FirstDocumentsNeed":
        """Whether runs tell their first documents; scores that are kept serve a page, too."""
        if self.documents:
            return "documents"
        return "counts" if self.judged_on_page or self.update is not None else ""

    def num_resamples(self, num_pairs: int) -> int:
        """How many resamples the test of so many pairs draws; 0 if it draws none."""
        test = TESTS[self.test]
        if not test.default_resamples or test.simultaneous:
            return self.resamples if test.default_resamples else 0
        return max(
            self.resamples,
            num_resamples_needed(self.test, self.correction, num_pairs, self.alpha),
        )

    def inference_settings(self, num_resamples: int) -> InferenceSettings:
        """What a test or an interval that draws so many is to know."""
        from irev.core import workers

        threads = self.threads or workers.default_threads()
        return InferenceSettings(
            alpha=self.alpha, num_resamples=num_resamples, seed=self.seed, threads=threads
        )
