"""The choices that define an evaluation, beside its measures."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, get_args

from irev.core.option_records import MeasureRange, Opt, ResultOptions, measure_ranges
from irev.core.text import parse_decimal, parse_whole
from irev.errors import UsageError, shown_value

if TYPE_CHECKING:
    from irev.core.judged import Settings
    from irev.core.option_values import Classes, Pool, Weights
    from irev.rank.ranking import RankingRule
    from irev.read.columns import ColumnNames
    from irev.read.formats import RunFormat
    from irev.read.layout import Format

Ties = Literal["docid-desc", "docid-asc", "input", "rank", "optimistic", "pessimistic", "average"]
TIES = get_args(Ties)
"""How documents of equal scores may be ordered."""

ELDER, OWN = "Options of trec_eval", "Options of irev"
"""Sections of the help."""

DEPTH_POOL = "depth:"
"""What a pool begins with that is made of the runs: `depth:100`. Read where
several runs are scored: by `engine.score_runs`, and the commands eval and leaderboard."""

OWN_DOCUMENTS = "own"
"""Of documents to leave out: those with the id of their topic."""


# --- Options that records of several files have ---
# SAMPLES, REPEAT and ALPHA stand in no record below, only in those of jobs and of the command eval.


LEVEL = Opt(
    "-l",
    "--level_for_rel",
    metavar="N",
    least=0,
    keeps_whole=True,
    help="Smallest grade that counts as relevant. It may be a fraction, such as 0.5.",
)
REAL_GRADES = Opt(
    "--grades",
    value_of_word={"whole": False, "real": True},
    effect="reading",
    help="Allow fractional grades in text qrels (real).",
)
SEED = Opt("--seed", metavar="N", least=0, effect="draws", help="Seed of all random draws.")
SAMPLES = Opt(
    "--sample",
    metavar="RATE|STRATA",
    section=OWN,
    help_order=28,
    help="Evaluate with random samples of the judgments, which must be complete, and print "
    "mean, spread and error next to the values with all judgments: 10%, or "
    "1-10=100%,11-50=30% of the ranks of the pool of all RUNs. May be repeated.",
)
REPEAT = Opt(
    "--repeat",
    metavar="N",
    section=OWN,
    least=1,
    most=10_000,
    help="With --sample: number of samples.",
)
ALPHA = Opt(
    "--alpha",
    metavar="A",
    open_interval=(0, 1),
    help="Significance level; intervals have level 1 - A.",
)


def _parse_topics(text: str) -> "str | os.PathLike[str]":
    from pathlib import Path

    return text if text in ("qrels", "run", "both") else Path(text)


def _parse_columns(text: str) -> dict[str, str]:
    columns: dict[str, str] = {}
    for pair in text.split(","):
        field, is_pair, column = pair.partition("=")
        if not is_pair or not field:
            raise ValueError(f"'{pair}' is not FIELD=NAME, such as topic=q")
        columns[field] = column
    return columns


COLUMNS = Opt(
    "--columns",
    metavar="FIELD=NAME,...",
    section=OWN,
    help_order=11,
    parse=_parse_columns,
    effect="reading",
    is_table=True,
    help="What columns of tables are called: topic=q,score=sim. Usual names need not be said; the "
    "field run is the column that names several runs in one table. qrels:FIELD and run:FIELD are "
    "of one file alone.",
)


TOPICS = Opt(
    "--topics",
    metavar="qrels|run|both|FILE",
    section=OWN,
    help_order=21,
    parse=_parse_topics,
    file="maybe",
    effect="means",
    signature_order=3,
    signature_name="t",
    help="Topics to average over. qrels (as -c): all judged ones. both (the default): those of "
    "them that the run has. run: the same, without a warning of those that it lacks. FILE: those "
    "listed there, one per line. Under qrels and FILE a topic that the run lacks counts as 0. "
    "Topics that are not judged never count.",
)


def _format_help(file: str, formats: "Mapping[str, Format]") -> str:
    from irev.read.formats import format_names

    return (
        f"Format of {file}: {format_names(formats)}. Tables (Parquet, CSV, JSON lines ...) are "
        "detected automatically."
    )


def _judgment_formats() -> "Mapping[str, Format]":
    # loaded where one is named, or all help is read
    from irev.read.formats import JUDGMENTS

    return JUDGMENTS


def _run_formats() -> "Mapping[str, Format]":
    from irev.read.formats import RUNS

    return RUNS


QRELS_FORMAT = Opt(
    "-R",
    "--Rel_info_format",
    metavar="FORMAT",
    section=ELDER,
    help_order=10,
    choices=lambda: tuple(_judgment_formats()),
    noun="format of judgments",
    help=lambda: _format_help("QRELS", _judgment_formats()),
)
PLUGINS = Opt(
    "--plugin",
    metavar="MODULE|FILE.py",
    section=OWN,
    help_order=30,
    file="maybe",
    help="Load measures from your own module or file; may be repeated.",
)

BETA = Opt(
    "--beta",
    metavar="B",
    section=OWN,
    help_order=23,
    effect="reading",
    pair_key="beta",
    help="Default beta for requested measures that take one (Q, F ...).",
)
LOG_BASE = Opt(
    "--log-base",
    metavar="B",
    section=OWN,
    pair_key="b",
    help="Default base b of the discount (nDCG in Jarvelin and Kekalainen's form ...): a number "
    "above 1, or e for the natural logarithm.",
)
GAINS = Opt(
    "--gains",
    metavar="MAP|RATIO|exp",
    section=OWN,
    pair_key="gain",
    help="Default gains of grades: 1=1,2=5,3=10, or 10:5:1 from the highest grade down, or exp "
    "(2^grade - 1).",
)
MAX_GRADE = Opt(
    "--max-grade",
    metavar="N",
    section=OWN,
    pair_key="max",
    help="Default highest grade of the scale (ERR, RBP ...). Default: the highest in the qrels.",
)


def _parse_debug_topic(level_dot_topic: str) -> bytes | None:
    """The topic of `N.TOPIC`; N, the level of trec_eval's debug text, is not looked at."""
    level, dot, topic = level_dot_topic.partition(".")
    if parse_whole(level) is None:
        raise ValueError(f"'{level}' is not a whole decimal number, such as 0.")
    return os.fsencode(topic) if dot else None


