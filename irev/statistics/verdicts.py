"""What may be said of two runs: better, equal, cannot be decided, or not decided, in a sentence.

From top to bottom: what is known of a pair (`Evidence`), the rules that decide (`verdict_of`), the
verdict with its words, and what the topics can tell: the difference that they detect, and how many
a given difference needs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from irev.core.record import cached_property, record
from irev.core.text import count_text
from irev.errors import UsageError
from irev.statistics import variance
from irev.statistics.differences import Tail

Decision: TypeAlias = Literal["better", "equal", "cannot be decided", "not decided"]

POWER = 0.8
"""With this chance a detectable difference is found."""

SHARE_OF_RANGE = 0.05
"""The difference whose topics are counted where nobody names one, as a share of the range."""


class Evidence(NamedTuple):
    """What a test found of the difference of two runs: of `run`, less that of `against`.

    Whatever the measure, a positive difference says that `run` is better.

    run, against     the runs
    measure          its printed name
    difference       m, the mean difference
    low, high        the ends of its interval; infinite where there is none
    sd               s, the standard deviation of the differences that the test used
    num_topics       n
    df               the degrees of freedom of the test; None: n - 1
    p                corrected for the number of hypotheses
    num_differing    k, on how many topics the runs differ
    is_constant      whether the difference is the same on every topic, and not 0
    alpha            the level
    num_hypotheses   h: they share alpha in what is detectable; 1 where p is not corrected
    tail             "greater" asked whether `run` is better, "less" whether it is worse
    class_name       the class of topics; empty for all
    lower_is_better  whether a lower score is better
    width            of the range of the measure; infinite: it has none
    asked            the difference whose topics are counted; None: 0.05 of the width
    margin           within which the runs would be equal; None: nobody asked
    p_equal          the larger p of both one-sided tests of that margin
    favours          which run the test itself favours, where it does not test means: above 0 `run`,
                     below 0 `against`; None: as the difference does
    topics_of_weight n, as Kish counts them where topics have weights; None: n
    topics_are       what is said of the topics, such as "judged by people"
    """

    run: str
    against: str
    measure: str
    difference: float
    low: float
    high: float
    sd: float
    num_topics: int
    p: float
    num_differing: int
    is_constant: bool = False
    df: float | None = None
    alpha: float = 0.05
    num_hypotheses: float = 1
    tail: Tail = "two-sided"
    class_name: str = ""
    lower_is_better: bool = False
    width: float = math.inf
    asked: float | None = None
    margin: float | None = None
    p_equal: float = math.nan
    favours: float | None = None
    topics_of_weight: float | None = None
    topics_are: str = ""

    def turned(self) -> Evidence:
        """The same of the runs in the other order."""
        opposite: dict[Tail, Tail] = {"greater": "less", "less": "greater"}
        return self._replace(
            run=self.against,
            against=self.run,
            difference=-self.difference + 0.0,
            low=-self.high + 0.0,
            high=-self.low + 0.0,
            tail=opposite.get(self.tail, self.tail),
            favours=None if self.favours is None else -self.favours,
        )


def verdict_of(evidence: Evidence) -> PairVerdict:
    """The first that fits: better, equal, cannot be decided, not decided.

    better             p <= alpha
    equal              a margin was given, and both one-sided tests reject
    cannot be decided  the difference is the same on all topics, or the smallest p that sign flips
                       can give with the k topics that differ, 2^(1 - k) (one-sided 2^-k), is above
                       alpha; so it is of two runs that are alike
    not decided        else; also where a test that does not test means is significant for the run
                       whose mean is not better

    The first run of the verdict is the better one; where nothing was found, the one whose mean is
    better, or of a one-sided test the one that it asked about.
    """
    favours = evidence.difference if evidence.favours is None else evidence.favours
    is_significant = evidence.p <= evidence.alpha
    if evidence.tail != "two-sided" and is_significant:
        favours = 1.0 if evidence.tail == "greater" else -1.0
    is_asked_in_order = evidence.tail != "two-sided" and not is_significant
    if favours < 0 and not is_asked_in_order:
        evidence = evidence.turned()
    num_flips = evidence.num_differing - (evidence.tail == "two-sided")
    decision: Decision = "not decided"
    if is_significant and favours:
        # a test of signs may favour the run whose mean is lower
        if evidence.difference > 0:
            decision = "better"
    elif evidence.margin is not None and evidence.p_equal <= evidence.alpha:
        decision = "equal"
    elif evidence.is_constant or 2.0**-num_flips > evidence.alpha:
        decision = "cannot be decided"
    return PairVerdict(decision, evidence)


@record
class PairVerdict:
    """What may be said of a pair of runs.

    decision  better, equal, cannot be decided, not decided
    evidence  what it rests on; its first run is the one that the words speak of first
    """

    decision: Decision
    evidence: Evidence

    @property
    def words(self) -> str:
        """The verdict as a sentence."""
        return self.words_with(4)

    def words_with(self, decimals: int) -> str:
        """The verdict as a sentence whose numbers have so many decimals."""
        known = self.evidence
        if self.decision == "better":
            text = f"{known.run} is better than {known.against}"
            return f"{text}: {self._numbers_text(decimals)}"
        if self.decision == "equal":
            text = f"{known.run} and {known.against} are equal within {known.margin:g}"
            return f"{text}: {self._numbers_text(decimals)}"
        if self.decision == "cannot be decided":
            return f"{self._why_undecidable} ({self._pair_text(decimals)})"
        if known.p <= known.alpha:
            text = f"the test favours {known.run} over {known.against}, whose mean is not worse"
        else:
            side = "worse" if known.tail == "less" else "better"
            text = f"{known.run} is not significantly {side} than {known.against}"
        sentences = [f"{self._numbers_text(decimals)}.", *self._topic_sentences()]
        return f"not decided: {text}: {' '.join(sentences)}"

    @property
    def detectable(self) -> float:
        """The difference that these topics detect; NaN where the differences do not vary."""
        known = self.evidence
        return detectable_difference(
            known.num_topics,
            known.sd,
            known.alpha,
            known.num_hypotheses,
            df=known.df,
            tail=known.tail,
        )

    @property
    def asked(self) -> float | None:
        """The difference whose topics are counted; None where the measure has no range."""
        known = self.evidence
        if known.asked is not None:
            return known.asked
        return SHARE_OF_RANGE * known.width if math.isfinite(known.width) else None

    @cached_property
    def topics_needed(self) -> TopicsNeeded | None:
        """How many topics that difference needs; None where that cannot be said."""
        known = self.evidence
        if self.asked is None:
            return None
        return topics_needed(
            self.asked,
            known.sd,
            known.topics_of_weight or known.num_topics,
            known.alpha,
            known.num_hypotheses,
            tail=known.tail,
        )

    def row(self) -> dict[str, Any]:
        """The verdict for machines; None of what is not known."""
        known, needed = self.evidence, self.topics_needed
        return {
            "class": known.class_name,
            "measure": known.measure,
            "run": known.run,
            "against": known.against,
            "verdict": self.decision,
            "words": self.words,
            "difference": known.difference,
            "low": known.low,
            "high": known.high,
            "p": known.p,
            "n": known.num_topics,
            "s": known.sd,
            "detectable": self.detectable,
            "asked_difference": self.asked,
            "topics_needed": needed and needed.topics,
            "topics_needed_low": needed and needed.low,
            "topics_needed_high": needed and needed.high,
        }

    def _numbers_text(self, decimals: int) -> str:
        """The difference with its interval, p and the number of topics."""
        known = self.evidence
        facts = []
        level = f"{100 * (1 - known.alpha):.6g}%"
        low, high = (_decimals_text(end, decimals) for end in (known.low, known.high))
        if math.isfinite(known.low) and math.isfinite(known.high):
            facts.append(f"{level}: {low} to {high}")
        elif math.isfinite(known.low):
            facts.append(f"{level}: {low} or more")
        elif math.isfinite(known.high):
            facts.append(f"{level}: {high} or less")
        topics = f"{count_text(known.num_topics, 'topic')} {known.topics_are}".rstrip()
        if self.decision == "equal":
            facts.append(f"p equivalent {_p_text(known.p_equal, known.alpha)}, {topics}")
        else:
            facts.append(f"p {_p_text(known.p, known.alpha)}, {topics}")
        return f"{self._difference_text(decimals)} ({'; '.join(facts)})"

    def _difference_text(self, decimals: int) -> str:
        """The measure, and by how much the first run is better."""
        known = self.evidence
        name = known.measure + (f" on {known.class_name}" if known.class_name else "")
        text = _decimals_text(known.difference, decimals)
        if not known.lower_is_better:
            return f"{name} {text if text.startswith('-') else f'+{text}'}"
        return f"{name} {'higher' if text.startswith('-') else 'lower'} by {text.lstrip('-')}"

    def _pair_text(self, decimals: int) -> str:
        """Which runs are meant, and what there is of a difference."""
        known = self.evidence
        if not known.num_differing:
            name = known.measure + (f" on {known.class_name}" if known.class_name else "")
            return f"{known.run} and {known.against}: {name}"
        difference = self._difference_text(decimals)
        p = _p_text(known.p, known.alpha)
        return f"{known.run} against {known.against}: {difference}, p {p}"

    @property
    def _why_undecidable(self) -> str:
        known = self.evidence
        k, n = known.num_differing, known.num_topics
        if not k:
            return "no difference: the same scores on every topic"
        if known.is_constant:
            least = topics_for_sign_flips(known.alpha / known.num_hypotheses, known.tail)
            # weights leave fewer topics
            least = math.ceil(least * n / (known.topics_of_weight or n))
            return (
                f"cannot be decided: the difference is the same on all {n} topics; "
                f"{max(least, n + 1)} are needed"
            )
        if k == n:
            return f"cannot be decided: there are only {count_text(n, 'topic')}"
        verb = "differs" if k == 1 else "differ"
        return f"cannot be decided: only {k} of {count_text(n, 'topic')} {verb}"

    def _topic_sentences(self) -> Iterator[str]:
        """What these topics detect, and how many the difference asked about needs."""
        known, needed = self.evidence, self.topics_needed
        if not known.sd:
            return
        text = f"These topics detect differences from about {_about_text(self.detectable)} on"
        if self.detectable > known.width:
            text = f"These topics are too few to detect any difference of {known.measure}"
        if needed is not None:
            has_range = needed.high and needed.low != needed.high
            bracket = f" ({needed.low:,} to {needed.high:,})" if has_range else ""
            topics = f"{needed.topics:,} topics {known.topics_are}".rstrip()
            text += f"; one of {self.asked:g} needs about {topics}{bracket}"
        yield f"{text}."


def _decimals_text(value: float, decimals: int) -> str:
    """A number with its decimals; a zero has no sign."""
    text = f"{value:.{decimals}f}"
    return text.lstrip("-") if not text.strip("-0.") else text


def _p_text(p: float, alpha: float) -> str:
    """A p with 4 decimals, or 2 where it is far above alpha; neither 0 nor 1 unless it is."""
    if p < 1e-4:
        return "<0.0001"
    text = f"{p:.2f}" if p >= max(0.1, 2 * alpha) else f"{p:.4f}"
    return f">0.{'9' * len(text[2:])}" if p < 1 and text[0] == "1" else text


def _about_text(value: float) -> str:
    """A number by its first two digits, without an exponent."""
    if value >= 10:
        return f"{value:,.0f}"
    places = 1 - math.floor(math.log10(value)) if value > 0 else 0
    return f"{value:.{max(places, 0)}f}"


# --- What so many topics can tell ---


def detectable_difference(
    num_topics: int,
    sd: float,
    alpha: float = 0.05,
    num_hypotheses: float = 1,
    *,
    df: float | None = None,
    tail: Tail = "two-sided",
) -> float:
    """d80, the least difference that a t test of n topics finds with a chance of 80%.

    The least d with P(|T'(df, d sqrt(n) / s)| > t(1 - alpha / 2 h, df)) >= 0.8, T' being the
    noncentral t; of a one-sided test P(T' > t(1 - alpha / h, df)). NaN where s is 0.

    Args:
        num_topics: n.
        sd: s, the standard deviation of the differences.
        alpha: the level.
        num_hypotheses: h, which share alpha.
        df: degrees of freedom; None: n - 1.
        tail: of the test.

    Source: J. Cohen, Statistical Power Analysis for the Behavioral Sciences (1988); T. Sakai,
    Statistical Reform in Information Retrieval?, SIGIR Forum 48 (2014).
    """
    if not sd > 0:
        return math.nan
    return sd * _detectable_in_sds(num_topics, alpha / num_hypotheses, tail, df)


@lru_cache(maxsize=256)
def _detectable_in_sds(num_topics: int, alpha: float, tail: Tail, df: float | None) -> float:
    """Where the differences have a standard deviation of 1; the pairs of a table share it."""
    if alpha >= POWER:
        return 0.0
    return variance.detectable_difference(num_topics, 1.0, alpha, 1 - POWER, tail, df)


class TopicsNeeded(NamedTuple):
    """How many topics a difference needs, and the same at both ends of an 80% interval of sigma."""

    topics: int
    low: int
    high: int


def topics_needed(
    difference: float,
    sd: float,
    num_topics: float,
    alpha: float = 0.05,
    num_hypotheses: float = 1,
    *,
    tail: Tail = "two-sided",
) -> TopicsNeeded | None:
    """The fewest topics with which a t test finds a difference with a chance of 80%.

    In brackets the same with s sqrt((n - 1) / chi2(.9, n - 1)) and s sqrt((n - 1) / chi2(.1, n -
    1)), the ends of an 80% interval of sigma. None where s is 0, or more than 10^9 are needed.

    Args:
        difference: D, above 0; never the one that was observed, which would promise too much.
        sd: s, the standard deviation of the differences of n topics.
        num_topics: n, how many it was estimated from.
        alpha: the level.
        num_hypotheses: h, which share alpha.
        tail: of the test.
    """
    if not sd > 0 or alpha / num_hypotheses >= POWER:
        return None
    return _topics_needed(difference, sd**2, num_topics - 1, alpha / num_hypotheses, tail)


@lru_cache(maxsize=256)
def _topics_needed(
    difference: float, difference_variance: float, df: float, alpha: float, tail: Tail
) -> TopicsNeeded | None:
    """The same; where variances are pooled, the pairs of a table share it."""
    variances = difference_variance, *variance.variance_limits(difference_variance, df)
    try:
        counts = [
            variance.num_topics_for_t(difference, each, alpha, 1 - POWER, tail)
            for each in variances
        ]
    except UsageError:  # more than anybody has
        return None
    return TopicsNeeded(*counts)


def topics_for_sign_flips(alpha: float, tail: Tail = "two-sided") -> int:
    """The fewest topics, all with the same difference, whose sign flips give a p up to alpha."""
    flips = math.ceil(-math.log2(alpha) - 1e-9)
    return max(flips, 0) + (tail == "two-sided")
