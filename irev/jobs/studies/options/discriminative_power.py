"""The options of `irev.studies.discriminative_power`."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from irev.core.option_records import Opt
from irev.errors import UsageError
from irev.jobs.studies.options.shared import FOUR, TeamOptions
from irev.options import ALPHA, BETA, LOG_BASE, MAX_GRADE, PREDICTED, SEED, Options, ScoringOptions
from irev.statistics.methods import TESTS

ALPHAS = (0.05, 0.01)
"""The levels of significance where none is named."""

FUZZINESS = tuple(percent / 100 for percent in range(1, 11))
"""Of the stability method: means are tied whose difference is below so much of the larger."""

_METHODS = "Other methods"


class DiscriminativePowerOptions(TeamOptions, ScoringOptions):
    """How all pairs of runs are tested, under which gains, and what other methods are used.

    Several gains make a block of results each. `against` and `concordance` name measures.
    """

    without: ClassVar[Sequence[str]] = ("classes", *PREDICTED)
    default_measures: ClassVar[tuple[str, ...]] = (*FOUR, "nDCG@10", "P@10")

    alphas: Annotated[Sequence[float], ALPHA.replace(
        help="Significance level; may be repeated. Default: 0.05 and 0.01.",
    )] = ()  # fmt: skip
    test: Annotated[str, Opt(
        "--test", choices=tuple(TESTS), help="The test of all pairs.",
    )] = "bootstrap"  # fmt: skip
    resamples: Annotated[int, Opt(
        "-B", "--resamples", metavar="B", least=1, most=10_000_000,
        help="Number of samples of the topics, or of permutations.",
    )] = 1000  # fmt: skip
    seed: Annotated[int, SEED.replace(help="Seed of the samples and sets of topics.")] = 0
    topic_set_size: Annotated[int | None, Opt(
        "--topic-set-size", metavar="C", least=2, most=10_000_000,
        help="Number of topics in a set. Default: all topics for samples with replacement, half "
        "of them for --swap and --stability. For more than half, --swap extrapolates.",
    )] = None  # fmt: skip
    against: Annotated[str | None, Opt(
        "--against", metavar="NAME",
        help="Mark the measures that find more significant pairs than this one. Default: AP.",
    )] = None  # fmt: skip
    gains: Annotated[Sequence[str], Opt(
        "--gains", metavar="MAP|RATIO|exp",
        help="Gains of the grades, the highest first, such as 3:2:1; repeated, a block of results "
        "for each.",
    )] = ()  # fmt: skip
    swap: Annotated[bool, Opt(
        "--swap", section=_METHODS,
        help="The swap method (Voorhees and Buckley 2002). It finds how often two disjoint sets of "
        "topics contradict each other, and the difference that is required.",
    )] = False  # fmt: skip
    with_replacement: Annotated[bool, Opt(
        "--with-replacement", section=_METHODS,
        help="With --swap: two samples of all topics with replacement (Sakai 2006).",
    )] = False  # fmt: skip
    stability: Annotated[bool, Opt(
        "--stability", section=_METHODS,
        help="The stability method (Buckley and Voorhees 2000): error rates and ties.",
    )] = False  # fmt: skip
    trials: Annotated[int | None, Opt(
        "--trials", metavar="N", least=1, most=10_000_000, section=_METHODS,
        help="With --swap or --stability: how many sets are drawn. Default: 1000.",
    )] = None  # fmt: skip
    concordance: Annotated[Sequence[str], Opt(
        "--concordance", metavar="GOLD", section=_METHODS,
        help="Where two measures disagree, which of them agrees with this simple one (Sakai "
        "2012); may be repeated.",
    )] = ()  # fmt: skip
    # the gains are an option of their own
    defaults: Annotated[Sequence[tuple[str, Any]], BETA, LOG_BASE, MAX_GRADE] = ()

    def _check(self) -> None:
        super()._check()
        if self.topic_set_size and self.test != "bootstrap":
            raise UsageError(f"a size of topic sets needs the bootstrap test, not {self.test}")
        if len(set(self.gains)) < len(self.gains):
            raise UsageError("--gains: duplicate gains")
        if self.with_replacement and not self.swap:
            raise UsageError("--with-replacement needs --swap")
        if self.trials and not (self.swap or self.stability):
            raise UsageError("--trials needs --swap or --stability")

    @property
    def levels(self) -> tuple[float, ...]:
        """The levels of significance, each once."""
        return tuple(dict.fromkeys(self.alphas)) or ALPHAS

    @property
    def num_resamples(self) -> int:
        """How many resamples are drawn; 0 by a test that draws none."""
        return self.resamples if TESTS[self.test].default_resamples else 0

    @property
    def correction(self) -> str:
        """What is done about the number of pairs."""
        return "of the test itself" if TESTS[self.test].simultaneous else "none"

    @property
    def num_trials(self) -> int:
        """How many sets of topics are drawn by either other method."""
        return self.trials or 1000

    def with_gains(self, gains: str) -> "DiscriminativePowerOptions":
        """The same with gains of grades for all measures whose names leave them open."""
        values = {**dict(self.defaults), "gain": gains}
        keys = [opt.pair_key for opt in Options.fields()["defaults"].opts.values()]
        return self.replace(defaults=tuple((key, values[key]) for key in keys if key in values))

    def extrapolates(self, num_topics: int) -> bool:
        """Whether swap rates of larger sets are fitted: two would not be disjoint."""
        size = self.topic_set_size or 0
        return self.swap and not self.with_replacement and size > num_topics // 2

    def swap_stability_concordance_parameters(self, num_topics: int) -> dict[str, Any]:
        """The other methods, as JSON can hold them."""
        parameters: dict[str, Any] = {}
        if self.swap:
            parameters["swap"] = "samples" if self.with_replacement else "disjoint"
        if self.extrapolates(num_topics):
            parameters["swap"] = "extrapolated"
        if self.stability:
            parameters["stability"] = list(FUZZINESS)
        if parameters:
            parameters["trials"] = self.num_trials
        if self.concordance:
            parameters["concordance"] = list(self.concordance)
        return parameters
