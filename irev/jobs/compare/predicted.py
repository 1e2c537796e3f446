"""Runs compared with the judgments of people on some topics and those of a model on all.

The measure of a topic is the unit: every run is scored on whole topics twice, once under each
judgments; see `irev.statistics.prediction_powered` for what is made of it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from irev.core.displayed import Displayed
from irev.core.record import record
from irev.core.text import as_text
from irev.engine.inputs import rewindable
from irev.engine.score_runs import default_options, missing_topic_warnings, score_runs
from irev.errors import Notice, UsageError
from irev.jobs.compare.assumptions import (
    about_estimates,
    about_favour,
    about_grades,
    about_sample,
    about_scores,
    of_both,
)
from irev.jobs.compare.estimates import estimated, places_of
from irev.jobs.compare.plan import ModelJudgments
from irev.jobs.compare.rows import frame_of
from irev.scores.signature import SHORT_HASH, ComparisonSignature, comparison_signature
from irev.statistics.differences import order_by_gain, pair_differences
from irev.statistics.methods import CORRECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from irev.core.model import Input
    from irev.engine.score_runs import NameSource
    from irev.jobs.compare.estimates import Estimates
    from irev.jobs.compare.plan import ComparisonPlan
    from irev.jobs.compare.rows import Row
    from irev.options import Options
    from irev.scores.table import ScoreTable
    from irev.statistics.prediction_powered import PoweredMeans


@record
class PredictedComparison(Displayed):
    """Runs compared with the judgments of people on some topics and those of a model on all.

    `print` and notebooks show the tables of `irev compare --predicted`; `means`, `pairs` and
    `by_topic` are pandas frames, `to_frame()` that of the pairs.

    table   the scores by people, on their n topics
    by_model   those by the model, on all N
    plan       the choices of the comparison
    judgments  those about the model's judgments
    estimates  for each measure, on all topics, then on each class of them
    judged     which share of the first 10 documents is judged, by people and by the model, the
               mean of the runs; None where nothing tells
    doubts     warnings that assumptions fail
    notes      what else a reader must know, a line each
    """

    table: ScoreTable
    by_model: ScoreTable
    plan: ComparisonPlan
    judgments: ModelJudgments
    estimates: tuple[Estimates, ...]
    judged: tuple[float | None, float | None]
    doubts: tuple[Notice, ...]
    notes: tuple[str, ...]
    shown_by: ClassVar[str] = "irev.jobs.compare.predicted_document:predicted_document"

    def __repr__(self) -> str:
        runs, measures = self.table.run_names, ", ".join(self.table.measure_names)
        n, topics = len(self.table.topics), len(self.by_model.topics)
        return (
            f"<PredictedComparison of {', '.join(runs)} by {measures} on {topics} topics, {n} of "
            "them judged by people>"
        )

    @property
    def hypotheses(self) -> int:
        """How many hypotheses are corrected together: pairs x measures (x classes + all)."""
        return sum(len(each.run_pairs) for each in self.estimates)

    @property
    def distance(self) -> float:
        """The z that is farthest from 0, of all runs and measures."""
        found = np.concatenate([each.means.distance for each in self.estimates])
        return float(found[np.argmax(np.abs(found))])

    @property
    def signature(self) -> ComparisonSignature:
        """What the comparison was made of: the model's judgments are `auto`."""
        plan, chosen, runs = self.plan, self.judgments, self.table
        by_model = self.by_model.runs[0].signature
        weight = chosen.model_weight
        choices: dict[str, Any] = {
            "auto": ((by_model and by_model.qrels) or "-")[:SHORT_HASH],
            "pred": "ppi++" if weight is None else f"ppi/{weight:g}",
            "target": chosen.predicted_target,
            "baselines": [runs.run_names[runs.run_index(name)] for name in plan.baselines],
            "correction": plan.correction,
            "hypotheses": self.hypotheses,
            "alpha": plan.alpha,
            "tail": plan.tail,
            "missing": "zero",
        }
        if chosen.predicted_level is not None:
            choices["auto-level"] = chosen.predicted_level
        if chosen.predicted_map_grades:
            grades = chosen.predicted_map_grades
            choices["auto-grades"] = [f"{old:g}={new:g}" for old, new in grades]
        return comparison_signature(runs, choices)

    def mean_rows(self) -> Iterator[Row]:
        """A row for each class, measure and run, the best estimate first.

        `class`, `measure`, `run`, then as `pair_rows` has them.
        """
        missing = {entry.name: set(entry.missing) for entry in self.table.runs}
        for each in self.estimates:
            for run in each.order.tolist():
                name = self.table.run_names[run]
                yield {
                    "class": each.label, "measure": each.measure, "run": name,
                    **_facts(each.means, run, "mean"),
                    "missing_as_zero": len(missing[name].intersection(each.topics)),
                }  # fmt: skip

    def pair_rows(self) -> Iterator[Row]:
        """A row for each class, measure and pair.

        `class`, `measure`, `run`, `against`, `difference` with `low`, `high`, `se` and `df`,
        `human_only`, `human_only_low`, `human_only_high`, `model_only`, `width_ratio`,
        `n_effective`, `lambda`, `r`, `n` topics judged by people, `N` in all, `z_sample`; see
        `PoweredMeans`. Then `p`, `corrected` and `significant`.
        """
        names = self.table.run_names
        for each in self.estimates:
            for place in range(len(each.run_pairs)):
                first, second = int(each.run_pairs.first[place]), int(each.run_pairs.second[place])
                corrected = float(each.corrected[place])
                yield {
                    "class": each.label, "measure": each.measure, "run": names[first],
                    "against": names[second], **_facts(each.pairs, place, "difference"),
                    "p": float(each.pairs.p[place]), "corrected": corrected,
                    "significant": corrected <= self.plan.alpha,
                }  # fmt: skip

    def topic_rows(self) -> Iterator[Row]:
        """For each pair the topics judged by people, by their difference, gains first.

        `class`, `measure`, `run`, `against`, `topic`, `score`, `score_against`, `difference`, and
        the `model_difference` of the same topic.
        """
        names = self.table.run_names
        for each in self.estimates:
            by_people, by_model = (
                pair_differences(s, each.run_pairs) for s in (each.human, each.model)
            )
            for place in range(len(each.run_pairs)):
                first, second = int(each.run_pairs.first[place]), int(each.run_pairs.second[place])
                for topic in order_by_gain(
                    by_people[:, place], lower_is_better=each.lower_is_better
                ).tolist():
                    yield {
                        "class": each.label, "measure": each.measure, "run": names[first],
                        "against": names[second], "topic": as_text(each.topics[topic]),
                        "score": float(each.human[topic, first]),
                        "score_against": float(each.human[topic, second]),
                        "difference": float(by_people[topic, place]),
                        "model_difference": float(by_model[topic, place]),
                    }  # fmt: skip

    @property
    def means(self) -> pd.DataFrame:
        """A row for each class, measure and run, the best estimate first."""
        return frame_of(self.mean_rows())

    @property
    def pairs(self) -> pd.DataFrame:
        """A row for each class, measure and pair."""
        return frame_of(self.pair_rows())

    @property
    def by_topic(self) -> pd.DataFrame:
        """A row for each class, measure, pair and topic that people judged."""
        return frame_of(self.topic_rows())

    def to_frame(self) -> pd.DataFrame:
        """The pairs, as `pairs`."""
        return self.pairs


