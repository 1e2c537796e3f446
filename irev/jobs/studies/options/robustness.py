"""The options of `irev.studies.robustness`."""

import os
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from irev.core.option_records import Opt
from irev.core.text import parse_decimal
from irev.errors import UsageError
from irev.options import PREDICTED, RUNS_SECTION, SEED, TOPICS, ScoringOptions

MEASURES = ("bpref-10", "bpref", "indAP", "subAP", "infAP", "AP")
"""What is looked at where no measure is named."""

RATES = (*map(float, range(1, 6)), *map(float, range(10, 101, 10)))
"""How much of the judgments is kept, in percent, where nothing else is said."""


def _parse_percentages(text: str) -> Sequence[float]:
    """Percentages with commas between them."""
    return [_parse_percentage(word.strip().removesuffix("%")) for word in text.split(",")]


def _parse_percentage(word: str) -> float:
    number = parse_decimal(word)
    if number is None:
        raise _percentage_error(word)
    return number


def _percentage_error(text: str) -> UsageError:
    return UsageError(f"'{text}' is not a percentage above 0 and at most 100, such as 10 or 12.5")


def percentage_text(percentage: float) -> str:
    """A percentage as it is written: 10, 12.5."""
    return f"{Decimal(str(percentage)):f}".removesuffix(".0")


class RobustnessOptions(ScoringOptions):
    """What is drawn: shares in percent, samples of each; from which collections."""

    without: ClassVar[Sequence[str]] = (
        "judged_only", "classes", "weights", "duplicates", "intents", "nan",
        *PREDICTED,
    )  # fmt: skip

    rates: Annotated[Sequence[float], Opt(
        "--rates", metavar="LIST", parse=_parse_percentages,
        help="How much of each topic's judgments is kept, in percent. Default: "
        "1,2,3,4,5,10,20,...,100; none with --imperfect.",
    )] = ()  # fmt: skip
    """Empty: those of `RATES`, or none where `imperfect` is given."""
    repeat: Annotated[int, Opt(
        "--repeat", metavar="N", least=1, most=10_000,
        help="How many samples are drawn from each rate.",
    )] = 10  # fmt: skip
    imperfect: Annotated[Sequence[float], Opt(
        "--imperfect", metavar="LIST", parse=_parse_percentages,
        help="How much of the collection is kept in the runs, in percent, such as "
        "50,60,70,80,90,100.",
    )] = ()  # fmt: skip
    seed: Annotated[int, SEED.replace(
        help="Seed of the samples."
    )] = 0  # fmt: skip
    collections: Annotated[Sequence[str | Sequence[Any]], Opt(
        "--collection", metavar="'QRELS RUN...'", file="maybe",
        help="Files of another collection, in quotes, as in --collection 'trec7/qrels.txt "
        "trec7/runs/*'. The tables and figures have all collections side by side. May be "
        "repeated.",
    )] = ()  # fmt: skip
    """Other collections: texts, or judgments and runs of each, `[(qrels, runs)]`."""
    topics: Annotated[
        Literal["both", "qrels", "run"] | os.PathLike[str] | Sequence[bytes | str],
        TOPICS.replace(
            metavar="qrels|FILE", section=RUNS_SECTION,
            help="Average over all judged topics, where one that a run lacks counts as 0 (qrels, "
            "the default), or over those listed in FILE.",
        ),
    ] = "qrels"  # fmt: skip

    def _check(self) -> None:
        if self.topics in ("both", "run"):
            raise UsageError(
                f"--topics {self.topics}: the runs are compared on the same topics, all judged "
                "ones (qrels) or those listed in a file"
            )
        super()._check()
        for percentages in (self.judged_rates, self.imperfect):
            for percentage in percentages:
                if not 0 < percentage <= 100:
                    raise _percentage_error(percentage_text(percentage))
                if percentages.count(percentage) > 1:
                    raise UsageError(f"duplicate rate {percentage_text(percentage)}%")

    @property
    def judged_rates(self) -> Sequence[float]:
        """How much of the judgments is kept, in percent; empty: only runs lose documents."""
        return self.rates or (() if self.imperfect else RATES)

    def other_collections(self) -> list[tuple[Any, Any]]:
        """The judgments and the runs of each other collection."""
        return [
            _files_of_collection(each) if isinstance(each, str) else _checked_collection(each)
            for each in self.collections
        ]


def _files_of_collection(text: str) -> tuple[str, list[str]]:
    """The files that a text names: judgments, then runs."""
    import shlex

    from irev.engine.run_files import run_files

    try:
        qrels, *runs = shlex.split(text)
    except ValueError:
        raise UsageError(f"--collection {text!r}: give 'QRELS RUN...'") from None
    return qrels, run_files(runs).regular()


def _checked_collection(collection: Sequence[Any]) -> tuple[Any, Any]:
    if not isinstance(collection, Sequence) or len(collection) != 2:
        raise UsageError("--collection: give judgments and runs, (qrels, runs)")
    return collection[0], collection[1]
