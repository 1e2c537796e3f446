"""What can be chosen in a study: each option declared once, for Python and the command line."""

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from irev.core.numbers import real, whole
from irev.core.records import Choices, Opt
from irev.core.text import as_bytes
from irev.core.wording import counted
from irev.errors import UsageError
from irev.options import SEED
from irev.statistics.methods import OF_MEANS, OF_P, TESTS, draws_said, resamples_of

DEPTH = 100
"""Down to which rank documents of a run are changed, unless more is asked for."""

RELEVANT, SCORES = "10,50,100", "0.1,0.3,0.5"

ALPHAS = (0.05, 0.01)

RATES = ("1", "2", "3", "4", "5", "10", "20", "30", "40", "50", "60", "70", "80", "90", "100")


def _number(option: str) -> Callable[[str], float]:
    """What reads the value of an option that is a real number."""

    def read(text: str) -> float:
        found = real(as_bytes(text))
        if found is None or not math.isfinite(found):
            raise UsageError(f"{option} {text}: this is no number")
        return found

    return read


def real_numbers(option: str, text: str) -> list[float]:
    """Numbers with commas between them.

    Raises:
        UsageError: one is none.
    """
    found = []
    for word in text.split(","):
        try:
            number = float(word)
        except ValueError:
            raise UsageError(f"{option} {text}: '{word}' is no number") from None
        if not math.isfinite(number):
            raise UsageError(f"{option} {text}: '{word}' is no finite number")
        found.append(number)
    return found


def whole_numbers(option: str, text: str) -> list[int]:
    """Whole numbers of at least 1, likewise."""
    found = []
    for word in text.split(","):
        number = whole(word)
        if number is None or number < 1:
            raise UsageError(f"{option} {text}: '{word}' is no whole number of at least 1")
        found.append(number)
    return found


def grades_present(text: str) -> list[float]:
    """The grades of relevant documents, likewise, each above 0."""
    found = real_numbers("--grades-present", text)
    if min(found) <= 0:
        raise UsageError(f"--grades-present {text}: the grades of relevant documents are above 0")
    return found


def one_number(option: str, text: str, wanted: str, least: float = -math.inf) -> float:
    """One number of at least so much; `wanted` says what else is wrong."""
    (number, *more) = real_numbers(option, text)
    if more or number < least:
        raise UsageError(f"{option} {text}: {wanted} is wanted")
    return number


def _listed(text: str) -> Sequence[str]:
    return text.split(",")


# Runs against each other


class Significance(Choices):
    """What is significant: the paired t test, two-sided, corrected over all pairs of runs."""

    alpha: Annotated[float, Opt(
        "--alpha", metavar="A", read=_number("--alpha"), help="The level of significance.",
    )] = 0.05  # fmt: skip
    correction: Annotated[str, Opt(
        "--correction", choices=OF_P,
        help=f"The correction of the {TESTS['t'].phrase}s for the number of pairs of runs.",
    )] = "holm"  # fmt: skip

    def _check(self) -> None:
        if not 0 < self.alpha < 1:
            raise UsageError(f"alpha lies between 0 and 1, not at {self.alpha:g}")

    def said(self, topics: int, runs: int) -> str:
        """The test, as a reader must know it."""
        pairs = runs * (runs - 1) // 2
        return (
            f"significant: {TESTS['t'].phrase}, two-sided, n={topics} topics, "
            f"alpha={self.alpha:g}, family of {pairs} pairs of runs, correction: {self.correction}"
        )


class Teams(Choices):
    """Studies of the best run of each team."""

    teams: Annotated[str | None, Opt(
        "--teams", metavar="FILE", file="always", content=True,
        help="Which team a run is of: RUN TEAM on each line.",
    )] = None  # fmt: skip
    best: Annotated[str | None, Opt(
        "--best-per-team", metavar="NAME",
        help="With --teams: keep the best run of each team by the mean of this measure.",
    )] = None  # fmt: skip

    def _check(self) -> None:
        if bool(self.teams) != bool(self.best):
            raise UsageError("--teams and --best-per-team go together")