def _facts(found: PoweredMeans, at: int, what: str) -> Row:
    """The numbers of a column; `what` names the estimate."""
    return {
        what: float(found.mean[at]), "low": float(found.low[at]), "high": float(found.high[at]),
        "se": float(found.se[at]), "df": float(found.df[at]),
        "human_only": float(found.people[at]), "human_only_low": float(found.people_low[at]),
        "human_only_high": float(found.people_high[at]), "model_only": float(found.model[at]),
        "width_ratio": float(found.width_ratio[at]), "n_effective": float(found.effective[at]),
        "lambda": float(found.weight[at]), "r": float(found.correlation[at]),
        "n": found.num_judged, "N": found.num_topics, "z_sample": float(found.distance[at]),
    }  # fmt: skip


def compare_predicted(
    qrels: Input | None,
    runs: str | Sequence[Input] | Mapping[str, Input],
    measures: object,
    options: Options | None,
    plan: ComparisonPlan,
    judgments: ModelJudgments,
    *,
    format: str = "qrels",
    names: NameSource = "file",
    given: Collection[str] = (),
) -> PredictedComparison:
    """Compare runs as `irev.compare` does, with a model's judgments of all topics.

    Args:
        qrels: the judgments of people, on a random sample of the topics.
        runs: runs, each read twice; no saved scores.
        measures: names as `evaluate` takes them.
        options: the choices of the evaluation. Its classes of topics are strata: every topic is
            in one of them.
        plan: the choices of the comparison; tests and intervals are by t.
        judgments: those of the model, and the choices about them.
        format: what both judgments hold.
        names: whether a run is called after its file or after its tag.
        given: the fields of the plan that somebody chose.
    """
    options = options or default_options()
    plan = _checked(plan, options, given)
    if qrels is None:
        raise UsageError("--predicted needs runs and the judgments of people, not saved scores")
    # what is not a file is read twice
    qrels, judgments = (
        rewindable(qrels),
        judgments.replace(predicted=rewindable(judgments.predicted)),
    )
    if isinstance(runs, Mapping):
        runs = {name: rewindable(run) for name, run in runs.items()}
    elif not isinstance(runs, str | os.PathLike):
        runs = [rewindable(run) for run in runs]
    by_people = score_runs(
        qrels, runs, measures, options, format=format, names=names, warn_unjudged=True
    )
    if any(entry.is_saved for entry in by_people.runs):
        raise UsageError("--predicted needs runs: saved scores come from one set of judgments only")
    by_model = score_runs(
        judgments.predicted, runs, measures, judgments.of_model(options), format=format,
        names=names, warn_unjudged=True,
    )  # fmt: skip
    human, model = by_people, by_model
    of_human = places_of(human, model)
    estimates, left_out = estimated(human, model, of_human, plan, judgments)
    doubts = [
        *of_both(by_people.doubts, by_model.doubts),
        *missing_topic_warnings(human),
        *about_sample(human, model, of_human, estimates),
    ]
    doubts += about_favour(human, estimates, plan.alpha)
    notes = [
        *of_both(by_people.notes, by_model.notes),
        *about_scores(human, plan),
        *about_grades(qrels, judgments, options, format, human, model),
        *left_out,
    ]
    notes += [line for each in estimates for line in about_estimates(each, human.run_names)]
    return PredictedComparison(
        human, model, plan, judgments, tuple(estimates),
        (by_people.share_judged, by_model.share_judged), tuple(doubts),
        tuple(dict.fromkeys(notes)),
    )  # fmt: skip


def _checked(plan: ComparisonPlan, options: Options, given: Collection[str]) -> ComparisonPlan:
    """The plan without what has no part in it."""
    if "tests" in given:
        raise UsageError("--predicted has a test of its own: leave out --test")
    if "ci" in given and plan.ci != "t":
        raise UsageError(f"--predicted has t intervals: --ci {plan.ci} cannot be combined with it")
    correction = CORRECTIONS[plan.correction]
    if "correction" in given and correction.function is None:
        raise UsageError(f"--predicted: {plan.correction} is for the {correction.only_test} test")
    if options.weights is not None:
        raise UsageError("--predicted cannot be combined with --weights: topics count equally")
    if options.topics != "qrels":
        raise UsageError("--predicted needs all judged topics: leave out --topics")
    if options.no_relevant != "zero":
        raise UsageError(
            "--predicted needs all judged topics: --no-rel skip would leave out those that one "
            "side finds nothing relevant for"
        )
    for name in ("resamples", "zeros", "min_diff"):
        if name in given:
            option = plan.fields()[name].opt.names[-1]
            raise UsageError(f"--predicted has no use for {option}: leave it out")
    return plan.replace(
        tests=("t",), ci="t", correction=plan.correction if correction.function else "holm"
    )
