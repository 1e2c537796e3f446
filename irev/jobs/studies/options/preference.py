"""The options of `irev.studies.preference`."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from irev.core.option_records import Opt
from irev.core.wording import count_text
from irev.options import PREDICTED, SEED, ScoringOptions
from irev.statistics.methods import (
    CORRECTIONS_OF_P,
    TESTS,
    TESTS_OF_MEANS,
    default_draws_text,
    num_resamples_of,
)

DEFAULT_PREFERENCES = ("rpp", "lexirecall", "lexiprecision")
"""The preferences that are looked at where none is named."""

_ALPHA = 0.05
"""The level at which as many are drawn as the correction needs."""


class PreferenceOptions(ScoringOptions):
    """Which preferences are looked at, and how the mean of each is tested for each pair of runs.

    The correction is for the number of pairs, of this test and of the sign test.
    """

    without: ClassVar[Sequence[str]] = (
        "classes", "weights", "duplicates", "intents", "nan", "defaults", "collection_size",
        "plugins", "pool", *PREDICTED,
    )  # fmt: skip

    preferences: Annotated[
        Sequence[
            Literal["rpp", "invrpp", "dcgrpp", "lexirecall", "lexiprecision", "rrlexiprecision"]
        ],
        Opt(
            "-m", "--preference",
            help="Add a preference; may be repeated. Default: rpp, lexirecall and lexiprecision.",
        ),
    ] = ()  # fmt: skip
    test: Annotated[str, Opt(
        "--test", choices=TESTS_OF_MEANS,
        help="The test of the mean preference. Default: permutation, exact where possible.",
    )] = "permutation"  # fmt: skip
    correction: Annotated[str, Opt(
        "--correction", choices=CORRECTIONS_OF_P,
        help="The correction for the number of pairs of runs.",
    )] = "holm"  # fmt: skip
    resamples: Annotated[int | None, Opt(
        "-B", "--resamples", metavar="B", least=1, most=10_000_000,
        help="How many permutations, or samples of the topics, are drawn where a test is not "
        f"exact. Default: {default_draws_text(TESTS_OF_MEANS)}, or as many as the correction "
        "needs.",
    )] = None  # fmt: skip
    seed: Annotated[int, SEED.replace(help="Seed of the draws.")] = 0

    @property
    def preference_names(self) -> tuple[str, ...]:
        """The preferences that are looked at, each once."""
        return tuple(dict.fromkeys(self.preferences)) or DEFAULT_PREFERENCES

    def num_resamples(self, num_pairs: int) -> int:
        """How many are drawn for a pair where p cannot be found exactly; 0 of a test without."""
        return num_resamples_of(self.test, self.correction, num_pairs, _ALPHA, self.resamples)

    def parameters(self, num_pairs: int) -> dict[str, Any]:
        """The tests, as JSON can hold them."""
        resamples = self.num_resamples(num_pairs)
        draws = {"resamples": resamples, "seed": self.seed} if resamples else {}
        return {"test": self.test, **draws, "correction": self.correction, "hypotheses": num_pairs}

    def tests_text(self, num_topics: int, num_pairs: int) -> str:
        """The tests, as a reader must know them."""
        resamples = self.num_resamples(num_pairs)
        form = (
            "exact, or {} permutations"
            if TESTS[self.test].exact_if_possible
            else "{} samples of the topics"
        )
        draws = f" ({form.format(resamples)}, seed {self.seed})" if resamples else ""
        return (
            "sign p: sign test, ties dropped; p: "
            f"{TESTS[self.test].phrase} of the mean preference{draws}; two-sided, "
            f"n={count_text(num_topics, 'topic')}, family of {count_text(num_pairs, 'pair')} of "
            "runs for each "
            "preference, "
            f"correction: {self.correction}"
        )
