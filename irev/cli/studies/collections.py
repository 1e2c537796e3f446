"""`irev study agreement`, `design` and `topics`: judgments, and topics as a pilot has them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from irev.cli.commands import Job, misused
from irev.cli.delivery import StudyOutput, deliver
from irev.cli.output import check_files
from irev.cli.several_runs import (
    USUAL,
    OptionsOfRuns,
    Runs,
    evaluation_of_runs,
    records_of_runs,
    scored,
    starts_with_saved,
)
from irev.core.option_records import Opt, ResultOptions
from irev.errors import UsageError
from irev.jobs.studies.options.shared import SignificanceOptions
from irev.jobs.studies.plans import Aims

if TYPE_CHECKING:
    from irev.core.arrays import Floats
    from irev.core.model import Column
    from irev.scores.table import ScoreTable


def agreement(
    files: tuple[str, ...],
    how: SignificanceOptions,
    output: StudyOutput,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """Two sets of judgments against each other, and what the choice between them changes for runs.

    On the documents that both judge: the confusion of grades, the share of equal ones, Cohen's
    kappa (plain, linear, quadratic), Krippendorff's alpha and the overlap of the relevant
    documents, for each topic and in all.

    With RUN...: how alike both order the runs (tau_b, tau_AP), and which conclusions about pairs of
    runs change, on the topics that both judge.

    A judged topic that a run lacks counts as 0, and a warning on stderr says so.
    """
    from irev.jobs.studies.agreement import agreement as studied

    if len(files) < 2 or len(files) == 3:
        raise misused(
            "give two relevance files, and no runs or several: irev study agreement QRELS "
            "QRELS [RUN...]"
        )
    if "-" in files[:2]:
        raise UsageError("standard input (-) cannot be read twice: give the judgments as files")
    outcome = studied(
        files[0], files[1], evaluation_of_runs(files, asked, options), asked.qrels_format
    )
    if len(files) > 2:
        from irev.jobs.plots.outcome import notes_of, parameters_of, run_names, signed_by_scores
        from irev.jobs.studies.agreement import with_runs
        from irev.jobs.studies.criteria import criteria_of, on_common_topics

        sides = [scored((path, *files[2:]), asked, options, USUAL) for path in files[:2]]
        table, notes = on_common_topics(sides)
        pairs = list(zip(*(criteria_of(each) for each in table), strict=True))
        outcome = with_runs(
            outcome, pairs, run_names(table[0]), how,
            parameters={
                **parameters_of(sides[0]), "other runs": parameters_of(sides[1])["runs"],
            },
            notes=dict.fromkeys((*notes_of(sides[0])[1:], *notes_of(sides[1])[1:], *notes)),
        )  # fmt: skip
        outcome = signed_by_scores(outcome, *table)
    return deliver(outcome, output)


agreement_command = Job(
    "agreement", agreement, "QRELS QRELS [RUN...]", SignificanceOptions, StudyOutput,
    *records_of_runs(USUAL, without=("classes",)),
    example="irev study agreement nist.qrels crowd.qrels;  "
    "irev study agreement nist.qrels crowd.qrels runs/* -m map --output agreement",
)  # fmt: skip


class Variances(ResultOptions):
    """What a variance is taken from, beside the scores of a pilot."""

    variance: Annotated[float | None, Opt(
        "--variance", metavar="V",
        help="Without files: the variance of a run's scores over topics; that of differences "
        "is twice as large.",
    )] = None  # fmt: skip
    collections: Annotated[Sequence[str], Opt(
        "--collection", metavar="FILE", file="always",
        help="Saved scores on another collection; the variance is pooled over all. May be "
        "repeated.",
    )] = ()  # fmt: skip


def design(
    files: tuple[str, ...],
    aims: Aims,
    known: Variances,
    output: StudyOutput,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """How many topics are needed to find a difference, what the present ones can show, and why.

    From the scores of a pilot (QRELS RUN..., or saved scores): the variance between runs, topics
    and the rest, and E rho^2 and Phi, by generalisability theory; the topics needed by the t test,
    the analysis of variance and the interval (Sakai 2016), for the estimated variance and for its
    chi^2 limits; the power of the present topics. From --variance alone, the topics needed.

    A judged topic that a run lacks counts as 0, and a warning on stderr says so.
    """
    if known.variance is not None:
        from irev.jobs.studies.design import plan

        if files or known.collections:
            raise UsageError("--variance is known or supposed, without files")
        return deliver(plan(known.variance, aims), output)
    from irev.jobs.plots.outcome import notes_of, parameters_of, signed_by_scores
    from irev.jobs.studies.design import Pilot
    from irev.jobs.studies.design import design as studied

    if len(files) < 2 and not starts_with_saved(files):
        raise misused(
            "give a relevance file and runs, or saved scores, or --variance: irev study "
            "design QRELS RUN..."
        )
    found = scored(files, asked, options, ("map",))
    others = [scored((path,), asked, options) for path in known.collections]
    pilots = [
        Pilot(
            column.name,
            found.scores(column.name),
            [_same(each, column, found) for each in others],
        )
        for column in found.columns
    ]
    outcome = studied(
        pilots, aims, parameters={**parameters_of(found), "collections": list(known.collections)},
        notes=notes_of(found),
    )  # fmt: skip
    return deliver(signed_by_scores(outcome, found, *others), output)


def _same(other: "ScoreTable", column: "Column", first: "ScoreTable") -> "Floats":
    """The scores of another collection under the same measure, or under the only one of both."""
    from irev.measures.naming.result_columns import column_positions

    (at,) = column_positions([column], other.columns)
    if at is not None:
        return other.scores(other.columns[at].name)
    if len(other.columns) == len(first.columns) == 1:
        return other.scores(other.columns[0].name)
    raise UsageError(
        f"--collection {other.runs[0].path} has no {column.name}: {', '.join(other.measure_names)}"
    )


design_command = Job(
    "design", design, "[QRELS] [RUN...]", Aims, Variances, StudyOutput,
    *records_of_runs(without=("classes", "weights")),
    example="irev study design qrels.txt runs/* -m map -m ndcg_cut.10 --difference 0.05;  "
    "irev study design adhoc8_ap.csv --collection adhoc7_ap.csv --output design;  "
    "irev study design --variance 0.25 --difference 0.1",
)  # fmt: skip


class Standardised(ResultOptions):
    """How scores are standardised."""

    standardise: Annotated[Literal["cdf", "linear", "ecdf", "z"], Opt(
        "--standardise",
        help="How each score is standardised by those of all runs on its topic. cdf: the normal "
        "distribution function of z (Webber et al. 2008); linear: 0.15 z + 0.5, cut to 0 to 1 "
        "(Sakai 2016); ecdf: the share of runs that score no more (Urbano et al. 2019); or z.",
    )] = "cdf"  # fmt: skip


def topics(
    files: tuple[str, ...],
    how: Standardised,
    output: StudyOutput,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """How hard topics are, on which topics runs do well, and scores standardised by topic.

    What share of the variation is between runs, between topics, and interaction of both; the
    topics, the hardest first; the runs by their standardised means, in which each topic has the
    same weight however hard it is, so that you can combine collections on which the same runs were
    tried. --output has the map of runs and topics, as a table and a figure.

    A judged topic that a run lacks counts as 0, and a warning on stderr says so.
    """
    from irev.jobs.plots.outcome import signed_by_scores
    from irev.jobs.studies.topics import topics as studied

    if len(files) < 2 and not starts_with_saved(files):
        raise misused(
            "give a relevance file and runs, or saved scores: irev study topics QRELS RUN RUN..."
        )
    check_files([*files, *options.input_paths()], ())
    found = scored(files, asked, options, ("map",))
    outcome = studied(found, how.standardise)
    return deliver(signed_by_scores(outcome, found), output)


topics_command = Job(
    "topics", topics, "[QRELS] RUN...", Standardised, StudyOutput,
    *records_of_runs(without=("classes", "weights")),
    example="irev study topics qrels.txt runs/* -m map --output topics",
)  # fmt: skip
