"""`irev study overlap`, `preference` and `reproduction`: runs against each other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from irev.cli.commands import Job, misused
from irev.cli.delivery import StudyOutput, deliver
from irev.cli.options import Taken
from irev.cli.output import check_files
from irev.cli.several_runs import (
    ONLY_GRADES,
    USUAL,
    OptionsOfRuns,
    Runs,
    evaluation_of_runs,
    records_of_runs,
    scored,
    starts_with_saved,
)
from irev.core.option_records import Opt, ResultOptions
from irev.core.progress import progress_reporter, report_progress
from irev.errors import UsageError
from irev.jobs.studies.plans import PERSISTENCE, PreferenceTest, Reproduced
from irev.options import Options

if TYPE_CHECKING:
    from irev.jobs.studies.reproduction import Experiment
    from irev.scores.table import ScoreTable


class RankOverlap(ResultOptions):
    """How two rankings are compared."""

    persistence: Annotated[float, PERSISTENCE.replace(
        help="How far down a reader goes: the first 10 ranks weigh 86% at 0.9.",
    )] = 0.9  # fmt: skip
    tied: Annotated[Literal["a", "b", "w"], Opt(
        "--ties",
        help="Tied documents: the mean over all their orders (a, the default), that corrected "
        "so that a ranking has 1 with itself (b), or one shared rank (w).",
    )] = "a"  # fmt: skip


def overlap(files: tuple[str, ...], how: RankOverlap, output: StudyOutput, options: Options) -> int:
    """How alike two runs rank documents: rank-biased overlap (RBO), for each topic and its mean.

    No judgments are needed. Documents of equal scores are tied. For documents below the end of
    a ranking the point value (ext) assumes that they agree as those above do; min and max are the
    bounds, res is max - min.

    A topic that one run lacks counts as 0, and the notes on stderr say so.
    """
    from irev.jobs.studies.overlap import overlap as studied

    if len(files) != 2:
        raise misused("give two runs: irev study overlap RUN RUN")
    outcome = studied(
        *files, p=how.persistence, ties=how.tied, options=options,
        watched=progress_reporter("topics"),
    )  # fmt: skip
    return deliver(outcome, output)


overlap_command = Job(
    "overlap", overlap, "RUN RUN", RankOverlap, StudyOutput,
    Taken(Options, only=("decimal_comma", "run_format")),
    example="irev study overlap bm25.run rm3.run -p 0.95 --ties w",
)  # fmt: skip


class PreferenceKinds(ResultOptions):
    """Which preferences are looked at."""

    kinds: Annotated[
        Sequence[
            Literal["rpp", "invrpp", "dcgrpp", "lexirecall", "lexiprecision", "rrlexiprecision"]
        ],
        Opt(
            "-m", "--preference",
            help="Add a preference; may be repeated. Default: rpp, lexirecall and lexiprecision.",
        ),
    ] = ()  # fmt: skip


def preference(
    files: tuple[str, ...],
    chosen: PreferenceKinds,
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
    the reciprocal ranks there (rrlexiprecision). No measure is needed, and few topics are tied.

    For each pair: the mean preference, positive for the first run, topics won, tied and lost with
    the sign test, and the test of the mean. --output has every topic.

    A judged topic that a run lacks counts as an empty ranking, and a warning on stderr says so.
    """
    if len(files) < 3:
        raise misused(
            "give a relevance file and two runs or more: irev study preference QRELS RUN RUN..."
        )
    check_files([*files, *options.input_paths()], ())
    from irev.jobs.studies.preference import DEFAULT
    from irev.jobs.studies.preference import preference as studied

    outcome = studied(
        files[0], files[1:], chosen.kinds or DEFAULT, test,
        options=evaluation_of_runs(files, asked, options), format=asked.qrels_format,
        names=asked.names, watched=lambda items, count: report_progress(items, count, "runs"),
    )  # fmt: skip
    return deliver(outcome, output)