class Compared(Choices):
    """What a study of correlation looks at, beside its measures."""

    sweeps: Annotated[Sequence[str], Opt(
        "--sweep", metavar="PARAMETER=LIST",
        help="Give every measure asked for that has this parameter each of these values: "
        "beta=0.1,1,10,100,1000; b=2,5,10; gain=3:2:1,10:5:1. May be repeated.",
    )] = ()  # fmt: skip
    against: Annotated[Sequence[str], Opt(
        "--against", metavar="NAME",
        help="With --sweep: what is compared with; may be repeated. Default: AP, and the "
        "measure as it was asked for.",
    )] = ()  # fmt: skip
    other_qrels: Annotated[Sequence[str], Opt(
        "--other-qrels", metavar="FILE", file="always", content=True,
        help="Order the runs under these judgments too; may be repeated.",
    )] = ()  # fmt: skip
    top: Annotated[int | None, Opt(
        "--top", metavar="N", least=2, help="Keep the N best runs."
    )] = None  # fmt: skip
    by: Annotated[str | None, Opt(
        "--by", metavar="NAME",
        help="With --top: by the mean of this measure; of equal runs the first by name. "
        "Default: the first measure.",
    )] = None  # fmt: skip


class Resampling(Choices):
    """The bootstrap over topics: how many samples, drawn from what, and the level of intervals."""

    resamples: Annotated[int | None, Opt(
        "--resamples", metavar="B", least=2,
        help="Standard errors of tau_b and tau_AP, and intervals of the level 1 - A, from B "
        "samples of the topics.",
    )] = None  # fmt: skip
    seed: Annotated[int | None, SEED.but(
        help="What the samples of the topics depend on. Default: 0."
    )] = None  # fmt: skip
    confidence: Annotated[float, Opt()] = 0.95

    def _check(self) -> None:
        if self.resamples is None and self.seed is not None:
            raise UsageError("--seed is of intervals: --resamples B asks for them")


class PairTest(Choices):
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
    seed: Annotated[int, SEED.but(help="What samples and sets of topics are drawn from.")] = 0
    size: Annotated[int | None, Opt(
        "--topic-set-size", metavar="C", least=2,
        help="Sets of so many topics. Default: all topics for samples with replacement, half "
        "of them for --swap and --stability. For more than half, --swap extrapolates.",
    )] = None  # fmt: skip

    def _check(self) -> None:
        if self.size and self.kind != "bootstrap":
            raise UsageError(f"a size of topic sets goes with the bootstrap test, not {self.kind}")

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
        return self.resamples if TESTS[self.kind].draws else 0

    @property
    def correction(self) -> str:
        """What is done about the number of pairs."""
        return "of the test itself" if TESTS[self.kind].simultaneous else "none"


class GainsAndBaseline(Choices):
    """Under which gains measures are looked at, and which of them all are set against."""

    against: Annotated[str | None, Opt(
        "--against", metavar="NAME",
        help="Mark the measures that find more significant pairs than this one. Default: AP.",
    )] = None  # fmt: skip
    all_gains: Annotated[Sequence[str], Opt(
        "--gains", metavar="MAP|RATIO|exp",
        help="The gains of grades, such as 3:2:1 from the highest grade down; repeated, a "
        "block of results for each.",
    )] = ()  # fmt: skip

    def _check(self) -> None:
        if len(set(self.all_gains)) < len(self.all_gains):
            raise UsageError("--gains: the same gains stand twice")


FUZZINESS = tuple(percent / 100 for percent in range(1, 11))

_METHODS = "Other methods"


class Beside(Choices):
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
            raise UsageError("--with-replacement goes with --swap")
        if self.trials and not (self.swap or self.stability):
            raise UsageError("--trials go with --swap or --stability")

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


class Sampling(Choices):
    """What is drawn: shares in percent, samples of each, and what they depend on."""

    rates: Annotated[Sequence[str], Opt(
        "--rates", metavar="LIST", read=_listed,
        help="How much of each topic's judgments is kept, in percent. Default: "
        "1,2,3,4,5,10,20,...,100.",
    )] = RATES  # fmt: skip
    repeat: Annotated[int, Opt(
        "--repeat", metavar="N", least=1, help="How many samples are drawn of each rate.",
    )] = 10  # fmt: skip
    imperfect: Annotated[Sequence[str], Opt(
        "--imperfect", metavar="LIST", read=_listed,
        help="How much of the collection is kept, in percent, such as 50,60,70,80,90,100.",
    )] = ()  # fmt: skip
    seed: Annotated[int, SEED.but(
        help="What the samples depend on, beside topics and documents."
    )] = 0  # fmt: skip


