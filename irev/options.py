"""The choices that define an evaluation, beside its measures."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from irev.core.records import Choices, Opt
from irev.read.formats import RUNS, named

if TYPE_CHECKING:
    from irev.core.classes import Classes, Weights
    from irev.core.model import Settings
    from irev.core.pool import Pool
    from irev.rank.ranking import Ranking
    from irev.read.formats import RunFormat

Ties = Literal["docid-desc", "docid-asc", "input", "rank", "optimistic", "pessimistic", "average"]
TIES = get_args(Ties)
"""How documents of equal scores may be ordered."""

ELDER, OWN = "Options of trec_eval", "Options of irev"
"""Sections of the help."""

DEPTH = "depth:"
"""What a pool begins with that is made of the runs: `depth:100`."""

LEVEL = Opt(
    "-l", "--level_for_rel", metavar="N", least=0, help="The smallest grade that is relevant."
)
SEED = Opt("--seed", metavar="N", least=0, effect="draws", help="What all draws depend on.")
ALPHA = Opt(
    "--alpha", metavar="A", inside=(0, 1), help="The level of tests and, as 1 - A, of intervals."
)


def _topic(text: str) -> bytes | None:
    """The topic of `N.TOPIC`; N, the level of trec_eval's debug text, is not looked at."""
    from irev.core.text import whole

    level, dot, topic = text.partition(".")
    if whole(level) is None:
        raise ValueError(f"'{level}' is not a whole decimal number, such as 0.")
    return os.fsencode(topic) if dot else None


def _topics(text: str) -> "str | os.PathLike[str]":
    from pathlib import Path

    return text if text in ("qrels", "run", "both") else Path(text)


def _grade_map(text: str) -> Sequence[tuple[float, float]]:
    from irev.read.values import grade_map

    return grade_map(text)


TOPICS = Opt(
    "--topics", metavar="qrels|run|both|FILE", section=OWN, place=21, read=_topics, file="maybe",
    effect="means", always=3, short="t",
    help="Average over the topics of the qrels (as -c), of the run, of both (the default), or over "
    "those listed in FILE, one a line.",
)  # fmt: skip