def _parse_grade_map(text: str) -> Sequence[tuple[float | str, float]]:
    from irev.read.columns import parse_grade_map

    return parse_grade_map(text)


def _parse_model_weight(text: str) -> float | None:
    """What --lambda is: None for the word tuned."""
    if text == "tuned":
        return None
    weight = parse_decimal(text)
    if weight is None:
        raise ValueError(f"'{text}' is neither tuned nor a number from 0 to 1.")
    return weight


class Options(ResultOptions):
    """The choices that define an evaluation; every default is trec_eval 10's.

    A signature has them in this order, the help by their places: trec_eval's as it has them.
    """

    are_shared: ClassVar[bool] = True

    # fmt: off
    level: Annotated[float, LEVEL.replace(
        section=ELDER, in_short_help=True, help_order=4, signature_order=1, signature_name="l",
    )] = 1
    """The smallest grade that is relevant, at least 0; a fraction implies `real_grades`."""
    collection_size: Annotated[int, Opt(
        "-N", "--Number_docs_in_coll", metavar="N", section=ELDER, help_order=8,
        help="Number of documents in the collection (used by utility only).",
    )] = 0
    """Documents in the collection; only `utility` asks."""
    max_retrieved: Annotated[int | None, Opt(
        "-M", "--Max_retrieved_per_topic", metavar="N", section=ELDER, help_order=9, least=0,
        help="Keep only the first N documents of each topic.",
    )] = None
    """Keep only the first documents of each topic."""
    judged_only: Annotated[bool, Opt(
        "-J", "--Judged_docs_only", section=ELDER, help_order=7,
        help="Remove unjudged documents from the rankings.",
    )] = False
    """Drop unjudged documents from the rankings."""
    topics: Annotated[
        Literal["both", "qrels", "run"] | os.PathLike[str] | Sequence[bytes | str],
        Opt("-c", "--complete_rel_info_wanted", section=ELDER, help_order=3, flag_value="qrels",
            in_short_help=True,
            help="Average over all judged topics. A topic missing from the run counts as an empty "
            "ranking."),
        TOPICS,
    ] = "both"
    """Which topics are averaged over: those of the run that are judged ("both"; "run" is the same
    without a warning of judged topics that it lacks); all judged ones ("qrels"), or those listed,
    here or in a file with one a line, where a ranking that is missing is empty. Topics that are not
    judged never count."""
    no_relevant: Annotated[Literal["zero", "skip", "answer"], Opt(
        "--no-rel", section=OWN, help_order=22, effect="means", signature_order=4,
        signature_name="norel",
        help="Topics without relevant documents: count them (zero, the default), leave them out "
        "(skip), or score them 1 if nothing was retrieved, else 0 (answer; not under trec_eval's "
        "names).",
    )] = "zero"
    """Whether a topic without relevant documents counts ("zero"), is left out ("skip"), or asks for
    the answer that there is nothing ("answer", with topics="qrels" or a list of topics): 1 where
    the run retrieved nothing for it, else 0, in irev's own measures from 0 to 1 ("AP", "nDCG@10").
    trec_eval's names ("map") keep trec_eval's values."""
    only_topic: Annotated["bytes | str | None", Opt(
        "-D", "--Debug_level", metavar="N[.TOPIC]", section=ELDER, help_order=6,
        parse=_parse_debug_topic, effect="means", help="Evaluate this topic only; N is ignored.",
    )] = None
    """Evaluate this topic alone."""
    compat: Annotated[Literal["trec10", "trec9"], Opt(
        "--compat", section=OWN, help_order=20, signature_order=5,
        help="Follow the arithmetic and the choice of topics of trec_eval 10 (trec10, the "
        "default) or 9.0.8 (trec9).",
    )] = "trec10"
    """Whose arithmetic and topics: trec_eval 10's or 9.0.8's."""
    real_grades: Annotated[bool, REAL_GRADES.replace(section=OWN, help_order=25)] = False
    """Whether the grades of text qrels may hold fractions."""
    decimal_comma: Annotated[bool, Opt(
        "--decimal", section=OWN, help_order=25, value_of_word={"point": False, "comma": True},
        effect="reading",
        help="Accept a decimal comma in text files (comma).",
    )] = False
    """Whether the numbers of text files may have a decimal comma."""
    run_format: Annotated["RunFormat", Opt(
        "-T", "--Results_format", metavar="FORMAT", section=ELDER, help_order=11, effect="reading",
        choices=lambda: tuple(_run_formats()), noun="format of runs",
        help=lambda: _format_help("RUN", _run_formats()),
    )] = "trec_results"
    """What the lines of a run hold: TREC's six fields, or MS MARCO's topic, document and rank, with
    or without a score behind them; without one the rank decides. Tables name their columns."""
    columns: Annotated["Mapping[str, str] | Sequence[tuple[str, str]]", COLUMNS] = ()
    """The names of columns of tables, where they are none of the usual ones: {"topic": "q",
    "score": "similarity"}; a table that lacks such a column is read as if nothing was said. The
    field `run` says which run a row is of (usually `run`, `run_id`); {"run": ""}: no column
    does. `qrels:document` is the field of judgments alone, `run:document` that of runs."""
    grade_map: Annotated[Sequence[tuple[float | str, float]], Opt(
        "--map-grades", metavar="MAP", section=OWN, help_order=25, parse=_parse_grade_map,
        is_table=True,
        help="Replace grades when reading the qrels, for example --map-grades=-2=0,5=3, or "
        "0.5..=1 for all from 0.5 on.",
    )] = ()
    """Grades to be rewritten on reading the judgments, each with what it becomes; in place of a
    grade also the text of a range: "0.5.." for all from 0.5 on, "0..0.3", "..-1"."""
    intents: Annotated["str | os.PathLike[str] | None", Opt(
        "--intents", metavar="FILE", section=OWN, file="always", sign_content=True,
        help="With -R subtopics: probability of each subtopic, one TOPIC SUBTOPIC PROBABILITY "
        "[inf|nav] per line. Default: all equal.",
    )] = None
    """A file that says how likely each subtopic is; by default all are as likely."""
    pool: Annotated["str | Pool | None", Opt(
        "--pool", metavar="FILE|depth:N", section=OWN, file="maybe", sign_content=True,
        help="The judged pool, if QRELS does not contain all of it: a file with a topic and a "
        "document per line, or the first N documents of each RUN. Pool documents without a "
        "judgment count as pooled but unjudged (-1).",
    )] = None
    """The pool that the judgments were taken from, a file with a topic and a document on each line
    or `irev.engine.score_runs.make_pool(runs, depth)`: its documents that the qrels do not hold are
    pooled but unjudged. None: the qrels hold the whole pool."""
    ties: Annotated[Ties | None, Opt(
        "--ties", metavar="ORDER", section=OWN, help_order=27, signature_order=2,
        help="Order of equal scores: docid-desc, docid-asc, input, rank, optimistic, pessimistic "
        "or average. By document id, docid-desc is the default, docid-asc with "
        "preferences. rank: the rank column decides the whole order. optimistic: higher grades "
        "first. average: the mean over all orders.",
    )] = None
    """How documents of equal scores are ordered: by document id, descending ("docid-desc",
    the default) or ascending ("docid-asc", the default with preferences); in the order of the lines
    ("input"); by the rank column, which then decides the whole order ("rank": the scores are not
    looked at, equal ranks are ordered by id, descending); the higher grade first ("optimistic") or
    last ("pessimistic"); or in every order, and the values are means over those ("average": a
    geometric mean is one of the topics' means, and texts are those of the order "docid-desc")."""
    tie_range: Annotated[bool, Opt(
        "--tie-range", section=OWN, effect="reading",
        help="Also print values in the worst and best order of ties. These are "
        "NAME[pessimistic] and NAME[optimistic], with the lower and the higher grades first among "
        "tied documents; and the number of ties.",
    )] = False
    """Whether the values of the pessimistic and the optimistic order are added to each value: the
    worst and the best of all orders for every measure that does not get worse when a higher grade
    moves up. Measures without a better end (counts of documents) have no range."""
    seed: Annotated[int, SEED.replace(
        section=OWN, least=None,
        help="Seed of --sample, and of --ties average where it draws orders at random.",
    )] = 0
    """The seed of the orders that are drawn if there are too many for `ties="average"`."""
    residuals: Annotated[bool, Opt(
        "--residuals", section=OWN, help_order=29, effect="reading",
        help="Also print NAME[max], the value if all unjudged documents had the highest grade, "
        "for measures without a recall base: P, RR, ERR, RBP, DCG@k ...",
    )] = False
    """Whether its upper bound is added to each value: what it would be if all unjudged documents
    had the highest grade. The value itself is the lower bound."""
    judged_shares: Annotated[bool, Opt(
        "--judged", section=OWN, effect="reading",
        help="Also print Judged@k, the share of judged documents, for each cutoff in use.",
    )] = False
    """Whether the share of judged documents is added for each cutoff of the measures."""
    defaults: Annotated[
        Sequence[tuple[str, Any]],
        BETA, LOG_BASE, GAINS, MAX_GRADE,
    ] = ()
    """Options of measures with named options, with the value for all whose names leave them open:
    a number, a mapping, or text as in a name: `(("beta", 10), ("gain", {1: 1, 2: 5}))`."""
    duplicates: Annotated[Literal["error", "first", "last", "best"], Opt(
        "--duplicates", section=OWN, help_order=31, effect="reading", signature_order=6,
        signature_name="dup",
        help="Duplicate documents in a topic of a RUN: an error (error, the default), or the "
        "first line counts (first), the last one (last), or that with the best score (best).",
    )] = "error"
    """Whether a document that occurs twice in a topic of a run is an error, or only its first line
    counts, its last, or that with the best score; in lists it is the place that counts."""
    duplicates_qrels: Annotated[Literal["error", "first", "last", "max", "min"], Opt(
        "--duplicates-qrels", metavar="WHICH", section=OWN, help_order=31,
        help="Judgments of a document that differ: an error (error, the default), or the first "
        "line counts (first), the last one (last), the highest grade (max) or the lowest (min). "
        "Lines that are repeated alike are one judgment.",
    )] = "error"
    """Whether a document that has two judgments in a topic, or in a group or subtopic of it, is an
    error, or only the first counts, the last, the highest grade or the lowest. Judgments that are
    repeated alike are one, with a note."""
    unknown_labels: Annotated[Literal["error", "not_support"], Opt(
        "--unknown-labels", metavar="WHAT", section=OWN, help_order=31,
        help="With -R nuggets, labels that a model made up: an error (error, the default), or no "
        "support, and of a nugget no importance, as nuggetizer counts them (not_support).",
    )] = "error"
    """Whether labels of nuggets that are no labels are an error, or no support."""
    passages: Annotated[str | None, Opt(
        "--passages", metavar="SIGN|PATTERN", section=OWN, help_order=31,
        help="Rank documents by their best passage: cut the id of each passage of a RUN at the "
        "last SIGN (d7#3 with '#' is document d7), or to the group of a regular expression, as in "
        "'(.+)-p[0-9]+'.",
    )] = None
    """What parts the id of a document from the rest of the id of its passage: "#" makes d7 of d7#3,
    at the last one. Or a regular expression with one group, which is the document of an id that it
    fits as a whole. Of each document of a run the passage with the best score counts, or with the
    best rank where ranks decide. Ids without it are documents as they are; judgments stay."""
    exclude: Annotated[Sequence["str | os.PathLike[str] | Mapping[Any, Any]"], Opt(
        "--exclude", metavar="own|FILE", section=OWN, help_order=31, file="maybe",
        sign_content=True, signature_name="x",
        help="Leave documents out of each RUN before ranks are counted: those with the id of "
        "their topic (own), as BEIR does, or those listed in FILE, with a topic and a document per "
        "line. QRELS are not changed. May be repeated.",
    )] = ()
    """Documents that are left out of each run before ranks are counted: "own", those with the id of
    their topic; files with a topic and a document on each line, or JSON {topic: [document, ...]};
    such mappings. One or several; the judgments are not changed."""
    classes: Annotated["Classes | None", Opt(
        "--group-by", metavar="FILE", section=OWN, file="always", sign_content=True, effect="means",
        help="Also print the summary for each class of topics, as all[CLASS]. FILE has a topic "
        "and its class on each line.",
    )] = None
    """Classes of topics: a file with a topic and its class on each line, or a mapping
    {class: topics}. The summary is also formed for each class, under the label `all[CLASS]`."""
    weights: Annotated["Weights | None", Opt(
        "--topic-weights", metavar="FILE", section=OWN, file="always", sign_content=True,
        effect="means",
        help="Also print weighted means, as all[weighted]. FILE has a topic and its weight on "
        "each line.",
    )] = None
    """Weights of topics: a file with a topic and its weight on each line, or a mapping
    {topic: weight}; every judged topic has one. Means are then sum(w v) / sum(w), under the label
    `all[weighted]`; sums stay sums."""
    threads: Annotated[int | None, Opt(
        "--threads", metavar="N", section=OWN, least=1, effect="nothing",
        help="Use at most N threads. Default: the variable IREV_THREADS, or one per processor.",
    )] = None
    """How many threads work; None: as IREV_THREADS says, or one a processor. Changes no result."""
    # fmt: on

    def _convert_values(self) -> None:
        if columns := _dict_of_pairs("columns", self.columns):
            from irev.read.columns import columns_by_field

            vars(self)["columns"] = columns_by_field(columns)
        if self.grade_map:
            from irev.read.columns import check_grade_map

            check_grade_map(_dict_of_pairs("grade_map", self.grade_map))
        if self.passages is not None:
            from irev.read.columns import passage_pattern

            passage_pattern(self.passages)  # refuses what is none
        if self.exclude:
            excluded: list[Any] = []
            for each in self.exclude:  # the word own may stand before a file: own,FILE
                word, comma, path = each.partition(",") if isinstance(each, str) else ("", "", "")
                excluded += [word, path] if comma and word == OWN_DOCUMENTS else [each]
            vars(self)["exclude"] = tuple(excluded)
        _dict_of_pairs("defaults", self.defaults)
        if not isinstance(self.topics, str | os.PathLike):
            vars(self)["topics"] = tuple_of_ids("topics", self.topics)
        if self.only_topic is not None:
            tuple_of_ids("only_topic", [self.only_topic])
        if not isinstance(self.run_format, str):
            raise UsageError(f"run_format must be text, not {shown_value(self.run_format)}")

    @property
    def version(self) -> int:
        """The major version of trec_eval that is followed."""
        return 9 if self.compat == "trec9" else 10

    @property
    def reads_fractions(self) -> bool:
        """Whether the grades of text qrels may hold fractions; a level that is one needs them."""
        return self.real_grades or isinstance(self.level, float)

    @property
    def settings(self) -> "Settings":
        """What the measures need to know."""
        from irev.core.judged import Settings

        rounding = "upward" if self.compat == "trec9" else "nearest"
        depth = Settings.depth if self.max_retrieved is None else self.max_retrieved
        return Settings(self.level, self.collection_size, rounding, depth=depth)

    def ranking_rule(self, qrels_format: str) -> "RankingRule":
        """How runs are ranked, given the format of the judgments."""
        from irev.rank.ranking import TIES_BY_GRADE, RankingRule

        is_preference = "prefs" in _judgment_formats()[qrels_format].gives
        return RankingRule(
            self.max_retrieved,
            # preferences know no unjudged documents: the option does not touch them
            judged_only=self.judged_only and not is_preference,
            ids_rising=is_preference if self.ties is None else self.ties == "docid-asc",
            single_precision=self.compat == "trec9",
            # "average" too, since the orders to be averaged are made from the one by id
            ties=self.ties if self.ties in ("input", "rank", *TIES_BY_GRADE) else "docid",
        )

    def _check(self) -> None:
        super()._check()
        if self.no_relevant != "answer":
            return
        if self.topics in ("both", "run"):
            raise UsageError(
                "--no-rel answer needs --topics qrels or a list of topics: lacking a topic is "
                "an answer"
            )
        if self.compat != "trec10":
            raise UsageError("--no-rel answer cannot be combined with --compat trec9")
        if self.several_orders:
            raise UsageError(
                "--no-rel answer cannot be combined with several orders of ties (--ties average, "
                "--tie-range)"
            )
        if self.judged_only:
            raise UsageError(
                "--no-rel answer: -J would make rankings of unjudged documents empty: leave out -J"
            )

    @property
    def listed_topics(self) -> Sequence[bytes | str] | None:
        """The topics that are averaged over, where they are listed here."""
        return None if isinstance(self.topics, str | os.PathLike) else self.topics

    def read_topic_list(self) -> Self:
        """With the topics themselves, where they are listed in a file.

        Raises:
            InputError: it cannot be read as such.
        """
        if not isinstance(self.topics, os.PathLike):
            return self
        from irev.read.topic_files import read_topic_ids

        return self.replace(topics=read_topic_ids(os.fspath(self.topics)))

    @property
    def own_columns(self) -> "ColumnNames":
        """The fields of runs and the columns that hold them, as far as the user says so."""
        from irev.read.columns import resolve_columns

        return resolve_columns(tuple(dict(self.columns).items()), "run") if self.columns else ()

    @property
    def qrels_columns(self) -> "ColumnNames":
        """The same of judgments."""
        from irev.read.columns import resolve_columns

        return resolve_columns(tuple(dict(self.columns).items()), "qrels") if self.columns else ()

    @property
    def spare_defaults(self) -> tuple[str, ...]:
        """The `defaults` that may touch none of the measures: bounds need a highest grade too."""
        return ("max",) if self.residuals else ()

    @property
    def several_orders(self) -> bool:
        """Whether more than one order of tied documents is looked at."""
        return self.tie_range or self.ties == "average"

    @property
    def ties_by_grade(self) -> bool:
        """Whether the grades of tied documents decide their order, or one that is looked at."""
        from irev.rank.ranking import TIES_BY_GRADE

        return self.several_orders or self.ties in TIES_BY_GRADE