# Two runs, or an experiment and its reproduction


class Preferences(Choices):
    """Which preferences are looked at."""

    kinds: Annotated[
        Sequence[
            Literal["rpp", "invrpp", "dcgrpp", "lexirecall", "lexiprecision", "rrlexiprecision"]
        ],
        Opt(
            "-m", "--preference",
            help="Add a preference; may be repeated. Default: rpp, lexirecall and lexiprecision.",
        ),
    ] = ()  # fmt: skip


_PREFERENCE_ALPHA = 0.05
"""The level at which as many are drawn as the correction needs."""


class PreferenceTest(Choices):
    """How the mean preference of each pair of runs is tested against 0.

    The correction is for the number of pairs, of this test and of the sign test.
    """

    kind: Annotated[str, Opt(
        "--test", choices=OF_MEANS,
        help="The test of the mean preference. Default: permutation, exact where it can be.",
    )] = "permutation"  # fmt: skip
    correction: Annotated[str, Opt(
        "--correction", choices=OF_P, help="The correction for the number of pairs of runs."
    )] = "holm"  # fmt: skip
    resamples: Annotated[int | None, Opt(
        "-B", "--resamples", metavar="B", least=1,
        help="How many permutations, or samples of the topics, are drawn where a test is not "
        f"exact. Default: {draws_said(OF_MEANS)}, or as many as the correction needs.",
    )] = None  # fmt: skip
    seed: Annotated[int, SEED.but(help="What they are drawn from.")] = 0

    def drawn(self, pairs: int) -> int:
        """How many are drawn for a pair where p cannot be found exactly; 0 of a test without."""
        return resamples_of(self.kind, self.correction, pairs, _PREFERENCE_ALPHA, self.resamples)

    def parameters(self, pairs: int) -> dict[str, Any]:
        """What was chosen, as JSON can hold it."""
        drawn = self.drawn(pairs)
        draws = {"resamples": drawn, "seed": self.seed} if drawn else {}
        return {"test": self.kind, **draws, "correction": self.correction, "hypotheses": pairs}

    def said(self, topics: int, pairs: int) -> str:
        """The tests, as a reader must know them."""
        drawn = self.drawn(pairs)
        what = "exact, or {} permutations" if TESTS[self.kind].exact else "{} samples of the topics"
        draws = f" ({what.format(drawn)}, seed {self.seed})" if drawn else ""
        return (
            "sign p: sign test, ties dropped; p: "
            f"{TESTS[self.kind].phrase} of the mean preference{draws}; two-sided, "
            f"n={topics} topics, family of {counted(pairs, 'pair')} of runs for each preference, "
            f"correction: {self.correction}"
        )


_PERSISTENCE = Opt("-p", "--persistence", metavar="P", read=_number("-p"))


class Overlap(Choices):
    """How two rankings are compared."""

    persistence: Annotated[float, _PERSISTENCE.but(
        help="How far down a reader goes: the first 10 ranks weigh 86% at 0.9.",
    )] = 0.9  # fmt: skip
    tied: Annotated[Literal["a", "b", "w"], Opt(
        "--ties",
        help="Tied documents: the mean over all their orders (a, the default), that corrected "
        "so that a ranking has 1 with itself (b), or one shared rank (w).",
    )] = "a"  # fmt: skip
    decimal_comma: Annotated[bool, Opt(
        "--decimal", words={"point": False, "comma": True}, effect="reading",
        help="Whether the scores may have a decimal comma.",
    )] = False  # fmt: skip


class Experiments(Choices):
    """The runs of an experiment and of its reproduction."""

    baseline: Annotated[str | None, Opt(
        "--baseline", metavar="RUN", file="always", help="The original baseline."
    )] = None  # fmt: skip
    advanced: Annotated[str | None, Opt(
        "--advanced", metavar="RUN", file="always", help="The original advanced run."
    )] = None  # fmt: skip
    new_baseline: Annotated[str | None, Opt(
        "--new-baseline", metavar="RUN", file="always", help="The reproduced baseline."
    )] = None  # fmt: skip
    new_advanced: Annotated[str | None, Opt(
        "--new-advanced", metavar="RUN", file="always", help="The reproduced advanced run."
    )] = None  # fmt: skip
    new_qrels: Annotated[str | None, Opt(
        "--new-qrels", metavar="FILE", file="always",
        help="The judgments of the new runs, on other topics.",
    )] = None  # fmt: skip


