"""What can be chosen in a study: each option declared once, for Python and the command line."""

from collections.abc import Sequence
from typing import Annotated, Any

from irev.core.option_records import Opt, ResultOptions
from irev.core.text import parse_decimal
from irev.core.wording import count_text
from irev.errors import UsageError
from irev.options import ALPHA, SEED
from irev.read.formats import GRADED
from irev.statistics.methods import (
    CORRECTIONS_OF_P,
    TESTS,
    TESTS_OF_MEANS,
    default_draws_text,
    num_resamples_of,
)

DEPTH = 100
"""Down to which rank documents of a run are changed, unless more is asked for."""


ALPHAS = (0.05, 0.01)

RATES = ("1", "2", "3", "4", "5", "10", "20", "30", "40", "50", "60", "70", "80", "90", "100")

OF_ASSESSORS = (*GRADED, "qrels_jg")
"""The formats of judgments of one assessor, in a file of each, and of several in one."""


def real_numbers(option: str, text: str) -> list[float]:
    """Numbers with commas between them."""
    found = []
    for word in text.split(","):
        number = parse_decimal(word)
        if number is None:
            raise UsageError(f"{option} {text}: '{word}' is not a number")
        found.append(number)
    return found


def _listed(text: str) -> Sequence[str]:
    return text.split(",")


_ALPHA = ALPHA.replace(help="The level of significance.")


class PairTest(ResultOptions):
    """How all pairs of runs are tested; `kind` is one of `methods.TESTS`."""

    alphas: Annotated[Sequence[float | str], Opt(
        "--alpha", metavar="A",
        help="A level of significance; may be repeated. Default: 0.05 and 0.01.",
    )] = ()  # fmt: skip
    kind: Annotated[str, Opt(
        "--test", choices=tuple(TESTS), help="The test of all pairs.",
    )] = "bootstrap"  # fmt: skip
    resamples: Annotated[int, Opt(
        "-B", "--resamples", metavar="B", least=1,
        help="How many samples of the topics, or permutations, are drawn.",
    )] = 1000  # fmt: skip
    seed: Annotated[int, SEED.replace(help="Seed of the samples and sets of topics.")] = 0
    size: Annotated[int | None, Opt(
        "--topic-set-size", metavar="C", least=2,
        help="Sets of so many topics. Default: all topics for samples with replacement, half "
        "of them for --swap and --stability. For more than half, --swap extrapolates.",
    )] = None  # fmt: skip

    def _check(self) -> None:
        if self.size and self.kind != "bootstrap":
            raise UsageError(f"a size of topic sets needs the bootstrap test, not {self.kind}")

    @property
    def levels(self) -> tuple[float, ...]:
        """The levels of significance, each once."""
        read = (
            number
            for each in self.alphas
            for number in (real_numbers("--alpha", each) if isinstance(each, str) else [each])
        )
        return tuple(dict.fromkeys(read)) or ALPHAS

    @property
    def drawn(self) -> int:
        """How many resamples are drawn; 0 by a test that draws none."""
        return self.resamples if TESTS[self.kind].default_resamples else 0

    @property
    def correction(self) -> str:
        """What is done about the number of pairs."""
        return "of the test itself" if TESTS[self.kind].simultaneous else "none"


FUZZINESS = tuple(percent / 100 for percent in range(1, 11))


_METHODS = "Other methods"