PREDICTED_SECTION = "Options of judgments by a model"
ABOUT_MODEL = ("model_weight", "predicted_level", "predicted_map_grades")
"""The choices about a model's judgments, beside these."""
PREDICTED = ("predicted", *ABOUT_MODEL)
"""All that is said of a model's judgments."""


class EvaluationOptions(Options):
    """The choices of an evaluation, what the judgments hold, and where measures come from."""

    are_shared: ClassVar[bool] = True
    predicts_topics: ClassVar[bool] = False
    """Whether a model's judgments may be of topics of which people judged a sample."""

    qrels_format: Annotated[str, QRELS_FORMAT] = "qrels"
    """What the judgments hold: "qrels", "qrels_jg", "prefs", "subtopics" ..."""
    plugins: Annotated[Sequence[str], PLUGINS] = ()
    """Modules and files of Python with measures of your own."""
    predicted: Annotated[
        "str | os.PathLike[str] | Any | None",
        Opt(
            "--predicted",
            metavar="AUTO_QRELS",
            in_short_help=False,
            section=PREDICTED_SECTION,
            file="always",
            help="A model's judgments of all documents of the pools, of which people judged a "
            "random sample by strata (-R strata): estimate what people would have found of all.",
        ),
    ] = None
    """The model's judgments, as `evaluate` takes judgments."""
    model_weight: Annotated[
        float | None,
        Opt(
            "--lambda",
            metavar="tuned|X",
            in_short_help=False,
            section=PREDICTED_SECTION,
            parse=_parse_model_weight,
            help="How much the model's judgments count, from 0 (not at all) to 1. Default: tuned "
            "for the narrowest interval.",
        ),
    ] = None
    """Lambda, from 0 to 1; None: tuned."""
    predicted_level: Annotated[
        float | None,
        LEVEL.replace(
            spelling="--predicted-level",
            other_spelling="",
            in_short_help=False,
            section=PREDICTED_SECTION,
            help="The smallest grade of AUTO_QRELS that is relevant. Default: that of -l.",
        ),
    ] = None
    """The smallest relevant grade of the model; None: that of people."""
    predicted_map_grades: Annotated[
        Sequence[tuple[float | str, float]],
        Options.fields()["grade_map"].opt.replace(
            spelling="--predicted-map-grades",
            in_short_help=False,
            section=PREDICTED_SECTION,
            help_order=0,
            help="Rewrite the grades of AUTO_QRELS on reading. Default: as --map-grades.",
        ),
    ] = ()
    """The model's grades to be rewritten; none: as those of people."""

    def _check(self) -> None:
        super()._check()
        if self.model_weight is not None and not 0 <= self.model_weight <= 1:
            raise UsageError(
                f"--lambda must be tuned or a number from 0 to 1, not {self.model_weight:g}"
            )
        if self.predicted is None:
            for option in self._chosen_options(ABOUT_MODEL):
                raise UsageError(f"{option} needs --predicted")
        elif self.qrels_format == "strata":
            # what estimates from a sample of documents have no part for
            if self.judged_only:
                raise UsageError(
                    "--predicted with -R strata: -J leaves documents out: leave out -J"
                )
            if self.no_relevant != "zero":
                raise UsageError(
                    f"--predicted with -R strata: --no-rel {self.no_relevant} would set topics "
                    "apart by what was drawn: leave it out"
                )
        elif not self.predicts_topics:
            raise UsageError(
                "--predicted needs a design here: judgments by people of a random sample of the "
                "documents, with their strata (-R strata); irev sample draws one. Only compare "
                "takes judgments by people of a sample of the topics"
            )

    def _chosen_options(self, names: Sequence[str]) -> list[str]:
        """The options of those of these fields that are not at their defaults."""
        fields = self.fields()
        changed = [name for name in names if getattr(self, name) != fields[name].default]
        return [fields[name].opt.names[-1] for name in changed]

    def model_options(self) -> Self:
        """The options of the evaluation by the model's judgments."""
        level = self.level if self.predicted_level is None else self.predicted_level
        return self.replace(level=level, grade_map=self.predicted_map_grades or self.grade_map)

    def load_plugins(self) -> None:
        """Make the measures of the plugins known."""
        if self.plugins:
            from irev.measures.plugins import load_plugins

            load_plugins(self.plugins)


