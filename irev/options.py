"""The choices that define an evaluation, beside its measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

from irev.core.model import Settings
from irev.rank.ranking import BY_GRADE, Ranking
from irev.read.formats import JUDGMENTS

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from irev.core.classes import Classes, Weights
    from irev.read.formats import RunFormat
    from irev.sampling.pools import Pool


Ties = Literal["docid-desc", "docid-asc", "input", "rank", "optimistic", "pessimistic", "average"]
TIES = get_args(Ties)
"""How documents of equal scores may be ordered."""


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
    decimal_comma: bool = False
    """Whether the numbers of text files may have a decimal comma."""
    run_format: RunFormat = "trec_results"
    """What the lines of a run hold: TREC's six fields, or MS MARCO's topic, document and rank, with
    or without a score behind them; without one the rank decides. Tables name their columns."""
    grade_map: Sequence[tuple[float, float]] = ()
    """Grades to be rewritten on reading the judgments, each with what it becomes."""
    intents: str | os.PathLike[str] | None = None
    """A file that says how likely each subtopic is; by default all are as likely."""
    pool: str | Pool | None = None
    """The pool that the judgments were taken from, a file with a topic and a document on each line
    or `irev.sampling.pools.pooled(runs, depth)`: its documents that the qrels do not hold are
    pooled but unjudged. None: the qrels hold the whole pool."""
    ties: Ties | None = None
    """How documents of equal scores are ordered: by document id, falling ("docid-desc", the
    default) or rising ("docid-asc", the default with preferences); in the order of the lines
    ("input"); by the rank column, which then decides the whole order ("rank": the scores are not
    looked at, equal ranks are ordered by id, falling); the higher grade first ("optimistic") or
    last ("pessimistic"); or in every order, and the values are means over those ("average": a
    geometric mean is one of the topics' means, and texts are those of the order "docid-desc")."""
    tie_range: bool = False
    """Whether each value is joined by the lower and the higher of those that the pessimistic and
    the optimistic order give: the least and the greatest of all orders for every measure that does
    not fall when a higher grade moves up. Measures without a better end (counts of documents) have
    no range."""
    seed: int = 0
    """What the orders depend on that are drawn where there are too many for `ties="average"`."""
    residuals: bool = False
    """Whether each value is joined by its upper bound: what it would be if all unjudged documents
    had the highest grade. The value itself is the lower bound."""
    judged_shares: bool = False
    """Whether the share of judged documents is added for each cutoff of the measures."""
    defaults: Sequence[tuple[str, Any]] = ()
    """Options of measures with named options, with the value for all whose names leave them open:
    a number, a mapping, or text as in a name: `(("beta", 10), ("gain", {1: 1, 2: 5}))`."""
    duplicates: Literal["error", "first"] = "error"
    """Whether a document that stands twice in a topic of a run is an error, or only the first line
    of it counts. In judgments it always is an error."""
    classes: Classes | None = None
    """Classes of topics: a file with a topic and its class on each line, or a mapping
    {class: topics}. The summary is also formed for each class, under the label `all[CLASS]`."""
    weights: Weights | None = None
    """Weights of topics: a file with a topic and its weight on each line, or a mapping
    {topic: weight}; every judged topic has one. Means are then sum(w v) / sum(w), under the label
    `all[weighted]`; sums stay sums."""
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
        depth = Settings.depth if self.max_retrieved is None else self.max_retrieved
        return Settings(self.level, self.collection_size, rounding, depth=depth)

    def ranking(self, judgments: str) -> Ranking:
        """How runs are ranked, given the format of the judgments."""
        is_preference = "prefs" in JUDGMENTS[judgments].gives
        return Ranking(
            self.max_retrieved,
            # preferences know no unjudged documents: the option does not touch them
            judged_only=self.judged_only and not is_preference,
            ids_rising=is_preference if self.ties is None else self.ties == "docid-asc",
            single_precision=self.compat == "trec9",
            ties=self.ties if self.ties in ("input", "rank", *BY_GRADE) else "docid",
        )

    @property
    def spare_defaults(self) -> tuple[str, ...]:
        """The `defaults` that may touch none of the measures: bounds need a highest grade too."""
        return ("max",) if self.residuals else ()

    @property
    def several_orders(self) -> bool:
        """Whether more than one order of tied documents is looked at."""
        return self.tie_range or self.ties == "average"


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
    decimal_comma: bool
    run_format: RunFormat
    grade_map: Sequence[tuple[float, float]]
    intents: str | os.PathLike[str] | None
    pool: str | Pool | None
    ties: Ties | None
    tie_range: bool
    seed: int
    residuals: bool
    judged_shares: bool
    defaults: Sequence[tuple[str, Any]]
    duplicates: Literal["error", "first"]
    classes: Classes | None
    weights: Weights | None
    threads: int | None
