"""`irev study overlap`, `preference`, `agreement`, `design`, `reproduction`: runs, judgments."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from irev.cli.commands import Job
from irev.cli.delivery import StudyOutput, deliver
from irev.cli.files import check_files
from irev.cli.gathering import (
    OptionsOfRuns,
    Runs,
    evaluation_of_runs,
    records_of_runs,
    scored,
    starts_with_saved,
)
from irev.errors import UsageError
from irev.studies.choices import (
    Aims,
    Experiments,
    Overlap,
    Preferences,
    PreferenceTest,
    Reproduced,
    Significance,
    Variances,
)

if TYPE_CHECKING:
    from irev.core.arrays import Floats
    from irev.core.matrices import Matrices
    from irev.core.scores import Column
    from irev.engine.gather import Gathered
    from irev.studies.reproduction import Experiment

_MEASURES = ("map", "ndcg_cut.10", "P.10")
"""What runs are scored by where no measure is named."""


def _misused(wanted: str) -> click.UsageError:
    return click.UsageError(wanted, click.get_current_context(silent=True))


def overlap(files: tuple[str, ...], how: Overlap, output: StudyOutput) -> int:
    """How alike two runs rank documents: rank-biased overlap (RBO), for each topic and its mean.

    No judgments are needed. Documents of equal scores are tied. Of documents that are not seen the
    point value (ext) supposes that they agree as those seen do; min and max are what they can make
    of it, res is max - min.

    A topic that one run lacks counts as 0, and the notes on stderr say so.
    """
    from irev.studies.overlap import overlap as studied

    if len(files) != 2:
        raise _misused("two runs are wanted: irev study overlap RUN RUN")
    record = studied(
        *files, p=how.persistence, ties=how.tied, decimal_comma=how.decimal_comma,
        watched=_watched,
    )  # fmt: skip
    return deliver(record, output)


def _watched(topics: Sequence[Any]) -> Iterable[Any]:
    from irev.cli.progress import shown

    return shown(topics, len(topics), "topics")


overlap_command = Job(
    "overlap", overlap, "RUN RUN", Overlap, StudyOutput,
    example="irev study overlap bm25.run rm3.run -p 0.95 --ties w",
)  # fmt: skip


def preference(
    files: tuple[str, ...],
    chosen: Preferences,
    test: PreferenceTest,
    output: StudyOutput,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """Which run of each pair is preferred, by the ranks of the relevant documents alone.

    Topic by topic, the ranks of the i-th relevant documents of both runs are compared, for each
    level of recall i. Recall-paired preference is the mean of the signs (rpp; weighted by 1/i:
    invrpp; by 1/log2(i+1): dcgrpp). Lexicographic recall is the sign at the last level that differs
    (lexirecall), lexicographic precision that at the first (lexiprecision), or the difference of
    the reciprocal ranks there (rrlexiprecision). No measure stands between: hardly a topic is tied.

    For each pair: the mean preference, positive for the first run, topics won, tied and lost with
    the sign test, and the test of the mean. --output has every topic.

    A judged topic that a run lacks counts as an empty ranking, and the notes on stderr say so.
    """
    if len(files) < 3:
        raise _misused(
            "a relevance file and two runs or more are wanted: irev study preference QRELS RUN "
            "RUN..."
        )
    check_files([*files, *options.paths()], ())
    from irev.cli.progress import shown
    from irev.studies.preference import DEFAULT
    from irev.studies.preference import preference as studied

    record = studied(
        files[0], files[1:], chosen.kinds or DEFAULT, test,
        options=evaluation_of_runs(files, asked, options), format=asked.qrels_format,
        names=asked.names, watched=lambda items, count: shown(items, count, "runs"),
    )  # fmt: skip
    return deliver(record, output)


preference_command = Job(
    "preference", preference, "QRELS RUN RUN...", Preferences, PreferenceTest, StudyOutput,
    *records_of_runs(
        without=(
            "measures", "classes", "weights", "duplicates", "intents", "nan", "defaults",
            "collection_size", "plugins", "pool",
        ),
        say={
            "qrels_format": "What QRELS holds: qrels (the default) or ntcir.",
            "topics": "Average over all judged topics, where a run has an empty ranking for one "
            "that it lacks (qrels, the default), over those that every run has (both), or over "
            "those listed in FILE.",
        },
    ),
    example="irev study preference qrels.txt bm25.run rm3.run;  "
    "irev study preference qrels.txt runs/* -m lexiprecision --output preferences",
)  # fmt: skip


def agreement(
    files: tuple[str, ...],
    how: Significance,
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

    A judged topic that a run lacks counts as 0, and the notes on stderr say so.
    """
    from irev.studies.agreement import agreement as studied

    if len(files) < 2 or len(files) == 3:
        raise _misused(
            "two relevance files are wanted, and no runs or several: irev study agreement QRELS "
            "QRELS [RUN...]"
        )
    if asked.qrels_format != "qrels":
        raise UsageError(f"-R {asked.qrels_format}: plain judgments (-R qrels) are compared")
    if "-" in files[:2]:
        raise UsageError("standard input (-) cannot be read twice: give the judgments as files")
    record = studied(files[0], files[1], evaluation_of_runs(files, asked, options))
    if len(files) > 2:
        from irev.plots.record import notes_of, parameters_of, run_names
        from irev.studies.agreement import with_runs
        from irev.studies.criteria import criteria_of, on_common_topics
        from irev.studies.signing import signed_by_scores

        sides = [scored((path, *files[2:]), asked, options, _MEASURES) for path in files[:2]]
        matrices, notes = on_common_topics([side.matrices for side in sides])
        pairs = list(zip(*(criteria_of(each) for each in matrices), strict=True))
        record = with_runs(
            record, pairs, run_names(matrices[0]), how,
            parameters={
                **parameters_of(sides[0]), "other runs": parameters_of(sides[1])["runs"],
            },
            notes=(*notes_of(sides[0])[1:], *notes),
        )  # fmt: skip
        record = signed_by_scores(record, *matrices)
    return deliver(record, output)


