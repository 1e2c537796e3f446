"""The whole way, once: runs and judgments in, scores out."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import irev.measures  # noqa: F401 - fills the registry
from irev import workers
from irev.errors import IrevError, UsageError
from irev.judging import GradedJudge, Judge, PreferenceJudge
from irev.judgments import assembled, judged_lists
from irev.measures.names import resolve
from irev.model import Duplicate, Rows, Scores
from irev.options import OptionFields, Options
from irev.preferences import assembled_preferences, preference_lists
from irev.read.formats import JUDGMENTS, RUN, with_real_grades
from irev.read.sources import map_input
from irev.scoring import Policy

if TYPE_CHECKING:
    from irev.measures.names import Request

Input = str | os.PathLike[str] | Mapping[Any, Any] | Any
"""A path (`-`: standard input), a mapping {topic: {document: number}}, a pandas or Arrow table."""

__all__ = ["Evaluator", "Input", "Options", "evaluate"]


def evaluate(
    qrels: Input,
    run: Input,
    measures: Sequence[str] = (),
    *,
    format: str = "qrels",
    **options: Unpack[OptionFields],
) -> Scores:
    """Evaluate a run against judgments.

    Args:
        qrels: judgments: a path (text as trec_eval reads it, compressed or not; `-` is standard
            input), a mapping {topic: {document: grade}}, or a pandas or Arrow table with columns
            for topic, document and grade under one of their usual names.
        run: a run: a path, a mapping {topic: {document: score}}, or a table likewise. The order
            is by score, equal scores by document id, both falling; ranks are not looked at.
        measures: names as the command line takes them: "map", "P.5,10", "ndcg_cut_10", or sets
            such as "official", which is the default.
        format: what a qrels file holds: "qrels", "qrels_jg", "prefs" or "qrels_prefs".
        **options: the fields of `Options`: `level=2`, `topics="qrels"`, `compat="trec9"` ...

    Returns:
        The scores: by topic, in summary, with the account of the topics.

    Raises:
        UsageError: a measure or option that makes no sense.
        InputError: an input that cannot be read as what it was given for.
        MismatchError: no topic in common.

    Example:
        >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 2}}
        >>> run = {"q1": {"d1": 0.5, "d2": 2.0, "d4": 1.0}}
        >>> evaluate(qrels, run, ["map", "P_5"]).summary()
        {'map': 0.16666666666666666, 'P_5': 0.2}
    """
    return Evaluator(qrels, measures, Options(**options), format=format).evaluate(run)


class Evaluator:
    """Judgments and measures, made ready once for many runs.

    Example:
        >>> evaluator = Evaluator({"q1": {"d1": 1}}, ["recip_rank"])
        >>> evaluator.evaluate({"q1": {"d1": 0.5, "d2": 2.0}}).summary()
        {'recip_rank': 0.5}
    """

    def __init__(
        self,
        qrels: Input,
        measures: Sequence[str] = (),
        options: Options | None = None,
        *,
        format: str = "qrels",
    ) -> None:
        """Resolve the measures' names and read the judgments; see `evaluate` for both.

        Raises:
            UsageError: a measure or option that makes no sense; said before a file is opened.
            InputError: judgments that cannot be read.
        """
        self.options = options or Options()
        _check(self.options)
        self.requests = resolve(measures, self.options.version)
        if format not in JUDGMENTS:
            raise UsageError(f"no format of judgments is called '{format}': {', '.join(JUDGMENTS)}")
        _check_needs(self.requests, format)
        self._threads = self.options.threads or workers.default_threads()
        self._judge = self._read(qrels, format)
        self._policy = Policy(self._judge.qrels, self.requests, self.options)

    @property
    def judge(self) -> Judge:
        """The judgments, ready to judge runs."""
        return self._judge

    def evaluate(self, run: Input) -> Scores:
        """The scores of a run.

        Raises:
            InputError: a run that cannot be read.
            MismatchError: a run without any topic of the judgments.
        """
        return self._evaluate(run, self._threads)

    def evaluate_many(self, runs: Sequence[Input]) -> Iterator[tuple[Input, Scores | IrevError]]:
        """The scores of several runs, or what is wrong with a run, in the order given.

        Several runs are worked on at once, each by one thread.
        """
        threads = self._threads if len(runs) == 1 else 1

        def outcome(run: Input) -> Scores | IrevError:
            try:
                return self._evaluate(run, threads)
            except IrevError as error:
                return error

        yield from zip(runs, workers.in_order(outcome, runs, self._threads), strict=True)

    def _read(self, qrels: Input, format: str) -> Judge:
        layout = JUDGMENTS[format]
        ranking = self.options.ranking(format)
        if format in ("prefs", "qrels_prefs"):

            def prepared(rows: Rows) -> tuple[Any, list[Duplicate]]:
                return preference_lists(rows, single_precision=ranking.single_precision)

            parts = map_input(qrels, layout, prepared, self._threads).results
            return PreferenceJudge(assembled_preferences(parts), self.requests, ranking)
        if self.options.real_grades:
            layout = with_real_grades(layout)
        lists = map_input(qrels, layout, judged_lists, self._threads).results
        return GradedJudge(assembled(lists), self.requests, ranking, self.options.settings)

    def _evaluate(self, run: Input, threads: int) -> Scores:
        read = map_input(run, RUN, self._judge.part, threads)
        run_id = next(iter(read.last.split()[5:6]), b"")
        return self._policy.scores(read.results, run_id, self._judge)


_CHOICES = {
    "topics": ("both", "qrels", "run"),
    "no_relevant": ("zero", "skip"),
    "compat": ("trec10", "trec9"),
}


def _check(options: Options) -> None:
    for name, choices in _CHOICES.items():
        given = getattr(options, name)
        if isinstance(given, str) and given not in choices:
            raise UsageError(f"{name} cannot be '{given}': {', '.join(choices)}")
    if options.level < 0:
        raise UsageError("the level of relevance must be at least 0")
    if options.max_retrieved is not None and options.max_retrieved < 0:
        raise UsageError("the number of documents kept must be at least 0")


def _check_needs(requests: Sequence[Request], format: str) -> None:
    """Refuse measures that do not go with the format of the judgments."""
    given = "prefs" if format == "qrels_prefs" else format
    for request in requests:
        needs = request.measure.needs
        if needs not in ("any", given):
            formats = "prefs or qrels_prefs" if needs == "prefs" else needs
            raise UsageError(
                f"measure {request.measure.name} needs judgments of the format {formats} "
                f"(-R {needs}), not {format}"
            )
