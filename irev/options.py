"""The choices that define an evaluation, beside its measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypedDict

from irev.model import Settings
from irev.rank import Ranking

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Options:
    """The choices that define an evaluation; every default is trec_eval 10's."""

    level: int = 1
    """The smallest grade that is relevant, at least 0."""
    collection_size: int = 0
    """Documents in the collection; only `utility` asks."""
    max_retrieved: int | None = None
    """Keep only the first documents of each topic."""
    judged_only: bool = False
    """Drop unjudged documents from the rankings."""
    topics: Literal["both", "qrels", "run"] | Sequence[bytes | str] = "both"
    """Which topics are averaged over: those of the run that are judged ("both"); all judged ones
    ("qrels"), all of the run ("run"), or those listed; a ranking that is missing is empty."""
    no_relevant: Literal["zero", "skip"] = "zero"
    """Whether a topic without relevant documents counts as it is or is left out."""
    only_topic: bytes | str | None = None
    """Evaluate this topic alone."""
    compat: Literal["trec10", "trec9"] = "trec10"
    """Whose arithmetic and topics: trec_eval 10's or 9.0.8's."""
    real_grades: bool = False
    """Whether the grades of text qrels may hold fractions."""
    threads: int | None = None
    """How many threads work; None: as many as there are processors. Never changes a result."""

    @property
    def version(self) -> int:
        """The major version of trec_eval that is followed."""
        return 9 if self.compat == "trec9" else 10

    @property
    def settings(self) -> Settings:
        """What the measures need to know."""
        rounding = "upward" if self.compat == "trec9" else "nearest"
        return Settings(self.level, self.collection_size, rounding)

    def ranking(self, judgments: str) -> Ranking:
        """How runs are ranked, given the format of the judgments."""
        is_preference = judgments in ("prefs", "qrels_prefs")
        return Ranking(
            self.max_retrieved,
            # preferences know no unjudged documents: the option does not touch them
            judged_only=self.judged_only and not is_preference,
            ids_rising=is_preference,
            single_precision=self.compat == "trec9",
        )


class OptionFields(TypedDict, total=False):
    """The fields of `Options`, as keyword arguments."""

    level: int
    collection_size: int
    max_retrieved: int | None
    judged_only: bool
    topics: Literal["both", "qrels", "run"] | Sequence[bytes | str]
    no_relevant: Literal["zero", "skip"]
    only_topic: bytes | str | None
    compat: Literal["trec10", "trec9"]
    real_grades: bool
    threads: int | None
