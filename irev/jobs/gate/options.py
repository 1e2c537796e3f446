"""What a gate asks for: limits, a baseline, and when a run is worse than that."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from irev.core.option_records import Opt
from irev.core.text import parse_decimal, split_limits
from irev.errors import UsageError, shown_value
from irev.options import ALPHA, ScoringOptions
from irev.read.inputs import (
    given_runs,
    named_run,
    refuse_table_of_several_runs,
    split_saved_path,
)
from irev.statistics.methods import CORRECTIONS_OF_P

if TYPE_CHECKING:
    from irev.read.columns import ColumnNames

SECTION = "Options of the gates"


class GateOptions(ScoringOptions):
    """The choices of a gate; limits and tolerance are in the measures' own units.

    Raises:
        UsageError: a limit that is none, a tolerance below 0, an alpha not between 0 and 0.5, a
            tolerance of topics without a baseline, golden topics of which nothing is asked.
    """

    without = (*ScoringOptions.without, "names")
    warns_unjudged: ClassVar[bool] = True

    min: Annotated[Mapping[str, float], Opt(
        "--min", metavar="NAME=X", section=SECTION, help_order=-3, is_table=True,
        help="Lowest mean allowed, such as ndcg@10=0.4,judged@10=0.8. May be repeated.",
    )] = {}  # fmt: skip
    """The least means: measure -> number."""
    max: Annotated[Mapping[str, float], Opt(
        "--max", metavar="NAME=X", section=SECTION, is_table=True,
        help="Highest mean allowed, such as unj_10=0.2. May be repeated.",
    )] = {}  # fmt: skip
    """The highest means, likewise."""
    baseline: Annotated[Any, Opt(
        "--baseline", metavar="FILE", section=SECTION, file="always", parse=named_run,
        help="Run to compare RUN with. Either a run, which is scored with QRELS too, or saved "
        "scores by topic on the same qrels.",
    )] = None  # fmt: skip
    """What the run is set against: a run or saved scores; in a table the name of a run."""
    max_missing: Annotated[int | None, Opt(
        "--max-missing", metavar="N", section=SECTION, least=0, help_order=-1,
        help="Judged topics that RUN may lack. Default: none that the baseline has; without "
        "--baseline any number.",
    )] = None  # fmt: skip
    """How many judged topics the run may lack; None: any, but none that the baseline has."""
    tolerance: Annotated[float, Opt(
        "--tolerance", metavar="X", section=SECTION, help_order=-1,
        help="Largest allowed drop of a mean below the baseline's.",
    )] = 0.01  # fmt: skip
    """How far a mean may drop, or rise where lower is better."""
    alpha: Annotated[float | None, ALPHA.replace(
        section=SECTION, open_interval=(0, 0.5),
        help="Decide by one-sided paired t tests at this level, such as 0.05. A run is worse if "
        "the interval of the difference lies below minus the tolerance, not worse if no part of it "
        "does, and undecided otherwise.",
    )] = None  # fmt: skip
    """Level of the one-sided tests; None: the means alone decide."""
    undecided: Annotated[Literal["fail", "pass"], Opt(
        "--undecided", section=SECTION, help="Result of an undecided comparison."
    )] = "fail"  # fmt: skip
    """What becomes of a comparison that the tests leave open."""
    topic_min: Annotated[Mapping[str, float], Opt(
        "--topic-min", metavar="NAME=X", section=SECTION, is_table=True,
        help="Lowest score allowed on each topic, such as map=0.2. May be repeated.",
    )] = {}  # fmt: skip
    """The least score on each topic: measure -> number."""
    topic_tolerance: Annotated[float | None, Opt(
        "--topic-tolerance", metavar="X", section=SECTION,
        help="With --baseline: largest allowed drop of the score of any topic.",
    )] = None  # fmt: skip
    """How far each topic's score may drop below the baseline's, or rise where lower is better."""
    golden_topics: Annotated["str | os.PathLike[str] | Sequence[bytes | str] | None", Opt(
        "--golden-topics", metavar="FILE", section=SECTION, file="always",
        help="Apply --topic-min and --topic-tolerance only to the topics listed in FILE, one per "
        "line. Default: to all judged topics.",
    )] = None  # fmt: skip
    """The topics that must hold these: a file with one a line, or their ids; None: all judged."""
    correction: Annotated[str, Opt(
        "--correction", section=SECTION, choices=tuple(CORRECTIONS_OF_P), noun="correction",
        help="Correct for the number of comparisons before one is called worse.",
    )] = "none"  # fmt: skip
    """Of the p-values that say a run is worse, for their number: one of `CORRECTIONS_OF_P`."""

    without_limits: Annotated[bool, Opt(
        help="Judge without limits and baseline, which every run passes."
    )] = False  # fmt: skip
    """Whether a gate without limits and baseline, which every run passes, is meant."""

    def _check(self) -> None:
        super()._check()
        for side in ("min", "max", "topic_min"):
            vars(self)[side] = _limits_by_measure(side, getattr(self, side))
        for noun, tolerance in (
            ("the tolerance", self.tolerance),
            ("the tolerance of topics", self.topic_tolerance or 0.0),
        ):
            if not 0 <= tolerance < float("inf"):
                raise UsageError(f"{noun} must be 0 or more, not {tolerance}")
        if self.topic_tolerance is not None and self.baseline is None:
            raise UsageError("--topic-tolerance needs --baseline FILE")
        limits_topics = bool(self.topic_min) or self.topic_tolerance is not None
        if self.golden_topics is not None and not limits_topics:
            raise UsageError(
                "--golden-topics needs a limit by topic: --topic-min NAME=X or --topic-tolerance X"
            )
        if self.correction != "none" and self.alpha is None:
            raise UsageError("a correction needs tests: give an alpha")

    def scored_inputs(self, runs: Any, measures: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
        """The run and its baseline, unless that is saved scores; all that is measured of them."""
        limited = (*self.min, *self.max, *self.topic_min)
        if not (limited or self.baseline is not None or self.without_limits):
            raise UsageError(
                "give at least one limit: --min NAME=X, --max NAME=X, --topic-min NAME=X or "
                "--baseline FILE"
            )
        compared: tuple[str, ...] = ()
        if self.baseline is not None or measures or not limited:
            saved_names = _saved_measure_names(runs, self.own_columns)
            compared = self.compared_measures_or_default(measures, saved_names)
        measured = tuple(dict.fromkeys((*limited, *compared)))
        if runs is None or (isinstance(runs, list | tuple) and not runs):  # of a table of scores
            return None, measured
        columns = self.own_columns
        given = given_runs(runs, columns, looks_inside=False)
        inputs = given.sources
        for source in (*inputs, self.baseline):
            refuse_table_of_several_runs(source, columns)
        if len(inputs) != 1:
            raise UsageError(f"a gate takes one run, not {len(inputs)}")
        if self.baseline is None or self.is_own_baseline(inputs[0]) or self.has_saved_baseline:
            return inputs if given.kind == "one" else given.by_name, measured
        return [inputs[0], self.baseline], measured

    @property
    def has_saved_baseline(self) -> bool:
        """Whether the baseline is a file of saved scores, or scores in memory."""
        if isinstance(self.baseline, str | os.PathLike):
            return _is_saved_file(self.baseline)
        from irev.engine.join_scores import is_scores

        return is_scores(self.baseline)

    def is_own_baseline(self, run: Any) -> bool:
        """Whether the run is set against itself."""
        return isinstance(run, str) and run == self.baseline

    def compared_measures_or_default(
        self, named_measures: tuple[str, ...], scored_names: Sequence[str]
    ) -> tuple[str, ...]:
        """What is compared with the baseline.

        The measures that are named; or those that have a least value, but for guards of the
        judgments; or map; or, of scores without it, all that they have.

        Args:
            named_measures: those that are named; none: by default.
            scored_names: those that the run has scores of; none: not known yet.
        """
        with_least = dict.fromkeys((*self.min, *self.topic_min))
        default = tuple(scored_names) if scored_names and "map" not in scored_names else ("map",)
        return (
            named_measures
            or tuple(name for name in with_least if not _is_judged_share(name))
            or default
        )


def _saved_measure_names(run: Any, columns: "ColumnNames") -> tuple[str, ...]:
    """The measures of a run that is a file of saved scores; none of another."""
    from irev.engine.join_scores import run_tables_if_saved

    if run is None:
        return ()
    only, *others = given_runs(run, looks_inside=False).sources or [run]
    if others or not isinstance(only, str | os.PathLike) or not _is_saved_file(only):
        return ()
    return run_tables_if_saved(only, columns=columns)[0].measure_names


def _is_saved_file(path: "str | os.PathLike[str]") -> bool:
    """Whether a path is of a file of saved scores, or of a run in one: FILE[RUN]."""
    from irev.scores.saved import is_saved

    return os.path.isfile(split_saved_path(os.fspath(path))[0]) and is_saved(os.fspath(path))


def _is_judged_share(measure: str) -> bool:
    """Whether a measure is the share of judged documents, which says nothing of relevance."""
    from irev.measures.naming.resolve import resolve_names

    try:
        requests = resolve_names([measure])
    except UsageError:
        return False  # a column of saved scores may have any name
    return all(request.measure.name == "Judged" for request in requests)


def _limits_by_measure(side: str, limits: Any) -> Mapping[str, float]:
    """The limits of one side, each measure once; texts are such as ndcg@10=0.4."""
    option = f"--{side.replace('_', '-')}"
    if isinstance(limits, Mapping):
        pairs = [(str(name), bound) for name, bound in limits.items()]
    else:
        texts = [limits] if isinstance(limits, str) else limits
        if isinstance(texts, Sequence) and all(isinstance(each, str) for each in texts):
            texts = [pair for text in texts for pair in split_limits(text)]
        else:
            raise UsageError(
                f'{side} must have a number for each measure, such as {{"map": 0.3}}, not '
                f"{shown_value(limits)}"
            )
        # X is behind the last =, since names may have some
        pairs = [
            (text.rpartition("=")[0], parse_decimal(text.rpartition("=")[2])) for text in texts
        ]
        for text, (name, bound) in zip(texts, pairs, strict=True):
            if not name or bound is None:
                raise UsageError(
                    f"{option} {text}: must be a measure and a number, such as {option} ndcg@10=0.4"
                )
    by_measure: dict[str, float] = {}
    for name, bound in pairs:
        if name in by_measure:
            raise UsageError(f"{option} {name}: there are two limits of one measure")
        if isinstance(bound, bool) or not isinstance(bound, int | float):
            raise UsageError(
                f"{option} {name}: the limit must be a number, not {shown_value(bound)}"
            )
        try:
            by_measure[name] = float(bound)
        except OverflowError:
            raise UsageError(f"{option} {name}: the limit is too large") from None
    return by_measure