class Beside(ResultOptions):
    """What is asked for beside discriminative power; `gold` by their printed names."""

    swap: Annotated[bool, Opt(
        "--swap", section=_METHODS,
        help="The swap method (Voorhees and Buckley 2002): how often two disjoint sets of "
        "topics contradict each other, and the difference that is required.",
    )] = False  # fmt: skip
    replaced: Annotated[bool, Opt(
        "--with-replacement", section=_METHODS,
        help="With --swap: two samples of all topics with replacement (Sakai 2006).",
    )] = False  # fmt: skip
    stability: Annotated[bool, Opt(
        "--stability", section=_METHODS,
        help="The stability method (Buckley and Voorhees 2000): error rates and ties.",
    )] = False  # fmt: skip
    trials: Annotated[int | None, Opt(
        "--trials", metavar="N", least=1, section=_METHODS,
        help="With --swap or --stability: how many sets are drawn. Default: 1000.",
    )] = None  # fmt: skip
    gold: Annotated[Sequence[str], Opt(
        "--concordance", metavar="GOLD", section=_METHODS,
        help="Where two measures disagree, which of them agrees with this simple one (Sakai "
        "2012); may be repeated.",
    )] = ()  # fmt: skip

    def _check(self) -> None:
        if self.replaced and not self.swap:
            raise UsageError("--with-replacement needs --swap")
        if self.trials and not (self.swap or self.stability):
            raise UsageError("--trials needs --swap or --stability")

    @property
    def sets(self) -> int:
        """How many sets of topics are drawn by either method."""
        return self.trials or 1000

    def extrapolates(self, size: int, topics: int) -> bool:
        """Whether swap rates of sets of so many topics are fitted: two would not be disjoint."""
        return self.swap and not self.replaced and size > topics // 2

    def parameters(self, size: int, topics: int) -> dict[str, Any]:
        """What was asked for, as JSON can hold it; nothing else."""
        found: dict[str, Any] = {}
        if self.swap:
            found["swap"] = "samples" if self.replaced else "disjoint"
        if self.extrapolates(size, topics):
            found["swap"] = "extrapolated"
        if self.stability:
            found["stability"] = [float(share) for share in FUZZINESS]
        if found:
            found["trials"] = self.sets
        if self.gold:
            found["concordance"] = list(self.gold)
        return found


class SampledRates(ResultOptions):
    """What is drawn: shares in percent, samples of each, and what they depend on."""

    rates: Annotated[Sequence[str], Opt(
        "--rates", metavar="LIST", parse=_listed,
        help="How much of each topic's judgments is kept, in percent. Default: "
        "1,2,3,4,5,10,20,...,100.",
    )] = RATES  # fmt: skip
    repeat: Annotated[int, Opt(
        "--repeat", metavar="N", least=1, help="How many samples are drawn from each rate.",
    )] = 10  # fmt: skip
    imperfect: Annotated[Sequence[str], Opt(
        "--imperfect", metavar="LIST", parse=_listed,
        help="How much of the collection is kept, in percent, such as 50,60,70,80,90,100.",
    )] = ()  # fmt: skip
    seed: Annotated[int, SEED.replace(
        help="Seed of the samples."
    )] = 0  # fmt: skip


_PREFERENCE_ALPHA = 0.05
"""The level at which as many are drawn as the correction needs."""


class PreferenceTest(ResultOptions):
    """How the mean preference of each pair of runs is tested against 0.

    The correction is for the number of pairs, of this test and of the sign test.
    """

    kind: Annotated[str, Opt(
        "--test", choices=TESTS_OF_MEANS,
        help="The test of the mean preference. Default: permutation, exact where possible.",
    )] = "permutation"  # fmt: skip
    correction: Annotated[str, Opt(
        "--correction", choices=CORRECTIONS_OF_P,
        help="The correction for the number of pairs of runs.",
    )] = "holm"  # fmt: skip
    resamples: Annotated[int | None, Opt(
        "-B", "--resamples", metavar="B", least=1,
        help="How many permutations, or samples of the topics, are drawn where a test is not "
        f"exact. Default: {default_draws_text(TESTS_OF_MEANS)}, or as many as the correction "
        "needs.",
    )] = None  # fmt: skip
    seed: Annotated[int, SEED.replace(help="Seed of the draws.")] = 0

    def drawn(self, pairs: int) -> int:
        """How many are drawn for a pair where p cannot be found exactly; 0 of a test without."""
        return num_resamples_of(
            self.kind, self.correction, pairs, _PREFERENCE_ALPHA, self.resamples
        )

    def parameters(self, pairs: int) -> dict[str, Any]:
        """What was chosen, as JSON can hold it."""
        drawn = self.drawn(pairs)
        draws = {"resamples": drawn, "seed": self.seed} if drawn else {}
        return {"test": self.kind, **draws, "correction": self.correction, "hypotheses": pairs}

    def said(self, topics: int, pairs: int) -> str:
        """The tests, as a reader must know them."""
        drawn = self.drawn(pairs)
        what = (
            "exact, or {} permutations"
            if TESTS[self.kind].exact_if_possible
            else "{} samples of the topics"
        )
        draws = f" ({what.format(drawn)}, seed {self.seed})" if drawn else ""
        return (
            "sign p: sign test, ties dropped; p: "
            f"{TESTS[self.kind].phrase} of the mean preference{draws}; two-sided, "
            f"n={topics} topics, family of {count_text(pairs, 'pair')} of runs for each "
            "preference, "
            f"correction: {self.correction}"
        )
