"""How a leaderboard is made: the choices that change what it says."""

from typing import Annotated, Literal

from irev.boards.submissions import FOLLOW_LINKS
from irev.core.records import Choices, Opt
from irev.core.wording import every
from irev.options import ALPHA, SEED
from irev.statistics.methods import (
    CORRECTIONS,
    INTERVALS,
    TESTS,
    InferenceSettings,
    resamples_needed,
)

SECTION = "Options of the board"

CORRECTION = "holm"
"""What corrects the tests that are not corrected in themselves."""

TEST_NAMES = (*reversed(TESTS), "none")
INTERVAL_NAMES = (*INTERVALS, "none")


_CORRECTED = every([name for name in TEST_NAMES if name in TESTS and TESTS[name].simultaneous])


class BoardRules(Choices):
    """How the runs of a board are ordered and told apart."""

    by: Annotated[str | None, Opt(
        "--by", metavar="NAME", section=SECTION,
        help="The measure that orders the runs. Default: the first.",
    )] = None  # fmt: skip
    """The measure that orders the runs, however it is spelled; of several in one name, and of all
    where it is None, the first that has a mean."""
    test: Annotated[str, Opt(
        "--test", section=SECTION, choices=TEST_NAMES, noun="test",
        help=f"What says which runs differ, of all pairs: {_CORRECTED} are corrected in "
        f"themselves, the others by {CORRECTIONS[CORRECTION].phrase}.",
    )] = "rthsd-t"  # fmt: skip
    """What says which runs differ; of all pairs of runs, and corrected for all of them: one of
    `TEST_NAMES`."""
    interval: Annotated[str, Opt(
        "--ci", section=SECTION, choices=INTERVAL_NAMES, noun="interval",
        help="The intervals of means; none leaves out those of places too.",
    )] = "t"  # fmt: skip
    """Of the means: one of `INTERVAL_NAMES`."""
    alpha: Annotated[float, ALPHA.but(
        section=SECTION, help="The level of the test and, as 1 - A, of intervals."
    )] = 0.05  # fmt: skip
    """The level of the test; intervals are of level 1 - alpha."""
    resamples: Annotated[int, Opt(
        "--resamples", metavar="N", section=SECTION, least=1, most=10_000_000,
        help="How many the test and the bootstrap draw, a test that Holm corrects more where he "
        "could else reject nothing.",
    )] = 10_000  # fmt: skip
    """Of tests that draw, at least, and of the bootstrap over topics."""
    seed: Annotated[int, SEED.but(section=SECTION)] = 0
    """Of all draws."""
    threads: Annotated[int, Opt(least=1, effect="nothing")] = 1
    """How many work; never changes a result."""

    def drawn(self, pairs: int) -> int:
        """How many resamples the test of so many pairs draws; 0 if it draws none."""
        test = TESTS[self.test]
        if not test.draws or test.simultaneous:
            return self.resamples if test.draws else 0
        return max(self.resamples, resamples_needed(self.test, CORRECTION, pairs, self.alpha))

    def settings(self, resamples: int) -> InferenceSettings:
        """What a test or an interval that draws so many is to know."""
        return InferenceSettings(
            alpha=self.alpha, resamples=resamples, seed=self.seed, threads=self.threads
        )


class Chosen(Choices):
    """Which runs and topics are shown."""

    teams: Annotated[str | None, Opt(
        "--teams", metavar="FILE", section=SECTION, file="always",
        help="Who made which run: RUN TEAM on each line, where RUN is a run's name on the board, "
        "its file, or a folder with runs.",
    )] = None  # fmt: skip
    best_per_team: Annotated[bool, Opt(
        "--best-per-team", section=SECTION, help="Show the best run of each team only."
    )] = False  # fmt: skip
    follow_links: Annotated[bool, FOLLOW_LINKS.but(section=SECTION)] = False
    public: Annotated[str | None, Opt(
        "--public", metavar="FILE|SHARE", section=SECTION, file="maybe",
        help="A board for public topics, those listed in FILE or a SHARE such as 30% that is drawn "
        "by --seed, and one for the others, the private ones.",
    )] = None  # fmt: skip
    accept_scores: Annotated[bool, Opt(
        "--accept-scores", section=SECTION, acts=True,
        help="Take saved scores in place of runs, from whoever made them: with QRELS, submissions "
        "are runs else.",
    )] = False  # fmt: skip
    only: Annotated[Literal["public", "private"] | None, Opt(
        "--only", section=SECTION, help="With --public: show that board alone."
    )] = None  # fmt: skip