RUNS_SECTION = "Options of the runs"


class ScoringOptions(EvaluationOptions):
    """The same for runs that are set against each other, on the same topics."""

    are_shared: ClassVar[bool] = True
    without: ClassVar[Sequence[str]] = (
        "only_topic",
        "tie_range",
        "seed",
        "residuals",
        "judged_shares",
    )

    default_measures: ClassVar[tuple[str, ...]] = ("map",)
    """What runs are scored by where no measure is named; of saved scores all that they have."""
    warns_unjudged: ClassVar[bool] = False
    """Whether a note names runs of whose first documents few are judged."""

    topics: Annotated[
        Literal["both", "qrels", "run"] | os.PathLike[str] | Sequence[bytes | str],
        TOPICS.replace(
            metavar="qrels|both|FILE",
            section=RUNS_SECTION,
            help="Topics to average over: all judged ones, where a topic missing from a run "
            "counts as 0 (qrels, the default), those that every run has, the others left out for "
            "all runs (both), or those listed in FILE, where one missing from a run counts as 0.",
        ),
    ] = "qrels"
    """Topics that are averaged over: all judged ones; those that every run has; those listed."""
    names: Annotated[
        Literal["file", "tag"],
        Opt(
            "--names",
            section=RUNS_SECTION,
            help_order=1,
            help="Name runs after their file (file, the default) or their tag (tag).",
        ),
    ] = "file"
    """What a run is called after."""
    nan: Annotated[
        Literal["error", "drop-topic"],
        Opt(
            "--nan",
            section=RUNS_SECTION,
            help_order=1,
            help="Topics on which some score is not a finite number: an error (error, the "
            "default), or left out for all runs (drop-topic).",
        ),
    ] = "error"
    """What becomes of topics on which some score is not a finite number."""
    bounds: Annotated[
        Mapping[str, Sequence[float]] | Sequence[Any],
        Opt(
            "--bounds",
            metavar="[MEASURE=]LOW,HIGH",
            section=RUNS_SECTION,
            help_order=1,
            help="Range of the measures of saved scores that irev does not know, or of MEASURE, "
            "such as 0,1: intervals end there, and a value outside is an error. May be repeated.",
        ),
    ] = ()
    """The range of measures that irev does not know, (0, 1), or of each, {"V": (0, 1)}."""

    def _check(self) -> None:
        super()._check()
        self.measure_ranges  # noqa: B018 - refuses what is none
        if self.topics == "run":
            raise UsageError(
                "--topics run: runs are compared on the same topics: qrels, both or FILE"
            )

    def scored_inputs(self, runs: Any, measures: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
        """The runs and the measures that are scored, given those that were named."""
        return runs, measures

    def evaluation(self) -> Options:
        """The choices under which each run is evaluated."""
        return self.base_record(Options)

    @property
    def measure_ranges(self) -> tuple[MeasureRange, ...]:
        """The ranges of measures that somebody gave."""
        if not self.bounds:
            return ()
        return measure_ranges(self.bounds)


def evaluation_options(options: Options | None, fields: Mapping[str, Any]) -> EvaluationOptions:
    """The choices of an evaluation, but for some fields; None: the defaults.

    Raises:
        TypeError: there is no such field.
        UsageError: these are no choices, or a value makes no sense.
    """
    if options is None:
        return EvaluationOptions(**fields)
    if not isinstance(options, Options):
        raise UsageError(f"options must be irev.Options(...), not {options!r}")
    shared = EvaluationOptions if isinstance(options, EvaluationOptions) else Options
    options = options.base_record(shared)
    return EvaluationOptions.from_keywords(options, fields)


def _dict_of_pairs(name: str, value: Any) -> dict[Any, Any]:
    """The pairs that the value of an option holds, be it a mapping or a list."""
    try:
        return dict(value)
    except (TypeError, ValueError):
        wrong = f"{name} must be a mapping or a list of pairs, not {shown_value(value)}"
        raise UsageError(wrong) from None


def tuple_of_ids(name: str, ids: Any) -> tuple[str | bytes, ...]:
    """The ids of topics that the value of an option holds."""
    listed = tuple(ids) if isinstance(ids, Iterable) else (ids,)
    for each in listed:
        if not isinstance(each, str | bytes):
            raise UsageError(f"{name}: an id is a text such as '1', not {shown_value(each)}")
    return listed