class Reproduced(Choices):
    """How a reproduction is set against its original.

    Intervals of the effect ratio are of the level 1 - alpha; differences of means up to the margin
    are equal, which is not tested where there is none.
    """

    resamples: Annotated[int, Opt(
        "--resamples", metavar="B", least=2,
        help="Samples of the topics for the interval of ER.",
    )] = 1000  # fmt: skip
    seed: Annotated[int, SEED.but(help="What the samples of the topics depend on.")] = 0
    alpha: Annotated[float, Opt(
        "--alpha", metavar="A", read=_number("--alpha"),
        help="Intervals are of the level 1 - A.",
    )] = 0.05  # fmt: skip
    margin: Annotated[float | None, Opt(
        "--margin", metavar="D", read=_number("--margin"),
        help="Test whether means are equal but for this difference (two one-sided t tests).",
    )] = None  # fmt: skip
    persistence: Annotated[float, _PERSISTENCE.but(help="That of RBO.")] = 0.9

    def _check(self) -> None:
        if not 0 < self.alpha < 1:
            raise UsageError(f"--alpha {self.alpha:g}: a level lies between 0 and 1")


class Aims(Choices):
    """What a collection is meant to show."""

    difference: Annotated[float, Opt(
        "--difference", metavar="D", read=_number("--difference"),
        help="The smallest difference of means that must be found.",
    )] = 0.1  # fmt: skip
    alpha: Annotated[float, Opt(
        "--alpha", metavar="A", read=_number("--alpha"), help="The level of significance.",
    )] = 0.05  # fmt: skip
    power: Annotated[float, Opt(
        "--power", metavar="P", read=_number("--power"), help="The chance to find it."
    )] = 0.8  # fmt: skip
    width: Annotated[float | None, Opt(
        "--width", metavar="W", read=_number("--width"),
        help="The width of the interval of a difference. Default: the difference.",
    )] = None  # fmt: skip
    runs: Annotated[int | None, Opt(
        "--systems", metavar="M", least=2,
        help="The runs of an analysis of variance. Default: those that there are.",
    )] = None  # fmt: skip
    target: Annotated[float, Opt(
        "--target", metavar="R", read=_number("--target"),
        help="The reliability to be reached.",
    )] = 0.95  # fmt: skip
    limits: Annotated[float, Opt(
        "--limits", metavar="P", read=_number("--limits"),
        help="The level of the limits of an estimated variance.",
    )] = 0.8  # fmt: skip

    def _check(self) -> None:
        shares = {"alpha": self.alpha, "power": self.power, "target": self.target}
        for name, value in {**shares, "level": self.limits}.items():
            if not 0 < value < 1:
                raise UsageError(f"{name} lies between 0 and 1, not at {value:g}")
        if self.alpha >= self.power:
            raise UsageError(f"the power lies above alpha: {self.power:g}, {self.alpha:g}")
        for name, number in (("difference", self.difference), ("width", self.width)):
            if number is not None and not number > 0:
                raise UsageError(f"the {name} is a positive number, not {number:g}")


class Variances(Choices):
    """What a variance is taken from, beside the scores of a pilot."""

    variance: Annotated[float | None, Opt(
        "--variance", metavar="V", read=_number("--variance"),
        help="Without files: the variance of a run's scores over topics; that of differences "
        "is twice as large.",
    )] = None  # fmt: skip
    collections: Annotated[Sequence[str], Opt(
        "--collection", metavar="FILE", file="always",
        help="Saved scores on another collection; the variance is pooled over all. May be "
        "repeated.",
    )] = ()  # fmt: skip


# Rankings whose judgments change