agreement_command = Job(
    "agreement", agreement, "QRELS QRELS [RUN...]", Significance, StudyOutput,
    *records_of_runs(_MEASURES, without=("classes",)),
    example="irev study agreement nist.qrels crowd.qrels;  "
    "irev study agreement nist.qrels crowd.qrels runs/* -m map --output agreement",
)  # fmt: skip


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

    A judged topic that a run lacks counts as 0, and the notes on stderr say so.
    """
    if known.variance is not None:
        from irev.studies.design import plan

        if files or known.collections:
            raise UsageError("--variance is known or supposed, without files")
        return deliver(plan(known.variance, aims), output)
    from irev.plots.record import notes_of, parameters_of
    from irev.studies.design import Pilot
    from irev.studies.design import design as studied
    from irev.studies.signing import signed_by_scores

    if len(files) < 2 and not starts_with_saved(files):
        raise _misused(
            "a relevance file and runs are wanted, or saved scores, or --variance: irev study "
            "design QRELS RUN..."
        )
    found = scored(files, asked, options, ("map",))
    others = [scored((path,), asked, options).matrices for path in known.collections]
    pilots = [
        Pilot(
            column.name,
            found.matrices.of(column.name),
            [_same(each, column, found.matrices) for each in others],
        )
        for column in found.matrices.columns
    ]
    record = studied(
        pilots, aims, parameters={**parameters_of(found), "collections": list(known.collections)},
        notes=notes_of(found),
    )  # fmt: skip
    return deliver(signed_by_scores(record, found.matrices, *others), output)


def _same(other: "Matrices", column: "Column", first: "Matrices") -> "Floats":
    """The scores of another collection under the same measure, or under the only one of both."""
    from irev.measures.names import same_columns

    (at,) = same_columns([column], other.columns)
    if at is not None:
        return other.of(other.columns[at].name)
    if len(other.columns) == len(first.columns) == 1:
        return other.of(other.columns[0].name)
    raise UsageError(
        f"--collection {other.entries[0].path} has no {column.name}: {', '.join(other.measures)}"
    )


design_command = Job(
    "design", design, "[QRELS] [RUN...]", Aims, Variances, StudyOutput,
    *records_of_runs(without=("classes", "weights")),
    example="irev study design qrels.txt runs/* -m map -m ndcg_cut.10 --difference 0.05;  "
    "irev study design adhoc8_ap.csv --collection adhoc7_ap.csv --output design;  "
    "irev study design --variance 0.25 --difference 0.1",
)  # fmt: skip

_ROLES = ("baseline", "advanced", "new_baseline", "new_advanced")


def reproduction(
    files: tuple[str, ...],
    experiments: Experiments,
    how: Reproduced,
    output: StudyOutput,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """How well an experiment was reproduced: an advanced run against a baseline, then and now.

    Effect ratio (ER) with its interval, the difference of relative improvements (DeltaRI), RMSE and
    normalised RMSE of the topics' scores, p, and RBO of the rankings. QRELS are the judgments, and
    --new-qrels those of the new runs where it was replicated on other topics. Saved scores have no
    rankings, and need no QRELS.

    A judged topic that a run lacks counts as 0, and the notes on stderr say so.
    """
    from irev.plots.record import notes_of, parameters_of
    from irev.studies.reproduction import reproduction as studied
    from irev.studies.reproduction import with_overlap
    from irev.studies.signing import signed_by_scores

    runs = _four_runs(files, experiments)
    new_qrels = (experiments.new_qrels,) if experiments.new_qrels else files
    then, original = _experiment((*files, *runs[:2]), asked, options)
    now, new = _experiment((*new_qrels, *runs[2:]), asked, options)
    record = studied(
        original, new, how,
        parameters={
            **parameters_of(then), "runs": dict(zip(_ROLES, runs, strict=True)),
            "original": parameters_of(then)["runs"], "new": parameters_of(now)["runs"],
        },
        notes=tuple(dict.fromkeys((*notes_of(then)[1:], *notes_of(now)[1:]))),
    )  # fmt: skip
    record = signed_by_scores(record, original.matrices, new.matrices)
    if files and not experiments.new_qrels:
        pairs = {"baseline": (runs[0], runs[2]), "advanced": (runs[1], runs[3])}
        record = with_overlap(record, pairs, how.persistence)
    return deliver(record, output)


def _four_runs(files: tuple[str, ...], experiments: Experiments) -> list[str]:
    runs = [getattr(experiments, role) for role in _ROLES]
    for role, run in zip(_ROLES, runs, strict=True):
        if run is None:
            raise _misused(f"four runs are wanted: --{role.replace('_', '-')} is missing")
    are_saved = starts_with_saved(runs)
    if len(files) != (0 if are_saved else 1):
        wanted = "saved scores need no QRELS" if are_saved else "one relevance file is wanted"
        raise _misused(
            f"{wanted}: irev study reproduction QRELS --baseline RUN --advanced RUN "
            "--new-baseline RUN --new-advanced RUN"
        )
    if "-" in (*runs, *files):
        raise UsageError("standard input (-) cannot be read twice: give files")
    for one, other in (runs[:2], runs[2:]):
        if one == other:
            raise UsageError(f"{one} is both the baseline and the advanced run")
    return runs


def _experiment(
    files: tuple[str, ...], asked: Runs, options: OptionsOfRuns
) -> tuple["Gathered", "Experiment"]:
    """The scores of a baseline and an advanced run, which stand last."""
    from irev.studies.reproduction import Experiment

    found = scored(files, asked, options, _MEASURES)
    baseline, advanced = (found.matrices.number_of(run) for run in files[-2:])
    return found, Experiment(found.matrices, baseline, advanced)


reproduction_command = Job(
    "reproduction", reproduction, "[QRELS]", Experiments, Reproduced, StudyOutput,
    *records_of_runs(_MEASURES, without=("classes",)),
    example="irev study reproduction qrels.txt --baseline bm25.run --advanced rm3.run "
    "--new-baseline my-bm25.run --new-advanced my-rm3.run -m map",
)  # fmt: skip
