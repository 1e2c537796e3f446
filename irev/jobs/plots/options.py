"""What each figure of runs is asked for."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from irev.core.option_records import Opt
from irev.errors import UsageError
from irev.options import PREDICTED, Options, ScoringOptions

SECTION = "Options of the plot"

SORT = Opt(
    "--sort", section=SECTION,
    help="Order of the topics: by id (topic; 2 before 10) or by value, highest first (value).",
)  # fmt: skip

TopicOrder = Literal["topic", "value"]

HIGHLIGHT = Opt(
    "--highlight", metavar="RUN", section=SECTION,
    help="Run to draw in colour, the others in grey; may be repeated, up to 8 times. By default "
    "up to 8 runs are all in colour, and of more only the best.",
)  # fmt: skip


class PlotOptions(ScoringOptions):
    """The choices of every figure; none has a place for classes and weights of topics."""

    without: ClassVar[Sequence[str]] = ("classes", "weights", *PREDICTED)


class RecallPrecisionOptions(PlotOptions):
    """Which topic is shown, and how precision is interpolated."""

    without: ClassVar[Sequence[str]] = ("defaults",)

    recall_rule: Annotated[Literal["ge", "band", "te9", "te10"], Opt(
        "--recall-rule", section=SECTION,
        help="Points that serve a recall level: recall at least the level (ge), up to a tenth "
        "above it (band), or level * R rounded as trec_eval 9 (te9) or 10 (te10) does.",
    )] = "ge"  # fmt: skip
    """Which points serve a recall level."""
    topic: Annotated[bytes | str | None, Opt(
        "-t", "--topic", metavar="TOPIC", section=SECTION, help="Topic to show."
    )] = None  # fmt: skip
    """The topic; None: the mean over all of them."""
    highlight: Annotated[Sequence[str], HIGHLIGHT] = ()

    def scored_inputs(self, runs: Any, measures: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
        """The runs, and what a curve is made of."""
        from irev.measures.families.interpolation import recall_level_measures

        levels = recall_level_measures(self.recall_rule)
        at_ranks = ("P", "recall") if self.topic is None else ()
        return runs, ("num_ret", "map", "Rprec", *levels, *at_ranks)

    def evaluation(self) -> Options:
        """Of the topic alone, where one is shown."""
        return self.base_record(Options).replace(only_topic=self.topic)


class PerTopicOptions(PlotOptions):
    """How topics stand in the figure, and which runs have bars."""

    sort: Annotated[TopicOrder, SORT] = "topic"
    highlight: Annotated[Sequence[str], HIGHLIGHT] = ()


class MedianOptions(PlotOptions):
    """Which run is shown, and how topics stand in the figure."""

    run: Annotated[str | None, Opt(
        "--run", metavar="NAME", section=SECTION,
        help="Run to show, by the name of its file, as rm3.run.  [required]",
    )] = None  # fmt: skip
    sort: Annotated[TopicOrder, SORT] = "topic"

    def scored_inputs(self, runs: Any, measures: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
        """The same, if it is said which run is shown."""
        if self.run is None:
            raise UsageError("name the run to show, as in --run rm3.run")
        return runs, measures


class ScatterOptions(PlotOptions):
    """Which of the two runs is across."""

    x: Annotated[str | None, Opt(help="Run whose values are across, by its name or path.")] = None
    """The run whose values are across; None: the one that was given first."""

    def scored_inputs(self, runs: Any, measures: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
        """The same, unless there are too many runs to score them for nothing."""
        if isinstance(runs, list | tuple | Mapping) and len(runs) > 2:
            raise UsageError(two_runs_text(len(runs)))
        return runs, measures


def two_runs_text(num_runs: int) -> str:
    """What is wrong with any other number of runs."""
    return f"scatter draws two runs, {num_runs} given: name two, or use per-topic"


class CutoffsOptions(PlotOptions):
    """The choices of the figure of means at cutoffs."""

    default_measures: ClassVar[tuple[str, ...]] = ("P", "recall", "ndcg_cut")

    highlight: Annotated[Sequence[str], HIGHLIGHT] = ()


class DistributionOptions(PlotOptions):
    """The choices of the figure of scores over topics."""


class TieRangesOptions(PlotOptions):
    """Whether topics are shown."""

    per_topic: Annotated[bool, Opt(
        "--per-topic", section=SECTION,
        help="Show the runs' values by topic instead of their means.",
    )] = False  # fmt: skip
    highlight: Annotated[Sequence[str], HIGHLIGHT.replace(
        help="With --per-topic: run to draw in colour, the others in grey; may be repeated, up to "
        "8 times.",
    )] = ()  # fmt: skip

    def evaluation(self) -> Options:
        """With the ends of the ranges."""
        return self.base_record(Options).replace(tie_range=True)
