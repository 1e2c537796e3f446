"""The result of every plot, and what all plots have in common."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from irev.core.arrays import TopicValues
from irev.core.displayed import DrawFigure
from irev.core.judged import Input
from irev.core.option_records import Opt
from irev.core.record import record
from irev.core.text import escape_non_utf8, natural_sort_key
from irev.core.version import __version__
from irev.errors import GENERAL_NOTE, MissingExtraError, Notice, UsageError, note
from irev.jobs.plots.style import figure_bytes
from irev.jobs.study_result import StudyResult
from irev.measures.families.interpolation import recall_level_measures
from irev.options import PREDICTED, Options, ScoringOptions
from irev.read.stream import STDIN, sha256_of
from irev.scores.signature import SHORT_HASH, ComparisonSignature, Signature, options_part
from irev.scores.signature import comparison_signature as signed_scores
from irev.scores.table import ScoreTable
from irev.writers.forms import html_text
from irev.writers.machine import run_facts, signature_data, signatures_data

if TYPE_CHECKING:
    import pandas as pd


@record
class Plot(StudyResult):
    """A figure of runs: `plot()` draws it, and `to_frame()` is what it shows."""

    def _repr_html_(self) -> str:
        """The figure, for notebooks; without matplotlib what it shows, as a table."""
        try:
            page = figure_bytes(self.plot(), "svg").decode()
        except MissingExtraError as error:
            return f"<p>no figure: {html_text(str(error))}</p>\n{super()._repr_html_()}"
        return page[page.index("<svg") :]


def make_plot(
    name: str,
    table: ScoreTable,
    frame: pd.DataFrame,
    draw: DrawFigure,
    *notices: Notice,
    **choices: Any,
) -> Plot:
    """A plot of a table of scores.

    Args:
        name: what it is called on the command line.
        table: the scores.
        frame: what the figure shows.
        draw: draws the figure in a width.
        notices: what a reader must know beside what the scores tell.
        choices: what it depends on beside the scores, as JSON can hold it.
    """
    return Plot(
        name,
        parameters_of(table, **choices),
        {name: frame},
        (name,),
        {name: draw},
        (*notes_of(table), *notices),
        doubts=table.doubts,
    )


def topic_order(scores: TopicValues, topics: Sequence[str], sort: TopicOrder) -> list[int]:
    """The indices of topics in natural order, or by their values from the highest down."""
    by_id = sorted(range(len(topics)), key=lambda index: natural_sort_key(topics[index]))
    if sort == "topic":
        return by_id
    return sorted(by_id, key=lambda index: -scores[index])


# --- What each figure of runs is asked for ---

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


# --- What the results of studies and plots are made of, and the notes that all of them have ---


def run_names(table: ScoreTable) -> list[str]:
    """The runs' names as tables can hold them: bytes that are no UTF-8 are escaped."""
    return [escape_non_utf8(name) for name in table.run_names]


def topic_names(table: ScoreTable) -> list[str]:
    """The topics likewise."""
    return [escape_non_utf8(topic) for topic in table.topics]


def parameters_of(table: ScoreTable, **choices: Any) -> dict[str, Any]:
    """What a figure depends on, as JSON can hold it: runs, how they were scored, choices."""
    return {
        "measures": list(table.measure_names),
        **choices,
        "averaged_over": len(table.topics),
        "missing_count_as_zero": table.counts_missing_as_zero,
        "runs": [run_facts(entry) for entry in table.runs],
        "signature": signature_data(signed_scores(table, choices)),
    }


def notes_of(table: ScoreTable) -> tuple[Notice, ...]:
    """Over how many topics a figure is, and which of them runs lack."""
    return (
        note(f"over {table.topics_text}"),
        *(notice for notice in table.warnings if notice.kind == GENERAL_NOTE),
        *table.missing_topic_warnings,
    )


def input_label(source: Any) -> str:
    """How an input is called where a study says what it rests on."""
    is_path = isinstance(source, str) or hasattr(source, "__fspath__")
    return escape_non_utf8(str(source)) if is_path else "(in memory)"


_ELSEWHERE = (
    "measures", "level", "qrels", "run", "runs", "original", "new", "other runs", "format",
    "signature", "averaged_over", "missing_count_as_zero",
)  # fmt: skip
"""Parameters that stand in other parts of a signature."""

_LONG = 60
"""A choice with more characters stands as its hash in the short form."""


def add_signature(
    result: StudyResult,
    definitions: Mapping[str, str],
    options: Options,
    *,
    qrels: Sequence[Input] = (),
    runs: Sequence[Input] = (),
    qrels_format: str = "qrels",
    divisor: int | None = None,
) -> StudyResult:
    """The outcome with its signature among the parameters, as `signature`.

    Args:
        result: the outcome of a study of judgments and runs themselves.
        definitions: of the measures: printed name -> irev's own name with all parameters.
        options: the choices that define an evaluation.
        qrels: the judgments, as `irev.evaluate` takes them; standard input has no hash.
        runs: the runs, likewise.
        qrels_format: of the judgments.
        divisor: over how many topics the means are; None: there are no such means.
    """
    first, *more = [_input_hash(each) for each in qrels] or [None]
    shared = Signature(
        __version__,
        definitions,
        options_part(options, qrels_format),
        first,
        files={f"qrels {place}": each for place, each in enumerate(more, 2)},
        divisor=divisor,
    )
    hashes = {input_label(run): _input_hash(run) for run in runs}
    return _put_signatures(result, [ComparisonSignature(shared, hashes, _signed_choices(result))])


def add_score_signatures(result: StudyResult, *tables: ScoreTable) -> StudyResult:
    """The same of a study of scores, with what makes these doubtful.

    Under several judgments there is a signature for each.
    """
    choices = _signed_choices(result)
    doubts = tuple(doubt for table in tables for doubt in table.doubts)
    signatures = [signed_scores(table, choices) for table in tables]
    return _put_signatures(replace(result, doubts=doubts), signatures)


def _put_signatures(result: StudyResult, signatures: Sequence[ComparisonSignature]) -> StudyResult:
    parameters = {**result.parameters, "signature": signatures_data(signatures)}
    return replace(result, parameters=parameters)


def _signed_choices(result: StudyResult) -> dict[str, Any]:
    choices: dict[str, Any] = {"study": result.name}
    for name, value in result.parameters.items():
        if name not in _ELSEWHERE:
            text = str(value)
            hashed = f"@{sha256_of(text.encode())[:SHORT_HASH]}"
            choices[name] = value if len(text) <= _LONG else hashed
    return choices


def _input_hash(source: Input) -> str | None:
    """SHA-256 of an input, as scores are signed by it; None where it cannot be read once more."""
    if not isinstance(source, str | os.PathLike):
        return None
    path = os.fspath(source)
    if path == STDIN or not (os.path.isfile(path) or os.path.isdir(path)):
        return None
    from irev.read.batches import sha256_of_input

    return sha256_of_input(path)
