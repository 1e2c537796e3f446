"""What can be chosen in a study: each option declared once, for Python and the command line."""

from collections.abc import Sequence
from typing import Annotated, Any

from irev.core.option_records import Opt, ResultOptions
from irev.core.text import parse_decimal
from irev.errors import UsageError
from irev.options import ALPHA, SEED
from irev.read.formats import GRADED
from irev.statistics.methods import (
    TESTS,
)

DEPTH = 100
"""Down to which rank documents of a run are changed, unless more is asked for."""


ALPHAS = (0.05, 0.01)

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