class OneChange(Choices):
    """What becomes relevant, and in which ranking."""

    ranking: Annotated[str | None, Opt(
        "--ranking", metavar="GRADES",
        help="A made ranking: the grade at each rank, with commas; - is not judged.",
    )] = None  # fmt: skip
    relevant: Annotated[str | None, Opt(
        "--relevant", metavar="R",
        help="With --ranking: how many relevant documents there are, retrieved or not; those "
        "that are not have the smallest relevant grade. Default: those of the ranking. With "
        f"--undiscovered: a list. Default: {RELEVANT}.",
    )] = None  # fmt: skip
    present: Annotated[str | None, Opt(
        "--grades-present", metavar="GRADES",
        help="With --ranking, instead: the grades of all relevant documents, such as 3,2,1.",
    )] = None  # fmt: skip
    topic: Annotated[str | None, Opt(
        "-t", "--topic", metavar="TOPIC", help="Change the ranking of this topic alone."
    )] = None  # fmt: skip
    document: Annotated[str | None, Opt(
        "--doc", metavar="DOC", help="Change this document of it alone."
    )] = None  # fmt: skip
    grade: Annotated[str | None, Opt(
        "--grade", metavar="G",
        help="The grade that the document gets. Default: the smallest relevant one.",
    )] = None  # fmt: skip
    base: Annotated[Literal["grows", "recomputed", "fixed"], Opt(
        "--recall", "--ideal",
        help="Whether the number of relevant documents grows and the ideal list is recomputed "
        "(grows or recomputed, the default), or both stay as they are (fixed).",
    )] = "grows"  # fmt: skip
    depth: Annotated[int | None, Opt(
        "--depth", metavar="N", least=1,
        help=f"With a run: change documents down to this rank. Default: {DEPTH}.",
    )] = None  # fmt: skip
    undiscovered: Annotated[int | None, Opt(
        "--undiscovered", metavar="DEPTH", least=1,
        help="What a relevant document does that a pool of this depth missed.",
    )] = None  # fmt: skip
    scores: Annotated[str | None, Opt(
        "--scores", metavar="LIST",
        help=f"With --undiscovered: average precisions before. Default: {SCORES}.",
    )] = None  # fmt: skip

    def refuse(self, names: Sequence[str], what: str) -> None:
        """Refuse options that do not go with something."""
        for name in names:
            if getattr(self, name) is not None:
                spelled = self.fields()[name].opt.names[-1]
                raise UsageError(f"{spelled} does not go with {what}")


class MadeRankings(Choices):
    """All rankings of which documents."""

    present: Annotated[str, Opt(
        "--grades-present", metavar="GRADES", help="The grades of the relevant documents.",
    )] = "3,2,1"  # fmt: skip
    ranks: Annotated[int, Opt(
        "--ranks", metavar="N", least=1, most=1000, help="How many ranks there are."
    )] = 5  # fmt: skip
    picked: Annotated[Sequence[str], Opt(
        "--pick", metavar="RANKING",
        help="Show this ranking by itself, a digit a rank (30210) or grades with commas, "
        "and its scores over those of the rankings picked before it; may be repeated.",
    )] = ()  # fmt: skip


class Assessors(Choices):
    """Whose judgments vary, or how."""

    qrels_format: Annotated[Literal["qrels", "qrels_jg"], Opt(
        "-R", effect="reading",
        help="What QRELS hold: one assessor's judgments (the default) or several groups'.",
    )] = "qrels"  # fmt: skip
    theta: Annotated[str | None, Opt(
        "--theta", metavar="P",
        help="The probability that a judgment holds, from 0 to 1; 0.5 is judging at random.",
    )] = None  # fmt: skip
    trials: Annotated[int | None, Opt(
        "--trials", metavar="M", least=2,
        help="With --theta: how often everything is judged. Default: 1000.",
    )] = None  # fmt: skip
    seed: Annotated[int | None, SEED.but(
        help="With --theta: what is drawn. Default: 0."
    )] = None  # fmt: skip
    topic_set_size: Annotated[int | None, Opt(
        "--topic-set-size", metavar="L", least=2,
        help="Without files: how many topics. Default: 50.",
    )] = None  # fmt: skip
    ranks: Annotated[int | None, Opt(
        "--ranks", metavar="N", least=1,
        help="Without files: how many documents each topic has. Default: 10.",
    )] = None  # fmt: skip

    def refuse(self, names: Sequence[str], what: str) -> None:
        """Refuse options that do not go with something."""
        for name in names:
            if getattr(self, name) is not None:
                raise UsageError(f"--{name.replace('_', '-')} does not go with {what}")