preference_command = Job(
    "preference", preference, "QRELS RUN RUN...", PreferenceKinds, PreferenceTest, StudyOutput,
    *records_of_runs(
        without=(
            "measures", "classes", "weights", "duplicates", "intents", "nan", "defaults",
            "collection_size", "plugins", "pool",
        ),
        say={
            "qrels_format": ONLY_GRADES,
            "topics": "Average over all judged topics, where a run has an empty ranking for one "
            "that it lacks (qrels, the default), over those that every run has (both), or over "
            "those listed in FILE.",
        },
    ),
    example="irev study preference qrels.txt bm25.run rm3.run;  "
    "irev study preference qrels.txt runs/* -m lexiprecision --output preferences",
)  # fmt: skip


class Experiments(ResultOptions):
    """The runs of an experiment and of its reproduction."""

    baseline: Annotated[str | None, Opt(
        "--baseline", metavar="RUN", file="always", help="The original baseline."
    )] = None  # fmt: skip
    advanced: Annotated[str | None, Opt(
        "--advanced", metavar="RUN", file="always", help="The original advanced run."
    )] = None  # fmt: skip
    new_baseline: Annotated[str | None, Opt(
        "--new-baseline", metavar="RUN", file="always", help="The reproduced baseline."
    )] = None  # fmt: skip
    new_advanced: Annotated[str | None, Opt(
        "--new-advanced", metavar="RUN", file="always", help="The reproduced advanced run."
    )] = None  # fmt: skip
    new_qrels: Annotated[str | None, Opt(
        "--new-qrels", metavar="FILE", file="always",
        help="The judgments of the new runs, on other topics.",
    )] = None  # fmt: skip


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

    A judged topic that a run lacks counts as 0, and a warning on stderr says so.
    """
    from irev.jobs.plots.outcome import notes_of, parameters_of, signed_by_scores
    from irev.jobs.studies.reproduction import reproduction as studied
    from irev.jobs.studies.reproduction import with_overlap

    runs = _four_runs(files, experiments)
    new_qrels = (experiments.new_qrels,) if experiments.new_qrels else files
    then, original = _experiment((*files, *runs[:2]), asked, options)
    now, new = _experiment((*new_qrels, *runs[2:]), asked, options)
    outcome = studied(
        original, new, how,
        parameters={
            **parameters_of(then), "runs": dict(zip(_ROLES, runs, strict=True)),
            "original": parameters_of(then)["runs"], "new": parameters_of(now)["runs"],
        },
        notes=tuple(dict.fromkeys((*notes_of(then)[1:], *notes_of(now)[1:]))),
    )  # fmt: skip
    if files and not experiments.new_qrels:
        pairs = {"baseline": (runs[0], runs[2]), "advanced": (runs[1], runs[3])}
        outcome = with_overlap(outcome, pairs, how.persistence, options)
    return deliver(signed_by_scores(outcome, original.table, new.table), output)


def _four_runs(files: tuple[str, ...], experiments: Experiments) -> list[str]:
    runs = [getattr(experiments, role) for role in _ROLES]
    for role, run in zip(_ROLES, runs, strict=True):
        if run is None:
            raise misused(f"give four runs: --{role.replace('_', '-')} is missing")
    are_saved = starts_with_saved(runs)
    if len(files) != (0 if are_saved else 1):
        wanted = "saved scores need no QRELS" if are_saved else "give one relevance file"
        raise misused(
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
) -> tuple["ScoreTable", "Experiment"]:
    """The scores of a baseline and an advanced run, which stand last."""
    from irev.jobs.studies.reproduction import Experiment

    found = scored(files, asked, options, USUAL)
    baseline, advanced = (found.run_index(run) for run in files[-2:])
    return found, Experiment(found, baseline, advanced)


reproduction_command = Job(
    "reproduction", reproduction, "[QRELS]", Experiments, Reproduced, StudyOutput,
    *records_of_runs(USUAL, without=("classes",)),
    example="irev study reproduction qrels.txt --baseline bm25.run --advanced rm3.run "
    "--new-baseline my-bm25.run --new-advanced my-rm3.run -m map",
)  # fmt: skip
