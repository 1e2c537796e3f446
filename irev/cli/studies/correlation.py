"""`irev study correlation`: how alike measures or judgments order the same runs."""

from collections.abc import Sequence
from typing import Any

from irev.cli.commands import Job, misused
from irev.cli.delivery import StudyOutput, deliver
from irev.cli.several_runs import (
    OptionsOfRuns,
    Runs,
    evaluation_of_runs,
    records_of_runs,
    scored,
    starts_with_saved,
)
from irev.core.progress import progress_reporter
from irev.errors import UsageError
from irev.jobs.studies.orders import FOUR, Compared, Teams, orders
from irev.jobs.studies.plans import Resampling, Significance


def check_runs(files: Sequence[str], study: str) -> None:
    """Refuse a command line without runs."""
    if not files or (len(files) < 2 and not starts_with_saved(files)):
        raise misused(
            f"give a relevance file and runs, or saved scores: irev study {study} QRELS RUN..."
        )


def refuse(wrong: dict[str, Any]) -> None:
    """Refuse options that cannot be combined, before a file is opened."""
    for message, is_so in wrong.items():
        if is_so:
            raise UsageError(message)


def correlation(
    files: tuple[str, ...],
    compared: Compared,
    teams: Teams,
    resampling: Resampling,
    how: Significance,
    output: StudyOutput,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """How alike several measures, or several judgments, order the same runs.

    QRELS RUN..., or saved scores, where a matrix (topics x runs) is a measure by the name of its
    file. For all pairs of measures: Kendall's tau_b and tau_a with p, tau_AP (the row is the truth)
    and tau_AP,b, Spearman's rho, Pearson's r, the RMS error of the means, and how many pairs of
    runs are found significantly different in the same or in opposite directions.

    --sweep draws the correlation against a parameter of measures: lines over beta, over the base
    of a logarithm, over gain ratios. --other-qrels adds the orders under other judgments, on the
    topics that all of them have.

    A judged topic that a run lacks counts as 0, and a warning on stderr says so.
    """
    from irev.jobs.plots.outcome import run_names, signed_by_scores
    from irev.jobs.studies.correlation import Study
    from irev.jobs.studies.correlation import correlation as studied

    check_runs(files, "correlation")
    is_saved = starts_with_saved(files)
    swept, others = compared.sweeps, compared.other_qrels
    refuse({
        "standard input (-) cannot be read twice: give the judgments as a file": files[0] == "-",
        "--by needs --top": compared.by
        and compared.top is None,
        "--against needs --sweep": compared.against and not swept,
        "--sweep and --other-qrels cannot be combined": swept and others,
        "--other-qrels needs QRELS RUN...": others and is_saved,
    })  # fmt: skip
    found = orders(
        files, asked.measures, compared, teams, evaluation_of_runs(files, asked, options),
        lambda files, measures: scored(files, asked.replace(measures=measures), options),
        format=asked.qrels_format, is_saved=is_saved,
    )  # fmt: skip
    drawn = None if resampling.resamples is None else resampling.replace(confidence=1 - how.alpha)
    outcome = studied(
        found.criteria, run_names(found.table[0]),
        Study(how, drawn, found.lines, progress_reporter("pairs of measures")),
        parameters=found.parameters, notes=found.notes,
    )  # fmt: skip
    return deliver(signed_by_scores(outcome, *found.table), output)


correlation_command = Job(
    "correlation", correlation, "[QRELS] RUN...", Compared, Teams, Resampling, Significance,
    StudyOutput, *records_of_runs(FOUR, without=("classes",)),
    example="irev study correlation qrels.txt runs/* -m AP -m Q -m 'nDCG(b=2)@1000';  "
    "irev study correlation qrels.txt runs/* -m Q --sweep beta=0.1,1,10,100,1000 --output tau;  "
    "irev study correlation ap.csv p10.csv --resamples 1000",
)  # fmt: skip