class Options(Choices):
    """The choices that define an evaluation; every default is trec_eval 10's.

    A signature has them in this order, the help by their places: trec_eval's as it has them.
    """

    level: Annotated[int, LEVEL.but(section=ELDER, place=4, always=1, short="l")] = 1
    """The smallest grade that is relevant, at least 0."""
    collection_size: Annotated[int, Opt(
        "-N", "--Number_docs_in_coll", metavar="N", section=ELDER, place=8,
        help="Documents in the collection; only utility asks.",
    )] = 0  # fmt: skip
    """Documents in the collection; only `utility` asks."""
    max_retrieved: Annotated[int | None, Opt(
        "-M", "--Max_retrieved_per_topic", metavar="N", section=ELDER, place=9, least=0,
        help="Keep only the first N documents of a ranking.",
    )] = None  # fmt: skip
    """Keep only the first documents of each topic."""
    judged_only: Annotated[bool, Opt(
        "-J", "--Judged_docs_only", section=ELDER, place=7,
        help="Drop unjudged documents from the rankings.",
    )] = False  # fmt: skip
    """Drop unjudged documents from the rankings."""
    topics: Annotated[
        Literal["both", "qrels", "run"] | os.PathLike[str] | Sequence[bytes | str],
        Opt("-c", "--complete_rel_info_wanted", section=ELDER, place=3, value="qrels",
            help="Average over every judged topic; one that the run lacks counts as an empty "
            "ranking."),
        TOPICS,
    ] = "both"  # fmt: skip
    """Which topics are averaged over: those of the run that are judged ("both"); all judged ones
    ("qrels"), all of the run ("run"), or those listed, here or in a file with one a line; a ranking
    that is missing is empty."""
    no_relevant: Annotated[Literal["zero", "skip"], Opt(
        "--no-rel", section=OWN, place=22, effect="means", always=4, short="norel",
        help="A topic without relevant documents counts as it is (zero, the default) or is left "
        "out.",
    )] = "zero"  # fmt: skip
    """Whether a topic without relevant documents counts as it is or is left out."""
    only_topic: Annotated["bytes | str | None", Opt(
        "-D", "--Debug_level", metavar="N[.TOPIC]", section=ELDER, place=6, read=_topic,
        effect="means", help="Evaluate that topic alone; N is ignored.",
    )] = None  # fmt: skip
    """Evaluate this topic alone."""
    compat: Annotated[Literal["trec10", "trec9"], Opt(
        "--compat", section=OWN, place=20, always=5,
        help="Whose arithmetic and topics: trec_eval 10's (the default) or 9.0.8's.",
    )] = "trec10"  # fmt: skip
    """Whose arithmetic and topics: trec_eval 10's or 9.0.8's."""
    real_grades: Annotated[bool, Opt(
        "--grades", section=OWN, place=25, words={"whole": False, "real": True}, effect="reading",
        help="Whether the grades of text qrels may hold fractions.",
    )] = False  # fmt: skip
    """Whether the grades of text qrels may hold fractions."""
    decimal_comma: Annotated[bool, Opt(
        "--decimal", section=OWN, place=25, words={"point": False, "comma": True}, effect="reading",
        help="Whether the numbers of text files may have a decimal comma.",
    )] = False  # fmt: skip
    """Whether the numbers of text files may have a decimal comma."""
    run_format: Annotated["RunFormat", Opt(
        "-T", "--Results_format", metavar="FORMAT", section=ELDER, place=11, effect="reading",
        choices=tuple(RUNS),
        help=f"What RUN holds: {named(RUNS)}. Tables (Parquet, CSV, JSON lines ...) are seen.",
    )] = "trec_results"  # fmt: skip
    """What the lines of a run hold: TREC's six fields, or MS MARCO's topic, document and rank, with
    or without a score behind them; without one the rank decides. Tables name their columns."""
    grade_map: Annotated[Sequence[tuple[float, float]], Opt(
        "--map-grades", metavar="MAP", section=OWN, place=25, read=_grade_map,
        help="Rewrite grades on reading the qrels: --map-grades=-2=0,5=3.",
    )] = ()  # fmt: skip
    """Grades to be rewritten on reading the judgments, each with what it becomes."""
    intents: Annotated["str | os.PathLike[str] | None", Opt(
        "--intents", metavar="FILE", section=OWN, file="always", content=True,
        help="With -R subtopics: how likely each is, TOPIC SUBTOPIC PROBABILITY [inf|nav] a line. "
        "Default: all are as likely.",
    )] = None  # fmt: skip
    """A file that says how likely each subtopic is; by default all are as likely."""
    pool: Annotated["str | Pool | None", Opt(
        "--pool", metavar="FILE|depth:N", section=OWN, file="maybe", content=True,
        help="The pool that was judged, where QRELS does not hold all of it: a file with a topic "
        "and a document on each line, or the first N documents of each RUN. What has no judgment "
        "there is pooled but unjudged (-1).",
    )] = None  # fmt: skip
    """The pool that the judgments were taken from, a file with a topic and a document on each line
    or `irev.sampling.pools.pooled(runs, depth)`: its documents that the qrels do not hold are
    pooled but unjudged. None: the qrels hold the whole pool."""
    ties: Annotated[Ties | None, Opt(
        "--ties", metavar="ORDER", section=OWN, place=27, always=2,
        help="How documents of equal scores are ordered: docid-desc (the default), docid-asc (the "
        "default with preferences), input, rank (by the rank column alone), optimistic (higher "
        "grades first), pessimistic, or average (the mean over all orders).",
    )] = None  # fmt: skip
    """How documents of equal scores are ordered: by document id, falling ("docid-desc", the
    default) or rising ("docid-asc", the default with preferences); in the order of the lines
    ("input"); by the rank column, which then decides the whole order ("rank": the scores are not
    looked at, equal ranks are ordered by id, falling); the higher grade first ("optimistic") or
    last ("pessimistic"); or in every order, and the values are means over those ("average": a
    geometric mean is one of the topics' means, and texts are those of the order "docid-desc")."""
    tie_range: Annotated[bool, Opt(
        "--tie-range", section=OWN, effect="reading",
        help="Print also NAME[min] and NAME[max], of the pessimistic and the optimistic order, and "
        "say how many ties there are.",
    )] = False  # fmt: skip
    """Whether each value is joined by the lower and the higher of those that the pessimistic and
    the optimistic order give: the least and the greatest of all orders for every measure that does
    not fall when a higher grade moves up. Measures without a better end (counts of documents) have
    no range."""
    seed: Annotated[int, SEED.but(
        section=OWN, least=None,
        help="Seed for --sample, and for --ties average where orders are drawn.",
    )] = 0  # fmt: skip
    """What the orders depend on that are drawn where there are too many for `ties="average"`."""
    residuals: Annotated[bool, Opt(
        "--residuals", section=OWN, place=29, effect="reading",
        help="Print also NAME[max]: the value if all unjudged documents had the highest grade, for "
        "measures without a recall base: P, RR, ERR, RBP, DCG@k ...",
    )] = False  # fmt: skip
    """Whether each value is joined by its upper bound: what it would be if all unjudged documents
    had the highest grade. The value itself is the lower bound."""
    judged_shares: Annotated[bool, Opt(
        "--judged", section=OWN, effect="reading",
        help="Print also Judged@k, the share of judged documents, for each cutoff asked for.",
    )] = False  # fmt: skip
    """Whether the share of judged documents is added for each cutoff of the measures."""
    defaults: Annotated[
        Sequence[tuple[str, Any]],
        Opt("--beta", metavar="B", section=OWN, place=23, effect="reading", part="beta",
            help="The beta of every measure asked for that has one and does not name it: Q, F ..."),
        Opt("--log-base", metavar="B", section=OWN, part="b",
            help="The base b of the discount, likewise: nDCG in Jarvelin and Kekalainen's form "
            "..."),
        Opt("--gains", metavar="MAP|RATIO|exp", section=OWN, part="gain",
            help="The gains of grades, likewise: 1=1,2=5,3=10; or 10:5:1 from the highest grade "
            "down; or exp, 2^grade - 1."),
        Opt("--max-grade", metavar="N", section=OWN, part="max",
            help="The highest grade of the scale, likewise: ERR, RBP ... Default: that of the "
            "qrels."),
    ] = ()  # fmt: skip
    """Options of measures with named options, with the value for all whose names leave them open:
    a number, a mapping, or text as in a name: `(("beta", 10), ("gain", {1: 1, 2: 5}))`."""
    duplicates: Annotated[Literal["error", "first"], Opt(
        "--duplicates", section=OWN, place=31, effect="reading", always=6, short="dup",
        help="A document that stands twice in a topic of a RUN is an error (the default), or its "
        "first line counts.",
    )] = "error"  # fmt: skip
    """Whether a document that stands twice in a topic of a run is an error, or only the first line
    of it counts. In judgments it always is an error."""
    classes: Annotated["Classes | None", Opt(
        "--group-by", metavar="FILE", section=OWN, file="always", content=True,
        help="Print the summary for each class of topics too, as all[CLASS]: FILE has a topic and "
        "a class on each line.",
    )] = None  # fmt: skip
    """Classes of topics: a file with a topic and its class on each line, or a mapping
    {class: topics}. The summary is also formed for each class, under the label `all[CLASS]`."""
    weights: Annotated["Weights | None", Opt(
        "--topic-weights", metavar="FILE", section=OWN, file="always", content=True,
        help="Weighted means, as all[weighted]: FILE has a topic and its weight on each line.",
    )] = None  # fmt: skip
    """Weights of topics: a file with a topic and its weight on each line, or a mapping
    {topic: weight}; every judged topic has one. Means are then sum(w v) / sum(w), under the label
    `all[weighted]`; sums stay sums."""
    threads: Annotated[int | None, Opt(
        "--threads", metavar="N", section=OWN, least=1, effect="nothing", help="At most N threads."
    )] = None  # fmt: skip
    """How many threads work; None: as many as there are processors. Never changes a result."""

    @property
    def version(self) -> int:
        """The major version of trec_eval that is followed."""
        return 9 if self.compat == "trec9" else 10

    @property
    def settings(self) -> "Settings":
        """What the measures need to know."""
        from irev.core.model import Settings

        rounding = "upward" if self.compat == "trec9" else "nearest"
        depth = Settings.depth if self.max_retrieved is None else self.max_retrieved
        return Settings(self.level, self.collection_size, rounding, depth=depth)

    def ranking(self, judgments: str) -> "Ranking":
        """How runs are ranked, given the format of the judgments."""
        from irev.rank.ranking import BY_GRADE, Ranking
        from irev.read.formats import JUDGMENTS

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
    def listed(self) -> Sequence[bytes | str] | None:
        """The topics that are averaged over, where they are listed here."""
        return None if isinstance(self.topics, str | os.PathLike) else self.topics

    def opened(self) -> "Options":
        """With the topics themselves, where they are listed in a file.

        Raises:
            InputError: it cannot be read as such.
        """
        if not isinstance(self.topics, os.PathLike):
            return self
        from irev.read.topic_files import read_topics

        return self.but(topics=read_topics(os.fspath(self.topics)))

    @property
    def spare_defaults(self) -> tuple[str, ...]:
        """The `defaults` that may touch none of the measures: bounds need a highest grade too."""
        return ("max",) if self.residuals else ()

    @property
    def several_orders(self) -> bool:
        """Whether more than one order of tied documents is looked at."""
        return self.tie_range or self.ties == "average"
